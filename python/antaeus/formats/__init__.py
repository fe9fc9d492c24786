"""Recordings in the formats that people have: read, mapped, written as an episode."""

import dataclasses
import importlib
import pathlib
import types
from collections.abc import Callable, Iterator

from antaeus.formats.recording import Block, Budget, FormatError, Recording, UnreadableError, Wishes, nearest

# Readers, asked in this order whether a recording is theirs, and what of the user's choices each can use.
READERS = {"bags": ("topic", "clock"), "hdf5": ("topic", "episode", "rate"), "lerobot": ("episode", "rate"), "rtde_csv": ("rate",),
           "libfranka_csv": ("rate",), "plotjuggler_csv": ("topic", "clock", "rate"), "unitree_json": ("episode", "rate")}
_FORMS = "a ROS bag (.bag, .db3 or its folder), .mcap, .hdf5, a LeRobot dataset, a csv of RTDE, libfranka or PlotJuggler, or Unitree's data.json"


def _reader(path: pathlib.Path) -> types.ModuleType | None:
    for name in READERS:
        module = importlib.import_module(f"antaeus.formats.{name}")
        if module.recognises(path):
            return module
    return None


def recognises(path: str | pathlib.Path) -> bool:
    """Whether a file or folder is a recording that is converted before it is read; else it is a log as it stands, or nothing."""
    return _reader(pathlib.Path(path)) is not None


def _metered(blocks: Callable[[], Iterator[Block]], budget: Budget) -> Callable[[], Iterator[Block]]:
    """Blocks whose rows are counted: what is written of a recording is bounded, whichever reader gives them."""

    def metered() -> Iterator[Block]:
        rows = budget.counter("its rows take")
        for block in blocks():
            rows.spend(block.time.nbytes + sum(values.nbytes for values in block.values.values()))
            yield block

    return metered


def open_recording(path: str | pathlib.Path, wishes: Wishes = Wishes()) -> Recording:
    """Opens a recording; `wishes` are applied by `mapping.apply`, the choices among topics and episodes here.

    Raises FormatError, one line: not there, no recording, damaged, without joints, or with several that could be meant.
    """
    path = pathlib.Path(path)
    if not path.exists():
        beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FormatError(path, "no such recording", nearest(path.name, beside) or "give " + _FORMS)
    module = _reader(path)
    if module is None:
        raise FormatError(path, "not a recording that convert can read", "give " + _FORMS)
    budget = Budget(path, wishes.max_expansion)
    if path.is_file():
        budget.add_input(path)
    wishes = dataclasses.replace(wishes, budget=budget)
    try:
        recording = module.open_recording(path, wishes)
    except PermissionError:
        raise UnreadableError(path, "cannot be read (permission denied)", "check its permissions") from None
    recording.name = path.name
    recording.blocks = _metered(recording.blocks, budget)
    for name in ("topic", "clock", "episode", "rate"):
        if getattr(wishes, name) is not None and name not in READERS[module.__name__.rpartition(".")[2]]:
            recording.notes.append(f"the {name} that you name is not used: a {recording.format} has none to choose")
    return recording
