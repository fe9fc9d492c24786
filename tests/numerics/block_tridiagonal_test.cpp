#include "antaeus/numerics/block_tridiagonal.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

MatrixX dense(const BlockTridiagonal& A) {
  MatrixX all = MatrixX::Zero(A.rows(), A.rows());
  for (int t = 0; t < A.blocks(); ++t) {
    all.block(A.offset(t), A.offset(t), A.size(t), A.size(t)) = A.diagonal(t);
    if (t + 1 == A.blocks()) break;
    all.block(A.offset(t + 1), A.offset(t), A.size(t + 1), A.size(t)) = A.lower(t);
    all.block(A.offset(t), A.offset(t + 1), A.size(t), A.size(t + 1)) = A.lower(t).transpose();
  }
  return all;
}

/// Symmetric, each diagonal larger by 1 than the rest of its row: positive definite by Gershgorin.
BlockTridiagonal positive(const std::vector<int>& sizes, test::RandomMatrices& random) {
  BlockTridiagonal A;
  A.reshape(sizes);
  for (int t = 0; t < A.blocks(); ++t) {
    for (Eigen::Index i = 0; i < A.size(t); ++i)
      for (Eigen::Index j = 0; j <= i; ++j) A.diagonal(t)(i, j) = A.diagonal(t)(j, i) = random.uniform();
    if (t + 1 == A.blocks()) break;
    for (Eigen::Index i = 0; i < A.size(t + 1); ++i)
      for (Eigen::Index j = 0; j < A.size(t); ++j) A.lower(t)(i, j) = random.uniform();
  }
  const MatrixX all = dense(A);
  for (int t = 0; t < A.blocks(); ++t)
    for (int i = 0; i < A.size(t); ++i) A.diagonal(t)(i, i) = 1.0 + all.row(A.offset(t) + i).cwiseAbs().sum();
  return A;
}

const std::vector<std::vector<int>>& shapes() {
  static const std::vector<std::vector<int>> all = {{6},
                                                    {6, 6, 6, 6, 6},
                                                    {12, 12, 12},
                                                    {3, 3, 3},
                                                    {1},
                                                    {1, 1, 1},
                                                    {6, 12, 1, 0, 0, 6, 2, 1, 6},
                                                    {0, 4, 0},
                                                    {0, 0},
                                                    {0},
                                                    {},
                                                    {80, 70},
                                                    std::vector<int>(60, 6)};
  return all;
}

TEST(BlockTridiagonal, ProductIsThatOfTheDenseMatrix) {
  test::RandomMatrices random(301);
  for (const std::vector<int>& sizes : shapes()) {
    const BlockTridiagonal A = positive(sizes, random);
    const VectorX x = VectorX::NullaryExpr(A.rows(), [&](Eigen::Index) { return random.uniform(); });
    VectorX product = VectorX::Constant(A.rows(), kNaN);
    A.multiply(x, product);
    const VectorX expected = dense(A) * x;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      EXPECT_NEAR(product[i], expected[i], tolerance::kBlockTridiagonal * 100.0) << "blocks " << A.blocks();
  }
}

