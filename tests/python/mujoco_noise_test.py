"""Identified noise against the truth of MuJoCo: does an estimate lie where its doubt says, before and after?

Robots are drawn: masses, centres, friction of each joint up to the profile's bound, viscous friction, IMU. Each moves
its arms freely for a minute; from that log its noise is identified (fit_moving, by identified_noise.cpp).
Then it does other things: it is pushed, shaken, and swings its arms. One robot in `make test`; ANTAEUS_SOAK=1 (`make
soak`) judges all of them. Seeds 0 … 5 are those that bars were chosen on, 100 and more were held back.
"""

import collections
import dataclasses
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import antaeus
import mujoco_truth_test as truth
import numpy as np
import pytest
from support import tolerance

PRIOR_SD = 20.0  # [N] of each component of a wrist's force (ContactPrior)
DETERMINED = 0.64  # 1 − C/P₀ from which the data say more than the prior: sd 12 N
TWO_SIDED_95 = 1.959963984540054
VISCOUS = (("wrist", 0.05), ("elbow", 0.15), ("", 0.2))  # [N·m·s/rad], by the first match, as docs/validation.md#study-behind-the-defaults
TORQUE_SD = (0.2, 0.5, 1.0)  # [N·m] of single samples, one robot after the other; arms half
VELOCITY_SD, POSITION_SD = 0.01, 2e-5  # [rad/s], [rad]
LEARNING = 60.0  # [s]
LOOP = ("low_pass=15",)  # rows as the loop's residual forms them
BLOCK = 1.0  # [s] of a stretch that is drawn as one


def by_name(names, table):
    return np.array([next(value for part, value in table if part in name) for name in names])


# --- motions ---------------------------------------------------------------------------------------------------------
def waves(names, sizes, rates, phase):
    """Sines about the pose: sizes [rad] by joint, the i-th at rates[0] + rates[1] i Hz, grown within a second."""
    amplitude = by_name(names, (*sizes, ("", 0.0)))
    angle = 2 * math.pi * (rates[0] + rates[1] * (np.arange(len(names)) % 15))
    start = phase + 2.4 * np.arange(len(names))
    return lambda t: min(1.0, t) * amplitude * np.sin(angle * t + start)


def free_motion(names, phase):
    """What the noise is learnt from: slow and quick sines, elbows between straight and bent, the torso too."""
    wide = (("shoulder_pitch", 0.5), ("shoulder_roll", 0.3), ("shoulder_yaw", 0.5), ("elbow", 0.7), ("wrist", 0.5),
            ("torso", 0.25))
    middle = by_name(names, (("shoulder_pitch", -0.15), ("elbow", 0.7), ("", 0.0)))
    slow, quick = waves(names, wide, (0.11, 0.013), phase), waves(names, [(n, 0.3 * s) for n, s in wide],
                                                                   (0.53, 0.031), 1 + phase)
    return lambda t: min(1.0, t / 2) * middle + slow(t) + quick(t)


def swinging(names, size):
    sizes = (("shoulder", size), ("elbow", size), ("wrist", size))
    return waves(names, sizes, (0.41, 0.043), 0.7)


SWING = {"zero": 0.3, "arm_waist_target": 0.15}  # [rad]
REGIMES = ("rest", "shaken", "swinging")  # all pushed
FREE = "shaken, free"  # the study's dyn: nobody pushes
POSES = ("zero", "arm_waist_target")


def scenario(robot, pose, regime):
    names = robot.model.motor_names()
    targets = swinging(names, SWING[pose]) if regime == "swinging" else None
    return truth.Scenario(pose, regime in ("shaken", FREE), () if regime == FREE else truth.PUSHES, 6.0, targets)


# --- robots ----------------------------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True)
class Fault:
    """What is wrong with a robot beyond what is drawn: what docs/validation.md#against-mujoco calls lies."""

    coulomb: float = 1.0  # times the friction that was drawn; the draw's own bound is the profile's
    full_friction: bool = False  # every joint at the bound
    offsets: tuple = ()  # (part of the joint's name, N·m) that the torque channel reads too much
    delay: float = 0.0  # [s] of the torque channel


