"""Controllers: a tool's state once a cycle, and torques or references that give way to a push, or hold against it."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
