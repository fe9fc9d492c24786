"""What a user says of a recording (a map, options), read and applied: names of joints, units, what is left out."""

import dataclasses
import math
import pathlib
import tomllib
import typing
from collections.abc import Iterator

import numpy as np

from antaeus.formats.recording import (AXIS_UNITS, JOINT_UNITS, UNKNOWN, WRENCH, Block, Channel, ChannelWish, FormatError,
                                       Recording, UnreadableError, Wishes, nearest)

_DEGREE = math.pi / 180.0
# Unit as formats and people write it → (the unit that channels are read in, how many of it one is).
_UNITS = {
    "rad": ("rad", 1.0), "radian": ("rad", 1.0), "radians": ("rad", 1.0),
    "deg": ("rad", _DEGREE), "degree": ("rad", _DEGREE), "degrees": ("rad", _DEGREE), "°": ("rad", _DEGREE),
    "rad/s": ("rad/s", 1.0), "deg/s": ("rad/s", _DEGREE), "degrees/s": ("rad/s", _DEGREE), "°/s": ("rad/s", _DEGREE),
    "rad/s²": ("rad/s²", 1.0), "rad/s^2": ("rad/s²", 1.0), "deg/s²": ("rad/s²", _DEGREE), "deg/s^2": ("rad/s²", _DEGREE),
    "m": ("m", 1.0), "mm": ("m", 1e-3), "m/s": ("m/s", 1.0), "mm/s": ("m/s", 1e-3),
    "N·m": ("N·m", 1.0), "Nm": ("N·m", 1.0), "N*m": ("N·m", 1.0), "mN·m": ("N·m", 1e-3), "mNm": ("N·m", 1e-3),
    "N": ("N", 1.0), "m/s²": ("m/s²", 1.0), "m/s^2": ("m/s²", 1.0), "g": ("m/s²", 9.80665), "1": ("1", 1.0),
}
# A joint that slides has its own unit beside that of a joint that turns.
_SLIDING = {"rad": "m", "rad/s": "m/s", "N·m": "N"}
_STAGES = ("measured", "commanded", "estimated", UNKNOWN)
_GRAVITY = ("included", "excluded", UNKNOWN)
_SIGNS = ("on_robot", "on_environment", "with_axis", UNKNOWN)


def read_map(file: str | pathlib.Path) -> Wishes:
    """The map of a recording: a TOML file as docs/guide/your_robot.md has it. Raises FormatError with file and key."""
    path = pathlib.Path(file)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableError(path, f"cannot be read ({error.strerror})", "give a map that exists") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(path, f"is no TOML: {error}", "docs/guide/your_robot.md shows a map") from None
    _require_keys(path, "", table, ("topic", "clock", "rate", "episode", "joints", "channels", "ignore"))
    channels = _typed(path, "channels", table.get("channels", {}), dict)
    for name, wish in channels.items():
        _typed(path, f"channels.{name}", wish, dict)
    episode = table.get("episode")
    joints = _typed(path, "joints", table.get("joints", {}), dict)
    for joint, new in joints.items():
        _typed(path, f"joints.{joint}", new, str)
    return Wishes(
        topic=_typed(path, "topic", table.get("topic"), str),
        clock=_one_of(path, "clock", table.get("clock"), ("header", "receiver")),
        rate=_positive(path, "rate", table.get("rate")),
        episode=None if episode is None else str(_typed(path, "episode", episode, (str, int))),
        joints=joints,
        channels={name: _channel_wish(path, name, wish) for name, wish in channels.items()},
        ignore=tuple(_texts(path, "ignore", table.get("ignore", []))))


def _channel_wish(path: pathlib.Path, name: str, table: dict[str, typing.Any]) -> ChannelWish:
    place = f"channels.{name}"
    if name not in JOINT_UNITS and name not in AXIS_UNITS and not name.startswith(WRENCH):
        known = [*JOINT_UNITS, *AXIS_UNITS]
        raise FormatError(path, f"{place}: no channel is called so",
                          nearest(name, known) or "channels are " + ", ".join(known) + f" and {WRENCH}PLACE")
    _require_keys(path, place + ".", table, tuple(each.name for each in dataclasses.fields(ChannelWish)))
    wish = ChannelWish(
        source=_typed(path, place + ".source", table.get("source"), str),
        unit=_typed(path, place + ".unit", table.get("unit"), str),
        scale=_number(path, place + ".scale", table.get("scale")),
        stage=_one_of(path, place + ".stage", table.get("stage"), _STAGES),
        gravity=_one_of(path, place + ".gravity", table.get("gravity"), _GRAVITY),
        sign=_one_of(path, place + ".sign", table.get("sign"), _SIGNS),
        columns=tuple(_texts(path, place + ".columns", table["columns"])) if "columns" in table else None)
    if wish.unit is not None and wish.scale is not None:
        raise FormatError(path, f"{place} has unit and scale", "give one of them")
    signs = (UNKNOWN, "on_robot", "on_environment") if name.startswith(WRENCH) else (UNKNOWN, "with_axis")
    if wish.sign is not None and wish.sign not in signs:
        raise FormatError(path, f"{place}.sign is {wish.sign!r}", "write " + " or ".join(signs))
    return wish


