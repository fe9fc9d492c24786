"""The verb fleet: its sub-verbs, and the run that does all of it."""

import argparse
import dataclasses
import importlib
import json
import math
import os
import pathlib
import signal
import sys
import typing
from collections.abc import Callable

from antaeus._options import Bar, Parser, settings_of
from antaeus._terminal import say, unescaped
from antaeus.formats.recording import FormatError, nearest

# Sub-verb → module with run(arguments) -> exit code; it loads, with its libraries, when it is called.
_SUB_VERBS = {"report": "report", "sql": "sql", "clip": "clips", "check": "baseline"}
_USAGE = """antaeus fleet LOGS… --robot R --out DIR [options]
       antaeus fleet plan LOGS… --robot R --out DIR [options]
       antaeus fleet finish DIR [--partial]
       antaeus fleet report|sql|clip|check DIR …   (options: antaeus fleet report --help, …)"""


def _add_plan(add: Callable[..., typing.Any]) -> None:
    add("--robot", "-r", metavar="NAME|FILE", action="append", default=[],
        help="robot of the logs; with several (repeatable), a folder robot=NAME or --tags selects one")
    add("--out", "-o", metavar="DIR", required=True, help="folder of plan and results; new logs are added to it")
    add("--endpoint", "-e", metavar="FRAME", action="append", default=[], help="frame or label of an endpoint (repeatable; default: the profile's)")
    add("--set", metavar="GROUP.OPTION=VALUE", action="append", default=[], help="set any option of estimate (repeatable)")
    add("--every", metavar="S", type=float, default=1.0, help="seconds per row of steps/, 60 at most (default 1; 0: every sample)")
    add("--tags", metavar="FILE", help="CSV with a column path and any others: software, date, unit, robot, untouched, …")
    add("--guarded", action="store_true", help="add the guard's tests of each sample to every log; takes five times as long")
    add("--untouched", metavar="all|FROM:TO", default="", help="contact-free part of all logs [s]: a force there is a phantom")


def _parser(verb: str) -> Parser:
    parser = Parser("antaeus fleet", usage=_USAGE, allow_abbrev=False, add_help=False, formatter_class=argparse.RawDescriptionHelpFormatter,
                     description="make tables of many logs: which robots, poses, joints and versions show alarms, contacts and phantom forces",
                     epilog="Exit codes: 0 fine, 1 every log failed, logs are missing (finish) or a check failed, 2 bad input.")
    add = parser.add_argument
    add("-h", "--help", action="help", help="print this help message and exit")
    if verb == "finish":
        add("folder", metavar="DIR")
        add("--partial", action="store_true", help="finish although some logs have no result yet")
    elif verb == "work":
        add("folder", metavar="DIR")
        add("--part", type=int, required=True)
        add("--of", type=int, required=True)
    else:
        add("logs", metavar="LOGS", nargs="+", help="logs, folders of logs, patterns or fsspec addresses (s3://…)")
        _add_plan(add)
    if verb == "run":
        add("--engine", default="local", metavar="local|ray|dask|slurm", help="engine (default: processes on this machine)")
        add("--address", metavar="A", help="address of the Ray or Dask cluster, or Slurm's partition")
        add("--workers", metavar="N", type=int, help="logs at a time (default: one per core); no result depends on it")
        add("--watch", action="store_true", help="search repeatedly and add new logs until Ctrl-C")
        add("--for", dest="seconds", metavar="SECONDS", type=float, help="end --watch after this time")
    if verb != "work":
        add("--json", action="store_true", help="print what was done as JSON")
    return parser


def _require_numbers(given: argparse.Namespace) -> None:
    if getattr(given, "workers", None) is not None and given.workers < 1:
        raise FormatError("--workers", f"{given.workers} is fewer than one", "give 1 or more")
    if getattr(given, "seconds", None) is not None and not (given.watch and math.isfinite(given.seconds) and given.seconds >= 0):
        raise FormatError("--for", "is the duration of --watch", "give --watch, and seconds")


