"""LeRobot datasets, v2 (a Parquet file an episode) and v3 (many episodes a file): the dataset's folder, or one file of it."""

import dataclasses
import json
import pathlib
import re
import typing
from collections.abc import Iterator

import numpy as np

from antaeus.formats.recording import (BLOCK_ROWS, JOINT_UNITS, UNKNOWN, Block, Budget, Channel, ExpansionError, FormatError, Recording, Wishes,
                                       library, nearest)
from antaeus.formats.tabular import (Notes, Stamps, axis_names, checked_rate, count, decimal_nanoseconds, finite, ignored,
                                     no_time, rated_times)

_INFO = pathlib.Path("meta") / "info.json"
_INFO_BYTES = 64 << 20
_WIDEST = 4096
_BATCH_ROWS = 4096
_CELL_BYTES = 64  # of a number that becomes an object of Python
_HEADER_BYTES = 1 << 16  # of a page
_BOOKKEEPING = ("index", "frame_index", "episode_index", "task_index", "timestamp", "next.done", "next.reward", "next.success")
# Words by which names tell what a number of a joint is.
_WORDS = {
    "pos": "qpos", "position": "qpos", "positions": "qpos", "qpos": "qpos", "q": "qpos", "angle": "qpos",
    "vel": "dq", "velocity": "dq", "velocities": "dq", "qvel": "dq", "dq": "dq", "speed": "dq",
    "torque": "tau", "torques": "tau", "effort": "tau", "efforts": "tau", "tau": "tau", "cur": "tau", "current": "tau",
    "currents": "tau",
    "load": "tau", "eff": "tau",
    "acc": "ddq", "acceleration": "ddq",
}
_CURRENT_WORDS = ("cur", "current", "currents", "load")
_SUFFIX = re.compile(r"(?P<joint>.+?)[._/ ](?P<word>[a-z]+)")  # shoulder_pan.pos
_MIDDLE = re.compile(r"(?P<before>.*?)_?(?P<word>[a-z]+)_(?P<after>\d+)")  # joint_cur_1
# Parts of a pose, by themselves or after a word for where the pose is: "x", "ee.roll", "left_tcp_pose.qx". What stands
# after another word is a joint: wrist_roll, left_hip_pitch, waist_yaw.
_NO_JOINT = re.compile(r"(?:(?:.*[._/ ])?(?:ee|eef|tcp|end_effector|tool|pose|cartesian|cart|target)(?:_?(?:pos|position|pose|ori|orientation"
                       r"|rot|quat))?[._/ ])?(?:x|y|z|w|qx|qy|qz|qw|rx|ry|rz|roll|pitch|yaw|r11|r12|r13|r21|r22|r23"
                       r"|rot6d_\d+|delta_[a-z]+)(?:[._/ ](?:pos|vel|position))?")


def recognises(path: pathlib.Path) -> bool:
    """A folder with meta/info.json that has features, or a Parquet file under one."""
    try:
        return _root(path) is not None
    except OSError:
        return False


def _root(path: pathlib.Path) -> pathlib.Path | None:
    """The dataset's folder; None where the path is not of one."""
    if path.is_dir():
        candidates = [path]
    elif path.suffix == ".parquet" and path.is_file():
        candidates = list(path.resolve().parents)[:4]
    else:
        return None
    for folder in candidates:
        info = folder / _INFO
        if info.is_file():
            with info.open("rb") as file:
                head = file.read(65536)
            if b'"features"' in head or b'"codebase_version"' in head or folder is path:
                return folder
    return None


@dataclasses.dataclass(frozen=True)
class _Source:
    """A channel, and which numbers of which features it is."""

    channel: Channel
    feature: str
    places: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class _Episode:
    """Which rows of which file."""

    number: int
    file: pathlib.Path
    rows: int | None  # as the metadata say


def open_recording(path: pathlib.Path, wishes: Wishes) -> Recording:
    """Opens the dataset. Raises FormatError."""
    library("pyarrow.parquet", path)
    root = _root(path)
    if root is None:
        raise FormatError(path, "is no LeRobot dataset", "give the folder that has meta/info.json")
    info = _json(root / _INFO)
    features = info.get("features")
    if not isinstance(features, dict) or not all(isinstance(feature, dict) for feature in features.values()):
        raise FormatError(root / _INFO, "has no features", "give the folder of a LeRobot dataset")
    episode = _episode(root, info, path if path.is_file() else None, wishes)
    notes = Notes()
    sources, unmapped = _sources(root, features, wishes, notes)
    if not any(source.channel.name == "qpos" for source in sources):
        names = [name for name in features if name not in _BOOKKEEPING]
        raise FormatError(root / _INFO, f"has no joint positions: features are {', '.join(names[:12]) or 'none'}",
                          "name one in a map: channels.qpos.source")
    clock, rate = _clock(root, info, features, wishes)
    version = str(info.get("codebase_version", ""))[:12]
    return _recording(root, episode, sources, clock, rate, f"LeRobot dataset {version}".rstrip(), unmapped, notes, wishes)


