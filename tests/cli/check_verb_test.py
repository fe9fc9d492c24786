"""antaeus check: what it says of a log, what it writes, its exit codes; and the first block of show, audit and identify."""

import json

import needs
import numpy as np
import pytest
from command_line import prose, refused, run, text


def arm(folder, seconds=20.0, **changed):
    """A UR5e that moves freely, with the friction of its drives, that a channel can be changed of."""
    antaeus = needs.package("antaeus")
    chance = np.random.default_rng(12)
    time = np.arange(int(seconds * 200)) / 200
    rate, phase = chance.uniform(0.6, 2.0, (2, 6)), chance.uniform(0, 6, (2, 6))
    angle = time[:, None, None] * rate + phase
    size = np.array([0.45, 0.25])[:, None]
    q = np.array([0, -1.2, 1.2, -0.8, 1.2, 0.3]) + (size * np.sin(angle)).sum(1)
    v, a = (size * rate * np.cos(angle)).sum(1), (-size * rate**2 * np.sin(angle)).sum(1)
    torque = antaeus.replay(q, "ur5e", [], v=v, a=a, want=("torque",))["torque"]
    tau = torque + np.array([4, 4, 3, 1, 1, 1]) * np.tanh(v / 0.03) + chance.normal(0, 0.1, q.shape)
    channels = dict(time=time, qpos=q, target_dof=q, dq=v, tau=tau)
    folder.mkdir()
    for name, values in {**channels, **changed}.items():
        np.save(folder / f"{name}.npy", values)
    return folder


@pytest.fixture
def log(tmp_path):
    return arm(tmp_path / "right")


def checked(log, *more, code=0):
    done = run("check", log, "--json", *more)
    assert done.returncode == code, (done.returncode, done.stderr, done.stdout[:500])
    return json.loads(done.stdout)


def test_a_clean_log(log, tmp_path):
    done = run("check", log, "--robot", "ur5e", "--out", tmp_path / "out")
    assert done.returncode == 0, (done.stdout, done.stderr)
    story = text(done.stdout)
    assert "No fault found." in story and "What is the torque channel?" in story
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["report.html", "summary.json"]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["schema"] == "antaeus.check/1" and summary["robot"] == "ur5e" and summary["findings"] == []
    page = (tmp_path / "out" / "report.html").read_text()
    assert "no fault found" in page and "antaeus check right --robot ur5e" in page and "d(q)/dt" in page
    assert summary == checked(log, "--robot", "ur5e")


