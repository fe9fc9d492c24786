#include "antaeus/control/tool_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "control/tolerances.hpp"
#include "support/controlled_arms.hpp"
#include "support/largest.hpp"

namespace antaeus {
namespace {

using test::ControlledArm;
using test::largest;

constexpr double kOffset = 1e-6;

template <class Law>
void for_states(unsigned seed, Law&& law) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    test::RandomStates random(seed);
    ToolDynamics tool(arm.model, arm.tool);
    Dynamics dynamics(arm.model);
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(arm.name + ", state " + std::to_string(i) + ", " + random.text());
      const VectorX q = arm.home + random.vector(arm.model.nv(), 0.5), v = random.vector(arm.model.nv(), 2.0);
      law(arm, tool.at(q, v), dynamics);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ToolDynamics, IsWhatDynamicsSays) {
  for_states(1401, [](const ControlledArm& arm, const ToolState& now, Dynamics& dynamics) {
    const int n = arm.model.nv();
    ASSERT_EQ(now.status, Status::ok);
    VectorX h(n), g(n);
    MatrixX M(n, n);
    Matrix6X J(6, n);
    Pose X;
    ASSERT_EQ(dynamics.nonlinear_effects(now.q, now.v, h), Status::ok);
    ASSERT_EQ(dynamics.mass_matrix(now.q, M), Status::ok);
    const PositionTerms terms = dynamics.at(now.q);
    ASSERT_EQ(terms.gravity_torque(g), Status::ok);
    ASSERT_EQ(terms.frame_jacobian(arm.model.frame(arm.tool), J), Status::ok);
    ASSERT_EQ(terms.frame_pose(arm.model.frame(arm.tool), X), Status::ok);
    EXPECT_LE(largest(now.h - h), tolerance::kSameQuantity);
    EXPECT_LE(largest(now.g - g), tolerance::kSameQuantity);
    EXPECT_LE(largest(now.M - M), tolerance::kSameQuantity);
    EXPECT_LE(largest(now.J - J), tolerance::kSameQuantity);
    EXPECT_LE(largest(now.X_WT.translation - X.translation), tolerance::kSameQuantity);
    EXPECT_LE(largest(now.X_WT.rotation - X.rotation), tolerance::kSameQuantity);
    EXPECT_LE(largest(now.twist - J * now.v), tolerance::kSameQuantity);
    EXPECT_LE(largest(M * now.M_inv_Jt - J.transpose()), tolerance::kToolMass);
  });
}

TEST(ToolDynamics, DriftIsTheChangeOfTheTwistAtConstantVelocity) {
  for_states(1402, [](const ControlledArm& arm, const ToolState& now, Dynamics& dynamics) {
    const FrameId frame = arm.model.frame(arm.tool);
    Matrix6X before(6, arm.model.nv()), after(6, arm.model.nv());
    ASSERT_EQ(dynamics.at(now.q - kOffset * now.v).frame_jacobian(frame, before), Status::ok);
    ASSERT_EQ(dynamics.at(now.q + kOffset * now.v).frame_jacobian(frame, after), Status::ok);
    EXPECT_LE(largest((after - before) * now.v / (2.0 * kOffset) - now.drift), tolerance::kFiniteDifference);
  });
}

TEST(ToolDynamics, LambdaIsWhatTheToolWeighs) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    SCOPED_TRACE(arm.name);
    ToolDynamics bare(arm.model, arm.tool, {.mobility_floor = 0.0}), floored(arm.model, arm.tool);
    Dynamics dynamics(arm.model);
    const VectorX rest = VectorX::Zero(arm.model.nv());
    const ToolState& now = bare.at(arm.home, rest);
    ASSERT_EQ(now.status, Status::ok);
    EXPECT_FALSE(now.is_near_singular);
    VectorX g(arm.model.nv()), a(arm.model.nv());
    ASSERT_EQ(dynamics.at(arm.home).gravity_torque(g), Status::ok);
    for (int row = 0; row < 6; ++row) {
      const Vector6 push = 3.0 * Vector6::Unit(row);
      ASSERT_EQ(dynamics.forward_dynamics(arm.home, rest, g + now.J.transpose() * push, a), Status::ok);
      EXPECT_LE(largest(now.Lambda * (now.J * a) - push), tolerance::kToolMass);
    }
    // The floor: (Λ⁻¹ + floor)⁻¹.
    const Matrix6 expected = (now.Lambda.inverse() + 1e-4 * Matrix6::Identity()).inverse();
    EXPECT_LE(largest(floored.at(arm.home, rest).Lambda - expected), tolerance::kToolMass);
  }
}

