// The tests' own arithmetic of alarms, since stated rates are judged by it.
#include "support/alarm_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/signal/coloured_noise.hpp"
#include "signal/tolerances.hpp"
#include "support/allocation_counter.hpp"
#include "support/normal_numbers.hpp"

namespace antaeus {
namespace {

using test::alarm_probability, test::normal_alarm_limit, test::chi_squared_alarm_limit;
using test::AlarmBudget;
using test::poisson_rate_above, test::poisson_rate_below;

// scipy.stats 1.17.1: norm.isf(p/2), chi2.isf(p, 3), chi2.isf(p, 8) with p = a Δ/(3600 m).
TEST(AlarmRate, LimitsAreThoseOfSciPyFarOutInTheTails) {
  struct Row {
    AlarmBudget budget;
    double p, normal, chi3, chi8;
  };
  const Row rows[] = {
      {{1, 0.02, 1}, 5.555555555555556e-06, 4.542634394415095, 27.120160913556678, 38.713239906029784},
      {{1, 0.02, 2}, 2.777777777777778e-06, 4.6866024649925215, 28.554640556050085, 40.33240005945914},
      {{10, 0.02, 2}, 2.777777777777778e-05, 4.190959065278325, 23.779121760349657, 34.909059858794045},
      {{60, 0.02, 2}, 0.00016666666666666666, 3.764823649533899, 20.038319519640932, 30.58271314955411},
      {{1, 0.001, 15}, 1.8518518518518518e-08, 5.62530062210893, 38.86716030430931, 51.785043799295245},
      {{0.001, 0.0001, 5}, 5.555555555555556e-12, 6.890605120203859, 55.431156040986075, 69.73244781640472}};
  for (const Row& row : rows) {
    EXPECT_NEAR(alarm_probability(row.budget) / row.p, 1.0, tolerance::kAlarmLimit);
    EXPECT_NEAR(normal_alarm_limit(row.budget) / row.normal, 1.0, tolerance::kAlarmLimit);
    EXPECT_NEAR(chi_squared_alarm_limit(row.budget, 3) / row.chi3, 1.0, tolerance::kAlarmLimit);
    EXPECT_NEAR(chi_squared_alarm_limit(row.budget, 8) / row.chi8, 1.0, tolerance::kAlarmLimit);
  }
}

// Garwood's bounds, scipy.stats.chi2.ppf.
TEST(AlarmRate, PoissonBounds) {
  EXPECT_NEAR(poisson_rate_above(0, 1), 2.9957322735539895, tolerance::kAlarmLimit * 3);
  EXPECT_NEAR(poisson_rate_above(3, 2), 0.5 * 7.753656527932725, tolerance::kAlarmLimit * 8);
  EXPECT_NEAR(poisson_rate_above(100, 1), 118.07927278209706, tolerance::kAlarmLimit * 118);
  EXPECT_EQ(poisson_rate_below(0, 1), 0.0);
  EXPECT_NEAR(poisson_rate_below(1, 1), 0.05129329438755053, tolerance::kAlarmLimit);
  EXPECT_NEAR(poisson_rate_below(10, 1), 5.425405697091295, tolerance::kAlarmLimit * 5);
  // 176 s without an event prove no more than "below 61 an hour": 3.0/176 s (95 %).
  EXPECT_NEAR(poisson_rate_above(0, 176.0 / 3600.0), 61.3, 0.1);
}

TEST(ColouredNoise, NumbersAreNormalAlsoInTheTail) {
  test::NormalNumbers normal(7);
  constexpr int kNumbers = 4'000'000;
  double sum = 0.0, square = 0.0, fourth = 0.0;
  int beyond = 0;
  for (int i = 0; i < kNumbers; ++i) {
    const double z = normal.normal(), z2 = z * z;
    sum += z, square += z2, fourth += z2 * z2;
    beyond += std::abs(z) > 4.0;
  }
  EXPECT_NEAR(sum / kNumbers, 0.0, tolerance::kDrawnMoments);
  EXPECT_NEAR(square / kNumbers, 1.0, tolerance::kDrawnMoments);
  EXPECT_NEAR(fourth / kNumbers, 3.0, tolerance::kDrawnMoments);
  const double expected = 2.0 * normal_cdf(-4.0) * kNumbers;  // 253
  EXPECT_NEAR(beyond, expected, 4.0 * std::sqrt(expected));
  test::NormalNumbers again(7), other(8);
  test::NormalNumbers first(7);
  EXPECT_EQ(again.normal(), first.normal());
  EXPECT_NE(again.normal(), other.normal());
}

TEST(ColouredNoise, DrawingDoesNotAllocate) {
  test::NormalNumbers normal(1);
  test::AllocationCounter counter;
  double sum = 0.0;
  for (int i = 1; i < 100; ++i) sum += normal.normal();
  EXPECT_EQ(counter.count(), 0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace antaeus
