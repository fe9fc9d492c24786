"""Calls over whole logs and batches release the interpreter's lock: another thread goes on during each."""

import sys
import threading
import time

import antaeus
import needs
import numpy as np
import pytest

WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
TURNS = 3  # of a thread that sleeps 0.1 ms between them, during a call of milliseconds


@pytest.fixture(scope="module")
def calls(robot, tmp_path_factory):
    log = antaeus.make_twin(robot, "pushes", duration=3.0).episode
    long = antaeus.make_twin(robot, "pushes", rate=2000.0, duration=5.0).episode
    folder, long_folder = (tmp_path_factory.mktemp("log") / name for name in ("log", "long"))
    antaeus.write_episode(log, folder)
    antaeus.write_episode(long, long_folder)
    panda = antaeus.load_robot("panda")
    model = antaeus.ReachModel(antaeus.KinematicChain(panda.model, "panda_hand"))
    targets = np.random.default_rng(3).uniform([0.3, -0.3, 0.2], [0.6, 0.3, 0.6], (20000, 3))
    targets = np.hstack([targets, np.tile([1.0, 0, 0, 0], (20000, 1))])
    frames = 5000
    sway = np.tile(robot.model.neutral(), (frames, 1))
    sway[:, 0] += 0.01 * np.sin(np.arange(frames) / 20)
    arrays = {name: np.array(getattr(long, name)) for name in ("q", "tau", "time")}
    result = antaeus.estimate(log, robot)
    arm = np.cumsum(np.random.default_rng(1).normal(0, 1e-3, (4000, 7)), axis=0) + [0, -0.4, 0, -1.8, 0, 1.5, 0.7]
    free = antaeus.Episode.from_arrays(q=arm, tau=0.1 * arm, v=np.gradient(arm, 0.01, axis=0), time=np.arange(4000) / 100, robot=panda)
    return {
        "estimate": lambda: antaeus.estimate(log, robot),
        "estimate of a path": lambda: antaeus.estimate(folder, "h1_2"),
        "estimate, smoothed": lambda: antaeus.estimate(long, robot, smooth=0.5),
        "save": lambda: result.save(folder / "estimates.csv"),
        "replay": lambda: antaeus.replay(long, robot, want=("wrench", "verdict", "posterior"), threads=1),
        "solve_batch": lambda: antaeus.solve_batch(model, targets),
        "audit": lambda: antaeus.audit(log, robot),
        "identify": lambda: antaeus.identify([free], panda, ["all"]),
        "contact": lambda: antaeus.contact({"q": sway, "dt": 0.01}, robot, ["left_ankle_roll_link"]),
        "check": lambda: [antaeus.check(long, robot) for _ in range(3)],
        "mutate": lambda: [antaeus.mutate(long, robot, "torque_sign") for _ in range(20)],
        "show": lambda: [antaeus.show(long, robot) for _ in range(3)],
        "run_experiment": lambda: antaeus.run_experiment("parity"),
        "advise": lambda: antaeus.advise(robot, WRISTS, robot.pose("arm_waist_target")),
        "load_episode": lambda: [antaeus.load_episode(long_folder, robot) for _ in range(3)],
        "from_arrays": lambda: antaeus.Episode.from_arrays(**arrays, robot=robot),
        "make_twin": lambda: antaeus.make_twin(robot, "pushes", rate=2000.0, duration=5.0),
    }


def turns_during(call, enough=1):
    """Counts the turns of another thread in one call, or in the best of many where a busy machine gives it none. The interpreter itself never makes this one wait: only a released lock lets the other run."""
    turns, over = [0], threading.Event()

    def count():
        while not over.is_set():
            turns[0] += 1
            time.sleep(1e-4)

    before = sys.getswitchinterval()
    other = threading.Thread(target=count)
    other.start()
    time.sleep(0.005)
    sys.setswitchinterval(60)
    try:
        most, end = 0, time.monotonic() + (0 if enough == 1 else 120)
        while True:
            begin = turns[0]
            call()
            most = max(most, turns[0] - begin)
            if most >= enough or time.monotonic() > end:
                return most
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(before)
        over.set()
        other.join()


def test_a_call_that_keeps_the_lock_is_seen():
    assert turns_during(lambda: sum(range(2_000_000))) <= 1


@pytest.mark.parametrize("name", ["estimate", "estimate of a path", "estimate, smoothed", "save", "replay", "solve_batch", "audit",
                                  "identify", "contact", "check", "mutate", "show", "run_experiment", "advise", "load_episode",
                                  "from_arrays", "make_twin"])
def test_others_run_meanwhile(calls, name):
    if name == "run_experiment":
        needs.package("mujoco")
    assert turns_during(calls[name], TURNS) >= TURNS
