"""antaeus inject: every fault is injected into a good log, written whole, and named on stdout."""

import numpy as np
import pytest
from check_verb_test import arm
from command_line import refused, run, text


def faults():
    words = " ".join(text(run("inject", "--help").stdout).split())
    return words.split("one of ")[1].split(" --joints")[0].split(", ")


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    time = np.arange(4000) / 200
    angle = 0.3 * np.sin(time)
    imu = dict(
        imu_quat_xyzw=np.stack([np.sin(angle / 2), 0 * time, 0 * time, np.cos(angle / 2)], axis=1),
        imu_gyro=np.stack([0.3 * np.cos(time), 0 * time, 0 * time], axis=1),
        imu_acc=9.81 * np.stack([0 * time, np.sin(angle), np.cos(angle)], axis=1),
    )
    return arm(tmp_path_factory.mktemp("inject") / "right", **imu)


def read(folder):
    return {f.stem: np.load(f) for f in folder.iterdir()}


def test_every_fault(right, tmp_path):
    good = read(right)
    names = faults()
    assert len(names) >= 36
    for fault in names:
        done = run("inject", right, "--robot", "ur5e", "--fault", fault, "--out", tmp_path / fault)
        assert done.returncode == 0, (fault, done.stderr)
        assert f"right, planted: {fault}" in " ".join(text(done.stdout).split()), fault
        wrong = read(tmp_path / fault)
        assert set(wrong) == set(good) - ({"time"} if fault == "time_missing" else set()), fault
        assert any(not np.array_equal(wrong[name], good[name]) for name in wrong) or fault == "time_missing", fault


def test_joints_and_size(right, tmp_path):
    good = read(right)
    done = run("inject", right, "--robot", "ur5e", "--fault", "torque_gain", "--joints", "elbow_joint,wrist 1", "--size", "3", "--out", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    assert "of size 3, elbow_joint and wrist_1_joint" in " ".join(text(done.stdout).split())
    ratio = read(tmp_path / "a")["tau"] / good["tau"]
    assert np.allclose(ratio, [1, 1, 3, 3, 1, 1], rtol=1e-12, atol=0)


def test_what_is_refused(right, tmp_path):
    assert "did you mean 'torque_sign'" in refused("inject", right, "--robot", "ur5e", "--fault", "torque_sing", "--out", tmp_path / "x")
    assert "elbow" in refused("inject", right, "--robot", "ur5e", "--fault", "torque_sign", "--joints", "elbwo_joint", "--out", tmp_path / "x")
    assert "--size" in refused("inject", right, "--robot", "ur5e", "--fault", "torque_gain", "--size", "0", "--out", tmp_path / "x")
    refused("inject", right, "--robot", "ur5e", "--fault", "external_force", "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_the_old_spellings_are_accepted_with_a_note(right, tmp_path):
    done = run("mutate", right, "--robot", "ur5e", "--set", "residual.noise=figures", "--fault", "torque_sign", "--out", tmp_path / "a")
    assert done.returncode == 0
    assert text(done.stderr).splitlines() == [
        "antaeus: write 'inject' for 'mutate': the old spelling is accepted for one release",
        "antaeus: --set: write 'residual.noise=assumed' for 'residual.noise=figures': the old spelling is accepted for one release",
    ]
    assert "inject" in text(run("help", "mutate").stdout)
