"""The watchdog's last act: the synthetic incident through the published guards, and from the alarm on the motors brake."""
# prints: damping mode at step 6: brakes with at most .* N·m, power -.* W
import numpy as np

import antaeus

robot = antaeus.load_robot("h1_2")
log = antaeus.make_twin(robot, "incident").episode
reader = antaeus.InstantReader(robot, ["left_wrist_yaw_link"])
estimator, chain = antaeus.DeployedEstimator(reader), antaeus.GuardChain()
for step in range(log.steps()):
    sample = log.observe(step)  # on the robot: what the drivers just delivered
    if not chain.apply(estimator.solve(reader.at(sample))[0]).damping_mode:
        continue
    # On the robot: send tau to the drives from here on; where its status is not ok, cut the power.
    braked = antaeus.damping_mode(robot, sample.v)
    assert braked.status == "ok"
    print(f"damping mode at step {step}: brakes with at most {np.abs(braked.tau).max():.1f} N·m, power {braked.tau @ sample.v:.1f} W")
    # Braked alone the robot sags; with a hold it stays where it was as the alarm came.
    held = antaeus.damping_mode(robot, sample.v, sample.q, q_hold=sample.q)
    assert held.status == "ok"
    break
