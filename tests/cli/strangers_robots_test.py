"""What robots of others brought to light, each on a robot that the test writes itself."""

import json

import needs
import numpy as np
import pytest
from command_line import prose, refused, run, text

BODY = '<inertial><origin xyz="0 0 -0.1"/><mass value="{}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'


def joint(name, parent, child, axis="0 1 0", offset="0 0 -0.25", lower=-2.0, upper=2.0, effort=30, kind="revolute", mass=1.0):
    body = BODY.format(mass) if mass else ""
    return (f'<link name="{child}">{body}</link><joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{offset}"/><axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="5"/></joint>')


def fixed(parent, child, offset="0 0 -0.25"):
    return (f'<link name="{child}"/><joint name="{child}_weld" type="fixed"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{offset}"/></joint>')


def leg(name, x, y):
    return (joint(f"{name}_hip", "trunk", f"{name}_hip_link", "1 0 0", f"{x} {y} 0", -0.8, 0.8) +
            joint(f"{name}_thigh", f"{name}_hip_link", f"{name}_upper", "0 1 0", "0 0.08 0", -1, 3) +
            joint(f"{name}_knee", f"{name}_upper", f"{name}_lower", "0 1 0", "0 0 -0.25", -2.7, -0.9, mass=0.3) + fixed(f"{name}_lower", f"{name}_foot"))


def write(folder, name, *parts, root="trunk", mass=10):
    path = folder / f"{name}.urdf"
    path.write_text(f'<robot name="{name}"><link name="{root}">{BODY.format(mass)}</link>{"".join(parts)}</robot>')
    return path


@pytest.fixture
def quadruped(tmp_path):
    return write(tmp_path, "quad", *(leg(n, x, y) for n, x, y in [("fl", 0.2, 0.1), ("fr", 0.2, -0.1), ("rl", -0.2, 0.1), ("rr", -0.2, -0.1)]))


def answer(*words):
    done = run(*words, "--json")
    assert done.returncode in (0, 1), text(done.stderr)
    return json.loads(done.stdout)


# --- κ and what no pose can pass -----------------------------------------------------------------------------------------

def test_kappa_is_over_the_joints_that_move_the_frame(tmp_path):
    arm = joint("a", "base", "l1", "0 0 1", "0 0 0.1") + joint("b", "l1", "l2") + joint("c", "l2", "l3") + joint("d", "l3", "l4", "1 0 0") \
        + joint("e", "l4", "l5", "0 1 0") + fixed("l5", "tool")
    jaw = ("finger", "l5", "jaw", "1 0 0", "0.05 0 0")
    free, held = (write(tmp_path, name, arm, joint(*jaw, kind=kind), root="base") for name, kind in [("free", "revolute"), ("held", "fixed")])
    pose = "a=0.2,b=0.4,c=0.7,d=0.3,e=-0.5"
    kappas = [answer("preflight", "-r", path, "-e", "tool", "--positions", pose)["endpoints"][0]["kappa"] for path in (free, held)]
    assert kappas[0] == pytest.approx(kappas[1], rel=1e-12)
    assert 1 < kappas[0] < 100


def test_a_leg_of_three_joints_gets_advice_and_hears_what_is_left_out(quadruped):
    pose = ("-r", quadruped, "-e", "fl_foot", "--positions", "fl_thigh=0.2,fl_knee=-0.95")
    report = answer("preflight", *pose)
    assert [c["check"] for c in report["checks"]] == ["conditioning"]
    assert any("3 joints' torques" in note and "no pose can show" in note and "3 directions" in note for note in report["notes"]), report["notes"]
    told = answer("advise", *pose)
    for advice in told["advice"]:
        assert advice["found"], advice
    assert told["advice"][0]["limits"][0]["quantity"] == "error_force"
    assert any("sd is left out at fl_foot" in note for note in told["notes"])


def test_a_limit_that_no_pose_passes_is_told(quadruped):
    pose = ("-r", quadruped, "-e", "fl_foot", "--positions", "fl_knee=-1")
    told = answer("advise", *pose, "--limit", "error_force=0.001")
    assert not told["advice"][0]["found"]
    assert any("cannot be had at fl_foot: none of 4096 poses" in note for note in told["notes"]), told["notes"]


