"""The command line as a user meets it: exit codes, help, names, streams, and what each verb prints."""

import csv
import json
import os
import re

import needs
import pytest
from command_line import ROOT, prose, refused, run, text

def test_help_of_the_program_names_the_exit_codes():
    done = run("--help")
    assert done.returncode == 0 and done.stderr == b""
    assert "Exit codes: 0 fine, 1 ran and refused or found an incident, 2 bad input" in prose(done.stdout)


JOINTS = ("-e", "left wrist", "-j", "left_shoulder_pitch_joint", "-j", "left_elbow_joint")
OF_H1_2 = {"audit": (), "show": (), "estimate": (), "identify": ("--contact-free", "all"), "preflight": ("--pose", "zero"),
           "advise": ("--pose", "zero", *JOINTS), "map": ("--pose", "zero", *JOINTS), "robot": ("h1_2",),
           "ik": ("--frame", "left_wrist_yaw_link", "--target", "0.3,0.2,0.1")}


@pytest.mark.parametrize(("load", "words"), [("left_wrist_yaw_lnk=1", "left_wrist_yaw_link"), ("left_wrist_yaw_link=-1", "negative mass"),
                                             ("left_wrist_yaw_link=1,2", "FRAME=MASS")])
@pytest.mark.parametrize("verb", OF_H1_2)
def test_a_bad_load_is_one_line_in_every_verb(twins, tmp_path, verb, load, words):
    log = (twins / "twin_good",) if verb in ("audit", "show", "estimate", "identify") else ()
    robot = () if verb == "robot" else ("--robot", "h1_2")
    line = refused(verb, *log, *OF_H1_2[verb], *robot, "--payload", load, cwd=tmp_path)
    assert "--payload" in line and words in line and list(tmp_path.iterdir()) == []


# Verbs that are written in Python: the same help, exit codes and one-line errors.


def test_a_verb_in_python_has_its_help():
    done = run("cmake-prefix", "--help")
    assert done.returncode == 0 and "CMAKE_PREFIX_PATH" in text(done.stdout)


def test_a_verb_in_python_refuses_in_one_line():
    assert "unexpected argument 'more'" in refused("cmake-prefix", "more")
    assert "holds no CMake package" in refused("cmake-prefix")  # of a build tree
    assert "did you mean 'cmake-prefix'" in refused("cmake-prefx")


def test_without_a_python_a_verb_says_so(monkeypatch):
    monkeypatch.setenv("ANTAEUS_PYTHON", "/none/python")
    assert "/none/python cannot be run (No such file or directory)" in refused("cmake-prefix")


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"antaeus \d+\.\d+\.\d+\n", text(done.stdout))


def test_no_arguments_print_the_help():
    done = run()
    assert done.returncode == 2
    assert "audit" in text(done.stdout + done.stderr)


def test_nearest_names(twins):
    incident = twins / "twin_incident"
    for arguments, wrong, right in [
        (("audti",), "audti", "audit"),
        (("audit", incident, "--robto", "h1_2"), "--robto", "--robot"),
        (("preflight", "--robot", "h1_2", "--pos", "zero"), "--pos", "--pose"),
        (("audit", incident, "--robot", "h1-2"), "h1-2", "h1_2"),
        (("robot", "planar3r"), "planar3r", "planar_3r"),
        (("audit", incident, "--robot", "h1_2", "--endpoint", "left_wrist"), "left_wrist", "left wrist"),
        (("estimate", incident, "--robot", "h1_2", "--endpoint", "left_wrist_yaw_lnk"), "left_wrist_yaw_lnk", "left_wrist_yaw_link"),
        (("estimate", incident, "--robot", "h1_2", "--estimator", "stackd"), "stackd", "stacked"),
        (("preflight", "--robot", "h1_2", "--endpoint", "left_wrst_yaw_link", "--pose", "zero"), "left_wrst", "left_wrist_yaw_link"),
        (("preflight", "--robot", "h1_2", "--pose", "arm_waist"), "arm_waist", "arm_waist_target"),
        (("preflight", "--robot", "h1_2", "--positions", "torso_jiont=1"), "torso_jiont", "torso_joint"),
        (("audit", incident, "--robot", "h1_2", "--set", "publishd_guard.clamp_force=1"), "publishd_guard", "published_guard"),
        (("audit", incident, "--robot", "h1_2", "--set", "published_guard.clamp_froce=1"), "clamp_froce", "clamp_force"),
        (("audit", incident, "--robot", "h1_2", "--set", "equation.imu=mountd"), "mountd", "mounted"),
        (("audit", twins / "twin_incidnet", "--robot", "h1_2"), "twin_incidnet", "twin_incident"),
    ]:
        line = refused(*arguments)
        assert wrong in line and f"did you mean '{right}" in line, line


