"""Records: an audit of them gives the bytes that watch said; whenever watch is killed they open; their room is bounded."""

import contextlib
import csv
import errno
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys
import threading
import time

import antaeus
import numpy as np
import pytest
from live_blocks import Live, Stream, event, facts, moving_log
from waiting import until

from antaeus.live import flights, growing, recording
from antaeus.live.recording import WRITE_EVERY, Recorder, lead_in
from antaeus.live.said import about_part, read_said
from antaeus.live.sizes import parse_size, size_text

HERE = pathlib.Path(__file__).parent
READY = [0, -0.4, 0, -1.8, 0, 1.5, 0.7]
HAND = ["panda_hand"]
KILLS = 50 if os.environ.get("ANTAEUS_SOAK") else 4
MOST_LOST = 0.5  # s
PUSH = np.array([0, 25.0, 0, 12.0, 0, 0, 0])


@pytest.fixture(autouse=True)
def as_others(monkeypatch):
    """Beside busy processes one that is nice gets a tenth of its turns: flight records would take minutes."""
    monkeypatch.setattr(flights, "_NICE", 0)


@pytest.fixture(scope="module")
def robot():
    return antaeus.load_robot("panda")


@pytest.fixture(scope="module")
def live(robot):
    """Twenty seconds at 250 Hz, with a push that the guard refuses and lets go again."""
    return Live(robot, HAND, moving_log(robot, READY, 250, 20, push=(6, 7, PUSH)))


def about(live, **more):
    return {"endpoints": live.endpoints, "robot": "panda", "sign": live.sign, **more}


def record(folder, robot, live, blocks=None, *, keep=10**9, lines=None, events=(), write_every=0.01, **how):
    """Parts that a recorder makes of the blocks, as fast as it takes them."""
    recorder = Recorder(folder, robot, keep=keep, about=about(live), say=(lines if lines is not None else []).append,
                        write_every=write_every, **how)
    for block in blocks or live.blocks(8):
        mine = [one for one in events if block.first <= one.index < block.first + len(block.time)]
        recorder.take(block, mine, facts())
        until(lambda: recorder._queue.qsize() < 50)
    made = recorder.close()
    return recorder, [place for place in made if place.name.startswith("part_")]


