"""docs/reference/guarantees.md names the tests that hold its promises: each of them is there."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "guarantees.md").read_text("utf-8")
FORMS = {"python": re.compile(r"`(\w+_test)\.py::(test_\w+)`"), "cpp": re.compile(r"`(\w+)\.(\w+)`"), "fuzz": re.compile(r"`(fuzz_\w+)`")}


def promises():
    """Promise and its cell of tests, row by row."""
    table = PAGE.split("## Promises", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip().strip("|").rsplit(" | ", 1) for line in table.splitlines() if line.startswith("| **")]
    return [(re.search(r"\*\*(.+?)\*\*", promise)[1], cell) for promise, cell in rows]


def missing(cell):
    """Named tests that are nowhere, and how many are named."""
    gone, named = [], 0
    for stem, test in FORMS["python"].findall(cell):
        named += 1
        files = list((ROOT / "tests").glob(f"*/{stem}.py"))
        if not any(re.search(rf"^def {test}\(", file.read_text("utf-8"), re.M) for file in files):
            gone.append(f"{stem}.py::{test}")
    rest = FORMS["python"].sub("", cell)
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "tests").glob("*/*_test.cpp"))
    for suite, test in FORMS["cpp"].findall(rest):
        named += 1
        if not re.search(rf"^TEST(_F|_P)?\({suite}, {test}\)", sources, re.M):
            gone.append(f"{suite}.{test}")
    for fuzzer in FORMS["fuzz"].findall(rest):
        named += 1
        if not (ROOT / "tests" / "fuzz" / f"{fuzzer}.cpp").exists():
            gone.append(fuzzer)
    return gone, named


def test_every_promise_is_held_by_tests_that_exist():
    found = promises()
    assert len(found) >= 15
    for promise, cell in found:
        gone, named = missing(cell)
        assert named > 0, f"nothing holds: {promise}"
        assert gone == [], f"{promise}: {gone}"


def test_every_fuzzer_holds_a_promise():
    named = {fuzzer for _, cell in promises() for fuzzer in FORMS["fuzz"].findall(cell)}
    assert named == {file.stem for file in (ROOT / "tests" / "fuzz").glob("fuzz_*.cpp")}


def test_a_test_that_is_gone_is_seen():
    assert missing("`bad_input_test.py::test_nobody_wrote`, `Urdf.NobodyWrote`, `fuzz_nothing`") == (
        ["bad_input_test.py::test_nobody_wrote", "Urdf.NobodyWrote", "fuzz_nothing"], 3)
