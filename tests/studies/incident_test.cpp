#include <gtest/gtest.h>

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "studies/experiment.hpp"
#include "studies/incident_run.hpp"

namespace antaeus {
namespace {

const ExperimentResult& whole_run() {
  static const ExperimentResult result = run_experiment("incident");
  return result;
}

const Variant& variant(const ExperimentResult& result, std::string_view name) {
  for (const Comparison& comparison : result.comparisons) {
    for (const Variant& one : comparison.variants) {
      if (one.name == name) return one;
    }
  }
  throw Error("variant", std::string(name), "is there none?");
}

enum Head : std::size_t { rated, first_rated, share, read, speed, late, alarm, after };

TEST(IncidentRuns, TheWholeRunMeetsItsCriteria) {
  const ExperimentResult& result = whole_run();
  EXPECT_TRUE(result.is_met()) << verdict_text(result);
  EXPECT_GE(result.metric("deployed_rated_share").value, 0.95);
  EXPECT_GT(result.metric("deployed_read_max").value, 533.0);
  EXPECT_EQ(result.metric("guarded_rated_share").value, 0.0);
  EXPECT_LT(result.metric("guarded_read_max").value, 30.0);
  EXPECT_LE(result.metric("damping_speed").value, 0.1);
}

TEST(IncidentRuns, ThePoseDecidesAndNotTheDisturbance) {
  const ExperimentResult& result = whole_run();
  const Variant& bad = variant(result, "deployed");
  const Variant& good = variant(result, "deployed, pose zero");
  EXPECT_GT(bad.values[late], 5.0);  // it goes on when the disturbance is long over
  EXPECT_LT(5.0 * good.values[late], bad.values[late]);
  EXPECT_LT(good.values[share], 1.0);
  EXPECT_LT(5.0 * good.values[read], bad.values[read]);
  // Without the policy's answer the estimate is as wrong, and nothing thrashes.
  const Variant& still = variant(result, "no answer, deployed");
  EXPECT_GT(still.values[2], 300.0);
  EXPECT_LT(still.values[3], 0.5);
}

TEST(IncidentRuns, EachRemedyDoesWhatItsRuleSays) {
  const ExperimentResult& result = whole_run();
  EXPECT_LE(variant(result, "clamp of ±50 N").values[read], 50.0 * std::sqrt(3.0) + 1e-9);
  EXPECT_EQ(variant(result, "IMU’s quaternion where it is mounted").values[rated], 1.0);
  EXPECT_EQ(variant(result, "stacked estimator, hands and feet").values[rated], 1.0);
  EXPECT_EQ(variant(result, "torso’s share above 0.5 is zeroed").values[rated], 0.0);
  const Variant& braked = variant(result, "watchdog, then damping");
  const Variant& held = variant(result, "watchdog, then damping with a hold");
  EXPECT_GT(braked.values[alarm], 0.04);  // three steps of 20 ms
  EXPECT_EQ(braked.values[alarm], held.values[alarm]);
  EXPECT_GT(braked.values[after], held.values[after]);  // without a hold it sags
  EXPECT_LE(held.values[after], 0.1);
}

TEST(IncidentRuns, WithoutDisturbanceAndAnswerNothingHappens) {
  Settings settings;
  for (const char* set :
       {"incident.disturbance=0", "incident.answer=0", "incident.seeds=2", "experiment.comparisons=false"})
    settings.set(set);
  const ExperimentResult result = run_experiment("incident", settings);
  EXPECT_EQ(result.metric("deployed_rated_share").value, 0.0);
  EXPECT_LT(result.metric("deployed_read_max").value, 50.0);
  EXPECT_FALSE(result.is_met());
}

TEST(IncidentRuns, TheSameSeedGivesTheSameNumbers) {
  const auto run = [](int seed) {
    Settings settings;
    for (const char* set : {"incident.seeds=3", "experiment.comparisons=false", "incident.shown=watchdog_hold"})
      settings.set(set);
    return run_experiment("incident", settings, seed);
  };
  const ExperimentResult once = run(4), again = run(4), other = run(5);
  EXPECT_EQ(experiment_summary_json(once).dump(), experiment_summary_json(again).dump());
  EXPECT_EQ(once.samples.numbers("read"), again.samples.numbers("read"));
  EXPECT_NE(once.samples.numbers("read"), other.samples.numbers("read"));
  EXPECT_EQ(once.replay.joints.size(), 28u);
  EXPECT_EQ(once.samples.numbers("alarm").back(), 1.0);
  const std::vector<double> speed = once.samples.numbers("speed");
  EXPECT_LT(speed.back(), 0.1);
  EXPECT_GT(*std::max_element(speed.begin(), speed.end()), 1.0);
}

TEST(IncidentRuns, RefusesWhatThereIsNot) {
  Settings pose, shown;
  pose.set("incident.pose=arm_waist_targt");
  EXPECT_THROW(run_experiment("incident", pose), ModelError);
  EXPECT_THROW(shown.set("incident.shown=clamps"), OptionsError);
}

}  // namespace
}  // namespace antaeus
