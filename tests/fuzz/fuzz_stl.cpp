/// \file
/// Arbitrary bytes as an STL file.

#include <cmath>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/io/stl.hpp"
#include "fuzz/fuzz_target.hpp"

namespace {

std::string binary(std::string header, unsigned triangles, std::size_t present) {
  header.resize(80);
  for (unsigned i = 0; i < 4; ++i) header += static_cast<char>(triangles >> (8 * i));
  return header + std::string(50 * present, '?');
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  return {binary("exporter", 2, 2),
          binary("solid", 1, 1),
          binary("", 0, 0),
          binary("solid", 4294967295u, 3),
          "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\nendfacet\n"
          "endsolid a b\n",
          "solid\nendsolid\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  antaeus::TriangleMesh mesh;
  try {
    mesh = antaeus::parse_stl({reinterpret_cast<const char*>(data), size}, "fuzz.stl");
  } catch (const antaeus::Error&) {
    return 0;
  }
  antaeus::fuzz::accept();
  antaeus::fuzz::require(!mesh.vertices.empty() && mesh.vertices.size() == 9 * mesh.triangles());
  antaeus::fuzz::require(mesh.vertices.capacity() < 16 * (size + 16));  // no more than the bytes can pay for
  for (const float value : mesh.vertices) antaeus::fuzz::require(std::isfinite(value));
  return 0;
}
