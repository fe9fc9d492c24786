"""Recordings that are tables: HDF5, LeRobot, csv of RTDE, libfranka and PlotJuggler, Unitree's json. Each is written as its own
writer writes it (h5py, pyarrow, csv.writer, printf); the numbers that come out are those that went in."""

import csv
import fractions
import json
import os
import signal
import time

import needs
import numpy as np
import pytest
from support import SEED, generator, run_python

from antaeus.formats import hdf5, lerobot, libfranka_csv, plotjuggler_csv, rtde_csv, unitree_json
from antaeus.formats.recording import FormatError, ChannelWish, Wishes

READERS = (hdf5, lerobot, rtde_csv, libfranka_csv, plotjuggler_csv, unitree_json)
UR_JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")


def reader_of(path):
    (reader,) = [reader for reader in READERS if reader.recognises(path)]
    return reader


def read(path, wishes=Wishes()):
    """(recording, times, channel → numbers), from all blocks."""
    recording = reader_of(path).open_recording(path, wishes)
    blocks = list(recording.blocks())
    assert recording.done() == recording.bytes > 0
    assert all(block.time.dtype == np.int64 and all(array.dtype == float for array in block.values.values()) for block in blocks)
    names = [channel.name for channel in recording.channels]
    assert all(list(block.values).sort() == list(names).sort() for block in blocks)
    values = {name: np.concatenate([block.values[name] for block in blocks]) for name in names}
    times = np.concatenate([block.time for block in blocks])
    for channel in recording.channels:
        assert values[channel.name].shape == (len(times), len(channel.columns))
    assert list(recording.notes) == list(dict.fromkeys(recording.notes))
    return recording, times, values


def drained(reader, path):
    """(rows, kilobytes that a process of its own holds at most while it reads them)."""
    code = ("import pathlib, re\nimport numpy, pyarrow.parquet, pyarrow.csv, pyarrow.compute\n"
            f"from antaeus.formats import {reader}\nfrom antaeus.formats.recording import Wishes\n"
            "def held():\n    return int(re.search(r'VmHWM:\\s+(\\d+)', pathlib.Path('/proc/self/status').read_text())[1])\n"
            f"before = held()\nrows = sum(len(block.time) for block in {reader}.open_recording(pathlib.Path({str(path)!r}), Wishes()).blocks())\n"
            "print(rows, held() - before)")
    return map(int, run_python(code).split())


def channel(recording, name):
    return next(one for one in recording.channels if one.name == name)


def refused(path, *words, wishes=Wishes()):
    reader = reader_of(path)
    with pytest.raises(FormatError) as caught:
        list(reader.open_recording(path, wishes).blocks())
    text = str(caught.value)
    assert "\n" not in text and "; " in text and all(word in text for word in words), text
    return text


# --- HDF5 -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def h5py():
    return needs.package("h5py")


def robomimic(h5py, path, demos=1, steps=40000, rate=20, **more):
    chance = generator()
    made = {}
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        if rate is not None:
            data.attrs["env_args"] = json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": {"control_freq": rate, "robots": "Panda"}})
        for number in range(demos):
            demo = data.create_group(f"demo_{number}")
            demo.attrs["num_samples"] = steps
            for name in ("robot0_joint_pos", "robot0_joint_vel", "robot0_joint_torque"):
                made[number, name] = chance.normal(size=(steps, 7))
                demo.create_dataset(f"obs/{name}", data=made[number, name], compression="gzip" if name.endswith("vel") else None)
            demo.create_dataset("obs/robot0_gripper_qpos", data=np.zeros((steps, 2)))
            demo.create_dataset("actions", data=chance.normal(size=(steps, 7)))
            demo.create_dataset("states", data=chance.normal(size=(steps, 32)))
            for name, array in more.items():
                demo.create_dataset(f"obs/{name}", data=array)
    return made


def test_robomimic(h5py, tmp_path):
    file = tmp_path / "demo.hdf5"
    made = robomimic(h5py, file)
    recording, times, values = read(file)
    np.testing.assert_array_equal(values["qpos"], made[0, "robot0_joint_pos"])
    np.testing.assert_array_equal(values["dq"], made[0, "robot0_joint_vel"])
    np.testing.assert_array_equal(values["tau"], made[0, "robot0_joint_torque"])
    assert times.tolist() == [50_000_000 * step for step in range(len(times))] and len(times) == 40000
    assert "20 rows per second by control_freq" in recording.clock and channel(recording, "qpos").columns == tuple("0123456")
    assert channel(recording, "tau").unit == "unknown"
    assert any("states float64 40000×32: the simulator's state" in one for one in recording.unmapped)
    assert any(one.startswith("/data/demo_0/obs/robot0_gripper_qpos") for one in recording.unmapped)


def test_one_demo_of_several_is_chosen(h5py, tmp_path):
    file = tmp_path / "demos.h5"
    made = robomimic(h5py, file, demos=12, steps=5)
    refused(file, "holds 12 episodes: demo_0, demo_1, demo_2", "--episode demo_0")
    for wish in ("demo_10", "10"):
        np.testing.assert_array_equal(read(file, Wishes(episode=wish))[2]["qpos"], made[10, "robot0_joint_pos"])
    refused(file, "no episode 'demo_12'", "did you mean", wishes=Wishes(episode="demo_12"))


