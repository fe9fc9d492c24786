#!/usr/bin/env python3
"""Runs every experiment of `antaeus simulate` and every flight of `antaeus space` and writes their figures into
build/experiments.md.
Usage: write_simulate_table.py [NAME...]; ANTAEUS_CLI names the program. `make docs-simulate` calls it."""

import json
import os
import pathlib
import subprocess
import sys

OUT = pathlib.Path(__file__).resolve().parents[1] / "build/experiments.md"
VERBS = {"simulate": "experiments", "space": "scenarios"}  # verb → key of its list
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value):
    if value is None:
        return ""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}"
    mantissa, power = f"{value:.2e}".split("e")
    return f"{float(mantissa):g}·10{str(int(power)).translate(RAISED)}"


def criterion(one):
    low, high = number(one["lower"]), number(one["upper"])
    return f"{low} to {high}" if low and high else f"≥ {low}" if low else f"≤ {high}" if high else ""


def compared(summary):
    """The runs beside the main one."""
    for comparison in summary["comparisons"]:
        yield from ["", f"{comparison['title']}. {comparison['note']}", "", "| | " + " | ".join(comparison["heads"]) + " |",
                    "|---" * (len(comparison["heads"]) + 1) + "|"]
        for variant in comparison["variants"]:
            name = f"**{variant['name']}**" if variant["is_main"] else variant["name"]
            yield "| " + " | ".join([name, *[number(value) or "–" for value in variant["values"]]]) + " |"


def section(program, verb, name):
    done = subprocess.run([program, verb, name, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{name}: {done.stderr.strip()}")
    summary = json.loads(done.stdout)
    lines = [f"## {summary['title']}", "", f"`{summary['command']}`. {summary['question']}", "",
             "| figure | value | unit | criterion | | published | meaning |", "|---|---|---|---|---|---|---|"]
    for one in summary["criteria"]:
        met = {True: "met", False: "**missed**", None: ""}[one["met"]]
        cells = [f"`{one['metric']}`", number(summary["metrics"][one["metric"]]), one["unit"], criterion(one), met,
                 number(one["source"]), one["meaning"]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    if verb == "space":  # of experiments the page of each has them, they are long
        lines += compared(summary)
    lines += ["", *[f"- {text}" for text in summary["findings"]], "", "Simulated: " + " ".join(summary["physics"]), ""]
    print(f"{name}: {'met' if summary['met'] else 'missed'}", file=sys.stderr)
    return "\n".join(lines)


def main(program, wanted):
    sections = []
    for verb, key in VERBS.items():
        listed = json.loads(subprocess.run([program, verb, "--json"], capture_output=True, text=True, check=True).stdout)
        sections += [section(program, verb, one["name"]) for one in listed[key] if not wanted or one["name"] in wanted]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("# Experiments and flights\n\n" + "\n\n".join(sections), encoding="utf-8")
    print(OUT, file=sys.stderr)


if __name__ == "__main__":
    main(os.environ.get("ANTAEUS_CLI", "build/bin/antaeus"), sys.argv[1:])
