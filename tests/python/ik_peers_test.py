"""The recipe of the target sets of `make bench-ik`, and its judge: what is said of others' solvers must be right."""

import re
import subprocess
import sys

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from support import ROOT, generator, tolerance

sys.path.insert(0, str(ROOT / "benchmarks"))
import ik_figure
import ik_peers
import ik_targets as sets

SMALL = {"pose6": 40, "pos3": 40, "sing": 40, "unreach": 20, "path": 80}


@pytest.fixture(scope="module")
def arm():
    return sets.Arm(sets.arm_urdf())


@pytest.fixture(scope="module")
def targets(arm):
    return sets.make_sets(arm, SMALL)


def answers(q, claimed=True):
    q = np.atleast_2d(q)
    return sets.Answers(q, np.full(len(q), claimed), np.arange(1.0, len(q) + 1))


def configurations(arm, count):
    return generator().uniform(arm.lower, arm.upper, (count, 7))


def test_the_arm_is_the_pandas_without_fingers(arm):
    """MuJoCo reads the text with its own parser; the hand is where the whole robot has it."""
    spec = mujoco.MjSpec.from_string(sets.arm_urdf())
    spec.compiler.fusestatic = False
    model = spec.compile()
    whole = pin.buildModelFromUrdf(str(ROOT / "robots/panda/panda.urdf"))
    assert (model.nq, arm.model.nq, whole.nq) == (7, 7, 9)
    data, there = mujoco.MjData(model), whole.createData()
    for q in configurations(arm, 20):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        pin.framesForwardKinematics(whole, there, np.append(q, [0.0, 0.0]))
        near = dict(rtol=0, atol=tolerance("kJacobianParity"))
        np.testing.assert_allclose(arm.pose(q).translation, data.xpos[model.body(sets.FRAME).id], **near)
        np.testing.assert_allclose(arm.pose(q).homogeneous, there.oMf[whole.getFrameId(sets.FRAME)].homogeneous, **near)


def test_nothing_reaches_further_than_the_reach(arm):
    """Upper arm, forearm and hand in line: two hypotenuses over the elbow's offset, one over the wrist's."""
    by_hand = np.hypot(0.316, 0.0825) + np.hypot(0.384, 0.0825) + np.hypot(0.088, 0.107)
    assert abs(arm.reach() - by_hand) < tolerance("kReach")
    shoulder = [0, 0, sets.SHOULDER_HEIGHT]
    assert max(np.linalg.norm(arm.pose(q).translation - shoulder) for q in configurations(arm, 2000)) <= by_hand


def test_sets_are_what_their_names_say(arm, targets):
    assert {name: len(of) for name, of in targets.items()} == SMALL
    shoulder = np.array([0, 0, sets.SHOULDER_HEIGHT])
    away = lambda name: np.linalg.norm(targets[name][:, :3, 3] - shoulder, axis=1)
    assert (away("pose6") <= arm.reach()).all() and (away("pos3") <= arm.reach()).all()
    np.testing.assert_allclose(away("unreach"), 1.5 * arm.reach(), rtol=0, atol=tolerance("kByHand"))
    # Joint 4 alone sets how far the wrist is from the shoulder; the last joint's axis passes it 88 mm off.
    axis = np.array([pose[:3, 3] - pose[:3, :3] @ [0, 0, 0.107] for pose in targets["sing"]])
    bend = sets.NEARLY_STRAIGHT / 2 - arm.upper[sets.ELBOW]
    wrist = np.hypot(0.316 + 0.384 * np.cos(bend) + 0.0825 * np.sin(bend),
                     0.0825 * (1 - np.cos(bend)) + 0.384 * np.sin(bend))
    slack = 0.088 + 0.002  # [m]: 0.01 rad of the elbow at an arm of 0.16 m from the line shoulder to wrist
    assert (np.abs(np.linalg.norm(axis - shoulder, axis=1) - wrist) < slack).all()
    assert not (np.abs(away("pose6") - wrist) < slack).all()
    for of in targets.values():
        turn = of[:, :3, :3]
        np.testing.assert_allclose(turn @ turn.transpose(0, 2, 1), np.tile(np.eye(3), (len(of), 1, 1)), rtol=0,
                                   atol=tolerance("kByHand"))


