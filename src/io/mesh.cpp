#include "antaeus/io/mesh.hpp"

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "io/collada_nesting.hpp"
#include "io/mesh_limits.hpp"
#include "io/meshes/meshes_abi.hpp"
#include "io/plugin.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

AntaeusMeshRead* load_mesh_plugin() {
  constexpr const char* kFile = "libantaeus_meshes.so";
  constexpr const char* kRemedy = "build the target antaeus_meshes and put it next to libantaeus.so, or use STL meshes";
  void* const library = open_plugin(kFile, "the reader of OBJ and Collada meshes", kRemedy, "meshes");
  auto* const read = reinterpret_cast<AntaeusMeshRead*>(plugin_function(library, "antaeus_mesh_read_1"));
  if (!read) throw Error(kFile, "the plugin is of another version", kRemedy);
  return read;
}

struct MeshReceiver {
  TriangleMesh mesh;
  bool is_finite = true;
  std::string problem;
};

void take_triangle(void* receiver, const float* corners) {
  auto& to = *static_cast<MeshReceiver*>(receiver);
  for (int i = 0; i < 9; ++i) to.is_finite = to.is_finite && std::isfinite(corners[i]);
  to.mesh.vertices.insert(to.mesh.vertices.end(), corners, corners + 9);
}

void take_mesh_problem(void* receiver, AntaeusMeshText problem) {
  static_cast<MeshReceiver*>(receiver)->problem = excerpt(valid_utf8({problem.data, problem.size}));
}

std::string lower_extension(const std::string& name) {
  std::string extension = std::filesystem::path(name).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension.empty() ? extension : extension.substr(1);
}

void require_known(const std::string& extension, const std::string& name) {
  if (extension == "stl" || extension == "obj" || extension == "dae") return;
  throw Error(name, extension.empty() ? "a mesh without an extension" : "no mesh format '." + excerpt(extension) + "'",
              "convert it to .stl, .obj or .dae");
}

}  // namespace

TriangleMesh parse_mesh(std::string_view bytes, const std::string& name) {
  const std::string extension = lower_extension(name);
  require_known(extension, name);
  if (extension == "stl") return parse_stl(bytes, name);
  if (bytes.empty()) throw Error(name, "the file is empty", kExportAgain);
  if (extension == "dae") {
    const ColladaFault fault = fault_of_collada(bytes);
    if (!fault.problem.empty()) {
      const std::string line = fault.line > 0 ? ":" + std::to_string(fault.line) : "";
      throw Error(name + line, fault.problem, fault.remedy);
    }
  }
  static AntaeusMeshRead* const read = load_mesh_plugin();  // a failure is tried again: installing the plugin is enough
  MeshReceiver receiver;
  const int outcome = read({bytes.data(), bytes.size()}, extension.c_str(), kMostTriangles, take_triangle,
                           take_mesh_problem, &receiver);
  if (outcome == 2) throw Error(name, "more than 5 million triangles", "simplify the mesh");
  if (outcome != 0) {
    throw Error(name,
                "it cannot be read as " + std::string(extension == "obj" ? "OBJ" : "Collada") + ": " + receiver.problem,
                kExportAgain);
  }
  if (!receiver.is_finite) throw Error(name, "a corner is not finite", kExportAgain);
  if (receiver.mesh.vertices.empty()) throw Error(name, "holds no triangle", kExportAgain);
  return std::move(receiver.mesh);
}

TriangleMesh read_mesh(const std::filesystem::path& file) {
  require_known(lower_extension(file.string()), file.string());
  return parse_mesh(read_file(file, kLargestMeshFile), file.string());
}

}  // namespace antaeus
