"""Recordings of ROS 1, ROS 2 and MCAP: joint states, IMU and wrenches of a bag.

Rows are the messages of one topic of joint states; other topics are held on their times. Joints go by name, whatever
their order in a message. What a message means is told by its fields, so a type of one's own with `name`, `position`,
`velocity` and `effort` is read as sensor_msgs/JointState is.
"""

import collections
import contextlib
import dataclasses
import pathlib
import re
from collections.abc import Callable, Iterator

import numpy as np

from antaeus.formats.bag_files import Container, Topic, kind_of, open_container
from antaeus.formats.bag_messages import (
    BUILT_IN,
    MOST_COLUMNS,
    Decoder,
    Fields,
    JsonTypes,
    Piece,
    ProtobufTypes,
    RosTypes,
    Text,
    Unreadable,
    at_path,
    ros_name,
    scalars,
)
from antaeus.formats.recording import (
    AXIS_UNITS,
    UNKNOWN,
    WRENCH,
    WRENCH_COLUMNS,
    Block,
    Channel,
    FormatError,
    Recording,
    UnreadableError,
    Wishes,
    hold,
    nearest,
)

SAMPLE_MESSAGES = 2000  # of a topic, that decide on channels and clock
SAMPLE_BYTES = 64 << 20  # a file up to this size is looked through as a whole
SAMPLE_PASSED = 24 << 20  # of a larger file, at most, however few messages of the topic lie in it
DEFINITION_COST = 64  # bytes that one byte of a definition costs, for its parser is slow
SLACK = 100_000_000  # [ns] messages come out of order by this much, and are put in order
CLOCKS_APART = 1_000_000_000  # [ns] how much two topics' header stamps may differ against the receiver's
MOST_JOINTS = 2000
_CHANNELS = {"position": "qpos", "velocity": "dq", "acceleration": "ddq", "effort": "tau"}
_UNITS = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s²"}
_TEXT_AXES = ("x", "y", "z")
# unitree_sdk2, include/unitree/idl/go2 and its examples: motors of Go2 and B2, whose URDFs begin with FL
_LEGS = tuple(f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in ("hip", "thigh", "calf"))


# ---- What is wanted of a message ---------------------------------------------------------------------------------------

def _names(tree: dict) -> tuple[Text | str, ...]:
    for field in ("name", "joint_names", "names", "joint_name"):
        if isinstance(tree.get(field), list):
            if set(map(type, tree[field])) <= {str}:
                return tuple(tree[field])
            return tuple(text if isinstance(text, Text) else str(text) for text in tree[field])
    return ()


def _stamp(tree: dict) -> tuple | None:
    stamp = at_path(tree, "header.stamp") or tree.get("timestamp") or tree.get("stamp")
    if isinstance(stamp, str):  # Protobuf's JSON
        try:
            whole = np.datetime64(stamp.rstrip("Z"), "ns").astype(np.int64)
        except ValueError:
            return None
        return int(whole) // 1_000_000_000, int(whole) % 1_000_000_000
    if not isinstance(stamp, dict):
        return None
    seconds = next((stamp[name] for name in ("sec", "secs", "seconds") if name in stamp), 0)
    rest = next((stamp[name] for name in ("nanosec", "nsec", "nsecs", "nanos") if name in stamp), 0)
    if isinstance(seconds, str | int) and isinstance(rest, str | int):
        return int(seconds), int(rest)
    return scalars(seconds)[0], scalars(rest)[0]


def _joint_fields(names: tuple[Text | str, ...], values: dict[str, list], tree: dict) -> Fields:
    """Fields with one column a name. Raises Unreadable where the numbers fit no joints."""
    most = max((len(entries) for entries in values.values()), default=0)
    nameless = not names and most > 0
    plain = bool(names) and isinstance(names[0], str)
    texts: tuple[str, ...] = tuple(map(str, names)) if names else tuple(map(str, range(most)))
    if len(texts) > MOST_JOINTS:
        raise Unreadable(f"it names {len(texts)} joints")
    if any(len(entries) > len(texts) for entries in values.values()):
        raise Unreadable(f"it has {most} numbers for {len(texts)} names")
    return Fields(
        texts, values, _stamp(tree), () if plain else tuple(name for name in names if isinstance(name, Text)), nameless
    )


def _of_joint_state(tree: dict) -> Fields:
    values = {}
    for field, others in (("position", ("positions", "q")), ("velocity", ("velocities", "dq")),
                          ("acceleration", ("accelerations",)), ("effort", ("efforts", "torque", "torques", "tau_J"))):
        part = next((tree[name] for name in (field, *others) if name in tree), None)
        if part is not None:
            values[field] = scalars(part)
    return _joint_fields(_names(tree), values, tree)


def _of_joint_list(tree: dict) -> Fields:
    joints = tree.get("joints") or []
    values = {}
    for field in ("position", "velocity", "acceleration", "effort"):
        parts = [joint.get(field) for joint in joints]
        if any(part is not None for part in parts):
            values[field] = [scalars(part)[0] for part in parts]
    names = tuple(joint.get("name") or "" for joint in joints)
    return _joint_fields(tuple(name if isinstance(name, Text) else str(name) for name in names), values, tree)


def _of_motors(tree: dict) -> Fields:
    motors = tree["motor_state"]
    values = {field: [scalars(motor[name])[0] for motor in motors if name in motor]
              for field, name in (("position", "q"), ("velocity", "dq"), ("effort", "tau_est"))}
    values = {field: entries for field, entries in values.items() if entries}
    fields = _joint_fields((), values, tree)
    imu = tree.get("imu_state")
    if isinstance(imu, dict):
        quaternion = scalars(imu.get("quaternion") or [])
        if len(quaternion) == 4:  # w first in the message
            fields.values["imu_quat_xyzw"] = [*quaternion[1:], quaternion[0]]
        for channel, field in (("imu_gyro", "gyroscope"), ("imu_acc", "accelerometer")):
            if len(entries := scalars(imu.get(field) or [])) == 3:
                fields.values[channel] = entries
    return fields


def _of_controller(tree: dict) -> Fields:
    values: dict[str, list] = {}
    for place, prefix in (("reference", "reference"), ("desired", "reference"), ("feedback", ""), ("actual", "")):
        point = tree.get(place)
        if isinstance(point, dict):
            for field, name in (("position", "positions"), ("velocity", "velocities"), ("effort", "effort")):
                if name in point:
                    values.setdefault(f"{prefix} {field}".strip(), scalars(point[name]))
    return _joint_fields(_names(tree), values, tree)


