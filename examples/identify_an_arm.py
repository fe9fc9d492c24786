"""Half a minute of free motion of a Panda whose friction is known because it was made up: identified, with standard errors.

Usage: identify_an_arm.py [folder for the profile]
"""
# prints: joint 2: Coulomb 0.6, offset -0.3; joint 4: Coulomb 0.4, offset 0.2
import sys
import tempfile
from pathlib import Path

import numpy as np

import antaeus

robot = antaeus.load_robot("panda")
model, motors = robot.model, robot.model.motor_count()
rows = np.array(model.motor_rows())
time = np.arange(0.0, 30.0, 0.01)
j = np.arange(motors)
rate, phase = 0.9 + 0.13 * j, 1.3 * j
coulomb, offset = 0.7 - 0.1 * j, 0.25 * j - 0.55
angle = np.outer(time, rate) + phase
q = robot.pose("ready") + 0.4 * np.sin(angle)
v, a = 0.4 * rate * np.cos(angle), -0.4 * rate**2 * np.sin(angle)

dynamics = antaeus.Dynamics(model)
tau = np.empty_like(q)
for i in range(len(time)):
    full_q, full_v, full_a = model.position_from_motors(q[i], [0, 0, 0, 1]), np.zeros(model.nv()), np.zeros(model.nv())
    full_v[rows], full_a[rows] = v[i], a[i]
    tau[i] = dynamics.inverse_dynamics(full_q, full_v, full_a)[rows]
step = np.arange(len(time))[:, None]
noise = 0.05 * (np.sin(12.9898 * step * step + 78.233 * j) + np.sin(0.37 * step + 2.0 * j))
tau += coulomb * np.tanh(v / 0.03) + offset + noise

with tempfile.TemporaryDirectory() as folder:
    log = Path(folder) / "free_motion.npz"
    np.savez(log, time=time, qpos=q, tau=tau)
    result = antaeus.identify([log], robot, ["all"])
print(f"identified: {result.identified}, held out: {result.hold_out}, {100 * result.hold_out_covered:.0f} % covered")
found = {one.name: one for one in result.parameters}
print("; ".join(f"joint {n}: Coulomb {found[f'panda_joint{n}.coulomb'].value:.1f}, "
                f"offset {found[f'panda_joint{n}.offset'].value:.1f}" for n in (2, 4)))
for joint in result.joints:
    print(f"  {joint.joint}: left {joint.rms_before:.2f} before, {joint.rms_after:.2f} after, N·m")
if len(sys.argv) > 1:
    antaeus.write_profile(antaeus.with_noise(robot, result.noise), sys.argv[1])
