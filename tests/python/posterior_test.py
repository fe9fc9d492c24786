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
    now = antaeus.InstantReader(robot, [WRIST]).at(antaeus.Observation(q=q, tau=np.zeros(MOTORS)))
    return antaeus.Observation(q=q, tau=now.gravity_torque(), v=np.zeros(MOTORS), **more)


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
    reader = antaeus.InstantReader(robot, [WRIST])
    tau = sample.tau + np.linspace(-3, 3, MOTORS)
    expected = antaeus.DeployedEstimator(reader).solve(reader.at(antaeus.Observation(q=sample.q, tau=tau)))[0]
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
    reader = antaeus.InstantReader(robot, [WRIST])
    now = reader.at(sample)
    residual = antaeus.ResidualEstimator(robot, kind="static", tilt_sd=0.0).form(now)  # known to be upright
    posterior = antaeus.PosteriorEstimator(reader, sign="on_environment", force_prior=20.0, moment_prior=1.5)
    estimate = posterior.solve(residual)[0]
    rows = posterior.rows(0)
    A = now.jacobian(0)[:, rows].T
    weight = A.T / residual.variance[rows]
    C = np.linalg.inv(weight @ A + np.diag([20.0**-2] * 3 + [1.5**-2] * 3))
    near = dict(rtol=0, atol=tolerance("kRecoveredWrench"))
    np.testing.assert_allclose(estimate.uncertainty.covariance, C, **near)
    np.testing.assert_allclose(estimate, C @ weight @ residual.value[rows], **near)
    sd, directions = np.linalg.eigh(C[:3, :3])
    np.testing.assert_allclose(estimate.uncertainty.force_sd, np.sqrt(sd), **near)
    assert abs(estimate.uncertainty.worst_direction() @ directions[:, 2]) == pytest.approx(1, abs=1e-9)


def test_the_guarded_loop_never_raises_and_says_why(robot):
    loop = antaeus.GuardedEstimator(robot, [WRIST], consumer_guard=dict(recorder_samples=5, on_refused="zero"))
    for step in range(4):
        sample = at_rest(robot, time=0.02 * step)
        sample.tau = sample.tau + 1e-9 * step  # torques that stay exactly as they were are dead
        (read,) = loop.update(sample)
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
    (read,) = loop.update(at_rest(robot, time=0.10), clock=5.0)
    assert "stale" in read.reasons
    loop.reset()
    assert loop.reader().endpoint_names() == [WRIST] and loop.estimates()[0].has_covariance
    assert loop.instant().status() == loop.residual().instant.status() == "ok"
    assert loop.instant().observation().time == 0.10 and not loop.feasibility().margins


def test_options_of_the_guarded_loop_start_from_the_profile(robot):
    with pytest.raises(antaeus.OptionsError, match="consumer_guard: unknown option 'force_limt'; did you mean 'force_limit'"):
        antaeus.GuardedEstimator(robot, [WRIST], consumer_guard=dict(force_limt=1.0))
    with pytest.raises(antaeus.OptionsError, match="feasibility: unknown option 'frictoin'; did you mean 'friction'"):
        antaeus.GuardedEstimator(robot, [WRIST], feasibility=dict(frictoin=1.0))
    with pytest.raises(antaeus.OptionsError, match="input: unknown option 'jmp'; did you mean 'jump'"):
        antaeus.GuardedEstimator(robot, [WRIST], input=dict(jmp=1.0))
    with pytest.raises(antaeus.OptionsError, match="residual.kind"):
        antaeus.GuardedEstimator(robot, [WRIST], residual=dict(kind="dynamic"))
    assert antaeus.GuardedEstimator(robot, [WRIST]).update(at_rest(robot, time=0.0))[0].sign == robot.profile.deployed_sign == "on_environment"
    loop = antaeus.GuardedEstimator(robot, [WRIST], posterior=dict(sign="on_robot"))
    assert loop.update(at_rest(robot, time=0.0))[0].sign == "on_robot"
    assert antaeus.load_robot("planar_3r").profile.deployed_sign is None
    loop = antaeus.GuardedEstimator(robot, [WRIST], posterior=dict(sign="on_environment"))
    assert loop.update(at_rest(robot, time=0.0))[0].sign == "on_environment"


