"""`check` and `identify` on recorded logs: those that are right, and those whose faults are known. One test per set of data."""

import hashlib
import json
import re

import needs
import numpy as np
from command_line import ROOT, run, text

GAINS = np.array([10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232])  # N·m/A, as the set of the UR10e states them
PATIENCE = 240.0  # s: two cores are shared with other tests


def check(path, robot, folder):
    out = run("check", str(path), "--robot", str(robot), "--json", cwd=folder, seconds=PATIENCE)
    assert out.returncode in (0, 1), out.stderr
    return json.loads(out.stdout)["findings"]


def loud(findings):
    return [f for f in findings if f["severity"] != "note"]


# --- the incident's humanoid -----------------------------------------------------------------------------------------------

def test_runs_of_the_humanoid(tmp_path):
    episodes = needs.reference_data("episodes")
    for line in (ROOT / "tools/incident_logs.sha256").read_text("utf-8").splitlines():
        wanted, name = line.split()
        assert hashlib.sha256((episodes.parent / name).read_bytes()).hexdigest() == wanted, f"{name} is not the published file"
    for path in sorted(path for path in episodes.iterdir() if path.is_dir()):
        assert not loud(check(path, "h1_2", tmp_path)), path
    check_identification(episodes, tmp_path)


def check_identification(episodes, tmp_path):
    intervals = ["re1_real_encode=0:14", "re1_real_encode=28.5:34.5", "re1_real_encode=46:", "re2_real_encode=0:9.5",
                 "re2_real_encode=21:", "re1_real_no_encode=0:10.2", "re3_real_no_encode_tr1=0:", "re3_real_no_encode_tr2=0:"]
    runs = sorted({s.split("=")[0] for s in intervals})
    labels = [word for s in intervals for word in ("--contact-free", s)]
    done = run("identify", *[episodes / r for r in runs], "--robot", "h1_2", *labels, "--out", tmp_path / "out", seconds=PATIENCE)
    assert done.returncode == 0, (text(done.stdout), text(done.stderr))
    summary = json.loads((tmp_path / "out/summary.json").read_text("utf-8"))
    assert summary["method"] == "held_pose" and summary["runs"] == 5 and len(summary["joints"]) == 15
    assert abs(summary["envelope"]["largest_speed"] - 1.86) < 0.01  # docs/validation.md#identified-noise
    assert 0.9 <= summary["hold_out"]["covered"] <= 1.0
    assert any("friction" in one["reason"] for one in summary["omitted"])
    assert run("robot", tmp_path / "out" / "profile.toml", "--json").returncode == 0
    sizes = []
    for choice in (["h1_2", "--set", "residual.noise=assumed"], [tmp_path / "out" / "profile.toml"]):
        rows = json.loads(run("estimate", episodes / runs[-1], "--robot", *choice, "--json", seconds=PATIENCE).stdout)["rows"]
        sizes.append(np.median([np.linalg.norm(row["wrench"][:3]) for row in rows]))
    assert sizes[1] < sizes[0], sizes


# --- an arm without a finding, and with injected faults --------------------------------------------------------------------

FAULTS = {
    "torque_order": lambda log: log["tau"].__setitem__((slice(None), [1, 2]), log["tau"][:, [2, 1]]),
    "torque_sign": lambda log: log["tau"].__setitem__((slice(None), 1), -log["tau"][:, 1]),
    "torque_gain": lambda log: log.update(tau=0.1 * log["tau"]),
    "positions_degrees": lambda log: log.update(qpos=np.degrees(log["qpos"]), dq=np.degrees(log["dq"])),
    "time_unit": lambda log: log.update(time=1000 * log["time"]),
    "velocity_late": lambda log: log["dq"].__setitem__(slice(8, None), log["dq"][:-8].copy()),
    "position_sign": lambda log: [log[channel].__setitem__((slice(None), 1), -log[channel][:, 1]) for channel in ("qpos", "dq")],
}


def ur10e(file):
    data = np.loadtxt(file, delimiter=",")
    return dict(time=data[:, 0], qpos=data[:, 1:7], dq=data[:, 7:13], tau=data[:, 13:19] * GAINS)


def test_ur10e(tmp_path):
    """No finding in the logs, whole and in pieces; each injected fault is the first finding."""
    folder = needs.reference_data("measured/ur10e")
    for path in sorted(folder.glob("*.csv")):
        log = ur10e(path)
        step = np.median(np.diff(log["time"]))
        for seconds in (5, 10, 20, 1000):
            rows = min(int(seconds / step), len(log["time"]))
            for first in range(0, len(log["time"]) - rows + 1, rows):
                np.savez(tmp_path / "piece.npz", **{key: value[first:first + rows] for key, value in log.items()})
                findings = loud(check(tmp_path / "piece.npz", folder / "ur10e.urdf", tmp_path))
                assert not findings, (path.name, seconds, first, findings)
    for fault, inject in FAULTS.items():
        log = {key: value[:1900].copy() for key, value in ur10e(folder / "20_02_06-20sec_5harm.csv").items()}
        inject(log)
        np.savez(tmp_path / "injected.npz", **log)
        findings = loud(check(tmp_path / "injected.npz", folder / "ur10e.urdf", tmp_path))
        assert findings and findings[0]["fault"] == fault, (fault, findings)


