#include "antaeus/numerics/smooth_damping.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"
#include "support/largest.hpp"

namespace antaeus {
namespace {

using test::largest;

/// A plane arm of two unit links, whose elbow is singular at θ₂ = 0.
struct TwoLinks {
  static MatrixX jacobian(const VectorX& q) {
    MatrixX J(2, 2);
    J << -std::sin(q[0]) - std::sin(q[0] + q[1]), -std::sin(q[0] + q[1]), std::cos(q[0]) + std::cos(q[0] + q[1]),
        std::cos(q[0] + q[1]);
    return J;
  }
  static MatrixX rate(const VectorX& q, const VectorX& v) {
    const double both = q[0] + q[1], turn = v[0] + v[1];
    MatrixX J(2, 2);
    J << -std::cos(q[0]) * v[0] - std::cos(both) * turn, -std::cos(both) * turn,
        -std::sin(q[0]) * v[0] - std::sin(both) * turn, -std::sin(both) * turn;
    return J;
  }
};

TEST(SmoothDamping, IsItsFormulaOnBothSidesOfTheBand) {
  test::RandomMatrices random(51);
  for (const int n : {6, 7}) {
    for (const double scale : {1.0, 1e-2, 1e-4, 0.0}) {
      MatrixX J = random.dense(6, n);
      J.row(3) = J.row(2) + scale * J.row(3);
      SmoothDamping damping(6, n);
      const SmoothDampingReport report = damping.compute(J, MatrixX::Zero(6, n));
      ASSERT_EQ(report.status, Status::ok);
      const double ratio = report.sigma_min / 0.06;
      const double lambda = ratio < 1.0 ? 0.03 * (1.0 - ratio * ratio) : 0.0;
      EXPECT_NEAR(report.lambda, lambda, tolerance::kInverseTier);
      const MatrixX gram = J * J.transpose() + lambda * lambda * MatrixX::Identity(6, 6);
      EXPECT_LT(largest(damping.inverse() * gram - J.transpose()), tolerance::kInverseTier);
      EXPECT_EQ(std::isinf(report.condition), report.sigma_min == 0.0);
    }
  }
}

TEST(SmoothDamping, RateIsTheDerivativeAlsoInsideTheBand) {
  test::RandomMatrices random(52);
  constexpr double kStep = 1e-6;
  for (const int n : {6, 7}) {
    for (const double scale : {1.0, 0.1, 0.03, 0.01}) {
      MatrixX J = random.dense(6, n);
      J.row(3) = J.row(2) + scale * J.row(3);
      const MatrixX J_dot = 0.1 * random.dense(6, n);
      SmoothDamping damping(6, n);
      damping.compute(J, J_dot);
      const MatrixX rate = damping.rate();
      damping.compute(J + kStep * J_dot, J_dot);
      const MatrixX after = damping.inverse();
      damping.compute(J - kStep * J_dot, J_dot);
      EXPECT_LT(largest((after - damping.inverse()) / (2.0 * kStep) - rate) / largest(rate),
                tolerance::kInverseDifference)
          << n << " columns, " << scale;
    }
  }
}

TEST(CarriedReference, MeetsTheDemandAwayFromSingularities) {
  CarriedReference reference(2, 2);
  VectorX q(2), v(2), b(2), b_dot(2);
  q << 0.3, 1.2;
  v << 0.4, -0.7;
  b << 0.1, -0.2;
  b_dot << 0.5, 0.3;
  const MatrixX J = TwoLinks::jacobian(q), J_dot = TwoLinks::rate(q, v);
  ASSERT_EQ(reference.update(J, J_dot, b, b_dot, 1e-3).status, Status::ok);
  EXPECT_LT(largest(J * reference.velocity() - b), tolerance::kInverseTier);
  EXPECT_LT(largest(J * reference.acceleration() + J_dot * reference.velocity() - b_dot), tolerance::kInverseTier);
}

/// The arm unfolds along a joint path at constant speed through θ₂ = 0 and knows nothing but J and b = Jθ̇: the carried
/// reference goes through, a damped inverse alone loses the motion.
TEST(CarriedReference, CrossesASingularityThatADampedInverseStopsAt) {
  CarriedReference reference(2, 2);
  const double dt = 1e-3;
  VectorX q(2), v(2), before;
  q << 0.4, 0.35;
  v << 0.2, -0.5;
  double worst = 0.0, worst_step = 0.0, least_damped = 1.0, difference = 0.0;
  VectorX acceleration;
  for (int i = 0; i < 1400; ++i) {
    const MatrixX J = TwoLinks::jacobian(q), J_dot = TwoLinks::rate(q, v);
    const VectorX b = J * v, b_dot = J_dot * v;
    ASSERT_EQ(reference.update(J, J_dot, b, b_dot, dt).status, Status::ok);
    worst = std::max(worst, largest(reference.velocity() - v));
    least_damped = std::min(least_damped, (reference.damping().inverse() * b).norm() / v.norm());
    if (i > 0) {
      worst_step = std::max(worst_step, largest(reference.velocity() - before));
      difference = std::max(
          difference, largest((reference.velocity() - before) / dt - 0.5 * (acceleration + reference.acceleration())));
    }
    before = reference.velocity();
    acceleration = reference.acceleration();
    q += dt * v;
  }
  EXPECT_LT(q[1], -0.3) << "it went through";
  EXPECT_LT(worst, 1e-3 * v.norm()) << "the demand is the joints' own motion, and z carries it";
  EXPECT_LT(least_damped, 0.1) << "J# b loses it";
  EXPECT_LT(worst_step, 1e-3 * v.norm());
  EXPECT_LT(difference, 1e-2 * v.norm()) << "the acceleration is the velocity's derivative";
}

/// Seven columns: the kernel's part goes where it is asked, the rest does not feel it.
TEST(CarriedReference, KernelTakesUpItsOwnDemandAndNothingElse) {
  test::RandomMatrices random(53);
  const MatrixX J = random.dense(6, 7), still = MatrixX::Zero(6, 7);
  const VectorX b = random.dense(6, 1), zero = VectorX::Zero(6), u = random.dense(7, 1);
  const VectorX kernel = J.fullPivLu().kernel().col(0).normalized();
  CarriedReference led(6, 7), free(6, 7);
  for (int i = 0; i < 4000; ++i) {
    ASSERT_EQ(led.update(J, still, b, zero, 1e-3, u).status, Status::ok);
    free.update(J, still, b, zero, 1e-3);
    // z' = -5 (z - u) along the kernel in steps of 1 ms, from 0.
    const double expected = (1.0 - std::pow(1.0 - 5e-3, i)) * kernel.dot(u);
    ASSERT_NEAR(kernel.dot(led.velocity()), expected, tolerance::kInverseTier);
    ASSERT_LT(largest(J * led.velocity() - b), tolerance::kInverseTier);
    ASSERT_LT(largest(J * led.acceleration()), tolerance::kInverseTier) << "not a rate that J sees";
  }
  EXPECT_LT(std::abs(kernel.dot(free.velocity())), tolerance::kInverseTier);
  VectorX bad = u;
  bad[3] = kInfinity;
  const VectorX z = led.carried();
  EXPECT_EQ(led.update(J, still, b, zero, 1e-3, bad).status, Status::not_finite);
  EXPECT_EQ(led.update(J, still, b, zero, 1e-3, zero).status, Status::wrong_size);
  EXPECT_EQ(led.carried(), z);
}

/// Where σ is 0 the kernel has two directions and none is the one: nothing is led.
TEST(CarriedReference, KernelDemandHasNoWeightAtASingularity) {
  test::RandomMatrices random(54);
  for (const double scale : {0.0, 1e-3, 1e-2, 1.0}) {
    MatrixX J = random.dense(6, 7);
    J.row(3) = J.row(2) + scale * J.row(3);
    const MatrixX still = MatrixX::Zero(6, 7);
    const VectorX zero = VectorX::Zero(6), u = random.dense(7, 1);
    CarriedReference reference(6, 7);
    const SmoothDampingReport report = reference.update(J, still, zero, zero, 1e-3, u);
    const double ratio = std::min(report.sigma_min / 0.06, 1.0), inside = 1.0 - ratio * ratio;
    const MatrixX V = reference.damping().svd().V();
    const VectorX expected = 5e-3 * (1.0 - inside * inside) * (u - V * (V.transpose() * u));
    EXPECT_LT(largest(reference.carried() - expected), tolerance::kInverseTier) << scale;
    if (scale == 0.0) {
      EXPECT_LT(reference.carried().norm(), tolerance::kInverseTier);
    }
  }
}

TEST(CarriedReference, ResetForgetsAndBadInputDoesNotStick) {
  CarriedReference reference(2, 2);
  VectorX q(2), b(2), zero = VectorX::Zero(2);
  q << 0.3, 1.2;
  b << 0.1, -0.2;
  const MatrixX J = TwoLinks::jacobian(q), still = MatrixX::Zero(2, 2);
  reference.update(J, still, b, zero, 1e-3);
  const VectorX z = reference.carried();
  VectorX bad = b;
  bad[0] = std::nan("");
  EXPECT_EQ(reference.update(J, still, bad, zero, 1e-3).status, Status::not_finite);
  EXPECT_TRUE(reference.velocity().array().isNaN().all());
  EXPECT_EQ(reference.update(J, still, b, zero, -1.0).status, Status::not_finite);
  EXPECT_EQ(reference.update(J, still, VectorX::Zero(3), zero, 1e-3).status, Status::wrong_size);
  EXPECT_EQ(reference.carried(), z);
  reference.reset();
  reference.update(J, still, 2.0 * b, zero, 0.0);
  EXPECT_LT(largest(J * reference.carried() - 2.0 * b), tolerance::kInverseTier) << "z begins anew";
  SmoothDampingOptions options;
  options.band = 0.0;
  EXPECT_THROW(CarriedReference(2, 2, options), OptionsError);
  EXPECT_THROW(SmoothDamping(3, 2), Error);
}

}  // namespace
}  // namespace antaeus
