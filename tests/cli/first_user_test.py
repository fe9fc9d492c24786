"""Input and questions of somebody who uses the program for the first time: what is typed, and logs as they come."""

import csv
import datetime
import json
import os
import re
import signal
import subprocess

import numpy as np
import pytest
from command_line import ROOT, refused, run, text

JOINTS = [f"panda_joint{i}" for i in range(1, 8)]
ROBOTS = sorted(folder.name for folder in (ROOT / "robots").iterdir() if (folder / "profile.toml").exists())
ROUNDED = 1e-6  # N: what differs when stamps of 2026 are doubles of seconds since 1970


@pytest.fixture(scope="module")
def columns(arm_log):
    """The first 15 s of the arm's log as named columns."""
    with np.load(arm_log) as log:
        kept = log["time"] < 15
        found = {"time": log["time"][kept]}
        for channel in ("qpos", "dq", "tau"):
            for j, joint in enumerate(JOINTS):
                found[f"{channel}_{joint}"] = log[channel][kept, j]
        return found


def written(file, columns, separator=",", header=None, before="", cells=()):
    """A CSV; `cells` are (row, column, text) that take the place of numbers."""
    names = list(columns)
    rows = [[column[i] if isinstance(column[i], str) else f"{column[i]:.17g}" for column in columns.values()] for i in range(len(columns["time"]))]
    for row, column, word in cells:
        rows[row][names.index(column)] = word
    lines = [header or separator.join(names), *map(separator.join, rows)]
    file.write_text(before + "\n".join(lines) + "\n")
    return file


def spoiled_log(columns, file, **spoil):
    """The log as .npz with channels changed: name -> function of the array, in place."""
    arrays = {"time": columns["time"].copy()}
    for channel in ("qpos", "dq", "tau"):
        arrays[channel] = np.stack([columns[f"{channel}_{joint}"] for joint in JOINTS], 1)
    for channel, change in spoil.items():
        change(arrays[channel])
    np.savez(file, **arrays)
    return file


def forces(log, robot, out, codes=(0,)):
    done = run("estimate", log, "--robot", robot, "--out", out, seconds=30)
    assert done.returncode in codes, (done.returncode, text(done.stderr))
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row[c] or "nan") for c in ("Fx", "Fy", "Fz")] for row in rows])


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("column", ["tau_panda_joint3", "dq_panda_joint5", "qpos_panda_joint1"])
def test_a_cell_of_text_is_refused_with_row_line_and_column(columns, tmp_path, column, separator):
    file = written(tmp_path / "log.csv", columns, separator, cells=[(40, column, "n/a")])
    for verb in ("estimate", "audit", "check"):
        line = refused(verb, file, "--robot", "panda")
        assert f"column '{column}' (line 42), row 40: 'n/a' is text" in line, (verb, line)
    done = run("check", file, cwd=tmp_path)
    assert done.returncode == 1
    assert column in text(done.stdout) and "line 42" in text(done.stdout).replace("\n  ", " ")


def test_a_column_of_words_is_left_out(columns, tmp_path):
    file = written(tmp_path / "log.csv", {**columns, "mode": ["hold"] * len(columns["time"])})
    assert forces(file, "panda", tmp_path / "out.csv").shape == (1500, 3)


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f+00:00"])
@pytest.mark.parametrize("name", ["time", "timestamp"])
def test_iso_time_stamps_are_read_as_seconds(columns, tmp_path, form, name):
    begin = datetime.datetime(2026, 3, 4, 10, 0, 0)
    stamps = [(begin + datetime.timedelta(seconds=float(t))).strftime(form) for t in columns["time"]]
    own = {name: stamps, **{key: value for key, value in columns.items() if key != "time"}}
    file = tmp_path / "iso.csv"
    rows = [",".join(map(str, row)) for row in zip(*own.values(), strict=True)]
    file.write_text("\n".join([",".join(own), *rows]) + "\n")
    seconds = forces(written(tmp_path / "plain.csv", {**columns, "time": columns["time"] + 1772618400}), "panda", tmp_path / "plain_out.csv")
    assert np.nanmax(np.abs(forces(file, "panda", tmp_path / "iso_out.csv") - seconds)) < ROUNDED


