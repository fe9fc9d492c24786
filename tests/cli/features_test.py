"""tests/features.toml: everything that it names exists and works, and everything that exists is named there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

import needs
import pytest
from command_line import ROOT, run, text

queries, formats, sinks, sources = (needs.package(f"antaeus.{name}") for name in ("fleet.queries", "formats", "live.sinks", "live.sources"))
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/support")]
import check_sources  # noqa: E402
import sample_logs  # noqa: E402

FILE = ROOT / "tests/features.toml"
SOAK = os.environ.get("ANTAEUS_SOAK") == "1"
KINDS = ("input", "output", "page", "listed_by", "listed", "references", "setting")
COMMITS = 30  # of the file's history
SECONDS = 300  # for one command; a hang, no measure of speed
# A browser that prints an empty page: what a real one prints is the subject of tests/browser.
BROWSER = '#!/bin/sh\nfor word; do case "$word" in --print-to-pdf=*) printf "%%PDF-1.4\\n%%%%EOF\\n" > "${word#*=}";; esac; done\n'


class Features:
    """The file's content."""

    def __init__(self, content):
        table = tomllib.loads(content)
        self.quick, self.slow, self.tested, self.removed = (table.get(name, {}) for name in ("quick", "slow", "tested", "removed"))
        self.commands = self.quick | self.slow
        self.of = {kind: table.get(kind, {}) for kind in KINDS}
        self.listed = {kind: set(names.split()) for kind, names in self.of["listed"].items()}
        self.settings = {f"{group}.{name}" for group, names in self.of["setting"].items() for name in names.split()}

    def exercised(self):
        """Commands, and their options as "command --option"."""
        lines = [words_of(command)[0] for command in self.commands.values()] + [shlex.split(name) for name in self.tested]
        return {name for words in lines for name in names_of(words)}

    def names(self):
        """Every name that may not vanish."""
        names = self.exercised() | {f"setting {name}" for name in self.settings}
        names |= {f"{kind} {name}" for kind in ("input", "output", "page") for name in self.of[kind]}
        names |= {f"{kind} {name}" for kind, listed in self.listed.items() for name in listed}
        return names | {f"reference {text} {row + 1}" for text, rows in self.of["references"].items() for row in range(rows)}


def words_of(command):
    """Returns the arguments, the file of standard input or None, and the expected exit code."""
    command, _, code = command.partition(" -> ")
    words = shlex.split(command)
    source = words[words.index("<") + 1] if "<" in words else None
    return words[:words.index("<")] if source else words, source, int(code or 0)


def names_of(words):
    verb = f"fleet {words[1]}" if words[0] == "fleet" and len(words) > 1 and words[1].isalpha() else words[0]
    return {verb, *(f"{verb} {word.partition('=')[0]}" for word in words if word.startswith("--"))}


def help_of(*verb):
    done = run(*verb, "--help", seconds=30)
    assert done.returncode == 0 and done.stderr == b"", (verb, done.stderr)
    return text(done.stdout)


def options_in(page):
    """Returns long option → short one or None."""
    found = {}
    for line in re.findall(r"^ {2,4}(-.*)$", page, re.M):
        names = re.findall(r"(?<![\w|-])--?[a-zA-Z][\w-]*", re.split(r"  +", line)[0])
        found |= {name: next((short for short in names if not short.startswith("--")), None) for name in names if name.startswith("--")}
    return {name: short for name, short in found.items() if name != "--help"}


def gone(before, now):
    """Names of an earlier version that are neither in this one nor removed with a substitute."""
    return sorted(before.names() - now.names() - now.removed.keys())


FEATURES = Features(FILE.read_text("utf-8"))


