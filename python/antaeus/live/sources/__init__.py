"""Where samples come from. A source is any object with `format` and one method, `run`; docs/guide/live.md shows one of 30 lines.

Each module opens one kind of address; its library is imported when such an address is opened, and not before.
"""

import importlib
import threading
import typing
from collections.abc import Callable

from antaeus.live.addresses import MESSAGE_BYTES, parse_address

if typing.TYPE_CHECKING:
    from antaeus._antaeus import Robot

# Scheme → module with open_source(address, robot, speed).
_MODULES = {"-": "standard_input", "udp": "udp", "tcp": "tcp", "dds": "dds_topic", "zenoh": "zenoh_key", "mcap": "logged",
            "log": "logged", "sim": "simulated"}
SCHEMES = tuple(_MODULES)

Push = Callable[[typing.Any, float, int], bool]
"""LiveEstimator.push: the message's bytes, when it was received (time.monotonic(), s), its part. Whether it was taken."""


class Source(typing.Protocol):
    """A stream of messages.

    A source may also have: `ends` (True: a file, of which nothing may be lost), `simulated` (True: a simulation's),
    `quaternion` ("xyzw" or "wxyz", where the address says the order of the IMU's four numbers; else None), `what()` (one line on what
    is heard there, for a source from which nothing comes), `prepare(stop, say)` (waits for what it needs to know its format, until
    `stop` is set; `say` takes lines for people).
    """

    format: str
    """Of its messages: "json", "csv", "arrays", "low_state_hg", "low_state_go" or "ros2"."""

    def run(self, push: Push, stop: threading.Event) -> None:
        """Pushes messages until `stop` is set, or its file has ended. `push` copies what it takes and never blocks.

        Raises ValueError or OSError, one line, for what cannot go on.
        """


def open_source(address: str, robot: "Robot", *, speed: float = 1.0) -> Source:
    """The source of an address. `speed`: of files, times their own clock; 0 or infinity: as fast as they are taken.

    Raises ValueError or OSError, one line: an unknown scheme (with the nearest), a library that is not installed (with the line
    that installs it), a port in use, a file that is not there.
    """
    parsed = parse_address(address, SCHEMES, "source")
    module = importlib.import_module(f"antaeus.live.sources.{_MODULES[parsed.scheme]}")
    source: Source = module.open_source(parsed, robot, speed)
    return source


def robot_of(address: str) -> str | None:
    """The robot that an address names by itself, as a simulation's does; None for what tells its robot by its messages at most."""
    parsed = parse_address(address, SCHEMES, "source")
    return parsed.place if parsed.scheme == "sim" else None


def push_until_taken(push: Push, message: typing.Any, received: float, stop: threading.Event, part: int = 0) -> None:
    """Pushes a message of a file, of which nothing may be lost: where the queue is full it waits, and pushes again.

    A message that is too large is never taken, so it is pushed once, which counts it.
    """
    while not push(message, received, part) and len(message) <= MESSAGE_BYTES and not stop.wait(0.001):
        pass
