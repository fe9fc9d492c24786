#pragma once
/// \file
/// Many states of one robot at a time: gravity's torques or inverse dynamics, residuals, Jacobians, and the wrench and
/// singular values of each endpoint, at some hundred nanoseconds a state.
///
/// The numbers are those of Instant and of pinv(Jᵀ) r, to rounding; which instruction set, which block and which
/// neighbours a state has changes no bit of them. Joints without a motor stand where RobotModel::neutral() has them.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antaeus/conditioning/instruction_set.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace detail {
struct BatchNumbers;
}

struct BatchOptions {
  ImuUse imu = ImuUse::mounted;  ///< what the base's orientation is taken from, as in InstantOptions
  std::string imu_frame = {};    ///< where the sensor sits; empty: at the root
  /// Singular values below this share of the largest count as zero: NumPy's default, as in WrenchEstimatorOptions.
  double relative_tolerance = 1e-15;
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

/// A number of each state, or a row of them. Empty: absent.
template <class T>
struct BatchRowsOf {
  std::span<T> values;
  std::ptrdiff_t stride = 0;  ///< between the beginnings of two rows; 0: one follows the other

  BatchRowsOf() noexcept = default;
  BatchRowsOf(std::span<T> all, std::ptrdiff_t between = 0) noexcept : values(all), stride(between) {}
};

/// What was measured, a row for each state. Motor channels are in motor order. No NaN is taken for a number: a state
/// with one in any channel that is given is `not_finite`.
struct BatchInput {
  std::ptrdiff_t count = 0;        ///< states
  BatchRowsOf<const double> q;     ///< motor positions [rad|m]; always needed
  BatchRowsOf<const double> tau;   ///< joint torques, RobotProfile::joint_torque [N·m|N]
  BatchRowsOf<const double> v, a;  ///< motor velocities and accelerations; both: inverse dynamics in place of gravity
  BatchRowsOf<const double> imu_quaternion_xyzw;   ///< 4; absent: the base stands upright; a fixed base ignores it
  BatchRowsOf<const double> imu_angular_velocity;  ///< 3, sensor axes [rad/s]; absent: 0. With v and a only
  /// 3, sensor axes [m/s²]; absent: the base's origin is not accelerated. With v and a, and a floating base, only
  BatchRowsOf<const double> imu_specific_force;
  /// 3, of the base against the world in base axes [rad/s²]; absent: 0. With v and a, and a floating base, only
  BatchRowsOf<const double> base_angular_acceleration;
};

/// What is wanted, a row for each state; what is empty is not computed. NaN where the state's status is not `ok`.
struct BatchOutput {
  BatchRowsOf<double> torque;         ///< motors: g(q), or M a + C v + g [N·m|N]
  BatchRowsOf<double> residual;       ///< motors: tau − torque
  BatchRowsOf<double> base_residual;  ///< 6, floating base: minus force and moment of its rows, base axes [N, N·m]
  BatchRowsOf<double> base_rotation;  ///< 9: R_WB row by row
  BatchRowsOf<double> base_angular_velocity;  ///< 3, base axes [rad/s]; with v and a only
  BatchRowsOf<double> wrench;    ///< 6 an endpoint: pinv(Jᵀ) residual, of the robot on the environment, at the frame's
                                 ///< origin in world axes, force first [N, N·m]
  BatchRowsOf<double> sigma;     ///< 6 an endpoint: singular values of J, largest first; 0 where joints are missing
  BatchRowsOf<int> rank;         ///< 1 an endpoint: how many of them count; −1 where the state's status is not `ok`
  BatchRowsOf<double> jacobian;  ///< BatchModel::jacobian_width(): J_WF_W column by column
  BatchRowsOf<double> pose;      ///< 12 an endpoint: R_WF row by row, then its origin; base at the world's origin [m]
  std::span<Status> status;      ///< of each state: `ok`, `not_finite` or `bad_orientation`
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
