"""antaeus.ik as a user meets it: the same bits however a target is solved, each status, what is refused. What is reached,
by Pinocchio's forward kinematics, is tests/ik/; that Python has its numbers is bitwise_test.py."""

import threading

import antaeus
import numpy as np
import pinocchio as pin
import pytest
from support import ROOT, generator

ARMS = {"panda": "panda_hand", "ur5e": "tool0", "h1_2": "left_wrist_yaw_link"}
POSITION, ROTATION = 1e-4, 1e-3  # [m], [rad]: the defaults
STATUS = list(antaeus.ReachStatus)
# Two joints about z that turn by a radian either way; links of 0.5 m and 0.3 m.
PLANAR = """<robot name="planar">
  <link name="base"/>
  <joint name="shoulder" type="revolute"> <parent link="base"/> <child link="upper"/> <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/> </joint>
  <link name="upper"> <inertial> <mass value="1"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
  <joint name="elbow" type="revolute"> <parent link="upper"/> <child link="lower"/> <origin xyz="0.5 0 0"/>
    <axis xyz="0 0 1"/> <limit lower="-1" upper="1" effort="1" velocity="1"/> </joint>
  <link name="lower"> <inertial> <mass value="1"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
  <joint name="end" type="fixed"> <parent link="lower"/> <child link="tip"/> <origin xyz="0.3 0 0"/> </joint>
  <link name="tip"/>
</robot>"""


class Arm:
    """A chain of ours and Pinocchio's reading of the same file."""

    def __init__(self, name):
        self.robot = antaeus.load_robot(name)
        self.chain = antaeus.KinematicChain(self.robot.model, ARMS[name])
        self.model = antaeus.ReachModel(self.chain)
        self.lower, self.upper = (np.array([getattr(joint, end) for joint in self.chain.joints()])
                                  for end in ("lower", "upper"))
        self.reference = pin.buildModelFromUrdf(str(ROOT / f"robots/{name}/{name}.urdf"))
        self.data = self.reference.createData()
        self.frame = self.reference.getFrameId(ARMS[name])
        self.places = [self.reference.joints[self.reference.getJointId(joint.name)].idx_q for joint in self.chain.joints()]

    def pose(self, q):
        whole = pin.neutral(self.reference)
        whole[self.places] = q
        pin.framesForwardKinematics(self.reference, self.data, whole)
        return pin.SE3(self.data.oMf[self.frame])

    def random(self, count, numbers=None):
        return (numbers or generator()).uniform(self.lower, self.upper, (count, self.chain.size()))

    def targets(self, count, numbers=None):
        return np.array([self.pose(q).homogeneous for q in self.random(count, numbers)])


@pytest.fixture(scope="module")
def panda():
    return Arm("panda")


@pytest.fixture(scope="module")
def planar(tmp_path_factory):
    file = tmp_path_factory.mktemp("planar") / "planar.urdf"
    file.write_text(PLANAR, encoding="utf-8")
    model = antaeus.RobotModel(antaeus.read_urdf(file), antaeus.ModelOptions(base="fixed"))
    return antaeus.KinematicChain(model, "tip")


def tip(q):
    return np.array([0.5 * np.cos(q[0]) + 0.3 * np.cos(q[0] + q[1]), 0.5 * np.sin(q[0]) + 0.3 * np.sin(q[0] + q[1]), 0.0 * q[0]])


@pytest.fixture(scope="module")
def mixed(panda):
    """Reachable, with the elbow nearly straight, out of reach, and bad: in turns."""
    straight = panda.random(400)
    straight[:, 3] = panda.upper[3] - 0.005
    far = panda.targets(40)
    far[:, :3, 3] *= 2.0
    bad = panda.targets(3)
    bad[0, 0, 3], bad[1, :3, :3] = np.nan, 2.0 * bad[1, :3, :3]
    rows = np.concatenate([panda.targets(1600), [panda.pose(q).homogeneous for q in straight], far, bad])
    return rows[generator().permutation(len(rows))]


def numbers_of(solution):
    """What a solution holds, as comparable bits."""
    return (str(solution.status), str(solution.evidence), solution.q.tobytes(), solution.rejected.tobytes(),
            np.array([solution.position_error, solution.rotation_error, solution.gradient]).tobytes(),
            solution.iterations, solution.attempts, solution.blocked_by, solution.descents, solution.agreeing_starts)


# The same bits -------------------------------------------------------------------------------------------------------


