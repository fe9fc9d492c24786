"""antaeus tour: six runs, one page whose links lead somewhere, sentences that hold the runs' own figures, refusals."""

import csv
import json
import os
import re
import signal
import subprocess

import needs
import pytest
from command_line import patience, refused, run
from waiting import until

STOPS = ["audit", "walking", "reach", "press", "flight", "incident"]
SECONDS = 60  # what the tour may take on two cores (it takes about 20): a simulated experiment is most of it


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    out = tmp_path_factory.mktemp("tour") / "out"
    done = run("tour", "--out", out, "--json", seconds=SECONDS)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert done.stdout == (out / "summary.json").read_bytes()
    return out, json.loads(done.stdout)


def test_six_entries_and_every_link_exists(tour):
    out, _ = tour
    page = (out / "index.html").read_text("utf-8")
    assert re.findall(r'<article id="([a-z]+)"', page) == STOPS
    assert page.count("<svg") == len(STOPS) and "Exit code" not in page
    links = re.findall(r'href="([^"#]+)"', page)
    assert len(links) >= 3 * len(STOPS) and all((out / link).is_file() for link in links)
    assert not [entry.name for entry in out.parent.iterdir() if entry.name.startswith(".antaeus")]


def test_the_sentences_are_the_runs_figures(tour):
    out, summary = tour
    assert summary["metrics"] == {"stops": 6, "as_expected": 6}
    told = {stop["name"]: " ".join(stop["sentences"]) for stop in summary["stops"]}
    assert all(len(stop["sentences"]) == 3 for stop in summary["stops"])
    read = {name: json.loads((out / name / "summary.json").read_text()) for name in STOPS}
    assert read["audit"]["verdict"][0]["text"] in told["audit"]
    assert f"{read['walking']['contacts'][0]['largest_vertical_N']:.3g} N" in told["walking"]
    assert read["reach"]["failures"][0]["reason"] in told["reach"]
    for method in ("pinv", "dls"):
        steps = [float(row["step"]) for row in csv.DictReader((out / "reach" / "trace.csv").open())
                 if (row["method"], row["target"]) == (method, "2") and row["step"]]
        thrash = sum(steps[-10:]) / 10
        assert thrash > 0.01 and f"{thrash:.3g} rad" in told["reach"], (method, thrash)
    assert f"{read['press']['metrics']['landing_peak']:.3g} N" in told["press"]
    assert read["flight"]["findings"][0] in told["flight"] and read["incident"]["findings"][0] in told["incident"]


@needs.PROC
def test_interrupted_it_leaves_nothing(tmp_path):
    program = subprocess.Popen([os.environ["ANTAEUS_CLI"], "tour", "--out", tmp_path / "out"])
    until(lambda: list(tmp_path.iterdir()))  # its hidden folder
    program.send_signal(signal.SIGTERM)
    assert program.wait(patience(10)) == -signal.SIGTERM and list(tmp_path.iterdir()) == []


def test_refusals(tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "is a file" in refused("tour", "--out", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    assert "does not exist" in refused("tour", "--out", tmp_path / "none" / "out")
