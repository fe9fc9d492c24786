"""steps.csv, steps.parquet and summary.json against their documentation, each in both directions, and their determinism."""

import csv
import json
import pathlib
import platform
import re
import shutil
import sys

import numpy as np
import pyarrow.parquet
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command_line import ROOT, run  # noqa: E402
from reference import first_cells, keys, section  # noqa: E402

FILES = ["report.html", "steps.csv", "steps.parquet", "summary.json"]
FIRST = ("step,time,endpoint,estimator,sign,frame,residual_kind,Fx,Fy,Fz,Mx,My,Mz,sd_Fx,sd_Fy,sd_Fz,"
         "kappa,sigma_min,reference_gain_Fz,reference_residual,verdict").split(",")  # what readers of earlier files rely on


def leaves(value, path=""):
    """Paths of what holds no further keys; an empty list or object says nothing of what it would hold."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path + "[]")
    else:
        yield path


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twins")
    assert run("demo", "--out", folder / "demo", "--episodes", folder).returncode == 1
    return folder


@pytest.fixture(scope="module")
def out(twins):
    done = run("audit", twins / "twin_incident", "--robot", "h1_2", "--baseline", twins / "twin_good", "--out", twins / "out")
    assert done.returncode == 1, done.stderr
    return twins / "out"


@pytest.fixture(scope="module")
def broken(twins):
    """An audit of a log without time, IMU and velocities, with a row that cannot be used."""
    log = twins / "broken"
    shutil.copytree(twins / "twin_incident", log)
    for name in ("time", "dq", "imu_quat_xyzw"):
        (log / f"{name}.npy").unlink()
    tau = np.load(log / "tau.npy")
    tau[3, 0] = np.nan
    np.save(log / "tau.npy", tau)
    assert run("audit", log, "--robot", "h1_2", "--out", twins / "out_broken").returncode == 1
    return twins / "out_broken"


def rows_of(folder):
    with open(folder / "steps.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_columns_of_steps(out):
    header = (out / "steps.csv").read_text("utf-8").splitlines()[0].split(",")
    assert header[:21] == FIRST
    assert header == first_cells("steps.csv", "column")


def test_columns_of_estimate_are_the_same(twins, out):
    assert run("estimate", twins / "twin_incident", "--robot", "h1_2", "--estimator", "deployed", "--out", twins / "wrenches.csv").returncode == 0
    first = [(folder / name).read_text("utf-8").splitlines()[:2] for folder, name in ((twins, "wrenches.csv"), (out, "steps.csv"))]
    assert first[0] == first[1]


def test_words_in_steps_are_documented(out, broken):
    page = (ROOT / "docs/reference/reasons.md").read_text("utf-8")
    verdicts = first_cells("steps.csv", "verdict")
    reasons = {word for cell in re.findall(r"^\| (`[^|]+`) \|", page, re.M) for word in re.findall(r"`(\w+)`", cell)}
    assert verdicts == ["ok", "degraded", "refused", "unobservable", "invalid_input"]
    for folder in (out, broken):
        for row in rows_of(folder):
            assert row["verdict"] in verdicts
            assert set(row["reasons"].split()) <= reasons
            assert (row["reasons"] == "") == (row["verdict"] == "ok")
            assert row["sign"] in ("on_environment", "on_robot") and row["frame"] == "world_aligned"
            assert row["estimator"] in ("deployed", "stacked", "posterior") and row["residual_kind"] == "static"
            of_posterior = row["estimator"] == "posterior"
            assert (row["guard_state"] in ("ok", "degraded", "refused")) == of_posterior
            assert (row["guard_action"] in ("pass_raw", "posterior", "observable", "hold", "zero", "stop")) == of_posterior
            for name in ("sd_Fx", "sd_Fy", "sd_Fz", "worst_sd", "nis", "observable_directions"):
                claimed = of_posterior and row["verdict"] != "invalid_input"
                assert (row[name] != "") == claimed, "only the posterior claims a covariance"


def test_one_row_a_step_endpoint_and_estimator(out):
    rows = rows_of(out)
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    series = [(s["endpoint"], s["estimator"]) for s in summary["audited"]["series"]]
    assert [(int(r["step"]), (r["endpoint"], r["estimator"])) for r in rows] == [(i, s) for i in range(77) for s in series]
    for s in summary["audited"]["series"]:
        own = [r for r in rows if (r["endpoint"], r["estimator"]) == (s["endpoint"], s["estimator"])]
        assert max(float(r["F_norm"]) for r in own) == s["peak_force_N"]
        assert float(own[s["peak_force_step"]]["F_norm"]) == s["peak_force_N"]
        assert max(abs(float(r["Fz"])) for r in own) == s["largest_Fz_N"]
        assert {v: sum(r["verdict"] == v for r in own) for v in s["verdict_counts"]} == s["verdict_counts"]


def own_keys(paths):
    """Without `check`, which holds a result of its own (docs/reference/schemas.md); and that one's."""
    return {p for p in paths if not p.startswith("check.")}, {p.removeprefix("check.") for p in paths if p.startswith("check.")}


