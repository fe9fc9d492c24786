#include "antaeus/numerics/gaussian_posterior.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "antaeus/core/numbers.hpp"
#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

struct Problem {
  MatrixX A, L;
  VectorX y, variance;
  Problem(RandomStates& random, Eigen::Index rows, Eigen::Index unknowns) {
    A.resize(rows, unknowns), L.resize(unknowns, unknowns);
    for (Eigen::Index j = 0; j < unknowns; ++j) A.col(j) = random.vector(rows);
    for (Eigen::Index j = 0; j < unknowns; ++j) L.col(j) = random.vector(unknowns, 3.0);
    y = random.vector(rows, 5.0);
    variance = random.vector(rows).array().square() + 0.1;
  }
  MatrixX S() const {
    MatrixX S = A * L * L.transpose() * A.transpose();
    S.diagonal() += variance;
    return S;
  }
};

TEST(GaussianPosterior, IsConditioningOfTheJointDistribution) {
  RandomStates random(31);
  SCOPED_TRACE(random.text());
  for (const auto& [rows, unknowns] : {std::pair(1, 1), std::pair(7, 6), std::pair(3, 6), std::pair(14, 12)}) {
    const Problem p(random, rows, unknowns);
    GaussianPosterior posterior(rows, unknowns);
    ASSERT_EQ(posterior.compute(p.A, p.y, p.variance, p.L), Status::ok);
    // Conditional mean and covariance of a joint normal, by dense inverses.
    const MatrixX P0 = p.L * p.L.transpose(), S = p.S(), K = P0 * p.A.transpose() * S.inverse();
    EXPECT_LT((posterior.mean() - K * p.y).norm(), tolerance::kSamePosterior);
    EXPECT_LT((posterior.covariance() - (P0 - K * p.A * P0)).norm(), tolerance::kSamePosterior * P0.norm());
    EXPECT_LT((posterior.gain() - K).norm(), tolerance::kSamePosterior);
    const double nis = p.y.dot(S.inverse() * p.y);
    EXPECT_NEAR(posterior.nis(), nis, tolerance::kSamePosterior * (1 + nis));
    const double log_density = -0.5 * (nis + std::log(S.determinant()) + rows * std::log(2.0 * std::numbers::pi));
    EXPECT_NEAR(posterior.log_evidence(), log_density, tolerance::kSamePosterior * (1 + std::abs(log_density)));
    EXPECT_NEAR(posterior.null_nis(), (p.y.array().square() / p.variance.array()).sum(), tolerance::kSamePosterior);
  }
}

TEST(GaussianPosterior, CorrelatedNoiseIsConditioningOfTheJointDistribution) {
  RandomStates random(38);
  SCOPED_TRACE(random.text());
  for (const auto& [rows, unknowns] : {std::pair(1, 1), std::pair(7, 6), std::pair(3, 6), std::pair(14, 12)}) {
    const Problem p(random, rows, unknowns);
    MatrixX R = MatrixX(p.variance.asDiagonal());
    for (int shared = 0; shared < 3; ++shared) {
      const VectorX error = random.vector(rows);
      R += error * error.transpose();
    }
    GaussianPosterior posterior(rows, unknowns);
    ASSERT_EQ(posterior.compute_correlated(p.A, p.y, R, p.L), Status::ok);
    const MatrixX P0 = p.L * p.L.transpose(), S = p.A * P0 * p.A.transpose() + R;
    const MatrixX K = P0 * p.A.transpose() * S.inverse();
    EXPECT_LT((posterior.mean() - K * p.y).norm(), tolerance::kSamePosterior);
    EXPECT_LT((posterior.covariance() - (P0 - K * p.A * P0)).norm(), tolerance::kSamePosterior * P0.norm());
    EXPECT_LT((posterior.gain() - K).norm(), tolerance::kSamePosterior);
    const double nis = p.y.dot(S.inverse() * p.y), null_nis = p.y.dot(R.inverse() * p.y);
    EXPECT_NEAR(posterior.nis(), nis, tolerance::kSamePosterior * (1 + nis));
    EXPECT_NEAR(posterior.null_nis(), null_nis, tolerance::kSamePosterior * (1 + null_nis));
    const double log_density = -0.5 * (nis + std::log(S.determinant()) + rows * std::log(2.0 * std::numbers::pi));
    EXPECT_NEAR(posterior.log_evidence(), log_density, tolerance::kSamePosterior * (1 + std::abs(log_density)));
    EXPECT_EQ(posterior.evidence_rows(), rows);
  }
}

