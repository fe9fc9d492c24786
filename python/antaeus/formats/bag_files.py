"""Containers of messages: ROS 1 bags, ROS 2 bags (sqlite or MCAP, alone or in a folder) and MCAP files.

Each lists its topics and gives the messages of one of them in batches, in the order of the receiver's clock as far as
the file keeps it. What is cut off or not indexed is read from the start, chunk by chunk.
"""

import bz2
import collections
import contextlib
import dataclasses
import functools
import itertools
import pathlib
import re
import sqlite3
import struct
import tempfile
import zlib
from collections.abc import Iterator

from antaeus.formats.recording import Budget, Counter, ExpansionError, FormatError, UnreadableError, library
from antaeus.formats.tabular import natural

BATCH_MESSAGES = 4096
BATCH_BYTES = 4 << 20
MESSAGE_BYTES = 256  # that a message costs in addition to its content
TOPIC_BYTES = 256
PASSED_BYTES = 32 << 20  # of the file, after which a batch ends though it is not full
KEPT_BYTES = 48 << 20  # of decompressed chunks
STEPS = 1_000_000  # of sqlite's machine, after which it is asked whether it still reads something
LARGEST_HEADER = 1 << 20
METADATA_BYTES = 1 << 20

Batch = tuple[list[int], list[bytes]]  # the receiver's times [ns], the messages


@dataclasses.dataclass
class Topic:
    """A topic of a container. `count` is None where only reading the whole file would tell."""

    name: str
    type: str
    encoding: str  # "cdr", "ros1", "json", "protobuf", or what the file says
    form: str = ""  # of the definition: "msg", "idl", "jsonschema", "protobuf"; "" where there is none
    definition: bytes = b""
    ids: set[tuple[int, int]] = dataclasses.field(default_factory=set)  # file, number in it
    count: int | None = None

    def line(self) -> str:
        messages = "" if self.count is None else f", {self.count} message{'s' * (self.count != 1)}"
        return f"{self.name} {self.type or self.encoding}{messages}"


class Container:
    """What the containers share."""

    format = ""

    def __init__(self, path: pathlib.Path, budget: Budget) -> None:
        self.path, self.budget = path, budget
        self.topics: list[Topic] = []
        self._named: dict[tuple[str, str, str], list[Topic]] = {}
        self._listed = budget.counter("its topics take")
        self.notes: list[str] = []
        self.cut_off = False  # its last bytes are not a whole chunk
        self.bytes = path.stat().st_size if path.is_file() else 0
        self.passed = 0  # bytes that the messages given last lie behind

    def topic(self, name: str, kind: str, encoding: str, number: int, form: str = "", definition: bytes = b"") -> Topic:
        """The topic of this name and type: that of another connection or file, if there is one."""
        self._listed.spend(TOPIC_BYTES + len(definition))
        alike = self._named.setdefault((name, kind, encoding), [])
        for topic in alike:
            self._listed.spend(TOPIC_BYTES)
            if not definition or not topic.definition or topic.definition == definition:
                break
        else:
            topic = Topic(name, kind, encoding)
            alike.append(topic)
            self.topics.append(topic)
        if definition and not topic.definition:
            topic.form, topic.definition = form, definition
        topic.ids.add((0, number))
        return topic

    def messages(self, topic: Topic) -> Iterator[Batch]:
        raise NotImplementedError

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


# ---- ROS 2: sqlite -----------------------------------------------------------------------------------------------------

def _too_many(steps: "itertools.count[int]", most: int) -> bool:
    return next(steps) > most


