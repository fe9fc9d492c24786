"""csv of Universal Robots' RTDE client (record.py, csv_writer.py) and of recorders that use the same names of columns."""

import pathlib

import numpy as np

from antaeus.formats.recording import WRENCH_COLUMNS, Channel, FormatError, Recording, Wishes
from antaeus.formats.tabular import (Clock, Notes, Vector, count, head_line, is_table_file, merged, open_csv, split_header,
                                     table_recording, unread, wished_vectors)

# The order of RTDE's vectors of joints is base, shoulder, elbow, wrist 1, 2, 3; names as in Universal Robots' ROS description.
JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")
_MARKS = ("actual_q_0", "actual_current_0", "actual_qd_0", "target_q_0", "actual_current_as_torque_0")
# actual_current_as_torque excludes gravity, as the maintainers of Universal Robots' driver state.
_TORQUES = Channel("tau", JOINTS, "actual_current_as_torque", "N·m", "measured", "excluded")
_CURRENTS = Channel("tau", JOINTS, "actual_current", "A", "measured")
_CHANNELS = (
    Channel("qpos", JOINTS, "actual_q", "rad", "measured"),
    Channel("dq", JOINTS, "actual_qd", "rad/s", "measured"),
    Channel("target_dof", JOINTS, "target_q", "rad", "commanded"),
    Channel("wrench_tcp", WRENCH_COLUMNS, "actual_TCP_force", "N, N·m", "estimated"),
    Channel("wrench_flange_sensor", WRENCH_COLUMNS, "ft_raw_wrench", "N, N·m", "measured"),
)
_WHY = {
    "target_moment": "torques of the controller's model, no measurement",
    "target_current": "of the controller's model, no measurement",
    "target_qd": "commanded velocities", "target_qdd": "commanded accelerations",
    "actual_current": "currents; torques are in actual_current_as_torque",
}


def _split(line: str) -> tuple[str, list[str]]:
    return split_header(line, (",", ";", "\t", " "), lambda names: not names.isdisjoint(_MARKS))


def recognises(path: pathlib.Path) -> bool:
    """By the names of columns: actual_q_0 and its like."""
    return is_table_file(path) and bool(_split(head_line(path))[1])


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens the csv. Raises FormatError."""
    csv = open_csv(path, _split)
    offered = [vector for channel in _CHANNELS if (vector := _vector(csv.names, channel))]
    torques = _vector(csv.names, _TORQUES) or _vector(csv.names, _CURRENTS)
    if torques:
        offered.insert(2, torques)
    vectors = merged(offered, wished_vectors(path, csv.names, wishes), wishes)
    names = [vector.channel.name for vector in vectors]
    if "qpos" not in names:
        raise FormatError(path, "holds no joint positions (actual_q_0 … actual_q_5)",
                          "add actual_q to the recipe, and record again")
    notes = Notes()
    notes.say("names", "joints are named by RTDE's order (base, shoulder, elbow, wrist 1, 2, 3): " + ", ".join(JOINTS))
    if any(vector.channel == _CURRENTS for vector in vectors):
        notes.say("current",
                  "tau holds motor currents (actual_current), in A: give N·m per A as channels.tau.scale in a map, or record "
                  "actual_current_as_torque (PolyScope 5.23, 10.11)")
    if any(vector.channel == _TORQUES for vector in vectors):
        notes.say("gravity", "actual_current_as_torque is without gravity, according to the maintainers of Universal Robots' driver")
    if "tau" not in names:
        notes.say("torques", "no torques: neither actual_current_as_torque nor actual_current is recorded")
    if "wrench_tcp" in names:
        notes.say("wrench", "wrench_tcp is actual_TCP_force: at the TCP, in axes of the base; RTDE does not state its sign")
    read = {index for vector in vectors for index in vector.columns}
    clock = None
    if "timestamp" in csv.names:
        column = csv.names.index("timestamp")
        clock = Clock(column, 9, "column timestamp, in seconds: the controller's, or that of the client that wrote it")
        read.add(column)
    unmapped = unread([name for index, name in enumerate(csv.names) if index not in read], _WHY)
    same = _Repeats(notes)

    def of_rows(values: np.ndarray) -> None:
        same.see(values)

    return table_recording(csv, vectors, clock, wishes, form="csv of Universal Robots' RTDE", unmapped=unmapped, notes=notes,
                           of_rows=of_rows)


def _vector(names: tuple[str, ...], channel: Channel) -> Vector | None:
    columns = [f"{channel.source}_{place}" for place in range(6)]
    found = [names.index(column) for column in columns if column in names]
    return Vector(channel, tuple(found)) if len(found) == 6 else None


class _Repeats:
    """Rows that say what the row before said: a recorder whose clock is not the controller's."""

    def __init__(self, notes: Notes) -> None:
        self._notes, self._number = notes, 0
        self._last: np.ndarray | None = None

    def see(self, values: np.ndarray) -> None:
        if not len(values):
            return
        before = np.vstack((values[:1] * np.nan if self._last is None else self._last, values[:-1]))
        self._last = values[-1:].copy()
        self._number += int(np.count_nonzero((values == before).all(axis=1)))
        if self._number:
            self._notes.say("repeats",
                            f"{count(self._number, 'row')} that repeat the numbers of the row before to the last digit: kept; "
                            "the recorder's clock is not the controller's")


