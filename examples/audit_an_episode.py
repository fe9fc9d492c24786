"""Audit of a log: what happened, at which step, what would have helped. The log is a synthetic twin of the incident.

Usage: audit_an_episode.py [report.html]
"""
# prints: incident: left_wrist_yaw_link reads 558 N at step 8
import sys

import numpy as np

import antaeus

robot = antaeus.load_robot("h1_2")
twin, good = (antaeus.make_twin(robot, kind).episode for kind in ("incident", "good"))
audit = antaeus.audit(twin, robot, baselines=[good])  # folders, .npz and .csv files too: "re3", "h1_2"
deployed = audit.series(audit.focus_endpoint, "deployed")
force = deployed.force_norm[audit.focus_step - audit.audited.reconstruction.first_step]
print(f"{audit.outcome}: {audit.focus_endpoint} reads {force:.0f} N at step {audit.focus_step}")
for remedy in audit.counterfactuals:
    if remedy.kind == "preflight":
        continue  # the robot would not have started
    print(f"  {remedy.title}: {np.linalg.norm(remedy.force_at_focus):.0f} N")
if len(sys.argv) > 1:
    audit.save(sys.argv[1])
