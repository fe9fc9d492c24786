#!/usr/bin/env python3
"""What a call costs in Python beside the same call in C++, in turns within one run.

A log: antaeus.estimate(episode, robot), with the columns Fz and verdict read, against estimate_log(). A loop:
GuardedEstimator.update, and reader, residual and posterior, one sample after the other, force and verdict read of each.
Prints medians, and the median of the rounds' ratios and differences.
Usage: build/venv/bin/python benchmarks/python_cost.py [rounds]"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import antaeus

ROOT = pathlib.Path(__file__).resolve().parent.parent
WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    robot = antaeus.load_robot("h1_2")
    with tempfile.TemporaryDirectory() as folder:
        log_folder = pathlib.Path(folder) / "pushes"
        antaeus.write_episode(antaeus.make_twin(robot, "pushes", duration=40.0, torque_noise=0.1).episode, log_folder)
        log = antaeus.load_episode(log_folder, robot)
        program = subprocess.Popen([ROOT / "build/bin/python_cost_rounds", log_folder], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        measure(rounds, robot, log, program)


def measure(rounds, robot, log, program) -> None:
    samples = list(log)
    guarded = antaeus.GuardedEstimator(robot, WRISTS)
    reader, residual = antaeus.InstantReader(robot, WRISTS), antaeus.ResidualEstimator(robot)
    posterior = antaeus.PosteriorEstimator(reader)

    def whole():
        result = antaeus.estimate(log, robot)
        return result["Fz"], result["verdict"]

    def loop():
        for sample in samples:
            read = guarded.update(sample)[0]
            read.wrench, read.state

    def solve():
        for sample in samples:
            read = posterior.solve(residual.form(reader.at(sample)))[0]
            read.wrench, read.verdict

    names = [("estimate of a log [ms]", whole, 1e3), ("GuardedEstimator, a sample [µs]", loop, 1e6 / len(samples)),
             ("posterior, a sample [µs]", solve, 1e6 / len(samples))]
    ours, theirs = [[] for _ in names], [[] for _ in names]
    for _ in range(rounds):
        program.stdin.write("go\n")
        program.stdin.flush()
        for times, text in zip(theirs, program.stdout.readline().split()):
            times.append(float(text))
        guarded.reset()
        for times, (_, call, scale) in zip(ours, names):
            begin = time.perf_counter()
            call()
            times.append(scale * (time.perf_counter() - begin))
    program.stdin.close()
    program.wait()
    print(f"{rounds} rounds, {len(samples)} samples, {len(WRISTS)} endpoints in the loops")
    for (name, _, _), python, cpp in zip(names, ours, theirs):
        ratio = statistics.median(a / b for a, b in zip(python, cpp))
        more = statistics.median(a - b for a, b in zip(python, cpp))
        print(f"{name:34} C++ {statistics.median(cpp):9.2f}   Python {statistics.median(python):9.2f}"
              f"   ratio {ratio:5.2f}   more {more:7.2f}")


if __name__ == "__main__":
    main()