def _axes(tree: object, names: tuple[str, ...]) -> list:
    if not isinstance(tree, dict) or any(name not in tree for name in names):
        raise Unreadable("it lacks an axis")
    return [scalars(tree[name])[0] for name in names]


def _of_imu(tree: dict) -> Fields:
    values = {
        "imu_gyro": _axes(tree["angular_velocity"], _TEXT_AXES),
        "imu_acc": _axes(tree["linear_acceleration"], _TEXT_AXES),
    }
    if "orientation" in tree:
        values["imu_quat_xyzw"] = _axes(tree["orientation"], (*_TEXT_AXES, "w"))
        values["given"] = scalars(tree.get("orientation_covariance", 0.0))[:1] or [0.0]
    return Fields((), values, _stamp(tree))


def _of_wrench(tree: dict) -> Fields:
    wrench = tree.get("wrench")
    wrench = wrench if isinstance(wrench, dict) else tree
    return Fields(
        (), {"wrench": _axes(wrench.get("force"), _TEXT_AXES) + _axes(wrench.get("torque"), _TEXT_AXES)}, _stamp(tree)
    )


def _of_path(path: str) -> Callable[[dict], Fields]:
    def wanted(tree: dict) -> Fields:
        part = at_path(tree, path)
        if part is None:
            raise Unreadable(f"it has no field {path}")
        entries = scalars(part)
        names = _names(tree)
        if len(names) != len(entries):
            names = tuple(str(i) for i in range(len(entries)))
        return Fields(tuple(map(str, names)), {path: entries}, _stamp(tree), tuple(n for n in names if isinstance(n, Text)),
                      not isinstance(names[0], Text) if names else True)
    return wanted


_WANTED = {"joints": _of_joint_state, "numbered": _of_joint_state, "joint list": _of_joint_list, "motors": _of_motors, "controller": _of_controller,
           "imu": _of_imu, "wrench": _of_wrench}


def _role(topic: Topic, fields: dict[str, str]) -> str:
    """What messages with such fields are: a key of _WANTED, "description", or "" for those that are not read."""
    names = next((fields[name] for name in ("name", "joint_names", "names") if name in fields), "")
    numbers = next((fields[name] for name in ("position", "positions", "q") if name in fields), "")
    if fields.get("motor_state") == "structs":
        return "motors"
    if names == "texts" and ("struct" in (fields.get("reference"), fields.get("desired"))):
        return "controller"
    if names == "texts" and numbers == "numbers":
        return "joints"
    if fields.get("joints") == "structs" and topic.type.endswith("JointStates"):
        return "joint list"
    if numbers == "numbers" and fields.get("tau_J") == "numbers":  # franka_msgs/FrankaState
        return "numbered"
    if fields.get("angular_velocity") == fields.get("linear_acceleration") == "struct":
        return "imu"
    if fields.get("wrench") == "struct" or (fields.get("force") == fields.get("torque") == "struct" and len(fields) == 2):
        return "wrench" if "Wrench" in topic.type or "wrench" in topic.name else ""
    return "description" if topic.name.endswith("robot_description") and "data" in fields else ""


# ---- Streams -----------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class _Sample:
    """What the first messages of a topic showed."""

    messages: int
    whole: bool  # all of the topic was looked at
    groups: "collections.OrderedDict[tuple[str, ...], int]"  # names in a message, sorted, → messages
    names: list[str]  # in the order of the first message that has them
    fields: dict[str, int]  # columns of each field, at most
    acting: dict[str, bool]  # fields with a number that is neither 0 nor NaN
    all_acting: bool  # whether all up to it have one
    last_acting: int  # index of the last name of which any number is not 0
    times: np.ndarray
    stamps: np.ndarray | None
    nameless: bool
    first: dict[str, np.ndarray]  # values by field of messages of one layout


def _moments(times: list[int], place: object) -> np.ndarray:
    try:
        return np.array(times, np.int64)
    except OverflowError:
        raise FormatError(place, "holds times beyond the year 2262", "the file is damaged: copy it again") from None


class _Stream:
    """The messages of one topic, decoded."""

    def __init__(self, container: Container, topic: Topic, role: str, forms: list, wanted: Callable[[dict], Fields]) -> None:
        self.container, self.topic, self.role, self.forms, self.wanted = container, topic, role, forms, wanted
        self.decoder = self._decoder(forms)
        self._sampled: _Sample | None = None

    def _decoder(self, forms: list) -> Decoder:
        return Decoder(forms, self.wanted, self.container.budget.counter("parts of its messages take"))

    def batches(self) -> Iterator[tuple[np.ndarray, np.ndarray | None, list[Piece]]]:
        """Receiver's times (n,), header stamps (n,), pieces."""
        for times, datas in self.container.messages(self.topic):
            pieces = self.decoder.pieces(datas)
            stamps = None
            if any(piece.stamps is not None for piece in pieces):
                stamps = np.zeros(len(times), np.int64)
                for piece in pieces:
                    if piece.stamps is not None:
                        stamps[piece.at] = piece.stamps
            yield _moments(times, self.container.path), stamps, pieces

    def sample(self) -> _Sample:
        """The first messages; all of them in a small file. The decoder's counts begin anew."""
        if self._sampled is not None:
            return self._sampled
        groups: collections.OrderedDict[tuple[str, ...], int] = collections.OrderedDict()
        names: dict[str, int] = {}
        fields: dict[str, int] = {}
        acting: dict[str, bool] = {}
        times: list[np.ndarray] = []
        stamps: list[np.ndarray] = []
        first: dict[str, np.ndarray] = {}
        seen, whole, stamped, nameless, moved = 0, True, True, False, set()
        for moments, marks, pieces in self.batches():
            chosen = np.zeros(len(moments), bool)
            for piece in sorted(pieces, key=lambda piece: int(piece.at[0])):
                chosen[piece.at] = True
                key = tuple(sorted(set(piece.names)))
                groups[key] = groups.get(key, 0) + len(piece.at)
                nameless = nameless or piece.nameless
                for name in piece.names:
                    names.setdefault(name, len(names))
                for field, values in piece.values.items():
                    fields[field] = max(fields.get(field, 0), values.shape[1])
                    moving = np.any((values != 0) & np.isfinite(values), axis=0)
                    acting[field] = acting.get(field, False) or bool(moving.any())
                    if piece.nameless and field in _CHANNELS and moving.any():
                        moved |= set(np.flatnonzero(moving).tolist())
                if not first:
                    first = piece.values
            times.append(moments[chosen])
            stamped = stamped and marks is not None
            stamps.append(marks[chosen] if marks is not None else np.zeros(0, np.int64))
            seen += int(chosen.sum())
            if self.container.bytes > SAMPLE_BYTES and (
                seen >= SAMPLE_MESSAGES or seen and self.container.passed > SAMPLE_PASSED
            ):
                whole = False
                break
        empty = np.zeros(0, np.int64)
        self._sampled = _Sample(seen, whole, groups, list(names), fields, acting, len(moved) == max(moved, default=-1) + 1,
                                max(moved, default=-1), np.concatenate(times or [empty]),
                                np.concatenate(stamps or [empty]) if stamped and stamps else None, nameless, first)
        self.problem = self.decoder.reason
        self.decoder.unreadable, self.decoder.reason = 0, ""
        return self._sampled

    def again(self) -> Decoder:
        """A decoder for another pass, that knows the form already."""
        self.decoder = self._decoder(list(self.decoder.forms))
        return self.decoder


