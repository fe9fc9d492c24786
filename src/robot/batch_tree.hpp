#pragma once
/// \file
/// A RobotModel flattened for the batched kernel, with the memory behind the plain pointers.

#include "antaeus/robot/batch.hpp"
#include "robot/batch_numbers.hpp"

namespace antaeus::detail {

struct BatchTree {
  BatchTree(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options);
  BatchTree(const BatchTree&) = delete;
  BatchTree& operator=(const BatchTree&) = delete;

  std::vector<BatchJoint> joints;
  std::vector<BatchFrame> frames;
  std::vector<std::vector<int>> supports;  ///< of the frames, then of the sensor
  BatchNumbers numbers;
};

}  // namespace antaeus::detail
