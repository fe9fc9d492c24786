"""Inverse kinematics against what nobody here wrote: the plain methods by NumPy.

The Jacobian that NumPy inverts is Pinocchio's, of the same URDF.
"""

import antaeus
import mujoco
import numpy as np
import pinocchio as pin
import pytest
from support import ROOT, generator, tolerance

ARMS = {"panda": "panda_hand", "ur5e": "tool0", "h1_2": "left_wrist_yaw_link"}
CUT = 1e-3  # of the largest singular value: pinv_tolerance's default
# A joint whose axis then meets or is parallel to another's: the elbow straight, or the wrist in line.
SINGULAR = {"panda": {3: None, 5: 0.0}, "ur5e": {2: 0.0, 4: 0.0}, "h1_2": {3: 0.0}}


class Arm:
    def __init__(self, name):
        self.name = name
        self.chain = antaeus.KinematicChain(antaeus.load_robot(name).model, ARMS[name])
        self.lower, self.upper = (np.array([getattr(joint, end) for joint in self.chain.joints()])
                                  for end in ("lower", "upper"))
        self.model = pin.buildModelFromUrdf(str(ROOT / f"robots/{name}/{name}.urdf"))
        self.data, self.frame = self.model.createData(), self.model.getFrameId(ARMS[name])
        joints = [self.model.joints[self.model.getJointId(joint.name)] for joint in self.chain.joints()]
        self.at_q, self.at_v = [joint.idx_q for joint in joints], [joint.idx_v for joint in joints]

    def whole(self, q):
        q_all = pin.neutral(self.model)
        q_all[self.at_q] = q
        return q_all

    def jacobian(self, q, rows):
        """[rows × joints] of the frame's origin in world axes, linear rows first."""
        full = pin.computeFrameJacobian(self.model, self.data, self.whole(q), self.frame, pin.LOCAL_WORLD_ALIGNED)
        return full[:rows, self.at_v]

    def configurations(self, count):
        """Random ones, each second with a joint that makes the arm singular or nearly so."""
        numbers = generator()
        rows = numbers.uniform(self.lower, self.upper, (count, self.chain.size()))
        for i in range(1, count, 2):
            joint, value = list(SINGULAR[self.name].items())[i // 2 % len(SINGULAR[self.name])]
            rows[i, joint] = np.clip(self.upper[joint] if value is None else value, self.lower[joint], self.upper[joint])
        return rows


@pytest.fixture(scope="module", params=ARMS)
def arm(request):
    return Arm(request.param)


def cases(arm, count, rows):
    """Configuration, Pinocchio's Jacobian, its singular values, an error of some centimetres."""
    numbers = generator()
    for q in arm.configurations(count):
        J = arm.jacobian(q, rows)
        yield q, J, np.linalg.svd(J, compute_uv=False), numbers.uniform(-0.1, 0.1, rows)


def plain(arm, rows, **options):
    return antaeus.PlainSolver(arm.chain, position_only=rows == 3, **options)


@pytest.mark.parametrize("share", (CUT, 0.1))
@pytest.mark.parametrize("rows", (3, 6))
def test_pinv_is_numpys(arm, rows, share):
    """At a threshold of a tenth many singular values are dropped, at all arms."""
    solver, cut, largest = plain(arm, rows, method="pinv", pinv_tolerance=share), 0, 0.0
    for q, J, sigma, error in cases(arm, 200, rows):
        if np.abs(sigma / sigma[0] / share - 1.0).min() < 0.01:
            continue  # rounding decides which side of the threshold it is on
        inverse = np.linalg.pinv(J, rcond=share)
        kept = sigma[sigma > share * sigma[0]]
        cut += len(kept) < rows
        # The pseudo-inverse of a disturbed matrix: ‖A⁺‖ times its condition times the disturbance.
        scale = np.linalg.norm(error) / kept[-1] * (kept[0] / kept[-1])
        largest = max(largest, np.linalg.norm(solver.step(q, error) - inverse @ error) / scale)
    print(f"\n{arm.name}, {rows} rows: {largest:.1e} of the condition, {cut} singular")
    assert largest <= tolerance("kPlainParity")
    assert cut > (90 if arm.name == "ur5e" else 10) or share == CUT or rows == 3


@pytest.mark.parametrize("rows", (3, 6))
def test_dls_is_its_formula_and_bounded(arm, rows):
    """Jᵀ(JJᵀ + λ²I)⁻¹ e, by LAPACK; no singular value is amplified more than 1/(2λ)."""
    for damping in (0.01, 0.1):
        solver = plain(arm, rows, method="dls", lambda_=damping)
        for q, J, sigma, error in cases(arm, 100, rows):
            formula = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(rows), error)
            dq = solver.step(q, error)
            scale = np.linalg.norm(error) / damping * (sigma[0] / damping) ** 2
            assert np.linalg.norm(dq - formula) <= tolerance("kPlainParity") * scale
            assert np.linalg.norm(dq) <= np.linalg.norm(error) / (2 * damping) * (1 + 1e-12)


