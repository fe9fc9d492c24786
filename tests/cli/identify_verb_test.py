"""antaeus identify: made-up arms whose truth is known, logs of real robots held out, and logs that do not suffice."""

import json
import os
import pathlib
import re
import tomllib

import numpy as np
import pytest
from command_line import ROOT, SHARED, refused, run, text

pinocchio = pytest.importorskip("pinocchio")

PANDA = ROOT / "robots" / "panda"
TIAGO = pathlib.Path(os.environ.get("ANTAEUS_EXAMPLE_ROBOTS", "/nowhere")) / "tiago_description/robots/tiago.urdf"
EPISODES = SHARED / "episodes"
PATIENCE = 240.0  # s: two cores are shared with other tests


def coulomb(motors):
    return 0.7 - 0.08 * np.arange(motors)


def offset(motors):
    return 0.25 * np.arange(motors) - 0.55


def made_log(folder, seconds=30.0, robot="panda", seed=1, swing=0.4, push=(0.0, 0.0, 0.0), urdf=None):
    """A log as .npz of an arm at 100 Hz whose friction and offsets are known; Pinocchio makes its torques.
    push: world axes, N, on the robot at its endpoint. urdf: a description that the robot's own does not know of."""
    profile = tomllib.loads((ROOT / "robots" / robot / "profile.toml").read_text("utf-8"))
    model = pinocchio.buildModelFromUrdf(str(urdf or ROOT / "robots" / robot / profile["model"]))
    data, motors = model.createData(), len(profile["motors"])
    rows = np.array([model.joints[model.getJointId(name)].idx_v for name in profile["motors"]])
    centre = np.array([profile["poses"][0]["positions"].get(name, 0.0) for name in profile["motors"]])
    frame = model.getFrameId(profile["endpoints"][0]["frame"])
    rng = np.random.default_rng(seed)
    time, j = np.arange(0.0, seconds, 0.01), np.arange(motors)
    rate, phase = 0.9 + 0.13 * j, rng.uniform(0, 2 * np.pi, motors)
    angle, fast = np.outer(time, rate) + phase, np.outer(time, 2.3 * rate) + 2 * phase
    q = centre + swing * np.sin(angle) + 0.3 * swing * np.sin(fast)
    v = swing * rate * (np.cos(angle) + 0.69 * np.cos(fast))
    a = -swing * rate**2 * (np.sin(angle) + 0.3 * 2.3**2 * np.sin(fast))
    tau = np.empty_like(q)
    full_q, full_v, full_a = pinocchio.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for i in range(len(time)):
        full_q[rows], full_v[rows], full_a[rows] = q[i], v[i], a[i]
        tau[i] = pinocchio.rnea(model, data, full_q, full_v, full_a)[rows]
        if np.any(push):
            J = pinocchio.computeFrameJacobian(model, data, full_q, frame, pinocchio.LOCAL_WORLD_ALIGNED)
            tau[i] -= (J[:3].T @ np.array(push))[rows]
    slow, keep = np.zeros_like(tau), np.exp(-0.01 / 0.5)
    for i in range(1, len(time)):
        slow[i] = keep * slow[i - 1] + 0.1 * np.sqrt(1 - keep**2) * rng.standard_normal(motors)
    tau += coulomb(motors) * np.tanh(v / 0.03) + offset(motors) + slow + 0.05 * rng.standard_normal(tau.shape)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    file = pathlib.Path(folder) / f"log_{seed}.npz"
    np.savez(file, time=time, qpos=q, tau=tau, dq=v)
    return file


@pytest.fixture(scope="module")
def free(tmp_path_factory):
    return made_log(tmp_path_factory.mktemp("free"))


@pytest.fixture(scope="module")
def identified(free, tmp_path_factory):
    out = tmp_path_factory.mktemp("identified") / "out"
    done = run("identify", free, "--robot", "panda", "--contact-free", "all", "--out", out, seconds=PATIENCE)
    assert done.returncode == 0, (text(done.stdout), text(done.stderr))
    return out, done


def summary_of(out):
    return json.loads((out / "summary.json").read_text("utf-8"))


