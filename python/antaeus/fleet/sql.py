"""`antaeus fleet sql`: the tables of a fleet in DuckDB, which lives in this process; and how report and check read them.

A statement reads the fleet's folder and nothing else: no other file, no network, no extension, and it writes nothing.
"""

import contextlib
import csv
import decimal
import json
import pathlib
import re
import sys
import tempfile
import threading
import types
import typing
from collections.abc import Callable, Iterator, Sequence

from antaeus._options import Bar, Parser
from antaeus._terminal import printable
from antaeus.fleet import queries
from antaeus.formats.recording import FormatError, UnreadableError, nearest

if typing.TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 10_000  # rows that are printed at a time


def _duckdb() -> types.ModuleType:
    try:
        import duckdb
    except ImportError:
        raise FormatError("antaeus fleet", "needs the Python package duckdb", "pip install 'antaeus[fleet]'") from None
    return duckdb


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Tables:
    """The tables of a fleet's folder, as views plan, episodes, joints, events, steps; beside them what queries.PRELUDE makes."""

    def __init__(self, folder: str | pathlib.Path, *, threads: int = 1) -> None:
        """threads: with more than one, sums of floating-point numbers differ in their last digits from run to run."""
        from antaeus.fleet import schema

        self.folder = pathlib.Path(folder)
        if not (self.folder / "episodes").is_dir():
            raise FormatError(folder, "is not the folder of a finished fleet (it holds no episodes/)",
                              "make it: antaeus fleet LOGS --robot R --out DIR, or antaeus fleet finish DIR")
        self._con = _duckdb().connect()
        wanted = {"plan": schema.PLAN, "episodes": schema.EPISODES, "joints": schema.JOINTS, "events": schema.EVENTS,
                  "steps": schema.STEPS}
        self._place = self.folder.resolve()
        if re.search(r"[\[*?]", str(self._place)):  # DuckDB would take these for a pattern: it is shown another name
            self._other_name = tempfile.TemporaryDirectory(prefix="antaeus-fleet-")
            self._place = pathlib.Path(self._other_name.name, "fleet")
            self._place.symlink_to(self.folder.resolve(), target_is_directory=True)
        place = _literal(str(self._place) + "/")
        # First what makes a statement harmless, then the views, then the lock.
        for name, value in {"python_enable_replacements": "false", "autoinstall_known_extensions": "false",
                            "autoload_known_extensions": "false", "allowed_directories": f"[{place}]",
                            "enable_external_access": "false", "enable_progress_bar": "true",
                            "enable_progress_bar_print": "false"}.items():
            self._con.execute(f"SET {name} = {value}")
        self._con.execute(f"SET threads = {threads}")
        for name, columns in wanted.items():
            self._make_view(name, columns)
        self._con.execute(queries.PRELUDE)
        self._con.execute("SET lock_configuration = true")

    def _make_view(self, name: str, columns: "pa.Schema") -> None:
        files = [self._place / "plan.parquet"] if name == "plan" else sorted((self._place / name).glob("**/*.parquet"))
        files = [file for file in files if file.is_file()]
        if not files:  # of a fleet in which nothing of the kind happened, or whose plan lies elsewhere
            self._con.register(f"no_{name}", columns.append(_robot_field()).empty_table() if "robot" not in columns.names else
                               columns.empty_table())
            self._con.execute(f"CREATE VIEW {name} AS SELECT * FROM no_{name}")
            return
        listed = ", ".join(_literal(str(file)) for file in files)
        hive = "hive_partitioning = false" if name == "plan" else "hive_partitioning = true, hive_types = {'robot': VARCHAR}"
        try:
            self._con.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{listed}], {hive}, union_by_name = true)")
            there = {row[0] for row in self._con.execute(f"DESCRIBE {name}").fetchall()}
        except _duckdb().Error as error:
            raise UnreadableError(self.folder / name, f"cannot be read ({_first_line(error)})",
                              "put it together again: antaeus fleet finish DIR") from None
        missing = [column for column in columns.names if column not in there]
        if missing:
            raise FormatError(self.folder / name, f"has no column {missing[0]}: it is of another version of Antaeus",
                              "put it together again: antaeus fleet finish DIR")

    def records(self, statement: str, values: Sequence[object] = ()) -> list[dict[str, typing.Any]]:
        """The rows of a statement of ours, with values in place of its question marks."""
        done = self._con.execute(statement, list(values))
        names = [column[0] for column in done.description]
        return [dict(zip(names, row)) for row in done.fetchall()]

    def query(self, name: str) -> list[dict[str, typing.Any]]:
        """The rows of one of queries.QUERIES."""
        return self.records(queries.QUERIES[name].sql)

    @contextlib.contextmanager
    def _watched(self, progress: Callable[[float], None]) -> Iterator[None]:
        """Tells how far the statement is that runs inside, from a thread beside it."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.2):
                progress(min(max(self._con.query_progress(), 0.0) / 100, 0.99))

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            progress(1.0)

    def ask(self, statement: str, progress: Callable[[float], None] = lambda share: None) -> typing.Any:
        """Runs a statement that anyone wrote. FormatError for one that does more than read, or cannot be read: one line."""
        duckdb = _duckdb()
        if any("\ud800" <= letter <= "\udfff" for letter in statement):
            raise FormatError("sql", f"'{statement}' is not UTF-8", "write it in UTF-8")
        try:
            statements = duckdb.extract_statements(statement)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise FormatError("sql", "one SELECT is taken, which reads the fleet's tables and changes nothing",
                                  "give that, or see antaeus fleet sql DIR --queries")
            with self._watched(progress):
                return self._con.execute(statements[0])
        except duckdb.Error as error:
            raise self._refusal(error) from None

    def _refusal(self, error: Exception) -> FormatError:
        """DuckDB's error as one line with the nearest name."""
        line = _first_line(error)
        views = [row[0] for row in self._con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()]
        columns = sorted({row[0] for row in self._con.execute("SELECT column_name FROM duckdb_columns() WHERE NOT internal").fetchall()})
        if found := re.search(r'[Rr]eferenced column "([^"]*)"|does not have a column named "([^"]*)"', str(error)):
            name = found[1] or found[2]
            return FormatError("sql", f"there is no column '{name}'", nearest(name, columns) or "see docs/reference/schemas.md for all of them")
        if found := re.search(r"Table with name ([^\s!]+) does not exist", line):
            return FormatError("sql", f"there is no table '{found[1]}'", nearest(found[1], views) or f"they are {', '.join(sorted(views))}")
        if "disabled by configuration" in line or "disabled through configuration" in line:
            return FormatError("sql", "a statement reads the fleet's folder alone, and writes nothing", "ask for " + ", ".join(sorted(views)))
        if "syntax error" in line and re.search(r'"(offset|end)"|near "from"', line, re.IGNORECASE):
            return FormatError("sql", line, "offset and end are words of SQL's: write j.\"offset\" or e.\"end\"")
        if found := re.search(r'Did you mean "([^"]+)"', str(error)):
            return FormatError("sql", line, f"did you mean '{found[1]}'?")
        return FormatError("sql", line, "see antaeus fleet sql DIR --queries for examples")


