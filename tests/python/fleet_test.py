"""antaeus.fleet: plan, tasks, finish, and what becomes of bad input. Engines: fleet_engines_test.py."""

import contextlib
import csv
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import types
import warnings

import antaeus
import fleet_logs
import needs
import numpy as np
import pytest
from support import ROOT, peak

needs.package("pyarrow")
import pyarrow.parquet as pq  # noqa: E402
from antaeus import fleet  # noqa: E402
from antaeus.fleet import _command, driving, logs, plans, schema, task  # noqa: E402

# Friction of a joint that swings for half a minute with 0.1 N·m of noise at 50 Hz is told to 0.02 N·m: four of its stated sd.
FRICTION_WITHIN = 0.03


@pytest.fixture(scope="module")
def some_logs(tmp_path_factory):
    """Ten logs of three robots, half a minute each, and what --robot takes."""
    folder = tmp_path_factory.mktemp("fleet")
    planted = fleet_logs.make_logs(folder / "logs", 15, 30.0)
    return folder, planted, list(fleet_logs.make_robots(folder / "robots").values())


@pytest.fixture(scope="module")
def finished(some_logs, tmp_path_factory):
    folder, _, robots = some_logs
    out = tmp_path_factory.mktemp("out") / "DIR"
    told = fleet.run([str(folder / "logs")], out, robots, workers=2)
    assert (told.done, told.failed, told.missing) == (15, 0, 0)
    return out


def table(out, name, **where):
    read = pq.read_table(out / name, partitioning="hive").to_pylist()
    return [row for row in read if all(row[key] == value for key, value in where.items())]


def tree(out):
    """Bytes of the tables, by path."""
    return {str(file.relative_to(out)): hashlib.sha256(file.read_bytes()).hexdigest() for name in ("steps", "events", "joints", "episodes")
            for file in sorted((out / name).rglob("*")) if file.is_file()}


