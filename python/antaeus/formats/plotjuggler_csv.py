"""csv that PlotJuggler exports: one message a row, empty cells elsewhere, `__time` in front."""

import dataclasses
import pathlib
import re
from collections.abc import Iterator

import numpy as np

from antaeus.formats.recording import (AXIS_UNITS, BLOCK_ROWS, JOINT_UNITS, UNKNOWN, WRENCH_COLUMNS, Block, Channel,
                                       FormatError, Recording, Wishes, nearest)
from antaeus.formats.tabular import (Csv, Notes, Stamps, Vector, count, csv_rows, finite, head_line, ignored, is_table_file,
                                     merged, nanoseconds, natural, open_csv, several, unread, wished_vectors)

_FIELDS = {"position": "qpos", "velocity": "dq", "effort": "tau"}  # of sensor_msgs/JointState
_MOTOR_FIELDS = {"q": "qpos", "dq": "dq", "ddq": "ddq", "tau_est": "tau"}  # of Unitree's LowState
_PATTERNS = (
    (re.compile(r"(?P<topic>.+?)/(?P<field>position|velocity|effort)\[(?P<joint>\d+)\]"), _FIELDS),
    (re.compile(r"(?P<topic>.+?)/(?P<field>position|velocity|effort)[/.](?P<joint>[^/]+)"), _FIELDS),
    (re.compile(r"(?P<topic>.+)/(?P<joint>[^/]+)/(?P<field>position|velocity|effort)"), _FIELDS),
    (re.compile(r"(?P<topic>.+?)/motor_?[sS]tate\[(?P<joint>\d+)\][/.](?P<field>q|dq|ddq|tau_est)"), _MOTOR_FIELDS),
)
# Fields of other streams → (channel, its place in it). Of a quaternion of Unitree's, w comes first.
_IMU = {
    "orientation/x": ("imu_quat_xyzw", 0), "orientation/y": ("imu_quat_xyzw", 1), "orientation/z": ("imu_quat_xyzw", 2),
    "orientation/w": ("imu_quat_xyzw", 3),
    "angular_velocity/x": ("imu_gyro", 0), "angular_velocity/y": ("imu_gyro", 1), "angular_velocity/z": ("imu_gyro", 2),
    "linear_acceleration/x": ("imu_acc", 0), "linear_acceleration/y": ("imu_acc", 1), "linear_acceleration/z": ("imu_acc", 2),
    "quaternion[0]": ("imu_quat_xyzw", 3), "quaternion[1]": ("imu_quat_xyzw", 0), "quaternion[2]": ("imu_quat_xyzw", 1),
    "quaternion[3]": ("imu_quat_xyzw", 2),
    "gyroscope[0]": ("imu_gyro", 0), "gyroscope[1]": ("imu_gyro", 1), "gyroscope[2]": ("imu_gyro", 2),
    "accelerometer[0]": ("imu_acc", 0), "accelerometer[1]": ("imu_acc", 1), "accelerometer[2]": ("imu_acc", 2),
}
_WRENCH = {f"{kind}/{axis}": place for place, (kind, axis) in
           enumerate((kind, axis) for kind in ("force", "torque") for axis in "xyz")}
_AXIS_NAMES = ("x", "y", "z", "w", "linear", "angular")
_AXES = {"imu_quat_xyzw": ("x", "y", "z", "w"), "imu_gyro": ("x", "y", "z"), "imu_acc": ("x", "y", "z")}


def _split(line: str) -> tuple[str, list[str]]:
    """Names of columns: a comma inside of brackets is part of a name, since PlotJuggler does not quote."""
    for delimiter in (",", ";", "\t"):
        if not line.startswith(("__time" + delimiter, '"__time"' + delimiter)):
            continue
        names: list[str] = []
        name: list[str] = []
        depth, quoted = 0, False
        for letter in line:
            if letter == '"':
                quoted = not quoted
            elif letter == delimiter and not depth and not quoted:
                names.append("".join(name).strip())
                name = []
            else:
                depth += (letter == "[") - (letter == "]" and depth > 0)
                name.append(letter)
        return delimiter, [*names, "".join(name).strip()]
    return ",", []


def recognises(path: pathlib.Path) -> bool:
    """By its first column, __time."""
    return is_table_file(path) and head_line(path).startswith(("__time,", "__time;", "__time\t", '"__time",'))


