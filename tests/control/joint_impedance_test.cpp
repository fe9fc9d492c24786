#include "antaeus/control/joint_impedance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "antaeus/core/error.hpp"
#include "control/tolerances.hpp"
#include "support/controlled_arms.hpp"

namespace antaeus {
namespace {

using test::ControlledArm;

TEST(JointImpedance, IsItsLaw) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    SCOPED_TRACE(arm.name);
    const int n = arm.model.nv();
    ToolDynamics tool(arm.model, arm.tool);
    JointImpedanceOptions options;
    options.joint_damping_law = DampingLaw::given;
    JointImpedance natural(arm.model, options);
    options.velocity_torque = VelocityTorque::cancelled;
    JointImpedance cancelled(arm.model, options);
    test::RandomStates random(1411);
    const VectorX v = random.vector(n, 0.3), K = VectorX::LinSpaced(n, 30.0, 50.0), D = VectorX::LinSpaced(n, 5.0, 9.0);
    for (JointImpedance* const control : {&natural, &cancelled}) {
      ASSERT_EQ(control->set_stiffness(K), Status::ok);
      ASSERT_EQ(control->set_damping(D), Status::ok);
    }
    const ToolState& now = tool.at(arm.home, v);
    const JointTarget target{arm.home + random.vector(n, 0.05), random.vector(n, 0.3), random.vector(n),
                             random.vector(n)};
    const VectorX rest =
        K.cwiseProduct(target.q - now.q) + D.cwiseProduct(target.v - v) + now.M * target.a + target.tau_feed;
    EXPECT_LE((natural.update(now, target).tau - now.g - rest).norm(), tolerance::kSameQuantity);
    EXPECT_LE((cancelled.update(now, target).tau - now.h - rest).norm(), tolerance::kSameQuantity);
    const VectorX still = K.cwiseProduct(target.q - now.q) - D.cwiseProduct(v);
    EXPECT_LE((natural.update(now, {.q = target.q}).tau - now.g - still).norm(), tolerance::kSameQuantity);
  }
}

TEST(JointImpedance, EveryModeHasTheSameDampingRatio) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    const int n = arm.model.nv();
    ToolDynamics tool(arm.model, arm.tool);
    for (const double ratio : {0.3, 0.7}) {
      SCOPED_TRACE(arm.name + ", " + std::to_string(ratio));
      JointImpedanceOptions options;
      options.joint_damping_ratio = ratio;
      JointImpedance control(arm.model, options);
      ASSERT_EQ(control.set_stiffness(VectorX::LinSpaced(n, 400.0, 50.0)), Status::ok);
      const ToolState& now = tool.at(arm.home, VectorX::Zero(n));
      ASSERT_EQ(control.update(now, {.q = arm.home}).status, Status::ok);
      MatrixX system = MatrixX::Zero(2 * n, 2 * n);
      system.topRightCorner(n, n).setIdentity();
      system.bottomLeftCorner(n, n) = -now.M.inverse() * VectorX::LinSpaced(n, 400.0, 50.0).asDiagonal();
      system.bottomRightCorner(n, n) = -now.M.inverse() * control.damping();
      const Eigen::EigenSolver<MatrixX> modes(system);
      for (const std::complex<double>& root : modes.eigenvalues()) {
        EXPECT_NEAR(-root.real() / std::abs(root), ratio, tolerance::kDampingRatio);
      }
    }
  }
}

TEST(JointImpedance, BadInputGivesNaN) {
  const ControlledArm arm = test::controlled_ur5e();
  ToolDynamics tool(arm.model, arm.tool);
  JointImpedance control(arm.model);
  const VectorX rest = VectorX::Zero(6), nan = VectorX::Constant(6, kNaN);
  const auto refused = [&](const ToolState& now, const JointTarget& target, Status why) {
    const LimitedTorque& given = control.update(now, target);
    EXPECT_EQ(given.status, why);
    EXPECT_TRUE(given.tau.array().isNaN().all());
  };
  refused(tool.state(), {.q = arm.home}, Status::not_computed);
  const ToolState& now = tool.at(arm.home, rest);
  refused(now, {.q = nan}, Status::not_finite);
  refused(now, {.q = VectorX::Zero(7)}, Status::wrong_size);
  refused(now, {.q = arm.home, .v = nan}, Status::not_finite);
  refused(now, {.q = arm.home, .a = VectorX::Zero(5)}, Status::wrong_size);
  refused(now, {.q = arm.home, .tau_feed = nan}, Status::not_finite);
  EXPECT_EQ(control.set_stiffness(-VectorX::Ones(6)), Status::not_finite);
  EXPECT_EQ(control.set_stiffness(nan), Status::not_finite);
  EXPECT_EQ(control.set_damping(VectorX::Ones(5)), Status::wrong_size);
  EXPECT_EQ(control.update(now, {.q = arm.home}).status, Status::ok);
  tool.at(nan, rest);
  refused(now, {.q = arm.home}, Status::not_finite);
  const ControlledArm other = test::controlled_panda();
  ToolDynamics panda(other.model, other.tool);
  refused(panda.at(other.home, VectorX::Zero(7)), {.q = arm.home}, Status::wrong_size);
  EXPECT_THROW(JointImpedance(arm.model, {.joint_stiffness = -1.0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
