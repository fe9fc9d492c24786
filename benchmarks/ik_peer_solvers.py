#!/usr/bin/env python3
"""Runs one peer on the target sets, in the peer's own environment: ik_peers.py starts it, nobody else needs to.

Usage: ik_peer_solvers.py PEER URDF TARGETS.npz ANSWERS.npz BUDGET

A peer is a class with the tasks that it can do (position alone 3, pose 6) and `solve(target, q0, position_only)`, which
returns a configuration, or None, and whether the peer claims success. Its settings stand here;
none was searched for on these targets. A variant that starts anew until its time is over is not asked what cannot be
reached.
"""

import gc
import sys
import time

import numpy as np

FRAME, BASE = "panda_hand", "panda_link0"
JOINTS = [f"panda_joint{i}" for i in range(1, 8)]
STOP_POSITION, STOP_ROTATION = 5e-5, 5e-4  # [m], [rad]: half of what the judge asks for
ITERATIONS = 100  # of a loop that is ours around a peer's step
DAMPING = 0.01
RESTARTS = 0.05  # [s] of wall time in which a solver is started anew from random configurations
WARM_UP = 5  # solves before the clock counts
BEYOND_REACH = ("unreach", "path")


def stop_at(translation, rotation, target, position_only):
    """Whether a hand's pose is within the loop's own tolerance. sin(angle/2)·2√2 is the rotations' distance."""
    away = translation - target[:3, 3]
    if away @ away > STOP_POSITION**2:
        return False
    if position_only:
        return True
    turn = rotation - target[:3, :3]
    return (turn * turn).sum() < 2 * STOP_ROTATION**2


class Pink:
    """Differential; the loop is ours. dt 1, gain 1, limits not held back."""

    tasks = "36"

    def __init__(self, urdf, lower, upper):
        import pinocchio as pin
        import pink

        self.pink, self.SE3 = pink, pin.SE3
        self.model = pin.buildModelFromUrdf(urdf)
        self.data = self.model.createData()
        self.limits = [pink.limits.ConfigurationLimit(self.model, 1.0)]
        self.task = {
            position_only: pink.tasks.FrameTask(FRAME, 1.0, 0.0 if position_only else 1.0, lm_damping=DAMPING, gain=1.0)
            for position_only in (True, False)
        }

    def solve(self, target, q0, position_only):
        task = self.task[position_only]
        task.set_target(self.SE3(target))
        at = self.pink.Configuration(self.model, self.data, q0, copy_data=False)
        for _ in range(ITERATIONS):
            pose = at.get_transform_frame_to_world(FRAME)
            if stop_at(pose.translation, pose.rotation, target, position_only):
                return at.q, True
            try:
                step = self.pink.solve_ik(at, [task], 1.0, solver="daqp", limits=self.limits, safety_break=False)
            except self.pink.exceptions.PinkError:
                break
            at.integrate_inplace(step, 1.0)
        return at.q, False


class Mink:
    """Differential; the loop is ours. dt 1, gain 1, its limit's default gain of 0.95."""

    tasks = "36"

    def __init__(self, urdf, lower, upper):
        import mink
        import mujoco

        spec = mujoco.MjSpec.from_file(urdf)
        spec.compiler.fusestatic = False
        model = spec.compile()
        self.mink, self.at, self.body = mink, mink.Configuration(model), model.body(FRAME).id
        self.limits = [mink.ConfigurationLimit(model)]
        self.task = {
            position_only: mink.FrameTask(FRAME, "body", 1.0, 0.0 if position_only else 1.0, lm_damping=DAMPING)
            for position_only in (True, False)
        }

    def solve(self, target, q0, position_only):
        task, at = self.task[position_only], self.at
        task.set_target(self.mink.SE3.from_matrix(target))
        at.update(q0)
        for _ in range(ITERATIONS):
            if stop_at(at.data.xpos[self.body], at.data.xmat[self.body].reshape(3, 3), target, position_only):
                return at.q, True
            try:
                step = self.mink.solve_ik(at, [task], 1.0, "daqp", limits=self.limits)
            except self.mink.NoSolutionFound:
                break
            at.integrate_inplace(step, 1.0)
        return at.q, False


