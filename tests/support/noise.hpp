#pragma once
/// \file
/// Normal random numbers from a seed.

#include <cmath>

#include "robot/test_robots.hpp"

namespace antaeus::test {

/// Normal numbers from uniform ones; the standard library's differ from one to the next.
class Noise {
 public:
  explicit Noise(unsigned seed) : random_(seed) {}
  double operator()() {
    if (next_ >= 1000) {
      const VectorX u = random_.vector(2000), radius = u.head(1000).array() * 0.5 + 0.5;
      numbers_ = (-2.0 * radius.array().max(1e-300).log()).sqrt() * (3.141592653589793 * u.tail(1000).array()).cos();
      next_ = 0;
    }
    return numbers_[next_++];
  }

 private:
  RandomStates random_;
  VectorX numbers_;
  Eigen::Index next_ = 1000;
};

}  // namespace antaeus::test
