#!/usr/bin/env python3
"""Runs the same commands with two builds and compares every number that they write.

    build/venv/bin/python tools/compare_outputs.py A B [--only NAME]… [--jobs N] [--keep FOLDER] [--json]
    build/venv/bin/python tools/compare_outputs.py --list

A and B are checkouts or their build folders (`bin/antaeus`, `python/`; `make all`), A the older one. Both run the commands below on
one set of synthetic logs (tests/support/sample_logs.py). Compared are exit codes, the names of files, and by key every number and every
code word (a verdict, a reason, a status) of JSON, JSON lines, CSV, Parquet, .npy, .npz and TOML files and of --json on standard
output. Sentences, pages and plots are not. A command is written in the newest spelling; a build that refuses it gets the old one.
Exit code 0: equal, 1: different or a command failed, 2: bad input.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib

import numpy as np
import pyarrow.csv
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import sample_logs  # noqa: E402

# Steps that share a folder; @ is the folder of the logs, "< FILE" the standard input.
COMMANDS = {
    "demo": ["demo --out out --episodes twins"],
    "audit-incident": ["audit @/twins/twin_incident --robot h1_2 --baseline @/twins/twin_good --out out"],
    "audit-part": ["audit @/pushed.npz --robot panda --from 1 --to 5 --csv --out out"],
    "estimate-twin": ["estimate @/twins/twin_pushes --robot h1_2 --out out.csv", "estimate @/twins/twin_incident --robot h1_2 --json"],
    "estimate-deployed": ["estimate @/twins/twin_incident --robot h1_2 --estimator deployed --set estimator.sign=on_robot --out out.csv"],
    "estimate-stacked": ["estimate @/twins/twin_incident --robot h1_2 --estimator stacked --out out.parquet"],
    "estimate-arm": ["estimate @/pushed.parquet --robot panda --out out.parquet", "estimate @/slow.npz --robot panda --json",
                     "estimate - --format csv --robot panda --payload panda_hand=0.5 --step 700 --json < @/pushed.csv"],
    "estimate-smooth": ["estimate @/pushed.npz --robot panda --smooth 0.2 --out out.csv"],
    "check": ["check @/free.npz --robot panda --out out", "check @/twins/twin_good --json"],
    "check-fix": ["inject @/free.npz --robot panda --fault torque_sign --out wrong", "check wrong --robot panda --fix fixed --out out"],
    "inject": ["inject @/free.npz --robot panda --fault joint_order --out swapped", "check swapped --robot panda --json"],
    "identify": ["identify @/free.npz --robot panda --contact-free all --out out",
                 "estimate @/pushed.npz --robot out/profile.toml --contact-free 0:1.5 --out out.parquet"],
    "identify-logs": ["identify @/free.npz @/free_later.npz --robot panda --contact-free free=0: --contact-free free_later=0:11.5 --out out",
                      "identify @/slow.npz --robot panda --contact-free all --fit noise,friction --out slow"],
    "identify-payload": ["identify @/free.npz --robot panda --contact-free all --loaded @/loaded.npz --payload-frame panda_hand --out out"],
    "identify-force": ["identify @/measured.npz --robot panda --measured-force panda_hand --out out", "identify @/pushed.npz --robot panda --json"],
    "contact": ["contact @/sway.npz --robot @/biped.urdf -c left_sole -c right_sole --with-limits cone --out out", "contact --total @/total.csv --out total"],
    "contact-over-time": ["contact @/sway.npz --robot @/biped.urdf -c left_sole -c right_sole --over-time --out out",
                          "contact @/sway.npz --robot @/biped.urdf --inverse-dynamics --out torques"],
    "ik": ["ik --robot panda --frame panda_hand --targets @/targets.csv --out out", "ik --robot ur5e --frame tool0 --targets @/path.csv --path --out path"],
    "ik-methods": ["ik --robot panda --frame panda_hand --targets @/targets.csv --method dls_restarts --out dls",
                   "ik --robot h1_2 --frame left_wrist_yaw_link --target 0.3,0.3,0.2 --trace --out wrist"],
    "simulate-parity": ["simulate parity --set parity.states=200 --out out"],
    "simulate-hold": ["simulate hybrid-hold --set experiment.comparisons=false --out out"],
    "space-tracking": ["space tracking --set experiment.comparisons=false --out out"],
    "space-singular": ["space singular --set experiment.comparisons=false --set space.crossing=wrist --json"],
    "fleet": ["fleet @/fleet --robot panda --out out --workers 1", "fleet report out", "fleet sql out --query noisy_joints --json"],
    "convert": ["convert @/rtde.csv out", "convert @/libfranka.csv out.parquet", "check @/rtde.csv --robot ur5e --json"],
    "preflight": ["preflight --robot h1_2 --pose arm_waist_target --json", "preflight --robot panda --positions panda_joint4=-0.5 --json",
                  "preflight --robot h1_2 --episode @/twins/twin_incident --step 8 --json"],
    "advise": ["advise --robot h1_2 --pose arm_waist_target --json", "advise --robot panda --pose straight --limit kappa=12 --joint panda_joint4 --json"],
    "map": ["map --robot panda -j panda_joint2 -j panda_joint4 --pose ready --steps 15 --out out", "map --robot panda --poses @/poses.csv --out poses"],
    "robot": ["robot panda --out panda", "robot @/quadruped.urdf --write quadruped.toml --json", "robot quadruped.toml --out quadruped"],
    "show-watch": ["show @/pushed --robot panda --out out", "watch log://@/pushed.npz --robot panda --speed 0 --publish -"],
}

# Old name → new name. An entry stays for as long as comparisons reach back beyond the change.
RENAMED_SETTINGS = {
    **{f"contact_place.{name}": f"contact_location.{name}" for name in (
        "ratio", "fault_ratio", "alike", "set_probability", "radius", "none_prior", "fault_prior", "offset_prior")},
    **{f"{group}.envelope_{name}": f"{group}.speed_range_{name}" for group in ("held_pose", "residual")
       for name in ("window", "factor", "still_speed", "moving_speed")},
    **{f"residual.day_{name}": f"residual.session_{name}" for name in ("learn", "from", "until", "forget", "contact_sd", "largest")},
    "sensorless.told_error": "sensorless.stated_error",
    "sensorless.told_sd": "sensorless.stated_sd",
    "split.hidden_place_sd": "split.hidden_location_sd",
}
RENAMED_WORDS: dict[str, str] = {"mutate": "inject"} | RENAMED_SETTINGS  # of a command line: commands, options, settings (group.option)
RENAMED_FILES: dict[str, str] = {}  # paths below a command's folder
RENAMED_KEYS: dict[str, str] = {}  # JSON keys, columns, members of .npz
RENAMED_VALUES: dict[str, str] = {"figures": "assumed", "told": "stated"} | RENAMED_SETTINGS  # code words: verdicts, reasons, estimators

TOLERANCE = 1e-9  # relative: two engines that sum in another order
COLUMN_SHARE = 1e-3  # of a column's largest number: below it the tolerance is that of this share, since a zero crossing has no digits
FLOOR = 1e-14  # absolute, in the number's own unit
# Pattern of "command:file:key" → relative tolerance and its reason. The first that matches counts.
TOLERANCES: list[tuple[str, float, str]] = []
# Pattern of "command:file:key" → why the number differs from run to run, or from build to build.
VARYING = {
    r":.*\b(\w*cpu_us|timing|received)\b": "time that the run took, or the clock of this machine",
    r":.*\b(version|antaeus_version)$": "version of the program",
    r":.*\b(model_sha256|profile_sha256)$|^robot:.*sha256$": "a robot's files may change their text",
    r"^fleet:.*:(id|model|settings)$": "hashes over the robot's files, the settings and the version",
    r"/\.antaeus\.json$": "marks a folder as one that Antaeus may replace; older builds write none",
    r"^fleet:out/attempts/": "folders of random names; their rows are those of steps/, joints/, events/ and episodes/",
}
CODE_WORDS = re.compile(r"[\w.+-]+([;,|] ?[\w.+-]+)*")
ROWS = 50  # members of a JSON list from which it is a table
LIMIT = 20  # differences that are printed for each command


@dataclasses.dataclass
class Outcome:
    name: str
    numbers: int = 0
    words: int = 0
    differences: list[dict] = dataclasses.field(default_factory=list)

    def differ(self, file, key, a, b, relative=None, count=1):
        self.differences.append({"command": self.name, "file": file, "key": key, "a": a, "b": b, "relative": relative, "count": count})


def find_build(path):
    for folder in (pathlib.Path(path), pathlib.Path(path) / "build"):
        if os.access(folder / "bin/antaeus", os.X_OK):
            return folder.resolve()
    sys.exit(print(f"compare_outputs: {path}: no bin/antaeus in it or in its build/; run `make all` there", file=sys.stderr) or 2)


# ------------------------------------------------------------------------------------------------------------------------ run


def run_step(build, words, folder):
    words, source = (words[:words.index("<")], words[words.index("<") + 1]) if "<" in words else (words, os.devnull)
    python = build / "venv/bin/python"
    environment = os.environ | {"PYTHONPATH": str(build / "python"), "LC_ALL": "C.UTF-8", "COLUMNS": "100", "OMP_NUM_THREADS": "1",
                                "ANTAEUS_PYTHON": str(python if python.exists() else sys.executable)}
    with open(source, "rb") as stdin:
        return subprocess.run([build / "bin/antaeus", *words], cwd=folder, env=environment, stdin=stdin, capture_output=True, check=False)


def old_spelling(word):
    for old, new in RENAMED_WORDS.items():
        if word == new or word.startswith(new + "="):
            return old + word[len(new):]
    return word


def run_command(build, name, folder, logs):
    """Runs the steps of a command; returns their exit codes and the last line of standard error of each."""
    folder.mkdir(parents=True)
    codes, lines = [], []
    for number, step in enumerate(COMMANDS[name]):
        words = [word.replace("@", os.path.relpath(logs, folder)) for word in shlex.split(step)]
        if "<" in words:
            words[-1] = os.path.join(folder, words[-1])
        done = run_step(build, words, folder)
        if done.returncode == 2 and (old := [old_spelling(word) for word in words]) != words:
            done = run_step(build, old, folder)
        if "--json" in words:
            (folder / f"stdout-{number}.json").write_bytes(done.stdout)
        if "--publish" in words:  # the topic `guard` is sent by the clock
            (folder / f"stdout-{number}.jsonl").write_bytes(b"".join(re.findall(rb'^\{"topic": "wrench".*\n', done.stdout, re.M)))
        codes.append(done.returncode)
        lines.append(done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:200])
    return codes, lines


# ----------------------------------------------------------------------------------------------------------------------- read


def flatten(value, key, found):
    """Adds every value below `value` to `found`: key → list of arrays of numbers or of texts. The rows of a long list share their keys."""
    if isinstance(value, dict):
        for name, member in value.items():
            flatten(member, f"{key}.{RENAMED_KEYS.get(name, name)}" if key else RENAMED_KEYS.get(name, name), found)
    elif isinstance(value, list) and not all(isinstance(member, int | float | None) for member in value):
        for i, member in enumerate(value):
            flatten(member, f"{key}[]" if len(value) > ROWS else f"{key}[{i}]", found)
    elif isinstance(value, str):
        found[key].append(np.array([value], object))
    elif isinstance(value, list | int | float | None):
        found[key].append(np.array(value if isinstance(value, list) else [value], float))


def read_tree(path):
    text, found = path.read_text("utf-8"), collections.defaultdict(list)
    if path.suffix == ".toml":
        flatten(tomllib.loads(text), "", found)
    else:
        try:
            flatten(json.loads(text), "", found)
        except json.JSONDecodeError:
            flatten([json.loads(line) for line in text.splitlines() if line], "", found)
    return {key: np.concatenate(arrays) for key, arrays in found.items()}


def read_table(table):
    found = {}
    for name in table.column_names:
        try:
            values = np.array(table[name].to_numpy(), float)
        except (TypeError, ValueError):
            values = np.array([str(value or "") for value in table[name].to_pylist()], object)
        found[RENAMED_KEYS.get(name, name)] = values
    return found


def read_values(path):
    """Returns key → array of everything in a file that is compared."""
    if path.suffix in (".json", ".jsonl", ".toml"):
        return read_tree(path)
    if path.suffix == ".csv":
        return read_table(pyarrow.csv.read_csv(path)) if path.stat().st_size else {}
    if path.suffix == ".parquet":
        return read_table(pyarrow.parquet.ParquetFile(path).read())
    if path.suffix in (".npy", ".npz"):
        loaded = np.load(path, allow_pickle=False)
        arrays = {"": loaded} if path.suffix == ".npy" else {RENAMED_KEYS.get(name, name): loaded[name] for name in loaded}
        return {name: np.ravel(array).astype(float) for name, array in arrays.items() if array.dtype.kind in "iufb"}
    return {}


# -------------------------------------------------------------------------------------------------------------------- compare


def is_varying(where):
    return any(re.search(pattern, where) for pattern in VARYING)


def tolerance_of(where):
    return next((tolerance for pattern, tolerance, _ in TOLERANCES if re.search(pattern, where)), TOLERANCE)


def compare_numbers(outcome, file, key, a, b):
    outcome.numbers += a.size
    finite = np.isfinite(a) & np.isfinite(b)
    size = np.where(finite, np.maximum(np.abs(a), np.abs(b)), 0.0)
    size = np.maximum(size, COLUMN_SHARE * size.max(initial=0.0))
    with np.errstate(invalid="ignore"):
        off = np.where(finite, np.abs(a - b), 0.0)
        wrong = np.where(finite, off > tolerance_of(f"{outcome.name}:{file}:{key}") * size + FLOOR, (a != b) & ~(np.isnan(a) & np.isnan(b)))
    if wrong.any():
        worst = int(np.argmax(np.where(wrong, np.where(finite, off / np.maximum(size, FLOOR), np.inf), -1.0)))
        relative = float(off[worst] / size[worst]) if finite[worst] else None
        outcome.differ(file, f"{key}[{worst}]" if a.size > 1 else key, float(a[worst]), float(b[worst]), relative, int(wrong.sum()))


def compare_words(outcome, file, key, a, b):
    for i, (ours, theirs) in enumerate(zip(a, b, strict=True)):
        if CODE_WORDS.fullmatch(ours or "-") and CODE_WORDS.fullmatch(theirs or "-"):
            outcome.words += 1
            if [RENAMED_VALUES.get(word, word) for word in re.split(r"[;,|] ?", ours)] != [RENAMED_VALUES.get(word, word) for word in re.split(r"[;,|] ?", theirs)]:
                return outcome.differ(file, f"{key}[{i}]" if len(a) > 1 else key, ours, theirs)


def compare_files(outcome, file, a, b):
    a, b = read_values(a), read_values(b)
    for key in sorted(a.keys() | b.keys()):
        if is_varying(f"{outcome.name}:{file}:{key}"):
            continue
        if key not in a or key not in b:
            outcome.differ(file, key, "missing" if key not in a else "present", "missing" if key not in b else "present")
        elif a[key].shape != b[key].shape:
            outcome.differ(file, key, f"{a[key].size} values", f"{b[key].size} values")
        elif a[key].dtype != b[key].dtype:
            outcome.differ(file, key, str(a[key][:1]), str(b[key][:1]))
        else:
            (compare_words if a[key].dtype == object else compare_numbers)(outcome, file, key, a[key], b[key])


def files_below(folder):
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {RENAMED_FILES.get(name, name): path for name, path in paths.items()}


def compare_command(name, builds, work, logs):
    outcome = Outcome(name)
    (codes_a, lines_a), (codes_b, lines_b) = (run_command(build, name, work / side / name, logs) for side, build in builds.items())
    for number, (a, b) in enumerate(zip(codes_a, codes_b, strict=True)):
        if a != b or a not in (0, 1):
            outcome.differ(f"step {number}", "exit code", f"{a} {lines_a[number]}".strip(), f"{b} {lines_b[number]}".strip())
    files_a, files_b = (files_below(work / side / name) for side in builds)
    for file in sorted(files_a.keys() | files_b.keys()):
        if is_varying(f"{name}:{file}"):
            continue
        if file in files_a and file in files_b:
            compare_files(outcome, file, files_a[file], files_b[file])
        else:
            outcome.differ(file, "file", "missing" if file not in files_a else "present", "missing" if file not in files_b else "present")
    return outcome


def print_differences(outcome):
    for each in outcome.differences[:LIMIT]:
        more = f", {each['count']} values differ" if each["count"] > 1 else ""
        relative = f" (relative {each['relative']:.2e}{more})" if each["relative"] is not None else f"{more and f' ({more[2:]})'}"
        print(f"    {each['file']}: {each['key']}: {each['a']} | {each['b']}{relative}")
    if len(outcome.differences) > LIMIT:
        print(f"    … and {len(outcome.differences) - LIMIT} more (--json lists all)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("a", nargs="?", metavar="A", help="checkout or build folder, the older one")
    parser.add_argument("b", nargs="?", metavar="B", help="the newer one")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this command (repeatable)")
    parser.add_argument("--list", action="store_true", help="list the commands and exit")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="commands at a time (default: 2)")
    parser.add_argument("--keep", metavar="FOLDER", help="keep logs and outputs in this new folder")
    parser.add_argument("--json", action="store_true", help="print all differences as JSON")
    given = parser.parse_args()
    if given.list:
        for name, steps in COMMANDS.items():
            print("\n".join(f"{name if not i else '':<20}{step}" for i, step in enumerate(steps)))
        return 0
    names = given.only or list(COMMANDS)
    if unknown := [name for name in names if name not in COMMANDS]:
        parser.error(f"unknown command '{unknown[0]}': use one of {', '.join(COMMANDS)}")
    if given.a is None or given.b is None:
        parser.error("two builds are needed: A and B")
    builds = {"a": find_build(given.a), "b": find_build(given.b)}
    if given.keep and pathlib.Path(given.keep).exists():
        parser.error(f"--keep: '{given.keep}' exists; name a new folder")
    with tempfile.TemporaryDirectory(prefix="antaeus-compare-") as temporary:
        work = pathlib.Path(given.keep or temporary).resolve()
        logs = work / "logs"
        sample_logs.write_sample_logs(logs)
        if any("@/twins" in step for name in names for step in COMMANDS[name]) and run_step(builds["b"], ["demo", "--json", "--episodes", str(logs / "twins")], logs).returncode not in (0, 1):
            parser.error(f"{given.b}: `antaeus demo --episodes` fails, which makes the logs of the humanoid")
        begun, outcomes = time.monotonic(), []
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            waiting = [pool.submit(compare_command, name, builds, work, logs) for name in names]
            for number, each in enumerate(concurrent.futures.as_completed(waiting), 1):
                outcomes.append(outcome := each.result())
                equal = "equal" if not outcome.differences else f"{len(outcome.differences)} keys DIFFER"
                print(f"{number:3}/{len(names)} {outcome.name:<20}{outcome.numbers:9} numbers, {outcome.words:7} words: {equal}",
                      file=sys.stderr if given.json else sys.stdout, flush=True)
                if not given.json:
                    print_differences(outcome)
    different = [outcome for outcome in outcomes if outcome.differences]
    totals = {"commands": len(outcomes), "numbers": sum(o.numbers for o in outcomes), "words": sum(o.words for o in outcomes),
              "different": sorted(o.name for o in different)}
    if given.json:
        print(json.dumps(totals | {"differences": [each for o in outcomes for each in o.differences]}, indent=2))
    else:
        print(f"{'equal' if not different else 'DIFFERENT: ' + ', '.join(totals['different'])}: {totals['commands']} commands, "
              f"{totals['numbers']} numbers and {totals['words']} words compared in {time.monotonic() - begun:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
