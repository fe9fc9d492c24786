#pragma once
/// \file
/// Coulomb friction and bias of each joint, from a few seconds of small motion in the air just before contact.
///
///     FrictionTare tare(JointFriction::told(coulomb, 0.2, 1.0), 0.001);
///     const TareMotion& wanted = tare.motion(time);            // each joint a sine of its own, 4 mrad
///     estimator.update(now, tau, {});                          // observes; nothing is touched
///     tare.add(estimator.residual(), estimator.direction());
///     estimator.set_friction(tare.friction());
///
/// Each joint's r = b − c s is a line in the direction s of its motion. Bias takes in what payload and torque constants
/// make of gravity here, so it holds near the pose of the tare.

#include <memory>

#include "antaeus/control/contact_force.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

struct FrictionTareOptions {
  double tare_duration = 4.0;       ///< of the motion [s]
  double tare_amplitude = 4e-3;     ///< of each joint's sine [rad]
  double tare_slowest = 0.5;        ///< frequency of the first joint's [Hz]
  double tare_fastest = 1.3;        ///< of the last one's [Hz]
  double tare_direction = 0.9;      ///< |s| from which a sample counts: below, the joint may stick
  double tare_correlation = 0.032;  ///< samples this far apart are independent, 2/K of the observer [s]
  double tare_noise = 0.02;         ///< least sd of a sample about the line [N·m]
};
ANTAEUS_API const OptionTable& options_of(const FrictionTareOptions&);

/// What the joints shall do, relative to where they stood when the tare began. All [n]; NaN for a time that is.
struct TareMotion {
  VectorX q, v, a;  ///< [rad], [rad/s], [rad/s²]
};

/// Scratch memory for one arm; one a thread.
class ANTAEUS_API FrictionTare {
 public:
  /// \param told  the prior: of each joint, with its variances \param time_step  between samples [s]
  /// \throws OptionsError
  FrictionTare(const JointFriction& told, double time_step, const FrictionTareOptions& options = {});
  ~FrictionTare();
  FrictionTare(FrictionTare&&) noexcept;
  FrictionTare& operator=(FrictionTare&&) noexcept;

  double duration() const noexcept;  ///< [s]
  /// Begins and ends at rest where it began: amplitudes rise and fall over 0.2 s. \param time  since the beginning [s]
  /// \realtime (contact_force_realtime_test)
  const TareMotion& motion(double time) noexcept;

  /// One sample of motion in the air, whatever the motion: r and s of the estimator. Of each joint, counts where it
  /// moves. A motion in one direction alone leaves b − c s known, and neither of both.
  /// `wrong_size`, `not_finite`: nothing is added. \realtime
  Status add(ConstVectorRef residual, ConstVectorRef direction) noexcept;

  /// Posterior of b and c given all samples, each joint for itself. \realtime
  const JointFriction& friction() noexcept;
  /// Samples of each joint that counted [n].
  const VectorX& samples() const noexcept;
  /// Forgets all samples. \realtime
  void reset() noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
