"""What happens in a stream, sample by sample: alarms, refusals, breaks. Each is said once, at the sample where it begins."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

import antaeus

FOUND = ("alarm", "refused", "stop")  # kinds for which a watch is not fine
ALARM_REASONS = ("contradiction", "unexplained", "beyond_prior")
_QUIET = 1.0  # [s] without an alarm after which the next is a new one
_REASONS = 64  # bits of a set


@functools.cache
def bits_of(names: tuple[str, ...]) -> int:
    """The set of these reasons, as LiveBlock.reasons has it."""
    bits = 0
    for place in range(_REASONS):
        if any(name in names for name in antaeus.reason_names(1 << place)):
            bits |= 1 << place
    return bits


@functools.cache
def place_of(verdict: str) -> int:
    """Its number in LiveBlock.state and .verdict."""
    return [str(one) for one in antaeus.Verdict].index(verdict)


@dataclasses.dataclass(frozen=True)
class Event:
    """kind: alarm, refused, recovered, stop, stream, set_up or mark. index: of the sample; time: its time, s."""

    kind: str
    index: int
    time: float
    words: str
    endpoint: str = ""
    reasons: tuple[str, ...] = ()


class EventFinder:
    """Finds what begins in each block. Blocks come in order; samples that nobody read are passed over."""

    def __init__(self, endpoints: Sequence[str], labels: Sequence[str] = ()) -> None:
        self._endpoints = list(endpoints)
        self._labels = list(labels) or self._endpoints
        self._refused = [False] * len(self._endpoints)
        self._stopped = [False] * len(self._endpoints)
        self._alarmed_at = [-np.inf] * len(self._endpoints)
        self._epoch, self._late, self._late_at = 0.0, 0, -np.inf
        self._stream, self._jumps = "waiting", 0

    def see(self, block: Any, facts: Any) -> list[Event]:
        """Events of a LiveBlock, in the order of samples; those of the stream itself last."""
        found: list[Event] = []
        if len(block):
            times, alarms = block.time, (block.reasons & np.uint64(bits_of(ALARM_REASONS))) != 0
            refused, stopped = block.state == place_of("refused"), block.stop != 0
            for k in range(len(self._endpoints)):
                found += self._alarms(block, k, times, alarms[:, k])
                found += self._edges(block, k, times, refused[:, k], stopped[:, k])
            found += self._breaks(block, times)
            found.sort(key=lambda event: event.index)
        return found + self._of_stream(block, facts)

    def _event(self, block: Any, kind: str, k: int, row: int, why: int, words: str) -> Event:
        names = tuple(antaeus.reason_names(int(why)))
        told = ", ".join(name.replace("_", " ") for name in names)
        return Event(kind, block.first + row, float(block.time[row]), f"{self._labels[k]}: {words}" + (f" ({told})" if told else ""),
                     self._endpoints[k], names)

    def _alarms(self, block: Any, k: int, times: Any, alarms: Any) -> list[Event]:
        found = []
        for row in np.flatnonzero(alarms):
            now = float(times[row])
            if not now - self._alarmed_at[k] <= _QUIET:
                force = float(np.linalg.norm(block.wrench[row, k, :3]))
                found.append(self._event(block, "alarm", k, int(row), int(block.reasons[row, k]),
                                         f"a test alarms, at an estimate of {force:.1f} N" if np.isfinite(force) else "a test alarms"))
            self._alarmed_at[k] = now
        return found

    def _edges(self, block: Any, k: int, times: Any, refused: Any, stopped: Any) -> list[Event]:
        found = []
        before = np.concatenate(([self._refused[k]], refused[:-1]))
        for row in np.flatnonzero(refused != before):
            if refused[row]:
                found.append(self._event(block, "refused", k, int(row), int(block.because[row, k]), "refused"))
            else:
                found.append(self._event(block, "recovered", k, int(row), 0, "usable again"))
        before = np.concatenate(([self._stopped[k]], stopped[:-1]))
        for row in np.flatnonzero(stopped & ~before):
            found.append(self._event(block, "stop", k, int(row), int(block.because[row, k]), "a stop is requested: damping mode"))
        self._refused[k], self._stopped[k] = bool(refused[-1]), bool(stopped[-1])
        return found

    def _breaks(self, block: Any, times: Any) -> list[Event]:
        epochs = block.epoch
        before = np.concatenate(([self._epoch], epochs[:-1]))
        self._epoch = float(epochs[-1])
        return [Event("stream", block.first + int(row), float(times[row]), "the stream broke off and is taken up again: all history is forgotten")
                for row in np.flatnonzero(epochs != before)]

    def _of_stream(self, block: Any, facts: Any) -> list[Event]:
        now, before, self._stream = str(facts.stream), self._stream, str(facts.stream)
        index, time = block.first + max(0, len(block) - 1), float(block.time[-1]) if len(block) else float("nan")
        found = []
        if now == "silent" and before != "silent":
            found.append(Event("stream", index, time, "no usable sample arrives: what is published is refused"))
        if facts.clock_jumps > self._jumps:
            self._jumps = facts.clock_jumps
            found.append(Event("stream", index, time, "the sender's clock jumped"))
        if facts.late > self._late and len(block):
            self._late = facts.late
            if not time - self._late_at <= _QUIET:
                found.append(Event("stream", index, time, f"messages come up to {float(np.nanmax(block.late_by)):.2f} s later than the fastest "
                                   "ones: what is published is refused (a slow network, or a sender's clock that runs slow: live.late)"))
            self._late_at = time
        return found
