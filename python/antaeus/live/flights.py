"""Flight records: what was received and said from half a minute before an alarm until ten seconds after it, for whoever asks why.

    DIR/flight_2026-11-28T18-30-01.250_alarm_left_wrist_yaw_link/
        episode/      `antaeus audit` opens it as it is; said/ in it is what watch said
        flight.mcap   the same for Foxglove and rerun: joints, IMU, wrenches, arrows; `antaeus audit` opens it, too
        why.json      what happened, and from which second on an audit gives the numbers that watch said

A record is cut from the parts on the disk (recording.py) by a process of its own, so that neither the estimator nor the sinks wait for it.
"""

import collections
import datetime
import itertools
import json
import os
import pathlib
import pickle
import queue
import re
import subprocess
import sys
import threading
import typing
from collections.abc import Callable

import numpy as np

from antaeus.formats import ownership
from antaeus.formats.scratch import scratch_folder
from antaeus.live.events import FOUND
from antaeus.live.said import FILES

BEFORE, AFTER = 30.0, 10.0  # s
LONGEST = 120.0  # s of overlapping ones that are joined
MOST_AN_HOUR = 30
_KINDS = (*FOUND, "mark")
_MOST_WAITING = 8
_PATIENCE = 300.0  # s that the process of a record may take
_NICE = 10  # of that process: the estimation comes first
_NAME = re.compile(r"flight_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}_.+")
# Name of the file → attribute of a block. One that holds no number is not written: the loader then reports it as missing.
CHANNELS = {"qpos": "qpos", "tau": "tau", "dq": "dq", "ddq": "ddq", "imu_quat_xyzw": "imu_quat", "imu_gyro": "imu_gyro",
            "imu_acc": "imu_acc"}
# Files of an episode that watch writes. Its description, which identifies it as written by watch, is the last one to be removed.
EPISODE_FILES = (*(f"{name}.npy" for name in ("time", *CHANNELS, "simulated")), *FILES, "part.json")
FLIGHT_FILES = (*(f"episode/{name}" for name in EPISODE_FILES), "flight.mcap", "why.json")


def is_flight(folder: pathlib.Path) -> bool:
    """True if watch wrote this flight record under this name."""
    if not (_NAME.fullmatch(folder.name) and ownership.is_folder(folder)):
        return False
    why = ownership.read_mark(folder / "why.json", "antaeus.live.flight/")
    return why is not None and why.get("name", folder.name) == folder.name

# why.json's "same_from" where no row of the record is as watch said it
_NEVER = None


class _Stretch(typing.NamedTuple):
    """Rows of a part as they came."""

    part: pathlib.Path
    part_first: int  # sample of the part's first row
    first: int
    rows: int
    begin: float
    end: float
    epoch: int


class _Open:
    """A record whose end has not come."""

    def __init__(self, event: typing.Any, moment: float, epoch: int, wall: datetime.datetime) -> None:
        self.events = [event]
        self.moments = [moment]
        self.epoch, self.wall = epoch, wall

    @property
    def begin(self) -> float:
        return self.moments[0] - BEFORE

    @property
    def end(self) -> float:
        return min(self.moments[-1] + AFTER, self.begin + LONGEST)

    def takes(self, moment: float, epoch: int) -> bool:
        return epoch == self.epoch and moment - BEFORE <= self.end and moment + AFTER <= self.begin + LONGEST


