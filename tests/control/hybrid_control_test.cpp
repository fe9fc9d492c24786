#include "antaeus/control/hybrid_control.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/robot/dynamics.hpp"
#include "control/control_arms.hpp"
#include "control/control_step.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

const Wrench kNothing{};

/// The arm moved by its torques, without contact.
struct FreeArm {
  explicit FreeArm(const test::BareArm& arm) : dynamics(arm.model), q(arm.q), v(VectorX::Zero(arm.q.size())), a(v) {}
  void step(const VectorX& tau) {
    dynamics.forward_dynamics(q, v, tau, a);
    v += kControlStep * a;
    q += kControlStep * v;
  }
  Dynamics dynamics;
  VectorX q, v, a;
};

class Hybrid : public testing::TestWithParam<const char*> {
 protected:
  test::BareArm arm = test::bare_arm(GetParam());
  ToolDynamics tool{arm.model, arm.tool};
  int n = arm.model.nv();
};

TEST_P(Hybrid, MotionAloneDecaysAsItsFrequencyAndDampingSay) {
  HybridController control(n, {.frequency = 20.0, .rotational_frequency = 30.0});
  FreeArm free(arm);
  HybridTarget target{.X_WT = tool.at(free.q, free.v).X_WT};
  const Vector3 offset(0.01, -0.02, 0.015);
  target.X_WT.translation += offset;
  target.X_WT.rotation =
      Eigen::AngleAxisd(0.1, Vector3(1, 2, -1).normalized()).toRotationMatrix() * target.X_WT.rotation;
  double t = 0.0;
  for (int i = 0; i < 150; ++i, t += kControlStep) {
    const HybridCommand& command = control.update(tool.at(free.q, free.v), target, kNothing, kControlStep);
    ASSERT_EQ(command.status, Status::ok);
    // Critically damped: e = e₀ (1 + ω t) exp(−ω t). Integrating with 1 ms steps costs ω dt / 2 of it.
    const double place = (1.0 + 20.0 * t) * std::exp(-20.0 * t), turn = (1.0 + 30.0 * t) * std::exp(-30.0 * t);
    ASSERT_NEAR((command.error.head<3>() - place * offset).norm(), 0.0, 0.02 * offset.norm()) << t;
    ASSERT_NEAR(command.error.tail<3>().norm(), turn * 0.1, 0.03 * 0.1) << t;
    free.step(command.tau);
  }
}

TEST_P(Hybrid, TheTaskFrameMayLieAnyhow) {
  // What is wanted in turned axes is what is wanted in the world's: the same torques.
  const ToolState& state = tool.at(arm.q, VectorX::Constant(n, 0.05));
  HybridTarget target{.force_axes = {false, false, true}, .X_WT = state.X_WT};
  target.X_WT.translation += Vector3(0.001, 0.002, 0.0);
  target.wrench.force = Vector3(0.0, 0.0, 5.0);
  const Wrench felt{Vector3(1.0, -2.0, 3.0), Vector3(0.1, 0.2, 0.3)};
  HybridController control(n);
  const VectorX tau = control.update(state, target, felt, kControlStep).tau;
  HybridTarget turned = target;
  turned.R_WC.col(0) = Vector3::UnitZ(), turned.R_WC.col(1) = Vector3::UnitX(), turned.R_WC.col(2) = Vector3::UnitY();
  turned.force_axes = {true, false, false};
  turned.wrench.force = Vector3(5.0, 0.0, 0.0);
  HybridController other(n);
  EXPECT_LT((other.update(state, turned, felt, kControlStep).tau - tau).norm(), 1e-9 * tau.norm());
}

TEST_P(Hybrid, AlongAnAxisOfForceThereIsThePushOfItsLoopAlone) {
  const ToolState& state = tool.at(arm.q, VectorX::Constant(n, 0.02));
  HybridTarget target{.force_axes = {false, true, false, true, false, false}, .X_WT = state.X_WT};
  target.X_WT.translation += Vector3(0.01, 0.02, 0.03);  // far off: it must not push along y
  target.wrench.force.y() = 4.0;
  target.wrench.torque.x() = -0.5;
  const ForceLoopOptions options{.blend = 0.0};
  HybridController control(n, {.force = options});
  const Wrench felt{Vector3(9.0, 3.0, 9.0), Vector3(-0.4, 9.0, 9.0)};
  const HybridCommand& command = control.update(state, target, felt, kControlStep);
  ForceLoop along(options), about(options);
  along.start(3.0), about.start(-0.4);
  EXPECT_NEAR(command.push.force.y(), along.push({4.0, 3.0, state.twist[1], kControlStep}), 1e-12);
  EXPECT_NEAR(command.push.torque.x(), about.push({-0.5, -0.4, state.twist[3], kControlStep}), 1e-12);
  EXPECT_EQ(command.felt.force.y(), 3.0);
  EXPECT_TRUE(std::isnan(command.felt.force.x()));
}

