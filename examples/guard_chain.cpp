// The same guards in different orders, in a loop: behind a ±50 N clamp a 100 N watchdog never fires.
// Usage: example_guard_chain [episode]
// Without an episode the left arm stands as at the incident's start, and the torso's torques beyond gravity are those
// that the incident report lists for steps 0 to 8.
// prints: watchdog, clamp: damping mode at step 6.*clamp, watchdog: no damping mode
#include "antaeus/estimation/published/guard_chain.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"

namespace {

std::vector<antaeus::Observation> published_steps(const antaeus::Robot& robot, antaeus::InstantReader& reader) {
  antaeus::Observation sample;
  sample.q = robot.pose("re3_start");
  sample.tau.setZero(robot.model.motor_count());
  const antaeus::VectorX gravity = reader.at(sample).gravity_torque();
  std::vector<antaeus::Observation> samples;
  for (const double residual : {0.12, 0.00, 0.47, 4.22, 8.32, 14.24, 10.61, -5.27, -34.45}) {  // [N·m]
    sample.tau = gravity;
    sample.tau[robot.reference_motor()] += residual;
    samples.push_back(sample);
  }
  return samples;
}

std::vector<antaeus::Observation> recorded_steps(const antaeus::Robot& robot, const char* path) {
  const antaeus::Episode episode = antaeus::load_episode(path, robot);
  std::vector<antaeus::Observation> samples(static_cast<std::size_t>(episode.steps()));
  for (std::size_t i = 0; i < samples.size(); ++i) episode.observe(static_cast<Eigen::Index>(i), samples[i]);
  return samples;
}

}  // namespace

int main(int argc, char** argv) try {
  using antaeus::GuardKind;
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  antaeus::InstantReader reader(robot, {"left_wrist_yaw_link"});
  antaeus::DeployedEstimator estimator(reader);
  const auto samples = argc > 1 ? recorded_steps(robot, argv[1]) : published_steps(robot, reader);

  const std::vector<GuardKind> orders[] = {
      {GuardKind::watchdog, GuardKind::clamp},
      {GuardKind::clamp, GuardKind::watchdog},
      {GuardKind::reference_dominance, GuardKind::watchdog},
      {GuardKind::watchdog, GuardKind::reference_dominance, GuardKind::clamp},
  };
  for (const std::vector<GuardKind>& order : orders) {
    antaeus::GuardChain chain(order);
    int latched = -1;
    double largest = 0.0;  // |F| that a consumer reads until it is switched off [N]
    for (std::size_t step = 0; step < samples.size() && latched < 0; ++step) {
      const antaeus::WrenchEstimate& wrist = estimator.solve(reader.at(samples[step])).front();
      const antaeus::ChainedWrench& read = chain.apply(wrist);
      if (read.damping_mode) latched = static_cast<int>(step);
      if (!read.damping_mode) largest = std::max(largest, read.wrench.force.norm());
    }
    std::string names;
    for (const GuardKind kind : order) names += (names.empty() ? "" : ", ") + std::string(antaeus::to_string(kind));
    std::printf("%s: %s, largest |F| read %.1f N\n", names.c_str(),
                latched < 0 ? "no damping mode" : ("damping mode at step " + std::to_string(latched)).c_str(), largest);
  }
} catch (const antaeus::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
