"""`-`: lines of JSON on standard output."""

import os
import queue
import sys
import threading

from antaeus.live.addresses import Address
from antaeus.live.sinks.json_lines import json_line

_MOST_LINES = 4096  # that wait for who reads


def open_sink(address: Address) -> "StandardOutput":
    """Writes to the process's own standard output."""
    return StandardOutput(sys.stdout.fileno())


class StandardOutput:
    """Lines go through a bounded queue to a thread that writes them: a reader that is slow or stands still costs lines, which are
    counted, and never holds up who sends."""

    encoding = "json"

    def __init__(self, descriptor: int) -> None:
        self.dropped = 0
        self._descriptor, self._gone = descriptor, ""
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MOST_LINES)
        self._thread = threading.Thread(target=self._write, name="antaeus-stdout", daemon=True)
        self._thread.start()

    def send(self, topic: str, payload: bytes) -> None:
        """Puts a line into the queue. Raises BrokenPipeError when the reader has gone."""
        if self._gone:
            raise BrokenPipeError(f"-: {self._gone}; the reader of standard output has gone")
        try:
            self._lines.put_nowait(json_line(topic, payload))
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Writes what waits, for a second at most."""
        try:
            self._lines.put_nowait(None)
            self._thread.join(1.0)
        except queue.Full:
            pass  # nobody reads: there is nothing to wait for
        if self._thread.is_alive():
            self.dropped += self._lines.qsize()

    def _write(self) -> None:
        ended = False
        while not ended:
            lines = [self._lines.get()]
            while len(lines) < 256 and not self._lines.empty():
                lines.append(self._lines.get())
            if None in lines:
                lines, ended = lines[:lines.index(None)], True
            data = memoryview(b"".join(line for line in lines if line is not None))
            try:
                while data:
                    data = data[os.write(self._descriptor, data):]
            except OSError as error:
                self._gone = error.strerror or str(error)
                return
