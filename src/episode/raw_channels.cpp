#include "raw_channels.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace antaeus {

namespace {

struct KnownName {
  std::string_view name;
  ChannelRole role;
};
/// Names in use for what robots log, beside those of load_episode.
constexpr std::array kKnown = {
    KnownName{"tau", ChannelRole::torque},
    KnownName{"torque", ChannelRole::torque},
    KnownName{"torques", ChannelRole::torque},
    KnownName{"effort", ChannelRole::torque},
    KnownName{"efforts", ChannelRole::torque},
    KnownName{"joint_torques", ChannelRole::torque},
    KnownName{"joint_efforts", ChannelRole::torque},
    KnownName{"tau_est", ChannelRole::torque},
    KnownName{"qpos", ChannelRole::position},
    KnownName{"q", ChannelRole::position},
    KnownName{"position", ChannelRole::position},
    KnownName{"positions", ChannelRole::position},
    KnownName{"joint_positions", ChannelRole::position},
    KnownName{"joint_pos", ChannelRole::position},
    KnownName{"target_dof", ChannelRole::target},
    KnownName{"target", ChannelRole::target},
    KnownName{"targets", ChannelRole::target},
    KnownName{"q_target", ChannelRole::target},
    KnownName{"q_des", ChannelRole::target},
    KnownName{"q_cmd", ChannelRole::target},
    KnownName{"joint_targets", ChannelRole::target},
    KnownName{"dq", ChannelRole::velocity},
    KnownName{"qd", ChannelRole::velocity},
    KnownName{"qvel", ChannelRole::velocity},
    KnownName{"velocity", ChannelRole::velocity},
    KnownName{"velocities", ChannelRole::velocity},
    KnownName{"joint_velocities", ChannelRole::velocity},
    KnownName{"joint_vel", ChannelRole::velocity},
    KnownName{"ddq", ChannelRole::acceleration},
    KnownName{"qdd", ChannelRole::acceleration},
    KnownName{"qacc", ChannelRole::acceleration},
    KnownName{"joint_accelerations", ChannelRole::acceleration},
    KnownName{"imu_quat_xyzw", ChannelRole::orientation},
    KnownName{"imu_quat_wxyz", ChannelRole::orientation},
    KnownName{"imu_quat", ChannelRole::orientation},
    KnownName{"imu_gyro", ChannelRole::gyro},
    KnownName{"gyro", ChannelRole::gyro},
    KnownName{"imu_acc", ChannelRole::accelerometer},
    KnownName{"accelerometer", ChannelRole::accelerometer},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_axis(char c) { return std::string_view("xyzwXYZW").find(c) != std::string_view::npos; }
bool is_separator(char c) { return std::string_view("_/.: -[(").find(c) != std::string_view::npos; }

/// Without what only sets it off: "[3]" is 3, "- arm_1_" is arm_1.
std::string_view bare(std::string_view text) {
  while (!text.empty() && (is_separator(text.front()) || text.front() == ')' || text.front() == ']')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (is_separator(text.back()) || text.back() == ')' || text.back() == ']')) {
    text.remove_suffix(1);
  }
  return text;
}

/// "tau_left_knee", "effort/left_knee", "left_knee_position": the longest known name at either end.
std::optional<ColumnPlace> known_place(std::string_view column) {
  const std::string_view plain = bare(column);
  const std::string low = lower(plain);
  std::optional<ColumnPlace> place;
  // Names that our own files begin with go before what a joint's name may end with: qpos_lift_position.
  constexpr std::array<std::string_view, 5> kOwn = {"tau_", "qpos_", "target_dof_", "dq_", "ddq_"};
  const bool is_own = std::ranges::any_of(kOwn, [&](std::string_view own) { return low.starts_with(own); });
  for (const KnownName& known : kKnown) {
    if (low.size() <= known.name.size() || (place && place->channel.size() >= known.name.size())) continue;
    const std::size_t rest = low.size() - known.name.size();
    std::string_view label;
    if (low.starts_with(known.name) && is_separator(low[known.name.size()])) {
      label = bare(plain.substr(known.name.size()));
    } else if (!is_own && low.ends_with(known.name) && is_separator(low[rest - 1])) {
      label = bare(plain.substr(0, rest));
    }
    if (!label.empty()) place = ColumnPlace{std::string(known.name), std::string(label)};
  }
  return place;
}

/// "force_x", "Fx", "sensor[3]", "cell7": an axis or an index at the end.
ColumnPlace ended_place(std::string_view column) {
  const std::string_view plain = bare(column);
  std::size_t end = plain.size();
  while (end > 0 && is_digit(plain[end - 1])) --end;
  if (end == plain.size() && end > 0 && is_axis(plain[end - 1])) --end;
  const std::string_view stem = bare(plain.substr(0, end));
  if (end == plain.size() || stem.empty()) return {std::string(column), ""};
  return {std::string(stem), std::string(plain.substr(end))};
}

}  // namespace

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return low;
}

std::optional<double> time_unit(std::string_view name) {
  std::string letters;
  for (const char c : lower(name)) {
    if (c >= 'a' && c <= 'z') letters += c;
  }
  constexpr std::array<std::string_view, 6> kTime = {"time", "timestamp", "timestamps", "stamp", "t", "sec"};
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
      {{"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  for (const std::string_view time : kTime) {
    for (const auto& [unit, seconds] : kUnits) {
      if (letters == std::string(time) + std::string(unit)) return seconds;
    }
  }
  return letters == "seconds" ? std::optional<double>(1.0) : std::nullopt;
}

ChannelRole channel_role(std::string_view name, const std::vector<std::string>& columns) {
  const std::string low = lower(name);
  for (const KnownName& known : kKnown) {
    if (low != known.name) continue;
    switch (known.role) {
      case ChannelRole::orientation: return columns.size() == 4 ? known.role : ChannelRole::other;
      case ChannelRole::gyro:
      case ChannelRole::accelerometer: return columns.size() == 3 ? known.role : ChannelRole::other;
      default: break;
    }
    const bool axes = columns.size() > 1 && std::all_of(columns.begin(), columns.end(), [](const std::string& label) {
                        return label.size() == 1 && is_axis(label[0]);
                      });
    return axes ? ChannelRole::other : known.role;
  }
  return ChannelRole::other;
}

std::vector<ColumnPlace> column_places(const std::vector<std::string>& names) {
  std::vector<ColumnPlace> places;
  std::map<std::string, int> sharing;
  for (const std::string& name : names) {
    const std::optional<ColumnPlace> known = known_place(name);
    places.push_back(known ? *known : ended_place(name));
    ++sharing[places.back().channel];
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool known = channel_role(places[i].channel, {""}) != ChannelRole::other;
    if (sharing[places[i].channel] == 1 && !known) places[i] = {names[i], ""};
  }
  return places;
}

}  // namespace antaeus
