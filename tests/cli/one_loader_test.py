"""One log in every form and under other names: each verb reads the same of all of them."""

import json

import needs
import numpy as np
import pytest
from command_line import ROOT, refused, run, text

JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]


def channels():
    time = np.arange(2400) * 0.005
    angle = 2 * time[:, None] + np.arange(6)
    return {"time": time, "qpos": 0.3 * np.sin(angle) - 0.5, "dq": 0.6 * np.cos(angle), "tau": 10 * np.cos(angle)}


def columns(names=JOINTS):
    """As ROS names them, in an order of their own."""
    log = channels()
    table = {"stamp": log["time"]}
    for name, channel in (("position", "qpos"), ("velocity", "dq"), ("effort", "tau")):
        for joint in reversed(range(6)):
            table[f"{names[joint]}.{name}"] = log[channel][:, joint]
    return table


def write_csv(file, table, separator=",", point="."):
    rows = [separator.join(repr(float(x)).replace(".", point) for x in row) for row in zip(*table.values())]
    file.write_text("\n".join([separator.join(table), *rows]) + "\n")
    return file


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """By form; all are called log, so that pages and summaries can be the same."""
    root = tmp_path_factory.mktemp("logs")
    made = {}
    for form in ("folder", "npz", "q", "comma", "semicolon", "tab", "parquet"):
        (root / form).mkdir()
    made["folder"] = root / "folder" / "log"
    made["folder"].mkdir()
    for name, values in channels().items():
        np.save(made["folder"] / f"{name}.npy", values)
    made["npz"] = root / "npz" / "log.npz"
    np.savez(made["npz"], **channels())
    made["q"] = root / "q" / "log.npz"
    np.savez(made["q"], **{("q" if name == "qpos" else name): values for name, values in channels().items()})
    made["comma"] = write_csv(root / "comma" / "log.csv", columns())
    made["semicolon"] = write_csv(root / "semicolon" / "log.csv", columns(), ";", ",")
    made["tab"] = write_csv(root / "tab" / "log.csv", columns(), "\t")
    parquet = needs.package("pyarrow.parquet")
    import pyarrow
    made["parquet"] = root / "parquet" / "log.parquet"
    parquet.write_table(pyarrow.table(columns()), made["parquet"])
    return made


@pytest.mark.parametrize("verb", [("estimate", "--json"), ("estimate", "--step", "100"), ("preflight", "--episode")])
def test_every_form_gives_the_same(logs, verb):
    said = {}
    for form, log in logs.items():
        at = [*verb, log] if verb[-1] == "--episode" else [verb[0], log, *verb[1:]]
        done = run(*at, "--robot", "ur5e")
        assert done.returncode in (0, 1) and done.stderr in (b"", b"antaeus: %s: every step is refused\n" % log.name.encode()), (form, done.stderr)
        said[form] = text(done.stdout).replace("log.npz", "log").replace("log.csv", "log").replace("log.parquet", "log")
    assert len(set(said.values())) == 1, {form: what[:200] for form, what in said.items()}


def test_audit_identify_and_show_read_every_form(logs):
    peaks, worst, joints = set(), set(), set()
    for log in logs.values():
        audit = json.loads(run("audit", log, "--robot", "ur5e", "--json").stdout)
        worst.add(json.dumps([audit["verdict"], audit["focus"], audit["reliability"]]).replace(log.name, "log"))
        identified = json.loads(run("identify", log, "--robot", "ur5e", "--json", "--contact-free", "all").stdout)
        joints.add(json.dumps([identified["joints"], identified["stretches"]]).replace(log.name, "log"))
        peaks.add(json.loads(run("show", log, "--robot", "ur5e", "--json").stdout)["metrics"]["peak_torque"])
    assert len(peaks) == len(worst) == len(joints) == 1, (peaks, worst, joints)


def test_what_was_taken_by_order_is_told_first(tmp_path):
    log = write_csv(tmp_path / "log.csv", columns(["axisA", "axisB", "axisC", "axisD", "axisE", "axisF"]))
    first = "no column is named after a joint of the ur5e, so they are taken by order: axisF → shoulder_pan_joint, axisE → "
    for verb in ("show", "audit", "identify"):
        more = ["--contact-free", "all"] if verb == "identify" else []
        summary = json.loads(run(verb, log, "--robot", "ur5e", "--json", *more).stdout)
        notes = summary["audited"]["notes"] if verb == "audit" else summary["notes"]
        assert first in notes[0], verb
        assert "the names run backwards, axisF to axisA" in notes[1]


def test_a_pattern_that_was_set_must_match(logs):
    for verb in ("estimate", "audit"):
        said = refused(verb, logs["comma"], "--robot", "ur5e", "--json", "--set", "episode.v={joint}.vel")
        assert "log.csv:1: no column matches episode.v = '{joint}.vel'" in said
        assert "shoulder_pan_joint.effort" not in said.split("did you mean")[0]


def test_contact_takes_qpos_and_parquet(tmp_path):
    pyarrow = needs.package("pyarrow")
    import pyarrow.parquet
    q = np.zeros((5, 7)) + [0, 0, 1, 0, 0, 0, 1]
    table = {f"qpos_{c}": q[:, c] for c in range(7)} | {"time": np.arange(5) * 0.01}
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "log.parquet")
    write_csv(tmp_path / "log.csv", table, ";")
    np.savez(tmp_path / "log.npz", qpos=q, time=np.arange(5) * 0.01)
    for form in ("parquet", "csv", "npz"):
        said = refused("contact", tmp_path / f"log.{form}", "--robot", "planar_3r", "--contact", "tool")
        assert "[q]: is 5 × 7; give 5 × 10" in said, form


def test_channels_of_a_profile_are_those_of_every_verb(logs, tmp_path):
    """A log in degrees with one swapped pair and late torques, and the profile that says so."""
    log = channels()
    log["qpos"], log["dq"] = np.degrees(log["qpos"]), np.degrees(log["dq"])
    log["tau"] = log["tau"][:, [0, 2, 1, 3, 4, 5]]
    np.savez(tmp_path / "log.npz", **log)
    profile = (ROOT / "robots" / "ur5e" / "profile.toml").read_text()
    profile = profile.replace('model = "', f'model = "{ROOT}/robots/ur5e/')
    scale = repr(np.pi / 180)
    (tmp_path / "profile.toml").write_text(
        profile + f"\n[channels]\nposition_scale = {scale}\nvelocity_scale = {scale}\ntorque_order = [0, 2, 1, 3, 4, 5]\n")

    def forces(log, robot):
        rows = json.loads(run("estimate", log, "--robot", robot, "--json").stdout)["rows"]
        return np.array([row["wrench"] for row in rows])
    good = forces(logs["npz"], "ur5e")
    assert len(good) == 2400
    np.testing.assert_allclose(forces(tmp_path / "log.npz", tmp_path / "profile.toml"), good, rtol=0, atol=1e-9)
    shown = [json.loads(run("show", log, "--robot", robot, "--json").stdout)
             for log, robot in ((logs["npz"], "ur5e"), (tmp_path / "log.npz", tmp_path / "profile.toml"))]
    assert shown[1]["joints"][1]["peak_torque"] == shown[0]["joints"][1]["peak_torque"]
    assert shown[1]["joints"][1]["least_position"] == pytest.approx(shown[0]["joints"][1]["least_position"], abs=1e-12)
    assert "read through [channels] of the profile" in shown[1]["notes"]
