// A whole log at once: posteriors, verdicts and reasons of both wrists by the batched kernel, on all cores.
// prints: nobody pushes: pinv 2596 N, posterior 5.5 N, 77 of 77 states in doubt
#include <algorithm>
#include <cstdio>

#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/replay/replay.hpp"

int main() {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  const antaeus::Episode log = antaeus::make_twin(robot, antaeus::TwinKind::incident).episode;
  antaeus::ReplayPosterior rules;
  rules.simulated = true;        // the noise that was identified on the robot is not a simulation's
  rules.residual.tilt_sd = 0.0;  // the log has no IMU: its base stood upright
  auto replay = antaeus::BatchReplay::with_posterior(robot, {"left_wrist_yaw_link", "right_wrist_yaw_link"}, {}, rules);
  long states = 0, doubted = 0;
  double deployed = 0.0, posterior = 0.0;  // largest |F| of the left wrist [N]
  const auto norm = [](const antaeus::BatchRowsOf<double>& wrenches, std::ptrdiff_t state) {
    const double* F = &wrenches.values[static_cast<std::size_t>(12 * state)];  // two wrists of six numbers
    return antaeus::Vector3(F[0], F[1], F[2]).norm();
  };
  replay.stream(log, {"wrench", "posterior", "verdict"}, [&](const antaeus::ReplayBlock& block) {
    for (std::ptrdiff_t i = 0; i < block.in.count; ++i) {
      deployed = std::max(deployed, norm(block.out.wrench, i));
      posterior = std::max(posterior, norm(block.out.posterior, i));
      doubted += block.out.verdict.values[static_cast<std::size_t>(2 * i)] != antaeus::Verdict::ok;
    }
    states += block.in.count;
  });
  std::printf("nobody pushes: pinv %.0f N, posterior %.1f N, %ld of %ld states in doubt\n", deployed, posterior,
              doubted, states);
}