class Sqlite(Container):
    """A .db3 of rosbag2. `zipped`: each message is compressed with zstd."""

    format = "ROS 2 bag (sqlite)"

    def __init__(self, path: pathlib.Path, budget: Budget, zipped: bool = False) -> None:
        super().__init__(path, budget)
        self.zipped, self.live = zipped, False
        wal, journal = (path.with_name(path.name + end) for end in ("-wal", "-journal"))
        if wal.exists() and wal.stat().st_size:
            self.live = True
            self.note(f"{wal.name} is next to it: the bag is being written or was not closed; rows up to now are read")
        if journal.exists() and journal.stat().st_size:
            self.note(
                f"{journal.name} is next to it: the bag is being written or was not closed; its last rows may be missing"
            )
        with contextlib.closing(self._connect()) as base:
            tables = self._tables(base)
            if not {"topics", "messages"} <= tables:
                raise FormatError(path, "is a database without the tables topics and messages of a ROS 2 bag", "name a bag")
            definitions = {}
            if "message_definitions" in tables:
                with contextlib.suppress(sqlite3.Error):
                    for kind, form, text in base.execute(
                            "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions"):
                        definitions[kind] = ({"ros2msg": "msg", "ros2idl": "idl"}.get(form, ""), str(text).encode())
            for number, name, kind, encoding in base.execute("SELECT id, name, type, serialization_format FROM topics"):
                form, text = definitions.get(kind, ("", b""))
                self.topic(str(name), str(kind), str(encoding), number, form, text if form else b"")
            with contextlib.suppress(sqlite3.DatabaseError):
                counts = dict(base.execute("SELECT topic_id, count(*) FROM messages GROUP BY topic_id"))
                for topic in self.topics:
                    topic.count = sum(counts.get(number, 0) for _, number in topic.ids)
            self.first, self.last = 0, 0
            with contextlib.suppress(sqlite3.DatabaseError, TypeError, ValueError):
                self.first = int(base.execute("SELECT min(timestamp) FROM messages").fetchone()[0])
                self.last = int(base.execute("SELECT max(timestamp) FROM messages").fetchone()[0])

    def _tables(self, base: sqlite3.Connection) -> set[str]:
        """Names of the tables. Raises FormatError where the schema computes rows that the file does not hold."""
        schema = base.execute("SELECT name, type, upper(coalesce(substr(sql, 1, 200), '')) FROM sqlite_master").fetchall()
        for name, kind, text in schema:
            computed = kind if kind in ("view", "trigger") else "virtual table" if text.startswith("CREATE VIRTUAL") else ""
            if not computed and kind == "table":
                hidden = base.execute("SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden", (name,)).fetchone()[0]
                computed = "generated column" if hidden else ""
            if computed:
                raise FormatError(self.path, f"'{str(name)[:80]}' is or has a {computed}, which no ROS 2 bag has",
                                  "copy the rows into a new database (sqlite3: CREATE TABLE … AS SELECT …)")
        return {name for name, kind, _ in schema if kind == "table"}

    def _connect(self) -> sqlite3.Connection:
        place = self.path.resolve().as_uri()
        for options in ("?mode=ro", "?mode=ro&immutable=1") if self.live else ("?mode=ro&immutable=1",):
            try:
                base = sqlite3.connect(place + options, uri=True, check_same_thread=False)
                base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(self.budget.limit, 1 << 30))
                base.text_factory = lambda text: text.decode("utf-8", "replace")
                steps = itertools.count(STEPS, STEPS)  # of a damaged tree of pages there may be no end
                base.set_progress_handler(functools.partial(_too_many, steps, 4 * self.bytes + 10 * STEPS), STEPS)
                base.execute("SELECT count(*) FROM sqlite_master").fetchone()
                return base
            except sqlite3.Error as problem:
                error = problem
        remedy = "let the recorder close it, or copy the folder with its -wal file" if self.live else "record or copy it again"
        raise FormatError(self.path, f"is no database that can be read ({error})", remedy)

    def messages(self, topic: Topic) -> Iterator[Batch]:
        held, unpacked = (self.budget.counter(what) for what in ("its messages hold", "its messages unpack to"))
        numbers = sorted(number for _, number in topic.ids)
        marks = ",".join("?" * len(numbers))
        read = 0
        with contextlib.closing(self._connect()) as base:
            times, datas, size = [], [], 0
            try:
                wanted = f"FROM messages WHERE topic_id IN ({marks})"
                order = ""
                with contextlib.suppress(sqlite3.DatabaseError):
                    # Sorting writes rows to a temporary file, so their sizes are summed up before: this reads no content.
                    sizes = base.execute(f"SELECT count(*), sum(length(data)) {wanted}", numbers).fetchone()
                    held.spend(MESSAGE_BYTES * sizes[0] + int(sizes[1] or 0))
                    order = " ORDER BY timestamp"
                rows = base.execute(f"SELECT timestamp, data {wanted}{order}", numbers)
                while some := rows.fetchmany(64):
                    for time, data in some:
                        if not isinstance(time, int) or not isinstance(data, bytes):
                            self.note("a row of the database has no time or no bytes, and is left out")
                            continue
                        if not order:
                            held.spend(MESSAGE_BYTES + len(data))
                        if self.zipped:
                            data = decompressed("zstd", data, None, self.path, unpacked)
                        times.append(time)
                        datas.append(data)
                        size += len(data)
                    if len(times) >= BATCH_MESSAGES or size >= BATCH_BYTES:
                        read += len(times)
                        part = (times[-1] - self.first) / max(self.last - self.first, 1)
                        self.passed = int(self.bytes * min(max(part, 0.0), 1.0))
                        yield times, datas
                        times, datas, size = [], [], 0
            except sqlite3.Error as problem:
                if not read and not times:
                    raise FormatError(self.path, f"the database is damaged ({problem})",
                                      f"sqlite3 {self.path.name} .recover | sqlite3 new.db3 saves what is left") from None
                self.note(
                    f"the database is damaged after {read + len(times)} messages of {topic.name} ({problem}): they are read"
                )
            self.passed = self.bytes
            if times:
                yield times, datas


# ---- Files of chunks: what ROS 1 and MCAP share ------------------------------------------------------------------------

