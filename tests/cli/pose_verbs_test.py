"""preflight, advise and map as a user meets them: what they print, their JSON as docs/reference/cli.md has it, their files, their refusals."""

import json
import os
import re
import shutil
import xml.etree.ElementTree

import numpy as np
import pyarrow.parquet
import pytest
from command_line import ROOT, cpu_of, prose, refused, run, text
from reference import keys

TARGET = ("--robot", "h1_2", "--pose", "arm_waist_target")
PLANE = ("-e", "left wrist", "-j", "left_shoulder_pitch_joint", "-j", "left_elbow_joint")


# --- preflight ----------------------------------------------------------------------------------------------------------

def test_the_sd_check_alone_refuses_too():
    done = run("preflight", "--robot", "h1_2", "--pose", "zero", "--set", "preflight.sd_limit=1")
    assert done.returncode == 1 and "REFUSED" in text(done.stdout)


def test_preflight_json_is_as_documented():
    report = json.loads(run("preflight", *TARGET, "--json").stdout)
    told = [key.removeprefix("audited.preflight.") for key in keys("Audit: summary.json") if key.startswith("audited.preflight.")]

    def leaves(value, path=""):
        if isinstance(value, dict):
            return {leaf for key, member in value.items() for leaf in leaves(member, f"{path}.{key}" if path else key)}
        if isinstance(value, list):
            return {leaf for item in value for leaf in leaves(item, path + "[]")}
        return {path}

    assert leaves(report) == set(told) | {"schema", "base", "base_source"}
    left = report["endpoints"][0]
    assert left["sd_moving"]["worst_N"] >= left["sd_rest"]["worst_N"]
    assert [j["joint"] for j in left["joints"]][0] == "torso_joint" and len(left["joints"]) == 8
    assert left["phantom"][2] > 15 * 6, "the torso's budget of 6 N·m alone"


def test_preflight_is_quick():
    seconds, _ = cpu_of(lambda: run("preflight", *TARGET))
    assert seconds < 0.5, "0.02 s on an idle machine; 0.1 s is what a user does not notice"


def test_preflight_reads_well():
    story = text(run("preflight", *TARGET).stdout)
    for words in ("at rest", "moving", "Phantom", "torso_joint", "never", "published", "Antaeus", "2 of 3"):
        assert words in story, words
    assert max(map(len, story.splitlines())) <= 130


@pytest.mark.parametrize(("pose", "forces", "sigma"), [("bent", (10, 13.8, 1.6), 0.299), ("straight", (71, 125.6, 8.7), 0.035)])
def test_preflight_reads_the_planar_arms_error_as_the_report_does(pose, forces, sigma):
    """5 N·m too much at the first joint: 10 N bent, 71 N straight, through the 2 × 3 Jacobian of the tool's place."""
    arguments = ("preflight", "--robot", "planar_3r", "--pose", pose)
    report = json.loads(run(*arguments, "--json").stdout)
    readings = report["joint_readings"]
    assert [(r["endpoint"], r["joint"], r["error"]) for r in readings] == [("tool", f"joint_{i}", 5) for i in (1, 2, 3)]
    assert [round(r["force_N"], 0 if f == int(f) else 1) for r, f in zip(readings, forces)] == list(forces)
    assert round(report["endpoints"][0]["sigma_min"], 3) == sigma
    story = text(run(*arguments).stdout)
    assert "Force that an error of 5 N·m in one torque reads as" in story
    (line,) = [line for line in story.splitlines() if re.match(r"\s*tool +joint_1 ", line)]
    assert round(float(line.split()[-1])) == forces[0]
    assert "joint_readings" not in json.loads(run("preflight", *TARGET, "--json").stdout)


def with_imu(twins, folder, quaternion):
    """The incident's twin with this quaternion at every step; None: without an IMU."""
    shutil.copytree(twins / "twin_incident", folder)
    for file in folder.glob("imu*"):
        file.unlink()
    steps = len(np.load(folder / "qpos.npy"))
    if quaternion is not None:
        np.save(folder / "imu_quat_xyzw.npy", np.tile(quaternion, (steps, 1)))
    return "preflight", "--robot", "h1_2", "--base", "floating", "--episode", folder


