#include "antaeus/signal/low_pass.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "signal/random_signals.hpp"
#include "signal/tolerances.hpp"

namespace antaeus {
namespace {

constexpr double kPi = std::numbers::pi;

// The laws that both filters promise, for either.
template <class Filter>
class LowPass : public testing::Test {};
using Filters = testing::Types<ExponentialLowPass, ButterworthLowPass>;
TYPED_TEST_SUITE(LowPass, Filters);

TYPED_TEST(LowPass, StartsAtRestAtTheFirstSample) {
  TypeParam filter(2, 3.0);
  EXPECT_TRUE(filter.value().array().isNaN().all());
  ASSERT_EQ(filter.step(Eigen::Vector2d(7.0, -1e6), 0.02), Status::ok);
  EXPECT_EQ(filter.value(), VectorX(Eigen::Vector2d(7.0, -1e6)));
}

TYPED_TEST(LowPass, ConstantInputIsReturnedToTheLastDigit) {
  test::RandomSignals random(31);
  TypeParam filter(3, 3.0);
  const VectorX level = 1e3 * random.normals(3);
  ASSERT_EQ(filter.reset(level), Status::ok);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(filter.step(level, random.uniform(0.0, 2.0)), Status::ok);
    ASSERT_EQ(filter.value(), level);
  }
}

TYPED_TEST(LowPass, ResetForgetsTheMotionBefore) {
  TypeParam filter(1, 3.0);
  ASSERT_EQ(filter.reset(VectorX::Zero(1)), Status::ok);
  ASSERT_EQ(filter.step(VectorX::Ones(1), 0.05), Status::ok);
  const VectorX level = VectorX::Constant(1, 7.0);
  ASSERT_EQ(filter.reset(level), Status::ok);
  ASSERT_EQ(filter.step(level, 0.05), Status::ok);
  EXPECT_EQ(filter.value(), level);
}

TYPED_TEST(LowPass, TwoStepsOfOneInputAreOneOfTheirSum) {
  test::RandomSignals random(32);
  for (int trial = 0; trial < 200; ++trial) {
    TypeParam once(2, random.uniform(0.1, 30.0)), twice = once;
    for (const VectorX& sample : {random.normals(2), random.normals(2), random.normals(2)}) {
      const double first = random.uniform(0.0, 0.1), second = random.uniform(0.0, 0.1);
      once.step(sample, first + second);
      twice.step(sample, first);
      twice.step(sample, second);
      ASSERT_LE((once.value() - twice.value()).norm(), 10.0 * tolerance::kFilterStep);
    }
  }
}

TYPED_TEST(LowPass, IsStableForAnyStep) {
  for (const double dt : {1e-9, 0.02, 1.0, 1e3, 1e9, 1e300}) {
    TypeParam filter(1, 1000.0);
    filter.reset(VectorX::Zero(1));
    double peak = 0.0;
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(filter.step(VectorX::Ones(1), dt), Status::ok);
      peak = std::max(peak, filter.value()[0]);
    }
    EXPECT_GE(filter.value()[0], 0.0);
    EXPECT_LE(peak, 1.05) << "Butterworth's own overshoot is 4.3 %";
    if (dt >= 0.02) {
      EXPECT_NEAR(filter.value()[0], 1.0, tolerance::kFilterStep);
    }
  }
}

TYPED_TEST(LowPass, BadInputIsNamedAndChangesNothing) {
  TypeParam filter(2, 5.0);
  const Eigen::Vector2d good(1.0, 2.0);
  const VectorX bad = Eigen::Vector2d(1.0, kNaN), worse = Eigen::Vector2d(kInfinity, 0.0);
  EXPECT_EQ(filter.step(bad, 0.02), Status::not_finite);
  EXPECT_TRUE(filter.value().array().isNaN().all()) << "a bad sample does not start the filter";
  ASSERT_EQ(filter.reset(good), Status::ok);
  ASSERT_EQ(filter.step(Eigen::Vector2d(3.0, -3.0), 0.02), Status::ok);
  const TypeParam before = filter;
  EXPECT_EQ(filter.step(bad, 0.02), Status::not_finite);
  EXPECT_EQ(filter.step(worse, 0.02), Status::not_finite);
  EXPECT_EQ(filter.step(Eigen::Vector2d(1.7e308, 0.0), 0.02), Status::not_finite) << "the output would overflow";
  EXPECT_EQ(filter.step(good, kNaN), Status::not_finite);
  EXPECT_EQ(filter.step(good, kInfinity), Status::not_finite);
  EXPECT_EQ(filter.step(good, -1e-9), Status::not_computed);
  EXPECT_EQ(filter.step(VectorX::Zero(3), 0.02), Status::wrong_size);
  EXPECT_EQ(filter.reset(VectorX::Zero(1)), Status::wrong_size);
  EXPECT_EQ(filter.reset(bad), Status::not_finite);
  EXPECT_EQ(filter.value(), before.value());
  // The state behind the output is untouched too: both go on alike.
  TypeParam other = before;
  filter.step(good, 0.1);
  other.step(good, 0.1);
  EXPECT_EQ(filter.value(), other.value());
}

