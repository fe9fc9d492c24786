#include "robot/files/robot_drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "antaeus/io/files.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "io/indexed_mesh.hpp"
#include "robot/tolerances.hpp"

namespace antaeus::detail {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnitInertial =
    "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial>";

std::string drawn_link(const std::string& name, const std::string& inside = {}, bool has_mass = true) {
  return "<link name=\"" + name + "\">" + (has_mass ? kUnitInertial : "") + inside + "</link>\n";
}
std::string drawn_joint(const std::string& parent, const std::string& child, const std::string& xyz) {
  return "<joint name=\"" + parent + "-" + child + "\" type=\"revolute\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/><origin xyz=\"" + xyz +
         "\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\n";
}
std::string fixed(const std::string& parent, const std::string& child, const std::string& xyz) {
  return "<joint name=\"" + parent + "-" + child + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" +
         child + "\"/><origin xyz=\"" + xyz + "\"/></joint>\n";
}
std::string visual(const std::string& geometry) { return "<visual><geometry>" + geometry + "</geometry></visual>"; }
std::string collision(const std::string& geometry) {
  return "<collision><geometry>" + geometry + "</geometry></collision>";
}
std::string mesh(const std::string& file) { return "<mesh filename=\"" + file + "\"/>"; }
const std::string kBox = "<box size=\"0.1 0.1 0.1\"/>";

RobotDescription parsed(const std::string& body, const fs::path& folder = "/nowhere") {
  return parse_urdf("<robot name=\"r\">\n" + body + "</robot>", "r.urdf", folder, MeshPolicy::ignored);
}

const DrawnLink& link_of(const DrawnRobot& robot, const std::string& name) {
  for (const DrawnLink& drawn : robot.links) {
    if (drawn.name == name) return drawn;
  }
  throw std::runtime_error("no link " + name);
}

std::size_t triangles(const DrawnRobot& robot) {
  std::size_t count = 0;
  for (const DrawnLink& drawn : robot.links) {
    for (const DrawnShape& shape : drawn.shapes) count += shape.indices.size() / 3;
  }
  return count;
}

/// Distance of a point, in link axes, from a capsule or sphere of the link.
double distance(const DrawnShape& shape, const Vector3& point) {
  const Vector3 p = shape.X_LS.rotation.transpose() * (point - shape.X_LS.translation);
  if (shape.kind == ShapeKind::sphere) return std::max(p.norm() - shape.size[0], 0.0);
  const double along = std::clamp(p.z(), -shape.size[1] / 2, shape.size[1] / 2);
  return std::max((p - Vector3(0, 0, along)).norm() - shape.size[0], 0.0);
}

/// A sphere of rings × rings × 2 triangles.
TriangleMesh sphere(int rings, double radius) {
  const auto point = [&](int i, int j) {
    const double polar = M_PI * i / rings, around = 2 * M_PI * (j % rings) / rings;
    const double across = i == 0 || i == rings ? 0.0 : radius * std::sin(polar);  // the poles are one point each
    return std::array<float, 3>{static_cast<float>(across * std::cos(around)),
                                static_cast<float>(across * std::sin(around)),
                                static_cast<float>(radius * std::cos(polar))};
  };
  TriangleMesh made;
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < rings; ++j) {
      for (const auto& corner :
           {point(i, j), point(i + 1, j), point(i, j + 1), point(i, j + 1), point(i + 1, j), point(i + 1, j + 1)}) {
        made.vertices.insert(made.vertices.end(), corner.begin(), corner.end());
      }
    }
  }
  return made;
}

double volume(const DrawnShape& shape) {
  double six = 0;
  const auto corner = [&](std::size_t at) {
    const std::size_t v = 3 * std::size_t{shape.indices[at]};
    return Vector3(shape.vertices[v], shape.vertices[v + 1], shape.vertices[v + 2]);
  };
  for (std::size_t at = 0; at < shape.indices.size(); at += 3) {
    six += corner(at).dot(corner(at + 1).cross(corner(at + 2)));
  }
  return six / 6;
}