/// vᵀ (Ṁ − 2 C) v = 0, and Ṁ = C + Cᵀ: the arm itself stores what is put into it.
TEST(ToolDynamics, MassChangesAsTheCoriolisTorquesSay) {
  for_states(1403, [](const ControlledArm& arm, const ToolState& now, Dynamics& dynamics) {
    const int n = arm.model.nv();
    MatrixX C(n, n), before(n, n), after(n, n);
    ASSERT_EQ(dynamics.coriolis_matrix(now.q, now.v, C), Status::ok);
    ASSERT_EQ(dynamics.mass_matrix(now.q - kOffset * now.v, before), Status::ok);
    ASSERT_EQ(dynamics.mass_matrix(now.q + kOffset * now.v, after), Status::ok);
    const MatrixX skew = (after - before) / (2.0 * kOffset) - 2.0 * C;
    EXPECT_LE(largest(skew + skew.transpose()), tolerance::kFiniteDifference);
    EXPECT_LE(largest(C * now.v - (now.h - now.g)), tolerance::kSameQuantity);
    EXPECT_LE(std::abs(now.v.dot(skew * now.v)), tolerance::kFiniteDifference * now.v.squaredNorm());
  });
}

TEST(ToolDynamics, SaysWhereItCannotMove) {
  const ControlledArm arm = test::controlled_ur5e();
  ToolDynamics tool(arm.model, arm.tool);
  const VectorX rest = VectorX::Zero(6);
  VectorX q = arm.home;
  q[2] = 0.0;  // stretched out
  const ToolState& now = tool.at(q, rest);
  ASSERT_EQ(now.status, Status::ok);
  EXPECT_TRUE(now.is_near_singular);
  EXPECT_TRUE(now.Lambda.allFinite());
  EXPECT_LE(now.Lambda.operatorNorm(), 1e4 * (1.0 + tolerance::kToolMass));
}

TEST(ToolDynamics, BadInputLeavesNothing) {
  const ControlledArm arm = test::controlled_panda();
  ToolDynamics tool(arm.model, arm.tool);
  EXPECT_EQ(tool.state().status, Status::not_computed);
  EXPECT_TRUE(std::isnan(tool.state().g[0]));
  const VectorX rest = VectorX::Zero(7);
  VectorX bad = arm.home;
  bad[3] = kNaN;
  const auto refused = [&](const VectorX& q, const VectorX& v, Status why) {
    ASSERT_EQ(tool.at(arm.home, rest).status, Status::ok);
    const ToolState& now = tool.at(q, v);
    EXPECT_EQ(now.status, why);
    for (const MatrixX& part : {MatrixX(now.q), MatrixX(now.v), MatrixX(now.g), MatrixX(now.h), MatrixX(now.M),
                                MatrixX(now.J), MatrixX(now.Lambda), MatrixX(now.M_inv_Jt), MatrixX(now.drift),
                                MatrixX(now.twist), MatrixX(now.X_WT.rotation), MatrixX(now.X_WT.translation)}) {
      EXPECT_TRUE(part.array().isNaN().all());
    }
  };
  refused(bad, rest, Status::not_finite);
  refused(arm.home, bad, Status::not_finite);
  refused(arm.home.head(6), rest, Status::wrong_size);
  refused(arm.home, VectorX::Zero(8), Status::wrong_size);
  EXPECT_THROW(ToolDynamics(arm.model, "panda_hnad"), ModelError);
  EXPECT_THROW(ToolDynamics(test::own_robot("panda").model, arm.tool), ModelError);  // fingers without a motor
  EXPECT_THROW(ToolDynamics(test::own_robot("h1_2").model, "left_wrist_yaw_link"), ModelError);
}

TEST(RotationError, IsTheAngleUpToHalfATurn) {
  test::RandomStates random(1404);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 200; ++i) {
    const Vector3 axis = Vector3(random.vector(3)).normalized();
    const Matrix3 from =
        Eigen::AngleAxisd(3.0 * random.vector(1)[0], Vector3(random.vector(3)).normalized()).toRotationMatrix();
    const double angle = std::numbers::pi * i / 200.0;
    const Vector3 error = rotation_error(from, Eigen::AngleAxisd(angle, axis).toRotationMatrix() * from);
    EXPECT_LE((error - angle * axis).norm(), tolerance::kTurnError) << angle;
  }
  // At half a turn one of the two.
  const Vector3 half = rotation_error(Matrix3::Identity(), Vector3(1.0, -1.0, -1.0).asDiagonal());
  EXPECT_LE(std::abs(half.norm() - std::numbers::pi), tolerance::kTurnError);
  EXPECT_EQ(rotation_error(Matrix3::Identity(), Matrix3::Identity()), Vector3::Zero());
}

}  // namespace
}  // namespace antaeus
