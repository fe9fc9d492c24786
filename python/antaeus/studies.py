"""Named runs in simulation, measured against their criteria: what `antaeus simulate` runs."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