def decompressed(how: str, data: bytes, size: int | None, place: object, counter: Counter) -> bytes:
    """A chunk of at most `size` bytes; None: of what the counter allows. Raises FormatError."""
    try:
        if how == "zstd" and size is None:
            stated = library("zstandard", place).get_frame_parameters(data).content_size
            size = stated if 0 < stated < 1 << 62 else None
        if size is not None:
            counter.spend(size)  # what is declared, before anything is unpacked
        most = counter.left + 1 if size is None else size
        if how in ("", "none"):
            return data
        if how == "bz2":
            return bz2.BZ2Decompressor().decompress(data, most)
        if how == "lz4":
            return library("lz4.frame", place).LZ4FrameDecompressor().decompress(data, max_length=most)
        if how == "zstd":
            unzip = library("zstandard", place).ZstdDecompressor().stream_reader(data, read_across_frames=True)
            parts, left = [], most
            while left > 0 and (part := unzip.read(min(left, 4 << 20))):
                parts.append(part)
                left -= len(part)
            if size is None:
                counter.spend(most - left)
            return b"".join(parts)
    except FormatError:
        raise
    except Exception as problem:  # each library has errors of its own
        raise FormatError(place, f"a chunk cannot be decompressed ({str(problem)[:80]})", "copy the file again") from None
    raise FormatError(place, f"is compressed with '{how[:20]}'", "known are none, bz2, lz4 and zstd")


@dataclasses.dataclass
class Chunk:
    """A stretch of a file that holds messages."""

    at: int
    size: int  # up to the next thing
    numbers: set[int] | None = None  # of the connections that have messages in it, where known


class Chunked(Container):
    """A file of chunks of messages."""

    def __init__(self, path: pathlib.Path, budget: Budget) -> None:
        super().__init__(path, budget)
        self.file = path.open("rb")
        self.chunks: list[Chunk] = []
        self.kept: collections.OrderedDict[int, bytes] = collections.OrderedDict()
        self.left_out = ""

    def __del__(self) -> None:
        if hasattr(self, "file"):
            self.file.close()

    def bytes_at(self, at: int, size: int) -> bytes:
        self.file.seek(at)
        return self.file.read(size)

    def unpacked(self, chunk: Chunk, counter: Counter) -> bytes:
        """The records of a chunk. Raises FormatError."""
        if chunk.at in self.kept:
            self.kept.move_to_end(chunk.at)
            counter.spend(len(self.kept[chunk.at]))
            return self.kept[chunk.at]
        data = self._unpack(chunk, counter)
        self.kept[chunk.at] = data
        while len(self.kept) > 1 and sum(map(len, self.kept.values())) > KEPT_BYTES:
            self.kept.popitem(last=False)
        return data

    def _unpack(self, chunk: Chunk, counter: Counter) -> bytes:
        raise NotImplementedError

    def _search(self, data: bytes, wanted: set[int]) -> Iterator[tuple[int, bytes]]:
        raise NotImplementedError

    def _require_apart(self) -> None:
        """Raises ValueError where chunks of an index overlap: each could then be read any number of times."""
        places = sorted((chunk.at, chunk.size) for chunk in self.chunks)
        if any(at + size > after for (at, size), (after, _) in itertools.pairwise(places)):
            raise ValueError("the index lists a part of the file twice")

    def messages(self, topic: Topic) -> Iterator[Batch]:
        wanted = {number for _, number in topic.ids}
        times: list[int] = []
        datas: list[bytes] = []
        began = size = 0
        counter = self.budget.counter("its chunks hold")
        for chunk in self.chunks:
            if chunk.numbers is not None and not chunk.numbers & wanted:
                continue
            passed = chunk.at + chunk.size
            for time, data in self._search(self.unpacked(chunk, counter), wanted):
                counter.spend(MESSAGE_BYTES)
                times.append(time)
                datas.append(data)
                size += len(data)
                # A chunk of many small messages is given in parts: the memory of what is made of a batch is bounded.
                if len(times) == BATCH_MESSAGES or size >= BATCH_BYTES:
                    self.passed = began = passed
                    yield times, datas
                    times, datas, size = [], [], 0
            if times and passed - began >= PASSED_BYTES:
                self.passed = began = passed
                yield times, datas
                times, datas, size = [], [], 0
        self.passed = self.bytes
        if times:
            yield times, datas


# ---- ROS 1 -------------------------------------------------------------------------------------------------------------

def _fields(header: bytes) -> dict[str, bytes]:
    """Fields of a header of a record of ROS 1. Raises ValueError."""
    fields, at = {}, 0
    while at < len(header):
        if at + 4 > len(header):
            raise ValueError("a field is cut")
        (size,) = struct.unpack_from("<I", header, at)
        name, equals, value = header[at + 4:at + 4 + size].partition(b"=")
        if not equals or at + 4 + size > len(header):
            raise ValueError("a field is cut")
        fields[name.decode("ascii", "replace")] = value
        at += 4 + size
    return fields