TYPED_TEST(LowPass, RefusesOptionsThatMakeNoFilter) {
  EXPECT_THROW(TypeParam(0, 1.0), OptionsError);
  EXPECT_THROW(TypeParam(-1, 1.0), OptionsError);
  EXPECT_THROW(TypeParam(1, 0.0), OptionsError);
  EXPECT_THROW(TypeParam(1, -2.0), OptionsError);
  EXPECT_THROW(TypeParam(1, kNaN), OptionsError);
  EXPECT_THROW(TypeParam(1, kInfinity), OptionsError);
}

TEST(ExponentialLowPass, StepResponse) {
  ExponentialLowPass filter(1, 4.0);
  filter.reset(VectorX::Zero(1));
  filter.step(VectorX::Ones(1), 0.25);
  EXPECT_NEAR(filter.value()[0], 1.0 - std::exp(-1.0), tolerance::kArithmetic);
  filter.step(VectorX::Ones(1), 0.0);
  EXPECT_NEAR(filter.value()[0], 1.0 - std::exp(-1.0), tolerance::kArithmetic);
}

// ÿ + √2 ω ẏ + ω² y = ω² from rest, solved by hand: 1 − e^{−pt}(cos pt + sin pt), p = ω/√2; derivative 2p e^{−pt} sin
// pt.
TEST(ButterworthLowPass, StepResponse) {
  const double cut_off = 5.0, p = 2.0 * kPi * cut_off / std::sqrt(2.0);
  test::RandomSignals random(33);
  ButterworthLowPass filter(1, cut_off);
  filter.reset(VectorX::Zero(1));
  double t = 0.0;
  for (int i = 0; i < 50; ++i) {
    const double dt = random.uniform(0.0, 0.02);
    t += dt;
    filter.step(VectorX::Ones(1), dt);
    const double decay = std::exp(-p * t);
    EXPECT_NEAR(filter.value()[0], 1.0 - decay * (std::cos(p * t) + std::sin(p * t)), tolerance::kFilterStep);
    EXPECT_NEAR(filter.rate()[0], 2.0 * p * decay * std::sin(p * t), 2.0 * p * tolerance::kFilterStep);
  }
}

// Gain and phase are those of the continuous filter times those of the hold, at 1/10, 1 and 3 times the cut-off.
TEST(ButterworthLowPass, GainOfASineIsTheContinuousOneTimesTheHold) {
  const double cut_off = 4.0;
  EXPECT_NEAR(std::abs(1.0 / std::complex<double>(0.0, std::sqrt(2.0))), std::sqrt(0.5), tolerance::kArithmetic);
  for (const double ratio : {0.1, 1.0, 3.0}) {
    constexpr int kPeriod = 20, kSettle = 500 * kPeriod;
    const double half = kPi / kPeriod, dt = 1.0 / (cut_off * ratio * kPeriod);
    ButterworthLowPass filter(1, cut_off);
    std::complex<double> sum = 0.0;
    for (int i = 0; i < kSettle + kPeriod; ++i) {
      const double angle = 2.0 * half * (i % kPeriod);
      filter.step(VectorX::Constant(1, std::cos(angle)), dt);
      if (i >= kSettle) sum += filter.value()[0] * std::polar(2.0 / kPeriod, -angle);
    }
    // The held samples contain the sine and its images around every multiple of the sample rate.
    std::complex<double> expected = 0.0;
    for (int image = -5000; image <= 5000; ++image) {
      const double turns = half + kPi * image;
      const std::complex<double> s(0.0, ratio * (1 + kPeriod * image));
      expected += std::sin(turns) / turns * std::polar(1.0, turns) / (s * s + std::sqrt(2.0) * s + 1.0);
    }
    EXPECT_NEAR(std::abs(sum - expected), 0.0, tolerance::kImages) << "at " << ratio << " of the cut-off";
  }
}

}  // namespace
}  // namespace antaeus