def run(arguments: list[str]) -> int:
    """The verb fleet. Ctrl-C ends the process by its signal, after one line."""
    try:
        return _run_sub_verb(arguments)
    except KeyboardInterrupt as stopped:
        print("\r", end="", file=unescaped(sys.stderr))  # over the terminal's ^C
        say(f"antaeus: {stopped or 'stopped'}", sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        raise  # not reached


def _run_sub_verb(arguments: list[str]) -> int:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise FormatError("antaeus fleet", "needs the Python package pyarrow", "pip install 'antaeus[fleet]'") from None
    first = arguments[0] if arguments else ""
    if first in _SUB_VERBS:
        code: int = importlib.import_module(f"antaeus.fleet.{_SUB_VERBS[first]}").run(arguments[1:])
        return code
    if first in ("plan", "finish", "work"):
        return {"plan": _plan, "finish": _finish, "work": _work}[first](_parser(first).parse_args(arguments[1:]))
    words = (*_SUB_VERBS, "plan", "finish")
    if first and not first.startswith("-") and "/" not in first and not os.path.exists(first) and (meant := nearest(first, words)):
        raise FormatError(first, "is neither a log nor a command of fleet", meant)
    return _run(_parser("run").parse_args(arguments))


def _wanted(given: argparse.Namespace) -> typing.Any:
    from antaeus.fleet import plans

    _require_numbers(given)
    return plans.Wanted(tuple(given.robot), tuple(given.endpoint), settings_of(given.set), given.every, given.tags, given.untouched, given.guarded)


def _plan(given: argparse.Namespace) -> int:
    from antaeus.fleet import plans

    done = plans.make_plan(given.logs, given.out, _wanted(given), Bar("hashing"))
    if given.json:
        print(json.dumps({"schema": "antaeus.fleet-plan/1", **dataclasses.asdict(done)}, indent=2))
    else:
        say(f"{given.out}: {done.rows} logs, {done.added} new" + (f", {done.copies} copies of other logs" if done.copies else "")
            + (f"; {done.problems} cannot be read" if done.problems else ""))
    return 0


def _finish(given: argparse.Namespace) -> int:
    from antaeus.fleet import driving, finishing

    try:
        done = finishing.finish(given.folder, given.partial, Bar("putting together"))
    except finishing.Incomplete as error:
        say(f"antaeus: {error}", sys.stderr)
        return 1
    print(driving.as_json(done) if given.json else done)
    return _code_of(done)


def _code_of(finished: typing.Any) -> int:
    """Returns 1 where every log failed."""
    return 1 if finished.failed and not finished.done else 0


def _work(given: argparse.Namespace) -> int:
    """A part of a Slurm array: in a process of its own a log, so that one that kills its process takes no other along."""
    from antaeus.fleet import driving

    driving.compute_part(given.folder, given.part, given.of)
    return 0


def _run(given: argparse.Namespace) -> int:
    from antaeus.fleet import driving, plans, task

    wanted = _wanted(given)
    try:
        if given.watch:
            finished = driving.watch(given.logs, given.out, wanted, given.engine, given.address, given.workers, given.seconds,
                                 told=None if given.json else lambda one: print(one, flush=True))
            if given.json and finished is not None:
                print(driving.as_json(finished))
            return 0
        finished = driving.run(given.logs, given.out, wanted.robots, engine=given.engine, address=given.address, workers=given.workers,
                           endpoints=wanted.endpoints, settings=dict(wanted.settings), every=wanted.every, tags=wanted.tags,
                           untouched=wanted.untouched, guarded=wanted.guarded, progress=Bar("computing"))
    except task.WorkerDisk as error:
        raise FormatError(given.out, f"results cannot be written ({error.strerror})", "free disk space; the same command continues from here") from None
    except KeyboardInterrupt:
        kept = pathlib.Path(given.out) / plans.PLAN_FILE
        raise KeyboardInterrupt(f"stopped; {given.out} keeps what is done, and the same command continues from there" if kept.exists()
                                else "stopped before there was a plan") from None
    print(driving.as_json(finished) if given.json else finished)
    return _code_of(finished)
