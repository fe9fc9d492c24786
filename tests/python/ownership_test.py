"""Convert and fleet replace and remove their own files, and no others. Records of watch: recording_test.py."""

import os
import shutil
import subprocess
import sys
import threading

import needs
import numpy as np
import pytest
from convert_test import recording

import antaeus
from antaeus.formats import ownership, scratch, writing
from antaeus.formats.recording import FormatError

PATIENCE = 60.0  # s for an event


def tree(folder):
    """Bytes of all files, and where links point, by path."""
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()}


# convert ----------------------------------------------------------------------------------------------------------------------


def test_files_of_the_user_stay_in_a_converted_folder(tmp_path):
    out = tmp_path / "log"
    writing.write(recording(rows=7)[0], out)
    (out / "extra.txt").write_text("mine")
    (out / "labels.npy").write_text("mine")
    (out / "link").symlink_to("extra.txt")
    os.link(out / "extra.txt", tmp_path / "twin")
    writing.write(recording(rows=9)[0], out)
    (out / "audit").mkdir()  # a folder has no second name: file by file
    (out / "audit" / "report.html").write_text("mine")
    before = {name: value for name, value in tree(out).items() if name in ("extra.txt", "labels.npy", "link", "audit/report.html")}
    writing.write(recording(rows=11)[0], out)
    assert before.items() <= tree(out).items() and len(before) == 4
    assert np.load(out / "qpos.npy").shape == (11, 3)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["log", "twin"]


def test_channels_that_the_new_recording_lacks_go(tmp_path):
    out = tmp_path / "log"
    writing.write(recording()[0], out)
    table = (out / "channels.csv").read_text()
    (out / "channels.csv").write_text(table + "ddq,0,elbow,rad/s²,unknown,unknown,unknown,/acc\n")
    (out / "ddq.npy").write_bytes((out / "qpos.npy").read_bytes())
    (out / "folder").mkdir()
    for extra in (True, False):
        if not extra:
            (out / "folder").rmdir()
        writing.write(recording()[0], out)
        assert sorted(path.name for path in out.iterdir()) == ["channels.csv", *(["folder"] if extra else []), "notes.txt", "qpos.npy", "tau.npy", "time.npy"]


@pytest.mark.parametrize("name", ["tau.npy", "notes.txt"])
def test_a_file_of_the_user_in_the_place_of_a_new_one_is_refused(tmp_path, name):
    out = tmp_path / "log"
    writing.write(recording()[0], out)
    rows = (out / "channels.csv").read_text().splitlines(keepends=True)
    (out / "channels.csv").write_text("".join(row for row in rows if not row.startswith("tau,")))
    (out / name).write_text("mine")
    before = tree(out)
    with pytest.raises(FormatError, match=rf"log/{name}: exists, and convert did not write it; name another folder, or move it away"):
        writing.write(recording()[0], out)
    assert tree(out) == before


@pytest.mark.parametrize("text", ["", "channel,column\n", "joint,unit\nelbow,rad\n", "channel,column,name,unit,stage,gravity,sign,source\n"])
def test_a_table_of_the_users_own_is_no_mark(tmp_path, text):
    out = tmp_path / "log"
    out.mkdir()
    (out / "channels.csv").write_text(text)
    (out / "time.npy").write_text("mine")
    before = tree(out)
    with pytest.raises(FormatError, match="is a folder that holds other files"):
        writing.write(recording()[0], out)
    assert tree(out) == before


def test_links_are_not_replaced_by_convert(tmp_path):
    needs.package("pyarrow")
    (tmp_path / "real").mkdir()
    (tmp_path / "folder").symlink_to("real")
    writing.write(recording()[0], tmp_path / "folder")
    writing.write(recording(rows=9)[0], tmp_path / "folder")
    assert (tmp_path / "folder").is_symlink() and np.load(tmp_path / "real" / "tau.npy").shape == (9, 3)
    writing.write(recording()[0], tmp_path / "log.parquet")
    (tmp_path / "link.parquet").symlink_to("log.parquet")
    (tmp_path / "dangling.parquet").symlink_to("absent.parquet")
    (tmp_path / "dangling").symlink_to("absent")
    before = tree(tmp_path)
    for name in ("link.parquet", "dangling.parquet", "dangling"):
        with pytest.raises(FormatError, match="is a link"):
            writing.write(recording()[0], tmp_path / name)
    (tmp_path / "real" / "tau.npy").rename(tmp_path / "tau.npy")
    (tmp_path / "real" / "tau.npy").symlink_to("../tau.npy")
    with pytest.raises(FormatError, match="tau.npy: exists, and convert did not write it"):
        writing.write(recording()[0], tmp_path / "folder")
    assert len(tree(tmp_path)) == len(before) + 1


