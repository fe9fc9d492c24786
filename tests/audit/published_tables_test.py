"""Every number that the incident report prints, against its own logs: the page is fresh, and each difference is a known one."""

import copy
import importlib.util
import os
import pathlib
import subprocess
import sys
import tomllib

import needs
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools" / "compare_published.py"
COMMAND = os.environ.get("ANTAEUS_CLI", str(ROOT / "build" / "bin" / "antaeus"))
CELLS, DIFFERING = 354, 31

# What the report prints, and what its data say. Those that were known before come first; the others were found by this comparison.
KNOWN = {
    "mean_magnitude": [("1.6", "1.73"), ("0.8", "1.17")],
    "peak_is_norm": [("-2596", "-2565.6")],
    "knee_target_step": [("9 to 15", "8")],
    "fz_above_50": [("> 50", "46.3")],
    "rho_healthy": [("< 0.2", "0.77"), ("< 0.2", "0.74")],
    "hip_error_check": [("no", "yes"), ("no", "yes")],
    "other_joints": [("24", "23")],
    "right_shoulder_roll_target": [("-0.47", "-0.500")],
    "total_mass": [("47", "67.0")],
    "tilt": [("5, 10", "1.1, 1.3"), ("78, 156", "10.0, 16.3")],
    "clamp_step": [("3", "4")],
    "stacked_absorbs": [("yes", "no")],
    "fz_minus_715": [("-715", "-1538.9")],
    "knee_targets_grow": [("5", "6")],
    "hip_yaw_sign": [("+0.43, -0.43", "0.430, 0.430")],
    "engagement_time": [("0.16", "0.144")],
    "row_rank": [("column", "row")],
    "arms_within_5": [("≤ 5", "5.2")],
    "hip_roll_error_re3": [("0.5", "0.35")],
    "knee_torque": [("329", "333.5")],
    "invisible_15": [("15", "52.0")],
    "torso_dominates": [("steps 0 to 8", "steps 3 to 8")],
    "contamination_worst": [("14", "17.4")],
    "hypothetical": [("9", "11.3"), ("140", "176.7")],
    "watchdog_count": [("> 3", "3")],
    "rho_arm_part": [("7", "5.6")],
}


def load_tool():
    spec = importlib.util.spec_from_file_location("compare_published", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tool():
    return load_tool()


def run(*arguments, **environment):
    return subprocess.run([sys.executable, str(TOOL), *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def test_every_number_of_the_report(tool):
    for name in ("re1_real_encode", "re2_real_encode", "re3_real_encode_tr1"):
        needs.reference_data(f"episodes/{name}")
    published = tomllib.loads(tool.TABLES.read_text(encoding="utf-8"))
    ours = tool.Ours(COMMAND, needs.SHARED, published["episodes"])
    tables, claims = tool.read_cells(ours, published)
    cells = [cell for _, table in tables for cell in table.values()] + claims
    differing = [cell for cell in cells if not cell.agrees]
    assert (len(cells), len(differing)) == (CELLS, DIFFERING)
    found = {name: [(cell.printed, cell.computed) for cell in differing if cell.known == name] for name in {cell.known for cell in differing}}
    assert found == KNOWN
    assert ours.disagreement() < tool.SAME_FORCE

    changed = copy.deepcopy(published)
    changed["table"][0]["rows"][0][1] = "15.65"                                                  # ours is 15.62
    next(c for c in changed["claim"] if c.get("known") == "total_mass")["printed"] = "67"        # now it agrees
    complaints = tool.page_and_complaints(ours, changed)[1]
    assert len(complaints) == 2
    assert "15.65" in complaints[0] and "nothing explains it" in complaints[0]
    assert "total_mass" in complaints[1] and "agrees" in complaints[1]

    done = run("--check", "--antaeus", COMMAND)
    assert done.returncode == 0, done.stdout + done.stderr


def test_second_calculation_gives_the_same_forces(tool, tmp_path):
    """On the synthetic episodes, without their IMU, which the recorded ones lack (test_every_number_of_the_report)."""
    done = subprocess.run([COMMAND, "demo", "--out", tmp_path / "demo", "--episodes", tmp_path / "episodes"], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    for file in (tmp_path / "episodes").glob("*/imu_*.npy"):
        file.unlink()
    ours = tool.Ours(COMMAND, tmp_path, {"RE1": "twin_pushes", "RE2": "twin_good", "RE3": "twin_incident"})
    assert ours.disagreement() < tool.SAME_FORCE


@pytest.mark.parametrize("printed, agrees", [("-532.9", True), ("-533.0", True), ("-532.8", False), ("-533.1", False),
                                             ("-533", True), ("532.9", False)])
def test_one_unit_of_the_last_printed_digit(tool, printed, agrees):
    assert tool.Cell(lambda quantity: {"Fz": -532.91}[quantity], "", "", printed, "Fz").agrees is agrees


def test_missing_logs_are_reported(tmp_path):
    done = run("--check", ANTAEUS_SHARED=str(tmp_path))
    assert done.returncode == 77
    assert done.stdout == f"reference data 'episodes/re1_real_encode' are missing in {tmp_path}; run: tools/incident_logs.sh CLONE\n"
