"""Recordings as episodes: maps, units, files, and what the loaders make of them. Readers of formats have tests of their own."""

import dataclasses
import pathlib

import needs
import numpy as np
import pytest

import antaeus
from antaeus import formats
from antaeus.formats import mapping, writing
from antaeus.formats.recording import Block, Channel, ChannelWish, FormatError, Recording, Wishes, hold

JOINTS = ("elbow", "shoulder", "wrist")  # not the order of a robot
START = 1_700_000_000_123_456_789  # ns


def recording(joints=JOINTS, rows=500, unit="N·m", positions="rad", blocks=3, **more):
    random = np.random.default_rng(5)
    times = START + np.arange(rows, dtype=np.int64) * 4_000_001
    q = random.normal(size=(rows, len(joints)))
    tau = random.normal(size=(rows, len(joints)))

    def parts():
        for part in np.array_split(np.arange(rows), blocks):
            yield Block(times[part], {"qpos": q[part], "tau": tau[part]})

    channels = (Channel("qpos", joints, "/joint_states position", positions, "measured"),
                Channel("tau", joints, "/joint_states effort", unit, "measured"),
                Channel("wrench_tool", ("fx", "fy", "fz", "tx", "ty", "tz"), "/wrench", "N"))
    made = Recording("test recording", channels, "header stamps", parts, name="test", **more)
    return made, times, q, tau


def test_a_folder_holds_the_numbers_and_the_nanoseconds(tmp_path):
    made, times, q, tau = recording()
    written = writing.write(made, tmp_path / "log")
    np.testing.assert_array_equal(np.load(tmp_path / "log" / "qpos.npy"), q)
    np.testing.assert_array_equal(np.load(tmp_path / "log" / "tau.npy"), tau)
    back = written.start + np.rint(np.load(tmp_path / "log" / "time.npy") * 1e9).astype(np.int64)
    np.testing.assert_array_equal(back, times)
    assert written.rows == 500 and abs(written.rate - 1e9 / 4_000_001) < 1e-9
    assert not (tmp_path / "log" / "wrench_tool.npy").exists()  # no row has one
    assert any("wrench_tool (/wrench) is left out: it holds no number" in note for note in made.notes)
    assert [each.name for each in tmp_path.iterdir()] == ["log"]


def test_parquet_holds_the_same(tmp_path):
    parquet = needs.package("pyarrow.parquet")
    made, times, q, _ = recording()
    written = writing.write(made, tmp_path / "log.parquet")
    table = parquet.read_table(tmp_path / "log.parquet")
    np.testing.assert_array_equal(table["qpos_shoulder"].to_numpy(), q[:, 1])
    np.testing.assert_array_equal(written.start + np.rint(table["time"].to_numpy() * 1e9).astype(np.int64), times)
    assert table.schema.field("tau_wrist").metadata[b"unit"].decode() == "N·m"
    assert f'"start_ns": {START}' in table.schema.metadata[b"antaeus"].decode()


def urdf(joints, file, prefix=""):
    links = "".join(f'<link name="l{i}"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="0.01" iyy="0.01" izz="0.01"'
                    f' ixy="0" ixz="0" iyz="0"/></inertial></link>' for i in range(len(joints) + 1))
    moved = "".join(f'<joint name="{prefix}{name}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><origin xyz="0.3 0 0"/>'
                    f'<axis xyz="0 1 0"/><limit lower="-6" upper="6" effort="50" velocity="5"/></joint>'
                    for i, name in enumerate(joints))
    file.write_text(f'<robot name="r">{links}{moved}</robot>')
    return antaeus.load_robot(file)


def test_joints_are_taken_by_name(tmp_path):
    robot = urdf(("shoulder", "elbow", "wrist"), tmp_path / "r.urdf")
    made, times, q, tau = recording()
    writing.write(made, tmp_path / "log")
    log = antaeus.load_episode(tmp_path / "log", robot)
    np.testing.assert_array_equal(log.q, q[:, [1, 0, 2]])
    np.testing.assert_array_equal(log.tau, tau[:, [1, 0, 2]])
    np.testing.assert_allclose(log.time, (times - START) / 1e9, rtol=0, atol=0)
    assert any("header stamps" in note for note in log.notes)


