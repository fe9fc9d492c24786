#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "antaeus/numerics/small_svd.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"

namespace antaeus {
namespace {

const std::vector<std::string> kShapes = {"27x6 hand", "27x24 limbs", "33x24 base", "7x6",  "6x27", "1x1",      "1x6",
                                          "6x1",       "6x6",         "12x12 half", "70x5", "5x70", "3x4 zeros"};
const std::vector<std::string> kRegimes = {"regular",     "near-singular", "singular",          "graded columns",
                                           "graded rows", "zero matrix",   "duplicate columns", "zero columns",
                                           "one entry",   "identity"};

MatrixX shaped(const std::string& shape, test::RandomMatrices& random) {
  if (shape == "27x6 hand") return random.hand();
  if (shape == "27x24 limbs") return random.limbs();
  if (shape == "33x24 base") return random.limbs_and_base();
  const auto cross = shape.find('x');
  MatrixX A = random.dense(std::stoi(shape), std::stoi(shape.substr(cross + 1)));
  if (shape == "12x12 half") A = (A.array() > 0.7).select(A, 0.0);
  if (shape == "3x4 zeros") A = (A.array() > 0.2).select(A, 0.0);
  return A;
}

MatrixX in_regime(MatrixX A, const std::string& regime, test::RandomMatrices& random) {
  const Eigen::Index n = A.cols();
  if (regime == "near-singular" && n > 1) A.col(n - 1) = A.col(0) + 1e-9 * A.col(n - 1);
  if (regime == "singular" && n > 2) A.col(n - 1) = A.col(0) - 2.0 * A.col(1);
  if (regime == "graded columns") {
    for (Eigen::Index j = 0; j < n; ++j) A.col(j) *= std::pow(10.0, -2.0 * static_cast<double>((5 * j) % 7));
  }
  if (regime == "graded rows") {
    for (Eigen::Index i = 0; i < A.rows(); ++i) A.row(i) *= std::pow(10.0, -2.0 * static_cast<double>((5 * i) % 7));
  }
  if (regime == "zero matrix") A.setZero();
  if (regime == "duplicate columns") {
    for (Eigen::Index j = 1; j < n; j += 2) A.col(j) = A.col(j - 1);
  }
  if (regime == "zero columns") {
    for (Eigen::Index j = 0; j < n; j += 3) A.col(j).setZero();
  }
  if (regime == "one entry") {
    const double entry = random.uniform();
    A.setZero();
    A(A.rows() - 1, n / 2) = entry;
  }
  if (regime == "identity") A.setIdentity();
  return A;
}

double from_identity(const MatrixX& Q) {
  if (Q.cols() == 0) return 0.0;
  return (Q.transpose() * Q - MatrixX::Identity(Q.cols(), Q.cols())).cwiseAbs().maxCoeff();
}

class SmallSvdLaws : public testing::TestWithParam<std::string> {
 protected:
  /// Twenty matrices of the shape in every regime.
  template <typename Law>
  void for_all(const Law& law) {
    test::RandomMatrices random(20240611);
    for (const std::string& regime : kRegimes) {
      for (int i = 0; i < 20; ++i) {
        SCOPED_TRACE(regime + ", matrix " + std::to_string(i));
        law(in_regime(shaped(GetParam(), random), regime, random), random);
      }
    }
  }
  SmallSvd svd_{80, 80};
};

TEST_P(SmallSvdLaws, ReconstructsWithOrthonormalVectors) {
  for_all([&](const MatrixX& A, test::RandomMatrices&) {
    ASSERT_EQ(svd_.compute(A), Status::ok);
    const double scale = std::max(svd_.sigma()[0], 1e-300);
    EXPECT_LE(from_identity(svd_.U()), tolerance::kOrthogonality);
    EXPECT_LE(from_identity(svd_.V()), tolerance::kOrthogonality);
    const MatrixX residual = svd_.U() * svd_.sigma().asDiagonal() * svd_.V().transpose() - A;
    EXPECT_LE(residual.cwiseAbs().maxCoeff() / scale, tolerance::kOrthogonality);
    EXPECT_TRUE(std::is_sorted(svd_.sigma().data(), svd_.sigma().data() + svd_.sigma().size(), std::greater<>()));
    EXPECT_GE(svd_.sigma().minCoeff(), 0.0);
  });
}

TEST_P(SmallSvdLaws, AgreesWithEigen) {
  for_all([&](const MatrixX& A, test::RandomMatrices&) {
    ASSERT_EQ(svd_.compute(A), Status::ok);
    const Eigen::JacobiSVD<MatrixX> eigen(A);
    EXPECT_LE((svd_.sigma() - eigen.singularValues()).cwiseAbs().maxCoeff(),
              tolerance::kSingularValue * eigen.singularValues()[0]);
  });
}

TEST_P(SmallSvdLaws, ZeroRowsStayZeroAndChangeNothing) {
  for_all([&](const MatrixX& A, test::RandomMatrices& random) {
    ASSERT_EQ(svd_.compute(A), Status::ok);
    const VectorX sigma = svd_.sigma();
    MatrixX spaced = MatrixX::Zero(A.rows() + 5, A.cols());
    std::vector<int> places(static_cast<std::size_t>(A.rows() + 5));
    std::iota(places.begin(), places.end(), 0);
    for (int i = 0; i < 5; ++i) places.erase(places.begin() + random.index(static_cast<int>(places.size())));
    for (Eigen::Index i = 0; i < A.rows(); ++i) spaced.row(places[static_cast<std::size_t>(i)]) = A.row(i);
    ASSERT_EQ(svd_.compute(spaced), Status::ok);
    // The work is on the same numbers in the same order: not a bit may differ.
    EXPECT_EQ(sigma, VectorX(svd_.sigma().head(sigma.size())));
    for (Eigen::Index i = 0; i < spaced.rows(); ++i) {
      if ((spaced.row(i).array() != 0.0).any()) continue;
      for (Eigen::Index k = 0; k < sigma.size(); ++k) {
        if (svd_.sigma()[k] > 0.0) {
          EXPECT_EQ(svd_.U()(i, k), 0.0);
        }
      }
    }
  });
}

TEST_P(SmallSvdLaws, PermutationLeavesSingularValues) {
  for_all([&](const MatrixX& A, test::RandomMatrices& random) {
    ASSERT_EQ(svd_.compute(A), Status::ok);
    const VectorX sigma = svd_.sigma();
    MatrixX permuted = A;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      permuted.row(i).swap(permuted.row(random.index(static_cast<int>(A.rows()))));
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      permuted.col(j).swap(permuted.col(random.index(static_cast<int>(A.cols()))));
    ASSERT_EQ(svd_.compute(permuted), Status::ok);
    EXPECT_LE((svd_.sigma() - sigma).cwiseAbs().maxCoeff(), tolerance::kSingularValue * sigma[0]);
  });
}

TEST_P(SmallSvdLaws, TransposeSwapsTheSides) {
  for_all([&](const MatrixX& A, test::RandomMatrices&) {
    ASSERT_EQ(svd_.compute(A), Status::ok);
    const VectorX sigma = svd_.sigma();
    ASSERT_EQ(svd_.compute_transposed(A), Status::ok);
    EXPECT_LE((svd_.sigma() - sigma).cwiseAbs().maxCoeff(), tolerance::kSingularValue * sigma[0]);
    EXPECT_EQ(svd_.U().rows(), A.cols());
    EXPECT_EQ(svd_.V().rows(), A.rows());
  });
}

TEST_P(SmallSvdLaws, OneNaNAnywhereIsNoticed) {
  for_all([&](MatrixX A, test::RandomMatrices& random) {
    A(random.index(static_cast<int>(A.rows())), random.index(static_cast<int>(A.cols()))) = std::nan("");
    EXPECT_EQ(svd_.compute(A), Status::not_finite);
    EXPECT_TRUE(svd_.sigma().array().isNaN().all());
  });
}

INSTANTIATE_TEST_SUITE_P(AllShapes, SmallSvdLaws, testing::ValuesIn(kShapes), [](const auto& shape) {
  std::string name = "of_" + shape.param;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace antaeus