@pytest.mark.parametrize("before", ["# ", "#", "# recorded on the bench\n# ", "# recorded on the bench, twice\n", "% "])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_commented_header_is_read(columns, tmp_path, before, separator):
    plain = forces(written(tmp_path / "plain.csv", columns), "panda", tmp_path / "plain_out.csv")
    file = written(tmp_path / "log.csv", columns, separator, before=before)
    np.testing.assert_array_equal(forces(file, "panda", tmp_path / "out.csv"), plain)


def test_a_profile_is_replaced_by_force_alone(columns, tmp_path):
    log = spoiled_log(columns, tmp_path / "log.npz", tau=lambda tau: np.negative(tau, out=tau))
    for target, file in ((tmp_path / "mine.toml", tmp_path / "mine.toml"), (tmp_path / "dir", tmp_path / "dir" / "profile.toml")):
        file.parent.mkdir(exist_ok=True)
        file.write_text("# mine\n")
        assert "--force" in refused("check", log, "--robot", "panda", "--fix", target)
        assert file.read_text() == "# mine\n"
        assert run("check", log, "--robot", "panda", "--json", "--fix", target, "--force", seconds=30).returncode == 1
        assert "schema = 1" in file.read_text()


@pytest.mark.parametrize("segment", ["900:901", "10:900", "log=20:"])
def test_a_contact_free_segment_outside_the_log_is_an_error(columns, tmp_path, segment):
    log = spoiled_log(columns, tmp_path / "log.npz")
    line = refused("identify", log, "--robot", "panda", "--contact-free", segment, seconds=30)
    assert "outside of the log" in line and "15" in line


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_robot_has_the_poses_zero_and_middle(robot):
    pose = {name: json.loads(run("robot", robot, "--json").stdout)["poses"] for name in ("zero", "middle")}
    assert all(name in poses for name, poses in pose.items())
    for name in pose:
        done = run("preflight", "--robot", robot, "--pose", name, "--json", seconds=30)
        assert done.returncode in (0, 1), text(done.stderr)


ARM = """<robot name="arm5"><link name="base"/>{}<link name="tip"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="tip_fixed" type="fixed"><parent link="l5"/><child link="tip"/><origin xyz="0 0 0.1"/></joint></robot>"""
LINK = """<link name="l{i}"><inertial><mass value="0.5"/><origin xyz="0 0 0.05"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/><origin xyz="0 0 {up}"/><axis xyz="{axis}"/><limit lower="{low}" upper="2.6" effort="20" velocity="3"/></joint>"""


def arm5(folder, low=-2.6):
    axes = ["0 0 1", "0 1 0", "0 1 0", "0 1 0", "0 0 1"]
    links = [LINK.format(i=i + 1, parent="base" if i == 0 else f"l{i}", up=0.05 if i < 2 else 0.15, axis=axis, low=low) for i, axis in enumerate(axes)]
    file = folder / "arm5.urdf"
    file.write_text(ARM.format("\n".join(links)))
    return file


def test_a_pose_is_typed_as_a_name_joints_or_numbers(tmp_path):
    robot = arm5(tmp_path)

    def answer(*pose):
        done = run("preflight", "--robot", robot, "--endpoint", "tip", *pose, "--json")
        assert done.returncode in (0, 1), text(done.stderr)
        return json.loads(done.stdout)["endpoints"] if "endpoints" in json.loads(done.stdout) else {
            key: value for key, value in json.loads(done.stdout).items() if key not in ("pose", "notes")}

    named = answer("--positions", "j2=-0.5,j3=1")
    assert answer("--pose", "j2=-0.5,j3=1") == answer("--pose", "j2=-0.5, j3=1") == answer("--pose", "0,-0.5,1,0,0") == named
    assert answer("--pose", "zero") == answer("--pose", "0,0,0,0,0") != named
    assert "5 motors" in refused("preflight", "--robot", robot, "--endpoint", "tip", "--pose", "0,1")
    assert "valid: zero, middle" in refused("preflight", "--robot", robot, "--endpoint", "tip", "--pose", "home")
    assert "is not a position" in refused("preflight", "--robot", robot, "--endpoint", "tip", "--pose", "j2=x")


