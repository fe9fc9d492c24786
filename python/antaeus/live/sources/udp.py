"""udp://[HOST:]PORT: datagrams of JSON, one object each or several by lines."""

import socket
import struct
import threading
import time
import typing

from antaeus.live.addresses import MESSAGE_BYTES, Address, port_problem
from antaeus.live.sources import Push

_BUFFER_BYTES = 4 << 20  # that the system is asked to keep while we are busy; it may give less (net.core.rmem_max)
_LOOK_UP = 0.2  # [s] after which `stop` is looked at, at the latest


def open_source(address: Address, robot: typing.Any, speed: float) -> "UdpSource":
    """The port is taken here, so that one in use is said at once."""
    address.require_options(())
    host, port = address.host_and_port()
    return UdpSource(address, host, port)


class UdpSource:
    """A bound socket. Nothing is decoded here: a datagram costs one system call and one push."""

    format = "json"

    def __init__(self, address: Address, host: str, port: int) -> None:
        self._place = f"{host}:{port}"
        try:
            family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
            self._socket = socket.socket(family, kind)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
            self._socket.bind(place)
        except OSError as error:
            raise port_problem(address, "cannot be listened to", error) from None

    def what(self) -> str:
        """What is heard there, for people."""
        return f"no datagram comes to {self._place}: look at the sender's address and port, and at firewalls"

    def run(self, push: Push, stop: threading.Event) -> None:
        """Receives until `stop`."""
        # The system's own timeout: Python's would cost a second system call a datagram.
        self._socket.setblocking(True)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(_LOOK_UP))
        buffer = bytearray(MESSAGE_BYTES)
        whole = memoryview(buffer)
        receive, find, now, stopped = self._socket.recv_into, buffer.find, time.monotonic, stop.is_set
        with self._socket:
            while not stopped():
                try:
                    count = receive(buffer)
                except BlockingIOError:
                    continue
                received = now()
                first_end = find(b"\n", 0, count)
                if first_end < 0 or first_end == count - 1:
                    push(whole[:count], received, 0)
                    continue
                for line in bytes(whole[:count]).split(b"\n"):
                    if line.strip():
                        push(line, received, 0)


def _timeval(seconds: float) -> bytes:
    """struct timeval of this machine: two C longs."""
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1_000_000))
