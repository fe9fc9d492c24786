"""antaeus contact: what it writes against numbers made with Pinocchio and NumPy, and what it refuses in one line.

The robot is the humanoid of tests/support/biped.urdf, the motions are sines of all its joints and of its base.
"""

import csv
import json
import os
import re

import numpy as np
import pinocchio as pin
import pytest
from command_line import ROOT, SHARED, refused, run, text

BIPED = ROOT / "tests/support/biped.urdf"
MODEL = pin.buildModelFromUrdf(str(BIPED), pin.JointModelFreeFlyer())
FEET = ["left_sole", "right_sole"]
FRAMES, STEP, LEVER = 40, 0.01, 0.1
NQ, NV = MODEL.nq, MODEL.nv
BASE = 6  # rows of a floating base
WRENCH = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
ROOT_COLUMNS = [f"root_{part}" for part in WRENCH]
TIME = np.arange(FRAMES) * STEP

SAME_DYNAMICS = 1e-9  # two algorithms for torques up to 500 N·m, written with 17 digits
FROM_POSITIONS = 1e-7  # 1e-13 of positions over the step squared, times 42 kg: 4e-8
DENSE = 1e-6  # N, N·m: a dense system of 720 unknowns with weights of 1e-6 to 1e2
GOLDEN = 1e-8  # of the largest entry: nimblephysics's other algorithms over a badly conditioned system
GOLDEN_ILL = 1e-6  # the same where smoothing alone tells what the wrenches are
KEPT = 0.02  # N: the tool's own threshold of a broken limit


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


def jacobian(q, frame):
    data = MODEL.createData()
    return pin.computeFrameJacobian(MODEL, data, q, MODEL.getFrameId(frame), pin.LOCAL_WORLD_ALIGNED)


def rnea(q, v, a):
    return pin.rnea(MODEL, MODEL.createData(), q, v, a)


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


def explained(q, w, contacts=FEET):
    """Σ Jᵀ w of one frame, world axes."""
    return sum(jacobian(q, c).T @ part for c, part in zip(contacts, w, strict=True))


def split(q, total, contacts=FEET, guess=None, lever=LEVER):
    """The wrenches of one frame nearest to the guess that make the total (rows of the base), by least squares."""
    A = np.hstack([jacobian(q, c).T[:BASE] for c in contacts])
    weight = np.tile([lever] * 3 + [1.0] * 3, len(contacts))
    guess = np.zeros(6 * len(contacts)) if guess is None else guess.ravel()
    step = np.linalg.pinv(A / weight) @ (total[:BASE] - A @ guess) / weight
    return (guess + step).reshape(-1, 6)


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
    assert not summary["sd_known"] and "soles" in summary["sd_because"]
    assert summary["weight_N"] == pytest.approx(9.81 * pin.computeTotalMass(MODEL), rel=1e-12)