def test_joints_are_never_taken_by_place(tmp_path):
    robot = urdf(("joint_a", "joint_b", "joint_c"), tmp_path / "r.urdf")
    writing.write(recording(("axis_1", "axis_2", "axis_3"))[0], tmp_path / "log")
    with pytest.raises(antaeus.EpisodeError, match=r"3 joints \(axis_1, axis_2, axis_3\), none of them named as one of the 3 motors"):
        antaeus.load_episode(tmp_path / "log", robot)
    writing.write(recording(("joint_a2", "joint_b", "x"))[0], tmp_path / "near")
    with pytest.raises(antaeus.EpisodeError, match="none of joint_a; is it 'joint_a2'"):
        antaeus.load_episode(tmp_path / "near", robot)


def test_a_common_beginning_is_no_part_of_a_joints_name(tmp_path):
    robot = urdf(("joint1", "joint2", "joint3"), tmp_path / "r.urdf", "panda_")
    made, _, q, _ = recording(("fer_joint3", "fer_joint1", "fer_joint2"))
    writing.write(made, tmp_path / "log")
    log = antaeus.load_episode(tmp_path / "log", robot)
    np.testing.assert_array_equal(log.q, q[:, [1, 2, 0]])
    assert "fer_joint3 → panda_joint3" in log.notes[0]
    # A side tells one arm from the other.
    left = urdf(("joint1", "joint2", "joint3"), tmp_path / "left.urdf", "left_")
    writing.write(recording(("right_joint1", "right_joint2", "right_joint3"))[0], tmp_path / "right")
    with pytest.raises(antaeus.EpisodeError, match="none of them named"):
        antaeus.load_episode(tmp_path / "right", left)


def test_names_of_the_pendant_are_those_of_the_description(tmp_path):
    robot = antaeus.load_robot("ur5e")
    made, _, q, _ = recording(("Wrist 3", "Base", "Shoulder", "Elbow", "Wrist 1", "Wrist 2"))
    writing.write(made, tmp_path / "log")
    log = antaeus.load_episode(tmp_path / "log", robot)
    np.testing.assert_array_equal(log.q, q[:, [1, 2, 3, 4, 5, 0]])
    assert "Base → shoulder_pan_joint, Shoulder → shoulder_lift_joint" in log.notes[0]


def test_torques_in_another_unit_give_no_confident_force(tmp_path):
    robot = urdf(JOINTS, tmp_path / "r.urdf")
    writing.write(recording(unit="A")[0], tmp_path / "log")
    log = antaeus.load_episode(tmp_path / "log", robot)
    assert log.torque_unit == "A"
    finding = antaeus.check(tmp_path / "log", robot).findings[0]
    assert "tau is in A by the log's format" in finding.text and "gear" in finding.remedy
    table = antaeus.estimate(tmp_path / "log", robot, endpoints=["l3"])
    assert "ok" not in set(table["verdict"])
    writing.write(recording()[0], tmp_path / "torques")
    assert antaeus.load_episode(tmp_path / "torques", robot).torque_unit == ""
    profile = tmp_path / "geared.toml"
    profile.write_text('schema = 1\nname = "r"\nmodel = "r.urdf"\nmotors = ["elbow", "shoulder", "wrist"]\n'
                       '[[joint_figures]]\njoints = ["elbow", "shoulder", "wrist"]\ngear = 10.0\n')
    findings = antaeus.check(tmp_path / "log", antaeus.load_robot(profile)).findings
    assert not any("by the log's format" in one.text for one in findings)


def test_declared_degrees_become_radians_and_are_said(tmp_path):
    made, _, q, _ = recording(positions="deg")
    mapped = mapping.apply(made, Wishes(), "test")
    writing.write(mapped, tmp_path / "log")
    np.testing.assert_allclose(np.load(tmp_path / "log" / "qpos.npy"), np.radians(q), rtol=1e-15)
    assert mapped.notes[0] == "qpos (/joint_states position) is in deg, as the format states: converted to rad"
    # A unit that nobody states changes nothing.
    silent = mapping.apply(recording(positions="unknown")[0], Wishes(), "test")
    assert silent.channels[0].unit == "unknown" and not silent.notes