@pytest.fixture(scope="module")
def program():
    """Command → its options, as the help pages list them."""
    verbs = re.findall(r"^  ([a-z][\w-]*)", help_of().partition("Subcommands:")[2], re.M)
    found = {verb: options_in(help_of(verb)) for verb in verbs}
    for verbs in re.findall(r"antaeus fleet ([a-z|]+) ", help_of("fleet")):
        found |= {f"fleet {verb}": options_in(help_of("fleet", verb)) for verb in verbs.split("|")}
    return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Run → (exit code, standard error, files that it wrote), of the quick commands and in soak of the slow ones."""
    folder = tmp_path_factory.mktemp("features")
    sample_logs.write_sample_logs(folder / "logs")
    (folder / "robots").symlink_to(ROOT / "robots")
    browser = folder / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    found, known = {}, set()
    for name, command in (FEATURES.commands if SOAK else FEATURES.quick).items():
        words, source, _ = words_of(command)
        with open(folder / source if source else os.devnull, "rb") as stdin:
            done = subprocess.run([os.environ["ANTAEUS_CLI"], *words], cwd=folder, stdin=stdin, capture_output=True, timeout=SECONDS, check=False,
                                  env=os.environ | {"CHROMIUM": str(browser)})
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        found[name] = done.returncode, text(done.stderr), files - known
        known = files
    return found


@pytest.mark.parametrize("name", FEATURES.commands if SOAK else FEATURES.quick)
def test_command_ends_as_stated(outcomes, name):
    code, errors, _ = outcomes[name]
    assert code == words_of(FEATURES.commands[name])[2], errors


def test_every_command_and_option_is_exercised(program):
    assert FEATURES.exercised() == {*program, *(f"{verb} {option}" for verb, options in program.items() for option in options)}


def test_a_short_option_means_the_same_in_every_command(program):
    shorts = {(long, short) for options in program.values() for long, short in options.items()}
    assert {long: short for long, short in shorts if short} == {
        "--robot": "-r", "--out": "-o", "--endpoint": "-e", "--baseline": "-b", "--joint": "-j", "--quantity": "-q", "--contact": "-c", "--frame": "-f"}


def test_every_command_that_takes_a_robot_takes_a_load(program):
    without = {verb for verb, options in program.items() if "--robot" in options and "--payload" not in options}
    assert without == {"convert", "fleet", "fleet plan", "watch"}  # their robots carry what the profile states


def test_every_input_is_named():
    schemes = {f"source {scheme}" for scheme in sources.SCHEMES}
    readers = {f"reader {reader}" for reader in formats.READERS}
    assert {name for name in FEATURES.of["input"] if not name.startswith(("log ", "robot "))} == schemes | readers


def test_every_output_and_page_is_named(outcomes):
    written = {name: files for name, (_, _, files) in outcomes.items()}
    endings = {file.rpartition(".")[2] for files in written.values() for file in files if "." in file.rpartition("/")[2]}
    assert endings - FEATURES.of["output"].keys() <= {"txt", "lock"}
    assert {name for name in FEATURES.of["output"] if name.startswith("sink ")} >= {f"sink {scheme}" for scheme in sinks.SCHEMES}
    pages = {f"{sorted(names_of(words_of(FEATURES.commands[name])[0]), key=len)[0]} {file.rpartition('/')[2]}"
             for name, files in written.items() for file in files if file.endswith(".html")}
    assert pages == {name for name, run_name in FEATURES.of["page"].items() if run_name in outcomes}


def test_every_listed_name_exists():
    assert FEATURES.of["listed_by"].keys() == FEATURES.listed.keys()
    faults = re.sub(r"\s+", " ", help_of("inject")).partition("one of ")[2].partition(" --")[0]
    assert FEATURES.listed == {
        "examples": {path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".cpp", ".py") or (path / "CMakeLists.txt").exists()},
        "experiments": {one["name"] for one in json.loads(run("simulate", "--json").stdout)["experiments"]},
        "faults": set(re.findall(r"\w+", faults)),
        "queries": set(queries.QUERIES),
        "robots": {one["name"] for one in json.loads(run("robot", "--json").stdout)["robots"]},
        "scenarios": {one["name"] for one in json.loads(run("space", "--json").stdout)["scenarios"]}}


def test_every_reference_row_is_counted():
    sections = re.findall(r"^### Rows of (.*)\n((?:(?!###).*\n)*)", check_sources.PAGE.read_text("utf-8"), re.M)
    assert FEATURES.of["references"] == {title: len(check_sources.ROW.findall(rows)) for title, rows in sections}


def test_every_setting_takes_its_default():
    """The defaults are those of the documentation, which is generated from the code."""
    table = (ROOT / "docs/reference/options.md").read_text("utf-8").partition("<!-- generated: options -->")[2]
    defaults = dict(re.findall(r"^\| `(\w+\.\w+)` \| `([^`]*)`", table, re.M))
    assert defaults.keys() == FEATURES.settings
    done = run("preflight", "--robot", "panda", "--pose", "ready", *(word for name, value in defaults.items() for word in ("--set", f"{name}={value}")), seconds=30)
    assert done.returncode in (0, 1), done.stderr


def test_every_run_and_test_that_is_named_exists():
    named = {name for kind in ("input", "output", "page", "listed_by") for name in FEATURES.of[kind].values()} | {*FEATURES.tested.values()}
    assert [name for name in named if name not in FEATURES.commands and not check_sources.is_alive(name)] == []


def test_no_name_has_vanished():
    names = FEATURES.names()
    assert [name for name, substitute in FEATURES.removed.items() if name in names or substitute not in names] == []
    git = shutil.which("git") or "false"  # neither it nor a repository: no earlier commits
    log = subprocess.run([git, "log", f"-{COMMITS}", "--format=%H", "--", FILE], cwd=ROOT, capture_output=True, text=True, check=False)
    for commit in log.stdout.split():
        shown = subprocess.run([git, "show", f"{commit}:{FILE.relative_to(ROOT)}"], cwd=ROOT, capture_output=True, text=True, check=True)
        assert gone(Features(shown.stdout), FEATURES) == [], f"commit {commit} has them: name the substitute of each in [removed]"


def test_a_name_that_vanishes_is_found():
    before = Features('[quick]\na = "check log --robot panda --out x"')
    assert gone(before, Features('[quick]\na = "check log --robot panda"')) == ["check --out"]
    assert gone(before, Features('[quick]\na = "check log --robot panda"\n[removed]\n"check --out" = "check --robot"')) == []
