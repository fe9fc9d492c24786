// The watchdog's last act: the synthetic incident through the published guards, and from the alarm on the motors brake.
// prints: damping mode at step 6: brakes with at most .* N·m, power -.* W
#include "antaeus/control/damping_mode.hpp"

#include <cstdio>

#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"

int main() {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  const antaeus::Episode log = antaeus::make_twin(robot, antaeus::TwinKind::incident).episode;
  antaeus::InstantReader reader(robot, {"left_wrist_yaw_link"});
  antaeus::DeployedEstimator estimator(reader);
  antaeus::GuardChain chain;
  antaeus::Observation sample;
  antaeus::VectorX tau(robot.model.motor_count()), q_hold;
  for (Eigen::Index step = 0; step < log.steps(); ++step) {
    log.observe(step, sample);  // on the robot: what the drivers just delivered
    if (!chain.apply(estimator.solve(reader.at(sample))[0]).damping_mode) continue;
    if (q_hold.size() == 0) q_hold = sample.q;  // where it stood as the alarm came
    // On the robot: send tau to the drives from here on, at their own rate; where its status is not ok, cut the power.
    if (antaeus::damping_mode(robot, sample.v, {}, tau) != antaeus::Status::ok) return 1;
    std::printf("damping mode at step %d: brakes with at most %.1f N·m, power %.1f W\n", static_cast<int>(step),
                tau.cwiseAbs().maxCoeff(), tau.dot(sample.v));
    // Braked alone the robot sags; with a hold it stays where it was.
    if (antaeus::damping_mode(robot, sample.v, sample.q, q_hold, {}, tau) != antaeus::Status::ok) return 1;
    break;
  }
  return 0;
}
