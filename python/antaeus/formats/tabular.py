"""What readers of tables share: rows of a csv block by block, exact time stamps, notes that change while rows are read."""

import dataclasses
import decimal
import fnmatch
import pathlib
import re
import typing
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from antaeus.formats.recording import (AXIS_UNITS, BLOCK_ROWS, JOINT_UNITS, WRENCH, WRENCH_COLUMNS, Block, Channel, ChannelWish,
                                       FormatError, Recording, Wishes, library, nearest)

HEAD_BYTES = 65536  # that `recognises` reads at most
_CHUNK_BYTES = 4 << 20
_LINE_BYTES = 16 << 20  # of a line at most: what is longer is no table
_LIMIT_NS = 9.2e18  # of a signed 64-bit count of nanoseconds
_NO_NUMBER = ("", "nan", "NaN", "NAN", "-nan", "nan(ind)", "-nan(ind)", "null", "None", "NA", "N/A")


class Notes:
    """Lines of a recording by key, so that what is counted while rows are read stands there once, with its last count."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._places: dict[str, int] = {}

    def say(self, key: str, line: str) -> None:
        """Adds the line, or puts it in the place of the one that `key` had."""
        if key in self._places:
            self.lines[self._places[key]] = line
        else:
            self._places[key] = len(self.lines)
            self.lines.append(line)


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts "x[2]" before "x[10]"."""
    return [(0, int(part), "") if part.isdigit() and part.isascii() else (1, 0, part) for part in re.split(r"(\d+)", name[:400])]


def ignored(source: str, wishes: Wishes) -> bool:
    """Whether the user asked to leave a source out: by how it begins, or by a pattern with *."""
    return any(source.startswith(one) or fnmatch.fnmatchcase(source, one) for one in wishes.ignore)


def count(number: int, noun: str) -> str:
    """"1 row", "2 rows"."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def several(place: object, what: str, names: Iterable[str], option: str) -> FormatError:
    """The refusal of two that could be meant: names them all, up to twelve."""
    names = list(names)
    shown = ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
    return FormatError(place, f"holds {len(names)} {what}: {shown}", f"choose one with {option} {names[0]}")


def chosen_episode(place: object, names: list[str], wish: str | None) -> str:
    """The episode that is meant, by its name or its number. Raises FormatError where several could be, or none is so named."""
    if wish is None:
        if len(names) > 1:
            raise several(place, "episodes", names, "--episode")
        return names[0]
    if wish in names:
        return wish
    if wish.isdigit() and wish.isascii():
        numbered = [name for name in names if (found := re.search(r"(\d+)$", name)) and int(found[1]) == int(wish)]
        if len(numbered) == 1:
            return numbered[0]
    raise FormatError(place, f"no episode '{wish[:80]}'", nearest(wish, names) or
                      f"it holds {', '.join(names[:12])}" + (", …" if len(names) > 12 else ""))


def finite(values: np.ndarray, name: str, notes: Notes, counts: dict[str, int]) -> np.ndarray:
    """The values with NaN where they are infinite, and a note that counts those."""
    wrong = int(np.count_nonzero(np.isinf(values)))
    if wrong:
        counts[name] = counts.get(name, 0) + wrong
        notes.say("inf " + name, f"{name}: {count(counts[name], 'number')} beyond what a double holds: left empty")
        values = np.where(np.isinf(values), np.nan, values)
    return values


def rated_times(first: int, rows: int, rate: float) -> np.ndarray:
    """Nanoseconds of rows `first` … at a stated rate; 0 at row 0."""
    return np.rint(np.arange(first, first + rows, dtype=np.float64) * (1e9 / rate)).astype(np.int64)


def checked_rate(place: object, rate: object, source: str) -> float:
    """A rate that a file states. Raises FormatError where it is none."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate <= 1e9:
        raise FormatError(place, f"{source} is {str(rate)[:40]!r}, no rate", "give --rate, rows per second")
    return float(rate)


def no_time(place: object, why: str) -> FormatError:
    """The refusal of a recording without time and rate."""
    return FormatError(place, why, "give --rate, rows per second")


# --- text to nanoseconds ---------------------------------------------------------------------------------------------


