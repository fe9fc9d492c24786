"""Forces between a robot and the world, and how far each number can be trusted.

The names are those of the C++ library: what is a function there is a function here, what is a field there is an
attribute here. SI units; frames are in the names (J_WF_W: the Jacobian of F's origin in W's axes); linear part before
angular part; quaternions x y z w. `Sign` says who exerts a wrench on whom.

Each name is here and in the submodule of its kind: `antaeus.PosteriorEstimator` is
`antaeus.estimation.PosteriorEstimator`.

Functions return new arrays. Attributes that are arrays are read-only. Bad input to `Dynamics` raises `StatusError`;
estimators never raise: their results carry a status, a verdict and reasons, and NaN where nothing is known.
"""

import importlib.machinery
import sys
import types

from antaeus import _installation
from antaeus._installation import cmake_prefix as cmake_prefix

_installation.warn_of_untried()
try:
    from antaeus import _antaeus
except ImportError as error:
    raise _installation.explain_import(error) from None
from antaeus import _values
from antaeus._antaeus import *  # noqa: F403
from antaeus._antaeus import __version__ as __version__
from antaeus._convert import Converted as Converted
from antaeus._convert import convert as convert

for _own in (cmake_prefix, convert, Converted):
    _own.__module__ = "antaeus"
__all__ = ["Converted", "cmake_prefix", "convert", *(name for _, names in _antaeus._rooms.values() for name in names)]


def _make_room(name: str, doc: str, names: tuple[str, ...]) -> types.ModuleType:
    """The submodule of a room: its docstring and names stand in C++ (python/bindings/antaeus.cpp) and nowhere else."""
    room = types.ModuleType(f"antaeus.{name}", doc)
    room.__spec__ = importlib.machinery.ModuleSpec(room.__name__, None, origin=_antaeus.__file__)
    room.__package__ = "antaeus"
    room.__dict__.update({each: getattr(_antaeus, each) for each in names}, __all__=list(names),
                         __dir__=lambda: sorted(names))
    sys.modules[room.__name__] = room
    return room


globals().update({name: _make_room(name, *rest) for name, rest in _antaeus._rooms.items()})
_values.complete()

_RENAMED_ROOMS = ("conditioning", "experiments", "guard")
_RENAMED = {
    "ContactEquation": "it is InstantReader now, whose at(observation) gives an Instant",
    "LoneMove": "it is SingleJointMove now",
}


def __dir__() -> list[str]:
    return sorted([*__all__, *_antaeus._rooms, "__version__"])


def __getattr__(name: str) -> object:
    if name in _RENAMED_ROOMS:
        return importlib.import_module(f"antaeus.{name}")
    hint = f"; {_RENAMED[name]}" if name in _RENAMED else ""
    raise AttributeError(f"module 'antaeus' has no attribute {name!r}{hint}", name=name)
