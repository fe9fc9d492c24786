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
        assert np.array_equal(theirs, ours, equal_nan=True), f"row {self.next} {name}: {theirs} {ours}"

    def expect_fields(self, of):
        """Attributes and functions of an object, up to the next full stop."""
        while (name := self.rows[self.next][0]) != ".":
            ours = getattr(of, name)
            self.expect(name, ours() if callable(ours) else ours)
        self.next += 1


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
    printed.expect_fields(estimate)


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
        printed.expect_fields(r)
        estimates = posterior.solve(r)
        for estimate in estimates:
            printed.expect("wrench", estimate.wrench.to_vector())
            printed.expect_fields(estimate.uncertainty)
        for result in reliability.judge(estimates):
            printed.expect_fields(result)
        for read in guarded.update(sample):
            printed.expect("guarded", read.wrench.to_vector())
        printed.expect("drop_in", drop_in.get_frame_wrench(hands[0], sample.q, sample.tau))


def wave(size, phase):  # math.sin is the C library's
    return np.array([0.6 * math.sin(0.7 * i + phase) for i in range(size)])


def check_ik(robot, printed):
    chain = antaeus.KinematicChain(robot.model, robot.profile.endpoints[0].frame)
    plain = antaeus.PlainSolver(chain, method="pinv", axes="local")
    seen = set()
    for position_only in (False, True):
        solver = antaeus.ReachSolver(antaeus.ReachModel(chain, position_only=position_only))
        for k in range(40):
            start, _ = chain.pulled_in(chain.middle() + wave(chain.size(), k))
            X_WF = chain.pose(chain.pulled_in(start + 0.3 * wave(chain.size(), k + 0.5))[0])
            share = (1.5 if k % 4 == 3 else 1.0) * (0.4 if k % 8 == 2 else 1.0)
            X_WF = antaeus.Pose(X_WF.rotation * (1.1 if k == 5 else 1.0), X_WF.translation * share)
            start[2] += 9.0 if k % 8 == 4 else 0.0
            start[1] = np.nan if k == 6 else start[1]
            printed.expect("target", X_WF.translation)
            printed.expect("rotation", X_WF.rotation)
            followed = solver.follow(X_WF, start)
            for found in (solver.solve(X_WF), plain.solve(X_WF, start), followed, solver.explain(X_WF, followed)):
                printed.expect_fields(found)
                code = [list(antaeus.ReachStatus).index(found.status), list(antaeus.ReachEvidence).index(found.evidence)]
                printed.expect("status", code)
                seen.add(str(found.status))
    assert seen > {"reached", "out_of_reach", "bad_input", "iteration_budget"}, seen


def check_contact(robot, printed):
    feet = ["left_ankle_roll_link", "right_ankle_roll_link"]
    q, v, a = (printed.read(name).reshape(8, -1) for name in ("q", "v", "a"))
    for limits in ("none", "pyramid", "cone"):
        for compatibility in ("none", "nimble"):
            for motion in (dict(q=q, v=v, a=a, dt=0.01), dict(q=q, dt=0.01)):
                result = antaeus.contact(motion, robot, feet, over_time="v" not in motion, limits=limits,
                                         wrench_frame="link", compatibility=compatibility)
                printed.expect_fields(result)
                for violation in result.violations:
                    printed.expect_fields(violation)


def check_tiers(printed):
    V = np.column_stack([wave(6, 2.0 * i + 0.5) - np.eye(6)[i] for i in range(6)])
    tiers, damping, carried = antaeus.ThreeTierInverse(6, 6), antaeus.SmoothDamping(6, 6), antaeus.CarriedReference(6, 6)
    for _ in range(8):
        J = printed.read("J").reshape(6, 6)
        for inverse in (tiers, damping):
            printed.expect_fields(inverse.compute(J, V))
            printed.expect_fields(inverse)
        printed.expect("lambda_", carried.update(J, V, wave(6, 0.2), wave(6, 0.4), 0.01).lambda_)
        printed.expect_fields(carried)


