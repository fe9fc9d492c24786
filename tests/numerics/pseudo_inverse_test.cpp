#include "antaeus/numerics/pseudo_inverse.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"

namespace antaeus {
namespace {

std::vector<MatrixX> matrices(test::RandomMatrices& random) {
  MatrixX singular = random.hand();
  singular.col(5) = singular.col(0) - singular.col(3);
  MatrixX cut = random.limbs();
  cut.middleRows(0, 3).setZero();
  return {random.hand(), random.limbs(),     random.limbs_and_base(), random.dense(7, 6), random.dense(6, 9), singular,
          cut,           MatrixX::Zero(4, 3)};
}

TEST(PseudoInverse, PenroseConditions) {
  test::RandomMatrices random(11);
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (const MatrixX& A : matrices(random)) {
      SmallSvd svd(33, 24);
      ASSERT_EQ(svd.compute(A), Status::ok);
      MatrixX B = MatrixX::Constant(A.cols(), A.rows(), kNaN);
      const InverseReport report = moore_penrose(svd, 1e-12, B);
      ASSERT_EQ(report.status, Status::ok);
      EXPECT_EQ(report.rank + report.lost, svd.sigma().size());
      const double condition = report.rank > 0 ? report.condition : 1.0;
      const double bar = tolerance::kInversePerCondition * condition;
      EXPECT_LE((A * B * A - A).norm(), bar * std::max(1.0, A.norm()));
      EXPECT_LE((B * A * B - B).norm(), bar * std::max(1.0, B.norm()) * condition);
      EXPECT_LE((A * B - (A * B).transpose()).norm(), bar * 10);
      EXPECT_LE((B * A - (B * A).transpose()).norm(), bar * 10);
    }
  }
}

TEST(PseudoInverse, AgreesWithCompleteOrthogonalDecomposition) {
  test::RandomMatrices random(12);
  for (const MatrixX& A : matrices(random)) {
    SmallSvd svd(33, 24);
    ASSERT_EQ(svd.compute(A), Status::ok);
    MatrixX B(A.cols(), A.rows());
    const InverseReport report = moore_penrose(svd, 1e-12, B);
    Eigen::CompleteOrthogonalDecomposition<MatrixX> cod;
    cod.setThreshold(1e-12);
    cod.compute(A);
    EXPECT_EQ(report.rank, cod.rank());
    const double condition = report.rank > 0 ? report.condition : 1.0;
    EXPECT_LE((B - cod.pseudoInverse()).norm(),
              10 * tolerance::kInversePerCondition * condition * std::max(1.0, B.norm()));
    if (report.rank > 0) {
      EXPECT_NEAR(report.norm, 1.0 / svd.sigma()[report.rank - 1], tolerance::kArithmetic * report.norm);
    }
  }
}

TEST(PseudoInverse, SaysWhatItTruncates) {
  Matrix3 A = Matrix3::Zero();
  A.diagonal() << 4.0, 1.0, 1e-3;
  SmallSvd svd(3, 3);
  ASSERT_EQ(svd.compute(A), Status::ok);
  MatrixX B(3, 3);

  const InverseReport all = moore_penrose(svd, kNumpyRelativeTolerance, B);
  EXPECT_EQ(all.rank, 3);
  EXPECT_EQ(all.lost, 0);
  EXPECT_NEAR(all.condition, 4000.0, 4000.0 * tolerance::kArithmetic);
  EXPECT_NEAR(B(2, 2), 1000.0, 1000.0 * tolerance::kArithmetic);

  const InverseReport two = truncated(svd, 0.5, B);
  EXPECT_EQ(two.rank, 2);
  EXPECT_EQ(two.lost, 1);
  EXPECT_NEAR(two.condition, 4.0, 4.0 * tolerance::kArithmetic);
  EXPECT_NEAR(two.norm, 1.0, tolerance::kArithmetic);
  EXPECT_EQ(B(2, 2), 0.0);
  EXPECT_NEAR(B(0, 0), 0.25, tolerance::kArithmetic);

  const InverseReport soft = damped(svd, 0.5, B);
  EXPECT_EQ(soft.rank, 2);
  EXPECT_NEAR(B(0, 0), 4.0 / 16.25, tolerance::kArithmetic);
  EXPECT_NEAR(B(1, 1), 1.0 / 1.25, tolerance::kArithmetic);
  EXPECT_NEAR(B(2, 2), 1e-3 / (1e-6 + 0.25), tolerance::kArithmetic);

  // NumPy's cut is strict: a singular value at the tolerance is dropped.
  EXPECT_EQ(moore_penrose(svd, 0.25, B).rank, 1);
  EXPECT_EQ(moore_penrose(svd, 2.0, B).rank, 0);
  EXPECT_TRUE((B.array() == 0.0).all());
}

TEST(PseudoInverse, DampedTendsToMoorePenrose) {
  test::RandomMatrices random(13);
  SmallSvd svd(27, 24);
  ASSERT_EQ(svd.compute(random.limbs()), Status::ok);
  MatrixX exact(24, 27), B(24, 27);
  moore_penrose(svd, kNumpyRelativeTolerance, exact);
  double last = kInfinity;
  for (const double lambda : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    damped(svd, lambda, B);
    const double error = (B - exact).norm();
    EXPECT_LT(error, last) << lambda;
    last = error;
  }
  // The relative error of a direction is λ²/(σ² + λ²).
  EXPECT_LE(last, 24 * 1e-10 / std::pow(svd.sigma()[23], 3));
  damped(svd, 0.0, B);
  EXPECT_LE((B - exact).norm(), tolerance::kArithmetic * exact.norm());
}

TEST(PseudoInverse, DampedIsBoundedAtAnyScale) {
  Matrix3 A = Matrix3::Zero();
  A.diagonal() << 1e200, 1.0, 1e-200;
  SmallSvd svd(3, 3);
  ASSERT_EQ(svd.compute(A), Status::ok);
  MatrixX B(3, 3);
  EXPECT_LE(damped(svd, 1e-3, B).norm, 500.0);
  EXPECT_TRUE(B.allFinite());
  ASSERT_EQ(svd.compute(Matrix3::Zero()), Status::ok);
  for (const double lambda : {0.0, 1.0}) {
    const InverseReport report = damped(svd, lambda, B);
    EXPECT_EQ(report.rank, 0);
    EXPECT_TRUE(std::isnan(report.condition));
    EXPECT_TRUE((B.array() == 0.0).all());
  }
}

TEST(PseudoInverse, BadInputLeavesNaN) {
  using Inverse = InverseReport (*)(const SmallSvd&, double, MatrixRef) noexcept;
  test::RandomMatrices random(14);
  for (const Inverse inverse : {Inverse{moore_penrose}, Inverse{truncated}, Inverse{damped}}) {
    SmallSvd svd(27, 6);
    MatrixX B = MatrixX::Zero(6, 27);
    const auto expect = [&](Status status, const InverseReport& report) {
      EXPECT_EQ(report.status, status);
      EXPECT_EQ(report.rank, -1);
      EXPECT_TRUE(std::isnan(report.norm));
      EXPECT_TRUE(B.array().isNaN().all());
      B.setZero();
    };
    expect(Status::not_computed, inverse(svd, 0.1, B));
    ASSERT_EQ(svd.compute(random.hand()), Status::ok);
    expect(Status::not_finite, inverse(svd, -0.1, B));
    expect(Status::not_finite, inverse(svd, kNaN, B));
    B.resize(27, 6);
    expect(Status::wrong_size, inverse(svd, 0.1, B));
    MatrixX bad = random.hand();
    bad(0, 0) = kNaN;
    ASSERT_EQ(svd.compute(bad), Status::not_finite);
    B.setZero(6, 27);
    expect(Status::not_computed, inverse(svd, 0.1, B));
  }
}

}  // namespace
}  // namespace antaeus
