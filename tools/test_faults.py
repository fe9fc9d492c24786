#!/usr/bin/env python3
"""Measures the test-suite by injected faults: applies each patch of tests/faults to a copy of the tree in build/faults, builds the
test program that the patch names and expects it to fail. Every suite must pass without a fault first. Exit 1 where a fault is
not found, does not compile or does not apply. A patch is one plausible fault and one file: a unified diff (git apply -p1) below
two lines, "# fault: DESCRIPTION" and "# suite: PROGRAM [--gtest_filter=FILTER]". The old lines of each hunk must occur exactly
once in its file, so that line numbers may drift.
Usage: test_faults.py [--only TEXT]... [--keep-going] [--jobs N] | --check"""

import argparse
import dataclasses
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "faults"
TREE = ROOT / "build" / "faults"
BUILD = TREE / "build" / "release"
COUNT = 40  # of patches: a fault that is removed needs a substitute
PATIENCE = 1800  # s, for a fault that makes a suite run without end
NOT_COPIED = shutil.ignore_patterns("build", ".git", "__pycache__")


@dataclasses.dataclass
class Fault:
    name: str
    description: str
    program: str
    arguments: list[str]
    hunks: list[tuple[str, str, str]]  # file, old lines, new lines

    @property
    def suite(self) -> str:
        return " ".join([self.program, *self.arguments])

    def apply(self, tree: pathlib.Path) -> dict[pathlib.Path, str]:
        """Returns the changed texts by file. Raises ValueError where a hunk does not fit."""
        texts: dict[pathlib.Path, str] = {}
        for name, old, new in self.hunks:
            file = tree / name
            text = texts.get(file) or (file.read_text(encoding="utf-8") if file.is_file() else "")
            if text.count(old) != 1:
                raise ValueError(f"its lines occur {text.count(old)} times in {name}, not once; write the patch again")
            texts[file] = text.replace(old, new)
        return texts


def read_fault(path: pathlib.Path) -> Fault:
    text = path.read_text(encoding="utf-8")
    head = re.match(r"# fault: (.+)\n# suite: (\w+)((?: --gtest_filter=\S+)?)\n--- a/", text)
    if not head:
        raise ValueError(f"{path.name}: write '# fault: …' and '# suite: PROGRAM [--gtest_filter=…]' above the diff")
    hunks: list[tuple[str, str, str]] = []
    name, old, new = "", list[str](), list[str]()
    for line in [*text.splitlines(keepends=True), "@@"]:
        if line.startswith(("--- ", "+++ ", "@@")):
            if old != new:
                hunks.append((name, "".join(old), "".join(new)))
            old, new = [], []
            name = line[6:].rstrip("\n") if line.startswith("+++ ") else name
        elif name and line[0] in " -+":
            old += [line[1:]] if line[0] in " -" else []
            new += [line[1:]] if line[0] in " +" else []
    return Fault(path.stem, head[1], head[2], head[3].split(), hunks)


def problem_of(fault: Fault) -> str:
    """Returns why the fault cannot be injected into ROOT, or an empty text."""
    try:
        fault.apply(ROOT)
    except ValueError as error:
        return str(error)
    tests = ROOT / "tests" / fault.program.removesuffix("_tests")
    sources = "".join(file.read_text(encoding="utf-8") for file in tests.glob("*_test.cpp"))
    suites = re.findall(r"^\w*TEST\w*\((\w+),", sources, re.MULTILINE)
    for pattern in ":".join(fault.arguments).removeprefix("--gtest_filter=").split(":"):
        suite = re.escape(pattern.split(".")[0]).replace(r"\*", ".*")
        if not any(re.fullmatch(suite, one) for one in suites):
            return f"no suite of tests/{tests.name} is named '{pattern}'"
    return ""


def check(faults: list[Fault]) -> int:
    problems = [f"{fault.name}: {problem}" for fault in faults if (problem := problem_of(fault))]
    if len(faults) != COUNT:
        problems.append(f"tests/faults has {len(faults)} patches, not {COUNT}: replace a fault that can no longer occur")
    print("\n".join(problems) or f"{len(faults)} faults can be injected")
    return 1 if problems else 0


