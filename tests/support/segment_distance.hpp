#pragma once
/// \file
/// Distance of two segments, and so of two capsules, by a search that shares nothing with the library.

#include <algorithm>

#include "antaeus/core/types.hpp"

namespace antaeus::test {

/// Of the segments a0–a1 and b0–b1 [m]. Distance to the second is convex along the first: thirds.
inline double segment_distance(const Vector3& a0, const Vector3& a1, const Vector3& b0, const Vector3& b1) {
  const auto to_b = [&](double s) {
    const Vector3 p = a0 + s * (a1 - a0), d = b1 - b0;
    const double t = std::clamp(d.dot(p - b0) / d.squaredNorm(), 0.0, 1.0);
    return (p - b0 - t * d).norm();
  };
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double one = low + (high - low) / 3.0, two = high - (high - low) / 3.0;
    if (to_b(one) < to_b(two)) {
      high = two;
    } else {
      low = one;
    }
  }
  return to_b(0.5 * (low + high));
}

}  // namespace antaeus::test
