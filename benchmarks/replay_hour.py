"""An hour at 1 kHz from files: torques to residuals, wrenches, singular values and ranks of the H1-2's two wrists, or,
with --verdicts, to posteriors, verdicts and reasons by the robot's settings.

The files (1.6 GB; 2.5 GB with speeds, time and orientation) are mapped and read in slices, results overwrite one set of
arrays. Prints CPU and wall time and the memory that the process holds besides the files' pages.
Usage: replay_hour.py [--verdicts] [--noise figures|identified] [--threads N] [--states N] [--folder PATH]
"""

import argparse
import os
import pathlib
import resource
import tempfile
import time

import antaeus
import numpy as np

WRISTS = ["left_wrist_yaw_link", "right_wrist_yaw_link"]
SLICE = 65536


def write_log(folder, robot, states, judged):
    """Joints that swing about a pose, torques with noise; the same file for the same number of states."""
    numbers = np.random.default_rng(1)
    pose, motors = robot.pose("arm_waist_target"), robot.model.motor_count()
    rates, phases = numbers.uniform(0.1, 2.0, motors), numbers.uniform(0, 6.28, motors)
    widths = {"q": motors, "tau": motors}
    if judged:
        widths |= {"v": motors, "time": 1, "imu_quaternion_xyzw": 4}
    files = {name: np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float64, (states, width))
             for name, width in widths.items()}
    for first in range(0, states, SLICE):
        time_stamps = np.arange(first, min(first + SLICE, states)) / 1000
        part, angles = slice(first, first + SLICE), time_stamps[:, None] * rates + phases
        files["q"][part] = pose + 0.3 * np.sin(angles)
        files["tau"][part] = numbers.normal(0.0, 5.0, (time_stamps.size, motors))
        if judged:
            files["v"][part] = 0.3 * rates * np.cos(angles)
            files["time"][part] = time_stamps[:, None]
            files["imu_quaternion_xyzw"][part] = (0.0, 0.0, 0.0, 1.0)
    return tuple(widths)


def held():
    """Memory of this process that is no file's [MB]."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", action="store_true")
    parser.add_argument("--noise", default="assumed", choices=("assumed", "identified"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--states", type=int, default=3_600_000)
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    robot = antaeus.load_robot("h1_2")
    log = antaeus.BatchReplay(robot, WRISTS, threads=arguments.threads, settings={"residual.noise": arguments.noise})
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        names = write_log(pathlib.Path(folder), robot, arguments.states, arguments.verdicts)
        files = {name: np.load(pathlib.Path(folder) / f"{name}.npy", mmap_mode="r") for name in names}

        def replayed(part, **more):
            if arguments.verdicts:
                more = {"want": ("posterior", "verdict", "reasons"), "continues": part.start > 0, **more}
            return log(**{name: file[part] for name, file in files.items()}, **more)

        out = replayed(slice(0, SLICE))
        most, bad, close = held(), 0, 0
        wall, cpu = time.perf_counter(), time.process_time()
        for first in range(0, arguments.states, SLICE):
            part = slice(first, min(first + SLICE, arguments.states))
            into = {name: array[:part.stop - first] for name, array in out.items()}
            bad += np.count_nonzero(replayed(part, out=into)["status"])
            close += log.close_calls()
            most = max(most, held())
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    set_ = os.environ.get("ANTAEUS_INSTRUCTION_SET") or antaeus.instruction_set()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{arguments.states} states, {log.threads()} threads, {set_}: {cpu:.2f} s CPU, {wall:.2f} s "
          f"wall, {1e9 * cpu / arguments.states:.0f} ns CPU a state; {most:.0f} MB held, {peak:.0f} MB with the files' "
          f"pages; {bad} states without a result"
          + (f", {close} verdicts near a limit" if arguments.verdicts else ""))


if __name__ == "__main__":
    main()
