#pragma once
/// Random signals from a seed that every failure prints.

#include <gtest/gtest.h>

#include <random>

#include "antaeus/core/types.hpp"

namespace antaeus::test {

class RandomSignals {
 public:
  explicit RandomSignals(unsigned seed) : trace_(__FILE__, __LINE__, "seed " + std::to_string(seed)), engine_(seed) {}

  double normal() { return normal_(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  VectorX normals(Eigen::Index size) {
    return VectorX::NullaryExpr(size, [this](Eigen::Index) { return normal(); });
  }
  MatrixX normals(Eigen::Index rows, Eigen::Index columns) {
    return MatrixX::NullaryExpr(rows, columns, [this](Eigen::Index, Eigen::Index) { return normal(); });
  }
  /// Times from 0 whose steps are uniform in [shortest, longest].
  VectorX times(Eigen::Index size, double shortest, double longest) {
    VectorX time(size);
    double now = 0.0;
    for (Eigen::Index row = 0; row < size; ++row, now += uniform(shortest, longest)) time[row] = now;
    return time;
  }

 private:
  testing::ScopedTrace trace_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

}  // namespace antaeus::test
