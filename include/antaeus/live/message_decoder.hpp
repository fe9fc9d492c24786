#pragma once
/// \file
/// Messages of a running robot: from the bytes that arrive to one row of numbers, by places that are looked up once.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// How a stream's messages are written.
/// `json`: one object a message, its keys named as a log's channels (docs/guide/live.md). `csv`: one row of a table;
/// the first message is its header. `arrays`: the first message is a JSON object {"channels": [["qpos", 27], …]}, each
/// later one its numbers as little-endian float64. `low_state_hg`, `low_state_go`: Unitree's LowState of 35 motors
/// (humanoids) and of 20 (quadrupeds), as DDS carries it (XCDR1, little-endian). `ros2`: sensor_msgs/JointState (part
/// 0) and Imu (part 1), as ROS 2 carries them (XCDR1).
enum class MessageFormat : std::uint8_t { json, csv, arrays, low_state_hg, low_state_go, ros2 };
constexpr auto enum_names(MessageFormat) noexcept {
  return name_list<MessageFormat>("json", "csv", "arrays", "low_state_hg", "low_state_go", "ros2");
}

/// Where the numbers of one sample stand in its row. As they arrive: before the profile's [channels], which are
/// applied once, by whoever computes with them.
struct RowLayout {
  static constexpr Eigen::Index kStamp = 0;     ///< of the sender's clock, in its unit; NaN: none
  static constexpr Eigen::Index kSequence = 1;  ///< number of the message; NaN: none
  explicit RowLayout(Eigen::Index motor_count) : motors(motor_count) {}
  Eigen::Index motors;
  Eigen::Index q() const noexcept { return 2; }
  Eigen::Index v() const noexcept { return 2 + motors; }
  Eigen::Index a() const noexcept { return 2 + 2 * motors; }
  Eigen::Index tau() const noexcept { return 2 + 3 * motors; }
  Eigen::Index quaternion() const noexcept { return 2 + 4 * motors; }       ///< x y z w
  Eigen::Index gyro() const noexcept { return quaternion() + 4; }           ///< [rad/s]
  Eigen::Index accelerometer() const noexcept { return quaternion() + 7; }  ///< [m/s²]
  Eigen::Index size() const noexcept { return quaternion() + 10; }
};

/// Which channels a stream has.
struct StreamChannels {
  bool stamp = false, v = false, a = false, quaternion = false, gyro = false, accelerometer = false;
  bool operator==(const StreamChannels&) const noexcept = default;
};

/// `sample`: the row is filled. `kept`: taken in, no sample by itself (a header, an IMU's message). `unusable`: see
/// problem().
enum class Decoded : std::uint8_t { sample, kept, unusable };

/// Reads messages. What a name stands for, and which column is whose, is decided by the rules of logs (load_episode),
/// at the first message; after that a message costs a walk over its bytes. Nothing that a message holds can do more
/// than fill a row or be unusable.
class ANTAEUS_API MessageDecoder {
 public:
  /// \param order  of the stream's quaternions, whatever profile and names say; none: as in a log
  MessageDecoder(const Robot& robot, MessageFormat format, std::optional<QuaternionOrder> order = {});
  MessageDecoder(MessageDecoder&&) noexcept;
  ~MessageDecoder();

  /// \param row  [RowLayout::size()], NaN where the message says nothing
  /// \realtime after the first message (live_realtime_test)
  Decoded decode(std::span<const std::byte> message, int part, VectorX& row) noexcept;
  /// Of the last unusable message: one line. Empty before one.
  const std::string& problem() const noexcept;
  /// True if no later message can be read either: the header of a stream (csv, arrays) is another robot's, or lacks
  /// what is needed. Messages with their own names are skipped one by one, since other publishers may share the topic.
  bool hopeless() const noexcept;
  /// How the stream is read, one line each; known after the first sample.
  const std::vector<Note>& notes() const noexcept;
  const StreamChannels& channels() const noexcept;
  const RowLayout& layout() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
