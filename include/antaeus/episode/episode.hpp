#pragma once
/// \file
/// A recorded episode: loading it, checking it, and reading it step by step.

#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/observation.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// One file, npz member or group of CSV columns that was read.
struct EpisodeChannel {
  std::string name, source, stored_type, sha256;
};
constexpr void visit_fields(const EpisodeChannel*, auto&& visit) {
  using C = EpisodeChannel;
  visit(field("name", "",
              "`tau`, `qpos`, `target_dof`, `dq`, `ddq`, `time`, `imu_quat_xyzw`, `imu_quat_wxyz`, `imu_quat`, "
              "`imu_gyro`, `imu_acc`",
              &C::name)
            .as("channel"));
  visit(field("source", "", "file, member, or pattern of columns", &C::source));
  visit(field("stored_type", "", "`float32`, `float64`, …; `text` for CSV", &C::stored_type));
  visit(field("sha256", "", "of the file's bytes; for npz and CSV of the samples as a float64 `.npy`", &C::sha256));
}

/// Samples of one robot, all in motor order, N steps. Empty matrices were not recorded.
struct ANTAEUS_API Episode {
  std::string name, sha256;
  std::vector<EpisodeChannel> channels;
  /// `ddq` is never among them, since hardly any robot measures it; `imu_gyro` and `imu_acc` only when the other one is
  /// there.
  std::vector<std::string> missing;
  std::vector<Note> notes;
  std::vector<std::string> guesses;  ///< what was taken for granted of its columns' names; the first of `notes`, too

  VectorX time;
  SampleMatrix q, tau, target, v;
  SampleMatrix a;  ///< motor accelerations [rad/s²|m/s²]
  SampleMatrix imu_quaternion;
  SampleMatrix imu_angular_velocity;        ///< N × 3, gyro, sensor axes [rad/s]
  SampleMatrix imu_specific_force;          ///< N × 3, a − g, sensor axes [m/s²]: +9.81 along the axis that points up
  bool simulated = false;                   ///< see Observation::simulated
  std::string torque_unit = {};             ///< of tau, where the log's format states another than N·m; else empty
  std::vector<Eigen::Index> invalid_steps;  ///< rows with NaN or infinity in q, tau, or the quaternion
  /// Joints (and an IMU) without a valid reading in more than 1 % of the steps, the worst first, one sentence each: the
  /// other steps then give no all-clear.
  std::vector<std::string> silent = {};

  Eigen::Index steps() const noexcept { return tau.rows() > 0 ? tau.rows() : q.rows(); }
  bool has_time() const noexcept { return time.size() > 0 && time[0] == time[0]; }
  bool has_imu() const noexcept { return imu_quaternion.rows() > 0; }
  /// Median sample time [s]; NaN without time stamps or with one step.
  double sample_time() const;
  /// Fills an observation that has been filled before without allocating. A step whose gyro or accelerometer holds NaN
  /// counts as not measured there; NaN in v or a is passed on, and its user refuses the sample with the reason.
  void observe(Eigen::Index step, Observation& observation) const;
};
/// Returns the last note on steps that cannot be used (invalid_steps, overflow_steps): why they are invalid. Null
/// where none has it.
ANTAEUS_API const Note* why_invalid(const std::vector<Note>& notes) noexcept;
constexpr void visit_fields(const Episode*, auto&& visit) {
  using E = Episode;
  visit(field("name", "", "last part of the path", &E::name));
  visit(field("sha256", "", "of the channels' hashes, independent of folder and file dates", &E::sha256));
  visit(field("channels", "", "what was read, and from which file", &E::channels));
  visit(field("missing", "", "optional channels that the log does not hold", &E::missing));
  visit(field("notes", "", "what was found and how it was read, one line each", &E::notes));
  visit(field("time", "s", "[N], never decreasing; NaN throughout when not recorded", &E::time));
  visit(field("q", "", "[N × motors], rad or m", &E::q));
  visit(field("tau", "", "[N × motors], N·m or N", &E::tau));
  visit(field("torque_unit", "", "of tau, where the log's format states another than N·m (\"A\"); else empty",
              &E::torque_unit));
  visit(field("target", "", "commanded positions [N × motors], rad or m", &E::target));
  visit(field("v", "", "[N × motors], rad/s or m/s", &E::v));
  visit(field("imu_quaternion", "", "[N × 4], x y z w, sensor in world", &E::imu_quaternion));
}

