"""What a live page is sent: samples as flat records, and the last minutes of them in bins. viewer/src/live_stream.ts reads it.

A record is one sample (little-endian, no padding; M motors, E endpoints):

    time      f8        when it was received: seconds since 1970
    index     f8        its number since the start
    codes     u1 [E,4]  verdict, state, action; 1 where a stop is requested + 2 where the stream is held off
    reasons   u4 [E,4]  reasons and because, the low word of each before its high word
    scene     f4        positions [M]; orientation of the base x y z w [4]; of each endpoint force [3], axes of one sd [9], what the
                        consumer reads [3]: the order of antaeus.live_scene_json
    residual  f4 [M]    N·m (N at a sliding joint)
    residual_sd f4 [M]
    numbers   f4 [E,14] moment [3], sd of force and moment [6], what the consumer reads of the moment [3], nis, its limit
    least, most f4 [M]      of the residual, over the samples of the bin
    force_least, force_most f4 [E,3]

A message is a header of 16 bytes (kind u1: 1 the sample now, 2 bins; stream u1: its place in STREAMS; u2 0; count u4; number of the
first bin f8), then its records.
"""

import math
import struct
import time
import types
import typing

import numpy

BIN = 0.2  # [s]: 3 minutes are 900 bins, more than a plot has columns on most screens
MINUTES = 3
BINS = round(60 * MINUTES / BIN)
STREAMS = ("waiting", "running", "held_off", "silent", "ended")
NOW, HISTORY = 1, 2
_HEADER = struct.Struct("<BBHId")
_READ = ("received", "held_off", "q", "residual", "residual_sd", "base_rotation", "wrench", "sd", "force_axes", "consumer", "verdict", "state",
         "action", "reasons", "because", "stop", "nis", "nis_limit")


def record_type(motors: int, endpoints: int) -> numpy.dtype[typing.Any]:
    """The layout above."""
    return numpy.dtype([("time", "<f8"), ("index", "<f8"), ("codes", "u1", (endpoints, 4)), ("reasons", "<u4", (endpoints, 4)),
                        ("q", "<f4", motors), ("base", "<f4", 4), ("forces", "<f4", (endpoints, 15)), ("residual", "<f4", motors),
                        ("residual_sd", "<f4", motors), ("numbers", "<f4", (endpoints, 14)), ("least", "<f4", motors),
                        ("most", "<f4", motors), ("force_least", "<f4", (endpoints, 3)), ("force_most", "<f4", (endpoints, 3))])


def message(kind: int, stream: str, first_bin: int, records: bytes, count: int = 1) -> bytes:
    """Records with their header."""
    return _HEADER.pack(kind, STREAMS.index(stream), 0, count, first_bin) + records


def quaternion(rotation: typing.Any) -> tuple[float, float, float, float]:
    """x y z w of a rotation matrix [9], row by row; NaN where it holds NaN."""
    a, b, c, d, e, f, g, h, i = (float(value) for value in rotation)
    # By the largest of the four, so that no root is near zero.
    if a + e + i > 0:
        s = 2.0 * (1.0 + a + e + i) ** 0.5
        return (h - f) / s, (c - g) / s, (d - b) / s, 0.25 * s
    if a >= e and a >= i:
        s = 2.0 * (1.0 + a - e - i) ** 0.5
        return 0.25 * s, (b + d) / s, (c + g) / s, (h - f) / s
    if e >= i:
        s = 2.0 * (1.0 - a + e - i) ** 0.5
        return (b + d) / s, 0.25 * s, (f + h) / s, (c - g) / s
    s = 2.0 * (1.0 - a - e + i) ** 0.5
    return (c + g) / s, (f + h) / s, 0.25 * s, (d - b) / s