def test_an_arm_is_identified_and_its_truth_is_covered(identified):
    out, done = identified
    assert done.stderr == b"" and "Is the noise identified?" in text(done.stdout)
    assert sorted(os.listdir(out)) == ["profile.toml", "report.html", "summary.json"]
    told = summary_of(out)
    assert told["schema"] == "antaeus.identify/1" and told["identified"] and not told["unlabelled"]
    assert told["method"] == "moving" and told["unit"] == "N·m"
    found = {one["name"]: one for one in told["parameters"]}
    errors = []
    for j in range(7):
        for part, truth in (("coulomb", coulomb(7)[j]), ("offset", offset(7)[j])):
            one = found.get(f"panda_joint{j + 1}.{part}")
            if one:
                errors.append((one["value"] - truth) / one["sd"])
    assert len(errors) >= 10
    assert np.mean(np.abs(errors) < 1.96) >= 0.75 and np.max(np.abs(errors)) < 4.5, errors
    assert 0.9 <= told["hold_out"]["covered"] <= 1.0
    for joint in told["joints"]:
        assert joint["rms_after"] < 0.5 * joint["rms_before"] and joint["hold_out_rms"] < 0.4
    named = {one["name"] for one in told["omitted"]}
    assert named and not named & set(found) and all(one["reason"] for one in told["omitted"])


def test_the_profile_loads_names_its_logs_and_changes_the_estimate(identified, free, tmp_path):
    out, _ = identified
    profile = (out / "profile.toml").read_text("utf-8")
    model = [line for line in profile.splitlines() if line.startswith("model = ")][0].split('"')[1]
    assert not os.path.isabs(model) and (out / model).read_bytes() == (PANDA / "panda.urdf").read_bytes()
    written = tomllib.loads(profile)
    assert "log_1" in written["provenance"] and "file of 2" in written["provenance"]
    assert "antaeus identify" in written["noise"]["provenance"] and written["noise"]["unit"] == "N·m"
    assert len(written["noise"]["joints"]) == 7 and all(one["white_sd"] > 0 for one in written["noise"]["joints"])
    sizes = []
    for choice in ("panda", out / "profile.toml"):
        done = run("estimate", free, "--robot", choice, "--json", seconds=PATIENCE)
        rows = json.loads(done.stdout)["rows"]
        sizes.append(np.median([np.linalg.norm(row["wrench"][:3]) for row in rows[100:-100]]))
    assert sizes[1] < 0.85 * sizes[0], sizes  # at 100 Hz residuals are static: what is left is inertia


def test_the_same_logs_give_the_same_bytes(identified, free, tmp_path):
    out, _ = identified
    again = tmp_path / "a" / "out"
    again.parent.mkdir()
    run("identify", free, "--robot", "panda", "--contact-free", "all", "--out", again, seconds=PATIENCE)
    for name in ("summary.json", "report.html"):
        assert (again / name).read_bytes() == (out / name).read_bytes(), name


def test_json_is_summary_json(free, tmp_path):
    done = run("identify", free, "--robot", "panda", "--contact-free", "all", "--fit", "noise", "--json", cwd=tmp_path, seconds=PATIENCE)
    assert done.returncode == 0 and os.listdir(tmp_path) == []
    told = json.loads(done.stdout)
    names = {one["name"].split(".")[1] for one in told["parameters"] + told["omitted"]}
    assert names == {"offset"}


def test_terms_that_are_not_asked_for_are_not_fitted(free, tmp_path):
    done = run("identify", free, "--robot", "panda", "--contact-free", "0:", "--fit", "noise,friction", "--json", cwd=tmp_path, seconds=PATIENCE)
    names = {one["name"].split(".")[1] for one in json.loads(done.stdout)["parameters"]}
    assert names <= {"offset", "coulomb", "viscous"} and "coulomb" in names


