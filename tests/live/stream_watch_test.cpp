#include "antaeus/live/stream_watch.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/numbers.hpp"

namespace antaeus {
namespace {

constexpr double kStep = 0.001, kDelay = 100.0;  // [s] of the sender; its clock is so far behind

class Stream : public testing::Test {
 protected:
  StreamWatch watch{LiveOptions{}};
  double stamp = 5.0, received = 105.0;
  Arrival next(double sent = kStep, double arrives = kStep, double sequence = kNaN) {
    stamp += sent;
    received += arrives;
    return watch.judge(stamp, sequence, received);
  }
  void run(int samples) {
    for (int i = 0; i < samples; ++i) ASSERT_EQ(next(), Arrival::taken) << i;
  }
};

TEST_F(Stream, CountsWhatIsMissingByTheUsualTimeBetweenSamples) {
  run(100);
  EXPECT_NEAR(watch.period(), kStep, 1e-9);  // rounding of stamps
  EXPECT_NEAR(watch.offset(), kDelay, 1e-9);
  EXPECT_EQ(next(4 * kStep, 4 * kStep), Arrival::taken);
  EXPECT_EQ(watch.counts().lost, 3);
  run(10);
  EXPECT_EQ(watch.counts().lost, 3);
  EXPECT_EQ(watch.counts().taken, 111);
}

TEST_F(Stream, CountsWhatIsMissingByNumbers) {
  double number = 10.0;
  for (int i = 0; i < 5; ++i) next(kStep, kStep, number += 1.0);
  next(kStep, kStep, number += 8.0);
  EXPECT_EQ(watch.counts().lost, 7);
}

TEST_F(Stream, RepetitionsAndOvertakenOnesAreNoSamples) {
  run(50);
  EXPECT_EQ(watch.judge(stamp, kNaN, received + 1e-4), Arrival::repeated);
  EXPECT_EQ(watch.judge(stamp - 2 * kStep, kNaN, received + 2e-4), Arrival::out_of_order);
  EXPECT_EQ(watch.judge(kNaN, kNaN, received + 3e-4), Arrival::out_of_order);
  run(50);
  EXPECT_EQ(watch.counts().repeated, 1);
  EXPECT_EQ(watch.counts().out_of_order, 2);
  EXPECT_EQ(watch.counts().restarts + watch.counts().clock_jumps, 0);
}

TEST_F(Stream, OneWrongStampIsNoNewClock) {
  run(50);
  for (const double wrong : {-1e9, 1e9, kInfinity, 0.0, -1e300}) {
    EXPECT_EQ(watch.judge(wrong, kNaN, received), Arrival::out_of_order);
    run(1);
  }
  EXPECT_EQ(watch.counts().clock_jumps, 0);
}

TEST_F(Stream, AJumpOfTheClockIsBelievedAfterThreeThatAgree) {
  for (const double jump : {-3600.0, 3600.0}) {
    run(50);
    EXPECT_EQ(next(jump), Arrival::out_of_order);
    EXPECT_EQ(next(), Arrival::out_of_order);
    EXPECT_EQ(next(), Arrival::anew);
    run(20);
  }
  EXPECT_EQ(watch.counts().clock_jumps, 2);
}

TEST_F(Stream, ASilenceIsABreakAndASenderThatStartsAgain) {
  run(50);
  EXPECT_EQ(next(2.0, 2.0), Arrival::anew);
  EXPECT_EQ(watch.counts().restarts, 1);
  run(50);
  // Its clock begins at zero again, after two seconds.
  stamp = 0.0;
  EXPECT_EQ(next(kStep, 2.0), Arrival::out_of_order);
  EXPECT_EQ(next(), Arrival::out_of_order);
  EXPECT_EQ(next(), Arrival::anew);
  run(20);
  EXPECT_EQ(watch.counts().restarts + watch.counts().clock_jumps, 2);
}

TEST_F(Stream, LateOnesAreTakenAndSaid) {
  run(50);
  EXPECT_EQ(next(kStep, 0.2), Arrival::taken);
  EXPECT_TRUE(watch.is_late());
  EXPECT_NEAR(watch.late_by(), 0.199, 1e-9);  // rounding of stamps
  EXPECT_EQ(watch.counts().late, 1);
}

/// A hiccup after which everything is later, and a sender in simulated time that is 2 % slow.
TEST_F(Stream, LatenessThatStaysIsTheNewUsual) {
  run(5000);
  EXPECT_EQ(next(kStep, 0.3), Arrival::taken);
  for (int i = 0; i < 5000; ++i) next();
  EXPECT_FALSE(watch.is_late());
  EXPECT_LT(watch.counts().late, 4100) << "four seconds";
  const std::int64_t before = watch.counts().late;
  for (int i = 0; i < 20000; ++i) next(kStep, 1.02 * kStep);
  EXPECT_EQ(watch.counts().late, before);
}

TEST_F(Stream, SlowStreamsHaveNoBreaks) {
  for (int i = 0; i < 40; ++i) ASSERT_EQ(next(1.0, 1.0), Arrival::taken) << i;
  EXPECT_EQ(next(10.0, 10.0), Arrival::anew);
}

TEST(StreamWithoutStamps, HasTheReceiversClock) {
  StreamWatch watch{LiveOptions{}};
  for (int i = 0; i < 40; ++i) ASSERT_EQ(watch.judge(kNaN, kNaN, 10.0 + 0.002 * i), Arrival::taken);
  EXPECT_NEAR(watch.time(), 10.078, 1e-9);  // rounding of stamps
  EXPECT_EQ(watch.judge(kNaN, kNaN, 10.078), Arrival::repeated);
  EXPECT_EQ(watch.judge(kNaN, kNaN, 12.0), Arrival::anew);
  EXPECT_EQ(watch.judge(kNaN, kNaN, kNaN), Arrival::taken) << "a log without a clock";
}

}  // namespace
}  // namespace antaeus
