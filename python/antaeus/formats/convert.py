"""`antaeus convert` and `antaeus.convert`: a recording of another format becomes an episode, or its results an MCAP."""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import time
import typing
from collections.abc import Callable, Sequence

from antaeus import _antaeus
from antaeus.formats import mapping, open_recording, recognises, writing
from antaeus.formats.recording import Channel, FormatError, Recording, Wishes, nearest

if typing.TYPE_CHECKING:
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
    channels: tuple[Channel, ...]
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
        return "\n".join(lines)


def convert(recording: str | os.PathLike[str], out: str | os.PathLike[str], *, map: str | os.PathLike[str] | None = None,
            topic: str | None = None, clock: str | None = None, episode: str | int | None = None,
            rate: float | None = None, urdf: str | os.PathLike[str] | None = None, robot: typing.Any = None,
            endpoints: Sequence[str] = (), settings: dict[str, float | str | bool] | None = None,
            progress: Callable[[float], None] = lambda share: None) -> "Converted | WrittenResults":
    """Writes a recording of another format as an episode: a folder of .npy files, or one file where `out` ends in .parquet.

    Where `out` ends in .mcap and `robot` is given, it holds the forces that `antaeus.estimate` finds in the recording, or
    in any other log: arrows with their uncertainty, joint states, transforms and numbers, for Foxglove and rerun.

    Formats: ROS 1 and ROS 2 bags, MCAP, HDF5 (robomimic, ALOHA), LeRobot v2 and v3, csv of UR's RTDE client, of libfranka
    and of PlotJuggler, Unitree's teleoperation json. Joints keep the names of the recording; positions are in rad or m,
    torques in N·m or N where the format states units, else as they stand, and `channels` says "unknown". `time` is in
    seconds from `start_ns` on, on one clock of the recording. docs/convert.md has the map's keys.

    Args:
        recording: file or folder.
        out: folder, or a file that ends in .parquet or .mcap; replaced where convert wrote it.
        map: TOML file that says what the recording does not: names, units, sources.
        topic: whose joint states are meant, where several could be.
        clock: "header" (the sender's stamps) or "receiver"; default: the header's where they run forward.
        episode: which one, where the recording holds several.
        rate: rows a second, where the recording states no time.
        urdf: where to write the robot's description, if the recording holds one.
        robot: of an .mcap: a name, a file or a Robot.
        endpoints: of an .mcap: frames or labels; none: the profile's.
        settings: of an .mcap: 'group.option' → value, over what the profile sets.
        progress: is called with the share of the work that is done, in [0, 1].

    Raises ValueError, one line with file, place and remedy; nothing is then written. Not for a loop.
    """
    source, target = pathlib.Path(recording), pathlib.Path(out)
    wishes = mapping.read_map(map) if map is not None else Wishes()
    given = {"topic": topic, "clock": clock, "episode": None if episode is None else str(episode), "rate": rate}
    wishes = dataclasses.replace(wishes, **{name: value for name, value in given.items() if value is not None})
    if wishes.clock not in (None, "header", "receiver"):
        raise FormatError("clock", f"'{wishes.clock}' is none", nearest(str(wishes.clock), ("header", "receiver"))
                          or "give header or receiver")
    if target.suffix == ".mcap":
        if robot is None:
            raise FormatError(target, "is of forces, and no robot is named", "give the robot, or name a folder or a .parquet")
        return _results(source, target, wishes, robot, endpoints, settings or {}, progress)
    if robot is not None or endpoints or settings:
        raise FormatError(target, "is an episode, which is of no robot in particular", "leave the robot out, or name an .mcap")
    opened = _opened(source, wishes)
    text = _description(source, opened) if urdf is not None else None
    written = writing.write(opened, target, progress)
    if urdf is not None and text is not None:
        pathlib.Path(urdf).write_text(text, encoding="utf-8")
    return Converted(target, opened.format, opened.clock, written.rows, written.start, written.duration, written.rate,
                     written.channels, tuple(opened.unmapped), tuple(opened.notes))


def _results(source: pathlib.Path, target: pathlib.Path, wishes: Wishes, robot: typing.Any, endpoints: Sequence[str],
             settings: dict[str, float | str | bool], progress: Callable[[float], None]) -> "WrittenResults":
    from antaeus.formats import results_mcap  # its libraries load when they are used

    known = robot if isinstance(robot, _antaeus.Robot) else _antaeus.load_robot(robot)
    with tempfile.TemporaryDirectory(prefix="antaeus-") as scratch:
        start = 0
        log = source
        if source.exists() and recognises(source):
            log = pathlib.Path(scratch) / source.stem
            start = writing.write(_opened(source, wishes), log, lambda share: progress(share / 3)).start
        episode = _antaeus.load_episode(log, known)
        estimates = _antaeus.estimate(episode, known, endpoints=list(endpoints), settings=settings)
    return results_mcap.write_results(target, known, episode, estimates, start_ns=start,
                                      progress=lambda share: progress((1 + 2 * share) / 3))


def _opened(source: pathlib.Path, wishes: Wishes) -> Recording:
    if source.exists() and not recognises(source) and (source.suffix in (".csv", ".npz", ".parquet") or
                                                       (source.is_dir() and any(source.glob("*.npy")))):
        raise FormatError(source, "is a log that every verb reads as it stands", "give it to the verb itself")
    return mapping.apply(open_recording(source, wishes), wishes, source)


def _description(source: pathlib.Path, opened: Recording) -> str:
    if opened.description is None:
        raise FormatError(source, "holds no description of the robot", "leave out --urdf")
    return opened.description()