class FlightKeeper:
    """Knows which rows stand where, and has records cut when their end has come. Used by the recorder's thread."""

    def __init__(self, folder: pathlib.Path, robot: typing.Any, about: dict[str, typing.Any], lead_in: float,
                 say: Callable[[str], None]) -> None:
        self._folder, self._about, self._lead_in, self._say = folder, about, lead_in, say
        self._robot = robot
        self._stretches: collections.deque[_Stretch] = collections.deque()
        self._starts: collections.deque[tuple[int, float, int]] = collections.deque()  # sample, time, epoch: where a log may begin
        self._epochs = (-1, -1)  # the one before, and the present one: events of both may be told yet
        self._open: _Open | None = None
        self._begun: collections.deque[float] = collections.deque()
        self._left_out = 0
        self._jobs: queue.Queue[dict[str, typing.Any] | None] = queue.Queue(_MOST_WAITING)
        self._needed: collections.Counter[pathlib.Path] = collections.Counter()
        self._lock = threading.Lock()
        self._written: list[pathlib.Path] = []
        self._thread = threading.Thread(target=self._work, name="antaeus flights", daemon=True)
        self._thread.start()

    def grown(self, part: pathlib.Path, part_first: int, chunk: typing.Any, epoch: int) -> None:
        """Rows that stand in `part` now: samples from chunk.first on."""
        times = chunk.rows["time"]
        if epoch != self._epochs[1]:
            self._epochs = (self._epochs[1], epoch)
        kept = (*self._epochs, self._open.epoch if self._open else epoch)
        if self._open and self._open.epoch != epoch:
            self._cut()
        self._stretches.append(_Stretch(part, part_first, chunk.first, len(chunk), float(times[0]), float(times[-1]), epoch))
        self._starts.extend((chunk.first + int(at), float(times[at]), epoch) for at in np.flatnonzero(chunk.formed))
        oldest = float(times[-1]) - LONGEST - self._lead_in - 5.0
        while self._starts and (self._starts[0][2] not in kept or (self._starts[0][2] == epoch and self._starts[0][1] < oldest)):
            self._starts.popleft()
        while self._stretches and (self._stretches[0].epoch not in kept or (
                self._stretches[0].epoch == epoch and self._stretches[0].end < oldest)):
            self._stretches.popleft()

    def see(self, events: list[typing.Any], now: float, run: pathlib.Path) -> None:
        """What happened since the last call. now: time of the newest sample that is on the disk; infinite at the end."""
        for event in events:
            if event.kind in _KINDS:
                self._take(event)
        if self._open and now >= self._open.end:
            self._cut()

    def _take(self, event: typing.Any) -> None:
        known = next((one for one in reversed(self._stretches) if one.first <= event.index < one.first + one.rows),
                     self._stretches[-1] if self._stretches else None)
        if known is None:
            self._say(f"record: no flight of '{event.kind}': nothing is recorded yet")
            return
        moment = float(event.time) if np.isfinite(event.time) else known.end
        if self._open and self._open.takes(moment, known.epoch):
            self._open.events.append(event)
            self._open.moments.append(max(moment, self._open.moments[-1]))
            return
        if self._open:
            self._cut()
        wall = datetime.datetime.now(datetime.timezone.utc)
        while self._begun and wall.timestamp() - self._begun[0] > 3600.0:
            self._begun.popleft()
        if len(self._begun) >= MOST_AN_HOUR:
            self._left_out += 1
            if self._left_out == 1:
                self._say(f"record: {MOST_AN_HOUR} flight records within an hour: of what follows there are "
                          "the parts and events.jsonl alone")
            return
        self._left_out = 0
        self._begun.append(wall.timestamp())
        self._open = _Open(event, moment, known.epoch, wall)

    def _cut(self) -> None:
        """Names the rows of the open record and hands them to the process that writes it."""
        record, self._open = self._open, None
        assert record is not None
        ours = [one for one in self._stretches if one.epoch == record.epoch]
        if not ours:
            return
        starts = [sample for sample, time, epoch in self._starts if epoch == record.epoch and time <= record.begin - self._lead_in]
        first = starts[-1] if starts else ours[0].first
        rows: list[tuple[str, int, int]] = []  # part, first row, rows
        for one in ours:
            if one.first + one.rows <= first or one.begin > record.end:
                continue
            at = max(one.first, first)
            row, count = at - one.part_first, one.first + one.rows - at
            if rows and rows[-1][0] == str(one.part) and rows[-1][1] + rows[-1][2] == row:
                rows[-1] = (rows[-1][0], rows[-1][1], rows[-1][2] + count)
            else:
                rows.append((str(one.part), row, count))
        event = record.events[0]
        stamp = record.wall.strftime("%Y-%m-%dT%H-%M-%S.") + f"{record.wall.microsecond // 1000:03d}"
        name = "_".join(["flight", stamp, safe_name(event.kind), *([safe_name(event.endpoint)] if event.endpoint else [])])
        job = {"folder": str(self._folder), "name": name, "rows": rows, "end": record.end, "begin": record.begin, "moments": record.moments,
               "events": [_event(one) for one in record.events], "about": self._about, "lead_in": self._lead_in,
               "from_epoch": not starts}
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._say(f"record: no flight of '{event.kind}' at {record.moments[0]:.3f} s: {_MOST_WAITING} others wait to be written")
            return
        with self._lock:
            self._needed.update({pathlib.Path(part) for part, _, _ in rows})

    def needs(self, place: pathlib.Path) -> bool:
        """Whether a record that is open, or waits to be written, has rows there."""
        with self._lock:
            if self._needed[place] > 0:
                return True
        return any(one.part == place for one in self._stretches if self._open and one.epoch == self._open.epoch)

    def close(self) -> list[pathlib.Path]:
        """Waits for what is under way; returns all records that were written."""
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()
        return list(self._written)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._written.append(self._run(job))
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                self._say(f"record: no flight {job['name']}: {' '.join(str(error).split())}")
            finally:
                with self._lock:
                    self._needed.subtract({pathlib.Path(part) for part, _, _ in job["rows"]})

    def _run(self, job: dict[str, typing.Any]) -> pathlib.Path:
        done = subprocess.run([sys.executable, "-m", "antaeus.live.flights", str(_NICE)], input=pickle.dumps((self._robot, job)),
                              capture_output=True, timeout=_PATIENCE, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)})
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        if done.returncode or not lines:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ValueError(said[-1] if said else f"its process ended with {done.returncode}")
        told = json.loads(lines[-1])
        for note in told["notes"]:
            self._say(f"record: {job['name']}: {note}")
        return pathlib.Path(told["flight"])


