#pragma once
/// The spacecraft of the project, and random states of them that are not singular.

#include <string>
#include <vector>

#include "antaeus/space/free_flyer.hpp"
#include "robot/test_robots.hpp"
#include "support/largest.hpp"

namespace antaeus::test {

inline constexpr double kDifference = 1e-6;  ///< either side, of central differences [s]

inline std::string arm_end(const std::string& name) { return name == "spacecraft_ur3" ? "ee_link" : "panda_hand_tcp"; }

inline FreeFlyer flyer(const std::string& name, const FreeFlyerOptions& options = {}) {
  return FreeFlyer(own_robot(name).model, arm_end(name), options);
}

/// Differences and random states are no motion: nothing is spread over calls.
inline FreeFlyerOptions single_states() {
  FreeFlyerOptions options;
  options.j_plus.exit_step = 0.0;
  options.null_space.exit_step = 0.0;
  return options;
}

struct State {
  VectorX q, v;
};

/// Base anywhere and turned anyhow, joints up to 3 rad from neutral, velocities up to 1; σ of J⊕ at least 0.02.
inline std::vector<State> regular_states(FreeFlyer& flying, RandomStates& random, int count) {
  std::vector<State> states;
  while (std::ssize(states) < count) {
    State state{random.configuration(flying.model()), random.vector(flying.model().nv())};
    if (flying.conditioning_at(state.q).sigma_J >= 0.02) states.push_back(state);
  }
  return states;
}

/// q moved by dt with v.
inline VectorX moved(const RobotModel& model, const VectorX& q, const VectorX& v, double dt) {
  VectorX result(model.nq());
  if (model.integrate(q, dt * v, result) != Status::ok) result.setConstant(kNaN);
  return result;
}

}  // namespace antaeus::test
