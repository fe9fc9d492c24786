"""The table of a run: Parquet, Markdown, a page."""

import html
import json
import math
import pathlib

import numpy as np
import one
import pyarrow as pa
import pyarrow.parquet as pq

LIES, LARGE_LIE = 0.02, 10.0  # share of samples, [N]: what is called a lie in the list above the table


def percent(value, digits=1):
    return "–" if value is None or math.isnan(value) else f"{100 * value:.{digits}f}"


def newtons(value, digits=1):
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def alarms(row):
    if not row["free_hours"] > 0:
        return "–"
    return f"{row['alarms_per_hour']:.0f} ({row['alarms_low']:.0f}–{row['alarms_high']:.0f})"


def listed(row):
    return row["listed"] if row["listed"] == "–" else f"{row['listed']}, {row['offset_Nm']:.2g} of {row['detectable_Nm']:.2g} N·m"


COLUMNS = (
    ("robot", lambda r: r["robot"]),
    ("min", lambda r: f"{r['minutes']:.2g}"),
    ("ok / degraded / refused %", lambda r: " / ".join(percent(r[k], 0) for k in ("ok", "degraded", "refused"))),
    ("RMSE; worst; bias N", lambda r: "; ".join(newtons(r[k]) for k in ("rmse_N", "worst_N", "bias_N"))),
    ("covered: components (95 %); ellipsoid %", lambda r: "–; –" if math.isnan(r["coverage"]) else
     f"{percent(r['coverage'])} ({percent(r['coverage_low'], 0)}–{percent(r['coverage_high'], 0)}); {percent(r['ellipsoid'])}"),
    ("NEES", lambda r: newtons(r["nees"])),
    ("phantom rms; max N", lambda r: f"{newtons(r['phantom_rms_N'])}; {newtons(r['phantom_max_N'])}"),
    ("**lies** %; largest N", lambda r: f"{percent(r['lies'], 2)}; {newtons(r['largest_lie_N'])}"),
    ("of steady forces %; N", lambda r: f"{percent(r['steady_lies'], 2)}; {newtons(r['largest_steady_lie_N'])}"),
    ("pushes seen %; delay ms", lambda r: f"{percent(r['seen'], 0)}; {newtons(r['delay_ms'], 0)}"),
    ("refusals / h (95 %)", alarms),
    ("AUC; true, false above 10 N %", lambda r: f"{newtons(r['auc'], 3)}; {percent(r['roc_true_10N'], 0)}, "
     f"{percent(r['roc_false_10N'], 1)}"),
    ("listed before", listed),
)  # fmt: skip


def is_lie(row):
    return row["lies"] > LIES or row["largest_lie_N"] > LARGE_LIE


def lies_first(rows):
    """Lines of "what is still a lie"."""
    lying = sorted((row for row in rows if is_lie(row)), key=lambda row: -row["lies"])
    excused = [row for row in lying if row["listed"] == "undetectable"]
    lines = [f"{len(lying)} of {len(rows)} rows lie in more than {100 * LIES:.0f} % of their samples or by more than "
             f"{LARGE_LIE:.0f} N; {len(excused)} of them were listed as undetectable before the run.", "",
             "| scenario | robot | lies % | largest N | of steady forces %; N | listed before |", "|---|---|---|---|---|---|"]
    lines += [f"| {row['title']} (`{row['scenario']}`) | {row['robot']} | {percent(row['lies'], 2)} | "
              f"{newtons(row['largest_lie_N'])} | {percent(row['steady_lies'], 2)}; {newtons(row['largest_steady_lie_N'])} | "
              f"{listed(row)} |" for row in lying]  # fmt: skip
    return "\n".join(lines) + "\n"


