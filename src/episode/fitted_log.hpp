#pragma once
// A raw log with its joints by name, fitted to a robot: what a page of it shows. Private: report reads it.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "antaeus/core/words.hpp"
#include "antaeus/episode/raw_log.hpp"

namespace antaeus::detail {

inline constexpr std::size_t kJointRoles = 5;  ///< torque, position, target, velocity, acceleration

/// Whole channels, and columns of others as people call them: "tau of left knee".
struct NamedParts {
  std::vector<std::string> channels = {}, columns = {};
};

struct FittedLog {
  FittedLog(const RawLog& read, const Robot* given);

  const RawLog* log;
  const Robot* robot;
  LogFacts facts;
  VectorX time;       ///< the log's [s], from `origin` on
  double origin = 0;  ///< [s] the first time stamp, where it counts from long ago: digits of the step would be lost
  /// Place of the channel of each role that has a column a joint; −1: none.
  std::array<int, kJointRoles> joint_channels = {-1, -1, -1, -1, -1};
  int orientation = -1, gyro = -1, accelerometer = -1;
  std::vector<int> others;          ///< places of all other channels
  std::vector<std::string> labels;  ///< one a column of the joint channels, as the log has them
  std::vector<std::string> joints;  ///< the same as people read them, in the robot's words where it fits
  std::vector<int> motors;          ///< per joint the robot's motor; −1: none
  bool fits = false;                ///< the robot's motors move these joints
  /// What was taken for granted of the columns' names, one line each: "axisF → shoulder_pan_joint, … by order".
  std::vector<std::string> guesses;
  bool by_order = false;  ///< labelled columns are taken in the motors' order
  std::string misfit;     ///< why not; empty without a robot
  std::string robot_name, robot_title;
  std::vector<int> by_motion;  ///< joints, those that move most first; without any motion none

  const RawChannel* channel(int place) const {
    return place < 0 ? nullptr : &log->channels[static_cast<std::size_t>(place)];
  }
  int place(ChannelRole role) const { return joint_channels[static_cast<std::size_t>(role)]; }
  const RawChannel* channel(ChannelRole role) const { return channel(place(role)); }
  /// Null where there is no such channel.
  const ColumnFacts* column(ChannelRole role, int joint) const {
    const int at = place(role);
    if (at < 0) return nullptr;
    return &facts.channels[static_cast<std::size_t>(at)].columns[static_cast<std::size_t>(joint)];
  }
  /// Whether the column has any finite number.
  bool has(ChannelRole role, int joint) const {
    const ColumnFacts* facts_of = column(role, joint);
    return facts_of && facts_of->finite > 0;
  }
  /// "N·m", or "N" of a joint that slides.
  std::string unit(ChannelRole role, int joint) const;
  /// Of a whole channel: "rad", "rad or m" where joints differ, "" where it is not known.
  std::string unit_of_channel(int place) const;
  /// The same for people: without a robot that says which joints slide, "N·m (or N where a joint slides)".
  std::string unit_in_words(int place) const;
  /// An IMU's channel, and a fixed base of the robot, which it tells nothing of.
  bool has_idle_imu() const;
  /// "left knee", "force x": a column among all of the log.
  std::string column_name(int place, int column) const;
  bool is_of_joints(int place) const;
  /// What is the same in every row. Not columns of targets, which stand while the robot does, and of orientations,
  /// parts of which do in any plane motion.
  NamedParts frozen() const;
  NamedParts without_numbers() const;
  /// What logs of robots usually hold and this one does not, in words.
  std::vector<std::string> absent() const;
  /// The joint with the torque that is largest in size; −1: there is none.
  int peak_joint() const;
  /// On the page's axis [s]; NaN without a clock.
  double time_of(Eigen::Index step) const { return log->has_time() ? time[step] : kNaN; }

 private:
  std::string part_name(int place, int column) const;
  void find_joints();
  void fit_robot();
  using Same = std::function<bool(const std::string& label, const std::string& motor)>;
  std::size_t match_without_prefixes(const std::function<std::size_t(const Same&)>& match);
  std::size_t match_other_names(const std::function<std::size_t(const Same&)>& match);
  void tell_order();
  void order_joints();
  bool slides(int joint) const;
  bool has_fixed_base() const;
};

/// Whether a column's label counts it and does not name it.
bool is_number(const std::string& text);
/// "torques", …: a role as people call its channel.
std::string role_in_words(ChannelRole role);

}  // namespace antaeus::detail
