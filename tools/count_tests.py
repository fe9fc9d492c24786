#!/usr/bin/env python3
"""Counts tests, not entries of ctest: reads the log of a run and prints why tests were skipped and, as the last line,
how many passed, failed and were skipped. An entry of GoogleTest or pytest counts its tests, any other counts as one.
Exit 1 if an entry ran nothing, or if a reason does not end with "; run: " and a command.
Usage: count_tests.py BUILD/Testing/Temporary/LastTest.log"""

import collections
import pathlib
import re
import sys

ENTRY = re.compile(r"^\d+/\d+ Testing: (.*)$", re.MULTILINE)
GOOGLE = re.compile(r"^\[  (PASSED|FAILED|SKIPPED)  ?\] (\d+) tests?[.,]", re.MULTILINE)
PYTEST = re.compile(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s", re.MULTILINE)
REASON = re.compile(r": Skipped\n(.*)$|^SKIPPED \[\d+\] (?:[^ ]+: )?(.*)$", re.MULTILINE)


def count(text: str) -> collections.Counter:
    """One entry's tests by outcome: passed, failed, skipped."""
    found: collections.Counter = collections.Counter()
    if "Running main() from" in text or "[==========]" in text:
        for outcome, number in GOOGLE.findall(text):
            found[outcome.lower()] += int(number)
        if "[==========]" not in text.rpartition("[----------] Global test environment tear-down")[2]:
            found["failed"] += 1  # it ended before its last line
    elif summary := PYTEST.search(text):
        for part in summary.group(1).split(", "):
            number, outcome = part.split()
            key = {"passed": "passed", "skipped": "skipped"}.get(outcome)
            if key or outcome in ("failed", "error", "errors"):
                found[key or "failed"] += int(number)
    return found


def main(path: pathlib.Path) -> int:
    text = path.read_text(encoding="utf-8", errors="replace")
    starts = [(match.start(), match.group(1)) for match in ENTRY.finditer(text)]
    total: collections.Counter = collections.Counter()
    reasons: collections.Counter = collections.Counter()
    empty, without_command = [], []
    for index, (start, name) in enumerate(starts):
        part = text[start : starts[index + 1][0] if index + 1 < len(starts) else len(text)]
        found = count(part)
        is_failed = "\nTest Failed." in part or "Test timed out" in part or "Test Failed" in part.splitlines()[-1]
        if not found:
            found["failed" if is_failed else "passed"] = 1
            if "no tests ran" in part:
                empty.append(name)
        elif is_failed and not found["failed"]:
            found["failed"] = 1
        total += found
        if found["skipped"]:
            lines = {next(filter(None, groups)).strip() for groups in REASON.findall(part)}
            without_command += [f"{name}: {line}" for line in sorted(lines) or ["no reason given"] if "; run: " not in line]
            reasons["\n       ".join([name, *sorted(lines)])] += found["skipped"]
    if reasons:
        print("\nSkipped, with the reason:")
        for reason, number in sorted(reasons.items()):
            print(f"  {number:3}  {reason}")
    for name in empty:
        print(f"{name}: ran no test")
    for reason in without_command:
        print(f"This skip names no command that enables it: {reason}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if empty or without_command or not starts else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
