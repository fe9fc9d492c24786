"""Sources of watch: the bytes that another process sends, by each transport; who goes and comes back; what is said when nobody is there."""

import contextlib
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import sys
import threading
import time

import antaeus
import needs
import numpy as np
import pytest
import senders
from antaeus.live.addresses import MESSAGE_BYTES, plain
from antaeus.live.sources import SCHEMES, open_source, push_until_taken, robot_of
from antaeus.live.sources.lines import Lines
from senders import Sender, free_port, hears_its_writer
from waiting import until

DOMAIN = 130 + os.getpid() % 90  # of DDS, so that runs beside each other do not meet


@pytest.fixture(scope="session")
def robot():
    return antaeus.load_robot("h1_2")


class Run:
    """A source in its thread, and what it pushed: (bytes, received, part). The first `refused` pushes are not taken; those of the
    part `slow` take 5 ms."""

    def __init__(self, source, refused=0, slow=None):
        self.slow = slow
        self.got, self.source, self.stop, self.problem, self.refused = [], source, threading.Event(), None, refused
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        try:
            self.source.run(self._push, self.stop)
        except Exception as problem:  # noqa: BLE001: whatever it raises is looked at by the test
            self.problem = problem

    def _push(self, message, received, part):
        if self.refused > 0:
            self.refused -= 1
            return False
        if part == self.slow:
            time.sleep(0.005)
        self.got.append((bytes(message), received, part))
        return True

    def until(self, count, sender=None):
        """Waits for so many messages, of a sender that is allowed each; then stops, and gives them."""
        def have_come():
            if sender:
                sender.allow(len(self.got))
            return len(self.got) >= count or not self.thread.is_alive()

        until(have_come)
        return self.end()

    def end(self):
        self.stop.set()
        self.thread.join(120)
        assert not self.thread.is_alive(), "a source ends, also when nothing comes any more"
        if self.problem:
            raise self.problem
        return [message for message, _, _ in self.got]


# ---- Lines ---------------------------------------------------------------------------------------------------------------


def test_lines_are_the_same_in_any_pieces():
    numbers = random.Random(1)
    for _ in range(200):
        lines = [bytes(numbers.choices(b"abc\r{} ", k=numbers.randrange(40))) for _ in range(numbers.randrange(1, 30))]
        whole = b"\n".join(lines)
        wanted = [line.rstrip(b"\r") for line in lines if line.strip()]
        taken, at, split = [], 0, Lines()
        while at < len(whole):
            size = numbers.randrange(1, 60)
            taken += split.feed(whole[at:at + size])
            at += size
        assert taken + split.end() == wanted


def test_a_line_without_end_takes_no_memory_and_is_given_once():
    split, given = Lines(), []
    for _ in range(64):
        given += split.feed(b"x" * MESSAGE_BYTES)
        assert len(split._rest) <= MESSAGE_BYTES
    given += split.feed(b"x\nshort\n")
    assert [len(line) for line in given] == [MESSAGE_BYTES + 1, len("short")]


def test_a_full_queue_is_pushed_to_again_but_not_with_what_is_too_large():
    answers, stop = [False, False, True], threading.Event()
    tried = []
    push_until_taken(lambda message, received, part: (tried.append(len(message)), answers.pop(0))[1], b"one", 0.0, stop)
    assert tried == [3, 3, 3]
    push_until_taken(lambda message, received, part: bool(tried.append(len(message))), bytes(MESSAGE_BYTES + 1), 0.0, stop)
    assert len(tried) == 4
    stop.set()
    push_until_taken(lambda message, received, part: False, b"one", 0.0, stop)  # and returns


# ---- Standard input --------------------------------------------------------------------------------------------------------

READ = """
import sys, threading, antaeus
from antaeus.live.sources import open_source
source = open_source("-", antaeus.load_robot("panda"))
print(source.format)
turn = [0]
def push(message, received, part):
    turn[0] += 1
    if turn[0] % 7 == 0: return False
    print(bytes(message).decode())
    return True
source.run(push, threading.Event())
"""


