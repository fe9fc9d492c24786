"""A stream without a robot: blocks, events and facts as a LiveEstimator's reader has them, made of sines and noise.

    python tests/live/fake_stream.py h1_2 --endpoint left_wrist_yaw_link --seconds 60      # serves a page of it, and prints its address
"""

import argparse
import math
import pathlib
import threading
import time
import types

import numpy

import antaeus

VERDICTS = [verdict.value for verdict in antaeus.Verdict]
ACTIONS = [action.value for action in antaeus.ConsumerAction]
BITS = {name: bit for bit in range(64) for name in antaeus.reason_names(1 << bit)}
COUNTS = ("received", "samples", "lost", "repeated", "out_of_order", "late", "undecodable", "dropped", "oversized", "restarts", "clock_jumps",
          "silences")
RATE = 1000.0  # [Hz]


def bits(*names):
    return sum(1 << BITS[name] for name in names)


def facts(stream="running", **told):
    about = {"stream": stream, "rate": RATE, "clock_offset": 1.7e-3, "latency": 8e-5, "last_problem": "", "notes": []}
    return types.SimpleNamespace(**(about | dict.fromkeys(COUNTS, 0) | told))


class FakeStream:
    """alarm: seconds between alarms, each 3 s long: the torques of three joints jump and the first endpoint is refused."""

    def __init__(self, robot, endpoints, alarm=20.0, seed=1):
        self.robot, self.endpoints, self.alarm = robot, endpoints, alarm
        self.random = numpy.random.default_rng(seed)
        self.motors = len(robot.model.motor_names())
        self.count, self.began, self.bad = 0, time.monotonic(), False
        pose = getattr(robot.profile, "poses", [])
        self.rest = numpy.array(robot.pose(pose[0].name)) if pose else numpy.zeros(self.motors)
        self.floating = robot.model.base() != antaeus.Base.fixed

    def block(self, now=None):
        """All samples since the last one, and what happened in them."""
        now = time.monotonic() if now is None else now
        n, m, e = max(1, round((now - self.began) * RATE) - self.count), self.motors, len(self.endpoints)
        t = (self.count + numpy.arange(n)) / RATE
        phase = t[:, None] * 0.9 + numpy.arange(m) * 0.8
        q = self.rest + 0.12 * numpy.sin(phase)
        sd = numpy.tile(0.6 + 0.5 * numpy.abs(numpy.sin(numpy.arange(m))), (n, 1)) * (1.0 + 0.2 * numpy.cos(phase))
        residual = 0.5 * sd * numpy.sin(1.7 * phase) + 0.45 * sd * self.random.standard_normal((n, m))
        alarmed = (t % self.alarm) > self.alarm - 3.0
        residual[alarmed, : min(3, m)] += 9.0
        wrench = numpy.zeros((n, e, 6))
        axes = numpy.zeros((n, e, 9))
        spread = numpy.zeros((n, e, 6))
        for k in range(e):
            push = 14.0 * numpy.clip(numpy.sin(0.6 * t + k), 0, None)
            wrench[:, k, 0], wrench[:, k, 1], wrench[:, k, 2] = push, -0.4 * push * numpy.cos(0.3 * t), -0.7 * push + 2.0 * numpy.sin(t)
            wrench[:, k, :3] += 0.4 * self.random.standard_normal((n, 3))
            wrench[:, k, 3:] = 0.05 * wrench[:, k, :3]
            wrench[alarmed, k, 2] += 45.0 if k == 0 else 0.0
            spread[:, k] = [3.0, 2.2, 5.5, 0.4, 0.3, 0.5]
            axes[:, k] = [0, 2.2, 0, 2.9, 0, 0.6, -1.1, 0, 5.6]
        verdict = numpy.zeros((n, e), numpy.uint8)
        because = numpy.zeros((n, e), numpy.uint64)
        verdict[:, -1] = VERDICTS.index("degraded")
        because[:, -1] = bits("unobservable_direction", "uncertain")
        verdict[alarmed, 0] = VERDICTS.index("refused")
        because[alarmed, 0] = bits("torque_rate", "joint_error" if "joint_error" in BITS else "contradiction", "held")
        action = numpy.full((n, e), ACTIONS.index("posterior"), numpy.uint8)
        action[alarmed, 0] = ACTIONS.index("hold")
        consumer = wrench.copy()
        consumer[alarmed, 0, 2] -= 45.0
        turn = 0.08 * numpy.sin(0.5 * t) if self.floating else numpy.zeros(n)
        base = numpy.zeros((n, 9))
        base[:, [0, 8]] = numpy.cos(turn)[:, None]
        base[:, 2], base[:, 4], base[:, 6] = numpy.sin(turn), 1, -numpy.sin(turn)
        first = self.count
        self.count += n
        block = types.SimpleNamespace(
            first=first, stamp=t, received=self.began + t, time=t, epoch=numpy.zeros(n), held_off=numpy.zeros(n), q=q, residual=residual,
            residual_sd=sd, wrench=wrench, sd=spread, force_axes=axes, position=numpy.zeros((n, e, 3)),
            base_rotation=base.reshape(n, 3, 3), consumer=consumer, verdict=verdict, state=verdict, action=action, reasons=because,
            because=because, nis=numpy.full((n, e, 1), 4.0), nis_limit=numpy.full((n, e, 1), 14.1),
            stop=numpy.zeros((n, e), numpy.uint8), sign="on_robot")
        events = []
        for i in numpy.flatnonzero(numpy.diff(numpy.concatenate([[self.bad], alarmed]).astype(int))):
            self.bad = bool(alarmed[i])
            words = "The force is refused: a torque jumped by 9 N\u00b7m within 20 ms." if self.bad else "The force may be used again."
            events.append(event("refused" if self.bad else "recovered", first + int(i), t[i], self.endpoints[0], words,
                                ["torque_rate"] if self.bad else []))
        notes = ["positions: motor_state[i].q", "no accelerometer is sent"]
        return block, events, facts(received=self.count, samples=self.count, notes=notes)