def test_zero_is_as_near_as_limits_allow(tmp_path):
    done = run("ik", "--robot", arm5(tmp_path, low=0.3), "--base", "fixed", "--frame", "tip", "--target", "0.1,0.1,0.4", "--start", "zero", "--json")
    assert json.loads(done.stdout)["start"]["positions"] == [0.3] * 5


def test_labels_are_taken_wherever_frames_are(columns, tmp_path):
    log = spoiled_log(columns, tmp_path / "log.npz")
    robot = json.loads(run("robot", "panda", "--json").stdout)
    frame, label = robot["endpoints"][0]["frame"], robot["endpoints"][0]["label"]
    assert frame != label
    for arguments in (("estimate", log, "--robot", "panda", "--json", "--step", "100", "--payload", "{}=1.5"),
                      ("estimate", log, "--robot", "panda", "--json", "--step", "100", "--endpoint", "{}"),
                      ("identify", log, "--robot", "panda", "--contact-free", "all", "--json", "--loaded", log, "--payload-frame", "{}"),
                      ("ik", "--robot", "panda", "--json", "--frame", "{}", "--target", "0.4,0.1,0.5"),
                      ("robot", "panda", "--json", "--payload", "{}=1.5")):
        by_frame, by_label = (run(*[str(word).replace("{}", name) for word in arguments], seconds=60, cwd=tmp_path) for name in (frame, label))
        without_names = [text(done.stdout + done.stderr).replace(frame, "").replace(label, "") for done in (by_frame, by_label)]
        assert by_frame.returncode == by_label.returncode, text(by_label.stderr)
        assert without_names[0] == without_names[1], arguments


LEG = """<link name="{s}_leg"><inertial><mass value="2"/><origin xyz="0 0 -0.3"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{s}_hip" type="revolute"><parent link="trunk"/><child link="{s}_leg"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="100" velocity="10"/></joint>
<link name="{s}_foot"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry>{shape}</geometry></collision></link>
<joint name="{s}_ankle" type="fixed"><parent link="{s}_leg"/><child link="{s}_foot"/><origin xyz="0 0 -0.6"/></joint>"""


def biped(folder, shape):
    trunk = '<link name="trunk"><inertial><mass value="10"/><inertia ixx="0.2" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    legs = "".join(LEG.format(s=side, y=y, shape=shape) for side, y in (("left", 0.1), ("right", -0.1)))
    (folder / "biped.urdf").write_text(f'<robot name="biped">{trunk}{legs}</robot>')
    return folder / "biped.urdf"


def test_ball_feet_are_point_contacts(tmp_path):
    t = np.arange(50) / 50
    q = np.zeros((50, 9))
    q[:, 2], q[:, 6], q[:, 7], q[:, 8] = 0.6, 1, 0.1 * np.sin(2 * t), -0.1 * np.sin(2 * t)
    np.savez(tmp_path / "walk.npz", q=q, time=t)
    sphere, box = '<sphere radius="0.02"/>', '<box size="0.2 0.1 0.02"/>'

    def kinds(shape, *more):
        done = run("contact", tmp_path / "walk.npz", "--robot", biped(tmp_path, shape), "-c", "left_foot", "-c", "right_foot", "--json", *more)
        assert done.returncode in (0, 1), text(done.stderr)
        return {contact["kind"] for contact in json.loads(done.stdout)["contacts"]}

    assert kinds(sphere) == {"point"}
    assert kinds(box) == {"wrench"}
    assert kinds(sphere, "--set", "contact.kind=wrench") == {"wrench"}
    assert kinds(sphere, "--set", "contact.compatibility=nimble") == {"wrench"}
    assert kinds(box, "--set", "contact.kind=point") == {"point"}
    assert "contact.kind" in text(run("contact", "--help").stdout)


