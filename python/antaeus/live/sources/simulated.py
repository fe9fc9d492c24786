"""sim://ROBOT: a robot in MuJoCo, in a process of its own: what watch shows on a machine without a robot."""

import importlib.util
import math
import os
import select
import subprocess
import sys
import threading
import time
import typing

from antaeus import _antaeus
from antaeus.live.addresses import MESSAGE_BYTES, Address
from antaeus.live.sources import Push, plant, push_until_taken

_RATES = (100, 2000)  # samples a second that the plant can do
_RATE = 500
_LOOK_UP = 0.2  # [s] after which `stop` is looked at, at the latest


def open_source(address: Address, robot: typing.Any, speed: float) -> "Simulation":
    """The robot that the address names, which may be another than the estimator's: that is then to be seen."""
    address.require_options(("rate",))
    rate = address.options.get("rate", str(_RATE))
    if not rate.isascii() or not rate.isdigit() or not _RATES[0] <= int(rate[:6]) <= _RATES[1]:
        raise address.wrong(f"rate={rate[:20]} is invalid", f"give samples per second, {_RATES[0]} to {_RATES[1]}")
    if math.isnan(speed) or speed < 0:
        raise address.wrong(f"cannot run at the speed {speed:g}", "give 1 for real time, 0 for as fast as it is taken")
    if importlib.util.find_spec("mujoco") is None:
        raise address.wrong("needs the Python package mujoco", "pip install 'antaeus[sim]'")
    simulated = _antaeus.load_robot(address.place)
    plant.bare_urdf(simulated)  # what cannot be a plant is said here
    return Simulation(str(simulated.profile.file), int(rate), speed)


class Simulation:
    """Reads what the other process measures. Its own clock is the sender's; where the machine is too slow it falls behind."""

    format = "arrays"
    simulated = True

    def __init__(self, profile: str, rate: int, speed: float) -> None:
        self._command = [sys.executable, "-m", "antaeus.live.sources.simulation_process", profile, str(rate), repr(float(speed))]
        self._waits = speed != 1.0  # of a plant that is not in real time nothing needs to be lost
        self._problem = "starts"

    def what(self) -> str:
        """What is heard there, for people."""
        return f"the simulation {self._problem}"

    def run(self, push: Push, stop: threading.Event) -> None:
        """Starts the plant, and ends it at `stop`."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        with subprocess.Popen(self._command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None and process.stderr is not None
                self._receive(process.stdout.fileno(), push, stop)
                if not stop.is_set():
                    told = process.stderr.read().decode(errors="replace").strip().splitlines()
                    raise OSError(f"sim: the simulation ended; {told[-1] if told else 'start it again'}")
            finally:
                process.kill()

    def _receive(self, descriptor: int, push: Push, stop: threading.Event) -> None:
        """Until the plant has gone: a line that is the header, then samples of one size."""
        rest, size = b"", 0
        while not stop.is_set():
            if not select.select([descriptor], [], [], _LOOK_UP)[0]:
                continue
            data = os.read(descriptor, MESSAGE_BYTES)
            received = time.monotonic()
            if not data:
                return
            rest += data
            if not size:
                head, mark, samples = rest.partition(b"\n")
                if not mark:
                    continue
                size_text, _, header = head.partition(b" ")
                rest, size = samples, int(size_text)
                push_until_taken(push, header, received, stop)
            whole = len(rest) // size * size
            for at in range(0, whole, size):
                if self._waits:
                    push_until_taken(push, rest[at:at + size], received, stop)
                else:
                    push(rest[at:at + size], received, 0)
            rest = rest[whole:]
