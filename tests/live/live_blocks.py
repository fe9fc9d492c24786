"""Blocks of samples as the live estimator hands them out, made by the guarded estimator over a log."""

import types

import antaeus
import numpy as np

VERDICT = {str(one): place for place, one in enumerate(antaeus.Verdict)}
ACTION = {str(one): place for place, one in enumerate(antaeus.ConsumerAction)}
BITS = {antaeus.reason_names(1 << bit)[0]: 1 << bit for bit in range(64) if antaeus.reason_names(1 << bit)}


def bits(names):
    return sum(BITS[name] for name in names)


def facts(**fields):
    return types.SimpleNamespace(**{"stream": "running", "received": 0, "taken": 0, "lost": 0, "repeated": 0, "out_of_order": 0, "late": 0,
                                    "undecodable": 0, "dropped": 0, "oversized": 0, "restarts": 0, "clock_jumps": 0, "silences": 0,
                                    "rate": 100.0, "clock_offset": 0.0, "latency": 0.0, "last_problem": "", "notes": [], **fields})


def event(kind, index, time, endpoint="", words="something", reasons=()):
    return types.SimpleNamespace(kind=kind, index=index, time=time, endpoint=endpoint, words=words, reasons=list(reasons))


def moving_log(robot, pose, rate, seconds, seed=3, push=None, imu=True):
    """A robot that moves freely; noise in its torques; from push=(begin, end, axis, newtons) on a force on the last endpoint."""
    n = robot.model.motor_count()
    count = int(seconds * rate)
    chance = np.random.default_rng(seed)
    time = np.arange(count) / rate
    pace, size, phase = chance.uniform(0.3, 2, (3, n)), chance.uniform(0.03, 0.1, (3, n)), chance.uniform(0, 6, (3, n))
    angle = time[:, None, None] * pace + phase
    q = np.asarray(pose) + (size * np.sin(angle)).sum(1)
    v, a = (size * pace * np.cos(angle)).sum(1), (-size * pace**2 * np.sin(angle)).sum(1)
    tau = antaeus.replay(q, robot, [], v=v, a=a, want=("torque",))["torque"] + chance.normal(0, 0.1, q.shape)
    log = {"time": time, "qpos": q, "tau": tau, "dq": v}
    if imu:
        log |= {"imu_quat": np.tile([0.0, 0, 0, 1], (count, 1)), "imu_gyro": np.zeros((count, 3)),
                "imu_acc": np.tile([0.0, 0, 9.81], (count, 1))}
    if push:
        begin, end, torques = push
        log["tau"][(time >= begin) & (time < end)] += torques
    return log


class Stream:
    """Samples of a log of which nothing is said; `blocks` cuts them as the live estimator's ring is read."""

    def __init__(self, robot, endpoints, log, first=0, epochs=None):
        self.endpoints = endpoints
        n, count, each = robot.model.motor_count(), len(log["time"]), len(endpoints)
        nan = lambda *shape: np.full(shape, np.nan)  # noqa: E731
        self.rows = {
            "stamp": log["time"].copy(), "received": log["time"] + 1000.0, "time": log["time"],
            "epoch": np.zeros(count, dtype=np.int64) if epochs is None else np.asarray(epochs), "held_off": np.zeros(count, dtype=bool),
            "qpos": log["qpos"], "tau": log["tau"], "dq": log.get("dq", np.empty((count, 0))), "ddq": np.empty((count, 0)),
            "imu_quat": log.get("imu_quat", nan(count, 4)), "imu_gyro": log.get("imu_gyro", nan(count, 3)),
            "imu_acc": log.get("imu_acc", nan(count, 3)), "q": log["qpos"], "residual": nan(count, n), "residual_sd": nan(count, n),
            "wrench": nan(count, each, 6), "sd": nan(count, each, 6), "force_axes": nan(count, each, 9), "position": nan(count, each, 3),
            "base_rotation": np.tile(np.eye(3).ravel(), (count, 1)), "consumer": nan(count, each, 6),
            "verdict": np.zeros((count, each), np.uint8), "state": np.zeros((count, each), np.uint8),
            "action": np.zeros((count, each), np.uint8), "reasons": np.zeros((count, each), np.uint64),
            "because": np.zeros((count, each), np.uint64), "nis": nan(count, each), "nis_limit": nan(count, each),
            "stop": np.zeros((count, each), bool)}
        self.first, self.sign = first, ""

    def __len__(self):
        return len(self.rows["time"])

    def block(self, begin, end):
        cut = {name: array[begin:end] for name, array in self.rows.items()}
        return types.SimpleNamespace(first=self.first + begin, sign=self.sign, **cut)

    def blocks(self, size):
        return [self.block(at, min(at + size, len(self))) for at in range(0, len(self), size)]


class Live(Stream):
    """The same with what the live estimator would say of each sample."""

    def __init__(self, robot, endpoints, log, first=0, epochs=None):
        super().__init__(robot, endpoints, log, first, epochs)
        r, count = self.rows, len(self)
        loop = antaeus.GuardedEstimator(robot, endpoints)
        for i in range(count):
            if i and r["epoch"][i] != r["epoch"][i - 1]:
                loop.reset()
            extra = {}
            if "dq" in log:
                extra["v"] = log["dq"][i]
            if "imu_quat" in log:
                extra |= {"imu_quaternion_xyzw": log["imu_quat"][i], "imu_angular_velocity": log["imu_gyro"][i],
                          "imu_specific_force": log["imu_acc"][i]}
            reads = loop.update(antaeus.Observation(time=log["time"][i], q=log["qpos"][i], tau=log["tau"][i], **extra))
            for k, (read, guess) in enumerate(zip(reads, loop.estimates())):
                self.sign = str(read.sign)
                usable = str(guess.status) == "ok"
                if usable:
                    r["wrench"][i, k] = guess.wrench.to_vector()
                    r["sd"][i, k] = np.sqrt(np.diag(guess.uncertainty.covariance))
                    r["nis"][i, k], r["nis_limit"][i, k] = guess.uncertainty.nis, guess.uncertainty.nis_threshold
                r["consumer"][i, k] = read.wrench.to_vector()
                r["verdict"][i, k], r["state"][i, k] = VERDICT[str(guess.verdict)], VERDICT[str(read.state)]
                r["action"][i, k], r["stop"][i, k] = ACTION[str(read.action)], read.stop_requested
                r["reasons"][i, k], r["because"][i, k] = bits(read.reasons), bits(read.because)
