#pragma once
/// \file
/// The robot at one instant: an observation read once, for all that is computed from it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/observation.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// What the base's orientation is taken from.
/// `mounted`: the IMU's quaternion, carried from the sensor's frame to the base by the kinematics (right).
/// `as_base`: the IMU's quaternion used as the base's orientation, wherever the sensor sits (the H1-2's deployed code).
/// `none`: the identity, IMU or not.
enum class ImuUse : std::uint8_t { mounted, as_base, none };
constexpr auto enum_names(ImuUse) noexcept { return name_list<ImuUse>("mounted", "as_base", "none"); }

/// Option group "equation".
struct InstantOptions {
  ImuUse imu = ImuUse::mounted;  ///< what the base's orientation is taken from
};
ANTAEUS_API const OptionTable& options_of(const InstantOptions&);

/// The robot at the time of one observation: joint torques, gravity, and Jacobian and pose of each endpoint.
///
/// A cheap, const handle on the memory of its InstantReader. Once the reader has read another observation, the handle
/// is stale: status() is `not_computed` and every number is NaN. So a residual of one sample cannot be solved with the
/// Jacobians of another.
///
/// Sign of the residual: with w the wrench of the environment on the robot, M v̇ + C v + g = τ + Σ Jᵀ w. At rest
/// τ − g(q) = −Σ Jᵀ w. So r = Jᵀ ŵ, which the deployed estimator solves,
/// gives the wrench of the robot on the environment.
///
/// All functions are noexcept, total and free of allocation. \realtime (instant_test, estimation_realtime_test)
class ANTAEUS_API Instant {
 public:
  /// An empty instant: `not_computed`, no endpoint, no motor.
  Instant() noexcept = default;

  /// `ok`, or why positions, torques or orientation could not be used. All results are NaN then.
  Status status() const noexcept { return data().status; }
  /// The same for optional channels: velocities, accelerations, gyro, accelerometer.
  Status motion_status() const noexcept { return data().motion_status; }
  /// What was read. A channel of the wrong size is full of NaN.
  const Observation& observation() const noexcept { return data().observation; }

  int motor_count() const noexcept { return static_cast<int>(data().torque.size()); }
  int endpoint_count() const noexcept { return static_cast<int>(data().jacobians.size()); }
  /// Motor that the profile names as reference, −1 without one.
  int reference_motor() const noexcept { return data().reference_motor; }
  /// Whether the base's orientation came from an IMU; otherwise it is the identity.
  bool used_imu() const noexcept { return data().used_imu; }

  /// Joint torques in motor order: the observation's channels through the profile's sign, gear, scale, offset [N·m].
  const VectorX& torque() const noexcept { return data().torque; }
  /// g(q) in motor order [N·m].
  const VectorX& gravity_torque() const noexcept { return data().gravity; }
  /// τ − g(q) in motor order: what the motors exert beyond holding the robot still [N·m].
  const VectorX& static_residual() const noexcept { return data().static_residual; }
  /// −g(q) of the six base rows, which no motor drives (force, moment; base axes) [N, N·m]; NaN for a fixed base.
  const Vector6& base_residual() const noexcept { return data().base_residual; }
  /// Motor columns of J [6 × motors] of an endpoint: frame origin, world axes, linear rows first.
  const Matrix6X& jacobian(int endpoint) const noexcept { return data().jacobians[index(endpoint)]; }
  /// Base columns of J [6 × 6]; NaN for a fixed base.
  const Matrix6& base_jacobian(int endpoint) const noexcept { return data().base_jacobians[index(endpoint)]; }
  /// X_WE of an endpoint, the base at the world's origin.
  const Pose& pose(int endpoint) const noexcept { return data().poses[index(endpoint)]; }
  /// R_WB: the base's axes in the world; the identity when not known.
  const Matrix3& base_rotation() const noexcept { return data().R_WB; }