def test_values_of_options_are_checked(twins):
    incident = twins / "twin_incident"
    for assignment, why in [
        ("published_guard.clamp_force=ten", "not a number"), ("published_guard.clamp_force=-1", "zero or more"), ("published_guard.clamp_force=nan", "'nan' is not a number that fits; write a number, zero or more"),
        ("published_guard.clamp_force=inf", "'inf' is not a number that fits"), ("published_guard.watchdog_steps=0", "write a whole number, at least 1"),
        ("published_guard.watchdog_steps=1.5", "not a number"), ("feasibility.sole_forward=inf", "write a number, any finite one"), ("posterior.false_alarm=1", "more than zero and less than 1"), ("clamp_force=1", "not an assignment"), ("published_guard.clamp_force", "not an assignment"),
        ("episode.require_target=maybe", "true or false"),
    ]:
        line = refused("audit", incident, "--robot", "h1_2", "--set", assignment)
        assert why in line and line.startswith("antaeus: --set: "), line
    for verb in ("estimate", "preflight"):
        episode = [incident] if verb == "estimate" else ["--episode", incident]
        assert "is past the end" in refused(verb, *episode, "--robot", "h1_2", "--step", "77")
        refused(verb, *episode, "--robot", "h1_2", "--step", "-1")
        refused(verb, *episode, "--robot", "h1_2", "--step", "many")
    refused("audit", incident, "--robot", "h1_2", "--from", "soon")
    refused("audit", incident, "--robot", "h1_2", "--from", "nan")
    refused("audit", incident, "--robot", "h1_2", "--to", "0.001")
    refused("audit", incident)
    refused("audit", "--robot", "h1_2")
    refused("audit", incident, "surplus", "--robot", "h1_2")
    refused("preflight", "--robot", "h1_2")
    refused("preflight", "--robot", "h1_2", "--pose", "zero", "--positions", "torso_joint=1")
    refused("preflight", "--robot", "h1_2", "--positions", "torso_joint=nan")