def test_a_sole_that_is_not_known_is_named_in_a_sentence(tmp_path):
    t = np.arange(50) / 50
    q = np.zeros((50, 9))
    q[:, 2], q[:, 6] = 0.6, 1
    np.savez(tmp_path / "stand.npz", q=q, time=t)
    done = run("contact", tmp_path / "stand.npz", "--robot", biped(tmp_path, '<box size="0.2 0.1 0.02"/>'), "-c", "left_foot", "-c", "right_foot",
               "--over-time", cwd=tmp_path)
    assert "the sole of left_foot is not known; state it in the profile" in " ".join(text(done.stdout).split())


@pytest.mark.parametrize("scale", [1.02, 0.97])
def test_a_typed_quaternion_near_unit_length_is_normalised(scale):
    one = json.loads(run("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5,1,0,0,0", "--json").stdout)
    done = run("ik", "--robot", "panda", "--frame", "panda_hand", "--target", f"0.4,0.1,0.5,{scale},0,0,0", "--json")
    assert done.returncode == 0, text(done.stdout)
    answer = json.loads(done.stdout)
    assert answer["reached"] == one["reached"] == 1
    assert any(f"has the length {scale} and was normalised" in remark for remark in answer["remarks"])


def test_a_quaternion_of_another_length_is_not_one():
    done = run("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5,1.06,0,0,0", "--json")
    assert done.returncode == 1 and "which is not 1 within 0.05" in text(done.stdout)


@pytest.mark.parametrize("arguments, hint", [
    (("--target", "400,100,500"), "looks like millimetres: in metres it is 0.4,0.1,0.5"),
    (("--target", "400,100,500,1,0,0,0"), "looks like millimetres: in metres it is 0.4,0.1,0.5"),
    (("--target", "0.4,0.1,0.5,90,0,0,1"), "looks like angles in degrees"),
    (("--target", "0.4,0.1,0.5", "--start", "0,-45,0,-135,0,90,45"), "looks like degrees"),
])
def test_targets_in_other_units_get_a_hint(arguments, hint, tmp_path):
    done = run("ik", "--robot", "panda", "--frame", "panda_hand", *arguments, cwd=tmp_path)
    assert hint in " ".join(text(done.stdout).split())


def test_three_angles_are_no_quaternion():
    assert "a quaternion, not three angles" in refused("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5,180,0,0")


def test_a_target_in_metres_gets_no_hint(tmp_path):
    for far in ("2,0,0", "0.4,0.1,0.5"):
        assert "millimetres" not in text(run("ik", "--robot", "panda", "--frame", "panda_hand", "--target", far, cwd=tmp_path).stdout)


VERBS = [("--help",), ("robot", "panda"), ("estimate", "{log}", "--robot", "panda", "--json"), ("check", "{log}", "--robot", "panda"),
         ("show", "{log}", "--json"), ("audit", "{log}", "--robot", "panda"), ("map", "--robot", "panda", "--pose", "ready", "-j", "panda_joint1", "-j", "panda_joint2"),
         ("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5"), ("preflight", "--robot", "panda", "--pose", "ready"),
         ("advise", "--robot", "panda", "--pose", "ready"), ("watch", "--help"), ("fleet", "--help"), ("convert", "--help")]


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("arguments", VERBS, ids=lambda words: words[0])
def test_a_reader_that_leaves_ends_every_command_silently(arguments, ignored, columns, tmp_path):
    """Also where a parent ignores SIGPIPE, as Python does."""
    log = spoiled_log(columns, tmp_path / "log.npz")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([os.environ["ANTAEUS_CLI"], *(word.replace("{log}", str(log)) for word in arguments)], stdout=write, stderr=subprocess.PIPE,
                          cwd=tmp_path, check=False, restore_signals=False,
                          preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL))
    os.close(write)
    assert text(done.stderr) == ""
    assert done.returncode in (-signal.SIGPIPE, 128 + signal.SIGPIPE)


