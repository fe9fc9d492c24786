"""What a consumer may use: the guarded estimator, its flight recorder, and the drop-in."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
