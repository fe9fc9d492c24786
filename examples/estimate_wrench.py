"""The README's lines: what a torso torque of −34.45 N·m beyond gravity reads as at a wrist that nobody touches."""
# prints: Fz -518.0 N on_environment, kappa 38.58
import numpy as np

import antaeus

robot = antaeus.load_robot("h1_2")
reader = antaeus.InstantReader(robot, ["left_wrist_yaw_link"])
estimator = antaeus.DeployedEstimator(reader)  # pinv(Jᵀ)(τ − g)
sample = antaeus.Observation(q=robot.pose("arm_waist_target"), tau=np.zeros(robot.model.motor_count()))
now = reader.at(sample)                # reads q and tau: residual, gravity, Jacobians
tau = now.gravity_torque()             # the robot holds itself still …
tau[robot.reference_motor()] -= 34.45  # … but for the torso [N·m]
sample.tau = tau
wrist = estimator.solve(reader.at(sample))[0]
print(f"Fz {wrist.wrench.force[2]:.1f} N {wrist.sign}, kappa {wrist.kappa:.2f}")
