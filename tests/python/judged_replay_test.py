"""Posteriors, verdicts and reasons of whole logs as a user meets them: those of the loop, in arrays of any layout, in
slices, in other processes, and what is refused."""

import pickle

import antaeus
import numpy as np
import pytest
from support import generator, tolerance

WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
MOTORS = 27
WANT = ("posterior", "verdict", "reasons", "near_limits")
FIGURES = {"residual.noise": "assumed"}
# N: rounding of 1e-12, through rows weighed by progress_steps of a newton metre against priors of 20 N.
POSTERIOR = 10 * tolerance("kBatchParity")


def log_of(robot, count, numbers=None):
    """A robot that swings, then stands; torques that hold it, with pushes; a gap, a repeated stamp and a bad sample."""
    numbers = numbers or generator()
    pose = robot.pose("zero")
    time = np.arange(count) / 1000
    swing = np.where(time < time[-1] / 2, np.sin(9 * time), 0)[:, None] * numbers.uniform(-0.2, 0.2, MOTORS)
    q = pose + swing
    v = np.vstack([np.zeros((1, MOTORS)), np.diff(q, axis=0) * 1000])
    quaternion = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    plain = antaeus.replay(q, robot, WRISTS, q, imu_quaternion_xyzw=quaternion, want=("torque", "jacobian"))
    tau = plain["torque"] + numbers.normal(0, 0.05, (count, MOTORS))
    tau[count // 4::7] += numbers.normal(0, 8, tau[count // 4::7].shape)
    time[count // 3:] += 0.5
    time[count // 2] = time[count // 2 - 1]
    q[5, 3] = np.nan
    gyro = np.zeros((count, 3))
    return {"q": q, "tau": tau, "v": v, "time": time, "imu_quaternion_xyzw": quaternion, "imu_angular_velocity": gyro}


def in_loop(robot, log):
    reader = antaeus.InstantReader(robot, WRISTS)
    residual = antaeus.ResidualEstimator(robot, kind="static", noise="assumed")
    estimator = antaeus.PosteriorEstimator(reader, sign="on_environment")  # as the profile's deployed.sign
    said = []
    for i in range(len(log["q"])):
        now = reader.at(antaeus.Observation(**{name: channel[i] for name, channel in log.items()}))
        said.append([(str(e.status), str(e.verdict), list(e.reasons), e.wrench.force) for e in
                     estimator.solve(residual.form(now))])
    return said


@pytest.fixture(scope="module")
def judged(robot):
    return antaeus.BatchReplay(robot, WRISTS, threads=2, block=64, settings=FIGURES)


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def test_verdicts_and_reasons_are_those_of_the_loop(robot, judged):
    log = log_of(robot, 600)
    results = judged(**log, want=WANT)
    assert results["verdict"].shape == (600, 2) and results["verdict"].dtype == np.uint8
    assert results["reasons"].shape == (600, 2) and results["reasons"].dtype == np.uint64
    said, seen = in_loop(robot, log), set()
    for i, endpoints in enumerate(said):
        for k, (_, verdict, reasons, force) in enumerate(endpoints):
            assert list(antaeus.Verdict)[results["verdict"][i, k]] == verdict, (i, k)
            assert antaeus.reason_names(results["reasons"][i, k]) == reasons, (i, k)
            np.testing.assert_allclose(results["posterior"][i, k, :3], force, rtol=0,
                                       atol=POSTERIOR * max(1, np.linalg.norm(force)))
            seen |= {verdict, *reasons}
    assert {"ok", "degraded", "invalid_input", "motion", "gap", "time_back"} <= seen, seen
    assert judged.close_calls() == np.count_nonzero(results["near_limits"])


# Sign ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "frame", "settings", "sign"), [
    ("h1_2", "left_wrist_yaw_link", {}, "on_environment"),  # its profile states deployed.sign
    ("h1_2", "left_wrist_yaw_link", {"estimator.sign": "on_robot"}, "on_robot"),
    ("panda", "panda_hand", {}, "on_robot"),  # states none
    ("panda", "panda_hand", {"estimator.sign": "on_environment"}, "on_environment"),
    ("panda", "panda_hand", {"estimator.sign": "on_environment", "posterior.sign": "on_robot"}, "on_robot"),
    ("panda", "panda_hand", {"posterior.sign": "on_environment"}, "on_environment"),
])
def test_the_sign_is_the_one_that_was_set(name, frame, settings, sign):
    robot = antaeus.load_robot(name)
    numbers = generator()
    q = np.tile(robot.pose("ready" if name == "panda" else "zero"), (20, 1))
    plain = antaeus.replay(q, robot, [frame], q, want="torque")["torque"]
    tau = plain + numbers.normal(0, 5, q.shape)
    log = {"q": q, "tau": tau, "v": np.zeros(q.shape)}
    if name == "h1_2":
        log["imu_quaternion_xyzw"] = np.tile([0.0, 0.0, 0.0, 1.0], (20, 1))
    loaded = antaeus.replay(robot=robot, endpoints=[frame], **log, want=("wrench", "posterior", "verdict"), settings={**FIGURES, **settings})
    named = antaeus.replay(robot=name, endpoints=[frame], **log, want=("wrench", "posterior"), settings={**FIGURES, **settings})
    assert loaded.sign == named.sign == sign and isinstance(loaded.sign, antaeus.Sign)
    assert pickle.loads(pickle.dumps(loaded)).sign == sign
    for array in ("wrench", "posterior"):
        np.testing.assert_array_equal(named[array], loaded[array])

    reader = antaeus.InstantReader(robot, [frame])
    residual = antaeus.ResidualEstimator(robot, kind="static", noise="assumed")
    posterior, deployed = antaeus.PosteriorEstimator(reader, sign=sign), antaeus.DeployedEstimator(reader, sign=sign)
    for i in range(20):
        now = reader.at(antaeus.Observation(**{channel: rows[i] for channel, rows in log.items()}))
        for array, estimate in (("wrench", deployed.solve(now)[0]), ("posterior", posterior.solve(residual.form(now))[0])):
            assert estimate.sign == sign
            force = estimate.wrench.to_vector()
            assert np.linalg.norm(force) > 1
            np.testing.assert_allclose(loaded[array][i, 0], force, rtol=0, atol=1e3 * POSTERIOR * np.linalg.norm(force))


# What is wanted ------------------------------------------------------------------------------------------------------


def test_no_output_depends_on_what_else_is_wanted():
    """All subsets of seven results, with speeds and accelerations, where `wrench` is of inverse dynamics."""
    robot = antaeus.load_robot("panda")
    numbers = generator()
    q = robot.pose("ready") + numbers.uniform(-0.1, 0.1, (30, 7))
    v, a = numbers.uniform(-1, 1, (2, 30, 7))
    v[3, 2] = np.nan
    replay = antaeus.BatchReplay(robot, ["panda_hand"], threads=1, settings=FIGURES)
    log = {"q": q, "tau": numbers.normal(0, 8, (30, 7)), "v": v, "a": a}
    names = ("torque", "residual", "wrench", "sigma", "posterior", "verdict", "posterior_status")
    alone = {name: replay(**log, want=name) for name in names}
    for bits in range(1 << len(names)):
        want = tuple(name for k, name in enumerate(names) if bits >> k & 1)
        results = replay(**log, want=want)
        assert {*want, "status"} <= results.keys()
        np.testing.assert_array_equal(results["status"], alone["torque"]["status"])
        for name in want:
            np.testing.assert_array_equal(results[name], alone[name][name], err_msg=f"{name} in {want}")
            assert results.formed_of.get(name) == alone[name].formed_of.get(name)
    everything = replay(**log, want=names)
    assert everything.formed_of["wrench"] == everything.formed_of["residual"] == "inverse_dynamics"
    assert everything.formed_of["posterior"] == everything.formed_of["verdict"] == "static"
    assert "sigma" not in everything.formed_of
    at_rest = replay(q, log["tau"], want=("wrench", "posterior"))
    assert set(at_rest.formed_of.values()) == {"static"}
    assert np.abs(at_rest["wrench"] - everything["wrench"])[4:].max() > 1


def test_slices_layouts_and_processes_give_the_same(robot, judged):
    log = log_of(robot, 500)
    whole = judged(**log, want=WANT)
    parts = [judged(**{name: c[at:at + 130] for name, c in log.items()}, want=WANT, continues=at > 0)
             for at in range(0, 500, 130)]
    same({name: np.concatenate([part[name] for part in parts]) for name in whole}, whole)
    again = judged(**{name: c[260:390] for name, c in log.items()}, want=WANT)
    assert not np.array_equal(again["reasons"], parts[2]["reasons"]), "without continues nobody knows that it moved"
    table = np.zeros((500, 2 * MOTORS + 3))
    table[:, :MOTORS], table[:, MOTORS:2 * MOTORS], table[:, -1] = log["q"], log["tau"], log["time"]
    columns = {**log, "q": table[:, :MOTORS], "tau": table[:, MOTORS:2 * MOTORS], "time": table[:, -1],
               "v": np.asfortranarray(log["v"])}
    same(judged(**columns, want=WANT), whole)
    elsewhere = pickle.loads(pickle.dumps(antaeus.BatchReplay("h1_2", WRISTS, threads=1, settings=FIGURES)))
    same(elsewhere(**log, want=WANT), whole)
    same(antaeus.replay(robot="h1_2", endpoints=WRISTS, **log, want=WANT, settings=FIGURES), whole)
    filled = {"verdict": np.full((500, 2), 9, np.uint8), "reasons": np.full((500, 2), 9, np.uint64)}
    results = judged(**log, want=(), out=filled)
    for name, array in filled.items():
        assert results[name] is array
        np.testing.assert_array_equal(array, whole[name])


def test_an_episode_is_judged_by_its_channels(robot, judged):
    episode = antaeus.make_twin(robot, "incident", rate=200, duration=1.5).episode
    results = judged(episode, want=WANT)
    arrays = {"time": episode.time, "q": episode.q, "tau": episode.tau, "v": episode.v,
              "imu_quaternion_xyzw": episode.imu_quaternion}
    same(judged(**arrays, want=WANT), results)
    assert results["verdict"].any() and not results["status"].any()


def test_what_only_a_loop_can_do_is_refused(robot, judged):
    log = log_of(robot, 20)
    upright = {name: channel for name, channel in log.items() if name != "imu_quaternion_xyzw"}
    replay = antaeus.BatchReplay(robot, WRISTS)
    for call, message in [
        (lambda: judged(**upright, want=WANT), r"^residual\.tilt_sd: .*give imu_quaternion_xyzw.*antaeus estimate"),
        (lambda: antaeus.replay(robot=robot, endpoints=WRISTS, **log, want=WANT, settings={"posterior.rows": "all"}),
         r'^posterior\.rows: .*settings=\{"posterior\.rows": "own"\}'),
        (lambda: replay(log["q"], log["tau"], time=log["time"]), r"^time: .*verdict"),
        (lambda: judged(**log, variance=log["q"], want=WANT), r"^variance: the robot's settings give it"),
        (lambda: judged(**log, want=("verdct",)), r"did you mean 'verdict'"),
        (lambda: antaeus.BatchReplay(robot, WRISTS, settings={"posterior.rws": "own"}), r"did you mean 'rows'"),
    ]:
        with pytest.raises(antaeus.OptionsError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
