"""A page and its socket on one port, for a few viewers: who may see it, what they may send, and no wait for any of them.

Whoever has the address with its token may look. Names of hosts that are not this machine's are refused, so that a page of somebody
else's cannot reach it through a name that it points here (DNS rebinding); a socket is opened for the page's own origin alone. What
viewers send is bounded in size and rate, and only what `Handler.receive` knows is heard. A viewer that does not read is dropped.
"""

import asyncio
import collections
import errno
import gzip
import hmac
import http
import ipaddress
import json
import logging
import resource
import secrets
import socket
import threading
import time
import typing
import urllib.parse
from collections.abc import Iterable

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

MESSAGE_LIMIT = 1024  # [bytes] of what a viewer sends
RATE, BURST = 5.0, 20  # messages a second of one viewer, and at once
STALL = 4.0  # [s] after which a viewer that does not read is dropped
MOST_WAITING = 400  # messages that wait for one viewer: a minute of bins
MOST_VIEWERS = 16
MOST_CONNECTIONS = 96  # in total, viewers included
MOST_PER_CLIENT = 24  # connections of one address that are not viewers
TOKEN_DEADLINE = 3.0  # [s] from a connection to its request with the token
_ACCEPTED_AT_ONCE = 16  # connections, which are open before they are counted
_RESERVED = 160  # file descriptors for recordings, sources and sinks
SEND_BUFFER = 1 << 16  # [bytes] of the system, a viewer: two seconds of frames, so that a slow one sees the newest soon
_HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>antaeus watch</title>
<link rel="stylesheet" href="live.css?token=@">
</head>
<body>
<main id="live"><noscript>This page needs JavaScript, which is off here.</noscript></main>
<script src="live.js?token=@"></script>
</body>
</html>
"""


class Handler(typing.Protocol):
    """What a page has to say."""

    def greet(self) -> list[str | bytes]:
        """All that a new viewer is sent at once, or one that asks for it again. Called on the server's thread."""

    def receive(self, message: dict[str, typing.Any]) -> str:
        """A message of a viewer's with a "kind" of the page's own. Returns what is wrong with it, in at most 100 letters; or nothing."""


class _Viewer:
    """One open socket: what waits for it, and the newest frame."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.paused = False
        self._frame: bytes | None = None
        self._waiting: collections.deque[str | bytes] = collections.deque()
        self._wake = asyncio.Event()
        self._tokens, self._refilled = float(BURST), time.monotonic()

    def offer(self, frame: bytes | None, items: Iterable[str | bytes]) -> None:
        """A frame takes the place of one that still waits; items are sent all."""
        if frame is not None and not self.paused:
            self._frame = frame
        self._waiting.extend(items)
        if len(self._waiting) > MOST_WAITING:
            self.drop()
        self._wake.set()

    def drop(self) -> None:
        self.connection.transport.abort()

    def may_send(self) -> bool:
        """Whether one more message of its is heard."""
        now = time.monotonic()
        self._tokens = min(float(BURST), self._tokens + RATE * (now - self._refilled)) - 1.0
        self._refilled = now
        return self._tokens >= 0.0

    async def feed(self) -> None:
        """Sends what waits until the socket closes."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                while self._waiting:
                    async with asyncio.timeout(STALL):
                        await self.connection.send(self._waiting.popleft())
                frame, self._frame = self._frame, None
                if frame is not None:
                    async with asyncio.timeout(STALL):
                        await self.connection.send(frame)
            except TimeoutError:
                self.drop()
                return
            except ConnectionClosed:
                return


class _Connection(ServerConnection):
    """A connection that the server's `_Door` counts."""

    door: "_Door"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.door.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.door.leave(self)
        super().connection_lost(exc)