def audited(part, out, robot_name="panda"):
    """Rows of the posterior that the command line's audit gives."""
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", part, "--robot", robot_name, "--endpoint", HAND[0], "--out", out],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert not [line for line in done.stdout.splitlines() if "Note" in line and "target_dof" not in line], done.stdout
    with open(out / "steps.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["estimator"] == "posterior"]


def differing(part, out, robot_name="panda"):
    """Rows [steps] in which an audit and what was said are not the same, by every bit and letter."""
    rows, said = audited(part, out, robot_name), read_said(part)
    assert {"Fx", "Mz", "sd_Fx", "verdict", "reasons", "guard_state", "guard_action", "guarded_Fz", "nis", "time"} <= set(said)
    assert len(rows) == len(said["step"]) > 0
    same = np.ones(len(rows), dtype=bool)
    for name, values in said.items():
        theirs = [row[name] for row in rows]
        if values.dtype == object:
            same &= np.array(theirs) == values.astype(str)
        else:  # the shortest text that reads back as the same double
            numbers = np.array([float(text) if text else np.nan for text in theirs])
            same &= (numbers.view(np.uint64) == values.astype(float).view(np.uint64)) | (np.isnan(numbers) & np.isnan(values))
    return np.flatnonzero(~same)


# Same numbers -----------------------------------------------------------------------------------------------------------------------------


def test_an_audit_gives_the_bytes_that_were_said(robot, live, tmp_path):
    _, parts = record(tmp_path / "rec", robot, live)
    assert len(parts) == 1
    assert len(differing(parts[0], tmp_path / "out")) == 0
    said = read_said(parts[0])
    assert {"ok", "refused"} <= set(said["guard_state"]), "the push is to be refused"
    np.testing.assert_array_equal(np.load(parts[0] / "qpos.npy"), live.rows["qpos"])
    assert np.load(parts[0] / "said" / "received.npy")[0] == 1000.0


def test_the_comparison_can_fail(robot, live, tmp_path):
    _, parts = record(tmp_path / "rec", robot, live)
    file = parts[0] / "said" / "wrench.npy"
    wrench = np.load(file)
    wrench[100, 0, 2] = np.nextafter(wrench[100, 0, 2], 1e9)
    np.save(file, wrench)
    assert differing(parts[0], tmp_path / "out").tolist() == [100]


def test_each_part_is_the_same_after_what_leads_in(robot, tmp_path):
    log = moving_log(robot, READY, 250, 60)
    for second in (20, 31, 46, 58):  # what a filter remembers shows where something changes
        log["tau"][250 * second:250 * second + 100] += PUSH
    long = Live(robot, HAND, log)
    _, parts = record(tmp_path / "rec", robot, long, part_seconds=28.0)
    assert len(parts) == 3
    for part in parts[1:]:
        told = about_part(part)
        assert told["begins"] == "time" and told["leads_in"] >= 250 * lead_in(robot) == 250 * told["same_after"]
        late = differing(part, tmp_path / part.name)
        assert len(late) and late.max() < told["leads_in"], "filters that begin cold differ, and no longer than stated"
    rows = sum(len(np.load(part / "time.npy")) - about_part(part)["leads_in"] for part in parts)
    assert rows == len(long)


def test_the_same_does_not_come_sooner_by_much(robot):
    """The seconds that lead in are not many more than are needed: a log that begins cold differs for more than half of them."""
    log = moving_log(robot, READY, 250, 60)
    for second in range(3, 60, 3):
        log["tau"][250 * second:250 * second + 100] += PUSH
    whole, cut = Live(robot, HAND, log), 5000
    cold = Live(robot, HAND, {name: values[cut:] for name, values in log.items()})
    late = np.flatnonzero((whole.rows["sd"][cut:] != cold.rows["sd"]).any(axis=(1, 2))).max() / 250
    assert 0.5 * lead_in(robot) < late < lead_in(robot)


def test_an_epoch_is_a_part_whose_filters_begin_anew(robot, tmp_path):
    log = moving_log(robot, READY, 250, 6)
    log["time"][750:] += 40.0
    two = Live(robot, HAND, log, epochs=np.repeat([0, 1], 750))
    _, parts = record(tmp_path / "rec", robot, two)
    assert [about_part(part)["begins"] for part in parts] == ["start", "epoch"]
    assert [about_part(part)["first_sample"] for part in parts] == [0, 750]
    for part in parts:
        assert len(differing(part, tmp_path / part.name)) == 0


@pytest.mark.parametrize("length", [1, 5, 37])
def test_short_epochs_do_not_each_become_a_part(robot, tmp_path, length):
    """A sender whose clock jumps every few messages, and after that no more."""
    log = moving_log(robot, READY, 250, 8)
    epochs = np.minimum(np.arange(2000), 1499) // length
    jumping, lines = Live(robot, HAND, log, epochs=epochs), []
    recorder, parts = record(tmp_path / "rec", robot, jumping, lines=lines)
    assert [about_part(part)["epoch"] for part in parts] == [*range(11), epochs[-1]]
    rows = [len(np.load(part / "time.npy")) for part in parts]
    assert rows[:-1] == [length] * 11 and rows[-1] >= 500, "an epoch that lasts is recorded from its first sample on"
    assert sum(rows) + recorder.dropped == len(jumping)
    assert len(lines) == 1 and "check the sender's clock" in lines[0]
    assert len(differing(parts[-1], tmp_path / "out")) == 0


def test_a_robot_without_velocities_and_imu(robot, tmp_path):
    log = moving_log(robot, READY, 250, 4, imu=False)
    del log["dq"]
    bare = Live(robot, HAND, log)
    _, parts = record(tmp_path / "rec", robot, bare)
    assert {file.stem for file in parts[0].glob("*.npy")} == {"time", "qpos", "tau"}
    assert len(differing(parts[0], tmp_path / "out")) == 0


def test_a_humanoid_with_identified_noise_and_two_wrists(tmp_path):
    robot = antaeus.load_robot("h1_2")
    wrists = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
    live = Live(robot, wrists, moving_log(robot, robot.pose("zero"), 200, 26))
    _, parts = record(tmp_path / "rec", robot, live, part_seconds=23.0)
    assert len(parts) == 2
    told, said = about_part(parts[1]), read_said(parts[1])
    # The covariance of its noise is formed every 20 ms: the part begins at a sample at which it was.
    again = Live(robot, wrists, {name: np.load(parts[1] / f"{file}.npy") for name, file in
                                 {"time": "time", "qpos": "qpos", "tau": "tau", "dq": "dq", "imu_quat": "imu_quat_xyzw",
                                  "imu_gyro": "imu_gyro", "imu_acc": "imu_acc"}.items()}).rows
    leads = told["leads_in"]
    assert leads >= 200 * lead_in(robot)
    for name in ("Fx", "Mz"):
        np.testing.assert_array_equal(again["wrench"][leads:, :, "Fx Fy Fz Mx My Mz".split().index(name)].ravel(), said[name][2 * leads:])
    np.testing.assert_array_equal(again["sd"][leads:, :, 0].ravel(), said["sd_Fx"][2 * leads:])
    np.testing.assert_array_equal(again["consumer"][leads:, :, 2].ravel(), said["guarded_Fz"][2 * leads:])
    assert list(said["endpoint"][:2]) == wrists


@pytest.mark.parametrize("how", [{"part_seconds": 22.0}, {"keep": 60_000_000}], ids=["time", "size"])
def test_parts_begin_at_the_same_samples_however_late_the_writer_is(robot, tmp_path, how):
    """A busy machine hands the writer seconds at once: 8 samples, or the whole minute."""
    stream = Stream(robot, HAND, moving_log(robot, READY, 250, 60))
    found = []
    for size in (8, len(stream)):
        _, parts = record(tmp_path / f"rec_{size}", robot, stream, stream.blocks(size), flights=False, **how)
        abouts = [about_part(part) for part in parts]
        found.append([(one["begins"], one["first_sample"] + one["leads_in"]) for one in abouts])
        assert all(one["leads_in"] >= 250 * lead_in(robot) for one in abouts[1:] if one["begins"] == "time")
    assert found[0] == found[1] and len(found[0]) > 2


def test_a_channel_that_comes_later_begins_a_part(robot, tmp_path):
    log = moving_log(robot, READY, 250, 4)
    log["imu_quat"][:500] = log["imu_gyro"][:500] = log["imu_acc"][:500] = np.nan
    stream = Stream(robot, HAND, log)
    _, parts = record(tmp_path / "rec", robot, stream)
    assert [about_part(part)["begins"] for part in parts] == ["start", "channels"]
    assert [about_part(part)["first_sample"] for part in parts] == [0, 500]  # in the middle of a block
    assert not (parts[0] / "imu_acc.npy").exists() and (parts[1] / "imu_acc.npy").exists()
    antaeus.load_episode(parts[1], robot)


def test_a_log_without_a_clock(robot, tmp_path):
    log = moving_log(robot, READY, 250, 2)
    log["time"] = np.full(len(log["time"]), np.nan)
    stream = Stream(robot, HAND, log)
    _, parts = record(tmp_path / "rec", robot, stream)
    assert not (parts[0] / "time.npy").exists()
    assert len(antaeus.load_episode(parts[0], robot)) == 500
    assert np.isnan(read_said(parts[0])["time"]).all()


# Killed -----------------------------------------------------------------------------------------------------------------------------------


def test_a_record_opens_whenever_watch_was_killed(robot, live, tmp_path):
    """Keeps what the last finished write took, and holds what was said."""
    file = tmp_path / "blocks.pkl"
    file.write_bytes(pickle.dumps((robot, about(live), live.blocks(8))))
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance, worst = random.Random(seed), 0.0
    for kill in range(KILLS):
        folder = tmp_path / f"rec_{kill}"
        # Half of them write nearly all the time, so that kills fall into writing.
        how = ["0.25", "600"] if kill % 2 else ["0.005", "1.0"]
        child = subprocess.Popen([sys.executable, HERE / "record_until_killed.py", file, folder, *how], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)])})
        lines = []
        # Killed once it has handed over so many blocks, of 32 ms each, the first of them after a write.
        handed_over = chance.randrange(2 if kill else 30, 125)
        while sum(line.startswith("handed") for line in lines) < handed_over or not (kill or any(line.startswith("written") for line in lines)):
            lines.append(child.stdout.readline())
            assert lines[-1], "it ended by itself"
        child.kill()
        lines += child.stdout.read().splitlines()
        child.wait()
        handed, written = (max([int(line.split()[1]) for line in lines if line.startswith(word)], default=0) for word in ("handed", "written"))
        assert not [line for line in lines if line.startswith("said")]
        parts = sorted(folder.glob("run_*/part_*"))
        recorded = 0
        for part in parts:
            told, time_ = about_part(part), np.load(part / "time.npy")
            assert told["first_sample"] + told["leads_in"] == recorded
            recorded = told["first_sample"] + len(time_)
            late = differing(part, folder / f"out_{part.name}")
            assert not len(late) or late.max() < told["leads_in"]
        worst = max(worst, (handed - recorded) / 250)
        assert recorded >= written, (kill, handed, written, recorded)
    print(f"{KILLS} kills: at most {worst:.3f} s missing")
    # What the killed ones left hidden goes with the next run there.
    first = tmp_path / "rec_0"
    assert list(first.glob("run_*/.antaeus-*"))
    Recorder(first, robot, keep=10**9, about=about(live)).close()
    assert not list(first.glob("run_*/.antaeus-*"))


