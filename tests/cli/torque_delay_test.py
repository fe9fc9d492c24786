"""Torques that come late, from a minute of motion at 500 Hz whose torques Pinocchio made: how late, and mended."""

import json

import numpy as np
import pinocchio
from command_line import ROOT, run, text

RATE, LONG = 500.0, 60.0  # Hz, s
PATIENCE = 240.0  # s
CASES = [("panda", 11, 0.006), ("panda", 12, 0.012), ("ur5e", 13, 0.004), ("ur5e", 14, 0.009)]


def minute(robot_file, motors, seed, delay, file):
    """Sines of each joint, another robot by 5 % of each mass, dry and viscous friction, offsets, noise."""
    model = pinocchio.buildModelFromUrdf(robot_file)
    draw = np.random.default_rng(seed)
    joints = [model.joints[model.getJointId(name)] for name in motors]
    at, rows = [j.idx_q for j in joints], [j.idx_v for j in joints]
    low, high = model.lowerPositionLimit[at], model.upperPositionLimit[at]
    middle, size = np.clip(0.5 * (low + high), -2, 2), np.minimum(0.25 * (high - low), 0.5)
    for inertia in list(model.inertias)[1:]:
        share = 1 + 0.05 * draw.normal()
        inertia.mass, inertia.inertia = inertia.mass * share, inertia.inertia * share
    rate, phase = 2 * np.pi * draw.uniform(0.1, 0.5, (len(rows), 3)), draw.uniform(0, 2 * np.pi, (len(rows), 3))
    share = draw.dirichlet(np.ones(3), len(rows)) * size[:, None]

    def motion(times):
        angle = rate[:, :, None] * times + phase[:, :, None]
        sums = lambda parts: parts.sum(axis=1).T
        return (middle + sums(share[..., None] * np.sin(angle)), sums((share * rate)[..., None] * np.cos(angle)),
                -sums((share * rate**2)[..., None] * np.sin(angle)))

    times = np.arange(round(LONG * RATE)) / RATE
    data, effort = model.createData(), model.effortLimit[rows]
    wide = np.zeros((3, model.nv))
    tau = np.empty((len(times), len(rows)))
    q, v, a = motion(times - delay)
    for i in range(len(times)):
        wide[:, rows] = q[i], v[i], a[i]
        tau[i] = pinocchio.rnea(model, data, *wide)[rows]
    tau += effort * (draw.uniform(0.003, 0.01, len(rows)) * np.tanh(v / 0.005) + draw.uniform(0, 0.01, len(rows)) * v)
    tau += effort * (0.005 * draw.normal(size=len(rows)) + 0.002 * draw.normal(size=tau.shape))
    q, v, _ = motion(times)
    np.savez(file, time=times, q=q + 2e-5 * draw.normal(size=q.shape), dq=v + 5e-3 * draw.normal(size=v.shape), tau=tau)
    return file


def delay_of(log, robot, out):
    done = run("identify", log, "--robot", robot, "--contact-free", "all", "--out", out, seconds=PATIENCE)
    assert done.returncode in (0, 1), text(done.stderr)
    summary = json.loads((out / "summary.json").read_text())
    return summary["torque_delay_s"], summary["torque_delay_sd_s"], " ".join(summary["notes"])


def test_a_delay_is_found_within_a_millisecond_and_mended(tmp_path):
    """A fast arm at 1 rad/s is 1 mrad further on by then. Of four draws all lie within three of their sds."""
    for robot, seed, delay in CASES:
        motors = [m["joint"] for m in json.loads(text(run("robot", robot, "--json").stdout))["motors"]]
        urdf = str(ROOT / "robots" / robot / f"{robot}.urdf")
        log = minute(urdf, motors, seed, delay, tmp_path / f"{robot}_{seed}.npz")
        found, sd, notes = delay_of(log, robot, tmp_path / f"out_{robot}_{seed}")
        print(f"{robot} {seed}: late by {1e3 * delay:.1f} ms, found {1e3 * found:.2f} ± {1e3 * sd:.2f} ms")
        assert abs(found - delay) < 1e-3
        assert abs(found - delay) < 3 * sd
        assert ("channels.torque_delay = " in notes) == (delay >= 5e-3)
    profile = tmp_path / "mended.toml"
    stated = (ROOT / "robots" / robot / "profile.toml").read_text()
    stated = stated.replace(f'model = "{robot}.urdf"', f'model = "{urdf}"')
    profile.write_text(stated + f"\n[channels]\ntorque_delay = {found}\n")
    left, sd, notes = delay_of(log, profile, tmp_path / "again")
    assert abs(left) < 1e-3 and "later than" not in notes
