"""Robots that nobody has written a profile for: what a new user gets without asking, and what each verb says of it."""

import json
import re

import pytest
from command_line import ROOT, prose, refused, run, text

PLANAR = ROOT / "robots" / "planar_3r" / "planar_3r.urdf"
QUADRUPED = ROOT / "tests/support/quadruped.urdf"
ARM = ("--robot", PLANAR, "-e", "tool")
BENT = ("--positions", "joint_1=0.5,joint_2=1.5")


# --- base ---------------------------------------------------------------------------------------------------------------

VERBS = {
    "robot": ("robot", PLANAR),
    "preflight": ("preflight", *ARM, *BENT),
    "advise": ("advise", *ARM, *BENT, "--limit", "kappa=1000"),
    "map": ("map", *ARM, *BENT, "-j", "joint_1", "-j", "joint_2", "--steps", "3"),
    "poses": ("map", "--robot", "planar_3r", "-e", "tool", "--poses", "bent"),
    "estimate": ("estimate", "EPISODE", *ARM),
    "audit": ("audit", "EPISODE", *ARM),
}


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_says_which_base_and_who_chose_it(verb, small, tmp_path):
    arguments = [small if a == "EPISODE" else a for a in VERBS[verb]]
    chosen = ("fixed (one limb; --base floating otherwise)", "limbs") if verb != "poses" else ("fixed (the profile's)", "profile")
    for option, base, (told, source) in [((), "fixed", chosen), (("--base", "fixed"), "fixed", ("fixed (--base)", "option")),
                                         (("--base", "floating"), "free_flyer", ("floating (--base)", "option"))]:
        done = run(*arguments, *option, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        assert f"base: {told}" in prose(done.stdout)
        report = json.loads(run(*arguments, *option, "--json", cwd=tmp_path).stdout)
        report = report["robot"] if verb == "audit" else report
        assert (report["base"], report["base_source"]) == (base, source)


def test_an_audit_with_another_base_names_it_in_its_command(small, tmp_path):
    told = json.loads(run("audit", small, *ARM, "--base", "floating", "--json", cwd=tmp_path).stdout)
    assert "--base floating" in told["command"]
    assert "--base" not in json.loads(run("audit", small, *ARM, "--json", cwd=tmp_path).stdout)["command"]


def test_a_quadruped_floats():
    assert "base: floating (4 limbs; --base fixed otherwise)" in prose(run("robot", QUADRUPED, "--ignore-meshes").stdout)
    told = json.loads(run("robot", QUADRUPED, "--ignore-meshes", "--base", "fixed", "--json").stdout)
    assert told["limbs"] == 4 and told["nv"] == 12


def test_no_such_base():
    for verb in VERBS:
        if verb in ("estimate", "audit"):
            continue
        assert refused(*VERBS[verb], "--base", "fixd") == "antaeus: --base: unknown base 'fixd'; did you mean 'fixed'?"


# --- singular poses -----------------------------------------------------------------------------------------------------

def test_preflight_refuses_a_singular_pose_and_says_what_is_lost():
    done = run("preflight", *ARM, "--positions", "joint_1=0.5")
    story = prose(done.stdout)
    assert done.returncode == 1 and "REFUSED" in story and "no torque depends on the force (0.88, 0.48, 0.00) N" in story
    assert "inf" not in story and "nan" not in story
    report = json.loads(run("preflight", *ARM, "--positions", "joint_1=0.5", "--json").stdout)
    check = report["checks"][-1]
    assert check["check"] == "conditioning" and check["value"] is None and check["limit"] == 14 and not check["passed"]
    near = prose(run("preflight", *ARM, "--positions", "joint_1=0.5,joint_2=0.1").stdout)
    assert "is nearly singular here: torques that are each off by one sd (moving) read as" in near
    assert run("preflight", *ARM, *BENT).returncode == 0


def test_what_advise_finds_for_the_preflight_passes_it():
    told = json.loads(run("advise", *ARM, "--positions", "joint_1=0.5", "--limits", "preflight", "--json").stdout)
    pose = told["advice"][0]
    assert pose["found"] and not pose["satisfied"] and pose["endpoints"][0]["now"]["error_force"] is None
    positions = ",".join(f"joint_{i + 1}={q!r}" for i, q in enumerate(pose["positions_rad"]))
    assert run("preflight", *ARM, "--positions", positions).returncode == 0
    story = text(run("advise", *ARM, "--positions", "joint_1=0.5", "--limits", "preflight").stdout)
    assert "∞" in story and "inf" not in story


def test_several_reference_joints_are_named(tmp_path):
    folder = ROOT / "robots" / "h1_2"
    profile = (folder / "profile.toml").read_text("utf-8").replace('model = "h1_2.urdf"', f'model = "{folder}/h1_2.urdf"')
    (tmp_path / "p.toml").write_text(profile.replace("[preflight]\n", '[preflight]\ngain_joints = ["torso_joint", "left_shoulder_pitch_joint"]\n'))
    done = run("preflight", "--robot", tmp_path / "p.toml", "--pose", "zero", "--json")
    checks = [(c["joint"], c["subject"][:4]) for c in json.loads(done.stdout)["checks"] if c["check"] == "gain"]
    assert checks == [("torso_joint", "left"), ("left_shoulder_pitch_joint", "left"), ("torso_joint", "righ")]
    assert "gain N/(N·m) of left_shoulder_pitch_joint" in prose(run("preflight", "--robot", tmp_path / "p.toml", "--pose", "zero").stdout)


# --- names and sizes ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, line", [
    (("preflight", "--pose", "zer"), "--pose: unknown pose 'zer'; did you mean 'zero'?"),
    (("preflight", "--pose", "zero", "-e", "left wrst"), "--endpoint: unknown endpoint or frame 'left wrst'; did you mean 'left wrist'?"),
    (("preflight", "--pose", "zero", "-e", "imu_lnk"), "--endpoint: unknown endpoint or frame 'imu_lnk'; did you mean 'imu_link'?"),
    (("preflight", "--pose", "zero", "-e", "left wrist", "-e", "left_wrist_yaw_link"), "--endpoint: endpoint 'left_wrist_yaw_link' is named twice; remove one"),
    (("preflight", "--positions", "left_elbow_jont=1"), "--positions: unknown motor joint 'left_elbow_jont'; did you mean 'left_elbow_joint'?"),
    (("preflight", "--positions", "left_elbow_joint=1,left_elbow_joint=2"), "--positions: joint 'left_elbow_joint' is given twice; remove one"),
    (("preflight", "--positions", "left_elbow_joint=nan"), "--positions: 'left_elbow_joint=nan' is not a position; write joint=radians,joint=radians"),
    (("advise", "--pose", "zero", "-j", "left_elbow_jont"), "--joint: unknown motor joint 'left_elbow_jont'; did you mean 'left_elbow_joint'?"),
    (("map", "--pose", "zero", "-j", "left_elbow_jont", "-j", "torso_joint"), "--joint: unknown motor joint 'left_elbow_jont'; did you mean 'left_elbow_joint'?"),
    (("map", "--poses", "zer"), "--poses: unknown pose 'zer'; did you mean 'zero'?"),
])
def test_a_misspelt_name_is_blamed_on_its_option(arguments, line):
    assert refused(*arguments, "--robot", "h1_2") == f"antaeus: {line}"