def test_what_waits_is_written_by_itself(robot, live, tmp_path):
    """Twice in the half second that a kill may cost, without another block or an end."""
    assert 2 * WRITE_EVERY <= MOST_LOST
    recorder = Recorder(tmp_path / "rec", robot, keep=10**9, about=about(live), flights=False)
    for count, block in enumerate(live.blocks(8)[:3], 1):
        recorder.take(block, [], facts())
        until(lambda: recorder.written and len(np.load(recorder.written[0] / "time.npy")) == 8 * count)
    recorder.close()


# Room -------------------------------------------------------------------------------------------------------------------------------------


def test_the_oldest_parts_go_first_and_never_the_one_being_written(robot, tmp_path):
    stream = Stream(robot, HAND, moving_log(robot, READY, 250, 60))
    lines = []
    keep = 2_000_000
    recorder = Recorder(tmp_path / "rec", robot, keep=keep, about=about(stream), say=lines.append, flights=False, write_every=0.01)
    largest = 0
    for block in stream.blocks(50):
        recorder.take(block, [], facts())
        until(recorder.idle)
        largest = max(largest, used(tmp_path / "rec"))
    recorder.close()
    parts = sorted(recorder.run.glob("part_*"))
    assert parts and parts[0].name != "part_0000" and not lines
    assert int(parts[-1].name[5:]) == int(parts[0].name[5:]) + len(parts) - 1, "only the oldest went"
    assert largest < 1.3 * keep  # a part that has just ended is counted when the next is written
    old = recorder.run
    Recorder(tmp_path / "rec", robot, keep=100_000, about=about(stream), flights=False, write_every=0.01).close()
    fresh = Recorder(tmp_path / "rec", robot, keep=100_000, about=about(stream), flights=False, write_every=0.01)
    fresh.take(stream.block(0, 20), [], facts())
    fresh.close()
    assert not old.exists(), "a run goes with its last part"


