"""The plan of a fleet: one row a log, sealed by hashes of everything that its results depend on.

A row's `id` is made of the log's content, the robot's files and the settings, never of where the log lies, of the clock or of who
computes it. Planning into a folder again adds logs; what is there stays.
"""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from antaeus import _antaeus
from antaeus.fleet import folders, logs, robots, schema
from antaeus.formats.recording import FormatError, UnreadableError, nearest

PLAN_FILE = "plan.parquet"
_ROOT_FILE = "root.txt"  # where relative paths of the plan begin, as seen from the folder
_LONGEST_ROW = 60.0  # s of samples that a worker holds


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What all logs of a plan are computed by."""

    robots: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    settings: Mapping[str, typing.Any] = dataclasses.field(default_factory=dict)
    every: float = 1.0
    tags: str | None = None
    untouched: str = ""
    guarded: bool = False

    def options(self, untouched: str) -> str:
        """As text of which the hash is taken."""
        return json.dumps({"endpoints": list(self.endpoints), "every": self.every, "untouched": untouched, "guarded": self.guarded,
                           "settings": {name: str(self.settings[name]) for name in sorted(self.settings)}},
                          ensure_ascii=False, sort_keys=True)


@dataclasses.dataclass(frozen=True)
class Planned:
    """What `plan` did."""

    rows: int
    added: int
    problems: int
    copies: int


def names_of(robot: str | os.PathLike[str] | Sequence[str]) -> tuple[str, ...]:
    """One robot, or several."""
    return (os.fspath(robot),) if isinstance(robot, str | os.PathLike) else tuple(os.fspath(each) for each in robot)


def untouched_span(text: str) -> tuple[float, float]:
    """From and until when nothing touches [s]: `all`, `FROM:TO` with either left out, or nothing."""
    if text == "":
        return 0.0, -1.0
    if text == "all":
        return float("-inf"), float("inf")
    begin, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        span = (float(begin) if begin else float("-inf"), float(end) if end else float("inf"))
    except ValueError:
        raise FormatError("untouched", f"'{text}' is no span", "write all, or FROM:TO in seconds of the log's clock") from None
    if not span[0] < span[1]:
        raise FormatError("untouched", f"'{text}' ends before it begins", "write FROM:TO with FROM before TO")
    return span


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _tags(log: logs.FoundLog, given: dict[str, dict[str, str]]) -> dict[str, str]:
    """Of the path, and over it those of the file: of this path, else of its name."""
    name = log.path.rstrip("/").rpartition("/")[2]
    return {**logs.tags_of(log.path), **given.get(name, {}), **given.get(log.path, {})}


def _profile(log: logs.FoundLog, named: str, wanted: Wanted, root: str) -> str:
    """Whose log it is: as a tag says, by the name of one that --robot gives or by itself; else the one of --robot."""
    if named:
        return next((each for each in wanted.robots if robots.load(each, root)[0].profile.name == named), named)
    if len(wanted.robots) != 1:
        raise FormatError(log.path, "its robot is not stated", "give one --robot, a column robot in --tags, or folders robot=NAME")
    return wanted.robots[0]


def _row(log: logs.FoundLog, found: "tuple[str, int] | FormatError", tags: dict[str, str], wanted: Wanted, root: str) -> dict[str, typing.Any]:
    profile = _profile(log, tags.pop("robot", ""), wanted, root)
    untouched = tags.pop("untouched", wanted.untouched)
    untouched_span(untouched)
    robot, model = robots.load(profile, root)
    options = wanted.options(untouched)
    settings = _digest(options)
    broken = isinstance(found, FormatError)
    content, count = ("", 0) if isinstance(found, FormatError) else found
    # Two formats may hold equal bytes, and one of the two then fails: the format belongs to the id.
    return {"id": _digest(content or f"at {log.path}", log.kind, robot.profile.name, model, settings)[:16], "path": log.path, "kind": log.kind,
            "bytes": count, "hash": content, "robot": robot.profile.name, "profile": profile, "model": model, "settings": settings,
            "options": options, "version": _antaeus.__version__, **{name: tags.pop(name, "") for name in schema.KNOWN_TAGS},
            "tags": sorted(tags.items()), "problem": str(found) if broken else ""}


def _require_endpoints(profile: str, wanted: Wanted, root: str) -> None:
    robot, _ = robots.load(profile, root)
    for assignment, value in wanted.settings.items():
        _antaeus.BatchReplay(robot, list(wanted.endpoints), settings={assignment: value}, threads=1)  # refuses an unknown one by name
    if not wanted.endpoints and not robot.profile.endpoints:
        raise FormatError(profile, "has no profile with the frames whose forces are requested",
                          f"antaeus robot {profile} --write my_robot.toml, or name them with --endpoint")
    robot.endpoint_frames(list(wanted.endpoints))


def read_plan(folder: str | os.PathLike[str]) -> list[dict[str, typing.Any]]:
    """The rows of a folder's plan, by path. FormatError where there is none."""
    file = pathlib.Path(folder) / PLAN_FILE
    if not file.is_file():
        raise FormatError(folder, "holds no plan of a fleet", "antaeus fleet plan LOGS… --robot R --out DIR")
    try:
        table = pq.read_table(file)
    except (pa.ArrowException, OSError) as error:
        raise UnreadableError(file, f"cannot be read ({' '.join(str(error).split())})", "name another folder, or move it away") from None
    if missing := [name for name in schema.PLAN.names if name not in table.column_names]:
        raise FormatError(file, f"has no column {missing[0]}: it is not a plan of this version of fleet", "name another folder, or move it away")
    return table.to_pylist()