def test_a_batch_has_what_single_solutions_have(panda, mixed):
    solver = antaeus.ReachSolver(panda.model)
    expected = [numbers_of(solver.solve(target)) for target in mixed]
    assert {line[0] for line in expected} == {"reached", "out_of_reach", "bad_input"}
    batch = antaeus.solve_batch(panda.model, mixed, threads=3, set="portable")
    assert [numbers_of(batch.solution(i)) for i in range(len(mixed))] == expected
    assert [STATUS[code] for code in batch.status] == [line[0] for line in expected]
    assert batch.q.tobytes() == b"".join(line[2] for line in expected)
    assert [numbers_of(failure) for failure in batch.failures] == [expected[i] for i in batch.failure_of]
    assert batch.failure_of.tolist() == np.flatnonzero(batch.status).tolist()
    assert batch.reached == len(mixed) - len(batch.failures) == np.sum(batch.status == 0)
    assert antaeus.solve_batch(panda.model, mixed[::-1]).q[::-1].tobytes() == batch.q.tobytes()


def test_threads_of_python_share_a_model(panda, mixed):
    expected = [numbers_of(antaeus.ReachSolver(panda.model).solve(target)) for target in mixed]
    found = {}

    def work(name):
        solver = antaeus.ReachSolver(panda.model)
        found[name] = [numbers_of(solver.solve(target)) for target in mixed]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [expected] * 3


def test_a_target_may_be_written_in_several_ways(panda):
    """Half a turn about x has the same bits in all of them."""
    solver = antaeus.ReachSolver(panda.model)
    matrix = np.diag([1.0, -1.0, -1.0, 1.0])
    matrix[:3, 3] = 0.45, 0.1, 0.3
    pose = antaeus.Pose(matrix[:3, :3], matrix[:3, 3])
    row = [0.45, 0.1, 0.3, 1, 0, 0, 0]
    expected = numbers_of(solver.solve(pose))
    for same in (matrix, matrix.tolist(), np.asfortranarray(matrix), row, tuple(row), np.array(row)):
        assert numbers_of(solver.solve(same)) == expected
    for same in ([pose, pose], (pose,), [row], np.array([row, row]), matrix[None], [matrix, matrix]):
        assert numbers_of(antaeus.solve_batch(panda.model, same).solution(0)) == expected
    # Only a length near 1 is a rounding.
    assert numbers_of(solver.solve([*row[:3], 1.0009, 0, 0, 0])) == expected
    assert solver.solve([*row[:3], 1.002, 0, 0, 0]).evidence == "target"
    turned = pin.Quaternion(pin.exp3(np.array([0.3, -0.2, 0.5])) @ matrix[:3, :3]).coeffs()
    found = solver.solve([*row[:3], *turned])
    assert np.allclose(panda.pose(found.q).rotation, pin.Quaternion(*turned[[3, 0, 1, 2]]).toRotationMatrix(), atol=ROTATION)


# Statuses ------------------------------------------------------------------------------------------------------------


def test_blocked_by_limits_and_out_of_reach_of_two_links(planar):
    """The law of cosines knows both elbows; a fine grid of joint angles knows the closest point within the limits."""
    model = antaeus.ReachModel(planar, position_only=True)
    solver = antaeus.ReachSolver(model)
    angles = np.linspace(-1, 1, 801)
    grid = tip(np.meshgrid(angles, angles))[:2]
    blocked = 0
    for q in generator().uniform([-np.pi, -np.pi], [np.pi, np.pi], (150, 2)):
        target = tip(q)
        elbow = abs(np.arctan2(np.sin(q[1]), np.cos(q[1])))
        inside = []
        for bend in (elbow, -elbow):
            shoulder = np.arctan2(target[1], target[0]) - np.arctan2(0.3 * np.sin(bend), 0.5 + 0.3 * np.cos(bend))
            shoulder = np.arctan2(np.sin(shoulder), np.cos(shoulder))
            inside.append(max(abs(shoulder), abs(bend)))
        if abs(min(inside) - 1.0) < 0.01:
            continue  # too near the limits to say
        found = solver.solve(target)
        assert found.status == ("reached" if min(inside) < 1.0 else "blocked_by_limits"), (q, found)
        if found.status == "reached":
            continue
        blocked += 1
        closest = np.min(np.hypot(grid[0] - target[0], grid[1] - target[1]))
        assert closest - 0.002 < found.position_error < closest + POSITION  # a cell's diagonal is 2 mm
        assert np.abs(tip(found.rejected) - target).max() < POSITION and np.abs(found.rejected).max() > 1
        assert found.evidence == "no_limits" and "reached only with" in antaeus.reason_text(model, found)
    assert blocked > 50
    for radius, status in ((0.81, "out_of_reach"), (0.19, "out_of_reach"), (0.79, "reached")):
        found = solver.solve([radius, 0, 0])
        assert found.status == status, radius
        if radius != 0.79:
            assert found.evidence == ("link_lengths" if radius > 0.8 else "agreement")
    assert solver.solve([0.5, 0, 0.1]).status == "out_of_reach"  # above the plane


