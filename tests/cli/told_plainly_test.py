"""What a new user mistypes is told in words, and what is not in a log or a robot is named."""

import json
import re

import numpy as np
import pytest
from conftest import run

UR5E = ("--robot", "ur5e", "-e", "tool0")


def told(*arguments):
    done = run(*arguments)
    assert done.returncode == 2, done.stdout
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A UR5e at 200 Hz for two seconds, moving."""
    return write_log(tmp_path_factory.mktemp("log") / "log.npz", 6, 200)


def write_log(file, motors, rate, **more):
    time = np.arange(2 * rate) / rate
    angle = np.sin(2 * time)[:, None] * np.linspace(0.1, 0.3, motors)
    np.savez(file, time=time, qpos=angle - 0.5, dq=2 * np.cos(2 * time)[:, None] * np.linspace(0.1, 0.3, motors),
             tau=np.random.default_rng(3).normal(0, 1, (time.size, motors)), **{n: make(time) for n, make in more.items()})
    return file


@pytest.mark.parametrize("value", ["-1", "1.5", "x"])
def test_a_step_is_a_whole_number(log, value):
    line = told("estimate", log, *UR5E, f"--step={value}")
    assert "give 0 or more, a whole number" in line and len(line) < 200, line


def test_a_smoothing_time_is_positive(log):
    line = told("estimate", log, *UR5E, "--smooth=-1")
    assert "give seconds, above 0" in line and len(line) < 200, line


@pytest.mark.parametrize(("cut", "words"), [(("--from", "500"), "no step from 500 s on"),
                                            (("--from", "500", "--to", "600"), "no step between 500 s and 600 s")])
def test_a_cut_that_holds_nothing_says_what_was_asked(log, cut, words):
    line = told("audit", log, *UR5E, *cut, "--set", "episode.require_target=false")
    assert words in line and "the log runs from 0 s to 1.995 s" in line and "-1 s" not in line, line


def test_a_verb_names_only_options_that_it_has():
    line = told("map", *UR5E, "-j", "elbow_joint", "-j", "wrist_1_joint")
    assert line.endswith("give one of --pose, --positions"), line
    assert told("preflight", *UR5E).endswith("give one of --pose, --positions, --episode")


def test_an_option_given_twice_is_named():
    assert "--robot is given twice; give it once" in told("preflight", "-r", "ur5e", "-r", "panda", "--pose", "ready")


def test_an_option_before_the_verb_is_named():
    line = told("--robot", "ur5e", "audit", "x")
    assert "'--robot' comes before the command; write antaeus audit first, then --robot" in line, line


@pytest.mark.parametrize("name", ["x.xlsx", "x.json", "x.CSV.gz"])
def test_a_table_of_an_unknown_ending_is_refused(log, tmp_path, name):
    line = told("estimate", log, *UR5E, "--out", tmp_path / name)
    assert ".csv or .parquet" in line and not (tmp_path / name).exists(), line


def notes_of(*arguments):
    text = re.sub(r"\s+", " ", run(*arguments).stdout.decode())
    return text, json.loads(run(*arguments, "--json").stdout).get("notes", [])


@pytest.mark.parametrize("verb", [("preflight",), ("advise",), ("map", "-j", "wrist_1_joint", "-j", "wrist_2_joint", "--steps", "3")])
def test_positions_outside_their_limits_are_told(verb, tmp_path):
    more = ("--out", tmp_path / "m") if verb[0] == "map" else ()
    text, notes = notes_of(*verb, *UR5E, *more, "--positions", "elbow_joint=90")
    note = next(n for n in notes if n.startswith("elbow_joint"))
    for words in ("is 86.9 rad outside its limits of -3.142 to 3.142 rad", "radians are expected",
                  "90 looks like degrees: elbow_joint=1.571"):
        assert words in note and words in text, (note, text)
    assert not notes_of(*verb, *UR5E, *more, "--positions", "elbow_joint=1.571")[1]


def test_joints_that_may_not_be_at_zero_stand_as_near_as_they_may():
    """The Panda's fourth joint ends at −0.07 rad."""
    given = ("preflight", "--robot", "panda", "-e", "panda_hand", "--positions")
    text, notes = notes_of(*given, "panda_joint6=1.5")
    assert notes == ["panda_joint4 is not named and may not be at zero: it stands at -0.0698, the nearest that its limits allow"]
    assert notes[0] in text
    explicit = json.loads(run(*given, "panda_joint6=1.5,panda_joint4=-0.0698", "--json").stdout)
    implied = json.loads(run(*given, "panda_joint6=1.5", "--json").stdout)
    implied.pop("notes"), implied.pop("note_details")
    assert implied == explicit


# Why a residual is static -------------------------------------------------------------------------------------------


BIPED = """<robot name="biped"><link name="pelvis"><inertial><mass value="10"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial></link>{legs}</robot>"""
LEG = """<link name="{side}_leg"><inertial><origin xyz="0 0 -0.2"/><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="{side}_hip" type="revolute"><parent link="pelvis"/><child link="{side}_leg"/>
<origin xyz="0 {y} 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="80" velocity="10"/></joint>"""


def still(numbers):
    return lambda time: np.tile(numbers, (time.size, 1))