def test_a_map_has_no_number_for_infinity(tmp_path):
    # The frame lies on the only axis: its κ is 1, of another frame that nothing moves it is infinite.
    path = write(tmp_path, "two", joint("a", "base", "l1") + joint("b", "l1", "l2", "1 0 0") + fixed("base", "still"), root="base")
    told = answer("map", "-r", path, "-e", "l2", "-e", "still", "--positions", "a=0.1", "-j", "a", "-j", "b", "--steps", "3")
    for row in told["quantities"]:
        for key in ("minimum", "maximum"):
            assert row[key] is None or abs(row[key]) < 1e30, row
    still = [row for row in told["quantities"] if row["endpoint"] == "still" and row["quantity"] == "kappa"]
    assert [(row["minimum"], row["maximum"]) for row in still] == [(None, None)]


# --- joints that slide ---------------------------------------------------------------------------------------------------

@pytest.fixture
def lift(tmp_path):
    arm = joint("column", "base", "l0", "0 0 1", "0 0 0", 0, 0.4, 900000, "prismatic", 5) + joint("a", "l0", "l1", "0 0 1", "0.1 0 0.3") \
        + joint("b", "l1", "l2", "0 1 0", "0.05 0 0", 0.3, 2) + joint("c", "l2", "l3") + fixed("l3", "tool")
    return write(tmp_path, "lift", arm, root="base")


def test_sliding_joints_are_in_metres_and_newtons(lift, tmp_path):
    pose = ("-r", lift, "-e", "tool", "--positions", "column=0.2,a=0.3,c=0.02")
    told = text(run("preflight", *pose).stdout)
    assert "column: an effort limit of 900000 N for a weight of 177 N is not a usable value, and no noise is taken from it" in " ".join(told.split()), told
    assert [line for line in told.splitlines() if line.strip().startswith("column ") and " N " in line], told
    marks = answer("map", *pose, "-j", "column", "-j", "c", "--steps", "3")["marks"]
    assert set(marks[0]) >= {"x_m", "y_rad"} and "x_rad" not in marks[0]
    assert run("map", *pose, "-j", "column", "-j", "c", "--steps", "3", "--out", tmp_path / "map").returncode == 0
    assert "column [m]" in (tmp_path / "map" / "map.svg").read_text()
    advice = answer("advise", *pose, "--limit", "kappa=8")["advice"][0]
    for move in advice["moves"] + advice["alone"]:
        assert ("from_m" in move) == (move["joint"] == "column") and ("from_rad" in move) != ("from_m" in move), move
    if advice["found"]:
        shown = text(run("advise", *pose, "--limit", "kappa=8").stdout)
        assert "unit" in shown and "needs rad" not in shown


# --- positions outside limits --------------------------------------------------------------------------------------------

def test_positions_outside_limits_are_named_and_unnamed_joints_stand_where_they_may(lift, tmp_path):
    for verb, more in [("preflight", ()), ("advise", ("--limit", "kappa=1000")), ("map", ("-j", "b", "-j", "c", "--steps", "3"))]:
        notes = answer(verb, "-r", lift, "-e", "tool", "--positions", "column=3,a=0.1", *more)["notes"]
        assert any(note.startswith("column at 3 m is 2.6 m outside its limits of 0 to 0.4 m") for note in notes), (verb, notes)
        assert verb == "map" or any(note.startswith("b is not named") and "0.3" in note for note in notes), (verb, notes)
    poses = tmp_path / "poses.csv"
    poses.write_text("pose,a,c\nfar,7,0.1\n")
    told = answer("map", "-r", lift, "-e", "tool", "--poses", poses)
    assert any(note.startswith("far: a at 7 rad is 5 rad outside") for note in told["notes"]), told
    assert not any(" b at 0 " in note for note in told["notes"]), "a motor without a column stands where it may"


# --- links without mass --------------------------------------------------------------------------------------------------