class MujocoMinimize:
    """MuJoCo's bounded least squares on the pose's error, m and rad weighed alike, with its own differences as Jacobian
    and its default stops: it minimises, and so goes to the closest answer where there is no other."""

    tasks = "36"

    def __init__(self, urdf, lower, upper):
        import mujoco
        from mujoco import minimize

        spec = mujoco.MjSpec.from_file(urdf)
        spec.compiler.fusestatic = False
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.mujoco, self.minimize, self.body = mujoco, minimize, self.model.body(FRAME).id
        self.bounds = [np.array(lower), np.array(upper)]

    def solve(self, target, q0, position_only):
        mujoco, model, data = self.mujoco, self.model, self.data
        wanted = np.empty(4)
        mujoco.mju_mat2Quat(wanted, target[:3, :3].ravel())

        def residual(columns):
            columns = columns.reshape(len(q0), -1)
            errors = np.empty((3 if position_only else 6, columns.shape[1]))
            for at in range(columns.shape[1]):
                data.qpos[:] = columns[:, at]
                mujoco.mj_kinematics(model, data)
                errors[:3, at] = data.xpos[self.body] - target[:3, 3]
                if not position_only:
                    turn = np.empty(3)
                    mujoco.mju_subQuat(turn, wanted, data.xquat[self.body])
                    errors[3:, at] = turn
            return errors

        q, _ = self.minimize.least_squares(q0, residual, bounds=self.bounds, verbose=0)
        left = residual(q)[:, 0]
        return q, bool(np.linalg.norm(left[:3]) < STOP_POSITION and np.linalg.norm(left[3:]) < STOP_ROTATION)


class Placo:
    """Differential; the loop is ours."""

    tasks = "36"
    regularisation = 1e-6

    def __init__(self, urdf, lower, upper):
        import placo

        self.robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
        self.solver = {}
        for position_only in (True, False):
            solver = placo.KinematicsSolver(self.robot)
            solver.mask_fbase(True)
            solver.enable_joint_limits(True)
            solver.enable_velocity_limits(False)
            if position_only:
                task = solver.add_position_task(FRAME, np.zeros(3))
                task.configure("hand", "soft", 1.0)
            else:
                task = solver.add_frame_task(FRAME, np.eye(4))
                task.configure("hand", "soft", 1.0, 1.0)
            solver.add_regularization_task(self.regularisation)
            self.solver[position_only] = solver, task

    def solve(self, target, q0, position_only):
        solver, task = self.solver[position_only]
        if position_only:
            task.target_world = target[:3, 3]
        else:
            task.T_world_frame = target
        for name, angle in zip(JOINTS, q0):
            self.robot.set_joint(name, angle)
        self.robot.update_kinematics()
        done = False
        for _ in range(ITERATIONS):
            pose = self.robot.get_T_world_frame(FRAME)
            done = stop_at(pose[:3, 3], pose[:3, :3], target, position_only)
            if done:
                break
            try:
                solver.solve(True)
            except RuntimeError:
                break
            self.robot.update_kinematics()
        return np.array([self.robot.get_joint(name) for name in JOINTS]), done


class PlacoRegularised(Placo):
    regularisation = 1e-2


class Roboplan:
    """SimpleIk with our tolerances and no collision checking; otherwise its defaults: 100 iterations, step 0.25, at
    most 2 restarts, 5 ms."""

    tasks = "6"
    changed = {}

    def __init__(self, urdf, lower, upper):
        from roboplan import core, simple_ik

        self.core = core
        self.scene = core.Scene("arm", core.loadUrdfSceneDescription(urdf))
        self.scene.addGroup("arm", JOINTS)
        options = simple_ik.SimpleIkOptions()
        options.group_name, options.check_collisions = "arm", False
        options.max_linear_error_norm, options.max_angular_error_norm = STOP_POSITION, STOP_ROTATION
        for name, value in self.changed.items():
            setattr(options, name, value)
        self.solver = simple_ik.SimpleIk(self.scene, options)

    def solve(self, target, q0, position_only):
        goal = self.core.CartesianConfiguration(BASE, FRAME, np.asfortranarray(target))
        found = self.core.JointConfiguration(JOINTS, q0)
        done = self.solver.solveIk(goal, self.core.JointConfiguration(JOINTS, q0), found)
        return np.array(found.positions), bool(done)


