#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "studies/experiment.hpp"
#include "support/parse_json.hpp"

namespace antaeus {
namespace {

ExperimentResult short_run(int seed = 1) {
  Settings settings;
  settings.set("parity.states=15");
  return run_experiment("parity", settings, seed);
}

TEST(Experiments, AreListedAndUnknownOnesComeWithTheNearest) {
  for (const std::string& name : experiment_names()) EXPECT_FALSE(experiment_summary(name).empty()) << name;
  try {
    run_experiment("partiy");
    FAIL();
  } catch (const OptionsError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'parity'?"), std::string::npos) << error.what();
  }
}

TEST(Experiments, ValuesAndCriteriaAsPeopleReadThem) {
  EXPECT_EQ(value_text(kNaN), "–");
  EXPECT_EQ(value_text(0.0), "0");
  EXPECT_EQ(value_text(0.99941), "0.9994");
  EXPECT_EQ(value_text(1e-11), "1·10⁻¹¹");
  EXPECT_EQ(value_text(-3.344e-5), "-3.34·10⁻⁵");
  EXPECT_EQ(value_text(2.5e7), "2.5·10⁷");
  EXPECT_EQ(value_text(-kInfinity), "−∞");
  Metric metric{"force_mean", 4.99, "N", "", 4.98, 5.02};
  EXPECT_EQ(criterion_text(metric), "4.98 to 5.02");
  EXPECT_TRUE(metric.is_met());
  metric.value = kNaN;
  EXPECT_FALSE(metric.is_met()) << "NaN meets no criterion";
  metric.lower = -kInfinity;
  EXPECT_EQ(criterion_text(metric), "≤ 5.02");
  ExperimentResult result;
  result.metrics = {metric, {"free", 1.0, "N", ""}};
  EXPECT_EQ(verdict_text(result), "The criterion is missed: force_mean.");
  EXPECT_FALSE(result.is_met());
}

TEST(Experiments, ProgressRisesToOne) {
  Settings settings;
  settings.set("parity.states=5");
  double last = 0.0;
  run_experiment("parity", settings, 1, [&](double share) {
    EXPECT_GE(share, last);
    last = share;
  });
  EXPECT_EQ(last, 1.0);
}

TEST(Parity, MeetsItsCriteriaAndTellsWrongModels) {
  const ExperimentResult result = short_run();
  EXPECT_TRUE(result.is_met()) << verdict_text(result);
  EXPECT_EQ(result.metric("gravity_max").source, 8.01e-6);
  EXPECT_EQ(result.metric("mass_matrix_max").source, 3.34e-5);
  for (const Metric& metric : result.metrics) {
    EXPECT_TRUE(std::isnan(metric.source) || metric.value < metric.source) << metric.name << ' ' << metric.value;
    EXPECT_TRUE(metric.has_criterion()) << metric.name;
    EXPECT_GT(metric.value, 0.0) << metric.name << ": nothing was compared";
  }
  ASSERT_EQ(result.comparisons.size(), 2u);
  for (const Variant& variant : result.comparisons[1].variants) {
    double worst = 0.0;
    for (const double value : variant.values) worst = std::max(worst, value);
    EXPECT_GT(worst, 1e-7) << variant.name;
  }
  EXPECT_EQ(result.samples.rows(), 15u);
  for (const std::string& column : result.replay.columns) EXPECT_EQ(result.samples.numbers(column).size(), 15u);
}

TEST(Parity, LeavesWrongModelsOutWhereNoneAreAskedFor) {
  Settings settings;
  settings.set("parity.states=3");
  settings.set("experiment.comparisons=false");
  const ExperimentResult result = run_experiment("parity", settings);
  EXPECT_TRUE(result.is_met());
  EXPECT_EQ(result.comparisons.size(), 1u);
  EXPECT_TRUE(result.figures.empty());
}

TEST(Parity, FollowsItsSeedAlone) {
  const auto first = [](const ExperimentResult& result) { return result.samples.numbers("gravity"); };
  EXPECT_EQ(first(short_run()), first(short_run()));
  EXPECT_NE(first(short_run()), first(short_run(2)));
}

TEST(Parity, SummaryHasNullWhereANumberIsNotKnown) {
  ExperimentResult result = short_run();
  result.metrics.push_back({"unknown", kNaN, "N", "not measured"});
  const Json summary = test::parse_json(experiment_summary_json(result).dump());
  EXPECT_TRUE(summary["metrics"]["unknown"].is_null());
  EXPECT_EQ(summary["metrics"]["gravity_max"].number(), result.metric("gravity_max").value);
  EXPECT_EQ(summary["criteria"].size(), result.metrics.size());
  EXPECT_TRUE(summary["criteria"][0]["lower"].is_null());
  EXPECT_EQ(summary["criteria"][0]["upper"].number(), 1e-11);
}

}  // namespace
}  // namespace antaeus
