"""Pose quality, advice and the filter through the package: the numbers of C++ and of docs/validation.md#study-behind-the-defaults."""
import numpy as np
import pytest

import antaeus

WRIST = "left_wrist_yaw_link"


@pytest.fixture(scope="module")
def robot():
    return antaeus.with_noise(antaeus.load_robot("h1_2"), None)


def test_preflight_tells_what_torques_can_tell(robot):
    report = antaeus.preflight(robot, [WRIST], robot.pose("arm_waist_target"))
    pose, = report.endpoints
    assert pose.rest.worst_sd() == pytest.approx(20.0, abs=0.01)  # the prior: no information at all
    assert abs(pose.rest.worst_direction()[2]) > 0.9
    assert pose.rest.observable == 2
    check, = report.sd_checks
    assert (check.kind, check.passed, report.passed) == ("sd", False, False)
    good, = antaeus.preflight(robot, [WRIST], robot.pose("zero")).endpoints
    assert good.rest.worst_sd() < 2.0 < good.moving.worst_sd()
    assert np.all(good.posterior_phantom[:3] < good.phantom[:3])


def test_advice_moves_the_elbow(robot):
    q = robot.pose("arm_waist_target")
    sd = antaeus.advise(robot, [WRIST], q, joints=["left_elbow_joint"])
    alone, = sd.alone
    assert sd.found and not sd.satisfied
    assert alone.below[0] == pytest.approx(1.022, abs=0.01) and alone.above[0] == pytest.approx(1.971, abs=0.01)
    assert sd.after[0].rest.worst_sd() < 5.0
    for threads in (1, 3):
        again = antaeus.advise(robot, [WRIST], q, joints=["left_elbow_joint"], threads=threads)
        assert np.array_equal(again.q, sd.q) and again.distance == sd.distance
    published = antaeus.advise(robot, [WRIST], q, "published", ["left_elbow_joint"])
    assert 0.4 < published.alone[0].below[0] < 0.6
    assert antaeus.advise(robot, [WRIST], robot.pose("zero")).satisfied
    with pytest.raises(antaeus.OptionsError, match="published"):
        antaeus.advise(robot, [WRIST], q, "publishd")


def test_the_filter_without_a_past_is_the_posterior(robot):
    reader = antaeus.InstantReader(robot, [WRIST])
    residual = antaeus.ResidualEstimator(robot, kind="static", tilt_sd=0.0)
    posterior = antaeus.PosteriorEstimator(reader)
    memory = antaeus.ContactSpaceFilter(reader, posterior)
    n = robot.model.motor_count()
    sample = antaeus.Observation(q=robot.pose("zero"), v=np.zeros(n), tau=np.full(n, 0.5))
    r = residual.form(reader.at(sample))
    now, = memory.step(r, np.inf)
    plain, = posterior.solve(r)
    assert np.allclose(now.wrench.force, plain.wrench.force, atol=1e-9)
    assert np.allclose(now.uncertainty.covariance, plain.uncertainty.covariance, atol=1e-7)


def test_preflight_is_turned_by_an_imu():
    """A turn about the vertical by 90°: gains along x become gains along y; positions stay in the base's axes."""
    robot = antaeus.load_robot("h1_2")
    q = robot.pose("arm_waist_target")
    upright = antaeus.preflight(robot, ["left_wrist_yaw_link"], q)
    turned = antaeus.preflight(robot, ["left_wrist_yaw_link"], q, imu_quaternion_xyzw=[0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    assert turned.used_imu and not upright.used_imu
    one, other = upright.endpoints[0], turned.endpoints[0]
    assert np.abs(np.asarray(one.position) - np.asarray(other.position)).max() < 1e-12
    assert abs(np.linalg.norm(one.reference_gain[:3]) - np.linalg.norm(other.reference_gain[:3])) < 1e-10
    assert np.abs(np.asarray(one.reference_gain) - np.asarray(other.reference_gain)).max() > 0.1
    for bad in ([0, 0, 1], [0, 0, 0, 2], [np.nan] * 4):
        with pytest.raises(antaeus.OptionsError):
            antaeus.preflight(robot, ["left_wrist_yaw_link"], q, imu_quaternion_xyzw=bad)