def event(kind, index, at, endpoint, words, reasons=()):
    return types.SimpleNamespace(kind=kind, index=index, time=float(at), endpoint=endpoint, words=words, reasons=list(reasons))


def empty(stream):
    """A block without a sample: the stream is silent."""
    block, _, _ = stream.block()
    for name, value in vars(block).items():
        if isinstance(value, numpy.ndarray):
            setattr(block, name, value[:0])
    return block


def feed(page, stream, stop, extra=None):
    """30 blocks a second until `stop`. extra: Events to add, a list that others fill."""
    while not stop.wait(1 / 30):
        block, events, told = stream.block()
        while extra:
            events.append(extra.pop(0)(block))
        page.take(block, events, told)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("robot")
    parser.add_argument("--endpoint", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--alarm", type=float, default=20.0)
    parser.add_argument("--past", type=float, default=0.0, help="seconds that lie behind it at the start")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    from antaeus.live.page import LivePage
    robot = antaeus.load_robot(arguments.robot)
    endpoints = robot.endpoint_frames(arguments.endpoint)
    extra = []

    def mark(text):
        extra.append(lambda block: event("mark", block.first, block.time[0], "", text))

    page = LivePage(robot, endpoints, ("127.0.0.1", arguments.port), mark, "", f"fake://{pathlib.Path(arguments.robot).name}")
    print(page.url, flush=True)
    stream = FakeStream(robot, endpoints, arguments.alarm)
    stream.began -= arguments.past
    for i in range(math.ceil(arguments.past * 30)):
        block, events, told = stream.block(stream.began + (i + 1) / 30)
        page.take(block, events, told)
    stop = threading.Event()
    threading.Timer(arguments.seconds, stop.set).start()
    feed(page, stream, stop, extra)
    page.close()


if __name__ == "__main__":
    main()