class Plant:
    """One simulated robot and its sensors."""

    def __init__(self, robot, seed, fault=Fault()):
        self.robot, self.seed, self.fault = robot, seed, fault
        names = robot.model.motor_names()
        draw = np.random.default_rng([seed, 1])
        share = draw.uniform(0, 1, len(names))
        if fault.full_friction:
            share = np.ones(len(names))
        self.rough = dataclasses.replace(truth.Rough(), friction=fault.coulomb * share, viscous=by_name(names, VISCOUS))
        legs = by_name(names, (("wrist", 0.5), ("elbow", 0.5), ("shoulder", 0.5), ("", 1.0)))
        self.torque_sd = TORQUE_SD[seed % 3] * legs
        self.offset = by_name(names, (*fault.offsets, ("", 0.0)))

    def run(self, what, stream):
        """A log, and what the sensors made of it."""
        log = truth.simulate(self.robot, self.rough, what, np.random.default_rng([self.seed, 2]))
        noise = np.random.default_rng([self.seed, 3, stream])
        late = round(self.fault.delay / (log.time[1] - log.time[0]))
        tau = log.tau[np.maximum(0, np.arange(len(log.time)) - late)]
        normal = lambda channel, sd: channel + sd * noise.normal(size=channel.shape)
        return log, dict(q=normal(log.q, POSITION_SD), v=normal(log.v, VELOCITY_SD),
                         tau=normal(tau, self.torque_sd) + self.offset, gyro=normal(log.gyro, self.rough.gyro_sd),
                         force=normal(log.force, self.rough.accelerometer_sd) + self.rough.accelerometer_bias)


# Of a log. error, sd [n, 2, 3]; inside [n, 2]: the 95 % ellipsoid; lying [n, 2]: the study's "lie". determined
# [n, 2, 3]: the error in directions of sd up to 12 N; blind [n, 2, 3]: in the others, each over what the estimate says
# of its own noise there.
Run = collections.namedtuple("Run", "time steady error sd inside lying determined blind")
Found = collections.namedtuple("Found", "said shift notes")


def write_log(folder, log, seen):
    folder.mkdir(parents=True)
    for name, channel in (("time", log.time), ("qpos", seen["q"]), ("tau", seen["tau"]), ("dq", seen["v"]),
                          ("imu_quat_xyzw", log.quaternion), ("imu_gyro", seen["gyro"]), ("imu_acc", seen["force"])):
        np.save(folder / f"{name}.npy", channel)