TEST(RobotDrawing, VisualsThenCollisionsThenSticks) {
  const RobotDescription description = parsed(
      drawn_link("a", visual(kBox) + collision("<sphere radius=\"0.2\"/>")) +
      drawn_link("b", visual(mesh("b.dae")) + collision(kBox)) +
      drawn_link("c", visual(mesh("c.dae")) + collision(mesh("c.stl"))) + drawn_link("d", visual(mesh("d.dae"))) +
      drawn_joint("a", "b", "0 0 0.3") + drawn_joint("b", "c", "0 0 0.3") + drawn_joint("c", "d", "0.3 0 0.4"));
  const DrawnRobot robot = drawn_robot(description, {});
  ASSERT_EQ(robot.links.size(), 4u);
  EXPECT_EQ(link_of(robot, "a").shapes.at(0).kind, ShapeKind::box);
  EXPECT_EQ(link_of(robot, "b").shapes.at(0).kind, ShapeKind::box);
  ASSERT_EQ(link_of(robot, "c").shapes.size(), 1u);
  const DrawnShape& stick = link_of(robot, "c").shapes[0];
  EXPECT_EQ(stick.kind, ShapeKind::capsule);
  EXPECT_NEAR(stick.size[1], 0.5, tolerance::kStick);
  EXPECT_NEAR(distance(stick, {0.3, 0, 0.4}), 0.0, tolerance::kStick);
  EXPECT_NEAR(distance(stick, {0, 0, 0}), 0.0, tolerance::kStick);
  EXPECT_EQ(link_of(robot, "d").shapes.at(0).kind, ShapeKind::capsule) << "on along the bone before it";
  EXPECT_EQ(robot.meshes, "3 meshes are not at hand, the first b.dae: collision shapes and sticks are drawn.");
  EXPECT_EQ(robot.note, "");
  EXPECT_EQ(drawn_robot(parsed(drawn_link("a", visual(kBox))), {}).note, "");
  EXPECT_EQ(drawn_robot(parsed(drawn_link("a", visual(kBox))), {}).meshes, "");
}

TEST(RobotDrawing, ARobotWithoutShapesIsAStickFigure) {
  const RobotDescription description =
      parsed(drawn_link("base") + drawn_link("left") + drawn_link("right") + drawn_link("hip") + drawn_link("foot") +
             drawn_link("sole", "", false) + drawn_joint("base", "left", "0 0.2 0") +
             drawn_joint("base", "right", "0 -0.2 0") + drawn_joint("base", "hip", "0 0 0") +
             drawn_joint("hip", "foot", "0 0 -0.8") + fixed("foot", "sole", "0.05 0 -0.05"));
  const DrawnRobot robot = drawn_robot(description, {});
  EXPECT_EQ(link_of(robot, "base").shapes.size(), 2u) << "none to the hip, which lies in its origin";
  EXPECT_NEAR(distance(link_of(robot, "hip").shapes.at(0), {0, 0, -0.8}), 0.0, tolerance::kStick);
  EXPECT_NEAR(distance(link_of(robot, "foot").shapes.at(0), {0.05, 0, -0.05}), 0.0, tolerance::kStick);
  EXPECT_TRUE(link_of(robot, "sole").shapes.empty());
  EXPECT_FALSE(link_of(robot, "left").shapes.empty());
  EXPECT_EQ(robot.note, "The description holds no shapes: sticks run from joint to joint.");
  // One link alone is a ball.
  EXPECT_EQ(drawn_robot(parsed(drawn_link("a")), {}).links.at(0).shapes.at(0).kind, ShapeKind::sphere);
}

