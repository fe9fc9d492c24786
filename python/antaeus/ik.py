"""Inverse kinematics: joint positions that bring a frame to a target within the limits, or what prevents it."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
