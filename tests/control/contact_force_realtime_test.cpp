#include <gtest/gtest.h>

#include "antaeus/control/friction_tare.hpp"
#include "antaeus/control/sensorless.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/arms.hpp"

namespace antaeus {
namespace {

/// Every function of contact_force, friction_tare and sensorless that is marked \realtime, on good input and on bad.
void expect_no_allocation(const test::Arm& arm) {
  ToolDynamics dynamics(RobotModel(arm.description, test::fixed_base()), arm.frame);
  const int n = dynamics.size();
  ContactForceEstimator estimator(n, 1e-3);
  FrictionTare tare(JointFriction::told(VectorX::Constant(n, 0.5), 0.2, 1.0), 1e-3);
  FrictionForward forward(n, 1e-3);
  const JointFriction other = JointFriction::told(VectorX::Constant(n, 0.7), 0.1, 0.5);
  test::RandomStates random(5304);
  SCOPED_TRACE(arm.name + ", " + random.text());
  for (int i = 0; i < 300; ++i) {
    const VectorX q = random.vector(n);
    VectorX v = random.vector(n, 0.1), tau = random.vector(n, 10.0);
    if (i % 7 == 3) v[0] = kNaN;
    if (i % 7 == 5) tau.conservativeResize(n - 1);
    const ToolState& now = dynamics.at(q, v);
    const test::AllocationCounter counter;
    estimator.update(now, tau, {.press = 5.0, .window = i % 2 ? 0.5 : 0.0});
    estimator.sd_at_rest(now, {.press = 5.0});
    tare.add(estimator.residual(), estimator.direction());
    forward.update(tare.motion(1e-3 * i).v, tare.friction().coulomb);
    rock_axis(now, Vector3::UnitZ());
    rock(1e-3 * i, RockOptions{});
    trusted_gain(estimator.felt().sd);
    if (i % 50 == 10) estimator.set_friction(i % 100 == 10 ? other : tare.friction());
    if (i % 50 == 20) estimator.reset();
    if (i % 50 == 30) tare.reset();
    EXPECT_EQ(counter.count(), 0) << i;
  }
}

TEST(ContactForceRealtime, NoAllocationWithSixJoints) { expect_no_allocation(test::ur5e_arm()); }
TEST(ContactForceRealtime, NoAllocationWithSevenJoints) { expect_no_allocation(test::g1_arm()); }

}  // namespace
}  // namespace antaeus
