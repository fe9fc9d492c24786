"""Real logs as rows of the same table, where the folder ANTAEUS_SHARED has them: logs that nothing touched, whose true
force is zero, and a leg above a force sensor. docs/build.md#reference-data says how to get them.
"""

import collections
import os
import pathlib
import tempfile

import antaeus
import judge
import numpy as np
import robots

SETTLED = 1.5  # [s] after which results count
Log = collections.namedtuple("Log", "name title robot endpoints time q tau v truth")  # truth: [n, 3] on the robot, or None
Happened = collections.namedtuple("Happened", "truth pushed pushes")
UR10E_GAINS = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)  # [N·m/A] that the data set states
TOUCHES_FROM = 3.0  # [N] of a measured force
SENSOR_RANGE = 100.0  # [N] beyond which the leg's sensor is not believed


def h1_2_logs(folder):
    robot = antaeus.load_robot("h1_2")
    wrists = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
    for name in ("re1_real_encode", "re1_real_no_encode", "re2_real_encode"):
        episode = antaeus.load_episode(folder / name, robot)
        v = np.array(episode.v) if len(episode.v) else None
        yield Log(name, f"Real log {name.split('_')[0].upper()} ({name}), no touch of the hands known", robot, wrists,
                  np.array(episode.time), np.array(episode.q), np.array(episode.tau), v, None)  # fmt: skip


def ur10e_logs(folder):
    robot = antaeus.load_robot(folder / "ur10e.urdf")
    endpoint = robots.load("ur10e", str(folder / "ur10e.urdf"), {"endpoints": [tip(robot)]}).endpoints
    for file in sorted(folder.glob("*.csv")):
        columns = np.loadtxt(file, delimiter=",")
        columns = columns[np.r_[True, np.diff(columns[:, 0]) > 0]]  # a few time stamps repeat
        yield Log(f"ur10e_{file.stem.split('-')[0]}", f"Real log of a UR10e ({file.stem}), untouched", robot, endpoint,
                  columns[:, 0], columns[:, 1:7], columns[:, 13:19] * UR10E_GAINS, columns[:, 7:13], None)  # fmt: skip


def tip(robot):
    """The last link of a chain."""
    description = robot.model.description()
    parents = {joint.parent for joint in description.joints}
    moved = {joint.child for joint in description.joints}
    tips = [link.name for link in description.links if link.name not in parents and link.name in moved]
    deep = lambda name: len(robot.model.supporting_motors(robot.model.frame(name)))
    return max(tips, key=lambda name: (deep(name), name == "tool0"))


def hopper_log(folder):
    with tempfile.TemporaryDirectory() as beside:
        profile = pathlib.Path(beside) / "leg.toml"
        profile.write_text(f'schema = 1\nname = "leg"\nmodel = "{folder / "teststand.urdf"}"\nbase = "fixed"\n'
                           'motors = ["HFE", "KFE"]\n', encoding="utf-8")  # fmt: skip
        robot = antaeus.load_robot(profile)
    tables = [np.loadtxt(folder / f"long_{name}.dat") for name in ("joint_positions", "joint_torques", "ati_force")]
    shared = sorted(set.intersection(*(set(table[:, 0].astype(int)) for table in tables)))
    q, tau, force = (table[np.searchsorted(table[:, 0].astype(int), shared), 1:] for table in tables)
    good = abs(force).max(axis=1) < SENSOR_RANGE
    time = 0.001 * (np.array(shared) - shared[0])
    yield Log("leg", "Real log of a leg above a force sensor (foot's force measured)", robot, ["contact"], time[good],
              q[good], tau[good], None, force[good])  # fmt: skip


SETS = {"episodes": h1_2_logs, "measured/ur10e": ur10e_logs, "measured/hopper": hopper_log}


def judged(log):
    began = log.time[0]
    period = float(np.median(np.diff(log.time)))
    recorder = judge.Recorder(robots.Subject(log.name, log.robot, log.endpoints, [], None, None, None, {}, ""))
    for at, time in enumerate(log.time):
        channels = {"time": time, "q": log.q[at], "tau": log.tau[at]}
        if log.v is not None:
            channels["v"] = log.v[at]
        recorder(antaeus.Observation(**channels))
    found = recorder.arrays()
    found["time"] = found["time"] - began
    truth = np.zeros((len(log.time), len(log.endpoints), 3))
    if log.truth is not None:
        truth[:, 0] = np.where(np.linalg.norm(log.truth, axis=1)[:, None] > TOUCHES_FROM, log.truth, 0.0)
    pushed = np.abs(truth).max(axis=(1, 2)) > 0
    total = judge.sums(found, Happened(np.concatenate([truth, 0 * truth], axis=2), pushed, []), SETTLED, period)
    reasons = sorted(recorder.reasons, key=recorder.reasons.get, reverse=True)[:4]
    return {"scenario": log.name, "title": log.title, "family": "logs", "robot": log.robot.profile.name,
            "residual": recorder.kind, "seeds": 1, **judge.figures(total), "coverage_of_blocks": len(total["blocks"]),
            "listed": "–", "offset_Nm": float("nan"), "detectable_Nm": float("nan"), "power": float("nan"),
            "reasons": reasons}  # fmt: skip


def rows(say):
    """(rows, what was left out and why)."""
    shared = os.environ.get("ANTAEUS_SHARED")
    if not shared:
        return [], [("real logs", "ANTAEUS_SHARED is not set; docs/build.md#reference-data says what it holds")]
    found, skipped = [], []
    for name, logs in SETS.items():
        folder = pathlib.Path(shared) / name
        if not folder.is_dir():
            skipped.append((f"real logs of {name}", f"{folder} is not there; docs/build.md#reference-data says how to get it"))
            continue
        try:
            for log in logs(folder):
                found.append(judged(log))
                say(f"{log.name}: {found[-1]['minutes']:.1f} minutes of a real log")
        except (antaeus.Error, OSError, ValueError, IndexError) as error:
            skipped.append((f"real logs of {name}", f"{' '.join(str(error).split())}"))
    return found, skipped
