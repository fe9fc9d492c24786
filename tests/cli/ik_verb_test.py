"""antaeus ik: what it writes, judged by Pinocchio's forward kinematics, and what it refuses in one line."""

import csv
import json
import os
import re

import numpy as np
import pinocchio as pin
import pytest
from command_line import ROOT, prose, refused, run, text

ROBOTS = ROOT / "robots"
FIXED = ["target", "status", "reason", "reached", "position_error", "rotation_error", "iterations", "attempts", "blocked_by", "agreeing_starts", "gradient"]
STATUSES = {"reached", "out_of_reach", "blocked_by_limits", "local_minimum", "iteration_budget", "bad_input"}
FILES = ["report.html", "solutions.csv", "solutions.parquet", "summary.json"]

POSITION, ROTATION = 1e-4, 1e-3  # m, rad: the contract's tolerances
ROUNDING = 1e-9  # m, rad: a chain and a whole robot, 1e-16 each joint; an angle by its cosine loses half the digits near zero


class Arm:
    """A robot of ours as Pinocchio reads it: base at the origin, joints that are not asked for at zero."""

    def __init__(self, name, frame):
        self.name, self.frame = name, frame
        self.model = pin.buildModelFromUrdf(str(ROBOTS / name / f"{name}.urdf"))
        self.data = self.model.createData()
        self.id = self.model.getFrameId(self.frame)
        way, joint = [], self.model.frames[self.id].parentJoint
        while joint > 0:
            way.append(joint)
            joint = self.model.parents[joint]
        self.ids = way[::-1]
        self.joints = [self.model.names[j] for j in self.ids]
        self.at = [self.model.idx_qs[j] for j in self.ids]
        self.lower, self.upper = self.model.lowerPositionLimit[self.at], self.model.upperPositionLimit[self.at]

    def pose(self, values):
        q = pin.neutral(self.model)
        q[self.at] = values
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.id].copy()

    def random(self, n, seed=4):
        numbers = np.random.default_rng(seed)
        return [self.pose(numbers.uniform(self.lower, self.upper)) for _ in range(n)]


@pytest.fixture(scope="module")
def panda():
    return Arm("panda", "panda_hand")


def row_of(pose):
    return [*pose.translation, *pin.Quaternion(pose.rotation).coeffs()]


def table(file, rows, columns=("x", "y", "z", "qx", "qy", "qz", "qw")):
    lines = [",".join(columns)] + [",".join(v if isinstance(v, str) else repr(float(v)) for v in row[: len(columns)]) for row in rows]
    file.write_text("\n".join(lines) + "\n")
    return file


def rows_of(file):
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


class Result:
    def __init__(self, folder, joints):
        self.rows = rows_of(folder / "solutions.csv")
        self.header = list(self.rows[0])
        self.summary = json.loads((folder / "summary.json").read_text())
        self.status = [row["status"] for row in self.rows]
        self.q = np.array([[float(row[j]) if row[j] else np.nan for j in joints] for row in self.rows])
        self.folder = folder


def solved(arm, file, *more, out=None, exits=(0,), quiet=True):
    out = out or file.parent / f"out{len(list(file.parent.iterdir()))}"
    done = run("ik", "--robot", arm.name, "--frame", arm.frame, "--targets", file, "--out", out, *more)
    assert done.returncode in exits, (done.returncode, done.stderr)
    assert not quiet or done.stderr == b""
    return Result(out, arm.joints)


def off(pose, target):
    return np.linalg.norm(pose.translation - target.translation), np.linalg.norm(pin.log3(pose.rotation.T @ target.rotation))


# --- the contract -------------------------------------------------------------------------------------------------------

