"""The folder of a fleet: which of its entries fleet wrote, and the lock that keeps two runs from writing it at once."""

import contextlib
import os
import pathlib
import re
import sys
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from antaeus._terminal import say
from antaeus.fleet import schema
from antaeus.formats import ownership
from antaeus.formats.recording import FormatError

ATTEMPTS, SLURM = "attempts", "slurm"
_TABLE_FILE = re.compile(r"part-\d{5}\.parquet")
_REMEDY = "name another folder with --out, or move it away"


def table_schema(name: str) -> pa.Schema:
    """The columns of a table's files; the name of the folder holds the robot."""
    whole = schema.EPISODES if name == "episodes" else schema.TABLES[name]
    return pa.schema([field for field in whole if field.name != "robot"])


def own_files(table: pathlib.Path) -> list[str]:
    """Returns the files of a table's folder that finish wrote, relative to it: named as its files and with its columns."""
    names = table_schema(table.name).names
    found = []
    for robot in sorted(table.glob("robot=*")) if ownership.is_folder(table) else ():
        for file in sorted(robot.iterdir()) if ownership.is_folder(robot) else ():
            if _TABLE_FILE.fullmatch(file.name) and ownership.is_file(file) and _columns(file) == names:
                found.append(f"{robot.name}/{file.name}")
    return found


def _columns(file: pathlib.Path) -> list[str]:
    try:
        return list(pq.read_schema(file).names)
    except (pa.ArrowException, OSError):
        return []


def require_own_tables(place: pathlib.Path) -> None:
    """Raises FormatError for the first table's folder that holds files of the user's own instead of, or among, those of finish."""
    for name in (*schema.TABLES, "episodes"):
        table = place / name
        if not os.path.lexists(table):
            continue
        if not ownership.is_folder(table):
            raise FormatError(table, "exists and is not a table of fleet", _REMEDY)
        own = own_files(table)
        others = ownership.split_entries(table, own)[1]
        rows = [str(file.relative_to(table)) for file in sorted(table.rglob("*.parquet"))]
        foreign = sorted(set(rows) - set(own)) or (others if not own else [])
        if foreign:
            raise FormatError(table / foreign[0], "takes the path of a fleet table, and fleet did not write it", _REMEDY)


def require_own(place: pathlib.Path, has_plan: bool, root: str) -> None:
    """Raises FormatError for the first entry of DIR that has a name of fleet's and that fleet did not write."""
    plan, root_file = place / "plan.parquet", place / "root.txt"
    if os.path.lexists(plan) and not ownership.is_file(plan):
        raise FormatError(plan, "exists and is not a plan of fleet", _REMEDY)
    if os.path.lexists(root_file) and not (ownership.is_file(root_file) and (has_plan or root_file.read_bytes() == os.fsencode(root))):
        raise FormatError(root_file, "exists, and fleet did not write it", _REMEDY)
    for name in (ATTEMPTS, SLURM):
        if os.path.lexists(place / name) and not ownership.is_folder(place / name):
            raise FormatError(place / name, "exists and is not a folder of fleet", _REMEDY)
    require_own_tables(place)


@contextlib.contextmanager
def working_in(place: pathlib.Path) -> Iterator[None]:
    """Holds DIR for one run of fleet; a second one waits, and says so. DIR is made, and removed again if nothing was written."""
    made = not place.exists()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(place, f"cannot be written ({error.strerror})", "name another folder") from None
    waits = f"antaeus: {place}: another fleet is at work there; waiting for its end"
    try:
        with ownership.locked(place, lambda: say(waits, sys.stderr)):
            yield
    finally:
        if made:
            with contextlib.suppress(OSError):  # it holds results
                place.rmdir()
