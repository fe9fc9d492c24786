#!/usr/bin/env python3
"""ElasticQp against PIQP (sparse) on the same two feet over 1000 frames, within one run: medians and their ratio.

PIQP gets the limits as hard rows, which is less than the elastic ones it is compared with; its set-up is included, since
every log is a new problem. Also says how far the two answers are apart [N].
Usage: build/venv/bin/python benchmarks/elastic_qp.py [rounds]"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import piqp
import scipy.sparse as sp

ROOT = pathlib.Path(__file__).resolve().parent.parent
FRAMES, N, M = 1000, 6, 22


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "problem"
        subprocess.run([ROOT / "build/bin/elastic_qp_benchmark", "write", file], check=True)
        numbers = np.fromfile(file)
    ours, frames = numbers[-1], numbers[:-1].reshape(FRAMES, -1)
    parts = np.split(frames, np.cumsum([N * N, N * N, N, M * N, M]), axis=1)
    diagonal, lower, rows = (
        p.reshape(FRAMES, N, -1).transpose(0, 2, 1) for p in (parts[0], parts[1], parts[3])
    )
    whole = sp.block_diag(diagonal, format="lil")
    for t in range(FRAMES - 1):
        whole[N * t : N * (t + 1), N * (t + 1) : N * (t + 2)] = lower[t].T
        whole[N * (t + 1) : N * (t + 2), N * t : N * (t + 1)] = lower[t]
    P, G = whole.tocsc(), sp.block_diag(rows, format="csc")
    g, h, z = parts[2].ravel(), parts[4].ravel(), parts[5].ravel()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        solver = piqp.SparseSolver()
        solver.setup(P, g, None, None, G, None, h)
        status = solver.solve()
        times.append(1e3 * (time.perf_counter() - start))
        assert status == piqp.PIQP_SOLVED, status
    theirs = statistics.median(times)
    apart = np.abs(solver.result.x - z).max()
    print(f"{FRAMES} frames: ElasticQp {ours:.1f} ms, PIQP {theirs:.1f} ms, ratio {theirs / ours:.1f}; {apart:.1e} N apart")


if __name__ == "__main__":
    main()
