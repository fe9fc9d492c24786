"""Simulation in MuJoCo: scenes, the robot of a scene, a plant to control, and pictures of it."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
