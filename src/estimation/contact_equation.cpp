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
    : dynamics_(robot.model), options_(options), names_(endpoints), reference_motor_(robot.reference_motor()) {
  const RobotModel& model = robot.model;
  if (endpoints.empty()) throw ModelError(robot.profile.name, "no endpoints", "name at least one frame (--endpoint)");
  for (const std::string& name : endpoints) frames_.push_back(model.frame(name));
  if (!robot.profile.imu.frame.empty()) {
    imu_frame_ = model.frame(robot.profile.imu.frame);
    has_imu_frame_ = true;
  }
  q_.setZero(model.nq());
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

Status ContactEquation::orient_base(const Observation& observation) noexcept {
  base_quaternion_ = Eigen::Vector4d(0.0, 0.0, 0.0, 1.0);
  used_imu_ = false;
  const RobotModel& model = dynamics_.model();
  if (!observation.has_imu || options_.imu == ImuUse::none || model.base() == Base::fixed) return Status::ok;
  const Eigen::Vector4d& xyzw = observation.imu_quaternion_xyzw;
  if (!xyzw.allFinite()) return Status::not_finite;
  if (std::abs(xyzw.norm() - 1.0) > kQuaternionSlack) return Status::bad_orientation;
  used_imu_ = true;
  if (options_.imu == ImuUse::as_base || !has_imu_frame_) {
    base_quaternion_ = xyzw.normalized();
    return Status::ok;
  }
  // R_world_base = R_world_imu · R_base_imuᵀ, the latter by the kinematics with the base at the identity.
  if (const Status status = model.position_from_motors(observation.q, base_quaternion_, q_); status != Status::ok) {
    return status;
  }
  Pose X_base_imu;
  if (const Status status = dynamics_.at(q_).frame_pose(imu_frame_, X_base_imu); status != Status::ok) return status;
  const Eigen::Quaterniond R_world_imu(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  const Eigen::Quaterniond R_world_base(R_world_imu.normalized().toRotationMatrix() * X_base_imu.rotation.transpose());
  base_quaternion_ = R_world_base.normalized().coeffs();  // Eigen stores x y z w
  return Status::ok;
}

Status ContactEquation::compute(const Observation& observation) noexcept {
  const RobotModel& model = dynamics_.model();
  if (observation.q.size() != model.motor_count() || observation.tau.size() != model.motor_count()) {
    return Status::wrong_size;
  }
  if (!observation.q.allFinite() || !observation.tau.allFinite()) return Status::not_finite;
  if (const Status status = orient_base(observation); status != Status::ok) return status;
  if (const Status status = model.position_from_motors(observation.q, base_quaternion_, q_); status != Status::ok) {
    return status;
  }
  const PositionTerms terms = dynamics_.at(q_);
  if (const Status status = terms.gravity_torque(full_gravity_); status != Status::ok) return status;
  if (const Status status = model.select_motor_rows(full_gravity_, gravity_); status != Status::ok) return status;
  residual_ = observation.tau - gravity_;
  const bool floating = model.base() == Base::free_flyer;
  if (floating) base_residual_ = -full_gravity_.head<6>();
  const std::vector<int>& rows = model.motor_rows();
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    if (const Status status = terms.frame_jacobian(frames_[k], full_jacobian_); status != Status::ok) return status;
    if (const Status status = terms.frame_pose(frames_[k], poses_[k]); status != Status::ok) return status;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      jacobians_[k].col(static_cast<Eigen::Index>(m)) = full_jacobian_.col(rows[m]);
    }
    if (floating) base_jacobians_[k] = full_jacobian_.leftCols<6>();
  }
  return Status::ok;
}

}  // namespace antaeus
