"""C++ equals Python bit for bit: print_numbers.cpp prints what the library computes, the command line what it says."""

import json
import math
import os
import subprocess

import antaeus
import numpy as np
import pytest


class Printed:
    """The rows that print_numbers prints, in order."""

    def __init__(self, robot):
        out = subprocess.run([os.environ["ANTAEUS_PRINT_NUMBERS"], robot], capture_output=True, text=True, check=True)
        self.rows = [line.split() for line in out.stdout.splitlines()]
        self.next = 0

    def read(self, name):
        row = self.rows[self.next]
        self.next += 1
        assert row[0] == name
        return np.array([float.fromhex(number) for number in row[1:]])

    def expect(self, name, ours):
        ours = np.asarray(ours, dtype=float).ravel()
        theirs = self.read(name)
        assert np.array_equal(theirs, ours, equal_nan=True), f"row {self.next} {name}: {np.abs(theirs - ours).max()}"


def check_dynamics(robot, printed):
    dynamics = antaeus.Dynamics(robot.model)
    q, v, a = (printed.read(name) for name in ("q", "v", "a"))
    terms = dynamics.at(q)
    frame = robot.model.frame(robot.endpoint_frames()[0])
    printed.expect("gravity_torque", terms.gravity_torque())
    printed.expect("rotation", terms.frame_pose(frame).rotation)
    printed.expect("translation", terms.frame_pose(frame).translation)
    printed.expect("frame_jacobian", terms.frame_jacobian(frame))
    printed.expect("center_of_mass", terms.center_of_mass())
    printed.expect("inverse_dynamics", dynamics.inverse_dynamics(q, v, a))
    printed.expect("forward_dynamics", dynamics.forward_dynamics(q, v, a))
    printed.expect("nonlinear_effects", dynamics.nonlinear_effects(q, v))
    printed.expect("mass_matrix", dynamics.mass_matrix(q))
    printed.expect("coriolis_matrix", dynamics.coriolis_matrix(q, v))


def check_estimate(estimate, printed):
    printed.expect("wrench", estimate.wrench.to_vector())
    printed.expect("gain", estimate.gain)
    printed.expect("figures", [estimate.kappa, estimate.kappa_scaled, estimate.sigma_min, estimate.sigma_max,
                               estimate.manipulability, estimate.reference_residual])


def check_posterior(robot, printed):
    episode = antaeus.make_twin(robot, "pushes", duration=0.4, torque_noise=0.5, seed=8).episode
    hands = robot.profile.deployed_endpoints
    reader = antaeus.InstantReader(robot, hands)
    residual = antaeus.ResidualEstimator(robot, kind="momentum_observer")
    posterior = antaeus.PosteriorEstimator(reader, reference="innovation")
    reliability = antaeus.ReliabilityEstimator(reader, posterior)
    guarded = antaeus.GuardedEstimator(robot, hands)
    drop_in = antaeus.FrameWrenchEstimator(robot)
    for step in range(episode.steps()):
        sample = episode.observe(step)
        r = residual.form(reader.at(sample))
        printed.expect("residual", r.value)
        printed.expect("variance", r.variance)
        estimates = posterior.solve(r)
        for estimate in estimates:
            u = estimate.uncertainty
            printed.expect("wrench", estimate.wrench.to_vector())
            printed.expect("covariance", u.covariance)
            printed.expect("directions", u.directions)
            printed.expect("doubt", [u.force_sd[0], u.worst_sd(), u.nis, u.nis_threshold, u.innovation, u.innovation_sd])
        for result in reliability.of(estimates):
            printed.expect("redundancy", result.redundancy)
            printed.expect("bias", result.minimal_detectable_bias)
            printed.expect("external", result.external_force)
        for read in guarded.update(sample):
            printed.expect("guarded", read.wrench.to_vector())
        printed.expect("drop_in", drop_in.get_frame_wrench(hands[0], sample.q, sample.tau))


