"""antaeus.replay as a user meets it: the numbers of one sample at a time, no copies, blocks in other
processes, and what is refused."""

import functools
import multiprocessing
import pickle

import antaeus
import needs
import numpy as np
import pytest
from support import generator, peak, tolerance

WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
MOTORS = 27
PARITY, WRENCH = tolerance("kBatchParity"), tolerance("kBatchWrench")
EVERYTHING = ("torque", "residual", "base_residual", "base_rotation", "wrench", "sigma", "rank", "jacobian", "pose")


def states(count, numbers=None):
    numbers = numbers or generator()
    quaternion = numbers.normal(size=(count, 4))
    return (numbers.uniform(-2, 2, (count, MOTORS)), numbers.uniform(-50, 50, (count, MOTORS)),
            quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True))


@pytest.fixture(scope="module")
def replay(robot):
    return antaeus.BatchReplay(robot, WRISTS, threads=2, block=64)


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


# The numbers ---------------------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_one_sample_at_a_time(robot, replay):
    q, tau, quaternion = states(300)
    results = replay(q, tau, imu_quaternion_xyzw=quaternion, want=EVERYTHING)
    assert results["wrench"].shape == results["sigma"].shape == (300, 2, 6) and results["rank"].shape == (300, 2)
    assert results["residual"].shape == (300, MOTORS) and results["base_rotation"].shape == (300, 3, 3)
    assert results["status"].dtype == np.uint8 and not results["status"].any() and len(results) == 10
    reader = antaeus.InstantReader(robot, WRISTS)
    estimator = antaeus.DeployedEstimator(reader)
    well_conditioned = 0
    for i in range(300):
        now = reader.at(antaeus.Observation(q=q[i], tau=tau[i], imu_quaternion_xyzw=quaternion[i]))
        read = estimator.solve(now)
        r = now.static_residual()
        np.testing.assert_allclose(results["torque"][i], now.gravity_torque(), rtol=0, atol=PARITY * 100)
        np.testing.assert_allclose(results["residual"][i], r, rtol=0, atol=PARITY * np.abs(r).max())
        np.testing.assert_allclose(results["base_rotation"][i], now.base_rotation(), rtol=0, atol=PARITY)
        column = 0
        for e, wrist in enumerate(read):
            J = np.zeros((6, MOTORS))
            supporting = replay.supporting_motors(e)
            J[:, supporting] = results["jacobian"][i, column:column + 6 * len(supporting)].reshape(-1, 6).T
            column += 6 * len(supporting)
            np.testing.assert_allclose(J, now.jacobian(e), rtol=0, atol=PARITY)
            np.testing.assert_allclose(results["pose"][i, e, 9:], now.pose(e).translation, rtol=0, atol=PARITY)
            reach = np.linalg.norm(r) / wrist.sigma_min
            error = np.linalg.norm(results["wrench"][i, e] - wrist.wrench.to_vector())
            assert error <= WRENCH * wrist.kappa * reach
            assert results["rank"][i, e] == wrist.rank
            if wrist.kappa < 100:
                well_conditioned += 1
                assert error <= PARITY * reach
    assert well_conditioned > 100


def test_rates_are_read_as_such():
    robot = antaeus.load_robot("planar_3r")
    q, v, a = generator().uniform(-1, 1, (3, 20, 3))
    results = antaeus.replay(q, robot, ["tool"], v=v, a=a, want="torque", threads=2, block=7)
    dynamics = antaeus.Dynamics(robot.model)
    expected = [dynamics.inverse_dynamics(*state) for state in zip(q, v, a)]
    np.testing.assert_allclose(results["torque"], expected, rtol=0, atol=PARITY * 100)


def test_an_episode_brings_its_channels(robot, replay):
    episode = antaeus.make_twin(robot, "pushes", duration=2.0, torque_noise=0.1).episode
    results = replay(episode)
    same(results, replay(episode.q, episode.tau, imu_quaternion_xyzw=episode.imu_quaternion))
    assert results["wrench"].shape == (episode.steps(), 2, 6)
    filled = np.full((episode.steps(), 2, 6), 7.0)
    assert antaeus.replay(episode, robot, WRISTS, want="wrench", out={"wrench": filled})["wrench"] is filled
    assert np.array_equal(filled, results["wrench"])
    for argument in ("tau", "v", "imu_quaternion_xyzw"):
        with pytest.raises(antaeus.OptionsError, match=rf"^replay\.{argument}: an episode brings its"):
            replay(episode, **{argument: episode.tau})
    with pytest.raises(antaeus.EpisodeError, match="27 motors; the robot has 7"):
        antaeus.replay(episode, "panda", ["panda_hand"])


