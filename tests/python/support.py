"""What the package's tests share: tolerances by name, the states of random robots, a fresh interpreter."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 20240611


def tolerance(name):
    """A tolerance of tests/support/tolerances.hpp, where its reason stands."""
    text = (ROOT / "tests/support/tolerances.hpp").read_text(encoding="utf-8")
    value = re.search(rf"Tolerance {name}\{{([^}}]+)\}}", text).group(1)
    return float(value) * float(os.environ.get("ANTAEUS_TOLERANCE_SCALE", "1"))


def generator():
    print("seed", SEED)
    return np.random.default_rng(SEED)


def run_python(code, *flags, environment=None):
    """Output of a new interpreter that finds the package as this one does."""
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, timeout=120,
                          env=environment or dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout
