#include "antaeus/trust/set_up_watch.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/signal/cusum.hpp"

namespace antaeus {

namespace {

/// A sample with one of them tells nothing of the set-up.
constexpr Reasons kUntold = Reason::invalid_input | Reason::motion | Reason::motion_unknown | Reason::settling |
                            Reason::gap | Reason::time_back | Reason::saturated | Reason::outside_identified;
/// [s] without a force after which the robot counts as having once been free, and a gap that is no time of watching.
constexpr double kFree = 0.5, kGap = 0.5;
/// A force that noise alone exceeds in one of so many samples, as the audit's intervals.
constexpr double kFalseShare = 1e-4;
/// Share of a residual's variance that gravity or velocity must explain, by that many sds of the row, squared.
constexpr double kExplainedShare = 0.8, kSquaredSds = 9.0;
/// The same of gravity over all rows together.
constexpr double kSquaredSdsOfAll = 25.0;
/// A multiple of gravity nearer to 0 is a light load that pulls up, a hand that helps.
constexpr double kLeastMultiple = -0.3, kMostMultiple = -1.5;
/// Standard normal variable that one sample in twenty exceeds.
constexpr double kHighNis = 1.645;
/// What one sample counts at most: few that are far off, as of faults and blows, are no NIS that stays high.
constexpr double kMost = 3.0;

enum Sum : Eigen::Index { kWeight, kR, kG, kV, kRR, kGG, kVV, kRG, kRV };

}  // namespace

SetUpWatch::SetUpWatch(std::vector<std::vector<int>> rows, Eigen::Index motors, double time)
    : time_(time), threshold_(chi_squared_threshold(kFalseShare, 3)) {
  for (std::vector<int>& of_one : rows) {
    endpoints_.emplace_back();
    endpoints_.back().rows = std::move(of_one);
  }
  sums_.setZero(motors, 9);
}

void SetUpWatch::reset() noexcept {
  for (Endpoint& endpoint : endpoints_) {
    endpoint.once_free = false;
    endpoint.forced = endpoint.quiet = endpoint.nis = endpoint.weight = endpoint.of = 0.0;
    endpoint.reasons = {};
  }
  sums_.setZero();
  watched_ = 0.0;
  last_time_ = kNaN;
}

void SetUpWatch::see(const PosteriorEstimates& estimates) noexcept {
  if (!(time_ > 0.0)) return;
  const double now = estimates.instant.observation().time, dt = now - last_time_;
  if (std::isfinite(now)) last_time_ = now;
  if (!(dt > 0.0 && dt <= kGap) || estimates.residual.status != Status::ok ||
      estimates.residual.reasons.has_any(kUntold)) {
    return;
  }
  see_rows(estimates, dt);
  for (std::size_t k = 0; k < endpoints_.size(); ++k) {
    Endpoint& endpoint = endpoints_[k];
    const WrenchEstimate& estimate = estimates[k];
    if (endpoint.rows.empty() || estimate.status != Status::ok) continue;
    endpoint.reasons = {};
    see_force(endpoint, estimate, dt);
    see_nis(endpoint, estimate, dt);
    if (watched_ < time_) continue;
    if (follows_gravity(endpoint.rows)) endpoint.reasons.add(Reason::residual_follows_gravity);
    for (const int motor : endpoint.rows) {
      if (follows_velocity(motor)) endpoint.reasons.add(Reason::residual_follows_velocity);
    }
  }
}

void SetUpWatch::see_force(Endpoint& endpoint, const WrenchEstimate& estimate, double dt) const noexcept {
  const Uncertainty& u = estimate.uncertainty;
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double along = u.directions.col(i).dot(estimate.wrench.force) / u.force_sd[i];
    square += along * along;
  }
  if (square > threshold_) {
    endpoint.forced += dt;
    endpoint.quiet = 0.0;
  } else {
    endpoint.quiet += dt;
    endpoint.once_free = endpoint.once_free || endpoint.quiet >= kFree;
  }
  if (!endpoint.once_free && endpoint.forced >= time_) endpoint.reasons.add(Reason::contact_since_start);
}

