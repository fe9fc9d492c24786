"""One process beside a running robot: source → guarded estimator → page, records, others."""

import contextlib
import dataclasses
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import antaeus
from antaeus.live.events import FOUND, Event, EventFinder
from antaeus.live.publishing import Publisher

_LOOKS = 1.0 / 30.0  # [s] between two looks at the ring, for all who show or write samples
_PATIENCE = 2.0  # [s] without a sample after which that is said, with what is there
_DISORDERED = 100  # messages of which nine in ten are out of order: no stream has so many by bad luck
_AHEAD = 4000  # messages of a file that its reader may be ahead of those who look at them
_EVENTS = 10000  # that are kept for the summary


class WatchError(ValueError):
    """One line: what cannot be watched, and the remedy."""


@dataclasses.dataclass
class Watched:
    """What was seen of a stream. `facts` are of its end; `events` the first ten thousand."""

    robot: str
    source: str
    endpoints: list[str]
    sign: str
    time_base: str
    seconds: float
    samples: int
    facts: dict[str, Any]
    events: list[Event]
    counts: dict[str, int]
    url: str = ""
    records: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def found(self) -> bool:
        """Whether a test alarmed, a guard refused, or a stop was requested."""
        return any(self.counts.get(kind, 0) for kind in FOUND)

    def as_json(self) -> dict[str, Any]:
        """Plain values: null where there is no number."""
        told = {"schema": "antaeus.watch/1", **dataclasses.asdict(self), "found": self.found}
        plain: dict[str, Any] = _plain(told)
        return plain


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, int | str | bool | None) else str(value)


def facts_of(facts: Any) -> dict[str, Any]:
    """LiveFacts as plain values."""
    names = [name for name in dir(facts) if not name.startswith("_") and not callable(getattr(facts, name))]
    told: dict[str, Any] = _plain({name: getattr(facts, name) for name in names})
    return told


def endpoints_of(robot: Any, asked: list[str]) -> list[str]:
    """Frames: those that were asked for by frame or label, else the profile's hands and tools, else its feet.

    Raises antaeus.ModelError with the nearest name, and where there is no endpoint.
    """
    frames: list[str] = robot.endpoint_frames(asked)
    feet = {one.frame for one in robot.profile.endpoints if str(one.kind) == "foot"}
    return frames if asked else [frame for frame in frames if frame not in feet] or frames


