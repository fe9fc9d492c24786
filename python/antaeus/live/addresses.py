"""Addresses of sources and sinks, `scheme://place?option=value`: taken apart, checked, and what is wrong said in one line."""

import dataclasses
import errno
import importlib
import os
import types
import urllib.parse

from antaeus._terminal import printable
from antaeus.formats.recording import FormatError, nearest

MESSAGE_BYTES = 1 << 16  # of one message, at most: what LiveEstimator takes; a datagram cannot hold more
ADDRESS_CHARACTERS = 1024
LOOPBACK = "127.0.0.1"
_ENDINGS_OF_LOGS = (".csv", ".npz", ".parquet", ".mcap", ".bag", ".db3", ".hdf5", ".h5")


def library(name: str, place: object) -> types.ModuleType:
    """A library of the extra [live]. Raises FormatError with the line that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = {"zenoh": "eclipse-zenoh"}.get(name.partition(".")[0], name.partition(".")[0])
        why = "" if isinstance(error, ModuleNotFoundError) else f", which does not load ({error})"
        raise FormatError(place, f"needs the Python package {package}{why}", "pip install 'antaeus[live]'") from None


@dataclasses.dataclass(frozen=True)
class Address:
    """Of a source or sink. `text` is the whole, for messages."""

    text: str
    scheme: str  # "-" for standard input and output
    place: str  # what stands behind ://, without options
    options: dict[str, str]

    def wrong(self, problem: str, remedy: str) -> FormatError:
        """The error to raise for it."""
        return FormatError(self.text, problem, remedy)

    def require_options(self, known: tuple[str, ...]) -> None:
        """Raises FormatError for an option that the scheme does not have."""
        for name in self.options:
            if name not in known:
                hint = nearest(name, known) or ("options are " + ", ".join(known) if known else "it takes no options")
                raise self.wrong(f"unknown option '{name}'", hint)

    def choice(self, name: str, choices: tuple[str, ...]) -> str | None:
        """The value of an option that is one of several words; None where it is not given."""
        value = self.options.get(name)
        if value is not None and value not in choices:
            raise self.wrong(f"{name}={value} is invalid", nearest(value, choices) or "write " + " or ".join(choices))
        return value

    def host_and_port(self, host: str | None = LOOPBACK) -> tuple[str, int]:
        """[HOST:]PORT; `host` stands in for one that is not given, and None asks for it."""
        given, _, port = self.place.rpartition(":")
        given = given.removeprefix("[").removesuffix("]") or (host or "")
        if not given or "/" in given or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 65536:
            form = "HOST:PORT" if host is None else "[HOST:]PORT"
            raise self.wrong("names no port", f"write {self.scheme}://{form} with a port from 1 to 65535")
        return given, int(port)


def plain(name: str) -> str:
    """A name that came over the network, for a terminal: no more than 120 characters, each of which can be printed."""
    return printable(name[:120])


def port_problem(address: Address, what: str, error: OSError) -> FormatError:
    """The error for a port that is in use, or an address that is none of this machine's."""
    in_use = error.errno == errno.EADDRINUSE
    remedy = "another process has the port: end it, or take another" if in_use else "name an address of this machine"
    return address.wrong(f"{what} ({error.strerror or error})", remedy)


def parse_address(text: str, schemes: tuple[str, ...], what: str) -> Address:
    """Takes an address of a source or sink apart (`what` of the two, for messages).

    Raises FormatError: too long, no address, a scheme that is none of `schemes` (with the nearest), an option twice.
    """
    if len(text) > ADDRESS_CHARACTERS or not text.isprintable():
        raise FormatError(f"the {what}'s address", "is too long or holds what cannot be printed", "give it as docs/guide/live.md shows")
    if text == "-":
        return Address(text, "-", "", {})
    scheme, mark, rest = text.partition("://")
    forms = ", ".join("-" if each == "-" else f"{each}://" for each in schemes)
    if not mark:
        is_log = "log" in schemes and (os.path.exists(text) or text.lower().endswith(_ENDINGS_OF_LOGS))
        remedy = f"to play a log back, write log://{text}" if is_log else f"addresses are {forms} (docs/guide/live.md)"
        raise FormatError(text, f"is no address of a {what}", remedy)
    if scheme not in schemes or scheme == "-":
        raise FormatError(text, f"no {what} is called {scheme}://", nearest(scheme, schemes) or f"addresses are {forms}")
    place, _, query = rest.partition("?")
    options: dict[str, str] = {}
    for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True):
        if name in options:
            raise FormatError(text, f"the option '{name}' stands twice", "give it once")
        options[name] = value
    return Address(text, scheme, place, options)
