#include <gtest/gtest.h>

#include <cmath>

#include "studies/experiment.hpp"
#include "studies/impedance_run.hpp"

namespace antaeus {
namespace {

ExperimentResult run(const std::vector<std::string>& assignments) {
  Settings settings;
  settings.set("impedance.compare=false");
  for (const std::string& one : assignments) settings.set(one);
  return run_experiment("impedance", settings);
}

TEST(ImpedanceRun, RestsAtForceOverStiffnessAndHasTheSourcesPeak) {
  const ExperimentResult middle = run({});
  EXPECT_TRUE(middle.is_met());
  EXPECT_NEAR(middle.metric("steady").value, 0.08, 0.005 * 0.08);
  EXPECT_NEAR(middle.metric("peak").value, 0.043, 0.05 * 0.043);
  EXPECT_NEAR(middle.metric("stiffness").value, 500.0, 2.5);
  const ExperimentResult stiff = run({"impedance.stiffness=2000"});
  EXPECT_TRUE(stiff.is_met());
  EXPECT_EQ(stiff.metric("peak").source, 0.017);
  EXPECT_NEAR(stiff.metric("damping").value, 6.2 * std::sqrt(2000.0), 1e-9);
  const ExperimentResult soft = run({"impedance.stiffness=100", "impedance.force=40"});
  EXPECT_EQ(soft.metric("peak").source, 0.104);
  EXPECT_NEAR(soft.metric("peak").value, 0.104, 0.05 * 0.104);
}

TEST(ImpedanceRun, OtherPushesHaveNoFigureOfTheSource) {
  const ExperimentResult other = run({"impedance.force=20", "impedance.stiffness=800", "impedance.lasting=4"});
  EXPECT_TRUE(std::isnan(other.metric("peak").source));
  EXPECT_TRUE(other.is_met());
  EXPECT_NEAR(other.metric("steady").value, 0.025, 0.005 * 0.025);
}

TEST(ImpedanceRun, WhatIsOutOfReachIsSaid) {
  const ExperimentResult far = run({"impedance.stiffness=50", "impedance.force=80", "impedance.lasting=4"});
  EXPECT_FALSE(far.metric("steady").has_criterion());
  EXPECT_EQ(far.remarks.size(), 1u);
}

TEST(ImpedanceRun, TheArmAnswersAsItWasDesigned) {
  ArmRig rig = make_rig({}, {.joint_damping = 1.0}, 1, false);
  const Study study = frequency_study(rig, given_impedance(500.0, 140.0, 50.0), 1.0);
  for (const Variant& one : study.table.variants) EXPECT_LE(std::abs(one.values[2]), 5.0) << one.name;
}

TEST(ImpedanceRun, TheSkewFormIsWeakerTheFurther) {
  ArmRig rig = make_rig({}, {}, 1, false);
  const Study study = rotation_study(rig);
  const std::vector<double>& first = study.table.variants.front().values;  // 30°
  EXPECT_EQ(study.table.variants.front().name, "30°");
  EXPECT_GT(first[1], 0.9 * first[0]);
  EXPECT_LT(first[1], first[0]);
  const std::vector<double>& last = study.table.variants.back().values;  // 180°
  EXPECT_LT(last[1], 1e-6 * last[0]);
  EXPECT_LT(last[2], 4.0);
  EXPECT_TRUE(std::isnan(last[3]));  // it never begins
}

TEST(ImpedanceRun, StiffJointsPressHard) {
  const Study study = stiff_position_study({}, 1);
  const std::vector<Variant>& variants = study.table.variants;
  ASSERT_EQ(variants.size(), 4u);
  EXPECT_GT(variants[0].values[2], 20.0 * variants[3].values[2]);
  EXPECT_GT(variants[1].values[2], 1.5 * variants[1].values[1]);
  EXPECT_LT(variants[3].values[2], 2.0);
}

}  // namespace
}  // namespace antaeus
