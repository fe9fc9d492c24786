// One estimate with all guards, timed in rounds: a line on stdin starts a round, its time goes to stdout.
// deployed_estimator.py drives it, so that C++ and Python are timed in turns within one run.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"

int main() {
  using namespace antaeus;
  constexpr int kEstimates = 20000;
  const Robot robot = load_robot("h1_2");
  InstantReader reader(robot, {"left_wrist_yaw_link"});
  DeployedEstimator estimator(reader);
  GuardChain guards;
  Observation observation;
  observation.q = robot.pose("arm_waist_target");
  observation.tau = VectorX::LinSpaced(robot.model.motor_count(), -5.0, 5.0);
  double sum = 0.0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kEstimates; ++i) {
      observation.q[13] = -0.3 + 1e-6 * i;  // never the same input twice
      const WrenchEstimate& estimate = estimator.solve(reader.at(observation)).front();
      sum += guards.apply(estimate).wrench.force.z();
      sum += estimate.wrench.force.z();
    }
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
    std::printf("%.1f %.17g\n", elapsed.count() / kEstimates,
                estimator.solve(reader.instant()).front().wrench.force.z());
    std::fflush(stdout);
  }
  return sum == 0.0;  // the sum keeps the loop alive
}
