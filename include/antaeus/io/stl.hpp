#pragma once
/// \file
/// Triangle meshes from STL files, binary and ASCII.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Triangles that share no corners, wound so that their normals point outwards.
struct TriangleMesh {
  std::vector<float>
      vertices;  ///< x y z of three corners, 9 numbers a triangle; all finite. STL knows no unit: [m] here

  std::size_t triangles() const noexcept { return vertices.size() / 9; }
};

/// Parses the bytes of one STL file. A file of exactly 84 + 50 n bytes whose header says n triangles is binary,
/// whatever text it begins with; one that begins with "solid" and holds no zero byte is ASCII (several solids become
/// one mesh). Normals, attributes and names are passed over. \param name stands for the file in messages.
/// \throws Error on any other length, a corner that is not finite, no triangle at all, or more than 5 million
ANTAEUS_API TriangleMesh parse_stl(std::string_view bytes, const std::string& name);

}  // namespace antaeus
