"""The closest pose of targets that cannot be reached, against many descents from random starts."""

import os

import antaeus
import numpy as np
import pytest


def turned(axis_angle):
    """Rotation by a vector (Rodrigues)."""
    angle = np.linalg.norm(axis_angle)
    x, y, z = axis_angle / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def target(chain, rng, low, high):
    """A pose of the chain that was stretched outward, turned at random, or displaced by 5 cm and half a radian."""
    pose = chain.pose(rng.uniform(low, high))
    wish = np.eye(4)
    wish[:3, :3], wish[:3, 3] = pose.rotation, pose.translation
    kind = rng.integers(3)
    if kind == 0:
        wish[:3, 3] *= rng.uniform(1.0, 1.4)
    elif kind == 1:
        wish[:3, :3] = turned(2.0 * rng.normal(size=3)) @ wish[:3, :3]
    else:
        wish[:3, 3] += 0.05 * rng.normal(size=3)
        wish[:3, :3] = turned(0.5 * rng.normal(size=3)) @ wish[:3, :3]
    return wish


# Of 400 targets beside 600 descents (ANTAEUS_SOAK=1) 2 of an H1-2's arm and none of a Panda; docs/validation.md. The bound is 1.5 %, since
# other starts find other basins, and one target more, since 60 are few.
@pytest.mark.parametrize(("robot", "frame"), [("h1_2", "left_wrist_yaw_link"), ("panda", "panda_hand")])
def test_few_targets_have_a_nearer_pose(robot, frame):
    soak = os.environ.get("ANTAEUS_SOAK") == "1"
    wanted, descents = (400, 600) if soak else (60, 100)
    chain = antaeus.KinematicChain(antaeus.load_robot(robot).model, frame)
    solver = antaeus.ReachSolver(antaeus.ReachModel(chain))
    low = np.array([joint.lower for joint in chain.joints()])
    high = np.array([joint.upper for joint in chain.joints()])
    rng = np.random.default_rng(7)
    unreached = nearer = 0
    while unreached < wanted:
        wish = target(chain, rng, low, high)
        found = solver.solve(wish)
        if found.status == antaeus.ReachStatus.reached:
            continue
        unreached += 1
        distance = np.hypot(found.position_error, found.rotation_error)
        others = (solver.follow(wish, rng.uniform(low, high)) for _ in range(descents))
        nearer += distance - min(np.hypot(o.position_error, o.rotation_error) for o in others) > 1e-3
    print(f"{robot}: {nearer} of {unreached} have a nearer pose by more than 1e-3 among {descents} descents")
    assert nearer <= 0.015 * unreached + 1
