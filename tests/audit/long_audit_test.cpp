// A log that is too long to be kept: written as the whole audit writes it, counted, and taken apart where it matters.
#include <gtest/gtest.h>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/report/pages.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

/// Good minutes around the incident: more steps than one block.
const Episode& long_log() {
  static const Episode log = [] {
    const Robot& robot = test::own_robot("h1_2");
    const Episode good = make_twin(robot, TwinKind::good).episode, bad = make_twin(robot, TwinKind::incident).episode;
    constexpr Eigen::Index kBefore = 9000, kAfter = 1500;
    Episode all = without_samples(good);
    all.simulated = false;
    const Eigen::Index steps = kBefore + bad.steps() + kAfter;
    all.time.resize(steps);
    for (SampleMatrix Episode::* const channel : {&Episode::q, &Episode::tau, &Episode::target}) {
      (all.*channel).resize(steps, (good.*channel).cols());
    }
    for (Eigen::Index i = 0; i < steps; ++i) {
      const bool is_bad = i >= kBefore && i < kBefore + bad.steps();
      const Episode& from = is_bad ? bad : good;
      const Eigen::Index row = is_bad ? i - kBefore : i % good.steps();
      all.time[i] = 0.02 * static_cast<double>(i);
      for (SampleMatrix Episode::* const channel : {&Episode::q, &Episode::tau, &Episode::target}) {
        (all.*channel).row(i) = (from.*channel).row(row);
      }
    }
    all.tau(100, 2) = kNaN;
    all.invalid_steps = {100};
    return all;
  }();
  return log;
}

struct Written {
  Audit audit;
  std::string csv;
  std::int64_t rows = 0;
};
Written audited(double memory) {
  const Robot& robot = test::own_robot("h1_2");
  AuditRequest request;
  request.endpoints = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  request.memory = memory;
  Written written;
  const auto write = [&](std::int64_t rows, const TableParts& next) {
    written.rows = rows;
    write_csv(next, [&](std::string_view bytes) { written.csv += bytes; });
  };
  std::vector<EpisodeReader> logs;
  logs.emplace_back(long_log());
  written.audit =
      run_audit(robot, std::move(logs), request, audit_options(robot, request.endpoints), Progress(), write);
  return written;
}
const Written& whole() {
  static const Written all = audited(1e12);
  return all;
}
const Written& parted() {
  static const Written part = audited(20e6);
  return part;
}

TEST(LongAudit, WritesTheSameTable) {
  EXPECT_EQ(whole().audit.whole.steps, 0);
  EXPECT_EQ(parted().audit.whole.steps, long_log().steps());
  EXPECT_EQ(parted().rows, whole().rows);
  EXPECT_EQ(parted().csv, whole().csv) << "to the byte, filters and guards go on from block to block";
}

TEST(LongAudit, CountsWhatTheWholeCounts) {
  const Reconstruction& all = whole().audit.audited.reconstruction;
  ASSERT_EQ(parted().audit.whole.series.size(), all.series.size());
  for (std::size_t k = 0; k < all.series.size(); ++k) {
    const EstimateSeries& one = all.series[k];
    const WholeSeries& told = parted().audit.whole.series[k];
    EXPECT_EQ(told.endpoint, one.endpoint);
    EXPECT_EQ(told.estimator, one.estimator);
    EXPECT_EQ(told.peak_step, one.peak_step);
    EXPECT_EQ(told.peak_force, one.peak_force);
    Eigen::Index steps = 0;
    for (const VerdictCount& count : told.verdicts) {
      EXPECT_EQ(count.steps, std::ranges::count(one.verdict, count.verdict));
      steps += count.steps;
    }
    EXPECT_EQ(steps, all.steps());
    if (one.posterior) {
      EXPECT_EQ(told.alarms, one.posterior->alarms);
      EXPECT_EQ(told.first_alarm, one.posterior->first_alarm);
      EXPECT_EQ(told.refusals, one.posterior->refusals);
      EXPECT_EQ(told.first_refusal, one.posterior->first_refusal);
    }
    for (const GuardTrace& guard : one.guards) {
      if (guard.guard != SingleGuard::watchdog) continue;
      EXPECT_EQ(told.watchdog_acts, guard.acts);
      EXPECT_EQ(told.first_watchdog, guard.first_act);
    }
    double largest = 0.0;
    for (std::size_t b = 0; b < told.x.size(); ++b) {
      EXPECT_LE(told.least[b], told.largest[b]);
      largest = std::max(largest, told.largest[b]);
    }
    EXPECT_EQ(largest, one.peak_force) << "no peak is lost to the bins";
  }
  EXPECT_EQ(parted().audit.whole.invalid_steps, std::ssize(whole().audit.audited.episode.invalid_steps));
  EXPECT_EQ(parted().audit.usable_share, whole().audit.usable_share);
}

TEST(LongAudit, TakesTheSameStepApart) {
  const Audit &all = whole().audit, &part = parted().audit;
  EXPECT_TRUE(all.incident);
  EXPECT_TRUE(part.incident);
  EXPECT_EQ(part.outcome, all.outcome);
  EXPECT_EQ(part.focus_step, all.focus_step);
  EXPECT_EQ(part.focus_endpoint, all.focus_endpoint);
  EXPECT_LT(part.audited.episode.steps(), 3000);
  EXPECT_GT(part.audited.reconstruction.first_step, 0);
  ASSERT_FALSE(part.attributions.empty());
  EXPECT_EQ(part.attributions.front().wrench, all.attributions.front().wrench);
  EXPECT_NE(note_text(part.audited.episode.notes.front()).find("all of them estimated and written"), std::string::npos);
}

TEST(LongAudit, ContactsAreThoseOfTheWhole) {
  const std::vector<ContactInterval>&all = whole().audit.contacts, &told = parted().audit.whole.contacts;
  ASSERT_EQ(told.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(told[i].endpoint, all[i].endpoint);
    EXPECT_EQ(told[i].from, all[i].from);
    EXPECT_EQ(told[i].to, all[i].to);
  }
}

TEST(LongAudit, ThePageShowsAllOfItAndSaysWhatIsTakenApart) {
  const std::string page = html_report(parted().audit);
  EXPECT_NE(page.find("The whole log"), std::string::npos);
  EXPECT_NE(page.find("Force over the whole log"), std::string::npos);
  EXPECT_EQ(html_report(whole().audit).find("Force over the whole log"), std::string::npos);
  EXPECT_NE(whole_log(parted().audit).dump().find("antaeus.audit.whole/1"), std::string::npos);
}

TEST(LongAudit, OfATimeSpanCountsFromItsFirstStep) {
  const Robot& robot = test::own_robot("h1_2");
  AuditRequest request;
  request.endpoints = {"left_wrist_yaw_link"};
  request.memory = 5e6;
  request.from = 20.0;
  request.to = 190.0;
  std::vector<EpisodeReader> logs;
  logs.emplace_back(long_log());
  const Audit audit = run_audit(robot, std::move(logs), request, audit_options(robot, request.endpoints));
  EXPECT_EQ(audit.whole.first_step, 1000);
  EXPECT_EQ(audit.whole.steps, 8501);
  EXPECT_EQ(audit.whole.time_begin, 20.0);
  EXPECT_GE(audit.audited.reconstruction.first_step, 1000);
  EXPECT_GE(audit.focus_step, audit.audited.reconstruction.first_step);
}

}  // namespace
}  // namespace antaeus
