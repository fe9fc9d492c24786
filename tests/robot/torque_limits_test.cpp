#include "antaeus/robot/torque_limits.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "support/controlled_arms.hpp"

namespace antaeus {
namespace {

VectorX two(double first, double second) { return VectorX{{first, second}}; }

TEST(TorqueLimits, TheModelsLimitsAreTheDefault) {
  const test::ControlledArm arm = test::controlled_panda();
  const TorqueLimits whole(arm.model), half(arm.model, {.torque_share = 0.5});
  ASSERT_EQ(whole.size(), 7);
  for (int motor = 0; motor < 7; ++motor) {
    const int row = arm.model.motor_rows()[motor];
    EXPECT_EQ(whole.limits()[row], arm.model.effort_limits()[motor]);
    EXPECT_EQ(half.limits()[row], 0.5 * arm.model.effort_limits()[motor]);
  }
  EXPECT_EQ(whole.limits()[0], 87.0);
  EXPECT_EQ(whole.limits()[6], 12.0);
}

TEST(TorqueLimits, WhatIsTakenAwayIsSaid) {
  TorqueLimits limits(two(10.0, kInfinity), two(kInfinity, 1000.0), 0.001);
  EXPECT_EQ(limits.last().status, Status::not_computed);
  const LimitedTorque& given = limits.apply(two(3.0, 40.0));
  EXPECT_EQ(given.tau, two(3.0, 40.0));  // the first may be any
  EXPECT_FALSE(given.is_limited);
  limits.apply(two(-25.0, 42.5));
  EXPECT_EQ(given.tau, two(-10.0, 41.0));
  EXPECT_EQ(given.clipped, two(-15.0, 0.0));
  EXPECT_EQ(given.slowed, two(0.0, 1.5));
  EXPECT_TRUE(given.is_limited);
  limits.apply(two(10.0, 41.5));
  EXPECT_EQ(given.tau, two(10.0, 41.5));
  EXPECT_FALSE(given.is_limited);
}

TEST(TorqueLimits, StartsFromWhatTheMotorsGive) {
  TorqueLimits limits(two(10.0, 10.0), two(1000.0, 1000.0), 0.001);
  ASSERT_EQ(limits.reset(two(5.0, -20.0)), Status::ok);
  EXPECT_EQ(limits.apply(two(0.0, 0.0)).tau, two(4.0, -9.0));
  limits.reset();
  EXPECT_EQ(limits.apply(two(0.0, 0.0)).tau, two(0.0, 0.0));
  EXPECT_EQ(limits.reset(VectorX::Zero(3)), Status::wrong_size);
  EXPECT_EQ(limits.reset(two(0.0, kNaN)), Status::not_finite);
}

TEST(TorqueLimits, BadTorquesGiveNaNAndAreForgotten) {
  TorqueLimits limits(two(10.0, 10.0), two(1000.0, 1000.0), 0.001);
  limits.apply(two(5.0, 5.0));
  for (const VectorX& bad : {two(0.0, kNaN), two(kInfinity, 0.0), VectorX(VectorX::Zero(3))}) {
    const LimitedTorque& given = limits.apply(bad);
    EXPECT_EQ(given.status, bad.size() == 2 ? Status::not_finite : Status::wrong_size);
    EXPECT_EQ(given.tau.size(), 2);
    for (const VectorX* const part : {&given.tau, &given.clipped, &given.slowed}) {
      EXPECT_TRUE(part->array().isNaN().all());
    }
  }
  EXPECT_EQ(limits.apply(two(0.0, 0.0)).tau, two(4.0, 4.0));
}

TEST(TorqueLimits, SetUpIsChecked) {
  const test::ControlledArm arm = test::controlled_ur5e();
  EXPECT_THROW(TorqueLimits(arm.model, {.torque_share = 1.5}), OptionsError);
  EXPECT_THROW(TorqueLimits(arm.model, {.torque_rate = -1.0}), OptionsError);
  EXPECT_THROW(TorqueLimits(arm.model, {.torque_cycle = 0.0}), OptionsError);
  EXPECT_THROW(TorqueLimits(two(1.0, 1.0), VectorX::Ones(3), 0.001), OptionsError);
  EXPECT_THROW(TorqueLimits(two(1.0, kNaN), two(1.0, 1.0), 0.001), OptionsError);
  EXPECT_THROW(TorqueLimits(two(1.0, 1.0), two(1.0, -1.0), 0.001), OptionsError);
  EXPECT_THROW(TorqueLimits(two(1.0, 1.0), two(1.0, 1.0), 0.0), OptionsError);
}

}  // namespace
}  // namespace antaeus