def test_the_path_leaves_and_comes_back_in_small_steps(arm, targets):
    path = targets["path"]
    ready = arm.pose(sets.READY).homogeneous
    np.testing.assert_allclose(path[[0, -1]], [ready, ready], rtol=0, atol=tolerance("kByHand"))
    away = np.linalg.norm(path[:, :3, 3] - [0, 0, sets.SHOULDER_HEIGHT], axis=1)
    assert away.max() > 1.39 * arm.reach() and (away[30:50] > 1.39 * arm.reach()).all()
    steps = np.linalg.norm(np.diff(path[:, :3, 3], axis=0), axis=1)
    assert steps.max() < 4 * np.median(steps[steps > 0])


def test_a_seed_makes_one_set_and_a_short_set_begins_a_long_one(arm, targets):
    again = sets.make_sets(arm, SMALL)
    assert all((targets[name] == again[name]).all() for name in SMALL)
    other = sets.make_sets(arm, SMALL, seed=sets.SEED + 1)
    assert all((targets[name] != other[name]).any() for name in SMALL if name != "path")
    longer = sets.make_sets(arm, {**SMALL, "pose6": 60})
    assert (longer["pose6"][:40] == targets["pose6"]).all() and (longer["sing"] == targets["sing"]).all()


def test_the_csv_is_what_the_command_line_reads(tmp_path, targets):
    for position_only, header in ((True, "x,y,z"), (False, "x,y,z,qx,qy,qz,qw")):
        sets.write_csv(tmp_path / "targets.csv", targets["pose6"], position_only)
        assert (tmp_path / "targets.csv").read_text().splitlines()[0] == header
        rows = np.loadtxt(tmp_path / "targets.csv", delimiter=",", skiprows=1)
        assert (rows[:, :3] == targets["pose6"][:, :3, 3]).all()
        if not position_only:
            turn = np.array([pin.Quaternion(*row[[6, 3, 4, 5]]).toRotationMatrix() for row in rows])
            np.testing.assert_allclose(turn, targets["pose6"][:, :3, :3], rtol=0, atol=tolerance("kByHand"))


def test_the_judge_sees_what_is_right(arm):
    q = configurations(arm, 50)
    goals = np.array([arm.pose(each).homogeneous for each in q])
    row = sets.judge(arm, goals, answers(q), False)
    assert (row["success"], row["hit"], row["limits_broken"], row["wrong_claims"], row["no_answer"]) == (100, 100, 0, 0, 0)
    assert (row["median_us"], row["count"]) == (25.5, 50)


def test_the_judge_sees_what_is_wrong(arm):
    """Each fault on its own: a millimetre, two milliradians, a turn beyond a limit, no answer."""
    q = configurations(arm, 4)
    goals = np.array([arm.pose(each).homogeneous for each in q])
    goals[0, 0, 3] += 1e-3
    goals[1, :3, :3] = goals[1, :3, :3] @ pin.exp3(np.array([2e-3, 0, 0]))
    q[2, 6] += 2 * np.pi
    q[3] = np.nan
    row = sets.judge(arm, goals, answers(q), False)
    assert (row["success"], row["hit"], row["limits_broken"], row["wrong_claims"], row["no_answer"]) == (0, 25, 25, 100, 25)
    assert row["furthest_outside"] == pytest.approx(q[2, 6] - arm.upper[6])
    alone = sets.judge(arm, goals, answers(q), True)
    assert (alone["success"], alone["hit"]) == (25, 50), "a position does not care for 2 mrad"
    assert sets.judge(arm, goals, answers(q, claimed=False), False)["wrong_claims"] == 0


def test_the_judge_measures_from_the_closest_answer(arm, targets):
    goals, q = targets["unreach"][:3], configurations(arm, 3)
    best = np.array([np.linalg.norm(arm.pose(each).translation - goal[:3, 3]) for each, goal in zip(q, goals)])
    assert sets.judge(arm, goals, answers(q), True, best)["within_close"] == 100
    row = sets.judge(arm, goals, answers(q), True, best - 2e-3)
    assert row["within_close"] == 0 and row["excess_median"] == pytest.approx(2e-3)
    q[0, 6] += 2 * np.pi
    assert sets.judge(arm, goals, answers(q), True, best)["within_close"] == pytest.approx(200 / 3)


