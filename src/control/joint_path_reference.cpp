#include "antaeus/control/joint_path_reference.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

/// exp of a rotation vector.
Matrix3 turn_by(const Vector3& rotation) noexcept {
  const double angle = rotation.norm();
  if (angle == 0.0) return Matrix3::Identity();
  return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

}  // namespace

double crossing_end(const SingularCrossing& crossing) noexcept {
  return 2.0 * crossing.reach / crossing.speed + crossing.stop;
}

MovingNumber crossing_path(const SingularCrossing& crossing, double time) noexcept {
  if (!(crossing.speed > 0.0) || !(crossing.stop > 0.0) || !std::isfinite(time)) return {kNaN, kNaN, kNaN};
  const double straight = 2.0 * crossing.reach / crossing.speed;
  if (time <= straight) return {crossing.reach - crossing.speed * time, -crossing.speed, 0.0};
  // The speed's share that is gone is x³(10 − 15x + 6x²), the least polynomial that is flat to second order at both
  // ends; its integral is x⁴(2.5 − 3x + x²), ½ at the end.
  const double x = std::min((time - straight) / crossing.stop, 1.0), x2 = x * x;
  const double gone = x2 * x * (10.0 - 15.0 * x + 6.0 * x2);
  const double gone_sum = x2 * x2 * (2.5 - 3.0 * x + x2);
  const double gone_rate = 30.0 * x2 * (1.0 - 2.0 * x + x2) / crossing.stop;
  return {-crossing.reach - crossing.speed * crossing.stop * (x - gone_sum), -crossing.speed * (1.0 - gone),
          crossing.speed * gone_rate};
}

namespace {

/// The offset at an s.
MovingNumber crossing_offset(const SingularCrossing& crossing, const MovingNumber& s) noexcept {
  const double r = s.value / crossing.window;
  if (!(std::abs(r) < 1.0) || crossing.offset == 0.0) return {};
  const double r_dot = s.rate / crossing.window, r_ddot = s.acceleration / crossing.window;
  const double inside = 1.0 - r * r;
  const double slope = -6.0 * r * inside * inside;
  const double bend = -6.0 * inside * inside + 24.0 * r * r * inside;
  return {crossing.offset * inside * inside * inside, crossing.offset * slope * r_dot,
          crossing.offset * (bend * r_dot * r_dot + slope * r_ddot)};
}

}  // namespace

JointPathReference::JointPathReference(FreeFlyer flying, ConstVectorRef q_start)
    : flying_(std::move(flying)), q_start_(q_start), svd_(6, flying_.joints()) {
  const int n = flying_.joints(), nv = 6 + n;
  at_rest_.setZero(nv);
  const FreeFlyingMotion& start = flying_.motion_at(q_start, at_rest_);
  if (start.status != Status::ok) {
    throw Error("joint path", "the start is no state of this robot: " + std::string(to_string(start.status)),
                "give q as the model's neutral() has it, with a unit quaternion");
  }
  p_com_ = start.p_com;
  // Kept: the base alone. Joints are set from neutral on.
  const Eigen::Index joints = q_start_.size() - 7;
  q_start_.tail(joints) = flying_.model().neutral().tail(joints);
  step_.setZero(nv);
  q_ = q_start_;
  for (VectorX* vector : {&v_, &v_dot_, &tau_}) vector->setConstant(nv, kNaN);
  for (VectorX* vector : {&theta_, &theta_dot_, &theta_ddot_}) vector->setConstant(n, kNaN);
  fail(Status::not_computed);
}

void JointPathReference::fail(Status status) noexcept {
  status_ = status;
  set_nan(reference_, q_, v_, v_dot_, tau_, sigma_);
}

/// q with the base of the start, through the model, for a continuous joint has two numbers in q.
void JointPathReference::set_joints(ConstVectorRef theta) noexcept {
  step_.tail(theta.size()) = theta;
  flying_.model().integrate(q_start_, step_, q_);
}

Status JointPathReference::offset_at(ConstVectorRef theta) noexcept {
  direction_.setZero();
  if (theta.size() != flying_.joints()) return Status::wrong_size;
  set_joints(theta);
  const FreeFlyingMotion& motion = flying_.motion_at(q_, at_rest_);
  if (motion.status != Status::ok) return motion.status;
  if (const Status status = svd_.compute(motion.J_plus); status != Status::ok) return status;
  direction_ = svd_.U().col(5);
  Eigen::Index largest = 0;
  direction_.cwiseAbs().maxCoeff(&largest);
  if (direction_[largest] < 0.0) direction_ = -direction_;
  return Status::ok;
}

