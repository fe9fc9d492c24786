#include "antaeus/io/mesh.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <limits>

#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "io_support.hpp"
#include "support/tolerances.hpp"

#if defined(ANTAEUS_SANITIZED)
// assimp 6.0.5 leaves some bytes behind where it gives up on a Collada file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libassimp\n"; }
#endif

namespace antaeus {

namespace {

/// The corners of a cuboid of 1 m × 0.5 m × 0.25 m and its twelve triangles, wound outwards.
constexpr std::array<std::array<float, 3>, 8> kCorners = {{{0, 0, 0},
                                                           {1, 0, 0},
                                                           {1, 0.5f, 0},
                                                           {0, 0.5f, 0},
                                                           {0, 0, 0.25f},
                                                           {1, 0, 0.25f},
                                                           {1, 0.5f, 0.25f},
                                                           {0, 0.5f, 0.25f}}};
constexpr std::array<std::array<int, 3>, 12> kFaces = {{{0, 2, 1},
                                                        {0, 3, 2},
                                                        {4, 5, 6},
                                                        {4, 6, 7},
                                                        {0, 1, 5},
                                                        {0, 5, 4},
                                                        {1, 2, 6},
                                                        {1, 6, 5},
                                                        {2, 3, 7},
                                                        {2, 7, 6},
                                                        {3, 0, 4},
                                                        {3, 4, 7}}};

std::string join(const std::array<float, 3>& corner, double scale = 1, const std::array<double, 3>& from = {0, 0, 0}) {
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) text += " " + shortest_text((corner[i] - from[i]) * scale);
  return text;
}

std::string as_stl() {
  std::string text = "solid cube\n";
  for (const auto& face : kFaces) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int corner : face) text += "vertex" + join(kCorners[corner]) + "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid cube\n";
}

std::string as_obj() {
  std::string text = "# a cube\nmtllib not_there.mtl\no cube\n";
  for (const auto& corner : kCorners) text += "v" + join(corner) + "\n";
  text += "usemtl red\n";
  for (const auto& face : kFaces) {
    text += "f";
    for (const int corner : face) text += " " + std::to_string(corner + 1);
    text += "\n";
  }
  return text;
}

constexpr const char* kMoved = "<translate>100 -200 300</translate>";

/// In millimetres, and moved back by its node, in the file's units too.
std::string as_dae(const std::string& up_axis = "Z_UP", const std::string& transform = kMoved,
                   const std::string& more_nodes = {}) {
  std::string numbers, indices;
  for (const auto& corner : kCorners) numbers += join(corner, 1000.0, {0.1, -0.2, 0.3});
  for (const auto& face : kFaces) {
    for (const int corner : face) indices += " " + std::to_string(corner);
  }
  return "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
         "<asset><unit name=\"millimeter\" meter=\"0.001\"/><up_axis>" +
         up_axis +
         "</up_axis></asset>\n<library_geometries><geometry id=\"g\"><mesh>\n<source id=\"p\"><float_array id=\"pa\" "
         "count=\"24\">" +
         numbers +
         "</float_array><technique_common><accessor source=\"#pa\" count=\"8\" stride=\"3\"><param name=\"X\" "
         "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
         "</technique_common></source>\n<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
         "<triangles count=\"12\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>" +
         indices +
         "</p></triangles>\n</mesh></geometry></library_geometries>\n<library_visual_scenes><visual_scene id=\"s\">"
         "<node id=\"n\" name=\"cube\">" +
         transform + "<instance_geometry url=\"#g\"/></node>" + more_nodes +
         "</visual_scene></library_visual_scenes>\n<scene><instance_visual_scene url=\"#s\"/></scene>\n</COLLADA>\n";
}

double largest_difference(const TriangleMesh& a, const TriangleMesh& b) {
  if (a.vertices.size() != b.vertices.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.vertices.size(); ++i) {
    largest = std::max(largest, std::abs(double{a.vertices[i]} - double{b.vertices[i]}));
  }
  return largest;
}

double volume(const TriangleMesh& mesh) {
  double six = 0;
  for (std::size_t at = 0; at < mesh.vertices.size(); at += 9) {
    const auto corner = [&](std::size_t c) {
      return Eigen::Vector3d(mesh.vertices[at + 3 * c], mesh.vertices[at + 3 * c + 1], mesh.vertices[at + 3 * c + 2]);
    };
    six += corner(0).dot(corner(1).cross(corner(2)));
  }
  return six / 6;
}

}  // namespace

