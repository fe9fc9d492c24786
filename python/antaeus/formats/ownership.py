"""Files and folders of earlier runs: recognised by their content, never by name alone. Only these are replaced or removed.

A link is never followed and never removed: it belongs to the user. src/io/own_results.cpp applies the same rule in C++.
"""

import contextlib
import errno
import fcntl
import json
import os
import pathlib
import shutil
import stat
import threading
import typing
from collections.abc import Callable, Collection, Iterator

from antaeus.formats.scratch import exchange

_LARGEST_MARK = 4 << 20  # bytes of a JSON file that is read for its schema
_MOST_LINKED = 64  # files of the user that get a second name before two folders are exchanged
# The head of a page (src/report/page_html.cpp), and that of earlier releases.
_PAGE_HEADS = (b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="Antaeus">',
               b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
               b'<meta name="color-scheme" content="light dark"><title>')

_held = threading.local()


def is_folder(path: pathlib.Path) -> bool:
    """True if `path` is a folder, and not a link to one."""
    return _kind(path) == stat.S_IFDIR


def is_file(path: pathlib.Path) -> bool:
    """True if `path` is a regular file, and not a link to one."""
    return _kind(path) == stat.S_IFREG


def _kind(path: pathlib.Path) -> int:
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except OSError:
        return 0


def read_mark(file: pathlib.Path, schema: str) -> dict[str, typing.Any] | None:
    """Returns the object in a JSON file whose "schema" begins with `schema`; None for any other file."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if is_file(file) and file.stat().st_size <= _LARGEST_MARK:
            value = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(value, dict) and str(value.get("schema", "")).startswith(schema):
                return value
    return None


def is_own_file(file: pathlib.Path) -> bool:
    """True if the content of a page (.html) or of a JSON file shows that Antaeus wrote it."""
    if file.suffix == ".html" and is_file(file):
        with contextlib.suppress(OSError), open(file, "rb") as stream:
            return stream.read(max(map(len, _PAGE_HEADS))).startswith(_PAGE_HEADS)
    return read_mark(file, "antaeus.") is not None


def require_own(files: Collection[pathlib.Path], remedy: str) -> None:
    """Raises FormatError, one line, for the first file that exists and is not a result of Antaeus."""
    from antaeus.formats.recording import FormatError

    for file in files:
        if os.path.lexists(file) and not is_own_file(file):
            raise FormatError(file, "exists and is not a result of Antaeus", f"{remedy}, or move it away")


def split_entries(folder: pathlib.Path, own: Collection[str], within: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Returns the files of `own` that exist in `folder`, and all other entries, as paths relative to it.

    Folders are listed as far as a path of `own` or `within` leads through them; any other folder is one entry.
    """
    through = {str(parent) for name in (*own, *within) for parent in pathlib.PurePosixPath(name).parents}
    mine: list[str] = []
    others: list[str] = []
    waiting = ["."]
    while waiting:
        place = waiting.pop()
        for entry in sorted(os.listdir(folder / place)):
            name = entry if place == "." else f"{place}/{entry}"
            if name in through and is_folder(folder / name):
                waiting.append(name)
            else:
                (mine if name in own and is_file(folder / name) else others).append(name)
    return mine, others


def remove(folder: pathlib.Path, own: Collection[str]) -> bool:
    """Removes the files `own` of a folder in their order, and the folder if nothing else is in it. Returns True if it is gone."""
    if not is_folder(folder):
        return False
    mine, _ = split_entries(folder, own)
    for name in own:
        if name in mine:
            with contextlib.suppress(OSError):
                os.unlink(folder / name)
    _remove_empty(folder, own)
    with contextlib.suppress(OSError):
        os.rmdir(folder)
    return not os.path.lexists(folder)


def _remove_empty(folder: pathlib.Path, own: Collection[str]) -> None:
    for place in sorted({str(parent) for name in own for parent in pathlib.PurePosixPath(name).parents} - {"."}, reverse=True):
        if is_folder(folder / place):
            with contextlib.suppress(OSError):
                os.rmdir(folder / place)


def replace_folder(made: pathlib.Path, out: pathlib.Path, own_files: Callable[[], Collection[str]], first: str = "") -> None:
    """Puts the folder `made` in the place of `out`: the files `own_files()` go, everything else in `out` stays.

    One exchange of two folders where that is possible; otherwise file by file, beginning with `first`. Two that replace one folder take
    turns. Raises FileExistsError that names a file of the user with a name of the new ones, and OSError.
    """
    while not os.path.lexists(out):
        try:
            os.rename(made, out)
            return
        except OSError as error:  # someone else has made it meanwhile
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
    if not is_folder(out):
        raise FileExistsError(errno.EEXIST, "is not a folder", str(out))
    with locked(out):
        _replace(made, out, own_files(), first)


def _replace(made: pathlib.Path, out: pathlib.Path, own: Collection[str], first: str) -> None:
    new = sorted((str(file.relative_to(made)) for file in made.rglob("*") if file.is_file()), key=lambda name: (name != first, name))
    mine, others = split_entries(out, own, new)
    for name in others:
        if any(name == file or file.startswith(f"{name}/") for file in new):
            raise FileExistsError(errno.EEXIST, "is not a result of Antaeus", str(out / name))
    if _may_be_exchanged(out) and _link_into(out, others, made) and exchange(made, out):
        for name in split_entries(made, mine)[1]:  # written since the links were made
            if not (os.path.lexists(out / name) and os.path.samestat(os.lstat(out / name), os.lstat(made / name))):
                os.replace(made / name, out / name)
        return
    for name in set(mine) - set(new):
        os.unlink(out / name)
    _remove_empty(out, mine)
    for name in new:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(made / name, out / name)


def _may_be_exchanged(out: pathlib.Path) -> bool:
    """False for the working directory, which would be left in the former folder, and for a folder of another user."""
    here = os.stat(".")
    there = os.lstat(out)
    return there.st_uid == os.geteuid() and not os.path.samestat(here, there)


def _link_into(out: pathlib.Path, others: Collection[str], made: pathlib.Path) -> bool:
    """Gives the user's files a second name in the new folder: at no time are they in the old one only."""
    if len(others) > _MOST_LINKED or any(is_folder(out / name) for name in others):
        return False
    try:
        shutil.copymode(out, made)
        for name in others:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(out / name, made / name, follow_symlinks=False)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def locked(folder: pathlib.Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Holds an exclusive lock of a folder that exists; within it the same thread may take it again. `waiting` is called before a wait.

    Where the file system has no locks there is none (docs/reference/guarantees.md).
    """
    held: dict[tuple[int, int], int] = _held.__dict__.setdefault("depth", {})
    while True:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        status = os.fstat(handle)
        key = (status.st_dev, status.st_ino)
        try:
            if not held.get(key):
                _lock(handle, waiting)
            if os.path.samestat(status, os.stat(folder)):
                break
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # another folder has its name by now
    try:
        held[key] = held.get(key, 0) + 1
        try:
            yield
        finally:
            held[key] -= 1
    finally:
        os.close(handle)


def _lock(handle: int, waiting: Callable[[], None]) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        return
