"""Forces under the feet of a motion that comes in pieces: each piece goes in, what is settled comes out, and memory does
not grow. Beside it one frame as a loop asks for it.

Usage: stream_contacts.py [motion.npz]: writes the motion for `antaeus contact`
"""
# prints: 3000 frames in pieces of 100, at most 100 held; left foot 298 to 361 N
import sys

import numpy as np

import antaeus

STEP, PIECE = 0.01, 100  # s, frames
FEET = ["left_ankle_roll_link", "right_ankle_roll_link"]
robot = antaeus.load_robot("h1_2", meshes="ignored", base="floating")


def swaying(first: int) -> dict[str, np.ndarray]:
    """A stretch of a humanoid that sways on both feet: q, v and a from formulas."""
    t = STEP * (first + np.arange(PIECE))
    q = np.tile(robot.model.neutral(), (PIECE, 1))
    v, a = np.zeros((2, PIECE, robot.model.nv()))
    q[:, 1], v[:, 1], a[:, 1] = 0.05 * np.sin(2 * t), 0.1 * np.cos(2 * t), -0.2 * np.sin(2 * t)
    q[:, 2] += 0.02 * np.sin(3 * t)
    v[:, 2], a[:, 2] = 0.06 * np.cos(3 * t), -0.18 * np.sin(3 * t)
    return dict(q=q, v=v, a=a, time=t)


stream = antaeus.ContactStream(antaeus.ContactStream.lag_for(STEP, accuracy=1e-6))
settled, held = [], 0
for first in range(0, 3000, PIECE):
    settled.append(stream.push(antaeus.contact_demand(swaying(first), robot, FEET)))
    held = max(held, first + PIECE - sum(map(len, settled)))
settled.append(stream.finish())
left = np.concatenate([frames.wrenches[:, 0, 2] for frames in settled])
print(f"{len(left)} frames in pieces of {PIECE}, at most {held} held; left foot {left.min():.0f} to {left.max():.0f} N")

solver = antaeus.ContactFrameSolver(robot, FEET)
motion = swaying(0)
now = solver.solve(motion["q"][7], motion["v"][7], motion["a"][7])
knee = now.torques[robot.model.motor_rows()[robot.model.motor_names().index("left_knee_joint")]]
print(f"one frame by itself: {now.status}, left foot {now.wrenches[0, 2]:.0f} N, left knee {knee:.1f} N·m")
if len(sys.argv) > 1:
    np.savez(sys.argv[1], q=motion["q"], v=motion["v"], a=motion["a"], time=motion["time"])
