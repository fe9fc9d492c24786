"""The posterior, the guarded loop and the drop-in as Python sees them."""

import antaeus
import numpy as np
import pytest
from support import tolerance

MOTORS = 27
WRIST = "left_wrist_yaw_link"


def at_rest(robot, pose="re3_start", **more):
    """The robot holds itself still."""
    q = robot.pose(pose)
    equation = antaeus.ContactEquation(robot, [WRIST])
    equation.update(antaeus.Observation(q=q, tau=np.zeros(MOTORS)))
    return antaeus.Observation(q=q, tau=equation.gravity_torque(), v=np.zeros(MOTORS), **more)


def test_the_drop_in_reads_like_the_array_of_the_deployed_code(robot):
    sample = at_rest(robot)
    tau = sample.tau.copy()
    tau[robot.reference_motor()] -= 34.45  # the incident's torque [N·m]
    model = antaeus.FrameWrenchEstimator(robot)
    wrench = model.get_frame_wrench(WRIST, q=sample.q, tau=tau, imu_quat=[0, 0, 0, 1])
    assert wrench[:3].shape == (3,) and len(wrench) == 6 and np.asarray(wrench).shape == (6,)
    assert np.linalg.norm(wrench[:3]) == np.linalg.norm(wrench.wrench.force) and wrench[2] == wrench.wrench.force[2]
    assert np.concatenate([wrench, wrench]).shape == (12,)
    assert wrench.sign == robot.profile.deployed_sign
    assert wrench.verdict != "ok" and "motion_unknown" in wrench.reasons and wrench.has_covariance
    deployed = antaeus.FrameWrenchEstimator(robot, "deployed").get_frame_wrench(WRIST, sample.q, tau)
    assert abs(deployed[2]) > 500 and np.linalg.norm(wrench[:3]) < 10


def test_the_deployed_method_is_the_deployed_estimator(robot):
    sample = at_rest(robot)
    equation = antaeus.ContactEquation(robot, [WRIST])
    tau = sample.tau + np.linspace(-3, 3, MOTORS)
    equation.update(antaeus.Observation(q=sample.q, tau=tau))
    expected = antaeus.DeployedEstimator(equation).solve(equation)[0]
    given = antaeus.FrameWrenchEstimator(robot, method="deployed", frames=[WRIST]).get_frame_wrench(WRIST, sample.q, tau)
    assert np.array_equal(given, expected)


def test_a_frame_that_was_not_named_is_nan(robot):
    model = antaeus.FrameWrenchEstimator(robot)
    sample = at_rest(robot)
    given = model.get_frame_wrench("pelvis", sample.q, sample.tau)
    assert given.status == "unknown_frame" and given.verdict == "invalid_input" and np.isnan(given).all()
    assert model.get_frame_wrench(WRIST, sample.q[1:], sample.tau).status == "wrong_size"
    with pytest.raises(antaeus.OptionsError, match="did you mean 'deployed'"):
        antaeus.FrameWrenchEstimator(robot, "deploied")
    with pytest.raises(antaeus.StatusError, match="imu_quat has shape"):
        model.get_frame_wrench(WRIST, sample.q, sample.tau, [1.0])


def test_a_posterior_is_the_formula(robot):
    """C = (Aᵀ R⁻¹ A + P₀⁻¹)⁻¹, ŵ = C Aᵀ R⁻¹ r with NumPy's solver, on_environment, for one endpoint's own rows."""
    sample = at_rest(robot)
    sample.tau = sample.tau + np.linspace(-2, 2, MOTORS)
    equation = antaeus.ContactEquation(robot, [WRIST])
    equation.update(sample)
    residual = antaeus.ResidualEstimator(robot, kind="static").update(equation, sample)
    posterior = antaeus.PosteriorEstimator(equation, sign="on_environment", force_prior=20.0, moment_prior=1.5)
    estimate = posterior.solve(equation, residual)[0]
    rows = posterior.rows(0)
    A = equation.jacobian(0)[:, rows].T
    weight = A.T / residual.variance[rows]
    C = np.linalg.inv(weight @ A + np.diag([20.0**-2] * 3 + [1.5**-2] * 3))
    near = dict(rtol=0, atol=tolerance("kRecoveredWrench"))
    np.testing.assert_allclose(estimate.uncertainty.covariance, C, **near)
    np.testing.assert_allclose(estimate, C @ weight @ residual.value[rows], **near)
    sd, directions = np.linalg.eigh(C[:3, :3])
    np.testing.assert_allclose(estimate.uncertainty.force_sd, np.sqrt(sd), **near)
    assert abs(estimate.uncertainty.worst_direction() @ directions[:, 2]) == pytest.approx(1, abs=1e-9)


