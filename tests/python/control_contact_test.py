"""Force control of antaeus.control: the hybrid law in NumPy, tasks on a spring and on MuJoCo's table, and bad input."""
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import antaeus
from antaeus import control

HOME = np.array([0.3, -1.4, 1.6, -1.7, -1.5, 0.2])
STEP = 1e-3


@pytest.fixture(scope="module")
def model():
    return antaeus.load_robot("ur5e").model


def six(wrench):
    return np.r_[wrench.force, wrench.torque]


def test_the_hybrid_is_its_law(model):
    random = np.random.default_rng(1987)
    tool = control.ToolDynamics(model, "tool0", mobility_floor=0.0)
    now = tool.at(HOME, random.uniform(-0.3, 0.3, 6))
    assert now.status == "ok" and not now.is_near_singular
    w, r, zeta, gain, damping, trust = 80.0, 60.0, 0.9, 0.4, 250.0, 0.5
    hybrid = control.HybridController(tool.size(), frequency=w, rotational_frequency=r, damping_ratio=zeta,
                                      force_gain=gain, force_integral=0.0, normal_damping=damping, blend=0.0)
    C = Rotation.from_rotvec([0.3, -0.2, 0.1]).as_matrix()
    axes = [False, False, True, True, False, False]
    turn = Rotation.from_rotvec([0.02, -0.01, 0.03])
    X = antaeus.Pose(turn.as_matrix() @ now.X_WT.rotation, now.X_WT.translation + [0.004, -0.002, 0.003])
    twist, acceleration = random.uniform(-0.1, 0.1, (2, 6))
    wanted, measured = np.array([0, 0, 5.0, 0.2, 0, 0]), random.uniform(-3, 3, 6)
    given = hybrid.update(now, X, C, axes, antaeus.Wrench.from_vector(wanted), twist, acceleration, trust,
                          measured=antaeus.Wrench.from_vector(measured), dt=STEP)
    assert given.status == "ok" and not given.integral_at_limit
    # The same, with Λ, J̇ v and h of the arm's own M, J, drift and h.
    B = np.kron(np.eye(2), C)  # task to world
    error = np.r_[0.004, -0.002, 0.003, turn.as_rotvec()]
    rate = np.repeat([w, r], 3)
    a = acceleration - now.drift + 2 * zeta * rate * (twist - now.J @ now.v) + rate**2 * error
    a_task = np.where(axes, 0.0, B.T @ a)
    Lambda = np.linalg.inv(now.J @ np.linalg.inv(now.M) @ now.J.T)
    push = B.T @ Lambda @ B @ a_task
    felt, speed = B.T @ measured, B.T @ now.J @ now.v
    force = -(wanted + trust * gain * (wanted - felt)) - damping * speed
    W = B @ np.where(axes, force, push)
    np.testing.assert_allclose(given.error, error, atol=1e-12)
    np.testing.assert_allclose(six(given.push), W, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(given.tau, now.h + now.J.T @ W, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(six(given.felt), np.where(axes, felt, np.nan), atol=1e-12)


def test_without_an_axis_of_force_the_tool_accelerates_as_wanted(model):
    tool = control.ToolDynamics(model, "tool0", mobility_floor=0.0)
    now = tool.at(HOME, np.full(6, 0.1))
    acceleration = np.array([0.5, -0.2, 0.3, 0.1, 0.4, -0.6])
    given = control.HybridController(6).update(now, now.X_WT, twist=now.twist, acceleration=acceleration, dt=STEP)
    joints = np.linalg.solve(now.M, given.tau - now.h)
    np.testing.assert_allclose(now.J @ joints + now.drift, acceleration, atol=1e-8)


def press(model, task, seconds, surface=20_000.0, depth=0.002):
    """The arm above a spring of N/m, `depth` m under the tool; a generator of time, state, force and order."""
    tool = control.ToolDynamics(model, "tool0")
    hybrid = control.HybridController(tool.size())
    q, v = HOME.copy(), np.zeros(6)
    now = tool.at(q, v)
    floor = now.X_WT.translation[2] - depth
    assert task.begin(now) == "ok"
    for _ in range(round(seconds / STEP)):
        force = np.array([0, 0, surface * max(0.0, floor - now.X_WT.translation[2]), 0, 0, 0])
        measured = antaeus.Wrench.from_vector(force)
        order = task.update(now, measured, STEP)
        given = hybrid.update(now, order, measured, STEP)
        assert given.status == "ok"
        yield now, force[2], order
        v = v + STEP * np.linalg.solve(now.M, given.tau - now.h + now.J.T @ force)
        q = q + STEP * v
        now = tool.at(q, v)


def test_a_task_goes_through_its_phases(model):
    task = control.ContactTask(direction=[0, 1, 0], line_length=0.01, line_duration=0.5, line_shape="minimum_jerk",
                               wait_time=0.05, settle_time=0.3, landing_speed=0.005)
    assert task.order().phase == "idle" and task.events == []
    restarts, forces, places, seen = 0, [], [], []
    for now, force, order in press(model, task, 1.5):
        restarts += order.restarts
        if order.phase not in seen:
            seen.append(order.phase)
        if order.phase == "hold":
            forces.append(force)
        places.append(now.X_WT.translation)
        assert order.force_axes == [False, False, task.presses(), False, False, False] == order.target.force_axes
        assert order.phase != "trace" or order.wrench.force[2] == 5.0
    assert seen == [control.TaskPhase.approach, "settle", "trace", "hold"] and restarts == 2
    assert [(phase, reason) for _, phase, reason, _ in task.events] == [
        ("approach", control.TaskReason.begun), ("settle", "touched"), ("trace", "settled"), ("hold", "traced")]
    begun, touched, settled, traced = task.events
    assert begun[0] == 0.0 and touched[3] > 1.0 and traced[0] - settled[0] == pytest.approx(0.5, abs=2 * STEP)
    np.testing.assert_allclose(np.mean(forces[-100:]), 5.0, atol=0.05)
    np.testing.assert_allclose((places[-1] - places[0])[:2], [0.0, 0.01], atol=5e-4)
    np.testing.assert_array_equal(order.R_WC, np.column_stack([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]))
    np.testing.assert_array_equal(task.normal, [0, 0, 1])
    task.retreat()
    assert task.order().phase == "retreat" and task.events[-1][2] == "asked" and not task.presses()


def test_a_task_backs_off_where_the_force_is_missing(model):
    tool = control.ToolDynamics(model, "tool0")
    now, task = tool.at(HOME, np.zeros(6)), control.ContactTask(wait_time=0.0)
    assert task.begin(now) == "ok"
    for _ in range(12):
        order = task.update(now, None, STEP)
    assert order.phase == "retreat" and task.events[-1][1:3] == ("retreat", "force_missing")


def test_a_press_on_mujocos_table():
    home = np.pi / 2 * np.array([-1, -1, 1, -1, -1, 0])
    table = antaeus.Pose(np.eye(3), [-0.134, 0.492, 0.3255])  # 2 mm below the open gripper's pads at home
    scene = antaeus.MujocoScene(antaeus.ur5e_scene(X_WT=table))
    tool = control.ToolDynamics(antaeus.mujoco_robot(scene, root="base").model(), "fingertip")
    plant = antaeus.MujocoPlant(scene, "fingertip")
    plant.reset(home)
    task = control.ContactTask(wait_time=0.05, landing_speed=0.01, settle_time=0.5)
    hybrid, tare = control.HybridController(tool.size()), control.WrenchTare()
    now = tool.at(home, np.zeros(6))
    assert task.begin(now) == "ok"
    plant.step(now.h)
    forces = []
    for _ in range(1200):
        reading = plant.reading()
        now = tool.at(reading.q, reading.v)
        if task.waits():
            assert tare.add(reading.wrench) == "ok"
        measured = tare.tared(reading.wrench)
        given = hybrid.update(now, task.update(now, measured, STEP), measured, STEP)
        assert given.status == "ok"
        plant.step(given.tau)
        forces.append(plant.truth().contact.force[2])
    assert [event[2] for event in task.events] == ["begun", "touched", "settled"] and tare.count() > 40
    np.testing.assert_allclose(forces[-200:], 5.0, atol=0.1)


def test_sensorless_control_tares_and_then_touches(model):
    tool = control.ToolDynamics(model, "tool0")
    now = tool.at(HOME, np.zeros(6))
    friction = np.array([4.0, 4.0, 3.0, 1.0, 1.0, 1.0])
    sensorless = control.SensorlessControl(friction, STEP, tare_duration=0.5, line_length=0.01)
    assert sensorless.update(now, now.h).status == "not_computed"
    assert sensorless.begin(now) == "ok"
    # A puppet that stands still: nothing is learnt of friction, and the task refuses to touch.
    for cycle in range(600):
        given = sensorless.update(now, now.h)
        assert given.status == "ok" and np.isfinite(given.tau).all() and given.tau.shape == (6,)
        assert given.is_taring == (cycle < 499) and np.isnan(given.sd_at_rest) == given.is_taring
    assert given.felt.status == "ok" and given.felt.sd > 0 and given.sd_at_rest > 0.4 * 5.0
    assert given.trust == pytest.approx(0.7**2 / (0.7**2 + given.felt.sd**2), rel=1e-12)
    assert [event[1:3] for event in sensorless.events] == [("approach", "begun"), ("retreat", "force_uncertain")]
    assert sensorless.events[-1][3] == given.sd_at_rest and sensorless.phase == "retreat"
    np.testing.assert_allclose(sensorless.coulomb, friction)


def test_a_sensorless_tool_presses_on_a_spring(model):
    """Joint torque sensors, no friction: what is felt is the spring."""
    tool = control.ToolDynamics(model, "tool0")
    sensorless = control.SensorlessControl(np.zeros(6), STEP, tare=False, joint_sensors=True, settle_time=0.3,
                                           landing_speed=0.005)
    q, v, surface = HOME.copy(), np.zeros(6), 20_000.0
    now = tool.at(q, v)
    floor, tau = now.X_WT.translation[2] - 0.004, now.h
    assert sensorless.begin(now) == "ok"
    for _ in range(2500):
        given = sensorless.update(now, tau)
        assert given.status == "ok"
        tau = given.tau
        force = surface * max(0.0, floor - now.X_WT.translation[2])
        v = v + STEP * np.linalg.solve(now.M, tau - now.h + force * now.J[2])
        q = q + STEP * v
        now = tool.at(q, v)
    assert [event[1:3] for event in sensorless.events] == [
        ("approach", "begun"), ("settle", "touched"), ("hold", "settled")] and sensorless.phase == "hold"
    assert given.felt.verdict == "ok" and given.felt.force == pytest.approx(5.0, abs=0.1)
    assert force == pytest.approx(given.felt.force, abs=2 * given.felt.sd) and given.felt.sd < 0.3
    assert given.target.force_axes[2] and given.target.wrench.force[2] == 5.0


def test_a_tare_is_what_it_saw():
    tare, wrenches = control.WrenchTare(), np.random.default_rng(5).normal(size=(20, 6))
    assert six(tare.offset()).tolist() == [0] * 6
    assert {tare.add(antaeus.Wrench.from_vector(wrench)) for wrench in wrenches} == {antaeus.Status.ok}
    np.testing.assert_allclose(six(tare.offset()), wrenches.mean(0), atol=1e-15)
    np.testing.assert_allclose(six(tare.tared(antaeus.Wrench.from_vector(wrenches[3]))), wrenches[3] - wrenches.mean(0),
                               atol=1e-15)
    tare.restart()
    assert tare.count() == 0


def test_bad_input(model):
    tool = control.ToolDynamics(model, "tool0")
    now, lost = tool.at(HOME, np.zeros(6)), tool.at(np.full(6, np.nan), np.zeros(6))
    hybrid = control.HybridController(6)
    for given in (hybrid.update(lost, now.X_WT, dt=STEP), hybrid.update(now, now.X_WT, dt=np.nan),
                  hybrid.update(now, now.X_WT, force_axes=[True] + 5 * [False], dt=STEP),
                  hybrid.update(now, now.X_WT, twist=np.full(6, np.nan), dt=STEP)):
        assert given.status == "not_finite" and np.isnan(given.tau).all() and np.isnan(six(given.push)).all()
    assert control.HybridController(7).update(now, now.X_WT, dt=STEP).status == "wrong_size"
    task = control.ContactTask()
    assert task.begin(lost) == "not_finite" and task.update(lost, None, np.nan).phase == "idle"
    tare = control.WrenchTare()
    assert tare.add(antaeus.Wrench([np.nan, 0, 0])) == "not_finite" and tare.count() == 0
    sensorless = control.SensorlessControl(np.ones(6), STEP)
    assert sensorless.begin(lost) == "not_finite" and sensorless.begin(now) == "ok"
    assert sensorless.update(lost, now.h).status == "not_finite"
    assert sensorless.update(now, np.zeros(5)).status == "wrong_size"
    blind = sensorless.update(now, np.full(6, np.nan))
    assert blind.felt.status == "not_finite" and blind.felt.verdict == "invalid_input"
    assert np.isnan([blind.felt.force, blind.felt.sd]).all() and blind.trust == 0.0
    for make, what in ((lambda: control.HybridController(-1), "HybridController: -1 joints"),
                       (lambda: control.SensorlessControl(np.ones(6), -STEP), "time_step"),
                       (lambda: control.HybridController(6, frequncy=3.0), "frequency"),
                       (lambda: control.HybridController(6, force_filter="buterworth"), "butterworth"),
                       (lambda: control.ContactTask(normal=[0, 0, 2.0]), "unit vector"),
                       (lambda: control.ContactTask(line_shape="trapezium"), "trapezoid"),
                       (lambda: control.ContactTask(line_ramp=np.nan), "line.ramp"),
                       (lambda: control.SensorlessControl([-1.0], STEP), "friction")):
        with pytest.raises(antaeus.OptionsError, match=what):
            make()
    with pytest.raises(antaeus.StatusError):
        hybrid.set_posture(np.zeros(5))


def test_a_hybrid_target_is_built_of_the_arguments_of_an_update(model):
    tool = control.ToolDynamics(model, "tool0")
    now = tool.at(HOME, np.full(6, 0.1))
    wanted = dict(R_WC=np.diag([1.0, -1.0, -1.0]), force_axes=[False, False, True, False, False, False],
                  wrench=antaeus.Wrench([0, 0, 5.0]), twist=np.arange(6.0), acceleration=np.ones(6), trust=0.5,
                  integrates=False, integrates_motion=False)
    target = antaeus.HybridTarget(now.X_WT, **wanted)
    for name, value in wanted.items():
        held = getattr(target, name)
        assert np.array_equal(six(held) if name == "wrench" else held, six(value) if name == "wrench" else value), name
    measured = antaeus.Wrench([0.4, -0.3, 3.0])
    given = [control.HybridController(6).update(now, target, measured, STEP),
             control.HybridController(6).update(now, now.X_WT, **wanted, measured=measured, dt=STEP)]
    assert given[0].status == "ok" and np.array_equal(given[0].tau, given[1].tau)
    # The lab's law pushes 5 N with K_fp 5 and K_fi 10: from rest −(5 e + 10 ∫ e dt), e = 5 − 0.2 · 3.
    level = antaeus.HybridTarget(now.X_WT, force_axes=wanted["force_axes"], wrench=wanted["wrench"])
    still = tool.at(HOME, np.zeros(6))
    push = antaeus.HybridLaw.published(6, K_o=0, K_do=0).update(still, level, antaeus.Wrench([0, 0, 3.0]), STEP)
    np.testing.assert_allclose(push.tau - still.g, still.J[:3].T @ [0, 0, -(5.0 * 4.4 + 10.0 * 4.4 * STEP)], atol=1e-12)
    untouched = antaeus.HybridTarget()
    assert not any(untouched.force_axes) and untouched.trust == 1.0 and np.array_equal(untouched.R_WC, np.eye(3))
    with pytest.raises(antaeus.StatusError, match="HybridTarget"):
        antaeus.HybridTarget(twist=np.zeros(5))


def test_the_published_hybrid_law_is_what_it_prints(model):
    random = np.random.default_rng(2026)
    tool = control.ToolDynamics(model, "tool0")
    law = antaeus.HybridLaw.published(tool.size(), K_p=1500, K_d=80, K_fp=4.0, K_fi=7.0, K_dz=25, alpha=0.3, K_o=0, K_do=0)
    assert law.gains == {"K_p": 1500, "K_d": 80, "K_fp": 4.0, "K_fi": 7.0, "K_dz": 25, "alpha_filter": 0.3, "K_o": 0, "K_do": 0}
    now, filtered, integral = tool.at(HOME, random.uniform(-0.3, 0.3, 6)), 0.0, 0.0
    # The lab's function, with S_p = diag(1, 1, 0), on a tool that moves.
    task = control.ContactTask(wait_time=0.0, contact_force=0.5)
    assert task.begin(now) == "ok"
    for force in (0.0, 2.0, 3.0, 4.5, 6.0):
        now = tool.at(HOME + random.uniform(-1e-4, 1e-4, 6), random.uniform(-0.3, 0.3, 6))
        measured = antaeus.Wrench([0.4, -0.3, force])
        given = law.update(now, task.update(now, measured, STEP), measured, STEP)
        x_d, presses = task.order().X_WT.translation, task.presses()
        J, filtered = now.J[:3], filtered + 0.3 * (force - filtered)
        x, xd = now.X_WT.translation, J @ now.v
        F = 1500 * (x_d - x) - 80 * xd
        if presses:
            e_f = 5.0 - filtered
            integral += e_f * STEP
            F[2] = -(4.0 * e_f + 7.0 * integral) - 25 * xd[2]
        np.testing.assert_allclose(given.tau, J.T @ F + now.g, rtol=0, atol=1e-12)
        np.testing.assert_allclose(law.filtered[2], filtered, atol=1e-15)
    assert presses and given.status == "ok" and np.isnan(given.felt.force[:2]).all()


@pytest.mark.parametrize(("experiment", "name"), [("hybrid-hold", "source"), ("hybrid-hold", "source_3dof"),
                                                  ("hybrid-trace", "source")])
def test_the_run_of_the_source_law_is_reproduced(experiment, name):
    """The law, the task and the plant stepped from Python: the torques of `simulate … --set control.law=source`."""
    run = antaeus.run_experiment(experiment, {"control.law": name, "experiment.comparisons": False,
                                              "control.hold_time": 1.0})
    line = {}
    if experiment == "hybrid-trace":
        line = dict(line_length=0.05, line_duration=5.0, line_shape="minimum_jerk")
    home = np.pi / 2 * np.array([-1, -1, 1, -1, -1, 0])
    scene = antaeus.MujocoScene(antaeus.ur5e_scene(gripper="real", time_constant=0.02, friction=0.3,
                                                   friction_time_constant=0.0, joint_damping=0.2, table_size=[0.8, 0.46, 0.05]))
    plant = antaeus.MujocoPlant(scene, "fingertip", tool_control=255.0)
    plant.reset(home)
    held = antaeus.joint_positions(scene, "gripper_base_mount", plant.truth().qpos)
    dynamics = antaeus.Dynamics(antaeus.mujoco_robot(scene, root="base", locked_joints=held).model())
    time = 0.0
    while time < 2.0:  # the gripper closes and comes to rest
        time += STEP
        q, v = plant.reading().q, plant.reading().v
        plant.step(dynamics.at(q).gravity_torque() + 2000.0 * (home - q) - 200.0 * v)
    start = np.array(plant.truth().qpos)
    model = antaeus.mujoco_robot(scene, root="base",
                                 locked_joints=antaeus.joint_positions(scene, "gripper_base_mount", start)).model()
    start[:6] = home
    plant.reset_scene(start)
    tool = control.ToolDynamics(model, "fingertip")
    law = antaeus.HybridLaw.published(6, **({} if name == "source" else dict(K_o=0.0, K_do=0.0)))
    task = antaeus.ContactTask(landing_speed=0.02, landing_lead=0.02, most_force=1e4, lost_time=1e4, **line)
    limits, names = np.asarray(model.effort_limits()), plant.motor_joints()
    theirs = np.column_stack([run.samples[f"tau_{name}"] for name in names])
    ours = np.empty_like(theirs)
    measured, is_cut = antaeus.Wrench([0, 0, 0]), False  # nothing was sensed before the first step
    for i in range(len(theirs)):
        reading = plant.reading()
        now = tool.at(reading.q, reading.v)
        if i == 0:
            assert task.begin(now) == "ok"
        given = law.update(now, task.update(now, measured, STEP, is_saturated=is_cut), measured, STEP)
        assert given.status == "ok"
        ours[i] = given.tau
        cut = np.clip(given.tau, -limits, limits)
        is_cut = bool((cut != given.tau).any())
        plant.step(cut)
        measured = plant.truth().contact
    assert len(theirs) > 3000 and [event[2] for event in task.events][:3] == ["begun", "touched", "settled"]
    assert np.abs(ours - theirs).max() <= 1e-12, np.abs(ours - theirs).max()
    force = run.samples["force"]
    assert plant.truth().contact.force[2] == pytest.approx(force[-1], abs=1e-12)
    assert force.max() > 4.0 and (experiment != "hybrid-hold" or 4.0 < force[-1] < 6.0)  # a line chatters


def test_a_force_loop_is_its_law():
    loop = antaeus.ForceLoop(force_gain=0.4, force_integral=8.0, normal_damping=200.0, blend=0.0, integral_limit=0.1)
    loop.start(1.0)
    assert (loop.filtered(), loop.set_point(), loop.integral(), loop.at_limit()) == (1.0, 1.0, 0.0, False)
    assert loop.push(5.0, 3.0, speed=0.01, dt=STEP) == pytest.approx(-(5.0 + 0.4 * 2.0 + 8.0 * 2.0 * STEP) - 2.0, abs=1e-12)
    assert loop.push(5.0, None, dt=STEP, integrates=False) == pytest.approx(-(5.8 + 0.016), abs=1e-12)
    for _ in range(10):
        loop.push(5.0, 3.0, dt=STEP)
    assert loop.at_limit() and loop.integral() == 0.1
    assert np.isnan(antaeus.ForceLoop().push(5.0, None, dt=STEP)) and np.isnan(loop.push(5.0, 3.0, dt=np.nan))
    with pytest.raises(antaeus.OptionsError, match="force_gain"):
        antaeus.ForceLoop(force_gian=1.0)
    with pytest.raises(antaeus.OptionsError, match="butterworth"):
        antaeus.ForceLoop(force_filter="buterworth")


def test_a_line_profile_is_its_polynomial():
    line = antaeus.LineProfile(0.05, 5.0, "minimum_jerk")
    s, point = 0.3, line.at(1.5)
    assert point.distance == pytest.approx(0.05 * (10 * s**3 - 15 * s**4 + 6 * s**5), abs=1e-15)
    assert line.at(2.5).speed == pytest.approx(1.875 * 0.05 / 5.0) and line.at(9.0).distance == 0.05
    assert line.at(-1.0).distance == 0.0 and np.isnan(line.at(np.nan).distance)
    flat = antaeus.LineProfile(0.05, 10.0, ramp=0.25)
    assert flat.at(5.0).speed == pytest.approx(0.05 / 7.5) and flat.at(1.0).acceleration == pytest.approx(0.05 / 7.5 / 2.5)
    assert flat.shape == "trapezoid" and (flat.length, flat.duration, flat.ramp) == (0.05, 10.0, 0.25)
    for bad, what in ((dict(length=np.nan, duration=1), "length"), (dict(length=1, duration=0), "duration"),
                      (dict(length=1, duration=1, ramp=0.6), "ramp"), (dict(length=1, duration=1, shape="x"), "shape")):
        with pytest.raises(antaeus.OptionsError, match=what):
            antaeus.LineProfile(**bad)


def test_the_published_law_refuses(model):
    tool = control.ToolDynamics(model, "tool0")
    now, law = tool.at(HOME, np.zeros(6)), antaeus.HybridLaw.published(6)
    task = control.ContactTask(wait_time=0.0)
    task.begin(now)
    target = task.order().target
    lost = tool.at(np.full(6, np.nan), np.zeros(6))
    assert law.update(lost, target, None, STEP).status == "not_finite"
    assert law.update(now, target, None, np.nan).status == "not_finite" and np.isnan(law.update(now, target, None, -1).tau).all()
    assert antaeus.HybridLaw.published(7).update(now, target, None, STEP).status == "wrong_size"
    assert law.update(now, target, None, STEP).status == "ok" and law.filtered.tolist() == [0, 0, 0]
    pressed = task.update(now, antaeus.Wrench([0, 0, 2.0]), STEP)
    assert pressed.force_axes[2] and law.update(now, pressed, None, STEP).status == "not_finite"  # no force ever came
    assert law.update(now, pressed, antaeus.Wrench([0, 0, 2.0]), STEP).status == "ok"
    assert law.update(now, pressed, None, STEP).status == "ok"  # the last one stays
    for make, what in ((lambda: antaeus.HybridLaw.published(0), "0 joints"),
                       (lambda: antaeus.HybridLaw.published(6, K_fpp=1.0), "K_fp"),
                       (lambda: antaeus.HybridLaw.published(6, alpha=1.5), "alpha_filter"),
                       (lambda: antaeus.HybridLaw.published(6, K_p=-1.0), "K_p")):
        with pytest.raises(antaeus.OptionsError, match=what):
            make()