TEST(Mesh, OneCuboidInThreeFormatsIsOneMesh) {
  const TriangleMesh stl = parse_mesh(as_stl(), "a.stl");
  ASSERT_EQ(stl.triangles(), 12u);
  EXPECT_EQ(parse_mesh(as_obj(), "a.obj").vertices, stl.vertices);
  EXPECT_LE(largest_difference(parse_mesh(as_dae(), "a.dae"), stl), tolerance::kMeshCorner);
}

TEST(Mesh, TheUpAxisOfColladaIsPassedOver) {
  const TriangleMesh z = parse_mesh(as_dae("Z_UP"), "a.dae");
  for (const char* const up : {"Y_UP", "X_UP"}) EXPECT_EQ(parse_mesh(as_dae(up), "a.dae").vertices, z.vertices) << up;
}

TEST(Mesh, NodesTurnMirrorAndRepeatTheMesh) {
  const double cuboid = 1 * 0.5 * 0.25;
  EXPECT_NEAR(volume(parse_mesh(as_dae(), "a.dae")), cuboid, tolerance::kMeshCorner);
  // Mirrored, it is wound outwards again.
  EXPECT_NEAR(volume(parse_mesh(as_dae("Z_UP", "<scale>-2 1 1</scale>"), "a.dae")), 2 * cuboid,
              4 * tolerance::kMeshCorner);
  const std::string twice = "<node id=\"m\"><translate>5000 0 0</translate><instance_node url=\"#n\"/></node>";
  EXPECT_EQ(parse_mesh(as_dae("Z_UP", kMoved, twice), "a.dae").triangles(), 24u);
  // 90° about z: x becomes y.
  const TriangleMesh turned = parse_mesh(as_dae("Z_UP", "<rotate>0 0 1 90</rotate>" + std::string(kMoved)), "a.dae");
  const TriangleMesh straight = parse_mesh(as_dae(), "a.dae");
  for (std::size_t at = 0; at < straight.vertices.size(); at += 3) {
    EXPECT_NEAR(turned.vertices[at], -straight.vertices[at + 1], tolerance::kMeshCorner);
    EXPECT_NEAR(turned.vertices[at + 1], straight.vertices[at], tolerance::kMeshCorner);
  }
}

TEST(Mesh, ObjPolygonsBecomeTrianglesAndLinesAreLeftOut) {
  const TriangleMesh mesh = parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nl 1 2\np 3\n", "square.obj");
  EXPECT_EQ(mesh.triangles(), 2u);
}

TEST(Mesh, WhatIsNoMeshIsOneClearLine) {
  EXPECT_ERROR(parse_mesh("x", "arm.fbx"), "arm.fbx: no mesh format '.fbx'; convert it to .stl, .obj or .dae");
  EXPECT_ERROR(parse_mesh("x", "arm"), "arm: a mesh without an extension; convert it to .stl, .obj or .dae");
  for (const char* const name : {"arm.obj", "arm.DAE"}) {
    EXPECT_ERROR(parse_mesh("", name), std::string(name) + ": the file is empty; export the mesh again");
  }
  EXPECT_ERROR(parse_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "arm.obj"), "arm.obj: ");
  EXPECT_ERROR(parse_mesh("nothing of the kind, at any length", "arm.obj"), "arm.obj: ");
  EXPECT_ERROR(parse_mesh("<COLLADA version=\"1.4.1\"></COLLADA>", "arm.dae"), "arm.dae: ");
  for (const std::string bad : {"nan", "inf", "-inf", "1e39"}) {
    std::string obj = as_obj(), dae = as_dae();
    obj.replace(obj.find("v 1 0 0") + 2, 1, bad);
    EXPECT_ERROR(parse_mesh(obj, "arm.obj"), "arm.obj: ");
    dae.replace(dae.find("count=\"24\"> -100") + 12, 4, bad);
    EXPECT_ERROR(parse_mesh(dae, "arm.dae"), "arm.dae: ");
  }
}

