"""Another process's side of each transport: `python senders.py KIND …` sends, or listens, and ends by itself."""

import socket
import sys
import time

JOINTS = ("joint_2", "joint_1", "joint_3")  # of planar_3r, in another order than its motors'


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


def ros_messages(number):
    """JointState and Imu as CDR, by rosbags."""
    import numpy as np
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
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
    """`count` datagrams a millisecond apart; the last has three lines."""
    place = ("127.0.0.1", int(port))
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(int(count)):
        sender.sendto(sample(number), place)
        time.sleep(0.001)
    sender.sendto(b"\n".join([sample(int(count)), b"", sample(int(count) + 1) + b"\n"]), place)


def serve_tcp(port):
    """Twice: a connection with lines in odd pieces, the last without its end."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", int(port)))
    server.listen()
    for turn in (0, 1):
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        whole = b"".join(sample(100 * turn + number) + b"\r\n" for number in range(5))
        whole += b"x" * 200_000 + b"\n" + sample(100 * turn + 5) + b"\n{\"cut off\""
        size = (67_900, 7001)[turn]
        for at in range(0, len(whole), size):
            connection.sendall(whole[at:at + size])
            time.sleep(0.001)
        connection.close()


def publish_dds(domain, topic, kind, count):
    """Messages by cyclonedds's own writer, 2 ms apart, once somebody listens."""
    from antaeus.live import dds_types
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.pub import DataWriter
    from cyclonedds.topic import Topic

    participant = DomainParticipant(int(domain))
    data_type = {"hg": dds_types.HgLowState, "go": dds_types.GoLowState, "text": dds_types.String}[kind]
    writer = DataWriter(participant, Topic(participant, topic, data_type))
    until = time.monotonic() + 10
    while not writer.get_matched_subscriptions() and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)
    for number in range(int(count)):
        writer.write(low_state(dds_types, kind, number))
        time.sleep(0.002)
    time.sleep(0.5)


def publish_zenoh(port, count):
    """JointState and Imu as rmw_zenoh would, and a second Imu that starts later."""
    import zenoh

    config = zenoh.Config()
    config.insert_json5("listen/endpoints", f'["tcp/127.0.0.1:{port}"]')
    config.insert_json5("scouting/multicast/enabled", "false")
    session = zenoh.open(config)
    joints = session.declare_publisher("3/robot/joint_states/sensor_msgs::msg::dds_::JointState_/RIHS01_a")
    imu = session.declare_publisher("3/imu/data/sensor_msgs::msg::dds_::Imu_/RIHS01_b")
    other = session.declare_publisher("3/second_imu/sensor_msgs::msg::dds_::Imu_/RIHS01_b")
    token = session.liveliness().declare_token("@ros2_lv/3/a/0/1/MP/%/%/node/%chatter/std_msgs::msg::dds_::String_/RIHS01_c/::,::,")
    until = time.monotonic() + 10
    while not joints.matching_status.matching and not imu.matching_status.matching and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)
    for number in range(int(count)):
        first, second = ros_messages(number)
        imu.put(second)
        joints.put(first)
        if number > 10:
            other.put(second)
        time.sleep(0.002)
    time.sleep(10)  # it is killed before
    del token
    session.close()


if __name__ == "__main__":
    {"udp": send_udp, "tcp": serve_tcp, "dds": publish_dds, "zenoh": publish_zenoh}[sys.argv[1]](*sys.argv[2:])
