#pragma once
/// \file
/// A log as it stands: every channel of numbers that its files hold, for no robot in particular.
///
/// What load_episode refuses is read here: another robot's number of motors, NaN throughout, one row, a clock that goes
/// back. Set-up code: allocates.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

/// What a channel is, by its name and columns (raw_log_test holds the names). The first five have one column a joint.
enum class ChannelRole : std::uint8_t {
  torque,
  position,
  target,
  velocity,
  acceleration,
  orientation,
  gyro,
  accelerometer,
  other
};
constexpr auto enum_names(ChannelRole) noexcept {
  return name_list<ChannelRole>("torque", "position", "target", "velocity", "acceleration", "orientation", "gyro",
                                "accelerometer", "other");
}

/// N rows that belong together: a file, a member, a group of CSV columns.
struct RawChannel {
  std::string name = {};    ///< "tau", "qpos", "imu_quat_xyzw", "force", …
  std::string source = {};  ///< file, member or columns
  ChannelRole role = ChannelRole::other;
  std::vector<std::string> columns = {};  ///< what tells them apart: "0", "left_knee", "x"; one alone may be ""
  SampleMatrix values = {};  ///< N × columns, units as logged; orientations x y z w unless the name says wxyz
};

struct ANTAEUS_API RawLog {
  std::string name = {};    ///< last part of the path
  std::string sha256 = {};  ///< as Episode::sha256, and the same where load_episode reads the same channels
  VectorX time = {};        ///< [s], finite and never decreasing; empty: no usable clock
  VectorX stamps = {};      ///< [s], whether they can be used or not; empty: there are none
  std::string clock = {};   ///< what holds them
  bool bad_clock = false;   ///< there are time stamps that cannot be used: the first of `notes` has the reason
  std::vector<RawChannel> channels = {};  ///< by role, then as the files have them; one or more, of one length
  std::vector<Note> notes = {};           ///< what was left out or read how, one line each
  /// Cells of text in columns of numbers that a robot's log needs, as sentences; the columns are left out.
  std::vector<std::string> text_cells = {};
  bool by_name = false;          ///< its format names the joints: columns that match no joint are no joint's by place
  std::string torque_unit = {};  ///< where the format states another than N·m and N: "A"; else empty

  Eigen::Index steps() const noexcept { return channels.empty() ? 0 : channels.front().values.rows(); }
  bool has_time() const noexcept { return time.size() > 0; }
};

/// Reads a folder of .npy files, an .npz, a .csv or a .parquet, and recordings of others (foreign_log.hpp). Columns of
/// tables are grouped by their common stem (tau_0, tau_1: tau). What is not a number, of another length, of more than
/// 256 columns, or damaged while other channels are not, is left out and noted.
/// \throws EpisodeError, one line: nothing there, nothing readable, no rows; Error for a file that is damaged as a
/// whole
ANTAEUS_API RawLog load_raw_log(const std::filesystem::path& path);

/// The same with the channels that are known by their names as [channels] of the robot's profile makes them.
ANTAEUS_API RawLog load_raw_log(const std::filesystem::path& path, const Robot& robot);

/// An episode's channels, with the robot's motor labels as columns.
ANTAEUS_API RawLog raw_log(const Episode& episode, const Robot& robot);
/// The same without a robot: columns are numbers.
ANTAEUS_API RawLog raw_log(const Episode& episode);

/// A number that something can have measured, and that can be drawn. What is finite and larger in size is counted as
/// too large, and is in no least, largest or plot.
inline constexpr double kLargestSample = 1e30;
constexpr bool is_sample(double value) noexcept { return value <= kLargestSample && value >= -kLargestSample; }

/// What one column of a log holds.
struct ColumnFacts {
  double least = kNaN, largest = kNaN;              ///< of the samples (is_sample); NaN: there are none
  Eigen::Index least_step = -1, largest_step = -1;  ///< first rows with them
  Eigen::Index finite = 0;                          ///< rows with a sample
  /// The number that is largest in size, with its sign, and its step.
  double peak() const noexcept { return -least > largest ? least : largest; }
  Eigen::Index peak_step() const noexcept { return -least > largest ? least_step : largest_step; }
};
struct ANTAEUS_API ChannelFacts {
  std::vector<ColumnFacts> columns = {};
  Eigen::Index broken_rows = 0;     ///< with NaN or infinity in any column
  Eigen::Index too_large_rows = 0;  ///< with a number too large to draw in any column
  /// Least and largest sample; NaN: there is none.
  std::pair<double, double> range() const noexcept;
  bool empty = false;   ///< no sample at all
  bool frozen = false;  ///< two rows or more, all equal and samples
};
/// Successive rows with NaN or infinity, or with numbers too large to draw, in the same channels.
struct BrokenRows {
  Eigen::Index from = 0, to = 0;  ///< both included
  std::vector<int> channels = {};
};
/// The clock jumps between a step and the one before it.
struct TimeGap {
  Eigen::Index step = 0;
  double duration = 0.0;
};
constexpr void visit_fields(const TimeGap*, auto&& visit) {
  using G = TimeGap;
  visit(field("step", "", "the one after the gap", &G::step));
  visit(field("duration", "s", "", &G::duration));
}
struct ANTAEUS_API LogFacts {
  std::vector<ChannelFacts> channels = {};  ///< as the log's
  double sample_time = kNaN;                ///< median [s]; NaN without a clock or with one row
  double duration = kNaN;                   ///< [s], first to last row
  std::vector<TimeGap> gaps = {};           ///< longer than three times the median
  /// NaN or infinity, in the order of rows; 10 000 at most, the last up to the last such row. Columns without any
  /// sample do not count here.
  std::vector<BrokenRows> broken = {};
  std::vector<BrokenRows> too_large = {};            ///< the same of numbers too large to draw, in all columns
  Eigen::Index broken_rows = 0, too_large_rows = 0;  ///< in all of `broken`, of `too_large`
};
ANTAEUS_API LogFacts log_facts(const RawLog& log);

}  // namespace antaeus
