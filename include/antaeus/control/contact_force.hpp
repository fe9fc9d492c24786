#pragma once
/// \file
/// How hard a tool presses, from the motors' torques alone, with the standard deviation that friction leaves.
///
///     ContactForceEstimator estimator(6, 0.001);                     // scratch memory, one a thread
///     estimator.set_friction(tare.friction());                       // as known, and how well
///     const ContactForce& felt = estimator.update(now, tau, {.normal = n, .press = 5.0});   // once a cycle
///     felt.force, felt.sd;
///
/// The momentum observer of De Luca (2006) gives each joint's torque that the model does not explain, and a Gaussian
/// posterior the force along the normal in it. A joint at rest tells nothing below its Coulomb friction; what moves
/// tells nearly all, so `sd` falls fivefold while the arm moves.
///
/// Sign: the environment on the robot, along the surface's normal out of the surface. Pressing is positive.

#include <memory>

#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/reasons.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// What is known of each joint's friction: τ_motor holds b − c sign(v) beside the model's torque and the contact's.
/// All [n]; b and c in N·m or N.
struct JointFriction {
  VectorX bias, coulomb;
  VectorX bias_variance, coulomb_variance;
  VectorX covariance;  ///< of b and c of one joint

  /// As told by a data sheet. \param share  sd of c, as a share of c \param bias_sd  of b, each joint's
  static ANTAEUS_API JointFriction told(ConstVectorRef coulomb, double share, double bias_sd);
};

struct ContactForceOptions {
  double observer_rate = 62.8;        ///< K of the momentum observer [1/s]
  double window = 0.1;                ///< over which the estimate is averaged [s]; a dither's period while there is one
  double sign_speed = 3e-4;           ///< tanh(v / this) is the direction of friction [rad/s or m/s]
  double contact_friction = 0.65;     ///< of the contact, as far as known
  double contact_friction_sd = 0.25;  ///< its sd while the tool slides
  double across_sd = 0.15;            ///< sd of the force across the sliding, as a share of the press
  double slip_speed = 5e-4;           ///< of the tool along the surface, above which it slides [m/s]
  double lever = 0.008;               ///< sd of the contact's location from the tool's origin, each axis [m]
  double torque_sd = 0.1;             ///< of each motor's torque, white [N·m]
  double velocity_sd = 1e-3;          ///< of each joint's velocity, white [rad/s]
  double bias_floor = 0.02;           ///< sd of what no tare knows: b changes with the pose [N·m]
  double coulomb_floor = 0.03;        ///< the same of c, as a share of c
  double usable_sd = 0.4;             ///< sd as a share of the press, above which the verdict is `degraded`
  double blind_sd = 1.0;              ///< the same, above which it is `unobservable`
};
ANTAEUS_API const OptionTable& options_of(const ContactForceOptions&);

/// The contact that is looked for.
struct ContactSituation {
  Vector3 normal = Vector3::UnitZ();  ///< out of the surface, world axes, of unit length
  double press = 0.0;                 ///< the force that is wanted or expected [N]; 0: none, the tool is in the air
  double window = 0.0;                ///< average over this time [s], in place of the options'; 0: the options'
};

/// On any status but `ok` all numbers are NaN and the verdict is `invalid_input`.
struct ContactForce {
  Status status = Status::not_computed;
  Verdict verdict = Verdict::invalid_input;
  Reasons reasons = Reason::invalid_input;
  double force = kNaN, sd = kNaN;
  double instant = kNaN, instant_sd = kNaN;
  double moving = kNaN;
  double hidden = kNaN;
};
constexpr void visit_fields(const ContactForce*, auto&& visit) {
  using F = ContactForce;
  visit(field("status", "", "ok, or what of the state is wrong", &F::status));
  visit(field("verdict", "", "how far the force may be used", &F::verdict));
  visit(field("reasons", "", "settling, uncertain, unobservable_direction", &F::reasons));
  visit(field("force", "N", "along the normal, averaged", &F::force));
  visit(field("sd", "N", "of that: posterior, and the scatter within the window", &F::sd));
  visit(field("instant", "N", "not averaged", &F::instant));
  visit(field("instant_sd", "N", "the posterior's alone", &F::instant_sd));
  visit(field("moving", "", "share of the friction in the force's way that moves and is known by its direction, 0 … 1",
              &F::moving));
  visit(field("hidden", "N", "what friction at rest can hide at most: Σ |k_i| c_i u_i over the joints", &F::hidden));
}

/// Scratch memory for one arm; one a thread.
class ANTAEUS_API ContactForceEstimator {
 public:
  /// The longest window [s].
  static constexpr double kLongestWindow = 2.0;

  /// \param joints  n \param time_step  of the control cycle [s]
  /// \throws OptionsError
  ContactForceEstimator(int joints, double time_step, const ContactForceOptions& options = {});
  ~ContactForceEstimator();
  ContactForceEstimator(ContactForceEstimator&&) noexcept;
  ContactForceEstimator& operator=(ContactForceEstimator&&) noexcept;

  /// Nothing is known of friction before the first call: c = 0. The window starts anew, for its samples were read with
  /// another friction; the observer goes on. `wrong_size`, `not_finite` (also c or a variance below zero): the last
  /// one stays. \realtime
  Status set_friction(const JointFriction& friction) noexcept;
  const JointFriction& friction() const noexcept;

  /// One cycle. \param now  after the cycle \param tau  of the motors over the cycle [n], before friction; or what
  /// joint torque sensors say, sign of the motors, with a friction of 0
  /// \return the last one's numbers are overwritten. Bad input restarts observer and window: the next is its first.
  /// \realtime (contact_force_realtime_test)
  const ContactForce& update(const ToolState& now, ConstVectorRef tau, const ContactSituation& contact) noexcept;
  const ContactForce& felt() const noexcept;

  /// r [n]: torque that the model does not explain, contact, friction and bias together, some 1/K late.
  const VectorX& residual() const noexcept;
  /// s [n]: direction of each joint's friction, −1 … 1, as late as r.
  const VectorX& direction() const noexcept;

  /// sd of the force with all joints at rest, before anything is touched [N]: no motion, none of r. NaN on bad input.
  /// \realtime
  double sd_at_rest(const ToolState& now, const ContactSituation& contact) noexcept;

  /// Forgets all samples. \realtime
  void reset() noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
