#include "antaeus/robot/instant.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/possible.hpp"
#include "robot/check_inertia.hpp"
#include "robot/quaternion_slack.hpp"

namespace antaeus {

namespace {

/// Gives a channel that may be missing its memory, or takes it away: meanwhile it waits in `spare`.
void follow_presence(const VectorX& from, VectorX& to, VectorX& spare) noexcept {
  if ((from.size() == 0) != (to.size() == 0)) to.swap(spare);
}

/// \param bound  of numbers that a robot can have
template <class Channel>
Status check_numbers(const Channel& channel, double bound) noexcept {
  return are_possible(channel, bound) ? Status::ok : Status::not_finite;
}

}  // namespace

const Instant::Data Instant::kOfNothing{};

InstantReader::InstantReader(const Robot& robot, const std::vector<std::string>& endpoints, InstantOptions options)
    : profile_(std::make_shared<const RobotProfile>(robot.profile)),
      options_(options),
      names_(robot.frames_named(endpoints)),
      memory_(std::make_shared<Instant::Memory>(robot.model)) {
  const RobotModel& model = robot.model;
  if (endpoints.empty())
    throw ModelError(robot.profile.name, "no endpoints", "name at least one frame (" + arg(Input::endpoint) + ")");
  if (model.motor_count() == 0) {
    throw ModelError(robot.profile.name, "the robot has no motors: there are no torques to estimate from",
                     "give a description with movable joints");
  }
  for (const std::string& name : names_) {
    if (!model.has_frame(name)) throw_unknown<ModelError>("endpoints", "frame", name, model.frame_names());
    frames_.push_back(model.frame(name));
  }
  detail::check_inertia(model);
  if (!robot.profile.imu.frame.empty()) imu_frame_ = model.frame(robot.profile.imu.frame);
  full_gravity_.setZero(model.nv());
  full_jacobian_.setZero(6, model.nv());
  const Eigen::Index motors = model.motor_count();
  spare_v_.setConstant(motors, kNaN);
  spare_a_.setConstant(motors, kNaN);

  Instant::Data& nothing = memory_->nothing;
  nothing.reference_motor = robot.reference_motor();
  for (VectorX* vector : {&nothing.torque, &nothing.gravity, &nothing.static_residual, &nothing.observation.q,
                          &nothing.observation.tau}) {
    vector->setConstant(motors, kNaN);
  }
  nothing.base_q.setConstant(model.nq(), kNaN);
  nothing.jacobians.assign(frames_.size(), Matrix6X::Constant(6, motors, kNaN));
  nothing.base_jacobians.assign(frames_.size(), Matrix6::Constant(kNaN));
  nothing.poses.assign(frames_.size(), Pose{Matrix3::Constant(kNaN), Vector3::Constant(kNaN)});
  memory_->now = nothing;
  instant_ = Instant(memory_, memory_->generation);
}

const Instant& InstantReader::at(const Observation& observation) noexcept {
  ++memory_->generation;
  instant_.generation_ = memory_->generation;
  Instant::Data& now = memory_->now;
  keep(observation);
  now.motion_status = check_motion(observation);
  now.status = compute(observation);
  if (now.status == Status::ok) return instant_;
  set_nan(now.torque, now.gravity, now.static_residual, now.base_q, now.base_residual, now.jacobians,
          now.base_jacobians, now.poses);
  now.base_terms = PositionTerms();
  now.R_WB.setIdentity();
  now.used_imu = false;
  return instant_;
}

void InstantReader::keep(const Observation& observation) noexcept {
  Observation& kept = memory_->now.observation;
  follow_presence(observation.v, kept.v, spare_v_);
  follow_presence(observation.a, kept.a, spare_a_);
  copy_in_place(observation, kept);
}

Status InstantReader::check_motion(const Observation& observation) const noexcept {
  for (const auto& [channel, bound] :
       {std::pair(&observation.v, kImpossibleSpeed), std::pair(&observation.a, kImpossibleAcceleration)}) {
    if (channel->size() == 0) continue;
    if (channel->size() != model().motor_count()) return Status::wrong_size;
    if (const Status status = check_numbers(*channel, bound); status != Status::ok) return status;
  }
  Status status = Status::ok;
  if (observation.has_gyro) status = check_numbers(observation.imu_angular_velocity, kImpossibleSpeed);
  if (status != Status::ok || !observation.has_accelerometer) return status;
  return check_numbers(observation.imu_specific_force, kImpossibleSpecificForce);
}

Status InstantReader::orient_base(const Observation& observation) noexcept {
  Instant::Data& now = memory_->now;
  now.R_WB.setIdentity();
  now.used_imu = false;
  if (!observation.has_imu || options_.imu == ImuUse::none || model().base() == Base::fixed) return Status::ok;
  const Eigen::Vector4d& xyzw = observation.imu_quaternion_xyzw;
  if (!xyzw.allFinite()) return Status::not_finite;
  if (std::abs(xyzw.norm() - 1.0) > kQuaternionSlack) return Status::bad_orientation;
  now.used_imu = true;
  const Eigen::Quaterniond imu(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  now.R_WB = imu.normalized().toRotationMatrix();
  if (options_.imu == ImuUse::as_base || imu_frame_.index < 0) return Status::ok;
  // R_world_base = R_world_imu · R_base_imuᵀ, the latter by the kinematics.
  Pose X_base_imu;
  if (const Status status = now.base_terms.frame_pose(imu_frame_, X_base_imu); status != Status::ok) return status;
  now.R_WB = now.R_WB * X_base_imu.rotation.transpose();
  return Status::ok;
}

Status InstantReader::compute(const Observation& observation) noexcept {
  const RobotModel& model = this->model();
  Instant::Data& now = memory_->now;
  if (observation.q.size() != model.motor_count() || observation.tau.size() != model.motor_count()) {
    return Status::wrong_size;
  }
  if (!are_possible(observation.q, kImpossiblePosition) || !observation.tau.allFinite()) return Status::not_finite;
  for (Eigen::Index m = 0; m < now.torque.size(); ++m) {
    now.torque[m] = profile_->joint_torque(static_cast<std::size_t>(m), observation.tau[m]);
  }
  if (!are_possible(now.torque, kImpossibleTorque)) return Status::not_finite;
  // Kinematics run once, with the base at the identity; what depends on its orientation is turned afterwards.
  const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0);
  if (const Status status = model.position_from_motors(observation.q, upright, now.base_q); status != Status::ok) {
    return status;
  }
  now.base_terms = memory_->dynamics.at(now.base_q);
  const PositionTerms& terms = now.base_terms;
  if (const Status status = orient_base(observation); status != Status::ok) return status;
  const Matrix3& R_WB = now.R_WB;
  const Vector3 gravity = R_WB.transpose() * model.gravity();
  if (const Status status = terms.gravity_torque(gravity, full_gravity_); status != Status::ok) return status;
  if (const Status status = model.select_motor_rows(full_gravity_, now.gravity); status != Status::ok) return status;
  now.static_residual = now.torque - now.gravity;
  const bool floating = model.base() == Base::free_flyer;
  if (floating) now.base_residual = -full_gravity_.head<6>();
  const std::vector<int>& rows = model.motor_rows();
  const auto turn = [&](const auto& from, auto to) {
    to.template head<3>().noalias() = R_WB * from.template head<3>();
    to.template tail<3>().noalias() = R_WB * from.template tail<3>();
  };
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    if (const Status status = terms.frame_jacobian(frames_[k], full_jacobian_); status != Status::ok) return status;
    if (const Status status = terms.frame_pose(frames_[k], now.poses[k]); status != Status::ok) return status;
    now.poses[k] = Pose{R_WB, Vector3::Zero()} * now.poses[k];
    // Columns that are exactly zero stay exactly zero, whatever the orientation.
    for (std::size_t m = 0; m < rows.size(); ++m) {
      turn(full_jacobian_.col(rows[m]), now.jacobians[k].col(static_cast<Eigen::Index>(m)));
    }
    if (!floating) continue;
    for (Eigen::Index column = 0; column < 6; ++column) {
      turn(full_jacobian_.col(column), now.base_jacobians[k].col(column));
    }
  }
  return Status::ok;
}

Status tilt_torque(const Instant& now, const Vector3& gravity, int axis, VectorRef torque) noexcept {
  // g is linear in free fall. Turned by δ about the base's axis e, the base sees free fall change by (γ × e) δ.
  const Vector3 fall = now.base_rotation().transpose() * gravity;
  return now.base_terms().gravity_torque(fall.cross(Vector3::Unit(axis)), torque);
}

const OptionTable& options_of(const InstantOptions&) {
  using O = InstantOptions;
  static const OptionTable table(
      "equation",
      {
          option("imu", "", "what the base's orientation is taken from: mounted, as_base (as deployed), none",
                 "docs/validation.md#imu: the H1-2's IMU sits on the torso link, its deployed code feeds "
                 "the "
                 "quaternion to the pelvis",
                 &O::imu),
      });
  return table;
}
const OptionGroup kInstantOptions(InstantOptions{});

}  // namespace antaeus
