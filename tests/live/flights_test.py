"""Flight records: what they hold, that an audit opens them and gives what was said, and what their names may be."""

import json
import os
import pathlib
import subprocess
import sys

import antaeus
import numpy as np
import pytest
from live_blocks import Live, Stream, event, moving_log
from recording_test import HAND, PUSH, READY, differing, record

from antaeus.live import flights
from antaeus.live.flights import safe_name
from antaeus.live.said import read_said

RATE = 200


@pytest.fixture(autouse=True)
def as_others(monkeypatch):
    """Beside busy processes one that is nice gets a tenth of its turns: these tests would take minutes."""
    monkeypatch.setattr(flights, "_NICE", 0)


@pytest.fixture(scope="module")
def robot():
    return antaeus.load_robot("panda")


@pytest.fixture(scope="module")
def live(robot):
    """A minute and a half; pushed after a minute."""
    return Live(robot, HAND, moving_log(robot, READY, RATE, 75, push=(60, 61, PUSH)))


@pytest.fixture(scope="module")
def brief(robot):
    return Live(robot, HAND, moving_log(robot, READY, RATE, 40))


@pytest.fixture
def few_seconds(monkeypatch):
    """Six seconds before and two after: records that cost less."""
    monkeypatch.setattr(flights, "BEFORE", 6.0)
    monkeypatch.setattr(flights, "AFTER", 2.0)


def at(live, seconds, kind="alarm", endpoint=HAND[0]):
    return event(kind, int(seconds * RATE), float(live.rows["time"][int(seconds * RATE)]), endpoint)


def flown(folder, robot, live, events, **how):
    """Flight records, in the order of their moment, and the lines that were printed meanwhile."""
    lines = []
    record(folder, robot, live, live.blocks(5), lines=lines, events=events, **how)

    def moment(flight):
        return json.loads((flight / "why.json").read_text())["moment"]

    return sorted(folder.glob("flight_*"), key=moment), lines


def test_half_a_minute_before_and_ten_seconds_after(robot, live, tmp_path):
    (flight,), lines = flown(tmp_path / "rec", robot, live, [at(live, 60.1)])
    assert not lines
    assert flight.name.startswith("flight_20") and flight.name.endswith("_alarm_panda_hand")
    why = json.loads((flight / "why.json").read_text())
    time = np.load(flight / "episode" / "time.npy")
    assert time[0] <= 60.1 - flights.BEFORE - why["leads_in"] and time[-1] == pytest.approx(60.1 + flights.AFTER, abs=0.0051)
    assert why["settings"] == {} and why["audit"].startswith("antaeus audit episode --robot panda")
    assert why["events"][0]["kind"] == "alarm" and why["moment"] == pytest.approx(60.1) and not why["ends_early"]
    # Cut in the middle of a stream: filters begin cold, and are the live ones well before what the record is for.
    assert time[0] < why["same_from"] <= 60.1 - flights.BEFORE
    late = differing(flight / "episode", tmp_path / "out")
    assert len(late) and time[late.max() + 1] == why["same_from"]
    assert "refused" in set(read_said(flight / "episode")["guard_state"])


def test_the_mcap_is_the_episode(robot, brief, tmp_path, few_seconds):
    (flight,), _ = flown(tmp_path / "rec", robot, brief, [at(brief, 35.0)])
    ours, theirs = antaeus.load_episode(flight / "episode", robot), antaeus.load_episode(flight / "flight.mcap", robot)
    for name in ("q", "v", "tau", "imu_quaternion", "imu_angular_velocity", "imu_specific_force"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    nanosecond = 1e-9
    np.testing.assert_allclose(ours.time - ours.time[0], theirs.time, rtol=0, atol=nanosecond)
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", flight / "flight.mcap", "--robot", "panda", "--out", tmp_path / "out"],
                          capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "ANTAEUS_PYTHON": sys.executable})
    assert done.returncode in (0, 1), done.stderr
    topics = antaeus.convert(str(flight / "flight.mcap"), str(tmp_path / "made")).unmapped
    assert any("/antaeus/panda_hand/wrench" in topic for topic in topics)