class Watch:
    """A stream that is watched. Listeners get every block of samples with its events: an object with take(block, events, facts),
    which returns within a millisecond, and close().

    source: an object with `format` and run(push, stop) (antaeus.live.sources), or an address. robot: a Robot, a name or a file.
    stopping: set from elsewhere, it ends the watch. told: gets what a source says before it runs.
    """

    def __init__(self, source: Any, robot: Any, endpoints: list[str] | tuple[str, ...] = (), *, speed: float = 1.0, sinks: tuple[Any, ...] = (),
                 listeners: tuple[Any, ...] = (), stopping: threading.Event | None = None,
                 told: Callable[[str], None] = lambda line: None) -> None:
        self.robot = robot if isinstance(robot, antaeus.Robot) else antaeus.load_robot(robot)
        self.address = source if isinstance(source, str) else type(source).__name__
        self.endpoints = endpoints_of(self.robot, list(endpoints))
        if isinstance(source, str):
            from antaeus.live.sources import open_source

            source = open_source(source, self.robot, speed=speed)
        self.source = source
        self.stopping = stopping or threading.Event()
        prepare = getattr(source, "prepare", None)
        if prepare is not None:
            prepare(self.stopping, told)
        labels = {one.frame: one.label for one in self.robot.profile.endpoints}
        self.labels = [labels.get(frame, frame) for frame in self.endpoints]
        self.estimator = antaeus.LiveEstimator(self.robot, self.endpoints, source.format, simulated=bool(getattr(source, "simulated", False)),
                                               quaternion=getattr(source, "quaternion", None))
        self.listeners = list(listeners)
        self.sinks = list(sinks)
        self._marks: list[str] = []
        self._lock = threading.Lock()
        self._failure: BaseException | None = None
        self._source_ended = threading.Event()
        self._ends = bool(getattr(source, "ends", False))
        self._pushed = 0
        self._done = 0  # samples that the listeners have had
        self._found: list[Event] = []  # of the set-up, by the thread that checks it
        self._lines: list[str] = []  # for people, by other threads

    def mark(self, text: str) -> None:
        """"Something happened here": an event at the next sample. From any thread; at most 200 characters, 100 at once."""
        with self._lock:
            if len(self._marks) < 100:
                self._marks.append("".join(c if c.isprintable() else " " for c in text)[:200])

    def stop(self) -> None:
        """Ends the watch after what has arrived. From any thread."""
        self.stopping.set()

    def _push_and_wait(self, message: Any, received: float, part: int = 0) -> bool:
        """Of a file nothing is lost: neither by the queue, nor by who shows and writes."""
        while not self.stopping.is_set() and not (self.estimator.has_room(len(message)) and self._pushed - self._done < _AHEAD
                                                  and self._pushed - self.estimator.count() < _AHEAD):
            time.sleep(0.0005)
        self._pushed += 1
        taken: bool = self.estimator.push(message, received, part)
        return taken

    def _receive(self) -> None:
        try:
            self.source.run(self._push_and_wait if self._ends else self.estimator.push, self.stopping)
        except BaseException as error:  # noqa: BLE001: told by the thread that watches
            self._failure = error
        finally:
            self._source_ended.set()
            self.estimator.end()

    def say(self, line: str) -> None:
        """One line for people. From any thread; at most 100 at once."""
        with self._lock:
            if len(self._lines) < 100:
                self._lines.append(line)

    def _set_up_found(self, finding: Any) -> None:
        with self._lock:
            self._found.append(Event("set_up", finding.index, finding.time, f"set-up ({finding.severity}): {finding.words}"))

    def _told_by_others(self) -> tuple[list[Event], list[str]]:
        with self._lock:
            found, self._found, lines, self._lines = self._found, [], self._lines, []
        return found, lines

    def _taken_marks(self, block: Any) -> list[Event]:
        with self._lock:
            marks, self._marks = self._marks, []
        index = block.first + max(0, len(block) - 1)
        at = float(block.time[-1]) if len(block) else float("nan")
        return [Event("mark", index, at, f"mark: {text or 'something happened here'}") for text in marks]

    def run(self, seconds: float | None = None, told: Callable[[str], None] = lambda line: None,
            noted: Callable[[str], None] | None = None) -> Watched:
        """Until the source has ended, `seconds` are over or stop() is called. `told` gets a line per event, `noted` (default: `told`) a line per
        diagnostic: how the stream is read, that nothing comes.

        Raises WatchError where nothing can be read of the stream, and what the source raises.
        """
        from antaeus.live.set_up import SetUpCheck

        noted = noted or told
        began = time.monotonic()
        finder = EventFinder(self.endpoints, self.labels)
        check = SetUpCheck(self.robot, self.estimator, self._set_up_found, say=self.say)
        self.listeners.append(check)
        labels = dict(zip(self.endpoints, self.labels, strict=True))
        publisher = Publisher(self.estimator, self.sinks, labels, keeps_all=self._ends) if self.sinks else None
        self.estimator.start()
        if publisher:
            publisher.start()
        receiver = threading.Thread(target=self._receive, name="source", daemon=True)
        receiver.start()
        done, handed, missed, waited, notes_seen, interrupted = 0, 0, 0, False, 0, False
        waits = [listener.idle for listener in self.listeners if hasattr(listener, "idle")]
        due = began
        kept: list[Event] = []
        counts: dict[str, int] = {}
        sign, first_time, last_time = "", math.nan, math.nan
        try:
            while True:
                ending = self.stopping.is_set() or (seconds is not None and time.monotonic() - began >= seconds)
                if ending:  # what has arrived is shown and written, too
                    interrupted = self.stopping.is_set()
                    self.stopping.set()
                    receiver.join(timeout=3.0)
                    self.estimator.stop()
                facts = self.estimator.facts()
                block = self.estimator.read(done, 1 << 20)
                missed += block.first - done if len(block) else 0
                if len(block):
                    done = block.first + len(block)
                    sign, last_time = block.sign, float(block.time[-1])
                    first_time = float(block.time[0]) if math.isnan(first_time) else first_time
                found, lines = self._told_by_others()
                events = finder.see(block, facts) + self._taken_marks(block) + found
                for line in lines:
                    noted(f"note: {line}")
                for event in events:
                    counts[event.kind] = counts.get(event.kind, 0) + 1
                    told(f"{event.time:10.3f} s  {event.words}" if math.isfinite(event.time) else event.words)
                kept += events[:max(0, _EVENTS - len(kept))]
                if all(idle() for idle in waits):
                    self._done = handed
                for listener in self.listeners:
                    listener.take(block, events, facts)
                handed = done
                for note in facts.notes[notes_seen:]:
                    noted(f"note: {note}")
                notes_seen = len(facts.notes)
                now = time.monotonic() - began
                if facts.hopeless or (done == 0 and facts.undecodable and now > _PATIENCE and facts.undecodable == facts.received):
                    raise WatchError(f"{self.address}: {facts.last_problem}")
                if facts.out_of_order > max(_DISORDERED, 0.9 * facts.received):
                    raise WatchError(f"{self.address}: {facts.out_of_order} of {facts.received} messages are out of order by their time stamps: "
                                     "they run backwards, or count no seconds; send seconds as 'time', or milliseconds as 't_ms', or set "
                                     "channels.time_scale in the profile")
                if not waited and facts.received == 0 and now > _PATIENCE and not self._source_ended.is_set():
                    waited = True
                    noted(f"nothing has come from {self.address} for {_PATIENCE:.0f} s{self._what()}")
                over = str(facts.stream) == "ended" and done == self.estimator.count() and self._done == done
                if over or ending:
                    break
                due = max(due + _LOOKS, time.monotonic() - _LOOKS)  # thirty times a second, and no more after a delay
                time.sleep(max(0.0, due - time.monotonic()))
        finally:
            self.stopping.set()
            receiver.join(timeout=3.0)
            if publisher:
                publisher.close()
            self.estimator.stop()
            check.close()  # Python must not exit while its thread is in the library
        if self._failure is not None and (done == 0 or not isinstance(self._failure, OSError)):
            raise self._failure
        if done == 0 and not interrupted:
            raise WatchError(f"{self.address}: {self._why_nothing(facts)}")
        notes = []
        if missed:
            notes.append(f"{missed} samples were not shown or recorded: the machine was busy")
        if publisher and publisher.problem:
            notes.append(f"publishing: {publisher.problem}")
        if publisher and publisher.missed:
            notes.append(f"{publisher.missed} samples were not published: newer ones had come before they could be")
        notes += [f"{sink.dropped} messages could not go out at once by {type(sink).__name__}, and were dropped"
                  for sink in self.sinks if getattr(sink, "dropped", 0)]
        if self._failure is not None:
            notes.append(f"the source ended: {self._failure}")
        stamped = all(note.code != "no_time_stamps" for note in facts.notes)
        return Watched(self.robot.profile.name, self.address, self.endpoints, sign, "sender's stamps" if stamped else "receiver's clock",
                       last_time - first_time, done, facts_of(self.estimator.facts()), kept, counts, notes=notes)

    def _why_nothing(self, facts: Any) -> str:
        """Why there is not one sample, and the remedy."""
        if facts.last_problem:
            return f"none of {facts.received} messages could be used: {facts.last_problem}"
        if facts.oversized:
            return "every message is of more than 64 KiB; send the robot's channels alone, a line each"
        if self._ends:
            return "it ended without a sample; send channels behind the header, one row per step"
        return f"not one sample came{self._what() or '; look at the sender, and at the address'}"

    def _what(self) -> str:
        what = getattr(self.source, "what", None)
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            return f"; {what()}" if what else ""
        return ""