def test_torques_are_what_the_channels_read():
    """The same conversion as an Observation's: the profile's sign, gear, scale and offset."""
    robot = antaeus.load_robot("h1_2")
    q, tau, _ = states(20)
    results = antaeus.replay(q, robot, WRISTS, tau, want=("torque", "residual"))
    reader = antaeus.InstantReader(robot, WRISTS)
    for i in range(20):
        torque = reader.at(antaeus.Observation(q=q[i], tau=tau[i])).torque()
        assert np.array_equal(torque - results["torque"][i], results["residual"][i])


# Memory --------------------------------------------------------------------------------------------------------------


def test_rows_are_read_and_filled_where_they_lie(robot, replay):
    """One table with q, tau, the quaternion and the results in each row; a copy of its columns would be 170 MB."""
    count = 400_000
    table = np.zeros((count, 2 * MOTORS + 4 + 12 + 1))
    q, tau, quaternion = (table[:, :MOTORS], table[:, MOTORS:2 * MOTORS], table[:, 2 * MOTORS:2 * MOTORS + 4])
    q[:], tau[:], quaternion[:] = 0.3, 5.0, [0, 0, 0, 1]
    table[:, -1] = 4.0
    wrench = table[:, -13:-1].reshape(count, 2, 6)
    assert np.shares_memory(wrench, table)
    status = np.full(count, 9, np.uint8)
    replay(q[:10], tau[:10])
    grown = peak(lambda: replay(q, tau, imu_quaternion_xyzw=quaternion, want=(), out={"wrench": wrench, "status": status}))
    assert grown < 20e6, grown
    assert not status.any() and (table[:, -1] == 4.0).all()
    one = replay(q[:1].copy(), tau[:1].copy(), imu_quaternion_xyzw=quaternion[:1].copy())
    assert (table[:, -13:-1] == one["wrench"].reshape(12)).all()


@pytest.mark.parametrize("change", [lambda x: x.astype(np.float32).astype(np.float64), np.asfortranarray, list,
                                    lambda x: x.astype(">f8"), lambda x: np.repeat(x, 2, axis=1)[:, ::2],
                                    lambda x: x[::-1].copy()[::-1], lambda x: np.repeat(x, 3, axis=0)[::3]])
def test_any_layout_gives_the_same(replay, change):
    q, tau, _ = (np.round(x * 4) / 4 for x in states(40))
    q.flags.writeable = False
    same(replay(change(q), change(tau)), replay(q, tau))


def test_a_file_is_read_in_place(robot, replay, tmp_path):
    q, tau, _ = states(3000)
    np.save(tmp_path / "q.npy", q)
    np.save(tmp_path / "tau.npy", tau)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("q", "tau")]
    same(replay(*mapped), replay(q, tau))


def test_columns_of_arrow(replay, tmp_path):
    arrow = needs.package("pyarrow")
    parquet = needs.package("pyarrow.parquet")
    q, tau, _ = states(100)
    expected = replay(q, tau)
    lists = [arrow.FixedSizeListArray.from_arrays(arrow.array(x.ravel()), MOTORS) for x in (q, tau)]
    table = arrow.table({"q": lists[0], "tau": lists[1]})
    same(replay(*lists), expected)
    same(replay(table["q"], table["tau"]), expected)
    same(replay(*(arrow.array(x.ravel()) for x in (q, tau))), expected)
    same(replay(*(one.slice(10, 50) for one in lists)), {name: array[10:60] for name, array in expected.items()})
    parquet.write_table(table, tmp_path / "log.parquet", row_group_size=30)
    read = parquet.read_table(tmp_path / "log.parquet")
    same(replay(read["q"], read["tau"]), expected)
    gaps = arrow.array([q[0].tolist(), None], type=arrow.list_(arrow.float64(), MOTORS))
    with pytest.raises(antaeus.OptionsError, match=r"^replay\.q: 1 rows are null; fill them with NaN"):
        replay(gaps, tau[:2])
    with pytest.raises(antaeus.OptionsError, match=r"^replay\.tau: lists whose length may differ; cast them"):
        replay(q, arrow.array(tau.tolist()))
    back = arrow.array(expected["residual"].ravel())
    assert back.to_numpy(zero_copy_only=True).reshape(-1, MOTORS).tolist() == expected["residual"].tolist()


# Other processes -----------------------------------------------------------------------------------------


def test_blocks_in_other_processes(robot):
    q, tau, quaternion = states(200)
    log = antaeus.BatchReplay("h1_2", WRISTS, threads=1)
    expected = log(q, tau)
    same(pickle.loads(pickle.dumps(log))(q, tau), expected)
    blocks = [(q[:90], tau[:90]), (q[90:], tau[90:])]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.starmap_async(log, blocks).get(timeout=100)
    same({name: np.concatenate([part[name] for part in parts]) for name in expected}, expected)
    cloudpickle = needs.package("cloudpickle")  # how Dask and Ray send a function
    same(pickle.loads(cloudpickle.dumps(lambda q, tau: log(q, tau)))(q, tau), expected)
    with pytest.raises(antaeus.OptionsError, match=r"^replay\.robot: .*; give the robot's name or file$"):
        pickle.dumps(antaeus.BatchReplay(robot, WRISTS))


