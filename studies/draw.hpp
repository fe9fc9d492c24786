#pragma once
// What the runs draw.
#include <cstdint>

#include "antaeus/core/types.hpp"
#include "core/random.hpp"

namespace antaeus {

/// Even numbers in [−most, most).
class Draw {
 public:
  explicit Draw(int seed) : source_(static_cast<std::uint64_t>(seed)) {}
  double operator()(double most) { return most * (2.0 * source_.uniform() - 1.0); }
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
  detail::Random<> source_;
};

}  // namespace antaeus
