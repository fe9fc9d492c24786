"""The audit through the package: the numbers and bytes of the command line, and what is refused."""

import csv
import json
import os
import shlex
import shutil
import subprocess

import antaeus
import numpy as np
import pytest

WRIST = "left_wrist_yaw_link"


@pytest.fixture(scope="module")
def logs(robot, tmp_path_factory):
    """A folder with the twins of the incident and of a good run."""
    folder = tmp_path_factory.mktemp("logs")
    for kind in ("incident", "good"):
        antaeus.write_episode(antaeus.make_twin(robot, kind).episode, folder / kind)
    return folder


@pytest.fixture(scope="module")
def audit(logs):
    return antaeus.audit(logs / "incident", "h1_2", baselines=[logs / "good"])


def command_line(logs, out, *more):
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", "incident", "--robot", "h1_2", *more, "--out", out],
                          cwd=logs, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr  # an incident
    return out


@pytest.fixture(scope="module")
def printed(logs, tmp_path_factory):
    return command_line(logs, tmp_path_factory.mktemp("cli"), "--baseline", "good")


# What comes out ------------------------------------------------------------------------------------------------------


def test_files_are_the_command_lines_bytes(audit, printed, tmp_path):
    audit.save(tmp_path / "new/page.html")
    audit.save(str(tmp_path / "page.json"))
    assert (tmp_path / "new/page.html").read_bytes() == (printed / "report.html").read_bytes()
    assert (tmp_path / "page.json").read_bytes() == (printed / "summary.json").read_bytes()
    assert audit.summary == json.loads((printed / "summary.json").read_text(encoding="utf-8"))
    assert audit.command == "antaeus audit incident --robot h1_2 --baseline good" == audit.summary["command"]


