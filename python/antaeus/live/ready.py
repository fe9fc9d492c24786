"""`antaeus watch … --ready`: may what reads the forces be switched on?

Ten seconds at rest and a small motion, then go, or no go with the reasons.
"""

import dataclasses
import math
import os
import pathlib
import threading
import time
import typing
from collections.abc import Callable

import numpy as np

from antaeus._terminal import printable
from antaeus.formats import ownership
from antaeus.live.events import bits_of
from antaeus.live.set_up import _OF_THE_STREAM, LastSamples, suspected_motors

REST = 10.0  # s at rest
MOVE = 0.05  # rad or m by which a joint has moved
_ASKED = 0.1  # rad or m that is asked for: from there on the check judges torques (check.least_motion)
_LEAST_MOTION = 5.0  # s of motion that the check is given: it judges torques from 3 s on
_PATIENCE_STREAM = 10.0  # s until the first sample
_PATIENCE_REST = 60.0  # s in which ten at rest must be had
_PATIENCE_MOVE = 30.0  # s for all joints to have moved
_PATIENCE_TARE = 10.0  # s beyond the tare's own duration
_SPEED_WINDOW = 0.2  # s over which positions tell a speed: at 0.05 rad/s that is 0.01 rad, above the steps of encoders
_STILL = 0.05  # rad/s, as residual.tare_still
_LOSS = (0.001, 0.01)  # share of samples lost from which there is a reservation, and no go
_JITTER = 0.5  # of a period, 99th percentile of the deviation between samples, from which there is a reservation
_SILENCES = 1  # longer than live.silence; more are no go
_LEAST_RATE = 200.0  # Hz, as residual.minimum_rate
_MOST_SAMPLES = 6000  # that the check of the set-up is given: it is made once, and nothing waits
_FALSE_NO_GO = 1e-3  # of a noise test of one joint of a robot whose noise is as stated
_GUESS = 2.0  # by which a robot may be louder than figures that nobody identified, with a reservation: they are a guess
_OFFSET = 3.29  # sds of the stated doubt: one in 1000 of a normal error


