"""Sinks of watch: what another process hears, by each transport; nobody who listens badly holds anything up."""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time

import antaeus
import needs
import pytest
from antaeus.live.sinks import open_sink
from antaeus.live.sinks.json_lines import json_line
from antaeus.live.sinks.ros_messages import text_message, topic_and_type
from antaeus.live.sinks.standard_output import StandardOutput
from senders import free_port
from waiting import until

DOMAIN = 30 + os.getpid() % 90
A_WAIT = 0.05  # [s]: half of the 0.1 s that a writer of DDS may wait, and a hundred times what a call takes
PAYLOAD = b'{"time": 1.5, "force": [1, 2, 3]}'


def without_waiting(call, count):
    """Makes the calls, and fails if they do not end: a call must not wait for a listener that does not read."""
    done, problems = threading.Event(), []

    def work():
        try:
            for number in range(count):
                call(number)
        except Exception as problem:  # noqa: BLE001: raised below
            problems.append(problem)
        done.set()

    threading.Thread(target=work, daemon=True).start()
    assert done.wait(count * A_WAIT), "it waits for who listens"
    if problems:
        raise problems[0]


@pytest.fixture(scope="session")
def robot():
    return antaeus.load_robot("h1_2")


def listen(code, *words):
    """Another process, which listens, and prints what it hears."""
    child = subprocess.Popen([sys.executable, "-u", "-c", code, *map(str, words)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"listens\n"
    return child


def wrench_stamped():
    """geometry_msgs/WrenchStamped as CDR, by rosbags: what the estimator hands to sinks of "wrench_stamped"."""
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    types = store.types
    vector = types["geometry_msgs/msg/Vector3"]
    header = types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](7, 8), "left_wrist_yaw_link")
    wrench = types["geometry_msgs/msg/Wrench"](vector(1.0, -2.0, 3.5), vector(0.25, 0.5, -0.75))
    message = types["geometry_msgs/msg/WrenchStamped"](header, wrench)
    return store.serialize_cdr(message, "geometry_msgs/msg/WrenchStamped").tobytes()


# ---- Lines of JSON -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", [b"{}", PAYLOAD, b' {\n "a": "b}\\n"\n}\n', b'{"x": {}}'])
@pytest.mark.parametrize("topic", ["wrench", 'wrench/"odd"\nname', "guard"])
def test_a_line_is_the_payload_and_its_topic(topic, payload):
    line = json_line(topic, payload)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert json.loads(line) == {"topic": topic, **json.loads(payload)}


def test_standard_output():
    code = ("import antaeus\nfrom antaeus.live.sinks import open_sink\nsink = open_sink('-', None)\n"
            "for number in range(1000):\n    sink.send('wrench', b'{\"n\": %d}' % number)\nsink.close()\nassert sink.dropped == 0")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [json.loads(line)["n"] for line in done.stdout.splitlines()] == list(range(1000))


def test_standard_output_that_nobody_reads():
    reader, writer = os.pipe()
    sink = StandardOutput(writer)
    without_waiting(lambda number: sink.send("wrench", PAYLOAD), 20_000)
    assert sink.dropped > 10_000
    os.close(reader)
    with pytest.raises(OSError, match="the reader of standard output has gone"):
        until(lambda: sink.send("wrench", PAYLOAD))


# ---- UDP, TCP ------------------------------------------------------------------------------------------------------------------


def test_datagrams(robot):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(120)
        sink = open_sink(f"udp://{listener.getsockname()[1]}", robot)
        for number in range(50):
            sink.send("wrench", b'{"n": %d}' % number)
        assert [json.loads(listener.recv(65536)) for _ in range(50)] == [{"topic": "wrench", "n": number} for number in range(50)]
        sink.send("wrench", b'{"x": "' + b"x" * 70_000 + b'"}')
        assert sink.dropped == 1, "larger than a datagram can be"
    sink.send("wrench", PAYLOAD)  # nobody listens any more
    sink.close()


def connected(port):
    listener = socket.create_connection(("127.0.0.1", port), 5)
    listener.settimeout(120)
    return listener


def accepted(sink, count):
    """Sends nothing until so many are listened to."""
    def have_come():
        sink._accept()
        return len(sink._listeners) == count

    until(have_come)


