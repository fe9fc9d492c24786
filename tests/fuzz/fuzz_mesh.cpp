/// \file
/// Arbitrary bytes as a Collada and as an OBJ file: assimp behind our own checks.

#include <cmath>
#include <string>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/io/mesh.hpp"
#include "fuzz/fuzz_target.hpp"

namespace {

std::string collada(const std::string& nodes, const std::string& library = {}) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="mm" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 1 1 1</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 3 2</p></polylist>
</mesh></geometry></library_geometries>
)" + library +
         "<library_visual_scenes><visual_scene id=\"s\">" + nodes +
         "</visual_scene></library_visual_scenes>\n<scene><instance_visual_scene url=\"#s\"/></scene>\n</COLLADA>\n";
}

}  // namespace

#if defined(ANTAEUS_SANITIZED)
// assimp 6.0.5 leaves some bytes behind where it gives up on a Collada file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libassimp\n"; }
#endif

std::vector<std::string> antaeus::fuzz::seeds() {
  return {
      collada("<node id=\"a\"><translate>1 2 3</translate><rotate>0 0 1 90</rotate>"
              "<instance_geometry url=\"#g\"/></node>"),
      collada("<node id=\"a\"><matrix>1 0 0 1 0 1 0 2 0 0 -1 3 0 0 0 1</matrix><instance_geometry url=\"#g\"/></node>"
              "<node id=\"b\"><scale>2 2 2</scale><node id=\"c\"><instance_node url=\"#a\"/></node></node>"),
      collada("<node id=\"a\"><instance_node url=\"#l\"/></node>",
              "<library_nodes><node id=\"l\" name=\"m\"><instance_geometry url=\"#g\"/></node></library_nodes>\n"),
      collada("<node id=\"a\"><node id=\"b\"><instance_node url=\"#a\"/></node></node>"),
      "mtllib a.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1 1.0\nvn 0 0 1\nvt 0 1\nusemtl m\ns off\ng a b\n"
      "f 1//1 2//1 3//1\nf 1/1/1 2/1/1 4/1/1 3/1/1\nf -4 -3 -2\nl 1 2 3\np 1\n",
      "# a\nv 0 0 0\nv 1e3 -1E-3 .5\nv 0 1 0\nf 1 2 3 \\\n 1\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // What begins like XML is tried as Collada, the rest as OBJ.
  const bool is_xml = bytes.substr(0, 16).find('<') != std::string_view::npos;
  antaeus::TriangleMesh mesh;
  try {
    mesh = antaeus::parse_mesh(bytes, is_xml ? "fuzz.dae" : "fuzz.OBJ");
  } catch (const antaeus::Error&) {
    return 0;
  }
  antaeus::fuzz::accept();
  antaeus::fuzz::require(!mesh.vertices.empty() && mesh.vertices.size() == 9 * mesh.triangles());
  for (const float value : mesh.vertices) antaeus::fuzz::require(std::isfinite(value));
  return 0;
}
