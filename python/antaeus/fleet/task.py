"""One log of a fleet: a pure function of its row of the plan, which writes into a folder of its own.

The folder DIR/attempts/<id>/<attempt>/ holds the log's tables and, written last, manifest.json with their hashes: what has no manifest, or
another hash, is not there. Two workers that compute one row write the same bytes into two folders, and disturb nobody.
"""

import collections
import contextlib
import errno
import hashlib
import itertools
import json
import math
import os
import pathlib
import shutil
import tempfile
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from antaeus import _antaeus
from antaeus.fleet import forces, joints, logs, plans, robots, schema, seconds, spans
from antaeus.fleet.folders import ATTEMPTS
from antaeus.formats.recording import FormatError, UnreadableError

MANIFEST = "manifest.json"
TRANSIENT = ("killed", "disk", "memory", "unreadable")  # causes that another run may not meet
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class WorkerDisk(OSError):
    """The place of results is full, or cannot be written: nothing about the log is known."""


class _Table:
    """A Parquet file that grows."""

    def __init__(self, file: pathlib.Path, of: pa.Schema) -> None:
        self._schema, self._waiting, self._rows = of, [], 0
        self._writer = pq.ParquetWriter(file, of, compression="zstd")

    def add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += len(table)
        if self._rows >= 65536:
            self._flush()

    def add_rows(self, rows: list[dict[str, typing.Any]]) -> None:
        self.add(pa.Table.from_pylist(rows, self._schema))

    def _flush(self) -> None:
        self._writer.write_table(pa.concat_tables(self._waiting))
        self._waiting, self._rows = [], 0

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


def _class_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, _antaeus.ModelError | robots.OtherRobot):
        return "no_robot"
    if isinstance(error, _antaeus.OptionsError):
        return "other"
    if isinstance(error, UnreadableError):
        return "unreadable"
    if isinstance(error, _antaeus.Error):
        return "corrupt"
    if isinstance(error, OSError):
        return "disk" if error.errno in _NO_ROOM else "unreadable"
    return "other"


def _compute(row: Mapping[str, typing.Any], folder: pathlib.Path, read_at: list[str]) -> dict[str, typing.Any]:
    """Fills the folder with steps, events and joints; returns what the episode's row says. `read_at`: gets where the log is read."""
    options = json.loads(row["options"])
    robot = robots.load_as_planned(row["profile"], row["model"], row["root"])
    with contextlib.ExitStack() as stack:
        for number, copy in enumerate(row["copies"], 1):
            try:
                path = stack.enter_context(_unchanged(row, copy, read_at))
                break
            except FormatError:
                if number == len(row["copies"]):
                    raise
        return _computed(row, options, robot, path, folder)


@contextlib.contextmanager
def _unchanged(row: Mapping[str, typing.Any], copy: str, read_at: list[str]) -> Iterator[pathlib.Path]:
    """One of the paths that have a row's bytes. FormatError where it has them no longer."""
    log = logs.found_again(copy, row["root"])
    with logs.brought(log, row["root"]) as path:
        read_at.append(str(path))
        if logs.hashed(logs.FoundLog(str(path), log.files))[0] != row["hash"]:
            raise FormatError(copy, "has changed since it was planned", "plan again")
        yield path


def _computed(row: Mapping[str, typing.Any], options: Mapping[str, typing.Any], robot: typing.Any, path: pathlib.Path,
              folder: pathlib.Path) -> dict[str, typing.Any]:
    log = forces.LogForces(path, robot, options["endpoints"], options["settings"], options["guarded"])
    blocks = iter(log)
    first = next(blocks)
    rate = log.rate
    span = plans.untouched_span(options["untouched"])
    motors = robot.model.motor_names()
    poses = [robot.model.supporting_motors(robot.model.frame(frame)) for frame in log.frames]
    scale = np.array([figure.static_sd if figure.static_sd > 0 else 1.0 for figure in robot.profile.figures])
    binned = seconds.Seconds(row["id"], log.frames, poses, motors, options["every"], rate)
    events = spans.Spans(row["id"], log.frames, poses, motors, scale, rate, span)
    fitted = joints.Joints(row["id"], robot, options["settings"], rate, log.steps)
    told = _Told(rate, span)
    table = _Table(folder / "steps.parquet", schema.STEPS)
    try:
        for block in itertools.chain([first], blocks):
            table.add(binned.take(block, log.sign))
            events.take(block)
            fitted.take(block)
            told.take(block)
        table.add(binned.finish(log.sign))
    finally:
        table.close()
    for name, rows in (("events", events.finish()), ("joints", fitted.finish(bool(log.setup_fault)))):
        pq.write_table(pa.Table.from_pylist(rows, schema.TABLES[name]), folder / f"{name}.parquet", compression="zstd")
    kind = max(log.kinds, key=lambda one: (log.kinds[one], one), default="static")
    return told.row() | {"alarms": events.counts["alarm"], "contacts": events.counts["contact"], "phantoms": events.counts["phantom"],
                         "rate_hz": rate, "formed_of": kind, "computed_by": log.computed_by, "notes": "; ".join(log.notes), "sign": log.sign,
                         "setup_fault": log.setup_fault}


