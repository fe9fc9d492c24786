#!/usr/bin/env python3
"""Searches everything that a user reads for the words of tools/banned.tsv and compares the counts with tools/language_ceilings.toml.

    tools/check_language.py            exit 1 with file:line, pattern and suggestion for each area above its ceiling of strict patterns
    tools/check_language.py --report   print each match, of the watch list too, and the counts by area
    tools/check_language.py --lower    lower each ceiling to the count of the tree

Areas: the pages (every line); help texts (descriptions of commands and options); messages (all other string literals of the program and
the package, without docstrings and directives as #include); page texts (string literals of src/report and the viewer).
tools/language_exemptions.tsv lists quotations and contract names: file, regex found in the line or literal, reason. Ceilings only fall.
"""

import ast
import pathlib
import re
import sys
import tomllib

from ceilings import previous_ceilings

ROOT = pathlib.Path(__file__).resolve().parent.parent
CEILINGS = "tools/language_ceilings.toml"
DOCS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "robots/README.md", "docs/**/*.md")
CODE = ("src/**/*.?pp", "include/**/*.?pp", "apps/**/*.?pp", "studies/**/*.?pp", "python/**/*.?pp", "python/**/*.py", "viewer/src/**/*.ts")
PAGES = ("src/report/", "viewer/")
HELP_IN = ("apps/", "studies/", "python/")
HELP_CALL = re.compile(r"\b(?:add_(?:subcommand|option|flag|parser|argument|option_group|mutually_exclusive_group|argument_group)\w*|"
                       r"ArgumentParser|(?:->|\.)(?:description|footer|epilog|group|option_text))(?:<[^<>]*>)?\(")
# Comments and directives, so that they are skipped; then the literals of C++ and TypeScript.
TOKEN = re.compile(r'(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*|\'\\?.\')|R"(?P<d>\w*)\((?P<raw>.*?)\)(?P=d)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
                   r"|'(?P<single>(?:\\.|[^'\\\n]){2,})'|`(?P<template>(?:\\.|[^`\\])*)`", re.S | re.M)


def read_rows(name: str, columns: int) -> list[list[str]]:
    """Returns the rows of a table of tools/, without its comments."""
    lines = (ROOT / "tools" / name).read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("# ")]
    if wrong := [row for row in rows if len(row) != columns]:
        raise SystemExit(f"tools/{name}: {len(wrong[0])} columns instead of {columns} in the row {wrong[0]}")
    return rows


def help_spans(code: str, blanked: str) -> list[tuple[int, int]]:
    """Returns where the arguments of calls that describe commands and options begin and end; `blanked` has no literals."""
    spans = []
    for call in HELP_CALL.finditer(blanked):
        depth, at = 1, call.end()
        while depth and at < len(code):
            depth += (blanked[at] == "(") - (blanked[at] == ")")
            at += 1
        spans.append((call.end(), at))
    return spans


def literals_of_text(code: str, script: bool) -> list[tuple[int, str, bool]]:
    """Returns line, content and whether it is a help text of each string literal of C++, or of TypeScript (`script`)."""
    tokens = [one for one in TOKEN.finditer(code) if not (one["single"] or one["template"]) or script]
    blanked = list(code)
    for one in tokens:
        blanked[one.start():one.end()] = " " * (one.end() - one.start())
    spans = help_spans(code, "".join(blanked))
    found = []
    for one in tokens:
        if one["skip"] is None:
            text = next(part for part in (one["raw"], one["text"], one["single"], one["template"]) if part is not None)
            text = re.sub(r"\$\{[^{}]*\}", "", text) if script else text  # without the expressions of a template
            found.append((code.count("\n", 0, one.start()) + 1, text, any(begin <= one.start() < end for begin, end in spans)))
    return found


def literals_of_python(code: str) -> list[tuple[int, str, bool]]:
    """Returns the same of Python, without docstrings."""
    tree = ast.parse(code)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in ("help", "description", "epilog", "usage")]
    described = {id(part) for keyword in keywords for part in ast.walk(keyword.value)}
    return [(node.lineno, node.value, id(node) in described) for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings]


def texts() -> list[tuple[str, str, int, str]]:
    """Returns area, file, line and text of everything that is read."""
    found = []
    for file in sorted({file for pattern in DOCS for file in ROOT.glob(pattern)}):
        name = str(file.relative_to(ROOT))
        found += [("docs", name, number, line) for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)]
    for file in sorted({file for pattern in CODE for file in ROOT.glob(pattern)}):
        name, code = str(file.relative_to(ROOT)), file.read_text("utf-8")
        for line, text, described in literals_of_python(code) if name.endswith(".py") else literals_of_text(code, name.endswith(".ts")):
            area = "pages" if name.startswith(PAGES) else "help" if described and name.startswith(HELP_IN) else "messages"
            found += [(area, name, line + below, part) for below, part in enumerate(text.split("\n"))]
    return found


def matches(found: list, banned: list, exemptions: list) -> tuple[list, list]:
    """Returns (area, kind, line of the report) of each match, and the exemptions that exempt nothing."""
    rules = [(re.compile(pattern, 0 if scope == "code" else re.I), scope, kind, advice) for pattern, scope, kind, advice in banned]
    used, result = set(), []
    for area, file, number, text in found:
        for rule, scope, kind, advice in rules:
            if scope != "all" and (scope == "docs") != (area == "docs"):
                continue
            for match in rule.finditer(text):
                exempt = [index for index, (name, regex, _) in enumerate(exemptions) if name == file and re.search(regex, text)]
                used.update(exempt)
                if not exempt:
                    result.append((area, kind, f"{file}:{number}: '{match.group().strip()}' ({rule.pattern}): write {advice}"))
    return result, [row for index, row in enumerate(exemptions) if index not in used]


def main(arguments: list[str]) -> int:
    result, unused = matches(texts(), read_rows("banned.tsv", 4), read_rows("language_exemptions.tsv", 3))
    ceilings, before = tomllib.loads((ROOT / CEILINGS).read_text("utf-8")), previous_ceilings(ROOT, CEILINGS)
    counts = {area: {kind: sum(one[:2] == (area, kind) for one in result) for kind in ("strict", "watch")} for area in ceilings}
    if arguments == ["--lower"]:
        rows = [f"{area} = {min(ceiling, counts[area]['strict'])}\n" for area, ceiling in ceilings.items()]
        comments = [line for line in (ROOT / CEILINGS).read_text("utf-8").splitlines(True) if line.startswith("#")]
        (ROOT / CEILINGS).write_text("".join(comments + rows), encoding="utf-8")
        return 0
    above = [area for area, ceiling in ceilings.items() if counts[area]["strict"] > ceiling]
    lines = [line for area, kind, line in result if arguments == ["--report"] or (area in above and kind == "strict")]
    lines += [f"{area}: {counts[area]['strict']} strict matches, ceiling {ceilings[area]}: rephrase them" for area in above]
    rose = [area for area in ceilings if ceilings[area] > before.get(area, ceilings[area])]
    lines += [f"{CEILINGS}: the ceiling of {area} rose from {before[area]} to {ceilings[area]}; it only falls" for area in rose]
    lines += [f"tools/language_exemptions.tsv: '{row[1]}' exempts nothing in {row[0]}; remove the row" for row in unused]
    for line in lines:
        print(line)
    for area, ceiling in ceilings.items():
        print(f"{area:9} {counts[area]['strict']:5} strict, ceiling {ceiling:5}; {counts[area]['watch']:5} on the watch list")
    return 1 if above or rose or unused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
