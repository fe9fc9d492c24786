"""tcp://HOST:PORT: lines of JSON from a server, to which we connect, and again when it comes back."""

import socket
import threading
import time
import typing

from antaeus.live.addresses import LOOPBACK, Address
from antaeus.live.sources import Push
from antaeus.live.sources.lines import Lines

WAIT_TO_RECONNECT = 0.5  # [s] from the loss of a connection, or a refusal, to the next try
_WAIT_TO_CONNECT = 0.8  # [s] for an answer: a robot's network is a near one
_LOOK_UP = 0.2  # [s] after which `stop` is looked at, at the latest


def open_source(address: Address, robot: typing.Any, speed: float) -> "TcpSource":
    """Connects when it runs: the server may come later."""
    address.require_options(())
    host, port = address.host_and_port(LOOPBACK)
    return TcpSource(address, host, port)


class TcpSource:
    """A client that waits WAIT_TO_RECONNECT after each loss and tries again, for ever; `connections` counts those it had."""

    format = "json"

    def __init__(self, address: Address, host: str, port: int) -> None:
        self._address, self._host, self._port = address, host, port
        self._problem = "has not been tried yet"
        self.connections = 0
        try:
            socket.getaddrinfo(host, port)
        except OSError as error:
            raise address.wrong(f"the host is not known ({error.strerror or error})", "look at its name, or give its number") from None

    def what(self) -> str:
        """What is heard there, for people."""
        return f"{self._host}:{self._port} {self._problem}; it is tried again every {WAIT_TO_RECONNECT:g} s"

    def run(self, push: Push, stop: threading.Event) -> None:
        """Receives until `stop`."""
        while not stop.is_set():
            try:
                with socket.create_connection((self._host, self._port), _WAIT_TO_CONNECT) as connection:
                    self.connections += 1
                    self._problem = "is connected, and sends no whole line"
                    self._receive(connection, push, stop)
                    self._problem = "closed the connection"
            except OSError as error:
                self._problem = f"cannot be reached ({error.strerror or error})"
            stop.wait(WAIT_TO_RECONNECT)

    def _receive(self, connection: socket.socket, push: Push, stop: threading.Event) -> None:
        """Until the other side closes. A line that it left unfinished is no message."""
        connection.settimeout(_LOOK_UP)
        lines = Lines()
        while not stop.is_set():
            try:
                data = connection.recv(1 << 16)
            except TimeoutError:
                continue
            if not data:
                return
            received = time.monotonic()
            for line in lines.feed(data):
                push(line, received, 0)
