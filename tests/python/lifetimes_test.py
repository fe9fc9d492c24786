"""What every long call and every result of the package promises: numbers outlive what made them and are read-only, the
interpreter runs on meanwhile, a signal ends the work, threads do not meet in it."""

import gc
import signal
import threading

import antaeus
import numpy as np
import pytest

WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
MOTORS = 27

# Results ---------------------------------------------------------------------------------------------------------------
# Each gives arrays and asks for nothing else: all that made them is gone when it returns.


def of_estimates(robot):
    reader = antaeus.InstantReader(robot, WRISTS[:1])
    estimator = antaeus.DeployedEstimator(reader)
    sample = antaeus.Observation(q=robot.pose("arm_waist_target"), tau=np.linspace(-5, 5, MOTORS))
    now = reader.at(sample)
    first = estimator.solve(now)[0]  # nothing else holds the sequence
    np.testing.assert_allclose(first.gain @ first.residual, first.wrench.to_vector(), rtol=0, atol=1e-9)
    estimator.solve(reader.at(antaeus.Observation(q=np.zeros(MOTORS), tau=np.full(MOTORS, np.nan))))
    return first.gain, first.residual, first.wrench.force


def of_a_twin(robot):
    twin = antaeus.make_twin(robot, "good", duration=0.2)
    return twin.episode.q, twin.wrenches[0], twin.episode.time


def of_targets(_):
    model = antaeus.ReachModel(antaeus.KinematicChain(antaeus.load_robot("panda").model, "panda_hand"))
    low = [0.3, 0.0, -0.5, 1, 0, 0, 0]
    batch = antaeus.solve_batch(model, [[0.45, 0.1, 0.3, 1, 0, 0, 0], low, [2.0, 0, 0.3, 1, 0, 0, 0]])
    solver = antaeus.ReachSolver(model)
    first = solver.solve([0.45, 0.1, 0.3, 1, 0, 0, 0])
    solver.solve(low)
    with pytest.raises(AttributeError):
        first.status = "reached"
    return first.q, first.rejected, batch.q, batch.failures[-1].q


def of_an_audit(robot):
    audit = antaeus.audit(antaeus.make_twin(robot, "incident").episode, robot)
    series, steps = audit.series(WRISTS[0], "deployed"), audit.steps
    with pytest.raises(ValueError, match="read-only"):
        steps["endpoint"][0] = ""
    with pytest.raises(AttributeError):
        audit.incident = False
    return series.wrench, series.verdict, steps["Fz"]


@pytest.mark.parametrize("make", [of_estimates, of_a_twin, of_targets, of_an_audit])
def test_results_are_read_only_and_outlive_what_made_them(make):
    arrays = make(antaeus.with_noise(antaeus.load_robot("h1_2"), None))
    copies = [array.copy() for array in arrays]
    for _ in range(3):
        gc.collect()
        np.full(100_000, 7.0).sum()  # what was freed is written over
    for array, copy in zip(arrays, copies, strict=True):
        assert np.array_equal(array, copy, equal_nan=array.dtype == float) and not array.flags.writeable


def test_parts_outlive_their_robot():
    robot = antaeus.load_robot("h1_2")
    model, profile, label = robot.model, robot.profile, antaeus.load_robot("h1_2").profile.endpoints[0].label
    terms = antaeus.Dynamics(model).at(model.neutral())  # nothing else holds the Dynamics
    del robot
    gc.collect()
    assert model.nv() == 33 and profile.poses[0].name and label and np.isfinite(terms.gravity_torque()).all()


# Calls that take a second -----------------------------------------------------------------------------------------------


def long_calls(robot):
    """Name → a call that takes some seconds."""
    log = antaeus.make_twin(robot, "good", duration=300.0).episode
    chain = antaeus.KinematicChain(antaeus.load_robot("panda").model, "panda_hand")
    targets = np.tile([0.8, 0.2, 0.4, 1, 0, 0, 0], (30_000, 1))
    model, replay = antaeus.ReachModel(chain), antaeus.BatchReplay(robot, WRISTS, threads=2)
    q = np.zeros((2_000_000, MOTORS))
    return {"audit": lambda: antaeus.audit(log, robot), "solve_batch": lambda: antaeus.solve_batch(model, targets),
            "replay": lambda: [replay(q, want="sigma") for _ in range(100)]}


@pytest.mark.parametrize("name", ["audit", "solve_batch", "replay"])
def test_others_run_meanwhile_and_ctrl_c_ends_it(robot, name):
    call, turns, over = long_calls(robot)[name], [0], threading.Event()

    def count():
        while not over.wait(0.001):
            turns[0] += 1

    other = threading.Thread(target=count)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    other.start()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        over.set()
        other.join()
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert turns[0] > 20


def judged(robot):
    q = np.linspace(0, 0.3, 3000)[:, None] * np.ones(MOTORS)
    replay = antaeus.BatchReplay(robot, WRISTS, threads=2, block=64, settings={"residual.noise": "assumed"})
    upright, rates = np.tile([0.0, 0, 0, 1], (3000, 1)), np.zeros((3000, 3))
    return lambda: replay(q, 20 * q, v=0 * q, time=np.arange(3000) / 1000, imu_quaternion_xyzw=upright,
                          imu_angular_velocity=rates, want=("wrench", "verdict", "reasons"))


def audits(robot):
    log = antaeus.make_twin(robot, "incident").episode
    return lambda: {"summary": antaeus.audit(log, robot).summary}


@pytest.mark.parametrize("make", [judged, audits])
def test_calls_of_several_threads_do_not_meet(robot, make):
    call, found = make(robot), []
    threads = [threading.Thread(target=lambda: found.append(call())) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for one in found:
        for name, value in call().items():
            np.testing.assert_equal(one[name], value)
    assert len(found) == 4