void SetUpWatch::see_nis(Endpoint& endpoint, const WrenchEstimate& estimate, double dt) const noexcept {
  const Uncertainty& u = estimate.uncertainty;
  if (u.nis_rows < 1 || !std::isfinite(u.nis)) return;
  const double keep = std::exp(-dt / time_);
  endpoint.nis = keep * endpoint.nis + dt * std::clamp(standardise_chi_squared(u.nis, u.nis_rows), -kMost, kMost);
  endpoint.weight = keep * endpoint.weight + dt;
  endpoint.of += dt;
  if (endpoint.of >= time_ && endpoint.nis > kHighNis * endpoint.weight) {
    endpoint.reasons.add(Reason::nis_stays_high);
  }
}

void SetUpWatch::see_rows(const PosteriorEstimates& estimates, double dt) noexcept {
  const Residual& residual = estimates.residual;
  const Observation& sample = estimates.instant.observation();
  const Eigen::Index motors = sums_.rows();
  if (residual.value.size() != motors || residual.variance.size() != motors) return;
  const VectorX& gravity = estimates.instant.gravity_torque();
  const bool has_speed = sample.v.size() == motors;
  watched_ += dt;
  sums_ *= std::exp(-dt / time_);
  for (Eigen::Index j = 0; j < motors; ++j) {
    const double variance = residual.variance[j];
    if (!(variance > 0.0) || !std::isfinite(variance + residual.value[j])) continue;
    const double scale = 1.0 / std::sqrt(variance), r = scale * residual.value[j], g = scale * gravity[j];
    const double v = has_speed && std::isfinite(sample.v[j]) ? sample.v[j] : 0.0;
    auto sum = sums_.row(j);
    sum[kWeight] += dt;
    sum[kR] += dt * r, sum[kG] += dt * g, sum[kV] += dt * v;
    sum[kRR] += dt * r * r, sum[kGG] += dt * g * g, sum[kVV] += dt * v * v;
    sum[kRG] += dt * r * g, sum[kRV] += dt * r * v;
  }
}

/// Residuals must be the same multiple of gravity in what they are and in how they change: a push that comes while the
/// arm moves is one by chance, of its changes.
bool SetUpWatch::follows_gravity(const std::vector<int>& rows) const noexcept {
  double rr = 0.0, gg = 0.0, rg = 0.0, whole_rr = 0.0, whole_gg = 0.0, whole_rg = 0.0;
  for (const int motor : rows) {
    const auto sum = sums_.row(motor);
    const double w = sum[kWeight];
    if (!(w > 0.0)) continue;
    whole_rr += sum[kRR] / w, whole_gg += sum[kGG] / w, whole_rg += sum[kRG] / w;
    rr += sum[kRR] / w - sum[kR] * sum[kR] / (w * w);
    gg += sum[kGG] / w - sum[kG] * sum[kG] / (w * w);
    rg += sum[kRG] / w - sum[kR] * sum[kG] / (w * w);
  }
  const auto is_multiple = [](double r, double g, double both) {
    const double multiple = both / g;
    return multiple < kLeastMultiple && multiple > kMostMultiple && both * multiple > kExplainedShare * r;
  };
  return gg > kSquaredSdsOfAll && is_multiple(rr, gg, rg) && is_multiple(whole_rr, whole_gg, whole_rg) &&
         rg * rg > kSquaredSdsOfAll * gg;
}

bool SetUpWatch::follows_velocity(int motor) const noexcept {
  const auto sum = sums_.row(motor);
  const double w = sum[kWeight];
  if (!(w > 0.0)) return false;
  const double rr = sum[kRR] / w - sum[kR] * sum[kR] / (w * w);
  const double vv = sum[kVV] / w - sum[kV] * sum[kV] / (w * w);
  const double rv = sum[kRV] / w - sum[kR] * sum[kV] / (w * w);
  const double explained = rv * rv / vv;
  return explained > kExplainedShare * rr && explained > kSquaredSds;
}

}  // namespace antaeus
