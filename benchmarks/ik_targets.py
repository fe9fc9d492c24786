"""The target sets on which solvers of inverse kinematics are compared, and the judge of their answers.

The arm is the Panda without fingers; all that a solver is told is a URDF, a start and a target. The judge knows the arm
by Pinocchio's forward kinematics and by the limits in that URDF, and asks no solver whether it succeeded.
"""

import dataclasses
import pathlib
import xml.etree.ElementTree as ElementTree

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parent.parent
FRAME = "panda_hand"
SEED = 20261122
COUNTS = {"pose6": 1000, "pos3": 1000, "sing": 200, "unreach": 200, "path": 400}
QUICK = {"pose6": 100, "pos3": 100, "sing": 40, "unreach": 20, "path": 80}
# (set, whether the position alone is asked for)
TASKS = (
    ("pose6", False), ("sing", False), ("pos3", True),
    ("unreach", True), ("unreach", False), ("path", True), ("path", False),
)  # fmt: skip
ELBOW, SHOULDER_HEIGHT = 3, 0.333  # index of joint 4; [m]
NEARLY_STRAIGHT = 0.02  # [rad] from the elbow's upper limit: the set sing
READY = np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4])
POSITION, ROTATION, LIMIT = 1e-4, 1e-3, 1e-6  # [m], [rad], [rad]: success
CLOSE = 1e-3  # [m], or [√(m² + rad²)], of the closest answer: the share that is reported out of reach
JUMP = 0.2  # [rad] between two waypoints


def task_name(name, position_only):
    return f"{name}@{3 if position_only else 6}"


def arm_urdf():
    """Text of robots/panda without fingers and shapes: seven joints, the last link carries the hand."""
    robot = ElementTree.parse(ROOT / "robots/panda/panda.urdf").getroot()
    for element in list(robot):
        if "finger" in element.get("name", ""):
            robot.remove(element)
        elif element.tag == "material":
            robot.remove(element)
        for shape in element.findall("visual") + element.findall("collision"):
            element.remove(shape)
    return ElementTree.tostring(robot, encoding="unicode")


class Arm:
    """Forward kinematics and limits, by Pinocchio."""

    def __init__(self, urdf):
        self.model = pin.buildModelFromXML(urdf)
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(FRAME)
        self.lower, self.upper = self.model.lowerPositionLimit, self.model.upperPositionLimit
        self.middle = (self.lower + self.upper) / 2

    def pose(self, q):
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.frame].copy()

    def errors(self, q, target):
        """Distance [m] and angle [rad] between the hand and a 4 × 4 target."""
        pose = self.pose(q)
        turn = pin.log3(pose.rotation.T @ target[:3, :3])
        return np.linalg.norm(pose.translation - target[:3, 3]), np.linalg.norm(turn)

    def outside(self, q):
        """How far the worst joint is out of its limits [rad]; 0 within."""
        return max(0.0, np.max(self.lower - q), np.max(q - self.upper))

    def reach(self):
        """Largest distance [m] of the hand's origin from the shoulder, within limits. Joints 4, 5 and 6 alone change
        it; it is reached with upper arm, forearm and hand in line, which takes joint 4 to −0.47 rad."""
        from scipy.optimize import minimize

        free, shoulder = [3, 4, 5], np.array([0, 0, SHOULDER_HEIGHT])

        def nearness(angles):
            q = self.middle.copy()
            q[free] = angles
            return -np.linalg.norm(self.pose(q).translation - shoulder)

        bounds = list(zip(self.lower[free], self.upper[free]))
        starts = [[elbow, 0.0, wrist] for elbow in (-1.5, -0.5, -0.1) for wrist in (0.5, 2.0, 3.5)]
        return max(-minimize(nearness, start, bounds=bounds, tol=1e-14).fun for start in starts)


def random_rotation(numbers):
    return pin.Quaternion(*_unit(numbers.normal(size=4))).toRotationMatrix()


def _unit(vector):
    return vector / np.linalg.norm(vector)


def make_sets(arm, counts=None, seed=SEED):
    """Name of a set → 4 × 4 targets [count, 4, 4]. Each set has a generator of its own: a shorter one is the beginning
    of a longer one, `path` apart."""
    counts = counts or COUNTS
    numbers = {name: np.random.default_rng([seed, at]) for at, name in enumerate(COUNTS)}
    uniform = lambda name: numbers[name].uniform(arm.lower, arm.upper)
    sets = {name: [] for name in counts}
    for name in ("pose6", "pos3"):
        sets[name] = [arm.pose(uniform(name)).homogeneous for _ in range(counts[name])]
    for _ in range(counts["sing"]):
        q = uniform("sing")
        q[ELBOW] = arm.upper[ELBOW] - numbers["sing"].uniform(0, NEARLY_STRAIGHT)
        sets["sing"].append(arm.pose(q).homogeneous)
    shoulder, reach = np.array([0, 0, SHOULDER_HEIGHT]), arm.reach()
    for _ in range(counts["unreach"]):
        away = _unit(numbers["unreach"].normal(size=3))
        sets["unreach"].append(pin.SE3(random_rotation(numbers["unreach"]), shoulder + 1.5 * reach * away).homogeneous)
    sets["path"] = path(arm, counts["path"], shoulder, reach)
    return {name: np.array(targets) for name, targets in sets.items()}


