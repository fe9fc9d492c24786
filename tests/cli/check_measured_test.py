"""`antaeus check` on recorded logs: those that are right, and those whose faults are known."""
import json
import os
import pathlib

import numpy as np
import pytest

from command_line import SHARED, run

UR10E = SHARED / "measured/ur10e"
GAINS = np.array([10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232])  # N·m/A, as the set states them
TIAGO = pathlib.Path(os.environ.get("ANTAEUS_EXAMPLE_ROBOTS", "/nowhere")) / "tiago_description/robots/tiago.urdf"
absent = "reference data absent: {}; ANTAEUS_SHARED names the folder: CONTRIBUTING.md, 'Data of others', says where it is from"


def check(path, robot, folder):
    out = run("check", str(path), "--robot", str(robot), "--json", cwd=folder)
    assert out.returncode in (0, 1), out.stderr
    return json.loads(out.stdout)["findings"]


def loud(findings):
    return [f for f in findings if f["severity"] != "note"]


def ur10e(name):
    data = np.loadtxt(UR10E / name, delimiter=",")
    return dict(time=data[:, 0], qpos=data[:, 1:7], dq=data[:, 7:13], tau=data[:, 13:19] * GAINS)


@pytest.mark.skipif(not UR10E.exists(), reason=absent.format("measured/ur10e"))
def test_a_right_arm_has_no_finding_whole_and_in_pieces(tmp_path):
    for path in sorted(UR10E.glob("*.csv")):
        log = ur10e(path.name)
        step = np.median(np.diff(log["time"]))
        for seconds in (5, 10, 20, 1000):
            rows = min(int(seconds / step), len(log["time"]))
            for first in range(0, len(log["time"]) - rows + 1, rows):
                np.savez(tmp_path / "piece.npz", **{key: value[first:first + rows] for key, value in log.items()})
                findings = loud(check(tmp_path / "piece.npz", UR10E / "ur10e.urdf", tmp_path))
                assert not findings, (path.name, seconds, first, findings)


@pytest.mark.skipif(not UR10E.exists(), reason=absent.format("measured/ur10e"))
@pytest.mark.parametrize("fault,plant", [
    ("torque_order", lambda log: log["tau"].__setitem__((slice(None), [1, 2]), log["tau"][:, [2, 1]])),
    ("torque_sign", lambda log: log["tau"].__setitem__((slice(None), 1), -log["tau"][:, 1])),
    ("torque_gain", lambda log: log.update(tau=0.1 * log["tau"])),
    ("positions_degrees", lambda log: log.update(qpos=np.degrees(log["qpos"]), dq=np.degrees(log["dq"]))),
    ("time_unit", lambda log: log.update(time=1000 * log["time"])),
    ("velocity_late", lambda log: log["dq"].__setitem__(slice(8, None), log["dq"][:-8].copy())),
    ("position_sign", lambda log: log["qpos"].__setitem__((slice(None), 1), -log["qpos"][:, 1])),
])
def test_what_is_planted_in_it_is_named_first(tmp_path, fault, plant):
    log = {key: value[:1900].copy() for key, value in ur10e("20_02_06-20sec_5harm.csv").items()}
    plant(log)
    if fault == "position_sign":
        log["dq"][:, 1] *= -1
    np.savez(tmp_path / "planted.npz", **log)
    findings = loud(check(tmp_path / "planted.npz", UR10E / "ur10e.urdf", tmp_path))
    assert findings and findings[0]["fault"] == fault, findings


@pytest.mark.skipif(not (SHARED / "episodes").exists(), reason=absent.format("episodes"))
def test_runs_of_a_humanoid_have_no_error(tmp_path):
    runs = [path for path in sorted((SHARED / "episodes").iterdir()) if path.is_dir()]
    for path in runs:
        assert not loud(check(path, "h1_2", tmp_path)), path


@pytest.mark.skipif(not (SHARED / "measured/tiago_free").exists() or not TIAGO.exists(), reason=absent.format("measured/tiago_free, or tiago.urdf, whose folder ANTAEUS_EXAMPLE_ROBOTS names"))
def test_known_faults_of_a_recorded_arm_are_named_with_their_sizes(tmp_path):
    read = {name: np.loadtxt(SHARED / f"measured/tiago_free/tiago_{name}.csv", delimiter=",", skiprows=1) for name in ("position", "velocity", "effort")}
    motors = ["torso_lift_joint"] + [f"arm_{i}_joint" for i in range(1, 8)]
    (tmp_path / "tiago.toml").write_text(f'schema = 1\nname = "tiago"\nmodel = "{TIAGO}"\nbase = "fixed"\nmotors = {json.dumps(motors)}\n')
    rows = min(len(table) for table in read.values())
    np.savez(tmp_path / "log.npz", time=read["position"][:rows, 0], qpos=read["position"][:rows, 1:], dq=read["velocity"][:rows, 1:], tau=read["effort"][:rows, 1:])
    findings = {f["fault"]: f for f in check(tmp_path / "log.npz", tmp_path / "tiago.toml", tmp_path)}
    assert abs(findings["velocity_late"]["size"] - 0.191) < 0.005  # s, as a cross-correlation of the whole log has it
    assert findings["torque_frozen"]["joints"] == [f"arm_{i}_joint" for i in (5, 6, 7)]
    gains = dict(zip(findings["torque_gain"]["joints"], findings["torque_gain"]["sizes"]))
    for joint, gain in (("arm_2_joint", 0.061), ("arm_3_joint", -0.097), ("arm_4_joint", -0.093)):  # least squares with friction
        assert abs(gains[joint] / gain - 1) < 0.1, (joint, gains)