class _Told:
    """What an episode's row says of all of a log's samples."""

    def __init__(self, rate: float, untouched: tuple[float, float]) -> None:
        self._period, self._untouched = (1.0 / rate if math.isfinite(rate) else math.nan), untouched
        self._verdicts = np.zeros(3, np.int64)
        self._samples = self._free = self._free_of_endpoints = self._covered = 0
        self._first = self._last = self._worst = self._worst_time = math.nan

    def take(self, block: forces.Block) -> None:
        if self._samples == 0:
            self._first = float(block.time[0])
        self._last = float(block.time[-1])
        self._samples += len(block)
        if block.force.shape[1] == 0:
            return
        self._verdicts += np.bincount(np.minimum(block.verdict.max(axis=1), 2), minlength=3)
        free = (block.time >= self._untouched[0]) & (block.time <= self._untouched[1])
        known = np.isfinite(block.surprise[free])
        self._free += int(np.count_nonzero(free))
        self._free_of_endpoints += int(np.count_nonzero(known))
        self._covered += int(np.count_nonzero(block.surprise[free][known] <= forces.ZERO_WITHIN))
        norm = np.nan_to_num(np.linalg.norm(block.force, axis=2).max(axis=1), nan=-1.0)
        most = int(np.argmax(norm))
        if norm[most] >= 0 and not norm[most] <= self._worst:
            self._worst, self._worst_time = float(norm[most]), float(block.time[most])

    def row(self) -> dict[str, typing.Any]:
        ok, degraded, refused = self._verdicts * self._period
        return {"samples": self._samples, "duration_s": self._last - self._first + self._period, "ok_s": ok, "degraded_s": degraded,
                "refused_s": refused, "untouched_s": self._free * self._period,
                "untouched_covered": self._covered / self._free_of_endpoints if self._free_of_endpoints else math.nan,
                "force_max": self._worst, "worst_time": self._worst_time}


def _number(name: str, value: typing.Any) -> typing.Any:
    kind = schema.EPISODE.field(name).type
    if pa.types.is_floating(kind):
        return None if not math.isfinite(value) else (float(np.float32(value)) if kind == pa.float32() else float(value))
    return value


def _seal(row: Mapping[str, typing.Any], folder: pathlib.Path, told: Mapping[str, typing.Any], status: str, reason: str, cause: str) -> None:
    """Writes the episode's row and, last of all, the manifest."""
    episode = dict.fromkeys(schema.EPISODE.names) | {
        "id": row["id"], "robot": row["robot"], "hash": row["hash"], "status": status, "reason": reason, "cause": cause,
        "version": row["version"], **{name: _number(name, value) for name, value in told.items()}}
    pq.write_table(pa.Table.from_pylist([episode], schema.EPISODE), folder / "episode.parquet", compression="zstd")
    for name, of in schema.TABLES.items():
        if status == "failed":
            pq.write_table(of.empty_table(), folder / f"{name}.parquet", compression="zstd")
    files = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("*.parquet"))}
    for name in files:  # a manifest must not outlive, in a power failure, what it vouches for
        with open(folder / name, "rb") as file:
            os.fsync(file.fileno())
    manifest = {"id": row["id"], "version": row["version"], "settings": row["settings"], "model": row["model"], "status": status,
                "cause": cause, "reason": reason, "files": files}
    plans.write_whole(folder / MANIFEST, lambda file: file.write_text(json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
                                                                      encoding="utf-8"))


