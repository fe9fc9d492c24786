"""Where forces go. A sink is any object with `encoding` and one method, `send`; docs/guide/live.md shows one.

Each module opens one kind of address; its library is imported when such an address is opened, and not before. None of them waits
for who listens: what cannot be handed on at once is dropped and counted (`dropped`).
"""

import importlib
import typing

from antaeus.live.addresses import parse_address

if typing.TYPE_CHECKING:
    from antaeus._antaeus import Robot

# Scheme → module with open_sink(address).
_MODULES = {"-": "standard_output", "udp": "udp", "tcp": "tcp", "dds": "dds_topic", "zenoh": "zenoh_key"}
SCHEMES = tuple(_MODULES)


class Sink(typing.Protocol):
    """Takes messages on. A sink may also have `dropped` (messages that could not be handed on) and `close()`."""

    encoding: str
    """Of the wrenches that it wants: "json", or "wrench_stamped" (geometry_msgs/WrenchStamped as CDR)."""

    def send(self, topic: str, payload: bytes) -> None:
        """Hands a message on, without waiting. `topic`: "wrench" or "wrench/<frame>" in `encoding`; "guard" and "damping_request", which
        are JSON. Raises OSError, one line, where the sink has gone for good."""


def open_sink(address: str, robot: "Robot") -> Sink:
    """The sink of an address.

    Raises ValueError or OSError, one line: an unknown scheme (with the nearest), a library that is not installed (with the line
    that installs it), a port in use.
    """
    parsed = parse_address(address, SCHEMES, "sink")
    sink: Sink = importlib.import_module(f"antaeus.live.sinks.{_MODULES[parsed.scheme]}").open_sink(parsed)
    return sink
