"""data.json of Unitree's xr_teleoperate: an episode as one JSON object, entry after entry, often cut off after a crash."""

import codecs
import json
import pathlib
import re
import typing
from collections.abc import Iterator

import numpy as np

from antaeus.formats.recording import Block, Channel, FormatError, Recording, Wishes, nearest
from antaeus.formats.tabular import Notes, checked_rate, chosen_episode, count, finite, ignored, natural, no_time, rated_times

_HEAD_BYTES = 65536
_PART_BYTES = 1 << 20
_ENTRY_BYTES = 32 << 20  # of one entry at most
_BLOCK_ENTRIES = 4096
_CHANNELS = (("states", "qpos", "qpos", "measured"), ("states", "qvel", "dq", "measured"),
             ("states", "torque", "tau", "measured"),
             ("actions", "qpos", "target_dof", "commanded"))
_SPACE = re.compile(r"[\s]*")
_SDK_NAME = re.compile(r"k(?:[A-Z][a-z]+|\d+)+")
_DECODER = json.JSONDecoder()


def recognises(path: pathlib.Path) -> bool:
    """A data.json, a folder with one, or a folder of episode_0001, episode_0002, …"""
    try:
        if path.is_dir():
            return (path / "data.json").is_file() or bool(_episode_folders(path))
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return False
        return b'"joint_names"' in head or (b'"states"' in head and b'"qpos"' in head)
    except OSError:
        return False


def _episode_folders(path: pathlib.Path) -> list[str]:
    return sorted((one.name for one in path.glob("episode_*") if (one / "data.json").is_file()), key=natural)


class _Part(typing.NamedTuple):
    """One vector of an entry: states.left_arm.qpos."""

    kind: str
    part: str
    field: str


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens the episode. Raises FormatError."""
    file = path
    if path.is_dir():
        file = path / "data.json"
        if not file.is_file():
            file = path / chosen_episode(path, _episode_folders(path), wishes.episode) / "data.json"
    wishes.budget.add_input(file)
    reader = _Reader(file)
    entries = []
    for entry in reader.entries():
        entries.append(entry)
        if len(entries) == 50:
            break
    info = reader.info
    if not entries:
        raise FormatError(file, "holds no complete entry", "record again")
    notes = Notes()
    names = info.get("joint_names")
    if not isinstance(names, dict):
        names = {}
        notes.say("names", "info has no joint_names: columns are called by the part and their number")
    channels, parts, unmapped = [], {}, _others(entries[0])
    for kind, field, channel, stage in _CHANNELS:
        found, columns = [], []
        for part, width in _widths(entries, kind, field).items():
            source = f"{kind}.{part}.{field}"
            if ignored(source, wishes) or ignored(part, wishes):
                unmapped.append(source)
                continue
            found.append((_Part(kind, part, field), width))
            columns += _columns(names, part, width, wishes, notes)
        wish = wishes.channels.get(channel)
        if wish is not None and wish.source is not None:
            found = [(one, width) for one, width in found if wish.source in (".".join(one), f"{one.kind}.{one.part}")]
            columns = [name for one, width in found for name in _columns(names, one.part, width, wishes, notes)]
            if not found:
                raise FormatError(file, f"channels.{channel}: no numbers are called '{wish.source[:80]}'",
                                  nearest(wish.source, [f"{kind}.{part}.{field}" for part in _widths(entries, kind, field)])
                                  or "see --list")
        if found:
            if len(set(columns)) < len(columns):
                raise FormatError(file, f"two parts have a joint of one name in {kind}", "leave one out: ignore in a map")
            text = ", ".join(one.part for one, _ in found)
            channels.append(Channel(channel, tuple(columns), f"{kind}.*.{field} ({text})", stage=stage))
            parts[channel] = found
    if "qpos" not in parts:
        raise FormatError(file, "holds no joint positions (states.*.qpos)", "record again")
    if "tau" not in parts:
        notes.say("torques", "no torques: states.*.torque is empty")
    rate, clock = _rate(file, info, wishes)
    return _recording(file, reader, channels, parts, rate, clock, unmapped, notes)


def _widths(entries: list[dict[str, typing.Any]], kind: str, field: str) -> dict[str, int]:
    """Part → how many numbers it has there; of the first entry in which it has any."""
    found: dict[str, int] = {}
    for entry in entries:
        group = entry.get(kind)
        for part, values in group.items() if isinstance(group, dict) else ():
            vector = values.get(field) if isinstance(values, dict) else None
            if isinstance(vector, list) and 0 < len(vector) <= 4096:
                found.setdefault(str(part), len(vector))
    return found


def _columns(names: dict[str, typing.Any], part: str, width: int, wishes: Wishes, notes: Notes) -> list[str]:
    stated = names.get(part)
    if isinstance(stated, list) and len(stated) == width and all(isinstance(one, str) for one in stated):
        return [one if one in wishes.joints else _as_in_urdf(one, notes) for one in stated]
    if isinstance(stated, list) and stated:
        notes.say("names " + part,
                  f"info names {count(len(stated), 'joint')} of {part}, which has {count(width, 'number')}: called by their number")
    elif names:
        notes.say("names " + part, f"info names no joints of {part}: called by their number")
    return [f"{part}_{place}" for place in range(width)]


def _as_in_urdf(name: str, notes: Notes) -> str:
    """kLeftHandThumb0 as left_hand_thumb_0_joint: what Unitree's SDK calls k… its URDFs call so. Other names stay."""
    if not _SDK_NAME.fullmatch(name):
        return name
    renamed = "_".join(re.findall(r"[A-Z][a-z]*|\d+", name)).lower() + "_joint"
    notes.say("renamed", f"joints have the names of Unitree's URDFs: {name} is {renamed}")
    return renamed