def test_a_logged_imu_turns_the_base(twins, tmp_path):
    """By 20° about y: gains turn with it, what knows no axes stays, and the weight's torques become those of the tilt."""
    half = np.radians(20) / 2
    turn = np.array([[np.cos(2 * half), 0, np.sin(2 * half)], [0, 1, 0], [-np.sin(2 * half), 0, np.cos(2 * half)]])
    upright = with_imu(twins, tmp_path / "upright", None)
    tilted = with_imu(twins, tmp_path / "tilted", [0, np.sin(half), 0, np.cos(half)])
    as_base = ("--set", "equation.imu=as_base")
    without, told = json.loads(run(*upright, *as_base, "--json").stdout), json.loads(run(*tilted, *as_base, "--json").stdout)
    assert "used_imu" not in without and told["used_imu"] is True
    for one, other in zip(without["endpoints"], told["endpoints"], strict=True):
        np.testing.assert_allclose(other["position_m"], one["position_m"], rtol=1e-12, atol=1e-15)
        assert other["kappa"] == pytest.approx(one["kappa"], rel=1e-9)
        name = next(key for key in one if key.startswith("reference_gain"))
        gain = np.array(one[name]).reshape(2, 3) @ turn.T
        np.testing.assert_allclose(np.array(other[name]).reshape(2, 3), gain, rtol=1e-9, atol=1e-12)
    line = "orientation: the logged IMU turns the base"
    assert line in text(run(*tilted).stdout) and "orientation:" not in text(run(*upright).stdout)
    none = ("--set", "equation.imu=none")
    ignored = json.loads(run(*tilted, *none, "--json").stdout)
    assert ignored.pop("used_imu") is False and ignored == json.loads(run(*upright, *none, "--json").stdout)
    assert "the logged IMU was not used" in prose(run(*tilted, *none).stdout)


def test_an_imu_without_a_quaternion_at_the_step_is_one_line(twins, tmp_path):
    spoiled = with_imu(twins, tmp_path / "nan", [np.nan] * 4)
    assert "equation.imu=none" in refused(*spoiled) or "quaternion" in refused(*spoiled)


# --- advise -------------------------------------------------------------------------------------------------------------

def test_advise_gives_both_sets_for_the_left_elbow():
    """sd < 5 N needs the left elbow at ≤ 1.0 rad, the report's gain < 3 needs 0.4 to 0.6."""
    done = run("advise", *TARGET, "-e", "left wrist", "-j", "left_elbow_joint", "--json")
    assert done.returncode == 0 and done.stderr == b""
    told = json.loads(done.stdout)
    assert told["schema"] == "antaeus.advise/1" and [a["set"] for a in told["advice"]] == ["sd", "published"]
    sd, published = told["advice"]
    assert sd["alone"][0]["below_rad"][0] == pytest.approx(1.02, abs=0.03)
    assert sd["endpoints"][0]["now"]["sd"] == pytest.approx(20.0, abs=0.05) and sd["endpoints"][0]["there"]["sd"] < 5
    assert 0.3 < published["alone"][0]["below_rad"][0] < 0.6
    assert [limit["quantity"] for limit in published["limits"]] == ["gain", "kappa"]
    assert sd["moves"] == [{"joint": "left_elbow_joint", "from_rad": 1.5, "to_rad": pytest.approx(sd["positions_rad"][16])}]
    story = text(run("advise", *TARGET, "-e", "left wrist", "-j", "left_elbow_joint").stdout)
    assert "≤ 1.0" in story and "local optimum" in story and "published" in story