def test_the_guarded_loop_never_raises_and_says_why(robot):
    loop = antaeus.GuardedEstimator(robot, [WRIST], guarded=dict(recorder_samples=5, on_refused="zero"))
    for step in range(4):
        (read,) = loop.update(at_rest(robot, time=0.02 * step))
    assert read.wrench.is_finite() and loop.refusals() == len(loop.last_refusal().samples) == 0
    assert loop.last_refusal().endpoint == -1
    bad = at_rest(robot, time=0.08)
    bad.tau = np.full(MOTORS, np.nan)
    (read,) = loop.update(bad)
    assert read.state == "refused" and read.action == "zero" and "invalid_input" in read.reasons
    assert read.wrench.to_vector().tolist() == [0] * 6
    record = loop.last_refusal()
    assert record.endpoint == 0 and "invalid_input" in record.reasons and loop.refusals() == 1
    assert len(record.samples) == 5 and np.isnan(record.samples[-1].observation.tau).all()
    assert [one.observation.time for one in loop.recorder()] == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])
    (read,) = loop.update(at_rest(robot, time=0.01))  # the clock goes back
    assert "time_back" in read.reasons
    (read,) = loop.update(at_rest(robot, time=0.10), now=5.0)
    assert "stale" in read.reasons
    loop.reset()
    assert loop.equation().endpoint_names() == [WRIST] and loop.estimates()[0].has_covariance


def test_options_of_the_guarded_loop_start_from_the_profile(robot):
    with pytest.raises(antaeus.OptionsError, match="guarded: unknown option 'force_limt'; did you mean 'force_limit'"):
        antaeus.GuardedEstimator(robot, [WRIST], guarded=dict(force_limt=1.0))
    with pytest.raises(antaeus.OptionsError, match="residual.kind"):
        antaeus.GuardedEstimator(robot, [WRIST], residual=dict(kind="dynamic"))
    loop = antaeus.GuardedEstimator(robot, [WRIST], posterior=dict(sign="on_environment"))
    assert loop.update(at_rest(robot, time=0.0))[0].sign == "on_environment"


def test_objects_of_different_robots_are_refused(robot):
    arm = antaeus.load_robot("planar_3r")
    mine = antaeus.ContactEquation(robot, [WRIST])
    theirs = antaeus.ContactEquation(arm, arm.endpoint_frames())
    both = antaeus.ContactEquation(robot, robot.profile.deployed_endpoints)
    residual = antaeus.ResidualEstimator(robot)
    sample = at_rest(robot)
    mine.update(sample)
    r = residual.update(mine, sample)
    posterior = antaeus.PosteriorEstimator(mine)
    with pytest.raises(antaeus.OptionsError, match="same robot"):
        residual.update(theirs, sample)
    with pytest.raises(antaeus.OptionsError, match="same robot"):
        posterior.solve(theirs, r)
    with pytest.raises(antaeus.OptionsError, match="endpoints of the posterior"):
        antaeus.ReliabilityEstimator(both, posterior)
    with pytest.raises(IndexError):
        posterior.rows(1)
    with pytest.raises(antaeus.StatusError):
        posterior.set_known_direction(0, [0, 0, 0])


def test_channels_of_the_imu():
    seen = antaeus.Observation(imu_angular_velocity=[1, 2, 3], imu_specific_force=[0, 0, 9.81])
    assert seen.has_gyro and seen.has_accelerometer and not seen.has_imu
    assert seen.imu_specific_force.tolist() == [0, 0, 9.81]
    seen.imu_angular_velocity = None
    assert not seen.has_gyro and seen.imu_angular_velocity is None
    with pytest.raises(antaeus.StatusError, match="imu_specific_force has shape"):
        seen.imu_specific_force = [1, 2]
