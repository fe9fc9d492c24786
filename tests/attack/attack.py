"""Attacks the command line: spoiled inputs of every format through every verb, kills while it writes, full and read-only
places, two writers at once, links, and names that would steer a page. Prints what it finds, and keeps the input of each.

    attack.py [--mutations N] [--kills N] [--maps N] [--seed N] [--only mutations|kills|places|names|maps|bombs|watch|mjcf|pickles|fleet] [--keep FOLDER]

ANTAEUS_CLI names the program. A finding is: an end by a signal; more than two seconds beyond what the clean input took;
more than 1 GB; an exit code other than 0, 1, 2; a refusal that is not one line, or that leaves something; a folder of
results of two runs; a summary.json that is no JSON.
"""

import argparse
import contextlib
import dataclasses
import hashlib
import html
import json
import os
import pathlib
import pickle
import random
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from command_line import bounds_memory, patience, run, work_of  # noqa: E402  (what the tests of the command line run it with)

MOST_SECONDS = 2.0  # of CPU beyond the clean run's
MOST_MEMORY = 1 << 30
BIPED = ROOT / "tests" / "support" / "biped.urdf"
PLANAR = ROOT / "robots" / "planar_3r"


@dataclasses.dataclass
class Ended:
    code: int
    stderr: bytes
    stdout: bytes
    cpu: float
    memory: int
    hung: bool


def end_of(arguments, cwd=None, seconds=30.0):
    """Runs the program to its end, and says what it cost."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([os.environ["ANTAEUS_CLI"], *map(os.fspath, arguments)], cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err)
        deadline, hung = time.monotonic() + patience(seconds), False
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline and not hung:
                hung = True
                process.kill()
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return Ended(process.returncode, err.read(), out.read(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, hung)


def contents(place):
    """What tells one run's results from another's, by name; None where there are none."""
    if place.is_file():
        return {place.name: hashlib.sha256(place.read_bytes()).hexdigest()}
    if not place.is_dir():
        return None
    return {str(f.relative_to(place)): hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(place.rglob("*")) if f.is_file()}


def left_behind(folder):
    return [str(f) for f in folder.rglob("*") if f.name.startswith(".antaeus-")]


# --- inputs ------------------------------------------------------------------------------------------------------------------

def planar_log(folder):
    """A log of the planar arm in every format."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers, rows = np.random.default_rng(7), 60
    time_ = np.arange(rows) * 0.02
    q = np.sin(time_[:, None] + np.arange(3)) + 0.3
    channels = {"time": time_, "qpos": q, "tau": numbers.normal(size=(rows, 3)), "dq": np.cos(time_[:, None] + np.arange(3)), "target_dof": q}
    files = {}
    files["npz"] = folder / "log.npz"
    np.savez(files["npz"], **channels)
    files["packed"] = folder / "packed.npz"
    np.savez_compressed(files["packed"], **channels)
    files["npy"] = folder / "log"
    files["npy"].mkdir(exist_ok=True)
    for name, values in channels.items():
        np.save(files["npy"] / f"{name}.npy", values)
    columns = {"time": time_}
    for name, stem in (("qpos", "qpos"), ("tau", "tau"), ("dq", "dq")):
        columns |= {f"{stem}_{j}": channels[name][:, j] for j in range(3)}
    files["csv"] = folder / "log.csv"
    table = np.column_stack(list(columns.values()))
    files["csv"].write_text("\n".join([",".join(columns), *(",".join(repr(float(x)) for x in row) for row in table)]) + "\n")
    try:
        import pyarrow
        import pyarrow.parquet
        files["parquet"] = folder / "log.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), files["parquet"])
    except ImportError:
        pass
    return files


def rtde_csv(file, seed):
    """A log of Universal Robots' RTDE client, which `convert` reads."""
    names = [f"{stem}_{j}" for stem in ("actual_q", "actual_qd", "actual_current_as_torque") for j in range(6)]
    rows = np.random.default_rng(seed).normal(size=(50, 18))
    file.write_text(" ".join(["timestamp", *names]) + "\n"
                    + "".join(" ".join([f"{100 + 0.008 * i:.3f}", *(f"{x:.6f}" for x in row)]) + "\n" for i, row in enumerate(rows)))
    return file


# Of `convert --map`: every key that docs/guide/your_robot.md has.
MAP = """clock = "header"
rate = 125.0
ignore = ["/camera"]

[joints]
"shoulder_pan_joint" = "base"

[channels.tau]
scale = 0.001
stage = "measured"
gravity = "included"
sign = "with_axis"

[channels.qpos]
unit = "rad"
"""
MJCF = """<mujoco model="m"><worldbody><body name="a" pos="0 0 0.1"><joint name="j1" axis="0 0 1" range="-1 1" armature="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03" mass="1"/><body name="b" pos="0 0 0.3">
<joint name="j2" type="slide" axis="1 0 0" range="-1 1"/><inertial pos="0 0 0.1" mass="0.5" diaginertia="0.01 0.02 0.03"/>
<site name="tool" pos="0 0 0.2"/></body></body></worldbody></mujoco>
"""
MESHED = """<robot name="m"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
 ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10"
 velocity="1"/></joint></robot>
"""
NOISE = """
[noise]
origin = "moving"
unit = "N·m"
provenance = "by hand"

[[noise.joints]]
joint = "joint_1"
white_sd = 0.2
correlation_time = 0.5

[[noise.joints]]
joint = "joint_2"
white_sd = 0.3

[[noise.joints]]
joint = "joint_3"
evidence = false
"""


def stl():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    body = b"".join(np.zeros(3, np.float32).tobytes() + corners[list(f)].tobytes() + b"\0\0" for f in faces)
    return b"\0" * 80 + len(faces).to_bytes(4, "little") + body


OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1//1 2//1 4//1\nf -1 -2 -3\n"


class Inputs:
    """A valid file of each kind, and the command lines that read it: {in} stands for the file, {out} for the results."""

    def __init__(self, folder):
        self.folder = folder
        logs = planar_log(folder)
        robot = folder / "robot"
        shutil.copytree(PLANAR, robot, dirs_exist_ok=True)
        profile = (robot / "profile.toml").read_text()
        (robot / "noise.toml").write_text(profile + NOISE)
        (folder / "robot.xml").write_text(MJCF)
        for name, data in (("mesh.stl", stl()), ("mesh.obj", OBJ)):
            (folder / name).write_bytes(data)
        (folder / "targets.csv").write_text("x,y,z\n0.6,0.2,0\n0.9,0.1,0\n5,0,0\n")
        q = np.tile(np.eye(1, 24, 6), (6, 1))
        q[:, 2] = 0.82
        np.savez(folder / "motion.npz", q=q, dt=0.01)
        (folder / "motion.csv").write_text(",".join(f"q_{i}" for i in range(24)) + ",time\n"
                                           + "".join(",".join(map(str, row)) + f",{0.01 * i}\n" for i, row in enumerate(q)))
        (folder / "setting").write_text("posterior.force_prior=30")
        (folder / "target").write_text("0.6,0.2,0")
        (folder / "stretch").write_text("0.2:0.9")
        self.cases = []
        r = ("-r", "planar_3r")
        for file in logs.values():
            if file.is_dir():
                continue
            for verb in (("audit", "{in}", *r, "-o", "{out}"), ("estimate", "{in}", *r, "-o", "{out}.csv"), ("show", "{in}", *r, "-o", "{out}"),
                         ("show", "{in}", "-o", "{out}"), ("check", "{in}", *r, "-o", "{out}"), ("check", "{in}", "-o", "{out}"),
                         ("identify", "{in}", *r, "--contact-free", "all", "-o", "{out}"), ("audit", logs["npz"], *r, "-b", "{in}", "-o", "{out}"),
                         ("robot", PLANAR / "planar_3r.urdf", "--write", "{out}.toml", "--log", "{in}")):
                self.add(file, verb)
        for file in sorted(logs["npy"].iterdir()):
            for verb in ("audit", "estimate", "show", "check", "identify"):
                self.add(file, (verb, "{folder}", *r, "-o", "{out}.csv" if verb == "estimate" else "{out}"), inside=logs["npy"])
        for file in (robot / "profile.toml", robot / "noise.toml"):
            for verb in (("robot", "{in}", "-o", "{out}"), ("estimate", logs["npz"], "-r", "{in}", "-o", "{out}.csv"),
                         ("audit", logs["npz"], "-r", "{in}", "-o", "{out}"), ("identify", logs["npz"], "-r", "{in}", "--contact-free", "all", "-o", "{out}"),
                         ("map", "-r", "{in}", "--poses", "bent", "-o", "{out}"), ("check", logs["npz"], "-r", "{in}", "-o", "{out}")):
                self.add(file, verb, inside=robot)
        urdf = robot / "planar_3r.urdf"
        for verb in (("robot", "{in}", "-o", "{out}"), ("robot", "{in}", "--write", "{out}.toml"), ("estimate", logs["npz"], "-r", "{in}", "-e", "tool", "-o", "{out}.csv"),
                     ("ik", "-r", "{in}", "-f", "tool", "--target", "0.6,0.2,0", "-o", "{out}"), ("show", logs["npz"], "-r", "{in}", "-o", "{out}")):
            self.add(urdf, verb, inside=robot)
        self.add(folder / "robot.xml", ("robot", "{in}", "-o", "{out}"))
        self.add(folder / "robot.xml", ("ik", "-r", "{in}", "-f", "b", "--target", "0,0,0.4", "-o", "{out}"))
        for name in ("mesh.stl", "mesh.obj"):
            self.add(folder / name, ("robot", "{mesh}", "-o", "{out}"))
        for more in ((), ("--position-only",), ("--method", "dls")):
            self.add(folder / "targets.csv", ("ik", *r, "-f", "tool", "--targets", "{in}", "-o", "{out}", *more))
        contacts = ("-r", BIPED, "-c", "left_sole", "-c", "right_sole")
        for file in (folder / "motion.npz", folder / "motion.csv"):
            for more in ((), ("--over-time",), ("--inverse-dynamics",)):
                self.add(file, ("contact", "{in}", *(contacts if more != ("--inverse-dynamics",) else contacts[:2]), "-o", "{out}", *more))
        for verb in (("estimate", logs["npz"], *r, "--set", "{text}"), ("audit", logs["npz"], *r, "--set", "{text}", "-o", "{out}"),
                     ("ik", *r, "-f", "tool", "--target", "0.6,0.2,0", "--set", "{text}", "-o", "{out}"),
                     ("simulate", "parity", "--set", "parity.states=5", "--set", "{text}", "-o", "{out}"),
                     ("space", "tracking", "--set", "experiment.comparisons=false", "--set", "space.duration=0.1", "--set", "{text}", "-o", "{out}")):
            self.add(folder / "setting", verb)
        self.add(folder / "target", ("ik", *r, "-f", "tool", "--target", "{text}", "-o", "{out}"))
        self.add(folder / "stretch", ("identify", logs["npz"], *r, "--contact-free", "{text}", "-o", "{out}"))
        self.rtde = [rtde_csv(folder / f"rtde_{seed}.csv", seed) for seed in (1, 2)]
        self.add(self.rtde[0], ("convert", "{in}", "{out}"))
        (folder / "map.toml").write_text(MAP)
        self.add(folder / "map.toml", ("convert", self.rtde[0], "{out}", "--map", "{in}"))
        self.add(folder / "map.toml", ("convert", self.rtde[0], "--list", "--map", "{in}"))
        self.logs, self.contacts = logs, contacts

    def add(self, file, arguments, inside=None):
        self.cases.append((file, arguments, inside))

    def command(self, case, data, place):
        """Arguments that read \a data in place of the case's file; everything lies below \a place."""
        file, arguments, inside = case
        spoiled, folder = place / f"spoiled{file.suffix}", None
        if inside:
            folder = place / "folder"
            shutil.copytree(inside, folder)
            spoiled = folder / file.name
        if file.suffix or inside:
            spoiled.write_bytes(data)
        mesh = place / "meshed.urdf"
        if file.name.startswith("mesh."):
            mesh.write_text(MESHED.format(mesh=spoiled.name))
        # No argument can hold a NUL.
        names = {"{in}": spoiled, "{out}": place / "out", "{folder}": folder, "{mesh}": mesh, "{text}": data.replace(b"\0", b"0"),
                 "{out}.csv": place / "out.csv", "{out}.toml": place / "out.toml"}
        return [names.get(a, a) if isinstance(a, str) else a for a in arguments]


