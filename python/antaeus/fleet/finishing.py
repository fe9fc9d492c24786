"""Puts finished attempts together into the tables of a fleet: steps/, events/, joints/, episodes/, a folder a robot.

Logs come in the plan's order, whoever computed them, and files are cut by their rows alone: bytes do not depend on engine, order or
number of workers. A few attempts are in memory at a time.
"""

import collections
import dataclasses
import datetime
import functools
import os
import pathlib
import typing
import urllib.parse
from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from antaeus._terminal import printable
from antaeus.fleet import folders, plans, schema, task
from antaeus.formats import ownership
from antaeus.formats.recording import FormatError
from antaeus.formats.scratch import scratch_folder

_PLAIN = " ()"  # what Hive leaves as it is in a folder's name, beside letters and digits
_ROWS_OF_A_GROUP = 131072
_ROWS_OF_A_FILE = 4_000_000
_FIRST_UNIX, _LAST_UNIX = 946_684_800, 4_102_444_800  # [s] 2000 to 2100: a clock that counts from 1970, and not from its start


@dataclasses.dataclass(frozen=True)
class Finished:
    """What `finish` put together."""

    folder: pathlib.Path
    logs: int
    done: int
    failed: int
    missing: int
    copies: int
    causes: Mapping[str, int]
    failures: tuple[tuple[str, str], ...]  # path, reason: the first of each cause
    rows: Mapping[str, int]

    def to_json(self) -> dict[str, typing.Any]:
        return {"schema": "antaeus.fleet/1", "logs": self.logs, "done": self.done, "failed": self.failed, "missing": self.missing,
                "copies": self.copies, "causes": dict(self.causes), "failures": [{"path": path, "reason": reason} for path, reason in self.failures],
                "rows": dict(self.rows)}

    def __str__(self) -> str:
        lines = [f"{self.folder}: {self.logs} logs, {self.done} done, {self.failed} failed"
                 + (f", {self.missing} missing" if self.missing else "") + (f"; {self.copies} are copies of other logs" if self.copies else "")]
        lines += [f"  {cause}: {count}" for cause, count in self.causes.items()]
        lines += [f"    {path}: {reason.removeprefix(f'{path}: ')}" for path, reason in self.failures]
        return "\n".join([*map(printable, lines), "  " + ", ".join(f"{name} {count} rows" for name, count in self.rows.items())])


class _Files:
    """Tables of one kind: a folder a robot, files of bounded length."""

    def __init__(self, place: pathlib.Path, of: pa.Schema, robots: list[str]) -> None:
        self._place, self._schema = place, of
        self._waiting: dict[str, list[pa.Table]] = {robot: [] for robot in robots}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._in_file, self._files = collections.Counter[str](), collections.Counter[str]()
        self.rows = 0

    def add(self, robot: str, table: pa.Table) -> None:
        self.rows += len(table)
        waiting = self._waiting[robot]
        waiting.append(table)
        if sum(map(len, waiting)) >= _ROWS_OF_A_GROUP:
            self._flush(robot)

    def _flush(self, robot: str) -> None:
        """Writes what waits, in groups of rows whose borders depend on the rows alone."""
        whole = pa.concat_tables(self._waiting[robot] or [self._schema.empty_table()])
        self._waiting[robot] = []
        for first in range(0, max(len(whole), 1), _ROWS_OF_A_GROUP):
            group = whole.slice(first, _ROWS_OF_A_GROUP)
            if robot in self._writers and self._in_file[robot] + len(group) > _ROWS_OF_A_FILE:
                self._writers.pop(robot).close()
            if robot not in self._writers:
                folder = self._place / f"robot={urllib.parse.quote(robot, safe=_PLAIN)}"
                folder.mkdir(parents=True, exist_ok=True)
                self._writers[robot] = pq.ParquetWriter(folder / f"part-{self._files[robot]:05d}.parquet", self._schema, compression="zstd")
                self._files[robot] += 1
                self._in_file[robot] = 0
            self._writers[robot].write_table(group, row_group_size=_ROWS_OF_A_GROUP)
            self._in_file[robot] += len(group)

    def close(self) -> None:
        for robot, waiting in self._waiting.items():
            if waiting or robot not in self._writers:
                self._flush(robot)
        for writer in self._writers.values():
            writer.close()


