"""antaeus identify: its files, what it reports about logs that do not suffice, and its refusals. The fits
themselves are tests/identification/."""

import json
import os
import re
import tomllib

import numpy as np
import pytest
from command_line import OFFSET, ROOT, prose, refused, run, text

PANDA = ROOT / "robots" / "panda"
PATIENCE = 240.0  # s: two cores are shared with other tests


@pytest.fixture
def free(arm_log):
    return arm_log


def spoiled(free, file, **channels):
    np.savez(file, **(dict(np.load(free)) | channels))
    return file


@pytest.fixture(scope="module")
def identified(arm_log, tmp_path_factory):
    out = tmp_path_factory.mktemp("identified") / "out"
    done = run("identify", arm_log, "--robot", "panda", "--contact-free", "all", "--out", out, seconds=PATIENCE)
    assert done.returncode == 0, (text(done.stdout), text(done.stderr))
    return out, done


def summary_of(out):
    return json.loads((out / "summary.json").read_text("utf-8"))


def test_files_and_summary(identified):
    out, done = identified
    assert done.stderr == b"" and "Is the noise identified?" in prose(done.stdout)
    assert sorted(os.listdir(out)) == ["profile.toml", "report.html", "summary.json"]
    told = summary_of(out)
    assert told["schema"] == "antaeus.identify/1" and told["identified"] and not told["unlabelled"]
    assert told["method"] == "moving" and told["unit"] == "N·m" and 0.9 <= told["hold_out"]["covered"] <= 1.0
    found = {one["name"]: one for one in told["parameters"]}
    for j in range(7):
        one = found[f"panda_joint{j + 1}.offset"]
        assert abs(one["value"] - OFFSET[j]) < 4.5 * one["sd"]
    named = {one["name"] for one in told["omitted"]}
    assert not named & set(found) and all(one["reason"] for one in told["omitted"])


def test_the_profile_loads_names_its_logs_and_changes_the_estimate(identified, free, tmp_path):
    out, _ = identified
    profile = (out / "profile.toml").read_text("utf-8")
    assert 'model = "panda"' in profile.splitlines()
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


def test_logs_that_do_not_suffice(free, tmp_path):
    brief = {name: values[:100] for name, values in np.load(free).items()}
    nothing((spoiled(free, tmp_path / "brief.npz", **brief), "--robot", "panda", "--contact-free", "all"), tmp_path, "too short")
    still = {name: np.repeat(values[:1], 4000, axis=0) for name, values in np.load(free).items() if name != "time"}
    told = nothing((spoiled(free, tmp_path / "still.npz", **still), "--robot", "panda"), tmp_path)
    assert told["unlabelled"]


def test_logs_of_two_robots(free, tmp_path):
    six = spoiled(free, tmp_path / "log_3.npz", **{name: values[:, :6] for name, values in np.load(free).items() if name != "time"})
    line = refused("identify", free, six, "--robot", "panda", "--contact-free", "all", "--out", tmp_path / "out")
    assert "log_3" in line and "7" in line and not (tmp_path / "out").exists()


def test_a_payload_is_told(free, tmp_path):
    done = run("identify", free, "--robot", "panda", "--contact-free", "all", "--loaded", spoiled(free, tmp_path / "loaded.npz"), "--payload-frame",
               "panda_hand", "--out", tmp_path / "out", seconds=PATIENCE)
    assert "What does it carry?" in prose(done.stdout) and done.returncode in (0, 1)


def test_a_refused_joint_is_told_first_and_is_exit_code_1(free, tmp_path):
    tau = np.load(free)["tau"].copy()
    tau[:, 3] *= -1.0
    done = run("identify", spoiled(free, tmp_path / "turned.npz", tau=tau), "--robot", "panda", "--contact-free", "all", "--out",
               tmp_path / "out", seconds=PATIENCE)
    story = " ".join(text(done.stdout).split())
    assert done.returncode == 1 and done.stderr == b"", story
    assert "6 of 7 joints: the rest looks like a configuration error (joint 4" in story, story
    assert "the sign is the opposite of the model's" in story, story
    assert (tmp_path / "out" / "profile.toml").exists()


def test_one_joint_past_its_limits_by_turns_is_a_note(free, tmp_path):
    urdf = (PANDA / "panda.urdf").read_text("utf-8")
    name = "panda_joint1"
    at = urdf.index(f'<joint name="{name}"')
    limit = re.search(r"<limit[^>]*>", urdf[at:]).group(0)
    wide = re.sub(r'upper="[^"]*"', 'upper="3.1416"', re.sub(r'lower="[^"]*"', 'lower="-3.1416"', limit))
    (tmp_path / "panda.urdf").write_text(urdf[:at] + urdf[at:].replace(limit, wide, 1))
    profile = (PANDA / "profile.toml").read_text("utf-8")
    model = re.search(r'^model = "([^"]*)"', profile, flags=re.M).group(1)
    (tmp_path / "panda.toml").write_text(profile.replace(f'model = "{model}"', 'model = "panda.urdf"', 1))
    qpos = np.load(free)["qpos"].copy()
    qpos[:, 0] += 2.0 * np.pi
    arguments = (spoiled(free, tmp_path / "turned.npz", qpos=qpos), "--robot", tmp_path / "panda.toml", "--contact-free", "all")
    done = run("identify", *arguments, "--out", tmp_path / "out", seconds=PATIENCE)
    story = " ".join(text(done.stdout).split())
    assert done.returncode == 0, story + text(done.stderr)
    assert "is beyond its limits" in story and "continuous" in story, story
    qpos[:, 1] += 2.0 * np.pi
    nothing((spoiled(free, tmp_path / "two.npz", qpos=qpos), *arguments[1:]), tmp_path, "another robot")


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
