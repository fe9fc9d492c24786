#pragma once
/// \file
/// What stands in space beside the plots: robots, arrows, ellipsoids, trails. Everything moves with the cursor.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/robot/robot_description.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

namespace detail {
/// Fields by name and member: the structs' own comments say what each is.
template <class Visit>
constexpr void visit_members(Visit&& /*visit*/) noexcept {}
template <class Visit, class Get, class... More>
constexpr void visit_members(Visit&& visit, const char* name, Get get, More... more) {
  visit(field(name, "", "", get));
  visit_members(visit, more...);
}
/// A thing in a scene: what all of them share, as far as it has it, and what is its own.
template <class Thing, class Visit, class... Own>
constexpr void visit_thing(Visit&& visit, Own... own) {
  visit_members(visit, "name", &Thing::name, "when", &Thing::when);
  if constexpr (requires { &Thing::anchor; }) visit_members(visit, "anchor", &Thing::anchor);
  if constexpr (requires { &Thing::tone; }) visit_members(visit, "tone", &Thing::tone);
  if constexpr (requires { &Thing::unit; }) {
    visit_members(visit, "unit", &Thing::unit, "meters_per_unit", &Thing::meters_per_unit);
  }
  visit_members(visit, own...);
}
}  // namespace detail

/// Place of a channel in `Views::channels`; negative: none.
using ChannelId = int;
inline constexpr ChannelId kNoChannel = -1;

/// Something is shown while that option is chosen; where several stand, while all are.
struct When {
  int selector = 0, option = 0;
};
using Conditions = std::vector<When>;

/// A place in a scene: a link's frame, or the world's.
struct Anchor {
  int robot = -1;  ///< of the scene; negative: world
  std::string link = {};
};
template <class Visit>
constexpr void visit_fields(const Anchor*, Visit&& visit) {
  detail::visit_members(visit, "robot", &Anchor::robot, "link", &Anchor::link);
}
struct SceneRobot {
  RobotDescription description = {};
  std::shared_ptr<const MeshFiles> meshes = {};  ///< null: none are drawn
  /// How strongly a joint's links are coloured, blue above zero and orange below, against the largest of all
  struct Tint {
    ChannelId channel = kNoChannel;
    Conditions when = {};
  };
  struct Joint {
    std::string name = {};
    ChannelId position = kNoChannel;  ///< [rad] or [m]
    std::vector<Tint> tints = {};
  };
  std::vector<Joint> joints = {};  ///< others stand at zero
  /// Root link in the world: x y z [m], then quaternion x y z w; kNoChannel: 0, and upright
  std::array<ChannelId, 7> base = {-1, -1, -1, -1, -1, -1, -1};
  bool ghost = false;  ///< transparent
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const SceneRobot::Tint*, Visit&& visit) {
  detail::visit_members(visit, "channel", &SceneRobot::Tint::channel, "when", &SceneRobot::Tint::when);
}
/// Beside the description's joint.
template <class Visit>
constexpr void visit_fields(const SceneRobot::Joint*, Visit&& visit) {
  detail::visit_members(visit, "position", &SceneRobot::Joint::position, "tints", &SceneRobot::Joint::tints);
}
/// Beside what is drawn of the description.
template <class Visit>
constexpr void visit_fields(const SceneRobot*, Visit&& visit) {
  detail::visit_members(visit, "base", &SceneRobot::base, "ghost", &SceneRobot::ghost, "when", &SceneRobot::when);
}
/// A vector at an anchor, in world axes, at the stated scale.
struct SceneArrow {
  std::string name = {}, unit = {};
  Anchor anchor = {};
  std::array<ChannelId, 3> vector = {-1, -1, -1};
  std::array<ChannelId, 3> from = {-1, -1, -1};  ///< where it starts in the world [m]; kNoChannel: at the anchor
  double meters_per_unit = 0.001;
  Tone tone = Tone::vermillion;
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const SceneArrow*, Visit&& visit) {
  detail::visit_thing<SceneArrow>(visit, "vector", &SceneArrow::vector, "from", &SceneArrow::from);
}
/// Three principal axes at an anchor, in world axes, ascending, at the stated scale.
struct SceneEllipsoid {
  std::string name = {}, unit = {};
  Anchor anchor = {};
  std::array<ChannelId, 9> axes = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
  double meters_per_unit = 0.01;
  Tone tone = Tone::blue;
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const SceneEllipsoid*, Visit&& visit) {
  detail::visit_thing<SceneEllipsoid>(visit, "axes", &SceneEllipsoid::axes);
}
/// Where a point was before the cursor, and will be.
struct SceneTrail {
  std::string name = {};
  std::array<ChannelId, 3> point = {-1, -1, -1};  ///< in the world [m]
  Tone tone = Tone::muted;
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const SceneTrail*, Visit&& visit) {
  detail::visit_thing<SceneTrail>(visit, "point", &SceneTrail::point);
}
/// A surface: a foot's sole, a table, a support polygon.
struct ScenePolygon {
  std::string name = {};
  Anchor anchor = {};
  std::vector<Vector3> points = {};  ///< in the anchor's axes [m]
  Tone tone = Tone::green;
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const ScenePolygon*, Visit&& visit) {
  detail::visit_thing<ScenePolygon>(visit, "points", &ScenePolygon::points);
}
/// A frame: of a link, or a target that stands in the world.
struct SceneFrame {
  std::string name = {};
  Anchor anchor = {};
  Pose X_AF = {};       ///< in the anchor
  bool target = false;  ///< with a ring around it
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const SceneFrame*, Visit&& visit) {
  detail::visit_thing<SceneFrame>(visit, "X_AF", &SceneFrame::X_AF, "target", &SceneFrame::target);
}
struct Scene {
  std::string title = {}, note = {};
  std::vector<SceneRobot> robots = {};
  std::vector<SceneArrow> arrows = {};
  std::vector<SceneEllipsoid> ellipsoids = {};
  std::vector<SceneTrail> trails = {};
  std::vector<ScenePolygon> polygons = {};
  std::vector<SceneFrame> frames = {};
  double ground = kNaN;  ///< height of the grid [m]; NaN: below the lowest point at the first row
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const Scene*, Visit&& visit) {
  detail::visit_members(visit, "title", &Scene::title, "note", &Scene::note, "robots", &Scene::robots, "arrows",
                        &Scene::arrows, "ellipsoids", &Scene::ellipsoids, "trails", &Scene::trails, "polygons",
                        &Scene::polygons, "frames", &Scene::frames, "ground", &Scene::ground, "when", &Scene::when);
}

}  // namespace antaeus