def test_what_advise_says_passes_preflight():
    told = json.loads(run("advise", *TARGET, "--limits", "published", "--limits", "sd", "--limits", "preflight", "--limit", "sd=5", "--limit", "gain=3", "--json").stdout)
    motors = [m["joint"] for m in json.loads(run("robot", "h1_2", "--json").stdout)["motors"]]
    assert [a["set"] for a in told["advice"]] == ["published", "sd", "preflight", "custom"]
    whole = told["advice"][2]
    assert [limit["quantity"] for limit in whole["limits"]] == ["error_force", "gain", "sd"]
    assert whole["found"] and told["advice"][3]["found"]
    positions = ",".join(f"{joint}={q!r}" for joint, q in zip(motors, whole["positions_rad"]))
    done = run("preflight", "--robot", "h1_2", "--positions", positions, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["passed"]


def test_advise_where_nothing_need_move_and_where_nothing_helps():
    done = run("advise", "--robot", "h1_2", "--pose", "zero")
    assert done.returncode == 0 and "nothing need move" in prose(done.stdout)
    done = run("advise", *TARGET, "--limit", "sd=0.01", "-e", "left wrist", "-j", "left_elbow_joint")
    assert done.returncode == 1 and done.stderr == b""
    assert "No pose found" in prose(done.stdout) and "no position suffices" in prose(done.stdout)
    lost = json.loads(run("advise", *TARGET, "--limit", "sd=0.01", "-e", "left wrist", "-j", "left_elbow_joint", "--json").stdout)
    assert lost["advice"][0]["positions_rad"] is None and lost["advice"][0]["moves"] == []


def test_advise_refuses_with_the_nearest_name():
    assert "did you mean 'published'" in refused("advise", *TARGET, "--limits", "publishd")
    assert "did you mean 'kappa'" in refused("advise", *TARGET, "--limit", "kapa=20")
    assert "did you mean 'left_elbow_joint'" in refused("advise", *TARGET, "-j", "left_elbow_jont")
    assert "moves none of the endpoints" in refused("advise", *TARGET, "-e", "left wrist", "-j", "right_elbow_joint")
    for bad in ("sd", "sd=", "sd=0", "sd=-3", "sd=nan", "sd=1e999"):
        assert "not a limit" in refused("advise", *TARGET, "--limit", bad)
    for bad in ("-1", "nan", "near"):
        refused("advise", *TARGET, f"--keep-hand={bad}")
    refused("advise", "--robot", "h1_2")
    assert "reference joint" in refused("advise", "--robot", "planar_3r", "--pose", "bent", "--limit", "gain=3")


# --- map ----------------------------------------------------------------------------------------------------------------

def test_map_over_two_joints(tmp_path):
    seconds, done = cpu_of(lambda: run("map", "--robot", "h1_2", "--pose", "zero", *PLANE, "-e", "right wrist", "--out", tmp_path / "map"))
    assert done.returncode == 0 and done.stderr == b""
    assert seconds < 2, "41 × 41 poses, two endpoints: 0.2 s on an idle machine"
    assert sorted(os.listdir(tmp_path / "map")) == ["map.csv", "map.parquet", "map.svg"]
    table = pyarrow.parquet.read_table(tmp_path / "map" / "map.parquet")
    assert table.num_rows == 41 * 41 * 2
    header, *rows = (tmp_path / "map" / "map.csv").read_text("utf-8").splitlines()
    assert header.split(",") == table.column_names and len(rows) == table.num_rows
    assert header.startswith("left_shoulder_pitch_joint,left_elbow_joint,endpoint,gain,force_gain,kappa,sd,sd_moving,")
    documented = (ROOT / "docs/reference/cli.md").read_text("utf-8")
    for field in table.schema:
        assert field.metadata[b"meaning"], field.name
        assert field.name.startswith(("left_", "sd_F", "worst_")) or f"`{field.name}`" in documented, field.name
    assert table.schema.field("sd").metadata[b"unit"] == b"N"
    xml.etree.ElementTree.parse(tmp_path / "map" / "map.svg")
    first = (tmp_path / "map" / "map.svg").read_bytes()
    run("map", "--robot", "h1_2", "--pose", "zero", *PLANE, "-e", "right wrist", "--out", tmp_path / "again")
    assert (tmp_path / "again" / "map.svg").read_bytes() == first


def test_map_of_a_csv_of_poses(tmp_path):
    poses = tmp_path / "poses.csv"
    poses.write_text("pose,left_shoulder_pitch_joint,left_elbow_joint\n" + "".join(f"p{i},-0.3,{i / 20}\n" for i in range(30)))
    done = run("map", "--robot", "h1_2", "--poses", poses, "-e", "left wrist", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    table = pyarrow.parquet.read_table(tmp_path / "out" / "map.parquet").to_pylist()
    assert [row["pose"] for row in table] == [f"p{i}" for i in range(30)]
    sds = [row["sd"] for row in table]
    assert sds == sorted(sds), "the more the elbow is bent, up to 1.5, the less is known"
    poses.write_text("left_elbow_jont\n1\n")
    assert "did you mean 'left_elbow_joint'" in refused("map", "--robot", "h1_2", "--poses", poses, "--out", tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_map_json_is_as_documented(tmp_path):
    done = run("map", "--robot", "h1_2", "--pose", "zero", *PLANE, "--steps", "5", "--json", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert os.listdir(tmp_path) == [], "--json alone writes nothing"
    assert told["schema"] == "antaeus.map/1" and told["poses"] == 25 and told["joints"] == ["left_shoulder_pitch_joint", "left_elbow_joint"]
    assert [q["quantity"] for q in told["quantities"]] == ["gain", "kappa", "sd"]
    assert {m["pose"]: m["in_plane"] for m in told["marks"]} == {"zero": True, "arm_waist_target": True, "re3_start": False}
    documented = (ROOT / "docs/reference/cli.md").read_text("utf-8")
    for key in [*told, *told["marks"][0], *told["quantities"][0]]:
        assert f"`{key}" in documented or f'"{key}"' in documented, key


def test_map_leaves_out_endpoints_that_its_joints_do_not_move(tmp_path):
    def endpoints(*joints):
        told = json.loads(run("map", "--robot", "h1_2", "--pose", "zero", *joints, "--steps", "3", "--json", cwd=tmp_path).stdout)
        return list(dict.fromkeys(q["endpoint"] for q in told["quantities"]))

    left, right = "left_wrist_yaw_link", "right_wrist_yaw_link"
    assert endpoints("-j", "left_shoulder_pitch_joint", "-j", "left_elbow_joint") == [left]
    assert endpoints("-j", "right_elbow_joint", "-j", "left_elbow_joint") == [left, right]
    line = refused("map", "--robot", "h1_2", "--pose", "zero", "-j", "right_elbow_joint", "-j", "left_elbow_joint", "-e", "right wrist", cwd=tmp_path)
    assert "'left_elbow_joint' moves none" in line


def test_one_quantity_is_drawn_alone(tmp_path):
    def titles(*more):
        run("map", "--robot", "h1_2", "--pose", "zero", *PLANE, "--steps", "5", "--out", tmp_path, *more)
        return re.findall(r'class="head">([^<]+)', (tmp_path / "map.svg").read_text("utf-8"))

    assert len(titles()) == 3
    assert titles("--quantity", "sd") == ["Worst-direction sd at rest [N]"]
    assert "did you mean 'kappa'" in refused("map", "--robot", "h1_2", "--pose", "zero", *PLANE, "-q", "kapa")


def test_map_refuses(tmp_path):
    h1_2 = ("map", "--robot", "h1_2", "--out", tmp_path / "no")
    assert "name two joints" in refused(*h1_2, "--pose", "zero")
    assert "name two joints" in refused(*h1_2, "--pose", "zero", "-j", "left_elbow_joint")
    assert "twice" in refused(*h1_2, "--pose", "zero", "-j", "left_elbow_joint", "-j", "left_elbow_joint")
    assert "did you mean 'left_elbow_joint'" in refused(*h1_2, "--pose", "zero", "-j", "left_elbow_jont", "-j", "torso_joint")
    assert "moves none" in refused(*h1_2, "--pose", "zero", "-j", "left_knee_joint", "-j", "torso_joint")
    for steps in ("1", "0", "-3", "1001", "many"):
        refused(*h1_2, "--pose", "zero", *PLANE, f"--steps={steps}")
    refused(*h1_2, *PLANE)
    refused(*h1_2, "--poses", "zero", "--pose", "zero")
    assert "did you mean 'zero'" in refused(*h1_2, "--poses", "zer")
    refused(*h1_2, "--poses", tmp_path / "absent.csv")
    assert not (tmp_path / "no").exists()


def test_a_map_is_written_whole_or_not_at_all(tmp_path):
    done = run("map", "--robot", "h1_2", "--pose", "zero", *PLANE, "--steps", "21", "--out", tmp_path / "out", file_limit=20000)
    assert done.returncode == 2 and len(text(done.stderr).splitlines()) == 1
    assert not (tmp_path / "out").exists()
