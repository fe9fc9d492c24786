"""The message format "arrays": first a header that names channels and their widths, then each sample as float64 numbers, little-endian."""

import json
from collections.abc import Sequence

import numpy as np


def header(channels: Sequence[tuple[str, int]]) -> bytes:
    """The first message: channels by name, as a log's, and how many numbers each has."""
    return json.dumps({"channels": [list(channel) for channel in channels]}).encode()


def rows(parts: Sequence[np.ndarray]) -> memoryview:
    """Samples one behind the other, as bytes. parts: by channel [N] or [N × columns], in the header's order."""
    columns = [part.reshape(len(part), -1) for part in parts]
    return memoryview(np.ascontiguousarray(np.hstack(columns), "<f8").data).cast("B")
