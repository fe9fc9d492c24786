"""The package's submodules: one a room of the C++ library's include folder."""

from typing import Any

from antaeus import _antaeus


def fill(module: dict[str, Any]) -> list[str]:
    """Gives a submodule the names that its room of C++ binds. They are listed there and nowhere else."""
    names = list(_antaeus._rooms[module["__name__"].rpartition(".")[2]])
    module.update({name: getattr(_antaeus, name) for name in names})
    module["__dir__"] = lambda: sorted(names)
    return names
