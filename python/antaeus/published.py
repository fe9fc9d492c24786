"""What others published and deployed: pinv(Jᵀ)(τ − g), its stacked variant, and the chain of guards."""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
