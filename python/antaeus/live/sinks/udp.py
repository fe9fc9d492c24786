"""udp://[HOST:]PORT: one line of JSON a datagram, to one listener."""

import socket

from antaeus.live.addresses import Address
from antaeus.live.sinks.json_lines import json_line


def open_sink(address: Address) -> "UdpSink":
    """Nobody has to listen yet."""
    address.require_options(())
    host, port = address.host_and_port()
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except OSError as error:
        raise address.wrong(f"the host is not known ({error.strerror or error})", "look at its name, or give its number") from None
    return UdpSink(family, place)


class UdpSink:
    """A socket that never waits."""

    encoding = "json"

    def __init__(self, family: int, place: tuple[object, ...]) -> None:
        self.dropped = 0
        self._place = place
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def send(self, topic: str, payload: bytes) -> None:
        """Sends a datagram; one that the system does not take (its buffer is full, no way there, too large) is counted."""
        try:
            self._socket.sendto(json_line(topic, payload), self._place)
        except OSError:
            self.dropped += 1

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()
