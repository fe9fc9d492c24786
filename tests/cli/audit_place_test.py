"""What an audit says where a limb is touched elsewhere than at its endpoint, or one joint's torque is wrong: in
summary.json, in words, and as a ring in the page's scene. Torques by Pinocchio, of a Panda that holds still."""

import json

import numpy as np
import pinocchio
import pytest
from command_line import ROOT, run, text

RATE, LONG, BEGINS, ENDS = 500.0, 4.0, 1.5, 3.0  # Hz, s
READY = np.array([0, -0.785398, 0, -2.356194, 0, 1.570796, 0.785398])
HELD = "panda_link5"  # its middle is the forearm


def log(file, push=None, error=None):
    """push: (link, force [N, world], off [m]) and error: (joint's place, N·m), both from BEGINS to ENDS."""
    model = pinocchio.buildModelFromUrdf(str(ROOT / "robots/panda/panda.urdf"))
    data = model.createData()
    q = pinocchio.neutral(model)
    q[:7] = READY
    tau = pinocchio.computeGeneralizedGravity(model, data, q)
    changed = np.zeros(model.nv)
    if push:
        link, force, off = push
        frame = model.getFrameId(link)
        J = pinocchio.computeFrameJacobian(model, data, q, frame, pinocchio.LOCAL_WORLD_ALIGNED)
        pinocchio.updateFramePlacements(model, data)
        changed -= J.T @ np.r_[force, np.cross(data.oMf[frame].rotation @ off, force)]
    if error:
        changed[error[0]] += error[1]
    times = np.arange(round(LONG * RATE)) / RATE
    draw = np.random.default_rng(7)
    share = np.clip((times - BEGINS) / 0.1, 0, 1) * (times < ENDS)
    np.savez(file, time=times, q=np.tile(READY, (len(times), 1)), dq=1e-3 * draw.normal(size=(len(times), 7)),
             tau=(tau + share[:, None] * changed)[:, :7] + 0.05 * draw.normal(size=(len(times), 7)))
    return file


def audited(file, out):
    done = run("audit", file, "--robot", "panda", "--out", out)
    assert done.returncode in (0, 1), text(done.stderr)
    summary = json.loads((out / "summary.json").read_text())
    return summary["place"], json.dumps(summary, ensure_ascii=False), (out / "report.html").read_text()


def test_a_push_at_the_forearm_is_named_and_ringed(tmp_path):
    place, said, page = audited(log(tmp_path / "push.npz", push=(HELD, np.array([0, 30.0, 0]), np.array([0, 0, -0.1]))),
                                tmp_path / "out")
    assert place["judged"] and place["elsewhere"] and not place["faulty"]
    assert HELD in place["set"] and "panda_hand" not in place["set"]
    sentence = f"A contact at {place['link']} explains the torques of this step better"
    assert sentence in said and sentence in page
    assert f"at the marked step rather contact at {place['link']}" in page


def test_a_joint_that_is_wrong_is_named_with_its_size(tmp_path):
    place, said, page = audited(log(tmp_path / "error.npz", error=(3, 14.0)), tmp_path / "out")
    assert place["judged"] and place["faulty"] and place["joint"] == "panda_joint4"
    # Of the prior of 10 N·m that is shrunk by a hundredth; the filtered noise is 0.02 N·m.
    assert place["error_Nm"] == pytest.approx(14.0, abs=0.5)
    assert "N·m of panda_joint4 alone explains the torques" in said
    assert "rather an error of panda_joint4" in page


def test_a_push_at_the_hand_rings_nothing(tmp_path):
    place, said, page = audited(log(tmp_path / "hand.npz", push=("panda_hand", np.array([0, 30.0, 0]), np.zeros(3))),
                                tmp_path / "out")
    assert place["judged"] and not place["elsewhere"] and not place["faulty"]
    assert "panda_hand" in place["set"] and "at the marked step rather" not in page
    assert "explains the torques of this step better" not in said
