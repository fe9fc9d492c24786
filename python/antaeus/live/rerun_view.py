"""`--publish rerun://`: rerun's viewer on this machine looks at the robot while it moves; rerun:///FILE.rrd writes a file for it.

We start no viewer: one that rerun's library starts listens at every address of this machine, and has no token.
"""

import os
import pathlib
import socket
import typing

import numpy as np

from antaeus.formats import ownership
from antaeus.formats.recording import library
from antaeus.formats.results_mcap import COLOURS, topic_part
from antaeus.live.viewing import Viewer, verdict_of

_VIEWER = ("127.0.0.1", 9876)  # rerun's own default port
_METRES_PER_NEWTON = 0.01
_LEVELS = {"alarm": "WARN", "refused": "WARN", "stop": "ERROR", "set_up": "WARN"}


def _is_recording(file: str) -> bool:
    if not ownership.is_file(pathlib.Path(file)):
        return False
    with open(file, "rb") as stream:
        return stream.read(3) == b"RRF"


class RerunView(Viewer):
    """A listener that shows links, arrows, joints, forces with their sd, and events in rerun."""

    def __init__(self, robot: typing.Any, endpoints: list[str], file: str | None = None) -> None:
        """file: an .rrd to write; None: the viewer that runs on this machine (`rerun --bind 127.0.0.1`). Raises ValueError, one line."""
        super().__init__(robot, endpoints)
        self._rerun = library("rerun", "rerun://")
        self._stream = self._rerun.RecordingStream(f"antaeus_{robot.profile.name}")
        if file is None:
            try:
                socket.create_connection(_VIEWER, 1.0).close()
            except OSError as error:
                raise ValueError(f"rerun://: no viewer runs at {_VIEWER[0]}:{_VIEWER[1]} ({error.strerror or error}); start one with "
                                 "'rerun --bind 127.0.0.1', or write a file: rerun:///FILE.rrd") from None
            self._stream.connect_grpc(f"rerun+http://{_VIEWER[0]}:{_VIEWER[1]}/proxy")
        else:
            if os.path.lexists(file) and not _is_recording(file):
                raise ValueError(f"rerun://{file}: exists and is not a recording of rerun; name another .rrd")
            try:
                self._stream.save(file)
            except Exception as error:
                raise ValueError(f"rerun://{file}: {' '.join(str(error).split())}; name an .rrd that can be written") from None
        self._names = list(robot.model.motor_names())
        self.start()

    def show(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        rerun, stream = self._rerun, self._stream
        stamp = float(block.time[-1])
        stream.set_time("stream", duration=stamp if np.isfinite(stamp) else float(block.received[-1]))
        poses = self.link_poses(block.q[-1], block.base_rotation[-1])
        if poses:
            stream.log("robot/links", rerun.Points3D(np.array([place for place, _ in poses.values()]), radii=0.015))
        for k, frame in enumerate(self.endpoints):
            verdict, reasons = verdict_of(block, k)
            wrench, sd, name = block.wrench[-1, k], block.sd[-1, k], topic_part(frame)
            if frame in poses and np.isfinite(wrench).all():
                colour = [int(255 * part) for part in COLOURS.get(verdict, COLOURS["unobservable"])]
                stream.log(f"robot/{name}", rerun.Arrows3D(origins=[poses[frame][0]], vectors=[_METRES_PER_NEWTON * wrench[:3]],
                                                           colors=[colour], labels=[f"{np.linalg.norm(wrench[:3]):.3g} N, {verdict}"]))
                stream.log(f"force/{name}", rerun.Scalars(wrench[:3]))
                stream.log(f"sd/{name}", rerun.Scalars(sd[:3]))
            else:
                stream.log(f"robot/{name}", rerun.Clear(recursive=False))
            stream.log(f"verdict/{name}", rerun.TextLog(f"{verdict} {reasons}".strip(), level="INFO"))
        stream.log("joints/residual", rerun.Scalars(block.residual[-1]))
        for event in events:
            stream.log("events", rerun.TextLog(event.words, level=_LEVELS.get(event.kind, "INFO")))

    def close(self) -> None:
        """Shows what waits, and ends."""
        super().close()
        self._stream.flush()
