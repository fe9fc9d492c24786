"""The robots of a run: found, loaded as a user would, with endpoints, limbs and poses by one rule for all."""

import dataclasses
import hashlib
import math
import os
import pathlib

import antaeus
import numpy as np
from scenarios import POSES, Wrong, is_file_name, nearest

EXAMPLES = "ANTAEUS_EXAMPLE_ROBOTS"
REMEDY = f"pip install example-robot-data, and set {EXAMPLES} to its folder share/example-robot-data/robots"
# What a profile does not say of a motor, as shares of its effort limit. Coulomb: low-ratio and harmonic drives have
# about 0.5 to 2 %. Armature [kg·m² per N·m]: of maker's figures for G1 and Go2, 1e-4 to 4e-4.
COULOMB_SHARE, ARMATURE_SHARE = 0.01, 2e-4
WIDEST = 2.5  # [rad] about zero, of a joint without limits or with wide ones
MIDDLE = 0.7  # share of a joint's range in which poses are drawn


class Absent(Exception):
    """A robot whose files are not on this machine: its rows are left out, and that is said."""


@dataclasses.dataclass
class Subject:
    name: str
    robot: antaeus.Robot
    endpoints: list
    limbs: list  # of each endpoint: the motors that serve it alone, from the body outwards
    effort: np.ndarray  # [N·m]
    coulomb: np.ndarray
    armature: np.ndarray
    poses: dict
    identity: str  # of profile and description: what results depend on

    @property
    def floats(self):
        return self.robot.model.base() == "free_flyer"

    @property
    def imu(self):
        return self.robot.profile.imu.frame if self.floats else ""


def file_of(name, listed, folder_for_profiles):
    r"""The name or path that load_robot is given. A bare description gets the profile that `antaeus robot FILE --write`
    writes: endpoints, IMU and a pose by tree and names, figures by effort limits. \throws Absent, Wrong"""
    if name in listed:
        given = listed[name]
        if "model" in given:
            path = given["model"]
        else:
            folder = os.environ.get(EXAMPLES)
            if not folder:
                raise Absent(f"{EXAMPLES} is not set; {REMEDY}")
            path = str(pathlib.Path(folder) / given["example"])
            if not pathlib.Path(path).is_file():
                raise Absent(f"{path} is not there; {REMEDY}")
    elif is_file_name(name):
        path = name
    else:
        raise Wrong(f"unknown robot '{name}'; {nearest(name, listed)}")
    if is_file_name(path) and not pathlib.Path(path).is_file():
        raise Wrong(f"{path}: no such file; give a .urdf, a .toml or one of {', '.join(listed)}")
    if path.endswith(".urdf"):
        try:
            facts = antaeus.describe(path)
        except antaeus.Error as error:
            raise Wrong(f"robot '{name}': {error}") from None
        written = pathlib.Path(folder_for_profiles) / f"{short(name)}.toml"
        facts.write(written)
        path = str(written)
    return path


def short(name):
    return pathlib.Path(name).stem if is_file_name(name) else name


def load(name, path, given):
    r"""\throws Wrong"""
    try:
        robot = antaeus.load_robot(path)
        profile, model = robot.profile, robot.model
        if str(profile.model).endswith(".xml"):
            raise Wrong(f"robot '{name}': its model is an MJCF; this benchmark builds plants of URDFs: give one")
        wanted = given.get("endpoints")
        if not wanted:
            wanted = [one.frame for one in profile.endpoints if one.kind != "foot"]
            wanted = wanted or [one.frame for one in profile.endpoints]
        endpoints = robot.endpoint_frames(wanted)
    except antaeus.Error as error:
        raise Wrong(f"robot '{name}': {error}") from None
    serving = [set(model.supporting_motors(model.frame(frame))) for frame in endpoints]
    limbs = []
    for at, own in enumerate(serving):
        shared = set().union(*(other for k, other in enumerate(serving) if k != at)) if len(serving) > 1 else set()
        limbs.append(sorted(own - shared) or sorted(own))
    effort = np.array(model.effort_limits(), float)
    # Without a limit that means anything: the noise was assumed from the weight, as 1 % of such a limit.
    by_noise = 100 * np.array([one.torque_sd for one in profile.figures])
    effort = np.where(np.isfinite(effort) & (effort > 0) & (effort < 20 * by_noise), effort, by_noise)
    figures = profile.figures
    or_share = lambda value, share: np.where(np.array(value) > 0, value, share * effort)
    poses = {}
    for word in ("rest", "singular"):
        poses[word] = pose_of(name, robot, given.get("poses", {}).get(word), endpoints, limbs, word)
    return Subject(short(name), robot, endpoints, limbs, effort, or_share([f.coulomb for f in figures], COULOMB_SHARE),
                   or_share([f.armature for f in figures], ARMATURE_SHARE), poses,
                   f"{words_of(profile.file)} {model.description().sha256}")