@dataclasses.dataclass(frozen=True)
class _Stream:
    """Columns that come in one message."""

    topic: str
    vectors: tuple[Vector, ...]


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens the csv. Raises FormatError."""
    csv = _checked(open_csv(path, _split))
    notes = Notes()
    joints = _joint_streams(csv)
    wished = wished_vectors(path, csv.names, wishes)
    if not joints and not any(vector.channel.name == "qpos" for vector in wished):
        raise FormatError(path, "holds no joint positions",
                          "export /joint_states too (…/position[0] or …/JOINT/position), or name columns "
                          "in a map: channels.qpos.source")
    unmapped: list[str] = []
    main = _main_stream(csv, joints, wishes, unmapped) if joints else _Stream("", ())
    # What a map names may come in other rows than the positions.
    elsewhere = [vector for vector in wished if vector.channel.name != "qpos"]
    named = {vector.channel.name for vector in elsewhere}
    own = merged([vector for vector in main.vectors if vector.channel.name not in named],
                 [vector for vector in wished if vector.channel.name == "qpos"], wishes)
    if "qpos" not in [vector.channel.name for vector in own]:
        raise FormatError(path, "the positions are left out by the map's ignore", "leave something to read")
    read = {index for vector in own + elsewhere for index in vector.columns}
    others = [_Stream(vector.channel.source, (vector,)) for vector in elsewhere]
    others += _held_streams(csv, read, {vector.channel.name for vector in own + elsewhere}, wishes, notes)
    read |= {index for stream in others for vector in stream.vectors for index in vector.columns}
    clock_column, clock = _clock(csv, main.topic, wishes)
    if wishes.rate is not None:
        notes.say("rate", f"the rate is not used: rows have time stamps ({csv.names[clock_column]})")
    read |= {0, clock_column}
    if clock_column == 0 and f"{main.topic}/header/stamp" in csv.names:
        notes.say("header", f"header stamps are there too ({main.topic}/header/stamp): --clock header reads them")
    unmapped += unread([name for index, name in enumerate(csv.names) if index not in read])
    return _recording(csv, own, others, clock_column, clock, unmapped, notes)


def _checked(csv: Csv) -> Csv:
    """With the split of the header that the rows have: brackets that do not close are no reason to lose columns."""
    with csv.path.open("rb") as file:
        head = file.read(csv.start).decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")
        row = file.readline(16 << 20)
    cells = row.count(csv.delimiter.encode()) + 1
    plain = [name.strip().strip('"') for name in head.split(csv.delimiter)]
    return dataclasses.replace(csv, names=tuple(plain)) if len(csv.names) != cells == len(plain) else csv


def _joint_streams(csv: Csv) -> list[_Stream]:
    """Topics with positions of joints."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for index, name in enumerate(csv.names):
        for pattern, fields in _PATTERNS:
            match = pattern.fullmatch(name)
            if match and match["joint"] not in _AXIS_NAMES:  # of a pose, not of joints
                joint = str(int(match["joint"])) if match["joint"].isdigit() and match["joint"].isascii() else match["joint"]
                channel = fields[match["field"]]
                found.setdefault(match["topic"], {}).setdefault(channel, {}).setdefault(joint, index)
                break
    return [_Stream(topic, tuple(_joint_vector(topic, channel, columns) for channel, columns in channels.items()))
            for topic, channels in found.items() if "qpos" in channels]


def _joint_vector(topic: str, channel: str, columns: dict[str, int]) -> Vector:
    names = sorted(columns, key=natural)
    field = {"qpos": "position", "dq": "velocity", "tau": "effort", "ddq": "acceleration"}[channel]
    # Positions and velocities as the message defines them. Efforts are currents with some drivers: not stated by a csv.
    unit = UNKNOWN if channel == "tau" else JOINT_UNITS[channel]
    return Vector(Channel(channel, tuple(names), f"{topic} {field}", unit, UNKNOWN if channel == "tau" else "measured"),
                  tuple(columns[name] for name in names))


