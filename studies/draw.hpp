#pragma once
// What the runs draw: the same numbers everywhere, for the standard's distributions differ between libraries.
#include <cstdint>
#include <random>

#include "antaeus/core/types.hpp"

namespace antaeus {

/// Even numbers in [−most, most).
class Draw {
 public:
  explicit Draw(int seed) : source_(static_cast<std::uint64_t>(seed)) {}
  double operator()(double most) { return most * (2.0 * static_cast<double>(source_() >> 11) * 0x1p-53 - 1.0); }
  VectorX operator()(Eigen::Index n, double most) {
    VectorX values(n);
    for (double& value : values) value = (*this)(most);
    return values;
  }
  /// Evenly on the unit sphere.
  Vector3 direction() {
    for (;;) {
      const Vector3 point = (*this)(3, 1.0).reverse();  // z is drawn first, whatever order a compiler likes
      if (point.squaredNorm() > 1e-3 && point.squaredNorm() <= 1.0) return point.normalized();
    }
  }

 private:
  std::mt19937_64 source_;
};

}  // namespace antaeus
