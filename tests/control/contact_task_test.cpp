#include "antaeus/control/contact_task.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>
#include <vector>

#include "antaeus/core/error.hpp"
#include "control/control_step.hpp"
#include "control/tolerances.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

/// A tool that is always where it is wanted, above or on a plane; on it, the plane exerts 5 N.
struct Puppet {
  explicit Puppet(const ContactTaskOptions& options) : task(options) {
    state.status = Status::ok;
    state.X_WT.translation = Vector3(0.0, 0.0, 0.01);
    state.twist.setZero();
    EXPECT_EQ(task.begin(state), Status::ok);
  }
  /// Runs until the phase begins. \return whether it did within the time [s]
  bool run_until(TaskPhase phase, double seconds = 30.0) {
    for (double t = 0.0; t < seconds; t += kControlStep) {
      step();
      if (task.order().phase == phase) return true;
    }
    return false;
  }
  void step() {
    const double depth = normal.dot(state.X_WT.translation);
    input.measured.force = depth <= 0.0 && lifts == 0 ? Vector3(force * normal) : Vector3::Zero();
    if (lifts > 0) --lifts;
    if (disturb) disturb(*this);
    input.dt = kControlStep;
    const TaskOrder& order = task.update(state, input);
    const Vector3 before = state.X_WT.translation;
    state.X_WT = order.target.X_WT;
    // In contact the plane holds it up.
    if (order.target.force_axes[2]) {
      state.X_WT.translation -= normal * (normal.dot(state.X_WT.translation) + 1e-6);
    }
    if (blocked) state.X_WT.translation = before;
    state.twist.head<3>() = (state.X_WT.translation - before) / kControlStep;
    restarts += order.restarts;
  }
  std::vector<TaskReason> reasons() const {
    std::vector<TaskReason> all;
    for (int i = 0; i < task.events().size(); ++i) all.push_back(task.events()[i].reason);
    return all;
  }

  ContactTask task;
  ToolState state;
  TaskInput input;
  Vector3 normal = Vector3::UnitZ();
  double force = 5.0;
  int lifts = 0, restarts = 0;
  bool blocked = false;
  std::function<void(Puppet&)> disturb;
};

ContactTaskOptions line(double length = 0.02) {
  ContactTaskOptions options;
  options.settle_time = 0.3;
  options.line = {.length = length, .duration = 1.0};
  options.direction = Vector3::UnitY();
  return options;
}

TEST(ContactTask, GoesThroughItsPhasesEachForItsReason) {
  Puppet puppet(line());
  ASSERT_TRUE(puppet.run_until(TaskPhase::hold));
  using R = TaskReason;
  EXPECT_EQ(puppet.reasons(), (std::vector{R::begun, R::touched, R::settled, R::traced}));
  EXPECT_NEAR(puppet.task.order().target.X_WT.translation.y(), 0.02, tolerance::kTaskPlace);
  EXPECT_EQ(puppet.restarts, 2);  // at the beginning, and at the touch
  EXPECT_FALSE(puppet.task.order().target.integrates_motion);
  // It came down at its speed: 10 mm at 2 mm/s, after the time in which a sensor is tared.
  EXPECT_NEAR(puppet.task.events()[1].time, 0.3 + 5.0, 0.01);
}

TEST(ContactTask, WithoutALineItHolds) {
  Puppet puppet(line(0.0));
  ASSERT_TRUE(puppet.run_until(TaskPhase::hold));
  EXPECT_EQ(puppet.task.events().size(), 3);
}

TEST(ContactTask, TheCircleFindsATiltedPlaneAndTheToolTurnsToIt) {
  for (const double degrees : {2.0, 12.0, 25.0}) {
    ContactTaskOptions options = line();
    options.explores = true;
    Puppet puppet(options);
    const Eigen::AngleAxisd tilt(degrees * M_PI / 180.0, Vector3(0.6, 0.8, 0.0));
    puppet.normal = tilt * Vector3::UnitZ();
    ASSERT_TRUE(puppet.run_until(TaskPhase::hold)) << degrees;
    EXPECT_LT((puppet.task.normal() - puppet.normal).norm(), tolerance::kFoundNormal);
    EXPECT_LT((puppet.state.X_WT.rotation.col(2) - puppet.normal).norm(), tolerance::kFoundNormal);
    // The line lies in the plane.
    EXPECT_NEAR(puppet.task.order().target.R_WC.col(0).dot(puppet.normal), 0.0, tolerance::kFoundNormal);
  }
}

