#include "antaeus/estimation/guarded_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// A contact may begin between two samples; over this time its torque must have had the time to grow.
constexpr double kRateWindow = 0.02;

/// Reasons after which nothing of a sample may be used.
constexpr std::uint32_t kRefusing = kReasonInvalidInput | kReasonTimeBack | kReasonStale | kReasonInconsistent |
                                    kReasonTorqueRate | kReasonForceLimit | kReasonInfeasible;

GuardedOptions checked(const GuardedOptions& o) {
  const auto positive = [](double value, const char* name) {
    if (!(value > 0)) throw OptionsError(std::string("guarded.") + name, "must be more than zero", "give a size");
  };
  positive(o.decay_time, "decay_time");
  positive(o.maximum_age, "maximum_age");
  positive(o.torque_rate, "torque_rate");
  positive(o.force_limit, "force_limit");
  if (o.recorder_samples < 1) throw OptionsError("guarded.recorder_samples", "below 1", "keep at least one sample");
  return o;
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

/// Copies a channel into memory that is there already: a missing or misshapen one becomes NaN.
void copy_channel(const VectorX& from, VectorX& to) noexcept {
  if (from.size() == to.size()) {
    to = from;
  } else {
    to.setConstant(kNaN);
  }
}

}  // namespace

GuardedEstimator::GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints)
    : GuardedEstimator(robot, endpoints, profile_options<ContactEquationOptions>(robot.profile, "equation"),
                       profile_options<ResidualOptions>(robot.profile, "residual"),
                       profile_options<PosteriorOptions>(robot.profile, "posterior"),
                       profile_options<GuardedOptions>(robot.profile, "guarded"),
                       profile_options<FeasibilityOptions>(robot.profile, "feasibility")) {}

GuardedEstimator::GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints,
                                   ContactEquationOptions equation, ResidualOptions residual,
                                   PosteriorOptions posterior, GuardedOptions guarded, FeasibilityOptions feasibility)
    : options_(checked(guarded)),
      equation_(robot, endpoints, equation),
      residual_(robot, residual),
      posterior_(equation_, posterior),
      reliability_(equation_, posterior_),
      feasibility_(robot, endpoints, feasibility),
      raw_(equation_, {.sign = posterior.sign}),
      needs_raw_(guarded.on_ok == ConsumerAction::pass_raw || guarded.on_degraded == ConsumerAction::pass_raw ||
                 guarded.on_refused == ConsumerAction::pass_raw),
      last_time_(kNaN),
      recorder_(guarded.recorder_samples, prototype(robot.model.motor_count(), endpoints.size())),
      refusal_{.samples = recorder_} {
  const std::size_t count = endpoints.size();
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<int> watched = posterior_.rows(static_cast<int>(k));
    if (equation_.reference_motor() >= 0) watched.push_back(equation_.reference_motor());
    watched_.push_back(std::move(watched));
    states_.emplace_back(2, HysteresisOptions{.rise_dwell = options_.rise_dwell, .fall_dwell = options_.fall_dwell}, 0);
  }
  held_.resize(count);
  results_.resize(count);
  for (GuardedWrench& result : results_) result.sign = posterior.sign;
  last_torque_.setConstant(robot.model.motor_count(), kNaN);
}

void GuardedEstimator::reset() noexcept {
  residual_.reset();
  for (Hysteresis& state : states_) state.reset(0);
  for (Wrench& held : held_) held = Wrench{};
  for (GuardedWrench& result : results_) {
    const Sign sign = result.sign;
    result = GuardedWrench{};
    result.sign = sign;
  }
  last_torque_.setConstant(kNaN);
  last_time_ = kNaN;
  recorder_.clear();
}