TEST(BlockTridiagonal, FactorSolutionAndInverseAreThoseOfTheDenseMatrix) {
  test::RandomMatrices random(302);
  for (const std::vector<int>& sizes : shapes()) {
    SCOPED_TRACE("blocks " + std::to_string(sizes.size()));
    BlockTridiagonal A = positive(sizes, random);
    const MatrixX all = dense(A);
    const VectorX b = VectorX::NullaryExpr(A.rows(), [&](Eigen::Index) { return random.uniform(); });
    VectorX x = b;
    ASSERT_TRUE(A.factor());
    A.solve(x);
    if (A.rows() == 0) continue;
    const Eigen::LLT<MatrixX> cholesky(all);
    const VectorX expected = cholesky.solve(b);
    EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), tolerance::kBlockTridiagonal);

    BlockTridiagonal inverse;
    inverse.reshape(sizes);
    A.inverse_blocks(inverse);
    const MatrixX factor = cholesky.matrixL(), whole = all.inverse();
    for (int t = 0; t < A.blocks(); ++t) {
      const Eigen::Index here = A.offset(t), n = A.size(t);
      const MatrixX own = A.diagonal(t);
      const MatrixX lower = own.triangularView<Eigen::Lower>();
      const double scale = 10.0 * static_cast<double>(n + 1);
      EXPECT_TRUE(lower.isApprox(factor.block(here, here, n, n), tolerance::kBlockTridiagonal) || n == 0);
      const auto far = [](const MatrixX& difference) {
        return difference.size() == 0 ? 0.0 : difference.cwiseAbs().maxCoeff();
      };
      EXPECT_LE(far(MatrixX(inverse.diagonal(t)) - whole.block(here, here, n, n)),
                tolerance::kBlockTridiagonal * scale);
      if (t + 1 == A.blocks()) break;
      const Eigen::Index next = A.offset(t + 1), m = A.size(t + 1);
      EXPECT_LE(far(MatrixX(A.lower(t)) - factor.block(next, here, m, n)), tolerance::kBlockTridiagonal * scale);
      EXPECT_LE(far(MatrixX(inverse.lower(t)) - whole.block(next, here, m, n)), tolerance::kBlockTridiagonal * scale);
    }
  }
}

TEST(BlockTridiagonal, SaysWhereAMatrixIsNotPositiveDefinite) {
  test::RandomMatrices random(303);
  const double values[] = {-1.0, 0.0, kNaN, kInfinity};
  for (const int size : {6, 12, 5})
    for (const double value : values)
      for (const int block : {0, 2}) {
        BlockTridiagonal A = positive({size, size, size}, random);
        A.diagonal(block)(size - 1, size - 1) = value;
        EXPECT_FALSE(A.factor()) << "size " << size << ", " << value << " in block " << block;
      }
  // Positive definite blocks, but what couples them is too strong: [[1, 2], [2, 1]].
  BlockTridiagonal A;
  A.reshape(2, 1);
  A.diagonal(0)(0, 0) = A.diagonal(1)(0, 0) = 1.0;
  A.lower(0)(0, 0) = 2.0;
  EXPECT_FALSE(A.factor());
}

TEST(BlockTridiagonal, ReshapeForgetsTheNumbers) {
  test::RandomMatrices random(304);
  BlockTridiagonal A = positive({6, 6}, random);
  A.reshape(3, 2);
  EXPECT_EQ(A.blocks(), 3);
  EXPECT_EQ(A.rows(), 6);
  EXPECT_EQ(dense(A), MatrixX::Zero(6, 6));
  A.diagonal(1)(0, 0) = 5.0;
  A.set_zero();
  EXPECT_EQ(dense(A), MatrixX::Zero(6, 6));
}

TEST(BlockTridiagonal, DoesNotAllocate) {
  test::RandomMatrices random(305);
  const std::vector<std::vector<int>> sizes = {{6, 6, 6}, {12, 12}, {80, 3, 0, 6}};
  for (const std::vector<int>& shape : sizes) {
    BlockTridiagonal A = positive(shape, random), inverse = A;
    const BlockTridiagonal original = A;
    VectorX x = VectorX::Ones(A.rows()), product = x;
    test::AllocationCounter counter;
    EXPECT_TRUE(A.factor());
    A.solve(x);
    A.inverse_blocks(inverse);
    original.multiply(x, product);
    EXPECT_EQ(counter.count(), 0) << shape.size() << " blocks";
    EXPECT_LE((product - VectorX::Ones(A.rows())).cwiseAbs().maxCoeff(), tolerance::kBlockTridiagonal * 100.0);
  }
}

}  // namespace
}  // namespace antaeus
