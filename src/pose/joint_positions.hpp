#pragma once
// Where the joints of maps and sweeps are put. Private to pose.
#include <cmath>
#include <numbers>

#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Evenly spread positions of a motor from limit to limit, half a turn beyond \p around where there is none.
inline VectorX joint_positions(const Robot& robot, int motor, double around, Eigen::Index count) {
  double low = robot.model.lower_limits()[motor], high = robot.model.upper_limits()[motor];
  if (!std::isfinite(low)) low = around - std::numbers::pi;
  if (!std::isfinite(high)) high = around + std::numbers::pi;
  return VectorX::LinSpaced(count, low, high);
}

}  // namespace antaeus