def into_folder(recording: str, folder: str) -> None:
    """For the library, which reads a recording by way of a scratch folder (antaeus::set_log_converter)."""
    convert(recording, folder)


class _Parser(argparse.ArgumentParser):
    """One line an error, with the nearest option."""

    def error(self, message: str) -> typing.NoReturn:
        options = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        unknown = message.removeprefix("unrecognized arguments: ").split()
        if message.startswith("unrecognized") and unknown[0].startswith("-"):
            raise ValueError(f"unknown option '{unknown[0]}'; {nearest(unknown[0], options) or 'see antaeus convert --help'}")
        raise ValueError(f"convert: {message}; see antaeus convert --help")


def _parser() -> _Parser:
    parser = _Parser("antaeus convert", usage="antaeus convert IN OUT [options]", allow_abbrev=False,
                     description="Make an episode of a recording in another format: ROS bag, MCAP, HDF5, LeRobot, RTDE, "
                                 "libfranka or PlotJuggler csv, Unitree json. Every verb reads these directly, too.",
                     epilog="Exit codes: 0 fine, 2 bad input.", add_help=False)
    add = parser.add_argument
    add("-h", "--help", action="help", help="Print this and exit")
    add("recording", metavar="IN", help="file or folder")
    add("out", metavar="OUT", nargs="?", help="folder, a .parquet; with --robot an .mcap of the forces, for Foxglove and rerun")
    add("--map", metavar="FILE", help="TOML: names of joints, units, sources (docs/convert.md)")
    add("--topic", metavar="NAME", help="whose joint states are meant, where several could be")
    add("--clock", metavar="header|receiver", choices=("header", "receiver"),
        help="which clock (default: the header stamps where they run forward)")
    add("--episode", metavar="N", help="which one, where the recording holds several")
    add("--rate", metavar="HZ", type=float, help="rows a second, where the recording states no time")
    add("--urdf", metavar="FILE", help="write the robot's description, too, if the recording holds one")
    add("--list", action="store_true", help="say what is in it and write nothing")
    add("--robot", "-r", metavar="NAME|FILE", help="of an .mcap: whose forces are estimated")
    add("--endpoint", "-e", metavar="FRAME", action="append", help="of an .mcap: at which frame (repeatable)")
    add("--set", metavar="GROUP.OPTION=VALUE", action="append", help="of an .mcap: any option of estimate (repeatable)")
    add("--json", action="store_true", help="print what was found as JSON")
    add("--told-progress", action="store_true", help=argparse.SUPPRESS)  # for the command line, which draws it
    return parser


def run(arguments: list[str]) -> int:
    """The verb convert."""
    given = _parser().parse_args(arguments)
    if given.list:
        print(_listing(given))
        return 0
    if given.out is None:
        raise ValueError("convert: OUT is missing; name a folder, a .parquet or an .mcap, or give --list")
    if given.told_progress:
        convert(given.recording, given.out, progress=_tell)
        return 0
    done = convert(given.recording, given.out, map=given.map, topic=given.topic, clock=given.clock, episode=given.episode,
                   rate=given.rate, urdf=given.urdf, robot=given.robot, endpoints=given.endpoint or (),
                   settings=_settings(given.set or []), progress=Bar("converting"))
    print(done.to_json() if given.json else done)
    return 0


def _settings(assignments: list[str]) -> dict[str, float | str | bool]:
    settings: dict[str, float | str | bool] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise FormatError("--set", f"'{assignment}' is no assignment", "write group.option=value")
        settings[name] = value
    return settings


def _listing(given: argparse.Namespace) -> str:
    wishes = mapping.read_map(given.map) if given.map else Wishes()
    wishes = dataclasses.replace(wishes, topic=given.topic or wishes.topic, episode=given.episode or wishes.episode,
                                 rate=given.rate or wishes.rate, clock=given.clock or wishes.clock)
    opened = _opened(pathlib.Path(given.recording), wishes)
    if given.json:
        known = {"format": opened.format, "clock": opened.clock, "unmapped": opened.unmapped, "notes": opened.notes,
                 "channels": [dataclasses.asdict(channel) for channel in opened.channels]}
        return json.dumps(known, ensure_ascii=False, indent=2)
    lines = [f"{opened.name}: a {opened.format}", f"  clock: {opened.clock}"]
    lines += [f"  {channel.name}: {channel.source}; {', '.join(channel.columns)}" for channel in opened.channels]
    lines += [f"  Note: {note}" for note in opened.notes]
    return "\n".join(lines + [f"  Not read: {one}" for one in opened.unmapped])


def _tell(share: float) -> None:
    print(f"progress {share:.3f}", file=sys.stderr, flush=True)


class Bar:
    """Progress on stderr: on a terminal alone, and only of work that takes more than half a second."""

    _WIDTH = 40

    def __init__(self, what: str) -> None:
        self._what, self._begun, self._drawn = what, time.monotonic(), -1
        self._shown = sys.stderr.isatty()

    def __call__(self, share: float) -> None:
        percent = int(100 * share)
        if not self._shown or percent == self._drawn or time.monotonic() - self._begun < 0.5:
            return
        self._drawn = percent
        full = int(self._WIDTH * share)
        bar = "█" * full + "░" * (self._WIDTH - full)
        text = "\r\033[K" if share >= 1.0 else f"\r{self._what} {bar} {percent:3d} %"
        print(text, end="", file=sys.stderr, flush=True)
