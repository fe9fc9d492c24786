"""A hidden folder beside results, as the C++ program makes it (src/io/scratch_folder.cpp): `.antaeus-` and sixteen hex digits, locked by
its owner. What a killed run left goes with the next run there, whichever of the two that is."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import re
import secrets
import shutil
from collections.abc import Iterator

_NAME = re.compile(r"\.antaeus-[0-9a-f]{16}")
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # Linux


def _open(folder: pathlib.Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def remove_orphans(place: pathlib.Path) -> None:
    """Removes the hidden folders in `place` whose owner is dead."""
    for entry in place.iterdir():
        if not _NAME.fullmatch(entry.name):
            continue
        with contextlib.suppress(OSError):
            lock = _open(entry)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(entry, ignore_errors=True)
            finally:
                os.close(lock)


@contextlib.contextmanager
def scratch_folder(place: pathlib.Path) -> Iterator[pathlib.Path]:
    """A folder in `place` that is gone afterwards. Raises OSError where none can be made."""
    remove_orphans(place)
    lock = None
    while lock is None:
        folder = place / f".antaeus-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        lock = _lock_own(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _lock_own(folder: pathlib.Path) -> int | None:
    """Locks the folder for its owner. Returns None if another run took it for an orphan before it could be locked."""
    try:
        lock = _open(folder)
    except FileNotFoundError:
        return None
    with contextlib.suppress(OSError):  # without locks no other run removes the folder
        fcntl.flock(lock, fcntl.LOCK_EX)
    with contextlib.suppress(OSError):
        if os.path.samestat(os.fstat(lock), os.lstat(folder)):
            return lock
    os.close(lock)
    return None


def exchange(made: pathlib.Path, out: pathlib.Path) -> bool:
    """Puts `made` in the place of `out`, and `out` in that of `made`, in one step. Whether the system can."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return rename(_AT_FDCWD, os.fsencode(made), _AT_FDCWD, os.fsencode(out), _RENAME_EXCHANGE) == 0