def test_reached_means_reached_by_forward_kinematics_and_limits_hold_exactly(panda, tmp_path):
    arm = panda
    targets = arm.random(60)
    result = solved(arm, table(tmp_path / "t.csv", map(row_of, targets)))
    assert result.header == FIXED + arm.joints
    assert [row["target"] for row in result.rows] == [str(t) for t in range(60)]
    assert set(result.status) == {"reached"} and {row["reached"] for row in result.rows} == {"1"}
    assert (result.q >= arm.lower).all() and (result.q <= arm.upper).all()
    for row, q, target in zip(result.rows, result.q, targets, strict=True):
        position, rotation = off(arm.pose(q), target)
        assert position <= POSITION and rotation <= ROTATION
        assert float(row["position_error"]) == pytest.approx(position, abs=ROUNDING)
        assert float(row["rotation_error"]) == pytest.approx(rotation, abs=ROUNDING)
        assert (row["agreeing_starts"], row["gradient"], row["blocked_by"]) == ("", "", "")
        assert int(row["iterations"]) >= 1 and int(row["attempts"]) >= 1
    assert sorted(os.listdir(result.folder)) == FILES
    assert result.summary["reached"] == 60 and result.summary["joints"][0]["lower"] == pytest.approx(arm.lower[0], abs=0)
    assert (result.summary["schema"], result.summary["path"]) == ("antaeus.ik.summary/1", None)


def test_each_end_has_its_status_reason_and_exit_code(panda, tmp_path):
    far = [1.5, 0.0, 0.5, 0, 0, 0, 1]
    low = panda.pose(np.array([0, 2.0, 0, -0.5, 0, 2.6, 0.4]))  # joint 2 ends at 1.7628 rad, and no other branch comes there
    near = panda.random(1)[0]
    result = solved(panda, table(tmp_path / "t.csv", [row_of(near), far, row_of(low), [np.nan, *far[1:]], [0.4, 0, 0.4, 0, 0, 0, 0]]), exits=(1,))
    assert result.status == ["reached", "out_of_reach", "blocked_by_limits", "bad_input", "bad_input"]
    reasons = [row["reason"] for row in result.rows]
    assert "farther from the first joint than all links" in reasons[1]
    assert "panda_joint2" in reasons[2] and "above its upper limit" in reasons[2] and "panda_joint2" in result.rows[2]["blocked_by"].split(" ")
    assert reasons[3:] == ["the target's x is not a finite number", "the target's quaternion is zero"]
    assert [row["reached"] for row in result.rows] == ["1", "0", "0", "0", "0"]
    assert np.isfinite(result.q[:3]).all() and np.isnan(result.q[3:]).all()
    assert (result.q[:3] >= panda.lower).all() and (result.q[:3] <= panda.upper).all()
    for row in result.rows[1:3]:
        assert float(row["gradient"]) < 1e-6 and int(row["agreeing_starts"]) >= 1
    for row in result.rows[3:]:
        assert row["position_error"] == row["gradient"] == row["agreeing_starts"] == ""
    # The rejected configuration reaches the target, and is outside the limits that are named.
    assert sorted(os.listdir(result.folder)) == sorted([*FILES, "rejected.csv", "rejected.parquet"])
    (rejected,) = rows_of(result.folder / "rejected.csv")
    q = np.array([float(rejected[j]) for j in panda.joints])
    assert rejected["target"] == "2" and rejected["blocked_by"] == result.rows[2]["blocked_by"]
    assert off(panda.pose(q), low)[0] <= POSITION and off(panda.pose(q), low)[1] <= ROTATION
    outside = {j for j, v, low, high in zip(panda.joints, q, panda.lower, panda.upper, strict=True) if not low <= v <= high}
    assert outside == set(rejected["blocked_by"].split(" "))
    summary = result.summary
    assert summary["statuses"] == {"reached": 1, "out_of_reach": 1, "blocked_by_limits": 1, "local_minimum": 0, "iteration_budget": 0, "bad_input": 2}
    assert [f["target"] for f in summary["failures"]] == [1, 2, 3, 4]
    assert summary["failures"][1]["rejected"] == list(q) and set(result.status) <= STATUSES