TEST(Mesh, ACutOffColladaFileIsRefusedAtEveryLength) {
  const std::string whole = as_dae();
  const std::size_t last = whole.find_last_of('>');
  for (std::size_t size = 0; size < last; size += 7) {
    const std::string message = test::message_of([&] { parse_mesh(whole.substr(0, size), "a.dae"); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << size;
    EXPECT_EQ(message.find("a.dae"), 0u) << size;
  }
  EXPECT_ERROR(parse_mesh(whole.substr(0, whole.find("</library_geometries>")), "a.dae"),
               ": not well-formed XML (XML_ERROR_PARSING); export the mesh again");
}

/// An OBJ file cut off between lines is one of fewer triangles; one that lost corners is told.
TEST(Mesh, ATriangleOfMissingCornersIsRefused) {
  std::string text = as_obj();
  const std::size_t at = text.find("v 0 0.5 0.25\n");
  ASSERT_NE(at, std::string::npos);
  EXPECT_ERROR(parse_mesh(text.erase(at, 13), "a.obj"), "a.obj: it cannot be read as OBJ");
}

/// assimp follows nodes by recursion and believes counts: each of these ended the process, or took its memory.
TEST(Mesh, HostileColladaIsRefusedBeforeAssimpSeesIt) {
  const auto refused = [](const std::string& nodes) {
    return test::message_of([&] { parse_mesh(as_dae("Z_UP", kMoved, nodes), "a.dae"); });
  };
  EXPECT_EQ(refused("<node id=\"a\"><node><instance_node url=\"#a\"/></node></node>"),
            "a.dae: a node that holds itself by <instance_node>; export the mesh again");
  std::string deep, doubling = "<node id=\"d0\"><instance_geometry url=\"#g\"/></node>";
  for (int i = 0; i < 100'000; ++i) deep += "<node>";
  for (int i = 0; i < 100'000; ++i) deep += "</node>";
  EXPECT_EQ(refused(deep), "a.dae:9: elements nested deeper than 100; export the mesh again");
  for (int i = 1; i < 40; ++i) {
    const std::string before = "<instance_node url=\"#d" + std::to_string(i - 1) + "\"/>";
    doubling += "<node id=\"d" + std::to_string(i) + "\">" + before + before + "</node>";
  }
  EXPECT_EQ(refused(doubling), "a.dae: more than 100 000 nodes, those of <instance_node> counted; simplify the mesh");
  std::string counts = as_dae();
  counts.replace(counts.find("count=\"24\""), 10, "count=\"4294967295\"");
  EXPECT_ERROR(parse_mesh(counts, "a.dae"), "a.dae:5: count=\"4294967295\" is more than the file holds");
}

TEST(Mesh, ListsOfIndicesThatAssimpCannotReadAreRefused) {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& text) {
    std::string dae = as_dae();
    const std::size_t at = dae.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    EXPECT_ERROR(parse_mesh(dae.replace(at, from.size(), to), "a.dae"), text);
  };
  refused("<p> 0 2", "<p> 0 x", "a.dae:7: a character that is not a number in <p>");  // read for ever
  refused("<p> 0 2", "<p> 0 <!-- 2 -->", "a.dae:7: <p> holds more than numbers");
  refused("<p> 0 2", "<p> 0 12345678901", "a.dae:7: a number of more than ten digits in <p>");
  std::string polylist = as_dae();
  for (const char* const tag : {"<triangles", "</triangles"}) {
    const std::size_t at = polylist.find(tag);
    ASSERT_NE(at, std::string::npos) << tag;
    polylist.replace(polylist.find("triangles", at), 9, "polylist");
  }
  EXPECT_ERROR(parse_mesh(polylist, "a.dae"), "a.dae:7: <p> before <vcount>");
  refused("semantic=\"VERTEX\"", "semantic=\"NORMAL\"", "a.dae:7: <p> before <input semantic=\"VERTEX\">");
  refused("offset=\"0\"", "offset=\"33\"", "a.dae:7: offset=\"33\" is more than the file holds, or no number");
  refused("<p> 0 2", "<p> 0 99", "a.dae: it cannot be read as Collada");
}

TEST(Mesh, ReadsFilesAndNamesTheMissingOne) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "a.STL", as_stl());
  write_file(folder.path() / "a.Obj", as_obj());
  write_file(folder.path() / "a.DAE", as_dae());
  for (const char* const name : {"a.STL", "a.Obj", "a.DAE"}) {
    EXPECT_EQ(read_mesh(folder.path() / name).triangles(), 12u) << name;
  }
  EXPECT_ERROR(read_mesh(folder.path() / "b.dae"), "b.dae");
  EXPECT_ERROR(read_mesh(folder.path() / "a.txt"), "a.txt: no mesh format '.txt'");
}

}  // namespace antaeus
