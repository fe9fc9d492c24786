#include "antaeus/signal/delay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "signal/random_signals.hpp"
#include "signal/tolerances.hpp"

namespace antaeus {
namespace {

TEST(EstimateDelay, RefusesTimesThatAreNone) {
  const VectorX time = Eigen::Vector3d(1.0, 2.0, 4.0), one = Eigen::Vector3d(10.0, 20.0, 40.0);
  for (const VectorX& bad : {VectorX(Eigen::Vector3d(1.0, kNaN, 2.0)), VectorX(Eigen::Vector3d(1.0, 3.0, 2.0)),
                             VectorX(Eigen::Vector2d(1.0, 2.0))}) {
    EXPECT_THROW(estimate_delay(bad, one, time, one), Error);
    EXPECT_THROW(estimate_delay(time, one, bad, one), Error);
  }
  for (const double bad : {0.0, -1.0, kNaN}) {
    EXPECT_THROW(estimate_delay(time, one, time, one, {.largest_delay = bad}), OptionsError);
    EXPECT_THROW(estimate_delay(time, one, time, one, {.delay_step = bad}), OptionsError);
  }
  EXPECT_THROW(estimate_delay(time, one, time, one, {.largest_delay = 1.0, .delay_step = 1e-6}), OptionsError);
}

TEST(EstimateDelay, EmptyLogsKnowNothing) {
  EXPECT_EQ(estimate_delay(VectorX(), VectorX(), VectorX(), VectorX()).status, Status::not_computed);
}

/// A motion without period: its band ends at 1.3 Hz.
double motion(double t) { return std::sin(3.0 * t) + 0.6 * std::sin(5.1 * t + 1.0) + 0.3 * std::sin(8.3 * t + 2.0); }

struct Channels {
  VectorX early_time, early, late_time, late;
};

/// 10 s at about 200 Hz and 50 Hz; `late` has another unit, an offset, noise and a delay.
Channels channels(test::RandomSignals& random, double delay, double noise) {
  Channels log;
  log.early_time = random.times(2000, 0.004, 0.006);
  log.early = log.early_time.unaryExpr(&motion);
  log.late_time = random.times(500, 0.015, 0.025);
  log.late = log.late_time.unaryExpr([&](double t) { return 7.0 + 4.0 * motion(t - delay) + noise * random.normal(); });
  return log;
}

TEST(EstimateDelay, FindsTheDelayBetweenTheGridPoints) {
  test::RandomSignals random(92);
  for (const double delay : {0.0371, -0.0123, 0.0, 0.15}) {
    const Channels log = channels(random, delay, 0.0);
    const DelayEstimate found =
        estimate_delay(log.early_time, log.early, log.late_time, log.late, {.delay_step = 0.005});
    ASSERT_EQ(found.status, Status::ok);
    EXPECT_NEAR(found.delay, delay, tolerance::kNoiselessDelay);
    EXPECT_GT(found.correlation, 0.99999);
    EXPECT_LE(found.correlation, 1.0);
    EXPECT_GT(found.samples, 450);
  }
}

// The stated sd against the spread of 300 estimates, and the mean against the truth.
TEST(EstimateDelay, StandardDeviationIsHonest) {
  test::RandomSignals random(93);
  constexpr int kTrials = 300;
  double sum = 0.0, squares = 0.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double delay = random.uniform(-0.05, 0.05);
    const Channels log = channels(random, delay, 2.0);
    const DelayEstimate found =
        estimate_delay(log.early_time, log.early, log.late_time, log.late, {.largest_delay = 0.1, .delay_step = 0.01});
    ASSERT_EQ(found.status, Status::ok);
    const double normalised = (found.delay - delay) / found.sd;
    sum += normalised;
    squares += normalised * normalised;
  }
  EXPECT_NEAR(sum / kTrials, 0.0, tolerance::kMeanOf300);
  EXPECT_NEAR(squares / kTrials, 1.0, tolerance::kMeanSquareOf300);
}

TEST(EstimateDelay, LostSamplesAreLeftOut) {
  test::RandomSignals random(94);
  Channels log = channels(random, 0.04, 0.0);
  log.early[700] = kNaN;
  log.late[100] = kNaN;
  log.late[200] = kInfinity;
  const DelayEstimate found = estimate_delay(log.early_time, log.early, log.late_time, log.late);
  ASSERT_EQ(found.status, Status::ok);
  EXPECT_NEAR(found.delay, 0.04, tolerance::kNoiselessDelay);
  EXPECT_LT(found.samples, 475);
}

TEST(EstimateDelay, SaysWhenItCannotKnow) {
  test::RandomSignals random(95);
  const auto status = [](const Channels& log) {
    const DelayEstimate found = estimate_delay(log.early_time, log.early, log.late_time, log.late);
    EXPECT_EQ(std::isnan(found.delay), found.status != Status::ok);
    EXPECT_EQ(std::isnan(found.sd), found.status != Status::ok);
    return found.status;
  };
  EXPECT_EQ(status(channels(random, 0.35, 0.0)), Status::not_computed) << "beyond the grid";
  Channels still = channels(random, 0.04, 0.0);
  still.early.setConstant(3.0);
  EXPECT_EQ(status(still), Status::not_computed) << "no motion";
  Channels few = channels(random, 0.04, 0.0);
  few.late_time = few.late_time.segment(100, 3).eval();
  few.late = few.late.segment(100, 3).eval();
  EXPECT_EQ(status(few), Status::not_computed) << "three samples for three unknowns";
  Channels lost = channels(random, 0.04, 0.0);
  lost.late.setConstant(kNaN);
  EXPECT_EQ(status(lost), Status::not_computed);
}

}  // namespace
}  // namespace antaeus
