#include "antaeus/numerics/three_tier_inverse.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"
#include "support/largest.hpp"

namespace antaeus {
namespace {

using test::largest;

/// 6 × columns with the smallest singular value s and the others 0.5 … 1.5, turned at random.
struct Family {
  Family(int columns, unsigned seed) : random(seed) {
    U = MatrixX(random.dense(6, 6)).householderQr().householderQ();
    V = MatrixX(random.dense(columns, columns)).householderQr().householderQ();
    V.conservativeResize(columns, 6);
  }
  MatrixX at(double s) const {
    VectorX sigma(6);
    sigma << 1.5, 1.3, 1.1, 0.8, 0.5, s;
    return U * sigma.asDiagonal() * V.transpose();
  }
  test::RandomMatrices random;
  MatrixX U, V;
};

class ThreeTier : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Columns, ThreeTier, testing::Values(6, 7));

TEST_P(ThreeTier, EachTierIsItsFormula) {
  const int n = GetParam();
  const Family family(n, 41);
  ThreeTierInverse inverse(6, n);
  InverseMemory memory(6, n);
  const MatrixX still = MatrixX::Zero(6, n);

  MatrixX J = family.at(0.4);
  TierReport report = inverse.compute(J, still, memory);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.tier, InverseTier::exact);
  EXPECT_NEAR(report.sigma_min, 0.4, tolerance::kInverseTier);
  EXPECT_NEAR(report.condition, 1.5 / 0.4, tolerance::kInverseTier);
  EXPECT_NEAR(report.norm, 2.5, tolerance::kInverseTier);
  EXPECT_EQ(report.lambda, 0.0);
  const MatrixX expected = n == 6 ? MatrixX(J.inverse()) : MatrixX(J.completeOrthogonalDecomposition().pseudoInverse());
  EXPECT_LT(largest(inverse.inverse() - expected), tolerance::kInverseTier);

  J = family.at(0.012);
  report = inverse.compute(J, still, memory);
  EXPECT_EQ(report.tier, InverseTier::damped);
  EXPECT_NEAR(report.lambda, 0.008, tolerance::kInverseTier);
  const MatrixX gram = J * J.transpose() + 0.008 * 0.008 * MatrixX::Identity(6, 6);
  EXPECT_LT(largest(inverse.inverse() - J.transpose() * gram.inverse()), tolerance::kInverseTier);
  EXPECT_LT(report.norm, 60.4) << "the gain's peak is (1 + √2)/(2 soft_floor)";

  // λ has a least value, so it jumps by it at the soft floor: seldom more than a tenth per mille of the gain.
  EXPECT_EQ(inverse.compute(family.at(0.02 - 1e-6), still, memory).lambda, 1e-4);

  const MatrixX last = inverse.inverse();
  report = inverse.compute(family.at(0.005 - 1e-12), still, memory);
  EXPECT_EQ(report.tier, InverseTier::held);
  EXPECT_FALSE(report.initial);
  EXPECT_EQ(inverse.inverse(), last);
  EXPECT_EQ(largest(inverse.rate()), 0.0);
  EXPECT_TRUE(std::isnan(report.lambda));
  report = inverse.compute(still, still, memory);
  EXPECT_EQ(report.tier, InverseTier::held);
  EXPECT_TRUE(std::isinf(report.condition)) << "infinite, not NaN";
}

TEST_P(ThreeTier, RateIsTheInversesDerivativeInEveryTier) {
  const int n = GetParam();
  Family family(n, 42);
  ThreeTierOptions options;
  options.exit_step = 0.0;
  ThreeTierInverse inverse(6, n, options);
  const MatrixX direction = family.random.dense(6, n);
  constexpr double kStep = 1e-6;
  for (const double s : {0.7, 0.1, 0.03, 0.015, 0.0199995, 0.007}) {
    SCOPED_TRACE(s);
    // A start for each difference of its own: memory is of one motion.
    InverseMemory memory(6, n);
    const MatrixX J = family.at(s), J_dot = 0.1 * direction;
    inverse.compute(J, J_dot, memory);
    const MatrixX rate = inverse.rate();
    inverse.compute(J + kStep * J_dot, J_dot, memory);
    const MatrixX after = inverse.inverse();
    inverse.compute(J - kStep * J_dot, J_dot, memory);
    EXPECT_LT(largest((after - inverse.inverse()) / (2.0 * kStep) - rate) / largest(rate),
              tolerance::kInverseDifference);
  }
}

TEST(ThreeTierInverse, FirstCallThatCannotInvertIsZeroAndSaysSo) {
  const Family family(6, 43);
  ThreeTierInverse inverse(6, 6);
  InverseMemory memory(6, 6);
  const MatrixX still = MatrixX::Zero(6, 6);
  TierReport report = inverse.compute(family.at(0.001), still, memory);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.tier, InverseTier::held);
  EXPECT_TRUE(report.initial);
  EXPECT_EQ(largest(inverse.inverse()), 0.0);
  EXPECT_TRUE(memory.empty());
  // From nothing there is no jump to spread: the first inverse comes whole.
  report = inverse.compute(family.at(0.03), still, memory);
  EXPECT_EQ(report.tier, InverseTier::exact);
  EXPECT_EQ(report.remaining, 0.0);
  memory.reset();
  EXPECT_TRUE(memory.empty());
  EXPECT_TRUE(inverse.compute(family.at(0.001), still, memory).initial) << "reset forgets";
}

