#pragma once
/// \file
/// Samples of a coloured noise one after another, all rows of it.

#include <cmath>
#include <utility>

#include "antaeus/signal/coloured_noise.hpp"
#include "support/normal_numbers.hpp"

namespace antaeus::test {

class ColouredDraw {
 public:
  ColouredDraw(ColouredNoise noise, std::uint64_t seed) : noise_(std::move(noise)), normal_(seed) { run(); }

  /// A new run: another offset.
  void run() {
    VectorX z(noise_.offset_factor.cols());
    for (double& value : z) value = normal_.normal();
    constant_ = noise_.offset_factor * z;
    slow_ = noise_.slow_sd;
    for (double& value : slow_) value *= normal_.normal();
  }

  /// The sample that comes \p dt seconds after the last.
  const VectorX& operator()(double dt) {
    value_ = constant_;
    for (Eigen::Index j = 0; j < value_.size(); ++j) {
      const double keep = noise_.slow_sd[j] > 0.0 ? std::exp(-dt / noise_.slow_time[j]) : 0.0;
      if (noise_.slow_sd[j] > 0.0) {
        slow_[j] = keep * slow_[j] + noise_.slow_sd[j] * std::sqrt(1.0 - keep * keep) * normal_.normal();
      }
      value_[j] += slow_[j] + noise_.white_sd[j] * normal_.normal();
    }
    return value_;
  }

 private:
  ColouredNoise noise_;
  NormalNumbers normal_;
  VectorX constant_, slow_, value_;
};

}  // namespace antaeus::test
