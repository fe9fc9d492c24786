#pragma once
/// \file
/// Hybrid force and position control: motion along some axes of a task frame, force along the others.
///
///     HybridController control(dynamics.size());
///     HybridTarget target{.R_WC = table_axes, .force_axes = {false, false, true}};   // z out of the table
///     target.wrench.force.z() = 5.0;                                                 // the table on the tool
///     const HybridCommand& command = control.update(dynamics.at(q, v), target, sensed, dt);
///
/// τ = Jᵀ W + C v + g, where along the axes of motion W = Λ (a_wanted − J̇ v), a_wanted = a + 2 ζ ω (V_d − V) + ω² e,
/// and along those of force W = the push of a ForceLoop. Motion is projected out of the axes of force: otherwise its
/// feedback shakes the force. Khatib, "A unified approach for motion and force control" (1987), with the selection in
/// the task frame.

#include <array>

#include "antaeus/control/force_loop.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

struct HybridOptions {
  double frequency = 100.0;             ///< ω of the tool's place, how stiffly motion is held [rad/s]
  double rotational_frequency = 120.0;  ///< ω of its orientation [rad/s]
  double damping_ratio = 1.0;           ///< ζ of both [1]
  double motion_integral = 0.0;         ///< [1/s]: a_wanted also has ω² times this times ∫ e dt; 0: none
  double integral_reach = 2e-3;         ///< most ∫ e dt times motion_integral [m] and [rad]
  ForceLoopOptions force = {};
  double posture_frequency = 5.0;  ///< ω of joints that the tool leaves free, toward `posture` [rad/s]
};
ANTAEUS_API const OptionTable& options_of(const HybridOptions&);

/// What is wanted in one cycle.
struct HybridTarget {
  Matrix3 R_WC = Matrix3::Identity();
  std::array<bool, 6> force_axes = {};
  Wrench wrench = {};
  Pose X_WT;
  Vector6 twist = Vector6::Zero(), acceleration = Vector6::Zero();
  bool integrates = true, integrates_motion = true;
  double trust = 1.0;
};
constexpr void visit_fields(const HybridTarget*, auto&& visit) {
  using T = HybridTarget;
  visit(field("R_WC", "", "axes of the task in the world [3 × 3]; by habit z out of the surface", &T::R_WC));
  visit(field("force_axes", "", "six, along x y z and about x y z of R_WC: true under force control", &T::force_axes));
  visit(field("wrench", "",
              "wanted along the axes of force: of the environment on the robot, about the tool, task axes",
              &T::wrench));
  visit(field("X_WT", "", "wanted along the axes of motion", &T::X_WT));
  visit(field("twist", "", "of X_WT [6], world axes, m/s and rad/s", &T::twist));
  visit(field("acceleration", "", "of X_WT [6], world axes, m/s² and rad/s²", &T::acceleration));
  visit(field("integrates", "", "false: the integrals of force stay as they are", &T::integrates));
  visit(field("integrates_motion", "", "false: those of motion do, which would hunt at rest in contact",
              &T::integrates_motion));
  visit(field("trust", "", "0 … 1: how much the measured wrench may move the robot", &T::trust));
}

struct HybridCommand {
  Status status = Status::not_computed;
  VectorX tau;
  Wrench push;
  Vector6 error = Vector6::Constant(kNaN);
  Wrench felt;
  bool integral_at_limit = false;
};
constexpr void visit_fields(const HybridCommand*, auto&& visit) {
  using C = HybridCommand;
  visit(field("status", "", "not_finite also while no wrench ever came for an axis of force", &C::status));
  visit(field("tau", "", "[n] N·m or N; NaN unless ok", &C::tau));
  visit(field("push", "", "what the tool exerts beyond carrying itself: on the environment, world axes", &C::push));
  visit(field("error", "", "[6] wanted less present pose, world axes, m and rad", &C::error));
  visit(field("felt", "", "the measured wrench as the loops took it, on the robot, task axes; NaN along axes of motion",
              &C::felt));
  visit(field("integral_at_limit", "", "whether the integral of the force's error is cut to its limit",
              &C::integral_at_limit));
}

/// Scratch memory of one tool. All functions are noexcept, total and free of allocation (hybrid_control_realtime_test).
class ANTAEUS_API HybridController {
 public:
  /// \param size  joints of the arm \throws OptionsError
  explicit HybridController(int size, const HybridOptions& options = {});

  /// Posture for the joints that the tool leaves free [n]; without one they are only damped.
  Status set_posture(ConstVectorRef q) noexcept;

  /// Forgets integrals and filters; axes of force start at the next measured wrench.
  void restart() noexcept;

  /// \param measured  the environment on the robot, about the tool, world axes; NaN where none came
  /// \param dt        since the last call [s]
  const HybridCommand& update(const ToolState& state, const HybridTarget& target, const Wrench& measured,
                              double dt) noexcept;
  const HybridCommand& command() const noexcept { return command_; }

 private:
  const HybridCommand& fail(Status why) noexcept;

  HybridOptions options_;
  std::array<ForceLoop, 6> loops_;
  std::array<bool, 6> was_force_ = {};
  Vector6 integral_ = Vector6::Zero();
  VectorX posture_, free_;
  bool has_posture_ = false;
  HybridCommand command_;
};

}  // namespace antaeus