def read(data):
    return subprocess.run([sys.executable, "-c", READ], input=data, capture_output=True, timeout=60, check=False)


def test_standard_input_says_by_its_first_line_what_it_is():
    lines = [b'{"time": %d}' % number for number in range(3000)]
    done = read(b"\n  \n" + b"\n".join(lines))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(b"\n")[:-1] == [b"json", *lines]
    done = read(b"time,q0\r\n0,1\r\n1,2\r\n")
    assert done.stdout.split(b"\n")[:-1] == [b"csv", b"time,q0", b"0,1", b"1,2"]
    assert b"standard input ended without a line; pipe" in read(b" \n").stderr


# ---- UDP, TCP --------------------------------------------------------------------------------------------------------------


def test_datagrams(robot):
    port = free_port()
    run = Run(open_source(f"udp://{port}", robot))
    begun = time.monotonic()
    with Sender("udp", port, 300) as sender:
        got = run.until(302, sender)
    assert got == [senders.sample(number) for number in range(300)] + [senders.sample(300), senders.sample(301)]
    received = [moment for _, moment, _ in run.got]
    assert begun < received[0] and np.all(np.diff(received) >= 0) and received[-1] <= time.monotonic()
    assert "look at the sender's address" in run.source.what()


def test_a_port_in_use_is_said_in_one_line(robot):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ValueError, match="Address already in use.*another process has the port"):
            open_source(f"udp://{taken.getsockname()[1]}", robot)


FIVE_KILOHERTZ = """
import socket, sys, time
line, port, count = sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
begun = time.monotonic()
for number in range(count):
    sender.sendto(line, ("127.0.0.1", port))
    time.sleep(max(0, begun + number / 5000 - time.monotonic()))
"""


def test_datagrams_cost_little(robot):
    """5 kHz of 27 joints: beside a loop that only receives, in the same run."""
    count, costs = 5000, {}
    line = json.dumps({"time": 1.0, **{name: [0.123456789] * 27 for name in ("qpos", "tau", "dq")}})

    def bare(port, push, stop):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            receiver.bind(("127.0.0.1", port))
            receiver.settimeout(0.2)
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    receiver.recv(MESSAGE_BYTES)
                    push()

    for name in ("bare", "source"):
        port, stop, spent, got = free_port(), threading.Event(), [], []

        def receive(name=name, port=port, stop=stop, spent=spent, got=got):
            begin = time.thread_time()
            if name == "bare":
                bare(port, lambda: got.append(1), stop)
            else:
                open_source(f"udp://{port}", robot).run(lambda message, received, part: got.append(1), stop)
            spent.append(time.thread_time() - begin)

        thread = threading.Thread(target=receive)
        thread.start()
        subprocess.run([sys.executable, "-c", FIVE_KILOHERTZ, line, str(port), str(count)], check=True)
        stop.set()
        thread.join()
        costs[name] = spent[0] / len(got)
        print(f"{name}: {len(got)} of {count} datagrams, {1e6 * costs[name]:.1f} µs of CPU each")
    assert costs["source"] < 2 * costs["bare"]


def test_a_server_goes_and_comes_back(robot):
    port = free_port()
    run = Run(open_source(f"tcp://127.0.0.1:{port}", robot))
    until(lambda: "cannot be reached" in run.source.what())
    assert "tried again every 0.5 s" in run.source.what()
    with Sender("tcp", port) as sender:
        until(sender.has_ended)
        until(lambda: run.source.connections == 2 and "cannot be reached" in run.source.what())  # all that was sent has been read
        got = run.end()
    one = [senders.sample(number) for number in range(5)] + [b"x" * (MESSAGE_BYTES + 1), senders.sample(5)]
    two = [senders.sample(100 + number) for number in range(5)] + [b"x" * (MESSAGE_BYTES + 1), senders.sample(105)]
    assert got == one + two and run.source.connections == 2


# ---- DDS -------------------------------------------------------------------------------------------------------------------

# Bytes from the start of the message (with its four of encapsulation): where a number stands, found by changing one field at a
# time in what cyclonedds serialises. (tick, quaternion, gyroscope, accelerometer, first motor's q, stride, size)
PLACES = {"hg": (16, 20, 36, 48, 76, 56, 2092), "go": (1100, 28, 44, 56, 84, 48, 1180)}