def test_two_robots_are_asked_for_and_a_rate_is_needed(h5py, tmp_path):
    file = tmp_path / "two.hdf5"
    second = generator().normal(size=(6, 6))
    robomimic(h5py, file, steps=6, rate=None, robot1_joint_pos=second)
    refused(file, "holds 2 robots: robot0, robot1", "--topic robot0")
    refused(file, "states no time and no rate; give --rate", wishes=Wishes(topic="robot1"))
    recording, times, values = read(file, Wishes(topic="robot1", rate=30.0))
    np.testing.assert_array_equal(values["qpos"], second)
    assert times.tolist() == [round(fractions.Fraction(step * 10**9, 30)) for step in range(6)]


def aloha(h5py, path, steps=30, **attributes):
    chance = generator()
    made = {name: chance.normal(size=(steps, 14)) for name in ("qpos", "qvel", "effort", "action")}
    with h5py.File(path, "w", rdcc_nbytes=1024**2 * 2) as file:
        file.attrs["sim"] = attributes.pop("sim", False)
        observations = file.create_group("observations")
        images = observations.create_group("images")
        images.create_dataset("cam_high", (steps, 48, 64, 3), dtype="uint8", chunks=(1, 48, 64, 3))
        for name in ("qpos", "qvel", "effort"):
            observations.create_dataset(name, data=made[name])
            for key, value in attributes.items():
                observations[name].attrs[key] = value
        file.create_dataset("action", data=made["action"])
    return made


def test_aloha(h5py, tmp_path):
    file = tmp_path / "episode_0.hdf5"
    made = aloha(h5py, file)
    recording, times, values = read(file)
    for name, theirs in (("qpos", "qpos"), ("dq", "qvel"), ("tau", "effort"), ("target_dof", "action")):
        np.testing.assert_array_equal(values[name], made[theirs])
    assert channel(recording, "target_dof").stage == "commanded" and channel(recording, "tau").unit == "unknown"
    assert times.tolist() == [20_000_000 * step for step in range(30)] and "assumed" in recording.clock
    assert any("like a current, not a torque" in note for note in recording.notes)
    assert recording.unmapped == ["/observations/images/cam_high uint8 30×48×64×3"]
    assert read(file, Wishes(rate=500.0))[1].tolist() == [2_000_000 * step for step in range(30)]


def test_a_unit_that_a_dataset_declares_is_passed_on(h5py, tmp_path):
    file = tmp_path / "degrees.hdf5"
    aloha(h5py, file, sim=True, units="degrees")
    recording, _, _ = read(file)
    assert channel(recording, "qpos").unit == "degrees" and any("simulated" in note for note in recording.notes)


def test_a_map_names_datasets_and_time_stamps_are_read(h5py, tmp_path):
    file = tmp_path / "own.h5"
    stamps = 1_700_000_000_123_456_789 + np.arange(7) * 1_000_001
    with h5py.File(file, "w") as made:
        made["log/angles"] = np.arange(21.0).reshape(7, 3)
        made["log/currents"] = np.ones((7, 3), dtype="float32")
        made["log/timestamp"] = stamps
        made["log/timestamp"].attrs["unit"] = "ns"
    refused(file, "is of no layout that is known: it has /log/angles, /log/currents, /log/timestamp", "channels.qpos.source")
    wishes = Wishes(channels={"qpos": ChannelWish(source="/log/angles"), "tau": ChannelWish(source="log/currents", unit="A")})
    recording, times, values = read(file, wishes)
    np.testing.assert_array_equal(values["qpos"], np.arange(21.0).reshape(7, 3))
    np.testing.assert_array_equal(times, stamps)
    assert recording.clock == "/log/timestamp"
    refused(file, "no dataset is called '/log/angle'; did you mean 'log/angles'?", wishes=Wishes(channels={"qpos": ChannelWish(source="log/angle")}))