def _number(fields: dict[str, bytes], name: str, code: str = "<I") -> int:
    value = fields.get(name, b"")
    if len(value) != struct.calcsize(code):
        raise ValueError(f"a record lacks {name}")
    return struct.unpack(code, value)[0]


class Ros1(Chunked):
    """A ROS 1 bag of version 2.0, indexed or not."""

    format = "ROS 1 bag"

    def __init__(self, path: pathlib.Path, budget: Budget) -> None:
        super().__init__(path, budget)
        magic = self.bytes_at(0, 13)
        if magic != b"#ROSBAG V2.0\n":
            version = re.match(rb"#ROSBAG V(\d+\.\d+)", magic)
            if version:
                raise FormatError(
                    path, f"is a bag of version {version[1].decode()}", "rosbag fix OLD.bag NEW.bag makes one of version 2.0"
                )
            raise FormatError(path, "is no ROS 1 bag: it does not begin with #ROSBAG V2.0", "name a bag")
        try:
            header, _, size = self._record(13)
            if header.get("encryptor"):
                raise FormatError(path, "is encrypted", "decrypt it with rosbag first")
            index = _number(header, "index_pos", "<Q")
            connections, chunks = _number(header, "conn_count"), _number(header, "chunk_count")
        except ValueError as problem:
            raise UnreadableError(path, f"its first record cannot be read ({problem})", "rosbag reindex, or copy it again") from None
        self.where = 13 + size
        if not self._indexed(index, connections, chunks):
            self._scan()

    def _record(self, at: int) -> tuple[dict[str, bytes], int, int]:
        """Header, size of the data and size of a whole record. Raises ValueError."""
        head = self.bytes_at(at, 4)
        if len(head) < 4:
            raise ValueError("the file ends")
        (size,) = struct.unpack("<I", head)
        if size > min(LARGEST_HEADER, self.bytes - at - 8):
            raise ValueError("a header is longer than the file")
        both = self.bytes_at(at + 4, size + 4)
        if len(both) < size + 4:
            raise ValueError("the file ends")
        (data,) = struct.unpack_from("<I", both, size)
        return _fields(both[:size]), data, 8 + size + data

    def _connection(self, header: dict[str, bytes], data: bytes) -> Topic:
        more = _fields(data)
        return self.topic(
            header.get("topic", b"").decode("utf-8", "replace"),
            more.get("type", b"").decode("utf-8", "replace"),
            "ros1",
            _number(header, "conn"),
            "msg",
            more.get("message_definition", b""),
        )

    def _indexed(self, index: int, connections: int, chunks: int) -> bool:
        """Reads the index. False where there is none or it is damaged: the bag is then read from the start."""
        if not 0 < index < self.bytes:
            return False
        at = index
        counts: dict[int, int] = {}
        try:
            while at < self.bytes:
                header, data, size = self._record(at)
                if at + size > self.bytes:
                    raise ValueError("the index is cut")
                kind = header.get("op")
                if kind == b"\x07":
                    self._connection(header, self.bytes_at(at + size - data, data))
                elif kind == b"\x06":
                    pairs = struct.iter_unpack("<II", self.bytes_at(at + size - data, data - data % 8))
                    found = dict(pairs)
                    for number, count in found.items():
                        counts[number] = counts.get(number, 0) + count
                    place = _number(header, "chunk_pos", "<Q")
                    head, _, whole = self._record(place)
                    if head.get("op") != b"\x05" or place + whole > self.bytes:
                        raise ValueError("the index points elsewhere")
                    self.chunks.append(Chunk(place, whole, set(found)))
                at += size
            if len(self.chunks) != chunks or sum(len(topic.ids) for topic in self.topics) < connections:
                raise ValueError("the index is not whole")
            self._require_apart()
        except ExpansionError:
            raise
        except ValueError:
            self.topics, self.chunks, self._named = [], [], {}
            return False
        for topic in self.topics:
            topic.count = sum(counts.get(number, 0) for _, number in topic.ids)
        return True

    def _scan(self) -> None:
        """Lists chunks and connections from the start: of a bag that is not indexed."""
        counts: collections.Counter[int] = collections.Counter()
        counter = self.budget.counter("its chunks hold")
        at, missing = self.where, 0
        while at < self.bytes:
            try:
                header, data, size = self._record(at)
                if at + size > self.bytes:
                    raise ValueError("a record is cut")
                kind = header.get("op")
                if kind == b"\x05":
                    chunk = Chunk(at, size)
                    chunk.numbers = self._list(self.unpacked(chunk, counter), counts, counter)
                    self.chunks.append(chunk)
                elif kind == b"\x07":
                    self._connection(header, self.bytes_at(at + size - data, data))
                elif kind not in (b"\x02", b"\x03", b"\x04", b"\x06"):
                    raise ValueError("a record is unknown")
            except ExpansionError:
                raise
            except (ValueError, FormatError):
                missing = self.bytes - at
                break
            at += size
        for topic in self.topics:
            topic.count = sum(counts[number] for _, number in topic.ids)
        self.cut_off = missing > 0
        self.note(
            "the bag has no index: it is being written, was not closed or is damaged ('rosbag reindex' repairs it); read from the start, "
            f"{sum(counts.values())} messages"
            + (f", and the last {missing} bytes are no whole chunk and are left out" if missing else "")
        )

    def _list(self, data: bytes, counts: collections.Counter, counter: Counter) -> set[int]:
        found = set()
        for header, first, last in self._records(data):
            kind = header.get("op")
            if kind == b"\x07":
                self._connection(header, data[first:last])
            elif kind == b"\x02":
                number = _number(header, "conn")
                counter.spend(MESSAGE_BYTES)
                counts[number] += 1
                found.add(number)
        return found

    @staticmethod
    def _records(data: bytes) -> Iterator[tuple[dict[str, bytes], int, int]]:
        at = 0
        while at + 4 <= len(data):
            (size,) = struct.unpack_from("<I", data, at)
            if at + 8 + size > len(data):
                raise ValueError("a record is cut")
            header = _fields(data[at + 4:at + 4 + size])
            (length,) = struct.unpack_from("<I", data, at + 4 + size)
            first = at + 8 + size
            if first + length > len(data):
                raise ValueError("a record is cut")
            yield header, first, first + length
            at = first + length

    def _unpack(self, chunk: Chunk, counter: Counter) -> bytes:
        place = f"{self.path} at byte {chunk.at}"
        try:
            header, data, size = self._record(chunk.at)
            whole = _number(header, "size")
            how = header.get("compression", b"none").decode("ascii", "replace")
        except ValueError as problem:
            raise UnreadableError(place, f"a chunk cannot be read ({problem})", "rosbag reindex, or copy it again") from None
        found = decompressed(how, self.bytes_at(chunk.at + size - data, data), whole, place, counter)
        if len(found) != whole:
            raise FormatError(
                place, f"a chunk has {len(found)} bytes instead of the stated {whole}", "the bag is damaged: copy it again"
            )
        return found

    def _search(self, data: bytes, wanted: set[int]) -> Iterator[tuple[int, bytes]]:
        word, end, at = struct.Struct("<I").unpack_from, len(data), 0
        stamp = struct.Struct("<II").unpack_from
        size = -1  # of the header whose fields stand as in the last one
        conn = time = 0
        op = b""
        try:
            while at + 4 <= end:
                (length,) = word(data, at)
                first = at + 4
                if (
                    length != size
                    or data[first + conn - 5 : first + conn] != b"conn="
                    or data[first + time - 5 : first + time] != b"time="
                    or (op not in data[first : first + length])
                ):
                    fields = _fields(data[first:first + length])
                    if fields.get("op") != b"\x02":  # a connection, listed already
                        at = first + length
                        at += 4 + word(data, at)[0]
                        continue
                    header, size, op = data[first:first + length], length, b"op=\x02"
                    _number(fields, "conn"), _number(fields, "time", "<Q")
                    conn, time = header.index(b"conn=") + 5, header.index(b"time=") + 5
                at = first + length
                (length,) = word(data, at)
                at += 4
                if at + length > end:
                    raise ValueError("a message is cut")
                if word(data, first + conn)[0] in wanted:
                    seconds, rest = stamp(data, first + time)
                    yield seconds * 1_000_000_000 + rest, data[at:at + length]
                at += length
        except (ValueError, struct.error) as problem:
            raise FormatError(self.path, f"a chunk is damaged ({problem})", "copy the bag again") from None


