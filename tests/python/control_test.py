"""antaeus.control: the impedance's law in NumPy, SciPy's own solution of the admittance, and what bad input does."""
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import antaeus
from antaeus import control

HOME = np.array([0.3, -1.4, 1.6, -1.7, -1.5, 0.2])


@pytest.fixture(scope="module")
def model():
    return antaeus.load_robot("ur5e").model


def test_the_impedance_is_its_law(model):
    random = np.random.default_rng(1461)
    tool = control.ToolDynamics(model, "tool0")
    impedance = control.CartesianImpedance(model, damping_law="given", posture_stiffness=0.0)
    now = tool.at(HOME, random.uniform(-0.3, 0.3, 6))
    assert now.status == "ok" and tool.size() == 6
    turn = Rotation.from_rotvec([0.2, -0.1, 0.15])
    X = antaeus.Pose(turn.as_matrix() @ now.X_WT.rotation, now.X_WT.translation + [0.01, -0.02, 0.03])
    given = impedance.update(now, X)
    assert given.status == "ok" and not given.is_limited
    error = np.r_[0.01, -0.02, 0.03, turn.as_rotvec()]
    np.testing.assert_allclose(given.error, error, atol=1e-12)
    F = np.r_[500 * error[:3], 50 * error[3:]] - np.r_[110 * now.twist[:3], 5 * now.twist[3:]]
    np.testing.assert_allclose(given.tau, now.g + now.J.T @ F, atol=1e-10)
    np.testing.assert_allclose(np.r_[given.commanded.force, given.commanded.torque], F, atol=1e-10)
    np.testing.assert_allclose(now.M @ now.M_inv_Jt, now.J.T, atol=1e-12)
    np.testing.assert_allclose(control.rotation_error(now.X_WT.rotation, X.rotation), turn.as_rotvec(), atol=1e-12)


def test_damping_by_design_gives_every_mode_its_ratio(model):
    tool = control.ToolDynamics(model, "tool0", mobility_floor=0.0)
    impedance = control.CartesianImpedance(model, damping_ratio=0.7)
    K = np.diag([900.0, 400.0, 100.0, 30.0, 20.0, 10.0])
    impedance.set_stiffness(K)
    now = tool.at(HOME, np.zeros(6))
    impedance.update(now, now.X_WT)
    inverse = np.linalg.inv(now.Lambda)
    system = np.block([[np.zeros((6, 6)), np.eye(6)], [-inverse @ K, -inverse @ impedance.damping]])
    roots = np.linalg.eigvals(system)
    np.testing.assert_allclose(-roots.real / np.abs(roots), 0.7, rtol=1e-6)
    with pytest.raises(antaeus.StatusError):
        impedance.set_stiffness(-K)


def test_joints(model):
    tool = control.ToolDynamics(model, "tool0")
    now = tool.at(HOME, np.zeros(6))
    joints = control.JointImpedance(model, joint_stiffness=100.0, joint_damping_law="given")
    np.testing.assert_allclose(joints.update(now, HOME + 0.01).tau, now.g + 1.0, atol=1e-10)
    gravity = control.GravityCompensation(model, hold_integral=100.0)
    np.testing.assert_allclose(gravity.update(HOME, np.zeros(6)).tau, now.g, atol=1e-10)
    assert gravity.integral_state == "off"
    gravity.update(HOME, np.zeros(6), HOME + 0.01)
    assert gravity.integral_state == "integrating"
    gravity.update(HOME, np.zeros(6), HOME + 0.01, antaeus.Wrench([9.0, 0.0, 0.0]))
    assert gravity.integral_state == "frozen_by_wrench"
    gravity.update(HOME, np.zeros(6), HOME + 0.01, verdict=antaeus.Verdict.refused)
    assert gravity.integral_state == "frozen_by_verdict"
    np.testing.assert_allclose(gravity.integral, 100.0 * 0.01 * 0.001)
    limits = control.TorqueLimits(model, torque_rate=1000.0)
    limits.apply(np.zeros(6))
    given = limits.apply([0.0, 500.0, 2.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(given.tau, [0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(given.tau + given.clipped + given.slowed, [0.0, 500.0, 2.0, 0.0, 0.0, 0.0])


def test_the_admittance_is_the_matrix_exponential():
    mass, damping, stiffness, cycle = 3.0, 40.0, 300.0, 0.004
    admittance = control.Admittance(mass=mass, damping=damping, stiffness=stiffness, cycle=cycle, force_deadband=0.0,
                                    speed_limit=100.0)
    A = np.array([[0, 1, 0], [-stiffness / mass, -damping / mass, 1 / mass], [0, 0, 0]])
    step, state = expm(A * cycle), np.array([0.0, 0.0, 5.0])
    for _ in range(200):
        reference = admittance.update(antaeus.Wrench([5.0, 0.0, 0.0]), antaeus.Pose())
        state = step @ state
        assert reference.mode == "compliant"
        np.testing.assert_allclose([reference.displacement[0], reference.twist[0]], state[:2], atol=1e-13)
    lost = admittance.update(antaeus.Wrench([np.nan, 0.0, 0.0]), antaeus.Pose())
    assert lost.status == "ok" and lost.mode == "wrench_lost" and np.isfinite(lost.twist).all()


def test_bad_input(model):
    tool = control.ToolDynamics(model, "tool0")
    impedance = control.CartesianImpedance(model)
    now = tool.at(np.full(6, np.nan), np.zeros(6))
    assert now.status == "not_finite" and np.isnan(now.M).all()
    given = impedance.update(now, antaeus.Pose())
    assert given.status == "not_finite" and np.isnan(given.tau).all()
    with pytest.raises(antaeus.OptionsError, match="stiffness"):
        control.CartesianImpedance(model, stifness=3.0)
    with pytest.raises(antaeus.ModelError, match="tool0"):
        control.ToolDynamics(model, "tol0")