def test_damaged_hdf5_is_refused(h5py, tmp_path):
    file = tmp_path / "cut.hdf5"
    aloha(h5py, file)
    whole = file.read_bytes()
    file.write_bytes(whole[:len(whole) // 2])
    refused(file, f"is cut off: {len(whole) // 2} of {len(whole)} bytes are there")
    file.write_bytes(b"")
    refused(file, "is no HDF5 file")
    with h5py.File(file, "w") as made:
        made.create_dataset("observations/qpos", (10**11, 14), dtype="f8", chunks=(100, 14))
    refused(file, "/observations/qpos declares 100000000000 rows of 14", "the file holds 0 of it")
    with h5py.File(file, "w") as made:
        made["observations/images/top"] = np.zeros(3)
    refused(file, "no layout that is known: it has /observations/images/top")
    with h5py.File(file, "w") as made:
        made["data/demo_0/obs/object"] = np.zeros((3, 4))
    refused(file, "holds no joint positions: it has /data/demo_0/obs/object")
    with h5py.File(file, "w") as made:
        made["elsewhere"] = 1
        made["observations/qpos"] = h5py.ExternalLink("/etc/hostname", "/x")
    refused(file, "/observations/qpos is stored in another file")


def test_a_file_on_which_the_hdf5_library_crashes_or_hangs_is_refused(h5py, tmp_path, monkeypatch):
    file = tmp_path / "a.hdf5"
    aloha(h5py, file, steps=4)
    here = os.getpid()

    def crashing(*arguments):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError("opened here")

    monkeypatch.setattr(hdf5, "_open", crashing)
    refused(file, "is damaged: the HDF5 library crashes on it")
    monkeypatch.setattr(hdf5, "_open", lambda *arguments: time.sleep(60))
    monkeypatch.setattr(hdf5, "_PATIENCE", 0.2)
    refused(file, "is damaged: the HDF5 library does not end reading it")


# --- LeRobot ----------------------------------------------------------------------------------------------------------

MOTORS = ["shoulder_pan", "shoulder_lift", "elbow_flex", "gripper"]


def state_names(form):
    names = [f"{motor}.{word}" for motor in MOTORS for word in ("pos", "vel", "torque")]
    return {"list": names, "motors": {"motors": names}, "nested": [names[:6], names[6:]], "null": None,
            "places": {name: place for place, name in enumerate(names)}}[form]


def lerobot_dataset(root, version, episodes=3, form="list", steps=50, **feature):
    pa, parquet = needs.package("pyarrow"), needs.package("pyarrow.parquet")
    chance = generator()
    (root / "meta").mkdir(parents=True)
    features = {
        "observation.state": {"dtype": "float32", "shape": [12], "names": state_names(form), **feature},
        "action": {"dtype": "float32", "shape": [4], "names": [f"{motor}.pos" for motor in MOTORS]},
        "observation.images.top": {"dtype": "video", "shape": [480, 640, 3], "names": ["height", "width", "channels"]},
        **{name: {"dtype": kind, "shape": [1], "names": None} for name, kind in
           (("timestamp", "float32"), ("frame_index", "int64"), ("episode_index", "int64"), ("index", "int64"), ("task_index", "int64"))},
    }
    data_path = {"v2.1": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
                 "v3.0": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"}[version]
    (root / "meta" / "info.json").write_text(json.dumps({"codebase_version": version, "robot_type": "so101", "fps": 30, "chunks_size": 1000,
                                                         "total_episodes": episodes, "data_path": data_path, "features": features}, indent=4))
    made, tables = {}, []
    for number in range(episodes):
        rows = steps + number
        made[number] = {"state": chance.normal(size=(rows, 12)).astype("float32"), "action": chance.normal(size=(rows, 4)).astype("float32"),
                        "time": (np.arange(rows) / 30).astype("float32")}
        tables.append(pa.table({
            "observation.state": pa.array(list(made[number]["state"]), pa.list_(pa.float32())),
            "action": pa.array(list(made[number]["action"]), pa.list_(pa.float32(), 4)),
            "timestamp": made[number]["time"], "frame_index": np.arange(rows), "episode_index": np.full(rows, number),
            "index": np.arange(rows), "task_index": np.zeros(rows, dtype=int)}))
    if version == "v2.1":
        (root / "data" / "chunk-000").mkdir(parents=True)
        for number, table in enumerate(tables):
            parquet.write_table(table, root / "data" / "chunk-000" / f"episode_{number:06d}.parquet")
        (root / "meta" / "episodes.jsonl").write_text("".join(json.dumps({"episode_index": number, "tasks": ["x"], "length": len(table)}) + "\n"
                                                              for number, table in enumerate(tables)))
    else:
        (root / "data" / "chunk-000").mkdir(parents=True)
        (root / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
        parquet.write_table(pa.concat_tables(tables), root / "data" / "chunk-000" / "file-000.parquet", row_group_size=60)
        ends = np.cumsum([len(table) for table in tables])
        parquet.write_table(pa.table({
            "episode_index": np.arange(episodes), "length": [len(table) for table in tables], "data/chunk_index": np.zeros(episodes, dtype=int),
            "data/file_index": np.zeros(episodes, dtype=int), "dataset_from_index": np.concatenate(([0], ends[:-1])),
            "dataset_to_index": ends}), root / "meta" / "episodes" / "chunk-000" / "file-000.parquet")
    return made


@pytest.mark.parametrize("version", ["v2.1", "v3.0"])
def test_lerobot(tmp_path, version):
    root = tmp_path / "set"
    made = lerobot_dataset(root, version)
    refused(root, "holds 3 episodes: 0 to 2", "--episode 0")
    refused(root, "no episode '3'", "it holds 3 episodes: 0 to 2", wishes=Wishes(episode="3"))
    recording, times, values = read(root, Wishes(episode="1"))
    state = made[1]["state"].astype(float)
    for place, name in enumerate(("qpos", "dq", "tau")):
        np.testing.assert_array_equal(values[name], state[:, place::3])
        assert channel(recording, name).columns == tuple(MOTORS) and channel(recording, name).unit == "unknown"
    np.testing.assert_array_equal(values["target_dof"], made[1]["action"].astype(float))
    assert times.tolist() == [round(fractions.Fraction(float(stamp)) * 10**9) for stamp in made[1]["time"]]
    assert version in recording.format and "timestamp" in recording.clock
    assert any("units of qpos, dq, tau, target_dof are not stated" in note for note in recording.notes)
    assert any(one.startswith("observation.images.top video") for one in recording.unmapped)
    assert read(root, Wishes(episode="1", rate=10.0))[1][1] == 100_000_000


@pytest.mark.parametrize("form", ["motors", "nested", "places", "null"])
def test_names_of_features_have_many_forms(tmp_path, form):
    made = lerobot_dataset(tmp_path / "set", "v3.0", episodes=1, form=form)
    recording, _, values = read(tmp_path / "set")
    state = made[0]["state"].astype(float)
    if form == "null":
        np.testing.assert_array_equal(values["qpos"], state)
        assert channel(recording, "qpos").columns == tuple(str(place) for place in range(12))
        assert any("observation.state has no names" in note for note in recording.notes)
    else:
        np.testing.assert_array_equal(values["tau"], state[:, 2::3])


def test_a_unit_that_a_feature_states_is_passed_on_and_a_file_names_its_dataset(tmp_path):
    made = lerobot_dataset(tmp_path / "set", "v2.1", unit="deg")
    file = tmp_path / "set" / "data" / "chunk-000" / "episode_000002.parquet"
    recording, _, values = read(file)
    assert channel(recording, "qpos").unit == "deg"
    np.testing.assert_array_equal(values["qpos"], made[2]["state"][:, ::3].astype(float))
    wishes = Wishes(channels={"tau": ChannelWish(source="observation.state {joint}.vel")})
    np.testing.assert_array_equal(read(file, wishes)[2]["tau"], made[2]["state"][:, 1::3].astype(float))


@pytest.mark.parametrize(("names", "expected"), [
    (["joint_cur_1", "joint_pos_1", "joint_cur_2", "joint_pos_2"], {"tau": ("joint_1", "joint_2"), "qpos": ("joint_1", "joint_2")}),
    (["left_waist", "left_elbow", "left_gripper", "right_waist"], {"qpos": ("left_waist", "left_elbow", "left_gripper", "right_waist")}),
    (["a.effort", "a.pos", "x", "tcp.yaw"], {"tau": ("a",), "qpos": ("a",)}),
    (["joint_1.torque", "joint_1.pos", "joint_2.torque", "joint_2.pos"], {"tau": ("joint_1", "joint_2"), "qpos": ("joint_1", "joint_2")}),
])
def test_what_names_tell(tmp_path, names, expected):
    root = tmp_path / "set"
    lerobot_dataset(root, "v2.1", episodes=1)
    info = json.loads((root / "meta" / "info.json").read_text())
    info["features"]["observation.state"] |= {"shape": [4], "names": names}
    (root / "meta" / "info.json").write_text(json.dumps(info))
    recording = lerobot.open_recording(root, Wishes())
    found = {one.name: one.columns for one in recording.channels if one.name != "target_dof"}
    assert found == expected


def test_a_long_episode_is_read_in_little_memory(tmp_path):
    """One row group of 60 MB: a page at a time, not the group."""
    root, rows = tmp_path / "set", 1_000_000
    lerobot_dataset(root, "v3.0", episodes=1, steps=5)
    pa, parquet = needs.package("pyarrow"), needs.package("pyarrow.parquet")
    file = root / "data" / "chunk-000" / "file-000.parquet"
    numbers = pa.array(generator().random(rows * 12, dtype="float32"))
    parquet.write_table(pa.table({
        "observation.state": pa.FixedSizeListArray.from_arrays(numbers, 12), "action": pa.FixedSizeListArray.from_arrays(numbers[:rows * 4], 4),
        "timestamp": pa.array(np.arange(rows, dtype="float32")), "episode_index": np.zeros(rows, dtype=int)}), file, row_group_size=rows,
        compression="none", use_dictionary=False)
    del numbers
    assert file.stat().st_size > 60_000_000

    read_rows, kilobytes = drained("lerobot", root)
    assert read_rows == rows and kilobytes < 40_000


def test_damaged_datasets_are_refused(tmp_path):
    root = tmp_path / "set"
    lerobot_dataset(root, "v3.0", episodes=1)
    data, info = root / "data" / "chunk-000" / "file-000.parquet", root / "meta" / "info.json"
    whole, text = data.read_bytes(), info.read_text()
    data.write_bytes(whole[:len(whole) // 2])
    refused(root, "file-000.parquet: is no Parquet file that can be read")
    data.unlink()
    refused(root, "file-000.parquet: is missing, which episode 0 is in")
    data.write_bytes(whole)
    info.write_text(text.replace("data/chunk-", "../../data/chunk-"))
    refused(root, "leads out of the dataset")
    info.write_text(text.replace("{file_index:03d}", "{file_index.__class__}"))
    refused(root, "data/chunk-000/file-{file_index.__class__}.parquet: is missing")
    info.write_text(text.replace("observation.state", "observation.elsewhere"))
    refused(root, "has no joint positions: features are observation.elsewhere, action, observation.images.top")
    info.write_text(text.replace("observation.state", "a\\nb\\u2028c"))
    refused(root, "has no joint positions: features are a\\x0ab\\u2028c, action")  # still one line
    info.write_text(text.replace('"action"', '"observation.acc"'))
    refused(root, "has no column observation.acc, which meta/info.json lists")
    info.write_text(text[:100])
    refused(root, "info.json: is no JSON")
    info.write_text(text)
    (root / "meta" / "episodes" / "chunk-000" / "file-000.parquet").unlink()
    refused(root, "episodes: is missing")


# --- csv --------------------------------------------------------------------------------------------------------------


def rtde(path, rows=20000, delimiter=" ", vectors=("target_q", "target_moment", "actual_q", "actual_qd", "actual_current", "actual_TCP_force"),
         step=0.002):
    """As csv_writer.py writes it."""
    chance = generator()
    numbers = {name: chance.normal(size=(rows, 6)) for name in vectors}
    times = 1234.567 + step * np.arange(rows)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["timestamp", *(f"{name}_{place}" for name in vectors for place in range(6)), "output_bit_registers0_to_31"])
        for row in range(rows):
            writer.writerow([float(times[row]), *(float(number) for name in vectors for number in numbers[name][row]), 3])
    return times, numbers


@pytest.mark.parametrize("delimiter", [" ", ",", ";", "\t"])
def test_rtde(tmp_path, delimiter):
    file = tmp_path / "robot_data.csv"
    stamps, made = rtde(file, rows=20000 if delimiter == " " else 30, delimiter=delimiter)
    recording, times, values = read(file)
    for name, theirs in (("qpos", "actual_q"), ("dq", "actual_qd"), ("tau", "actual_current"), ("target_dof", "target_q"),
                         ("wrench_tcp", "actual_TCP_force")):
        np.testing.assert_array_equal(values[name], made[theirs])
    assert times.tolist() == [round(fractions.Fraction(repr(float(stamp))) * 10**9) for stamp in stamps]
    assert channel(recording, "qpos").columns == UR_JOINTS and channel(recording, "tau").unit == "A"
    assert "target_moment, 6 columns: torques of the controller's model, no measurement" in recording.unmapped
    assert channel(recording, "wrench_tcp").stage == "estimated"
    assert any("in A: give N·m per A" in note for note in recording.notes)


def test_torques_of_newer_controllers_go_before_currents(tmp_path):
    file = tmp_path / "new.csv"
    _, made = rtde(file, 10, ",", ("actual_q", "actual_current", "actual_current_as_torque"))
    recording, _, values = read(file)
    np.testing.assert_array_equal(values["tau"], made["actual_current_as_torque"])
    assert (channel(recording, "tau").unit, channel(recording, "tau").gravity) == ("N·m", "excluded")
    np.testing.assert_array_equal(read(file, Wishes(channels={"tau": ChannelWish(source="actual_current")}))[2]["tau"], made["actual_current"])
    wishes = Wishes(channels={"tau": ChannelWish(source="actual_curent")})
    refused(file, "no column is called 'actual_curent'; did you mean", wishes=wishes)


def test_rows_that_repeat_tear_or_end_early_are_said(tmp_path):
    file = tmp_path / "recorder.csv"
    rtde(file, 6, ",", ("actual_q",))
    lines = file.read_text().splitlines()
    lines = [*lines[:3], lines[2], *lines[3:5], "7.0,1,2", lines[5], "8.0,word,1e400,nan,,5,6,0", "x,1,2,3,4,5,6,0", "9.0,1,2,3,4,5"]
    file.write_text("\r\n".join(lines))
    recording, times, values = read(file)
    assert len(times) == 7 and np.isnan(values["qpos"][-1, :4]).all() and values["qpos"][-1, 4] == 5
    for words in ("1 row with the time stamp of the row before", "1 row that repeat the numbers of the row before", "1 line with another number of cells", "1 cell that hold no number: left empty; the first is 'word' in column 'actual_q_0', row 6", "qpos: 1 number beyond what a double holds",
                  "1 row without a time stamp", "the last line has no end"):
        assert any(words in note for note in recording.notes), (words, recording.notes)


def test_rtde_without_a_clock_or_joints_is_refused(tmp_path):
    file = tmp_path / "a.csv"
    rtde(file, 5, ",", ("actual_current",))
    refused(file, "holds no joint positions (actual_q_0")
    rtde(file, 5, ",", ("actual_q",))
    file.write_text(file.read_text().replace("timestamp", "stamp"))
    refused(file, "states no time and no rate; give --rate")
    assert read(file, Wishes(rate=125.0))[1].tolist() == [8_000_000 * row for row in range(5)]
    file.write_text(file.read_text().splitlines()[0] + "\n")
    refused(file, "holds no row", wishes=Wishes(rate=125.0))


def libfranka(path, rows=50, old=False):
    """As franka::logToCSV prints it: six digits; the older one with blanks, "sent commands" and every q_d twice."""
    chance = generator()
    state = {name: chance.normal(size=(rows, 7)) for name in ("q", "q_d", "dq", "dq_d", "tau_J", "tau_ext_hat_filtered")}
    command = {name: chance.normal(size=(rows, width)) for name, width in
               (("q_d", 7), ("dq_d", 7), ("O_T_EE_d", 16), ("O_dP_EE_d", 6), ("tau_J_d", 7))}
    state = {name: np.array([[float(f"{one:.6g}") for one in row] for row in array]) for name, array in state.items()}

    def names(group, prefix):
        comma = ", " if old else ","
        return ",".join(comma.join(f"{prefix}{name}[{place}]" for place in range(array.shape[1])) for name, array in group.items())

    def cells(group, row):
        return ",".join(f"{one:.6g}" for array in group.values() for one in array[row])

    head = (f"duration, success rate, {names(state, '')},sent commands,{names(command, '')}" if old else
            f"time,success_rate,{names(state, 'state.')},{names(command, 'cmd.')}")
    path.write_text(head + "\n" + "".join(f"{row + 7},0.98,{cells(state, row)}{',,' if old else ','}{cells(command, row)}\n" for row in range(rows)))
    return state


@pytest.mark.parametrize("old", [False, True])
def test_libfranka(tmp_path, old):
    file = tmp_path / "log.csv"
    made = libfranka(file, old=old)
    recording, times, values = read(file)
    for name, theirs in (("qpos", "q"), ("dq", "dq"), ("tau", "tau_J"), ("target_dof", "q_d")):
        np.testing.assert_array_equal(values[name], made[theirs])
    assert times.tolist() == [(row + 7) * 1_000_000 for row in range(50)]
    tau = channel(recording, "tau")
    assert (tau.columns, tau.unit, tau.gravity, tau.stage) == (tuple(f"joint{place}" for place in range(1, 8)), "N·m", "included", "measured")
    assert any("stand twice in the header" in note for note in recording.notes) == old
    assert any(one.startswith("tau_ext_hat_filtered, 7 columns") for one in recording.unmapped)


def test_a_logger_with_wrenches_and_seconds(tmp_path):
    file = tmp_path / "own.csv"
    names = [f"{name}[{place}]" for name, width in (("q", 7), ("tau_J", 7), ("O_F_ext_hat_K", 6)) for place in range(width)]
    file.write_text(",".join(["time", *names]) + "\n" + "".join(f"0.00{row},{','.join(str(row + 0.5 * place) for place in range(20))}\n"
                                                                for row in range(4)))
    recording, times, values = read(file)
    assert times.tolist() == [0, 1_000_000, 2_000_000, 3_000_000] and any("decimal point" in note for note in recording.notes)
    assert channel(recording, "wrench_K").sign == "on_robot" and values["wrench_K"][1].tolist() == [1 + 0.5 * place for place in range(14, 20)]
    file.write_text("\n".join(",".join(line.split(",")[:1] + line.split(",")[2:]) for line in file.read_text().splitlines()) + "\n")
    assert not any(reader.recognises(file) for reader in READERS)  # no q[0]: nobody's


def plotjuggler(path, rows=3000, style="index", torques=("/joint_states",), topics=("/joint_states",), gap=1):
    """One message a row, the columns sorted as strings."""
    chance = generator()
    joints, columns, lines = 12, {}, []
    made = {topic: {field: chance.normal(size=(rows, joints)) for field in ("position", "velocity", "effort")} for topic in topics}
    forms = {"index": "{topic}/{field}[{joint}]", "before": "{topic}/arm_{joint}_joint/{field}", "after": "{topic}/{field}/arm_{joint}_joint"}
    for topic in topics:
        for field in ("position", "velocity", *(("effort",) if topic in torques else ())):
            for joint in range(joints):
                columns[forms[style].format(topic=topic, field=field, joint=joint)] = (topic, field, joint)
    for place in range(3):
        columns[f"/imu/angular_velocity/{'xyz'[place]}"] = ("imu", "gyro", place)
    columns |= {f"/odom/twist/covariance[{row},{column}]": ("odom", "", 0) for row in range(2) for column in range(2)}
    columns["/joint_states/header/stamp"] = ("stamp", "", 0)
    names = sorted(columns)
    for row in range(rows):
        stamp = 1_700_000_000_000 + row // 2
        for topic in topics:
            cells = {name: repr(float(made[topic][what[1]][row, what[2]])) if what[0] == topic else "" for name, what in columns.items()}
            if topic == topics[0]:
                cells["/joint_states/header/stamp"] = f"1700000000.{row * 500000:09d}"
            lines.append([f"{stamp // 1000}.{stamp % 1000:03d}", *(cells[name] for name in names)])
        if row % gap == 0:
            cells = {name: str(row + 0.25 * what[2]) if what[0] == "imu" else "" for name, what in columns.items()}
            lines.append([f"{stamp // 1000}.{stamp % 1000:03d}", *(cells[name] for name in names)])
    path.write_text("\n".join(",".join(line) for line in [["__time", *names], *lines]) + "\n")
    return made


@pytest.mark.parametrize("style", ["index", "before", "after"])
def test_plotjuggler(tmp_path, style):
    file = tmp_path / "export.csv"
    made = plotjuggler(file, rows=600, style=style, gap=4)
    recording, times, values = read(file)
    for name, field in (("qpos", "position"), ("dq", "velocity"), ("tau", "effort")):
        np.testing.assert_array_equal(values[name], made["/joint_states"][field])
        expected = range(12) if style == "index" else [f"arm_{joint}_joint" for joint in range(12)]
        assert channel(recording, name).columns == tuple(str(joint) for joint in expected)
    assert times.tolist() == [(1_700_000_000_000 + row // 2) * 1_000_000 for row in range(600)]
    assert any("300 rows with the time stamp of the row before: kept" in note for note in recording.notes)
    held = np.array([(row - 1) // 4 * 4 for row in range(1, 600)], dtype=float)  # the message comes behind its joint states
    np.testing.assert_array_equal(values["imu_gyro"][1:], held[:, None] + [0, 0.25, 0.5])
    assert np.isnan(values["imu_gyro"][0]).all() and any("imu_gyro (/imu, 5" in note and "2 ms old" in note for note in recording.notes)
    assert "/odom/twist/covariance, 4 columns" in recording.unmapped
    header = read(file, Wishes(clock="header"))[1]
    assert header.tolist() == [1_700_000_000_000_000_000 + row * 500_000 for row in range(600)]


def test_a_map_takes_columns_by_name_or_pattern(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("__time,/a/arm_1/angle,/a/arm_2/angle,/ft[0],/ft[1],/ft[2],/ft[3],/ft[4],/ft[5],/g_0,/g_1,/g_2\n"
                    "1.4,,,3,4,5,6,7,8,,,\n1.5,1,2,,,,,,,9,10,11\n")
    refused(file, "holds no joint positions", "channels.qpos.source")
    wishes = Wishes(channels={"qpos": ChannelWish(source="/a/{joint}/angle"), "wrench_wrist": ChannelWish(source="/ft"),
                              "imu_gyro": ChannelWish(source="/g")})
    recording, times, values = read(file, wishes)
    assert times.tolist() == [1_500_000_000] and channel(recording, "qpos").columns == ("arm_1", "arm_2")
    assert channel(recording, "wrench_wrist").columns == ("fx", "fy", "fz", "tx", "ty", "tz")
    assert values["wrench_wrist"].tolist() == [[3, 4, 5, 6, 7, 8]] and any("100 ms old" in note for note in recording.notes)
    assert channel(recording, "imu_gyro").columns == ("x", "y", "z") and values["imu_gyro"].tolist() == [[9, 10, 11]]
    assert recording.unmapped == []


def test_poses_are_no_joint_states(tmp_path):
    file = tmp_path / "odom.csv"
    file.write_text("__time,/odom/pose/pose/position/x,/odom/pose/pose/position/y,/joint_states/knee/position,/joint_states/hip/position\n"
                    "1.5,1,2,,\n1.6,,,3,4\n")
    recording, _, values = read(file)
    assert channel(recording, "qpos").columns == ("hip", "knee") and values["qpos"].tolist() == [[4, 3]]


def test_topics_of_joint_states_are_asked_for(tmp_path):
    file = tmp_path / "two.csv"
    made = plotjuggler(file, rows=20, topics=("/joint_states", "/left/joint_states"), torques=("/joint_states", "/left/joint_states"))
    refused(file, "holds 2 topics of joint states: /joint_states, /left/joint_states", "--topic /joint_states")
    np.testing.assert_array_equal(read(file, Wishes(topic="left/joint_states"))[2]["tau"], made["/left/joint_states"]["effort"])
    refused(file, "no joint states of a topic '/joint_state'; did you mean '/joint_states'?", wishes=Wishes(topic="/joint_state"))
    made = plotjuggler(file, rows=20, topics=("/joint_states", "/left/joint_states"), torques=("/left/joint_states",))
    recording, _, values = read(file)
    np.testing.assert_array_equal(values["tau"], made["/left/joint_states"]["effort"])
    assert "/joint_states: 20 rows of joint states, without torques" in recording.unmapped


def test_motor_states_of_unitree_in_plotjuggler(tmp_path):
    file = tmp_path / "low.csv"
    names = [f"/lowstate/motor_state[{motor}]/{field}" for motor in (0, 1, 10, 11, 2) for field in ("dq", "q", "tau_est")]
    file.write_text(",".join(["__time", *names, *(f"/lowstate/imu_state/quaternion[{place}]" for place in range(4))]) + "\n" +
                    "".join(f"17.{row},{','.join(str(row + place) for place in range(15))},1,0.1,0.2,0.3\n" for row in range(3)))
    recording, _, values = read(file)
    assert channel(recording, "tau").columns == ("0", "1", "2", "10", "11") and values["tau"][0].tolist() == [2, 5, 14, 8, 11]
    assert values["imu_quat_xyzw"][0].tolist() == [0.1, 0.2, 0.3, 1]


def test_a_plain_csv_is_nobodys(tmp_path):
    file = tmp_path / "plain.csv"
    for text in ("time,a.position,a.effort\n0,1,2\n", "", "\n\n", "q_0 tau_0\n", "t;q\n1;2\n", "\0\1\2", "timestamp,q1,q2\n", "x" * 200000):
        file.write_text(text)
        assert not any(reader.recognises(file) for reader in READERS), text[:20]
    assert not any(reader.recognises(tmp_path / "none.csv") or reader.recognises(tmp_path) for reader in READERS)


def test_a_long_csv_is_read_in_little_memory(tmp_path):
    file = tmp_path / "long.csv"
    rtde(file, 100, ",", ("actual_q", "actual_qd", "actual_current"))
    head, *lines = file.read_text().splitlines(keepends=True)
    body = "".join(lines)
    with file.open("w") as out:
        out.write(head + body * (120_000_000 // len(body)))

    rows, kilobytes = drained("rtde_csv", file)
    assert rows > 100000 and kilobytes < 90_000  # of a file of 120 MB


# --- Unitree ----------------------------------------------------------------------------------------------------------

ARM = ["kLeftShoulderPitch", "kLeftShoulderRoll", "kLeftElbow"]


def teleoperation(path, rows=40, torques=True, cut=None, fps=30.0):
    """As episode_writer.py writes it: entry after entry, and the end of it when the episode is saved."""
    chance = generator()
    made = {name: chance.normal(size=(rows, 3)) for name in ("q", "dq", "tau", "action", "ee")}
    info = {"version": "1.0.0", "image": {"width": 640, "height": 480, "fps": fps},
            "joint_names": {"left_arm": ARM, "left_ee": ["kLeftHandThumb0"], "body": []}, "sim_state": ""}
    with path.open("w", encoding="utf-8") as file:
        file.write('{\n"info": ' + json.dumps(info, indent=4) + ',\n"text": ' + json.dumps({"goal": "Größe"}) + ',\n"data": [\n')
        for row in range(rows):
            state = {"left_arm": {"qpos": made["q"][row].tolist(), "qvel": made["dq"][row].tolist(),
                                  "torque": made["tau"][row].tolist() if torques else []},
                     "left_ee": {"qpos": made["ee"][row].tolist(), "qvel": [], "torque": []}, "body": {"qpos": []}}
            entry = {"idx": row, "colors": {"color_0": f"colors/{row:06d}.jpg"}, "depths": {}, "states": state,
                     "actions": {"left_arm": {"qpos": made["action"][row].tolist(), "qvel": [], "torque": []}}, "tactiles": None}
            file.write((",\n" if row else "") + json.dumps(entry, ensure_ascii=False, indent=4))
        file.write('\n],\n"rewards": {"success": true}\n}')
    if cut:
        path.write_bytes(path.read_bytes()[:cut])
    return made


def test_teleoperation(tmp_path):
    folder = tmp_path / "episode_0001"
    folder.mkdir()
    made = teleoperation(folder / "data.json")
    for path in (folder, folder / "data.json", tmp_path):
        recording, times, values = read(path)
        np.testing.assert_array_equal(values["qpos"], np.hstack((made["q"], made["ee"])))
        np.testing.assert_array_equal(values["tau"], made["tau"])
        np.testing.assert_array_equal(values["target_dof"], made["action"])
        joints = ("left_shoulder_pitch_joint", "left_shoulder_roll_joint", "left_elbow_joint")  # as in Unitree's URDF of the G1
        assert channel(recording, "qpos").columns == (*joints, "left_ee_0", "left_ee_1", "left_ee_2")
        assert channel(recording, "tau").columns == joints
        assert any("kLeftElbow is left_elbow_joint" in note or "kLeftShoulderPitch is" in note for note in recording.notes)
        assert channel(read(path, Wishes(joints={"kLeftElbow": "elbow"}))[0], "tau").columns[2] == "kLeftElbow"  # the map renames it
        assert times.tolist() == [round(fractions.Fraction(row * 10**9, 30)) for row in range(40)]
    assert "info.image.fps" in recording.clock and recording.unmapped == ["colors"]
    (tmp_path / "episode_0002").mkdir()
    teleoperation(tmp_path / "episode_0002" / "data.json", torques=False)
    refused(tmp_path, "holds 2 episodes: episode_0001, episode_0002", "--episode episode_0001")
    recording, _, values = read(tmp_path, Wishes(episode="2"))
    assert "tau" not in values and "no torques: states.*.torque is empty" in recording.notes


def test_a_teleoperation_that_is_cut_off_is_read_up_to_there(tmp_path):
    file = tmp_path / "data.json"
    whole = teleoperation(file)
    size, lengths = file.stat().st_size, set()
    for cut in range(900, size - 60, 977):
        teleoperation(file, cut=cut)
        try:
            recording, times, values = read(file)
        except FormatError as error:
            assert "holds no complete entry" in str(error) or "up to its data" in str(error)
            continue
        np.testing.assert_array_equal(values["tau"], whole["tau"][:len(times)])
        assert any("cut off at character" in note and "before it are read" in note for note in recording.notes)
        lengths.add(len(times))
    assert len(lengths) > 20
    teleoperation(file, fps="fast")
    refused(file, "info.image.fps is 'fast', no rate; give --rate")
    assert len(read(file, Wishes(rate=25.0))[1]) == 40
    file.write_text('{"info": {"joint_names": {}}, "data": ' + "[" * 100000)
    refused(file, "holds no complete entry")


# --- damage of all kinds ----------------------------------------------------------------------------------------------


def survives(path, wishes):
    """Bytes that were changed make a recording, or a FormatError of one line, or a file that is nobody's."""
    for reader in READERS:
        if reader.recognises(path):
            try:
                for block in reader.open_recording(path, wishes).blocks():
                    assert all(len(array) == len(block.time) for array in block.values.values())
            except FormatError as error:
                assert "\n" not in str(error) and len(str(error)) < 1500


def test_changed_bytes_are_no_crash(tmp_path):
    h5py = needs.package("h5py")
    chance = np.random.default_rng(SEED)
    lerobot_dataset(tmp_path / "set", "v3.0", episodes=1, steps=5)
    robomimic(h5py, tmp_path / "a.hdf5", steps=4)
    aloha(h5py, tmp_path / "b.hdf5", steps=4)
    rtde(tmp_path / "r.csv", 4)
    libfranka(tmp_path / "f.csv", 3)
    plotjuggler(tmp_path / "p.csv", 3)
    teleoperation(tmp_path / "data.json", 2)
    files = [tmp_path / name for name in ("a.hdf5", "b.hdf5", "r.csv", "f.csv", "p.csv", "data.json")]
    files += [tmp_path / "set" / name for name in ("meta/info.json", "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet")]
    for file in files:
        whole = file.read_bytes()
        for _ in range(30):
            file.write_bytes(mutated(whole, chance))
            survives(tmp_path / "set" if "set" in file.parts[-4:] else file, Wishes(rate=10.0))
        file.write_bytes(whole)


def mutated(whole, chance):
    changed = bytearray(whole)
    for _ in range(int(chance.integers(1, 8))):
        at = int(chance.integers(len(changed)))
        changed[at] = int(chance.integers(256))
    if chance.random() < 0.3:
        del changed[int(chance.integers(len(changed))):]
    return bytes(changed)


def test_a_missing_library_is_one_line(tmp_path, monkeypatch):
    import sys

    file = tmp_path / "a.hdf5"
    file.write_bytes(b"\x89HDF\r\n\x1a\n")
    monkeypatch.setitem(sys.modules, "h5py", None)
    refused(file, "needs the Python package h5py; pip install 'antaeus[logs]'")




@pytest.mark.parametrize("name, joint", [
    ("wrist_roll.pos", True), ("left_hip_pitch.pos", True), ("waist_yaw", True), ("neck_yaw.vel", True), ("hip_x.pos", True),
    ("x", False), ("roll", False), ("ee.x", False), ("ee.roll.pos", False), ("left_tcp_pose.qx", False), ("eef_pos_y", False),
    ("delta_x", False), ("r11", False)])
def test_a_lerobot_joint_may_be_called_roll_pitch_or_yaw(name, joint):
    from antaeus.formats import lerobot

    assert (lerobot._NO_JOINT.fullmatch(name) is None) == joint


def test_teleoperation_with_texts_among_its_numbers(tmp_path):
    """They are empty, and told: a robot's own log writes null or NaN where a motor did not answer."""
    made = teleoperation(tmp_path / "data.json", 5)
    text = json.loads((tmp_path / "data.json").read_text())
    text["data"][1]["states"]["left_arm"]["qpos"][0] = "none"
    text["data"][3]["states"]["left_arm"]["torque"] = [None, float("nan"), 1.0]
    (tmp_path / "data.json").write_text(json.dumps(text))
    recording, _, values = read(tmp_path / "data.json")
    assert np.isnan(values["qpos"][1, 0]) and np.array_equal(values["qpos"][[0, 2, 3, 4], :3], made["q"][[0, 2, 3, 4]])
    assert "3 numbers that are none (text, null or NaN): left empty" in recording.notes
