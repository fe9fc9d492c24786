#!/usr/bin/env python3
"""Writes the synthetic logs that tools/compare_outputs.py and tests/cli/features_test.py read.

    tests/support/sample_logs.py FOLDER

Robot dynamics come from the Pinocchio package, so no build of Antaeus influences the logs. The same code writes the same numbers.
"""

import csv
import json
import pathlib
import shutil
import sys

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parents[2]
RATE = 200.0  # Hz, the least rate at which the estimator models inertia
READY = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])  # rad, the Panda's
PUSH = np.array([0.0, 15.0, 0.0])  # N on the robot, world axes
LOAD = 1.2  # kg
UR5E = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]


def swing(model, rest, seed, seconds, rate=RATE, load=0.0, push=None, rested_after=np.inf):
    """Channels of an arm that swings all joints: rigid-body torques, dry friction, offsets and noise.

    `load` is a point mass at the hand [kg], `push` a force at the hand in the middle third, `rested_after` the time from which the arm
    rests [s].
    """
    chance = np.random.default_rng(seed)
    joints = len(rest)
    time = np.arange(round(seconds * rate)) / rate
    moved = np.minimum(time, rested_after)[:, None]
    speed, phase = 0.9 + 0.13 * np.arange(joints), chance.uniform(0, 6, joints)
    q = rest + 0.35 * np.sin(moved * speed + phase)
    moving = time[:, None] < rested_after
    v = np.where(moving, 0.35 * speed * np.cos(moved * speed + phase), 0.0)
    a = np.where(moving, -0.35 * speed**2 * np.sin(moved * speed + phase), 0.0)
    hand = model.getFrameId("panda_hand") if model.existFrame("panda_hand") else model.nframes - 1
    if load:
        parent = model.frames[hand].parentJoint
        model = model.copy()
        model.inertias[parent] += model.frames[hand].placement.act(pin.Inertia(load, np.array([0, 0, 0.05]), np.zeros((3, 3))))
    data = model.createData()
    tau = np.empty_like(q)
    filled = np.zeros((3, max(model.nq, joints)))
    for i in range(len(time)):
        filled[:, :joints] = q[i], v[i], a[i]
        tau[i] = pin.rnea(model, data, *filled)[:joints]
        if push is not None and seconds / 3 <= time[i] < 2 * seconds / 3:  # the motors hold what pushes from outside
            jacobian = pin.computeFrameJacobian(model, data, filled[0], hand, pin.LOCAL_WORLD_ALIGNED)
            tau[i] -= jacobian[:3, :joints].T @ push
    tau += 0.4 * np.tanh(v / 0.03) + 0.1 * np.arange(joints) - 0.3 + chance.normal(0, 0.1, q.shape)
    return {"time": time, "qpos": q, "dq": v, "tau": tau, "target_dof": q}


