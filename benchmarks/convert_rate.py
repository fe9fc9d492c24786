"""How fast bags are read: megabytes of file a second and memory above what is held after the imports.

Makes bags with the writers of rosbags and mcap in a temporary folder: (joints) 27 joints at 1 kHz and nothing else;
(images) cameras of 900 kB a message beside joint states at 500 Hz, an IMU and a wrench. Each is read in a fresh process.
Usage: convert_rate.py [--size MEGABYTES] [--kinds db3,bag,bag-lz4,bag-bz2,mcap,mcap-lz4,mcap-zstd,json,protobuf] [--content joints,images]
       [--cut] [--folder PATH]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

JOINTS = 27
IMAGE = 900_000
READ = """
import pathlib, re, sys, time
import numpy, antaeus.formats.bags as bags, rosbags.typesys.msg, google.protobuf.descriptor_pb2, lz4.frame, zstandard
from antaeus.formats.recording import Wishes
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
held = peak()
began = time.perf_counter()
recording = bags.open_recording(pathlib.Path(sys.argv[1]), Wishes())
opened = time.perf_counter() - began
rows = total = 0
for block in recording.blocks():
    rows += len(block.time)
    total += sum(values.shape[1] for values in block.values.values())
print(rows, opened, time.perf_counter() - began, (peak() - held) / 1024)
"""


def messages(size, content, ros1):
    """(topic, type, time, bytes) by the typestore's own serialisation, of which numbers and stamps are replaced."""
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_HUMBLE)
    kinds, chance = store.types, np.random.default_rng(1)
    stamp = kinds["builtin_interfaces/msg/Time"](sec=7, nanosec=7)
    header = kinds["std_msgs/msg/Header"](**({"seq": 0} if ros1 else {}), stamp=stamp, frame_id="base")
    names = [f"robot_{side}_joint_{i}" for side in ("left", "right") for i in range(14)][:JOINTS]
    vector = kinds["geometry_msgs/msg/Vector3"](0.0, 0.0, 9.81)
    nine = np.zeros(9)
    parts = {
        "/joint_states": ("sensor_msgs/msg/JointState", kinds["sensor_msgs/msg/JointState"](
            header, names, np.zeros(JOINTS), np.zeros(JOINTS), np.zeros(JOINTS))),
        "/imu": ("sensor_msgs/msg/Imu", kinds["sensor_msgs/msg/Imu"](
            header, kinds["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0), nine, vector, nine, vector, nine)),
        "/wrist/ft": ("geometry_msgs/msg/WrenchStamped", kinds["geometry_msgs/msg/WrenchStamped"](
            header, kinds["geometry_msgs/msg/Wrench"](vector, vector))),
        "/camera": ("sensor_msgs/msg/Image", kinds["sensor_msgs/msg/Image"](
            header, 480, 640, "rgb8", 0, 1920, chance.integers(0, 256, IMAGE, np.uint8))),
    }
    write = store.serialize_ros1 if ros1 else store.serialize_cdr
    bytes_of = {topic: bytearray(write(message, kind)) for topic, (kind, message) in parts.items()}
    at = 4  # of the stamp: after the sequence number of ROS 1, after the four bytes of CDR's head
    written, row, period = 0, 0, 1_000_000 if content == "joints" else 2_000_000
    while written < size:
        time_stamp = 1_700_000_000_000_000_000 + row * period
        topics = ["/joint_states"]
        if content == "images":
            topics += ["/imu"] * (row % 2 == 0) + ["/wrist/ft"] * (row % 5 == 0) + ["/camera"] * (row % 16 == 0)
        for topic in topics:
            data = bytes_of[topic]
            data[at:at + 8] = np.array([time_stamp // 10**9, time_stamp % 10**9], "<u4").tobytes()
            if topic == "/joint_states":
                data[-8 * JOINTS:] = chance.normal(size=JOINTS).tobytes()
            elif topic == "/camera":
                data[-64:] = chance.bytes(64)
            written += len(data)
            yield topic, parts[topic][0], time_stamp + 300_000, bytes(data)
        row += 1


def write_ros(path, kind, size, content):
    from rosbags.rosbag1 import Writer as Writer1
    from rosbags.rosbag2 import StoragePlugin
    from rosbags.rosbag2 import Writer as Writer2
    from rosbags.typesys import Stores, get_typestore

    ros1 = kind.startswith("bag")
    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_HUMBLE)
    writer = Writer1(path) if ros1 else Writer2(path, version=8, storage_plugin=StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3)
    if kind.startswith("bag-"):
        writer.set_compression(getattr(Writer1.CompressionFormat, kind[4:].upper()))
    with writer:
        connections = {}
        for topic, name, moment, data in messages(size, content, ros1):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, name, typestore=store)
            writer.write(connections[topic], moment, data)


def write_mcap(path, kind, size, content):
    from mcap.writer import CompressionType, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.LZ4 if kind == "mcap-lz4" else CompressionType.ZSTD)
        writer.start(profile="ros2")
        channels = {}
        for topic, name, moment, data in messages(size, content, False):
            if topic not in channels:
                text = store.generate_msgdef(name, ros_version=2)[0]
                channels[topic] = writer.register_channel(topic, "cdr", writer.register_schema(name, "ros2msg", text.encode()))
            writer.add_message(channels[topic], moment, data, moment)
        writer.finish()


def write_other(path, kind, size, _):
    from foxglove_schemas_protobuf.JointState_pb2 import JointState
    from foxglove_schemas_protobuf.JointStates_pb2 import JointStates
    from mcap.writer import CompressionType, Writer
    from mcap_protobuf.writer import Writer as ProtobufWriter

    chance, written, row = np.random.default_rng(1), 0, 0
    names = [f"robot_joint_{i}" for i in range(JOINTS)]
    with path.open("wb") as file:
        if kind == "json":
            writer = Writer(file, compression=CompressionType.NONE)
            writer.start()
            channel = writer.register_channel("/joint_states", "json", writer.register_schema("JointState", "jsonschema", b"{}"))
        else:
            writer = ProtobufWriter(file, compression=CompressionType.NONE)
        while written < size:
            moment = 1_700_000_000_000_000_000 + row * 1_000_000
            numbers = chance.normal(size=(3, JOINTS))
            if kind == "json":
                data = json.dumps({"header": {"stamp": {"sec": moment // 10**9, "nanosec": moment % 10**9}}, "name": names,
                                   "position": numbers[0].tolist(), "velocity": numbers[1].tolist(), "effort": numbers[2].tolist()}).encode()
                writer.add_message(channel, moment, data, moment)
                written += len(data)
            else:
                message = JointStates(joints=[JointState(name=names[i], position=numbers[0, i], velocity=numbers[1, i], effort=numbers[2, i])
                                              for i in range(JOINTS)])
                message.timestamp.FromNanoseconds(moment)
                writer.write_message("/joint_states", message, moment, moment)
                written += message.ByteSize()
            row += 1
        writer.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1000, help="megabytes of each file")
    parser.add_argument("--kinds", default="db3,bag,bag-lz4,bag-bz2,mcap,mcap-lz4,mcap-zstd,json,protobuf")
    parser.add_argument("--content", default="joints,images")
    parser.add_argument("--cut", action="store_true", help="files without their end, which are read from the start")
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for kind in options.kinds.split(","):
            for content in options.content.split(","):
                if kind in ("json", "protobuf") and content == "images":
                    continue
                name = {"db3": "bag", "mcap": "bag", "bag": "a.bag", "bag-lz4": "a.bag", "bag-bz2": "a.bag"}.get(kind, "a.mcap")
                path = pathlib.Path(folder) / f"{kind}_{content}_{name}"
                write = write_ros if kind in ("db3", "mcap") or kind.startswith("bag") else write_other if kind in ("json", "protobuf") else write_mcap
                write(path, kind, options.size * 1e6, content)
                files = [path] if path.is_file() else list(path.iterdir())
                if options.cut and path.is_file():
                    with path.open("r+b") as file:
                        file.truncate(path.stat().st_size - 1000)
                size = sum(file.stat().st_size for file in files) / 1e6
                done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False)
                if done.returncode:
                    sys.exit(done.stderr)
                rows, opened, seconds, memory = map(float, done.stdout.split())
                print(f"{kind:10} {content:7} {size:7.0f} MB {int(rows):8} rows  opened in {opened:5.2f} s  read in {seconds:6.2f} s "
                      f"{size / seconds:7.1f} MB/s  {memory:5.0f} MB above imports", flush=True)
                for file in files:
                    file.unlink()


if __name__ == "__main__":
    main()
