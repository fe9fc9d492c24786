#include <gtest/gtest.h>

#include "antaeus/control/admittance.hpp"
#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/control/gravity_compensation.hpp"
#include "antaeus/control/joint_impedance.hpp"
#include "support/allocation_counter.hpp"
#include "support/controlled_arms.hpp"

namespace antaeus {
namespace {

/// Every loop function of the controllers, on good input and on bad.
void expect_no_allocation(const test::ControlledArm& arm) {
  test::RandomStates random(1451);
  SCOPED_TRACE(arm.name + ", " + random.text());
  const int n = arm.model.nv();
  ToolDynamics tool(arm.model, arm.tool);
  GravityCompensationOptions holding;
  holding.hold_integral = holding.hold_stiffness = 10.0;
  GravityCompensation gravity(arm.model, holding);
  JointImpedance joints(arm.model);
  CartesianImpedance cartesian(arm.model), skew(arm.model, {.damping_law = DampingLaw::given,
                                                            .rotation_law = RotationLaw::skew,
                                                            .velocity_torque = VelocityTorque::cancelled});
  TorqueLimits limits(arm.model, {.torque_rate = 1000.0});
  Admittance admittance;
  for (int i = 0; i < 50; ++i) {
    VectorX q = arm.home + random.vector(n, 0.2);
    VectorX v = random.vector(n);
    if (i % 5 == 3) q[0] = kNaN;
    if (i % 5 == 4) v.conservativeResize(n - 1);
    HoldTarget hold{.q = arm.home};
    hold.wrench.force.x() = i % 7 == 0 ? kNaN : 1.0;
    const JointTarget joint_target{.q = arm.home, .v = v};
    CartesianTarget target{.X_WT = tool.at(arm.home, VectorX::Zero(n)).X_WT, .posture = arm.home};
    target.acceleration[1] = 0.5;
    const Matrix6 K = 100.0 * Matrix6::Identity();
    const VectorX diagonal = VectorX::Constant(n, 30.0);
    test::AllocationCounter counter;
    const ToolState& now = tool.at(q, v);
    gravity.update(q, v);
    gravity.update(q, v, hold);
    joints.set_stiffness(diagonal);
    joints.update(now, joint_target);
    cartesian.set_stiffness(K);
    cartesian.update(now, target);
    skew.set_damping(K);
    skew.update(now, target);
    limits.apply(v);
    limits.reset(v);
    admittance.update(hold.wrench, {.X_WT = target.X_WT});
    if (i == 30) {
      gravity.reset();
      joints.reset();
      cartesian.reset();
      admittance.reset();
    }
    ASSERT_EQ(counter.count(), 0) << "state " << i;
  }
}

TEST(ImpedanceRealtime, NoAllocationOnThePanda) { expect_no_allocation(test::controlled_panda()); }
TEST(ImpedanceRealtime, NoAllocationOnTheUr5e) { expect_no_allocation(test::controlled_ur5e()); }

}  // namespace
}  // namespace antaeus
