#pragma once
// Triangle meshes with shared vertices, and coarser ones.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "antaeus/core/types.hpp"
#include "antaeus/io/stl.hpp"

namespace antaeus::detail {

struct IndexedMesh {
  std::vector<float> vertices;         ///< x y z each
  std::vector<std::uint32_t> indices;  ///< three a triangle, wound outwards

  std::size_t triangles() const noexcept { return indices.size() / 3; }
};

/// The mesh with its scale applied (a mirror image is turned right side out again), equal corners shared, and triangles
/// without area, or beyond the range of float, left out.
IndexedMesh scaled(const TriangleMesh& mesh, const Vector3& scale);

/// At most \p most triangles: corners in one cell of a cubic grid become their mean, and what collapses is left out. A
/// mesh that is small enough stays as it is. Empty where no grid leaves that few.
IndexedMesh simplified(const IndexedMesh& mesh, std::size_t most);

}  // namespace antaeus::detail
