#!/usr/bin/env python3
"""Inverse kinematics of others beside ours, on one target set, judged by Pinocchio's forward kinematics.

    build/venv/bin/python benchmarks/ik_peers.py            the whole run, at most a quarter of an hour
    build/venv/bin/python benchmarks/ik_peers.py --quick    fewer targets, under a minute once the peers are installed
    build/venv/bin/python benchmarks/ik_peers.py --write    also docs/figures/ik-peers.svg

The peers' packages go into build/ik_peers by benchmarks/ik_peers.lock; what does not install is said and left out. Into
build/bench_ik go targets, answers, peers.json, peers.md and peers.svg. Ours come from `antaeus ik --timing`, and from
build/bench_ik/ours.json where ik_benchmark has written it: {"seed": that of the targets, "rows": as in peers.json}.
"""

import argparse
import csv
import datetime
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import venv

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ik_figure
import ik_targets as sets

ROOT = sets.ROOT
INSTALLED, OUT = ROOT / "build/ik_peers", ROOT / "build/bench_ik"
FIGURE = ROOT / "docs/figures/ik-peers.svg"
LIMIT, QUICK_LIMIT = 700.0, 45.0  # [s] of all peers together
# peer → the environment that it runs in
PEERS = {
    "kdl_lma": "kdl", "kdl_lma_restarts": "kdl", "kdl_nr_jl": "kdl", "kdl_nr_jl_restarts": "kdl", "mink": "mink",
    "mujoco_minimize": "mink", "pink": "pink", "placo": "placo", "placo_reg_0.01": "placo", "roboplan_oink": "roboplan",
    "roboplan_restarts": "roboplan", "roboplan_restarts_step_1": "roboplan", "roboplan_simple_ik": "roboplan",
}  # fmt: skip
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def say(text):
    print(text, flush=True)


# ------------------------------------------------------------------------------------ installing


def read_lock(text):
    """Section → its packages."""
    sections, here = {}, None
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if match := re.fullmatch(r"\[(.+)\]", line):
            here = sections.setdefault(match.group(1), [])
        elif line:
            here.append(line)
    return sections


def last_line(done):
    lines = [line for line in (done.stderr + done.stdout).strip().splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line]
    return (errors or lines or ["no message"])[-1].strip()


