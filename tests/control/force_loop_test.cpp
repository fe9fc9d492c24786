#include "antaeus/control/force_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/control/line_profile.hpp"
#include "antaeus/control/wrench_tare.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "control/control_step.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

TEST(ForceLoop, AtRestWithTheWantedForceItPushesExactlyThat) {
  ForceLoop loop({.blend = 0.0});
  loop.start(5.0);
  EXPECT_EQ(loop.push({.wanted = 5.0, .measured = 5.0, .dt = kControlStep}), -5.0);
}

TEST(ForceLoop, PushesHarderWhereTheForceIsTooSmallAndAgainstTheSpeed) {
  const ForceLoopOptions options{.proportional = 0.5, .integral = 0.0, .damping = 100.0, .blend = 0.0};
  ForceLoop loop(options);
  loop.start(4.0);
  EXPECT_DOUBLE_EQ(loop.push({.wanted = 5.0, .measured = 4.0, .dt = kControlStep}), -5.5);
  EXPECT_DOUBLE_EQ(loop.push({.wanted = 5.0, .measured = 5.0, .speed = -0.01, .dt = kControlStep}), -4.0);
  EXPECT_DOUBLE_EQ(loop.push({.wanted = 5.0, .measured = 4.0, .dt = kControlStep, .trust = 0.5}), -5.25);
}

TEST(ForceLoop, TheSetPointGoesFromTheForceAtTheStartToTheWantedOne) {
  ForceLoop loop({.blend = 0.01});
  loop.start(1.0);
  for (int i = 0; i < 5; ++i) loop.push({.wanted = 5.0, .measured = 1.0, .dt = kControlStep});
  EXPECT_NEAR(loop.set_point(), 3.0, 1e-12);
  for (int i = 0; i < 10; ++i) loop.push({.wanted = 5.0, .measured = 1.0, .dt = kControlStep});
  EXPECT_DOUBLE_EQ(loop.set_point(), 5.0);
}

TEST(ForceLoop, TheIntegralEndsAtItsLimitAndLeavesItAtOnce) {
  ForceLoop loop({.proportional = 0.0, .integral = 10.0, .integral_limit = 2.0, .blend = 0.0});
  loop.start(0.0);
  for (int i = 0; i < 1000; ++i) loop.push({.wanted = 5.0, .measured = 0.0, .dt = kControlStep});
  EXPECT_EQ(loop.integral(), 2.0);
  EXPECT_TRUE(loop.at_limit());
  loop.push({.wanted = 5.0, .measured = 6.0, .dt = kControlStep});
  EXPECT_NEAR(loop.integral(), 2.0 - 10.0 * kControlStep, 1e-12);
  EXPECT_FALSE(loop.at_limit());
  const double before = loop.integral();
  loop.push({.wanted = 5.0, .measured = 0.0, .dt = kControlStep, .integrates = false});
  EXPECT_EQ(loop.integral(), before);
}

TEST(ForceLoop, AStartForgetsTheIntegralOfTheContactBefore) {
  ForceLoop loop({.blend = 0.0});
  loop.start(0.0);
  for (int i = 0; i < 100; ++i) loop.push({.wanted = 5.0, .measured = 0.0, .dt = kControlStep});
  ASSERT_GT(loop.integral(), 0.0);
  loop.start(5.0);
  EXPECT_EQ(loop.push({.wanted = 5.0, .measured = 5.0, .dt = kControlStep}), -5.0);
}

TEST(ForceLoop, KeepsTheLastForceOverAMissingOneAndGivesNoneWithoutAny) {
  ForceLoop loop({.integral = 0.0, .blend = 0.0});
  loop.start(kNaN);
  EXPECT_TRUE(std::isnan(loop.push({.wanted = 5.0, .measured = kNaN, .dt = kControlStep})));
  const double with = loop.push({.wanted = 5.0, .measured = 4.0, .dt = kControlStep});
  EXPECT_TRUE(std::isfinite(with));
  EXPECT_EQ(loop.push({.wanted = 5.0, .measured = kNaN, .dt = kControlStep}), with);
  EXPECT_TRUE(std::isnan(loop.push({.wanted = 5.0, .measured = 4.0, .speed = kNaN, .dt = kControlStep})));
  EXPECT_TRUE(std::isnan(loop.push({.wanted = 5.0, .measured = 4.0, .dt = -kControlStep})));
}

