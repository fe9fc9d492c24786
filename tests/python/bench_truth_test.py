"""`make bench-truth` by a sample: its plants agree with the estimator where nothing differs, its judge calls a lie what is
one, a run that was killed goes on, and every mistake in a scenario file is one line."""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

import antaeus
import numpy as np
import pyarrow.parquet as pq
import pytest
from support import ROOT, tolerance

sys.path.insert(0, str(ROOT / "benchmarks/truth"))
import judge
import one
import plant
import robots
import run
import scenarios
import table

FILE = ROOT / "benchmarks/truth/scenarios.toml"
SMALL = """
[[scenario]]
name = "pushed"
duration_s = 3.5
[[scenario.push]]
force_N = 20.0

[[scenario]]
name = "shifted"
pose = "random"
duration_s = 2.5
[[scenario.offset]]
joint = "limb:0.5"
detectable = 0.5
"""


@pytest.fixture(scope="module")
def read():
    return scenarios.read(FILE)


@pytest.fixture(scope="module")
def subject_of(read, tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiles")

    def load(name):
        path = robots.file_of(name, read["robots"], folder)
        return robots.load(robots.short(name), path, read["robots"].get(name, {}))

    return load


def scenario(read, name, **changes):
    return {**next(one for one in read["scenarios"] if one["name"] == name), **changes}


def without_errors(scenario):
    kept = ("stribeck_speed_rad_s", "friction_drift_s", "walk_s", "inertia_armature_scale", "loop_hz", "loop_damping",
            "flexible_damping", "coulomb_random")  # fmt: skip
    errors = {name: value if name in kept else 0.0 for name, value in scenario["plant"].items()}
    return {**scenario, "plant": errors}


# ------------------------------------------------------------------------------------------------------ plant, truth


@pytest.mark.parametrize("name", ["h1_2", "panda"])
def test_an_exact_plant_is_what_the_estimator_says(read, subject_of, name):
    """Signs, frames and points of the truth are right: pushes beside the endpoint, swinging arms, noise nowhere."""
    subject = subject_of(name)
    subject.armature = np.array([figures.armature for figures in subject.robot.profile.figures])
    exact = without_errors(scenario(read, "swinging", duration_s=3.5))
    exact["push"] = scenario(read, "offset_push")["push"]
    recorder = judge.Recorder(subject)
    moments = []

    def see(observation):
        recorder(observation)
        sign = [1 if one.sign == "on_robot" else -1 for one in recorder.loop.estimates()]
        moments.append([s * np.array(one.wrench.torque) for s, one in zip(sign, recorder.loop.estimates(), strict=True)])

    happened = plant.run(subject, exact, 1, see)
    found = recorder.arrays()
    steady = judge.unchanged(happened.truth[..., :3], found["time"]) & (found["time"][:, None] > plant.SETTLED)
    pushed = np.linalg.norm(happened.truth[..., :3], axis=2) > judge.TOUCHED
    assert (steady & pushed).sum() > 200 and recorder.kind == "inverse_dynamics"
    error = found["force"] - happened.truth[..., :3]
    known, variance, axes = judge.eigen(found["covariance"])
    along = np.abs(np.einsum("nkij,nki->nkj", axes, error))[(steady & known)]
    well_known = variance[steady & known] < 4.0**2
    print(name, along[well_known].max())
    assert along[well_known].max() < tolerance("kBenchTruthExact")
    # The moment of a push 5 cm beside the endpoint: its lever times its force.
    lever = np.linalg.norm(happened.truth[..., 3:], axis=2)[pushed] / np.linalg.norm(happened.truth[..., :3], axis=2)[pushed]
    assert 0.01 < lever.max() < 0.05 + 1e-9
    # The estimate finds it there, shrunk by its prior: a moment at another point would be as far off as it is large.
    of_push = happened.truth[..., 3:][steady & pushed]
    assert np.sqrt(np.mean((np.array(moments)[steady & pushed] - of_push) ** 2)) < 0.5 * np.sqrt(np.mean(of_push**2))
    ok = steady & (found["state"] == judge.OK)
    assert ok.sum() > 200 and np.array_equal(found["read"][ok], found["force"][ok])


def test_a_robot_of_a_bare_description_hangs_and_is_fixed_where_it_must(read, subject_of, tmp_path):
    """Without a profile: that of `antaeus robot --write` counts."""
    urdf = tmp_path / "stranger.urdf"
    shutil.copy(antaeus.load_robot("ur5e").profile.model, urdf)
    subject = subject_of(str(urdf))
    assert subject.name == "stranger" and not subject.floats and len(subject.endpoints) == 1
    assert np.all(subject.coulomb > 0) and np.all(subject.armature > 0)
    recorder = judge.Recorder(subject)
    plant.run(subject, scenario(read, "push", duration_s=1.0, pose="near_singular"), 3, recorder)
    assert len(recorder.time) == 500


def test_seeds_draw_and_controllers_share_their_draws(read, subject_of):
    subject = subject_of("panda")

    def pushes(name, seed):
        samples = []
        short = scenario(read, name, duration_s=2.2, plant={**scenario(read, name)["plant"], "loop_hz": 4.0})
        happened = plant.run(subject, short, seed, lambda sample: samples.append(sample.tau))
        return np.array([push.force for push in happened.pushes]), np.array(samples)

    (force, tau), again, other, soft = (pushes(*of) for of in (("swinging", 1), ("swinging", 1), ("swinging", 3), ("loop_soft", 1)))
    assert np.array_equal(force, again[0]) and np.array_equal(tau, again[1])
    assert np.array_equal(force, soft[0]) and np.array_equal(tau, soft[1])
    assert abs(force - other[0]).max() > 1 and abs(tau - other[1]).max() > 0.1


def test_a_policy_runs_away_with_the_deployed_force_alone(read, subject_of):
    about, _ = one.run(scenario(read, "policy", duration_s=2.0), subject_of("h1_2"), 1)
    print(about["policy"])
    assert about["policy"]["deployed"]["diverged_s"] is not None and about["policy"]["guarded"]["diverged_s"] is None
    assert about["policy"]["guarded"]["largest_N"] < 20 < about["policy"]["deployed"]["largest_N"]


# -------------------------------------------------------------------------------------------------------------- judge


def made_up(shift, sd=1.0, state=judge.OK, n=500, push=20.0):
    """One endpoint whose estimate is off by a constant, pushed along z from the middle on."""
    truth = np.zeros((n, 1, 6))
    truth[n // 2 :, 0, 2] = push
    force = truth[..., :3] + np.array([shift, 0, 0])
    found = {"time": 0.002 * np.arange(n), "state": np.full((n, 1), state), "read": force, "force": force,
             "covariance": np.tile(sd**2 * np.eye(3), (n, 1, 1, 1)), "alarm": np.zeros((n, 1), bool)}  # fmt: skip
    pushes = [plant.Push(0, np.zeros(3), np.array([0, 0, push]), "step", 0.0, n * 0.001, n * 0.0019, 1.0, 0)]
    happened = plant.Happened(truth, truth[:, 0, 2] > 0, [], math.nan, pushes)
    return judge.figures(judge.sums(found, happened, 0.0, 0.002))


def test_what_is_a_lie():
    right = made_up(0.5)
    assert right["lies"] == 0 and right["coverage"] == 1 and right["ellipsoid"] == 1 and right["seen"] == 1
    assert right["rmse_N"] == pytest.approx(0.5 / math.sqrt(3)) and right["nees"] == pytest.approx(0.25)
    assert right["delay_ms"] == pytest.approx(0, abs=2.1) and right["auc"] == 1 and right["roc_true_10N"] == 1
    wrong = made_up(9.0)
    # The first free samples have no step before them: of steady forces are all but a tenth of a second.
    assert wrong["lies"] == 1 and wrong["largest_lie_N"] == pytest.approx(9) and wrong["steady_lies"] == 1
    assert wrong["phantom_max_N"] == pytest.approx(9) and wrong["bias_N"] == pytest.approx(9)
    assert made_up(9.0, state=judge.DEGRADED)["lies"] == 0  # it said so
    assert made_up(9.0, sd=15.0)["lies"] == 0 and math.isnan(made_up(9.0, sd=15.0)["ellipsoid"])  # nothing observed
    assert made_up(4.0)["lies"] == 0  # outside, and not 5 N off
    refused = made_up(9.0, state=judge.REFUSED)
    assert refused["refused"] == 1 and math.isnan(refused["rmse_N"]) and refused["false_alarms"] == 1


def test_rates_and_power():
    low, high = judge.poisson_bounds(0, 2.0)
    assert low == 0 and high == pytest.approx(3.689 / 2, abs=1e-3)  # the exact bound of no event
    low, high = judge.poisson_bounds(13, 1.0)
    assert (low, high) == (pytest.approx(6.92, abs=0.01), pytest.approx(22.23, abs=0.01))
    assert judge.power(1, 1) == pytest.approx(0.8, abs=0.01) and judge.power(0.5, 1) < 0.2 and judge.power(2, 1) > 0.8
    assert judge.listed([1.0], [2.0]) == "undetectable" and judge.listed([1.0, 3.0], [2.0, 2.0]) == "detectable"
    assert judge.listed([], []) == "–"


# ---------------------------------------------------------------------------------------------------------- the command


def call(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["run.py", "--jobs", "1", "--no-logs", *map(str, words)])
    return run.main()


@pytest.fixture
def small(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return file


def test_a_run_that_was_killed_goes_on(monkeypatch, capsys, small, tmp_path):
    out = tmp_path / "out"
    words = ["--scenarios", small, "--out", out, "--robots", "h1_2,panda", "--seeds", "1,2", "--json"]
    assert call(monkeypatch, *words) == 0
    said = capsys.readouterr()
    rows = {(row["scenario"], row["robot"]): row for row in json.loads(said.out)["rows"]}
    assert len(rows) == 4 and all(row["samples"] > 0 for row in rows.values())
    assert rows["pushed", "panda"]["pushes"] >= 2 and rows["shifted", "panda"]["listed"] == "undetectable"
    assert 0.4 < rows["shifted", "h1_2"]["offset_Nm"] / rows["shifted", "h1_2"]["detectable_Nm"] < 0.6
    stored = pq.read_table(out / "table.parquet").to_pylist()
    assert [row["lies"] for row in stored] == [row["lies"] for row in rows.values()]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "pushed" in page and "http" not in page.replace("http://www.w3.org", "")
    first = (out / "table.md").read_bytes()
    # Whole files count, one that is cut off is made again, and the table is the same to the byte.
    files = sorted((out / "cache").glob("*.npz"))
    assert len(files) == 8 and not list((out / "cache").glob(".*"))
    times = {file: file.stat().st_mtime_ns for file in files}
    files[0].write_bytes(files[0].read_bytes()[:1000])
    files[1].unlink()
    assert call(monkeypatch, *words) == 0
    again = capsys.readouterr().err
    assert "was there" in again
    changed = {file for file in files if file.stat().st_mtime_ns != times[file]}
    assert changed == set(files[:2])
    tail = b"minutes of CPU"
    assert (out / "table.md").read_bytes().split(tail)[0].rsplit(b";", 1)[0] == first.split(tail)[0].rsplit(b";", 1)[0]


def test_episodes_with_truth_are_logs(monkeypatch, small, tmp_path):
    out = tmp_path / "logs"
    assert call(monkeypatch, "--scenarios", small, "--out", tmp_path / "out", "--robots", "h1_2", "--seeds", "4",
                "--only", "pushed", "--export", out) == 0  # fmt: skip
    folder = out / "pushed-h1_2-4"
    said = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    truth = np.load(folder / "truth_wrench.npy")
    assert truth.shape == (1750, 2, 6) and said["sign"].startswith("on_robot") and said["endpoints"][0].startswith("left")
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", folder, "-r", said["robot"], "--json", "--set",
                           "posterior.sign=on_robot", "-o", tmp_path / "steps.parquet"], capture_output=True, text=True,
                          timeout=60, check=False)  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    audit = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", folder, "-r", said["robot"], "--out", tmp_path / "audit"],
                           capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert audit.returncode in (0, 1), audit.stderr
    # The log's own numbers, through the package: the truth is what its estimator finds of it.
    robot = antaeus.load_robot(said["robot"])
    loop = antaeus.GuardedEstimator(robot, said["endpoints"], posterior={"sign": "on_robot"})
    channel = {name: np.load(folder / f"{name}.npy") for name in
               ("time", "qpos", "dq", "tau", "imu_quat_xyzw", "imu_gyro", "imu_acc")}  # fmt: skip
    errors = []
    for i in range(len(truth)):
        loop.update(antaeus.Observation(
            time=channel["time"][i], q=channel["qpos"][i], v=channel["dq"][i], tau=channel["tau"][i], simulated=True,
            imu_quaternion_xyzw=channel["imu_quat_xyzw"][i], imu_angular_velocity=channel["imu_gyro"][i],
            imu_specific_force=channel["imu_acc"][i]))  # fmt: skip
        errors.append([e.wrench.force for e in loop.estimates()] - truth[i, :, :3])
    errors = np.array(errors)[750:]
    assert np.sqrt(np.mean(errors**2)) < 0.5 * np.sqrt(np.mean(truth[750:, :, :3] ** 2))


PUSH = '[[scenario.push]]\nforce_N = 5.0\n'
BAD = {
    "unknown robot": ('[[scenario]]\nname = "a"\nrobots = ["pandda"]\n', [], "scenario 'a', robots", "did you mean 'panda'?"),
    "link not there": (f'[[scenario]]\nname = "a"\nrobots = ["panda"]\n{PUSH}on = "panda_lnk5"\n', [],
                       "scenario 'a', push 1, on", "did you mean 'panda_link5'?"),
    "rate above the plant's": ('[[scenario]]\nname = "a"\nrate_hz = 4000.0\n', [], "scenario 'a', rate_hz", "give 2000 or less"),
    "rate between steps": ('[[scenario]]\nname = "a"\nrate_hz = 300.0\n', [], "scenario 'a', rate_hz", "the nearest is"),
    "a seed is no number": ('[[scenario]]\nname = "a"\nseeds = [1, "x"]\n', [], "scenario 'a', seeds", "'x' is no whole number"),
    "unknown key": ('[[scenario]]\nname = "a"\nplant.torque_delay = 0.1\n', [], "scenario 'a', plant",
                    "did you mean 'torque_delay_s'?"),
    "unknown key of a push": (f'[[scenario]]\nname = "a"\n{PUSH}force = 3\n', [], "push 1", "did you mean 'force_N'?"),
    "not finite": ('[[scenario]]\nname = "a"\nduration_s = nan\n', [], "duration_s", "no finite number"),
    "too many digits": (f'[[scenario]]\nname = "a"\nduration_s = {"9" * 400}\n', [], "duration_s", "no finite number"),
    "unknown pose": ('[[scenario]]\nname = "a"\npose = "redy"\nrobots = ["panda"]\n', [], "scenario 'a', pose", "'ready'"),
    "unknown joint": ('[[scenario]]\nname = "a"\n[[scenario.offset]]\njoint = "limb:2"\nNm = 1.0\n', [],
                      "offset 1, joint", "write limb:0.5"),
    "unknown motion": ('[[scenario]]\nname = "a"\nmotion = "swingin"\n', [], "motion", "did you mean 'swinging'?"),
    "cut off": ('[[scenario]]\nname = "a"\nduration_s = ', [], "line 3", "mend or complete it"),
    "not text": (b'[[scenario]]\nname = "\xff\xfe"\n', [], "line 2, byte 21", "save it as UTF-8"),
    "empty": ("", [], "no scenario", "[[scenario]]"),
    "the same name": ('[[scenario]]\nname = "a"\n[[scenario]]\nname = "a"\n', [], "scenario 'a'", "rename"),
    "push after the end": (f'[[scenario]]\nname = "a"\nduration_s = 2.0\n{PUSH}start_s = 3.0\n', [], "push 1, start_s", "give less"),
    "robot of the command line": ('[[scenario]]\nname = "a"\n', ["--robots", "ur5"], "--robots: unknown robot 'ur5'", "'ur5e'"),
    "no such file of a robot": ('[[scenario]]\nname = "a"\n', ["--robots", "my.urdf"], "--robots", "no such file"),
    "seed of the command line": ('[[scenario]]\nname = "a"\n', ["--seeds", "3,five"], "--seeds: the seed 'five'", "as 3,5"),
    "scenario of the command line": ('[[scenario]]\nname = "abc"\n', ["--only", "abd"], "--only", "did you mean 'abc'?"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line(monkeypatch, capsys, tmp_path, case):
    text, words, place, remedy = BAD[case]
    file = tmp_path / "mine.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    words = words if "--robots" in words else [*words, "--robots", "panda"]
    assert call(monkeypatch, "--scenarios", file, "--out", tmp_path / "out", "--export", tmp_path / "logs", *words) == 2
    said = capsys.readouterr()
    print(said.err)
    assert said.out == "" and said.err.count("\n") == 1 and said.err.startswith("bench-truth: ")
    assert place in said.err and remedy in said.err
    assert str(file) in said.err or "--" in said.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.toml"]


def test_a_file_that_is_not_there(monkeypatch, capsys, tmp_path):
    (tmp_path / "mine.toml").write_text("")
    assert call(monkeypatch, "--scenarios", tmp_path / "mien.toml", "--out", tmp_path / "out") == 2
    assert "did you mean 'mine.toml'?" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_one_line(small, tmp_path):
    (tmp_path / "taken").write_text("")
    done = subprocess.run([sys.executable, run.__file__, "--scenarios", small, "--out", tmp_path / "taken", "--robots", "panda",
                           "--only", "shifted", "--seeds", "1", "--no-logs", "--jobs", "1"], capture_output=True, text=True,
                          timeout=60, check=False)  # fmt: skip
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "taken" in done.stderr


def test_robots_of_others_that_are_absent_are_said(monkeypatch, capsys, small, tmp_path):
    monkeypatch.delenv(robots.EXAMPLES, raising=False)
    assert call(monkeypatch, "--scenarios", small, "--out", tmp_path / "out", "--only", "shifted", "--robots", "ur5e,go2",
                "--seeds", "1") == 0  # fmt: skip
    assert "robot go2: left out" in capsys.readouterr().out
    assert "pip install example-robot-data" in (tmp_path / "out/table.md").read_text(encoding="utf-8")


def test_every_scenario_is_told_in_the_docs(read):
    """With the file's own defaults: benchmarks/truth/README.md names each key, so that another lab can rebuild it."""
    page = FILE.with_name("README.md").read_text(encoding="utf-8")
    whole = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert [name for name in whole["plant"] if f"`{name}`" not in page] == []
    assert [name for name, _ in table.COLUMNS if name.replace("**", "") not in page.replace("**", "")] == []
    hours = scenarios.read(FILE.with_name("alarms.toml"))["scenarios"]
    assert [len(one["seeds"]) * (one["duration_s"] - plant.SETTLED) / 3600 for one in hours] == [3.0] * 3
    assert {one["name"] for one in read["scenarios"]} >= {"push", "policy", "quiet", "reaching"}


def test_the_help_is_there():
    done = subprocess.run([sys.executable, pathlib.Path(run.__file__), "--help"], capture_output=True, text=True, timeout=60,
                          check=False)  # fmt: skip
    assert done.returncode == 0 and all(f"--{word}" in done.stdout for word in ("scenarios", "only", "seeds", "robots", "json", "export"))