def path(arm, count, shoulder, reach):
    """From the ready pose straight out to 1.4 times the reach, an eighth of a turn about the vertical and as much
    upwards out there, and straight back. The hand keeps the orientation that it has when ready."""
    ready = arm.pose(READY)
    out = _unit(np.array([1.0, 0.35, 0.25]))
    legs = (3 * count) // 8, count - 2 * ((3 * count) // 8)
    far = lambda s: shoulder + 1.4 * reach * pin.rpy.rpyToMatrix(0, -s * np.pi / 8, s * np.pi / 4) @ out
    there = [ready.translation + s * (far(0) - ready.translation) for s in np.linspace(0, 1, legs[0])]
    sweep = [far(s) for s in np.linspace(0, 1, legs[1])]
    back = [far(1) + s * (ready.translation - far(1)) for s in np.linspace(0, 1, legs[0])]
    return [pin.SE3(ready.rotation, point).homogeneous for point in there + sweep + back]


def write_csv(file, targets, position_only):
    """Targets as `antaeus ik` reads them."""
    header = "x,y,z" if position_only else "x,y,z,qx,qy,qz,qw"
    lines = [header]
    for target in targets:
        row = list(target[:3, 3])
        if not position_only:
            row += list(pin.Quaternion(target[:3, :3]).coeffs())
        lines.append(",".join(repr(float(number)) for number in row))
    pathlib.Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")


# ------------------------------------------------------------------------------------ the closest answers


def _residual(arm, q, target, position_only):
    """What is left of a target [m, rad] in the hand's axes, and its Jacobian."""
    pin.computeJointJacobians(arm.model, arm.data, q)
    pin.updateFramePlacements(arm.model, arm.data)
    pose = arm.data.oMf[arm.frame]
    J = pin.getFrameJacobian(arm.model, arm.data, arm.frame, pin.LOCAL_WORLD_ALIGNED)
    away = pose.translation - target[:3, 3]
    if position_only:
        return away, J[:3].copy()
    turn = target[:3, :3].T @ pose.rotation
    left = pin.log3(turn)
    return np.concatenate([away, left]), np.vstack([J[:3], pin.Jlog3(turn) @ pose.rotation.T @ J[3:]])


def size_of_miss(errors, position_only):
    """√(m² + rad²), or the distance alone."""
    return errors[0] if position_only else float(np.hypot(*errors))


def closest(arm, targets, position_only, starts=12, seed=SEED):
    """Smallest miss of each target over bounded least squares from several starts: best known, not proven."""
    from scipy.optimize import least_squares

    numbers = np.random.default_rng([seed, 99])
    inner = 1e-9 * (arm.upper - arm.lower)
    best = []
    for target in targets:
        least = np.inf
        for start in range(starts):
            q0 = arm.middle if start == 0 else numbers.uniform(arm.lower, arm.upper)
            found = least_squares(
                lambda q: _residual(arm, q, target, position_only)[0],
                np.clip(q0, arm.lower + inner, arm.upper - inner),
                jac=lambda q: _residual(arm, q, target, position_only)[1], bounds=(arm.lower, arm.upper),
                xtol=1e-10, ftol=1e-12, gtol=1e-10, max_nfev=200,
            )  # fmt: skip
            least = min(least, size_of_miss(arm.errors(found.x, target), position_only))
        best.append(least)
    return np.array(best)


# ------------------------------------------------------------------------------------ the judge


@dataclasses.dataclass
class Answers:
    """Of one solver to one task: configurations [n, 7] (NaN: none was given), what it claimed, CPU time [µs]."""

    q: np.ndarray
    claimed: np.ndarray
    cpu_us: np.ndarray


def judge(arm, targets, answers, position_only, best=None):
    """Figures of one solver on one task; `best`: the closest misses, for targets out of reach."""
    count = len(answers.q)
    given = np.isfinite(answers.q).all(axis=1)
    outside = np.array([arm.outside(q) if ok else 0.0 for q, ok in zip(answers.q, given)])
    errors = np.array([arm.errors(q, t) if ok else (np.inf, np.inf) for q, t, ok in zip(answers.q, targets, given)])
    hit = (errors[:, 0] < POSITION) & (position_only | (errors[:, 1] < ROTATION))
    within = outside <= LIMIT
    share = lambda mask: 100.0 * float(np.mean(mask))
    row = {
        "count": count,
        "success": share(hit & within),
        "hit": share(hit),
        "median_us": float(np.median(answers.cpu_us)),
        "p99_us": float(np.percentile(answers.cpu_us, 99)),
        "limits_broken": share(given & ~within),
        "furthest_outside": float(outside.max()),
        "wrong_claims": share(answers.claimed & ~(hit & within)),
        "no_answer": share(~given),
    }
    if best is not None:
        miss = np.array([size_of_miss(e, position_only) for e in errors])
        excess = np.where(given & within, miss - best[:count], np.inf)
        row["within_close"] = share(excess <= CLOSE)
        finite = miss[given] - best[:count][given]
        row["excess_median"] = float(np.median(finite)) if finite.size else None
    return row


def quietness(answers):
    """Largest step [rad] of a joint between two waypoints that were answered, and how many exceed JUMP."""
    given = np.isfinite(answers.q).all(axis=1)
    both = given[1:] & given[:-1]
    steps = np.abs(np.diff(answers.q, axis=0)).max(axis=1)[both]
    return {"largest_step": float(steps.max(initial=0.0)), "jumps": int((steps > JUMP).sum())}
