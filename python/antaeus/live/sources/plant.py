"""A robot in MuJoCo that holds a pose, moves its limbs a little and is pushed at its hands: what sim:// measures.

It is the robot's own URDF without shapes, motors with the profile's rotor inertia and dry friction, and position loops with
gravity taken out, as robots have. A floating base hangs from a soft weld, feet in the air. The script is the same at every run.
"""

import dataclasses
import math
import typing
import xml.etree.ElementTree as ElementTree

import numpy as np

from antaeus.formats.recording import FormatError

if typing.TYPE_CHECKING:
    from antaeus._antaeus import Robot, RobotDescription

_HEIGHT = 1.2  # [m] of the hung base
_WELD = (0.02, 1.0)  # time constant [s] and damping ratio of what it hangs from
_LOOP_HZ = 4.0  # natural frequency of a joint's position loop
_LEAST_STIFFNESS = 3.0  # [1/rad] of the effort limit
_FASTEST_LOOP, _LARGEST_DAMPING = 0.15, 0.4  # of a loop's rate and damping, times its sampling time: beyond, samples are too few
_COULOMB_SHARE, _ARMATURE_SHARE = 0.01, 2e-4  # of the effort limit, where the profile states no friction [N·m], rotor inertia [kg·m²]
_VISCOUS_SHARE = 0.4  # [s/rad] of the dry friction
_VELOCITY_NOISE, _POSITION_NOISE = 0.01, 2e-5  # sd [rad/s], [rad]
_GYRO_NOISE, _ACCELEROMETER_NOISE = 0.002, 0.03  # sd [rad/s], [m/s²]

# The script. First a calm, in which --ready finds its ten seconds at rest; then, in seconds of a cycle that comes again and again:
# a small motion, pushes, and last a residual of the torso's drive with the arms in a poor pose and without contact, as in the
# incident of docs/concepts/incident.md.
CALM, CYCLE = 12.0, 36.0
_PUSHES = ((8.0, 1.5, (0.0, 0.0, -1.0)), (12.0, 1.5, (-1.0, 0.0, 0.0)), (16.0, 1.5, (0.0, 1.0, 0.0)), (19.0, 0.3, (0.0, 0.0, 1.0)))
_RAMP = 0.15  # [s] in which a push grows
_PUSH_SHARE = 0.6  # of the rated load's weight
_PUSH = 15.0  # [N] where the profile rates no load
_MOVES = (1.0, 6.0)  # limbs swing between these
_SWING, _SWING_HZ = 0.15, 0.4  # [rad]
_POOR = (23.0, 34.0)  # the poor pose, if the profile has one
_POOR_TAKES = 2.0  # [s] to get there, and back
_OFFSET = (27.0, 31.0)  # the reference joint's residual
_OFFSET_SIZE = 9.0  # [N·m]; at most _OFFSET_SHARE of its effort limit
_OFFSET_SHARE = 0.1


def bare_urdf(robot: "Robot") -> str:
    """The robot's URDF without shapes; joints that are no motors are fixed. Raises FormatError where MuJoCo could not read it."""
    file = robot.profile.model
    if file.suffix != ".urdf":
        raise FormatError(file, "is no URDF, of which the plant is made", "name a robot that has one: antaeus robot --list")
    for name, position in robot.model.options().locked_joints.items():
        if position != 0.0:
            raise FormatError(file, f"joint '{name}' is locked off zero, where the plant holds it", "lock it at zero, or make it a motor")
    root = ElementTree.parse(file).getroot()
    motors = set(robot.model.motor_names())
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for joint in root.findall("joint"):
        if joint.get("type") != "fixed" and joint.get("name") not in motors:
            joint.set("type", "fixed")
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    for word in ("transmission", "gazebo", "mujoco"):
        for one in root.findall(word):
            root.remove(one)
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", fusestatic="false", discardvisual="false")
    return ElementTree.tostring(root, encoding="unicode")


def link_of(description: "RobotDescription", frame: str) -> str:
    """The link that a frame is, or whose joint it is."""
    if any(link.name == frame for link in description.links):
        return frame
    return next(joint.child for joint in description.joints if joint.name == frame)


@dataclasses.dataclass(frozen=True)
class Poses:
    """Where it stands, and where it stands badly (the same, where the profile names no such pose) [motors], rad."""

    rest: np.ndarray
    poor: np.ndarray


def poses_of(robot: "Robot") -> Poses:
    """Of the profile's poses those in which its hands sense most and least; without any, the middle of each joint's range."""
    model = robot.model
    lower, upper = np.maximum(model.lower_limits(), -2.5), np.minimum(model.upper_limits(), 2.5)
    named = [np.array(robot.pose(one.name)) for one in robot.profile.poses] or [(lower + upper) / 2]
    sensed = [_sensed(robot, pose) for pose in named]
    return Poses(named[int(np.argmax(sensed))], named[int(np.argmin(sensed))])


