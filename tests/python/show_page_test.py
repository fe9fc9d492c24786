"""A log as a page through the package: the bytes of the command line, and what is refused."""

import os
import subprocess

import antaeus
import numpy as np
import pytest


@pytest.fixture
def log(tmp_path):
    """Of a robot that nobody knows: five joints."""
    folder = tmp_path / "five"
    folder.mkdir()
    numbers = np.random.default_rng(3)
    for name in ("tau", "qpos"):
        np.save(folder / f"{name}.npy", numbers.normal(size=(30, 5)))
    return folder


def command_line(log, out, *more):
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "show", log.name, *more, "--out", out], cwd=log.parent,
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return out


def test_the_page_is_the_command_lines(log, tmp_path):
    page = antaeus.show(log)
    assert page.title == "five" and repr(page) == "Page(five)"
    page.save(tmp_path / "page.html")
    page.save(tmp_path / "page.json")
    out = command_line(log, tmp_path / "out")
    assert (tmp_path / "page.html").read_bytes() == (out / "report.html").read_bytes()
    assert (tmp_path / "page.json").read_bytes() == (out / "summary.json").read_bytes()
    assert page.summary["metrics"]["joints"] == 5


def test_an_episode_in_memory(robot, tmp_path):
    episode = antaeus.make_twin(robot, "good").episode
    page = antaeus.show(episode, robot)
    del episode  # the page keeps what its views read
    page.save(tmp_path / "twin.html")
    assert "antaeus.views/1" in (tmp_path / "twin.html").read_text()
    assert page.summary["robot_fits"] and page.summary["joints"][0]["name"] == robot.profile.motor_labels[0]
    planar = antaeus.show(antaeus.make_twin(robot, "good").episode, "planar_3r").summary
    assert not planar["robot_fits"] and planar["joints"][0]["name"] == "joint 0"
    assert antaeus.show(antaeus.make_twin(robot, "good").episode).summary["robot"] is None


def test_what_is_refused(log, tmp_path):
    with pytest.raises(antaeus.EpisodeError, match=r"no such episode; did you mean 'five'\?$"):
        antaeus.show(tmp_path / "fiv")
    with pytest.raises(antaeus.ModelError, match="did you mean 'planar_3r'"):
        antaeus.show(log, "planar_3")
    page = antaeus.show(log, "planar_3r")
    with pytest.raises(antaeus.OptionsError, match="says no format"):
        page.save(tmp_path / "page.txt")
    with pytest.raises(antaeus.OptionsError, match="is a folder"):
        page.save(tmp_path)
    with pytest.raises(TypeError):
        antaeus.show(3)
