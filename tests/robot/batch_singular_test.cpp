// The kernel's wrench and singular values on Jacobians of any condition and rank, against Eigen's SVD in long double.
#define ANTAEUS_LANES portable
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "robot/batch_wrench.hpp"
#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct Solution {
  Vector6 w, sigma;
  int rank;
};

Solution solve(const MatrixX& A, const VectorX& r) {
  const auto rows = static_cast<int>(A.rows());
  Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor> scratch = A;
  VectorX right = r;
  Solution solution;
  double rank;
  lanes::solve_wrench(scratch.data(), right.data(), rows, 1e-15, solution.w.data(), solution.sigma.data(), rank);
  solution.rank = static_cast<int>(rank);
  return solution;
}

MatrixX orthonormal(RandomStates& random, int rows, int columns) {
  const VectorX numbers = random.vector(rows * columns);
  const MatrixX A = Eigen::Map<const MatrixX>(numbers.data(), rows, columns);
  return MatrixX(Eigen::HouseholderQR<MatrixX>(A).householderQ()) * MatrixX::Identity(rows, columns);
}

/// Compares with long double; \p kept singular values count.
void expect_solution(const MatrixX& A, const VectorX& r, int kept) {
  const Solution ours = solve(A, r);
  const Eigen::JacobiSVD<Long> svd(A.cast<long double>(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorX sigma = svd.singularValues().cast<double>();
  EXPECT_EQ(ours.rank, kept);
  for (int k = 0; k < 6; ++k) {
    const double exact = k < sigma.size() ? sigma[k] : 0.0;
    EXPECT_LE(std::abs(ours.sigma[k] - exact), tolerance::kBatchSingular * sigma[0]) << k;
  }
  Eigen::Matrix<long double, Eigen::Dynamic, 1> w = Eigen::Matrix<long double, 6, 1>::Zero();
  for (int k = 0; k < kept; ++k) {
    w += svd.matrixV().col(k) * (svd.matrixU().col(k).dot(r.cast<long double>()) / svd.singularValues()[k]);
  }
  const double kappa = sigma[0] / sigma[kept - 1];
  EXPECT_LE((ours.w - w.cast<double>()).norm(), tolerance::kBatchSingular * kappa * r.norm() / sigma[kept - 1]);
}

TEST(BatchSingular, AnyConditionAndAnyNumberOfJoints) {
  RandomStates random(953);
  SCOPED_TRACE(random.text());
  for (const int joints : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17}) {
    const int size = std::min(joints, 6);
    for (const double condition : {1.0, 1e2, 1e4, 1e6, 1e8}) {
      SCOPED_TRACE(std::to_string(joints) + " joints, condition " + std::to_string(condition));
      for (int k = 0; k < 40; ++k) {
        VectorX sigma = VectorX::Constant(size, 1.0);
        for (int i = 0; i < size; ++i) sigma[i] = std::pow(condition, -static_cast<double>(i) / std::max(1, size - 1));
        const MatrixX A =
            orthonormal(random, joints, size) * sigma.asDiagonal() * orthonormal(random, 6, size).transpose();
        expect_solution(A, random.vector(joints, 30.0), size);
      }
    }
  }
}

TEST(BatchSingular, ClustersAndExactlyOrthogonalColumns) {
  RandomStates random(967);
  SCOPED_TRACE(random.text());
  for (int k = 0; k < 100; ++k) {
    VectorX sigma(6);
    sigma << 1.0, 1.0, 1.0 - 1e-9, 1e-3, 1e-3, 1e-3 * (1.0 + 1e-13);
    const MatrixX A = orthonormal(random, 8, 6) * sigma.asDiagonal() * orthonormal(random, 6, 6).transpose();
    expect_solution(A, random.vector(8, 30.0), 6);
  }
  expect_solution(MatrixX::Identity(6, 6), random.vector(6), 6);
  expect_solution(MatrixX::Identity(3, 6), random.vector(3), 3);
}

TEST(BatchSingular, MissingRankIsCutOffExactly) {
  RandomStates random(971);
  SCOPED_TRACE(random.text());
  for (const int rank : {1, 2, 3, 4, 5}) {
    // Joints in one plane: columns of exact zeros, which no rounding fills.
    for (int k = 0; k < 40; ++k) {
      MatrixX A = MatrixX::Zero(8, 6);
      const VectorX numbers = random.vector(8 * rank);
      A.leftCols(rank) = Eigen::Map<const MatrixX>(numbers.data(), 8, rank);
      expect_solution(A, random.vector(8, 30.0), rank);
      const MatrixX B = A.rightCols(6) * Eigen::PermutationMatrix<6>(Eigen::Matrix<int, 6, 1>{5, 3, 1, 0, 2, 4});
      expect_solution(B, random.vector(8, 30.0), rank);
    }
  }
  const Solution nothing = solve(MatrixX::Zero(8, 6), VectorX::Ones(8));
  EXPECT_EQ(nothing.rank, 0);
  EXPECT_EQ(nothing.w, Vector6::Zero());
  EXPECT_EQ(nothing.sigma, Vector6::Zero());
}

TEST(BatchSingular, WhatIsNoNumberGivesNoNumber) {
  RandomStates random(977);
  SCOPED_TRACE(random.text());
  for (const int joints : {3, 8}) {
    for (const double bad : {kNaN, kInfinity}) {
      const VectorX numbers = random.vector(joints * 6);
      MatrixX A = Eigen::Map<const MatrixX>(numbers.data(), joints, 6);
      VectorX r = random.vector(joints);
      A(1, 4) = bad;
      EXPECT_TRUE(solve(A, r).w.array().isNaN().all());
      A(1, 4) = 0.5;
      r[2] = bad;
      EXPECT_TRUE(solve(A, r).w.array().isNaN().all());
    }
  }
}

}  // namespace
}  // namespace antaeus
