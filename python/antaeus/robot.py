"""Robots: description, model, profile, dynamics, and the instant at which an observation was read."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