TEST(GaussianPosterior, ACorrelatedRowWithoutEvidenceIsAsIfItWereNotThere) {
  RandomStates random(39);
  SCOPED_TRACE(random.text());
  const Problem p(random, 7, 6);
  MatrixX R = MatrixX(p.variance.asDiagonal());
  const VectorX error = random.vector(7);
  R += error * error.transpose();
  const std::vector<int> kept = {0, 1, 3, 4, 5, 6};
  GaussianPosterior whole(7, 6), part(6, 6);
  ASSERT_EQ(part.compute_correlated(p.A(kept, Eigen::all), p.y(kept), R(kept, kept), p.L), Status::ok);
  R(2, 2) = kInfinity;  // what stands beside it is not read
  VectorX y = p.y;
  y[2] = kNaN;
  ASSERT_EQ(whole.compute_correlated(p.A, y, R, p.L), Status::ok);
  EXPECT_LT((whole.mean() - part.mean()).norm(), tolerance::kSamePosterior);
  EXPECT_LT((whole.covariance() - part.covariance()).norm(), tolerance::kSamePosterior * whole.covariance().norm());
  EXPECT_TRUE(whole.gain().col(2).isZero(0.0));
  EXPECT_EQ(whole.evidence_rows(), 6);
  EXPECT_EQ(whole.misfit_rows(), part.misfit_rows());
  EXPECT_NEAR(whole.log_evidence(), part.log_evidence(), tolerance::kSamePosterior * 100);
  R(2, 2) = kNaN;
  EXPECT_EQ(whole.compute_correlated(p.A, p.y, R, p.L), Status::not_finite);
  R(2, 2) = -1.0;
  EXPECT_EQ(whole.compute_correlated(p.A, p.y, R, p.L), Status::not_finite);
  EXPECT_TRUE(whole.mean().array().isNaN().all());
  EXPECT_EQ(whole.compute_correlated(p.A, p.y, R.topRows(6), p.L), Status::wrong_size);
}

TEST(GaussianPosterior, OneMeasurementOfOneNumber) {
  // Prior N(0, 4), measurement 3 with variance 1: mean 3·4/5, variance 4/5, NIS 9/5. By hand.
  GaussianPosterior posterior(1, 1);
  const MatrixX A = MatrixX::Ones(1, 1), L = MatrixX::Constant(1, 1, 2.0);
  ASSERT_EQ(posterior.compute(A, VectorX::Constant(1, 3.0), VectorX::Ones(1), L), Status::ok);
  EXPECT_NEAR(posterior.mean()[0], 2.4, tolerance::kArithmetic);
  EXPECT_NEAR(posterior.covariance()(0, 0), 0.8, tolerance::kArithmetic);
  EXPECT_NEAR(posterior.nis(), 1.8, tolerance::kArithmetic);
}

TEST(GaussianPosterior, RowsWithoutEvidenceAreNotThere) {
  RandomStates random(32);
  SCOPED_TRACE(random.text());
  Problem p(random, 5, 3);
  GaussianPosterior whole(5, 3), part(5, 3);
  p.variance[2] = kInfinity;
  p.y[2] = std::nan("");
  ASSERT_EQ(whole.compute(p.A, p.y, p.variance, p.L), Status::ok);
  const std::vector<int> kept = {0, 1, 3, 4};
  MatrixX A(4, 3);
  VectorX y(4), variance(4);
  for (int i = 0; i < 4; ++i) A.row(i) = p.A.row(kept[i]), y[i] = p.y[kept[i]], variance[i] = p.variance[kept[i]];
  ASSERT_EQ(part.compute(A, y, variance, p.L), Status::ok);
  EXPECT_LT((whole.mean() - part.mean()).norm(), tolerance::kSamePosterior);
  EXPECT_LT((whole.covariance() - part.covariance()).norm(), tolerance::kSamePosterior);
  EXPECT_NEAR(whole.log_evidence(), part.log_evidence(), tolerance::kSamePosterior);
  EXPECT_EQ(whole.evidence_rows(), 4);
  EXPECT_EQ(whole.misfit_rows(), part.misfit_rows());
  EXPECT_EQ(whole.gain().col(2).norm(), 0.0);
}