def _json(file: pathlib.Path) -> dict[str, typing.Any]:
    try:
        if file.stat().st_size > _INFO_BYTES:
            raise FormatError(file, "is larger than 64 MiB", "this is no metadata")
        value = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise FormatError(file, "is missing", "copy the whole dataset") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(file, f"is no JSON ({' '.join(str(error).split())[:120]})", "copy it again") from None
    if not isinstance(value, dict):
        raise FormatError(file, "is no JSON object", "copy it again")
    return value


# --- which episode ----------------------------------------------------------------------------------------------------


def _episode(root: pathlib.Path, info: dict[str, typing.Any], file: pathlib.Path | None, wishes: Wishes) -> _Episode:
    template = info.get("data_path")
    if not isinstance(template, str):
        raise FormatError(root / _INFO, "has no data_path", "copy the whole dataset")
    one_a_file = "file_index" not in template
    known = _episodes_v2(root, info, template) if one_a_file else _episodes_v3(root, template, wishes.budget)
    if file is not None:
        there = file.resolve()
        known = {number: one for number, one in known.items() if one.file.resolve() == there}
        if not known:
            raise FormatError(file, "holds no episode of the dataset", "give the dataset's folder")
    if not known:
        raise FormatError(root, "holds no episode", "copy the whole dataset")
    number = _chosen(root if file is None else file, sorted(known), wishes.episode)
    if not known[number].file.is_file():
        raise FormatError(known[number].file, f"is missing, which episode {number} is in", "copy the whole dataset")
    return known[number]


def _chosen(place: pathlib.Path, numbers: list[int], wish: str | None) -> int:
    if wish is None:
        if len(numbers) > 1:
            raise FormatError(place, f"holds {len(numbers)} episodes: {numbers[0]} to {numbers[-1]}",
                              f"choose one with --episode {numbers[0]}")
        return numbers[0]
    match = re.fullmatch(r"(?:episode_)?(\d{1,12})", wish)
    if match and int(match[1]) in numbers:
        return int(match[1])
    raise FormatError(place, f"no episode '{wish[:80]}'",
                      f"it holds {count(len(numbers), 'episode')}: {numbers[0]} to {numbers[-1]}")


