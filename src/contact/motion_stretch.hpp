#pragma once
// A stretch of a motion's frames, and the part of the motion that it is computed from. Private.
#include <algorithm>
#include <cmath>

#include "antaeus/contact/contact_dynamics.hpp"

namespace antaeus::detail {

/// Frames count from the first of the whole motion.
struct MotionStretch {
  Eigen::Index frames = 0;                    ///< of the whole motion
  Eigen::Index first = 0;                     ///< number of the part's first row
  Eigen::Index begin = 0, end = 0;            ///< frames that are wanted
  double time_begin = kNaN, time_end = kNaN;  ///< of the whole motion; NaN without stamps

  double mean_step() const { return (time_end - time_begin) / static_cast<double>(frames - 1); }
};

/// Rows on both sides of a stretch from which its rates are made.
inline constexpr Eigen::Index kRateMargin = 3;

/// How many frames have wrenches: Nimble's forward differences lose two.
inline Eigen::Index frames_told(Eigen::Index frames, bool states, const ContactOptions& options) {
  const bool loses = !states && options.compatibility == Compatibility::nimble;
  return loses ? std::max<Eigen::Index>(0, frames - 2) : frames;
}

inline MotionStretch whole_of(const ContactMotion& motion, const ContactOptions& options) {
  // The base may stand beside q (root_euler): their rows are compared later.
  const Eigen::Index N = motion.frames();
  MotionStretch all{.frames = N, .end = frames_told(N, motion.is_states(), options)};
  if (motion.time.size() > 0) all.time_begin = motion.time[0], all.time_end = motion.time[motion.time.size() - 1];
  return all;
}

/// motion_dynamics of a stretch, as it has them of the whole motion. \param motion  the rows from part.first on, with
/// kRateMargin on both sides of the stretch, where there are as many
MotionDynamics motion_dynamics(const Robot& robot, ContactMotion motion, const MotionStretch& part,
                               const ContactRequest& request, const ContactOptions& options,
                               const Progress& progress = {});

}  // namespace antaeus::detail
