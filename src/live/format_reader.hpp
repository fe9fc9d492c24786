#pragma once
// What each format's reader is made of, and how names become places of a row. Private to src/live.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/live/message_decoder.hpp"

namespace antaeus {

/// A number of a message: where it belongs in the row.
struct RowPlace {
  Eigen::Index at = -1;  ///< −1: nowhere
  double scale = 1.0;    ///< [s] per unit of a clock whose name says its unit; 1 elsewhere
};

/// What the names of a message's numbers say.
struct LearntPlaces {
  std::vector<RowPlace> places;  ///< one a name
  StreamChannels channels;
  std::vector<Note> notes;
};

/// Whether a quaternion that says the order of its numbers by its name may be read otherwise by the profile.
enum class NamedOrder { profiles, final };

/// By the rules of logs: the names are read as the columns of one. \param stream  what messages call it
/// \param columns  by_joint: the stream names its joints
/// \throws EpisodeError as read_episode: joints that are missing or unknown, no torques, no positions
LearntPlaces learn_places(const std::vector<std::string>& names, const std::string& stream, const Robot& robot,
                          ColumnNames columns, NamedOrder order = NamedOrder::profiles);

/// Names of an array's numbers as columns of a log have them: qpos_0 …, imu_quat_x …
/// \param order  of four numbers that are called imu_quat alone
void name_numbers(const std::string& array, std::size_t count, QuaternionOrder order, std::vector<std::string>& names);

/// An array without names is whole or not the robot's: one that is longer than the robot has motors was another's.
/// \throws EpisodeError
void require_whole(const LearntPlaces& learnt, const std::string& array, std::size_t first, std::size_t count,
                   const Robot& robot);

/// One format.
class FormatReader {
 public:
  virtual ~FormatReader() = default;
  /// \param row  NaN throughout. \throws Error at the first message alone
  virtual Decoded read(std::span<const std::byte> message, int part, VectorX& row) = 0;
  const char* problem = "";  ///< of an unusable message after the first
  LearntPlaces learnt;
};

struct ReaderOptions {
  const Robot& robot;
  RowLayout layout;
  std::optional<QuaternionOrder> asked;  ///< order of the stream's quaternions, above profile and names

  /// Of four numbers without names, where no loader of logs puts them in order.
  QuaternionOrder order() const { return asked.value_or(robot.profile.channels.quaternion_order.value_or(named())); }
  /// Of the names that such numbers get, where one does: [channels] of the profile is applied behind it.
  QuaternionOrder column_order() const {
    return asked.value_or(robot.profile.channels.quaternion_order ? QuaternionOrder::xyzw : named());
  }
  NamedOrder names() const { return asked ? NamedOrder::final : NamedOrder::profiles; }

 private:
  QuaternionOrder named() const { return robot.profile.imu.order; }
};
std::unique_ptr<FormatReader> json_reader(const ReaderOptions& options);
std::unique_ptr<FormatReader> csv_reader(const ReaderOptions& options);
std::unique_ptr<FormatReader> arrays_reader(const ReaderOptions& options);
std::unique_ptr<FormatReader> low_state_reader(const ReaderOptions& options, bool quadruped);
std::unique_ptr<FormatReader> ros_reader(const ReaderOptions& options);

}  // namespace antaeus
