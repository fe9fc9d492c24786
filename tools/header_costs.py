#!/usr/bin/env python3
"""What a public header costs the file that includes it: CPU seconds beyond those of Eigen/Core, median of several runs
that take turns with Eigen/Core, so that a busy machine slows both. Prints the dearest first, and how many cost more than
what is aimed at: 0.3 s in core, 1 s elsewhere. With --check exit 1 where one costs more than it may, CEILINGS.
Usage: header_costs.py [--check] [--runs N] [--only TEXT] BUILD_FOLDER (one that was configured)"""

import argparse
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
AIMS = {"core": 0.3, "others": 1.0}  # [s]
CEILINGS = {"core": 0.5, "others": 2.5}  # [s] no header gets dearer than the dearest were on 2026-11-24, and a quarter


def flags(build: pathlib.Path) -> list[str]:
    """Those that a user's file has: include folders, definitions and the standard, without precompiled headers."""
    entries = json.loads((build / "compile_commands.json").read_text())
    command = shlex.split(next(e["command"] for e in entries if "antaeus_prefix.dir" in e["command"]))
    kept = [word for word in command if re.match(r"-(I|D|std=)", word)]
    kept += [part for i, word in enumerate(command) if word == "-isystem" for part in (word, command[i + 1])]
    return [f"-I{ROOT / 'include'}", *kept]


def cost(compiler: str, options: list[str], text: str, folder: str) -> float:
    file = pathlib.Path(folder) / "header.cpp"
    file.write_text(text)
    before = os.times()
    # -O0 and an object: what templates cost at the end of the file counts, too.
    done = subprocess.run([compiler, *options, "-O0", "-c", str(file), "-o", "/dev/null"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{text.strip()} does not compile:\n{done.stderr}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("build", type=pathlib.Path)
    given = parser.parse_args()
    options = flags(given.build)
    compiler = os.environ.get("CXX", "c++")
    headers = sorted(str(h.relative_to(ROOT / "include")) for h in (ROOT / "include").rglob("*.hpp"))
    headers = [h for h in headers if given.only in h]
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        for header in headers:
            differences = []
            for _ in range(given.runs):
                base = cost(compiler, options, "#include <Eigen/Core>\n", folder)
                differences.append(cost(compiler, options, f'#include <Eigen/Core>\n#include "{header}"\n', folder) - base)
            costs[header] = statistics.median(differences)
    over_aim, over_ceiling = 0, 0
    for header, seconds in sorted(costs.items(), key=lambda item: -item[1]):
        kind = "core" if header.startswith("antaeus/core/") else "others"
        over_aim += seconds > AIMS[kind]
        over_ceiling += seconds > CEILINGS[kind]
        if not given.check or seconds > CEILINGS[kind]:
            print(f"{seconds:6.2f} s  {header}{'  over ' + str(AIMS[kind]) + ' s' if seconds > AIMS[kind] else ''}")
    print(f"{len(headers)} headers: {over_aim} cost more than is aimed at ({AIMS['core']} s in core, {AIMS['others']} s "
          f"elsewhere, beyond Eigen/Core), {over_ceiling} more than they may ({CEILINGS['core']} s, {CEILINGS['others']} s)")
    return 1 if given.check and over_ceiling else 0


if __name__ == "__main__":
    sys.exit(main())
