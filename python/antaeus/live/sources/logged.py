"""log://FOLDER and mcap://FILE: a recorded log, sample by sample, on its own clock times the speed."""

import math
import pathlib
import threading
import time
import typing
from collections.abc import Iterator

import numpy as np

from antaeus import _antaeus
from antaeus.live.addresses import Address
from antaeus.live.sources import Push, arrays, push_until_taken

if typing.TYPE_CHECKING:
    from antaeus._antaeus import Episode, Robot

_BLOCK = 4096  # samples in memory at a time
_LOOK_UP = 0.1  # [s] after which `stop` is looked at, at the latest
_JOINT_CHANNELS = (("qpos", "q"), ("tau", "tau"), ("dq", "v"), ("ddq", "a"))  # name in the log, in an Episode


def open_source(address: Address, robot: "Robot", speed: float) -> "LogSource":
    """Any log that antaeus reads: folder of .npy, .npz, table, or a recording that convert knows (an .mcap, a bag, …)."""
    address.require_options(())
    if not address.place:
        raise address.wrong("names no log", f"write {address.scheme}://FOLDER, or {address.scheme}:///absolute/path")
    if math.isnan(speed) or speed < 0:
        raise address.wrong(f"cannot be read at the speed {speed:g}", "give 1 for its own clock, 0 for as fast as it is taken")
    path = pathlib.Path(address.place).expanduser()
    if address.scheme == "mcap" and path.suffix != ".mcap":
        raise address.wrong("is no .mcap", f"write log://{address.place}, which reads every log")
    return LogSource(path, robot, speed)


class LogSource:
    """Channels as they stand in the log, before [channels] of the robot's profile, whose work is the estimator's. What is not
    recorded is not sent; NaN is sent as NaN. Nothing is lost: where the queue is full it waits."""

    format = "arrays"
    ends = True

    def __init__(self, path: pathlib.Path, robot: "Robot", speed: float) -> None:
        self._path = path
        # Seconds per unit of its clock, as fast as it is to be gone through.
        self._pace = robot.profile.channels.time_scale / speed if speed > 0 else 0.0
        self._log = _antaeus.EpisodeReader.as_received(path, robot)
        first = self._log.block(0, 1)
        if not first.has_time():
            raise ValueError(f"{path}: no time stamps, so playback has no clock; give the log a channel `time`")
        self.simulated = first.simulated
        # The robot's profile may say that four numbers are w x y z whatever the log calls them: they then go out so.
        self._scalar_first = robot.profile.channels.quaternion_order == "wxyz"
        self._channels = [("time", 1)]
        self._channels += [(name, len(self._joints(first, field)[0])) for name, field in _JOINT_CHANNELS if len(self._joints(first, field))]
        if first.has_imu():
            self._channels.append(("imu_quat_wxyz" if self._scalar_first else "imu_quat_xyzw", 4))
        for name, field in (("imu_gyro", "imu_angular_velocity"), ("imu_acc", "imu_specific_force")):
            if len(self._joints(first, field)):
                self._channels.append((name, 3))

    @staticmethod
    def _joints(episode: "Episode", field: str) -> np.ndarray:
        values: np.ndarray = getattr(episode, field)
        return values

    def what(self) -> str:
        """What is heard there, for people."""
        return f"{self._path}: {self._log.steps()} samples"

    def run(self, push: Push, stop: threading.Event) -> None:
        """Sends all of the log."""
        push_until_taken(push, arrays.header(self._channels), time.monotonic(), stop)
        begun, first = math.nan, math.nan
        for stamps, rows, size in self._blocks():
            for at, stamp in enumerate(stamps):
                if math.isnan(first):
                    begun, first = time.monotonic(), stamp
                due = begun + (stamp - first) * self._pace
                while (early := due - time.monotonic()) > 0:  # never for NaN: such a sample goes out with the one before it
                    if stop.wait(min(early, _LOOK_UP)):
                        return
                push_until_taken(push, rows[at * size:(at + 1) * size], time.monotonic(), stop)
                if stop.is_set():
                    return

    def _blocks(self) -> Iterator[tuple[list[float], memoryview, int]]:
        """Stamps [s], all samples as bytes, bytes of one of them."""
        fields = {"time": "time", "imu_quat_xyzw": "imu_quaternion", "imu_quat_wxyz": "imu_quaternion", "imu_gyro": "imu_angular_velocity",
                  "imu_acc": "imu_specific_force", **dict(_JOINT_CHANNELS)}
        for begin in range(0, self._log.steps(), _BLOCK):
            block = self._log.block(begin, min(_BLOCK, self._log.steps() - begin))
            parts = [getattr(block, fields[name]) for name, _ in self._channels]
            if self._scalar_first:
                names = [name for name, _ in self._channels]
                parts = [part[:, [3, 0, 1, 2]] if name == "imu_quat_wxyz" else part for name, part in zip(names, parts, strict=True)]
            rows = arrays.rows(parts)
            yield block.time.tolist(), rows, len(rows) // block.steps()
