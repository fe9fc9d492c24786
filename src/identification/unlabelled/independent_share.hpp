#pragma once
/// \file
/// How much a sample of a correlated series is worth. Private.

#include "antaeus/core/numbers.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus::detail {

/// Δ/T of a series: 1 over (1 + 2 Σ ρ), autocorrelations summed until one falls below 0.05. 1 for white noise; the
/// mean is taken out first. NaN for fewer than three samples; 0 for a constant.
inline double independent_share(const VectorX& series) {
  const Eigen::Index n = series.size();
  if (n < 3) return kNaN;
  const VectorX centred = series.array() - series.mean();
  const double power = centred.squaredNorm();
  if (!(power > 0.0)) return power == 0.0 ? 0.0 : kNaN;
  double sum = 0.0;
  for (Eigen::Index lag = 1; lag < n / 2; ++lag) {
    const double rho = centred.head(n - lag).dot(centred.tail(n - lag)) / power;
    if (rho < 0.05) break;
    sum += rho;
  }
  return 1.0 / (1.0 + 2.0 * sum);
}

}  // namespace antaeus::detail
