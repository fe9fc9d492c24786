"""Errors in Python's words: no message that Python shows names an option as the command line does."""

import pathlib
import pickle
import re
import tempfile

import antaeus
import numpy as np
import pytest

WRIST = "left_wrist_yaw_link"
FOOT = "left_ankle_roll_link"


@pytest.fixture(scope="module")
def log(robot):
    return antaeus.make_twin(robot, "good", duration=0.3).episode


def bare(robot, **options):
    """A log without a clock."""
    return antaeus.Episode.from_arrays(q=np.zeros((5, 27)), tau=np.zeros((5, 27)), robot=robot, **options)


ERRORS = [
    (lambda robot, log: antaeus.estimate(log, robot, endpoints=[WRIST, WRIST]), 'endpoints: endpoint'),
    (lambda robot, log: antaeus.estimate(log, robot, endpoints=["left foot"]),
     'name a hand or a tool with endpoints, or set estimator="deployed" or estimator="stacked"'),
    (lambda robot, log: antaeus.estimate(log, robot, smooth=1, estimator="deployed"), "smooth: smooths the posterior alone; leave estimator out"),
    (lambda robot, log: antaeus.estimate(bare(robot), robot, smooth=1), "record them, or leave smooth out"),
    (lambda robot, log: antaeus.audit(bare(robot), robot, start=1.0), "leave start and stop away"),
    (lambda robot, log: antaeus.audit(log, "h1_3"), "robot 'h1_3'"),
    (lambda robot, log: antaeus.mutate(log, robot, "torque_sgn"), "mutate.fault: unknown value 'torque_sgn'"),
    (lambda robot, log: antaeus.mutate(log, robot, "torque_sign", joints=["left_elbow_jont"]), "joints: unknown motor joint"),
    (lambda robot, log: antaeus.mutate(log, robot, "torque_late", size=0.0), "size: "),
    (lambda robot, log: antaeus.mutate(log, robot, "torque_order", joints=["left_elbow_joint"]), 'joints="A,B"'),
    (lambda robot, log: antaeus.identify([log], robot, ["1-2"]), "contact_free: '1-2' is not a stretch of a log"),
    (lambda robot, log: antaeus.identify([log], robot, ["other=0:1"]), "contact_free: unknown log 'other'"),
    (lambda robot, log: antaeus.contact({"q": np.zeros((3, 7))}, antaeus.load_robot("panda"), ["panda_hand"]),
     'base: is fixed; a fixed base takes up every force, so the motion does not show the contacts; give base="floating"'),
    (lambda robot, log: antaeus.contact({"q": np.zeros((3, 34)), "dt": 0.01}, robot), "contacts: no contact; name at least one frame"),
    (lambda robot, log: antaeus.contact({"q": [robot.model.neutral()] * 3}, robot, [FOOT]), "dt"),
    (lambda robot, log: antaeus.BatchReplay(robot, [WRIST])(np.zeros((2, 27)), np.zeros((2, 27)), want="verdict"),
     'settings={"residual.tilt_sd": 0}'),
    (lambda robot, log: antaeus.replay(log, robot, [WRIST], want="verdict", settings={"residual.tare_at": 1.0}),
     'settings={"residual.tare_at": -1}'),
    (lambda robot, log: antaeus.replay(log, robot, [WRIST], want="verdict", settings={"posterior.rows": "all"}),
     'settings={"posterior.rows": "own"}'),
    (lambda robot, log: antaeus.replay(log, robot, [WRIST], want="verdict", settings={"residual.kind": "momentum_observer"}),
     'settings={"residual.kind": "static"}'),
    (lambda robot, log: antaeus.read_urdf(no_mesh(), meshes="required"), 'put it next to the file, or ignore meshes (meshes="ignored")'),
    (lambda robot, log: antaeus.cut_episode(bare(robot), from_=1.0), "leave from_ and to away"),
    (lambda robot, log: antaeus.InstantReader(robot, []), "name at least one frame (endpoints)"),
    (lambda robot, log: antaeus.solve_batch(antaeus.ReachModel(antaeus.KinematicChain(antaeus.load_robot("panda").model, "panda_hand")),
                                            [[0.4, 0, 0.4, 1, 0, 0, 0]], threads=0), "threads"),
]


def no_mesh():
    file = pathlib.Path(tempfile.mkdtemp()) / "no_mesh.urdf"
    inertial = ('<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
                '<visual><geometry><mesh filename="none.stl"/></geometry></visual>')
    file.write_text(f'<robot name="r"><link name="a"/><link name="b">{inertial}</link><joint name="j" type="revolute">'
                    '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" '
                    'velocity="1"/></joint></robot>', encoding="utf-8")
    return file


@pytest.mark.parametrize(("call", "words"), ERRORS)
def test_errors_are_in_pythons_words(robot, log, call, words):
    with pytest.raises(antaeus.Error) as caught:
        call(robot, log)
    message = str(caught.value)
    assert words in message and not re.search(r"(^|[ (,])--[a-z]", message) and "\n" not in message


def test_notes_and_remedies_too(robot, log):
    urdf = antaeus.load_robot("planar_3r").model.description().source
    assert antaeus.base_text(antaeus.load_robot(urdf)) == 'fixed (one limb; base="floating" otherwise)'
    assert antaeus.audit(log, urdf_of_h1(), endpoints=[WRIST]).base_text.endswith('(4 limbs; base="fixed" otherwise)')
    texts = []
    for fault in antaeus.plantable_faults():
        try:
            result = antaeus.check(antaeus.mutate(log, robot, fault), robot)
        except antaeus.OptionsError:
            continue
        texts += [finding.remedy for finding in result.findings] + result.not_told + [result.headline]
    texts += antaeus.check(log).not_told
    texts += antaeus.identify([log], robot).missing
    assert len(texts) > 20 and any("fixed_robot()" in text for text in texts)
    for text in texts:
        assert not re.search(r"(^|[ (,])--[a-z]", text), text


def urdf_of_h1():
    return antaeus.load_robot("h1_2").model.description().source


def test_a_users_words_stay(robot, tmp_path):
    """File names and names in quotes may look like options."""
    folder = tmp_path / "log --base fixed"
    with pytest.raises(antaeus.Error) as caught:
        antaeus.load_episode(folder, robot)
    assert str(folder) in str(caught.value)
    with pytest.raises(antaeus.ModelError) as caught:
        antaeus.estimate(bare(robot), robot, endpoints=["hand --base fixed"])
    assert "endpoints: unknown endpoint or frame 'hand --base fixed'" in str(caught.value)


def test_a_note_is_a_sentence_with_code_and_values(robot):
    episode = antaeus.make_twin(robot, "good", duration=0.3).episode
    tau = np.array(episode.tau)
    tau[3] = 1e200
    big = antaeus.Episode.from_arrays(q=episode.q, tau=tau, v=episode.v, time=episode.time, robot=robot)
    note = next(note for note in antaeus.estimate(big, robot, endpoints=[WRIST]).notes if note.code == "overflow_steps")
    assert isinstance(note, str) and isinstance(note, antaeus.Note) and note.startswith("1 steps hold numbers too large")
    assert (note.severity, note.subject, note.values, note.remedy) == ("warning", "", (1, 3), "")
    assert pickle.loads(pickle.dumps(note)) == note


def test_the_table_of_reasons():
    table = antaeus.reasons()
    known = {name for bit in range(64) for name in antaeus.reason_names(1 << bit)}
    assert {one.name for one in table} == known and table[0].name == "invalid_input"
    assert all(one.meaning and one.remedy and one.severity in ("error", "warning", "note") for one in table)