class RoboplanRestarts(Roboplan):
    restarts = True
    changed = {"max_restarts": 100000, "max_time": RESTARTS}


class RoboplanRestartsFullStep(RoboplanRestarts):
    changed = {"max_restarts": 100000, "max_time": RESTARTS, "step_size": 1.0}


class Oink:
    """roboplan's differential solver; the loop is ours. Gain 1."""

    tasks = "36"

    def __init__(self, urdf, lower, upper):
        from roboplan import core, optimal_ik

        self.core, self.optimal_ik = core, optimal_ik
        self.scene = core.Scene("arm", core.loadUrdfSceneDescription(urdf))
        self.scene.addGroup("arm", JOINTS)
        self.oink = optimal_ik.Oink(self.scene, "arm")
        self.limits = [optimal_ik.PositionLimit(self.oink, 1.0)]
        self.step = np.zeros(self.oink.num_variables)
        self.task = {}
        for position_only in (True, False):
            options = optimal_ik.FrameTaskOptions(orientation_cost=0.0 if position_only else 1.0, lm_damping=DAMPING)
            goal = core.CartesianConfiguration(BASE, FRAME, np.asfortranarray(np.eye(4)))
            self.task[position_only] = optimal_ik.FrameTask(self.oink, self.scene, goal, options)

    def solve(self, target, q0, position_only):
        task, q = self.task[position_only], np.array(q0)
        task.setTargetFrameTransform(np.asfortranarray(target))
        for _ in range(ITERATIONS):
            pose = self.scene.forwardKinematics(q, FRAME)
            if stop_at(pose[:3, 3], pose[:3, :3], target, position_only):
                return q, True
            try:
                self.oink.solveIk(q, [task], self.limits, self.step)
            except RuntimeError:
                break
            q = q + self.step
        return q, False


class KdlChain:
    """What KDL's solvers share: the chain of the URDF, and restarts."""

    restarts = False

    def __init__(self, urdf, lower, upper):
        import xml.etree.ElementTree as ElementTree

        import PyKDL as kdl

        self.kdl, self.lower, self.upper = kdl, lower, upper
        self.numbers = np.random.default_rng(7)
        self.chain, link = kdl.Chain(), FRAME
        joints = {j.find("child").get("link"): j for j in ElementTree.parse(urdf).getroot().findall("joint")}
        segments = []
        numbers = lambda element, key, default: [float(x) for x in element.get(key, default).split()]
        while link != BASE:
            joint = joints[link]
            place = joint.find("origin")
            turn = kdl.Rotation.RPY(*numbers(place, "rpy", "0 0 0"))
            at = kdl.Frame(turn, kdl.Vector(*numbers(place, "xyz", "0 0 0")))
            name = joint.get("name")
            if joint.get("type") == "fixed":
                hinge = kdl.Joint(name)
            else:
                axis = at.M * kdl.Vector(*numbers(joint.find("axis"), "xyz", "0 0 1"))
                hinge = kdl.Joint(name, at.p, axis, kdl.Joint.JointType.RotAxis)
            segments.append(kdl.Segment(link, hinge, at))
            link = joint.find("parent").get("link")
        for segment in reversed(segments):
            self.chain.addSegment(segment)
        self.forward = kdl.ChainFkSolverPos_recursive(self.chain)
        self.found = self.vector(np.zeros(7))
        self.pose = kdl.Frame()
        self.set_up()

    def vector(self, values):
        result = self.kdl.JntArray(len(values))
        for i, value in enumerate(values):
            result[i] = float(value)
        return result

    def attempt(self, goal, q0, position_only):
        code = self.solver_of(position_only).CartToJnt(self.vector(q0), goal, self.found)
        return np.array([self.found[i] for i in range(7)]), code >= 0

    def right(self, q, target, position_only):
        """Within limits and tolerance, as a caller would check before he restarts."""
        if (q < self.lower).any() or (q > self.upper).any():
            return False
        self.forward.JntToCart(self.found, self.pose)
        p, M = self.pose.p, self.pose.M
        place = np.array([p[0], p[1], p[2]])
        turn = np.array([[M[i, j] for j in range(3)] for i in range(3)])
        return stop_at(place, turn, target, position_only)

    def solve(self, target, q0, position_only):
        kdl = self.kdl
        goal = kdl.Frame(kdl.Rotation(*target[:3, :3].ravel()), kdl.Vector(*target[:3, 3]))
        q, claimed = self.attempt(goal, q0, position_only)
        if not self.restarts:
            return q, claimed
        end = time.perf_counter() + RESTARTS
        while not self.right(q, target, position_only):
            if time.perf_counter() > end:
                return q, False
            q, _ = self.attempt(goal, self.numbers.uniform(self.lower, self.upper), position_only)
        return q, True


