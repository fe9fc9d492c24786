#pragma once
/// \file
/// Velocities and accelerations of a recorded log, computed afterwards and without delay.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

struct SmoothMotionOptions {
  double window = 0.14;  ///< [s] length of log that one polynomial is fitted to
  int order = 3;         ///< [1] degree of that polynomial
};
ANTAEUS_API const OptionTable& options_of(const SmoothMotionOptions&);

/// A copy of the episode with motor velocities `v` and accelerations `a`. With it, a ResidualEstimator of kind
/// inverse_dynamics with `cut_off` 0 forms the zero-phase residual of a log. For a floating base the log must hold gyro
/// and accelerometer; its angular acceleration is differenced by the estimator, half a sample late.
///
/// q, τ, gyro and accelerometer go through the same fit as v and a. So all of them lose the same bandwidth, and none is
/// late against another. v is the smoothed velocity where one was recorded, else the first derivative of q;
/// a its derivative. Targets, time and the quaternion are copied. A number that was not finite stays so; another is
/// NaN where savitzky_golay() has none.
///
/// The fit uses the future: for analysis, not for loops. Events faster than the window are rounded off on both sides.
/// Channels and hash are those of the new samples; `notes` say what was done. Set-up code: allocates.
/// \throws EpisodeError without time stamps; OptionsError for a window that is not positive or too short for the order
ANTAEUS_API Episode smooth_motion(const Episode& episode, const SmoothMotionOptions& options = {});

}  // namespace antaeus
