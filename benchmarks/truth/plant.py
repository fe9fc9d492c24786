"""A robot in MuJoCo that differs from its profile as a scenario says, its position loops, its sensors, and the truth.

MuJoCo reads the robot's own URDF, without shapes: no contact but the pushes. Locked and fixed joints stay as they are.
A robot on a floating base hangs from a soft weld to a body that is moved (the gantry), feet in the air.
"""

import dataclasses
import math
import xml.etree.ElementTree as ET

import antaeus
import mujoco
import numpy as np
import robots as subjects
from scenarios import CONTROL_HZ, STEP_S, Wrong

HEIGHT = 1.0  # [m] of the hung base
WELD_SOLREF = (0.02, 1)  # time constant [s] and damping ratio of the gantry
MIN_JERK_PEAK = 1.875  # peak speed of a minimum-jerk move over its mean
DWELL = 0.3  # [s] between two moves
HELD_SIDE = 0.05  # [m] of the cube that is held
LARGEST_OFFSET = 0.3  # of the effort limit, of an offset in units of the detectable error: larger ones no drive has
LEAST_STIFFNESS = 3.0  # [1/rad] of the effort limit, at 4 Hz
FASTEST_LOOP = 0.15  # [1] of a loop's natural frequency [rad/s] times its sampling time
LARGEST_DAMPING = 0.4  # [1] of a loop's damping over that inertia, times its sampling time
GROUND_CONE = math.radians(25)  # within which pushes on feet are drawn, about up: what a ground of friction 0.47 does
GROWN = 1.0  # [s] in which a motion grows from rest
POLICY_HZ = 50.0  # of a policy's steps
TRIAL = 1.0  # [s] of the undisturbed robot, from which detectable errors are read
SETTLED = 1.5  # [s] after which results count


def generator(seed, *words):
    """A stream of its own for each use: words tell them apart."""
    return np.random.default_rng([seed, *(b for word in words for b in word.encode())])


def bare_urdf(robot):
    """The robot's URDF without shapes, joints that are no motors fixed where the model has them."""
    file = robot.profile.model
    try:
        root = ET.parse(file).getroot()
    except (OSError, ET.ParseError) as error:
        raise Wrong(f"{file}: {error}; give a URDF that is whole") from None
    motors, locked = set(robot.model.motor_names()), dict(robot.model.options().locked_joints)
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for joint in root.findall("joint"):
        if joint.get("type") != "fixed" and joint.get("name") not in motors:
            if locked.get(joint.get("name"), 0.0) != 0.0:
                raise Wrong(f"{file}: joint '{joint.get('name')}' is locked off zero, which this plant cannot; "
                            "lock it at zero or make it a motor")
            joint.set("type", "fixed")
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    for word in ("transmission", "gazebo", "mujoco"):
        for one in root.findall(word):
            root.remove(one)
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false", discardvisual="false")
    return ET.tostring(root, encoding="unicode")


@dataclasses.dataclass
class Plant:
    model: mujoco.MjModel
    data: mujoco.MjData
    at_q: np.ndarray
    at_v: np.ndarray  # of motors
    coulomb: np.ndarray  # [N·m] at rest and cold
    gain: np.ndarray  # of torque channels
    reads_joint: bool  # torque sensors at the output: friction and rotor are behind them
    stiffness: np.ndarray
    damping: np.ndarray
    control_steps: int


