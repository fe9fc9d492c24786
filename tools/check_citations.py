#!/usr/bin/env python3
"""Every document that the tree names is in the tree, and no test gives a ticket as its reason.

    tools/check_citations.py

Reads every tracked text file of src, include, apps, studies, python, tests, benchmarks, tools, examples, robots, viewer and docs, and
the pages of the root. Three things count:
- `name.md` or a relative link to it: found beside the file, from the root, or under docs/; its #anchor must be a heading
  of that page, or an id in it;
- on a page: every link `](path#anchor)` that is no address: the file or folder is there, seen from the page, and the anchor on it;
- in tests and tools: "the issue's bar" and the like. A tolerance's reason is what rounds, or what a user needs.
Prints the number of offences and exits 1 where there is one.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "apps", "studies", "python", "tests", "benchmarks", "tools", "examples", "robots", "viewer", "docs")
NAMED = re.compile(r"(?<![\w/}*<>%.-])((?:[\w.-]+/|\.\./)*[\w.-]+\.md)\b(?:#([\w-]+))?")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
TICKET = re.compile(r"\b[Ii]ssues?(?:'s?)?\b(?! thread)")
# Written or read by the program that names them, no page of ours.
MADE = {"page.md", "peers.md", "table.md", "mistakes.md", "experiments.md", "robots.md", "published_report_vs_data.md"}
ELSEWHERE = re.compile(r"knowledge/|\.\./shared/\w+\.md|sources/\d{3}_")


def tracked():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def anchors(text):
    """Ids of a page: GitHub's of its headings, and those that it sets itself."""
    found = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def main():
    files = tracked()
    pages = {name for name in files if name.endswith(".md")}
    known = {name: anchors((ROOT / name).read_text("utf-8")) for name in pages}
    offences = []
    for name in files:
        if not (name.startswith(tuple(folder + "/" for folder in FOLDERS)) or ("/" not in name and name.endswith(".md"))):
            continue
        if name == "tools/check_citations.py":
            continue
        try:
            text = (ROOT / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        here = pathlib.PurePosixPath(name).parent
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{name}:{number}: "
            for wanted, anchor in NAMED.findall(line):
                if pathlib.PurePosixPath(wanted).name in MADE:
                    continue
                places = [str(here / wanted), wanted, "docs/" + wanted]
                page = next((p for p in map(normal, places) if p in pages), None)
                if page is None:
                    offences.append(where + wanted + " is not in the tree")
                elif anchor and anchor not in known[page]:
                    offences.append(where + f"{page} has no heading or id '{anchor}'")
            if ELSEWHERE.search(line):
                offences.append(where + "names a folder that users do not have")
            if name.startswith(("tests/", "tools/")) and TICKET.search(line):
                offences.append(where + "a ticket is no reason")
        if name.endswith(".md"):
            offences += [f"{name}: {wrong}" for wrong in dead_links(name, text, known)]
    for offence in offences:
        print(offence)
    print(f"{len(offences)} citations of what is not in the tree")
    return 1 if offences else 0


def dead_links(name, text, known):
    """Links of a page that lead nowhere; what stands in code is none. Pages by name are judged above."""
    for link in LINK.findall(CODE.sub("", text)):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or "@@" in link:
            continue
        page = normal(str(pathlib.PurePosixPath(name).parent / path)) if path else name
        if not (ROOT / page).exists():
            yield f"the link {link} leads to no file"
        elif anchor and anchor not in known.get(page, ()):
            yield f"the link {link} leads to no heading or id"


def normal(path):
    parts = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


if __name__ == "__main__":
    sys.exit(main())
