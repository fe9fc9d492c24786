"""A robot that remembers its last sample, with the calls of the H1-2's deployed robot_model.py.

What is not given to a call is taken from the state that was set: `get_frame_wrench(frame)` alone is the deployed code's
line. No name of this module is in `antaeus`: `from antaeus.stateful import StatefulRobot`.
"""

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

import antaeus

__all__ = ["StatefulRobot"]

_Array = NDArray[np.float64]


def _quaternion(R: _Array) -> _Array:
    """x y z w of a rotation matrix, from its largest component, so that nothing small is divided by."""
    four = np.array([[R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2], R[2, 1] - R[1, 2]],
                     [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]],
                     [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
                     [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)]])
    column = (four + np.eye(4))[:, int(np.argmax(np.diag(four)))]
    return column / np.linalg.norm(column)


class StatefulRobot:
    """The calls of a robot model that holds its state: of the motors [motors] in the profile's order, rad and N·m.

    imu_quat is of the IMU's frame, in the profile's order of quaternions, everywhere (imu="as_base": used as the
    base's, as the deployed code does); without one the base counts as upright. Given to a call, q replaces the whole state of that call but tau: its imu_quat counts alone, as in the
    deployed code.

    robot: a Robot, a name or a file. frames: those that get_frame_wrench will name; empty: the endpoints that the
    deployed code reads. method: posterior, or deployed, pinv(Jᵀ)(τ − g), to compare. imu: mounted, as_base or none; None:
    equation.imu of the robot's settings.
    """

    def __init__(self, robot: str | os.PathLike[str] | antaeus.Robot, method: str = "posterior", frames: Sequence[str] = (),
                 imu: str | None = None) -> None:
        self.robot = robot if isinstance(robot, antaeus.Robot) else antaeus.load_robot(robot)
        self.state: dict[str, _Array] = {}
        self._estimator = antaeus.FrameWrenchEstimator(self.robot, method, list(frames), imu)
        self._readers: dict[str, antaeus.InstantReader] = {}

    def __repr__(self) -> str:
        return (f"StatefulRobot({self.robot.profile.name}, {self._estimator.method()}: "
                f"{', '.join(self._estimator.frame_names())}; state: {' '.join(self.state) or 'not set'})")

    def set_state(self, q: ArrayLike, tau: ArrayLike | None = None, imu_quat: ArrayLike | None = None) -> None:
        """The state that later calls take. What is not given is forgotten: a sample is never put together of two."""
        state = {"q": self._vector("q", q)}
        if tau is not None:
            state["tau"] = self._vector("tau", tau)
        if imu_quat is not None:
            state["imu_quat"] = self._vector("imu_quat", imu_quat, 4)
        self.state = state

    def full_q(self, q: ArrayLike | None = None, imu_quat: ArrayLike | None = None) -> _Array:
        """q [nq]: a free base at the origin, turned as the IMU tells, and the motors' positions."""
        here, _ = self._taken(q, imu_quat)
        rotation = self._instant(next(iter(self._estimator.frame_names())), q, imu_quat).base_rotation()
        return self.robot.model.position_from_motors(here, _quaternion(rotation))

    def get_frame_pose(self, frame_name: str, q: ArrayLike | None = None,
                       imu_quat: ArrayLike | None = None) -> antaeus.Pose:
        """Pose of the frame in the world, the base at its origin. ModelError for an unknown frame."""
        return self._instant(frame_name, q, imu_quat).pose(0)

    def get_frame_jacobian(self, frame_name: str, q: ArrayLike | None = None,
                           imu_quat: ArrayLike | None = None) -> _Array:
        """[6 × motors]: of the frame's origin in world axes, linear rows first. ModelError for an unknown frame."""
        return self._instant(frame_name, q, imu_quat).jacobian(0)

    def get_gravity_compensation(self, q: ArrayLike | None = None, imu_quat: ArrayLike | None = None) -> _Array:
        """g(q) [motors], N·m."""
        return self._instant(next(iter(self._estimator.frame_names())), q, imu_quat).gravity_torque()

    def get_frame_wrench(self, frame_name: str, q: ArrayLike | None = None, tau: ArrayLike | None = None,
                         imu_quat: ArrayLike | None = None) -> antaeus.WrenchEstimate:
        """As FrameWrenchEstimator: reads like the array (Fx Fy Fz Mx My Mz), and carries verdict and reasons."""
        here, quaternion = self._taken(q, imu_quat)
        torque = self._stored("tau") if tau is None else self._vector("tau", tau)
        if frame_name not in self._estimator.frame_names():
            self.robot.model.frame(frame_name)  # raises for one that does not exist
            self._estimator = antaeus.FrameWrenchEstimator(self.robot, self._estimator.method(),
                                                           [*self._estimator.frame_names(), frame_name], str(self._estimator.imu()))
        return self._estimator.get_frame_wrench(frame_name, here, torque, quaternion)

    def _vector(self, name: str, values: ArrayLike, size: int | None = None) -> _Array:
        wanted = self.robot.model.motor_count() if size is None else size
        array = np.array(values, dtype=float)
        if array.shape != (wanted,):
            raise antaeus.OptionsError(f"StatefulRobot ({name}): shape {array.shape}, not ({wanted},)")
        return array

    def _stored(self, name: str) -> _Array:
        if name not in self.state:
            raise antaeus.OptionsError(f"StatefulRobot ({name}): neither given nor set; call set_state, or give it")
        return self.state[name]

    def _taken(self, q: ArrayLike | None, imu_quat: ArrayLike | None) -> tuple[_Array, _Array | None]:
        if imu_quat is not None:
            given = self._vector("imu_quat", imu_quat, 4)
        else:
            given = self.state.get("imu_quat") if q is None else None
        return self._stored("q") if q is None else self._vector("q", q), given

    def _instant(self, frame_name: str, q: ArrayLike | None, imu_quat: ArrayLike | None) -> antaeus.Instant:
        here, quaternion = self._taken(q, imu_quat)
        if frame_name not in self._readers:
            self._readers[frame_name] = antaeus.InstantReader(self.robot, [frame_name], imu=str(self._estimator.imu()))
        if quaternion is not None and self.robot.profile.imu.order == "wxyz":
            quaternion = quaternion[[1, 2, 3, 0]]
        now = self._readers[frame_name].at(antaeus.Observation(q=here, tau=np.zeros_like(here),
                                                               imu_quaternion_xyzw=quaternion))
        if str(now.status()) != "ok":
            raise antaeus.OptionsError(f"StatefulRobot (q, imu_quat): {now.status()}; give finite positions and a unit "
                                       "quaternion")
        return now
