"""A stream that is not what the robot's profile says: named within seconds, and a reason in every sample from then on."""

import types

import antaeus
import numpy as np
import pytest
from live_blocks import Stream, facts, moving_log
from waiting import until

from antaeus.live.set_up import SetUpCheck

READY = [0, -0.4, 0, -1.8, 0, 1.5, 0.7]


@pytest.fixture(scope="module")
def robot():
    return antaeus.load_robot("panda")


class Suspected:
    def __init__(self):
        self.calls = []

    def suspect(self, reason, motors):
        self.calls.append((reason, motors))


def checked(robot, log, stream=None, **how):
    """What was found in a stream of it, and what the estimator was told."""
    estimator, found, lines = Suspected(), [], []
    check = SetUpCheck(robot, estimator, found.append, say=lines.append)
    for block in (stream or Stream(robot, ["panda_hand"], log, **how)).blocks(20):
        check.take(block, [], facts())
        until(lambda: check._job is None)  # the stream is played faster than its clock
    check.close()
    return found, estimator.calls, types.SimpleNamespace(checks=check.checks, lines=lines)


def test_a_stream_that_is_right_is_left_alone(robot):
    found, calls, check = checked(robot, moving_log(robot, READY, 200, 35))
    assert (found, calls) == ([], [])
    assert check.checks == 3  # after 3, 10 and 30 s


def degrees(log):
    log["qpos"], log["dq"] = np.degrees(log["qpos"]), np.degrees(log["dq"])


def wrong_sign(log):
    log["tau"] = -log["tau"]


def wxyz(log):
    log["imu_quat"] = log["imu_quat"][:, [3, 0, 1, 2]]


def milliamperes(log):
    log["tau"] = log["tau"] * 1000


@pytest.mark.parametrize(("spoil", "fault", "within"), [
    (degrees, "positions_degrees", 4.0), (wrong_sign, "torque_sign", 12.0), (milliamperes, "torque_gain", 12.0)])
def test_a_mistake_is_named_within_seconds(robot, spoil, fault, within):
    log = moving_log(robot, READY, 200, 12)
    spoil(log)
    found, calls, _ = checked(robot, log)
    assert fault in [one.fault for one in found], found
    first = found[0]
    assert first.time < within, first
    assert first.severity == "error" and "; " in first.words and "\n" not in first.words
    assert calls and calls[0][0] == "set_up_suspect"
    assert len({one.words for one in found}) == len(found)  # each once


def test_a_mistake_of_one_torque_concerns_its_motor(robot):
    log = moving_log(robot, READY, 200, 12)
    log["tau"][:, 3] = log["tau"][5, 3]
    found, calls, _ = checked(robot, log)
    assert [(one.fault, one.motors) for one in found] == [("torque_frozen", (3,))] and "joint4" in found[0].words
    assert calls == [("set_up_suspect", [3])]


def test_an_epoch_begins_the_seconds_anew(robot):
    log = moving_log(robot, READY, 200, 8)
    epochs = np.repeat(np.arange(4), 400)  # a break every 2 s
    found, calls, check = checked(robot, log, epochs=epochs)
    assert check.checks == 0


def test_samples_of_nothing_are_said(robot):
    log = moving_log(robot, READY, 200, 5)
    log["tau"][:] = np.nan
    found, calls, check = checked(robot, log)
    assert len(check.lines) == 1 and "torques hold no number" in check.lines[0] and not calls and not found


def test_a_stream_without_velocities_is_checked_too(robot):
    log = moving_log(robot, READY, 200, 12)
    del log["dq"]
    log["qpos"] = np.degrees(log["qpos"])
    stream = Stream(robot, ["panda_hand"], log)
    stream.rows["dq"] = np.empty((0, 7))  # as the live estimator has it
    found, _, _ = checked(robot, log, stream=stream)
    assert "positions_degrees" in [one.fault for one in found]
