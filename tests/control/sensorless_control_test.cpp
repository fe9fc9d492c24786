#include "antaeus/control/sensorless_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "control/control_step.hpp"
#include "control/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/arms.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

constexpr double kBelow = 0.01;                       // the table [m]: a tare moves the tool by up to 5 mm
constexpr double kStiffness = 2e4, kDamping = 200.0;  // of a table that is a spring [N/m], [N·s/m]

/// A UR5e without friction above a springy table; everything is integrated with Pinocchio's forward dynamics.
class SpringyTable {
 public:
  explicit SpringyTable(double height_below, const SensorlessOptions& options)
      : model_(test::ur5e_arm().description, test::fixed_base()),
        tool_(model_, "tool0"),
        dynamics_(model_),
        control_(VectorX::Zero(6), kControlStep, options) {
    constexpr double quarter = test::kQuarterTurn;
    q_ = (VectorX(6) << -quarter, -quarter, quarter, -quarter, -quarter, 0.0).finished();
    v_ = tau_ = a_ = pushed_ = VectorX::Zero(6);
    const ToolState& state = tool_.at(q_, v_);
    table_ = state.X_WT.translation.z() - height_below;
    tau_ = state.h;
    EXPECT_EQ(control_.begin(state), Status::ok);
  }

  /// \param told  changes the torques that the controller is told
  void run(double time, const std::function<void(VectorX&)>& told = nullptr) {
    for (double t = 0.0; t < time; t += kControlStep) {
      const ToolState& state = tool_.at(q_, v_);
      VectorX sensed = tau_;
      if (told) told(sensed);
      const test::AllocationCounter counter;
      const SensorlessCommand& command = control_.update(state, sensed);
      allocations += counter.count();
      status = command.status;
      tau_ = command.tau.allFinite() ? command.tau : state.h;
      const double depth = table_ - state.X_WT.translation.z();
      force = depth > 0.0 ? std::max(0.0, kStiffness * depth - kDamping * state.twist.z()) : 0.0;
      most = std::max(most, force);
      pushed_ = state.J.row(2).transpose() * force;
      ASSERT_EQ(dynamics_.forward_dynamics(q_, v_, VectorX(tau_ + pushed_), a_), Status::ok);
      v_ += kControlStep * a_;
      q_ += kControlStep * v_;
    }
  }

  const SensorlessControl& control() const { return control_; }
  std::vector<TaskReason> reasons() const {
    std::vector<TaskReason> all;
    for (int i = 0; i < control_.task().events().size(); ++i) all.push_back(control_.task().events()[i].reason);
    return all;
  }

  double force = 0.0, most = 0.0;
  std::int64_t allocations = 0;
  Status status = Status::ok;

 private:
  RobotModel model_;
  ToolDynamics tool_;
  Dynamics dynamics_;
  SensorlessControl control_;
  VectorX q_, v_, tau_, a_, pushed_;
  double table_ = 0.0;
};

SensorlessOptions short_options() {
  SensorlessOptions options;
  options.tare.tare_duration = 1.0;
  options.task.reach = 0.015;
  return options;
}

TEST(SensorlessControl, PressesWithTheForceThatIsWanted) {
  for (const Dither dither : {Dither::none, Dither::rock}) {
    SensorlessOptions options = short_options();
    options.dither = dither;
    SpringyTable arm(kBelow, options);
    arm.run(0.9);
    EXPECT_TRUE(arm.control().command().is_taring);
    arm.run(11.0);
    EXPECT_EQ(arm.status, Status::ok);
    EXPECT_TRUE(arm.control().task().presses());
    EXPECT_NEAR(arm.force, 5.0, tolerance::kPressedForce);  // integral action: what is left is the rocking's ripple
    EXPECT_NEAR(arm.control().command().felt.force, arm.force, tolerance::kPressedForce);
    EXPECT_LT(arm.most, 9.0);
    EXPECT_EQ(arm.allocations, 0);
  }
}

