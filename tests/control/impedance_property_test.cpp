#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/control/joint_impedance.hpp"
#include "control/control_step.hpp"
#include "control/tolerances.hpp"
#include "support/controlled_arms.hpp"

namespace antaeus {
namespace {

using test::ControlledArm;
using test::kControlStep;

constexpr int kSteps = 1500;
// So little damping that it does not hide what a wrong law would put in.
constexpr double kRatio = 0.02;

/// Runs an arm against a target at rest under pushes. \return by how much at most ½ vᵀ M v and what is stored in the
/// spring grew in a step beyond what the pushes put in [J]
template <class Control, class Target, class Stored>
double grown_beyond_work(const ControlledArm& arm, Control& control, const Target& target, Stored&& stored,
                         unsigned seed) {
  test::RandomStates random(seed);
  SCOPED_TRACE(arm.name + ", " + random.text());
  const int n = arm.model.nv();
  ToolDynamics tool(arm.model, arm.tool);
  test::FreeArm free(arm.model, arm.home + random.vector(n, 0.15), random.vector(n, 1.0));
  Vector6 push = Vector6::Zero();
  const auto power = [&] { return push.dot(tool.at(free.q, free.v).twist); };
  const auto storage = [&] {
    const ToolState& now = tool.at(free.q, free.v);
    return 0.5 * now.v.dot(now.M * now.v) + stored(control.update(now, target), now);
  };
  const auto torque = [&](const VectorX& q, const VectorX& v) {
    const ToolState& now = tool.at(q, v);
    const auto& given = control.update(now, target);
    EXPECT_FALSE(given.is_limited);
    return VectorX(given.tau + now.J.transpose() * push);
  };
  double before = storage(), beyond = -kInfinity;
  for (int i = 0; i < kSteps; ++i) {
    if (i % 100 == 0) push = i % 300 == 200 ? Vector6(Vector6::Zero()) : Vector6(random.vector(6, 4.0));
    // The work by Simpson's rule.
    double work = power();
    if (!free.step(0.5 * kControlStep, torque)) return kNaN;
    work += 4.0 * power();
    if (!free.step(0.5 * kControlStep, torque)) return kNaN;
    work = kControlStep / 6.0 * (work + power());
    const double after = storage();
    beyond = std::max(beyond, after - before - work);
    before = after;
  }
  return beyond;
}

TEST(ImpedanceProperty, TheJointsStoreNoMoreThanIsPutIn) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    const JointTarget target{.q = arm.home};
    const auto grown = [&](VelocityTorque law) {
      JointImpedance control(arm.model,
                             {.joint_stiffness = 20.0, .joint_damping_ratio = kRatio, .velocity_torque = law});
      return grown_beyond_work(
          arm, control, target,
          [&](const LimitedTorque&, const ToolState& now) { return 10.0 * (target.q - now.q).squaredNorm(); }, 1431);
    };
    EXPECT_LE(grown(VelocityTorque::natural), tolerance::kStoredEnergy);
    // The test sees a law that is not passive.
    EXPECT_GT(grown(VelocityTorque::cancelled), 100.0 * tolerance::kStoredEnergy);
  }
}

TEST(ImpedanceProperty, TheToolStoresNoMoreThanIsPutIn) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    // What moves the joints and not the tool is damped only: a spring there would be a third store.
    ToolDynamics tool(arm.model, arm.tool);
    const CartesianTarget target{.X_WT = tool.at(arm.home, VectorX::Zero(arm.model.nv())).X_WT};
    const auto grown = [&](VelocityTorque law, const Matrix6* K) {
      CartesianImpedance control(arm.model, {.stiffness = 300.0,
                                             .rotational_stiffness = 10.0,
                                             .damping_ratio = kRatio,
                                             .velocity_torque = law,
                                             .posture_stiffness = 0.1});
      if (K != nullptr) {
        EXPECT_EQ(control.set_stiffness(*K), Status::ok);
      }
      return grown_beyond_work(
          arm, control, target, [](const CartesianTorque& given, const ToolState&) { return given.spring_energy; },
          1432);
    };
    EXPECT_LE(grown(VelocityTorque::natural, nullptr), tolerance::kStoredEnergy);
    EXPECT_GT(grown(VelocityTorque::cancelled, nullptr), 100.0 * tolerance::kStoredEnergy);
    // Also where stiffness differs from axis to axis, and is coupled.
    Matrix6 K = Matrix6::Zero();
    K.diagonal() << 300.0, 100.0, 500.0, 12.0, 4.0, 8.0;
    K(0, 4) = K(4, 0) = 10.0;
    EXPECT_LE(grown(VelocityTorque::natural, &K), tolerance::kStoredEnergy);
  }
}

}  // namespace
}  // namespace antaeus
