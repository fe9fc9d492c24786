"""antaeus space: its files and exit codes, its momentum against the samples, its refusals."""

import json
import math
import re

import numpy as np
import pyarrow.parquet
import pytest
from command_line import ROOT, prose, refused, run, text

FILES = ["report.html", "samples.csv", "samples.parquet", "summary.json"]
SCENARIOS = ["pose-change", "tracking", "inspection", "tumble", "singular", "posture"]
METRICS = ["base_force_max", "com_error", "base_error", "position_error", "rotation_error", "momentum_drift", "sigma_min", "tier_share"]
ALONE = ("--set", "experiment.comparisons=false")


@pytest.fixture(scope="module")
def flight(tmp_path_factory):
    out = tmp_path_factory.mktemp("space") / "out"
    done = run("space", "tracking", *ALONE, "--set", "space.sample_rate=100", "--out", out, seconds=30)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    return out, text(done.stdout), json.loads((out / "summary.json").read_text())


def test_list():
    done = run("space")
    assert done.returncode == 0 and "inspection" in text(done.stdout)
    listed = json.loads(run("space", "--json").stdout)
    assert [one["name"] for one in listed["scenarios"]] == SCENARIOS and all(one["summary"] for one in listed["scenarios"])


def test_files_and_metrics(flight):
    out, told, summary = flight
    assert sorted(file.name for file in out.iterdir()) == FILES
    assert summary["schema"] == "antaeus.space.summary/1" and summary["scenario"] == "tracking"
    for name in METRICS:
        assert math.isfinite(summary["metrics"][name]), name
    assert "criteria are met" in told


def test_samples_say_what_the_metrics_say(flight):
    """Momentum out of the samples' positions alone: the centre of mass moves as m v_c says."""
    out, _, summary = flight
    table = pyarrow.parquet.read_table(out / "samples.parquet").to_pydict()
    time, com = np.array(table["time"]), np.array([table[f"com_{axis}"] for axis in "xyz"])
    momentum = np.array([table[f"momentum_linear_{axis}"] for axis in "xyz"])
    mass = 160.62986  # published figures: 150 kg of base, 10.63 kg of a UR3
    differences = (com[:, 2:] - com[:, :-2]) / (time[2:] - time[:-2])
    # Central differences over 20 ms of a passage of 20 s: h²/6 of its third derivative, 1e-6 m/s at most.
    assert np.abs(mass * differences - momentum[:, 1:-1]).max() < 1e-3
    assert np.abs(momentum).max() > 1.0
    base = np.array([table[f"base_q{part}"] for part in "xyzw"])
    assert np.abs(np.linalg.norm(base, axis=0) - 1.0).max() < 1e-12
    force = np.linalg.norm([table[f"f_base_{axis}"] for axis in "xyz"], axis=0)
    assert force.max() <= summary["metrics"]["base_force_max"] * (1 + 1e-9)
    assert force.max() > 0.98 * summary["metrics"]["base_force_max"]
    assert table["position_error"][-1] == pytest.approx(summary["metrics"]["position_error"], rel=1e-6, abs=1e-15)


def test_repeats_and_tells_its_command(flight):
    _, _, summary = flight
    again = run(*summary["command"].split()[1:], "--json", seconds=30)
    assert again.returncode == 0 and json.loads(again.stdout)["metrics"] == summary["metrics"]


def test_every_option_of_the_source_is_taken_by_its_name():
    knobs = ["j_plus.hard_floor=0.004", "j_plus.soft_floor=0.03", "j_plus.damping=2e-4", "j_plus.inv_norm_max=900",
             "null_space.freeze_floor=0.01", "det.target_sigma=0.06", "q0_eps=0.001", "space.q0_eps=0.001", "gamma.low=0.02",
             "gamma.high=0.06", "gamma.floor=0.3", "space.gamma.low=0.02"]
    settings = [part for knob in knobs for part in ("--set", knob)]
    done = run("space", "pose-change", *ALONE, "--set", "space.duration=2", *settings, "--json", seconds=30)
    summary = json.loads(done.stdout)
    assert done.returncode in (0, 1) and float(summary["settings"]["j_plus.hard_floor"]) == 0.004
    assert float(summary["settings"]["space.q0_eps"]) == 0.001 and float(summary["settings"]["gamma.floor"]) == 0.3