@pytest.mark.parametrize("position_only", (True, False))
def test_the_closest_answer_is_found_in_reach_and_beats_chance_beyond(arm, targets, position_only):
    inside = sets.closest(arm, targets["sing"][:3], position_only, starts=6)
    assert (inside < sets.POSITION).all(), "a target in reach is missed by nothing"
    goals = targets["unreach"][:3]
    least = sets.closest(arm, goals, position_only, starts=6)
    for goal, miss in zip(goals, least):
        assert miss >= 0.5 * arm.reach() * (1 - tolerance("kByHand")), "closer than the reach lets any answer be"
        assert miss <= min(sets.size_of_miss(arm.errors(q, goal), position_only) for q in configurations(arm, 300))


def test_steps_of_a_path_are_counted_between_answers():
    q = np.zeros((5, 7))
    q[2:] += 0.15
    q[3, 2] = np.nan
    q[4] += 0.3
    assert sets.quietness(answers(q)) == {"largest_step": 0.15, "jumps": 0}, "nothing is known across a missing answer"
    q[3] = 0.15
    assert sets.quietness(answers(q))["jumps"] == 1


def test_solutions_of_the_command_line_are_read(tmp_path):
    header = "target,status,reason,reached,position_error,rotation_error,iterations,attempts,blocked_by,agreeing_starts,gradient"
    (tmp_path / "solutions.csv").write_text(f"{header},a,b,cpu_us\n0,reached,,true,0,0,3,1,,,,0.5,-0.25,1.5\n"
                                            "1,bad_input,NaN,false,,,0,0,,,,,,0.1\n")
    read = ik_peers.read_solutions(tmp_path / "solutions.csv", ["a", "b"])
    assert read.q[0].tolist() == [0.5, -0.25] and np.isnan(read.q[1]).all()
    assert (read.claimed.tolist(), read.cpu_us.tolist()) == ([True, False], [1.5, 0.1])


def test_the_lock_names_versions_alone():
    lock = ik_peers.read_lock((ROOT / "benchmarks/ik_peers.lock").read_text(encoding="utf-8"))
    assert {environment for environment in lock if ":" not in environment} == set(ik_peers.PEERS.values())
    for packages in lock.values():
        assert packages and all(re.fullmatch(r"[\w.-]+==?[\w.+-]+", package) for package in packages)
    for peer in ik_peers.PEERS:
        assert " " in ik_peers.version_of(peer, lock), peer


def test_every_peer_that_is_run_is_there():
    """The peers' side must not need the peers to be imported."""
    code = "import ik_peer_solvers; print(*sorted(ik_peer_solvers.PEERS))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "benchmarks", capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(ik_peers.PEERS)


def test_times_have_three_digits():
    shown = [ik_peers.three_digits(us).replace("\u202f", " ") for us in (0.456, 1.0, 42.81, 99.99, 384.7, 999.9, 18800.4)]
    assert shown == ["0.46", "1.00", "42.8", "100", "385", "1 000", "18 800"]


def test_tables_and_figure_hold_every_solver():
    row = {"count": 10, "median_us": 20.0, "p99_us": 3e3, "limits_broken": 0.0, "wrong_claims": 0.0, "version": "x 1"}
    more = {"unreach": {"within_close": 1.0, "excess_median": None}, "path": {"jumps": 3, "largest_step": 1.0}}
    rows = [{**row, "solver": f"solver_{i}", "task": task, "success": 10.0 * i, **more.get(task[:-2], {})}
            for i in range(3) for task in ik_peers.TITLES]
    result = {"rows": rows, "left_out": {"absent": "no package"}, "date": "d", "command": "c", "machine": "m", "seed": 1}
    page = ik_peers.markdown(result)
    assert page.count("solver_1") == len(ik_peers.TITLES) + 1 and "- absent: left out, no package." in page
    assert page.index("solver_2") < page.index("solver_0"), "the best stands first"
    drawn = ik_figure.figure(rows, "<style></style>")
    assert all(drawn.count(f">solver_{i}<") == len(ik_figure.PANELS) for i in range(3))
