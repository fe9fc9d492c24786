"""Every class that a loop calls has a soak: a class of the public headers with a function that is noexcept and not const, and is
called once a cycle, is named in a test of C++ with faults (tests/*/*soak_test.cpp and those that have Soak in a test's name)."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of a cycle; others set up, begin anew, or hand out what a cycle left.
CALLS = {"add", "apply", "at", "check", "compute", "compute_correlated", "error", "evaluate", "follow", "form", "get_frame_wrench", "inspect",
         "judge", "motion", "predict", "push", "replay", "see", "solve", "step", "update"}
# Named by no soak, and why.
ELSEWHERE = {
    "GravityRegressor": "within HeldPosePredictor",
    "SmallSvd": "within every inverse, and within GaussianPosterior",
    "NullDirection": "within FreeFlyer of seven joints",
    "SetUpWatch": "within GuardedEstimator",
    "ReliabilityEstimator": "the same",
    "ContactPlaceTest": "the same",
    "FeasibilityChecker": "the same",
    "MujocoFlight": "the plant of tests; MujocoPlant checks what it is given in the same way",
}


def loop_objects():
    """Class → its functions of a cycle."""
    found = {}
    for header in sorted((ROOT / "include").rglob("*.hpp")):
        name = None
        text = re.sub(r"\n[ \t]+(?=[^\s/})])", " ", header.read_text(encoding="utf-8"))  # a declaration on one line, roughly
        for line in re.split(r"[\n;]", text):
            declared = re.match(r"(?:class|struct) (?:ANTAEUS_API )?(\w+)[^;]*\{", line)
            name = declared[1] if declared else name
            for called in re.findall(r"(\w+)\([^()]*(?:\([^()]*\)[^()]*)*\) noexcept", line):
                if name and called in CALLS:
                    found.setdefault(name, set()).add(called)
    return found


def test_every_loop_object_has_a_soak():
    soaks = [file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("*_test.cpp")]
    soaked = "\n".join(text for text in soaks if re.search(r"TEST\w*\([^)]*Soak", text))
    objects = loop_objects()
    assert len(objects) > 30, "the headers are not read"
    missing = sorted(name for name in objects if not re.search(rf"\b{name}\b", soaked) and name not in ELSEWHERE)
    assert missing == []
    assert sorted(name for name in ELSEWHERE if name not in objects) == [], "of no class any more"


def test_it_sees_a_class_without_a_soak():
    assert "SmallSvd" in loop_objects() and "Wrench" not in loop_objects()
