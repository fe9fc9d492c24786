"""The forces of a log, block after block, with what is known of each sample.

One rule says by which of two ways they are computed, and the episode's row names it (`computed_by`, `formed_of`):

- `loop`: what `antaeus estimate` computes, of the best residual that the log's channels allow, with the reasons of its guard;
- `replay`: where that residual would be static anyway (no speeds, no clock, a rate below `residual.minimum_rate`, or
  `residual.kind=static`), the batched kernel: the same forces and posterior's reasons (docs/guide/in_your_project.md) at a fraction of the cost, without
  the guard's tests of the input and a consumer's limits. Not where settings need a loop, nor where the plan asks for the guard.

A sample's verdict is the guard's of that sample by itself, which remembers nothing: `refused` for a reason after which nothing may be used,
else `degraded` for any reason, else `ok`.
"""

import dataclasses
import math
import pathlib
import typing
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from antaeus import _antaeus

BLOCK = 16384  # samples in memory at a time
ZERO_WITHIN = 7.814727903251179  # χ² of three directions at 95 %
_NO_FORCE = "no force: every endpoint is a foot, which carries the robot"
_REASONS = {_antaeus.reason_names(1 << bit)[0]: 1 << bit for bit in range(64) if _antaeus.reason_names(1 << bit)}
ALARM = _REASONS["contradiction"] | _REASONS["unexplained"] | _REASONS["beyond_prior"]  # core/reasons.hpp: kTestAlarm
_SUSPECT, _HELD = _REASONS["set_up_suspect"], _REASONS["held"]
# trust/consumer_guard.cpp: kRefusing
_REFUSING = ALARM | sum(_REASONS[name] for name in (
    "invalid_input", "time_back", "stale", "torque_rate", "force_limit", "infeasible", "position_out_of_limits", "position_jump", "dead_torque",
    "orientation_contradicts", "accelerometer_scale", "no_clock", "outside_identified", "insensible_direction"))


@dataclasses.dataclass
class Block:
    """Samples in a row, N of them; E endpoints, M motors."""

    time: np.ndarray  # (N,) s; the sample's number where the log has no clock
    q: np.ndarray  # (N, M)
    v: np.ndarray  # (N, M), or (0, 0)
    tau: np.ndarray  # (N, M) what the channels read
    residual: np.ndarray  # (N, M) N·m, static
    force: np.ndarray  # (N, E, 3) N, world axes, with the log's sign
    surprise: np.ndarray  # (N, E) χ² of a force of zero in the force's own ellipsoid
    sd: np.ndarray  # (N, E) N, of the force's least known direction
    kappa: np.ndarray  # (N, E) that over the sd of the best known one
    verdict: np.ndarray  # (N, E) uint8, places in Verdict
    reasons: np.ndarray  # (N, E) uint64, sets of bits

    def __len__(self) -> int:
        return len(self.time)

    def cut(self, first: int, last: int) -> "Block":
        return Block(*(getattr(self, field.name)[first:last] for field in dataclasses.fields(self)))

    def then(self, more: "Block") -> "Block":
        return Block(*(np.concatenate([getattr(self, field.name), getattr(more, field.name)]) for field in dataclasses.fields(self)))


def reasons_text(bits: int) -> str:
    """Words separated by a blank, as in steps.csv."""
    return " ".join(_antaeus.reason_names(int(bits)))


