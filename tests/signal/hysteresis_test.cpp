#include "antaeus/signal/hysteresis.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "signal/random_signals.hpp"

namespace antaeus {
namespace {

// Times are multiples of 1/64 s, which add up without rounding.
constexpr double kStep = 1.0 / 64.0;
constexpr HysteresisOptions kHalfSecond{.rise_dwell = 0.0, .fall_dwell = 0.5, .longest_step = 0.125};

TEST(Hysteresis, RisesAtOnceAndFallsAfterTheDwell) {
  Hysteresis state(2, kHalfSecond);
  double t = 0.0;
  EXPECT_EQ(state.step(0, t), 0);
  EXPECT_EQ(state.step(2, t += kStep), 2);
  EXPECT_EQ(state.step(0, t += kStep), 2);
  for (int i = 1; i < 32; ++i) EXPECT_EQ(state.step(0, t += kStep), 2) << i;
  EXPECT_EQ(state.step(0, t += kStep), 0);
}

TEST(Hysteresis, OneHigherRequestStartsTheDwellAnew) {
  Hysteresis state(2, kHalfSecond);
  double t = 0.0;
  state.step(2, t);
  for (int i = 0; i < 30; ++i) state.step(0, t += kStep);
  state.step(2, t += kStep);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(state.step(0, t += kStep), 2);
  EXPECT_EQ(state.step(0, t += kStep), 0);
}

TEST(Hysteresis, FallsToTheHighestRequestOfTheDwell) {
  Hysteresis state(2, kHalfSecond);
  double t = 0.0;
  state.step(2, t);
  for (int i = 0; i < 31; ++i) EXPECT_EQ(state.step(i == 20 ? 1 : 0, t += kStep), 2);
  state.step(0, t += kStep);
  EXPECT_EQ(state.step(0, t += kStep), 1) << "0.5 s below 2, but only 12 steps since a request of 1";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(state.step(0, t += kStep), 1);
  EXPECT_EQ(state.step(0, t += kStep), 0);
}

TEST(Hysteresis, RiseDwell) {
  Hysteresis state(2, {.rise_dwell = 0.125, .fall_dwell = 0.0, .longest_step = 0.125});
  double t = 0.0;
  EXPECT_EQ(state.step(2, t), 0);
  EXPECT_EQ(state.step(0, t += 0.0625), 0) << "one request that does not last";
  EXPECT_EQ(state.step(1, t += 0.0625), 0);
  EXPECT_EQ(state.step(2, t += 0.0625), 0);
  EXPECT_EQ(state.step(2, t += 0.0625), 1) << "1 or more for the dwell, 2 not yet";
  EXPECT_EQ(state.step(2, t += 0.0625), 2);
  EXPECT_EQ(state.step(0, t += 0.0625), 0) << "no dwell on the way down";
}

TEST(Hysteresis, TimeThatIsNoneCountsNothing) {
  Hysteresis state(1, kHalfSecond);
  double t = 100.0;
  state.step(1, t);
  state.step(0, t);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(state.step(0, kNaN), 1);
    EXPECT_EQ(state.step(0, kInfinity), 1);
    EXPECT_EQ(state.step(0, -kInfinity), 1);
    EXPECT_EQ(state.step(0, t), 1);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(state.step(0, t -= 1.0), 1);
  EXPECT_EQ(state.step(1, kNaN), 1);
  Hysteresis other(1, kHalfSecond);
  EXPECT_EQ(other.step(1, kNaN), 1) << "a rise without dwell needs no clock";
}

TEST(Hysteresis, AJumpOfTheClockReleasesNothing) {
  Hysteresis state(1, kHalfSecond);
  state.step(1, 0.0);
  state.step(0, 0.0);
  EXPECT_EQ(state.step(0, 1e9), 1);
  EXPECT_EQ(state.step(0, 5.0), 1);
  EXPECT_EQ(state.step(0, 1e9), 1) << "two jumps count 2 × 0.125 s";
  EXPECT_EQ(state.step(0, 1e9 + 0.125), 1);
  EXPECT_EQ(state.step(0, 1e9 + 0.25), 0);
}

TEST(Hysteresis, RequestsOutsideTheLevelsAreTheWorst) {
  Hysteresis state(2, kHalfSecond);
  EXPECT_EQ(state.step(3, 0.0), 2);
  state.reset(0);
  EXPECT_EQ(state.step(-1, 0.0), 2);
  state.reset(7);
  EXPECT_EQ(state.level(), 2);
}

TEST(Hysteresis, ResetForgets) {
  Hysteresis state(2, kHalfSecond, 1);
  EXPECT_EQ(state.level(), 1);
  double t = 0.0;
  for (int i = 0; i < 31; ++i) state.step(0, t += kStep);
  state.reset(2);
  EXPECT_EQ(state.step(0, t += kStep), 2);
  EXPECT_EQ(state.step(0, t += kStep), 2);
}

// The rule as it is written, checked against the whole history at every step.
TEST(Hysteresis, AgreesWithTheRuleOnRandomRequests) {
  test::RandomSignals random(61);
  for (int trial = 0; trial < 20; ++trial) {
    const double rise = kStep * random.index(4), fall = kStep * random.index(12);
    Hysteresis state(3, {.rise_dwell = rise, .fall_dwell = fall, .longest_step = 1.0});
    std::vector<double> times;
    std::vector<int> wanted;
    int held = 0, asked = 0;
    for (double t = 0.0; times.size() < 400; t += kStep * (1 + random.index(3))) {
      if (random.index(4) == 0) asked = random.index(4);
      times.push_back(t);
      wanted.push_back(asked);
      // Extremes of the requests of a dwell; there is none while the history is shorter than it.
      const auto extreme = [&](double dwell, bool largest) {
        int found = asked;
        for (std::size_t i = times.size(); i-- > 0;) {
          found = largest ? std::max(found, wanted[i]) : std::min(found, wanted[i]);
          if (times[i] <= t - dwell) return found;
        }
        return largest ? 3 : 0;
      };
      const int lowest = extreme(rise, false), highest = extreme(fall, true);
      held = lowest > held ? lowest : std::min(held, highest);
      ASSERT_EQ(state.step(asked, t), held) << "trial " << trial << ", t " << t;
    }
  }
}

TEST(Hysteresis, RefusesImpossibleOptions) {
  EXPECT_THROW(Hysteresis(0), OptionsError);
  EXPECT_THROW(Hysteresis(2, {}, 3), OptionsError);
  EXPECT_THROW(Hysteresis(2, {}, -1), OptionsError);
  for (const double bad : {-0.1, kNaN, kInfinity}) {
    EXPECT_THROW(Hysteresis(2, {.rise_dwell = bad}), OptionsError);
    EXPECT_THROW(Hysteresis(2, {.fall_dwell = bad}), OptionsError);
    EXPECT_THROW(Hysteresis(2, {.longest_step = bad}), OptionsError);
  }
  EXPECT_THROW(Hysteresis(2, {.longest_step = 0.0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
