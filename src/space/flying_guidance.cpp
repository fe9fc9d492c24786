#include "antaeus/space/flying_guidance.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/core/in_place.hpp"

namespace antaeus {

namespace {

constexpr double kNearestPivot = 1e-9;      // [m]; nearer, the direction is rounding
constexpr double kNearestOpposite = 1e-12;  // of 1 + d·u, half of the angle's square: 1.4e-6 rad

/// A result of which nothing is known.
template <class Reference>
Reference unknown() noexcept {
  Reference nothing;
  set_nan(nothing);
  return nothing;
}

/// About a fixed axis of the world, as far as the passage has come.
AttitudeReference turned(const Matrix3& start, const Vector3& axis, double angle, const PassageValue& at) noexcept {
  return {Eigen::AngleAxisd(angle * at.s, axis) * start, axis * (angle * at.s_dot), axis * (angle * at.s_ddot)};
}

/// From start to goal about one axis, by at most half a turn.
AttitudeReference turned(const Matrix3& start, const Matrix3& goal, const PassageValue& at) noexcept {
  if (!start.allFinite() || !goal.allFinite()) return unknown<AttitudeReference>();
  Eigen::Quaterniond way(Matrix3(goal * start.transpose()));
  way.normalize();
  const Eigen::AngleAxisd turn(way);
  return turned(start, turn.axis(), turn.angle(), at);
}

PointReference along(const Vector3& start, const Vector3& goal, const PassageValue& at) noexcept {
  const Vector3 way = goal - start;
  return {start + at.s * way, at.s_dot * way, at.s_ddot * way};
}

AttitudeReference faced(const BasePlan& plan, const PoseReference& tool) noexcept {
  const Vector3 arm = tool.X_WE.translation - plan.pivot;
  const double r = arm.norm(), length = plan.direction.norm();
  if (!(r > kNearestPivot) || !(length > 0.0) || !all_finite(tool)) return unknown<AttitudeReference>();
  const Vector3 d = plan.direction / length, u = arm / r;
  const double r_dot = u.dot(tool.velocity);
  const Vector3 u_dot = (tool.velocity - r_dot * u) / r;
  const Vector3 u_ddot =
      (tool.acceleration - u.dot(tool.acceleration) * u - 2.0 * r_dot * u_dot) / r - u_dot.squaredNorm() * u;

  // The unit quaternion (w, x) along (1 + d·u, d × u): w² = (1 + d·u) / 2 and 2 w x = d × u.
  const double one_and_cosine = 1.0 + d.dot(u);
  if (!(one_and_cosine > kNearestOpposite)) return unknown<AttitudeReference>();
  const double w = std::sqrt(0.5 * one_and_cosine);
  const double w_dot = d.dot(u_dot) / (4.0 * w);
  const double w_ddot = d.dot(u_ddot) / (4.0 * w) - w_dot * w_dot / w;
  const Vector3 x = d.cross(u) / (2.0 * w);
  const Vector3 x_dot = (d.cross(u_dot) - 2.0 * w_dot * x) / (2.0 * w);
  const Vector3 x_ddot = (d.cross(u_ddot) - 4.0 * w_dot * x_dot - 2.0 * w_ddot * x) / (2.0 * w);

  AttitudeReference base;
  base.R_WB = Eigen::Quaterniond(w, x.x(), x.y(), x.z()).normalized().toRotationMatrix() * plan.start;
  base.omega = 2.0 * (w * x_dot - w_dot * x + x.cross(x_dot));  // the vector of 2 q̇ q*
  base.omega_dot = 2.0 * (w * x_ddot - w_ddot * x + x.cross(x_ddot));
  return base;
}

}  // namespace

PassageValue passage_at(const Passage& passage, double time) noexcept {
  const double span = passage.end - passage.begin;
  if (!std::isfinite(span) || !(span >= 0.0) || !std::isfinite(time)) return {kNaN, kNaN, kNaN};
  if (time >= passage.end) return {1.0, 0.0, 0.0};
  if (time <= passage.begin) return {0.0, 0.0, 0.0};
  const double t = (time - passage.begin) / span, left = 1.0 - t;
  return {t * t * t * (10.0 - 15.0 * t + 6.0 * t * t), 30.0 * t * t * left * left / span,
          60.0 * t * left * (left - t) / (span * span)};
}

namespace {

PoseReference end_effector_reference(const EndEffectorPlan& plan, double time) noexcept {
  const PassageValue at = passage_at(plan.passage, time);
  PoseReference tool;
  AttitudeReference turn;
  if (plan.kind == EndEffectorGuidance::move) {
    turn = turned(plan.start.rotation, plan.goal.rotation, at);
    const PointReference point = along(plan.start.translation, plan.goal.translation, at);
    tool.X_WE.translation = point.position;
    tool.velocity = point.velocity;
    tool.acceleration = point.acceleration;
  } else {
    const double length = plan.axis.norm();
    if (!(length > 0.0)) return unknown<PoseReference>();
    turn = turned(plan.start.rotation, plan.axis / length, plan.angle, at);
    const Vector3 arm =
        Eigen::AngleAxisd(plan.angle * at.s, plan.axis / length) * Vector3(plan.start.translation - plan.center);
    tool.X_WE.translation = plan.center + arm;
    tool.velocity = turn.omega.cross(arm);
    tool.acceleration = turn.omega_dot.cross(arm) + turn.omega.cross(tool.velocity);
  }
  tool.X_WE.rotation = turn.R_WB;
  tool.omega = turn.omega;
  tool.omega_dot = turn.omega_dot;
  return all_finite(tool) ? tool : unknown<PoseReference>();
}

AttitudeReference base_reference(const BasePlan& plan, const PoseReference& end_effector, double time) noexcept {
  const AttitudeReference base = plan.kind == BaseGuidance::move
                                     ? turned(plan.start, plan.goal, passage_at(plan.passage, time))
                                     : faced(plan, end_effector);
  return all_finite(base) ? base : unknown<AttitudeReference>();
}

PointReference com_reference(const ComPlan& plan, const PoseReference& end_effector, const AttitudeReference& base,
                             double time) noexcept {
  PointReference com;
  if (plan.kind == ComGuidance::move) {
    com = along(plan.start, plan.goal, passage_at(plan.passage, time));
  } else {
    const Vector3 arm = base.R_WB * plan.p_CE_B, arm_dot = base.omega.cross(arm);
    com.position = end_effector.X_WE.translation - arm;
    com.velocity = end_effector.velocity - arm_dot;
    com.acceleration = end_effector.acceleration - base.omega_dot.cross(arm) - base.omega.cross(arm_dot);
  }
  return all_finite(com) ? com : unknown<PointReference>();
}

}  // namespace

FlyingReference flying_reference(const FlyingPlan& plan, double time) noexcept {
  FlyingReference reference;
  reference.end_effector = end_effector_reference(plan.end_effector, time);
  reference.base = base_reference(plan.base, reference.end_effector, time);
  reference.com = com_reference(plan.com, reference.end_effector, reference.base, time);
  return reference;
}

}  // namespace antaeus
