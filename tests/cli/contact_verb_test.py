"""antaeus contact: its files and columns, and what it refuses in one line. Its numbers are those of antaeus.contact
(python/contact_test.py: the bytes of files).

The robot is the humanoid of tests/support/biped.urdf, the motions are sines of all its joints and of its base.
"""

import csv
import json
import os

import numpy as np
import pinocchio as pin
import pytest
from command_line import ROOT, refused, run, text

BIPED = ROOT / "tests/support/biped.urdf"
MODEL = pin.buildModelFromUrdf(str(BIPED), pin.JointModelFreeFlyer())
FEET = ["left_sole", "right_sole"]
FRAMES, STEP = 40, 0.01
NQ, NV = MODEL.nq, MODEL.nv
BASE = 6  # rows of a floating base
WRENCH = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
ROOT_COLUMNS = [f"root_{part}" for part in WRENCH]
TIME = np.arange(FRAMES) * STEP

FROM_POSITIONS = 1e-7  # 1e-13 of positions over the step squared, times 42 kg: 4e-8
DENSE = 1e-6  # N, N·m: weights of 1e-6 to 1e2


def motion(frames=FRAMES, size=0.1):
    """Sines of everything that moves."""
    numbers = np.random.default_rng(3)
    middle = pin.neutral(MODEL)
    middle[2] = 0.82
    waves = size * numbers.normal(size=(3, NV))
    rows = []
    for t in range(frames):
        s = 2 * np.pi * t * STEP
        rows.append(pin.integrate(MODEL, middle, waves[0] * np.sin(s) + waves[1] * np.sin(1.7 * s + 1) + waves[2] * np.cos(2.1 * s)))
    return np.array(rows)


Q = motion()


def states():
    numbers = np.random.default_rng(5)
    return {"q": Q, "v": numbers.normal(size=(FRAMES, NV)), "a": numbers.normal(size=(FRAMES, NV))}


def standing(frames=4):
    """Both feet flat on the ground, knees bent, at rest."""
    q = pin.neutral(MODEL)
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            q[MODEL.joints[MODEL.getJointId(f"{side}_{joint}")].idx_q] = angle
    q[2] = -pose(q, FEET[0]).translation[2]
    return np.tile(q, (frames, 1))


def pose(q, frame):
    data = MODEL.createData()
    pin.framesForwardKinematics(MODEL, data, q)
    return data.oMf[MODEL.getFrameId(frame)].copy()


def command(file, *more, contacts=FEET, robot=BIPED):
    return ["contact", file, "--robot", robot, *(part for c in contacts for part in ("--contact", c)), *more]


def saved(folder, **members):
    file = folder / "motion.npz"
    np.savez(file, **members)
    return file


def rows_of(file):
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def numbers_of(rows, columns):
    return np.array([[float(row[c]) if row[c] else np.nan for c in columns] for row in rows])


class Result:
    def __init__(self, folder):
        self.wrench_rows, self.torque_rows = rows_of(folder / "wrenches.csv"), rows_of(folder / "torques.csv")
        self.summary = json.loads((folder / "summary.json").read_text())
        self.frames = len(self.torque_rows)
        self.w = numbers_of(self.wrench_rows, WRENCH).reshape(self.frames, -1, 6)
        self.sd = numbers_of(self.wrench_rows, [f"sd_{part}" for part in WRENCH]).reshape(self.frames, -1, 6)
        self.tau = numbers_of(self.torque_rows, ROOT_COLUMNS + list(MODEL.names[2:])) if MODEL.names[2] in self.torque_rows[0] else None


def solved(tmp_path, members, *more, contacts=FEET, exits=(0,), file=None):
    out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
    done = run(*command(file or saved(tmp_path, **members), "--out", out, *more, contacts=contacts))
    assert done.returncode in exits, (done.returncode, done.stderr)
    assert done.stderr == b""
    return Result(out)


# --- the contract -------------------------------------------------------------------------------------------------------

