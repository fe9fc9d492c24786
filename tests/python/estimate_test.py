"""antaeus.estimate: the table that `antaeus estimate` writes, in Python, and what it refuses."""

import csv
import os
import pathlib
import subprocess

import antaeus
import needs
import numpy as np
import pytest
from support import run_python

WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """With a clock, velocities, noise, and a step that holds NaN."""
    folder = tmp_path_factory.mktemp("log") / "pushes"
    twin = antaeus.make_twin(antaeus.load_robot("h1_2"), "pushes", duration=2.0, torque_noise=0.2, seed=3).episode
    antaeus.write_episode(twin, folder)
    tau = np.array(twin.tau)
    tau[7, 3] = np.nan
    np.save(folder / "tau.npy", tau)
    return folder


def verb(log, out, *flags):
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", log, "--robot", "h1_2", "--out", out, *flags],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 2), done.stderr
    return out


@pytest.mark.parametrize(("options", "flags"), [
    ({}, []),
    ({"estimator": "deployed"}, ["--estimator", "deployed"]),
    ({"estimator": "stacked", "endpoints": WRISTS}, ["--estimator", "stacked", "-e", WRISTS[0], "-e", WRISTS[1]]),
    ({"endpoints": ["left wrist"], "settings": {"posterior.sign": "on_robot"}, "threads": 1},
     ["-e", "left wrist", "--set", "posterior.sign=on_robot"]),
    ({"smooth": 0.5}, ["--smooth", "0.5"]),
])
def test_it_writes_what_the_verb_writes(log, tmp_path, options, flags):
    result = antaeus.estimate(log, "h1_2", **options)
    result.save(tmp_path / "ours.csv")
    theirs = verb(log, tmp_path / "theirs.csv", *flags)
    assert (tmp_path / "ours.csv").read_bytes() == theirs.read_bytes()
    needs.package("pyarrow")
    result.save(str(tmp_path / "ours.parquet"))
    verb(log, tmp_path / "theirs.parquet", *flags)
    assert (tmp_path / "ours.parquet").read_bytes() == (tmp_path / "theirs.parquet").read_bytes()


