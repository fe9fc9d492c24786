"""HDF5 of robomimic (data/demo_0/obs/…) and of ALOHA's recorder (/observations/qpos, /action), or by paths of a map."""

import faulthandler
import json
import os
import pathlib
import re
import resource
import signal
import time
import typing
import warnings
from collections.abc import Iterator

import numpy as np

from antaeus.formats.recording import BLOCK_ROWS, Block, Channel, Counter, FormatError, Recording, UnreadableError, Wishes, library, nearest
from antaeus.formats.tabular import (Notes, Stamps, axis_names, checked_rate, chosen_episode, decimal_nanoseconds, finite,
                                     ignored, natural, no_time, rated_times, several)

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_ENDINGS = (".hdf5", ".h5", ".hdf", ".he5")
_WIDEST = 4096  # columns of a dataset that is read
_SPARE_BYTES = 128 << 20  # that the HDF5 library itself may take
_PACKED = 1100  # bytes that one byte can hold, with what HDF5 packs with
_PATIENCE, _SLOWEST = 10.0, 5e6  # s, and bytes a second, after which reading is given up
_ALOHA_RATE = 50.0  # frames a second of ALOHA's recorder (its constant DT is 0.02 s); the file does not say
# Observations of robomimic: robot0_joint_pos and its like.
_ROBOMIMIC = (
    (re.compile(r"(?:(?P<robot>robot\d+)_)?(?:joint_pos|joint_positions?|qpos)"), "qpos"),
    (re.compile(r"(?:(?P<robot>robot\d+)_)?(?:joint_vel|joint_velocit(?:y|ies)|qvel)"), "dq"),
    (re.compile(r"(?:(?P<robot>robot\d+)_)?(?:joint_acc|joint_accelerations?)"), "ddq"),
    (re.compile(r"(?:(?P<robot>robot\d+)_)?(?:joint_torques?|joint_tau|joint_efforts?|torques?|efforts?)"), "tau"),
)
_TIMES = ("timestamp", "timestamps", "time")
_TIME_DIGITS = {"s": 9, "sec": 9, "second": 9, "seconds": 9, "ms": 6, "milliseconds": 6, "us": 3, "µs": 3, "ns": 0,
                "nanoseconds": 0}


def recognises(path: pathlib.Path) -> bool:
    """By the signature of HDF5, or its endings."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(520)
    except OSError:
        return False
    return path.suffix.lower() in _ENDINGS or head.startswith(_SIGNATURE) or head[512:] == _SIGNATURE


class _Source(typing.NamedTuple):
    """A channel and the dataset that it is."""

    channel: Channel
    dataset: str


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens the file. Raises FormatError."""
    h5py = library("h5py", path)
    _require_readable(h5py, path, wishes)
    return _open(h5py, path, wishes)


def _open(h5py: typing.Any, path: pathlib.Path, wishes: Wishes) -> Recording:
    try:
        with _opened(h5py, path) as file:
            return _recording(h5py, path, file, wishes)
    except FormatError:
        raise
    except Exception as error:  # what h5py raises on damaged files has many types
        raise FormatError(path, f"is damaged ({_one_line(error)})", "copy it again") from None


