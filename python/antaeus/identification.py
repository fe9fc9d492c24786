"""Identification: what a robot's torques read while nothing touches it, from its logs, as a profile."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
