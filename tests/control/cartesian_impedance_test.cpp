#include "antaeus/control/cartesian_impedance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "control/tolerances.hpp"
#include "support/controlled_arms.hpp"

namespace antaeus {
namespace {

using test::ControlledArm;

constexpr double kDegree = std::numbers::pi / 180.0;

TEST(CartesianImpedance, AtItsTargetItCarriesTheArmAlone) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    SCOPED_TRACE(arm.name);
    ToolDynamics tool(arm.model, arm.tool);
    CartesianImpedance control(arm.model);
    const ToolState& now = tool.at(arm.home, VectorX::Zero(arm.model.nv()));
    const CartesianTorque& given = control.update(now, {.X_WT = now.X_WT, .posture = arm.home});
    ASSERT_EQ(given.status, Status::ok);
    EXPECT_LE((given.tau - now.g).norm(), tolerance::kSameQuantity);
    EXPECT_LE(given.error.norm(), tolerance::kTurnError);
    EXPECT_LE(given.spring_energy, tolerance::kArithmetic);
  }
}

/// A push of +40 N moves the tool by F/K the same way; the feed-forward pushes the world.
TEST(CartesianImpedance, GivesWayByForceOverStiffness) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    SCOPED_TRACE(arm.name);
    const int n = arm.model.nv();
    ToolDynamics tool(arm.model, arm.tool);
    CartesianImpedance control(arm.model, {.stiffness = 1000.0});
    const CartesianTarget target{.X_WT = tool.at(arm.home, VectorX::Zero(n)).X_WT, .posture = arm.home};
    for (const Vector3& push : {Vector3(40.0, 0.0, 0.0), Vector3(0.0, -20.0, 10.0)}) {
      test::FreeArm free(arm.model, arm.home, VectorX::Zero(n));
      Vector6 wrench = Vector6::Zero();
      wrench.head<3>() = push;
      for (int i = 0; i < 5000; ++i) {
        ASSERT_TRUE(free.step(1e-3, [&](const VectorX& q, const VectorX& v) {
          const ToolState& now = tool.at(q, v);
          return VectorX(control.update(now, target).tau + now.J.transpose() * wrench);
        }));
      }
      const CartesianTorque& given = control.update(tool.at(free.q, free.v), target);
      EXPECT_LE((given.error.head<3>() + push / 1000.0).norm(), tolerance::kSpringRest);
      EXPECT_LE(given.error.tail<3>().norm(), tolerance::kSpringRest);
      EXPECT_LE((given.commanded.force + push).norm(), 1000.0 * tolerance::kSpringRest);
    }
    // Pushed back by its own feed-forward.
    const ToolState& now = tool.at(arm.home, VectorX::Zero(n));
    const CartesianTarget fed{.X_WT = now.X_WT, .feed_forward = {Vector3(0.0, 0.0, 5.0), Vector3(0.1, 0.0, 0.0)}};
    const VectorX extra = control.update(now, fed).tau - now.g;
    EXPECT_LE((extra - now.J.transpose() * fed.feed_forward.to_vector()).norm(), tolerance::kSameQuantity);
  }
}

