"""`antaeus.convert` and what it returns. What does the work, antaeus.formats, loads its libraries when it is called."""

import dataclasses
import json
import os
import pathlib
import typing
from collections.abc import Callable, Sequence

from antaeus._terminal import printable

if typing.TYPE_CHECKING:
    from antaeus._antaeus import Robot
    from antaeus.formats.recording import Channel
    from antaeus.formats.results_mcap import WrittenResults


@dataclasses.dataclass(frozen=True)
class Converted:
    """What `convert` wrote, and what it found. `str()` of it is for people."""

    out: pathlib.Path
    """What was written."""
    format: str
    """Of the recording, for people."""
    clock: str
    """What the time stamps are: header stamps, the receiver's, a stated rate."""
    rows: int
    start_ns: int
    """Where `time` is 0, in nanoseconds of that clock."""
    duration: float
    """[s]"""
    rate: float
    """Rows a second, by the median step; NaN with one row."""
    channels: "tuple[Channel, ...]"
    """With unit, stage, sign and composition as far as the format states them, else "unknown"."""
    unmapped: tuple[str, ...]
    """What lies in the recording and was not read."""
    notes: tuple[str, ...]
    """What was taken for granted or left out, one line each."""

    def to_json(self) -> str:
        """The same as JSON text."""
        known = dataclasses.asdict(self) | {"out": str(self.out), "rate": self.rate if self.rate == self.rate else None}
        return json.dumps(known, ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        rate = f", {self.rate:.4g} Hz" if self.rate == self.rate else ""
        lines = [f"{self.out}: {self.rows} rows, {self.duration:.6g} s{rate}, from a {self.format}",
                 f"  clock: {self.clock}"]
        width = max(len(channel.name) for channel in self.channels)
        shown: tuple[str, ...] = ()
        for channel in self.channels:
            known = [channel.unit if channel.unit != "unknown" else "unit not stated"]
            known += [word for word, value in ((channel.stage, channel.stage), (f"gravity {channel.gravity}", channel.gravity),
                                               (channel.sign, channel.sign)) if value != "unknown"]
            columns = ", ".join(channel.columns[:8]) + (", …" if len(channel.columns) > 8 else "")
            if channel.columns == shown:
                columns = "the same"
            shown = channel.columns
            lines.append(f"  {channel.name:<{width}}  {len(channel.columns)} columns, {'; '.join(known)}: {channel.source}"
                         f" ({columns})")
        lines += [f"  Note: {note}" for note in self.notes]
        lines += [f"  Not read: {one}" for one in self.unmapped]
        return "\n".join(map(printable, lines))


def convert(recording: str | os.PathLike[str], out: str | os.PathLike[str], *, map: str | os.PathLike[str] | None = None,
            topic: str | None = None, clock: str | None = None, episode: str | int | None = None,
            rate: float | None = None, urdf: str | os.PathLike[str] | None = None, robot: "str | os.PathLike[str] | Robot | None" = None,
            endpoints: Sequence[str] = (), settings: dict[str, float | str | bool] | None = None,
            max_expansion: float = 64.0, progress: Callable[[float], None] | None = None) -> "Converted | WrittenResults":
    """Writes a recording of another format as an episode: a folder of .npy files, or one file where `out` ends in .parquet.

    Where `out` ends in .mcap and `robot` is given, it holds the forces that `antaeus.estimate` finds in the recording, or
    in any other log: arrows with their uncertainty, joint states, transforms and numbers, for Foxglove and rerun.

    Formats: ROS 1 and ROS 2 bags, MCAP, HDF5 (robomimic, ALOHA), LeRobot v2 and v3, csv of UR's RTDE client, of libfranka
    and of PlotJuggler, Unitree's teleoperation json. Joints keep the names of the recording; positions are in rad or m,
    torques in N·m or N where the format states units, else as they stand, and `channels` says "unknown". `time` is in
    seconds from `start_ns` on, on one clock of the recording. docs/guide/your_robot.md has the map's keys.

    Args:
        recording: file or folder.
        out: folder, or a file that ends in .parquet or .mcap; replaced where convert wrote it.
        map: TOML file that says what the recording does not: names, units, sources.
        topic: whose joint states are meant, where several could be.
        clock: "header" (the sender's stamps) or "receiver"; default: the header's where they run forward.
        episode: which one, where the recording holds several.
        rate: rows per second, where the recording states no time.
        urdf: where to write the robot's description, if the recording holds one.
        robot: of an .mcap: a name, a file or a Robot.
        endpoints: of an .mcap: frames or labels; none: the profile's.
        settings: of an .mcap: 'group.option' → value, over what the profile sets.
        max_expansion: how many times its bytes a recording may unpack to, at least 64 MiB; raise it for a file that you trust.
        progress: is called with the share of the work that is done, in [0, 1].

    Raises ValueError, one line with file, place and remedy; nothing is then written. Not for a loop.
    """
    from antaeus.formats.convert import Request, convert_recording

    request = Request(map, topic, clock, None if episode is None else str(episode), rate, urdf, robot, endpoints, settings or {}, max_expansion)
    return convert_recording(pathlib.Path(recording), pathlib.Path(out), request, progress or (lambda share: None))