def _robot_field() -> "pa.Field":
    import pyarrow as pa

    return pa.field("robot", pa.string())


def _first_line(error: BaseException) -> str:
    return re.sub(r"^(\w+ )?Error: ", "", str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__)


# What is printed ---------------------------------------------------------------------------------------------------------


def plain(value: typing.Any) -> typing.Any:
    """A value as JSON has it: NaN is null, dates are text."""
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _cell(value: typing.Any) -> str:
    if value is None or value != value:
        return "–"
    if isinstance(value, (float, decimal.Decimal)):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_cell, value)) + "]"
    return str(value)


def _print_text(names: Sequence[str], result: typing.Any) -> None:
    while True:  # widths are those of a block: a table of millions of rows is not held in memory
        rows = result.fetchmany(_BLOCK)
        cells = [[printable(_cell(value)) for value in row] for row in rows]
        if names:
            cells.insert(0, list(map(printable, names)))
        widths = [max(map(len, column)) for column in zip(*cells)]
        numeric = [all(row[i] is None or isinstance(row[i], (int, float, decimal.Decimal)) for row in rows) for i in range(len(widths))]
        for line in cells:
            print("  ".join(text.rjust(width) if right else text.ljust(width)
                            for text, width, right in zip(line, widths, numeric)).rstrip())
        names = ()
        if len(rows) < _BLOCK:
            return


