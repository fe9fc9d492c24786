"""antaeus.describe: what `antaeus robot --write` finds, as values."""

import json
import pickle

import antaeus
import pytest
from support import ROOT

QUADRUPED = ROOT / "tests/support/quadruped.urdf"


def test_fields_and_files(tmp_path):
    facts = antaeus.describe(QUADRUPED)
    assert facts.base is antaeus.Base.free_flyer and len(facts.motors) == 12
    feet = [e for e in facts.endpoints if e.chosen]
    assert [e.kind for e in feet] == [antaeus.EndpointKind.foot] * 4 and all(e.why for e in feet)
    assert {j.use for j in facts.joints} <= set(antaeus.JointUse)
    facts.write(tmp_path / "dog/profile.toml")
    robot = antaeus.load_robot(tmp_path / "dog/profile.toml")
    assert robot.model.motor_names() == facts.motors and robot.endpoint_frames() == [e.frame for e in feet]
    assert facts.profile.startswith("# Written by") and "[[endpoints]]" in facts.profile
    facts.save(tmp_path / "robot.html")
    assert "What is missing in its description?" in (tmp_path / "robot.html").read_text(encoding="utf-8")
    facts.save(tmp_path / "robot.json")
    assert json.loads((tmp_path / "robot.json").read_text(encoding="utf-8")) == facts.summary
    assert "<iframe" in facts._repr_html_()


def test_a_robot_in_memory_and_lines():
    facts = antaeus.describe(antaeus.load_robot("ur5e"))
    assert repr(facts) == "RobotFacts(ur5e: 6 motors, base fixed, endpoints tool0)"
    joint = pickle.loads(pickle.dumps(facts.joints[-1]))
    assert (joint.name, joint.use) == (facts.joints[-1].name, facts.joints[-1].use)
    assert facts.joints[0].type is antaeus.JointType.revolute and facts.joints[0].sd_from in antaeus.FigureSource
    assert facts.poses[0].name == "middle" and facts.joints[0].torque_sd > 0


def test_what_is_refused(tmp_path):
    with pytest.raises(antaeus.Error, match="none.urdf"):
        antaeus.describe(tmp_path / "none.urdf")
    with pytest.raises(antaeus.EpisodeError):
        antaeus.describe(QUADRUPED, tmp_path / "none.csv")
    with pytest.raises(antaeus.OptionsError, match=".toml"):
        antaeus.describe(QUADRUPED).write(tmp_path / "profile.txt")
    with pytest.raises(TypeError):
        antaeus.describe(3)
    assert not list(tmp_path.iterdir())