def build(subject, errors, seed, pose):
    """The robot of a seed: the same in every scenario that has the same errors."""
    robot, numbers = subject.robot, generator(seed, subject.name, "plant")
    model_of = robot.model
    spec = mujoco.MjSpec.from_string(bare_urdf(robot))
    spec.compiler.fusestatic = False
    spec.option.timestep = STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    spec.option.gravity = model_of.gravity()
    root = model_of.description().root
    if subject.floats:
        spec.body(root).add_freejoint(name="__root")
    for body in spec.bodies:
        if body.mass > 0:
            share = max(0.1, 1 + errors["mass_share"] * numbers.normal())
            body.mass *= share
            body.fullinertia, body.inertia = np.array(body.fullinertia) * share, np.array(body.inertia) * share
            body.ipos = np.array(body.ipos) + errors["com_shift_m"] * numbers.normal(size=3)
    names = model_of.motor_names()
    random = numbers.uniform(0, 1, len(names))
    coulomb = subject.coulomb * errors["coulomb_scale"] * (random if errors["coulomb_random"] else 1.0)
    flexible = errors["flexible_hz"] > 0
    for at, name in enumerate(names):
        joint = spec.joint(name)
        joint.armature = subject.armature[at] * errors["inertia_armature_scale"]
        joint.frictionloss = max(coulomb[at], 1e-9)  # above zero: MuJoCo makes its row once, and it changes later
        joint.damping = [errors["viscous_share_s_rad"] * subject.coulomb[at], 0, 0]
        joint.stiffness = [0, 0, 0]
        if flexible and joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            # A second joint about the same axis in the same body: motor and rotor before it, the spring in it.
            soft = joint.parent.add_joint(name=f"__soft_{name}", type=mujoco.mjtJoint.mjJNT_HINGE)
            soft.pos, soft.axis = np.array(joint.pos), np.array(joint.axis)
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_motor()
    for frame, mass in ((frame, errors["payload_kg"]) for frame in subject.endpoints):
        if mass > 0:
            body = spec.body(subjects.link_of(model_of.description(), frame))
            held = body.add_body(name=f"__held_{frame}")
            held.mass, held.inertia = mass, np.full(3, mass * HELD_SIDE**2 / 6)
            held.ipos, held.explicitinertial = np.zeros(3), True
            for name, kind in (("linear", mujoco.mjtSensor.mjSENS_FRAMELINACC), ("angular", mujoco.mjtSensor.mjSENS_FRAMEANGACC)):
                spec.add_sensor(name=f"__{name}_{frame}", type=kind, objtype=mujoco.mjtObj.mjOBJ_XBODY, objname=held.name)
    if subject.imu:
        turn = math.radians(errors["imu_tilt_deg"])
        axis = numbers.normal(size=3)
        axis *= math.sin(turn / 2) / np.linalg.norm(axis)
        place = spec.body(subjects.link_of(model_of.description(), subject.imu))
        place.add_site(name="__imu", quat=[math.cos(turn / 2), *axis])
        kinds = mujoco.mjtSensor
        for name, kind in (("gyro", kinds.mjSENS_GYRO), ("force", kinds.mjSENS_ACCELEROMETER),
                           ("quaternion", kinds.mjSENS_FRAMEQUAT)):
            spec.add_sensor(name=f"__{name}", type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="__imu")
    if subject.floats:
        spec.worldbody.add_body(name="__gantry", mocap=True)
        weld = np.zeros(mujoco.mjNEQDATA)
        weld[6] = weld[10] = 1  # relative pose: the identity; moments count as forces at 1 m
        spec.add_equality(type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, name1="__gantry", name2=root,
                          data=weld, solref=WELD_SOLREF)
    model = spec.compile()
    data = mujoco.MjData(model)
    joints = [model.joint(name) for name in names]
    at_q, at_v = np.array([j.qposadr[0] for j in joints]), np.array([j.dofadr[0] for j in joints])
    if subject.floats:
        data.qpos[:7] = [0, 0, HEIGHT, 1, 0, 0, 0]
        data.mocap_pos[0] = [0, 0, HEIGHT]
    data.qpos[at_q] = pose
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    inertia = np.diag(M)[at_v]
    if flexible:
        for at, name in enumerate(names):
            if f"__soft_{name}" in [model.joint(i).name for i in range(model.njnt)]:
                dof = model.joint(f"__soft_{name}").dofadr[0]
                rate = 2 * math.pi * errors["flexible_hz"]
                link = inertia[at] - model.dof_armature[at_v[at]]
                model.jnt_stiffness[model.joint(f"__soft_{name}").id] = link * rate**2
                model.dof_damping[dof] = 2 * errors["flexible_damping"] * link * rate
                weight = data.qfrc_bias[dof]
                data.qpos[model.joint(f"__soft_{name}").qposadr[0]] = -weight / (link * rate**2)
    # Stiff enough for its inertia, and not to be bent far by what its motor can hold: a light wrist.
    stiffness = np.maximum(inertia * (2 * math.pi * errors["loop_hz"]) ** 2,
                           LEAST_STIFFNESS * subject.effort * (errors["loop_hz"] / 4) ** 2)
    control = 1 if flexible else round(1 / (CONTROL_HZ * STEP_S))
    # No stiffer than samples allow, by the inertia that a joint has while the others are free to move.
    loose = 1 / np.diag(np.linalg.inv(M))[at_v]
    stiffness = np.minimum(stiffness, loose * (FASTEST_LOOP / (control * STEP_S)) ** 2)
    damping = np.minimum(2 * errors["loop_damping"] * np.sqrt(stiffness * inertia),
                         loose * LARGEST_DAMPING / (control * STEP_S))
    gain = 1 + errors["torque_gain_sd"] * numbers.normal(size=len(names))
    return Plant(model, data, at_q, at_v, coulomb, gain, robot.profile.torque_source == "joint", stiffness,
                 damping, control)


