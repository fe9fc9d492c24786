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
  Matrix3 R_WC = Matrix3::Identity();      ///< axes of the task in the world; by habit z out of the surface
  std::array<bool, 6> force_axes = {};     ///< along x y z and about x y z of it: true under force control
  Wrench wrench = {};                      ///< wanted there: the environment on the robot, about the tool, task axes
  Pose X_WT;                               ///< wanted elsewhere
  Vector6 twist = Vector6::Zero();         ///< of it, world axes [m/s, rad/s]
  Vector6 acceleration = Vector6::Zero();  ///< [m/s², rad/s²]
  bool integrates = true;                  ///< false: the integrals of force stay as they are
  bool integrates_motion = true;           ///< false: those of motion do; at rest in contact they would hunt
  double trust = 1.0;                      ///< 0 … 1: how much the measured wrench may move the robot
};

struct HybridCommand {
  Status status = Status::not_computed;     ///< `not_finite` also while no wrench ever came for an axis of force
  VectorX tau;                              ///< [n] N·m or N; NaN unless `ok`
  Wrench push;                              ///< W: what the tool exerts beyond carrying itself, world axes
  Vector6 error = Vector6::Constant(kNaN);  ///< wanted minus present pose, world axes [m, rad]
  Wrench felt;                              ///< the measured wrench as the loops took it, task axes; NaN elsewhere
  bool integral_at_limit = false;
};

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
