"""Another process's side of each transport: `python senders.py KIND …` sends what it is allowed to, and ends with its standard input."""

import functools
import os
import pathlib
import socket
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # as a subprocess
from waiting import until  # noqa: E402

WINDOW = 64  # messages on their way at most: what a network's buffers keep while a busy machine gives the receiver no turn

JOINTS = ("joint_2", "joint_1", "joint_3")  # of planar_3r, in another order than its motors'


def free_port():
    """A port of this machine that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def hears_its_writer(source):
    """Returns true once a reader of DDS has found a writer: what that writes before is lost to it."""
    return bool(source._reader.get_matched_publications())


class Sender:
    """A process that sends, from its first line on; it is allowed to be WINDOW messages ahead of what has been received."""

    def __init__(self, *words):
        command = [sys.executable, str(pathlib.Path(__file__)), *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        self._allowed = 0

    def allow(self, received):
        if received + WINDOW > self._allowed:
            self._allowed = received + WINDOW
            self.process.stdin.write(f"{self._allowed}\n")
            self.process.stdin.flush()

    def has_ended(self):
        return self.process.poll() is not None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Turns:
    """The sender's side of Sender: which message may go, as standard input says. Its end ends the process."""

    def __init__(self):
        self._allowed, self._changed = 0, threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        print("ready", flush=True)

    def _read(self):
        for line in sys.stdin:
            with self._changed:
                self._allowed = int(line)
                self._changed.notify_all()
        os._exit(0)

    def wait_for(self, number):
        with self._changed:
            self._changed.wait_for(lambda: number < self._allowed)

    def wait_for_the_end(self):
        threading.Event().wait()


def sample(number):
    """One JSON object, as lab code writes it."""
    return b'{"time": %.3f, "qpos": [%d, 0.5], "tau": [1, 2]}' % (number * 0.001, number)


def low_state(types, kind, number):
    """A LowState whose fields tell which they are, for cyclonedds to serialise."""
    motors = {"hg": 35, "go": 20}[kind]
    of = lambda at, field: float(number + at + field / 8)
    if kind == "hg":
        imu = types.HgImuState([0.5, -0.5, 0.5, 0.5], [0.25, 0.5, 0.75], [1.0, 2.0, 9.5], [0.0, 0.0, 0.0], 30)
        return types.HgLowState(
            [1, 2], 3, 4, number, imu,
            [types.HgMotorState(1, *(of(i, k) for k in (1, 2, 3, 4)), [40, 41], 48.0, [5, 6], 7, [8, 9, 10, 11]) for i in range(motors)],
            [12] * 40, [13] * 4, 0xDEADBEEF)  # fmt: skip
    imu = types.GoImuState([0.5, -0.5, 0.5, 0.5], [0.25, 0.5, 0.75], [1.0, 2.0, 9.5], [0.0, 0.0, 0.0], 30)
    return types.GoLowState(
        [254, 239], 1, 2, [3, 4], [5, 6], 7, imu,
        [types.GoMotorState(1, *(of(i, k) for k in (1, 2, 3, 4)), 5.0, 6.0, 7.0, 40, 8, [9, 10]) for i in range(motors)],
        types.GoBmsState(1, 2, 3, 90, -5, 6, [7, 8], [9, 10], [11] * 15), [1, 2, 3, 4], [5, 6, 7, 8], number, [9] * 40,
        10, 11.0, 12, 13, 14.0, 15.0, [16] * 4, 17, 0xDEADBEEF)  # fmt: skip


@functools.cache  # it takes a twentieth of a second
def ros_types():
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_JAZZY)


def ros_messages(number):
    """JointState and Imu as CDR, by rosbags."""
    import numpy as np

    store = ros_types()
    types = store.types
    header = types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](5, number * 1_000_000), "base")
    joints = types["sensor_msgs/msg/JointState"](
        header, list(JOINTS), np.array([1.0, 2.0, 3.0]) + number, np.array([4.0, 5.0, 6.0]), np.array([7.0, 8.0, 9.0]))
    vector = types["geometry_msgs/msg/Vector3"]
    imu = types["sensor_msgs/msg/Imu"](
        header, types["geometry_msgs/msg/Quaternion"](0.5, 0.5, 0.5, 0.5), np.zeros(9), vector(0.1, 0.2, 0.3), np.zeros(9),
        vector(0.0, 0.0, 9.81), np.zeros(9))
    return store.serialize_cdr(joints, "sensor_msgs/msg/JointState").tobytes(), store.serialize_cdr(imu, "sensor_msgs/msg/Imu").tobytes()


