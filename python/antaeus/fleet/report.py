"""`antaeus fleet report`: one page over all logs of a fleet. Its tables are the rows of queries.QUERIES, the first of them; nothing here
holds a table's rows that is not shown, so that a page of a million events is as small as one of a thousand."""

import math
import pathlib
import shlex
import typing
import urllib.parse
from collections.abc import Callable, Sequence

from antaeus import _antaeus
from antaeus._options import Bar
from antaeus._terminal import say
from antaeus.fleet import clips, queries, sql
from antaeus.formats import ownership

Row = dict[str, typing.Any]

_MOST_ROWS = 20  # of a table on the page; the query gives all
_KEPT_ROWS = 50  # of a query in summary.json
_MOST_LANES = 16  # of a figure
_MOST_SERIES = 6  # panels of drift
_FIGURE_QUANTITIES = {"offset": "N·m", "coulomb": "N·m", "viscous": "N·m·s/rad", "noise": "N·m"}
_WORDS = {"coulomb": "Coulomb friction", "viscous": "viscous friction", "offset": "offset", "noise": "noise"}


# Numbers as people read them ----------------------------------------------------------------------------------------------


def _number(value: float | None, digits: int = 3) -> str:
    """So many significant digits, none after the point where it is large; "–" where nothing is known."""
    if value is None or not math.isfinite(value):
        return "–"
    if value != 0 and abs(value) < 10.0 ** -4:
        return f"{value:.1e}".replace("-", "−")
    after = max(0, digits - 1 - (math.floor(math.log10(abs(value))) if value else 0))
    text = f"{value:.{min(after, 5)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def _between(row: Row, value: str = "per_hour", low: str = "low", high: str = "high", scale: float = 1.0) -> str:
    low_, high_ = (None if row[name] is None else scale * row[name] for name in (low, high))
    middle = _number(None if row[value] is None else scale * row[value])
    return middle if low_ is None or high_ is None else f"{middle} ({_number(low_)} to {_number(high_)})"