def write_csv(path, columns):
    """Writes `columns` (name → numbers) with all digits."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))


def as_columns(channels):
    """Columns named as the default patterns of group `episode` name them."""
    columns = {}
    for name, values in channels.items():
        columns |= {name: values} if values.ndim == 1 else {f"{name}_{i}": values[:, i] for i in range(values.shape[1])}
    return columns


def write_arm_logs(folder):
    panda = pin.buildModelFromUrdf(str(ROOT / "robots/panda/panda.urdf"))
    np.savez(folder / "free.npz", **swing(panda, READY, 1, 12))
    np.savez(folder / "free_later.npz", **swing(panda, READY, 2, 12))
    np.savez(folder / "loaded.npz", **swing(panda, READY, 3, 12, load=LOAD))
    rested = swing(panda, READY, 4, 12, rate=50.0, rested_after=6.0)
    np.savez(folder / "slow.npz", **{name: rested[name] for name in ("time", "qpos", "tau")})
    pushed = swing(panda, READY, 5, 6, push=PUSH)
    np.savez(folder / "pushed.npz", **pushed)
    short = swing(panda, READY, 7, 2.5)  # `watch` checks the setup of a longer log, at a priority that a busy machine starves
    np.savez(folder / "short.npz", **short)
    write_csv(folder / "short.csv", as_columns(short))
    measured = swing(panda, READY, 6, 12, push=PUSH)
    force = np.zeros((len(measured["time"]), 3))
    force[len(force) // 3:2 * len(force) // 3] = PUSH
    np.savez(folder / "measured.npz", **measured, force=force)
    (folder / "pushed").mkdir()
    for name, values in pushed.items():
        np.save(folder / "pushed" / f"{name}.npy", values)
    write_csv(folder / "pushed.csv", as_columns(pushed))
    try:
        import pyarrow as pa
        import pyarrow.parquet
        pa.parquet.write_table(pa.table(as_columns(pushed)), folder / "pushed.parquet")
    except ImportError:
        pass  # `make demo` alone installs no pyarrow
    (folder / "tags.csv").write_text("path,operator\nlog0.npz,first\nlog1.npz,second\n")
    fleet = folder / "fleet"
    for number, unit in enumerate(("a", "b", "a")):
        unit_folder = fleet / f"software=1.{number % 2}/date=2026-03-0{number + 1}/unit={unit}"
        unit_folder.mkdir(parents=True)
        np.savez(unit_folder / f"log{number}.npz", **swing(panda, READY, 10 + number, 8, rate=100.0, push=PUSH if number == 2 else None))


def write_recordings(folder):
    """Writes logs in the formats of other programs, for `convert`."""
    ur5e = pin.buildModelFromUrdf(str(ROOT / "robots/ur5e/ur5e.urdf"))
    log = swing(ur5e, np.array([0, -1.2, 1.4, -1.6, -1.5, 0]), 6, 4, rate=125.0)
    names = {"target_q": "target_dof", "actual_q": "qpos", "actual_qd": "dq", "actual_current_as_torque": "tau"}
    write_csv(folder / "rtde.csv", {"timestamp": 1234.5 + log["time"]} | {f"{theirs}_{i}": log[ours][:, i] for theirs, ours in names.items() for i in range(6)})
    rows = np.arange(len(log["time"]))
    write_csv(folder / "plotjuggler.csv", {"__time": 1.7e9 + log["time"]} | {
        f"/joint_states/{field}/{joint}": log[ours][:, i] for field, ours in (("position", "qpos"), ("velocity", "dq"), ("effort", "tau"))
        for i, joint in enumerate(UR5E)})
    names = {"q": "qpos", "dq": "dq", "tau_J": "tau", "q_d": "target_dof"}
    with np.load(folder / "pushed.npz") as pushed:
        write_csv(folder / "libfranka.csv", {"time": 5 * np.arange(200), "success_rate": np.full(200, 0.98)} | {
            f"state.{theirs}[{i}]": pushed[ours][:200, i] for theirs, ours in names.items() for i in range(7)})
    states = [{"idx": int(i), "states": {"left_arm": {"qpos": log["qpos"][i].tolist(), "qvel": log["dq"][i].tolist(), "torque": log["tau"][i].tolist()}},
               "actions": {"left_arm": {"qpos": log["qpos"][i].tolist()}}} for i in rows[:100]]
    (folder / "unitree").mkdir()
    (folder / "unitree/data.json").write_text(json.dumps({"info": {"version": "1.0.0", "image": {"fps": 30}}, "text": {}, "data": states}))
    (folder / "map.toml").write_text('rate = 100.0\nignore = ["timestamp"]\n[joints]\nshoulder_pan_joint = "pan"\n')


def write_motions(folder):
    """Writes motions for `contact`: a biped that sways, and the total wrench of a person who stands."""
    shutil.copy(ROOT / "tests/support/biped.urdf", folder)
    shutil.copy(ROOT / "tests/support/quadruped.urdf", folder)
    model = pin.buildModelFromUrdf(str(folder / "biped.urdf"), pin.JointModelFreeFlyer())
    middle = pin.neutral(model)
    middle[2] = 0.82
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            middle[model.joints[model.getJointId(f"{side}_{joint}")].idx_q] = angle
    waves = 0.03 * np.random.default_rng(7).normal(size=(2, model.nv))
    time = 0.01 * np.arange(60)
    q = [pin.integrate(model, middle, waves[0] * np.sin(2 * np.pi * t) + waves[1] * np.cos(4.2 * np.pi * t)) for t in time]
    np.savez(folder / "sway.npz", q=np.array(q), dt=0.01)
    com, force = np.c_[0.05 + 0 * time, 0.95 + 0 * time, 0.01 * np.sin(2 * time)], np.c_[0 * time, 588.4 + 0 * time, -2.4 * np.sin(2 * time)]
    columns = {"t": time}
    for i, axis in enumerate("xyz"):
        columns |= {f"kin_F{axis}": force[:, i], f"kin_T{axis}": np.cross(com, force)[:, i], f"com_{axis}": com[:, i]}
    for foot, side in (("calcn_r", 0.1), ("calcn_l", -0.1)):
        columns |= {f"{foot}_p{axis}": at + 0 * time for axis, at in zip("xyz", (0.0, 0.03, side), strict=True)}
        columns |= {f"{foot}_R{i}{j}": float(i == j) + 0 * time for i in range(3) for j in range(3)}
    write_csv(folder / "total.csv", columns)


def write_targets(folder):
    """Writes targets for `ik` and poses for `map`: most within reach, one beyond it."""
    panda = pin.buildModelFromUrdf(str(ROOT / "robots/panda/panda.urdf"))
    data, chance = panda.createData(), np.random.default_rng(8)
    rows, poses = [], []
    for _ in range(12):
        q = np.r_[READY + chance.uniform(-0.4, 0.4, 7), 0, 0]
        pin.framesForwardKinematics(panda, data, q)
        pose = data.oMf[panda.getFrameId("panda_hand")]
        rows.append([*pose.translation, *pin.Quaternion(pose.rotation).coeffs()])
        poses.append(q[:7])
    rows.append([1.5, 0, 0.5, 1, 0, 0, 0])
    write_csv(folder / "targets.csv", dict(zip(("x", "y", "z", "qx", "qy", "qz", "qw"), np.array(rows).T, strict=True)))
    write_csv(folder / "poses.csv", {f"panda_joint{i + 1}": np.array(poses)[:, i] for i in range(7)})
    angle = np.linspace(0, 2 * np.pi, 25)
    write_csv(folder / "path.csv", {"x": 0.4 + 0.1 * np.cos(angle), "y": 0.1 * np.sin(angle), "z": 0.4 + 0 * angle})


def write_sample_logs(folder):
    """Writes all logs into the new folder `folder`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for write in (write_arm_logs, write_recordings, write_motions, write_targets):
        write(folder)


if __name__ == "__main__":
    write_sample_logs(sys.argv[1])
