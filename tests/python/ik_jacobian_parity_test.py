"""Our Jacobian of the Panda's hand against MuJoCo's mj_jac, which reads our URDF with its own parser.

At the hand's origin and at points fixed to it, translation and rotation. The fingers carry nothing of the hand: their
columns are exactly zero.
"""

import antaeus
import mujoco
import numpy as np
import pytest
from support import ROOT, generator, tolerance

CONFIGURATIONS, POINTS = 20, 100
REACH = 0.3  # [m] from the hand's origin within which the points lie: a tool


@pytest.fixture(scope="module")
def panda():
    return antaeus.load_robot("panda")


@pytest.fixture(scope="module")
def reference():
    """MuJoCo's reading; fusing would make the hand a part of the seventh link."""
    spec = mujoco.MjSpec.from_file(str(ROOT / "robots/panda/panda.urdf"))
    spec.compiler.fusestatic = False
    return spec.compile()


def configurations(reference):
    numbers = generator()
    lower, upper = reference.jnt_range.T
    for _ in range(CONFIGURATIONS):
        yield numbers.uniform(lower, upper), numbers.uniform(-REACH, REACH, (POINTS, 3))


def shifted(jacobian, offset):
    """Rows (v, w) of a frame's Jacobian to those of a point at `offset` [m, world axes] from it: v + w × offset."""
    moved = jacobian.copy()
    moved[:3] += np.cross(jacobian[3:].T, offset).T
    return moved


def test_joints_are_in_the_same_order(panda, reference):
    joints = [joint.name for joint in panda.model.description().joints if joint.type != antaeus.JointType.fixed]
    assert [reference.joint(i).name for i in range(reference.njnt)] == joints
    assert (panda.model.nq(), panda.model.nv(), reference.nq, reference.nv) == (9, 9, 9, 9)
    assert list(panda.model.motor_rows()) == list(range(7))


def test_jacobian_is_that_of_mujoco(panda, reference):
    data, hand = mujoco.MjData(reference), reference.body("panda_hand").id
    frame, dynamics = panda.model.frame("panda_hand"), antaeus.Dynamics(panda.model)
    near = dict(rtol=0, atol=tolerance("kJacobianParity"))
    theirs, largest = np.zeros((6, reference.nv)), 0.0
    for q, points in configurations(reference):
        data.qpos[:] = q
        mujoco.mj_kinematics(reference, data)
        mujoco.mj_comPos(reference, data)
        origin, turn = data.xpos[hand], data.xmat[hand].reshape(3, 3)
        terms = dynamics.at(q)
        ours = terms.frame_jacobian(frame)
        for point in (np.zeros(3), *points):
            offset = turn @ point
            mujoco.mj_jac(reference, data, theirs[:3], theirs[3:], origin + offset, hand)
            moved = shifted(ours, offset)
            np.testing.assert_allclose(moved, theirs, **near)
            assert not moved[:, 7:].any() and not theirs[:, 7:].any(), "a finger moves the hand"
            largest = max(largest, np.abs(moved - theirs).max())
    print(f"\n{CONFIGURATIONS} configurations, {POINTS + 1} points each: largest difference {largest:.1e}")


def test_any_point_on_any_link_moves_as_in_mujoco(panda, reference):
    data, dynamics = mujoco.MjData(reference), antaeus.Dynamics(panda.model)
    near = dict(rtol=0, atol=tolerance("kPointJacobian"))
    theirs, largest = np.zeros((6, reference.nv)), 0.0
    links = [link.name for link in panda.model.description().links]
    bodies = {reference.body(i).name: i for i in range(1, reference.nbody)}
    shared = [link for link in links if link in bodies]
    assert {"panda_link4", "panda_hand", "panda_leftfinger"} <= set(shared)
    for q, points in configurations(reference):
        data.qpos[:] = q
        mujoco.mj_kinematics(reference, data)
        mujoco.mj_comPos(reference, data)
        terms = dynamics.at(q)
        for link in shared:
            body = bodies[link]
            for point in points[:5]:
                place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point
                mujoco.mj_jac(reference, data, theirs[:3], theirs[3:], place, body)
                ours = panda.point_jacobian(q, link, place)
                np.testing.assert_allclose(ours, theirs, **near)
                np.testing.assert_array_equal(terms.point_jacobian(link, place), ours)
                np.testing.assert_array_equal(panda.model.point_jacobian(q, link, place), ours)
                local = panda.point_jacobian(q, link, point, local=True)
                np.testing.assert_allclose(local, theirs, **near)
                np.testing.assert_array_equal(terms.point_jacobian(panda.model.frame(link), point, local=True), local)
                np.testing.assert_array_equal(panda.model.point_jacobian(q, link, point, local=True), local)
                largest = max(largest, np.abs(ours - theirs).max())
    print(f"\n{CONFIGURATIONS} configurations, {len(shared)} links, 5 points each: largest difference {largest:.1e}")


def test_a_bad_point_is_named(panda):
    q = panda.model.neutral()
    with pytest.raises(antaeus.ModelError, match="panda_hand"):
        panda.point_jacobian(q, "panda_hnd", [0, 0, 0])
    with pytest.raises(ValueError, match="point"):
        panda.point_jacobian(q, "panda_hand", [0, 0])
    with pytest.raises(antaeus.Error, match="point"):
        panda.point_jacobian(q, "panda_hand", [0, 0, float("nan")])
    with pytest.raises(antaeus.Error, match="q"):
        panda.point_jacobian(q[:-1], "panda_hand", [0, 0, 0])
