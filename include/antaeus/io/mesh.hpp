#pragma once
/// \file
/// Triangle meshes from the files that robot descriptions name: STL, OBJ and Collada.

#include <filesystem>
#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"
#include "antaeus/io/stl.hpp"

namespace antaeus {

/// Parses the bytes of one mesh file; the extension of \p name, in any case, says what it is. `.stl`: see stl.hpp.
/// `.obj`: one unit is 1 m. `.dae`: the asset's unit is scaled to metres and the nodes' transforms are applied; its up
/// axis is passed over, as viewers of URDF do: what a link shows is meant in link axes. Polygons become triangles;
/// lines, points, normals and materials are passed over, and no other file is opened. An OBJ file that was cut off
/// between two lines cannot be told from a whole one. Loads libantaeus_meshes.so at the first .obj or .dae.
/// \throws Error of one line that names the file: another extension, no triangle, more than 5 million, a corner that is
///         not finite, text that is not of the format; Collada nodes that hold themselves, or more than 100 000 of them
ANTAEUS_API TriangleMesh parse_mesh(std::string_view bytes, const std::string& name);
/// \throws Error as above, and on a file that is missing or beyond 256 MiB
ANTAEUS_API TriangleMesh read_mesh(const std::filesystem::path& file);

}  // namespace antaeus
