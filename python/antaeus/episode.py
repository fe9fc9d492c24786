"""Recorded and synthetic episodes."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
