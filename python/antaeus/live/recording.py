"""Records of what watch received and said: parts of a run, each an episode that `antaeus audit` opens as it is, whenever watch was killed.

    DIR/run_2026-11-28T18-30-01Z/about.json       robot, source, settings, versions
                                 events.jsonl     alarms, refusals, stops, marks: one JSON object a line
                                 part_0000/       an episode: tau.npy, qpos.npy, dq.npy, time.npy, … as received
                                           part.json   endpoints, sign, the sample of the first row, why it begins
                                           said/       what watch said of each row (said.py)
    DIR/flight_…                                  flights.py
"""

import collections
import contextlib
import datetime
import json
import os
import pathlib
import queue
import re
import shutil
import threading
import time
import typing
from collections.abc import Callable, Iterable

import antaeus
import numpy as np

from antaeus.formats import ownership
from antaeus.formats.scratch import remove_orphans
from antaeus.live.flights import CHANNELS, EPISODE_FILES, FLIGHT_FILES, FlightKeeper, is_flight
from antaeus.live.growing import GrowingFolder, Rows, allocated, json_text, write_text
from antaeus.live.said import FOLDER, said_rows
from antaeus.live.sizes import size_text

WRITE_EVERY = 0.25  # s: half of what a kill may cost
PART_SECONDS = 600.0  # of the estimator's clock, without what leads in
_MOST_WAITING = 300  # blocks: ten seconds at thirty a second
_HOLD_EVERY = 2.0  # s between two looks at the room that records take
_RETRY = 10.0  # s after a disk was full
_LEAST_ROOM = 64 << 20  # bytes that are free again before recording goes on
_KEEP_PARTS = 8  # a part has at most this share of --keep, so that the oldest can go before it is full
_FIRST_ROWS = 64  # that a part begins with, at most
_EVENT_BYTES = 16 << 20  # of a run's events.jsonl
_BREAKS_A_MINUTE = 10  # after which an epoch is a part at once; after more it must last
_LEAST_SECONDS, _LEAST_ROWS = 1.0, 1000  # of the receiver's clock, or samples, that make a part while breaks are that frequent

_ALWAYS = ("qpos", "tau")
_RUN_NAME = re.compile(r"run_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(_\d+)?")
_PART_NAME = re.compile(r"part_\d{4,}")
_RUN_FILES = ("events.jsonl", "about.json")

_FORGOTTEN = 40.0  # time constants after which a start is below the last bit of a double: exp(−40) is 2^−58
_LAG_MEMORY = 0.5  # s: of the mean by which the residual tells noise from a force that changes fast (src/estimation/residual.cpp)


def _setting(robot: typing.Any, name: str, default: float) -> float:
    """What the profile or --set says of an option; default: the C++ one's."""
    return float({f"{one.group}.{one.name}": one.value for one in robot.profile.settings.all()}.get(name, default))


def lead_in(robot: typing.Any) -> float:
    """Seconds after which filters that began cold give the numbers, by every bit, of those that ran all along.

    The slowest are the mean of the lag's noise, the low pass, which forgets its start as exp(−2π f t), and the momentum observer,
    exp(−rate t).
    """
    cut_off, observer = _setting(robot, "residual.cut_off", 15.0), _setting(robot, "residual.observer_rate", 60.0)
    slowest = 1 / observer + (1 / (2 * np.pi * cut_off) if cut_off > 0 else 0.0)
    return float(_FORGOTTEN * max(_LAG_MEMORY, slowest))


class _Clock:
    """Follows when an identified noise's covariance was formed: a log that begins at such a sample forms it at the same ones ever after."""

    def __init__(self, period: float) -> None:
        self._period, self._last = period, np.nan

    def begin(self) -> None:
        self._last = np.nan

    def formed(self, times: np.ndarray, usable: np.ndarray) -> np.ndarray:
        """Whether at each of the samples [N]."""
        marks = np.zeros(len(times), dtype=bool)
        at, places = 0, np.flatnonzero(usable)
        times = times[places]
        while at < len(times):
            age = times[at:] - self._last
            due = np.flatnonzero(~((age >= 0.0) & (age < self._period)))
            if not len(due):
                break
            at += int(due[0])
            self._last = times[at]
            marks[places[at]] = True
            at += 1
        return marks