def test_blocks_in_forked_processes():
    q, tau, _ = states(100)
    log = antaeus.BatchReplay("h1_2", WRISTS, threads=2, block=16)
    expected = log(q, tau)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        part, = pool.starmap_async(functools.partial(log), [(q, tau)]).get(timeout=100)
    same(part, expected)


# What is refused -----------------------------------------------------------------------------------------------------


def test_errors_name_the_array_and_the_remedy(robot, replay):
    q, tau, quaternion = states(10)
    for call, kind, message in [
        (lambda: replay(q[:, :26], tau), antaeus.StatusError, r"^replay: wrong_size: q has shape \(10, 26\); give shape \(N, 27\)$"),
        (lambda: replay(q, tau[:9]), antaeus.StatusError, r"tau has shape \(9, 27\); give shape \(10, 27\)"),
        (lambda: replay(q[0], tau[0]), antaeus.StatusError, r"q has shape \(27,\)"),
        (lambda: replay(q, tau, imu_quaternion_xyzw=quaternion[:, :3]), antaeus.StatusError, r"imu_quaternion_xyzw has shape \(10, 3\)"),
        (lambda: replay(q[:0], tau[:0]), antaeus.OptionsError, r"^replay\.q: no states; give one or more$"),
        (lambda: replay(q), antaeus.OptionsError, r"^residual: tau is absent|^wrench: tau is absent"),
        (lambda: replay(q, tau, v=q), antaeus.OptionsError, "^v: a is absent"),
        (lambda: replay(q, tau, imu_angular_velocity=q[:, :3]), antaeus.OptionsError, "^imu_angular_velocity: v or a is absent"),
        (lambda: replay(q, tau, want=["wrnch"]), antaeus.OptionsError, r"^replay\.want: .*did you mean 'wrench'"),
        (lambda: replay(q, tau, want="base_angular_velocity"), antaeus.OptionsError, "^base_angular_velocity: "),
        (lambda: replay(q, tau, out={"wrnch": q}), antaeus.OptionsError, r"^replay\.out: .*did you mean 'wrench'"),
        (lambda: replay(q, tau, out={"wrench": np.zeros((10, 12))}), antaeus.OptionsError, r"^replay\.out: wrench: .*float64 and shape \(10, 2, 6\)"),
        (lambda: replay(q, tau, out={"rank": np.zeros((10, 2))}), antaeus.OptionsError, r"^replay\.out: rank: .*int32"),
        (lambda: replay(q, tau, imu_quaternion=quaternion), antaeus.OptionsError, "did you mean 'imu_quaternion_xyzw'"),
        (lambda: antaeus.BatchReplay(robot, ["left_wrist_yaw_lnk"]), antaeus.ModelError, "did you mean 'left_wrist_yaw_link'"),
        (lambda: antaeus.BatchReplay("h1_3", WRISTS), antaeus.ModelError, "did you mean 'h1_2'"),
        (lambda: antaeus.BatchReplay(robot, WRISTS, imu="mountd"), antaeus.OptionsError, r"^replay\.imu: .*did you mean 'mounted'"),
        (lambda: antaeus.BatchReplay(robot, WRISTS, threads=-1), antaeus.OptionsError, "threads"),
        (lambda: antaeus.replay(q, robot, WRISTS, tau, block=0), antaeus.OptionsError, "block"),
    ]:
        with pytest.raises(kind, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
    readonly = np.zeros((10, 2, 6))
    readonly.flags.writeable = False
    with pytest.raises(antaeus.OptionsError, match="writable"):
        replay(q, tau, out={"wrench": readonly})
    for bad in (object(), None, [[1.0], [2.0, 3.0]], np.zeros((10, MOTORS), complex), np.zeros((10, MOTORS), bool)):
        with pytest.raises(TypeError, match=r"replay\.q"):
            replay(bad, tau)


def test_an_unknown_instruction_set_is_an_error(robot, monkeypatch):
    monkeypatch.setenv("ANTAEUS_INSTRUCTION_SET", "avx1024")
    with pytest.raises(antaeus.OptionsError, match="^ANTAEUS_INSTRUCTION_SET: "):
        antaeus.BatchReplay(robot, WRISTS)


def test_signatures_name_every_channel(replay):
    text = antaeus.replay.__doc__
    for name in ("imu_specific_force", "base_angular_acceleration", "base_rotation", "want", "out", "threads", "block"):
        assert name in text, name
    assert "BatchReplay(27 motors, 2 endpoints, 2 threads)" == repr(replay)
