"""The work of `antaeus convert` and `antaeus.convert`: a recording of another format becomes an episode, or its results an MCAP."""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import sys
import tempfile
import typing
from collections.abc import Callable, Sequence

from antaeus import _antaeus
from antaeus._convert import Converted
from antaeus._options import Bar, Parser, settings_of
from antaeus._terminal import printable
from antaeus.formats import mapping, open_recording, ownership, recognises, writing
from antaeus.formats.recording import EXPANSION, FormatError, Recording, Wishes, nearest

if typing.TYPE_CHECKING:
    from antaeus.formats.results_mcap import WrittenResults


@dataclasses.dataclass(frozen=True)
class Request:
    """What `antaeus.convert` is asked for, beside the recording and where to write; its docstring says what each is."""

    map: str | os.PathLike[str] | None = None
    topic: str | None = None
    clock: str | None = None
    episode: str | None = None
    rate: float | None = None
    urdf: str | os.PathLike[str] | None = None
    robot: typing.Any = None
    endpoints: Sequence[str] = ()
    settings: dict[str, float | str | bool] = dataclasses.field(default_factory=dict)
    max_expansion: float = EXPANSION

    def wishes(self) -> Wishes:
        """The map with the options over it."""
        read = mapping.read_map(self.map) if self.map is not None else Wishes()
        given = {name: value for name in ("topic", "clock", "episode", "rate") if (value := getattr(self, name)) is not None}
        wishes = dataclasses.replace(read, max_expansion=self.max_expansion, **given)
        if not 1 <= wishes.max_expansion < math.inf:
            raise FormatError("max_expansion", f"{wishes.max_expansion:g} is no limit", "give bytes per byte of the file, at least 1")
        if wishes.clock not in (None, "header", "receiver"):
            raise FormatError("clock", f"'{wishes.clock}' is unknown", nearest(str(wishes.clock), ("header", "receiver"))
                              or "give header or receiver")
        if wishes.rate is not None and not (math.isfinite(wishes.rate) and wishes.rate > 0):
            raise FormatError("rate", f"{wishes.rate:g} is invalid", "give rows per second, more than 0")
        return wishes


def convert_recording(source: pathlib.Path, target: pathlib.Path, asked: Request,
                      progress: Callable[[float], None]) -> "Converted | WrittenResults":
    """What `antaeus.convert` does."""
    wishes = asked.wishes()
    if target.suffix == ".mcap":
        writing.require_replaceable(target, source)
        if asked.urdf is not None:
            raise FormatError("urdf", "an .mcap of forces holds the description itself", "leave --urdf out")
        if asked.robot is None:
            raise FormatError(target, "is of forces, and no robot is named", "give the robot, or name a folder or a .parquet")
        return _results(source, target, wishes, asked, progress)
    if asked.robot is not None or asked.endpoints or asked.settings:
        raise FormatError(target, "is an episode, which is of no robot in particular", "leave the robot out, or name an .mcap")
    opened = _opened(source, wishes)
    text = _description(source, opened) if asked.urdf is not None else None
    if asked.urdf is not None:
        _require_free(pathlib.Path(asked.urdf), text)
    written = writing.write(opened, target, progress, source)
    if asked.urdf is not None and text is not None:
        pathlib.Path(asked.urdf).write_text(text, encoding="utf-8")
    return Converted(target, opened.format, opened.clock, written.rows, written.start, written.duration, written.rate,
                     written.channels, tuple(opened.unmapped), tuple(opened.notes))


def _results(source: pathlib.Path, target: pathlib.Path, wishes: Wishes, asked: Request,
             progress: Callable[[float], None]) -> "WrittenResults":
    from antaeus.formats import results_mcap  # its libraries load when they are used

    known = asked.robot if isinstance(asked.robot, _antaeus.Robot) else _antaeus.load_robot(asked.robot)
    with tempfile.TemporaryDirectory(prefix="antaeus-") as scratch:
        start = writing.start_of(source)
        log = source
        if source.exists() and recognises(source):
            log = pathlib.Path(scratch) / source.stem
            start = writing.write(_opened(source, wishes), log, lambda share: progress(share / 3)).start
        episode = _antaeus.load_episode(log, known)
        estimates = _antaeus.estimate(episode, known, endpoints=list(asked.endpoints), settings=asked.settings)
    return results_mcap.write_results(target, known, episode, estimates, start_ns=start,
                                      progress=lambda share: progress((1 + 2 * share) / 3))


def _opened(source: pathlib.Path, wishes: Wishes) -> Recording:
    if source.exists() and not recognises(source) and (source.suffix in (".csv", ".npz", ".parquet") or
                                                       (source.is_dir() and any(source.glob("*.npy")))):
        raise FormatError(source, "is already a log that every command reads", "give it to the command directly")
    return mapping.apply(mapping.without_spare_slots(open_recording(source, wishes)), wishes, source)


def _require_free(file: pathlib.Path, text: str | None) -> None:
    """Raises FormatError where a description cannot be written to `file`, or another text stands there."""
    if not file.parent.is_dir():
        raise FormatError(file, "its folder does not exist", "create it, or name another path")
    if os.path.lexists(file) and (not ownership.is_file(file) or file.read_bytes() != (text or "").encode()):
        raise FormatError(file, "exists already", "name another path, or remove it")


