"""Judges wrenches by linear programmes over the forces at a sole's four corners, and compares with the margins of the
library (tests/numerics/contact_margins_parity_test.cpp): Caron's closed form against brute force."""

import itertools
import os
import pathlib
import subprocess

import needs
import numpy as np
import pytest
from scipy.optimize import linprog

# The yaw limits [N m] of a linear programme are as exact as its own feasibility tolerance of 1e-7 on rows up to 160 N.
YAW_LIMIT = 1e-6


@pytest.fixture(scope="module")
def wrenches(tmp_path_factory):
    """The rows, written by the test program that lies beside the CLI."""
    cli = os.environ.get("ANTAEUS_CLI")
    if not cli:
        needs.skip("ANTAEUS_CLI is not set", "make test")
    program = pathlib.Path(cli).parent / "numerics_tests"
    written = tmp_path_factory.mktemp("constraints")
    environment = {**os.environ, "ANTAEUS_CONSTRAINTS_PARITY": str(written)}
    subprocess.run(
        [program, "--gtest_filter=ContactMarginsParity.*"], env=environment, check=True, capture_output=True
    )
    return np.load(written / "wrenches.npy", allow_pickle=False)


def yaw_limits(mu, length, width, wrench):
    """Smallest and largest moment about z of corner forces in their pyramids that add up to the first five components;
    None when no such forces exist."""
    grasp, pyramids = [], []
    for index, (x, y) in enumerate(itertools.product((-length, length), (-width, width))):
        cross = np.array([[0, 0, y], [0, 0, -x], [-y, x, 0]])
        grasp.append(np.vstack([np.eye(3), cross]))
        for axis, sign in itertools.product((0, 1), (1, -1)):
            row = np.zeros(12)
            row[3 * index + axis], row[3 * index + 2] = sign, -mu
            pyramids.append(row)
    grasp = np.hstack(grasp)
    bounds = [(None, None), (None, None), (0, None)] * 4
    limits = []
    for sign in (1, -1):
        solved = linprog(
            sign * grasp[5], np.array(pyramids), np.zeros(16), grasp[:5], wrench[:5], bounds, method="highs"
        )
        if solved.status == 2:
            return None
        assert solved.status == 0, solved.message
        limits.append(sign * solved.fun)
    return limits


def test_margins_are_what_corner_forces_allow(wrenches):
    impossible = 0
    for row in wrenches:
        (mu, length, width), wrench, margins = row[:3], row[3:9], row[9:]
        limits = yaw_limits(mu, length, width, wrench)
        if limits is None:
            impossible += 1
            assert margins.min() < 0
            continue
        assert margins[:4].min() > -YAW_LIMIT
        expected = min(wrench[5] - limits[0], limits[1] - wrench[5])
        assert margins[4] == pytest.approx(expected, rel=0, abs=YAW_LIMIT)
    assert impossible > 100
