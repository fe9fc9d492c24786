"""Python's exit while daemon threads are inside the library: the exit code is the program's own, without an abort."""

import subprocess
import sys

import needs
import numpy as np
import pytest

antaeus = needs.package("antaeus")

PROGRAM = """
import sys, threading
import antaeus, numpy as np
robot, once = antaeus.load_robot("h1_2"), threading.Barrier(4)
log = antaeus.make_twin(robot, "incident").episode
frames, folder = robot.endpoint_frames()[:1], sys.argv[1]
replay = antaeus.BatchReplay(robot, frames, threads=2)
time = np.arange(300) * 0.01

def work():
    try:
        CALL
    except BaseException:
        once.abort()
        raise
    once.wait()
    while True:
        CALL

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
once.wait()  # each thread has made one call, and is in the next ones
sys.exit(7)
"""
CALLS = ["antaeus.check(log, robot)", "antaeus.estimate(log, robot)", "antaeus.audit(log, robot, [log])", "antaeus.show(log, robot)",
         "antaeus.replay(log.q, robot, frames, log.tau)", "replay(log.q, log.tau)", "antaeus.load_episode(folder + '/log', robot)",
         "antaeus.write_episode(log, folder + f'/{threading.get_ident()}')", "antaeus.estimate_delay(time, np.sin(9 * time), time, np.sin(9 * time))",
         "antaeus.describe(robot)", "antaeus.check(folder + '/recording.csv', 'ur5e')"]


@pytest.mark.parametrize("call", CALLS)
def test_exit_inside_a_call(tmp_path, call):
    robot = antaeus.load_robot("h1_2")
    antaeus.write_episode(antaeus.make_twin(robot, "good").episode, tmp_path / "log")
    names = [f"{stem}_{joint}" for stem in ("actual_q", "actual_qd", "actual_current_as_torque") for joint in range(6)]
    rows = np.random.default_rng(1).normal(size=(50, 18))
    (tmp_path / "recording.csv").write_text("\n".join([" ".join(["timestamp", *names]), *(
        " ".join([f"{100 + 0.008 * i:.3f}", *(f"{x:.6f}" for x in row)]) for i, row in enumerate(rows))]) + "\n")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", PROGRAM.replace("CALL", call), tmp_path], capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (7, "")