def install(name, lock):
    """Python of an environment and what to add to its surroundings; raises RuntimeError where it does not install."""
    folder, debian = INSTALLED / name, lock.get(f"{name}:debian", [])
    wanted = "\n".join([*lock[name], *debian])
    stamp, python = folder / "installed", folder / "bin/python"
    surroundings = {}
    if debian:
        usr = folder / "debian/usr"
        surroundings["PYTHONPATH"] = str(usr / "lib/python3/dist-packages")
        surroundings["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, usr.glob("lib/*-linux-gnu"))) or str(usr / "lib")
    if stamp.is_file() and stamp.read_text() == wanted:
        return python, surroundings
    say(f"  installing {name} …")
    venv.create(folder, with_pip=True, clear=True)
    pip = [python, "-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check", *lock[name]]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"pip: {last_line(done)}")
    if debian:
        (folder / "debian").mkdir()
        try:
            done = subprocess.run(
                ["apt-get", "download", *debian], cwd=folder / "debian", capture_output=True, text=True, timeout=120
            )
        except FileNotFoundError as error:
            raise RuntimeError("its packages are Debian's, and there is no apt-get here") from error
        if done.returncode:
            raise RuntimeError(f"apt-get download: {last_line(done)}")
        for package in (folder / "debian").glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder / "debian"], check=True)
        surroundings["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, usr.glob("lib/*-linux-gnu")))
    stamp.write_text(wanted)
    return python, surroundings


def environment_of(name, lock, known):
    """As install(); what did not install once is not tried again in this run."""
    if name not in known:
        try:
            known[name] = install(name, lock)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            known[name] = error
    if isinstance(known[name], Exception):
        raise known[name]
    return known[name]


def version_of(peer, lock):
    """Package and version as the lock has them."""
    packages = {"pink": "pin-pink", "kdl": "python3-pykdl", "mujoco_minimize": "mujoco"}
    package = packages.get(peer, packages.get(PEERS[peer], PEERS[peer]))
    lines = lock[PEERS[peer]] + lock.get(f"{PEERS[peer]}:debian", [])
    found = [line for line in lines if re.match(rf"{re.escape(package)}=", line)]
    return re.sub("=+", " ", found[0]) if found else package


# ------------------------------------------------------------------------------------ running


def run_peer(peer, environment_of_it, targets, budget):
    """Task → Answers of one peer."""
    python, surroundings = environment_of_it
    out = OUT / "answers" / f"{peer}.npz"
    command = [python, ROOT / "benchmarks/ik_peer_solvers.py", peer, OUT / "arm.urdf", targets, out, str(budget)]
    environment = {**os.environ, **ONE_THREAD, **surroundings}
    if "PYTHONPATH" not in surroundings:
        environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60 + 7 * budget)
    if done.returncode:
        raise RuntimeError(last_line(done) if done.returncode > 0 else f"killed by signal {-done.returncode}")
    found = np.load(out)
    tasks = {name.split("/")[0] for name in found}
    return {task: sets.Answers(*(found[f"{task}/{key}"] for key in ("q", "claimed", "cpu_us"))) for task in tasks}


def read_solutions(file, joints):
    """Answers in a `solutions.csv` of `antaeus ik --timing`."""
    with open(file, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    number = lambda text: float(text) if text else float("nan")
    return sets.Answers(
        np.array([[number(row[joint]) for joint in joints] for row in rows]).reshape(-1, len(joints)),
        np.array([row["status"] == "reached" for row in rows], bool),
        np.array([number(row["cpu_us"]) for row in rows]),
    )


def run_antaeus(cli, joints):
    """Task → our answers, through the command line."""
    verbs = subprocess.run([cli, "--help"], capture_output=True, text=True, timeout=60).stdout
    if not re.search(r"^\s+ik\b", verbs, re.MULTILINE):
        raise RuntimeError(f"{pathlib.Path(cli).name} has no verb ik yet")
    answers = {}
    for name, position_only in sets.TASKS:
        task = sets.task_name(name, position_only)
        out = OUT / "antaeus" / task
        command = [cli, "ik", "--robot", "panda", "--frame", sets.FRAME, "--targets", OUT / f"targets/{task}.csv"]
        command += ["--timing", "--out", out] + ["--start", "ready"] * (name == "path")  # else starts of its own
        command += ["--position-only"] * position_only + ["--path"] * (name == "path")
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode not in (0, 1):
            raise RuntimeError(last_line(done))
        answers[task] = read_solutions(out / "solutions.csv", joints)
    return answers


def rows_from_cpp(file):
    """Rows that ik_benchmark wrote, or why there are none."""
    if not file.is_file():
        return [], f"{file.name} is not there"
    written = json.loads(file.read_text(encoding="utf-8"))
    if written.get("seed") != sets.SEED:
        return [], f"{file.name} is of the targets of seed {written.get('seed')}, these are of {sets.SEED}"
    return written["rows"], ""


def rows_of(solver, version, answers, arm, targets, best):
    rows = []
    for name, position_only in sets.TASKS:
        task = sets.task_name(name, position_only)
        if task not in answers or not len(answers[task].q):
            continue
        row = {"solver": solver, "version": version, "task": task}
        row |= sets.judge(arm, targets[name], answers[task], position_only, best.get(task))
        if name == "path":
            row |= sets.quietness(answers[task])
        rows.append(row)
    return rows


def lower_best(best, answers_of_all, arm, targets):
    """The closest answers known, with those of the solvers that were within limits."""
    for task, least in best.items():
        position_only = task.endswith("3")
        for answers in answers_of_all:
            for at, q in enumerate(answers[task].q if task in answers else ()):
                if np.isfinite(q).all() and arm.outside(q) == 0.0:
                    miss = sets.size_of_miss(arm.errors(q, targets["unreach"][at]), position_only)
                    least[at] = min(least[at], miss)


# ------------------------------------------------------------------------------------ showing


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown processor"


TITLES = {
    "pose6@6": "Poses in reach", "sing@6": "Poses near the straight elbow", "pos3@3": "Positions in reach",
    "unreach@3": "Positions out of reach", "unreach@6": "Poses out of reach",
    "path@3": "A path of positions out of reach and back", "path@6": "A path of poses out of reach and back",
}  # fmt: skip


def three_digits(us):
    """Of a time, without an exponent; thousands apart."""
    if us >= 99.95:
        us = round(us, 2 - math.floor(math.log10(us)))
        return f"{us:,.0f}".replace(",", "\u202f")
    return f"{us:#.3g}" if us >= 1 else f"{us:.2f}"


def columns_of(task):
    yield "median µs", lambda row: three_digits(row["median_us"])
    yield "p99 µs", lambda row: three_digits(row["p99_us"])
    if task.startswith("unreach"):
        yield "within 1e-3 of the closest %", lambda row: f"{row['within_close']:.1f}"
        excess = lambda row: row["excess_median"]
        yield "median excess", lambda row: "–" if excess(row) is None else f"{max(0.0, excess(row)):.2g}"
    else:
        yield "reached %" if task.startswith("path") else "success %", lambda row: f"{row['success']:.1f}"
    if task.startswith("path"):
        yield "steps > 0.2 rad", lambda row: str(row["jumps"])
        yield "largest step rad", lambda row: f"{row['largest_step']:.2f}"
    yield "limits broken %", lambda row: f"{row['limits_broken']:.1f}"
    yield "wrong claims %", lambda row: f"{row['wrong_claims']:.1f}"


def merit(row):
    """Best first: what was reached or come close to, then the median time."""
    return -row.get("within_close", row["success"]), row["median_us"]


def markdown(result):
    lines = []
    for task, title in TITLES.items():
        rows = sorted((row for row in result["rows"] if row["task"] == task), key=merit)
        if not rows:
            continue
        columns = list(columns_of(task))
        most = max(row["count"] for row in rows)
        lines += [f"### {title} ({most})", ""]
        lines.append("| solver | " + " | ".join(name for name, _ in columns) + " |")
        lines.append("|---" * (len(columns) + 1) + "|")
        for row in rows:
            solver = row["solver"] + (f" ({row['count']} of them)" if row["count"] < most else "")
            lines.append(f"| {solver} | " + " | ".join(show(row) for _, show in columns) + " |")
        lines.append("")
    lines += ["| solver | package |", "|---|---|"]
    versions = {row["solver"]: row["version"] for row in result["rows"]}
    lines += [f"| {solver} | {version} |" for solver, version in versions.items()]
    lines += ["", *(f"- {name}: left out, {why}." for name, why in result["left_out"].items())]
    made = f"Written on {result['date']} by `{result['command']}` on {result['machine']}, seed {result['seed']}."
    lines += ["", made]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


# ------------------------------------------------------------------------------------ the run


def main():
    parser = argparse.ArgumentParser(description="Inverse kinematics of others beside ours.")
    parser.add_argument("--quick", action="store_true", help="fewer targets")
    parser.add_argument("--write", action="store_true", help="also write docs/figures/ik-peers.svg")
    parser.add_argument("--peers", nargs="*", choices=sorted(PEERS), default=sorted(PEERS), help="these alone")
    cli = os.environ.get("ANTAEUS_CLI", ROOT / "build/bin/antaeus")
    parser.add_argument("--cli", default=cli, help="our command line")
    given = parser.parse_args()
    for folder in ("answers", "targets", "antaeus"):
        (OUT / folder).mkdir(parents=True, exist_ok=True)

    urdf = sets.arm_urdf()
    arm = sets.Arm(urdf)
    targets = sets.make_sets(arm, sets.QUICK if given.quick else None)
    (OUT / "arm.urdf").write_text(urdf, encoding="utf-8")
    for name, position_only in sets.TASKS:
        sets.write_csv(OUT / f"targets/{sets.task_name(name, position_only)}.csv", targets[name], position_only)
    tasks = [sets.task_name(*task) for task in sets.TASKS]
    about = {"lower": arm.lower, "upper": arm.upper, "middle": arm.middle, "ready": sets.READY, "tasks": tasks}
    np.savez(OUT / "targets.npz", **about, **targets)
    say("closest answers to the targets out of reach …")
    starts = 4 if given.quick else 12
    best = {sets.task_name("unreach", p): sets.closest(arm, targets["unreach"], p, starts) for p in (True, False)}

    lock_text = (ROOT / "benchmarks/ik_peers.lock").read_text(encoding="utf-8")
    lock, environments, found, versions, left_out = read_lock(lock_text), {}, {}, {}, {}
    budget = (QUICK_LIMIT if given.quick else LIMIT) / len(given.peers) / len(sets.TASKS)
    for peer in given.peers:
        began = time.perf_counter()
        try:
            installed = environment_of(PEERS[peer], lock, environments)
            found[peer] = run_peer(peer, installed, OUT / "targets.npz", budget)
            versions[peer] = version_of(peer, lock)
            say(f"{peer}: {time.perf_counter() - began:.0f} s")
        except (RuntimeError, subprocess.SubprocessError, OSError) as error:
            left_out[peer] = str(error).rstrip(".")
            say(f"{peer}: left out, {error}")
    try:
        found["antaeus"] = run_antaeus(given.cli, list(arm.model.names)[1:])
        versions["antaeus"] = "antaeus ik, this tree"
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        left_out["antaeus"] = str(error).rstrip(".")
        say(f"antaeus: left out, {error}")

    lower_best(best, found.values(), arm, targets)
    result = {
        "date": datetime.date.today().isoformat(),
        "command": shlex.join(["python", "benchmarks/ik_peers.py", *sys.argv[1:]]),
        "machine": f"{machine()}, {os.cpu_count()} cores",
        "seed": sets.SEED,
        "targets_sha256": hashlib.sha256(b"".join(targets[name].tobytes() for name in targets)).hexdigest(),
        "rows": [row for peer in found for row in rows_of(peer, versions[peer], found[peer], arm, targets, best)],
        "left_out": left_out,
    }
    ours, why = rows_from_cpp(OUT / "ours.json")
    result["rows"] += ours
    if why:
        say(f"ik_benchmark: skipped, {why}")
    (OUT / "peers.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (OUT / "peers.md").write_text(markdown(result), encoding="utf-8")
    style = ik_figure.style_of(ROOT / "docs/figures/singular-values.svg")
    (OUT / "peers.svg").write_text(ik_figure.figure(result["rows"], style), encoding="utf-8")
    say(f"figures: {OUT.relative_to(ROOT)}/peers.md, peers.svg, peers.json")
    if given.write:
        FIGURE.write_text((OUT / "peers.svg").read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