def test_those_that_come_before_the_end_are_joined(robot, brief, tmp_path, few_seconds):
    events = [at(brief, 4), at(brief, 5.5, "stop"), at(brief, 6, "recovered"), at(brief, 39, "mark", endpoint="")]
    made, lines = flown(tmp_path / "rec", robot, brief, events)
    assert not lines
    whys = [json.loads((flight / "why.json").read_text()) for flight in made]
    assert [[one["kind"] for one in why["events"]] for why in whys] == [["alarm", "stop"], ["mark"]]
    assert whys[0]["begin"] == 0.0 and whys[0]["begins_with_the_stream"]
    assert whys[0]["same_from"] == 0.0, "it begins where the estimator began"
    assert whys[0]["end"] == pytest.approx(7.5, abs=0.0051)
    assert made[1].name.endswith("_mark") and whys[1]["ends_early"], "watch ended before two seconds were over"


def test_one_that_goes_on_is_cut(robot, brief, tmp_path, few_seconds, monkeypatch):
    monkeypatch.setattr(flights, "LONGEST", 10.0)
    made, _ = flown(tmp_path / "rec", robot, brief, [at(brief, second) for second in (27, 28, 29, 30, 31, 32)])
    whys = [json.loads((flight / "why.json").read_text()) for flight in made]
    assert [[event["time"] for event in why["events"]] for why in whys] == [[27, 28, 29], [30, 31, 32]]
    assert all(why["end"] - (why["moment"] - flights.BEFORE) <= 10.01 for why in whys)


def test_an_epoch_ends_and_begins_a_record(robot, tmp_path, few_seconds):
    log = moving_log(robot, READY, RATE, 12)
    log["time"][1200:] += 100.0
    two = Live(robot, HAND, log, epochs=np.repeat([0, 1], 1200))
    made, lines = flown(tmp_path / "rec", robot, two, [event("refused", 1000, 5.0), event("alarm", 1400, 107.0)])
    whys = [json.loads((flight / "why.json").read_text()) for flight in made]
    assert [(why["begin"], why["end"]) for why in whys] == [(0.0, pytest.approx(5.995)), (106.0, pytest.approx(109.0, abs=0.0051))]
    assert [why["same_from"] for why in whys] == [0.0, 106.0]
    assert not lines


def test_a_record_across_parts(robot, brief, tmp_path, few_seconds):
    (flight,), _ = flown(tmp_path / "rec", robot, brief, [at(brief, 36.0)], part_seconds=8.0)
    time = np.load(flight / "episode" / "time.npy")
    np.testing.assert_allclose(np.diff(time), 1 / RATE, rtol=0, atol=1e-9)  # no sample twice, none missing; 1e-9: rounding of a stamp
    assert time[-1] == pytest.approx(38.0, abs=0.0051)
    assert json.loads((flight / "why.json").read_text())["same_from"] < 36.0 - flights.BEFORE


def test_more_than_many_an_hour_are_left_out_and_said(robot, brief, tmp_path, few_seconds, monkeypatch):
    monkeypatch.setattr(flights, "MOST_AN_HOUR", 1)
    made, lines = flown(tmp_path / "rec", robot, brief, [at(brief, 1), at(brief, 20), at(brief, 30)])
    assert len(made) == 1
    assert len(lines) == 1 and "1 flight records within an hour" in lines[0]


def test_what_cannot_be_written_is_one_line(robot, brief, tmp_path, monkeypatch):
    monkeypatch.setattr(flights.sys, "executable", "/bin/false")
    made, lines = flown(tmp_path / "rec", robot, brief, [at(brief, 20)])
    assert not made and len(lines) == 1 and "no flight flight_" in lines[0]
    assert not list((tmp_path / "rec").glob(".antaeus-*"))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", ".hidden", "a/b", "a\0b", "x" * 500, "", "läuft",
                                  "a b;c$(d)", "\n"])
def test_names_stay_in_the_folder(name):
    safe = safe_name(name)
    assert safe and len(safe) <= 48 and pathlib.PurePath(safe).name == safe and not safe.startswith(".")
    assert all(letter.isalnum() and letter.isascii() or letter in "_.-" for letter in safe)


def test_a_name_that_would_leave_the_folder(robot, tmp_path):
    live = Stream(robot, HAND, moving_log(robot, READY, RATE, 3))
    made, _ = flown(tmp_path / "rec", robot, live, [event("mark", 100, 1.0, "../../../out")])
    assert [flight.parent for flight in made] == [tmp_path / "rec"]
    assert {place.name for place in tmp_path.iterdir()} == {"rec"}
