#include "antaeus/space/base_actuators.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

/// Turns base axes that have moved by ω dt: what stands still in the world, as they see it afterwards.
Vector3 carried_back(const Vector3& fixed, const Vector3& omega, double dt) noexcept {
  const double angle = omega.norm() * dt;
  if (!(angle > 0.0)) return fixed;
  return Eigen::AngleAxisd(-angle, omega.normalized()) * fixed;
}

double bound_of(double limit) noexcept { return limit > 0.0 ? limit : kInfinity; }

}  // namespace

const OptionTable& options_of(const BaseActuatorOptions&) {
  using O = BaseActuatorOptions;
  static const OptionTable table(
      "actuators",
      {
          option("thruster_force", "N", "largest force of the base's thrusters along an axis; 0: any", "an ideal base",
                 &O::thruster_force),
          option("wheel_torque", "N·m", "largest torque of a reaction wheel's motor; 0: any", "an ideal base",
                 &O::wheel_torque),
          option("wheel_momentum", "N·m·s", "largest angular momentum that a reaction wheel holds; 0: any",
                 "an ideal base", &O::wheel_momentum),
          option("thruster_torque", "N·m", "largest torque that thrusters add where wheels do not suffice; 0: none",
                 "an ideal base", &O::thruster_torque),
      });
  return table;
}
namespace {
const OptionGroup kGroup(BaseActuatorOptions{});
}  // namespace

BaseActuators::BaseActuators(const BaseActuatorOptions& options) : options_(options) { check_options(options_); }

void BaseActuators::reset() noexcept {
  momentum_.setZero();
  effort_ = {};
}

Vector3 BaseActuators::force_within(const Vector3& wanted) const noexcept {
  if (!wanted.allFinite()) return Vector3::Constant(kNaN);
  const double bound = bound_of(options_.thruster_force);
  return wanted.cwiseMax(-bound).cwiseMin(bound);
}

const BaseEffort& BaseActuators::apply(const Vector3& force, const Vector3& torque, const Vector3& omega_b,
                                       double dt) noexcept {
  effort_ = {};
  effort_.status = Status::not_finite;
  effort_.force.setZero();
  effort_.torque.setZero();
  effort_.by_thrusters.setZero();
  effort_.wheel_momentum = momentum_;
  effort_.clipped_force = force;
  effort_.clipped_torque = torque;
  effort_.is_limited = true;
  if (!force.allFinite() || !torque.allFinite() || !omega_b.allFinite() || !(dt > 0.0)) return effort_;

  // The wheels' momentum is turned as a whole, not by a step along ω × h, which would make it longer each time.
  const Vector3 bearings = (momentum_ - carried_back(momentum_, omega_b, dt)) / dt;  // ω × h, mean of the cycle
  const double motor_bound = bound_of(options_.wheel_torque), held = bound_of(options_.wheel_momentum);
  const double thruster_bound = options_.thruster_torque;
  Vector3 by_wheels, by_thrusters, after;
  for (int axis = 0; axis < 3; ++axis) {
    const double wanted = torque[axis] + bearings[axis], h = momentum_[axis];
    const double motor =
        std::clamp(wanted, std::max(-motor_bound, (h - held) / dt), std::min(motor_bound, (h + held) / dt));
    by_wheels[axis] = motor == wanted ? torque[axis] : motor - bearings[axis];
    by_thrusters[axis] = std::clamp(torque[axis] - by_wheels[axis], -thruster_bound, thruster_bound);
    after[axis] = std::clamp(h - dt * motor, -held, held);  // rounding
  }
  if (!after.allFinite() || !by_wheels.allFinite() || !by_thrusters.allFinite()) return effort_;

  momentum_ = after;
  effort_.status = Status::ok;
  effort_.force = force_within(force);
  effort_.torque = by_wheels + by_thrusters;
  effort_.by_thrusters = by_thrusters;
  effort_.wheel_momentum = momentum_;
  effort_.clipped_force = force - effort_.force;
  effort_.clipped_torque = torque - effort_.torque;
  effort_.is_limited = !effort_.clipped_force.isZero(0.0) || !effort_.clipped_torque.isZero(0.0);
  return effort_;
}

}  // namespace antaeus