def test_demo(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == b""
    story = text(done.stdout)
    assert "Incident: at step 8" in story
    assert "antaeus-demo" in story.splitlines()[-1]
    assert sorted(os.listdir(tmp_path)) == ["antaeus-demo"]
    assert sorted(os.listdir(tmp_path / "antaeus-demo")) == ["report.html", "steps.csv", "steps.parquet", "summary.json"]


def test_audit_tells_an_incident_from_a_good_run(twins, tmp_path):
    assert run("audit", twins / "twin_incident", "--robot", "h1_2", "--out", tmp_path / "a").returncode == 1
    good = run("audit", twins / "twin_good", "--robot", "h1_2", "--out", tmp_path / "b")
    assert good.returncode == 0 and good.stderr == b""
    assert "No incident" in prose(good.stdout)


def test_audit_without_out_names_its_folder_after_the_episode(twins, tmp_path):
    done = run("audit", twins / "twin_good", "--robot", "h1_2", cwd=tmp_path)
    assert os.listdir(tmp_path) == ["antaeus-audit-twin_good"]
    assert "antaeus-audit-twin_good" in text(done.stdout)


def test_json_is_summary_json(twins, tmp_path):
    arguments = ("audit", twins / "twin_incident", "--robot", "h1_2", "--baseline", twins / "twin_good", "--json")
    done = run(*arguments, "--out", tmp_path / "out")
    assert done.returncode == 1 and done.stderr == b""
    assert done.stdout == (tmp_path / "out" / "summary.json").read_bytes()
    summary = json.loads(done.stdout)
    assert summary["schema"] == "antaeus.audit.summary/1"
    assert summary["incident"] is True
    alone = tmp_path / "alone"
    alone.mkdir()
    assert run(*arguments, cwd=alone).stdout == done.stdout
    assert os.listdir(alone) == [], "--json alone writes nothing"


def test_endpoints_by_label_and_from_to(twins, tmp_path):
    done = run("audit", twins / "twin_incident", "--robot", "h1_2", "-e", "left wrist", "-e", "right_ankle_roll_link",
               "--from", "22.5", "--to", "22.7", "--json")
    summary = json.loads(done.stdout)
    assert {s["endpoint"] for s in summary["audited"]["series"]} == {"left_wrist_yaw_link", "right_ankle_roll_link"}
    assert summary["audited"]["first_step"] == 3
    assert summary["audited"]["time_begin_s"] >= 22.5 and summary["audited"]["time_end_s"] <= 22.7
    assert summary["focus"]["step"] == 8
    assert summary["command"].startswith("antaeus audit twin_incident --robot h1_2")


def test_the_command_in_the_summary_reproduces_it(twins):
    done = run("audit", twins / "twin_incident", "--robot", "h1_2", "--baseline", twins / "twin_good", "--set", "published_guard.clamp_force=30", "--json")
    command = json.loads(done.stdout)["command"].replace("'", "").split(" ")
    assert command[0] == "antaeus"
    assert run(*command[1:], "--json", cwd=twins).stdout == done.stdout


def test_an_episode_keeps_its_name_however_it_is_called(twins):
    incident = twins / "twin_incident"
    whole = run("audit", incident, "--robot", "h1_2", "--json").stdout
    for path, cwd in [(".", incident), ("../twin_incident/", incident), (f"{incident}/.", None), ("twin_incident//", twins)]:
        assert run("audit", path, "--robot", "h1_2", "--json", cwd=cwd).stdout == whole, path


def test_set_changes_what_it_says(twins):
    def clamp(*more):
        summary = json.loads(run("audit", twins / "twin_incident", "--robot", "h1_2", "--json", *more).stdout)
        value = next(s["value"] for s in summary["settings"] if s["option"] == "published_guard.clamp_force")
        return value, next(c for c in summary["counterfactuals"] if c["remedy"] == "clamp")["force_at_focus_N"][2]

    assert clamp() == ("50", -50.0)
    assert clamp("--set", "published_guard.clamp_force=30") == ("30", -30.0)
    assert clamp("--set", "published_guard.clamp_force=30", "--set", "published_guard.clamp_force=40") == ("40", -40.0), "the last one counts"


def test_estimate(twins, tmp_path):
    incident = twins / "twin_incident"
    table = run("estimate", incident, "--robot", "h1_2")
    assert table.returncode == 0 and table.stderr == b""
    assert "on_environment" in text(table.stdout) and "57 more steps" in text(table.stdout)
    one = json.loads(run("estimate", incident, "--robot", "h1_2", "--step", "8", "--endpoint", "left wrist", "--json").stdout)
    assert [row["step"] for row in one["rows"]] == [8]
    row = one["rows"][0]
    assert (row["endpoint"], row["estimator"], row["sign"]) == ("left_wrist_yaw_link", "posterior", "on_environment")
    assert row["verdict"] == "refused" and row["residual_kind"] == "static" and "unobservable_direction" in row["reasons"].split()
    assert row["worst_sd"] == pytest.approx(20.0, abs=0.05)  # the prior: this direction leaves no trace in the torques
    deployed = json.loads(run("estimate", incident, "--robot", "h1_2", "--step", "8", "--endpoint", "left wrist", "--estimator", "deployed", "--json").stdout)
    row = deployed["rows"][0]
    assert (row["endpoint"], row["estimator"], row["sign"]) == ("left_wrist_yaw_link", "deployed", "on_environment")
    assert row["wrench"][2] == pytest.approx(-532.9, abs=0.05)  # incident report
    assert row["verdict"] == "refused" and row["sd"] is None and row["worst_sd"] is None
    stacked = json.loads(run("estimate", incident, "--robot", "h1_2", "--estimator", "stacked", "--json").stdout)
    assert {row["estimator"] for row in stacked["rows"]} == {"stacked"}
    assert len(stacked["rows"]) == 77 * 4
    done = run("estimate", incident, "--robot", "h1_2", "--out", tmp_path / "wrenches.csv")
    assert done.returncode == 0
    assert (tmp_path / "wrenches.csv").read_text().startswith("step,time,endpoint,estimator,")
    assert run("estimate", incident, "--robot", "h1_2", "--out", tmp_path / "wrenches.parquet").returncode == 0
    assert (tmp_path / "wrenches.parquet").read_bytes()[:4] == b"PAR1"


def test_estimate_smoothed(twins, tmp_path):
    """The whole log's word on each step: without memory the posterior's, with it never less certain."""
    incident, names = twins / "twin_incident", ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]

    def rows(*arguments):
        done = run("estimate", incident, "--robot", "h1_2", "--json", *arguments)
        assert done.returncode == 0, text(done.stderr)
        return json.loads(done.stdout)["rows"]

    posterior, forgetful, smoothed = rows(), rows("--smooth", "1e-9"), rows("--smooth", "0.2")
    assert len(posterior) == len(forgetful) == len(smoothed)
    for one, alone, known in zip(posterior, forgetful, smoothed):
        assert (alone["step"], alone["endpoint"], alone["estimator"]) == (one["step"], one["endpoint"], "smoothed")
        assert alone["wrench"] == pytest.approx(one["wrench"], abs=1e-6)
        assert alone["wrench"] == [alone[name] for name in names]
        assert all(sd <= least * (1 + 1e-9) for sd, least in zip(known["sd"], alone["sd"]))
    assert any(known["wrench"] != one["wrench"] for known, one in zip(smoothed, posterior))
    file = tmp_path / "smoothed.csv"
    done = run("estimate", incident, "--robot", "h1_2", "--smooth", "0.2", "--out", file)
    assert done.returncode == 0 and "Estimator smoothed" in prose(done.stdout) and "from the whole log" in prose(done.stdout)
    with file.open(encoding="utf-8") as lines:
        written = list(csv.DictReader(lines))
    assert [float(row["Fz"]) for row in written] == [row["Fz"] for row in smoothed]
    assert {row["estimator"] for row in written} == {"smoothed"}
    assert "--smooth: smooths the posterior alone" in refused("estimate", incident, "--robot", "h1_2", "--smooth", "0.2",
                                                              "--estimator", "deployed")
    for bad in ("0", "-1", "x"):
        assert run("estimate", incident, "--robot", "h1_2", "--smooth", bad).returncode == 2


