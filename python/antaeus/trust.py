"""How far an estimate can be trusted: reliability of torques, feasibility of wrenches, tests of causes."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