def _best(folder: pathlib.Path, row: Mapping[str, typing.Any]) -> pathlib.Path | None:
    """A finished attempt at a row: one that is done before one that failed."""
    attempts = task.attempts_of(folder, row["id"])
    if not attempts:
        return None
    attempt, manifest = attempts[0]
    if manifest["version"] != row["version"]:
        raise FormatError(folder, f"holds results of antaeus {manifest['version']}, and the plan is of {row['version']}", "name another folder")
    return attempt


def _recorded_on(attempt: pathlib.Path) -> str:
    """The UTC day of an attempt's first time stamp where the log's clock counts seconds since 1970; empty where it does not."""
    times = pq.read_table(attempt / "steps.parquet", columns=["time"])["time"]
    first = pc.min(times).as_py()
    if first is None or not _FIRST_UNIX <= first < _LAST_UNIX:
        return ""
    return datetime.datetime.fromtimestamp(first, datetime.UTC).date().isoformat()


def _without(table: pa.Table, name: str) -> pa.Table:
    return table.drop_columns([name]) if name in table.column_names else table


def finish(folder: str | os.PathLike[str], partial: bool = False, progress: Callable[[float], None] = lambda share: None) -> Finished:
    """Puts DIR's tables together. FormatError where a row of the plan has no finished attempt, unless `partial`."""
    place = pathlib.Path(folder)
    plans.read_plan(place)  # refuses a folder without one
    with folders.working_in(place):
        return _finish(place, partial, progress)


def _finish(place: pathlib.Path, partial: bool, progress: Callable[[float], None]) -> Finished:
    rows = plans.read_plan(place)
    folders.require_own_tables(place)
    attempts: dict[str, pathlib.Path | None] = {}
    for row in rows:
        if row["id"] not in attempts:
            attempts[row["id"]] = _best(place, row)
    absent = [row for row in rows if attempts[row["id"]] is None]
    if absent and not partial:
        raise Incomplete(place, f"{len(absent)} of {len(rows)} logs have no finished attempt, as {absent[0]['path']}",
                         "run antaeus fleet LOGS… again, which computes these alone, or finish with --partial")
    robots = sorted({row["robot"] for row in rows})
    with scratch_folder(place) as scratch:
        told = _write(rows, attempts, robots, scratch, progress)
        for name in (*schema.TABLES, "episodes"):
            try:
                ownership.replace_folder(scratch / name, place / name, functools.partial(folders.own_files, place / name))
            except FileExistsError as error:
                raise FormatError(error.filename, "takes the path of a fleet table, and fleet did not write it", "move it away") from None
    return dataclasses.replace(told, folder=place, missing=len(absent))


class Incomplete(FormatError):
    """A plan that is not computed to its end: exit code 1, not 2."""


def _write(rows: list[dict[str, typing.Any]], attempts: Mapping[str, pathlib.Path | None], robots: list[str], scratch: pathlib.Path,
           progress: Callable[[float], None]) -> Finished:
    files = {name: _Files(scratch / name, of, robots) for name, of in schema.TABLES.items()}
    partitioned = folders.table_schema("episodes")
    episodes = _Files(scratch / "episodes", partitioned, robots)
    first: dict[str, str] = {}
    causes, examples = collections.Counter[str](), {}
    done = failed = copies = 0
    for number, row in enumerate(rows):
        attempt = attempts[row["id"]]
        progress(number / len(rows))
        if attempt is None:
            continue
        copy_of = first.get(row["id"], "")
        first.setdefault(row["id"], row["path"])
        copies += bool(copy_of)
        episode = pq.read_table(attempt / "episode.parquet", schema=schema.EPISODE).to_pylist()[0]
        episode |= {name: row[name] for name in ("path", *schema.KNOWN_TAGS, "tags")} | {"copy_of": copy_of}
        episode["date"] = episode["date"] or _recorded_on(attempt)
        episode.pop("robot")
        episodes.add(row["robot"], pa.Table.from_pylist([episode], partitioned))
        if episode["status"] == "done":
            done += 1
        else:
            failed += 1
            causes[episode["cause"]] += 1
            examples.setdefault(episode["cause"], (row["path"], episode["reason"]))
        if not copy_of:
            for name, of in schema.TABLES.items():
                files[name].add(row["robot"], pq.read_table(attempt / f"{name}.parquet", schema=of))
    for each in (*files.values(), episodes):
        each.close()
    ordered = {cause: causes[cause] for cause in sorted(causes, key=lambda one: (-causes[one], one))}
    return Finished(scratch, len(rows), done, failed, 0, copies, ordered, tuple(examples[cause] for cause in ordered),
                    {name: each.rows for name, each in (*files.items(), ("episodes", episodes))})
