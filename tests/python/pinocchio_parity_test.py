"""The package's dynamics against Pinocchio's own Python package, which reads the same file with its own parser."""

import antaeus
import numpy as np
import pinocchio
import pytest
from support import generator, run_python, tolerance

WORLD_ALIGNED = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
STATES = 40


@pytest.fixture(scope="module")
def reference(robot):
    model = pinocchio.buildModelFromUrdf(str(robot.profile.model), pinocchio.JointModelFreeFlyer())
    model.armature[6:] = [robot.profile.options.armature.get(name, 0.0) for name in list(model.names)[2:]]
    return model


def states(model):
    """q has a random base orientation and joints within ±1 rad; the order of joints is that of both models."""
    numbers = generator()
    for _ in range(STATES):
        q = model.integrate(model.neutral(), numbers.uniform(-1, 1, model.nv()))
        yield q, numbers.uniform(-2, 2, model.nv()), numbers.uniform(-10, 10, model.nv())


def test_joints_are_in_the_same_order(robot, reference):
    model = robot.model
    assert (model.nq(), model.nv()) == (reference.nq, reference.nv)
    for motor, name in enumerate(model.motor_names()):
        assert model.motor_rows()[motor] == reference.joints[reference.getJointId(name)].idx_v


def test_dynamics(robot, reference):
    data = reference.createData()
    dynamics = antaeus.Dynamics(robot.model)
    near = dict(rtol=0, atol=tolerance("kSameQuantity"))
    for q, v, a in states(robot.model):
        np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), pinocchio.rnea(reference, data, q, v, a), **near)
        np.testing.assert_allclose(dynamics.nonlinear_effects(q, v),
                                   pinocchio.nonLinearEffects(reference, data, q, v), **near)
        upper = np.triu(pinocchio.crba(reference, data, q))
        np.testing.assert_allclose(dynamics.mass_matrix(q), upper + np.triu(upper, 1).T, **near)
        np.testing.assert_allclose(dynamics.coriolis_matrix(q, v),
                                   pinocchio.computeCoriolisMatrix(reference, data, q, v), **near)
        tau = pinocchio.rnea(reference, data, q, v, a)
        np.testing.assert_allclose(dynamics.forward_dynamics(q, v, tau), pinocchio.aba(reference, data, q, v, tau),
                                   rtol=0, atol=tolerance("kForwardDynamics"))


def test_terms_of_a_position(robot, reference):
    data = reference.createData()
    dynamics = antaeus.Dynamics(robot.model)
    near = dict(rtol=0, atol=tolerance("kSameQuantity"))
    for q, _, _ in states(robot.model):
        terms = dynamics.at(q)
        np.testing.assert_allclose(terms.gravity_torque(),
                                   pinocchio.computeGeneralizedGravity(reference, data, q), **near)
        np.testing.assert_allclose(terms.center_of_mass(), pinocchio.centerOfMass(reference, data, q), **near)
        pinocchio.computeJointJacobians(reference, data, q)
        pinocchio.updateFramePlacements(reference, data)
        for name in (*robot.endpoint_frames(), "imu_link", "pelvis"):
            frame = reference.getFrameId(name)
            np.testing.assert_allclose(terms.frame_pose(name).rotation, data.oMf[frame].rotation, **near)
            np.testing.assert_allclose(terms.frame_pose(name).translation, data.oMf[frame].translation, **near)
            np.testing.assert_allclose(terms.frame_jacobian(robot.model.frame(name)),
                                       pinocchio.getFrameJacobian(reference, data, frame, WORLD_ALIGNED), **near)


def test_motion_on_the_manifold(robot, reference):
    near = dict(rtol=0, atol=tolerance("kSameQuantity"))
    for q, v, _ in states(robot.model):
        moved = robot.model.integrate(q, v)
        np.testing.assert_allclose(moved, pinocchio.integrate(reference, q, v), **near)
        np.testing.assert_allclose(robot.model.difference(q, moved), pinocchio.difference(reference, q, moved), **near)


def test_the_deployed_estimator_is_numpys_pinv(robot, reference):
    """pinv(Jᵀ)(τ − g) written with NumPy and Pinocchio, as the robot's users wrote it."""
    data = reference.createData()
    numbers = generator()
    frame = robot.profile.deployed_endpoints[0]
    reader = antaeus.InstantReader(robot, [frame])
    estimator = antaeus.DeployedEstimator(reader)
    rows = robot.model.motor_rows()
    for _ in range(STATES):
        q_motor, tau = numbers.uniform(-1, 1, 27), numbers.uniform(-50, 50, 27)
        now = reader.at(antaeus.Observation(q=q_motor, tau=tau))
        assert now.status() == "ok"
        q = robot.model.position_from_motors(q_motor, [0, 0, 0, 1])
        gravity = pinocchio.computeGeneralizedGravity(reference, data, q)[rows]
        J = pinocchio.computeFrameJacobian(reference, data, q, reference.getFrameId(frame), WORLD_ALIGNED)[:, rows]
        estimate = estimator.solve(now)[0]
        np.testing.assert_allclose(estimate.wrench.to_vector(), np.linalg.pinv(J.T) @ (tau - gravity), rtol=0,
                                   atol=tolerance("kRecoveredWrench") * estimate.kappa)


@pytest.mark.parametrize("order", ["import pinocchio, antaeus", "import antaeus, pinocchio"])
def test_both_packages_share_a_process(order):
    """Both load the same libpinocchio; whichever comes first, both compute."""
    assert run_python(f"""
{order}
robot = antaeus.load_robot("h1_2")
model = pinocchio.buildModelFromUrdf(str(robot.profile.model), pinocchio.JointModelFreeFlyer())
g = pinocchio.computeGeneralizedGravity(model, model.createData(), pinocchio.neutral(model))
ours = antaeus.Dynamics(robot.model).at(robot.model.neutral()).gravity_torque()
print(abs(g - ours).max() < 1e-9)
try:
    antaeus.load_robot("h1_3")
except antaeus.ModelError:
    print("caught")
""").split() == ["True", "caught"]
