#pragma once
/// \file
/// What a robot's description does not say and its users must know: a TOML file beside the model.
/// robots/h1_2/profile.toml is the commented example; docs/profile.md lists every key.

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/options.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

/// Joints that belong together: a leg, an arm.
struct JointGroup {
  std::string name;
  std::string title;
  std::vector<std::string> joints;
};

/// A frame at which contact forces are asked for.
struct Endpoint {
  std::string frame;  ///< the model's frame name
  std::string label;  ///< for people: "left wrist"
  std::string kind;   ///< "hand", "foot" or "tool"
  std::string group;  ///< joint group that carries it; may be empty
};

/// A configuration with a name. Joints that are not named are at zero.
struct NamedPose {
  std::string name;
  std::string title;
  std::map<std::string, double> positions;  ///< joint → [rad] or [m]
};

/// Where the inertial sensor sits, and what the deployed code takes it for.
struct ImuMount {
  std::string frame;        ///< the sensor's frame; empty: the robot has none
  std::string deployed_as;  ///< what the deployed code feeds the quaternion to: "base" or "mounted_on"
  std::string quaternion_order = "xyzw";
};

/// Noise, friction and torque channel of one joint. Whose figures they are stands in the profile.
struct JointFigures {
  double torque_sd = 1.0;  ///< standard deviation of the torque measurement [N·m]
  /// Standard deviation of the static residual τ − g while the robot moves, inertial torques and all [N·m]
  double static_sd = 1.0;
  double coulomb = 0.0;          ///< dry friction while sliding [N·m]
  double stribeck = 0.0;         ///< what breaks loose above `coulomb` [N·m]
  double stribeck_speed = 0.05;  ///< where three quarters of dry friction are developed (tanh 1) [rad/s]
  double viscous = 0.0;          ///< friction per speed [N·m·s/rad]
  double friction_offset = 0.0;  ///< friction at rest that has a sign, such as a cable's pull [N·m]
  double armature = 0.0;         ///< reflected rotor inertia [kg·m²]; part of M when the torque is the motor's
  double gear = 1.0;             ///< joint torque per unit of the channel: gear ratio times torque constant
  double scale = 1.0;            ///< identified correction of the channel's gain
  double torque_offset = 0.0;    ///< what the channel reads at no torque, in the channel's unit
  double torque_limit = std::numeric_limits<double>::infinity();  ///< |joint torque| at which the drive saturates [N·m]
};

/// Where the torque is measured: `motor` (current or motor side: rotor inertia and gear friction are in it) or `joint`
/// (a sensor at the output).
enum class TorqueSource { motor, joint };

/// What the friction figures are good for. `bound`: nobody identified them, they only widen the covariance.
/// `identified`: they are taken out of the torque, and a fifth of dry friction stays as doubt.
enum class FrictionUse { bound, identified };

/// One line of the profile's [options] table, kept as text: the module that owns the option reads and checks it.
struct ProfileOption {
  std::string group, name, value;
  int line = 0;
};

/// Limits of the published pre-flight checks.
struct PreflightFigures {
  double gain_limit = 3.0;          ///< |reference gain| [N/(N·m)]
  std::string gain_row = "Fz";      ///< wrench row of the gain
  double start_error_limit = 0.15;  ///< |q − target| at the start [rad]
  std::vector<std::string> start_error_joints;
};

struct RobotProfile {
  std::string name;
  std::string title;
  std::string provenance;
  std::filesystem::path file;             ///< empty when made from a bare description
  std::string sha256;                     ///< of the file's bytes
  std::filesystem::path model;            ///< description file
  ModelOptions options;                   ///< base, gravity, motor order
  std::vector<std::string> motor_labels;  ///< short names in motor order
  std::vector<JointGroup> groups;
  std::vector<Endpoint> endpoints;
  std::string reference_joint;  ///< the joint whose torque the endpoints share; empty: none
  ImuMount imu;
  Sign deployed_sign = Sign::on_environment;    ///< of the estimator that the robot's users run
  std::vector<std::string> deployed_endpoints;  ///< frames that its consumer reads
  TorqueSource torque_source = TorqueSource::motor;
  FrictionUse friction = FrictionUse::bound;
  double torque_sign = 1.0;           ///< −1: the channel is positive against the joint's axis
  std::vector<JointFigures> figures;  ///< in motor order
  std::vector<ProfileOption> settings;
  std::vector<NamedPose> poses;
  PreflightFigures preflight;

  /// \throws ModelError with the nearest name
  const NamedPose& pose(std::string_view name) const;
  const Endpoint& endpoint(std::string_view frame_or_label) const;
  const JointGroup* find_group(std::string_view name) const noexcept;
  /// Groups that [options] may set: those of `antaeus audit --set`, each read by the module that owns it.
  static std::vector<std::string> option_groups();
  /// Joint torque of motor \p motor from what its channel reads: sign · scale · gear · (reading − torque_offset) [N·m].
  double joint_torque(std::size_t motor, double reading) const noexcept {
    const JointFigures& f = figures[motor];
    return torque_sign * f.scale * f.gear * (reading - f.torque_offset);
  }
};

/// Options of one group with the profile's [options.<group>] applied. \throws ModelError that names file, line and key
template <class Options>
Options profile_options(const RobotProfile& profile, const std::string& group, Options options = {}) {
  for (const ProfileOption& setting : profile.settings) {
    if (setting.group != group) continue;
    try {
      set_option(options, group, setting.name, setting.value);
    } catch (const OptionsError& error) {
      throw ModelError(profile.file.string() + ":" + std::to_string(setting.line), error.what(), "");
    }
  }
  return options;
}

/// A model and its profile, checked against each other.
struct Robot {
  RobotProfile profile;
  RobotModel model;

  /// Motor positions of a named pose.
  VectorX pose(std::string_view name) const;
  /// Frames of endpoints named by frame or label; the profile's own for an empty list.
  /// \throws ModelError for an unknown name (with the nearest), a repeated one, or when there is none at all
  std::vector<std::string> endpoint_frames(const std::vector<std::string>& wanted = {}) const;
  /// Index of the reference joint's motor, −1 without one.
  int reference_motor() const;
};

/// Reads and checks a profile. \throws ModelError that names file, line and key
RobotProfile read_profile(const std::filesystem::path& file);

/// Resolves a robot: a profile (.toml), a description (.urdf), or the name of a robot that comes with Antaeus.
/// \throws ModelError with the nearest name
Robot load_robot(const std::string& name_or_path, MeshPolicy meshes = MeshPolicy::required);
/// The same with model options changed by the caller (take them from the profile first).
Robot make_robot(RobotProfile profile, MeshPolicy meshes = MeshPolicy::required);

/// Folder that holds the robots which come with Antaeus: ANTAEUS_ROBOTS, else share/antaeus/robots beside the library.
std::filesystem::path robots_folder();
/// Names in that folder, sorted.
std::vector<std::string> robot_names();

}  // namespace antaeus
