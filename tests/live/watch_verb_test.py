"""`antaeus watch` as a user runs it: a log at once, a simulation, standard input, what is wrong in one line each."""

import csv
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import threading

import needs
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command_line import patience, refused, run, text  # noqa: E402
from waiting import until  # noqa: E402

antaeus = needs.package("antaeus")
WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]


def watch(*arguments, lines="", seconds=40, **environment):
    """The program; what it says on both streams, its JSON where it was asked for."""
    return subprocess.run([os.environ["ANTAEUS_CLI"], "watch", *map(str, arguments)], input=lines, capture_output=True, text=True,
                          timeout=patience(seconds), env={**os.environ, **environment}, check=False)


def posterior_rows(log, out, robot="h1_2"):
    done = run("audit", log, "--robot", robot, "--out", out, seconds=60)
    assert done.returncode in (0, 1), text(done.stderr)
    with open(out / "steps.csv", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["estimator"] == "posterior"]


def first_steps(rows, endpoint):
    """At which step an audit has the first alarm and the first refusal of an endpoint."""
    mine = [row for row in rows if row["endpoint"] == endpoint]
    alarm = next((i for i, row in enumerate(mine) if {"contradiction", "unexplained", "beyond_prior"} & set(row["reasons"].split())), None)
    hold = next((i for i, row in enumerate(mine) if row["guard_state"] == "refused"), None)
    return alarm, hold


def judge_incident(log, tmp_path):
    """Watch and audit name the same steps, and what was recorded audits to the same bytes."""
    done = watch(f"log://{log}", "--robot", "h1_2", "--speed", "0", "--record", tmp_path / "records", "--json")
    assert done.returncode == 1, done.stderr
    seen = json.loads(done.stdout)
    rows = posterior_rows(log, tmp_path / "audit")
    assert seen["samples"] == len(rows) // 2 and seen["endpoints"] == WRISTS and seen["facts"]["lost"] == 0
    named = 0
    for endpoint in WRISTS:
        alarm, hold = first_steps(rows, endpoint)
        for kind, step in (("alarm", alarm), ("refused", hold)):
            first = next((event["index"] for event in seen["events"] if event["kind"] == kind and event["endpoint"] == endpoint), None)
            assert first == step, (endpoint, kind)
            named += step is not None
    assert named >= 3, "an incident in which nothing happens"
    part = next(pathlib.Path(record) for record in seen["records"] if "part_0000" in record)
    again = posterior_rows(part, tmp_path / "again")
    assert again == rows, "what was recorded is another log"
    flights = [pathlib.Path(record) for record in seen["records"] if "flight_" in record]
    assert flights
    for flight in flights:
        assert posterior_rows(flight / "episode", tmp_path / flight.name)


def test_the_incident_of_the_twin(tmp_path):
    done = run("demo", "--out", tmp_path / "demo", "--episodes", tmp_path / "episodes", seconds=60)
    assert done.returncode == 1, text(done.stderr)
    judge_incident(tmp_path / "episodes" / "twin_incident", tmp_path)


def sample(i, **more):
    return json.dumps({"time": 0.002 * i, "qpos": [0.3, 0.6, -0.4], "dq": [0.0, 0.0, 0.0], "tau": [0.0, 0.0, 0.0], **more})


def test_lines_in_wrenches_out(tmp_path):
    lines = "\n".join(sample(i) for i in range(200)) + "\nnothing\n" + sample(150) + "\n" + sample(200) + "\n"
    done = watch("-", "--robot", "planar_3r", "--publish", "-", lines=lines)
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wrenches = [one for one in said if one["topic"] == "wrench"]
    assert [one["index"] for one in wrenches] == list(range(201))
    assert {one["endpoints"][0]["sign"] for one in wrenches} == {"on_robot"} and wrenches[0]["endpoints"][0]["frame"] == "world_aligned"
    assert any(one["topic"] == "guard" for one in said)
    assert "1 out of order" in done.stderr and "1 unreadable" in done.stderr, done.stderr


