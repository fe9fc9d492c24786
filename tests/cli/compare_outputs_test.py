"""tools/compare_outputs.py: a build equals itself, and one changed number, word, file or exit code is found and named."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from command_line import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import compare_outputs  # noqa: E402

TOOL = ROOT / "tools/compare_outputs.py"
PROGRAM = pathlib.Path(os.environ["ANTAEUS_CLI"])
# Runs the real program, then changes what `map` has written.
WRAPPER = """#!{python}
import pathlib, subprocess, sys
code = subprocess.run([{program!r}, *sys.argv[1:]]).returncode
if sys.argv[1] == "map" and "--steps" in sys.argv:
    file = pathlib.Path("out/map.csv")
    head, row, *rest = file.read_text().splitlines()
    cells, column = row.split(","), head.split(",").index({column!r})
    cells[column] = {change}
    file.write_text("\\n".join([head, ",".join(cells), *rest]) + "\\n")
    {more}
sys.exit(code)
"""


def compare(other, *options):
    done = subprocess.run([sys.executable, TOOL, PROGRAM.parent.parent, other, "--only", "map", *options], capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout, done.stderr


def changed_build(folder, column="kappa", change="repr(float(cells[column]) * (1 + 1e-6))", more="pass"):
    (folder / "bin").mkdir()
    program = folder / "bin/antaeus"
    program.write_text(WRAPPER.format(python=sys.executable, program=str(PROGRAM), column=column, change=change, more=more))
    program.chmod(0o755)
    (folder / "python").symlink_to(PROGRAM.parent.parent / "python")
    return folder


def test_a_build_equals_itself():
    code, out, errors = compare(PROGRAM.parent.parent, "--only", "check", "--json")
    assert code == 0, out + errors
    found = json.loads(out)
    assert found["commands"] == 2 and found["numbers"] > 5000 and found["differences"] == []


@pytest.mark.parametrize(("how", "expected"), [
    ({}, {"file": "out/map.csv", "key": "kappa[0]", "count": 1}),
    ({"change": "repr(float(cells[column]) * (1 + 1e-12))"}, None),
    ({"column": "endpoint", "change": "'elsewhere'"}, {"file": "out/map.csv", "key": "endpoint[0]", "b": "elsewhere"}),
    ({"change": "'nan'"}, {"file": "out/map.csv", "key": "kappa[0]"}),
    ({"more": "file.write_text(file.read_text().replace('kappa', 'condition'))"}, {"file": "out/map.csv", "key": "kappa", "b": "missing"}),
    ({"more": "file.unlink()"}, {"file": "out/map.csv", "key": "file", "b": "missing"}),
    ({"more": "code = 1"}, {"file": "step 0", "key": "exit code", "a": "0"}),
], ids=["number", "rounding", "word", "not_a_number", "key", "file", "exit_code"])
def test_a_change_is_found_and_named(tmp_path, how, expected):
    code, out, errors = compare(changed_build(tmp_path, **how), "--json")
    differences = json.loads(out)["differences"]
    if expected is None:
        assert code == 0 and differences == []
    else:
        assert code == 1 and any(expected.items() <= each.items() for each in differences), differences
        assert "keys DIFFER" in errors


def test_renamed_names_are_compared(tmp_path, monkeypatch):
    for table, names in (("WORDS", {"mutate": "inject", "a.old": "a.new"}), ("FILES", {"old.csv": "new.csv"}), ("KEYS", {"kappa": "condition"}), ("VALUES", {"guessed": "stated"})):
        monkeypatch.setattr(compare_outputs, f"RENAMED_{table}", names)
    assert [compare_outputs.old_spelling(word) for word in ("inject", "a.new=1", "injector")] == ["mutate", "a.old=1", "injector"]
    (tmp_path / "old.csv").write_text("kappa,word\n12.5,guessed\n")
    assert list(compare_outputs.files_below(tmp_path)) == ["new.csv"]
    (tmp_path / "new.csv").write_text("condition,word\n12.5,stated\n")
    outcome = compare_outputs.Outcome("map")
    compare_outputs.compare_files(outcome, "new.csv", tmp_path / "old.csv", tmp_path / "new.csv")
    assert (outcome.numbers, outcome.words, outcome.differences) == (1, 1, [])


def test_bad_input_is_refused(tmp_path):
    code, _, errors = compare(tmp_path)
    assert code == 2 and "no bin/antaeus" in errors
    assert compare(PROGRAM.parent.parent, "--only", "nothing")[0] == 2