def test_adaptive_damping_is_none_far_from_singular(arm):
    always, never = plain(arm, 6, method="dls", lambda_=0.05, adaptive=True), plain(arm, 6, method="pinv", pinv_tolerance=0)
    seen = set()
    for q, J, sigma, error in cases(arm, 100, 6):
        manipulability = np.prod(sigma)
        if manipulability < 1e-3:
            continue  # the root of a determinant has the root of its rounding
        share = max(0.0, 1.0 - manipulability / 0.05)
        formula = J.T @ np.linalg.solve(J @ J.T + (0.05 * share) ** 2 * np.eye(6), error) if share > 0 else never.step(q, error)
        scale = np.linalg.norm(error) / max(sigma[-1], 0.05 * share) * (sigma[0] / max(sigma[-1], 0.05 * share)) ** 2
        assert np.linalg.norm(always.step(q, error) - formula) <= 10 * tolerance("kPlainParity") * scale
        seen.add(share > 0)
    assert seen == {True, False}


def test_the_sources_loop_on_mujoco_takes_the_same_steps():
    """mj_jac, numpy.linalg.pinv, q += step dq, clamp: the Panda log's loop, iteration for iteration to the same joints."""
    spec = mujoco.MjSpec.from_file(str(ROOT / "robots/panda/panda.urdf"))
    spec.compiler.fusestatic = False
    model = spec.compile()
    data, hand = mujoco.MjData(model), model.body("panda_hand").id
    lower, upper = model.jnt_range.T
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    chain = Arm("panda").chain
    reached, largest, start = 0, 0.0, chain.middle()
    for target in generator().uniform([-0.6, -0.6, 0.0], [0.6, 0.6, 0.9], (40, 3)):
        for iterations in (7, 60):
            solver = antaeus.PlainSolver(chain, method="pinv", position_only=True, iterations=iterations, step=0.3)
            found = solver.solve(target, start)
            q = np.append(start, [0.0, 0.0])
            best, best_q = np.inf, q
            for iteration in range(found.iterations):
                data.qpos[:] = q
                mujoco.mj_kinematics(model, data)
                mujoco.mj_comPos(model, data)
                error = target - data.xpos[hand]
                if np.linalg.norm(error) < best:
                    best, best_q = np.linalg.norm(error), q.copy()
                mujoco.mj_jac(model, data, jacp, jacr, data.xpos[hand], hand)
                if iteration + 1 < found.iterations:
                    q = np.clip(q + 0.3 * np.linalg.pinv(jacp, rcond=CUT) @ error, lower, upper)
            largest = max(largest, abs(found.position_error - best), np.abs(found.q - best_q[:7]).max())
            reached += found.status == "reached"
    print(f"\nlargest difference {largest:.1e}, {reached} of 80 reached")
    assert largest <= tolerance("kPlainLoop")
    assert 10 < reached < 80
