"""Tables of docs/reference/schemas.md, read as a user reads them."""

import re

from command_line import ROOT

SCHEMAS = ROOT / "docs/reference/schemas.md"


def section(title):
    """The text below a heading of the second level."""
    begin = f"\n## {title}\n"
    text = SCHEMAS.read_text("utf-8")
    assert begin in text, title
    return text.partition(begin)[2].partition("\n## ")[0]


def first_cells(title, heading):
    """The names in the first cells of the tables whose first heading is as given."""
    names, inside = [], False
    for line in section(title).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) < 3:
            inside = False
        elif cells[1] == heading:
            inside = True
        elif inside:
            names += re.findall(r"`([^`]+)`", cells[1])
    return names


def keys(title):
    """Full paths of the keys of a JSON file. A bold row names the object of the rows below it, or "as" which other object it is."""
    paths, copies, before = [], {}, ""
    for line in section(title).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) < 3:
            before = ""
        elif found := re.fullmatch(r"\*\*`([^`]+)`\*\*", cells[1]):
            before = found[1] + "."
            if like := re.fullmatch(r"as `([^`]+)`", cells[-2]):
                copies[found[1]] = like[1]
        elif len(cells) == 5 and (found := re.fullmatch(r"`([^`]+)`", cells[1])):
            paths.append(before + found[1])
    return paths + [copy + path.removeprefix(first) for copy, first in copies.items() for path in paths if path.startswith(first + ".")]
