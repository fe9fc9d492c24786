"""What is said to others: the guarded wrench of every sample, the guard's state, and the request for damping mode."""

import json
import threading
import time
from typing import Any

import numpy as np

import antaeus

_EVERY = 0.1  # [s] at which the guard's state is said although it did not change, and silence is said
_AT_ONCE = 512  # samples of one turn
_BEHIND = 0.05  # [s] that a live sample may wait here: others get none rather than an old one as if it were new


class Publisher(threading.Thread):
    """Waits on the estimator and hands each sample to the sinks. The estimator waits for none of them."""

    def __init__(self, estimator: Any, sinks: list[Any], labels: dict[str, str], *, keeps_all: bool = False) -> None:
        """keeps_all: of a file, whose samples are all sent, however late."""
        super().__init__(name="publisher", daemon=True)
        self._estimator, self._sinks, self._labels = estimator, sinks, labels
        self._keeps_all, self._most_behind = keeps_all, 64
        self._turn = _AT_ONCE if keeps_all else _AT_ONCE // 32
        self._ending = threading.Event()
        self.problem = ""
        self.missed = 0

    def close(self) -> None:
        """After the last sample."""
        self._ending.set()
        self.join(timeout=5.0)
        for sink in self._sinks:
            close = getattr(sink, "close", None)
            if close is not None:
                close()

    def run(self) -> None:
        done, said_at, changes, stopped = 0, 0.0, -1, False
        while True:
            count = self._estimator.wait(done, 0.02)
            now = time.monotonic()
            if not self._keeps_all and count - done > self._most_behind:
                self.missed += count - 1 - done
                done = count - 1
            if count > done:
                turn = min(count - done, self._turn)
                self.missed += self._send(done, turn)
                done += turn
            elif self._ending.is_set():
                return
            changed = self._estimator.changes()
            if done == 0 or (changed == changes and now - said_at < _EVERY):
                continue
            changes, said_at = changed, now
            facts = self._estimator.facts()
            if np.isfinite(facts.rate):
                self._most_behind = max(8, int(_BEHIND * facts.rate))
            block = self._estimator.read(done - 1, 1)
            if not len(block):
                continue
            silent = str(facts.stream) == "silent" and (count == done or not self._keeps_all)
            if silent:
                self._send(done - 1, 1, silent=True)
            message = self._guard(block, silent)
            if message is None:
                continue
            self._tell("guard", json.dumps(message, allow_nan=False).encode())
            stop = any(one["stop_requested"] for one in message["endpoints"])
            if stop and not stopped:
                self._tell("damping_request", json.dumps(self._damping(message), allow_nan=False).encode())
            stopped = stop

    def _send(self, first: int, most: int, silent: bool = False) -> int:
        missed = 0
        for encoding in {sink.encoding for sink in self._sinks}:
            messages = self._estimator.messages(first, most, encoding, silent)
            if encoding == "json":
                missed = most - len(messages)
            for sink in self._sinks:
                if sink.encoding == encoding:
                    self._hand(sink, messages)
        return missed

    def _tell(self, topic: str, payload: bytes) -> None:
        for sink in self._sinks:
            self._hand(sink, [(topic, payload)])

    def _hand(self, sink: Any, messages: list[tuple[str, bytes]]) -> None:
        try:
            for topic, payload in messages:
                sink.send(topic, payload)
        except (OSError, ValueError, RuntimeError) as error:
            self.problem = f"{type(sink).__name__}: {error}"

    def _guard(self, block: Any, silent: bool) -> dict[str, Any] | None:
        """Returns the guard's state as the wrench of the same sample has it; None where that sample is no longer kept."""
        messages = self._estimator.messages(block.first, 1, "json", silent)
        if not messages:
            return None
        wrench = json.loads(messages[0][1])
        endpoints = []
        for k, one in enumerate(wrench["endpoints"]):
            here = [name for name in ("stale", "gap") if name in one["reasons"].split()]
            because = here + [name for name in antaeus.reason_names(int(block.because[0, k])) if name not in here]
            endpoints.append({"endpoint": one["endpoint"], "label": self._labels.get(one["endpoint"], one["endpoint"]), "state": one["state"],
                              "action": one["action"], "because": because, "stop_requested": bool(block.stop[0, k])})
        return {"time": wrench["time"], "stream": "silent" if silent else "held_off" if wrench["held_off"] else "running", "endpoints": endpoints}

    def _damping(self, guard: dict[str, Any]) -> dict[str, Any]:
        who = [one for one in guard["endpoints"] if one["stop_requested"]]
        return {"request": "damping_mode", "time": guard["time"], "endpoint": who[0]["endpoint"], "because": who[0]["because"]}
