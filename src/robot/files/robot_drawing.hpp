#pragma once
// A robot as the page and the viewer show it: every robot gives pieces that reach its endpoints.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus::detail {

inline constexpr std::size_t kMostRobotTriangles = 30'000;

struct DrawnShape {
  ShapeKind kind = ShapeKind::box;
  Pose X_LS;                       ///< shape in link axes, as Shape's
  Vector3 size = Vector3::Zero();  ///< as Shape's [m]; zero for a mesh
  Eigen::Vector4d color{0.7, 0.7, 0.7, 1.0};
  std::vector<float> vertices;         ///< of a mesh: x y z each, shared, in shape axes, scale applied [m]
  std::vector<std::uint32_t> indices;  ///< of a mesh: three a triangle, wound outwards
};

struct DrawnLink {
  std::string name;
  std::vector<DrawnShape> shapes;  ///< empty for a link that carries nothing
};

struct DrawnRobot {
  std::vector<DrawnLink> links;  ///< all of the description, in its order
  std::string note;              ///< that no shape is described: plain text, not escaped; "" when some is
  std::string meshes;  ///< one line on meshes that are not drawn, or coarser: the same; "" when there are none such
};

/// A link is drawn by its visuals where all of them can be drawn (primitives, and meshes that were handed in), else by
/// its collision shapes where all of those can. What is missing then is stood in for by sticks: capsules from the
/// link's origin to those of its child links. A link without shapes gets sticks where the chain to something drawn
/// would break without them; in a robot without any shape all links do. The meshes together have at most \p
/// most_triangles, shared out by their size. Equal input gives equal bytes.
DrawnRobot drawn_robot(const RobotDescription& description, const MeshFiles& meshes,
                       std::size_t most_triangles = kMostRobotTriangles);

}  // namespace antaeus::detail