def test_steps_are_the_command_lines_table(audit, printed):
    steps = audit.steps
    with (printed / "steps.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert list(steps) == header
    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        column = steps[name]
        if column.dtype == object:
            assert column.tolist() == list(cells), name
        else:  # the shortest text that reads back as the same number
            assert np.array_equal(column, [float(cell) if cell else np.nan for cell in cells],
                                  equal_nan=column.dtype == float), name
    posterior = (steps["estimator"] == "posterior") & (steps["endpoint"] == WRIST)
    assert np.array_equal(steps["Fz"][posterior], audit.series(WRIST, "posterior").wrench[:, 2])
    assert audit.baselines[0].steps["step"].size > 0


def test_arrow_is_the_command_lines_parquet(audit, printed):
    from pyarrow import parquet
    ours, theirs = audit.to_arrow(), parquet.read_table(printed / "steps.parquet")
    assert ours.equals(theirs) and ours.schema.equals(theirs.schema)
    for field in ours.schema:  # a file's fields have a number as well
        assert field.metadata == {key: theirs.schema.field(field.name).metadata[key] for key in (b"unit", b"meaning")}
    assert ours.schema.field("Fx").metadata[b"unit"] == b"N"


def test_results_are_those_of_the_summary(audit):
    summary = audit.summary
    assert audit.outcome == "incident" and audit.incident and audit.outcome is antaeus.Outcome.incident
    assert (audit.focus_step, audit.focus_endpoint) == (summary["focus"]["step"], summary["focus"]["endpoint"])
    assert [(s.id, s.text) for s in audit.verdict] == [(s["id"], s["text"]) for s in summary["verdict"]]
    assert [(s.id, s.text) for s in audit.cannot_tell] == [(s["id"], s["text"]) for s in summary["cannot_tell"]]
    assert [(e.step, e.kind, e.text) for e in audit.events] == [(e["step"], e["kind"], e["text"])
                                                                for e in summary["events"]]
    assert [c.title for c in audit.counterfactuals] == [c["title"] for c in summary["counterfactuals"]]
    assert [c.cause for c in audit.cause_test.causes] == [c["cause"] for c in summary["cause_test"]["causes"]]
    assert len(audit.pose_counterfactuals) == len(summary["pose_counterfactuals"]) > 0
    assert audit.whole["schema"] == "antaeus.audit.whole/1"
    assert audit.whole["steps"] == 0  # all of it was audited
    assert audit.advice and audit.advice[0].conditions[0].quantity in list(antaeus.PoseQuantity)
    assert [table.step for table in audit.reliability] == [table["step"] for table in summary["reliability"]]
    assert audit.feasibility[0].estimator == "stacked" and audit.tilt[0].axis == "roll"
    assert not audit.contact.found and np.isnan(audit.contact.size)
    assert audit.usable_share == 1.0 and len(audit.baselines) == 1 and audit.baselines[0].episode.name == "good"
    clamp, = [o for o in audit.settings if (o.group, o.name) == ("published_guard", "clamp_force")]
    assert float(clamp.value) > 0 and clamp.unit == "N" and clamp.meaning and clamp.source
    assert audit.endpoints[0].frame and audit.description.name and audit.base == "free_flyer"
    assert repr(audit) == (f"Audit(incident of h1_2: incident, {audit.audited.reconstruction.steps()} steps, focus "
                           f"{WRIST} at step {audit.focus_step})")


def test_series(audit):
    deployed, posterior = audit.series(WRIST, "deployed"), audit.series("left wrist", "posterior")
    n = audit.audited.reconstruction.steps()
    assert deployed.wrench.shape == posterior.sd.shape == (n, 6) and deployed.sd is None
    assert posterior.endpoint == WRIST and deployed.sign == posterior.sign == "on_environment"
    for attribution in audit.attributions:
        series = audit.series(attribution.endpoint, str(attribution.estimator))
        assert np.array_equal(attribution.wrench, series.wrench[attribution.step])
        assert attribution.contribution.shape == (6, attribution.tau.size)
    assert np.array_equal(deployed.force_norm[audit.focus_step], np.linalg.norm(deployed.wrench[audit.focus_step, :3]))
    verdicts, actions = list(antaeus.Verdict), list(antaeus.ConsumerAction)
    trace = posterior.posterior
    assert deployed.posterior is None and deployed.guards[0].guard == "watchdog" and deployed.verdict.dtype == np.uint8
    timeline = antaeus.guard_timeline(posterior)
    assert timeline[0].start == 0 and timeline[-1].to == n - 1
    for part in timeline:
        steps = slice(part.start, part.to + 1)
        assert {verdicts[code] for code in trace.state[steps]} == {part.state}
        assert actions[trace.action[part.start]] == part.action
        assert trace.because[part.start] == part.because
    assert [bool(reasons) for reasons in posterior.reasons] == [verdicts[code] != "ok" for code in posterior.verdict]
    assert trace.redundancy.shape == (n, trace.rows.size) and trace.redundancy.dtype == np.float32
    assert len(audit.audited.reconstruction.series) == len(set(zip(audit.steps["endpoint"], audit.steps["estimator"],
                                                                   strict=True)))


# What goes in --------------------------------------------------------------------------------------------------------


def test_objects_give_the_numbers_of_their_files(logs, audit):
    robot = antaeus.load_robot("h1_2")
    incident, good = (antaeus.load_episode(logs / kind, robot) for kind in ("incident", "good"))
    own = antaeus.audit(incident, robot, baselines=[good])
    assert own.command == ""  # no line can name an object
    expected = audit.summary
    assert expected.pop("command") and own.summary | {"command": None} == expected | {"command": None}
    mixed = antaeus.audit(str(logs / "incident"), robot, [good, logs / "good"])
    assert mixed.command == "" and len(mixed.baselines) == 2
    assert incident.q.shape == own.audited.episode.q.shape  # handed over, not used up


def test_part_endpoints_and_settings_are_the_command_lines(logs, tmp_path):
    time_of = antaeus.audit(logs / "incident", "h1_2").audited.reconstruction.time
    start, stop = float(time_of[5]), float(time_of[40])
    out = command_line(logs, tmp_path / "cli", "--endpoint", "left wrist", "--from", repr(start), "--to", repr(stop),
                       "--set", "published_guard.clamp_force=31")
    own = antaeus.audit(logs / "incident", "h1_2", endpoints=["left wrist"], start=start, stop=stop,
                        settings={"published_guard.clamp_force": 31})
    expected, found = json.loads((out / "summary.json").read_text(encoding="utf-8")), own.summary
    assert found["command"] == expected["command"]
    assert "--endpoint 'left wrist'" in found["command"] and "--set published_guard.clamp_force=31" in found["command"]
    # Where a setting was written is all that differs.
    assert json.dumps(found).replace("audit.settings", "--set") == json.dumps(expected)
    assert own.audited.reconstruction.first_step == 5 and own.steps["step"][0] == 5


@pytest.mark.parametrize("name", [b"two words", b"it's", "é µ".encode(), b"-x", b"a$b`c`", b"bytes \xff"])
def test_the_command_is_the_command_lines_whatever_the_name(logs, tmp_path, name):
    folder = tmp_path / os.fsdecode(name)
    shutil.copytree(logs / "incident", folder)
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", b"./" + name, "--robot", "h1_2", "--json"], cwd=tmp_path,
                          capture_output=True, timeout=60, check=False)
    own = antaeus.audit(folder, "h1_2")
    own.save(tmp_path / "summary.json")
    assert (tmp_path / "summary.json").read_bytes() == done.stdout
    word = shlex.split(own.command)[2]
    assert os.path.normpath(word) == os.fsdecode(name) and own.summary["incident"] and repr(own).startswith("Audit(")


