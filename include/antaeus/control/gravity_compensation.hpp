#pragma once
/// \file
/// τ = g(q), alone or with a spring, a damper and a gated integral towards a position. The first controller to run on
/// an arm: what it gets wrong every other one gets wrong.

#include <memory>

#include "antaeus/core/wrench.hpp"
#include "antaeus/robot/torque_limits.hpp"

namespace antaeus {

/// What of the arm's own dynamics the motors carry.
enum class CarriedLoad : std::uint8_t {
  nothing,            ///< only to show what is missing: the arm sags by g / stiffness
  gravity,            ///< g(q): the arm floats, and slows down by friction alone
  nonlinear_effects,  ///< C v + g
};
constexpr auto enum_names(CarriedLoad) noexcept {
  return name_list<CarriedLoad>("nothing", "gravity", "nonlinear_effects");
}

/// What the integral did in this cycle.
enum class IntegralState : std::uint8_t {
  off,                ///< its gain is zero, or no position is given
  integrating,        ///< in every joint
  at_limit,           ///< some joint has reached `integral_limit`, or its motor its torque; the others go on
  frozen_by_wrench,   ///< a force or moment is felt: an integral would fight it
  frozen_by_verdict,  ///< the estimate of the wrench is not ok
  frozen_no_wrench,   ///< the wrench is NaN: nobody knows
};
constexpr auto enum_names(IntegralState) noexcept {
  return name_list<IntegralState>("off", "integrating", "at_limit", "frozen_by_wrench", "frozen_by_verdict",
                                  "frozen_no_wrench");
}

/// Gains are the same for every joint; for other ones see JointImpedance.
struct GravityCompensationOptions {
  CarriedLoad carried = CarriedLoad::gravity;
  double hold_stiffness = 0.0;   ///< towards the target's position [N·m/rad]
  double hold_damping = 0.0;     ///< against the joints' velocity [N·m·s/rad]
  double hold_integral = 0.0;    ///< of the position error [N·m/(rad·s)]
  double integral_limit = 5.0;   ///< of the integral's torque, each joint [N·m]
  double integral_force = 5.0;   ///< |F| from which on the integral stands still [N]
  double integral_moment = 1.0;  ///< |M| from which on it stands still [N·m]
  TorqueLimitOptions limits = {};
};
ANTAEUS_API const OptionTable& options_of(const GravityCompensationOptions&);

/// Where to stay, and what is known of contacts.
struct HoldTarget {
  VectorX q;                      ///< [n] rad or m
  Wrench wrench = {};             ///< measured or estimated, either sign: only its size counts [N, N·m]
  Verdict verdict = Verdict::ok;  ///< of the estimate; `ok` for a sensor that one trusts
};

class ANTAEUS_API GravityCompensation {
 public:
  /// \throws OptionsError; ModelError for a joint without a motor
  explicit GravityCompensation(const RobotModel& model, const GravityCompensationOptions& options = {});
  ~GravityCompensation();
  GravityCompensation(GravityCompensation&&) noexcept;
  GravityCompensation& operator=(GravityCompensation&&) noexcept;

  /// The carried load less damping alone: the arm can be led by hand. \param q, v  [n]
  /// \realtime (impedance_realtime_test)
  const LimitedTorque& update(ConstVectorRef q, ConstVectorRef v) noexcept;
  /// With spring, damper and integral. On a NaN or a wrong size tau is NaN, and the integral stands still. \realtime
  const LimitedTorque& update(ConstVectorRef q, ConstVectorRef v, const HoldTarget& target) noexcept;

  IntegralState integral_state() const noexcept;
  const VectorX& integral() const noexcept;  ///< [n] its torque
  /// The integral to zero, the rate's memory empty. \realtime
  void reset() noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
