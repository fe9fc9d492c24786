"""`--publish foxglove://[HOST:]PORT`: Foxglove's app looks at the robot while it moves.

Topics: /joint_states (foxglove.JointStates), /tf (foxglove.FrameTransforms), /antaeus/scene (foxglove.SceneUpdate: an arrow an endpoint,
coloured by verdict), /antaeus/ENDPOINT/wrench (JSON with the fields of geometry_msgs/WrenchStamped, verdict and reasons), /antaeus/log
(foxglove.Log: events), /antaeus/diagnostics (JSON: what the stream is like).
"""

import contextlib
import typing

import numpy as np

from antaeus.formats.recording import library
from antaeus.formats.results_mcap import COLOURS, along_x, topic_part
from antaeus.live.frames import quaternion
from antaeus.live.viewing import Viewer, verdict_of

_METRES_PER_NEWTON = 0.01
_LONGEST = 3.0  # m: no arrow is drawn longer
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_VECTOR = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}
_WRENCH = {"title": "geometry_msgs/WrenchStamped", "type": "object", "properties": {
    "header": {"type": "object", "properties": {"frame_id": {"type": "string"}, "stamp": {"type": "object", "properties": {
        "sec": {"type": "integer"}, "nsec": {"type": "integer"}}}}},
    "wrench": {"type": "object", "properties": {"force": _VECTOR, "torque": _VECTOR}},
    "sign": {"type": "string"}, "verdict": {"type": "string"}, "reasons": {"type": "string"}}}


class Foxglove(Viewer):
    """A listener that serves Foxglove. Raises ValueError, one line, where the port is taken or the library is missing."""

    def __init__(self, robot: typing.Any, endpoints: list[str], host: str = "127.0.0.1", port: int = 8765) -> None:
        """host: of this machine alone: Foxglove's protocol knows no token, so that an address for others would let in everybody."""
        super().__init__(robot, endpoints)
        if host not in _LOOPBACK:
            raise ValueError(f"foxglove://{host}:{port}: Foxglove's protocol has no token; give 127.0.0.1, and carry it on by ssh -L")
        sdk = library("foxglove", "foxglove://")
        channels, self._say = library("foxglove.channels", "foxglove://"), library("foxglove.messages", "foxglove://")
        self._context = context = sdk.Context()  # channels are closed when it goes
        self._joints = channels.JointStatesChannel("/joint_states", context=context)
        self._transforms = channels.FrameTransformsChannel("/tf", context=context)
        self._scene = channels.SceneUpdateChannel("/antaeus/scene", context=context)
        self._log = channels.LogChannel("/antaeus/log", context=context)
        self._wrenches = [sdk.Channel(f"/antaeus/{topic_part(name)}/wrench", schema=_WRENCH, context=context) for name in endpoints]
        self._diagnostics = sdk.Channel("/antaeus/diagnostics", schema={"title": "antaeus.Diagnostics", "type": "object"}, context=context)
        self._names = list(robot.model.motor_names())
        try:
            self._server = sdk.start_server(name=f"antaeus: {robot.profile.name}", host=host, port=port, context=context)
        except Exception as error:
            raise ValueError(f"foxglove://{host}:{port}: {' '.join(str(error).split())}; name another port") from None
        self.url = f"ws://{host}:{self._server.port}"
        self.start()

    def show(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        say = self._say
        stamp = say.Timestamp.now()
        q, v, tau = block.q[-1], block.dq[-1] if len(block.dq) else [], block.tau[-1]
        self._joints.log(say.JointStates(timestamp=stamp, joints=[
            say.JointState(name=name, position=_finite(q, at), velocity=_finite(v, at), effort=_finite(tau, at))
            for at, name in enumerate(self._names)]))
        poses = self.link_poses(q, block.base_rotation[-1])
        if poses:
            self._transforms.log(say.FrameTransforms(transforms=[
                say.FrameTransform(timestamp=stamp, parent_frame_id="world", child_frame_id=name, translation=self._vector(place),
                                   rotation=self._turned(turn)) for name, (place, turn) in poses.items()]))
        entities, gone = [], []
        for k, frame in enumerate(self.endpoints):
            verdict, reasons = verdict_of(block, k)
            wrench = block.wrench[-1, k]
            if np.isfinite(wrench).all() and frame in poses:
                entities.append(self._arrow(frame, poses[frame][0], wrench[:3], verdict, stamp))
            else:
                gone.append(say.SceneEntityDeletion(timestamp=stamp, type=say.SceneEntityDeletionType.MatchingId, id=frame))
            self._wrenches[k].log({
                "header": {"frame_id": "world", "stamp": {"sec": stamp.sec, "nsec": stamp.nsec}},
                "wrench": {"force": _axes(wrench[:3]), "torque": _axes(wrench[3:])}, "sign": block.sign, "verdict": verdict,
                "reasons": reasons})
        self._scene.log(say.SceneUpdate(deletions=gone, entities=entities))
        for event in events:
            level = say.LogLevel.Warning if event.kind in ("alarm", "refused", "stop", "set_up") else say.LogLevel.Info
            self._log.log(say.Log(timestamp=stamp, level=level, message=event.words, name=f"antaeus {event.kind}"))
        names = ("received", "taken", "lost", "repeated", "out_of_order", "late", "undecodable", "dropped", "rate", "latency")
        told = {name: getattr(facts, name) for name in names if hasattr(facts, name)}
        self._diagnostics.log({"stream": str(facts.stream), **{name: value if np.isfinite(value) else None for name, value in told.items()}})

    def _vector(self, vector: np.ndarray) -> typing.Any:
        return self._say.Vector3(x=float(vector[0]), y=float(vector[1]), z=float(vector[2]))

    def _turned(self, rotation: np.ndarray) -> typing.Any:
        x, y, z, w = quaternion(rotation.ravel())
        return self._say.Quaternion(x=x, y=y, z=z, w=w)

    def _arrow(self, frame: str, place: np.ndarray, force: np.ndarray, verdict: str, stamp: typing.Any) -> typing.Any:
        say, norm = self._say, float(np.linalg.norm(force))
        length = min(norm * _METRES_PER_NEWTON, _LONGEST)
        head = min(0.05, 0.4 * length)
        red, green, blue = COLOURS.get(verdict, COLOURS["unobservable"])
        colour = say.Color(r=red, g=green, b=blue, a=1.0)
        turn = along_x(force / norm) if norm > 0 else np.eye(3)
        pose = say.Pose(position=self._vector(place), orientation=self._turned(turn))
        arrow = say.ArrowPrimitive(pose=pose, shaft_length=length - head, shaft_diameter=0.015, head_length=head, head_diameter=0.035,
                                   color=colour)
        text = say.TextPrimitive(pose=pose, billboard=True, font_size=12.0, scale_invariant=True, color=colour, text=f"{norm:.3g} N, {verdict}")
        return say.SceneEntity(timestamp=stamp, frame_id="world", id=frame, arrows=[arrow], texts=[text])

    def close(self) -> None:
        """Ends the server; viewers see that it went."""
        super().close()
        with contextlib.suppress(RuntimeError):
            self._server.stop()


def _finite(values: typing.Any, at: int) -> float | None:
    return float(values[at]) if at < len(values) and np.isfinite(values[at]) else None


def _axes(vector: np.ndarray) -> dict[str, float | None]:
    return {axis: _finite(vector, at) for at, axis in enumerate("xyz")}
