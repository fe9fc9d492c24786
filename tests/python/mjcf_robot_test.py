"""Robots out of MJCF files, by load_robot and --robot, against MuJoCo's own torques."""

import os
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


def test_what_the_model_cannot_hold_is_one_line(file):
    looped = ARM.format(more='<equality><joint joint1="shoulder" joint2="elbow"/></equality>')
    with pytest.raises(antaeus.ModelError, match="1 equality constraints") as caught:
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