def test_many_small_parts_are_counted_in_blocks_of_the_disk(robot, tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "_BREAKS_A_MINUTE", 10**6)
    stream = Stream(robot, HAND, moving_log(robot, READY, 250, 4), epochs=np.arange(1000) // 5)
    _, parts = record(tmp_path / "rec", robot, stream, keep=2_000_000, flights=False)
    assert 1 < len(parts) < 200
    assert used(tmp_path / "rec") < 1.3 * 2_000_000


def used(folder):
    """Bytes of all files and folders on the disk; parts go meanwhile."""
    total = 0
    for place, _, files in os.walk(folder):
        for file in ("", *files):
            with contextlib.suppress(FileNotFoundError):
                total += 512 * os.stat(os.path.join(place, file)).st_blocks
    return total


def test_a_full_disk_is_one_line_and_recording_goes_on_when_there_is_room(robot, live, tmp_path, monkeypatch):
    full = [False]
    real = growing._write_all

    def write(file, data):
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file, data)

    monkeypatch.setattr(growing, "_write_all", write)
    lines = []
    recorder = Recorder(tmp_path / "rec", robot, keep=10**9, about=about(live), say=lines.append, write_every=0.01, flights=False)
    blocks = live.blocks(8)
    quarter = len(blocks) // 4  # before the push: an audit of a log that ends in it may find its setup suspect

    def take(some):
        for block in some:
            recorder.take(block, [], facts())
            until(recorder.idle)

    take(blocks[:quarter])
    full[0] = True
    take(blocks[quarter:quarter + 100])
    until(lambda: lines)
    assert len(lines) == 1 and lines[0].startswith("record: ") and "No space left" in lines[0], lines
    full[0] = False
    assert time.monotonic() < recorder._full_until < time.monotonic() + recording._RETRY + 1e-6, "it is tried again, but not at each block"
    recorder._full_until = 1e-9  # and so much time passes
    take(blocks[quarter + 100:])
    parts = recorder.close()
    assert len(lines) == 2 and lines[1].startswith("record: ") and "space again" in lines[1], lines
    assert len(parts) == 2
    assert len(differing(parts[0], tmp_path / "out")) == 0  # as it was when the disk filled
    assert about_part(parts[-1])["begins"] == "room_again"
    assert recorder.dropped > 0


