#pragma once
/// \file
/// A RobotModel flattened for the batched kernel, with the memory behind the plain pointers.

#include <deque>
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

/// The torque rows that speak for each endpoint and their noise.
class BatchEvidence {
 public:
  /// Adds to \p tree what the posterior needs; the tree's arrays must stay where they are.
  /// \throws OptionsError for rows that are none of the endpoint's or of two of them, priors, or a noise of another
  ///         robot
  BatchEvidence(const RobotModel& model, const BatchPosteriorOptions& options, BatchTree& tree);
  BatchEvidence(const BatchEvidence&) = delete;
  BatchEvidence& operator=(const BatchEvidence&) = delete;

 private:
  BatchBlock block_of(int endpoint, const BatchPosteriorOptions& options, const BatchTree& tree);
  BatchBlock reference_row(int motor, int first, const BatchTree& tree);
  const double* const* couplings(const std::vector<MatrixX>& bases);
  BatchSharedErrors shared_errors(const NoiseModel& noise, const BatchBlock& block, const BatchTree& tree, bool moving,
                                  MatrixX& basis);
  void flatten(const RobotModel& model, const NoiseModel& noise, const BatchTree& tree);
  template <class T>
  const T* keep(std::deque<std::vector<T>>& all, std::vector<T> values) {
    return all.emplace_back(std::move(values)).data();
  }

  std::deque<std::vector<int>> ints_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::vector<BatchDoubtedBody>> doubted_bodies_;
  std::deque<std::vector<BatchDoubtedNumber>> doubted_numbers_;
  std::vector<BatchBlock> blocks_;
  BatchBlock reference_;
  std::deque<std::vector<const double*>> couplings_;
  std::vector<BatchMotorNoise> motors_;
  std::vector<BatchJoint> mean_joints_;  ///< the tree of the mean's parameters
  BatchNumbers mean_;
  BatchNoise noise_;
};

}  // namespace antaeus::detail
