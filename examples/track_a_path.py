"""A joint controller follows a path that inverse kinematics maps out: the Panda's hand draws a circle in MuJoCo.

follow() keeps each point on the branch of the one before, so that no joint jumps. A PD controller with gravity
compensation, within the motors' limits, moves the joints; MuJoCo reads our URDF and knows nothing of our dynamics.
The C++ twin integrates our own forward dynamics in its place, and prints the same.
"""
# prints: hand within 4.8 mm of its place, largest torque 27.9 N·m
import mujoco
import numpy as np

import antaeus

STEP, STEPS = 0.001, 4000  # [s]
STIFFNESS = np.array([600.0, 600, 600, 600, 250, 150, 50])  # [N·m/rad]
DAMPING = np.array([50.0, 50, 50, 50, 30, 25, 10])  # [N·m·s/rad]
ARMATURE = 0.1  # [kg·m²] of each motor's rotor behind its gear, assumed
CENTER, RADIUS = np.array([0.45, 0.0, 0.45]), 0.15  # [m], across the x axis
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")

robot = antaeus.load_robot("panda")
chain = antaeus.KinematicChain(robot.model, "panda_hand")
solver = antaeus.ReachSolver(antaeus.ReachModel(chain))
share = np.linspace(0, 1, STEPS + 1)
angle = 2 * np.pi * share**3 * (10 - 15 * share + 6 * share**2)  # once round, at rest at both ends
path = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (STEPS + 1, 1, 1))  # the hand looks down
path[:, :3, 3] = CENTER + RADIUS * np.column_stack([0 * angle, np.sin(angle), np.cos(angle)])
found_path, reached = [robot.pose("ready")], 0
for target in path:
    found = solver.follow(target, found_path[-1])
    found_path.append(found.q)
    reached += found.status == "reached"
wanted = np.array(found_path[1:])

spec = mujoco.MjSpec.from_file(robot.model.description().source)
spec.compiler.fusestatic = False
spec.option.timestep = STEP
spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
for finger in FINGERS:
    spec.delete(spec.joint(finger))
for joint in chain.joints():
    spec.joint(joint.name).armature = ARMATURE
model = spec.compile()
data, hand = mujoco.MjData(model), model.body("panda_hand").id
held = antaeus.ModelOptions(base="fixed", locked_joints=dict.fromkeys(FINGERS, 0.0))
dynamics = antaeus.Dynamics(antaeus.RobotModel(robot.model.description(), held))
limit = robot.model.effort_limits()
data.qpos[:] = wanted[0]
miss = torque = 0.0
for now, then, target in zip(wanted, wanted[1:], path[1:]):
    speed = (then - now) / STEP
    tau = STIFFNESS * (now - data.qpos) + DAMPING * (speed - data.qvel) + dynamics.at(data.qpos).gravity_torque()
    data.qfrc_applied[:] = np.clip(tau, -limit, limit)
    mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    miss = max(miss, float(np.linalg.norm(data.xpos[hand] - target[:3, 3])))
    torque = max(torque, np.abs(data.qfrc_applied).max())
jump = np.abs(np.diff(wanted, axis=0)).max()
print(f"{reached} of {len(path)} points reached, no joint moves more than {1000 * jump:.2f} mrad between two")
print(f"hand within {1000 * miss:.1f} mm of its place, largest torque {torque:.1f} N·m")
