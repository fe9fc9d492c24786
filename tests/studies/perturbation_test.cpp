#include <gtest/gtest.h>

#include "studies/experiment.hpp"

namespace antaeus {
namespace {

TEST(Perturbation, JointDampingBringsTheArmToRestAndAnImpedanceBetter) {
  Settings settings;
  settings.set("perturbation.duration=4");
  const ExperimentResult result = run_experiment("perturbation", settings);
  const double start = result.metric("speed_start").value;
  EXPECT_GT(start, 0.2);
  EXPECT_LT(start, 1.0);
  EXPECT_LT(result.metric("speed_final").value, 0.25 * start);
  EXPECT_LE(result.metric("speed_final_impedance").value, 1e-3);
  ASSERT_EQ(result.comparisons.size(), 1u);
  const std::vector<Variant>& variants = result.comparisons[0].variants;
  ASSERT_EQ(variants.size(), 4u);
  EXPECT_GT(variants[2].values[3], 0.2 * variants[2].values[0]);   // nothing brakes: it coasts
  EXPECT_LT(variants[3].values[3], 0.01 * variants[3].values[0]);  // the impedance brakes
  const std::vector<double> speed = result.samples.numbers("speed");
  EXPECT_EQ(speed.size(), 820u);
  EXPECT_LT(speed.back(), speed[100]);
}

TEST(Perturbation, TheWholeRunMeetsItsCriteria) {
  Settings settings;
  settings.set("perturbation.compare=false");
  const ExperimentResult result = run_experiment("perturbation", settings);
  EXPECT_TRUE(result.is_met()) << result.metric("speed_final").value << " "
                               << result.metric("speed_final_impedance").value;
  EXPECT_EQ(result.metric("speed_final").source, 0.0134);
  EXPECT_LT(result.metric("speed_final").value, 0.0134);
  EXPECT_LT(result.metric("speed_final").value, 0.1);  // the lab's criterion
}

}  // namespace
}  // namespace antaeus
