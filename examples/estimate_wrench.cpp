// The lines of docs/concepts/estimator.md: a torso torque of −34.45 N·m beyond gravity, read at an untouched wrist.
// prints: Fz -518.0 N on_environment, kappa 38.58
#include <cstdio>

#include "antaeus/estimation/published/wrench_estimator.hpp"

int main() {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  antaeus::InstantReader reader(robot, {"left_wrist_yaw_link"});
  antaeus::DeployedEstimator estimator(reader);  // pinv(Jᵀ)(τ − g)
  antaeus::Observation sample;
  sample.q = robot.pose("arm_waist_target");
  sample.tau.setZero(robot.model.motor_count());
  const antaeus::Instant& now = reader.at(sample);  // reads q and tau: residual, gravity, Jacobians
  sample.tau = now.gravity_torque();                // the robot holds itself still …
  sample.tau[robot.reference_motor()] -= 34.45;     // … but for the torso [N·m]
  const antaeus::WrenchEstimate& wrist = estimator.solve(reader.at(sample)).front();
  std::printf("Fz %.1f N %s, kappa %.2f\n", wrist.wrench.force.z(), to_string(wrist.sign).data(), wrist.kappa);
}
