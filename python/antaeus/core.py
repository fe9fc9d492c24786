"""What all rooms share: observation, wrench and its estimate, pose, status, verdict, errors, settings."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
