"""Bytes of a stream that come in any pieces, made lines."""

from antaeus.live.addresses import MESSAGE_BYTES


class Lines:
    """Whole lines of what was fed so far; the rest waits for its end. A line of more than MESSAGE_BYTES is cut there, so that
    who takes messages refuses and counts it, and its remainder is dropped."""

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False  # the rest of the line belongs to one that was given already

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` ends, in order, without their ends and without blank ones."""
        *lines, rest = (self._rest + data).split(b"\n")
        if lines and self._too_long:
            lines, self._too_long = lines[1:], False
        if self._too_long:
            rest = b""
        elif len(rest) > MESSAGE_BYTES:
            lines, rest, self._too_long = [*lines, rest], b"", True
        self._rest = rest
        return [line[:MESSAGE_BYTES + 1].rstrip(b"\r") for line in lines if not line.isspace() and line]

    def end(self) -> list[bytes]:
        """The last line of a file, which may have no end."""
        last, self._rest, self._too_long = self._rest, b"", False
        return [] if not last.strip() else [last.rstrip(b"\r")]