def learn(plant, folder, logs, options):
    """Identifies the robot from a minute of free motion and runs the estimator over other logs."""
    names = plant.robot.model.motor_names()
    what = truth.Scenario("zero", False, (), LEARNING, free_motion(names, 0.3 * plant.seed))
    write_log(folder / "learnt", *plant.run(what, 99))
    words = [plant.robot.profile.file, folder / "learnt", *options, "--", *logs]
    done = subprocess.run([os.environ["ANTAEUS_IDENTIFIED_NOISE"], *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    shift = next([float(word) for word in line.split()[1:]] for line in lines if line.startswith("shift"))
    return Found(done.stdout, shift, [line for line in lines if line.startswith("note")])


def judge(file, log):
    """What the default chain made of a log."""
    table = np.load(file).reshape(len(log.time), 2, 14)
    force, C = table[..., :3], table[..., 3:12].reshape(-1, 2, 3, 3)
    error = force - log.push
    variance, axes = np.linalg.eigh(C)
    along = np.einsum("nwij,nwi->nwj", axes, error)
    inside = np.sum(along ** 2 / variance, axis=2) < truth.CHI_SQUARED_95
    seen = variance <= PRIOR_SD ** 2 * (1 - DETERMINED)
    observable = np.sqrt(np.sum(np.where(seen, along, 0) ** 2, axis=2))
    ok, degraded, nis_is_quiet = table[..., 12] == 0, table[..., 12] == 1, table[..., 13] == 1
    # With no contact, ŵ = K r has the covariance K R Kᵀ = C − C P₀⁻¹ C.
    own_noise = np.sqrt(variance * (1 - variance / PRIOR_SD ** 2))
    return Run(log.time, log.steady, error, np.sqrt(np.einsum("nwii->nwi", C)), inside,
               (ok | degraded & nis_is_quiet) & ~inside & (observable > 5),
               np.einsum("nwij,nwj->nwi", axes, np.where(seen, along, 0)), np.where(seen, np.nan, along / own_noise))


def rmse(runs, part="error"):
    """x, y, z over both wrists, all samples from 1 s on, onsets of pushes included."""
    errors = np.concatenate([getattr(run, part)[run.time > truth.SETTLED] for run in runs])
    return np.sqrt(np.mean(errors ** 2, axis=(0, 1)))


Coverage = collections.namedtuple("Coverage", "share low high count sd whole")


def coverage(runs, determined=True, seed=5):
    """Share of components whose truth lies within 1.96 sd, on steady samples, with an interval of 95 % by drawing runs
    anew and blocks of a second within them; their median sd [N]; share of steady components that are of this kind."""
    blocks, sds, of_kind, all_of = [], [], 0, 0
    for run in runs:
        chosen = (1 - run.sd ** 2 / PRIOR_SD ** 2 >= DETERMINED) == determined
        held = abs(run.error) <= TWO_SIDED_95 * run.sd
        of_run = []
        for start in np.arange(truth.SETTLED, run.time[-1], BLOCK):
            part = run.steady & (run.time >= start) & (run.time < start + BLOCK)
            all_of += 6 * part.sum()
            if chosen[part].any():
                of_run.append((held[part][chosen[part]].sum(), chosen[part].sum()))
                sds.append(run.sd[part][chosen[part]])
        if of_run:
            blocks.append(np.array(of_run, dtype=float))
    if not blocks:
        return Coverage(math.nan, math.nan, math.nan, 0, math.nan, 0.0)
    total = sum(b.sum(axis=0) for b in blocks)
    draw = np.random.default_rng(seed)
    drawn = []
    for _ in range(1000):
        parts = [blocks[i] for i in draw.integers(len(blocks), size=len(blocks))]
        sums = sum(b[draw.integers(len(b), size=len(b))].sum(axis=0) for b in parts)
        drawn.append(sums[0] / sums[1])
    return Coverage(total[0] / total[1], *np.quantile(drawn, (0.025, 0.975)), int(total[1]),
                    float(np.median(np.concatenate(sds))), total[1] / all_of)


Study = collections.namedtuple("Study", "before after found")


def study(robot, seeds, fault=Fault(), poses=POSES, regimes=REGIMES, options=LOOP):
    """before, after: (pose, regime) → runs, one a seed; with the profile's figures and with what was identified."""
    before, after, found = collections.defaultdict(list), collections.defaultdict(list), []
    for seed in seeds:
        plant = Plant(robot, seed, fault)
        with tempfile.TemporaryDirectory() as folder:
            logs = {}
            for pose, regime in ((p, r) for p in poses for r in regimes):
                recorded = pathlib.Path(folder) / f"{pose}-{regime}"
                log, seen = plant.run(scenario(robot, pose, regime), len(logs))
                write_log(recorded, log, seen)
                logs[pose, regime] = recorded, log
            found.append(learn(plant, pathlib.Path(folder), [recorded for recorded, _ in logs.values()], options))
            for case, (recorded, log) in logs.items():
                before[case].append(judge(recorded / "figures.npy", log))
                after[case].append(judge(recorded / "identified.npy", log))
    return Study(before, after, found)


def of_regime(runs_of, regime):
    return [run for (_, r), runs in runs_of.items() if r == regime for run in runs]


def lying(runs):
    return np.mean(np.concatenate([run.lying[run.steady] for run in runs]))


def print_study(result):
    for name, runs_of in (("figures", result.before), ("identified", result.after)):
        for regime in REGIMES:
            runs = of_regime(runs_of, regime)
            if not runs:
                continue
            one, other = coverage(runs), coverage(runs, determined=False)
            ball = np.mean(np.concatenate([r.inside[r.steady] for r in runs]))
            print(f"{name:11}{regime:9} {100 * one.share:5.1f} ({100 * one.low:.1f} … {100 * one.high:.1f})"
                  f"  sd {one.sd:4.1f}  of {100 * one.whole:3.0f} %; "
                  f"other {100 * other.share:5.1f} ({100 * other.low:.1f} … "
                  f"{100 * other.high:.1f}) sd {other.sd:4.1f}; 3-D {100 * ball:5.1f}; "
                  f"lies {100 * lying(runs):4.1f} %")
        for (pose, regime), runs in runs_of.items():
            x, y, z = rmse(runs)
            shares = " ".join(f"{100 * coverage([run]).share:3.0f}" for run in runs)
            print(f"{name:11}{pose:17}{regime:13} rmse {x:4.1f} {y:4.1f} {z:4.1f}  covered by seed {shares}")
    for found in result.found:
        print("torques late by", found.shift[0], "±", found.shift[1], "s", *found.notes)


# --- what is promised ------------------------------------------------------------------------------------------------
def soak(test):
    """A test that takes minutes: there only where it was asked for, since a skipped one would count as missing."""
    return test if os.environ.get("ANTAEUS_SOAK") else None


HELD_BACK = range(100, 105)
LOW, HIGH = 0.90, 0.99  # about 95 % intervals of what the data determine: five robots a pose are few
LIES = 0.03  # share of samples; chosen before seeds 200 and 201 were tried
# Elsewhere the prior speaks, and no push here is larger than one and a half of its sd.
ELSEWHERE = 0.95
# RMSE of the study's own prototype [N], x y z: docs/validation.md#study-behind-the-defaults, the posterior of inverse dynamics.
STUDY_RMSE = {("zero", "rest"): (1.6, 1.6, 1.7), ("zero", FREE): (1.1, 1.2, 1.1),
              ("arm_waist_target", "rest"): (2.5, 1.5, 6.0), ("arm_waist_target", FREE): (1.4, 1.0, 0.8)}


def test_the_doubt_of_a_swinging_robot_holds_and_shrinks(robot, monkeypatch):
    """One robot of those that bars were chosen on, half a minute to learn from: a sample of the study below."""
    monkeypatch.setattr(sys.modules[__name__], "LEARNING", 30.0)
    result = study(robot, [0], regimes=("swinging",))
    print_study(result)
    before, after = (coverage(of_regime(runs, "swinging")) for runs in (result.before, result.after))
    assert LOW <= after.share <= HIGH
    assert after.sd < 0.75 * before.sd
    assert after.whole > before.whole - 0.01
    for pose in POSES:
        assert np.all(rmse(result.after[pose, "swinging"]) < rmse(result.before[pose, "swinging"]))


@pytest.fixture(scope="module")
def held_back(robot):
    result = study(robot, HELD_BACK, regimes=(*REGIMES, FREE))
    print_study(result)
    return result


@soak
@pytest.mark.parametrize("regime", REGIMES)
def test_intervals_hold_what_they_promise(held_back, regime):
    before, after = (coverage(of_regime(runs, regime)) for runs in (held_back.before, held_back.after))
    assert LOW <= after.share <= HIGH
    # Not by being wide, and no component that was determined is lost. Chosen on seeds 0 … 5 (half of the figures' sd).
    assert after.sd < 0.75 * before.sd
    assert after.whole > before.whole - 0.01
    elsewhere = coverage(of_regime(held_back.after, regime), determined=False)
    assert elsewhere.share >= ELSEWHERE and elsewhere.sd <= PRIOR_SD


@soak
@pytest.mark.parametrize("case", STUDY_RMSE)
def test_errors_are_the_studys(held_back, case):
    runs, bar = held_back.after[case], np.array(STUDY_RMSE[case]) + tolerance("kStudyRmse")
    if case[1] != FREE:
        assert np.all(rmse(runs) <= bar)
        return
    # In a direction that the pose hides, less noise means less shrinking: what is left there grows as the doubt of the
    # torques gets smaller (AWT, z: 1.5 N, the study has 0.8). It must stay what the estimate says of itself.
    assert np.all(rmse(runs, "determined") <= bar)
    blind = np.concatenate([run.blind[run.time > truth.SETTLED] for run in runs])
    if np.isfinite(blind).any():
        assert np.nanmean(blind ** 2) <= 1


# The study's lies: offsets of the torque channel, and friction twice the profile's bound.
FAULTS = {"none": Fault(full_friction=True), "Coulomb × 2": Fault(2.0, full_friction=True),
          "shoulder pitch": Fault(full_friction=True, offsets=(("shoulder_pitch", 1.5),)),
          "elbow": Fault(full_friction=True, offsets=(("elbow", 1.5),))}


@soak
@pytest.mark.parametrize("fault", FAULTS)
def test_what_was_identified_no_longer_lies(robot, fault):
    result = study(robot, (200, 201), FAULTS[fault])
    print(fault)
    print_study(result)
    for regime in REGIMES:
        before, after = (lying(of_regime(runs, regime)) for runs in (result.before, result.after))
        assert after < LIES
        assert after <= max(before, 0.01)


@soak
def test_torques_that_are_late_are_noticed(robot):
    result = study(robot, (200,), Fault(delay=0.02), poses=("zero",), regimes=("swinging",))
    print_study(result)
    late, sd, differs = result.found[0].shift
    assert differs and result.found[0].notes
    assert abs(late - 0.02) < 0.005  # friction makes torques look 2 ms early