def test_slots_that_no_motor_uses_are_left_out(tmp_path):
    made, _, q, _ = recording(("0", "1", "2"))
    inner = made.blocks
    wide = tuple(dataclasses.replace(channel, columns=("0", "1", "2", "3", "4")) if channel.name != "wrench_tool" else channel
                 for channel in made.channels)
    made = dataclasses.replace(made, channels=wide, blocks=lambda: (
        Block(block.time, {name: np.pad(values, ((0, 0), (0, 2))) for name, values in block.values.items()}) for block in inner()))
    writing.write(mapping.without_spare_slots(made), tmp_path / "log")
    np.testing.assert_array_equal(np.load(tmp_path / "log" / "qpos.npy"), q)
    assert made.notes[0].startswith("joints 3 to 4 are left out")
    assert mapping.without_spare_slots(recording()[0]).channels[0].columns == JOINTS  # names are never left out


def test_a_map_names_joints_and_units(tmp_path):
    file = tmp_path / "map.toml"
    file.write_text('clock = "receiver"\n[joints]\nelbow = "joint_2"\n[channels.tau]\nunit = "mNm"\ngravity = "included"\n')
    wishes = mapping.read_map(file)
    assert wishes.clock == "receiver"
    mapped = mapping.apply(recording()[0], wishes, "test")
    assert mapped.channels[1].columns == ("joint_2", "shoulder", "wrist") and mapped.channels[1].gravity == "included"
    writing.write(mapped, tmp_path / "log")
    np.testing.assert_allclose(np.load(tmp_path / "log" / "tau.npy"), 1e-3 * recording()[3], rtol=1e-15)


@pytest.mark.parametrize("text, told", [
    ("joints = 3", "joints is 3; write a table"),
    ("[jonts]", "unknown key 'jonts'; did you mean 'joints'?"),
    ("[channels.tua]", "channels.tua: no channel is called so; did you mean 'tau'?"),
    ("[channels.tau]\nunti = 'A'", "unknown key 'channels.tau.unti'; did you mean 'unit'?"),
    ("[channels.tau]\nscale = 0", "channels.tau.scale is 0; write a finite number that is not 0"),
    ("[channels.tau]\nscale = nan", "channels.tau.scale is nan; write a finite number that is not 0"),
    ("[channels.tau]\nscale = 2\nunit = 'A'", "channels.tau has unit and scale; give one of them"),
    ("[channels.tau]\nsign = 'on_robot'", "channels.tau.sign is 'on_robot'; write unknown or with_axis"),
    ("clock = 'heder'", "clock is 'heder'; did you mean 'header'?"),
    ("rate = -5", "rate is -5; write rows per second, more than 0"),
    ("episode = true", "episode is True; write a text or a number"),
    ("[", "is no TOML"),
])
def test_a_wrong_map_is_one_line(tmp_path, text, told):
    file = tmp_path / "map.toml"
    file.write_text(text)
    with pytest.raises(FormatError) as refusal:
        mapping.read_map(file)
    assert str(refusal.value).startswith(f"{file}: ") and told in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("wishes, told", [
    (Wishes(joints={"elbwo": "a"}), "a joint 'elbwo', which the recording does not have; did you mean 'elbow'?"),
    (Wishes(joints={"elbow": "wrist"}), "two columns of qpos are called 'wrist'"),
    (Wishes(channels={"dq": ChannelWish(unit="rad/s")}), "a channel 'dq', which the recording does not have; it has qpos, tau"),
    (Wishes(channels={"tau": ChannelWish(columns=("a",))}), "names 1 columns of tau, which has 3"),
])
def test_a_map_of_another_recording_is_one_line(wishes, told):
    with pytest.raises(FormatError, match="^bag.db3: ") as refusal:
        mapping.apply(recording()[0], wishes, "bag.db3")
    assert told in str(refusal.value)


