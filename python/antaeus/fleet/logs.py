"""Where logs lie: found by path, folder, pattern or fsspec address, hashed, and brought here to be read.

A path of this machine is read in place. Anything with a protocol (`s3://`, `gs://`, `https://`, `zip://…::…`) goes through fsspec, whose
packages for a protocol are the user's to install (`pip install s3fs`).
"""

import contextlib
import csv
import dataclasses
import hashlib
import os
import pathlib
import re
import stat
import tempfile
import typing
from collections.abc import Iterable, Iterator

from antaeus.formats import recognises
from antaeus.formats.recording import FormatError, UnreadableError, nearest

_ENDINGS = (".npz", ".csv", ".parquet", ".bag", ".db3", ".mcap", ".hdf5", ".h5")
_FILES_OF_FOLDERS = ("metadata.yaml", "meta/info.json", "data.json")  # ROS 2 bag, LeRobot, Unitree's teleoperation
_TAG = re.compile(r"([A-Za-z][A-Za-z0-9_]*)=(.*)")
_PIECE = 1 << 20
_ADDRESS = re.compile(r"(?:[A-Za-z][\w.+-]*::)*[A-Za-z][\w.+-]*://")
_SPECIAL = {stat.S_IFIFO: "a FIFO", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}


@dataclasses.dataclass(frozen=True)
class FoundLog:
    """A log by its address. `files` are a folder's, in order, as names under the address; empty: the address is one file."""

    path: str
    files: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The format by its ending, `npy` for a folder of arrays."""
        if not self.files:
            return pathlib.PurePosixPath(self.path).suffix.lstrip(".").lower()
        return "npy" if any(name.endswith(".npy") for name in self.files) else "folder"


def is_address(path: str) -> bool:
    return _ADDRESS.match(path) is not None


def _as_text(path: str) -> str:
    """Returns a path for tables and messages: bytes of a name that are not UTF-8 become \\xHH."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _file_of(path: str, beside: str) -> str:
    """Returns the file of this machine for a path that `_as_text` wrote."""
    file = os.path.join(beside, path)
    if os.path.lexists(file):
        return file
    return os.path.join(beside, os.fsdecode(re.sub(rb"\\x([89a-f][0-9a-f])", lambda byte: bytes.fromhex(byte[1].decode()), os.fsencode(path))))


def _open_regular(file: str, path: str) -> typing.BinaryIO:
    """Opens a regular file of a log. Raises FormatError for anything else: reading a FIFO or a device may never end."""
    opened = open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")  # noqa: SIM115
    mode = os.fstat(opened.fileno()).st_mode
    if not stat.S_ISREG(mode):
        opened.close()
        raise FormatError(path, f"cannot be read (it is {_SPECIAL.get(stat.S_IFMT(mode), 'a special file')}, not a regular file)",
                          "give a recorded log, or move this out of the folder")
    return opened


def _file_system(path: str) -> tuple[typing.Any, str]:
    """The file system of an address, and the place in it."""
    try:
        import fsspec
    except ImportError:
        raise FormatError(path, "an address needs the Python package fsspec", "pip install 'antaeus[fleet]'") from None
    try:
        return fsspec.core.url_to_fs(path)
    except ImportError as error:  # of the protocol's own package
        raise FormatError(path, str(error), "also install it") from None
    except Exception as error:
        raise UnreadableError(path, f"cannot be read ({_words(error)})", "see its protocol, name and rights") from None