TEST(CartesianImpedance, EveryModeHasTheSameDampingRatio) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    ToolDynamics tool(arm.model, arm.tool);
    const ToolState& now = tool.at(arm.home, VectorX::Zero(arm.model.nv()));
    for (const double ratio : {0.2, 0.7}) {
      SCOPED_TRACE(arm.name + ", " + std::to_string(ratio));
      CartesianImpedance control(arm.model, {.damping_ratio = ratio});
      Matrix6 K = Matrix6::Zero();
      K.diagonal() << 2000.0, 500.0, 100.0, 50.0, 20.0, 10.0;
      K(0, 1) = K(1, 0) = 300.0;
      ASSERT_EQ(control.set_stiffness(K), Status::ok);
      ASSERT_EQ(control.update(now, {.X_WT = now.X_WT}).status, Status::ok);
      Eigen::Matrix<double, 12, 12> system = Eigen::Matrix<double, 12, 12>::Zero();
      system.topRightCorner<6, 6>().setIdentity();
      system.bottomLeftCorner<6, 6>() = -now.Lambda.inverse() * K;
      system.bottomRightCorner<6, 6>() = -now.Lambda.inverse() * control.damping();
      const Eigen::EigenSolver<Eigen::Matrix<double, 12, 12>> modes(system);
      for (const std::complex<double>& root : modes.eigenvalues()) {
        EXPECT_NEAR(-root.real() / std::abs(root), ratio, tolerance::kDampingRatio);
      }
      // A direction without stiffness has no damping either, and nothing breaks.
      K.setZero();
      K(2, 2) = 100.0;
      ASSERT_EQ(control.set_stiffness(K), Status::ok);
      ASSERT_EQ(control.update(now, {.X_WT = now.X_WT}).status, Status::ok);
      EXPECT_EQ(
          Eigen::SelfAdjointEigenSolver<Matrix6>(control.damping()).eigenvalues().array().abs().head<5>().maxCoeff() <
              1e-6,
          true);
    }
  }
}

TEST(CartesianImpedance, TheLogMapPullsHarderTheFurther) {
  const ControlledArm arm = test::controlled_panda();
  ToolDynamics tool(arm.model, arm.tool);
  CartesianImpedance log_map(arm.model), skew(arm.model, {.rotation_law = RotationLaw::skew});
  const ToolState& now = tool.at(arm.home, VectorX::Zero(7));
  const Vector3 axis = Vector3(1.0, -2.0, 0.5).normalized();
  for (int degrees = 1; degrees < 180; ++degrees) {
    CartesianTarget target{.X_WT = now.X_WT};
    target.X_WT.rotation = Eigen::AngleAxisd(degrees * kDegree, axis).toRotationMatrix() * now.X_WT.rotation;
    const Vector3 by_log = log_map.update(now, target).commanded.torque;
    const Vector3 by_skew = skew.update(now, target).commanded.torque;
    EXPECT_LE((by_log - 50.0 * degrees * kDegree * axis).norm(), 50.0 * tolerance::kTurnError) << degrees;
    EXPECT_LE((by_skew - 50.0 * std::sin(degrees * kDegree) * axis).norm(), 50.0 * tolerance::kTurnError) << degrees;
    EXPECT_TRUE(std::isnan(skew.update(now, target).spring_energy));
  }
}

/// The moment is the slope of the stored energy, also where stiffness differs from axis to axis.
TEST(CartesianImpedance, TheSpringIsTheSlopeOfItsEnergy) {
  constexpr double kStep = 1e-6;
  const ControlledArm arm = test::controlled_ur5e();
  ToolDynamics tool(arm.model, arm.tool);
  CartesianImpedance control(arm.model);
  test::RandomStates random(1421);
  SCOPED_TRACE(random.text());
  MatrixX half(6, 6);
  for (int column = 0; column < 6; ++column) half.col(column) = random.vector(6, 5.0);
  ASSERT_EQ(control.set_stiffness(half * half.transpose()), Status::ok);
  ToolState now = tool.at(arm.home, VectorX::Zero(6));
  for (int i = 0; i < 50; ++i) {
    const Vector3 turn = (0.1 + 0.055 * i) * Vector3(random.vector(3)).normalized();
    CartesianTarget target{.X_WT = now.X_WT};
    target.X_WT.rotation = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * now.X_WT.rotation;
    target.X_WT.translation += Vector3(random.vector(3, 0.2));
    const Vector6 F = control.update(now, target).commanded.to_vector();
    for (int row = 0; row < 6; ++row) {
      double energy[2];
      for (const int side : {0, 1}) {
        ToolState moved = now;
        const double step = side == 0 ? -kStep : kStep;
        if (row < 3) moved.X_WT.translation[row] += step;
        if (row >= 3) {
          moved.X_WT.rotation = Eigen::AngleAxisd(step, Vector3::Unit(row - 3)).toRotationMatrix() * now.X_WT.rotation;
        }
        energy[side] = control.update(moved, target).spring_energy;
      }
      EXPECT_NEAR(-(energy[1] - energy[0]) / (2.0 * kStep), F[row], 20.0 * tolerance::kFiniteDifference)
          << turn.norm() << ", row " << row;
    }
  }
}

