#!/usr/bin/env python3
"""Every name in the tables of docs/sources.md, "Every row", is alive.

    tools/check_sources.py [--complete]

Each `code` in the last two columns ("where", "test") must be one of: a file of the tree; Suite.Test of a C++ test, or Suite.*; a
test function `test_x`; a name of ctest as `example.guard_chain`; an option `group.name`, a verb `antaeus x` or a flag `--x` of
docs/cli.md; a word of the public headers, of the bindings, the package, the studies or the viewer. Rows are numbered from 1 without a gap, each with
all four columns. A row that says "planned" names what others build now: it is counted, and with --complete an offence. So is "partly"
anywhere. Prints the number of offences and exits 1 where there is one.
"""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/sources.md"
ROW = re.compile(r"^\| *(\d+) *\|(.*)\|$", re.M)
CODE = re.compile(r"`([^`]+)`")
SPOKEN = ("include", "python/bindings", "python/antaeus", "studies", "src/estimation", "src/report", "tools", "viewer/src")


def texts(*folders, suffixes):
    return "\n".join(file.read_text("utf-8") for folder in folders for file in sorted((ROOT / folder).rglob("*"))
                     if file.suffix in suffixes and file.is_file())


@functools.cache
def words():
    return set(re.findall(r"\w+", texts(*SPOKEN, suffixes={".hpp", ".cpp", ".py", ".ts", ".js"})))


@functools.cache
def cpp_tests():
    found = re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", texts("tests", suffixes={".cpp", ".hpp"}))
    return {f"{suite}.{name}" for suite, name in found} | {suite + ".*" for suite, _ in found}


@functools.cache
def python_tests():
    return set(re.findall(r"^def (test_\w+)\(", texts("tests", suffixes={".py"}), re.M))


@functools.cache
def command_line():
    return (ROOT / "docs/cli.md").read_text("utf-8")


def is_alive(name):
    if "/" in name or re.search(r"\.(md|py|hpp|cpp|sh|toml|urdf|sha256)$", name):
        return (ROOT / name).exists()
    if name.startswith("antaeus ") and " " in name:
        verb, *rest = name.split()[1:]
        return f"| `{verb}`" in command_line() and all(not word.startswith("--") or is_alive(word) for word in rest)
    if name.startswith("--"):
        return re.search(rf"`(?:-\w, ?|-\w`, `)?{re.escape(name.split('=')[0])}\b", command_line()) is not None
    if name.startswith("test_"):
        return name in python_tests()
    if name.startswith("example."):
        stem = name.removeprefix("example.")
        return (ROOT / "examples" / (stem.removeprefix("python.") + (".py" if stem.startswith("python.") else ".cpp"))).exists()
    if name.startswith("house."):
        return name in (ROOT / "tests/CMakeLists.txt").read_text("utf-8")
    if re.fullmatch(r"[A-Z]\w*\.(\w+|\*)", name) and name in cpp_tests():
        return True
    if re.fullmatch(r"[a-z_]+\.\w+", name):
        return f"`{name}`" in command_line() or all(part in words() for part in name.split("."))
    if name.startswith("make "):
        return re.search(rf"^{name[5:]}:", (ROOT / "Makefile").read_text("utf-8"), re.M) is not None
    return all(part in words() for part in re.findall(r"[A-Za-z_]\w*", name)) and bool(re.match(r"[A-Za-z_]", name))


def main(complete):
    offences, planned, number = [], 0, 0
    for found in ROW.finditer(PAGE.read_text("utf-8")):
        number += 1
        where = f"row {found.group(1)}: "
        cells = [cell.strip() for cell in found.group(2).split("|")]
        if int(found.group(1)) != number:
            offences.append(where + f"number {number} is the next")
        if len(cells) != 3 or not all(cells):
            offences.append(where + "wants four columns: number, what, where, test")
            continue
        if "partly" in found.group(2):
            offences.append(where + "partly is no place")
        if "planned" in cells[2]:
            planned += 1
            if complete:
                offences.append(where + "still planned")
            continue
        offences += [where + f"there is no `{name}`" for cell in cells[1:] for name in CODE.findall(cell) if not is_alive(name)]
        if not CODE.search(cells[2]) and "none:" not in cells[2]:
            offences.append(where + "names no test")
    if number == 0:
        offences.append("no rows in docs/sources.md")
    for offence in offences:
        print(offence)
    print(f"{len(offences)} dead names in {number} rows of the sources, {planned} planned")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main("--complete" in sys.argv[1:]))
