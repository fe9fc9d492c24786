"""From another process to the wrench: by every transport, what the live estimator says of a stream is what the guarded estimator says
of the same samples in a log, to the bit."""

import os
import sys
import tempfile
import threading
import time

import antaeus
import needs
import numpy as np
import pytest
import senders
from antaeus.live.recording import Recorder
from antaeus.live.said import read_said
from antaeus.live.sources import open_source
from senders import Sender, free_port, hears_its_writer

STEPS = 300
# Of a block, of a log.
CHANNELS = {"qpos": "qpos", "tau": "tau", "dq": "dq", "imu_quat": "imu_quat_xyzw", "imu_gyro": "imu_gyro", "imu_acc": "imu_acc"}
DOMAIN = 20 + os.getpid() % 100


@pytest.fixture(scope="session")
def robot():
    """With its assumed figures: the samples are made, and have none of the errors identified on a robot."""
    return antaeus.with_noise(antaeus.load_robot("h1_2"), None)


@pytest.fixture(scope="session")
def episode(robot, tmp_path_factory):
    """An .npz, and its channels: 500 Hz of a robot that holds a pose while something pulls. Numbers of float32 and stamps of whole
    milliseconds, so that each transport can carry them; an IMU that stands still, since ROS sends it by itself and in no order with the joints."""
    numbers = np.random.default_rng(5)
    twin = antaeus.make_twin(robot, "pushes", rate=500, duration=STEPS / 500, seed=5).episode
    single = lambda values: np.asarray(values, np.float32).astype(float)
    count = len(twin)
    still = np.ones((count, 1))
    channels = {"time": np.round(np.arange(count) * 0.002, 3), "qpos": single(twin.q),
                "tau": single(twin.tau + 0.1 * numbers.normal(size=twin.tau.shape)), "dq": single(0.01 * numbers.normal(size=twin.q.shape)), "imu_quat_xyzw": single(still * [[0.0, 0.0, 0.0, 1.0]]),
                "imu_gyro": single(still * [[0.001, 0.002, 0.003]]), "imu_acc": single(still * [[0.1, 0.0, 9.81]])}  # fmt: skip
    file = tmp_path_factory.mktemp("episode") / "episode.npz"
    np.savez(file, **channels)
    return file, channels


def reference(robot, endpoints, channels):
    """Wrench, state and reasons of the guarded estimator [steps][endpoints]."""
    log = antaeus.Episode.from_arrays(
        robot=robot, time=channels["time"], q=channels["qpos"], tau=channels["tau"], v=channels["dq"],
        imu_quaternion=channels["imu_quat_xyzw"], imu_angular_velocity=channels["imu_gyro"], imu_specific_force=channels["imu_acc"], as_logged=True)  # fmt: skip
    estimator = antaeus.GuardedEstimator(robot, endpoints)
    said = [list(estimator.update(sample)) for sample in log]
    wrenches = np.array([[one.wrench.to_vector() for one in step] for step in said])
    return wrenches, [[(str(one.state), sorted(one.reasons)) for one in step] for step in said]


def run_live(robot, endpoints, source, steps, sender=None, seconds=300.0):
    """The block of so many samples, of a sender that is allowed each."""
    options = {"simulated": getattr(source, "simulated", False)}
    if hasattr(source, "quaternion"):
        options["quaternion"] = source.quaternion
    live = antaeus.LiveEstimator(robot, endpoints, source.format, **options)
    stop, problems = threading.Event(), []

    def work():
        try:
            source.run(live.push, stop)
        except Exception as problem:  # noqa: BLE001: shown by the assertion
            problems.append(problem)

    live.start()
    thread = threading.Thread(target=work)
    thread.start()
    until = time.monotonic() + seconds
    while live.count() < steps and thread.is_alive() and time.monotonic() < until:
        if sender:
            sender.allow(live.count())
        live.wait(live.count(), 0.2)
    if getattr(source, "ends", False):
        thread.join(seconds)
        live.end()
        while live.count() < steps and time.monotonic() < until:
            live.wait(live.count(), 0.2)
    stop.set()
    thread.join(seconds)
    block, facts = live.read(0, steps), live.facts()
    live.stop()
    assert not problems and len(block.time) == steps, (problems, facts)
    return block, facts


def require_same(robot, channels, source, sender=None, steps=STEPS):
    endpoints = [one.frame for one in robot.profile.endpoints if one.kind == "hand"]
    block, facts = run_live(robot, endpoints, source, steps, sender)
    for mine, theirs in CHANNELS.items():
        np.testing.assert_array_equal(getattr(block, mine), channels[theirs][:steps], err_msg=mine)
    # Stamps of whole milliseconds, and of seconds with nanoseconds, come back rounded in the last bit.
    np.testing.assert_allclose(block.time, channels["time"][:steps], rtol=0, atol=4 * np.spacing(1.0))
    samples = {name: values[:steps] for name, values in channels.items()} | {"time": np.array(block.time)}
    wrenches, said = reference(robot, endpoints, samples)
    np.testing.assert_array_equal(block.consumer, wrenches)
    verdicts = list(antaeus.Verdict)
    states = [[(str(verdicts[state]), sorted(antaeus.reason_names(int(bits)))) for state, bits in zip(row, names, strict=True)]
              for row, names in zip(block.state, block.reasons, strict=True)]  # fmt: skip
    assert states == said
    require_same_record(robot, block, facts)
    assert facts.lost == facts.repeated == facts.out_of_order == facts.undecodable == facts.restarts == 0, facts
    assert len(np.unique(wrenches[:, :, 0])) > steps // 2, "there is something to compare"


