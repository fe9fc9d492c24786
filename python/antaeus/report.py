"""Logs as pages."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
