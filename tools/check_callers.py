#!/usr/bin/env python3
"""Reads the public headers and finds the functions and classes that nobody reaches: no caller in src, apps, studies or
tools outside the source that defines them, no example, no Python binding, and no declaration that is reached and names them.
Prints them, one line each; exit 1 if there are any. Usage: check_callers.py [ROOT]

It compares names, not overloads, and does not look into classes: a method without a caller is not found."""

import pathlib
import re
import sys

# Name -> why the script cannot see its use.
ALLOWED = {
    "parse_mesh": "read_mesh of bytes: what tests/fuzz/fuzz_mesh.cpp feeds without a file",
    "parse_csv": "read_csv of bytes: the same of fuzz_csv.cpp",
    "parse_npy": "read_npy of bytes: the same of fuzz_npy.cpp",
}

CALLERS = ("src", "apps", "studies", "python/bindings", "examples", "tools")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|' r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.S)
NAME = re.compile(r"[A-Za-z_]\w*")
TYPE = re.compile(r"^(?:template\s*<.*?>\s*)?(?:enum\s+)?(?:class|struct)\s+(?:\[\[.*?\]\]\s*|ANTAEUS_API\s+|alignas\(.*?\)\s*)*"
                  r"(\w+)\s*(?:final\s*)?(?::[^:]|\{|$)", re.S)
FUNCTION = re.compile(r"(?<![\w:~])([a-z]\w*)\s*\(")


def plain(text: str) -> str:
    """Without comments, texts and preprocessor lines."""
    text = COMMENT.sub(lambda match: '""' if match.group().startswith(('"', "R")) else " ", text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def declarations(text: str) -> list[str]:
    """What stands in namespaces, each with its body."""
    found, start, depth, at = [], 0, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == "{":
            if depth == 0 and re.fullmatch(r"\s*(?:inline\s+)?namespace\s*[\w:]*\s*|\s*extern\s*\"\"\s*", text[start:at]):
                start = at + 1
            else:
                depth += 1
        elif letter == "}":
            if depth == 0:
                start = at + 1  # the end of a namespace
            else:
                depth -= 1
                head = text[start:at]
                # A body ends a function; after that of a class or an initialiser a semicolon follows.
                if depth == 0 and not re.match(r"\s*[;,({\[]", text[at + 1:]):
                    found.append(head + "}")
                    start = at + 1
        elif letter == ";" and depth == 0:
            found.append(text[start:at])
            start = at + 1
        at += 1
    return [declaration.strip() for declaration in found if declaration.strip()]


def name_of(declaration: str) -> str | None:
    if match := TYPE.match(declaration):
        return match.group(1) if re.search(r"\{", declaration) else None  # a forward declaration declares nothing new
    if re.match(r"using|typedef|static_assert|extern|namespace|friend", declaration):
        return None
    head = re.split(r"\{|=(?!=)", re.sub(r"^template\s*<.*?>\s*(?=[\w\[])", "", declaration, flags=re.S), maxsplit=1)[0]
    head = re.sub(r"ANTAEUS_\w+(?:\(.*?\))?|\[\[.*?\]\]|alignas\(.*?\)|requires\s*\(.*?\)", " ", head)
    match = FUNCTION.search(head)
    return match.group(1) if match and match.group(1) not in ("decltype", "operator", "noexcept", "sizeof") else None


def defines(line: str, name: str) -> bool:
    """Lines of definitions begin at the margin: "Type name(" of a function, "name::" of a class's member."""
    if line[:1] in (" ", "\t"):
        return False
    before, found, after = line.partition(name)
    return bool(found) and (after.startswith("::") or (after.lstrip().startswith("(") and not set(before) & set("(=")
                                                       and " " in before.strip() + " "))


def orphans(root: pathlib.Path) -> dict[str, list[str]]:
    """Name -> the headers that declare it."""
    homes: dict[str, list[str]] = {}
    bodies: list[tuple[str | None, set[str]]] = []
    for header in sorted((root / "include/antaeus").rglob("*.hpp")):
        for declaration in declarations(plain(header.read_text(encoding="utf-8"))):
            name = name_of(declaration)
            bodies.append((name, set(NAME.findall(declaration)) - {name}))
            if name:
                where = homes.setdefault(name, [])
                if (path := header.relative_to(root / "include").as_posix()) not in where:
                    where.append(path)
    reached: set[str] = set(ALLOWED)
    for folder in CALLERS:
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            raw = file.read_text(encoding="utf-8")
            first = re.search(r'^#include "([^"]+)"', raw, re.M)
            own = first.group(1) if folder == "src" and first and file.stem == pathlib.PurePath(first.group(1)).stem else ""
            for line in plain(raw).splitlines():
                for name in set(NAME.findall(line)) & homes.keys() - reached:
                    if own not in homes[name] and not (folder == "src" and defines(line, name)):
                        reached.add(name)
    while more := set().union(*(used for name, used in bodies if name is None or name in reached)) & homes.keys() - reached:
        reached |= more
    return {name: where for name, where in sorted(homes.items()) if name not in reached}


if __name__ == "__main__":
    project = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    alone = orphans(project)
    for entry, places in alone.items():
        print(f"{', '.join(places)}: {entry} has no caller, no example and no binding")
    print(f"public functions and classes that nobody reaches: {len(alone)}")
    sys.exit(1 if alone else 0)
