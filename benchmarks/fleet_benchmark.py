"""What a fleet costs: throughput beside a replay in one process, overhead of an engine, memory, bytes, and a year of 1000 robots on paper.

Logs are the synthetic ones of tests/python/fleet_logs.py: an H1-2 at 50 Hz, a Panda at 100 and 500 Hz by turns (the latter through the loop), a
quadruped at 200 Hz, with faults planted. Both sides compute the forces of the same logs by the same rule; the one in a single process reads
them and computes forces, and nothing else: no hash, no joints, no tables. They take turns, so that what else the machine does meets both.

Usage: fleet_benchmark.py [--episodes 2000] [--minutes 10] [--workers N] [--rounds 2] [--engines local,ray,dask] [--folder PATH] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/python"))
import antaeus
import fleet_logs
from antaeus import fleet
from antaeus.fleet import engines, task

RATES = {"h1_2": (50.0, 50.0), "panda": (100.0, 500.0), "quadruped": (200.0, 200.0)}
WANT = ("posterior", "force_sd", "force_directions", "verdict", "reasons", "residual")
YEAR = 365 * 86400.0  # s


def make(folder, count, minutes):
    robots = fleet_logs.make_robots(folder / "robots")
    loaded = {name: antaeus.load_robot(of) for name, of in robots.items()}
    for path, name, fault, number in fleet_logs.places(count):
        fleet_logs.make_log(folder / "logs" / path, name, loaded[name], fault, number, 60 * minutes, RATES[name][number // 3 % 2])
    return list(robots.values())


def replay_alone(rows):
    """Forces of the logs, one after the other, in this process: what `antaeus.replay` and `antaeus.estimate` take."""
    spent = {"replay": [0.0, 0, 0], "loop": [0.0, 0, 0], "none": [0.0, 0, 0]}  # s, samples, logs
    for row in rows:
        begin = time.perf_counter()
        robot = task.robots.load(row["profile"], row["root"])[0]
        frames = [each.frame for each in robot.profile.endpoints if each.kind is not antaeus.EndpointKind.foot]
        path = os.path.join(row["root"], row["path"])
        log = antaeus.load_episode(path, robot)
        rate = 1 / log.sample_time()
        if not frames:
            kind = "none"
            antaeus.BatchReplay(robot, [], threads=1)(log, want=("residual",))
        elif rate < 200:
            kind = "replay"
            antaeus.BatchReplay(robot, frames, threads=1)(log, want=WANT)
        else:
            kind = "loop"
            for _ in antaeus.LogEstimates(log, robot, endpoints=frames, threads=1):
                pass
        spent[kind][0] += time.perf_counter() - begin
        spent[kind][1] += len(log)
        spent[kind][2] += 1
    return spent


def run(words, folder):
    """Wall and CPU seconds of a command with all that it starts, the largest of their processes in MB, and what it prints."""
    began = time.perf_counter()
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, words
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, printed


def alone(folder, rows_file):
    """replay_alone in a process of its own."""
    return run([sys.executable, __file__, "--alone", str(rows_file)], folder)


def whole(folder, robots, workers):
    """plan, compute and finish by the command."""
    shutil.rmtree(folder / "DIR", ignore_errors=True)
    words = [sys.executable, "-m", "antaeus", "--verb", "fleet", "logs", "--out", "DIR", "--workers", str(workers), "--json"]
    return run([*words, *(word for robot in robots for word in ("--robot", robot))], folder)


def overhead(folder, engine, workers=1, count=200):
    """Seconds a task beyond what the task itself takes, of an engine that has begun: tasks that fail at once."""
    rows = []
    place = folder / f"nothing-{engine}"
    shutil.rmtree(place, ignore_errors=True)
    some = fleet.tasks(folder / "DIR")[0]
    for number in range(count):
        rows.append({**some, "id": f"{number:016x}", "out": str(place), "problem": "nothing: is there; this measures"})

    def own():
        began = time.perf_counter()
        for row in rows[:40]:
            task.run_one(row)
        return (time.perf_counter() - began) / 40

    task.run_one(rows[0])  # what is loaded once
    before = own()
    stamps = [time.perf_counter() for _ in engines.find(engine)(rows, engines.Asked(str(place), workers=workers))]
    after = own()
    shutil.rmtree(place, ignore_errors=True)
    return (stamps[-1] - stamps[19]) / (count - 20) - min(before, after)


def size(place):
    return sum(file.stat().st_size for file in pathlib.Path(place).rglob("*") if file.is_file())


def on_paper(found, rate=50.0, robots=1000, hours_a_log=1.0):
    """A year of robots that record without a pause, from what a sample, a log and a row cost here."""
    logs = robots * YEAR / (3600 * hours_a_log)
    samples = robots * YEAR * rate
    return {
        "logs": logs, "samples": samples,
        "core_hours_replay": (samples * found["seconds_a_sample_replay"] + logs * found["seconds_a_log"]) / 3600,
        "core_hours_loop": (samples * found["seconds_a_sample_loop"] + logs * found["seconds_a_log"]) / 3600,
        "terabytes_read": samples * found["bytes_a_sample"] / 1e12,
        "terabytes_of_tables": robots * YEAR * found["table_bytes_a_second"] / 1e12,
        "finish_hours": logs * found["finish_seconds_a_log"] / 3600,
        "files_of_attempts": 5 * logs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--engines", default="local,ray,dask")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--alone", type=pathlib.Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(replay_alone(json.loads(given.alone.read_text(encoding="utf-8")))))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        measure(given, pathlib.Path(scratch))


def measure(given, folder):
    began = time.perf_counter()
    robots = make(folder, given.episodes, given.minutes)
    print(f"{given.episodes} logs of {given.minutes:g} min, {size(folder / 'logs') / 1e9:.2f} GB, made in {time.perf_counter() - began:.0f} s", flush=True)
    os.chdir(folder)
    fleet.plan(["logs"], folder / "planned", robots)
    rows = folder / "rows.json"
    rows.write_text(json.dumps([{name: row[name] for name in ("profile", "path", "root")} for row in fleet.tasks(folder / "planned")]), encoding="utf-8")
    single, fleets = [], []
    for number in range(given.rounds):
        single.append(alone(folder, rows))
        fleets.append(whole(folder, robots, given.workers))
        print(f"round {number + 1}: one process {single[-1][0]:.1f} s wall, {single[-1][1]:.1f} s CPU; fleet with {given.workers} workers {fleets[-1][0]:.1f} s wall, "
              f"{fleets[-1][1]:.1f} s CPU", flush=True)
    told = json.loads(single[-1][3])
    one, cpu_one = (min(each[place] for each in single) for place in (0, 1))
    many, cpu_many, worker = (min(each[place] for each in fleets) for place in (0, 1, 2))
    found = {"episodes": given.episodes, "minutes": given.minutes, "workers": given.workers, "single_wall_s": one, "fleet_wall_s": many,
             "of_cores_times_single": one / given.workers / many, "cpu_ratio": cpu_one / cpu_many}
    print(f"throughput: {found['of_cores_times_single']:.2f} × {given.workers} × one process by wall time (aim 0.8), {found['cpu_ratio']:.2f} by CPU")
    samples = sum(each[1] for each in told.values())
    for kind, (seconds, count, logs) in told.items():
        if logs:
            print(f"  {kind}: {logs} logs, {count} samples, {1e6 * seconds / count:.2f} µs a sample, the log's own cost in it")
    found["worker_megabytes"] = worker
    print(f"memory: the largest process held {worker:.0f} MB")
    parts = {name: size(folder / "DIR" / name) for name in ("steps", "events", "joints", "episodes", "attempts")}
    seconds = sum(row["duration_s"] or 0 for row in fleet_rows(folder / "DIR"))
    print("bytes: logs " + f"{size(folder / 'logs') / samples:.0f} a sample; tables a second of log: "
          + ", ".join(f"{name} {count / seconds:.2f}" for name, count in parts.items()))
    began = time.perf_counter()
    fleet.finish(folder / "DIR")
    finishing = (time.perf_counter() - began) / given.episodes
    print(f"finish: {1000 * finishing:.0f} ms a log")
    found |= {"bytes_a_sample": size(folder / "logs") / samples, "table_bytes_a_second": sum(count for name, count in parts.items() if name != "attempts") / seconds,
              "finish_seconds_a_log": finishing, **log_costs(folder)}
    for engine in given.engines.split(","):
        try:
            found[f"overhead_ms_{engine}"] = 1000 * overhead(folder, engine)
            print(f"overhead of {engine}: {found[f'overhead_ms_{engine}']:.1f} ms a task (aim 20)", flush=True)
        except antaeus.EpisodeError as error:
            print(f"overhead of {engine}: {error}")
    paper = on_paper(found)
    found["on_paper"] = paper
    print("1000 robots for a year at 50 Hz, in logs of an hour, two endpoints:")
    print(f"  {paper['logs']:.3g} logs, {paper['samples']:.3g} samples, {paper['terabytes_read']:.0f} TB read")
    print(f"  {paper['core_hours_replay']:.0f} core hours by replay, {paper['core_hours_loop']:.0f} by the loop; "
          f"{paper['terabytes_of_tables']:.2f} TB of tables; finish {paper['finish_hours']:.0f} h in one process; {paper['files_of_attempts']:.3g} files of attempts")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def log_costs(folder):
    """Of an H1-2's log: what a sample and what a log costs run_one, from two lengths; the loop's by --guarded."""
    robot, costs = antaeus.load_robot("h1_2"), {}
    for guarded, name, minutes in ((False, "replay", (4, 20)), (True, "loop", (0.5, 2))):
        spent = []
        for length in minutes:
            place = folder / f"cost/{name}{length}"
            fleet_logs.make_log(place, "h1_2", robot, "none", 1, 60 * length, 50.0)
            fleet.plan([str(place)], folder / f"cost-{name}{length}", "h1_2", guarded=guarded)
            row, = fleet.tasks(folder / f"cost-{name}{length}")
            task.run_one(row)
            begin = time.process_time()
            task.run_one(row)
            spent.append(time.process_time() - begin)
        a_sample = (spent[1] - spent[0]) / (60 * 50 * (minutes[1] - minutes[0]))
        costs[f"seconds_a_sample_{name}"] = a_sample
        print(f"run_one of an H1-2 by {name}: {1e6 * a_sample:.2f} µs CPU a sample and {1000 * (spent[0] - a_sample * 3000 * minutes[0]):.0f} ms a log", flush=True)
        costs.setdefault("seconds_a_log", spent[0] - a_sample * 3000 * minutes[0])
    return costs


def fleet_rows(out):
    import pyarrow.parquet as pq

    return pq.read_table(out / "episodes", columns=["duration_s"]).to_pylist()


if __name__ == "__main__":
    main()
