#pragma once
/// \file
/// A RobotModel flattened for the batched kernel, with the memory behind the plain pointers.

#include <vector>

#include "antaeus/core/types.hpp"
#include "antaeus/replay/batch.hpp"
#include "replay/batch_numbers.hpp"

namespace antaeus::detail {

/// φ of a body, in the order of RobotModel::inertial_parameters().
using InertialParameters = Eigen::Matrix<double, 10, 1>;

/// A place in a body of the flattened tree.
struct Attached {
  int body = 0;
  Pose X;
};

/// Masses, first moments and inertias of the tree's bodies, from φ of each of the model's.
void write_bodies(const VectorX& phi, const std::vector<Attached>& places, bool floating,
                  std::vector<BatchJoint>& joints, BatchNumbers& numbers);
/// A place as the kernel reads it.
BatchFrame frame_at(const Attached& place);

struct BatchTree {
  BatchTree(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options);
  BatchTree(const BatchTree&) = delete;
  BatchTree& operator=(const BatchTree&) = delete;

  std::vector<BatchJoint> joints;
  std::vector<BatchFrame> frames;
  std::vector<std::vector<int>> supports;  ///< of the frames, then of the sensor
  std::vector<Attached> places;            ///< of the frames that RobotModel::inertial_parameters() speaks of
  BatchNumbers numbers;
};

}  // namespace antaeus::detail
