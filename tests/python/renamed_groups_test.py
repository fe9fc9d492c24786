"""Option groups that were renamed: the old name is refused in one line that gives the new one, wherever it is written."""

import os
import pathlib
import subprocess

import antaeus
import needs
import pytest

SAYS = "the option group 'guard' has a new name; write published_guard.clamp_force"
ROBOT = pathlib.Path(__file__).resolve().parents[2] / "robots" / "planar_3r"


def test_in_python():
    settings = antaeus.load_robot("planar_3r").profile.settings
    with pytest.raises(antaeus.OptionsError, match=SAYS):
        settings.set("guard.clamp_force=30")
    settings.set("published_guard.clamp_force=30")


def test_in_a_profile(tmp_path):
    text = (ROBOT / "profile.toml").read_text("utf-8")
    (tmp_path / "planar_3r.urdf").write_bytes((ROBOT / "planar_3r.urdf").read_bytes())
    profile = tmp_path / "profile.toml"
    profile.write_text(text + "\n[options.guard]\nclamp_force = 30.0\n", "utf-8")
    with pytest.raises(antaeus.ModelError, match=SAYS) as caught:
        antaeus.load_robot(str(profile))
    assert f"profile.toml:{len(profile.read_text('utf-8').splitlines())}" in str(caught.value)


@needs.skip_unless("ANTAEUS_CLI" in os.environ, "ANTAEUS_CLI is not set", "make test")
def test_on_the_command_line():
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "preflight", "--robot", "planar_3r", "--pose", "bent", "--set", "guard.clamp_force=30"],
                          capture_output=True, text=True)
    assert done.returncode == 2 and SAYS in done.stderr and done.stderr.count("\n") == 1