class _Chunk(typing.NamedTuple):
    """Rows that follow each other, of one epoch."""

    first: int  # sample that the first of them is
    rows: Rows  # channels and what was said
    formed: np.ndarray  # [N] where a log may begin (_Clock)

    def __len__(self) -> int:
        return len(self.formed)

    def cut(self, begin: int, end: int) -> "_Chunk":
        """Returns the rows begin … end − 1."""
        return _Chunk(self.first + begin, {name: array[begin:end] for name, array in self.rows.items()}, self.formed[begin:end])


class Recorder:
    """A listener that writes what watch received and said. `take` never waits for the disk; what could not be written is said."""

    def __init__(self, folder: str | os.PathLike[str], robot: typing.Any, *, keep: int, about: dict[str, typing.Any],
                 say: Callable[[str], None] = lambda line: None, write_every: float = WRITE_EVERY,
                 part_seconds: float = PART_SECONDS, flights: bool = True) -> None:
        """
        Args:
            folder: of all records; made where it is missing. What older runs recorded there counts for `keep`; anything else that is in
                it is neither counted nor removed.
            robot: antaeus.Robot of the stream.
            keep: bytes that all of it may take, in whole blocks of the disk.
            about: what about.json is to hold; needs "endpoints", the frames in the order of the blocks, and "simulated" where the source
                is a simulation.
            say: is called, by the writer's thread, with one line of what went wrong.
            write_every: s between two writes; with the 1/30 s of a block the most that a kill costs.
            part_seconds: after which a new part begins.
            flights: whether flight records are made at alarms.

        Raises ValueError, one line, where nothing can be written.
        """
        self._folder, self._robot, self._keep, self._say_on = pathlib.Path(folder), robot, keep, say
        self._about, self._write_every, self._part_seconds = about, write_every, part_seconds
        self._lead_in = lead_in(robot)
        self._run = self._make_run()
        self._lock = contextlib.ExitStack()  # another watch with the same folder leaves this run's parts alone
        self._lock.enter_context(ownership.locked(self._run))
        self.written: list[pathlib.Path] = []
        """Parts and, after close(), flights."""
        self.notes: list[str] = []
        """What went wrong, one line each; the first hundred."""
        self._queue: queue.Queue[typing.Any] = queue.Queue(_MOST_WAITING)
        self._dropped = 0  # samples that found the queue full; by the caller's thread alone
        self._told_dropped = 0
        self._waiting: list[typing.Any] = []
        self._events: list[typing.Any] = []
        self._event_bytes = 0
        self._starts: collections.deque[tuple[int, float]] = collections.deque()  # sample and time at which a log may begin
        self._newest = float("-inf")
        self._part: GrowingFolder | None = None
        self._parts, self._part_began, self._row_bytes = 0, 0.0, 0
        self._next, self._epoch = -1, -1
        self._seen = (-1, -1)  # sample and epoch that continue those handed over
        self._breaks: collections.deque[float] = collections.deque(maxlen=_BREAKS_A_MINUTE)
        self._begun: list[_Chunk] = []  # of an epoch that may be too short for a part
        self._begun_epoch = -1
        self._left_out_short = False
        self._sign = ""
        self._held: list[str] = []  # names of the part's files
        self._place, self._begun_at = self._run, 0  # the part's folder, and the sample of its first row
        self._full_until = 0.0
        self._lost = 0
        self._sizes: dict[pathlib.Path, int] = {}
        self._parts_held, self._held_at = -1, 0.0
        self._clock = _Clock(_setting(robot, "residual.covariance_period", 0.02))
        self._flights = FlightKeeper(self._folder, robot, self._about, self._lead_in, self._say) if flights else None
        self._tidy()
        self._thread = threading.Thread(target=self._work, name="antaeus recorder", daemon=True)
        self._thread.start()

    @property
    def run(self) -> pathlib.Path:
        """Folder of this run."""
        return self._run

    @property
    def dropped(self) -> int:
        """Samples that are in no part: the disk was too slow or full."""
        return self._dropped + self._lost

    def take(self, block: typing.Any, events: list[typing.Any], facts: typing.Any) -> None:
        """Hands a block to the writer; where the queue is full, its samples are counted and left out, its events kept."""
        if not len(block.time) and not events:
            return
        try:
            self._queue.put_nowait((block, events))
        except queue.Full:
            self._dropped += len(block.time)
            with contextlib.suppress(queue.Full):
                self._queue.put_nowait((None, events))

    def _say(self, line: str) -> None:
        if len(self.notes) < 100:
            self.notes.append(line)
        self._say_on(line)

    def idle(self) -> bool:
        """Whether all that was taken is in the hands of the writer: for a source that does not go by the clock."""
        return self._queue.empty()

    def close(self) -> list[pathlib.Path]:
        """Writes what waits, and flights that are under way; returns the parts and flights that are there."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
            self._lock.close()
            self.written += self._flights.close() if self._flights else []
            self.written = [place for place in self.written if place.exists()]
        return self.written

    # ---- All that follows: the writer's thread -----------------------------------------------------------------------------------------

    def _make_run(self) -> pathlib.Path:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H-%M-%SZ")
            for turn in range(1000):
                run = self._folder / (f"run_{stamp}" + (f"_{turn}" if turn else ""))
                with contextlib.suppress(FileExistsError):
                    run.mkdir()
                    write_text(run / "about.json", json_text({
                        "schema": "antaeus.live.run/1", "antaeus": getattr(antaeus, "__version__"), "begun": stamp,
                        "robot": self._robot.profile.name, "profile": str(self._robot.profile.file),
                        "profile_sha256": self._robot.profile.sha256, "settings": settings_since(self._robot), **self._about}))
                    return run
        except OSError as error:
            raise ValueError(f"--record {self._folder}: cannot be written ({error.strerror}); name another folder") from None
        raise ValueError(f"--record {self._folder}: holds a thousand runs of this second; name another folder")

    def _work(self) -> None:
        last, ended = time.monotonic(), False
        while not ended:
            with contextlib.suppress(queue.Empty):
                got = self._queue.get(timeout=self._write_every)
                ended = got is None
                if got is not None:
                    block, events = got
                    if block is not None and len(block.time):
                        self._waiting.append(block)
                    self._events += events
            if ended or time.monotonic() - last >= self._write_every:
                last = time.monotonic()
                try:
                    self._flush()
                except Exception as error:  # a record that fails ends no watch
                    self._say(f"record: {type(error).__name__}: {' '.join(str(error).split())}; recording continues with a new part")
                    self._leave_part()
        self._leave_out()
        if self._flights:
            self._flights.see([], float("inf"), self._run)
        self._leave_part()

    def _flush(self) -> None:
        blocks, self._waiting = self._waiting, []
        for chunk, epoch in self._chunks(blocks):
            for settled in self._settled(chunk, epoch):
                self._write(settled, epoch)
        if self._dropped > self._told_dropped:
            self._say(f"record: {self._dropped - self._told_dropped} samples are left out: the disk is too slow; a new part begins after "
                      "them")
            self._told_dropped = self._dropped
        self._write_events()
        if time.monotonic() - self._held_at > _HOLD_EVERY:
            self._hold_to_keep()

    def _chunks(self, blocks: list[typing.Any]) -> typing.Iterator[tuple[_Chunk, int]]:
        """Joins blocks that follow each other, and cuts where an epoch begins."""
        start = 0
        for stop in range(1, len(blocks) + 1):
            if stop < len(blocks) and blocks[stop].first == blocks[stop - 1].first + len(blocks[stop - 1].time):
                continue
            group = blocks[start:stop]
            self._sign = group[0].sign
            start = stop
            rows = _joined([self._rows_of(block) for block in group])
            epochs = rows[f"{FOLDER}/epoch"]
            edges = sorted({0, *(np.flatnonzero(np.diff(epochs)) + 1).tolist(), *self._comings(rows), len(epochs)})
            for begin, end in zip(edges[:-1], edges[1:]):
                part = {name: array[begin:end] for name, array in rows.items()}
                first, epoch = group[0].first + begin, int(epochs[begin])
                if (first, epoch) != self._seen:
                    self._clock.begin()
                self._seen = (first + end - begin, epoch)
                usable = ~(part[f"{FOLDER}/verdict"] == _INVALID).all(axis=1)
                yield _Chunk(first, part, self._clock.formed(part["time"], usable)), epoch

    def _settled(self, chunk: _Chunk, epoch: int) -> list[_Chunk]:
        """Returns the chunks to write. While breaks are frequent, an epoch waits until it is long enough for a part of its own."""
        if self._begun and (epoch != self._begun_epoch or chunk.first != self._begun[-1].first + len(self._begun[-1])):
            self._leave_out()
        if not self._begun:
            if self._epoch < 0 or (chunk.first, epoch) == (self._next, self._epoch):
                return [chunk]
            now = time.monotonic()
            if len(self._breaks) < _BREAKS_A_MINUTE or now - self._breaks[0] > 60.0:
                self._breaks.append(now)
                return [chunk]
        self._begun.append(chunk)
        self._begun_epoch = epoch
        received = [one.rows[f"{FOLDER}/received"] for one in self._begun]
        if sum(map(len, self._begun)) < _LEAST_ROWS and not received[-1][-1] - received[0][0] >= _LEAST_SECONDS:
            return []
        begun, self._begun = self._begun, []
        return begun

    def _leave_out(self) -> None:
        """Counts the samples of an epoch that is too short for a part."""
        self._lost += sum(map(len, self._begun))
        if self._begun and not self._left_out_short:
            self._left_out_short = True
            self._say(f"record: {self._run}: the stream breaks off more than {_BREAKS_A_MINUTE} times per minute; parts shorter than "
                      f"{_LEAST_SECONDS:g} s are left out, check the sender's clock")
        self._begun = []

    def _comings(self, rows: Rows) -> set[int]:
        """Rows at which a channel comes that the part lacks: those before were estimated without it, and are a log without it."""
        found = set()
        for name in CHANNELS:
            if name not in _ALWAYS and name not in self._held and rows[name].size:
                there = np.isfinite(rows[name]).any(axis=1)
                if there.any():
                    found.add(int(np.argmax(there)))
        return found

    def _rows_of(self, block: typing.Any) -> Rows:
        rows = {name: filled(getattr(block, field), len(block.time)) for name, field in CHANNELS.items()}
        if self._about.get("simulated"):
            rows["simulated"] = np.ones(len(block.time), dtype=bool)
        return {"time": np.asarray(block.time, dtype="<f8"), **rows, **said_rows(block)}

    def _write(self, chunk: _Chunk, epoch: int) -> None:
        while len(chunk):
            rows = self._room(chunk, epoch)
            self._write_rows(chunk.cut(0, rows), epoch)
            chunk = chunk.cut(rows, len(chunk))
            if self._parts != self._parts_held:
                self._hold_to_keep()

    def _room(self, chunk: _Chunk, epoch: int) -> int:
        """Returns how many rows the part takes before its time or size ends it: samples decide, however late the writer gets them."""
        if time.monotonic() < self._full_until:
            return len(chunk)
        if self._part is None or self._why_new(chunk, epoch):
            return min(len(chunk), _FIRST_ROWS)  # how many more it takes is known once it has begun
        over = np.flatnonzero(chunk.rows["time"] - self._part_began >= self._part_seconds)
        return max(1, min(int(over[0]) if len(over) else len(chunk), self._most_rows() - self._part.rows))

    def _write_rows(self, chunk: _Chunk, epoch: int) -> None:
        begins = self._why_new(chunk, epoch)
        leading = self._leading(chunk) if begins in ("time", "size") else None
        if begins in ("start", "epoch", "samples_lost"):
            self._starts.clear()  # no filter remembers what was before
        if begins:
            self._leave_part()
        self._next, self._epoch = chunk.first + len(chunk), epoch
        if time.monotonic() < self._full_until:
            self._lost += len(chunk)
            return
        try:
            if self._part is None:
                self._begin_part(chunk, begins or "room_again", epoch, leading)
            else:
                self._part.add({name: chunk.rows[name] for name in self._held})
        except OSError as error:
            self._leave_part()
            self._lost += len(chunk)
            self._full_until = time.monotonic() + _RETRY
            self._starts.clear()
            self._say(f"record: {self._run}: cannot be written ({error.strerror}); recording stops: free disk space")
            return
        self._remember(chunk)
        if self._flights and self._part is not None:
            self._flights.grown(self._place, self._begun_at, chunk, epoch)

    def _why_new(self, chunk: _Chunk, epoch: int) -> str:
        if self._epoch < 0:
            return "start"
        if epoch != self._epoch:
            return "epoch"
        if chunk.first != self._next:
            return "samples_lost"
        if self._part is None:
            return ""
        if set(_present(chunk.rows)) - set(self._held):
            return "channels"
        if chunk.rows["time"][0] - self._part_began >= self._part_seconds:
            return "time"
        if self._part.rows >= self._most_rows():
            return "size"
        return ""

    def _most_rows(self) -> int:
        """Of a part, which stands twice while it is written."""
        return max(1, self._keep // (2 * _KEEP_PARTS) // self._row_bytes)

    def _begin_part(self, chunk: _Chunk, why: str, epoch: int, leading: Rows | None) -> None:
        if self._full_until and shutil.disk_usage(self._run).free < _LEAST_ROOM:
            self._full_until = time.monotonic() + _RETRY
            self._lost += len(chunk)
            return
        if self._full_until:
            self._say(f"record: there is space again in {self._folder}; recording continues")
            self._full_until = 0.0
        rows, first = chunk.rows, chunk.first
        if leading is not None:
            first -= len(leading[f"{FOLDER}/verdict"])
            rows = _joined([leading, {name: chunk.rows[name] for name in leading}])
        self._held = [*_present(chunk.rows), *(name for name in rows if name.startswith(f"{FOLDER}/"))]
        place = self._run / f"part_{self._parts:04d}"
        about = {"schema": "antaeus.live.part/1", "name": f"{self._run.name}/{place.name}", "begins": why, "epoch": epoch, "first_sample": first,
                 "leads_in": chunk.first - first, "same_after": self._lead_in,
                 "endpoints": list(self._about["endpoints"]), "sign": self._sign,
                 "motors": list(self._robot.model.motor_names()), "robot": self._robot.profile.name,
                 "audit": audit_line(place.name, self._robot, self._about["endpoints"])}
        rows = {name: rows[name] for name in self._held}
        self._part = GrowingFolder(place, rows, {"part.json": json_text(about)})
        self._parts += 1
        self._place, self._begun_at, self._part_began = place, first, float(chunk.rows["time"][0])
        self._row_bytes = sum(array[:1].nbytes for array in rows.values())
        self.written.append(place)

    def _leading(self, chunk: _Chunk) -> Rows | None:
        """The last seconds before the chunk, from the part that ends, beginning where a log may begin; at most half a part."""
        assert self._part is not None
        least = max(self._begun_at, chunk.first - self._most_rows() // 2)
        starts = [(sample, moment) for sample, moment in self._starts if sample >= least]
        early = [sample for sample, moment in starts if moment <= chunk.rows["time"][0] - self._lead_in]
        if not starts:
            return None
        row = (early[-1] if early else starts[0][0]) - self._begun_at
        return {name: np.array(np.load(self._place / f"{name}.npy", mmap_mode="r")[row:]) for name in self._held}

    def _remember(self, chunk: _Chunk) -> None:
        times = chunk.rows["time"]
        self._newest = float(times[-1])
        self._starts.extend((chunk.first + int(at), float(times[at])) for at in np.flatnonzero(chunk.formed))
        while len(self._starts) > 1 and not self._starts[1][1] > self._newest - self._lead_in - 1.0:
            self._starts.popleft()

    def _leave_part(self) -> None:
        if self._part is not None:
            self._part.close()
            self._part = None

    def _write_events(self) -> None:
        events, self._events = self._events, []
        if self._flights:
            self._flights.see(events, self._newest, self._run)
        lines = "".join(json.dumps(event_json(event), ensure_ascii=False) + "\n" for event in events)
        if not lines or self._event_bytes > _EVENT_BYTES:
            return
        self._event_bytes += len(lines.encode())
        if self._event_bytes > _EVENT_BYTES:
            self._say(f"record: {self._run / 'events.jsonl'} is full at {size_text(_EVENT_BYTES)}; later events are in the parts alone")
            return
        try:
            with open(self._run / "events.jsonl", "ab", buffering=0) as file:
                file.write(lines.encode())
        except OSError as error:
            self._say(f"record: {self._run / 'events.jsonl'}: cannot be written ({error.strerror}); free disk space")

    # ---- Room --------------------------------------------------------------------------------------------------------------------------

    def _tidy(self) -> None:
        """What a killed run left beside its parts."""
        for run in self._runs():
            with contextlib.suppress(OSError):
                remove_orphans(run)

    def _runs(self) -> list[pathlib.Path]:
        return sorted(run for run in _entries(self._folder) if run == self._run or is_run(run))

    def _hold_to_keep(self) -> None:
        self._parts_held, self._held_at = self._parts, time.monotonic()
        active = self._part.bytes() if self._part else 0
        known = self._sizes.keys()
        places = sorted(part for run in self._runs() for part in _entries(run) if part in known or is_part(part))
        flights = sorted((flight for flight in _entries(self._folder) if flight in known or is_flight(flight)), key=_age)
        used = active + self._event_bytes
        removable: list[tuple[pathlib.Path, int]] = []
        for place in [*places, *flights]:
            if self._part is not None and place == self._part.place:
                continue
            if place not in self._sizes:
                self._sizes[place] = _size(place, FLIGHT_FILES if place in flights else EPISODE_FILES)
            used += self._sizes[place]
            if not (self._flights and self._flights.needs(place)):
                removable.append((place, self._sizes[place]))
        for place, size in removable:
            if used <= self._keep:
                return
            if self._remove(place):
                self._sizes.pop(place, None)
                used -= size

    def _remove(self, place: pathlib.Path) -> bool:
        """Removes a part or a flight, and a run with its last part. Files that watch did not write stay. Returns True if it removed any."""
        if is_flight(place):
            ownership.remove(place, FLIGHT_FILES)
            return True
        run = place.parent
        if not is_part(place) or (run != self._run and not is_run(run)):
            return True  # somebody else removed it or gave it another name
        if run == self._run:
            ownership.remove(place, EPISODE_FILES)
            return True
        try:
            with ownership.locked(run, _give_up):
                ownership.remove(place, EPISODE_FILES)
                if not any(is_part(part) for part in _entries(run)):
                    ownership.remove(run, _RUN_FILES)
        except OSError:
            return False  # another watch records into it
        return True


def is_run(folder: pathlib.Path) -> bool:
    """True if watch made this folder of a run under this name."""
    name = _RUN_NAME.fullmatch(folder.name)
    about = ownership.read_mark(folder / "about.json", "antaeus.live.run/") if name and ownership.is_folder(folder) else None
    return name is not None and about is not None and about.get("begun") == name.group(1)


def is_part(folder: pathlib.Path) -> bool:
    """True if watch wrote this part of a run under this name."""
    if not (_PART_NAME.fullmatch(folder.name) and ownership.is_folder(folder)):
        return False
    about = ownership.read_mark(folder / "part.json", "antaeus.live.part/")
    name = f"{folder.parent.name}/{folder.name}"
    return about is not None and about.get("name", name) == name


def _give_up() -> None:
    raise BlockingIOError


def _entries(folder: pathlib.Path) -> list[pathlib.Path]:
    with contextlib.suppress(OSError):
        return list(folder.iterdir())
    return []


def filled(values: typing.Any, count: int) -> np.ndarray:
    """A block's channel [count × any]; one that the stream does not have [0 × any] is NaN."""
    array = np.asarray(values, dtype="<f8")
    return array if len(array) == count else np.full((count, *array.shape[1:]), np.nan)