/// How a log is read. Patterns name CSV columns: {joint} is the joint's name,
/// {label} its short label, {motor} its index.
struct EpisodeOptions {
  std::string time = "time";                  ///< CSV column of the time stamps [s]
  std::string q = "qpos_{motor}";             ///< CSV columns of motor positions; {joint}, {label} or {motor} varies
  std::string tau = "tau_{motor}";            ///< CSV columns of motor torques
  std::string target = "target_dof_{motor}";  ///< CSV columns of commanded positions
  std::string v = "dq_{motor}";               ///< CSV columns of motor velocities
  std::string a = "ddq_{motor}";              ///< CSV columns of motor accelerations
  std::string imu_quaternion = "imu_quat_{axis}";        ///< CSV columns of the IMU's quaternion; {axis} is x, y, z, w
  std::string imu_angular_velocity = "imu_gyro_{axis}";  ///< CSV columns of the gyro [rad/s]; {axis} is x, y, z
  std::string imu_specific_force = "imu_acc_{axis}";     ///< CSV columns of the accelerometer [m/s²]; {axis} is x, y, z
  bool require_target = false;                           ///< whether a log without commanded positions is refused
};
ANTAEUS_API const OptionTable& options_of(const EpisodeOptions&);

/// Reads a folder of .npy files, an .npz with members of those names, or a table (.csv with commas, semicolons or tabs,
/// .parquet) with a header: tau and qpos; target_dof, dq, ddq, time, imu_quat_xyzw or imu_quat_wxyz, imu_gyro and
/// imu_acc optional; `simulated`: a number that is not zero, in a log of a simulation. What is not there under that
/// name, or by the pattern of a table's columns, is looked for by names in use (q, effort, velocity, t_ms, …:
/// raw_log.hpp), its columns by the robot's joints, else in their order; a note says so. A pattern that was set must
/// match. Rows with NaN keep their place; those in tau, qpos or the quaternion are listed, those in other channels are
/// noted. An accelerometer that points away from up, or is far from gravity, is noted; so is what InputChecks finds
/// step by step.
/// \throws EpisodeError that names file, place and remedy: missing, empty, ragged, wrong motor count, time going back,
///         an accelerometer in g; Error for a file that is damaged in itself
ANTAEUS_API Episode load_episode(const std::filesystem::path& path, const Robot& robot,
                                 const EpisodeOptions& options = {});

/// The same without refusing values, for who says what is wrong with a log: a clock that goes back or is not finite, an
/// accelerometer in g, NaN throughout, one row and channels that are missing are all read. `time` is as the clock has
/// it; `missing` names torques ("tau") or positions ("qpos") too, whose matrix is then empty. Notes say how channels
/// were read, not what was found in them. load_episode is this and its refusals.
/// \throws EpisodeError for a file that cannot be read, a log without torques and without positions, no rows, and
///         shapes that cannot be the robot's
ANTAEUS_API Episode read_episode(const std::filesystem::path& path, const Robot& robot,
                                 const EpisodeOptions& options = {});

/// Makes the channels of an episode those of its robot, as both loaders do with the profile's. The order of the
/// quaternion's numbers is not applied: it is of the file. A clock that goes back or is not finite moves nothing in
/// time, and is noted.
/// \throws OptionsError for a list that is not as long as the episode has motors
ANTAEUS_API void apply_channel_map(const ChannelMap& map, Episode& episode);

/// The part with from ≤ time ≤ to [s]; a negative limit is none. Steps keep their number through `first_step`.
/// \throws EpisodeError when nothing is left, or the log has no time stamps
ANTAEUS_API Episode cut_episode(const Episode& episode, double from, double to, Eigen::Index& first_step);

/// Writes the channels that are present as .npy files, whole or not at all.
ANTAEUS_API void write_episode(const Episode& episode, const std::filesystem::path& folder);

}  // namespace antaeus
