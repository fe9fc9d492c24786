#pragma once
/// \file
/// The force-control lab's hybrid law (docs/references.md) under its own names, beside HybridController: same target,
/// same command, so that either stands in the other's place.
///
///     HybridLaw law = HybridLaw::published(dynamics.size());     // the lab's gains, and an orientation term
///     const HybridCommand& command = law.update(dynamics.at(q, v), target, sensed, dt);
///
///     F_p = K_p S_p (x_d − x) − K_d S_p ẋ,      e_f = F_desired − F_measured,
///     F_f = −(K_fp e_f + K_fi ∫ e_f dt) − K_dz S_f ẋ,      τ = Jᵀ (F_p + F_f) + g(q).
///
/// What it does worse than HybridController: no velocity of the target, no C v, no Λ, no feed-forward of the force, so
/// a line is followed late, and the force begins at K_fp/(1 + K_fp) of what is wanted (docs/concepts/control.md). To
/// compare with, not to be taken to a robot.

#include "antaeus/control/hybrid_control.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// The lab's table of gains, under its names.
struct HybridLawGains {
  double K_p = 2000.0;        ///< of the place along the axes of motion [N/m]
  double K_d = 100.0;         ///< of its velocity [N·s/m]
  double K_fp = 5.0;          ///< force, proportional [1]
  double K_fi = 10.0;         ///< force, integral [1/s]
  double K_dz = 30.0;         ///< damping along the axes of force [N·s/m]
  double alpha_filter = 0.2;  ///< α: share of the newest force in its filter [1]
  double K_o = 50.0;          ///< of the orientation [N·m/rad]: not in the lab's table, nor in its printed law; 0: none
  double K_do = 5.0;          ///< of its velocity [N·m·s/rad]: the same
};
ANTAEUS_API const OptionTable& options_of(const HybridLawGains&);

/// Scratch memory of one tool. All but `published` is noexcept, total and free of allocation
/// (hybrid_control_realtime_test).
class ANTAEUS_API HybridLaw {
 public:
  /// The law as it is printed, S_p = diag(1, 1, 0) where the target's force_axes has z; with K_o = K_do = 0 the
  /// orientation is left to itself, as the lab's code leaves it.
  /// \param size  joints of the arm \throws OptionsError for a size below 1 or a gain out of its range
  static HybridLaw published(int size, const HybridLawGains& gains = {});

  /// Forgets the integrals. The filter goes on: it also runs while nothing touches.
  void restart() noexcept;

  /// One cycle. Of \p target it reads R_WC (the axes of S_p and S_f; the lab's are the world's), the first three
  /// force_axes, the wrench's force, X_WT and `integrates`; twist, acceleration, trust and moments are not in the law.
  /// \param measured  the environment on the robot, about the tool, world axes; NaN where none came: the last one stays
  /// \param dt        since the last call [s]
  /// \return the status is not_finite also while no force ever came for an axis of force; tau is NaN unless ok
  const HybridCommand& update(const ToolState& state, const HybridTarget& target, const Wrench& measured,
                              double dt) noexcept;
  const HybridCommand& command() const noexcept { return command_; }
  /// Measured force behind the filter, world axes [N]; zero before the first.
  const Vector3& filtered() const noexcept { return filtered_; }
  const HybridLawGains& gains() const noexcept { return gains_; }

 private:
  HybridLaw(int size, const HybridLawGains& gains);
  const HybridCommand& fail(Status why) noexcept;

  HybridLawGains gains_;
  Vector3 filtered_ = Vector3::Zero(), integral_ = Vector3::Zero();  // world axes; task axes
  bool has_force_ = false;
  HybridCommand command_;
};

}  // namespace antaeus
