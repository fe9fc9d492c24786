"""The tables of a fleet, as Arrow schemas; docs/reference/schemas.md says what each column is.

What is computed from a log is rounded to single precision, so that no bit depends on the machine's instruction set.
"""

import pyarrow as pa

_TEXTS = pa.list_(pa.string())
_POSE = pa.list_(pa.float32())

PLAN = pa.schema([
    ("id", pa.string()), ("path", pa.string()), ("kind", pa.string()), ("bytes", pa.int64()), ("hash", pa.string()),
    ("robot", pa.string()), ("profile", pa.string()), ("model", pa.string()), ("settings", pa.string()), ("options", pa.string()),
    ("version", pa.string()), ("software", pa.string()), ("date", pa.string()), ("unit", pa.string()),
    ("tags", pa.map_(pa.string(), pa.string())), ("problem", pa.string())])

STEPS = pa.schema([
    ("id", pa.string()), ("endpoint", pa.string()), ("time", pa.float64()), ("seconds", pa.float32()), ("samples", pa.int32()),
    ("ok", pa.int32()), ("degraded", pa.int32()), ("refused", pa.int32()), ("Fx", pa.float32()), ("Fy", pa.float32()),
    ("Fz", pa.float32()), ("force_max", pa.float32()), ("sd_max", pa.float32()), ("above", pa.int32()), ("kappa", pa.float32()),
    ("reasons", pa.string()), ("sign", pa.string()), ("pose", _POSE), ("pose_joints", _TEXTS)])

EVENTS = pa.schema([
    ("id", pa.string()), ("endpoint", pa.string()), ("kind", pa.string()), ("begin", pa.float64()), ("end", pa.float64()),
    ("force", pa.float32()), ("sd", pa.float32()), ("joint", pa.string()), ("reason", pa.string()), ("q", _POSE),
    ("worst_time", pa.float64()), ("pose", _POSE), ("pose_joints", _TEXTS)])

JOINTS = pa.schema([
    ("id", pa.string()), ("joint", pa.string()), ("place", pa.int32()), ("samples", pa.int64()), ("moving", pa.float32()),
    ("noise", pa.float32()), ("offset", pa.float32()), ("offset_sd", pa.float32()), ("coulomb", pa.float32()),
    ("coulomb_sd", pa.float32()), ("viscous", pa.float32()), ("viscous_sd", pa.float32()), ("verdict", pa.string()),
    ("reason", pa.string())])

# What one log says of itself: the row of an attempt.
EPISODE = pa.schema([
    ("id", pa.string()), ("robot", pa.string()), ("hash", pa.string()), ("status", pa.string()), ("reason", pa.string()),
    ("cause", pa.string()), ("duration_s", pa.float64()), ("samples", pa.int64()), ("rate_hz", pa.float32()), ("ok_s", pa.float32()),
    ("degraded_s", pa.float32()), ("refused_s", pa.float32()), ("alarms", pa.int32()), ("contacts", pa.int32()),
    ("phantoms", pa.int32()), ("untouched_s", pa.float32()), ("untouched_covered", pa.float32()), ("force_max", pa.float32()),
    ("worst_time", pa.float64()), ("formed_of", pa.string()), ("computed_by", pa.string()), ("notes", pa.string()),
    ("version", pa.string()), ("sign", pa.string()), ("setup_fault", pa.string())])

# With what only the plan knows: where the log lies, and what is said of it.
EPISODES = pa.schema([*EPISODE, ("path", pa.string()), ("copy_of", pa.string()), ("software", pa.string()), ("date", pa.string()),
                      ("unit", pa.string()), ("tags", pa.map_(pa.string(), pa.string()))])

# Tables of an attempt that finish puts together, row for row.
TABLES = {"steps": STEPS, "events": EVENTS, "joints": JOINTS}
KNOWN_TAGS = ("software", "date", "unit")
EVENT_KINDS = ("alarm", "contact", "phantom", "refused")
CAUSES = ("corrupt", "no_robot", "unreadable", "memory", "killed", "disk", "other")
