#pragma once
/// \file
/// Tolerances of tests/replay alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Replayed states against the single-sample path, as a share of the largest entry: some ε of a
/// dozen bodies' sums. The residuals are below 2e-14.
inline constexpr Tolerance kBatchParity{1e-12};
/// Wrenches by two decompositions, as a share of κ |r|/σ, to which a residual's unexplained part carries an error of
/// one ε: a dozen of them.
inline constexpr Tolerance kBatchWrench{1e-14};

}  // namespace antaeus::tolerance
