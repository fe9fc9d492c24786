"""Logs that come through a pipe, and logs that are longer than memory likes."""

import json
import os
import subprocess
import sys
import zipfile

import needs
import numpy as np
import pytest
from command_line import patience, prose, refused, run


def wavy(steps, motors=3, dt=0.002):
    """A log of planar_3r that moves; its torques are noise."""
    t, noise = np.arange(steps) * dt, np.random.default_rng(7)
    q = 0.3 * np.sin(t[:, None] + np.arange(motors))
    return {"time": t, "qpos": q, "tau": noise.normal(size=(steps, motors))}


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    log = wavy(40_000)
    np.savez(folder / "log.npz", **log)
    np.savez_compressed(folder / "packed.npz", **log)
    columns = {"time": log["time"]} | {f"{name}_{m}": log[name][:, m] for name in ("qpos", "tau") for m in range(3)}
    with open(folder / "log.csv", "w") as out:
        out.write(",".join(columns) + "\n")
        for row in zip(*columns.values()):
            out.write(",".join(repr(float(x)) for x in row) + "\n")
    (folder / "log").mkdir()
    for name, values in log.items():
        np.save(folder / "log" / f"{name}.npy", values)
    return folder


def estimates(log, out):
    done = run("estimate", log, "-r", "planar_3r", "-o", out, seconds=40)
    assert done.returncode in (0, 1), done.stderr  # 1: every step is refused, as torques of noise are
    return out.read_bytes()


def test_every_form_of_a_log_gives_the_same_estimates(logs, tmp_path):
    first = estimates(logs / "log.npz", tmp_path / "a.csv")
    assert first.count(b"\n") == 40_001
    for name in ("packed.npz", "log.csv", "log"):
        assert estimates(logs / name, tmp_path / "b.csv") == first, name


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_pipe_is_the_file(logs, tmp_path, form):
    log = logs / "log.csv"
    if form == "parquet":
        pyarrow = needs.package("pyarrow.csv")
        import pyarrow.parquet as parquet
        log = tmp_path / "log.parquet"
        parquet.write_table(pyarrow.read_csv(logs / "log.csv"), log)
    wanted = estimates(logs / "log.csv", tmp_path / "file.csv")
    out = tmp_path / "piped.csv"
    with subprocess.Popen(["cat", log], stdout=subprocess.PIPE) as cat:
        done = subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", "-", "--format", form, "-r", "planar_3r", "-o", out],
                              stdin=cat.stdout, capture_output=True, timeout=patience(40), check=False)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == wanted


def test_a_pipe_needs_a_format_and_a_log(tmp_path, logs):
    assert "set --format csv or --format parquet" in refused("estimate", "-", "-r", "planar_3r")
    assert "'xls' is unknown" in refused("estimate", "-", "--format", "xls", "-r", "planar_3r")
    assert "standard input: it is empty" in refused("estimate", "-", "--format", "csv", "-r", "planar_3r")
    assert "the log is not a pipe" in refused("estimate", logs / "log.csv", "--format", "csv", "-r", "planar_3r")


def test_an_error_in_a_pipe_names_the_pipe():
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", "-", "--format", "csv", "-r", "planar_3r"], text=True,
                          input="time,q1\n0,1,2\n", capture_output=True, timeout=patience(40), check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("antaeus: standard input"), done.stderr


def test_an_npz_of_more_than_two_gigabytes(tmp_path, monkeypatch):
    """Python writes the numbers of such a file in 64 bits; with another limit, those of a small one."""
    np.savez(tmp_path / "plain.npz", **wavy(500))
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    np.savez(tmp_path / "large.npz", **wavy(500))
    np.savez_compressed(tmp_path / "packed.npz", **wavy(500))
    bytes_of = (tmp_path / "large.npz").read_bytes()
    assert b"PK\x06\x06" in bytes_of and b"PK\x06\x07" in bytes_of
    tables = []
    for name in ("plain", "large", "packed"):
        out = tmp_path / f"{name}.csv"
        done = subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", tmp_path / f"{name}.npz", "-r", "planar_3r", "-o", out],
                              capture_output=True, text=True, timeout=patience(40), check=False)
        assert done.returncode == 0, done.stderr
        tables.append(out.read_bytes())
    assert tables[0] == tables[1] == tables[2]
    record = bytes_of.index(b"PK\x06\x06")
    for place in (24, 40, 48):  # how many, its size, where it begins
        spoiled = bytearray(bytes_of)
        spoiled[record + place + 4] ^= 1  # a bit beyond the 32
        (tmp_path / "spoiled.npz").write_bytes(spoiled)
        assert "its two ends contradict each other" in refused("estimate", tmp_path / "spoiled.npz", "-r", "planar_3r")


