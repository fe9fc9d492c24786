"""`-`: lines on standard input, JSON or CSV by the first of them."""

import collections
import os
import select
import sys
import threading
import time
import typing
from collections.abc import Callable

from antaeus.live.addresses import Address
from antaeus.live.sources import Push, push_until_taken
from antaeus.live.sources.lines import Lines

_LOOK_UP = 0.2  # [s] after which `stop` is looked at, at the latest
_PATIENCE = 2.0  # [s] without a line after which that is said


def open_source(address: Address, robot: typing.Any, speed: float) -> "StandardInput":
    """What the lines are is known when the first has come (`prepare`)."""
    return StandardInput(sys.stdin.fileno())


class StandardInput:
    """A pipe or a file. Who writes into a pipe is held up rather than lost from, so that `cat log.csv |` is read whole."""

    ends = True

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lines, self._ended = descriptor, Lines(), False
        self._format = ""
        self._waiting: collections.deque[tuple[bytes, float]] = collections.deque()

    def prepare(self, stop: threading.Event, say: Callable[[str], None]) -> None:
        """Waits for the first line. Raises ValueError where none comes before the end, or before `stop`."""
        began, said = time.monotonic(), False
        while not self._waiting and not self._ended and not stop.is_set():
            if select.select([self._descriptor], [], [], _LOOK_UP)[0]:
                self._read()
            elif not said and time.monotonic() - began > _PATIENCE:
                said = True
                say(f"nothing has come from - for {_PATIENCE:.0f} s; {self.what()}")
        if not self._waiting:
            raise ValueError("-: standard input ended without a line; pipe CSV with a header, or one JSON object a line, into it"
                             if self._ended else "-: the watch was ended before the first line came; pipe CSV or JSON lines into it")
        first = self._waiting[0][0]
        self._format = "json" if first.lstrip().startswith(b"{") else "csv"

    @property
    def format(self) -> str:
        """"json" or "csv". Waits for the first line where `prepare` has not."""
        if not self._format:
            self.prepare(threading.Event(), lambda line: None)
        return self._format

    def what(self) -> str:
        """What is heard there, for people."""
        return "no whole line comes on standard input: does the writer flush each line?"

    def run(self, push: Push, stop: threading.Event) -> None:
        """Reads to the end."""
        while not stop.is_set():
            while self._waiting and not stop.is_set():
                line, received = self._waiting.popleft()
                push_until_taken(push, line, received, stop)
            if self._ended:
                return
            if select.select([self._descriptor], [], [], _LOOK_UP)[0]:
                self._read()

    def _read(self) -> None:
        data = os.read(self._descriptor, 1 << 16)
        received = time.monotonic()
        self._ended = not data
        for line in self._lines.feed(data) if data else self._lines.end():
            self._waiting.append((line, received))
