"""The same guards in different orders, in a loop: behind a ±50 N clamp a 100 N watchdog never fires.

Usage: guard_chain.py [episode]
Without an episode the left arm stands as at the incident's start, and the torso's torques beyond gravity are those that
the incident report lists for steps 0 to 8.
"""
# prints: watchdog, clamp: damping mode at step 6.*clamp, watchdog: no damping mode
import sys
from collections.abc import Iterator

import numpy as np

import antaeus

ORDERS = (
    ("watchdog", "clamp"),
    ("clamp", "watchdog"),
    ("reference_dominance", "watchdog"),
    ("watchdog", "reference_dominance", "clamp"),
)


def published_steps(robot: antaeus.Robot, reader: antaeus.InstantReader) -> Iterator[antaeus.Observation]:
    q = robot.pose("re3_start")
    gravity = reader.at(antaeus.Observation(q=q, tau=np.zeros(robot.model.motor_count()))).gravity_torque()
    for residual in (0.12, 0.00, 0.47, 4.22, 8.32, 14.24, 10.61, -5.27, -34.45):  # [N·m]
        tau = gravity.copy()
        tau[robot.reference_motor()] += residual
        yield antaeus.Observation(q=q, tau=tau)


def recorded_steps(robot: antaeus.Robot, path: str) -> Iterator[antaeus.Observation]:
    episode = antaeus.load_episode(path, robot)
    for step in range(episode.steps()):
        yield episode.observe(step)


def main() -> None:
    robot = antaeus.load_robot("h1_2")
    reader = antaeus.InstantReader(robot, ["left_wrist_yaw_link"])
    estimator = antaeus.DeployedEstimator(reader)
    samples = list(recorded_steps(robot, sys.argv[1]) if len(sys.argv) > 1 else published_steps(robot, reader))
    for order in ORDERS:
        chain = antaeus.GuardChain(order)
        latched = None
        largest = 0.0  # |F| that a consumer reads until it is switched off [N]
        for step, sample in enumerate(samples):
            read = chain.apply(estimator.solve(reader.at(sample))[0])
            if read.damping_mode:
                latched = step
                break
            force = float(np.linalg.norm(read.wrench.force))
            if force > largest:  # not max(): a step without input is NaN
                largest = force
        mode = "no damping mode" if latched is None else f"damping mode at step {latched}"
        print(f"{', '.join(order)}: {mode}, largest |F| read {largest:.1f} N")


try:
    main()
except antaeus.Error as error:
    sys.exit(str(error))
