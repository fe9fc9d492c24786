// The experiments on force control without a force sensor, shortened: the table stands 10 mm below the tool.
#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "studies/experiment.hpp"
#include "studies/tolerances.hpp"

namespace antaeus {
namespace {

ExperimentResult run(const std::string& name, int seed, const std::vector<std::string>& settings) {
  Settings all;
  for (const char* const setting :
       {"experiment.comparisons=false", "sensorless.start_height=0.003", "scene.table_height=0.018",
        "sensorless.hold_time=3", "trace.length=0.015", "trace.duration=3"}) {
    all.set(setting);
  }
  for (const std::string& setting : settings) all.set(setting);
  return run_experiment(name, all, seed);
}

void expect_met(const ExperimentResult& result) {
  for (const Metric& metric : result.metrics) {
    EXPECT_TRUE(metric.is_met()) << metric.name << " is " << metric.value << ", not in [" << metric.lower << ", "
                                 << metric.upper << "]";
  }
}

TEST(SensorlessRuns, RockingHoldsTheForceThatAStillHoldCannotKnow) {
  const ExperimentResult rocking = run("sensorless-hold", 3, {});
  expect_met(rocking);
  EXPECT_NEAR(rocking.metric("force_mean").value, 5.0, tolerance::kRockedForce);
  EXPECT_GE(rocking.metric("force_within_1N").value, 0.95);
  EXPECT_GE(rocking.metric("interval_coverage").value, 0.9);
  // The interval is not merely wide enough: it is no more than some three times as wide as it need be.
  EXPECT_GE(rocking.metric("error_over_sd").value, 0.3);
  EXPECT_LE(rocking.metric("error_over_sd").value, 1.3);

  const ExperimentResult still = run("sensorless-hold", 3, {"sensorless.dither=none"});
  expect_met(still);
  EXPECT_GE(still.metric("interval_coverage").value, 0.9);
  EXPECT_GT(still.metric("interval_half_width").value, 2.0);
  EXPECT_LT(rocking.metric("interval_half_width").value, 0.5 * still.metric("interval_half_width").value);
}

TEST(SensorlessRuns, ATraceKeepsItsForce) {
  for (const char* const direction : {"x", "y"}) {
    const ExperimentResult result = run("sensorless-trace", 4, {std::string("trace.direction=") + direction});
    expect_met(result);
    EXPECT_LE(result.metric("tangent_error_max").value, 3e-4);
    EXPECT_LE(result.metric("landing_peak").value, 9.0);
  }
}

TEST(SensorlessRuns, ToldFrictionAloneIsWorseAndSaysSo) {
  const ExperimentResult told = run("sensorless-trace", 3, {"sensorless.tare=false"});
  const ExperimentResult tared = run("sensorless-trace", 3, {});
  EXPECT_GT(told.metric("interval_half_width").value, 1.2 * tared.metric("interval_half_width").value);
  EXPECT_GE(told.metric("interval_coverage").value, 0.9);
}

TEST(SensorlessRuns, JointTorqueSensorsHoldStill) {
  const ExperimentResult result =
      run("sensorless-hold", 3, {"sensorless.joint_sensors=true", "sensorless.dither=none"});
  expect_met(result);
  EXPECT_NEAR(result.metric("force_mean").value, 5.0, tolerance::kJointSensedForce);
}

TEST(SensorlessRuns, ASingularPoseIsRefusedBeforeTouching) {
  const ExperimentResult result = run("sensorless-hold", 3, {"sensorless.stretched=0.25"});
  EXPECT_FALSE(result.is_met());
  EXPECT_EQ(result.metric("touched").value, 0.0);
  EXPECT_GT(result.metric("sd_at_rest").value, 2.0);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_NE(result.findings[0].find("refused to touch"), std::string::npos) << result.findings[0];
  for (const double force : result.samples.numbers("force_true")) EXPECT_EQ(force, 0.0);
}

TEST(SensorlessRuns, AnUnknownTableHeightIsLandedOn) {
  for (const double height : {0.012, -0.004}) {
    const ExperimentResult result =
        run("sensorless-hold", 5,
            {"scene.table_height=" + std::to_string(height), "sensorless.hold_time=1", "sensorless.start_height=0"});
    EXPECT_EQ(result.metric("touched").value, 1.0) << height;
    EXPECT_LE(result.metric("landing_peak").value, 9.0) << height;
  }
}

TEST(SensorlessRuns, TheSameSeedGivesTheSameNumbersAndPlotsNameColumns) {
  const ExperimentResult one = run("sensorless-hold", 7, {"sensorless.hold_time=0.5"});
  const ExperimentResult two = run("sensorless-hold", 7, {"sensorless.hold_time=0.5"});
  for (std::size_t i = 0; i < one.metrics.size(); ++i) {
    EXPECT_EQ(one.metrics[i].value, two.metrics[i].value) << one.metrics[i].name;
  }
  const auto expect_column = [&](const std::string& name) { EXPECT_NO_THROW(one.samples.column(name)) << name; };
  for (const SamplePlot& plot : one.plots) {
    for (const SamplePlot::Line& line : plot.lines) {
      expect_column(line.column);
      if (!line.sd_column.empty()) expect_column(line.sd_column);
    }
  }
  for (const auto& names : {one.replay.columns, one.replay.force, one.replay.place, one.replay.wanted}) {
    for (const std::string& name : names) expect_column(name);
  }
  EXPECT_FALSE(one.physics.empty());
  EXPECT_FALSE(one.figures.empty());
  EXPECT_GE(one.phases.size(), 4U);
}

}  // namespace
}  // namespace antaeus