TEST(GaussianPosterior, WhatIsKnownToBeZeroStaysZeroAndWhatIsUnseenKeepsItsPrior) {
  MatrixX A = MatrixX::Zero(2, 3);
  A(0, 0) = A(1, 1) = 1.0;  // the third unknown leaves no trace
  MatrixX L = MatrixX::Zero(3, 3);
  L(0, 0) = 2.0, L(2, 2) = 7.0;  // the second is known to be zero
  GaussianPosterior posterior(2, 3);
  ASSERT_EQ(posterior.compute(A, VectorX::Constant(2, 5.0), VectorX::Ones(2), L), Status::ok);
  EXPECT_NEAR(posterior.mean()[0], 4.0, tolerance::kArithmetic);
  EXPECT_EQ(posterior.mean()[1], 0.0);
  EXPECT_EQ(posterior.covariance()(1, 1), 0.0);
  EXPECT_EQ(posterior.mean()[2], 0.0);
  EXPECT_NEAR(posterior.covariance()(2, 2), 49.0, tolerance::kArithmetic * 49);
}

TEST(GaussianPosterior, BadInputGivesAStatusAndNaN) {
  GaussianPosterior posterior(3, 2);
  const MatrixX A = MatrixX::Ones(3, 2), L = MatrixX::Identity(2, 2);
  const VectorX y = VectorX::Ones(3), one = VectorX::Ones(3);
  EXPECT_EQ(posterior.compute(MatrixX::Ones(4, 2), VectorX::Ones(4), VectorX::Ones(4), L), Status::wrong_size);
  EXPECT_EQ(posterior.compute(A, y.head(2), one, L), Status::wrong_size);
  EXPECT_EQ(posterior.compute(A, y, one, MatrixX::Identity(3, 3)), Status::wrong_size);
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    VectorX variance = one;
    variance[1] = bad;
    EXPECT_EQ(posterior.compute(A, y, variance, L), Status::not_finite) << bad;
    EXPECT_TRUE(std::isnan(posterior.nis()));
    EXPECT_TRUE(posterior.mean().array().isNaN().all());
  }
  VectorX broken = y;
  broken[0] = kInfinity;
  EXPECT_EQ(posterior.compute(A, broken, one, L), Status::not_finite);
  EXPECT_EQ(posterior.compute(A, y, one, L), Status::ok) << "it recovers";
}

TEST(PrincipalDeviations, OfAnEllipsoid) {
  const Matrix3 R = Eigen::AngleAxisd(0.7, Vector3(1, 2, -1).normalized()).toRotationMatrix();
  const Matrix3 C = R * Vector3(9.0, 1.0, 4.0).asDiagonal() * R.transpose();
  const PrincipalDeviations found = principal_deviations(C);
  EXPECT_LT((found.deviation - Vector3(1, 2, 3)).norm(), tolerance::kArithmetic * 10);
  EXPECT_NEAR(std::abs(found.worst_direction().dot(R.col(0))), 1.0, tolerance::kArithmetic * 10);
  EXPECT_GT(found.worst_direction().cwiseAbs().maxCoeff(), 0.0);
  Matrix3 broken = C;
  broken(1, 2) = std::nan("");
  EXPECT_TRUE(principal_deviations(broken).deviation.array().isNaN().all());
}

}  // namespace
}  // namespace antaeus
