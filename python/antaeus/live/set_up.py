"""Whether the stream is what the robot's profile says: `antaeus check` on the last seconds, while watch runs."""

import collections
import contextlib
import dataclasses
import os
import threading
import time
import typing
from collections.abc import Callable

import numpy as np

from antaeus.live.recording import filled

AT = (3.0, 10.0, 30.0)  # s of samples
AGAIN = 300.0  # s between later checks
_SHARE = 0.02  # of a core, at most, by later checks
_SECONDS = 20.0  # of samples that a check is given
_MOST_SAMPLES = 1500  # of them: more are thinned, which leaves what is slow as it is, and costs a core a second or two
# What the stream's own facts say already: the estimator leaves such samples out.
_OF_THE_STREAM = ("time_gap", "time_back", "time_repeated", "time_missing")


@dataclasses.dataclass(frozen=True)
class SetUpFinding:
    """One mistake of the set-up that a stream shows."""

    fault: str
    """Its name (docs/guide/check.md)."""
    severity: str
    """error: no force can be trusted; warning: some may be wrong."""
    words: str
    """One sentence, and its remedy."""
    motors: tuple[int, ...]
    """Places in motor order whose torques it concerns; empty: all."""
    index: int
    """Last sample that the check saw."""
    time: float
    """Its time [s]."""


class LastSamples:
    """The last seconds of a stream as they came, to be made an episode of. Blocks are kept, not copied."""

    def __init__(self, seconds: float, most: int | None = _MOST_SAMPLES) -> None:
        self._seconds, self._most = seconds, most
        self._blocks: collections.deque[typing.Any] = collections.deque()

    def add(self, block: typing.Any) -> None:
        """Begins anew at each epoch: a log with a break in it would be judged by the break."""
        if self._blocks and block.epoch[-1] != self._blocks[-1].epoch[-1]:
            self._blocks.clear()
        self._blocks.append(block)
        while len(self._blocks) > 1 and block.time[-1] - self._blocks[1].time[0] > self._seconds:
            self._blocks.popleft()

    def seconds(self) -> float:
        """That they span; 0 without a clock."""
        if not self._blocks:
            return 0.0
        span = float(self._blocks[-1].time[-1] - self._blocks[0].time[0])
        return span if np.isfinite(span) else 0.0

    def blocks(self) -> list[typing.Any]:
        return list(self._blocks)

    def episode(self, robot: typing.Any, blocks: list[typing.Any] | None = None) -> typing.Any:
        """antaeus.Episode, read by the profile's [channels] as a log is. Raises ValueError where the samples are no episode."""
        import antaeus

        blocks = self.blocks() if blocks is None else blocks
        epoch = blocks[-1].epoch[-1]

        def all_of(name: str) -> np.ndarray | None:
            values = np.concatenate([filled(getattr(one, name), len(one.time))[one.epoch == epoch] for one in blocks])
            if self._most:
                values = values[::max(1, -(-len(values) // self._most))]
            return values if values.size and np.isfinite(values).any() else None

        q, tau = all_of("qpos"), all_of("tau")
        if q is None or tau is None:
            raise ValueError("the stream: positions or torques hold no number; name the channels that do")
        return antaeus.Episode.from_arrays(q=q, tau=tau, robot=robot, time=all_of("time"), v=all_of("dq"),
                                           imu_quaternion=all_of("imu_quat"), imu_angular_velocity=all_of("imu_gyro"),
                                           imu_specific_force=all_of("imu_acc"),
                                           name="the stream", as_logged=True)


def suspected_motors(finding: typing.Any, robot: typing.Any) -> tuple[int, ...]:
    """As an audit has it: a joint's torque concerns those who read it, a position or a clock is in every row."""
    names = list(robot.model.motor_names())
    return tuple(names.index(joint) for joint in finding.joints if joint in names) if finding.channel == "tau" else ()


class SetUpCheck:
    """A listener that checks the last samples after about 3, 10 and 30 s, then every five minutes, in a thread of its own."""

    def __init__(self, robot: typing.Any, estimator: typing.Any, found: Callable[[SetUpFinding], None], *,
                 say: Callable[[str], None] = lambda line: None) -> None:
        """
        Args:
            robot: antaeus.Robot of the stream.
            estimator: what has suspect(reason, motors); an error of the set-up is a reason in every sample from then on.
            found: is called once for each error and warning, by the check's thread.
            say: is called with one line where a check could not be made.
        """
        self._robot, self._estimator, self._found, self._say = robot, estimator, found, say
        self._last = LastSamples(_SECONDS)
        self._begin, self._due = np.nan, list(AT)
        self._epoch = -1
        self._told: set[tuple[str, tuple[str, ...]]] = set()
        self._cost = 0.0
        self._job: list[typing.Any] | None = None
        self._wake = threading.Condition()
        self._closed = False
        self.checks = 0
        """How many were made."""
        self._thread = threading.Thread(target=self._work, name="antaeus set-up", daemon=True)
        self._thread.start()

    def take(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        """Keeps the block; hands the last ones over when a check is due and none is under way."""
        if not len(block.time):
            return
        self._last.add(block)
        now = float(block.time[-1])
        if int(block.epoch[-1]) != self._epoch or not np.isfinite(self._begin):
            self._epoch, self._begin = int(block.epoch[-1]), float(block.time[0])
        if now - self._begin < self._due[0] or self._last.seconds() < min(self._due[0], AT[0]):
            return
        with self._wake:
            if self._job is not None:
                return
            self._job = self._last.blocks()
            self._wake.notify()
        self._due.pop(0)
        if not self._due:
            # A check that costs much comes seldom.
            self._due.append(now - self._begin + max(AGAIN, self._cost / _SHARE))

    def close(self) -> None:
        """Waits for a check that is under way."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()

    def _work(self) -> None:
        with contextlib.suppress(OSError):  # what runs beside it on the robot's computer comes first
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while True:
            with self._wake:
                while self._job is None and not self._closed:
                    self._wake.wait()
                if self._job is None:
                    return
                blocks = self._job
            try:
                self._check(blocks)
            except Exception as error:  # a check that cannot be made ends no watch
                self._say(f"set-up: not checked: {' '.join(str(error).split())}")
            with self._wake:
                self._job = None

    def _check(self, blocks: list[typing.Any]) -> None:
        import antaeus

        begun = time.thread_time()
        episode = self._last.episode(self._robot, blocks)
        result = antaeus.check(episode, self._robot)
        self._cost = time.thread_time() - begun
        self.checks += 1
        last = blocks[-1]
        for finding in result.serious:
            fault, key = str(finding.fault), (str(finding.fault), tuple(finding.joints))
            if fault in _OF_THE_STREAM or key in self._told:
                continue
            self._told.add(key)
            motors = suspected_motors(finding, self._robot)
            if finding.severity == "error":
                self._estimator.suspect("set_up_suspect", list(motors))
            self._found(SetUpFinding(fault, str(finding.severity), f"{finding.text.rstrip('.')}; {finding.remedy}", motors,
                                     last.first + len(last.time) - 1, float(last.time[-1])))
