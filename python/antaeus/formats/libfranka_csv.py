"""csv of libfranka's log (franka::logToCSV) and of loggers that use the names of franka::RobotState."""

import pathlib
import re

from antaeus.formats.recording import WRENCH_COLUMNS, Channel, FormatError, Recording, Wishes
from antaeus.formats.tabular import (Clock, Csv, Notes, Vector, head_line, is_table_file, merged, open_csv, split_header,
                                     table_recording, unread, wished_vectors)

JOINTS = tuple(f"joint{number}" for number in range(1, 8))  # q[0] is joint 1
_CHANNELS = (
    Channel("qpos", JOINTS, "q", "rad", "measured"),
    Channel("dq", JOINTS, "dq", "rad/s", "measured"),
    Channel("tau", JOINTS, "tau_J", "N·m", "measured", "included"),
    Channel("target_dof", JOINTS, "q_d", "rad", "commanded"),
    Channel("wrench_K", WRENCH_COLUMNS, "O_F_ext_hat_K", "N, N·m", "estimated", sign="on_robot"),
    Channel("wrench_K_own_axes", WRENCH_COLUMNS, "K_F_ext_hat_K", "N, N·m", "estimated", sign="on_robot"),
)
_WHY = {
    "tau_J_d": "commanded torques, without gravity", "tau_ext_hat_filtered": "external torques as the controller estimates them",
    "dtau_J": "derivative of the torques", "dq_d": "commanded velocities",
    "success_rate": "of the control loop", "success rate": "of the control loop",
}
_MARKS = ({"q[0]", "tau_J[0]"}, {"q[0]", "tau_ext_hat_filtered[0]"}, {"q[0]", "q_d[0]"}, {"q[0]", "O_T_EE[0]"})
_TIMES = ("time", "duration")


def _split(line: str) -> tuple[str, list[str]]:
    return split_header(line, (",", ";", "\t"), lambda names: any(mark <= names for mark in _MARKS), ("state.", "robot_state."))


def recognises(path: pathlib.Path) -> bool:
    """By the names of columns: q[0] with q_d[0] or tau_J[0]."""
    return is_table_file(path) and bool(_split(head_line(path))[1])


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens the csv. Raises FormatError."""
    csv = open_csv(path, _split)
    offered = [vector for channel in _CHANNELS if (vector := _vector(csv.names, channel))]
    vectors = merged(offered, wished_vectors(path, csv.names, wishes), wishes)
    if "qpos" not in [vector.channel.name for vector in vectors]:
        raise FormatError(path, "holds no joint positions (q[0] … q[6])", "name them in a map: channels.qpos.source")
    notes = Notes()
    notes.say("names", "joints are named by libfranka's order: q[0] is joint1")
    sources = {vector.channel.source for vector in vectors}
    if "tau_J" in sources:
        notes.say("tau", "tau_J is what the sensors on the link side measure: the weight of the arm is in it")
    if {"O_F_ext_hat_K", "K_F_ext_hat_K"} & sources:
        notes.say("wrench",
                  "wrench_K is libfranka's estimate of the wrench that acts on the stiffness frame: at its origin, in axes of the "
                  "base (O_F_ext_hat_K) or its own (K_F_ext_hat_K)")
    if len(set(csv.names)) < len(csv.names):
        twice = sorted({re.sub(r"\[\d+\]$", "", name) for name in csv.names if name and csv.names.count(name) > 1})
        if twice:
            notes.say("twice", f"{', '.join(twice)} stand twice in the header: the first are the state, the second the command; "
                      "the first are read")
    read = {index for vector in vectors for index in vector.columns}
    column = next((csv.names.index(name) for name in _TIMES if name in csv.names), None)
    clock = None
    if column is not None:
        clock = _clock(csv, column, notes)
        read.add(column)
    unmapped = unread([name for index, name in enumerate(csv.names) if index not in read and name not in ("", "sent commands")],
                      _WHY)
    return table_recording(csv, vectors, clock, wishes, form="csv of libfranka's log", unmapped=unmapped, notes=notes)


def _vector(names: tuple[str, ...], channel: Channel) -> Vector | None:
    columns = [f"{channel.source}[{place}]" for place in range(len(channel.columns))]
    found = [names.index(column) for column in columns if column in names]
    return Vector(channel, tuple(found)) if len(found) == len(columns) else None


def _clock(csv: Csv, column: int, notes: Notes) -> Clock:
    """libfranka writes whole milliseconds (Duration::toMSec); numbers with a point are seconds (Duration::toSec)."""
    with csv.path.open("rb") as file:
        file.seek(csv.start)
        lines = file.read(65536).decode("utf-8", "replace").split("\n")[:-1]
    cells = [line.split(csv.delimiter)[column] for line in lines if line.count(csv.delimiter) >= column]
    name = csv.names[column]
    if any("." in cell or "e" in cell.lower() for cell in cells):
        notes.say("clock", f"the column {name} has a decimal point: taken as seconds, where libfranka's own log has milliseconds")
        return Clock(column, 9, f"column {name}, in seconds: the robot's")
    return Clock(column, 6, f"column {name}, in milliseconds: the robot's")