const FlyingReference& JointPathReference::at(ConstVectorRef theta, ConstVectorRef theta_dot, ConstVectorRef theta_ddot,
                                              const MovingNumber& offset) noexcept {
  const int n = flying_.joints();
  if (theta.size() != n || theta_dot.size() != n || theta_ddot.size() != n) {
    fail(Status::wrong_size);
    return reference_;
  }
  if (!is_computable(theta_ddot) || !is_computable(offset.value) || !is_computable(offset.rate) ||
      !is_computable(offset.acceleration)) {
    fail(Status::not_finite);
    return reference_;
  }
  // The base's place and velocity follow from the centre of mass; none of the terms that are used depends on them.
  set_joints(theta);
  v_.setZero();
  v_.tail(n) = theta_dot;
  flying_.reset();
  const FreeFlyingTerms& now = flying_.at(q_, v_);
  if (now.status != Status::ok) {
    fail(now.status);
    return reference_;
  }
  status_ = Status::ok;
  sigma_ = now.conditioning.sigma_J;
  const FreeFlyingMotion& m = now.motion;
  const double mass = now.M(0, 0);
  v_dot_.setZero();
  v_dot_.tail(n) = theta_ddot;
  tau_.noalias() = now.C * v_;  // a common velocity of all bodies adds nothing
  for (int k = 0; k < n; ++k) {
    const Vector3 column_rate = (now.C.block<3, 1>(0, 6 + k) + now.C.block<1, 3>(6 + k, 0).transpose()) / mass;
    v_.head<3>() -= m.J_v_bar.col(k) * theta_dot[k];
    v_dot_.head<3>() -= column_rate * theta_dot[k] + m.J_v_bar.col(k) * theta_ddot[k];
  }
  tau_.noalias() += now.M * v_dot_;
  q_.head<3>() = p_com_ - m.X_WB.rotation * m.p_bc;

  const Matrix3& R = m.X_WE.rotation;
  Vector6 nu = Vector6::Zero(), nu_dot = Vector6::Zero();
  for (int k = 0; k < n; ++k) {
    nu += m.J_plus.col(k) * theta_dot[k];
    nu_dot += m.J_plus.col(k) * theta_ddot[k] + now.J_plus_dot.col(k) * theta_dot[k];
  }
  const Vector3 omega = R * nu.tail<3>(), omega_dot = R * nu_dot.tail<3>();
  const Vector3 along = R * direction_.head<3>(), about = R * direction_.tail<3>();
  const Vector3 arm = along * offset.value;
  PoseReference& e = reference_.end_effector;
  e.X_WE.rotation = R * turn_by(direction_.tail<3>() * offset.value);
  e.X_WE.translation = p_com_ + (m.X_WE.translation - m.p_com) + arm;
  e.velocity = R * nu.head<3>() + omega.cross(arm) + along * offset.rate;
  e.acceleration = R * (nu_dot.head<3>() + nu.tail<3>().cross(nu.head<3>())) + omega_dot.cross(arm) +
                   omega.cross(omega.cross(arm)) + 2.0 * omega.cross(along) * offset.rate + along * offset.acceleration;
  e.omega = omega + about * offset.rate;
  e.omega_dot = omega_dot + omega.cross(about) * offset.rate + about * offset.acceleration;
  reference_.base = {.R_WB = m.X_WB.rotation};
  reference_.com = {.position = p_com_};
  return reference_;
}

const FlyingReference& JointPathReference::at(const SingularCrossing& crossing, double time) noexcept {
  const MovingNumber s = crossing_path(crossing, time);
  if (crossing.theta.size() != theta_.size() || crossing.direction.size() != theta_.size()) {
    fail(Status::wrong_size);
    return reference_;
  }
  theta_ = crossing.theta + s.value * crossing.direction;
  theta_dot_ = s.rate * crossing.direction;
  theta_ddot_ = s.acceleration * crossing.direction;
  return at(theta_, theta_dot_, theta_ddot_, crossing_offset(crossing, s));
}

}  // namespace antaeus
