// A log that is longer than what one check reads of it.
#include <algorithm>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "check/channel_faults.hpp"

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
  for (SampleMatrix Episode::* const channel :
       {&Episode::q, &Episode::tau, &Episode::target, &Episode::v, &Episode::a, &Episode::imu_quaternion,
        &Episode::imu_angular_velocity, &Episode::imu_specific_force}) {
    if ((window.*channel).rows() > 0) append(window.*channel, to.*channel);
  }
  const Eigen::Index before = to.time.size();
  to.time.conservativeResize(before + window.time.size());
  to.time.tail(window.time.size()) = window.time;
}

}  // namespace

CheckResult check_log(const Robot& robot, const EpisodeReader& log, const CheckOptions& options) {
  if (log.steps() <= kMostRows) return check_log(robot, log.block(0, log.steps()), options);
  const Eigen::Index rows = kMostRows / kWindows;
  Episode windows = without_samples(log.about());
  std::vector<Eigen::Index> seams;
  double seconds = 0.0;
  for (Eigen::Index w = 0; w < kWindows; ++w) {
    const Episode window = log.block((log.steps() - rows) / (kWindows - 1) * w, rows);
    if (w > 0) seams.push_back(windows.time.size());
    append(window, windows);
    seconds = window.time[rows - 1] - window.time[0];
  }
  CheckResult result = detail::check_windows(robot, windows, seams, options);
  const std::string length = windows.has_time() ? significant_text(seconds, 3) + " s" : std::to_string(rows) + " steps";
  result.not_told.push_back("what happens between the " + std::to_string(kWindows) + " windows of " + length +
                            ", spread over the log, that were read: check a part of it");
  return result;
}

}  // namespace antaeus
