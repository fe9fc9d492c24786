#pragma once
/// \file
/// Limits of tests from the false alarms an hour that their user accepts.
///
/// A test that runs f times a second and alarms by chance with probability p a sample alarms at most 3600 f p times an
/// hour, however its samples hang together: the expected number of samples in alarm is that, and every alarm has one.
/// Several tests share the alarms (union bound). Correlated samples alarm in bursts, hence less often: the limit errs
/// to the safe side, where rules by effective samples or learnt quantiles do not. What is constant over a run alarms
/// in a run or not; the rate then holds on average over runs.
/// All functions are total and noexcept; NaN for an impossible argument. \realtime alarm_rate_test

#include "antaeus/core/api.hpp"

namespace antaeus {

/// False alarms that are accepted, and the tests that share them.
struct AlarmBudget {
  double per_hour = 1.0;   ///< [1/h] of all tests together
  double interval = 0.02;  ///< [s] between two samples
  int tests = 1;           ///< run side by side
};

/// p = per_hour · interval / (3600 tests): the probability a sample and test. NaN unless all are positive and p < 1.
ANTAEUS_API double alarm_probability(const AlarmBudget& budget) noexcept;
/// The limit of |z|, z standard normal [sd].
ANTAEUS_API double normal_alarm_limit(const AlarmBudget& budget) noexcept;
/// The limit of a χ² variable.
ANTAEUS_API double chi_squared_alarm_limit(const AlarmBudget& budget, double dof) noexcept;

/// Bounds of a rate of which \p events were counted in \p hours, each wrong with probability 1 − confidence [1/h].
/// No event in one hour: at most 3.0 an hour, and no lower bound (0). Source: Garwood, Biometrika 28 (1936).
ANTAEUS_API double poisson_rate_above(double events, double hours, double confidence = 0.95) noexcept;
ANTAEUS_API double poisson_rate_below(double events, double hours, double confidence = 0.95) noexcept;

}  // namespace antaeus
