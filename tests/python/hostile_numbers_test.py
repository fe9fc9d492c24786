"""No number, size or robot crashes or hangs the package: every public function and method with NaN, infinity, denormals and arrays of
wrong sizes, for robots without joints, with one and with 64. `make soak` makes more calls."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
CALLS = 20_000 if "ANTAEUS_SOAK" in os.environ else 1500
LEAST_ANSWERED = 0.2  # of the calls: else nothing behind the first check is tried


def ran(joints, seed, calls, *only):
    done = subprocess.run([sys.executable, HERE / "hostile_numbers.py", HERE / "public_names.txt", str(joints), str(seed), str(calls), *only],
                          capture_output=True, text=True, timeout=3600, check=False)
    return done.returncode, done.stdout, done.stderr[-2000:]


@pytest.mark.parametrize("joints", [0, 1, 64])
def test_every_function_answers_or_refuses_by_name(joints):
    code, told, wrong = ran(joints, 5400 + joints, CALLS)
    assert code == 0, (code, told[-3000:], wrong)
    calls, functions, answered = (int(told.splitlines()[-1].split()[i]) for i in (0, 3, 5))
    assert calls >= CALLS and functions > 400 and answered > LEAST_ANSWERED * calls, told


def test_it_sees_a_crash_and_an_error_that_nobody_named(tmp_path):
    """A table that cannot find anything is none: the driver on functions that do what it looks for."""
    (tmp_path / "antaeus.py").write_text(
        "class Error(Exception): pass\n"
        "class Pose: pass\n"
        "class Wrench: pass\n"
        "def load_robot(file): raise Error('none')\n"
        "def fine(x): return x\n"
        "def named(x): raise Error('one line')\n"
        "def odd(x): raise RuntimeError('std::bad_cast')\n"
        "def crash(x):\n    import ctypes; ctypes.string_at(0)\n", encoding="utf-8")
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{name}(x: float) -> float\n" for name in ("fine", "named", "odd", "crash")), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def driven(only):
        return subprocess.run([sys.executable, HERE / "hostile_numbers.py", names, "1", "1", "4", only], env=environment,
                              capture_output=True, text=True, timeout=60, check=False)

    assert driven("fine").returncode == 0 and driven("named").returncode == 0
    assert driven("odd").returncode == 1 and "bad_cast" in driven("odd").stdout
    assert driven("crash").returncode < 0