def test_the_same_bytes_whatever_threads_and_timing(panda, tmp_path):
    rows = [row_of(p) for p in panda.random(70)] + [[1.5, 0, 0.5, 0, 0, 0, 1], [0.1, 0, 0.2, 0, 0, 0, 1], [np.nan] * 7]
    file = table(tmp_path / "t.csv", rows)
    one = solved(panda, file, exits=(1,))
    for more in (["--threads", "3"], []):
        other = solved(panda, file, *more, exits=(1,))
        for name in FILES:
            assert (one.folder / name).read_bytes() == (other.folder / name).read_bytes(), name
    timed = solved(panda, file, "--timing", exits=(1,))
    assert timed.header == [*one.header, "cpu_us"]
    for row, before in zip(timed.rows, one.rows, strict=True):
        microseconds = row.pop("cpu_us")
        assert row == before
        assert (microseconds == "") == (row["status"] == "bad_input")
        assert microseconds == "" or 0 < float(microseconds) < 1e5
    assert timed.summary["timing"]["cpu_us_median"] > 0 and timed.summary["timing"]["table_bytes"] > 1e5
    assert "timing" not in one.summary


def test_a_path_in_out_and_back(panda, tmp_path):
    ready = np.array([0, -0.785398, 0, -2.356194, 0, 1.570796, 0.785398])
    way = np.r_[np.linspace(0, 1, 200), np.linspace(1, 0, 200)]
    file = table(tmp_path / "path.csv", [panda.pose(ready).translation + s * np.array([0.9, 0.2, 0.2]) for s in way], ("x", "y", "z"))
    result = solved(panda, file, "--path", "--start", "ready", exits=(1,))
    assert result.status[0] == "reached" and result.status[199] == "out_of_reach"
    # Back where it began it is reached, or the page says that the branch was lost on the way.
    assert result.status[-1] == "reached" or "another branch reaches it" in result.rows[-1]["reason"]
    assert (result.q >= panda.lower).all() and (result.q <= panda.upper).all()
    np.testing.assert_allclose(result.q[0], ready, atol=2 * POSITION)  # the start's branch
    path, steps = result.summary["path"], np.abs(np.diff(result.q, axis=0)).max(axis=1)
    assert path["largest_step"] == steps.max() > 0.2  # at the edge of reach joints are fast
    assert [s["from"] for s in path["steps"]] == list(np.flatnonzero(steps > 0.2)) and path["long_steps"] == len(path["steps"])
    assert path["needed"] + path["branch_ended"] == path["long_steps"] and path["needed"] > 0
    assert all(row["reason"] and row["gradient"] for row in result.rows if row["status"] == "out_of_reach")


def test_a_start_keeps_the_branch_and_is_pulled_in(panda, tmp_path):
    q = np.array([0.3, 0.2, -0.4, -1.5, 0.5, 1.7, 0.1])
    file = table(tmp_path / "t.csv", [row_of(panda.pose(q + 0.01))])
    near = solved(panda, file, "--start", ",".join(map(repr, q.tolist())))
    np.testing.assert_allclose(near.q[0], q, atol=0.1)
    named = solved(panda, file, "--start", ",".join(f"{j}={v!r}" for j, v in zip(panda.joints, q.tolist(), strict=True)))
    np.testing.assert_array_equal(named.q, near.q)
    done = run("ik", "-r", "panda", "-f", "panda_hand", "--targets", file, "--start", "9,0.2,-0.4,0.5,0.5,1.7,0.1", "--json")
    summary = json.loads(done.stdout)
    assert summary["start"]["pulled_in"] == ["panda_joint1", "panda_joint4"]
    assert summary["start"]["positions"][0] == 2.8973 and summary["start"]["positions"][3] == -0.0698
    assert [line.split("'")[1] for line in text(done.stderr).splitlines()] == ["panda_joint1", "panda_joint4"]


def test_one_target_on_the_command_line(panda, tmp_path):
    done = run("ik", "-r", "panda", "-f", "panda_hand", "--target", "-0.4,0.1,0.5", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == b"" and "Yes: the target is reached" in prose(done.stdout)
    assert sorted(os.listdir(tmp_path / "antaeus-ik-panda_hand")) == FILES
    result = Result(tmp_path / "antaeus-ik-panda_hand", panda.joints)
    np.testing.assert_allclose(panda.pose(result.q[0]).translation, [-0.4, 0.1, 0.5], atol=POSITION)
    plain = run("ik", "-r", "panda", "-f", "panda_hand", "--target", "-0.4,0.1,0.5", "--method", "dls", "--json", cwd=tmp_path)
    assert json.loads(plain.stdout)["method"] == "dls"
    labelled = run("ik", "-r", "panda", "-f", "hand", "--target", "-0.4,0.1,0.5", "--json", cwd=tmp_path)
    assert json.loads(labelled.stdout)["frame"] == "panda_hand"
    assert sorted(os.listdir(tmp_path)) == ["antaeus-ik-panda_hand"]  # JSON writes files only where told


def test_the_command_reproduces_the_run(panda, tmp_path):
    file = table(tmp_path / "my targets.csv", map(row_of, panda.random(3)))
    result = solved(panda, file, "--position-only", "--set", "ik.position_tolerance=1e-5")
    command = result.summary["command"]
    assert command.startswith("antaeus ik --robot panda --frame panda_hand --targets 'my targets.csv' --position-only")
    assert str(tmp_path) not in command
    assert result.summary["settings"]["ik.position_tolerance"] in ("1e-05", "0.00001")
    assert result.summary["largest_position_error_reached_m"] <= 1e-5


def test_the_page_tells_it(panda, tmp_path):
    result = solved(panda, table(tmp_path / "t.csv", [row_of(panda.random(1)[0]), [1.5, 0, 0.5, 0, 0, 0, 1]]), exits=(1,))
    page = (result.folder / "report.html").read_text()
    for words in ("1 of 2 reached", "Are the targets reached?", "farther from the first joint", "panda_joint7", "out of reach"):
        assert words in page
    assert not re.search(r"https?://(?!www\.w3\.org)[^\"'\s<]+\.(js|css)", page) and str(tmp_path) not in page


# --- bad input ----------------------------------------------------------------------------------------------------------

ONE = ("ik", "-r", "panda", "-f", "panda_hand")


@pytest.mark.parametrize("content, place", [
    ("x,y,z\n1,2\n", ":2: 2 cells where the header has 3"), ("x,y,z,qx,qy,qz,qw\n0.1,0.2,0.3,0,0", ":2: 5 cells"), ("", "empty"),
    ("1,2,3\n", "numbers where the header"), ("x,y,z\n1,2,\"3\n", ":2"),
    ("x,y,z\n1,2,\u202e3\n", "\\u202e"),
])
def test_a_file_that_is_no_table_of_targets(tmp_path, content, place):
    file = tmp_path / "t.csv"
    file.write_text(content)
    line = refused(*ONE, "--targets", file, "--out", tmp_path / "out")
    assert place in line and str(file) in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more, words", [
    (["--target", "0.4,0.1,0.5,1"], "has 4 parts, not 3 or 7"), (["--target", "0.4,0.1,b"], "'b' is not a number"), ([], "one of the two must be given"),
    (["--target", "0.4,0,0.5", "--targets", "t.csv"], "one of the two must be given"), (["--targets", "absent.csv"], "absent.csv"),
    (["--target", "0.4,0,0.5", "--method", "dsl"], "did you mean 'dls'?"), (["--target", "0.4,0,0.5", "--threads", "0"], "--threads"),
    (["--target", "0.4,0,0.5", "--start", "redy"], "did you mean 'ready'?"), (["--target", "0.4,0,0.5", "--start", "1,2"], "2 numbers for a chain of 7"),
    (["--target", "0.4,0,0.5", "--set", "ik.position_tolerance=0"], "position_tolerance"), (["--target", "0.4,0,0.5", "--set", "ik.budget=3"], "budget"),
])
def test_options_that_cannot_be_used(tmp_path, more, words):
    assert words in refused(*ONE, *more, "--out", tmp_path / "out", cwd=tmp_path)
    assert not (tmp_path / "out").exists()


def test_frames_that_no_joint_moves_and_that_are_not_there():
    assert "did you mean 'panda_hand'?" in refused("ik", "-r", "panda", "-f", "panda_hnd", "--target", "0,0,1")
    assert "no joint with a motor" in refused("ik", "-r", "panda", "-f", "panda_link0", "--target", "0,0,1")


URDF = """<robot name="r"><link name="base">{I}</link><link name="arm">{I}</link><link name="tip">{I}</link><link name="jaw">{I}</link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
  <limit lower="{low}" upper="{high}" effort="9" velocity="9"/></joint>
<joint name="{second}" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
<joint name="follower" type="prismatic"><parent link="tip"/><child link="jaw"/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="0.1" effort="9" velocity="9"/><mimic joint="turn"/></joint></robot>"""
INERTIA = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'


def urdf(folder, low=-2, high=2, second="bend"):
    file = folder / "r.urdf"
    file.write_text(URDF.format(I=INERTIA, low=low, high=high, second=second))
    return file


def test_robots_that_cannot_be_solved(tmp_path):
    line = refused("ik", "-r", urdf(tmp_path), "-f", "jaw", "--target", "0.3,0,0.2")
    assert "follower" in line and "mimics" in line and "turn" in line
    line = refused("ik", "-r", urdf(tmp_path, 1, -1), "-f", "tip", "--target", "0.3,0,0.2")
    assert "turn" in line and "limit" in line
    line = refused("ik", "-r", urdf(tmp_path, second="status"), "-f", "tip", "--target", "0.3,0,0.2")
    assert "joint 'status'" in line and "solutions.csv" in line


@pytest.mark.parametrize("name", ["x\u009b31m", "gp\u202ecod"])
def test_a_joint_of_a_hostile_name(tmp_path, name):
    done = run("ik", "-r", urdf(tmp_path, second=name), "-f", name, "--target", "0.3,0,0.2", "--out", tmp_path / "out")
    assert done.returncode in (0, 1), done.stderr
    assert not re.search("[\u0080-\u009f\u202e]", text(done.stdout + done.stderr))


def test_a_frame_whose_name_has_a_slash_is_one_folder(tmp_path):
    robot = urdf(tmp_path, second="left/elbow")
    done = run("ik", "-r", robot, "-f", "left/elbow", "--target", "0.3,0,0.2", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert (tmp_path / "antaeus-ik-left_elbow" / "solutions.csv").exists()


def test_the_trace_has_every_iteration_of_each_method(tmp_path):
    out = tmp_path / "out"
    done = run("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5", "--target", "1.5,0,0.5", "--trace", "--out", out)
    assert done.returncode == 1, done.stderr
    assert sorted(f.name for f in out.iterdir()) == sorted([*FILES, "trace.csv", "trace.html", "trace.parquet"])
    rows = list(csv.DictReader((out / "trace.csv").open()))
    answers = list(csv.DictReader((out / "solutions.csv").open()))
    ways = {}
    for row in rows:
        ways.setdefault((row["method"], int(row["target"])), []).append(row)
    assert set(ways) == {(m, t) for m in ("pinv", "dls", "default") for t in (0, 1)}
    for t, answer in enumerate(answers):
        assert len(ways["default", t]) == int(answer["iterations"])
    arm = Arm("panda", "panda_hand")
    goals = np.array([[0.4, 0.1, 0.5], [1.5, 0, 0.5]])
    for (_, t), way in ways.items():
        assert [int(row["iteration"]) for row in way] == list(range(len(way)))
        for row in way:
            at = arm.pose([float(row[joint]) for joint in arm.joints]).translation
            assert abs(np.linalg.norm(at - goals[t]) - float(row["position_error"])) < ROUNDING
    steps = {key: np.mean([float(row["step"]) for row in way[-10:] if row["step"]]) for key, way in ways.items()}
    assert steps["pinv", 1] > 0.1 > steps["pinv", 0], "beyond reach the pseudo-inverse thrashes; within it arrives"
    assert "thrashes" in (out / "trace.html").read_text()


def test_a_path_is_not_traced():
    assert "--trace" in refused("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5", "--path", "--trace")
