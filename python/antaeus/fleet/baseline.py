"""`antaeus fleet check`: has a fleet got worse than its baseline? For a nightly job or a CI, which read the exit code.

The rules, each of a robot and of each unit of it (against all units where the baseline does not know that one):

- **alarms**: the rate is worse where the ratio's interval at `--sigmas` leaves out 1.25, with Poisson widened by the scatter over logs.
- **refused**: the share of refused time, as the mean over logs; worse where it rose by more than 0.02 and `--sigmas` of its sd over logs.
- **coverage**: of zero while nothing touched, as the mean over logs; worse where it fell by more than 0.02 and `--sigmas` of its sd.
- **offset, coulomb, viscous, noise** of a joint: the median over days; changed (noise: grown) where it moved by more than `--sigmas` sd, and
  by more than a twentieth of what it was. The sd of one side is the larger of its scatter over days and the sd that logs state,
  over the root of the number of days: logs of a day are alike, however many there are.

A few logs do not know their scatter: of fewer than ten days (or logs) the larger of both sides' counts, and a share of fewer than three must
also be worse than that of every log of the baseline.
"""

import json
import math
import pathlib
import typing
from collections.abc import Mapping, Sequence

from antaeus import _antaeus
from antaeus._terminal import say
from antaeus.fleet import plans, sql
from antaeus.formats import ownership
from antaeus.formats.recording import FormatError, UnreadableError

Row = Mapping[str, typing.Any]

SCHEMA = "antaeus.fleet.baseline/1"
SIGMAS = 4.0  # of a hundred joints with four figures each, one in forty nights is then a false alarm
_LEAST_RATIO, _LEAST_SHARE, _LEAST_MOVE = 1.25, 0.02, 0.05
_FEW, _MANY = 3, 10  # logs or days whose scatter is not known, and is known by themselves
_OF_A_MEDIAN = 1.2533  # its sd over that of a mean

_ROBOTS = """
SELECT robot, {unit} AS unit, count(*) AS logs, sum(hours) AS hours, sum(alarms)::BIGINT AS alarms,
       dispersion(sum(alarms), sum(hours), sum(alarms::DOUBLE * alarms / hours), count(*)) AS dispersion,
       avg(refused_share) AS refused, stddev_samp(refused_share) AS refused_sd, count(refused_share) AS refused_logs,
       max(refused_share) AS refused_worst,
       avg(untouched_covered) FILTER (untouched_s >= 1) AS coverage,
       stddev_samp(untouched_covered) FILTER (untouched_s >= 1) AS coverage_sd,
       count(untouched_covered) FILTER (untouched_s >= 1) AS coverage_logs,
       min(untouched_covered) FILTER (untouched_s >= 1) AS coverage_worst
FROM logs WHERE {where} GROUP BY ALL ORDER BY ALL"""
_JOINTS = """
WITH of_a_day AS (
  SELECT l.robot, {unit} AS unit, j.joint, figure.quantity, coalesce(l.day::VARCHAR, l.id) AS day,
         median(figure.value)::DOUBLE AS value, coalesce(median(figure.sd), 0.0)::DOUBLE AS sd
  FROM joints j JOIN logs l USING (id),
       unnest([{{quantity: 'offset', value: j.offset, sd: j.offset_sd}}, {{quantity: 'coulomb', value: j.coulomb, sd: j.coulomb_sd}},
               {{quantity: 'viscous', value: j.viscous, sd: j.viscous_sd}}, {{quantity: 'noise', value: j.noise, sd: 0.0}}]) AS f(figure)
  WHERE isfinite(figure.value) AND {where} GROUP BY ALL)
SELECT robot, unit, joint, quantity, count(*) AS days, median(value) AS value, scatter(list(value), 1) AS scatter, median(sd) AS stated
FROM of_a_day GROUP BY ALL ORDER BY ALL"""
_SPLITS = ({"unit": "''", "where": "true"}, {"unit": "unit", "where": "unit <> ''"})  # of all units of a robot, and of each


def numbers_of(tables: sql.Tables) -> dict[str, typing.Any]:
    """What is compared, of a folder: what baseline.json holds."""
    found = {name: [sql.plain(row) for split in _SPLITS for row in tables.records(text.format(**split))]
             for name, text in (("robots", _ROBOTS), ("joints", _JOINTS))}
    if not found["robots"]:
        raise FormatError(tables.folder, "no log of it gave a result", "see antaeus fleet report")
    return {"schema": SCHEMA, "version": _antaeus.__version__, **found}