@pytest.mark.parametrize("fails", [1, 5, 20, 30, 60, 90])
def test_a_folder_is_whole_or_not_there(robot, live, tmp_path, monkeypatch, fails):
    """The disk fills at any write of the first, the second or the third rows."""
    real, writes = growing._write_all, [0]

    def write(file, data):
        writes[0] += 1
        if writes[0] == fails:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file, data)

    monkeypatch.setattr(growing, "_write_all", write)
    rows = {"time": np.arange(5.0), "qpos": np.zeros((5, 7)), "said/wrench": np.zeros((5, 2, 6)), "said/stop": np.zeros((5, 2), bool)}
    added = 0
    with pytest.raises(OSError), contextlib.ExitStack() as end:
        folder = growing.GrowingFolder(tmp_path / "part", rows, {"part.json": "{}"})
        end.callback(folder.close)
        for _ in range(50):
            added += 5
            folder.add(rows)
    place = tmp_path / "part"
    if place.exists():
        assert {len(np.load(file)) for file in place.rglob("*.npy")} == {added}
    else:
        assert added == 0
    assert [entry.name for entry in tmp_path.iterdir() if entry != place] == []


def test_a_limit_of_the_system_ends_no_watch(robot, live, tmp_path):
    """Files may not become larger than 100 kB: what fits is there, whole."""
    file = tmp_path / "blocks.pkl"
    file.write_bytes(pickle.dumps((robot, about(live), live.blocks(8)[:200])))
    script = ("import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)); sys.argv = sys.argv[1:]; "
              "runpy.run_path(sys.argv[0], run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", script, HERE / "record_until_killed.py", file, tmp_path / "rec", "0.05", "600"],
                          capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)])})
    assert done.returncode == 0, done.stderr
    assert "cannot be written (File too large)" in done.stdout
    parts = sorted((tmp_path / "rec").glob("run_*/part_*"))
    assert len(differing(parts[0], tmp_path / "out")) == 0


def test_a_disk_that_is_too_slow_drops_and_says_so(robot, live, tmp_path, monkeypatch):
    """Blocks are taken while a write does not end: nothing waits for the disk."""
    monkeypatch.setattr("antaeus.live.recording._MOST_WAITING", 5)
    real, hangs, goes_on = growing.GrowingFolder.add, threading.Event(), threading.Event()

    def slow(self, rows):
        hangs.set()
        assert goes_on.wait(120)
        real(self, rows)

    monkeypatch.setattr(growing.GrowingFolder, "add", slow)
    lines = []
    recorder = Recorder(tmp_path / "rec", robot, keep=10**9, about=about(live), say=lines.append, write_every=0.01, flights=False)
    blocks = live.blocks(8)[:300]
    for block in blocks[:200]:
        recorder.take(block, [], facts())
        until(lambda: recorder.idle() or hangs.is_set())
    assert hangs.is_set() and recorder.dropped >= 8 * 100
    goes_on.set()
    for block in blocks[200:]:
        until(recorder.idle)
        recorder.take(block, [], facts())
    parts = recorder.close()
    assert any("samples are left out: the disk is too slow" in line for line in lines)
    assert "samples_lost" in {about_part(part)["begins"] for part in parts}
    for part in parts:  # each is whole in itself
        stamps = np.diff(np.load(part / "time.npy"))
        assert stamps.max() < 0.005