def test_the_callers_robot_stays_as_it_is(robot, logs):
    before = len(robot.profile.settings.all())
    own = antaeus.audit(logs / "incident", robot, settings={"published_guard.clamp_force": 31, "posterior.sign": "on_robot"})
    assert own.series(WRIST, "posterior").sign == "on_robot"
    assert len(robot.profile.settings.all()) == before


@pytest.mark.parametrize("change, kind, message", [
    ({"robot": "h1_3"}, antaeus.ModelError, "unknown robot 'h1_3'; did you mean 'h1_2'"),
    ({"episode": "nowhere"}, antaeus.EpisodeError, "nowhere: no such episode"),
    ({"baselines": ["nowhere"]}, antaeus.EpisodeError, "nowhere: no such episode"),
    ({"endpoints": ["left_wrst"]}, antaeus.ModelError, "audit.endpoints: .*'left_wrst'; did you mean 'left wrist'"),
    ({"settings": {"published_guard.clamp_forc": 31}}, antaeus.OptionsError, "audit.settings: .*did you mean 'clamp_force'"),
    ({"settings": {"clamp_force": 31}}, antaeus.OptionsError, "audit.settings"),
    ({"settings": {"published_guard.clamp_force": None}}, antaeus.OptionsError, "audit.settings.*NoneType"),
    ({"start": float("nan")}, antaeus.OptionsError, "audit.start: nan is not a time stamp"),
    ({"stop": -1}, antaeus.OptionsError, "audit.stop: -1 is not a time stamp"),
    ({"start": 1e9}, antaeus.EpisodeError, r"no step from 1e\+09 s on"),
    ({"baselines": "good"}, TypeError, "audit.baselines: of type str; give a list of paths or Episodes"),
    ({"episode": 3}, TypeError, "audit.episode: of type int; give a path or an Episode"),
])
def test_what_cannot_be_used_is_refused_in_one_line(logs, change, kind, message):
    arguments = {"episode": logs / "incident", "robot": "h1_2"} | change
    with pytest.raises(kind, match=message) as caught:
        antaeus.audit(**arguments)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["page.pdf", "page", "page.HTM", "."])
def test_save_writes_two_formats_and_names_them(audit, tmp_path, name):
    with pytest.raises(ValueError, match=r"^audit\.save: .*\.html .*\.json [^\n]*$"):
        audit.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_file(audit, tmp_path):
    (tmp_path / "file").write_text("old", encoding="utf-8")
    with pytest.raises(antaeus.Error, match="file"):
        audit.save(tmp_path / "file/page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text(encoding="utf-8") == "old"


def test_an_endpoint_or_estimator_that_is_not_there(audit):
    with pytest.raises(antaeus.OptionsError, match="'left_wrst'; did you mean 'left wrist'"):
        audit.series("left_wrst", "deployed")
    with pytest.raises(antaeus.OptionsError, match="'postrior'; did you mean 'posterior'"):
        audit.series(WRIST, "postrior")
    foot = next(endpoint.frame for endpoint in audit.endpoints if endpoint.kind == "foot")
    with pytest.raises(antaeus.OptionsError, match="series.endpoint"):
        audit.series(foot, "posterior")
    with pytest.raises(antaeus.OptionsError, match="guard_timeline: .*deployed"):
        antaeus.guard_timeline(audit.series(WRIST, "deployed"))


def test_attribution_and_episode_have_the_values_of_the_log(audit, logs):
    tau, q = np.load(logs / "incident/tau.npy"), np.load(logs / "incident/qpos.npy")
    attribution = audit.attributions[0]
    assert attribution.estimator == "deployed" and np.array_equal(attribution.tau, tau[audit.focus_step])
    assert np.array_equal(audit.audited.episode.q, q)
    assert audit.advice[0].moves or audit.advice[0].alone