def root_of(folder: str | os.PathLike[str]) -> str:
    """Where relative paths of a plan begin."""
    file = pathlib.Path(folder) / _ROOT_FILE
    return os.path.normpath(pathlib.Path(folder).resolve() / (file.read_text(encoding="utf-8", errors="surrogateescape") if file.is_file() else "."))


def write_whole(file: pathlib.Path, write: Callable[[pathlib.Path], object]) -> None:
    """A file that is there whole or not at all."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        write(beside)
        os.replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)


def _require_same(old: Iterable[Mapping[str, typing.Any]], new: Iterable[Mapping[str, typing.Any]], folder: pathlib.Path) -> None:
    """One folder is of one version, one way to compute, and one model a robot: else rows would not compare."""
    known: dict[str, Mapping[str, typing.Any]] = {}
    for row in old:
        known.setdefault(row["robot"], row)
    first = next(iter(known.values()), None)

    def compared(row: Mapping[str, typing.Any]) -> dict[str, typing.Any]:
        return {name: value for name, value in json.loads(row["options"]).items() if name != "untouched"}

    for row in new:
        if first is not None and first["version"] != row["version"]:
            raise FormatError(folder, f"holds results of antaeus {first['version']}, and this is {row['version']}", "name another folder")
        if first is not None and compared(first) != compared(row):
            raise FormatError(folder, f"was planned with {first['options']}, and now {row['options']} is requested", "name another folder")
        if row["robot"] in known and known[row["robot"]]["model"] != row["model"]:
            raise FormatError(folder, f"holds results of another model of {row['robot']}", "name another folder")
        known.setdefault(row["robot"], row)


def make_plan(paths: Sequence[str], folder: str | os.PathLike[str], wanted: Wanted, progress: Callable[[float], None] = lambda share: None,
              known: Mapping[str, int] | None = None) -> Planned:
    """Finds and hashes the logs, and writes FOLDER/plan.parquet; logs that a plan there has already stay in it.

    `known`: path → bytes of logs that are left alone, because nothing changed (--watch). FormatError, ModelError, OptionsError: one line.
    """
    if not 0 <= wanted.every <= _LONGEST_ROW:
        raise FormatError("--every", f"{wanted.every:g} is no time of a row", f"give seconds up to {_LONGEST_ROW:g}, or 0 for every sample; SQL sums rows")
    place = pathlib.Path(folder)
    root = os.getcwd()
    if place.is_dir():  # before hours of hashing; again under the lock
        has_plan = (place / PLAN_FILE).is_file() and bool(read_plan(place))
        folders.require_own(place, has_plan, os.path.relpath(root, place.resolve()))
    given = logs.read_tags(wanted.tags) if wanted.tags else {}
    for profile in wanted.robots:
        _require_endpoints(profile, wanted, root)
    found = logs.find(paths, root, [place, *([wanted.tags] if wanted.tags else [])])
    if known is not None:
        found = [log for log in found if log.path not in known]
    elif not found:
        raise FormatError(", ".join(paths), "holds no log", "name a log, a folder of logs, a pattern or an address")
    if given and (strangers := [path for path in given if not any(log.path == path or log.path.rstrip("/").endswith(f"/{path}") for log in found)]):
        if known is None and len(strangers) == len(given):
            raise FormatError(wanted.tags, f"names none of the logs, but '{strangers[0]}'",
                              nearest(strangers[0], [log.path for log in found]) or "write paths as they are given, or names of files")
    rows = []
    robot_names: set[str] = set()
    with concurrent.futures.ThreadPoolExecutor(2) as threads:  # hashing leaves the interpreter alone

        def hashed(log: logs.FoundLog) -> "tuple[str, int] | FormatError":
            try:
                return logs.hashed(log, root)
            except FormatError as error:
                return error

        for log, sum_ in zip(found, threads.map(hashed, found), strict=True):
            row = _row(log, sum_, _tags(log, given), wanted, root)
            if row["profile"] not in robot_names:
                _require_endpoints(row["profile"], wanted, root)
                robot_names.add(row["profile"])
            rows.append(row)
            progress(len(rows) / len(found))
    _require_same([], rows, place)
    with folders.working_in(place):
        return _add_to_plan(place, rows, root)


def _add_to_plan(place: pathlib.Path, rows: list[dict[str, typing.Any]], root: str) -> Planned:
    old = read_plan(place) if (place / PLAN_FILE).is_file() else []
    root_text = os.path.relpath(root, place.resolve())
    folders.require_own(place, bool(old), root_text)
    _require_same(old, rows, place)
    if old and os.path.normpath(root) != root_of(place) and any(not os.path.isabs(row["path"]) and not logs.is_address(row["path"]) for row in old + rows):
        raise FormatError(place, "was planned from another working directory", f"go there ({os.path.relpath(root_of(place))}), or name logs by absolute paths")
    merged = {row["path"]: row for row in old}
    added = sum(merged.get(row["path"], {}).get("id") != row["id"] for row in rows)
    merged |= {row["path"]: row for row in rows}
    whole = [merged[path] for path in sorted(merged)]
    write_whole(place / _ROOT_FILE, lambda file: file.write_text(root_text, encoding="utf-8", errors="surrogateescape"))
    write_whole(place / PLAN_FILE, lambda file: pq.write_table(pa.Table.from_pylist(whole, schema.PLAN), file, compression="zstd"))
    return Planned(len(whole), added, sum(bool(row["problem"]) for row in whole), len(whole) - len({row["id"] for row in whole}))


def tasks(folder: str | os.PathLike[str]) -> list[dict[str, typing.Any]]:
    """Returns what run_one takes: rows of the plan, one an id, with the folder, where relative paths begin and the paths of copies."""
    out, root = str(pathlib.Path(folder).resolve()), root_of(folder)
    first: dict[str, dict[str, typing.Any]] = {}
    for row in read_plan(folder):
        first.setdefault(row["id"], {**row, "out": out, "root": root, "copies": []})["copies"].append(row["path"])
    return list(first.values())


def plan(paths: Sequence[str], folder: str | os.PathLike[str], robot: str | Sequence[str] = (), *, endpoints: Sequence[str] = (),
         settings: Mapping[str, typing.Any] | None = None, every: float = 1.0, tags: str | None = None, untouched: str = "",
         guarded: bool = False, progress: Callable[[float], None] = lambda share: None) -> Planned:
    """Writes FOLDER/plan.parquet, one row a log under `paths`: what `antaeus fleet plan` does. Raises one line, as `make_plan`."""
    return make_plan(paths, folder, Wanted(names_of(robot), tuple(endpoints), settings or {}, every, tags, untouched, guarded), progress)