def test_the_working_directory_takes_a_conversion(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for rows in (7, 9):
        writing.write(recording(rows=rows)[0], writing.pathlib.Path("."))
        assert np.load("tau.npy").shape == (rows, 3) and os.path.samefile(tmp_path, ".")


def test_no_run_removes_the_scratch_folder_that_another_is_making(tmp_path):
    """Each looks for orphans first; within 300 rounds of four threads one meets a folder that is not locked yet."""
    lost = []

    def make():
        try:
            for _ in range(300):
                with scratch.scratch_folder(tmp_path) as folder:
                    (folder / "made").mkdir()
        except OSError as error:
            lost.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not lost and not list(tmp_path.iterdir())


def test_conversions_at_once_leave_one_whole_result(tmp_path):
    out = tmp_path / "log"
    writing.write(recording(rows=5)[0], out)
    (out / "extra.txt").write_text("mine")
    rows, failed = (20, 30, 40), []

    def convert(count):
        try:
            for _ in range(10):
                writing.write(recording(rows=count)[0], out)
        except Exception as error:  # noqa: BLE001: reported by the test
            failed.append(error)

    threads = [threading.Thread(target=convert, args=(count,)) for count in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not failed
    lengths = {len(np.load(out / f"{name}.npy")) for name in ("time", "qpos", "tau")}
    assert len(lengths) == 1 and lengths <= set(rows)
    assert (out / "extra.txt").read_text() == "mine" and [each.name for each in tmp_path.iterdir()] == ["log"]


# fleet ------------------------------------------------------------------------------------------------------------------------

needs.package("pyarrow")
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from antaeus import fleet  # noqa: E402
from antaeus.fleet import folders  # noqa: E402


def make_logs(folder, count, seed=0):
    folder.mkdir(parents=True)
    for number in range(count):
        chance = np.random.default_rng([seed, number])
        time = np.arange(60) * 0.01
        q = np.array([0.3, 0.4, 0.5]) + 0.05 * np.sin(3 * time[:, None] + np.arange(3))
        np.savez(folder / f"{number}.npz", time=time, qpos=q, dq=np.gradient(q, time, axis=0), tau=chance.normal(0, 0.05, q.shape))


def run_fleet(*words, **how):
    return subprocess.Popen([sys.executable, "-m", "antaeus", "--verb", "fleet", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, **how)


def paths_of(out):
    return sorted(path for file in out.glob("episodes/**/*.parquet") for path in pq.read_table(file)["path"].to_pylist())


@pytest.mark.parametrize("name", ["episodes", "steps", "events", "joints"])
def test_a_folder_of_the_users_with_a_name_of_fleets_is_refused(tmp_path, name):
    make_logs(tmp_path / "logs", 1)
    project = tmp_path / "project"
    make_logs(project / name, 2)
    before = tree(project)
    done = run_fleet(tmp_path / "logs", "--robot", "planar_3r", "--out", ".", cwd=project)
    said = done.communicate(timeout=PATIENCE)[1]
    assert done.returncode == 2 and said.count("\n") == 1, said
    assert f"{name}/0.npz: takes the path of a fleet table, and fleet did not write it; name another folder with --out, or move it away" in said
    assert tree(project) == before


def of_the_users(place, what):
    if what == "plan of another program":
        pq.write_table(pa.table({"path": ["a"], "id": [1]}), place / "plan.parquet")
    elif what == "empty plan of another program":
        pq.write_table(pa.table({"task": pa.array([], pa.string())}), place / "plan.parquet")
    elif what == "plan that is no table":
        (place / "plan.parquet").write_text("mine")
    elif what == "plan that is a folder":
        (place / "plan.parquet").mkdir()
    elif what == "plan that is a link":
        pq.write_table(pa.table({"a": [1]}), place / "mine.parquet")
        (place / "plan.parquet").symlink_to("mine.parquet")
    elif what == "dangling plan":
        (place / "plan.parquet").symlink_to("absent")
    elif what == "root":
        (place / "root.txt").write_text("mine")
    elif what == "linked root":
        (place / "mine.txt").write_text("mine")
        (place / "root.txt").symlink_to("mine.txt")
    elif what == "table that is a link":
        make_logs(place / "raw", 1)
        (place / "episodes").symlink_to("raw")
    elif what == "table that is a file":
        (place / "joints").write_text("mine")
    elif what == "attempts that are a link":
        (place / "raw").mkdir()
        (place / "attempts").symlink_to("raw")
    elif what == "tables of the same names":
        (place / "steps" / "robot=a").mkdir(parents=True)
        pq.write_table(pa.table({"id": ["a"]}), place / "steps" / "robot=a" / "part-00000.parquet")


@pytest.mark.parametrize("what", ["plan of another program", "empty plan of another program", "plan that is no table", "plan that is a folder",
                                  "plan that is a link", "dangling plan", "root", "linked root", "table that is a link", "table that is a file",
                                  "attempts that are a link", "tables of the same names"])
def test_what_fleet_did_not_write_is_refused(tmp_path, what):
    make_logs(tmp_path / "logs", 1)
    out = tmp_path / "out"
    out.mkdir()
    of_the_users(out, what)
    before = tree(tmp_path)
    with pytest.raises(FormatError, match=r"^\S+: .*; name another folder.*, or move it away$"):
        fleet.run([str(tmp_path / "logs")], out, "planar_3r", workers=1)
    assert tree(tmp_path) == before


def test_files_of_the_user_in_tables_stay_and_tables_of_an_earlier_release_are_recognised(tmp_path):
    make_logs(tmp_path / "a", 2)
    make_logs(tmp_path / "b", 1, seed=1)
    out = tmp_path / "out"
    fleet.run([str(tmp_path / "a")], out, "planar_3r", workers=1)
    (out / "notes.txt").write_text("mine")
    (out / "steps" / "notes.txt").write_text("mine")
    (out / "episodes" / "robot=planar_3r" / "notes.txt").write_text("mine")
    (out / "joints" / "figures").mkdir()
    (out / "joints" / "figures" / "a.png").write_text("mine")
    mine = {name: value for name, value in tree(out).items() if value == b"mine"}
    finished = fleet.run([str(tmp_path / "b")], out, "planar_3r", workers=1)
    assert (finished.logs, finished.done) == (3, 3) and len(paths_of(out)) == 3
    assert mine.items() <= tree(out).items() and len(mine) == 4
    (out / "events" / "mine.parquet").write_text("mine")
    with pytest.raises(FormatError, match=r"events/mine.parquet: takes the path of a fleet table"):
        fleet.finish(out)
    assert (out / "events" / "mine.parquet").read_text() == "mine"


def test_fleets_at_once_lose_no_log(tmp_path):
    for seed, name in enumerate("abc"):
        make_logs(tmp_path / name, 3, seed)
    out = tmp_path / "out"
    runs = [run_fleet(tmp_path / name, "--robot", "planar_3r", "--out", out, "--workers", "1") for name in "abc"]
    said = [one.communicate(timeout=5 * PATIENCE) for one in runs]
    assert [one.returncode for one in runs] == [0, 0, 0], said
    assert paths_of(out) == sorted(str(tmp_path / name / f"{number}.npz") for name in "abc" for number in range(3))
    assert sorted(path.name for path in out.iterdir()) == ["attempts", "episodes", "events", "joints", "plan.parquet", "root.txt", "steps"]


def test_a_second_fleet_waits_for_the_first(tmp_path):
    make_logs(tmp_path / "a", 1)
    make_logs(tmp_path / "b", 1, seed=1)
    out = tmp_path / "out"
    fleet.plan([str(tmp_path / "a")], out, "planar_3r")
    with folders.working_in(out):
        second = run_fleet(tmp_path / "b", "--robot", "planar_3r", "--out", out, "--workers", "1")
        assert "another fleet is at work there; waiting for its end" in second.stderr.readline()
        assert len(fleet.tasks(out)) == 1
        finished = fleet.run([str(tmp_path / "a")], out, "planar_3r", workers=1)  # the thread that holds it goes on
        assert finished.logs == 1
    second.communicate(timeout=PATIENCE)
    assert second.returncode == 0 and len(paths_of(out)) == 2


def test_a_refused_plan_leaves_no_folder(tmp_path):
    make_logs(tmp_path / "logs", 1)
    with pytest.raises(ValueError):
        fleet.plan([str(tmp_path / "logs")], tmp_path / "out", "planar_3r", endpoints=["absent"])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["report.html", "summary.json"])
def test_a_page_of_the_users_is_not_replaced_by_a_report(tmp_path, name):
    needs.package("duckdb")
    from antaeus.fleet import report

    make_logs(tmp_path / "logs", 1)
    out = tmp_path / "out"
    fleet.run([str(tmp_path / "logs")], out, "planar_3r", workers=1)
    (out / name).write_text('{"schema": "mine"}')
    with pytest.raises(FormatError, match=f"{name}: exists and is not a result of Antaeus"):
        report.run([str(out)])
    assert (out / name).read_text() == '{"schema": "mine"}'
    (out / name).unlink()
    for _ in range(2):  # its own is
        assert report.run([str(out)]) == 0


# Episodes ---------------------------------------------------------------------------------------------------------------------


def test_an_episode_replaces_an_episode_and_nothing_else(tmp_path):
    make_logs(tmp_path / "logs", 2)
    robot = antaeus.load_robot("planar_3r")
    first, second = (antaeus.load_episode(tmp_path / "logs" / f"{number}.npz", robot) for number in range(2))
    out = tmp_path / "episode"
    antaeus.write_episode(first, out)
    (out / "notes.txt").write_text("mine")
    antaeus.write_episode(second, out)
    np.testing.assert_array_equal(np.load(out / "tau.npy"), second.tau)
    assert (out / "notes.txt").read_text() == "mine"
    shutil.copytree(out, tmp_path / "raw")  # a copy belongs to the user
    before = tree(tmp_path / "raw")
    with pytest.raises(ValueError, match=r"\.npy: exists and is not a result of this command; choose another name, or move it away"):
        antaeus.write_episode(first, tmp_path / "raw")
    assert tree(tmp_path / "raw") == before


# The helper -------------------------------------------------------------------------------------------------------------------


def test_a_lock_is_for_one_thread_at_a_time(tmp_path):
    order, waits = [], threading.Event()

    def second():
        with ownership.locked(tmp_path, waits.set):
            order.append("second")

    with ownership.locked(tmp_path), ownership.locked(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(PATIENCE)
        order.append("first")
    thread.join(PATIENCE)
    assert order == ["first", "second"]
