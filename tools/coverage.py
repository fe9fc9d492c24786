#!/usr/bin/env python3
"""Writes the line coverage of a build with --coverage into BUILD/coverage.txt: the share of lines that ran at least once, by
module and by file of src, include, apps and studies, the least covered first. Counts that several programs and object files
have of one line are added. Usage: coverage.py BUILD"""

import collections
import json
import multiprocessing.pool
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MEASURED = ("src", "include", "apps", "studies")

Lines = collections.defaultdict[tuple[str, int], int]  # (file, line): times that it ran


def lines_of(counts: pathlib.Path) -> Lines:
    """Returns the lines of one object file."""
    command = ["gcov", "--json-format", "--stdout", str(counts)]
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=True)
    lines: Lines = collections.defaultdict(int)
    for report in map(json.loads, filter(None, done.stdout.splitlines())):
        for source in report["files"]:
            # Relative to the build where a compiler cache is used.
            name = os.path.relpath(os.path.join(report["current_working_directory"], source["file"]), ROOT)
            if not name.startswith(tuple(f"{folder}/" for folder in MEASURED)):
                continue
            for line in source["lines"]:
                lines[name, line["line_number"]] += line["count"]
    return lines


def module_of(name: str) -> str:
    parts = pathlib.PurePath(name).parts
    return parts[1] if parts[0] == "src" else parts[2] if parts[0] == "include" and len(parts) > 3 else parts[0]


def table(title: str, shares: dict[str, list[bool]]) -> list[str]:
    rows = [f"{'covered':>8} {'lines':>7}  {title}"]
    for name, ran in sorted(shares.items(), key=lambda item: (sum(item[1]) / len(item[1]), item[0])):
        rows.append(f"{100 * sum(ran) / len(ran):7.1f}% {len(ran):7}  {name}")
    return rows


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    counts = sorted(build.rglob("*.gcda"))
    if not counts:
        print(f"{build}: no .gcda file; build the preset coverage and run its tests")
        return 1
    all_lines: Lines = collections.defaultdict(int)
    with multiprocessing.pool.ThreadPool() as pool:
        for lines in pool.imap_unordered(lines_of, counts):
            for place, times in lines.items():
                all_lines[place] += times
    if not all_lines:
        print(f"{build}: no line of {', '.join(MEASURED)} is counted; build the preset coverage in this tree")
        return 1
    files, modules = collections.defaultdict(list), collections.defaultdict(list)
    for (name, _), times in all_lines.items():
        files[name].append(times > 0)
        modules[module_of(name)].append(times > 0)
    total = {"all": [ran for share in files.values() for ran in share]}
    rows = [*table("", total)[1:], "", *table("module", modules), "", *table("file", files)]
    target = build / "coverage.txt"
    target.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print("\n".join(rows[: 3 + len(modules)]) + f"\nby file: {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
