// A log that is longer than what one check reads of it.
#include <gtest/gtest.h>

#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "check_support.hpp"
#include "tolerances.hpp"

namespace antaeus {
namespace {

/// The right log again and again, forwards and backwards, for ten minutes and more.
Episode long_log(const Robot& robot) {
  const Episode once = test::right_log(robot);
  constexpr Eigen::Index kSteps = 130'000;
  Episode log = without_samples(once);
  log.time.resize(kSteps);
  const auto row = [](Eigen::Index i) {
    const Eigen::Index at = i % (2 * test::kRightSteps);
    return at < test::kRightSteps ? at : 2 * test::kRightSteps - 1 - at;
  };
  for (Eigen::Index i = 0; i < kSteps; ++i) log.time[i] = test::kRightPeriod * static_cast<double>(i);
  // Positions and what depends on them alone: velocities change their sign on the way back.
  for (SampleMatrix Episode::* const channel : {&Episode::q, &Episode::target}) {
    (log.*channel).resize(kSteps, (once.*channel).cols());
    for (Eigen::Index i = 0; i < kSteps; ++i) (log.*channel).row(i) = (once.*channel).row(row(i));
  }
  log.tau.resize(kSteps, once.tau.cols());
  for (Eigen::Index i = 0; i < kSteps; ++i) log.tau.row(i) = once.tau.row(row(i));
  return log;
}

const Finding* found(const CheckResult& result, Fault fault) {
  const auto at = std::ranges::find(result.findings, fault, &Finding::fault);
  return at == result.findings.end() ? nullptr : &*at;
}

TEST(LongLog, WhatStandsBetweenTheWindowsIsCounted) {
  const Robot& robot = test::own_robot("planar_3r");
  Episode log = long_log(robot);
  const CheckResult clean = check_log(robot, EpisodeReader(log));
  EXPECT_EQ(found(clean, Fault::time_gap), nullptr) << "windows are no gaps";
  EXPECT_EQ(found(clean, Fault::time_back), nullptr);
  EXPECT_EQ(found(clean, Fault::not_numbers), nullptr);
  ASSERT_FALSE(clean.not_told.empty());
  EXPECT_NE(clean.not_told.back().find("6 windows of 83.3 s"), std::string::npos) << clean.not_told.back();
  EXPECT_DOUBLE_EQ(clean.duration, test::kRightPeriod * 129'999);

  log.tau(20'000, 1) = kNaN;  // the windows end at 16 666 and begin again at 22 666
  for (Eigen::Index i = 21'000; i < log.steps(); ++i) log.time[i] += 7.0;
  log.time[45'000] = log.time[44'999] - 0.5;
  const CheckResult hurt = check_log(robot, EpisodeReader(log));
  ASSERT_TRUE(found(hurt, Fault::not_numbers));
  EXPECT_EQ(found(hurt, Fault::not_numbers)->size, 1.0 / 130'000);
  ASSERT_TRUE(found(hurt, Fault::time_gap));
  EXPECT_NEAR(found(hurt, Fault::time_gap)->size, 7.0 + test::kRightPeriod, tolerance::kOfAClock);
  ASSERT_TRUE(found(hurt, Fault::time_back));
  EXPECT_NE(found(hurt, Fault::time_back)->text.find("row 45000"), std::string::npos);
}

TEST(LongLog, InMemoryItIsCheckedAlikeAndNeedsNoClock) {
  const Robot& robot = test::own_robot("planar_3r");
  Episode log = long_log(robot);
  log.tau(20'000, 1) = kNaN;
  const CheckResult memory = check_log(robot, log), blocks = check_log(robot, EpisodeReader(log));
  ASSERT_EQ(memory.findings.size(), blocks.findings.size());
  for (std::size_t i = 0; i < memory.findings.size(); ++i) EXPECT_EQ(memory.findings[i].text, blocks.findings[i].text);
  EXPECT_EQ(memory.not_told, blocks.not_told);
  log.time.resize(0);
  EXPECT_TRUE(found(check_log(robot, log), Fault::time_missing));
}

TEST(LongLog, AWrongChannelIsFoundAsInAShortOne) {
  const Robot& robot = test::own_robot("planar_3r");
  Episode log = long_log(robot);
  log.q *= 57.29577951308232;
  EXPECT_TRUE(found(check_log(robot, EpisodeReader(log)), Fault::positions_degrees));
}

}  // namespace
}  // namespace antaeus
