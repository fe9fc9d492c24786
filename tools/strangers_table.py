#!/usr/bin/env python3
"""Robots of others through every verb that takes a robot: the table of all robots; docs/validation.md has its sums.

    tools/strangers_table.py ROBOTS [--mjcf FOLDER] [--cli build/bin/antaeus] [--only WORD] [--write FILE]

ROBOTS is example-robot-data's folder `robots` (default: ANTAEUS_EXAMPLE_ROBOTS), FOLDER that of gymnasium's MJCF files,
`gymnasium/envs/mujoco/assets` in its wheel. A verb counts where it ends with exit code 0 or 1; with 2 its one line is told. The
log is made here: every joint in a small sine about the middle of its range, 120 rows at 200 Hz, torques that no model made.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ROWS, RATE, MOST_ENDPOINTS = 120, 200.0, 6
LOG_VERBS = ("show", "check", "estimate", "audit", "identify", "inject")
MEANING = """A verb counts where it answers (exit code 0, or 1 where it refuses or finds something); what it cannot do, it says in one line.
Endpoints are the leaves of the tree, one a limb, six at most. The pose is the middle of every joint's range. κ is over the directions in
which the endpoint's joints can move it. `advise` counts an endpoint where the nearest pose of both default sets is found; the remarks say which limits no pose passes.
"""


class Cli:
    def __init__(self, program):
        self.program = program

    def run(self, *words, cwd=None):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=600, cwd=cwd)
        lines = [line for line in done.stderr.splitlines() if line.startswith("antaeus: ")]
        bad = done.returncode not in (0, 1, 2) or (done.returncode == 2 and len(lines) != 1)
        if bad:
            raise SystemExit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
        return done.returncode, done.stdout, re.sub(r"/\S*/", "", lines[-1][9:]) if lines else ""


def joints_of_urdf(path):
    """{child link: (joint, type, parent, mimic)}"""
    joints = {}
    for joint in ElementTree.parse(path).getroot().iter("joint"):
        if joint.find("child") is None or joint.get("type") is None:
            continue
        joints[joint.find("child").get("link")] = (joint.get("name"), joint.get("type"), joint.find("parent").get("link"),
                                                   joint.find("mimic") is not None)
    return joints


def leaves_of_urdf(path):
    """Leaf links, one for each last joint that moves, of the longest chains first: [(frame, joints that move it)]"""
    joints = joints_of_urdf(path)
    parents = {parent for _, _, parent, _ in joints.values()}
    ends = {}
    for link in joints:
        if link in parents:
            continue
        chain, at = [], link
        while at in joints:
            name, kind, parent, mimic = joints[at]
            if kind not in ("fixed", "floating", "planar"):
                chain.append((name, mimic))
            at = parent
        if chain and not any(mimic for _, mimic in chain):
            ends.setdefault(chain[0][0], (link, [name for name, _ in reversed(chain)]))
    return sorted(ends.values(), key=lambda end: -len(end[1]))


def leaves_of_mjcf(path):
    ends = []

    def walk(body, chain):
        here = chain + [j.get("name") for j in body.findall("joint") if j.get("name") and j.get("type", "hinge") in ("hinge", "slide")]
        below = body.findall("body")
        if not below and body.get("name") and here:
            ends.append((body.get("name"), here))
        for child in below:
            walk(child, here)

    for world in ElementTree.parse(path).getroot().iter("worldbody"):
        for body in world.findall("body"):
            walk(body, [])
    return sorted(ends, key=lambda end: -len(end[1]))


def write_log(path, motors, middles):
    t = np.arange(ROWS) / RATE
    columns = {"time": t}
    for i, motor in enumerate(motors):
        phase = 0.7 * i
        columns[f"{motor}.position"] = middles[i] + 0.01 * np.sin(6.0 * t + phase)
        columns[f"{motor}.velocity"] = 0.06 * np.cos(6.0 * t + phase)
        columns[f"{motor}.effort"] = 0.1 * np.sin(6.0 * t + phase)
    lines = [",".join(columns)]
    lines += [",".join(f"{column[row]:.9g}" for column in columns.values()) for row in range(ROWS)]
    path.write_text("\n".join(lines) + "\n")


def middle(joint):
    low, high = joint.get("lower"), joint.get("upper")
    known = [x for x in (low, high) if x is not None and math.isfinite(x)]
    if len(known) == 2:
        return 0.5 * (low + high) + 0.1 * min(1.0, high - low)
    return 0.3


def of_robot(cli, path, is_mjcf):
    row = {"name": path.stem, "remarks": []}
    code, out, why = cli.run("robot", path, "--json")
    if code == 2:
        return row | {"loads": False, "why": why}
    told = json.loads(out)
    motors = [motor["joint"] for motor in told["motors"]]
    middles = [middle(motor) for motor in told["motors"]]
    row |= {"loads": True, "motors": len(motors), "base": told.get("base", "?"), "kappas": [], "verbs": {}}
    positions = ",".join(f"{motor}={value:.6f}" for motor, value in zip(motors, middles))
    leaves = [end for end in (leaves_of_mjcf if is_mjcf else leaves_of_urdf)(path) if any(j in motors for j in end[1])]
    row["leaves"] = leaves = leaves[:MOST_ENDPOINTS]
    counts = {verb: [0, 0] for verb in ("ik", "preflight", "advise", "map")}

    def count(verb, fine, why):
        counts[verb][1] += 1
        counts[verb][0] += bool(fine)
        if not fine and why and why not in row["remarks"]:
            row["remarks"].append(why)

    with tempfile.TemporaryDirectory() as folder:
        for frame, chain in leaves:
            own = [joint for joint in chain if joint in motors]
            at = ["--robot", path, "--positions", positions]
            code, out, why = cli.run("preflight", *at, "--endpoint", frame, "--json")
            count("preflight", code < 2, why)
            if code == 2:  # no dynamics: what is asked of frames alone is answered all the same
                code, _, why = cli.run("ik", "--robot", path, "--frame", frame, "--target", "0.1,0,0.1", "--position-only", "--json")
                count("ik", code < 2, why)
                continue
            report = json.loads(out)
            end = report["endpoints"][0]
            kappa = end["kappa"]
            row["kappas"].append((len(own), math.inf if kappa is None or kappa > 1e12 else kappa))
            code, out, why = cli.run("advise", *at, "--endpoint", frame, "--json")
            if code < 2:
                advice = json.loads(out)["advice"]
                found = all(one["found"] for one in advice)
                for one in advice:
                    for note in one.get("left_out", []):
                        short = re.sub(r" cannot be had at .*: none of \d+ poses within its joints' limits passes it, the least is ([^;]*)(;.*)?",
                                       r" never passes: least \1", note)
                        if "never passes" in short and short not in row["remarks"]:
                            row["remarks"].append(short)
            count("advise", code < 2 and found, why or f"advise: no pose for {frame}")
            target = ",".join(f"{x:.6f}" for x in end["position_m"])
            code, _, why = cli.run("ik", "--robot", path, "--frame", frame, "--target", target, "--position-only", "--json")
            count("ik", code == 0, why or f"ik: {frame} not reached")
            if len(own) > 1:
                code, _, why = cli.run("map", *at, "--endpoint", frame, "-j", own[-1], "-j", own[-2], "--steps", 9, "--json")
                count("map", code < 2, why)
        log = Path(folder) / "log.csv"
        write_log(log, motors, middles)
        for verb in LOG_VERBS:
            words = [verb, log, "--robot", path]
            if verb in ("estimate", "audit") and leaves:
                words += ["--endpoint", leaves[0][0]]
            if verb == "identify":
                words += ["--contact-free", "all"]
            if verb == "inject":
                words += ["--fault", "torque_sign"]
            if verb != "estimate":
                words += ["--out", Path(folder) / verb]
            code, _, why = cli.run(*words, cwd=folder)
            row["verbs"][verb] = code < 2
            if code == 2:
                short = re.sub(r"^log\.csv:? ?", "", why)
                row["remarks"].append(f"{verb}: {short}")
        nq = 7 + len(motors)
        motion = Path(folder) / "motion.npz"
        q = np.zeros((20, nq))
        q[:, 6] = 1.0
        q[:, 7:] = middles
        np.savez(motion, q=q, dt=0.01)
        code, _, why = cli.run("contact", motion, "--robot", path, "--inverse-dynamics", "--out", Path(folder) / "contact", cwd=folder)
        row["verbs"]["contact"] = code < 2
        if code == 2:
            row["remarks"].append("contact: " + why)
    return row | {"counts": counts}


def cell(counts):
    good, all_ = counts
    return "–" if all_ == 0 else f"{good}/{all_}"


def kappa_text(kappas):
    return ", ".join(f"{n}: {'∞' if math.isinf(k) else f'{k:.3g}'}" for n, k in sorted(set((n, round(k, 3)) for n, k in kappas))[:4])


def table(rows):
    out = ["| robot | motors | base | joints: κ | ik | preflight | advise | map | logs | remarks |", "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        if not row["loads"]:
            out.append(f"| {row['name']} | – | – | – | – | – | – | – | – | does not load: {escaped(row['why'])} |")
            continue
        done = [verb for verb, fine in row["verbs"].items() if fine]
        logs = "all" if len(done) == len(row["verbs"]) else " ".join(done) or "none"
        remarks = "; ".join(escaped(text) for text in row["remarks"][:4])
        counts = row["counts"]
        out.append(f"| {row['name']} | {row['motors']} | {row['base']} | {kappa_text(row['kappas'])} | {cell(counts['ik'])} | "
                   f"{cell(counts['preflight'])} | {cell(counts['advise'])} | {cell(counts['map'])} | {logs} | {remarks} |")
    return "\n".join(out)


def escaped(text):
    return text.replace("|", "\\|").strip()[:240]


def summary(rows):
    loaded = [row for row in rows if row["loads"]]
    sums = {verb: [sum(row["counts"][verb][i] for row in loaded) for i in (0, 1)] for verb in ("ik", "preflight", "advise", "map")}
    return (f"{len(loaded)} of {len(rows)} load. Endpoints: ik reaches {sums['ik'][0]} of {sums['ik'][1]}, advise answers "
            f"{sums['advise'][0]} of {sums['advise'][1]}, map {sums['map'][0]} of {sums['map'][1]}.")


def page(urdfs, mjcfs):
    text = ["# Third-party robots, through every command", "",
            "Written by `tools/strangers_table.py ROBOTS --mjcf FOLDER --write build/robots.md`, over the URDFs of",
            "[example-robot-data](https://github.com/Gepetto/example-robot-data) 6.0 and the MJCF files of",
            "[gymnasium](https://github.com/Farama-Foundation/Gymnasium) 1.4.", "", MEANING.rstrip(),
            "\"Logs\" are " + ", ".join(f"`{verb}`" for verb in LOG_VERBS) + " of a log made for the robot, and `contact` of a motion.", "",
            "## URDF", "", summary(urdfs), "", table(urdfs), ""]
    if mjcfs:
        text += ["## MJCF", "", summary(mjcfs), "", table(mjcfs), ""]
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="?", default=os.environ.get("ANTAEUS_EXAMPLE_ROBOTS"))
    parser.add_argument("--mjcf")
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "antaeus"))
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    chosen = parser.parse_args()
    if not chosen.robots:
        parser.error("name the folder of example-robot-data, or set ANTAEUS_EXAMPLE_ROBOTS")
    cli = Cli(str(Path(chosen.cli).resolve()))
    files = [[p for p in sorted(Path(chosen.robots).resolve().rglob("*.urdf")) if chosen.only in str(p)],
             [p for p in sorted(Path(chosen.mjcf).resolve().glob("*.xml")) if chosen.only in str(p)] if chosen.mjcf else []]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [list(pool.map(lambda path, mjcf=mjcf: of_robot(cli, path, mjcf), paths)) for paths, mjcf in zip(files, (False, True))]
    text = page(*rows)
    if chosen.write:
        Path(chosen.write).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    sys.exit(main())
