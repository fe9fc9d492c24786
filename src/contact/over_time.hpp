#pragma once
/// Windows that are given in seconds, so that no answer depends on the sampling rate.

#include <algorithm>
#include <cmath>

#include "antaeus/core/types.hpp"
#include "antaeus/signal/savitzky_golay.hpp"

namespace antaeus {

/// A parabola over ± this many seconds, and at least over two samples on each side: so three remain at a log's ends.
inline SavitzkyGolayOptions fit_over(const VectorX& time, double half) {
  constexpr double kFewest = 2.0;
  const Eigen::Index n = time.size();
  const double step = (time[n - 1] - time[0]) / static_cast<double>(n - 1);
  const double most = std::max(kFewest, static_cast<double>(n));
  return {2 * static_cast<int>(std::clamp(std::round(half / step), kFewest, most)) + 1, 2};
}

/// Calls work(i, j, weight) for every row j within ± half of row i. The weight falls from 1 to 0 over the last step, so
/// that the sum over samples is that of an integral.
template <class Work>
void within(const VectorX& time, double half, Work&& work) {
  const Eigen::Index n = time.size();
  const double step = n > 1 ? (time[n - 1] - time[0]) / static_cast<double>(n - 1) : 1.0;
  Eigen::Index first = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    while (first < i && time[i] - time[first] >= half + 0.5 * step) ++first;
    for (Eigen::Index j = first; j < n && time[j] - time[i] < half + 0.5 * step; ++j) {
      work(i, j, std::clamp((half - std::abs(time[j] - time[i])) / step + 0.5, 0.0, 1.0));
    }
  }
}

/// The mean over ± half, at every row.
inline VectorX averaged(const VectorX& time, const VectorX& values, double half) {
  VectorX sum = VectorX::Zero(time.size()), weight = VectorX::Zero(time.size());
  within(time, half, [&](Eigen::Index i, Eigen::Index j, double w) {
    sum[i] += w * values[j];
    weight[i] += w;
  });
  return (weight.array() > 0).select(sum.array() / weight.array().max(1e-300), values.array());
}

/// The root mean square over ± half, at every row.
inline VectorX rms_over(const VectorX& time, const VectorX& values, double half) {
  return averaged(time, values.cwiseAbs2(), half).cwiseSqrt();
}

}  // namespace antaeus
