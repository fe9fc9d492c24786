#pragma once
/// How a deviation of the posterior's model goes: what synthetic standing bodies deviate by.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "antaeus/signal/low_pass.hpp"

namespace antaeus::test {

/// An Ornstein–Uhlenbeck process of unit variance, low-passed at 6 Hz as motions are: one value a row.
/// \param rate         [Hz]
/// \param correlation  [s]
inline VectorX wander(std::mt19937& random, int rows, double rate, double correlation) {
  constexpr int kBefore = 100;  // rows in which the filter forgets its start
  std::normal_distribution<double> normal;
  const double phi = std::exp(-1.0 / (rate * correlation));
  ButterworthLowPass smooth(1, 6.0);
  double value = normal(random);
  VectorX result(rows);
  for (int i = -kBefore; i < rows; ++i) {
    value = phi * value + std::sqrt(1 - phi * phi) * normal(random);
    EXPECT_EQ(smooth.step(VectorX::Constant(1, value), 1.0 / rate), Status::ok);
    if (i >= 0) result[i] = smooth.value()[0];
  }
  return result;
}

}  // namespace antaeus::test