TEST(ContactTask, ACircleThatTellsNoPlaneIsGivenUp) {
  ContactTaskOptions options = line();
  options.explores = true;
  Puppet puppet(options);
  int i = 0;
  puppet.disturb = [&i](Puppet& p) {
    if (p.task.order().phase == TaskPhase::explore) p.state.X_WT.translation.z() += (i++ % 7) * 1e-3;
  };
  ASSERT_TRUE(puppet.run_until(TaskPhase::stopped));
  EXPECT_EQ(puppet.reasons()[3], TaskReason::unclear_surface);
}

TEST(ContactTask, ALostContactIsLookedForAgainAndTheLineGoesOn) {
  Puppet puppet(line());
  ASSERT_TRUE(puppet.run_until(TaskPhase::trace));
  for (int i = 0; i < 500; ++i) puppet.step();
  puppet.lifts = 60;
  ASSERT_TRUE(puppet.run_until(TaskPhase::approach, 1.0));
  ASSERT_TRUE(puppet.run_until(TaskPhase::trace));
  EXPECT_GT(puppet.task.phase_time(), 0.5);
  ASSERT_TRUE(puppet.run_until(TaskPhase::hold));
  using R = TaskReason;
  EXPECT_EQ(puppet.reasons(), (std::vector{R::begun, R::touched, R::settled, R::contact_lost, R::touched, R::traced}));
  EXPECT_NEAR(puppet.task.order().target.X_WT.translation.y(), 0.02, tolerance::kTaskPlace);
}

/// Everything that makes it back off: while it traces, unless said otherwise.
struct Trouble {
  const char* name;
  TaskReason reason;
  std::function<void(Puppet&)> disturb;
  TaskPhase during = TaskPhase::trace;
};

TEST(ContactTask, BacksOffAlongTheNormalAndSaysWhy) {
  const std::vector<Trouble> troubles = {
      {"no force", TaskReason::force_missing, [](Puppet& p) { p.input.measured.force.setConstant(kNaN); }},
      {"no force in the air", TaskReason::force_missing, [](Puppet& p) { p.input.measured.force.setConstant(kNaN); },
       TaskPhase::approach},
      {"too much", TaskReason::too_much_force, [](Puppet& p) { p.input.measured.force.z() = 61.0; }},
      {"a motor at its limit", TaskReason::saturated, [](Puppet& p) { p.input.is_saturated = true; }},
      {"a singular pose", TaskReason::near_singular, [](Puppet& p) { p.state.is_near_singular = true; }},
      {"a doubtful force before touching", TaskReason::force_uncertain, [](Puppet& p) { p.input.force_sd = 2.1; },
       TaskPhase::approach},
      {"a force that is surely wrong", TaskReason::force_uncertain,
       [](Puppet& p) {
         p.input.force_sd = 0.5;
         p.input.measured.force.z() = 7.5;
       }},
      {"asked", TaskReason::asked, [](Puppet& p) { p.task.retreat(); }},
  };
  for (const Trouble& trouble : troubles) {
    SCOPED_TRACE(trouble.name);
    Puppet puppet(line(0.05));
    if (trouble.during != TaskPhase::approach) {
      ASSERT_TRUE(puppet.run_until(trouble.during));
      for (int i = 0; i < 300; ++i) puppet.step();
    }
    const double before = puppet.state.X_WT.translation.z();
    puppet.disturb = trouble.disturb;
    ASSERT_TRUE(puppet.run_until(TaskPhase::retreat, 1.0));
    EXPECT_EQ(puppet.reasons().back(), trouble.reason);
    EXPECT_FALSE(puppet.task.order().target.force_axes[2]);
    ASSERT_TRUE(puppet.run_until(TaskPhase::stopped, 3.0));
    EXPECT_NEAR(puppet.state.X_WT.translation.z() - before, 0.03, tolerance::kRetreatWay);
    EXPECT_FALSE(in_words(trouble.reason).empty());
  }
}

