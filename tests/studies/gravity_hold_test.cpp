#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "studies/experiment.hpp"

namespace antaeus {
namespace {

Settings settings(const std::vector<std::string>& assignments) {
  Settings result;
  for (const std::string& one : assignments) result.set(one);
  return result;
}

TEST(GravityHold, HoldsOnTheSamePlantAndDriftsOnAnother) {
  const ExperimentResult result = run_experiment("gravity-hold", settings({"gravity.duration=1"}));
  EXPECT_EQ(result.name, "gravity-hold");
  EXPECT_TRUE(result.is_met());
  EXPECT_LE(result.metric("error_max").value, 1e-10);
  EXPECT_EQ(result.metric("error_max").source, 8.91e-6);
  EXPECT_LT(result.metric("error_max").source, 0.01);  // the lab's criterion
  EXPECT_EQ(result.metric("error_max").upper, 1e-10);
  EXPECT_EQ(result.samples.rows(), 200u);
  EXPECT_EQ(result.samples.numbers("time").front(), 0.001);
  ASSERT_EQ(result.comparisons.size(), 1u);
  const std::vector<Variant>& variants = result.comparisons[0].variants;
  ASSERT_EQ(variants.size(), 7u);
  EXPECT_LE(variants[2].values[0], 1e-10);                        // rigid, damping 1
  EXPECT_LE(variants[3].values[0], 1e-5);                         // real, no damping
  EXPECT_LE(variants[4].values[0], 1e-6);                         // real, damping 1
  EXPECT_GT(variants[5].values[0], 3.0 * variants[4].values[0]);  // held for open
  EXPECT_GT(variants[6].values[1], 1e-3);                         // no g(q): it sags
  EXPECT_EQ(result.figures.size(), 1u);
  EXPECT_FALSE(result.findings.empty());
  EXPECT_EQ(result.replay.columns.size(), 6u);
  for (const SamplePlot& plot : result.plots) {
    for (const SamplePlot::Line& line : plot.lines) EXPECT_NO_THROW(result.samples.column(line.column));
  }
}

TEST(GravityHold, AWrongPayloadMissesTheCriterion) {
  const ExperimentResult result = run_experiment(
      "gravity-hold", settings({"gravity.duration=0.5", "gravity.compare=false", "plant.payload_error=0.05"}));
  EXPECT_FALSE(result.is_met());
  EXPECT_GT(result.metric("error_max").value, 1e-4);
  EXPECT_TRUE(result.comparisons.empty());
}

TEST(GravityHold, TheSameSettingsGiveTheSameNumbers) {
  const Settings short_run = settings({"gravity.duration=0.2", "gravity.compare=false", "plant.gripper=real"});
  const ExperimentResult first = run_experiment("gravity-hold", short_run),
                         again = run_experiment("gravity-hold", short_run);
  EXPECT_EQ(first.metric("error_max").value, again.metric("error_max").value);
  EXPECT_EQ(first.metric("error_max").upper, 1e-5);
  EXPECT_EQ(to_csv(first.samples), to_csv(again.samples));
  EXPECT_THROW(run_experiment("gravity-hlod"), OptionsError);
}

}  // namespace
}  // namespace antaeus
