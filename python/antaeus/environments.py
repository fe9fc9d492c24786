"""Environments to learn in, with the Gymnasium interface and MuJoCo behind it.

They need gymnasium and mujoco, which the rest of the package does not. So no name of this module is in `antaeus`:
`from antaeus.environments import CartesianReach`.
"""

import os
from collections.abc import Sequence
from typing import Any

try:
    import gymnasium
    import mujoco
    import numpy as np
except ImportError as error:
    missing = error.name
    raise ImportError(f"antaeus.environments needs the package {missing}; pip install {missing}", name=missing) from None

import antaeus

__all__ = ["CartesianReach"]

_TIMESTEP = 0.002  # [s] of MuJoCo
_FLOOR = 0.05  # [m] below which no target is drawn
_OPTIONS = ("target", "start")  # of reset


class CartesianReach(gymnasium.Env[np.ndarray, np.ndarray]):
    """An arm brings its hand to a point. Actions move the hand; inverse kinematics turns them into joint angles.

    An action a [3], each in [−1, 1], moves the commanded point by action_size · a, world axes. `ReachSolver.follow`
    finds the joint angles for it on the branch that the arm is on, so that no joint jumps, and the joints are sent
    there within their limits of position and speed. A controller in MuJoCo drives them within the motors' torques. What
    cannot be reached is approached: the commanded point is then where the hand can be, and does not run away.

    Observation [2 n + 9]: joint angles [n] rad, their speeds [n] rad/s, the hand's position [3] m, the vector from it to
    the target [3] m, the last action [3]; world axes, the robot's root at the origin.

    Reward: −‖w ∘ (target − hand)‖ − α ‖a‖ − β ‖a − a_before‖, with w = axis_weights, α = action_cost, β = change_cost.
    (The article that this follows prints a plus before the distance, ‖target − ee‖ − α ‖action‖: that would reward
    being far away. The distance is a cost here.) The second term charges the length of the commanded path, α / action_size
    for each metre, at any speed: it does not make motion smooth. The third does.

    An episode ends (terminated) when the hand is within reached_distance of the target, and is cut (truncated) after
    max_steps. `info` holds hand and target [3] m, distance [m], and status, evidence and reason of the last answer of
    the inverse kinematics. `model` and `data` are MuJoCo's, for a viewer.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, robot: str | os.PathLike[str] | antaeus.Robot = "panda",
                 frame: str = "panda_hand", start: str | Sequence[float] = "ready", *, keep_orientation: bool = False, action_size: float = 0.02, control_period: float = 0.04,
                 axis_weights: Sequence[float] = (1.0, 1.0, 1.0), action_cost: float = 0.01,
                 change_cost: float = 0.0, reached_distance: float = 0.01, max_steps: int = 200,
                 start_noise: float = 0.05, armature: float = 0.1, bandwidth: float = 30.0) -> None:
        """
        robot: a name, a file, or a Robot. frame: the link that is moved. start: a pose of the profile, or joint angles
        of the chain [n]. keep_orientation: the hand stays turned as at the start; else its orientation is free.
        action_size: m that an action of 1 moves the commanded point. control_period: s between actions. axis_weights:
        of the distance, world axes. action_cost, change_cost: m for an action, or its change, of length 1.
        reached_distance: m; 0: an episode never ends by itself. start_noise: rad or m by which each joint may be off at
        the start. armature: kg·m² added to each joint, its rotor behind the gear. bandwidth: rad/s of the joint
        controller, critically damped. OptionsError, ModelError: one line.
        """
        for name, value in dict(action_size=action_size, control_period=control_period, max_steps=max_steps,
                                bandwidth=bandwidth).items():
            _check(name, value, value > 0, "give a number above 0")
        for name, value in dict(action_cost=action_cost, change_cost=change_cost, reached_distance=reached_distance,
                                start_noise=start_noise, armature=armature).items():
            _check(name, value, value >= 0, "give 0 or more")
        self._weights = np.array(axis_weights, dtype=float)
        _check("axis_weights", axis_weights, self._weights.shape == (3,) and bool((self._weights >= 0).all()),
               "give three, 0 or more")
        self._robot = robot if isinstance(robot, antaeus.Robot) else antaeus.load_robot(robot)
        self._chain = antaeus.KinematicChain(self._robot.model, frame)
        self._solver = antaeus.ReachSolver(antaeus.ReachModel(self._chain, position_only=not keep_orientation))
        joints = self._chain.joints()
        motors = [joint.motor for joint in joints]
        self._effort = self._robot.model.effort_limits()[motors]
        self._speed = self._robot.model.velocity_limits()[motors]
        self._lower, self._upper = (np.array([getattr(joint, end) for joint in joints]) for end in ("lower", "upper"))
        at_start = self._chain.from_motors(self._robot.pose(start)) if isinstance(start, str) else start
        self._rest, _ = self._chain.pulled_in(at_start)
        self._action_size, self._period, self._bandwidth = action_size, control_period, bandwidth
        self._action_cost, self._change_cost = action_cost, change_cost
        self._reached, self._max_steps, self._noise = reached_distance, max_steps, start_noise
        self._substeps = max(1, round(control_period / _TIMESTEP))
        self.model = _read(self._robot, self._chain, armature, control_period / self._substeps)
        self.data = mujoco.MjData(self.model)
        self._hand = self.model.body(frame).id
        addresses = [self.model.joint(joint.name) for joint in joints]
        self._at_q = np.array([joint.qposadr[0] for joint in addresses])
        self._at_v = np.array([joint.dofadr[0] for joint in addresses])
        self._place(self._rest)
        if np.abs(self._position() - self._chain.pose(self._rest).translation).max() > 1e-6:
            raise antaeus.ModelError(f"frame '{frame}': MuJoCo has it elsewhere than the chain; lock joints at zero only")
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2 * len(joints) + 9,), np.float64)
        self._target = self._position()
        self._wanted, self._commanded = self._rest, antaeus.Pose()
        self._last_action, self._steps = np.zeros(3), 0

    def __repr__(self) -> str:
        return (f"CartesianReach({self._robot.profile.name}: {self._chain.frame()}, {self._chain.size()} joints, "
                f"{self._steps} of {self._max_steps} steps)")

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """The arm near its start, at rest, and a target that some posture within the limits reaches.

        options: target, a point [3] m; start, joint angles of the chain [n].
        """
        super().reset(seed=seed)
        options = options or {}
        for name in options:
            _check(f"options '{name}'", None, name in _OPTIONS, f"give {' or '.join(_OPTIONS)}")
        noise = self.np_random.uniform(-self._noise, self._noise, len(self._rest))
        self._wanted, _ = self._chain.pulled_in(options.get("start", self._rest + noise))
        self._commanded = self._chain.pose(self._wanted)
        drawn = self._drawn_target()
        self._target = np.array(options.get("target", drawn), dtype=float)
        _check("target", options.get("target"), self._target.shape == (3,) and np.isfinite(self._target).all(),
               "give three numbers")
        self._place(self._wanted)
        self._last_action, self._steps = np.zeros(3), 0
        return self._observation(), self._info(self._solver.follow(self._commanded, self._wanted))

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One control period. Entries of the action beyond [−1, 1] are cut to it."""
        action = np.array(action, dtype=float)
        _check("action", action, action.shape == (3,) and np.isfinite(action).all(), "give three numbers")
        action = np.clip(action, -1.0, 1.0)
        asked = antaeus.Pose(self._commanded.rotation, self._commanded.translation + self._action_size * action)
        found = self._solver.follow(asked, self._wanted)
        change = found.q - self._wanted
        too_fast = max(1.0, float((np.abs(change) / (self._speed * self._period)).max()))
        before, self._wanted = self._wanted, self._chain.pulled_in(self._wanted + change / too_fast)[0]
        held = asked.translation
        if found.status != "reached" or too_fast > 1.0:
            held = self._chain.pose(self._wanted).translation
        self._commanded = antaeus.Pose(asked.rotation, held)
        self._drive(before, self._wanted)
        self._steps += 1
        away = self._target - self._position()
        reward = -float(np.linalg.norm(self._weights * away) + self._action_cost * np.linalg.norm(action)
                        + self._change_cost * np.linalg.norm(action - self._last_action))
        self._last_action = action
        terminated = bool(np.linalg.norm(away) < self._reached)
        return self._observation(), reward, terminated, self._steps >= self._max_steps, self._info(found)

    def _drive(self, before: np.ndarray, after: np.ndarray) -> None:
        """Joints from one set of angles to the next in a control period, by torques within the motors' limits."""
        speed, force = (after - before) / self._period, np.zeros(self.model.nv)
        for step in range(1, self._substeps + 1):
            mujoco.mj_step1(self.model, self.data)
            q, v = self.data.qpos[self._at_q], self.data.qvel[self._at_v]
            wanted = np.zeros(self.model.nv)
            wanted[self._at_v] = (self._bandwidth**2 * (before + speed * step * self._period / self._substeps - q)
                                  + 2 * self._bandwidth * (speed - v))
            mujoco.mj_mulM(self.model, self.data, force, wanted)
            torque = force[self._at_v] + self.data.qfrc_bias[self._at_v]
            self.data.qfrc_applied[self._at_v] = np.clip(torque, -self._effort, self._effort)
            mujoco.mj_step2(self.model, self.data)
        mujoco.mj_kinematics(self.model, self.data)

    def _place(self, q: np.ndarray) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self._at_q] = q
        mujoco.mj_forward(self.model, self.data)

    def _drawn_target(self) -> np.ndarray:
        """Where a random posture has the hand, and where some posture has it turned as it shall be."""
        low, high = np.maximum(self._lower, -np.pi), np.minimum(self._upper, np.pi)
        for _ in range(1000):
            point = self._chain.pose(self.np_random.uniform(low, high)).translation
            pose = antaeus.Pose(self._commanded.rotation, point)
            if point[2] >= _FLOOR and self._solver.solve(pose).status == "reached":
                return point
        return self._commanded.translation

    def _position(self) -> np.ndarray:
        return self.data.xpos[self._hand].copy()

    def _observation(self) -> np.ndarray:
        hand = self._position()
        return np.concatenate([self.data.qpos[self._at_q], self.data.qvel[self._at_v], hand, self._target - hand,
                               self._last_action])

    def _info(self, found: antaeus.ReachSolution) -> dict[str, Any]:
        hand = self._position()
        return {"hand": hand, "target": self._target.copy(), "distance": float(np.linalg.norm(self._target - hand)),
                "status": str(found.status), "evidence": str(found.evidence),
                "reason": antaeus.reason_text(self._solver.model(), found)}


def _check(name: str, value: object, right: bool, remedy: str) -> None:
    if not right:
        problem = "is unknown" if value is None else f"{value} does not fit"
        raise antaeus.OptionsError(f"CartesianReach.{name}: {problem}; {remedy}")


def _read(robot: antaeus.Robot, chain: antaeus.KinematicChain, armature: float, timestep: float) -> mujoco.MjModel:
    """MuJoCo's own reading of the description: the chain's joints alone, no contacts, a fixed root."""
    spec = mujoco.MjSpec.from_file(robot.model.description().source)
    spec.compiler.fusestatic = False
    spec.option.timestep = timestep
    spec.option.gravity = robot.model.gravity()
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    names = {joint.name for joint in chain.joints()}
    for joint in list(spec.joints):
        if joint.name in names:
            joint.armature = armature
        else:
            spec.delete(joint)
    return spec.compile()
