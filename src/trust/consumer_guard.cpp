#include "antaeus/trust/consumer_guard.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

/// Reasons after which nothing of a sample may be used.
constexpr Reasons kRefusing = [] {
  Reasons refusing;
  for (const ReasonInfo& info : kReasons) {
    if (info.severity == Severity::error) refusing.add(info.reason);
  }
  return refusing;
}();

ConsumerGuardOptions checked(const ConsumerGuardOptions& options) {
  check_options(options);
  return options;
}

/// Of each endpoint the rows that tell of the set-up: none of a foot, which carries the robot from the start.
std::vector<std::vector<int>> watched_rows(const Robot& robot, const std::vector<std::string>& endpoints,
                                           const PosteriorEstimator& posterior) {
  std::vector<std::vector<int>> rows;
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    const bool foot = robot.kind_of(endpoints[k]) == EndpointKind::foot;
    rows.push_back(foot ? std::vector<int>() : posterior.rows(static_cast<int>(k)));
  }
  return rows;
}

/// An empty slot of the flight recorder, with all the memory that it will need.
FlightSample prototype(Eigen::Index motors, std::size_t endpoints) {
  FlightSample sample;
  for (VectorX* vector : {&sample.observation.q, &sample.observation.v, &sample.observation.a, &sample.observation.tau,
                          &sample.residual}) {
    vector->setConstant(motors, kNaN);
  }
  sample.endpoints.resize(endpoints);
  return sample;
}

}  // namespace

ConsumerGuard::ConsumerGuard(const Robot& robot, const std::vector<std::string>& endpoints,
                             const PosteriorEstimator& posterior, ConsumerGuardOptions options, InputCheckOptions input)
    : options_(checked(options)),
      input_(robot, input),
      needs_raw_(options.on_ok == ConsumerAction::pass_raw || options.on_degraded == ConsumerAction::pass_raw ||
                 options.on_refused == ConsumerAction::pass_raw),
      torque_rate_(robot.model.motor_count(), options.torque_rate, input.maximum_gap),
      set_up_(watched_rows(robot, endpoints, posterior), robot.model.motor_count(), options.set_up_time),
      suspected_(endpoints.size()),
      last_time_(kNaN),
      recorder_(options.recorder_samples, prototype(robot.model.motor_count(), endpoints.size())),
      refusal_{.endpoint = -1, .reasons = {}, .time = 0.0, .samples = recorder_} {
  const std::size_t count = endpoints.size();
  for (std::size_t k = 0; k < count; ++k) {
    const bool foot = robot.kind_of(endpoints[k]) == EndpointKind::foot;
    force_limits_.push_back(foot ? options_.foot_force_limit : options_.force_limit);
    std::vector<int> watched = posterior.rows(static_cast<int>(k));
    if (robot.reference_motor() >= 0) watched.push_back(robot.reference_motor());
    watched_.push_back(std::move(watched));
    states_.emplace_back(2, HysteresisOptions{.rise_dwell = options_.rise_dwell, .fall_dwell = options_.fall_dwell}, 0);
  }
  held_.resize(count);
  results_.resize(count);
  for (ConsumerWrench& result : results_) result.sign = posterior.options().sign;
}

void ConsumerGuard::reset() noexcept {
  input_.reset();
  for (Hysteresis& state : states_) state.reset(0);
  for (Wrench& held : held_) held = Wrench{};
  for (ConsumerWrench& result : results_) {
    const Sign sign = result.sign;
    result = ConsumerWrench{};
    result.sign = sign;
  }
  torque_rate_.reset();
  set_up_.reset();
  last_time_ = kNaN;
  recorder_.clear();
}

void ConsumerGuard::suspect(Reasons why, const std::vector<int>& motors) noexcept {
  for (std::size_t k = 0; k < suspected_.size(); ++k) {
    const auto uses = [&](int motor) { return std::ranges::find(watched_[k], motor) != watched_[k].end(); };
    if (motors.empty() || std::ranges::any_of(motors, uses)) suspected_[k].add(why);
  }
}

