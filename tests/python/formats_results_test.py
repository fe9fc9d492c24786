"""Results as MCAP: what the mcap library and rerun read in it is what the table of estimates says."""

import os
import shutil
import subprocess
import sys

import antaeus
import needs
import numpy as np
import pytest
from support import SEED, generator, peak

from antaeus.formats.recording import FormatError

needs.package("mcap")
needs.package("mcap_protobuf")
needs.package("foxglove_schemas_protobuf")
from antaeus.formats.results_mcap import ellipsoid_95, force_covariance, set_quaternion, write_results  # noqa: E402

START = 1_700_000_000_123_456_789
WITHIN_95 = 7.814727903251179  # χ² of three degrees of freedom, 95 % (tables of the χ² distribution)
ROUNDING = 1e-9  # of what passes through a quaternion and a matrix, relative; positions in m


def log_of(robot, steps, rate=500.0, **more):
    """Joints in slow sine motion, torques of the model and a push of chance, time stamps."""
    chance = generator()
    time = np.arange(steps) / rate
    q = 0.4 * np.sin(0.7 * time[:, None] + np.arange(robot.model.motor_count())) - 0.6
    v = 0.28 * np.cos(0.7 * time[:, None] + np.arange(robot.model.motor_count()))
    a = -0.196 * np.sin(0.7 * time[:, None] + np.arange(robot.model.motor_count()))
    dynamics = antaeus.Dynamics(robot.model)
    weight = np.array([robot.model.select_motor_rows(dynamics.at(robot.model.position_from_motors(row, [0, 0, 0, 1])).gravity_torque()) for row in q])
    tau = weight + chance.normal(0, 0.3, q.shape)
    return antaeus.Episode.from_arrays(q=q, tau=tau, v=v, a=a, time=time, robot=robot, name="made", **more)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(robot, episode, estimates, file, what was written)."""
    robot = antaeus.with_noise(antaeus.load_robot("ur5e"), None)
    episode = log_of(robot, 300)
    estimates = antaeus.estimate(episode, robot)
    file = tmp_path_factory.mktemp("results") / "out.mcap"
    return robot, episode, estimates, file, write_results(file, robot, episode, estimates, start_ns=START)


def read(file):
    """topic → [(time, schema, message)], with the mcap library and its decoder of Protobuf."""
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    found = {}
    with file.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            decoder = DecoderFactory().decoder_for(channel.message_encoding, schema)
            assert message.log_time == message.publish_time
            found.setdefault(channel.topic, []).append((message.log_time, schema, decoder(message.data) if decoder else message.data))
    return found


def rotation(quaternion):
    """Matrix of a quaternion: Rodrigues' formula by its four numbers."""
    x, y, z, w = quaternion.x, quaternion.y, quaternion.z, quaternion.w
    assert abs(x * x + y * y + z * z + w * w - 1) < ROUNDING
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def vector(of):
    return np.array([of.x, of.y, of.z])


def test_schemas_have_their_exact_names(made):
    _, _, _, file, written = made
    found = read(file)
    assert {topic: (messages[0][1].name, messages[0][1].encoding) for topic, messages in found.items()} == {
        "/robot_description": ("std_msgs/msg/String", "ros2msg"), "/joint_states": ("foxglove.JointStates", "protobuf"),
        "/antaeus/tool0/wrench": ("antaeus.Wrench", "protobuf"), "/antaeus/tool0/scene": ("foxglove.SceneUpdate", "protobuf"),
        "/tf": ("foxglove.FrameTransforms", "protobuf")}
    assert written.topics == {topic: len(messages) for topic, messages in found.items()}
    assert written.topics["/joint_states"] == written.topics["/antaeus/tool0/wrench"] == 300
    assert 36 <= written.topics["/tf"] <= 38 and written.topics["/antaeus/tool0/scene"] == written.topics["/tf"]
    assert "5 topics, for Foxglove and rerun" in str(written)
    import foxglove_schemas_protobuf.JointStates_pb2 as theirs  # the descriptor in the file is that of Foxglove
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    files = {one.name: one for one in FileDescriptorSet.FromString(found["/joint_states"][0][1].data).file}
    assert files[theirs.DESCRIPTOR.name].SerializeToString() == theirs.DESCRIPTOR.serialized_pb


