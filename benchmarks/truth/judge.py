"""What an estimator made of a run, against the truth: sums that add up over seeds, and figures made of them.

Definitions: README.md#columns. Forces act on the robot, world axes.
"""

import math

import antaeus
import numpy as np

OK, DEGRADED, REFUSED = 0, 1, 2
CHI_SQUARED_95 = (3.841458820694124, 5.991464547107979, 7.814727903251179)  # of one, two, three degrees of freedom
TWO_SIDED_95 = 1.959963984540054
OBSERVED_SD = 12.0  # [N] up to which a direction counts as observed
LIE = 5.0  # [N]
TOUCHED = 1.0  # [N] of true force at an endpoint from which a sample is one of a push
SEEN_FROM = 8.0  # [N] of a push's largest force, from which detection counts
THRESHOLDS = (5.0, 10.0, 15.0, 20.0)  # [N] of the ROC's points
BIN, BINS = 0.25, 400  # [N] of the ROC's counts
BLOCK_S = 1.0  # of the stretches that are drawn for an interval
STEADY_S = 0.1  # since the truth last changed, from which a sample counts as of a steady force
HELD_AFTER = 0.1  # [s] after a push in which a refusal is still the push's


class Recorder:
    """Feeds a GuardedEstimator and keeps what it said."""

    def __init__(self, subject):
        self.loop = antaeus.GuardedEstimator(subject.robot, subject.endpoints)
        self.time, self.state, self.read, self.force, self.covariance, self.alarm = [], [], [], [], [], []
        self.reasons, self.kind = {}, ""

    def __call__(self, observation):
        results = self.loop.update(observation)
        estimates = self.loop.estimates()
        self.time.append(observation.time)
        state, read, force, covariance, alarm = [], [], [], [], []
        for result, estimate in zip(results, estimates, strict=True):
            said = result.state
            state.append(OK if said == "ok" else DEGRADED if said == "degraded" else REFUSED)
            sign = 1.0 if result.sign == "on_robot" else -1.0
            read.append(sign * np.array(result.wrench.force))
            sign = 1.0 if estimate.sign == "on_robot" else -1.0
            force.append(sign * np.array(estimate.wrench.force))
            known = estimate.has_covariance
            covariance.append(np.array(estimate.uncertainty.covariance)[:3, :3] if known else np.full((3, 3), np.nan))
            alarm.append(known and not estimate.uncertainty.consistent())
            if state[-1] != OK:
                for reason in result.reasons:
                    self.reasons[reason] = self.reasons.get(reason, 0) + 1
        self.kind = str(estimates[0].residual_kind)
        for name, value in (("state", state), ("read", read), ("force", force), ("covariance", covariance),
                            ("alarm", alarm)):
            getattr(self, name).append(value)
        return [r for r in read]

    def arrays(self):
        return {name: np.array(getattr(self, name)) for name in
                ("time", "state", "read", "force", "covariance", "alarm")}


def eigen(covariance):
    """Variances and axes; NaN where there is no covariance."""
    known = np.isfinite(covariance).all(axis=(-2, -1))
    variance, axes = np.linalg.eigh(np.where(known[..., None, None], covariance, np.eye(3)))
    return known, np.maximum(variance, 1e-12), axes


