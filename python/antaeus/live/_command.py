"""The verb watch."""

import argparse
import contextlib
import json
import math
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

from antaeus._options import Parser, settings_of
from antaeus._terminal import say
from antaeus.formats.recording import FormatError

_USAGE = """antaeus watch SOURCE [--robot R] [options]
       antaeus watch SOURCE --robot R --ready [options]"""
_HELP = """sources: - (CSV or JSON lines on standard input), udp://[HOST:]PORT, tcp://HOST:PORT, dds://DOMAIN/TOPIC, zenoh://KEY,
         mcap://FILE, log://LOG (folder or file), sim://ROBOT
Exit codes: 0 fine (--ready: go), 1 a test alarmed or the guard refused (--ready: no go), 2 bad input."""


def _parser() -> Parser:
    parser = Parser("antaeus watch", usage=_USAGE, allow_abbrev=False, add_help=False, formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="estimate the forces on a running robot, with their uncertainty, from the stream that it publishes", epilog=_HELP)
    add = parser.add_argument
    add("-h", "--help", action="help", help="print this help message and exit")
    add("source", metavar="SOURCE", help="source of the samples")
    add("--robot", "-r", metavar="NAME|FILE", help="robot that publishes them (default with sim://ROBOT: that robot)")
    add("--endpoint", "-e", metavar="FRAME", action="append", default=[],
        help="frame or label of an endpoint (repeatable; default: the profile's hands and tools)")
    add("--serve", nargs="?", const="127.0.0.1:8080", metavar="HOST:PORT", help="serve a page for the browser (default 127.0.0.1:8080; port 0: any free port)")
    add("--record", metavar="DIR", help="record inputs and outputs, and a clip of 30 s before and 10 s after each alarm")
    add("--keep", metavar="SIZE", default=None, help="largest size of the recordings; the oldest are removed (default 10GB)")
    add("--publish", metavar="SINK", action="append", default=[],
        help="publish the guarded wrench (repeatable): -, udp://, tcp://, dds://, zenoh://, foxglove://, rerun://")
    add("--on-alarm", metavar="COMMAND", help="command that the shell runs at each alarm, with ANTAEUS_EVENT, ANTAEUS_WORDS, … set")
    add("--ready", action="store_true", help="check configuration, pose, tare and noise before the robot is enabled: go, or no go with reasons")
    add("--out", "-o", metavar="DIR", help="folder for report.html and summary.json of --ready")
    add("--seconds", metavar="S", type=float, help="end after this time")
    add("--speed", metavar="X", type=float, default=1.0, help="playback speed of mcap:// and log:// (1: real time, 0: as fast as possible)")
    add("--set", metavar="GROUP.OPTION=VALUE", action="append", default=[], help="set any option of the estimator, or of live (repeatable)")
    add("--json", action="store_true", help="print a summary as JSON at the end")
    return parser


