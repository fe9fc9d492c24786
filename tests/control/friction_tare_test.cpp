#include "antaeus/control/friction_tare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "control/control_step.hpp"
#include "control/tolerances.hpp"
#include "support/noise.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

VectorX three(double a, double b, double c) { return VectorX{{a, b, c}}; }

JointFriction told() { return JointFriction::told(three(1.0, 1.0, 0.3), 0.2, 1.0); }

TEST(FrictionTare, MotionBeginsAndEndsAtRestWhereItBegan) {
  FrictionTare tare(told(), kControlStep);
  for (const double time : {0.0, tare.duration(), tare.duration() + 1.0, -1.0}) {
    const TareMotion& at = tare.motion(time);
    EXPECT_EQ(at.q.norm() + at.v.norm() + at.a.norm(), 0.0) << time;
  }
  EXPECT_TRUE(tare.motion(kNaN).v.hasNaN());
  EXPECT_GT(tare.motion(1.5).q.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(FrictionTare, VelocityAndAccelerationAreTheMotions) {
  FrictionTare tare(told(), kControlStep);
  constexpr double h = 1e-5;
  for (const double time : {0.05, 0.1, 0.19, 1.0, 2.7, 3.85, 3.95}) {
    const TareMotion before = tare.motion(time - h), after = tare.motion(time + h), at = tare.motion(time);
    const VectorX v = (after.q - before.q) / (2.0 * h), a = (after.v - before.v) / (2.0 * h);
    EXPECT_LT((v - at.v).norm(), tolerance::kMotionDifference) << time;
    EXPECT_LT((a - at.a).norm(), 100.0 * tolerance::kMotionDifference) << time;
  }
}

TEST(FrictionTare, BothDirectionsTellBiasAndFrictionWhateverWasTold) {
  const VectorX b = three(0.4, -0.7, 0.02), c = three(1.3, 0.75, 0.35);
  FrictionTare tare(told(), kControlStep);
  for (double time = 0.0; time < tare.duration(); time += kControlStep) {
    const VectorX s = (tare.motion(time).v / 3e-4).array().tanh();
    ASSERT_EQ(tare.add(b - c.cwiseProduct(s), s), Status::ok);
  }
  const JointFriction& found = tare.friction();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.bias[i], b[i], tolerance::kTaredLine);
    EXPECT_NEAR(found.coulomb[i], c[i], tolerance::kTaredLine);
    EXPECT_LT(std::sqrt(found.coulomb_variance[i]), 0.01);
  }
}

TEST(FrictionTare, StatedVariancesHoldWhatTheyState) {
  // White noise of 0.1 N·m, samples as far apart as the options say that they are independent.
  FrictionTareOptions options;
  test::Noise noise(5303);
  int covered = 0;
  double scaled = 0.0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    FrictionTare tare(told(), options.tare_correlation, options);
    const double b = noise(), c = 1.0 + 0.2 * noise();
    for (int i = 0; i < 120; ++i) {
      const double s = i % 3 == 0 ? -1.0 : 1.0;
      tare.add(three(b - c * s + 0.1 * noise(), 0.0, 0.0), three(s, 0.0, 0.0));
    }
    const JointFriction& found = tare.friction();
    const double off = (found.coulomb[0] - c) / std::sqrt(found.coulomb_variance[0]);
    covered += std::abs(off) <= 1.96;
    scaled += off * off;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kRuns, 0.95, tolerance::kCoverageOfRuns);
  EXPECT_NEAR(std::sqrt(scaled / kRuns), 1.0, tolerance::kScaleOfRuns);
}

TEST(FrictionTare, OneDirectionTellsTheDifferenceAlone) {
  FrictionTare tare(told(), kControlStep);
  const VectorX s = three(1.0, -1.0, 0.2);
  for (int i = 0; i < 4000; ++i) tare.add(three(0.5 - 1.2, 0.5 + 1.2, 9.0), s);
  const JointFriction& found = tare.friction();
  const auto variance = [&](int i, double to) {
    return found.bias_variance[i] - 2.0 * to * found.covariance[i] + to * to * found.coulomb_variance[i];
  };
  EXPECT_NEAR(found.bias[0] - found.coulomb[0], -0.7, tolerance::kTaredLine);
  EXPECT_NEAR(found.bias[1] + found.coulomb[1], 1.7, tolerance::kTaredLine);
  EXPECT_LT(std::sqrt(variance(0, 1.0)), 0.01);
  EXPECT_LT(std::sqrt(variance(1, -1.0)), 0.01);
  EXPECT_GT(std::sqrt(variance(0, -1.0)), 0.3);
  // The third did not move enough to say anything.
  EXPECT_EQ(tare.samples()[2], 0.0);
  EXPECT_EQ(found.coulomb[2], 0.3);
}

TEST(FrictionTare, FrictionThatIsKnownToBeNoneStaysNone) {
  // Torques measured behind the gears.
  FrictionTare tare(JointFriction::told(three(0.0, 0.0, 0.0), 0.2, 1.0), kControlStep);
  for (int i = 0; i < 4000; ++i) tare.add(three(0.3, 0.3, 0.3), three(1.0, -1.0, i % 2 ? 1.0 : -1.0));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(tare.friction().bias[i], 0.3, tolerance::kTaredLine);
    EXPECT_NEAR(tare.friction().coulomb[i], 0.0, tolerance::kTaredLine);
  }
}

TEST(FrictionTare, BadInputAddsNothing) {
  FrictionTare tare(told(), kControlStep);
  EXPECT_EQ(tare.add(VectorX::Zero(2), VectorX::Zero(3)), Status::wrong_size);
  EXPECT_EQ(tare.add(three(kNaN, 0.0, 0.0), three(1.0, 1.0, 1.0)), Status::not_finite);
  EXPECT_EQ(tare.samples().sum(), 0.0);
  JointFriction bad = told();
  bad.coulomb[1] = kNaN;
  EXPECT_THROW(FrictionTare(bad, kControlStep), OptionsError);
  EXPECT_THROW(FrictionTare(told(), kControlStep, {.tare_amplitude = 0.0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
