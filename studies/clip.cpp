#include "studies/clip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/io/video.hpp"
#include "antaeus/sim/mujoco_camera.hpp"
#include "antaeus/sim/mujoco_flyer.hpp"
#include "studies/arm_rig.hpp"

namespace antaeus {

namespace {

constexpr double kBeside = 0.05;          // [m] that the arrow stands towards the camera: the gripper would hide it
constexpr double kAcrossTheTable = -0.8;  // [rad] towards the robot, which does not stand before its tool
const Vector3 kWithoutTable{0.0, 0.1, 0.25};
const Vector3 kHumanoid{0.0, 0.0, 1.05};

/// Columns of a vector; empty where there is none.
struct VectorColumns {
  std::array<std::vector<double>, 3> parts;

  VectorColumns(const Table& samples, const std::vector<std::string>& names) {
    if (names.size() != 3) return;
    for (std::size_t i = 0; i < 3; ++i) parts[i] = samples.numbers(names[i]);
  }
  bool empty() const { return parts[0].empty(); }
  Vector3 operator[](std::size_t row) const { return {parts[0][row], parts[1][row], parts[2][row]}; }
};

/// Rows at even intervals of the axis, the first and the last among them.
std::vector<std::size_t> chosen_rows(const std::vector<double>& axis, std::size_t frames) {
  std::vector<std::size_t> rows;
  std::size_t row = 0;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const double share = frames > 1 ? static_cast<double>(frame) / static_cast<double>(frames - 1) : 1.0;
    const double at = axis.front() + share * (axis.back() - axis.front());
    while (row + 1 < axis.size() && std::abs(axis[row + 1] - at) <= std::abs(axis[row] - at)) ++row;
    rows.push_back(row);
  }
  return rows;
}

MujocoScene scene_of(const SceneReplay& replay, ToolJoints gripper) {
  if (replay.has_own_shapes) {
    ModelOptions options;
    options.base = Base::fixed;
    return MujocoScene(flyer_scene(RobotModel(replay.description, options)));
  }
  Ur5eScene scene;
  scene.gripper = gripper;
  scene.has_table = replay.has_table;
  scene.X_WT = replay.X_WT;
  return MujocoScene(ur5e_scene(scene));
}

}  // namespace

const OptionTable& options_of(const ClipChoice&) {
  constexpr const char* kSource = "25 s of rendering on two cores";
  static const OptionTable table(
      "clip", {
                  option("frames", "1", "most pictures of a clip; a longer run is shown faster", kSource,
                         &ClipChoice::frames, at_least(2)),
                  option("rate", "1/s", "pictures a second", kSource, &ClipChoice::rate, Range{1.0, 120.0}),
                  option("width", "px", "of a picture, even", kSource, &ClipChoice::width, Range{16, 4096}),
                  option("height", "px", "of a picture, even", kSource, &ClipChoice::height, Range{16, 4096}),
              });
  return table;
}
const OptionGroup kClipGroup(ClipChoice{});

void check_clip(const ClipChoice& choice) {
  check_options(choice);
  if (choice.width % 2 != 0 || choice.height % 2 != 0) {
    throw OptionsError("clip.width, clip.height", "a video’s sides are even", "add a pixel");
  }
  static_cast<void>(find_ffmpeg());
  SceneDescription empty;
  empty.name = "clip";
  empty.robot.text = "<mujoco/>";
  const MujocoCamera camera(MujocoScene(empty), 16, 16);
}

Clip experiment_clip(const ExperimentResult& result, const Settings& settings, const Progress& progress) {
  const auto choice = settings.get<ClipChoice>();
  check_clip(choice);
  const SceneReplay& replay = result.replay;
  const std::vector<double> axis = result.samples.numbers(result.axis);
  if (axis.empty() || replay.joints.empty())
    throw Error(result.name, "the run has nothing to replay", "leave " + arg(Input::clip));
  const auto plant = settings.get<PlantChoice>();
  const MujocoScene scene = scene_of(replay, plant.gripper);
  VectorX start = VectorX::Zero(std::ssize(scene.joint_names()));
  if (plant.gripper == ToolJoints::real) start = make_rig({}, {.gripper = plant.gripper}, 1, false).start;
  const std::vector<std::string> names = scene.joint_names();
  std::vector<std::pair<Eigen::Index, std::vector<double>>> moving;
  for (std::size_t joint = 0; joint < replay.joints.size(); ++joint) {
    const auto at = std::find(names.begin(), names.end(), replay.joints[joint]);
    if (at != names.end()) moving.emplace_back(at - names.begin(), result.samples.numbers(replay.columns[joint]));
  }
  CameraView view;
  view.target = replay.has_table ? Vector3(replay.X_WT.translation + Vector3(0.0, 0.0, 0.12)) : kWithoutTable;
  view.distance = replay.has_table ? 1.1 : 2.6;
  if (replay.has_table) view.azimuth = kAcrossTheTable;
  if (replay.has_own_shapes) {
    view.target = kHumanoid;
    view.distance = 2.4;
  }
  MujocoCamera camera(scene, choice.width, choice.height, view);
  const Vector3 beside = -kBeside * Vector3(std::cos(view.azimuth), std::sin(view.azimuth), 0.0);

  const bool is_timed = result.axis == "time";
  const double duration = axis.back() - axis.front();
  const double enough = is_timed ? std::ceil(duration * choice.rate) + 1.0 : static_cast<double>(axis.size());
  const auto frames = static_cast<std::size_t>(std::clamp(enough, 2.0, static_cast<double>(choice.frames)));
  const VectorColumns force(result.samples, replay.force), place(result.samples, replay.place);
  VideoWriter video(find_ffmpeg(), choice.width, choice.height, choice.rate);
  std::size_t made = 0;
  for (const std::size_t row : chosen_rows(axis, frames)) {
    VectorX qpos = start;
    for (const auto& [joint, positions] : moving) qpos[joint] = positions[row];
    std::vector<CameraArrow> arrows;
    if (!force.empty() && !place.empty()) {
      const Vector3 from = place[row] + beside;
      arrows.push_back({.from = from, .to = from + replay.meters_per_newton * force[row]});
    }
    video.add(camera.render(qpos, arrows));
    if (progress) progress(static_cast<double>(++made) / static_cast<double>(frames));
  }
  const double speed = duration * choice.rate / static_cast<double>(frames - 1);
  return {video.finish(), std::to_string(frames) + " pictures, " + significant_text(choice.rate, 3) + " a second, " +
                              (is_timed ? significant_text(speed, 2) + " times as fast as the run" : "a row each")};
}

}  // namespace antaeus