def test_a_payload_is_found_within_a_hundred_grams(free, tmp_path):
    urdf = (PANDA / "panda.urdf").read_text("utf-8")
    load = ('<link name="load"><inertial><origin xyz="0.02 -0.03 0.08"/><mass value="1.3"/><inertia ixx="0.004" '
            'ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.002"/></inertial></link><joint name="to_load" type="fixed">'
            '<parent link="panda_hand"/><child link="load"/></joint></robot>')
    (tmp_path / "panda.urdf").write_text(urdf.replace("</robot>", load))
    loaded = made_log(tmp_path / "loaded", seed=11, urdf=tmp_path / "panda.urdf")
    done = run("identify", free, "--robot", "panda", "--contact-free", "all", "--loaded", loaded, "--payload-frame", "panda_hand",
               "--out", tmp_path / "out", seconds=PATIENCE)
    assert done.returncode == 0, text(done.stdout)
    payload = summary_of(tmp_path / "out")["payload"]
    assert payload["identified"] and abs(payload["mass_kg"] - 1.3) < 0.1, payload
    assert abs(payload["mass_kg"] - 1.3) < 4 * payload["mass_sd_kg"]
    assert "What does it carry?" in text(done.stdout)


# --- logs that do not suffice ----------------------------------------------------------------------------------------------

def nothing(arguments, tmp_path, *words):
    out = tmp_path / "nothing"
    done = run("identify", *arguments, "--out", out, seconds=PATIENCE)
    story = " ".join(text(done.stdout).split())
    assert done.returncode == 1, (done.returncode, story, text(done.stderr))
    assert done.stderr == b"" and not out.exists()
    assert "Nothing is written." in story
    for word in words:
        assert word in story, story
    told = json.loads(run("identify", *arguments, "--json", cwd=tmp_path, seconds=PATIENCE).stdout)
    assert told["identified"] is False and told["missing"]
    return told


def test_a_log_that_is_too_short(tmp_path):
    free = ("--robot", "panda", "--contact-free", "all")
    nothing((made_log(tmp_path, seconds=1.0), *free), tmp_path, "too short")
    nothing((made_log(tmp_path, seconds=6.0, seed=2), *free), tmp_path, "s of motion, 10 s are needed")


def test_a_log_without_excitation(tmp_path):
    nothing((made_log(tmp_path, swing=0.0), "--robot", "panda", "--contact-free", "all"), tmp_path, "motion")


def test_a_log_with_contact_all_along(tmp_path):
    nothing((made_log(tmp_path, push=(15.0, 5.0, 0.0)), "--robot", "panda", "--contact-free", "all"), tmp_path, "contact all along")


def test_a_log_with_saturated_torque(tmp_path):
    file = made_log(tmp_path)
    log = dict(np.load(file))
    log["tau"][:, 1] = np.clip(log["tau"][:, 1], -6.0, 6.0)
    np.savez(file, **log)
    done = run("identify", file, "--robot", "panda", "--contact-free", "all", "--json", cwd=tmp_path, seconds=PATIENCE)
    told = json.loads(done.stdout)["joints"][1]
    assert told["joint"] == "panda_joint2" and told["use"] in ("saturated", "dead") and not told["identified"]
    assert "limit" in told["reason"] or "dead" in told["reason"]


def test_logs_of_two_robots(free, tmp_path):
    ur5e = made_log(tmp_path, robot="ur5e", seed=3)
    line = refused("identify", free, ur5e, "--robot", "panda", "--contact-free", "all", "--out", tmp_path / "out")
    assert "log_3" in line and "7" in line and not (tmp_path / "out").exists()
    # Of as many joints, but with other masses.
    urdf = (PANDA / "panda.urdf").read_text("utf-8")
    (tmp_path / "panda.urdf").write_text(urdf.replace('<mass value="', '<mass value="2'))
    other = made_log(tmp_path / "other", seed=4, urdf=tmp_path / "panda.urdf")
    nothing((free, other, "--robot", "panda", "--contact-free", "all"), tmp_path)