TEST(SensorlessControl, NothingInReachIsAWayBack) {
  SpringyTable arm(0.05, short_options());
  arm.run(12.0);
  const std::vector<TaskReason> reasons = arm.reasons();
  ASSERT_EQ(reasons.size(), 3U);
  EXPECT_EQ(reasons[1], TaskReason::no_surface);
  EXPECT_EQ(reasons[2], TaskReason::retreated);
  EXPECT_EQ(arm.most, 0.0);
  EXPECT_EQ(arm.allocations, 0);
}

TEST(SensorlessControl, FrictionThatWouldHideTheForceIsRefusedInTheAir) {
  SensorlessOptions options = short_options();
  options.tares = false;
  SpringyTable arm(kBelow, options);
  // Told four times the UR5e's: some 6 N would be hidden.
  SensorlessControl control(VectorX::Constant(6, 4.0), kControlStep, options);
  ToolDynamics tool(RobotModel(test::ur5e_arm().description, test::fixed_base()), "tool0");
  const ToolState& state = tool.at((VectorX(6) << -1.5, -1.5, 1.5, -1.5, -1.5, 0.0).finished(), VectorX::Zero(6));
  ASSERT_EQ(control.begin(state), Status::ok);
  control.update(state, state.h);
  EXPECT_GT(control.command().sd_at_rest, 2.0);
  EXPECT_EQ(control.task().order().phase, TaskPhase::retreat);
  EXPECT_EQ(control.task().events().newest()->reason, TaskReason::force_uncertain);
}

TEST(SensorlessControl, AForceThatLeavesTheWishIsLeft) {
  SpringyTable arm(kBelow, short_options());
  arm.run(9.0);
  ASSERT_TRUE(arm.control().task().presses());
  // From now on the torques tell 8 N·m less at the lift joint: as when friction locks a force that no push moves.
  arm.run(2.0, [](VectorX& tau) { tau[1] += 8.0; });
  EXPECT_EQ(arm.reasons()[2], TaskReason::settled);
  EXPECT_EQ(arm.reasons()[3], TaskReason::force_uncertain);
  EXPECT_EQ(arm.force, 0.0);
}

TEST(SensorlessControl, ACycleWithoutTorquesIsBridgedAndMoreIsAWayBack) {
  SpringyTable arm(kBelow, short_options());
  arm.run(9.0);
  ASSERT_TRUE(arm.control().task().presses());
  int cycle = 0;
  arm.run(0.1, [&](VectorX& tau) {
    if (++cycle == 50) tau[3] = kNaN;
  });
  EXPECT_EQ(arm.status, Status::ok);
  EXPECT_TRUE(arm.control().task().presses());
  arm.run(0.5, [](VectorX& tau) { tau.setConstant(kNaN); });
  EXPECT_EQ(arm.control().task().events().newest()->phase, TaskPhase::retreat);
  EXPECT_EQ(arm.control().task().events().newest()->reason, TaskReason::force_missing);
  EXPECT_EQ(arm.allocations, 0);
}

TEST(SensorlessControl, BadInputIsAStatus) {
  SensorlessControl control(VectorX::Constant(6, 1.0), kControlStep);
  const VectorX tau = VectorX::Zero(6);
  EXPECT_EQ(control.update(ToolState{}, tau).status, Status::not_computed);
  EXPECT_NE(control.begin(ToolState{}), Status::ok);
  ToolDynamics tool(RobotModel(test::ur5e_arm().description, test::fixed_base()), "tool0");
  const ToolState& state = tool.at(VectorX::Constant(6, 1.0), VectorX::Zero(6));
  ASSERT_EQ(control.begin(state), Status::ok);
  EXPECT_EQ(control.update(state, VectorX::Zero(5)).status, Status::wrong_size);
  EXPECT_TRUE(control.command().tau.hasNaN());
  EXPECT_EQ(control.update(state, tau).status, Status::ok);
  EXPECT_THROW(SensorlessControl(VectorX::Constant(6, -1.0), kControlStep), OptionsError);
  EXPECT_THROW(SensorlessControl(VectorX(), kControlStep), OptionsError);
}

}  // namespace
}  // namespace antaeus
