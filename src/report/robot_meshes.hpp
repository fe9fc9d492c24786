#pragma once
// The meshes of a robot as the page shows them.
#include <string>
#include <vector>

#include "antaeus/report/html_report.hpp"

namespace antaeus::parts {

/// A finer mesh is drawn coarser, so that the page still opens well.
inline constexpr std::size_t kMostMeshTriangles = 20'000;

/// At most \p most triangles (≥ 1): corners in one cell of a grid become their mean, and what collapses is left out.
/// A mesh that is small enough stays as it is.
TriangleMesh simplified(const TriangleMesh& mesh, std::size_t most);

/// The triangles of a mesh shape in shape axes [m], 9 numbers each; none where its mesh was not handed in.
std::vector<float> drawn_triangles(const Shape& shape, const MeshFiles& meshes);

/// What the drawing leaves out or simplifies, in one HTML paragraph; empty when nothing.
std::string mesh_note(const RobotDescription& description, const MeshFiles& meshes);

}  // namespace antaeus::parts