const std::vector<GuardedWrench>& GuardedEstimator::update(const Observation& observation, double now) noexcept {
  equation_.update(observation);
  if (needs_raw_) raw_.solve(equation_);
  const Residual& residual = residual_.update(equation_, observation);
  posterior_.solve(equation_, residual);
  reliability_.solve(equation_, residual, estimates());
  feasibility_.check(equation_, estimates(), residual.moving);

  const double dt = observation.time - last_time_;
  bool refused_now = false;
  int first_refused = -1;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    GuardedWrench& result = results_[k];
    const std::uint32_t reasons = inspect(k, observation, now, dt);
    const int wanted =
        (reasons & kRefusing) != 0 || estimates()[k].verdict == Verdict::unobservable ||
                (options_.refuse_sd > 0 && !(estimates()[k].uncertainty.worst_sd() <= options_.refuse_sd))
            ? 2
        : reasons != 0 ? 1
                       : 0;
    const int before = states_[k].level();
    const int level = states_[k].step(wanted, observation.time);
    result.reasons = reasons | (level > wanted ? static_cast<std::uint32_t>(kReasonHeld) : 0u);
    if (level != before || wanted == level) result.because = reasons;
    result.state = static_cast<Verdict>(level);
    act(k, dt);
    if (level == 2 && before != 2) {
      refused_now = true;
      if (first_refused < 0) first_refused = static_cast<int>(k);
    }
  }
  record(observation);
  if (refused_now) {
    refusal_.endpoint = first_refused;
    refusal_.reasons = results_[static_cast<std::size_t>(first_refused)].reasons;
    refusal_.time = observation.time;
    refusal_.samples = recorder_;  // of equal shape: nothing is allocated
    ++refusals_;
  }
  if (equation_.status() == Status::ok) {
    last_torque_ = equation_.torque();
  }
  if (std::isfinite(observation.time)) last_time_ = observation.time;
  return results_;
}

std::uint32_t GuardedEstimator::inspect(std::size_t endpoint, const Observation& observation, double now,
                                        double dt) const noexcept {
  const WrenchEstimate& estimate = estimates()[endpoint];
  std::uint32_t reasons = estimate.reasons;
  if (estimate.status != Status::ok) return reasons | kReasonInvalidInput;
  if (now - observation.time > options_.maximum_age) reasons |= kReasonStale;
  if (dt > 0) {
    const double window = std::max(dt, kRateWindow);
    for (const int motor : watched_[endpoint]) {
      const double change = std::abs(equation_.torque()[motor] - last_torque_[motor]);
      if (change > options_.torque_rate * window) reasons |= kReasonTorqueRate;
    }
  }
  for (const FeasibilityMargin& margin : feasibility_.result().margins) {
    const bool concerns = margin.endpoint < 0 || margin.endpoint == static_cast<int>(endpoint);
    if (concerns && !margin.feasible) reasons |= kReasonInfeasible;
  }
  if (!(estimate.wrench.force.norm() <= options_.force_limit)) reasons |= kReasonForceLimit;
  return reasons;
}

void GuardedEstimator::act(std::size_t endpoint, double dt) noexcept {
  GuardedWrench& result = results_[endpoint];
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
  const Wrench& source =
      wanted == ConsumerAction::pass_raw ? raw_.results()[endpoint].wrench : estimates()[endpoint].wrench;
  const bool asks_for_value = wanted == ConsumerAction::pass_raw || wanted == ConsumerAction::posterior;
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

void GuardedEstimator::record(const Observation& observation) noexcept {
  FlightSample& sample = recorder_.push();
  Observation& kept = sample.observation;
  copy_channel(observation.q, kept.q);
  copy_channel(observation.v, kept.v);
  copy_channel(observation.a, kept.a);
  copy_channel(observation.tau, kept.tau);
  kept.time = observation.time;
  kept.has_imu = observation.has_imu;
  kept.imu_quaternion_xyzw = observation.imu_quaternion_xyzw;
  kept.has_gyro = observation.has_gyro;
  kept.imu_angular_velocity = observation.imu_angular_velocity;
  kept.has_accelerometer = observation.has_accelerometer;
  kept.imu_specific_force = observation.imu_specific_force;
  sample.residual = residual_.residual().value;
  sample.residual_kind = residual_.residual().kind;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    FlightSample::AtEndpoint& at = sample.endpoints[k];
    at.wrench = estimates()[k].wrench.to_vector();
    at.worst_sd = estimates()[k].uncertainty.worst_sd();
    at.nis = estimates()[k].uncertainty.nis;
    at.guarded = results_[k];
  }
}

}  // namespace antaeus
