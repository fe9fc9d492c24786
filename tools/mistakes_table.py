#!/usr/bin/env python3
"""Mistakes planted in made logs, and what `antaeus check` calls them: the table behind docs/guide/check.md.

    tools/mistakes_table.py [--seeds 2] [--write build/mistakes.md]

Logs are made with Pinocchio: `rnea` of a description whose masses, levers and gains are off as those of real robots are,
with dry, viscous and Stribeck friction, ripple, rotors, and coloured noise. None of the numbers here are those that the
check uses. Robots: UR5e, Panda (7 joints), an arm of 3 joints of its own; motions: all joints in sines, point to point with
rests, one joint after the other.
"""
import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin

ROOT = Path(__file__).resolve().parent.parent
ARM = """<?xml version="1.0"?><robot name="arm3">
<link name="base"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l1"><inertial><origin xyz="0 0.01 0.1"/><mass value="3"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l2"><inertial><origin xyz="0.02 0 0.2"/><mass value="2.5"/>
  <inertia ixx="0.03" iyy="0.03" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l3"><inertial><origin xyz="0 0.01 0.15"/><mass value="1.2"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="yaw" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="60" velocity="3"/></joint>
<joint name="shoulder" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
  <limit lower="-2.2" upper="2.2" effort="60" velocity="3"/></joint>
<joint name="elbow" type="revolute"><parent link="l2"/><child link="l3"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
  <limit lower="-2.5" upper="2.5" effort="30" velocity="3"/></joint>
</robot>
"""
MOTIONS = ("sines", "point to point", "one by one")


def model_of(name, folder):
    """Pinocchio's model of the joints that are motors, and what --robot is given."""
    if name == "arm3":
        path = Path(folder) / "arm3.urdf"
        path.write_text(ARM)
        return pin.buildModelFromUrdf(str(path)), str(path)
    model = pin.buildModelFromUrdf(str(ROOT / "robots" / name / f"{name}.urdf"))
    fingers = [model.getJointId(j) for j in model.names if "finger" in j]
    return (pin.buildReducedModel(model, fingers, pin.neutral(model)) if fingers else model), name


def motion(model, kind, seconds, rate, rng):
    n, t = model.nv, np.arange(0, seconds, 1 / rate)
    low, high = np.maximum(model.lowerPositionLimit, -2.5), np.minimum(model.upperPositionLimit, 2.5)
    middle = 0.5 * (low + high) + 0.2 * (high - low) * rng.uniform(-1, 1, n)
    reach = np.minimum(0.3 * (high - low), 0.6) * rng.uniform(0.6, 1, n)
    q = np.tile(middle, (len(t), 1))
    if kind == "sines":
        for j in range(n):
            for k in range(3):
                q[:, j] += 0.7 * reach[j] / (k + 1) * np.sin(2 * np.pi * rng.uniform(0.1, 0.5) * t + rng.uniform(0, 6.28))
    elif kind == "point to point":
        start, begin = middle.copy(), 0.0
        while begin < seconds:
            end, lasts, rest = middle + reach * rng.uniform(-1, 1, n), rng.uniform(1.5, 2.5), rng.uniform(0.3, 1)
            s = np.clip((t - begin) / lasts, 0, 1)
            later = t >= begin
            q[later] = start + (end - start) * (10 * s**3 - 15 * s**4 + 6 * s**5)[later, None]
            start, begin = end, begin + lasts + rest
    else:
        for j in range(n):
            s = t * n / seconds - j
            here = (s >= 0) & (s < 1)
            q[here, j] += reach[j] * np.sin(4 * np.pi * s[here]) * np.sin(np.pi * s[here]) ** 2
    v = np.gradient(q, 1 / rate, axis=0)
    return t, q, v, np.gradient(v, 1 / rate, axis=0)


def coloured(count, sd, rate, rng, constant=0.3):
    a = np.exp(-1 / (rate * constant))
    x, noise = np.zeros(count), sd * np.sqrt(1 - a * a) * rng.standard_normal(count)
    x[0] = sd * rng.standard_normal()
    for i in range(1, count):
        x[i] = a * x[i - 1] + noise[i]
    return x