# Files ------------------------------------------------------------------------------------------------------------------------------------


def test_events_and_settings_stand_beside(robot, live, tmp_path):
    said = event("alarm", 1500, float("nan"), HAND[0], words="a push", reasons=["force_limit"])
    recorder, _ = record(tmp_path / "rec", robot, live, events=[said], flights=False)
    line, = (recorder.run / "events.jsonl").read_text().splitlines()
    assert json.loads(line) == {"kind": "alarm", "index": 1500, "time": None, "endpoint": HAND[0], "words": "a push",
                                "reasons": ["force_limit"]}
    assert json.loads((recorder.run / "about.json").read_text())["endpoints"] == HAND


def test_no_part_and_no_folder_are_one_line(robot, live, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be written .*; name another folder"):
        Recorder(tmp_path / "file", robot, keep=1, about=about(live))
    with pytest.raises(ValueError, match="watch did not record it"):
        read_said(tmp_path)


@pytest.mark.parametrize(("text", "size"), [("10GB", 10**10), ("500 MB", 5 * 10**8), ("1.5GiB", 3 << 29), ("1234", 1234), ("2g", 2 * 10**9),
                                            ("1tb", 10**12)])
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(("text", "says"), [("10GBB", "did you mean 'GB'"), ("ten", "is no size"), ("-1GB", "is no size"),
                                            ("0", "keeps nothing"), ("", "is no size"), ("5 parsec", "unknown unit")])
def test_what_is_no_size(text, says):
    with pytest.raises(ValueError, match=f"^--keep: .*{says}"):
        parse_size(text)


def test_sizes_in_words():
    assert [size_text(size) for size in (12, 1500, 9.3e9, 999.6e6)] == ["12 B", "1.5 kB", "9.3 GB", "1 GB"]


# Files of the user -------------------------------------------------------------------------------------------------------------------------


def tree(folder):
    """Bytes of all files, and where links point, by path."""
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()}


def fill(folder, name="mine.bin", size=300_000):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(os.urandom(size))


@pytest.fixture
def strained(robot):
    """Records with so little room that every finished part has to go."""
    stream = Stream(robot, HAND, moving_log(robot, READY, 250, 20))

    def run(folder):
        recorder = Recorder(folder, robot, keep=1_000_000, about=about(stream), flights=False, write_every=0.01)
        for block in stream.blocks(50):
            recorder.take(block, [], facts())
            while not recorder.idle():
                time.sleep(0.0005)
        recorder.close()
        assert not (recorder.run / "part_0000").exists(), "nothing had to go: this shows nothing"
        return recorder.run

    return run


def test_folders_of_the_user_stay_whatever_their_names(strained, tmp_path):
    rec, outside = tmp_path / "rec", tmp_path / "outside"
    for place in (rec / "run_thesis" / "part_1", rec / "run_thesis" / "notes", rec / "run_2026-11-28T18-30-01Z" / "part_0000",
                  rec / "flight_data_2024", rec / "flight_2026-11-28T18-30-01.250_alarm_hand", rec / "part_0001", outside / "part_0009",
                  outside / "run" / "part_0002"):
        fill(place)
    (rec / "run_link").symlink_to(outside)
    (rec / "run_2026-11-28T18-30-02Z").symlink_to(outside / "run")
    (rec / "flight_link").symlink_to(outside)
    (rec / "run_thesis" / "part_link").symlink_to(outside / "part_0009")
    # Descriptions of another program, and one that is a link to one of ours.
    (rec / "run_2026-11-28T18-30-01Z" / "about.json").write_text('{"schema": "parts/1", "begun": "2026-11-28T18-30-01Z"}')
    (rec / "run_2026-11-28T18-30-01Z" / "part_0000" / "part.json").write_text("[1, 2]")
    (rec / "flight_2026-11-28T18-30-01.250_alarm_hand" / "why.json").write_text("no JSON")
    before = {**tree(rec), **tree(outside)}
    run = strained(rec)
    after = {name: value for name, value in {**tree(rec), **tree(outside)}.items() if not name.startswith(run.name)}
    assert after == before


