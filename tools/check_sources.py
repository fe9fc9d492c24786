#!/usr/bin/env python3
"""Checks the tables of docs/references.md, "Every row": every name exists, and a cited number is in a cited test.

    tools/check_sources.py [--complete] [PAGE]
    tools/check_sources.py --write      write the tables of the page from tools/reference_rows.tsv; without it they are compared

Each `code` in the last two columns ("where", "test") must be one of: a file of the tree; Suite.Test of a C++ test, or Suite.*; a
test function `test_x`; a name of ctest as `example.guard_chain`; an option `group.name`, a verb `antaeus x` or a flag `--x` of
docs/reference; a word of the public headers, of the bindings, the package, the studies or the viewer. Rows are numbered from 1 without a gap, each with
all four columns. Each number of the column "what" must be in one of the row's tests to the digits printed (% as a share, mm in metres,
kHz in Hz, ° in radians or as printed): in its body, in what its file has outside of tests, or in a table of numbers (.toml) that the row
names and the test's file reads, by itself or by a script (.py) of the row. Numbers of equations, figures, tables and runs are not values. A row that says "planned" names what others build now: it is counted, and with --complete an offence. So is "partly"
anywhere. Prints the number of offences and exits 1 where there is one.
"""

import functools
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/references.md"
ROWS = ROOT / "tools/reference_rows.tsv"
BEGIN, END = "<!-- generated: rows -->\n", "<!-- end -->"
ROW = re.compile(r"^\| *(\d+) *\|(.*)\|$", re.M)
CODE = re.compile(r"`([^`]+)`")
SPOKEN = ("include", "python/bindings", "python/antaeus", "studies", "src/estimation", "src/report", "tools", "viewer/src")


CPP_TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)
PY_TEST = re.compile(r"^(?:@.*\n(?:[ )].*\n)*)*def (test_\w+)\(", re.M)
REFERENCE = re.compile(r"`[^`]*`|\(\d+(?:\.\d+)?\)|\b(?:Table|Figure|check|RE) ?\d+\b|(?<=[A-Z]\d)-\d+|\d+/\w")
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w])\s*(%|mm\b|kHz\b|°)?")
LITERAL = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SCALES = {"%": (1.0, 1e-2), "mm": (1.0, 1e-3), "kHz": (1e3, 1e-3), "°": (1.0, math.pi / 180.0)}


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
def test_bodies():
    """By name: the text of a test with what its file has outside of tests, and its file."""
    bodies = {}
    for file in sorted((ROOT / "tests").rglob("*")):
        if file.suffix not in {".cpp", ".py"}:
            continue
        text = file.read_text("utf-8")
        cpp = file.suffix == ".cpp"
        starts = [(found.start(), ".".join(found.groups())) for found in (CPP_TEST if cpp else PY_TEST).finditer(text)]
        own, shared, at = [], "", 0
        for start, name in starts:
            end = re.compile(r"^}" if cpp else r"^(?=[^\s#)])", re.M).search(text, text.index("\n", text.index(name.split(".")[-1], start)))
            shared, at, body = shared + text[at:start], end.end() if end else len(text), text[start:end.end() if end else len(text)]
            own.append((name, body))
        shared += text[at:]
        for name, body in own:
            bodies[name] = (bodies.get(name, ("", file))[0] + body + shared, file)
    return bodies


def evidence(tests, places):
    """The text in which a row's numbers are looked for; None where the tests are not of a kind that is read."""
    text, read = "", False
    for name in tests:
        if name.endswith(".*"):
            found = [body for test, body in test_bodies().items() if test.startswith(name[:-1])]
        elif name in test_bodies():
            found = [test_bodies()[name]]
        elif (ROOT / name).is_file():
            found = [((ROOT / name).read_text("utf-8"), ROOT / name)]
        elif name.startswith("example."):
            stem = name.removeprefix("example.")
            file = ROOT / "examples" / (stem.removeprefix("python.") + (".py" if stem.startswith("python.") else ".cpp"))
            found = [(file.read_text("utf-8"), file)]
        else:
            continue
        read = True
        for body, file in found:
            text += body
            read_by = file.read_text("utf-8")
            read_by += "".join((ROOT / place).read_text("utf-8") for place in places
                               if place.endswith(".py") and pathlib.Path(place).name in read_by)
            text += "".join((ROOT / place).read_text("utf-8") for place in places
                            if place.endswith(".toml") and pathlib.Path(place).name in read_by)
    return text if read else None


def cited_numbers(what):
    """(as printed, value, half a unit of its last digit, scales of its unit); the unit of a list is that of its last number."""
    what = REFERENCE.sub(lambda found: " " * len(found.group()), what).replace("−", " ")
    found, numbers, unit, begin = list(NUMBER.finditer(what)), [], "", len(what)
    for one in reversed(found):
        between = what[one.end():begin]
        unit = one.group(2) or (unit if re.fullmatch(r"(?:\s|,|–|…|and)*", between) else "")
        digits, _, power = one.group(1).partition("e")
        half = 0.5 * 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
        numbers.append((one.group(1) + (" " + unit if unit else ""), float(one.group(1)), half, SCALES.get(unit, (1.0,))))
        begin = one.start()
    return numbers[::-1]


def missing_numbers(what, tests, places):
    text = evidence(tests, places)
    if text is None:
        return []
    literals = [float(token) for token in LITERAL.findall(text.replace("'", ""))]
    return [printed for printed, value, half, scales in cited_numbers(what)
            if not any(abs(literal - scale * value) <= scale * half * (1 + 1e-9) for literal in literals for scale in scales)]


@functools.cache
def command_line():
    return "".join((ROOT / name).read_text("utf-8") for name in ("docs/reference/cli.md", "docs/reference/options.md"))


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


def with_tables(text):
    """The page with its tables written from the rows."""
    begin, _, rest = text.partition(BEGIN)
    tables, document = "", None
    for number, line in enumerate(ROWS.read_text("utf-8").splitlines()[1:], 1):
        name, *cells = line.split("\t")
        if name != document:
            tables += f"\n### Rows of {name}\n\n| row | what | where | test |\n|---|---|---|---|\n"
            document = name
        tables += f"| {number} | " + " | ".join(cells) + " |\n"
    return begin + BEGIN + tables + "\n" + END + rest.partition(END)[2]


def main(complete, page=PAGE):
    offences, planned, number = [], 0, 0
    for found in ROW.finditer(pathlib.Path(page).read_text("utf-8")):
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
        offences += [where + f"{printed} is in none of its tests"
                     for printed in missing_numbers(cells[0], CODE.findall(cells[2]), CODE.findall(cells[1]))]
    if pathlib.Path(page) == PAGE and with_tables(PAGE.read_text("utf-8")) != PAGE.read_text("utf-8"):
        offences.append("the tables are not those of tools/reference_rows.tsv; run tools/check_sources.py --write")
    if number == 0:
        offences.append("no rows in docs/references.md")
    for offence in offences:
        print(offence)
    print(f"{len(offences)} offences in {number} rows of the sources, {planned} planned")
    return 1 if offences else 0


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(with_tables(PAGE.read_text("utf-8")), encoding="utf-8")
    sys.exit(main("--complete" in sys.argv[1:], *[word for word in sys.argv[1:] if not word.startswith("--")]))
