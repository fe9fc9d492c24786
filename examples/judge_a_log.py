"""A whole log at once: posteriors, verdicts and reasons of both wrists by the batched kernel, on all cores."""
# prints: nobody pushes: pinv 2596 N, posterior 5.5 N, 77 of 77 states in doubt
import numpy as np

import antaeus

robot = antaeus.load_robot("h1_2")
log = antaeus.make_twin(robot, "incident").episode
judged = antaeus.replay(log, robot, ["left_wrist_yaw_link", "right_wrist_yaw_link"], want=("wrench", "posterior", "verdict"),
                        settings={"residual.tilt_sd": 0.0})  # the log has no IMU: its base stood upright
deployed, posterior = (np.linalg.norm(judged[name][:, 0, :3], axis=1).max() for name in ("wrench", "posterior"))  # left wrist [N]
doubted = np.count_nonzero(judged["verdict"][:, 0] != list(antaeus.Verdict).index(antaeus.Verdict.ok))
print(f"nobody pushes: pinv {deployed:.0f} N, posterior {posterior:.1f} N, {doubted} of {len(judged['verdict'])} states in doubt")