def copy_tree() -> None:
    """Makes TREE equal to ROOT. Equal files stay untouched, so that nothing is built again for them."""

    def follow(source: pathlib.Path, target: pathlib.Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        names = sorted(os.listdir(source))
        names = [name for name in names if name not in NOT_COPIED(str(source), names)]
        for name in set(os.listdir(target)) - {*names, "build"}:
            (shutil.rmtree if (target / name).is_dir() else os.unlink)(target / name)
        for name in names:
            if (source / name).is_dir():
                follow(source / name, target / name)
            elif not (target / name).exists() or not filecmp.cmp(source / name, target / name, shallow=False):
                shutil.copy2(source / name, target / name)
                os.utime(target / name)

    follow(ROOT, TREE)


def build(programs: list[str], jobs: int) -> str:
    """Returns the first error or warning of the compiler, or an empty text."""
    done = subprocess.run(["cmake", "--build", str(BUILD), "-j", str(jobs), "--target", *programs], capture_output=True, text=True)
    lines = (done.stdout + done.stderr).strip().splitlines()
    complaint = next((line for line in lines if re.search(r"\b(error|warning): ", line)), "")
    return complaint or ("" if done.returncode == 0 else lines[-1] if lines else "no output")


def run(fault: Fault) -> tuple[list[str], int]:
    """Returns the names of the tests that failed, or why none could, and the number of tests that passed."""
    command = [str(TREE / "build" / "bin" / fault.program), "--gtest_brief=0", *fault.arguments]
    try:
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return [f"no end within {PATIENCE} s"], 0
    failed = list(dict.fromkeys(re.findall(r"^\[  FAILED  \] (\w[\w/]*\.[\w/]+)", done.stdout, re.MULTILINE)))
    if not failed and done.returncode != 0:
        failed = [f"exit code {done.returncode}"]
    passed = re.search(r"^\[  PASSED  \] (\d+) test", done.stdout, re.MULTILINE)
    return failed, int(passed[1]) if passed else 0


def judge(fault: Fault, jobs: int) -> tuple[bool, str]:
    """Injects the fault, and removes it again. Returns whether it is found, and one line about it."""
    try:
        changed = fault.apply(TREE)
    except ValueError as error:
        return False, f"does not apply: {error}"
    before = {file: file.read_text(encoding="utf-8") for file in changed}
    start = time.monotonic()
    try:
        for file, text in changed.items():
            file.write_text(text, encoding="utf-8")
        if problem := build([fault.program], jobs):
            return False, f"does not compile: {problem}"
        failed, _ = run(fault)
    finally:
        for file, text in before.items():
            file.write_text(text, encoding="utf-8")
    seconds = f"{time.monotonic() - start:.0f} s"
    if not failed:
        return False, f"NOT FOUND by {fault.suite} ({seconds}): {fault.description}"
    return True, f"found by {failed[0]}" + (f" and {len(failed) - 1} more" if len(failed) > 1 else "") + f" ({seconds})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="TEXT", help="only faults whose name contains this; repeatable")
    parser.add_argument("--keep-going", action="store_true", help="judge the other faults too after one that is not found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    parser.add_argument("--check", action="store_true", help="only check that every fault can be injected; builds nothing")
    asked = parser.parse_args()
    faults = [read_fault(path) for path in sorted(FOLDER.glob("*.patch"))]
    if asked.check:
        return check(faults)
    faults = [fault for fault in faults if not asked.only or any(text in fault.name for text in asked.only)]
    if not faults:
        print("no fault has such a name")
        return 1

    copy_tree()
    # As `make test` configures, at the same place of the tree: a compiler cache serves both.
    venv = TREE / "build" / "venv"
    venv.parent.mkdir(exist_ok=True)
    if not venv.exists():
        venv.symlink_to(sys.prefix)
    packages = pathlib.Path(sysconfig.get_paths()["purelib"]).relative_to(sys.prefix)
    os.environ["ANTAEUS_SITE_PACKAGES"] = str(venv / packages)
    os.environ["PATH"] = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = ["cmake", "--preset", "release", "-DANTAEUS_BUILD_TESTS=ON", "-DANTAEUS_BUILD_PYTHON=OFF"]
    configured = subprocess.run(command, cwd=TREE, capture_output=True, text=True)
    if configured.returncode != 0:
        print(configured.stderr.strip())
        return 1
    programs = sorted({fault.program for fault in faults})
    print(f"building {', '.join(programs)}", flush=True)
    if problem := build(programs, asked.jobs):
        print(f"without a fault the tree does not compile: {problem}")
        return 1
    for fault in {fault.suite: fault for fault in faults}.values():
        failed, passed = run(fault)
        if failed or passed == 0:
            print(f"without a fault {fault.suite} does not pass: {', '.join(failed) or 'every test is skipped'}")
            return 1
    found = 0
    for number, fault in enumerate(faults, 1):
        is_found, line = judge(fault, asked.jobs)
        print(f"{number:2}/{len(faults)} {fault.name}: {line}", flush=True)
        found += is_found
        if not is_found and not asked.keep_going:
            return 1
    print(f"{found} of {len(faults)} faults found")
    return 0 if found == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
