#!/usr/bin/env python3
"""What long logs cost: CPU and memory of verbs over a log of so many hours, made here.

    benchmarks/long_log.py --robot panda --rate 200 --hours 1 --verbs estimate,audit,check,show,contact

The robot moves in slow sines, its torques are those that hold a pose, with noise: the numbers mean nothing, their count does.
For contact its base floats, and base and tool touch.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOTORS = {"panda": 7, "h1_2": 27, "ur5e": 6}
MORE = {"identify": ["--contact-free", "all"]}
JOINTS = MOTORS | {"panda": 9}  # with its fingers
TOUCHES = {"panda": ["panda_link0", "panda_hand"], "h1_2": ["left_ankle_roll_link", "right_ankle_roll_link"], "ur5e": ["base_link", "tool0"]}


def log(path, motors, rate, hours):
    steps = round(3600 * hours * rate)
    t = np.arange(steps) / rate
    rng, speeds = np.random.default_rng(1), 0.5 + 0.6 * np.arange(motors) / motors
    q = 0.3 * np.sin(t[:, None] * speeds + np.arange(motors))
    if motors == 7:
        q += [0, -0.5, 0, -1.8, 0, 1.6, 0.5]  # a Panda's fourth joint never reaches zero
    np.savez(path, time=t, qpos=q, dq=0.3 * speeds * np.cos(t[:, None] * speeds + np.arange(motors)),
             tau=rng.normal(size=q.shape) * 0.1)
    return steps


def motion(path, joints, rate, hours):
    """The same joints below a base that floats."""
    steps = round(3600 * hours * rate)
    t = np.arange(steps) / rate
    q = np.zeros((steps, 7 + joints))
    q[:, :3] = 0.05 * np.sin(t[:, None] * [0.7, 0.9, 1.1])
    q[:, 5], q[:, 6] = np.sin(0.03 * np.sin(0.8 * t)), np.cos(0.03 * np.sin(0.8 * t))
    q[:, 7:] = 0.2 * np.sin(t[:, None] * (0.5 + 0.6 * np.arange(joints) / joints) + np.arange(joints))
    np.savez(path, time=t, q=q)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="panda", choices=MOTORS)
    parser.add_argument("--rate", type=float, default=200.0, help="[Hz]")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--verbs", default="estimate,audit,check,show")
    parser.add_argument("--cli", default=os.environ.get("ANTAEUS_CLI", str(ROOT / "build/bin/antaeus")))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder)
        steps = log(made / "log.npz", MOTORS[asked.robot], asked.rate, asked.hours)
        print(f"{asked.robot}, {asked.hours:g} h at {asked.rate:g} Hz: {steps} steps, {(made / 'log.npz').stat().st_size / 1e6:.0f} MB of npz")
        if "contact" in asked.verbs.split(","):
            motion(made / "motion.npz", JOINTS[asked.robot], asked.rate, asked.hours)
            MORE["contact"] = ["--over-time", *(part for frame in TOUCHES[asked.robot] for part in ("--contact", frame))]
        print(f"{'verb':10} {'CPU s':>8} {'wall s':>8} {'peak MB':>8} {'written MB':>11}")
        for verb in asked.verbs.split(","):
            out = made / (f"{verb}.parquet" if verb == "estimate" else verb)
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            # A process of its own reaps it, so that its peak is not that of an earlier one.
            script = "import os,sys; p=os.spawnvp(os.P_NOWAIT,sys.argv[1],sys.argv[1:]); print(os.wait4(p,0)[2].ru_maxrss, file=sys.stderr)"
            done = subprocess.run([sys.executable, "-c", script, asked.cli, verb, made / ("motion.npz" if verb == "contact" else "log.npz"), "-r", asked.robot, "-o", out, *MORE.get(verb, [])],
                                  capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            files = [out] if out.is_file() else list(out.glob("*"))
            written = sum(file.stat().st_size for file in files)
            print(f"{verb:10} {cpu:8.1f} {time.monotonic() - began:8.1f} {int(done.stderr.split()[-1]) / 1e3:8.0f} {written / 1e6:11.1f}")


if __name__ == "__main__":
    main()