def _sensed(robot: "Robot", pose: np.ndarray) -> float:
    """How strongly motors' torques tell the force at a hand that they tell least: the smallest σ of its Jacobian [m]."""
    model = robot.model
    whole = model.position_from_motors(pose, [0.0, 0.0, 0.0, 1.0])
    jacobians = [np.array(robot.point_jacobian(whole, frame, np.zeros(3), local=True))[:3][:, model.motor_rows()] for frame in hands_of(robot)]
    return min(float(np.linalg.svd(J, compute_uv=False)[-1]) for J in jacobians)


def hands_of(robot: "Robot") -> list[str]:
    """Frames of the endpoints that are no feet; all of them, of a robot with feet alone."""
    hands = [one.frame for one in robot.profile.endpoints if one.kind != "foot"]
    return list(robot.endpoint_frames(hands))


class Plant:
    """The simulated robot with its sensors. `sample()` goes on by one sample."""

    def __init__(self, robot: "Robot", rate: int, seed: int = 0) -> None:
        import mujoco

        self._mujoco, self._robot, self._rate = mujoco, robot, rate
        self._noise = np.random.default_rng(seed)
        self._poses = poses_of(robot)
        self._floats = robot.model.base() == "free_flyer"
        self._imu = robot.profile.imu.frame if self._floats else ""
        self._effort = _efforts(robot)
        self._torque_sd = np.array([figures.torque_sd for figures in robot.profile.figures])
        self.model, self.data = self._build()
        joints = [self.model.joint(name) for name in robot.model.motor_names()]
        self._at_q, self._at_v = (np.array([getattr(joint, name)[0] for joint in joints]) for name in ("qposadr", "dofadr"))
        self._swinging = self._limb_motors()
        self._hands = [self.model.body(link_of(robot.model.description(), frame)).id for frame in hands_of(robot)]
        self._reads_joint = robot.profile.torque_source == "joint"
        self._offset = self._reference_offset()
        self._push = _PUSH_SHARE * 9.81 * robot.profile.rated_load if robot.profile.rated_load > 0 else _PUSH
        self._reset()

    @property
    def channels(self) -> list[tuple[str, int]]:
        """Names and widths of what a sample holds, as a log's."""
        motors = len(self._at_q)
        imu = [("imu_quat_xyzw", 4), ("imu_gyro", 3), ("imu_acc", 3)] if self._imu else []
        return [("time", 1), ("qpos", motors), ("tau", motors), ("dq", motors), *imu]

    def sample(self) -> np.ndarray:
        """The next sample, in the channels' order: SI units, time from 0 on, torques positive along the joints' axes."""
        mujoco, model, data = self._mujoco, self.model, self.data
        mujoco.mj_step1(model, data)
        q, v = data.qpos[self._at_q], data.qvel[self._at_v]
        moment = data.time
        phase = (moment - CALM) % CYCLE if moment > CALM else 0.0
        wanted = data.qfrc_bias[self._at_v] + self._stiffness * (self._target(moment, phase) - q) - self._damping * v
        data.ctrl[:] = np.clip(wanted, -self._effort, self._effort)
        data.xfrc_applied[:] = 0
        for number, body in enumerate(self._hands):
            data.xfrc_applied[body, :3] = self._force(phase, number)
            # MuJoCo applies it at the centre of mass; it is meant at the link's origin.
            data.xfrc_applied[body, 3:] = np.cross(data.xpos[body] - data.xipos[body], data.xfrc_applied[body, :3])
        mujoco.mj_step2(model, data)
        tau = data.qfrc_actuator[self._at_v].copy()
        if self._reads_joint:  # what leaves the gear: without friction and what the rotor takes
            tau += (data.qfrc_passive + data.qfrc_constraint - model.dof_armature * data.qacc)[self._at_v]
        draw = self._noise.normal
        tau += self._torque_sd * draw(size=len(tau)) + _share(phase, *_OFFSET, 1.0) * self._offset
        parts = [[moment], q + _POSITION_NOISE * draw(size=len(q)), tau, v + _VELOCITY_NOISE * draw(size=len(q))]
        if self._imu:
            parts += [data.sensor("__quaternion").data[[1, 2, 3, 0]], data.sensor("__gyro").data + _GYRO_NOISE * draw(size=3),
                      data.sensor("__force").data + _ACCELEROMETER_NOISE * draw(size=3)]
        return np.concatenate(parts)

    # ---- What happens when

    def _target(self, moment: float, phase: float) -> np.ndarray:
        grown = _share(phase, *_MOVES, 1.0)
        swing = np.zeros(len(self._effort))
        swing[self._swinging] = _SWING * grown * np.sin(2 * math.pi * _SWING_HZ * moment + 0.7 * np.arange(len(self._swinging)))
        poor = _share(phase, *_POOR, _POOR_TAKES)
        return self._poses.rest + swing + poor * (self._poses.poor - self._poses.rest)

    def _force(self, phase: float, hand: int) -> np.ndarray:
        """On the robot [N], world axes. Hands are pushed in turn."""
        total = np.zeros(3)
        for number, (start, length, way) in enumerate(_PUSHES):
            if number % len(self._hands) == hand:
                total += _share(phase, start, start + length, _RAMP) * self._push * np.array(way)
        return total

    def _reference_offset(self) -> np.ndarray:
        """What the profile's reference joint reads too much at the end of a cycle [N·m]; nothing, where it names none."""
        names, offset = self._robot.model.motor_names(), np.zeros(len(self._effort))
        if self._robot.profile.reference_joint in names:
            at = names.index(self._robot.profile.reference_joint)
            offset[at] = min(_OFFSET_SIZE, _OFFSET_SHARE * self._effort[at])
        return offset

    def _limb_motors(self) -> np.ndarray:
        """Motors that serve a hand and no other endpoint."""
        model = self._robot.model
        serving = [set(model.supporting_motors(model.frame(frame))) for frame in hands_of(self._robot)]
        shared = set.intersection(*serving) if len(serving) > 1 else set()
        return np.array(sorted(set.union(*serving) - shared), int)

    # ---- How it is made

    def _build(self) -> tuple[typing.Any, typing.Any]:
        mujoco, robot = self._mujoco, self._robot
        spec = mujoco.MjSpec.from_string(bare_urdf(robot))
        spec.compiler.fusestatic = False
        spec.option.timestep = 1 / self._rate
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        spec.option.gravity = robot.model.gravity()
        description = robot.model.description()
        for at, (name, figures) in enumerate(zip(robot.model.motor_names(), robot.profile.figures, strict=True)):
            joint = spec.joint(name)
            coulomb = figures.coulomb if figures.coulomb > 0 else _COULOMB_SHARE * self._effort[at]
            joint.armature = figures.armature if figures.armature > 0 else _ARMATURE_SHARE * self._effort[at]
            joint.frictionloss, joint.damping, joint.stiffness = 0.5 * coulomb, [_VISCOUS_SHARE * coulomb, 0, 0], [0, 0, 0]
            spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_motor()
        if self._imu:
            spec.body(link_of(description, self._imu)).add_site(name="__imu")
            kinds = mujoco.mjtSensor
            for name, kind in (("gyro", kinds.mjSENS_GYRO), ("force", kinds.mjSENS_ACCELEROMETER), ("quaternion", kinds.mjSENS_FRAMEQUAT)):
                spec.add_sensor(name=f"__{name}", type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="__imu")
        if self._floats:
            spec.body(description.root).add_freejoint(name="__root")
            spec.worldbody.add_body(name="__gantry", mocap=True)
            weld = np.zeros(mujoco.mjNEQDATA)
            weld[6] = weld[10] = 1  # relative pose: the identity; moments count as forces at 1 m
            spec.add_equality(type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, name1="__gantry", name2=description.root,
                              data=weld, solref=_WELD)
        model = spec.compile()
        return model, mujoco.MjData(model)

    def _reset(self) -> None:
        """To rest in the first pose, with position loops as stiff as samples allow."""
        mujoco, model, data = self._mujoco, self.model, self.data
        if self._floats:
            data.qpos[:7] = [0, 0, _HEIGHT, 1, 0, 0, 0]
            data.mocap_pos[0] = [0, 0, _HEIGHT]
        data.qpos[self._at_q] = self._poses.rest
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        inertia, loose = np.diag(M)[self._at_v], 1 / np.diag(np.linalg.inv(M))[self._at_v]
        stiffness = np.maximum(inertia * (2 * math.pi * _LOOP_HZ) ** 2, _LEAST_STIFFNESS * self._effort)
        self._stiffness = np.minimum(stiffness, loose * (_FASTEST_LOOP * self._rate) ** 2)
        self._damping = np.minimum(2 * np.sqrt(self._stiffness * inertia), loose * _LARGEST_DAMPING * self._rate)


def _share(moment: float, start: float, end: float, ramp: float) -> float:
    """0 outside, 1 inside, in between a smooth ramp of that length [s] at either end."""
    share = min(1.0, max(0.0, min(moment - start, end - moment) / ramp))
    return share * share * (3 - 2 * share)


def _efforts(robot: "Robot") -> np.ndarray:
    """Limits of the motors' torques [N·m]; where one is not stated or means nothing, a hundred times its noise."""
    effort = np.array(robot.model.effort_limits(), float)
    by_noise = 100 * np.array([figures.torque_sd for figures in robot.profile.figures])
    return np.where(np.isfinite(effort) & (effort > 0) & (effort < 20 * by_noise), effort, by_noise)
