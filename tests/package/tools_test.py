"""The scripts of tools/: the report of setup.sh on missing Debian packages, and what count_lines.py, check_sources.py and check_language.py refuse."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))  # for what the scripts import


def run_setup(folder, user_id):
    """Runs setup.sh as the user `user_id`, with a compiler that is missing and a recorder in place of apt-get."""
    commands = folder / "commands"
    commands.mkdir()
    for name, text in {"id": f"echo {user_id}", "apt-get": f'echo "$@" >> "{folder}/apt"', "sudo": f'echo "$@" >> "{folder}/sudo"'}.items():
        (commands / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (commands / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}", "CXX": "clang++-99"}
    return subprocess.run([ROOT / "tools/setup.sh", "--packages"], env=environment, capture_output=True, text=True, encoding="utf-8")


def test_setup_without_root_prints_one_line_to_run_and_installs_nothing(tmp_path):
    result = run_setup(tmp_path, 1000)
    assert result.returncode == 2
    assert result.stderr.startswith("antaeus: missing system packages; run: sudo apt-get install ") and "clang-99" in result.stderr
    assert result.stderr.count("\n") == 1 and not result.stdout
    assert not (tmp_path / "apt").exists() and not (tmp_path / "sudo").exists()


def test_setup_as_root_prints_the_packages_before_it_installs_them(tmp_path):
    result = run_setup(tmp_path, 0)
    assert result.returncode == 0 and not (tmp_path / "sudo").exists()
    assert result.stderr.startswith("antaeus: installing Debian packages: ") and "clang-99" in result.stderr
    assert "clang-99" in (tmp_path / "apt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sources():
    spec = importlib.util.spec_from_file_location("check_sources", ROOT / "tools/check_sources.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("row", "missing"), [
    ("| 1 | 5 N hold: 4.89 N, 99.96 % | `antaeus simulate` | `HybridHold.TheSourcesLawGivesTheSourcesForce` |", []),
    ("| 1 | 5 N hold: 4.88 N, 99.95 % | `antaeus simulate` | `HybridHold.TheSourcesLawGivesTheSourcesForce` |", ["4.88", "99.95 %"]),
    ("| 1 | 104, 43, 17 mm | `impedance.force` | `ImpedanceRun.RestsAtForceOverStiffnessAndHasTheSourcesPeak` |", []),
    ("| 1 | 104, 44, 17 mm | `impedance.force` | `ImpedanceRun.RestsAtForceOverStiffnessAndHasTheSourcesPeak` |", ["44 mm"]),
    ("| 1 | torso's torque in Table 7, RE3 (4) | `gain` | `Gains.AreTheResponseToOneNewtonMetre` |", []),
    ("| 1 | a gain of 98.7 | `gain` | `Gains.AreTheResponseToOneNewtonMetre` |", ["98.7"]),
    ("| 1 | 3.5e-6 off | `gain` | `Gains.AreTheResponseToOneNewtonMetre` |", ["3.5e-6"])])
def test_a_cited_number_must_be_in_a_cited_test(sources, tmp_path, capsys, row, missing):
    page = tmp_path / "page.md"
    page.write_text(row + "\n", encoding="utf-8")
    assert sources.main(False, page) == (1 if missing else 0)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"row 1: {number} is in none of its tests" for number in missing] + [
        f"{len(missing)} offences in 1 rows of the sources, 0 planned"]


@pytest.fixture(scope="module")
def count_lines():
    spec = importlib.util.spec_from_file_location("count_lines", ROOT / "tools/count_lines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_count_lines_accepts_what_is_within_its_ceilings(count_lines):
    ceiling = {"docs": {"lines": 10, "bytes": 100, "reason": "first count"}}
    assert count_lines.offences({"docs": (10, 100)}, ceiling, ceiling) == []


@pytest.mark.parametrize(
    "counted, ceiling, expected",
    [
        ((11, 100), {"lines": 10, "bytes": 100, "reason": "first count"}, "11 lines, ceiling 10"),
        ((10, 101), {"lines": 10, "bytes": 100, "reason": "first count"}, "101 bytes, ceiling 100"),
        ((10, 100), {"lines": 12, "bytes": 100, "reason": "first count"}, "rose from 10 to 12 without a new `reason`"),
        ((10, 100), None, "missing in size_ceilings.toml"),
    ],
)
def test_count_lines_names_each_offence(count_lines, counted, ceiling, expected):
    before = {"docs": {"lines": 10, "bytes": 100, "reason": "first count"}}
    found = count_lines.offences({"docs": counted}, {"docs": ceiling} if ceiling else {}, before)
    assert len(found) == 1 and expected in found[0]


def test_count_lines_accepts_a_raise_with_a_reason(count_lines):
    before = {"docs": {"lines": 10, "bytes": 100, "reason": "first count"}}
    raised = {"docs": {"lines": 12, "bytes": 100, "reason": "a page about clones"}}
    assert count_lines.offences({"docs": (12, 100)}, raised, before) == []


@pytest.fixture()
def language(tmp_path, monkeypatch):
    """check_language.py on a tree with one page, one command and no exemption."""
    spec = importlib.util.spec_from_file_location("check_language", ROOT / "tools/check_language.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for folder in ("tools", "apps", "python"):
        (tmp_path / folder).mkdir()
    (tmp_path / "tools/banned.tsv").write_text((ROOT / "tools/banned.tsv").read_text("utf-8"), encoding="utf-8")
    (tmp_path / "tools/language_exemptions.tsv").write_text("# file\tregex\treason\n", encoding="utf-8")
    (tmp_path / "tools/language_ceilings.toml").write_text("docs = 0\nhelp = 0\nmessages = 0\npages = 0\n", encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


@pytest.mark.parametrize(("file", "text", "expected"), [
    ("README.md", "A clean line.\nNobody reads it.\n", "README.md:2: 'Nobody'"),
    ("apps/a.cpp", '// nobody\nverb.add_option("--log", log, "is told " /* anew */\n    "anew");\n', "apps/a.cpp:3: 'anew'"),
    ("apps/a.cpp", 'throw Error("it is no robot");\n', "apps/a.cpp:1: 'is no robot'"),
    ("python/a.py", '"""Nobody."""\nadd_argument("--log",\n    help=f"{1} anew")\n', "python/a.py:3: 'anew'")])
def test_check_language_names_file_line_pattern_and_suggestion(language, capsys, file, text, expected):
    (language.ROOT / file).write_text(text, encoding="utf-8")
    assert language.main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(expected) and "): write " in line for line in lines), lines


def test_check_language_accepts_exemptions_and_counts_the_watch_list(language, capsys):
    (language.ROOT / "README.md").write_text("`day_learn=told` is an option.\nThe report says so.\n", encoding="utf-8")
    (language.ROOT / "tools/language_exemptions.tsv").write_text("README.md\t=told\tname of a value\n", encoding="utf-8")
    assert language.main([]) == 0
    assert "docs          0 strict, ceiling     0;     1 on the watch list" in capsys.readouterr().out
    (language.ROOT / "README.md").write_text("Nothing.\n", encoding="utf-8")
    assert language.main([]) == 1
    assert "'=told' exempts nothing in README.md" in capsys.readouterr().out


def test_check_language_refuses_a_ceiling_that_rises(language, capsys, monkeypatch):
    (language.ROOT / "tools/language_ceilings.toml").write_text("docs = 0\nhelp = 2\nmessages = 0\npages = 0\n", encoding="utf-8")
    monkeypatch.setattr(language, "previous_ceilings", lambda *_: {"help": 1})
    assert language.main([]) == 1
    assert "the ceiling of help rose from 1 to 2" in capsys.readouterr().out
    assert language.main(["--lower"]) == 0
    assert "help = 0" in (language.ROOT / "tools/language_ceilings.toml").read_text("utf-8")
