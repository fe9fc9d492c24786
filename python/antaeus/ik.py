"""Inverse kinematics: several tasks by priority, between limits that hold."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
