"""Simulation through the package: MuJoCo's own Python as the reference, the command line's bytes."""

import os
import subprocess

import antaeus
import mujoco
import needs
import numpy as np
import pytest

ARM = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.3" armature="0.02"/>
    <inertial pos="0.2 0 0" mass="2" diaginertia="0.01 0.02 0.02"/>
    <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" damping="0.2"/>
      <inertial pos="0.15 0 0" mass="1" diaginertia="0.004 0.008 0.008"/><site name="tip" pos="0.3 0 0"/></body>
  </body></worldbody>
  <actuator><position name="shoulder" joint="shoulder" kp="50"/><position name="elbow" joint="elbow" kp="50"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def scene():
    return antaeus.MujocoScene(antaeus.SceneDescription(ARM, joint_damping=0.5))


def test_a_scene_and_its_robot(scene):
    assert scene.joint_names() == scene.motor_names() == ["shoulder", "elbow"]
    model = antaeus.mujoco_robot(scene).model()
    assert (model.nv(), model.motor_names()) == (2, ["shoulder", "elbow"])
    plain = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(plain)
    for q in np.random.default_rng(3).uniform(-3, 3, (20, 2)):
        data.qpos[:] = q
        mujoco.mj_forward(plain, data)
        np.testing.assert_allclose(antaeus.Dynamics(model).at(q).gravity_torque(), data.qfrc_bias, rtol=0, atol=1e-12)
    held = antaeus.mujoco_robot(scene, locked_joints={"elbow": 0.3}).model()
    assert held.motor_names() == ["shoulder"]
    with pytest.raises(antaeus.ModelError, match="did you mean 'upper'"):
        antaeus.mujoco_robot(scene, root="uper")
    assert antaeus.joint_positions(scene, "lower", [0.1, 0.2]) == {"elbow": 0.2}


def test_a_plant_moves_as_mujoco_does(scene):
    plant = antaeus.MujocoPlant(scene, "tip", "lower")
    spec = mujoco.MjSpec.from_string(ARM)
    for joint in spec.joints:
        joint.damping[0] = 0.5
    for actuator in spec.actuators:
        actuator.set_to_motor()
    spec.option.timestep, spec.option.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = [0.3, -0.8]
    plant.reset([0.3, -0.8])
    for step in range(200):
        tau = [8 * np.sin(0.05 * step), 2.0]
        plant.step(tau)
        data.ctrl[:] = tau
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(plant.truth().qpos, data.qpos, rtol=0, atol=1e-10)
    np.testing.assert_allclose(plant.reading().v, data.qvel, rtol=0, atol=1e-9)
    assert plant.reading().time == pytest.approx(0.2) and plant.truth().contacts == 0
    assert (plant.motor_count(), plant.time_step(), plant.motor_joints()) == (2, 1e-3, ["shoulder", "elbow"])


def test_a_plant_refuses(scene):
    plant = antaeus.MujocoPlant(scene, "tip", "lower", coulomb=0.5, seed=4)
    plant.reset([0, 0])
    with pytest.raises(antaeus.StatusError, match="not_finite"):
        plant.step([np.nan, 0])
    with pytest.raises(antaeus.StatusError, match=r"tau has shape \(3,\)"):
        plant.step([0, 0, 0])
    with pytest.raises(antaeus.OptionsError, match="did you mean 'coulomb'"):
        antaeus.MujocoPlant(scene, "tip", "lower", coulom=0.5)
    with pytest.raises(antaeus.ModelError, match="did you mean 'tip'"):
        antaeus.MujocoPlant(scene, "tipp", "lower")
    with pytest.raises(antaeus.ModelError, match="no such file"):
        antaeus.MujocoScene(antaeus.SceneDescription("absent.xml"))


def test_the_ur5e(tmp_path):
    scene = antaeus.MujocoScene(antaeus.ur5e_scene(gripper="real", friction=0.4))
    assert len(scene.joint_names()) == 14 and len(scene.motor_names()) == 6 and len(scene.tool_actuator_names()) == 1
    with pytest.raises(antaeus.OptionsError, match="did you mean 'rigid'"):
        antaeus.ur5e_scene(gripper="rigidd")
    file = tmp_path / "ur5e.mjb"
    file.write_bytes(scene.binary())
    assert mujoco.MjModel.from_binary_path(str(file)).nv == 14


def test_a_picture(scene):
    try:
        camera = antaeus.MujocoCamera(antaeus.MujocoScene(antaeus.ur5e_scene()), 96, 64)
    except antaeus.Error as error:
        needs.skip(str(error), "apt-get install libegl1 libgl1-mesa-dri")
    picture = camera.render(np.zeros(6))
    assert picture.shape == (64, 96, 3) and picture.dtype == np.uint8 and picture.std() > 5
    assert (camera.render(np.zeros(6), [[0, 0, 0.5, 0, 0, 1.2]]) != picture).any()
    with pytest.raises(antaeus.ModelError):
        camera.render(np.zeros(5))


def test_an_experiment(tmp_path):
    assert "parity" in antaeus.experiment_names() and antaeus.experiment_summary("parity")
    result = antaeus.run_experiment("parity", {"parity.states": 20, "parity.velocity": 2.5}, seed=3)
    assert result.is_met() and result.seed == 3 and "All" in repr(result)
    assert result.metrics["gravity_max"] == result.metric("gravity_max").value == result.samples["gravity"].max()
    assert result.metric("gravity_max").upper == 1e-11 and result.metric("gravity_max").source == 8.01e-6
    assert result.samples["state"].tolist() == list(range(20))
    assert result.summary["metrics"] == result.metrics and result.summary["settings"]["parity.velocity"] == "2.5"
    assert [len(v.values) for v in result.comparisons[0].variants] == [len(result.comparisons[0].heads)] * 4
    result.save(tmp_path / "ours")
    words = result.command.split()
    assert words[:3] == ["antaeus", "simulate", "parity"]
    subprocess.run([os.environ["ANTAEUS_CLI"], *words[1:], "--out", tmp_path / "theirs"], check=True, capture_output=True, timeout=60)
    assert sorted(os.listdir(tmp_path / "ours")) == sorted(os.listdir(tmp_path / "theirs"))
    for name in os.listdir(tmp_path / "ours"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    with pytest.raises(antaeus.OptionsError, match="did you mean 'parity'"):
        antaeus.run_experiment("partiy")
    with pytest.raises(antaeus.OptionsError, match="did you mean 'states'"):
        antaeus.run_experiment("parity", {"parity.staets": 3})
    with pytest.raises(antaeus.Error, match="did you mean 'gravity_max'"):
        result.metric("gravity_mx")