def apply(recording: Recording, wishes: Wishes, place: object) -> Recording:
    """The recording with the map's names and units; numbers of a unit that is stated become SI, and a note says so.

    Raises FormatError at `place` for a joint or channel that the recording does not have, with the nearest.
    """
    joints = list(dict.fromkeys(column for channel in recording.channels if channel.name in JOINT_UNITS
                                for column in channel.columns))
    for name in wishes.joints:
        if name not in joints:
            raise FormatError(place, f"the map names a joint '{name}', which the recording does not have",
                              nearest(name, joints) or "its joints are " + ", ".join(joints[:12]))
    names = [channel.name for channel in recording.channels]
    for name in wishes.channels:
        if name not in names:
            raise FormatError(place, f"the map has a channel '{name}', which the recording does not have",
                              "it has " + (", ".join(names) or "none") + "; `source` names what is read as it")
    channels, factors = [], {}
    for channel in _named_alike(recording, wishes, place):
        channel = _renamed(channel, wishes, place)
        wish = wishes.channels.get(channel.name)
        unit, factor, note = _in_si(channel, wish)
        factors[channel.name] = factor
        if wish and (wish.unit is not None or wish.scale is not None):  # what a reader asked for is given
            asked = (f"channels.{channel.name}.scale", f"channels.{channel.name}.unit")
            recording.notes[:] = [line for line in recording.notes if not any(each in line for each in asked)]
        if note:
            recording.notes.append(note)
        width = {"imu_quat_xyzw": 4, "imu_gyro": 3, "imu_acc": 3}.get(channel.name, 6 if channel.name.startswith(WRENCH) else 0)
        if width and len(channel.columns) != width:
            raise FormatError(place, f"{channel.name} ({channel.source}) has {len(channel.columns)} columns", f"name a source of {width}")
        channels.append(dataclasses.replace(channel, unit=unit))
    inner = recording.blocks

    def blocks() -> Iterator[Block]:
        for block in inner():
            with np.errstate(over="ignore"):  # infinite by a map's scale: who reads the log tells it
                scaled = {name: values if factors[name] == 1.0 else values * factors[name] for name, values in block.values.items()}
            yield Block(block.time, scaled)

    return dataclasses.replace(recording, channels=tuple(channels),
                               blocks=inner if all(factor == 1.0 for factor in factors.values()) else blocks)


def _is_counted(channel: Channel) -> bool:
    """Whether its columns have numbers in place of names."""
    return all(column.isdigit() for column in channel.columns)


def without_spare_slots(recording: Recording) -> Recording:
    """Without the last columns of joints that are counted and not named, where all of them hold zero: a message with room
    for more motors than the robot has. They are told by the first block; a note says which."""
    joints = [channel for channel in recording.channels if channel.name in JOINT_UNITS]
    width = len(joints[0].columns) if joints else 0
    if width < 2 or any(len(channel.columns) != width or not _is_counted(channel) for channel in joints):
        return recording
    first = next(iter(recording.blocks()), None)
    if first is None:
        return recording
    used = np.zeros(width, bool)
    for channel in joints:
        if channel.name in first.values:
            used |= (first.values[channel.name] != 0).any(axis=0)
    count = int(np.flatnonzero(used)[-1]) + 1 if used.any() else width
    if count == width:
        return recording
    names = {channel.name for channel in joints}
    inner = recording.blocks

    def blocks() -> Iterator[Block]:
        for block in inner():
            yield Block(block.time, {name: values[:, :count] if name in names else values for name, values in block.values.items()})

    recording.notes.append(f"joints {joints[0].columns[count]} to {joints[0].columns[-1]} are left out: they hold zero, as slots "
                           "that no motor uses do")
    channels = tuple(dataclasses.replace(channel, columns=channel.columns[:count]) if channel.name in names else channel
                     for channel in recording.channels)
    return dataclasses.replace(recording, channels=channels, blocks=blocks)