def test_an_alarm_runs_the_users_command(tmp_path):
    """And nothing that came over the stream is a part of it."""
    told = tmp_path / "told"
    lines = "\n".join(sample(i, tau=[40.0 if i > 150 else 0.0, 0.0, 0.0], note="$(touch hacked); `touch hacked`") for i in range(400))
    done = watch("-", "--robot", "planar_3r", "--json", "--on-alarm", f'echo "$ANTAEUS_EVENT $ANTAEUS_INDEX $ANTAEUS_WORDS" >> "{told}"', lines=lines)
    seen = json.loads(done.stdout)
    assert done.returncode == 1 and seen["found"] and seen["notes"] == []
    heard = told.read_text(encoding="utf-8").splitlines()
    events = [event for event in seen["events"] if event["kind"] in ("alarm", "refused", "stop")]
    assert [line.split()[:2] for line in heard] == [[event["kind"], str(event["index"])] for event in events] and heard
    assert not list(tmp_path.glob("hacked"))


def test_a_command_that_fails_is_a_note(tmp_path):
    lines = "\n".join(sample(i, tau=[40.0, 0.0, 0.0]) for i in range(200))
    seen = json.loads(watch("-", "--robot", "planar_3r", "--json", "--on-alarm", "echo no such thing >&2; exit 3", lines=lines).stdout)
    assert seen["notes"] == ["on-alarm: ended with 3 (no such thing)"]


@pytest.mark.parametrize(("lines", "words"), [
    ('{"time": 0, "qpos": [1, 2, 3, 4], "tau": [1, 2, 3, 4]}\n', "4"),
    ('{"time": 0, "qpos": [1, 2, 3]}\n', "no torques"),
    ('{"name": ["a", "b", "c"], "position": [1, 2, 3], "effort": [1, 2, 3]}\n', "none of them named"),
    ("time,x,y\n0,1,2\n", "tau"),
])
def test_another_robots_stream_is_one_line(lines, words):
    done = watch("-", "--robot", "planar_3r", lines=lines)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and words in done.stderr and done.stderr.startswith("antaeus: "), done.stderr


@pytest.mark.parametrize(("arguments", "words"), [
    (("upd://7000", "--robot", "planar_3r"), "udp"),
    (("log://nowhere", "--robot", "planar_3r"), "nowhere"),
    (("-", "--robot", "planar_3x"), "planar_3r"),
    (("-", "--robot", "planar_3r", "--endpoint", "tol"), "tool"),
    (("-", "--robot", "planar_3r", "--serv", "1"), "--serve"),
    (("-", "--robot", "planar_3r", "--serve", "127.0.0.1:99999"), "127.0.0.1:8080"),
    (("-", "--robot", "planar_3r", "--keep", "10GB"), "--record"),
    (("-", "--robot", "planar_3r", "--record", "r", "--keep", "10QB"), "QB"),
    (("-", "--robot", "planar_3r", "--publish", "upd://1"), "udp"),
    (("-", "--robot", "planar_3r", "--set", "live.hold_of=1"), "hold_off"),
    (("-", "--robot", "planar_3r", "--seconds", "-1"), "--seconds"),
    (("-", "--robot", "planar_3r", "--speed", "nan"), "--speed"),
    (("-", "--robot", "planar_3r", "--json", "--publish", "-"), "udp://"),
    (("-",), "--robot"),
])
def test_what_is_wrong_is_one_line(arguments, words, tmp_path):
    line = refused("watch", *arguments, cwd=tmp_path, seconds=20)
    assert words in line, line
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        line = refused("watch", "-", "--robot", "planar_3r", "--serve", f"127.0.0.1:{taken.getsockname()[1]}", cwd=tmp_path, seconds=20)
    assert "in use" in line, line


def test_nobody_sends_is_said_after_two_seconds():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = watch(f"udp://127.0.0.1:{port}", "--robot", "planar_3r", "--seconds", "3")
    assert f"nothing has come from udp://127.0.0.1:{port} for 2 s" in done.stderr, done.stderr
    assert done.returncode == 2 and "not one sample came" in done.stderr.splitlines()[-1], "a watch that saw nothing is not fine"


