"""The Panda's wrist to a point, in reach, out of it and barred by limits: joints, status, why, and the closest pose.

Usage: reach_a_point.py [x y z]
"""
# prints: 1.00 0.30 0.60: out_of_reach, 220 mm short at 0.80 0.24 0.55
import sys

import antaeus

robot = antaeus.load_robot("panda")
chain = antaeus.KinematicChain(robot.model, "panda_hand")
model = antaeus.ReachModel(chain, position_only=True)  # its table of starts: built once, shared by solvers
solver = antaeus.ReachSolver(model)
points = [[0.5, 0.2, 0.4], [1.0, 0.3, 0.6], [0.0, 0.0, 0.333]]
for point in [[float(text) for text in sys.argv[1:4]]] if len(sys.argv) > 3 else points:
    found = solver.solve(point)
    x, y, z = chain.pose(found.q).translation
    print(f"{point[0]:.2f} {point[1]:.2f} {point[2]:.2f}: {found.status}, {1000 * found.position_error:.0f} mm short "
          f"at {x:.2f} {y:.2f} {z:.2f}")
    print(f"  because: {antaeus.reason_text(model, found)}")
    print("  joints:", *(f"{joint.name} {angle:.3f}" for joint, angle in zip(chain.joints(), found.q)))
