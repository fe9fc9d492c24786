#include "antaeus/signal/alarm_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "signal/tolerances.hpp"
#include "support/alarm_rate.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

TEST(AlarmLimits, AProbabilityIsTakenAsItIs) {
  AlarmLimits limits({.probability = 0.005}, 8);
  for (int i = 0; i < 100; ++i) limits.step(0.001 * i);
  for (int dof = 1; dof <= 8; ++dof) EXPECT_EQ(limits.limit(dof), chi_squared_threshold(0.005, dof));
  EXPECT_EQ(limits.limit(0), kInfinity);
  EXPECT_EQ(limits.limit(9), limits.limit(8));
}

// The table against the quantiles of support/alarm_rate.hpp, which are held to SciPy.
TEST(AlarmLimits, AlarmsAnHourAtTheIntervalThatIsMeasured) {
  for (const double rate : {0.1, 1.0, 60.0}) {
    AlarmLimits limits({.per_hour = rate, .tests = 7}, 15);
    for (const double interval : {0.0003, 0.001, 0.002, 0.0137, 0.02, 0.1}) {
      limits.reset();
      EXPECT_EQ(limits.interval(), kAssumedInterval);
      for (int i = 0; i < 40; ++i) limits.step(100.0 + interval * i);
      EXPECT_NEAR(limits.interval() / interval, 1.0, tolerance::kAlarmTable);
      const test::AlarmBudget budget{rate, interval, 7};
      for (const int dof : {1, 3, 8, 15}) {
        const double p = chi_squared_survival(limits.limit(dof), dof);
        EXPECT_NEAR(p / test::alarm_probability(budget), 1.0, tolerance::kAlarmTable)
            << rate << " " << interval << " " << dof;
      }
      EXPECT_NEAR(limits.probability() / test::alarm_probability(budget), 1.0, tolerance::kAlarmTable);
    }
  }
}

TEST(AlarmLimits, LostSamplesAndBadClocks) {
  AlarmLimits limits({.per_hour = 1.0}, 3);
  double time = 0.0;
  for (int i = 0; i < 66; ++i) limits.step(time += i % 2 == 0 ? 0.001 : 0.003);
  EXPECT_NEAR(limits.interval(), 0.002, tolerance::kAlarmTable * 0.002);
  const double before = limits.limit(3);
  limits.step(kNaN);
  limits.step(time);
  EXPECT_EQ(limits.limit(3), before);
  limits.step(time - 100.0);  // the clock was set: the interval stays until it is measured anew
  EXPECT_EQ(limits.limit(3), before);
  limits.step(time - 99.99);
  EXPECT_NEAR(limits.interval(), 0.01, tolerance::kAlarmLimit);
  EXPECT_LT(limits.limit(3), before);
  limits.step(time + 1000.0);
  EXPECT_NEAR(limits.interval(), 0.01, tolerance::kAlarmLimit);
}

TEST(AlarmLimits, ExtremeIntervalsAreClamped) {
  AlarmLimits limits({.per_hour = 1e6}, 2);
  limits.step(0.0);
  limits.step(9.0);
  EXPECT_EQ(limits.probability(), 0.5);
  EXPECT_NEAR(limits.limit(2), chi_squared_threshold(0.5, 2), tolerance::kAlarmTable);
  AlarmLimits quick({.per_hour = 1.0}, 2);
  quick.step(0.0);
  quick.step(1e-9);
  EXPECT_NEAR(quick.limit(2), test::chi_squared_alarm_limit({1.0, 1e-4, 1}, 2), tolerance::kAlarmTable);
}

TEST(AlarmLimits, NonsenseIsRefused) {
  EXPECT_THROW(AlarmLimits({.probability = 0.0}, 1), OptionsError);
  EXPECT_THROW(AlarmLimits({.probability = 1.0}, 1), OptionsError);
  EXPECT_THROW(AlarmLimits({.per_hour = -1.0}, 1), OptionsError);
  EXPECT_THROW(AlarmLimits({.per_hour = kInfinity}, 1), OptionsError);
  EXPECT_THROW(AlarmLimits({.tests = 0}, 1), OptionsError);
  EXPECT_THROW(AlarmLimits({}, 0), OptionsError);
}

TEST(AlarmLimits, NoAllocation) {
  AlarmLimits limits({.per_hour = 10.0, .tests = 3}, 9);
  test::AllocationCounter counter;
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) {
    limits.step(i * 0.001 * (1 + i % 3));
    for (int dof = 0; dof < 10; ++dof) sum += dof > 0 ? limits.limit(dof) : 0.0;
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace antaeus
