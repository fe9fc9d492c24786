#include "antaeus/episode/log_summary.hpp"

#include <algorithm>

#include "antaeus/io/json_fields.hpp"
#include "fitted_log.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kMostGaps = 100;

}  // namespace

Json log_summary(const RawLog& log, const Robot* robot) {
  const detail::FittedLog shown(log, robot);
  const LogFacts& facts = shown.facts;
  Json channels = Json::array(), joints = Json::array(), gaps = Json::array();
  std::int64_t frozen = 0;
  for (std::size_t i = 0; i < log.channels.size(); ++i) {
    const RawChannel& channel = log.channels[i];
    const auto [least, largest] = facts.channels[i].range();
    frozen += facts.channels[i].frozen;
    channels.push_back(Json::object()
                           .set("name", channel.name)
                           .set("role", to_string(channel.role))
                           .set("columns", channel.columns.size())
                           .set("unit", shown.unit_of_channel(static_cast<int>(i)))
                           .set("least", least)
                           .set("largest", largest)
                           .set("nan_rows", facts.channels[i].broken_rows)
                           .set("too_large_rows", facts.channels[i].too_large_rows)
                           .set("frozen", facts.channels[i].frozen)
                           .set("source", channel.source));
  }
  for (int j = 0; j < static_cast<int>(shown.joints.size()); ++j) {
    Json joint = Json::object().set("name", shown.joints[static_cast<std::size_t>(j)]);
    if (const ColumnFacts* q = shown.column(ChannelRole::position, j)) {
      joint.set("least_position", q->least).set("largest_position", q->largest);
    }
    if (const ColumnFacts* tau = shown.column(ChannelRole::torque, j)) {
      joint.set("peak_torque", tau->peak()).set("peak_torque_step", tau->peak_step());
    }
    joints.push_back(std::move(joint));
  }
  double longest = 0.0;
  for (const TimeGap& gap : facts.gaps) {
    longest = std::max(longest, gap.duration);
    if (gaps.size() < kMostGaps) {
      gaps.push_back(Json::object().set("step", gap.step).set("duration_s", gap.duration));
    }
  }
  const int peak = shown.peak_joint();
  const double rate = facts.sample_time > 0.0 ? 1.0 / facts.sample_time : kNaN;
  Json metrics = Json::object()
                     .set("steps", log.steps())
                     .set("duration_s", facts.duration)
                     .set("rate_hz", rate)
                     .set("channels", log.channels.size())
                     .set("joints", shown.joints.size())
                     .set("nan_rows", facts.broken_rows)
                     .set("too_large_rows", facts.too_large_rows)
                     .set("gaps", facts.gaps.size())
                     .set("longest_gap_s", longest)
                     .set("frozen_channels", frozen)
                     .set("peak_torque", peak < 0 ? kNaN : shown.column(ChannelRole::torque, peak)->peak());
  return Json::object()
      .set("schema", "antaeus.show/1")
      .set("log", Json::object().set("name", log.name).set("sha256", log.sha256))
      .set("robot", robot ? Json(shown.robot_name) : Json())
      .set("robot_fits", shown.fits)
      .set("steps", log.steps())
      .set("channels", std::move(channels))
      .set("joints", std::move(joints))
      .set("gaps", std::move(gaps))
      .set("notes", to_json(log.notes))
      .set("metrics", std::move(metrics));
}

}  // namespace antaeus
