#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/io/mesh.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

MeshFiles read_meshes(const RobotDescription& description, std::vector<std::string>* notes) {
  MeshFiles meshes;
  std::set<std::string> unreadable;
  const auto read_all = [&](const std::vector<Shape>& shapes) {
    bool is_whole = !shapes.empty();
    for (const Shape& shape : shapes) {
      if (shape.kind != ShapeKind::mesh) continue;
      const std::string file = shape.mesh.string();
      if (!meshes.contains(file) && !unreadable.contains(file)) {
        try {
          meshes.emplace(file, read_mesh(shape.mesh));
        } catch (const Error& error) {
          unreadable.insert(file);
          if (notes) notes->emplace_back(error.what());
        }
      }
      if (unreadable.contains(file)) is_whole = false;
    }
    return is_whole;
  };
  for (const LinkDescription& link : description.links) {
    if (!read_all(link.visuals)) read_all(link.collisions);
  }
  return meshes;
}

}  // namespace antaeus
