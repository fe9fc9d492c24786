"""Small recordings that promise much: every reader refuses them before memory, disk or time is spent."""

import bz2
import json
import os
import pathlib
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile

import needs
import numpy as np
import pytest

h5py, pa, zstandard = (needs.package(name) for name in ("h5py", "pyarrow", "zstandard"))
import pyarrow.parquet as parquet  # noqa: E402

from antaeus.formats import FormatError, open_recording  # noqa: E402
from antaeus.formats.recording import Wishes  # noqa: E402
from support import most_held  # noqa: E402

DEFINITION = "string[] name\nfloat64[] position\nfloat64[] effort\n"
START = 10**18
MOST_MEMORY = 512 << 20  # bytes of a whole process, of which Python with its libraries takes 150 MiB


def record(code, body):
    return struct.pack("<BQ", code, len(body)) + body


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def joints(names=("a", "b"), value=0.5):
    out = bytearray(struct.pack("<I", len(names)))
    for name in names:
        out += b"\0" * (-len(out) % 4) + struct.pack("<I", len(name) + 1) + name.encode() + b"\0"
    for _ in range(2):
        out += b"\0" * (-len(out) % 4) + struct.pack("<I", len(names))
        out += b"\0" * (-len(out) % 8) + struct.pack(f"<{len(names)}d", *[value] * len(names))
    return b"\0\1\0\0" + bytes(out)


def message(number, data, channel=1):
    return record(5, struct.pack("<HIQQ", channel, 0, START + number * 10**7, START + number * 10**7) + data)


def head(channels=1, definition=DEFINITION):
    schema = record(3, struct.pack("<H", 1) + text("sensor_msgs/msg/JointState") + text("ros2msg") + text(definition))
    return schema + b"".join(record(4, struct.pack("<HH", k + 1, 1) + text(f"/joints{k}") + text("cdr") + text(""))
                             for k in range(channels))


def chunk(data, size=None, how="zstd"):
    packed = zstandard.ZstdCompressor().compress(data) if how == "zstd" else data
    size = len(data) if size is None else size
    return record(6, struct.pack("<QQQI", START, START, size, 0) + text(how) + struct.pack("<Q", len(packed)) + packed)


def mcap(file, *parts):
    magic = b"\x89MCAP0\r\n"
    file.write_bytes(magic + record(1, text("") * 2) + b"".join(parts) + record(15, bytes(4)) + record(2, bytes(20)) + magic)
    return file


def bag(file, bodies, how="none", size=None, definition=DEFINITION):
    def fields(**known):
        return b"".join(struct.pack("<I", len(name) + 1 + len(value)) + name.encode() + b"=" + value for name, value in known.items())

    def both(header, data):
        return struct.pack("<I", len(header)) + header + struct.pack("<I", len(data)) + data

    body = both(fields(op=b"\7", conn=bytes(4), topic=b"/joints"),
                fields(topic=b"/joints", type=b"sensor_msgs/JointState", md5sum=b"*", message_definition=definition.encode()))
    body += b"".join(both(fields(op=b"\2", conn=bytes(4), time=struct.pack("<II", 1000 + k, 0)), one) for k, one in enumerate(bodies))
    first = both(fields(op=b"\3", index_pos=bytes(8), conn_count=struct.pack("<I", 1), chunk_count=struct.pack("<I", 1)), b" " * 100)
    size = len(body) if size is None else size
    packed = bz2.compress(body) if how == "bz2" else body
    file.write_bytes(b"#ROSBAG V2.0\n" + first + both(fields(op=b"\5", compression=how.encode(), size=struct.pack("<I", size)), packed))
    return file


def database(file, rows, columns="data BLOB", insert="data", more=""):
    file.parent.mkdir(exist_ok=True)
    base = sqlite3.connect(file)
    base.executescript("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);"
                       "INSERT INTO topics VALUES(1, '/joints', 'sensor_msgs/msg/JointState', 'cdr');"
                       f"CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, {columns});")
    marks = ", ?" if insert else ""
    base.executemany(f"INSERT INTO messages(topic_id, timestamp{', ' + insert if insert else ''}) VALUES(1, ?{marks})",
                     [(START + k, one) if insert else (START + k,) for k, one in enumerate(rows)])
    base.executescript(more)
    base.commit()
    base.close()
    return file