def test_without_labels(free, tmp_path):
    told = nothing((made_log(tmp_path, robot="ur5e", seed=5), "--robot", "ur5e"), tmp_path, "name contact-free stretches")
    assert told["unlabelled"]
    nothing((made_log(tmp_path, swing=0.005, seed=6), "--robot", "panda"), tmp_path, "an offset and a contact are the same")
    done = run("identify", free, "--robot", "panda", "--out", tmp_path / "out", seconds=PATIENCE)
    if done.returncode == 0:
        told = summary_of(tmp_path / "out")
        assert told["unlabelled"] and "unlabelled" in (tmp_path / "out" / "profile.toml").read_text("utf-8")
        assert 0 < sum(joint["identified"] for joint in told["joints"]) < 7
        for joint, truth in zip(told["joints"], offset(7)):
            if joint["identified"]:
                assert abs(joint["offset"] - truth) < 1.96 * joint["offset_error"], joint
    else:
        assert done.returncode == 1 and not (tmp_path / "out").exists()


# --- bad input -------------------------------------------------------------------------------------------------------------

def test_bad_options_are_told_in_a_line(free, tmp_path):
    base = ("identify", free, "--robot", "panda")
    for arguments, words in [
        (("--contact-free", "5"), ["'5' is not a stretch"]),
        (("--contact-free", "5:2"), ["'5:2'"]),
        (("--contact-free", "nan:2"), ["'nan:2'"]),
        (("--contact-free", "100:120"), ["outside of the log"]),
        (("--contact-free", "log_2=0:5"), ["log_2", "did you mean 'log_1"]),
        (("--contact-free", "all", "--fit", "noise,fricton"), ["fricton", "did you mean 'friction'"]),
        (("--contact-free", "all", "--fit", "payload"), ["--loaded"]),
        (("--contact-free", "all", "--loaded", free), ["--payload-frame"]),
        (("--contact-free", "all", "--payload-frame", "panda_hand"), ["--loaded"]),
        (("--contact-free", "all", "--loaded", free, "--payload-frame", "panda_hnd"), ["panda_hnd", "panda_hand"]),
        (("--contact-free", "all", "--endpoint", "hnd"), ["hnd"]),
        (("--contact-free", "all", "--set", "identify.methd=moving"), ["methd", "method"]),
    ]:
        line = refused(*base, *arguments, "--out", tmp_path / "out")
        assert all(word in line for word in words), line
    assert not (tmp_path / "out").exists()
    assert "given twice" in refused(*base[:2], free, *base[2:], "--contact-free", "all", "--out", tmp_path / "out")
    assert "log_9" in refused("identify", tmp_path / "log_9.npz", "--robot", "panda")


def test_a_clock_is_needed(free, tmp_path):
    log = dict(np.load(free))
    del log["time"]
    np.savez(tmp_path / "log.npz", **log)
    assert "time stamps" in refused("identify", tmp_path / "log.npz", "--robot", "panda", "--contact-free", "all")


def test_a_profile_is_not_replaced_by_its_own_child(identified, free):
    out, _ = identified
    line = refused("identify", free, "--robot", out / "profile.toml", "--contact-free", "all", "--out", out, seconds=PATIENCE)
    assert "would be replaced" in line


def test_columns_of_any_name_are_read(free, tmp_path):
    log = np.load(free)
    names = [f"panda_joint{j + 1}" for j in range(7)]
    header = ",".join(["time", *[f"{n}_effort" for n in names], *[f"{n}_position" for n in names]])
    np.savetxt(tmp_path / "ros.csv", np.column_stack([log["time"], log["tau"], log["qpos"]]), delimiter=",", header=header, comments="")
    done = run("identify", tmp_path / "ros.csv", "--robot", "panda", "--contact-free", "all", "--json", cwd=tmp_path, seconds=PATIENCE)
    assert done.returncode == 0, text(done.stderr)
    assert json.loads(done.stdout)["identified"]


# --- real logs -------------------------------------------------------------------------------------------------------------

