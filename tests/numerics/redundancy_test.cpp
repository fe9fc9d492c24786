#include "antaeus/numerics/redundancy.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

TEST(Redundancy, RepeatedMeasurementsOfOneNumber) {
  // n measurements of one number with sd σ: ρ = 1 − 1/n each, MDB = σ √λ₀ / √(1 − 1/n). Teunissen, Testing theory.
  for (const int n : {2, 5, 10}) {
    Redundancy redundancy(n, 1);
    ASSERT_EQ(redundancy.compute(MatrixX::Ones(n, 1), VectorX::Constant(n, 4.0), VectorX::Ones(1)), Status::ok);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(redundancy.numbers()[i], 1.0 - 1.0 / n, tolerance::kArithmetic);
      EXPECT_NEAR(redundancy.minimal_detectable_bias()[i], 2.0 * 4.1321479653 / std::sqrt(1.0 - 1.0 / n),
                  tolerance::kByHand);
    }
    EXPECT_EQ(redundancy.rank(), 1);
    EXPECT_EQ(redundancy.total(), n - 1.0);
  }
}

TEST(Redundancy, TheHatMatrixByHand) {
  RandomStates random(33);
  SCOPED_TRACE(random.text());
  for (int trial = 0; trial < 50; ++trial) {
    MatrixX A(8, 6);
    for (int j = 0; j < 6; ++j) A.col(j) = random.vector(8);
    const VectorX variance = random.vector(8).array().square() + 0.05, scale = VectorX::Constant(6, 3.0);
    Redundancy redundancy(8, 6);
    ASSERT_EQ(redundancy.compute(A, variance, scale), Status::ok);
    const MatrixX W = variance.cwiseInverse().asDiagonal();
    const MatrixX H = A * (A.transpose() * W * A).inverse() * A.transpose() * W;
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(redundancy.numbers()[i], 1.0 - H(i, i), tolerance::kSamePosterior);
    EXPECT_NEAR(redundancy.numbers().sum(), redundancy.total(), tolerance::kSamePosterior);
  }
}

TEST(Redundancy, ARowThatAloneSeesAnUnknownIsUndetectable) {
  MatrixX A = MatrixX::Zero(3, 2);
  A(0, 0) = A(1, 0) = 1.0;
  A(2, 1) = 0.01;
  Redundancy redundancy(3, 2);
  ASSERT_EQ(redundancy.compute(A, VectorX::Ones(3), VectorX::Ones(2)), Status::ok);
  EXPECT_NEAR(redundancy.numbers()[2], 0.0, tolerance::kArithmetic);
  EXPECT_EQ(redundancy.minimal_detectable_bias()[2], kInfinity);
  EXPECT_NEAR(redundancy.numbers()[0], 0.5, tolerance::kArithmetic);
}

TEST(Redundancy, UnitsDoNotMatter) {
  // The same unknowns in millimetres: another A, another scale, the same numbers.
  RandomStates random(34);
  SCOPED_TRACE(random.text());
  MatrixX A(8, 6);
  for (int j = 0; j < 6; ++j) A.col(j) = random.vector(8);
  const VectorX variance = VectorX::Constant(8, 0.3);
  VectorX scale = VectorX::Ones(6), unit = VectorX::Ones(6);
  unit.tail(3).setConstant(1e3);
  Redundancy metres(8, 6), millimetres(8, 6);
  metres.compute(A, variance, scale);
  millimetres.compute(A * unit.cwiseInverse().asDiagonal(), variance, scale.cwiseProduct(unit));
  EXPECT_LT((metres.numbers() - millimetres.numbers()).norm(), tolerance::kSamePosterior);
  EXPECT_NEAR(metres.condition(), millimetres.condition(), tolerance::kSamePosterior * metres.condition());
}

TEST(Redundancy, RowsWithoutEvidenceAndRanksThatAreLost) {
  MatrixX A(4, 2);
  A << 1, 1, 2, 2, 3, 3, 4, 4;  // rank 1
  VectorX variance = VectorX::Ones(4);
  variance[1] = kInfinity;
  Redundancy redundancy(4, 2);
  ASSERT_EQ(redundancy.compute(A, variance, VectorX::Ones(2)), Status::ok);
  EXPECT_EQ(redundancy.rank(), 1);
  EXPECT_EQ(redundancy.total(), 2.0);
  EXPECT_TRUE(std::isnan(redundancy.numbers()[1]));
  EXPECT_NEAR(redundancy.numbers()[0] + redundancy.numbers()[2] + redundancy.numbers()[3], 2.0, tolerance::kArithmetic);
}

TEST(Redundancy, BadInput) {
  Redundancy redundancy(3, 2);
  const MatrixX A = MatrixX::Ones(3, 2);
  EXPECT_EQ(redundancy.compute(MatrixX::Ones(4, 2), VectorX::Ones(4), VectorX::Ones(2)), Status::wrong_size);
  EXPECT_EQ(redundancy.compute(A, VectorX::Zero(3), VectorX::Ones(2)), Status::not_finite);
  EXPECT_EQ(redundancy.compute(A, VectorX::Constant(3, std::nan("")), VectorX::Ones(2)), Status::not_finite);
  EXPECT_TRUE(redundancy.numbers().array().isNaN().all());
  EXPECT_TRUE(std::isnan(redundancy.condition()));
}

}  // namespace
}  // namespace antaeus
