"""A recording written as an episode: a folder of .npy files, or one Parquet file. Whole, or not at all."""

import contextlib
import csv
import dataclasses
import json
import os
import pathlib
from collections.abc import Callable

import numpy as np

from antaeus.formats import ownership
from antaeus.formats.recording import BLOCK_ROWS, UNKNOWN, Channel, FormatError, Recording, library
from antaeus.formats.scratch import scratch_folder

# What load_episode reads beside the .npy files of a folder that was converted: names of columns, and what is known of them.
COLUMNS_FILE = "channels.csv"
NOTES_FILE = "notes.txt"
_COLUMNS_HEAD = ["channel", "column", "name", "unit", "stage", "gravity", "sign", "source"]
_NOTES_HEAD = "converted from a "
HEAD_BYTES = 128  # of a .npy file here


def npy_head(shape: tuple[int, ...], kind: str = "<f8") -> bytes:
    """The head of format version 1.0, always as long, so that it can be written again when the rows are counted."""
    extents = "".join(f"{extent}, " for extent in shape).rstrip(" " if len(shape) == 1 else ", ")
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({extents}), }}"
    return b"\x93NUMPY\x01\x00" + (HEAD_BYTES - 10).to_bytes(2, "little") + text.ljust(HEAD_BYTES - 11).encode() + b"\n"


@dataclasses.dataclass(frozen=True)
class Written:
    """What became of a recording."""

    rows: int
    start: int  # nanoseconds of the recording's clock at which time is 0
    duration: float  # [s]
    rate: float  # [1/s], by the median step; NaN with one row
    channels: tuple[Channel, ...]  # those that hold a number


