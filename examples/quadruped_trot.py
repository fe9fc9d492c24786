"""A quadruped of our own trots on point feet: two points at a time cannot make every moment, and the rest is told."""
# prints: up to 66 % of the weight; of the moment two points leave up to 0.16 N·m, of the force 2.11 %
import numpy as np
from legged import bump, positions, robot

import antaeus

HIPS = {"front_left": (0.2, 0.12), "front_right": (0.2, -0.12), "hind_left": (-0.2, 0.12), "hind_right": (-0.2, -0.12)}
HALF = 0.25  # [s] of a stride, in which one diagonal pair stands and the other swings
quadruped = robot(trunk=12, bar=0.2, hips=HIPS, thigh=0.8, shank=0.3, foot=0.1)
time = np.arange(200) * 0.005
trunk = np.column_stack([0 * time, 0 * time, 0.33 - 0.004 * np.cos(2 * np.pi * time / HALF)])
feet, active = {}, []
for name, (x, y) in HIPS.items():
    late = HALF if (name in ("front_left", "hind_right")) else 0.0
    swing = ((time + late) % (2 * HALF)) / HALF  # in the air from 0 to 1
    feet[name] = np.column_stack([0 * time + x, 0 * time + y, 0.03 * bump(swing)])
    active.append(swing >= 1)
motion = dict(q=positions(trunk, HIPS, feet, 0.2), time=time, active=np.column_stack(active))

result = antaeus.contact(motion, quadruped, [f"{name}_foot" for name in HIPS], kind="point")
vertical = result.wrenches[:, :, 2]
print(f"a foot carries up to {100 * vertical.max() / result.weight:.0f} % of the weight; of the moment two points leave up "
      f"to {np.linalg.norm(result.residual[:, 3:], axis=1).max():.2f} N·m, of the force {100 * result.residual_share:.2f} %")