TEST(ContactTask, AForceThatIsOffByLittleOrHardlyKnownIsBorne) {
  const auto stays = [](double force, double sd) {
    Puppet puppet(line(0.05));
    EXPECT_TRUE(puppet.run_until(TaskPhase::trace));
    puppet.disturb = [=](Puppet& p) {
      p.input.measured.force.z() = force;
      p.input.force_sd = sd;
    };
    for (int i = 0; i < 600; ++i) puppet.step();
    return puppet.task.order().phase == TaskPhase::trace;
  };
  EXPECT_TRUE(stays(6.9, 0.1));   // many sds, and not much
  EXPECT_TRUE(stays(8.0, 1.6));   // much, and within two sd
  EXPECT_TRUE(stays(0.1, 3.0));   // perhaps no contact
  EXPECT_FALSE(stays(0.1, 0.1));  // none
}

TEST(ContactTask, NoiseOfTheVelocityHidesNoStall) {
  ContactTaskOptions options = line();
  options.stall_is_contact = true;
  Puppet puppet(options);
  for (int i = 0; i < 1000; ++i) puppet.step();
  puppet.blocked = true;
  int cycle = 0;
  puppet.disturb = [&](Puppet& p) { p.state.twist.z() = ++cycle % 2 ? 1.5e-3 : -1.5e-3; };
  ASSERT_TRUE(puppet.run_until(TaskPhase::settle, 1.0));
  EXPECT_EQ(puppet.reasons().back(), TaskReason::stalled);
}

TEST(ContactTask, AShortTroubleIsNone) {
  Puppet puppet(line());
  ASSERT_TRUE(puppet.run_until(TaskPhase::trace));
  int i = 0;
  puppet.disturb = [&i](Puppet& p) {
    if (i++ % 100 < 8) p.input.measured.force.setConstant(kNaN);
    p.input.is_saturated = i % 100 < 50;
  };
  EXPECT_TRUE(puppet.run_until(TaskPhase::hold));
}

TEST(ContactTask, WithoutASurfaceItGivesUp) {
  ContactTaskOptions options = line();
  options.reach = 0.008;
  Puppet puppet(options);
  ASSERT_TRUE(puppet.run_until(TaskPhase::stopped));
  EXPECT_EQ(puppet.reasons()[1], TaskReason::no_surface);
}

TEST(ContactTask, AToolThatStopsHasTouchedOnlyWhereThatWasSaid) {
  for (const bool counts : {true, false}) {
    ContactTaskOptions options = line();
    options.stall_is_contact = counts;
    Puppet puppet(options);
    puppet.force = 0.0;
    for (int i = 0; i < 2000; ++i) puppet.step();
    puppet.blocked = true;
    EXPECT_EQ(puppet.run_until(TaskPhase::settle, 2.0), counts);
    if (counts) {
      EXPECT_EQ(puppet.reasons().back(), TaskReason::stalled);
    } else {
      // The wanted place waits for it: half a millimetre ahead, no more.
      EXPECT_LT((puppet.state.X_WT.translation - puppet.task.order().target.X_WT.translation).norm(), 6e-4);
    }
  }
}

TEST(ContactTask, BadInputChangesNothing) {
  Puppet puppet(line());
  puppet.step();
  const Vector3 before = puppet.task.order().target.X_WT.translation;
  puppet.task.update(puppet.state, {.dt = kNaN});
  puppet.task.update(puppet.state, {.dt = -1.0});
  puppet.task.update(ToolState{}, {.dt = kControlStep});
  EXPECT_EQ(puppet.task.order().target.X_WT.translation, before);
  EXPECT_EQ(puppet.task.order().phase, TaskPhase::approach);
  ContactTask unbegun;
  EXPECT_EQ(unbegun.begin(ToolState{}), Status::not_computed);
  EXPECT_EQ(unbegun.update(puppet.state, {.dt = kControlStep}).phase, TaskPhase::idle);
}

TEST(ContactTask, RefusesWhatCannotBeDone) {
  ContactTaskOptions options = line();
  options.normal = Vector3(0.0, 0.0, 2.0);
  EXPECT_THROW(ContactTask{options}, OptionsError);
  options = line();
  options.direction = Vector3::UnitZ();
  EXPECT_THROW(ContactTask{options}, OptionsError);
  options = line();
  options.landing_speed = 0.0;
  EXPECT_THROW(ContactTask{options}, OptionsError);
  options = line();
  options.line.length = kNaN;
  EXPECT_THROW(ContactTask{options}, OptionsError);
  options = line();
  options.line.ramp = kNaN;
  EXPECT_THROW(ContactTask{options}, OptionsError);
  EXPECT_THROW(HybridController(0), OptionsError);
}

}  // namespace
}  // namespace antaeus
