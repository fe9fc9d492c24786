#!/usr/bin/env python3
"""Fails where code compares, searches or splits the text of a message, or where a text of the library names a flag of the command line.

Decisions follow from codes, values and types: NoteCode, Error's class and parts, flags of results. Texts name inputs by arg(Input::…), which each
front end spells. `# message:` or `// message:` with a reason exempts a line.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ERROR = r"(?:error|problem|caught|reason|failure|exception)"
SEARCH = r"(?:find|rfind|starts_with|ends_with|contains|compare|substr)"
CPP = [
    rf"\bwhat\(\)[^;]*?\)?\.{SEARCH}\(",
    r"\bwhat\(\)\s*[=!]=|[=!]=\s*[\w.]*what\(\)",
    rf"\b(?:note_text|spelled)\(.*\)\.{SEARCH}\(",
    rf"\bnotes?(?:\(\))?(?:\.(?:back|front)\(\)|\[\w+\])?\.{SEARCH}\(",
    r"\bnotes\.(?:back|front)\(\)",
    rf"\bguesses\b.*\.{SEARCH}\(",
    r"\bregex_(?:search|match)\(.*(?:what|note_text)\(",
]
PYTHON = [
    rf"\bin (?:str\({ERROR}\)|{ERROR}\.args)",
    rf"\bstr\({ERROR}\)\.(?:startswith|endswith|find|partition|split\(['\"]|index)",
    rf"\bre\.\w+\(.*\bstr\({ERROR}\)",
    r"\bin (?:note\b|\" \"\.join\(.*notes|note\.text)",
    r"\b(?:note|line)\.startswith\(\(?[\"'](?:page|note|nothing)",
    r"\bnotes\[-?\d\]",
    r"\bnot any\(.* in (?:line|note) for ",
]
FLAG = re.compile(r'"(?:[^"\\]|\\.)*(?<![\w-])--[a-z](?:[^"\\]|\\.)*"')
FLAGS_IN = {  # command lines that reproduce a result, and what a file or a style sheet holds
    "src/draw/": "variables of style sheets",
    "src/check/profile_text.cpp": "a file names the command that wrote it",
    "src/robot/files/profile_writer.cpp": "a file names the command that wrote it",
    "studies/experiment.cpp": "the command of a run",
    "studies/space_flight.cpp": "the command of a run",
}
EXEMPT = {
    ("apps/antaeus/python_verbs.cpp", ""): "the protocol with the Python commands, until they are linked in",
    ("src/episode/raw_log.cpp", "log_.notes.front()"): "quoted in a message",
    ("src/check/check_raw.cpp", "log_.notes.front()"): "its code decides",
    ("apps/antaeus/commands/inject.cpp", "wrong.notes.back()"): "printed: the note that mutate() added",
    ("apps/antaeus/commands/audit.cpp", 'throw Error("--meshes"'): "quoted in a message",
    ("python/antaeus/formats/bags.py", "self.container.notes[0]"): "quoted in a message",
    ("python/antaeus/live/ready.py", "report.notes[0]"): "quoted in a message",
    ("python/antaeus/fleet/sql.py", "str(error)"): "messages of DuckDB, which gives no codes",
    ("python/antaeus/formats/convert.py", "error.args = (re.sub("): "spells convert's options for callers that have none of them",
    ("python/antaeus/formats/mapping.py", "recording.notes[:] ="): "notes of converters have no codes yet",
    ("python/antaeus/formats/writing.py", "channel.source in note"): "notes of converters have no codes yet",
}


def code(line: str) -> str:
    return re.split(r"(?<!:)//|^\s*#", line)[0]


def faults(path: pathlib.Path) -> list[str]:
    name = path.relative_to(ROOT).as_posix()
    python = path.suffix == ".py"
    rules = [re.compile(rule) for rule in (PYTHON if python else CPP)]
    is_library = name.startswith(("src/", "include/", "studies/")) and not any(name.startswith(place) for place in FLAGS_IN)
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.search(r"(?:#|//) message: \w", line) or any(name == file and part in line for file, part in EXEMPT):
            continue
        if any(rule.search(code(line)) for rule in rules):
            found.append(f"{name}:{number}: decides by the text of a message; use its code, class or parts: {line.strip()[:100]}")
        if is_library and FLAG.search(code(line)):
            found.append(f"{name}:{number}: a text names a flag of the command line; use arg(Input::…): {line.strip()[:100]}")
    return found


def main() -> int:
    folders = ("src", "include", "studies", "apps", "python")
    paths = sorted(path for folder in folders for suffix in ("*.cpp", "*.hpp", "*.py") for path in (ROOT / folder).rglob(suffix))
    lines = [line for path in paths for line in faults(path)]
    print("\n".join(lines) or f"{len(paths)} files decide by codes and types.")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