def test_a_pose_that_the_robot_does_not_have():
    assert refused("preflight", *ARM, "--pose", "home") == "antaeus: --pose: unknown pose 'home'; valid: zero, middle"


def test_a_misspelt_endpoint_of_a_log(small):
    for verb in ("audit", "estimate"):
        assert refused(verb, small, "--robot", "planar_3r", "-e", "tol") == "antaeus: --endpoint: unknown endpoint or frame 'tol'; did you mean 'tool'?"


# --- numbers ------------------------------------------------------------------------------------------------------------

def test_numbers_are_written_as_people_write_them(small, tmp_path):
    """Over the straight arm and through it: no inf, nan, -0.0, exponent or long run of digits in any table."""
    straight = ("--positions", "joint_1=0.5")
    for arguments in [("preflight", *ARM, *straight), ("advise", *ARM, *straight, "--limit", "kappa=1000"),
                      ("map", *ARM, *straight, "-j", "joint_1", "-j", "joint_2", "--steps", "3"), ("estimate", small, *ARM)]:
        story = text(run(*arguments, cwd=tmp_path).stdout)
        assert not re.search(r"\b(inf|nan)\b|-0\.0+\b|\d[eE][+-]?\d|\d{9}", story), story
    assert re.search(r"∞\s+∞", text(run("preflight", *ARM, *straight).stdout))


# --- what a limb cannot sense -------------------------------------------------------------------------------------------

SENSES = "tool: senses x and y of the base; z not, by its build"


def test_what_a_limb_cannot_sense_is_said_by_each_verb(small, tmp_path):
    assert SENSES in prose(run("robot", PLANAR, "-e", "tool").stdout)
    assert json.loads(run("robot", PLANAR, "-e", "tool", "--json").stdout)["senses"] == [SENSES]
    assert json.loads(run("robot", "ur5e", "--json").stdout)["senses"] == []
    assert SENSES in prose(run("estimate", small, *ARM, cwd=tmp_path).stdout)
    told = json.loads(run("estimate", small, *ARM, "--json", cwd=tmp_path).stdout)
    assert SENSES in told["notes"]
    assert {row["worst_z"] for row in told["rows"] if row["worst_z"] is not None} == {0.0}, "the worst of what it senses"
    assert not any(row["observable_directions"] == 3 for row in told["rows"])
    assert "senses x and y of the base; z not, by its build" in prose(run("preflight", *ARM, *BENT).stdout)
    run("audit", small, *ARM, "--out", tmp_path / "audit")
    assert "senses x and y of the base; z not, by its build" in (tmp_path / "audit/report.html").read_text()


def test_a_consumer_that_needs_what_a_limb_cannot_sense_is_refused(small, tmp_path):
    def verdicts(want):
        told = json.loads(run("estimate", small, *ARM, "--set", f"posterior.want={want}", "--json", cwd=tmp_path).stdout)
        return told["notes"], [(row["verdict"], row["reasons"].split()) for row in told["rows"]]

    notes, rows = verdicts("z")
    assert any("posterior.want=z needs what it does not sense: every number is refused" in note for note in notes)
    assert rows and all(verdict in ("refused", "unobservable") and "insensible_direction" in reasons for verdict, reasons in rows)
    notes, rows = verdicts("xy")
    assert any("posterior.want=xy: its verdicts are of these axes of the base" in note for note in notes)
    assert rows and not any("insensible_direction" in reasons for _, reasons in rows)