# ---- MCAP --------------------------------------------------------------------------------------------------------------

MAGIC = b"\x89MCAP0\r\n"


class _Record:
    """The content of a record of MCAP, read from its start. Raises ValueError where it is cut."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, code: str) -> int:
        size = struct.calcsize("<" + code)
        if self.at + size > len(self.data):
            raise ValueError("a record is cut")
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += size
        return value

    def raw(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise ValueError("a record is cut")
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self) -> str:
        return self.raw(self.number("I")).decode("utf-8", "replace")


_FORMS = {"ros2msg": "msg", "ros2idl": "idl", "ros1msg": "msg", "jsonschema": "jsonschema", "protobuf": "protobuf"}


class Mcap(Chunked):
    """An MCAP file, with a summary or without."""

    format = "MCAP"

    def __init__(self, path: pathlib.Path, budget: Budget) -> None:
        super().__init__(path, budget)
        if self.bytes_at(0, 8) != MAGIC:
            raise FormatError(path, "is no MCAP file: it does not begin with its eight bytes", "name an .mcap")
        self.schemas: dict[int, tuple[str, str, bytes]] = {}
        self.numbered: set[int] = set()  # channels that were listed
        self.waiting: list[tuple[int, int, str, str]] = []
        self.counts: dict[int, int] | None = None
        if not self._summary():
            self._scan()
        for topic in self.topics:
            topic.count = None if self.counts is None else sum(self.counts.get(number, 0) for _, number in topic.ids)

    def _schema(self, record: _Record) -> None:
        number, name, encoding = record.number("H"), record.text(), record.text()
        self.schemas[number] = (name, encoding, record.raw(record.number("I")))

    def _channel(self, record: _Record) -> None:
        number, schema = record.number("H"), record.number("H")
        name, encoding = record.text(), record.text()
        if number in self.numbered:
            return
        self.numbered.add(number)
        kind, form, definition = self.schemas.get(schema, ("", "", b""))
        self.topic(name, kind, encoding, number, _FORMS.get(form, ""), definition if form in _FORMS else b"")

    def _summary(self) -> bool:
        """Reads the summary. False where there is none or it lacks what is needed."""
        end = self.bytes_at(max(self.bytes - 37, 0), 37)
        if len(end) < 37 or end[29:] != MAGIC or end[0] != 2:
            return False
        start, offsets, crc = struct.unpack_from("<QQI", end, 9)
        if not 8 < start < self.bytes:
            return False
        data = self.bytes_at(start, self.bytes - 8 - start)
        if crc and zlib.crc32(data[:-4]) != crc:
            return False
        at, total = 0, None
        channels = []
        try:
            while at + 9 <= len(data):
                code, size = struct.unpack_from("<BQ", data, at)
                record = _Record(data[at + 9:at + 9 + size])
                if at + 9 + size > len(data):
                    raise ValueError("a record is cut")
                at += 9 + size
                if code == 3:
                    self._schema(record)
                elif code == 4:
                    channels.append(record)
                elif code == 8:
                    record.number("Q")
                    last, place, length = record.number("Q"), record.number("Q"), record.number("Q")
                    numbers = {pair[0] for pair in struct.iter_unpack("<HQ", record.raw(record.number("I") // 10 * 10))}
                    if place + length > self.bytes or last < 0:
                        raise ValueError("the summary points elsewhere")
                    self.chunks.append(Chunk(place, length, numbers or None))
                elif code == 11:
                    total = record.number("Q")
                    record.raw(2 + 4 * 4 + 16)
                    self.counts = dict(struct.iter_unpack("<HQ", record.raw(record.number("I") // 10 * 10)))
            for record in channels:
                self._channel(record)
            if not self.chunks and total != 0 or not self.topics and total:
                raise ValueError("the summary is not whole")
            self._require_apart()
        except ExpansionError:
            raise
        except (ValueError, struct.error):
            self.topics, self.chunks, self._named, self.schemas, self.counts, self.numbered = [], [], {}, {}, None, set()
            return False
        return True

    def _scan(self) -> None:
        """Lists chunks and channels from the start: of a file without a summary."""
        counts: collections.Counter[int] = collections.Counter()
        counter = self.budget.counter("its chunks hold")
        at, missing, ended = 8, 0, False
        loose: Chunk | None = None  # messages outside of chunks, one after another
        while at < self.bytes:
            head = self.bytes_at(at, 9)
            code, size = struct.unpack("<BQ", head) if len(head) == 9 else (0, 0)
            if head == MAGIC and at + 8 == self.bytes and ended:
                break
            if len(head) < 9 or not code or at + 9 + size > self.bytes:
                missing = self.bytes - at
                break
            try:
                if code == 6:
                    chunk = Chunk(at, 9 + size)
                    chunk.numbers = self._list(self.unpacked(chunk, counter), counts, counter)
                    self.chunks.append(chunk)
                elif code in (3, 4):
                    (self._schema if code == 3 else self._channel)(_Record(self.bytes_at(at + 9, size)))
                elif code == 5:
                    (number,) = struct.unpack("<H", self.bytes_at(at + 9, 2))
                    counts[number] += 1
                    if loose is None or loose.size > 1 << 20 or self.chunks[-1] is not loose or loose.at + loose.size != at:
                        loose = Chunk(at, 0, set())
                        self.chunks.append(loose)
                    loose.size += 9 + size
                    loose.numbers = (loose.numbers or set()) | {number}
            except ExpansionError:
                raise
            except (ValueError, struct.error):
                missing = self.bytes - at
                break
            ended = ended or code in (2, 15)
            at += 9 + size
        self.counts = dict(counts)
        if missing or not ended:
            self.cut_off = missing > 0
            self.note(
                "the file has no end: it is being written, was cut off or is damaged ('mcap recover' repairs it); read from the start, "
                f"{sum(counts.values())} messages"
                + (f", and the last {missing} bytes are no whole chunk and are left out" if missing else "")
            )

    def _list(self, data: bytes, counts: collections.Counter, counter: Counter) -> set[int]:
        found, at, head = set(), 0, struct.Struct("<BQ").unpack_from
        while at + 9 <= len(data):
            code, size = head(data, at)
            if at + 9 + size > len(data):
                raise ValueError("a record is cut")
            if code == 5:
                (number,) = struct.unpack_from("<H", data, at + 9)
                counter.spend(MESSAGE_BYTES)
                counts[number] += 1
                found.add(number)
            elif code == 3:
                self._schema(_Record(data[at + 9:at + 9 + size]))
            elif code == 4:
                self._channel(_Record(data[at + 9:at + 9 + size]))
            at += 9 + size
        return found

    def _unpack(self, chunk: Chunk, counter: Counter) -> bytes:
        place = f"{self.path} at byte {chunk.at}"
        remedy = f"mcap recover {self.path.name} -o REPAIRED.mcap saves the other chunks"
        data = self.bytes_at(chunk.at, chunk.size)
        try:
            if len(data) < chunk.size or len(data) < 9:
                raise ValueError("it is cut")
            if data[0] == 5:
                return data
            if data[0] != 6:
                raise ValueError("there is none")
            record = _Record(data)
            record.raw(9 + 16)
            size, crc = record.number("Q"), record.number("I")
            how = record.text()
            packed = record.raw(record.number("Q"))
        except ValueError as problem:
            raise UnreadableError(place, f"a chunk cannot be read ({problem})", remedy) from None
        found = decompressed(how, packed, size, place, counter)
        if len(found) != size or (crc and zlib.crc32(found) != crc):
            raise FormatError(place, "a chunk is damaged: its checksum or size does not match", remedy)
        return found

    def _search(self, data: bytes, wanted: set[int]) -> Iterator[tuple[int, bytes]]:
        head, end, at = struct.Struct("<BQHIQ").unpack_from, len(data), 0
        small = struct.Struct("<BQ").unpack_from
        try:
            while at + 9 <= end:
                if data[at] != 5:
                    at += 9 + small(data, at)[1]
                    continue
                _, size, number, _, time = head(data, at)
                after = at + 9 + size
                if after > end or size < 22:
                    raise ValueError("a message is cut")
                if number in wanted:
                    yield time, data[at + 31:after]
                at = after
        except (ValueError, struct.error) as problem:
            raise FormatError(
                self.path, f"a chunk is damaged ({problem})", f"mcap recover {self.path.name} -o REPAIRED.mcap"
            ) from None


# ---- Folders of rosbag2 ------------------------------------------------------------------------------------------------

class Folder(Container):
    """A folder of rosbag2: its files one after another, by metadata.yaml."""

    def __init__(self, path: pathlib.Path, budget: Budget) -> None:
        super().__init__(path, budget)
        said = metadata(path / "metadata.yaml")
        names = [pathlib.PurePath(name).name for name in said.get("relative_file_paths") or []]
        files = [path / name for name in names]
        mode = said.get("compression_mode", "").lower()
        if not names:
            files = sorted((file for file in path.iterdir() if file.suffix in (".db3", ".mcap")), key=lambda file: natural(file.name))
            if len({re.sub(r"_\d+$", "", file.name.partition(".")[0]) for file in files}) > 1:
                raise FormatError(
                    path,
                    f"holds several recordings and no metadata.yaml: {', '.join(file.name for file in files[:6])}",
                    "name one of them",
                )
            self.note(
                "metadata.yaml is missing or lists no file, as after a crash: the files are read in the order of their numbers"
            )
        elif missing := [file.name for file in files if not file.is_file()]:
            if len(missing) == len(files):
                raise FormatError(
                    path, f"metadata.yaml names {missing[0]}, which is not here", "copy the whole folder of the bag"
                )
            self.note(f"metadata.yaml names {', '.join(missing[:5])}, not here: the rest is read")
            files = [file for file in files if file.is_file()]
        if not files:
            raise FormatError(path, "is a folder without .db3 or .mcap", "name the folder of a ROS 2 bag")
        self.parts: list[Container] = []
        self.zipped = mode == "message"  # each message; sqlite's part undoes it itself
        self.unpacked: tempfile.TemporaryDirectory | None = None
        for file in files:
            budget.add_input(file)
        self.written = budget.counter("its files unpack to")
        for file in files:
            plain = file
            if file.suffix == ".zstd" or mode == "file":
                plain = self._unpacked(file)
            part = Mcap(plain, budget) if plain.suffix == ".mcap" or _begins(plain, MAGIC) else Sqlite(plain, budget, mode == "message")
            self.cut_off |= part.cut_off
            for note in part.notes:
                self.note(f"{file.name}: {note}")
            for topic in part.topics:
                whole = self.topic(topic.name, topic.type, topic.encoding, 0, topic.form, topic.definition)
                whole.ids.discard((0, 0))
                whole.ids |= {(len(self.parts), number) for _, number in topic.ids}
                if topic.count is not None:
                    whole.count = (whole.count or 0) + topic.count
            self.parts.append(part)
        self.bytes = sum(part.bytes for part in self.parts)
        form = self.parts[0].format.removeprefix("ROS 2 bag ").strip("()")
        self.format = f"ROS 2 bag ({form}" + (f", {len(self.parts)} files)" if len(self.parts) > 1 else ")")

    def _unpacked(self, file: pathlib.Path) -> pathlib.Path:
        self.unpacked = self.unpacked or tempfile.TemporaryDirectory(prefix="antaeus_bag_")
        plain = pathlib.Path(self.unpacked.name) / file.name.removesuffix(".zstd")
        try:
            with file.open("rb") as packed, plain.open("wb") as out:
                stated = library("zstandard", file).get_frame_parameters(packed.read(18)).content_size
                if 0 < stated < 1 << 62 and stated > self.written.left:
                    raise self.budget.exceeded("its files unpack to", stated)
                packed.seek(0)
                reader = library("zstandard", file).ZstdDecompressor().stream_reader(packed, read_across_frames=True)
                while part := reader.read(1 << 20):
                    self.written.spend(len(part))
                    out.write(part)
        except FormatError:
            raise
        except Exception as problem:
            raise FormatError(file, f"cannot be decompressed ({str(problem)[:80]})", "copy it again") from None
        return plain

    def messages(self, topic: Topic) -> Iterator[Batch]:
        before = 0
        unpacked = self.budget.counter("its messages unpack to")
        for index, part in enumerate(self.parts):
            numbers = {number for file, number in topic.ids if file == index}
            if numbers:
                inner = dataclasses.replace(topic, ids={(0, number) for number in numbers})
                for batch in part.messages(inner):
                    self.passed = before + part.passed
                    if self.zipped and isinstance(part, Mcap):
                        batch = (batch[0], [decompressed("zstd", data, None, part.path, unpacked) for data in batch[1]])
                    yield batch
                for note in part.notes:
                    if not any(note in known for known in self.notes):
                        self.note(note)
            before += part.bytes


def metadata(path: pathlib.Path) -> dict:
    """What metadata.yaml says of the bag; nothing where it is not there. Raises FormatError."""
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as file:
            text = file.read(METADATA_BYTES + 1).decode("utf-8", "replace")
        if len(text) > METADATA_BYTES or text.count("[") + text.count("{") > 10_000 or (
                re.search("<<|merge", text) and re.search(r"[*&]\w", text)):
            raise FormatError(path, "is longer or more nested than what rosbag2 writes", "'ros2 bag reindex' writes it again")
        said = library("ruamel.yaml", path).YAML(typ="safe").load(text)["rosbag2_bagfile_information"]
        # Text alone: the text of a list of references to lists may have any length.
        return {"relative_file_paths": [name for name in said.get("relative_file_paths") or [] if isinstance(name, str)],
                "compression_mode": mode if isinstance(mode := said.get("compression_mode"), str) else ""}
    except FormatError:
        raise
    except Exception as problem:
        raise UnreadableError(
            path,
            f"cannot be read ({str(problem).splitlines()[0][:80] if str(problem) else 'no bag information'})",
            "'ros2 bag reindex' writes it again; or remove it",
        ) from None


def _begins(path: pathlib.Path, magic: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def kind_of(path: pathlib.Path) -> str:
    """"ros1", "sqlite", "mcap", "folder", or "" where a path is none of them. Never raises."""
    try:
        if path.is_dir():
            if (path / "metadata.yaml").is_file():
                with (path / "metadata.yaml").open("rb") as file:
                    if b"rosbag2_bagfile_information" in file.read(4096):
                        return "folder"
            return "folder" if any(path.glob("*.db3")) or any(path.glob("*.mcap")) else ""
        if path.name == "metadata.yaml":
            return kind_of(path.parent)
        name = path.name.removesuffix(".active")
        if _begins(path, b"#ROSBAG V") or name.endswith(".bag"):
            return "ros1"
        if _begins(path, MAGIC) or name.endswith(".mcap"):
            return "mcap"
        if name.endswith((".db3", ".db3.zstd")):
            return "sqlite"
    except OSError:
        pass
    return ""


def open_container(path: pathlib.Path, budget: Budget) -> Container:
    """Raises FormatError, or what a library raises on a damaged file."""
    kind = kind_of(path)
    if kind == "folder":
        return Folder(path.parent if path.name == "metadata.yaml" else path, budget)
    if not path.stat().st_size:
        raise FormatError(path, "is empty", "a bag that was never written to; record it again")
    if kind == "ros1":
        return Ros1(path, budget)
    if kind == "mcap":
        return Mcap(path, budget)
    said = metadata(path.parent / "metadata.yaml") if (path.parent / "metadata.yaml").is_file() else {}
    names = [pathlib.PurePath(name).name for name in said.get("relative_file_paths") or []]
    if path.suffix == ".zstd":
        raise FormatError(path, "is a compressed file of a bag", "name the folder with its metadata.yaml")
    container = Sqlite(path, budget, path.name in names and said.get("compression_mode", "").lower() == "message")
    if len(names) > 1 and path.name in names:
        container.note(f"it is one of the {len(names)} files of the bag {path.parent.name}: name the folder for all of them")
    return container
