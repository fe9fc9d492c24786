#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "format_reader.hpp"

namespace antaeus {

namespace {

/// A number that tells its column, in whatever unit a clock is read: no column is so many.
constexpr double kFirstColumn = 1e6;
constexpr double kNextRow = 0.25;  ///< a clock goes on
constexpr std::size_t kMostColumns = 4096;

void note_unread(const std::vector<std::string>& names, LearntPlaces& learnt) {
  std::string unread;
  constexpr std::size_t kMostNamed = 6;
  std::size_t count = 0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (learnt.places[c].at >= 0) continue;
    if (count++ < kMostNamed) unread += (unread.empty() ? "" : ", ") + printable(names[c]).substr(0, 60);
  }
  if (count > 0) learnt.notes.push_back({NoteCode::unread_columns, "", {unread + (count > kMostNamed ? ", …" : "")}});
}

/// The column, and by what it was scaled.
RowPlace column_of(double told, std::size_t columns, std::size_t& column) {
  for (const double scale : {1.0, 1e-3, 1e-6, 1e-9}) {
    const double place = told / scale - kFirstColumn;
    if (!(place > -0.5) || !(place < static_cast<double>(columns) - 0.5)) continue;
    column = static_cast<std::size_t>(std::lround(place));
    return {0, scale};
  }
  throw Error("stream", "a column whose numbers are scaled by its name", "name its unit in the profile's [channels]");
}

}  // namespace

void name_numbers(const std::string& array, std::size_t count, QuaternionOrder order, std::vector<std::string>& names) {
  const auto add = [&](const std::string& stem, std::string_view axes) {
    for (const char axis : axes) names.push_back(stem + "_" + axis);
  };
  if (array == "imu_quat_xyzw" && count == 4) return add("imu_quat", "xyzw");
  if (array == "imu_quat_wxyz" && count == 4) return add("imu_quat", "wxyz");
  if (array == "imu_quat" && count == 4) return add("imu_quat", order == QuaternionOrder::xyzw ? "xyzw" : "wxyz");
  if ((array == "imu_gyro" || array == "imu_acc") && count == 3) return add(array, "xyz");
  for (std::size_t i = 0; i < count; ++i) names.push_back(array + "_" + std::to_string(i));
}

void require_whole(const LearntPlaces& learnt, const std::string& array, std::size_t first, std::size_t count,
                   const Robot& robot) {
  const auto places = std::span(learnt.places).subspan(first, count);
  const auto used = std::ranges::count_if(places, [](const RowPlace& place) { return place.at >= 0; });
  if (used == 0 || used == std::ssize(places)) return;
  throw EpisodeError("stream",
                     printable(array) + " has " + std::to_string(count) + " numbers, the " + robot.profile.name + " " +
                         std::to_string(robot.model.motor_count()) + " motors",
                     "send one number per motor in the profile's order, or name the joints too");
}

LearntPlaces learn_places(const std::vector<std::string>& names, const std::string& stream, const Robot& robot,
                          ColumnNames columns, NamedOrder order) {
  if (names.size() > kMostColumns) {
    throw Error(stream, std::to_string(names.size()) + " numbers per message", "send the robot's channels alone");
  }
  Table table;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double told = kFirstColumn + static_cast<double>(c);
    table.add({names[c], "", "", std::vector<double>{told, told + kNextRow}});
  }
  Robot plain = robot;
  plain.profile.channels = {};
  if (order == NamedOrder::profiles) plain.profile.channels.quaternion_order = robot.profile.channels.quaternion_order;
  const Episode log = read_table(table, stream, plain, robot.profile.settings.get<EpisodeOptions>(), columns);
  if (std::ranges::count(log.missing, "tau") > 0) {
    throw EpisodeError(stream, "it has no torques",
                       "send tau, one number per motor: no force can be estimated without torques");
  }
  LearntPlaces learnt;
  learnt.notes = log.notes;
  learnt.places.resize(names.size());
  const RowLayout layout(robot.model.motor_count());
  const auto take = [&](const SampleMatrix& samples, Eigen::Index first) {
    if (samples.rows() == 0) return false;
    for (Eigen::Index j = 0; j < samples.cols(); ++j) {
      std::size_t column = 0;
      column_of(samples(0, j), names.size(), column);
      learnt.places[column] = {first + j};
    }
    return true;
  };
  take(log.q, layout.q());
  take(log.tau, layout.tau());
  learnt.channels.v = take(log.v, layout.v());
  learnt.channels.a = take(log.a, layout.a());
  learnt.channels.quaternion = take(log.imu_quaternion, layout.quaternion());
  learnt.channels.gyro = take(log.imu_angular_velocity, layout.gyro());
  learnt.channels.accelerometer = take(log.imu_specific_force, layout.accelerometer());
  if (log.has_time()) {
    std::size_t column = 0;
    RowPlace place = column_of(log.time[0], names.size(), column);
    place.at = RowLayout::kStamp;
    learnt.places[column] = place;
    learnt.channels.stamp = true;
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    for (const char* name : {"seq", "sequence", "seq_0", "sequence_0"}) {
      if (names[c] == name && learnt.places[c].at < 0) learnt.places[c] = {RowLayout::kSequence};
    }
  }
  note_unread(names, learnt);
  return learnt;
}

}  // namespace antaeus
