// Force control against the table, shortened: the whole sweep is `make soak`.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "antaeus/core/error.hpp"
#include "studies/force_run.hpp"
#include "support/soak.hpp"

namespace antaeus {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

Settings quick(std::initializer_list<const char*> assignments) {
  Settings settings;
  settings.set("experiment.comparisons=false");
  for (const char* const one : assignments) settings.set(one);
  return settings;
}

ForceRun run(const ForceSetup& setup, bool has_line, const RunHooks& hooks = {}) {
  ArmRig rig = make_rig(setup.scene, setup.plant, setup.seed);
  return run_force_task(rig, setup, has_line, nullptr, hooks);
}

/// Contacts, sensors and tables that nobody chose.
ForceSetup drawn(int i) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(4700 + i));
  const auto between = [&engine](double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
  };
  ForceSetup setup;
  setup.seed = i + 1;
  setup.scene.friction = between(0.2, 1.0);
  setup.scene.solref = std::array{0.004, 0.01, 0.02}[static_cast<std::size_t>(i % 3)];
  setup.scene.table_height = between(-0.02, 0.02);
  setup.plant.noise = 0.05;
  setup.plant.delay = 0.001 * static_cast<double>(engine() % 3);
  setup.plant.payload_error = between(-0.05, 0.05);
  setup.plant.gripper = i % 2 == 0 ? ToolJoints::rigid : ToolJoints::real;
  setup.trace.direction = std::to_string(between(0.0, 2.0 * std::numbers::pi));
  return setup;
}

TEST(HybridHold, KeepsForceAndPlace) {
  const ExperimentResult result = run_experiment("hybrid-hold", quick({}));
  for (const Metric& metric : result.metrics) EXPECT_TRUE(metric.is_met()) << metric.name << " " << metric.value;
  EXPECT_EQ(result.phases.size(), 3u);
}

TEST(HybridTrace, ComparisonsAreTheSameByAnyNumberOfThreads) {
  const auto compared = [](const char* threads) {
    Settings settings;
    // Six tilts and a run without the circle, shortened.
    for (const char* const one : {"trace.duration=0.5", "trace.length=0.005", "control.hold_time=0.3", threads})
      settings.set(one);
    return run_experiment("tilted-table", settings);
  };
  const ExperimentResult one = compared("replay.threads=1"), three = compared("replay.threads=3");
  ASSERT_EQ(one.comparisons.size(), 1u);
  ASSERT_EQ(one.comparisons[0].variants.size(), 8u);
  EXPECT_TRUE(one.remarks == three.remarks && one.remarks.empty());
  for (std::size_t k = 0; k < one.comparisons[0].variants.size(); ++k) {
    const auto &a = one.comparisons[0].variants[k], &b = three.comparisons[0].variants[k];
    EXPECT_EQ(a.name, b.name);
    ASSERT_EQ(a.values.size(), b.values.size());
    for (std::size_t c = 0; c < a.values.size(); ++c) {
      EXPECT_TRUE(a.values[c] == b.values[c] || (std::isnan(a.values[c]) && std::isnan(b.values[c])))
          << a.name << " " << c;
    }
  }
}

TEST(HybridHold, TheSourcesLawGivesTheSourcesForce) {
  // It reports 4.89 N and 99.96 %, and 3.60 mm off, which no contact gave. One second less or more of a hold that
  // begins at 5/6 of 5 N moves the mean by 0.02.
  for (const char* const law : {"control.law=source_3dof", "control.law=source"}) {
    const ExperimentResult result = run_experiment("hybrid-hold", quick({law}));
    EXPECT_NEAR(result.metric("force_mean").value, 4.89, 0.05) << law;
    EXPECT_EQ(result.metric("force_mean").source, 4.89);
    EXPECT_GE(result.metric("force_within_1N").value, 0.999) << law;
    EXPECT_EQ(result.metric("force_within_1N").source, 0.9996);
    EXPECT_LT(result.metric("tangent_error_max").value, 3.60e-3);
    EXPECT_FALSE(result.is_met());
  }
}

