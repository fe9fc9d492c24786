"""antaeus.check, antaeus.mutate, antaeus.fixed_robot; and what audit and identify hold of a check."""

import antaeus
import numpy as np
import pytest

STEPS = 4000


@pytest.fixture(scope="module")
def robot():
    return antaeus.load_robot("ur5e")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    time = np.arange(STEPS) / 200
    chance = np.random.default_rng(12)
    rate, phase = chance.uniform(0.6, 2.0, (2, 6)), chance.uniform(0, 6, (2, 6))
    angle = time[:, None, None] * rate + phase
    size = np.array([0.45, 0.25])[:, None]
    q = np.array([0, -1.2, 1.2, -0.8, 1.2, 0.3]) + (size * np.sin(angle)).sum(1)
    v, a = (size * rate * np.cos(angle)).sum(1), (-size * rate**2 * np.sin(angle)).sum(1)
    torque = antaeus.replay(q, "ur5e", [], v=v, a=a, want=("torque",))["torque"]
    tau = torque + np.array([4, 4, 3, 1, 1, 1]) * np.tanh(v / 0.03) + chance.normal(0, 0.1, q.shape)
    path = tmp_path_factory.mktemp("logs") / "right"
    path.mkdir()
    for name, values in dict(time=time, qpos=q, target_dof=q, dq=v, tau=tau).items():
        np.save(path / f"{name}.npy", values)
    return path


def test_a_clean_log(folder, robot, tmp_path):
    result = antaeus.check(folder, robot)
    assert result.log == "right" and result.robot == "ur5e"
    assert result.findings == [] and result.serious == [] and not result.has_errors()
    assert result.headline == "No fault found"
    assert result.summary["schema"] == "antaeus.check/1"
    assert result.torque.sign in ("as the model", "unknown")
    assert antaeus.check(antaeus.load_episode(folder, robot), "ur5e").summary["findings"] == []
    result.save(tmp_path / "report.html")
    assert "no fault found" in (tmp_path / "report.html").read_text()
    with pytest.raises(antaeus.OptionsError):
        result.save(tmp_path / "report.txt")


def test_channels_alone(folder, robot, tmp_path):
    wrong = antaeus.mutate(folder, robot, "velocity_sign", ["elbow_joint"])
    assert wrong.name == "right-velocity_sign" and wrong.notes[-1].startswith("planted: velocity_sign")
    antaeus.write_episode(wrong, tmp_path / "wrong")
    result = antaeus.check(tmp_path / "wrong")
    finding = result.findings[0]
    assert finding.fault == antaeus.Fault.velocity_sign and finding.severity == antaeus.Severity.error
    assert finding.size == -1 and np.isnan(finding.margin) and finding.channel == "dq"
    assert result.has_errors() and "d(q)/dt" in result.headline


def test_every_fault_can_be_planted_or_says_why(folder, robot):
    right = antaeus.load_episode(folder, robot)
    for fault in antaeus.plantable_faults():
        if fault.startswith(("imu", "quaternion", "gyro", "accelerometer")):
            with pytest.raises(antaeus.OptionsError, match=fault):
                antaeus.mutate(right, robot, fault)
        else:
            assert antaeus.mutate(right, robot, fault).notes[-1].startswith(f"planted: {fault}")
    with pytest.raises(antaeus.OptionsError, match="torque_sign"):
        antaeus.mutate(right, robot, "torque_sing")


def test_a_fix_of_nothing_is_the_robot(folder, robot, tmp_path):
    fixed, not_fixed = antaeus.fixed_robot(robot, antaeus.check(folder, robot))
    assert not_fixed == []
    antaeus.write_profile(fixed, tmp_path)
    again = antaeus.load_robot(str(tmp_path / "profile.toml"))
    assert again.profile.torque_sign == robot.profile.torque_sign
    assert again.profile.channels.time_scale == 1


def test_audit_and_show_hold_it(folder, robot):
    audit = antaeus.audit(folder, robot)
    assert audit.check.log == "right" and audit.check.findings == []
    assert audit.summary["check"]["log"] == "right"
    assert antaeus.show(folder, robot).summary["check"]["findings"] == []


def test_settings_are_checked(folder, robot):
    assert antaeus.check(folder, robot, {"check.found": 20.0}).findings == []
    with pytest.raises(antaeus.OptionsError, match="found"):
        antaeus.check(folder, robot, {"check.fuond": 20.0})
