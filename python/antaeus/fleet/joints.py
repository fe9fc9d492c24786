"""Rows of joints/: what a log tells of each joint's torque channel while the joint moves.

    τ − (M a + C v + g) = coulomb · sign(v) + viscous · v + offset + e

by least squares over samples in which the joint moves, of one log by itself. `DayEstimator` is not taken: it knows today's friction only
against a noise that was identified, which most robots of a fleet have not.

Correlated samples are few samples: the standard errors are of sums over stretches that are far longer than e remembers
(cluster-robust; Liang and Zeger, Biometrika 73 (1986)), of which there must be eight.
"""

import math
import typing
import warnings

import numpy as np

from antaeus import _antaeus
from antaeus.fleet import forces

_RATE = 10.0  # Hz: what friction is fitted to is no faster, for samples closer together say the same
_NOISE_ROWS = 1024  # of a block, side by side, that tell the noise
_ROWS = 65536  # that are kept of a log, at most
_SLOWEST = 0.02  # rad/s or m/s below which a joint counts as standing
_LEAST_MOVING = 3.0  # s in each direction
_LEAST_STRETCHES = 8
_CHANGED = 4.0  # sd of the difference to the profile from which a joint counts as changed
_THIRD_DIFFERENCE = math.sqrt(20.0)  # sd of the third difference of white noise of sd 1
_MEDIAN = 1.4826  # sd of a normal number over its median size