def read(path: pathlib.Path) -> dict[str, typing.Any]:
    """A baseline: a fleet's folder, or the file that --write made. FormatError for anything else."""
    if path.is_dir():
        return numbers_of(sql.Tables(path))
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableError(path, f"cannot be read ({error.strerror})", "give a fleet's folder, or the file of --write") from None
    except ValueError:
        raise FormatError(path, "is no JSON", "give a fleet's folder, or the file of --write") from None
    if not isinstance(held, dict) or held.get("schema") != SCHEMA:
        raise FormatError(path, f"is no baseline (its schema is not {SCHEMA})", "make it: antaeus fleet check DIR --write FILE")
    if not all(isinstance(held.get(name), list) and all(isinstance(row, dict) and needed <= row.keys() for row in held[name])
               for name, needed in (("robots", {"robot", "unit", "alarms", "hours", "refused_worst", "coverage_worst"}), ("joints", {"robot", "unit", "joint", "value", "days"}))):
        raise FormatError(path, "is a baseline with rows missing", "make it again: antaeus fleet check DIR --write FILE")
    return held


def _key(row: Row, *more: str) -> tuple[str, ...]:
    return tuple(row[name] for name in ("robot", "unit", *more))


def _sd_of_mean(own: float | None, count: int, other: float | None) -> float | None:
    """Of a mean over logs; None where no side has two of them."""
    known = [sd for sd in ((own,) if count >= _MANY and own is not None else (own, other)) if sd is not None]
    return max(known) / math.sqrt(count) if known and count else None


def _alarms(now: Row, before: Row, sigmas: float) -> Row | None:
    if not now["hours"] or not before["hours"]:
        return None
    rate, was = (now["alarms"] + 0.5) / now["hours"], (before["alarms"] + 0.5) / before["hours"]
    scatter = max(now["dispersion"], before["dispersion"]) if now["logs"] < _MANY else now["dispersion"]
    sd = math.sqrt(scatter / (now["alarms"] + 0.5) + before["dispersion"] / (before["alarms"] + 0.5))
    change = math.log(rate / was)
    return {"what": "alarms", "unit_of": "1/h", "now": now["alarms"] / now["hours"], "before": before["alarms"] / before["hours"],
            "sigmas": change / sd, "worse": change - sigmas * sd > math.log(_LEAST_RATIO)}


def _share(name: str, sign: float, now: Row, before: Row, sigmas: float) -> Row | None:
    """Of a share that gets worse as it rises (sign 1) or falls (−1)."""
    if now[name] is None or before[name] is None:
        return None
    own = _sd_of_mean(now[f"{name}_sd"], now[f"{name}_logs"], before[f"{name}_sd"])
    others = _sd_of_mean(before[f"{name}_sd"], before[f"{name}_logs"], now[f"{name}_sd"])
    if own is None or others is None:
        return None  # a log on each side: nothing says how much they differ by themselves
    sd, change = math.hypot(own, others), sign * (now[name] - before[name])
    # Shares of single logs have long tails: a few logs are worse where they are so than every log of the baseline, too.
    beyond = now[f"{name}_logs"] >= _FEW or sign * (now[name] - before[f"{name}_worst"]) > 0
    return {"what": name, "unit_of": "1", "now": now[name], "before": before[name], "sigmas": change / sd if sd > 0 else None,
            "worse": beyond and change > max(_LEAST_SHARE, sigmas * sd)}


def _sd_of_days(row: Row, other: Row) -> float:
    """Of a median over days; of so few that they are its mean."""
    scatter = max(row["scatter"] or 0.0, other["scatter"] or 0.0) if row["days"] < _MANY else row["scatter"]
    return (1.0 if row["days"] < _FEW else _OF_A_MEDIAN) * max(scatter or 0.0, row["stated"] or 0.0) / math.sqrt(row["days"])


def _joint(now: Row, before: Row, sigmas: float) -> Row | None:
    sd = math.hypot(_sd_of_days(now, before), _sd_of_days(before, now))
    if not sd > 0:
        return None  # neither days nor logs say how sure the figure is
    change = now["value"] - before["value"]
    counted = change if now["quantity"] == "noise" else abs(change)
    least = _LEAST_MOVE * abs(before["value"]) if now["quantity"] != "offset" else 0.0
    return {"what": now["quantity"], "joint": now["joint"], "unit_of": "N·m·s/rad" if now["quantity"] == "viscous" else "N·m",
            "now": now["value"], "before": before["value"], "sigmas": counted / sd, "worse": counted > max(least, sigmas * sd)}