TEST(CartesianImpedance, TheElbowFollowsThePostureAndTheHandStays) {
  const ControlledArm arm = test::controlled_panda();
  ToolDynamics tool(arm.model, arm.tool);
  CartesianImpedance control(arm.model, {.stiffness = 1000.0, .rotational_stiffness = 100.0});
  const ToolState& now = tool.at(arm.home, VectorX::Zero(7));
  CartesianTarget target{.X_WT = now.X_WT};
  target.posture = arm.home;
  target.posture[0] += 0.5;
  target.posture[2] -= 0.5;
  // At the first instant the hand is not accelerated.
  const VectorX extra = control.update(now, target).tau - now.g;
  EXPECT_GT(extra.norm(), 1.0);
  EXPECT_LE((now.M_inv_Jt.transpose() * extra).norm(),
            1e-3 * (now.M_inv_Jt.transpose() * (10.0 * (target.posture - arm.home))).norm());
  test::FreeArm free(arm.model, arm.home, VectorX::Zero(7));
  double farthest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(
        free.step(1e-3, [&](const VectorX& q, const VectorX& v) { return control.update(tool.at(q, v), target).tau; }));
    farthest = std::max(farthest, control.update(tool.at(free.q, free.v), target).error.head<3>().norm());
  }
  EXPECT_LE(farthest, 1e-3);
  EXPECT_LE(free.v.norm(), 1e-3);
  EXPECT_LT((free.q - target.posture).norm(), 0.8 * (arm.home - target.posture).norm());
}

TEST(CartesianImpedance, FollowsAMovingTarget) {
  constexpr double kPace = 2.0, kSize = 0.05;
  for (const ControlledArm& arm : test::controlled_arms()) {
    const int n = arm.model.nv();
    ToolDynamics tool(arm.model, arm.tool);
    const Pose start = tool.at(arm.home, VectorX::Zero(n)).X_WT;
    for (const VelocityTorque law : {VelocityTorque::natural, VelocityTorque::cancelled}) {
      SCOPED_TRACE(arm.name + std::string(", ") + std::string(to_string(law)));
      CartesianImpedance control(arm.model, {.velocity_torque = law});
      test::FreeArm free(arm.model, arm.home, VectorX::Zero(n));
      double farthest = 0.0;
      for (int i = 0; i < 4000; ++i) {
        const double t = 1e-3 * i;
        // Begins at rest: s = A (1 − cos ωt).
        CartesianTarget target{.X_WT = start, .posture = arm.home};
        target.X_WT.translation.y() += kSize * (1.0 - std::cos(kPace * t));
        target.twist[1] = kSize * kPace * std::sin(kPace * t);
        target.acceleration[1] = kSize * kPace * kPace * std::cos(kPace * t);
        const CartesianTorque& given = control.update(tool.at(free.q, free.v), target);
        farthest = std::max(farthest, given.error.head<3>().norm());
        const VectorX tau = given.tau;
        ASSERT_TRUE(free.step(1e-3, [&](const VectorX&, const VectorX&) { return tau; }));
      }
      EXPECT_LE(farthest, law == VelocityTorque::natural ? 2e-3 : 0.5e-3);
    }
  }
}

