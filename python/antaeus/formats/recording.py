"""A recording as its format has it: channels by name, each with what is known of it, and blocks of rows on one clock.

A reader (one module a family of formats) makes a `Recording`; what people wish (`Wishes`: --map, --topic, --episode) is
applied to it once, in `mapping`; `writing` writes it. Nothing here knows a robot: joints have the names of the recording.
"""

import dataclasses
import importlib
import pathlib
import types
from collections.abc import Callable, Iterator

import numpy as np

from antaeus import _antaeus
from antaeus._terminal import printable

UNKNOWN = "unknown"
# Names of channels with one column a joint, as load_episode knows them, and the unit that they are read in.
JOINT_UNITS = {"tau": "N·m", "qpos": "rad", "target_dof": "rad", "dq": "rad/s", "ddq": "rad/s²"}
# Names with columns by axis: x y z, of the orientation x y z w.
AXIS_UNITS = {"imu_quat_xyzw": "1", "imu_gyro": "rad/s", "imu_acc": "m/s²"}
WRENCH = "wrench_"  # followed by the place: six columns fx fy fz tx ty tz, in N and N·m
WRENCH_COLUMNS = ("fx", "fy", "fz", "tx", "ty", "tz")
EXPANSION = 64.0  # times the bytes of the file
_FLOOR = 64 << 20  # bytes, for any file however small
_PASSES = 8  # times the limit, over all passes of a reader over a recording
BLOCK_ROWS = 16384  # rows that a reader holds at a time, at most


class FormatError(_antaeus.EpisodeError):
    """A recording that cannot be read: one line that names the file, the place and the remedy."""

    def __init__(self, place: object, problem: str, remedy: str) -> None:
        super().__init__(printable(f"{place}: {problem}; {remedy}"))


class UnreadableError(FormatError):
    """A file, or a part of it, whose bytes cannot be read: damaged, cut off, or not permitted."""