def test_a_profile_of_a_shipped_robot_names_it(columns, tmp_path):
    log = spoiled_log(columns, tmp_path / "log.npz", tau=lambda tau: np.negative(tau, out=tau))
    run("check", log, "--robot", "panda", "--json", "--fix", tmp_path / "fixed.toml", seconds=30)
    run("robot", "panda", "--write", tmp_path / "written.toml")
    run("identify", spoiled_log(columns, tmp_path / "free.npz"), "--robot", "panda", "--contact-free", "all", "--out", tmp_path / "out", seconds=60)
    for file in (tmp_path / "fixed.toml", tmp_path / "written.toml", tmp_path / "out" / "profile.toml"):
        assert re.search(r'^model = "panda"', file.read_text(), re.M), file
        assert json.loads(run("robot", file, "--json").stdout)["total_mass_kg"] == json.loads(run("robot", "panda", "--json").stdout)["total_mass_kg"]
    # Any other description is named by its path.
    run("robot", arm5(tmp_path), "--write", tmp_path / "own.toml")
    assert 'model = "arm5.urdf"' in (tmp_path / "own.toml").read_text()


@pytest.mark.parametrize("robot", [name for name in ROBOTS if name not in ("h1_2",) and not name.startswith("spacecraft")])
def test_a_fixed_arm_has_no_lines_about_feet(robot):
    done = run("robot", robot)
    assert done.returncode == 0
    assert not re.search(r"foot|feet", re.sub(r"docs/\S+|the weight: feet\s+carry it", "", text(done.stdout)))
    assert not any("foot" in setting["option"] for setting in json.loads(run("robot", robot, "--json").stdout)["settings"])