@pytest.mark.parametrize("kind", PLACES)
def test_low_state_lies_where_it_is_read(kind):
    needs.package("cyclonedds")
    from antaeus.live import dds_types

    data = bytes(senders.low_state(dds_types, kind, 1000).serialize())
    tick, quaternion, gyro, acc, first, stride, size = PLACES[kind]
    assert data[:4] == b"\x00\x01\x00\x00" and len(data) == size
    assert struct.unpack_from("<I", data, tick) == (1000,) and struct.unpack_from("<I", data, size - 4) == (0xDEADBEEF,)
    assert struct.unpack_from("<4f", data, quaternion) == (0.5, -0.5, 0.5, 0.5)
    assert struct.unpack_from("<3f", data, gyro) == (0.25, 0.5, 0.75) and struct.unpack_from("<3f", data, acc) == (1.0, 2.0, 9.5)
    for motor in range({"hg": 35, "go": 20}[kind]):
        assert struct.unpack_from("<4f", data, first + stride * motor) == tuple(1000.0 + motor + field / 8 for field in (1, 2, 3, 4))


@pytest.mark.parametrize("kind", PLACES)
def test_low_state_by_dds(robot, kind, monkeypatch):
    """The type is what the publisher announces; the bytes are those of cyclonedds's own writer, in order."""
    needs.package("cyclonedds")
    from antaeus.live import dds_types
    from antaeus.live.sources import dds_topic

    monkeypatch.setattr(dds_topic, "_DISCOVERY", 120.0)
    with Sender("dds", DOMAIN, "rt/lowstate", kind, 200) as sender:
        source = open_source(f"dds://{DOMAIN}/rt/lowstate", robot)
        assert source.format == f"low_state_{kind}" and source.quaternion is None
        until(lambda: hears_its_writer(source))
        run = Run(source)
        got = run.until(200, sender)
    assert got == [bytes(senders.low_state(dds_types, kind, number).serialize()) for number in range(200)]


def test_what_is_there_when_nobody_publishes_the_topic(robot):
    needs.package("cyclonedds")
    with Sender("dds", DOMAIN + 1, "rt/lowstates", "hg", 0):
        begun = time.monotonic()
        source = open_source(f"dds://{DOMAIN + 1}/rt/lowstate", robot)
        assert time.monotonic() - begun > 1.5 and source.format == "low_state_hg", "a publisher is waited for; then by the robot's 27 motors"
        run = Run(source)
        until(lambda: "there are" in source.what())
        assert source.what() == f"no publisher of rt/lowstate in domain {DOMAIN + 1}; there are rt/lowstates"
        assert run.end() == []
    few = open_source(f"dds://{DOMAIN + 2}/rt/lowstate?quaternion=xyzw", antaeus.load_robot("panda"))
    assert few.format == "low_state_go" and few.quaternion == "xyzw"
    assert few.what().startswith(f"no publisher in domain {DOMAIN + 2}: look at the domain")


def test_a_topic_of_another_type(robot, monkeypatch):
    needs.package("cyclonedds")
    from antaeus.live.sources import dds_topic

    monkeypatch.setattr(dds_topic, "_DISCOVERY", 120.0)
    with Sender("dds", DOMAIN + 3, "rt/lowstate", "text", 0):
        with pytest.raises(ValueError, match="carries std_msgs::msg::dds_::String_; name a topic of unitree_hg::msg::dds_::LowState_"):
            open_source(f"dds://{DOMAIN + 3}/rt/lowstate", robot)


# ---- Zenoh -----------------------------------------------------------------------------------------------------------------


