#pragma once
/// Stretches of logs that were drawn, not recorded: offsets with a known mean and spread.

#include <string>

#include "antaeus/identification/held/held_pose.hpp"
#include "robot/test_robots.hpp"
#include "support/noise.hpp"

namespace antaeus::test {

/// One run's stretch at the neutral pose: residual j is 0.1 j + spread · N(0, 1).
inline HeldStretch drawn_stretch(const Robot& robot, int run, double spread, Noise& normal) {
  const int n = robot.model.motor_count();
  HeldStretch stretch;
  stretch.run = "run " + std::to_string(run);
  stretch.still = stretch.moving = 100;
  stretch.q = VectorX::Zero(n);
  stretch.free_fall = robot.model.gravity();
  stretch.residual =
      VectorX::NullaryExpr(n, [&](Eigen::Index j) { return 0.1 * static_cast<double>(j) + spread * normal(); });
  stretch.white_variance = VectorX::Constant(n, 0.01);
  stretch.slow_sd = VectorX::Constant(n, 0.2);
  stretch.motion_square = VectorX::Constant(n, 100 * 4.01);
  stretch.largest_speed = 1.0 + 0.1 * run;
  return stretch;
}

}  // namespace antaeus::test
