#pragma once
/// \file
/// The border between libantaeus.so and its plugin for meshes: plain C, as parquet_abi.hpp.

#include <cstddef>

extern "C" {

struct AntaeusMeshText {
  const char* data;
  std::size_t size;
};

/// Receives one triangle: x y z of three corners.
using AntaeusMeshTakeTriangle = void (*)(void* receiver, const float* corners);
/// Receives the reason of a failure, one line.
using AntaeusMeshTakeProblem = void (*)(void* receiver, AntaeusMeshText problem);

/// \param format "obj" or "dae". Returns 0 on success, 1 after it has told the problem, 2 when there are more triangles
/// than \p most.
using AntaeusMeshRead = int(AntaeusMeshText bytes, const char* format, std::size_t most,
                            AntaeusMeshTakeTriangle take_triangle, AntaeusMeshTakeProblem take_problem, void* receiver);

/// The name carries the version of this border: a plugin of another version is not found rather than misread.
AntaeusMeshRead antaeus_mesh_read_1;

}  // extern "C"