def _attempt(row: Mapping[str, typing.Any], fill: Callable[[pathlib.Path], None]) -> None:
    place = pathlib.Path(row["out"]) / ATTEMPTS / row["id"]
    folder = None
    try:
        place.mkdir(parents=True, exist_ok=True)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=place))
        os.chmod(folder, 0o755)
        fill(folder)
    except BaseException as error:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and (error.errno in _NO_ROOM or str(error.filename or "").startswith(str(place))):
            raise WorkerDisk(error.errno, f"{os.strerror(error.errno or 0)}", str(place)) from None
        raise


def write_failure(row: Mapping[str, typing.Any], reason: str, cause: str) -> None:
    """An attempt that says why there is no result. Raises WorkerDisk where not even that can be written."""
    _attempt(row, lambda folder: _seal(row, folder, {}, "failed", " ".join(reason.split()), cause))


def run_one(row: Mapping[str, typing.Any]) -> dict[str, str]:
    """Computes the log of a row of `tasks`. A log that cannot be used is a finished attempt, too, with its reason.

    Returns id, status, cause and reason. Raises WorkerDisk where the results cannot be written; nothing else but Ctrl-C.
    """
    reason, cause = row["problem"], "unreadable"  # when it was planned
    if row["version"] != _antaeus.__version__:
        reason, cause = f"planned by antaeus {row['version']}, and this worker has {_antaeus.__version__}; install the same", "other"
    if reason:
        write_failure(row, reason, cause)
        return {"id": row["id"], "status": "failed", "cause": cause, "reason": reason}

    read_at: list[str] = []

    def fill(folder: pathlib.Path) -> None:
        _seal(row, folder, _compute(row, folder, read_at), "done", "", "")

    try:
        _attempt(row, fill)
    except WorkerDisk:
        raise
    except Exception as error:
        reason, cause = " ".join(str(error).split()) or type(error).__name__, _class_of(error)
        for place in read_at:  # a message names the file as this machine has it, the row as the plan does
            reason = reason.replace(place, row["path"])
        write_failure(row, reason, cause)
        return {"id": row["id"], "status": "failed", "cause": cause, "reason": reason}
    return {"id": row["id"], "status": "done", "cause": "", "reason": ""}


def attempts_of(folder: str | os.PathLike[str], log_id: str) -> list[tuple[pathlib.Path, dict[str, typing.Any]]]:
    """Finished attempts at a log, those that are done first; one without a readable manifest, or with a damaged file, is not finished."""
    found = []
    place = pathlib.Path(folder) / ATTEMPTS / log_id
    for attempt in sorted(place.iterdir()) if place.is_dir() else ():
        try:
            manifest = json.loads((attempt / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict) and manifest.get("id") == log_id and _is_whole(attempt, manifest):
            found.append((attempt, manifest))
    return sorted(found, key=lambda one: one[1]["status"] != "done")


def _is_whole(attempt: pathlib.Path, manifest: Mapping[str, typing.Any]) -> bool:
    """Returns True if an attempt's files have the hashes of its manifest."""
    names = {*(f"{name}.parquet" for name in schema.TABLES), "episode.parquet"}
    try:
        return names <= set(manifest["files"]) and all(hashlib.sha256((attempt / name).read_bytes()).hexdigest() == manifest["files"][name]
                                                       for name in names)
    except (OSError, KeyError, TypeError):
        return False


def has_result(manifests: Iterable[Mapping[str, typing.Any]]) -> bool:
    """Whether one of a row's attempts is done, or failed by what another run would meet, too."""
    return any(manifest["status"] == "done" or manifest["cause"] not in TRANSIENT for manifest in manifests)


def missing(folder: str | os.PathLike[str]) -> list[dict[str, typing.Any]]:
    """Rows without a finished attempt, or with one that failed by what may have passed. FormatError for results of another version."""
    wanted, others = [], collections.Counter[str]()
    for row in plans.tasks(folder):
        there = attempts_of(folder, row["id"])
        others.update(manifest["version"] for _, manifest in there if manifest["version"] != row["version"])
        if not has_result(manifest for _, manifest in there):
            wanted.append(row)
    if others:
        version, count = others.most_common(1)[0]
        raise FormatError(folder, f"holds {count} results of antaeus {version}, and this is {_antaeus.__version__}", "name another folder")
    return wanted
