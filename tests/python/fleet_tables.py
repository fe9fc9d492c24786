"""Tables of a fleet as `antaeus fleet finish` writes them, drawn from a seeded generator, with faults planted by name."""

import datetime
import hashlib
import urllib.parse

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from antaeus.fleet import schema

FAULTS = ("friction", "offset_step", "pose", "noise", "payload", "phantom", "corrupt", "software", "lies", "odd_log", "sign")
ROBOTS = {"panda": ["panda_joint%d" % (i + 1) for i in range(7)],
          "ur5e": ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"],
          "h1_2": ["torso", "left_shoulder", "left_elbow", "right_shoulder", "right_elbow"]}
ENDPOINT = {"panda": "panda_hand", "ur5e": "tool0", "h1_2": "left_wrist_yaw_link"}
START, NEW_SOFTWARE_DAY = datetime.date(2026, 3, 1), 20


def _write(folder, name, robot, rows, columns):
    kept = pa.schema([field for field in columns if field.name != "robot"])
    place = folder / name / f"robot={robot}"
    place.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([{field.name: row.get(field.name) for field in kept} for row in rows], schema=kept)
    pq.write_table(table, place / "part-0.parquet", compression="zstd")


def write_fleet(folder, faults=FAULTS, *, days=40, units=3, seconds=120, seed=5, robots=tuple(ROBOTS), dated=True, names=str, first_day=0):
    """seed: of the days; units are the same whatever it is. names: what becomes of every name of a robot, unit, tag and path. Returns the folder."""
    plan = []
    for number, (robot, joints) in enumerate(ROBOTS.items()):
        if robot not in robots:
            continue
        rows = {name: [] for name in ("steps", "events", "joints", "episodes")}
        own = names(robot)
        for unit in range(units):
            chance = np.random.default_rng([17, number, unit])  # a unit is itself in every fleet
            base_offset, base_friction = chance.normal(0, 0.3, len(joints)), chance.uniform(0.5, 3, len(joints))
            base_noise = chance.uniform(0.08, 0.1, len(joints))
            for day in range(first_day, first_day + days):
                chance = np.random.default_rng([seed, number, unit, day])
                _log(rows, chance, robot, unit, day, joints, (base_offset, base_friction, base_noise), faults, seconds, dated, names)
        for row in rows["episodes"]:
            row["robot"] = own
            plan.append({"id": row["id"], "path": row["path"], "kind": "npz", "bytes": 1000, "hash": row["hash"], "robot": own,
                         "profile": own, "version": "0", "software": row["software"], "date": row["date"], "unit": row["unit"],
                         "tags": row["tags"]})
        place = urllib.parse.quote(own, safe="")
        for name, columns in (("steps", schema.STEPS), ("events", schema.EVENTS), ("joints", schema.JOINTS), ("episodes", schema.EPISODES)):
            _write(folder, name, place, rows[name], columns)
    pq.write_table(pa.Table.from_pylist([{field.name: row.get(field.name) for field in schema.PLAN} for row in plan],
                                        schema=schema.PLAN), folder / "plan.parquet")
    return folder


