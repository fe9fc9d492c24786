"""A walker of human proportions: contact times found in the motion, forces with sds, and what the motion does not tell."""
# prints: up to 771 ± 154 N .1.12 of the weight.; not in the motion: squeeze between left_foot and right_foot
import numpy as np
from legged import bump, positions, ramp, robot

import antaeus

MASS, HEIGHT = 70, 1.75  # [kg], [m]; shares of segments as in textbooks of biomechanics
SPEED, CYCLE, STANCE = 0.8, 1.1, 0.62  # [m/s], [s], share of the cycle that a foot stands
BAR, HIPS = 0.245 * HEIGHT, {"left": (0, 0.08), "right": (0, -0.08)}
walker = robot(trunk=0.678 * MASS, bar=BAR, hips=HIPS, thigh=0.1 * MASS, shank=0.0465 * MASS, foot=0.0145 * MASS)
time = np.arange(330) * 0.01
phase = time / CYCLE
trunk = np.column_stack([SPEED * time, 0.02 * np.sin(2 * np.pi * (phase - 0.06)),
                         0.78 - 0.012 * np.cos(4 * np.pi * (phase - 0.06))])
feet = {}
for name, late in (("left", 0.0), ("right", 0.5)):  # lands at phase 0, 1, … or half a cycle later
    since = phase - late
    swing = (since % 1 - STANCE) / (1 - STANCE)
    place = SPEED * CYCLE * (np.floor(since) + late + STANCE / 2 + ramp(swing))
    feet[name] = np.column_stack([place, 0 * time + HIPS[name][1], 0.06 * bump(swing)])
motion = dict(q=positions(trunk, HIPS, feet, BAR), time=time)

result = antaeus.contact(motion, walker, ["left_foot", "right_foot"], over_time=True, detect=True, half_length=0.12,
                         half_width=0.045)
vertical, sd = result.wrenches[:, 0, 2], result.sd[:, 0, 2]
stands = np.mean([c["frames_active"] for c in result.summary["contacts"]]) / len(time)
step = vertical.argmax()
print(f"a foot stands {100 * stands:.0f} % of the time; the left one pushes with up to {vertical[step]:.0f} ± "
      f"{sd[step]:.0f} N ({vertical[step] / result.weight:.2f} of the weight); not in the motion: {result.unobservable[0]}")
