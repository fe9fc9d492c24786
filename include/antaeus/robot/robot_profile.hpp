#pragma once
/// \file
/// What a robot's description does not say and its users must know: a TOML file beside the model.
/// robots/h1_2/profile.toml is the commented example; docs/profile.md lists every key.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// Noise and friction of one joint. Whose figures they are stands in the profile.
struct JointFigures {
  double torque_sd = 1.0;  ///< standard deviation of the torque measurement [N·m]
  double coulomb = 0.0;    ///< Coulomb friction [N·m]
  double viscous = 0.0;    ///< viscous friction [N·m·s/rad]
  double armature = 0.0;   ///< reflected rotor inertia [kg·m²]
};

/// Where the torque is measured: `motor` (current or motor side: rotor inertia and gear friction are in it) or `joint`
/// (a sensor at the output).
enum class TorqueSource { motor, joint };

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
  std::vector<JointFigures> figures;  ///< in motor order
  std::vector<NamedPose> poses;
  PreflightFigures preflight;

  /// \throws ModelError with the nearest name
  const NamedPose& pose(std::string_view name) const;
  const Endpoint& endpoint(std::string_view frame_or_label) const;
  const JointGroup* find_group(std::string_view name) const noexcept;
};

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
