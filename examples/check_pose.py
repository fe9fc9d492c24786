"""Pre-flight of a named pose: what it makes of one newton metre at the torso, before anything is switched on.

Usage: check_pose.py [pose]
"""
# prints: left_wrist_yaw_link: gain 15.035 N
import sys

import antaeus

robot = antaeus.load_robot("h1_2")
q = robot.pose(sys.argv[1] if len(sys.argv) > 1 else "arm_waist_target")
report = antaeus.preflight(robot, robot.profile.deployed_endpoints, q)  # no targets: no check of the start errors
for check in report.checks:
    print(f"{check.subject}: {check.kind} {check.value:.3f} N/(N·m), limit {check.limit:.1f}, "
          f"{'passed' if check.passed else 'refused'}")
sys.exit(0 if report.passed else 1)
