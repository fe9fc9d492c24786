#include "antaeus/space/free_flight.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

/// The root's part of [a, b] in body axes, the adjoint representation of a on b; joints commute.
Vector6 bracket(const Vector6& a, const Vector6& b) noexcept {
  const Vector3 v = a.head<3>(), w = a.tail<3>();
  Vector6 result;
  result << w.cross(b.head<3>()) + v.cross(b.tail<3>()), w.cross(b.tail<3>());
  return result;
}

}  // namespace

FreeFlight::FreeFlight(RobotModel model) : dynamics_(std::move(model)) {
  const RobotModel& robot = dynamics_.model();
  if (robot.base() != Base::free_flyer) {
    throw ModelError(robot.description().name, "its base is bolted to the world", "load it with base = \"free_flyer\"");
  }
  q_ = robot.neutral();
  v_.setZero(robot.nv());
  a_.setConstant(robot.nv(), kNaN);
  for (VectorX* vector : {&q_stage_, &q_end_}) vector->setConstant(robot.nq(), kNaN);
  for (VectorX* vector : {&v_stage_, &u_, &u_sum_, &v_sum_, &first_, &a_stage_, &u_rate_}) {
    vector->setConstant(robot.nv(), kNaN);
  }
}

Status FreeFlight::reset(ConstVectorRef q, ConstVectorRef v) noexcept {
  if (q.size() != q_.size() || v.size() != v_.size()) return Status::wrong_size;
  if (!is_computable(v)) return Status::not_finite;
  if (const PositionTerms terms = dynamics_.at(q); terms.status() != Status::ok) return terms.status();
  q_ = q;
  v_ = v;
  a_.setConstant(kNaN);
  q_.segment<4>(3).normalize();
  time_ = 0.0;
  return Status::ok;
}

Status FreeFlight::step(ConstVectorRef tau, double dt) noexcept {
  if (tau.size() != v_.size()) return Status::wrong_size;
  if (!is_computable(dt) || dt <= 0.0 || !is_computable(tau)) return Status::not_finite;
  const RobotModel& robot = dynamics_.model();
  constexpr double kNodes[] = {0.0, 0.5, 0.5, 1.0};
  constexpr double kWeights[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  u_sum_.setZero();
  v_sum_.setZero();
  for (int stage = 0; stage < 4; ++stage) {
    if (stage == 0) {
      q_stage_ = q_;
      v_stage_ = v_;
      u_.setZero();
    } else {
      u_ = (kNodes[stage] * dt) * u_rate_;
      v_stage_ = v_ + (kNodes[stage] * dt) * a_stage_;
      if (const Status status = robot.integrate(q_, u_, q_stage_); status != Status::ok) return status;
    }
    if (const Status status = dynamics_.forward_dynamics(q_stage_, v_stage_, tau, a_stage_); status != Status::ok) {
      return status;
    }
    if (!a_stage_.allFinite()) return Status::not_finite;
    if (stage == 0) first_ = a_stage_;
    // u̇ of q = q_k exp(u) with velocity v in body axes: v + ½[u, v] + 1/12 [u, [u, v]], the series up to what order 4
    // needs, since u is of the size of the step.
    u_rate_ = v_stage_;
    const Vector6 u = u_.head<6>();
    const Vector6 once = bracket(u, v_stage_.head<6>());
    u_rate_.head<6>() += 0.5 * once + bracket(u, once) / 12.0;
    u_sum_ += kWeights[stage] * u_rate_;
    v_sum_ += kWeights[stage] * a_stage_;
  }
  u_sum_ *= dt;
  if (const Status status = robot.integrate(q_, u_sum_, q_end_); status != Status::ok) return status;
  v_stage_ = v_ + dt * v_sum_;
  if (!q_end_.allFinite() || !v_stage_.allFinite()) return Status::not_finite;
  q_ = q_end_;
  v_ = v_stage_;
  a_ = first_;
  time_ += dt;
  return Status::ok;
}

}  // namespace antaeus
