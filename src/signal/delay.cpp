#include "antaeus/signal/delay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "signal/logged.hpp"

namespace antaeus {

namespace {

/// Row of the last time that is not after the instant; −1 when there is none or the instant is NaN.
Eigen::Index last_not_after(const ConstVectorRef& time, double instant) {
  if (std::isnan(instant)) return -1;
  return std::upper_bound(time.data(), time.data() + time.size(), instant) - time.data() - 1;
}

/// A straight line between the samples beside the instant; NaN outside the log.
double interpolated(const ConstVectorRef& time, const ConstVectorRef& column, double instant) {
  const Eigen::Index row = last_not_after(time, instant);
  if (row < 0) return kNaN;
  if (time[row] == instant) return column[row];
  if (row + 1 == time.size()) return kNaN;
  const double share = (instant - time[row]) / (time[row + 1] - time[row]);
  return (1.0 - share) * column[row] + share * column[row + 1];
}

/// Correlation of two channels and what a fit by the first leaves of the second.
struct Match {
  double correlation = kNaN, left = kNaN;
};

Match match(const VectorX& x, const VectorX& y) {
  const VectorX dx = x.array() - x.mean(), dy = y.array() - y.mean();
  const double xx = dx.squaredNorm(), yy = dy.squaredNorm(), xy = dx.dot(dy);
  // A constant's mean is rounded, so that its deviations need not be 0.
  const auto varies = [](const VectorX& values, double deviations) {
    const double rounding = 8.0 * std::numeric_limits<double>::epsilon() * values.lpNorm<Eigen::Infinity>();
    return deviations > static_cast<double>(values.size()) * rounding * rounding;
  };
  if (!varies(x, xx) || !varies(y, yy)) return {};
  // The residual itself and not yy (1 − correlation²), which cancels for good fits.
  return {xy / std::sqrt(xx * yy), (dy - (xy / xx) * dx).squaredNorm()};
}

}  // namespace

DelayEstimate estimate_delay(const ConstVectorRef& early_time, const ConstVectorRef& early,
                             const ConstVectorRef& late_time, const ConstVectorRef& late, const DelayOptions& options) {
  require_log("estimate_delay, early", early_time, early.size());
  require_log("estimate_delay, late", late_time, late.size());
  const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (!positive(options.largest_delay)) throw OptionsError("delay.largest_delay", "is not a positive time", "give one");
  if (!positive(options.delay_step)) throw OptionsError("delay.delay_step", "is not a positive time", "give one");
  constexpr double kMostDelays = 1e5;
  if (2.0 * options.largest_delay / options.delay_step > kMostDelays)
    throw OptionsError("delay.delay_step", "makes a grid of more than 100000 delays", "give a larger one");
  const int side = std::max(1, static_cast<int>(std::floor(options.largest_delay / options.delay_step + 1e-9)));

  // Samples of `late` for which `early` is known at every delay: likelihoods of different samples do not compare.
  std::vector<char> common(static_cast<std::size_t>(late.size()), 0);
  const auto early_at = [&](double instant) { return interpolated(early_time, early, instant); };
  int count = 0;
  for (Eigen::Index i = 0; i < late.size(); ++i) {
    bool good = std::isfinite(late[i]);
    for (int k = -side; good && k <= side; ++k) good = std::isfinite(early_at(late_time[i] - k * options.delay_step));
    common[i] = good;
    count += good;
  }
  DelayEstimate estimate;
  estimate.samples = count;
  constexpr int kUnknowns = 3;  // gain, offset, delay
  if (count <= kUnknowns) return estimate;

  VectorX x(count), y(count), instants(count);
  for (Eigen::Index i = 0, n = 0; i < late.size(); ++i) {
    if (!common[i]) continue;
    y[n] = late[i];
    instants[n++] = late_time[i];
  }
  const auto matched = [&](double delay) {
    for (Eigen::Index n = 0; n < count; ++n) x[n] = early_at(instants[n] - delay);
    return match(x, y);
  };

  std::vector<Match> grid;
  int best = -1;
  for (int k = -side; k <= side; ++k) {
    grid.push_back(matched(k * options.delay_step));
    const double correlation = grid.back().correlation;
    if (correlation > 0.0 && (best < 0 || correlation > grid[best].correlation)) best = k + side;
  }
  if (best <= 0 || best == 2 * side) return estimate;

  // What is left is a parabola of the delay near its minimum, however small the noise; its logarithm is not.
  const double before = grid[static_cast<std::size_t>(best) - 1].left, at = grid[best].left,
               after = grid[static_cast<std::size_t>(best) + 1].left;
  const double curvature = 0.5 * (before - 2.0 * at + after);
  if (!(curvature > 0.0)) return estimate;
  const double shift = std::clamp((before - after) / (4.0 * curvature), -0.5, 0.5);
  const double delay = (best - side + shift) * options.delay_step;
  const Match refined = matched(delay);
  if (!std::isfinite(refined.correlation)) return estimate;
  estimate.status = Status::ok;
  estimate.delay = delay;
  estimate.correlation = std::min(1.0, refined.correlation);
  estimate.sd = options.delay_step * std::sqrt(refined.left / ((count - kUnknowns) * curvature));
  return estimate;
}

}  // namespace antaeus
