#include "antaeus/numerics/elastic_qp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "antaeus/core/numbers.hpp"
#include "antaeus/core/types.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"
#include "support/allocation_counter.hpp"
#include "support/qp_optimality.hpp"
#include "support/two_feet.hpp"

namespace antaeus {
namespace {

/// ½ |z − wish|² in one frame.
ElasticQp nearest(const VectorX& wish, const QpFrame& shape, const ElasticQpOptions& options = {}) {
  ElasticQp qp(options);
  qp.reshape(1, shape);
  qp.hessian().diagonal(0).setIdentity();
  qp.gradient(0) = -wish;
  return qp;
}

void expect_optimal(ElasticQp& qp, const ElasticQpOptions& options = {}) {
  EXPECT_EQ(qp.status(), QpStatus::solved);
  const test::Optimality found = test::optimality(qp, options);
  EXPECT_LE(found.stationarity, tolerance::kElasticQpStationarity);
  EXPECT_LE(found.infeasible, tolerance::kElasticQpPrimal);
  EXPECT_LE(found.price, tolerance::kElasticQpProduct);
  EXPECT_LE(found.product, tolerance::kElasticQpProduct);
}

TEST(ElasticQp, StopsAtALimitAndNamesItsMultiplier) {
  ElasticQp qp = nearest(Eigen::Vector2d(3.0, 1.0), {.unknowns = 2, .rows = 2});
  qp.rows(0) << 1.0, 0.0, 0.0, 1.0;
  qp.bounds(0) << 1.0, 5.0;
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  EXPECT_NEAR(qp.unknowns(0)[0], 1.0, tolerance::kElasticQpByHand);
  EXPECT_NEAR(qp.unknowns(0)[1], 1.0, tolerance::kElasticQpByHand);
  EXPECT_NEAR(qp.multipliers(0)[0], 2.0, tolerance::kElasticQpByHand);
  EXPECT_NEAR(qp.multipliers(0)[1], 0.0, tolerance::kElasticQpByHand);
  EXPECT_NEAR(qp.violations(0).maxCoeff(), 0.0, tolerance::kElasticQpByHand);
}

TEST(ElasticQp, BreaksALimitWhoseMultiplierWouldExceedThePrice) {
  const ElasticQpOptions cheap{.price = 0.5};
  ElasticQp qp = nearest(VectorX::Constant(1, 3.0), {.unknowns = 1, .rows = 1}, cheap);
  qp.rows(0)(0, 0) = 1.0;
  qp.bounds(0)[0] = 1.0;
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  EXPECT_NEAR(qp.unknowns(0)[0], 2.5, tolerance::kElasticQpByHand);
  EXPECT_NEAR(qp.violations(0)[0], 1.5, tolerance::kElasticQpByHand);
  EXPECT_NEAR(qp.multipliers(0)[0], 0.5, tolerance::kElasticQpByHand);
}

TEST(ElasticQp, SharesWhatContradictoryLimitsCostAsTheCostWishes) {
  // z ≤ 0 and z ≥ 2: any z between them breaks them by 2 in all.
  for (const double wish : {0.7, 1.0, 5.0}) {
    ElasticQp qp = nearest(VectorX::Constant(1, wish), {.unknowns = 1, .rows = 2});
    qp.rows(0) << 1.0, -1.0;
    qp.bounds(0) << 0.0, -2.0;
    ASSERT_EQ(qp.solve(), QpStatus::solved);
    const double z = std::min(wish, 2.0);
    EXPECT_NEAR(qp.unknowns(0)[0], z, tolerance::kElasticQpByHand);
    EXPECT_NEAR(qp.violations(0)[0], z, tolerance::kElasticQpByHand);
    EXPECT_NEAR(qp.violations(0)[1], 2.0 - z, tolerance::kElasticQpByHand);
  }
}

TEST(ElasticQp, ProjectsOntoTheFrictionCone) {
  // Outside: onto the nearest ray, length (μ t + n)/√(1 + μ²). Inside: itself. In the polar cone: the apex.
  struct Case {
    Eigen::Vector3d wish, answer;
  };
  const double mu = 0.5;
  for (const Case& one : {Case{{3.0, 0.0, 1.0}, {1.0, 0.0, 2.0}}, Case{{1.8, -2.4, 1.0}, {0.6, -0.8, 2.0}},
                          Case{{0.3, 0.2, 2.0}, {0.3, 0.2, 2.0}}, Case{{0.1, 0.2, -5.0}, {0.0, 0.0, 0.0}}}) {
    ElasticQp qp = nearest(one.wish, {.unknowns = 3, .cones = 1});
    qp.cone(0, 0).setIdentity();
    qp.friction(0, 0) = mu;
    ASSERT_EQ(qp.solve(), QpStatus::solved) << one.wish.transpose();
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(qp.unknowns(0)[i], one.answer[i], 2.0 * tolerance::kElasticQpByHand) << one.wish.transpose();
    expect_optimal(qp);
    // The offset moves the cone, and the answer with it.
    const Eigen::Vector3d moved(10.0, -20.0, 30.0);
    qp.gradient(0) = -(one.wish + moved);
    qp.cone_offset(0, 0) = -moved;
    ASSERT_EQ(qp.solve(), QpStatus::solved);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(qp.unknowns(0)[i] - moved[i], one.answer[i], 2.0 * tolerance::kElasticQpByHand);
  }
}

TEST(ElasticQp, WithoutRowsSolvesTheLinearSystem) {
  const test::TwoFeet feet({.frames = 7});
  ElasticQp limited, qp;
  feet.fill(limited);
  qp.reshape(7, {.unknowns = 6});
  qp.hessian() = limited.hessian();
  BlockTridiagonal factor = limited.hessian();
  VectorX z(42);
  for (int t = 0; t < 7; ++t) {
    qp.gradient(t) = limited.gradient(t);
    z.segment<6>(6 * t) = -limited.gradient(t);
  }
  ASSERT_TRUE(factor.factor());
  factor.solve(z);
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  for (int t = 0; t < 7; ++t) EXPECT_EQ(qp.unknowns(t), VectorX(z.segment<6>(6 * t)));

  ElasticQp empty;
  EXPECT_EQ(empty.status(), QpStatus::not_computed);
  EXPECT_EQ(empty.solve(), QpStatus::solved);
  empty.reshape(3, {});
  EXPECT_EQ(empty.solve(), QpStatus::solved);
}

class TwoFeetCase : public testing::TestWithParam<test::TwoFeetOptions> {};

TEST_P(TwoFeetCase, AnswersAreOptimal) {
  const test::TwoFeet feet(GetParam());
  ElasticQp qp;
  feet.fill(qp);
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  expect_optimal(qp);
  EXPECT_LE(qp.iterations(), 25);
  int limited = 0, broken = 0;
  for (int t = 0; t < qp.frames(); ++t) {
    double largest = qp.multipliers(t).maxCoeff();
    for (int k = 0; k < qp.shape(t).cones; ++k) largest = std::max(largest, qp.cone_multiplier(t, k).z());
    limited += largest > 1e-3;
    double most = qp.violations(t).maxCoeff();
    for (int k = 0; k < qp.shape(t).cones; ++k) most = std::max(most, qp.cone_violation(t, k));
    broken += most > 1e-3;
  }
  if (GetParam().frames < 200) return;
  EXPECT_GT(limited, qp.frames() * 2 / 5) << "else the limits are not tried";
  EXPECT_EQ(broken, GetParam().infeasible ? qp.frames() * 38 / 100 : 0);
}

TEST_P(TwoFeetCase, FramesAloneAreOptimal) {
  test::TwoFeetOptions alone = GetParam();
  alone.frames = 1;
  const test::TwoFeet feet(alone);
  ElasticQp qp;
  feet.fill(qp);
  for (int t = 0; t < 400; ++t) {
    SCOPED_TRACE("t " + std::to_string(t));
    feet.fill_frame(qp, 0, t);
    ASSERT_EQ(qp.solve(), QpStatus::solved);
    expect_optimal(qp);
    EXPECT_LE(qp.iterations(), 30);
  }
}

std::vector<test::TwoFeetOptions> two_feet_cases() {
  std::vector<test::TwoFeetOptions> all;
  for (const int frames : {5, 200})
    for (const auto friction : {test::Friction::pyramid, test::Friction::cone})
      for (const bool torques : {false, true})
        for (const bool infeasible : {false, true})
          all.push_back({.frames = frames, .friction = friction, .torque_limits = torques, .infeasible = infeasible});
  return all;
}
INSTANTIATE_TEST_SUITE_P(ElasticQp, TwoFeetCase, testing::ValuesIn(two_feet_cases()));

/// Frames of any size; wishes, limits and cones of random numbers: about half of the problems cannot keep all limits.
ElasticQp random_problem(test::RandomMatrices& random, int frames) {
  std::vector<QpFrame> shapes;
  for (int t = 0; t < frames; ++t) {
    const int n = random.index(8);
    shapes.push_back({.unknowns = n, .rows = random.index(10), .cones = n < 3 ? 0 : random.index(3)});
  }
  ElasticQp qp;
  qp.reshape(shapes);
  const auto fill = [&](auto&& matrix, double scale) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = scale * random.uniform();
  };
  for (int t = 0; t < frames; ++t) {
    MatrixX A(shapes[t].unknowns, shapes[t].unknowns);
    fill(A, 1.0);
    qp.hessian().diagonal(t) = A * A.transpose();
    qp.hessian().diagonal(t).diagonal().array() += 1.0 + 0.3 * 14.0;
    if (t + 1 < frames) fill(qp.hessian().lower(t), 0.3);
    fill(qp.gradient(t), 50.0);
    fill(qp.rows(t), 1.0);
    fill(qp.bounds(t), 5.0);
    for (int k = 0; k < shapes[t].cones; ++k) {
      fill(qp.cone(t, k), 1.0);
      fill(qp.cone_offset(t, k), 10.0);
      qp.friction(t, k) = 0.2 + std::abs(random.uniform());
    }
  }
  return qp;
}

TEST(ElasticQp, RandomProblemsOfAnyShapeAreSolved) {
  test::RandomMatrices random(311);
  int broken = 0;
  for (int problem = 0; problem < 600; ++problem) {
    SCOPED_TRACE("problem " + std::to_string(problem));
    ElasticQp qp = random_problem(random, 1 + random.index(8));
    ASSERT_EQ(qp.solve(), QpStatus::solved) << qp.iterations() << ' ' << qp.residuals().stationarity;
    expect_optimal(qp);
    double most = 0.0;
    for (int t = 0; t < qp.frames(); ++t)
      if (qp.violations(t).size() > 0) most = std::max(most, qp.violations(t).maxCoeff());
    broken += most > 1e-3;
  }
  EXPECT_GT(broken, 100);
  EXPECT_LT(broken, 500);
}

TEST(ElasticQp, FramesWithoutCouplingAreFramesAlone) {
  const test::TwoFeet feet({.frames = 1, .friction = test::Friction::cone, .infeasible = true});
  ElasticQp all, alone;
  feet.fill(alone);
  constexpr int kFrames = 40;
  all.reshape(kFrames, feet.shape());
  for (int t = 0; t < kFrames; ++t) {
    feet.fill_frame(alone, 0, 3 * t);
    all.hessian().diagonal(t) = alone.hessian().diagonal(0);
    all.gradient(t) = alone.gradient(0);
    all.rows(t) = alone.rows(0);
    all.bounds(t) = alone.bounds(0);
    for (int k = 0; k < 2; ++k) {
      all.cone(t, k) = alone.cone(0, k);
      all.cone_offset(t, k) = alone.cone_offset(0, k);
      all.friction(t, k) = alone.friction(0, k);
    }
  }
  ASSERT_EQ(all.solve(), QpStatus::solved);
  for (int t = 0; t < kFrames; ++t) {
    feet.fill_frame(alone, 0, 3 * t);
    ASSERT_EQ(alone.solve(), QpStatus::solved);
    EXPECT_LE((all.unknowns(t) - alone.unknowns(0)).cwiseAbs().maxCoeff(), tolerance::kElasticQpTwoSolutions) << t;
  }
}

TEST(ElasticQp, SolvesTheSameProblemToTheSameBits) {
  const test::TwoFeet feet({.frames = 30, .friction = test::Friction::cone});
  ElasticQp qp;
  feet.fill(qp);
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  VectorX first = qp.unknowns(17), multipliers = qp.multipliers(17);
  ElasticQp other = qp;
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  EXPECT_EQ(first, VectorX(qp.unknowns(17)));
  // After another problem in the same memory too.
  test::RandomMatrices random(312);
  qp = random_problem(random, 4);
  qp.solve();
  feet.fill(qp);
  ASSERT_EQ(qp.solve(), QpStatus::solved);
  EXPECT_EQ(first, VectorX(qp.unknowns(17)));
  EXPECT_EQ(multipliers, VectorX(qp.multipliers(17)));
  EXPECT_EQ(first, VectorX(other.unknowns(17)));
}

TEST(ElasticQp, BadNumbersAreRefusedAndLeaveNoAnswer) {
  const test::TwoFeet feet({.frames = 3, .friction = test::Friction::cone});
  const std::vector<std::pair<std::string, std::function<void(ElasticQp&, double)>>> places = {
      {"diagonal", [](ElasticQp& qp, double x) { qp.hessian().diagonal(1)(2, 2) = x; }},
      {"lower", [](ElasticQp& qp, double x) { qp.hessian().lower(0)(0, 5) = x; }},
      {"gradient", [](ElasticQp& qp, double x) { qp.gradient(2)[5] = x; }},
      {"row", [](ElasticQp& qp, double x) { qp.rows(2)(13, 5) = x; }},
      {"bound", [](ElasticQp& qp, double x) { qp.bounds(0)[0] = x; }},
      {"cone", [](ElasticQp& qp, double x) { qp.cone(2, 1)(2, 5) = x; }},
      {"offset", [](ElasticQp& qp, double x) { qp.cone_offset(2, 1).x() = x; }},
      {"friction", [](ElasticQp& qp, double x) { qp.friction(2, 1) = x; }}};
  ElasticQp qp;
  for (const auto& [name, place] : places)
    for (const double value : {kNaN, kInfinity, -kInfinity}) {
      feet.fill(qp);
      ASSERT_EQ(qp.solve(), QpStatus::solved);
      place(qp, value);
      EXPECT_EQ(qp.solve(), QpStatus::not_finite) << name << ' ' << value;
      for (int t = 0; t < 3; ++t) {
        EXPECT_TRUE(qp.unknowns(t).array().isNaN().all());
        EXPECT_TRUE(qp.multipliers(t).array().isNaN().all());
        EXPECT_TRUE(qp.violations(t).array().isNaN().all());
        EXPECT_TRUE(qp.cone_multiplier(t, 1).array().isNaN().all());
        EXPECT_TRUE(std::isnan(qp.cone_violation(t, 1)));
      }
      EXPECT_TRUE(std::isnan(qp.residuals().primal));
    }
  feet.fill(qp);
  EXPECT_TRUE(qp.unknowns(0).array().isNaN().all()) << "no zeros before the first solution";
  qp.friction(0, 0) = -0.1;
  EXPECT_EQ(qp.solve(), QpStatus::not_finite);
  feet.fill(qp);
  qp.hessian().diagonal(2)(0, 0) = -1.0;
  EXPECT_EQ(qp.solve(), QpStatus::not_positive_definite);
  EXPECT_TRUE(qp.unknowns(0).array().isNaN().all());
  for (const ElasticQpOptions& options :
       {ElasticQpOptions{.price = 0.0}, ElasticQpOptions{.price = kNaN}, ElasticQpOptions{.price = kInfinity}}) {
    ElasticQp refused(options);
    feet.fill(refused);
    EXPECT_EQ(refused.solve(), QpStatus::not_finite);
  }
  // Finite, but its products are not.
  for (const double huge : {1e200, 1e308}) {
    feet.fill(qp);
    qp.rows(1)(0, 0) = huge;
    EXPECT_NE(qp.solve(), QpStatus::solved);
    feet.fill(qp);
    qp.gradient(1)[0] = huge;
    EXPECT_NE(qp.solve(), QpStatus::solved);
  }
}

TEST(ElasticQp, AnswersWithinItsBudget) {
  const test::TwoFeet feet({.frames = 3});
  ElasticQp qp({.iteration_budget = 4});
  feet.fill(qp);
  EXPECT_EQ(qp.solve(), QpStatus::iteration_budget);
  EXPECT_EQ(qp.iterations(), 4);
  EXPECT_TRUE(qp.unknowns(0).allFinite());
  EXPECT_GT(qp.residuals().complementarity, 1e-5);
}

TEST(ElasticQp, DoesNotAllocate) {
  test::RandomMatrices random(313);
  for (const int frames : {1, 60}) {
    const test::TwoFeet feet({.frames = frames, .friction = test::Friction::cone, .torque_limits = true});
    ElasticQp qp;
    feet.fill(qp);
    ElasticQp mixed = random_problem(random, frames);
    const QpFrame smaller[] = {{.unknowns = 6, .rows = 9, .cones = 1}};
    test::AllocationCounter counter;
    EXPECT_EQ(qp.solve(), QpStatus::solved);
    EXPECT_EQ(mixed.solve(), QpStatus::solved);
    qp.reshape(smaller);
    qp.gradient(0)[0] = kNaN;
    EXPECT_EQ(qp.solve(), QpStatus::not_finite);
    EXPECT_EQ(counter.count(), 0) << frames << " frames";
  }
}

}  // namespace
}  // namespace antaeus