# --- mutations ---------------------------------------------------------------------------------------------------------------

TELLING = [b"nan", b"inf", b"-inf", b"1e308", b"-1e-320", b"0", b"-0.0", b"99999999999999999999", b"\xff\xfe", b"\0", b"\"", b"<", b"]]>", b"\n", b",",
           b"{", b"[", b"[[", b"=", b"&#x0;", b"../", b"true", b"'", b"\xe2\x80\xae", b"1" * 400]
BORDERS = [0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF]


def mutated(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        at, length = chance.randrange(len(data) + 1), 1 + chance.randrange(64)
        way = chance.randrange(9)
        if way == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            data[at:at + 1] = chance.choice(TELLING)
        elif way == 2:
            data[at:at] = chance.choice(TELLING)
        elif way == 3:
            del data[at:at + length]
        elif way == 4:
            data[at:at] = data[at:at + length] * chance.choice([1, 2, 30])
        elif way == 5:
            del data[at:]
        elif way == 6:
            width = chance.choice([1, 2, 4, 8])
            data[at:at + width] = (chance.choice(BORDERS) & (1 << 8 * width) - 1).to_bytes(width, "little")
        elif way == 7:  # a number of a text
            found = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data)) if len(data) < 1 << 16 else []
            if found:
                one = chance.choice(found)
                data[one.start():one.end()] = chance.choice(TELLING[:8])
        else:  # a line of a text
            lines = bytes(data).split(b"\n")
            a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def spoiled_npz(data, chance, folder):
    """Half of the archives stay sound around a spoiled member."""
    if chance.random() < 0.5:
        return mutated(data, chance)
    whole = folder / "whole.npz"
    whole.write_bytes(data)
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(members))
    members[name] = mutated(members[name], chance)
    with zipfile.ZipFile(whole, "w", chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for each, member in members.items():
            archive.writestr(each, member)
    return whole.read_bytes()


def judged(done, clean, place):
    """What is wrong about an end; empty: nothing."""
    wrong = []
    lines = done.stderr.splitlines()
    if done.hung:
        wrong.append("hung")
    elif done.code not in (0, 1, 2):
        wrong.append(f"exit {done.code}")
    if done.cpu > clean.cpu + work_of(MOST_SECONDS):
        wrong.append(f"{done.cpu:.1f} s of CPU, clean {clean.cpu:.1f}")
    if done.memory > MOST_MEMORY and bounds_memory(os.environ["ANTAEUS_CLI"]):
        wrong.append(f"{done.memory >> 20} MB")
    if done.code == 2:
        if len(lines) != 1 or not lines[0].startswith(b"antaeus: "):
            wrong.append(f"{len(lines)} lines of refusal")
        # Steps that no force can be computed from are told so after the results of all others are written.
        if b"they keep their place" not in done.stderr:
            wrong += ["a refusal beside results"] * bool(done.stdout)
            wrong += [f"left {f.name}" for f in (place / "out", place / "out.csv", place / "out.toml") if f.exists()]
    if b"please report" in done.stderr:
        wrong.append("an error that nobody expected")
    if left_behind(place):
        wrong.append("left something hidden")
    summary = place / "out" / "summary.json"
    if summary.exists():
        try:
            json.loads(summary.read_text("utf-8"), parse_constant=lambda word: 1 / 0)
        except (ValueError, ZeroDivisionError):
            wrong.append("summary.json is no JSON")
    return wrong


class Findings:
    def __init__(self, keep=None):
        self.all, self.keep = [], keep

    def add(self, what, arguments, place=None):
        command = " ".join(ascii(os.fsdecode(a)) if not isinstance(a, str) else a for a in map(os.fspath, arguments))
        self.all.append(f"{what}: antaeus {command[:600]}")
        print(self.all[-1], flush=True)
        if self.keep and place:
            shutil.copytree(place, self.keep / str(len(self.all)), symlinks=True,
                            ignore=lambda folder, names: [name for name in names if stat.S_ISFIFO(os.lstat(os.path.join(folder, name)).st_mode)])


def attack_with_mutations(findings, inputs, count, seed):
    chance, clean = random.Random(seed), {}
    for n in range(count):
        # Each kind by turns, so that a sample has met all of them.
        case = inputs.cases[n % len(inputs.cases)] if count >= len(inputs.cases) else chance.choice(inputs.cases)
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
            folder = pathlib.Path(folder)
            data = case[0].read_bytes()
            key = (case[0], case[1])
            if key not in clean:
                (folder / "clean").mkdir()
                arguments = inputs.command(case, data, folder / "clean")
                clean[key] = end_of(arguments, cwd=folder / "clean")
                if clean[key].code not in (0, 1):
                    findings.add(f"the clean input ends with {clean[key].code}, {clean[key].stderr[:200]}", arguments)
            place = folder / "spoiled"
            place.mkdir()
            bad = spoiled_npz(data, chance, folder) if case[0].suffix == ".npz" else mutated(data, chance)
            arguments = inputs.command(case, bad, place)
            if any(b"\0" in os.fsencode(a) for a in arguments):
                continue
            done = end_of(arguments, cwd=place, seconds=clean[key].cpu * 10 + 20)
            for what in judged(done, clean[key], place):
                findings.add(f"mutation {n} of seed {seed}, {what}", arguments, place)


# --- kills, places, names ----------------------------------------------------------------------------------------------------

def writers(inputs):
    """Of each verb that writes: two command lines that differ in what they write, without the place."""
    logs, r = inputs.logs, ("-r", "planar_3r")
    alone = ("--set", "experiment.comparisons=false")
    return {
        "audit": [("audit", logs["npz"], *r, *more, "-o") for more in ((), ("--set", "published_guard.clamp_force=31", "--to", "0.7"))],
        "estimate": [("estimate", logs["npz"], *r, *more, "-o") for more in ((), ("--smooth", "0.1"))],
        "show": [("show", logs[kind], *r, "-o") for kind in ("npz", "csv")],
        "check": [("check", logs[kind], *r, "-o") for kind in ("npz", "csv")],
        "identify": [("identify", inputs.arm, "-r", "panda", "--contact-free", span, "-o") for span in ("all", "0:14")] if inputs.arm else [],
        "contact": [("contact", inputs.folder / "motion.npz", *inputs.contacts, *more, "-o") for more in ((), ("--over-time",))],
        "ik": [("ik", *r, "-f", "tool", "--target", target, "-o") for target in ("0.6,0.2,0", "0.9,0.1,0")],
        "convert": [("convert", log) for log in inputs.rtde] if inputs.arm else [],
        "simulate": [("simulate", "parity", "--seed", seed, "--set", "parity.states=5", "-o") for seed in ("1", "2")],
        "space": [("space", "tracking", *alone, "--set", f"space.duration={s}", "-o") for s in ("0.2", "0.3")],
        "map": [("map", *r, "--pose", "bent", "-j", "joint_2", "-j", "joint_3", "--steps", steps, "-o") for steps in ("3", "5")],
        "robot": [("robot", robot, "-o") for robot in ("planar_3r", "panda")],
    }


def place_for(verb, folder):
    return folder / ("out.csv" if verb == "estimate" else "out")


def attack_with_kills(findings, inputs, count, seed):
    """Runs over earlier results end at random moments by KILL, TERM and INT: what is there is one run's, whole."""
    chance = random.Random(seed)
    for verb, commands in writers(inputs).items():
        if not commands:
            continue
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
            folder = pathlib.Path(folder)
            whole, length = [], 0.0
            for k, command in enumerate(commands):
                out = place_for(verb, folder / f"whole{k}")
                out.parent.mkdir()
                begun = time.monotonic()
                done = end_of([*command, out])
                length = max(length, time.monotonic() - begun)
                if done.code not in (0, 1):
                    findings.add(f"{verb} ends with {done.code}, {done.stderr[:200]}", [*command, out])
                    break
                whole.append(contents(out))
            if len(whole) < len(commands) or whole[0] == whole[1]:
                findings.add(f"{verb}: the two runs cannot be told apart", commands[0])
                continue
            place = folder / "place"
            place.mkdir()
            out = place_for(verb, place)
            end_of([*commands[0], out])
            for n in range(count):
                command = [*commands[1 - n % 2], out]
                process = subprocess.Popen([os.environ["ANTAEUS_CLI"], *map(os.fspath, command)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(length * chance.uniform(0.2, 1.1))
                by = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
                process.send_signal(by)
                try:
                    process.wait(patience(10))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    findings.add(f"{verb}, kill {n} of seed {seed}: {by.name} does not end it", command)
                if contents(out) not in whole:
                    findings.add(f"{verb}, kill {n} of seed {seed} by {by.name}: results of no run", command, place)
                    end_of([*commands[0], out])
            end_of([*commands[0], out])
            if left_behind(place):
                findings.add(f"{verb}: {left_behind(place)} stay after the next run", commands[0])


def attack_places(findings, inputs):
    """Full disks, folders that may not be written, two writers at once, links."""
    for verb, commands in writers(inputs).items():
        if not commands:
            continue
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
            folder = pathlib.Path(folder)
            whole = []
            for k, command in enumerate(commands):
                out = place_for(verb, folder / f"whole{k}")
                out.parent.mkdir()
                end_of([*command, out])
                whole.append(contents(out))

            def tried(what, k, place, done, before=None):
                out = place_for(verb, place)
                lines = done.stderr.splitlines()
                if done.returncode != 2 or len(lines) != 1:
                    findings.add(f"{verb}, {what}: exit {done.returncode}, {lines[:3]}", [*commands[k], out])
                if contents(out) != before:
                    findings.add(f"{verb}, {what}: the results changed", [*commands[k], out])

            for limit in (0, 1000):
                for earlier in (False, True):
                    place = folder / f"full{limit}{earlier}"
                    place.mkdir()
                    if earlier:
                        end_of([*commands[0], place_for(verb, place)])
                    # Of a script the interpreter writes too.
                    if verb != "convert":
                        tried(f"at most {limit} bytes a file", 1, place, run(*commands[1], place_for(verb, place), file_limit=limit, seconds=60),
                              whole[0] if earlier else None)
            locked = folder / "locked"
            locked.mkdir()
            locked.chmod(0o555)
            tried("a folder that may not be written", 0, locked, run(*commands[0], place_for(verb, locked), capabilities=False, seconds=60))
            locked.chmod(0o755)

            place = folder / "two"
            place.mkdir()
            out = place_for(verb, place)
            both = [subprocess.Popen([os.environ["ANTAEUS_CLI"], *map(os.fspath, [*c, out])], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                    for c in commands]
            said = [p.communicate(timeout=patience(120))[1] for p in both]
            if any(p.returncode not in (0, 1) for p in both) and not any(b"antaeus: " in s for s in said):
                findings.add(f"{verb}, two writers: {[p.returncode for p in both]}, {said}", [*commands[0], out])
            if contents(out) not in whole:
                findings.add(f"{verb}, two writers: results of no run", [*commands[0], out], place)
            if left_behind(place):
                findings.add(f"{verb}, two writers: left {left_behind(place)}", [*commands[0], out])

            place = folder / "linked"
            target = place / "target"
            target.mkdir(parents=True)
            (target / "mine.txt").write_text("mine")
            out = place_for(verb, place)
            if out.suffix:
                (target / "file").write_text("mine")
                out.symlink_to("target/file")
            else:
                out.symlink_to("target")
            done = end_of([*commands[0], out])
            if done.code not in (0, 1, 2) or not (target / "mine.txt").exists():
                findings.add(f"{verb}, a link for results: exit {done.code}, {contents(target)}", [*commands[0], out])
            if left_behind(place):
                findings.add(f"{verb}, a link for results: left {left_behind(place)}", [*commands[0], out])


STEERING = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NAMES = ["<script>alert(1)</script>", "</title><b>", "\"><img src=x onerror=alert(1)>", "gp\u202ecod", "\u2066x\u2069", "x\u009b31m", "a\nb", "\x1b[31mred",
         "../../up", "a'b", "]]>", "${x}", "{{x}}"]


def attack_names(findings, inputs):
    """Names that would steer a page, in every place that takes one."""
    for name in NAMES:
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
            folder = pathlib.Path(folder)
            robot = folder / "robot"
            shutil.copytree(PLANAR, robot)
            shown = html.escape(name, quote=True).replace("\n", "&#10;")
            legal = not re.search("[\x00-\x08\x0b-\x1f]", name)  # of XML
            urdf = (robot / "planar_3r.urdf").read_text()
            profile = (robot / "profile.toml").read_text()
            word = json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
            profile = profile.replace('"joint 1"', word).replace('title = "Planar arm with three joints"', f"title = {word}")
            if legal:
                urdf = urdf.replace('"joint_3"', f'"{shown}"')
                profile = profile.replace('"joint_3"', word)
            (robot / "planar_3r.urdf").write_text(urdf)
            (robot / "profile.toml").write_text(profile)
            log = folder / f"{name.replace('/', '|')}.npz"
            shutil.copy(inputs.logs["npz"], log)
            r = ("-r", robot)
            for n, arguments in enumerate((("audit", log, *r), ("show", log, *r), ("show", log), ("check", log, *r), ("identify", log, *r, "--contact-free", "all"),
                                           ("ik", *r, "-f", "tool", "--target", "0.6,0.2,0"), ("robot", robot), ("map", *r, "--poses", "bent"))):
                out = folder / f"out{n}"
                done = end_of([*arguments, "-o", out], cwd=folder)
                if done.code not in (0, 1, 2):
                    findings.add(f"name {name!r}: exit {done.code}", arguments)
                if STEERING.search(done.stdout.decode("utf-8", "surrogateescape") + done.stderr.decode("utf-8", "surrogateescape")):
                    findings.add(f"name {name!r}: it reaches the terminal", arguments)
                for page in out.glob("*.html") if out.is_dir() else ():
                    text = re.sub("<code>.*?</code>", "", page.read_text("utf-8"), flags=re.S)
                    steers = {c for c in STEERING.findall(text)}
                    if steers:
                        findings.add(f"name {name!r}: {ascii(steers)} reaches the page", arguments)
                    if any(element in text for element in ("<script>alert", "<img src=x", "</title><b>")):
                        findings.add(f"name {name!r}: an element reaches the page", arguments)
            escaped = [f for f in folder.parent.glob("up*")]
            if escaped:
                findings.add(f"name {name!r}: wrote {escaped}", [])


def attack_maps(findings, inputs, count, seed):
    """Spoiled maps of `convert`, in this process, since an interpreter takes longer to start than a thousand of them: each is read
    and laid over the recording, or refused in one line. Says how many were read."""
    try:
        import antaeus
        from antaeus.formats import convert
    except ImportError:
        return 0
    chance, read = random.Random(seed), 0
    recording, whole = inputs.rtde[0], (inputs.folder / "map.toml").read_bytes()
    with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
        file = pathlib.Path(folder) / "map.toml"
        for n in range(count):
            file.write_bytes(whole if n == 0 else mutated(whole, chance))
            try:
                opened = convert._opened(recording, convert.Request(file).wishes())
                assert all(np.isfinite(block.time).all() for block in opened.blocks())
                read += 1
            except antaeus.Error as error:
                if len(str(error).splitlines()) != 1:
                    findings.add(f"map {n} of seed {seed}: {str(error)!r}", [], pathlib.Path(folder))
            except Exception as error:  # noqa: BLE001  (whatever is none of the package's is a finding)
                findings.add(f"map {n} of seed {seed}: {type(error).__name__}: {error}", [], pathlib.Path(folder))
            if n == 0 and read == 0:
                findings.add("the clean map is not read", [])
    return read


def attack_with_bombs(findings, count, seed):
    """Small recordings that promise much: each is refused, in little memory and time."""
    sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "python")]
    import formats_limits_test

    for found in formats_limits_test.attack(count, seed):
        findings.add(found, [])


def attack_watch(findings, count, seed):
    """Clients of the page that stay silent, messages of other publishers and jumps of the sender's clock, in a random mixture, while
    `watch` records the planar arm with few file descriptors."""
    for n in range(count):
        chance = random.Random(f"{seed} {n}")
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder, contextlib.ExitStack() as clients:
            page, stream = (free_port(kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM))
            limit = chance.choice([256, 512, 1024])
            command = ["watch", f"udp://{stream}", "-r", "planar_3r", "--serve", f"127.0.0.1:{page}", "--record", f"{folder}/rec", "--json"]
            process = subprocess.Popen(["/bin/sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", os.environ["ANTAEUS_CLI"], *command],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            sender = clients.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            connected, most, jumps, start = 0, chance.randrange(0, 700), chance.choice([5, 50, 10**6]), 0.0
            step, parts = 0, pathlib.Path(folder, "rec")
            deadline = time.monotonic() + patience(60.0)
            recorded = False
            while process.poll() is None and time.monotonic() < deadline and (step < 1500 or connected < most or not recorded):
                if step % jumps == 0:
                    start = chance.uniform(-1e6, 1e6)
                sender.sendto(planar_message(start + 0.002 * step, chance), ("127.0.0.1", stream))
                if chance.random() < 0.1:
                    sender.sendto(foreign_message(start, chance), ("127.0.0.1", stream))
                if connected < most:
                    with contextlib.suppress(OSError):
                        client = clients.enter_context(socket.create_connection(("127.0.0.1", page), 1.0))
                        connected += 1
                        client.send(chance.choice([b"", b"GET / HT", chance.randbytes(50)]))
                recorded = recorded or step % 100 == 0 and any(parts.glob("run_*/part_*"))
                step += 1
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=patience(30.0))
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
            what = f"watch {n} of seed {seed}"
            if process.returncode not in (0, 1):
                findings.add(f"{what}: exit {process.returncode}: {err[-200:]!r}", command)
            elif json.loads(out)["samples"] == 0 or not any(parts.glob("run_*/part_*/time.npy")):
                findings.add(f"{what}: nothing was recorded", command)
            elif b"Traceback" in err or len(err.splitlines()) > 10000:
                findings.add(f"{what}: {len(err.splitlines())} lines on stderr", command)
            elif len(list(parts.glob("run_*/part_*"))) > 60:
                findings.add(f"{what}: {len(list(parts.glob('run_*/part_*')))} parts", command)


# --- MJCF, pickles, fleets ---------------------------------------------------------------------------------------------------

HUGE = ["2000000000", "100000000", "1000000", "65536", "20000", "3000", "100", "10", "3"]
ODD = ["-2000000000", "1e9", "nan", "1e400", "0", "", "900G", "1 1 1 1 1 1 1", "x"]
OPENING = ["", '<replicate count="{n}" offset="1 0 0">', '<frame pos="1 0 0">', '<body pos="0 0 .1"><joint axis="0 1 0"/><geom size=".1"/>']
MODEL = '<asset><model name="x" file="{f}"/></asset>'
ELEMENTS = ['<size nuser_body="{n}"/>', '<size nkey="{n}" nuserdata="{n}"/>', '<size memory="{n}"/>', '<size njmax="{n}" nconmax="{n}"/>', MODEL, MODEL,
            '<custom><numeric name="a" size="{n}"/></custom>', '<sensor><user dim="{n}"/></sensor>', '<option timestep="{n}"/>',
            '<asset><texture name="t" type="2d" builtin="flat" width="{n}" height="{n}"/></asset>',
            '<asset><texture name="t" type="cube" builtin="gradient" width="{n}" height="{n}"/></asset>',
            '<asset><hfield name="h" nrow="{n}" ncol="{n}" size="1 1 1 1"/></asset>',
            '<asset><mesh name="n" builtin="supersphere" params="{n} 1 1"/></asset>', '<asset><mesh name="n" builtin="sphere" params="{n}"/></asset>',
            '<asset><mesh name="n" vertex="0 0 0 1 0 0 0 1 0 0 0 {n}"/></asset>', '<asset><mesh name="n" file="{f}"/></asset>',
            '<include file="{f}"/>', '<visual><global offwidth="{n}" offheight="{n}"/></visual>', '<keyframe><key qpos="{n}"/></keyframe>',
            '<equality><joint joint1="j1" joint2="j1"/></equality>', '<actuator><general joint="j1" actdim="{n}" dyntype="user"/></actuator>',
            '<contact><exclude body1="b" body2="b"/></contact>', '<statistic extent="{n}"/>', '<tendon><fixed><joint joint="j1" coef="{n}"/></fixed></tendon>']
INSIDE = ['<flexcomp name="f{i}" type="grid" count="{n} {n} 1" spacing="1 1 1" dim="2"/>', '<geom size="{n}"/>', '<site name="s{i}" size="{n}"/>',
          '<flexcomp name="f{i}" type="grid" count="{n} {n} {n}" spacing="1 1 1" dim="3"/>', '<geom type="mesh" mesh="n"/>', '<geom type="hfield" hfield="h"/>',
          '<camera name="c{i}" resolution="{n} {n}"/>', '<geom size="1 1 1" user="{n}"/>']


def random_mjcf(chance):
    """A valid model with elements and nesting that promise much, or with spoiled bytes."""
    if chance.random() < 0.15:
        return mutated(MJCF.encode(), chance)

    def filled(text, i=0):
        file = chance.choice(["in.xml", "in.xml", "other.xml", "other.xml", "pipe", "/dev/zero", "absent.xml", "."])
        return text.format(n=chance.choice(HUGE if chance.random() < 0.9 else ODD), f=file, i=i)

    chosen = [chance.choice(ELEMENTS) for _ in range(chance.choice([0, 1, 1, 2]))]
    inside, opened = [], []
    for i in range(chance.choice([1, 1, 3, 10, 450, 700])):
        part = chance.choice([OPENING[0], OPENING[0], *OPENING])
        inside.append(filled(part, i))
        opened += [re.match(r"<(\w+)", part)[1]] if part else []
        if i < 2:
            inside.append(filled(chance.choice(["", "", chance.choice(INSIDE)]), i))
            inside += [f'<attach model="x" body="b" prefix="p{i}{j}"/>' for j in range(2) if MODEL in chosen]
    inside += [f"</{name}>" for name in reversed(opened)]
    body = '<body name="b"><joint name="j1" axis="0 0 1"/><geom size=".1"/></body>'
    return f"<mujoco>{''.join(map(filled, chosen))}<worldbody>{body}{''.join(inside)}</worldbody></mujoco>".encode()


def attack_mjcf(findings, count, seed):
    """MJCFs that crash MuJoCo, or that it expands without end: a robot, or one line with exit code 2. Returns how many were read."""
    read = 0
    for n in range(count):
        chance = random.Random(f"mjcf {seed} {n}")
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
            folder = pathlib.Path(folder)
            os.mkfifo(folder / "pipe")
            (folder / "other.xml").write_bytes(random_mjcf(chance))
            (folder / "in.xml").write_bytes(random_mjcf(chance))
            arguments = ["robot", folder / "in.xml"]
            done = end_of(arguments, cwd=folder, seconds=90.0)
            read += done.code == 0
            for what in judged(done, Ended(0, b"", b"", 30.0, 0, False), folder):
                findings.add(f"MJCF {n} of seed {seed}, {what}: {done.stderr[:200]!r}", arguments, folder)
            if done.code == 2 and b"in.xml" not in done.stderr and b"other.xml" not in done.stderr:
                findings.add(f"MJCF {n} of seed {seed}, the file is not named: {done.stderr[:200]!r}", arguments, folder)
    return read


def picklable():
    """One object of each kind that holds much."""
    import antaeus
    robot = antaeus.load_robot("planar_3r")
    episode = antaeus.make_twin(antaeus.load_robot("h1_2"), "incident").episode
    known = [robot, antaeus.load_robot("h1_2"), episode, robot.profile, robot.model, antaeus.Wrench([1, 2, 3]), episode.observe(3), antaeus.Settings(),
             antaeus.BatchReplay("planar_3r")]
    return [each for each in known if not hasattr(type(each), "_no_value")]  # values_test.py lists what must be one


def attack_pickles(findings, count, seed):
    """Damaged pickles, each read in a process of its own: an exception, or an object that works. Returns how many were refused by
    their checksum."""
    try:
        import antaeus
    except ImportError:
        return 0
    whole, refused = [pickle.dumps(each) for each in picklable()], 0
    for n in range(count):
        chance = random.Random(f"pickle {seed} {n}")
        data = bytearray(whole[n % len(whole)])
        for _ in range(chance.choice([1, 1, 2, 3])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        child = os.fork()
        if child == 0:
            code = 0
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
                repr(pickle.loads(bytes(data)))
            except antaeus.Error as error:
                code = 3 if len(str(error).splitlines()) == 1 else 4
            except Exception:  # noqa: BLE001  (of pickle itself)
                code = 5
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        refused += code == 3
        if code not in (0, 3, 5):
            findings.add(f"pickle {n} of seed {seed}: exit {code}", [])
    return refused


def attack_fleet(findings, inputs, count, seed):
    """Folders with hostile names, FIFOs, cycles of links, damaged logs and equal bytes, and attempts that lost bytes: each good log
    is computed, and the tables of the second run are those of the first."""
    for n in range(count):
        chance = random.Random(f"fleet {seed} {n}")
        with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
            folder = pathlib.Path(folder)
            logs = folder / "logs"
            (logs / "deep").mkdir(parents=True)
            places, good = [logs, logs / "deep"], 0
            names = [*(name.replace("/", "|") for name in NAMES), "[ab]", "*", "?", "a::b", "{a,b}", "%s", "~", "-o", "\udcff\udcfe", " ", "#", "robot=h1_2"]
            for name in chance.sample(names, chance.randrange(1, 5)):
                shutil.copy(inputs.logs["npz"], chance.choice(places) / f"{name}.npz")
                good += not name.startswith(".")  # hidden files are none of a folder's logs
            for i in range(chance.randrange(4)):
                place = chance.choice(places)
                way = chance.randrange(5)
                if way == 0:
                    os.mkfifo(place / f"pipe{i}\x1b[31m.npz")
                elif way == 1:
                    (place / f"loop{i}").symlink_to(chance.choice([".", "..", logs, f"loop{i}"]))
                elif way == 2:
                    (place / f"device{i}.npz").symlink_to(chance.choice(["/dev/zero", "/dev/stdin", "/dev/null"]))
                elif way == 3:
                    (place / f"bad{i}\n\u202e.npz").write_bytes(mutated(inputs.logs["npz"].read_bytes(), chance)[:chance.choice([10, 500])])
                else:
                    shutil.copy(inputs.logs["npz"], place / f"bad{i}.csv")  # the bytes of a good log under a name that reads them otherwise
            out, what = folder / "out", f"fleet {n} of seed {seed}"
            arguments = ["fleet", logs, "-r", "planar_3r", "--out", out, "--workers", "1"]
            tables = []
            for run_again in (False, True):
                done = end_of(arguments, cwd=folder, seconds=120.0)
                asked = end_of(["fleet", "sql", out, "SELECT path, status, reason FROM episodes ORDER BY path", chance.choice(["--csv", "--json"])], cwd=folder)
                if done.code != 0 or asked.code != 0:
                    findings.add(f"{what}: exit {done.code}, {asked.code}: {(done.stderr + asked.stderr)[-300:]!r}", arguments, folder / "logs")
                    break
                shown = b"".join((done.stdout, done.stderr, asked.stdout)).decode("utf-8", "surrogateescape")
                if STEERING.search(shown):
                    findings.add(f"{what}: a name reaches the terminal: {ascii(shown)[:300]}", arguments)
                tables.append({str(f.relative_to(out)): f.read_bytes() for name in ("steps", "events", "joints", "episodes")
                               for f in sorted((out / name).rglob("*.parquet"))})
                finished = int(re.search(rb"(\d+) done", done.stdout)[1])
                if finished < good:
                    findings.add(f"{what}: {finished} of {good} logs are done", arguments, folder / "logs")
                if not run_again:
                    results = [f for f in sorted((out / "attempts").rglob("*")) if f.is_file()]
                    for damaged in chance.sample(results, min(len(results), chance.randrange(3))):
                        with open(damaged, "r+b") as file:
                            file.truncate(chance.randrange(damaged.stat().st_size + 1))
            if len(tables) == 2 and tables[0] != tables[1]:
                findings.add(f"{what}: other tables after an attempt was truncated", arguments)


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def planar_message(stamp, chance):
    names = ["joint_1", "joint_2", "joint_3"]
    return json.dumps({"time": stamp, "name": names, "position": [0.3, 0.6, -0.4], "velocity": [0.0] * 3,
                       "effort": [chance.gauss(0.0, 0.01) for _ in names]}).encode()


def foreign_message(stamp, chance):
    count = chance.choice([0, 1, 3, 7])
    message = {"time": stamp, "name": [f"finger_{i}" for i in range(count)], "position": [0.1] * count, "velocity": [0.0] * count,
               "effort": [9.0] * count}
    for name in chance.sample(sorted(message), chance.randrange(3)):
        if name != "name" or count != 3:
            message[name] = chance.choice([[], None, 1e300, "x", [None]])
    return json.dumps(message).encode()


def arm_log(folder):
    """A Panda that moves freely, for identify; None without the package for Python."""
    try:
        import antaeus
    except ImportError:
        return None
    chance, time_ = np.random.default_rng(3), np.arange(1500) / 100
    rate, size, phase = chance.uniform(0.3, 2, (3, 7)), chance.uniform(0.1, 0.25, (3, 7)), chance.uniform(0, 6, (3, 7))
    angle = time_[:, None, None] * rate + phase
    q = np.array([0, -0.4, 0, -1.8, 0, 1.5, 0.7]) + (size * np.sin(angle)).sum(1)
    v, a = (size * rate * np.cos(angle)).sum(1), (-size * rate**2 * np.sin(angle)).sum(1)
    torque = antaeus.replay(q, "panda", [], v=v, a=a, want=("torque",))["torque"]
    file = folder / "arm.npz"
    np.savez(file, time=time_, qpos=q, tau=torque + 0.4 * np.tanh(v / 0.03) + chance.normal(0, 0.2, q.shape), dq=v)
    return file


def made_inputs(folder):
    inputs = Inputs(folder)
    inputs.arm = arm_log(folder)
    return inputs


def main():
    parser = argparse.ArgumentParser(description="attack the command line")
    parser.add_argument("--mutations", type=int, default=20000)
    parser.add_argument("--kills", type=int, default=200, help="of each verb that writes")
    parser.add_argument("--maps", type=int, default=20000, help="of convert")
    parser.add_argument("--bombs", type=int, default=500, help="small recordings that promise much")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["mutations", "kills", "places", "names", "maps", "bombs", "watch", "mjcf", "pickles", "fleet"])
    parser.add_argument("--watches", type=int, default=20, help="variants of a stream and clients that disturb watch")
    parser.add_argument("--mjcf", type=int, default=500, help="random MJCFs, and as many damaged pickles")
    parser.add_argument("--fleets", type=int, default=20, help="folders of logs with hostile names and files")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("build/attack"), help="folder for what is found")
    asked = parser.parse_args()
    shutil.rmtree(asked.keep, ignore_errors=True)
    asked.keep.mkdir(parents=True)
    findings = Findings(asked.keep)
    with tempfile.TemporaryDirectory(prefix="antaeus-attack-") as folder:
        inputs = made_inputs(pathlib.Path(folder))
        parts = {"bombs": lambda: attack_with_bombs(findings, asked.bombs, asked.seed),
                 "maps": lambda: attack_maps(findings, inputs, asked.maps, asked.seed), "names": lambda: attack_names(findings, inputs), "places": lambda: attack_places(findings, inputs),
                 "mjcf": lambda: attack_mjcf(findings, asked.mjcf, asked.seed), "pickles": lambda: attack_pickles(findings, asked.mjcf, asked.seed),
                 "fleet": lambda: attack_fleet(findings, inputs, asked.fleets, asked.seed),
                 "watch": lambda: attack_watch(findings, asked.watches, asked.seed),
                 "kills": lambda: attack_with_kills(findings, inputs, asked.kills, asked.seed),
                 "mutations": lambda: attack_with_mutations(findings, inputs, asked.mutations, asked.seed)}
        for name, part in parts.items():
            if asked.only in (None, name):
                begun = time.monotonic()
                part()
                print(f"{name}: {time.monotonic() - begun:.0f} s, {len(findings.all)} findings so far", flush=True)
    return 1 if findings.all else 0


if __name__ == "__main__":
    sys.exit(main())
