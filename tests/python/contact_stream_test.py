"""ContactFrameSolver and ContactStream: the numbers of `antaeus contact`, lifetimes, refusals."""

import csv
import os
import subprocess

import antaeus
import numpy as np
import pytest
from support import tolerance

FEET = ["left_ankle_roll_link", "right_ankle_roll_link"]
LEVER = 0.1  # contact.lever [m]
STEP = 0.01


@pytest.fixture(scope="module")
def humanoid():
    return antaeus.load_robot("h1_2", meshes="ignored", base="floating")


def swaying(robot, first, count):
    t = STEP * (first + np.arange(count))
    q = np.tile(robot.model.neutral(), (count, 1))
    v, a = np.zeros((2, count, robot.model.nv()))
    for row, size, rate in ((0, 0.05, 2.0), (1, 0.03, 5.0), (2, 0.02, 3.0)):
        q[:, row] += size * np.sin(rate * t)
        v[:, row], a[:, row] = size * rate * np.cos(rate * t), -size * rate**2 * np.sin(rate * t)
    return dict(q=q, v=v, a=a, time=t)


def near(ours, theirs):
    theirs = np.asarray(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance("kArithmetic") * (1 + np.abs(theirs).max()))


@pytest.mark.parametrize("options", [{}, {"kind": "point"}, {"velocity_penalty": 0.3, "lever": 0.2}])
def test_a_frame_is_the_verbs(humanoid, tmp_path, options):
    motion = swaying(humanoid, 0, 4)
    np.savez(tmp_path / "sway.npz", **motion)
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "contact", "sway.npz", "--robot", "h1_2", "--ignore-meshes",
                           *(word for foot in FEET for word in ("--contact", foot)),
                           *(word for name, value in options.items() for word in ("--set", f"contact.{name}={value}")),
                           "--out", "out"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    names = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
    with open(tmp_path / "out/wrenches.csv", encoding="utf-8") as file:
        rows = [[float(row[name]) for name in names] for row in csv.DictReader(file)]
    solver = antaeus.ContactFrameSolver(humanoid, FEET, **options)
    for t, expected in enumerate(np.reshape(rows, (4, 2, 6))):
        frame = solver.solve(motion["q"][t], motion["v"][t], motion["a"][t])
        assert frame.status == "ok" and frame.wrenches.shape == (2, 6) and frame.residual.shape == (6,)
        assert frame.torques.shape == frame.total.shape == (humanoid.model.nv(),)
        near(frame.wrenches, expected)
        near(frame.total, antaeus.inverse_dynamics(humanoid, motion["q"][t], motion["v"][t], motion["a"][t]))


def test_a_guess_is_kept_to(humanoid):
    motion = swaying(humanoid, 0, 1)
    state = [motion[name][0] for name in ("q", "v", "a")]
    least = antaeus.ContactFrameSolver(humanoid, FEET).solve(*state).wrenches
    uneven = least + [[0, 0, 50.0, 0, 0, 0], [0, 0, -50.0, 0, 0, 0]]
    guided = antaeus.ContactFrameSolver(humanoid, FEET, with_guess=True)
    frame = guided.solve(*state, guess=uneven)
    # 50 N from foot to foot need a moment too, so the guess cannot be met: the nearest, in the cost's own measure, is.
    distance = [np.linalg.norm((w - uneven) * ([LEVER] * 3 + [1] * 3)) for w in (frame.wrenches, least)]
    assert frame.status == "ok" and frame.wrenches[0, 2] > least[0, 2] + 10 and distance[0] < 0.9 * distance[1]
    near(guided.solve(*state).wrenches, frame.wrenches)  # it stays
    with pytest.raises(ValueError, match="guess"):
        guided.solve(*state, guess=np.zeros((3, 6)))
    assert antaeus.ContactFrameSolver(humanoid, FEET).solve(*state, guess=uneven).status == "wrong_size"


def test_frames_are_plain_data(humanoid):
    motion = swaying(humanoid, 0, 2)
    solver = antaeus.ContactFrameSolver(humanoid, FEET)
    assert solver.result().status == "not_computed"
    first = solver.solve(motion["q"][0], motion["v"][0], motion["a"][0])
    kept = first.wrenches.copy()
    solver.set_active(0, False)
    second = solver.solve(motion["q"][1], motion["v"][1], motion["a"][1])
    assert (second.wrenches[0] == 0).all() and (solver.result().wrenches == second.wrenches).all()
    wrenches = first.wrenches
    del solver, first
    assert (wrenches == kept).all()
    with pytest.raises(ValueError, match="read-only"):
        wrenches[0, 0] = 1.0
    bad = antaeus.ContactFrameSolver(humanoid, FEET)
    assert bad.solve(motion["q"][0] * np.nan, motion["v"][0], motion["a"][0]).status == "not_finite"
    assert bad.solve(motion["q"][0][:-1], motion["v"][0], motion["a"][0]).status == "wrong_size"
    assert np.isnan(bad.result().torques).all()