@contextlib.contextmanager
def _closing(listeners: list[Any]) -> Iterator[None]:
    try:
        yield
    finally:
        for listener in listeners:
            close = getattr(listener, "close", None)
            if close is not None:
                close()


def watch(source: Any, robot: Any, endpoints: list[str] | tuple[str, ...] = (), *, serve: tuple[str, int] | None = None,
          record: str | os.PathLike[str] | None = None, keep: int = 10_000_000_000, publish: list[str] | tuple[str, ...] = (),
          on_alarm: str | None = None, speed: float = 1.0, seconds: float | None = None,
          told: Callable[[str], None] = lambda line: None, noted: Callable[[str], None] | None = None,
          stopping: threading.Event | None = None) -> Watched:
    """What `antaeus watch` does (docs/guide/live.md).

    source: an address, or an object with `format` and run(push, stop). serve: host and port of the page; None: no page. record: folder
    of records, keep: bytes that they may take. publish: addresses of sinks. on_alarm: a command for the shell.
    """
    from antaeus.live.on_alarm import OnAlarm
    from antaeus.live.sinks import open_sink

    robot = robot if isinstance(robot, antaeus.Robot) else antaeus.load_robot(robot)
    frames = endpoints_of(robot, list(endpoints))
    views = [address for address in publish if address.startswith(("foxglove://", "rerun://"))]
    address = source if isinstance(source, str) else type(source).__name__
    marks: list[Watch] = []  # who is told of a viewer's mark, once he is there

    def mark(text: str) -> None:
        for one in marks:
            one.mark(text)

    # What can be refused comes first, and the source last: from there on samples come.
    listeners: list[Any] = []
    with _closing(listeners):
        url, recorder = "", None
        sinks = tuple(open_sink(sink, robot) for sink in publish if sink not in views)
        if serve is not None:
            from antaeus.live.page import LivePage

            page = LivePage(robot, frames, serve, mark, f"{robot.profile.title}, live", address)
            listeners.append(page)
            url = page.url
        listeners += [_view(view, robot, frames) for view in views]
        watching = Watch(source, robot, frames, speed=speed, sinks=sinks, stopping=stopping, told=noted or told)
        marks.append(watching)
        if url:
            (noted or told)(f"page: {url}")
        if record is not None:
            from antaeus.live.recording import Recorder

            about = {"source": address, "robot": robot.profile.name, "endpoints": frames, "format": watching.source.format,
                     "simulated": bool(getattr(watching.source, "simulated", False)), "version": antaeus.__version__}
            recorder = Recorder(record, robot, keep=keep, about=about, say=watching.say)
            listeners.append(recorder)
        if on_alarm:
            listeners.append(OnAlarm(on_alarm))
        watching.listeners = listeners
        result = watching.run(seconds, told, noted)
    result.url = url
    if recorder is not None:
        result.records = [str(path) for path in recorder.close()]
    result.notes += [f"on-alarm: {listener.failed}" for listener in listeners if getattr(listener, "failed", "")]
    result.notes += [f"on-alarm: the command was not run for {listener.left_out} events: it takes too long"
                     for listener in listeners if getattr(listener, "left_out", 0)]
    return result


def _view(view: str, robot: Any, frames: list[str]) -> Any:
    from antaeus.live.addresses import parse_address

    address = parse_address(view, ("foxglove", "rerun"), "sink")
    address.require_options(())
    if address.scheme == "rerun":
        from antaeus.live.rerun_view import RerunView

        return RerunView(robot, frames, address.place or None)
    from antaeus.live.foxglove import Foxglove

    host, port = address.host_and_port() if address.place else ("127.0.0.1", 8765)
    return Foxglove(robot, frames, host, port)
