"""antaeus.tasks: one step against PIQP on matrices that Pinocchio made, and a solution with planted feet."""
import numpy as np
import pinocchio
import piqp
import pytest

import antaeus
from antaeus import tasks

JOINTS = {False: (), True: (pinocchio.JointModelFreeFlyer(),)}
LIMIT = 1e-6  # [rad/s]: PIQP is asked for 1e-12 of its residuals, over a damping of 1e-2 squared


def arm():
    return antaeus.load_robot("h1_2", base="fixed").model


def pinocchio_model(model):
    """The same robot through Pinocchio's own reader; its joints in the same order."""
    made = pinocchio.buildModelFromUrdf(str(antaeus.robots_folder() / "h1_2" / "h1_2.urdf"), *JOINTS[model.nq() > model.nv()])
    for name in model.motor_names():
        assert made.joints[made.getJointId(name)].idx_v == model.motor_rows()[model.motor(name)]
    return made


def test_a_step_is_the_optimum_that_piqp_finds():
    model = arm()
    reference = pinocchio_model(model)
    data = reference.createData()
    frame = reference.getFrameId("left_wrist_yaw_link")
    random = np.random.default_rng(1370)
    rows, nv, dt, gain, damping = model.motor_rows(), model.nv(), 0.01, 60.0, 1e-2
    lower, upper, fastest = np.zeros(nv), np.zeros(nv), np.zeros(nv)
    lower[rows], upper[rows], fastest[rows] = model.lower_limits(), model.upper_limits(), model.velocity_limits()
    limited, largest = 0, 0.0
    for _ in range(10):
        q = random.uniform(lower + 0.3 * (upper - lower), upper - 0.3 * (upper - lower))
        pinocchio.computeJointJacobians(reference, data, q)
        pinocchio.updateFramePlacements(reference, data)
        J = pinocchio.getFrameJacobian(reference, data, frame, pinocchio.LOCAL_WORLD_ALIGNED)
        here = data.oMf[frame]
        away = random.uniform(-0.4, 0.4, 3)
        problem = tasks.TaskProblem(model, damping=damping)
        problem.add(tasks.FrameTask(model, "left_wrist_yaw_link", antaeus.Pose(here.rotation, here.translation + away), gain=gain))
        step = tasks.TaskSolver(problem).step(q, np.zeros(nv), dt)
        assert step.status == antaeus.StepStatus.ok

        wanted = np.concatenate([gain * away, np.zeros(3)])
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-12
        solver.settings.max_iter = 500
        solver.setup(J.T @ J + damping**2 * np.eye(nv), -J.T @ wanted, x_l=np.maximum(-fastest, (lower - q) / dt),
                     x_u=np.minimum(fastest, (upper - q) / dt))
        assert solver.solve() == piqp.PIQP_SOLVED
        largest = max(largest, np.abs(solver.result.x - step.v).max())
        limited += np.sum(np.abs(step.v) == fastest)
    print(f"largest difference {largest:.2e} rad/s, {limited} velocities at their limits")
    assert limited > 5
    assert largest < LIMIT


def test_feet_stay_where_pinocchio_sees_them():
    model = antaeus.load_robot("h1_2").model
    motors = np.zeros(model.motor_count())
    for side in ("left", "right"):
        motors[model.motor(f"{side}_hip_pitch_joint")] = motors[model.motor(f"{side}_ankle_pitch_joint")] = -0.4
        motors[model.motor(f"{side}_knee_joint")] = 0.8
    start = model.position_from_motors(motors, [0, 0, 0, 1])
    terms = antaeus.Dynamics(model).at(start)
    problem = tasks.TaskProblem(model)
    feet = {name: terms.frame_pose(name) for name in ("left_ankle_roll_link", "right_ankle_roll_link")}
    for name, pose in feet.items():
        problem.add(tasks.FrameTask(model, name, pose, priority=0))
    middle = np.mean([pose.translation for pose in feet.values()], axis=0)
    problem.add(tasks.CenterOfMassTask(middle + [0.04, 0, 0], axes="xy"))
    hand = problem.add(tasks.FrameTask(model, "left_wrist_yaw_link", part="position", priority=2))
    problem.add(tasks.PostureTask(model, start))
    solver = tasks.TaskSolver(problem)
    target = middle + [0.3, 0.35, 0.5]
    solver.set_target(hand, target)
    result = solver.solve(start)
    assert [level.priority for level in result.levels] == [0, 1, 2, 9]
    assert [str(level.status.name) for level in result.levels][:3] == ["reached"] * 3

    reference = pinocchio_model(model)
    data = reference.createData()
    pinocchio.framesForwardKinematics(reference, data, result.q)
    for name, pose in feet.items():
        placed = data.oMf[reference.getFrameId(name)]
        assert np.abs(placed.translation - pose.translation).max() < 1e-6
        assert np.abs(placed.rotation - pose.rotation).max() < 1e-6
    assert np.abs(data.oMf[reference.getFrameId("left_wrist_yaw_link")].translation - target).max() < 1e-8
    assert np.abs(pinocchio.centerOfMass(reference, data, result.q)[:2] - middle[:2] - [0.04, 0]).max() < 1e-8


def test_bad_input_is_named():
    model = arm()
    with pytest.raises(antaeus.ModelError, match="left_wrist_yaw_link"):
        tasks.FrameTask(model, "left_wrist_yaw_lin")
    with pytest.raises(antaeus.OptionsError, match="position"):
        tasks.FrameTask(model, "left_wrist_yaw_link", part="positoin")
    with pytest.raises(antaeus.OptionsError, match="damping"):
        tasks.TaskProblem(model, dampin=1.0)
    problem = tasks.TaskProblem(model)
    hand = problem.add(tasks.FrameTask(model, "left_wrist_yaw_link"))
    solver = tasks.TaskSolver(problem)
    solver.set_target(hand, [np.nan, 0, 0])
    step = solver.step(model.neutral(), np.zeros(model.nv()), 0.01)
    assert step.status == antaeus.StepStatus.bad_input and step.task == hand
    assert step.input == antaeus.Status.not_finite and np.isnan(step.v).all()
    with pytest.raises(IndexError):
        solver.set_target(7, [0, 0, 0])


def test_links_keep_their_distance():
    model = arm()
    collisions = antaeus.SelfCollisionModel(model)
    assert collisions.pair_count() > 1000
    assert ("left_hip_roll_link", "left_knee_link", "neighbours") in collisions.excluded()
    problem = tasks.TaskProblem(model, margin=0.015)
    problem.add(tasks.FrameTask(model, "left_wrist_yaw_link", antaeus.Pose(translation=[0.05, 0.0, 0.3]), part="position"))
    problem.avoid(collisions)
    result = tasks.TaskSolver(problem).solve(model.neutral())
    assert result.status != antaeus.SolveStatus.infeasible
    assert result.distance >= 0.015
