#include "antaeus/numerics/bounded_least_squares.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "numerics/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

struct Problem {
  MatrixX C, N;
  VectorX d, lower, upper;
  double damping = 1e-4;
};

Problem random_problem(RandomStates& random, int m, int n, int k, double width) {
  Problem p;
  p.C = Eigen::Map<const MatrixX>(random.vector(m * n).data(), m, n);
  p.d = random.vector(m, 3.0);
  p.N = Eigen::Map<const MatrixX>(random.vector(k * n).data(), k, n);
  // Limits around a point, so that there is something within them; some on one side only, some twice.
  const VectorX inside = p.N * random.vector(n);
  p.lower = inside - VectorX::Constant(k, width) - width * random.vector(k, 0.5);
  p.upper = inside + VectorX::Constant(k, width) + width * random.vector(k, 0.5);
  for (int i = 0; i < k; i += 5) p.lower[i] = -kInfinity;
  for (int i = 1; i < k; i += 7) p.upper[i] = kInfinity;
  if (k > 3) {
    p.N.row(3) = p.N.row(2);
    p.lower[3] = p.lower[2];
    p.upper[3] = p.upper[2];
  }
  return p;
}

LeastSquaresStatus solve(BoundedLeastSquares& squares, const Problem& p) {
  return squares.solve(p.C, p.d, p.damping, p.N, p.lower, p.upper);
}

/// The conditions of Karush, Kuhn and Tucker; the problem is convex, so they are sufficient.
void expect_optimal(const BoundedLeastSquares& squares, const Problem& p) {
  const VectorX x = squares.x(), y = squares.multipliers(), value = p.N * x;
  const VectorX slope = p.C.transpose() * (p.C * x - p.d) + p.damping * p.damping * x;
  const double size = 1.0 + x.cwiseAbs().maxCoeff();
  EXPECT_LE((slope + p.N.transpose() * y).cwiseAbs().maxCoeff(), tolerance::kBoundedStationarity * size);
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    EXPECT_LE(std::max(p.lower[i] - value[i], value[i] - p.upper[i]), tolerance::kBoundedLimit * size);
    if (y[i] > 0.0) {
      EXPECT_LE(std::abs(value[i] - p.upper[i]), tolerance::kBoundedLimit * size);
    }
    if (y[i] < 0.0) {
      EXPECT_LE(std::abs(value[i] - p.lower[i]), tolerance::kBoundedLimit * size);
    }
  }
}

TEST(BoundedLeastSquares, AnswersAreOptimal) {
  RandomStates random(1320);
  SCOPED_TRACE(random.text());
  BoundedLeastSquares squares(12, 30, 90);
  int limited = 0;
  for (const auto& [m, n, k] : {std::tuple{3, 7, 7}, {6, 7, 20}, {12, 30, 60}, {0, 5, 9}, {6, 30, 90}, {4, 3, 0}}) {
    for (int i = 0; i < 40; ++i) {
      const Problem p = random_problem(random, m, n, k, i % 4 == 0 ? 0.02 : 0.5);
      ASSERT_EQ(solve(squares, p), LeastSquaresStatus::solved);
      expect_optimal(squares, p);
      limited += squares.iterations() > 0;
    }
  }
  EXPECT_GT(limited, 100);
}

TEST(BoundedLeastSquares, FindsByHandWhatABoxLeaves) {
  Problem p{MatrixX::Identity(2, 2), MatrixX::Identity(2, 2), VectorX(2), VectorX(2), VectorX(2)};
  p.d << 3.0, -0.25;
  p.lower << -1.0, -1.0;
  p.upper << 1.0, 1.0;
  BoundedLeastSquares squares(2, 2, 2);
  ASSERT_EQ(solve(squares, p), LeastSquaresStatus::solved);
  EXPECT_EQ(squares.x()[0], 1.0);
  EXPECT_LE(std::abs(squares.x()[1] + 0.25), tolerance::kBoundedByHand);
  EXPECT_LE(std::abs(squares.multipliers()[0] - 2.0), tolerance::kBoundedByHand);
  EXPECT_EQ(squares.multipliers()[1], 0.0);
}

TEST(BoundedLeastSquares, SaysWhatCannotBe) {
  RandomStates random(1321);
  BoundedLeastSquares squares(4, 4, 8);
  Problem p = random_problem(random, 4, 4, 6, 0.5);
  p.N.row(5) = -p.N.row(4);
  p.lower[4] = p.lower[5] = 1.0;
  p.upper[4] = p.upper[5] = 2.0;
  EXPECT_EQ(solve(squares, p), LeastSquaresStatus::infeasible);
  EXPECT_TRUE(squares.x().array().isNaN().all());
  p = random_problem(random, 4, 4, 6, 0.5);
  p.upper[0] = p.lower[0] = 0.0;
  p.lower[1] = 1.0;
  p.upper[1] = 0.0;
  EXPECT_EQ(solve(squares, p), LeastSquaresStatus::infeasible);
  p = random_problem(random, 4, 4, 6, 0.5);
  p.C(0, 0) = kNaN;
  EXPECT_EQ(solve(squares, p), LeastSquaresStatus::not_finite);
  p = random_problem(random, 4, 4, 6, 0.5);
  p.upper[2] = kNaN;
  EXPECT_EQ(solve(squares, p), LeastSquaresStatus::not_finite);
  p = random_problem(random, 4, 4, 6, 0.5);
  p.damping = 0.0;
  EXPECT_EQ(solve(squares, p), LeastSquaresStatus::not_finite);
  EXPECT_EQ(solve(squares, random_problem(random, 5, 4, 6, 0.5)), LeastSquaresStatus::wrong_size);
  EXPECT_EQ(solve(squares, random_problem(random, 4, 4, 9, 0.5)), LeastSquaresStatus::wrong_size);
}

TEST(BoundedLeastSquares, DoesNotAllocate) {
  RandomStates random(1322);
  for (const auto& [m, n, k] : {std::tuple{6, 7, 20}, {12, 30, 60}}) {
    BoundedLeastSquares squares(m, n, k);
    for (int i = 0; i < 20; ++i) {
      Problem p = random_problem(random, m, n, k, 0.2);
      if (i % 5 == 4) p.d[0] = kNaN;
      test::AllocationCounter counter;
      solve(squares, p);
      ASSERT_EQ(counter.count(), 0);
    }
  }
}

}  // namespace
}  // namespace antaeus
