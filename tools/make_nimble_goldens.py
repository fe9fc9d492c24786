#!/usr/bin/env python3
"""Writes what Nimble itself computes for the tests' own robots: tests/contact/nimble/biped.json and quadruped.json.

    python3 -m venv /tmp/nimble && /tmp/nimble/bin/pip install --no-deps nimblephysics==0.10.52.1 && /tmp/nimble/bin/pip install 'numpy<2'
    /tmp/nimble/bin/python tools/make_nimble_goldens.py [FOLDER]

In an environment of its own: the wheel needs a NumPy below 2, and asks for PyTorch, which these calls do not use. The same states
(fixed seed) and the same wheel give the same bytes. Everything in the files is in Pinocchio's order (free flyer: place, quaternion
xyzw; velocities linear, then angular, in the base's axes), but wrenches: Nimble's [torque; force] in the contact link's frame,
about its origin, on the robot. These functions of 0.10 take accelerations, where Nimble's page has next velocities.
"""

import json
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import nimblephysics_libs._nimblephysics as nimble
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROBOTS = {"biped": ("left_sole", "right_sole", "left_foot"),
          "quadruped": ("front_left_foot", "hind_right_foot", "front_right_foot", "hind_left_foot")}
VERSION = "nimblephysics 0.10.52.1"
POINTS, STATES, DT = 12, 4, 0.01
EMPTY = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'


def joint_order(urdf):
    """Pinocchio's: depth first, children by the names of their joints."""
    children = {}
    joints = list(ElementTree.fromstring(urdf).iter("joint"))
    for joint in joints:
        children.setdefault(joint.find("parent").get("link"), []).append(joint)
    names = []

    def walk(link):
        for joint in sorted(children.get(link, []), key=lambda one: one.get("name")):
            if joint.get("type") != "fixed":
                names.append(joint.get("name"))
            walk(joint.find("child").get("link"))

    walk((set(children) - {joint.find("child").get("link") for joint in joints}).pop())
    return names


def rotation_vector(x, y, z, w):
    axis = np.array([x, y, z])
    size = np.linalg.norm(axis)
    return 2 * np.arctan2(size, w) * axis / size


class Subject:
    """A robot in Nimble, spoken to in Pinocchio's order."""

    def __init__(self, name):
        self.name, text = name, (ROOT / f"tests/support/{name}.urdf").read_text("utf-8")
        self.joints = joint_order(text)
        # Nimble gives a link without masses 1 kg.
        text = re.sub(r'<link name="(\w+)"/>', rf'<link name="\1">{EMPTY}</link>', text)
        self.world = nimble.simulation.World()
        self.world.setGravity(np.array([0, 0, -9.81]))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"{name}.urdf"
            file.write_text(text, "utf-8")
            self.skeleton = self.world.loadSkeleton(str(file))
        index = {self.skeleton.getDofByIndex(i).getName(): i for i in range(self.skeleton.getNumDofs())}
        self.rows = [index[joint] for joint in self.joints]  # Nimble's row of each joint of ours
        self.ours = np.array([3, 4, 5, 0, 1, 2, *self.rows])  # Nimble's row of each row of v

    def of(self, v):
        """Nimble's order of a vector in ours."""
        there = np.zeros(len(self.ours))
        there[self.ours] = v
        return there

    def positions(self, q):
        there = np.zeros(len(self.ours))
        there[:3], there[3:6], there[self.rows] = rotation_vector(*q[3:7]), q[:3], q[7:]
        return there

    def at(self, q, v=None):
        self.skeleton.setPositions(self.positions(q))
        self.skeleton.setVelocities(self.of(v) if v is not None else np.zeros(len(self.ours)))

    def bodies(self, names):
        return [self.skeleton.getBodyNode(name) for name in names]

    def torques(self, there):
        return np.asarray(there)[self.ours].tolist()


def quaternion(vector):
    angle = np.linalg.norm(vector)
    return np.append(np.sin(angle / 2) * vector / angle, np.cos(angle / 2))


def solved(subject, state, contacts, chance):
    """One instant: each contact alone, all subsets of the first ones with least torque, and near a guess."""
    q, v, a = (np.array(state[key]) for key in "qva")
    skeleton, there = subject.skeleton, subject.of(a)
    subject.at(q, v)
    state["tau_id"] = subject.torques(skeleton.getInverseDynamics(there))
    for body in contacts:
        done = skeleton.getContactInverseDynamics(there, skeleton.getBodyNode(body))
        state["single"].append({"body": body, "wrench": done.contactWrench.tolist(), "tau": subject.torques(done.jointTorques)})
    for count in range(2, len(contacts) + 1):
        names = list(contacts[:count])
        done = skeleton.getMultipleContactInverseDynamics(there, subject.bodies(names))
        state["multi_min_torque"].append({"bodies": names, "wrenches": [w.tolist() for w in done.contactWrenches],
                                          "tau": subject.torques(done.jointTorques)})
        guesses = [chance.normal(0, 30, 6) for _ in names]
        done = skeleton.getMultipleContactInverseDynamics(there, subject.bodies(names), guesses)
        state["multi_guess"].append({"bodies": names, "guesses": [g.tolist() for g in guesses],
                                     "wrenches": [w.tolist() for w in done.contactWrenches],
                                     "tau": subject.torques(done.jointTorques)})
    return state


