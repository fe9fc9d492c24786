"""Inverse kinematics by tasks: several things at once, the important ones first, between limits that hold."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
