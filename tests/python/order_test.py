"""One order of arguments: what was recorded comes first, then its robot. The other order is refused in one line that shows
the right call."""

import inspect

import antaeus
import numpy as np
import pytest

WRIST = "left_wrist_yaw_link"
LOGS = ("log", "logs", "episode", "motion", "q", "stretches", "path", "record")


@pytest.fixture(scope="module")
def log(robot):
    return antaeus.make_twin(robot, "good", duration=0.3).episode


# Each way to write the other order, and what the line must show.
OTHER = [
    (lambda robot, log: antaeus.estimate(robot, log), "estimate(log, robot)"),
    (lambda robot, log: antaeus.estimate("h1_2", "log.npz"), "estimate(log, robot)"),
    (lambda robot, log: antaeus.estimate("h1_2", log), "estimate(log, robot)"),
    (lambda robot, log: antaeus.audit(robot, log), "audit(log, robot)"),
    (lambda robot, log: antaeus.audit("h1_2", "log.npz"), "audit(log, robot)"),
    (lambda robot, log: antaeus.check(robot, log), "check(log, robot)"),
    (lambda robot, log: antaeus.mutate(robot, log, "torque_sign"), "mutate(log, robot, fault)"),
    (lambda robot, log: antaeus.show(robot, log), "show(log, robot)"),
    (lambda robot, log: antaeus.show(robot), "show(log, robot)"),
    (lambda robot, log: antaeus.contact(robot, {"q": np.zeros((3, 34))}, [WRIST]), "contact(motion, robot, contacts)"),
    (lambda robot, log: antaeus.contact("h1_2", {"q": np.zeros((3, 34))}, [WRIST]), "contact(motion, robot, contacts)"),
    (lambda robot, log: antaeus.contact_demand(robot, {"q": np.zeros((3, 34))}, [WRIST]), "contact_demand(motion, robot, contacts)"),
    (lambda robot, log: antaeus.identify(robot, [log]), "identify(logs, robot, contact_free)"),
    (lambda robot, log: antaeus.identify("h1_2", ["log.npz"], ["all"]), "identify(logs, robot, contact_free)"),
    (lambda robot, log: antaeus.fit_moving(robot, [log]), "fit_moving(logs, robot)"),
    (lambda robot, log: antaeus.judge_moving(robot, [log], antaeus.load_robot("h1_2").profile.noise), "judge_moving(logs, robot, noise)"),
    (lambda robot, log: antaeus.read_held_stretch(robot, log, [WRIST], 0, 1), "read_held_stretch(episode, robot, endpoints, from_, to)"),
    (lambda robot, log: antaeus.fit_held_pose(robot, [], [WRIST]), "fit_held_pose(stretches, robot, endpoints)"),
    (lambda robot, log: antaeus.replay(robot, [WRIST], log), "replay(q, robot, endpoints, tau)"),
    (lambda robot, log: antaeus.replay("h1_2", [WRIST], np.zeros((2, 27)), np.zeros((2, 27))), "replay(q, robot, endpoints, tau)"),
    (lambda robot, log: antaeus.replay(robot, [WRIST], q=np.zeros((2, 27))), "replay(q, robot, endpoints, tau)"),
]


@pytest.mark.parametrize(("call", "right"), OTHER)
def test_the_other_order_is_refused_by_name(robot, log, call, right):
    with pytest.raises(TypeError) as caught:
        call(robot, log)
    function = right.split("(", maxsplit=1)[0]
    assert str(caught.value) == f"{function}: what was recorded comes first, then the robot; call {right}"


def test_signatures_have_one_order():
    """Every public function with a robot and something recorded."""
    checked = []
    for name in antaeus.__all__:
        function = getattr(antaeus, name)
        if inspect.isclass(function) or not hasattr(function, "__nb_signature__"):
            continue
        signature = function.__nb_signature__[0][0]
        names = [part.split(":", maxsplit=1)[0].strip() for part in signature[signature.index("(") + 1:].split(", ")]
        recorded = [one for one in names if one in LOGS]
        if "robot" in names and recorded and not name.startswith(("contact_inverse", "multiple_contact", "preflight", "advise",
                                                                    "damping", "inverse_dynamics")):  # of one state
            assert names.index(recorded[0]) < names.index("robot"), signature
            checked.append(name)
    assert {"estimate", "audit", "check", "mutate", "show", "contact", "contact_demand", "identify", "fit_moving", "judge_moving",
            "read_held_stretch", "fit_held_pose", "replay", "load_episode", "read_episode"} <= set(checked)


def test_what_no_order_would_mend_names_the_argument(robot, log):
    for call, line in [
        (lambda: antaeus.audit(3, robot), "audit.episode: of type int; give a path or an Episode"),
        (lambda: antaeus.audit(log, 3), "audit.robot: of type int; give a name, a path or a Robot"),
        (lambda: antaeus.audit(log, robot, baselines=[3]), "audit.baselines: of type int; give a path or an Episode"),
        (lambda: antaeus.check(None, robot), "check.episode: of type NoneType; give a path or an Episode"),
        (lambda: antaeus.identify(3, robot), "identify.logs: of type int; give a list of paths or Episodes"),
        (lambda: antaeus.identify([log], 3), "identify.robot: of type int; give a name, a path or a Robot"),
        (lambda: antaeus.replay(log), "replay.robot: of type NoneType; give a name, a path or a Robot"),
        (lambda: antaeus.replay(log, robot, 3), "replay.endpoints: no list of names"),
        (lambda: antaeus.replay(log, robot, [], None, 5), "replay: 5 arguments by place; call replay(q, robot, endpoints, tau)"),
        (lambda: antaeus.replay(log, robot, robot=robot), "replay.robot: given twice; call replay(q, robot, endpoints, tau)"),
    ]:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == line


def test_a_log_of_a_path_is_replayed(robot, log, tmp_path):
    antaeus.write_episode(log, tmp_path / "log")
    assert np.array_equal(antaeus.replay(tmp_path / "log", robot)["wrench"], antaeus.replay(log, robot)["wrench"])