TEST(HybridTrace, TheSourcesLawIsOffAsFrictionAndItsDampingSay) {
  // It reports 94.07 % and 1.70 mm off on its 50 mm: μ F/K + K_d v/K = 0.75 + 0.94 mm.
  const ExperimentResult result = run_experiment("hybrid-trace", quick({"control.law=source"}));
  EXPECT_NEAR(result.metric("tangent_error_max").value, 1.70e-3, 0.1e-3);
  EXPECT_NEAR(result.metric("force_within_1N").value, 0.941, 0.005);
  EXPECT_EQ(result.metric("force_within_1N").source, 0.9407);
}

TEST(SourcesContact, IsSetWithItsLawAndByOptions) {
  const auto scene = [](const std::vector<std::string>& options) {
    Settings settings;
    for (const std::string& option : options) settings.set(option);
    return force_setup(settings, {}, 1).scene;
  };
  const SceneChoice labs = scene({"control.law=source"});
  EXPECT_EQ(labs.solref, 0.02);
  EXPECT_EQ(labs.friction, 0.3);
  EXPECT_EQ(labs.impedance(), (std::array{0.9, 0.95}));
  EXPECT_FALSE(labs.pair);
  EXPECT_EQ(scene({"control.law=source", "scene.solref=0.004"}).solref, 0.004);
  EXPECT_EQ(scene({"control.law=source", "scene.solimp=0.95,0.99"}).impedance(), (std::array{0.95, 0.99}));
  EXPECT_EQ(scene({}).impedance(), (std::array{0.9, 0.95}));
  EXPECT_EQ(scene({"scene.pair=false"}).impedance(), (std::array{0.95, 0.99}));
  for (const char* wrong : {"0.9", "0.9 0.8", "0.9 1", "0 0.5", "0.9 0.95 0.001", "stiff", "nan 0.9"}) {
    EXPECT_THROW(scene({std::string("scene.solimp=") + wrong}), OptionsError) << wrong;
  }
}

TEST(HybridTrace, TheForceBandIsTheContactModels) {
  const ForceSetup with = {};
  ForceSetup without = with;
  without.scene.pair = false;
  const ForceRun good = run(with, true), bad = run(without, true);
  EXPECT_EQ(good.figures(good.traced, good.held).within_1N, 1.0);
  EXPECT_LT(good.figures(good.traced, good.held).tangent_max, 2.5e-4);
  EXPECT_LT(bad.figures(bad.traced, bad.held).within_1N, 0.5);
  EXPECT_LT(bad.figures(bad.traced, bad.held).tangent_max, 2.5e-4);
}

TEST(HybridTrace, KeepsForceAndPlaceOnContactsThatNobodyChoseSoak) {
  for (int i = 0; i < test::in_soak(24, 4); ++i) {
    SCOPED_TRACE(i);
    const ForceRun r = run(drawn(i), true);
    ASSERT_TRUE(r.finished);
    const ForceFigures traced = r.figures(r.traced, r.held), held = r.figures(r.held, r.ended);
    EXPECT_EQ(traced.within_1N, 1.0);
    EXPECT_EQ(held.within_1N, 1.0);
    EXPECT_NEAR(traced.mean, 5.0, 0.02);
    EXPECT_LT(std::max(traced.tangent_max, held.tangent_max), 3.5e-4);
    EXPECT_LT(r.landing_peak, 9.0);
    EXPECT_EQ(r.saturated, 0);
  }
}

TEST(TiltedTable, FindsItsNormalAndKeepsForceAndPlaceSoak) {
  for (int i = 0; i < test::in_soak(18, 3); ++i) {
    SCOPED_TRACE(i);
    ForceSetup setup = drawn(100 + i);
    setup.scene.tilt = (5.0 + 15.0 * (i % 4) / 3.0) * kDegree;
    setup.scene.tilt_direction = 2.4 * i;
    setup.control.task.explores = true;
    const ForceRun r = run(setup, true);
    ASSERT_TRUE(r.finished);
    const ForceFigures f = r.figures(r.traced, r.ended);
    EXPECT_EQ(f.within_1N, 1.0);
    EXPECT_LT(f.tangent_max, 3.5e-4);
    EXPECT_LT(r.normal_error, 3.0 * kDegree);
  }
}

