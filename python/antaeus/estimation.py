"""The torque residual, the posterior of the wrenches that explain it, and its filter over time."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
