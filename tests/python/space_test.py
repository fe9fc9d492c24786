"""antaeus.space against formulas written here with NumPy on what Pinocchio's Python says of the same robots.

Nothing below calls the library for what it checks: M, C and the frame's Jacobians are Pinocchio's, the map, its rate and
its inverse are formed anew, and derivatives are taken by differences.
"""

import gc
import math

import antaeus
import numpy as np
import pinocchio
import pytest
from antaeus import space
from support import generator, tolerance

ENDS = {"spacecraft_ur3": "ee_link", "spacecraft_panda": "panda_hand_tcp"}
STATES = 150
STEP = 1e-6
REGULAR = 0.02  # of σ_min(J⊕)
SINGLE = dict(j_plus=dict(exit_step=0.0), null_space=dict(exit_step=0.0))  # random states are no motion


def cross(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def largest(array):
    return np.abs(array).max()


class Reference:
    """The robot as Pinocchio reads it, and the formulas of docs/space.md."""

    def __init__(self, urdf, frame, locked=(), change=None):
        model = pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
        if locked:
            model = pinocchio.buildReducedModel(model, [model.getJointId(name) for name in locked],
                                                pinocchio.neutral(model))
        model.gravity.setZero()
        if change:
            change(model)
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

    def moved(self, q, v, dt):
        return pinocchio.integrate(self.model, q, dt * v)

    def acceleration(self, q, v, tau):
        return pinocchio.aba(self.model, self.data, q, v, tau).copy()

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


def test_structure_of_map_inertia_and_coupling(craft):
    robot, frame, reference, states, _ = craft
    flying = antaeus.FreeFlyer(robot, frame, **SINGLE)
    blocks = identity = coupling = skew = 0.0
    mass = sum(inertia.mass for inertia in reference.model.inertias)
    for q, v in states:
        t = flying.at(q, v)
        product = t.Gamma_inverse @ t.Gamma if reference.n == 6 else t.Gamma @ t.Gamma_inverse
        identity = max(identity, largest(product - np.eye(12)))
        blocks = max(blocks, largest(t.M_hat[:3, 3:]), largest(t.M_hat[3:, :3]),
                     largest(t.M_hat[:3, :3] - mass * np.eye(3)))
        coupling = max(coupling, largest(t.C_c) / largest(t.C_hat))
        # M̂̇ − 2Ĉ with M̂̇ = ĠᵀMG + Gᵀ(C + Cᵀ)G + GᵀMĠ.
        G, half = t.Gamma_inverse, t.Gamma_inverse_dot.T @ t.M @ t.Gamma_inverse
        rate = half + half.T + G.T @ (t.C + t.C.T) @ G
        skew = max(skew, largest(rate - t.C_hat - t.C_hat.T) / largest(t.C_hat))
        assert t.passive
    print(f"inverse {identity:.1e}, blocks {blocks:.1e}, C_c {coupling:.1e}, skew {skew:.1e}")
    assert identity < tolerance("kMapInverse")
    assert blocks < tolerance("kInertiaBlocks")
    assert coupling < tolerance("kCoupling")
    assert skew < tolerance("kSkew")


def test_rates_against_differences_of_the_formulas(craft):
    """Γ̇ against differences of a Γ that is formed here; M̂̇ − 2Ĉ against differences of M̂."""
    robot, frame, reference, states, _ = craft
    flying, probe = (antaeus.FreeFlyer(robot, frame, **SINGLE) for _ in range(2))
    gamma = skew = inverse = 0.0
    for q, v in states:
        t = flying.at(q, v)
        late, early = reference.moved(q, v, STEP), reference.moved(q, v, -STEP)
        difference = (reference.position(late)["Gamma"] - reference.position(early)["Gamma"]) / (2 * STEP)
        gamma = max(gamma, largest(difference - t.Gamma_dot))
        after, before = probe.at(late, v), probe.at(early, v)
        if not after.tier == before.tier == "exact":
            continue
        rate = (after.Gamma_inverse - before.Gamma_inverse) / (2 * STEP)
        inverse = max(inverse, largest(rate - t.Gamma_inverse_dot) / largest(t.Gamma_inverse_dot))
        M_rate = (after.M_hat - before.M_hat) / (2 * STEP)
        skew = max(skew, largest(M_rate - t.C_hat - t.C_hat.T) / largest(t.C_hat))
    print(f"map {gamma:.1e}, inverse {inverse:.1e}, skew {skew:.1e}")
    assert gamma < tolerance("kMapRate")
    assert inverse < tolerance("kInverseRate")
    assert skew < tolerance("kInertiaRate")


def test_equations_of_motion_against_pinocchios_forward_dynamics(craft):
    robot, frame, reference, states, numbers = craft
    flying = antaeus.FreeFlyer(robot, frame, **SINGLE)
    worst = com = 0.0
    for q, v in states:
        tau = numbers.uniform(-10, 10, reference.model.nv)
        a = reference.acceleration(q, v, tau)
        t = flying.at(q, v)
        if reference.n == 6:
            Gamma, Gamma_dot, M_hat, C_hat = t.Gamma, t.Gamma_dot, t.M_hat, t.C_hat
        else:
            Gamma, M_hat, C_hat = t.Gamma_a, t.M_hat_a, t.C_hat_a
            Gamma_dot = np.vstack([t.Gamma_dot, t.z_a_dot])
        f = np.linalg.solve(Gamma.T, tau)
        y, y_dot = Gamma @ v, Gamma @ a + Gamma_dot @ v
        scale = max(largest(f), largest(C_hat @ y), largest(M_hat @ y_dot))
        worst = max(worst, largest(M_hat @ y_dot + C_hat @ y - f) / scale)
        com = max(com, largest(t.M_hat[0, 0] * y_dot[:3] - f[:3]))
    print(f"equations of motion {worst:.1e}, centre of mass {com:.1e} N")
    assert worst < tolerance("kMotionEquation")
    assert com < tolerance("kMotionEquation")


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


def test_motion_alone_is_the_same_and_remembers_nothing(craft):
    robot, frame, _, states, _ = craft
    flying = antaeus.FreeFlyer(robot, frame)
    (q, v), (other, _) = states[:2]
    whole, motion = flying.at(q, v), flying.motion_at(q, v)
    assert not hasattr(motion, "M") and not hasattr(motion, "J_plus_inverse")
    for name in ("p_com", "p_bc", "p_ec", "v_c", "omega_b", "nu_e", "nu_plus", "G_omega_b", "G_v_c", "J_v_bar", "J_plus"):
        assert largest(getattr(whole, name) - getattr(motion, name)) < tolerance("kMapVelocity"), name
    # Nor does a sampler touch what at() gave: a state that cannot be used still holds it.
    flying.motion_at(other, v)
    flying.conditioning_at(other)
    flying.gamma(other)
    flying.j_plus(other)
    bad = v.copy()
    bad[0] = np.nan
    held = flying.at(q, bad)
    assert held.status == "not_finite" and held.tier == "held"
    assert np.array_equal(held.J_plus_inverse, whole.J_plus_inverse)
    assert np.isnan(held.M).all() and np.isnan(held.Gamma).all() and np.isnan(held.sigma_J)
    assert largest(flying.gamma(q) - whole.Gamma) < tolerance("kMapVelocity")
    assert largest(flying.j_plus(q) - whole.J_plus) < tolerance("kMapVelocity")
    rest = flying.conditioning_at(q)
    assert math.isclose(rest.sigma_Gamma, whole.sigma_Gamma, rel_tol=tolerance("kExtremeSigma"))


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


def test_seven_joints_and_their_kernel():
    robot, reference = antaeus.load_robot("spacecraft_panda"), None
    reference = Reference(antaeus.robots_folder() / "spacecraft_panda/spacecraft_panda.urdf", "panda_hand_tcp")
    flying, probe = (antaeus.FreeFlyer(robot, "panda_hand_tcp", **SINGLE) for _ in range(2))
    worst = dict.fromkeys(("kernel", "dual", "blocks", "inverse", "weighted", "skew", "n", "z", "base force"), 0.0)
    for q, v in reference.regular(generator(), STATES):
        t, at = flying.at(q, v), reference.position(q)
        assert t.frozen is False
        # The last row of the full decomposition; the economy one has no such row.
        n_hat = np.linalg.svd(at["J_plus"])[2][-1]
        n_hat = n_hat if n_hat @ t.n_hat > 0 else -n_hat
        k_hat = np.concatenate([-at["J_v_bar"] @ n_hat, np.zeros(3), n_hat])
        mu = k_hat @ at["M"] @ k_hat
        worst["n"] = max(worst["n"], largest(n_hat - t.n_hat), largest(k_hat - t.k_hat), abs(mu - t.mu))
        worst["z"] = max(worst["z"], largest(at["M"] @ k_hat / mu - t.z_a), abs(t.z_a @ v - t.v_n))
        worst["kernel"] = max(worst["kernel"], largest(t.Gamma @ t.k_hat))
        worst["dual"] = max(worst["dual"], abs(t.z_a @ t.k_hat - 1))
        worst["base force"] = max(worst["base force"], largest(t.z_a[:3]))
        worst["blocks"] = max(worst["blocks"], largest(t.M_hat_a[:3, 3:]), largest(t.M_hat_a[:12, 12]),
                              largest(t.M_hat_a[12, :12]))
        assert np.array_equal(t.Gamma_a, np.vstack([t.Gamma, t.z_a]))
        worst["inverse"] = max(worst["inverse"], largest(t.Gamma_a @ t.Gamma_a_inverse - np.eye(13)))
        spread = np.linalg.solve(at["M"], at["Gamma"].T)
        weighted = spread @ np.linalg.inv(at["Gamma"] @ spread)
        worst["weighted"] = max(worst["weighted"], largest(weighted - t.Gamma_a_inverse[:, :12]) / largest(weighted))
        after, before = (probe.at(reference.moved(q, v, dt), v) for dt in (STEP, -STEP))
        if t.n_hat @ after.n_hat > 0 and t.n_hat @ before.n_hat > 0 and not (after.frozen or before.frozen):
            z_rate = (after.z_a - before.z_a) / (2 * STEP)
            assert largest(z_rate - t.z_a_dot) / max(1, largest(t.z_a_dot)) < tolerance("kKernelRate")
            M_rate = (after.M_hat_a - before.M_hat_a) / (2 * STEP)
            worst["skew"] = max(worst["skew"], largest(M_rate - t.C_hat_a - t.C_hat_a.T) / largest(t.C_hat_a))
    print({name: f"{value:.1e}" for name, value in worst.items()})
    assert worst["kernel"] < tolerance("kKernel")
    assert max(worst["dual"], worst["base force"]) < tolerance("kKernelDual")
    assert worst["blocks"] < tolerance("kInertiaBlocks")
    assert worst["inverse"] < tolerance("kMapInverse")
    assert worst["weighted"] < tolerance("kWeightedInverse")
    assert max(worst["n"], worst["z"]) < tolerance("kSpaceParity")
    assert worst["skew"] < tolerance("kInertiaRate")
    six = antaeus.FreeFlyer(antaeus.load_robot("spacecraft_ur3"), "ee_link")
    t = six.at(six.model().neutral(), np.zeros(12))
    assert all(getattr(t, name) is None for name in ("n_hat", "k_hat", "z_a", "z_a_dot", "frozen", "M_hat_a", "C_hat_a",
                                                     "Gamma_a", "mu", "null_report"))


def test_published_coriolis_is_flagged_where_it_is_not_passive():
    numbers = generator()
    for name, passive in (("spacecraft_ur3", True), ("spacecraft_panda", False)):
        robot = antaeus.load_robot(name)
        reference = Reference(antaeus.robots_folder() / name / f"{name}.urdf", ENDS[name])
        flying = antaeus.FreeFlyer(robot, ENDS[name], coriolis="published", **SINGLE)
        for q, v in reference.regular(numbers, 10):
            t = flying.at(q, v)
            assert t.passive is passive
            formula = t.Gamma_inverse.T @ (t.C - t.M @ t.Gamma_inverse @ t.Gamma_dot) @ t.Gamma_inverse
            assert largest(t.C_hat - formula) / largest(formula) < tolerance("kSkew")


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
    # SplitMix64 (Steele, Lea and Flood, 2014), written here: the candidates are the same on every platform.
    state, mask, candidates = 7, (1 << 64) - 1, [np.zeros(6)]
    for _ in range(96):
        row = []
        for _ in range(6):
            state = (state + 0x9E3779B97F4A7C15) & mask
            z = state
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
            row.append(0.35 * (((z ^ (z >> 31)) >> 11) * 2.0**-52 - 1.0))
        candidates.append(np.array(row))
    assert np.array_equal(max(candidates, key=nearest), theta)

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


def test_where_to_begin():
    robot = antaeus.load_robot("spacecraft_ur3")
    flying = antaeus.FreeFlyer(robot, "ee_link")
    reference = Reference(antaeus.robots_folder() / "spacecraft_ur3/spacecraft_ur3.urdf", "ee_link")

    def sigma(theta, name="Gamma"):
        q = pinocchio.neutral(reference.model)
        q[7:] = theta
        return np.linalg.svd(reference.position(q)[name], compute_uv=False)[-1]

    found = antaeus.choose_q_init_by_sigma(flying, seed=3)
    assert math.isclose(found.score, sigma(found.theta), rel_tol=tolerance("kExtremeSigma"))
    again = flying.best_sample(sigma, 96, 3)
    assert np.array_equal(found.theta, again.theta)
    assert antaeus.choose_q_init_by_sigma(flying, samples=300, step=3.0, score="sigma_j").score > found.score

    # The law: fitted here from the bare arm alone.
    theta = np.array([0, 0, 1e-3, 0, np.pi / 2, 0])
    slope = sigma(theta, "J_bare") / np.sin(1e-3)
    law = antaeus.fit_elbow_law(flying)
    assert math.isclose(law.slope, slope, rel_tol=tolerance("kExtremeSigma"))
    theta[2] = 0.1
    assert math.isclose(law.sigma_Gamma, sigma(theta) / sigma(theta, "J_bare"), rel_tol=tolerance("kExtremeSigma"))
    start = antaeus.deterministic_q_init(flying, 0.05)
    assert start[4] == np.pi / 2 and math.isclose(start[2], math.asin(0.05 / slope), rel_tol=1e-9)
    assert np.array_equal(antaeus.initial_joints(flying), antaeus.choose_q_init_by_sigma(flying).theta)
    assert np.array_equal(antaeus.initial_joints(flying, det=dict(enabled=True)), start)
    panda = antaeus.FreeFlyer(antaeus.load_robot("spacecraft_panda"), "panda_hand_tcp")
    assert antaeus.deterministic_q_init(panda, 0.05)[3] < 0  # a law of its own
    with pytest.raises(antaeus.OptionsError, match="det.elbow: no law of the form"):
        antaeus.deterministic_q_init(panda, 0.05, elbow="panda_joint3", wrist="panda_joint7")
    with pytest.raises(antaeus.OptionsError, match="det.target_sigma: more than the law reaches"):
        antaeus.deterministic_q_init(flying, 0.1)

    assert np.array_equal(antaeus.perturbed_start(start, 0.0), start)
    moved = antaeus.perturbed_start(start, 1e-2) - start
    assert math.isclose(np.linalg.norm(moved), 1e-2, rel_tol=1e-12)
    assert np.array_equal(antaeus.perturbed_start(start, 1e-2) - start, moved)


def test_flight_keeps_momentum_and_is_of_order_four():
    """Joint torques alone, judged by Pinocchio's momentum."""
    for name in ENDS:
        robot = antaeus.load_robot(name)
        reference = Reference(antaeus.robots_folder() / name / f"{name}.urdf", ENDS[name])
        q, v = reference.regular(generator(), 1)[0]
        tau = np.concatenate([np.zeros(6), np.linspace(-0.02, 0.02, reference.n)])  # [N·m]: the last links are light
        ends, drift = [], []
        for steps in (50, 100, 200, 1000):
            flight = antaeus.FreeFlight(robot)
            flight.reset(q, v)
            for _ in range(steps):
                flight.step(tau, 0.5 / steps)
            assert math.isclose(flight.time(), 0.5, rel_tol=1e-12)
            assert abs(np.linalg.norm(flight.q()[3:7]) - 1) < tolerance("kMapVelocity")
            ends.append((flight.q(), flight.v()))
            h = [pinocchio.computeCentroidalMomentum(reference.model, reference.data, *state).vector.copy()
                 for state in ((q, v), ends[-1])]
            drift.append(largest(h[1] - h[0]))
        # Against the finest one: each halving divides the error by 16, and by no less than 12.
        errors = [max(largest(q_ - ends[-1][0]), largest(v_ - ends[-1][1])) for q_, v_ in ends[:3]]
        print(name, "errors", errors, "momentum", drift)
        assert errors[0] / errors[1] > 12 and errors[1] / errors[2] > 12
        assert drift[-1] < tolerance("kMomentumDrift")
    with pytest.raises(antaeus.StatusError, match="not_finite"):
        flight.step(tau, -1.0)
    with pytest.raises(antaeus.StatusError, match="tau has shape"):
        flight.step(tau[:3], 0.1)
    with pytest.raises(antaeus.ModelError, match="free"):
        antaeus.FreeFlight(antaeus.load_robot("ur5e"))


def test_three_tiers_and_smooth_damping_are_their_formulas():
    numbers = generator()
    U, V = (np.linalg.qr(numbers.normal(size=(6, 6)))[0] for _ in range(2))

    def family(sigma):
        return U @ np.diag([2, 1.5, 1, 0.7, 0.4, sigma]) @ V.T

    tiers = antaeus.ThreeTierInverse(6, 6, exit_step=0.0)
    for sigma, tier in ((0.1, "exact"), (0.012, "damped"), (0.004, "held")):
        last = tiers.inverse()
        report = tiers.compute(family(sigma))
        assert report.tier == tier and report.status == "ok"
        lam = max(1e-4, 0.02 - sigma) if tier == "damped" else 0.0
        s = np.array([2, 1.5, 1, 0.7, 0.4, sigma])
        expected = last if tier == "held" else V @ np.diag(s / (s**2 + lam**2)) @ U.T
        assert largest(tiers.inverse() - expected) < tolerance("kInverseTier") * largest(expected)
    damping = antaeus.SmoothDamping(6, 6)
    for sigma in (0.1, 0.05, 0.0):
        report = damping.compute(family(sigma))
        lam2 = 0.03**2 * (1 - sigma**2 / 0.06**2) ** 2 if sigma < 0.06 else 0.0
        J = family(sigma)
        expected = J.T @ np.linalg.inv(J @ J.T + lam2 * np.eye(6))
        assert math.isclose(report.lambda_**2, lam2, rel_tol=1e-9, abs_tol=1e-18)
        assert largest(damping.inverse() - expected) < tolerance("kInverseTier") * largest(expected)
    carried = antaeus.CarriedReference(6, 6)
    b = numbers.normal(size=6)
    carried.update(family(0.3), np.zeros((6, 6)), b, np.zeros(6), 0.001)
    assert largest(family(0.3) @ carried.velocity() - b) < tolerance("kInverseTier") * largest(b)
    with pytest.raises(antaeus.OptionsError, match="hard_floor"):
        antaeus.ThreeTierInverse(6, 6, hard_floor=0.1)


def test_the_module_has_what_it_says():
    assert {"FreeFlyer", "best_sample", "choose_q_init_by_sigma", "fit_elbow_law"} <= set(space.__all__)


# --- Control and flights ----------------------------------------------------------------------------------------------


def test_control_brings_a_flight_to_its_reference():
    robot = antaeus.load_robot("spacecraft_ur3")
    q = robot.model.position_from_motors(robot.pose("ready"), [0, 0, 0, 1])
    flying = antaeus.FreeFlyer(robot, "ee_link")
    motion = flying.motion_at(q, np.zeros(12))
    goal = antaeus.FlyingReference(antaeus.Pose(motion.X_WE.rotation, motion.X_WE.translation + [0.02, -0.03, 0.01]),
                                   motion.X_WB.rotation, motion.p_com)
    control = antaeus.FlyingControl(robot, "ee_link", q, law="tracker", actuators={"thruster_force": 5.0})
    flight = antaeus.FreeFlight(robot)
    flight.reset(q, np.zeros(12))
    first = control.update(flight.q(), flight.v(), goal, 0.002)
    # x_p = R_eᵀ(p_e − p_ed), by hand.
    np.testing.assert_allclose(first.x_p, motion.X_WE.rotation.T @ [-0.02, 0.03, -0.01], atol=1e-12)
    for _ in range(7500):
        command = control.update(flight.q(), flight.v(), goal, 0.004)
        flight.step(command.tau, 0.004)
    assert str(command.status) == "ok"
    # 30 s; the slowest mode has 0.53 1/s (docs/space_control.md): e⁻¹⁶ of 37 mm are 5e-9 m.
    assert np.linalg.norm(command.x_p) < 1e-7 and np.linalg.norm(command.f_c) < 1e-9
    stuck = control.update(np.full(13, np.nan), flight.v(), goal, 0.002)
    assert str(stuck.status) != "ok" and np.all(stuck.tau == 0)


def test_gamma_ramp():
    assert [antaeus.gamma_ramp(sigma) for sigma in (0.0, 0.01, 0.03, 0.05, 1.0)] == pytest.approx([0.25, 0.25, 0.625, 1.0, 1.0])
    assert antaeus.gamma_ramp(0.03, low=0.0, high=0.06, floor=0.0) == pytest.approx(0.5)


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