class LogForces:
    """A log's blocks, and what is known of it as a whole. Raises EpisodeError, OptionsError, ModelError as `estimate`."""

    def __init__(self, path: pathlib.Path, robot: typing.Any, endpoints: Sequence[str], settings: Mapping[str, typing.Any],
                 guarded: bool = False) -> None:
        self._guarded = guarded
        self._path, self._robot, self._settings = path, robot, dict(settings)
        every = robot.endpoint_frames(list(endpoints))
        feet = {each.frame for each in robot.profile.endpoints if each.kind is _antaeus.EndpointKind.foot}
        self.frames: list[str] = [frame for frame in every if frame not in feet]
        self.notes: list[str] = []
        self.sign = ""
        self.kinds: dict[str, int] = {}  # residual → samples formed of it
        self.rate = math.nan  # Hz; NaN without a clock. Known, as `steps`, with the first block
        self.steps = 0
        self.computed_by = ""
        self.setup_fault = ""  # the text of the first error that the check finds; empty: none
        self._loop = None
        if not self.frames:
            self.notes.append(_NO_FORCE)
            return
        self._loop = _antaeus.LogEstimates(path, robot, endpoints=self.frames, threads=1, settings=self._settings)
        errors = [finding.text for finding in self._loop.check.findings if finding.severity == "error"]
        self.setup_fault = next(iter(errors), "")
        self.notes += [f"the set-up is suspect: {text}" for text in errors]

    @property
    def has_forces(self) -> bool:
        return bool(self.frames)

    def __iter__(self) -> Iterator[Block]:
        if self._loop is None:
            yield from self._without_forces()
            return
        if not self._guarded and (self._loop.why_static or self._settings.get("residual.kind") == "static"):
            replay = _antaeus.BatchReplay(self._robot, self.frames, threads=1, settings=self._settings)
            blocks = self._replayed(replay)
            try:
                first = next(blocks)
            except _antaeus.OptionsError:  # settings that need a loop
                pass
            else:
                self._loop = None
                yield first
                yield from blocks
                return
        yield from self._looped(self._loop)

    def _begin(self, part: typing.Any, steps: int) -> None:
        if self.steps == 0:
            self.steps = steps
            self.rate = 1.0 / part.sample_time() if part.has_time() and part.sample_time() > 0 else math.nan

    def _samples(self) -> Iterator[tuple[typing.Any, np.ndarray]]:
        reader = _antaeus.EpisodeReader(self._path, self._robot)
        done = 0
        while (part := reader.next(BLOCK)) is not None:
            self._begin(part, reader.steps())
            yield part, _clock(part, done)
            done += len(part)
        self.notes += reader.notes

    def _without_forces(self) -> Iterator[Block]:
        replay = _antaeus.BatchReplay(self._robot, [], threads=1)
        self.computed_by = "replay"
        for part, time in self._samples():
            count = len(part)
            residual = replay(part.q, part.tau, want=("residual",), **_given(part, "imu_quaternion"))["residual"]
            none = np.zeros((count, 0))
            yield Block(time, part.q, part.v, part.tau, residual, np.zeros((count, 0, 3)), none, none, none, none.astype(np.uint8),
                        none.astype(np.uint64))

    def _replayed(self, replay: typing.Any) -> Iterator[Block]:
        self.computed_by = "replay"
        self.kinds = {"static": 0}
        continues = False
        for part, time in self._samples():
            given = {name: value for name in ("v", "a", "time") if (value := getattr(part, name)).size}
            given |= _given(part, "imu_quaternion", "imu_angular_velocity", "imu_specific_force")
            out = replay(part.q, part.tau, simulated=part.simulated, continues=continues, **given,
                         want=("posterior", "force_sd", "force_directions", "verdict", "reasons", "residual"))
            self.sign, continues = str(out.sign), True
            verdict, reasons = out["verdict"], out["reasons"]
            if self.setup_fault:
                reasons = reasons | np.uint64(_SUSPECT)
            sd = out["force_sd"]
            axes = out["force_directions"].reshape(*sd.shape, 3)
            force = out["posterior"][:, :, :3]
            self.kinds["static"] += len(part)
            yield _block(part, time, out["residual"], force, sd, axes, verdict, reasons)

    def _looped(self, loop: typing.Any) -> Iterator[Block]:
        self.computed_by = "loop"
        self.kinds = {}
        names = [str(kind) for kind in _antaeus.ResidualKind]
        done = 0
        for part, read in loop:
            self._begin(part, loop.steps())
            series = list(read.series)
            self.sign = str(series[0].sign)
            axes = np.stack([one.posterior.force_axes.reshape(-1, 3, 3) for one in series], axis=1)
            sd = np.linalg.norm(axes, axis=3)
            with np.errstate(invalid="ignore", divide="ignore"):
                axes = axes / sd[..., None]
            for kind, count in zip(*np.unique(np.asarray(series[0].posterior.residual_kind), return_counts=True), strict=True):
                self.kinds[names[int(kind)]] = self.kinds.get(names[int(kind)], 0) + int(count)
            bits = np.stack([one.reason_bits for one in series], axis=1)
            yield _block(part, _clock(part, done), read.residual, np.stack([one.wrench[:, :3] for one in series], axis=1), sd, axes,
                         np.stack([np.asarray(one.verdict, np.uint8) for one in series], axis=1), bits)
            done += len(part)
        self.notes += [note for note in loop.notes if note not in self.notes]
        if loop.why_static:
            self.notes.append(loop.why_static)


def _given(part: typing.Any, *names: str) -> dict[str, np.ndarray]:
    """Channels of a sensor that the log has, by the names of BatchReplay."""
    kernel = {"imu_quaternion": "imu_quaternion_xyzw"}
    return {kernel.get(name, name): value for name in names if (value := getattr(part, name)).size}


def _clock(part: typing.Any, done: int) -> np.ndarray:
    return np.asarray(part.time).ravel() if part.has_time() else np.arange(done, done + len(part), dtype=float)


def _block(part: typing.Any, time: np.ndarray, residual: np.ndarray, force: np.ndarray, sd: np.ndarray, axes: np.ndarray, verdict: np.ndarray,
           reasons: np.ndarray) -> Block:
    with np.errstate(invalid="ignore", divide="ignore"):
        along = np.einsum("neij,nej->nei", axes, force) / sd
        kappa = sd[:, :, 2] / sd[:, :, 0]
    reasons = reasons & ~np.uint64(_HELD)
    judged = np.where(reasons & np.uint64(_REFUSING), 2, np.where(reasons, 1, 0)).astype(np.uint8)
    verdict = np.where(verdict >= 3, verdict, judged)  # what cannot be used keeps its own word for it
    return Block(time, part.q, part.v, part.tau, residual, force, np.sum(along * along, axis=2), sd[:, :, 2], kappa, verdict, reasons)
