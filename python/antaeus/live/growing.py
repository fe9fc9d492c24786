"""A folder of .npy files that grows, and that is whole whenever its writer is killed.

A .npy states its rows in its head, so that files which grow in place are torn for a moment at each growth: rows behind those that the head
counts, or channels of different length, which no reader takes. Here a second folder, hidden, is brought up to date first, and then both
change places in one step. What stands under the name is thus never written to: any tool opens it, at any moment. It costs each number twice
in the folder that is being written, and nothing afterwards.
"""

import contextlib
import errno
import json
import os
import pathlib
import typing

import numpy as np

from antaeus.formats import ownership
from antaeus.formats.scratch import exchange, scratch_folder
from antaeus.formats.writing import HEAD_BYTES, npy_head

Rows = dict[str, np.ndarray]
"""Arrays of one length by the name of their file, without its ending; "said/wrench" lies in a folder of its own."""


class _Twin:
    """One of the two folders."""

    def __init__(self, folder: pathlib.Path, like: Rows, texts: dict[str, str]) -> None:
        self._like = {name: array[:0] for name, array in like.items()}
        self._files: dict[str, typing.BinaryIO] = {}
        self.rows = 0
        folder.mkdir()
        for within in {pathlib.PurePath(name).parent for name in like if "/" in name}:
            (folder / within).mkdir()
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        try:
            for name in like:
                self._files[name] = open(folder / f"{name}.npy", "w+b", buffering=0)
            self._write_heads()
        except OSError:
            self.close()
            raise

    def _write_heads(self) -> None:
        for name, file in self._files.items():
            like = self._like[name]
            file.seek(0)
            _write_all(file, npy_head((self.rows, *like.shape[1:]), like.dtype.str))

    def add(self, batches: list[Rows]) -> None:
        """Raises OSError; then it is as it was, or unusable and never shown again."""
        count = sum(len(next(iter(rows.values()))) for rows in batches)
        for name, file in self._files.items():
            file.seek(HEAD_BYTES + self.rows * self.row_bytes(name))
            for rows in batches:
                _write_all(file, np.ascontiguousarray(rows[name], self._like[name].dtype).data.cast("B"))
        self.rows += count
        self._write_heads()

    def row_bytes(self, name: str) -> int:
        like = self._like[name]
        return int(like.dtype.itemsize * np.prod(like.shape[1:], dtype=int))

    def bytes(self) -> int:
        return sum(allocated(os.fstat(file.fileno())) for file in self._files.values())

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def allocated(entry: os.stat_result) -> int:
    """Bytes that a file or folder takes on its disk; not less than its length, since some file systems count blocks late."""
    return max(entry.st_size, 512 * entry.st_blocks)


def _write_all(file: typing.BinaryIO, data: typing.Any) -> None:
    """A raw file may take a part of what it is given, where the disk fills or a limit is near."""
    view = memoryview(data)
    while len(view):
        view = view[file.write(view):]


class GrowingFolder:
    """`add` rows to it; `close` at the end. One thread."""

    def __init__(self, place: pathlib.Path, first: Rows, texts: dict[str, str] | None = None) -> None:
        """Makes `place` with these rows [at least one]; their types and shapes are those of all that follow. Raises OSError."""
        self.place = place
        self._end = contextlib.ExitStack()
        self._own = [*(f"{name}.npy" for name in first), *(texts or {})]
        shown = False
        try:
            hidden = self._end.enter_context(scratch_folder(place.parent)) / "next"
            self._shown = _Twin(hidden, first, texts or {})
            self._end.callback(self._shown.close)
            self._shown.add([first])
            os.rename(hidden, place)
            shown = True
            self._hidden_at = hidden
            self._hidden = _Twin(hidden, first, texts or {})
            self._end.callback(lambda: self._hidden.close())
        except BaseException:
            self._end.close()
            if shown:
                ownership.remove(place, self._own)
            raise
        self._behind: list[Rows] = [first]  # what the hidden folder lacks

    @property
    def rows(self) -> int:
        """That whoever opens the folder now sees."""
        return self._shown.rows

    def bytes(self) -> int:
        """Of both folders."""
        return self._shown.bytes() + self._hidden.bytes()

    def add(self, rows: Rows) -> None:
        """Raises OSError where there is no room: the folder stays as it was, and takes no more rows."""
        self._hidden.add([*self._behind, rows])
        if not ownership.is_folder(self.place):
            raise OSError(errno.ENOTDIR, f"{self.place.name} was removed or replaced by someone else")
        self._link_others()
        if not exchange(self._hidden_at, self.place):
            # A file system without that step: a kill between these two leaves the rows in the hidden folder alone.
            aside = self._hidden_at.with_name("before")
            os.rename(self.place, aside)
            os.rename(self._hidden_at, self.place)
            os.rename(aside, self._hidden_at)
        self._return_others()
        self._shown, self._hidden = self._hidden, self._shown
        self._behind = [rows]

    def _link_others(self) -> None:
        """Gives files that the user put into the folder a second name in the hidden one, so that a kill does not take them along."""
        for name in ownership.split_entries(self.place, self._own)[1]:
            with contextlib.suppress(OSError):  # a folder has no second name; it comes back after the exchange
                os.link(self.place / name, self._hidden_at / name, follow_symlinks=False)

    def _return_others(self) -> None:
        """Leaves the user's files in the folder alone: the hidden one is removed at the end."""
        for name in ownership.split_entries(self._hidden_at, self._own)[1]:
            with contextlib.suppress(OSError):
                if os.path.lexists(self.place / name) and os.path.samestat(os.lstat(self.place / name), os.lstat(self._hidden_at / name)):
                    os.unlink(self._hidden_at / name)
                else:
                    os.replace(self._hidden_at / name, self.place / name)

    def close(self) -> None:
        """Removes the hidden folder; what is shown stays as it is."""
        if ownership.is_folder(self._hidden_at):
            self._return_others()
        self._end.close()


def write_text(file: pathlib.Path, text: str) -> None:
    """Whole or not at all. Raises OSError."""
    with scratch_folder(file.parent) as scratch:
        made = scratch / "made"
        made.write_text(text, encoding="utf-8")
        os.replace(made, file)


def json_text(value: typing.Any) -> str:
    """As files of this project have it: keys in their order, numbers as Python prints them, no NaN."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