const std::vector<ConsumerWrench>& ConsumerGuard::update(const PosteriorEstimates& estimates,
                                                         const Feasibility& feasible,
                                                         const std::vector<ContactPlaces>& places,
                                                         const WrenchEstimates& raw, double clock) noexcept {
  const Instant& now = estimates.instant;
  const Observation& observation = now.observation();
  input_.inspect(observation);
  if (now.status() == Status::ok) torque_rate_.see(observation.time, now.torque());
  set_up_.see(estimates);
  const double dt = observation.time - last_time_;
  bool refused_now = false;
  int first_refused = -1;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    ConsumerWrench& result = results_[k];
    const Reasons reasons = inspect(k, estimates, feasible, places[k], clock);
    const int wanted = reasons.has_any(kRefusing) || estimates[k].verdict == Verdict::unobservable ||
                               (options_.refuse_sd > 0 && !(estimates[k].uncertainty.worst_sd() <= options_.refuse_sd))
                           ? 2
                       : !reasons.empty() ? 1
                                          : 0;
    const int before = states_[k].level();
    const int level = states_[k].step(wanted, observation.time);
    result.reasons = reasons | (level > wanted ? Reasons(Reason::held) : Reasons());
    if (level != before || wanted == level) result.because = reasons;
    result.state = static_cast<Verdict>(level);
    act(k, estimates, raw, dt);
    if (level == 2 && before != 2) {
      refused_now = true;
      if (first_refused < 0) first_refused = static_cast<int>(k);
    }
  }
  record(estimates);
  if (refused_now) {
    refusal_.endpoint = first_refused;
    refusal_.reasons = results_[first_refused].reasons;
    refusal_.time = observation.time;
    refusal_.samples = recorder_;  // of equal shape: nothing is allocated
    ++refusals_;
  }
  if (std::isfinite(observation.time)) last_time_ = observation.time;
  return results_;
}

Reasons ConsumerGuard::inspect(std::size_t endpoint, const PosteriorEstimates& estimates, const Feasibility& feasible,
                               const ContactPlaces& place, double clock) const noexcept {
  const WrenchEstimate& estimate = estimates[endpoint];
  const double time = estimates.instant.observation().time;
  Reasons reasons = estimate.reasons | input_.findings().reasons | suspected_[endpoint];
  reasons.add(check_age(time, clock, options_.maximum_age, input_.options()));
  for (const int motor : watched_[endpoint]) {
    reasons.add(input_.findings().motors[static_cast<std::size_t>(motor)]);
  }
  if (estimate.status != Status::ok) return reasons | Reason::invalid_input;
  reasons.add(set_up_.against(endpoint));
  for (const int motor : watched_[endpoint]) {
    if (torque_rate_.too_fast(motor)) reasons.add(Reason::torque_rate);
  }
  for (const FeasibilityMargin& margin : feasible.margins) {
    const bool concerns = margin.endpoint < 0 || margin.endpoint == static_cast<int>(endpoint);
    if (concerns && !margin.feasible) reasons.add(Reason::infeasible);
  }
  if (place.elsewhere) reasons.add(Reason::contact_elsewhere);
  if (place.faulty) reasons.add(Reason::joint_error);
  if (!(estimate.wrench.force.norm() <= force_limits_[endpoint])) reasons.add(Reason::force_limit);
  return reasons;
}

