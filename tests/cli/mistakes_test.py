"""A sample of docs/guide/check.md's table: mistakes planted in made logs, and what `antaeus check` calls them."""
import importlib.util
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("ANTAEUS_CLI", str(ROOT / "build/bin/antaeus"))


def tool():
    spec = importlib.util.spec_from_file_location("mistakes_table", ROOT / "tools/mistakes_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mistakes_are_named_first():
    mistakes = tool()
    wrong = []
    counts = mistakes.table(CLI, ("ur5e",), ("sines",), (1,), progress=wrong.append)
    total = {key: sum(c[key] for c in counts.values()) for key in ("named", "told", "not told", "wrong")}
    assert total["wrong"] == 0, wrong
    # Of 32 rows a gain of 1.2 is within the description's own doubt; one more may be at the edge of 8 nats.
    assert total["not told"] <= 2, wrong
    assert counts["nothing"]["named"] == 1


def test_an_arm_of_three_joints_has_no_false_finding():
    mistakes = tool()
    rows = [row for row in mistakes.ROWS if row[0] in ("nothing", "torques without gravity", "sign of all torques")]
    counts = mistakes.table(CLI, ("arm3",), mistakes.MOTIONS, (2,), rows=rows)
    assert all(c["wrong"] == 0 and c["not told"] == 0 for c in counts.values()), counts
