"""antaeus show: any log as a page without a verdict; what it prints and writes, and what it refuses in one line."""

import json
import os

import numpy as np
from command_line import ROOT, prose, refused, run


def shown(log, out, *more):
    """What is printed, the page and the summary."""
    done = run("show", log, "--out", out, *more)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    return prose(done.stdout), (out / "report.html").read_text(), json.loads((out / "summary.json").read_text())


def write(folder, **channels):
    folder.mkdir(exist_ok=True)
    for name, values in channels.items():
        np.save(folder / f"{name}.npy", values)
    return folder


def test_a_log_without_a_robot(small, tmp_path):
    story, page, summary = shown(small, tmp_path / "out")
    assert "small: 20 steps over 0.38 s at 50 Hz" in story
    assert "Torques, positions, targets and velocities of 3 joints." in story
    assert "No NaN, no gap in time, no frozen channel." in story
    assert f"Written to {tmp_path / 'out'}: report.html, summary.json" in story
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["report.html", "summary.json"]
    assert summary["schema"] == "antaeus.show/1" and summary["robot"] is None and summary["steps"] == 20
    tau = np.load(small / "tau.npy")
    channel = next(c for c in summary["channels"] if c["name"] == "tau")
    assert (channel["least"], channel["largest"], channel["nan_rows"]) == (tau.min(), tau.max(), 0)
    assert abs(summary["metrics"]["peak_torque"]) == np.abs(tau).max()
    assert all(isinstance(v, (int, float)) for v in summary["metrics"].values())
    assert 'class="badge' not in page and "antaeus show small" in page


def test_with_its_robot_and_with_another_one(small, tmp_path):
    story, page, summary = shown(small, tmp_path / "own", "--robot", "planar_3r")
    assert summary["robot_fits"] and '"scenes":[{' in page and "drawn without the robot" not in story
    story, page, summary = shown(small, tmp_path / "other", "--robot", "h1_2")
    assert "The log has 3 motors, the h1_2 has 27: drawn without the robot." in story
    assert not summary["robot_fits"] and '"scenes":[]' in page


def test_a_load_is_told(small, tmp_path):
    story, page, summary = shown(small, tmp_path / "out", "--robot", "planar_3r", "--payload", "link_3=0.5")
    assert summary["payloads"][0]["frame"] == "link_3" and "payload of 0.5 kg at link_3" in story
    assert "payload of 0.5 kg at link_3" in page.replace("\u00a0", " ")
    assert "payloads" not in shown(small, tmp_path / "bare", "--robot", "planar_3r")[2]
    assert "--payload" in refused("show", small, "--payload", "link_3=0.5")


def test_bad_logs_are_pages_that_say_so(tmp_path):
    numbers = np.random.default_rng(11)
    tau, clock = numbers.normal(size=(40, 3)), np.arange(40) * 0.02
    back = clock.copy()
    back[30] = 0.1
    gap = clock + 0.5 * (np.arange(40) >= 20)
    cases = {
        "no_time": (dict(tau=tau), "40 steps without time stamps"),
        "one_row": (dict(tau=tau[:1], time=clock[:1]), "A single row: motion, gaps and frozen channels cannot be determined."),
        "nan_only": (dict(tau=tau * np.nan, qpos=tau * np.nan), "Every number of the log is NaN or infinite"),
        "sixty": (dict(tau=numbers.normal(size=(40, 60)), time=clock), "Torques of 60 joints."),
        "one_joint": (dict(qpos=tau[:, :1], time=clock), "Positions of 1 joint."),
        "time_back": (dict(tau=tau, time=back), "Time stamps unusable: time goes back at step 30, from 0.580000 s to 0.100000 s"),
        "gap": (dict(tau=tau, time=gap), "1 gap in time, longer than three times the median step of 20 ms: 0.52 s before step 20"),
        "huge": (dict(qpos=np.where(np.arange(40)[:, None] == 7, -1e300, tau), tau=tau, time=clock), "1 row holds numbers too large to draw, in qpos; at step 7"),
        "frozen": (dict(tau=tau, qpos=tau * 0, time=clock), "Frozen, the same in every row: qpos."),
        "lengths": (dict(tau=tau, force=tau[:30]), "Force is left out: 30 rows, where the log has 40"),
    }
    for name, (channels, says) in cases.items():
        story, page, _ = shown(write(tmp_path / name, **channels), tmp_path / "out" / name, "--robot", "planar_3r")
        assert says in story, (name, story)
        assert page.startswith("<!doctype html>"), name


