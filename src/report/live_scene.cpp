// The robot of a live page: its shapes once, posed by the numbers of each sample that follows.
#include <algorithm>

#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "report/views_json.hpp"

namespace antaeus {

namespace {

/// One scale for an arrow and its doubt, so that they can be compared: that of the reports' ellipsoids.
constexpr double kMetersPerNewton = 0.01;
/// A foot carries the robot: its arrow is so long when it carries all of it.
constexpr double kMetersOfWeight = 0.6;

double scale_of(const Robot& robot, bool foot) {
  return foot && robot.weight() > 0.0 ? std::min(kMetersPerNewton, kMetersOfWeight / robot.weight()) : kMetersPerNewton;
}

}  // namespace

std::string live_scene_json(const Robot& robot, const std::vector<std::string>& endpoints,
                            std::shared_ptr<const MeshFiles> meshes) {
  ChannelId next = 0;
  const auto take = [&next](auto& channels) {
    for (ChannelId& channel : channels) channel = next++;
  };
  SceneRobot drawn{.description = robot.model.description(), .meshes = std::move(meshes)};
  for (const std::string& motor : robot.model.motor_names()) drawn.joints.push_back({motor, next++, {}});
  for (std::size_t c = 3; c < drawn.base.size(); ++c) drawn.base[c] = next++;

  Scene scene;
  for (const std::string& endpoint : endpoints) {
    const bool foot = robot.kind_of(endpoint) == EndpointKind::foot;
    const double scale = scale_of(robot, foot);
    const std::string where = foot ? " at a foot" : "";
    const Anchor anchor{0, robot.model.description().link_of(endpoint)};
    SceneArrow force{
        .name = "estimated force" + where, .unit = "N", .anchor = anchor, .meters_per_unit = scale, .tone = Tone::blue};
    SceneEllipsoid doubt{.name = "one sd of it" + where, .unit = "N", .anchor = anchor, .meters_per_unit = scale};
    SceneArrow read{.name = "what the consumer reads" + where + ", where it is another",
                    .unit = "N",
                    .anchor = anchor,
                    .meters_per_unit = scale,
                    .tone = Tone::vermillion};
    take(force.vector);
    take(doubt.axes);
    take(read.vector);
    scene.arrows.push_back(std::move(force));
    scene.arrows.push_back(std::move(read));
    scene.ellipsoids.push_back(std::move(doubt));
  }
  scene.robots.push_back(std::move(drawn));
  Views views;
  views.scenes.push_back(std::move(scene));
  return detail::views_json(views);
}

}  // namespace antaeus
