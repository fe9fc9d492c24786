"""Sizes of disks as people write them: 10GB, 500 MB, plain bytes."""

import re

from antaeus.formats.recording import nearest

_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_TEXT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")


def parse_size(place: str, text: str) -> int:
    """Bytes of "10GB", "1.5 GiB" or "500000000"; units in any case. Raises ValueError, one line with the nearest unit."""
    found = _TEXT.fullmatch(text)
    if not found:
        raise ValueError(f"{place}: '{text}' is no size; write a number with a unit, as 10GB or 500MB")
    number, unit = found[1], found[2] or "B"
    known = {name.lower(): factor for name, factor in _UNITS.items()} | {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
    if unit.lower() not in known:
        raise ValueError(f"{place}: unknown unit '{unit}'; {nearest(unit, list(_UNITS)) or 'write ' + ', '.join(_UNITS)}")
    size = round(float(number) * known[unit.lower()])
    if size <= 0:
        raise ValueError(f"{place}: '{text}' keeps nothing; leave --record away, or give at least some MB")
    return size


def size_text(size: float) -> str:
    """In the unit in which it has one to three digits before the point: "9.3 GB"."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