def folder(place, mode, data):
    """A folder of rosbag2 whose file, or whose messages, are compressed."""
    place.mkdir()
    name = "bag_0.db3"
    if mode == "file":
        (place / (name + ".zstd")).write_bytes(zstandard.ZstdCompressor().compress(data))
        name += ".zstd"
    else:
        database(place / name, [zstandard.ZstdCompressor().compress(data)] * 3)
    (place / "metadata.yaml").write_text("rosbag2_bagfile_information:\n  compression_format: zstd\n"
                                         f"  compression_mode: {mode.upper()}\n  relative_file_paths:\n    - {name}\n")
    return place


def lerobot(place, rows, width=3):
    (place / "meta").mkdir(parents=True)
    (place / "data").mkdir()
    feature = {"dtype": "float32", "shape": [width], "names": [f"joint_{k}" for k in range(width)]}
    (place / "meta" / "info.json").write_text(json.dumps({
        "codebase_version": "v2.1", "fps": 50, "data_path": "data/{episode_index:06d}.parquet",
        "features": {"observation.state": feature}}))
    (place / "meta" / "episodes.jsonl").write_text(json.dumps({"episode_index": 0, "length": rows}))
    values = pa.FixedSizeListArray.from_arrays(pa.array(np.full(width * rows, 1.5, np.float32)), width)
    parquet.write_table(pa.table({"observation.state": values}), place / "data" / "000000.parquet", compression="zstd")
    return place


def aloha(file, **made):
    with h5py.File(file, "w") as out:
        group = out.create_group("observations")
        group["qpos"] = np.zeros((100, 3))
        for name, make in made.items():
            make(group, name)
    return file


def virtual(group, name):
    layout = h5py.VirtualLayout((100,), "f8")
    layout[:] = h5py.VirtualSource("/etc/hostname", "x", (100,))
    group.create_virtual_dataset(name, layout)


def external(group, name):
    group.create_dataset(name, shape=(100,), dtype="u1", external=[("/etc/hostname", 0, 100)]).attrs["unit"] = "ms"


def linked(group, name):
    group[name] = h5py.ExternalLink("/etc/hostname", "/x")


def packed(group, name):
    group.create_dataset(name, data=np.zeros((4_000_000, 3)), compression="gzip", chunks=(40_000, 3))


def inflating(group, name):
    """A chunk that holds a thousand times what it declares."""
    import zlib
    data = group.create_dataset(name, (100, 3), "f8", compression="gzip", chunks=(100, 3))
    data[:] = 0
    data.id.write_direct_chunk((0, 0), zlib.compress(bytes(1 << 29), 9))


def empty_parts(count):
    rule = "=" * 80
    return DEFINITION + f"E[{count}] e\n{rule}\nMSG: sensor_msgs/E\nint32 X=1\n"


def ros1(k):
    names = struct.pack("<I", 1) + text(f"{k:06d}")
    return names + 2 * struct.pack("<Id", 1, 0.5)