# ------------------------------------------------------------------------------------------------------------- motion


def minimum_jerk(share):
    share = min(1.0, max(0.0, share))
    return share**3 * (10 - 15 * share + 6 * share**2)


def targets(subject, scenario, pose, numbers):
    """t → joint targets [rad]."""
    places = sorted(set().union(*map(set, subject.limbs)))
    lower, upper = np.array(subject.robot.model.lower_limits()), np.array(subject.robot.model.upper_limits())
    lower, upper = np.minimum(lower, pose), np.maximum(upper, pose)
    if scenario["motion"] == "swinging":
        size, angle = np.zeros(len(pose)), np.zeros(len(pose))
        # Where a limit is near, about another middle: a target that stops at a limit would be a jerk.
        size[places] = np.minimum(scenario["swing_rad"], (upper - lower)[places] / 2)
        shift = np.clip(pose, lower + size, upper - size) - pose
        angle[places] = 2 * math.pi * (0.41 + 0.043 * (np.arange(len(places)) % 15))
        phase = numbers.uniform(0, 2 * math.pi, len(pose))
        return lambda t: pose + minimum_jerk(t / GROWN) * (shift + size * np.sin(angle * t + phase))
    if scenario["motion"] == "reaching":
        moves, start, here = [], 0.5, pose.copy()
        while start < scenario["duration_s"]:
            there = pose.copy()
            there[places] += scenario["reach_rad"] * numbers.uniform(-1, 1, len(places))
            there = np.clip(there, lower, upper)
            takes = max(0.2, MIN_JERK_PEAK * abs(there - here).max() / scenario["reach_speed_rad_s"])
            moves.append((start, takes, here, there))
            start, here = start + takes + DWELL, there
        starts = np.array([move[0] for move in moves])

        def at(t):
            k = int(np.searchsorted(starts, t)) - 1
            if k < 0:
                return pose
            begins, takes, from_, to = moves[k]
            return from_ + minimum_jerk((t - begins) / takes) * (to - from_)

        return at
    return lambda t: pose


def gantry(t, phases):
    """Position [m] and rotation vector [rad] of the shaken gantry: yaw 9° at 1.6 Hz, bob 2 cm, roll 2°, sway 1 cm."""
    wave = lambda k, rate: min(1.0, t / 0.5) * math.sin(2 * math.pi * rate * t + phases[k])
    position = np.array([0.01 * wave(0, 1.1), 0.01 * wave(1, 1.3), HEIGHT + 0.02 * wave(2, 1.9)])
    return position, np.array([math.radians(2) * wave(3, 1.4), 0.0, math.radians(9) * wave(4, 1.6)])


# ------------------------------------------------------------------------------------------------------------- pushes