def event_json(event: typing.Any) -> dict[str, typing.Any]:
    """An event (antaeus.live.events) as JSON has it: no NaN."""
    moment = float(event.time)
    return {"kind": event.kind, "index": int(event.index), "time": moment if np.isfinite(moment) else None, "endpoint": event.endpoint,
            "words": event.words, "reasons": list(event.reasons)}


def audit_line(episode: str, robot: typing.Any, endpoints: list[str]) -> str:
    """What audits it as watch was set."""
    import shlex

    words = ["antaeus", "audit", episode, "--robot", robot.profile.name]
    for endpoint in endpoints:
        words += ["--endpoint", endpoint]
    for name, value in settings_since(robot).items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


def settings_since(robot: typing.Any) -> dict[str, str]:
    """"group.option" → value, of what was set over the profile's file."""
    file = str(robot.profile.file)
    return {f"{one.group}.{one.name}": str(one.value) for one in robot.profile.settings.all() if not str(one.place).startswith(file)}


_INVALID = 4  # place of invalid_input in antaeus.Verdict


def _joined(parts: list[Rows]) -> Rows:
    return parts[0] if len(parts) == 1 else {name: np.concatenate([rows[name] for rows in parts]) for name in parts[0]}


def _present(rows: Rows) -> list[str]:
    """Channels that are there: those that a robot sends hold a number."""
    return [name for name in ("time", *CHANNELS, "simulated") if name in _ALWAYS or (name in rows and np.isfinite(rows[name]).any())]


def _age(flight: pathlib.Path) -> float:
    try:
        return flight.stat().st_mtime
    except OSError:
        return 0.0


def _size(place: pathlib.Path, names: Iterable[str]) -> int:
    """Bytes on the disk of the files that watch wrote, with their folders."""
    files = [place / name for name in names if ownership.is_file(place / name)]
    return sum(allocated(entry.lstat()) for entry in {place, *files, *(file.parent for file in files)})