def _main_stream(csv: Csv, joints: list[_Stream], wishes: Wishes, unmapped: list[str]) -> _Stream:
    """The topic that is meant. One without rows, or without torques where one alone has them, is no rival."""
    topics = [stream.topic for stream in joints]
    if wishes.topic is not None:
        asked = "/" + wishes.topic.strip("/")
        for stream in joints:
            if "/" + stream.topic.strip("/") == asked:
                return stream
        raise FormatError(csv.path, f"no joint states of a topic '{wishes.topic[:80]}'", nearest(wishes.topic, topics) or
                          f"topics are {', '.join(topics[:12])}")
    joints = [stream for stream in joints if not ignored(stream.topic, wishes)] or joints
    if len(joints) == 1:
        return joints[0]
    rows = _rows_of(csv, joints)
    alive = [stream for stream in joints if rows[stream.topic]]
    with_torques = [stream for stream in alive if any(vector.channel.name == "tau" for vector in stream.vectors)]
    chosen = with_torques if len(with_torques) == 1 else alive
    if len(chosen) > 1:
        raise several(csv.path, "topics of joint states", [stream.topic for stream in chosen], "--topic")
    if not chosen:
        raise FormatError(csv.path, "holds no row of joint positions", "export again")
    for stream in joints:
        if stream is not chosen[0]:
            unmapped.append(f"{stream.topic}: {count(rows[stream.topic], 'row')} of joint states"
                            + (", without torques" if rows[stream.topic] else ""))
    return chosen[0]


def _rows_of(csv: Csv, streams: list[_Stream]) -> dict[str, int]:
    """How many rows each topic has, by the first of its positions."""
    first = [next(vector.columns[0] for vector in stream.vectors if vector.channel.name == "qpos") for stream in streams]
    totals = np.zeros(len(streams), dtype=int)
    for rows in csv_rows(csv, first, None, Notes()):
        totals += np.count_nonzero(~np.isnan(rows.values), axis=0)
    return {stream.topic: int(total) for stream, total in zip(streams, totals, strict=True)}


def _held_streams(csv: Csv, read: set[int], taken: set[str], wishes: Wishes, notes: Notes) -> list[_Stream]:
    """Streams of an IMU and of wrenches."""
    found: dict[str, dict[str, dict[int, int]]] = {}
    for index, name in enumerate(csv.names):
        if index in read:
            continue
        for field, (channel, place) in _IMU.items():
            if name.endswith("/" + field):
                found.setdefault(name.removesuffix("/" + field), {}).setdefault(channel, {}).setdefault(place, index)
        for field, place in _WRENCH.items():
            if name.endswith("/" + field):
                topic = name.removesuffix("/" + field).removesuffix("/wrench")
                found.setdefault(topic, {}).setdefault("wrench", {}).setdefault(place, index)
    streams = []
    imus = [topic for topic, channels in found.items()
            if any(name in AXIS_UNITS for name in channels) and not ignored(topic, wishes)]
    if len(imus) > 1:  # an IMU is not asked for: of several, none is read
        notes.say("imus",
                  f"several streams of an IMU ({', '.join(imus[:6])}): none is read; leave the others out by "
                  "ignore in a map")
    for topic, channels in found.items():
        vectors = []
        for channel, places in channels.items():
            axes = WRENCH_COLUMNS if channel == "wrench" else _AXES[channel]
            full = f"wrench_{topic.rstrip('/').rpartition('/')[2]}" if channel == "wrench" else channel
            if len(places) < len(axes) or full in taken or ignored(topic, wishes) or (channel != "wrench" and len(imus) > 1):
                continue
            taken.add(full)
            unit = "N, N·m" if channel == "wrench" else AXIS_UNITS[channel]
            vectors.append(Vector(Channel(full, axes, f"{topic} {channel}", unit, "measured" if channel != "wrench" else UNKNOWN),
                                  tuple(places[place] for place in range(len(axes)))))
        if vectors:
            streams.append(_Stream(topic, tuple(vectors)))
    return streams


def _clock(csv: Csv, topic: str, wishes: Wishes) -> tuple[int, str]:
    """Column of the time stamps, and what they are."""
    if wishes.clock != "header":
        return 0, "column __time, in seconds: the header's or the receiver's, as PlotJuggler was set"
    name = f"{topic}/header/stamp"
    if name not in csv.names:
        raise FormatError(csv.path, f"holds no header stamps ({name})", "leave out --clock: __time is read")
    return csv.names.index(name), f"column {name}, in seconds"