@dataclasses.dataclass
class Push:
    body: int
    at: np.ndarray  # [m] in the body's axes
    force: np.ndarray  # [N] its largest, world axes, on the robot
    shape: str
    ramp: float
    start: float
    end: float
    frequency: float
    endpoint: int  # whose truth it is: it acts on the same rigid body; −1: elsewhere

    def share(self, t):
        if not self.start <= t < self.end:
            return 0.0
        if self.shape == "trapezoid":
            return min(1.0, (t - self.start) / self.ramp, (self.end - t) / self.ramp)
        if self.shape == "impact":
            return math.sin(math.pi * (t - self.start) / (self.end - self.start))
        if self.shape == "sine":
            return math.sin(2 * math.pi * self.frequency * (t - self.start))
        return 1.0

    def half(self):
        """When the true force first reaches half of its largest [s]."""
        rises = {"trapezoid": self.ramp / 2, "impact": (self.end - self.start) / 6,
                 "sine": 1 / (12 * self.frequency), "step": 0.0}  # fmt: skip
        return self.start + rises[self.shape]


def pushes(subject, plant, scenario, numbers):
    """Every push of a run, one after the other."""
    model, found = plant.model, []
    description = subject.robot.model.description()
    bodies = [model.body(subjects.link_of(description, frame)).id for frame in subject.endpoints]
    kinds = {one.frame: one.kind for one in subject.robot.profile.endpoints}
    feet = [kinds.get(frame) == "foot" for frame in subject.endpoints]
    for number, one in enumerate(scenario["push"]):
        candidates = subjects.links(subject, one["on"], f"push {number + 1}, on")
        starts = [one["start_s"]]
        while one["every_s"] > 0 and starts[-1] + one["every_s"] < scenario["duration_s"]:
            starts.append(starts[-1] + one["every_s"])
        for start in starts:
            body = model.body(candidates[numbers.integers(len(candidates))]).id
            way = one["direction"]
            same = [k for k, b in enumerate(bodies) if model.body_weldid[b] == model.body_weldid[body]]
            if isinstance(way, str) and way == "random" and same and feet[same[0]]:
                turn, tilt = 2 * math.pi * numbers.uniform(), GROUND_CONE * math.sqrt(numbers.uniform())
                way = [math.sin(tilt) * math.cos(turn), math.sin(tilt) * math.sin(turn), math.cos(tilt)]
            elif isinstance(way, str) and way == "random":
                way = numbers.normal(size=3)
            elif isinstance(way, str):
                way = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}[way[-1]] * np.array(-1 if way[0] == "-" else 1)
            way = np.array(way, float) / np.linalg.norm(way)
            place = one["point"]
            place = model.body_ipos[body] if place == "com" else np.zeros(3) if place == "origin" else np.array(place)
            found.append(Push(body, place, one["force_N"] * way, one["shape"], one["ramp_s"], start,
                              start + one["length_s"], one["frequency_hz"], same[0] if same else -1))
    return found


# ---------------------------------------------------------------------------------------------------------------- run


@dataclasses.dataclass
class Offsets:
    """What each torque channel adds: constant, and a walk."""

    constant: np.ndarray
    walk_sd: np.ndarray
    walk_s: float


def offsets(subject, scenario, detectable):
    r"""\throws Wrong. detectable [N·m]: by motor, read only where an offset is given in its units."""
    constant = np.zeros(len(subject.effort))
    for number, one in enumerate(scenario["offset"]):
        for motor in subjects.joints(subject, one["joint"], f"offset {number + 1}, joint"):
            if one["Nm"]:
                constant[motor] += one["Nm"]
            elif one["limit_share"]:
                constant[motor] += one["limit_share"] * subject.effort[motor]
            elif detectable is not None:
                size = one["detectable"] * detectable[motor]
                most = LARGEST_OFFSET * subject.effort[motor]
                constant[motor] += math.copysign(min(abs(size), most), size)
    errors = scenario["plant"]
    return Offsets(constant, errors["walk_limit_share"] * subject.effort, errors["walk_s"])