def test_files_and_columns(tmp_path):
    out = tmp_path / "out"
    done = run(*command(saved(tmp_path, q=Q, dt=STEP), "--out", out))
    assert done.returncode == 0 and done.stderr == b""
    assert sorted(f.name for f in out.iterdir()) == ["report.html", "summary.json", "torques.csv", "wrenches.csv"]
    header = (out / "wrenches.csv").read_text().splitlines()[0].split(",")
    assert header[:17] == ["step", "time", "contact", "sign", "frame", *WRENCH, *(f"sd_{part}" for part in WRENCH)]
    header = (out / "torques.csv").read_text().splitlines()[0].split(",")
    assert header == ["step", "time", *ROOT_COLUMNS, *MODEL.names[2:]]
    wrenches, torques = rows_of(out / "wrenches.csv"), rows_of(out / "torques.csv")
    assert len(torques) == FRAMES and len(wrenches) == 2 * FRAMES  # no frame is lost
    for i, row in enumerate(wrenches):
        assert (row["step"], row["contact"], row["sign"], row["frame"]) == (str(i // 2), FEET[i % 2], "on_robot", "world")
        assert float(row["time"]) == pytest.approx(i // 2 * STEP, abs=1e-15)
        assert row["sd_Fx"] == "" and row["active"] == "1" and row["status"] == "ok"
        np.testing.assert_allclose([float(row[c]) for c in ("px", "py", "pz")], pose(Q[i // 2], FEET[i % 2]).translation, atol=1e-12)
    summary = json.loads((out / "summary.json").read_text())
    assert summary["schema"] == "antaeus.contact.summary/1" and summary["frames"] == FRAMES
    assert not summary["sd_known"] and "sole" in summary["sd_because"]
    assert summary["weight_N"] == pytest.approx(9.81 * pin.computeTotalMass(MODEL), rel=1e-12)


def test_json_writes_files_only_where_told(tmp_path):
    file = saved(tmp_path, q=Q, dt=STEP)
    done = run(*command(file, "--json"), cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["frames"] == FRAMES
    assert sorted(f.name for f in tmp_path.iterdir()) == ["motion.npz"]
    assert run(*command(file), cwd=tmp_path).returncode == 0
    assert (tmp_path / "antaeus-contact-motion" / "wrenches.csv").exists()


def test_a_clock_is_of_either_kind(tmp_path):
    by_dt, by_time = solved(tmp_path, {"q": Q, "dt": STEP}), solved(tmp_path, {"q": Q, "time": 3 + TIME})
    np.testing.assert_allclose(by_time.tau, by_dt.tau, atol=1e-4)  # stamps around 3 s round by 4e-16, in 3e-14 of a step
    assert float(by_time.torque_rows[0]["time"]) == 3


def test_a_quaternion_and_its_negative_are_one_orientation_and_nearly_unit_is_unit(tmp_path):
    reference = solved(tmp_path, {"q": Q, "dt": STEP})
    other = Q.copy()
    other[::2, 3:7] *= -1
    other[5, 3:7] *= 1.0009  # differences over 10 ms would see 9 m/s² of it
    result = solved(tmp_path, {"q": other, "dt": STEP})
    np.testing.assert_allclose(result.tau, reference.tau, atol=FROM_POSITIONS)


def test_csv_npz_and_folder_give_the_same_bytes(tmp_path):
    numbers = np.random.default_rng(2)
    members = {"q": Q, "time": TIME, "active": (numbers.random((FRAMES, 2)) < 0.8) * 1.0, "damping": np.r_[np.zeros(BASE), numbers.random(NV - BASE)],
               "magnitude": numbers.random((FRAMES, 2)), "previous": numbers.normal(size=(2, 6)), "guess": numbers.normal(size=(FRAMES, 12))}
    folder = tmp_path / "motion"
    folder.mkdir()
    columns = []
    for name, values in members.items():
        np.save(folder / f"{name}.npy", values)
        if name == "time":
            columns.append(("time", values))
            continue
        whole = np.tile(values.ravel(), (FRAMES, 1)) if name in ("damping", "previous") else values
        columns += [(f"{name}_{i}", whole[:, i]) for i in range(whole.shape[1])]
    table = tmp_path / "motion.csv"
    lines = [",".join(name for name, _ in columns)] + [",".join(repr(float(values[t])) for _, values in columns) for t in range(FRAMES)]
    table.write_text("\n".join(lines) + "\n")
    written = []
    for file in (saved(tmp_path, **members), folder, table):
        out = tmp_path / "out" / file.name
        assert run(*command(file, "--out", out, "--over-time", "--set", "contact.previous_weight=2")).returncode in (0, 1)
        written.append([(out / name).read_bytes() for name in ("wrenches.csv", "torques.csv")])
    assert written[0] == written[1] == written[2]


# --- inverse dynamics alone -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("load", [None, 3.5])
def test_inverse_dynamics_is_pinocchios_rnea(tmp_path, load):
    """Torques, and the wrench that must hold the root, of independent states: rnea of a free-flyer, base axes."""
    model, place = pin.buildModelFromUrdf(str(BIPED), pin.JointModelFreeFlyer()), np.array([0.02, -0.03, 0.05])
    more = []
    if load:
        frame = model.frames[model.getFrameId(FEET[0])]
        model.appendBodyToJoint(frame.parentJoint, pin.Inertia(load, place, np.zeros((3, 3))), frame.placement)
        more = ["--payload", f"{FEET[0]}={load}," + ",".join(map(repr, place.tolist()))]
    members, data, out = states(), model.createData(), tmp_path / "out"
    done = run(*command(saved(tmp_path, **members), "--inverse-dynamics", "--out", out, *more, contacts=[]))
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert sorted(file.name for file in out.iterdir()) == ["report.html", "summary.json", "torques.csv"]
    ours = numbers_of(rows_of(out / "torques.csv"), ROOT_COLUMNS + list(MODEL.names[2:]))
    theirs = np.array([pin.rnea(model, data, q, v, a) for q, v, a in zip(members["q"], members["v"], members["a"], strict=True)])
    worst = np.abs(ours - theirs).max()
    print(f"largest difference from pinocchio.rnea: {worst:.1e} N, N·m of {np.abs(theirs).max():.0f}")
    assert worst < 1e-12 * np.abs(theirs).max()  # 1e-15 a product, sums over a dozen links
    summary = json.loads((out / "summary.json").read_text())
    assert summary["inverse_dynamics"] and summary["contacts"] == [] and summary["frames"] == FRAMES
    assert [one["frame"] for one in summary["payloads"]] == ([FEET[0]] if load else [])
    story = text(done.stdout)
    assert "hold the robot" in story and "crane" in story and "wrenches.csv" not in story
    page = (out / "report.html").read_text("utf-8").replace("\u00a0", " ")
    assert (f"payload of {load} kg at {FEET[0]}" in page) == bool(load)
    assert "--inverse-dynamics" in summary["command"]


def test_inverse_dynamics_of_positions_is_the_total_that_contacts_make(tmp_path):
    """At rest on both feet the root needs the weight; joints of a robot that is held there carry their legs alone."""
    out = tmp_path / "out"
    q = standing()
    done = run(*command(saved(tmp_path, q=q, dt=STEP), "--inverse-dynamics", "--out", out, contacts=[]))
    assert done.returncode == 0
    ours = numbers_of(rows_of(out / "torques.csv"), ROOT_COLUMNS + list(MODEL.names[2:]))
    gravity = pin.computeGeneralizedGravity(MODEL, MODEL.createData(), q[0])
    np.testing.assert_allclose(ours, np.tile(gravity, (len(q), 1)), atol=FROM_POSITIONS)


@pytest.mark.parametrize(
    ("more", "word"),
    [(("--contact", FEET[0]), "--contact"), (("--over-time",), "--over-time"), (("--with-limits", "cone"), "--with-limits"),
     (("--set", "contact.reduce_residual=true"), "contact.reduce_residual"), (("--base", "fixed"), "--base"),
     (("--payload", "left_sol=1"), "left_sole"), (("--payload", "left_sole=-1"), "negative mass")])
def test_what_inverse_dynamics_refuses(tmp_path, more, word):
    assert word in refused(*command(saved(tmp_path, q=Q, dt=STEP), "--inverse-dynamics", "--out", tmp_path / "out", *more, contacts=[]))
    assert not (tmp_path / "out").exists()


# --- what a motion may hold ---------------------------------------------------------------------------------------------

def test_root_euler_is_the_base(tmp_path):
    numbers = np.random.default_rng(10)
    euler = 0.3 * np.cumsum(0.1 * numbers.normal(size=(FRAMES, 6)), axis=0)
    q = Q.copy()
    q[:, :3] = euler[:, :3]
    for t, (a, b, c) in enumerate(euler[:, 3:]):
        R = pin.utils.rotate("x", a) @ pin.utils.rotate("y", b) @ pin.utils.rotate("z", c)
        q[t, 3:7] = pin.Quaternion(R).coeffs()
    whole = solved(tmp_path, {"q": q, "dt": STEP}, exits=(0, 1))
    for joints in (Q[:, 7:], Q):
        result = solved(tmp_path, {"q": joints, "root_euler": euler, "dt": STEP}, exits=(0, 1))
        scale = np.abs(whole.tau).max()
        np.testing.assert_allclose(result.tau, whole.tau, atol=FROM_POSITIONS * scale)


def test_a_contact_that_is_not_active_exerts_nothing(tmp_path):
    active = np.ones((FRAMES, 2))
    active[10:20, 0] = active[15:25, 1] = 0  # 15 … 19: nothing touches
    result = solved(tmp_path, states() | {"active": active}, exits=(1,))
    assert (result.w[active == 0] == 0).all() and np.abs(result.w[active == 1]).min(axis=1).all()
    assert not result.summary["residual_fine"]
    assert [row["active"] for row in result.wrench_rows] == [str(int(a)) for a in active.ravel()]


def test_states_over_time_take_their_step_from_the_clock_and_not_from_v_next(tmp_path):
    frames = 10
    s = {name: values[:frames] for name, values in states().items()}
    reference = solved(tmp_path, s | {"dt": STEP}, "--over-time")
    small = 1e-4
    by_step = {"q": s["q"], "v": s["v"], "v_next": s["v"] + small * s["a"], "dt": small, "time": TIME[:frames]}
    np.testing.assert_allclose(solved(tmp_path, by_step, "--over-time").w, reference.w, atol=DENSE)


SOLE = ("--set", "contact.half_length=0.11", "--set", "contact.half_width=0.05")


def test_soles_give_uncertainty(tmp_path):
    result = solved(tmp_path, {"q": standing(60), "dt": STEP}, "--over-time", *SOLE)
    assert result.summary["sd_known"] and np.isfinite(result.sd).all() and (result.sd > 0).all()
    link = solved(tmp_path, {"q": standing(60), "dt": STEP}, "--over-time", "--wrench-frame", "link", *SOLE)
    assert {row["frame"] for row in link.wrench_rows} == {"link"}
    np.testing.assert_allclose(link.sd, result.sd, rtol=1e-9)  # the soles' axes are the world's here


def test_limits_are_kept_and_exit_codes_tell(tmp_path):
    q = standing()
    pushed = np.zeros((len(q), NV))
    pushed[:, 0] = 0.9 * 9.81 * pin.computeTotalMass(MODEL)  # forwards, where friction holds 0.7
    for limits in ("pyramid", "cone"):
        fine = solved(tmp_path, {"q": q, "dt": STEP}, "--with-limits", limits, *SOLE)
        assert fine.summary["feasible"] and fine.summary["broken_limits"] == []
        broken = solved(tmp_path, {"q": q, "dt": STEP, "external": pushed}, "--with-limits", limits, "--set", "contact.torque_limits=false", exits=(1,))
        assert {(one["limit"], one["subject"] in FEET, one["by_N"] > 0) for one in broken.summary["broken_limits"]} == {("friction", True, True)}
        assert {one["step"] for one in broken.summary["broken_limits"]} == set(range(len(q)))
        assert np.abs(broken.tau[:, :BASE]).max() < FROM_POSITIONS  # the motion is made in any case
    asked = solved(tmp_path, {"q": q, "dt": STEP, "external": pushed})
    assert asked.summary["feasible"]  # nobody asked


def test_reduce_residual_says_what_it_changed(tmp_path):
    out = solved(tmp_path, states(), "--set", "contact.kind=point", "--set", "contact.reduce_residual=true", exits=(0, 1))
    assert np.abs(numbers_of(out.torque_rows, [f"root_change_{axis}" for axis in ("ax", "ay", "az", "alphax", "alphay", "alphaz")])).max() > 0.01


# --- what is refused ----------------------------------------------------------------------------------------------------

def changed(values, at, to):
    values = np.array(values, dtype=float)
    values[at] = to
    return values


V = np.zeros((FRAMES, NV))
GOOD = {"q": Q, "dt": STEP}
# Each: what is wrong, the member it names, what the line says, options. The others are ContactMotionTest's in C++.
MEMBERS = {
    "no frames": ({"q": Q[:0]}, "", "holds no positions; give q"),
    "few columns": ({"q": Q[:, 1:]}, "q", "is 40 × 23; give 40 × 24"),
    "columns in a block": ({"q": Q.reshape(FRAMES, 6, 4)}, "q", "is 40 × 6 × 4; give two extents"),
    "a number": ({"q": 1.0}, "q", "is a single number"),
    "NaN": ({"q": changed(Q, (7, 9), np.nan)}, "q", "holds NaN or infinity in frame 7"),
    "objects": ({"q": np.array([1, "a", None], dtype=object)}, "q", "cannot be read without running code"),
    "text": ({"q": np.array(["a", "b"])}, "q", "(text) is not a number"),
    "complex": ({"q": Q.astype(complex)}, "q", "(complex) is not a real number"),
    "no clock": ({"dt": None}, "dt", "is missing; give dt or time"),
    "v empty": ({"v": V[:0], "a": V}, "v", "is empty"),
    "v without columns": ({"v": V[:, :0], "a": V}, "v", "is empty"),
    "guess turned": ({"guess": np.zeros((FRAMES, 6, 2))}, "guess", "is 40 × 6 × 2; give frames × contacts × 6"),
    "damping in a block": ({"damping": np.zeros((FRAMES, NV))}, "damping", "is 40 × 23; give one number, or a row"),
    "states over time without clock": ({"v": V, "a": V, "dt": None}, "dt", "is missing; forces over time", "--over-time"),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_bad_members_are_named(tmp_path, name):
    wrong, member, says, *more = MEMBERS[name]
    file = saved(tmp_path, **{key: value for key, value in (GOOD | wrong).items() if value is not None})
    line = refused(*command(file, "--out", tmp_path / "out", *more))
    assert (f"{file} [{member}]: " if member else f"{file}: ") in line and says in line, line
    assert "; " in line.split(": ", 2)[-1], line  # and a remedy
    assert not (tmp_path / "out").exists()


OPTIONS = {
    "no weight with limits": (("contact.least_torque=0",), ("--with-limits", "cone"), "contact.least_torque: 0 leaves"),
    "smoothing alone": (("contact.least_torque=0",), ("--over-time",), "these weights leave the wrenches undetermined"),
    "no lever": (("contact.lever=0",), (), "contact.lever: '0' is not a number that fits; write a number, more than zero"),
    "NaN": (("contact.smoothing=nan",), (), "contact.smoothing: 'nan'"),
    "length alone": (("contact.half_length=0.1",), (), "length and width of the sole go together; give both, or neither"),
    "width alone": (("contact.half_width=0.1",), (), "length and width of the sole go together; give both, or neither"),
    "begin below end": (("contact.detect=true", "timing.begin=0.3", "timing.end=0.6"), (), "timing.end: 0.6 is above timing.begin"),
    "misspelt option": (("contact.smothing=1",), (), "did you mean 'smoothing'?"),
    "misspelt limits": ((), ("--with-limits", "pyramids"), "--with-limits: unknown value 'pyramids'; did you mean 'pyramid'?"),
    "misspelt frame": ((), ("--wrench-frame", "lnik"), "--wrench-frame: unknown value 'lnik'; did you mean 'link'?"),
    "fixed base": ((), ("--base", "fixed"), "--base: is fixed"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_bad_options_are_named(tmp_path, name):
    settings, more, says = OPTIONS[name]
    line = refused(*command(saved(tmp_path, **GOOD), "--out", tmp_path / "out", *(f"--set={one}" for one in settings), *more))
    assert says in line and ";" in line, line
    assert not (tmp_path / "out").exists()


def test_contacts_that_are_none(tmp_path):
    file, out = saved(tmp_path, **GOOD), tmp_path / "out"
    for contacts, says in [((), "--contact: no contact; name at least one frame"),
                           (("left_sole", "left_sole"), "--contact: 'left_sole' is named twice; name it once"),
                           (("left_soel",), "--contact: unknown frame 'left_soel'; did you mean 'left_sole'?"),
                           (("calcn_l", "right_sole"), "--contact: unknown frame 'calcn_l'; valid: "),
                           (("\x9b31m",), "unknown frame '\\x9b31m'"), (("left_sole\nx",), "unknown frame 'left_sole\\x0ax'"), (("",), "unknown frame ''")]:
        line = refused(*command(file, "--out", out, contacts=contacts))
        assert says in line, line
    assert "one of the two must be given" in refused("contact", file, "--contact", FEET[0])
    assert "MOTION: is missing" in refused("contact", "--robot", BIPED, "--contact", FEET[0])
    assert not out.exists()


def test_states_without_clock_cannot_be_searched_for_contacts(tmp_path):
    line = refused(*command(saved(tmp_path, q=Q, v=V, a=V), "--set", "contact.detect=true", "--out", tmp_path / "out"))
    assert "contact.detect: needs a motion over time" in line and not (tmp_path / "out").exists()


def test_files_that_are_no_motion(tmp_path):
    whole = saved(tmp_path, **GOOD).read_bytes()
    head = "time," + ",".join(f"q_{i}" for i in range(NQ))
    table = [head] + [",".join(repr(float(x)) for x in [t, *row]) for t, row in zip(TIME, Q, strict=True)]

    def spoiled(line, column, to):
        lines = list(table)
        cells = lines[line].split(",")
        cells[column] = to
        lines[line] = ",".join(cells)
        return "\n".join(lines)

    cases = {
        "cut.npz": (whole[:len(whole) // 2], "or its end is missing"),
        "empty.npz": (b"", "or its end is missing"),
        "text.npz": (b"a motion", "it is no .npz file"),
        "spoiled.npz": (whole[:200] + bytes(200) + whole[400:], "spoiled.npz"),
        "words.csv": (spoiled(4, 3, "abc"), "[q_2]: holds text; give numbers"),
        "hole.csv": (spoiled(4, 3, ""), "[q]: holds NaN or infinity in frame 3"),
        "gap.csv": ("\n".join(table).replace("q_5", "p_5", 1), "[q]: column q_5 is missing; number the columns from 0"),
        "twice.csv": ("\n".join(table).replace("q_5", "q[4]", 1), "[q[4]]: is the same as 'q_4'; leave one of them out"),
        "clocks.csv": ("\n".join(table).replace("q_5", "t", 1), "[t]: is the same as 'time'"),
        "ragged.csv": ("\n".join([*table[:5], "1,2"]), "ragged.csv:6: 2 cells where the header has 25"),
        "empty.csv": ("", "the file is empty"),
        "head.csv": (head, "holds no positions"),
        "strange.csv": ("x,y\n1,2\n", "holds no positions; give q, N × nq"),
        "motion.txt": ("a motion", "is not a motion; give an .npz, a folder of .npy, a .csv or a .parquet"),
    }
    for name, (content, says) in cases.items():
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        line = refused(*command(file, "--out", tmp_path / "out"))
        assert says in line and os.fspath(file) in line, (name, line)
    assert "does not exist" in refused(*command(tmp_path / "absent.npz", "--out", tmp_path / "out"))
    folder = tmp_path / "folder"
    folder.mkdir()
    np.save(folder / "dt.npy", STEP)
    assert "holds no positions; give q" in refused(*command(folder, "--out", tmp_path / "out"))
    np.save(folder / "q.npy", Q)
    (folder / "v.npy").write_bytes(b"x")
    assert f"{folder / 'v.npy'}: it is no .npy file" in refused(*command(folder, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_members_of_other_names_are_left_alone(tmp_path):
    plain = solved(tmp_path, GOOD)
    more = solved(tmp_path, GOOD | {"names": np.array(["a", None], dtype=object), "labels": np.array(["a"]), "tau": np.zeros(3)})
    np.testing.assert_array_equal(more.tau, plain.tau)


def test_a_continuous_joint_off_the_unit_circle(tmp_path):
    robot = tmp_path / "wheel.urdf"
    robot.write_text("""<robot name="wheel">
      <link name="hull"><inertial><mass value="5"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
      <link name="rim"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
      <joint name="axle" type="continuous"><parent link="hull"/><child link="rim"/><axis xyz="0 1 0"/></joint></robot>""")
    angle = np.sin(2 * np.pi * TIME)
    q = np.c_[np.tile([0, 0, 1, 0, 0, 0, 1.0], (FRAMES, 1)), np.cos(angle), np.sin(angle)]
    written = []
    for scale in (1.0, 1.0009):
        p = q.copy()
        p[::2, 7:] *= scale
        out = tmp_path / f"out{scale}"
        assert run(*command(saved(tmp_path, q=p, dt=STEP), "--out", out, contacts=["hull"], robot=robot)).returncode == 0
        written.append(numbers_of(rows_of(out / "torques.csv"), ["axle"]))
    np.testing.assert_allclose(written[1], written[0], atol=FROM_POSITIONS)
    q[9, 7:] *= 1.1
    line = refused(*command(saved(tmp_path, q=q, dt=STEP), contacts=["hull"], robot=robot))
    assert "[q]: columns 7 and 8 of frame 9 have length 1.1" in line


# --- the total of a person's motion -------------------------------------------------------------------------------------

def person(rows=60):
    """Somebody of 60 kg who stands on two feet and sways a little: columns of a --total file."""
    t = np.arange(rows) * STEP
    columns = {"t": t}
    com = np.c_[0.05 + 0 * t, 0.95 + 0 * t, 0.01 * np.sin(2 * t)]
    force = np.c_[0 * t, 60 * 9.80665 + 0 * t, -0.04 * 60 * np.sin(2 * t)]
    moment = np.cross(com, force)
    for i, axis in enumerate("xyz"):
        columns[f"kin_F{axis}"], columns[f"kin_T{axis}"], columns[f"com_{axis}"] = force[:, i], moment[:, i], com[:, i]
    for foot, side in (("calcn_r", 0.1), ("calcn_l", -0.1)):
        for axis, at in zip("xyz", (0.0, 0.03, side), strict=True):
            columns[f"{foot}_p{axis}"] = at + 0 * t
        for i in range(3):
            for j in range(3):
                columns[f"{foot}_R{i}{j}"] = float(i == j) + 0 * t
    return columns


def total_file(file, columns):
    rows = zip(*columns.values(), strict=True)
    file.write_text("\n".join([",".join(columns), *(",".join(x if isinstance(x, str) else repr(float(x)) for x in row) for row in rows)]) + "\n")
    return file


def test_total_needs_no_robot(tmp_path):
    columns = person()
    out = tmp_path / "out"
    done = run("contact", "--total", total_file(tmp_path / "stand.csv", columns), "--out", out)
    assert done.returncode == 0 and done.stderr == b""
    result = Result(out)
    assert [row["contact"] for row in result.wrench_rows[:2]] == ["calcn_r", "calcn_l"]
    np.testing.assert_allclose(result.w[:, :, 1].sum(axis=1), columns["kin_Fy"], atol=9.0)  # the force's own sd
    assert (result.sd > 0).all() and result.summary["robot"] is None
    assert result.summary["motion"] == "stand"  # no folder of this machine
    header = (out / "torques.csv").read_text().splitlines()[0].split(",")
    assert header == ["step", "time", *ROOT_COLUMNS]
    one = run("contact", "--total", tmp_path / "stand.csv", "--contact", "calcn_l", "--contact", "calcn_r", "--out", tmp_path / "turned")
    assert one.returncode == 0 and Result(tmp_path / "turned").wrench_rows[0]["contact"] == "calcn_l"


@pytest.mark.parametrize(("arguments", "option"), [
    (("contact", "--robot", "x.osim"), "--robot"),
    (("contact", "walk.npz", "--robot", "models/Rajagopal2016.OSIM", "--contact", "calcn_r"), "--robot"),
    (("contact", "walk.mot", "--robot", "h1_2", "--contact", "left_ankle_roll_link"), "MOTION"),
    (("contact", "forces.sto", "--robot", "h1_2", "--inverse-dynamics"), "MOTION")])
def test_a_file_of_opensim_names_total(arguments, option):
    line = refused(*arguments)
    assert f"{option}: " in line and "is a file of OpenSim, which is not read" in line and "--total FILE" in line


def test_bad_totals_are_named(tmp_path):
    good = person()
    without = lambda *names: {name: values for name, values in good.items() if name not in names}
    whole = total_file(tmp_path / "good.csv", good).read_text()
    out = tmp_path / "out"
    cases = {
        "no t": (without("t"), "no column 't'"),
        "no rotation": (without("calcn_l_R12"), "calcn_l_R12"),
        "text": (good | {"kin_Fy": ["abc"] * 60}, "column 'kin_Fy' holds text"),
        "no vertical": (good | {"kin_Fy": 0 * good["kin_Fy"]}, "the mean of kin_F points down"),
    }
    for name, (columns, says) in cases.items():
        file = total_file(tmp_path / "bad.csv", columns)
        line = refused("contact", "--total", file, "--out", out)
        assert says in line and os.fspath(file) in line and ";" in line, (name, line)
    cut = tmp_path / "cut.csv"
    cut.write_text(whole[:len(whole) // 2])
    assert f"{cut}:" in refused("contact", "--total", cut, "--out", out)
    (tmp_path / "good.parquet").write_bytes(b"PAR1 no table")
    assert "parquet" in refused("contact", "--total", tmp_path / "good.parquet", "--out", out)
    good_file = tmp_path / "good.csv"
    assert "cannot be read" in refused("contact", "--total", tmp_path / "absent.csv", "--out", out)
    assert "one of the two must be given" in refused("contact", "--total", good_file, "--robot", BIPED, "--out", out)
    assert "cannot be combined with --total" in refused("contact", good_file, "--total", good_file, "--out", out)
    assert "did you mean 'calcn_r'" in refused("contact", "--total", good_file, "--contact", "calcn_R", "--out", out)
    assert "twice" in refused("contact", "--total", good_file, "--contact", "calcn_r", "--contact", "calcn_r", "--out", out)
    assert "--with-limits: needs a robot" in refused("contact", "--total", good_file, "--with-limits", "cone", "--out", out)
    assert not out.exists()