class FolderSink:
    """One .npy file a channel, written as rows come; beside them COLUMNS_FILE and NOTES_FILE."""

    def __init__(self, folder: pathlib.Path, channels: tuple[Channel, ...]) -> None:
        self._folder = folder
        self._widths = {channel.name: len(channel.columns) for channel in channels}
        self._files = {name: open(folder / f"{name}.npy", "w+b") for name in ["time", *self._widths]}
        self._rows = 0
        for name, file in self._files.items():
            file.write(self._head(name))

    def _head(self, name: str) -> bytes:
        return npy_head((self._rows,) if name == "time" else (self._rows, self._widths[name]))

    def add(self, time: np.ndarray, values: dict[str, np.ndarray]) -> None:
        self._rows += len(time)
        self._files["time"].write(np.ascontiguousarray(time, "<f8"))
        for name in self._widths:
            self._files[name].write(np.ascontiguousarray(values[name], "<f8"))

    def finish(self, kept: tuple[Channel, ...], notes: list[str], start: int, clock: str) -> None:
        for name, file in self._files.items():
            file.seek(0)
            file.write(self._head(name))
            file.close()
        for name in set(self._widths) - {channel.name for channel in kept}:
            (self._folder / f"{name}.npy").unlink()
        with open(self._folder / COLUMNS_FILE, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(_COLUMNS_HEAD)
            table.writerow(["time", 0, "time", "s", f"0 is {start} ns", UNKNOWN, UNKNOWN, clock])
            for channel in kept:
                for place, column in enumerate(channel.columns):
                    table.writerow([channel.name, place, column, channel.unit, channel.stage, channel.gravity, channel.sign,
                                    channel.source])
        (self._folder / NOTES_FILE).write_text("".join(note + "\n" for note in notes), encoding="utf-8")

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def _to_parquet(folder: pathlib.Path, file: pathlib.Path, kept: tuple[Channel, ...], notes: list[str], start: int,
                clock: str) -> None:
    """The arrays of a folder as one table, a column a joint or axis (tau_<joint>); what is known of them is metadata."""
    arrow, parquet = library("pyarrow", file), library("pyarrow.parquet", file)
    fields = [arrow.field("time", arrow.float64(), metadata={"unit": "s"})]
    fields += [arrow.field(f"{channel.name}_{column}", arrow.float64(),
                           metadata={name: getattr(channel, name) for name in ("unit", "stage", "gravity", "sign", "source")})
               for channel in kept for column in channel.columns]
    known = {"start_ns": start, "clock": clock, "notes": notes}
    schema = arrow.schema(fields, metadata={"antaeus": json.dumps(known, ensure_ascii=False)})
    widths = [1, *(len(channel.columns) for channel in kept)]
    with contextlib.ExitStack() as files, parquet.ParquetWriter(file, schema, compression="snappy") as writer:
        streams = [files.enter_context(open(folder / f"{name}.npy", "rb")) for name in ("time", *(channel.name for channel in kept))]
        for stream in streams:
            stream.seek(HEAD_BYTES)
        while True:
            # Not mapped: pages of a file that is mapped stay in memory.
            parts = [np.fromfile(stream, "<f8", BLOCK_ROWS * width).reshape(-1, width) for stream, width in zip(streams, widths)]
            if len(parts[0]) == 0:
                return
            columns = [np.ascontiguousarray(part[:, place]) for part in parts for place in range(part.shape[1])]
            writer.write_batch(arrow.record_batch([arrow.array(column) for column in columns], schema=schema))


def write(recording: Recording, out: pathlib.Path, progress: Callable[[float], None] = lambda share: None,
          source: pathlib.Path | None = None) -> Written:
    """Reads all of `recording`, which lies in `source`, and writes it to `out`: a Parquet file where its name ends so, else a
    folder.

    Files that convert wrote are replaced; everything else in the folder stays. Raises FormatError where another file has the place of a
    new one, or `out` cannot be written; nothing is left half-written.
    """
    require_replaceable(out, source)
    named = out
    if out.suffix != ".parquet":
        out = out.resolve()  # a link to a folder stays, and the folder that it names gets the files
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        scratch = contextlib.ExitStack()
        beside = scratch.enter_context(scratch_folder(out.parent))
    except OSError as error:
        raise FormatError(named, f"cannot be written ({error.strerror})", "name a writable path") from None
    with scratch:
        try:
            made = beside / "made"
            made.mkdir()
            with contextlib.closing(FolderSink(made, recording.channels)) as sink:
                written = _pour(recording, sink, named, progress)
            if out.suffix == ".parquet":
                table = beside / "table"
                _to_parquet(made, table, written.channels, _notes(recording), written.start, recording.clock)
            if out.suffix == ".parquet":
                require_replaceable(out, source)
                os.replace(table, out)
            else:
                ownership.replace_folder(made, out, lambda: _replaceable_files(out, source), COLUMNS_FILE)
            return written
        except FileExistsError as error:
            raise FormatError(error.filename, "exists, and convert did not write it", "name another folder, or move it away") from None
        except OSError as error:
            raise FormatError(named, f"cannot be written ({error.strerror})", "free disk space, or name another path") from None


def _pour(recording: Recording, sink: FolderSink, place: pathlib.Path, progress: Callable[[float], None]) -> Written:
    rows, start, last = 0, 0, 0
    filled = dict.fromkeys((channel.name for channel in recording.channels), False)
    steps = np.empty(0, np.int64)
    for block in recording.blocks():
        if rows == 0:
            start = int(block.time[0]) if len(block.time) else 0
        if len(block.time) == 0:
            continue
        if len(steps) < 100_000:
            steps = np.concatenate([steps, np.diff(block.time)])
        values = {}
        for channel in recording.channels:
            values[channel.name] = block.values.get(channel.name, np.full((len(block.time), len(channel.columns)), np.nan))
            filled[channel.name] |= bool(np.isfinite(values[channel.name]).any())
        sink.add((block.time - start) / 1e9, values)
        rows, last = rows + len(block.time), int(block.time[-1])
        progress(min(recording.done() / max(recording.bytes, 1), 1.0))
    kept = tuple(channel for channel in recording.channels if filled[channel.name])
    for channel in recording.channels:
        if channel not in kept:
            recording.notes.append(f"{channel.name} ({channel.source}) is left out: it holds no number")
    if rows == 0 or not kept:
        raise FormatError(recording.name or place, "no row with a number in it", "give a recording of joint states")
    sink.finish(kept, _notes(recording), start, recording.clock)
    rate = 1e9 / float(np.median(steps)) if len(steps) and np.median(steps) > 0 else float("nan")
    return Written(rows, start, (last - start) / 1e9, rate, kept)


def _notes(recording: Recording) -> list[str]:
    """What everyone who reads the log is told of it."""
    lines = [f"{_NOTES_HEAD}{recording.format}; its clock: {recording.clock}", *recording.notes]
    for channel in recording.channels:
        told = any(channel.source in note and "unit" in note for note in recording.notes)
        if channel.name == "tau" and channel.unit == UNKNOWN and not told:
            lines.append(f"the unit of tau ({channel.source}) is not stated by the format: antaeus check distinguishes N·m from other units")
    if recording.unmapped:
        shown = "; ".join(recording.unmapped[:8]) + ("; …" if len(recording.unmapped) > 8 else "")
        lines.append(f"not read: {shown}")
    return [" ".join(line.split()) for line in lines]


def require_replaceable(out: pathlib.Path, source: pathlib.Path | None = None) -> None:
    """Raises FormatError unless `out` is free, or something that convert wrote; never the recording or a part of it."""
    if source is not None and out.exists() and (out.samefile(source) or source.resolve() in out.resolve().parents):
        raise FormatError(out, "is the recording itself, or a part of it", "name another path")
    if out.suffix in (".parquet", ".mcap") and out.is_symlink():
        raise FormatError(out, "is a link, which convert neither follows nor replaces", "name the file itself, or another")
    if out.suffix in (".parquet", ".mcap") and out.is_file() and not _is_ours(out):
        raise FormatError(out, "exists already, and convert did not write it", "name another path, or remove it")
    if out.suffix not in ("", ".parquet") and out.suffix.lower() in (".csv", ".npz", ".npy", ".json", ".toml", ".txt", ".bag",
                                                                      ".db3", ".h5", ".hdf5", ".tsv"):
        raise FormatError(out, f"convert writes no {out.suffix} file", "name a folder, a .parquet or an .mcap")
    if out.is_dir():
        if out.suffix == ".parquet":
            raise FormatError(out, "is a folder", "name another file")
        if any(out.iterdir()) and not _own_files(out):
            raise FormatError(out, "is a folder that holds other files", "name another, or an empty one")
    elif out.is_symlink():
        raise FormatError(out, "is a link that names no folder", "name a folder, a .parquet or an .mcap")
    elif out.exists() and out.suffix not in (".parquet", ".mcap"):
        raise FormatError(out, "is a file", "name a folder, a .parquet or an .mcap")


def _replaceable_files(out: pathlib.Path, source: pathlib.Path | None) -> set[str]:
    require_replaceable(out, source)
    return _own_files(out)


def _own_files(folder: pathlib.Path) -> set[str]:
    """Returns the names of the files that convert wrote into a folder, by its channels.csv; none without one."""
    columns, notes = folder / COLUMNS_FILE, folder / NOTES_FILE
    try:
        rows = list(csv.reader(columns.read_text(encoding="utf-8").splitlines())) if ownership.is_file(columns) else []
        has_notes = ownership.is_file(notes) and notes.read_text(encoding="utf-8").startswith(_NOTES_HEAD)
    except (OSError, ValueError, csv.Error):
        return set()
    if len(rows) < 2 or rows[0] != _COLUMNS_HEAD or len(rows[1]) != len(_COLUMNS_HEAD) or not rows[1][4].startswith("0 is "):
        return set()
    return {COLUMNS_FILE, *(f"{row[0]}.npy" for row in rows[1:] if row), *([NOTES_FILE] if has_notes else [])}


def _is_ours(file: pathlib.Path) -> bool:
    """Whether a .parquet or .mcap says that convert wrote it."""
    if file.suffix == ".mcap":
        with open(file, "rb") as stream:
            return b"\x07\x00\x00\x00antaeus" in stream.read(64)  # the library of its header
    try:
        return b"antaeus" in (library("pyarrow.parquet", file).read_schema(file).metadata or {})
    except (OSError, ValueError):
        return False


def start_of(log: pathlib.Path) -> int:
    """Nanoseconds at which the time of a converted episode is 0; 0 for any other log."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        if log.suffix == ".parquet":
            return int(json.loads((library("pyarrow.parquet", log).read_schema(log).metadata or {})[b"antaeus"])["start_ns"])
        with open(log / COLUMNS_FILE, encoding="utf-8", newline="") as file:
            row = next(row for row in csv.DictReader(file) if row["channel"] == "time")
        return int(row["stage"].removeprefix("0 is ").removesuffix(" ns"))
    return 0
