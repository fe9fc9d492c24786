#pragma once
/// Matrices with the zero patterns of the field, and a seed that is printed.

#include <gtest/gtest.h>

#include <random>

#include "antaeus/core/types.hpp"

namespace antaeus::test {

/// Pinocchio's Jacobian of the H1-2's left hand (LOCAL_WORLD_ALIGNED, 12 decimals) at joint angles 0.5 sin(1.7 i)
/// inside the limits, without its zero columns: torso and the seven joints of the arm. kHandSigma is what
/// numpy.linalg.svd says of it.
inline Matrix6X hand_jacobian() {
  Matrix6X J(6, 8);
  J << -0.182145918154, -0.344593373858, -0.18687742051, -0.120548038554, -0.035783811059, 0.004166604165,
      0.006280442472, 0.0,  //
      0.157298833704, -0.121785885497, 0.367355979448, 0.152251727122, -0.122986230426, -0.00389931123, -0.010538700028,
      0.0,                                                                                                            //
      0.0, -0.217688850256, -0.121736315761, -0.078134564017, -0.187081751471, 0.004258339065, -0.015795310825, 0.0,  //
      0.0, -0.463089433556, 0.883000677556, -0.215915062265, -0.568111810826, 0.810449892533, -0.585172570557,
      -0.314022123623,  //
      0.0, 0.847679522178, 0.466467343708, 0.305051039661, 0.733346709163, 0.41977053515, 0.547633008834,
      0.526935001397,  //
      1.0, 0.258819636443, 0.052134640006, 0.927536818185, -0.37343215523, -0.408611881268, -0.598056143103,
      0.78976554127;
  return J;
}
inline const Vector6 kHandSigma =
    (Vector6() << 1.886644172346, 1.69224056961, 1.382960049582, 0.304787076505, 0.279728454441, 0.111471794189)
        .finished();

/// Uniform numbers in [−1, 1] from a seed that every failure prints.
class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : trace_(__FILE__, __LINE__, "seed " + std::to_string(seed)), engine_(seed) {}

  double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  MatrixX dense(int rows, int columns) {
    return MatrixX::NullaryExpr(rows, columns, [this](Eigen::Index, Eigen::Index) { return uniform(); });
  }
  /// 27 × 6: one hand; joints 12 to 19 of 27 reach it.
  MatrixX hand() {
    MatrixX A = MatrixX::Zero(27, 6);
    A.middleRows(12, 8) = dense(8, 6);
    return A;
  }
  /// 27 × 24: two feet, two hands that share the torso (row 12).
  MatrixX limbs() {
    MatrixX A = MatrixX::Zero(27, 24);
    A.block(0, 0, 6, 6) = dense(6, 6);
    A.block(6, 6, 6, 6) = dense(6, 6);
    A.block(12, 12, 8, 6) = dense(8, 6);
    A.block(12, 18, 1, 6) = dense(1, 6);
    A.block(20, 18, 7, 6) = dense(7, 6);
    return A;
  }
  /// 33 × 24: the same below the six rows of the floating base, which connect everything.
  MatrixX limbs_and_base() {
    MatrixX A(33, 24);
    A << dense(6, 24), limbs();
    return A;
  }

 private:
  testing::ScopedTrace trace_;
  std::mt19937 engine_;
};

}  // namespace antaeus::test
