// A raw log read through [channels] of a robot's profile.
#include <algorithm>

#include "antaeus/episode/raw_log.hpp"
#include "fitted_log.hpp"
#include "logged_base.hpp"

namespace antaeus {

namespace {

/// Of the log, per motor; empty where not every motor has one.
std::vector<int> columns_of(const detail::FittedLog& fitted, int motors) {
  std::vector<int> columns(static_cast<std::size_t>(motors), -1);
  for (std::size_t j = 0; j < fitted.motors.size(); ++j) {
    if (fitted.motors[j] >= 0) columns[static_cast<std::size_t>(fitted.motors[j])] = static_cast<int>(j);
  }
  if (std::find(columns.begin(), columns.end(), -1) != columns.end()) columns.clear();
  return columns;
}

/// Motions as `contact` takes them have q [nq] and v, a [nv] of a floating base in one channel: the base goes into
/// channels of its own, and the motors stay.
void split_floating_base(const RobotModel& model, RawLog& log) {
  if (model.base() != Base::free_flyer || model.nq() != model.nv() + 1) return;
  std::vector<int> places;  // of each motor, behind the base
  for (const int row : model.motor_rows()) places.push_back(row - 6);
  std::vector<std::string> motors = model.motor_names();
  const auto motor_part = [&](RawChannel& channel, Eigen::Index base) {
    std::vector<Eigen::Index> columns;
    for (const int place : places) columns.push_back(base + place);
    channel.values = SampleMatrix(channel.values(Eigen::all, columns));
    channel.columns = motors;
  };
  std::vector<RawChannel> added;
  for (RawChannel& channel : log.channels) {
    const bool numbered = !channel.columns.empty() && channel.columns.front() == "0";
    const Eigen::Index width = channel.values.cols();
    if (!numbered || width == model.motor_count()) continue;
    if (channel.role == ChannelRole::position && width == model.nq()) {
      const SampleMatrix pose = channel.values.leftCols(7);
      const bool unit = ((pose.rightCols(4).rowwise().norm().array() - 1.0).abs() < 1e-2).all();
      if (!unit) continue;
      added.push_back({"base_position", channel.source, ChannelRole::other, {"x", "y", "z"}, pose.leftCols(3)});
      added.push_back(
          {detail::kBaseQuaternion, channel.source, ChannelRole::orientation, {"x", "y", "z", "w"}, pose.rightCols(4)});
      log.notes.push_back({NoteCode::base_columns, channel.name, {width}});
      motor_part(channel, 7);
    } else if ((channel.role == ChannelRole::velocity || channel.role == ChannelRole::acceleration) &&
               width == model.nv()) {
      added.push_back({"base_" + channel.name, channel.source, ChannelRole::other, {}, channel.values.leftCols(6)});
      for (int c = 0; c < 6; ++c) added.back().columns.push_back(std::to_string(c));
      motor_part(channel, 6);
    }
  }
  const bool turned = std::ranges::any_of(
      log.channels, [](const RawChannel& channel) { return channel.role == ChannelRole::orientation; });
  for (RawChannel& channel : added) {
    // Where an IMU tells as well, the log says two things, and the IMU's is the measured one.
    if (channel.role == ChannelRole::orientation && turned) channel.role = ChannelRole::other;
    log.channels.push_back(std::move(channel));
  }
  std::stable_sort(log.channels.begin(), log.channels.end(),
                   [](const RawChannel& a, const RawChannel& b) { return a.role < b.role; });
}

/// A field of an episode that a channel of the log fills while the map is applied.
struct Lent {
  SampleMatrix Episode::* samples;
  int place;
};

}  // namespace

RawLog load_raw_log(const std::filesystem::path& path, const Robot& robot) {
  RawLog log = load_raw_log(path);
  split_floating_base(robot.model, log);
  const ChannelMap& map = robot.profile.channels;
  if (map.is_identity()) return log;
  std::vector<int> columns;
  std::vector<Lent> lent;
  {
    const detail::FittedLog fitted(log, &robot);
    columns = columns_of(fitted, robot.model.motor_count());
    for (const auto& [role, samples] :
         {std::pair{ChannelRole::torque, &Episode::tau}, std::pair{ChannelRole::position, &Episode::q},
          std::pair{ChannelRole::target, &Episode::target}, std::pair{ChannelRole::velocity, &Episode::v},
          std::pair{ChannelRole::acceleration, &Episode::a}}) {
      if (!columns.empty() && fitted.place(role) >= 0) lent.push_back({samples, fitted.place(role)});
    }
    if (fitted.gyro >= 0) lent.push_back({&Episode::imu_angular_velocity, fitted.gyro});
    if (fitted.accelerometer >= 0) lent.push_back({&Episode::imu_specific_force, fitted.accelerometer});
    if (fitted.orientation >= 0) {
      RawChannel& quaternion = log.channels[static_cast<std::size_t>(fitted.orientation)];
      const bool scalar_first =
          quaternion.name.find("wxyz") != std::string::npos ||
          (quaternion.name.find("xyzw") == std::string::npos && robot.profile.imu.order == QuaternionOrder::wxyz);
      const QuaternionOrder order =
          map.quaternion_order.value_or(scalar_first ? QuaternionOrder::wxyz : QuaternionOrder::xyzw);
      quaternion.name = "imu_quat_" + std::string(to_string(order));
      quaternion.columns = order == QuaternionOrder::wxyz ? std::vector<std::string>{"w", "x", "y", "z"}
                                                          : std::vector<std::string>{"x", "y", "z", "w"};
      if (map.quaternion_inverse) {
        quaternion.values.middleCols(order == QuaternionOrder::wxyz ? 1 : 0, 3) *= -1.0;
      }
    }
  }
  Episode episode;
  episode.time = log.time;
  const auto of_motors = [](SampleMatrix Episode::* samples) {
    return samples != &Episode::imu_angular_velocity && samples != &Episode::imu_specific_force;
  };
  for (const Lent& one : lent) {
    const SampleMatrix& values = log.channels[static_cast<std::size_t>(one.place)].values;
    episode.*one.samples = of_motors(one.samples) ? SampleMatrix(values(Eigen::all, columns)) : values;
  }
  apply_channel_map(map, episode);
  for (const Lent& one : lent) {
    SampleMatrix& values = log.channels[static_cast<std::size_t>(one.place)].values;
    if (!of_motors(one.samples)) {
      values = episode.*one.samples;
      continue;
    }
    for (std::size_t m = 0; m < columns.size(); ++m) {
      values.col(columns[m]) = (episode.*one.samples).col(static_cast<Eigen::Index>(m));
    }
  }
  log.time = episode.time;
  log.stamps *= map.time_scale;
  log.notes.insert(log.notes.end(), episode.notes.begin(), episode.notes.end());
  log.notes.emplace_back(columns.empty() ? NoteCode::profile_channels_of_imu : NoteCode::profile_channels);
  return log;
}

}  // namespace antaeus
