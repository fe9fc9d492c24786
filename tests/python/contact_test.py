"""Contact inverse dynamics through the package: Pinocchio's equations, the stated cost in NumPy, the command line's bytes."""

import json
import os
import pathlib
import subprocess
import sys

import antaeus
import numpy as np
import pinocchio
import pytest
from support import ROOT, generator, tolerance

sys.path.insert(0, str(ROOT / "examples"))
from legged import bump, positions  # noqa: E402
from legged import robot as legged_robot  # noqa: E402

GOLDEN = ROOT / "tests/contact/nimble/biped.json"
FEET = ["left_ankle_roll_link", "right_ankle_roll_link"]
HIPS = {"left": (0, 0.1), "right": (0, -0.1)}


@pytest.fixture(scope="module")
def reference(robot):
    model = pinocchio.buildModelFromUrdf(str(robot.profile.model), pinocchio.JointModelFreeFlyer())
    model.armature[6:] = [robot.profile.options.armature.get(name, 0.0) for name in list(model.names)[2:]]
    return model


def states(model, count=5):
    numbers = generator()
    for _ in range(count):
        q = model.integrate(model.neutral(), numbers.uniform(-1, 1, model.nv()))
        yield q, numbers.uniform(-2, 2, model.nv()), numbers.uniform(-10, 10, model.nv())


@pytest.fixture(scope="module")
def biped():
    return legged_robot(trunk=30, bar=0.4, hips=HIPS, thigh=4, shank=3, foot=1)


@pytest.fixture(scope="module")
def step():
    time = np.arange(60) * 0.01
    trunk = np.column_stack([0 * time, 0.01 * np.sin(np.pi * time), 0 * time + 0.76])
    feet = {name: np.column_stack([0 * time, 0 * time + y, 0 * time]) for name, (_, y) in HIPS.items()}
    feet["left"][:, 2] = 0.02 * bump((time - 0.2) / 0.2)
    active = np.ones((60, 2), bool)
    active[21:40, 0] = False
    return dict(q=positions(trunk, HIPS, feet, 0.4), time=time, active=active)


# Pinocchio -----------------------------------------------------------------------------------------------------------


def test_torques_are_what_the_wrenches_leave(robot, reference):
    data = reference.createData()
    near = dict(rtol=0, atol=tolerance("kModelParity"))
    for q, v, a in states(robot.model):
        total = pinocchio.rnea(reference, data, q, v, a)
        np.testing.assert_allclose(antaeus.inverse_dynamics(robot, q, v, a), total, **near)
        pinocchio.computeJointJacobians(reference, data, q)
        pinocchio.updateFramePlacements(reference, data)
        one = antaeus.contact_inverse_dynamics(robot, q, v, a, FEET[0])
        two = antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET)
        turned = antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET, wrench_frame="link")
        for state, feet in ((one, FEET[:1]), (two, FEET)):
            left = total.copy()
            for foot, wrench in zip(feet, state.wrenches, strict=True):
                frame = reference.getFrameId(foot)
                J = pinocchio.getFrameJacobian(reference, data, frame, pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED)
                left -= J.T @ wrench
            np.testing.assert_allclose(state.torques, left, **near)
            np.testing.assert_allclose(state.residual, 0, **near)
        for foot, wrench, same in zip(FEET, two.wrenches, turned.wrenches, strict=True):
            R = data.oMf[reference.getFrameId(foot)].rotation
            np.testing.assert_allclose(np.concatenate([R @ same[:3], R @ same[3:]]), wrench, **near)


def test_a_guess_that_fits_comes_back(robot):
    for q, v, a in states(robot.model, 2):
        first = antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET, least_torque=2.0)
        again = antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET, guess=first.wrenches)
        np.testing.assert_allclose(again.wrenches, first.wrenches, rtol=0, atol=tolerance("kModelParity"))
        link = antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET, least_torque=2.0, wrench_frame="link")
        again = antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET, guess=link.wrenches, wrench_frame="link")
        np.testing.assert_allclose(again.wrenches, link.wrenches, rtol=0, atol=tolerance("kModelParity"))


# The stated cost -----------------------------------------------------------------------------------------------------


