#pragma once
/// \file
/// The last act of a watchdog: every motor brakes its own joint. It knows no model, no estimate and no history, so that
/// nothing which has just been found wrong can reach it.
///
///     τ = −D v,   with a hold of posture −D v + K (q_hold − q),   within each motor's limit
///
/// Without the hold the torques never put energy in: τᵀ v ≤ 0 at each motor, limits included. The robot sags under its
/// weight, and a humanoid on its feet goes down. With the hold it stays near where it was when the hold began.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Group "damping_mode". Gains are shares of each motor's effort limit, so that one number fits a hip and a wrist.
struct DampingModeOptions {
  double damping = 0.2;           ///< D as a share of the motor's effort limit, of each rad/s or m/s [s/rad or s/m]
  double hold_stiffness = 2.0;    ///< K as a share of it, of each rad or m, where a hold is requested [1/rad or 1/m]
  double limit_share = 1.0;       ///< of the motor's effort limit that may be used [1]
  double unlimited_effort = 5.0;  ///< what counts as the effort limit of a motor that has none in the model [N·m or N]
};
ANTAEUS_API const OptionTable& options_of(const DampingModeOptions&);

/// Brakes: τ = −D v within the limits. Stateless: any call may be the first.
/// \param v    motor velocities [motors], in the robot's order, rad/s or m/s
/// \param tau  [motors] N·m or N; NaN on any status but `ok`: then cut the drives' power
/// \return `wrong_size`, `not_finite` (of v, or of an option; a negative option is `not_finite` too)
/// \realtime (damping_mode_test)
ANTAEUS_API Status damping_mode(const Robot& robot, ConstVectorRef v, const DampingModeOptions& options,
                                VectorRef tau) noexcept;
/// The same, and a spring towards a posture. Take for it where the robot stood as the alarm came.
/// \param q, q_hold  motor positions [motors], rad or m: now, and to be held
/// \realtime (damping_mode_test)
ANTAEUS_API Status damping_mode(const Robot& robot, ConstVectorRef v, ConstVectorRef q, ConstVectorRef q_hold,
                                const DampingModeOptions& options, VectorRef tau) noexcept;

}  // namespace antaeus
