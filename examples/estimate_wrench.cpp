// The README's lines: what a torso torque of −34.45 N·m beyond gravity reads as at a wrist that nobody touches.
// prints: Fz -518.0 N on_environment, kappa 38.58
#include <cstdio>

#include "antaeus/estimation/wrench_estimator.hpp"

int main() {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  antaeus::ContactEquation equation(robot, {"left_wrist_yaw_link"});
  antaeus::DeployedEstimator estimator(equation);  // pinv(Jᵀ)(τ − g)
  antaeus::Observation sample;
  sample.q = robot.pose("arm_waist_target");
  sample.tau.setZero(robot.model.motor_count());
  equation.update(sample);                       // reads q and tau: residual, gravity, Jacobians
  sample.tau = equation.gravity_torque();        // the robot holds itself still …
  sample.tau[robot.reference_motor()] -= 34.45;  // … but for the torso [N·m]
  equation.update(sample);
  const antaeus::WrenchEstimate& wrist = estimator.solve(equation).front();
  std::printf("Fz %.1f N %s, kappa %.2f\n", wrist.wrench.force.z(), to_string(wrist.sign).data(), wrist.kappa);
}
