#!/usr/bin/env python3
"""Where the guarded estimator lies: scenarios in MuJoCo, several robots, against the truth (README.md beside this).

    build/venv/bin/python benchmarks/truth/run.py              the whole matrix, under half an hour on two cores
    build/venv/bin/python benchmarks/truth/run.py --quick      every scenario for a moment, two robots, under a minute
    build/venv/bin/python benchmarks/truth/run.py --only push,impact --robots panda,my_arm.urdf --seeds 7,9

Into build/bench_truth (--out): table.parquet, table.md, report.html, and a file a run in cache/. A run that is killed goes
on where it stopped: the same command takes what is there. Exit code 2: bad input, one line, nothing written.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import sys
import tempfile
import threading
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # work is spread over processes

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
try:
    import antaeus
    import mujoco
    import pyarrow  # noqa: F401
except ImportError as error:
    remedy = {"antaeus": "make all, and PYTHONPATH=build/python", "mujoco": "pip install mujoco", "pyarrow": "pip install pyarrow"}
    print(f"bench-truth: {error}; get it by: {remedy.get(error.name, 'make bench-truth')}", file=sys.stderr)
    sys.exit(2)

import judge
import logs
import one
import robots
import scenarios
import table
from scenarios import Wrong

QUICK_S, QUICK_ROBOTS, QUICK_SEEDS = 4.5, ("h1_2", "panda"), (1,)
DRAWN = 12  # lies that the page draws


def options():
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--scenarios", metavar="FILE", default=str(scenarios.FILE), help="default: scenarios.toml beside this")
    parser.add_argument("--out", metavar="DIR", default=str(ROOT / "build/bench_truth"), help="default: build/bench_truth")
    parser.add_argument("--only", metavar="NAME,…", help="these scenarios alone")
    parser.add_argument("--robots", metavar="NAME,…", help="of the scenario file, or paths to a .urdf or .toml")
    parser.add_argument("--seeds", metavar="3,5", help="exactly these; default: the odd ones of each scenario")
    parser.add_argument("--tuned", action="store_true", help="also the even seeds, beside the table")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_S} s of each scenario, {' and '.join(QUICK_ROBOTS)}, one seed")
    parser.add_argument("--json", action="store_true", help="print the table as JSON; progress goes to stderr")
    parser.add_argument("--export", metavar="DIR", help="also write each run as a log that `antaeus audit` reads, with the truth")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(), help="processes (default: one a core)")
    parser.add_argument("--no-logs", action="store_true", help="without the real logs of ANTAEUS_SHARED")
    return parser.parse_args()


def chosen(words, known, place):
    found = []
    for word in words.split(","):
        if word not in known:
            raise Wrong(f"{place}: unknown scenario '{word}'; {scenarios.nearest(word, known)}")
        found.append(word)
    return found


def plan(given, folder):
    """(tasks without files, subjects, left out)."""
    read = scenarios.read(given.scenarios)
    listed, known = read["robots"], {one["name"]: one for one in read["scenarios"]}
    names = chosen(given.only, known, "--only") if given.only else list(known)
    seeds = scenarios.seeds_of(given.seeds) if given.seeds else None
    if given.jobs < 1:
        raise Wrong(f"--jobs: {given.jobs} is no number of processes; give 1 or more")
    wanted = given.robots.split(",") if given.robots else list(QUICK_ROBOTS) if given.quick else list(listed)
    wanted = list(dict.fromkeys(wanted))
    subjects, left_out, tasks = {}, [], []
    for name in wanted:
        try:
            path = robots.file_of(name, listed, folder)
        except robots.Absent as error:
            left_out.append((f"robot {name}", str(error)))
            continue
        except Wrong as error:
            raise Wrong(f"{'--robots' if given.robots else given.scenarios}: {error}") from None
        try:
            subject = robots.load(name, path, listed.get(name, {}))
        except Wrong as error:
            raise Wrong(f"{given.scenarios if name in listed else '--robots'}: {error}") from None
        if subject.name in [other.name for other, _ in subjects.values()]:
            raise Wrong(f"--robots: two robots are called '{subject.name}'; rename a file")
        subjects[name] = (subject, path)
    for name in names:
        scenario = dict(known[name])
        if given.quick:
            scenario["duration_s"] = min(QUICK_S, scenario["duration_s"])
            scenario["push"] = [push for push in scenario["push"] if push["start_s"] < scenario["duration_s"]]
        for wished in scenario["robots"] or ():
            if wished not in listed and wished not in subjects:
                raise Wrong(f"{given.scenarios}: scenario '{name}', robots: '{wished}' is not run; give it to --robots too")
        for robot, (subject, path) in subjects.items():
            if scenario["robots"] and robot not in scenario["robots"]:
                continue
            why = one.left_out(scenario, subject)
            if why:
                left_out.append((f"{name} of {robot}", why))
                continue
            try:
                one.checked(scenario, subject)
            except Wrong as error:
                raise Wrong(f"{given.scenarios}: {error}") from None
            own = seeds or (list(QUICK_SEEDS) if given.quick else
                            [s for s in scenario["seeds"] if s % 2 or given.tuned])  # fmt: skip
            if not own:
                raise Wrong(f"{given.scenarios}: scenario '{name}', seeds: none is odd, so none is reported; add one, or --tuned")
            for seed in own:
                tasks.append({"scenario": scenario, "robot": robot, "path": path, "seed": seed,
                              "given": json.dumps(listed.get(robot, {}))})  # fmt: skip
    if not tasks and not left_out:
        raise Wrong(f"{given.scenarios}: nothing to run: no scenario names one of {', '.join(wanted)}")
    return tasks, subjects, left_out


def say(text, given):
    print(text, file=sys.stderr if given.json else sys.stdout, flush=True)


def put_files(tasks, subjects, given, folder):
    """Names of caches and exports."""
    profiles = {}
    if given.export:
        place = pathlib.Path(given.export) / "robots"
        for name, (subject, path) in subjects.items():
            profiles[name] = path
            if pathlib.Path(path).parent == pathlib.Path(folder):  # written of a description: the audit needs it too
                place.mkdir(parents=True, exist_ok=True)
                antaeus.describe(subject.robot.profile.model).write(place / f"{subject.name}.toml")
                profiles[name] = f"../robots/{subject.name}.toml"  # seen from a log
    for task in tasks:
        subject = subjects[task["robot"]][0]
        task["file"] = str(one.cache_file(given.out, task["scenario"], subject, task["seed"]))
        task["export_to"] = given.export and str(
            pathlib.Path(given.export) / f"{task['scenario']['name']}-{subject.name}-{task['seed']}")
        task["robot_file"] = profiles.get(task["robot"], "")


def end_with(parent):
    """A worker whose parent was killed ends too, instead of waiting for work for ever."""

    def watch():
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def finished(tasks, jobs):
    """(task, s of CPU) as they end."""
    if jobs == 1:
        for task in tasks:
            yield task, one.work(task)[1]
        return
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=end_with, initargs=(os.getpid(),)) as pool:
        running = {pool.submit(one.work, task): task for task in tasks}
        try:
            for future in concurrent.futures.as_completed(running):
                yield running[future], future.result()[1]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def carry_out(tasks, given):
    """Runs what is not there; one line a scenario. Returns what it took [s of CPU]."""
    began, cpu = time.monotonic(), 0.0
    waiting, names = {}, list(dict.fromkeys(task["scenario"]["name"] for task in tasks))
    for name in names:
        waiting[name] = sum(task["scenario"]["name"] == name for task in tasks)
    spent = dict.fromkeys(names, 0.0)
    work = sum(task["scenario"]["duration_s"] for task in tasks)
    done_work, done = 0.0, 0
    for task, took in finished(tasks, given.jobs):
        name = task["scenario"]["name"]
        cpu += took
        spent[name] += took
        waiting[name] -= 1
        done_work += task["scenario"]["duration_s"]
        if waiting[name] == 0:
            done += 1
            left = (time.monotonic() - began) * (work - done_work) / done_work
            took_words = f"{spent[name]:.0f} s of CPU" if spent[name] else "was there"
            say(f"[{done}/{len(names)}] {name}: {took_words}; about {left / 60:.1f} minutes left", given)
    return cpu


def rows_of(tasks, subjects, given):
    """Rows, loops, and (row, trace) of the largest lies."""
    rows, loops, traces = [], [], []
    groups = {}
    for task in tasks:
        groups.setdefault((task["scenario"]["name"], task["robot"]), []).append(task)
    for (name, robot), of_row in groups.items():
        halves = {"reported": [], "tuned": []}
        for task in of_row:
            half = "reported" if given.seeds or task["seed"] % 2 else "tuned"
            halves[half].append((task["seed"], *one.read(task["file"])))
        reported = halves["reported"]
        if not reported:
            continue
        scenario, subject = of_row[0]["scenario"], subjects[robot][0]
        abouts = [about for _, about, _ in reported]
        total = judge.merged([about["sums"] for about in abouts])
        row = {"scenario": name, "title": scenario["title"], "family": scenario["family"], "robot": subject.name,
               "residual": abouts[0]["residual"], "seeds": len(reported)} | judge.figures(total)  # fmt: skip
        row["coverage_of_blocks"] = len(total["blocks"])
        # A row is undetectable only if every run of it was listed so.
        words = {about.get("listed", "–") for about in abouts}
        row["listed"] = "detectable" if "detectable" in words else words.pop()
        for number in ("offset_Nm", "detectable_Nm", "power"):
            values = [about[number] for about in abouts if number in about]
            row[number] = sorted(values)[len(values) // 2] if values else float("nan")
        reasons = {}
        for about in abouts:
            for reason, count in about["reasons"].items():
                reasons[reason] = reasons.get(reason, 0) + count
        row["reasons"] = sorted(reasons, key=reasons.get, reverse=True)[:4]
        if halves["tuned"]:
            row["tuned"] = judge.figures(judge.merged([about["sums"] for _, about, _ in halves["tuned"]]))
        for seed, about, _ in reported:
            if "policy" in about:
                loops.append({"scenario": name, "robot": subject.name, "seed": seed, **about["policy"]})
        rows.append(row)
        worst = max(reported, key=lambda r: (r[1]["sums"]["lies"], r[1]["sums"]["largest_lie"]))
        traces.append((row, worst[2]))
    traces = sorted((t for t in traces if table.is_lie(t[0])), key=lambda t: -t[0]["lies"])[:DRAWN]
    return rows, loops, traces


def controllers(rows):
    """The policy-change test: the same sensors under other loops. Coverage with its interval."""
    found, by = [], {(row["scenario"], row["robot"]): row for row in rows}
    for robot in dict.fromkeys(row["robot"] for row in rows):
        three = [by.get((name, robot)) for name in ("swinging", "loop_soft", "loop_stiff")]
        if all(three):
            of = [(row["coverage"], row["coverage_low"], row["coverage_high"]) for row in three]
            found.append({"robot": robot, "coverage": of,
                          "meet": max(low for _, low, _ in of) <= min(high for _, _, high in of)})  # fmt: skip
    return found


def main():
    given = options()
    with tempfile.TemporaryDirectory(prefix="bench_truth_") as folder:
        try:
            tasks, subjects, left_out = plan(given, folder)
        except Wrong as error:
            print(f"bench-truth: {error}", file=sys.stderr)
            return 2
        for what, why in left_out:
            if what.startswith("robot"):
                say(f"{what}: left out, {why}", given)
        put_files(tasks, subjects, given, folder)
        cpu = carry_out(tasks, given)
        rows, loops, traces = rows_of(tasks, subjects, given)
    # What earlier runs took is in their files: the whole is said, whatever was there.
    total_cpu = sum(one.read(task["file"])[0]["seconds_of_cpu"] for task in tasks)
    if not given.no_logs and not given.only and not given.robots:
        real, skipped = logs.rows(lambda text: say(text, given))
        rows += real
        left_out += skipped
    result = {
        "command": shlex.join(["python", "benchmarks/truth/run.py", *sys.argv[1:]]), "antaeus": one.version(),
        "mujoco": mujoco.__version__, "seeds": sorted({t["seed"] for t in tasks if given.seeds or t["seed"] % 2}),
        "cpu_s": total_cpu, "rows": rows, "policy": loops, "controllers": controllers(rows), "left_out": left_out,
    }  # fmt: skip
    out = pathlib.Path(given.out)
    table.write_parquet(rows, out / "table.parquet")
    text = "## What is still a lie\n\n" + table.lies_first(rows) + "\n## Table\n\n" + table.markdown(result)
    one.write_whole(out / "table.md", lambda path: pathlib.Path(path).write_text(text, encoding="utf-8"))
    page = table.page(result, traces)
    one.write_whole(out / "report.html", lambda path: pathlib.Path(path).write_text(page, encoding="utf-8"))
    if given.json:
        print(table.as_json(result), end="")
    lying = [row for row in rows if table.is_lie(row)]
    say(f"{len(lying)} of {len(rows)} rows lie; {cpu:.0f} s of CPU now. {out}/report.html, table.md, table.parquet", given)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        print(f"bench-truth: {error.filename or 'files'}: {error.strerror}; the same command continues from here", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("bench-truth: stopped; the same command continues from here", file=sys.stderr)
        sys.exit(130)