@dataclasses.dataclass(frozen=True)
class Checked:
    """One check: "go", "reservation" or "no go"."""

    name: str
    verdict: str
    words: str
    """What was found, one sentence."""
    remedy: str = ""
    numbers: dict[str, typing.Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class ReadyResult:
    """Go, or no go, and why."""

    robot: str
    source: str
    endpoints: tuple[str, ...]
    checks: tuple[Checked, ...]

    @property
    def go(self) -> bool:
        """Nothing speaks against it; reservations are named."""
        return all(check.verdict != "no go" for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0: go, 1: no go."""
        return 0 if self.go else 1

    def as_json(self) -> dict[str, typing.Any]:
        """Plain values; numbers that are not finite are None."""
        return typing.cast("dict[str, typing.Any]", _plain(self._values()))

    def _values(self) -> dict[str, typing.Any]:
        return {"schema": "antaeus.ready/1", "robot": self.robot, "source": self.source, "endpoints": list(self.endpoints), "go": self.go,
                "checks": [dataclasses.asdict(check) for check in self.checks]}

    def __str__(self) -> str:
        lines = [f"{'GO' if self.go else 'NO GO'}: {self.robot}, {self.source}"]
        for check in self.checks:
            lines.append(f"  {check.verdict:11} {check.name}: {check.words}" + (f"; {check.remedy}" if check.remedy else ""))
        return "\n".join(map(printable, lines))

    def page(self) -> typing.Any:
        """antaeus.Page of it; `save` writes .html or .json."""
        import antaeus

        against = [check for check in self.checks if check.verdict == "no go"]
        doubts = [check for check in self.checks if check.verdict == "reservation"]
        page = antaeus.Page(f"{self.robot}: {'go' if self.go else 'no go'}", kicker="Before it is enabled", subtitle=self.source,
                            badge="go" if self.go else "no go", badge_tone="green" if self.go else "vermillion", summary=self.as_json())
        page.answer("May the wrench's consumer be switched on?",
                    ("Yes." if self.go else "No: " + " ".join(_sentence(check) for check in against)),
                    *([f"With {len(doubts)} reservation{'s' * (len(doubts) > 1)}: " + " ".join(_sentence(check) for check in doubts)]
                      if doubts else []))
        page.section("checks", "What was checked")
        page.table(["check", "result", "what was found", "remedy"],
                   [[check.name, check.verdict, check.words, check.remedy] for check in self.checks],
                   marks=["failed" if check.verdict == "no go" else "strong" if check.verdict == "reservation" else ""
                          for check in self.checks])
        noise = next((check.numbers for check in self.checks if check.name == "noise"), {})
        if noise.get("joints"):
            page.section("noise", "Torques at rest against what the profile states")
            page.table(["joint", "#mean [N·m]", "#sd [N·m]", "#stated sd [N·m]", "#independent samples"],
                       [[one["joint"], one["mean"], one["sd"], one["stated"], one["independent"]] for one in noise["joints"]])
        return page


def _sentence(check: Checked) -> str:
    text = f"{check.name}: {check.words}" + (f"; {check.remedy}" if check.remedy else "")
    return text.rstrip(".") + "."


def _plain(value: typing.Any) -> typing.Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


# ---- One check each: of numbers that were gathered ------------------------------------------------------------------------------------


def check_stream(times: np.ndarray, facts: typing.Any, lost: int, seconds: float) -> Checked:
    """Rate, loss and jitter. times: [N] s of samples that follow each other; lost: while `seconds` passed."""
    steps = np.diff(times[np.isfinite(times)])
    steps = steps[steps > 0]
    if not len(steps):
        return Checked("stream", "no go", "its samples have no clock", "send a time stamp with each sample")
    period = float(np.median(steps))
    jitter = float(np.percentile(np.abs(steps - period), 99)) / period
    share = lost / max(1, len(times) + lost)
    numbers = {"rate": 1 / period, "jitter": jitter, "lost": lost, "share_lost": share, "seconds": seconds, "silences": int(facts.silences),
               "undecodable": int(facts.undecodable), "clock_jumps": int(facts.clock_jumps)}
    words = f"{1 / period:.0f} samples per second, {lost} lost in {seconds:.0f} s, 99 % within {100 * jitter:.0f} % of a period"
    words += f", silent {facts.silences} times" if facts.silences else ""
    words += f", its clock jumped {facts.clock_jumps} times" if facts.clock_jumps else ""
    if share > _LOSS[1] or facts.silences > _SILENCES or facts.clock_jumps:
        return Checked("stream", "no go", words, "fix the connection: wire before radio, a queue that is deep enough", numbers)
    if 1 / period < _LEAST_RATE:
        return Checked("stream", "reservation", words + f": below {_LEAST_RATE:.0f} a second accelerations are not differenced, "
                       "and a robot in motion is degraded", "send more samples per second", numbers)
    if share > _LOSS[0] or jitter > _JITTER or facts.silences:
        return Checked("stream", "reservation", words, "fix the connection, or send the stamp of the measurement", numbers)
    return Checked("stream", "go", words, "", numbers)


def check_channels(block: typing.Any, robot: typing.Any) -> Checked:
    """What the stream does not carry, and what that costs this robot."""

    def there(name: str) -> bool:
        values = np.asarray(getattr(block, name))
        return bool(values.size and np.isfinite(values).any())

    lacks = []
    if not there("dq"):
        lacks.append("no velocities: motion cannot be distinguished from a contact")
    floating = "free" in str(robot.model.base()) or "float" in str(robot.model.base())
    if floating and not there("imu_quat"):
        lacks.append("no orientation of the base, which counts as upright")
    if floating and not (there("imu_gyro") and there("imu_acc")):
        lacks.append("no gyro and accelerometer: a residual in motion is static")
    if lacks:
        return Checked("channels", "reservation", "; ".join(lacks), "send them, or read the forces at rest alone", {"lacks": lacks})
    return Checked("channels", "go", "all that this robot's estimator uses" +
                   ("" if floating else "; a base that is bolted down needs no IMU"))


def check_set_up(robot: typing.Any, last: LastSamples) -> tuple[Checked, list[tuple[str, list[int]]]]:
    """What `antaeus check` finds; and what the estimator is to suspect: reason and motors."""
    import antaeus

    try:
        result = antaeus.check(last.episode(robot), robot)
    except ValueError as error:
        return Checked("set-up", "no go", " ".join(str(error).split())), []
    serious = [one for one in result.serious if str(one.fault) not in _OF_THE_STREAM]
    suspects = [("set_up_suspect", list(suspected_motors(one, robot))) for one in serious if one.severity == "error"]
    numbers = {"findings": [{"fault": str(one.fault), "severity": str(one.severity), "text": one.text, "remedy": one.remedy}
                            for one in serious], "torques_judged": bool(result.torques_judged), "seconds": last.seconds()}
    if serious:
        worst = serious[0]
        return Checked("set-up", "no go" if suspects else "reservation", " ".join(one.text for one in serious[:3]), worst.remedy,
                       numbers), suspects
    if not result.torques_judged:
        return Checked("set-up", "reservation", "channels are right; torques were not judged, since too few joints moved by 0.1",
                       "move more joints, farther", numbers), []
    return Checked("set-up", "go", "the stream agrees with the profile", "", numbers), []


def check_pose(robot: typing.Any, endpoints: typing.Sequence[str], q: np.ndarray, quaternion: np.ndarray | None) -> Checked:
    """The pre-flight of the pose at rest. q: [M] motor positions; quaternion: x y z w of the IMU, or None."""
    import antaeus

    try:
        report = antaeus.preflight(robot, list(endpoints), q, imu_quaternion_xyzw=quaternion)
    except ValueError as error:
        return Checked("pose", "no go", " ".join(str(error).split()))
    failed = [check for check in [*report.checks, *report.sd_checks, *report.conditioning_checks] if not check.passed]
    numbers = {"failed": [{"kind": str(check.kind), "subject": check.subject, "value": check.value, "limit": check.limit}
                          for check in failed],
               "notes": list(report.notes)}
    if failed:
        first = failed[0]
        return Checked("pose", "no go", "; ".join(f"{check.kind} of {check.subject} is {check.value:.3g}, its limit {check.limit:.3g}"
                                                  for check in failed[:4]),
                       f"move {first.subject} to another pose: antaeus preflight --robot {robot.profile.name} names one", numbers)
    return Checked("pose", "go", "every endpoint's force can be determined here" + (f" ({report.notes[0]})" if report.notes else ""), "", numbers)


def independent_samples(values: np.ndarray) -> float:
    """How many independent samples N correlated ones are worth, for their variance: N / (1 + 2 Σ ρ²), summed to the first ρ below 0.05 (its
    square is then below what N = 1000 samples tell)."""
    count = len(values)
    centred = values - values.mean()
    power = float(centred @ centred)
    if count < 3 or power == 0.0:
        return float(count)
    size = 1 << (2 * count - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(centred, size)) ** 2
    correlation = np.fft.irfft(spectrum, size)[:count] / power
    below = np.flatnonzero(correlation < 0.05)
    last = int(below[0]) if len(below) else count
    return max(1.0, count / (1.0 + 2.0 * float(np.sum(correlation[1:last] ** 2))))


def check_noise(robot: typing.Any, residual: np.ndarray, stated: np.ndarray) -> Checked:
    """Residuals at rest [N × M], N·m, against the sd that the estimator states of them [N × M]: their spread by χ², with as many degrees
    of freedom as there are independent samples; their mean as one draw of the stated error."""
    import antaeus

    names = list(robot.model.motor_names())
    joints, loud, off = [], [], []
    for motor, name in enumerate(names):
        rows = np.isfinite(residual[:, motor]) & np.isfinite(stated[:, motor]) & (stated[:, motor] > 0)
        values = residual[rows, motor]
        if len(values) < 100:
            continue
        sd, mean, sigma = float(values.std()), float(values.mean()), float(np.median(stated[rows, motor]))
        worth = independent_samples(values)
        freedom = max(1.0, worth - 1.0)
        limit = sigma * math.sqrt(antaeus.chi_squared_quantile(1 - _FALSE_NO_GO / len(names), freedom) / freedom)
        joints.append({"joint": name, "mean": mean, "sd": sd, "stated": sigma, "independent": worth, "limit": limit})
        if sd > limit:
            loud.append((sd / sigma, f"{name} {sd:.3g} N·m where {sigma:.3g} is stated"))
        if abs(mean) > _OFFSET * sigma:
            off.append((abs(mean) / sigma, f"{name} {mean:+.3g} N·m where {sigma:.3g} is stated"))
    numbers = {"joints": joints}
    if not joints:
        return Checked("noise", "reservation", "no residual at rest to compare", "hold the robot still for ten seconds", numbers)
    if loud:
        worst = max(loud)[0]
        guessed = robot.profile.noise is None and worst <= _GUESS
        return Checked("noise", "reservation" if guessed else "no go", "torques are louder than the profile " +
                       ("assumes: " if robot.profile.noise is None else "states: ") + ", ".join(text for _, text in sorted(loud)[::-1][:4]),
                       "use antaeus identify on a contact-free log" if guessed else
                       "find what shakes, or use antaeus identify on a contact-free log", numbers)
    if off:
        return Checked("noise", "reservation", "torques are off by more than the profile states: " +
                       ", ".join(text for _, text in sorted(off)[::-1][:4]), "the tare takes it out in this pose; antaeus identify in all",
                       numbers)
    stands_on = "assumes" if robot.profile.noise is None else "was identified with"
    return Checked("noise", "go", f"{len(joints)} joints within what the profile {stands_on}", "", numbers)


def check_tare(state: str, motors: typing.Sequence[str]) -> Checked:
    """Of what begin_tare began at rest: a TareState."""
    if state == "holding":
        return Checked("tare", "go", f"what {len(motors)} torques read without contact is subtracted")
    why = "samples did not suffice for it" if state in ("none", "collecting") else (
        f"{state}: there is contact, the robot moved, torques drifted, or an offset is too large for its drive")
    return Checked("tare", "no go", why, "keep the robot still and without contact, and begin again")


# ---- The course of it ------------------------------------------------------------------------------------------------------------------


class _Reader:
    """Blocks of the estimator one after the other, until it is told to stop."""

    def __init__(self, estimator: typing.Any, stop: Callable[[], bool]) -> None:
        self._estimator, self._stop, self._next = estimator, stop, 0

    def block(self) -> typing.Any | None:
        """What came since the last call, after at most a tenth of a second; None: nothing."""
        self._estimator.wait(self._next, 0.1)
        block = self._estimator.read(self._next, 20000)
        if not len(block.time):
            return None
        self._next = block.first + len(block.time)
        return block

    def ended(self) -> bool:
        return self._stop() or str(self._estimator.facts().stream) == "ended" and self._estimator.count() <= self._next


class _Stillness:
    """How long positions have been at rest: by their change over a window, since not every robot sends velocities, and not all in rad/s."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._places: list[np.ndarray] = []
        self.since = math.nan
        self.fastest, self.speed = -1, 0.0

    def add(self, time_: float, q: np.ndarray) -> None:
        if self._times and time_ < self._times[-1]:
            self._times.clear()
            self._places.clear()
            self.since = math.nan
        self._times.append(time_)
        self._places.append(q)
        if not math.isfinite(self.since):
            self.since = time_
        while len(self._times) > 2 and time_ - self._times[1] >= _SPEED_WINDOW:
            self._times.pop(0)
            self._places.pop(0)
        span = time_ - self._times[0]
        if span < 0.5 * _SPEED_WINDOW:
            return
        speeds = np.abs(q - self._places[0]) / span
        speeds = np.where(np.isfinite(speeds), speeds, 0.0)
        self.fastest = int(np.argmax(speeds))
        self.speed = float(speeds[self.fastest])
        if self.speed > _STILL:
            self.since = time_


def run_ready(source: typing.Any, robot: typing.Any, endpoints: list[str] | tuple[str, ...] = (), *, speed: float = 1.0,
              stopping: threading.Event | None = None, out: str | os.PathLike[str] | None = None,
              told: Callable[[str], None] = lambda line: None, seconds: float | None = None) -> ReadyResult:
    """What `antaeus watch … --ready` does: listens to the source, judges, and writes report.html and summary.json into `out`.

    source, robot, endpoints, speed: as Watch takes them. stopping: ends it, as do `seconds`, without a go. told: gets what is asked of
    whoever stands beside the robot, one line each. Raises ValueError or OSError, one line, for what cannot be heard or written.
    """
    from antaeus.live.watching import Watch

    written = [] if out is None else [pathlib.Path(out) / name for name in ("report.html", "summary.json")]
    ownership.require_own(written, "name another folder with --out")
    watching = Watch(source, robot, endpoints, speed=speed)
    stopping = stopping or threading.Event()
    watching.stopping = threading.Event()  # of the source, which ends with this
    receiver = threading.Thread(target=watching._receive, name="source", daemon=True)
    until = math.inf if seconds is None else time.monotonic() + seconds
    watching.estimator.start()
    receiver.start()
    try:
        result = judge_stream(watching.estimator, watching.robot, watching.endpoints, source=watching.address, say=told,
                              stop=lambda: stopping.is_set() or time.monotonic() > until)
    finally:
        watching.stopping.set()
        receiver.join(timeout=3.0)
        watching.estimator.stop()
    if watching._failure is not None and watching.estimator.count() == 0:
        raise watching._failure
    for file in written:
        result.page().save(file)
    return result


def judge_stream(estimator: typing.Any, robot: typing.Any, endpoints: typing.Sequence[str], *, source: str = "",
                 say: Callable[[str], None] = lambda line: None, stop: Callable[[], bool] = lambda: False,
                 rest: float = REST) -> ReadyResult:
    """Asks for rest and for a small motion, and judges what it saw.

    Args:
        estimator: a LiveEstimator that has been started: count, wait, read, facts, begin_tare, tare, suspect.
        robot: antaeus.Robot.
        endpoints: frames.
        source: its address, for the result.
        say: is called with what is asked of whoever stands beside the robot, one line each.
        stop: is asked now and then; true ends it, without a go.
        rest: s at rest.

    Takes 18 to 110 s. A source that ends before all was seen is no go.
    """
    reader, motors = _Reader(estimator, stop), list(robot.model.motor_names())
    last = LastSamples(rest + _PATIENCE_MOVE, _MOST_SAMPLES)
    still, blocks = _Stillness(), []
    checks: list[Checked] = []

    def result() -> ReadyResult:
        return ReadyResult(robot.profile.name, source, tuple(endpoints), tuple(checks))

    def keep(block: typing.Any) -> float:
        last.add(block)
        clock = _clock(block)
        # Some forty a second tell whether it moves.
        for at in range(0, len(clock), max(1, len(clock) // 4)):
            still.add(float(clock[at]), np.asarray(block.q[at]))
        return float(clock[-1])

    say("hold still, without contact")
    begun, now, first = time.monotonic(), math.nan, None
    while True:
        block = None if stop() else reader.block()
        if block is None:
            if reader.ended() or (first is None and time.monotonic() - begun > _PATIENCE_STREAM):
                what = estimator.facts().last_problem
                checks.append(Checked("stream", "no go", "it ended before ten seconds at rest were seen" if first is not None else
                                      "no sample came" + (f": {what}" if what else f" within {_PATIENCE_STREAM:.0f} s"),
                                      "see that the robot publishes, and where"))
                return result()
            continue
        if first is None:
            first, lost_before = float(_clock(block)[0]), int(estimator.facts().lost)
        now = keep(block)
        blocks.append(block)
        blocks = [one for one in blocks if _clock(one)[-1] >= still.since and one.epoch[-1] == block.epoch[-1]]
        if now - still.since >= rest:
            break
        if now - first > _PATIENCE_REST:
            checks.append(Checked("rest", "no go", f"it did not stand still for {rest:.0f} s: {motors[still.fastest]} moved last, at "
                                  f"{still.speed:.2g} rad/s or m/s", "hold it, and begin again"))
            return result()
    checks.append(check_channels(blocks[-1], robot))
    q = np.concatenate([one.q for one in blocks]).mean(axis=0)
    orientation = np.asarray(blocks[-1].imu_quat)
    quaternion = None
    if orientation.size and np.isfinite(orientation[-1]).all():
        episode = last.episode(robot)  # read as the profile says: order and sense
        quaternion = episode.imu_quaternion[-1] if episode.has_imu() else None
    checks.append(check_pose(robot, endpoints, q, quaternion))
    settled = np.concatenate([~_settling(one) for one in blocks])
    checks.append(check_noise(robot, np.concatenate([one.residual for one in blocks])[settled],
                              np.concatenate([one.residual_sd for one in blocks])[settled]))

    estimator.begin_tare()
    begun = now
    while str(estimator.tare()) in ("none", "collecting") and now - begun < _PATIENCE_TARE:
        block = reader.block()
        if block is not None:
            now = keep(block)
        elif reader.ended():
            break
    checks.append(check_tare(str(estimator.tare()), motors))

    say(f"now move a little: each joint by {_ASKED} rad or m and back, within {_PATIENCE_MOVE:.0f} s")
    low, high, begun, moving = q.copy(), q.copy(), now, math.inf
    while now - begun < _PATIENCE_MOVE and not ((high - low >= _ASKED).all() and now - moving >= _LEAST_MOTION):
        block = None if stop() else reader.block()
        if block is None:
            if reader.ended():
                break
            continue
        now = keep(block)
        with np.errstate(invalid="ignore"):
            low, high = np.fmin(low, np.nanmin(block.q, axis=0)), np.fmax(high, np.nanmax(block.q, axis=0))
        if (high - low >= MOVE).any():
            moving = min(moving, now)
    stuck = [name for name, moved in zip(motors, high - low) if not moved >= MOVE]
    if len(stuck) == len(motors):
        checks.append(Checked("motion", "reservation", "nothing moved: signs, order and units of torques are not judged",
                              f"move each joint by {MOVE} and more"))
    elif stuck:
        named = ", ".join(stuck[:8]) + (f" and {len(stuck) - 8} more" if len(stuck) > 8 else "")
        checks.append(Checked("motion", "reservation", f"these did not move by {MOVE}: {named}", "their torques were not checked",
                              {"not_moved": stuck}))
    else:
        checks.append(Checked("motion", "go", f"all {len(motors)} joints moved"))
    found, suspects = check_set_up(robot, last)
    for reason, which in suspects:
        estimator.suspect(reason, which)
    checks.append(found)
    facts = estimator.facts()
    times = np.concatenate([_clock(one) for one in last.blocks()])
    checks.append(check_stream(times, facts, int(facts.lost) - lost_before, now - first))
    return result()


def _settling(block: typing.Any) -> np.ndarray:
    """Whether filters have not seen enough yet: what they give then is their start's, not the robot's [N]."""
    return np.asarray((np.asarray(block.reasons) & np.uint64(bits_of(("settling",)))).any(axis=1))


def _clock(block: typing.Any) -> np.ndarray:
    """Of the estimator; the receiver's where the stream has none."""
    times = np.asarray(block.time)
    return times if np.isfinite(times[-1]) else np.asarray(block.received)
