#include "antaeus/signal/innovations.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "antaeus/core/error.hpp"

namespace antaeus {

NoiseShares noise_shares(const ColouredNoise& noise, ConstVectorRef weights) {
  const Eigen::Index m = noise.white_sd.size();
  if (weights.size() != m || noise.slow_sd.size() != m || noise.slow_time.size() != m ||
      noise.offset_factor.rows() != m) {
    throw OptionsError("weights", "the test has not the noise's rows", "give one weight a row");
  }
  NoiseShares shares;
  shares.constant_variance = (noise.offset_factor.transpose() * weights).squaredNorm();
  shares.white_variance = weights.cwiseAbs2().dot(noise.white_sd.cwiseAbs2());
  std::map<double, double> by_time;
  for (Eigen::Index j = 0; j < m; ++j) {
    const double variance = weights[j] * weights[j] * noise.slow_sd[j] * noise.slow_sd[j];
    if (variance > 0.0) by_time[noise.slow_time[j]] += variance;
  }
  shares.slow_variance.resize(static_cast<Eigen::Index>(by_time.size()));
  shares.slow_time = shares.slow_variance;
  Eigen::Index at = 0;
  for (const auto& [time, variance] : by_time) {
    shares.slow_time[at] = time;
    shares.slow_variance[at++] = variance;
  }
  return shares;
}

InnovationFilter::InnovationFilter(const NoiseShares& shares) : shares_(shares) {
  if (!(shares.constant_variance >= 0.0) || !(shares.white_variance > 0.0) || !shares.slow_variance.allFinite() ||
      !(shares.slow_variance.array() >= 0.0).all() ||
      !std::isfinite(shares.constant_variance + shares.white_variance)) {
    throw OptionsError("noise shares", "a variance is negative, not finite, or nothing is white",
                       "give what was identified, and a white share above zero");
  }
  if (shares.slow_time.size() != shares.slow_variance.size() || !(shares.slow_time.array() > 0.0).all()) {
    throw OptionsError("noise shares, slow_time", "a wander has no time constant", "give each one in seconds");
  }
  const Eigen::Index n = 1 + shares.slow_variance.size();
  state_.setZero(n);
  P_.setZero(n, n);
  gain_.setZero(n);
  keep_.setOnes(n);
  reset();
}

void InnovationFilter::reset() noexcept {
  state_.setZero();
  P_.setZero();
  P_(0, 0) = shares_.constant_variance;
  P_.diagonal().tail(shares_.slow_variance.size()) = shares_.slow_variance;
  time_ = innovation_ = deviation_ = kNaN;
}

Status InnovationFilter::step(double time, double value) noexcept {
  innovation_ = deviation_ = kNaN;
  if (!std::isfinite(time) || !std::isfinite(value)) return Status::not_finite;
  if (time <= time_) return Status::time_back;
  const Eigen::Index n = state_.size();
  if (time > time_) {
    for (Eigen::Index i = 1; i < n; ++i) keep_[i] = std::exp(-(time - time_) / shares_.slow_time[i - 1]);
    state_ = state_.cwiseProduct(keep_);
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = 0; i < n; ++i) P_(i, j) *= keep_[i] * keep_[j];
      if (j > 0) P_(j, j) += (1.0 - keep_[j] * keep_[j]) * shares_.slow_variance[j - 1];
    }
  }
  time_ = time;
  gain_ = P_.rowwise().sum();
  const double variance = gain_.sum() + shares_.white_variance;
  innovation_ = value - state_.sum();
  deviation_ = std::sqrt(variance);
  state_ += innovation_ / variance * gain_;
  P_.noalias() -= gain_.lazyProduct(gain_.transpose()) / variance;
  P_.diagonal() = P_.diagonal().cwiseMax(0.0);
  return Status::ok;
}

InnovationMonitor::InnovationMonitor(const MatrixX& weights, const ColouredNoise& noise,
                                     const InnovationMonitorOptions& options)
    : weights_(weights), values_(VectorX::Zero(weights.rows())), innovations_(VectorX::Constant(weights.rows(), kNaN)) {
  if (weights.rows() < 1) throw OptionsError("weights", "there are none", "give one row of weights or more");
  if (!(options.interval > 0.0)) throw OptionsError("interval", "it is not above zero", "give seconds");
  const Cusum sum({.drift = options.drift,
                   .false_alarms_per_hour = options.false_alarms_per_hour / static_cast<double>(weights.rows()),
                   .sample_rate = 1.0 / options.interval,
                   .two_sided = true});
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    filters_.emplace_back(noise_shares(noise, weights.row(i).transpose()));
    sums_.push_back(sum);
  }
}

Status InnovationMonitor::step(double time, ConstVectorRef r) noexcept {
  if (r.size() != weights_.cols()) return Status::wrong_size;
  values_.noalias() = weights_.lazyProduct(r);
  if (!std::isfinite(time) || !values_.allFinite()) return Status::not_finite;
  if (time <= time_) return Status::time_back;
  time_ = time;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    filters_[i].step(time, values_[row]);
    innovations_[row] = filters_[i].standardised();
    sums_[i].step(innovations_[row]);
  }
  return Status::ok;
}

bool InnovationMonitor::alarm() const noexcept {
  return std::any_of(sums_.begin(), sums_.end(), [](const Cusum& sum) { return sum.alarm(); });
}

double InnovationMonitor::level() const noexcept {
  double most = 0.0;
  for (const Cusum& sum : sums_) most = std::max(most, std::max(sum.upper(), sum.lower()) / sum.threshold());
  return most;
}

void InnovationMonitor::acknowledge() noexcept {
  for (Cusum& sum : sums_) sum.reset();
}

void InnovationMonitor::reset() noexcept {
  for (InnovationFilter& filter : filters_) filter.reset();
  acknowledge();
  innovations_.setConstant(kNaN);
  time_ = kNaN;
}

}  // namespace antaeus
