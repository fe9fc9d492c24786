"""Episodes for the tests of the command line."""

import numpy as np
import pytest
from command_line import run


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
