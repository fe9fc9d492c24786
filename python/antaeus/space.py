"""Free-flying robots: the coordinated map of a base and its arm, its dynamics, and where to begin."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
