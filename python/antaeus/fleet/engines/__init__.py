"""Who computes the logs of a plan. An engine is a function of rows that gives each row back with its outcome, in any order, or with a
`Lost`, where the worker is gone or its disk is full; it schedules nothing itself.
"""

import dataclasses
import importlib
import os
import typing
from collections.abc import Iterator, Mapping, Sequence

from antaeus.formats.recording import FormatError, nearest

Row = Mapping[str, typing.Any]
NAMES = {"local": "local", "ray": "ray_cluster", "dask": "dask_cluster", "slurm": "slurm"}


@dataclasses.dataclass(frozen=True)
class Lost:
    """A row without an outcome: the reason, and its class as in schema.CAUSES."""

    reason: str
    cause: str


@dataclasses.dataclass(frozen=True)
class Asked:
    """What an engine is told. `address`: of a cluster, or None for one on this machine; `workers`: None for one a core."""

    folder: str
    address: str | None = None
    workers: int | None = None

    def count(self) -> int:
        return self.workers or len(os.sched_getaffinity(0))


class Engine(typing.Protocol):
    def __call__(self, rows: Sequence[Row], asked: Asked) -> Iterator[tuple[Row, "dict[str, str] | Lost"]]: ...


def find(name: str) -> Engine:
    """The engine of that name. FormatError with the nearest, or with the line that installs its library."""
    if name not in NAMES:
        raise FormatError("--engine", f"'{name}' is unknown", nearest(name, NAMES) or f"give {', '.join(NAMES)}")
    engine: Engine = importlib.import_module(f"antaeus.fleet.engines.{NAMES[name]}").outcomes
    return engine


def library(name: str, extra: str) -> typing.Any:
    """An engine's library. FormatError with the line that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise FormatError(f"--engine {extra}", f"needs the Python package {name}", f"pip install 'antaeus[fleet-{extra}]'") from None