def test_numbers_and_times_are_those_of_the_log(made):
    robot, episode, estimates, file, _ = made
    found = read(file)
    times = [START + round(step * 1e9 / 500) for step in range(300)]
    assert [time for time, _, _ in found["/joint_states"]] == times == [time for time, _, _ in found["/antaeus/tool0/wrench"]]
    for step, (time, _, message) in enumerate(found["/joint_states"]):
        assert message.timestamp.ToNanoseconds() == time and [joint.name for joint in message.joints] == robot.model.motor_names()
        for field, array in (("position", episode.q), ("velocity", episode.v), ("effort", episode.tau)):
            assert [getattr(joint, field) for joint in message.joints] == array[step].tolist()
    columns = {"fx": "Fx", "fy": "Fy", "fz": "Fz", "mx": "Mx", "my": "My", "mz": "Mz", "fx_sd": "sd_Fx", "fy_sd": "sd_Fy", "fz_sd": "sd_Fz",
               "worst_sd": "worst_sd", "verdict": "verdict", "reasons": "reasons", "sign": "sign", "endpoint": "endpoint", "f_norm": "F_norm"}
    for row, (_, _, message) in enumerate(found["/antaeus/tool0/wrench"]):
        for field, column in columns.items():
            expected = estimates[column][row]
            assert getattr(message, field) == expected if expected == expected else not message.HasField(field)


def test_arrows_and_ellipsoids_are_the_forces(made):
    robot, episode, estimates, file, _ = made
    found = read(file)
    reader = antaeus.InstantReader(robot, ["tool0"])
    steps = {START + round(step * 1e9 / 500): step for step in range(300)}
    colours = {}
    for time, _, message in found["/antaeus/tool0/scene"]:
        step = steps[time]
        (entity,), row = message.entities, step
        force = np.array([estimates[name][row] for name in ("Fx", "Fy", "Fz")])
        (arrow,), (sphere,), (text,) = entity.arrows, entity.spheres, entity.texts
        origin = np.asarray(reader.at(episode[step]).pose(0).translation)
        np.testing.assert_allclose(vector(arrow.pose.position), origin, atol=ROUNDING)
        along = rotation(arrow.pose.orientation)[:, 0] * (arrow.shaft_length + arrow.head_length)
        np.testing.assert_allclose(along, 0.01 * force, atol=ROUNDING)
        np.testing.assert_allclose(vector(sphere.pose.position), origin + 0.01 * force, atol=ROUNDING)
        turned, halves = rotation(sphere.pose.orientation), vector(sphere.size) / 2
        covariance = turned @ np.diag(halves**2) @ turned.T / (0.01**2 * WITHIN_95)
        sd = [estimates[name][row] for name in ("sd_Fx", "sd_Fy", "sd_Fz")]
        if halves.max() < 2.99:
            np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=1e-6)
            np.testing.assert_allclose(np.sqrt(np.linalg.eigvalsh(covariance)[-1]), estimates["worst_sd"][row], rtol=1e-6)
        known = {one.key: one.value for one in entity.metadata}
        assert known["verdict"] == estimates["verdict"][row] and entity.frame_id == "world"
        assert known["sign"] == {"on_robot": "world on robot (on_robot)", "on_environment": "robot on world (on_environment)"}[estimates["sign"][row]]
        assert text.text.endswith(known["verdict"]) and " N, " in text.text
        colours.setdefault(known["verdict"], set()).add((arrow.color.r, arrow.color.g, arrow.color.b))
    assert all(len(shades) == 1 for shades in colours.values()) and len(set.union(*colours.values())) == len(colours)


def test_transforms_are_those_of_the_links(made):
    robot, episode, _, file, _ = made
    dynamics = antaeus.Dynamics(robot.model)
    messages = read(file)["/tf"]
    for time, _, message in (messages[0], messages[-1]):
        step = round((time - START) * 500 / 1e9)
        terms = dynamics.at(robot.model.position_from_motors(episode.q[step], [0, 0, 0, 1]))
        assert {one.child_frame_id for one in message.transforms} == {link.name for link in robot.model.description().links}
        for one in message.transforms:
            pose = terms.frame_pose(one.child_frame_id)
            assert one.parent_frame_id == "world"
            np.testing.assert_allclose(vector(one.translation), pose.translation, atol=ROUNDING)
            np.testing.assert_allclose(rotation(one.rotation), pose.rotation, atol=ROUNDING)