GYRO = {"imu_quat_xyzw": still([0.0, 0.0, 0.0, 1.0]), "imu_gyro": still([0.0, 0.0, 0.0])}
IMU = {**GYRO, "imu_acc": still([0.0, 0.0, 9.81])}


ON_ITS_AXIS = "left_leg: senses no force, by its build"  # the frame's origin lies on the hip's axis


@pytest.fixture(scope="module")
def biped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("biped")
    urdf = BIPED.format(legs=LEG.format(side="left", y=0.1) + LEG.format(side="right", y=-0.1))
    (folder / "biped.urdf").write_text(urdf)
    return folder / "biped.urdf"


@pytest.mark.parametrize(("rate", "channels", "words"), [
    (200, {}, ["a gyro", "an accelerometer", '[imu] frame = "pelvis"']),
    (200, GYRO, ["missing: an accelerometer", '[imu] frame = "pelvis"']),
    (200, IMU, ['missing: [imu] frame = "pelvis"']),
])
def test_what_the_dynamic_residual_needs_is_named(biped, tmp_path, rate, channels, words):
    file = write_log(tmp_path / "log.npz", 2, rate, **channels)
    robot = ("--robot", biped, "-e", "left_leg")
    text, notes = notes_of("estimate", file, *robot)
    assert len(notes) == 2 and all(word in notes[0] for word in [*words, "the base of biped floats"]), notes
    assert notes[1] == ON_ITS_AXIS
    assert notes[0] in text
    lax = ("--set", "episode.require_target=false")
    summary = json.loads(run("audit", file, *robot, *lax, "--json").stdout)
    assert notes[0] in json.dumps(summary, ensure_ascii=False).replace('\\"', '"')
    assert notes_of("estimate", file, *robot, "--set", "residual.kind=static")[1] == [ON_ITS_AXIS]


def test_with_the_frame_of_the_imu_nothing_is_missing(biped, tmp_path):
    (tmp_path / "profile.toml").write_text(f'schema = 1\nname = "biped"\nmodel = "{biped}"\nmotors = ["left_hip", "right_hip"]\nmotor_labels = ["left", "right"]\n\n[imu]\nframe = "pelvis"\n')
    file = write_log(tmp_path / "log.npz", 2, 200, **IMU)
    text, notes = notes_of("estimate", file, "--robot", tmp_path / "profile.toml", "-e", "left_leg")
    assert notes == [ON_ITS_AXIS] and "inverse_dynamics residual" in text, (text, notes)


def test_a_rate_that_is_too_low_is_said(tmp_path):
    text, notes = notes_of("estimate", write_log(tmp_path / "log.npz", 6, 125), *UR5E)
    assert len(notes) == 1 and "125 Hz, 200 are required" in notes[0] and notes[0] in text, (text, notes)
    assert not notes_of("estimate", write_log(tmp_path / "fast.npz", 6, 200), *UR5E)[1]


# Meshes --------------------------------------------------------------------------------------------------------------


def test_meshes_are_optional_everywhere(biped, tmp_path):
    visual = '<link name="pelvis"><visual><geometry><mesh filename="package://nowhere/pelvis.stl"/></geometry></visual>'
    urdf = tmp_path / "meshed.urdf"
    urdf.write_text(biped.read_text().replace('<link name="pelvis">', visual))
    file, robot = write_log(tmp_path / "log.npz", 2, 200), ("--robot", urdf, "-e", "left_leg")
    lax = ("--set", "episode.require_target=false")
    done = run("audit", file, *robot, *lax, "--out", tmp_path / "audit")
    assert done.returncode in (0, 1) and done.stderr == b"", done.stderr
    page = (tmp_path / "audit" / "report.html").read_text()
    assert page.count("1 mesh is not at hand") == 1
    for verb in (("estimate", file, *robot), ("robot", urdf), ("robot", urdf, "--ignore-meshes")):
        done = run(*verb)
        assert done.returncode == 0 and done.stderr == b"", done.stderr
    required = run("audit", file, *robot, *lax, "--meshes", "--out", tmp_path / "none")
    assert required.returncode == 2 and b"pelvis.stl" in required.stderr


# Small words ---------------------------------------------------------------------------------------------------------


def test_no_number_stands_for_infinity(biped, tmp_path):
    """A leg of one joint shows one direction; of the pelvis no joint tells anything, and κ is infinite in every pose."""
    told = json.loads(run("map", "--robot", biped, "-e", "left_leg", "-e", "right_leg", "-e", "pelvis", "-j", "left_hip", "-j", "right_hip", "--steps", "3",
                          "--positions", "left_hip=0.1", "--json").stdout)
    spans = {q["endpoint"]: (q["minimum"], q["maximum"]) for q in told["quantities"] if q["quantity"] == "kappa"}
    assert spans == {"left_leg": (1, 1), "right_leg": (1, 1), "pelvis": (None, None)} and "1e+300" not in json.dumps(told)


@pytest.mark.parametrize(("robot", "shown"), [("ur5e", False), ("panda", False), ("h1_2", True)])
def test_foot_words_are_shown_where_a_foot_is_an_endpoint(robot, shown):
    done = run("robot", robot)
    assert done.returncode == 0 and (b"foot_force_limit" in done.stdout) is shown