def test_the_published_scheme_is_chosen_at_once_and_says_what_it_costs(tmp_path):
    """The hold is let go at once: J# jumps by 40, the criteria of a singular passage are missed, and the page says why."""
    out = tmp_path / "out"
    done = run("space", "singular", *ALONE, "--set", "space.compatibility=published", "--out", out, seconds=30)
    summary = json.loads((out / "summary.json").read_text())
    assert done.returncode == 1 and round(summary["metrics"]["inverse_step"]) == 40
    settings = summary["settings"]
    assert settings["flying.law"] == "tracker" and settings["null_space.freeze"] == "all"
    assert float(settings["j_plus.exit_step"]) == float(settings["null_space.exit_step"]) == 0.0
    assert any("does worse than the defaults" in remark for remark in summary["remarks"])
    assert "does worse than the defaults" in prose(done.stdout) + (out / "report.html").read_text()


def test_a_load_is_flown_and_told(tmp_path):
    out, load = tmp_path / "out", ("--payload", "ee_link=2.5,0,0,0.05")
    done = run("space", "pose-change", *ALONE, "--set", "space.duration=4", *load, "--out", out, seconds=30)
    summary = json.loads((out / "summary.json").read_text())
    assert done.returncode in (0, 1) and summary["payloads"][0]["frame"] == "ee_link"
    assert "163.1 kg" in summary["physics"][0] and "payload of 2.5 kg at ee_link" in summary["physics"][0]
    page = (out / "report.html").read_text("utf-8").replace("\u00a0", " ")
    assert "payload of 2.5 kg at ee_link" in page and "payload of 2.5 kg" in prose(done.stdout)
    assert " ".join(load) in summary["command"]
    again = run(*summary["command"].split()[1:], "--json", seconds=30)
    assert json.loads(again.stdout)["metrics"] == summary["metrics"]
    bare = json.loads(run("space", "pose-change", *ALONE, "--set", "space.duration=4", "--json", seconds=30).stdout)
    assert "payloads" not in bare and bare["metrics"] != summary["metrics"]


def test_a_missed_criterion_is_exit_code_1(tmp_path):
    done = run("space", "pose-change", *ALONE, "--set", "actuators.wheel_torque=0.01", "--out", tmp_path / "out", seconds=30)
    assert done.returncode == 1 and "MISSED" in text(done.stdout)
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == FILES


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pose-chang"], "pose-change"),
        (["posture", "--robot", "spacecraft_ur3"], "seven joints"),
        (["tumble", "--robot", "planar_3r"], "6 or 7"),
        (["tumble", "--robot", "ur5e"], "no mass"),
        (["tumble", "--robot", "nothing.xml"], "nothing.xml"),
        (["tumble", "--frame", "ee_lnk"], "ee_link"),
        (["tumble", "--plant", "mujcoo"], "mujoco"),
        (["tumble", "--payload", "ee_lnk=1"], "ee_link"),
        (["tumble", "--payload", "ee_link=-1"], "negative mass"),
        (["tumble", "--payload", "ee_link=1,2"], "FRAME=MASS"),
        (["tumble", "--seed", "-1"], "--seed"),
        (["tumble", "--set", "j_plus.hard_floor=0.05"], "floors"),
        (["tumble", "--set", "space.qo_eps=1"], "q0_eps"),
        (["tumble", "--set", "gamma.low=0.05"], "gamma"),
        (["tumble", "--set", "space.compatibility=publishd"], "published"),
        (["tumble", "--set", "space.compatibility=published", "--set", "flying.law=carried"], "tracker and regulator"),
        (["tumble", "--set", "space.compatibility=published", "--set", "j_plus.exit_step=0.5"], "lets go at once"),
        (["tumble", "--set", "null_space.freeze=direction", "--set", "space.compatibility=published"], "freezes all"),
    ],
)
def test_refusals(tmp_path, arguments, words):
    assert words in refused("space", *arguments, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_is_in_the_docs(name):
    page = (ROOT / "docs/concepts/space.md").read_text("utf-8")
    assert re.search(rf"^\| `{name}` \|", page, re.M)