@pytest.mark.skipif(not EPISODES.exists(), reason="recorded episodes absent")
def test_the_h1_2_is_identified_from_its_runs(tmp_path):
    stretches = ["re1_real_encode=0:14", "re1_real_encode=28.5:34.5", "re1_real_encode=46:", "re2_real_encode=0:9.5",
                 "re2_real_encode=21:", "re1_real_no_encode=0:10.2", "re3_real_no_encode_tr1=0:", "re3_real_no_encode_tr2=0:"]
    runs = sorted({s.split("=")[0] for s in stretches})
    labels = [word for s in stretches for word in ("--contact-free", s)]
    done = run("identify", *[EPISODES / r for r in runs], "--robot", "h1_2", *labels, "--out", tmp_path / "out", seconds=PATIENCE)
    assert done.returncode == 0, (text(done.stdout), text(done.stderr))
    told = summary_of(tmp_path / "out")
    assert told["method"] == "held_pose" and told["runs"] == 5 and len(told["joints"]) == 15
    assert abs(told["envelope"]["largest_speed"] - 1.86) < 0.01  # docs/measured/held_pose.md
    assert 0.9 <= told["hold_out"]["covered"] <= 1.0
    assert any("friction" in one["reason"] for one in told["omitted"])
    assert run("robot", tmp_path / "out" / "profile.toml", "--json").returncode == 0
    sizes = []
    for choice in (["h1_2", "--set", "residual.noise=figures"], [tmp_path / "out" / "profile.toml"]):
        rows = json.loads(run("estimate", EPISODES / runs[-1], "--robot", *choice, "--json", seconds=PATIENCE).stdout)["rows"]
        sizes.append(np.median([np.linalg.norm(row["wrench"][:3]) for row in rows]))
    assert sizes[1] < sizes[0], sizes


@pytest.mark.skipif(not (SHARED / "measured/tiago_free").exists() or not TIAGO.exists(), reason="no TIAGo: set ANTAEUS_EXAMPLE_ROBOTS")
def test_the_tiagos_channels_are_named_and_its_effort_units_identified(tmp_path):
    joints = ["torso_lift_joint", *[f"arm_{i}_joint" for i in range(1, 8)]]
    q, tau = (np.genfromtxt(SHARED / f"measured/tiago_free/tiago_{name}.csv", delimiter=",", names=True, deletechars="") for name in ("position", "effort"))
    rows = min(len(q), len(tau))
    table = np.column_stack([q["t"][:rows], *[tau[n][:rows] for n in tau.dtype.names[1:]], *[q[n][:rows] for n in q.dtype.names[1:]]])
    header = ",".join(["time", *[f"{j}_effort" for j in joints], *[f"{j}_position" for j in joints]])
    np.savetxt(tmp_path / "tiago.csv", table, delimiter=",", header=header, comments="")
    # Antennas of its base have inertias that no body can have; what does not move may be without.
    links = TIAGO.read_text("utf-8").split("<link ")
    links = [re.sub(r"<inertial>.*?</inertial>", "", link, flags=re.S) if link.startswith('name="base_') else link for link in links]
    (tmp_path / "tiago.urdf").write_text("<link ".join(links))
    listed = ", ".join(f'"{j}"' for j in joints)
    (tmp_path / "tiago.toml").write_text(f'schema = 1\nname = "tiago"\nmodel = "tiago.urdf"\nbase = "fixed"\nmotors = [{listed}]\n'
                                         'endpoints = [{ frame = "arm_tool_link", label = "tool", kind = "tool" }]\n')
    arguments = ("identify", tmp_path / "tiago.csv", "--robot", tmp_path / "tiago.toml", "--contact-free", "0:40")
    done = run(*arguments, "--out", tmp_path / "out", seconds=PATIENCE)
    story = " ".join(text(done.stdout).split())
    assert done.returncode == 1 and not (tmp_path / "out").exists(), text(done.stderr)
    assert all(f"arm_{i}_joint: the channel is not in N·m" in story for i in (2, 3, 4))
    assert all(f"arm_{i}_joint: the channel is dead" in story for i in (5, 6, 7))
    done = run(*arguments, "--effort-units", "--out", tmp_path / "out", seconds=PATIENCE)
    assert done.returncode == 0, text(done.stdout)
    told = summary_of(tmp_path / "out")
    assert told["unit"] == "channel units" and told["hold_out"]["covered"] >= 0.9
    for name in ("profile.toml", "summary.json", "report.html"):
        assert "channel units" in (tmp_path / "out" / name).read_text("utf-8"), name
    assert "channel units" in text(done.stdout)
