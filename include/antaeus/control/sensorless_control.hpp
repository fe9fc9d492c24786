#pragma once
/// \file
/// A tool that presses, holds and traces on the motors' torques alone: tare in the air, approach, contact, one call a
/// cycle.
///
///     SensorlessControl control(coulomb, 0.001);                     // as the data sheet tells friction
///     control.begin(dynamics.at(q, v));                              // in the air, above the surface
///     const SensorlessCommand& command = control.update(dynamics.at(q, v), tau);   // tau: of the cycle that ended
///     motors.give(command.tau);
///
/// FrictionTare, ContactForceEstimator, ContactTask, HybridController and FrictionForward, wired as they belong
/// together. The force's sd gates its gain; the task refuses to touch where friction at rest would hide too much, takes
/// a stall for contact, and leaves a force that stays off.

#include <memory>

#include "antaeus/control/contact_force.hpp"
#include "antaeus/control/contact_task.hpp"
#include "antaeus/control/friction_tare.hpp"
#include "antaeus/control/hybrid_control.hpp"
#include "antaeus/control/sensorless.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

/// What keeps the joints moving while the tool holds still.
enum class Dither : std::uint8_t { none, rock };
constexpr auto enum_names(Dither) noexcept { return name_list<Dither>("none", "rock"); }

struct SensorlessOptions {
  bool tares = true;               ///< friction and bias are learnt in the air; else only what the approach shows
  Dither dither = Dither::none;    ///< without: a hold is known to what friction at rest leaves
  bool has_joint_sensors = false;  ///< torques are measured behind the gears: they hold no friction
  double stated_sd = 0.2;          ///< of the stated Coulomb friction, as a share of it
  double bias_sd = 1.0;            ///< of what payload and torque constants make of gravity before a tare [N·m]
  double gate_sd = 0.7;            ///< of the force, at which its gains are halved [N]
  double free_time = 0.5;          ///< over which the force in the air is averaged: contact is above it [s]
  double rock_after = 0.5;         ///< since contact [s]
  ContactForceOptions estimator = {};
  FrictionTareOptions tare = {};
  FrictionForwardOptions forward = {};
  RockOptions rock = {};
  HybridOptions hybrid = {.force = {.integral = 2.0, .integral_limit = 4.0, .blend = 0.1}};
  ContactTaskOptions task = {.wait_time = 0.0,
                             .landing_lead = 1e-4,
                             .contact_force = 1.2,
                             .stall_is_contact = true,
                             .settle_time = 1.0,
                             .lost_force = 1.0};
};
ANTAEUS_API const OptionTable& options_of(const SensorlessOptions&);

/// On anything but `ok`, tau is NaN: brake, or hold the position.
struct SensorlessCommand {
  Status status = Status::not_computed;
  VectorX tau;
  bool is_taring = true;
  HybridTarget target;
  ContactForce felt;
  double trust = 0.0;
  double sd_at_rest = kNaN;
};
constexpr void visit_fields(const SensorlessCommand*, auto&& visit) {
  using C = SensorlessCommand;
  visit(field("status", "", "ok, or what of the state is wrong", &C::status));
  visit(field("tau", "", "[n] N·m or N", &C::tau));
  visit(field("is_taring", "", "the task has not begun", &C::is_taring));
  visit(field("target", "", "wanted of the tool, rocking included; meaningless while taring", &C::target));
  visit(field("felt", "", "the force estimated from the torques", &C::felt));
  visit(field("trust", "", "share of the force's gains that the estimate deserves, 0 … 1", &C::trust));
  visit(field("sd_at_rest", "N", "of the force before touching, all joints at rest; NaN while taring", &C::sd_at_rest));
}

/// Scratch memory of one tool. All but the constructor is noexcept, total and free of allocation
/// (sensorless_control_realtime_test).
class ANTAEUS_API SensorlessControl {
 public:
  /// \param coulomb  friction of each joint as it is told [n] \param time_step  of the cycle [s] \throws OptionsError
  SensorlessControl(const VectorX& coulomb, double time_step, const SensorlessOptions& options = {});
  ~SensorlessControl();
  SensorlessControl(SensorlessControl&&) noexcept;
  SensorlessControl& operator=(SensorlessControl&&) noexcept;

  /// In the air, a tare's motion (some 10 mm) clear of everything. \return the state's status: not ok, nothing begins
  Status begin(const ToolState& state) noexcept;
  /// \param tau  of the motors over the cycle that ended, as commanded or as their currents say [n]; in the first cycle
  ///             what holds the arm (state.h)
  const SensorlessCommand& update(const ToolState& state, ConstVectorRef tau) noexcept;

  const SensorlessCommand& command() const noexcept;
  const ContactTask& task() const noexcept;
  const ContactForceEstimator& estimator() const noexcept;
  /// Friction that is fed forward [n].
  const VectorX& coulomb() const noexcept;
  /// Away from the surface, now.
  void retreat() noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
