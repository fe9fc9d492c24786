#pragma once
/// \file
/// How often tests alarm: the limits that a rate of false alarms asks for, and what a count of alarms proves of a rate.

#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"

namespace antaeus::test {

/// False alarms that are accepted, and the tests that share them.
struct AlarmBudget {
  double per_hour = 1.0;   ///< [1/h] of all tests together
  double interval = 0.02;  ///< [s] between two samples
  int tests = 1;           ///< run side by side
};

/// p = per_hour · interval / (3600 tests): the probability a sample and test.
inline double alarm_probability(const AlarmBudget& budget) {
  return budget.per_hour * budget.interval / (kSecondsAnHour * budget.tests);
}
/// The limit of |z|, z standard normal [sd].
inline double normal_alarm_limit(const AlarmBudget& budget) {
  return -normal_quantile(0.5 * alarm_probability(budget));
}
/// The limit of a χ² variable.
inline double chi_squared_alarm_limit(const AlarmBudget& budget, double dof) {
  return chi_squared_threshold(alarm_probability(budget), dof);
}

/// Bounds of a rate of which \p events were counted in \p hours, each wrong with probability 1 − confidence [1/h].
/// No event in one hour: at most 3.0 an hour, and no lower bound (0). Source: Garwood, Biometrika 28 (1936).
inline double poisson_rate_above(double events, double hours, double confidence = 0.95) {
  return 0.5 * chi_squared_threshold(1.0 - confidence, 2.0 * (events + 1.0)) / hours;
}
inline double poisson_rate_below(double events, double hours, double confidence = 0.95) {
  return events == 0.0 ? 0.0 : 0.5 * chi_squared_quantile(1.0 - confidence, 2.0 * events) / hours;
}

}  // namespace antaeus::test
