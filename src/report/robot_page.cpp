// The page of a robot: what it is, what its description does not say, where it can be touched, and its tree.
#include <algorithm>
#include <cmath>
#include <map>

#include "antaeus/check/describe.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/report/pages.hpp"
#include "report/page_words.hpp"

namespace antaeus {

namespace {

using detail::capital;
using detail::counted;

std::string limits_text(const JointFacts& j) {
  if (j.joint.type == JointType::continuous) return "endless";
  if (!std::isfinite(j.joint.lower) && !std::isfinite(j.joint.upper)) return "none";
  return display_number(j.joint.lower, 3) + " to " + display_number(j.joint.upper, 3) + (j.slides() ? " m" : " rad");
}
std::string figure(double value, const char* unit) {
  return std::isfinite(value) && value > 0 ? display_number(value, display_digits(value)) + " " + unit : "–";
}
std::string axis_text(const Vector3& axis) {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(axis[i]) == 1.0) return (axis[i] < 0 ? "−" : "") + std::string(1, "xyz"[i]);
  }
  return display_number(axis.x(), 2) + ", " + display_number(axis.y(), 2) + ", " + display_number(axis.z(), 2);
}

Section endpoints_section(const Robot& robot, const RobotFacts& facts) {
  TableBlock table{"Frames at which a force can be requested, by limb and rank",
                   {"frame", "called", "kind", "limb", "#rank", "why"},
                   {}};
  for (const Endpoint& e : robot.profile.endpoints) {
    table.rows.push_back({{e.frame, e.label, std::string(to_string(e.kind)), e.group, "–", "the profile lists it"},
                          TableBlock::Row::Mark::strong});
  }
  for (const EndpointFacts& e : facts.endpoints) {
    if (robot.profile.find_endpoint(e.endpoint.frame)) continue;
    const Endpoint& of = e.endpoint;
    table.rows.push_back(
        {{of.frame, of.label, std::string(to_string(of.kind)), of.group, std::to_string(e.rank), capital(e.why)},
         e.chosen && robot.profile.endpoints.empty() ? TableBlock::Row::Mark::strong : TableBlock::Row::Mark::none});
  }
  return {"endpoints", "Endpoints", {std::move(table)}};
}

Section tree_section(const RobotFacts& facts) {
  TableBlock table{"From the root outwards; a dot for each joint that moves before it",
                   {"joint", "type", "axis", "parent → child", "limits", "#effort", "#velocity", "#link [kg]", "use"},
                   {}};
  std::map<std::string, std::string> dots;
  for (const JointFacts& j : facts.joints) {
    const bool moves = j.use != JointUse::fixed;
    const std::string before = dots[j.joint.parent];
    dots[j.joint.child] = before + (moves ? "· " : "");
    std::string use = moves ? std::string(to_string(j.use)) : "";
    if (!j.why.empty()) use += (use.empty() ? "" : ": ") + j.why;
    table.rows.push_back(
        {{before + j.joint.name, std::string(to_string(j.joint.type)), moves ? axis_text(j.joint.axis) : "",
          j.joint.parent + " → " + j.joint.child, moves ? limits_text(j) : "",
          moves ? figure(j.joint.effort_limit, j.slides() ? "N" : "N·m") : "",
          moves ? figure(j.joint.velocity_limit, j.slides() ? "m/s" : "rad/s") : "", Quantity{j.mass, "", 3}, use}});
  }
  return {"tree", "Tree", {std::move(table)}};
}

