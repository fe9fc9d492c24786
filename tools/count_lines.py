#!/usr/bin/env python3
"""Counts lines and bytes by area and compares them with the committed ceilings of tools/size_ceilings.toml.

    tools/count_lines.py            print the table; exit 1 if an area exceeds its ceiling, or a ceiling rose without a reason
    tools/count_lines.py --lower    lower each ceiling to what the tree has

Ceilings only fall. To raise one, edit `lines` or `bytes` of its area and change its `reason` in the same commit.
"""

import pathlib
import re
import sys
import tomllib

from ceilings import previous_ceilings

ROOT = pathlib.Path(__file__).resolve().parent.parent
CEILINGS = ROOT / "tools/size_ceilings.toml"
# Area: folders or files, and the endings that count. A file belongs to the first area that names it.
AREAS = {
    "product C++": (("include", "src", "apps", "studies"), (".cpp", ".hpp")),
    "Python package": (("python/antaeus",), (".py",)),
    "bindings": (("python/bindings",), (".cpp", ".hpp")),
    "tests": (("tests",), (".cpp", ".hpp", ".py", ".mjs", ".txt", ".toml", ".patch")),
    "tools": (("tools", "cmake", "Makefile", "CMakeLists.txt", ".ci"), (".cpp", ".hpp", ".py", ".sh", ".cmake", ".toml", "Makefile", ".txt", "run")),
    "benchmarks": (("benchmarks",), (".cpp", ".hpp", ".py", ".txt", ".toml")),
    "viewer": (("viewer",), (".ts", ".css", ".mjs")),
    "docs": (("docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"), (".md",)),
}


def count() -> dict[str, tuple[int, int]]:
    """Returns lines and bytes of each area."""
    sizes = {}
    for area, (places, endings) in AREAS.items():
        lines = size = 0
        for place in places:
            path = ROOT / place
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.is_file() and file.name.endswith(endings) and "node_modules" not in file.parts:
                    data = file.read_bytes()
                    lines += data.count(b"\n")
                    size += len(data)
        sizes[area] = (lines, size)
    return sizes


def offences(sizes: dict, ceilings: dict, previous: dict) -> list[str]:
    """Returns one line per area that exceeds its ceiling or whose ceiling rose without a new reason."""
    found = []
    for area, counted in sizes.items():
        ceiling, before = ceilings.get(area), previous.get(area, {})
        if ceiling is None:
            found.append(f"{area}: missing in {CEILINGS.name}")
            continue
        for unit, number in zip(("lines", "bytes"), counted):
            if number > ceiling[unit]:
                found.append(f"{area}: {number} {unit}, ceiling {ceiling[unit]}; remove what is redundant, or raise the ceiling with a reason")
            if ceiling[unit] > before.get(unit, ceiling[unit]) and ceiling.get("reason", "") in ("", before.get("reason")):
                found.append(f"{area}: the ceiling of {unit} rose from {before[unit]} to {ceiling[unit]} without a new `reason`")
    return found


def lower(sizes: dict, ceilings: dict) -> None:
    """Rewrites each number of the file that exceeds what the tree has."""
    text = CEILINGS.read_text(encoding="utf-8")
    for area, counted in sizes.items():
        for unit, number in zip(("lines", "bytes"), counted):
            if area in ceilings and ceilings[area][unit] > number:
                text = re.sub(rf'(\["?{re.escape(area)}"?\]\n(?:.*\n)*?{unit} = )\d+', rf"\g<1>{number}", text, count=1)
    CEILINGS.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    sizes = count()
    ceilings = tomllib.loads(CEILINGS.read_text(encoding="utf-8"))
    if arguments == ["--lower"]:
        lower(sizes, ceilings)
        return 0
    print(f"{'area':16} {'lines':>8} {'ceiling':>8} {'bytes':>10} {'ceiling':>10}")
    for area, (lines, size) in sizes.items():
        ceiling = ceilings.get(area, {})
        print(f"{area:16} {lines:8} {ceiling.get('lines', '-'):>8} {size:10} {ceiling.get('bytes', '-'):>10}")
    found = offences(sizes, ceilings, previous_ceilings(ROOT, "tools/size_ceilings.toml"))
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
