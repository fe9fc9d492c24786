"""Estimated wrenches as an MCAP for Foxglove and rerun: arrows with their uncertainty, joint states, transforms, numbers."""

import dataclasses
import json
import math
import os
import pathlib
import struct
import tempfile
import types
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from antaeus._terminal import printable
from antaeus.formats.bag_messages import BUILT_IN
from antaeus.formats.recording import FormatError, library

# χ² with three degrees of freedom: 95 % of a normal force lies within this many standard deviations.
_SIGMAS_95 = math.sqrt(7.814727903251179)
_LONGEST = 3.0  # m: no half-axis of an ellipsoid and no arrow is drawn longer
_SCENE_RATE = 60.0  # messages a second of what is drawn
COLOURS = {"ok": (0.10, 0.55, 0.20), "degraded": (0.90, 0.55, 0.05), "refused": (0.80, 0.10, 0.10),
            "unobservable": (0.45, 0.45, 0.45)}
_NUMBERS = {  # field of antaeus.Wrench → column of the table (docs/reference/schemas.md)
    "fx": "Fx", "fy": "Fy", "fz": "Fz", "mx": "Mx", "my": "My", "mz": "Mz", "f_norm": "F_norm",
    "fx_sd": "sd_Fx", "fy_sd": "sd_Fy", "fz_sd": "sd_Fz", "worst_sd": "worst_sd", "nis": "nis", "nis_threshold": "nis_threshold",
    "misfit": "misfit", "misfit_limit": "misfit_limit", "kappa": "kappa",
}
_TEXTS = {"verdict": "verdict", "reasons": "reasons", "endpoint": "endpoint", "estimator": "estimator", "sign": "sign",
          "frame": "frame",
          "residual_kind": "residual_kind"}