def test_a_massless_link_refuses_only_where_the_mass_matrix_is_singular(tmp_path):
    ball = joint("x", "base", "v1", "1 0 0", mass=0) + joint("y", "v1", "v2", "0 1 0", "0 0 0", mass=0) + joint("z", "v2", "upper", "0 0 1", "0 0 0") \
        + joint("elbow", "upper", "lower") + fixed("lower", "hand")
    whole, thumb = write(tmp_path, "ball", ball, root="base"), write(tmp_path, "thumb", ball + joint("thumb", "lower", "tip", mass=0), root="base")
    pose = ("-e", "hand", "--positions", "y=0.4,elbow=0.5")
    assert run("preflight", "-r", whole, *pose).returncode in (0, 1)
    assert "link 'v1' has no mass and moves (joint 'x')" in prose(run("robot", whole).stdout)
    log = tmp_path / "log.csv"
    names = ["x", "y", "z", "elbow", "thumb"]
    rows = np.column_stack([np.arange(40) / 200] + [0.1 * np.sin(np.arange(40) / 20 + i) for i in range(10)])
    np.savetxt(log, rows, delimiter=",", comments="", header=",".join(["time"] + [f"{n}.{c}" for c in ("position", "effort") for n in names]))
    for words in [("robot", thumb), ("ik", "--robot", thumb, "--frame", "hand", "--target", "0.1,0,-0.5", "--position-only"), ("show", log, "--robot", thumb)]:
        done = run(*words, cwd=tmp_path)
        assert done.returncode in (0, 1), text(done.stderr)
    for words in [("preflight", "-r", thumb, *pose), ("estimate", log, "-r", thumb, "-e", "hand"), ("audit", log, "-r", thumb, "-e", "hand")]:
        line = refused(*words, cwd=tmp_path)
        assert "joint 'thumb'" in line and "link 'tip'" in line and "make the joint fixed" in line, line


# --- a motion is a log too -----------------------------------------------------------------------------------------------

def test_show_draws_a_motion_of_contact(quadruped, tmp_path):
    q = np.zeros((50, 19))
    q[:, 2] = 0.4 + 0.01 * np.sin(np.arange(50) / 5)
    q[:, 6] = 1.0
    q[:, 9::3] = -1.0
    np.savez(tmp_path / "still.npz", q=q, dt=0.002)
    done = run("show", tmp_path / "still.npz", "--robot", quadruped, "--out", tmp_path / "shown")
    told = " ".join(text(done.stdout).split())
    assert done.returncode == 0 and "the quad has 12" not in told and "without time" not in told, told
    assert "the first seven are read as the base's pose" in told and "The clock is computed from dt, 0.002 s per row" in told, told
    assert "The base moves by the first seven numbers of q" in (tmp_path / "shown" / "report.html").read_text()


# --- MJCF ----------------------------------------------------------------------------------------------------------------

UNNAMED = """<mujoco><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" range="-90 90"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/><body name="lower" pos="0 0 -0.3"><joint axis="0 1 0" range="-120 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/><body name="hand" pos="0 0 -0.3"><joint name="wrist" axis="0 1 0"/><geom size="0.04"/>
</body></body></body></worldbody><tendon><fixed name="both"><joint joint="shoulder" coef="1"/><joint joint="wrist" coef="-0.5"/></fixed></tendon>
<actuator><motor joint="shoulder" gear="40" ctrllimited="true" ctrlrange="-1 1"/>{}</actuator></mujoco>"""


@pytest.fixture
def mjcf(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(UNNAMED.format('<motor joint="wrist"/><motor tendon="both"/>'))
    done = run("robot", path)
    if b"not built" in done.stderr or b"cannot be loaded" in done.stderr:
        needs.skip("the component studies is not built", "make studies")
    assert done.returncode == 0, text(done.stderr)
    return path


def test_mjcf_wherever_a_robot_is_named(mjcf, tmp_path):
    told = json.loads(run("robot", mjcf, "--json").stdout)
    assert [motor["joint"] for motor in told["motors"]] == ["shoulder", "wrist"]
    assert any("pulls the tendon 'both', and with it shoulder, wrist" in note for note in told["notes"]), told["notes"]
    pose = ("-r", mjcf, "-e", "hand", "--positions", "shoulder=0.4,wrist=0.5")
    for words in [("preflight", *pose), ("advise", *pose, "--limit", "kappa=1000"), ("map", *pose, "-j", "shoulder", "-j", "wrist", "--steps", "3"),
                  ("ik", "--robot", mjcf, "--frame", "hand", "--target", "0.1,0,-0.5", "--position-only")]:
        done = run(*words, cwd=tmp_path)
        assert done.returncode in (0, 1), (words, text(done.stderr))
    rows = np.column_stack([np.arange(40) / 200] + [0.1 * np.sin(np.arange(40) / 20 + i) for i in range(4)])
    log = tmp_path / "log.csv"
    np.savetxt(log, rows, delimiter=",", comments="", header="time,shoulder.position,wrist.position,shoulder.effort,wrist.effort")
    for verb in ("show", "check", "estimate", "audit"):
        more = ("-e", "hand") if verb in ("estimate", "audit") else ()
        done = run(verb, log, "-r", mjcf, *more, cwd=tmp_path)
        assert done.returncode in (0, 1), (verb, text(done.stderr))
