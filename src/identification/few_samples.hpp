#pragma once
// What a standard deviation that few samples told has to be widened by. Private to src/identification.
#include <algorithm>
#include <cmath>

namespace antaeus::detail {

/// t / z of 95 %: an error whose sd was estimated with \p degrees degrees of freedom is Student's t, and its 95 % lie
/// within t sds, not 1.96. By the expansion of Cornish and Fisher (Abramowitz & Stegun, 26.7.5), right to 3 % from two
/// degrees on; fewer count as two.
inline double few_samples_factor(double degrees) noexcept {
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  const double n = std::max(degrees, 2.0);
  const double t = z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n) +
                   (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n);
  return t / z;
}

}  // namespace antaeus::detail
