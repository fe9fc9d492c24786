#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/control/joint_impedance.hpp"
#include "support/controlled_arms.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::ControlledArm;

constexpr double kStep = 1e-3;
constexpr int kSteps = 1500;

/// Runs an arm against a target at rest under pushes, and compares the growth of what is stored with what the pushes
/// put in, step by step.
template <class Control, class Target, class Stored>
void expect_passive(const ControlledArm& arm, Control& control, const Target& target, Stored&& stored, unsigned seed) {
  test::RandomStates random(seed);
  SCOPED_TRACE(arm.name + ", " + random.text());
  const int n = arm.model.nv();
  ToolDynamics tool(arm.model, arm.tool);
  test::FreeArm free(arm.model, arm.home + random.vector(n, 0.3), random.vector(n, 0.5));
  Vector6 push = Vector6::Zero();
  // The work is integrated beside the motion, by Simpson's rule.
  const auto power = [&](const VectorX& q, const VectorX& v) {
    const ToolState& now = tool.at(q, v);
    return push.dot(now.twist);
  };
  const auto storage = [&](const VectorX& q, const VectorX& v) {
    const ToolState& now = tool.at(q, v);
    return 0.5 * v.dot(now.M * v) + stored(control.update(now, target), now);
  };
  double before = storage(free.q, free.v), started = before, lost = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    if (i % 100 == 0) push = i % 300 == 200 ? Vector6(Vector6::Zero()) : Vector6(random.vector(6, 4.0));
    const auto torque = [&](const VectorX& q, const VectorX& v) {
      const ToolState& now = tool.at(q, v);
      const auto& given = control.update(now, target);
      EXPECT_FALSE(given.is_limited);
      return VectorX(given.tau + now.J.transpose() * push);
    };
    const double first = power(free.q, free.v);
    ASSERT_TRUE(free.step(0.5 * kStep, torque));
    const double middle = power(free.q, free.v);
    ASSERT_TRUE(free.step(0.5 * kStep, torque));
    const double work = kStep / 6.0 * (first + 4.0 * middle + power(free.q, free.v));
    const double after = storage(free.q, free.v);
    ASSERT_LE(after - before, work + tolerance::kStoredEnergy) << "step " << i;
    lost += work - (after - before);
    before = after;
  }
  EXPECT_GT(lost, 0.1 * started);
}

TEST(ImpedanceProperty, TheJointsStoreNoMoreThanIsPutIn) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    JointImpedance control(arm.model, {.joint_stiffness = 20.0, .joint_damping_ratio = 0.3});
    const JointTarget target{.q = arm.home};
    expect_passive(
        arm, control, target,
        [&](const LimitedTorque&, const ToolState& now) { return 10.0 * (target.q - now.q).squaredNorm(); }, 1431);
  }
}

TEST(ImpedanceProperty, TheToolStoresNoMoreThanIsPutIn) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    // What moves the joints and not the tool is damped only: a spring there would be a third store.
    CartesianImpedance control(arm.model, {.stiffness = 300.0, .rotational_stiffness = 20.0, .damping_ratio = 0.3});
    ToolDynamics tool(arm.model, arm.tool);
    const CartesianTarget target{.X_WT = tool.at(arm.home, VectorX::Zero(arm.model.nv())).X_WT};
    const auto energy = [](const CartesianTorque& given, const ToolState&) { return given.spring_energy; };
    expect_passive(arm, control, target, energy, 1432);
    // Also where stiffness differs from axis to axis, and is coupled.
    Matrix6 K = Matrix6::Zero();
    K.diagonal() << 300.0, 100.0, 500.0, 40.0, 5.0, 15.0;
    K(0, 4) = K(4, 0) = 10.0;
    ASSERT_EQ(control.set_stiffness(K), Status::ok);
    expect_passive(arm, control, target, energy, 1433);
  }
}

}  // namespace
}  // namespace antaeus