class Humanoid:
    """tests/support/biped.urdf, in random states that are not a motion."""

    soles, lever = ["left_sole", "right_sole"], 0.1  # [m] at which moments count as newtons
    same = 1e-9  # two algorithms for torques up to 500 N·m
    dense = 1e-6  # N, N·m: a dense system of 240 unknowns with weights of 1e-6 to 1e2

    def __init__(self, frames):
        file = str(ROOT / "tests/support/biped.urdf")
        self.robot = antaeus.load_robot(file, meshes="ignored", base="floating")
        self.model = pinocchio.buildModelFromUrdf(file, pinocchio.JointModelFreeFlyer())
        self.data, numbers, nv = self.model.createData(), generator(), self.model.nv
        q = [pinocchio.integrate(self.model, pinocchio.neutral(self.model), numbers.uniform(-0.3, 0.3, nv)) for _ in range(frames)]
        self.states = {"q": np.array(q), "v": numbers.normal(size=(frames, nv)), "a": numbers.normal(size=(frames, nv)), "dt": 0.01}
        self.total = np.array([pinocchio.rnea(self.model, self.data, *state) for state in self.rows()])
        axes = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        self.J = [[pinocchio.computeFrameJacobian(self.model, self.data, state[0], self.model.getFrameId(sole), axes)
                   for sole in self.soles] for state in self.rows()]

    def rows(self):
        return zip(self.states["q"], self.states["v"], self.states["a"])

    def solve(self, more, **how):
        return antaeus.contact(self.states | more, self.robot, self.soles, **how).wrenches


def test_each_frame_for_itself_is_the_least_wrench():
    it, numbers = Humanoid(20), generator()
    guess, active = 50 * numbers.normal(size=(20, 2, 6)), np.ones((20, 2))
    active[5:9, 0] = active[7:12, 1] = 0
    for more, lever in (({}, 0.1), ({"guess": guess}, 0.1), ({}, 0.4), ({"active": active}, 0.1)):
        ours = it.solve(more, lever=lever)
        for t in range(20):
            touching = np.flatnonzero(more.get("active", np.ones((20, 2)))[t])
            near = np.concatenate([more.get("guess", np.zeros((20, 2, 6)))[t, c] for c in touching]) if touching.size else np.zeros(0)
            expected = np.zeros((2, 6))
            if touching.size:
                A, weight = np.hstack([it.J[t][c].T[:6] for c in touching]), np.tile([lever] * 3 + [1.0] * 3, touching.size)
                step = np.linalg.pinv(A / weight) @ (it.total[t, :6] - A @ near) / weight
                expected[touching] = (near + step).reshape(-1, 6)
            np.testing.assert_allclose(ours[t], expected, rtol=0, atol=it.same)
    np.testing.assert_array_equal(it.solve({"guess": guess.reshape(20, 12)}), it.solve({"guess": guess}))


def over_time(it, active, previous, magnitude, guess=None, least=1.0, smoothing=1.0, window=0.05, before=0.0, speed=0.0):
    """The cost of contact_options.hpp as one dense system with multipliers."""
    frames, n, dt = len(it.total), 12, it.states["dt"]
    size = np.tile([it.lever**2] * 3 + [1.0] * 3, 2)
    H, g, rows, right = np.zeros((frames * n, frames * n)), np.zeros(frames * n), [], []
    for t, (J, v) in enumerate(zip(it.J, it.states["v"])):
        here, after = slice(t * n, (t + 1) * n), slice((t + 1) * n, (t + 2) * n)
        fast = [np.sum((J[c] @ v)[:3] ** 2) for c in range(2)]
        weight = np.repeat([least + magnitude[t, c] + speed * fast[c] for c in range(2)], 6) * size * dt
        H[here, here] += np.diag(weight)
        if guess is not None:
            g[here] -= weight * guess[t].ravel()
        if t == 0:
            H[here, here] += np.diag(before * window * size)
            g[here] -= before * window * size * previous.ravel()
        if t + 1 < frames:
            rate = np.diag(smoothing * window**2 / dt * size * np.repeat(active[t] * active[t + 1], 6))
            H[here, here] += rate
            H[after, after] += rate
            H[here, after] -= rate
            H[after, here] -= rate
        off = t * n + np.flatnonzero(np.repeat(active[t], 6) == 0)
        A = np.zeros((6, frames * n))
        A[:, here] = np.hstack([j.T[:6] for j in J])
        rows += [A, np.eye(frames * n)[off]]
        right += [it.total[t, :6], np.zeros(len(off))]
    A, b = np.vstack(rows), np.concatenate(right)
    K = np.block([[H, A.T], [A, np.zeros((len(A), len(A)))]])
    return np.linalg.solve(K, np.r_[-g, b])[:frames * n].reshape(frames, 2, 6)