class Joints:
    """Takes a log's blocks in their order; `finish` fits."""

    def __init__(self, log_id: str, robot: typing.Any, settings: typing.Mapping[str, typing.Any], rate: float, steps: int) -> None:
        self._id, self._robot, self._rate = log_id, robot, rate
        self._replay = _antaeus.BatchReplay(robot, [], threads=1, settings=dict(settings))
        whole = rate if math.isfinite(rate) else _RATE
        self._stride = max(1, round(whole / _RATE), -(-steps // _ROWS))
        self._period = self._stride / whole
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []
        self._fast: list[np.ndarray] = []
        self._skip = self._samples = 0

    def take(self, block: forces.Block) -> None:
        self._samples += len(block)
        if len(block) > 8:
            third = np.abs(np.diff(block.tau[:_NOISE_ROWS], 3, axis=0)) / _THIRD_DIFFERENCE
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # a column without a number: its noise is no number
                typical, mean = np.nanmedian(third, axis=0) * _MEDIAN, np.sqrt(np.nanmean(third * third, axis=0))
            # A channel of few digits stands still at most samples: its noise is then what its steps are.
            self._fast.append(np.where(typical > 0, typical, mean))
        if not math.isfinite(self._rate) or len(block) < 3:
            return  # without a clock nobody knows a speed
        v = block.v if block.v.size else np.gradient(block.q, 1.0 / self._rate, axis=0)
        # Accelerations over as long as samples are apart: of velocities side by side they would be noise.
        half = min(max(1, round(0.02 * self._rate)), (len(block) - 1) // 2)
        middle = np.arange(self._skip, len(block), self._stride)
        self._skip = (self._skip - len(block)) % self._stride
        before, after = np.maximum(middle - half, 0), np.minimum(middle + half, len(block) - 1)
        seconds = block.time[after] - block.time[before]
        with np.errstate(invalid="ignore", divide="ignore"):
            a = (v[after] - v[before]) / seconds[:, None]
        q, tau, v = block.q[middle], block.tau[middle], v[middle]
        out = self._replay(q, tau, v=v, a=np.nan_to_num(a), want=("residual",))
        residual = np.where((out["status"] == 0)[:, None], out["residual"], np.nan)
        self._kept.append((residual.astype(np.float32), v.astype(np.float32)))

    def finish(self, suspect: bool) -> list[dict[str, typing.Any]]:
        """A row a joint, in motor order. `suspect`: the check finds an error of the set-up, so that no figure is the joint's."""
        names, motors = self._robot.model.motor_names(), self._robot.model.motor_count()
        carrying = self._carrying()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            noise = np.nanmedian(np.stack(self._fast), axis=0) if self._fast else np.full(motors, np.nan)
        residual, speed = (np.concatenate(each) for each in zip(*self._kept, strict=True)) if self._kept else (np.zeros((0, motors)),) * 2
        return [self._row(motor, names[motor], noise[motor], residual[:, motor], speed[:, motor], motor in carrying, suspect) for motor in range(motors)]

    def _carrying(self) -> set[int]:
        """Motors of limbs that may stand on the ground: what carries the robot is in their residual."""
        feet = [each.frame for each in self._robot.profile.endpoints if each.kind is _antaeus.EndpointKind.foot]
        return {motor for frame in feet for motor in self._robot.model.supporting_motors(self._robot.model.frame(frame))}

    def _row(self, motor: int, name: str, noise: float, residual: np.ndarray, speed: np.ndarray, carries: bool, suspect: bool) -> dict[str, typing.Any]:
        moves = (np.abs(speed) > _SLOWEST) & np.isfinite(residual)
        seconds = np.float32(np.count_nonzero(moves) * self._period)
        row: dict[str, typing.Any] = {
            "id": self._id, "joint": name, "place": motor, "samples": self._samples, "moving": seconds,
            "noise": np.float32(noise) if math.isfinite(noise) else None, "offset": None, "offset_sd": None, "coulomb": None, "coulomb_sd": None,
            "viscous": None, "viscous_sd": None, "verdict": "unknown", "reason": ""}
        if not self._kept:
            return row | {"reason": "the log has no clock"}
        if suspect:
            return row | {"reason": "the set-up is suspect: see the episode's notes"}
        if carries:
            return row | {"reason": "of a limb with a foot: what carries the robot is in its torque"}
        each_way = min(np.count_nonzero(moves & (speed > 0)), np.count_nonzero(moves & (speed < 0))) * self._period
        if each_way < _LEAST_MOVING:
            return row | {"reason": f"moves for less than {_LEAST_MOVING:g} s in one of its directions"}
        fitted = _fit(residual[moves].astype(float), speed[moves].astype(float), np.flatnonzero(moves) * self._period)
        if fitted is None:
            return row | {"reason": "moves for too short a time compared with how long its errors last"}
        found, sd = fitted
        row |= {place: np.float32(value) for place, value in zip(("coulomb", "viscous", "offset"), found, strict=True)}
        row |= {f"{place}_sd": np.float32(value) for place, value in zip(("coulomb", "viscous", "offset"), sd, strict=True)}
        return row | self._judged(motor, found, sd)

    def _judged(self, motor: int, found: np.ndarray, sd: np.ndarray) -> dict[str, str]:
        """Against the profile's figures, with what days differ by where it was identified."""
        figures, noise = self._robot.profile.figures[motor], self._robot.profile.noise
        said = []
        for place, name in enumerate(("coulomb", "viscous")):
            stated = getattr(figures, name)
            if not stated > 0:
                continue
            days = getattr(noise, f"{name}_sd", ()) if noise is not None else ()
            spread = float(days[motor]) if len(days) > motor and math.isfinite(days[motor]) else 0.2 * stated
            # Unidentified figures are bounds (docs/reference/profile.md), which a joint may stay below.
            less = noise is not None and len(days) > motor and found[place] - stated < -_CHANGED * math.hypot(sd[place], spread)
            if less or found[place] - stated > _CHANGED * math.hypot(sd[place], spread):
                said.append(f"{name} {found[place]:.2g}, {stated:.2g} in the profile")
        return {"verdict": "changed" if said else "ok", "reason": "; ".join(said)}


def _fit(residual: np.ndarray, speed: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Coulomb, viscous and offset with their standard errors; None where too few stretches are independent."""
    x = np.stack([np.sign(speed), speed, np.ones_like(speed)], axis=1)
    # einsum, not matmul: a BLAS adds in an order that depends on its number of threads.
    inverse = np.linalg.pinv(np.einsum("ni,nj->ij", x, x))
    found = np.einsum("ij,nj,n->i", inverse, x, residual)
    error = residual - np.einsum("ni,i->n", x, found)
    span = time[-1] - time[0]
    stretch = max(1.0, 6.0 * _memory(error, time))
    if span < _LEAST_STRETCHES * stretch:
        stretch = span / _LEAST_STRETCHES
        if stretch < 2.0 * _memory(error, time):
            return None
    _, place = np.unique(np.floor((time - time[0]) / stretch), return_inverse=True)
    count = int(place.max()) + 1
    if count < _LEAST_STRETCHES:
        return None
    sums = np.stack([np.bincount(place, x[:, k] * error, count) for k in range(3)], axis=1)
    covariance = np.einsum("ij,nj,nk,kl->il", inverse, sums, sums, inverse) * (count / (count - 3.0))
    return found, np.sqrt(np.diag(covariance))


def _memory(error: np.ndarray, time: np.ndarray) -> float:
    """Integral time of the errors [s]: of their autocorrelation up to where it first falls below a twentieth."""
    period = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    centred = error - error.mean()
    size = 1 << (2 * len(centred) - 1).bit_length()
    spectrum = np.fft.rfft(centred, size)
    correlation = np.fft.irfft(spectrum * spectrum.conj(), size)[: len(centred)]
    if not correlation[0] > 0:
        return 0.0
    correlation /= correlation[0]
    below = np.flatnonzero(correlation < 0.05)
    return period * (0.5 + float(np.sum(correlation[1: below[0] if len(below) else len(correlation)])))