def library(name: str, place: object = "antaeus convert") -> types.ModuleType:
    """A library of the extra [logs]. Raises FormatError with the line that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise FormatError(place, f"needs the Python package {package}", "pip install 'antaeus[logs]'") from None


@dataclasses.dataclass(frozen=True)
class Channel:
    """What is known of one channel. What the format does not state is "unknown", never guessed."""

    name: str  # of JOINT_UNITS, of AXIS_UNITS, "wrench_<place>", or another: it is then carried along and not used
    columns: tuple[str, ...]  # joints by the recording's names ("0", "1", … where it has none), or axes
    source: str  # where it stands in the file, in its own words: "/joint_states effort"
    unit: str = UNKNOWN  # of the numbers as they stand in the recording: "N·m", "A", "rad", "deg", "%", …
    stage: str = UNKNOWN  # "measured", "commanded", "estimated"
    gravity: str = UNKNOWN  # of torques: "included" (they carry the robot's weight), "excluded"
    sign: str = UNKNOWN  # of torques and wrenches: "on_robot", "on_environment", "with_axis": positive along the joint's axis


@dataclasses.dataclass(frozen=True)
class Block:
    """Successive rows of a recording."""

    time: np.ndarray  # (rows,) int64, nanoseconds of the recording's clock, as they stand there
    values: dict[str, np.ndarray]  # by channel: (rows, columns) float64; NaN where a row holds nothing


@dataclasses.dataclass
class Recording:
    """A file or folder that was opened. Opening reads what is needed to list the channels; `blocks` reads the rest."""

    format: str  # for people: "ROS 2 bag (sqlite)"
    channels: tuple[Channel, ...]
    clock: str  # what the time stamps are: "header stamps of /joint_states", "receiver", "25 frames a second by meta/info.json"
    blocks: Callable[[], Iterator[Block]]  # from the first row on; can be called again
    unmapped: list[str] = dataclasses.field(default_factory=list)  # what lies in the file and is not read, with a short why
    # What was taken for granted or left out; one line each. A reader may add to it while blocks are read.
    notes: list[str] = dataclasses.field(default_factory=list)
    bytes: int = 0  # of the file or folder; `done` counts up to it
    done: Callable[[], int] = lambda: 0  # bytes that were read so far, for progress
    description: Callable[[], str] | None = None  # the robot's URDF, where the recording holds it
    name: str = ""  # last part of its path; filled in by who opened it


class ExpansionError(FormatError):
    """A recording whose reading would cost more than its size justifies."""


class Budget:
    """The limit on what reading one recording may cost: memory, disk and work.

    `size`: bytes of the files that are read; `limit`: bytes that one pass may cost. Every reader takes what it unpacks, walks and gives
    from a `Counter`, beforehand.
    """

    def __init__(self, place: object = "the recording", expansion: float = EXPANSION) -> None:
        self.place, self.expansion, self.spent = place, expansion, 0
        self._inputs: dict[pathlib.Path, int] = {}
        self.size, self.limit = 0, _FLOOR

    def add_input(self, file: pathlib.Path) -> None:
        """Adds the bytes of a file that is read."""
        self._inputs[file.resolve()] = file.stat().st_size
        self.size = sum(self._inputs.values())
        self.limit = int(max(_FLOOR, self.expansion * self.size))

    def counter(self, what: str) -> "Counter":
        """Returns the account of one pass. `what`: subject of the message, as "its chunks hold"."""
        return Counter(self, what)

    def exceeded(self, what: str, amount: int) -> ExpansionError:
        """Returns the refusal."""
        return ExpansionError(
            self.place, f"{what} {amount >> 20} MiB or more, beyond the limit of {self.limit >> 20} MiB for a file of {self.size} bytes",
            f"if you trust its source, raise the limit with --max-expansion {10 ** len(str(amount // max(self.size, 1)))} (default {EXPANSION:g})")


class Counter:
    """Bytes that one pass over a recording cost."""

    def __init__(self, budget: Budget, what: str) -> None:
        self._budget, self._what, self.spent = budget, what, 0

    @property
    def left(self) -> int:
        """Bytes until the limit."""
        return max(self._budget.limit - self.spent, 0)

    def spend(self, amount: int) -> None:
        """Adds bytes that are about to be taken. Raises ExpansionError beyond the limit."""
        self.spent += amount
        self._budget.spent += amount
        if self.spent > self._budget.limit:
            raise self._budget.exceeded(self._what, self.spent)
        if self._budget.spent > _PASSES * self._budget.limit:
            raise self._budget.exceeded("reading it takes", self._budget.spent // _PASSES)


@dataclasses.dataclass(frozen=True)
class ChannelWish:
    """[channels.<name>] of a map: which part of the recording a channel is, and what its numbers are."""

    source: str | None = None  # as Channel.source or a line of `unmapped` begins: topic and field, dataset, column pattern
    unit: str | None = None
    scale: float | None = None  # SI units per unit; in place of `unit`
    stage: str | None = None
    gravity: str | None = None
    sign: str | None = None
    columns: tuple[str, ...] | None = None  # names of its columns, in the order of the recording


@dataclasses.dataclass(frozen=True)
class Wishes:
    """What the user said of a recording, by options and by a map. All of it may be left out."""

    topic: str | None = None  # --topic: of the joint states, where several could be meant
    clock: str | None = None  # "header" or "receiver"
    rate: float | None = None  # rows per second, where the recording states no time
    episode: str | None = None  # --episode: which one, where a file holds several: "3", "demo_3"
    joints: dict[str, str] = dataclasses.field(default_factory=dict)  # name in the recording → name to give it
    channels: dict[str, ChannelWish] = dataclasses.field(default_factory=dict)
    ignore: tuple[str, ...] = ()  # sources that are left out
    max_expansion: float = EXPANSION  # what reading may cost, in bytes of the file
    budget: Budget = dataclasses.field(default_factory=Budget, compare=False)  # of one opening; made by open_recording


def hold(times: np.ndarray, sample_times: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Rows of `samples` (M, columns) as they stood at `times` (N,): the latest at or before each; NaN before the first.

    For streams of one clock that come at other rates. Nothing is interpolated, so every number stands in the recording.
    """
    at = np.searchsorted(sample_times, times, side="right") - 1
    held = np.asarray(samples, dtype=float)[np.maximum(at, 0)] if len(samples) else np.full((1, samples.shape[1]), np.nan)[at * 0]
    held[at < 0] = np.nan
    return held


def nearest(name: str, known: list[str] | tuple[str, ...]) -> str:
    """"; did you mean 'x'?" or nothing, for messages."""
    import difflib

    close = difflib.get_close_matches(name, known, 1, 0.5)
    return f"did you mean '{close[0]}'?" if close else ""