def safe_name(text: str) -> str:
    """A name as one part of a path: of letters, digits, dot, dash and underscore, at most 48 of them, and no dot first."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)[:48].lstrip(".") or "_"


def _event(event: typing.Any) -> dict[str, typing.Any]:
    from antaeus.live.recording import event_json

    return event_json(event)


# ---- The process that writes one -----------------------------------------------------------------------------------------------------


def write_flight(robot: typing.Any, job: dict[str, typing.Any]) -> tuple[pathlib.Path, list[str]]:
    """Writes a record, whole or not at all. Returns its folder, and what it lacks. Raises ValueError or OSError."""
    import antaeus

    from antaeus.live.growing import json_text
    from antaeus.live.recording import settings_since

    folder = pathlib.Path(job["folder"])
    notes: list[str] = []
    with scratch_folder(folder) as scratch:
        made = scratch / "flight"
        episode = made / "episode"
        about = _cut_episode(episode, job)
        feet = {one.frame for one in robot.profile.endpoints if str(one.kind) == "foot"}
        endpoints = [name for name in about["endpoints"] if name not in feet]  # an audit's posterior is of no feet
        loaded = antaeus.load_episode(str(episode), robot)
        table = antaeus.estimate(loaded, robot, endpoints=endpoints) if endpoints else None
        same_from, compared = _same_from(episode, endpoints, table)
        if same_from is _NEVER:
            notes.append(f"an audit of it does not reproduce all outputs of watch: {compared}")
        time = np.load(episode / "time.npy")
        target = _free_name(folder, job["name"])
        why = {"schema": "antaeus.live.flight/1", "name": target.name, "events": job["events"], "begin": float(time[0]), "end": float(time[-1]),
               "moment": job["moments"][0], "same_from": same_from, "compared": compared, "leads_in": job["lead_in"],
               "begins_with_the_stream": job["from_epoch"], "ends_early": bool(time[-1] < job["end"] - 0.5), "about": job["about"],
               "settings": settings_since(robot), "audit": about["audit"]}
        try:
            _write_mcap(made / "flight.mcap", episode, robot, loaded, table)
        except ValueError as error:
            notes.append(f"no flight.mcap: {error}")
        (made / "why.json").write_text(json_text(why | {"notes": notes}), encoding="utf-8")
        os.rename(made, target)
    return target, notes


def _free_name(folder: pathlib.Path, name: str) -> pathlib.Path:
    return next(place for place in (folder / (name + (f"_{turn}" if turn else "")) for turn in itertools.count()) if not os.path.lexists(place))


def _cut_episode(episode: pathlib.Path, job: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """Copies the rows of the parts into one episode, up to job["end"]; returns its part.json."""
    from antaeus.live.growing import json_text
    from antaeus.live.said import FOLDER, about_part

    (episode / FOLDER).mkdir(parents=True)
    parts = [(pathlib.Path(part), row, count) for part, row, count in job["rows"]]
    names = set.intersection(*({name.removesuffix(".npy") for name in EPISODE_FILES if name.endswith(".npy") and (part / name).is_file()}
                               for part, _, _ in parts))

    def rows_of(name: str) -> np.ndarray:
        return np.concatenate([np.load(part / f"{name}.npy", mmap_mode="r")[row:row + count] for part, row, count in parts])

    count = int(np.count_nonzero(rows_of("time") <= job["end"]))
    if count == 0:
        raise ValueError("all of it was deleted from the disk; give a larger --keep")
    for name in sorted(names):
        np.save(episode / f"{name}.npy", rows_of(name)[:count])
    about = about_part(parts[0][0])
    about |= {"begins": "flight", "first_sample": about["first_sample"] + parts[0][1], "leads_in": 0,
              "audit": about["audit"].replace(parts[0][0].name, "episode", 1)}
    (episode / "part.json").write_text(json_text(about), encoding="utf-8")
    return about


def _same_from(episode: pathlib.Path, endpoints: list[str], table: typing.Any) -> tuple[float | None, str]:
    """From which time stamp on an estimate of the record [table] gives, by every bit, what watch said; None: not even at its end.
    And the same in words."""
    from antaeus.live.said import read_said

    if table is None:
        return _NEVER, "feet alone, which an audit's posterior is not of"
    said = read_said(episode)
    rows = np.isin(said["endpoint"].astype(str), endpoints)
    same = np.ones(np.count_nonzero(rows), dtype=bool)
    for name, values in said.items():
        if name not in table or name in ("step", "endpoint"):
            continue
        theirs, ours = np.asarray(table[name]), values[rows]
        if ours.dtype == object:
            same &= theirs.astype(str) == ours.astype(str)
        else:
            same &= (theirs == ours) | (np.isnan(theirs) & np.isnan(ours))
    steps = np.asarray(same.reshape(-1, len(endpoints)).all(axis=1))
    time = said["time"].reshape(len(steps), -1)[:, 0]
    if steps.all():
        return float(time[0]), f"all {len(steps)} samples equal those of watch"
    last = int(np.flatnonzero(~steps)[-1])
    differing = f"{len(steps) - np.count_nonzero(steps)} of {len(steps)} samples differ, the last at {time[last]:.3f} s"
    return (_NEVER if last + 1 == len(steps) else float(time[last + 1])), differing


def _write_mcap(file: pathlib.Path, episode: pathlib.Path, robot: typing.Any, loaded: typing.Any, table: typing.Any) -> None:
    from antaeus.formats.results_mcap import write_results

    if table is None:
        raise ValueError("its endpoints are feet, of which no wrench is estimated")
    received = {name: np.load(episode / f"{name}.npy") for name in ("qpos", "tau", "dq", "imu_quat_xyzw", "imu_gyro", "imu_acc")
                if (episode / f"{name}.npy").exists()}
    write_results(file, robot, loaded, table, received=received)


def main() -> int:
    """Reads a robot and what to write from standard input; prints what was written as one line of JSON."""
    os.nice(int(sys.argv[1]))
    robot, job = pickle.load(sys.stdin.buffer)  # from the process that started this one
    try:
        flight, notes = write_flight(robot, job)
    except (ValueError, OSError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    print(json.dumps({"flight": str(flight), "notes": notes}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
