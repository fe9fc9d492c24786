#include "studies/arm_rig.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <locale>
#include <numbers>
#include <sstream>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

namespace {

constexpr double kSettling = 2.0;  // [s] in which a real gripper closes and comes to rest
constexpr double kClosed = 255.0;  // of the 2F-85's actuator
constexpr const char* kIdeal = "an ideal plant";

VectorX home_position() {
  constexpr double quarter = 0.5 * std::numbers::pi;
  return (VectorX(6) << -quarter, -quarter, quarter, -quarter, -quarter, 0.0).finished();
}

/// The description with its gripper this share heavier.
RobotModel heavier(MujocoRobot robot, double share) {
  for (LinkDescription& link : robot.description.links) {
    if (!link.name.starts_with("gripper_")) continue;
    link.inertial.mass *= 1.0 + share;
    link.inertial.inertia *= 1.0 + share;
  }
  return robot.model();
}

/// Holds the arm at home while the gripper closes. \return where everything then stands
VectorX settled(MujocoPlant& plant, const RobotModel& model, const VectorX& home) {
  Dynamics dynamics(model);
  VectorX g(home.size());
  plant.reset(home);
  for (double time = 0.0; time < kSettling; time += plant.time_step()) {
    const VectorX& q = plant.reading().q;
    dynamics.at(q).gravity_torque(g);
    plant.step(g + 2000.0 * (home - q) - 200.0 * plant.reading().v);
  }
  return plant.truth().qpos;
}

}  // namespace

const OptionTable& options_of(const SceneChoice&) {
  constexpr const char* kStudy = "docs/validation.md#controllers";
  static const OptionTable table(
      "scene",
      {
          option("solref", "s", "time constant of the contact's normal direction: smaller is stiffer", kStudy,
                 &SceneChoice::solref, Range{0.002, 1.0}),
          option("friction", "1", "coefficient of the contact", kStudy, &SceneChoice::friction,
                 Range{0.0, 10.0, false}),
          option("pair", "", "whether the contact's friction has a reference of its own", kStudy, &SceneChoice::pair),
          option("solreffriction", "s", "time constant of that reference: longer chatters less and creeps more at rest",
                 "docs/concepts/control.md#scenes-and-plants", &SceneChoice::solreffriction, kPositive),
          option("solimp", "",
                 "impedance of the contact at the touch and 1 mm deep, two numbers as 0.9 0.95; empty: MuJoCo's "
                 "0.9 0.95 with scene.pair, else the pads' 0.95 0.99",
                 "docs/validation.md#controllers", &SceneChoice::solimp),
          option("table_height", "m", "how much higher the table stands than the controller assumes", "level with it",
                 &SceneChoice::table_height, Range{-0.1, 0.02}),
          option("tilt", "rad", "of the table, which the controller does not know", "level", &SceneChoice::tilt,
                 Range{-0.6, 0.6}),
          option("tilt_direction", "rad", "of the level axis that it is tilted about, from world x to y", "world x",
                 &SceneChoice::tilt_direction, kAnyNumber),
      });
  return table;
}
const OptionGroup kSceneGroup(SceneChoice{});

std::array<double, 2> SceneChoice::impedance() const {
  if (solimp.empty()) return pair ? std::array{0.9, 0.95} : std::array{0.95, 0.99};
  std::string text = solimp;
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  double first = kNaN, full = kNaN;
  std::string more;
  if (!(words >> first >> full) || words >> more || !(first > 0.0 && full >= first && full < 1.0)) {
    throw OptionsError("scene.solimp", "'" + printable(solimp) + "' is not a pair of impedances",
                       "give two numbers between 0 and 1, the second not below the first, as 0.9 0.95");
  }
  return {first, full};
}

const OptionTable& options_of(const PlantChoice&) {
  static const OptionTable table(
      "plant",
      {
          option("joint_damping", "N·m·s/rad", "viscous friction of each joint", kIdeal, &PlantChoice::joint_damping),
          option("coulomb", "N·m", "Coulomb friction of the shoulder's joints; elbow 0.8, wrists 0.3 of it", kIdeal,
                 &PlantChoice::coulomb),
          option("noise", "N", "sd of each component of the sensed force", kIdeal, &PlantChoice::noise),
          option("delay", "s", "of the sensed wrench, in whole time steps", kIdeal, &PlantChoice::delay,
                 Range{0.0, 0.1}),
          option("payload_error", "1", "share by which the gripper is held too heavy", kIdeal,
                 &PlantChoice::payload_error, Range{-0.9, 1.0}),
          option("gripper", "", "one body, or with its joints, closed", kIdeal, &PlantChoice::gripper),
          option("torque_noise", "N·m", "sd of each motor's sensed torque; the wrists have 0.4 of it", kIdeal,
                 &PlantChoice::torque_noise),
          option("velocity_noise", "rad/s", "sd of each joint's sensed velocity", kIdeal, &PlantChoice::velocity_noise),
      });
  return table;
}
const OptionGroup kPlantGroup(PlantChoice{});

void ArmRig::reset() { plant.reset_scene(start); }

