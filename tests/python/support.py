"""What the package's tests share: tolerances by name, the states of random robots, a fresh interpreter."""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 20240611


def tolerance(name):
    """A tolerance of tests/<room>/tolerances.hpp, where its reason stands."""
    texts = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").glob("*/tolerances.hpp"))
    (value,) = re.findall(rf"Tolerance {name}\{{([^}}]+)\}}", texts)
    return float(value) * float(os.environ.get("ANTAEUS_TOLERANCE_SCALE", "1"))


def generator():
    print("seed", SEED)
    return np.random.default_rng(SEED)


def most_held():
    """The most memory that this process has held [bytes]; getrusage would count the process that started it, too."""
    return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text(encoding="utf-8"))[1])


def peak(call):
    """How much more the process holds at most during a call [bytes]: what is mapped from files does not count."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # what tests before freed cannot take up what this call keeps,
        pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # and their peaks are forgotten
    except (AttributeError, OSError):
        pass
    before = most_held()
    call()
    return most_held() - before


def run_python(code, *flags, environment=None):
    """Output of a new interpreter that finds the package as this one does."""
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, timeout=120,
                          env=environment or dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout
