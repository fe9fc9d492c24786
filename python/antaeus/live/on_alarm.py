"""--on-alarm: a command of the user's, run by the shell at each alarm, refusal and request to stop."""

import os
import queue
import subprocess
import threading
from typing import Any

from antaeus.live.events import FOUND, Event

_WAITING = 16  # alarms for which the command was not run yet
_SECONDS = 60.0


class OnAlarm:
    """Runs the command once an event, one at a time. What happened stands in its environment (ANTAEUS_EVENT, _ENDPOINT, _TIME,
    _INDEX, _WORDS): nothing that came over the network is a part of the command."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._events: queue.Queue[Event | None] = queue.Queue(_WAITING)
        self.left_out = 0
        self.failed = ""
        self._thread = threading.Thread(target=self._run, name="on-alarm", daemon=True)
        self._thread.start()

    def take(self, block: Any, events: list[Event], facts: Any) -> None:
        """A listener's."""
        for event in events:
            if event.kind not in FOUND:
                continue
            try:
                self._events.put_nowait(event)
            except queue.Full:
                self.left_out += 1

    def close(self) -> None:
        """Waits for those that run, not for those that hang."""
        try:
            self._events.put(None, timeout=1.0)
        except queue.Full:
            return
        self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while (event := self._events.get()) is not None:
            # What a shell could take for more than text is not in a name: letters, digits and plain signs.
            plain = "".join(c if c.isalnum() or c in " _-.,:()/" else "?" for c in event.words)[:400]
            endpoint = "".join(c if c.isalnum() or c in "_-./" else "?" for c in event.endpoint)[:100]
            told = {"ANTAEUS_EVENT": event.kind, "ANTAEUS_ENDPOINT": endpoint, "ANTAEUS_TIME": repr(event.time),
                    "ANTAEUS_INDEX": str(event.index), "ANTAEUS_WORDS": plain}
            try:
                done = subprocess.run(self._command, shell=True, env={**os.environ, **told}, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=_SECONDS, check=False)
                if done.returncode != 0:
                    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
                    self.failed = f"ended with {done.returncode}" + (f" ({said[-1][:200]})" if said else "")
            except (OSError, subprocess.TimeoutExpired) as error:
                self.failed = str(error)[:200]