def nanoseconds(texts: typing.Any, digits: int) -> tuple[np.ndarray, np.ndarray]:
    """Time stamps as text (an Arrow array of strings) → (nanoseconds (N,) int64, whether each is one (N,) bool).

    digits: places of a second behind the point that make a nanosecond: 9 for seconds, 6 for milliseconds. By decimal
    arithmetic, so that a time stamp of an epoch keeps its last digits.
    """
    pa = library("pyarrow")
    pc = library("pyarrow.compute")
    try:
        exact = pc.cast(pc.ascii_trim_whitespace(texts), pa.decimal128(38, 18))
        fitting = pc.cast(pc.round(exact, ndigits=digits, round_mode="half_to_even"), pa.decimal128(38, digits))
        if fitting.null_count == 0:
            words = np.frombuffer(fitting.buffers()[1], dtype="<i8").reshape(-1, 2)[fitting.offset:fitting.offset + len(fitting)]
            if np.array_equal(words[:, 1], words[:, 0] >> 63):  # the upper word repeats the sign: it fits
                return words[:, 0].copy(), np.ones(len(words), dtype=bool)
    except pa.ArrowException:
        pass  # a cell that is no plain number: one by one
    found = [decimal_nanoseconds(text, digits) for text in texts.to_pylist()]
    return (np.array([0 if one is None else one for one in found], dtype=np.int64),
            np.array([one is not None for one in found], dtype=bool))


def decimal_nanoseconds(text: str | None, digits: int) -> int | None:
    """One time stamp; None where it is no number, or beyond what 64 bits hold."""
    try:
        value = decimal.Decimal((text or "").strip()[:80])
    except decimal.InvalidOperation:
        return None
    if not value.is_finite() or value.adjusted() > 18 or (value and value.adjusted() < -60):
        return None
    scaled = value.scaleb(digits)
    if abs(scaled) > decimal.Decimal(_LIMIT_NS):
        return None
    return int(scaled.to_integral_value(decimal.ROUND_HALF_EVEN))


# --- csv --------------------------------------------------------------------------------------------------------------