def _description(source: pathlib.Path, opened: Recording) -> str:
    if opened.description is None:
        raise FormatError(source, "holds no description of the robot", "leave out --urdf")
    return opened.description()


def into_folder(recording: str, folder: str) -> None:
    """For the library, which reads a recording by way of a scratch folder (antaeus::set_log_converter)."""
    _for_others(pathlib.Path(recording), pathlib.Path(folder),
                lambda option, value: (f"antaeus.convert(…, max_expansion={value})" if option == "max-expansion" else
                                       f'antaeus.convert(…, {option}="{value}")'),
                lambda share: None)


def _for_others(recording: pathlib.Path, folder: pathlib.Path, words: Callable[[str, str], str], progress: Callable[[float], None]) -> None:
    """Converts for who has none of convert's options: what asks for one of them says whose it is, in `words`."""
    try:
        convert_recording(recording, folder, Request(), progress)
    except FormatError as error:
        error.args = (re.sub(r"(?<!convert )--(topic|episode|clock|rate|map|max-expansion) ([^\s;,]+)", lambda found: words(found[1], found[2]), str(error), count=1),)
        raise


def _parser() -> Parser:
    parser = Parser("antaeus convert", usage="antaeus convert IN OUT [options]", allow_abbrev=False,
                     description="convert a recording (ROS bag, MCAP, HDF5, LeRobot, CSV of RTDE, libfranka or PlotJuggler, Unitree JSON) "
                                 "to a log. All other commands also read these recordings.",
                     epilog="Exit codes: 0 fine, 2 bad input.", add_help=False)
    add = parser.add_argument
    add("-h", "--help", action="help", help="print this help message and exit")
    add("recording", metavar="IN", help="file or folder")
    add("out", metavar="OUT", nargs="?", help="folder, a .parquet; with --robot an .mcap of the forces, for Foxglove and rerun")
    add("--map", metavar="FILE", help="TOML: names of joints, units, sources (docs/guide/your_robot.md)")
    add("--topic", metavar="NAME", help="topic of the joint states, if there are several")
    add("--clock", metavar="header|receiver", choices=("header", "receiver"),
        help="clock of the rows (default: the header stamps where they run forward)")
    add("--episode", metavar="N", help="episode, if the recording holds several")
    add("--rate", metavar="HZ", type=float, help="rows per second, if the recording has no time")
    add("--max-expansion", metavar="TIMES", type=float, default=EXPANSION,
        help="how many times its bytes a recording may unpack to (default 64, at least 64 MiB); raise it for a file that you trust")
    add("--urdf", metavar="FILE", help="also write the robot's description, if the recording holds one")
    add("--list", action="store_true", help="list the contents and write nothing")
    add("--robot", "-r", metavar="NAME|FILE", help="robot whose forces are estimated for an .mcap")
    add("--endpoint", "-e", metavar="FRAME", action="append", help="frame or label of an endpoint, for an .mcap (repeatable)")
    add("--set", metavar="GROUP.OPTION=VALUE", action="append", help="set any option of estimate, for an .mcap (repeatable)")
    add("--json", action="store_true", help="print what was found as JSON")
    add("--told-progress", action="store_true", help=argparse.SUPPRESS)  # for the command line, which draws it
    return parser


def run(arguments: list[str]) -> int:
    """The verb convert."""
    given = _parser().parse_args(arguments)
    if given.list:
        for option in ("out", "urdf", "robot", "endpoint", "set"):
            if getattr(given, option):
                raise FormatError("--list", f"writes nothing, so it takes no {'OUT' if option == 'out' else '--' + option}", "leave it out")
        print(_listing(given))
        return 0
    if given.out is None:
        raise ValueError("convert: OUT is missing; name a folder, a .parquet or an .mcap, or give --list")
    asked = Request(given.map, given.topic, given.clock, given.episode, given.rate, given.urdf, given.robot, given.endpoint or (),
                    settings_of(given.set or []), given.max_expansion)
    if given.told_progress:
        _for_others(pathlib.Path(given.recording), pathlib.Path(given.out),
                    lambda option, value: f"antaeus convert --{option} {value}", _tell)
        return 0
    done = convert_recording(pathlib.Path(given.recording), pathlib.Path(given.out), asked, Bar("converting"))
    print(done.to_json() if given.json else done)
    return 0


def _listing(given: argparse.Namespace) -> str:
    wishes = Request(given.map, given.topic, given.clock, given.episode, given.rate, max_expansion=given.max_expansion).wishes()
    opened = _opened(pathlib.Path(given.recording), wishes)
    if given.json:
        known = {"format": opened.format, "clock": opened.clock, "unmapped": opened.unmapped, "notes": opened.notes,
                 "channels": [dataclasses.asdict(channel) for channel in opened.channels]}
        return json.dumps(known, ensure_ascii=False, indent=2)
    lines = [f"{opened.name}: a {opened.format}", f"  clock: {opened.clock}"]
    lines += [f"  {channel.name}: {channel.source}; {', '.join(channel.columns)}" for channel in opened.channels]
    lines += [f"  Note: {note}" for note in opened.notes]
    return "\n".join(map(printable, lines + [f"  Not read: {one}" for one in opened.unmapped]))


def _tell(share: float) -> None:
    print(f"progress {share:.3f}", file=sys.stderr, flush=True)