@pytest.mark.parametrize(("lines", "words"), [
    ("time,qpos_0,qpos_1,qpos_2,tau_0,tau_1,tau_2\n", "without a sample"),
    ("x" * 200_000 + "\n", "more than 64 KiB"),
    ("\n \n", "without a line"),
    # Microseconds under a name of seconds: each message is 2000 s after the one before, and no three of them agree.
    ("\n".join(sample(i, time=2000.0 * i) for i in range(300)) + "\n", "out of order by their time stamps"),
])
def test_a_stream_of_which_nothing_can_be_used_is_not_fine(lines, words):
    done = watch("-", "--robot", "planar_3r", lines=lines)
    assert done.returncode == 2 and words in done.stderr.splitlines()[-1] and done.stdout == "", done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_silent_standard_input_is_said_and_can_be_ended(number):
    process = subprocess.Popen([os.environ["ANTAEUS_CLI"], "watch", "-", "--robot", "planar_3r"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        assert "nothing has come from - for 2 s" in process.stderr.readline()
        process.send_signal(number)
        assert process.wait(timeout=patience(10)) == 2
    finally:
        process.kill()
        process.communicate()


def test_messages_that_come_late_are_an_event():
    """The sender stands still for 0.3 s, and its stamps with it: from there on all is later than it was, and published as refused."""
    class Hiccup:
        format = "json"

        def run(self, push, stop):
            for i in range(600):
                push(sample(i).encode(), 0.002 * i + (0.3 if i >= 300 else 0.0), 0)
                stop.wait(0.001)

    from antaeus.live import Watch

    seen = Watch(Hiccup(), "planar_3r").run()
    assert seen.facts["late"] == 300
    late = [event.words for event in seen.events if "later than the fastest" in event.words]
    assert len(late) == 1 and late[0].startswith("messages come up to 0.30 s later"), seen.events


def test_what_a_sink_drops_is_said():
    class Full:
        encoding, dropped = "json", 0

        def send(self, topic, payload):
            self.dropped += topic == "wrench"

    class Short:
        format, ends = "json", True

        def run(self, push, stop):
            for i in range(50):
                push(sample(i).encode(), 0.002 * i, 0)

    from antaeus.live import Watch

    assert Watch(Short(), "planar_3r", sinks=(Full(),)).run().notes == ["50 messages could not go out at once by Full, and were dropped"]


def test_a_viewer_that_cannot_be_opened_is_one_line(tmp_path):
    needs.package("foxglove")
    line = refused("watch", "-", "--robot", "planar_3r", "--publish", "foxglove://127.0.0.1:abc", cwd=tmp_path, seconds=20)
    assert "with a port from 1 to 65535" in line


def test_rerun_is_given_a_file_by_its_address(tmp_path):
    """And nothing listens at a port: rerun's own viewer would, at every address of the machine."""
    needs.package("rerun")
    assert "name an .rrd" in refused("watch", "-", "--robot", "planar_3r", "--publish", "rerun:///nowhere/live.rrd", cwd=tmp_path, seconds=20)
    done = watch("-", "--robot", "planar_3r", "--publish", f"rerun://{tmp_path}/live.rrd", lines="\n".join(sample(i) for i in range(20)) + "\n")
    assert done.returncode in (0, 1) and "istening" not in done.stderr, done.stderr
    assert (tmp_path / "live.rrd").stat().st_size > 1000


def test_what_does_not_fit_while_it_runs_is_no_end():
    """A stranger's bytes in between are counted; NaN is refused by the guard, not by the stream."""
    lines = "\n".join(sample(i) if i % 7 else "\x01\x02" for i in range(100)) + "\n" + sample(100, tau=[None, 0, 0]) + "\n"
    seen = json.loads(watch("-", "--robot", "planar_3r", "--json", lines=sample(0) + "\n" + lines).stdout)
    assert seen["facts"]["undecodable"] == 15 and seen["facts"]["samples"] == 87
    assert [event["kind"] for event in seen["events"]][-1] == "refused"


def test_a_page_a_simulation_and_the_end_by_a_signal():
    process = subprocess.Popen([os.environ["ANTAEUS_CLI"], "watch", "sim://planar_3r", "--robot", "planar_3r", "--serve", "127.0.0.1:0", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        url = next(line.split("page: ")[1].strip() for line in process.stderr if line.startswith("page: "))
        host, port = url.split("//")[1].split("/")[0].split(":")
        assert host == "127.0.0.1" and "token=" in url
        socket.create_connection((host, int(port)), timeout=120).close()
        process.terminate()
        out, _ = process.communicate(timeout=patience(20))
    finally:
        process.kill()
    assert json.loads(out)["url"] == url and process.returncode in (0, 1)


def test_a_source_and_a_sink_of_ones_own():
    class Ramp:
        format = "json"
        ends = True

        def run(self, push, stop):
            for i in range(300):
                push(sample(i).encode(), 0.002 * i, 0)

    class Heard:
        encoding = "json"

        def __init__(self):
            self.payloads = []

        def send(self, topic, payload):
            self.payloads.append((topic, payload))

    from antaeus.live import Watch

    heard = Heard()
    watching = Watch(Ramp(), "planar_3r", sinks=(heard,))
    watching.mark("begin\n<b>")
    seen = watching.run()
    assert seen.samples == 300 and seen.time_base == "sender's stamps"
    assert sum(topic == "wrench" for topic, _ in heard.payloads) == 300
    assert [event.words for event in seen.events if event.kind == "mark"] == ["mark: begin <b>"]
    assert np.isclose(seen.seconds, 0.598)


def test_the_time_base_follows_from_the_stream_and_notes_go_to_stderr():
    """Events are results; how the stream is read is a diagnostic, and so is a silent stream."""
    bare = [json.dumps({name: value for name, value in json.loads(sample(i)).items() if name != "time"}) for i in range(20)]
    alarm = [sample(i, tau=[0.0, 90.0, 0.0]) for i in range(200, 400)]
    done = watch("-", "--robot", "planar_3r", lines="\n".join(bare) + "\n")
    assert "time is the receiver's clock" in done.stdout.splitlines()[0], done.stdout
    assert any(line.startswith("note: no time stamps") for line in done.stderr.splitlines()), done.stderr
    assert not any(line.startswith("note: no time stamps") for line in done.stdout.splitlines())
    done = watch("-", "--robot", "planar_3r", lines="\n".join([sample(i) for i in range(200)] + alarm) + "\n")
    assert "time is the sender's stamps" in done.stdout and "no time stamps" not in done.stderr, done.stdout
    assert any(" s  " in line for line in done.stdout.splitlines()) and not any(" s  " in line for line in done.stderr.splitlines())


def test_a_listener_that_goes_away_ends_nothing():
    """Neither one at tcp://, in whatever way it closes, nor the reader of standard output."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([os.environ["ANTAEUS_CLI"], "watch", "-", "--robot", "planar_3r", "--publish", f"tcp://{port}", "--publish", "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    sent = 0

    def send(count):
        nonlocal sent
        for _ in range(count):
            process.stdin.write(sample(sent) + "\n")
            process.stdin.flush()
            sent += 1

    def hears(listener):
        send(5)
        return select.select([listener], [], [], 0.01)[0]

    try:
        send(50)
        process.stdout.readline()
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=120) as listener:
                until(lambda: hears(listener))
                assert listener.recv(100)
            send(100)
        process.stdout.close()
        send(100)
        process.stdin.close()
        said = process.stderr.read()
        assert process.wait(timeout=patience(20)) in (0, 1), said
        assert f"{sent} samples" in said
    finally:
        process.kill()


def test_a_sink_that_is_too_slow_is_given_new_samples():
    """Ten times slower than the stream, which goes on while the sink is busy: what it gets is never older than a tenth of a second and
    what one message takes."""
    goes_on = threading.Semaphore(100)  # samples that may come

    class Stream:
        format = "json"

        def run(self, push, stop):
            for i in range(1500):
                goes_on.acquire()
                push(sample(i, time=0.001 * i).encode(), 100.0 + 0.001 * i, 0)
            slow.ends = True

    class Slow:
        encoding = "json"

        def __init__(self):
            self.behind, self.ends = [], False

        def send(self, topic, payload):
            count = watching.estimator.count()
            if topic == "wrench":
                self.behind.append(count - 1 - json.loads(payload)["index"])
            goes_on.release(10)
            until(lambda: self.ends or watching.estimator.count() >= min(count + 10, 1500))

    from antaeus.live import Watch

    slow = Slow()
    watching = Watch(Stream(), "planar_3r", sinks=(slow,))
    seen = watching.run()
    assert seen.samples == 1500 and len(slow.behind) > 20
    # The last message of a turn of 16 waits for 160 samples, and 50 may have waited before it.
    assert np.median(slow.behind[len(slow.behind) // 2:]) < 300, slow.behind
    assert any("were not published" in note for note in seen.notes), seen.notes
