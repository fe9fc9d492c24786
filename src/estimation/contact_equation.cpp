#include "antaeus/estimation/contact_equation.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kQuaternionSlack = 1e-3;
}  // namespace

ContactEquation::ContactEquation(const Robot& robot, const std::vector<std::string>& endpoints,
                                 ContactEquationOptions options)
    : profile_(std::make_shared<const RobotProfile>(robot.profile)),
      dynamics_(robot.model),
      options_(options),
      names_(endpoints),
      reference_motor_(robot.reference_motor()) {
  const RobotModel& model = robot.model;
  if (endpoints.empty()) throw ModelError(robot.profile.name, "no endpoints", "name at least one frame (--endpoint)");
  for (const std::string& name : endpoints) frames_.push_back(model.frame(name));
  if (!robot.profile.imu.frame.empty()) {
    imu_frame_ = model.frame(robot.profile.imu.frame);
    has_imu_frame_ = true;
  }
  q_.setZero(model.nq());
  torque_.setConstant(model.motor_count(), kNaN);
  full_gravity_.setZero(model.nv());
  full_jacobian_.setZero(6, model.nv());
  residual_.setConstant(model.motor_count(), kNaN);
  gravity_.setConstant(model.motor_count(), kNaN);
  base_residual_.setConstant(kNaN);
  jacobians_.assign(frames_.size(), Matrix6X::Constant(6, model.motor_count(), kNaN));
  base_jacobians_.assign(frames_.size(), Matrix6::Constant(kNaN));
  poses_.resize(frames_.size());
}

Status ContactEquation::update(const Observation& observation) noexcept {
  status_ = compute(observation);
  if (status_ == Status::ok) return status_;
  torque_.setConstant(kNaN);
  residual_.setConstant(kNaN);
  gravity_.setConstant(kNaN);
  base_residual_.setConstant(kNaN);
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    jacobians_[k].setConstant(kNaN);
    base_jacobians_[k].setConstant(kNaN);
    poses_[k].rotation.setConstant(kNaN);
    poses_[k].translation.setConstant(kNaN);
  }
  return status_;
}

Status ContactEquation::orient_base(const Observation& observation, const PositionTerms& terms) noexcept {
  R_WB_.setIdentity();
  used_imu_ = false;
  if (!observation.has_imu || options_.imu == ImuUse::none || dynamics_.model().base() == Base::fixed) {
    return Status::ok;
  }
  const Eigen::Vector4d& xyzw = observation.imu_quaternion_xyzw;
  if (!xyzw.allFinite()) return Status::not_finite;
  if (std::abs(xyzw.norm() - 1.0) > kQuaternionSlack) return Status::bad_orientation;
  used_imu_ = true;
  const Eigen::Quaterniond imu(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  R_WB_ = imu.normalized().toRotationMatrix();
  if (options_.imu == ImuUse::as_base || !has_imu_frame_) return Status::ok;
  // R_world_base = R_world_imu · R_base_imuᵀ, the latter by the kinematics.
  Pose X_base_imu;
  if (const Status status = terms.frame_pose(imu_frame_, X_base_imu); status != Status::ok) return status;
  R_WB_ = R_WB_ * X_base_imu.rotation.transpose();
  return Status::ok;
}

Status ContactEquation::compute(const Observation& observation) noexcept {
  const RobotModel& model = dynamics_.model();
  if (observation.q.size() != model.motor_count() || observation.tau.size() != model.motor_count()) {
    return Status::wrong_size;
  }
  if (!observation.q.allFinite() || !observation.tau.allFinite()) return Status::not_finite;
  // Kinematics run once, with the base at the identity; what depends on its orientation is turned afterwards.
  const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0);
  if (const Status status = model.position_from_motors(observation.q, upright, q_); status != Status::ok) {
    return status;
  }
  terms_.emplace(dynamics_.at(q_));
  const PositionTerms& terms = *terms_;
  if (const Status status = orient_base(observation, terms); status != Status::ok) return status;
  const Vector3 gravity = R_WB_.transpose() * model.gravity();
  if (const Status status = terms.gravity_torque(gravity, full_gravity_); status != Status::ok) return status;
  if (const Status status = model.select_motor_rows(full_gravity_, gravity_); status != Status::ok) return status;
  for (Eigen::Index m = 0; m < torque_.size(); ++m) {
    torque_[m] = profile().joint_torque(static_cast<std::size_t>(m), observation.tau[m]);
  }
  residual_ = torque_ - gravity_;
  const bool floating = model.base() == Base::free_flyer;
  if (floating) base_residual_ = -full_gravity_.head<6>();
  const std::vector<int>& rows = model.motor_rows();
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    if (const Status status = terms.frame_jacobian(frames_[k], full_jacobian_); status != Status::ok) return status;
    if (const Status status = terms.frame_pose(frames_[k], poses_[k]); status != Status::ok) return status;
    poses_[k] = Pose{R_WB_, Vector3::Zero()} * poses_[k];
    // Columns that are exactly zero stay exactly zero, whatever the orientation.
    for (std::size_t m = 0; m < rows.size(); ++m) {
      const auto column = static_cast<Eigen::Index>(m);
      jacobians_[k].col(column).head<3>().noalias() = R_WB_ * full_jacobian_.col(rows[m]).head<3>();
      jacobians_[k].col(column).tail<3>().noalias() = R_WB_ * full_jacobian_.col(rows[m]).tail<3>();
    }
    if (!floating) continue;
    for (Eigen::Index column = 0; column < 6; ++column) {
      base_jacobians_[k].col(column).head<3>().noalias() = R_WB_ * full_jacobian_.col(column).head<3>();
      base_jacobians_[k].col(column).tail<3>().noalias() = R_WB_ * full_jacobian_.col(column).tail<3>();
    }
  }
  return Status::ok;
}

}  // namespace antaeus
