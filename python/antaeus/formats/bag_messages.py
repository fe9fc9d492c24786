"""Numbers out of messages of ROS 1, ROS 2 (CDR), Protobuf and JSON.

A message is walked once for its layout: where each number stands, and which bytes decide that (lengths, names, tags).
Messages of the same size whose deciding bytes are equal have the same layout, so a batch of them is one view of numpy.
Nothing here knows a topic or a robot.
"""

import collections
import dataclasses
import json
import struct
import typing
from collections.abc import Callable

import numpy as np

from antaeus.formats.recording import Counter, ExpansionError, library

MOST_NODES = 200_000  # parts of one message, at most
MOST_COLUMNS = 4096  # numbers of one field
WALK_BYTES, NODE_BYTES = 2048, 32  # that a message costs which is walked, and each part of it
MOST_LAYOUTS = 32  # of one size that are kept, and that are searched for in one batch
MOST_DEPTH = 32
DEFINITION_BYTES = 1 << 20

_NUMBERS = {
    "bool": "u1", "byte": "u1", "octet": "u1", "char": "u1", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8", "float32": "f4", "float64": "f8",
}


class Unreadable(ValueError):
    """A message that its definition does not fit."""


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Numbers side by side in a message."""

    offset: int
    dtype: str
    count: int


@dataclasses.dataclass(frozen=True)
class Varint:
    """An integer of Protobuf, seven bits a byte."""

    offset: int
    size: int
    zigzag: bool = False


@dataclasses.dataclass(frozen=True)
class Text:
    """A string and where it stands."""

    offset: int
    value: bytes

    def __str__(self) -> str:
        return self.value.decode("utf-8", "replace")


# ---- Definitions ------------------------------------------------------------------------------------------------------

_RULE = "=" * 80
_HEADER = "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id"
_VECTOR = "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z"
_QUATERNION = "MSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w"
_WRENCH = "MSG: geometry_msgs/Wrench\nVector3 force\nVector3 torque"
_POINT = ("MSG: trajectory_msgs/JointTrajectoryPoint\nfloat64[] positions\nfloat64[] velocities\nfloat64[] accelerations\n"
          "float64[] effort\nbuiltin_interfaces/Duration time_from_start")
# unitree_ros2, cyclonedds_ws/src/unitree: unitree_go/msg and unitree_hg/msg
_UNITREE_IMU = "float32[4] quaternion\nfloat32[3] gyroscope\nfloat32[3] accelerometer\nfloat32[3] rpy\n"


def _texts(*parts: str) -> str:
    return f"\n{_RULE}\n".join(parts)


# Types of old bags, which hold no definitions; where a type changed, each of its forms: the one that fits is taken.
BUILT_IN: dict[str, tuple[str, ...]] = {
    "sensor_msgs/msg/JointState": (
        _texts("std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort", _HEADER),),
    "sensor_msgs/msg/Imu": (
        _texts("std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
               "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
               "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance",
               _HEADER, _QUATERNION, _VECTOR),),
    "geometry_msgs/msg/WrenchStamped": (_texts("std_msgs/Header header\nWrench wrench", _HEADER, _WRENCH, _VECTOR),),
    "geometry_msgs/msg/Wrench": (_texts("Vector3 force\nVector3 torque", _VECTOR),),
    "std_msgs/msg/String": ("string data",),
    "std_msgs/msg/Float64MultiArray": (
        _texts("MultiArrayLayout layout\nfloat64[] data", "MSG: std_msgs/MultiArrayLayout\nMultiArrayDimension[] dim\nuint32 data_offset",
               "MSG: std_msgs/MultiArrayDimension\nstring label\nuint32 size\nuint32 stride"),),
    "control_msgs/msg/JointTrajectoryControllerState": (
        _texts("std_msgs/Header header\nstring[] joint_names\ntrajectory_msgs/JointTrajectoryPoint reference\n"
               "trajectory_msgs/JointTrajectoryPoint feedback\ntrajectory_msgs/JointTrajectoryPoint error\n"
               "trajectory_msgs/JointTrajectoryPoint output", _HEADER, _POINT),
        _texts("std_msgs/Header header\nstring[] joint_names\ntrajectory_msgs/JointTrajectoryPoint desired\n"
               "trajectory_msgs/JointTrajectoryPoint actual\ntrajectory_msgs/JointTrajectoryPoint error", _HEADER, _POINT),),
    "unitree_hg/msg/LowState": (
        _texts("uint32[2] version\nuint8 mode_pr\nuint8 mode_machine\nuint32 tick\nIMUState imu_state\nMotorState[35] motor_state\n"
               "uint8[40] wireless_remote\nuint32[4] reserve\nuint32 crc",
               f"MSG: unitree_hg/IMUState\n{_UNITREE_IMU}int16 temperature",
               "MSG: unitree_hg/MotorState\nuint8 mode\nfloat32 q\nfloat32 dq\nfloat32 ddq\nfloat32 tau_est\nint16[2] temperature\n"
               "float32 vol\nuint32[2] sensor\nuint32 motorstate\nuint32[4] reserve"),),
    "unitree_go/msg/LowState": (
        _texts("uint8[2] head\nuint8 level_flag\nuint8 frame_reserve\nuint32[2] sn\nuint32[2] version\nuint16 bandwidth\n"
               "IMUState imu_state\nMotorState[20] motor_state\nBmsState bms_state\nint16[4] foot_force\nint16[4] foot_force_est\n"
               "uint32 tick\nuint8[40] wireless_remote\nuint8 bit_flag\nfloat32 adc_reel\nint8 temperature_ntc1\n"
               "int8 temperature_ntc2\nfloat32 power_v\nfloat32 power_a\nuint16[4] fan_frequency\nuint32 reserve\nuint32 crc",
               f"MSG: unitree_go/IMUState\n{_UNITREE_IMU}int8 temperature",
               "MSG: unitree_go/MotorState\nuint8 mode\nfloat32 q\nfloat32 dq\nfloat32 ddq\nfloat32 tau_est\nfloat32 q_raw\n"
               "float32 dq_raw\nfloat32 ddq_raw\nint8 temperature\nuint32 lost\nuint32[2] reserve",
               "MSG: unitree_go/BmsState\nuint8 version_high\nuint8 version_low\nuint8 status\nuint8 soc\nint32 current\n"
               "uint16 cycle\nint8[2] bq_ntc\nint8[2] mcu_ntc\nuint16[15] cell_vol"),),
}


def ros_name(name: str) -> str:
    """The name of a type as ROS 2 writes it: package/msg/Name."""
    package, _, rest = name.partition("/")
    return f"{package}/msg/{rest.rpartition('/')[2]}" if rest else name


# ---- Walkers: message → tree of dict, list, Numbers, Varint, Text, and the bytes that decide the layout -----------------

@dataclasses.dataclass
class Walked:
    """A message taken apart. `fixed`: ranges of bytes that decide where its parts stand, with the bits that do."""

    tree: dict
    fixed: list[tuple[int, int, int]]


class RosTypes:
    """The definition of a type of ROS, and how its messages lie in ROS 1's or CDR's encoding."""

    def __init__(self, name: str, form: str, text: str, cdr: bool) -> None:
        """`form`: "msg" or "idl". Raises Unreadable where the text is no definition."""
        self.name, self.cdr = ros_name(name), cdr
        if len(text) > DEFINITION_BYTES:
            raise Unreadable("its definition is too long")
        try:
            if form == "idl":
                self.types = library("rosbags.typesys.idl").get_types_from_idl(text)
            else:
                self.types = library("rosbags.typesys.msg").get_types_from_msg(text, self.name)
            kinds = library("rosbags.interfaces").Nodetype
        except Exception as problem:  # whatever a parser of foreign text raises
            if type(problem).__name__ == "FormatError":
                raise
            raise Unreadable(f"its definition cannot be read: {' '.join(str(problem).split())[:80]}") from None
        self.base, self.named, self.array, self.sequence = kinds.BASE, kinds.NAME, kinds.ARRAY, kinds.SEQUENCE
        if self.name not in self.types:
            raise Unreadable("its definition is of another type")

    def fields(self) -> dict[str, str]:
        """Names of the outermost fields: "texts", "numbers" (arrays), "structs" (arrays), "struct" or "other"."""
        found = {}
        for name, (kind, argument) in self.types[self.name][1]:
            if kind == self.named:
                found[name] = "struct"
            elif kind in (self.array, self.sequence):
                inner, what = argument[0]
                found[name] = "structs" if inner == self.named else "texts" if what[0] in ("string", "wstring") else "numbers"
            else:
                found[name] = "other"
        return found

    def walk(self, data: bytes) -> Walked:
        self.data, self.nodes = data, 0
        self.fixed: list[tuple[int, int, int]] = []
        self.order, self.start, self.widest = "<", 0, 8
        if self.cdr:
            if len(data) < 4 or data[0] or data[1] not in (0, 1, 6, 7):
                raise Unreadable("it is not plain CDR")
            self.order, self.start, self.widest = "<" if data[1] & 1 else ">", 4, 4 if data[1] > 1 else 8
            self.fixed.append((0, 2, 0xFF))
        tree, end = self._struct(self.name, self.start, 0)
        if not 0 <= len(data) - end <= (7 if self.cdr else 0):
            raise Unreadable(f"it has {len(data)} bytes, its definition {end}")
        return Walked(tree, self.fixed)

    def _align(self, at: int, size: int) -> int:
        if self.cdr and size > 1:
            size = min(size, self.widest)
            at += -(at - self.start) % size
        return at

    def _length(self, at: int, smallest: int) -> tuple[int, int]:
        at = self._align(at, 4)
        if at + 4 > len(self.data):
            raise Unreadable("it ends early")
        (count,) = struct.unpack_from(self.order + "I", self.data, at)
        if count * smallest > len(self.data) - at - 4:
            raise Unreadable(f"it states {count} elements and ends early")
        self.fixed.append((at, at + 4, 0xFF))
        return count, at + 4

    def _struct(self, name: str, at: int, depth: int) -> tuple[dict, int]:
        self.nodes += 1
        if self.nodes > MOST_NODES or depth > MOST_DEPTH:
            raise Unreadable("it has too many parts")
        if name in ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration"):
            seconds = "u4" if not self.cdr and name.endswith("Time") else "i4"
            first, at = self._numbers(seconds, 1, at)
            rest, at = self._numbers("u4" if self.cdr or name.endswith("Time") else "i4", 1, at)
            return {"sec": first, "nanosec": rest}, at
        if name not in self.types:
            raise Unreadable(f"its definition lacks {name}")
        tree = {}
        fields = self.types[name][1]
        for field, kind in fields:
            tree[field], at = self._value(kind, at, depth)
        return tree, at + (1 if self.cdr and not fields else 0)

    def _numbers(self, code: str, count: int, at: int) -> tuple[Numbers, int]:
        size = int(code[1])
        at = self._align(at, size) if count else at
        if at + size * count > len(self.data):
            raise Unreadable("it ends early")
        return Numbers(at, self.order + code, count), at + size * count

    def _text(self, at: int) -> tuple[Text, int]:
        size, at = self._length(at, 1)
        value = self.data[at:at + size]
        return Text(at, value[:-1] if self.cdr and value.endswith(b"\0") else value), at + size

    def _value(self, kind: tuple, at: int, depth: int) -> tuple[object, int]:
        node, argument = kind
        if node == self.base:
            if argument[0] == "string":
                return self._text(at)
            if argument[0] not in _NUMBERS:
                raise Unreadable(f"it has {argument[0]}")
            return self._numbers(_NUMBERS[argument[0]], 1, at)
        if node == self.named:
            return self._struct(argument, at, depth + 1)
        inner, count = argument
        number = inner[0] == self.base and _NUMBERS.get(inner[1][0])
        if node == self.sequence:
            count, at = self._length(at, int(number[1]) if number else 1)
        if number:
            return self._numbers(number, count, at)
        if count > MOST_NODES:
            raise Unreadable("it has too many parts")
        found = []
        for _ in range(count):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise Unreadable("it has too many parts")
            value, at = self._value(inner, at, depth + 1)
            found.append(value)
        return found, at


class ProtobufTypes:
    """A message of Protobuf, by the FileDescriptorSet that MCAP keeps of it."""

    def __init__(self, name: str, descriptors: bytes) -> None:
        kinds = library("google.protobuf.descriptor_pb2")
        try:
            files = kinds.FileDescriptorSet.FromString(descriptors)
        except Exception as problem:
            raise Unreadable(f"its definition cannot be read: {str(problem)[:80]}") from None
        self.name, self.kind = "." + name, kinds.FieldDescriptorProto
        self.messages: dict[str, dict[int, typing.Any]] = {}
        self.implicit: dict[str, list[str]] = {}  # numbers that are 0 where they are absent
        for file in files.file:
            stack = [(f".{file.package}" if file.package else "", message) for message in file.message_type]
            while stack:
                place, message = stack.pop()
                full = f"{place}.{message.name}"
                self.messages[full] = {field.number: field for field in message.field}
                self.implicit[full] = [
                    field.name for field in message.field
                    if file.syntax == "proto3" and field.label != 3 and not field.proto3_optional
                    and not field.HasField("oneof_index") and field.type not in (9, 10, 11, 12)]
                stack += [(full, inner) for inner in message.nested_type]
        if self.name not in self.messages:
            raise Unreadable("its definition is of another type")

    def fields(self) -> dict[str, str]:
        found = {}
        for field in self.messages[self.name].values():
            many = field.label == 3
            found[field.name] = (("structs" if many else "struct") if field.type == 11 else
                                 ("texts" if field.type == 9 else "numbers") if many else "other")
        return found

    def walk(self, data: bytes) -> Walked:
        self.data, self.nodes = data, 0
        self.fixed: list[tuple[int, int, int]] = []
        return Walked(self._struct(self.name, 0, len(data), 0), self.fixed)

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            if at >= end or shift > 63:
                raise Unreadable("it ends early")
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, at

    def _struct(self, name: str, at: int, end: int, depth: int) -> dict:
        if depth > MOST_DEPTH or name not in self.messages:
            raise Unreadable(f"its definition lacks {name}")
        fields = self.messages[name]
        tree: dict[str, typing.Any] = dict.fromkeys(self.implicit[name], 0.0)
        while at < end:
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise Unreadable("it has too many parts")
            start = at
            tag, at = self._varint(at, end)
            field, wire = fields.get(tag >> 3), tag & 7
            value: typing.Any = None
            self.fixed.append((start, at, 0xFF))
            if wire == 0:
                first = at
                _, at = self._varint(at, end)
                self.fixed.append((first, at, 0x80))
                value = Varint(first, at - first, field is not None and field.type in (17, 18))
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
                if at + size > end:
                    raise Unreadable("it ends early")
                if field is not None:
                    value = Numbers(at, {1: "<f8", 2: "<f4", 6: "<u8", 16: "<i8", 7: "<u4", 15: "<i4"}.get(field.type, f"<u{size}"), 1)
                at += size
            elif wire == 2:
                first = at
                size, at = self._varint(at, end)
                if size > end - at:
                    raise Unreadable("it ends early")
                self.fixed.append((first, at, 0xFF))
                if field is not None and field.type == 11:
                    value = self._struct(field.type_name, at, at + size, depth + 1)
                elif field is not None and field.type == 9:
                    value = Text(at, self.data[at:at + size])
                elif field is not None and field.type in (1, 2, 6, 7, 15, 16):
                    code = {1: "<f8", 2: "<f4", 6: "<u8", 16: "<i8", 7: "<u4", 15: "<i4"}[field.type]
                    if size % int(code[2]):
                        raise Unreadable("a packed field is cut")
                    value = [Numbers(at, code, size // int(code[2]))]
                elif field is not None and field.type != 12 and size <= 16 * MOST_COLUMNS:
                    value, here = [], at
                    while here < at + size:
                        first = here
                        _, here = self._varint(here, at + size)
                        value.append(Varint(first, here - first, field.type in (17, 18)))
                    self.fixed.append((at, at + size, 0x80))
                at += size
            else:
                raise Unreadable("it has a group")
            if field is None:
                continue
            if field.label == 3:
                tree.setdefault(field.name, [])
                tree[field.name] += value if isinstance(value, list) else [value]
            else:
                tree[field.name] = value
        return tree


class JsonTypes:
    """Messages in JSON: the tree is the object itself."""

    def __init__(self, schema: bytes) -> None:
        self.known: dict[str, str] = {}
        try:
            properties = json.loads(schema or b"{}").get("properties", {})
            for name, entry in properties.items():
                inner = entry.get("items", {}).get("type")
                self.known[name] = ({"string": "texts", "object": "structs"}.get(inner, "numbers") if entry.get("type") == "array"
                                    else "struct" if entry.get("type") == "object" else "other")
        except (ValueError, AttributeError, TypeError, RecursionError):
            self.known = {}

    def fields(self) -> dict[str, str]:
        return self.known

    def walk(self, data: bytes) -> Walked:
        try:
            tree = json.loads(data)
        except (ValueError, RecursionError) as problem:
            raise Unreadable(f"it is no JSON: {str(problem)[:60]}") from None
        if not isinstance(tree, dict):
            raise Unreadable("it is no JSON object")
        if not self.known:
            for name, value in tree.items():
                first = value[0] if isinstance(value, list) and value else None
                self.known[name] = ("struct" if isinstance(value, dict) else "other" if not isinstance(value, list) else
                                    "texts" if isinstance(first, str) else "structs" if isinstance(first, dict) else "numbers")
        return Walked(tree, [])


# ---- Parts of a tree ---------------------------------------------------------------------------------------------------

def scalars(node: typing.Any) -> list:
    """The numbers of a part of a tree, one entry each: (offset, dtype), Varint, or the number itself in JSON."""
    if isinstance(node, Numbers):
        if node.count > MOST_COLUMNS:
            raise Unreadable(f"a field has {node.count} numbers")
        size = int(node.dtype[2])
        return [(node.offset + size * i, node.dtype) for i in range(node.count)]
    if isinstance(node, list):
        if len(node) <= MOST_COLUMNS and set(map(type, node)) <= {float}:
            return node
        found = []
        for inner in node:
            found += scalars(inner)
            if len(found) > MOST_COLUMNS:
                raise Unreadable("a field has too many numbers")
        return found
    if isinstance(node, dict):
        return scalars(list(node.values()))
    if node is None:
        return [float("nan")]
    if isinstance(node, bool | str):
        try:
            return [float(node)]  # "NaN" of Protobuf's JSON, or none
        except (TypeError, ValueError):
            return [float("nan")]
    if isinstance(node, int):
        try:
            return [float(node)]
        except OverflowError:
            return [float("inf")]
    if isinstance(node, Text):
        return [float("nan")]
    return [node]


def at_path(tree: typing.Any, path: str) -> typing.Any:
    """A part of a tree by names with dots; names behind a list of parts give the list of theirs. None where it is not there."""
    for name in path.split(".") if path else ():
        if isinstance(tree, dict):
            tree = tree.get(name)
        elif isinstance(tree, list):
            tree = tree[int(name)] if name.isdigit() and int(name) < len(tree) else [
                part.get(name) if isinstance(part, dict) else None for part in tree]
        else:
            return None
    return tree


@dataclasses.dataclass
class Fields:
    """What is wanted of one message. `values`: by field, entries of `scalars`; those of `by_joint` have one column a name."""

    names: tuple[str, ...]
    values: dict[str, list]
    stamp: tuple | None = None  # entries of `scalars`: seconds, nanoseconds
    pinned: tuple[Text, ...] = ()  # texts that decide the names
    nameless: bool = False  # the names are numbers that we gave


@dataclasses.dataclass
class Piece:
    """Messages of one layout in a batch: which, their names, and their numbers by field (messages, columns)."""

    at: np.ndarray
    names: tuple[str, ...]
    values: dict[str, np.ndarray]
    stamps: np.ndarray | None  # nanoseconds
    nameless: bool


def _column(rows: np.ndarray, entry: typing.Any) -> np.ndarray:
    if isinstance(entry, tuple):
        size = int(entry[1][2])
        return np.ascontiguousarray(rows[:, entry[0]:entry[0] + size]).view(entry[1])[:, 0]
    if isinstance(entry, Varint):
        found = np.zeros(len(rows), np.uint64)
        for i in range(entry.size):
            found |= (rows[:, entry.offset + i] & np.uint8(0x7F)).astype(np.uint64) << np.uint64(7 * i)
        if entry.zigzag:
            return (found >> np.uint64(1)).astype(np.int64) ^ -(found & np.uint64(1)).astype(np.int64)
        return found.astype(np.int64)
    return np.full(len(rows), entry, float)


class _Gather:
    """The numbers of one field, found in all messages of a layout at once."""

    def __init__(self, entries: list) -> None:
        self.entries, self.count, self.indices, self.span = entries, len(entries), None, None  # numbers, or where all of them are
        codes = {entry[1] for entry in entries if isinstance(entry, tuple)}
        if entries and len(codes) == 1 and all(isinstance(entry, tuple) for entry in entries):
            (self.code,) = codes
            size = int(self.code[2])
            starts = np.array([entry[0] for entry in entries])
            if np.all(np.diff(starts) == size):
                self.span = (int(starts[0]), int(starts[0]) + size * self.count)
            else:
                self.indices = starts[:, None] + np.arange(size)
            self.entries = []

    def read(self, rows: np.ndarray) -> np.ndarray:
        if self.span is not None:
            return np.ascontiguousarray(rows[:, self.span[0]:self.span[1]]).view(self.code).astype(float)
        if self.indices is not None:
            return np.ascontiguousarray(rows[:, self.indices]).view(self.code)[:, :, 0].astype(float)
        if not self.count:
            return np.empty((len(rows), 0))
        return np.column_stack([_column(rows, entry).astype(float) for entry in self.entries])


def _stamps(rows: np.ndarray, stamp: tuple | None) -> np.ndarray | None:
    if stamp is None:
        return None
    seconds, rest = (_column(rows, entry).astype(np.int64) for entry in stamp)
    return seconds * 1_000_000_000 + rest


class _Layout:
    def __init__(self, data: bytes, walked: Walked, fields: Fields) -> None:
        self.names, self.nameless, self.stamp = fields.names, fields.nameless, fields.stamp
        self.mask = np.zeros(len(data), np.uint8)
        for first, last, bits in walked.fixed:
            self.mask[first:last] |= bits
        for text in fields.pinned:
            self.mask[text.offset:text.offset + len(text.value)] = 0xFF
        self.expected = np.frombuffer(data, np.uint8) & self.mask
        self.gathers = {name: _Gather(entries) for name, entries in fields.values.items()}

    def match(self, rows: np.ndarray) -> np.ndarray:
        return ((rows & self.mask) == self.expected).all(axis=1)

    def piece(self, at: np.ndarray, rows: np.ndarray) -> Piece:
        return Piece(at, self.names, {name: gather.read(rows) for name, gather in self.gathers.items()},
                     _stamps(rows, self.stamp), self.nameless)


class Decoder:
    """Batches of messages of one topic → pieces. Counts what it could not read, with the first reason."""

    def __init__(self, forms: list, wanted: Callable[[dict], Fields], counter: Counter) -> None:
        """`forms`: definitions that the messages may have; the first one that fits the first message stays."""
        self.forms, self.wanted, self.counter = forms, wanted, counter
        self.layouts: dict[int, collections.deque] = {}
        self.sizes: collections.deque = collections.deque()
        self.unreadable, self.reason = 0, ""

    def read(self, data: bytes) -> tuple[Walked, Fields]:
        """One message. Raises Unreadable."""
        problem = Unreadable("its definition is not known")
        for form in list(self.forms):
            try:
                walked = form.walk(data)
                fields = self.wanted(walked.tree)
            except Unreadable as found:
                problem = found
                continue
            except (struct.error, IndexError, OverflowError, TypeError, AttributeError, KeyError, RecursionError, ValueError) as found:
                problem = Unreadable(str(found)[:80])
                continue
            finally:
                self.counter.spend(len(data) if isinstance(form, JsonTypes) else WALK_BYTES + NODE_BYTES * form.nodes)
            self.counter.spend(NODE_BYTES * sum(map(len, fields.values.values())))
            self.forms = [form]
            return walked, fields
        raise problem

    def pieces(self, datas: list[bytes]) -> list[Piece]:
        found: list[Piece] = []
        if not datas:
            return found
        if isinstance(self.forms[0], JsonTypes):
            return self._objects(datas)
        sizes = np.fromiter(map(len, datas), np.int64, len(datas))
        for size in np.unique(sizes):
            at = np.flatnonzero(sizes == size)
            rows = np.frombuffer(b"".join(datas if len(at) == len(datas) else [datas[i] for i in at]), np.uint8)
            found += self._same_size(int(size), at, rows.reshape(len(at), int(size)), datas)
        return found

    def _same_size(self, size: int, at: np.ndarray, rows: np.ndarray, datas: list[bytes]) -> list[Piece]:
        found: list[Piece] = []
        if size not in self.layouts:
            self.layouts[size] = collections.deque(maxlen=MOST_LAYOUTS)
            self.sizes.append(size)
            if len(self.sizes) > 512:
                del self.layouts[self.sizes.popleft()]
        left = np.arange(len(at))
        for layout in list(self.layouts[size]):
            if not len(left):
                return found
            match = layout.match(rows if len(left) == len(rows) else rows[left])
            if match.all() and len(left) == len(rows):
                return [layout.piece(at, rows)]
            if match.any():
                found.append(layout.piece(at[left[match]], rows[left[match]]))
                left = left[~match]
        new = 0
        while len(left):
            data = datas[at[left[0]]]
            try:
                walked, fields = self.read(data)
            except Unreadable as problem:
                self.unreadable += 1
                self.reason = self.reason or str(problem)
                left = left[1:]
                continue
            layout = _Layout(data, walked, fields)
            self.layouts[size].append(layout)
            new += 1
            if new > MOST_LAYOUTS:  # messages that are all different: one by one
                found.append(layout.piece(at[left[:1]], rows[left[:1]]))
                left = left[1:]
                continue
            match = layout.match(rows[left])
            match[0] = True
            found.append(layout.piece(at[left[match]], rows[left[match]]))
            left = left[~match]
        return found

    def _objects(self, datas: list[bytes]) -> list[Piece]:
        groups: dict[tuple, tuple[list, list, list]] = {}
        for i, data in enumerate(datas):
            try:
                _, fields = self.read(data)
                stamp = None if fields.stamp is None else int(fields.stamp[0]) * 1_000_000_000 + int(fields.stamp[1])
                if stamp is not None and abs(stamp) >= 1 << 62:
                    raise Unreadable("its stamp is too large")
            except ExpansionError:
                raise
            except (Unreadable, ValueError, OverflowError) as problem:
                self.unreadable += 1
                self.reason = self.reason or str(problem)
                continue
            key = (fields.names, fields.nameless, tuple((name, len(v)) for name, v in fields.values.items()), stamp is None)
            at, values, stamps = groups.setdefault(key, ([], [], []))
            at.append(i)
            values.append(fields.values)
            stamps.append(stamp)
        return [
            Piece(np.array(at), key[0], {name: np.array([v[name] for v in values], float).reshape(len(at), count)
                                         for name, count in key[2]},
                  None if key[3] else np.array(stamps, np.int64), key[1])
            for key, (at, values, stamps) in groups.items()]