def test_objects_of_different_robots_are_refused(robot):
    arm = antaeus.load_robot("planar_3r")
    mine = antaeus.InstantReader(robot, [WRIST])
    theirs = antaeus.InstantReader(arm, arm.endpoint_frames())
    both = antaeus.InstantReader(robot, robot.profile.deployed_endpoints)
    now, other = mine.at(at_rest(robot)), theirs.at(antaeus.Observation(q=np.zeros(3), tau=np.zeros(3)))
    two = both.at(at_rest(robot))
    residual, static = antaeus.ResidualEstimator(robot), antaeus.ResidualEstimator(robot)
    posterior = antaeus.PosteriorEstimator(mine)
    estimates = posterior.solve(residual.form(now))
    refused = pytest.raises(antaeus.OptionsError, match="same robot and endpoints")
    with refused:
        residual.form(other)
    with refused:
        posterior.solve(antaeus.ResidualEstimator(arm).form(other))
    with refused:
        posterior.solve(static.form(two))
    with refused:
        antaeus.ContactSpaceFilter(mine, posterior).step(static.residual(), 0.02)
    with refused:
        antaeus.DeployedEstimator(mine).solve(two)
    with refused:
        antaeus.StackedEstimator(mine).solve(other)
    with refused:
        antaeus.ReliabilityEstimator(both, antaeus.PosteriorEstimator(both)).judge(estimates)
    with pytest.raises(antaeus.OptionsError, match="endpoints of the posterior"):
        antaeus.ReliabilityEstimator(both, posterior)
    with pytest.raises(antaeus.OptionsError, match="endpoints of the posterior"):
        antaeus.ContactSpaceFilter(both, posterior)
    with pytest.raises(TypeError):  # reliability is of a posterior: no other estimate has the residual beside it
        antaeus.ReliabilityEstimator(mine, posterior).judge(antaeus.DeployedEstimator(mine).solve(now))
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


def test_reliability_of_a_posterior(robot):
    reader = antaeus.InstantReader(robot, [WRIST])
    posterior = antaeus.PosteriorEstimator(reader)
    estimates = posterior.solve(antaeus.ResidualEstimator(robot).form(reader.at(at_rest(robot))))
    reliability = antaeus.ReliabilityEstimator(reader, posterior)
    (found,) = reliability.judge(estimates)
    rows = reliability.rows(0)
    assert set(posterior.rows(0)) < set(rows) and robot.reference_motor() in rows
    assert found.status == "ok" and np.nansum(found.redundancy) == pytest.approx(found.total_redundancy)
    assert np.isfinite(found.redundancy).sum() == len(rows)
    reader.at(at_rest(robot))
    assert reliability.judge(estimates)[0].status == "not_computed"  # the Jacobians are gone


def test_a_push_at_the_elbow_is_placed(robot):
    names = robot.model.motor_names()
    loop = antaeus.GuardedEstimator(robot, [WRIST], residual=dict(kind="static"))
    sample = at_rest(robot, time=0.0)
    sample.v = np.zeros(MOTORS)
    sample.simulated = True
    elbow = antaeus.InstantReader(robot, ["left_elbow_joint"]).at(sample)
    sample.tau = np.array(elbow.gravity_torque()) - np.array(elbow.jacobian(0)).T @ [0.0, 25.0, 0.0, 0.0, 0.0, 0.0]
    (read,) = loop.update(sample)
    (place,) = loop.places()
    links = loop.links(0)
    assert links == [name.replace("_joint", "_link") for name in names if name.startswith(("left_shoulder", "left_elbow", "left_wrist"))][:-1]
    assert place.status == "ok" and place.unplaced == "placed" and place.elsewhere == ("contact_elsewhere" in read.reasons)
    total = place.endpoint + place.none + place.fault + sum(one.probability for one in place.places)
    assert total == pytest.approx(1.0) and [names[one.motor] for one in place.places] == [link.replace("_link", "_joint") for link in links]
    assert {"left_shoulder_yaw_link", "left_elbow_link"} & {link for link, one in zip(links, place.places, strict=True) if one.in_set}

    reader = antaeus.InstantReader(robot, [WRIST])
    posterior = antaeus.PosteriorEstimator(reader)
    test = antaeus.ContactPlaceTest(robot, reader, posterior, ratio=5.0)
    assert test.links(0) == links and len(test.rows(0)) == 7
    (alone,) = test.judge(posterior.solve(antaeus.ResidualEstimator(robot, kind="static").form(reader.at(sample))))
    assert alone.status == "ok" and alone.endpoint == pytest.approx(place.endpoint, rel=1e-6)
    with pytest.raises(antaeus.OptionsError, match="contact_location: unknown option 'ratoi'; did you mean 'ratio'"):
        antaeus.GuardedEstimator(robot, [WRIST], contact_location=dict(ratoi=1.0))


def test_feet_that_nothing_holds_are_infeasible(robot):
    frames = robot.endpoint_frames()
    reader = antaeus.InstantReader(robot, frames)
    checker = antaeus.FeasibilityChecker(robot, frames, friction=0.6)
    posterior = antaeus.PosteriorEstimator(reader, force_prior=400.0)
    estimates = posterior.solve(antaeus.ResidualEstimator(robot).form(reader.at(at_rest(robot, "zero"))))
    found = checker.check(estimates)
    assert found.status == "ok" and found.balance_known and not found.sole_known
    assert [margin.kind for margin in found.margins] == ["unilateral", "friction"] * 2 + ["total_x", "total_y", "total_z"]
    assert {margin.unit for margin in found.margins} == {"N"} and found.margins[-1].endpoint == -1
    weight = robot.model.total_mass() * 9.81
    hung = checker.check(antaeus.DeployedEstimator(reader).solve(estimates.instant))  # no forces: nothing carries the robot
    assert hung.violations() > 0 and not hung.feasible() and not hung.margins[-1].feasible
    assert hung.margins[-1].value == pytest.approx(-weight, rel=0.05)
    one = antaeus.InstantReader(robot, [WRIST])
    wrong = checker.check(antaeus.DeployedEstimator(one).solve(one.at(at_rest(robot))))
    assert wrong.status == "wrong_size" and np.isnan([margin.value for margin in wrong.margins]).all()
    with pytest.raises(antaeus.OptionsError, match="give both"):
        antaeus.FeasibilityChecker(robot, frames, half_length=0.1)