def test_columns_are_the_tables(log, tmp_path):
    result = antaeus.estimate(log, antaeus.load_robot("h1_2"))
    with verb(log, tmp_path / "theirs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert result.columns == list(rows[0]) == list(result) == list(result.keys()) and len(result) == len(rows)
    arrays = result.to_numpy()
    assert list(arrays) == result.columns and dict(result).keys() == arrays.keys()
    for name, array in arrays.items():
        assert array.shape == (len(rows),) and not array.flags.writeable
        texts = [row[name] for row in rows]
        if array.dtype == object:
            assert array.tolist() == texts
        else:  # shortest text that reads back equal: the same bits
            expected = np.array([float(text) if text else np.nan for text in texts])
            assert np.array_equal(array, expected, equal_nan=True)
        assert np.array_equal(result[name], array, equal_nan=array.dtype != object)
    assert "Fz" in result and "fz" not in result and 3 not in result
    with pytest.raises(KeyError, match="unknown column 'Fzz'; did you mean 'Fz'"):
        result["Fzz"]
    kept = result["Fz"]
    copy = kept.copy()
    del result
    assert np.array_equal(kept, copy, equal_nan=True)


def test_it_says_what_is_to_be_known(log):
    result = antaeus.estimate(log, "h1_2")
    assert result.log == "pushes" and result.robot == "h1_2" and result.estimator == "posterior"
    assert result.sign == antaeus.Sign.on_environment and result.steps * 2 == len(result)
    assert sum(result.verdicts.values()) == len(result) and result.verdicts["invalid_input"] == 2
    assert result.left_out and any(note.startswith("left out: ") for note in result.notes)
    assert any("1 steps hold NaN" in note for note in result.notes) and not any("--" in note for note in result.notes)
    assert repr(result).startswith("EstimateTable(pushes of h1_2: posterior on_environment, ") and "\n" not in repr(result)


def test_arrow_is_the_same(log):
    arrow = needs.package("pyarrow")
    result = antaeus.estimate(log, "h1_2")
    table = result.to_arrow()
    assert table.equals(arrow.table(result)) and table.column_names == result.columns
    np.testing.assert_array_equal(table["Fz"].to_numpy(), result["Fz"])
    assert table.schema.field("Fz").metadata[b"unit"] == b"N"
    gone = ("import sys; sys.modules['pyarrow'] = None\nimport antaeus\n"
            f"result = antaeus.estimate({str(log)!r}, 'h1_2')\n"
            "try:\n    result.to_arrow()\nexcept ImportError as error:\n    print(error)")
    assert run_python(gone) == "to_arrow: pyarrow is not there; pip install 'antaeus[parquet]'\n"


def test_episodes_in_memory_and_threads_change_nothing(log):
    robot = antaeus.load_robot("h1_2")
    episode = antaeus.load_episode(log, robot)
    expected = antaeus.estimate(log, "h1_2").to_numpy()
    for result in (antaeus.estimate(episode, robot), antaeus.estimate(episode, "h1_2", threads=3)):
        for name, array in result.to_numpy().items():
            assert np.array_equal(array, expected[name], equal_nan=array.dtype != object), name


def test_a_long_log_is_one_table(tmp_path):
    """More steps than are handed over at once: 16384."""
    robot = antaeus.load_robot("planar_3r")
    chance = np.random.default_rng(5)
    steps = 16384 + 300
    q = 0.4 * np.sin(np.arange(steps)[:, None] / 300 + np.arange(3))
    episode = antaeus.Episode.from_arrays(q=q, tau=chance.normal(0, 1, q.shape), robot=robot)
    antaeus.write_episode(episode, tmp_path / "arrays")
    result = antaeus.estimate(episode, robot)
    assert len(result) == steps and result["step"][-1] == steps - 1
    theirs = [tmp_path / "theirs.csv", tmp_path / "theirs.parquet"]
    for file in theirs:
        subprocess.run([os.environ["ANTAEUS_CLI"], "estimate", tmp_path / "arrays", "--robot", "planar_3r", "--out", file],
                       capture_output=True, timeout=120, check=False)  # 1: torques of noise are refused
        result.save(tmp_path / f"ours{file.suffix}")
        assert (tmp_path / f"ours{file.suffix}").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda log: antaeus.estimate(log, "h1_2", estimatr="deployed"), antaeus.OptionsError,
     "estimate: unknown option 'estimatr'; did you mean 'estimator'?"),
    (lambda log: antaeus.estimate(log, "h1_2", estimator="deployd"), antaeus.OptionsError,
     "estimate.estimator: unknown estimator 'deployd'; did you mean 'deployed'?"),
    (lambda log: antaeus.estimate(log, "h1_2", endpoints=["left wrst"]), antaeus.ModelError,
     "endpoints: unknown endpoint or frame 'left wrst'; did you mean 'left wrist'?"),
    (lambda log: antaeus.estimate(log, "h1_2", endpoints=["left foot"]), antaeus.OptionsError, "no posterior at left foot"),
    (lambda log: antaeus.estimate(log, "h1_2", smooth=0), antaeus.OptionsError, "smooth: '0' is no time; give seconds, above 0"),
    (lambda log: antaeus.estimate(log, "h1_2", smooth="long"), TypeError, "estimate.smooth: of type str"),
    (lambda log: antaeus.estimate(log, "h1_2", smooth=1.0, estimator="stacked"), antaeus.OptionsError,
     "smooth: smooths the posterior alone; leave estimator out"),
    (lambda log: antaeus.estimate(log, "h1_2", threads=0), antaeus.OptionsError, "estimate.threads: 0 is fewer than one"),
    (lambda log: antaeus.estimate(log, "h1_2", settings={"posterior.sgn": 1}), antaeus.OptionsError, "did you mean 'sign'"),
    (lambda log: antaeus.estimate(log, "h1_3"), antaeus.ModelError, "did you mean 'h1_2'"),
    (lambda log: antaeus.estimate(log, 3), TypeError, "estimate.robot: of type int; give a name, a path or a Robot"),
    (lambda log: antaeus.estimate(3, "h1_2"), TypeError, "estimate.log: of type int; give a path or an Episode"),
    (lambda log: antaeus.estimate(log / "none", "h1_2"), antaeus.Error, "none"),
    (lambda log: antaeus.estimate(antaeus.load_episode(log, antaeus.load_robot("h1_2")), "panda"), antaeus.EpisodeError,
     "q has 27 columns, and the panda has 7 motors"),
    (lambda log: antaeus.estimate(log, "h1_2").save(log / "out.xlsx"), antaeus.OptionsError,
     "estimate.save: '.xlsx' is no ending of a table that is written"),
    (lambda log: antaeus.estimate(log, "h1_2").save(log / "tau.npy/out.csv"), antaeus.Error, "tau.npy"),
])
def test_what_is_refused(log, call, kind, message):
    with pytest.raises(kind) as caught:
        call(log)
    assert message in str(caught.value) and "\n" not in str(caught.value) and "--" not in str(caught.value)


def test_pathlib_and_os_paths(log):
    class Path:
        def __fspath__(self):
            return str(log)

    assert len(antaeus.estimate(Path(), pathlib.Path("h1_2"))) == len(antaeus.estimate(str(log), "h1_2"))
