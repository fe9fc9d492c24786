"""antaeus inject, check --fix, estimate: through the profile that is written, forces are those of the right log."""

import csv
import json

import needs
import numpy as np
import pytest
from check_verb_test import arm
from command_line import run, text

EXACT = 1e-9  # N, N·m: a channel scaled and scaled back
LATE = 0.02   # of the largest number of the channel: interpolated twice, its ends held


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    return arm(tmp_path_factory.mktemp("fix") / "right")


def wrenches(log, robot, out):
    done = run("estimate", log, "--robot", robot, "--out", out, seconds=30)
    assert done.returncode == 0, done.stderr
    with open(out, newline="") as file:
        return [{k: v for k, v in row.items() if k not in ("episode",)} for row in csv.DictReader(file)]


def largest_difference(one, other):
    largest = 0.0
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        for name, value in a.items():
            try:
                largest = max(largest, abs(float(value) - float(b[name])))
            except ValueError:
                assert value == b[name], name
    return largest


FAULTS = {
    "time_unit": [],
    "time_unit_ns": ["--size", "1e9"],
    "velocity_scale": [],
    "velocity_sign": ["--joints", "elbow_joint"],
    "position_sign": ["--joints", "shoulder_lift_joint"],
    "positions_degrees": [],
    "torque_sign": [],
    "torque_sign_one": ["--joints", "elbow_joint"],
    "torque_order": ["--joints", "shoulder_lift_joint,elbow_joint"],
    "joint_order": ["--joints", "shoulder_lift_joint,elbow_joint"],
}


def planted_and_fixed(right, tmp_path, fault, more):
    done = run("inject", right, "--robot", "ur5e", "--fault", fault, *more, "--out", tmp_path / "wrong")
    assert done.returncode == 0, done.stderr
    done = run("check", tmp_path / "wrong", "--robot", "ur5e", "--json", "--fix", tmp_path / "fixed.toml", seconds=30)
    assert done.returncode == 1, (done.stderr, done.stdout)
    first = json.loads(done.stdout)["findings"][0]
    assert first["fault"] == fault, first["text"]
    again = run("check", tmp_path / "wrong", "--robot", tmp_path / "fixed.toml", "--json", seconds=30)
    assert again.returncode == 0, text(again.stdout)
    return first




@pytest.mark.parametrize("name", list(FAULTS))
def test_units_orders_and_signs(right, tmp_path, name):
    fault = name.removesuffix("_ns").removesuffix("_one")
    planted_and_fixed(right, tmp_path, fault, FAULTS[name])
    wanted = wrenches(right, "ur5e", tmp_path / "right.csv")
    fixed = wrenches(tmp_path / "wrong", tmp_path / "fixed.toml", tmp_path / "fixed.csv")
    assert largest_difference(wanted, fixed) <= EXACT


@pytest.mark.parametrize(("fault", "late"), [("torque_late", 0.06), ("velocity_late", 0.08)])
def test_delays(right, tmp_path, fault, late):
    first = planted_and_fixed(right, tmp_path, fault, ["--size", str(late)])
    assert abs(first["size"] - late) <= max(0.001, 3 * first["sd"])
    antaeus = needs.package("antaeus")
    fixed = antaeus.load_episode(tmp_path / "wrong", antaeus.load_robot(str(tmp_path / "fixed.toml")))
    wanted = antaeus.load_episode(right, antaeus.load_robot("ur5e"))
    inside = slice(30, -30)
    for one, other in ((fixed.tau, wanted.tau), (fixed.v, wanted.v)):
        error = one[inside] - other[inside]
        assert np.sqrt((error**2).mean()) <= LATE * np.abs(other).max()
