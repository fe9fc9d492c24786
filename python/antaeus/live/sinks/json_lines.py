"""A message as one line of JSON that names its topic: what standard output, udp:// and tcp:// send."""

import functools
import json


@functools.cache
def _beginning(topic: str) -> bytes:
    return b'{"topic": ' + json.dumps(topic).encode()


def json_line(topic: str, payload: bytes) -> bytes:
    """`payload`, a JSON object, with its topic as first key, on one line."""
    body = payload.strip()[1:].lstrip().replace(b"\n", b" ")
    return _beginning(topic) + (b"" if body == b"}" else b", ") + body + b"\n"