TEST(ForceLoop, ItsButterworthIsThatOfSignal) {
  ForceLoop loop({.filter = ForceFilter::butterworth, .filter_cut_off = 25.0});
  ButterworthLowPass reference(1, 25.0);
  loop.start(1.0);
  reference.reset(VectorX::Constant(1, 1.0));
  for (int i = 0; i < 400; ++i) {
    const double x = std::sin(0.05 * i) + (i > 200 ? 3.0 : 0.0);
    loop.push({.wanted = 5.0, .measured = x, .dt = kControlStep});
    reference.step(VectorX::Constant(1, x), kControlStep);
    ASSERT_NEAR(loop.filtered(), reference.value()[0], 1e-12) << i;
  }
}

TEST(ForceLoop, ItsExponentialFilterIsTheSources) {
  ForceLoop loop({.filter = ForceFilter::exponential, .filter_share = 0.2});
  loop.start(0.0);
  loop.push({.wanted = 5.0, .measured = 10.0, .dt = kControlStep});
  EXPECT_DOUBLE_EQ(loop.filtered(), 2.0);
  loop.push({.wanted = 5.0, .measured = 10.0, .dt = kControlStep});
  EXPECT_DOUBLE_EQ(loop.filtered(), 3.6);
}

TEST(ForceLoop, RefusesOptionsOutOfRange) {
  EXPECT_THROW(ForceLoop({.integral = -1.0}), OptionsError);
  EXPECT_THROW(ForceLoop({.filter_share = 0.0}), OptionsError);
}

TEST(LineProfile, GoesFromRestToRestAndItsDerivativesAreTrue) {
  for (const ProfileShape shape : {ProfileShape::trapezoid, ProfileShape::minimum_jerk}) {
    const LineProfile profile{0.05, 4.0, shape, 0.2};
    EXPECT_EQ(profile.at(-1.0).distance, 0.0);
    EXPECT_NEAR(profile.at(9.0).distance, 0.05, 1e-15);
    EXPECT_NEAR(profile.at(9.0).speed, 0.0, 1e-15);
    for (double t = 0.05; t < 3.95; t += 0.1) {
      const double h = 1e-5;
      EXPECT_NEAR(profile.at(t).speed, (profile.at(t + h).distance - profile.at(t - h).distance) / (2 * h), 1e-8);
      EXPECT_NEAR(profile.at(t).acceleration, (profile.at(t + h).speed - profile.at(t - h).speed) / (2 * h), 1e-7);
    }
  }
  EXPECT_TRUE(std::isnan(LineProfile{0.05, 4.0}.at(kNaN).distance));
}

TEST(WrenchTare, TakesOffTheMeanOfWhatWasFeltInTheAir) {
  WrenchTare tare;
  EXPECT_EQ(tare.tared({Vector3(1, 2, 3), Vector3::Zero()}).force, Vector3(1, 2, 3));
  tare.add({Vector3(0, 0, 1), Vector3(1, 0, 0)});
  tare.add({Vector3(0, 0, 3), Vector3(1, 0, 0)});
  EXPECT_EQ(tare.add({Vector3(0, 0, kNaN), Vector3::Zero()}), Status::not_finite);
  EXPECT_EQ(tare.count(), 2);
  EXPECT_EQ(tare.tared({Vector3(0, 0, 7), Vector3(1, 0, 0)}).force, Vector3(0, 0, 5));
  EXPECT_EQ(tare.tared({Vector3(0, 0, 7), Vector3(1, 0, 0)}).torque, Vector3::Zero());
  tare.restart();
  EXPECT_EQ(tare.count(), 0);
}

}  // namespace
}  // namespace antaeus
