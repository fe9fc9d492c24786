"""Decisions of commands rest on codes and values of notes: exit codes and their reasons, and where each line is printed."""

import json

import needs
import numpy as np
import pytest
from command_line import prose, run, text

UNUSABLE = "1 steps hold NaN, infinity or no unit quaternion (first: step 7); they keep their index, verdict invalid_input"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Commands without --out write into the working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hurt(small):
    """A log with one step that cannot be used, and other notes around that one: repeated stamps, a static residual."""
    tau, time = np.load(small / "tau.npy"), np.load(small / "time.npy")
    tau[7, 1] = np.nan
    time[3] = time[2]
    np.save(small / "tau.npy", tau)
    np.save(small / "time.npy", time)
    return small


@pytest.mark.parametrize("command", ["audit", "estimate"])
def test_an_unusable_step_is_the_reason_on_stderr(hurt, command):
    done = run(command, hurt, "--robot", "planar_3r", seconds=20)
    assert text(done.stderr).splitlines() == [f"antaeus: small: {UNUSABLE}"]


def test_an_unusable_step_of_a_baseline_is_named_with_its_log(small, tmp_path):
    good = tmp_path / "good"
    good.mkdir()
    for file in small.iterdir():
        np.save(good / file.name, np.load(file))
    tau = np.load(good / "tau.npy")
    tau[7, 0] = np.inf
    np.save(good / "tau.npy", tau)
    done = run("audit", small, "--robot", "planar_3r", "--baseline", good, seconds=20)
    assert text(done.stderr).splitlines() == [f"antaeus: good: {UNUSABLE}"]


def test_too_large_numbers_are_the_reason_before_other_invalid_steps(hurt):
    """The note on overflow is the last word on a log that has both."""
    tau = np.load(hurt / "tau.npy")
    tau[4] *= 1e200
    np.save(hurt / "tau.npy", tau)
    for command in ("audit", "estimate"):
        line = text(run(command, hurt, "--robot", "planar_3r", seconds=20).stderr)
        assert line.startswith("antaeus: small: 1 steps hold numbers too large") and "first: step 4" in line, line


def test_estimate_in_python_notes_the_same_step(hurt):
    antaeus = needs.package("antaeus")
    table = antaeus.estimate(str(hurt), "planar_3r")
    assert [note for note in table.notes if "verdict invalid_input" in note] == [UNUSABLE]
    clean = antaeus.Episode.from_arrays(q=np.zeros((4, 3)), tau=np.zeros((4, 3)), robot=antaeus.load_robot("planar_3r"))
    assert not any("invalid_input" in note for note in antaeus.estimate(clean, "planar_3r").notes)


def test_a_clock_that_goes_back_and_one_that_is_no_number_are_two_faults(small, tmp_path):
    """The same without a robot."""
    time = np.arange(20) * 0.02
    for bad, fault in ((-1.0, "time_back"), (np.nan, "not_numbers")):
        time[9] = bad
        np.save(small / "time.npy", time)
        found = json.loads(run("check", small, "--json", seconds=20).stdout)["findings"]
        assert [one["fault"] for one in found if one["channel"] == "time"] == [fault]


def test_the_verdict_names_where_a_limit_comes_from_without_the_rest(twins, tmp_path):
    """Who set it, or what it follows from; not the reasons for the default value."""
    for i, (more, source) in enumerate([(["--set", "consumer_guard.force_limit=33"], "set: --set"),
                                        ([], "2 × 30 N of the profile's rated_load, 3.06 kg")]):
        done = run("audit", twins / "twin_pushes", "-r", "h1_2", "-o", tmp_path / str(i), *more, seconds=30)
        assert f"(consumer_guard.force_limit: {source})." in prose(done.stdout)


REFERENCE = ("\x0e", "\x0f", "\x1f", "\\x0e", "\\x0f", "\\u000e", "\\u000f")


def test_no_reference_to_an_input_is_left_unspelled(small, twins, tmp_path):
    """In what is printed and in every file: flags on the terminal and on pages, names of fields in JSON."""
    urdf = tmp_path / "arm.urdf"
    urdf.write_text('<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/>'
                    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="revolute">'
                    '<parent link="base"/><child link="tip"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="2"/></joint></robot>')
    wrong = tmp_path / "wrong"
    assert run("inject", twins / "twin_good", "-o", wrong, "-r", "h1_2", "--fault", "velocity_sign", seconds=30).returncode == 0
    calls = [
        ("check", wrong, "-r", "h1_2", "-o", tmp_path / "check"), ("check", small, "-o", tmp_path / "bare"), ("check", small, "--json"),
        ("audit", small, "-r", "planar_3r", "-o", tmp_path / "audit"), ("audit", small, "-r", "planar_3r", "--json"),
        ("estimate", small, "-r", "planar_3r", "--json"), ("estimate", small, "-r", "h1_2"), ("estimate", small, "-r", "planar_3r", "-e", "nowhere"),
        ("estimate", twins / "twin_good", "-r", "h1_2", "-e", "left foot"), ("estimate", small, "-r", "planar_3r", "--smooth", "0"),
        ("robot", urdf, "--write", tmp_path / "profile.toml"), ("robot", urdf, "--json"), ("robot", urdf, "-o", tmp_path / "robot"),
        ("identify", small, "-r", "planar_3r", "-o", tmp_path / "identify"), ("show", small, "-r", "planar_3r", "-o", tmp_path / "show"),
        ("audit", small, "-r", "unknown"), ("preflight", "-r", urdf), ("advise", "-r", urdf), ("map", "-r", urdf, "--joint", "j", "--joint", "j"),
    ]
    for call in calls:
        done = run(*call, seconds=30)
        for stream in (text(done.stdout), text(done.stderr)):
            assert [mark for mark in REFERENCE if mark in stream] == [], (call, stream)
    files = [file for folder in ("check", "audit", "robot", "identify", "show", "profile.toml") for file in
             ([tmp_path / folder] if (tmp_path / folder).is_file() else (tmp_path / folder).rglob("*")) if file.suffix in (".json", ".html", ".csv", ".toml")]
    assert len(files) > 6
    for file in files:
        shown = file.read_text(encoding="utf-8")
        assert [mark for mark in REFERENCE if mark in shown] == [], file
    assert "(--fix writes channels.velocity_scale)" in (tmp_path / "check/report.html").read_text(encoding="utf-8")
    assert "(fix writes channels.velocity_scale)" in (tmp_path / "check/summary.json").read_text(encoding="utf-8")


def test_summaries_carry_codes_and_values(hurt):
    summary = json.loads(run("audit", hurt, "--robot", "planar_3r", "--json", seconds=20).stdout)
    details = summary["audited"]["note_details"]
    assert [one["text"] for one in details] == summary["audited"]["notes"]
    found = next(one for one in details if one["code"] == "invalid_steps")
    assert (found["severity"], found["values"], found["text"]) == ("warning", [1, 7], UNUSABLE)
    details = json.loads(run("estimate", hurt, "--robot", "planar_3r", "--json", seconds=20).stdout)
    assert [one["text"] for one in details["note_details"]] == details["notes"]
