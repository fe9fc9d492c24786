"""Measured torques that come later than the positions beside them: by how much, from a log of the two.

A Panda waves its arm; its shoulder's torque is read at 100 Hz and 12 ms late, the positions at 250 Hz.
"""
# prints: the torque is 12.0 ms late, give or take 0.0
import numpy as np

import antaeus

DELAY = 0.012  # s, what is to be found
robot = antaeus.load_robot("panda")
dynamics = antaeus.Dynamics(robot)


def torque(t: float) -> float:
    """What the shoulder holds against gravity."""
    q = robot.pose("ready").copy()
    q[1] += 0.4 * np.sin(1.3 * t) + 0.2 * np.sin(2.9 * t + 1.0)
    return dynamics.gravity_torque(q)[1]


time = np.linspace(0.0, 10.0, 2501)
stamps = np.linspace(0.0, 10.0, 1001)
model = [torque(t) for t in time]
measured = [0.05 * round((torque(t - DELAY) + 0.6) / 0.05) for t in stamps]
found = antaeus.estimate_delay(time, model, stamps, measured)
assert found.status == "ok"
print(f"the torque is {1e3 * found.delay:.1f} ms late, give or take {1e3 * found.sd:.1f} "
      f"(correlation {found.correlation:.4f})")
