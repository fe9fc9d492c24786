"""Many states at once: torques, residuals, wrenches and singular values of whole logs, in blocks on all cores.

The room is called `replay` in C++. Here that name belongs to the function, `antaeus.replay(…)`.
"""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
