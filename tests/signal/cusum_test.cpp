#include "antaeus/signal/cusum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "signal/random_signals.hpp"
#include "signal/tolerances.hpp"

namespace antaeus {
namespace {

/// Options whose false alarms come every `run_length` samples.
CusumOptions every(double run_length, double drift, bool two_sided) {
  return {.drift = drift, .false_alarms_per_hour = 3600.0 / run_length, .sample_rate = 1.0, .two_sided = two_sided};
}

TEST(Cusum, SumsWhatExceedsTheDrift) {
  Cusum cusum(every(1e4, 0.5, true));
  EXPECT_EQ(cusum.samples_since_onset(), 0);
  cusum.step(1.5);
  cusum.step(0.25);
  EXPECT_EQ(cusum.upper(), 0.75);
  EXPECT_EQ(cusum.lower(), 0.0);
  EXPECT_EQ(cusum.samples_since_onset(), 2);
  cusum.step(-3.0);
  EXPECT_EQ(cusum.upper(), 0.0);
  EXPECT_EQ(cusum.lower(), 2.5);
  EXPECT_EQ(cusum.samples_since_onset(), 1);
  EXPECT_FALSE(cusum.alarm());
  for (int i = 0; i < 10; ++i) cusum.step(-2.0);
  EXPECT_TRUE(cusum.alarm());
  cusum.reset();
  EXPECT_FALSE(cusum.alarm());
  EXPECT_EQ(cusum.lower(), 0.0);
  EXPECT_EQ(cusum.samples_since_onset(), 0);
}

/// An infinite sum less an infinite one is none, and an infinite one never falls.
TEST(Cusum, SumsOfHugeSamplesStayNumbers) {
  Cusum cusum(every(1e4, 0.5, true));
  for (const double z : {1.7e308, 1.7e308, -1.7e308, -1.7e308, -1.7e308}) EXPECT_EQ(cusum.step(z), Status::ok);
  EXPECT_EQ(cusum.upper(), 0.0) << "what came is taken back";
  EXPECT_TRUE(std::isfinite(cusum.lower()));
}

TEST(Cusum, OneSidedIsBlindBelow) {
  Cusum cusum(every(1e4, 0.5, false));
  for (int i = 0; i < 1000; ++i) cusum.step(-5.0);
  EXPECT_FALSE(cusum.alarm());
  EXPECT_EQ(cusum.lower(), 0.0);
}

TEST(Cusum, AlarmEndsByItselfAfterTheShift) {
  Cusum cusum(every(1e4, 0.5, true));
  while (!cusum.alarm()) cusum.step(2.0);
  for (int i = 0; i < 10; ++i) cusum.step(0.0);
  EXPECT_FALSE(cusum.alarm());
}

TEST(Cusum, BadSamplesHoldTheState) {
  Cusum cusum(every(1e4, 0.5, true));
  cusum.step(3.0);
  for (const double bad : {kNaN, kInfinity, -kInfinity}) EXPECT_EQ(cusum.step(bad), Status::not_finite);
  EXPECT_EQ(cusum.upper(), 2.5);
  EXPECT_EQ(cusum.samples_since_onset(), 1);
  EXPECT_EQ(cusum.step(0.5), Status::ok);
}

TEST(Cusum, ThresholdGivesTheStatedRate) {
  const CusumOptions options{.drift = 0.5, .false_alarms_per_hour = 0.1, .sample_rate = 50.0, .two_sided = true};
  const double samples = 50.0 * 36000.0;
  EXPECT_NEAR(0.5 * cusum_run_length(0.5, Cusum(options).threshold()) / samples, 1.0, tolerance::kFilterStep * 100.0);
  // A fault of one sd is still found within half a second: it takes some 25 samples.
  EXPECT_NEAR(cusum_run_length(0.5, Cusum(options).threshold(), 1.0), 27.0, 5.0);
}

// Tabulated average run lengths of the two-sided CUSUM with drift ½ (Montgomery, "Introduction to Statistical Quality
// Control", table of h = 4 and h = 5): shift 0, 1, 2, 3 sd. Siegmund's formula is an approximation of these.
TEST(CusumRunLength, PublishedTable) {
  struct Row {
    double shift, at_4, at_5;
  };
  for (const Row& row : {Row{1.0, 8.38, 10.4}, Row{2.0, 3.34, 4.01}, Row{3.0, 2.19, 2.57}}) {
    const double bound = tolerance::kSiegmund * (row.shift < 1.5 ? 1.0 : row.shift < 2.5 ? 2.0 : 5.0);
    EXPECT_NEAR(cusum_run_length(0.5, 4.0, row.shift) / row.at_4, 1.0, bound);
    EXPECT_NEAR(cusum_run_length(0.5, 5.0, row.shift) / row.at_5, 1.0, bound);
  }
  EXPECT_NEAR(0.5 * cusum_run_length(0.5, 4.0) / 168.0, 1.0, tolerance::kSiegmund);
  EXPECT_NEAR(0.5 * cusum_run_length(0.5, 5.0) / 465.0, 1.0, tolerance::kSiegmund);
}

TEST(CusumRunLength, IsSmoothWhereDriftAndShiftCancel) {
  const double b = 4.0 + 1.166;
  EXPECT_NEAR(cusum_run_length(0.5, 4.0, 0.5), b * b, tolerance::kArithmetic * 100.0);
  for (const double delta : {1e-3, 1e-4, 1e-5, 1e-6, -1e-5, -1e-4})
    EXPECT_NEAR(cusum_run_length(0.5, 4.0, 0.5 - delta) / (b * b), 1.0 + 2.0 * delta * b / 3.0,
                20.0 * delta * delta + 1e-9);
}

TEST(CusumRunLength, Nonsense) {
  EXPECT_TRUE(std::isnan(cusum_run_length(0.5, -1.0)));
  EXPECT_TRUE(std::isnan(cusum_run_length(kNaN, 1.0)));
  EXPECT_TRUE(std::isnan(cusum_run_length(0.5, 1.0, kNaN)));
  EXPECT_TRUE(std::isnan(cusum_threshold(0.0, 100.0)));
  EXPECT_TRUE(std::isnan(cusum_threshold(0.5, 1.0)));
  EXPECT_TRUE(std::isnan(cusum_threshold(0.5, kNaN)));
  EXPECT_TRUE(std::isnan(cusum_threshold(0.5, kInfinity)));
}

/// Mean number of samples between alarms, each of which resets the sums.
template <class Draw>
double simulated_run_length(const CusumOptions& options, int alarms, Draw&& draw) {
  Cusum cusum(options);
  double samples = 0.0;
  for (int alarm = 0; alarm < alarms; ++alarm) {
    while (!cusum.alarm()) {
      cusum.step(draw());
      ++samples;
    }
    cusum.reset();
  }
  return samples / alarms;
}

TEST(Cusum, FalseAlarmsComeAtTheStatedRate) {
  test::RandomSignals random(51);
  for (const double drift : {0.25, 0.5, 1.0})
    for (const bool two_sided : {false, true}) {
      const double length =
          simulated_run_length(every(400.0, drift, two_sided), 10000, [&] { return random.normal(); });
      const double bound = tolerance::kMonteCarloRunLength * (drift < 1.0 ? 1.0 : 1.7);
      EXPECT_NEAR(length / 400.0, 1.0, bound) << drift << (two_sided ? " two" : " one");
    }
}

TEST(Cusum, FindsAShiftAsSoonAsStated) {
  test::RandomSignals random(52);
  const CusumOptions options = every(1e5, 0.5, false);
  const double length = simulated_run_length(options, 10000, [&] { return 1.0 + random.normal(); });
  EXPECT_NEAR(length / cusum_run_length(0.5, Cusum(options).threshold(), 1.0), 1.0, tolerance::kMonteCarloRunLength);
}

TEST(StandardiseChiSquared, UpperTail) {
  for (const double dof : {2.0, 3.0, 6.0, 12.0, 27.0})
    for (const auto& [p, factor] :
         {std::pair{0.1, 1.0}, std::pair{0.01, 1.0}, std::pair{1e-3, 6.0}, std::pair{1e-4, 17.0}}) {
      const double tail = normal_cdf(-standardise_chi_squared(chi_squared_threshold(p, dof), dof));
      EXPECT_NEAR(tail / p, 1.0, factor * tolerance::kWilsonHilferty) << "dof " << dof << ", p " << p;
    }
  for (const double bad : {-1.0, kNaN}) {
    EXPECT_TRUE(std::isnan(standardise_chi_squared(bad, 3.0)));
    EXPECT_TRUE(std::isnan(standardise_chi_squared(1.0, bad)));
  }
}

TEST(StandardiseChiSquared, CusumOfANis) {
  test::RandomSignals random(53);
  const double length = simulated_run_length(
      every(400.0, 0.5, false), 10000, [&] { return standardise_chi_squared(random.normals(6).squaredNorm(), 6.0); });
  EXPECT_NEAR(length / 400.0, 1.0, tolerance::kMonteCarloRunLength);
}

TEST(Cusum, RefusesImpossibleOptions) {
  for (const double bad : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_THROW(Cusum({.drift = bad}), OptionsError);
    EXPECT_THROW(Cusum({.false_alarms_per_hour = bad}), OptionsError);
    EXPECT_THROW(Cusum({.sample_rate = bad}), OptionsError);
  }
  EXPECT_THROW(Cusum({.false_alarms_per_hour = 1e6, .sample_rate = 1.0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