def head_line(path: pathlib.Path) -> str:
    """First line of a text file, without BOM, at most HEAD_BYTES of it; nothing where it is not readable or not text."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return ""
    line = head.split(b"\n", 1)[0].rstrip(b"\r").removeprefix(b"\xef\xbb\xbf")
    return "" if b"\0" in line else line.decode("utf-8", "replace")


def is_table_file(path: pathlib.Path) -> bool:
    """Whether a path is a file with an ending that tables have."""
    return path.suffix.lower() in (".csv", ".txt", ".tsv", ".log", ".dat", "") and path.is_file()


@dataclasses.dataclass(frozen=True)
class Csv:
    """A csv file whose header is known."""

    path: pathlib.Path
    delimiter: str
    names: tuple[str, ...]  # of its columns, as they stand in the header; may repeat
    start: int  # byte of the first row


def split_header(line: str, delimiters: tuple[str, ...], known: Callable[[set[str]], bool],
                 prefixes: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """The delimiter by which a header holds names that are `known`, and all names without quotes and prefixes; else no names."""
    for delimiter in delimiters:
        names = [name.strip().strip('"') for name in line.strip().split(delimiter)]
        for prefix in prefixes:
            names = [name.removeprefix(prefix) for name in names]
        if known(set(names)):
            return delimiter, names
    return ",", []


def open_csv(path: pathlib.Path, split: Callable[[str], tuple[str, list[str]]]) -> Csv:
    """Reads the header, which `split` cuts into (delimiter, names). Raises FormatError."""
    with path.open("rb") as file:
        line = file.readline(_LINE_BYTES)
        start = file.tell()
    if not line.endswith(b"\n"):
        raise FormatError(path, "has a header and no rows", "record again")
    delimiter, names = split(line.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n"))
    return Csv(path, delimiter, tuple(names), start)


@dataclasses.dataclass
class CsvRows:
    """Rows of one part of a file."""

    offset: int  # bytes of the file that are read
    texts: typing.Any  # of the time column: Arrow array of strings; None where none was asked for
    values: np.ndarray  # (rows, columns that were asked for) float64; NaN in an empty cell


def csv_rows(csv: Csv, columns: list[int], time: int | None, notes: Notes) -> Iterator[CsvRows]:
    """All rows of a file, some megabytes at a time. Rows with another number of cells and cells that are no number are counted."""
    counts: dict[str, typing.Any] = {"torn": 0, "words": 0, "rows": 0, "first": ""}
    with csv.path.open("rb") as file:
        file.seek(csv.start)
        rest = b""
        while True:
            part = file.read(_CHUNK_BYTES)
            chunk, end = rest + part, (rest + part).rfind(b"\n")
            if not part:
                break
            if end < 0:
                rest = chunk
                if len(rest) > _LINE_BYTES:
                    raise FormatError(csv.path, f"has a line of more than {_LINE_BYTES >> 20} MiB", "this is no table")
                continue
            rest = chunk[end + 1:]
            rows = _parsed(csv, chunk[:end + 1], columns, time, counts)
            if counts["torn"]:
                notes.say("torn", f"{count(counts['torn'], 'line')} with another number of cells than the header's "
                          f"{len(csv.names)}: left out")
            if counts["words"]:
                notes.say("words", f"{count(counts['words'], 'cell')} that hold no number: left empty; the first is {counts['first']}")
            counts["rows"] += len(rows.values)
            rows.offset = file.tell() - len(rest)
            if len(rows.values):
                yield rows
        if rest.strip():
            notes.say("cut", "the last line has no end, and may be cut off: left out")


def _parsed(csv: Csv, chunk: bytes, columns: list[int], time: int | None, counts: dict[str, typing.Any]) -> CsvRows:
    pa = library("pyarrow", csv.path)
    pa_csv = library("pyarrow.csv", csv.path)
    if b"\0" in chunk or not (chunk.isascii() or _is_utf8(chunk)):
        return _parsed_by_hand(csv, chunk, columns, time, counts)
    names = [str(index) for index in range(len(csv.names))]
    torn = [0]

    def leave_out(row: object) -> str:
        torn[0] += 1
        return "skip"

    wanted = dict.fromkeys(([time] if time is not None else []) + columns)
    types = {names[index]: pa.float64() for index in columns}
    if time is not None:
        types[names[time]] = pa.string()
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(chunk), pa_csv.ReadOptions(column_names=names, block_size=len(chunk) + 1, use_threads=False),
            pa_csv.ParseOptions(delimiter=csv.delimiter, invalid_row_handler=leave_out),
            pa_csv.ConvertOptions(column_types=types, include_columns=[names[index] for index in wanted],
                                  null_values=list(_NO_NUMBER), strings_can_be_null=True))
    except pa.ArrowInvalid:  # a cell that is no number, an overflow, a quote without its end: line by line
        return _parsed_by_hand(csv, chunk, columns, time, counts)
    counts["torn"] += torn[0]
    values = np.empty((table.num_rows, len(columns)))
    for place, index in enumerate(columns):
        column = table[names[index]]
        if index == time:
            column = library("pyarrow.compute").cast(column, pa.float64())
        values[:, place] = column.to_numpy()
    texts = table[names[time]].combine_chunks() if time is not None else None
    return CsvRows(0, texts, values)


def _is_utf8(chunk: bytes) -> bool:
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parsed_by_hand(csv: Csv, chunk: bytes, columns: list[int], time: int | None, counts: dict[str, typing.Any]) -> CsvRows:
    values, texts = [], []
    for line in chunk.decode("utf-8", "replace").split("\n"):
        line = line.rstrip("\r")
        if not line:
            continue
        cells = line.split(csv.delimiter)
        if len(cells) != len(csv.names):
            counts["torn"] += 1
            continue
        row = []
        for index in columns:
            cell = cells[index].strip().strip('"')
            try:
                row.append(float(cell) if cell not in _NO_NUMBER else np.nan)
            except ValueError:
                counts["words"] += 1
                counts["first"] = counts["first"] or f"{cell[:40]!r} in column '{csv.names[index]}', row {counts['rows'] + len(values)}"
                row.append(np.nan)
        values.append(row)
        texts.append(cells[time].strip().strip('"') if time is not None else "")
    array = np.array(values, dtype=float).reshape(len(values), len(columns))
    return CsvRows(0, library("pyarrow").array(texts, "string") if time is not None else None, array)


# --- which column is what ---------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Vector:
    """A channel and the columns of the table that make it."""

    channel: Channel
    columns: tuple[int, ...]


def wished_vectors(place: object, names: list[str] | tuple[str, ...], wishes: Wishes) -> list[Vector]:
    """Channels that a map takes from columns by name: one column, a vector's common part ("actual_current"), or a pattern
    with {joint}. Raises FormatError where nothing is so called."""
    found = []
    for channel, wish in wishes.channels.items():
        if wish.source is not None:
            found.append(_wished_vector(place, channel, wish, names))
    return found


def _wished_vector(place: object, channel: str, wish: ChannelWish, names: list[str] | tuple[str, ...]) -> Vector:
    source = typing.cast(str, wish.source)
    if "{joint}" in source:
        before, _, after = source.partition("{joint}")
        matches = [(name[len(before):len(name) - len(after)], index) for index, name in enumerate(names)
                   if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)]
    elif source in names:
        matches = [(source if channel in JOINT_UNITS else "0", names.index(source))]
    else:
        numbered = re.compile(re.escape(source) + r"(?:_(\d+)|\[(\d+)\])")
        matches = [(match[1] or match[2], index) for index, name in enumerate(names) if (match := numbered.fullmatch(name))]
    first: dict[str, int] = {}
    for joint, index in matches:
        first.setdefault(joint, index)
    if not first:
        raise FormatError(place, f"channels.{channel}: no column is called '{source}'",
                          nearest(source, list(dict.fromkeys(names))) or
                          f"columns are {', '.join(list(dict.fromkeys(names))[:12])}, …")
    joints = sorted(first, key=natural)
    return Vector(Channel(channel, axis_names(channel, tuple(joints)), source), tuple(first[joint] for joint in joints))


def axis_names(channel: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Names of a channel's columns: of an IMU's and of a wrench the axes, if there are as many; else as they are."""
    if channel.startswith(WRENCH) and len(columns) == len(WRENCH_COLUMNS):
        return WRENCH_COLUMNS
    if channel in AXIS_UNITS and len(columns) == (4 if "quat" in channel else 3):
        return ("x", "y", "z", "w")[:len(columns)]
    return columns