def test_without_a_robot_channels_are_judged(log, tmp_path):
    assert checked(log)["robot"] == ""
    assert "without --robot" in prose(run("check", log, "--out", tmp_path / "out").stdout)
    np.save(log / "time.npy", np.load(log / "time.npy") * 1e6)
    summary = checked(log, code=1)
    first = summary["findings"][0]
    assert first["fault"] == "time_unit" and first["size"] == 1e6 and first["severity"] == "error"
    assert first["remedy"] == "channels.time_scale = 1e-06" and first["channel"] == "time" and first["margin"] is None
    done = run("check", log, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "error, time_unit: the clock counts µs" in prose(done.stdout)
    assert "configuration error" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("fault", ["time_gap", "time_back", "velocity_sign", "velocity_scale", "torque_frozen"])
def test_a_planted_fault_is_found_without_a_robot(log, tmp_path, fault):
    assert run("inject", log, "--robot", "ur5e", "--fault", fault, "--out", tmp_path / "wrong").returncode == 0
    assert checked(tmp_path / "wrong", code=1)["findings"][0]["fault"] == fault


def test_fix_writes_a_profile_and_leaves_the_robots_own(log, tmp_path):
    done = run("check", log, "--robot", "ur5e", "--out", tmp_path / "out", "--fix", tmp_path / "new" / "arm.toml")
    assert done.returncode == 0, done.stderr
    assert "arm.toml" in text(done.stdout)
    again = checked(log, "--robot", tmp_path / "new" / "arm.toml", "--fix", tmp_path / "folder")
    assert again["findings"] == [] and (tmp_path / "folder" / "profile.toml").exists()
    line = refused("check", log, "--robot", tmp_path / "new" / "arm.toml", "--fix", tmp_path / "new" / "arm.toml")
    assert "would be replaced" in line
    assert "--robot" in refused("check", log, "--fix", tmp_path / "x.toml")


def test_what_cannot_be_read_is_one_line(tmp_path, log):
    refused("check", tmp_path / "nothing", "--robot", "ur5e")
    refused("check", tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    refused("check", tmp_path / "empty", "--robot", "ur5e")
    assert "'fuond'; did you mean 'found'" in refused("check", log, "--robot", "ur5e", "--set", "check.fuond=3")
    assert "--robot" in refused("check", log, "--set", "check.found=3")


def test_bad_logs_are_findings_and_no_crash(tmp_path):
    tau = np.zeros((40, 64))
    cases = {
        "one_row": dict(tau=tau[:1], qpos=tau[:1], time=np.zeros(1)),
        "no_time": dict(tau=tau, qpos=tau),
        "all_nan": dict(tau=tau * np.nan, qpos=tau * np.nan, time=np.arange(40) / 40),
        "no_torque": dict(qpos=tau, time=np.arange(40) / 40),
    }
    for name, channels in cases.items():
        folder = tmp_path / name
        folder.mkdir()
        for channel, values in channels.items():
            np.save(folder / f"{channel}.npy", values)
        done = run("check", folder, "--json")
        assert done.returncode in (0, 1) and done.stderr == b"", (name, done.stderr)
        json.loads(done.stdout)
    right = arm(tmp_path / "right")
    (right / "qpos.npy").unlink()
    assert checked(right, "--robot", "ur5e")["not_told"] == ["anything of the torques: log the positions, too"]
    (right / "time.npy").unlink()
    assert checked(right, "--robot", "ur5e", code=1)["findings"][0]["fault"] == "time_missing"


def test_show_begins_with_what_is_wrong(log, tmp_path):
    done = run("show", log, "--robot", "ur5e", "--out", tmp_path / "clean")
    assert "Does the log agree with the profile?" not in prose(done.stdout)
    np.save(log / "dq.npy", -np.load(log / "dq.npy"))
    done = run("show", log, "--out", tmp_path / "out")
    assert done.returncode == 0
    story = text(done.stdout)
    assert story.index("error, velocity_sign") < story.index("What is in it?")
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.index("velocity_sign") < page.index("What is in it?")
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["check"]["findings"][0]["fault"] == "velocity_sign"


def test_audit_has_the_check_and_its_notes_on_the_page(log, tmp_path):
    done = run("audit", log, "--robot", "ur5e", "--out", tmp_path / "out", seconds=30)
    assert done.returncode in (0, 1), done.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["check"]["log"] == "right" and summary["check"]["findings"] == []
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Set-up: nothing found" in page and "Notes on the log" not in page
    accelerometer = np.tile([0.0, 0.0, 30.0], (4000, 1))
    np.save(log / "imu_acc.npy", accelerometer)
    done = run("audit", log, "--robot", "ur5e", "--out", tmp_path / "out", seconds=30)
    page = (tmp_path / "out" / "report.html").read_text()
    note = json.loads((tmp_path / "out" / "summary.json").read_text())["audited"]["notes"][0]
    assert note.startswith("imu_acc: median norm 30")
    assert page.index("Notes on the log") < page.index("Imu_acc: median norm 30")


def test_identify_has_the_check(arm_log, tmp_path):
    done = run("identify", arm_log, "--robot", "panda", "--contact-free", "all", "--out", tmp_path / "out", seconds=60)
    assert done.returncode == 0, done.stderr
    check = json.loads((tmp_path / "out" / "summary.json").read_text())["check"]
    assert check["log"] == "log_1.npz"
    serious = [f for f in check["findings"] if f["severity"] != "note"]
    page, story = (tmp_path / "out" / "report.html").read_text(), text(done.stdout)
    assert ("Set-up: nothing found" in page) == (not serious)
    question = "Does the log agree with the profile?"
    assert (question in story) == (question in page) == bool(serious)
    assert not serious or story.index(question) < story.index("Is the noise identified?")
