"""M, C, g and recursive Newton–Euler by hand: the terms of docs/concepts/incident.md, "M, C and g", on an arm of three bars and on a humanoid.

Outwards along the arm each bar's acceleration follows from the one before; inwards each joint's force and moment from the one after.
"""
# prints: by hand 2.97 1.94 0.39, the same to 1e-12; pelvis 657.1 N up, 34 numbers of position, 33 of velocity
import numpy as np

import antaeus

arm = antaeus.load_robot("planar_3r").model
LENGTH, MASS = np.array([0.5, 0.4, 0.3]), np.array([1.0, 0.8, 0.5])  # [m], [kg], each mass in the middle of its bar
INERTIA = np.array([0.020933333333, 0.010746666667, 0.0038])  # [kg·m²] about it
q, v, a = np.radians([30.0, 90.0, -30.0]), np.array([2.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])

dynamics = antaeus.Dynamics(arm)
M, C = dynamics.mass_matrix(q), dynamics.coriolis_matrix(q, v)
for name, rows in (("M [kg·m²]", M), ("C [N·m·s]", C)):
    print(name, *(" ".join(f"{number:7.3f}" for number in row) for row in rows), sep="\n  ")
print("M a ", *np.round(M @ a, 2))
print("C v ", *np.round(C @ v, 2))
torque = dynamics.inverse_dynamics(q, v, a)
print("rnea", *np.round(torque, 2))

# The same by hand: the arm lies on a table, so that gravity has no lever.
angle, turning, growing = np.cumsum(q), np.cumsum(v), np.cumsum(a)
along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
across = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
per_metre = growing[:, None] * across - turning[:, None] ** 2 * along  # of a point of the bar, beyond its joint
joints = np.vstack([np.zeros(2), np.cumsum(LENGTH[:, None] * per_metre, axis=0)])  # outwards: accelerations of joints and tip
force, moment, by_hand = np.zeros(2), 0.0, np.zeros(3)
for i in (2, 1, 0):  # inwards: what a bar needs, and what it hands on
    own = MASS[i] * (joints[i] + LENGTH[i] / 2 * per_metre[i])
    moment += INERTIA[i] * growing[i] + across[i] @ (LENGTH[i] * force + LENGTH[i] / 2 * own)
    force = force + own
    by_hand[i] = moment
np.testing.assert_allclose(by_hand, torque, atol=1e-12)

humanoid = antaeus.load_robot("h1_2")
standing = humanoid.model.position_from_motors(humanoid.pose("zero"), [0, 0, 0, 1])
gravity = antaeus.Dynamics(humanoid.model).at(standing).gravity_torque()
print("by hand", *(f"{number:.2f}" for number in by_hand), end=", the same to 1e-12; ")
print(f"pelvis {gravity[2]:.1f} N up, {humanoid.model.nq()} numbers of position, {humanoid.model.nv()} of velocity")