def test_a_stream_gives_what_the_whole_gives(humanoid):
    frames = 1200
    whole = antaeus.contact(swaying(humanoid, 0, frames), humanoid, FEET, over_time=True)
    lag = antaeus.ContactStream.lag_for(STEP)
    assert lag > antaeus.ContactStream.lag_for(STEP, accuracy=1e-6) > 0
    assert lag < antaeus.ContactStream.lag_for(STEP, smoothing=4.0)
    stream = antaeus.ContactStream(lag)
    pieces, longest = [], 0
    for first in range(0, frames, 75):
        demand = antaeus.contact_demand(swaying(humanoid, first, 75), humanoid, FEET)
        assert len(demand) == 75 and demand.contacts == FEET and demand.total.shape == (75, 6)
        assert demand.about.shape == (75, 3) and demand.time[0] == STEP * first and demand.dt == pytest.approx(STEP)
        pieces.append(stream.push(demand))
        longest = max(longest, len(pieces[-1]))
    pieces.append(stream.finish())
    assert [piece.first for piece in pieces] == [sum(map(len, pieces[:k])) for k in range(len(pieces))]
    assert 0 < longest < frames / 2, "or nothing was streamed"
    assert pieces[0].wrenches.shape == (0, 2, 6) and pieces[0].residual.shape == (0, 6) and pieces[0].status == []
    del stream
    streamed = np.concatenate([piece.wrenches for piece in pieces])
    size = np.abs(whole.wrenches).max()
    np.testing.assert_allclose(streamed, whole.wrenches, rtol=0, atol=tolerance("kStreamed") * size)
    assert {status for piece in pieces for status in piece.status} == {antaeus.Status.ok}


@pytest.mark.parametrize("call, error, message", [
    (lambda robot: antaeus.ContactFrameSolver(robot, ["left_ankle_rol_link"]), "OptionsError", "left_ankle_roll_link"),
    (lambda robot: antaeus.ContactFrameSolver(robot, [FEET[0], FEET[0]]), "OptionsError", "left_ankle_roll_link"),
    (lambda robot: antaeus.ContactFrameSolver(robot, FEET, least_torque=0.0), "OptionsError", "undetermined"),
    (lambda robot: antaeus.ContactFrameSolver(robot, FEET, lver=0.2), "OptionsError", "did you mean 'lever'"),
    (lambda robot: antaeus.ContactFrameSolver(antaeus.load_robot("panda"), ["panda_hand"]), "OptionsError",
     "load the robot with a floating one"),
    (lambda robot: antaeus.ContactFrameSolver(robot, FEET).set_active(2, True), "OptionsError", "there is no contact 2"),
    (lambda robot: antaeus.ContactStream(0), "OptionsError", "give one frame or more"),
    (lambda robot: antaeus.ContactStream.lag_for(STEP, least_torque=0.0), "OptionsError", "no frame ever settles"),
    (lambda robot: antaeus.contact_demand(dict(Q=[[0.0]]), robot, FEET), "EpisodeError", "unknown array 'Q'"),
])
def test_what_is_refused(humanoid, call, error, message):
    with pytest.raises(getattr(antaeus, error), match=message):
        call(humanoid)


def test_other_frames_need_another_stream(humanoid):
    stream = antaeus.ContactStream(20)
    stream.push(antaeus.contact_demand(swaying(humanoid, 0, 10), humanoid, FEET))
    slower = swaying(humanoid, 0, 10) | dict(time=2 * STEP * np.arange(10))
    penalised = dict(velocity_penalty=1.0)  # its demand has speeds
    for other in (antaeus.contact_demand(swaying(humanoid, 10, 10), humanoid, FEET[:1]),
                  antaeus.contact_demand(slower, humanoid, FEET),
                  antaeus.contact_demand(swaying(humanoid, 10, 10), humanoid, FEET, **penalised)):
        with pytest.raises(antaeus.OptionsError, match="begin a new stream"):
            stream.push(other)