def _others(entry: dict[str, typing.Any]) -> list[str]:
    """What else an entry holds."""
    lines = []
    for key, value in entry.items():
        if key in ("states", "actions"):
            known = [field for kind, field, _, _ in _CHANNELS if kind == key]
            for part, values in value.items() if isinstance(value, dict) else ():
                fields = [name for name, vector in values.items() if name not in known and vector not in (None, [], {})] \
                    if isinstance(values, dict) else [""]
                lines += [f"{key}.{part}" + (f".{name}" if name else "") for name in fields[:20]]
        elif key != "idx" and value not in (None, {}, [], ""):
            lines.append(key)
    return lines[:100]


def _rate(file: pathlib.Path, info: dict[str, typing.Any], wishes: Wishes) -> tuple[float, str]:
    if wishes.rate is not None:
        return wishes.rate, f"{wishes.rate:g} rows per second (given)"
    image = info.get("image")
    for value, text in ((image.get("fps") if isinstance(image, dict) else None, "info.image.fps"), (info.get("fps"), "info.fps")):
        if value is not None:
            rate = checked_rate(file, value, text)
            return rate, f"{rate:g} rows per second by {text}; the file states no time"
    raise no_time(file, "states no time and no fps")


def _recording(file: pathlib.Path, reader: "_Reader", channels: list[Channel], parts: dict[str, list[tuple[_Part, int]]],
               rate: float, clock: str,
               unmapped: list[str], notes: Notes) -> Recording:
    def blocks() -> Iterator[Block]:
        counts: dict[str, int] = {}
        row = 0
        rows: list[dict[str, typing.Any]] = []
        short = [0, 0]  # vectors of another length, and entries that are no number

        def block() -> Block:
            values = {channel: finite(_matrix(rows, found, short), channel, notes, counts) for channel, found in parts.items()}
            if short[0]:
                notes.say("short", f"{count(short[0], 'vector')} of another length than the first: left empty")
            if short[1]:
                notes.say("odd", f"{count(short[1], 'number')} that are none (text, null or NaN): left empty")
            return Block(rated_times(row, len(rows), rate), values)

        for entry in reader.entries():
            rows.append(entry)
            if len(rows) == _BLOCK_ENTRIES:
                yield block()
                row += len(rows)
                rows = []
        if rows:
            yield block()
            row += len(rows)
        if reader.cut:
            notes.say("cut", f"{reader.cut}: {count(row, 'complete entry').replace('entrys', 'entries')} before it are read")

    return Recording(format="Unitree teleoperation json", channels=tuple(channels), clock=clock, blocks=blocks, unmapped=unmapped,
                     notes=notes.lines, bytes=file.stat().st_size, done=lambda: reader.position)


