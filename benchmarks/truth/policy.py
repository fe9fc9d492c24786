"""A surrogate of a policy that reads forces: joint targets answer them linearly, 50 times a second and later.

Legs as in the incident's study: knees bend with the force's size, hips turn the body with its vertical part. Legs of two
links bend alike. An arm by itself yields along the force, each joint by the share of it that moves its endpoint.
"""

import antaeus
import numpy as np
import robots
from plant import POLICY_HZ


class Deployed:
    """pinv(Jᵀ)(τ − g), as the H1-2's own code computes it."""

    def __init__(self, subject):
        self.reader = antaeus.InstantReader(subject.robot, subject.endpoints)
        self.estimator = antaeus.DeployedEstimator(self.reader, sign="on_robot")

    def __call__(self, observation):
        found = self.estimator.solve(self.reader.at(observation))
        return [np.array(one.wrench.force) for one in found]


class Surrogate:
    """answer(t, forces): what is added to the joint targets, or None between its steps."""

    def __init__(self, subject, gain, pose):
        self.subject, self.gain, self.pose, self.next, self.largest = subject, gain, pose, 0.0, 0.0
        self.names = subject.robot.model.motor_names()
        self.lower, self.upper = subject.robot.model.lower_limits(), subject.robot.model.upper_limits()

    def __call__(self, t, forces):
        sizes = [float(np.linalg.norm(force)) for force in forces]
        self.largest = max(self.largest, *sizes)
        if t < self.next - 1e-9:
            return None
        self.next += 1 / POLICY_HZ
        added, g, size = np.zeros(len(self.names)), self.gain, max(sizes)
        turn = forces[0][2] - forces[-1][2] if len(forces) > 1 else 0.0
        parts = {"hip_yaw": g * turn, "hip_pitch": -0.5 * g * size, "knee": g * size, "ankle_pitch": -0.5 * g * size,
                 "thigh": 0.5 * g * size, "calf": -g * size}  # fmt: skip
        if any(part in name for name in self.names for part in ("knee", "calf")):
            for at, name in enumerate(self.names):
                added[at] = next((value for part, value in parts.items() if part in name), 0.0)
        else:
            for frame, motors, force in zip(self.subject.endpoints, self.subject.limbs, forces, strict=True):
                J = robots.jacobian(self.subject.robot, self.pose, frame)[:, motors]
                added[motors] += g * (J / np.maximum(np.linalg.norm(J, axis=0), 1e-9)).T @ force
        return np.clip(self.pose + added, self.lower, self.upper) - self.pose
