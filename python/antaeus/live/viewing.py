"""What the viewers of others share: the newest sample of each look, handed to a thread of its own, and where the robot's links are."""

import queue
import threading
import typing

import antaeus
import numpy as np

_MOST_WAITING = 4  # looks; older ones are left out: a viewer is shown what is now


class Viewer:
    """A listener that shows. A viewer of others derives from it and says `show`; `take` never waits."""

    def __init__(self, robot: typing.Any, endpoints: list[str]) -> None:
        self.robot, self.endpoints = robot, list(endpoints)
        self.left_out = 0
        """Looks that found the thread busy."""
        self.problem = ""
        """The last thing that went wrong, one line."""
        self._looks: queue.Queue[tuple[typing.Any, list[typing.Any], typing.Any] | None] = queue.Queue(_MOST_WAITING)
        self._links = [link.name for link in robot.model.description().links if robot.model.has_frame(link.name)]
        self._dynamics = antaeus.Dynamics(robot.model)
        self._thread = threading.Thread(target=self._work, name=type(self).__name__, daemon=True)

    def start(self) -> None:
        """Of the thread: when all that `show` needs is there."""
        self._thread.start()

    def show(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        """Shows the last sample of a block. Its own thread calls it."""
        raise NotImplementedError

    def take(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        """Hands a block to the thread, or leaves it out where that is busy; events are kept for the next."""
        try:
            self._looks.put_nowait((block, events, facts))
        except queue.Full:
            self.left_out += 1

    def close(self) -> None:
        """Shows what waits, and ends."""
        if self._thread.is_alive():
            self._looks.put(None)
            self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while (look := self._looks.get()) is not None:
            try:
                if len(look[0].time):
                    self.show(*look)
            except Exception as error:  # a viewer that fails ends no watch
                self.problem = f"{type(self).__name__}: {' '.join(str(error).split())}"

    def link_poses(self, q: np.ndarray, base_rotation: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Translation [3], m, and rotation [3 × 3] of each link in the world, a floating base at its origin; empty where q holds NaN."""
        from antaeus.live.frames import quaternion

        base = quaternion(np.asarray(base_rotation).ravel())
        whole = np.asarray(self.robot.model.position_from_motors(q, base))
        if not np.isfinite(whole).all():
            return {}
        terms = self._dynamics.at(whole)
        poses = {name: terms.frame_pose(name) for name in [*self._links, *self.endpoints]}
        return {name: (np.asarray(pose.translation, dtype=float), np.asarray(pose.rotation, dtype=float)) for name, pose in poses.items()}


def verdict_of(block: typing.Any, endpoint: int) -> tuple[str, str]:
    """Verdict of the last sample, and its reasons separated by a space."""
    verdicts = list(antaeus.Verdict)
    return str(verdicts[int(block.verdict[-1, endpoint])]), " ".join(antaeus.reason_names(int(block.reasons[-1, endpoint])))