def test_joint_states_and_imu_by_zenoh(robot):
    needs.package("zenoh")
    port = free_port()
    with Sender("zenoh", port, 100) as sender:
        source = open_source(f"zenoh:///robot/joint_states?connect=tcp/127.0.0.1:{port}&domain=3", robot)
        run = Run(source, slow=0)

        def have_come():
            sender.allow(len(run.got) // 2)
            return len(run.got) >= 200 and "not taken" in source.what()

        until(have_come)
        assert source.what() == "joints from robot/joint_states, the IMU from imu/data; not taken: second_imu"
        run.end()
        wrong = Run(open_source(f"zenoh://joint_states?connect=tcp/127.0.0.1:{port}&domain=3", robot))
        said = "no publisher of joint_states as sensor_msgs/JointState; there are /chatter (std_msgs::msg::dds_::String_)"
        until(lambda: said in wrong.source.what())
        wrong.end()
    # In the order in which they were sent, however long one of them takes: two threads would overtake each other.
    assert [part for _, _, part in run.got] == [1, 0] * 100
    joints, imu = ([message for message, _, part in run.got if part == which] for which in (0, 1))
    assert joints == [senders.ros_messages(number)[0] for number in range(100)]
    assert imu == [senders.ros_messages(number)[1] for number in range(100)]


# ---- Logs ------------------------------------------------------------------------------------------------------------------


def samples_of(messages):
    """The header's channels, and each channel's numbers."""
    channels = json.loads(messages[0])["channels"]
    rows = np.array([np.frombuffer(message, "<f8") for message in messages[1:]])
    ends = np.cumsum([width for _, width in channels])
    return {name: rows[:, end - width:end] for (name, width), end in zip(channels, ends, strict=True)}


def make_log(folder, robot, steps=600):
    numbers = np.random.default_rng(3)
    motors = len(robot.model.motor_names())
    log = {"time": np.arange(steps) * 0.002, "qpos": 0.1 * numbers.normal(size=(steps, motors)),
           "tau": numbers.normal(size=(steps, motors)), "dq": numbers.normal(size=(steps, motors)).astype(np.float32)}  # fmt: skip
    log["qpos"][7, 2] = np.nan
    folder.mkdir()
    for name, values in log.items():
        np.save(folder / f"{name}.npy", values)
    return log


def test_a_log_comes_as_it_was_recorded(robot, tmp_path):
    log = make_log(tmp_path / "log", robot, 4097)  # a sample more than is read at a time
    source = open_source(f"log://{tmp_path}/log", robot, speed=0)
    run = Run(source, refused=5)
    run.thread.join(120)
    found = samples_of(run.end())
    assert list(found) == ["time", "qpos", "tau", "dq"] and source.ends
    for name, values in log.items():
        np.testing.assert_array_equal(found[name], values.reshape(len(values), -1).astype(float))


def test_a_log_goes_by_its_clock(robot, tmp_path):
    make_log(tmp_path / "log", robot)
    for speed in (1.0, 4.0):
        run = Run(open_source(f"log://{tmp_path}/log", robot, speed=speed))
        run.thread.join(120)
        run.end()
        received = np.array([moment for _, moment, _ in run.got[1:]])
        # No sample comes before its time, and some come at it, of the second half too: at another speed all would be late, and ever more.
        late = received - received[0] - np.arange(600) * 0.002 / speed
        assert np.all(late >= -1e-3) and late[300:].min() < 0.25, (late.min(), late[300:].min())


def test_channels_of_the_profile_are_left_to_the_estimator(tmp_path):
    """A profile for degrees, milliseconds and a quaternion w x y z: the log's own numbers come, on its clock in seconds."""
    plain = antaeus.load_robot("h1_2")
    text = pathlib.Path(plain.profile.file).read_text(encoding="utf-8").replace('model = "h1_2.urdf"', f'model = "{plain.profile.model}"')
    text += "\n[channels]\ntime_scale = 0.001\nposition_scale = 0.0174532925\nquaternion_order = \"wxyz\"\n"
    (tmp_path / "other.toml").write_text(text, encoding="utf-8")
    other = antaeus.load_robot(tmp_path / "other.toml")
    log = make_log(tmp_path / "log", other)
    quaternion = np.tile([0.1, 0.2, 0.3, 0.9], (600, 1))
    np.save(tmp_path / "log" / "imu_quat_xyzw.npy", quaternion)
    np.save(tmp_path / "log" / "time.npy", 1000 * log["time"])
    run = Run(open_source(f"log://{tmp_path}/log", other))
    run.thread.join(120)
    found = samples_of(run.end())
    np.testing.assert_array_equal(found["qpos"], log["qpos"])
    np.testing.assert_array_equal(found["imu_quat_wxyz"], quaternion)
    assert run.got[-1][1] - run.got[1][1] > 1.19


def test_a_log_without_a_clock_is_refused(robot, tmp_path):
    make_log(tmp_path / "log", robot)
    (tmp_path / "log" / "time.npy").unlink()
    with pytest.raises(ValueError, match="no time stamps.*give the log a channel `time`"):
        open_source(f"log://{tmp_path}/log", robot)
    with pytest.raises(ValueError, match="nowhere"):
        open_source(f"log://{tmp_path}/nowhere", robot)


def test_an_mcap_of_ros_messages(tmp_path):
    writer = needs.package("mcap.writer")
    robot = antaeus.load_robot("planar_3r")
    from rosbags.typesys import Stores, get_typestore

    definition, _ = get_typestore(Stores.ROS2_JAZZY).generate_msgdef("sensor_msgs/msg/JointState")
    with open(tmp_path / "log.mcap", "wb") as file:
        written = writer.Writer(file)
        written.start()
        schema = written.register_schema("sensor_msgs/msg/JointState", "ros2msg", definition.encode())
        channel = written.register_channel("/joint_states", "cdr", schema)
        for number in range(50):
            written.add_message(channel, number * 2_000_000, senders.ros_messages(number)[0], number * 2_000_000)
        written.finish()
    run = Run(open_source(f"mcap://{tmp_path}/log.mcap", robot, speed=0))
    run.thread.join(120)
    found = samples_of(run.end())
    np.testing.assert_array_equal(found["qpos"], np.arange(50)[:, None] + np.array([2.0, 1.0, 3.0]))
    np.testing.assert_array_equal(found["tau"], np.tile([8.0, 7.0, 9.0], (50, 1)))
    np.testing.assert_allclose(found["time"][:, 0], np.arange(50) * 0.001, atol=1e-12)  # the sender's stamps, from the first on
    with pytest.raises(ValueError, match="is no .mcap; write log://"):
        open_source(f"mcap://{tmp_path}/log.bag", robot)


# ---- Simulation ------------------------------------------------------------------------------------------------------------


def test_a_simulated_robot(robot):
    needs.package("mujoco")
    found = []
    for _ in range(2):
        run = Run(open_source("sim://h1_2?rate=250", robot, speed=0), refused=1)
        got = run.until(301)
        found.append(samples_of(got[:301]))
    assert run.source.simulated
    for name, values in found[0].items():
        np.testing.assert_array_equal(values, found[1][name])  # the same noise at every run
    np.testing.assert_allclose(found[0]["time"][:, 0], np.arange(300) / 250, atol=1e-9)
    assert found[0]["qpos"].shape == (300, 27) and np.isfinite(found[0]["tau"]).all()
    # At rest and upright the accelerometer reads g, the quaternion is the identity, and legs that hang carry themselves alone.
    np.testing.assert_allclose(np.linalg.norm(found[0]["imu_acc"], axis=1)[200:].mean(), 9.81, atol=0.02)
    np.testing.assert_allclose(abs(found[0]["imu_quat_xyzw"][200:, 3]), 1.0, atol=1e-3)


def test_a_simulation_is_in_real_time_and_ends_with_its_reader(robot):
    needs.package("mujoco")
    run = Run(open_source("sim://panda?rate=200", robot))
    got = run.until(300)
    times = samples_of(got)["time"][:, 0]
    received = np.array([moment for _, moment, _ in run.got[1:]])
    assert np.all(received[1:] - received[1] >= times[1:] - times[1] - 0.05), "no sample before its time, but for the pipe's own delays"
    until(lambda: not [command for command in children() if b"simulation_process" in command])


def children():
    own = str(os.getpid())
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (place / "stat").read_text().rpartition(")")[2].split()[1] == own:
                yield (place / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue


# ---- What is wrong ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("address", "said"), [
    ("udq://5", "no source is called udq://; did you mean 'udp'?"),
    ("h1_2", "is no address of a source; addresses are -, udp://"),
    ("pushed.csv", "is no address of a source; to play a log back, write log://pushed.csv"),
    ("runs/pushed.mcap", "to play a log back, write log://runs/pushed.mcap"),
    (str(pathlib.Path(__file__).parent), f"to play a log back, write log://{pathlib.Path(__file__).parent}"),
    ("foxglove://x", "no source is called foxglove://"),
    ("udp://127.0.0.1", "names no port; write udp://[HOST:]PORT"),
    ("udp://70000", "names no port"),
    ("udp://no.such.host.invalid:5", "cannot be listened to"),
    ("tcp://no.such.host.invalid:5", "the host is not known"),
    ("udp://5?a=1", "unknown option 'a'; it takes no options"),
    ("tcp://:5?port=1&port=2", "the option 'port' stands twice"),
    ("dds://rt/lowstate", "names no domain"),
    ("dds://0", "names no domain"),
    ("dds://0/", "names no topic"),
    ("dds://0/rt/low state", "names no topic"),
    ("dds://0/rt/x?type=h1", "type=h1 is invalid"),
    ("dds://0/rt/x?typ=hg", "unknown option 'typ'; did you mean 'type'?"),
    ("dds://0/rt/x?interface=\"/><x/>", "interface is not the name of a network interface"),
    ("zenoh://", "is no topic of ROS and no key of rmw_zenoh"),
    ("zenoh://a b", "is no topic of ROS"),
    ("zenoh://x?connect=127.0.0.1:7447", "is no endpoint of Zenoh; write connect=tcp/127.0.0.1:7447"),
    ("zenoh://x?domain=me", "the ROS domain 'me' is not a number"),
    ("log://", "names no log"),
    ("sim://h1_3", "did you mean 'h1_2'?"),
    ("sim://h1_2?rate=1", "rate=1 is invalid"),
    ("x" * 2000, "is too long"),
    ("udp://5\n6", "holds what cannot be printed"),
])  # fmt: skip
def test_what_is_wrong_is_one_line(robot, address, said):
    with pytest.raises(ValueError) as error:
        open_source(address, robot)
    assert said in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 1500


