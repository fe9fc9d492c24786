#!/usr/bin/env python3
"""Reads every #include against the table of layers: an include may only point to a lower layer, a room of one layer
never includes another, and each third party stays behind its wall. Numbers become text in one file, rooms stand in
CMakeLists.txt in the table's order, docs/architecture.md shows the table, and no room is too large. Exit 1 with one
line an offence; long files are noted. Usage: check_includes.py [--shares | --table] [ROOT]; --shares prints the rooms'
lines, largest first, --table writes the table into docs/architecture.md."""

import pathlib
import re
import sys

# Module -> its layer and its content.
ROOMS = {
    "core": (0, "shared vocabulary types: wrench, sign, pose, observation, status, verdict, reasons, estimates, options and settings, enumerations, "
        "fields of results, errors; SIMD lanes; no algorithms"),
    "numerics": (1, "linear algebra: small SVD, inverses, gains, condition numbers, Gaussian posterior, redundancy; QPs, contact margins"),
    "signal": (1, "samples over time: filters, derivatives, resampling, χ², alarm limits, CUSUM, hysteresis"),
    "io": (1, "file formats: tables, CSV, npy, npz, Parquet, JSON, meshes; files written whole or not at all"),
    "robot": (2, "description, model, dynamics, profile, settings, self-collision, the instant; `files/` reads and writes them"),
    "draw": (2, "plots and contour maps as data, their SVG, escaped HTML"),
    "estimation": (3, "residuals, posterior, filter, contact-free projection; limbs and endpoints of a description; `published/`: the deployed "
        "and the stacked estimator and their guards"),
    "episode": (3, "loading and checking logs, raw logs of any robot, smoothing, synthetic episodes"),
    "contact": (3, "inverse dynamics through contacts, per frame or over time, with limits"),
    "ik": (3, "joint positions for a pose of a frame, or what prevents it"),
    "tasks": (3, "several motions at once, by priority"),
    "space": (3, "a free base with one arm: coordinated map, dynamics and control"),
    "trust": (4, "whether an estimate may be used: reliability, feasibility, causes, the consumer guard, the single-frame estimator, the flight recorder"),
    "check": (4, "whether a log agrees with its profile: units, clocks, order and sign of channels, by evidence; profiles of third-party robots"),
    "control": (4, "controllers: impedance, admittance, hybrid force and position, with and without a force sensor"),
    "sim": (4, "scenes, plants and flights in MuJoCo"),
    "replay": (4, "many states at once: a SIMD kernel on all cores, with the loop’s verdicts"),
    "live": (5, "a running robot: messages of its drivers, order and clocks of a stream, the guarded estimator on its own thread"),
    "pose": (5, "observability of a pose: pose quality, pre-flight, advice, maps"),
    "identification": (5, "noise, friction and inertia from logs: `held`, `moving`, `unlabelled`, one method each"),
    "audit": (6, "what happened in a log: reconstruction, events, counterfactuals, verdict, as plain structs"),
    "report": (7, "pages as data, and their HTML; no algorithms"),
}
LAYERS = {room: layer for room, (layer, _) in ROOMS.items()}
OUTSIDE = {"studies": 8, "apps": 9}
# Third party -> the source folders that may include it. Public headers may include none of them.
WALLS = {
    "pinocchio": ["robot"], "coal": ["robot"], "tinyxml2": ["robot", "io"], "toml": ["robot"],
    "mujoco": ["sim"],
    "nlohmann": [], "arrow": ["io"], "parquet": ["io"], "zlib": ["io"], "assimp": ["io"],
    "CLI": ["apps"], "nanobind": ["python"],
}
LONGEST_HEADER, LONGEST_SOURCE = 400, 600  # wishes
MOST_ROOMS, LARGEST_ROOM = 22, 7200  # lines of include/antaeus/<room> and src/<room>
NUMBER_AS_TEXT = re.compile(r'\bto_chars\(|printf\([^;]*"[^"]*%[-+0-9.*]*[aefg]')
NUMBERS_AS_TEXT = "src/core/number_text.cpp"
BEGIN, END = "<!-- layers -->\n", "<!-- /layers -->"
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


def table() -> str:
    rows = [f"| {layer} | {room} | {question} |\n" for room, (layer, question) in ROOMS.items()]
    return "| layer | module | content |\n|---|---|---|\n" + "".join(rows)


def with_table(page: str) -> str:
    """The page with the table between its markers."""
    return page[: page.index(BEGIN) + len(BEGIN)] + table() + page[page.index(END):]


def rooms_of_build(root: pathlib.Path) -> list[str]:
    """The library's rooms in the order in which CMakeLists.txt first names them."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return [room for room in re.findall(r"^antaeus_module\((\w+)", text, re.M) if room in ROOMS]


def long_files(root: pathlib.Path) -> list[str]:
    notes = []
    for folder in ("include", "src", "studies", "apps"):
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            lines = len(file.read_text(encoding="utf-8").splitlines())
            wish = LONGEST_HEADER if file.suffix == ".hpp" else LONGEST_SOURCE
            if lines > wish:
                notes.append(f"note: {file.relative_to(root)}: {lines} lines, more than {wish}")
    return notes


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
            for number, line in enumerate(lines, 1):
                if NUMBER_AS_TEXT.search(line) and str(path) != NUMBERS_AS_TEXT:
                    found.append(f"{path}:{number}: numbers become text in {NUMBERS_AS_TEXT}")
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
    rooms = {room: lines for room, lines in lines_of_rooms(root).items() if room in ROOMS}
    found += [f"{room}: {lines} lines, more than {LARGEST_ROOM}" for room, lines in rooms.items() if lines > LARGEST_ROOM]
    if len(ROOMS) > MOST_ROOMS:
        found.append(f"{len(ROOMS)} rooms, more than {MOST_ROOMS}")
    if rooms_of_build(root) != list(ROOMS):
        found.append(f"CMakeLists.txt: the rooms' order is {' '.join(ROOMS)}")
    page = (root / "docs/architecture.md").read_text(encoding="utf-8")
    if with_table(page) != page:
        found.append("docs/architecture.md: its table of layers is another; run tools/check_includes.py --table")
    return found


if __name__ == "__main__":
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    project = pathlib.Path(folders[0]) if folders else pathlib.Path(__file__).resolve().parent.parent
    if "--shares" in sys.argv:
        shares = lines_of_rooms(project)
        for name, count in shares.items():
            print(f"{name:14}{count:7}{count / sum(shares.values()):8.1%}")
    if "--table" in sys.argv:
        page = project / "docs/architecture.md"
        page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")
    bad = offences(project)
    print("\n".join(long_files(project) + (bad or ["include rules: fine"])))
    sys.exit(1 if bad else 0)
