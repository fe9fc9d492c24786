"""The loop of a consumer that is protected: the synthetic incident, sample by sample, through the guarded posterior."""
# prints: refused at step 5: motion uncertain unobservable_direction unexplained
import numpy as np

import antaeus

robot = antaeus.load_robot("h1_2")
log = antaeus.make_twin(robot, "incident").episode
loop = antaeus.GuardedEstimator(robot, robot.profile.deployed_endpoints)
largest, told = 0.0, False
for step in range(log.steps()):
    left, right = loop.update(log.observe(step))  # on the robot: what the drivers just delivered
    largest = max(largest, float(np.linalg.norm(left.wrench.force)))
    if left.state == "refused" and not told:
        told = True
        print(f"refused at step {step}: {' '.join(left.reasons)}")
record = antaeus.flight_record_episode(loop.last_refusal(), robot)
print(f"the last refusal is an episode of {record.steps()} steps: {record.notes[0]}")
print(f"the consumer reads at most {largest:.1f} N")