@pytest.mark.parametrize("estimator", ["posterior", "deployed", "stacked"])
def test_json_of_an_estimate_says_what_its_csv_says(twins, tmp_path, estimator):
    done = run("estimate", twins / "twin_incident", "--robot", "h1_2", "--estimator", estimator, "--json", "--out", tmp_path / "wrenches.csv")
    rows = json.loads(done.stdout)["rows"]
    header, *cells = [line.split(",") for line in (tmp_path / "wrenches.csv").read_text("utf-8").splitlines()]
    assert len(rows) == len(cells)
    for row, line in zip(rows, cells):
        for name, cell in zip(header, line):
            assert row[name] == cell if isinstance(row[name], str) else row[name] is None and cell == "" or row[name] == float(cell), (name, row[name], cell)


def test_estimate_prints_the_posterior_and_leaves_feet_out(twins):
    incident = twins / "twin_incident"
    shown = text(run("estimate", incident, "--robot", "h1_2").stdout)
    assert "Estimator posterior, sign on_environment" in shown and "static residual" in shown
    assert "worst sd N" in shown and "unobservable_direction" in shown
    assert "Left out: left foot, right foot" in " ".join(shown.split())
    assert json.loads(run("estimate", incident, "--robot", "h1_2", "--json").stdout)["left_out"] == ["left foot", "right foot"]
    line = refused("estimate", incident, "--robot", "h1_2", "--endpoint", "left foot")
    assert "no posterior at left foot" in line and "--estimator deployed" in line
    assert "Left out" not in prose(run("estimate", incident, "--robot", "h1_2", "--endpoint", "left foot", "--estimator", "stacked").stdout)