def test_the_covariance_follows_from_the_table():
    """Of random ones, from the sd along the axes and the largest: to what the worst of two hundred loses by rounding."""
    chance = np.random.default_rng(SEED)
    for _ in range(200):
        root = chance.normal(size=(3, 3))
        covariance = root @ root.T
        variances, axes = np.linalg.eigh(covariance)
        found = force_covariance(np.sqrt(np.diag(covariance)), [np.sqrt(variances[-1]), *axes[:, -1]])
        np.testing.assert_allclose(found, covariance, atol=1e-7 * variances[-1])
    along = force_covariance(np.array([1.0, 2.0, 30.0]), [30.0, 0.0, 0.0, -1.0])
    np.testing.assert_allclose(along, np.diag([1.0, 4.0, 900.0]), atol=1e-9)
    ball = force_covariance(np.array([2.0, 2.0, 2.0]), [2.0, 0.6, 0.8, 0.0])
    np.testing.assert_allclose(ball, 4 * np.eye(3), atol=1e-9)
    np.testing.assert_array_equal(force_covariance(np.array([1.0, 2.0, 3.0]), [np.nan] * 4), np.diag([1.0, 4.0, 9.0]))
    assert force_covariance(np.array([1.0, np.nan, 3.0]), [1.0, 1.0, 0.0, 0.0]) is None


def test_ellipsoids_and_quaternions_are_those_of_any_matrix():
    from foxglove_schemas_protobuf.Quaternion_pb2 import Quaternion

    chance = np.random.default_rng(SEED)
    inside = 0
    for _ in range(100):
        root = chance.normal(size=(3, 3))
        halves, axes = ellipsoid_95(root @ root.T)
        quaternion = Quaternion()
        set_quaternion(quaternion, axes)
        turned = rotation(quaternion)
        np.testing.assert_allclose(turned, axes, atol=ROUNDING)
        forces = root @ chance.normal(size=(3, 200))
        inside += np.count_nonzero((((turned.T @ forces) / halves[:, None])**2).sum(axis=0) <= 1)
    assert 0.945 < inside / 20000 < 0.955  # 3.2 standard deviations of 20000 draws
    for half_turn in (np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0]), np.eye(3)[[1, 0, 2]] * [1, 1, -1]):
        set_quaternion(quaternion, half_turn)
        np.testing.assert_allclose(rotation(quaternion), half_turn, atol=ROUNDING)


def test_the_covariance_is_that_of_the_estimator():
    """Of the posterior at rest, which replay has in full."""
    robot = antaeus.with_noise(antaeus.load_robot("ur5e"), None)
    q = generator().uniform(-1.5, 1.5, (40, 6))
    result = antaeus.replay(q, robot, tau=np.zeros((40, 6)), want=("posterior", "covariance", "force_sd", "force_directions"))
    for state in range(40):
        full = np.zeros((6, 6))
        full[np.triu_indices(6)] = result["covariance"][state, 0]
        covariance = (full + np.triu(full, 1).T)[:3, :3]
        variances, axes = np.linalg.eigh(covariance)
        if variances[-1] / variances[-2] > 1.001 and np.abs(axes[:, -1]).min() > 0.05:
            found = force_covariance(np.sqrt(np.diag(covariance)), [np.sqrt(variances[-1]), *axes[:, -1]])
            np.testing.assert_allclose(found, covariance, atol=1e-6 * variances[-1])


def test_a_floating_robot_and_steps_without_numbers(tmp_path):
    robot = antaeus.with_noise(antaeus.load_robot("h1_2"), None)
    whole = log_of(robot, 40, imu_quaternion=np.tile([0.0, np.sin(0.1), 0.0, np.cos(0.1)], (40, 1)))
    tau = np.array(whole.tau)
    tau[[10, 39]] = np.nan
    episode = antaeus.Episode.from_arrays(q=whole.q, tau=tau, v=whole.v, time=whole.time, imu_quaternion=whole.imu_quaternion, robot=robot)
    estimates = antaeus.estimate(episode, robot)
    write_results(tmp_path / "h.mcap", robot, episode, estimates)
    found = read(tmp_path / "h.mcap")
    names = list(dict.fromkeys(estimates["endpoint"]))
    assert len(names) == 2 and {f"/antaeus/{name}/scene" for name in names} <= set(found)
    assert len(found[f"/antaeus/{names[0]}/wrench"]) == 40
    bad = found[f"/antaeus/{names[1]}/wrench"][10][2]
    assert bad.verdict == "invalid_input" and not bad.HasField("fx") and bad.HasField("fx_sd") is False
    last = found[f"/antaeus/{names[0]}/scene"][-1]
    assert last[0] == round(39e9 / 500) and [one.id for one in last[2].deletions] == [names[0]] and not last[2].entities
    assert not any(joint.HasField("effort") for joint in found["/joint_states"][10][2].joints)
    pelvis = next(one for one in found["/tf"][0][2].transforms if one.child_frame_id == "pelvis")
    np.testing.assert_allclose(vector(pelvis.translation), 0, atol=ROUNDING)
    assert vector(found[f"/antaeus/{names[0]}/scene"][0][2].entities[0].arrows[0].pose.position)[0] != 0


