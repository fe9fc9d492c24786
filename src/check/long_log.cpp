// A log that is longer than what one check reads of it.
#include <algorithm>
#include <array>
#include <functional>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "check/channel_faults.hpp"
#include "episode/channels.hpp"

namespace antaeus {

namespace {

constexpr Eigen::Index kMostRows = 100'000;  // of a log that is read whole: some 100 MB of a humanoid
constexpr Eigen::Index kWindows = 6;         // of a longer one, as many as even_log takes

void append(const SampleMatrix& rows, SampleMatrix& to) {
  const Eigen::Index before = to.rows();
  to.conservativeResize(before + rows.rows(), rows.cols());
  to.bottomRows(rows.rows()) = rows;
}

void append(const Episode& window, Episode& to) {
  for_each_channel([&](const NamedChannel& channel) {
    const SampleMatrix& rows = window.*channel.samples;
    if (rows.rows() > 0) append(rows, to.*channel.samples);
  });
  const Eigen::Index before = to.time.size();
  to.time.conservativeResize(before + window.time.size());
  to.time.tail(window.time.size()) = window.time;
}

/// A log that is read or cut in parts.
struct LongLog {
  const Episode& about;
  Eigen::Index steps;
  std::function<Episode(Eigen::Index first, Eigen::Index count)> block;
};

/// Puts what all rows say in place of what those of the windows do.
void count_all_rows(const Robot& robot, const LongLog& log, const Episode& windows,
                    const std::vector<Eigen::Index>& seams, CheckResult& result) {
  constexpr Eigen::Index kRowsOfABlock = 16384;
  detail::ClockCounter of_windows;
  of_windows.take(windows.time, seams);
  detail::ClockCounter clock(of_windows.typical());
  struct Counted {
    const char* name;
    SampleMatrix Episode::* samples;
    detail::BrokenNumbers numbers = {};
  };
  std::array channels = {Counted{"tau", &Episode::tau}, Counted{"qpos", &Episode::q}, Counted{"dq", &Episode::v}};
  for (Eigen::Index first = 0; first < log.steps; first += kRowsOfABlock) {
    const Episode block = log.block(first, std::min(kRowsOfABlock, log.steps - first));
    clock.take(block.time);
    for (Counted& channel : channels) channel.numbers.take(block.*channel.samples);
  }
  std::erase_if(result.findings, [](const Finding& finding) {
    return finding.fault == Fault::not_numbers || finding.fault == Fault::time_back ||
           finding.fault == Fault::time_gap || finding.fault == Fault::time_repeated;
  });
  double unit = 1.0;
  for (Finding& finding : clock.findings(unit)) {
    if (finding.fault != Fault::time_unit && finding.fault != Fault::time_missing)
      result.findings.push_back(std::move(finding));
  }
  for (const Counted& channel : channels) {
    if (auto finding = detail::numbers_finding(channel.name, channel.numbers, robot.model.motor_names()))
      result.findings.push_back(std::move(*finding));
  }
  detail::sort_findings(result.findings);
}

CheckResult check_long(const Robot& robot, const LongLog& log, const CheckOptions& options) {
  const Eigen::Index rows = kMostRows / kWindows;
  Episode windows = without_samples(log.about);
  std::vector<Eigen::Index> seams;
  double seconds = 0.0;
  for (Eigen::Index w = 0; w < kWindows; ++w) {
    const Episode window = log.block((log.steps - rows) / (kWindows - 1) * w, rows);
    if (w > 0) seams.push_back(windows.steps());
    append(window, windows);
    if (window.has_time()) seconds = window.time[rows - 1] - window.time[0];
  }
  CheckResult result = detail::check_windows(robot, windows, seams, options);
  count_all_rows(robot, log, windows, seams, result);
  if (windows.has_time()) result.duration = log.block(log.steps - 1, 1).time[0] - windows.time[0];
  const std::string length = windows.has_time() ? significant_text(seconds, 3) + " s" : std::to_string(rows) + " steps";
  result.not_told.push_back("what happens between the " + std::to_string(kWindows) + " windows of " + length +
                            ", spread over the log, by which channels and torques were judged: check a part of it");
  return result;
}

}  // namespace

CheckResult check_log(const Robot& robot, const Episode& log, const CheckOptions& options) {
  if (log.steps() <= kMostRows) return detail::check_windows(robot, log, {}, options);
  const auto block = [&](Eigen::Index first, Eigen::Index count) { return cut_steps(log, first, count); };
  return check_long(robot, {log, log.steps(), block}, options);
}

CheckResult check_log(const Robot& robot, const EpisodeReader& log, const CheckOptions& options) {
  if (log.steps() <= kMostRows) return check_log(robot, log.block(0, log.steps()), options);
  const auto block = [&](Eigen::Index first, Eigen::Index count) { return log.block(first, count); };
  return check_long(robot, {log.about(), log.steps(), block}, options);
}

CheckSeries check_series(const Robot& robot, const EpisodeReader& log, const CheckResult& result) {
  return check_series(robot, log.block(0, std::min(kMostRows, log.steps())), result);
}

}  // namespace antaeus