TEST(CartesianImpedance, LimitsAreSaid) {
  const ControlledArm arm = test::controlled_ur5e();
  ToolDynamics tool(arm.model, arm.tool);
  CartesianImpedance control(arm.model, {.stiffness = 1e5});
  const ToolState& now = tool.at(arm.home, VectorX::Zero(6));
  CartesianTarget target{.X_WT = now.X_WT};
  target.X_WT.translation.x() += 0.5;
  const CartesianTorque& given = control.update(now, target);
  EXPECT_EQ(given.status, Status::ok);
  EXPECT_TRUE(given.is_limited);
  EXPECT_GT(given.clipped.cwiseAbs().maxCoeff(), 1000.0);
  EXPECT_TRUE((given.tau.cwiseAbs().array() <= arm.model.effort_limits().array()).all());
}

TEST(CartesianImpedance, NearASingularPoseItStaysFinite) {
  const ControlledArm arm = test::controlled_ur5e();
  ToolDynamics tool(arm.model, arm.tool);
  CartesianImpedance control(arm.model);
  for (const double elbow : {1e-1, 1e-3, 1e-6, 0.0}) {
    VectorX q = arm.home;
    q[2] = elbow;
    const ToolState& now = tool.at(q, VectorX::Constant(6, 0.1));
    CartesianTarget target{.X_WT = now.X_WT};
    target.X_WT.translation.z() -= 0.02;
    const CartesianTorque& given = control.update(now, target);
    EXPECT_EQ(given.status, Status::ok) << elbow;
    EXPECT_FALSE(given.is_limited) << elbow;
  }
}

TEST(CartesianImpedance, BadInputGivesNaN) {
  const ControlledArm arm = test::controlled_ur5e();
  ToolDynamics tool(arm.model, arm.tool);
  CartesianImpedance control(arm.model);
  const VectorX rest = VectorX::Zero(6);
  const auto refused = [&](const ToolState& now, const CartesianTarget& target, Status why) {
    const CartesianTorque& given = control.update(now, target);
    EXPECT_EQ(given.status, why);
    EXPECT_TRUE(given.tau.array().isNaN().all());
    EXPECT_TRUE(given.error.array().isNaN().all());
    EXPECT_TRUE(given.commanded.force.array().isNaN().all());
  };
  refused(tool.state(), {}, Status::not_computed);
  const ToolState& now = tool.at(arm.home, rest);
  const CartesianTarget good{.X_WT = now.X_WT};
  CartesianTarget bad = good;
  bad.X_WT.translation.x() = kNaN;
  refused(now, bad, Status::not_finite);
  bad = good;
  bad.twist[4] = kInfinity;
  refused(now, bad, Status::not_finite);
  bad = good;
  bad.acceleration[0] = kNaN;
  refused(now, bad, Status::not_finite);
  bad = good;
  bad.feed_forward.torque.z() = kNaN;
  refused(now, bad, Status::not_finite);
  bad = good;
  bad.posture = VectorX::Zero(5);
  refused(now, bad, Status::wrong_size);
  bad.posture = VectorX::Constant(6, kNaN);
  refused(now, bad, Status::not_finite);
  bad = good;
  bad.X_WT.rotation *= 1.01;
  refused(now, bad, Status::bad_orientation);
  bad.X_WT.rotation = -now.X_WT.rotation;
  refused(now, bad, Status::bad_orientation);
  EXPECT_EQ(control.set_stiffness(-Matrix6::Identity()), Status::not_finite);
  EXPECT_EQ(control.set_stiffness(Matrix6::Constant(kNaN)), Status::not_finite);
  Matrix6 lopsided = Matrix6::Identity();
  lopsided(0, 1) = 0.5;
  EXPECT_EQ(control.set_damping(lopsided), Status::not_finite);
  EXPECT_EQ(control.update(now, good).status, Status::ok);
  tool.at(VectorX::Constant(6, kNaN), rest);
  refused(now, good, Status::not_finite);
  EXPECT_THROW(CartesianImpedance(arm.model, {.damping_ratio = -0.1}), OptionsError);
}

}  // namespace
}  // namespace antaeus
