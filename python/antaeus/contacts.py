"""Inverse dynamics through contacts: who carries a motion, with which torques, and what the motion does not tell.

The room is called `contact` in C++. Here that name belongs to the function, `antaeus.contact(…)`.
"""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
