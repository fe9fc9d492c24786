#pragma once
/// \file
/// The UR5e with its gripper above a table, ready to be controlled, and the options that say how it is built.

#include <array>
#include <string>
#include <vector>

#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/sim/mujoco_plant.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "antaeus/sim/mujoco_scene.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// Group "scene".
struct SceneChoice {
  double solref = 0.004;        ///< time constant of the contact's normal direction [s]
  double friction = 0.7;        ///< of the contact
  bool pair = true;             ///< friction has a reference of its own, solreffriction; else it has not
  double solreffriction = 0.2;  ///< time constant of that reference [s]
  /// Impedance of the contact at the touch and 1 mm deep, "0.9 0.95"; empty: MuJoCo's default with `pair`, else the
  /// pads'.
  std::string solimp;

  /// \throws OptionsError for a text that is not two numbers in (0, 1), the second not below the first
  ANTAEUS_API std::array<double, 2> impedance() const;
  double table_height = 0.0;    ///< how much higher the table stands than the controller assumes [m]
  double tilt = 0.0;            ///< of the table [rad]
  double tilt_direction = 0.0;  ///< of the axis that it is tilted about, from world x [rad]
};
ANTAEUS_API const OptionTable& options_of(const SceneChoice&);

/// Group "plant".
struct PlantChoice {
  double joint_damping = 0.0;  ///< viscous friction of each joint [N·m·s/rad]
  double coulomb = 0.0;        ///< Coulomb friction of the shoulder's joints [N·m]; the others have their share of it
  double noise = 0.0;          ///< sd of each component of the sensed force [N]
  double delay = 0.0;          ///< of the sensed wrench [s]
  double payload_error = 0.0;  ///< share by which controller and sensor hold the gripper too heavy
  ToolJoints gripper = ToolJoints::rigid;
  double torque_noise = 0.0;    ///< sd of each motor's sensed torque [N·m]; the wrists have 0.4 of it
  double velocity_noise = 0.0;  ///< sd of each joint's sensed velocity [rad/s]
};
ANTAEUS_API const OptionTable& options_of(const PlantChoice&);

/// Shares of `plant.coulomb` by joint, from the base on.
inline constexpr std::array<double, 6> kCoulombShares = {1.0, 1.0, 0.8, 0.3, 0.3, 0.3};

/// Edges of the table [m]: it ends before the upper arm, also where it is tilted.
inline const Vector3 kTableSize{0.8, 0.46, 0.05};

/// Everything an experiment moves.
struct ANTAEUS_API ArmRig {
  RobotModel told, real;  ///< with the gripper's weight as the controller is told, and as it is
  MujocoScene scene;
  MujocoPlant plant;
  Pose X_WT;          ///< the table as it is
  Pose X_WT_nominal;  ///< as the controller is told: level, at height zero
  VectorX home;       ///< positions of the motors
  VectorX coulomb;    ///< Coulomb friction of each motor [N·m]
  VectorX start;      ///< of the whole scene, in MuJoCo's order: a real gripper has closed and come to rest

  /// To rest at the home position, time zero, noise begun again.
  void reset();

  static constexpr const char* kTool = "fingertip";
};
/// \param seed  of all noise \throws ModelError, OptionsError
ANTAEUS_API ArmRig make_rig(const SceneChoice& scene, const PlantChoice& plant, int seed, bool has_table = true);

/// Sentences on contact, friction and noise of a rig, for ExperimentResult::physics.
ANTAEUS_API std::vector<std::string> physics_of(const SceneChoice& scene, const PlantChoice& plant,
                                                bool has_table = true);

/// Rows of a run.
class ANTAEUS_API SampleLog {
 public:
  struct Head {
    std::string name, unit, meaning;
  };
  explicit SampleLog(std::vector<Head> heads) : heads_(std::move(heads)), columns_(heads_.size()) {}
  /// One value for each head.
  void add(const std::vector<double>& row);
  std::size_t rows() const noexcept { return columns_.empty() ? 0 : columns_.front().size(); }
  const std::vector<double>& column(std::string_view name) const;
  Table table() const;

 private:
  std::vector<Head> heads_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace antaeus
