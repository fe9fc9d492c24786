#include "antaeus/control/hybrid_law.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "control/control_arms.hpp"
#include "control/control_step.hpp"
#include "control/tolerances.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

class PublishedLaw : public testing::TestWithParam<const char*> {
 protected:
  test::BareArm arm = test::bare_arm(GetParam());
  ToolDynamics tool{arm.model, arm.tool};
  int n = arm.model.nv();
};

/// The lab's function line by line, on what the dynamics say of J and g.
TEST_P(PublishedLaw, IsTheLabsFunctionLineByLine) {
  HybridLawGains gains;
  gains.K_o = gains.K_do = 0.0;  // as printed
  EXPECT_EQ(gains.K_p, 2000.0);
  EXPECT_EQ(gains.K_d, 100.0);
  EXPECT_EQ(gains.K_fp, 5.0);
  EXPECT_EQ(gains.K_fi, 10.0);
  EXPECT_EQ(gains.K_dz, 30.0);
  EXPECT_EQ(gains.alpha_filter, 0.2);
  HybridLaw law = HybridLaw::published(n, gains);
  Dynamics dynamics(arm.model);
  VectorX g(n), v = VectorX::LinSpaced(n, -0.2, 0.3);
  MatrixX J(6, n);
  double filtered = 0.0, integral = 0.0;
  HybridTarget target{.force_axes = {false, false, true}, .X_WT = tool.at(arm.q, v).X_WT};
  target.X_WT.translation += Vector3(0.004, -0.003, 0.002);
  target.X_WT.rotation = Eigen::AngleAxisd(0.2, Vector3::UnitX()).toRotationMatrix() * target.X_WT.rotation;
  target.wrench.force.z() = 5.0;
  target.twist.setConstant(0.7);  // not in the law
  for (const double force : {0.0, 2.0, 7.0, 4.0}) {
    const ToolState& state = tool.at(arm.q, v);
    const HybridCommand& command = law.update(state, target, {Vector3(9.0, 8.0, force), Vector3::Ones()}, kControlStep);
    ASSERT_EQ(command.status, Status::ok);
    filtered = 0.2 * force + 0.8 * filtered;
    const double e_f = 5.0 - filtered;
    integral += e_f * kControlStep;
    const PositionTerms terms = dynamics.at(arm.q);
    terms.frame_jacobian(arm.model.frame(arm.tool), J);
    terms.gravity_torque(g);
    const Vector3 xd = J.topRows(3) * v, e_p = target.X_WT.translation - state.X_WT.translation;
    const Vector3 F(2000.0 * e_p.x() - 100.0 * xd.x(), 2000.0 * e_p.y() - 100.0 * xd.y(),
                    -(5.0 * e_f + 10.0 * integral) - 30.0 * xd.z());
    const VectorX tau = J.topRows(3).transpose() * F + g;
    EXPECT_LE((command.tau - tau).cwiseAbs().maxCoeff(), tolerance::kPublishedLaw);
    EXPECT_NEAR(command.felt.force.z(), filtered, tolerance::kPublishedLaw);
    EXPECT_TRUE(std::isnan(command.felt.force.x()));
  }
  law.restart();
  const double push =
      law.update(tool.at(arm.q, v), target, {Vector3(0, 0, law.filtered().z()), Vector3::Zero()}, kControlStep)
          .push.force.z();
  const double e_f = 5.0 - law.filtered().z();
  EXPECT_NEAR(push, -(5.0 + 10.0 * kControlStep) * e_f - 30.0 * tool.state().twist.z(), tolerance::kPublishedLaw)
      << "restart forgets the integral, the filter goes on";
}

TEST_P(PublishedLaw, TheTaskFrameMayLieAnyhow) {
  const ToolState& state = tool.at(arm.q, VectorX::Constant(n, 0.05));
  HybridTarget target{.force_axes = {false, false, true}, .X_WT = state.X_WT};
  target.X_WT.translation += Vector3(0.001, 0.002, 0.003);
  target.wrench.force = Vector3(0.0, 0.0, 5.0);
  HybridTarget turned = target;
  turned.R_WC.col(0) = Vector3::UnitZ(), turned.R_WC.col(1) = Vector3::UnitX(), turned.R_WC.col(2) = Vector3::UnitY();
  turned.force_axes = {true, false, false};
  turned.wrench.force = Vector3(5.0, 0.0, 0.0);
  const Wrench felt{Vector3(1.0, -2.0, 3.0), Vector3::Zero()};
  HybridLaw law = HybridLaw::published(n), other = HybridLaw::published(n);
  const VectorX tau = law.update(state, target, felt, kControlStep).tau;
  EXPECT_LE((other.update(state, turned, felt, kControlStep).tau - tau).cwiseAbs().maxCoeff(),
            tolerance::kPublishedLaw);
}

TEST_P(PublishedLaw, BadInputGivesAStatusAndNoTorque) {
  HybridLaw law = HybridLaw::published(n);
  EXPECT_EQ(law.command().status, Status::not_computed);
  const ToolState& state = tool.at(arm.q, VectorX::Zero(n));
  HybridTarget target{.force_axes = {false, false, true}, .X_WT = state.X_WT};
  const Wrench none{Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
  EXPECT_EQ(law.update(state, target, none, kControlStep).status, Status::not_finite) << "no force ever came";
  EXPECT_TRUE(law.command().tau.array().isNaN().all());
  EXPECT_EQ(law.update(state, target, Wrench{}, kControlStep).status, Status::ok);
  EXPECT_EQ(law.update(state, target, none, kControlStep).status, Status::ok) << "the last one stays";
  EXPECT_EQ(law.update(state, target, Wrench{}, -1.0).status, Status::not_finite);
  target.X_WT.translation.x() = kNaN;
  EXPECT_EQ(law.update(state, target, Wrench{}, kControlStep).status, Status::not_finite);
  HybridLaw larger = HybridLaw::published(n + 1);
  EXPECT_EQ(larger.update(state, target, Wrench{}, kControlStep).status, Status::wrong_size);
  EXPECT_EQ(law.update(tool.at(VectorX::Constant(n, kNaN), VectorX::Zero(n)), target, Wrench{}, kControlStep).status,
            Status::not_finite);
  EXPECT_THROW(HybridLaw::published(0), OptionsError);
  EXPECT_THROW(HybridLaw::published(n, {.K_p = -1.0}), OptionsError);
  EXPECT_THROW(HybridLaw::published(n, {.alpha_filter = 0.0}), OptionsError);
}

INSTANTIATE_TEST_SUITE_P(Arms, PublishedLaw, testing::Values("ur5e", "panda"));

}  // namespace
}  // namespace antaeus