void ConsumerGuard::act(std::size_t endpoint, const PosteriorEstimates& estimates, const WrenchEstimates& raw,
                        double dt) noexcept {
  ConsumerWrench& result = results_[endpoint];
  const ConsumerAction wanted = result.state == Verdict::ok         ? options_.on_ok
                                : result.state == Verdict::degraded ? options_.on_degraded
                                                                    : options_.on_refused;
  result.action = wanted;
  if (result.stop_requested) {
    result.action = ConsumerAction::stop;
    result.wrench = Wrench{};
    return;
  }
  Wrench& held = held_[endpoint];
  const double decay = dt > 0 ? std::exp(-dt / options_.decay_time) : 1.0;
  const WrenchEstimate& estimate = estimates[endpoint];
  Wrench source = wanted == ConsumerAction::pass_raw ? raw[endpoint].wrench : estimate.wrench;
  if (wanted == ConsumerAction::observable) source.force = estimate.uncertainty.observable_force;
  const bool asks_for_value =
      wanted == ConsumerAction::pass_raw || wanted == ConsumerAction::posterior || wanted == ConsumerAction::observable;
  if (asks_for_value && source.is_finite()) {
    result.wrench = source;
    held = source;
    return;
  }
  // A state that dwells may see a sample without a number: what was last known is held, and said to be.
  if (asks_for_value) result.action = ConsumerAction::hold;
  held.force *= decay;
  held.torque *= decay;
  if (result.action == ConsumerAction::hold) {
    result.wrench = held;
    return;
  }
  held = Wrench{};
  result.wrench = Wrench{};
  if (wanted == ConsumerAction::stop) result.stop_requested = true;
}

void ConsumerGuard::record(const PosteriorEstimates& estimates) noexcept {
  FlightSample& sample = recorder_.push();
  copy_in_place(estimates.instant.observation(), sample.observation);
  sample.residual = estimates.residual.value;
  sample.residual_kind = estimates.residual.kind;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    FlightSample::AtEndpoint& at = sample.endpoints[k];
    at.wrench = estimates[k].wrench.to_vector();
    at.worst_sd = estimates[k].uncertainty.worst_sd();
    at.nis = estimates[k].uncertainty.nis;
    at.guarded = results_[k];
  }
}

const OptionTable& options_of(const ConsumerGuardOptions&) {
  using O = ConsumerGuardOptions;
  static const OptionTable table(
      "consumer_guard",
      {
          option("on_ok", "", "what the consumer reads: pass_raw, posterior, observable, hold, zero or stop",
                 "our choice", &O::on_ok),
          option("on_degraded", "", "the same while degraded",
                 "docs/concepts/uncertainty_and_verdicts.md: where a direction is not observed its number is noise of "
                 "about its sd",
                 &O::on_degraded),
          option("on_refused", "", "the same while refused", "our choice: no step in the policy's input",
                 &O::on_refused),
          option("decay_time", "s", "time constant with which a held wrench goes to zero", "five samples at 50 Hz",
                 &O::decay_time, kPositive),
          option("rise_dwell", "s", "how long a worse state must be requested; 0: at once", "our choice",
                 &O::rise_dwell),
          option("fall_dwell", "s", "how long a better state must be requested", "our choice", &O::fall_dwell),
          option("maximum_age", "s", "age of a sample above which it is refused", "five samples at 50 Hz",
                 &O::maximum_age, kPositive),
          option("torque_rate", "N·m/s", "rate of any torque used or tested, over 20 ms or more, that is refused",
                 "largest in the good runs RE1, RE2: 178; in RE3 before its peak: 1495", &O::torque_rate, kPositive),
          following(
              Follows::limit, 2.0,
              option("force_limit", "N", "force above which the estimate is refused: what the consumer was made for",
                     "twice the load: the H1-2's policy was tested with 30 N", &O::force_limit, kPositive)),
          following(
              Follows::foot_limit, 2.0,
              option("foot_force_limit", "N", "the same at feet, which carry the robot",
                     "twice the weight: all of it on one foot, set down at a walk", &O::foot_force_limit, kPositive)),
          option("refuse_sd", "N", "sd in the worst direction above which the estimate is refused; 0: degraded only",
                 "docs/validation.md#loop: the shrunk value did no harm", &O::refuse_sd),
          option("set_up_time", "s",
                 "that a force has been there from the start, a residual follows gravity or velocity, or the NIS is "
                 "high, until the configuration is suspect; 0: never",
                 "our choice: longer than pushes last (set_up_watch_test)", &O::set_up_time, kNotNegative),
          option("recorder_samples", "1", "samples that the flight recorder keeps", "10 s at 50 Hz, 1 s at 500 Hz",
                 &O::recorder_samples, at_least(1)),
      });
  return table;
}
const OptionGroup kGuardedOptions(ConsumerGuardOptions{});

}  // namespace antaeus
