"""A sample of the attack (attack.py; the whole is `make attack`): no spoiled input, kill, full disk, link or name finds
anything. ANTAEUS_ATTACKS and ANTAEUS_KILLS say how many of them are tried."""

import json
import os
import sys

import attack
import needs
import numpy as np
import pytest

ATTACKS = int(os.environ.get("ANTAEUS_ATTACKS", "50"))
KILLS = int(os.environ.get("ANTAEUS_KILLS", "1"))
SEED = 11


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return attack.made_inputs(tmp_path_factory.mktemp("inputs"))


@pytest.fixture
def findings():
    found = attack.Findings()
    yield found
    assert found.all == []


def test_spoiled_inputs_end_in_one_line(findings, inputs):
    attack.attack_with_mutations(findings, inputs, ATTACKS, SEED)


def test_spoiled_maps_are_read_or_refused_in_one_line(findings, inputs):
    needs.package("antaeus")
    assert attack.attack_maps(findings, inputs, 300, SEED) > 15, "nearly all are refused: nothing behind the reader is tried"


def only(verbs, inputs, monkeypatch):
    """A sample has a few verbs; `make attack` has all."""
    chosen = {verb: commands for verb, commands in attack.writers(inputs).items() if verb in verbs}
    assert len(chosen) == len(verbs)
    monkeypatch.setattr(attack, "writers", lambda _: chosen)


def test_killed_runs_leave_results_of_one_run(findings, inputs, monkeypatch):
    only(("audit", "estimate", "show", "check", "contact", "ik"), inputs, monkeypatch)
    attack.attack_with_kills(findings, inputs, KILLS, SEED)


def test_names_reach_no_page(findings, inputs, monkeypatch):
    monkeypatch.setattr(attack, "NAMES", attack.NAMES[:4])
    attack.attack_names(findings, inputs)


def test_full_places_links_and_two_writers(findings, inputs, monkeypatch):
    only(("audit", "estimate", "ik", "contact"), inputs, monkeypatch)
    attack.attack_places(findings, inputs)


def test_disturbed_watches_go_on_recording(findings):
    needs.package("websockets")
    attack.attack_watch(findings, 2, SEED)


def test_mjcfs_become_a_robot_or_one_line(findings):
    assert attack.attack_mjcf(findings, 20, SEED) > 2, "nearly all are refused: nothing behind the checks is tried"


def test_damaged_pickles_raise(findings):
    needs.package("antaeus")
    assert attack.attack_pickles(findings, 60, SEED) > 20, "no damaged value reaches the checksum"


def test_fleets_compute_what_is_good(findings, inputs):
    needs.package("pyarrow")
    needs.package("duckdb")
    attack.attack_fleet(findings, inputs, 1, SEED)


def wrong_of(tmp_path, body, clean=None):
    """What the judge says of a program that does \a body."""
    program, script = tmp_path / "program", tmp_path / "program.py"
    script.write_text(f"import os, signal, sys, time\nout = sys.argv[-1]\n{body}\n", encoding="utf-8")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    before = os.environ["ANTAEUS_CLI"]
    os.environ["ANTAEUS_CLI"] = str(program)
    try:
        # Only what sleeps is to be ended: a busy machine gives a second of CPU in several.
        done = attack.end_of([tmp_path / "out"], seconds=1.0 if "sleep" in body else 30.0)
        return attack.judged(done, clean or attack.Ended(0, b"", b"", 0.0, 0, False), tmp_path)
    finally:
        os.environ["ANTAEUS_CLI"] = before


@pytest.mark.parametrize("body, word", [
    ("os.kill(os.getpid(), signal.SIGSEGV)", "exit -11"),
    ("sys.exit(3)", "exit 3"),
    ("time.sleep(60)", "hung"),
    ("sys.stderr.write('antaeus: a\\nb\\n'); sys.exit(2)", "2 lines"),
    ("sys.stderr.write('Traceback\\n'); sys.exit(2)", "1 lines"),
    ("os.mkdir(out); sys.stderr.write('antaeus: x\\n'); sys.exit(2)", "left out"),
    ("os.mkdir(out); open(out + '/summary.json', 'w').write('NaN')", "no JSON"),
    ("os.mkdir(out + '.antaeus-x'); os.rename(out + '.antaeus-x', os.path.dirname(out) + '/.antaeus-x')", "hidden"),
    ("x = bytearray(200 << 20); x[::4096] = b'a' * len(x[::4096])", "MB"),
    ("b = time.process_time()\nwhile time.process_time() - b < 0.9: pass", "CPU"),
])
def test_the_judge_sees_it(tmp_path, body, word, monkeypatch):
    """An attack that cannot find anything is none."""
    if word == "CPU":
        monkeypatch.setattr(attack, "MOST_SECONDS", 0.3)
    if word == "MB":
        monkeypatch.setattr(attack, "MOST_MEMORY", 100 << 20)
    if word == "hung":
        monkeypatch.setattr(attack, "patience", lambda seconds: seconds)
    monkeypatch.setattr(attack, "bounds_memory", lambda program: True)
    assert any(word in one for one in wrong_of(tmp_path, body)), word


def test_results_of_two_runs_are_told_apart(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text(json.dumps({"run": name}))
    first, second = (attack.contents(tmp_path / name) for name in ("a", "b"))
    assert first != second and attack.contents(tmp_path / "c") is None


def test_mutations_differ_and_keep_archives_sound(inputs, tmp_path):
    import random
    chance, data, read = random.Random(1), inputs.logs["npz"].read_bytes(), 0
    spoiled = [attack.spoiled_npz(data, chance, tmp_path) for _ in range(40)]
    assert len(set(spoiled)) > 30
    for one in spoiled:
        (tmp_path / "one.npz").write_bytes(one)
        try:
            read += len(np.load(tmp_path / "one.npz").files) > 0
        except Exception:  # noqa: BLE001  (whatever NumPy makes of it)
            continue
    assert read > 10, "no spoiled member ever reaches the readers"