TEST_P(Hybrid, ADistanceAlongAnAxisOfForceDoesNotPushAcross) {
  const ToolState& state = tool.at(arm.q, VectorX::Zero(n));
  HybridTarget target{.force_axes = {false, false, true}, .X_WT = state.X_WT};
  target.wrench.force.z() = 5.0;
  const Wrench felt{Vector3(0.0, 0.0, 5.0), Vector3::Zero()};
  HybridController near(n), far(n);
  const VectorX tau = near.update(state, target, felt, kControlStep).tau;
  target.X_WT.translation.z() += 0.05;
  EXPECT_EQ(far.update(state, target, felt, kControlStep).tau, tau);
}

TEST_P(Hybrid, BadInputIsAStatusAndNoTorque) {
  HybridController control(n);
  HybridTarget target{.X_WT = tool.at(arm.q, VectorX::Zero(n)).X_WT};
  const auto expect = [&](const HybridCommand& command, Status status) {
    EXPECT_EQ(command.status, status);
    EXPECT_TRUE(command.tau.array().isNaN().all());
  };
  expect(control.update(ToolState{}, target, kNothing, kControlStep), Status::not_computed);
  expect(control.update(tool.state(), target, kNothing, kNaN), Status::not_finite);
  expect(control.update(tool.state(), target, kNothing, -kControlStep), Status::not_finite);
  target.X_WT.translation.x() = kNaN;
  expect(control.update(tool.state(), target, kNothing, kControlStep), Status::not_finite);
  target.X_WT = tool.state().X_WT;
  target.force_axes[2] = true;
  expect(control.update(tool.state(), target, {Vector3::Constant(kNaN), Vector3::Zero()}, kControlStep),
         Status::not_finite);
  EXPECT_EQ(control.update(tool.state(), target, kNothing, kControlStep).status, Status::ok);
  // One that is missing later is bridged.
  EXPECT_EQ(control.update(tool.state(), target, {Vector3::Constant(kNaN), Vector3::Zero()}, kControlStep).status,
            Status::ok);
  expect(control.update(tool.at(VectorX::Constant(n, kNaN), VectorX::Zero(n)), target, kNothing, kControlStep),
         Status::not_finite);
  HybridController wrong(n + 1);
  expect(wrong.update(tool.at(arm.q, VectorX::Zero(n)), target, kNothing, kControlStep), Status::wrong_size);
  EXPECT_EQ(control.set_posture(VectorX::Zero(n + 1)), Status::wrong_size);
}

TEST(HybridOfSevenJoints, JointsThatTheToolLeavesFreeGoToThePostureAndDoNotMoveIt) {
  const test::BareArm arm = test::bare_arm("panda");
  ToolDynamics tool{arm.model, arm.tool};
  FreeArm free(arm);
  HybridController control(7);
  VectorX posture = arm.q;
  posture[0] += 0.3, posture[2] -= 0.3;
  ASSERT_EQ(control.set_posture(posture), Status::ok);
  const HybridTarget target{.X_WT = tool.at(free.q, free.v).X_WT};
  const double before = (posture - free.q).norm();
  double off = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const HybridCommand& command = control.update(tool.at(free.q, free.v), target, kNothing, kControlStep);
    off = std::max(off, command.error.norm());
    free.step(command.tau);
  }
  EXPECT_LT((posture - free.q).norm(), 0.8 * before);
  EXPECT_LT(off, 2e-4);  // a millisecond's lag of the projection while the arm swings
}

INSTANTIATE_TEST_SUITE_P(Arms, Hybrid, testing::Values("ur5e", "panda"),
                         [](const auto& arm) { return std::string(arm.param); });

}  // namespace
}  // namespace antaeus
