"""docs/reference/guarantees.md lists the guarantees, tests/promises.toml the tests that hold them: each of them is there."""

import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/guarantees.md").read_text("utf-8")
PROMISES = tomllib.loads((ROOT / "tests/promises.toml").read_text("utf-8"))
FUZZERS = ROOT / "tests/fuzz"


def missing(tests):
    """Named tests that do not exist."""
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "tests").glob("*/*_test.cpp"))
    return [test for test in tests if not exists(test, sources)]


def exists(test, sources):
    if "::" in test:
        file, name = test.split("::")
        return any(re.search(rf"^def {name}\(", found.read_text("utf-8"), re.M) for found in (ROOT / "tests").glob(f"*/{file}"))
    if "." in test:
        suite, name = test.split(".")
        return bool(re.search(rf"^TEST(_F|_P)?\({suite}, {name}\)", sources, re.M))
    return (FUZZERS / f"{test}.cpp").exists()


def test_the_page_lists_the_guarantees():
    listed = re.findall(r"^- \*\*(.+?)\*\*", PAGE.split("## What is not guaranteed")[0], re.M)
    assert listed == list(PROMISES) and len(listed) >= 15


def test_every_promise_is_held_by_tests_that_exist():
    for promise, tests in PROMISES.items():
        assert tests, f"nothing holds: {promise}"
        assert missing(tests) == [], promise


def test_every_fuzzer_holds_a_promise():
    named = {test for tests in PROMISES.values() for test in tests if test.startswith("fuzz_")}
    assert named == {file.stem for file in FUZZERS.glob("fuzz_*.cpp")}


def test_a_test_that_is_gone_is_seen():
    gone = ["bad_input_test.py::test_nobody_wrote", "Urdf.NobodyWrote", "fuzz_nothing"]
    assert missing(["bad_input_test.py::test_missing_file", *gone]) == gone
