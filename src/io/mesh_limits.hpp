#pragma once
// What readers of mesh files share.
#include <cstddef>

namespace antaeus {

inline constexpr std::size_t kMostTriangles = 5'000'000;
inline constexpr std::size_t kLargestMeshFile = std::size_t{256} << 20;  ///< bytes
inline constexpr const char* kExportAgain = "export the mesh again";

}  // namespace antaeus
