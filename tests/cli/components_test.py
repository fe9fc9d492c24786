"""Verbs of components: what the command line says where motion and studies are not built, or broken."""

import os
import pathlib
import re
import subprocess

import pytest

NOT_BUILT = {"contact": "motion", "ik": "motion", "simulate": "studies", "space": "studies"}


def folders():
    binary = pathlib.Path(os.environ["ANTAEUS_CLI"]).resolve()
    return binary, binary.parent.parent / "lib"


@pytest.fixture
def lone(tmp_path):
    """Runs the command line on a libantaeus.so that lies in a folder by itself, as after `make demo`."""
    binary, libraries = folders()
    for library in libraries.glob("libantaeus.so*"):
        (tmp_path / library.name).symlink_to(library.resolve())

    def run(*words):
        environment = os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}
        return subprocess.run([str(binary), *words], capture_output=True, text=True, timeout=60, env=environment)

    run.folder = tmp_path
    return run


@pytest.mark.parametrize("verb", NOT_BUILT)
@pytest.mark.parametrize("words", [(), ("--help",), ("--robot", "panda", "--json"), ("pose-change", "--out", "nowhere")])
def test_a_verb_that_is_not_built_says_what_builds_it(lone, verb, words):
    done = lone(verb, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"antaeus: command '{verb}': is not built; build it with: make {NOT_BUILT[verb]}\n"


def test_the_list_of_verbs_says_it_too(lone):
    text = lone("--help").stdout
    for verb, target in NOT_BUILT.items():
        line = next(line for line in text.splitlines() if line.startswith(f"  {verb} "))
        assert line.endswith(f"(not built: make {target})")
    assert lone("robot").returncode == 0


def test_a_library_that_does_not_load_is_named(lone):
    (lone.folder / "libantaeus_motion_verbs.so").write_bytes(b"no library")
    done = lone("ik")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "libantaeus_motion_verbs.so" in done.stderr and done.stderr.rstrip().endswith("build it with: make motion")


def test_the_tour_needs_all_of_them_and_says_so_before_it_runs(lone, tmp_path):
    done = lone("tour", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "antaeus: command 'contact': is not built; build it with: make tour\n"
    assert not (tmp_path / "out").exists()


def test_a_verb_that_fails_ends_the_tour_by_name_and_leaves_nothing(lone, tmp_path):
    for verbs in ("motion", "studies"):
        (lone.folder / f"libantaeus_{verbs}_verbs.so").write_bytes(b"no library")
    (tmp_path / "place").mkdir()
    done = lone("tour", "--out", str(tmp_path / "place" / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"antaeus: tour, antaeus (contact|ik|simulate|space) .*: ended with exit code 2 \(antaeus: .*"
        r"libantaeus_(motion|studies)_verbs\.so.*\); run it alone\n",
        done.stderr)
    assert list((tmp_path / "place").iterdir()) == []


def test_the_list_is_the_same_where_all_is_built(lone):
    binary, _ = folders()
    whole = subprocess.run([str(binary), "--help"], capture_output=True, text=True, timeout=60).stdout
    parts = lone("--help").stdout
    for target in set(NOT_BUILT.values()):
        parts = parts.replace(f" (not built: make {target})", "")
    assert parts == whole