def _named_alike(recording: Recording, wishes: Wishes, place: object) -> list[Channel]:
    """Channels of joints whose columns have no names get those of the others, of which they are as many; else they would be
    joints by place beside joints by name. Raises FormatError where they are not as many."""
    named = next((channel for channel in recording.channels if channel.name in JOINT_UNITS and not _is_counted(channel)), None)
    channels = []
    for channel in recording.channels:
        wish = wishes.channels.get(channel.name, ChannelWish())
        bare = channel.name in JOINT_UNITS and _is_counted(channel) and wish.columns is None
        if named is not None and bare:
            if len(channel.columns) != len(named.columns):
                raise FormatError(place, f"{channel.name} ({channel.source}) has {len(channel.columns)} columns without names, and "
                                  f"{named.name} {len(named.columns)} with", f"name them: channels.{channel.name}.columns in a map")
            recording.notes.append(f"{channel.name} ({channel.source}) has no names: its columns are taken for those of {named.name}, "
                                   "in their order")
            channel = dataclasses.replace(channel, columns=named.columns)
        channels.append(channel)
    return channels


def _renamed(channel: Channel, wishes: Wishes, place: object) -> Channel:
    wish = wishes.channels.get(channel.name, ChannelWish())
    columns = channel.columns
    if wish.columns is not None:
        if len(wish.columns) != len(columns):
            raise FormatError(place, f"the map names {len(wish.columns)} columns of {channel.name}, which has {len(columns)}",
                              "name as many as there are")
        columns = wish.columns
    if channel.name in JOINT_UNITS:
        columns = tuple(wishes.joints.get(column, column) for column in columns)
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise FormatError(place, f"two columns of {channel.name} are called '{twice}'", "distinguish them in a map: [joints]")
    return dataclasses.replace(channel, columns=columns, stage=wish.stage or channel.stage,
                               gravity=wish.gravity or channel.gravity, sign=wish.sign or channel.sign)


def _in_si(channel: Channel, wish: ChannelWish | None) -> tuple[str, float, str]:
    """Unit, factor of the numbers, and what is to be said of it."""
    wanted = JOINT_UNITS.get(channel.name) or AXIS_UNITS.get(channel.name) or UNKNOWN
    if wish and wish.scale is not None:
        return wanted, wish.scale, f"{channel.name} ({channel.source}) is multiplied by {wish.scale:g}, as given in the map"
    stated = wish.unit if wish and wish.unit is not None else channel.unit
    unit, factor = _UNITS.get(stated, (stated, 1.0))
    if unit != wanted and unit != _SLIDING.get(wanted):
        factor = 1.0  # a unit of something else: numbers stay as they are, and are not said to be SI
        unit = stated
        if wish and wish.unit is not None and wanted != UNKNOWN:
            return unit, 1.0, (f"{channel.name} ({channel.source}) is in {stated} by the map, not in {wanted}: its "
                               "numbers stay as they are")
    note = ""
    if factor != 1.0:
        by = "as given in the map" if wish and wish.unit is not None else "as the format states"
        note = f"{channel.name} ({channel.source}) is in {stated}, {by}: converted to {unit}"
    return unit, factor, note


def _require_keys(path: pathlib.Path, place: str, table: dict[str, typing.Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise FormatError(path, f"unknown key '{place}{key}'", nearest(key, known) or "keys are " + ", ".join(known))


def _typed(path: pathlib.Path, key: str, value: typing.Any, kind: type | tuple[type, ...]) -> typing.Any:
    words = {str: "text", dict: "a table", list: "a list"}
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        wanted = words.get(kind, "a text or a number") if isinstance(kind, type) else "a text or a number"
        raise FormatError(path, f"{key} is {value!r}", f"write {wanted}")
    return value


def _number(path: pathlib.Path, key: str, value: typing.Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value == 0:
        raise FormatError(path, f"{key} is {value!r}", "write a finite number that is not 0")
    return float(value)


def _positive(path: pathlib.Path, key: str, value: typing.Any) -> float | None:
    number = _number(path, key, value)
    if number is not None and number < 0:
        raise FormatError(path, f"{key} is {value!r}", "write rows per second, more than 0")
    return number


def _one_of(path: pathlib.Path, key: str, value: typing.Any, known: tuple[str, ...]) -> str | None:
    if value is not None and value not in known:
        raise FormatError(path, f"{key} is {value!r}", nearest(str(value), known) or "write " + " or ".join(known))
    return value


def _texts(path: pathlib.Path, key: str, value: typing.Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise FormatError(path, f"{key} is {value!r}", "write a list of texts")
    return value
