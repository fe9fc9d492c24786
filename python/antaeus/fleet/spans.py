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
        if not len(edges):
            return
        firsts, lasts = edges[::2], edges[1::2]
        begins, ends = block.time[firsts], block.time[lasts - 1] + self._period
        leads = np.flatnonzero(np.r_[True, begins[1:] - ends[:-1] > self._apart])  # runs that begin a span of their own
        firsts, lasts = firsts[leads], lasts[np.r_[leads[1:], len(lasts)] - 1]
        counts = np.add.reduceat(flags.astype(np.int64), firsts)
        reasons = np.bitwise_or.reduceat(np.where(flags, block.reasons[:, place], np.uint64(0)), firsts).tolist()
        flagged = np.where(flags, norm, -1.0)
        most = np.maximum.reduceat(flagged, firsts)
        spans = np.searchsorted(firsts, np.arange(firsts[0], len(flags)), side="right") - 1
        at = np.flatnonzero(flagged[firsts[0]:] == most[spans]) + firsts[0]
        worst = at[np.unique(np.searchsorted(firsts, at, side="right"), return_index=True)[1]]  # the first of equals
        rows = self._samples(block, place, worst, norm)
        for begin, end, count, bits, size, row in zip(block.time[firsts].tolist(), (block.time[lasts - 1] + self._period).tolist(), counts.tolist(),
                                                      reasons, most.tolist(), rows, strict=True):
            span = self._open.get((place, kind))
            if span is not None and begin - span.end > self._apart:
                self._end(place, kind)
                span = None
            if span is None:
                span = self._open[place, kind] = _Span(begin, end, -1.0, {}, 0, 0)
            span.end, span.samples, span.reasons = end, span.samples + count, span.reasons | bits
            if size > span.worst:
                span.worst, span.row = size, row

    def _samples(self, block: forces.Block, place: int, at: np.ndarray, norm: np.ndarray) -> list[dict[str, typing.Any]]:
        """What is kept of the worst samples of spans."""
        motors = self._poses[place]
        names = [self._motors[motor] for motor in motors]
        q = block.q[at]
        with np.errstate(invalid="ignore"):
            standing_out = np.nan_to_num(np.abs(block.residual[at][:, motors]) / self._scale[motors], nan=-1.0)
        most = np.argmax(standing_out, axis=1)
        known = standing_out[np.arange(len(at)), most] > 0
        poses, q = np.round(q[:, motors], 3).astype(np.float32), q.astype(np.float32)
        told = np.isfinite(block.force[at, place]).all(axis=1)  # where nothing is known no number stands, least of all 0
        force, sd, time = norm[at].astype(np.float32), block.sd[at, place].astype(np.float32), block.time[at].tolist()
        return [{"force": force[k] if told[k] else None, "sd": sd[k] if told[k] else None, "joint": names[most[k]] if known[k] else "", "q": q[k], "worst_time": time[k],
                 "pose": poses[k], "pose_joints": names} for k in range(len(at))]

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
