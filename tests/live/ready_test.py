"""Go or no go: of robots that are ready, and of those that are not, each with its reason."""

import json
import threading
import types

import antaeus
import numpy as np
import pytest

from antaeus.live import ready
from antaeus.live.ready import check_channels, check_noise, check_pose, check_stream, check_tare, independent_samples, judge_stream

READY = np.array([0, -0.4, 0, -1.8, 0, 1.5, 0.7])
HAND = ["panda_hand"]
RATE = 250
REST, MOTION = 4.0, 8.0  # s; ten at rest in use


@pytest.fixture(scope="module")
def robot():
    robot = antaeus.load_robot("panda")
    robot.profile.settings.set("live.silence=20")  # what else this machine does is no fault of the stream
    return robot


def stand_and_move(robot, rest=REST + 6.0, motion=MOTION, still=(), noise=0.05, seed=5, shake=0.0):
    """A robot that stands, then moves smoothly all joints but those that stay still."""
    count = int((rest + motion) * RATE)
    time_ = np.arange(count) / RATE
    chance, n = np.random.default_rng(seed), 7
    since = np.maximum(0.0, time_ - rest)[:, None]
    size, pace = chance.uniform(0.15, 0.3, n), chance.uniform(1.0, 2.0, n)
    size[list(still)] = 0.0
    ramp = 1 - np.exp(-since)
    q = READY + size * np.sin(pace * since) * ramp + shake * np.sin(9 * time_)[:, None]
    v = np.gradient(q, 1 / RATE, axis=0)
    a = np.gradient(v, 1 / RATE, axis=0)
    tau = antaeus.replay(q, robot, [], v=v, a=a, want=("torque",))["torque"] + chance.normal(0, noise, q.shape)
    return {"time": time_, "qpos": q, "tau": tau, "dq": v}


class Played:
    """A live estimator that is given a log as far as its reader goes, however slow that is."""

    AHEAD = 50  # samples

    def __init__(self, robot, log, *, lose=(), with_dq=True):
        self._estimator, self._log, self._lose, self._with_dq = antaeus.LiveEstimator(robot, HAND, "json"), log, lose, with_dq
        self._read, self._changed, self._over = 0, threading.Condition(), False
        self._estimator.start()
        threading.Thread(target=self._feed, daemon=True).start()

    def __getattr__(self, name):
        return getattr(self._estimator, name)

    def read(self, first, most):
        block = self._estimator.read(first, most)
        with self._changed:
            self._read = block.first + len(block.time)
            self._changed.notify()
        return block

    def stop(self):
        with self._changed:
            self._over = True
            self._changed.notify()
        self._estimator.stop()

    def _feed(self):
        pushed = 0
        for i in range(len(self._log["time"])):
            if i in self._lose:
                continue
            with self._changed:
                self._changed.wait_for(lambda: self._over or pushed < self._read + self.AHEAD)
            if self._over:
                return
            sample = {"t": self._log["time"][i], "seq": i, "qpos": self._log["qpos"][i].tolist(), "tau": self._log["tau"][i].tolist()}
            if self._with_dq:
                sample["dq"] = self._log["dq"][i].tolist()
            assert self._estimator.push(json.dumps(sample).encode(), 100.0 + self._log["time"][i])
            pushed += 1
        self._estimator.end()


def judged(robot, log, **how):
    said = []
    estimator = Played(robot, log, **how)
    try:
        return judge_stream(estimator, robot, HAND, source="a test", say=said.append, rest=REST), said
    finally:
        estimator.stop()


def of(result, name):
    return next(check for check in result.checks if check.name == name)


def test_a_robot_that_is_ready(robot, tmp_path):
    result, said = judged(robot, stand_and_move(robot))
    assert result.go and result.exit_code == 0, str(result)
    assert {check.name for check in result.checks} == {"channels", "pose", "noise", "tare", "motion", "set-up", "stream"}
    assert of(result, "tare").verdict == "go" and of(result, "motion").verdict == "go" and of(result, "set-up").verdict == "go", str(result)
    assert "hold still" in said[0] and "move a little" in said[1]
    told = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert told["schema"] == "antaeus.ready/1" and told["go"] is True
    result.page().save(tmp_path / "ready.html")
    text = (tmp_path / "ready.html").read_text()
    assert "go" in text and "panda_joint4" in text


def test_wrong_signs_are_no_go(robot):
    log = stand_and_move(robot)
    log["tau"] = -log["tau"]
    result, _ = judged(robot, log)
    assert not result.go and result.exit_code == 1
    assert of(result, "set-up").verdict == "no go" and "\n" not in of(result, "set-up").words
    assert str(result).startswith("NO GO")


def test_joints_that_stay_are_named(robot):
    result, _ = judged(robot, stand_and_move(robot, still=(2, 5)))
    motion = of(result, "motion")
    assert motion.verdict == "reservation" and motion.numbers["not_moved"] == ["panda_joint3", "panda_joint6"]
    assert result.go, "a reservation is no refusal"


def test_a_robot_that_does_not_stand_still(robot, monkeypatch):
    monkeypatch.setattr(ready, "_PATIENCE_REST", 6.0)
    result, _ = judged(robot, stand_and_move(robot, shake=0.05))
    assert not result.go and "did not stand still" in of(result, "rest").words


def test_without_velocities_it_says_what_that_costs(robot):
    result, _ = judged(robot, stand_and_move(robot), with_dq=False)
    assert of(result, "channels").verdict == "reservation" and "no velocities" in of(result, "channels").words
    assert "IMU" not in of(result, "channels").words, "a bolted robot needs none"