@functools.lru_cache(maxsize=8)
def honest_log(name, kind, seed, folder, seconds=20.0, rate=200.0, payload=0.0, tilt=0.0, friction=True):
    rng = np.random.default_rng(seed)
    model, robot = model_of(name, folder)
    t, q, v, a = motion(model, kind, seconds, rate, rng)
    real = model.copy()
    for i in range(1, real.njoints):
        body, k = real.inertias[i], max(1 + 0.08 * rng.standard_normal(), 0.5)
        lever = body.lever * (1 + 0.06 * rng.standard_normal(3)) + 0.002 * rng.standard_normal(3)
        real.inertias[i] = pin.Inertia(body.mass * k, lever, body.inertia * k * (1 + 0.05 * rng.standard_normal()))
    if payload:
        mass = payload * sum(body.mass for body in real.inertias)
        last = real.njoints - 1
        real.inertias[last] = real.inertias[last] + pin.Inertia(mass, np.array([0, 0, 0.08]), 0.01 * mass * np.eye(3))
    if tilt:
        axis = rng.uniform(-1, 1, 2)
        axis *= tilt / np.linalg.norm(axis)
        real.gravity.linear = pin.exp3(np.array([axis[0], axis[1], 0])) @ real.gravity.linear
    data = real.createData()
    tau = np.array([pin.rnea(real, data, q[i], v[i], a[i]) for i in range(len(t))])
    usual = tau.std(0)
    for j in range(model.nv):
        s = max(usual[j], 0.02 * usual.max())
        motor = min(model.effortLimit[j], 10 * usual.max())
        dry, viscous = 0.03 * motor * rng.uniform(0.5, 1.5), 0.02 * motor * rng.uniform(0.5, 1.5)
        if friction:
            stribeck = 1 + 0.3 * np.exp(-((v[:, j] / 0.1) ** 2))
            tau[:, j] += dry * stribeck * np.tanh(v[:, j] / 0.02) + viscous * v[:, j] + 0.05 * dry * np.sin(8 * q[:, j])
        tau[:, j] += 0.01 * motor * rng.uniform(0, 1) * a[:, j]
        tau[:, j] *= 1 + 0.03 * rng.standard_normal()
        tau[:, j] += coloured(len(t), 0.015 * s + 0.002 * motor, rate, rng) + 0.002 * motor * rng.standard_normal(len(t))
        tau[:, j] += 0.01 * s * rng.standard_normal()
    data = model.createData()
    gravity = np.array([pin.computeGeneralizedGravity(model, data, x) for x in q[::50]])
    loaded = model.names[1 + int(np.argmax(np.sqrt((gravity**2).mean(0))))]
    log = dict(time=t, qpos=q + 1e-4 * rng.standard_normal(q.shape), dq=v + 0.005 * rng.standard_normal(v.shape), tau=tau)
    return log, robot, list(model.names[1:]), loaded


# What is planted; before (commit bcf517f, UR5e, one log: what `show`, `audit` or `identify` said first); the names that are right.
# "joint": L the joint that gravity loads most, 0, 1, … by number.
ROWS = [
    ("positions and velocities in degrees", "named late", "positions_degrees", {"fault": "positions_degrees"}),
    ("velocities in degrees per second", "misnamed", "velocity_scale", {"fault": "velocity_scale", "size": 57.29578}),
    ("time in milliseconds", "misnamed", "time_unit", {"fault": "time_unit", "size": 1000}),
    ("time in microseconds", "not tried", "time_unit", {"fault": "time_unit", "size": 1e6}),
    ("torque columns 1 and 2 exchanged", "false story", "torque_order", {"fault": "torque_order", "joints": (1, 2)}),
    ("torque columns 0 and 1 exchanged", "not tried", "torque_order", {"fault": "torque_order", "joints": (0, 1)}),
    ("torque sign, first axis", "silent", "torque_sign", {"fault": "torque_sign", "joints": (0,)}),
    ("torque sign, joint with gravity", "misnamed", "torque_sign", {"fault": "torque_sign", "joints": ("L",)}),
    ("sign of all torques", "false story", "torque_sign", {"scale": -1.0}),
    ("position sign, joint 1 (q and dq)", "false story", "position_sign", {"fault": "position_sign", "joints": (1,)}),
    ("sign of one dq", "false story", "velocity_sign", {"fault": "velocity_sign", "joints": (1,)}),
    ("dq 80 ms late", "not tried", "velocity_late", {"fault": "velocity_late", "size": 0.08}),
    ("torque 20 ms late", "only identify", "torque_late", {"fault": "torque_late", "size": 0.02}),
    ("torque 50 ms late", "only identify", "torque_late", {"fault": "torque_late", "size": 0.05}),
    ("frozen torque", "named", "torque_frozen", {"fault": "torque_frozen", "joints": (1,)}),
    ("frozen q", "only show", "position_frozen joint_locked", {"fault": "position_frozen", "joints": (1,)}),
    ("torque × 2, joint with gravity", "not tried", "torque_gain", {"fault": "torque_gain", "joints": ("L",), "size": 2}),
    ("torque × 1.2, joint with gravity", "silent", "torque_gain", {"fault": "torque_gain", "joints": ("L",), "size": 1.2}),
    ("torque × 100, joint with gravity", "only identify", "torque_gain", {"fault": "torque_gain", "joints": ("L",), "size": 100}),
    ("currents, all × 0.1", "only identify", "torque_gain", {"scale": 0.1}),
    ("mN·m", "false story", "torque_gain", {"scale": 1000.0}),
    ("motor side, gear 100", "only identify", "motor_side torque_gain", {"fault": "motor_side"}),
    ("torques without gravity", "false story", "gravity_removed", {"fault": "gravity_removed"}),
    ("saturated torque", "not tried", "torque_saturated torque_frozen", {"fault": "torque_saturated", "joints": ("L",)}),
    ("zero of a joint with gravity 0.3 rad off", "not tried", "position_offset", {"fault": "position_offset", "joints": ("L",), "size": 0.3}),
    ("two joints' q and dq exchanged", "not tried", "joint_order", {"fault": "joint_order", "joints": (1, 2)}),
    ("load of 12 % of the mass", "not tried", "payload", {"payload": 0.12}),
    ("base tilted by 25°", "not tried", "base_tilted", {"tilt": 0.436}),
    ("gap of the clock", "named", "time_gap", {"fault": "time_gap"}),
    ("time goes back", "named", "time_back", {"fault": "time_back"}),
    ("no friction in the torques (a note)", "not tried", "friction_removed", {"friction": False}),
    ("nothing", "–", "", {}),
]
# Bounds that the check states itself: such a size may be the description's error.
NOT_TOLD = {"torque × 1.2, joint with gravity"}


