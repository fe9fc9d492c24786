"""Torques so large that a force computed from them overflows: never a number with the status ok, never an all-clear."""

import json
import shutil

import needs
import numpy as np
import pytest
from command_line import prose, run, text


def scaled(twins, folder, factor, steps=slice(None)):
    shutil.copytree(twins / "twin_good", folder)
    tau = np.load(folder / "tau.npy").astype(float)
    tau[steps] *= factor
    np.save(folder / "tau.npy", tau)
    return folder, len(tau)


def audited(folder, out, *more):
    done = run("audit", folder, "-r", "h1_2", "-o", out, *more, seconds=20)
    return done, json.loads((out / "summary.json").read_text())


def test_torques_that_overflow_are_invalid_steps(twins, tmp_path):
    folder, steps = scaled(twins, tmp_path / "big", 1e160)
    done, summary = audited(folder, tmp_path / "out")
    assert done.returncode == 1
    assert f"{steps} steps hold numbers too large" in text(done.stderr)
    assert summary["audited"]["invalid_steps"] == steps and summary["usable_share"] == 0.0
    assert (summary["incident"], summary["outcome"]) == (False, "cannot_be_told")
    assert "No incident" not in prose(done.stdout)
    assert "every row holds NaN, infinity or numbers too large" in prose(done.stdout)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "undetermined</span>" in page and "no incident</span>" not in page
    assert run("estimate", folder, "-r", "h1_2", seconds=20).returncode == 1


def test_how_much_of_the_log_a_verdict_rests_on(twins, tmp_path):
    one, steps = scaled(twins, tmp_path / "one", 1e200, slice(3, 4))
    done, summary = audited(one, tmp_path / "out1")
    assert (done.returncode, summary["outcome"], summary["audited"]["invalid_steps"]) == (0, "no_incident", 1)
    assert f"No incident in the {steps - 1} of {steps} steps that hold numbers" in " ".join(text(done.stdout).split())
    most, steps = scaled(twins, tmp_path / "most", np.nan, slice(6, None))
    done, summary = audited(most, tmp_path / "out2")
    assert (done.returncode, summary["outcome"], summary["incident"]) == (1, "cannot_be_told", False)
    assert summary["usable_share"] == pytest.approx(6 / steps)
    assert f"Whether there was an incident cannot be determined: only 6 of {steps} steps hold numbers." in " ".join(text(done.stdout).split())
    assert "undetermined</span>" in (tmp_path / "out2" / "report.html").read_text()
    done, summary = audited(most, tmp_path / "out3", "--set", "event.least_usable_share=0")
    assert (done.returncode, summary["outcome"]) == (1, "no_incident")


def test_an_incident_in_few_steps_is_one(twins, tmp_path):
    folder = tmp_path / "hurt"
    shutil.copytree(twins / "twin_incident", folder)
    tau = np.load(folder / "tau.npy")
    tau[: len(tau) // 5] = np.nan
    np.save(folder / "tau.npy", tau)
    done, summary = audited(folder, tmp_path / "out")
    assert (done.returncode, summary["incident"], summary["outcome"]) == (1, True, "incident")


# --- the estimators themselves ----------------------------------------------------------------------------------------------

ENDPOINTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
SEED = 11


def is_whole(estimate):
    numbers = estimate.wrench.to_vector()
    with np.errstate(over="ignore"):
        finite = bool(np.isfinite(np.sum(numbers**2)))
    return finite and (not estimate.has_covariance or bool(np.all(np.isfinite(estimate.uncertainty.covariance))))


@pytest.mark.parametrize("size", [1e150, 1e154, 1e160, 1e300, 1e308, -1e308, np.inf])
def test_a_wrench_that_is_not_finite_is_never_ok(size):
    antaeus = needs.package("antaeus")
    chance = np.random.default_rng(SEED)
    robot = antaeus.load_robot("h1_2")
    reader = antaeus.InstantReader(robot, ENDPOINTS)
    residual = antaeus.ResidualEstimator(robot, kind="static")
    posterior = antaeus.PosteriorEstimator(reader)
    filtered = antaeus.ContactSpaceFilter(reader, posterior)
    solvers = [antaeus.DeployedEstimator(reader).solve, antaeus.StackedEstimator(reader).solve]
    refused = 0
    for step in range(40):
        tau = chance.uniform(-5, 5, robot.model.motor_count())
        large = step % 2 == 0
        if large:
            tau[chance.integers(len(tau), size=1 + step // 4)] = size
        now = reader.at(antaeus.Observation(q=robot.pose("arm_waist_target"), tau=tau, time=0.02 * step))
        r = residual.form(now)
        for name, estimates in [*(("static", solve(now)) for solve in solvers), ("posterior", posterior.solve(r)), ("filter", filtered.step(r, 0.02))]:
            for estimate in estimates:
                assert estimate.status != "ok" or is_whole(estimate), f"{name}, seed {SEED}, step {step}"
                if estimate.status != "ok":
                    refused += 1
                    assert estimate.status == "not_finite" and estimate.verdict == "invalid_input"
                    assert np.all(np.isnan(estimate.wrench.to_vector())), name
                assert large or estimate.status == "ok", f"{name}, step {step}: what was refused is remembered"
    assert refused > 0 or abs(size) < 1e154
