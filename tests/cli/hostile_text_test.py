"""Texts that would steer a terminal or a shell, names that the file system refuses, files that nest without end: one line that
says so, and nothing that the reader did not ask for."""

import json
import os
import re
import shlex
import shutil
import subprocess
import threading

import needs
import numpy as np
import pytest
from command_line import ROOT, refused, run, text

PLANAR, BIPED = ROOT / "robots" / "planar_3r", ROOT / "tests/support/biped.urdf"
STEERING = re.compile("[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
HOSTILE = {"c1": "x\u009b31m", "bidi": "gp\u202ecod", "isolate": "\u2066x\u2069", "mark": "a\u200fb\u061cc", "byte": b"x\x9b31m\xff"}


def assert_harmless(stream):
    shown = stream.decode("utf-8")  # and is UTF-8
    assert not STEERING.search(shown), shown


def raw(name):
    return name if isinstance(name, bytes) else name.encode()


# --- what reaches a terminal ------------------------------------------------------------------------------------------------

ARGUMENTS = [*HOSTILE.values(), "a\nb", "\033[31mred\033[0m", "\r\b\a", "x" * 10000, b"\xff\xfe\x80", "ünïcødé ☃", "'; rm -rf *", "%s%n%d", "../" * 200, " ", "-"]


@pytest.mark.parametrize("name", ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_errors(small, tmp_path, name):
    shown, own = raw(name), ("-r", "planar_3r")
    audit, advise, ik = ("audit", small, *own), ("advise", *own, "--pose", "bent"), ("ik", *own, "-f", "tool")
    for arguments in ((shown,), ("audit", shown, *own), ("audit", small, "-r", shown), ("robot", shown), (*audit, "-e", shown), (*audit, "--set", shown),
                      (*audit, "--set", b"published_guard.clamp_force=" + shown), (*audit, "--set", b"guard." + shown + b"=1"), (*audit, b"--" + shown),
                      (*audit, "--from", shown), (*audit, "--baseline", shown), ("preflight", *own, "--pose", shown), ("preflight", *own, "--positions", shown),
                      ("estimate", small, *own, "--estimator", shown), ("advise", *own, "--pose", shown), (*advise, "--limits", shown), (*advise, "--limit", shown),
                      (*advise, "--joint", shown), ("map", *own, "--poses", shown), ("map", *own, "--poses", shown + b".csv"),
                      ("map", *own, "--pose", "bent", "--joint", shown, "--joint", "joint_2"), ("map", *own, "--poses", "bent", "--quantity", shown),
                      ("ik", *own, "-f", shown, "--target", "1,0,0"), (*ik, "--target", shown), (*ik, "--target", "1,0,0", "--start", shown), (*ik, "--targets", shown)):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and done.stderr.endswith(b"\n"), (arguments, done.stderr[:200])
        assert_harmless(done.stderr)
        assert sorted(os.listdir(tmp_path)) == ["small"], arguments


def test_errors_show_what_they_leave_out():
    assert "\\x9b" in text(run("audit", "x\u009b31m", "-r", "h1_2").stderr)
    assert "\\u202e" in text(run("audit", "gp\u202ecod", "-r", "h1_2").stderr)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_story_tables_and_json(small, tmp_path, name):
    episode = os.path.join(os.fsencode(tmp_path), raw(name))
    shutil.copytree(os.fsencode(small), episode)
    robot = tmp_path / "robot"
    shutil.copytree(PLANAR, robot)
    if not isinstance(name, bytes):
        profile = (robot / "profile.toml").read_text()
        profile = re.sub(r'^(title|provenance) = .*$', lambda m: f'{m[1]} = "{name}"', profile, flags=re.M)
        profile = re.sub(r'(label = |motor_labels = \[)"', lambda m: f'{m[0]}{name}', profile)
        (robot / "profile.toml").write_text(profile)
    for arguments in (("audit", episode, "-r", robot, "-o", tmp_path / "out"), ("audit", episode, "-r", robot, "--json"), ("estimate", episode, "-r", robot),
                      ("estimate", episode, "-r", robot, "--json"), ("robot", robot), ("robot", robot, "--json"), ("preflight", "-r", robot, "--pose", "bent"),
                      ("map", "-r", robot, "--poses", "bent", "-o", os.path.join(os.fsencode(tmp_path), b"map" + raw(name)))):
        done = run(*arguments)
        assert done.returncode in (0, 1), (arguments, done.stderr)
        assert_harmless(done.stdout)
        assert_harmless(done.stderr)
    assert_harmless((tmp_path / "out" / "summary.json").read_bytes())


PAGES = {**HOSTILE, "markup": "<script>alert(1)<", "tag": "<b>&'\"", "escape": "\033[31mred", "line": "a\nb", "bytes": b"\xff\xfe", "long": "x" * 200}


@pytest.mark.parametrize("verb", ["show", "audit", "check", "contact"])
@pytest.mark.parametrize("name", PAGES.values(), ids=PAGES)
def test_pages(small, tmp_path, name, verb):
    log = os.path.join(os.fsencode(tmp_path), raw(name))
    if verb != "contact":
        shutil.copytree(os.fsencode(small), log)
        shutil.copy(os.path.join(log, b"tau.npy"), os.path.join(log, raw(name) + b".npy"))
        more = ("-r", "planar_3r")
    else:
        log += b".npz"
        with open(log, "wb") as stream:
            np.savez(stream, q=np.tile(np.eye(1, 24, 6), (3, 1)), dt=0.01)
        more = ("-r", BIPED, "--contact", "left_sole", "--contact", "right_sole")
    done = run(verb, log, *more, "-o", tmp_path / "out")
    assert done.returncode in ((0, 1) if verb == "check" else (0,)), done.stderr
    assert_harmless(done.stdout)
    page = (tmp_path / "out" / "report.html").read_text()  # and is UTF-8
    page = re.sub("<code>.*?</code>", "", page)  # the command to paste has the name as it is
    assert not any(steering in page for steering in ("\u009b", "\u202e", "<script>alert", "<b>"))
    json.loads((tmp_path / "out" / "summary.json").read_text())
    if verb == "contact":
        with open(log, "wb") as stream:
            np.savez(stream, q=np.eye(3, 24))
        done = run(verb, log, *more, "-o", tmp_path / "bad")
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
        assert_harmless(done.stderr)


@pytest.mark.parametrize("name", ["$(touch pwned)", "a b", "it's", "-x", "a;touch pwned", "`touch pwned`", "a\"b"])
def test_the_command_that_reproduces_the_audit_is_quoted(small, tmp_path, name):
    place = tmp_path / "place"
    place.mkdir()
    episode = place / name
    shutil.copytree(small, episode)
    out = tmp_path / "out"
    done = run("audit", f"./{name}", "-r", "planar_3r", "-b", f"./{name}", "-e", "tool", "--set", "episode.tau=tau_{motor}", "-o", out, cwd=place)
    assert done.returncode == 0, done.stderr
    command = json.loads((out / "summary.json").read_text())["command"]
    words = shlex.split(command)
    assert words[:2] == ["antaeus", "audit"] and os.path.normpath(words[2]) == name
    pasted = subprocess.run(["sh", "-c", 'antaeus() { "$ANTAEUS_CLI" "$@"; }\n' + command + " --json"], cwd=place, capture_output=True, check=False)
    assert pasted.returncode == 0, pasted.stderr
    assert json.loads(pasted.stdout)["audited"]["sha256"] == json.loads((out / "summary.json").read_text())["audited"]["sha256"]
    assert not (place / "pwned").exists()


# --- the file system --------------------------------------------------------------------------------------------------------

def told(line):
    assert "please report" not in line and "filesystem error" not in line
    return line


def test_output_below_a_folder_that_may_not_be_read(small, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    line = told(refused("audit", small, "-r", "planar_3r", "-o", locked / "x", capabilities=False))
    assert str(locked) in line and "Permission denied" in line
    locked.chmod(0o755)


def test_output_through_a_ring_of_links(small, tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    line = told(refused("audit", small, "-r", "planar_3r", "-o", tmp_path / "a" / "x"))
    assert str(tmp_path / "a") in line
    told(refused("audit", tmp_path / "a", "-r", "planar_3r"))
    told(refused("robot", tmp_path / "a"))


def test_default_folder_of_an_episode_with_a_long_name(small, tmp_path):
    episode = tmp_path / ("e" * 250)
    shutil.copytree(small, episode)
    line = told(refused("audit", episode, "-r", "planar_3r", cwd=tmp_path))
    assert "File name too long; choose a shorter name" in line.replace(")", "")


def test_working_directory_that_is_gone(small, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    script = f'cd "{here}" && rmdir "{here}" && exec "$ANTAEUS_CLI" "$@"'
    for arguments, code in ((("audit", small, "-r", "planar_3r"), 2), (("audit", "x", "-r", "planar_3r"), 2),
                            (("audit", small, "-r", "planar_3r", "--json"), 0), (("robot",), 0)):
        done = subprocess.run(["sh", "-c", script, "sh", *map(str, arguments)], capture_output=True, check=False)
        here.mkdir(exist_ok=True)
        assert done.returncode == code, (arguments, done.stderr)
        told(text(done.stderr))
        assert done.stderr.count(b"\n") == (code == 2)


def test_missing_place_for_temporary_files(small, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "audit", small, "-r", "planar_3r", "-o", tmp_path / "out", "--pdf"], capture_output=True, check=False,
                          env=os.environ | {"TMPDIR": str(tmp_path / "absent"), "CHROMIUM": str(browser)})
    assert done.returncode == 2 and b"TMPDIR" in done.stderr and done.stderr.count(b"\n") == 1
    told(text(done.stderr))


# --- robots -----------------------------------------------------------------------------------------------------------------

NESTED = {"header": "[{}]", "name": "{} = 1", "inline": "x = {{ {} = 1 }}"}


@pytest.mark.parametrize("form", NESTED.values(), ids=NESTED)
def test_a_profile_that_nests_without_end(tmp_path, form):
    profile = tmp_path / "t.toml"
    for levels in (65, 3000, 40000, 1000000):
        profile.write_text("# one\n" + form.format(".".join(["a"] * levels)) + "\n")
        line = refused("robot", profile)
        assert f"{profile}:2: nested more than 64 levels deep; " in line


def test_a_profile_that_nests_is_refused_on_a_small_stack(tmp_path):
    antaeus = needs.package("antaeus")
    profile = tmp_path / "t.toml"
    profile.write_text("[" + ".".join(["a"] * 40000) + "]\n")
    said = []

    def load():
        try:
            antaeus.load_robot(str(profile))
        except antaeus.Error as error:
            said.append(str(error))

    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=load)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(said) == 1 and "nested more than 64 levels" in said[0]


def test_errors_in_python_are_of_the_family(small, tmp_path):
    antaeus = needs.package("antaeus")
    robot = antaeus.load_robot("planar_3r")
    episode = antaeus.load_episode(small, robot)
    (tmp_path / "file").write_text("")
    (tmp_path / "a").symlink_to("a")
    for folder in (tmp_path / "file" / "x", tmp_path / "a" / "x", tmp_path / ("e" * 300), os.fsdecode(os.fsencode(tmp_path) + b"/file/\xff")):
        with pytest.raises(antaeus.Error):
            antaeus.write_episode(episode, folder)
    bad = os.fsdecode(os.fsencode(tmp_path) + b"/x\xff\x9b")
    with pytest.raises(antaeus.Error, match=r"\\xff\\x9b"):
        antaeus.load_episode(bad, robot)
    shutil.copytree(small, bad)
    assert antaeus.load_episode(bad, robot).name == "x\\xff\\x9b"
    (tmp_path / "a.csv").symlink_to("a.csv")
    with pytest.raises(antaeus.Error):
        antaeus.load_episode(tmp_path / "a.csv", robot)


LONE = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""


def test_a_robot_without_motors(small, tmp_path):
    robot = tmp_path / "lone.urdf"
    robot.write_text(LONE)
    (tmp_path / "p.csv").write_text("pose\nx\n")
    for name in ("tau", "qpos", "target_dof", "dq"):
        np.save(small / f"{name}.npy", np.zeros((20, 0)))
    done = run("robot", robot)
    assert done.returncode == 0 and b"0 motors" in done.stdout
    for arguments in (("map", "--poses", tmp_path / "p.csv", "-o", tmp_path / "m"), ("preflight", "--positions", ","), ("advise", "--positions", ","),
                      ("audit", small, "-o", tmp_path / "o"), ("estimate", small)):
        line = refused(arguments[0], *arguments[1:], "-r", robot, "-e", "base")
        assert "antaeus: " in line and "report" not in line, arguments
    assert "the robot has no motors: there are no torques to estimate from" in refused("estimate", small, "-r", robot, "-e", "base")


def test_a_frame_that_nothing_moves(twins, tmp_path):
    """Its Jacobian has no column but zeros, and its posterior no row (found by a sanitizer, harmless elsewhere)."""
    done = run("audit", twins / "twin_good", "-r", "h1_2", "-e", "pelvis", "-o", tmp_path / "out", seconds=20)
    assert done.returncode == 1, done.stderr
    rows = (tmp_path / "out" / "steps.csv").read_text().splitlines()
    verdict = rows[0].split(",").index("verdict")
    assert {row.split(",")[verdict] for row in rows[1:]} == {"unobservable"}


@pytest.mark.parametrize("body", [
    lambda: "motors=[" + ",".join(f'"{i:x}"' for i in range(380_000)) + "]",
    lambda: 'motors=["a"]\n' + "".join(f'[[endpoints]]\nframe="{i:x}"\n' for i in range(140_000)),
    lambda: 'motors=["a"]\n' + "".join(f'[[poses]]\nname="{i:x}"\n' for i in range(150_000)),
    lambda: 'motors=["a"]\n[noise]\njoints=[' + ",".join(f'{{joint="{i:x}",white_sd=1}}' for i in range(130_000)) + "]",
    lambda: 'motors=["a"]\n[noise]\njoints=[{joint="a",white_sd=1}]\nparameters=['
    + ",".join(f'{{name="{i:x}",value=0.0}}' for i in range(110_000)) + "]"])
def test_a_profile_of_megabytes_is_refused_at_once(tmp_path, body):
    """Each name was compared with all before: minutes."""
    profile = tmp_path / "q.toml"
    profile.write_text('schema=1\nname="a"\nmodel="x.urdf"\n' + body())
    assert profile.stat().st_size > 2_000_000
    refused("robot", profile)


def test_a_name_that_is_no_utf8_makes_no_profile(tmp_path):
    """A profile that was written with it could not be read again."""
    text = (ROOT / "robots/planar_3r/planar_3r.urdf").read_bytes()
    (tmp_path / "r.urdf").write_bytes(text.replace(b'"joint_2"', b'"gelenk_\xe9"'))
    line = refused("robot", tmp_path / "r.urdf", "--write", tmp_path / "r.toml")
    assert "no UTF-8" in line and "gelenk_" in line
    assert [each.name for each in tmp_path.iterdir()] == ["r.urdf"]