class _Follower:
    """Rows of a stream that are held on others' times."""

    def __init__(self, columns: int) -> None:
        self.times, self.values = np.zeros(0, np.int64), np.zeros((0, columns))
        self.age, self.rows = 0, 0
        self.waiting: list[tuple[np.ndarray, np.ndarray]] = []  # not sorted in
        self.first: int | None = None
        self.last: int | None = None

    def feed(self, times: np.ndarray, values: np.ndarray) -> None:
        if not len(times):
            return
        self.rows += len(times)
        self.first = int(times.min()) if self.first is None else min(self.first, int(times.min()))
        self.last = int(times.max()) if self.last is None else max(self.last, int(times.max()))
        self.waiting.append((times, values))

    def _sort_in(self) -> None:
        if not self.waiting:
            return
        self.times = np.concatenate([self.times, *(times for times, _ in self.waiting)])
        self.values = np.concatenate([self.values, *(values for _, values in self.waiting)])
        self.waiting = []
        if len(self.times) > 1 and np.any(np.diff(self.times) < 0):
            order = np.argsort(self.times, kind="stable")
            self.times, self.values = self.times[order], self.values[order]

    def at(self, times: np.ndarray) -> np.ndarray:
        """Held at times that run forward. What lies before them is forgotten."""
        self._sort_in()
        held = hold(times, self.times, self.values)
        if len(self.times) and len(times):
            found = np.searchsorted(self.times, times, side="right") - 1
            if np.any(found >= 0):
                self.age = max(self.age, int(np.max((times - self.times[np.maximum(found, 0)])[found >= 0])))
            keep = max(int(found[-1]), 0)
            self.times, self.values = self.times[keep:], self.values[keep:]
        return held

    def told(self) -> str:
        seconds = ((self.last or 0) - (self.first or 0)) * 1e-9
        rate = f"{(self.rows - 1) / seconds:.4g} a second" if self.rows > 1 and seconds > 0 else f"{self.rows} in all"
        return f"{rate}, held on the rows, at most {self.age * 1e-6:.4g} ms old"


@dataclasses.dataclass
class _Part:
    """A channel and the field that fills it."""

    channel: Channel
    field: str
    by_joint: bool
    keys: tuple[str, ...] = ()  # names of the columns in the messages, where the channel's are others

    def places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.keys or self.channel.columns)}


def _placed(piece: Piece, field: str, columns: dict[str, int], by_joint: bool, width: int) -> tuple[np.ndarray, int, int]:
    """(messages, columns) of a field by name; how many messages had too few numbers; how many columns were not known."""
    values = piece.values.get(field)
    out = np.full((len(piece.at), width), np.nan)
    if values is None:
        return out, 0, 0
    if not by_joint:
        if values.shape[1] == width:
            out[:] = values
        return out, 0, 0
    names = piece.names[:values.shape[1]]
    places = [columns.get(name, -1) for name in names]
    seen: dict[int, int] = {}
    for i, place in enumerate(places):  # of a name that is there twice, the first one counts
        if place >= 0:
            seen.setdefault(place, i)
    if seen:
        out[:, list(seen)] = values[:, list(seen.values())]
    short = len(piece.at) if 0 < values.shape[1] < len(piece.names) else 0
    return out, short, sum(place < 0 for place in places)