def _path(root: pathlib.Path, template: str, values: dict[str, int]) -> pathlib.Path:
    """A file of the dataset by its template, which may name nothing outside of the folder."""

    def fill(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise FormatError(root / _INFO, f"data_path has an unknown part {{{match[1][:40]}}}", "copy the whole dataset")
        return f"{values[match[1]]:0{min(int(match[2] or 0), 20)}d}"

    text = re.sub(r"\{(\w+)(?::0?(\d{0,2})d)?\}", fill, template)
    path = pathlib.PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\0" in text or len(text) > 1000:
        raise FormatError(root / _INFO, f"data_path {template[:80]!r} leads out of the dataset", "copy the whole dataset")
    return root / path


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def _episodes_v2(root: pathlib.Path, info: dict[str, typing.Any], template: str) -> dict[int, _Episode]:
    size = _number(info.get("chunks_size")) or 1000
    file = root / "meta" / "episodes.jsonl"
    if not file.is_file():
        raise FormatError(file, "is missing", "copy the whole dataset")
    known = {}
    with file.open("rb") as lines:
        for place, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                number, rows = _number(row["episode_index"]), _number(row.get("length"))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise FormatError(file, f"line {place} names no episode", "copy it again") from None
            if number is None:
                raise FormatError(file, f"line {place} names no episode", "copy it again")
            known[number] = _Episode(number, _path(root, template, {"episode_chunk": number // size, "episode_index": number}),
                                     rows)
    return known


def _episodes_v3(root: pathlib.Path, template: str, budget: Budget) -> dict[int, _Episode]:
    files = sorted((root / "meta" / "episodes").glob("chunk-*/*.parquet"))
    if not files:
        raise FormatError(root / "meta" / "episodes", "is missing", "copy the whole dataset")
    known = {}
    wanted = ["episode_index", "data/chunk_index", "data/file_index"]
    for file in files:
        parquet = _parquet(file)
        names = parquet.schema_arrow.names
        for name in wanted:
            if name not in names:
                raise FormatError(file, f"has no column {name}", "copy it again")
        budget.add_input(file)
        _require_affordable(file, parquet, [*wanted, "length"], budget, _CELL_BYTES)
        try:
            table = parquet.read(columns=wanted + (["length"] if "length" in names else [])).to_pydict()
        except Exception as error:
            raise FormatError(file, f"is damaged ({_one_line(error)})", "copy it again") from None
        lengths = table.get("length", [None] * len(table["episode_index"]))
        for number, chunk, index, rows in zip(*(table[name] for name in wanted), lengths, strict=True):
            if _number(number) is None or _number(chunk) is None or _number(index) is None:
                raise FormatError(file, "names an episode without number or file", "copy it again")
            known[number] = _Episode(number, _path(root, template, {"chunk_index": chunk, "file_index": index}), _number(rows))
    return known


def _parquet(file: pathlib.Path) -> typing.Any:
    parquet = library("pyarrow.parquet", file)
    try:
        return parquet.ParquetFile(file, memory_map=False, buffer_size=1 << 20, pre_buffer=False)
    except FileNotFoundError:
        raise FormatError(file, "is missing", "copy the whole dataset") from None
    except PermissionError:
        raise
    except Exception as error:
        raise FormatError(file, f"is no Parquet file that can be read ({_one_line(error)})", "copy it again") from None


def _require_affordable(file: pathlib.Path, parquet: typing.Any, columns: list[str], budget: Budget, cell: int) -> None:
    """Raises FormatError where the pages of columns declare more than the budget: a page is unpacked as a whole, whatever the
    footer states. `cell`: bytes that a number costs."""
    counter, at = budget.counter("its pages hold"), 0
    try:
        with file.open("rb") as stream:
            for group in range(parquet.metadata.num_row_groups):
                row_group = parquet.metadata.row_group(group)
                for index in range(row_group.num_columns):
                    column = row_group.column(index)
                    if not any(column.path_in_schema == name or column.path_in_schema.startswith(name + ".") for name in columns):
                        continue
                    at = min(column.data_page_offset, column.dictionary_page_offset or column.data_page_offset)
                    end = at + column.total_compressed_size
                    while at < end:
                        stream.seek(at)
                        size, unpacked, packed, values = _page(stream.read(_HEADER_BYTES))
                        counter.spend(unpacked + cell * values)
                        at += size + packed
    except ExpansionError:
        raise
    except Exception as error:
        raise FormatError(file, f"is damaged at byte {at} ({_one_line(error)})", "copy it again") from None


def _page(data: bytes) -> tuple[int, int, int, int]:
    """Bytes of a page's header, of its content unpacked and packed, and how many values it has: Thrift's compact protocol.

    Raises IndexError or ValueError where it is damaged.
    """
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def skip(kind: int, depth: int) -> None:
        nonlocal at
        if kind in (3, 7):
            at += 1 if kind == 3 else 8
        elif kind in (4, 5, 6):
            number()
        elif kind == 8:
            length = number()
            at += length
        elif kind == 12:
            fields(depth + 1)
        elif kind not in (1, 2):
            raise ValueError("a header of a page has no such field")

    def fields(depth: int) -> dict[int, int]:
        nonlocal at
        found: dict[int, int] = {}
        field = 0
        while (byte := data[at]) and depth < 8:
            at += 1
            step, kind = byte >> 4, byte & 15
            field = field + step if step else (zigzag := number()) >> 1 ^ -(zigzag & 1)
            if kind == 5:
                found[field] = (zigzag := number()) >> 1 ^ -(zigzag & 1)
            elif kind == 12 and depth == 0 and field in (5, 7, 8):  # data, dictionary, data of version 2
                found[field] = fields(1).get(1, -1)
            else:
                skip(kind, depth)
        at += 1
        return found

    header = fields(0)
    sizes = header.get(2, -1), header.get(3, -1), next((header[field] for field in (5, 7, 8) if field in header), 0)
    if min(sizes) < 0:
        raise ValueError("a size is negative")
    return at, *sizes


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


# --- which number is what ---------------------------------------------------------------------------------------------


def _names(feature: dict[str, typing.Any], width: int) -> list[str] | None:
    """Names of a feature's numbers: from a list, {"motors": […]}, {name: place} or nested lists; None where they do not fit."""
    flat: list[str] = []

    def flatten(value: object, depth: int) -> None:
        if isinstance(value, str):
            flat.append(value)
        elif isinstance(value, list) and depth < 8 and len(flat) <= _WIDEST:
            for one in value:
                flatten(one, depth + 1)
        elif isinstance(value, dict) and depth < 8 and len(flat) <= _WIDEST:
            if value and all(isinstance(place, int) for place in value.values()):
                flat.extend(str(name) for name, _ in sorted(value.items(), key=lambda item: item[1]))
            else:
                for one in value.values():
                    flatten(one, depth + 1)

    flatten(feature.get("names"), 0)
    return flat if len(flat) == width and len(set(flat)) == width else None


def _width(feature: dict[str, typing.Any]) -> int | None:
    """How many numbers a row of a feature has; None where it is no vector of numbers."""
    shape = feature.get("shape")
    if str(feature.get("dtype")) not in ("float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8"):
        return None
    if isinstance(shape, list) and len(shape) == 1 and _number(shape[0]) and shape[0] <= _WIDEST:
        return typing.cast(int, shape[0])
    return None


def _told(name: str) -> tuple[str, str | None, str]:
    """(joint, channel or None, word) of a number's name."""
    suffix = _SUFFIX.fullmatch(name)
    if suffix and suffix["word"] in _WORDS:
        return suffix["joint"], _WORDS[suffix["word"]], suffix["word"]
    middle = _MIDDLE.fullmatch(name)
    if middle and middle["word"] in _WORDS:
        return f"{middle['before'] or 'joint'}_{middle['after']}", _WORDS[middle["word"]], middle["word"]
    tail = re.fullmatch(r"(?P<joint>.+)_(?P<word>[a-z]+)", name)
    if tail and tail["word"] in _WORDS and tail["word"] != "q":
        return tail["joint"], _WORDS[tail["word"]], tail["word"]
    return name, None, ""


def _feature_role(name: str) -> tuple[str, str] | None:
    """(channel, word) that the name of a feature tells of: observation.effort, observation.joint_velocities."""
    last = name.rpartition(".")[2]
    word = last.removeprefix("joint_").removeprefix("joints_").removeprefix("motor_")
    if name == "action":
        return "target_dof", ""
    if name in ("observation.state", "state", "observation.states") or last in ("joints", "joint_state", "joint_states"):
        return "qpos", ""
    if name.startswith(("observation.", "state.")) and word in _WORDS:
        return _WORDS[word], word
    return None


def _sources(root: pathlib.Path, features: dict[str, typing.Any], wishes: Wishes,
             notes: Notes) -> tuple[list[_Source], list[str]]:
    sources: dict[str, _Source] = {}
    unmapped: list[str] = []
    currents: list[str] = []
    for feature, known in features.items():
        width, role = _width(known), _feature_role(feature)
        if feature in _BOOKKEEPING or any(feature == wish.source for wish in wishes.channels.values()):
            continue
        if width is None or role is None or ignored(feature, wishes):
            unmapped.append(f"{feature} {str(known.get('dtype'))[:20]} {_shape_text(known)}")
            continue
        names = _names(known, width)
        if names is None:
            if known.get("names"):
                notes.say("names " + feature,
                          f"names of {feature} are not one a number ({width}): columns are called by their number")
            else:
                notes.say("names " + feature, f"{feature} has no names: columns are called by their number")
        groups: dict[str, list[tuple[str, int, str]]] = {}
        left: list[str] = []
        for place, name in enumerate(names or [str(place) for place in range(width)]):
            joint, channel, word = _told(name)
            if names is not None and (_NO_JOINT.fullmatch(name) and not re.fullmatch(r"\d+", name)):
                left.append(name)
                continue
            channel = channel or role[0]
            if role[0] == "target_dof":
                if channel not in ("qpos", "target_dof"):
                    left.append(name)
                    continue
                channel = "target_dof"
            elif role[0] != "qpos" and channel == "qpos":
                channel = role[0]
            groups.setdefault(channel, []).append((joint, place, word or role[1]))
        if left:
            unmapped.append(f"{feature}: {', '.join(left[:8])}{', …' if len(left) > 8 else ''}")
        for channel, found in groups.items():
            joints = [joint for joint, _, _ in found]
            if channel in sources or len(set(joints)) < len(joints):
                unmapped.append(f"{feature}: {', '.join(joints[:8])} as {channel}, which exists already")
                continue
            if any(word in _CURRENT_WORDS for _, _, word in found):
                currents.append(feature)
            stage = "commanded" if channel == "target_dof" else "measured"
            sources[channel] = _Source(Channel(channel, tuple(joints), feature, _unit(known), stage), feature,
                                       tuple(place for _, place, _ in found))
    for channel, wish in wishes.channels.items():
        if wish.source is not None:
            sources[channel] = _wished(root, features, channel, wish.source)
    if currents:
        notes.say("currents",
                  f"tau comes from {currents[0]}, whose names mean current or load, not torque: give "
                  "channels.tau.unit or channels.tau.scale in a map")
    silent = [source.channel.name for source in sources.values() if source.channel.unit == UNKNOWN]
    if silent:
        notes.say("units", f"units of {', '.join(silent)} are not stated: LeRobot's own arms write degrees or −100 to 100; give "
                  f"channels.{silent[0]}.unit in a map")
    order = [*JOINT_UNITS]
    return sorted(sources.values(), key=lambda source: order.index(source.channel.name) if source.channel.name in order
                  else len(order)), unmapped


def _shape_text(feature: dict[str, typing.Any]) -> str:
    shape = feature.get("shape")
    return "×".join(str(length)[:12] for length in shape[:6]) if isinstance(shape, list) else ""


def _unit(feature: dict[str, typing.Any]) -> str:
    inner = feature.get("info")
    for place in (feature, inner if isinstance(inner, dict) else {}):
        for key in ("unit", "units"):
            if isinstance(place.get(key), str) and place[key].strip():
                return typing.cast(str, place[key].strip()[:40])
    return UNKNOWN


def _wished(root: pathlib.Path, features: dict[str, typing.Any], channel: str, source: str) -> _Source:
    """A feature, or numbers of one by a pattern: "observation.state {joint}.torque"."""
    name, _, pattern = source.partition(" ")
    if name not in features or _width(features[name]) is None:
        vectors = [feature for feature, known in features.items() if _width(known) is not None]
        raise FormatError(root / _INFO, f"channels.{channel}: no feature of numbers is called '{name[:80]}'",
                          nearest(name, vectors) or "features are " + ", ".join(vectors[:12]))
    width = typing.cast(int, _width(features[name]))
    names = _names(features[name], width) or [str(place) for place in range(width)]
    found = [(one, place) for place, one in enumerate(names)]
    if pattern:
        before, brace, after = pattern.partition("{joint}")
        found = [(one[len(before):len(one) - len(after)] if brace else one, place) for one, place in found
                 if (one.startswith(before) and one.endswith(after) and len(one) > len(before) + len(after) if brace
                     else one == pattern)]
        if not found:
            raise FormatError(root / _INFO, f"channels.{channel}: no number of {name} is called '{pattern[:80]}'",
                              nearest(pattern, names) or "they are " + ", ".join(names[:12]))
    elif channel in JOINT_UNITS:
        found = [(_told(one)[0], place) for one, place in found]
    columns = tuple(one for one, _ in found)
    return _Source(Channel(channel, axis_names(channel, columns), source, _unit(features[name])), name, tuple(place for _, place in found))


# --- rows -------------------------------------------------------------------------------------------------------------


def _clock(root: pathlib.Path, info: dict[str, typing.Any], features: dict[str, typing.Any],
           wishes: Wishes) -> tuple[str, float | None]:
    """(column of time stamps, or "" where rows come at a rate; the rate)."""
    if wishes.rate is not None:
        return "", wishes.rate
    if "timestamp" in features:
        return "timestamp", None
    if "fps" not in info:
        raise no_time(root / _INFO, "states no time and no fps")
    return "", checked_rate(root / _INFO, info["fps"], "fps")


def _recording(root: pathlib.Path, episode: _Episode, sources: list[_Source], clock: str, rate: float | None, form: str,
               unmapped: list[str],
               notes: Notes, wishes: Wishes) -> Recording:
    parquet = _parquet(episode.file)
    there = parquet.schema_arrow.names
    wanted = list(dict.fromkeys(source.feature for source in sources)) + ([clock] if clock else [])
    for name in wanted:
        if name not in there:
            raise FormatError(episode.file, f"has no column {name}, which meta/info.json lists", "copy the dataset again")
    by_number = "episode_index" in there
    columns = wanted + (["episode_index"] if by_number else [])
    size, progress = episode.file.stat().st_size, [0]
    wishes.budget.add_input(episode.file)
    width = sum(max(source.places) + 1 for source in sources) + 1
    wishes.budget.counter("its rows take").spend(8 * width * max(parquet.metadata.num_rows, 0))
    _require_affordable(episode.file, parquet, columns, wishes.budget, 8)
    text = ("column timestamp, in seconds from the episode's start" if clock else f"{rate:g} rows per second (given)"
            if wishes.rate is not None
            else f"{rate:g} rows per second by fps in meta/info.json")

    def blocks() -> Iterator[Block]:
        counts: dict[str, int] = {}
        stamps, rows = Stamps(notes), 0
        file = _parquet(episode.file)
        try:
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns, use_threads=False):
                if by_number:
                    mine = np.asarray(batch.column(batch.schema.get_field_index("episode_index"))) == episode.number
                    if not mine.any():
                        if rows:
                            break
                        continue
                else:
                    mine = np.ones(len(batch), dtype=bool)
                read = {name: batch.column(batch.schema.get_field_index(name)) for name in wanted}
                values = {source.channel.name: _matrix(episode.file, source.feature, read[source.feature],
                                                       max(source.places) + 1)[mine][:, list(source.places)]
                          for source in sources}
                number = int(np.count_nonzero(mine))
                times = (_stamps(episode.file, read[clock], mine) if clock
                         else rated_times(rows, number, typing.cast(float, rate)))
                if clock:
                    stamps.see(times)
                rows += number
                for first in range(0, number, BLOCK_ROWS):
                    part = slice(first, first + BLOCK_ROWS)
                    yield Block(times[part], {name: finite(array[part], name, notes, counts) for name, array in values.items()})
                progress[0] = min(size, size * rows // max(1, episode.rows or file.metadata.num_rows))
        except (FormatError, GeneratorExit):
            raise
        except Exception as error:
            raise FormatError(episode.file, f"is damaged after row {rows} of the episode ({_one_line(error)})",
                              "copy it again") from None
        if rows == 0:
            raise FormatError(episode.file, f"holds no row of episode {episode.number}", "copy the dataset again")
        if episode.rows is not None and rows != episode.rows:
            notes.say("rows", f"episode {episode.number} has {count(rows, 'row')}, and meta/ states {episode.rows}")
        progress[0] = size

    notes.say("episode", f"episode {episode.number}, of {episode.file.relative_to(root)}")
    return Recording(format=form, channels=tuple(source.channel for source in sources), clock=text, blocks=blocks,
                     unmapped=unmapped,
                     notes=notes.lines, bytes=size, done=lambda: progress[0])


def _matrix(file: pathlib.Path, feature: str, column: typing.Any, width: int) -> np.ndarray:
    """(rows, numbers) of a column of lists or of single numbers; NaN where a row has none or too few."""
    pa = library("pyarrow")
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        single: np.ndarray = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return single.reshape(-1, 1)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type) or pa.types.is_fixed_size_list(column.type)) or \
            not (pa.types.is_floating(column.type.value_type) or pa.types.is_integer(column.type.value_type)):
        raise FormatError(file, f"column {feature} holds {str(column.type)[:60]}, no numbers", "name another feature in a map")
    lengths = library("pyarrow.compute").list_value_length(column)
    if column.null_count == 0 and len(column):
        flat = column.flatten()
        longest = len(flat) // len(column)
        if longest >= width and len(flat) == longest * len(column) and lengths.to_numpy(zero_copy_only=False).min() == longest:
            all_of_it: np.ndarray = flat.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            return all_of_it.reshape(len(column), longest)
    matrix = np.full((len(column), width), np.nan)
    for place, row in enumerate(column.to_pylist()):
        if row:
            short = [np.nan if one is None else one for one in row[:width]]
            matrix[place, :len(short)] = short
    return matrix


def _stamps(file: pathlib.Path, column: typing.Any, mine: np.ndarray) -> np.ndarray:
    """Seconds as nanoseconds: of a float32 all its digits, since it is no rounded decimal that anybody wrote."""
    values = np.asarray(column.to_numpy(zero_copy_only=False))
    values = (values.reshape(-1) if values.dtype != object
              else np.array([one[0] if one is not None and len(one) else np.nan for one in values]))[mine]
    wide = values.astype(float)
    if len(wide) and np.isfinite(wide).all() and np.abs(wide).max() < 1e6:
        return np.asarray(np.rint(wide * 1e9), dtype=np.int64)
    found = [decimal_nanoseconds(repr(value), 9) for value in wide.tolist()]
    if None in found:
        raise FormatError(file, "column timestamp has no number in a row", "give --rate, rows per second")
    return np.array(found, dtype=np.int64)