class _Door:
    """Bounds the connections per client and in total. One too many drops the oldest without the token, so that silent clients lock no
    viewer out."""

    def __init__(self) -> None:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        spare = (limit - _RESERVED) // 2 if limit != resource.RLIM_INFINITY else MOST_CONNECTIONS
        self.most = max(8, min(MOST_CONNECTIONS, spare))
        self._clients: dict[ServerConnection, str] = {}  # of connections that are not viewers, oldest first
        self._with_token: set[ServerConnection] = set()
        self._viewers = 0

    @property
    def has_room(self) -> bool:
        """True if one more viewer leaves half of the connections for pages and refusals."""
        return self._viewers < min(MOST_VIEWERS, self.most // 2)

    def enter(self, connection: ServerConnection) -> None:
        client = str((connection.transport.get_extra_info("peername") or ("",))[0])
        if ":" in client and not client.startswith("::ffff:"):
            client = str(ipaddress.ip_network((client.partition("%")[0], 64), strict=False))  # one host has a whole /64
        self._clients[connection] = client
        connection.loop.call_later(TOKEN_DEADLINE, self._expire, connection)
        own = [one for one, whose in self._clients.items() if whose == client]
        if len(own) > MOST_PER_CLIENT:
            self._drop_oldest(own)
        elif len(self._clients) + self._viewers > self.most:
            self._drop_oldest(list(self._clients))

    def admit(self, connection: ServerConnection) -> None:
        """Notes that a request had the token."""
        self._with_token.add(connection)

    def begin_viewing(self, connection: ServerConnection) -> None:
        if self._clients.pop(connection, None) is not None:
            self._viewers += 1

    def leave(self, connection: ServerConnection) -> None:
        if self._clients.pop(connection, None) is None and connection in self._with_token:
            self._viewers -= 1
        self._with_token.discard(connection)

    def _expire(self, connection: ServerConnection) -> None:
        if connection in self._clients and connection not in self._with_token:
            self._drop(connection)

    def _drop_oldest(self, connections: list[ServerConnection]) -> None:
        self._drop(next((one for one in connections if one not in self._with_token), connections[0]))

    def _drop(self, connection: ServerConnection) -> None:
        self.leave(connection)
        connection.transport.abort()


class PageServer:
    """Serves from its own thread until `close`."""

    def __init__(self, address: tuple[str, int], files: dict[str, tuple[str, bytes]], handler: Handler) -> None:
        """address: host and port; port 0 takes a free one. files: path without its slash → type and bytes.

        OSError, one line, for a host that is not this machine's and a port that is in use.
        """
        self.token = secrets.token_urlsafe(18)
        self._handler = handler
        self._socket = _listen(*address)
        self.host, self.port = address[0], self._socket.getsockname()[1]
        self._names = _own_names(self.host)
        page = _HTML.replace("@", self.token).encode()
        self._files = {path: (kind, gzip.compress(body, 6, mtime=0)) for path, (kind, body) in {"": ("text/html", page), **files}.items()}
        self._viewers: set[_Viewer] = set()
        self._door = _Door()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="antaeus page", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """What opens the page, with its token."""
        host = _reachable(self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?token={self.token}"

    @property
    def viewers(self) -> int:
        """How many look now."""
        return len(self._viewers)

    def publish(self, frame: bytes | None, items: list[str | bytes]) -> None:
        """Hands on to all viewers; waits for none. From any thread."""
        if self._viewers and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._offer, frame, items)

    def _offer(self, frame: bytes | None, items: list[str | bytes]) -> None:
        for viewer in self._viewers:
            viewer.offer(frame, items)

    def close(self) -> None:
        """Says goodbye to the viewers and frees the port."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        # What strangers send is no business of this program's output.
        logger = logging.getLogger("antaeus.live.page_server")
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        self._loop.set_exception_handler(lambda loop, context: None)  # accept() without a free descriptor is repeated after a second
        server = await serve(self._talk, sock=self._socket, process_request=self._answer, max_size=MESSAGE_LIMIT, max_queue=4,
                             compression=None, open_timeout=10, ping_interval=20, ping_timeout=20, close_timeout=1, server_header=None,
                             logger=logger, create_connection=type("_Connection", (_Connection,), {"door": self._door}),
                             backlog=_ACCEPTED_AT_ONCE)
        await self._stop.wait()
        server.close()
        await server.wait_closed()

    # Requests ------------------------------------------------------------------------------------------------------------

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """None opens a socket; all else is answered here."""
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or _name_of(hosts[0]) not in self._names and not _is_numeric(_name_of(hosts[0])):
            return _refusal(http.HTTPStatus.MISDIRECTED_REQUEST,
                            "This machine is not known by that name: open the address that antaeus watch printed.")
        try:
            wanted = urllib.parse.urlsplit(request.path)
            given = urllib.parse.parse_qs(wanted.query, max_num_fields=8).get("token", [""])[0]
        except ValueError:
            return _refusal(http.HTTPStatus.BAD_REQUEST, "The address is no address.")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return _refusal(http.HTTPStatus.FORBIDDEN, "The address lacks its token: open the one that antaeus watch printed, as a whole.")
        self._door.admit(connection)
        if wanted.path == "/socket":
            if request.headers.get_all("Origin") != [f"http://{hosts[0]}"]:
                return _refusal(http.HTTPStatus.FORBIDDEN, "This page alone may open its socket.")
            if not self._door.has_room:
                return _refusal(http.HTTPStatus.SERVICE_UNAVAILABLE, f"{len(self._viewers)} viewers are connected already: close one.")
            self._door.begin_viewing(connection)
            return None
        file = self._files.get(wanted.path.removeprefix("/"))
        if file is None:
            return _refusal(http.HTTPStatus.NOT_FOUND, "There is nothing here.")
        kind, body = file
        headers = _headers(kind, body)
        headers["Content-Encoding"] = "gzip"
        headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src data:; "
            f"connect-src 'self' ws://{hosts[0]}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        return Response(200, "OK", headers, body)

    # Viewers -------------------------------------------------------------------------------------------------------------

    async def _talk(self, connection: ServerConnection) -> None:
        viewer = _Viewer(connection)
        viewer.offer(None, self._handler.greet())
        self._viewers.add(viewer)
        feeding = asyncio.ensure_future(viewer.feed())
        try:
            async for text in connection:
                problem = self._hear(viewer, text)
                if problem:
                    await connection.close(1008, problem)
                    break
        except ConnectionClosed:
            pass
        finally:
            self._viewers.discard(viewer)
            feeding.cancel()

    def _hear(self, viewer: _Viewer, text: str | bytes) -> str:
        """What is wrong with a message; empty: it was heard."""
        if not viewer.may_send():
            return "too many messages"
        try:
            message = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            return "a message is one JSON object"
        match message.get("kind"):
            case "history":
                viewer.offer(None, self._handler.greet())
            case "pause" if isinstance(message.get("on"), bool):
                viewer.paused = message["on"]
            case _:
                return self._handler.receive(message)
        return ""


def _headers(kind: str, body: bytes) -> Headers:
    return Headers({"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)), "Cache-Control": "no-store",
                    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
                    "Connection": "close"})


def _refusal(status: http.HTTPStatus, text: str) -> Response:
    body = f"{text}\n".encode()
    return Response(status.value, status.phrase, _headers("text/plain", body), body)


def _name_of(host: str) -> str:
    """A Host header without its port, in lower case."""
    try:
        return (urllib.parse.urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_numeric(host: str) -> bool:
    """An address in numbers, which no name server can point elsewhere."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _own_names(host: str) -> frozenset[str]:
    """Names under which this machine may be asked for the page."""
    names = {"localhost", host.lower()}
    if _name_of(f"[{host}]" if ":" in host else host) not in ("127.0.0.1", "localhost", "::1"):
        own = socket.gethostname().lower()
        names |= {own, own.split(".")[0], own.split(".")[0] + ".local"}
    return frozenset(names)


def _reachable(host: str) -> str:
    """What others call a host: of one that stands for all addresses of this machine, the one that it sends from."""
    if host not in ("0.0.0.0", "::", ""):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent, the system only chooses a way
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)  # accepted sockets have it too
        return listening
    except (OSError, OverflowError, UnicodeError) as error:
        shown = f"{host}:{port}"
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise OSError(f"page: port {port} of {host} is in use; give another: --serve {host}:{port + 1 if port < 65535 else 0}, "
                          "or port 0 for a free one") from None
        if isinstance(error, PermissionError):
            raise OSError(f"page: this user may not serve {shown}; give a port above 1023: --serve {host}:8765") from None
        raise OSError(f"page: {shown} is no address of this machine ({error}); --serve takes HOST:PORT, as 127.0.0.1:8765") from None
