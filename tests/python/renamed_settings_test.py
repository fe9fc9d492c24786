"""Options that were renamed: the old spelling is accepted for one release, with a note, wherever it is written."""

import pathlib

import antaeus
import pytest

ROBOT = pathlib.Path(__file__).resolve().parents[2] / "robots" / "planar_3r"


def the_rename(settings):
    (note,) = settings.notes()
    assert note.code == "renamed" and [str(value) for value in note.values] == ["guard.clamp_force=30", "published_guard.clamp_force=30"]
    assert note.startswith(note.subject) and "the old spelling is accepted for one release" in note
    return note


def test_in_python():
    settings = antaeus.load_robot("planar_3r").profile.settings
    settings.set("published_guard.clamp_force=40")
    assert settings.notes() == []
    settings.set("guard.clamp_force=30")
    the_rename(settings)
    assert [(one.group, one.value) for one in settings.all()][-1] == ("published_guard", "30")


def test_in_a_profile(tmp_path):
    text = (ROBOT / "profile.toml").read_text("utf-8")
    (tmp_path / "planar_3r.urdf").write_bytes((ROBOT / "planar_3r.urdf").read_bytes())
    profile = tmp_path / "profile.toml"
    profile.write_text(text + "\n[options.guard]\nclamp_force = 30.0\n", "utf-8")
    note = the_rename(antaeus.load_robot(str(profile)).profile.settings)
    assert note.subject.endswith(f"profile.toml:{len(profile.read_text('utf-8').splitlines())}")


def test_of_a_call(tmp_path):
    with pytest.warns(DeprecationWarning, match="write 'published_guard.clamp_force=30' for 'guard.clamp_force=30'"):
        antaeus.BatchReplay("planar_3r", settings={"guard.clamp_force": 30})
