#include "antaeus/numerics/gains.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

/// pinv(Jᵀ) of the H1-2's hand.
Matrix6X hand_inverse() {
  SmallSvd svd(8, 6);
  svd.compute_transposed(test::hand_jacobian());
  Matrix6X B(6, 8);
  moore_penrose(svd, kNumpyRelativeTolerance, B);
  return B;
}

TEST(Gains, AreTheResponseToOneNewtonMetre) {
  const Matrix6X B = hand_inverse();
  for (int joint = 0; joint < 8; ++joint) {
    // From the definition: the least-squares wrench of a unit torque satisfies the normal equations J Jᵀ w = J e.
    const Matrix6X J = test::hand_jacobian();
    const Vector6 w = Matrix6(J * J.transpose()).ldlt().solve(Vector6(J.col(joint)));
    for (int row = 0; row < 6; ++row) EXPECT_NEAR(gain(B, row, joint), w[row], 1e4 * tolerance::kArithmetic);
    EXPECT_NEAR(force_gain(B, joint), w.head<3>().norm(), 1e4 * tolerance::kArithmetic);
  }
  EXPECT_TRUE(std::isnan(gain(B, 6, 0)));
  EXPECT_TRUE(std::isnan(gain(B, -1, 0)));
  EXPECT_TRUE(std::isnan(gain(B, 0, 8)));
  EXPECT_TRUE(std::isnan(force_gain(B, -1)));
}

TEST(Gains, AttributionSumsToTheWrench) {
  const Matrix6X B = hand_inverse();
  test::RandomMatrices random(21);
  const VectorX residual = 10.0 * random.dense(8, 1);
  Matrix6X parts(6, 8);
  ASSERT_EQ(attribution(B, residual, parts), Status::ok);
  EXPECT_LE((parts.rowwise().sum() - B * residual).norm(), 1e3 * tolerance::kArithmetic);
  EXPECT_EQ(Vector6(parts.col(2)), Vector6(B.col(2) * residual[2]));

  EXPECT_EQ(attribution(B, residual.head(7), parts), Status::wrong_size);
  EXPECT_TRUE(parts.array().isNaN().all());
  VectorX bad = residual;
  bad[4] = kNaN;
  EXPECT_EQ(attribution(B, bad, parts), Status::not_finite);
  EXPECT_TRUE(parts.array().isNaN().all());
}

TEST(Gains, LargestContributor) {
  Matrix6X parts = Matrix6X::Zero(6, 4);
  parts.row(kFz) << 1.0, -6.0, 2.0, 1.0;
  const Contributor largest = largest_contributor(parts, kFz);
  EXPECT_EQ(largest.joint, 1);
  EXPECT_EQ(largest.amount, -6.0);
  EXPECT_DOUBLE_EQ(largest.share, 0.6);
  EXPECT_TRUE(std::isnan(largest_contributor(parts, kFx).share));
  EXPECT_EQ(largest_contributor(parts, 6).joint, -1);
  EXPECT_EQ(largest_contributor(Matrix6X(6, 0), kFz).joint, -1);
  parts(kFz, 3) = kNaN;
  EXPECT_EQ(largest_contributor(parts, kFz).joint, -1);
  EXPECT_TRUE(std::isnan(largest_contributor(parts, kFz).amount));
}

TEST(Gains, WorstCaseIsReachedAndNeverExceeded) {
  const Matrix6X B = hand_inverse();
  test::RandomMatrices random(22);
  const VectorX budget = random.dense(8, 1).cwiseAbs();
  const Vector6 box = worst_case_wrench(B, budget);
  const Vector6 ball = worst_case_wrench(B, 2.5);
  for (int row = 0; row < 6; ++row) {
    const VectorX at_box = budget.array() * B.row(row).transpose().array().sign();
    EXPECT_NEAR(B.row(row).dot(at_box), box[row], 1e3 * tolerance::kArithmetic);
    const VectorX at_ball = 2.5 * B.row(row).transpose().normalized();
    EXPECT_NEAR(B.row(row).dot(at_ball), ball[row], 1e3 * tolerance::kArithmetic);
  }
  for (int i = 0; i < 1000; ++i) {
    const VectorX direction = random.dense(8, 1);
    EXPECT_TRUE(((B * direction.cwiseProduct(budget)).cwiseAbs().array() <= box.array()).all());
    EXPECT_TRUE(((B * direction.normalized() * 2.5).cwiseAbs().array() <= ball.array() * (1 + 1e-12)).all());
  }
  EXPECT_TRUE(worst_case_wrench(B, VectorX::Ones(7)).array().isNaN().all());
  EXPECT_TRUE(worst_case_wrench(B, VectorX(-budget)).array().isNaN().all());
  EXPECT_TRUE(worst_case_wrench(B, -1.0).array().isNaN().all());
  EXPECT_TRUE(worst_case_wrench(B, kNaN).array().isNaN().all());
}

}  // namespace
}  // namespace antaeus