  /// q [nq] with the base at the identity: base axes are the world of base_terms().
  const VectorX& base_q() const noexcept { return data().base_q; }
  /// What else a residual needs of this q, in base axes.
  const PositionTerms& base_terms() const noexcept { return data().base_terms; }

 private:
  friend class InstantReader;
  struct Data {
    Status status = Status::not_computed, motion_status = Status::not_computed;
    Observation observation;
    int reference_motor = -1;
    bool used_imu = false;
    VectorX torque, gravity, static_residual, base_q;
    Vector6 base_residual = Vector6::Constant(kNaN);
    std::vector<Matrix6X> jacobians;
    std::vector<Matrix6> base_jacobians;
    std::vector<Pose> poses;
    Matrix3 R_WB = Matrix3::Identity();
    PositionTerms base_terms;
  };
  struct Memory {
    explicit Memory(RobotModel model) : dynamics(std::move(model)) {}
    Dynamics dynamics;  ///< here, where base_terms() may point to it as long as anybody holds an Instant
    std::uint64_t generation = 0;
    Data now;      ///< of the last observation
    Data nothing;  ///< what a stale handle shows: NaN in every number
  };
  Instant(std::shared_ptr<const Memory> memory, std::uint64_t generation) noexcept
      : memory_(std::move(memory)), generation_(generation) {}
  static std::size_t index(int endpoint) noexcept { return static_cast<std::size_t>(endpoint); }
  static const Data kOfNothing;
  const Data& data() const noexcept {
    if (!memory_) return kOfNothing;
    return memory_->generation == generation_ ? memory_->now : memory_->nothing;
  }

  std::shared_ptr<const Memory> memory_;
  std::uint64_t generation_ = 0;
};

/// What a small tilt of the base about its x axis (\p axis 0) or y axis (1) makes of gravity's torques, per radian.
/// \param gravity  free fall in world axes, the model's \param torque  [nv], base axes [N·m/rad]; NaN unless `ok`
/// \realtime (estimation_realtime_test)
ANTAEUS_API Status tilt_torque(const Instant& now, const Vector3& gravity, int axis, VectorRef torque) noexcept;

/// Reads observations of one robot: the workspace, one a thread.
class ANTAEUS_API InstantReader {
 public:
  /// \param endpoints frame names, at least one. \throws ModelError with the nearest name, and for a robot without
  /// motors
  InstantReader(const Robot& robot, const std::vector<std::string>& endpoints, InstantOptions options = {});
  InstantReader(InstantReader&&) noexcept = default;
  InstantReader& operator=(InstantReader&&) noexcept = default;

  /// Reads an observation; every Instant handed out before is stale from now on. \realtime (estimation_realtime_test)
  const Instant& at(const Observation& observation) noexcept;
  /// Of the last call; `not_computed` before the first.
  const Instant& instant() const noexcept { return instant_; }

  const RobotModel& model() const noexcept { return memory_->dynamics.model(); }
  const RobotProfile& profile() const noexcept { return *profile_; }
  const std::vector<std::string>& endpoint_names() const noexcept { return names_; }
  int endpoint_count() const noexcept { return static_cast<int>(frames_.size()); }
  FrameId frame(int endpoint) const noexcept { return frames_[endpoint]; }
  /// Motor that the profile names as reference, −1 without one.
  int reference_motor() const noexcept { return memory_->now.reference_motor; }

 private:
  void keep(const Observation& observation) noexcept;
  Status check_motion(const Observation& observation) const noexcept;
  Status compute(const Observation& observation) noexcept;
  Status orient_base(const Observation& observation) noexcept;

  std::shared_ptr<const RobotProfile> profile_;
  InstantOptions options_;
  std::vector<std::string> names_;
  std::vector<FrameId> frames_;
  FrameId imu_frame_;  ///< index −1 without an IMU
  VectorX full_gravity_, spare_v_, spare_a_;
  Matrix6X full_jacobian_;
  std::shared_ptr<Instant::Memory> memory_;
  Instant instant_;
};

}  // namespace antaeus