class Trial:
    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)

    def run(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return done.stdout

    def judge(self, name, kind, seed, row):
        """named, told (among A or B, or as a note), not told, wrong."""
        title, _, right, how = row
        made = {key: how[key] for key in ("payload", "tilt", "friction") if key in how}
        log, robot, joints, loaded = honest_log(name, kind, seed, self.folder, **made)
        if "scale" in how:
            log = {**log, "tau": log["tau"] * how["scale"]}
        path = self.folder / "log.npz"
        np.savez(path, **log)
        if "fault" in how:
            words = ["inject", str(path), "--robot", robot, "--fault", how["fault"], "--out", str(self.folder / "planted")]
            if "joints" in how:
                words += ["--joints", ",".join(loaded if j == "L" else joints[j] for j in how["joints"])]
            if "size" in how:
                words += ["--size", str(how["size"])]
            self.run(*words)
            path = self.folder / "planted"
        findings = json.loads(self.run("check", str(path), "--robot", robot, "--json"))["findings"]
        loud = [f for f in findings if f["severity"] != "note"]
        names = right.split()
        if not names:
            return "named" if not loud else "wrong"
        first = (loud or findings or [None])[0]
        if first is None:
            return "not told"
        if first["fault"] in names:
            return "named" if not first["alternatives"] or first["severity"] != "note" else "told"
        if any(n in first["alternatives"] for n in names):
            return "told"
        return "wrong" if loud else "not told"


def table(program, robots, motions, seeds, rows=ROWS, progress=None):
    counts = {row[0]: dict.fromkeys(("named", "told", "not told", "wrong"), 0) for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(program, folder)
        for name in robots:
            for kind in motions:
                for seed in seeds:
                    for row in rows:
                        answer = trial.judge(name, kind, seed, row)
                        counts[row[0]][answer] += 1
                        if progress and answer in ("wrong", "not told"):
                            progress(f"{name}, {kind}, seed {seed}: {row[0]}: {answer}")
    return counts


def markdown(counts):
    lines = ["| fault | named first | alternative or note | not found | wrong |", "|---|---|---|---|---|"]
    total = dict.fromkeys(("named", "told", "not told", "wrong"), 0)
    for title, *_ in ROWS:
        if title not in counts:
            continue
        c = counts[title]
        for key in total:
            total[key] += c[key]
        lines.append(f"| {title} | {c['named']} | {c['told']} | {c['not told']} | {c['wrong']} |")
    lines.append(f"| **sum** | {total['named']} | {total['told']} | {total['not told']} | {total['wrong']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--program", default=os.environ.get("ANTAEUS_CLI", str(ROOT / "build/bin/antaeus")))
    parser.add_argument("--rows", default="", help="only rows that begin so, e.g. nothing: right logs")
    parser.add_argument("--write", help="file for the table")
    options = parser.parse_args()
    counts = table(options.program, ("ur5e", "panda", "arm3"), MOTIONS, range(101, 101 + options.seeds),
                   rows=[row for row in ROWS if row[0].startswith(options.rows)], progress=lambda text: print(text, file=sys.stderr))
    text = markdown(counts)
    print(text)
    if options.write:
        Path(options.write).write_text(f"{text}\n")


if __name__ == "__main__":
    main()
