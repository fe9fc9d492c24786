"""Solves the problems of tests/numerics/elastic_qp_parity_test.cpp with PIQP (pyramids) and Clarabel (cones), limits
elastic as in the library, and finds the least sum of violations of each frame by a linear programme."""

import os
import pathlib
import subprocess

import clarabel
import needs
import numpy as np
import piqp
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

PRICE, N = 1e4, 6
# How much more the answer may cost than another solver's, relative: both stop at about 1e-9 of sums up to 1e7.
COST = 1e-7
# How much of a newton the answers may differ: the cost curves by 1/200 per N², and products of slack and multiplier stop
# below 1e-5, over multipliers from 0.01.
NEWTONS = 5e-3
# Sums of violations [N]: a fifth of what the answers may differ by.
VIOLATION = 1e-3


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    cli = os.environ.get("ANTAEUS_CLI")
    if not cli:
        needs.skip("ANTAEUS_CLI is not set", "make test")
    program = pathlib.Path(cli).parent / "numerics_tests"
    folder = tmp_path_factory.mktemp("elastic_qp")
    environment = {**os.environ, "ANTAEUS_CONSTRAINTS_PARITY": str(folder)}
    subprocess.run([program, "--gtest_filter=ElasticQpParity.*"], env=environment, check=True, capture_output=True)
    return folder


class Problem:
    def __init__(self, frames, cones):
        m, c = (14, 2) if cones else (22, 0)
        sizes = [N * N, N * N, N, m * N, m] + [3 * N, 3, 1] * c + [N, m, c]
        parts = np.split(frames, np.cumsum(sizes)[:-1], axis=1)
        turned = lambda p, rows: p.reshape(len(p), -1, rows).transpose(0, 2, 1)
        D, L = turned(parts[0], N), turned(parts[1], N)
        P = sp.block_diag(D, format="lil")
        for t in range(len(frames) - 1):
            here, after = slice(N * t, N * (t + 1)), slice(N * (t + 1), N * (t + 2))
            P[after, here], P[here, after] = L[t], L[t].T
        self.P, self.g = P.tocsc(), parts[2].ravel()
        self.rows, self.bounds = turned(parts[3], m), parts[4]
        # Each cone as rows (mu c_n, c_x, c_y) = B z + b.
        self.cones = []
        for k in range(c):
            C, offset, mu = turned(parts[5 + 3 * k], 3), parts[6 + 3 * k], parts[7 + 3 * k]
            B = np.stack([mu * C[:, 2], C[:, 0], C[:, 1]], axis=1)
            b = np.stack([mu[:, 0] * offset[:, 2], offset[:, 0], offset[:, 1]], axis=1)
            self.cones.append((B, b))
        self.z, self.e, self.e_cones = parts[-3].ravel(), parts[-2].ravel(), parts[-1].ravel()
        self.frames, self.m = len(frames), m

    def cost(self, z, violation):
        return 0.5 * z @ (self.P @ z) + self.g @ z + PRICE * violation

    def needed(self, z):
        """Sum of what the limits are broken by at z."""
        z = z.reshape(-1, N)
        total = np.maximum(np.einsum("tmn,tn->tm", self.rows, z) - self.bounds, 0).sum()
        for B, b in self.cones:
            c = np.einsum("tmn,tn->tm", B, z) + b
            total += np.maximum(np.hypot(c[:, 1], c[:, 2]) - c[:, 0], 0).sum()
        return total


def by_piqp(problem):
    count = problem.bounds.size
    P = sp.block_diag([problem.P, sp.csc_matrix((count, count))], format="csc")
    G = sp.bmat(
        [[sp.block_diag(problem.rows), -sp.identity(count)], [None, -sp.identity(count)]], format="csc"
    )
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    cost = np.concatenate([problem.g, np.full(count, PRICE)])
    solver.setup(P, cost, None, None, G, None, np.concatenate([problem.bounds.ravel(), np.zeros(count)]))
    assert solver.solve() == piqp.PIQP_SOLVED
    return solver.result.x[: problem.g.size]


def by_clarabel(problem):
    size, rows, cones = problem.g.size, problem.bounds.size, problem.frames * len(problem.cones)
    slack = rows + cones
    blocks, bounds, kinds = [], [], []
    blocks.append(sp.hstack([sp.block_diag(problem.rows), -sp.identity(rows), sp.csc_matrix((rows, cones))]))
    blocks.append(sp.hstack([sp.csc_matrix((slack, size)), -sp.identity(slack)]))
    bounds += [problem.bounds.ravel(), np.zeros(slack)]
    kinds.append(clarabel.NonnegativeConeT(rows + slack))
    for k, (B, b) in enumerate(problem.cones):
        first = sp.csc_matrix(np.array([[1.0], [0.0], [0.0]]))
        own = sp.block_diag([first] * problem.frames)
        before, after = rows + k * problem.frames, (len(problem.cones) - 1 - k) * problem.frames
        height = 3 * problem.frames
        blocks.append(
            sp.hstack([-sp.block_diag(B), sp.csc_matrix((height, before)), -own, sp.csc_matrix((height, after))])
        )
        bounds.append(b.ravel())
        kinds += [clarabel.SecondOrderConeT(3)] * problem.frames
    P = sp.triu(sp.block_diag([problem.P, sp.csc_matrix((slack, slack))]), format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cost = np.concatenate([problem.g, np.full(slack, PRICE)])
    A = sp.vstack(blocks, format="csc")
    solved = clarabel.DefaultSolver(P, cost, A, np.concatenate(bounds), kinds, settings).solve()
    assert str(solved.status) in ("Solved", "AlmostSolved")
    return np.array(solved.x)[:size]


@pytest.mark.parametrize("frames", [1, 5, 200])
@pytest.mark.parametrize("friction", ["pyramid", "cone"])
@pytest.mark.parametrize("kind", ["kept", "broken"])
def test_answers_are_those_of_other_solvers(written, frames, friction, kind):
    problem = Problem(np.load(written / f"qp_{frames}_{friction}_{kind}.npy"), friction == "cone")
    theirs = by_clarabel(problem) if friction == "cone" else by_piqp(problem)
    ours = problem.needed(problem.z)
    assert problem.e.sum() + problem.e_cones.sum() == pytest.approx(ours, rel=VIOLATION, abs=1e-4)
    best = problem.cost(theirs, problem.needed(theirs))
    assert problem.cost(problem.z, ours) <= best + COST * abs(best) + COST * PRICE
    assert np.abs(problem.z - theirs).max() <= NEWTONS


def test_violations_are_the_least_that_there_are(written):
    broken = 0
    for name in ("qp_1_pyramid_broken", "qp_200_pyramid_broken"):
        problem = Problem(np.load(written / f"{name}.npy"), False)
        violations = problem.e.reshape(problem.frames, -1).sum(axis=1)
        for G, h, own in zip(problem.rows, problem.bounds, violations):
            m = len(h)
            least = linprog(
                np.concatenate([np.zeros(N), np.ones(m)]),
                np.hstack([G, -np.eye(m)]),
                h,
                bounds=[(None, None)] * N + [(0, None)] * m,
                method="highs",
            )
            assert least.status == 0
            assert own == pytest.approx(least.fun, rel=VIOLATION, abs=1e-4)
            broken += least.fun > 1.0
    assert broken > 70