def test_ik_prints_the_joint_positions(tmp_path):
    done = run("ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5", "--target", "0.3,0.2,0.4", "--out", tmp_path / "out")
    with open(tmp_path / "out" / "solutions.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    shown = [line.split() for line in text(done.stdout).splitlines() if line.strip().startswith("panda_joint")]
    assert [words[0] for words in shown] == JOINTS
    for words in shown:
        for value, row in zip(words[-2:], rows, strict=True):
            assert abs(float(value) - float(row[words[0]])) < 1e-4
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Joint positions" in page and f"{float(rows[0]['panda_joint1']):.4g}"[:5].replace("-", "−") in page.replace("-", "−")


def test_a_chain_of_few_joints_says_which_part_of_the_pose_it_misses(tmp_path):
    robot = arm5(tmp_path)
    # Forward at y = 0: the wrist's approach stays in the plane of the pan joint, so a tilt about x is out of it.
    for half_turn, angle in ((0.17364817766693033, 20), (0.08715574274765817, 10)):
        target = f"0.25,0,0.25,{half_turn},0,0,{np.sqrt(1 - half_turn**2)}"
        done = run("ik", "--robot", robot, "--base", "fixed", "--frame", "tip", "--target", target, "--json")
        reason = json.loads(done.stdout)["failures"][0]["reason"]
        assert done.returncode == 1
        assert "the chain has 5 joints" in reason and "the position alone is reached" in reason
        missed = re.search(r"misses by ([\d.]+)° about the world axis \(([-\d.]+), ([-\d.]+), ([-\d.]+)\)", reason)
        assert missed and float(missed[1]) <= angle + 0.5
    done = run("ik", "--robot", robot, "--base", "fixed", "--frame", "tip", "--target", "3,0,0,0,0,0,1", "--json")
    assert "its position is not reached either" in json.loads(done.stdout)["failures"][0]["reason"]


@pytest.mark.parametrize("command", ["check", "ik", "watch", "fleet"])
def test_help_and_version_are_commands_too(command):
    assert run("help", command).stdout == run(command, "--help").stdout != b""
    assert run("help").stdout == run("--help").stdout and b"antaeus help COMMAND" in run("help").stdout
    assert run("version").stdout == run("--version").stdout
    assert "unknown command 'chek'; did you mean 'check'?" in refused("help", "chek")


def test_isolated_gaps_are_noted_and_exit_0(columns, tmp_path):
    def holes(tau):
        tau[300, 2] = tau[900, 4] = np.nan

    log = spoiled_log(columns, tmp_path / "log.npz", tau=holes)
    whole = forces(spoiled_log(columns, tmp_path / "whole.npz"), "panda", tmp_path / "whole.csv")
    found = forces(log, "panda", tmp_path / "gaps.csv")
    assert np.isnan(found[[300, 900]]).all() and np.isfinite(np.delete(found, [300, 900], 0)).all()
    assert np.abs(found[:300] - whole[:300]).max() == 0
    for verb in ("estimate", "audit", "check"):
        done = run(verb, log, "--robot", "panda", cwd=tmp_path, seconds=30)
        assert done.returncode == 0, (verb, text(done.stderr))
        assert "2 steps" in text(done.stdout + done.stderr)


@pytest.mark.parametrize("share", [0.02, 1.0])
@pytest.mark.parametrize("channel", ["tau", "qpos"])
def test_a_joint_without_readings_is_named_first_and_gives_no_all_clear(columns, tmp_path, channel, share):
    def silence(values):
        values[: int(share * len(values)), 5] = np.nan

    log = spoiled_log(columns, tmp_path / "log.npz", **{channel: silence})
    for verb in ("estimate", "audit", "check"):
        done = run(verb, log, "--robot", "panda", cwd=tmp_path, seconds=30)
        assert done.returncode == 1, (verb, text(done.stderr))
        if verb == "estimate":
            assert text(done.stderr).startswith("antaeus: log.npz: panda_joint6 has no valid"), text(done.stderr)
        else:
            said = " ".join(text(done.stdout).split())
            assert "panda_joint6" in said and "No incident" not in said and "No fault" not in said
    first = json.loads(run("check", log, "--robot", "panda", "--json").stdout)["findings"][0]
    assert first["fault"] == "not_numbers" and first["joints"] == ["panda_joint6"]


def test_a_log_whose_rows_are_all_refused_exits_1(columns, tmp_path):
    without_clock = spoiled_log(columns, tmp_path / "log.npz")
    with np.load(without_clock) as log:
        np.savez(tmp_path / "still.npz", **{**log, "time": np.zeros(len(log["time"]))})
    no_torque = spoiled_log(columns, tmp_path / "none.npz", tau=lambda tau: tau.fill(np.nan))
    for log, reason in ((tmp_path / "still.npz", "the clock stands still"), (no_torque, "every step is refused")):
        done = run("estimate", log, "--robot", "panda", "--out", tmp_path / "out.csv", seconds=30)
        assert done.returncode == 1, text(done.stderr)
        with open(tmp_path / "out.csv", newline="") as file:
            assert sum(row["verdict"] in ("refused", "invalid_input") for row in csv.DictReader(file)) >= 1499
        assert reason in text(done.stderr)


def test_joints_are_described_as_the_repaired_log_reads_them(columns, tmp_path):
    right = json.loads(run("check", spoiled_log(columns, tmp_path / "right.npz"), "--robot", "panda", "--json", seconds=30).stdout)["joints"]
    for name, change in (("negative", lambda tau: np.negative(tau, out=tau)), ("swapped", lambda tau: tau.__setitem__((slice(None), [1, 3]), tau[:, [3, 1]]))):
        log = spoiled_log(columns, tmp_path / f"{name}.npz", tau=change)
        done = run("check", log, "--robot", "panda", "--json", seconds=60)
        found = json.loads(done.stdout)
        assert done.returncode == 1 and found["findings"]
        for one, other in zip(found["joints"], right, strict=True):
            assert abs(one["gain"] - other["gain"]) < 0.05 * max(1, other["gain_sd"] / 0.1), (name, one, other)
        assert "once the findings above are repaired" in " ".join(text(run("check", log, "--robot", "panda", cwd=tmp_path, seconds=60).stdout).split())


def test_the_installation_has_every_page_that_messages_name(tmp_path):
    build = os.environ.get("ANTAEUS_BUILD")
    if not build:
        pytest.skip("no build tree: ANTAEUS_BUILD names it")
    subprocess.run(["cmake", "--install", build, "--component", "reference", "--prefix", tmp_path], check=True, capture_output=True)
    named = set()
    for folder in ("apps", "src", "studies", "python/antaeus"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".cpp", ".hpp", ".py"):
                named |= set(re.findall(r"docs/[a-z_0-9/]+\.md", file.read_text()))
    assert len(named) > 10
    assert not [page for page in sorted(named) if not (tmp_path / "share" / "antaeus" / page).is_file()]
