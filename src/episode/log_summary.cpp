#include "antaeus/episode/log_summary.hpp"

#include <algorithm>
#include <ranges>

#include "antaeus/io/json_fields.hpp"
#include "fitted_log.hpp"

namespace antaeus {

namespace detail {

namespace {

constexpr std::ptrdiff_t kMostGaps = 100;

/// A channel of the log with what was found in it.
struct ShownChannel {
  const RawChannel& channel;
  const ChannelFacts& facts;
  std::string unit;
};
constexpr void visit_fields(const ShownChannel*, auto&& visit) {
  using C = ShownChannel;
  visit(file_field("name", "", [](const C& c) { return c.channel.name; }));
  visit(file_field("role", "", [](const C& c) { return c.channel.role; }));
  visit(file_field("columns", "", [](const C& c) { return c.channel.columns.size(); }));
  visit(file_field("unit", "", &C::unit));
  visit(file_field("least", "", [](const C& c) { return c.facts.range().first; }));
  visit(file_field("largest", "", [](const C& c) { return c.facts.range().second; }));
  visit(file_field("nan_rows", "", [](const C& c) { return c.facts.broken_rows; }));
  visit(file_field("too_large_rows", "", [](const C& c) { return c.facts.too_large_rows; }));
  visit(file_field("frozen", "", [](const C& c) { return c.facts.frozen; }));
  visit(file_field("source", "", [](const C& c) { return c.channel.source; }));
}

Json channels_json(const FittedLog& shown) {
  Json channels = Json::array();
  for (std::size_t i = 0; i < shown.log->channels.size(); ++i) {
    channels.push_back(to_json(
        ShownChannel{shown.log->channels[i], shown.facts.channels[i], shown.unit_of_channel(static_cast<int>(i))}));
  }
  return channels;
}

Json joints_json(const FittedLog& shown) {
  Json joints = Json::array();
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
  return joints;
}

double peak_torque(const FittedLog& shown) {
  const int joint = shown.peak_joint();
  return joint < 0 ? kNaN : shown.column(ChannelRole::torque, joint)->peak();
}

}  // namespace

constexpr void visit_fields(const FittedLog*, auto&& visit) {
  using L = FittedLog;
  visit(file_field("schema", "", [](const L&) { return "antaeus.show/1"; }));
  visit(file_field("log.name", "", [](const L& l) { return l.log->name; }));
  visit(file_field("log.sha256", "", [](const L& l) { return l.log->sha256; }));
  visit(file_field("robot", "", [](const L& l) { return l.robot ? Json(l.robot_name) : Json(); }));
  visit(file_field("robot_fits", "", &L::fits));
  visit(file_field("steps", "", [](const L& l) { return l.log->steps(); }));
  visit(file_field("channels", "", channels_json));
  visit(file_field("joints", "", joints_json));
  visit(file_field("gaps", "",
                   [](const L& l) { return list_json(l.facts.gaps | std::views::take(kMostGaps), to_json<TimeGap>); }));
  visit(file_field("notes", "", [](const L& l) {
    std::vector<std::string> notes = l.guesses;
    for (const Note& note : l.log->notes) notes.push_back(note_text(note));
    return notes;
  }));
  visit(file_field("note_details", "", [](const L& l) { return l.log->notes; }));
  visit(file_field("metrics.steps", "", [](const L& l) { return l.log->steps(); }));
  visit(file_field("metrics.duration", "s", [](const L& l) { return l.facts.duration; }));
  visit(file_field("metrics.rate_hz", "",
                   [](const L& l) { return l.facts.sample_time > 0.0 ? 1.0 / l.facts.sample_time : kNaN; }));
  visit(file_field("metrics.channels", "", [](const L& l) { return l.log->channels.size(); }));
  visit(file_field("metrics.joints", "", [](const L& l) { return l.joints.size(); }));
  visit(file_field("metrics.nan_rows", "", [](const L& l) { return l.facts.broken_rows; }));
  visit(file_field("metrics.too_large_rows", "", [](const L& l) { return l.facts.too_large_rows; }));
  visit(file_field("metrics.gaps", "", [](const L& l) { return l.facts.gaps.size(); }));
  visit(file_field("metrics.longest_gap", "s", [](const L& l) {
    double longest = 0.0;
    for (const TimeGap& gap : l.facts.gaps) longest = std::max(longest, gap.duration);
    return longest;
  }));
  visit(file_field("metrics.frozen_channels", "",
                   [](const L& l) { return std::ranges::count_if(l.facts.channels, &ChannelFacts::frozen); }));
  visit(file_field("metrics.peak_torque", "", peak_torque));
}

}  // namespace detail

Json log_summary(const RawLog& log, const Robot* robot) {
  Json json = to_json(detail::FittedLog(log, robot));
  if (robot && !robot->model.options().payloads.empty()) {
    json.set("payloads", to_json(robot->model.options().payloads));
  }
  return json;
}

}  // namespace antaeus
