"""`-`: lines on standard input, JSON or CSV by the first of them."""

import collections
import os
import select
import sys
import threading
import time
import typing

from antaeus.live.addresses import Address
from antaeus.live.sources import Push, push_until_taken
from antaeus.live.sources.lines import Lines

_LOOK_UP = 0.2  # [s] after which `stop` is looked at, at the latest


def open_source(address: Address, robot: typing.Any, speed: float) -> "StandardInput":
    """Waits for the first line, which says what the lines are."""
    return StandardInput(sys.stdin.fileno())


class StandardInput:
    """A pipe or a file. Who writes into a pipe is held up rather than lost from, so that `cat log.csv |` is read whole."""

    ends = True

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lines, self._ended = descriptor, Lines(), False
        self._waiting: collections.deque[tuple[bytes, float]] = collections.deque()
        while not self._waiting and not self._ended:
            self._read()
        if not self._waiting:
            raise ValueError("-: standard input ended without a line; pipe CSV with a header, or one JSON object a line, into it")
        first = self._waiting[0][0]
        self.format = "json" if first.lstrip().startswith(b"{") else "csv"

    def what(self) -> str:
        """What is heard there, for people."""
        return "no whole line comes on standard input: does who writes into the pipe flush each line?"

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
