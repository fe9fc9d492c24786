"""Messages without a usable sample: consumers get the same as while nothing arrives."""

import json
import math
import struct
import threading
import time

import antaeus
import pytest
from antaeus.live.watching import Watch

PATIENCE = 30.0  # s for an event; a tenth of a second is usual
GOOD = 100  # samples at least before the fault


def sample(stamp):
    return {"time": stamp, "qpos": [0.3, 0.2, 0.1], "dq": [0.0, 0.0, 0.0], "tau": [0.01 * math.sin(200 * stamp + joint) for joint in range(3)]}


def as_json(message):
    return json.dumps(message).encode()


NAN = float("nan")
FAULTS = {
    "null_torques": lambda stamp, last: as_json(sample(stamp) | {"tau": None}),
    "a_list_of_null_torques": lambda stamp, last: as_json(sample(stamp) | {"tau": [None] * 3}),
    "empty_torques": lambda stamp, last: as_json(sample(stamp) | {"tau": []}),
    "no_torques": lambda stamp, last: as_json({name: value for name, value in sample(stamp).items() if name != "tau"}),
    "nan_torques": lambda stamp, last: as_json(sample(stamp) | {"tau": [NAN] * 3}),
    "nan_positions": lambda stamp, last: as_json(sample(stamp) | {"qpos": [NAN] * 3}),
    "too_few_torques": lambda stamp, last: as_json(sample(stamp) | {"tau": [0.0, 0.0]}),
    "too_many_positions": lambda stamp, last: as_json(sample(stamp) | {"qpos": [0.0] * 4}),
    "a_frozen_stamp": lambda stamp, last: as_json(sample(stamp) | {"time": last}),
    "a_nan_stamp": lambda stamp, last: as_json(sample(stamp) | {"time": NAN}),
    "no_stamp": lambda stamp, last: as_json({name: value for name, value in sample(stamp).items() if name != "time"}),
    "stamps_that_run_backwards": lambda stamp, last: as_json(sample(stamp) | {"time": 2 * last - stamp}),
    "cut_messages": lambda stamp, last: as_json(sample(stamp))[:-10],
    "no_json": lambda stamp, last: b"\xff\x00nothing",
    "silence": lambda stamp, last: None,
}


class Sender:
    """A source that sends good samples, then what `fault` makes of each, then good ones again."""

    format = "json"

    def __init__(self, fault):
        self.fault, self.faulty, self.repaired = fault, threading.Event(), threading.Event()

    def run(self, push, stop):
        began, last, count = time.monotonic(), 0.0, 0
        while not stop.is_set():
            stamp = time.monotonic() - began
            if count >= GOOD and self.faulty.is_set() and not self.repaired.is_set():
                message = self.fault(stamp, last)
            else:
                message, last = as_json(sample(stamp)), stamp
            if message is not None:
                push(message, time.monotonic())
            count += 1
            stop.wait(0.005)


class Consumer:
    """Collects what is published."""

    encoding = "json"

    def __init__(self):
        self._arrived = threading.Condition()
        self._messages = []

    def send(self, topic, payload):
        with self._arrived:
            self._messages.append((topic, json.loads(payload)))
            self._arrived.notify_all()

    def wait_for(self, found):
        """The first message after this call for which found(topic, message) is true."""
        with self._arrived:
            seen = len(self._messages)
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until:
                for topic, message in self._messages[seen:]:
                    seen += 1
                    if found(topic, message):
                        return message
                self._arrived.wait(until - time.monotonic())
        pytest.fail(f"never published within {PATIENCE:.0f} s; the last was {self._messages[-1:]}")


@pytest.mark.parametrize("fault", FAULTS)
def test_messages_without_a_usable_sample_are_silence(fault):
    sender, consumer = Sender(FAULTS[fault]), Consumer()
    watching = Watch(sender, "planar_3r", sinks=(consumer,))
    seen = []
    thread = threading.Thread(target=lambda: seen.append(watching.run()))
    thread.start()
    try:
        consumer.wait_for(lambda topic, message: topic == "guard" and message["endpoints"][0]["state"] == "ok")
        sender.faulty.set()
        consumer.wait_for(lambda topic, message: topic == "guard" and message["stream"] == "silent")
        for _ in range(5):  # it lasts, and the wrench agrees
            guard = consumer.wait_for(lambda topic, message: topic == "guard")
            assert guard["stream"] == "silent"
            assert [(one["state"], one["action"], one["because"][0]) for one in guard["endpoints"]] == [("refused", "zero", "stale")]
            wrench = consumer.wait_for(lambda topic, message: topic == "wrench")
            assert [(one["state"], one["action"], one["force"], one["torque"]) for one in wrench["endpoints"]] == [("refused", "zero", [0, 0, 0], [0, 0, 0])]
        sender.repaired.set()
        consumer.wait_for(lambda topic, message: topic == "guard" and message["stream"] == "running" and message["endpoints"][0]["state"] == "ok")
    finally:
        watching.stop()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert seen[0].facts["silences"] >= 1
    assert any(event.kind == "stream" and "no usable sample arrives" in event.words for event in seen[0].events)