def check_ik(robot, printed):
    chain = antaeus.KinematicChain(robot.model, robot.profile.endpoints[0].frame)
    solver = antaeus.ReachSolver(antaeus.ReachModel(chain))
    plain = antaeus.PlainSolver(chain, method="pinv", axes="local")

    def wave(phase):  # math.sin is the C library's
        return np.array([0.6 * math.sin(0.7 * i + phase) for i in range(chain.size())])

    for k in range(40):
        start, _ = chain.pulled_in(chain.middle() + wave(k))
        X_WF = chain.pose(chain.pulled_in(start + 0.3 * wave(k + 0.5))[0])
        if k % 4 == 3:
            X_WF = antaeus.Pose(X_WF.rotation, X_WF.translation * 1.5)
        printed.expect("target", X_WF.translation)
        printed.expect("rotation", X_WF.rotation)
        followed = solver.follow(X_WF, start)
        for name, found in (("solved", solver.solve(X_WF)), ("plain", plain.solve(X_WF, start)), ("followed", followed),
                            ("explained", solver.explain(X_WF, followed))):
            printed.expect(name, found.q)
            printed.expect("errors", [found.position_error, found.rotation_error, found.gradient])
            printed.expect("counts", [found.iterations, found.attempts, found.descents, found.agreeing_starts])


@pytest.mark.parametrize("name", ["h1_2", "planar_3r", "panda"])
def test_every_function_gives_the_bits_of_cpp(name):
    robot = antaeus.load_robot(name)
    printed = Printed(name)
    for _ in range(5):
        check_dynamics(robot, printed)
    if name == "panda":
        check_ik(robot, printed)
    if name == "h1_2":
        twin = antaeus.make_twin(robot, "incident", duration=0.4, torque_noise=0.5, seed=7)
        reader = antaeus.InstantReader(robot, robot.endpoint_frames())
        deployed = antaeus.DeployedEstimator(reader, characteristic_length=0.3)
        stacked = antaeus.StackedEstimator(reader, "motors_and_base")
        chain = antaeus.GuardChain()
        printed.expect("tau", twin.episode.tau)
        for step in range(twin.episode.steps()):
            now = reader.at(twin.episode.observe(step))
            printed.expect("residual", now.static_residual())
            printed.expect("base_residual", now.base_residual())
            printed.expect("jacobian", now.jacobian(0))
            hands = deployed.solve(now)
            for estimate in (*hands, *stacked.solve(now)):
                check_estimate(estimate, printed)
            printed.expect("matrix", stacked.matrix())
            read = chain.apply(hands[0])
            printed.expect("guarded", read.wrench.to_vector())
            for record in read.records:
                printed.expect("record", [record.saw, record.limit])
        check_posterior(robot, printed)
    assert printed.next == len(printed.rows)


@pytest.mark.parametrize("name", ["deployed", "stacked"])
def test_the_command_line_gives_the_same_numbers(name, robot, tmp_path):
    twin = antaeus.make_twin(robot, "incident", duration=1.0, torque_noise=1.0, seed=3)
    antaeus.write_episode(twin.episode, tmp_path / "twin")
    out = subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", tmp_path / "twin", "--robot", "h1_2", "--json",
                          "--estimator", name], capture_output=True, text=True, check=True).stdout
    rows = iter(json.loads(out)["rows"])  # JSON holds the shortest text that reads back as the same number
    episode = antaeus.load_episode(tmp_path / "twin", robot)
    reader = antaeus.InstantReader(robot, robot.endpoint_frames())
    estimator = (antaeus.DeployedEstimator if name == "deployed" else antaeus.StackedEstimator)(reader)
    # The audit leaves the limit on κ, published for one wrist, out of the stacked matrix's chain.
    order = [kind for kind in antaeus.GuardChain.default_order() if name == "deployed" or kind != "condition"]
    chains = [antaeus.GuardChain(order) for _ in range(reader.endpoint_count())]
    for step in range(episode.steps()):
        now = reader.at(episode.observe(step))
        for endpoint, estimate, chain in zip(reader.endpoint_names(), estimator.solve(now), chains):
            row = next(rows)
            assert (row["step"], row["endpoint"], row["sign"]) == (step, endpoint, estimate.sign)
            assert row["wrench"] == estimate.wrench.to_vector().tolist()
            assert row["kappa"] == estimate.kappa
            assert row["sigma_min"] == estimate.sigma_min
            assert row["reference_gain_Fz"] == estimate.reference_gain[2]
            assert row["reference_residual_Nm"] == estimate.reference_residual
            read = chain.apply(estimate)
            assert row["verdict"] == read.verdict
    assert next(rows, None) is None