@pytest.mark.parametrize("estimator", ["deployed", "stacked"])
def test_estimate_and_audit_agree(twins, tmp_path, estimator):
    incident = twins / "twin_incident"
    run("estimate", incident, "--robot", "h1_2", "--estimator", estimator, "--out", tmp_path / "wrenches.csv")
    run("audit", incident, "--robot", "h1_2", "--out", tmp_path / "audit")
    header, *rows = (tmp_path / "audit" / "steps.csv").read_text("utf-8").splitlines()
    own = [row for row in rows if row.split(",")[3] == estimator]
    assert (tmp_path / "wrenches.csv").read_text("utf-8").splitlines() == [header, *own]


def test_forces_have_the_profiles_sign_else_on_robot(small, twins):
    def rows(*arguments):
        return json.loads(run("estimate", *arguments, "--json").stdout)["rows"]

    for estimator in ("posterior", "deployed", "stacked"):
        plain, turned = (rows(small, "--robot", "planar_3r", "--estimator", estimator, *more) for more in ((), ("--set", "estimator.sign=on_environment")))
        assert {row["sign"] for row in plain} == {"on_robot"}, "planar_3r states no deployed sign"
        assert {row["sign"] for row in turned} == {"on_environment"}
        assert [row["Fx"] for row in plain] == [-row["Fx"] for row in turned]
        assert {row["sign"] for row in rows(twins / "twin_good", "--robot", "h1_2", "--estimator", estimator, "--step", "0")} == {"on_environment"}
    assert "sign of forces: on_robot (Antaeus' convention: the profile states no deployed sign)" in prose(run("robot", "planar_3r").stdout)
    assert "sign of forces: on_environment (the profile's deployed sign)" in prose(run("robot", "h1_2").stdout)


def test_robot_says_where_its_settings_come_from(small):
    def settings(*arguments):
        return {s["option"]: s for s in json.loads(run("robot", *arguments, "--json").stdout)["settings"]}

    h1_2 = settings("h1_2")
    assert h1_2["consumer_guard.force_limit"]["value"] == "60" and "rated_load, 3.06 kg" in h1_2["consumer_guard.force_limit"]["source"]
    urdf = ROOT / "robots" / "planar_3r" / "planar_3r.urdf"
    assert "consumer_guard.force_limit" not in settings(urdf) and "name them with --endpoint" in " ".join(text(run("robot", urdf).stdout).split())
    assert "half of what joint_1 holds at its longest lever (50 N·m at 1.2 m)" in settings(urdf, "--endpoint", "tool")["posterior.force_prior"]["source"]
    shown = " ".join(text(run("robot", "planar_3r").stdout).split())
    assert "consumer_guard.force_limit 42 N" in shown and "profile, effort" in shown
    assert "did you mean 'tool'" in refused("robot", urdf, "--endpoint", "tol")
    summary = json.loads(run("audit", small, "--robot", "planar_3r", "--json", "--set", "consumer_guard.force_limit=33").stdout)
    sources = {s["option"]: (s["value"], s["source"]) for s in summary["settings"]}
    assert sources["consumer_guard.force_limit"][0] == "33" and sources["consumer_guard.force_limit"][1].startswith("set: --set")
    assert sources["posterior.force_prior"][0] == "14" and "joint_1" in sources["posterior.force_prior"][1]
    assert "joint_1" not in sources["posterior.false_alarm"][1]


def test_targets_are_optional_unless_they_are_asked_for(small):
    (small / "target_dof.npy").unlink()
    assert run("estimate", small, "--robot", "planar_3r").returncode == 0
    assert run("audit", small, "--robot", "planar_3r", "--json").returncode == 0
    for verb in ("estimate", "audit"):
        assert "require_target was set" in refused(verb, small, "--robot", "planar_3r", "--json", "--set", "episode.require_target=true")