@pytest.mark.parametrize("name", ["spacecraft_ur3", "spacecraft_panda"])
def test_free_flyers_give_the_bits_of_cpp(name):
    robot, printed = antaeus.load_robot(name), Printed(name)
    model, frame = robot.model, robot.profile.endpoints[0].frame
    check_tiers(printed)
    for coriolis in ("passive", "published"):
        flying = antaeus.FreeFlyer(model, frame, coriolis=coriolis)
        for _ in range(12):
            q, v = printed.read("q"), printed.read("v")
            printed.expect_fields(flying.motion_at(q, v))
            terms = flying.at(q, v)
            for _ in range(2 + (flying.joints() == 7)):  # motion, terms, kernel
                printed.expect_fields(terms)
            printed.expect_fields(flying.conditioning_at(q))
    flying = antaeus.FreeFlyer(model, frame)
    found = antaeus.choose_q_init_by_sigma(flying)
    printed.expect_fields(found)
    printed.expect("start", antaeus.deterministic_q_init(flying))
    printed.expect("initial", antaeus.initial_joints(flying))
    printed.expect("perturbed", antaeus.perturbed_start(found.theta, 0.01))
    if flying.joints() == 6:
        printed.expect_fields(antaeus.fit_elbow_law(flying))
    q = np.concatenate([model.neutral()[:7], found.theta])
    for law in ("regulator", "tracker", "carried"):
        control, flight = antaeus.FlyingControl(model, frame, q, law=law), antaeus.FreeFlight(model)
        flight.reset(q, 0.1 * wave(model.nv(), 0.5))
        rest = flying.motion_at(q, np.zeros(model.nv()))
        goal = antaeus.FlyingReference(antaeus.Pose(rest.X_WE.rotation, rest.X_WE.translation + [0.02, 0, 0]), np.eye(3),
                                       rest.p_com)
        for _ in range(50):
            command = control.update(flight.q(), flight.v(), goal, 0.004)
            printed.expect_fields(command)
            flight.step(command.tau, 0.004)
            printed.expect_fields(flight)
    for sigma in (0.0, 0.01, 0.03, 0.05, 1.0):
        printed.expect("ramp", antaeus.gamma_ramp(sigma))
    assert printed.next == len(printed.rows)


@pytest.mark.parametrize("name", ["h1_2", "planar_3r", "panda"])
def test_every_function_gives_the_bits_of_cpp(name):
    robot = antaeus.load_robot(name)
    printed = Printed(name)
    for _ in range(5):
        check_dynamics(robot, printed)
    if name == "panda":
        check_ik(robot, printed)
    for i in range(4):
        count = robot.model.motor_count()
        v, q, hold = 4.0 * wave(count, i), wave(count, 0.1 * i), wave(count, 0.3 * i)
        printed.expect("braked", antaeus.damping_mode(robot, v).tau)
        printed.expect("held", antaeus.damping_mode(robot, v, q, hold, damping=0.3, limit_share=0.7).tau)
    if name == "h1_2":
        twin = antaeus.make_twin(robot, "incident", duration=0.4, torque_noise=0.5, seed=7)
        reader = antaeus.InstantReader(robot, robot.endpoint_frames())
        deployed = antaeus.DeployedEstimator(reader, characteristic_length=0.3)
        stacked = antaeus.StackedEstimator(reader, "motors_and_base")
        chain = antaeus.GuardChain()
        printed.expect("tau", twin.episode.tau)
        for step in range(twin.episode.steps()):
            now = reader.at(twin.episode.observe(step))
            printed.expect_fields(now)
            printed.expect("jacobian", now.jacobian(0))
            hands = deployed.solve(now)
            for estimate in (*hands, *stacked.solve(now)):
                check_estimate(estimate, printed)
            printed.expect("matrix", stacked.matrix())
            read = chain.apply(hands[0])
            printed.expect("guarded", read.wrench.to_vector())
            for record in read.records:
                printed.expect_fields(record)
        check_posterior(robot, printed)
        check_contact(robot, printed)
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
