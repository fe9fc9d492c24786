"""Engines of a fleet: the same bytes from each, in any order and with any number of workers; who is killed on the way loses nothing."""

import hashlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time

import antaeus
import fleet_logs
import needs
import pytest

needs.package("pyarrow")
from antaeus import fleet  # noqa: E402
from antaeus.fleet import engines, task  # noqa: E402

COUNT, SECONDS = 40, 60.0
TABLES = ("steps", "events", "joints", "episodes")


def tree(out):
    return {str(file.relative_to(out)): hashlib.sha256(file.read_bytes()).hexdigest() for name in TABLES
            for file in sorted((pathlib.Path(out) / name).rglob("*")) if file.is_file()}


@pytest.fixture(scope="module")
def fleet_of_40(tmp_path_factory):
    """Folder with logs/, arguments of a run over it, and the bytes that every run must give."""
    folder = tmp_path_factory.mktemp("fleet")
    fleet_logs.make_logs(folder / "logs", COUNT, SECONDS)
    robots = [word for robot in fleet_logs.make_robots(folder / "robots").values() for word in ("--robot", robot)]
    # Without the check's judgement of torques, which is most of the cost of a log of a minute and changes nothing here.
    words = [sys.executable, "-m", "antaeus", "--verb", "fleet", "logs", "--set", "check.least_time=1000", *robots]
    done = subprocess.run([*words, "--out", "reference", "--workers", "2", "--json"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["done"] == COUNT
    return folder, words, tree(folder / "reference")


def descendants(pid):
    """Command lines of the processes below a process, by pid."""
    parents, lines = {}, {}
    for place in pathlib.Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            lines[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended
            continue
    below, new = {}, {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        below |= {child: lines.get(child, "") for child in new}
    return below


def attempts(out):
    return len(list(pathlib.Path(out).glob("attempts/*/*/manifest.json")))


def until(found, seconds=300):
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return value


def start(folder, words, out, *more):
    return subprocess.Popen([*words, "--out", out, *more], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_and_kill(fleet_of_40, out, engine, pattern):
    """A run, or the rest of one, of which one worker is killed on the way."""
    folder, words, reference = fleet_of_40
    begin = attempts(folder / out)
    driver = start(folder, words, out, "--engine", engine, "--workers", "2")
    until(lambda: attempts(folder / out) >= begin + 3 or driver.poll() is not None)
    killed = until(lambda: [pid for pid, line in descendants(driver.pid).items() if pattern in line] or driver.poll() is not None)
    assert killed is not True, driver.communicate()
    before = attempts(folder / out)
    os.kill(killed[-1], signal.SIGKILL)
    said = driver.communicate(timeout=600)
    assert driver.returncode == 0, said
    assert before < COUNT, "the run was over before anything was killed"
    assert tree(folder / out) == reference
    assert f"{COUNT} done, 0 failed" in said[0]


def test_another_order_and_one_worker_give_the_same_bytes(fleet_of_40, monkeypatch):
    folder, words, reference = fleet_of_40
    monkeypatch.chdir(folder)
    fleet.plan(["logs"], "shuffled", words[words.index("--robot") + 1::2], settings={"check.least_time": "1000"})
    rows = fleet.tasks("shuffled")
    random.Random(7).shuffle(rows)
    for row in rows:
        assert fleet.run_one(row)["status"] == "done"
    fleet.finish("shuffled")
    assert tree("shuffled") == reference


def test_ray_gives_the_same_bytes_with_a_worker_killed(fleet_of_40):
    needs.package("ray")
    run_and_kill(fleet_of_40, "ray", "ray", "ray::run_one")


def test_dask_gives_the_same_bytes_with_a_worker_killed(fleet_of_40):
    needs.package("distributed")
    run_and_kill(fleet_of_40, "dask", "dask", "spawn_main")


def test_a_killed_driver_and_then_a_killed_worker_lose_nothing(fleet_of_40):
    folder, words, _ = fleet_of_40
    driver = start(folder, words, "driver", "--workers", "2")
    until(lambda: attempts(folder / "driver") >= 5 or driver.poll() is not None)
    below = descendants(driver.pid)
    driver.kill()
    driver.communicate()
    until(lambda: not any(pathlib.Path(f"/proc/{pid}/stat").exists() and " Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text() for pid in below))
    assert 5 <= attempts(folder / "driver") < COUNT
    run_and_kill(fleet_of_40, "driver", "local", "local_worker")
    assert attempts(folder / "driver") == COUNT  # what was there was not computed again


def test_ctrl_c_leaves_a_folder_that_goes_on(fleet_of_40):
    folder, words, _ = fleet_of_40
    driver = start(folder, words, "stopped", "--workers", "1")
    until(lambda: attempts(folder / "stopped") >= 2 or driver.poll() is not None)
    below = descendants(driver.pid)
    driver.send_signal(signal.SIGINT)
    _, said = driver.communicate(timeout=600)
    assert driver.returncode == -signal.SIGINT
    assert said.strip() == "antaeus: stopped; stopped keeps what is done, and the same command continues from there"
    until(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in below))
    assert attempts(folder / "stopped") >= 2


# What an engine loses -----------------------------------------------------------------------------------------------


@pytest.fixture
def three_logs(tmp_path):
    robot = antaeus.load_robot("panda")
    for number in range(3):
        fleet_logs.make_log(tmp_path / f"logs/log{number}", "panda", robot, "none", number, 3.0, 50.0)
    fleet.plan([str(tmp_path / "logs")], tmp_path / "out", "panda")
    return tmp_path


@pytest.mark.parametrize("cause", ["killed", "disk"])
def test_what_is_lost_twice_is_a_failed_row_that_the_next_run_tries_again(three_logs, monkeypatch, cause):
    out, tries = three_logs / "out", []

    def losing(rows, asked):
        for row in rows:
            if row["path"].endswith("log1"):
                tries.append(row["id"])
                yield row, engines.Lost("its worker was killed (SIGKILL)", cause)
            else:
                yield row, task.run_one(row)

    monkeypatch.setattr(engines, "find", lambda name: losing)
    fleet.compute(out)
    told = fleet.finish(out)
    assert len(tries) == 2 and (told.done, told.failed, told.causes) == (2, 1, {cause: 1})
    assert told.failures[0][1] == "its worker was killed (SIGKILL), twice"
    monkeypatch.undo()
    assert len(fleet.missing(out)) == 1 and fleet.compute(out, workers=1) == 1 and fleet.finish(out).done == 3


def test_a_full_disk_of_one_worker_is_an_outcome(three_logs):
    """Files may be no longer than 3 kB: the worker lives on, and says of each row that it is lost."""
    code = ("import json, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))\n"
            "from antaeus.fleet.engines import local_worker\n"
            "local_worker.main()\n")
    rows = fleet.tasks(three_logs / "out")
    done = subprocess.run([sys.executable, "-c", code], input="".join(json.dumps(row) + "\n" for row in rows), capture_output=True, text=True, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["id"], each["status"], each["cause"]) for each in told] == [(row["id"], "lost", "disk") for row in rows], done.stderr
    assert attempts(three_logs / "out") == 0


def test_slurm_submits_an_array(three_logs, monkeypatch):
    """A stand-in for sbatch runs every part of the array, one after the other."""
    bin_ = three_logs / "bin"
    bin_.mkdir()
    (bin_ / "sbatch").write_text("#!/bin/sh\nfor last; do :; done\nn=$(sed -n 's/^#SBATCH --array=0-//p' \"$last\")\n"
                                 "for i in $(seq 0 $n); do SLURM_ARRAY_TASK_ID=$i sh \"$last\" || exit 1; done\n", encoding="utf-8")
    (bin_ / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    assert fleet.compute(three_logs / "out", engine="slurm", workers=2) == 3
    assert fleet.finish(three_logs / "out").done == 3
    assert "#SBATCH --array=0-1" in (three_logs / "out/slurm/array.sh").read_text(encoding="utf-8")


def test_engines_that_are_not_there(three_logs, monkeypatch):
    monkeypatch.setenv("PATH", str(three_logs))
    with pytest.raises(antaeus.EpisodeError, match="no sbatch on PATH"):
        fleet.compute(three_logs / "out", engine="slurm")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(antaeus.EpisodeError, match=r"pip install 'antaeus\[fleet-ray\]'"):
        fleet.compute(three_logs / "out", engine="ray")


def test_an_address_where_nobody_answers(three_logs):
    needs.package("distributed")
    with pytest.raises(antaeus.EpisodeError, match="no Dask scheduler answers"):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))  # and does not listen
            fleet.compute(three_logs / "out", engine="dask", address=f"tcp://127.0.0.1:{closed.getsockname()[1]}")
