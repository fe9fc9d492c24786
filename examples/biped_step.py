"""A biped of our own steps in place: what each foot carries, whether it is possible, and what that needs of the motors."""
# prints: limits kept, 50 % of the weight on the right foot, largest torque 49 N·m
import numpy as np
from legged import bump, positions, robot

import antaeus

HIPS = {"left": (0, 0.1), "right": (0, -0.1)}
biped = robot(trunk=30, bar=0.4, hips=HIPS, thigh=4, shank=3, foot=1)
time = np.arange(200) * 0.01
trunk = np.column_stack([0 * time, 0.055 * np.sin(np.pi * time), 0 * time + 0.76])  # [m], over the standing foot
feet, active = {}, []
for name, middle in (("left", 1.5), ("right", 0.5)):  # [s]: when each is lifted
    swing = (time - middle) / 0.4 + 0.5
    feet[name] = np.column_stack([0 * time, 0 * time + HIPS[name][1], 0.04 * bump(swing)])
    active.append((swing <= 0) | (swing >= 1))
motion = dict(q=positions(trunk, HIPS, feet, 0.4), time=time, active=np.column_stack(active))

result = antaeus.contact(motion, biped, ["left_foot", "right_foot"], over_time=True, limits="cone", half_length=0.11,
                         half_width=0.05)
share = result.wrenches[:, 1, 2].mean() / result.weight
print(f"limits {'kept' if result.feasible else 'broken'}, {100 * share:.0f} % of the weight on the right foot, "
      f"largest torque {np.abs(result.torques[:, 6:]).max():.0f} N·m")
result.save("biped_step.html")  # everything else: sds, centres of pressure, margins, the robot in space