def send_udp(port, count):
    """`count` datagrams, and one of three lines."""
    place = ("127.0.0.1", int(port))
    sender, turns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), Turns()
    for number in range(int(count)):
        turns.wait_for(number)
        sender.sendto(sample(number), place)
    sender.sendto(b"\n".join([sample(int(count)), b"", sample(int(count) + 1) + b"\n"]), place)


def serve_tcp(port):
    """Twice: a connection with lines in odd pieces, the last without its end."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", int(port)))
    server.listen()
    print("ready", flush=True)
    for turn in (0, 1):
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        whole = b"".join(sample(100 * turn + number) + b"\r\n" for number in range(5))
        whole += b"x" * 200_000 + b"\n" + sample(100 * turn + 5) + b"\n{\"cut off\""
        size = (67_900, 7001)[turn]
        for at in range(0, len(whole), size):
            connection.sendall(whole[at:at + size])
        connection.close()


def publish_dds(domain, topic, kind, count):
    """Messages by cyclonedds's own writer."""
    from antaeus.live import dds_types
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.pub import DataWriter
    from cyclonedds.topic import Topic

    participant = DomainParticipant(int(domain))
    data_type = {"hg": dds_types.HgLowState, "go": dds_types.GoLowState, "text": dds_types.String}[kind]
    writer = DataWriter(participant, Topic(participant, topic, data_type))
    turns = Turns()
    for number in range(int(count)):
        turns.wait_for(number)
        until(writer.get_matched_subscriptions)
        writer.write(low_state(dds_types, kind, number))
    turns.wait_for_the_end()


def publish_zenoh(port, count):
    """JointState and Imu as rmw_zenoh would, and a second Imu that starts later."""
    import zenoh

    config = zenoh.Config()
    config.insert_json5("listen/endpoints", f'["tcp/127.0.0.1:{port}"]')
    config.insert_json5("scouting/multicast/enabled", "false")
    session = zenoh.open(config)
    keeps_all = zenoh.CongestionControl.BLOCK  # by default a busy link drops
    joints = session.declare_publisher("3/robot/joint_states/sensor_msgs::msg::dds_::JointState_/RIHS01_a", congestion_control=keeps_all)
    imu = session.declare_publisher("3/imu/data/sensor_msgs::msg::dds_::Imu_/RIHS01_b", congestion_control=keeps_all)
    other = session.declare_publisher("3/second_imu/sensor_msgs::msg::dds_::Imu_/RIHS01_b")
    token = session.liveliness().declare_token("@ros2_lv/3/a/0/1/MP/%/%/node/%chatter/std_msgs::msg::dds_::String_/RIHS01_c/::,::,")
    turns = Turns()
    until(lambda: joints.matching_status.matching and imu.matching_status.matching and other.matching_status.matching)
    for number in range(int(count)):
        turns.wait_for(number)
        first, second = ros_messages(number)
        imu.put(second)
        joints.put(first)
        if number > 10:
            other.put(second)
    turns.wait_for_the_end()
    del token


# ---- A whole episode by each transport: an .npz of time, qpos, tau, dq, imu_quat_xyzw, imu_gyro, imu_acc -----------------------


def episode_lines(file):
    """An episode as lines of JSON, every number so that it is read back to the bit."""
    import json

    import numpy as np

    log = dict(np.load(file))
    return [json.dumps({name: values[at].tolist() for name, values in log.items()}).encode() for at in range(len(log["time"]))]


def episode_table(file):
    """The same as lines of CSV."""
    import numpy as np

    log = dict(np.load(file))
    names = {"imu_quat_xyzw": [f"imu_quat_{axis}" for axis in "xyzw"], "imu_gyro": [f"imu_gyro_{axis}" for axis in "xyz"],
             "imu_acc": [f"imu_acc_{axis}" for axis in "xyz"], "time": ["time"]}  # fmt: skip
    header = [name for channel, values in log.items() for name in names.get(channel, [f"{channel}_{i}" for i in range(values.shape[-1])])]
    rows = np.column_stack(list(log.values())).tolist()
    return [",".join(header).encode(), *(",".join(map(repr, row)).encode() for row in rows)]


