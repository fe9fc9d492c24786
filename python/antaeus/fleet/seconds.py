"""Rows of steps/: a log's samples by the second, or by as much as the plan says, endpoint by endpoint."""

import typing

import numpy as np
import pyarrow as pa

from antaeus.fleet import forces, schema

_SAMPLES_WITHOUT_CLOCK = 100  # that make a row of a log that has no clock


class Seconds:
    """Takes a log's blocks in their order and gives rows; a row that a block's end cuts waits for the next block."""

    def __init__(self, log_id: str, frames: list[str], poses: list[list[int]], motors: list[str], every: float, rate: float) -> None:
        self._id, self._frames, self._poses = log_id, frames, poses
        self._names = [[motors[motor] for motor in each] for each in poses]
        self._every, self._rate = every, rate
        self._first: float | None = None
        self._open: forces.Block | None = None

    def take(self, block: forces.Block, sign: str) -> pa.Table:
        """The rows that are complete with this block."""
        if self._open is not None:
            block = self._open.then(block)
        numbers = self._bins(block)
        last = int(np.searchsorted(numbers, numbers[-1]))
        self._open = block.cut(last, len(block))
        return self._rows(block.cut(0, last), numbers[:last], sign)

    def finish(self, sign: str) -> pa.Table:
        """The rows that were still open."""
        if self._open is None:
            return schema.STEPS.empty_table()
        return self._rows(self._open, self._bins(self._open), sign)

    def _bins(self, block: forces.Block) -> np.ndarray:
        """Of each sample the number of its row, rising."""
        if self._first is None:
            self._first = float(block.time[0])
        if self._every == 0.0:
            return np.arange(len(block))
        width = self._every if np.isfinite(self._rate) else _SAMPLES_WITHOUT_CLOCK
        # A stamp of 0.9999999 belongs to second 1: clocks are written with fewer digits than doubles have.
        numbers = np.floor((block.time - self._first) / width + 1e-6)
        return np.maximum.accumulate(np.where(np.isfinite(numbers), numbers, 0.0))

    def _rows(self, block: forces.Block, numbers: np.ndarray, sign: str) -> pa.Table:
        if len(block) == 0 or not self._frames:
            return schema.STEPS.empty_table()
        begins = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]])
        counts = np.diff(np.r_[begins, len(block)])
        middles = begins + counts // 2
        parts = []
        for place, frame in enumerate(self._frames):
            columns = self._columns(block, place, frame, begins, counts, middles, sign)
            parts.append(pa.table([column if isinstance(column, pa.Array) else pa.array(column, schema.STEPS.field(name).type, from_pandas=True)
                                   for name, column in columns.items()], schema.STEPS))  # NaN is null: no number
        # By time, then endpoint.
        whole = pa.concat_tables(parts)
        return whole.take(np.arange(len(whole)).reshape(len(self._frames), -1).T.ravel())

    def _columns(self, block: forces.Block, place: int, frame: str, begins: np.ndarray, counts: np.ndarray, middles: np.ndarray,
                 sign: str) -> dict[str, typing.Any]:
        force, verdict = block.force[:, place], block.verdict[:, place]
        there = np.isfinite(force).all(axis=1)

        def sums(values: np.ndarray) -> np.ndarray:
            return np.add.reduceat(values, begins)

        known = sums(there.astype(np.int32))

        def mean(values: np.ndarray) -> np.ndarray:
            with np.errstate(invalid="ignore", divide="ignore"):
                return (sums(np.where(there, values, 0.0)) / known).astype(np.float32)

        norm = np.where(there, np.linalg.norm(force, axis=1), -np.inf)
        most = np.maximum.reduceat(norm, begins)
        rows = len(begins)
        pose = np.round(block.q[middles][:, self._poses[place]], 3).astype(np.float32)
        words: dict[int, str] = {}
        bits = np.bitwise_or.reduceat(block.reasons[:, place], begins)
        text = [words[one] if (one := int(each)) in words else words.setdefault(one, forces.reasons_text(one)) for each in bits]
        clocked = np.isfinite(self._rate)
        return {"id": pa.repeat(self._id, rows), "endpoint": pa.repeat(frame, rows), "time": block.time[begins],
                "seconds": (counts / self._rate).astype(np.float32) if clocked else np.full(rows, np.nan, np.float32),
                "samples": counts.astype(np.int32), "ok": sums((verdict == 0).astype(np.int32)),
                "degraded": sums((verdict == 1).astype(np.int32)), "refused": sums((verdict >= 2).astype(np.int32)),
                "Fx": mean(force[:, 0]), "Fy": mean(force[:, 1]), "Fz": mean(force[:, 2]),
                "force_max": np.where(known > 0, most, np.nan).astype(np.float32), "sd_max": mean(block.sd[:, place]),
                "above": sums((block.surprise[:, place] > forces.ZERO_WITHIN).astype(np.int32)), "kappa": mean(block.kappa[:, place]),
                "reasons": text, "sign": pa.repeat(sign, rows), "pose": lists_of(pose),
                "pose_joints": pa.array([self._names[place]] * rows, schema.STEPS.field("pose_joints").type)}


def lists_of(matrix: np.ndarray) -> pa.ListArray:
    """Rows as lists."""
    count, width = matrix.shape
    return pa.ListArray.from_arrays(np.arange(0, count * width + 1, width, dtype=np.int32) if width else np.zeros(count + 1, np.int32),
                                    pa.array(matrix.ravel(), pa.float32()))
