"""What watch said, sample by sample, beside the channels of a part: kept as numbers, read back as the columns of an audit's steps.csv."""

import json
import os
import pathlib
import typing

import numpy as np

from antaeus.live.growing import Rows

FOLDER = "said"
"""In a part: the loader of episodes looks at no folder within a folder."""

# Attribute of a block → type, and whether it has a value an endpoint (docs/guide/live.md says what each is).
_SAID: dict[str, str] = {
    "stamp": "<f8", "received": "<f8", "epoch": "<i8", "held_off": "|b1",
    "wrench": "<f8", "sd": "<f8", "verdict": "|u1", "reasons": "<u8", "nis": "<f8", "nis_limit": "<f8",
    "consumer": "<f8", "state": "|u1", "action": "|u1", "because": "<u8", "stop": "|b1",
}
FILES = tuple(f"{FOLDER}/{name}.npy" for name in _SAID)
_AXES = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


def said_rows(block: typing.Any) -> Rows:
    """Of a LiveBlock of N samples: arrays [N], [N × endpoints] or [N × endpoints × 6], by the name of their file."""
    each = np.asarray(block.verdict).shape
    rows = {f"{FOLDER}/{name}": np.asarray(getattr(block, name)).astype(kind, copy=False) for name, kind in _SAID.items()}
    return rows | {f"{FOLDER}/{name}": rows[f"{FOLDER}/{name}"].reshape(each) for name in ("nis", "nis_limit")}


def load_rows(part: str | os.PathLike[str]) -> Rows:
    """The same of a part or of a flight's episode, by their names without the folder."""
    folder = pathlib.Path(part) / FOLDER
    if not folder.is_dir():
        raise ValueError(f"{part}: no '{FOLDER}' in it: watch did not record it; name a part_… of a record, or a flight's episode")
    return {name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in _SAID}


def about_part(part: str | os.PathLike[str]) -> dict[str, typing.Any]:
    """part.json: endpoints, sign, the sample that the first row is, … Raises ValueError, one line."""
    file = pathlib.Path(part) / "part.json"
    try:
        return typing.cast("dict[str, typing.Any]", json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: cannot be read ({error}); name a part_… of a record, or a flight's episode") from None


def read_said(part: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """What watch said of each sample and endpoint of a part, or of a flight's episode.

    Returns columns as docs/reference/schemas.md names them, one row a sample and endpoint in the order of the posterior's rows of steps.csv:
    step, time [s], endpoint, sign, Fx … Mz [N, N·m], sd_Fx … sd_Fz [N], verdict, reasons, nis, nis_threshold, guarded_Fx … guarded_Fz [N],
    guard_state, guard_action. NaN where steps.csv has no number. Raises ValueError for a folder that is no part.
    """
    import antaeus  # not while the package itself is imported

    rows, about = load_rows(part), about_part(part)
    endpoints: list[str] = about["endpoints"]
    count, each = rows["verdict"].shape
    clock = pathlib.Path(part) / "time.npy"
    time = np.load(clock, allow_pickle=False) if clock.exists() else np.full(count, np.nan)

    def words(name: str, of: typing.Any) -> np.ndarray:
        return np.array([str(value) for value in of], dtype=object)[rows[name].ravel()]

    known: dict[int, str] = {}

    def reasons(bits: int) -> str:
        if bits not in known:
            known[bits] = " ".join(antaeus.reason_names(bits))
        return known[bits]

    table: dict[str, np.ndarray] = {
        "step": np.repeat(np.arange(count), each),
        "time": np.repeat(time, each),
        "endpoint": np.array(endpoints * count, dtype=object),
        "sign": np.full(count * each, about["sign"], dtype=object),
    }
    flat = rows["wrench"].reshape(-1, 6)
    table |= {name: flat[:, axis] for axis, name in enumerate(_AXES)}
    spread = rows["sd"].reshape(-1, 6)
    table |= {f"sd_{name}": spread[:, axis] for axis, name in enumerate(_AXES[:3])}
    # As an audit has it: an estimate that cannot be used keeps its own word, else the guard's state is the verdict.
    own, state = words("verdict", antaeus.Verdict), words("state", antaeus.Verdict)
    table["verdict"] = np.where((own == "invalid_input") | (own == "unobservable"), own, state)
    table["reasons"] = np.array([reasons(int(bits)) for bits in rows["reasons"].ravel()], dtype=object)
    table["nis"], table["nis_threshold"] = rows["nis"].ravel(), rows["nis_limit"].ravel()
    consumer = rows["consumer"].reshape(-1, 6)
    table |= {f"guarded_{name}": consumer[:, axis] for axis, name in enumerate(_AXES[:3])}
    table["guard_state"] = state
    table["guard_action"] = words("action", antaeus.ConsumerAction)
    return table
