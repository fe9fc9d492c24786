"""The page of `antaeus watch`: the robot as it moves, its forces with their doubts, and what the guard makes of them."""

import collections
import concurrent.futures
import json
import math
import pathlib
import threading
import time
import typing
from collections.abc import Callable

import antaeus
from antaeus.live import frames
from antaeus.live.page_server import PageServer
from antaeus.live.pose_hints import PoseHints

_WEB = pathlib.Path(__file__).parent / "web"  # the viewer, bundled when the library is built
_FACTS_EVERY = 0.5  # [s]
_MOST_EVENTS = 500
_LONGEST_MARK = 200
_MARKS_A_MINUTE = 30
_LONGEST_AGO = 600.0  # [s]
_COUNTS = ("received", "samples", "lost", "repeated", "out_of_order", "late", "undecodable", "dropped", "oversized", "restarts",
           "clock_jumps", "silences")


class LivePage:
    """Serves the page from its own thread; `take` gives it what is new, and waits for no viewer."""

    def __init__(self, robot: typing.Any, endpoints: list[str], address: tuple[str, int], mark: Callable[[str], None], title: str,
                 source: str) -> None:
        """robot: antaeus.Robot. endpoints: frames, in the order of the blocks. address: host and port, port 0 for a free one. mark: called
        with the text of a viewer's mark, on a thread of the page's. title: of the robot. source: where its samples come from.

        OSError, one line, for a port in use, and where the library was built without its viewer.
        """
        self._robot, self._endpoints = robot, list(endpoints)
        self._title, self._source = title, source
        self._motors = list(robot.model.motor_names())
        self._mark = mark
        self._marking = concurrent.futures.ThreadPoolExecutor(1, "antaeus mark")
        self._marked: collections.deque[float] = collections.deque(maxlen=_MARKS_A_MINUTE)
        self._lock = threading.Lock()
        self._wall = time.time() - time.monotonic()
        self._history = frames.History(len(self._motors), len(self._endpoints), self._wall)
        self._events: collections.deque[str] = collections.deque(maxlen=_MOST_EVENTS)
        self._event_count = 0
        self._facts = ""
        self._facts_at, self._stream = -math.inf, "waiting"
        self._sign = ""
        self._hint = ""
        self._hints = PoseHints(robot, self._endpoints, [self._label(frame) for frame in self._endpoints], self._take_hint)
        self._hello = self._greeting()
        self._server = PageServer(address, self._files(), self)

    # What it is told -----------------------------------------------------------------------------------------------------

    def take(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        """A block of samples (may be empty), what happened in it, and how the stream is. Returns within a millisecond."""
        with self._lock:
            items: list[str | bytes] = []
            if not self._sign and block.sign:
                self._sign = str(block.sign)
                self._hello = self._greeting()
                items.append(json.dumps({"kind": "sign", "sign": self._sign}))
            closed = self._history.take(block)
            stream = str(facts.stream)
            for number, record in closed:
                items.append(frames.message(frames.HISTORY, stream, number, record))
            for event in events:
                items.append(self._told(event, block))
            now = time.monotonic()
            if stream != self._stream or now - self._facts_at > _FACTS_EVERY:
                self._stream, self._facts_at = stream, now
                self._facts = self._facts_text(facts)
                items.append(self._facts)
            frame = None
            if self._server.viewers and len(block.received) > 0:
                frame = self._history.now(stream)
        if frame is not None:
            self._hints.see(block)
        if frame is not None or items:
            self._server.publish(frame, items)

    @property
    def url(self) -> str:
        """Where it is seen, with the token."""
        return self._server.url

    @property
    def viewers(self) -> int:
        """How many look now."""
        return self._server.viewers

    def close(self) -> None:
        """Ends the server; viewers read that the watch has ended."""
        self._server.close()
        self._marking.shutdown(wait=False, cancel_futures=True)
        self._hints.close()

    # What it tells -------------------------------------------------------------------------------------------------------

    def greet(self) -> list[str | bytes]:
        """What a new viewer is sent at once: names, the last minutes, what happened in them."""
        with self._lock:
            all_of_it: list[str | bytes] = [self._hello, self._history.whole(self._stream)]
            if math.isfinite(self._history.newest):
                all_of_it.append(self._history.now(self._stream))
            all_of_it.extend(self._events)
            all_of_it.extend(text for text in (self._facts, self._hint) if text)
            return all_of_it

    def receive(self, message: dict[str, typing.Any]) -> str:
        """A viewer's mark; nothing else is known. Returns what is wrong with it."""
        text = message.get("text")
        if message.get("kind") != "mark":
            return "no message of this kind is known"
        if not isinstance(text, str) or len(text) > _LONGEST_MARK:
            return f"a mark has a text of {_LONGEST_MARK} letters at most"
        ago = message.get("ago", 0.0)
        if isinstance(ago, bool) or not isinstance(ago, int | float) or not 0.0 <= ago <= _LONGEST_AGO:
            return f"a mark gives its age in seconds, {_LONGEST_AGO:.0f} at most"
        now = time.monotonic()
        # Of all viewers together: a mark is a person's.
        if len(self._marked) == _MARKS_A_MINUTE and now - self._marked[0] < 60.0:
            return f"more than {_MARKS_A_MINUTE} marks in a minute"
        self._marked.append(now)
        plain = "".join(c if c.isprintable() else " " for c in text).strip() or "something happened here"
        # What is marked is when the key was pressed; words take longer.
        self._marking.submit(self._mark, plain if ago < 1.0 else f"{plain} ({ago:.1f} s before)")
        return ""

    def _greeting(self) -> str:
        profile = self._robot.profile
        labels = list(profile.motor_labels) if len(profile.motor_labels) == len(self._motors) else self._motors
        reasons = [antaeus.reason_names(1 << bit) for bit in range(64)]
        names = [found[0] if found else "" for found in reasons]
        return json.dumps({
            "kind": "hello", "title": self._title, "robot": str(profile.title or profile.name), "source": self._source, "sign": self._sign,
            "floating": self._robot.model.base() != antaeus.Base.fixed,
            "motors": [{"name": name, "label": label, "unit": unit}
                       for name, label, unit in zip(self._motors, labels, self._units(), strict=True)],
            "endpoints": [{"name": frame, "label": self._label(frame)} for frame in self._endpoints],
            "verdicts": [verdict.value for verdict in antaeus.Verdict], "actions": [action.value for action in antaeus.ConsumerAction],
            "reasons": names, "remedies": {one.name: (one.meaning, one.remedy) for one in antaeus.reasons()},
            "streams": frames.STREAMS, "bin": frames.BIN, "bins": frames.BINS, "clock": time.time(),
        })

    def _take_hint(self, lines: list[str]) -> None:
        text = json.dumps({"kind": "hint", "lines": lines})
        with self._lock:
            self._hint = text
        self._server.publish(None, [text])

    def _units(self) -> list[str]:
        """Of each motor's torque: a sliding joint has a force."""
        sliding = {joint.name for joint in self._robot.model.description().joints if joint.type == antaeus.JointType.prismatic}
        return ["N" if name in sliding else "N\u00b7m" for name in self._motors]

    def _label(self, frame: str) -> str:
        found = next((endpoint.label for endpoint in self._robot.profile.endpoints if endpoint.frame == frame), "")
        return str(found or frame)

    def _told(self, event: typing.Any, block: typing.Any) -> str:
        """An event as viewers read it, kept for those that come later."""
        at = int(event.index) - int(block.first)
        received = float(block.received[at]) if 0 <= at < len(block.received) else self._history.newest
        if not math.isfinite(received):
            received = time.monotonic()
        self._event_count += 1
        endpoint = self._label(event.endpoint) if event.endpoint else ""
        text = json.dumps({"kind": "event", "id": self._event_count, "what": str(event.kind), "at": received + self._wall,
                           "time": _number(event.time), "index": int(event.index), "endpoint": endpoint, "words": str(event.words)[:600],
                           "reasons": [str(reason) for reason in event.reasons][:40]})
        self._events.append(text)
        return text

    def _facts_text(self, facts: typing.Any) -> str:
        told: dict[str, float | None] = {name: int(getattr(facts, name)) for name in _COUNTS}
        told |= {name: _number(getattr(facts, name)) for name in ("rate", "clock_offset", "latency")}
        return json.dumps({"kind": "facts", "stream": str(facts.stream), **told, "last_problem": str(facts.last_problem)[:400],
                           "notes": [str(note)[:400] for note in facts.notes][:20]})

    def _files(self) -> dict[str, tuple[str, bytes]]:
        scene = antaeus.live_scene_json(self._robot, self._endpoints)
        try:
            script, style = (_WEB / "live.js").read_bytes(), (_WEB / "live.css").read_bytes()
        except OSError:
            raise OSError(f"page: {_WEB} has no viewer: this antaeus was built without Node.js; build it with npm on the PATH") from None
        return {"live.js": ("text/javascript", script), "live.css": ("text/css", style), "scene.json": ("application/json", scene.encode())}


def _number(value: typing.Any) -> float | None:
    """JSON has no NaN."""
    number = float(value)
    return number if math.isfinite(number) else None
