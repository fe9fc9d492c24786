"""Robots that nobody has written a profile for: what a new user gets without asking, and what each verb says of it."""

import json

import pytest
from command_line import ROOT, SHARED, refused, run, text

PLANAR = ROOT / "robots" / "planar_3r" / "planar_3r.urdf"
SOLO = SHARED / "golden" / "contact_inverse_dynamics" / "urdf" / "solo12.urdf"
ARM = ("--robot", PLANAR, "-e", "tool")
BENT = ("--positions", "joint_1=0.5,joint_2=1.5")


# --- base ---------------------------------------------------------------------------------------------------------------

VERBS = {
    "robot": ("robot", PLANAR),
    "preflight": ("preflight", *ARM, *BENT),
    "advise": ("advise", *ARM, *BENT, "--limit", "kappa=1000"),
    "map": ("map", *ARM, *BENT, "-j", "joint_1", "-j", "joint_2", "--steps", "3"),
    "poses": ("map", "--robot", "planar_3r", "-e", "tool", "--poses", "bent"),
    "estimate": ("estimate", "EPISODE", *ARM),
    "audit": ("audit", "EPISODE", *ARM),
}


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_says_which_base_and_who_chose_it(verb, small, tmp_path):
    arguments = [small if a == "EPISODE" else a for a in VERBS[verb]]
    chosen = ("fixed (one limb; --base floating otherwise)", "limbs") if verb != "poses" else ("fixed (the profile's)", "profile")
    for option, base, (told, source) in [((), "fixed", chosen), (("--base", "fixed"), "fixed", ("fixed (--base)", "option")),
                                         (("--base", "floating"), "free_flyer", ("floating (--base)", "option"))]:
        done = run(*arguments, *option, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        assert f"base: {told}" in text(done.stdout)
        report = json.loads(run(*arguments, *option, "--json", cwd=tmp_path).stdout)
        report = report["robot"] if verb == "audit" else report
        assert (report["base"], report["base_source"]) == (base, source)


def test_an_audit_with_another_base_names_it_in_its_command(small, tmp_path):
    told = json.loads(run("audit", small, *ARM, "--base", "floating", "--json", cwd=tmp_path).stdout)
    assert "--base floating" in told["command"]
    assert "--base" not in json.loads(run("audit", small, *ARM, "--json", cwd=tmp_path).stdout)["command"]


@pytest.mark.skipif(not SOLO.exists(), reason="reference data absent")
def test_a_quadruped_floats():
    assert "base: floating (4 limbs; --base fixed otherwise)" in text(run("robot", SOLO, "--ignore-meshes").stdout)
    told = json.loads(run("robot", SOLO, "--ignore-meshes", "--base", "fixed", "--json").stdout)
    assert told["limbs"] == 4 and told["nv"] == 12


def test_no_such_base():
    for verb in VERBS:
        if verb in ("estimate", "audit"):
            continue
        assert refused(*VERBS[verb], "--base", "fixd") == "antaeus: --base: unknown base 'fixd'; did you mean 'fixed'?"