def address_of(text: str) -> tuple[str, int]:
    """HOST:PORT, [IPv6]:PORT, PORT, or HOST. Raises FormatError."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = ("127.0.0.1", text) if text.isdigit() else (text, "8080")
    if text.startswith("[") and text.endswith("]"):
        host, port = text, "8080"
    if not port.isdigit() or not 0 <= int(port) <= 65535:
        raise FormatError("--serve", f"'{text}' is not an address", "give HOST:PORT, such as 127.0.0.1:8080")
    return host.strip("[]") or "127.0.0.1", int(port)


def _robot(given: argparse.Namespace) -> Any:
    import antaeus
    from antaeus.live.sources import robot_of

    name = given.robot or robot_of(given.source)
    if not name:
        raise FormatError("--robot", "no robot given", "add --robot NAME or --robot FILE")
    robot = antaeus.load_robot(name)
    for name, value in settings_of(given.set).items():
        robot.profile.settings.set(f"{name}={value}", "--set")
    return robot


def _size(text: str | None) -> int:
    from antaeus.live.sizes import parse_size

    size: int = parse_size(text or "10GB")
    return size


def _require(given: argparse.Namespace) -> None:
    if given.seconds is not None and not (math.isfinite(given.seconds) and given.seconds > 0):
        raise FormatError("--seconds", f"invalid time '{given.seconds}'", "give seconds above 0")
    if not given.speed >= 0:
        raise FormatError("--speed", f"invalid speed '{given.speed}'", "use a number of 0 or more: 1 is real time, 0 as fast as possible")
    if given.json and "-" in given.publish:
        raise FormatError("--json", "and --publish - both write to standard output", "publish to udp:// or tcp://, or leave --json away")
    if given.keep is not None and given.record is None:
        raise FormatError("--keep", "applies to recordings", "give --record DIR too")
    if given.out is not None and not given.ready:
        raise FormatError("--out", "applies to --ready", "give --record DIR for records")


def run(arguments: list[str]) -> int:
    """The verb. Ctrl-C and SIGTERM end the watch in good order: records are closed, the summary is printed."""
    given = _parser().parse_args(arguments)
    _require(given)
    serve = None if given.serve is None else address_of(given.serve)
    keep = _size(given.keep)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    # A listener, a browser or a reader of standard output that goes away ends neither the watch nor its records.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    robot = _robot(given)
    if given.ready:
        return _ready(given, robot, stopping)
    from antaeus.live.watching import watch

    quiet = given.json or "-" in given.publish
    stream = sys.stderr if quiet else sys.stdout

    def put(line: str, to: Any = stream) -> None:
        with _whoever_reads():
            say(line, to)

    seen = watch(given.source, robot, given.endpoint, serve=serve, record=given.record, keep=keep, publish=given.publish,
                 on_alarm=given.on_alarm, speed=given.speed, seconds=given.seconds, told=put,
                 noted=lambda line: put(line, sys.stderr), stopping=stopping)
    with _whoever_reads():
        if given.json:
            print(json.dumps(seen.as_json(), indent=2), flush=True)
        else:
            _print(seen, stream)
            stream.flush()
    return 1 if seen.found else 0


@contextlib.contextmanager
def _whoever_reads() -> Iterator[None]:
    """Prints for a reader who may have gone: from then on into nothing."""
    try:
        yield
    except BrokenPipeError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BrokenPipeError:
                os.dup2(nothing, stream.fileno())
        os.close(nothing)


def _ready(given: argparse.Namespace, robot: Any, stopping: threading.Event) -> int:
    from antaeus.live.ready import run_ready

    result = run_ready(given.source, robot, given.endpoint, speed=given.speed, stopping=stopping, out=given.out,
                       told=lambda line: say(line, sys.stderr), seconds=given.seconds)
    with _whoever_reads():
        print(json.dumps(result.as_json(), indent=2) if given.json else result, flush=True)
    return 0 if result.go else 1


def _print(seen: Any, stream: Any) -> None:
    facts = seen.facts
    rate = f" at {facts['rate']:.0f} Hz" if facts.get("rate") else ""
    say(f"{seen.source}: {seen.samples} samples{rate}, {seen.robot}; time is the {seen.time_base}, wrenches are {seen.sign.replace('_', ' ')}", stream)
    troubles = [f"{facts[key]} {name}" for key, name in (("lost", "lost"), ("late", "late"), ("repeated", "repeated"), ("out_of_order", "out of order"),
                                                         ("undecodable", "unreadable"), ("dropped", "discarded"), ("oversized", "too long"),
                                                         ("restarts", "breaks"), ("clock_jumps", "jumps of the clock")) if facts.get(key)]
    print("  stream: " + (", ".join(troubles) or "nothing lost, late or out of order"), file=stream)
    if facts.get("undecodable"):
        say(f"  last unreadable message: {facts['last_problem']}", stream)
    print("  " + (", ".join(f"{seen.counts[kind]} {name}" for kind, name in (("alarm", "alarms"), ("refused", "refusals"), ("stop", "requests to stop"))
                            if seen.counts.get(kind)) or "no alarm, no refusal"), file=stream)
    for record in seen.records:
        say(f"  written: {record}", stream)
    for note in seen.notes:
        say(f"  note: {note}", stream)
