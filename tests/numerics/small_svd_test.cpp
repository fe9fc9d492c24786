#include "antaeus/numerics/small_svd.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"

namespace antaeus {
namespace {

TEST(SmallSvd, AgreesWithNumpyOnAHandJacobian) {
  MatrixX J = MatrixX::Zero(6, 27);
  J.middleCols(12, 8) = test::hand_jacobian();
  SmallSvd svd(27, 6);
  ASSERT_EQ(svd.compute_transposed(J), Status::ok);
  // kHandSigma was printed with 12 decimals.
  EXPECT_LT((svd.sigma() - test::kHandSigma).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(svd.rows(), 27);
  EXPECT_EQ(svd.columns(), 6);
  EXPECT_TRUE((svd.U().topRows(12).array() == 0.0).all());
  EXPECT_TRUE((svd.U().bottomRows(7).array() == 0.0).all());
}

TEST(SmallSvd, TransposedIsTheSameAsTheTranspose) {
  test::RandomMatrices random(1);
  const MatrixX A = random.limbs();
  const MatrixX J = A.transpose();
  SmallSvd of_A(27, 24), of_J(27, 24);
  ASSERT_EQ(of_A.compute(A), Status::ok);
  ASSERT_EQ(of_J.compute_transposed(J), Status::ok);
  EXPECT_EQ(MatrixX(of_A.sigma()), MatrixX(of_J.sigma()));
  EXPECT_EQ(MatrixX(of_A.U()), MatrixX(of_J.U()));
  EXPECT_EQ(MatrixX(of_A.V()), MatrixX(of_J.V()));
}

TEST(SmallSvd, ScalesTheRowsOfJ) {
  test::RandomMatrices random(2);
  const MatrixX J = random.dense(6, 8);
  const Vector6 scale = (Vector6() << 3, 0.5, 1, 2, -1, 0.1).finished();
  const MatrixX A = (scale.asDiagonal() * J).transpose();
  SmallSvd scaled(8, 6), plain(8, 6);
  ASSERT_EQ(scaled.compute_transposed(J, scale), Status::ok);
  ASSERT_EQ(plain.compute(A), Status::ok);
  EXPECT_LT((scaled.sigma() - plain.sigma()).norm(), tolerance::kSingularValue * plain.sigma()[0]);
  EXPECT_LT((scaled.V() - plain.V()).norm(), tolerance::kSingularValue * plain.sigma()[0] / plain.sigma()[5]);
  EXPECT_EQ(scaled.compute_transposed(J, VectorX::Ones(5)), Status::wrong_size);
  EXPECT_EQ(scaled.compute_transposed(J, VectorX::Zero(6)), Status::not_finite);
  EXPECT_EQ(scaled.compute_transposed(J, VectorX::Constant(6, kNaN)), Status::not_finite);
}

TEST(SmallSvd, RepeatsItselfToTheBit) {
  test::RandomMatrices random(3);
  const MatrixX A = random.limbs_and_base();
  SmallSvd svd(40, 40);
  ASSERT_EQ(svd.compute(A), Status::ok);
  const MatrixX U = svd.U(), V = svd.V();
  ASSERT_EQ(svd.compute(random.limbs()), Status::ok);
  ASSERT_EQ(svd.compute(A), Status::ok);
  EXPECT_EQ(U, MatrixX(svd.U()));
  EXPECT_EQ(V, MatrixX(svd.V()));
}

TEST(SmallSvd, BadInputLeavesNaN) {
  test::RandomMatrices random(4);
  SmallSvd svd(27, 6);
  EXPECT_EQ(svd.status(), Status::not_computed);
  EXPECT_EQ(svd.rank(0.0), -1);
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    MatrixX A = random.hand();
    ASSERT_EQ(svd.compute(A), Status::ok);
    A(3, 2) = bad;
    EXPECT_EQ(svd.compute(A), Status::not_finite);
    EXPECT_EQ(svd.status(), Status::not_finite);
    EXPECT_EQ(svd.sigma().size(), 6);
    EXPECT_TRUE(svd.sigma().array().isNaN().all());
    EXPECT_TRUE(svd.U().array().isNaN().all());
    EXPECT_TRUE(svd.V().array().isNaN().all());
    EXPECT_EQ(svd.rank(1e-9), -1);
  }
  EXPECT_EQ(svd.compute(MatrixX::Ones(28, 6)), Status::wrong_size);
  EXPECT_EQ(svd.compute(MatrixX::Ones(6, 7)), Status::wrong_size);
  EXPECT_EQ(svd.sigma().size(), 0);
}

TEST(SmallSvd, EmptyMatricesAndCapacities) {
  EXPECT_THROW(SmallSvd(-1, 6), Error);
  SmallSvd nothing(0, 0);
  EXPECT_EQ(nothing.compute(MatrixX(0, 0)), Status::ok);
  EXPECT_EQ(nothing.compute(MatrixX::Ones(1, 1)), Status::wrong_size);
  SmallSvd svd(5, 3);
  EXPECT_EQ(svd.compute(MatrixX(5, 0)), Status::ok);
  EXPECT_EQ(svd.U().rows(), 5);
  EXPECT_EQ(svd.V().cols(), 0);
}

TEST(SmallSvd, ExtremeScales) {
  test::RandomMatrices random(5);
  const MatrixX A = random.hand();
  SmallSvd reference(27, 6), svd(27, 6);
  ASSERT_EQ(reference.compute(A), Status::ok);
  for (const double scale : {1e-300, 1e-200, 1e200, 1e300}) {
    ASSERT_EQ(svd.compute(A * scale), Status::ok);
    EXPECT_LT((svd.sigma() / scale - reference.sigma()).norm(), tolerance::kSingularValue * reference.sigma()[0])
        << scale;
    EXPECT_LT((svd.U().transpose() * svd.U() - Matrix6::Identity()).norm(), tolerance::kOrthogonality) << scale;
  }
  // Blocks that share nothing are scaled each on its own.
  MatrixX two = MatrixX::Zero(12, 12);
  two.topLeftCorner(6, 6) = 1e200 * A.block(12, 0, 6, 6);
  two.bottomRightCorner(6, 6) = 1e-200 * A.block(13, 0, 6, 6);
  SmallSvd large(12, 12);
  ASSERT_EQ(large.compute(two), Status::ok);
  const Eigen::JacobiSVD<MatrixX> lower(A.block(13, 0, 6, 6));
  EXPECT_LT((large.sigma().tail(6) * 1e200 - lower.singularValues()).norm(), tolerance::kSingularValue * 3.0);
  // Subnormal entries.
  Matrix3 tiny = Matrix3::Zero();
  tiny.diagonal() << 3e-310, 2e-310, 1e-310;
  tiny(0, 1) = 1e-310;
  ASSERT_EQ(large.compute(tiny), Status::ok);
  EXPECT_GT(large.sigma()[2], 0.5e-310);
  EXPECT_LT(large.sigma()[0], 4e-310);
}

TEST(SmallSvd, GradedMatricesKeepTheirSmallSingularValues) {
  // A = B D with orthogonal columns in B: the singular values are D exactly, over 30 decades.
  test::RandomMatrices random(6);
  const MatrixX Q = Eigen::HouseholderQR<MatrixX>(random.dense(8, 6)).householderQ() * MatrixX::Identity(8, 6);
  Vector6 scale;
  scale << 1e-30, 1.0, 1e-12, 1e-6, 1e-24, 1e-18;
  Vector6 sorted;
  sorted << 1.0, 1e-6, 1e-12, 1e-18, 1e-24, 1e-30;
  const MatrixX by_columns = Q * scale.asDiagonal();
  const MatrixX by_rows = by_columns.transpose();
  SmallSvd svd(8, 8);
  ASSERT_EQ(svd.compute(by_columns), Status::ok);
  EXPECT_LT(((svd.sigma() - sorted).array() / sorted.array()).abs().maxCoeff(), tolerance::kGradedSingularValue);
  ASSERT_EQ(svd.compute(by_rows), Status::ok);
  EXPECT_LT(((svd.sigma() - sorted).array() / sorted.array()).abs().maxCoeff(), tolerance::kGradedSingularValue);
  EXPECT_EQ(svd.rank(1e-15), 3);
  EXPECT_EQ(svd.rank(0.0), 6);

  // Rows graded on the long side: A = D B.
  VectorX rows(8);
  rows << 1e-3, 1.0, 1e-9, 1e-6, 1e-12, 1e-15, 1e-18, 1e-21;
  const MatrixX A = rows.asDiagonal() * random.dense(8, 6);
  ASSERT_EQ(svd.compute(A), Status::ok);
  // Reference: the volume of the columns by Eigen's QR of the sorted rows in long double; it is the product of the
  // singular values.
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Wide sorted_rows =
      (Eigen::PermutationMatrix<8>(Eigen::Matrix<int, 8, 1>(2, 0, 4, 1, 3, 5, 6, 7)) * A).cast<long double>();
  const Eigen::ColPivHouseholderQR<Wide> qr(sorted_rows);
  long double volume = 1.0L;
  for (int i = 0; i < 6; ++i) volume *= std::abs(qr.matrixQR()(i, i));
  EXPECT_NEAR(static_cast<double>(svd.sigma().cast<long double>().prod() / volume), 1.0,
              tolerance::kGradedSingularValue);
}

}  // namespace
}  // namespace antaeus