def episode_by_udp(file, port):
    sender, turns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), Turns()
    for number, line in enumerate(episode_lines(file)):
        turns.wait_for(number)
        sender.sendto(line, ("127.0.0.1", int(port)))
    turns.wait_for_the_end()


def episode_by_tcp(file, port):
    lines = episode_lines(file)
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", int(port)))
    server.listen()
    turns = Turns()
    connection, _ = server.accept()
    for number, line in enumerate(lines):
        turns.wait_for(number)
        connection.sendall(line + b"\n")
    turns.wait_for_the_end()


def low_states(file, kind):
    """LowState of an episode, whose numbers are float32 and whose times whole milliseconds, by cyclonedds's own serialiser."""
    import numpy as np
    from antaeus.live import dds_types

    log = dict(np.load(file))
    for at, moment in enumerate(log["time"]):
        message = low_state(dds_types, kind, round(1000 * moment))
        for motor, (q, tau, dq) in enumerate(zip(log["qpos"][at], log["tau"][at], log["dq"][at], strict=True)):
            state = message.motor_state[motor]
            state.q, state.tau_est, state.dq = float(q), float(tau), float(dq)
        x, y, z, w = map(float, log["imu_quat_xyzw"][at])
        message.imu_state.quaternion = [w, x, y, z]
        message.imu_state.gyroscope, message.imu_state.accelerometer = log["imu_gyro"][at].tolist(), log["imu_acc"][at].tolist()
        yield message


def episode_by_dds(file, domain, kind):
    from antaeus.live import dds_types
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.pub import DataWriter
    from cyclonedds.topic import Topic

    messages = list(low_states(file, kind))
    participant = DomainParticipant(int(domain))
    writer = DataWriter(participant, Topic(participant, "rt/lowstate", type(messages[0])))
    turns = Turns()
    for number, message in enumerate(messages):
        turns.wait_for(number)
        until(writer.get_matched_subscriptions)
        writer.write(message)
    turns.wait_for_the_end()


def episode_by_zenoh(file, port, *joints):
    import numpy as np
    import zenoh

    store = ros_types()
    types, log = store.types, dict(np.load(file))
    vector = types["geometry_msgs/msg/Vector3"]

    def header(at):
        nanoseconds = round(1e9 * log["time"][at])
        return types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](nanoseconds // 10**9, nanoseconds % 10**9), "")

    def joints_of(at):
        message = types["sensor_msgs/msg/JointState"](header(at), list(joints), log["qpos"][at], log["dq"][at], log["tau"][at])
        return store.serialize_cdr(message, "sensor_msgs/msg/JointState").tobytes()

    def imu_of(at):
        message = types["sensor_msgs/msg/Imu"](
            header(at), types["geometry_msgs/msg/Quaternion"](*log["imu_quat_xyzw"][at]), np.zeros(9), vector(*log["imu_gyro"][at]),
            np.zeros(9), vector(*log["imu_acc"][at]), np.zeros(9))  # fmt: skip
        return store.serialize_cdr(message, "sensor_msgs/msg/Imu").tobytes()

    config = zenoh.Config()
    config.insert_json5("listen/endpoints", f'["tcp/127.0.0.1:{port}"]')
    config.insert_json5("scouting/multicast/enabled", "false")
    session = zenoh.open(config)
    name = "0/{}/sensor_msgs::msg::dds_::{}_/RIHS01_a"
    keeps_all = zenoh.CongestionControl.BLOCK  # by default a busy link drops
    of_joints = session.declare_publisher(name.format("joint_states", "JointState"), congestion_control=keeps_all)
    of_imu = session.declare_publisher(name.format("imu", "Imu"), congestion_control=keeps_all)
    messages = [(imu_of(at), joints_of(at)) for at in range(len(log["time"]))]
    turns = Turns()
    until(lambda: of_joints.matching_status.matching and of_imu.matching_status.matching)
    of_imu.put(messages[0][0])
    for number, (imu, message) in enumerate(messages):
        turns.wait_for(number)
        of_imu.put(imu)
        of_joints.put(message)
    turns.wait_for_the_end()


KINDS = {"udp": send_udp, "tcp": serve_tcp, "dds": publish_dds, "zenoh": publish_zenoh, "episode_by_udp": episode_by_udp,
         "episode_by_tcp": episode_by_tcp, "episode_by_dds": episode_by_dds, "episode_by_zenoh": episode_by_zenoh}  # fmt: skip
if __name__ == "__main__":
    KINDS[sys.argv[1]](*sys.argv[2:])
