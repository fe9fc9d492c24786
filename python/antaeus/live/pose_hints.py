"""What another pose would tell: asked while a pose is the reason, in a thread of its own."""

import concurrent.futures
import time
import typing
from collections.abc import Callable

import numpy

import antaeus

EVERY = 3.0  # [s] between two questions; one costs milliseconds, a pose that is hard to mend 0.1 s
_REASONS = ("uncertain", "unobservable_direction", "rank_deficient", "condition_number")
_MOST_MOVES = 3


class PoseHints:
    """Asks antaeus.advise about the newest pose and hands on its sentences."""

    def __init__(self, robot: typing.Any, endpoints: list[str], labels: list[str], tell: Callable[[list[str]], None]) -> None:
        """tell: called with the sentences that hold from now on, on this thread of its own; an empty list where no pose is the reason."""
        self._robot, self._endpoints, self._labels, self._tell = robot, endpoints, labels, tell
        self._bits = sum(1 << bit for bit in range(64) if set(antaeus.reason_names(1 << bit)) & set(_REASONS))
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "antaeus pose hints")
        self._asked: concurrent.futures.Future[None] | None = None
        self._next = 0.0
        self._told: list[str] = []

    def see(self, block: typing.Any) -> None:
        """A block that is not empty. Costs microseconds, save for the copy of a pose every few seconds."""
        now = time.monotonic()
        if now < self._next or (self._asked is not None and not self._asked.done()):
            return
        self._next = now + EVERY
        why = numpy.ravel(block.because[-1] | block.reasons[-1])
        wanted = [place for place, reasons in enumerate(why.tolist()) if int(reasons) & self._bits]
        if wanted or self._told:
            self._asked = self._thread.submit(self._ask, numpy.array(block.q[-1], dtype=float), wanted)

    def _ask(self, q: typing.Any, wanted: list[int]) -> None:
        lines = []
        for place in wanted:
            try:
                lines.append(self._line(q, place))
            except Exception as error:  # noqa: BLE001: a thread's failure is told where its answer would stand
                lines.append(f"{self._labels[place]}: no answer about the pose ({error})")
        if lines != self._told:
            self._told = lines
            self._tell(lines)

    def _line(self, q: typing.Any, place: int) -> str:
        advice = antaeus.advise(self._robot, [self._endpoints[place]], q, threads=1, directions=32, starts=2)
        before, label = advice.before[0], self._labels[place]
        if advice.satisfied:
            return (f"{label}: the pose itself is good enough. Its worst direction is known within {before.rest.worst_sd():.1f} N at rest, "
                    f"{before.moving.worst_sd():.1f} N in motion")
        if not advice.found:
            return f"{label}: no pose near this one shows more"
        moves = ", ".join(f"{move.joint} to {_signed(move.to)} (now {_signed(move.start)})" for move in advice.moves[:_MOST_MOVES])
        return (f"{label}: {moves}; then its worst direction is known within {advice.after[0].rest.worst_sd():.1f} N at rest, "
                f"now {before.rest.worst_sd():.1f} N")

    def close(self) -> None:
        """Asks no more."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _signed(value: float) -> str:
    """With a minus, not a hyphen."""
    return f"{value:.2f}".replace("-", "\u2212")
