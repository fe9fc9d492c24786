#pragma once
/// \file
/// The contact equation of one instant, r = Σ Jᵀ w, which every wrench estimator solves in its own way.

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
enum class ImuUse { mounted, as_base, none };
template <>
struct EnumNames<ImuUse> {
  static constexpr std::pair<const char*, ImuUse> table[] = {
      {"mounted", ImuUse::mounted}, {"as_base", ImuUse::as_base}, {"none", ImuUse::none}};
};

struct ContactEquationOptions {
  ImuUse imu = ImuUse::mounted;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"imu", "", "what the base's orientation is taken from: mounted, as_base (as deployed), none",
                     "knowledge: the H1-2's IMU sits on the torso link, its quaternion is fed to the pelvis"},
          self.imu);
  }
};

/// Residual and Jacobians of one observation, computed once and read by every residual and every estimator.
///
/// The residual is static, r = τ − g(q): what the motors exert beyond holding the robot still. With the wrench of the
/// environment on the robot w, M v̇ + C v + g = τ + Σ Jᵀ w, so at rest r = −Σ Jᵀ w: an estimator that solves
/// r = Jᵀ ŵ, as the deployed one does, finds the wrench of the robot on the environment.
class ContactEquation {
 public:
  /// \param endpoints frame names. \throws ModelError with the nearest name
  ContactEquation(const Robot& robot, const std::vector<std::string>& endpoints, ContactEquationOptions options = {});

  // base_terms() points into this object.
  ContactEquation(const ContactEquation&) = delete;
  ContactEquation& operator=(const ContactEquation&) = delete;

  /// Reads the observation. On any status but `ok` all results are NaN. \realtime (estimation_realtime_test)
  Status update(const Observation& observation) noexcept;

  Status status() const noexcept { return status_; }
  const RobotModel& model() const noexcept { return dynamics_.model(); }
  const RobotProfile& profile() const noexcept { return *profile_; }
  int endpoint_count() const noexcept { return static_cast<int>(frames_.size()); }
  const std::vector<std::string>& endpoint_names() const noexcept { return names_; }
  /// Motor that the profile names as reference, −1 without one.
  int reference_motor() const noexcept { return reference_motor_; }
  /// Whether the base's orientation came from an IMU; otherwise it is the identity.
  bool used_imu() const noexcept { return used_imu_; }

  /// Joint torques in motor order: the observation's channels through the profile's sign, gear, scale, offset [N·m].
  const VectorX& torque() const noexcept { return torque_; }
  /// τ − g(q) in motor order [N·m].
  const VectorX& residual() const noexcept { return residual_; }
  /// g(q) in motor order [N·m].
  const VectorX& gravity_torque() const noexcept { return gravity_; }
  /// −g(q) of the six base rows, which no motor drives (force, moment; base axes) [N, N·m]; NaN for a fixed base.
  const Vector6& base_residual() const noexcept { return base_residual_; }
  /// Motor columns of J [6 × motors] of an endpoint: frame origin, world axes, linear rows first.
  const Matrix6X& jacobian(int endpoint) const noexcept { return jacobians_[static_cast<std::size_t>(endpoint)]; }
  /// Base columns of J [6 × 6]; NaN for a fixed base.
  const Matrix6& base_jacobian(int endpoint) const noexcept {
    return base_jacobians_[static_cast<std::size_t>(endpoint)];
  }
  /// R_WB: the base's axes in the world; the identity when not known.
  const Matrix3& base_rotation() const noexcept { return R_WB_; }
  /// What else a residual needs of this instant. Everything in it is in base axes: q has the base at the identity.
  const PositionTerms& base_terms() const noexcept { return *terms_; }
  const VectorX& base_q() const noexcept { return q_; }
  Dynamics& dynamics() noexcept { return dynamics_; }
  /// X_WE of an endpoint, the base at the world's origin.
  const Pose& pose(int endpoint) const noexcept { return poses_[static_cast<std::size_t>(endpoint)]; }

 private:
  Status compute(const Observation& observation) noexcept;
  Status orient_base(const Observation& observation, const PositionTerms& terms) noexcept;

  std::shared_ptr<const RobotProfile> profile_;
  Dynamics dynamics_;
  std::optional<PositionTerms> terms_;
  ContactEquationOptions options_;
  std::vector<std::string> names_;
  std::vector<FrameId> frames_;
  bool has_imu_frame_ = false;
  FrameId imu_frame_;
  int reference_motor_ = -1;

  Status status_ = Status::not_computed;
  bool used_imu_ = false;
  VectorX q_;
  Matrix3 R_WB_ = Matrix3::Identity();
  VectorX torque_;
  VectorX full_gravity_;
  Matrix6X full_jacobian_;
  VectorX residual_;
  VectorX gravity_;
  Vector6 base_residual_;
  std::vector<Matrix6X> jacobians_;
  std::vector<Matrix6> base_jacobians_;
  std::vector<Pose> poses_;
};

}  // namespace antaeus