@pytest.mark.parametrize(("library", "address"), [("cyclonedds", "dds://0/rt/lowstate"), ("zenoh", "zenoh://joint_states"),
                                                  ("mujoco", "sim://h1_2")])  # fmt: skip
def test_a_library_that_is_not_there(library, address):
    code = (f"import sys\nsys.modules[{library!r}] = None\nimport antaeus\nfrom antaeus.live.sources import open_source\n"
            f"try:\n    open_source({address!r}, antaeus.load_robot('h1_2'))\nexcept ValueError as error:\n    print(error)")
    if library == "mujoco":
        code = code.replace("sys.modules['mujoco'] = None", "sys.modules['mujoco'] = None\nimport importlib.util\n"
                            "importlib.util.find_spec = lambda name: None")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name, extra = {"zenoh": ("eclipse-zenoh", "live"), "mujoco": ("mujoco", "sim")}.get(library, (library, "live"))
    assert done.stdout == f"{address}: needs the Python package {name}; pip install 'antaeus[{extra}]'\n"


def test_no_library_is_imported_before_it_is_used():
    code = ("import sys, antaeus.live.sources, antaeus.live.sinks\n"
            "print([name for name in ('cyclonedds', 'zenoh', 'mujoco', 'websockets') if name in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_names_from_the_network_are_plain():
    assert plain("rt/low\x1b[2J\nstate" + "x" * 500) == r"rt/low\x1b[2J\x0astate" + "x" * 104


def test_a_simulation_names_its_robot():
    assert (robot_of("sim://panda?rate=200"), robot_of("udp://5"), robot_of("-")) == ("panda", None, None)


def test_every_scheme_stands_in_the_message():
    with pytest.raises(ValueError) as error:
        open_source("nothing", None)
    assert all(scheme in str(error.value) for scheme in SCHEMES)