def test_keys_of_summary(twins, out, broken):
    # The demo's summary too: it alone holds the lesson on the planar arm; and contacts that are no incident.
    assert run("audit", twins / "twin_pushes", "--robot", "h1_2", "--out", twins / "out_pushes").returncode == 0
    loaded = ("--payload", "left_wrist_yaw_link=1,0,0,0.05", "--to", "1")
    assert run("audit", twins / "twin_pushes", "--robot", "h1_2", *loaded, "--out", twins / "out_loaded").returncode <= 1
    folders = (out, broken, twins / "demo", twins / "out_pushes", twins / "out_loaded")
    documents = [json.loads((folder / "summary.json").read_text("utf-8")) for folder in folders]
    told = set(keys("Audit: summary.json"))
    assert "audited.series[].peak_force_N" in told, "the tables are read"
    present = {path for document in documents for path in leaves(document)}
    # "`baselines[]` holds each good run, with the same keys as `audited`"
    of_baselines = {path.replace("baselines[]", "audited", 1) for path in present if path.startswith("baselines[]")}
    assert of_baselines and of_baselines <= {path for path in present if path.startswith("audited")}
    present = {path for path in present if not path.startswith("baselines[]")}
    present, checked = own_keys(present)
    assert checked and checked <= set(keys("Check: summary.json"))
    assert present - told == set(), "written but not documented"
    assert told - present == set(), "documented but not written"


def test_words_in_summary_are_documented(out, broken):
    text = section("Audit: summary.json")
    for folder in (out, broken):
        summary = json.loads((folder / "summary.json").read_text("utf-8"))
        for words in ([s["id"] for s in summary["verdict"] + summary["cannot_tell"]], [e["kind"] for e in summary["events"]],
                      [c["remedy"] for c in summary["counterfactuals"]], [c["channel"] for c in summary["audited"]["channels"]]):
            for word in words:
                assert f"`{word}`" in text, word


def test_numbers_that_are_not_known_are_null(broken):
    summary = json.loads((broken / "summary.json").read_text("utf-8"))
    assert summary["audited"]["time_begin_s"] is None and summary["audited"]["sample_time_s"] is None
    assert {e["time_s"] for e in summary["events"]} == {None}
    assert set(summary["audited"]["missing"]) == {"time", "dq", "imu_quaternion"}
    assert {s["id"] for s in summary["cannot_tell"]} >= {"imu", "velocity", "time", "invalid", "consumed", "contact"}
    assert summary["base_orientation"].startswith("identity")

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    json.loads((broken / "summary.json").read_text("utf-8"), parse_constant=refuse)
    assert all(row["time"] == "" for row in rows_of(broken))


@pytest.mark.parametrize("which", ["out", "broken"])
def test_csv_and_parquet_hold_the_same(which, request):
    folder = request.getfixturevalue(which)
    table = pyarrow.parquet.read_table(folder / "steps.parquet")
    rows = rows_of(folder)
    assert table.column_names == list(rows[0])
    assert table.num_rows == len(rows)
    for name in table.column_names:
        for value, row in zip(table[name].to_pylist(), rows):
            cell = row[name]
            if value is None:
                assert cell == "", name
            elif isinstance(value, str):
                assert cell == value, name
            else:
                assert float(cell) == value, (name, cell, value)  # the shortest text that reads back equal


def test_parquet_carries_units_and_meanings(out):
    schema = pyarrow.parquet.read_schema(out / "steps.parquet")
    for field in schema:
        metadata = field.metadata or {}
        assert metadata.get(b"meaning"), field.name
    assert schema.field("Fz").metadata[b"unit"] == b"N"
    assert schema.field("Mx").metadata[b"unit"].decode() == "N·m"
    assert schema.field("reference_gain_Fz").metadata[b"unit"].decode() == "N/(N·m)"


def test_same_input_same_bytes_wherever_it_lies(twins, out, tmp_path):
    """Another folder, another depth, other dates of the files, called from another place with relative paths."""
    place = tmp_path / "some" / "where"
    place.mkdir(parents=True)
    for name in ("twin_incident", "twin_good"):
        shutil.copytree(twins / name, place / name, copy_function=shutil.copyfile)
    done = run("audit", "./twin_incident/", "--robot", "h1_2", "--baseline", "twin_good", "--out", "again", cwd=place)
    assert done.returncode == 1, done.stderr
    for name in FILES:
        assert (place / "again" / name).read_bytes() == (out / name).read_bytes(), name


def test_nothing_of_the_machine_is_written(twins, out):
    marks = [str(twins), str(ROOT), "/tmp/", "/home/", "/root/", "/work/", platform.node()]
    for name in FILES:
        content = (out / name).read_bytes()
        for mark in marks:
            if len(mark) > 3:
                assert mark.encode() not in content, (name, mark)
        # Dates of this century and times of day; SHA-256 sums and numbers are digits too, hence the separators.
        assert not re.search(rb"\b20[2-9]\d-[01]\d-[0-3]\d\b", content), name
        assert not re.search(rb"\b[0-2]\d:[0-5]\d:[0-5]\d\b", content), name