def test_statuses_of_a_panda(panda):
    solver = antaeus.ReachSolver(panda.model)
    far = solver.solve([2.0, 0, 0.3, 1, 0, 0, 0])
    assert far.status is antaeus.ReachStatus.out_of_reach and far.evidence == "link_lengths"
    assert "farther from the first joint than all links" in antaeus.reason_text(panda.model, far)
    near = solver.solve([0.0, 0.0, 0.35, 1, 0, 0, 0])
    assert near.status != "reached" and near.rotation_error + near.position_error > POSITION and near.gradient < 1e-6
    short = antaeus.ReachSolver(antaeus.ReachModel(panda.chain, iteration_budget=1))
    beyond = panda.targets(100)
    beyond[:, :3, 3] *= 1.2
    ends = [end for end in map(short.solve, beyond) if end.status == "iteration_budget"]
    assert len(ends) > 10 and {end.evidence for end in ends} == {"budget"}
    assert all(((panda.lower <= end.q) & (end.q <= panda.upper)).all() for end in ends)
    assert "the budget of iterations was used up" in antaeus.reason_text(panda.model, ends[0])
    silent = antaeus.ReachSolver(antaeus.ReachModel(panda.chain, explain=False)).solve([0.8, 0.2, 0.4, 1, 0, 0, 0])
    assert silent.status == "local_minimum" and silent.evidence == "agreement"
    assert silent.q.tobytes() == solver.solve([0.8, 0.2, 0.4, 1, 0, 0, 0]).q.tobytes()


def test_following_explains(panda):
    solver, numbers = antaeus.ReachSolver(panda.model), generator()
    told = set()
    for target, start in zip(panda.targets(300, numbers), panda.random(300, numbers)):
        followed = solver.follow(target, start)
        assert ((panda.lower <= followed.q) & (followed.q <= panda.upper)).all()
        if followed.status == "reached":
            assert numbers_of(solver.explain(target, followed)) == numbers_of(followed)
            continue
        assert (followed.status, followed.evidence) in (("local_minimum", "branch_only"), ("iteration_budget", "budget"))
        explained = solver.explain(target, followed)
        assert explained.q.tobytes() == followed.q.tobytes()
        told.add((str(explained.status), str(explained.evidence)))
    assert told == {("local_minimum", "other_branch")}
    outside = solver.follow(panda.pose(panda.upper - 0.1).homogeneous, panda.upper + [0, 0, 1, 0, 0, 0, 0.5])
    assert antaeus.joint_names(panda.chain, outside.pulled_in) == ["panda_joint3", "panda_joint7"]
    assert "panda_joint3 and panda_joint7 and was pulled" in antaeus.reason_text(panda.model, outside)


@pytest.mark.parametrize("spoil", [lambda T: T.__setitem__((0, 3), np.nan), lambda T: T.__setitem__((2, 1), np.inf),
                                   lambda T: T.__setitem__((slice(3), 0), -T[:3, 0]), lambda T: T.__imul__(1.0001)])
def test_a_bad_target_is_a_status(panda, spoil):
    target = panda.targets(1)[0]
    spoil(target)
    target[3] = 0, 0, 0, 1
    solver = antaeus.ReachSolver(panda.model)
    plain = antaeus.PlainSolver(panda.chain)
    for found in (solver.solve(target), solver.follow(target, panda.chain.middle()), plain.solve(target, panda.chain.middle()),
                  antaeus.solve_batch(panda.model, [target]).solution(0)):
        assert found.status == "bad_input" and found.evidence == "target"
        assert np.isnan(found.q).all() and np.isnan(found.position_error) and found.q.shape == (7,)
    assert "not orthonormal" in antaeus.reason_text(panda.model, found)


@pytest.mark.parametrize("start", [np.zeros(6), np.full(7, np.nan), [], [0, 0, 0, -1, 0, 1, np.inf]])
def test_a_bad_start_is_a_status(panda, start):
    target = panda.targets(1)[0]
    for solver in (antaeus.ReachSolver(panda.model).follow, antaeus.PlainSolver(panda.chain).solve):
        found = solver(target, start)
        assert found.status == "bad_input" and found.evidence == "start" and np.isnan(found.q).all()


# What is refused -----------------------------------------------------------------------------------------------------


