#include <gtest/gtest.h>

#include "antaeus/control/contact_task.hpp"
#include "antaeus/control/hybrid_law.hpp"
#include "antaeus/control/wrench_tare.hpp"
#include "control/control_arms.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

TEST(HybridControlRealtime, ACycleFromPositionsToTorquesAllocatesNothing) {
  for (const char* const name : {"ur5e", "panda"}) {
    const test::BareArm arm = test::bare_arm(name);
    const int n = arm.model.nv();
    ToolDynamics tool(arm.model, arm.tool);
    ContactTaskOptions options;
    options.settle_time = 0.05, options.explores = true, options.explore_time = 0.1, options.align_time = 0.05;
    options.wait_time = 0.01;
    options.line = {.length = 0.01, .duration = 0.1};
    ContactTask task(options);
    ForceLoopOptions loop;
    loop.filter = ForceFilter::butterworth;
    HybridController control(n, {.motion_integral = 10.0, .force = loop});
    HybridLaw law = HybridLaw::published(n);
    WrenchTare tare;
    VectorX q = arm.q, v = VectorX::Constant(n, 0.01);
    const VectorX bad = VectorX::Constant(n, kNaN);
    int phases = 0;
    TaskPhase last = TaskPhase::idle;
    test::AllocationCounter counter;
    control.set_posture(q);
    task.begin(tool.at(q, v));
    for (int i = 0; i < 1000; ++i) {
      q[0] += 1e-6;
      const ToolState& state = tool.at(i % 100 == 99 ? bad : q, v);
      Wrench felt{Vector3(0.1, 0.2, i > 100 && i < 800 ? 5.0 : 0.0), Vector3::Constant(0.01)};
      if (i > 900) felt.force.setConstant(kNaN);
      if (task.waits()) tare.add(felt);
      const TaskOrder& order = task.update(state, {tare.tared(felt), 0.0, false, 1e-3});
      if (order.restarts) control.restart();
      control.update(state, order.target, felt, 1e-3);
      if (order.restarts) law.restart();
      law.update(state, order.target, felt, 1e-3);
      phases += order.phase != last;
      last = order.phase;
    }
    EXPECT_EQ(counter.count(), 0) << name;
    EXPECT_GE(phases, 5) << name;
  }
}

}  // namespace
}  // namespace antaeus