def words_of(file):
    """Hash of a profile's lines, without the one that says where its description is."""
    try:
        lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    lines = [line for line in lines if not line.startswith(("#", "model"))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def limits(model):
    lower, upper = np.array(model.lower_limits()), np.array(model.upper_limits())
    return np.maximum(lower, -WIDEST), np.minimum(upper, WIDEST)


def pose_of(name, robot, given, endpoints, limbs, word):
    model = robot.model
    if isinstance(given, str):
        try:
            return np.array(robot.pose(given))
        except antaeus.Error as error:
            raise Wrong(f"robots.{name}, poses.{word}: {error}") from None
    if isinstance(given, dict):
        q = np.clip(0.0, model.lower_limits(), model.upper_limits())
        for part, value in given.items():
            places = [i for i, joint in enumerate(model.motor_names()) if part in joint]
            if not places:
                raise Wrong(f"robots.{name}, poses.{word}: no joint's name has '{part}'; "
                            f"{nearest(part, model.motor_names())}")
            q[places] = value
        return np.clip(q, model.lower_limits(), model.upper_limits())
    if word == "rest" and robot.profile.poses:
        return np.array(robot.pose(robot.profile.poses[0].name))
    if word == "rest":
        lower, upper = limits(model)
        return (lower + upper) / 2
    rest = pose_of(name, robot, None, endpoints, limbs, "rest")
    return least_sensed(robot, rest, endpoints, limbs, np.random.default_rng(0))


def drawn(robot, rest, limbs, numbers):
    """Limb joints in the middle of their ranges, all else at rest."""
    lower, upper = limits(robot.model)
    q, places = rest.copy(), sorted(set().union(*map(set, limbs)))
    middle, half = (lower + upper)[places] / 2, MIDDLE * (upper - lower)[places] / 2
    q[places] = middle + half * numbers.uniform(-1, 1, len(places))
    return q


def jacobian(robot, q, frame):
    """Of a frame's origin [m/rad], 3 × motors, base upright."""
    model = robot.model
    whole = model.position_from_motors(q, [0.0, 0.0, 0.0, 1.0])
    return np.array(robot.point_jacobian(whole, frame, np.zeros(3), local=True))[:3][:, model.motor_rows()]


def sensed(robot, q, endpoints, limbs):
    """How strongly the torques of a limb tell the force that they tell least: of the worst limb, its σ [m]. Directions
    that a limb cannot sense by its build (fewer than three joints) do not count."""
    worst = math.inf
    for frame, motors in zip(endpoints, limbs, strict=True):
        J = jacobian(robot, q, frame)[:, motors]
        worst = min(worst, np.linalg.svd(J, compute_uv=False)[min(2, len(motors) - 1)])
    return worst


def least_sensed(robot, rest, endpoints, limbs, numbers):
    draws = [drawn(robot, rest, limbs, numbers) for _ in range(200)]
    return min(draws, key=lambda q: sensed(robot, q, endpoints, limbs))


def pose(subject, word, numbers):
    r"""\throws Wrong"""
    robot = subject.robot
    if word in subject.poses:
        return subject.poses[word]
    if word == "random":
        return drawn(robot, subject.poses["rest"], subject.limbs, numbers)
    if word == "near_singular":
        return least_sensed(robot, subject.poses["rest"], subject.endpoints, subject.limbs, numbers)
    names = [one.name for one in robot.profile.poses]
    if word in names:
        return np.array(robot.pose(word))
    raise Wrong(f"pose: robot {subject.name} has none of the name '{word}'; {nearest(word, [*POSES, *names])}")


def by_share(motors, words, place):
    """The motor that "limb:S" means, S in 0 … 1."""
    try:
        share = float(words.split(":", 1)[1])
        if not 0 <= share <= 1:
            raise ValueError
    except ValueError:
        raise Wrong(f"{place}: '{words}' names no share; write limb:0.5, from 0 (at the body) to 1") from None
    return motors[min(len(motors) - 1, int(share * len(motors)))]


def joints(subject, words, place):
    r"""Motors that a fault's joint names: of every limb, or one by its name. \throws Wrong"""
    names = subject.robot.model.motor_names()
    if words.startswith("limb:"):
        return sorted({by_share(motors, words, place) for motors in subject.limbs})
    if words in names:
        return [names.index(words)]
    raise Wrong(f"{place}: robot {subject.name} has no motor '{words}'; {nearest(words, names)}")


def links(subject, words, place):
    r"""Links that a push's `on` may mean, one of which is drawn; \throws Wrong"""
    description = subject.robot.model.description()
    frames = {frame: link_of(description, frame) for frame in subject.endpoints}
    if words == "endpoint:random":
        return [frames[frame] for frame in subject.endpoints]
    if words.startswith("endpoint:"):
        try:
            return [frames[subject.endpoints[int(words.split(":", 1)[1]) % len(subject.endpoints)]]]
        except ValueError:
            raise Wrong(f"{place}: '{words}' names no endpoint; write endpoint:0, or endpoint:random") from None
    if words == "base":
        return [description.root]
    if words.startswith("limb:"):
        child = {joint.name: joint.child for joint in description.joints}
        names = subject.robot.model.motor_names()
        return [child[names[by_share(motors, words, place)]] for motors in subject.limbs]
    every = [link.name for link in description.links]
    if words in every:
        return [words]
    raise Wrong(f"{place}: robot {subject.name} has no link '{words}'; "
                f"{nearest(words, [*every, 'endpoint:0', 'endpoint:random', 'limb:0.5', 'base'])}")


def link_of(description, frame):
    """A frame is a link, or a joint's, which moves with its child."""
    if any(link.name == frame for link in description.links):
        return frame
    return next(joint.child for joint in description.joints if joint.name == frame)