def states(subject, contacts, chance):
    """The first at rest."""
    for number in range(STATES):
        joints, dt = len(subject.joints), (1e-3, 1e-2, 5e-3, 1 / 120)[number]
        q = np.concatenate([chance.normal(0, 1, 3), quaternion(chance.normal(0, 0.6, 3)), chance.uniform(-0.7, 0.7, joints)])
        v = np.zeros(6 + joints) if number == 0 else chance.normal(0, 1, 6 + joints)
        a = np.zeros(6 + joints) if number == 0 else chance.normal(0, 3, 6 + joints)
        yield solved(subject, {"q": q.tolist(), "v": v.tolist(), "dt": dt, "a": a.tolist(), "single": [],
                               "multi_min_torque": [], "multi_guess": []}, contacts, chance)


def over_time(subject, contacts, chance):
    """Every weight, alone and together."""
    skeleton = subject.skeleton
    skeleton.setTimeStep(DT)
    pair, one = list(contacts[:2]), list(contacts[:1])
    for bodies, smoothing, least, penalty, before, costs in (
            (pair, 1, 1, 0, 0, False), (pair, 10, 0.1, 0, 0, False), (pair, 0, 1, 0, 0, False), (pair, 1, 0, 0, 0, False),
            (pair, 1, 1, 2.5, 0, False), (pair, 1, 1, 0, 3, False), (pair, 1, 1, 0, 0, True), (one, 1, 1, 0, 0, False),
            (list(contacts), 1, 1, 0, 0, False)):
        joints = len(subject.joints)
        middle, size, rate, phase = chance.uniform(-0.4, 0.4, joints), *chance.uniform([[0.1], [2], [0]], [[0.3], [7], [6]], (3, joints))
        turn, place = chance.normal(0, 0.4, 3), chance.normal(0, 0.5, 3)
        q = np.array([np.concatenate([place + 0.1 * np.sin(3 * t + turn), quaternion(turn + 0.2 * np.sin(4 * t + place)),
                                      middle + size * np.sin(rate * t + phase)]) for t in DT * np.arange(POINTS)])
        there = np.array([subject.positions(row) for row in q]).T
        previous = [chance.normal(0, 50, 6) for _ in bodies] if before else []
        magnitude = chance.uniform(0, 2, (len(bodies), POINTS)) if costs else np.zeros((0, 0))
        done = skeleton.getMultipleContactInverseDynamicsOverTime(
            there, subject.bodies(bodies), float(smoothing), float(least), lambda x, factor=penalty: factor * x, previous, float(before),
            magnitude)
        steps = np.array([skeleton.getPositionDifferences(there[:, i + 1], there[:, i]) / DT for i in range(POINTS - 1)])
        frames = POINTS - 2
        yield {"dt": DT, "bodies": bodies, "smoothing_weight": smoothing, "min_torque_weight": least, "velocity_penalty_coeff": penalty,
               "prev_contact_weight": before, "prev_contact_forces": [w.tolist() for w in previous] or None,
               "magnitude_costs": magnitude.tolist() if costs else None, "q": q.tolist(),
               "v": [subject.torques(row) for row in steps[:-1]], "a": [subject.torques(row) for row in np.diff(steps, axis=0) / DT],
               "wrenches": [[done.contactWrenches[t][b].tolist() for b in range(len(bodies))] for t in range(frames)],
               "tau": [subject.torques(done.jointTorques[:, t]) for t in range(frames)]}


def with_springs(subject, contacts, trunk, chance):
    """Damped joints on springs, and a wrench on the trunk."""
    joints, skeleton = len(subject.joints), subject.skeleton
    damping, spring, rest = chance.uniform([[0.1], [1], [-0.08]], [[2], [20], [0.08]], (3, joints))
    push = [1.5, -2.0, 0.7, 12.0, -8.0, 25.0]
    skeleton.setTimeStep(DT)
    for row, c, k, p in zip(subject.rows, damping, spring, rest):
        dof = skeleton.getDofByIndex(row)
        dof.setDampingCoefficient(c)
        dof.setSpringStiffness(k)
        dof.setRestPosition(p)
    skeleton.getBodyNode(trunk).setExtWrench(np.array(push))
    base = [0.0] * 6
    state = {"q": [0.1, -0.2, 0.9, *quaternion(np.array([0.2, -0.1, 0.4])), *chance.uniform(-0.5, 0.5, joints)],
             "v": chance.normal(0, 1, 6 + joints).tolist(), "dt": DT, "a": chance.normal(0, 3, 6 + joints).tolist(),
             "external": {"body": trunk, "wrench": push}, "damping": base + damping.tolist(), "spring_stiffness": base + spring.tolist(),
             "spring_rest": base + rest.tolist(), "single": [], "multi_min_torque": [], "multi_guess": []}
    state["q"] = [float(number) for number in state["q"]]
    return solved(subject, state, contacts, chance)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, contacts in ROBOTS.items():
        chance = np.random.default_rng(20260731)
        subject = Subject(name)
        trunk = subject.skeleton.getRootBodyNode().getName() if name == "quadruped" else "torso"
        data = {"robot": name, "generated_by": VERSION, "pin_joint_names": subject.joints,
                "states": list(states(subject, contacts, chance)), "over_time": list(over_time(subject, contacts, chance)),
                "damping_spring_external_state": with_springs(subject, contacts[:2], trunk, chance)}
        (folder / f"{name}.json").write_text(json.dumps(data, separators=(",", ":")) + "\n", "utf-8")
        print(f"{folder / name}.json: mass {subject.skeleton.getMass():.6g} kg, {len(data['states'])} states, {len(data['over_time'])} runs")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/contact/nimble")
