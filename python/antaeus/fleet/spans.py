"""Rows of events/: spans of a log in which one thing holds at an endpoint.

- `alarm`: a consistency test is over its limit (`contradiction`, `unexplained`, `beyond_prior`);
- `contact`: zero lies outside the force's own 95 % ellipsoid and the verdict is `ok`, for a tenth of a second or longer;
- `phantom`: the same while the plan says that nothing touches;
- `refused`: no force can be used.

Spans that are no further apart than half a second are one: a limit that is touched again and again is one event.
"""

import dataclasses
import typing

import numpy as np

from antaeus.fleet import forces, schema

_APART = 0.5  # s
_LEAST_CONTACT = 0.1  # s


@dataclasses.dataclass
class _Span:
    begin: float
    end: float
    worst: float  # what is largest at the worst sample
    row: dict[str, typing.Any]
    reasons: int
    samples: int


class Spans:
    """Takes a log's blocks in their order; spans go on from one to the next."""

    def __init__(self, log_id: str, frames: list[str], poses: list[list[int]], motors: list[str], scale: np.ndarray, rate: float,
                 untouched: tuple[float, float]) -> None:
        self._id, self._frames, self._poses, self._motors = log_id, frames, poses, motors
        self._scale = scale
        self._period = 1.0 / rate if np.isfinite(rate) else 1.0
        # Without a clock time counts samples: those next to each other are one span.
        self._apart, self._least = (_APART, _LEAST_CONTACT) if np.isfinite(rate) else (1.0, 5.0)
        self._untouched = untouched
        self._open: dict[tuple[int, str], _Span] = {}
        self._done: list[dict[str, typing.Any]] = []
        self.counts = dict.fromkeys(schema.EVENT_KINDS, 0)

    def take(self, block: forces.Block) -> None:
        untouched = (block.time >= self._untouched[0]) & (block.time <= self._untouched[1])
        norm = np.nan_to_num(np.linalg.norm(block.force, axis=2), nan=0.0)
        for place in range(len(self._frames)):
            verdict, reasons = block.verdict[:, place], block.reasons[:, place]
            above = (block.surprise[:, place] > forces.ZERO_WITHIN) & (verdict == 0)
            alarm = (reasons & np.uint64(forces.ALARM)) != 0
            for kind, flags in (("alarm", alarm), ("contact", above & ~untouched), ("phantom", above & untouched), ("refused", verdict >= 2)):
                self._runs(block, place, kind, flags, norm[:, place])
        self._close(float(block.time[-1]))

    def _runs(self, block: forces.Block, place: int, kind: str, flags: np.ndarray, norm: np.ndarray) -> None:
        edges = np.flatnonzero(np.diff(np.r_[0, flags.astype(np.int8), 0]))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            begin, end = float(block.time[first]), float(block.time[last - 1]) + self._period
            worst = int(first + np.argmax(norm[first:last]))
            reasons = int(np.bitwise_or.reduce(block.reasons[first:last, place]))
            span = self._open.get((place, kind))
            if span is not None and begin - span.end > self._apart:
                self._end(place, kind)
                span = None
            if span is None:
                span = self._open[place, kind] = _Span(begin, end, -1.0, {}, 0, 0)
            span.end, span.reasons, span.samples = end, span.reasons | reasons, span.samples + int(last - first)
            if norm[worst] > span.worst:
                span.worst, span.row = float(norm[worst]), self._sample(block, place, worst)

    def _sample(self, block: forces.Block, place: int, at: int) -> dict[str, typing.Any]:
        """What is kept of a span's worst sample."""
        q, motors = block.q[at], self._poses[place]
        with np.errstate(invalid="ignore"):
            standing_out = np.nan_to_num(np.abs(block.residual[at, motors]) / self._scale[motors], nan=-1.0)
        return {"force": np.float32(np.linalg.norm(block.force[at, place])), "sd": np.float32(block.sd[at, place]),
                "joint": self._motors[motors[int(np.argmax(standing_out))]] if motors and standing_out.max() > 0 else "",
                "q": q.astype(np.float32), "worst_time": float(block.time[at]), "pose": np.round(q[motors], 3).astype(np.float32),
                "pose_joints": [self._motors[motor] for motor in motors]}

    def _close(self, now: float) -> None:
        for place, kind in [key for key, span in self._open.items() if now - span.end > self._apart]:
            self._end(place, kind)

    def _end(self, place: int, kind: str) -> None:
        span = self._open.pop((place, kind))
        if kind in ("contact", "phantom") and span.samples * self._period < self._least - 1e-9:
            return
        self.counts[kind] += 1
        self._done.append({"id": self._id, "endpoint": self._frames[place], "kind": kind, "begin": span.begin, "end": span.end,
                           "reason": forces.reasons_text(span.reasons), **span.row})

    def finish(self) -> list[dict[str, typing.Any]]:
        """All rows, by begin, endpoint and kind."""
        for place, kind in list(self._open):
            self._end(place, kind)
        order = {frame: place for place, frame in enumerate(self._frames)}
        return sorted(self._done, key=lambda row: (row["begin"], order[row["endpoint"]], row["kind"]))