def test_a_table_of_strangers(tmp_path):
    table = tmp_path / "log.csv"
    table.write_text("t [ms],label,arm/x_torque,arm/y_torque,Fx,Fy\n0,a,1,2,3,4\n10,b,2,,4,5\n")
    story, _, summary = shown(table, tmp_path / "out")
    assert "1 row holds NaN or infinity, in torque; at step 1 (0.010 s)." in story
    assert "1 column holds text and is left out: label" in story
    assert [j["name"] for j in summary["joints"]] == ["arm/x", "arm/y"]
    assert [(c["name"], c["columns"], c["role"]) for c in summary["channels"]] == [("torque", 2, "torque"), ("F", 2, "other")]


def test_archives_with_texts_and_parquet_files(small, tmp_path):
    arrays = {f.stem: np.load(f) for f in small.glob("*.npy")}
    np.savez(tmp_path / "log.npz", names=np.array(["a", "b"]), **arrays)
    story, _, summary = shown(tmp_path / "log.npz", tmp_path / "out")
    assert len(summary["channels"]) == 4 and "names" in story and summary["metrics"]["duration_s"] == 0.38
    wrenches = tmp_path / "wrenches.parquet"
    assert run("estimate", small, "-r", "planar_3r", "-o", wrenches).returncode == 0
    story, _, _ = shown(wrenches, tmp_path / "parquet")
    assert "Written to" in story


def test_json_writes_files_only_where_told(small, tmp_path):
    done = run("show", small, "--json", cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["schema"] == "antaeus.show/1"
    assert not list(tmp_path.glob("antaeus-show-*"))
    assert run("show", small, cwd=tmp_path).returncode == 0
    assert (tmp_path / "antaeus-show-small" / "report.html").exists()


def test_refusals_are_one_line_and_leave_nothing(small, tmp_path):
    out = tmp_path / "absent" / "deep"
    (tmp_path / "empty").mkdir()
    (tmp_path / "log.txt").write_text("a log")
    (tmp_path / "head.csv").write_text("time,tau_0\n")
    (tmp_path / "ragged.csv").write_text("time,tau_0\n1\n")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 no archive")
    for log, says in [("smal", "no such episode; did you mean 'small'?"), ("empty", "an empty folder; give a folder of .npy files"),
                      ("log.txt", "not an episode"), ("head.csv", "no rows"), ("ragged.csv", "ragged.csv:2"), ("broken.npz", "broken.npz")]:
        line = refused("show", tmp_path / log, "--out", out)
        assert says in line and os.fspath(tmp_path / log) in line, line
    assert "did you mean 'planar_3r'" in refused("show", small, "--robot", "planar_3", "--out", out)
    assert not (tmp_path / "absent").exists()


def test_same_log_same_bytes(small, tmp_path):
    (small / "dir.npy").mkdir()  # what is left out is told without this machine's folders
    (small / "text.npy").write_text("no array")
    shown(small, tmp_path / "a", "--robot", "planar_3r")
    assert run("show", "small", "--robot", "planar_3r", "--out", "b", cwd=tmp_path).returncode == 0
    assert "dir.npy: it is a folder" in json.loads((tmp_path / "b" / "summary.json").read_text())["notes"][0]
    for name in ("report.html", "summary.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_peak_torque_is_named_with_its_step(twins, tmp_path):
    log = twins / "twin_incident"
    story, _, summary = shown(log, tmp_path / "out", "--robot", "h1_2")
    tau, time = np.load(log / "tau.npy"), np.load(log / "time.npy")
    step, joint = np.unravel_index(np.argmax(np.abs(tau)), tau.shape)
    assert f"step {step} ({time[step]:.3f} s)" in story
    assert summary["joints"][joint]["peak_torque_step"] == step and summary["metrics"]["peak_torque"] == tau[step, joint]


def test_two_minutes_at_a_kilohertz_take_no_longer_than_others(tmp_path):
    rows = 120_000
    numbers = np.random.default_rng(5)
    log = write(tmp_path / "long", tau=numbers.normal(size=(rows, 6)), qpos=numbers.normal(size=(rows, 6)), time=np.arange(rows) * 1e-3)
    _, page, _ = shown(log, tmp_path / "out")
    assert len(page) < 8 << 20


def test_the_readme_of_robots_is_no_log():
    assert "no .npy file" in refused("show", ROOT / "robots", "--json")