def test_what_a_small_file_can_cost(tmp_path):
    """A file of zeros that inflates a thousandfold is refused by its header; a member that nobody reads costs nothing."""
    bomb = tmp_path / "bomb.npz"
    np.savez_compressed(bomb, tau=np.zeros((30_000_000, 3), np.uint8), qpos=np.zeros((30_000_000, 3), np.uint8))
    assert bomb.stat().st_size < 300_000
    for verb in ("estimate", "audit", "check", "show"):
        line = refused(verb, bomb, "-r", "planar_3r", seconds=10)
        assert os.fspath(bomb) in line and "64 to one" in line, line
    extra = tmp_path / "extra.npz"
    np.savez_compressed(extra, huge=np.zeros(200_000_000, np.uint8), **wavy(200))
    assert run("estimate", extra, "-r", "planar_3r", "-o", tmp_path / "x.csv").returncode == 0


def peak(*arguments):
    """[bytes] at most at a time, of a process of its own, so that earlier ones do not count."""
    script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    told = subprocess.run([sys.executable, "-c", script, os.environ["ANTAEUS_CLI"], *map(os.fspath, arguments)],
                          capture_output=True, timeout=patience(120), check=True)
    return int(told.stdout) * 1024


def test_memory_does_not_know_how_long_the_log_is(tmp_path):
    """Ten times as long: the same memory to a fifth, where the samples alone are ten times as many."""
    peaks = []
    for steps in (60_000, 600_000):
        log = tmp_path / f"{steps}.npz"
        np.savez(log, **wavy(steps))
        peaks.append(peak("estimate", log, "-r", "planar_3r", "-o", tmp_path / "x.parquet"))
    assert peaks[1] < 1.2 * peaks[0] + 10e6, peaks


def test_a_long_table_is_read_in_rows(tmp_path):
    """80 MB of text; as numbers it would be 40 MB, as cells some hundred."""
    noise = np.random.default_rng(5)
    rows = "".join(",".join(repr(x) for x in row) + "\n" for row in noise.normal(size=(2000, 6)).tolist())
    head = ",".join([f"qpos_{m}" for m in range(3)] + [f"tau_{m}" for m in range(3)]) + "\n"
    short, log = tmp_path / "short.csv", tmp_path / "long.csv"
    short.write_text(head + rows)
    with open(log, "w") as out:
        out.write(head)
        while out.tell() < 80e6:
            out.write(rows)
    first = estimates(short, tmp_path / "short.out.csv").splitlines()
    assert peak("estimate", log, "-r", "planar_3r", "-o", tmp_path / "x.csv") < 150e6
    with open(tmp_path / "x.csv", "rb") as told:
        assert [next(told).rstrip(b"\n") for _ in range(1500)] == first[:1500]


def test_an_audit_of_a_long_log_says_what_it_takes_apart(tmp_path):
    log, out = tmp_path / "long.npz", tmp_path / "out"
    np.savez(log, **wavy(150_000))
    done = run("audit", log, "-r", "planar_3r", "-o", out, seconds=60)
    assert done.returncode in (0, 1), done.stderr
    assert sorted(f.name for f in out.iterdir()) == ["report.html", "steps.parquet", "summary.json", "whole.json"]
    assert "rows; --csv writes steps.csv, too" in prose(done.stdout)
    summary = json.loads((out / "summary.json").read_text())
    whole = json.loads((out / "whole.json").read_text())
    assert whole["steps"] == 150_000
    assert all(sum(count["steps"] for count in one["verdicts"]) == 150_000 for one in whole["series"])
    assert summary["audited"]["steps"] < 150_000
    assert (out / "report.html").stat().st_size < 8e6
    assert "The whole log" in (out / "report.html").read_text()


def test_csv_is_written_where_it_is_asked_for(tmp_path):
    log, out = tmp_path / "long.npz", tmp_path / "out"
    np.savez(log, **wavy(70_000))
    assert run("audit", log, "-r", "planar_3r", "-o", out, seconds=60).returncode in (0, 1)
    assert not (out / "steps.csv").exists()
    assert run("audit", log, "-r", "planar_3r", "-o", out, "--csv", seconds=60).returncode in (0, 1)
    rows = (out / "steps.csv").read_bytes().count(b"\n") - 1
    assert rows > 200_000 and rows % 70_000 == 0