/// A row of the views is a pose: zero, or as near as limits allow, then those with a name.
void add_views(Views& views, const Robot& robot, const RobotFacts& facts, std::shared_ptr<const MeshFiles> meshes) {
  std::vector<std::string> names{"zero"};
  const VectorX zero = allowed_zeros(robot.model);
  std::vector<VectorX> poses{zero};
  for (const NamedPose& pose : robot.profile.poses.empty() ? facts.poses : robot.profile.poses) {
    VectorX q = zero;
    for (const auto& [joint, at] : pose.positions) q[robot.model.motor(joint)] = at;
    names.push_back(pose.name);
    poses.push_back(q);
  }
  const auto all = std::make_shared<const std::vector<VectorX>>(std::move(poses));
  views.runs.push_back({"poses", std::ssize(*all), 0, {}});
  views.selectors.push_back({"frames", "frames", {"endpoints", "joints"}, {0}, true});
  Scene scene{.title = facts.title, .note = "A step is a pose: " + listed(names) + "."};
  SceneRobot drawn{.description = robot.model.description(), .meshes = std::move(meshes)};
  BarList turning{.title = "Pose", .value_head = "position", .unit = "rad"}, sliding = turning;
  sliding.unit = "m";
  for (int m = 0; m < robot.model.motor_count(); ++m) {
    const ChannelId at = views.add([all, m](Eigen::Index row) { return (*all)[static_cast<std::size_t>(row)][m]; },
                                   Channel::Bin::one_row);
    const std::string& name = robot.model.motor_names()[static_cast<std::size_t>(m)];
    const bool slides = std::ranges::any_of(facts.joints, [&](auto& j) { return j.slides() && j.joint.name == name; });
    (slides ? sliding : turning).rows.push_back({name, "", at});
    drawn.joints.push_back({name, at, {}});
  }
  for (BarList* bars : {&turning, &sliding}) {
    if (!bars->rows.empty()) views.bars.push_back(std::move(*bars));
  }
  scene.robots.push_back(std::move(drawn));
  const RobotDescription& d = robot.model.description();
  const auto add = [&](const std::string& frame, const std::string& name, int option) {
    if (d.find_link(frame)) scene.frames.push_back({name, {0, frame}, {}, false, {{0, option}}});
  };
  for (const Endpoint& e : robot.profile.endpoints) add(e.frame, e.label, 0);
  for (const EndpointFacts& e : facts.endpoints) {
    if (e.chosen && robot.profile.endpoints.empty()) add(e.endpoint.frame, e.endpoint.label, 0);
  }
  if (!facts.imu_frame.empty()) add(facts.imu_frame, "IMU", 0);
  add(d.root, d.root, 1);
  for (const JointFacts& j : facts.joints) {
    if (j.use != JointUse::fixed) add(j.joint.child, j.joint.name, 1);
  }
  views.scenes.push_back(std::move(scene));
  const ChannelId code = views.add([](Eigen::Index row) { return static_cast<double>(row); }, Channel::Bin::one_row);
  views.readings.push_back({.label = "pose", .channel = code, .words = names});
}

}  // namespace

Page robot_page(const Robot& robot, const RobotFacts& facts, std::shared_ptr<const MeshFiles> meshes,
                const std::string& command) {
  Page page{.kicker = "Robot", .title = facts.title};
  page.subtitle = facts.format + ", " + base_text(robot) + payloads_text(robot.model.options().payloads);
  const std::ptrdiff_t moving =
      std::ranges::count_if(facts.joints, [](const JointFacts& j) { return j.use != JointUse::fixed; });
  Prose what = counted(std::ssize(facts.motors), "motor", "motors") + " among " +
               counted(moving, "joint that moves", "joints that move") + ", ";
  what << Quantity{robot.model.total_mass(), "kg"} << ".";
  std::vector<std::string> limbs, labels;
  for (const JointGroup& group : facts.groups) {
    limbs.push_back(group.title + " (" + std::to_string(group.joints.size()) + ")");
  }
  Answer is{"What is it?", {{std::move(what)}}};
  if (!limbs.empty()) is.paragraphs.push_back({"Joints by limb: " + listed(limbs) + "."});
  for (const EndpointFacts& e : facts.endpoints) {
    if (e.chosen) labels.push_back(e.endpoint.label + " (" + e.endpoint.frame + ")");
  }
  if (!labels.empty()) is.paragraphs.push_back({"Contact points: " + listed(labels) + "."});
  if (facts.base != robot.model.base()) {
    is.paragraphs.push_back({std::string("The base of a profile written from it is ") +
                             (facts.base == Base::fixed ? "fixed" : "floating") + ": " + facts.base_why + "."});
  }
  Answer missing{"What is missing in its description?", {}};
  for (const std::string& one : facts.missing) missing.paragraphs.push_back({capital(one) + "."});
  for (const Note& one : facts.guesses) missing.paragraphs.push_back({"Guessed: " + note_text(one) + ".", true});
  if (missing.paragraphs.empty()) missing.paragraphs.push_back({"Nothing that dynamics need."});
  page.answers = {std::move(is), std::move(missing)};
  add_views(page.views, robot, facts, std::move(meshes));
  page.sections = {{"look", "Look at it", {ViewsPlace{}}}, endpoints_section(robot, facts), tree_section(facts)};
  Section next{"next",
               "A profile of it",
               {Paragraph{"A profile holds what a description does not; this writes one to begin with."}}};
  if (!command.empty()) next.blocks.emplace_back(CodeLine{command});
  if (robot.profile.file.empty() && !command.empty()) page.sections.push_back(std::move(next));
  return page;
}

}  // namespace antaeus
