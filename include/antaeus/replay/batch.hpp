#pragma once
/// \file
/// Many states of one robot at a time: gravity's torques or inverse dynamics, residuals, Jacobians, and the wrench and
/// singular values of each endpoint, at some hundred nanoseconds a state.
///
/// The numbers are those of Instant and of pinv(Jᵀ) r, to rounding; which instruction set, which block and which
/// neighbours a state has changes no bit of them. Joints without a motor stand where RobotModel::neutral() has them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/instruction_set.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/replay/batch_fields.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace detail {
struct BatchNumbers;
}

/// What the posterior of each endpoint is made of: those of PosteriorEstimator with PosteriorRows::own, whose names the
/// fields have.
struct BatchPosteriorOptions {
  /// Of each endpoint the motors whose torques speak for it (PosteriorEstimator::rows()), among those that move it; no
  /// motor speaks for two. Empty: no posterior.
  std::vector<std::vector<int>> rows = {};
  double force_prior = 20.0;  ///< [N] sd of each component of a contact's force
  double moment_prior = 1.5;  ///< [N·m] of its moment about the endpoint's origin; 0: contacts are pure forces
  int reference_motor = -1;   ///< whose row only tests the estimates (InstantReader::reference_motor()); −1: none
  /// The robot's identified noise (RobotProfile::noise). Empty: BatchInput::variance says each row's, and rows have
  /// nothing to do with each other.
  std::optional<NoiseModel> noise = {};
  /// Whether its mean is taken out of residuals. Else it is doubted by its whole size, which is added to the rows'
  /// variances: as ResidualEstimator does with dynamic residuals where noise was identified in a held pose.
  bool mean_counts = true;
  /// Probability at which an endpoint's own rows show a contact, for `reference_nis`: PosteriorEstimator's.
  double contact_shown = 1e-3;
};

struct BatchOptions {
  ImuUse imu = ImuUse::mounted;  ///< what the base's orientation is taken from, as in InstantOptions
  std::string imu_frame = {};    ///< where the sensor sits; empty: at the root
  /// Singular values below this share of the largest count as zero: NumPy's default, as in WrenchEstimatorOptions.
  double relative_tolerance = 1e-15;
  BatchPosteriorOptions posterior = {};
};

/// A robot flattened into plain numbers, with the endpoints that are asked for. A cheap handle; thread-safe.
class ANTAEUS_API BatchModel {
 public:
  /// \param endpoints  frame names, none for torques alone
  /// \throws ModelError for an unknown frame, with the nearest name, and for a robot without motors; OptionsError for
  ///         a tolerance that is negative or no number
  BatchModel(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options = {});
  /// The same with the IMU's frame of the robot's profile.
  BatchModel(const Robot& robot, const std::vector<std::string>& endpoints, ImuUse imu = ImuUse::mounted);

  int motor_count() const noexcept;
  int endpoint_count() const noexcept;
  Base base() const noexcept;
  /// Motors between the root and an endpoint, from the root on: the only columns of its Jacobian that are not zero.
  const std::vector<int>& supporting_motors(int endpoint) const;
  /// Numbers in a state's row of BatchOutput::jacobian: 6 for each supporting motor of each endpoint.
  int jacobian_width() const noexcept;
  const detail::BatchNumbers& numbers() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Says what is wrong with arrays, before a loop over blocks. \throws OptionsError naming the array, what it holds and
/// what it should
ANTAEUS_API void check_block(const BatchModel& model, const BatchInput& in, const BatchOutput& out);

/// Scratch memory and the instruction set: the workspace, one a thread.
class ANTAEUS_API BatchWorkspace {
 public:
  /// With wanted_instruction_set(). \throws OptionsError as it does
  explicit BatchWorkspace(BatchModel model);
  /// \throws OptionsError for a set that this machine does not have
  BatchWorkspace(BatchModel model, InstructionSet set);

  const BatchModel& model() const noexcept { return model_; }
  InstructionSet set() const noexcept { return set_; }
  /// States that it works on side by side.
  int lanes() const noexcept;

  /// Fills what \p out asks for. Blocks of 256 to 4096 states stay in the cache.
  /// \return `wrong_size` where check_block() would throw; nothing is written then. Each state's own status is in
  ///         \p out. \realtime (batch_realtime_test)
  Status replay(const BatchInput& in, const BatchOutput& out) noexcept;

 private:
  BatchModel model_;
  InstructionSet set_;
  std::vector<double> memory_;
};

}  // namespace antaeus
