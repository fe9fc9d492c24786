#include "antaeus/signal/low_pass.hpp"

#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

VectorX unknown(const char* place, int size) {
  if (size < 1) throw OptionsError(place, "size " + std::to_string(size) + " is below 1", "give the signal's length");
  return VectorX::Constant(size, kNaN);
}

double positive(const char* place, const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw OptionsError(place, std::string(name) + " is not a positive number", "give one");
  return value;
}

/// Beyond it the difference of two samples, and what a filter makes of it, may overflow: the output would be infinite,
/// then NaN, for ever.
constexpr double kLargestSample = 1e150;

Status check(const VectorX& state, const ConstVectorRef& sample, double dt) noexcept {
  if (sample.size() != state.size()) return Status::wrong_size;
  if (!(sample.array().abs() < kLargestSample).all() || !std::isfinite(dt)) return Status::not_finite;
  return dt < 0.0 ? Status::not_computed : Status::ok;
}

}  // namespace

ExponentialLowPass::ExponentialLowPass(int size, double rate)
    : rate_(positive("ExponentialLowPass", "rate", rate)), value_(unknown("ExponentialLowPass", size)) {}

Status ExponentialLowPass::step(const ConstVectorRef& sample, double dt) noexcept {
  if (const Status status = check(value_, sample, dt); status != Status::ok) return status;
  if (!started_) return reset(sample);
  const double weight = -std::expm1(-rate_ * dt);
  value_ += weight * (sample - value_);
  return Status::ok;
}

Status ExponentialLowPass::reset(const ConstVectorRef& value) noexcept {
  if (const Status status = check(value_, value, 0.0); status != Status::ok) return status;
  value_ = value;
  started_ = true;
  return Status::ok;
}

ButterworthLowPass::ButterworthLowPass(int size, double cut_off)
    : omega_(2.0 * std::numbers::pi * positive("ButterworthLowPass", "cut_off", cut_off)),
      value_(unknown("ButterworthLowPass", size)),
      rate_(value_) {}

Status ButterworthLowPass::step(const ConstVectorRef& sample, double dt) noexcept {
  if (const Status status = check(value_, sample, dt); status != Status::ok) return status;
  if (!started_) return reset(sample);
  // The poles are −p ± i p. The distance e from the held sample obeys the homogeneous equation, whose solution is
  // exp(−p t) times a combination of cos(p t) and sin(p t).
  const double p = omega_ / std::numbers::sqrt2;
  const double decay = std::exp(-p * dt);
  // The decayed sine and cosine of a huge angle are 0, but sin(inf) would be NaN.
  const double c = decay > 0.0 ? decay * std::cos(p * dt) : 0.0;
  const double s = decay > 0.0 ? decay * std::sin(p * dt) : 0.0;
  for (Eigen::Index i = 0; i < value_.size(); ++i) {
    const double e = value_[i] - sample[i], slope = rate_[i];
    value_[i] = sample[i] + ((c + s) * e + s / p * slope);
    rate_[i] = (c - s) * slope - 2.0 * p * s * e;
  }
  return Status::ok;
}

Status ButterworthLowPass::reset(const ConstVectorRef& value) noexcept {
  if (const Status status = check(value_, value, 0.0); status != Status::ok) return status;
  value_ = value;
  rate_.setZero();
  started_ = true;
  return Status::ok;
}

}  // namespace antaeus