def _require_readable(h5py: typing.Any, path: pathlib.Path, wishes: Wishes) -> None:
    """Reads the file once in a child process: on some damaged files the HDF5 library crashes, or does not come back.

    The child has a limit of memory: a packed chunk may hold more than it declares. Raises FormatError as the child did, or
    where the child ended in another way.
    """
    if not hasattr(os, "fork"):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: the child calls h5py alone
        receiver, sender = os.pipe()
        child = os.fork()
    if child == 0:
        faulthandler.disable()
        try:
            used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            most, (_, hard) = used + 4 * wishes.budget.limit + _SPARE_BYTES, resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        except (OSError, ValueError):  # no Linux
            pass
        try:
            for _ in _open(h5py, path, wishes).blocks():
                pass
        except FormatError as error:
            os.write(sender, str(error).encode("utf-8", "replace")[:4096])
        except MemoryError:
            os.write(sender, f"{path}: its packed datasets hold more than they declare; copy it again".encode("utf-8", "replace"))
        finally:
            os._exit(0)
    os.close(sender)
    end = time.monotonic() + _PATIENCE + path.stat().st_size / _SLOWEST
    wait = 0.0005
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done or time.monotonic() > end:
            break
        time.sleep(wait)
        wait = min(2 * wait, 0.05)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not done or os.WIFSIGNALED(status):
        os.close(receiver)
        raise FormatError(path, "is damaged: the HDF5 library " + ("crashes on it" if done else "does not end reading it"),
                          "copy it again")
    with open(receiver, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    if text:
        error = FormatError(path, "cannot be read", "copy it again")
        error.args = (text,)
        raise error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def _opened(h5py: typing.Any, path: pathlib.Path) -> typing.Any:
    try:
        return h5py.File(path, "r", locking=False)
    except OSError as error:
        text = str(error)
        cut = re.search(r"eof = (\d+).*stored_eof = (\d+)", text)
        if cut:
            raise FormatError(path, f"is cut off: {cut[1]} of {cut[2]} bytes are there",
                              "copy it again, or close its writer first") from None
        if isinstance(error, PermissionError):
            raise
        if "signature" in text:
            raise FormatError(path, "is no HDF5 file", "give the file that the recorder wrote") from None
        raise FormatError(path, f"cannot be opened ({_one_line(error)})", "copy it again, or close its writer first") from None


def _datasets(h5py: typing.Any, group: typing.Any) -> list[str]:
    """Paths of the datasets of a group, by hard links alone: others may lead out of the file."""
    names: list[str] = []

    def visit(name: str, item: object) -> bool | None:
        if isinstance(item, h5py.Dataset):
            names.append(name)
        return True if len(names) > 20000 else None

    group.visititems(visit)
    return sorted(names, key=natural)


def _child(h5py: typing.Any, group: typing.Any, name: str, kind: type) -> typing.Any:
    """A member that is there by a hard link and of that kind; else None. Raises FormatError for a link to another file."""
    link = group.get(name, getlink=True)
    if isinstance(link, h5py.ExternalLink):
        raise _elsewhere(group.file.filename, f"{group.name.rstrip('/')}/{name}")
    if isinstance(link, h5py.HardLink):
        item = group.get(name)
        return item if isinstance(item, kind) else None
    return None


def _elsewhere(path: object, place: str) -> FormatError:
    return FormatError(path, f"{place} is stored in another file", "copy it into this one (h5repack)")


def _require_inside(path: object, dataset: typing.Any) -> None:
    """Raises FormatError where the values of a dataset come from another file: any file of the user could then be copied."""
    if dataset.is_virtual or dataset.external:
        raise _elsewhere(path, dataset.name)


def _recording(h5py: typing.Any, path: pathlib.Path, file: typing.Any, wishes: Wishes) -> Recording:
    data, observations = _child(h5py, file, "data", h5py.Group), _child(h5py, file, "observations", h5py.Group)
    notes = Notes()
    root, rate, clock, form = "", None, "", "HDF5 file"
    sources: list[_Source] = []
    demos = [name for name in data if _child(h5py, data, name, h5py.Group) is not None] if data is not None else []
    if demos:
        form = "HDF5 file of robomimic"
        demo = chosen_episode(path, sorted(demos, key=natural), wishes.episode)
        root = f"data/{demo}/"
        sources = _robomimic(h5py, path, file[root], wishes, notes)
        rate, clock = _robomimic_rate(path, data, notes)
    elif observations is not None and _child(h5py, observations, "qpos", h5py.Dataset) is not None:
        form = "HDF5 file of ALOHA"
        sources = _aloha(h5py, file, observations, notes)
        if wishes.rate is None:
            rate = _ALOHA_RATE
            clock = f"{rate:g} rows per second, assumed: the file states none"
    names = _datasets(h5py, file)
    wished = {channel: wish.source for channel, wish in wishes.channels.items() if wish.source is not None}
    sources = [source for source in sources if source.channel.name not in wished and not ignored(source.channel.source, wishes)]
    for channel, name in wished.items():
        sources.append(_wished(h5py, path, file, channel, name, root, names))
    if not any(source.channel.name == "qpos" for source in sources):
        if demos or form.endswith("ALOHA"):
            under = [name for name in names if name.startswith(root)]
            raise FormatError(path, f"holds no joint positions: it has {_some(under)}",
                              "name them in a map: channels.qpos.source")
        raise FormatError(path, f"is of no layout that is known: it has {_some(names) or 'no datasets'}",
                          "name the datasets in a map: channels.qpos.source = \"/PATH\"")
    sources = [_with_unit(file, source) for source in sources]
    counted = wishes.budget.counter("its datasets hold")
    shapes = {source.dataset: _shape(path, file, source, counted) for source in sources}
    rows = min(shape[0] for shape in shapes.values())
    if rows == 0:
        raise FormatError(path, f"holds no rows ({root or '/'})", "record again")
    for name, shape in shapes.items():
        if shape[0] > rows:
            notes.say("rows " + name, f"/{name} has {shape[0]} rows, the shortest {rows}: what is beyond is left out")
    channels = tuple(_columned(source, shapes[source.dataset][1]) for source in sources)
    times = _times(h5py, file, root, names, rows, notes, counted) if wishes.rate is None else None
    if wishes.rate is not None:
        rate, clock = wishes.rate, f"{wishes.rate:g} rows per second (given)"
    elif times is not None:
        clock = f"/{times[0]}"
    elif rate is None:
        raise no_time(path, "states no time and no rate")
    elif form.endswith("ALOHA"):
        notes.say("rate",
                  f"the file states no time: {rate:g} rows per second, ALOHA's default; change it with --rate")
    read = {source.dataset for source in sources} | ({times[0]} if times else set())
    unmapped = _unmapped(h5py, file, [name for name in names if name.startswith(root) and name not in read])
    return _blocks(h5py, path, [source._replace(channel=channel) for source, channel in zip(sources, channels, strict=True)],
                   rows, times, rate, clock, form, unmapped, notes)


def _some(names: list[str]) -> str:
    return ", ".join("/" + name for name in names[:12]) + (f", … ({len(names)} datasets)" if len(names) > 12 else "")


def _robomimic(h5py: typing.Any, path: pathlib.Path, demo: typing.Any, wishes: Wishes, notes: Notes) -> list[_Source]:
    observations = _child(h5py, demo, "obs", h5py.Group)
    if observations is None:
        return []
    robots: dict[str, dict[str, str]] = {}
    for name in observations:
        for pattern, channel in _ROBOMIMIC:
            match = pattern.fullmatch(name)
            if match and _child(h5py, observations, name, h5py.Dataset) is not None:
                robots.setdefault(match["robot"] or "", {}).setdefault(channel, name)
    robots = {robot: channels for robot, channels in robots.items() if "qpos" in channels}
    if wishes.topic is not None and robots:
        if wishes.topic not in robots:
            raise FormatError(path, f"no robot '{wishes.topic[:80]}'",
                              nearest(wishes.topic, list(robots)) or "it has " + ", ".join(robots))
        robots = {wishes.topic: robots[wishes.topic]}
    if len(robots) > 1:
        raise several(path, "robots", sorted(robots, key=natural), "--topic")
    base = demo.name.strip("/") + "/obs/"
    found = []
    for channels in robots.values():
        for channel, name in channels.items():
            found.append(_Source(Channel(channel, (), f"/{base}{name}"), base + name))
    if found:
        notes.say("names", "the file names no joints: columns are called by their number")
    return found


def _robomimic_rate(path: pathlib.Path, data: typing.Any, notes: Notes) -> tuple[float | None, str]:
    text = data.attrs.get("env_args")
    if text is None:
        return None, ""
    try:
        arguments = json.loads(text)
        rate = arguments.get("env_kwargs", {}).get("control_freq", arguments.get("control_freq"))
    except (ValueError, TypeError, AttributeError, RecursionError):
        notes.say("env", "env_args of /data is no JSON that can be read")
        return None, ""
    if rate is None:
        return None, ""
    rate = checked_rate(path, rate, "control_freq in env_args")
    return rate, f"{rate:g} rows per second by control_freq in env_args; the file states no time"


def _aloha(h5py: typing.Any, file: typing.Any, observations: typing.Any, notes: Notes) -> list[_Source]:
    found = []
    for name, channel, stage in (("qpos", "qpos", "measured"), ("qvel", "dq", "measured"), ("effort", "tau", "measured")):
        if _child(h5py, observations, name, h5py.Dataset) is not None:
            found.append(_Source(Channel(channel, (), f"/observations/{name}", stage=stage), f"observations/{name}"))
    if _child(h5py, file, "action", h5py.Dataset) is not None:
        found.append(_Source(Channel("target_dof", (), "/action", stage="commanded"), "action"))
    notes.say("names",
              "the file names no joints: columns are called by their number; of 14, ALOHA's recorder writes the left "
              "arm's six joints, its gripper (0 to 1), then the right arm's")
    simulated = bool(np.asarray(file.attrs.get("sim", False)).any())
    if any(source.channel.name == "tau" for source in found):
        notes.say("effort", "effort is the simulator's: its unit is not stated" if simulated else
                  "effort of ALOHA's drives is like a current, not a torque: give channels.tau.unit or channels.tau.scale in a map")
    if simulated:
        notes.say("sim", "the file states that it was simulated (sim)")
    return found


def _wished(h5py: typing.Any, path: pathlib.Path, file: typing.Any, channel: str, name: str, root: str,
            names: list[str]) -> _Source:
    name = name.strip("/")
    for full in (name, root + name):
        if full in names and isinstance(file[full], h5py.Dataset):
            return _Source(Channel(channel, (), "/" + full), full)
    raise FormatError(path, f"channels.{channel}: no dataset is called '/{name[:120]}'",
                      nearest(name, names) or "it has " + _some(names))


def _with_unit(file: typing.Any, source: _Source) -> _Source:
    """With the unit that an attribute of the dataset states."""
    attributes = file[source.dataset].attrs
    for name in ("unit", "units"):
        unit = attributes.get(name)
        if isinstance(unit, bytes):
            unit = unit.decode("utf-8", "replace")
        if isinstance(unit, str) and unit.strip():
            return source._replace(channel=Channel(**(vars(source.channel) | {"unit": unit.strip()[:40]})))
    return source


def _shape(path: pathlib.Path, file: typing.Any, source: _Source, rows: Counter) -> tuple[int, int]:
    """(rows, columns) of a dataset of numbers. Raises FormatError where it declares more than its bytes can hold."""
    dataset, place = file[source.dataset], f"/{source.dataset}"
    _require_inside(path, dataset)
    if dataset.shape is None or dataset.dtype.kind not in "fiub" or len(dataset.shape) not in (1, 2):
        raise FormatError(path, f"{place} is {dataset.dtype} of shape {dataset.shape}, no rows of numbers",
                          "name another dataset in a map")
    columns = dataset.shape[1] if len(dataset.shape) == 2 else 1
    declared, there = dataset.size * dataset.dtype.itemsize, dataset.id.get_storage_size()
    packed = dataset.id.get_create_plist().get_nfilters() > 0
    chunk = int(np.prod(dataset.chunks, dtype=object)) * dataset.dtype.itemsize if dataset.chunks else 0
    if declared > there * (_PACKED if packed else 1) or there > path.stat().st_size:
        raise FormatError(path,
                          f"{place} declares {dataset.shape[0]} rows of {columns}, {declared} bytes; the file holds {there} of it",
                          "copy it again, or close its writer first")
    rows.spend(max(8 * dataset.size, chunk))
    if not 0 < columns <= _WIDEST:
        raise FormatError(path, f"{place} has {columns} columns", "name another dataset in a map")
    return dataset.shape[0], columns


def _columned(source: _Source, columns: int) -> Channel:
    names = axis_names(source.channel.name, tuple(str(index) for index in range(columns)))
    return Channel(**(vars(source.channel) | {"columns": names}))


def _times(h5py: typing.Any, file: typing.Any, root: str, names: list[str], rows: int, notes: Notes,
           counted: Counter) -> tuple[str, int] | None:
    """A dataset of time stamps, and the places behind the point of a second that make a nanosecond. Raises FormatError."""

    def refuse(name: str, link: object) -> None:
        if isinstance(link, h5py.ExternalLink) and name.rpartition("/")[2].lower() in _TIMES:
            raise _elsewhere(file.filename, f"/{root}{name}")

    file[root or "/"].visititems_links(refuse)
    for name in names:
        if name.startswith(root) and name.rpartition("/")[2].lower() in _TIMES and file[name].shape in ((rows,), (rows, 1)):
            dataset = file[name]
            _require_inside(file.filename, dataset)
            there = max(1, dataset.id.get_storage_size())
            chunk = int(np.prod(dataset.chunks or (0,), dtype=object)) * dataset.dtype.itemsize
            if dataset.dtype.kind not in "fiu" or dataset.size * dataset.dtype.itemsize > there * _PACKED:
                continue
            counted.spend(max(8 * dataset.size, chunk))
            stated = dataset.attrs.get("unit", dataset.attrs.get("units"))
            stated = stated.decode("utf-8", "replace") if isinstance(stated, bytes) else stated
            if isinstance(stated, str) and stated in _TIME_DIGITS:
                return name, _TIME_DIGITS[stated]
            if dataset.dtype.kind == "f":
                notes.say("seconds", f"/{name} states no unit: taken as seconds")
                return name, 9
            notes.say("no unit", f"/{name} is of whole numbers and states no unit: not read")
    return None


def _unmapped(h5py: typing.Any, file: typing.Any, names: list[str]) -> list[str]:
    why = {"states": "the simulator's state, without names", "actions": "commands, without names",
           "action": "commands, without names"}
    lines = []
    for name in names[:200]:
        dataset = file[name]
        reason = why.get(name.rpartition("/")[2])
        shape = "×".join(str(length) for length in dataset.shape or ())
        lines.append(f"/{name} {dataset.dtype} {shape}" + (f": {reason}" if reason else ""))
    return lines + ([f"{len(names) - 200} more datasets"] if len(names) > 200 else [])


def _blocks(h5py: typing.Any, path: pathlib.Path, sources: list[_Source], rows: int, times: tuple[str, int] | None,
            rate: float | None,
            clock: str, form: str, unmapped: list[str], notes: Notes) -> Recording:
    size = path.stat().st_size
    progress = [0]

    def blocks() -> Iterator[Block]:
        counts: dict[str, int] = {}
        stamps = Stamps(notes)
        with _opened(h5py, path) as file:
            for first in range(0, rows, BLOCK_ROWS):
                last = min(rows, first + BLOCK_ROWS)
                try:
                    read = {source.channel.name: file[source.dataset][first:last] for source in sources}
                    values = {name: np.asarray(array, dtype=float).reshape(last - first, -1) for name, array in read.items()}
                    stamped = _stamps_of(file[times[0]][first:last].reshape(-1), times[1]) if times else None
                except Exception as error:  # a damaged chunk
                    raise UnreadableError(path, f"rows {first} to {last - 1} cannot be read ({_one_line(error)})",
                                      "copy it again") from None
                here = rated_times(first, last - first, typing.cast(float, rate)) if stamped is None else stamped[0]
                if stamped is not None:
                    if not stamped[1].all():
                        raise FormatError(path, f"/{typing.cast(tuple[str, int], times)[0]} has no number in a row",
                                          "give --rate, rows per second")
                    stamps.see(here)
                yield Block(here, {name: finite(array, name, notes, counts) for name, array in values.items()})
                progress[0] = size * last // rows

    return Recording(format=form, channels=tuple(source.channel for source in sources), clock=clock, blocks=blocks,
                     unmapped=unmapped,
                     notes=notes.lines, bytes=size, done=lambda: progress[0])


def _stamps_of(values: np.ndarray, digits: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers as nanoseconds (N,) int64 and whether each is one: as the shortest text that reads back equal has them."""
    found = [decimal_nanoseconds(repr(value), digits) for value in values.tolist()]
    return np.array([one or 0 for one in found], dtype=np.int64), np.array([one is not None for one in found], dtype=bool)