def unread(names: Iterable[str], why: dict[str, str] | None = None) -> list[str]:
    """Columns that are not read, vectors as one line each, with a reason where there is one."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.sub(r"(?:_\d+|\[[\d,; ]+\])$", "", name), []).append(name)
    reasons = why or {}
    return [(f"{base}, {len(all_of)} columns" if len(all_of) > 1 else all_of[0]) + (f": {reasons[base]}" if base in reasons else "")
            for base, all_of in groups.items() if base]


# --- a table whose rows are samples -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Clock:
    """The column of time stamps."""

    column: int
    digits: int  # 9: seconds, 6: milliseconds
    text: str  # for people


class Stamps:
    """What can be said of time stamps, counted as they go by."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._last: int | None = None
        self._same = self._back = 0

    def see(self, times: np.ndarray) -> None:
        if not len(times):
            return
        steps = np.diff(times if self._last is None else np.concatenate(([self._last], times)))
        self._last = int(times[-1])
        self._same += int(np.count_nonzero(steps == 0))
        self._back += int(np.count_nonzero(steps < 0))
        if self._same:
            self._notes.say("same",
                            f"{count(self._same, 'row')} with the time stamp of the row before: kept, in the file's order")
        if self._back:
            self._notes.say("back", f"the time stamp goes back {count(self._back, 'time')}")


def table_recording(csv: Csv, vectors: list[Vector], clock: Clock | None, wishes: Wishes, *, form: str, unmapped: list[str],
                    notes: Notes, of_rows: Callable[[np.ndarray], None] | None = None) -> Recording:
    """A csv in which each row is a sample of everything. Without a clock, by the rate that the user gives.

    of_rows: is shown the values of each part, for counts of its own.
    """
    if clock is None and wishes.rate is None:
        raise no_time(csv.path, "states no time and no rate")
    if clock is not None and wishes.rate is not None:
        notes.say("rate", f"column {csv.names[clock.column]} is not read: rows have the given rate")
        clock = None
    columns = list(dict.fromkeys(index for vector in vectors for index in vector.columns))
    places = {index: place for place, index in enumerate(columns)}
    progress = [0]

    def blocks() -> Iterator[Block]:
        counts: dict[str, int] = {}
        stamps, row, lost = Stamps(notes), 0, 0
        for rows in csv_rows(csv, columns, clock.column if clock else None, notes):
            values = rows.values
            if clock:
                times, right = nanoseconds(rows.texts, clock.digits)
                if not right.all():
                    lost += int(np.count_nonzero(~right))
                    notes.say("time", f"{count(lost, 'row')} without a time stamp: left out")
                    times, values = times[right], values[right]
                stamps.see(times)
            else:
                times = rated_times(row, len(values), typing.cast(float, wishes.rate))
            row += len(values)
            if of_rows:
                of_rows(values)
            for first in range(0, len(values), BLOCK_ROWS):
                part = values[first:first + BLOCK_ROWS]
                yield Block(times[first:first + BLOCK_ROWS],
                            {vector.channel.name: finite(part[:, [places[index] for index in vector.columns]],
                                                         vector.channel.name, notes, counts) for vector in vectors})
            progress[0] = rows.offset
        progress[0] = csv.path.stat().st_size
        if row == 0:
            raise FormatError(csv.path, "holds no row that can be read", "record again")

    return Recording(format=form, channels=tuple(vector.channel for vector in vectors),
                     clock=clock.text if clock else f"{wishes.rate:g} rows per second (given)", blocks=blocks,
                     unmapped=unmapped,
                     notes=notes.lines, bytes=csv.path.stat().st_size, done=lambda: progress[0])


def merged(vectors: list[Vector], wished: list[Vector], wishes: Wishes) -> list[Vector]:
    """What the format offers, with what the map takes instead, less what it leaves out."""
    by_name = {vector.channel.name: vector for vector in vectors if not ignored(vector.channel.source, wishes)}
    by_name.update({vector.channel.name: vector for vector in wished})
    return list(by_name.values())


