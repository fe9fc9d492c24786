"""`antaeus fleet clip`: the minute around an event, cut out of its log as an episode; with it its page, and an MCAP for Foxglove."""

import argparse
import dataclasses
import json
import math
import pathlib
import re
import shlex
import sys
import typing
from collections.abc import Callable, Mapping

import numpy as np

from antaeus import _antaeus
from antaeus._options import Bar
from antaeus._terminal import say
from antaeus.fleet import logs, plans, robots, sql
from antaeus.formats import ownership
from antaeus.formats.convert import Request, convert_recording
from antaeus.formats.recording import FormatError, nearest
from antaeus.formats.writing import require_replaceable

CLIPS, PAGE, FORCES, ABOUT = "clips", "report.html", "forces.mcap", "clip.json"
SECONDS = 60.0
_BLOCK = 16384  # steps in memory at a time


@dataclasses.dataclass(frozen=True)
class Clip:
    """What was cut out."""

    folder: pathlib.Path
    episode: pathlib.Path  # in it: what every verb reads
    steps: int
    begin: float
    end: float
    written: tuple[str, ...]


def seconds_text(at: float) -> str:
    """A moment as it stands in a clip's name, to the millisecond."""
    return f"{at:.3f}".rstrip("0").rstrip(".")


def place_of(folder: pathlib.Path, log: str, at: float) -> pathlib.Path:
    """Where a clip lies unless --out says otherwise: there the report looks for its page."""
    return folder / CLIPS / f"{log}-{seconds_text(at)}"


def _episode_name(log: str) -> str:
    """The log's name as that of a folder, and of the page: letters and digits, no dot that would begin an ending."""
    stem = pathlib.PurePosixPath(log.rstrip("/")).stem
    return re.sub(r"[^A-Za-z0-9_]+", "-", stem).strip("-")[:60] or "episode"


def _row(folder: pathlib.Path, log: str) -> Mapping[str, typing.Any]:
    rows = plans.read_plan(folder)
    found = next((row for row in rows if row["id"] == log), None)
    if found is None:
        raise FormatError(folder, f"has no log '{log}'", nearest(log, [row["id"] for row in rows]) or
                          f"take an id of its plan: antaeus fleet sql {shlex.quote(str(folder))} 'SELECT id, path FROM plan'")
    return found


def _minute(path: pathlib.Path, robot: typing.Any, at: float, half: float, name: str) -> typing.Any:
    """The samples within `half` [s] of the moment `at`. The log is read in blocks, however long it is."""
    first, inside, read, begin, end = 0, 0, 0, math.nan, math.nan
    reader = _antaeus.EpisodeReader(path, robot)
    while (block := reader.next(_BLOCK)) is not None:
        if not block.has_time():
            raise FormatError(name, "has no time stamps to cut by", "cut it by steps: antaeus.load_episode(…)[i:j]")
        within = np.flatnonzero(np.abs(block.time - at) <= half)
        if len(within):
            first = read + int(within[0]) if inside == 0 else first
            inside = read + int(within[-1]) + 1 - first
        begin, end, read = float(block.time[0]) if read == 0 else begin, float(block.time[-1]), read + block.steps()
        if end > at + half:
            break
    if inside == 0:
        raise FormatError("--at", f"{at:g} s is outside of {name}", f"give a moment from {begin:g} s on, to {end:g} s" if end < at else
                          f"give a moment from {begin:g} s on")
    reader = _antaeus.EpisodeReader(path, robot)
    for skipped in range(0, first, _BLOCK):
        reader.next(min(_BLOCK, first - skipped))
    return reader.next(inside)