TEST(RobotDrawing, FramesGetSticksOnlyWhereTheChainWouldBreak) {
  const DrawnRobot robot = drawn_robot(
      parsed(drawn_link("footprint", "", false) + drawn_link("base", visual(kBox)) + drawn_link("imu", "", false) +
             drawn_link("between", "", false) + drawn_link("arm", visual(kBox)) + drawn_link("tool0", "", false) +
             fixed("footprint", "base", "0 0 0.5") + fixed("base", "imu", "0.3 0 0.3") +
             fixed("base", "between", "0 0 0.1") + drawn_joint("between", "arm", "0 0 0.4") +
             fixed("arm", "tool0", "0 0 0.1")),
      {});
  EXPECT_TRUE(link_of(robot, "footprint").shapes.empty());
  EXPECT_TRUE(link_of(robot, "imu").shapes.empty());
  EXPECT_TRUE(link_of(robot, "tool0").shapes.empty());
  EXPECT_EQ(link_of(robot, "base").shapes.size(), 1u);
  ASSERT_EQ(link_of(robot, "between").shapes.size(), 1u);
  EXPECT_NEAR(distance(link_of(robot, "between").shapes[0], {0, 0, 0.4}), 0.0, tolerance::kStick);
}

TEST(RobotDrawing, ContactPointsAloneAreNoFoot) {
  const std::string points =
      "<collision><origin xyz=\"0.1 0 -0.05\"/><geometry><sphere radius=\"0.005\"/></geometry></collision>";
  const DrawnRobot robot =
      drawn_robot(parsed(drawn_link("shin", visual(kBox)) + drawn_link("foot", visual(mesh("foot.stl")) + points) +
                         drawn_joint("shin", "foot", "0 0 -0.4")),
                  {});
  const DrawnLink foot = link_of(robot, "foot");
  ASSERT_EQ(foot.shapes.size(), 2u);
  EXPECT_EQ(foot.shapes[1].kind, ShapeKind::capsule);
  EXPECT_NEAR(distance(foot.shapes[1], {0, 0, 0}), 0.0, tolerance::kStick);
}

TEST(RobotDrawing, MeshesShareTheirCornersAndTheScaleIsApplied) {
  const RobotDescription description =
      parsed(drawn_link("a", "<visual><geometry><mesh filename=\"a.stl\" scale=\"2 -2 2\"/></geometry></visual>"));
  const MeshFiles meshes = {{"/nowhere/a.stl", sphere(16, 0.1)}};
  const DrawnRobot robot = drawn_robot(description, meshes);
  const DrawnShape& shape = robot.links.at(0).shapes.at(0);
  EXPECT_EQ(shape.kind, ShapeKind::mesh);
  // Twice 16 of the 2 · 16 · 16 have no area, at the poles; 15 rings of 16 corners and the poles are left.
  EXPECT_EQ(shape.indices.size(), 3u * (2 * 16 * 16 - 2 * 16));
  EXPECT_LE(shape.vertices.size(), 3u * (15 * 16 + 2 * 16));
  for (const std::uint32_t index : shape.indices) EXPECT_LT(index, shape.vertices.size() / 3);
  EXPECT_GT(volume(shape), 0.0) << "mirrored, it is wound outwards still";
  EXPECT_EQ(robot.note, "");
  EXPECT_EQ(robot.meshes, "");
}

