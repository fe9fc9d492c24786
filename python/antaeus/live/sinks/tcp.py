"""tcp://[HOST:]PORT: lines of JSON to everyone who connects. We are the server, so that listeners may come and go."""

import socket
import time

from antaeus.live.addresses import Address, port_problem
from antaeus.live.sinks.json_lines import json_line

_MOST_LISTENERS = 16
_MOST_WAITING = 1 << 20  # [B] for one listener; beyond it, its lines are dropped
_ACCEPTED_EVERY = 0.02  # [s]


def open_sink(address: Address) -> "TcpSink":
    """The port is taken here, so that one in use is said at once."""
    address.require_options(())
    host, port = address.host_and_port()
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        server = socket.socket(family, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(place)
        server.listen(_MOST_LISTENERS)
    except OSError as error:
        raise port_problem(address, "cannot be served", error) from None
    return TcpSink(server)


class _Listener:
    """A connection, and what it could not take yet: whole lines but for the first, of which a part may be gone."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.waiting = connection, bytearray()

    def take(self, line: bytes) -> bool:
        """Whether the line was sent, or waits. Raises OSError when the listener has gone."""
        fits = len(self.waiting) + len(line) <= _MOST_WAITING
        if fits:
            self.waiting += line
        try:
            del self.waiting[:self.connection.send(self.waiting)]
        except BlockingIOError:
            pass
        return fits


class TcpSink:
    """A server. What listeners send is not read; one that reads too slowly loses whole lines, which are counted."""

    encoding = "json"

    def __init__(self, server: socket.socket) -> None:
        self.dropped = 0
        self._server, self._listeners, self._accepted = server, list[_Listener](), 0.0
        server.setblocking(False)

    def send(self, topic: str, payload: bytes) -> None:
        """Sends a line to each who has connected."""
        self._accept()
        if not self._listeners:
            return
        line = json_line(topic, payload)
        for listener in list(self._listeners):
            try:
                self.dropped += not listener.take(line)
            except OSError:
                listener.connection.close()
                self._listeners.remove(listener)

    def close(self) -> None:
        """Closes all connections."""
        for listener in self._listeners:
            listener.connection.close()
        self._server.close()

    def _accept(self) -> None:
        now = time.monotonic()
        if now < self._accepted + _ACCEPTED_EVERY:
            return
        self._accepted = now
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:  # nobody waits
                return
            if len(self._listeners) >= _MOST_LISTENERS:
                connection.close()
                continue
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._listeners.append(_Listener(connection))