def require_same_record(robot, block, facts):
    """What a recorder makes of the block is a log, whose estimates are what was said, by every bit."""
    endpoints = [one.frame for one in robot.profile.endpoints if one.kind == "hand"]
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(folder, robot, keep=10**9, about={"endpoints": endpoints}, flights=False)
        recorder.take(block, [], facts)
        part = next(place for place in recorder.close() if place.name.startswith("part_"))
        said, table = read_said(part), antaeus.estimate(str(part), robot, endpoints=endpoints)
    assert {"Fx", "Mz", "sd_Fz", "verdict", "reasons", "time"} <= set(said)
    for name, values in said.items():
        if name not in table:
            continue
        theirs = np.asarray(table[name])
        same = theirs.astype(str) == values.astype(str) if values.dtype == object else (theirs == values) | (np.isnan(theirs) & np.isnan(values))
        assert same.all(), (name, np.flatnonzero(~same)[:5])


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_by_sockets(robot, episode, transport):
    file, channels = episode
    port = free_port()
    source = open_source(f"{transport}://{port}", robot)
    with Sender(f"episode_by_{transport}", file, port) as sender:
        require_same(robot, channels, source, sender)


def test_by_dds(robot, episode):
    needs.package("cyclonedds")
    file, channels = episode
    with Sender("episode_by_dds", file, DOMAIN, "hg") as sender:
        source = open_source(f"dds://{DOMAIN}/rt/lowstate?type=hg&quaternion=wxyz", robot)
        senders.until(lambda: hears_its_writer(source))
        require_same(robot, channels, source, sender)


def test_by_zenoh(robot, episode):
    needs.package("zenoh")
    file, channels = episode
    port = free_port()
    with Sender("episode_by_zenoh", file, port, *robot.model.motor_names()) as sender:
        require_same(robot, channels, open_source(f"zenoh://joint_states?connect=tcp/127.0.0.1:{port}", robot), sender)


@pytest.mark.parametrize("lines", [senders.episode_lines, senders.episode_table])
def test_by_standard_input(robot, episode, lines, monkeypatch):
    file, channels = episode
    reader, writer = os.pipe()
    data = memoryview(b"\n".join(lines(file)))

    def write():
        rest = data
        while rest:
            rest = rest[os.write(writer, rest):]
        os.close(writer)

    threading.Thread(target=write).start()
    monkeypatch.setattr(sys, "stdin", os.fdopen(reader))
    require_same(robot, channels, open_source("-", robot))


def test_by_a_log(robot, episode):
    file, channels = episode
    require_same(robot, channels, open_source(f"log://{file}", robot, speed=0))


def test_go2_by_dds(tmp_path):
    """Twenty motors' message, of a robot of fewer: cyclonedds's own decoding says what was sent."""
    needs.package("cyclonedds")
    robot = antaeus.load_robot("panda")
    numbers = np.random.default_rng(6)
    count, motors = 50, len(robot.model.motor_names())
    channels = {"time": np.round(np.arange(count) * 0.002, 3), "imu_quat_xyzw": np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)),
                "imu_gyro": numbers.normal(size=(count, 3)), "imu_acc": numbers.normal(size=(count, 3))}  # fmt: skip
    channels |= {name: numbers.normal(size=(count, motors)) for name in ("qpos", "tau", "dq")}
    channels = {name: np.asarray(values, np.float32 if name != "time" else float).astype(float) for name, values in channels.items()}
    np.savez(tmp_path / "episode.npz", **channels)
    with Sender("episode_by_dds", tmp_path / "episode.npz", DOMAIN + 1, "go") as sender:
        source = open_source(f"dds://{DOMAIN + 1}/rt/lowstate?type=go&quaternion=wxyz", robot)
        senders.until(lambda: hears_its_writer(source))
        block, _ = run_live(robot, robot.endpoint_frames([]), source, count, sender)
    for mine, theirs in CHANNELS.items():
        np.testing.assert_array_equal(getattr(block, mine), channels[theirs], err_msg=mine)


def test_a_simulation_runs_through(robot):
    """The first push of its script is seen: whose it is, how strong and which way."""
    needs.package("mujoco")
    hands = [one.frame for one in robot.profile.endpoints if one.kind == "hand"]
    block, _ = run_live(robot, hands, open_source("sim://h1_2?rate=250", robot, speed=0), 5350)
    told, pushed = np.linalg.norm(block.consumer[:, 0, :3], axis=1), (block.time > 20.5) & (block.time < 21.2)
    # 18 N push the left wrist from 20 to 21.5 s; at rest, nothing does. A quarter of it is what noise and friction leave.
    assert told[pushed].mean() == pytest.approx(18.0, abs=4.5) and told[(block.time > 2) & (block.time < 12)].mean() < 4.5
    assert np.linalg.norm(block.consumer[pushed, 1, :3], axis=1).mean() < 4.5, "the right hand is not pushed"
    down = -1.0 if block.sign == "on_robot" else 1.0
    assert block.consumer[pushed, 0, 2].mean() * down > 13.5, "the hand is pushed down"