def cut(folder: pathlib.Path, log: str, at: float, *, seconds: float = SECONDS, out: pathlib.Path | None = None, page: bool = False,
        mcap: bool = False, progress: Callable[[float], None] = lambda share: None) -> Clip:
    """Cuts `seconds` around the moment `at` [s, the log's clock] out of a log of the folder's plan. One line for what cannot be done."""
    row = _row(folder, log)
    root = plans.root_of(folder)
    robot = robots.load_as_planned(row["profile"], row["model"], root)
    place = place_of(folder, row["id"], at) if out is None else out
    ownership.require_own([place / ABOUT, place / PAGE], "name another folder with --out")
    if mcap:
        require_replaceable(place / FORCES)
    with logs.brought(logs.found_again(row["path"], root), root) as path:
        part = _minute(path, robot, at, seconds / 2, row["path"])
    progress(0.3)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(place, f"cannot be written ({error.strerror})", "name another path: --out") from None
    # A folder of its own: one that holds an .mcap is taken for a bag.
    episode_place = place / _episode_name(row["path"])
    _antaeus.write_episode(part, episode_place)
    progress(0.4)
    about = {"schema": "antaeus.fleet.clip/1", "id": row["id"], "log": row["path"], "episode": episode_place.name, "robot": row["robot"], "at_s": at,
             "from_s": float(part.time[0]), "to_s": float(part.time[-1]), "steps": part.steps(), "version": _antaeus.__version__}
    plans.write_whole(place / ABOUT, lambda file: file.write_text(json.dumps(about, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"))
    written = [episode_place.name]
    options = json.loads(row["options"])
    if page:
        audit = _antaeus.audit(episode_place, robot, endpoints=options["endpoints"], settings=options["settings"])
        audit.save(place / PAGE)
        written.append(PAGE)
    progress(0.7)
    if mcap:
        request = Request(robot=robot, endpoints=options["endpoints"], settings=options["settings"])
        convert_recording(episode_place, place / FORCES, request, lambda share: progress(0.7 + 0.3 * share))
        written.append(FORCES)
    progress(1.0)
    return Clip(place, episode_place, part.steps(), float(part.time[0]), float(part.time[-1]), tuple(written))


def cut_worst(tables: sql.Tables, count: int) -> int:
    """The pages of so many worst minutes, those that are not there yet; what fails is told on stderr. Returns how many there are."""
    rows = tables.query("worst_minutes")[:count]
    progress, there = Bar("cutting clips"), 0
    for done, row in enumerate(rows):
        try:
            if not (place_of(tables.folder, row["id"], row["at_s"]) / PAGE).is_file():
                cut(tables.folder, row["id"], row["at_s"], page=True)
            there += 1
        except (ValueError, OSError) as error:
            say(f"antaeus: clip of {row['id']}: {error}", sys.stderr)
        progress((done + 1) / len(rows))
    return there


def _moment(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError("give seconds of the log's clock")
    return value


def run(arguments: list[str]) -> int:
    """The verb fleet clip."""
    made = sql.parser("clip", "DIR ID --at T [--seconds S] [--out FOLDER] [--page] [--mcap]",
                      "Cut the minute around an event out of its log, as an episode that every command reads.", "Exit codes: 0 fine, 2 bad input.")
    made.add_argument("log", metavar="ID", help="the log's id, as in plan, events and episodes")
    made.add_argument("--at", metavar="T", type=_moment, required=True, help="centre of the clip, in seconds of the log's clock (events.worst_time)")
    made.add_argument("--seconds", metavar="S", type=_moment, default=SECONDS, help="length (default: 60)")
    made.add_argument("--out", metavar="FOLDER", help="folder (default: DIR/clips/ID-T, where the report finds it)")
    made.add_argument("--page", action="store_true", help=f"also write its page, {PAGE}, as antaeus audit does")
    made.add_argument("--mcap", action="store_true", help=f"also write its forces for Foxglove, {FORCES}")
    made.add_argument("--json", action="store_true", help="print what was written as JSON")
    given = made.parse_args(arguments)
    if not given.seconds > 0:
        raise ValueError(f"--seconds: {given.seconds:g} is no length; give more than 0")
    clip = cut(pathlib.Path(given.folder), given.log, given.at, seconds=given.seconds, out=None if given.out is None else pathlib.Path(given.out),
               page=given.page, mcap=given.mcap, progress=Bar("cutting"))
    if given.json:
        print(json.dumps({"folder": str(clip.folder), "episode": str(clip.episode), "steps": clip.steps, "from_s": clip.begin, "to_s": clip.end,
                          "written": list(clip.written)}, ensure_ascii=False))
    else:
        say(f"{clip.folder}: {clip.steps} steps from {clip.begin:g} to {clip.end:g} s: {', '.join(clip.written)}")
    return 0
