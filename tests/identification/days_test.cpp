// Several logs of one robot, days apart: what they share, how far they lie apart, and what that says of another day.
#include <gtest/gtest.h>

#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "identification/made_up_arm.hpp"

namespace antaeus {
namespace {

using test::made_up;
using test::MadeUp;

constexpr unsigned kArm = 900;

MovingLog day(unsigned number, double duration = 24.0, double contact = 0.0) {
  return made_up(kArm, duration, {}, 0.0, {.day = number, .contact = contact}).log;
}

IdentifyRequest request_of(std::vector<MovingLog> logs) {
  IdentifyRequest request;
  for (MovingLog& log : logs) {
    if (log.episode.v.rows() == 0) log.episode.v = SampleMatrix();
    request.logs.push_back({.episode = std::move(log.episode), .labelled = true});
  }
  return request;
}

struct OtherDays {
  double rows = 0.0, square = 0.0, least = 1.0, sd = 0.0;
};
OtherDays judged(const Robot& robot, const NoiseModel& noise) {
  OtherDays result;
  constexpr int kDays = 12;
  for (unsigned number = 101; number < 101 + kDays; ++number) {
    const HoldOut held = judge_moving(robot, noise, {day(number, 12.0)});
    const double covered = held.covered.head(7).mean();
    result.rows += covered / kDays;
    result.least = std::min(result.least, held.covered.head(7).minCoeff());
  }
  return result;
}

// Calibrated on days that were not fitted, from both sides; and from one log alone as far as other robots tell.
TEST(Days, AnotherDayIsCovered) {
  const MadeUp arm = made_up(kArm, 1.0);
  const MovingFit one = fit_moving(arm.robot, {day(1)});
  const MovingFit four = fit_moving(arm.robot, {day(1), day(2), day(3), day(4)});
  MovingFitOptions within;
  within.coulomb_between = within.viscous_between = within.offset_between = 0.0;
  const MovingFit blind = fit_moving(arm.robot, {day(1)}, within);
  ASSERT_TRUE(one.identified && four.identified && blind.identified);
  EXPECT_EQ(one.noise.logs, 1);
  EXPECT_EQ(four.noise.logs, 4);
  const OtherDays by_one = judged(arm.robot, one.noise), by_four = judged(arm.robot, four.noise),
                  by_blind = judged(arm.robot, blind.noise);
  std::cout << "rows of other days covered: one log " << by_one.rows << " (least joint of a day " << by_one.least
            << "), four " << by_four.rows << " (" << by_four.least << "), one without days " << by_blind.rows << " ("
            << by_blind.least << ")\n";
  EXPECT_LT(by_blind.rows, 0.90) << "one log is no evidence of another day";
  EXPECT_GE(by_four.rows, 0.93);
  EXPECT_LE(by_four.rows, 0.985);
  EXPECT_GE(by_one.rows, 0.90);
  EXPECT_GE(by_four.least, 0.6) << "84 joints of days: one in 84 lies beyond 2.5 sds of its offset";
}

TEST(Days, TheSpreadIsEstimated) {
  const MadeUp arm = made_up(kArm, 1.0);
  std::vector<MovingLog> logs;
  for (unsigned number = 1; number <= 10; ++number) logs.push_back(day(number, 14.0));
  const MovingFit fit = fit_moving(arm.robot, logs);
  ASSERT_TRUE(fit.identified);
  double offset = 0.0, coulomb = 0.0;
  for (int j = 0; j < 7; ++j) {
    if (j >= 1 && j <= 3) offset += fit.noise.offset_sd[j] / test::kOffsetOfDays[j] / 3.0;  // beyond a log's own error
    coulomb += fit.noise.coulomb_sd[j] / fit.parameters[torque_parameters(arm.robot.model).coulomb(j)].value / 7.0;
  }
  std::cout << "offset sd " << offset << " of what was made up, Coulomb " << coulomb << " (0.10)\n";
  EXPECT_NEAR(offset, 1.0, 0.4);  // 30 draws: 13 %, and what is stated counts for two of ten
  EXPECT_NEAR(coulomb, test::kCoulombOfDays, 0.03);
  ASSERT_EQ(fit.logs.size(), 10u);
  // Of the joints whose days differ by more than a log's own error; logs tell what they differ by, and not from what.
  MatrixX truth(3, 10), found(3, 10), sd(3, 10);
  for (int number = 0; number < 10; ++number) {
    test::Noise draw(9001 + static_cast<unsigned>(number));
    for (int j = 0; j < 7; ++j) {
      draw(), draw();
      const double offset_of_day = test::kOffsetOfDays[static_cast<std::size_t>(j)] * draw();
      if (j < 1 || j > 3) continue;
      truth(j - 1, number) = offset_of_day;
      found(j - 1, number) = fit.logs[static_cast<std::size_t>(number)].offset[j];
      sd(j - 1, number) = fit.logs[static_cast<std::size_t>(number)].offset_sd[j];
    }
  }
  const VectorX mean = (found - truth).rowwise().mean();
  const MatrixX z = ((found - truth).colwise() - mean).cwiseQuotient(sd);
  std::cout << "offsets of days: z² " << z.squaredNorm() / 27.0 << "\n";
  EXPECT_GE(z.squaredNorm() / 27.0, 0.5);  // χ² of 27: 0.54 to 1.6 in 95 %
  EXPECT_LE(z.squaredNorm() / 27.0, 2.0);  // and an error of half a second that is told from 14 s
}

TEST(Days, ALogWithAContactIsNamedAndLeftOut) {
  const MadeUp arm = made_up(kArm, 1.0);
  const IdentifyResult result =
      identify(arm.robot, request_of({day(1, 14.0), day(2, 14.0), day(3, 14.0, 40.0), day(4, 14.0)}));
  for (const std::string& text : result.missing) std::cout << text << "\n";
  ASSERT_TRUE(result.identified);
  EXPECT_EQ(result.runs, 3);
  const auto told = std::ranges::find_if(result.notes, [](const std::string& note) {
    return note.starts_with("day 3") && note.find("is left out") != std::string::npos;
  });
  ASSERT_NE(told, result.notes.end());
  std::cout << *told << "\n";
  EXPECT_NE(told->find(" N for "), std::string::npos);
  // Of two nobody knows which.
  const IdentifyResult two = identify(arm.robot, request_of({day(1, 14.0), day(3, 14.0, 40.0)}));
  EXPECT_FALSE(two.identified);
  const IdentifyResult free = identify(arm.robot, request_of({day(1, 14.0), day(2, 14.0), day(3, 14.0), day(4, 14.0)}));
  EXPECT_TRUE(free.identified);
  EXPECT_EQ(free.runs, 4);
  ASSERT_EQ(free.coverage.size(), 2u);
  for (const CoverageTable& table : free.coverage) {
    for (const Coverage& row : table.rows) {
      EXPECT_LE(row.within_50, row.within_80);
      EXPECT_LE(row.within_95, row.within_99);
      EXPECT_LT(row.nees_low, 1.0);
      EXPECT_GT(row.nees_high, 1.0);
    }
  }
  ASSERT_FALSE(free.another_day.empty());
  EXPECT_LT(free.another_day[0].sd_then, free.another_day[0].sd);
}

TEST(Days, AProfileOfAnOlderVersionIsReadWithTheSpreadOfOtherRobots) {
  const MadeUp arm = made_up(kArm, 1.0);
  NoiseModel noise = fit_moving(arm.robot, {day(1)}).noise;
  noise.coulomb_sd = noise.viscous_sd = noise.offset_sd = VectorX();
  noise.logs = -1;
  assume_days(arm.robot.model, noise);
  EXPECT_EQ(noise.logs, 0);
  const int p = torque_parameters(arm.robot.model).coulomb(1);
  EXPECT_NEAR(noise.coulomb_sd[1],
              0.08 * std::sqrt(std::pow(noise.parameters[p], 2) + noise.factor.row(p).squaredNorm()), 1e-12);
  EXPECT_NEAR(noise.offset_sd[1], std::min(0.0025 * arm.robot.model.effort_limits()[1], noise.white_sd[1]), 1e-12);
}

}  // namespace
}  // namespace antaeus