def test_over_time_is_the_least_of_the_stated_cost():
    it, numbers = Humanoid(20), generator()
    active, previous = np.ones((20, 2)), 100 * numbers.normal(size=(2, 6))
    active[5:9, 0] = active[12:, 1] = 0
    magnitude, guess = 3 * numbers.random((20, 2)), 100 * numbers.normal(size=(20, 2, 6))
    everything = {"active": np.ones((20, 2)), "previous": previous, "magnitude": np.zeros((20, 2))}
    plain = over_time(it, **everything)
    for members, options, how in [
        ({}, {}, {}), ({}, dict(smoothing=4.0, least_torque=0.5, smoothing_time=0.1), dict(smoothing=4.0, least=0.5, window=0.1)),
        ({"active": active}, {}, {"active": active}), ({"previous": previous}, dict(previous_weight=3.0), {"before": 3.0}),
        ({"magnitude": magnitude}, {}, {"magnitude": magnitude}), ({"guess": guess}, {}, {"guess": guess}),
        ({}, dict(velocity_penalty=2.5), {"speed": 2.5}),
    ]:
        expected = over_time(it, **(everything | how))
        np.testing.assert_allclose(it.solve(members, over_time=True, **options), expected, rtol=0, atol=it.dense)
        assert not how or np.abs(expected - plain).max() > 0.1, how  # it has an effect
    # Without smoothing each frame stands for itself.
    np.testing.assert_allclose(it.solve({}, over_time=True, smoothing=0.0), it.solve({}), rtol=0, atol=it.same)


# The whole -----------------------------------------------------------------------------------------------------------


def test_a_motion_in_memory(biped, step, tmp_path):
    contacts = ["left_foot", "right_foot"]
    result = antaeus.contact(step, biped, contacts, over_time=True, half_length=0.11, half_width=0.05)
    assert result.wrenches.shape == result.sd.shape == (60, 2, 6) and result.torques.shape == (60, 16)
    assert result.joints[6] == "left_hip_roll" and result.status[0] == "ok" and result.contacts == contacts
    assert (result.wrenches[21:40, 0] == 0).all() and np.isfinite(result.sd).all() and result.sd_because == ""
    np.testing.assert_allclose(result.wrenches[:, :, 2].mean(), result.weight / 2, rtol=0.02)
    assert "squeeze between left_foot and right_foot" in result.unobservable
    assert result.feasible and result.fine and not result.violations
    assert result.summary["schema"] == "antaeus.contact.summary/1" and result.summary["command"] == ""
    with pytest.raises(ValueError, match="read-only"):
        result.torques[0, 0] = 1.0
    result.save(tmp_path / "step.html")
    assert "antaeus.views/1" in (tmp_path / "step.html").read_text()
    assert repr(result) == "ContactResult(motion: 60 steps, 2 contacts)"
    nimble = antaeus.contact(step, biped, contacts, over_time=True, compatibility="nimble")
    assert np.isnan(nimble.sd).all() and nimble.sd_because == "Nimble's mode states no uncertainty"
    twice = antaeus.contact_inverse_dynamics_over_time(biped, step["q"], 0.01, contacts, active=step["active"])
    np.testing.assert_allclose(twice.wrenches, result.wrenches, rtol=0, atol=tolerance("kModelParity"))


def test_broken_limits_are_listed(biped, step):
    slippery = antaeus.contact(step, biped, ["left_foot", "right_foot"], limits="cone", half_length=0.01,
                               half_width=0.005)
    assert not slippery.feasible and not slippery.fine
    worst = max(slippery.violations, key=lambda one: one.size)
    assert worst.kind == "cop" and worst.subject in slippery.contacts and worst.size > 1 and 0 <= worst.step < 60
    assert "not fine" in repr(slippery)


