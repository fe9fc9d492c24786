"""What reads the tables of a fleet: SQL, example queries, the report, clips, the comparison with a baseline."""

import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import antaeus
import numpy as np
import pyarrow.parquet as pq
import pytest
from antaeus.fleet import baseline, clips, queries, report, sql
from antaeus.formats.recording import FormatError
from fleet_tables import FAULTS, ROBOTS, write_fleet
from pages_test import HOSTILE, Elements, write_arm_log
from support import ROOT

SCRIPT = ROOT / "tools/fleet_action/check.sh"


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return write_fleet(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return write_fleet(tmp_path_factory.mktemp("untouched"), faults=(), seed=8)


def printed(capsys, *words, verb=sql):
    assert verb.run([str(word) for word in words]) == 0
    return capsys.readouterr().out


def asked(capsys, folder, query):
    return json.loads(printed(capsys, folder, "--query", query, "--json"))


# --- the documented queries find what was planted ------------------------------------------------------------------------------


def one_row(rows, **expected):
    (row,) = rows
    assert {name: row[name] for name in expected} == expected
    return row


def test_friction_that_grew(capsys, planted, untouched):
    row = one_row(asked(capsys, planted, "friction_growth"), robot="panda", unit="panda-1", joint="panda_joint3")
    assert 0.25 < row["growth_month"] < 0.35  # 0.3 was planted
    assert asked(capsys, untouched, "friction_growth") == []


def test_an_offset_that_stepped_with_a_version(capsys, planted, untouched):
    row = one_row(asked(capsys, planted, "offset_steps"), robot="ur5e", unit="ur5e-0", joint="shoulder_lift", software="1.5", before="1.4")
    assert abs(row["step"] - 0.6) < 4 * row["step_sd"] < 0.1  # 0.6 N·m was planted
    assert asked(capsys, untouched, "offset_steps") == []


def test_a_pose_that_alarms(capsys, planted, untouched):
    row = one_row([row for row in asked(capsys, planted, "poses") if row["avoid"]], robot="h1_2", joint="left_elbow", position=1.0, avoid="alarms")
    assert row["low"] < 240 < row["high"]  # alarms per hour that were planted
    assert not [row for row in asked(capsys, untouched, "poses") if row["avoid"]]
    assert not [row for row in asked(capsys, untouched, "whole_poses") if row["avoid"]]


def test_noise_that_is_not_its_neighbours(capsys, planted, untouched):
    row = one_row(asked(capsys, planted, "noisy_joints"), robot="panda", unit="panda-2", joint="panda_joint5", why="above other units")
    assert 2.5 < row["ratio"] < 3.5  # 3 was planted
    assert asked(capsys, untouched, "noisy_joints") == []


def test_a_load_that_nobody_told_of(capsys, planted, untouched):
    row = one_row(asked(capsys, planted, "standing_forces"), robot="ur5e", unit="ur5e-2", software="1.5", logs=20, of_logs=20,
                  first_day="2026-03-21")
    assert abs(row["force"] - 12) < 0.5 and row["upright"] > 0.98  # 12 N upright were planted
    assert asked(capsys, untouched, "standing_forces") == []


def test_phantoms_since_a_version(capsys, planted, untouched):
    rows = asked(capsys, planted, "phantoms")
    assert {(row["robot"], row["software"], row["phantoms"], row["logs"]) for row in rows} == {("h1_2", "1.5", 40, 20)}
    assert asked(capsys, untouched, "phantoms") == []


def test_corrupt_logs(capsys, planted, untouched):
    row = one_row(asked(capsys, planted, "failures"), robot="panda", cause="corrupt", logs=9)
    assert row["example"] == "software=1.4/date=2026-03-06/panda-0.npz" and "record it again" in row["reason"]
    assert asked(capsys, untouched, "failures") == []


def test_a_joint_that_is_not_itself_for_a_day(capsys, planted, untouched):
    row = one_row(asked(capsys, planted, "odd_logs"), robot="ur5e", unit="ur5e-1", joint="wrist_1", quantity="coulomb", day="2026-03-08")
    assert row["value"] / row["usual"] == pytest.approx(1.6, abs=0.1)  # 1.6 was planted
    assert asked(capsys, untouched, "odd_logs") == []


def test_a_log_of_the_other_sign(capsys, planted, untouched):
    one_row(asked(capsys, planted, "suspect_setups"), unit="ur5e-1", finding="all torques have the opposite sign", logs=1)
    assert asked(capsys, untouched, "suspect_setups") == []


def test_a_version_that_alarms_more(capsys, planted, untouched):
    words = {(row["robot"], row["software"]): row["word"] for row in asked(capsys, planted, "versions")}
    assert words == {("panda", "1.4"): "", ("panda", "1.5"): "more alarms", ("ur5e", "1.4"): "", ("ur5e", "1.5"): "no difference shown",
                     ("h1_2", "1.4"): "", ("h1_2", "1.5"): "no difference shown"}
    assert {row["word"] for row in asked(capsys, untouched, "versions")} == {"", "no difference shown"}


def test_coverage_that_lies(capsys, planted, untouched):
    rows = asked(capsys, planted, "coverage")
    assert [(row["robot"], row["software"]) for row in rows if row["word"] == "lies"] == [("ur5e", "1.5")]
    assert rows[0]["low"] < 0.7 < rows[0]["high"] and rows[0]["logs"] == 60  # 0.7 was planted; the interval is over logs
    assert not [row for row in asked(capsys, untouched, "coverage") if row["word"]]


def test_alarms_and_minutes(capsys, planted):
    events = pq.read_table(planted / "events").to_pylist()
    alarms = [event for event in events if event["kind"] == "alarm"]
    rows = asked(capsys, planted, "alarms_by_robot")
    assert {row["robot"]: row["alarms"] for row in rows} == {robot: sum(event["robot"] == robot for event in alarms) for robot in ROBOTS}
    assert all(row["low"] < row["per_hour"] < row["high"] for row in rows)
    worst = asked(capsys, planted, "worst_minutes")
    counted = {}
    for event in alarms:
        key = event["id"], int(event["worst_time"] // 60)
        counted[key] = counted.get(key, 0) + 1
    assert worst[0]["alarms"] == max(counted.values()) == counted[worst[0]["id"], int(worst[0]["at_s"] // 60)]
    ids = [row["id"] for row in worst]
    assert len(ids) == 50 and max(map(ids.count, ids)) <= 2


def test_drift_is_sure_of_what_drifts(capsys, planted, untouched):
    sure = {(row["robot"], row["unit"], row["joint"], row["quantity"]) for row in asked(capsys, planted, "drift") if row["sure"]}
    assert ("panda", "panda-1", "panda_joint3", "coulomb") in sure
    rows = asked(capsys, untouched, "drift")
    # 99.9 % of 216 figures that do not drift: more than two of them called sure are one time in a thousand.
    assert len(rows) == 216 and sum(row["sure"] for row in rows) <= 2


def test_logs_of_a_day_count_once(tmp_path):
    """The same day's log a hundred times over makes no figure surer."""
    folder = write_fleet(tmp_path / "fleet", ("friction",), days=12, units=2, seconds=5, robots=["panda"])
    before = sql.Tables(folder).query("drift")
    for name in ("joints", "episodes"):
        (file,) = (folder / name).glob("**/*.parquet")
        table = pq.read_table(file, partitioning=None)
        rows = table.to_pylist()
        pq.write_table(table.from_pylist([row | {"id": f"{row['id']}-{copy}"} for row in rows for copy in range(20)], table.schema), file)
    after = sql.Tables(folder).query("drift")
    by_figure = {(row["unit"], row["joint"], row["quantity"]): row for row in after}
    for row in before:
        copied = by_figure[row["unit"], row["joint"], row["quantity"]]
        # Sums of the same numbers in another order: they differ in their last digits.
        assert copied["slope_week_sd"] == pytest.approx(row["slope_week_sd"], rel=1e-12) and copied["sure"] == row["sure"]
        assert copied["slope_week"] == row["slope_week"] and copied["logs"] == 20 * row["logs"] and copied["points"] == row["points"]


@pytest.mark.parametrize(("count", "low", "high"), [(0, 0.0, 3.689), (1, 0.0253, 5.572), (4, 1.090, 10.242), (10, 4.795, 18.39),
                                                    (100, 81.36, 121.63)])
def test_poissons_intervals(planted, count, low, high):
    """Garwood's exact limits, of any table; Byar's approximation is as near as queries.py says."""
    ((found_low, found_high),) = sql.Tables(planted).ask(f"SELECT poisson_low({count}, 1.96), poisson_high({count}, 1.96)").fetchall()
    near = max(0.035, 0.02 * count)
    assert abs(found_low - low) < near and abs(found_high - high) < near


def test_flocks_of_events_widen_the_interval(planted):
    """One log with 30 of 40 alarms: the rate of 40 logs is less sure than Poisson's."""
    tables = sql.Tables(planted)
    ((even, flock),) = tables.ask("SELECT dispersion(40, 40, 40, 40), dispersion(40, 40, 900 + 10, 40)").fetchall()
    assert even == 1.0 and flock == pytest.approx((910 - 40) / 39)


# --- sql ------------------------------------------------------------------------------------------------------------------------


def test_every_query_is_listed_and_its_sql_can_be_asked(capsys, planted):
    listing = printed(capsys, planted, "--queries")
    for name, query in queries.QUERIES.items():
        assert name in listing and query.answers in listing
        text = printed(capsys, planted, "--query", name, "--show")
        same = printed(capsys, planted, text, "--json") == printed(capsys, planted, "--query", name, "--json")
        assert same, name  # compared before: pytest would take minutes to show a difference


def test_forms(capsys, planted):
    text = printed(capsys, planted, "SELECT robot, count(*) AS n, 0.5 AS half, NULL AS none FROM logs GROUP BY robot ORDER BY robot")
    assert text.splitlines()[:2] == ["robot    n  half  none", "h1_2   120   0.5     –"]
    rows = list(csv.DictReader(io.StringIO(printed(capsys, planted, "SELECT id, pose FROM steps ORDER BY ALL LIMIT 2", "--csv"))))
    assert len(json.loads(rows[0]["pose"])) in (5, 6, 7)
    assert json.loads(printed(capsys, planted, "SELECT 'NaN'::DOUBLE AS x, DATE '2026-03-01' AS d WHERE true", "--json")) == [{"x": None, "d": "2026-03-01"}]
    assert json.loads(printed(capsys, planted, "SELECT 1 AS x WHERE false", "--json")) == []
    many = printed(capsys, planted, "SELECT id FROM steps", "--csv").splitlines()
    assert len(many) == 1 + pq.read_table(planted / "steps", columns=["id"]).num_rows


HOSTILE_STATEMENTS = [
    "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/etc/*')",
    "COPY steps TO '/tmp/stolen.csv'", "COPY steps TO '{folder}/stolen.csv'", "ATTACH '/tmp/stolen.db'", "INSTALL httpfs", "LOAD httpfs",
    "SELECT * FROM 'https://example.com/x.parquet'", "SET enable_external_access = true", "RESET allowed_directories", "PRAGMA version",
    "CREATE TABLE mine AS SELECT 1", "DROP VIEW steps", "EXPORT DATABASE '{folder}/out'", "SELECT * FROM read_text('{folder}/../secret')",
    "SELECT 1; COPY steps TO '{folder}/stolen.csv'", "EXPLAIN ANALYZE COPY steps TO '{folder}/stolen.csv'", "CALL pragma_version()", "", ";", "-- nothing",
]


@pytest.mark.parametrize("statement", HOSTILE_STATEMENTS)
def test_a_statement_reads_the_folder_and_nothing_else(planted, statement):
    secret = planted.parent / "secret"
    secret.write_text("secret")
    before = sorted(os.listdir(planted))
    with pytest.raises(FormatError) as caught:
        sql.run([str(planted), statement.format(folder=planted)])
    assert "\n" not in str(caught.value) and str(caught.value).startswith("sql: ")
    assert sorted(os.listdir(planted)) == before and not pathlib.Path("/tmp/stolen.csv").exists() and not pathlib.Path("/tmp/stolen.db").exists()


@pytest.mark.parametrize(("statement", "told"), [
    ("SELECT frce FROM steps", "there is no column 'frce'; did you mean"), ("SELECT e.forse FROM events e", "there is no column 'forse'; did you mean 'force'?"),
    ("SELECT * FROM stepz", "there is no table 'stepz'; did you mean 'steps'?"), ("SELECT lenght(id) FROM logs", "did you mean 'length'?"),
    ("SELECT offset FROM joints", 'words of SQL\'s: write j."offset"'), ("SELCT 1", "syntax error"), ("SELECT 1/0 FROM", "syntax error")])
def test_a_mistake_is_one_line_with_the_nearest_name(planted, statement, told):
    with pytest.raises(FormatError) as caught:
        sql.run([str(planted), statement])
    assert told in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("words", "told"), [
    (["{folder}"], "give one SELECT"), (["{folder}", "SELECT 1", "--query", "drift"], "give one SELECT"), (["{folder}", "--query", "drfit"], "did you mean 'drift'?"),
    (["{folder}", "SELECT 1", "--jsn"], "did you mean '--json'?"), (["/nowhere", "SELECT 1"], "not the folder of a finished fleet"), (["{folder}", "SELECT 1", "--csv", "--json"], "not allowed")])
def test_wrong_words(planted, words, told):
    with pytest.raises(ValueError, match=".") as caught:
        sql.run([word.format(folder=planted) for word in words])
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_tables_of_another_version_and_broken_ones(tmp_path):
    folder = write_fleet(tmp_path / "fleet", days=2, units=1, seconds=5)
    file = sorted((folder / "joints").glob("**/*.parquet"))[0]
    table = pq.read_table(file, partitioning=None)
    for other in sorted((folder / "joints").glob("**/*.parquet")):
        pq.write_table(pq.read_table(other, partitioning=None).drop_columns(["coulomb"]), other)
    with pytest.raises(FormatError, match="has no column coulomb: it is of another version.*finish"):
        sql.Tables(folder)
    pq.write_table(table, file)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(FormatError, match="joints: cannot be read .*finish"):
        sql.Tables(folder)


def test_names_with_what_patterns_are_made_of(tmp_path):
    folder = write_fleet(tmp_path / "a[b]*?'c", days=2, units=1, seconds=5, robots=["panda"])
    assert sql.Tables(folder).ask("SELECT count(*) FROM logs").fetchall() == [(2,)]


# --- the report -----------------------------------------------------------------------------------------------------------------


def test_the_report_tells_what_was_planted(capsys, planted, untouched):
    said = printed(capsys, planted, verb=report)
    page = (planted / "report.html").read_text(encoding="utf-8")
    summary = json.loads((planted / "summary.json").read_text(encoding="utf-8"))
    for words in ("panda-1, panda_joint3: Coulomb friction grows by ", "ur5e-0, shoulder_lift: its offset stepped by 0.", "ur5e with software 1.5: zero is within the 95 % ellipsoid in only ",
                  "phantoms in 20 logs with software 1.5", "panda-2, panda_joint5: its torque is noisy", "panda: software 1.5 raises",
                  "alarms per hour with left_elbow from 1 to 1.5", "upright as a weight is", "9 logs gave no result, most by cause corrupt"):
        assert sum(words in line for line in summary["findings"]) == 1, (words, summary["findings"])
        assert words in said
    assert summary["schema"] == "antaeus.fleet.report/1" and summary["totals"]["logs"] == 360 and summary["queries"]["failures"]["rows"] == 1
    found = Elements(page)
    assert found.count("h1") == 1 and found.count("section") >= 9 and found.count("svg") >= 4 and found.count("script") == 0
    assert str(planted.parent) not in page  # no place of this machine
    quiet = printed(capsys, untouched, verb=report)
    assert json.loads((untouched / "summary.json").read_text())["findings"] == [] and "0 findings" in quiet
    assert "nothing stands out" in (untouched / "report.html").read_text()


def test_the_same_tables_give_the_same_bytes(planted, tmp_path):
    written = []
    for name in ("one", "two"):
        folder = shutil.copytree(planted, tmp_path / name / "fleet")
        report.run([str(folder)])
        written.append([hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in ("report.html", "summary.json")])
    assert written[0] == written[1]


def test_what_is_missing_is_said(tmp_path):
    """No tag, no alarm, one robot: each part says why it is empty."""
    folder = write_fleet(tmp_path / "fleet", (), days=2, units=1, seconds=5, robots=["panda"], dated=False)
    shutil.rmtree(folder / "events")
    report.run([str(folder)])
    text = (folder / "report.html").read_text()
    for why in ("no alarm was raised", "no log has the tag date", "logs have no tag date", "every log gave a result", "no force stood"):
        assert why in text, why


def test_a_fleet_without_any_result(tmp_path):
    folder = write_fleet(tmp_path / "fleet", (), days=2, units=1, seconds=5, robots=["panda"])
    (file,) = (folder / "episodes").glob("**/*.parquet")
    table = pq.read_table(file, partitioning=None)
    pq.write_table(table.from_pylist([row | {"status": "failed", "cause": "no_robot", "reason": "x"} for row in table.to_pylist()], table.schema), file)
    for name in ("steps", "events", "joints"):
        shutil.rmtree(folder / name)
    report.run([str(folder)])
    assert "0 of 2 logs gave a result" in (folder / "report.html").read_text()
    with pytest.raises(FormatError, match="no log of it gave a result"):
        baseline.run([str(folder), "--write", str(tmp_path / "b.json")])


def test_hostile_names_stay_text(tmp_path, capsys):
    folder = write_fleet(tmp_path / "fleet", days=25, units=3, seconds=30, names=lambda name: f"{name}{HOSTILE}")
    report.run([str(folder)])
    capsys.readouterr()
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = Elements(page)
    assert "window.hacked" in page and found.count("img") == found.count("iframe") == found.count("script") == 0
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)
    assert not any(attributes.get("href", "#").startswith(("javascript", "data")) for _, attributes in found.elements)


def test_a_million_events_are_a_small_page(tmp_path):
    folder = write_fleet(tmp_path / "fleet", seconds=20, days=30)
    for file in (folder / "events").glob("**/*.parquet"):
        table = pq.read_table(file, partitioning=None)
        times = -(-350_000 // table.num_rows)
        pq.write_table(table.take(np.tile(np.arange(table.num_rows), times)), file)
    assert pq.read_table(folder / "events", columns=["id"]).num_rows > 1_000_000
    report.run([str(folder)])
    assert (folder / "report.html").stat().st_size < 1_000_000  # bytes; 20 million are promised


# --- clips ----------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A folder with the plan of one log that is there: a Panda that moves freely for 20 s at 100 Hz."""
    folder = tmp_path_factory.mktemp("planned")
    write_arm_log(folder / "log.npz")
    done = subprocess.run([sys.executable, "-m", "antaeus", "--verb", "fleet", "plan", folder / "log.npz", "--robot", "panda", "--out",
                           folder / "fleet"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "fleet"


def test_a_clip_is_an_episode_a_page_and_an_mcap(capsys, planned):
    (row,) = pq.read_table(planned / "plan.parquet").to_pylist()
    told = json.loads(printed(capsys, planned, row["id"], "--at", "10.5", "--seconds", "6", "--page", "--mcap", "--json", verb=clips))
    clip = clips.place_of(planned, row["id"], 10.5)
    assert told["folder"] == str(clip) and clip.name == f"{row['id']}-10.5" and told["written"] == ["log", "report.html", "forces.mcap"]
    whole, part = (antaeus.load_episode(place, antaeus.load_robot("panda")) for place in (planned.parent / "log.npz", clip / "log"))
    inside = np.abs(whole.time - 10.5) <= 3.0
    assert np.array_equal(part.time, whole.time[inside]) and np.array_equal(part.tau, whole.tau[inside]) and part.steps() == told["steps"] > 590
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", clip / "log", "--robot", "panda", "--out", planned / "again"], capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode in (0, 1) and (planned / "again/report.html").is_file(), done.stderr
    assert "<!doctype html>" in (clip / "report.html").read_text()[:20] and (clip / "forces.mcap").read_bytes()[:8] == b"\x89MCAP0\r\n"
    before = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in clip.glob("**/*.*")}
    printed(capsys, planned, row["id"], "--at", "10.5", "--seconds", "6", "--page", "--mcap", verb=clips)
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in clip.glob("**/*.*")} == before  # again is the same


def test_a_clip_at_the_edge_is_shorter(capsys, planned, tmp_path):
    (row,) = pq.read_table(planned / "plan.parquet").to_pylist()
    told = json.loads(printed(capsys, planned, row["id"], "--at", "1", "--seconds", "10", "--out", tmp_path / "edge", "--json", verb=clips))
    assert told["from_s"] == 0.0 and told["to_s"] == pytest.approx(6.0) and told["folder"] == str(tmp_path / "edge")


@pytest.mark.parametrize(("words", "told"), [
    (["{id}x", "--at", "1"], "did you mean '{id}'?"), (["{id}", "--at", "900"], "outside of"), (["{id}", "--at", "nan"], "seconds of the log"),
    (["{id}", "--at", "1", "--seconds", "0"], "no length"), (["{id}"], "--at"), (["{id}", "--at", "1", "--out", "/proc/x/y"], "cannot be written")])
def test_clips_that_cannot_be_cut(planned, words, told):
    (row,) = pq.read_table(planned / "plan.parquet").to_pylist()
    with pytest.raises(ValueError, match=".") as caught:
        clips.run([str(planned), *(word.format(id=row["id"]) for word in words)])
    assert told.format(id=row["id"]) in str(caught.value) and "\n" not in str(caught.value)


def test_the_report_links_clips_that_are_there(planted, tmp_path):
    folder = shutil.copytree(planted, tmp_path / "fleet")
    first, second, *_ = sql.Tables(folder).query("worst_minutes")
    page = clips.place_of(folder, first["id"], first["at_s"]) / clips.PAGE
    page.parent.mkdir(parents=True)
    page.write_text("the clip's page")
    report.run([str(folder)])
    text = (folder / "report.html").read_text()
    links = [attributes["href"] for tag, attributes in Elements(text).elements if tag == "a" and attributes["href"].startswith("clips/")]
    assert links == [f"clips/{page.parent.name}/report.html"]
    assert f"antaeus fleet clip fleet {second['id']} --at {clips.seconds_text(second['at_s'])} --page" in text


# --- worse than the baseline? -----------------------------------------------------------------------------------------------------


def checked(capsys, folder, base, *more):
    code = baseline.run([str(folder), "--baseline", str(base), "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def test_another_month_of_the_same_is_not_worse(capsys, untouched, tmp_path):
    """Units are themselves; days and what happens in them are others."""
    file = tmp_path / "baseline.json"
    assert baseline.run([str(untouched), "--write", str(file)]) == 0
    assert "baseline of 12 robots and units" in capsys.readouterr().out
    assert checked(capsys, untouched, file)[0] == 0
    assert checked(capsys, untouched, untouched)[0] == 0  # a folder serves as well
    for seed in (9, 10, 11):
        code, told = checked(capsys, write_fleet(tmp_path / f"month-{seed}", (), first_day=45, seed=seed, seconds=60), file)
        assert code == 0 and told["compared"] > 200, [one for one in told["comparisons"] if one["worse"]]


def test_each_kind_of_worse_is_found_and_no_other(capsys, tmp_path):
    base = write_fleet(tmp_path / "base", (), seed=4)
    expected = {"friction": {("panda-1", "panda_joint3", "coulomb")}, "offset_step": {("ur5e-0", "shoulder_lift", "offset")},
                "noise": {("panda-2", "panda_joint5", "noise")}}
    for fault, found in expected.items():
        worse = write_fleet(tmp_path / fault, (fault,), seed=5, days=20, first_day=20)
        code, told = checked(capsys, worse, base)
        assert code == 1 and {(one["unit"], one["joint"], one["what"]) for one in told["comparisons"] if one["worse"]} == found, fault
        assert told["worse"] == 1 and told["compared"] > 200
    code, told = checked(capsys, write_fleet(tmp_path / "software", ("software", "lies"), seed=5), base)
    worse = {(one["robot"], one["what"]) for one in told["comparisons"] if one["worse"]}
    assert code == 1 and worse == {("panda", "alarms"), ("ur5e", "coverage")}


def test_one_log_is_compared_by_the_baselines_scatter(capsys, tmp_path):
    base = write_fleet(tmp_path / "base", (), days=30, units=1, seed=4)
    code, told = checked(capsys, write_fleet(tmp_path / "night", (), days=1, units=1, seed=5, first_day=32), base)
    assert code == 0 and told["compared"] > 60, [one for one in told["comparisons"] if one["worse"]]
    code, told = checked(capsys, write_fleet(tmp_path / "bad", ("offset_step",), days=1, units=1, seed=5, first_day=32), base)
    assert code == 1 and [(one["joint"], one["what"]) for one in told["comparisons"] if one["worse"]] == [("shoulder_lift", "offset")]


def test_what_cannot_be_compared(capsys, planted, tmp_path):
    other = write_fleet(tmp_path / "other", (), days=2, units=1, seconds=5, robots=["ur5e"])
    panda = write_fleet(tmp_path / "panda", (), days=2, units=1, seconds=5, robots=["panda"])
    broken, alien, short = (tmp_path / name for name in ("broken.json", "alien.json", "short.json"))
    broken.write_text("{")
    alien.write_text("{}")
    short.write_text(json.dumps({"schema": baseline.SCHEMA, "robots": [{"robot": "panda"}], "joints": []}))
    for base, told in ((other, "nothing to compare panda with"), (broken, "is no JSON"), (alien, "is no baseline"), (short, "rows missing"),
                       (tmp_path / "none.json", "cannot be read"), (tmp_path, "not the folder of a finished fleet")):
        with pytest.raises(FormatError, match=told) as caught:
            baseline.run([str(panda), "--baseline", str(base)])
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="give --baseline BASE, or --write FILE"):
        baseline.run([str(panda)])
    code = baseline.run([str(planted), "--baseline", str(panda)])
    assert code in (0, 1) and "ur5e is not in the baseline" in capsys.readouterr().out


# --- in the loop of a lab ---------------------------------------------------------------------------------------------------------


def program(tmp_path):
    """antaeus as this interpreter has it: the script's program."""
    file = tmp_path / "antaeus"
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m antaeus --verb "$@"\n')
    file.chmod(0o755)
    return file


def script(tmp_path, *words):
    return subprocess.run([SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=300, check=False,
                          env=os.environ | {"ANTAEUS": str(program(tmp_path)), "CLIPS": "1"})


def test_the_script_of_the_night(tmp_path):
    held = dict(np.load(write_arm_log(tmp_path / "arm.npz")))
    for name, offset in (("good", 0.0), ("bad", 6.0)):
        (tmp_path / name).mkdir()
        for seed in range(3):
            noise = np.random.default_rng(seed).normal(0, 0.05, held["tau"].shape)
            np.savez(tmp_path / name / f"{seed}.npz", **held | {"tau": held["tau"] + noise + offset * np.eye(7)[3]})  # N·m
    first = script(tmp_path, tmp_path / "good", "panda", tmp_path / "base", tmp_path / "base")  # compared with itself
    assert first.returncode == 0, first.stdout + first.stderr
    assert {"report.html", "summary.json", "check.json"} <= set(os.listdir(tmp_path / "base"))
    night = script(tmp_path, tmp_path / "bad", "panda", tmp_path / "night", tmp_path / "base")
    assert night.returncode == 1, night.stdout + night.stderr
    assert json.loads((tmp_path / "night/check.json").read_text())["worse"] > 0 and "are worse" in night.stdout
    (tmp_path / "good/cut.npz").write_bytes(b"PK")
    cut = script(tmp_path, tmp_path / "good", "panda", tmp_path / "night3", tmp_path / "base")
    assert cut.returncode == 1 and ": 0 of" in cut.stdout and "corrupt" in cut.stdout, cut.stdout + cut.stderr
    missing = script(tmp_path, tmp_path / "good", "panda", tmp_path / "night2", tmp_path / "none")
    assert missing.returncode == 2 and "none" in missing.stderr
    assert script(tmp_path).returncode == 2


def test_the_action_calls_the_script():
    text = (SCRIPT.parent / "action.yml").read_text()
    assert "using: composite" in text and '"$GITHUB_ACTION_PATH/check.sh" "$LOGS" "$ROBOT" "$OUT" "$BASELINE"' in text
    assert "${{" not in text.partition("run:")[2]  # no input stands in the program's text


# --- the schema's page ------------------------------------------------------------------------------------------------------------


def test_the_page_of_the_schema_has_every_column():
    """docs/reference/schemas.md: under each table's heading its columns, in order, each with a meaning."""
    from antaeus.fleet import schema

    text = (ROOT / "docs/reference/schemas.md").read_text(encoding="utf-8").partition("\n## Fleet\n")[2]
    for name, columns in (("plan", schema.PLAN), ("episodes", schema.EPISODES), ("joints", schema.JOINTS), ("events", schema.EVENTS),
                          ("steps", schema.STEPS)):
        part = text.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        told = [line.split("|")[1:-1] for line in part.splitlines() if line.startswith("| `")]
        assert [column for cells in told for column in re.findall(r"`(\w+)`", cells[0])] == columns.names, name
        assert all(len(cells) == 3 and all(cell.strip() for cell in cells) for cells in told), name
    assert set(FAULTS) >= {"friction", "offset_step", "pose", "noise", "payload", "phantom", "corrupt"}
