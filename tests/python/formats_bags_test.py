"""Bags of ROS 1 and ROS 2 and MCAP, written by the formats' own libraries, against the numbers that were written."""

import json
import os
import sqlite3
import struct

import needs
import numpy as np
import pytest
from support import generator

for library in ("rosbags", "mcap", "mcap_protobuf", "foxglove_schemas_protobuf"):
    needs.package(library)

from antaeus.formats import bags
from antaeus.formats.recording import ChannelWish, FormatError, Wishes
from foxglove_schemas_protobuf.JointState_pb2 import JointState
from foxglove_schemas_protobuf.JointStates_pb2 import JointStates
from mcap.writer import CompressionType, Writer as McapWriter
from mcap_protobuf.writer import Writer as ProtobufWriter
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

STORES = {1: get_typestore(Stores.ROS1_NOETIC), 2: get_typestore(Stores.ROS2_HUMBLE)}
NAMES = ["shoulder", "elbow", "wrist 1", "gripper"]
START, STEP, LAG = 1_700_000_000_123_456_789, 8_000_001, 700_011
ROWS = 150
KINDS = ["bag", "bag bz2", "bag lz4", "db3", "db3 message", "db3 file", "mcap", "mcap message", "mcap loose", "mcap lz4", "mcap zstd"]


