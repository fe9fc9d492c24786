"""Text for a terminal: names in files and networks must not steer it."""

import re
import typing

# As is_steering() of src/core/utf8.cpp, and bytes of names that are not UTF-8.
_STEERING = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object) -> str:
    """Returns the text on one line, with what would steer a terminal or deceive its reader as \\xNN or \\uNNNN, as C++ does."""
    return _STEERING.sub(_escaped, str(text))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    byte = code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code
    return f"\\x{byte:02x}" if byte < 0x100 else f"\\u{code:04x}"


def say(line: object, file: typing.Any = None) -> None:
    """Prints one line."""
    print(printable(line), file=file, flush=True)


def unescaped(stream: typing.Any) -> typing.Any:
    """Returns the stream on which this program itself may move the cursor."""
    return getattr(stream, "unescaped", stream)


class Escaping:
    """A stream of text that writes ends of lines and nothing else that steers. Its escapes are also those of JSON."""

    def __init__(self, stream: typing.Any) -> None:
        self.unescaped = stream

    def write(self, text: str) -> int:
        """Writes the text. Returns its length."""
        self.unescaped.write(_STEERING.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text))
        return len(text)

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self.unescaped, name)