def _words(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _folder_of_log(names: set[str]) -> bool:
    return any("/" not in name and name.endswith(".npy") for name in names) or any(name in names for name in _FILES_OF_FOLDERS)


def _of_files(root: str, names: Iterable[str], join: typing.Callable[[str, str], str]) -> list[FoundLog]:
    """The logs among the files under a folder: folders that are one log first, then files by their endings."""
    every = sorted(name for name in names if not any(part.startswith(".") for part in name.split("/")))
    by_folder: dict[str, set[str]] = {}
    for name in every:
        parts = name.split("/")
        for depth in range(len(parts)):
            by_folder.setdefault("/".join(parts[:depth]), set()).add("/".join(parts[depth:]))
    taken: list[str] = []
    found = []
    for folder in sorted(by_folder):
        if any(folder == one or folder.startswith(f"{one}/" if one else "") for one in taken) or not _folder_of_log(by_folder[folder]):
            continue
        taken.append(folder)
        found.append(FoundLog(join(root, folder) if folder else root, tuple(sorted(by_folder[folder]))))
    for name in every:
        if not any(name.startswith(f"{one}/" if one else "") for one in taken) and name.lower().endswith(_ENDINGS):
            found.append(FoundLog(join(root, name)))
    return found


def _names_under(place: pathlib.Path, without: frozenset[str]) -> list[str]:
    """Returns the files under a folder. Each folder is read once, so cycles of links end; a link yields to the folder itself."""
    names: list[str] = []
    seen = set(without)
    waiting = [os.fspath(place)]
    while waiting:
        links: list[str] = []
        for folder, below, files in (each for start in waiting for each in os.walk(start)):
            real = os.path.realpath(folder)
            if real in seen:
                below.clear()
                continue
            seen.add(real)
            links += [link for name in below if os.path.islink(link := os.path.join(folder, name))]
            names += [os.path.relpath(file, place) for name in files if os.path.realpath(file := os.path.join(folder, name)) not in without]
        waiting = sorted(links)
    return names


def _local(path: str, beside: str, without: frozenset[str]) -> list[FoundLog]:
    """The logs at a path; it is a pattern only where no file has that name."""
    place = pathlib.Path(_file_of(path, beside))
    if any(mark in path for mark in "*?[") and not os.path.lexists(place):
        try:
            matched = sorted(str(each.relative_to(beside) if not os.path.isabs(path) else each)
                             for each in (pathlib.Path("/").glob(path.lstrip("/")) if os.path.isabs(path) else pathlib.Path(beside).glob(path)))
        except (ValueError, NotImplementedError, re.error) as error:
            raise FormatError(path, f"is not a pattern ({_words(error)})", "write ** as a whole part of the path") from None
        return [log for each in matched if os.path.realpath(os.path.join(beside, each)) not in without
                for log in _literal(each, beside, without)]
    return _literal(path, beside, without)


def _literal(path: str, beside: str, without: frozenset[str]) -> list[FoundLog]:
    place = pathlib.Path(_file_of(path, beside))
    path = _as_text(path)
    if place.is_dir():
        found = _of_files(path.rstrip("/") or "/", _names_under(place, without), lambda root, name: f"{root.rstrip('/')}/{name}")
        return [dataclasses.replace(log, path=_as_text(log.path)) for log in found]
    if not place.exists():
        around = [each.name for each in place.parent.iterdir()] if place.parent.is_dir() else []
        raise FormatError(path, "does not exist", nearest(place.name, around) or "name a log, a folder of logs, a pattern or an address")
    return [FoundLog(path)]


def _remote(path: str) -> list[FoundLog]:
    files, place = _file_system(path)
    try:
        if any(mark in place for mark in "*?[") and not files.exists(place):
            matched = sorted(files.glob(place))
        elif files.isdir(place):
            names = [os.path.relpath(each, place) for each in files.find(place)]
            head, chain, rest = path.partition("::")
            return _of_files(path, names, lambda root, name: f"{head.rstrip('/')}/{name}{chain}{rest}")
        else:
            return [FoundLog(path)]  # there or not: whoever reads it says so
    except Exception as error:
        raise UnreadableError(path, f"cannot be read ({_words(error)})", "see its protocol, name and rights") from None
    _, chain, rest = path.partition("::")
    return [FoundLog(files.unstrip_protocol(each) + chain + rest) for each in matched]


def find(paths: Iterable[str], beside: str = ".", without: Iterable[str] = ()) -> list[FoundLog]:
    """Every log under `paths`, by path, each once. Relative paths begin at `beside`; what is in `without` is passed by.

    Raises FormatError for a path that is not there.
    """
    passed = frozenset(os.path.realpath(each) for each in without)
    found: dict[str, FoundLog] = {}
    for path in paths:
        for log in _remote(path) if is_address(path) else _local(path, beside, passed):
            found.setdefault(log.path, log)
    return [found[path] for path in sorted(found)]


def _pieces(log: FoundLog, beside: str) -> Iterator[bytes]:
    for name in log.files or ("",):
        if log.files:  # what the same bytes are called decides how they are read
            yield os.fsencode(f"{name}\0")
        if is_address(log.path):
            files, place = _file_system(log.path)
            opened = files.open(f"{place.rstrip('/')}/{name}" if name else place, "rb")
        else:
            file_name = _file_of(log.path, beside)
            opened = _open_regular(os.path.join(file_name, name) if name else file_name, log.path)
        with opened as file:
            while piece := file.read(_PIECE):
                yield piece


def hashed(log: FoundLog, beside: str = ".") -> tuple[str, int]:
    """SHA-256 of a log's content, and its bytes. Raises FormatError, one line, where it cannot be read."""
    sum_, count = hashlib.sha256(), 0
    try:
        for piece in _pieces(log, beside):
            sum_.update(piece)
            count += len(piece)
    except FormatError:
        raise
    except Exception as error:  # file systems raise what they like
        raise UnreadableError(log.path, f"cannot be read ({_words(error)})", "see its name and rights") from None
    return sum_.hexdigest(), count


def sizes(log: FoundLog, beside: str = ".") -> tuple[int, ...]:
    """Of its files [bytes]; empty where that cannot be told now."""
    try:
        if is_address(log.path):
            files, place = _file_system(log.path)
            return tuple(int(files.size(f"{place.rstrip('/')}/{name}" if name else place) or 0) for name in log.files or ("",))
        file = _file_of(log.path, beside)
        return tuple(os.path.getsize(os.path.join(file, name) if name else file) for name in log.files or ("",))
    except Exception:  # a file that is being moved; file systems raise what they like
        return ()


def found_again(path: str, beside: str = ".") -> FoundLog:
    """The one log at a path that a plan has."""
    logs = _remote(path) if is_address(path) else _literal(path, beside, frozenset())
    if len(logs) != 1 or logs[0].path != path:
        raise FormatError(path, "is no longer one log", "plan again")
    return logs[0]


@contextlib.contextmanager
def brought(log: FoundLog, beside: str = ".") -> Iterator[pathlib.Path]:
    """The log as a path of this machine: in place, or fetched for as long as it is read."""
    if not is_address(log.path):
        file = pathlib.Path(_file_of(log.path, beside))
        if _as_text(str(file)) == str(file):
            yield file
            return
        with tempfile.TemporaryDirectory(prefix="antaeus-fleet-") as scratch:  # readers and messages need a name in UTF-8
            link = pathlib.Path(scratch) / f"log{pathlib.PurePosixPath(log.path).suffix}"
            link.symlink_to(file.absolute())
            yield link
        return
    files, place = _file_system(log.path)
    with tempfile.TemporaryDirectory(prefix="antaeus-fleet-") as scratch:
        target = pathlib.Path(scratch) / (pathlib.PurePosixPath(place.rstrip("/")).name or "log")
        try:
            if log.files:
                for name in log.files:
                    (target / name).parent.mkdir(parents=True, exist_ok=True)
                    files.get_file(f"{place.rstrip('/')}/{name}", str(target / name))
            else:
                files.get_file(place, str(target))
        except OSError as error:
            if error.errno is not None and error.filename and str(error.filename).startswith(scratch):
                raise  # of this machine's own disk
            raise UnreadableError(log.path, f"cannot be read ({_words(error)})", "see its name and rights") from None
        except Exception as error:
            raise UnreadableError(log.path, f"cannot be read ({_words(error)})", "see its name and rights") from None
        yield target


def is_log_as_it_stands(path: pathlib.Path) -> bool:
    """Whether the library reads it without converting it first."""
    return not recognises(path)


def tags_of(path: str) -> dict[str, str]:
    """What a path says of its log by parts such as `software=1.4`."""
    found = {}
    for part in re.split(r"[/:]+", path)[:-1]:
        if match := _TAG.fullmatch(part):
            found[match[1]] = match[2]
    return found


def read_tags(file: str) -> dict[str, dict[str, str]]:
    """Path → tags of a CSV with a column `path`. Raises FormatError, one line, for one without."""
    try:
        with open(file, encoding="utf-8-sig", newline="") as opened:
            rows = list(csv.DictReader(opened))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(file, f"cannot be read ({_words(error)})", "give a CSV with a column path") from None
    except csv.Error as error:
        raise FormatError(file, f"is no CSV ({error})", "give a CSV with a column path") from None
    if rows and "path" not in rows[0]:
        raise FormatError(file, "has no column path", nearest("path", [name for name in rows[0] if name]) or "name the column of the logs' paths path")
    return {row["path"]: {name: value for name, value in row.items() if name and name != "path" and value} for row in rows}