def _percent(value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else f"{100 * value:.1f}".replace("-", "−")


def _who(row: Row, *, joint: bool = True) -> str:
    """The unit where logs say which, else the robot; and the joint."""
    unit = row.get("unit") or row["robot"]
    if row["robot"] not in unit:
        unit = f"{row['robot']} {unit}"
    return f"{unit}, {row['joint']}" if joint and row.get("joint") else unit


def _date(value: typing.Any) -> str:
    return "–" if value is None else str(value)


# Sections -----------------------------------------------------------------------------------------------------------------


class Report:
    """A page in the making, out of the tables of a folder."""

    def __init__(self, tables: sql.Tables, progress: Callable[[float], None] = lambda share: None) -> None:
        self._tables = tables
        self._folder = tables.folder
        self._name = shlex.quote(tables.folder.resolve().name)
        self._found: dict[str, list[Row]] = {}
        for done, name in enumerate(queries.QUERIES):
            self._found[name] = tables.query(name)
            progress((done + 1) / (len(queries.QUERIES) + 1))
        (self._totals,) = tables.records("""
            SELECT (SELECT count(*) FROM episodes WHERE copy_of = '') AS logs, (SELECT count(*) FROM episodes WHERE copy_of <> '') AS copies,
                   count(*) AS done, count(DISTINCT robot) AS robots, count(DISTINCT (robot, unit)) FILTER (unit <> '') AS units,
                   coalesce(sum(hours), 0) AS hours, coalesce(sum(alarms), 0)::BIGINT AS alarms,
                   coalesce(sum(contacts), 0)::BIGINT AS contacts, min(day) AS first_day, max(day) AS last_day,
                   count(*) FILTER (day IS NULL) AS undated FROM logs""")
        self.findings = self._findings()
        self._page = self._begun()
        for part in (self._alarms, self._minutes, self._poses, self._drift, self._versions, self._coverage, self._loads, self._logs,
                     self._queries):
            part()

    @property
    def page(self) -> typing.Any:
        """antaeus.Page."""
        return self._page

    def _begun(self) -> typing.Any:
        totals = self._totals
        span = "" if totals["first_day"] is None else f", {totals['first_day']} to {totals['last_day']}"
        units = f" ({totals['units']} units)" if totals["units"] else ""
        subtitle = (f"{totals['done']} of {totals['logs']} logs gave a result: {_number(totals['hours'])} hours, {totals['robots']} "
                    f"robots{units}{span}.")
        if totals["copies"]:
            subtitle += f" {totals['copies']} more are copies of these and count once."
        count = len(self.findings)
        badge = f"{count} finding{'s' if count != 1 else ''}" if count else "nothing stands out"
        page = _antaeus.Page(self._folder.resolve().name, kicker="Fleet", subtitle=subtitle, badge=badge,
                             badge_tone="vermillion" if count else "green", summary=self.summary())
        first = self.findings or ["No joint, pose, software version or log stands out by the rules that each table states."]
        page.answer("What stands out?", *first)
        return page

    def summary(self) -> Row:
        """What summary.json holds."""
        kept = {name: {"rows": len(rows), "first": [sql.plain(row) for row in rows[:_KEPT_ROWS]]} for name, rows in self._found.items()}
        return {"schema": "antaeus.fleet.report/1", "version": _antaeus.__version__, "totals": sql.plain(self._totals),
                "findings": self.findings, "queries": kept}

    def _findings(self) -> list[str]:
        """One sentence each, the gravest kind first; several of one kind are counted."""
        found, lines = self._found, []

        def told(name: str, rows: Sequence[Row], line: Callable[[Row], str], more: str) -> None:
            if rows:
                lines.append(line(rows[0]) + (f" {len(rows) - 1} more: {more}." if len(rows) > 1 else ""))

        told("coverage", [row for row in found["coverage"] if row["word"] == "lies"],
             lambda r: f"{r['robot']}{' with software ' + r['software'] if r['software'] else ''}: zero is within the 95 % ellipsoid in "
                       f"only {_percent(r['coverage'])} % of contact-free samples ({_percent(r['low'])} to {_percent(r['high'])} over {r['logs']} logs).",
             "see coverage")
        told("phantoms", found["phantoms"], lambda r: f"{_who(r, joint=False)}: {r['phantoms']} phantoms in {r['logs']} logs"
             f"{' with software ' + r['software'] if r['software'] else ''}, up to {_number(r['force_max'])} N.", "see loads and phantoms")
        told("friction_growth", found["friction_growth"], lambda r: f"{_who(r)}: Coulomb friction grows by {_percent(r['growth_month'])} % in "
             f"30 days, from {_number(r['start'])} N·m on.", "see drift")
        told("offset_steps", found["offset_steps"], lambda r: f"{_who(r)}: its offset stepped by {_number(r['step'])} ± {_number(r['step_sd'], 2)} "
             f"N·m with software {r['software']}.", "see drift")
        told("noisy_joints", found["noisy_joints"], lambda r: f"{_who(r)}: its torque is noisy, " + (
             f"{_number(r['noise'], 2)} N·m against {_number(r['of_others'], 2)} of the other units." if r["why"] != "grows" else
             f"and {_percent(r['growth_month'])} % more in 30 days."), "see loads and phantoms")
        told("versions", [row for row in found["versions"] if row["word"] == "more alarms"],
             lambda r: f"{r['robot']}: software {r['software']} raises {_between(r, 'ratio', 'ratio_low', 'ratio_high')} times the alarms an "
                       f"hour of {r['before']}.", "see versions")
        told("poses", [row for row in found["poses"] if row["avoid"]],
             lambda r: f"{r['robot']}: {self._pose_words(r)}", "see poses")
        told("standing_forces", found["standing_forces"], lambda r: f"{_who(r, joint=False)}: a force of {_number(r['force'])} N at "
             f"{r['endpoint']} is always present in {r['logs']} of {r['of_logs']} logs"
             + (", upright as a weight is." if (r["upright"] or 0) > 0.9 else "."), "see loads and phantoms")
        told("suspect_setups", found["suspect_setups"], lambda r: f"{r['robot'] if not r['unit'] else _who(r, joint=False)}: {r['logs']} "
             f"log{'s disagree' if r['logs'] > 1 else ' disagrees'} with the profile ({r['finding']}).", "see logs")
        told("odd_logs", found["odd_logs"], lambda r: f"{_who(r)}: {_WORDS[r['quantity']]} of {_number(r['value'])} N·m in one log, else "
             f"{_number(r['usual'])}.", "see logs")
        if found["failures"]:
            lost = sum(row["logs"] for row in found["failures"])
            lines.append(f"{lost} log{'s' if lost != 1 else ''} gave no result, most by cause {found['failures'][0]['cause'] or 'unknown'}.")
        return lines

    @staticmethod
    def _pose_words(row: Row) -> str:
        place = f"{row['joint']} from {_number(row['position'])} to {_number(row['position'] + 0.5)}"
        if row["avoid"] == "alarms":
            return f"{_number(row['per_hour'])} alarms per hour with {place}, elsewhere {_number(row['per_hour_elsewhere'])}."
        return f"{_percent(row['refused_share'])} % of the time with {place} gives no usable force."

    # Pieces ---------------------------------------------------------------------------------------------------------------

    def _why_empty(self, name: str) -> None:
        self._page.text(f"{queries.QUERIES[name].title}: none; {queries.QUERIES[name].empty}.", quiet=True)

    def _table(self, name: str, columns: dict[str, Callable[[Row], typing.Any]], *, rows: Sequence[Row] | None = None,
               marked: Callable[[Row], bool] = lambda row: False) -> None:
        """The first rows of a query, what they tell, and where the rest is; or why there are none."""
        query = queries.QUERIES[name]
        shown = self._found[name] if rows is None else rows
        if not shown:
            self._why_empty(name)
            return
        first = shown[:_MOST_ROWS]
        self._page.table(list(columns), [[cell(row) for cell in columns.values()] for row in first], f"{query.title}. {query.answers}",
                         marks=["failed" if marked(row) else "" for row in first])
        if len(shown) > len(first):
            self._page.text(f"{len(first)} of {len(shown)} rows. All of them: antaeus fleet sql {self._name} --query {name}", quiet=True)

    def _forest(self, name: str, title: str, label: str, rows: Sequence[Row], value: str, caption: str,
                threshold: tuple[float, str] | None = None) -> None:
        """Values with their intervals, a lane each."""
        shown = [row for row in rows if row[value] is not None][:_MOST_LANES][::-1]
        if len(shown) < 2:
            return
        figure = _antaeus.Figure(name, title, description=f"{title}: {len(shown)} values with 95 % intervals", panel_height=22.0 * len(shown) + 20)
        figure.panel(x=label, lanes=[_lane(row) for row in shown], from_zero=threshold is None)
        nan = float("nan")
        figure.intervals(range(len(shown)), [nan if row["low"] is None else row["low"] for row in shown],
                         [nan if row["high"] is None else row["high"] for row in shown])
        figure.dots([row[value] for row in shown], range(len(shown)), [9.0] * len(shown))
        if threshold is not None:
            figure.threshold(*threshold, upright=True)
        self._page.figure(figure, caption)

    # Parts ----------------------------------------------------------------------------------------------------------------

    def _alarms(self) -> None:
        self._page.section("alarms", "Alarms per hour")
        self._page.text("An alarm is a span in which the torques of a robot contradict each other more than noise lets them. Numbers in "
                        "brackets are 95 % intervals of Poisson, widened by the scatter between logs.", quiet=True)
        self._forest("alarms-by-robot", "Alarms per hour, by robot", "alarms per hour [1/h]", self._found["alarms_by_robot"], "per_hour",
                     "Dots are the rates, lines their 95 % intervals.")
        rates: dict[str, Callable[[Row], typing.Any]] = {
            "#logs": lambda r: r["logs"], "#hours [h]": lambda r: _number(r["hours"]), "#alarms": lambda r: r["alarms"],
            "#alarms per hour [1/h]": _between, "#scatter over Poisson's": lambda r: _number(r["dispersion"])}
        self._table("alarms_by_robot", {"robot": lambda r: r["robot"], **rates})
        if self._found["alarms_by_unit"]:
            self._table("alarms_by_unit", {"unit": _who, **rates})
        self._table("alarms_by_joint", {"robot": lambda r: r["robot"], "joint": lambda r: r["joint"], **rates})
        self._map()

    def _map(self) -> None:
        """Alarms per hour over weeks, a lane a joint."""
        if self._totals["first_day"] is None:
            self._page.text("Alarms over weeks: no log has the tag date.", quiet=True)
            return
        lanes = [row for row in self._found["alarms_by_joint"] if row["alarms"] > 0][:_MOST_LANES][::-1]
        cells = self._tables.records("""
            WITH spent AS (SELECT robot, date_diff('day', (SELECT min(day) FROM logs), day) // 7 AS week, sum(hours) AS hours
                           FROM logs WHERE day IS NOT NULL GROUP BY ALL)
            SELECT e.robot, e.joint, week, count(*) / any_value(s.hours) AS per_hour
            FROM events e JOIN logs l USING (id) JOIN spent s
              ON s.robot = l.robot AND s.week = date_diff('day', (SELECT min(day) FROM logs), l.day) // 7
            WHERE e.kind = 'alarm' GROUP BY e.robot, e.joint, week ORDER BY ALL""")
        place = {(row["robot"], row["joint"]): at for at, row in enumerate(lanes)}
        dots = [(cell["week"], place[key], cell["per_hour"]) for cell in cells if (key := (cell["robot"], cell["joint"])) in place]
        if len({week for week, _, _ in dots}) < 2:
            return
        most = max(rate for _, _, rate in dots)
        figure = _antaeus.Figure("alarms-over-weeks", "Alarms per hour over weeks, by joint", panel_height=24.0 * len(lanes) + 20,
                                 description="One dot per week and joint; its area is the rate")
        figure.panel(x=f"first day of the week, in days since {self._totals['first_day']}", lanes=[_lane(row) for row in lanes])
        figure.dots([7 * week for week, _, _ in dots], [lane for _, lane, _ in dots], [20 * math.sqrt(rate / most) for _, _, rate in dots])
        self._page.figure(figure, f"The area of a dot is the rate; the largest is {_number(most)} alarms per hour.")

    def _minutes(self) -> None:
        self._page.section("minutes", "Worst minutes")
        self._table("worst_minutes", {
            "unit": lambda r: _who(r, joint=False), "log": lambda r: r["path"], "#alarms": lambda r: r["alarms"], "#force [N]": lambda r: _number(r["force"]), "#force over its sd": lambda r: _number(r["force_over_sd"]),
            "joint": lambda r: r["joint"] or "–", "look at it": self._look})

        missing = [row for row in self._found["worst_minutes"][:_MOST_ROWS] if self._clip_page(row) is None]
        if missing:
            self._page.text("What makes the pages that are not there yet, in the order of the table:")
            self._page.command("\n".join(f"antaeus fleet clip {self._name} {row['id']} --at {clips.seconds_text(row['at_s'])} --page"
                                         for row in missing))

    def _clip_page(self, row: Row) -> str | None:
        """The address of the page of a row's minute, as seen from the report."""
        clip = clips.place_of(self._folder, row["id"], row["at_s"])
        return urllib.parse.quote(f"{clip.parent.name}/{clip.name}/{clips.PAGE}") if (clip / clips.PAGE).is_file() else None

    def _look(self, row: Row) -> typing.Any:
        """A link to the page of its clip, or what to clip."""
        address = self._clip_page(row)
        return f"{row['id']} at {clips.seconds_text(row['at_s'])} s" if address is None else ("page of this minute", address)

    def _poses(self) -> None:
        self._page.section("poses", "Poses to avoid")
        rows = self._found["poses"]
        if not rows:
            self._why_empty("poses")
            return
        if not any(row["avoid"] for row in rows):
            self._page.text("No position of a joint stands out from the others of that joint. Those with the highest rates:")
        columns: dict[str, Callable[[Row], typing.Any]] = {
            "#logs": lambda r: r["logs"], "#hours [h]": lambda r: _number(r["hours"]), "#alarms": lambda r: r["alarms"],
            "#alarms per hour [1/h]": _between, "#elsewhere [1/h]": lambda r: _number(r["per_hour_elsewhere"]),
            "#refused [%]": lambda r: _percent(r["refused_share"]), "avoid for": lambda r: r["avoid"] or "–"}
        self._table("poses", {"robot": lambda r: r["robot"], "endpoint": lambda r: r["endpoint"], "joint": lambda r: r["joint"],
                              "from – to [rad, m]": lambda r: f"{_number(r['position'])} – {_number(r['position'] + 0.5)}", **columns},
                    rows=[row for row in rows if row["avoid"]] or rows[:5], marked=lambda row: bool(row["avoid"]))
        avoided = [row for row in self._found["whole_poses"] if row["avoid"]]
        if avoided:
            self._table("whole_poses", {"robot": lambda r: r["robot"], "endpoint": lambda r: r["endpoint"],
                                        "pose [rad, m]": lambda r: ", ".join(_number(x) for x in r["pose"]), **columns}, rows=avoided)
        else:
            self._page.text("Whole poses: none that three logs have taken stands out.", quiet=True)

    def _drift(self) -> None:
        self._page.section("drift", "Drift over weeks")
        self._series()
        self._table("friction_growth", {
            "joint": _who, "#growth in 30 days [%]": lambda r: _percent(r["growth_month"]), "#at first [N·m]": lambda r: _number(r["start"]),
            "#slope [N·m a week]": lambda r: f"{_number(r['slope_week'], 2)} ± {_number(r['slope_week_sd'], 1)}",
            "#days": lambda r: r["points"], "from": lambda r: _date(r["first_day"]), "to": lambda r: _date(r["last_day"])})
        self._table("offset_steps", {
            "joint": _who, "software": lambda r: r["software"], "before": lambda r: r["before"], "#offset before [N·m]": lambda r: _number(r["value_before"]),
            "#offset [N·m]": lambda r: _number(r["value"]), "#step [N·m]": lambda r: f"{_number(r['step'])} ± {_number(r['step_sd'], 1)}",
            "#days": lambda r: r["days"], "#days before": lambda r: r["days_before"]})
        self._table("drift", {
            "joint": _who, "quantity": lambda r: _WORDS[r["quantity"]],
            "#at first": lambda r: f"{_number(r['start'])} {_FIGURE_QUANTITIES[r['quantity']]}",
            "#slope a week": lambda r: f"{_number(r['slope_week'], 2)} ± {_number(r['slope_week_sd'], 1)}",
            "#in 30 days [%]": lambda r: "–" if r["quantity"] == "offset" else _percent(r["growth_month"]), "sure": lambda r: "yes" if r["sure"] else "–",
            "#points": lambda r: r["points"], "#logs": lambda r: r["logs"]})

    def _series(self) -> None:
        """Days' medians of what grew, stepped or drifts most surely, a panel each."""
        chosen: list[tuple[str, str, str, str]] = []
        for row, quantity in [*((row, "coulomb") for row in self._found["friction_growth"]), *((row, "offset") for row in self._found["offset_steps"]),
                              *((row, row["quantity"]) for row in self._found["drift"] if row["sure"])]:
            key = (row["robot"], row["unit"], row["joint"], quantity)
            if key not in chosen and len(chosen) < _MOST_SERIES:
                chosen.append(key)
        series = []
        for key in chosen:
            days = self._tables.records(f"""
                SELECT date_diff('day', (SELECT min(day) FROM logs), l.day) AS day, median(j."{key[3]}")::DOUBLE AS value
                FROM joints j JOIN logs l USING (id)
                WHERE l.robot = ? AND l.unit = ? AND j.joint = ? AND l.day IS NOT NULL AND isfinite(j."{key[3]}")
                GROUP BY ALL ORDER BY ALL""", list(key[:3]))
            if len(days) >= 2:
                series.append((key, days))
        if not series:
            return
        figure = _antaeus.Figure("drift-of-days", "What drifts", columns=min(2, len(series)), width=760.0 if len(series) > 1 else 560.0,
                                 panel_height=120.0, description="Medians of days over time")
        for (robot, unit, joint, quantity), days in series:
            figure.panel(f"{unit or robot}, {joint}: {_WORDS[quantity]}", x=f"days since {self._totals['first_day']}",
                         y=f"{_FIGURE_QUANTITIES[quantity]}")
            figure.curve([day["day"] for day in days], [day["value"] for day in days], joined=False)
        self._page.figure(figure, "Each point is the median of a day's logs.")

    def _versions(self) -> None:
        self._page.section("versions", "Software versions compared")
        self._table("versions", {
            "robot": lambda r: r["robot"], "software": lambda r: r["software"], "since": lambda r: _date(r["first_day"]), "#logs": lambda r: r["logs"],
            "#hours [h]": lambda r: _number(r["hours"]), "#alarms per hour [1/h]": _between,
            "#against the one before (99.9 %)": lambda r: "–" if r["ratio"] is None else "× " + _between(r, "ratio", "ratio_low", "ratio_high"),
            "#refused [%]": lambda r: f"{_percent(r['refused_share'])}" + ("" if r["refused_doubt"] is None else f" ± {_percent(r['refused_doubt'])}"),
            "#coverage of zero [%]": lambda r: _percent(r["coverage"]), "": lambda r: r["word"] or "–"},
            marked=lambda row: row["word"] == "more alarms")

    def _coverage(self) -> None:
        self._page.section("coverage", "Coverage of zero without contact")
        self._forest("coverage-by-robot", "Coverage of zero", "share of contact-free samples whose 95 % ellipsoid holds zero [1]", self._found["coverage"],
                     "coverage", "Lines are 95 % intervals of the mean over logs.", (0.95, "0.95"))
        self._table("coverage", {
            "robot": lambda r: r["robot"], "software": lambda r: r["software"] or "–", "#logs": lambda r: r["logs"],
            "#contact-free [h]": lambda r: _number(r["hours"]), "#coverage [%]": lambda r: _between(r, "coverage", scale=100),
            "": lambda r: r["word"] or "–"}, marked=lambda row: row["word"] == "lies")

    def _loads(self) -> None:
        self._page.section("loads", "Loads, phantoms, noise")
        self._table("standing_forces", {
            "unit": lambda r: _who(r, joint=False), "endpoint": lambda r: r["endpoint"], "software": lambda r: r["software"] or "–",
            "#logs": lambda r: f"{r['logs']} of {r['of_logs']}", "#of their time [%]": lambda r: _percent(r["share"]),
            "#force [N]": lambda r: _number(r["force"]), "#upright": lambda r: _number(r["upright"], 2), "from": lambda r: _date(r["first_day"]),
            "to": lambda r: _date(r["last_day"]), "one of them": lambda r: r["path"]})
        self._table("phantoms", {
            "unit": lambda r: _who(r, joint=False), "software": lambda r: r["software"] or "–", "#phantoms": lambda r: r["phantoms"], "#logs": lambda r: r["logs"],
            "#largest [N]": lambda r: _number(r["force_max"]), "joint": lambda r: r["joint"] or "–", "look at it": self._look})
        self._table("noisy_joints", {
            "joint": _who, "#noise [N·m]": lambda r: _number(r["noise"], 2), "#of other units [N·m]": lambda r: _number(r["of_others"], 2),
            "#ratio": lambda r: _number(r["ratio"], 2), "#growth in 30 days [%]": lambda r: _percent(r["growth_month"]),
            "#days": lambda r: r["days"], "why": lambda r: r["why"]}, marked=lambda row: True)

    def _logs(self) -> None:
        self._page.section("logs", "Logs to look into")
        self._table("suspect_setups", {"unit": lambda r: _who(r, joint=False), "software": lambda r: r["software"] or "–", "finding": lambda r: r["finding"],
                                       "#logs": lambda r: r["logs"], "one of them": lambda r: r["example"]})
        self._table("odd_logs", {
            "joint": _who, "quantity": lambda r: _WORDS[r["quantity"]], "#in this log [N·m]": lambda r: _number(r["value"]),
            "#else [N·m]": lambda r: f"{_number(r['usual'])} ± {_number(r['sd'], 1)}", "day": lambda r: _date(r["day"]),
            "log": lambda r: r["path"]})
        self._table("failures", {"robot": lambda r: r["robot"] or "–", "cause": lambda r: r["cause"] or "–", "#logs": lambda r: r["logs"],
                                 "one of them": lambda r: r["example"], "its reason": lambda r: r["reason"]})

    def _queries(self) -> None:
        self._page.section("queries", "Further queries", folded=True)
        self._page.text("Every table of this page is a query that can be run and changed:")
        self._page.command(f"antaeus fleet sql {self._name} --query friction_growth --show")
        self._page.table(["name", "what it shows"], [[name, f"{query.title}. {query.answers}"] for name, query in queries.QUERIES.items()],
                         "The queries behind this page")


def _lane(row: Row, longest: int = 42) -> str:
    text = " · ".join(str(row[name]) for name in ("robot", "software", "joint") if row.get(name))
    return text if len(text) <= longest else text[:longest - 1] + "…"


def run(arguments: list[str]) -> int:
    """The verb fleet report."""
    made = sql.parser("report", "DIR [--clips N]", "Write one page about all logs of a fleet: DIR/report.html, and DIR/summary.json.",
                      "Exit codes: 0 fine, 2 bad input.")
    made.add_argument("--clips", metavar="N", type=int, default=0, help="cut out the N worst minutes first, with their pages (default: 0)")
    made.add_argument("--json", action="store_true", help="print the summary as JSON")
    given = made.parse_args(arguments)
    if given.clips < 0:
        raise ValueError(f"--clips: {given.clips} is fewer than none; give 0 or more")
    folder = pathlib.Path(given.folder)
    tables = sql.Tables(folder)
    ownership.require_own([folder / "summary.json", folder / "report.html"], "copy the fleet's folder")
    if given.clips:
        clips.cut_worst(tables, given.clips)
    page = Report(tables, Bar("reading tables")).page
    page.save(folder / "summary.json")
    page.save(folder / "report.html")
    if given.json:
        print((folder / "summary.json").read_text(encoding="utf-8"), end="")
    else:
        say(f"{folder / 'report.html'}: {page.title}, {len(page.summary['findings'])} findings")
        for line in page.summary["findings"]:
            say(f"  {line}")
    return 0
