#pragma once
/// How near two ways to a pose's numbers come.

#include <algorithm>

namespace antaeus::test {

/// Two decompositions of the same matrix: 1e-12 while κ < 100, ε κ and a factor of 50 for steps beyond.
inline double tolerance_at(double kappa) { return 1e-12 * std::max(1.0, kappa / 100.0); }

}  // namespace antaeus::test