def test_what_is_there_is_not_lost(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work.txt").write_text("x")
    (tmp_path / "file").write_text("x")
    for out, told in (("mine", "holds other files"), ("file", "is a file"), ("log.csv", "convert writes no .csv file")):
        with pytest.raises(FormatError, match=told):
            writing.write(recording()[0], tmp_path / out)
    assert (tmp_path / "mine" / "work.txt").read_text() == "x" and (tmp_path / "file").read_text() == "x"

    def broken():
        yield from recording()[0].blocks()
        raise FormatError("bag", "is cut off", "record it again")

    made = dataclasses.replace(recording()[0], blocks=broken)
    writing.write(recording(rows=7)[0], tmp_path / "log")
    with pytest.raises(FormatError, match="cut off"):
        writing.write(made, tmp_path / "log")
    assert np.load(tmp_path / "log" / "qpos.npy").shape == (7, 3)  # the one before stands
    writing.write(recording(rows=9)[0], tmp_path / "log")
    assert np.load(tmp_path / "log" / "qpos.npy").shape == (9, 3)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "log", "mine"]


def test_a_recording_without_rows_is_one_line(tmp_path):
    made = dataclasses.replace(recording()[0], blocks=lambda: iter(()))
    with pytest.raises(FormatError, match="^test: no row with a number in it"):
        writing.write(made, tmp_path / "log")
    assert not list(tmp_path.iterdir())


def test_streams_of_other_rates_are_held():
    times = np.array([0, 10, 20, 30])
    held = hold(times, np.array([5, 20]), np.array([[1.0], [2.0]]))
    np.testing.assert_array_equal(held, [[np.nan], [1.0], [2.0], [2.0]])
    assert np.isnan(hold(times, np.empty(0, np.int64), np.empty((0, 2)))).all()


def test_converted_is_told_to_people_and_programs(tmp_path):
    done = antaeus.Converted(pathlib.Path("log"), "test recording", "header stamps", 3, START, 1.0, float("nan"),
                             recording()[0].channels, ("/image",), ("a note",))
    assert "3 rows" in str(done) and "Not read: /image" in str(done) and "unit" not in str(done).splitlines()[0]
    assert '"rate": null' in done.to_json()


@pytest.mark.parametrize("header", ["time,tau_J[0],tau_J[1],q_1", "time,my_actual_q_0,tau_0", "time,actual_q_01,tau_0", "time,__time"])
def test_a_table_of_ones_own_stays_one(tmp_path, header):
    """What resembles a format of others and is none is read by the plain reader."""
    file = tmp_path / "log.csv"
    columns = header.count(",") + 1
    file.write_text(header + "\n" + "\n".join(",".join(str(i + k) for k in range(columns)) for i in range(3)) + "\n")
    assert antaeus.show(file).summary["steps"] == 3
    assert not formats.recognises(file)


RTDE = "timestamp " + " ".join(f"actual_q_{i}" for i in range(6)) + " " + " ".join(f"my_torque_{i}" for i in range(6))


def rtde(file, rows=40):
    random = np.random.default_rng(2)
    numbers = np.column_stack([0.008 * np.arange(rows), random.normal(size=(rows, 12))])
    file.write_text(RTDE + "\n" + "".join(" ".join(map(repr, map(float, row))) + "\n" for row in numbers))
    return numbers


def test_columns_that_a_map_takes_are_joints_by_name_too(tmp_path):
    """Beside named channels, one without names was read by place: swapped joints of a robot in another order."""
    numbers = rtde(tmp_path / "log.csv")
    (tmp_path / "map.toml").write_text('[channels.tau]\nsource = "my_torque"\nunit = "N·m"\n')
    done = antaeus.convert(tmp_path / "log.csv", tmp_path / "log", map=tmp_path / "map.toml")
    (tau,) = [channel for channel in done.channels if channel.name == "tau"]
    assert tau.columns[0] == "shoulder_pan_joint"
    assert any("tau (my_torque) has no names: its columns are taken for those of qpos" in note for note in done.notes)
    robot = urdf(("elbow_joint", "shoulder_pan_joint", "shoulder_lift_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"),
                 tmp_path / "r.urdf")
    log = antaeus.load_episode(tmp_path / "log", robot)
    np.testing.assert_array_equal(log.tau, numbers[:, 7:][:, [2, 0, 1, 3, 4, 5]])
    made = recording()[0]
    odd = dataclasses.replace(made, channels=(made.channels[0], dataclasses.replace(made.channels[1], columns=("0", "1"))))
    with pytest.raises(FormatError, match="tau .* has 2 columns without names, and qpos 3 with; name them: channels.tau.columns"):
        mapping.apply(odd, Wishes(), "bag")