def test_losses_are_no_go(robot):
    log = stand_and_move(robot)
    result, _ = judged(robot, log, lose=set(range(100, len(log["time"]), 20)))
    assert of(result, "stream").verdict == "no go" and "lost" in of(result, "stream").words, str(result)


def test_nobody_sends(robot, monkeypatch):
    monkeypatch.setattr(ready, "_PATIENCE_STREAM", 0.5)
    estimator = antaeus.LiveEstimator(robot, HAND, "json")
    estimator.start()
    result = judge_stream(estimator, robot, HAND)
    estimator.stop()
    assert [check.verdict for check in result.checks] == ["no go"] and "no sample came" in result.checks[0].words


def test_a_source_that_ends_early(robot):
    log = stand_and_move(robot, rest=2.0, motion=0.0)
    result, _ = judged(robot, log)
    assert not result.go and "ended before" in of(result, "stream").words


# One check each ---------------------------------------------------------------------------------------------------------------------------


def coloured(count, time_constant, sd, seed):
    """A first-order process of samples [count], correlated over time_constant samples."""
    chance, keep = np.random.default_rng(seed), np.exp(-1 / time_constant)
    values, last = np.empty(count), chance.normal()
    for at, draw in enumerate(chance.normal(size=count)):
        last = keep * last + np.sqrt(1 - keep * keep) * draw
        values[at] = last
    return sd * values


def test_correlated_samples_are_worth_fewer():
    count, time_constant = 10000, 25
    keep = np.exp(-1 / time_constant)
    expected = count * (1 - keep**2) / (1 + keep**2)  # Σ ρ² of ρ_k = keep^k, which is closed
    found = np.mean([independent_samples(coloured(count, time_constant, 1.0, seed)) for seed in range(8)])
    assert found == pytest.approx(expected, rel=0.15)  # 8 runs of about 400 samples each
    assert independent_samples(np.random.default_rng(1).normal(size=count)) == pytest.approx(count, rel=0.05)


def test_noise_as_stated_is_go_however_correlated_and_louder_is_not(robot):
    count = 2500
    wrong = 0
    for seed in range(40):
        residual = np.stack([coloured(count, 50, 0.3, 100 * seed + motor) for motor in range(7)], axis=1)
        wrong += check_noise(robot, residual, np.full((count, 7), 0.3)).verdict == "no go"
    assert wrong <= 2  # one in 1000 is stated; few independent samples make the χ² coarse
    residual[:, 3] *= 3
    loud = check_noise(robot, residual, np.full((count, 7), 0.3))
    assert loud.verdict == "no go" and "panda_joint4" in loud.words and "panda_joint3" not in loud.words
    residual[:, 3] /= 2
    somewhat = check_noise(robot, residual, np.full((count, 7), 0.3))
    assert somewhat.verdict == "reservation" and "assumes" in somewhat.words, "nobody identified a Panda's noise"
    humanoid = antaeus.load_robot("h1_2")
    shaken = np.random.default_rng(1).normal(0, 0.45, (count, 27))
    assert check_noise(humanoid, shaken, np.full((count, 27), 0.3)).verdict == "no go"


def test_an_offset_is_a_reservation_that_names_the_tare(robot):
    residual = np.random.default_rng(2).normal(0, 0.1, (2500, 7))
    residual[:, 1] += 2.0
    found = check_noise(robot, residual, np.full((2500, 7), 0.5))
    assert found.verdict == "reservation" and "panda_joint2 +2" in found.words and "tare" in found.remedy
    assert check_noise(robot, residual[:0], residual[:0]).verdict == "reservation"


def test_a_pose_that_tells_no_force_is_no_go(robot):
    assert check_pose(robot, HAND, READY, None).verdict == "go"
    stretched = check_pose(robot, HAND, np.zeros(7), None)
    assert stretched.verdict == "no go" and "panda_hand" in stretched.words and "antaeus preflight" in stretched.remedy


def health(**more):
    return types.SimpleNamespace(**{"silences": 0, "clock_jumps": 0, "undecodable": 0, **more})


def test_streams():
    even = np.arange(5000) / 500
    assert check_stream(even, health(), 0, 10).verdict == "go"
    assert check_stream(even, health(), 20, 10).verdict == "reservation"
    assert check_stream(even, health(), 500, 10).verdict == "no go"
    assert check_stream(even, health(silences=1), 0, 10).verdict == "reservation"
    assert check_stream(even, health(silences=2), 0, 10).verdict == "no go"
    assert check_stream(even, health(clock_jumps=1), 0, 10).verdict == "no go"
    assert check_stream(even * 10, health(), 0, 100).verdict == "reservation"  # 50 a second
    assert check_stream(np.full(10, np.nan), health(), 0, 1).verdict == "no go"
    jittered = np.sort(even + np.random.default_rng(0).normal(0, 0.002, len(even)))
    assert check_stream(jittered, health(), 0, 10).verdict == "reservation"


def test_channels_of_a_humanoid_without_imu():
    humanoid = antaeus.load_robot("h1_2")
    none = np.empty((0, 3))
    block = types.SimpleNamespace(dq=np.zeros((5, 27)), imu_quat=np.empty((0, 4)), imu_gyro=none, imu_acc=none)
    found = check_channels(block, humanoid)
    assert found.verdict == "reservation" and "upright" in found.words and "accelerometer" in found.words


def test_tares():
    assert check_tare("holding", ["a"]).verdict == "go"
    assert check_tare("refused", ["a"]).verdict == "no go"
    assert check_tare("collecting", ["a"]).verdict == "no go"
