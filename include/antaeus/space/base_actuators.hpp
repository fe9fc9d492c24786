#pragma once
/// \file
/// What a base can do: thrusters give its force, reaction wheels its torque, and neither without bound.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// The same for each of the base's three axes. 0: without bound.
struct BaseActuatorOptions {
  double thruster_force = 0.0;   ///< largest force along an axis [N]; 0: any
  double wheel_torque = 0.0;     ///< largest torque of a wheel's motor [N·m]; 0: any
  double wheel_momentum = 0.0;   ///< largest angular momentum that a wheel holds [N·m·s]; 0: any
  double thruster_torque = 0.0;  ///< largest torque that thrusters add where wheels do not suffice [N·m]; 0: none
};
ANTAEUS_API const OptionTable& options_of(const BaseActuatorOptions&);

/// What the base is given, constant through the cycle. What was wanted is force + clipped_force, torque +
/// clipped_torque, up to rounding.
struct BaseEffort {
  Status status = Status::not_computed;
  Vector3 force{kNaN, kNaN, kNaN};           ///< on the base, base axes [N]
  Vector3 torque{kNaN, kNaN, kNaN};          ///< about the base's origin, base axes [N·m]: wheels and thrusters
  Vector3 by_thrusters{kNaN, kNaN, kNaN};    ///< share of the torque that is theirs [N·m]
  Vector3 wheel_momentum{kNaN, kNaN, kNaN};  ///< held by the wheels after the cycle, base axes [N·m·s]
  Vector3 clipped_force{0, 0, 0}, clipped_torque{0, 0, 0};
  bool is_limited = false;
};

/// Three wheels along the base's axes. What torque they give the base they take up: ḣ_w = −τ − ω_b × h_w. A motor gives
/// −ḣ_w; the rest, −ω_b × h_w, reaches the base through the bearings and is there whatever the motors can do. Wheels
/// serve first; thrusters add what is then missing. The base's inertia is to hold the wheels already, as at rest.
/// \realtime base_actuators_test
class ANTAEUS_API BaseActuators {
 public:
  /// \throws OptionsError for an option out of its range
  explicit BaseActuators(const BaseActuatorOptions& options = {});
  /// Wheels to rest.
  void reset() noexcept;

  /// What of a force the thrusters can give, whatever the torque; NaN for a force that is not finite. \realtime
  Vector3 force_within(const Vector3& wanted) const noexcept;
  /// One cycle of \p dt > 0 [s] with the base's angular velocity in base axes [rad/s]. `not_finite` for an argument
  /// that is not, or a dt that is not above zero: force and torque are then zero, wheels stay. \realtime
  const BaseEffort& apply(const Vector3& force, const Vector3& torque, const Vector3& omega_b, double dt) noexcept;
  const BaseEffort& last() const noexcept { return effort_; }

 private:
  BaseActuatorOptions options_;
  Vector3 momentum_{0, 0, 0};
  BaseEffort effort_;
};

}  // namespace antaeus