def test_a_link_that_is_given_as_the_folder_is_the_folder(strained, tmp_path):
    fill(tmp_path / "disk" / "run_thesis" / "part_1")
    (tmp_path / "rec").symlink_to("disk")
    before = tree(tmp_path / "disk")
    run = strained(tmp_path / "rec")
    assert before.items() <= tree(tmp_path / "disk").items() and (tmp_path / "disk" / run.name).is_dir()


@pytest.mark.parametrize("copied", [False, True])
def test_files_of_the_user_in_a_record_stay(strained, tmp_path, copied):
    """In a part and in its run. A part that was given another name belongs to the user, too."""
    old = strained(tmp_path / "rec")
    part = min(old.glob("part_*"))
    if copied:
        part = part.rename(old / "part_9999")
    fill(part, "qpos_filtered.npy")
    fill(part / "said", "mine.npy")
    fill(part / "audit", "report.html")
    fill(old, "thesis.tex")
    kept = tmp_path / "kept.npy"
    os.link(part / "tau.npy", kept)
    tau = kept.read_bytes()
    mine = tree(part) if copied else {name: value for name, value in tree(part).items() if name in (
        "qpos_filtered.npy", "said/mine.npy", "audit/report.html")}
    strained(tmp_path / "rec")
    assert tree(part) == mine
    assert (old / "thesis.tex").exists() and kept.read_bytes() == tau
    assert (part / "tau.npy").exists() == copied


def test_a_file_that_is_put_into_the_part_being_written_stays(tmp_path):
    rows = {"time": np.arange(5.0), "said/stop": np.zeros((5, 2), bool)}
    folder = growing.GrowingFolder(tmp_path / "part", rows, {"part.json": "{}"})
    place = tmp_path / "part"
    for turn in range(6):
        fill(place, f"mine_{turn}.txt", 10)
        fill(place / "said", f"mine_{turn}.txt", 10)
        fill(place / f"folder_{turn}", size=10)
        os.link(place / f"mine_{turn}.txt", tmp_path / f"linked_{turn}")
        folder.add(rows)
        if turn == 3:
            (place / "mine_0.txt").unlink()
    folder.close()
    names = {f"mine_{turn}.txt" for turn in range(1, 6)} | {f"said/mine_{turn}.txt" for turn in range(6)} | {f"folder_{turn}/mine.bin" for turn in range(6)}
    assert set(tree(place)) == names | {"time.npy", "said/stop.npy", "part.json"}, "what was removed does not come back"
    assert len(np.load(place / "time.npy")) == 35
    assert not list(tmp_path.glob(".antaeus-*"))


def test_a_link_in_the_place_of_the_part_being_written_is_not_followed(tmp_path):
    rows = {"time": np.arange(5.0)}
    folder = growing.GrowingFolder(tmp_path / "part", rows, {"part.json": "{}"})
    fill(tmp_path / "outside")
    before = tree(tmp_path / "outside")
    (tmp_path / "part").rename(tmp_path / "moved")
    (tmp_path / "part").symlink_to("outside")
    with pytest.raises(OSError):
        folder.add(rows)
    folder.close()
    assert tree(tmp_path / "outside") == before and (tmp_path / "part").is_symlink()


def test_records_of_an_earlier_release_are_recognised(robot, strained, tmp_path):
    """They have no name in part.json, and about.json has when they began."""
    old = strained(tmp_path / "rec")
    for file in old.glob("part_*/part.json"):
        about_it = json.loads(file.read_text())
        del about_it["name"]
        file.write_text(json.dumps(about_it))
    strained(tmp_path / "rec")
    assert not old.exists()


def test_two_watches_with_one_folder_leave_each_other_their_parts(robot, strained, tmp_path):
    stream = Stream(robot, HAND, moving_log(robot, READY, 250, 2))
    other = Recorder(tmp_path / "rec", robot, keep=10**9, about=about(stream), flights=False, write_every=0.01)
    for block in stream.blocks(8):
        other.take(block, [], facts())
    strained(tmp_path / "rec")
    (part,) = other.close()
    assert len(np.load(part / "time.npy")) == 500


def test_every_file_of_a_part_is_known_as_one(robot, live, tmp_path):
    """A file that is missing from the list would never be removed."""
    from antaeus.live.flights import EPISODE_FILES

    _, parts = record(tmp_path / "rec", robot, live, flights=False)
    assert set(tree(parts[0])) <= set(EPISODE_FILES)