def _print_csv(names: Sequence[str], result: typing.Any) -> None:
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(map(printable, names))
    while rows := result.fetchmany(_BLOCK):
        table.writerows([["" if value is None or value != value else json.dumps(plain(value), ensure_ascii=False)
                          if isinstance(value, (list, tuple, dict)) else printable(value) if isinstance(value, str) else value for value in row] for row in rows])


def _print_json(names: Sequence[str], result: typing.Any) -> None:
    print("[", end="")
    first = True
    while rows := result.fetchmany(_BLOCK):
        for row in rows:
            print("\n" if first else ",\n", json.dumps(dict(zip(names, map(plain, row))), ensure_ascii=False), sep="", end="")
            first = False
    print("]" if first else "\n]")


def parser(verb: str, usage: str, description: str, epilog: str) -> Parser:
    made = Parser(f"antaeus fleet {verb}", usage=f"antaeus fleet {verb} {usage}", allow_abbrev=False, description=description,
                  epilog=epilog, add_help=False)
    made.add_argument("-h", "--help", action="help", help="print this help message and exit")
    made.add_argument("folder", metavar="DIR", help="folder that antaeus fleet wrote")
    return made


def _listed() -> str:
    lines = []
    for name, query in queries.QUERIES.items():
        lines += [name, f"  {query.title}. {query.answers}"]
    return "\n".join(lines)


def run(arguments: list[str]) -> int:
    """The verb fleet sql."""
    made = parser("sql", 'DIR "SELECT …" [--json | --csv]', "Ask the tables of a fleet: plan, episodes, joints, events, steps, logs.",
                  "Exit codes: 0 fine, 2 bad input. Columns: docs/reference/schemas.md.")
    made.add_argument("statement", metavar="SELECT", nargs="?", help="one SELECT statement")
    made.add_argument("--query", metavar="NAME", help="run a documented query instead")
    made.add_argument("--queries", action="store_true", help="list the documented queries and exit")
    made.add_argument("--show", action="store_true", help="print the SQL of --query without running it")
    made.add_argument("--threads", metavar="N", type=int, default=1,
                      help="cores to use (default: 1; with more, sums differ in their last digits from run to run)")
    form = made.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the rows as JSON")
    form.add_argument("--csv", action="store_true", help="print the rows as CSV")
    given = made.parse_args(arguments)
    if given.threads < 1:
        raise ValueError(f"--threads: {given.threads} is fewer than one; give 1 or more")
    if given.queries:
        print(_listed())
        return 0
    if (given.statement is None) == (given.query is None):
        raise ValueError("fleet sql: give one SELECT, or --query NAME; antaeus fleet sql DIR --queries lists them")
    statement = given.statement
    if given.query is not None:
        if given.query not in queries.QUERIES:
            raise FormatError("--query", f"there is no '{given.query}'", nearest(given.query, list(queries.QUERIES)) or
                              "antaeus fleet sql DIR --queries lists them")
        statement = queries.QUERIES[given.query].sql
    if given.show:
        print(statement, end="" if statement.endswith("\n") else "\n")
        return 0
    result = Tables(given.folder, threads=given.threads).ask(statement, Bar("asking"))
    names = [column[0] for column in result.description]
    (_print_json if given.json else _print_csv if given.csv else _print_text)(names, result)
    return 0
