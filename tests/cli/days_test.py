"""Several logs of one arm, days apart: antaeus identify LOG LOG …, and today's friction in antaeus estimate."""

import json
import tomllib

import numpy as np
import pytest
from command_line import refused, run, text

PATIENCE = 240.0  # s


def day_of(log, file, seed, contact=0.0, date=None, size=1.0):
    """The log on another day: other friction, other offsets, other noise."""
    data = dict(np.load(log))
    draw = np.random.default_rng(seed)
    tau = data["tau"] + size * (0.15 * draw.normal(size=7) + 0.1 * draw.normal(size=7) * np.tanh(data["dq"] / 0.03))
    tau = tau + 0.05 * draw.normal(size=data["tau"].shape)
    if contact:
        third = len(tau) // 3
        tau[third : third + len(tau) // 5] += contact
    if date is not None:
        data["time"] = data["time"] - data["time"][0] + date
    np.savez(file, **(data | {"tau": tau}))
    return file


@pytest.fixture(scope="module")
def days(arm_log, tmp_path_factory):
    folder = tmp_path_factory.mktemp("days")
    return [day_of(arm_log, folder / f"day_{seed}.npz", seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def identified(days, tmp_path_factory):
    out = tmp_path_factory.mktemp("identified_days") / "out"
    done = run("identify", *days, "--robot", "panda", "--contact-free", "all", "--out", out, seconds=PATIENCE)
    assert done.returncode == 0, (text(done.stdout), text(done.stderr))
    return out, text(done.stdout)


def test_the_profile_holds_the_spread_of_days_and_the_summary_each_of_them(identified, days):
    out, told = identified
    noise = tomllib.loads((out / "profile.toml").read_text("utf-8"))["noise"]
    assert noise["logs"] == 3 and all(one["offset_sd"] > 0 and one["coulomb_sd"] > 0 for one in noise["joints"])
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert [one["log"] for one in summary["days"]] == [file.name for file in days]
    truth = [0.15 * np.random.default_rng(seed).normal(size=7) for seed in (1, 2, 3)]
    mean = np.mean(truth, axis=0)
    z = [(np.array(one["offset"]) - (t - mean)) / np.array(one["offset_sd"]) for one, t in zip(summary["days"], truth)]
    assert np.sqrt(np.mean(np.square(z))) < 1.5 and np.max(np.abs(z)) < 4
    how = {table["how"]: table["rows"] for table in summary["coverage"]}
    assert set(how) == {"half of each log by a fit of its other half", "each log by a fit of the others"}
    for rows in how.values():
        assert len(rows) == 10 and all(one["within_50"] <= one["within_95"] for one in rows)
        assert all(one["nees_low"] < 1 < one["nees_high"] for one in rows)
    assert "Are the intervals true?" in told and "no date" in told
    assert summary["another_day"][0]["sd_then_N"] < summary["another_day"][0]["sd_N"]


def test_a_day_is_learnt_and_the_interval_shrinks(identified, arm_log, tmp_path):
    out, _ = identified
    # Of the size that three logs showed: they tell a spread within a factor of two, and a day beyond five of it is refused.
    new = day_of(arm_log, tmp_path / "new.npz", 9, size=0.3)
    sd, size = {}, {}
    for name, more in (("unknown", ()), ("known", ("--contact-free", "0:8"))):
        done = run("estimate", new, "--robot", out / "profile.toml", "--json", *more, seconds=PATIENCE)
        assert done.returncode == 0, text(done.stderr)
        rows = json.loads(done.stdout)["rows"][1200:-100]
        sd[name] = np.median([row["worst_sd"] for row in rows])
        size[name] = np.median([np.linalg.norm(row["wrench"][:3]) for row in rows])
    assert sd["known"] < 0.9 * sd["unknown"] and size["known"] < size["unknown"], (sd, size)


def test_one_log_says_what_a_second_day_would_buy(days, tmp_path):
    done = run("identify", days[0], "--robot", "panda", "--contact-free", "all", "--out", tmp_path / "one", seconds=PATIENCE)
    assert done.returncode == 0
    words = " ".join(text(done.stdout).split())
    assert "A log of a second session would make that ±" in words and "one log cannot" in words
    assert tomllib.loads((tmp_path / "one/profile.toml").read_text("utf-8"))["noise"]["logs"] == 1


def test_a_log_with_a_contact_is_named_and_left_out(days, arm_log, tmp_path):
    touched = day_of(arm_log, tmp_path / "touched.npz", 4, contact=4.0)
    done = run("identify", *days, touched, "--robot", "panda", "--contact-free", "all", "--out", tmp_path / "out", seconds=PATIENCE)
    words = " ".join(text(done.stdout).split())
    assert done.returncode == 0 and "touched.npz: by the other logs' fit" in words and "is left out" in words
    assert tomllib.loads((tmp_path / "out/profile.toml").read_text("utf-8"))["noise"]["logs"] == 3


def test_logs_of_one_day_show_no_spread(arm_log, tmp_path):
    logs = [day_of(arm_log, tmp_path / f"log_{seed}.npz", seed, date=1.7e9 + 100 * seed) for seed in (1, 2)]
    done = run("identify", *logs, "--robot", "panda", "--contact-free", "all", "--json", seconds=PATIENCE)
    told = json.loads(done.stdout)
    assert any("they do not show how far days lie apart" in note for note in told["notes"])
    for joint in told["joints"]:
        coulomb = {one["name"]: one for one in told["parameters"]}.get(f"{joint['joint']}.coulomb")
        if coulomb:
            assert joint["coulomb_sd"] == pytest.approx(0.08 * np.hypot(coulomb["value"], coulomb["sd"]), rel=0.2)


def test_an_older_profile_gets_the_spread_of_other_robots_and_says_so(identified, arm_log, tmp_path):
    out, _ = identified
    older = []
    for line in (out / "profile.toml").read_text("utf-8").splitlines():
        if line.startswith("logs = "):
            continue
        for key in ("coulomb_sd", "viscous_sd", "offset_sd", "standing_sd"):
            if f"{key} = " in line and line.lstrip().startswith("{ joint"):
                before, after = line.split(f", {key} = ", 1)
                line = before + after[after.index(",") :] if "," in after else before + " },"
        older.append(line)
    (out / "older.toml").write_text("\n".join(older) + "\n", "utf-8")
    done = run("estimate", arm_log, "--robot", out / "older.toml", seconds=PATIENCE)
    assert done.returncode == 0, text(done.stderr)
    assert "taken from other robots" in " ".join(text(done.stdout).split())


def test_bad_stretches_and_profiles_are_told_in_a_line(identified, arm_log, tmp_path):
    out, _ = identified
    profile = out / "profile.toml"
    assert "nothing was identified" in refused("estimate", arm_log, "--robot", "panda", "--contact-free", "all")
    assert "past the log's end" in refused("estimate", arm_log, "--robot", profile, "--contact-free", "900:901")
    assert "is not a stretch" in refused("estimate", arm_log, "--robot", profile, "--contact-free", "x")
    spoilt = profile.read_text("utf-8").replace("logs = 3", "logs = 2.5")
    (out / "spoilt.toml").write_text(spoilt, "utf-8")
    assert "'logs' is not a number of logs" in refused("estimate", arm_log, "--robot", out / "spoilt.toml")