class Messages:
    """Makes messages of ROS 1 or 2 and their bytes."""

    def __init__(self, ros):
        self.ros, self.store = ros, STORES[ros]

    def header(self, stamp, frame="base"):
        kinds = self.store.types
        moment = kinds["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9)
        return kinds["std_msgs/msg/Header"](**({"seq": 0} if self.ros == 1 else {}), stamp=moment, frame_id=frame)

    def bytes(self, message):
        write = self.store.serialize_ros1 if self.ros == 1 else self.store.serialize_cdr
        return bytes(write(message, message.__msgtype__))

    def joints(self, stamp, names, *numbers, frame="base"):
        made = self.store.types["sensor_msgs/msg/JointState"](self.header(stamp, frame), list(names), *(np.array(n, float) for n in numbers))
        return "sensor_msgs/msg/JointState", self.bytes(made)

    def imu(self, stamp, quaternion, gyro, acc, given=True):
        kinds, nine = self.store.types, np.zeros(9)
        vector = kinds["geometry_msgs/msg/Vector3"]
        covariance = nine.copy()
        covariance[0] = 0 if given else -1
        made = kinds["sensor_msgs/msg/Imu"](self.header(stamp), kinds["geometry_msgs/msg/Quaternion"](*quaternion), covariance, vector(*gyro),
                                            nine, vector(*acc), nine)
        return "sensor_msgs/msg/Imu", self.bytes(made)

    def wrench(self, stamp, numbers):
        kinds = self.store.types
        vector = kinds["geometry_msgs/msg/Vector3"]
        inner = kinds["geometry_msgs/msg/Wrench"](vector(*numbers[:3]), vector(*numbers[3:]))
        return "geometry_msgs/msg/WrenchStamped", self.bytes(kinds["geometry_msgs/msg/WrenchStamped"](self.header(stamp), inner))

    def text(self, text):
        return "std_msgs/msg/String", self.bytes(self.store.types["std_msgs/msg/String"](text))


def ros(kind):
    return 1 if kind.startswith("bag") else 2


def write(path, kind, stream):
    """A file or folder of `kind` of (topic, time, (type, bytes)). Gives its path."""
    store = STORES[ros(kind)]
    first, _, how = kind.partition(" ")
    if first == "mcap" and how not in ("", "message"):
        path = path.with_suffix(".mcap")
        with path.open("wb") as file:
            compression = {"lz4": CompressionType.LZ4, "zstd": CompressionType.ZSTD}.get(how, CompressionType.NONE)
            writer = McapWriter(file, compression=compression, use_chunking=how != "loose", chunk_size=20_000)
            writer.start(profile="ros2")
            channels = {}
            for topic, moment, (name, data) in stream:
                if topic not in channels:
                    text = store.generate_msgdef(name, ros_version=2)[0].encode()
                    channels[topic] = writer.register_channel(topic, "cdr", writer.register_schema(name, "ros2msg", text))
                writer.add_message(channels[topic], moment, data, moment)
            writer.finish()
        return path
    if first == "bag":
        path = path.with_suffix(".bag")
        writer = Writer1(path)
        if how:
            writer.set_compression(getattr(Writer1.CompressionFormat, how.upper()))
    else:
        writer = Writer2(path, version=8, storage_plugin=StoragePlugin.MCAP if first == "mcap" else StoragePlugin.SQLITE3)
        if how:
            writer.set_compression(getattr(CompressionMode, how.upper()), CompressionFormat.ZSTD)
    with writer:
        connections = {}
        for topic, moment, (name, data) in stream:
            if (topic, name) not in connections:
                connections[topic, name] = writer.add_connection(topic, name, typestore=store)
            writer.write(connections[topic, name], moment, data)
    return path


def read(path, **wishes):
    """The recording and its rows as one: times and values by channel."""
    recording = bags.open_recording(path, Wishes(**wishes))
    blocks = list(recording.blocks())
    assert all(set(block.values) == {channel.name for channel in recording.channels} for block in blocks)
    names = [channel.name for channel in recording.channels]
    times = np.concatenate([block.time for block in blocks]) if blocks else np.zeros(0, np.int64)
    return recording, times, {name: np.concatenate([block.values[name] for block in blocks]) for name in names} if blocks else {}


def channel(recording, name):
    return next(channel for channel in recording.channels if channel.name == name)


def held(times, sample_times, samples):
    """By a loop: the latest sample at or before each time."""
    out = np.full((len(times), samples.shape[1]), np.nan)
    for i, moment in enumerate(times):
        before = [k for k, sample in enumerate(sample_times) if sample <= moment]
        if before:
            out[i] = samples[before[-1]]
    return out


def arm(chance, rows=ROWS):
    return {name: chance.normal(size=(rows, len(NAMES))) for name in ("qpos", "dq", "tau")}


def arm_stream(messages, values, topic="/joint_states", shuffle=None, stamp=lambda row: START + STEP * row):
    for row in range(len(values["qpos"])):
        order = shuffle.permutation(len(NAMES)) if shuffle is not None else np.arange(len(NAMES))
        yield topic, START + STEP * row + LAG, messages.joints(
            stamp(row), [NAMES[i] for i in order], *(values[name][row, order] for name in ("qpos", "dq", "tau")),
            frame="base" if row % 3 else "a longer frame")


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_that_were_written_by_name_and_to_the_nanosecond(kind, tmp_path):
    chance, messages = generator(), Messages(ros(kind))
    values, others = arm(chance), chance.normal(size=(ROWS // 2, 16))
    stream = list(arm_stream(messages, values, shuffle=chance))
    stamps = START + 2 * STEP * np.arange(ROWS // 2) + 1_234
    for stamp, row in zip(stamps.tolist(), others, strict=True):
        stream.append(("/imu", stamp + LAG, messages.imu(stamp, row[:4], row[4:7], row[7:10])))
        stream.append(("/left/ft", stamp + LAG, messages.wrench(stamp, row[10:])))
    stream.append(("/robot_description", START, messages.text("<robot name='r'/>")))
    path = write(tmp_path / "log", kind, sorted(stream, key=lambda entry: entry[1]))
    assert bags.recognises(path)
    recording, times, found = read(path)
    assert np.array_equal(times, START + STEP * np.arange(ROWS))
    assert recording.clock == "header stamps of /joint_states"
    for name, expected in values.items():
        columns = channel(recording, name).columns
        assert sorted(columns) == sorted(NAMES)
        assert np.array_equal(found[name], expected[:, [NAMES.index(column) for column in columns]])
    for name, part in {"imu_quat_xyzw": slice(0, 4), "imu_gyro": slice(4, 7), "imu_acc": slice(7, 10), "wrench_left_ft": slice(10, 16)}.items():
        assert np.array_equal(found[name], held(times, stamps, others[:, part]), equal_nan=True)
    assert channel(recording, "tau").unit == "unknown" and channel(recording, "qpos").unit == "rad"
    assert any("/imu: 62.5 a second, held" in note for note in recording.notes)
    assert recording.description() == "<robot name='r'/>"
    assert recording.done() == recording.bytes > 0
    again = read(path, clock="receiver")
    assert np.array_equal(again[1], START + STEP * np.arange(ROWS) + LAG) and again[0].clock == "receiver"


@pytest.mark.parametrize("kind", ["bag", "db3", "mcap loose"])
def test_topics_that_were_written_one_after_another_are_held_all_the_same(kind, tmp_path):
    chance, messages = generator(), Messages(ros(kind))
    values, wrenches = arm(chance), chance.normal(size=(ROWS, 6))
    stream = list(arm_stream(messages, values))
    stream += [("/ft", START + STEP * row, messages.wrench(START + STEP * row, wrenches[row])) for row in range(ROWS)]
    _, _, found = read(write(tmp_path / "log", kind, stream))
    assert np.array_equal(found["wrench_ft"], wrenches)


@pytest.mark.parametrize("encoding", ["protobuf", "json", "ros1", "idl", "own type"])
def test_mcap_of_other_encodings(encoding, tmp_path):
    chance = generator()
    values = arm(chance, 60)
    path = tmp_path / "log.mcap"
    with path.open("wb") as file:
        if encoding == "protobuf":
            writer = ProtobufWriter(file)
            for row in range(60):
                message = JointStates(joints=[JointState(name=NAMES[i], position=values["qpos"][row, i], velocity=values["dq"][row, i],
                                                         effort=values["tau"][row, i]) for i in chance.permutation(4)])
                message.timestamp.FromNanoseconds(START + STEP * row)
                writer.write_message("/joints", message, START + row, START + row)
        else:
            writer = McapWriter(file, compression=CompressionType.NONE)
            writer.start()
            if encoding == "json":
                channel_number = writer.register_channel("/joints", "json", writer.register_schema("sensor_msgs/JointState", "jsonschema", b"{}"))
            elif encoding == "ros1":
                text = STORES[1].generate_msgdef("sensor_msgs/msg/JointState", ros_version=1)[0].encode()
                channel_number = writer.register_channel("/joints", "ros1", writer.register_schema("sensor_msgs/JointState", "ros1msg", text))
            elif encoding == "own type":
                text = "builtin_interfaces/Time stamp\nstring[] joint_names\nfloat32 age\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
                channel_number = writer.register_channel("/joints", "cdr", writer.register_schema("mine/msg/Joints", "ros2msg", text.encode()))
            else:
                text = ("module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; }; }; };\n"
                        "module std_msgs { module msg { struct Header { builtin_interfaces::msg::Time stamp; string frame_id; }; }; };\n"
                        "module sensor_msgs { module msg { struct JointState { std_msgs::msg::Header header; sequence<string> name; "
                        "sequence<double> position; sequence<double> velocity; sequence<double> effort; }; }; };")
                channel_number = writer.register_channel("/joints", "cdr", writer.register_schema("sensor_msgs/msg/JointState", "ros2idl", text.encode()))
            for row in range(60):
                numbers, stamp = [values[name][row] for name in ("qpos", "dq", "tau")], START + STEP * row
                if encoding == "json":
                    data = json.dumps({"header": {"stamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9}}, "name": NAMES,
                                       **dict(zip(("position", "velocity", "effort"), map(np.ndarray.tolist, numbers), strict=True))}).encode()
                elif encoding == "own type":
                    data = own_type(stamp, numbers)
                else:
                    data = Messages(1 if encoding == "ros1" else 2).joints(stamp, NAMES, *numbers)[1]
                writer.add_message(channel_number, START + row, data, START + row)
        writer.finish()
    recording, times, found = read(path)
    assert np.array_equal(times, START + STEP * np.arange(60))
    for name, expected in values.items():
        assert np.array_equal(found[name], expected[:, [NAMES.index(column) for column in channel(recording, name).columns]])
    assert channel(recording, "tau").unit == ("N·m" if encoding == "protobuf" else "unknown")


def own_type(stamp, numbers):
    store = get_typestore(Stores.ROS2_HUMBLE)
    store.register(get_types_from_msg("builtin_interfaces/Time stamp\nstring[] joint_names\nfloat32 age\nfloat64[] position\nfloat64[] velocity\n"
                                      "float64[] effort", "mine/msg/Joints"))
    kind = store.types["mine/msg/Joints"]
    moment = store.types["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9)
    return bytes(store.serialize_cdr(kind(moment, NAMES, 0.5, *numbers), "mine/msg/Joints"))


def lowstate(family, chance, rows):
    """A store with Unitree's types, and messages of random numbers with 12 motors that move."""
    from antaeus.formats.bag_messages import BUILT_IN

    store = get_typestore(Stores.ROS2_HUMBLE)
    name = f"unitree_{family}/msg/LowState"
    store.register(get_types_from_msg(BUILT_IN[name][0], name))
    kinds, count = store.types, 35 if family == "hg" else 20
    values = {key: np.zeros((rows, count), np.float32) for key in ("qpos", "dq", "tau")}
    for array in values.values():
        array[:, :12] = chance.normal(size=(rows, 12))
    imu = chance.normal(size=(rows, 10)).astype(np.float32)
    datas = []
    for row in range(rows):
        more = ({"temperature": np.zeros(2, np.int16), "vol": 1.0, "sensor": np.zeros(2, np.uint32), "motorstate": 0, "reserve": np.zeros(4, np.uint32)}
                if family == "hg" else {"q_raw": 0.0, "dq_raw": 0.0, "ddq_raw": 0.0, "temperature": 3, "lost": 0, "reserve": np.zeros(2, np.uint32)})
        motors = [kinds[f"unitree_{family}/msg/MotorState"](
            mode=1, q=values["qpos"][row, i], dq=values["dq"][row, i], ddq=0.0, tau_est=values["tau"][row, i], **more) for i in range(count)]
        state = kinds[f"unitree_{family}/msg/IMUState"](imu[row, :4], imu[row, 4:7], imu[row, 7:], np.zeros(3, np.float32), 20)
        common = {"version": np.zeros(2, np.uint32), "tick": row, "imu_state": state, "motor_state": motors,
                  "wireless_remote": np.zeros(40, np.uint8), "crc": 0}
        if family == "hg":
            message = kinds[name](mode_pr=0, mode_machine=5, reserve=np.zeros(4, np.uint32), **common)
        else:
            battery = kinds["unitree_go/msg/BmsState"](1, 1, 1, 1, 1, 1, np.zeros(2, np.int8), np.zeros(2, np.int8), np.zeros(15, np.uint16))
            message = kinds[name](head=np.zeros(2, np.uint8), level_flag=0, frame_reserve=0, sn=np.zeros(2, np.uint32), bandwidth=0,
                                  bms_state=battery, foot_force=np.zeros(4, np.int16), foot_force_est=np.zeros(4, np.int16), bit_flag=0, adc_reel=0.0,
                                  temperature_ntc1=0, temperature_ntc2=0, power_v=0.0, power_a=0.0, fan_frequency=np.zeros(4, np.uint16), reserve=0,
                                  **common)
        datas.append(bytes(store.serialize_cdr(message, name)))
    return store, name, values, imu, datas


@pytest.mark.parametrize("family", ["hg", "go"])
def test_unitrees_low_state_without_its_definition(family, tmp_path):
    store, name, values, imu, datas = lowstate(family, generator(), 40)
    path = tmp_path / "log"
    with Writer2(path, version=8) as writer:
        connection = writer.add_connection("/lowstate", name, typestore=store)
        for row, data in enumerate(datas):
            writer.write(connection, START + STEP * row, data)
    base = sqlite3.connect(next(path.glob("*.db3")))  # as older recorders leave it
    base.execute("DELETE FROM message_definitions")
    base.commit()
    base.close()
    recording, times, found = read(path)
    assert np.array_equal(times, START + STEP * np.arange(40)) and recording.clock == "receiver"
    for key, expected in values.items():
        legs = [f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in ("hip", "thigh", "calf")]
        assert list(channel(recording, key).columns) == (legs if family == "go" else list(map(str, range(12))))
        assert np.array_equal(found[key], expected[:, :12].astype(float))
    assert np.array_equal(found["imu_quat_xyzw"], imu[:, [1, 2, 3, 0]].astype(float))
    assert np.array_equal(found["imu_gyro"], imu[:, 4:7].astype(float)) and np.array_equal(found["imu_acc"], imu[:, 7:].astype(float))
    assert channel(recording, "tau").unit == "N·m" and channel(recording, "tau").stage == "estimated"
    notes = "\n".join(recording.notes)
    assert "w x y z" in notes and ("order of Unitree's quadrupeds" if family == "go" else "robot's order of motors") in notes and "no header stamps" in notes and "are left out" in notes


def test_a_bag_of_an_old_schema_and_big_endian_messages(tmp_path):
    values, messages = arm(generator(), 30), Messages(2)
    base = sqlite3.connect(tmp_path / "old.db3")
    base.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)")
    base.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
    base.execute("INSERT INTO topics VALUES(1, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr')")
    for row in range(30):
        made = messages.store.types["sensor_msgs/msg/JointState"](messages.header(START + STEP * row), NAMES, *(values[n][row] for n in ("qpos", "dq")),
                                                                  values["tau"][row])
        data = bytes(messages.store.serialize_cdr(made, "sensor_msgs/msg/JointState", little_endian=row % 2 == 0))
        base.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)", (START + STEP * row, data))
    base.commit()
    base.close()
    _, times, found = read(tmp_path / "old.db3")
    assert np.array_equal(times, START + STEP * np.arange(30))
    assert all(np.array_equal(found[name], values[name]) for name in values)


def test_messages_that_name_different_joints(tmp_path):
    chance, messages = generator(), Messages(2)
    arms, grips = chance.normal(size=(60, 3)), chance.normal(size=(30, 1))
    stream, grip_times = [], []
    for row in range(60):
        stream.append(("/joint_states", START + STEP * row, messages.joints(START + STEP * row, NAMES[:3], arms[row], [], -arms[row])))
        if row % 2:
            grip_times.append(START + STEP * row + 1000)
            stream.append(("/joint_states", grip_times[-1], messages.joints(grip_times[-1], NAMES[3:], grips[row // 2], [], [])))
    recording, times, found = read(write(tmp_path / "log", "db3", stream))
    assert len(times) == 60 and channel(recording, "qpos").columns == tuple(NAMES)
    assert np.array_equal(found["qpos"][:, :3], arms) and np.array_equal(found["tau"][:, :3], -arms)
    assert np.array_equal(found["qpos"][:, 3:], held(times, grip_times, grips), equal_nan=True)
    assert "dq" not in found and any("held on them" in note for note in recording.notes)
    partial = [("/joint_states", START + row, messages.joints(START + row, NAMES[:3 - row % 2], arms[row][:3 - row % 2], [], [])) for row in range(60)]
    recording, times, found = read(write(tmp_path / "partial", "mcap", partial))
    assert len(times) == 60 and np.array_equal(np.isnan(found["qpos"][:, 2]), np.arange(60) % 2 == 1)
    assert np.array_equal(found["qpos"][:, :2], arms[:, :2]) and any("NaN" in note for note in recording.notes)


def test_efforts_that_are_short_infinite_or_absent(tmp_path):
    messages = Messages(1)
    stream = []
    for row in range(20):
        effort = [1.0, 2.0, 3.0] if row == 3 else [np.inf] * 4 if row == 5 else [np.nan] * 4 if row == 6 else [1.0] * 4
        stream.append(("/j", START + row, messages.joints(START + row, NAMES, [0.5] * 4, [], effort)))
    recording, _, found = read(write(tmp_path / "log", "bag", stream))
    assert np.isnan(found["tau"][3, 3]) and found["tau"][3, 2] == 3 and np.isnan(found["tau"][5:7]).all() and np.isfinite(found["tau"][7:]).all()
    notes = "\n".join(recording.notes)
    assert "1 arrays had fewer numbers" in notes and "1 rows held infinite" in notes


@pytest.mark.parametrize(("stamp", "why"), [(lambda row: 0, "all zero"), (lambda row: START, "all the same"),
                                            (lambda row: START + STEP * (row if row < 40 else row - 40), "backwards")])
def test_header_stamps_that_are_no_clock_give_way_to_the_receivers(stamp, why, tmp_path):
    path = write(tmp_path / "log", "db3", arm_stream(Messages(2), arm(generator()), stamp=stamp))
    recording, times, _ = read(path)
    assert recording.clock == "receiver" and np.array_equal(times, START + STEP * np.arange(ROWS) + LAG)
    assert any(why in note for note in recording.notes)
    with pytest.raises(FormatError, match=f"{why}.*--clock receiver"):
        bags.open_recording(path, Wishes(clock="header"))


def test_clocks_are_not_merged(tmp_path):
    chance, messages = generator(), Messages(2)
    stream = list(arm_stream(messages, arm(chance)))
    stream += [("/imu", START + STEP * row, messages.imu(5 + STEP * row, [0, 0, 0, 1], [1, 2, 3], [0, 0, 9.8])) for row in range(ROWS)]
    path = write(tmp_path / "log", "mcap", stream)
    recording, _, found = read(path)
    assert "imu_gyro" not in found and any("another clock" in line for line in recording.unmapped)
    assert "imu_gyro" in read(path, clock="receiver")[2]


def test_an_imu_without_orientation_and_what_is_not_read_is_listed(tmp_path):
    chance, messages = generator(), Messages(2)
    stream = list(arm_stream(messages, arm(chance)))
    stream += [("/imu", START + STEP * row, messages.imu(START + STEP * row, [0, 0, 0, 1], [1, 2, 3], [0, 0, 9.8], given=False)) for row in range(5)]
    layout = messages.store.types["std_msgs/msg/MultiArrayLayout"]([], 0)
    array = messages.bytes(messages.store.types["std_msgs/msg/Float64MultiArray"](layout, np.array([0.1, 0.2, 0.3, 0.4])))
    stream += [("/commands", START + STEP * row + LAG, ("std_msgs/msg/Float64MultiArray", array)) for row in range(9)]
    path = write(tmp_path / "log", "db3", stream)
    recording, _, found = read(path)
    assert "imu_quat_xyzw" not in found and np.array_equal(found["imu_gyro"][-1], [1, 2, 3])
    assert "/commands std_msgs/msg/Float64MultiArray, 9 messages" in recording.unmapped
    assert any("there is no orientation" in line for line in recording.unmapped)
    wish = {"target_dof": ChannelWish(source="/commands data")}
    recording, _, found = read(path, channels=wish, clock="receiver")
    assert np.array_equal(found["target_dof"][-1], [0.1, 0.2, 0.3, 0.4]) and channel(recording, "target_dof").stage == "commanded"
    with pytest.raises(FormatError, match="did you mean '/commands'"):
        bags.open_recording(path, Wishes(channels={"target_dof": ChannelWish(source="/comands data")}))
    assert "imu_gyro" not in read(path, ignore=("/imu",))[2]


def test_two_topics_that_could_be_meant(tmp_path):
    chance, messages = generator(), Messages(2)
    one, other = arm(chance), arm(chance)
    stream = [*arm_stream(messages, one, "/left/joint_states"), *arm_stream(messages, other, "/right/joint_states")]
    path = write(tmp_path / "log", "db3", stream)
    with pytest.raises(FormatError, match=r"/left/joint_states.*/right/joint_states.*--topic") as error:
        bags.open_recording(path, Wishes())
    assert "\n" not in str(error.value)
    _, _, found = read(path, topic="/right/joint_states")
    assert np.array_equal(found["tau"], other["tau"])
    with pytest.raises(FormatError, match="did you mean '/left/joint_states'"):
        bags.open_recording(path, Wishes(topic="/left/joint_state"))
    commands = [("/commands", START + row, messages.joints(START + row, NAMES, [0.0] * 4, [], [])) for row in range(5)]
    recording, _, found = read(write(tmp_path / "one", "db3", [*arm_stream(messages, one), *commands]))
    assert np.array_equal(found["tau"], one["tau"]) and any("/commands" in line and "without torques" in line for line in recording.unmapped)


def test_a_controllers_reference(tmp_path):
    from antaeus.formats.bag_messages import BUILT_IN

    chance, messages = generator(), Messages(2)
    values, targets = arm(chance), chance.normal(size=(ROWS, 4))
    for form in (0, 1):
        store, name = get_typestore(Stores.ROS2_HUMBLE), "control_msgs/msg/JointTrajectoryControllerState"
        store.register(get_types_from_msg(BUILT_IN[name][form], name))
        kinds = store.types
        path = tmp_path / f"log{form}"
        with Writer2(path, version=8) as writer:
            joints = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
            states = writer.add_connection("/arm_controller/state", name, typestore=store)
            for row, (_, moment, (_, data)) in enumerate(arm_stream(messages, values)):
                writer.write(joints, moment, data)
                points = [kinds["trajectory_msgs/msg/JointTrajectoryPoint"](
                    numbers, np.zeros(0), np.zeros(0), np.zeros(0), kinds["builtin_interfaces/msg/Duration"](0, 0))
                    for numbers in (targets[row], *[np.zeros(4)] * (3 - form))]
                state = kinds[name](messages.header(START + STEP * row), NAMES[::-1], *points)
                writer.write(states, moment, bytes(store.serialize_cdr(state, name)))
        base = sqlite3.connect(next(path.glob("*.db3")))
        base.execute("DELETE FROM message_definitions")
        base.commit()
        base.close()
        recording, _, found = read(path)
        assert channel(recording, "target_dof").columns == tuple(NAMES[::-1]) and np.array_equal(found["target_dof"], targets)


def test_foxgloves_states_in_json_and_a_protobuf_type_of_ones_own(tmp_path):
    values = arm(generator(), 20)
    path = tmp_path / "json.mcap"
    with path.open("wb") as file:
        writer = McapWriter(file)
        writer.start()
        schema = json.dumps({"type": "object", "properties": {
            "timestamp": {"type": "object"}, "joints": {"type": "array", "items": {"type": "object"}}}}).encode()
        number = writer.register_channel("/joints", "json", writer.register_schema("foxglove.JointStates", "jsonschema", schema))
        for row in range(20):
            stamp = START + STEP * row
            joints = [{"name": NAMES[i], "position": values["qpos"][row, i], "velocity": values["dq"][row, i], "effort": values["tau"][row, i]}
                      for i in range(4)]
            data = {"timestamp": {"sec": stamp // 10**9, "nsec": stamp % 10**9}, "joints": joints}
            text = json.dumps(data).replace("Infinity", "1e400") if row else json.dumps(data).replace(str(values["tau"][0, 0]), "1e400")
            writer.add_message(number, START + row, text.encode(), START + row)
        writer.finish()
    recording, times, found = read(path)
    assert np.array_equal(times, START + STEP * np.arange(20)) and np.array_equal(found["qpos"], values["qpos"])
    assert np.isnan(found["tau"][0, 0]) and np.array_equal(found["tau"][1:], values["tau"][1:]) and channel(recording, "tau").unit == "N·m"
    assert any("1 rows held infinite" in note for note in recording.notes)

    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    description = descriptor_pb2.FileDescriptorProto(name="mine.proto", package="mine", syntax="proto3")
    message = description.message_type.add(name="States")
    for place, (name, kind, label) in enumerate([("name", 9, 3), ("position", 1, 3), ("effort", 2, 3), ("count", 5, 1)], 1):
        message.field.add(name=name, number=place, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(description) if hasattr(pool, "Add") else pool.AddSerializedFile(description.SerializeToString())
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("mine.States"))
    path = tmp_path / "own.mcap"
    with path.open("wb") as file:
        writer = ProtobufWriter(file)
        for row in range(20):
            writer.write_message("/own", made(name=NAMES, position=values["qpos"][row], effort=values["tau"][row], count=row * 1000), START + row, START + row)
        writer.finish()
    recording, times, found = read(path)
    assert recording.clock == "receiver" and np.array_equal(times, START + np.arange(20)) and np.array_equal(found["qpos"], values["qpos"])
    assert np.array_equal(found["tau"], values["tau"].astype(np.float32).astype(float))


def test_a_map_names_topics_and_fields(tmp_path):
    chance, messages = generator(), Messages(1)
    one, other = arm(chance), arm(chance)
    stream = [*arm_stream(messages, one, "/a"), *arm_stream(messages, other, "/b")]
    stream += [("/ft", START + STEP * row, messages.wrench(START + STEP * row, np.arange(6.0) + row)) for row in range(ROWS)]
    for name, turn in (("imu_1", 1), ("imu_2", 2)):
        stream += [(f"/{name}", START + STEP * row, messages.imu(START + STEP * row, [0, 0, 0, 1], [turn, 0, 0], [0, 0, 9.8])) for row in range(ROWS)]
    path = write(tmp_path / "log", "bag lz4", stream)
    recording, _, found = read(path, channels={"qpos": ChannelWish(source="/a position"), "tau": ChannelWish(source="/b effort"),
                                               "imu_gyro": ChannelWish(source="/imu_2 angular_velocity"),
                                               "wrench_hand": ChannelWish(source="/ft wrench")}, ignore=("/a velocity",))
    assert np.array_equal(found["qpos"], one["qpos"]) and np.array_equal(found["tau"], other["tau"]) and "dq" not in found
    assert np.array_equal(found["imu_gyro"][:, 0], np.full(ROWS, 2.0)) and np.array_equal(found["wrench_hand"], np.arange(6) + np.arange(ROWS)[:, None])
    assert channel(recording, "tau").source == "/b effort"
    _, _, found = read(path, topic="/b")
    assert "imu_gyro" not in found and np.array_equal(found["qpos"], other["qpos"])
    with pytest.raises(FormatError, match="channels.tau.source: /ft effort"):
        read(path, topic="/a", channels={"tau": ChannelWish(source="/ft effort")})
    with pytest.raises(FormatError, match="holds no joint states; joint states are in /a, /b"):
        read(path, topic="/ft")


def test_a_franka_state_beside_joint_states(tmp_path):
    chance, messages = generator(), Messages(2)
    values, torques = arm(chance), chance.normal(size=(ROWS, 7))
    text = "std_msgs/Header header\nfloat64[7] tau_J\nfloat64[7] q\nfloat64[7] dq\nfloat64[16] O_T_EE"
    store = get_typestore(Stores.ROS2_HUMBLE)
    store.register(get_types_from_msg(text, "franka_msgs/msg/FrankaState"))
    kind = store.types["franka_msgs/msg/FrankaState"]
    for with_joints in (True, False):
        path = tmp_path / f"log_{with_joints}"
        with Writer2(path, version=9) as writer:
            states = writer.add_connection("/franka_states", "franka_msgs/msg/FrankaState", typestore=store)
            joints = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store) if with_joints else None
            for row, (_, moment, (_, data)) in enumerate(arm_stream(messages, values)):
                state = kind(messages.header(START + STEP * row), torques[row], 2 * torques[row], 3 * torques[row], np.zeros(16))
                writer.write(states, moment, bytes(store.serialize_cdr(state, "franka_msgs/msg/FrankaState")))
                if joints is not None:
                    writer.write(joints, moment, data)
        recording, _, found = read(path)
        if with_joints:
            assert np.array_equal(found["tau"], values["tau"]) and any("/franka_states" in line for line in recording.unmapped)
            recording, _, found = read(path, channels={"tau": ChannelWish(source="/franka_states tau_J")})
        assert np.array_equal(found["tau"], torques)
        assert channel(recording, "tau").columns == tuple("0123456")
    assert np.array_equal(found["qpos"], 2 * torques) and channel(recording, "tau").unit == "N·m"


@pytest.mark.parametrize("kind", ["bag", "mcap lz4"])
def test_a_file_that_is_cut_off_in_its_first_chunk_says_so(kind, tmp_path):
    path = write(tmp_path / "log", kind, arm_stream(Messages(ros(kind)), arm(generator())))
    cut = tmp_path / ("cut" + path.suffix)
    cut.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(FormatError, match="no topic can be read: .*cut off|no topic can be read: .*not closed"):
        bags.open_recording(cut, Wishes())


# ---- Files that are not whole ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", ["bag", "bag lz4", "mcap loose", "mcap lz4", "mcap zstd"])
def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(kind, tmp_path):
    values = arm(generator(), 400)
    path = write(tmp_path / "log", kind, arm_stream(Messages(ros(kind)), values))
    whole = path.read_bytes()
    cut = tmp_path / ("cut" + path.suffix)
    if kind.startswith("bag"):  # one chunk only: cut behind it
        cut.write_bytes(whole[:struct.unpack("<Q", whole[whole.index(b"index_pos=") + 10:][:8])[0] + 40])
    else:
        cut.write_bytes(whole[:len(whole) * 2 // 3])
    recording, times, found = read(cut)
    assert 0 < len(times) <= 400 and np.array_equal(times, START + STEP * np.arange(len(times)))
    assert np.array_equal(found["tau"], values["tau"][:len(times)])
    assert any("read from the start" in note and "bytes" in note for note in recording.notes)
    cut.write_bytes(whole[:30])
    with pytest.raises(FormatError):
        read(cut)


def test_a_bag_that_is_being_written(tmp_path):
    values = arm(generator(), 30)
    path = write(tmp_path / "log", "db3", arm_stream(Messages(2), values))
    (path / "metadata.yaml").unlink()
    file = next(path.glob("*.db3"))
    base = sqlite3.connect(file)
    base.execute("PRAGMA journal_mode=WAL")
    (data,) = base.execute("SELECT data FROM messages WHERE id = 1").fetchone()
    base.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)", (START + STEP * 40, data))
    base.commit()
    assert file.with_name(file.name + "-wal").stat().st_size
    recording, times, _ = read(path, clock="receiver")
    assert len(times) == 31 and any("being written" in note for note in recording.notes) and any("metadata.yaml" in note for note in recording.notes)
    base.close()


def test_a_folder_of_several_files(tmp_path):
    values = arm(generator(), 40)
    for index in range(2):
        half = {name: array[20 * index:20 * index + 20] for name, array in values.items()}
        stream = [(topic, moment + 20 * index * STEP, message) for topic, moment, message in
                  arm_stream(Messages(2), half, stamp=lambda row, index=index: START + STEP * (row + 20 * index))]
        part = write(tmp_path / f"part{index}", "db3", stream)
        os.makedirs(tmp_path / "log", exist_ok=True)
        next(part.glob("*.db3")).rename(tmp_path / "log" / f"log_{index + 9}.db3")
    text = (tmp_path / "part1" / "metadata.yaml").read_text(encoding="utf-8")
    recording, times, found = read(tmp_path / "log")
    assert np.array_equal(times, START + STEP * np.arange(40)) and np.array_equal(found["qpos"], values["qpos"])
    (tmp_path / "log" / "metadata.yaml").write_text(text.replace("- part1.db3", "- log_9.db3\n  - log_10.db3"), encoding="utf-8")
    assert np.array_equal(read(tmp_path / "log")[2]["qpos"], values["qpos"])
    (tmp_path / "log" / "log_10.db3").unlink()
    recording, times, _ = read(tmp_path / "log")
    assert len(times) == 20 and any("log_10.db3" in note for note in recording.notes)


def test_a_chunk_whose_checksum_is_wrong_is_one_line(tmp_path):
    path = write(tmp_path / "log", "mcap lz4", arm_stream(Messages(2), arm(generator())))
    data = bytearray(path.read_bytes())
    place = data.index(b"\x06", 9)
    while struct.unpack_from("<Q", data, place + 1)[0] > len(data):
        place = data.index(b"\x06", place + 1)
    data[place + 9 + 24] ^= 0xFF  # of its CRC
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"chunk is damaged.*mcap recover") as error:
        read(path)
    assert "\n" not in str(error.value)


def bad_files(folder):
    """Files that hold nothing to read, by what the line says."""
    messages = Messages(2)
    (folder / "empty.bag").write_bytes(b"")
    (folder / "empty.db3").write_bytes(b"")
    (folder / "old.bag").write_bytes(b"#ROSBAG V1.2\n" + bytes(99))
    (folder / "noise.mcap").write_bytes(bytes(range(256)))
    (folder / "noise.db3").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 9)
    (folder / "noise.bag").write_bytes(b"#ROSBAG V2.0\n" + bytes(range(256)))
    sqlite3.connect(folder / "other.db3").execute("CREATE TABLE a(b)").connection.commit()
    (folder / "bare").mkdir()
    (folder / "bare" / "metadata.yaml").write_text("rosbag2_bagfile_information: [", encoding="utf-8")
    yield folder / "empty.bag", "is empty"
    yield folder / "empty.db3", "is empty"
    yield folder / "old.bag", "version 1.2.*rosbag fix"
    yield folder / "noise.mcap", "no MCAP"
    yield folder / "noise.db3", "no database"
    yield folder / "noise.bag", "first record"
    yield folder / "other.db3", "without the tables"
    yield folder / "bare", "metadata.yaml: cannot be read"
    yield folder / "absent.bag", "is not here"
    for kind in ("bag", "db3", "mcap", "mcap zstd"):
        texts = Messages(ros(kind))
        yield write(folder / f"texts_{kind}", kind, [("/chatter", START, texts.text("hi"))]), "no joint states.*/chatter std_msgs/(msg/)?String, 1 message"
        yield write(folder / f"none_{kind}", kind, []), "no joint states"
    yield write(folder / "names", "db3", [("/j", START, messages.joints(START, [], [], [], []))]), "no numbers|names and no"
    yield write(folder / "garbage", "db3", [("/j", START, ("sensor_msgs/msg/JointState", b"\0\1\0\0" + b"\xff" * 40))]), "no message that can be read"


def test_each_bad_file_is_one_line(tmp_path):
    for path, line in bad_files(tmp_path):
        with pytest.raises(FormatError, match=line) as error:
            read(path)
        assert "\n" not in str(error.value) and str(tmp_path) in str(error.value)
    with pytest.raises(FormatError, match="several recordings"):
        read(tmp_path)
    assert not bags.recognises(tmp_path / "bare" / "absent") and not bags.recognises(tmp_path / "absent.txt")


def fuzzed(path, chance):
    """Bytes of a file with some of them changed, cut, doubled or made large."""
    data = bytearray(path)
    for _ in range(int(chance.integers(1, 6))):
        at = int(chance.integers(0, len(data)))
        what = chance.integers(0, 6)
        if what == 0:
            data[at] ^= 1 << int(chance.integers(0, 8))
        elif what == 1:
            data[at:at + 8] = b"\xff" * 8
        elif what == 2:
            del data[at:at + int(chance.integers(1, 64))]
        elif what == 3:
            data[at:at] = data[at:at + int(chance.integers(1, 64))]
        elif what == 4:
            del data[max(at, 20):]
        else:
            data[at:at + 4] = struct.pack("<I", int(chance.integers(0, 1 << 32)))
        if len(data) < 2:
            break
    return bytes(data)


def fuzz(folder, count, chance):
    """Reads changed files of each kind. Returns how many were refused and read; anything else is an error."""
    originals = {}
    for kind in ("bag", "bag lz4", "db3", "mcap loose", "mcap lz4", "mcap zstd"):
        messages = Messages(ros(kind))
        stream = list(arm_stream(messages, arm(chance, 12)))
        stream += [("/imu", START + row, messages.imu(START + STEP * row, [0, 0, 0, 1], [1, 2, 3], [0, 0, 9.8])) for row in range(4)]
        path = write(folder / f"seed_{kind}", kind, stream)
        originals[kind] = (path if path.is_file() else next(path.glob("*.db3"))).read_bytes()
    path = folder / "seed.mcap"
    with path.open("wb") as file:
        writer = ProtobufWriter(file, compression=CompressionType.NONE, enable_crcs=False)
        for row in range(12):
            writer.write_message("/j", JointStates(joints=[JointState(name=name, position=1.0, effort=2.0) for name in NAMES]), START + row, START + row)
        writer.finish()
    originals["mcap protobuf"] = path.read_bytes()
    refused = accepted = 0
    for index in range(count):
        kind = list(originals)[index % len(originals)]
        file = folder / ("fuzzed." + kind.partition(" ")[0])
        file.write_bytes(fuzzed(originals[kind], chance))
        try:
            recording, times, _ = read(file)
            if recording.description is not None:
                recording.description()
            assert len(times) < 100_000
            accepted += 1
        except FormatError as error:
            assert "\n" not in str(error)
            refused += 1
    return refused, accepted


def test_changed_bytes_are_refused_or_read(tmp_path):
    refused, accepted = fuzz(tmp_path, 400, generator())
    assert refused > 20 and accepted > 20


# ---- Recorded files ----------------------------------------------------------------------------------------------------

RECORDED = [
    ("ros2_sqlite/ur10_exciting_trajectory.db3", "/joint_states", 3441, 6, 125),
    ("ros2_sqlite/panda_exciting_trajectory.db3", "/joint_states", 727, 7, 30),
    ("ros1_bag/ur3_2019-11-27-20-59-11.bag", "/arm", 1872, 6, 125)]


def test_recorded_bags_against_a_decode_of_rosbags():
    folder = needs.reference_data("formats")
    for file, *facts in RECORDED:
        compare_with_rosbags(folder / file, *facts)


def compare_with_rosbags(path, topic, rows, joints, rate):
    recording, times, found = read(path)
    assert len(times) == rows and recording.clock == f"header stamps of {topic}" and not recording.unmapped, path
    assert abs((rows - 1) / ((times[-1] - times[0]) * 1e-9) / rate - 1) < 1e-3
    if path.suffix == ".bag":
        from rosbags.rosbag1 import Reader
        decode = STORES[1].deserialize_ros1
    else:
        from rosbags.rosbag2 import Reader
        decode = STORES[2].deserialize_cdr
    with Reader(path) as reader:
        row = 0
        for connection, _, data in reader.messages():
            message = decode(data, connection.msgtype)
            assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == times[row]
            for name, numbers in (("qpos", message.position), ("dq", message.velocity), ("tau", message.effort)):
                assert channel(recording, name).columns == tuple(message.name) and len(message.name) == joints
                assert np.array_equal(found[name][row], numbers)
            row += 1
    assert row == rows
