#pragma once
/// \file
/// What stands in space beside the plots: robots, arrows, ellipsoids, trails. Everything moves with the cursor.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/robot/robot_description.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

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
struct SceneRobot {
  RobotDescription description = {};
  std::shared_ptr<const MeshFiles> meshes = {};  ///< null: none are drawn
  struct Joint {
    std::string name = {};
    ChannelId position = kNoChannel;  ///< [rad] or [m]
    /// How strongly the joint's links are coloured, blue above zero and orange below, against the largest of all
    struct Tint {
      ChannelId channel = kNoChannel;
      Conditions when = {};
    };
    std::vector<Tint> tints = {};
  };
  std::vector<Joint> joints = {};  ///< others stand at zero
  /// Root link in the world: x y z [m], then quaternion x y z w; kNoChannel: 0, and upright
  std::array<ChannelId, 7> base = {-1, -1, -1, -1, -1, -1, -1};
  bool ghost = false;  ///< transparent
  Conditions when = {};
};
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
/// Three principal axes at an anchor, in world axes, ascending, at the stated scale.
struct SceneEllipsoid {
  std::string name = {}, unit = {};
  Anchor anchor = {};
  std::array<ChannelId, 9> axes = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
  double meters_per_unit = 0.01;
  Tone tone = Tone::blue;
  Conditions when = {};
};
/// Where a point was before the cursor, and will be.
struct SceneTrail {
  std::string name = {};
  std::array<ChannelId, 3> point = {-1, -1, -1};  ///< in the world [m]
  Tone tone = Tone::muted;
  Conditions when = {};
};
/// A surface: a foot's sole, a table, a support polygon.
struct ScenePolygon {
  std::string name = {};
  Anchor anchor = {};
  std::vector<Vector3> points = {};  ///< in the anchor's axes [m]
  Tone tone = Tone::green;
  Conditions when = {};
};
/// A frame: of a link, or a target that stands in the world.
struct SceneFrame {
  std::string name = {};
  Anchor anchor = {};
  Pose X_AF = {};       ///< in the anchor
  bool target = false;  ///< with a ring around it
  Conditions when = {};
};
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

}  // namespace antaeus