def test_a_guard_says_of_a_late_sample_what_its_wrench_says():
    """A sample that is late by more than live.late is refused on both topics."""
    robot = antaeus.load_robot("planar_3r")
    consumer = Consumer()

    class Late:
        format = "json"

        def run(self, push, stop):
            for count in range(100_000):
                stamp = 0.005 * count
                push(as_json(sample(stamp)), stamp + (1.0 if count >= GOOD else 0.0))
                if stop.wait(0.005):
                    return

    watching = Watch(Late(), robot, sinks=(consumer,))
    thread = threading.Thread(target=watching.run)
    thread.start()
    try:
        guard = consumer.wait_for(lambda topic, message: topic == "guard" and message["time"] > 0.005 * GOOD + 0.1 and message["stream"] == "running")
        assert [(one["state"], one["action"], one["because"][0]) for one in guard["endpoints"]] == [("refused", "zero", "stale")]
    finally:
        watching.stop()
        thread.join(PATIENCE)


# Other publishers --------------------------------------------------------------------------------------------------------------------------

OWN = ["joint_1", "joint_2", "joint_3"]


def as_cdr(stamp, names, *channels):
    """sensor_msgs/JointState."""
    text = bytearray(struct.pack("<iIIx", int(stamp), int(stamp % 1 * 1e9), 1))
    pad = lambda size: text.extend(bytes(-len(text) % size))  # noqa: E731
    pad(4)
    text += struct.pack("<I", len(names))
    for name in names:
        pad(4)
        text += struct.pack("<I", len(name) + 1) + name.encode() + b"\0"
    for values in channels:
        pad(4)
        text += struct.pack("<I", len(values))
        if values:
            pad(8)
        text += struct.pack(f"<{len(values)}d", *values)
    return b"\0\1\0\0" + bytes(text)


def as_named_json(stamp, names, position, velocity, effort):
    return as_json({"time": stamp, "name": names, "position": position, "velocity": velocity, "effort": effort})


FOREIGN = {
    "a_gripper": (["finger"], [0.01], [0.0], [0.0]),
    "a_hand_with_as_many_joints": (["f_1", "f_2", "f_3"], [0.9] * 3, [0.0] * 3, [90.0] * 3),
    "no_effort": (OWN, [0.3, 0.2, 0.1], [0.0] * 3, []),
    "empty": ([], [], [], []),
    "half_of_the_joints": (OWN[:1], [0.3], [0.0], [0.0]),
}


class Shared:
    """A topic on which another publisher sends, from the first message or later on."""

    ends = True

    def __init__(self, encoding, foreign, first):
        self.format = "ros2" if encoding is as_cdr else "json"
        self.encoding, self.foreign, self.first = encoding, foreign, first

    def run(self, push, stop):
        for count in range(400):
            now = count / 200
            if count >= 200 or self.first:
                push(self.encoding(now, *self.foreign), now, 0)
            push(self.encoding(now, OWN, [0.3, 0.2, 0.1], [0.0] * 3, sample(now)["tau"]), now, 0)


@pytest.mark.parametrize("first", [False, True], ids=["later", "first"])
@pytest.mark.parametrize(("encoding", "foreign"), [
    *((as_cdr, foreign) for foreign in FOREIGN),
    # JSON may leave a channel out of a message: such a sample is refused (FAULTS).
    *((as_named_json, foreign) for foreign in ("a_gripper", "a_hand_with_as_many_joints", "half_of_the_joints"))])
def test_messages_of_other_publishers_are_counted_and_skipped(encoding, foreign, first):
    seen = Watch(Shared(encoding, FOREIGN[foreign], first), "planar_3r").run()
    assert seen.facts["undecodable"] == (400 if first else 200) and seen.facts["last_problem"]
    assert seen.samples >= 299, "ROS waits half a second for an Imu"
    assert not seen.found


def test_no_thread_is_in_the_library_when_a_watch_has_failed():
    """Python that exits while a daemon thread is in the library aborts."""

    class Fails(Shared):
        def run(self, push, stop):
            super().run(push, stop)
            raise ValueError("the source failed")

    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="the source failed"):
        Watch(Fails(as_cdr, FOREIGN["a_gripper"], False), "planar_3r").run()
    assert set(threading.enumerate()) == before