class KdlLma(KdlChain):
    """Levenberg–Marquardt, which knows no limits. eps 1e-5, 500 iterations."""

    tasks = "36"

    def set_up(self):
        lma = self.kdl.ChainIkSolverPos_LMA
        weights = np.array([1.0, 1, 1, 0, 0, 0])
        self.solver = {True: lma(self.chain, weights, 1e-5, 500), False: lma(self.chain, 1e-5, 500)}

    def solver_of(self, position_only):
        return self.solver[position_only]


class KdlLmaRestarts(KdlLma):
    restarts = True


class KdlNewton(KdlChain):
    """Newton–Raphson that clamps at the limits, with the pseudo-inverse. eps 1e-5, 200 iterations."""

    tasks = "6"

    def set_up(self):
        kdl = self.kdl
        self.velocity = kdl.ChainIkSolverVel_pinv(self.chain)
        self.solver = kdl.ChainIkSolverPos_NR_JL(
            self.chain, self.vector(self.lower), self.vector(self.upper), self.forward, self.velocity, 200, 1e-5
        )

    def solver_of(self, position_only):
        return self.solver


class KdlNewtonRestarts(KdlNewton):
    restarts = True


PEERS = {
    "kdl_lma": KdlLma,
    "kdl_lma_restarts": KdlLmaRestarts,
    "kdl_nr_jl": KdlNewton,
    "kdl_nr_jl_restarts": KdlNewtonRestarts,
    "pink": Pink,
    "mink": Mink,
    "mujoco_minimize": MujocoMinimize,
    "placo": Placo,
    "placo_reg_0.01": PlacoRegularised,
    "roboplan_simple_ik": Roboplan,
    "roboplan_restarts": RoboplanRestarts,
    "roboplan_restarts_step_1": RoboplanRestartsFullStep,
    "roboplan_oink": Oink,
}


def run(solver, targets, start, position_only, chained, budget):
    """Answers to one task; what is left when the budget [s] is spent is not asked."""
    q, claimed, cpu_us = [], [], []
    for target in targets[:WARM_UP]:
        solver.solve(target, start, position_only)
    last, end = start.copy(), time.perf_counter() + budget
    for target in targets:
        if time.perf_counter() > end:
            break
        began = time.thread_time_ns()
        answer, done = solver.solve(target, last, position_only)
        cpu_us.append((time.thread_time_ns() - began) / 1e3)
        answer = np.full(len(start), np.nan) if answer is None else np.array(answer, float)
        q.append(answer)
        claimed.append(done)
        if chained and np.isfinite(answer).all():
            last = answer
    return np.array(q).reshape(-1, len(start)), np.array(claimed, bool), np.array(cpu_us)


def main():
    name, urdf, targets, out, budget = sys.argv[1:]
    given = np.load(targets)
    solver = PEERS[name](urdf, given["lower"], given["upper"])
    answers = {}
    gc.disable()
    for task in [str(task) for task in given["tasks"]]:
        name, size = task.split("@")
        if size not in solver.tasks or (name in BEYOND_REACH and getattr(solver, "restarts", False)):
            continue
        start = given["ready"] if name == "path" else given["middle"]
        results = run(solver, given[name], start, size == "3", name == "path", float(budget))
        for key, value in zip(("q", "claimed", "cpu_us"), results):
            answers[f"{task}/{key}"] = value
        gc.collect()
    np.savez(out, **answers)


if __name__ == "__main__":
    main()
