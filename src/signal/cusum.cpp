#include "antaeus/signal/cusum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

/// What the discrete sum overshoots a boundary by on average, at both of its ends: 2 · 0.583.
constexpr double kOvershoot = 1.166;

/// Threshold for which a signal that is well alarms as often as the options say.
double chosen_threshold(const CusumOptions& options) {
  const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (!positive(options.drift)) throw OptionsError("cusum.drift", "is not a positive number", "0.5 is usual");
  if (!positive(options.false_alarms_per_hour))
    throw OptionsError("cusum.false_alarms_per_hour", "is not a positive number", "give how many you can bear");
  if (!positive(options.sample_rate))
    throw OptionsError("cusum.sample_rate", "is not a positive number", "give it in Hz");
  const double samples = 3600.0 * options.sample_rate / options.false_alarms_per_hour;
  const double threshold = cusum_threshold(options.drift, options.two_sided ? 2.0 * samples : samples);
  if (!std::isfinite(threshold))
    throw OptionsError("cusum.false_alarms_per_hour", "is above what this sample rate can raise", "lower it");
  return threshold;
}

}  // namespace

double cusum_run_length(double drift, double threshold, double shift) noexcept {
  if (!(threshold >= 0.0) || !std::isfinite(drift) || !std::isfinite(shift)) return kNaN;
  const double delta = drift - shift, b = threshold + kOvershoot, x = 2.0 * delta * b;
  // (eˣ − x − 1)/(2δ²) = b² · 2 (eˣ − x − 1)/x²; near 0 by its series.
  if (std::abs(x) < 1e-4) return b * b * (1.0 + x / 3.0 + x * x / 12.0);
  return (std::expm1(x) - x) / (2.0 * delta * delta);
}

double cusum_threshold(double drift, double run_length) noexcept {
  if (!(drift > 0.0) || !std::isfinite(drift) || !std::isfinite(run_length)) return kNaN;
  if (!(run_length >= cusum_run_length(drift, 0.0))) return kNaN;
  double low = 0.0, high = 1.0;
  while (cusum_run_length(drift, high) < run_length) high *= 2.0;
  for (int halving = 0; halving < 80; ++halving) {
    const double middle = 0.5 * (low + high);
    (cusum_run_length(drift, middle) < run_length ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double standardise_chi_squared(double x, double dof) noexcept {
  if (!(x >= 0.0) || !(dof > 0.0)) return kNaN;
  const double variance = 2.0 / (9.0 * dof);
  return (std::cbrt(x / dof) - 1.0 + variance) / std::sqrt(variance);
}

Cusum::Cusum(const CusumOptions& options)
    : drift_(options.drift), threshold_(chosen_threshold(options)), two_sided_(options.two_sided) {}

Status Cusum::step(double z) noexcept {
  if (!std::isfinite(z)) return Status::not_finite;
  // An infinite sum would never fall again, whatever came.
  constexpr double kLargest = std::numeric_limits<double>::max();
  upper_ = std::clamp(upper_ + z - drift_, 0.0, kLargest);
  upper_age_ = upper_ > 0.0 ? upper_age_ + 1 : 0;
  if (!two_sided_) return Status::ok;
  lower_ = std::clamp(lower_ - z - drift_, 0.0, kLargest);
  lower_age_ = lower_ > 0.0 ? lower_age_ + 1 : 0;
  return Status::ok;
}

std::int64_t Cusum::samples_since_onset() const noexcept { return upper_ >= lower_ ? upper_age_ : lower_age_; }

void Cusum::reset() noexcept {
  upper_ = lower_ = 0.0;
  upper_age_ = lower_age_ = 0;
}

}  // namespace antaeus