TEST(HybridHold, ATareTakesOffWhatAWrongPayloadWeighs) {
  ForceSetup setup;
  setup.plant.payload_error = 0.05;
  setup.control.hold_time = 1.0;
  const ForceRun tared = run(setup, false);
  setup.control.tare = false;
  const ForceRun untared = run(setup, false);
  // The integral is still coming: what a second at 10/s over 1.3 leaves, of the first blow.
  EXPECT_NEAR(tared.figures(tared.held, tared.ended).mean, 5.0, 5e-3);
  // 5 % of the gripper's 10.3 N.
  EXPECT_NEAR(std::abs(untared.figures(untared.held, untared.ended).mean - 5.0), 0.516, 0.01);
}

TEST(HybridHold, TheEstimateServesWhereNoJointSticks) {
  ForceSetup setup = force_setup(quick({"control.wrench=estimate", "control.hold_time=1"}), {}, 1);
  const ForceRun r = run(setup, false);
  ASSERT_TRUE(r.finished);
  EXPECT_NEAR(r.figures(r.held, r.ended).mean, 5.0, 0.05);
}

/// The reason for which a run backed off; the task must have come to rest in the air.
TaskReason given_up(const ForceRun& r) {
  EXPECT_FALSE(r.finished);
  EXPECT_EQ(r.events.back().phase, TaskPhase::stopped);
  EXPECT_EQ(r.log.column("force").back(), 0.0);
  for (const TaskEvent& event : r.events) {
    if (event.phase == TaskPhase::retreat) return event.reason;
  }
  return TaskReason::begun;
}

TEST(ForceTask, ASensorThatFallsSilentMakesItBackOff) {
  const RunHooks silent{.sense =
                            [](double time, Wrench& measured) {
                              if (time > 22.0) measured.force.setConstant(kNaN);
                            },
                        .change = {}};
  EXPECT_EQ(given_up(run({}, true, silent)), TaskReason::force_missing);
}

TEST(ForceTask, AMissingTableIsToldAfterItsReach) {
  const ForceSetup setup;
  ArmRig rig = make_rig(setup.scene, setup.plant, 1, false);
  EXPECT_EQ(given_up(run_force_task(rig, setup, false)), TaskReason::no_surface);
}

TEST(ForceTask, AMotorAtItsLimitMakesItBackOff) {
  ForceSetup setup;
  setup.control.task.force = 450.0;  // beyond the shoulder's 150 N·m
  setup.control.task.most_force = 1e4;
  setup.control.hybrid.force.integral_limit = 1e3;
  const ForceRun r = run(setup, false);
  EXPECT_EQ(given_up(r), TaskReason::saturated);
  EXPECT_GT(r.saturated, 0);
}

TEST(ForceTask, ASingularPoseIsLeftBeforeItTouches) {
  const ForceSetup setup;
  ArmRig rig = make_rig(setup.scene, setup.plant, 1);
  rig.home[2] = 0.0;  // the elbow is stretched
  rig.start.head(6) = rig.home;
  const ForceRun r = run_force_task(rig, setup, false);
  EXPECT_EQ(given_up(r), TaskReason::near_singular);
  EXPECT_TRUE(std::isnan(r.touched));
}

TEST(ForceTask, ALineOutOfReachIsRefusedBeforeItBegins) {
  ForceSetup setup;
  setup.trace.length = 0.9;
  try {
    run(setup, true);
    FAIL() << "it began";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("mm along the line"), std::string::npos) << error.what();
  }
  EXPECT_THROW(force_setup(quick({"trace.direction=up"}), {}, 1), OptionsError);
}

TEST(ForceTask, TheSameSeedGivesTheSameNumbers) {
  ForceSetup setup;
  setup.plant.noise = 0.1;
  setup.control.hold_time = 0.2;
  const ForceRun once = run(setup, false), again = run(setup, false);
  EXPECT_EQ(once.log.column("force"), again.log.column("force"));
  setup.seed = 2;
  EXPECT_NE(run(setup, false).log.column("force"), once.log.column("force"));
}

}  // namespace
}  // namespace antaeus
