#pragma once
/// \file
/// Holds a level of alarm steady: worse at once, better only when it has been better for a while.

#include <vector>

#include "antaeus/core/options.hpp"

namespace antaeus {

struct HysteresisOptions {
  double rise_dwell = 0.0;
  double fall_dwell = 0.5;
  double longest_step = 0.1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"rise_dwell", "s", "how long a higher level must be asked for without a break", "at once"},
          self.rise_dwell);
    visit(OptionInfo{"fall_dwell", "s", "how long lower levels must be asked for without a break", "our choice"},
          self.fall_dwell);
    visit(OptionInfo{"longest_step", "s", "what a longer time between two requests counts as", "five steps of 50 Hz"},
          self.longest_step);
  }
};

/// Levels 0 (best) to n (worst), such as ok, degraded, refused.
///
/// The level rises to the highest that was reached or passed by every request of the last `rise_dwell` seconds, and
/// falls straight to the highest request of the last `fall_dwell` seconds: after a refusal with degraded requests it
/// falls to degraded, and not to ok before nothing was asked for during a whole dwell.
///
/// Time is counted in steps from request to request. A step back or to NaN counts nothing. A step longer than
/// `longest_step` counts as that, for nobody asked in between: a jump of the clock counts little.
class Hysteresis {
 public:
  /// \param highest  n ≥ 1; \param initial  the level to begin with, 0 … n
  /// \throws OptionsError  for these, for dwells that are negative or not finite, and for a longest_step ≤ 0
  explicit Hysteresis(int highest, const HysteresisOptions& options = {}, int initial = 0);

  /// \param wanted  level that is asked for; outside 0 … n it counts as n, the worst
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