def test_estimators_without_a_covariance_have_no_ellipsoid(made, tmp_path):
    robot, episode, _, _, _ = made
    write_results(tmp_path / "d.mcap", robot, episode, antaeus.estimate(episode, robot, estimator="deployed"), urdf="<robot name='x'/>")
    found = read(tmp_path / "d.mcap")
    assert all(len(entity.arrows) == 1 and not entity.spheres for _, _, message in found["/antaeus/tool0/scene"] for entity in message.entities)
    assert found["/robot_description"][0][2] == b"\0\1\0\0\x12\0\0\0<robot name='x'/>\0"


def test_rerun_reads_it(made, tmp_path):
    program = shutil.which("rerun") or shutil.which("rerun", path=os.path.dirname(sys.executable))
    if program is None:
        needs.skip("rerun is not installed", f"{needs.PIP} rerun-sdk")

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                              env=os.environ | {"HOME": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("mcap", "check", made[3]).count("\nok ") == 5
    run("mcap", "convert", made[3], "-o", tmp_path / "out.rrd")
    text = run("rrd", "print", tmp_path / "out.rrd")
    for topic, columns in (("/joint_states", "foxglove.JointStates:message"), ("/antaeus/tool0/wrench", "antaeus.Wrench:message"),
                           ("/antaeus/tool0/scene", "foxglove.SceneUpdate:message"), ("/tf", "Transform3D:child_frame"),
                           ("/robot_description", "TextDocument:text")):
        assert any(f"- {topic} - data columns: [{columns}" in line for line in text.splitlines()), topic
    assert "/ur5e/visual_geometries/base" in text  # it draws the robot of /robot_description


def test_it_is_written_whole_or_not_at_all(made, tmp_path):
    robot, episode, estimates, _, _ = made
    file = tmp_path / "out.mcap"
    file.write_text("before")

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_results(file, robot, episode, estimates, progress=stop)
    assert file.read_text() == "before" and [one.name for one in tmp_path.iterdir()] == ["out.mcap"]
    shares = []
    write_results(file, robot, episode, estimates, progress=shares.append)
    assert file.read_bytes()[1:5] == b"MCAP" and shares[0] == 0 and shares[-1] == 1 and len(list(tmp_path.iterdir())) == 1
    assert file.stat().st_mode & 0o777 == 0o666 & ~_umask()
    again = tmp_path / "again.mcap"
    write_results(again, robot, episode, estimates)
    assert again.read_bytes() == file.read_bytes()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_what_is_refused(made, tmp_path, monkeypatch):
    robot, episode, estimates, _, _ = made
    clockless = antaeus.Episode.from_arrays(q=episode.q, tau=episode.tau, robot=robot)
    for arguments, words in (
            ((tmp_path / "a.mcap", robot, clockless, estimates), "episode: has no clock, which an .mcap needs"),
            ((tmp_path / "a.mcap", robot, episode[:20], estimates), "estimates: are of 300 steps, the episode has 20"),
            ((tmp_path / "none" / "a.mcap", robot, episode, estimates), "a.mcap: cannot be written"),
            ((tmp_path, robot, episode, estimates), "cannot be written")):
        with pytest.raises(FormatError) as caught:
            write_results(*arguments)
        assert words in str(caught.value) and "\n" not in str(caught.value) and "; " in str(caught.value)
    with pytest.raises(FormatError, match="no time stamps of a file; let them begin at 0"):
        write_results(tmp_path / "a.mcap", robot, episode, estimates, start_ns=-10**9)
    with pytest.raises(FormatError, match="metres_per_newton: nan is no length"):
        write_results(tmp_path / "a.mcap", robot, episode, estimates, metres_per_newton=float("nan"))
    monkeypatch.setitem(sys.modules, "mcap_protobuf", None)
    with pytest.raises(FormatError, match=r"needs the Python package mcap_protobuf; pip install 'antaeus\[logs\]'"):
        write_results(tmp_path / "a.mcap", robot, episode, estimates)
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_log(tmp_path):
    robot = antaeus.with_noise(antaeus.load_robot("planar_3r"), None)
    steps = 6000
    time = np.arange(steps) / 1000
    q = 0.4 * np.sin(time[:, None] + np.arange(3))
    episode = antaeus.Episode.from_arrays(q=q, tau=q, time=time, robot=robot)
    estimates = antaeus.estimate(episode, robot)
    write_results(tmp_path / "a.mcap", robot, episode, estimates)
    assert peak(lambda: write_results(tmp_path / "a.mcap", robot, episode, estimates)) < 12_000_000