class History:
    """The last minutes in bins, and the sample now. One thread calls; memory is taken at the start."""

    def __init__(self, motors: int, endpoints: int, wall: float) -> None:
        """wall: what is added to a receiver's monotonic clock to make it seconds since 1970."""
        self.type = record_type(motors, endpoints)
        self._ring = numpy.zeros(BINS, self.type)
        self._wall = wall
        self._open = numpy.zeros(1, self.type)  # the bin that is being filled
        self._worst = -1  # how bad the sample is that stands for it
        self.first = 0  # number of the oldest bin
        self.count = 0
        self._number: int | None = None  # of the receiver's clock, of the open bin
        self._now = numpy.zeros(1, self.type)
        self._received = numpy.zeros(0)  # of the block in hand
        self.newest = math.nan  # receiver's clock of the newest sample; NaN: there is none

    def _fill(self, record: typing.Any, block: typing.Any, at: int) -> None:
        record["time"] = self._received[at] + self._wall
        record["index"] = block.first + at
        codes = record["codes"]
        codes[:, 0], codes[:, 1], codes[:, 2], codes[:, 3] = block.verdict[at], block.state[at], block.action[at], block.stop[at]
        held_off = bool(block.held_off[at])
        codes[:, 3] += 2 * held_off
        words = record["reasons"]
        words[:, :2] = numpy.ascontiguousarray(block.reasons[at], "<u8").view("<u4").reshape(-1, 2)
        words[:, 2:] = numpy.ascontiguousarray(block.because[at], "<u8").view("<u4").reshape(-1, 2)
        record["q"] = block.q[at]
        record["base"] = quaternion(numpy.ravel(block.base_rotation[at]))
        # While the stream is held off what is handed on is zero, whatever the guard would give.
        wrench, consumer = block.wrench[at], numpy.zeros_like(block.consumer[at]) if held_off else block.consumer[at]
        forces, numbers = record["forces"], record["numbers"]
        forces[:, :3], forces[:, 3:12], forces[:, 12:] = wrench[:, :3], block.force_axes[at], consumer[:, :3]
        numbers[:, :3], numbers[:, 3:9], numbers[:, 9:12] = wrench[:, 3:], block.sd[at], consumer[:, 3:]
        numbers[:, 12], numbers[:, 13] = numpy.ravel(block.nis[at]), numpy.ravel(block.nis_limit[at])
        record["residual"], record["residual_sd"] = block.residual[at], block.residual_sd[at]

    def take(self, block: typing.Any) -> list[tuple[int, bytes]]:
        """All samples of a block. Returns the bins that it closed: number and record."""
        samples = len(block.received)
        if samples == 0:
            return []
        closed = []
        # Each is made anew at every asking.
        block = types.SimpleNamespace(first=block.first, **{name: getattr(block, name) for name in _READ})
        # A log without a clock has no time but that of its arrival here.
        self._received = numpy.where(numpy.isfinite(block.received), block.received, time.monotonic())
        self.newest = float(self._received[-1])
        bins = numpy.floor(self._received / BIN).astype(numpy.int64)
        # Of a clock that steps back the bin that is open goes on.
        numpy.maximum.accumulate(bins, out=bins)
        edges = [0, *(numpy.flatnonzero(numpy.diff(bins)) + 1).tolist(), samples]
        # Verdicts count from best to worst; a stop stands above all.
        badness = (block.stop.astype(numpy.int64) * 64 + block.state.astype(numpy.int64) * 8 + block.verdict).max(axis=1)
        for begin, end in zip(edges[:-1], edges[1:], strict=True):
            if self._number is None or bins[begin] > self._number:
                if self._number is not None:
                    closed.append(self._close())
                self._number, self._worst = int(bins[begin]), -1
                for name in ("least", "most", "force_least", "force_most"):
                    self._open[name] = numpy.nan
            record = self._open[0]
            last = end - 1 - int(numpy.argmax(badness[begin:end][::-1]))
            if badness[last] >= self._worst:
                self._worst = int(badness[last])
                self._fill(record, block, last)
            residual, force = block.residual[begin:end], block.wrench[begin:end, :, :3]
            record["least"] = numpy.fmin(record["least"], numpy.fmin.reduce(residual))
            record["most"] = numpy.fmax(record["most"], numpy.fmax.reduce(residual))
            record["force_least"] = numpy.fmin(record["force_least"], numpy.fmin.reduce(force))
            record["force_most"] = numpy.fmax(record["force_most"], numpy.fmax.reduce(force))
        self._fill(self._now[0], block, samples - 1)
        for name in ("least", "most", "force_least", "force_most"):
            self._now[name] = self._open[name]
        return closed

    def _close(self) -> tuple[int, bytes]:
        number = self.first + self.count
        self._ring[number % BINS] = self._open[0]
        if self.count < BINS:
            self.count += 1
        else:
            self.first += 1
        return number, self._open.tobytes()

    def whole(self, stream: str) -> bytes:
        """The message with all closed bins, oldest first."""
        records = self._ring[numpy.arange(self.first, self.first + self.count) % BINS]
        return message(HISTORY, stream, self.first, records.tobytes(), self.count)

    def now(self, stream: str) -> bytes:
        """The message with the sample now, and the least and most of the bin that is open."""
        return message(NOW, stream, self.first + self.count, self._now.tobytes())