def command(*words, cwd=None, code=0):
    """What the verb prints and says, in this process: an interpreter more for each call would cost more than the call."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd or "."), contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            told = _command.run([str(word) for word in words])
        except (ValueError, OSError) as error:  # as _command_line.run_verb
            print(f"antaeus: {error}", file=sys.stderr)
            told = 2
        except SystemExit as ended:
            told = ended.code
    assert told == code, said.getvalue()
    return out.getvalue(), said.getvalue()


def refused(*words, code=2, cwd=None):
    """The one line that it says."""
    _, said = command(*words, code=code, cwd=cwd)
    assert said.startswith("antaeus: ") and said.count("\n") == 1, said
    return said


def arm_log(place, seconds=4.0, seed=0, rate=50.0):
    fleet_logs.make_log(place, "panda", antaeus.load_robot("panda"), "none", seed, seconds, rate)
    return place


# What the tables hold -----------------------------------------------------------------------------------------------


def test_every_table_has_its_schema_and_order(finished):
    for name, of in {**schema.TABLES, "episodes": schema.EPISODES}.items():
        for file in (finished / name).rglob("*.parquet"):
            read = pq.read_schema(file)
            assert read.names == [column for column in of.names if column != "robot"]
            assert all(read.field(column).type == of.field(column).type for column in read.names)
        assert {each.name for each in (finished / name).iterdir()} == {"robot=h1_2", "robot=panda", "robot=quadruped"}
    assert [row["path"] for row in table(finished, "plan.parquet")] == sorted(row["path"] for row in table(finished, "plan.parquet"))


def test_tags_come_from_the_path(finished):
    row, = (row for row in table(finished, "episodes") if row["path"].endswith("log0001"))
    assert (row["robot"], row["software"], row["date"], row["unit"]) == ("panda", "1.4", "2026-03-01", "panda-0")


@pytest.mark.parametrize(("begin", "day"), [(1772618400.0, "2026-03-04"), (0.0, None), (1.0e5, None), (4.2e9, None)])
def test_a_clock_that_counts_from_1970_dates_a_log(tmp_path, begin, day):
    arm_log(tmp_path / "logs" / "log")
    stamps = tmp_path / "logs" / "log" / "time.npy"
    np.save(stamps, np.load(stamps) + begin)
    fleet.run([str(tmp_path / "logs")], tmp_path / "out", ["panda"], workers=1)
    row, = table(tmp_path / "out", "episodes")
    assert (row["date"] or None) == day
    answer, _ = command("sql", tmp_path / "out", "SELECT day FROM logs", "--json")
    assert json.loads(answer)[0]["day"] == day



# What the guard alone says of a sample, and of those before it (docs/concepts/uncertainty_and_verdicts.md).
GUARDS = {"held", "torque_rate", "stale", "force_limit", "infeasible", "position_out_of_limits", "position_jump", "dead_torque", "no_clock",
          "contact_elsewhere", "contact_since_start", "residual_follows_gravity", "residual_follows_velocity", "nis_stays_high"}


def test_steps_are_what_estimate_writes(finished, some_logs):
    """Against antaeus.estimate of the same log: another implementation of the same numbers (docs/guide/in_your_project.md: 1e-12 and equal reasons)."""
    folder, _, _ = some_logs
    episode, = (row for row in table(finished, "episodes") if row["path"].endswith("log0004"))
    steps = table(finished, "steps", id=episode["id"])
    whole = antaeus.estimate(episode["path"], "panda", threads=1, settings={"residual.kind": "static", "residual.covariance_period": 0})
    assert sum(row["samples"] for row in steps) == whole.steps == episode["samples"]
    seconds = np.floor(whole["time"] + 1e-6).astype(int)
    for row, second in zip(steps, np.unique(seconds), strict=True):
        of = seconds == second
        reasons = [set(text.split()) - GUARDS for text in whole["reasons"][of]]
        assert row["samples"] == of.sum() and row["ok"] == sum(not words for words in reasons)
        for name in ("Fx", "Fy", "Fz"):
            assert row[name] == np.float32(whole[name][of].mean()) or abs(row[name] - whole[name][of].mean()) <= 2 * np.spacing(np.float32(abs(row[name])))
        assert set(row["reasons"].split()) == set().union(*reasons)
    assert {row["sign"] for row in steps} == {str(whole.sign)}


def test_planted_faults_are_found(finished, some_logs):
    folder, planted, _ = some_logs
    episodes = {os.path.relpath(row["path"], folder / "logs"): row for row in table(finished, "episodes")}
    for path, fault in planted.items():
        row = episodes[path]
        joints = {each["joint"]: each for each in table(finished, "joints", id=row["id"])}
        events = {each["kind"] for each in table(finished, "events", id=row["id"])}
        if row["robot"] == "panda" and fault != "torque_sign":
            grown = fleet_logs.COULOMB * (1.5 if fault == "friction" else 1.0)
            assert abs(joints["panda_joint3"]["coulomb"] - grown) < FRICTION_WITHIN
            assert abs(joints["panda_joint4"]["offset"] - (8.0 if fault == "offset" else 0.0)) < FRICTION_WITHIN
            assert abs(joints["panda_joint1"]["noise"] / fleet_logs.NOISE - 1) < 0.1
        assert {"push": "contact", "offset": "contact", "incident": "alarm", "pushes": "contact"}.get(fault, "alarm") in events or fault not in (
            "push", "offset", "incident", "pushes")
        if fault == "torque_sign":
            assert row["ok_s"] == 0 and "opposite sign" in row["notes"] and joints["panda_joint3"]["coulomb"] is None


def test_stated_friction_is_as_doubtful_as_it_is(some_logs):
    """Of joints whose friction is known, with noise that lasts: z of the fits is about one."""
    from antaeus.fleet.joints import _fit

    chance = np.random.default_rng(20)
    z = []
    for _ in range(200):
        time = np.arange(3000) / 50
        v = 0.3 * np.sin(2 * np.pi * 0.23 * time + chance.uniform(0, 6))
        noise = np.zeros(3000)
        for k in range(1, 3000):  # remembers for 0.4 s
            noise[k] = 0.95 * noise[k - 1] + chance.normal(0, 0.1)
        found, sd = _fit(0.8 * np.sign(v) + 0.5 * v + 0.1 + noise, v, time)
        z.append((found - (0.8, 0.5, 0.1)) / sd)
    # Cluster-robust errors of tens of stretches are low by some percent; forgetting the memory would give z of about 4.
    assert np.all(np.std(z, axis=0) < 1.25) and np.all(np.std(z, axis=0) > 0.8)


def test_untouched_time_tells_phantoms_and_coverage(tmp_path):
    good = arm_log(tmp_path / "logs/good", 12.0)
    fleet_logs.make_log(tmp_path / "logs/offset", "panda", antaeus.load_robot("panda"), "offset", 5, 32.0, 50.0)
    fleet.run([str(tmp_path / "logs")], tmp_path / "out", "panda", workers=1, untouched="all")
    rows = {pathlib.Path(row["path"]).name: row for row in table(tmp_path / "out", "episodes")}
    for row in rows.values():
        steps = table(tmp_path / "out", "steps", id=row["id"])
        above, samples = (sum(each[name] for each in steps) for name in ("above", "samples"))
        assert row["untouched_covered"] == np.float32(1 - above / samples) and row["untouched_s"] == np.float32(samples / 50)
    assert rows["good"]["untouched_covered"] > rows["offset"]["untouched_covered"]
    assert rows["offset"]["phantoms"] > 0 and rows["offset"]["contacts"] == 0
    assert good.exists() and {row["kind"] for row in table(tmp_path / "out", "events", id=rows["offset"]["id"])} >= {"phantom"}


def test_every_sample_is_a_row_where_that_is_asked_for(tmp_path):
    arm_log(tmp_path / "log", 2.0)
    fleet.run([str(tmp_path / "log")], tmp_path / "out", "panda", workers=1, every=0)
    steps = table(tmp_path / "out", "steps")
    assert len(steps) == 101 and all(row["samples"] == 1 for row in steps)


def test_a_log_without_a_clock_or_speeds_has_its_rows(tmp_path):
    place = arm_log(tmp_path / "log", 6.0)
    for name in ("time", "dq"):
        (place / f"{name}.npy").unlink()
    fleet.run([str(place)], tmp_path / "out", "panda", workers=1)
    row, = table(tmp_path / "out", "episodes")
    assert row["status"] == "done" and row["rate_hz"] is None and row["samples"] == 301 and row["ok_s"] is None
    assert len(table(tmp_path / "out", "steps")) == 4
    assert {each["reason"] for each in table(tmp_path / "out", "joints")} == {"the log has no clock"}


def test_rows_without_numbers_keep_their_place(tmp_path):
    place = arm_log(tmp_path / "log", 30.0)
    tau = np.load(place / "tau.npy")
    tau[100:150] = np.nan
    tau[:, 6] = 0.0  # a dead channel
    np.save(place / "tau.npy", tau)
    fleet.plan([str(place)], tmp_path / "out", "panda")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what NumPy warns of ends on the user's terminal
        assert task.run_one(fleet.tasks(tmp_path / "out")[0])["status"] == "done"
    fleet.finish(tmp_path / "out")
    steps = table(tmp_path / "out", "steps")
    assert sum(row["refused"] for row in steps) == 50 and steps[2]["Fx"] is None and steps[2]["refused"] == 50
    row, = (row for row in table(tmp_path / "out", "events") if row["kind"] == "refused")
    # The end is a stamp and a period added: one rounding.
    assert (row["begin"], row["end"], row["force"], row["sd"]) == (2.0, pytest.approx(3.0, rel=1e-15), None, None)
    joints = {row["joint"]: row for row in table(tmp_path / "out", "joints")}
    assert joints["panda_joint7"]["noise"] == 0 and joints["panda_joint1"]["coulomb"] is None
    assert joints["panda_joint1"]["reason"].startswith("the set-up is suspect")  # check sees the dead channel


def test_a_fast_log_goes_through_the_loop(tmp_path):
    place = arm_log(tmp_path / "log", 3.0, rate=400.0)
    fleet.run([str(place)], tmp_path / "out", "panda", workers=1)
    row, = table(tmp_path / "out", "episodes")
    assert (row["formed_of"], row["computed_by"]) == ("inverse_dynamics", "loop")
    whole = antaeus.estimate(place, "panda", threads=1)
    steps = table(tmp_path / "out", "steps")
    words = [set(text.split()) - {"held"} for text in whole["reasons"]]
    assert sum(each["ok"] for each in steps) == sum(not each for each in words) and {*" ".join(each["reasons"] for each in steps).split()} == set().union(*words)
    assert row["force_max"] == np.float32(np.nanmax(whole["F_norm"]))
    fleet.run([str(place)], tmp_path / "static", "panda", workers=1, settings={"residual.kind": "static"})
    row, = table(tmp_path / "static", "episodes")
    assert (row["formed_of"], row["computed_by"]) == ("static", "replay")


def test_blocks_do_not_show(tmp_path, monkeypatch):
    """The same bytes from blocks of any length: spans, seconds and fits go on from one to the next."""
    from antaeus.fleet import forces

    place = arm_log(tmp_path / "log", 30.0)
    fleet.plan([str(place)], tmp_path / "out", "panda")
    row, = fleet.tasks(tmp_path / "out")
    for block in (16384, 97):
        monkeypatch.setattr(forces, "BLOCK", block)
        assert task.run_one(row)["status"] == "done"
    first, second = (attempt for attempt, _ in task.attempts_of(tmp_path / "out", row["id"]))
    for name in ("steps", "events"):
        assert (first / f"{name}.parquet").read_bytes() == (second / f"{name}.parquet").read_bytes()


def test_memory_does_not_know_how_long_a_log_is(tmp_path):
    sizes = []
    for minutes in (10, 60):
        chance = np.random.default_rng(1)
        steps = minutes * 60 * 100
        time = np.arange(steps) / 100
        place = tmp_path / f"log{minutes}"
        place.mkdir()
        q = np.zeros((steps, 7))
        for name, values in {"qpos": q, "tau": chance.normal(0, 0.1, (steps, 7)), "dq": np.zeros((steps, 7)), "time": time}.items():
            np.save(place / f"{name}.npy", values)
        fleet.plan([str(place)], tmp_path / f"out{minutes}", "panda", every=10)
        row, = fleet.tasks(tmp_path / f"out{minutes}")
        sizes.append(peak(lambda row=row: task.run_one(row)))
    # What grows is one row per second, not the samples. The allocator keeps up to half of their difference, 53 MB.
    samples = 50 * 60 * 100 * 22 * 8
    assert sizes[1] < sizes[0] + 0.75 * samples, sizes


# A plan, and a run that goes on -------------------------------------------------------------------------------------


def test_the_same_row_gives_the_same_bytes_and_two_workers_do_no_harm(tmp_path):
    place = arm_log(tmp_path / "log")
    fleet.plan([str(place)], tmp_path / "out", "panda")
    row, = fleet.tasks(tmp_path / "out")
    for _ in range(2):
        assert task.run_one(row) == {"id": row["id"], "status": "done", "cause": "", "reason": ""}
    (one, first), (two, second) = task.attempts_of(tmp_path / "out", row["id"])
    assert one != two and first == second
    for file in first["files"]:
        assert (one / file).read_bytes() == (two / file).read_bytes()
    assert fleet.finish(tmp_path / "out").rows["episodes"] == 1


def test_identity_is_of_content_robot_and_settings(tmp_path):
    arm_log(tmp_path / "log")
    shutil.copytree(tmp_path / "log", tmp_path / "copied")
    ids = []
    for number, (log, more) in enumerate([("log", {}), ("copied", {}), ("log", {"every": 2.0}), ("log", {"settings": {"posterior.force_prior": 30.0}})]):
        fleet.plan([str(tmp_path / log)], tmp_path / f"out{number}", "panda", **more)
        ids.append(fleet.tasks(tmp_path / f"out{number}")[0]["id"])
    assert ids[0] == ids[1] and len(set(ids)) == 3


def test_a_second_run_does_what_is_missing(tmp_path):
    for number in range(3):
        arm_log(tmp_path / f"logs/log{number}", seed=number)
    fleet.run([str(tmp_path / "logs")], tmp_path / "out", "panda", workers=1)
    before = tree(tmp_path / "out")
    assert fleet.missing(tmp_path / "out") == [] and fleet.compute(tmp_path / "out") == 0
    arm_log(tmp_path / "logs/log3", seed=3)
    shutil.rmtree(tmp_path / "out/attempts" / fleet.tasks(tmp_path / "out")[1]["id"])
    fleet.plan([str(tmp_path / "logs")], tmp_path / "out", "panda")
    assert [pathlib.Path(row["path"]).name for row in fleet.missing(tmp_path / "out")] == ["log1", "log3"]
    assert fleet.run([str(tmp_path / "logs")], tmp_path / "out", "panda", workers=1).done == 4
    shutil.rmtree(tmp_path / "logs/log3")
    fleet.run([str(tmp_path / "logs")], tmp_path / "again", "panda", workers=2)
    assert tree(tmp_path / "again") == before


def test_finish_demands_every_row(tmp_path):
    for number in range(3):
        arm_log(tmp_path / f"logs/log{number}", seed=number)
    fleet.plan([str(tmp_path / "logs")], tmp_path / "out", "panda")
    for row in fleet.tasks(tmp_path / "out")[:2]:
        task.run_one(row)
    assert "1 of 3 logs have no finished attempt" in refused("finish", tmp_path / "out", code=1)
    done = json.loads(command("finish", tmp_path / "out", "--partial", "--json")[0])
    assert (done["done"], done["missing"], done["rows"]["episodes"]) == (2, 1, 2)
    # An attempt that is damaged, or was not ended, is none.
    attempt, _ = task.attempts_of(tmp_path / "out", fleet.tasks(tmp_path / "out")[0]["id"])[0]
    (attempt / "steps.parquet").write_bytes(b"PAR1")
    assert "2 of 3 logs" in refused("finish", tmp_path / "out", code=1)
    assert driving.compute(tmp_path / "out", workers=1) == 2
    assert fleet.finish(tmp_path / "out").done == 3


# Bad input ----------------------------------------------------------------------------------------------------------


def test_corrupt_logs_among_good_ones_are_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good = arm_log(tmp_path / "logs/good")
    (tmp_path / "logs/broken.npz").write_bytes(b"PK\x03\x04 not a zip")
    (tmp_path / "logs/words.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "logs/cut.mcap").write_bytes(b"\x89MCAP0\r\n")
    shutil.copytree(good, tmp_path / "logs/of_another")
    np.save(tmp_path / "logs/of_another/tau.npy", np.zeros((201, 3)))
    shutil.copytree(good, tmp_path / "logs/back")
    time = np.load(good / "time.npy")
    np.save(tmp_path / "logs/back/time.npy", time[::-1])
    told = fleet.run(["logs"], tmp_path / "out", "panda", workers=2)
    assert (told.done, told.failed) == (1, 5) and told.causes == {"corrupt": 5}
    rows = {pathlib.Path(row["path"]).name: row for row in table(tmp_path / "out", "episodes")}
    assert rows["good"]["status"] == "done"
    for name in ("broken.npz", "words.csv", "cut.mcap", "of_another", "back"):
        assert rows[name]["status"] == "failed" and rows[name]["reason"] and "\n" not in rows[name]["reason"], rows[name]
        # Named as the plan does: where this machine reads it is no part of a result.
        assert str(tmp_path) not in rows[name]["reason"] and rows[name]["path"] in rows[name]["reason"], rows[name]
    assert fleet.missing(tmp_path / "out") == []  # they would fail again


def test_two_logs_of_one_hash_are_computed_once(tmp_path):
    arm_log(tmp_path / "logs/a")
    shutil.copytree(tmp_path / "logs/a", tmp_path / "logs/b")
    told = fleet.run([str(tmp_path / "logs")], tmp_path / "out", "panda", workers=2)
    assert (told.logs, told.copies, len(fleet.tasks(tmp_path / "out"))) == (2, 1, 1)
    rows = table(tmp_path / "out", "episodes")
    assert [row["copy_of"] for row in rows] == ["", rows[0]["path"]] and rows[0]["id"] == rows[1]["id"]
    assert len({(row["id"], row["time"]) for row in table(tmp_path / "out", "steps")}) == len(table(tmp_path / "out", "steps"))


def npz_log(file, seed):
    folder = arm_log(file.with_name("arrays"), seed=seed)
    np.savez(file, **{array.stem: np.load(array) for array in sorted(folder.glob("*.npy"))})
    shutil.rmtree(folder)


def test_names_of_files_are_never_patterns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    names = sorted(["run.npz", "run[1].npz", "what?.npz", "*.npz", "[!a]**.npz", "a::b.npz", os.fsdecode(b"M\xfcnchen.npz")])
    for seed, name in enumerate(names):
        npz_log(tmp_path / "logs" / name, seed)
    finished = fleet.run(["logs"], tmp_path / "out", "panda", workers=2)
    assert (finished.logs, finished.done, finished.copies) == (7, 7, 0)
    assert "logs/M\\xfcnchen.npz" in {row["path"] for row in table(tmp_path / "out", "episodes")}
    for name in names:
        assert len(logs.find([f"logs/{name}"])) == 1
    assert len(logs.find(["logs/run[[]*"])) == 1
    assert len(logs.find([f"file://{tmp_path}/logs/what?.npz"])) == 1
    assert "is not a pattern" in refused("logs/**x.npz", "--robot", "panda", "--out", tmp_path / "other")


def test_special_files_and_cycles_of_links_end(tmp_path):
    npz_log(tmp_path / "logs.npz", 1)
    for depth in range(3):
        (tmp_path / f"logs/{depth}").mkdir(parents=True)
        for link in range(8):
            (tmp_path / f"logs/{depth}/link{link}").symlink_to(tmp_path / f"logs/{link % 3}")
            (tmp_path / f"logs/link{depth}{link}").symlink_to(".")
    shutil.move(tmp_path / "logs.npz", tmp_path / "logs/0/a.npz")
    os.mkfifo(tmp_path / "logs/pipe.npz")
    (tmp_path / "logs/zero.npz").symlink_to("/dev/zero")
    finished = fleet.run([str(tmp_path / "logs")], tmp_path / "out", "panda", workers=1)
    assert (finished.logs, finished.done, dict(finished.causes)) == (3, 1, {"unreadable": 2})
    assert {row["reason"].partition(": ")[2] for row in table(tmp_path / "out", "episodes", status="failed")} == {
        f"cannot be read (it is a {kind}, not a regular file); give a recorded log, or move this out of the folder" for kind in ("FIFO", "device")}


@pytest.mark.parametrize("good, code", [(0, 1), (1, 0)])
def test_exits_1_where_every_log_failed(tmp_path, good, code):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/broken.npz").write_bytes(b"PK")
    for number in range(good):
        npz_log(tmp_path / f"logs/{number}.npz", number)
    command(tmp_path / "logs", "--robot", "panda", "--out", tmp_path / "out", "--workers", "1", code=code)


def test_a_log_does_not_inherit_the_failure_of_equal_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    npz_log(tmp_path / "b.npz", 1)
    for name in ("a.csv", "a.npz", "c.parquet"):
        shutil.copy("b.npz", name)
    fleet.plan(["a.csv", "a.npz", "b.npz", "c.parquet"], tmp_path / "out", "panda")
    (tmp_path / "a.npz").unlink()
    driving.compute(tmp_path / "out", workers=1)
    fleet.finish(tmp_path / "out")
    assert {row["path"]: row["status"] for row in table(tmp_path / "out", "episodes")} == {
        "a.csv": "failed", "a.npz": "done", "b.npz": "done", "c.parquet": "failed"}


def test_robots_that_are_none_or_have_no_profile(tmp_path):
    arm_log(tmp_path / "log")
    assert "unknown robot 'pandas'" in refused(tmp_path / "log", "--robot", "pandas", "--out", tmp_path / "out")
    assert "its robot is not stated" in refused(tmp_path / "log", "--out", tmp_path / "out")
    bare = ROOT / "tests/support/quadruped.urdf"
    assert "--write" in refused(tmp_path / "log", "--robot", bare, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_robot_that_changes_after_the_plan_is_a_failed_row(tmp_path):
    place = arm_log(tmp_path / "log")
    antaeus.write_profile(antaeus.load_robot("panda"), tmp_path / "own")
    profile = tmp_path / "own/profile.toml"
    fleet.plan([str(place)], tmp_path / "out", str(profile))
    task.robots._loaded.cache_clear()  # as in a worker that begins later
    profile.write_text(profile.read_text(encoding="utf-8") + "# another\n", encoding="utf-8")
    told = task.run_one(fleet.tasks(tmp_path / "out")[0])
    assert told["cause"] == "no_robot" and "is another robot than when the logs were planned" in told["reason"]
    assert "another model of panda" in refused(place, "--robot", profile, "--out", tmp_path / "out")


def test_addresses(tmp_path):
    fsspec = needs.package("fsspec")
    place = arm_log(tmp_path / "log")
    memory = fsspec.filesystem("memory")
    for name in place.iterdir():
        memory.pipe(f"/fleet/software=1.4/log/{name.name}", name.read_bytes())
    try:
        fleet.plan(["memory://fleet", str(place)], tmp_path / "out", "panda")
        rows = plans.read_plan(tmp_path / "out")
        assert [row["path"] for row in rows] == [str(place), "memory://fleet/software=1.4/log"] and rows[0]["hash"] == rows[1]["hash"]
        assert rows[1]["software"] == "1.4"
        fleet.plan(["memory://fleet"], tmp_path / "remote", "panda")
        assert task.run_one(fleet.tasks(tmp_path / "remote")[0])["status"] == "done"
    finally:
        memory.rm("/fleet", recursive=True)
    assert task.run_one(fleet.tasks(tmp_path / "remote")[0])["cause"] == "unreadable"
    assert "gone://" in refused("gone://fleet/log.npz", "--robot", "panda", "--out", tmp_path / "none")
    # Of one that is not there a run makes a row, which the next run tries again.
    told = fleet.run(["memory://fleet/absent.npz", str(place)], tmp_path / "absent", "panda", workers=1)
    assert (told.done, told.causes) == (1, {"unreadable": 1}) and len(fleet.missing(tmp_path / "absent")) == 1


def test_a_log_that_changes_after_the_plan_is_a_failed_row(tmp_path):
    place = arm_log(tmp_path / "log")
    fleet.plan([str(place)], tmp_path / "out", "panda")
    np.save(place / "tau.npy", np.load(place / "tau.npy") + 1)
    assert "has changed since it was planned" in task.run_one(fleet.tasks(tmp_path / "out")[0])["reason"]


def test_results_of_another_version_or_settings_are_one_line(tmp_path):
    place = arm_log(tmp_path / "log")
    fleet.run([str(place)], tmp_path / "out", "panda", workers=1)
    assert "was planned with" in refused(place, "--robot", "panda", "--out", tmp_path / "out", "--every", "2")
    attempt, manifest = task.attempts_of(tmp_path / "out", fleet.tasks(tmp_path / "out")[0]["id"])[0]
    (attempt / "manifest.json").write_text(json.dumps(manifest | {"version": "0.0.1"}), encoding="utf-8")
    assert "holds 1 results of antaeus 0.0.1" in refused(place, "--robot", "panda", "--out", tmp_path / "out")
    assert "holds results of antaeus 0.0.1" in refused("finish", tmp_path / "out")


def test_a_full_disk_is_no_lost_result(tmp_path):
    """A worker that cannot write says so, leaves nothing behind, and the row is computed when there is room again."""
    place = arm_log(tmp_path / "log", 20.0)
    fleet.plan([str(place)], tmp_path / "out", "panda", every=0)
    row, = fleet.tasks(tmp_path / "out")
    code = ("import json, resource, signal, sys\n"
            "from antaeus.fleet import task\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
            "try: task.run_one(json.loads(sys.stdin.read()))\n"
            "except task.WorkerDisk as error: print('disk', error.errno)\n")
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(row), capture_output=True, text=True, check=False)
    assert done.stdout == "disk 27\n", done.stderr
    assert not list((tmp_path / "out/attempts" / row["id"]).iterdir())
    assert [each["id"] for each in fleet.missing(tmp_path / "out")] == [row["id"]]
    assert task.run_one(row)["status"] == "done" and fleet.finish(tmp_path / "out").done == 1


def test_tags(tmp_path):
    for number in range(2):
        arm_log(tmp_path / f"logs/log{number}", seed=number)
    with open(tmp_path / "tags.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["path", "software", "operator", "untouched"], ["log0", "2.0", "ann", "all"], ["log1", "2.1", "", ""]])
    fleet.plan([str(tmp_path / "logs")], tmp_path / "out", "panda", tags=str(tmp_path / "tags.csv"))
    rows = plans.read_plan(tmp_path / "out")
    assert [(row["software"], dict(row["tags"])) for row in rows] == [("2.0", {"operator": "ann"}), ("2.1", {})]
    assert [json.loads(row["options"])["untouched"] for row in rows] == ["all", ""]
    (tmp_path / "bad.csv").write_text("log\nx\n", encoding="utf-8")
    with pytest.raises(antaeus.EpisodeError, match="has no column path"):
        fleet.plan([str(tmp_path / "logs")], tmp_path / "bad", "panda", tags=str(tmp_path / "bad.csv"))
    with pytest.raises(antaeus.EpisodeError, match="is no span"):
        fleet.plan([str(tmp_path / "logs")], tmp_path / "bad", "panda", untouched="never")


def test_what_the_command_line_refuses(tmp_path):
    arm_log(tmp_path / "log")
    for words, line in ((["--robot", "panda"], "--out"), (["--robot", "panda", "--out", "x", "--engin", "ray"], "did you mean '--engine'"),
                        (["--robot", "panda", "--out", "x", "--engine", "rai"], "did you mean 'ray'"), (["--robot", "panda", "--out", "x", "--workers", "0"], "fewer than one"),
                        (["--robot", "panda", "--out", "x", "--for", "3"], "--watch"), (["--robot", "panda", "--out", "x", "--every", "-1"], "no time"), (["--robot", "panda", "--out", "x", "--every", "61"], "up to 60"),
                        (["--robot", "panda", "--out", "x", "--set", "posterior.forse_prior=3"], "force_prior")):
        assert line in refused("log", *words, cwd=tmp_path)
    assert "did you mean 'finish'" in refused("finsh", cwd=tmp_path)
    assert "does not exist" in refused("logg", "--robot", "panda", "--out", "x", cwd=tmp_path)
    assert "holds no plan" in refused("finish", tmp_path)
    (tmp_path / "empty").mkdir()
    assert "holds no log" in refused("empty", "--robot", "panda", "--out", "x", cwd=tmp_path)
    assert not (tmp_path / "x").exists()
    told = command("--help")[0]
    assert all(word in told for word in ("--robot", "--engine", "--watch", "plan", "finish", "report", "sql", "clip", "check"))


def test_relative_paths_are_found_from_anywhere(tmp_path):
    arm_log(tmp_path / "logs/log")
    command("plan", "logs", "--robot", "panda", "--out", "out", cwd=tmp_path)
    row, = fleet.tasks(tmp_path / "out")
    assert row["path"] == "logs/log" and task.run_one(row)["status"] == "done"  # this test runs elsewhere
    assert "was planned from another working directory" in refused(tmp_path / "logs", "--robot", "panda", "--out", tmp_path / "out", cwd="/")


def test_a_folder_is_watched(tmp_path, monkeypatch):
    """A log is taken once it stands still; one that grows is waited for."""
    arm_log(tmp_path / "logs/first")
    counts, begun = [], time.monotonic()
    # Its four seconds are over once both logs are done, or after more than any load of the machine takes.
    clock = types.SimpleNamespace(monotonic=lambda: 4.0 if len(counts) >= 2 or time.monotonic() > begun + 300 else 0.0, sleep=time.sleep)
    monkeypatch.setattr(driving, "time", clock)

    def grow(finished):
        counts.append(finished.done)
        if len(counts) == 1:
            arm_log(tmp_path / "logs/second", seed=1)

    last = fleet.watch([str(tmp_path / "logs")], tmp_path / "out", fleet.Wanted(("panda",)), workers=1, seconds=4.0, pause=0.2, told=grow)
    assert counts == [1, 2] and last.done == 2
    assert logs.sizes(logs.FoundLog(str(tmp_path / "none.npz"))) == ()


def test_limits_of_files_are_those_of_rows(tmp_path, monkeypatch):
    """Files are cut by rows alone, and hold every row once."""
    from antaeus.fleet import finishing

    for number in range(3):
        arm_log(tmp_path / f"logs/log{number}", seed=number)
    fleet.run([str(tmp_path / "logs")], tmp_path / "out", "panda", workers=1)
    whole = table(tmp_path / "out", "steps")
    monkeypatch.setattr(finishing, "_ROWS_OF_A_GROUP", 4)
    monkeypatch.setattr(finishing, "_ROWS_OF_A_FILE", 8)
    fleet.finish(tmp_path / "out")
    assert len(list((tmp_path / "out/steps/robot=panda").iterdir())) > 1
    assert table(tmp_path / "out", "steps") == whole