def test_set_up_says_what_is_wrong(panda, planar):
    model, chain = panda.model, panda.chain
    for call, line in [
        (lambda: antaeus.KinematicChain(panda.robot.model, "panda_hnd"), "frame: unknown frame 'panda_hnd'; did you mean 'panda_hand'?"),
        (lambda: antaeus.KinematicChain(panda.robot.model, "panda_link0"), "no joint with a motor stands between it and the robot's root"),
        (lambda: antaeus.ReachModel(chain, iteration_budge=3), "ik: unknown option 'iteration_budge'; did you mean 'iteration_budget'?"),
        (lambda: antaeus.ReachModel(chain, position_tolerance=0.0), "ik.position_tolerance: '0.0' is not a number that fits"),
        (lambda: antaeus.ReachSolver(model, "avx"), "ReachSolver.set: unknown value 'avx'; did you mean 'avx2'?"),
        (lambda: antaeus.solve_batch(model, np.zeros((1, 7)), threads=0), "threads: fewer than one; give 1 or more"),
        (lambda: antaeus.PlainSolver(chain, method="dsl"), "PlainSolver.method: unknown value 'dsl'; did you mean 'dls'?"),
        (lambda: antaeus.PlainSolver(chain, step=1.5), "step: is above 1; give a share of at most 1"),
        (lambda: antaeus.ReachSolver(model).solve([1, 2, 3]), "ReachSolver.solve: three numbers are a position"),
        (lambda: antaeus.solve_batch(model, np.zeros((2, 3))), "solve_batch.targets: three numbers are a position"),
        (lambda: antaeus.solve_batch(model, np.zeros((2, 5))), "has shape (2, 5); give N × 3"),
        (lambda: antaeus.solve_batch(model, 1.0), "solve_batch.targets: wrong_size: one number is not a target"),
        (lambda: antaeus.ReachSolver(model).solve(np.ones((4, 4))), "the last row of a 4 × 4 target is not 0 0 0 1"),
        (lambda: antaeus.ReachSolver(model).follow(np.eye(4), np.zeros((1, 7))), "start has shape (1, 7)"),
        (lambda: chain.pose(np.zeros(6)), "KinematicChain.pose: wrong_size: q has shape (6,); give shape (7,)"),
        (lambda: chain.pose(np.full(7, np.nan)), "KinematicChain.pose: not_finite"),
        (lambda: chain.from_motors(np.zeros(9)), "give shape (7,)"),
        (lambda: chain.pulled_in(np.zeros(3)), "give shape (7,)"),
        (lambda: antaeus.PlainSolver(chain).step(chain.middle(), np.zeros(3)), "error has shape (3,); give shape (6,)"),
    ]:
        with pytest.raises(antaeus.Error) as caught:
            call()
        assert line in str(caught.value) and "\n" not in str(caught.value)
    for wrong in ("text", None, [["a"] * 7], np.zeros((1, 7), complex)):
        with pytest.raises(TypeError):
            antaeus.ReachSolver(model).solve(wrong)
        with pytest.raises(TypeError):
            antaeus.solve_batch(model, wrong)
    with pytest.raises(IndexError):
        antaeus.solve_batch(model, [np.eye(4)]).solution(1)


def test_no_targets_are_an_empty_batch(panda):
    for none in ([], np.zeros((0, 7)), np.zeros((0, 4, 4))):
        batch = antaeus.solve_batch(panda.model, none, threads=4)
        assert len(batch) == batch.reached == 0 and batch.failures == [] and batch.status.shape == (0,)
        assert batch.q.shape == (0, 7)


# Chains and results --------------------------------------------------------------------------------------------------


def test_a_chain_says_what_it_is(panda, planar):
    chain = panda.chain
    assert (chain.size(), chain.frame(), chain.limited()) == (7, "panda_hand", True)
    assert [joint.name for joint in chain.joints()] == [f"panda_joint{i}" for i in range(1, 8)]
    assert [joint.motor for joint in chain.joints()] == list(range(7)) and not any(j.prismatic for j in chain.joints())
    motors = np.linspace(-1, 1, 7)
    assert np.array_equal(chain.from_motors(motors), motors)
    np.testing.assert_array_equal(chain.middle(), 0.5 * (panda.lower + panda.upper))
    inside, moved = chain.pulled_in(panda.upper + [0, 1, 0, 0, 0, -0.1, 0])
    assert moved == ["panda_joint2"] and inside[1] == panda.upper[1] and inside[5] == panda.upper[5] - 0.1
    free = chain.without_limits()
    assert not free.limited() and all(np.isinf([joint.lower, joint.upper]).all() for joint in free.joints())
    assert np.array_equal(free.pose(motors).rotation, chain.pose(motors).rotation)
    finger = antaeus.load_robot("panda").model
    with pytest.raises(antaeus.ModelError, match="did you mean"):
        antaeus.KinematicChain(finger, "panda_leftfinge")
    assert planar.reach() == pytest.approx(0.8, rel=1e-15)
    wrist = Arm("h1_2").chain
    assert [joint.motor for joint in wrist.joints()] == [wrist.model().motor(joint.name) for joint in wrist.joints()]
    options = panda.model.options()
    assert (options.position_only, options.position_tolerance, options.rotation_tolerance) == (False, POSITION, ROTATION)
    assert panda.model.has_table() and panda.model.table_seconds() > 0 and panda.model.chain().frame() == "panda_hand"


