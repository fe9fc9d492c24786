"""The picture of ik_peers.py: median and p99 of each solver on a logarithmic axis, its success beside it, as SVG in the
style of our figures."""

import html
import math
import re

PANELS = (
    ("pose6@6", "a  Poses in reach", "success"),
    ("pos3@3", "b  Positions in reach", "success"),
    ("unreach@6", "c  Poses out of reach", "within_close"),
)
SHARES = {"success": "success %", "within_close": "within 1e-3 of the closest %"}
WIDTH, LABELS, AXIS_END, BAR, BAR_WIDTH = 760, 172, 556, 580, 118  # [px]
ROW, HEAD, FOOT, LEGEND = 17, 34, 46, 30  # [px]
NAME = "ik-peers"
DOT = "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z"
SQUARE = "M-3-3h6v6h-6z"


def style_of(figure):
    """The style sheet of one of our figures: colours of light, dark and print."""
    return re.search(r"<style>.*?</style>", figure.read_text(encoding="utf-8"), re.DOTALL).group(0)


def text(x, y, words, kind="", anchor="start"):
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.5g}" y="{y:.5g}"{name}{place}>{html.escape(words)}</text>'


def mark(x, y, shape, colour):
    return f'<path class="f-{colour}" transform="translate({x:.5g} {y:.5g})" d="{shape}"/>'


def decades(rows):
    times = [row[key] for row in rows for key in ("median_us", "p99_us")]
    return math.floor(math.log10(max(min(times), 0.1))), max(1, math.ceil(math.log10(max(times))))


def shown_time(power):
    return f"{10**power:g} µs" if power < 3 else f"{10 ** (power - 3):g} ms"


def panel(rows, title, share, top, low, high):
    """Lines of SVG; the panel begins at `top`. Our own rows are green and set in bold."""
    place = lambda us: LABELS + (math.log10(max(us, 10**low)) - low) / (high - low) * (AXIS_END - LABELS)
    bottom = top + HEAD + ROW * len(rows)
    yield text(LABELS, top + 16, title, "head")
    yield text(BAR, top + 16, SHARES[share], "soft")
    grid = "".join(f"M{place(10**p):.5g} {top + HEAD - 8}V{bottom}" for p in range(low, high + 1))
    yield f'<path class="grid" d="{grid}"/>'
    for power in range(low, high + 1):
        yield text(place(10**power), bottom + 16, shown_time(power), "soft", "middle")
    for at, row in enumerate(rows):
        y = top + HEAD + ROW * (at + 0.5) - 4
        ours = row["solver"].startswith("antaeus")
        yield text(LABELS - 10, y + 4, row["solver"], "strong" if ours else "", "end")
        ends = place(row["median_us"]), place(row["p99_us"])
        colour = "green" if ours else "blue"
        yield f'<path class="line t-{colour}" stroke-width="1.6" d="M{ends[0]:.5g} {y:.5g}H{ends[1]:.5g}"/>'
        yield mark(ends[0], y, DOT, colour)
        yield mark(ends[1], y, SQUARE, "green" if ours else "vermillion")
        value = row[share]
        yield f'<rect class="band" x="{BAR}" y="{y - 6:.5g}" width="{BAR_WIDTH}" height="12"/>'
        yield (
            f'<rect class="f-{colour}" fill-opacity=".55" x="{BAR}" y="{y - 6:.5g}" '
            f'width="{BAR_WIDTH * value / 100:.5g}" height="12"/>'
        )
        yield text(BAR + BAR_WIDTH + 8, y + 4, f"{value:.1f}", "strong" if ours else "soft")


def figure(rows, style):
    """SVG of all panels that have rows."""
    panels = []
    for task, title, share in PANELS:
        of_task = [row for row in rows if row["task"] == task and share in row]
        panels.append((sorted(of_task, key=lambda row: (-row[share], row["median_us"])), title, share))
    panels = [entry for entry in panels if entry[0]]
    low, high = decades([row for entry in panels for row in entry[0]])
    height = LEGEND + sum(HEAD + ROW * len(entry[0]) + FOOT for entry in panels)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="antaeus-figure" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{NAME}-t {NAME}-d">',
        f'<title id="{NAME}-t">Inverse kinematics of several libraries on one target set</title>',
        f'<desc id="{NAME}-d">Each row is a solver: CPU time of a solve, median and 99th percentile, and how often it '
        "was right. The numbers stand in docs/validation.md.</desc>",
        style,
        f'<rect x="0" y="0" width="{WIDTH}" height="{height}" class="paper"/>',
        mark(LABELS + 4, 14, DOT, "blue"),
        text(LABELS + 14, 18, "median"),
        mark(LABELS + 84, 14, SQUARE, "vermillion"),
        text(LABELS + 94, 18, "99th percentile: CPU time of a solve, one thread"),
    ]
    top = LEGEND
    for entry, title, share in panels:
        lines += panel(entry, title, share, top, low, high)
        top += HEAD + ROW * len(entry) + FOOT
    return "\n".join([*lines, "</svg>", ""])
