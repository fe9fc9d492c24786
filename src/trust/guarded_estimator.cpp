#include "antaeus/trust/guarded_estimator.hpp"

namespace antaeus {

GuardedEstimator::GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints)
    : GuardedEstimator(robot, endpoints, robot.settings(endpoints)) {}

GuardedEstimator::GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints,
                                   const Settings& settings)
    : GuardedEstimator(robot, endpoints, settings.get<InstantOptions>(), settings.get<ResidualOptions>(),
                       settings.get<PosteriorOptions>(), settings.get<ConsumerGuardOptions>(),
                       settings.get<FeasibilityOptions>(), settings.get<InputCheckOptions>(),
                       settings.get<ContactPlaceOptions>()) {}

GuardedEstimator::GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints,
                                   InstantOptions equation, ResidualOptions residual, PosteriorOptions posterior,
                                   ConsumerGuardOptions guarded, FeasibilityOptions feasibility,
                                   InputCheckOptions input, ContactPlaceOptions places)
    : reader_(robot, endpoints, equation),
      residual_(robot, residual),
      posterior_(reader_, posterior),
      first_limits_(posterior_.identified_limits()),
      reliability_(reader_, posterior_),
      places_(robot, reader_, posterior_, places),
      feasibility_(robot, reader_.endpoint_names(), feasibility),
      raw_(reader_, {.sign = posterior.sign}),
      guard_(robot, reader_.endpoint_names(), posterior_, guarded, input) {}

void GuardedEstimator::reset() noexcept {
  residual_.reset();
  // The rate of samples is history, too: it sets the limits of tests at so many alarms per hour.
  posterior_.take_limits(first_limits_);
  guard_.reset();
}

const std::vector<ConsumerWrench>& GuardedEstimator::update(const Observation& observation, double clock) noexcept {
  const Instant& now = reader_.at(observation);
  if (guard_.needs_raw()) raw_.solve(now);
  const PosteriorEstimates& estimates = posterior_.solve(residual_.form(now));
  reliability_.judge(estimates);
  return guard_.update(estimates, feasibility_.check(estimates), places_.judge(estimates), raw_.results(), clock);
}

}  // namespace antaeus