def compare(now: Row, before: Row, sigmas: float = SIGMAS) -> list[dict[str, typing.Any]]:
    """Every comparison that both sides have numbers for, the worst first. A unit is compared with itself where the baseline knows it, else
    with all units of its robot; joints of a robot as a whole only where no log names a unit."""
    found: list[dict[str, typing.Any]] = []

    def against(rows: Sequence[Row], row: Row, *more: str) -> Row | None:
        known = {_key(one, *more): one for one in rows}
        return known.get(_key(row, *more)) or known.get((row["robot"], "", *(row[name] for name in more)))

    with_units = {row["robot"] for row in now["robots"] if row["unit"]}
    for row in now["robots"]:
        other = against(before["robots"], row)
        if other is None:
            continue
        for result in (_alarms(row, other, sigmas), _share("refused", 1.0, row, other, sigmas), _share("coverage", -1.0, row, other, sigmas)):
            if result is not None:
                found.append({"robot": row["robot"], "unit": row["unit"], "joint": "", "against": other["unit"] or "all units", **result})
    for row in now["joints"]:
        other = against(before["joints"], row, "joint", "quantity")
        if other is None or (row["robot"] in with_units and not row["unit"]):
            continue
        result = _joint(row, other, sigmas)
        if result is not None:
            found.append({"robot": row["robot"], "unit": row["unit"], "against": other["unit"] or "all units", **result})
    return sorted(found, key=lambda one: (not one["worse"], -(one["sigmas"] or 0.0), one["robot"], one["unit"], one["joint"], one["what"]))


def _line(one: Row) -> str:
    who = ", ".join(part for part in (f"{one['robot']} {one['unit']}".strip(), one["joint"]) if part)
    unit = "" if one["unit_of"] == "1" else f" {one['unit_of']}"
    return f"{who}: {one['what']} {one['now']:.3g}{unit}, was {one['before']:.3g}{unit}" + (f" ({one['sigmas']:.1f} sd)" if one["sigmas"] is not None else "")


def run(arguments: list[str]) -> int:
    """The verb fleet check."""
    made = sql.parser("check", "DIR --baseline BASE [--json]  |  DIR --write FILE",
                      "Has this fleet got worse than its baseline? The rules: docs/guide/fleet.md.",
                      "Exit codes: 0 no, 1 yes, 2 bad input.")
    made.add_argument("--baseline", metavar="BASE", help="a fleet's folder, or the file of --write")
    made.add_argument("--write", metavar="FILE", help="write the values of DIR as a baseline, without a comparison")
    made.add_argument("--sigmas", metavar="N", type=float, default=SIGMAS, help=f"how many sd are a change (default: {SIGMAS:g})")
    made.add_argument("--json", action="store_true", help="print all comparisons as JSON")
    given = made.parse_args(arguments)
    if (given.baseline is None) == (given.write is None):
        raise ValueError("fleet check: give --baseline BASE, or --write FILE to make one")
    if not (math.isfinite(given.sigmas) and given.sigmas > 0):
        raise ValueError(f"--sigmas: {given.sigmas:g} is no limit; give more than 0")
    now = numbers_of(sql.Tables(given.folder))
    if given.write is not None:
        ownership.require_own([pathlib.Path(given.write)], "name another file")
        text = json.dumps(now, ensure_ascii=False, indent=1) + "\n"
        try:
            plans.write_whole(pathlib.Path(given.write), lambda file: file.write_text(text, encoding="utf-8"))
        except OSError as error:
            raise FormatError(given.write, f"cannot be written ({error.strerror})", "name another path") from None
        say(f"{given.write}: baseline of {len(now['robots'])} robots and units, {len(now['joints'])} joint statistics")
        return 0
    before = read(pathlib.Path(given.baseline))
    strangers = sorted({row["robot"] for row in now["robots"]} - {row["robot"] for row in before["robots"]})
    found = compare(now, before, given.sigmas)
    if not found:
        raise FormatError(given.baseline, f"has nothing to compare {', '.join(strangers) or 'these logs'} with",
                          "make a baseline of logs of the same robots")
    worse = [one for one in found if one["worse"]]
    if given.json:
        print(json.dumps({"schema": "antaeus.fleet.check/1", "worse": len(worse), "compared": len(found), "sigmas": given.sigmas,
                          "not_compared": strangers, "comparisons": [sql.plain(one) for one in found]}, ensure_ascii=False, indent=1))
    else:
        say(f"{given.folder}: {len(worse)} of {len(found)} comparisons with {given.baseline} are worse")
        for one in worse:
            say(f"  {_line(one)}")
        for robot in strangers:
            say(f"  Note: {robot} is not in the baseline")
    return 1 if worse else 0
