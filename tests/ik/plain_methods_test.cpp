// The textbooks' methods: their steps against Eigen's decompositions, their laws, and what they do at limits.
#include "antaeus/ik/plain_methods.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "antaeus/core/error.hpp"
#include "ik/tolerances.hpp"
#include "support/reach_sets.hpp"

namespace antaeus {
namespace {

using test::ReachArm;
using test::ReachSets;

MatrixX jacobian(ReachArm& arm, const VectorX& q) {
  Dynamics dynamics(arm.model);
  VectorX full(arm.model.nq());
  VectorX motors = VectorX::Zero(arm.model.motor_count());
  for (int i = 0; i < q.size(); ++i) motors[arm.chain.joints()[static_cast<std::size_t>(i)].motor] = q[i];
  EXPECT_EQ(arm.model.position_from_motors(motors, Eigen::Vector4d(0, 0, 0, 1), full), Status::ok);
  Matrix6X J(6, arm.model.nv());
  EXPECT_EQ(dynamics.at(full).frame_jacobian(arm.model.frame(arm.chain.frame()), J), Status::ok);
  MatrixX columns(6, q.size());
  for (int i = 0; i < q.size(); ++i) {
    const int motor = arm.chain.joints()[static_cast<std::size_t>(i)].motor;
    columns.col(i) = J.col(arm.model.motor_rows()[static_cast<std::size_t>(motor)]);
  }
  return columns;
}

TEST(PlainMethods, PseudoInverseIsTheSmallestStep) {
  for (const auto& each : {test::panda_arm(), test::on_rail(test::panda_arm())}) {
    ReachArm arm(each);
    for (const bool position_only : {false, true}) {
      PlainSolver pinv(arm.chain, {.method = PlainMethod::pinv, .position_only = position_only});
      ReachSets sets(arm, 79);
      const int n = arm.chain.size(), rows = position_only ? 3 : 6;
      for (int k = 0; k < 50; ++k) {
        const VectorX q = sets.positions();
        const MatrixX J = jacobian(arm, q).topRows(rows);
        const Eigen::JacobiSVD<MatrixX> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
        if (svd.singularValues()[rows - 1] < 0.03) continue;  // dropped, or poorly determined
        VectorX e(rows), dq(n);
        for (double& entry : e) entry = sets.normal();
        ASSERT_EQ(pinv.step(q, e, dq), Status::ok);
        EXPECT_LE((J * dq - e).norm(), tolerance::kPlainStep * dq.norm());
        const VectorX normal_form = J.transpose() * (J * J.transpose()).ldlt().solve(e);
        EXPECT_LE((dq - normal_form).norm(), tolerance::kPlainStep * dq.norm());
        // Any other solution is longer: dq has no part in the null space.
        VectorX other(n);
        for (double& entry : other) entry = sets.normal();
        const VectorX idle = other - svd.matrixV() * (svd.matrixV().transpose() * other);
        EXPECT_LE(std::abs(dq.dot(idle)), tolerance::kPlainStep * dq.norm() * idle.norm());
      }
    }
  }
}

TEST(PlainMethods, DampedTendsToThePseudoInverse) {
  ReachArm arm(test::panda_arm());
  ReachSets sets(arm, 83);
  PlainSolver pinv(arm.chain, {.method = PlainMethod::pinv});
  const VectorX q = arm.chain.middle();
  VectorX e(6), exact(7), dq(7);
  for (double& entry : e) entry = sets.normal();
  ASSERT_EQ(pinv.step(q, e, exact), Status::ok);
  double before = kInfinity;
  for (const double lambda : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    PlainSolver dls(arm.chain, {.method = PlainMethod::dls, .lambda = lambda});
    ASSERT_EQ(dls.step(q, e, dq), Status::ok);
    const double difference = (dq - exact).norm() / exact.norm();
    // Each direction loses λ²/(σ² + λ²): a hundredth for a tenth of λ, once λ is below the smallest σ.
    if (lambda < 1e-2) {
      EXPECT_NEAR(difference / before, 0.01, 0.002) << lambda;
    }
    EXPECT_LT(dq.norm(), exact.norm());
    before = difference;
  }
  PlainSolver adaptive(arm.chain, {.method = PlainMethod::dls, .adaptive = true, .adaptive_from = 1e-9});
  ASSERT_EQ(adaptive.step(q, e, dq), Status::ok);
  EXPECT_LE((dq - exact).norm(), tolerance::kPlainStep * exact.norm()) << "far from singular nothing is damped";
}

/// What the Panda log (docs/references.md) hopes for, and what happens: an unreachable target is not met gracefully.
TEST(PlainMethods, CuttingAtLimitsStallsFarFromTheClosestPose) {
  ReachArm arm(test::panda_arm());
  ReachOptions options;
  options.position_only = true;
  ReachSolver solver{ReachModel(arm.chain, options)};
  PlainSolver dls(arm.chain, {.method = PlainMethod::dls, .position_only = true});
  ReachSets sets(arm, 89);
  std::vector<double> excess;
  for (const Pose& target : sets.at_distance(60, {0, 0, 0.333}, 1.5)) {
    const ReachSolution& plain = dls.solve(target, arm.chain.middle());
    EXPECT_EQ(plain.status, ReachStatus::iteration_budget);
    EXPECT_TRUE(arm.judge(target, plain.q).within_limits);
    excess.push_back(arm.miss(target, plain.q, true) - arm.miss(target, solver.solve(target).q, true));
  }
  std::ranges::nth_element(excess, excess.begin() + 30);
  EXPECT_GT(excess[30], 0.01) << "median excess over the closest [m]";
}

TEST(PlainMethods, EveryMethodAndBothAxesReachNearTargets) {
  ReachArm arm(test::panda_arm());
  ReachSets sets(arm, 97);
  for (const PlainMethod method : {PlainMethod::pinv, PlainMethod::dls, PlainMethod::dls_restarts}) {
    for (const ErrorAxes axes : {ErrorAxes::world, ErrorAxes::local}) {
      PlainSolver solver(arm.chain, {.method = method, .axes = axes});
      int reached = 0;
      for (int k = 0; k < 50; ++k) {
        VectorX q = arm.chain.middle();
        for (double& entry : q) entry += 0.3 * (2.0 * sets.uniform() - 1.0);
        const Pose target = arm.pose(q);
        const ReachSolution& s = solver.solve(target, arm.chain.middle());
        reached += s.status == ReachStatus::reached && arm.judge(target, s.q).reaches(false);
      }
      EXPECT_EQ(reached, 50) << to_string(method) << ' ' << to_string(axes);
    }
  }
}

TEST(PlainMethods, RefusesOptionsOutOfRange) {
  const ReachArm arm(test::panda_arm());
  EXPECT_THROW(PlainSolver(arm.chain, {.step = 1.5}), OptionsError);
  EXPECT_THROW(PlainSolver(arm.chain, {.step = kNaN}), OptionsError);
  EXPECT_THROW(PlainSolver(arm.chain, {.lambda = 0.0}), OptionsError);
  EXPECT_THROW(PlainSolver(arm.chain, {.iterations = 0}), OptionsError);
  PlainSolver dls(arm.chain, {.method = PlainMethod::dls});
  EXPECT_EQ(dls.solve(Pose{}, VectorX::Zero(3)).status, ReachStatus::bad_input);
}

}  // namespace
}  // namespace antaeus