# --- contact ------------------------------------------------------------------------------------------------------------

def swaying(steps, dt=0.005):
    """A motion of planar_3r whose base floats."""
    t = np.arange(steps) * dt
    base = np.c_[0.05 * np.sin(0.7 * t), 0.04 * np.cos(0.9 * t), 0.3 + 0.02 * np.sin(1.1 * t), 0 * t, 0 * t, np.sin(0.05 * np.sin(t)), np.cos(0.05 * np.sin(t))]
    return {"q": np.c_[base, 0.3 * np.sin(t[:, None] + np.arange(3))], "time": t}


TOUCHES = ("--contact", "base_link", "--contact", "tool")


def contact(motion, out, *more):
    done = run("contact", motion, "-r", "planar_3r", *TOUCHES, "-o", out, *more, seconds=60)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == b""
    return done


def test_every_form_of_a_long_motion_gives_the_same_contacts(tmp_path):
    """Blocks of arrays, of members that inflate, of 70 MB of text: the same numbers."""
    motion = swaying(380_000)
    np.savez(tmp_path / "motion.npz", **motion)
    (tmp_path / "packed").mkdir()
    np.savez_compressed(tmp_path / "packed/motion.npz", **motion)
    (tmp_path / "folder/motion").mkdir(parents=True)
    for name, values in motion.items():
        np.save(tmp_path / "folder/motion" / f"{name}.npy", values)
    with open(tmp_path / "motion.csv", "w") as out:
        out.write("time," + ",".join(f"q_{i}" for i in range(10)) + "\n")
        for row in np.c_[motion["time"], motion["q"]].tolist():
            out.write(",".join(map(repr, row)) + "\n")
    assert (tmp_path / "motion.csv").stat().st_size > 64 << 20
    tables = []
    for i, file in enumerate(("motion.npz", "packed/motion.npz", "folder/motion", "motion.csv")):
        contact(tmp_path / file, tmp_path / f"out{i}", "--over-time")
        assert sorted(f.name for f in (tmp_path / f"out{i}").iterdir()) == ["report.html", "summary.json", "torques.parquet", "wrenches.parquet"]
        tables.append([(tmp_path / f"out{i}" / name).read_bytes() for name in ("torques.parquet", "wrenches.parquet")])
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert json.loads((tmp_path / "out0/summary.json").read_text())["frames"] == 380_000


def test_contacts_of_a_long_motion_say_what_they_leave_out(tmp_path):
    np.savez(tmp_path / "motion.npz", **swaying(110_000))
    done = contact(tmp_path / "motion.npz", tmp_path / "out")
    assert "torques.parquet (220000 rows; --csv writes CSV, too)" in prose(done.stdout)
    page = (tmp_path / "out/report.html").read_text()
    assert len(page) < 8e6
    assert "Of 50 steps each, plots show the least and the largest value" in page
    contact(tmp_path / "motion.npz", tmp_path / "csv", "--csv")
    for name, rows in (("wrenches.csv", 220_000), ("torques.csv", 110_000)):
        with open(tmp_path / "csv" / name, "rb") as lines:
            steps = [line.split(b",", 1)[0] for line in lines][1:]
        assert len(steps) == rows and steps[-1] == b"109999"
    # As many as a table of the usual length has are written as ever.
    np.savez(tmp_path / "short.npz", **swaying(100_000))
    contact(tmp_path / "short.npz", tmp_path / "short")
    assert sorted(f.name for f in (tmp_path / "short").iterdir()) == ["report.html", "summary.json", "torques.csv", "wrenches.csv"]


def test_memory_of_contact_does_not_know_how_long_the_motion_is(tmp_path):
    """Five times as long: not half as much more as its positions take, which are the least of what a step has. What is
    more, 12 to 20 MB, is pages that the allocator keeps: heaptrack finds nothing that grows with the motion."""
    peaks = []
    for steps in (220_000, 1_100_000):
        motion = tmp_path / f"{steps}.npz"
        np.savez(motion, **swaying(steps))
        peaks.append(peak("contact", motion, "-r", "planar_3r", *TOUCHES, "--over-time", "-o", tmp_path / "out"))
        motion.unlink()
        assert (tmp_path / "out/torques.parquet").stat().st_size > 20 * steps
    positions = 10 * 8 * (1_100_000 - 220_000)
    assert peaks[1] - peaks[0] < 0.5 * positions, peaks
