#!/usr/bin/env python3
"""Our estimate with all guards against the deployed Python function, in turns within one run.

The deployed function (incident report, Listing 1; docs/references.md) is written here as its text describes it: rnea at rest, a frame
Jacobian in LOCAL_WORLD_ALIGNED, numpy.linalg.pinv. `shared`: one Data object for all calls; `literal`: a new Data object
in each call, as deployed. Prints medians and ratios; the ratios are what counts.
Usage: build/venv/bin/python benchmarks/deployed_estimator.py [rounds]"""

import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLS = 300


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    model = pin.buildModelFromUrdf(str(ROOT / "robots/h1_2/h1_2.urdf"), pin.JointModelFreeFlyer())
    shared_data = model.createData()
    frame = model.getFrameId("left_wrist_yaw_link")
    zeros = np.zeros(model.nv)

    def estimate(q_motor, tau, data):
        q = np.concatenate([[0, 0, 0, 0, 0, 0, 1], q_motor])
        gravity = pin.rnea(model, data, q, zeros, zeros)[6:]
        pin.forwardKinematics(model, data, q)
        pin.updateFramePlacements(model, data)
        jacobian = pin.computeFrameJacobian(model, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:, 6:]
        return np.linalg.pinv(jacobian.T) @ (tau - gravity)

    q = np.zeros(27)
    q[[13, 16, 20, 21, 23]] = [-0.3, 1.5, -0.9, -0.47, 0.5]
    tau = np.linspace(-5.0, 5.0, 27)

    def round_of(data_of) -> float:
        begin = time.perf_counter_ns()
        for i in range(CALLS):
            q[13] = -0.3 + 1e-6 * i
            estimate(q, tau, data_of())
        return (time.perf_counter_ns() - begin) / CALLS

    ours, shared, literal = [], [], []
    program = subprocess.Popen([ROOT / "build/bin/estimate_rounds"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    value = None
    for _ in range(rounds):
        program.stdin.write("go\n")
        program.stdin.flush()
        nanoseconds, value = program.stdout.readline().split()
        ours.append(float(nanoseconds))
        shared.append(round_of(lambda: shared_data))
        literal.append(round_of(model.createData))
    program.stdin.close()
    program.wait()
    q[13] = -0.3 + 1e-6 * 19999
    assert abs(float(value) - estimate(q, tau, shared_data)[2]) < 1e-8, "the two estimates differ"
    ratio = lambda other: statistics.median(b / a for a, b in zip(ours, other))
    print(f"antaeus, estimate and all guards : {statistics.median(ours) / 1000:8.2f} µs")
    print(f"deployed Python, shared Data     : {statistics.median(shared) / 1000:8.2f} µs   ratio {ratio(shared):6.1f}")
    print(f"deployed Python, Data in each call: {statistics.median(literal) / 1000:7.2f} µs   ratio {ratio(literal):6.1f}")


if __name__ == "__main__":
    main()