def _log(rows, chance, robot, unit, day, joints, base, faults, seconds, dated, names):
    software = "1.5" if day >= NEW_SOFTWARE_DAY else "1.4"
    path = f"software={software}/date={START + datetime.timedelta(day)}/{robot}-{unit}.npz"
    known = {"id": hashlib.sha256(f"{path} {robot}".encode()).hexdigest()[:16], "hash": hashlib.sha256(path.encode()).hexdigest(),
             "path": names(path), "copy_of": "", "software": names(software), "unit": names(f"{robot}-{unit}"),
             "date": str(START + datetime.timedelta(day)) if dated else "", "tags": {"software": names(software)}, "version": "0",
             "sign": "on_robot"}
    if "corrupt" in faults and robot == "panda" and day % 13 == 5:
        rows["episodes"].append(known | {"status": "failed", "cause": "corrupt", "reason": f"{path}: holds no array; record it again"})
        return
    # Joints that stand: a slow walk from pose to pose, every second.
    place = np.clip(np.cumsum(chance.normal(0, 0.15, (seconds, len(joints))), 0) + chance.uniform(-1.2, 1.2, len(joints)), -2.4, 2.4)
    rate = np.full(seconds, 6 / 3600)  # alarms a second
    if "pose" in faults and robot == "h1_2":
        rate[(place[:, 2] >= 1.0) & (place[:, 2] < 1.5)] = 240 / 3600
    if "software" in faults and robot == "panda" and day >= NEW_SOFTWARE_DAY:
        rate *= 8
    alarms = np.flatnonzero(chance.random(seconds) < rate)
    pose = [row.astype(np.float32).tolist() for row in place]
    payload = "payload" in faults and robot == "ur5e" and unit == 2 and day >= NEW_SOFTWARE_DAY
    force = chance.normal(0, 1.5, (seconds, 3)) + [0, 0, -12.0 if payload else 0.0]
    above = np.where(np.linalg.norm(force, axis=1) > 6, 50, chance.binomial(50, 0.03, seconds))
    refused = np.where(chance.random(seconds) < 0.02, 50, 0)
    common = {"id": known["id"], "endpoint": ENDPOINT[robot], "pose_joints": joints}
    for t in range(seconds):
        rows["steps"].append(common | {
            "time": float(t), "seconds": 1.0, "samples": 50, "ok": int(50 - refused[t]), "degraded": 0, "refused": int(refused[t]),
            "Fx": force[t, 0], "Fy": force[t, 1], "Fz": force[t, 2], "force_max": float(np.linalg.norm(force[t])), "sd_max": 2.0,
            "above": int(min(above[t], 50 - refused[t])), "kappa": 8.0, "reasons": "", "sign": "on_robot", "pose": pose[t]})
    for t in alarms:
        rows["events"].append(common | {
            "kind": "alarm", "begin": float(t), "end": float(t) + 0.3, "force": float(chance.uniform(5, 60)), "sd": 2.0,
            "joint": joints[2 if robot == "h1_2" else int(chance.integers(len(joints)))], "reason": "residual_inconsistent", "q": pose[t],
            "worst_time": float(t) + 0.1, "pose": pose[t]})
    phantoms = 2 if "phantom" in faults and robot == "h1_2" and day >= NEW_SOFTWARE_DAY else 0
    for k in range(phantoms):
        rows["events"].append(common | {"kind": "phantom", "begin": 10.0 * k, "end": 10.0 * k + 1, "force": 25.0, "sd": 2.0,
                                        "joint": joints[1], "reason": "", "q": pose[0], "worst_time": 10.0 * k, "pose": pose[0]})
    offset, friction, noise = base
    for j, joint in enumerate(joints):
        grown = 1 + 0.3 * day / 30 if "friction" in faults and (robot, unit, j) == ("panda", 1, 2) else 1.0
        stepped = 0.6 if "offset_step" in faults and (robot, unit, j) == ("ur5e", 0, 1) and day >= NEW_SOFTWARE_DAY else 0.0
        loud = 3.0 if "noise" in faults and (robot, unit, j) == ("panda", 2, 4) else 1.0
        if "odd_log" in faults and (robot, unit, j, day) == ("ur5e", 1, 3, 7):
            grown = 1.6
        rows["joints"].append({
            "id": known["id"], "joint": joint, "place": j, "samples": 50 * seconds, "moving": 0.8 * seconds,
            "noise": noise[j] * loud * chance.lognormal(0, 0.03), "offset": offset[j] + stepped + chance.normal(0, 0.05), "offset_sd": 0.05,
            "coulomb": friction[j] * grown + chance.normal(0, 0.03), "coulomb_sd": 0.03, "viscous": 0.5 + chance.normal(0, 0.02),
            "viscous_sd": 0.02, "verdict": "ok", "reason": ""})
    covered = 0.7 if "lies" in faults and robot == "ur5e" and day >= NEW_SOFTWARE_DAY else 0.95
    rows["episodes"].append(known | {
        "status": "done", "reason": "", "cause": "", "duration_s": float(seconds), "samples": 50 * seconds, "rate_hz": 50.0,
        "ok_s": float(seconds - refused.sum() / 50), "degraded_s": 0.0, "refused_s": float(refused.sum() / 50), "alarms": len(alarms),
        "contacts": 0, "phantoms": phantoms, "untouched_s": 30.0, "untouched_covered": float(np.clip(chance.normal(covered, 0.02), 0, 1)),
        "force_max": float(np.linalg.norm(force, axis=1).max()), "worst_time": float(alarms[0]) if len(alarms) else 0.0,
        "formed_of": "static", "computed_by": "replay",
        "notes": "50 Hz",
        "setup_fault": "all torques have the opposite sign" if "sign" in faults and (robot, unit, day) == ("ur5e", 1, 9) else ""})
