#pragma once
/// \file
/// Private.

#include <map>
#include <vector>

#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// Joints that are built alike, by number: those of one effort limit, as one drive has one friction. \param motors rows
inline std::vector<int> like_joints(const RobotModel& model, const std::vector<int>& motors) {
  std::map<double, int> number;
  std::vector<int> result;
  for (const int motor : motors) {
    result.push_back(number.try_emplace(model.effort_limits()[motor], static_cast<int>(number.size())).first->second);
  }
  return result;
}

}  // namespace antaeus::detail