UNIT = message(0, b"")
BOMBS = {
    "mcap_empty_messages": lambda at, n: mcap(at / "a.mcap", head(), chunk(UNIT * (3_000_000 + n))),
    "mcap_declares_more": lambda at, n: mcap(at / "a.mcap", head(), chunk(UNIT * 10, size=(1 << 29) + n)),
    "mcap_many_chunks": lambda at, n: mcap(at / "a.mcap", head(), *[chunk(message(0, bytes(1 << 21)))] * (40 + n % 40)),
    "mcap_many_names": lambda at, n: mcap(at / "a.mcap", head(), *[chunk(b"".join(
        message(k, joints([f"{k}_{j}_{n}" for j in range(300)])) for k in range(800)))]),
    "mcap_topics": lambda at, n: mcap(at / "a.mcap", head(60_000 + n % 1000), chunk(b"".join(
        message(k, joints(), 1 + k % 60_000) for k in range(60_000)))),
    "bag_bz2": lambda at, n: bag(at / "a.bag", [bytes(1 << 20)] * (70 + n % 9), "bz2"),
    "bag_declares_more": lambda at, n: bag(at / "a.bag", [ros1(1)], "bz2", (1 << 31) + n),
    "bag_parts_without_size": lambda at, n: bag(at / "a.bag", [ros1(k) for k in range(1500 + n % 100)],
                                                definition=empty_parts(90_000)),
    "db3_view": lambda at, n: database(at / "a.db3", [joints()] * 3, more=(
        "ALTER TABLE messages RENAME TO m; CREATE VIEW messages AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        f"SELECT x AS id, 1 AS topic_id, x AS timestamp, zeroblob({1000 + n}) AS data FROM c;")),
    "db3_trigger": lambda at, n: database(at / "a.db3", [joints()] * 3, more=(
        f"CREATE TRIGGER t{n} AFTER INSERT ON topics BEGIN DELETE FROM topics; END;")),
    "db3_generated": lambda at, n: database(at / "a.db3", [0] * 200, f"data BLOB AS (zeroblob({10**8 + n})) VIRTUAL", ""),
    "db3_default": lambda at, n: database(at / "a.db3", [0] * 3000, "x INTEGER", "x", more=(
        f"ALTER TABLE messages ADD COLUMN data BLOB DEFAULT x'{'00' * (50_000 + n)}';")),
    "folder_file": lambda at, n: folder(at / "bag", "file", bytes((100 << 20) + n)),
    "folder_message": lambda at, n: folder(at / "bag", "message", bytes((100 << 20) + n)),
    "lerobot_rows": lambda at, n: lerobot(at / "set", 4_000_000 + n),
    "hdf5_packed": lambda at, n: aloha(at / "a.hdf5", effort=packed),
    "hdf5_inflating": lambda at, n: aloha(at / "a.hdf5", effort=inflating),
    **{f"hdf5_{make.__name__}_{name}": (lambda at, n, make=make, name=name: aloha(at / "a.hdf5", **{name: make}))
       for make in (external, virtual, linked) for name in ("timestamp", "effort")},
}


def drained(path):
    for block in open_recording(path).blocks():
        assert len(block.time)


def judged(path):
    """Reads a recording in a process of its own: its answer, and the memory that it took [bytes]."""
    done = subprocess.run([sys.executable, __file__, path], capture_output=True, text=True, timeout=300,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert done.returncode == 0, done.stderr[-600:]
    answer, memory = done.stdout.rsplit("\n", 2)[:2]
    return answer, int(memory)


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_costs_little(kind, tmp_path):
    path = BOMBS[kind](tmp_path, 7)
    answer, memory = judged(path)
    assert answer.startswith("refused: ") and len(answer.splitlines()) == 1
    assert memory < MOST_MEMORY, f"{memory >> 20} MiB, {answer}"
    if not kind.startswith(("hdf5_", "db3_view", "db3_trigger", "db3_generated", "mcap_many_names")) or kind == "hdf5_packed":
        assert "beyond the limit of" in answer and "--max-expansion" in answer


def test_the_limit_can_be_raised(tmp_path):
    path = BOMBS["lerobot_rows"](tmp_path, 0)
    with pytest.raises(FormatError, match="--max-expansion 1000"):
        open_recording(path)
    assert next(open_recording(path, Wishes(max_expansion=1000000)).blocks()).values["qpos"].shape[1] == 3


def test_a_file_that_packs_well_is_read(tmp_path):
    """Ten thousand equal messages of two joints in 3 kB: far from 64 MiB."""
    path = mcap(tmp_path / "a.mcap", head(), chunk(b"".join(message(k, joints()) for k in range(10_000))))
    assert sum(len(block.time) for block in open_recording(path).blocks()) == 10_000


def attack(count, seed):
    """Reads variants of random kind and size (for attack.py). Yields what is found of each that is read or costs more."""
    chance = random.Random(seed)
    for _ in range(count):
        kind, number = chance.choice(list(BOMBS)), chance.randrange(1, 5000)
        with tempfile.TemporaryDirectory() as place:
            try:
                answer, memory = judged(BOMBS[kind](pathlib.Path(place), number))
            except (AssertionError, subprocess.TimeoutExpired) as problem:
                answer, memory = str(problem), 0
        if not answer.startswith("refused: ") or memory >= MOST_MEMORY:
            yield f"bomb {kind} {number}: {answer[:200]}, {memory >> 20} MiB"


if __name__ == "__main__":
    import resource
    try:
        drained(pathlib.Path(sys.argv[1]))
        print("read")
    except FormatError as error:
        print(f"refused: {error}")
    print(max(most_held(), 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