ArmRig make_rig(const SceneChoice& scene_choice, const PlantChoice& plant_choice, int seed, bool has_table) {
  check_options(scene_choice);
  check_options(plant_choice);
  Ur5eScene built;
  built.gripper = plant_choice.gripper;
  built.has_table = has_table;
  built.joint_damping = plant_choice.joint_damping;
  built.pair.time_constant = scene_choice.solref;
  built.pair.friction = scene_choice.friction;
  // Without a reference of its own, as MuJoCo would have the pads meet anything, the friction has the normal's.
  built.pair.friction_time_constant = scene_choice.pair ? scene_choice.solreffriction : 0.0;
  const auto [first, full] = scene_choice.impedance();
  built.pair.first_impedance = first;
  built.pair.full_impedance = full;
  const Pose nominal = built.X_WT;
  const Vector3 axis(std::cos(scene_choice.tilt_direction), std::sin(scene_choice.tilt_direction), 0.0);
  built.X_WT.rotation = Eigen::AngleAxisd(scene_choice.tilt, axis).toRotationMatrix();
  built.X_WT.translation.z() += scene_choice.table_height;
  SceneDescription description = ur5e_scene(built);
  if (description.table) description.table->size = kTableSize;
  MujocoScene scene(description);

  PlantOptions options;
  options.force_noise = plant_choice.noise;
  options.torque_noise = 0.05 * plant_choice.noise;
  options.delay = plant_choice.delay;
  options.payload_error = plant_choice.payload_error;
  options.velocity_noise = plant_choice.velocity_noise;
  options.motor_noise = plant_choice.torque_noise;
  options.tool_control = plant_choice.gripper == ToolJoints::real ? kClosed : 0.0;
  options.seed = seed;
  VectorX coulomb(6);
  for (int joint = 0; joint < 6; ++joint) coulomb[joint] = plant_choice.coulomb * kCoulombShares[joint];
  MujocoPlant plant(scene, {.site = ArmRig::kTool}, options, coulomb);

  const VectorX home = home_position();
  MujocoRobotOptions held{.root = "base"};
  plant.reset(home);
  VectorX start = plant.truth().qpos;
  if (plant_choice.gripper == ToolJoints::real) {
    held.locked_joints = joint_positions(scene, "gripper_base_mount", start);
    start = settled(plant, mujoco_robot(scene, held).model(), home);
    held.locked_joints = joint_positions(scene, "gripper_base_mount", start);
    start.head(6) = home;
  }
  const MujocoRobot robot = mujoco_robot(scene, held);
  ArmRig rig{heavier(robot, plant_choice.payload_error),
             robot.model(),
             scene,
             std::move(plant),
             built.X_WT,
             nominal,
             home,
             coulomb,
             start};
  rig.reset();
  return rig;
}

std::vector<std::string> physics_of(const SceneChoice& scene, const PlantChoice& plant, bool has_table) {
  std::vector<std::string> told;
  told.push_back("MuJoCo 4.0, 1 ms steps, implicit integration, elliptic friction cones, impratio 10.");
  if (has_table) {
    const std::string friction_reference =
        scene.pair ? ", an explicit pair with solreffriction (" + value_text(scene.solreffriction) +
                         " s, 1): without it a sliding contact chatters, for MuJoCo's cone couples sliding into the "
                         "normal; with it a contact at rest creeps a little." +
                         (scene.solimp.empty() ? std::string() : " Solimp is (" + scene.solimp + ").")
                   : ", as the pads' own: friction has the normal's reference, solimp is (" +
                         value_text(scene.impedance()[0]) + ", " + value_text(scene.impedance()[1]) + ").";
    told.push_back("Contact of the pads with the table: solref (" + value_text(scene.solref) + " s, 1), friction " +
                   value_text(scene.friction) + friction_reference);
    if (scene.table_height != 0.0 || scene.tilt != 0.0) {
      told.push_back("The table stands " + value_text(1000.0 * scene.table_height) +
                     " mm higher than assumed and is tilted by " + value_text(scene.tilt * 180.0 / std::numbers::pi) +
                     "°.");
    }
  }
  told.push_back("Joints: viscous friction " + value_text(plant.joint_damping) + " N·m·s/rad, Coulomb friction " +
                 value_text(plant.coulomb) + " N·m (elbow 0.8, wrists 0.3 of it), which sticks at rest.");
  told.push_back("Sensors: force noise " + value_text(plant.noise) + " N, delay " + value_text(1000.0 * plant.delay) +
                 " ms, gripper held " + value_text(100.0 * plant.payload_error) + " % too heavy.");
  if (!has_table) told.emplace_back("There is no table: nothing is touched.");
  return told;
}

void SampleLog::add(const std::vector<double>& row) {
  if (row.size() != columns_.size()) throw Error("samples", "a row has another length than the header", "name each");
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].push_back(row[i]);
}

const std::vector<double>& SampleLog::column(std::string_view name) const {
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (heads_[i].name == name) return columns_[i];
  }
  std::vector<std::string> names;
  for (const Head& head : heads_) names.push_back(head.name);
  throw_unknown<Error>("samples", "column", name, names);
}

Table SampleLog::table() const {
  Table table;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    table.add({heads_[i].name, heads_[i].unit, heads_[i].meaning, columns_[i]});
  }
  return table;
}

}  // namespace antaeus