/// The smallest singular value passes through zero and changes sign: the held inverse then has the wrong sign.
TEST(ThreeTierInverse, LeavingAHoldOnTheFarSideIsSpreadOverCalls) {
  const Family family(6, 44);
  for (const double step : {0.0, 0.5}) {
    SCOPED_TRACE(step);
    ThreeTierOptions options;
    options.exit_step = step;
    ThreeTierInverse inverse(6, 6, options);
    InverseMemory memory(6, 6);
    const MatrixX still = MatrixX::Zero(6, 6);
    MatrixX last;
    double worst = 0.0;
    TierReport report;
    for (int i = 0; i <= 4000; ++i) {
      report = inverse.compute(family.at(0.1 - 5e-5 * i), still, memory);
      if (i > 0) worst = std::max(worst, (inverse.inverse() - last).norm());
      last = inverse.inverse();
    }
    EXPECT_EQ(report.remaining, 0.0) << "the jump is taken off in the end";
    EXPECT_LT(largest(inverse.inverse() * family.at(-0.1) - MatrixX::Identity(6, 6)), tolerance::kInverseTier);
    if (step == 0.0) {
      EXPECT_GT(worst, 30.0) << "as published";
    } else {
      // What is taken off, and the damped gain's own slope, at most 2.6/soft_floor² (at 0.4 of it).
      EXPECT_LT(worst, 0.5 + 5e-5 * 2.6 / (0.02 * 0.02));
    }
  }
}

TEST(ThreeTierInverse, AStateElsewhereIsNotBlended) {
  Family family(6, 45);
  ThreeTierInverse inverse(6, 6);
  InverseMemory memory(6, 6);
  const MatrixX still = MatrixX::Zero(6, 6), J = family.random.dense(6, 6) + 3.0 * MatrixX::Identity(6, 6);
  inverse.compute(family.at(0.3), still, memory);
  inverse.compute(family.at(0.001), still, memory);
  const TierReport report = inverse.compute(J, still, memory);
  EXPECT_EQ(report.tier, InverseTier::exact);
  EXPECT_EQ(report.remaining, 0.0);
  EXPECT_LT(largest(inverse.inverse() * J - MatrixX::Identity(6, 6)), tolerance::kInverseTier);
}

TEST(ThreeTierInverse, NormLimitHolds) {
  const Family family(6, 46);
  ThreeTierOptions options;
  options.inv_norm_max = 10.0;
  ThreeTierInverse inverse(6, 6, options);
  InverseMemory memory(6, 6);
  const MatrixX still = MatrixX::Zero(6, 6);
  EXPECT_EQ(inverse.compute(family.at(0.11), still, memory).tier, InverseTier::exact);
  const MatrixX last = inverse.inverse();
  EXPECT_EQ(inverse.compute(family.at(0.09), still, memory).tier, InverseTier::held);
  EXPECT_EQ(inverse.inverse(), last);
}

TEST(ThreeTierInverse, BadInputIsAStatusAndTheLastGoodInverse) {
  const Family family(6, 47);
  ThreeTierInverse inverse(6, 6);
  InverseMemory memory(6, 6);
  const MatrixX still = MatrixX::Zero(6, 6);
  inverse.compute(family.at(0.3), still, memory);
  const MatrixX last = inverse.inverse();
  MatrixX bad = family.at(0.3);
  bad(2, 3) = std::nan("");
  for (const auto& [J, J_dot] : {std::pair(bad, still), std::pair(family.at(0.3), bad)}) {
    const TierReport report = inverse.compute(J, J_dot, memory);
    EXPECT_EQ(report.status, Status::not_finite);
    EXPECT_EQ(report.tier, InverseTier::held);
    EXPECT_EQ(inverse.inverse(), last);
  }
  const MatrixX small = MatrixX::Zero(5, 6);
  EXPECT_EQ(inverse.compute(small, small, memory).status, Status::wrong_size);
  EXPECT_TRUE(inverse.inverse().array().isNaN().all());
  InverseMemory other(6, 7);
  EXPECT_EQ(inverse.compute(still, still, other).status, Status::wrong_size);
}

TEST(ThreeTierInverse, OptionsThatMakeNoSenseAreRefused) {
  ThreeTierOptions options;
  options.hard_floor = options.soft_floor;
  EXPECT_THROW(ThreeTierInverse(6, 6, options), OptionsError);
  options = {};
  options.damping = -1.0;
  EXPECT_THROW(ThreeTierInverse(6, 6, options), OptionsError);
  EXPECT_THROW(ThreeTierInverse(7, 6), Error);
  EXPECT_THROW(InverseMemory(0, 6), Error);
}

}  // namespace
}  // namespace antaeus