TEST(RobotDrawing, TheBudgetIsSharedOutBySize) {
  const RobotDescription description =
      parsed(drawn_link("big", visual(mesh("big.stl"))) + drawn_link("small", visual(mesh("small.stl"))) +
             drawn_link("plain", visual(mesh("plain.stl"))) + drawn_joint("big", "small", "0 0 1") +
             drawn_joint("big", "plain", "0 1 0"));
  const MeshFiles meshes = {{"/nowhere/big.stl", sphere(120, 0.5)},
                            {"/nowhere/small.stl", sphere(120, 0.1)},
                            {"/nowhere/plain.stl", sphere(6, 0.5)}};
  const DrawnRobot robot = drawn_robot(description, meshes, 4000);
  EXPECT_LE(triangles(robot), 4000u);
  EXPECT_GT(triangles(robot), 2000u) << "the budget is used";
  const auto count = [&](const char* name) { return link_of(robot, name).shapes.at(0).indices.size() / 3; };
  EXPECT_EQ(count("plain"), 2u * 36 - 12) << "small enough";
  EXPECT_GT(count("big"), 8 * count("small"));
  EXPECT_GT(count("small"), 20u);
  // The coarser sphere is one still: its faces are chords of it.
  const double whole = 4.0 / 3.0 * M_PI * 0.125;
  EXPECT_GT(volume(link_of(robot, "big").shapes[0]), 0.93 * whole);
  EXPECT_LT(volume(link_of(robot, "big").shapes[0]), whole);
  EXPECT_EQ(robot.meshes, "2 meshes are drawn coarser.");
  EXPECT_EQ(triangles(drawn_robot(description, meshes)), triangles(drawn_robot(description, meshes, 30'000)));
  // Without any triangle to spend, boxes stand for the meshes.
  const DrawnRobot boxes = drawn_robot(description, meshes, 0);
  EXPECT_EQ(link_of(boxes, "big").shapes.at(0).kind, ShapeKind::box);
  EXPECT_NEAR(link_of(boxes, "big").shapes.at(0).size[2], 1.0, tolerance::kMeshCorner);
}

TEST(RobotDrawing, EqualInputGivesEqualBytes) {
  const RobotDescription description =
      parsed(drawn_link("a", visual(mesh("a.stl"))) + drawn_link("b") + drawn_joint("a", "b", "0 0 1"));
  const MeshFiles meshes = {{"/nowhere/a.stl", sphere(90, 0.5)}};
  const DrawnRobot one = drawn_robot(description, meshes, 3000), two = drawn_robot(description, meshes, 3000);
  EXPECT_EQ(one.links[0].shapes[0].vertices, two.links[0].shapes[0].vertices);
  EXPECT_EQ(one.links[0].shapes[0].indices, two.links[0].shapes[0].indices);
}

TEST(RobotDrawing, CornersThatAreNoNumbersAreLeftOut) {
  TriangleMesh bad = sphere(8, 0.1);
  bad.vertices[4] = std::nanf("");
  const IndexedMesh indexed = scaled(bad, {1e30, 1, 1});
  for (const float value : indexed.vertices) EXPECT_TRUE(std::isfinite(value));
  EXPECT_TRUE(scaled(bad, {1e300, 1, 1}).vertices.size() < indexed.vertices.size());
  EXPECT_EQ(scaled({}, Vector3::Ones()).triangles(), 0u);
}

TEST(ReadMeshes, ReadsWhatIsThereAndTellsTheRest) {
  const ScratchFolder folder(fs::temp_directory_path());
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  write_file(folder.path() / "a.obj", obj);
  write_file(folder.path() / "b.stl", "no mesh");
  write_file(folder.path() / "b.obj", obj);
  write_file(folder.path() / "unused.obj", obj);
  const RobotDescription description =
      parsed(drawn_link("a", visual(mesh("a.obj")) + collision(mesh("unused.obj"))) +
                 drawn_link("b", visual(mesh("b.stl")) + visual(mesh("gone.dae")) + visual(mesh("gone.dae")) +
                                     collision(mesh("b.obj"))) +
                 drawn_joint("a", "b", "0 0 1"),
             folder.path());
  std::vector<std::string> notes;
  const MeshFiles meshes = read_meshes(description, &notes);
  EXPECT_EQ(meshes.size(), 2u);
  EXPECT_TRUE(meshes.contains((folder.path() / "a.obj").string()));
  EXPECT_TRUE(meshes.contains((folder.path() / "b.obj").string()));
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("b.stl"), std::string::npos);
  EXPECT_NE(notes[1].find("gone.dae"), std::string::npos);
  EXPECT_EQ(drawn_robot(description, meshes).links[1].shapes.at(0).kind, ShapeKind::mesh);
  EXPECT_EQ(read_meshes(description, nullptr).size(), 2u);
}

}  // namespace
}  // namespace antaeus::detail
