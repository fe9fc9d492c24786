"""What a replay returns."""

import typing


class ReplayResults(dict):
    """Arrays by name, with what their numbers are."""

    #: antaeus.Sign: whose wrenches `wrench` and `posterior` are.
    sign: typing.Any
    #: Result → antaeus.ResidualKind that it is formed of: `static` (gravity) or `inverse_dynamics`.
    formed_of: dict

    def __init__(self, arrays=(), *, sign=None, formed_of=()):
        super().__init__(arrays)
        self.sign = sign
        self.formed_of = dict(formed_of)

    def __repr__(self):
        shapes = ", ".join(f"{name} [{' × '.join(map(str, getattr(array, 'shape', ())))}]" for name, array in self.items())
        return f"ReplayResults({self.sign}: {shapes})"