# --- an arm with known faults ------------------------------------------------------------------------------------------------

JOINTS = ["torso_lift_joint", *[f"arm_{i}_joint" for i in range(1, 8)]]


def test_tiago(tmp_path):
    """The faults of the recorded arm are found with their sizes, and its effort units are identified."""
    folder, urdf = needs.reference_data("measured/tiago_free"), needs.example_robot("tiago_description/robots/tiago.urdf")
    check_faults_of_tiago(folder, urdf, tmp_path)
    check_identification_of_tiago(folder, urdf, tmp_path)


def check_faults_of_tiago(folder, urdf, tmp_path):
    read = {name: np.loadtxt(folder / f"tiago_{name}.csv", delimiter=",", skiprows=1) for name in ("position", "velocity", "effort")}
    (tmp_path / "bare.toml").write_text(f'schema = 1\nname = "tiago"\nmodel = "{urdf}"\nbase = "fixed"\nmotors = {json.dumps(JOINTS)}\n')
    rows = min(len(table) for table in read.values())
    np.savez(tmp_path / "log.npz", time=read["position"][:rows, 0], qpos=read["position"][:rows, 1:], dq=read["velocity"][:rows, 1:], tau=read["effort"][:rows, 1:])
    findings = {f["fault"]: f for f in check(tmp_path / "log.npz", tmp_path / "bare.toml", tmp_path)}
    assert abs(findings["velocity_late"]["size"] - 0.191) < 0.005  # s, as a cross-correlation of the whole log has it
    assert findings["torque_frozen"]["joints"] == [f"arm_{i}_joint" for i in (5, 6, 7)]
    gains = dict(zip(findings["torque_gain"]["joints"], findings["torque_gain"]["sizes"]))
    for joint, gain in (("arm_2_joint", 0.061), ("arm_3_joint", -0.097), ("arm_4_joint", -0.093)):  # least squares with friction
        assert abs(gains[joint] / gain - 1) < 0.1, (joint, gains)


def check_identification_of_tiago(folder, urdf, tmp_path):
    q, tau = (np.genfromtxt(folder / f"tiago_{name}.csv", delimiter=",", names=True, deletechars="") for name in ("position", "effort"))
    rows = min(len(q), len(tau))
    table = np.column_stack([q["t"][:rows], *[tau[n][:rows] for n in tau.dtype.names[1:]], *[q[n][:rows] for n in q.dtype.names[1:]]])
    header = ",".join(["time", *[f"{j}_effort" for j in JOINTS], *[f"{j}_position" for j in JOINTS]])
    np.savetxt(tmp_path / "tiago.csv", table, delimiter=",", header=header, comments="")
    # Antennas of its base have inertias that no body can have; links that do not move need none.
    links = urdf.read_text("utf-8").split("<link ")
    links = [re.sub(r"<inertial>.*?</inertial>", "", link, flags=re.S) if link.startswith('name="base_') else link for link in links]
    (tmp_path / "tiago.urdf").write_text("<link ".join(links))
    (tmp_path / "tiago.toml").write_text(f'schema = 1\nname = "tiago"\nmodel = "tiago.urdf"\nbase = "fixed"\nmotors = {json.dumps(JOINTS)}\n'
                                         'endpoints = [{ frame = "arm_tool_link", label = "tool", kind = "tool" }]\n')
    arguments = ("identify", tmp_path / "tiago.csv", "--robot", tmp_path / "tiago.toml", "--contact-free", "0:40")
    done = run(*arguments, "--out", tmp_path / "out", seconds=PATIENCE)
    story = " ".join(text(done.stdout).split())
    assert done.returncode == 1 and not (tmp_path / "out").exists(), text(done.stderr)
    assert all(f"arm_{i}_joint: the channel is not in N·m" in story for i in (2, 3, 4))
    assert all(f"arm_{i}_joint: the channel is dead" in story for i in (5, 6, 7))
    done = run(*arguments, "--effort-units", "--out", tmp_path / "out", seconds=PATIENCE)
    assert done.returncode == 1, text(done.stdout)  # three channels are dead: the other five are written
    assert "5 of 8 joints: the rest looks like a configuration error" in " ".join(text(done.stdout).split())
    summary = json.loads((tmp_path / "out/summary.json").read_text("utf-8"))
    assert summary["unit"] == "channel units" and summary["hold_out"]["covered"] >= 0.9
    for name in ("profile.toml", "summary.json", "report.html"):
        assert "channel units" in (tmp_path / "out" / name).read_text("utf-8"), name
    assert "channel units" in text(done.stdout)
