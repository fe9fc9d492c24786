"""antaeus.space against formulas written here with NumPy on what Pinocchio's Python says of the same robots, and its
surface: what owns its numbers, what is refused.

M, C and the frame's Jacobians are Pinocchio's, the map and its inverse are formed anew. Rates, equations of motion,
tiers and laws of control are tests/space/; that Python has their numbers is bitwise_test.py.
"""

import gc
import math

import antaeus
import numpy as np
import pinocchio
import pytest
from support import generator, tolerance

ENDS = {"spacecraft_ur3": "ee_link", "spacecraft_panda": "panda_hand_tcp"}
STATES = 150
REGULAR = 0.02  # of σ_min(J⊕)
SINGLE = dict(j_plus=dict(exit_step=0.0), null_space=dict(exit_step=0.0))  # random states are no motion


def cross(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def largest(array):
    return np.abs(array).max()


class Reference:
    """The robot as Pinocchio reads it, and the formulas of docs/concepts/space.md."""

    def __init__(self, urdf, frame):
        model = pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
        model.gravity.setZero()
        self.model, self.data = model, model.createData()
        self.frame, self.n = model.getFrameId(frame), model.nv - 6

    def position(self, q):
        """Map at rest: Γ, J⊕ and what they are made of."""
        model, data = self.model, self.data
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        pinocchio.computeJointJacobians(model, data, q)
        pinocchio.updateFramePlacements(model, data)
        R_b, R_e = data.oMi[1].rotation, data.oMf[self.frame].rotation
        p_c = pinocchio.centerOfMass(model, data, q).copy()
        pinocchio.computeJointJacobians(model, data, q)
        pinocchio.updateFramePlacements(model, data)
        J = pinocchio.getFrameJacobian(model, data, self.frame, pinocchio.LOCAL)
        J_com = pinocchio.jacobianCenterOfMass(model, data, q)  # in world axes
        p_b, p_e = data.oMi[1].translation.copy(), data.oMf[self.frame].translation.copy()
        p_bc, p_ec = R_b.T @ (p_c - p_b), R_e.T @ (p_c - p_e)
        J_v_bar = R_b.T @ J_com[:, 6:]
        R_eb = R_e.T @ R_b
        J_plus = J[:, 6:].copy()
        J_plus[:3] -= R_eb @ J_v_bar
        G_omega_b = np.vstack([cross(p_ec) @ R_eb, R_eb])
        G_v_c = np.vstack([R_e.T, np.zeros((3, 3))])
        Gamma = np.zeros((12, 6 + self.n))
        Gamma[:3, :3], Gamma[:3, 3:6], Gamma[:3, 6:] = R_b, -R_b @ cross(p_bc), R_b @ J_v_bar
        Gamma[3:6, 3:6], Gamma[6:, 3:6], Gamma[6:, 6:] = np.eye(3), G_omega_b, J_plus
        return dict(M=M, p_com=p_c, p_bc=p_bc, p_ec=p_ec, J_v_bar=J_v_bar, J_plus=J_plus, G_omega_b=G_omega_b,
                    G_v_c=G_v_c, Gamma=Gamma, J=J.copy(), J_com=J_com.copy(), R_b=R_b.copy(), R_e=R_e.copy(), p_b=p_b,
                    p_e=p_e, J_bare=J[:, 6:].copy())

    def coriolis(self, q, v):
        return pinocchio.computeCoriolisMatrix(self.model, self.data, q, v).copy()

    def twist(self, name, q, v, axes):
        pinocchio.forwardKinematics(self.model, self.data, q, v)
        pinocchio.updateFramePlacements(self.model, self.data)
        return pinocchio.getFrameVelocity(self.model, self.data, self.model.getFrameId(name), axes).vector.copy()

    def random(self, numbers):
        q = pinocchio.neutral(self.model)
        q[:3] = numbers.uniform(-2, 2, 3)
        q[3:7] = numbers.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
        q[7:] = numbers.uniform(-3, 3, self.n)
        return q, numbers.uniform(-1, 1, self.model.nv)

    def regular(self, numbers, count):
        found = []
        while len(found) < count:
            q, v = self.random(numbers)
            if np.linalg.svd(self.position(q)["J_plus"], compute_uv=False)[-1] >= REGULAR:
                found.append((q, v))
        return found


def other_masses(text):
    """Another robot of the same kind: other masses, a base off its middle, an end-effector elsewhere."""
    text = text.replace('mass value="150', 'mass value="83.5')
    text = text.replace('<origin xyz="0.02 -0.03 0.05"', '<origin xyz="-0.11 0.07 -0.02"')
    tool = ('<link name="offset_tool"/><joint name="offset_tool_joint" type="fixed"><parent link="ee_link"/>'
            '<child link="offset_tool"/><origin xyz="0.05 -0.12 0.2" rpy="0.4 -0.3 1.1"/></joint>')
    return text.replace("</robot>", tool + "</robot>")


@pytest.fixture(scope="module", params=["spacecraft_ur3", "spacecraft_panda", "another robot"])
def craft(request, tmp_path_factory):
    """A FreeFlyer and the reference of the same robot."""
    if request.param == "another robot":
        source = antaeus.robots_folder() / "spacecraft_ur3" / "spacecraft_ur3.urdf"
        text = source.read_text(encoding="utf-8")
        changed = other_masses(text)
        assert changed.count("83.5") == 1 and changed.count("-0.11 0.07 -0.02") == 1
        urdf, frame, name = tmp_path_factory.mktemp("robot") / "other.urdf", "offset_tool", "other"
        urdf.write_text(changed, encoding="utf-8")
        robot = antaeus.load_robot(str(urdf), base="floating", meshes="ignored")
    else:
        name, frame = request.param, ENDS[request.param]
        robot, urdf = antaeus.load_robot(name), antaeus.robots_folder() / name / f"{name}.urdf"
    reference = Reference(urdf, frame)
    assert robot.model.nv() == reference.model.nv
    numbers = generator()
    return robot, frame, reference, reference.regular(numbers, STATES), numbers


def test_every_matrix_is_the_formulas(craft):
    robot, frame, reference, states, _ = craft
    flying = antaeus.FreeFlyer(robot, frame, **SINGLE)
    n, worst = reference.n, {}

    def see(name, ours, theirs):
        scale = max(1.0, largest(theirs))
        assert np.shape(ours) == np.shape(theirs), name
        worst[name] = max(worst.get(name, 0.0), largest(np.asarray(ours) - theirs) / scale)

    for q, v in states:
        terms = flying.at(q, v)
        assert terms.status == "ok" and terms.tier == "exact"
        at = reference.position(q)
        C = reference.coriolis(q, v)
        v_c = at["J_com"] @ v
        nu_e = at["J"] @ v
        for name in ("M", "p_com", "p_bc", "p_ec", "J_v_bar", "J_plus", "G_omega_b", "G_v_c", "Gamma"):
            see(name, getattr(terms, name), at[name])
        see("C", terms.C, C)
        see("v_c", terms.v_c, v_c)
        see("nu_e", terms.nu_e, nu_e)
        see("nu_plus", terms.nu_plus, nu_e - at["G_v_c"] @ v_c)
        see("X_WB", terms.X_WB.rotation, at["R_b"])
        see("X_WE", terms.X_WE.translation, at["p_e"])
        see("momentum_linear", terms.momentum_linear, at["M"][0, 0] * v_c)
        # About C, from Pinocchio's own momentum.
        total = pinocchio.computeCentroidalMomentum(reference.model, reference.data, q, v)
        see("momentum_angular", terms.momentum_angular, total.angular)
        inverse = np.linalg.pinv(at["J_plus"])
        see("J_plus_inverse", terms.J_plus_inverse @ at["J_plus"] @ terms.J_plus_inverse, inverse)
        y = at["Gamma"] @ v
        see("J_hat", terms.J_hat @ y, nu_e)
        # At zero momentum the base turns as the arm makes it: E's motion by the generalised Jacobian.
        I_c = at["M"][3:6, 3:6] + at["M"][0, 0] * cross(at["p_bc"]) @ cross(at["p_bc"])
        A_q = at["M"][3:6, 6:] - at["M"][0, 0] * cross(at["p_bc"]) @ at["J_v_bar"]
        see("J_free", terms.J_free, at["J_plus"] - at["G_omega_b"] @ np.linalg.solve(I_c, A_q))
        spectrum = np.linalg.svd(at["J_plus"], compute_uv=False)
        whole = np.linalg.svd(at["Gamma"], compute_uv=False)
        assert math.isclose(terms.sigma_J, spectrum[-1], rel_tol=tolerance("kExtremeSigma"))
        assert math.isclose(terms.sigma_Gamma, whole[-1], rel_tol=tolerance("kExtremeSigma"))
        assert math.isclose(terms.kappa_J, spectrum[0] / spectrum[-1], rel_tol=tolerance("kExtremeSigma"))
        assert math.isclose(terms.kappa_Gamma, whole[0] / whole[-1], rel_tol=tolerance("kExtremeSigma"))
        if n == 7:
            # The last row of the full decomposition; the economy one has no such row.
            n_hat = np.linalg.svd(at["J_plus"])[2][-1]
            n_hat = n_hat if n_hat @ terms.n_hat > 0 else -n_hat
            k_hat = np.concatenate([-at["J_v_bar"] @ n_hat, np.zeros(3), n_hat])
            mu = k_hat @ at["M"] @ k_hat
            for name, theirs in (("n_hat", n_hat), ("k_hat", k_hat), ("mu", mu), ("z_a", at["M"] @ k_hat / mu),
                                 ("v_n", terms.z_a @ v), ("Gamma_a", np.vstack([terms.Gamma, terms.z_a]))):
                see(name, getattr(terms, name), theirs)
        if n == 6:
            # The numeric inverse, and with it the published formulas of M̂ and Ĉ.
            G = np.linalg.inv(at["Gamma"])
            see("Gamma_inverse", terms.Gamma_inverse, G)
            see("M_hat", terms.M_hat, G.T @ at["M"] @ G)
            see("C_hat", terms.C_hat, G.T @ (C - at["M"] @ G @ terms.Gamma_dot) @ G)
        see("M_breve", terms.M_breve, terms.M_hat[3:, 3:])
        see("C_breve", terms.C_breve, terms.C_hat[3:, 3:])
        see("C_c block", terms.C_c, terms.C_hat[3:, :3])
    print({name: f"{value:.1e}" for name, value in worst.items()})
    for name, value in worst.items():
        assert value < tolerance("kSpaceParity"), name


def test_twists_are_pinocchios(craft):
    robot, frame, reference, states, _ = craft
    flying = antaeus.FreeFlyer(robot, frame)
    kinds = {"local": pinocchio.LOCAL, "world": pinocchio.WORLD, "local_world_aligned": pinocchio.LOCAL_WORLD_ALIGNED,
             "lwa": pinocchio.LOCAL_WORLD_ALIGNED}
    root = robot.model.description().root
    worst, kept = 0.0, []
    for q, v in states[:40]:
        kept.append(flying.at(q, v))
        for name in (frame, root):
            for axes, theirs in kinds.items():
                expected = reference.twist(name, q, v, theirs)
                for asked in (flying, kept[-1], flying.motion_at(q, v)):
                    worst = max(worst, largest(asked.twist(name, axes) - expected))
        worst = max(worst, largest(flying.twist(flying.frame(), antaeus.TwistAxes.local) - kept[-1].nu_e))
    # A result answers for its own state, also after other calls.
    for (q, v), terms in zip(states, kept):
        worst = max(worst, largest(terms.twist(frame, "world") - reference.twist(frame, q, v, pinocchio.WORLD)))
    assert worst < tolerance("kMapVelocity")
    with pytest.raises(antaeus.OptionsError, match="twist.axes: unknown value 'wrld'; did you mean 'world'"):
        flying.twist(frame, "wrld")
    with pytest.raises(antaeus.ModelError, match="did you mean"):
        flying.twist(frame + "x", "world")


def test_a_result_owns_its_numbers(craft):
    robot, frame, _, states, _ = craft
    flying = antaeus.FreeFlyer(robot, frame)
    first = flying.at(*states[0])
    kept = {name: getattr(first, name).copy() for name in ("M_hat", "Gamma", "C_hat", "J_plus", "p_com", "q")}
    for q, v in states[1:30]:
        flying.at(q, v)
    flying.reset()
    del flying
    gc.collect()
    for name, array in kept.items():
        assert np.array_equal(getattr(first, name), array), name
        assert not getattr(first, name).flags.writeable
    assert first.twist(frame, "local").shape == (6,)
    null = ("n_hat", "k_hat", "z_a", "z_a_dot", "frozen", "M_hat_a", "C_hat_a", "Gamma_a", "mu", "null_report")
    assert [getattr(first, name) is None for name in null] == [first.Gamma.shape[1] == 12] * len(null)
    motion = antaeus.FreeFlyer(robot, frame).motion_at(*states[0])
    assert not hasattr(motion, "M") and not hasattr(motion, "J_plus_inverse")


def test_what_cannot_fly_says_why():
    with pytest.raises(antaeus.ModelError, match="bolted to the world.*free_flyer"):
        antaeus.FreeFlyer(antaeus.load_robot("ur5e"), "tool0")
    robot = antaeus.load_robot("spacecraft_ur3")
    with pytest.raises(antaeus.ModelError, match="did you mean 'ee_link'"):
        antaeus.FreeFlyer(robot, "ee_lnk")
    with pytest.raises(antaeus.ModelError, match="3 of its 6 joints move the frame"):
        antaeus.FreeFlyer(robot, "forearm_link")
    with pytest.raises(antaeus.OptionsError, match="j_plus.hard_floor: not below soft_floor"):
        antaeus.FreeFlyer(robot, "ee_link", j_plus=dict(hard_floor=0.02))
    with pytest.raises(antaeus.OptionsError, match="did you mean 'freeze_floor'"):
        antaeus.FreeFlyer(robot, "ee_link", null_space=dict(freeze_flor=0.02))
    with pytest.raises(antaeus.OptionsError, match="did you mean 'published'"):
        antaeus.FreeFlyer(robot, "ee_link", coriolis="publishd")
    flying = antaeus.FreeFlyer(robot.model, "ee_link")
    q, v = robot.model.neutral(), np.zeros(12)
    with pytest.raises(antaeus.StatusError, match="not_computed"):
        flying.twist("ee_link", "local")
    with pytest.raises(antaeus.StatusError, match=r"FreeFlyer\.at: wrong_size: v has shape \(11,\)"):
        flying.at(q, v[:11])
    off = q.copy()
    off[3:7] *= 1.5
    assert flying.at(off, v).status == "bad_orientation" and flying.motion_at(off, v).status == "bad_orientation"
    with pytest.raises(antaeus.StatusError, match="bad_orientation"):
        flying.twist("ee_link", "local")
    with pytest.raises(antaeus.StatusError, match="bad_orientation"):
        flying.gamma(off)
    assert np.array_equal(flying.at(off, v).J_plus_inverse, np.zeros((6, 6)))  # nothing was good yet
    assert flying.at(q, v).tier_report.initial and math.isinf(flying.at(q, v).kappa_J) or flying.at(q, v).kappa_J > 1e12


def test_a_free_base_comes_from_the_profile_or_the_call():
    urdf = antaeus.load_robot("spacecraft_ur3").model.description().source
    floating = antaeus.load_robot(urdf, base="floating")
    assert antaeus.FreeFlyer(floating, "ee_link").joints() == 6
    table_arm = antaeus.load_robot(antaeus.load_robot("ur5e").model.description().source, base="floating")
    with pytest.raises(antaeus.ModelError, match="no mass"):
        antaeus.FreeFlyer(table_arm, "tool0")
    robot = antaeus.load_robot("spacecraft_ur3")
    robot.profile.settings.set("j_plus.soft_floor=0.3")  # what a profile sets is read, what the caller sets wins
    q = robot.model.position_from_motors(robot.pose("ready"), [0, 0, 0, 1])
    assert antaeus.FreeFlyer(robot, "ee_link").at(q, np.zeros(12)).tier == "damped"
    assert antaeus.FreeFlyer(robot, "ee_link", j_plus=dict(soft_floor=0.02)).at(q, np.zeros(12)).tier == "exact"


def test_best_sample_with_three_arguments():
    def nearest(theta):
        assert isinstance(theta, np.ndarray) and theta.shape == (6,)
        return -np.linalg.norm(theta - 0.2)

    best = antaeus.best_sample(nearest, 96, 7)
    theta, score = best
    assert np.array_equal(theta, best.theta) and score == best.score == nearest(theta)
    assert np.abs(theta).max() <= 0.35 and best.index >= 0
    assert np.array_equal(antaeus.best_sample(nearest, 96, 7).theta, theta)
    assert not np.array_equal(antaeus.best_sample(nearest, 96, 8).theta, theta)
    assert antaeus.best_sample(nearest, 0, 7).index == 0  # the centre alone
    # As many joints as the score takes, or as the robot has.
    assert antaeus.best_sample(lambda theta: float(theta[6]), 20, 1).theta.shape == (7,)
    panda = antaeus.FreeFlyer(antaeus.load_robot("spacecraft_panda"), "panda_hand_tcp")
    found = panda.best_sample(lambda theta: theta.sum(), 20, seed=1, step=0.1)
    assert found.theta.shape == (7,) and found.score > 0
    assert antaeus.best_sample(lambda theta: -abs(theta[0] - 5), 50, 1, centre=[5.0, 1.0]).theta.shape == (2,)
    with pytest.raises(ZeroDivisionError):  # what a score raises, reaches the caller
        antaeus.best_sample(lambda theta: 1 / 0, 20, 1)
    nothing = antaeus.best_sample(lambda theta: math.nan, 20, 1)
    assert nothing.index == -1 and math.isnan(nothing.score)
    with pytest.raises(antaeus.Error, match="step"):
        antaeus.best_sample(nearest, 20, 1, step=-1.0)
    with pytest.raises(antaeus.OptionsError, match="hard_floor"):
        antaeus.ThreeTierInverse(6, 6, hard_floor=0.1)


def test_where_to_begin():
    flying = antaeus.FreeFlyer(antaeus.load_robot("spacecraft_ur3"), "ee_link")
    reference = Reference(antaeus.robots_folder() / "spacecraft_ur3/spacecraft_ur3.urdf", "ee_link")

    def sigma(theta):
        q = pinocchio.neutral(reference.model)
        q[7:] = theta
        return np.linalg.svd(reference.position(q)["Gamma"], compute_uv=False)[-1]

    found = antaeus.choose_q_init_by_sigma(flying, seed=3)
    assert math.isclose(found.score, sigma(found.theta), rel_tol=tolerance("kExtremeSigma"))
    assert np.array_equal(found.theta, flying.best_sample(sigma, 96, 3).theta)
    assert antaeus.choose_q_init_by_sigma(flying, samples=300, step=3.0, score="sigma_j").score > found.score
    start = antaeus.deterministic_q_init(flying, 0.05)
    assert np.array_equal(antaeus.initial_joints(flying, det=dict(enabled=True)), start)
    panda = antaeus.FreeFlyer(antaeus.load_robot("spacecraft_panda"), "panda_hand_tcp")
    with pytest.raises(antaeus.OptionsError, match="det.elbow: no law of the form"):
        antaeus.deterministic_q_init(panda, 0.05, elbow="panda_joint3", wrist="panda_joint7")
    with pytest.raises(antaeus.OptionsError, match="det.target_sigma: more than the law reaches"):
        antaeus.deterministic_q_init(flying, 0.1)


# --- Control and flights ----------------------------------------------------------------------------------------------


def test_a_flight_and_its_control_refuse():
    robot = antaeus.load_robot("spacecraft_ur3")
    q, v = robot.model.position_from_motors(robot.pose("ready"), [0, 0, 0, 1]), np.zeros(12)
    motion = antaeus.FreeFlyer(robot, "ee_link").motion_at(q, v)
    goal = antaeus.FlyingReference(antaeus.Pose(motion.X_WE.rotation, motion.X_WE.translation + [0.02, -0.03, 0.01]),
                                   motion.X_WB.rotation, motion.p_com)
    control = antaeus.FlyingControl(robot, "ee_link", q, law="tracker", actuators={"thruster_force": 5.0})
    # x_p = R_eᵀ(p_e − p_ed), by hand.
    np.testing.assert_allclose(control.update(q, v, goal, 0.002).x_p, motion.X_WE.rotation.T @ [-0.02, 0.03, -0.01],
                               atol=1e-12)
    stuck = control.update(np.full(13, np.nan), v, goal, 0.002)
    assert str(stuck.status) != "ok" and np.all(stuck.tau == 0)
    assert antaeus.gamma_ramp(0.03, low=0.0, high=0.06, floor=0.0) == pytest.approx(0.5)
    flight = antaeus.FreeFlight(robot)
    flight.reset(q, v)
    with pytest.raises(antaeus.StatusError, match="not_finite"):
        flight.step(v, -1.0)
    with pytest.raises(antaeus.StatusError, match="tau has shape"):
        flight.step(v[:3], 0.1)
    with pytest.raises(antaeus.ModelError, match="free"):
        antaeus.FreeFlight(antaeus.load_robot("ur5e"))


def test_a_flight_is_that_of_the_command_line():
    settings = {"experiment.comparisons": False, "space.duration": 3, "q0_eps": 0.01}
    result = antaeus.run_space_scenario("pose-change", settings, seed=4)
    assert result.summary["scenario"] == "pose-change" and result.command.startswith("antaeus space pose-change --seed 4")
    assert result.samples["time"][-1] == pytest.approx(3.0)
    assert set(antaeus.space_scenario_names()) >= {"pose-change", "tracking", "inspection", "tumble", "singular", "posture"}
    with pytest.raises(antaeus.OptionsError, match="pose-change"):
        antaeus.run_space_scenario("pose-chang")
    with pytest.raises(antaeus.ModelError, match="6 or 7"):
        antaeus.run_space_scenario("tumble", robot="planar_3r")


def test_the_published_scheme_is_its_parts():
    """compatibility="published" is what its options are one by one, and refuses what contradicts it."""
    robot = antaeus.load_robot("spacecraft_panda")
    end, by_hand = ENDS["spacecraft_panda"], dict(j_plus=dict(exit_step=0.0), coriolis="published",
                                                  null_space=dict(exit_step=0.0, freeze="all"))
    ours, theirs = antaeus.FreeFlyer(robot, end, compatibility="published"), antaeus.FreeFlyer(robot, end, **by_hand)
    random = generator()
    for _ in range(20):
        q = np.r_[random.normal(size=3), 0, 0, 0, 1, random.uniform(-1, 1, 7)]
        v = random.normal(size=13)
        a, b = ours.at(q, v), theirs.at(q, v)
        assert a.status == b.status == "ok" and not a.passive
        for name in ("M_hat", "C_hat", "J_plus_inverse", "n_hat", "k_hat", "z_a"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        G, M, C = a.Gamma_inverse, a.M, a.C
        np.testing.assert_allclose(a.C_hat, G.T @ (C - M @ G @ a.Gamma_dot) @ G, rtol=0,
                                   atol=1e-10 * max(1.0, np.abs(a.C_hat).max()))
    q = np.r_[np.zeros(6), 1, 0.2, -0.6, 0.1, -2.0, 0.15, 1.6, 0.6]
    rest = np.zeros(13)
    at = ours.at(q, rest)
    reference = antaeus.FlyingReference(at.X_WE, np.eye(3), at.p_com, acceleration=[0.1, -0.2, 0.05])
    control = antaeus.FlyingControl(robot, end, q, compatibility="published")
    given = control.update(q, rest, reference, 1e-3)
    wanted = np.r_[np.zeros(3), at.X_WE.rotation.T @ [0.1, -0.2, 0.05], np.zeros(3)]
    f = np.r_[np.zeros(3), given.gamma * at.M_breve @ wanted]  # M̆ by Moore-Penrose, as the pseudocode has it
    np.testing.assert_allclose(given.wanted, at.Gamma.T @ f, rtol=0, atol=1e-11)
    weighted = antaeus.FlyingControl(robot, end, q, law="tracker").update(q, rest, reference, 1e-3)
    assert largest(weighted.wanted - given.wanted) > 1e-3
    assert antaeus.FlyingControl(robot, end, q, law="regulator", compatibility="published").gains().com_damping > 0
    for make, what in (
        (lambda: antaeus.FlyingControl(robot, end, q, law="carried", compatibility="published"), "tracker and regulator"),
        (lambda: antaeus.FlyingControl(robot, end, q, pull=1.0, compatibility="published"), "nothing in it reads"),
        (lambda: antaeus.FlyingControl(robot, end, q, compatibility="publishd"), "published"),
        (lambda: antaeus.FlyingControl(robot, end, q, carry=dict(band=0.1), compatibility="published"), "carry"),
        (lambda: antaeus.FreeFlyer(robot, end, j_plus=dict(exit_step=0.5), compatibility="published"), "lets go at once"),
        (lambda: antaeus.FreeFlyer(robot, end, null_space=dict(freeze="direction"), compatibility="published"), "freezes all"),
        (lambda: antaeus.run_space_scenario("tumble", {"space.compatibility": "published", "flying.law": "carried"}),
         "tracker and regulator"),
    ):
        with pytest.raises(antaeus.OptionsError, match=what):
            make()


def test_a_flight_as_published_says_what_it_costs():
    flight = antaeus.run_space_scenario("singular", {"space.compatibility": "published", "experiment.comparisons": False})
    assert round(flight.metrics["inverse_step"]) == 40 and not flight.is_met()
    assert any("does worse than the defaults" in remark for remark in flight.remarks)