@dataclasses.dataclass(frozen=True)
class WrittenResults:
    """What `write_results` wrote."""

    path: pathlib.Path
    topics: dict[str, int]
    """Messages by topic."""
    notes: tuple[str, ...]
    """What is wrong with the log's set-up, how forces were estimated, what a drawing does not show as it is; one line each."""

    @property
    def messages(self) -> int:
        """Of all topics."""
        return sum(self.topics.values())

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(dataclasses.asdict(self) | {"path": str(self.path)}, ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        lines = [f"{self.path}: {self.messages} messages of {len(self.topics)} topics, for Foxglove and rerun"]
        lines += [f"  {topic}: {number}" for topic, number in self.topics.items()]
        return "\n".join(map(printable, lines + [f"  Note: {note}" for note in self.notes]))


def write_results(path: str | os.PathLike[str], robot: typing.Any, episode: typing.Any, estimates: typing.Any, *,
                  start_ns: int = 0,
                  metres_per_newton: float = 0.01, urdf: str | None = None, received: dict[str, np.ndarray] | None = None,
                  progress: Callable[[float], None] = lambda share: None) -> WrittenResults:
    """Writes the wrenches of a log as an MCAP file, whole or not at all; memory does not grow with the log.

    Args:
        path: of the .mcap; replaced.
        robot: antaeus.Robot of the log.
        episode: antaeus.Episode [N steps] with a clock.
        estimates: what antaeus.estimate(episode, robot) returned: wrenches of the same N steps.
        start_ns: nanoseconds of the clock at which the episode's time is 0.
        metres_per_newton: length of an arrow and of an ellipsoid's half-axes, m/N.
        urdf: text of the robot's URDF, for the topic /robot_description; None: the text of the file that the robot was read
            from, where it is a URDF and is there.
        received: channels as the robot sent them, before its profile's [channels], by the names that files of an episode have (qpos, tau,
            dq [N × motors]; imu_quat_xyzw [N × 4], imu_gyro, imu_acc [N × 3]). They then stand in the file in ROS 2's messages, so that
            whoever reads it with the profile maps them once: /joint_states is sensor_msgs/JointState, /imu sensor_msgs/Imu.
        progress: is called with the share of steps written, in [0, 1].

    Topics, all Protobuf but /robot_description (ROS 2's std_msgs/msg/String):
        /joint_states, foxglove.JointStates: position, velocity and torque of each motor, every step; what is NaN is left out.
        /antaeus/ENDPOINT/wrench, antaeus.Wrench: the numbers of the table with their sd, verdict and reasons, every step.
        /antaeus/ENDPOINT/scene, foxglove.SceneUpdate, 60 a second: an arrow from the endpoint along its force, which is that of
            the robot on the world or of the world on the robot, as `sign` in its metadata says, coloured by verdict (ok green,
            degraded orange, refused red, unobservable grey); at its tip the ellipsoid that holds the force with 95 %
            probability, where the estimator has a covariance.
        /tf, foxglove.FrameTransforms, 60 a second: `world` to each link; a floating base stands at the world's origin.

    Raises ValueError, one line: no clock, steps that differ, a missing library, a file that cannot be written. Not for a loop.
    """
    target = pathlib.Path(path)
    if not (math.isfinite(metres_per_newton) and metres_per_newton > 0):
        raise FormatError("metres_per_newton", f"{metres_per_newton} is no length", "give m/N, above 0")
    library("mcap", target)
    library("mcap_protobuf", target)
    library("foxglove_schemas_protobuf", target)
    times = _times(episode, start_ns)
    if estimates.steps != len(times):
        raise FormatError("estimates", f"are of {estimates.steps} steps, the episode has {len(times)}",
                          "give the estimates of this episode")
    with _whole(target) as stream:
        out = _Out(stream)
        text = _urdf_text(robot) if urdf is None else urdf
        if text:
            out.write_text("/robot_description", text, int(times[0]))
        out.tell({"robot": robot.profile.name, "log": episode.name, "notes": "\n".join(estimates.notes)})
        scenes = _Scenes(robot, episode, estimates, metres_per_newton)
        joints = _Joints(robot, episode) if received is None else _Received(robot, received)
        wrenches = _Wrenches(estimates)
        drawn = _drawn(times)
        for step in range(len(times)):
            time = int(times[step])
            joints.write(out, step, time)
            wrenches.write(out, step, time)
            if drawn[step]:
                scenes.write(out, step, time)
            if step % 1024 == 0:
                progress(step / len(times))
        out.finish()
    progress(1.0)
    return WrittenResults(target, out.topics, (*estimates.notes, *scenes.notes()))


def _times(episode: typing.Any, start_ns: int) -> np.ndarray:
    """Nanoseconds of each step [N]. Raises FormatError where there are none, or below 0."""
    seconds = np.asarray(episode.time, dtype=float)
    if len(seconds) == 0:
        raise FormatError("episode", "has no steps", "give a log")
    if len(seconds) != len(episode) or not np.isfinite(seconds).all():
        raise FormatError("episode", "has no clock, which an .mcap needs", "give a log with time stamps")
    least, most = start_ns + float(seconds.min()) * 1e9, start_ns + float(seconds.max()) * 1e9
    if least < -0.5 or most >= 9.2e18:
        raise FormatError("episode.time",
                          f"{seconds.min():g} to {seconds.max():g} s with start_ns = {start_ns} are no time stamps of a file",
                          "let them begin at 0 or later")
    return np.int64(start_ns) + np.rint(seconds * 1e9).astype(np.int64)


def _drawn(times: np.ndarray) -> np.ndarray:
    """Which steps are drawn [N]: the first, the last, and between them one every 1/60 s."""
    frames = (times - times[0]) * int(_SCENE_RATE) // 1_000_000_000
    drawn = np.ones(len(times), dtype=bool)
    drawn[1:] = frames[1:] != frames[:-1]
    drawn[-1] = True
    return drawn


@contextmanager
def _whole(target: pathlib.Path) -> Iterator[typing.BinaryIO]:
    """A file that takes its name when all of it is written."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise FormatError(target, f"cannot be written ({error.strerror})", "give a file in a folder that exists") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except OSError as error:
        raise FormatError(target, f"cannot be written ({error.strerror})", "give another file, or free disk space") from None
    finally:
        if os.path.exists(name):
            os.unlink(name)


class _Out:
    """Messages into a file."""

    def __init__(self, stream: typing.BinaryIO) -> None:
        writer = library("mcap.writer")
        self._writer = writer.Writer(stream, enable_data_crcs=False)
        self._writer.start(profile="", library="antaeus")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self.topics: dict[str, int] = {}

    def write(self, topic: str, message: typing.Any, time: int) -> None:
        if topic not in self._channels:
            name = message.DESCRIPTOR.full_name
            if name not in self._schemas:
                self._schemas[name] = library("mcap_protobuf.schema").register_schema(self._writer, type(message))
            self._channels[topic] = self._writer.register_channel(topic, "protobuf", self._schemas[name])
        self._add(topic, message.SerializeToString(), time)

    def write_text(self, topic: str, text: str, time: int) -> None:
        """A std_msgs/msg/String of ROS 2: it is what viewers look for as a robot's description."""
        data = text.encode() + b"\0"
        self.write_cdr(topic, "std_msgs/msg/String", len(data).to_bytes(4, "little") + data, time)

    def write_cdr(self, topic: str, kind: str, data: bytes, time: int) -> None:
        """A message of ROS 2. data: its CDR, little end first, without the four bytes that say so."""
        if topic not in self._channels:
            schema = self._writer.register_schema(kind, "ros2msg", BUILT_IN[kind][0].encode())
            self._channels[topic] = self._writer.register_channel(topic, "cdr", schema)
        self._add(topic, b"\0\1\0\0" + data, time)

    def _add(self, topic: str, data: bytes, time: int) -> None:
        self._writer.add_message(self._channels[topic], time, data, time)
        self.topics[topic] = self.topics.get(topic, 0) + 1

    def tell(self, about: dict[str, str]) -> None:
        """Metadata of the file."""
        self._writer.add_metadata("antaeus", about)

    def finish(self) -> None:
        self._writer.finish()


def _message(name: str) -> typing.Any:
    """Class of a message of Foxglove's."""
    return getattr(library(f"foxglove_schemas_protobuf.{name}_pb2"), name)


class _Joints:
    """/joint_states: what the motors' channels read."""

    def __init__(self, robot: typing.Any, episode: typing.Any) -> None:
        self._message = _message("JointStates")
        self._names = robot.model.motor_names()
        self._fields = [(name, array) for name, array in (("position", episode.q), ("velocity", episode.v), ("effort", episode.tau))
                        if array is not None and array.size]

    def write(self, out: _Out, step: int, time: int) -> None:
        message = self._message()
        message.timestamp.FromNanoseconds(time)
        rows = [(field, array[step].tolist()) for field, array in self._fields]
        for motor, name in enumerate(self._names):
            values = {field: row[motor] for field, row in rows if row[motor] == row[motor]}
            message.joints.add(name=name, **values)
        out.write("/joint_states", message, time)


class _Received:
    """/joint_states and /imu: what the robot sent."""

    def __init__(self, robot: typing.Any, received: dict[str, np.ndarray]) -> None:
        names = b""
        for name in robot.model.motor_names():
            text = name.encode() + b"\0"
            names += len(text).to_bytes(4, "little") + text + b"\0" * (-len(text) % 4)
        self._names = len(robot.model.motor_names()).to_bytes(4, "little") + names
        self._channels = [received.get(name) for name in ("qpos", "dq", "tau")]
        blank = np.full((len(received["qpos"]), 4), np.nan)
        orientation, gyro, accelerometer = (received.get(name) for name in ("imu_quat_xyzw", "imu_gyro", "imu_acc"))
        self._imu = None
        if orientation is not None or gyro is not None or accelerometer is not None:
            # A covariance that begins with −1: there is no such number (sensor_msgs/Imu).
            self._imu = [(blank[:, :width] if values is None else values, struct.pack("<9d", -1.0 if values is None else 0.0, *[0.0] * 8))
                         for values, width in ((orientation, 4), (gyro, 3), (accelerometer, 3))]

    @staticmethod
    def _header(time: int) -> bytes:
        """Stamp, and a frame_id without a letter: its length, its zero, and three to the next four bytes."""
        return struct.pack("<iIIxxxx", time // 1_000_000_000, time % 1_000_000_000, 1)

    def write(self, out: _Out, step: int, time: int) -> None:
        data = self._header(time) + self._names
        for channel in self._channels:
            numbers = b"" if channel is None else np.ascontiguousarray(channel[step], "<f8").tobytes()
            count = (len(numbers) // 8).to_bytes(4, "little")
            # Doubles stand at multiples of eight; a sequence of none takes its length alone.
            data += count
            if numbers:
                data += b"\0" * (-len(data) % 8) + numbers
        out.write_cdr("/joint_states", "sensor_msgs/msg/JointState", data, time)
        if self._imu is not None:
            data = self._header(time)
            for values, covariance in self._imu:
                data += b"\0" * (-len(data) % 8) + np.ascontiguousarray(values[step], "<f8").tobytes() + covariance
            out.write_cdr("/imu", "sensor_msgs/msg/Imu", data, time)


class _Wrenches:
    """/antaeus/ENDPOINT/wrench: the table's numbers."""

    def __init__(self, estimates: typing.Any) -> None:
        self._message = _wrench_message()
        self._numbers = {field: np.asarray(estimates[column], dtype=float) for field, column in _NUMBERS.items() if column in estimates}
        self._texts = {field: estimates[column] for field, column in _TEXTS.items() if column in estimates}
        self._each = len(estimates) // estimates.steps if estimates.steps else 0
        self._topics = [f"/antaeus/{topic_part(name)}/wrench" for name in estimates["endpoint"][:self._each]]

    def write(self, out: _Out, step: int, time: int) -> None:
        for place, topic in enumerate(self._topics):
            row = step * self._each + place
            values: dict[str, typing.Any] = {field: array[row] for field, array in self._texts.items()}
            for field, array in self._numbers.items():
                number = float(array[row])
                if number == number:
                    values[field] = number
            message = self._message(**values)
            message.timestamp.FromNanoseconds(time)
            out.write(topic, message, time)


def topic_part(name: str) -> str:
    """A frame's name as one part of a topic."""
    return name.replace("/", "_").replace(" ", "_")


def _wrench_message() -> typing.Any:
    """antaeus.Wrench: optional numbers, so that one which is not there is none and no 0."""
    descriptor = library("google.protobuf.descriptor_pb2")
    pool = library("google.protobuf.descriptor_pool").DescriptorPool()
    stamp = descriptor.FileDescriptorProto()
    library("google.protobuf.timestamp_pb2").DESCRIPTOR.CopyToProto(stamp)
    pool.Add(stamp)
    file = descriptor.FileDescriptorProto(name="antaeus/Wrench.proto", package="antaeus", syntax="proto3",
                                          dependency=[stamp.name])
    message = file.message_type.add(name="Wrench")
    field = descriptor.FieldDescriptorProto
    message.field.add(name="timestamp", number=1, type=field.TYPE_MESSAGE, type_name=".google.protobuf.Timestamp",
                      label=field.LABEL_OPTIONAL)
    number = 2
    for name in _TEXTS:
        message.field.add(name=name, number=number, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
        number += 1
    for place, name in enumerate(_NUMBERS):
        message.field.add(name=name, number=number, type=field.TYPE_DOUBLE, label=field.LABEL_OPTIONAL, oneof_index=place,
                          proto3_optional=True)
        message.oneof_decl.add(name="_" + name)
        number += 1
    pool.Add(file)
    return library("google.protobuf.message_factory").GetMessageClass(pool.FindMessageTypeByName("antaeus.Wrench"))


class _Scenes:
    """/antaeus/ENDPOINT/scene and /tf."""

    def __init__(self, robot: typing.Any, episode: typing.Any, estimates: typing.Any, scale: float) -> None:
        antaeus: types.ModuleType = library("antaeus")
        self._scene, self._transforms = _message("SceneUpdate"), _message("FrameTransforms")
        self._episode, self._estimates, self._scale = episode, estimates, scale
        self._each = len(estimates) // estimates.steps if estimates.steps else 0
        self._frames = list(estimates["endpoint"][:self._each])
        self._labels = {one.frame: one.label for one in robot.profile.endpoints}
        self._reader = antaeus.InstantReader(robot, self._frames)
        self._dynamics = antaeus.Dynamics(robot.model)
        self._links = [link.name for link in robot.model.description().links if robot.model.has_frame(link.name)]
        self._sign = "robot on world" if str(estimates["sign"][0]) == "on_environment" else "world on robot"
        self._force = [estimates[name] for name in ("Fx", "Fy", "Fz")]
        self._sd = [estimates[name] for name in ("sd_Fx", "sd_Fy", "sd_Fz")]
        self._worst = [estimates[name] for name in ("worst_sd", "worst_x", "worst_y", "worst_z")]
        self._verdict, self._reasons = estimates["verdict"], estimates["reasons"]
        self._shown = [False] * self._each
        self._cut = 0

    def notes(self) -> list[str]:
        """What is not drawn as it is."""
        return [f"{self._cut} drawings are cut to {_LONGEST:g} m; the topics of numbers have them in full"] if self._cut else []

    def write(self, out: _Out, step: int, time: int) -> None:
        instant = self._reader.at(self._episode[step])
        poses = None
        q = np.asarray(instant.base_q())
        if np.isfinite(q).all() and len(q):
            poses = self._write_transforms(out, q, time)
        for place, frame in enumerate(self._frames):
            message = self._scene()
            row = step * self._each + place
            force = np.array([float(column[row]) for column in self._force])
            if poses is None or not np.isfinite(force).all():
                if self._shown[place]:
                    deletion = message.deletions.add(id=frame)
                    deletion.timestamp.FromNanoseconds(time)
                    self._shown[place] = False
                    out.write(f"/antaeus/{topic_part(frame)}/scene", message, time)
                continue
            self._shown[place] = True
            origin = np.asarray(self._dynamics_pose(frame).translation, dtype=float)
            self._draw(message.entities.add(), frame, row, origin, force, time)
            out.write(f"/antaeus/{topic_part(frame)}/scene", message, time)

    def _dynamics_pose(self, frame: str) -> typing.Any:
        return self._terms.frame_pose(frame)

    def _write_transforms(self, out: _Out, q: np.ndarray, time: int) -> bool:
        self._terms = self._dynamics.at(q)
        message = self._transforms()
        for link in self._links:
            pose = self._terms.frame_pose(link)
            transform = message.transforms.add(parent_frame_id="world", child_frame_id=link)
            transform.timestamp.FromNanoseconds(time)
            _set_vector(transform.translation, pose.translation)
            set_quaternion(transform.rotation, np.asarray(pose.rotation, dtype=float))
        out.write("/tf", message, time)
        return True

    def _draw(self, entity: typing.Any, frame: str, row: int, origin: np.ndarray, force: np.ndarray, time: int) -> None:
        entity.id, entity.frame_id, entity.frame_locked = frame, "world", False
        entity.timestamp.FromNanoseconds(time)
        verdict = str(self._verdict[row])
        norm = float(np.linalg.norm(force))
        for key, value in (("sign", f"{self._sign} ({self._estimates['sign'][row]})"), ("verdict", verdict),
                           ("reasons", str(self._reasons[row])),
                           ("newton", f"{norm:.6g}"), ("metres_per_newton", f"{self._scale:g}")):
            entity.metadata.add(key=key, value=value)
        colour = COLOURS.get(verdict, (0.45, 0.45, 0.45))
        length = min(norm * self._scale, _LONGEST)
        cut = length < norm * self._scale
        direction = force / norm if norm > 0 else np.array([0.0, 0.0, 1.0])
        if norm > 0:
            arrow = entity.arrows.add()
            head = min(0.05, 0.4 * length)
            arrow.shaft_length, arrow.head_length, arrow.shaft_diameter, arrow.head_diameter = length - head, head, 0.015, 0.035
            _set_vector(arrow.pose.position, origin)
            set_quaternion(arrow.pose.orientation, along_x(direction))
            _set_colour(arrow.color, colour, 1.0)
        covariance = force_covariance(np.array([float(column[row]) for column in self._sd]),
                                      [float(column[row]) for column in self._worst])
        tip = origin + direction * length
        if covariance is not None:
            halves, axes = ellipsoid_95(covariance)
            halves = halves * self._scale
            cut = cut or bool((halves > _LONGEST).any())
            sphere = entity.spheres.add()
            _set_vector(sphere.pose.position, tip)
            set_quaternion(sphere.pose.orientation, axes)
            _set_vector(sphere.size, 2.0 * np.minimum(halves, _LONGEST))
            _set_colour(sphere.color, colour, 0.25)
        self._cut += cut
        text = entity.texts.add(text=f"{self._labels.get(frame) or frame}: {norm:.3g} N, {self._sign}, {verdict}", billboard=True,
                                font_size=12.0,
                                scale_invariant=True)
        _set_vector(text.pose.position, tip)
        text.pose.orientation.w = 1.0
        _set_colour(text.color, colour, 1.0)


def force_covariance(sd: np.ndarray, worst: list[float]) -> np.ndarray | None:
    """Covariance of a force [3 × 3], N², of what the table has of it: the sd along the world's axes [3], and the largest of all
    directions with its direction [sd, x, y, z]. None where there is no sd.

    With λ and u of the worst direction the rest is a 2 × 2 matrix across u, whose three numbers follow from the three sd. Where u
    lies along an axis they leave the correlation of the other two open; it is then taken as 0.
    """
    if not np.isfinite(sd).all():
        return None
    direction = np.array(worst[1:])
    norm = float(np.linalg.norm(direction))
    if not (np.isfinite(worst).all() and norm > 0):
        return np.diag(sd**2)
    direction = direction / norm
    largest = worst[0]**2
    across = np.linalg.svd(direction.reshape(1, 3))[2][1:].T  # [3 × 2]
    rows = np.column_stack((across[:, 0]**2, 2 * across[:, 0] * across[:, 1], across[:, 1]**2))
    left = sd**2 - largest * direction**2
    one, both, other = np.linalg.lstsq(rows, left, rcond=1e-9)[0]
    variances, axes = np.linalg.eigh(np.array([[one, both], [both, other]]))
    inner = axes @ np.diag(np.clip(variances, 0.0, largest)) @ axes.T
    covariance: np.ndarray = largest * np.outer(direction, direction) + across @ inner @ across.T
    return covariance


def ellipsoid_95(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half-axes [3], N, and their directions as a rotation [3 × 3] of the ellipsoid that holds 95 % of a normal force [3 × 3], N²."""
    variances, axes = np.linalg.eigh(covariance)
    if np.linalg.det(axes) < 0:
        axes = axes * [1.0, 1.0, -1.0]
    return _SIGMAS_95 * np.sqrt(np.maximum(variances, 0.0)), axes


def along_x(direction: np.ndarray) -> np.ndarray:
    """A rotation [3 × 3] whose x axis is that unit vector: an arrow of Foxglove's points along x."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    second = np.cross(direction, helper)
    second /= np.linalg.norm(second)
    return np.column_stack((direction, second, np.cross(direction, second)))


def _set_vector(to: typing.Any, vector: typing.Any) -> None:
    to.x, to.y, to.z = float(vector[0]), float(vector[1]), float(vector[2])


def _set_colour(to: typing.Any, colour: tuple[float, float, float], opacity: float) -> None:
    to.r, to.g, to.b, to.a = *colour, opacity


def set_quaternion(to: typing.Any, rotation: np.ndarray) -> None:
    """From a rotation matrix: by the largest of the four numbers, so that none is divided by 0."""
    r = rotation
    squares = np.array([1 + r[0, 0] - r[1, 1] - r[2, 2], 1 - r[0, 0] + r[1, 1] - r[2, 2], 1 - r[0, 0] - r[1, 1] + r[2, 2],
                        1 + r[0, 0] + r[1, 1] + r[2, 2]])
    table = np.array([[squares[0], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
                      [r[0, 1] + r[1, 0], squares[1], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]],
                      [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[2], r[1, 0] - r[0, 1]],
                      [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], squares[3]]])
    quaternion = table[int(np.argmax(squares))]
    quaternion = quaternion / np.linalg.norm(quaternion)
    to.x, to.y, to.z, to.w = (float(number) for number in quaternion)


def _urdf_text(robot: typing.Any) -> str | None:
    """Text of the URDF that the robot was read from; None where it is no URDF, or not there."""
    source = pathlib.Path(str(robot.model.description().source))
    try:
        if source.suffix.lower() != ".urdf" or source.stat().st_size > 64 << 20:
            return None
        return source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