def test_everyone_who_connects_hears_lines(robot):
    port = free_port()
    sink = open_sink(f"tcp://{port}", robot)
    sink.send("wrench", PAYLOAD)  # to nobody
    listeners = [connected(port), connected(port)]
    accepted(sink, 2)
    for number in range(100):
        sink.send("wrench", b'{"n": %d}' % number)
        if number == 50:
            listeners.pop().close()
    with listeners[0].makefile("rb") as lines:
        assert [json.loads(lines.readline())["n"] for _ in range(100)] == list(range(100))
    assert sink.dropped == 0
    with pytest.raises(ValueError, match="another process has the port"):
        open_sink(f"tcp://{port}", robot)
    sink.close()


def test_a_listener_that_stands_still_loses_whole_lines_and_holds_up_nobody(robot):
    port = free_port()
    sink = open_sink(f"tcp://{port}", robot)
    slow, quick = connected(port), connected(port)
    accepted(sink, 2)
    heard = []
    reading = threading.Thread(target=lambda: heard.extend(quick.makefile("rb")))
    reading.start()
    filler = b"x" * 5000
    without_waiting(lambda number: sink.send("wrench", b'{"n": %d, "x": "%s"}' % (number, filler)), 3000)
    print(f"dropped {sink.dropped}")
    assert sink.dropped > 100
    sent = []
    reading_slow = threading.Thread(target=lambda: sent.extend(slow.makefile("rb")))
    reading_slow.start()
    # The slow one reads again: what waits for it goes out with the next messages.
    until(lambda: sink.send("guard", b"{}") or any(b'"guard"' in line for line in sent[-1:]))
    sink.close()
    for thread in (reading, reading_slow):
        thread.join(120)
    numbers = [json.loads(line).get("n") for line in sent if b'"n"' in line]
    assert numbers == sorted(set(numbers)) and 0 < len(numbers) < 3000, "whole lines, in order, some missing"


# ---- DDS, Zenoh ------------------------------------------------------------------------------------------------------------------

HEAR_DDS = """
import sys, time
from antaeus.live import dds_types
from cyclonedds.domain import DomainParticipant
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.core import Policy, Qos
participant = DomainParticipant(int(sys.argv[1]))
qos = Qos(Policy.Reliability.Reliable(0), Policy.History.KeepLast(1000))
topics = {"antaeus/wrench": dds_types.WrenchStamped, "antaeus/wrench/right_hand": dds_types.WrenchStamped,
          "antaeus/wrench/guard": dds_types.String}
readers = {name: DataReader(participant, Topic(participant, name, kind), qos=qos) for name, kind in topics.items()}
print("listens")
while True:
    for name, reader in readers.items():
        for message in reader.take(100):
            if name.endswith("guard"):
                print(name, message.data)
            elif hasattr(message, "wrench"):
                f, t, h = message.wrench.force, message.wrench.torque, message.header
                print(name, h.stamp.sec, h.stamp.nanosec, h.frame_id, f.x, f.y, f.z, t.x, t.y, t.z)
    time.sleep(0.005)
"""
HEAR_ZENOH = """
import sys, threading, zenoh
config = zenoh.Config()
config.insert_json5("listen/endpoints", '["tcp/127.0.0.1:%s"]' % sys.argv[1])
config.insert_json5("scouting/multicast/enabled", "false")
session = zenoh.open(config)
def hear(sample):
    print(str(sample.key_expr), sample.payload.to_bytes().hex(), sample.attachment.to_bytes().hex())
subscription = session.declare_subscriber("**", hear)
print("listens")
threading.Event().wait()
"""
NUMBERS = "7 8 left_wrist_yaw_link 1.0 -2.0 3.5 0.25 0.5 -0.75"


def heard(child, sink, lines):
    """Sends until the child has said so many different lines."""
    found, rest, end = [], b"", time.monotonic() + 120
    while len(found) < lines and time.monotonic() < end:
        sink.send("wrench", wrench_stamped())
        sink.send("wrench/right hand", wrench_stamped())
        sink.send("guard", b'{"state": "ok"}')
        time.sleep(0.05)
        if select.select([child.stdout], [], [], 0)[0]:
            *whole, rest = (rest + os.read(child.stdout.fileno(), 1 << 16)).split(b"\n")
            found = list(dict.fromkeys(found + [line.decode() for line in whole]))
    child.kill()
    return found


def test_wrenches_by_dds(robot):
    needs.package("cyclonedds")
    with listen(HEAR_DDS, DOMAIN) as child:
        sink = open_sink(f"dds://{DOMAIN}/antaeus/wrench", robot)
        found = heard(child, sink, 3)
    assert sorted(found) == [f"antaeus/wrench {NUMBERS}", 'antaeus/wrench/guard {"state": "ok"}', f"antaeus/wrench/right_hand {NUMBERS}"]
    assert sink.dropped == 0