def _recording(csv: Csv, own: list[Vector], others: list[_Stream], clock_column: int, clock: str, unmapped: list[str],
               notes: Notes) -> Recording:
    columns = list(dict.fromkeys(index for vector in [*own, *(each for stream in others for each in stream.vectors)]
                                 for index in vector.columns))
    places = {index: place for place, index in enumerate(columns)}
    at = {vector.channel.name: [places[index] for index in vector.columns] for stream in
          [_Stream("", tuple(own)), *others] for vector in stream.vectors}
    progress = [0]

    def blocks() -> Iterator[Block]:
        counts: dict[str, int] = {}
        stamps, rows_read, lost = Stamps(notes), 0, 0
        held = [_Held(stream, [place for vector in stream.vectors for place in at[vector.channel.name]], notes)
                for stream in others]
        for rows in csv_rows(csv, columns, clock_column, notes):
            # A row is one of joint states if it has a position.
            times, right = nanoseconds(rows.texts, 9)
            mine = ~np.isnan(rows.values[:, at["qpos"]]).all(axis=1)
            if not right[mine].all():
                lost += int(np.count_nonzero(mine & ~right))
                notes.say("time", f"{count(lost, 'row')} without a time stamp: left out")
            mine &= right
            extra = [one.on(mine, times, right, rows.values) for one in held]
            times, values = times[mine], rows.values[mine]
            stamps.see(times)
            rows_read += len(times)
            named = {vector.channel.name: values[:, at[vector.channel.name]] for vector in own}
            for stream, samples in zip(others, extra, strict=True):
                begin = 0
                for vector in stream.vectors:
                    named[vector.channel.name] = samples[:, begin:begin + len(vector.columns)]
                    begin += len(vector.columns)
            named = {name: finite(array, name, notes, counts) for name, array in named.items()}
            for first in range(0, len(times), BLOCK_ROWS):
                part = slice(first, first + BLOCK_ROWS)
                yield Block(times[part], {name: array[part] for name, array in named.items()})
            progress[0] = rows.offset
        progress[0] = csv.path.stat().st_size
        if rows_read == 0:
            raise FormatError(csv.path, "holds no row of joint positions", "export again")

    return Recording(format="csv of PlotJuggler", channels=tuple([vector.channel for vector in own] +
                     [vector.channel for stream in others for vector in stream.vectors]),
                     clock=clock, blocks=blocks, unmapped=unmapped, notes=notes.lines, bytes=csv.path.stat().st_size,
                     done=lambda: progress[0])


class _Held:
    """A stream put on the rows of the joint states: its last message at or before each, in the file's order."""

    def __init__(self, stream: _Stream, places: list[int], notes: Notes) -> None:
        self._stream, self._places, self._notes = stream, places, notes
        self._sample, self._time = np.full((1, len(places)), np.nan), 0
        self._known, self._first, self._number, self._age = False, 0, 0, 0

    def on(self, mine: np.ndarray, times: np.ndarray, right: np.ndarray, values: np.ndarray) -> np.ndarray:
        there = right & ~np.isnan(values[:, self._places]).all(axis=1)
        rows = np.flatnonzero(there)
        samples = np.concatenate((self._sample, values[rows][:, self._places]))
        sample_times = np.concatenate(([self._time], times[rows]))
        latest = np.cumsum(there)[mine]  # place in `samples`: 0 is what was there before
        held: np.ndarray = samples[latest]
        ages = times[mine] - sample_times[latest]
        if not self._known:
            ages = ages[latest > 0]
        self._age = max(self._age, int(ages.max())) if len(ages) else self._age
        if len(rows):
            if not self._known:
                self._first = int(times[rows[0]])
            self._known = True
            self._number += len(rows)
            self._sample, self._time = samples[-1:], int(sample_times[-1])
        span = (self._time - self._first) / 1e9
        rate = f"{(self._number - 1) / span:.4g} Hz" if span > 0 else count(self._number, "message")
        names = ", ".join(vector.channel.name for vector in self._stream.vectors)
        self._notes.say("held " + self._stream.topic,
                        f"{names} ({self._stream.topic}, {rate}): each row has the last message before it, "
                        f"at most {self._age / 1e6:.4g} ms old")
        return held


