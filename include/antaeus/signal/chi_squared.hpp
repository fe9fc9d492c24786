#pragma once

#include "antaeus/core/api.hpp"
/// \file
/// Probabilities of the χ² and of the normal distribution: how unlikely a squared, normalised residual is.
///
/// All functions are total and noexcept. NaN gives NaN, and so does an impossible argument (dof ≤ 0 or infinite, a
/// probability outside 0 … 1). Relative error below 1e-10 for dof from 0.1 to 1e5, also of survivals of 1e-200: each
/// tail is computed directly, not as 1 minus the other. dof need not be whole.
/// \realtime all of them, signal_realtime_test; near the mean their time grows with √dof

namespace antaeus {

/// P(X ≤ x); 0 below 0.
/// Source: regularised incomplete gamma function P(dof/2, x/2): series DLMF 8.11.4 below its mean, continued fraction
/// DLMF 8.9.2 above, evaluated after Lentz, Appl. Opt. 15 (1976).
ANTAEUS_API double chi_squared_cdf(double x, double dof) noexcept;

/// P(X > x), the probability that a value as large as x is chance; 1 below 0.
ANTAEUS_API double chi_squared_survival(double x, double dof) noexcept;

/// The x with P(X ≤ x) = p; 0 for p = 0, infinity for p = 1.
ANTAEUS_API double chi_squared_quantile(double p, double dof) noexcept;

/// The x with P(X > x) = p: the threshold that chance exceeds with probability p. For the small p of alarms it keeps
/// the digits that chi_squared_quantile(1 − p, dof) loses.
ANTAEUS_API double chi_squared_threshold(double p, double dof) noexcept;

/// P(Z ≤ z) of the standard normal distribution.
ANTAEUS_API double normal_cdf(double z) noexcept;

/// The z with P(Z ≤ z) = p; ∓infinity for p = 0 and 1.
ANTAEUS_API double normal_quantile(double p) noexcept;

}  // namespace antaeus