class _Side:
    """Another topic, read alongside and held on the rows."""

    def __init__(self, stream: _Stream, parts: list[_Part], header: bool) -> None:
        self.stream, self.parts, self.header = stream, parts, header

    def start(self) -> None:
        self.stream.again()
        self.reading = self.stream.batches()
        self.followers = [_Follower(len(part.channel.columns)) for part in self.parts]
        self.until: int | None = None
        self.done = False

    def at(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """Values at the times of rows, by channel."""
        while not self.done and (self.until is None or self.until < int(times[-1]) + (SLACK if self.header else 0)):
            batch = next(self.reading, None)
            if batch is None:
                self.done = True
                break
            moments, stamps, pieces = batch
            clock = stamps if self.header and stamps is not None else moments
            for piece in pieces:
                now = clock[piece.at]
                for part, follower in zip(self.parts, self.followers, strict=True):
                    columns = part.places()
                    values, _, _ = _placed(piece, part.field, columns, part.by_joint, len(columns))
                    if part.field == "imu_quat_xyzw" and "given" in piece.values:
                        values[piece.values["given"][:, 0] == -1] = np.nan
                    follower.feed(now, values)
                if len(now):
                    self.until = int(now.max()) if self.until is None else max(self.until, int(now.max()))
        return {part.channel.name: follower.at(times) for part, follower in zip(self.parts, self.followers, strict=True)}


# ---- Opening -----------------------------------------------------------------------------------------------------------

def recognises(path: pathlib.Path) -> bool:
    """A bag of ROS 1 or ROS 2, or MCAP, by its first bytes, its ending or what lies in the folder."""
    return kind_of(path) != ""


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens a bag. Raises FormatError, one line."""
    return _guarded(path, lambda: _Opening(path, wishes).recording())


def _guarded(path: pathlib.Path, call: Callable[[], Recording]) -> Recording:
    try:
        return call()
    except FormatError:
        raise
    except Exception as problem:  # a damaged file makes libraries raise whatever they like
        raise _told(path, problem) from None


def _told(path: pathlib.Path, problem: Exception) -> FormatError:
    text = " ".join(str(problem).split())[:120]
    return UnreadableError(path, f"cannot be read ({type(problem).__name__}{': ' + text if text else ''})",
                       "see that it is a whole bag; copy it again")


def _slug(topic: str) -> str:
    return re.sub(r"\W+", "_", topic.strip("/")).strip("_") or "wrench"


def _disorder(stamps: np.ndarray) -> int:
    """How far stamps run back behind the latest one before [ns]."""
    return int(np.max(np.maximum.accumulate(stamps) - stamps)) if len(stamps) else 0


def _headers_unfit(sample: _Sample) -> str:
    """Why header stamps are no clock; "" where they are one."""
    if sample.stamps is None or not len(sample.stamps):
        return "the messages have no header stamps"
    if not sample.stamps.any():
        return "header stamps are all zero"
    if len(sample.stamps) > 1 and not np.any(np.diff(sample.stamps)):
        return "header stamps are all the same"
    back = _disorder(sample.stamps)
    return f"header stamps run backwards, by up to {back * 1e-9:.4g} s" if back > SLACK else ""


class _Opening:
    """What one opening of a bag decides."""

    def __init__(self, path: pathlib.Path, wishes: Wishes) -> None:
        self.path, self.wishes = path, wishes
        if not path.exists():
            raise FormatError(path, "is not here", "name a bag")
        if wishes.clock not in (None, "header", "receiver"):
            raise FormatError(path, f"a bag has no clock '{wishes.clock}'", "the clock is header or receiver")
        self.container = open_container(path, wishes.budget)
        self.definitions = wishes.budget.counter("its definitions take")
        self.known: dict[tuple[str, str, str, bool], RosTypes] = {}
        self.notes: list[str] = list(self.container.notes)
        self.unmapped: list[str] = []
        self.streams: dict[int, _Stream] = {}
        self.why: dict[int, str] = {}
        for index, topic in enumerate(self.container.topics):
            self._classify(index, topic)

    # -- topics

    def _types(self, name: str, form: str, text: str, cdr: bool) -> RosTypes:
        """A definition, parsed once. Raises Unreadable."""
        key = (name, form, text, cdr)
        if key not in self.known:
            self.definitions.spend(DEFINITION_COST * len(text))
            self.known[key] = RosTypes(name, form, text, cdr)
        return self.known[key]

    def _forms(self, topic: Topic) -> list:
        """The definitions that messages of a topic may have. Raises Unreadable."""
        text = topic.definition.decode("utf-8", "replace")
        if topic.encoding == "json":
            return [JsonTypes(topic.definition if topic.form == "jsonschema" else b"")]
        if topic.encoding == "protobuf":
            return [ProtobufTypes(topic.type, topic.definition)]
        if topic.encoding not in ("cdr", "ros1"):
            raise Unreadable(f"its encoding '{topic.encoding[:20]}' is not read")
        cdr, forms, problem = topic.encoding == "cdr", [], None
        if text and topic.form in ("msg", "idl"):
            try:
                forms.append(self._types(topic.type, topic.form, text, cdr))
            except Unreadable as found:
                problem = found
        if not forms:
            forms = [self._types(topic.type, "msg", text, cdr) for text in BUILT_IN.get(ros_name(topic.type), ())]
        if not forms:
            raise problem or Unreadable("the bag lacks its definition")
        return forms

    def _wished(self, topic: Topic) -> bool:
        return any(wish.source and wish.source.split()[:1] == [topic.name] for wish in self.wishes.channels.values())

    def _classify(self, index: int, topic: Topic) -> None:
        if any(source == topic.name for source in self.wishes.ignore):
            self.why[index] = "ignored as asked"
            return
        if topic.count == 0:
            return
        try:
            forms = self._forms(topic)
            fields: dict[str, str] = {}
            for form in forms:
                fields |= form.fields()
            if isinstance(forms[0], JsonTypes) and not fields:
                for _, datas in self.container.messages(topic):
                    forms[0].walk(datas[0])
                    break
                fields = forms[0].fields()
        except Unreadable as problem:
            if "JointState" in topic.type or "Imu" in topic.type or self._wished(topic):
                self.why[index] = str(problem)
            return
        role = _role(topic, fields)
        self.streams[index] = _Stream(self.container, topic, role, forms, _WANTED.get(role, _of_path("data")))
        if not role:
            self.why.setdefault(index, "")

    def _main(self) -> int:
        """The topic whose messages are the rows. Raises FormatError."""
        topics = self.container.topics
        candidates = [i for i, stream in self.streams.items() if stream.role in ("joints", "joint list", "motors")]
        for role in ("numbered", "controller"):
            candidates = candidates or [i for i, stream in self.streams.items() if stream.role == role]
        asked = self.wishes.topic
        if asked is None:
            sources = [
                (self.wishes.channels[name].source or "").split()
                for name in ("qpos", "dq", "tau")
                if name in self.wishes.channels
            ]
            asked = next(
                (source[0] for source in sources if source and source[0] in {topics[i].name for i in candidates}), None
            )
        if asked is not None:
            found = [i for i in candidates if topics[i].name == asked] or [
                i for i, stream in self.streams.items() if stream.role in ("numbered", "controller") and topics[i].name == asked]
            if not found:
                here = [topics[i].name for i in candidates]
                listed = f"joint states are in {', '.join(here)}" if here else "there are none here"
                there = "holds no joint states" if asked in [topic.name for topic in topics] else "is not in it"
                hint = nearest(asked, here)
                raise FormatError(self.path, f"the topic {asked} {there}", hint or listed)
            candidates = found
        if not candidates and not topics and self.container.cut_off:
            raise FormatError(self.path, f"no topic can be read: {self.container.notes[0]}", "record or copy it again")
        if not candidates:
            lines = [topic.line() + (f" ({self.why[i]})" if self.why.get(i) else "") for i, topic in enumerate(topics)]
            raise FormatError(
                self.path,
                "holds no joint states"
                + (f": it has {'; '.join(lines[:12])}" if lines else " and no other topic")
                + (f" and {len(lines) - 12} more" if len(lines) > 12 else ""),
                "antaeus needs a topic with joint names and positions, as sensor_msgs/JointState",
            )
        rows = [i for i in candidates if self.streams[i].sample().messages]
        if not rows:
            first = self.streams[candidates[0]]
            reason = getattr(first, "problem", "")
            raise FormatError(
                self.path,
                f"{first.topic.name} holds no message that can be read" + (f" ({reason})" if reason else ""),
                "record it again",
            )
        for i in candidates:
            if i not in rows:
                self.why[i] = "joint states without a message that can be read"
        acting = [i for i in rows if self.streams[i].sample().acting.get("effort")]
        if len(rows) > 1 and len(acting) == 1:
            for i in rows:
                if i != acting[0]:
                    self.why[i] = f"joint states without torques, next to {topics[acting[0]].name}"
            rows = acting
        if len(rows) > 1 and len({topics[i].name for i in rows}) > 1:
            lines = [f"{topics[i].line()} of {len(self.streams[i].sample().names)} joints" for i in rows]
            raise FormatError(self.path, f"joint states of {len(rows)} topics could be meant: {'; '.join(lines[:8])}",
                              f"select one with --topic {topics[rows[0]].name}")
        if len(rows) > 1:
            raise FormatError(self.path, f"the topic {topics[rows[0]].name} comes in {len(rows)} types or definitions, "
                              f"{' and '.join(topics[i].type for i in rows)}", "record it with one")
        return rows[0]

    # -- channels

    def _ignored(self, source: str) -> bool:
        return any(source == ignored or source.startswith(ignored + " ") for ignored in self.wishes.ignore)

    def _joint_parts(self, stream: _Stream, columns: tuple[str, ...]) -> list[_Part]:
        """Channels of a topic of joint states, and notes on what is known of their numbers."""
        topic, sample, parts = stream.topic, stream.sample(), []
        foxglove, unitree, franka = stream.role == "joint list", stream.role == "motors", topic.type.endswith("FrankaState")
        for field, name in _CHANNELS.items():
            if not sample.fields.get(field):
                continue
            said = {"motors": {"position": "motor_state.q", "velocity": "motor_state.dq", "effort": "motor_state.tau_est"}}
            source = f"{topic.name} {said.get(stream.role, {}).get(field, field)}"
            if self._ignored(source):
                self.unmapped.append(f"{source} (ignored as asked)")
                continue
            unit = _UNITS.get(field, "N·m" if foxglove or unitree or franka else UNKNOWN)
            parts.append(
                _Part(
                    Channel(name, columns, source, unit, "estimated" if unitree and field == "effort" else "measured"),
                    field,
                    True,
                )
            )
        if not any(part.field == "effort" for part in parts):
            self.notes.append(f"{topic.name} holds no efforts: there is no torque to look at")
        elif not sample.acting.get("effort"):
            self.notes.append(f"all efforts of the first {sample.messages} messages of {topic.name} are zero or NaN")
        if foxglove:
            self.notes.append(
                f"{topic.name} effort: N·m by the schema {topic.type}; if a driver put amperes there, set "
                "channels.tau.unit in a map"
            )
        elif unitree:
            self.notes.append(f"{topic.name} tau_est: estimated by the motors from their current, N·m as Unitree states")
        elif not franka and any(part.field == "effort" for part in parts):
            self.notes.append(
                f"{topic.name} effort: unit unknown. The message states N·m, but drivers send amperes or per cent there: "
                "set channels.tau.unit in a map"
            )
        if any(part.channel.name == "ddq" for part in parts) and self.wishes.channels.get("ddq") is None and not foxglove:
            parts = [part for part in parts if part.channel.name != "ddq"]
        return parts

    def _inline_imu(self, stream: _Stream) -> list[_Part]:
        sample, parts = stream.sample(), []
        names = {"imu_quat_xyzw": "quaternion", "imu_gyro": "gyroscope", "imu_acc": "accelerometer"}
        for name, field in names.items():
            source = f"{stream.topic.name} imu_state.{field}"
            if sample.fields.get(name) and not self._ignored(source):
                axes = (*_TEXT_AXES, "w") if name == "imu_quat_xyzw" else _TEXT_AXES
                if name == "imu_quat_xyzw" and not sample.acting.get(name):
                    self.notes.append(f"{source} is all zero: there is no orientation")
                    continue
                parts.append(_Part(Channel(name, axes, source, AXIS_UNITS[name], "measured"), name, False))
                if name == "imu_quat_xyzw":
                    self.notes.append(f"{source} is w x y z in Unitree's message, and is reordered to x y z w")
        return parts

    def _clock(self, stream: _Stream) -> bool:
        """Whether header stamps are the clock. Raises FormatError where the asked one is none."""
        unfit = _headers_unfit(stream.sample())
        if self.wishes.clock == "receiver":
            return False
        if unfit and self.wishes.clock == "header":
            raise FormatError(self.path, f"{stream.topic.name}: {unfit}", "leave --clock out or give --clock receiver")
        if unfit:
            self.notes.append(f"{stream.topic.name}: {unfit}, so times are the receiver's")
        return not unfit

    def _side(self, index: int, header: bool, offset: float) -> str:
        """Why a topic cannot be read on the recording's clock; "" where it can."""
        sample = self.streams[index].sample()
        if not sample.messages:
            return getattr(self.streams[index], "problem", "") or "no message that can be read"
        if not header:
            return ""
        unfit = _headers_unfit(sample)
        if unfit:
            return f"{unfit}, and clocks are not merged: --clock receiver reads it"
        apart = float(np.median(sample.stamps - sample.times)) - offset
        if abs(apart) > CLOCKS_APART:
            return f"its header stamps are {abs(apart) * 1e-9:.4g} s off those of the joint states: another clock; --clock receiver reads it"
        return ""

    def _imu_parts(self, stream: _Stream) -> list[_Part]:
        topic, sample, parts = stream.topic, stream.sample(), []
        for name, field in (
            ("imu_quat_xyzw", "orientation"),
            ("imu_gyro", "angular_velocity"),
            ("imu_acc", "linear_acceleration"),
        ):
            if not sample.fields.get(name):
                continue
            source = f"{topic.name} {field}"
            given = sample.first.get("given")
            if name == "imu_quat_xyzw" and given is not None and len(given) and np.all(given == -1):
                self.unmapped.append(f"{source} (orientation_covariance[0] is -1: there is no orientation)")
                continue
            if name == "imu_quat_xyzw" and not sample.acting.get(name):
                self.unmapped.append(f"{source} (all zero: there is no orientation)")
                continue
            if self._ignored(source):
                self.unmapped.append(f"{source} (ignored as asked)")
                continue
            axes = (*_TEXT_AXES, "w") if name == "imu_quat_xyzw" else _TEXT_AXES
            parts.append(_Part(Channel(name, axes, source, AXIS_UNITS[name], "measured"), name, False))
        return parts

    def recording(self) -> Recording:
        main = self._main()
        stream = self.streams[main]
        sample, topics = stream.sample(), self.container.topics
        if stream.role == "controller" and "position" not in sample.fields:
            raise FormatError(self.path, f"{stream.topic.name} holds references and no feedback", "record joint states too")
        header = self._clock(stream)
        offset = float(np.median(sample.stamps - sample.times)) if header and len(sample.times) else 0.0
        columns = tuple(name for name in sample.names if name) or tuple(sample.names)
        if sample.nameless and 0 <= sample.last_acting < len(columns) - 1 and stream.role == "motors":
            self.notes.append(
                f"motors {sample.last_acting + 1} to {len(columns) - 1} of {stream.topic.name} are zero in the first "
                f"{sample.messages} messages and are left out"
            )
            columns = columns[:sample.last_acting + 1]
        if len(columns) > MOST_COLUMNS:
            raise FormatError(self.path, f"{stream.topic.name} names {len(columns)} joints", "name the topic of one robot with --topic")
        if not columns:
            raise FormatError(self.path, f"{stream.topic.name} names no joints and holds no numbers", "record it again")
        parts = self._joint_parts(stream, columns)
        if stream.role == "motors" and "unitree_go" in stream.topic.type and len(columns) == len(_LEGS) and sample.all_acting:
            self.notes.append(
                f"{stream.topic.name}: its {len(_LEGS)} motors are named in the order of Unitree's quadrupeds: FR, FL, RR, RL, "
                "each hip, thigh, calf"
            )
            parts = [
                dataclasses.replace(part, channel=dataclasses.replace(part.channel, columns=_LEGS), keys=columns)
                for part in parts
            ]
        elif sample.nameless:
            self.notes.append(f"{stream.topic.name} names no joints: columns are numbers, in the robot's order of "
                              f"{'motors' if stream.role == 'motors' else 'joints'}")
        if not parts:
            raise FormatError(self.path, f"{stream.topic.name} holds names and no numbers", "record it again")
        groups, held = self._groups(stream)
        if stream.role == "motors":
            parts += self._inline_imu(stream)
        taken = {part.channel.name for part in parts}
        sides: list[_Side] = []
        used = {main}

        def add(index: int, side_parts: list[_Part]) -> bool:
            if not side_parts:
                return False
            why = self._side(index, header, offset)
            if why:
                self.why[index] = why
                return False
            self.why.pop(index, None)
            used.add(index)
            sides.append(_Side(self.streams[index], side_parts, header))
            taken.update(part.channel.name for part in side_parts)
            return True

        parts = self._wished_sides(stream, parts, add, taken)
        imus = [i for i, s in self.streams.items() if s.role == "imu" and i not in used and s.sample().messages]
        free = [name for name in AXIS_UNITS if name not in taken]
        if len(imus) > 1 and free:
            for i in imus:
                self.why[i] = (
                    f'{len(imus)} IMUs could be meant: select one with channels.imu_gyro.source = "{topics[i].name} angular_velocity" in a map'
                )
        elif imus and free:
            add(imus[0], [part for part in self._imu_parts(self.streams[imus[0]]) if part.channel.name in free])
        for i, other in self.streams.items():
            if i in used or not other.role:
                continue
            if other.role == "wrench":
                name = WRENCH + _slug(other.topic.name)
                if name not in taken and other.sample().messages:
                    add(
                        i,
                        [
                            _Part(
                                Channel(name, WRENCH_COLUMNS, f"{other.topic.name} wrench", "N, N·m", "measured"),
                                "wrench",
                                False,
                            )
                        ],
                    )
        references = [
            i
            for i, s in self.streams.items()
            if s.role == "controller" and i not in used and s.sample().fields.get("reference position")
        ]
        if len(references) == 1 and "target_dof" not in taken:
            other = self.streams[references[0]]
            add(
                references[0],
                [
                    _Part(
                        Channel("target_dof", tuple(other.sample().names), f"{other.topic.name} reference", "rad", "commanded"),
                        "reference position",
                        True,
                    )
                ],
            )
        elif len(references) > 1:
            for i in references:
                self.why[i] = (
                    f'{len(references)} controllers: select one with channels.target_dof.source = "{topics[i].name} reference" in a map'
                )
        if stream.role == "controller" and sample.fields.get("reference position") and "target_dof" not in taken:
            parts.append(
                _Part(
                    Channel("target_dof", columns, f"{stream.topic.name} reference", "rad", "commanded"),
                    "reference position",
                    True,
                )
            )
        description = self._description(main)
        for index, topic in enumerate(topics):
            if index not in used:
                why = self.why.get(index, "")
                self.unmapped.append(topic.line() + (f" ({why})" if why else ""))
        self.notes += [note for note in self.container.notes if note not in self.notes]
        channels = tuple(part.channel for part in parts) + tuple(part.channel for side in sides for part in side.parts)
        passed = [0]
        recording = Recording(
            self.container.format,
            channels,
            f"header stamps of {stream.topic.name}" if header else "receiver",
            lambda: iter(()),
            self.unmapped,
            self.notes,
            self.container.bytes,
            lambda: passed[0],
            description,
        )
        recording.blocks = lambda: _Rows(self.path, self.container, stream, parts, sides, header, groups, held, recording.notes,
                                         self.wishes.clock, passed).blocks()
        return recording

    def _groups(self, stream: _Stream) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        """Of a topic whose messages name different joints: those that make rows, and those that are held on them."""
        groups = stream.sample().groups
        if len(groups) < 2:
            return list(groups), []
        first = max(groups, key=lambda names: (len(names), groups[names]))
        common = set(first)
        held = [names for names in groups if common.isdisjoint(names)]
        apart = set(held)
        rows = [names for names in groups if names not in apart]
        if held:
            listed = ", ".join(names[0] + (f" … {names[-1]}" if len(names) > 1 else "") for names in held[:4])
            self.notes.append(f"messages of {stream.topic.name} name different joints: rows are those of {len(first)} joints "
                              f"({first[0]} … {first[-1]}); those of {listed} are held on them")
        if len(rows) > 1:
            self.notes.append(
                f"messages of {stream.topic.name} name {len(rows)} different sets of joints: those that a message lacks are NaN"
            )
        return rows, held

    def _wished_sides(self, stream: _Stream, parts: list[_Part], add: Callable[[int, list[_Part]], bool],
                      taken: set[str]) -> list[_Part]:
        """Channels that a map takes from elsewhere."""
        topics = self.container.topics
        for name, wish in self.wishes.channels.items():
            if not wish.source:
                continue
            place, _, field = wish.source.strip().partition(" ")
            found = [i for i, topic in enumerate(topics) if topic.name == place and i in self.streams]
            if not found:
                if any(topic.name == place for topic in topics):
                    why = next(
                        (self.why[i] for i, topic in enumerate(topics) if topic.name == place and self.why.get(i)), "no message"
                    )
                    raise UnreadableError(
                        self.path, f"channels.{name}.source: {place} cannot be read ({why})", "name another topic"
                    )
                hint = nearest(place, [topic.name for topic in topics])
                raise FormatError(
                    self.path,
                    f"channels.{name}.source: there is no topic '{place}'",
                    hint or "antaeus convert lists the topics",
                )
            other = self.streams[found[0]]
            here = next((part for part in parts if part.channel.source == wish.source), None)
            if here is not None and here.channel.name == name:
                continue
            field = field.strip() or {
                "qpos": "position",
                "dq": "velocity",
                "tau": "effort",
                "target_dof": "position",
                "ddq": "acceleration",
            }.get(name, "data")
            if other.topic is stream.topic and field in stream.sample().fields:
                parts = [part for part in parts if part.channel.name != name]
                parts.append(
                    _Part(
                        dataclasses.replace(
                            parts[0].channel if parts else Channel(name, tuple(stream.sample().names), ""),
                            name=name,
                            source=wish.source,
                            unit=_UNITS.get(field, UNKNOWN),
                            stage=UNKNOWN,
                        ),
                        field,
                        True,
                    )
                )
                taken.add(name)
                continue
            if other.role == "imu" and name in AXIS_UNITS:
                side = [part for part in self._imu_parts(other) if part.channel.name == name]
                if not side or side[0].channel.source != f"{place} {field}" and field != "data":
                    raise FormatError(
                        self.path,
                        f"channels.{name}.source: {place} has no {field}",
                        "fields are orientation, angular_velocity and linear_acceleration",
                    )
                rest = [
                    part
                    for part in self._imu_parts(other)
                    if part.channel.name not in self.wishes.channels and part.channel.name not in taken
                ]
                add(found[0], side + rest)
                continue
            wanted = _of_path(field)
            key = {"reference": "reference position", "desired": "reference position"}.get(field, field)
            if other.role in ("joints", "joint list", "motors", "numbered", "controller") and key in other.sample().fields:
                side_stream, key_field, by_joint = other, key, True
            else:
                side_stream = _Stream(self.container, other.topic, "path", other.forms, wanted)
                key_field, by_joint = field, True
            sample = side_stream.sample()
            if key_field not in sample.fields or not sample.fields[key_field]:
                reason = getattr(side_stream, "problem", "") or "it holds no number"
                raise FormatError(
                    self.path, f"channels.{name}.source: {place} {field}: {reason}", "name a topic and a field of its messages"
                )
            names = tuple(sample.names)
            if by_joint and side_stream.role == "path" and name.startswith(WRENCH) and len(names) == 6:
                names, by_joint = WRENCH_COLUMNS, False
            if name in AXIS_UNITS and len(names) == (4 if name == "imu_quat_xyzw" else 3):
                names, by_joint = ((*_TEXT_AXES, "w") if name == "imu_quat_xyzw" else _TEXT_AXES), False
            channel = Channel(name, names, wish.source, _UNITS.get(key_field.rpartition(" ")[2], UNKNOWN),
                              "commanded" if name == "target_dof" else UNKNOWN)
            index = found[0]
            kept, self.streams[index] = self.streams[index], side_stream
            if not add(index, [_Part(channel, key_field, by_joint)]):
                raise FormatError(
                    self.path,
                    f"channels.{name}.source: {place}: {self.why.get(index, 'it cannot be read')}",
                    "name another topic",
                )
            self.streams[index] = kept
            parts = [part for part in parts if part.channel.name != name]
        return parts

    def _description(self, main: int) -> Callable[[], str] | None:
        """The robot's URDF: of the joint states' namespace, where there are several."""
        topics = self.container.topics
        space = topics[main].name.rpartition("/")[0]
        found = sorted((index for index, stream in self.streams.items() if stream.role == "description"),
                       key=lambda index: topics[index].name.rpartition("/")[0] != space)
        for index in found:
            self.why[index] = "a robot's description" + (
                "" if index == found[0] else f"; that of {topics[found[0]].name} is taken"
            )
        if not found:
            return None
        stream = self.streams[found[0]]

        def read() -> str:
            texts = self.container.budget.counter("parts of its messages take")
            for _, datas in self.container.messages(stream.topic):
                for data in datas:
                    with contextlib.suppress(Unreadable):
                        walked, _ = Decoder(list(stream.forms), lambda tree: Fields((), {}), texts).read(data)
                        if text := str(walked.tree.get("data") or "").strip():
                            return text
            raise FormatError(self.path, f"{stream.topic.name} holds no text", "name a robot's URDF")

        return lambda: _description_guarded(self.path, read)


def _description_guarded(path: pathlib.Path, read: Callable[[], str]) -> str:
    try:
        return read()
    except FormatError:
        raise
    except Exception as problem:
        raise _told(path, problem) from None


# ---- Rows --------------------------------------------------------------------------------------------------------------

class _Rows:
    """One reading of a recording, from the first row on."""

    def __init__(
        self,
        path: pathlib.Path,
        container: Container,
        stream: _Stream,
        parts: list[_Part],
        sides: list[_Side],
        header: bool,
        groups: list[tuple[str, ...]],
        held: list[tuple[str, ...]],
        notes: list[str],
        clock: str | None,
        passed: list[int],
    ) -> None:
        self.path, self.container, self.stream, self.parts, self.sides, self.header = (
            path,
            container,
            stream,
            parts,
            sides,
            header,
        )
        self.notes, self.clock, self.passed = notes, clock, passed
        self.held = {names: i for i, names in enumerate(held)}
        self.columns = [part.places() for part in parts]
        self.short = self.strange = self.late = self.infinite = self.doubled = self.rows = 0
        self.widths = np.cumsum([0] + [len(columns) for columns in self.columns])

    def blocks(self) -> Iterator[Block]:
        try:
            yield from self._blocks()
        except FormatError:
            raise
        except Exception as problem:  # a damaged file makes libraries raise whatever they like
            raise _told(self.path, problem) from None

    def _blocks(self) -> Iterator[Block]:
        self.passed[0] = 0
        decoder = self.stream.again()
        self.spread = self.container.budget.counter("its rows take")
        for side in self.sides:
            side.start()
        width = int(self.widths[-1])
        placed_rows = self.container.budget.counter("its rows take")
        followers = [_Follower(width) for _ in self.held]
        times, values = np.zeros(0, np.int64), np.zeros((0, width))
        latest = None  # of the rows that were given
        for moments, stamps, pieces in self.stream.batches():
            passed = self.container.passed
            clock = stamps if self.header and stamps is not None else moments
            new_times, new_values, which = [], [], []
            for piece in pieces:
                placed_rows.spend(len(piece.at) * width * 8)
                row = np.full((len(piece.at), width), np.nan)
                strange = 0
                for i, part in enumerate(self.parts):
                    placed, short, unknown = _placed(piece, part.field, self.columns[i], part.by_joint, len(self.columns[i]))
                    row[:, self.widths[i]:self.widths[i + 1]] = placed
                    self.short += short
                    strange = max(strange, unknown)
                if strange and not piece.nameless:
                    self.strange += len(piece.at)
                group = self.held.get(tuple(sorted(set(piece.names)))) if self.held else None
                if group is not None:
                    followers[group].feed(clock[piece.at], row)
                    continue
                new_times.append(clock[piece.at])
                new_values.append(row)
                which.append(piece.at)
            if new_times:
                order = np.argsort(np.concatenate(which), kind="stable") if len(which) > 1 else slice(None)
                times = np.concatenate([times, np.concatenate(new_times)[order]])
                values = np.concatenate([values, np.concatenate(new_values)[order]])
                if len(times) > 1 and np.any(np.diff(times) < 0):
                    order = np.argsort(times, kind="stable")
                    times, values = times[order], values[order]
            if len(times):
                ready = int(np.searchsorted(times, times[-1] - SLACK, side="right"))
                if ready:
                    block = self._block(times[:ready], values[:ready], followers, latest)
                    latest = int(times[ready - 1]) if latest is None else max(latest, int(times[ready - 1]))
                    times, values = times[ready:], values[ready:]
                    self.passed[0] = passed
                    if len(block.time):
                        yield block
        if len(times):
            block = self._block(times, values, followers, latest)
            if len(block.time):
                yield block
        self.passed[0] = self.container.bytes
        self._tell(decoder, followers)

    def _block(self, times: np.ndarray, values: np.ndarray, followers: list[_Follower], latest: int | None) -> Block:
        if latest is not None and len(times) and times[0] < latest:
            late = times < latest
            self.late += int(late.sum())
            times, values = times[~late], values[~late]
        if followers:
            self.spread.spend(times.nbytes * len(followers) * int(self.widths[-1]))
        for follower in followers:
            held = follower.at(times)
            values = np.where(np.isnan(values), held, values)
        infinite = np.isinf(values)
        if infinite.any():
            self.infinite += int(infinite.any(axis=1).sum())
            values = np.where(infinite, np.nan, values)
        if len(times):
            self.doubled += int((np.diff(times) == 0).sum()) + int(latest is not None and times[0] == latest)
        self.rows += len(times)
        found = {
            part.channel.name: np.ascontiguousarray(values[:, self.widths[i] : self.widths[i + 1]])
            for i, part in enumerate(self.parts)
        }
        if len(times):
            for side in self.sides:
                for name, side_values in side.at(times).items():
                    side_values[np.isinf(side_values)] = np.nan
                    found[name] = side_values
        return Block(times, found)

    def _tell(self, decoder: Decoder, followers: list[_Follower]) -> None:
        """Notes on what the rows were; once."""
        name = self.stream.topic.name
        told = [
            (
                decoder.unreadable,
                f"{decoder.unreadable} messages of {name} could not be read and are left out: {decoder.reason}",
            ),
            (self.short, f"{name}: {self.short} arrays had fewer numbers than names; the rest is NaN"),
            (self.strange, f"{name}: {self.strange} messages name joints that the first ones did not, which are left out"),
            (
                self.late,
                f"{name}: {self.late} messages came more than {SLACK * 1e-6:.0f} ms out of order and are left out"
                + ("; --clock receiver keeps them" if self.header else ""),
            ),
            (self.infinite, f"{name}: {self.infinite} rows held infinite numbers, which are NaN now"),
            (self.doubled, f"{name}: {self.doubled} rows have the time of the row before"),
        ]
        lines = [text for count, text in told if count]
        lines += [f"{name}, joints {names[0]}{' … ' + names[-1] if len(names) > 1 else ''}: {follower.told()}"
                  for names, follower in zip(self.held, followers, strict=True)]
        for side in self.sides:
            lines.append(f"{side.stream.topic.name}: {side.followers[0].told()}")
            if side.stream.decoder.unreadable:
                lines.append(
                    f"{side.stream.decoder.unreadable} messages of {side.stream.topic.name} could not be read: {side.stream.decoder.reason}"
                )
        self.notes += [line for line in [*lines, *self.container.notes] if line not in self.notes]
