"""A robot of many joints costs what its joints cost, and not their cube: time and memory of a chain of 100 and of 200."""

import os
import subprocess
import sys

import numpy as np
import pytest

LINK = 0.05  # m


def chain(folder, joints):
    """It stands straight up, its axes by turns along z and y: gravity has no lever, and a push at its tip a long one."""
    text = f'<robot name="chain{joints}"><link name="l0"/>'
    for i in range(1, joints + 1):
        axis = "0 0 1" if i % 2 else "0 1 0"
        text += (f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="0 0 {LINK}"/><axis xyz="{axis}"/>'
                 f'<limit lower="-2" upper="2" effort="100" velocity="3"/></joint><link name="l{i}"><inertial><origin xyz="0 0 0.02"/>'
                 '<mass value="0.1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>')
    (folder / "chain.urdf").write_text(text + "</robot>")
    random, rows = np.random.default_rng(1), 20
    tau = random.normal(0, 0.05, (rows, joints))
    push = np.array([0.0 if i % 2 else 15.0 * LINK * (joints - i) for i in range(1, joints + 1)])
    tau[8:14] -= push
    np.savez(folder / "log.npz", q=random.normal(0, 1e-5, (rows, joints)), tau=tau, v=np.zeros((rows, joints)), time=np.arange(rows) * 0.02)


def cost(*arguments):
    """CPU seconds and peak memory in bytes of the command line, started by a small process: a child begins with the
    peak of whoever starts it."""
    script = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
              "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
              "print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)")
    told = subprocess.run([sys.executable, "-c", script, os.environ["ANTAEUS_CLI"], *arguments], capture_output=True,
                          text=True, check=True)
    code, seconds, kilobytes = told.stdout.split()
    assert int(code) in (0, 1), told.stderr
    return float(seconds), 1024 * int(kilobytes)


@pytest.mark.parametrize("joints, seconds", [(100, 3.0), (200, 8.0)])  # measured: a third of it; a cube took 8 and 100
def test_audit_and_estimate_of_a_long_chain(tmp_path, joints, seconds):
    chain(tmp_path, joints)
    common = [str(tmp_path / "log.npz"), "--robot", str(tmp_path / "chain.urdf"), "--endpoint", f"l{joints}"]
    for verb, out in (("estimate", "estimates.csv"), ("audit", "out")):
        spent, memory = cost(verb, *common, "--out", str(tmp_path / out), "--threads", "2")
        print(f"{verb} of {joints} joints: {spent:.2f} s CPU, {memory / 1e6:.0f} MB")
        assert spent < seconds, (verb, spent)
        assert memory < 0.4e9, (verb, memory)