def _matrix(rows: list[dict[str, typing.Any]], found: list[tuple[_Part, int]], short: list[int]) -> np.ndarray:
    matrices = []
    for part, width in found:
        empty = [np.nan] * width
        vectors = []
        for row in rows:
            vector = _vector(row, part)
            if len(vector) != width:
                short[0] += 1
                short[1] -= width
                vector = empty
            vectors.append(vector)
        try:
            matrix = np.array(vectors, dtype=float)
        except (ValueError, TypeError, OverflowError):
            matrix = np.array([[_double(one) for one in vector] for vector in vectors])
        short[1] += int(np.isnan(matrix).sum())
        matrices.append(matrix)
    return np.hstack(matrices)


def _vector(row: dict[str, typing.Any], part: _Part) -> list[typing.Any]:
    group = row.get(part.kind)
    values = group.get(part.part) if isinstance(group, dict) else None
    vector = values.get(part.field) if isinstance(values, dict) else None
    return vector if isinstance(vector, list) else []


def _double(value: object) -> float:
    try:
        return float(value) if isinstance(value, (int, float)) else np.nan
    except OverflowError:
        return np.inf


class _Reader:
    """Reads the object's members up to `data`, then the entries of it one by one."""

    def __init__(self, file: pathlib.Path) -> None:
        self._file = file
        self.info: dict[str, typing.Any] = {}
        self.cut = ""  # why the file ends before its time
        self.position = 0  # bytes that were read

    def entries(self) -> Iterator[dict[str, typing.Any]]:
        """The complete entries. Raises FormatError where the file is no such object."""
        self.cut, self.position = "", 0
        with self._file.open("rb") as stream:
            text = _Text(self._file, stream, self)
            if not text.take("{"):
                raise FormatError(self._file, "is no JSON object", "give the data.json of an episode")
            while True:
                try:
                    key = text.value()
                    if not text.take(":"):
                        raise ValueError("no member")
                    if key == "data" and text.take("["):
                        break
                    value = text.value()
                except (ValueError, RecursionError):
                    raise FormatError(self._file, f"is no JSON up to its data ({text.where()})", "record again") from None
                if key == "info" and isinstance(value, dict):
                    self.info = value
                if not text.take(","):
                    raise FormatError(self._file, "holds no data", "give the data.json of an episode")
            if text.take("]"):
                return
            while True:
                try:
                    entry = text.value()
                except (ValueError, RecursionError):
                    self.cut = f"the file {'is cut off' if text.ended() else 'is damaged'} at {text.where()}"
                    return
                if isinstance(entry, dict):
                    yield entry
                if text.take(","):
                    continue
                if not text.take("]"):
                    self.cut = f"the file {'is cut off' if text.ended() else 'is damaged'} at {text.where()}"
                return


class _Text:
    """A file's text, some of it at a time."""

    def __init__(self, file: pathlib.Path, stream: typing.BinaryIO, reader: _Reader) -> None:
        self._file, self._stream, self._reader = file, stream, reader
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text, self._at, self._end, self._before = "", 0, False, 0

    def where(self) -> str:
        return f"character {self._before + self._at}"

    def ended(self) -> bool:
        return self._end

    def _more(self, least: int = _PART_BYTES) -> bool:
        if self._end:
            return False
        part = self._stream.read(least)
        self._end = not part
        self._reader.position = self._stream.tell()
        self._before += self._at
        self._text, self._at = self._text[self._at:] + self._decoder.decode(part, not part), 0
        return not self._end

    def _skip(self) -> None:
        while True:
            self._at = typing.cast(re.Match[str], _SPACE.match(self._text, self._at)).end()
            if self._at < len(self._text) or not self._more():
                return

    def take(self, letter: str) -> bool:
        """Whether that letter comes next; it is then passed."""
        self._skip()
        if self._text.startswith(letter, self._at):
            self._at += 1
            return True
        return False

    def value(self) -> typing.Any:
        """The next value, whole. Raises ValueError."""
        self._skip()
        least = _PART_BYTES
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except ValueError:
                if len(self._text) - self._at > _ENTRY_BYTES or not self._more(least):
                    raise
                least *= 2  # what does not fit is tried again seldom
                continue
            if end == len(self._text) and self._more():  # a number that goes on
                continue
            self._at = end
            return value
