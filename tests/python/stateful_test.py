"""The calls of the deployed robot_model.py, against its own formulas by Pinocchio and NumPy."""

import antaeus
import numpy as np
import pinocchio as pin
import pytest
from antaeus.stateful import StatefulRobot
from support import ROOT, generator

WRIST = "left_wrist_yaw_link"
ROUNDING = 1e-11  # relative, of a pseudo-inverse of condition 40 of sums of some 100 N·m


class Reference:
    """The formulas as they were published: a free flyer turned as the quaternion tells, gravity by rnea, pinv(Jᵀ)."""

    def __init__(self, motors):
        self.model = pin.buildModelFromUrdf(str(ROOT / "robots/h1_2/h1_2.urdf"), pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        joints = [self.model.joints[self.model.getJointId(name)] for name in motors]
        self.at_q, self.at_v = [j.idx_q for j in joints], [j.idx_v for j in joints]

    def full_q(self, q, quaternion=(0, 0, 0, 1)):
        full = pin.neutral(self.model)
        full[3:7], full[self.at_q] = quaternion, q
        return full

    def gravity(self, full):
        zero = np.zeros(self.model.nv)
        return pin.rnea(self.model, self.data, full, zero, zero)[self.at_v]

    def jacobian(self, full):
        return pin.computeFrameJacobian(self.model, self.data, full, self.model.getFrameId(WRIST),
                                        pin.LOCAL_WORLD_ALIGNED)[:, self.at_v]


@pytest.fixture(scope="module")
def h1_2():
    return StatefulRobot("h1_2", method="deployed")


@pytest.fixture(scope="module")
def reference(h1_2):
    return Reference(h1_2.robot.model.motor_names())


def test_from_the_state_that_was_set(h1_2, reference):
    numbers = generator()
    for _ in range(20):
        q, tau = numbers.uniform(-0.5, 0.5, 27), numbers.uniform(-30, 30, 27)
        h1_2.set_state(q, tau)
        full = reference.full_q(q)
        assert np.array_equal(h1_2.full_q(), full) and full.shape == (34,)
        J, g = reference.jacobian(full), reference.gravity(full)
        assert np.allclose(h1_2.get_frame_jacobian(WRIST), J, rtol=0, atol=1e-14)
        assert np.allclose(h1_2.get_gravity_compensation(), g, rtol=0, atol=1e-12)
        wrench = np.linalg.pinv(J.T) @ (tau - g)
        assert np.linalg.norm(np.asarray(h1_2.get_frame_wrench(WRIST)) - wrench) < ROUNDING * np.linalg.norm(wrench)
        assert np.array_equal(np.asarray(h1_2.get_frame_wrench(WRIST)), np.asarray(h1_2.get_frame_wrench(WRIST, q, tau)))


def test_a_given_q_counts_alone(h1_2):
    q = np.full(27, 0.1)
    tilted = np.array([np.sin(0.1), 0, 0, np.cos(0.1)])
    h1_2.set_state(np.zeros(27), np.zeros(27), tilted)
    assert not np.array_equal(h1_2.get_gravity_compensation(), h1_2.get_gravity_compensation(np.zeros(27)))
    assert np.array_equal(h1_2.get_gravity_compensation(imu_quat=tilted), h1_2.get_gravity_compensation())
    assert h1_2.full_q(q)[-1] == 0.1


def test_the_base_is_turned_as_the_imu_tells(h1_2, reference):
    """The IMU sits on the torso: with the waist at zero its quaternion is the base's."""
    numbers = generator()
    for _ in range(50):
        quaternion = numbers.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        given = quaternion if h1_2.robot.profile.imu.order == "xyzw" else quaternion[[3, 0, 1, 2]]
        h1_2.set_state(np.zeros(27), imu_quat=given)
        ours = h1_2.full_q()[3:7]
        assert min(np.abs(ours - quaternion).max(), np.abs(ours + quaternion).max()) < 1e-14
        assert np.allclose(h1_2.get_gravity_compensation(), reference.gravity(reference.full_q(np.zeros(27), quaternion)),
                           rtol=0, atol=1e-12)


def test_as_base_feeds_the_quaternion_to_the_base_as_the_deployed_code_does(reference):
    numbers = generator()
    deployed = StatefulRobot("h1_2", method="deployed", imu="as_base")
    call = antaeus.FrameWrenchEstimator(deployed.robot, "deployed", imu="as_base")
    mounted = StatefulRobot("h1_2", method="deployed")
    assert (call.imu(), antaeus.FrameWrenchEstimator(deployed.robot).imu()) == ("as_base", "mounted")
    for _ in range(20):
        q, tau, quaternion = numbers.uniform(-0.5, 0.5, 27), numbers.uniform(-30, 30, 27), numbers.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        given = quaternion if deployed.robot.profile.imu.order == "xyzw" else quaternion[[3, 0, 1, 2]]
        full = reference.full_q(q, quaternion)  # the torso's IMU, and the waist is not at zero
        J, g = reference.jacobian(full), reference.gravity(full)
        wrench = np.linalg.pinv(J.T) @ (tau - g)
        close = ROUNDING * np.linalg.norm(wrench)
        assert np.allclose(deployed.get_gravity_compensation(q, given), g, rtol=0, atol=1e-12)
        assert np.allclose(deployed.get_frame_jacobian(WRIST, q, given), J, rtol=0, atol=1e-13)
        assert np.linalg.norm(np.asarray(deployed.get_frame_wrench(WRIST, q, tau, given)) - wrench) < close
        assert np.linalg.norm(np.asarray(call.get_frame_wrench(WRIST, q, tau, given)) - wrench) < close
        assert np.linalg.norm(np.asarray(mounted.get_frame_wrench(WRIST, q, tau, given)) - wrench) > 1.0
    with pytest.raises(antaeus.OptionsError, match="as_base"):
        StatefulRobot("h1_2", imu="as_bse")


def test_bad_input_is_one_line():
    robot = StatefulRobot("h1_2")
    with pytest.raises(antaeus.OptionsError, match="neither given nor set"):
        robot.get_frame_wrench(WRIST)
    robot.set_state(np.zeros(27))
    with pytest.raises(antaeus.OptionsError, match=r"\(tau\): neither"):
        robot.get_frame_wrench(WRIST)
    with pytest.raises(antaeus.OptionsError, match=r"shape \(26,\), not \(27,\)"):
        robot.set_state(np.zeros(26))
    with pytest.raises(antaeus.ModelError, match=WRIST):
        robot.get_frame_jacobian("left_wrist_yaw_lnk")
    with pytest.raises(antaeus.ModelError, match=WRIST):
        robot.get_frame_wrench("left_wrist_yaw_lnk", np.zeros(27), np.zeros(27))
    with pytest.raises(antaeus.OptionsError, match="unit quaternion"):
        robot.get_gravity_compensation(np.zeros(27), [0, 0, 0, 0])