def test_json_writes_files_only_where_told(tmp_path):
    file = saved(tmp_path, q=Q, dt=STEP)
    done = run(*command(file, "--json"), cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["frames"] == FRAMES
    assert sorted(f.name for f in tmp_path.iterdir()) == ["motion.npz"]
    assert run(*command(file), cwd=tmp_path).returncode == 0
    assert (tmp_path / "antaeus-contact-motion" / "wrenches.csv").exists()


def test_torques_and_root_residual_are_what_the_motion_needs_less_what_contacts_give(tmp_path):
    s = states()
    for more in ([], ["--set", "contact.kind=point"], ["--set", "contact.compatibility=nimble"]):
        result = solved(tmp_path, s, *more, exits=(0, 1))
        for t in range(FRAMES):
            expected = rnea(Q[t], s["v"][t], s["a"][t]) - explained(Q[t], result.w[t])
            np.testing.assert_allclose(result.tau[t], expected, atol=SAME_DYNAMICS)
    assert np.abs(result.tau[:, :BASE]).max() < SAME_DYNAMICS


def test_each_frame_for_itself_is_the_least_wrench(tmp_path):
    s = states()
    numbers = np.random.default_rng(7)
    guess = 50 * numbers.normal(size=(FRAMES, 2, 6))
    least, near = solved(tmp_path, s), solved(tmp_path, s | {"guess": guess})
    flat = solved(tmp_path, s | {"guess": guess.reshape(FRAMES, 12)})
    lever = solved(tmp_path, s, "--set", "contact.lever=0.4")
    for t in range(FRAMES):
        total = rnea(Q[t], s["v"][t], s["a"][t])
        np.testing.assert_allclose(least.w[t], split(Q[t], total), atol=SAME_DYNAMICS)
        np.testing.assert_allclose(near.w[t], split(Q[t], total, guess=guess[t]), atol=SAME_DYNAMICS)
        np.testing.assert_allclose(lever.w[t], split(Q[t], total, lever=0.4), atol=SAME_DYNAMICS)
    np.testing.assert_array_equal(flat.w, near.w)
    assert np.abs(near.w - least.w).max() > 1.0


def test_positions_alone_are_differenced_centrally_with_a_clock_of_either_kind(tmp_path):
    by_dt, by_time = solved(tmp_path, {"q": Q, "dt": STEP}), solved(tmp_path, {"q": Q, "time": 3 + TIME})
    np.testing.assert_allclose(by_time.tau, by_dt.tau, atol=1e-4)  # stamps around 3 s round by 4e-16, in 3e-14 of a step
    assert float(by_time.torque_rows[0]["time"]) == 3
    for t in range(1, FRAMES - 1):
        there, back = pin.difference(MODEL, Q[t], Q[t + 1]), pin.difference(MODEL, Q[t], Q[t - 1])
        total = rnea(Q[t], (there - back) / (2 * STEP), (there + back) / STEP**2)
        np.testing.assert_allclose(by_dt.tau[t], total - explained(Q[t], by_dt.w[t]), atol=FROM_POSITIONS)


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


def test_wrench_frames_tell_the_same_wrench(tmp_path):
    numbers = np.random.default_rng(8)
    guess = numbers.normal(size=(FRAMES, 2, 6))
    R = np.array([[pose(q, c).rotation for c in FEET] for q in Q])
    turned = np.concatenate([np.einsum("tcji,tcj->tci", R, guess[..., part]) for part in (slice(0, 3), slice(3, 6))], axis=2)
    world = solved(tmp_path, {"q": Q, "dt": STEP, "guess": guess})
    link = solved(tmp_path, {"q": Q, "dt": STEP, "guess": turned}, "--wrench-frame", "link")
    assert {row["frame"] for row in link.wrench_rows} == {"link"}
    for part in (slice(0, 3), slice(3, 6)):
        np.testing.assert_allclose(np.einsum("tcij,tcj->tci", R, link.w[..., part]), world.w[..., part], atol=SAME_DYNAMICS)
    np.testing.assert_allclose(link.tau, world.tau, atol=SAME_DYNAMICS)


# --- what a motion may hold ---------------------------------------------------------------------------------------------

def test_v_next_stands_for_the_acceleration(tmp_path):
    s = states()
    dt = np.linspace(0.001, 0.02, FRAMES)
    by_a = solved(tmp_path, s)
    by_step = solved(tmp_path, {"q": Q, "v": s["v"], "v_next": s["v"] + dt[:, None] * s["a"], "dt": dt})
    np.testing.assert_allclose(by_step.tau, by_a.tau, atol=FROM_POSITIONS)


def test_external_damping_and_springs_are_on_the_motors(tmp_path):
    s = states()
    numbers = np.random.default_rng(9)
    external = 20 * numbers.normal(size=(FRAMES, NV))
    damping, spring, rest = (np.r_[np.zeros(BASE), numbers.random(NV - BASE)] for _ in range(3))
    result = solved(tmp_path, s | {"external": external, "damping": damping, "spring": 30 * spring, "rest": rest}, exits=(0, 1))
    for t in range(FRAMES):
        stretch = np.r_[np.zeros(BASE), Q[t, 7:]] - rest
        stretch[:BASE] = 0
        total = rnea(Q[t], s["v"][t], s["a"][t]) - external[t] + damping * s["v"][t] + 30 * spring * stretch
        np.testing.assert_allclose(result.w[t], split(Q[t], total), atol=SAME_DYNAMICS)
        np.testing.assert_allclose(result.tau[t], total - explained(Q[t], result.w[t]), atol=SAME_DYNAMICS)


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
    s = states()
    active = np.ones((FRAMES, 2))
    active[10:20, 0] = 0
    active[15:25, 1] = 0  # 15 … 19: nothing touches
    result = solved(tmp_path, s | {"active": active}, exits=(1,))
    for t in range(FRAMES):
        total = rnea(Q[t], s["v"][t], s["a"][t])
        touching = [c for c in range(2) if active[t, c]]
        expected = np.zeros((2, 6))
        if touching:
            expected[touching] = split(Q[t], total, [FEET[c] for c in touching])
        np.testing.assert_allclose(result.w[t], expected, atol=SAME_DYNAMICS)
        np.testing.assert_allclose(result.tau[t], total - explained(Q[t], result.w[t]), atol=SAME_DYNAMICS)
    assert not result.summary["residual_fine"]
    assert [row["active"] for row in result.wrench_rows] == [str(int(a)) for a in active.ravel()]


def over_time(s, contacts, dt, active, previous, magnitude, guess=None, least=1.0, smoothing=1.0, window=0.05, before=0.0, speed=0.0):
    """The cost of ContactOptions as one dense system with multipliers."""
    frames, k = s["q"].shape[0], len(contacts)
    size = np.tile([LEVER**2] * 3 + [1.0] * 3, k)
    n = 6 * k
    H, g = np.zeros((frames * n, frames * n)), np.zeros(frames * n)
    rows, right = [], []
    for t, q in enumerate(s["q"]):
        here = slice(t * n, (t + 1) * n)
        J = [jacobian(q, c) for c in contacts]
        weight = np.repeat([least + magnitude[t, c] + speed * np.sum((J[c] @ s["v"][t])[:3] ** 2) for c in range(k)], 6) * size * dt
        H[here, here] += np.diag(weight)
        if guess is not None:
            g[here] -= weight * guess[t].ravel()
        if t == 0:
            H[here, here] += np.diag(before * window * size)
            g[here] -= before * window * size * previous.ravel()
        if t + 1 < frames:
            rate = smoothing * window**2 / dt * size * np.repeat(active[t] * active[t + 1], 6)
            after = slice((t + 1) * n, (t + 2) * n)
            H[here, here] += np.diag(rate)
            H[after, after] += np.diag(rate)
            H[here, after] -= np.diag(rate)
            H[after, here] -= np.diag(rate)
        A = np.zeros((BASE, frames * n))
        A[:, here] = np.hstack([j.T[:BASE] for j in J])
        rows.append(A)
        right.append(rnea(q, s["v"][t], s["a"][t])[:BASE])
        off = np.flatnonzero(np.repeat(active[t], 6) == 0)
        rows.append(np.eye(frames * n)[t * n + off])
        right.append(np.zeros(len(off)))
    A, b = np.vstack(rows), np.concatenate(right)
    K = np.block([[H, A.T], [A, np.zeros((len(A), len(A)))]])
    return np.linalg.solve(K, np.r_[-g, b])[:frames * n].reshape(frames, k, 6)


def test_over_time_is_the_least_of_the_stated_cost(tmp_path):
    frames = 20
    s = {name: values[:frames] for name, values in states().items()}
    numbers = np.random.default_rng(12)
    active = np.ones((frames, 2))
    active[5:9, 0] = active[12:, 1] = 0
    previous, magnitude = 100 * numbers.normal(size=(2, 6)), 3 * numbers.random((frames, 2))
    guess = 100 * numbers.normal(size=(frames, 2, 6))
    everything, none = np.ones((frames, 2)), np.zeros((frames, 2))
    plain = over_time(s, FEET, STEP, everything, previous, none)
    cases = {
        "plain": ({}, (), {}),
        "smoothing": ({}, ("smoothing=4", "least_torque=0.5", "smoothing_time=0.1"), {"smoothing": 4.0, "least": 0.5, "window": 0.1}),
        "active": ({"active": active}, (), {"active": active}),
        "previous": ({"previous": previous}, ("previous_weight=3",), {"before": 3.0}),
        "magnitude": ({"magnitude": magnitude}, (), {"magnitude": magnitude}),
        "guess": ({"guess": guess}, (), {"guess": guess}),
        "speed": ({}, ("velocity_penalty=2.5",), {"speed": 2.5}),
    }
    for name, (members, options, how) in cases.items():
        result = solved(tmp_path, s | members | {"dt": STEP}, "--over-time", *(f"--set=contact.{option}" for option in options))
        expected = over_time(s, FEET, STEP, **({"active": everything, "previous": previous, "magnitude": none} | how))
        np.testing.assert_allclose(result.w, expected, atol=DENSE, err_msg=name)
        if name != "plain":
            assert np.abs(expected - plain).max() > 0.1, name  # it has an effect
    # Without smoothing each frame stands for itself.
    alone = solved(tmp_path, s | {"dt": STEP}, "--over-time", "--set=contact.smoothing=0")
    np.testing.assert_allclose(alone.w, solved(tmp_path, s).w, atol=SAME_DYNAMICS)


def test_states_over_time_take_their_step_from_the_clock_and_not_from_v_next(tmp_path):
    frames = 10
    s = {name: values[:frames] for name, values in states().items()}
    reference = solved(tmp_path, s | {"dt": STEP}, "--over-time")
    small = 1e-4
    by_step = {"q": s["q"], "v": s["v"], "v_next": s["v"] + small * s["a"], "dt": small, "time": TIME[:frames]}
    np.testing.assert_allclose(solved(tmp_path, by_step, "--over-time").w, reference.w, atol=DENSE)


def test_soles_give_uncertainty(tmp_path):
    sole = ("--set", "contact.half_length=0.11", "--set", "contact.half_width=0.05")
    result = solved(tmp_path, {"q": standing(60), "dt": STEP}, "--over-time", *sole)
    assert result.summary["sd_known"] and np.isfinite(result.sd).all() and (result.sd > 0).all()
    link = solved(tmp_path, {"q": standing(60), "dt": STEP}, "--over-time", "--wrench-frame", "link", *sole)
    np.testing.assert_allclose(link.sd, result.sd, rtol=1e-9)  # the soles' axes are the world's here
    weight = 9.81 * pin.computeTotalMass(MODEL)
    np.testing.assert_allclose(result.w[:, :, 2].sum(axis=1), weight, rtol=1e-9)


def test_limits_are_kept_and_exit_codes_tell(tmp_path):
    weight = 9.81 * pin.computeTotalMass(MODEL)
    q = standing()
    pushed = np.zeros((len(q), NV))
    sole = ("--set", "contact.half_length=0.11", "--set", "contact.half_width=0.05")
    for limits in ("pyramid", "cone"):
        fine = solved(tmp_path, {"q": q, "dt": STEP}, "--with-limits", limits, *sole)
        assert fine.summary["feasible"] and fine.summary["broken_limits"] == []
        pushed[:, 0] = 0.9 * weight  # forwards, where friction holds 0.7: what is left is the least sum of slips
        broken = solved(tmp_path, {"q": q, "dt": STEP, "external": pushed}, "--with-limits", limits, "--set", "contact.torque_limits=false", exits=(1,))
        assert {(one["limit"], one["subject"] in FEET) for one in broken.summary["broken_limits"]} == {("friction", True)}
        for step in range(len(q)):
            size = sum(one["by_N"] for one in broken.summary["broken_limits"] if one["step"] == step)
            assert size == pytest.approx(0.2 * weight, abs=2 * KEPT)
        assert np.abs(broken.tau[:, :BASE]).max() < FROM_POSITIONS  # the motion is made in any case
    asked = solved(tmp_path, {"q": q, "dt": STEP, "external": pushed})
    assert asked.summary["feasible"]  # nobody asked


def test_reduce_residual_says_what_it_changed(tmp_path):
    s = states()
    out = solved(tmp_path, s, "--set", "contact.kind=point", "--set", "contact.reduce_residual=true", exits=(0, 1))
    change = numbers_of(out.torque_rows, [f"root_change_{axis}" for axis in ("ax", "ay", "az", "alphax", "alphay", "alphaz")])
    assert np.abs(change).max() > 0.01
    for t in range(FRAMES):
        a = s["a"][t] + np.r_[change[t], np.zeros(NV - BASE)]
        np.testing.assert_allclose(out.tau[t], rnea(Q[t], s["v"][t], a) - explained(Q[t], out.w[t]), atol=SAME_DYNAMICS)
    assert np.abs(out.tau[:, :BASE]).max() < SAME_DYNAMICS


# --- what is refused ----------------------------------------------------------------------------------------------------

def changed(values, at, to):
    values = np.array(values, dtype=float)
    values[at] = to
    return values


V = np.zeros((FRAMES, NV))
DAMPING = np.zeros(NV)
GOOD = {"q": Q, "dt": STEP}
MEMBERS = {  # each: what is wrong, the member it names, what the line says, options
    "two frames": ({"q": Q[:2]}, "q", "has 2 frames; give three or more"),
    "one frame": ({"q": Q[0]}, "q", "has 1 frame; give three or more"),
    "no frames": ({"q": Q[:0]}, "", "holds no positions; give q"),
    "few columns": ({"q": Q[:, 1:]}, "q", "is 40 × 23; give 40 × 24"),
    "many columns": ({"q": np.c_[Q, Q[:, 0]]}, "q", "is 40 × 25; give 40 × 24"),
    "columns in a block": ({"q": Q.reshape(FRAMES, 6, 4)}, "q", "is 40 × 6 × 4; give two extents"),
    "a number": ({"q": 1.0}, "q", "is a single number"),
    "NaN": ({"q": changed(Q, (7, 9), np.nan)}, "q", "holds NaN or infinity in frame 7"),
    "infinity": ({"q": changed(Q, (7, 9), np.inf)}, "q", "holds NaN or infinity in frame 7"),
    "beyond numbers": ({"q": changed(Q, (7, 9), 1e300)}, "q", "the dynamics of frame 6 are beyond numbers"),
    "quaternion too long": ({"q": changed(Q, (7, slice(3, 7)), [0, 0, 0, 1.1])}, "q", "quaternion of frame 7 has length 1.1"),
    "quaternion zero": ({"q": changed(Q, (7, slice(3, 7)), 0)}, "q", "quaternion of frame 7 has length 0"),
    "objects": ({"q": np.array([1, "a", None], dtype=object)}, "q", "cannot be read without running code"),
    "text": ({"q": np.array(["a", "b"])}, "q", "(text) is no number"),
    "complex": ({"q": Q.astype(complex)}, "q", "(complex) is no real number"),
    "no clock": ({"dt": None}, "dt", "is missing; give dt or time"),
    "dt zero": ({"dt": 0.0}, "dt", "is 0; give seconds, more than zero"),
    "dt negative": ({"dt": -STEP}, "dt", "is -0.01"),
    "dt NaN": ({"dt": np.nan}, "dt", "is nan"),
    "dt infinite": ({"dt": np.inf}, "dt", "is inf"),
    "dt twice": ({"dt": [STEP, STEP]}, "dt", "has 2 numbers; give one"),
    "dt too small": ({"dt": 1e-300}, "q", "the dynamics of frame 0 are beyond numbers"),
    "dt against time": ({"time": 2 * TIME}, "dt", "is 0.01 s, but time goes on by 0.02 s a frame"),
    "time repeats": ({"dt": None, "time": changed(TIME, 5, TIME[4])}, "time", "repeats at frame 5"),
    "time goes back": ({"dt": None, "time": changed(TIME, 5, 0.001)}, "time", "goes back at frame 5"),
    "time uneven": ({"dt": None, "time": changed(TIME, 5, 0.0555)}, "time", "is uneven: 0.0155 s before frame 5"),
    "time NaN": ({"dt": None, "time": changed(TIME, 5, np.nan)}, "time", "holds NaN or infinity"),
    "time short": ({"dt": None, "time": TIME[1:]}, "time", "has 39 numbers; give 40"),
    "v alone": ({"v": V}, "a", "is missing beside v"),
    "a alone": ({"a": V}, "v", "is missing beside a"),
    "v_next alone": ({"v_next": V}, "v", "is missing beside v_next"),
    "a and v_next": ({"v": V, "a": V, "v_next": V}, "v_next", "stands beside a"),
    "v_next without dt": ({"v": V, "v_next": V, "dt": None}, "dt", "is missing beside v_next"),
    "v narrow": ({"v": V[:, 1:], "a": V}, "v", "is 40 × 22; give 40 × 23"),
    "a short": ({"v": V, "a": V[1:]}, "a", "is 39 × 23; give 40 × 23"),
    "v empty": ({"v": V[:0], "a": V}, "v", "is empty"),
    "v without columns": ({"v": V[:, :0], "a": V}, "v", "is empty"),
    "a NaN": ({"v": V, "a": changed(V, (3, 3), np.nan)}, "a", "holds NaN or infinity in frame 3"),
    "v_next long": ({"v": V, "v_next": np.vstack([V, V])}, "v_next", "is 80 × 23"),
    "dt of a state wrong": ({"v": V, "v_next": V, "dt": changed(np.full(FRAMES, STEP), 4, -1)}, "dt", "is -1"),
    "dt of states short": ({"v": V, "v_next": V, "dt": np.full(FRAMES - 1, STEP)}, "dt", "has 39 numbers"),
    "guess for one contact": ({"guess": np.zeros((FRAMES, 6))}, "guess", "is 40 × 6; give 40 × 12"),
    "guess of one frame": ({"guess": np.zeros((1, 12))}, "guess", "is 1 × 12; give 40 × 12"),
    "guess turned": ({"guess": np.zeros((FRAMES, 6, 2))}, "guess", "is 40 × 6 × 2; give frames × contacts × 6"),
    "guess NaN": ({"guess": np.full((FRAMES, 12), np.nan)}, "guess", "holds NaN or infinity in frame 0"),
    "previous short": ({"previous": np.zeros((1, 6))}, "previous", "is 1 × 6; give 2 × 6"),
    "previous infinite": ({"previous": np.full((2, 6), np.inf)}, "previous", "holds NaN or infinity"),
    "magnitude short": ({"magnitude": np.zeros((FRAMES, 1))}, "magnitude", "is 40 × 1; give 40 × 2"),
    "magnitude negative": ({"magnitude": -np.ones((FRAMES, 2))}, "magnitude", "holds -1; give 0 or more"),
    "active half": ({"active": np.full((FRAMES, 2), 0.5)}, "active", "holds 0.5; give 1 where a contact touches, else 0"),
    "active short": ({"active": np.ones((FRAMES - 1, 2))}, "active", "is 39 × 2; give 40 × 2"),
    "external narrow": ({"external": V[:, 1:]}, "external", "is 40 × 22"),
    "external NaN": ({"external": changed(V, (2, 2), np.nan)}, "external", "holds NaN or infinity in frame 2"),
    "damping short": ({"damping": DAMPING[1:]}, "damping", "has 22 numbers; give 23"),
    "damping in a block": ({"damping": np.zeros((FRAMES, NV))}, "damping", "is 40 × 23; give one number, or a row"),
    "damping negative": ({"damping": changed(DAMPING, 8, -1)}, "damping", "holds -1; give 0 or more"),
    "damping of the base": ({"damping": np.ones(NV)}, "damping", "acts on the base"),
    "spring negative": ({"spring": changed(DAMPING, 8, -1)}, "spring", "holds -1; give 0 or more"),
    "spring NaN": ({"spring": changed(DAMPING, 8, np.nan)}, "spring", "holds NaN or infinity"),
    "spring of the base": ({"spring": np.ones(NV)}, "spring", "acts on the base"),
    "rest short": ({"spring": DAMPING, "rest": np.zeros(3)}, "rest", "has 3 numbers; give 23"),
    "rest alone": ({"rest": DAMPING}, "rest", "stands without spring"),
    "root_euler narrow": ({"root_euler": np.zeros((FRAMES, 5))}, "root_euler", "is 40 × 5; give 40 × 6"),
    "root_euler NaN": ({"root_euler": np.full((FRAMES, 6), np.nan)}, "root_euler", "holds NaN or infinity in frame 0"),
    "root_euler short": ({"root_euler": np.zeros((FRAMES - 1, 6))}, "q", "beside root_euler give 39 × 17"),
    "states over time without clock": ({"v": V, "a": V, "dt": None}, "dt", "is missing; forces over time", "--over-time"),
    "states over time, a step each": ({"v": V, "a": V, "dt": np.full(FRAMES, STEP)}, "dt", "has 40 numbers; forces over time", "--over-time"),
    "states over time, uneven": ({"v": V, "a": V, "dt": None, "time": changed(TIME, 5, 0.0555)}, "time", "is uneven", "--over-time"),
    "states over time, dt against time": ({"v": V, "a": V, "time": 2 * TIME}, "dt", "but time goes on by 0.02 s", "--over-time"),
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
    "no weight": (("contact.least_torque=0", "contact.smoothing=0"), (), "contact.least_torque: 0 leaves the wrenches undetermined"),
    "no weight of a frame": (("contact.least_torque=0",), (), "contact.least_torque: 0 leaves the wrenches undetermined"),
    "no weight over time": (("contact.least_torque=0", "contact.smoothing=0"), ("--over-time",), "all weights are zero"),
    "no weight with limits": (("contact.least_torque=0",), ("--with-limits", "cone"), "contact.least_torque: 0 leaves"),
    "smoothing alone": (("contact.least_torque=0",), ("--over-time",), "these weights leave the wrenches undetermined"),
    "negative least_torque": (("contact.least_torque=-1",), (), "contact.least_torque: '-1' is no number that fits"),
    "negative smoothing": (("contact.smoothing=-1",), (), "contact.smoothing: '-1'"),
    "negative velocity_penalty": (("contact.velocity_penalty=-1",), (), "contact.velocity_penalty: '-1'"),
    "negative previous_weight": (("contact.previous_weight=-1",), (), "contact.previous_weight: '-1'"),
    "negative friction": (("contact.friction=-0.1",), (), "contact.friction: '-0.1'"),
    "no lever": (("contact.lever=0",), (), "contact.lever: '0' is no number that fits; write a number, more than zero"),
    "NaN": (("contact.smoothing=nan",), (), "contact.smoothing: 'nan'"),
    "infinite": (("contact.smoothing=inf",), (), "contact.smoothing: 'inf'"),
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
        "twice.csv": ("\n".join(table).replace("q_5", "q[4]", 1), "[q[4]]: says the same as 'q_4'; leave one of them out"),
        "clocks.csv": ("\n".join(table).replace("q_5", "t", 1), "[t]: says the same as 'time'"),
        "ragged.csv": ("\n".join([*table[:5], "1,2"]), "ragged.csv:6: 2 cells where the header has 25"),
        "empty.csv": ("", "the file is empty"),
        "head.csv": (head, "holds no positions"),
        "strange.csv": ("x,y\n1,2\n", "holds no positions; give q, N × nq"),
        "motion.txt": ("a motion", "is no motion; give an .npz, a folder of .npy or a .csv"),
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


@pytest.mark.parametrize("name", ["x\u009b31m", "gp\u202ecod", "<script>alert(1)<", b"x\x9b31m\xff"], ids=["c1", "bidi", "markup", "byte"])
def test_hostile_names_stay_text(tmp_path, name):
    raw = name if isinstance(name, bytes) else name.encode()
    file = os.path.join(os.fsencode(tmp_path), raw + b".npz")
    with open(file, "wb") as stream:
        np.savez(stream, **GOOD)
    done = run(*command(file, "--out", tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    page = re.sub("<code>.*?</code>", "", (tmp_path / "out" / "report.html").read_text())  # the command to paste has the name as it is
    for steering in ("\u009b", "\u202e"):
        assert steering not in page and steering not in text(done.stdout)
    assert "<script>alert" not in page
    json.loads((tmp_path / "out" / "summary.json").read_text())
    with open(file, "wb") as stream:
        np.savez(stream, q=Q)
    done = run(*command(file, "--out", tmp_path / "bad"))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    for steering in ("\u009b".encode(), "\u202e".encode(), b"\x9b31m\xff"):
        assert steering not in done.stderr


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


def test_bad_totals_are_named(tmp_path):
    good = person()
    without = lambda *names: {name: values for name, values in good.items() if name not in names}
    whole = total_file(tmp_path / "good.csv", good).read_text()
    out = tmp_path / "out"
    cases = {
        "no kin_Fz": (without("kin_Fz"), "no column 'kin_Fz'"),
        "no t": (without("t"), "no column 't'"),
        "no com": (without("com_y"), "no column 'com_y'"),
        "no rotation": (without("calcn_l_R12"), "calcn_l_R12"),
        "no foot": (without(*(name for name in good if name.startswith("calcn"))), "foot"),
        "two rows": ({name: values[:2] for name, values in good.items()}, "2 rows; a motion needs three or more"),
        "NaN": (good | {"kin_Fy": changed(good["kin_Fy"], 7, np.nan)}, "kin_Fy"),
        "time back": (good | {"t": changed(good["t"], 7, 0)}, "time"),
        "rotation of none": (good | {"calcn_l_R00": changed(good["calcn_l_R00"], 7, 1.1)}, "rotation"),
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
    assert "stands beside --total" in refused("contact", good_file, "--total", good_file, "--out", out)
    assert "did you mean 'calcn_r'" in refused("contact", "--total", good_file, "--contact", "calcn_R", "--out", out)
    assert "twice" in refused("contact", "--total", good_file, "--contact", "calcn_r", "--contact", "calcn_r", "--out", out)
    assert "--with-limits: needs a robot" in refused("contact", "--total", good_file, "--with-limits", "cone", "--out", out)
    assert not out.exists()


# --- nimblephysics ------------------------------------------------------------------------------------------------------

GOLDEN_FOLDER = SHARED / "golden/contact_inverse_dynamics"


@pytest.mark.skipif(not GOLDEN_FOLDER.exists(), reason="reference data absent: golden/contact_inverse_dynamics in ANTAEUS_SHARED (default ../shared)")
@pytest.mark.parametrize("name", ["mini_biped", "solo12", "h1_2_handless"])
def test_the_golden_figures_of_nimblephysics(tmp_path, name):
    golden = json.loads((GOLDEN_FOLDER / f"{name}.json").read_text())
    compared = 0

    def check(members, bodies, wrenches, tau, *options, allowed=GOLDEN):
        nonlocal compared
        out = tmp_path / f"out{compared}"
        done = run(*command(saved(tmp_path, **members), "--out", out, "--set", "contact.compatibility=nimble", "--wrench-frame", "link",
                            *options, contacts=bodies, robot=GOLDEN_FOLDER / "urdf" / f"{name}.urdf"))
        assert done.returncode in (0, 1), done.stderr
        rows = rows_of(out / "torques.csv")
        ours = numbers_of(rows_of(out / "wrenches.csv"), WRENCH[3:] + WRENCH[:3])  # Nimble: moment before force
        theirs = np.array(wrenches, dtype=float).reshape(-1, 6)
        np.testing.assert_allclose(ours, theirs, atol=allowed * max(1, np.abs(theirs).max()), rtol=0)
        torques = numbers_of(rows, [c for c in rows[0] if c not in ("step", "time")])
        np.testing.assert_allclose(torques, np.array(tau).reshape(len(rows), -1), atol=allowed * max(1, np.abs(tau).max()), rtol=0)
        compared += 1

    turned = lambda wrench: np.r_[wrench[3:], wrench[:3]]
    for state in golden["states"]:
        base = {"q": [state["q"]], "v": [state["v"]], "a": [state["a"]], "dt": state["dt"]}
        for one in state["single"][:1]:
            check(base, [one["body"]], one["wrench"], one["tau"])
        for one in state["multi_min_torque"][:1]:
            check(base, one["bodies"], one["wrenches"], one["tau"])
        for one in state["multi_guess"][:1]:
            guess = np.array([turned(w) for w in one["guesses"]])[None]
            check(base | {"guess": guess}, one["bodies"], one["wrenches"], one["tau"])
    for one in golden["over_time"]:
        frames, k = len(one["q"]), len(one["bodies"])
        members = {"q": one["q"], "dt": one["dt"]}
        options = [f"--set=contact.{option}={one[key]}" for option, key in
                   (("smoothing", "smoothing_weight"), ("least_torque", "min_torque_weight"),
                    ("velocity_penalty", "velocity_penalty_coeff"), ("previous_weight", "prev_contact_weight"))]
        if one["prev_contact_forces"]:
            members["previous"] = [turned(w) for w in one["prev_contact_forces"]]
        if one["magnitude_costs"]:
            members["magnitude"] = np.zeros((frames, k))
            members["magnitude"][:frames - 2] = np.array(one["magnitude_costs"]).T[:frames - 2]
        check(members, one["bodies"], one["wrenches"], one["tau"], "--over-time", *options,
              allowed=GOLDEN_ILL if one["min_torque_weight"] == 0 else GOLDEN)
    assert compared == 24 + len(golden["over_time"])
