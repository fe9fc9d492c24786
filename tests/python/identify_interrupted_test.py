"""Ctrl-C during antaeus.identify: within a second, whatever it is at."""

import signal
import time

import numpy as np
import pytest

import antaeus

PATIENCE = 1.0  # s of this thread's CPU, which is what passes on a machine that does nothing else: a second is promised


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Five minutes of a Panda at 200 Hz."""
    chance, moment = np.random.default_rng(3), np.arange(60_000) / 200
    rate, size, phase = chance.uniform(0.3, 2, (3, 7)), chance.uniform(0.1, 0.25, (3, 7)), chance.uniform(0, 6, (3, 7))
    angle = moment[:, None, None] * rate + phase
    q = np.array([0, -0.4, 0, -1.8, 0, 1.5, 0.7]) + (size * np.sin(angle)).sum(1)
    v, a = (size * rate * np.cos(angle)).sum(1), (-size * rate**2 * np.sin(angle)).sum(1)
    tau = antaeus.replay(q, "panda", [], v=v, a=a, want=("torque",))["torque"]
    tau += 0.4 * np.tanh(v / 0.03) + chance.normal(0, 0.2, q.shape)
    file = tmp_path_factory.mktemp("long") / "log.npz"
    np.savez(file, time=moment, qpos=q, tau=tau, dq=v)
    return antaeus.load_episode(file, antaeus.load_robot("panda"))


def test_signals_are_looked_for_at_least_once_a_second(log):
    """By a handler that every tenth of a second may run: no gap between two of its calls is long, in any phase."""
    calls = [time.thread_time()]
    before = signal.signal(signal.SIGALRM, lambda *_: calls.append(time.thread_time()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        antaeus.identify([log], "panda", ["all"])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    gaps = np.diff([*calls, time.thread_time()])
    assert len(gaps) > 5 and max(gaps) < PATIENCE, gaps


def test_ctrl_c_ends_it(log):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        begun = time.thread_time()
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(KeyboardInterrupt):
            antaeus.identify([log], "panda", ["all"])
        assert time.thread_time() - begun < 1.0 + PATIENCE
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
