"""Inverses of matrices that stay bounded near singularities: in three tiers, or damped smoothly."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