def sums(found, happened, settled, period):
    """Of one run: a dict of numbers and lists that `merged` adds up."""
    after = found["time"] > settled
    state, read, force = found["state"][after], found["read"][after], found["force"][after]
    truth, pushed, time = happened.truth[after, :, :3], happened.pushed[after], found["time"][after]
    n, endpoints = state.shape
    error = force - truth
    known, variance, axes = eigen(found["covariance"][after])
    usable = known & (state != REFUSED) & np.isfinite(force).all(axis=2)
    error = np.where(usable[..., None], error, 0.0)
    along = np.einsum("nkij,nki->nkj", axes, error)
    squares = along**2 / variance
    whole = squares.sum(axis=2)
    observed = variance <= OBSERVED_SD**2
    dims = observed.sum(axis=2)
    limit = np.array([np.inf, *CHI_SQUARED_95])[dims]
    inside_observed = np.where(observed, squares, 0).sum(axis=2) < limit
    off = np.sqrt(np.where(observed, along**2, 0).sum(axis=2))
    lie = usable & (state == OK) & (whole >= CHI_SQUARED_95[2]) & (off > LIE)
    steady = unchanged(truth, time)
    sd = np.sqrt(np.einsum("nkii->nki", found["covariance"][after]))
    covered = abs(error) <= TWO_SIDED_95 * sd
    norm, size = np.linalg.norm(error, axis=2), np.linalg.norm(truth, axis=2)
    on = size > TOUCHED
    # A sample between pushes: nothing touches the endpoint. What still fades of the last one counts, as it is read.
    free = size == 0
    reading = np.linalg.norm(np.where(np.isfinite(read), read, 0.0), axis=2)
    bins = np.minimum(BINS - 1, (reading / BIN).astype(int))
    counts = lambda which: np.bincount(bins[which], minlength=BINS).tolist()
    result = {
        "samples": n, "estimates": n * endpoints, "seconds": n * period, "ok": int((state == OK).sum()),
        "degraded": int((state == DEGRADED).sum()), "refused": int((state == REFUSED).sum()),
        "usable": int(usable.sum()), "square": float((error**2).sum()), "worst": float(norm.max(initial=0.0)),
        "bias": float(max((np.linalg.norm(error[:, k].sum(axis=0) / max(1, usable[:, k].sum()))
                           for k in range(endpoints)), default=0.0)),
        "components": int(3 * usable.sum()), "covered": int(covered[usable].sum()),
        "judged": int((usable & (dims > 0)).sum()), "inside": int((inside_observed & usable & (dims > 0)).sum()),
        "nees": float(whole[usable].sum()), "free": int(free.sum()), "phantom_square": float((reading[free] ** 2).sum()),
        "phantom": float(reading[free].max(initial=0.0)), "lies": int(lie.sum()),
        "largest_lie": float(off[lie].max(initial=0.0)), "steady": int(steady.sum()),
        "steady_lies": int((lie & steady).sum()), "largest_steady_lie": float(off[lie & steady].max(initial=0.0)), "alarms": int(found["alarm"][after].sum()),
        "touched_bins": counts(on), "free_bins": counts(free),
    }  # fmt: skip
    blocks = ((time - settled) / BLOCK_S).astype(int)
    result["blocks"] = [[int(covered[blocks == b][usable[blocks == b]].sum()), int(3 * usable[blocks == b].sum())]
                        for b in range(blocks[-1] + 1 if n else 0)]  # fmt: skip
    result |= detections(happened.pushes, found["time"], found["read"], settled)
    result |= false_alarms(state, pushed, period)
    return result


def unchanged(truth, time):
    """[n, endpoints]: the force on the endpoint has been the same for STEADY_S."""
    moved = np.r_[np.zeros((1, truth.shape[1]), bool), np.any(np.diff(truth, axis=0) != 0, axis=2)]
    last = np.maximum.accumulate(np.where(moved, time[:, None], -math.inf), axis=0)
    return time[:, None] - last >= STEADY_S


def detections(pushes, time, read, settled):
    delays, seen, given = [], 0, 0
    for push in pushes:
        largest = np.linalg.norm(push.force)
        begins = push.half()
        if push.endpoint < 0 or largest < SEEN_FROM or begins < settled or push.end > time[-1]:
            continue
        # An impact's estimate comes after it: it is looked for a tenth of a second longer.
        during = (time >= begins) & (time < push.end + (HELD_AFTER if push.shape == "impact" else 0.0))
        if not during.any():
            continue
        given += 1
        found = read[during, push.endpoint] @ (push.force / largest) > largest / 2
        if found.any():
            seen += 1
            delays.append(float(time[during][np.argmax(found)] - begins))
    return {"pushes": given, "seen": seen, "delays": delays}


def false_alarms(state, pushed, period):
    """Times that the guard of a robot goes to refused while nothing pushes it; a refusal that comes within HELD_AFTER of
    a push is the push's. At the start too: a guard that refuses from the first sample on has gone there once."""
    refused = (state == REFUSED).any(axis=1)
    held = round(HELD_AFTER / period)
    near = pushed.copy()
    for at in np.flatnonzero(pushed[:-1] & ~pushed[1:]):
        near[at + 1 : at + 1 + held] = True
    rises = np.flatnonzero(refused & ~np.r_[False, refused[:-1]])
    return {"false_alarms": int((~near[rises]).sum()), "free_seconds": float((~near).sum() * period)}


LARGEST = {"worst", "phantom", "largest_lie", "largest_steady_lie", "bias"}


def merged(all_sums):
    """Of several runs."""
    result = {}
    for one in all_sums:
        for name, value in one.items():
            if name not in result:
                result[name] = list(value) if isinstance(value, list) else value
            elif name in LARGEST:
                result[name] = max(result[name], value)
            elif name in ("touched_bins", "free_bins"):
                result[name] = [a + b for a, b in zip(result[name], value, strict=True)]
            else:
                result[name] = result[name] + value
    return result


def poisson_bounds(count, hours):
    """95 % interval of a rate: of no event the upper bound is 3.7 an observed time."""
    if hours <= 0:
        return math.nan, math.nan
    quantile = antaeus.chi_squared_quantile
    low = quantile(0.025, 2 * count) / 2 if count else 0.0
    return low / hours, quantile(0.975, 2 * count + 2) / 2 / hours


