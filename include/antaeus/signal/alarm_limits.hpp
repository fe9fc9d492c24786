#pragma once
/// \file
/// Limits of χ² tests inside a loop: from a probability a sample, or from false alarms an hour at the interval at which
/// samples turn out to come.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/signal/ring_buffer.hpp"

namespace antaeus {

/// What the user accepts.
struct AlarmRate {
  double probability = 0.005;  ///< a sample and test, where `per_hour` is 0
  double per_hour = 0.0;       ///< [1/h] of all tests together, by the union bound; 0: `probability`
  int tests = 1;               ///< that run side by side
};

/// Interval that is assumed until two samples with a time have come [s].
inline constexpr double kAssumedInterval = 0.02;

/// The limits of tests with 1 … `most_dof` degrees of freedom. The interval is the mean of the last 32 gaps between
/// samples, so that lost and late samples count as what they are. All quantiles are taken by the constructor, for
/// intervals from 0.1 ms to 10 s; between them p is right within 0.5 % (alarm_limits_test).
class ANTAEUS_API AlarmLimits {
 public:
  /// \throws OptionsError for a probability outside 0 … 1, a negative rate, no test or no degree of freedom
  AlarmLimits(const AlarmRate& rate, int most_dof);

  /// Takes a sample's time [s]. One that is not finite or does not advance is left out; after time that goes back, or a
  /// pause above 10 s, the interval is measured anew and keeps its last value until then. \realtime (alarm_limits_test)
  void step(double time) noexcept;
  /// Mean gap of the last samples [s]; kAssumedInterval before there is one.
  double interval() const noexcept { return interval_; }
  /// p a sample and test at that interval; at most ½.
  double probability() const noexcept;
  /// Of a χ² of \p dof degrees of freedom, clamped to 1 … most_dof; infinity for none. \realtime (alarm_limits_test)
  double limit(int dof) const noexcept;
  /// Forgets the interval.
  void reset() noexcept;

 private:
  double at(double interval) const noexcept;
  AlarmRate rate_;
  int most_dof_;
  RingBuffer<double> times_;
  double interval_ = kAssumedInterval;
  int node_ = 0;                ///< of the table, at or below the interval
  double share_ = 0.0;          ///< of the next node
  std::vector<double> limits_;  ///< most_dof + 1 a node, by degrees of freedom
};

}  // namespace antaeus
