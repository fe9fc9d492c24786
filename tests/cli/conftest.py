"""Episodes for the tests of the command line."""

import needs
import numpy as np
import pytest
from command_line import OFFSET, run


@pytest.fixture(scope="session")
def twins(tmp_path_factory):
    """The three twins as episodes: folders twin_incident, twin_good, twin_pushes."""
    folder = tmp_path_factory.mktemp("twins")
    done = run("demo", "--out", folder / "demo", "--episodes", folder / "episodes")
    assert done.returncode == 1, done.stderr
    return folder / "episodes"


@pytest.fixture
def small(tmp_path):
    """A small episode of the planar arm, written by NumPy, that can be spoiled."""
    folder = tmp_path / "small"
    folder.mkdir()
    numbers = np.random.default_rng(7)
    for name in ("tau", "qpos", "target_dof", "dq"):
        np.save(folder / f"{name}.npy", numbers.uniform(-1, 1, (20, 3)))
    np.save(folder / "time.npy", np.arange(20) * 0.02)
    return folder


@pytest.fixture(scope="session")
def arm_log(tmp_path_factory):
    """A Panda that moves freely for 40 s at 100 Hz; friction, offsets and noise in its torques."""
    antaeus = needs.package("antaeus")
    chance = np.random.default_rng(3)
    time = np.arange(4000) / 100
    rate, size, phase = chance.uniform(0.3, 2, (3, 7)), chance.uniform(0.1, 0.25, (3, 7)), chance.uniform(0, 6, (3, 7))
    angle = time[:, None, None] * rate + phase
    q = np.array([0, -0.4, 0, -1.8, 0, 1.5, 0.7]) + (size * np.sin(angle)).sum(1)
    v, a = (size * rate * np.cos(angle)).sum(1), (-size * rate**2 * np.sin(angle)).sum(1)
    torque = antaeus.replay(q, "panda", [], v=v, a=a, want=("torque",))["torque"]
    tau = torque + 0.4 * np.tanh(v / 0.03) + OFFSET + chance.normal(0, 0.2, q.shape)
    file = tmp_path_factory.mktemp("logs") / "log_1.npz"
    np.savez(file, time=time, qpos=q, tau=tau, dq=v)
    return file