def test_preflight_refuses_the_incidents_pose_and_passes_zero():
    done = run("preflight", "--robot", "h1_2", "--pose", "arm_waist_target")
    assert done.returncode == 1 and done.stderr == b""
    assert "15.035" in text(done.stdout) and "REFUSED" in text(done.stdout)
    report = json.loads(run("preflight", "--robot", "h1_2", "--pose", "arm_waist_target", "--json").stdout)
    assert report["passed"] is False
    gains = {c["subject"]: c["value"] for c in report["checks"] if c["check"] == "gain"}
    # The gain of the commanded pose: the figure of docs/validation.md#study-behind-the-defaults and of the robot's profile; the report's figures are of the drooped arm.
    assert gains["left_wrist_yaw_link"] == pytest.approx(15.035, abs=0.0005)
    sds = {c["subject"]: c for c in report["checks"] if c["check"] == "sd"}
    assert sds["left_wrist_yaw_link"]["value"] == pytest.approx(20.0, abs=0.05) and not sds["left_wrist_yaw_link"]["passed"]
    done = run("preflight", "--robot", "h1_2", "--pose", "zero")
    assert done.returncode == 0 and "Pre-flight passed" in prose(done.stdout)
    report = json.loads(run("preflight", "--robot", "h1_2", "--pose", "zero", "--json").stdout)
    assert report["passed"] and {c["check"] for c in report["checks"]} == {"gain", "sd", "conditioning"}


def test_preflight_of_an_episode_and_of_positions(twins):
    report = json.loads(run("preflight", "--robot", "h1_2", "--episode", twins / "twin_good", "--json").stdout)
    assert report["passed"] is False, "the start-error check refuses a good run"
    assert {c["check"] for c in report["checks"] if not c["passed"]} == {"start_error"}
    posed = json.loads(run("preflight", "--robot", "h1_2", "--json", "--positions",
                           "left_shoulder_pitch_joint=-0.3,left_elbow_joint=1.5,right_shoulder_pitch_joint=-0.9,"
                           "right_shoulder_roll_joint=-0.47,right_elbow_joint=0.5").stdout)
    named = json.loads(run("preflight", "--robot", "h1_2", "--json", "--pose", "arm_waist_target").stdout)
    assert posed == named


def test_robot_list_and_details():
    listed = text(run("robot").stdout)
    assert "h1_2" in listed and "planar_3r" in listed
    robots = json.loads(run("robot", "--json").stdout)["robots"]
    assert {r["name"]: r["motors"] for r in robots} == {"h1_2": 27, "panda": 7, "planar_3r": 3, "spacecraft_panda": 7, "spacecraft_ur3": 6, "ur5e": 6, "ur5e_2f85": 6}
    assert next(r for r in robots if r["name"] == "h1_2")["total_mass_kg"] == pytest.approx(66.98, abs=0.005)  # docs/validation.md#the-incident
    shown = json.loads(run("robot", "h1_2", "--json").stdout)
    assert (shown["nq"], shown["nv"], len(shown["motors"])) == (34, 33, 27)  # incident report
    assert shown["motors"][12]["joint"] == "torso_joint" and shown["reference_joint"] == "torso_joint"
    by_file = json.loads(run("robot", ROOT / "robots" / "h1_2" / "profile.toml", "--json").stdout)
    assert by_file == shown
    bare = json.loads(run("robot", ROOT / "robots" / "planar_3r" / "planar_3r.urdf", "--json").stdout)
    assert len(bare["motors"]) == 3 and bare["reference_joint"] is None


@needs.FULL_DEVICE
def test_a_full_stdout_is_no_success(twins):
    with open("/dev/full", "wb") as full:
        done = run("audit", twins / "twin_good", "--robot", "h1_2", "--json", stdout=full)
    assert done.returncode == 2
    assert text(done.stderr).splitlines() == ["antaeus: stdout: cannot be written; free disk space, or redirect it"]


def test_nothing_but_text_without_a_terminal(twins):
    done = run("audit", twins / "twin_incident", "--robot", "h1_2", "--out", twins.parent / "plain")
    assert b"\033" not in done.stdout and b"\r" not in done.stdout and done.stderr == b""
