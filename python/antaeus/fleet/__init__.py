"""Thousands of logs as tables: `antaeus fleet` (docs/guide/fleet.md).

    plan(["logs"], "out", robot="h1_2")          # out/plan.parquet: one row a log
    for row in tasks("out"): run_one(row)        # each by itself, in any process, on any machine that sees both folders
    finish("out")                                # out/steps, events, joints, episodes: partitioned Parquet

`run` does all three with an engine. What a log's results are depends on its row alone.
"""

import importlib
import typing

_NAMES = {"Finished": "finishing", "Planned": "plans", "compute": "driving", "finish": "finishing", "missing": "task", "plan": "plans",
          "run": "driving", "run_one": "task", "tasks": "plans", "watch": "driving", "Wanted": "plans", "WorkerDisk": "task"}
__all__ = sorted(_NAMES)


def __getattr__(name: str) -> typing.Any:
    """Loads what is asked for, with the libraries that it needs."""
    if name not in _NAMES:
        raise AttributeError(f"module 'antaeus.fleet' has no attribute {name!r}", name=name)
    try:
        return getattr(importlib.import_module(f"antaeus.fleet.{_NAMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ImportError("antaeus.fleet needs the Python package pyarrow: pip install 'antaeus[fleet]'") from None


def __dir__() -> list[str]:
    return __all__