def test_causes_of_a_residual(robot):
    reader = antaeus.InstantReader(robot, robot.profile.deployed_endpoints)
    test = antaeus.HypothesisTest(reader, false_alarm=0.001)
    assert test.solve().status == "not_computed"
    sample = at_rest(robot, "zero", time=0.0)
    four = antaeus.InstantReader(robot, robot.endpoint_frames())
    causes = antaeus.HypothesisTest(four).solve(antaeus.ResidualEstimator(robot).form(four.at(sample))).causes
    with pytest.raises(antaeus.OptionsError, match="another test"):
        test.name(next(cause for cause in causes if cause.endpoint == 3))
    quiet = test.solve(antaeus.ResidualEstimator(robot).form(reader.at(sample)))
    assert quiet.status == "ok" and not quiet.alarm and quiet.best().kind == "none" and test.name(quiet.best()) == "none"
    motor = robot.model.motor("left_shoulder_roll_joint")
    tau = sample.tau.copy()
    tau[motor] += 25.0
    sample.tau = tau
    found = test.solve(antaeus.ResidualEstimator(robot).form(reader.at(sample)))
    best = found.best()
    assert found.alarm and found.explained and found.chi_squared > found.threshold
    assert (best.kind, best.motor, best.unit) == ("joint_offset", motor, "N·m")
    assert test.name(best) == "offset of left_shoulder_roll_joint" and motor in test.motors()
    assert best.estimate.shape == best.deviation.shape == (1,) and best.size == best.estimate[0] > 0
    assert found.causes[1].kind == found.runner_up().kind and found.causes[1].separation in ("indistinct", "strong",
                                                                                             "very_strong")
    test.reset()
    now = reader.at(sample)
    stale = antaeus.ResidualEstimator(robot).form(now)
    assert test.add(stale, 0.5) == "ok" and test.add(stale, -1.0) == "not_finite"
    assert test.solve().rows == pytest.approx(0.5 * len(test.motors()))
    reader.at(sample)
    assert test.add(stale) == "not_computed"


def test_a_lasting_misfit_alarms():
    watch = antaeus.SequentialHypothesis(independent_rate=10.0)
    assert watch.step(0.0, np.nan, 8) == "not_finite" and not watch.alarm() and np.isnan(watch.onset())
    for step in range(200):
        assert watch.step(0.1 * step, 8.0 if step < 50 else 20.0, 8) == "ok"
    assert watch.alarm() and watch.level() > 1 and 4.0 < watch.onset() < 6.0
    assert watch.step(0.0, 8.0, 8) == "time_back"
    watch.reset()
    assert not watch.alarm() and watch.level() == 0
    with pytest.raises(antaeus.OptionsError):
        antaeus.SequentialHypothesis(drift=0.0)


def test_what_a_limb_cannot_sense_is_a_fact_of_its_build():
    robot = antaeus.load_robot("planar_3r")
    reader = antaeus.InstantReader(robot, ["tool"])
    sensed = antaeus.PosteriorEstimator(reader).sensed(0)
    assert (sensed.insensible, sensed.fixed, sensed.excused()) == (1, 1, 1)
    assert sensed.text() == "senses x and y of the base; z not, by its build"
    np.testing.assert_allclose(np.abs(sensed.directions[:, 0]), [0, 0, 1], atol=1e-12)
    assert not antaeus.PosteriorEstimator(reader, want="xy").wants_insensible(0)
    assert antaeus.PosteriorEstimator(reader, want="z").wants_insensible(0)
    # In place of pinv(J.T): the plane passes, and the sd of what nobody feels is the prior's.
    q = robot.pose("bent")
    wrench = antaeus.FrameWrenchEstimator(robot, frames=["tool"]).get_frame_wrench("tool", q, np.zeros(3))
    assert wrench.uncertainty.insensible == 1 and "unobservable_direction" not in wrench.reasons
    assert wrench.uncertainty.worst_sd() == wrench.uncertainty.force_sd[1] < 5 < wrench.uncertainty.force_sd[2]
    robot.profile.settings.set("posterior.want=z")
    refused = antaeus.FrameWrenchEstimator(robot, frames=["tool"]).get_frame_wrench("tool", q, np.zeros(3))
    assert refused.verdict == "unobservable", "none of what is wanted is observed, which is worse than refused"
    assert "insensible_direction" in refused.reasons
