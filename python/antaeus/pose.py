"""What a pose lets torques tell, where to move the arm instead, and the pre-flight."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