def markdown(result):
    lines, names = [], list(dict.fromkeys(row["scenario"] for row in result["rows"]))
    shown = COLUMNS if not any("tuned" in row for row in result["rows"]) else (
        *COLUMNS, ("tuned half: RMSE N; covered %; lies %; N", tuned))  # fmt: skip
    lines.append("| scenario | " + " | ".join(name for name, _ in shown) + " |")
    lines.append("|---" * (len(shown) + 1) + "|")
    for name in names:
        for at, row in enumerate(r for r in result["rows"] if r["scenario"] == name):
            first = f"{row['title']} (`{name}`)" if at == 0 else ""
            lines.append(f"| {first} | " + " | ".join(show(row) for _, show in shown) + " |")
    lines.append("")
    if result["policy"]:
        lines += ["**In the loop.** When the policy drives a joint beyond its speed or effort limit for 50 ms:", "",
                  "| scenario | robot | seed | deployed estimate: diverges; largest N | guarded estimate: diverges; largest N |",
                  "|---|---|---|---|---|"]  # fmt: skip
        said = lambda one: f"{'no' if one['diverged_s'] is None else format(one['diverged_s'], '.2f') + ' s'}; {one['largest_N']:.0f}"
        lines += [f"| `{p['scenario']}` | {p['robot']} | {p['seed']} | {said(p['deployed'])} | {said(p['guarded'])} |"
                  for p in result["policy"]]  # fmt: skip
        lines.append("")
    faulty = [row for row in result["rows"] if row["listed"] != "–"]
    if faulty:
        lines += ["**The reliability numbers against the tests.** Of torque offsets: power of one row's test by those numbers, and the share "
                  "of samples in which a test of the estimator alarms:", "",
                  "| scenario | robot | listed before | power % | samples with an alarm % | ok % |", "|---|---|---|---|---|---|"]  # fmt: skip
        lines += [f"| `{row['scenario']}` | {row['robot']} | {listed(row)} | {percent(row['power'], 0)} | "
                  f"{percent(row['test_alarms'], 0)} | {percent(row['ok'], 0)} |" for row in faulty]  # fmt: skip
        lines.append("")
    if result["controllers"]:
        lines += ["**Another controller, the same sensors.** Coverage of components in % (95 % interval):", "",
                  "| robot | 4 Hz (`swinging`) | 2 Hz (`loop_soft`) | 8 Hz (`loop_stiff`) | intervals meet |", "|---|---|---|---|---|"]
        for c in result["controllers"]:
            lines.append(f"| {c['robot']} | " + " | ".join(
                f"{percent(a)} ({percent(b)}–{percent(d)})" for a, b, d in c["coverage"]) + f" | {'yes' if c['meet'] else '**no**'} |")
        lines.append("")
    lines += [f"- {what}: left out, {why}." for what, why in result["left_out"]]
    lines += ["", f"Written by `{result['command']}`: seeds {', '.join(map(str, result['seeds']))}, antaeus "
              f"{result['antaeus']}, MuJoCo {result['mujoco']}; {result['cpu_s'] / 60:.0f} minutes of CPU."]
    return "\n".join(lines) + "\n"


def tuned(row):
    t = row.get("tuned")
    return "–" if not t else (f"{newtons(t['rmse_N'])}; {percent(t['coverage'])}; {percent(t['lies'], 2)}; "
                              f"{newtons(t['largest_lie_N'])}")  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- files


def write_parquet(rows, file):
    flat = [{**{k: v for k, v in row.items() if k not in ("tuned", "reasons")},
             **{f"tuned_{k}": v for k, v in (row.get("tuned") or {}).items()}} for row in rows]  # fmt: skip
    names = list(dict.fromkeys(name for row in flat for name in row))
    table = pa.table({name: [row.get(name) for row in flat] for name in names})
    one.write_whole(file, lambda path: pq.write_table(table, path))


STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:110em;padding:0 1.5em;color:#222;background:#fff}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.25em .6em;border-bottom:1px solid #ddd;
text-align:left;vertical-align:top}td+td{white-space:nowrap}th{position:sticky;top:0;background:#f4f4f2;cursor:pointer}tr.lie td{background:#fdeceb}
tr.undetectable td{background:#fdf6e3}code{color:#555}.scroll{overflow-x:auto}svg{background:#fafaf8;border:1px solid #ddd}
input{font:inherit;padding:.3em .5em;width:24em}figure{margin:1.2em 0}figcaption{max-width:70em}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th{background:#262626}td,th{border-color:#3a3a3a}
tr.lie td{background:#4a2422}tr.undetectable td{background:#44391a}svg{background:#202020;border-color:#3a3a3a}code{color:#aaa}}
"""
SCRIPT = """
const f=document.getElementById('find'),t=document.getElementById('all');
f.oninput=()=>{for(const r of t.tBodies[0].rows)r.hidden=!r.textContent.toLowerCase().includes(f.value.toLowerCase())};
[...t.tHead.rows[0].cells].forEach((h,i)=>h.onclick=()=>{const d=h.dataset.d=-(h.dataset.d||-1);
const k=r=>{const x=parseFloat(r.cells[i].textContent);return isNaN(x)?r.cells[i].textContent:x};
[...t.tBodies[0].rows].sort((a,b)=>{const p=k(a),q=k(b);return d*(p>q?1:p<q?-1:0)}).forEach(r=>t.tBodies[0].append(r))});
"""


def drawing(trace, width=900, height=130):
    """The three components over time: truth, estimate with 1.96 sd, what the consumer reads; below, the state."""
    time = trace["time"]
    if len(time) < 2:
        return ""
    x = lambda t: 45 + (width - 55) * (t - time[0]) / (time[-1] - time[0])
    sizes = abs(np.concatenate([trace[name].ravel() for name in ("truth", "force", "read")]))
    top = 1.15 * max(5.0, float(sizes[np.isfinite(sizes)].max(initial=0.0)))
    rows = []
    for k, axis in enumerate("xyz"):
        y = lambda v, k=k: height * (k + 0.5) - (height / 2 - 4) * max(-1.0, min(1.0, v / top))
        band = [i for i in range(len(time)) if math.isfinite(trace["force"][i, k]) and math.isfinite(trace["sd"][i, k])]
        edge = lambda s, k=k, y=y, band=band: [
            f"{x(time[i]):.1f},{y(trace['force'][i, k] + s * 1.96 * trace['sd'][i, k]):.1f}" for i in band]  # fmt: skip
        rows.append(f'<line x1="45" x2="{width - 10}" y1="{y(0):.1f}" y2="{y(0):.1f}" stroke="#999" stroke-width=".5"/>')
        rows.append(f'<polygon points="{" ".join(edge(1) + edge(-1)[::-1])}" fill="#4a7fb5" opacity=".25"/>')
        for name, colour, wide in (("force", "#2b5d8c", 1.0), ("read", "#3a9d6e", 1.2), ("truth", "#d1495b", 1.6)):
            points = " ".join(f"{x(time[i]):.1f},{y(float(trace[name][i, k])):.1f}" for i in range(len(time))
                              if math.isfinite(trace[name][i, k]))  # fmt: skip
            rows.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{wide}"/>')
        rows.append(f'<text x="4" y="{height * k + 15}" font-size="12" fill="currentColor">F{axis}, ±{top:.0f} N</text>')
    for state, colour in ((0, "#3a9d6e"), (1, "#e0a100"), (2, "#d1495b")):
        rows += [f'<rect x="{x(time[i]):.1f}" y="{3 * height + 2}" width="{(width - 55) / len(time) + .5:.1f}" height="8" '
                 f'fill="{colour}"/>' for i in range(len(time)) if trace["state"][i] == state]  # fmt: skip
    rows += [f'<text x="{x(t):.0f}" y="{3 * height + 24}" font-size="11" fill="currentColor" text-anchor="middle">{t} s</text>'
             for t in range(math.ceil(time[0]), int(time[-1]) + 1)]  # fmt: skip
    return f'<svg viewBox="0 0 {width} {3 * height + 28}" width="{width}" role="img">{"".join(rows)}</svg>'


def page(result, traces):
    """traces: (row, trace) of those that are drawn."""
    word = lambda text: html.escape(str(text)).replace("**", "")
    head = "".join(f"<th>{word(name)}</th>" for name in ("scenario", *(name for name, _ in COLUMNS)))
    body = "".join(
        f'<tr class="{"undetectable" if is_lie(row) and row["listed"] == "undetectable" else "lie" if is_lie(row) else ""}">'
        f'<td>{word(row["title"])} <code>{word(row["scenario"])}</code></td>'
        + "".join(f"<td>{word(show(row))}</td>" for _, show in COLUMNS) + "</tr>" for row in result["rows"])  # fmt: skip
    lying = [row for row in result["rows"] if is_lie(row)]
    figures = "".join(
        f"<figure><figcaption><b>{word(row['title'])}</b>, {word(row['robot'])}: lies {percent(row['lies'], 2)} %, largest "
        f"{newtons(row['largest_lie_N'])} N; reasons given: {word(', '.join(row['reasons']) or 'none')}</figcaption>{drawing(trace)}"
        "</figure>" for row, trace in traces)  # fmt: skip
    rest = "".join(f"<li>{word(what)}: left out, {word(why)}.</li>" for what, why in result["left_out"])
    policy = "".join(f"<tr><td>{word(p['scenario'])}<td>{word(p['robot'])}<td>{p['seed']}" + "".join(
        f"<td>{'no' if p[k]['diverged_s'] is None else format(p[k]['diverged_s'], '.2f') + ' s'}; {p[k]['largest_N']:.0f} N"
        for k in ("deployed", "guarded")) + "</tr>" for p in result["policy"])  # fmt: skip
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Where the estimator lies</title><style>{STYLE}</style>"
        f"<h1>Where the guarded estimator lies</h1><p>Simulation in MuJoCo against the truth, and real logs. "
        f"{len(lying)} of {len(result['rows'])} rows lie in more than {100 * LIES:.0f} % of their samples or by more than "
        f"{LARGE_LIE:.0f} N (red; yellow: listed as undetectable before the run). A lie: state <code>ok</code>, truth outside "
        f"the 95 % ellipsoid and more than 5 N off in the directions of sd up to 12 N. Columns: benchmarks/truth/README.md.</p>"
        f"<p>{word(result['command'])}; seeds {word(', '.join(map(str, result['seeds'])))}; antaeus {word(result['antaeus'])}; "
        f"MuJoCo {word(result['mujoco'])}.</p><p><input id=find placeholder='filter rows: robot, scenario, undetectable …'></p>"
        f"<div class=scroll><table id=all><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        + (f"<h2>In the loop</h2><table><tr><th>scenario<th>robot<th>seed<th>deployed: diverges; largest<th>guarded</tr>{policy}</table>"
           if policy else "")
        + f"<h2>The largest lies</h2><p>Red: the true force at the endpoint; blue: the posterior with 1.96 sd; green: what the "
        f"consumer reads; below: the state (green ok, yellow degraded, red refused). One run of the row, the endpoint with "
        f"the largest error.</p>{figures}<h2>Left out</h2><ul>{rest}</ul><script>{SCRIPT}</script></html>\n"
    )  # fmt: skip


def clean(value):
    """JSON has no NaN."""
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_json(result):
    return json.dumps(clean(result), indent=1, ensure_ascii=False) + "\n"
