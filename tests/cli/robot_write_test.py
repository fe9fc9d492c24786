"""A profile in one command: robots that nobody here has described, with and without a log of them."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

import needs
import numpy as np
import pytest
from command_line import ROOT, refused, run, text

PLANAR = ROOT / "robots/planar_3r/planar_3r.urdf"
QUADRUPED = ROOT / "tests/support/quadruped.urdf"

# file, base, {frame: kind}
OWN = {
    "panda": ("robots/panda/panda.urdf", "fixed", {"panda_hand_tcp": "hand"}),
    "ur5e_2f85": ("robots/ur5e_2f85/ur5e_2f85.urdf", "fixed", {"pinch": "tool"}),
    "h1_2": ("robots/h1_2/h1_2.urdf", "floating", {
        "left_ankle_roll_link": "foot", "right_ankle_roll_link": "foot", "left_wrist_yaw_link": "hand", "right_wrist_yaw_link": "hand"}),
    "quadruped": ("tests/support/quadruped.urdf", "floating", {f"{end}_{side}_foot": "foot" for end in ("front", "hind") for side in ("left", "right")}),
}
FEET = {"FL_foot": "foot", "FR_foot": "foot", "RL_foot": "foot", "RR_foot": "foot"}
EXAMPLES = {  # of example-robot-data
    "panda": ("panda_description/urdf/panda.urdf", "fixed", {"panda_hand_tcp": "hand"}),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed", {"tool0": "tool"}),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "fixed", {"link_eef": "tool"}),
    "kinova": ("kinova_description/robots/kinova.urdf", "fixed", {"j2s6s200_end_effector": "tool"}),
    "so101": ("so_arm_description/urdf/so101.urdf", "fixed", {"gripper_link": "tool"}),
    "talos": ("talos_data/robots/talos_reduced.urdf", "floating", {
        "left_sole_link": "foot", "right_sole_link": "foot", "gripper_left_base_link": "hand", "gripper_right_base_link": "hand"}),
    "g1": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", "floating", {
        "left_ankle_roll_link": "foot", "right_ankle_roll_link": "foot", "left_hand_palm_link": "hand", "right_hand_palm_link": "hand"}),
    "icub": ("icub_description/robots/icub.urdf", "floating", {"l_sole": "foot", "r_sole": "foot", "l_hand": "hand", "r_hand": "hand"}),
    "romeo": ("romeo_description/urdf/romeo_small.urdf", "floating", {
        "l_sole": "foot", "r_sole": "foot", "l_gripper": "hand", "r_gripper": "hand"}),
    "simple_humanoid": ("simple_humanoid_description/urdf/simple_humanoid.urdf", "floating", {
        "l_ankle": "foot", "r_ankle": "foot", "l_wrist": "hand", "r_wrist": "hand"}),
    "solo12": ("solo_description/robots/solo12.urdf", "floating", {k: "foot" for k in ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")}),
    "go2": ("go2_description/urdf/go2.urdf", "floating", FEET),
    "anymal_c": ("anymal_c_simple_description/urdf/anymal.urdf", "floating", {k: "foot" for k in ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")}),
    "b1_z1": ("b1_description/urdf/b1-z1.urdf", "floating", {**FEET, "gripperStator": "tool"}),
    "tiago": ("tiago_description/robots/tiago.urdf", "floating", {"hand_grasping_frame": "hand"}),
    "allegro": ("allegro_hand_description/urdf/allegro_left_hand.urdf", "fixed", {f"link_{i}.0_tip": "hand" for i in (3, 7, 11, 15)}),
}


def written(tmp_path, model, *more, name="profile.toml"):
    done = run("robot", model, "--write", tmp_path / name, *more)
    assert done.returncode == 0, text(done.stderr)
    return tomllib.loads((tmp_path / name).read_text(encoding="utf-8"))


def endpoints(profile):
    return {e["frame"]: e["kind"] for e in profile.get("endpoints", [])}


@pytest.mark.parametrize("name", OWN)
def test_robots_of_the_repository(name, tmp_path):
    file, base, frames = OWN[name]
    check_profile(shutil.copy(ROOT / file, tmp_path), base, frames, tmp_path)  # without the profile next to it


def test_example_robots(tmp_path):
    """Third-party robots get their profile, and every command answers or refuses in one line."""
    needs.example_robot()
    for name, (file, base, frames) in EXAMPLES.items():
        (tmp_path / name).mkdir()
        check_profile(needs.example_robot(file), base, frames, tmp_path / name)
    for word in [""] if os.environ.get("ANTAEUS_SOAK") else ["finger_edu", "human.urdf", "a1.urdf", "so101"]:
        words = [sys.executable, ROOT / "tools/strangers_table.py", needs.example_robot(), "--cli", os.environ["ANTAEUS_CLI"], "--only", word]
        done = subprocess.run(words, capture_output=True, text=True, timeout=3000 if not word else 120, check=False)
        assert done.returncode == 0, (word, done.stderr)
        assert "does not load" not in done.stdout or not word, word


def check_profile(model, base, frames, tmp_path):
    profile = written(tmp_path, model)
    assert profile["base"] == base, model
    assert endpoints(profile) == frames, model
    groups = {g["name"] for g in profile["groups"]}
    assert all(e["group"] in groups for e in profile["endpoints"])
    assert len({j for g in profile["groups"] for j in g["joints"]}) == len(profile["motors"])
    shown = run("robot", tmp_path / "profile.toml", "--json", "--out", tmp_path / "page")
    told = json.loads(shown.stdout)
    assert [e["frame"] for e in told["endpoints"]] == list(endpoints(profile)) and len(told["motors"]) == len(profile["motors"])
    file_text = (tmp_path / "profile.toml").read_text(encoding="utf-8")
    page = re.sub(r"<script.*?</script>|<style.*?</style>", "", (tmp_path / "page/report.html").read_text(encoding="utf-8"), flags=re.S)
    if "foot" not in frames.values():
        assert "foot" not in file_text.replace("base_footprint", "") and "foot" not in page.replace("base_footprint", "")
        assert "foot_force_limit" not in text(run("robot", tmp_path / "profile.toml").stdout)
    assert "On one foot" not in page


# --- A log of it --------------------------------------------------------------------------------------------------------


def csv_of(path, names, patterns, base, rate=200, steps=600):
    """Positions, velocities and torques in sines; patterns: three of {j} (the name) or {i}."""
    time = np.arange(steps) / rate
    columns, heads = [time], ["time"]
    for pattern, size in zip(patterns, (0.2, 0.4, 3.0)):
        for i, name in enumerate(names):
            heads.append(pattern.format(j=name, i=i))
            columns.append(size * np.sin((1 + 0.3 * i) * time) + (base[i] if pattern == patterns[0] else 0))
    path.write_text(",".join(heads) + "\n" + "\n".join(",".join(f"{v:.9g}" for v in row) for row in zip(*columns)) + "\n")
    return path


ARM = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
UR5E = ROOT / "robots/ur5e/ur5e.urdf"
PATTERNS = [("{j}.pos", "{j}.vel", "{j}.effort"), ("position_{j}", "velocity_{j}", "effort_{j}"),
            ("{j}_measured_angle", "{j}_speed", "{j}_load"), ("qpos_{i}", "dq_{i}", "tau_{i}"), ("q.{j}", "qd.{j}", "tau.{j}")]


@pytest.mark.parametrize("patterns", PATTERNS)
@pytest.mark.parametrize("order", [1, -1])
def test_a_log_loads_through_its_profile_without_an_option(tmp_path, patterns, order):
    log = csv_of(tmp_path / "run.csv", ARM[::order], patterns, np.zeros(6))
    profile = written(tmp_path, UR5E, "--log", log)
    assert profile["motors"] == (ARM if "{i}" in patterns[0] else ARM[::order])
    done = run("estimate", log, "--robot", tmp_path / "profile.toml", "--json", cwd=tmp_path)
    assert done.returncode in (0, 1), text(done.stderr)
    assert "200 Hz" in (tmp_path / "profile.toml").read_text(encoding="utf-8")
    antaeus = needs.package("antaeus")
    loaded = antaeus.load_episode(log, antaeus.load_robot(tmp_path / "profile.toml"))
    assert loaded.q.shape == loaded.v.shape == loaded.tau.shape == (600, 6)
    np.testing.assert_allclose(loaded.tau[:, 0], 3.0 * np.sin(loaded.time), atol=1e-6)


def test_motors_that_are_not_logged_are_locked_and_said(tmp_path):
    log = csv_of(tmp_path / "some.csv", ARM[:4], PATTERNS[1], np.zeros(4))
    profile = written(tmp_path, UR5E, "--log", log)
    assert profile["motors"] == ARM[:4]
    assert "Not in the log; locked at zero: wrist_2_joint, wrist_3_joint." in (tmp_path / "profile.toml").read_text(encoding="utf-8")
    assert run("check", log, "--robot", tmp_path / "profile.toml", "--json").returncode in (0, 1)


def test_names_that_match_no_joint_are_refused(tmp_path):
    log = csv_of(tmp_path / "other.csv", ["left", "middle", "right"], PATTERNS[1], np.zeros(3))
    assert "match no joint of the ur5e" in refused("robot", UR5E, "--write", tmp_path / "p.toml", "--log", log)
    assert not (tmp_path / "p.toml").exists()


def test_columns_by_order_are_marked(tmp_path):
    log = csv_of(tmp_path / "axes.csv", [f"axis{c}" for c in "ABCDEF"], PATTERNS[1], np.zeros(6))
    profile = written(tmp_path, UR5E, "--log", log)
    assert profile["motors"] == ARM and profile["motor_labels"] == [f"axis{c}" for c in "ABCDEF"]
    assert "# guessed: no column of the log is named after a joint" in (tmp_path / "profile.toml").read_text(encoding="utf-8")


# --- The file -----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_there_stays(tmp_path):
    file = tmp_path / "profile.toml"
    file.write_text("mine")
    assert refused("robot", PLANAR, "--write", file) == f"antaeus: --write: '{file}' exists already; name another file, or replace it by --force"
    assert file.read_text() == "mine"
    written(tmp_path, PLANAR, "--force")
    assert "schema = 1" in file.read_text(encoding="utf-8")


def test_what_is_refused_leaves_nothing(tmp_path):
    assert "does not end in .toml" in refused("robot", PLANAR, "--write", tmp_path / "profile.txt")
    assert "it is for --write alone" in refused("robot", PLANAR, "--log", tmp_path)
    assert "no robot is named" in refused("robot", "--write", tmp_path / "p.toml")
    refused("robot", PLANAR, "--write", tmp_path / "p.toml", "--log", tmp_path / "none.csv")
    assert not list(tmp_path.iterdir())


def test_the_folder_is_made_and_the_model_is_found_from_there(tmp_path):
    profile = written(tmp_path, QUADRUPED, name="deep/er/dog.toml")
    assert not pathlib.Path(profile["model"]).is_absolute()
    told = json.loads(run("robot", tmp_path / "deep/er/dog.toml", "--json").stdout)
    assert told["base"] == "free_flyer" and told["base_source"] == "profile"


def test_facts_as_json(tmp_path):
    told = json.loads(run("robot", QUADRUPED, "--write", tmp_path / "p.toml", "--json").stdout)
    assert [e["kind"] for e in told["endpoints"] if e["chosen"]] == ["foot"] * 4 and told["base"] == "free_flyer"


def test_loops_and_broken_files_are_one_line(tmp_path):
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    joint = '<joint name="{0}{1}" type="revolute"><parent link="{0}"/><child link="{1}"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    loop = tmp_path / "loop.urdf"
    loop.write_text("<robot name='l'>" + "".join(map(link.format, "abc")) + joint.format("a", "b") + joint.format("b", "c") + joint.format("c", "b") + "</robot>")
    refused("robot", loop, "--write", tmp_path / "p.toml")
    assert not (tmp_path / "p.toml").exists()


def test_an_mjcf_is_a_profile_s_model(tmp_path):
    model = tmp_path / "own.xml"
    model.write_text("""<mujoco model="own"><compiler angle="radian"/><worldbody><body name="foundation"><geom type="box" size=".1 .1 .1" mass="3"/>
      <body name="seg1" pos="0 0 .2"><joint name="ax1" axis="0 0 1" range="-3 3" armature=".1"/><geom type="box" size=".1 .1 .1" mass="2"/>
      <body name="seg2" pos="0 0 .3"><joint name="ax2" axis="0 1 0" range="-2 2"/><geom type="box" size=".1 .1 .1" mass="1"/>
      <body name="tool" pos=".2 0 0"><geom type="sphere" size=".02" mass=".1"/></body></body></body></body></worldbody>
      <actuator><motor name="m1" joint="ax1"/><motor name="m2" joint="ax2"/></actuator></mujoco>""")
    first = run("robot", model)
    if first.returncode != 0 and ("not built" in text(first.stderr) or "cannot be loaded" in text(first.stderr)):
        needs.skip("the component studies is not built", "make studies")
    profile = written(tmp_path, model)
    assert profile["model"] == "own.xml" and profile["motors"] == ["ax1", "ax2"] and endpoints(profile) == {"tool": "tool"}
    bare, told = (json.loads(run("robot", each, "--json").stdout) for each in (model, tmp_path / "profile.toml"))
    assert bare["total_mass_kg"] == told["total_mass_kg"] and told["nv"] == 2
    done = run("preflight", "--robot", tmp_path / "profile.toml", "--pose", "middle")
    assert done.returncode in (0, 1), text(done.stderr)
    (tmp_path / "gone.toml").write_text((tmp_path / "profile.toml").read_text(encoding="utf-8").replace("own.xml", "none.xml"), encoding="utf-8")
    assert "missing file" in refused("robot", tmp_path / "gone.toml")


# --- What is shown ------------------------------------------------------------------------------------------------------


def test_sliding_joints_are_in_metres_and_newtons(tmp_path):
    slide = tmp_path / "slide.urdf"
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    slide.write_text(f"""<robot name="slide"><link name="rail">{inertia}</link><link name="car">{inertia}</link><link name="rod">{inertia}</link>
      <joint name="run" type="prismatic"><parent link="rail"/><child link="car"/><axis xyz="1 0 0"/><limit lower="0" upper="0.5" effort="200" velocity="1"/></joint>
      <joint name="swing" type="revolute"><parent link="car"/><child link="rod"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint></robot>""")
    rows = {line.split()[1]: line.split() for line in text(run("robot", slide).stdout).splitlines() if re.match(r"\s+\d+\s", line)}
    assert rows["run"][3:] == ["0.000", "0.500", "m", "200", "2.00", "5.00", "N", "effort"]
    assert rows["swing"][5] == "rad" and rows["swing"][9] == "N·m"
    assert run("robot", slide, "--out", tmp_path / "out").returncode == 0
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    page = page.replace("\u00a0", " ")
    assert "0.000 to 0.500 m<" in page and "−1.000 to 1.000 rad<" in page and "200 N<" in page
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["report.html", "summary.json"]
    assert json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))["joints"][0]["name"] == "run"


def test_what_is_missing_is_said(tmp_path):
    told = text(run("robot", QUADRUPED).stdout)
    assert "Missing in the description" in told and "from tree and names" in told


@pytest.mark.parametrize("letters", [1, 37, 90])
def test_commands_and_files_to_copy_stand_on_one_line(tmp_path, letters):
    """However long the path is, and with what a shell would take apart."""
    folder = tmp_path / ("a ü" + "x" * letters)
    folder.mkdir()
    model = shutil.copy(PLANAR, folder)
    shown = text(run("robot", model).stdout)
    assert f"    antaeus robot {shlex.quote(str(model))} --write profile.toml\n" in shown
    wrote = run("robot", model, "--write", folder / "p.toml")
    assert wrote.returncode == 0 and f"--robot {shlex.quote(str(folder / 'p.toml'))};" in text(wrote.stdout)
