"""A plan computed to its end by an engine: what is missing, and what was lost on the way once more."""

import json
import os
import pathlib
import time
import typing
from collections.abc import Callable, Sequence

from antaeus.fleet import engines, finishing, folders, logs, plans, task

Progress = Callable[[float], None]


def _no_progress(share: float) -> None:
    """Nobody looks."""


def compute(folder: str | os.PathLike[str], engine: str = "local", address: str | None = None, workers: int | None = None,
            progress: Progress = _no_progress) -> int:
    """Computes the rows of DIR's plan that have no result yet; returns how many they were.

    A row whose worker was killed, or whose worker's disk was full, is computed once more; then it is a failed row, which the next run tries
    again. FormatError, WorkerDisk: one line.
    """
    plans.read_plan(folder)  # refuses a folder without one
    with folders.working_in(pathlib.Path(folder)):
        return _compute(task.missing(folder), engine, engines.Asked(str(folder), address, workers), progress)


def compute_part(folder: str | os.PathLike[str], part: int, of: int) -> int:
    """What one task of a Slurm array does."""
    from antaeus.fleet.engines import slurm

    return _compute(slurm.part_of(task.missing(folder), part, of), "local", engines.Asked(str(folder), workers=1), _no_progress)


def _compute(missing: Sequence[engines.Row], engine: str, asked: engines.Asked, progress: Progress) -> int:
    outcomes = engines.find(engine)
    rows = sorted(missing, key=lambda row: (-row["bytes"], row["path"]))  # long ones first: no core waits for the last
    whole = max(1, sum(_weight(row) for row in rows))
    done = 0
    again: list[engines.Row] = []
    for last in (False, True):
        lost: list[engines.Row] = []
        for row, outcome in outcomes(again if last else rows, asked) if (again if last else rows) else ():
            # A worker may have ended between its manifest and its answer.
            gone = isinstance(outcome, engines.Lost) and not task.has_result(manifest for _, manifest in task.attempts_of(row["out"], row["id"]))
            if gone and not last:
                lost.append(row)
                continue
            if gone and isinstance(outcome, engines.Lost):
                task.write_failure(row, f"{outcome.reason}, twice", outcome.cause)
            done += _weight(row)
            progress(done / whole)
        again = lost
    return len(rows)


def _weight(row: engines.Row) -> int:
    return int(row["bytes"]) + 1_000_000  # a log has its own cost, however short it is


def _phase(progress: Progress, first: float, last: float) -> Progress:
    return lambda share: progress(first + (last - first) * share)


def run(paths: Sequence[str], folder: str | os.PathLike[str], robot: str | Sequence[str] = (), *, engine: str = "local", address: str | None = None,
        workers: int | None = None, endpoints: Sequence[str] = (), settings: dict[str, typing.Any] | None = None, every: float = 1.0,
        tags: str | None = None, untouched: str = "", guarded: bool = False, progress: Progress = _no_progress) -> finishing.Finished:
    """Plans, computes and finishes: what `antaeus fleet LOGS… --robot R --out DIR` does."""
    engines.find(engine)
    wanted = plans.Wanted(plans.names_of(robot), tuple(endpoints), settings or {}, every, tags, untouched, guarded)
    plans.make_plan(paths, folder, wanted, _phase(progress, 0.0, 0.1))
    with folders.working_in(pathlib.Path(folder)):  # a run that adds logs meanwhile would leave this one incomplete
        compute(folder, engine, address, workers, _phase(progress, 0.1, 0.97))
        return finishing.finish(folder, progress=_phase(progress, 0.97, 1.0))


def watch(paths: Sequence[str], folder: str | os.PathLike[str], wanted: plans.Wanted, engine: str = "local", address: str | None = None,
          workers: int | None = None, seconds: float | None = None, pause: float = 2.0,
          told: Callable[[finishing.Finished], object] | None = None) -> finishing.Finished | None:
    """Looks again and again, and adds what is new: a log is taken once its size stood still from one look to the next.

    Ends after `seconds`, or with the exception of Ctrl-C. What it remembers of a log is its path and size.
    """
    begun, finished = time.monotonic(), None
    place = pathlib.Path(folder)
    known = {row["path"]: row["bytes"] for row in plans.read_plan(place)} if (place / plans.PLAN_FILE).is_file() else {}
    before: dict[str, tuple[int, ...]] = {}
    taken: dict[str, tuple[int, ...]] = {}
    while True:
        sizes = {log.path: logs.sizes(log) for log in logs.find(paths, without=[place, *([wanted.tags] if wanted.tags else [])])}
        if not taken:
            taken = {path: size for path, size in sizes.items() if known.get(path) == sum(size)}
        still = [path for path, size in sizes.items() if before.get(path) == size and taken.get(path) != size and size]
        if still:
            plans.make_plan(paths, place, wanted, known={path: 0 for path in sizes if path not in still})
            taken |= {path: sizes[path] for path in still}
        if still or (finished is None and (place / plans.PLAN_FILE).is_file()):
            with folders.working_in(place):
                compute(place, engine, address, workers)
                finished = finishing.finish(place)
            if told is not None:
                told(finished)
        before = sizes
        left = None if seconds is None else seconds - (time.monotonic() - begun)
        if left is not None and left <= 0:
            return finished
        time.sleep(pause if left is None else min(pause, left))


def as_json(finished: finishing.Finished) -> str:
    return json.dumps(finished.to_json(), ensure_ascii=False, indent=2)
