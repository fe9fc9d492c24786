#include "antaeus/numerics/condition_number.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <numbers>

#include "antaeus/core/numbers.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"

namespace antaeus {
namespace {

/// 2 × 3 Jacobian of the tip of a planar arm with links 0.5, 0.4, 0.3 m.
MatrixX planar_jacobian(const std::array<double, 3>& degrees) {
  const std::array<double, 3> links = {0.5, 0.4, 0.3};
  MatrixX J = MatrixX::Zero(2, 3);
  double angle = 0.0;
  for (int i = 0; i < 3; ++i) {
    angle += degrees[static_cast<std::size_t>(i)] * std::numbers::pi / 180.0;
    const double length = links[static_cast<std::size_t>(i)];
    for (int joint = 0; joint <= i; ++joint) {
      J(0, joint) -= length * std::sin(angle);
      J(1, joint) += length * std::cos(angle);
    }
  }
  return J;
}

double force_of_five_newton_metres(const MatrixX& J) {
  SmallSvd svd(3, 2);
  svd.compute_transposed(J);
  MatrixX B(2, 3);
  moore_penrose(svd, kNumpyRelativeTolerance, B);
  return (B * Vector3(5.0, 0.0, 0.0)).norm();
}

// Incident report, figure 1: "a 5 N·m joint residual produces a 10 N end-effector force; with θ2 = 10° … 71 N".
TEST(ConditionNumber, IncidentReportFigureOne) {
  EXPECT_EQ(std::lround(force_of_five_newton_metres(planar_jacobian({30, 90, -30}))), 10);
  EXPECT_EQ(std::lround(force_of_five_newton_metres(planar_jacobian({30, 10, -5}))), 71);
}

TEST(ConditionNumber, OfSingularValues) {
  EXPECT_EQ(condition_number(Vector3(4.0, 2.0, 1.0)), 4.0);
  EXPECT_EQ(condition_number(Vector3(1.0, 4.0, 2.0)), 4.0);
  EXPECT_EQ(condition_number(Vector3(4.0, 2.0, 0.0)), kInfinity);
  EXPECT_EQ(condition_number(Vector3::Zero()), kInfinity);
  EXPECT_TRUE(std::isnan(condition_number(VectorX())));
  EXPECT_TRUE(std::isnan(condition_number(Vector3(1.0, kNaN, 1.0))));
  EXPECT_TRUE(std::isnan(condition_number(Vector3(1.0, 1.0, -1.0))));
  EXPECT_DOUBLE_EQ(condition_number(test::kHandSigma), 1.886644172346 / 0.111471794189);
}

TEST(ConditionNumber, ScaledDoesNotDependOnTheUnitOfLength) {
  SmallSvd svd(8, 6);
  const Matrix6X J = test::hand_jacobian();
  Matrix6X in_millimetres = J;
  in_millimetres.topRows<3>() *= 1000.0;
  const double scaled = scaled_condition_number(J, 0.3, svd);
  EXPECT_NEAR(scaled_condition_number(in_millimetres, 300.0, svd), scaled, scaled * tolerance::kSingularValue * 100);

  // The definition, and the same by multiplying the angular rows.
  for (const bool divide : {true, false}) {
    Matrix6X by_hand = J;
    if (divide) {
      by_hand.topRows<3>() /= 0.3;
    } else {
      by_hand.bottomRows<3>() *= 0.3;
    }
    ASSERT_EQ(svd.compute_transposed(by_hand), Status::ok);
    EXPECT_NEAR(condition_number(svd.sigma()), scaled, scaled * tolerance::kSingularValue * 100);
  }

  ASSERT_EQ(svd.compute_transposed(in_millimetres), Status::ok);
  EXPECT_GT(condition_number(svd.sigma()), 10 * condition_number(test::kHandSigma)) << "the raw one does depend on it";
}

TEST(ConditionNumber, ScaledOfBadInput) {
  SmallSvd svd(8, 6);
  Matrix6X J = test::hand_jacobian();
  for (const double length : {0.0, -0.3, kNaN, kInfinity}) {
    EXPECT_TRUE(std::isnan(scaled_condition_number(J, length, svd))) << length;
  }
  EXPECT_TRUE(std::isnan(scaled_condition_number(J.topRows<3>(), 0.3, svd)));
  EXPECT_TRUE(std::isnan(scaled_condition_number(MatrixX::Ones(6, 9), 0.3, svd)));
  EXPECT_EQ(scaled_condition_number(J.leftCols<5>(), 0.3, svd), kInfinity);
  J.row(1).setZero();
  EXPECT_EQ(scaled_condition_number(J, 0.3, svd), kInfinity);
  J(0, 0) = kNaN;
  EXPECT_TRUE(std::isnan(scaled_condition_number(J, 0.3, svd)));
}

TEST(Manipulability, IsTheRootOfTheDeterminant) {
  const Matrix6X J = test::hand_jacobian();
  SmallSvd svd(8, 6);
  ASSERT_EQ(svd.compute_transposed(J), Status::ok);
  const double determinant = Matrix6(J * J.transpose()).determinant();
  EXPECT_NEAR(manipulability(svd.sigma()), std::sqrt(determinant), 100 * tolerance::kArithmetic);
  EXPECT_EQ(manipulability(Vector3(3.0, 2.0, 0.0)), 0.0);
  EXPECT_TRUE(std::isnan(manipulability(VectorX())));
  EXPECT_TRUE(std::isnan(manipulability(Vector3(1.0, -1.0, 1.0))));
}

}  // namespace
}  // namespace antaeus
