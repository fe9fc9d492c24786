#pragma once
/// \file
/// Hysteresis of an alarm level: it rises after one dwell time and falls after another.

#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

struct HysteresisOptions {
  double rise_dwell = 0.0;    ///< [s] how long a higher level must be requested without a break
  double fall_dwell = 0.5;    ///< [s] how long lower levels must be requested without a break
  double longest_step = 0.1;  ///< [s] what a longer time between two requests counts as
};

/// Levels 0 (best) to n (worst), such as ok, degraded, refused.
///
/// The level rises to the highest that was reached or passed by every request of the last `rise_dwell` seconds. It
/// falls directly to the highest request of the last `fall_dwell` seconds. So after a refusal with degraded requests it
/// falls to degraded. It falls to ok only when nothing worse was requested during a whole dwell.
///
/// Time is counted in steps from request to request. A step back or to NaN counts nothing. A step longer than
/// `longest_step` counts as that, since no request came in between. So a jump of the clock counts little.
class ANTAEUS_API Hysteresis {
 public:
  /// \param highest  n ≥ 1; \param initial  the level to begin with, 0 … n
  /// \throws OptionsError  for these, for dwells that are negative or not finite, and for a longest_step ≤ 0
  explicit Hysteresis(int highest, const HysteresisOptions& options = {}, int initial = 0);

  /// \param wanted  level that is requested; outside 0 … n it counts as n, the worst
  /// \param time    [s], any origin; NaN and infinity count as "no time has passed"
  /// \return the level that is held. \realtime signal_realtime_test
  int step(int wanted, double time) noexcept;

  /// The level that is held.
  int level() const noexcept { return level_; }

  /// Holds `level` (outside 0 … n: n) and forgets all requests and the clock. \realtime signal_realtime_test
  void reset(int level) noexcept;

 private:
  int bounded(int level) const noexcept;

  HysteresisOptions options_;
  int highest_, level_, last_wanted_ = 0;
  bool asked_ = false;       ///< whether there is a last request
  double last_time_;         ///< NaN before the first finite time
  std::vector<double> for_;  ///< per level: how long every request has been on its present side of "≥ level" [s]
};

}  // namespace antaeus