def test_a_sink_of_dds_never_waits(robot):
    needs.package("cyclonedds")
    with listen(HEAR_DDS, DOMAIN + 1) as child:
        sink = open_sink(f"dds://{DOMAIN + 1}/antaeus/wrench", robot)
        message = wrench_stamped()
        until(lambda: sink.send("wrench", message) or select.select([child.stdout], [], [], 0.01)[0])
        os.kill(child.pid, 19)  # SIGSTOP: it listens, reliably, and takes nothing
        without_waiting(lambda number: sink.send("wrench", message), 3000)
        child.kill()
    print(f"dropped {sink.dropped}")


def test_wrenches_by_zenoh(robot):
    needs.package("zenoh")
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    port = free_port()
    with listen(HEAR_ZENOH, port) as child:
        assert child.poll() is None
        sink = open_sink(f"zenoh://antaeus/wrench?connect=tcp/127.0.0.1:{port}&domain=4", robot)
        found = heard(child, sink, 12)
    messages, numbers = {}, []
    for line in found:
        key, payload, attachment = line.split()
        messages[key] = bytes.fromhex(payload)
        number, stamp = (int.from_bytes(bytes.fromhex(attachment)[at:at + 8], "little") for at in (0, 8))
        numbers.append(number)
        assert len(attachment) == 2 * 33 and attachment[32:34] == "10" and abs(stamp - time.time_ns()) < 60e9
    assert len(set(numbers)) == len(numbers)
    wrench = "geometry_msgs::msg::dds_::WrenchStamped_/" + store.hash_rihs01("geometry_msgs/msg/WrenchStamped")
    text = "std_msgs::msg::dds_::String_/" + store.hash_rihs01("std_msgs/msg/String")
    assert messages == {f"4/antaeus/wrench/{wrench}": wrench_stamped(), f"4/antaeus/wrench/right_hand/{wrench}": wrench_stamped(),
                        f"4/antaeus/wrench/guard/{text}": text_message(b'{"state": "ok"}')}  # fmt: skip
    sink.close()


def test_text_is_std_msgs_string():
    rosbags = needs.package("rosbags.typesys")
    store = rosbags.get_typestore(rosbags.Stores.ROS2_JAZZY)
    for text in ("", "a", "{\"state\": \"ä\"}", "x" * 1000):
        data = text_message(text.encode())
        assert len(data) % 4 == 0 and store.deserialize_cdr(data, "std_msgs/msg/String").data == text


@pytest.mark.parametrize(("topic", "name", "kind"), [
    ("wrench", "a/b", "geometry_msgs/WrenchStamped"), ("wrench/left wrist-1", "a/b/left_wrist_1", "geometry_msgs/WrenchStamped"),
    ("guard", "a/b/guard", "std_msgs/String"), ("damping_request", "a/b/damping_request", "std_msgs/String"),
])  # fmt: skip
def test_names_of_topics(topic, name, kind):
    assert topic_and_type("a/b", topic) == (name, kind)


# ---- What is wrong ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("address", "said"), [
    ("tpc://5", "no sink is called tpc://; did you mean 'tcp'?"),
    ("wrench", "is no address of a sink; addresses are -, udp://"),
    ("pushed.csv", "is no address of a sink; addresses are -, udp://"),
    ("log://x", "no sink is called log://"),
    ("udp://x", "names no port"),
    ("udp://no.such.host.invalid:5", "the host is not known"),
    ("tcp://192.0.2.99:5", "cannot be served"),
    ("dds://0", "names no domain"),
    ("dds://0/x?type=hg", "unknown option 'type'"),
    ("zenoh://**", "is a key expression; name the topic"),
    ("zenoh://x?listen=7447", "is no endpoint of Zenoh"),
])  # fmt: skip
def test_what_is_wrong_is_one_line(robot, address, said):
    with pytest.raises(ValueError) as error:
        open_sink(address, robot)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("library", "address"), [("cyclonedds", "dds://0/wrench"), ("zenoh", "zenoh://wrench")])
def test_a_library_that_is_not_there(library, address):
    code = (f"import sys\nsys.modules[{library!r}] = None\nfrom antaeus.live.sinks import open_sink\n"
            f"try:\n    open_sink({address!r}, None)\nexcept ValueError as error:\n    print(error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name = {"zenoh": "eclipse-zenoh"}.get(library, library)
    assert done.stdout == f"{address}: needs the Python package {name}; pip install 'antaeus[live]'\n"
