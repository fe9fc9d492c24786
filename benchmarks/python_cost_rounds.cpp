// What Python's calls cost in C++, timed in rounds: a line on stdin starts a round, its times go to stdout: a log's
// estimate [ms], then a sample of GuardedEstimator and one of the posterior [µs]. python_cost.py drives it, so that
// both are timed in turns within one run.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "antaeus/audit/estimate.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/trust/guarded_estimator.hpp"

int main(int, char** arguments) {
  using namespace antaeus;
  const Robot robot = load_robot("h1_2");
  const Episode log = load_episode(arguments[1], robot);
  const EstimatePlan plan = plan_estimate(robot, {});
  const std::vector<std::string> wrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  GuardedEstimator guarded(robot, wrists);
  InstantReader reader(robot, wrists);
  ResidualEstimator residual(robot, {});
  PosteriorEstimator posterior(reader, {});
  std::vector<Observation> samples(static_cast<std::size_t>(log.steps()));
  for (Eigen::Index i = 0; i < log.steps(); ++i) log.observe(i, samples[static_cast<std::size_t>(i)]);

  double sum = 0.0;
  const auto seconds = [](auto&& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double per_sample = 1e6 / static_cast<double>(samples.size());
  for (std::string line; std::getline(std::cin, line);) {
    const double whole = seconds([&] { sum += static_cast<double>(estimate_log(robot, log, plan).table->rows()); });
    guarded.reset();
    const double loop = seconds([&] {
      for (const Observation& sample : samples) {
        const ConsumerWrench& read = guarded.update(sample, sample.time).front();
        sum += read.wrench.force.z() + static_cast<double>(read.state);
      }
    });
    const double solve = seconds([&] {
      for (const Observation& sample : samples) {
        const WrenchEstimate& read = posterior.solve(residual.form(reader.at(sample))).front();
        sum += read.wrench.force.z() + static_cast<double>(read.verdict);
      }
    });
    std::printf("%.17g %.17g %.17g\n", 1e3 * whole, per_sample * loop, per_sample * solve);
    std::fflush(stdout);
  }
  return sum == 0.0;  // the sum keeps the loops alive
}
