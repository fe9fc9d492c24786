#pragma once
/// \file
/// What a profile of a stranger's robot needs to say, found by its tree and its names: motors, limbs, endpoints, base,
/// IMU; with a log, its columns. What is guessed is said where it stands. Set-up code: allocates.

#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/estimation/body_plan.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// A joint of the description, as a profile sees it.
struct JointFacts {
  JointDescription joint;
  JointUse use = JointUse::fixed;
  std::string group = {};
  double mass = 0.0;
  double torque_sd = kNaN, static_sd = kNaN;
  FigureSource sd_from = FigureSource::assumed;
  std::string why = {};

  bool slides() const noexcept { return joint.type == JointType::prismatic; }
};
template <class Visit>
constexpr void visit_fields(const JointFacts*, Visit&& visit) {
  using J = JointFacts;
  visit(field("name", "", "of the joint", [](const J& j) { return j.joint.name; }));
  visit(field("type", "", "what it allows", [](const J& j) { return j.joint.type; }));
  visit(field("use", "", "what a profile makes of it", &J::use));
  visit(field("parent", "", "link", [](const J& j) { return j.joint.parent; }));
  visit(field("child", "", "link", [](const J& j) { return j.joint.child; }));
  visit(field("group", "", "limb that it belongs to; may be empty", &J::group));
  visit(field("lower", "", "rad, or m where it slides; infinite without a limit",
              [](const J& j) { return j.joint.lower; }));
  visit(field("upper", "", "rad or m", [](const J& j) { return j.joint.upper; }));
  visit(field("effort_limit", "", "N·m, or N where it slides; infinite where none is stated",
              [](const J& j) { return j.joint.effort_limit; }));
  visit(field("velocity_limit", "", "rad/s or m/s", [](const J& j) { return j.joint.velocity_limit; }));
  visit(field("mimics", "", "joint that it follows; empty: none", [](const J& j) { return j.joint.mimics; }));
  visit(field("mass", "kg", "of the link behind it", &J::mass));
  visit(field("torque_sd", "", "of its torque as it is assumed, N·m or N; NaN: no motor", &J::torque_sd));
  visit(field("static_sd", "", "the same of τ − g while it moves, N·m or N", &J::static_sd));
  visit(field("sd_from", "", "where they come from", &J::sd_from));
  visit(field("why", "", "what is to be known of it; may be empty", &J::why));
}

/// A channel of the log, and the pattern of `[options.episode]` that names its columns.
struct LogChannelFacts {
  std::string channel = {}, source = {}, option = {}, pattern = {};
};
template <class Visit>
constexpr void visit_fields(const LogChannelFacts*, Visit&& visit) {
  using L = LogChannelFacts;
  visit(field("channel", "", "what it holds, in words", &L::channel));
  visit(field("source", "", "file, member or columns", &L::source));
  visit(field("option", "", "of the group episode; empty: none names it", &L::option));
  visit(field("pattern", "", "value of that option; empty: its name is known, no option is needed", &L::pattern));
}

/// All of it. `describe` fills it, `described_profile` writes it.
struct RobotFacts {
  std::string name = {}, title = {}, format = {}, sha256 = {};
  std::filesystem::path model = {};
  Base base = Base::fixed;
  std::string base_why = {};
  Vector3 gravity{0.0, 0.0, -9.81};
  double total_mass = 0.0;
  std::vector<std::string> motors = {}, motor_labels = {};
  std::vector<JointGroup> groups = {};
  std::vector<EndpointFacts> endpoints = {};
  std::string imu_frame = {}, imu_why = {};
  std::vector<NamedPose> poses = {};
  std::vector<JointFacts> joints = {};
  std::vector<std::string> missing = {}, guesses = {};
  std::string log = {};
  double log_rate = kNaN;
  std::vector<LogChannelFacts> log_channels = {};
  bool needs_patterns = false;
  std::vector<std::string> log_notes = {};
};
template <class Visit>
constexpr void visit_fields(const RobotFacts*, Visit&& visit) {
  using R = RobotFacts;
  visit(field("name", "", "short name", &R::name));
  visit(field("title", "", "for people", &R::title));
  visit(field("format", "", "URDF or MJCF", &R::format));
  visit(field("sha256", "", "of the description's bytes", &R::sha256));
  visit(field("base", "", "what the root link may do", &R::base));
  visit(field("base_why", "", "what speaks for it", &R::base_why));
  visit(field("gravity", "m/s²", "[3] acceleration of free fall in world axes", &R::gravity));
  visit(field("total_mass", "kg", "of the whole description", &R::total_mass));
  visit(field("motors", "", "joints in the order of a log's columns", &R::motors));
  visit(field("motor_labels", "", "what the log calls them, else the joints' names", &R::motor_labels));
  visit(field("groups", "", "limbs: joints that belong together", &R::groups));
  visit(field("endpoints", "", "frames that contacts can be asked for, by limb and rank", &R::endpoints));
  visit(field("imu_frame", "", "frame of the inertial sensor; empty: none is named so", &R::imu_frame));
  visit(field("imu_why", "", "what speaks for it", &R::imu_why));
  visit(field("poses", "", "configurations within all limits", &R::poses).only(FieldUse::python_only));
  visit(file_field("poses", "", [](const R& r) {
    std::vector<std::string> names;
    for (const NamedPose& pose : r.poses) names.push_back(pose.name);
    return names;
  }));
  visit(field("joints", "", "all of the description, parents before children", &R::joints));
  visit(field("missing", "", "what the description does not say, one line each", &R::missing));
  visit(field("guesses", "", "what was taken for granted, one line each", &R::guesses));
  visit(field("log", "", "name of the log that was read; empty: none", &R::log));
  visit(field("log_rate", "Hz", "of the log; NaN without one or without a clock", &R::log_rate));
  visit(field("log_channels", "", "what the log holds, and how it is named", &R::log_channels));
  visit(field("needs_patterns", "", "whether the log loads with [options.episode] alone", &R::needs_patterns));
  visit(field("log_notes", "", "how the log's columns were taken, one line each", &R::log_notes));
}

/// Returns what a profile of the robot states. Rules use the tree and words in names (docs/reference/profile.md); a
/// frame, a limb or a base that no name determines is a guess, which `guesses` lists and the profile marks.
/// \param log  a log of this robot: motors are those that it holds, in its order, and its columns' names are kept.
///             Empty: none
/// \throws EpisodeError for a log that cannot be read, or whose columns
///         are no joints of this robot
ANTAEUS_API RobotFacts describe(const Robot& robot, const std::filesystem::path& log = {});

/// The profile as text, commented, with `model` relative to the folder that it will stand in.
ANTAEUS_API std::string described_profile(const RobotFacts& facts, const std::filesystem::path& folder);

/// Writes it, whole or not at all, after it was loaded once from its folder. The folder is made where it is missing.
/// \throws OptionsError for a name that does not end in .toml; ModelError for a robot without a motor or without a
/// file, and as load_robot; Error where it cannot be written
ANTAEUS_API void write_described_profile(const RobotFacts& facts, const std::filesystem::path& file);

}  // namespace antaeus