def test_the_files_are_the_command_lines(tmp_path, step):
    robot = ROOT / "tests/support/biped.urdf"
    run = json.loads(GOLDEN.read_text("utf-8"))["over_time"][0]
    motion = tmp_path / "run.npz"
    np.savez(motion, q=np.array(run["q"]), dt=run["dt"])
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "contact", motion.name, "--robot", robot, "--contact", "left_sole",
                           "--contact", "right_sole", "--over-time", "--with-limits", "pyramid", "--wrench-frame",
                           "link", "--set", "contact.smoothing=2.5", "--out", "out"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    result = antaeus.contact(motion, robot, ["left_sole", "right_sole"], over_time=True, limits="pyramid",
                             wrench_frame="link", smoothing=2.5)
    result.save(tmp_path / "page.html")
    result.save(tmp_path / "summary.json")
    result.save(tmp_path / "wrenches.csv")
    result.save(tmp_path / "torques.csv", table="torques")
    for ours, theirs in (("page.html", "report.html"), ("summary.json", "summary.json"),
                         ("wrenches.csv", "wrenches.csv"), ("torques.csv", "torques.csv")):
        assert (tmp_path / ours).read_bytes() == (tmp_path / "out" / theirs).read_bytes(), ours


def test_a_total_without_a_robot(tmp_path):
    rows = 200
    time = np.arange(rows) * 0.01
    columns = {"t": time, "kin_Fx": 0 * time, "kin_Fy": 700 + 5 * np.sin(time), "kin_Fz": 0 * time, "kin_Tx": 0 * time,
               "kin_Ty": 0 * time, "kin_Tz": 28 + 0 * time, "com_x": 0.04 + 0 * time, "com_y": 1 + 0 * time,
               "com_z": 0 * time}
    for foot, z in (("right", 0.1), ("left", -0.1)):
        columns |= {f"{foot}_px": 0 * time, f"{foot}_py": 0.03 + 0 * time, f"{foot}_pz": z + 0 * time}
        columns |= {f"{foot}_R{i}{j}": (i == j) + 0 * time for i in range(3) for j in range(3)}
    file = tmp_path / "standing.csv"
    np.savetxt(file, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    result = antaeus.contact(file)
    assert result.contacts == ["right", "left"] and result.torques.size == 0
    np.testing.assert_allclose(result.wrenches[:, :, 1].sum(axis=1), columns["kin_Fy"], rtol=0.02)
    assert np.isfinite(result.sd).all() and result.unobservable
    result.save(tmp_path / "standing.html")


@pytest.mark.parametrize("change, error, message", [
    (dict(contacts=["left_fot"]), "OptionsError", "did you mean 'left_foot'"),
    (dict(contacts=[]), "OptionsError", "name at least one frame"),
    (dict(limits="con"), "OptionsError", "did you mean 'cone'"),
    (dict(wrench_frame="wrld"), "OptionsError", "did you mean 'world'"),
    (dict(smothing=1.0), "OptionsError", "did you mean 'smoothing'"),
    (dict(settings={"split.yaw_s": 1.0}), "OptionsError", "did you mean 'yaw_sd'"),
    (dict(robot=None), "OptionsError", "arrays need a robot"),
    (dict(motion=dict(Q=[[0.0]])), "EpisodeError", "unknown array 'Q'"),
    (dict(motion=dict(q=np.zeros((5, 3)), dt=0.01)), "EpisodeError", r"\[q\]: is 5 × 3"),
    (dict(motion="nowhere.npz"), "EpisodeError", "does not exist"),
])
def test_what_is_refused(biped, step, change, error, message):
    arguments = dict(motion=step, robot=biped, contacts=["left_foot", "right_foot"]) | change
    with pytest.raises(getattr(antaeus, error), match=message):
        antaeus.contact(**arguments)


def test_a_file_without_a_format_is_refused(biped, step, tmp_path):
    result = antaeus.contact(dict(q=step["q"], dt=0.01), biped, ["left_foot"])
    with pytest.raises(antaeus.OptionsError, match="says no format"):
        result.save(tmp_path / "result.txt")
    with pytest.raises(antaeus.OptionsError, match="did you mean 'torques'"):
        result.save(tmp_path / "result.csv", table="torque")
    with pytest.raises(antaeus.OptionsError, match="is a folder"):
        result.save(tmp_path)