@dataclasses.dataclass
class Happened:
    """Of a run. truth [n, endpoints, 6]: force and moment on the robot, world axes, at the endpoint's origin; pushed
    [n]: something pushes the robot, anywhere."""

    truth: np.ndarray
    pushed: np.ndarray
    samples: list  # Observations
    diverged: float  # [s], NaN: it did not
    pushes: list


def run(subject, scenario, seed, see, pose=None, offset=None, policy=None, keep=False):
    """Simulates a scenario. see(observation): called for each sample that arrives; what it returns goes to
    policy(t, that), which returns what to add to the joint targets."""
    errors, robot = scenario["plant"], subject.robot
    draw = lambda *words: generator(seed, subject.name, scenario["draws"], *words)
    pose = subjects.pose(subject, scenario["pose"], draw("pose")) if pose is None else pose
    plant = build(subject, errors, seed, pose)
    model, data, at_q, at_v = plant.model, plant.data, plant.at_q, plant.at_v
    aims = targets(subject, scenario, pose, draw("motion"))
    forces = pushes(subject, plant, scenario, draw("pushes"))
    offset = offsets(subject, scenario, None) if offset is None else offset
    noise, count = draw("noise"), len(at_q)
    phases = draw("gantry").uniform(0, 2 * math.pi, 5)
    bodies = [model.body(subjects.link_of(robot.model.description(), frame)).id for frame in subject.endpoints]
    torque_sd = errors["torque_noise_scale"] * np.array([figures.torque_sd for figures in robot.profile.figures])
    given_limit, read_limit = subject.effort.copy(), np.full(count, np.inf)
    for number, one in enumerate(scenario["saturation"]):
        for motor in subjects.joints(subject, one["joint"], f"saturation {number + 1}, joint"):
            limit = given_limit if one["what"] == "motor" else read_limit
            limit[motor] = one["limit_share"] * subject.effort[motor]
    speed_limit = np.array(robot.model.velocity_limits(), float)
    speed_limit = np.where(np.isfinite(speed_limit) & (speed_limit > 0), speed_limit, np.inf)

    sample_steps = round(1 / (scenario["rate_hz"] * STEP_S))
    stride = math.gcd(sample_steps, plant.control_steps)
    steps = round(scenario["duration_s"] / STEP_S)
    period = sample_steps * STEP_S
    late = round(errors["torque_delay_s"] / (stride * STEP_S))
    past, walk = [], offset.walk_sd * noise.normal(size=count)
    fade = math.exp(-period / offset.walk_s)
    drifts = errors["friction_drift_share"] != 0 or errors["stribeck_share"] > 0
    truths, touched, kept, diverged, beyond = [], [], [], math.nan, 0.0
    added, pending, begun = np.zeros(count), [], 0.0
    before = answer = added
    ctrl = np.zeros(count)
    carried = errors["payload_kg"]
    changes, has_imu = scenario["motion"] == "shaken" and subject.floats, bool(subject.imu)
    for step in range(0, steps, stride):
        t = step * STEP_S
        if changes:
            position, rotation = gantry(t, phases)
            data.mocap_pos[0] = position
            angle = np.linalg.norm(rotation)
            mujoco.mju_axisAngle2Quat(data.mocap_quat[0], rotation / max(angle, 1e-12), angle)
        if drifts:
            warm = 1 + errors["friction_drift_share"] * (1 - math.exp(-t / errors["friction_drift_s"]))
            breakaway = errors["stribeck_share"] * np.exp(-((data.qvel[at_v] / errors["stribeck_speed_rad_s"]) ** 2))
            model.dof_frictionloss[at_v] = plant.coulomb * warm * (1 + breakaway)
        mujoco.mj_step1(model, data)
        q, v = data.qpos[at_q], data.qvel[at_v]
        if step % plant.control_steps == 0:
            while pending and pending[0][0] <= t + 1e-9:
                begun, before, answer = pending[0][0], added, pending.pop(0)[1]
            if policy:  # targets go to a policy's answer within one of its steps
                added = before + min(1.0, (t - begun) * POLICY_HZ) * (answer - before)
            wanted = data.qfrc_bias[at_v] + plant.stiffness * (aims(t) + added - q) - plant.damping * v
            ctrl = np.clip(wanted, -given_limit, given_limit)
            over = np.any(abs(wanted) > subject.effort) or np.any(abs(v) > speed_limit)
            beyond = beyond + plant.control_steps * STEP_S if over else 0.0
            if policy and beyond > 0.05 and math.isnan(diverged):
                diverged = t
                break
        data.ctrl[:] = ctrl
        if forces:
            data.xfrc_applied[:] = 0
        wrench = np.zeros((len(bodies), 6))
        pushed = False
        for one in forces:
            share = one.share(t)
            if share == 0.0:
                continue
            pushed = True
            force, turn = share * one.force, data.xmat[one.body].reshape(3, 3)
            place = data.xpos[one.body] + turn @ one.at
            data.xfrc_applied[one.body, :3] += force
            # MuJoCo applies it at the centre of mass: the moment moves it to the place.
            data.xfrc_applied[one.body, 3:] += np.cross(place - data.xipos[one.body], force)
            if one.endpoint >= 0:
                wrench[one.endpoint] += np.r_[force, np.cross(place - data.xpos[bodies[one.endpoint]], force)]
        mujoco.mj_step2(model, data)
        if carried:  # what is held acts on the robot that the profile knows: with its weight and what it takes to move it
            for k, frame in enumerate(subject.endpoints):
                # MuJoCo's linear acceleration is less gravity: at rest it points up.
                wrench[k] -= np.r_[carried * data.sensor(f"__linear_{frame}").data,
                                   carried * HELD_SIDE**2 / 6 * data.sensor(f"__angular_{frame}").data]
        tau = data.qfrc_actuator[at_v]
        if plant.reads_joint:  # what leaves the gear: without friction and what the rotor takes
            tau = tau + data.qfrc_passive[at_v] + data.qfrc_constraint[at_v] - model.dof_armature[at_v] * data.qacc[at_v]
        if late:
            past.append(tau)
            tau = past[max(0, len(past) - 1 - late)]
            del past[: -late - 1]
        if step % sample_steps == 0:
            walk = fade * walk + math.sqrt(1 - fade**2) * offset.walk_sd * noise.normal(size=count)
            tau = plant.gain * tau + torque_sd * noise.normal(size=count) + offset.constant + walk
            stamp = t + min(0.45 * period, max(-0.45 * period, errors["jitter_s"] * noise.normal()))
            seen = dict(time=stamp, q=q + errors["position_noise_rad"] * noise.normal(size=count),
                        v=v + errors["velocity_noise_rad_s"] * noise.normal(size=count),
                        tau=np.clip(tau, -read_limit, read_limit), simulated=True)  # fmt: skip
            if has_imu:
                quaternion = data.sensor("__quaternion").data
                seen |= dict(
                    imu_quaternion_xyzw=quaternion[[1, 2, 3, 0]],
                    imu_angular_velocity=data.sensor("__gyro").data + errors["gyro_bias_rad_s"]
                    + errors["gyro_noise_rad_s"] * noise.normal(size=3),
                    imu_specific_force=data.sensor("__force").data + errors["accelerometer_bias_m_s2"]
                    + errors["accelerometer_noise_m_s2"] * noise.normal(size=3),
                )  # fmt: skip
            if errors["lost_share"] == 0 or noise.uniform() >= errors["lost_share"]:
                found = see(antaeus.Observation(**seen))
                if policy:
                    wished = policy(t, found)
                    if wished is not None:
                        pending.append((t + scenario["policy"]["delay_s"], wished))
                truths.append(wrench)
                touched.append(pushed)
                if keep:
                    kept.append(seen)
        if stride > 1:
            mujoco.mj_step(model, data, stride - 1)
        if not np.isfinite(data.qvel).all() or abs(data.qvel).max() > 1e3:
            diverged = t
            break
    return Happened(np.array(truths).reshape(-1, len(bodies), 6), np.array(touched, bool), kept, diverged, forces)
