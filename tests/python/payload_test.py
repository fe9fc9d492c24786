"""Loads against what nobody here wrote: Pinocchio's appendBodyToJoint, and MuJoCo's body at the flange."""

import os
import subprocess

import antaeus
import mujoco
import numpy as np
import pinocchio as pin
import pytest
from support import ROOT, generator

MASS, CENTER = 1.0526, np.array([-7.14e-5, 1.22e-5, 0.046674])
INERTIA = np.array([[9.119e-4, 1.58e-9, -2.523e-6], [1.58e-9, 1.25848e-3, 5.1e-7], [-2.523e-6, 5.1e-7, 5.8e-4]])
URDF = str(ROOT / "robots/ur5e/ur5e.urdf")
ROUNDING = 1e-13  # N·m: sums of six links of at most 60 N·m leave some of 1e-14


def gripper():
    return antaeus.Payload("tool0", antaeus.Inertial(MASS, CENTER, INERTIA), "gripper")


def states(count=200):
    numbers = generator()
    return numbers.uniform(-np.pi, np.pi, (count, 6)), numbers.uniform(-3, 3, (count, 6)), numbers.uniform(-5, 5, (count, 6))


@pytest.mark.parametrize("loaded", [True, False])
def test_pinocchio_with_and_without(loaded):
    reference = pin.buildModelFromUrdf(URDF)
    if loaded:
        frame = reference.frames[reference.getFrameId("tool0")]
        reference.appendBodyToJoint(frame.parentJoint, pin.Inertia(MASS, CENTER, INERTIA), frame.placement)
    data = reference.createData()
    ours = antaeus.load_robot("ur5e", payloads=[gripper()] if loaded else [])
    dynamics = antaeus.Dynamics(ours.model)
    for q, v, a in zip(*states(), strict=True):
        assert np.abs(dynamics.at(q).gravity_torque() - pin.computeGeneralizedGravity(reference, data, q)).max() < ROUNDING
        assert np.abs(dynamics.inverse_dynamics(q, v, a) - pin.rnea(reference, data, q, v, a)).max() < 10 * ROUNDING


@pytest.mark.parametrize("loaded", [True, False])
def test_mujoco_with_and_without(loaded):
    spec = mujoco.MjSpec.from_file(URDF)
    spec.compiler.fusestatic = False
    if loaded:
        i = INERTIA
        spec.body("tool0").add_body(name="gripper", mass=MASS, ipos=CENTER, explicitinertial=True,
                                    fullinertia=[i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
    model = spec.compile()
    data = mujoco.MjData(model)
    ours = antaeus.Dynamics(antaeus.load_robot("ur5e", payloads=[gripper()] if loaded else []).model)
    worst = 0.0
    for q, _, _ in zip(*states(), strict=True):
        data.qpos[:], data.qvel[:] = q, 0
        mujoco.mj_forward(model, data)
        worst = max(worst, np.abs(ours.at(q).gravity_torque() - data.qfrc_bias).max())
    print(f"largest difference from MuJoCo, loaded={loaded}: {worst:.2e} N·m")
    assert worst < ROUNDING


def test_what_is_refused():
    robot = antaeus.load_robot("ur5e")
    for change, words in [(dict(frame="tol0"), "tool0"), (dict(mass=-1.0), "negative mass"),
                          (dict(inertia=np.diag([1.0, 1.0, 3.0])), "triangle"), (dict(inertia=-INERTIA), "not positive")]:
        load = antaeus.Payload(change.get("frame", "tool0"), antaeus.Inertial(
            change.get("mass", MASS), CENTER, change.get("inertia", INERTIA)))
        with pytest.raises(antaeus.ModelError, match=words):
            antaeus.with_payload(robot, load)


def run(*arguments):
    return subprocess.run([os.environ["ANTAEUS_CLI"], *arguments], capture_output=True, text=True, check=False)


def test_command_line_names_the_load_and_its_mistakes():
    done = run("preflight", "--robot", "ur5e", "--pose", "ready", "--payload", "tool0=0.9,0,0,0.05")
    assert "payload of 0.9 kg at tool0" in done.stdout
    done = run("robot", "ur5e", "--payload", "tool0=0.9", "--json")
    assert '"payloads"' in done.stdout and '"frame": "tool0"' in done.stdout.replace('":"', '": "')
    malformed = ["tool0", "=1", "tool0=", "tool0=1,2", "tool0=1,2,3", "tool0=1,2,3,4,5", "tool0=x", "tool0=1,2,3,nan",
                 "tool0=1,2,3,", "tool0=inf"]
    for text, words in [("tol0=1", "tool0"), ("tool0=-1", "negative mass"), *((text, "FRAME=MASS") for text in malformed)]:
        done = run("preflight", "--robot", "ur5e", "--pose", "ready", "--payload", text)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
        assert "--payload" in done.stderr and words in done.stderr
