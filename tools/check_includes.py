#!/usr/bin/env python3
"""Reads every #include against the layer table: an include may only point to a lower layer, a module of one layer
never includes another, and each third party stays behind its wall. No file is too long, no room too large. Exit 1 with
one line an offence. Usage: check_includes.py [--shares] [ROOT]; --shares prints the rooms' lines, largest first."""

import pathlib
import re
import sys

LAYERS = {
    "core": 0,
    "numerics": 1, "signal": 1, "io": 1,
    "robot": 2, "draw": 2,
    "estimation": 3, "episode": 3, "contact": 3, "ik": 3, "tasks": 3, "space": 3,
    "trust": 4, "control": 4, "sim": 4, "replay": 4,
    "pose": 5, "identification": 5,
    "audit": 6,
    "report": 7,
}
OUTSIDE = {"studies": 8, "apps": 9}
# Third party -> the source folders that may include it. Public headers may include none of them.
WALLS = {
    "pinocchio": ["robot"], "coal": ["robot"], "tinyxml2": ["robot"], "toml": ["robot"],
    "mujoco": ["sim"],
    "nlohmann": [], "arrow": ["io"], "parquet": ["io"], "zlib": ["io"], "assimp": ["io"],
    "CLI": ["apps"], "nanobind": ["python"],
}
LONGEST_HEADER, LONGEST_SOURCE = 300, 600
LARGEST_ROOM = 0.12  # of the lines of all rooms, apps and bindings
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def module_of(path: pathlib.PurePath) -> str:
    parts = path.parts
    if parts[0] == "include":
        return parts[2]
    return parts[1] if parts[0] == "src" else parts[0]


def lines_of_rooms(root: pathlib.Path) -> dict[str, int]:
    """A room is include/antaeus/<room> and src/<room>; apps and the Python bindings count as one each."""
    lines: dict[str, int] = {}
    for folder in ("include/antaeus", "src", "studies", "apps", "python/bindings"):
        for file in (root / folder).rglob("*.[ch]pp"):
            room = module_of(file.relative_to(root))
            lines[room] = lines.get(room, 0) + len(file.read_text(encoding="utf-8").splitlines())
    return dict(sorted(lines.items(), key=lambda entry: -entry[1]))


def offences(root: pathlib.Path) -> list[str]:
    found = []
    for folder in ("include", "src", "studies", "apps"):
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            path = file.relative_to(root)
            module, public = module_of(path), path.parts[0] == "include"
            if module in LAYERS or module in OUTSIDE:
                layer = (LAYERS | OUTSIDE)[module]
            else:
                found.append(f"{path}: module '{module}' is not in the layer table")
                continue
            lines = file.read_text(encoding="utf-8").splitlines()
            limit = LONGEST_HEADER if path.suffix == ".hpp" else LONGEST_SOURCE
            if len(lines) > limit:
                found.append(f"{path}: {len(lines)} lines, more than {limit}")
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = match.group(1)
                top = re.split(r"[/+.]", target)[0]
                if target.startswith("antaeus/"):
                    other = target.split("/")[1]
                elif "/" in target and ((root / "src" / target).exists() or target.startswith("studies/")):
                    other = target.split("/")[0]
                else:
                    if top in WALLS and (public or module not in WALLS[top]):
                        found.append(f"{path}:{number}: {top} belongs behind the wall of {', '.join(WALLS[top])}")
                    elif public and "/" in target and top not in ("Eigen",):
                        found.append(f"{path}:{number}: public headers include Eigen and the standard library only")
                    continue
                if other == module:
                    continue
                if (LAYERS | OUTSIDE).get(other, layer) >= layer:
                    found.append(f"{path}:{number}: {module} (layer {layer}) must not include {other}")
    rooms = lines_of_rooms(root)
    largest = LARGEST_ROOM * sum(rooms.values())
    found += [f"{room}: {lines} lines, more than {LARGEST_ROOM:.0%} of the code ({largest:.0f})"
              for room, lines in rooms.items() if lines > largest]
    return found


if __name__ == "__main__":
    folders = [argument for argument in sys.argv[1:] if argument != "--shares"]
    project = pathlib.Path(folders[0]) if folders else pathlib.Path(__file__).resolve().parent.parent
    if "--shares" in sys.argv:
        shares = lines_of_rooms(project)
        for name, count in shares.items():
            print(f"{name:14}{count:7}{count / sum(shares.values()):8.1%}")
    bad = offences(project)
    print("\n".join(bad) if bad else "include rules: fine")
    sys.exit(1 if bad else 0)