def curve(touched, free):
    """AUC, and (threshold [N], share of touched samples above it, share of free ones)."""
    touched, free = np.array(touched, float), np.array(free, float)
    if not touched.sum() or not free.sum():
        return math.nan, []
    above = lambda counts: np.r_[counts[::-1].cumsum()[::-1], 0.0] / counts.sum()
    hit, false = above(touched), above(free)
    area = float(((hit[:-1] + hit[1:]) / 2 * (false[:-1] - false[1:])).sum())
    return area, [(limit, float(hit[round(limit / BIN)]), float(false[round(limit / BIN)])) for limit in THRESHOLDS]


def coverage_interval(blocks, draws=1000):
    """95 % interval of the coverage of components, by drawing stretches of a second anew."""
    blocks = np.array([b for b in blocks if b[1]], float)
    if not len(blocks):
        return math.nan, math.nan
    numbers = np.random.default_rng(5)
    chosen = blocks[numbers.integers(len(blocks), size=(draws, len(blocks)))].sum(axis=1)
    return tuple(float(x) for x in np.quantile(chosen[:, 0] / chosen[:, 1], (0.025, 0.975)))


def share(part, whole):
    return part / whole if whole else math.nan


def figures(total):
    """The table's numbers of merged sums; NaN where there is nothing to say."""
    hours = total["free_seconds"] / 3600
    low, high = poisson_bounds(total["false_alarms"], hours)
    area, points = curve(total["touched_bins"], total["free_bins"])
    covered_low, covered_high = coverage_interval(total["blocks"])
    usable = total["usable"]
    result = {
        "samples": total["estimates"], "minutes": total["seconds"] / 60, "ok": share(total["ok"], total["estimates"]),
        "degraded": share(total["degraded"], total["estimates"]), "refused": share(total["refused"], total["estimates"]),
        "rmse_N": math.sqrt(total["square"] / (3 * usable)) if usable else math.nan,
        "worst_N": total["worst"] if usable else math.nan, "bias_N": total["bias"] if usable else math.nan,
        "coverage": share(total["covered"], total["components"]), "coverage_low": covered_low,
        "coverage_high": covered_high, "ellipsoid": share(total["inside"], total["judged"]),
        "nees": share(total["nees"], usable),
        "phantom_rms_N": math.sqrt(total["phantom_square"] / total["free"]) if total["free"] else math.nan,
        "phantom_max_N": total["phantom"] if total["free"] else math.nan,
        "lies": share(total["lies"], total["estimates"]), "largest_lie_N": total["largest_lie"],
        "steady_lies": share(total["steady_lies"], total["steady"]),
        "largest_steady_lie_N": total["largest_steady_lie"],
        "delay_ms": 1000 * float(np.median(total["delays"])) if total["delays"] else math.nan,
        "pushes": total["pushes"], "seen": share(total["seen"], total["pushes"]),
        "false_alarms": total["false_alarms"], "free_hours": hours, "alarms_per_hour": share(total["false_alarms"], hours),
        "alarms_low": low, "alarms_high": high, "auc": area, "test_alarms": share(total["alarms"], total["estimates"]),
    }  # fmt: skip
    for limit in THRESHOLDS:
        at = next((point for point in points if point[0] == limit), (limit, math.nan, math.nan))
        result[f"roc_true_{limit:g}N"], result[f"roc_false_{limit:g}N"] = at[1], at[2]
    return result


def detectable_sizes(loop, motors):
    """Of the undisturbed robot, before the run: the smallest torque error of each motor that a row's test finds with
    80 % power at 0.1 % false alarms [N·m], the least over endpoints; infinite where none does."""
    least = np.full(motors, math.inf)
    for one in loop.reliability():
        bias = np.array(one.minimal_detectable_bias, float)
        if len(bias) == motors:
            least = np.fmin(least, np.where(np.isfinite(bias), bias, math.inf))
    return least


SQRT_LAMBDA = 4.13  # noncentrality at the detectable size: 0.1 % false alarms, 80 % power (Baarda)
CRITICAL = 3.29


def power(size, detectable):
    """Of the test of a row by itself, of a torque error of that size."""
    if not math.isfinite(detectable):
        return 0.001
    shift = SQRT_LAMBDA * abs(size) / detectable
    normal = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
    return normal(shift - CRITICAL) + normal(-shift - CRITICAL)


def listed(sizes, detectable):
    """Says `detectable`, `undetectable` or `–`: by the reliability numbers alone, before the run. Of several faults the
    easiest to find counts. A fault at the detectable size has a power of 0.8; at half that size it is below 0.2."""
    most = max((abs(size) / limit for size, limit in zip(sizes, detectable, strict=True) if size), default=None)
    return "–" if most is None else "detectable" if most >= 1 else "undetectable"
