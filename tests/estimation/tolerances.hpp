#pragma once
/// \file
/// Tolerances of tests/estimation alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Specific force of a moving sensor by second differences of its position: step 1e-4 s, truncation 1e-9/12 × 4th
/// derivative (below 1e4), rounding 1e-16 × 1 m / 1e-8, times 10 kg·m; and the base's angular acceleration by one
/// difference over 1e-4 s of a jerk below 100 rad/s³ times 1 kg·m².
inline constexpr Tolerance kDifferencedResidual{0.02};
/// The same at rest: only rounding, 4 × 1e-16 / 1e-8 m/s² times 10 kg·m.
inline constexpr Tolerance kDifferencedStill{1e-5};
/// Gravity's change with the base's tilt by central differences over this angle [rad]: truncation 1e-8/24 of 100 N·m;
/// rounding 1e-14 × 100 / 1e-4, times 0.035 rad, and squared with terms of 3 N·m.
inline constexpr double kTiltStep = 1e-4;
inline constexpr Tolerance kDifferencedTilt{1e-6};
/// A posterior and its row tests under a full R, whitened by Cholesky, against dense inverses of S: R's condition is
/// below 1e3 there, S's below 1e5, times ε.
inline constexpr Tolerance kSameCorrelatedPosterior{1e-10};
/// One row's test from block posteriors against the inverse of S over all rows, relative: S has a condition of up to
/// 1e5 (20 N at 0.6 m beside 0.3 N·m of noise, squared, and the blind direction), inverted and divided: 1e9 × ε.
inline constexpr Tolerance kSameRowTest{1e-7};
/// A posterior under a prior of 1e6 N and N·m against least squares, sds up to 30: (30/1e6)² of 1e3 N, and rounding of
/// numbers 1e6 apart.
inline constexpr Tolerance kWidePrior{1e-3};

}  // namespace antaeus::tolerance
