#include "antaeus/signal/alarm_rate.hpp"

#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"

namespace antaeus {

namespace {

bool proper(double events, double hours, double confidence) noexcept {
  return events >= 0.0 && events < kInfinity && hours > 0.0 && hours < kInfinity && confidence > 0.0 &&
         confidence < 1.0;
}

}  // namespace

double alarm_probability(const AlarmBudget& budget) noexcept {
  if (!(budget.per_hour > 0.0) || !(budget.interval > 0.0) || budget.tests < 1) return kNaN;
  const double p = budget.per_hour * budget.interval / (kSecondsAnHour * budget.tests);
  return p < 1.0 ? p : kNaN;
}

double normal_alarm_limit(const AlarmBudget& budget) noexcept {
  return -normal_quantile(0.5 * alarm_probability(budget));
}

double chi_squared_alarm_limit(const AlarmBudget& budget, double dof) noexcept {
  return chi_squared_threshold(alarm_probability(budget), dof);
}

double poisson_rate_above(double events, double hours, double confidence) noexcept {
  if (!proper(events, hours, confidence)) return kNaN;
  return 0.5 * chi_squared_threshold(1.0 - confidence, 2.0 * (events + 1.0)) / hours;
}

double poisson_rate_below(double events, double hours, double confidence) noexcept {
  if (!proper(events, hours, confidence)) return kNaN;
  return events == 0.0 ? 0.0 : 0.5 * chi_squared_quantile(1.0 - confidence, 2.0 * events) / hours;
}

}  // namespace antaeus