def test_a_recording_is_never_written_over(tmp_path):
    rtde(tmp_path / "log.csv")
    (tmp_path / "other.mcap").write_bytes(b"\x89MCAP0\r\n of someone")
    (tmp_path / "other.parquet").write_text("of someone")
    (tmp_path / "set" / "meta").mkdir(parents=True)
    for out, told in (("other.mcap", "did not write it"), ("other.parquet", "did not write it"), ("log.csv", "is the recording itself")):
        before = (tmp_path / out).read_bytes()
        with pytest.raises(ValueError, match=told):
            antaeus.convert(tmp_path / "log.csv", tmp_path / out, robot="ur5e" if out.endswith("mcap") else None)
        assert (tmp_path / out).read_bytes() == before
    for _ in range(2):  # what convert wrote is replaced
        antaeus.convert(tmp_path / "log.csv", tmp_path / "log.parquet", map=None)
    with pytest.raises(FormatError, match="a part of it"):
        writing.require_replaceable(tmp_path / "set" / "meta", tmp_path / "set")


@pytest.mark.parametrize("rate", [0.0, -5.0, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_one_line(tmp_path, rate):
    rtde(tmp_path / "log.csv")
    with pytest.raises(ValueError, match="^rate: .* is invalid; give rows per second, more than 0"):
        antaeus.convert(tmp_path / "log.csv", tmp_path / "log", rate=rate)


def test_the_origin_of_time_is_kept(tmp_path):
    needs.package("pyarrow")
    writing.write(recording()[0], tmp_path / "log")
    writing.write(recording()[0], tmp_path / "log.parquet")
    assert writing.start_of(tmp_path / "log") == writing.start_of(tmp_path / "log.parquet") == START
    assert writing.start_of(tmp_path / "nothing") == 0


def test_what_a_reader_asks_for_and_the_map_gives_is_not_asked_again():
    made = recording(unit="A")[0]
    made.notes.append("tau holds currents: give channels.tau.scale in a map")
    mapped = mapping.apply(made, Wishes(channels={"tau": ChannelWish(scale=0.1)}), "bag")
    assert len(mapped.notes) == 1 and "multiplied by 0.1" in mapped.notes[0]
    odd = mapping.apply(recording()[0], Wishes(channels={"qpos": ChannelWish(unit="percent")}), "bag")
    assert "is in percent by the map, not in rad" in odd.notes[0]


def test_a_description_is_written_where_nothing_stands(tmp_path):
    rtde(tmp_path / "log.csv")
    for place, told in (("absent/r.urdf", "holds no description"), ("r.urdf", "holds no description")):
        with pytest.raises(ValueError, match=told):
            antaeus.convert(tmp_path / "log.csv", tmp_path / "log", urdf=tmp_path / place)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["log.csv"]


def test_a_parquet_gives_what_the_folder_gives(tmp_path):
    """Joints whose names end as a channel's do."""
    needs.package("pyarrow")
    joints = ("lift_position", "left_tau", "j_target", "finger_joint_effort", "bend.velocity")
    robot = urdf(joints, tmp_path / "r.urdf")
    writing.write(recording(joints[::-1])[0], tmp_path / "log")
    writing.write(recording(joints[::-1])[0], tmp_path / "log.parquet")
    folder, table = (antaeus.load_episode(tmp_path / name, robot) for name in ("log", "log.parquet"))
    np.testing.assert_array_equal(folder.q, table.q)
    np.testing.assert_array_equal(folder.tau, table.tau)


def test_a_choice_that_a_format_does_not_have_is_told(tmp_path):
    rtde(tmp_path / "log.csv")
    done = antaeus.convert(tmp_path / "log.csv", tmp_path / "log", topic="/joint_states", clock="receiver")
    assert sum("that you name is not used" in note for note in done.notes) == 2


def test_a_wrench_of_seven_columns_is_none():
    made = recording()[0]
    odd = dataclasses.replace(made, channels=(*made.channels[:2], Channel("wrench_x", tuple("abcdefg"), "seven")))
    with pytest.raises(FormatError, match="wrench_x .seven. has 7 columns; name a source of 6"):
        mapping.apply(odd, Wishes(), "bag")
