#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "robot/check_inertia.hpp"
#include "robot/test_robots.hpp"
#include "support/soak.hpp"
#include "support/temporary_folder.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInertial =
    R"(<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>)";

std::string link(const std::string& name, const std::string& inside = kInertial) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& type = "continuous", const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + inside + "</joint>\n";
}

/// Line 1 is <robot>; each link() and joint() is one line more.
std::string robot(const std::string& inside) { return "<robot name=\"r\">\n" + inside + "</robot>\n"; }

RobotDescription parse(const std::string& text, MeshPolicy meshes = MeshPolicy::required,
                       const fs::path& folder = ".") {
  return parse_urdf(text, "test.urdf", folder, meshes);
}

/// The message must begin with file and line, and hold the parts.
void expect_refused(const std::string& text, int line, const std::vector<std::string>& parts,
                    MeshPolicy meshes = MeshPolicy::required) {
  SCOPED_TRACE(text.substr(0, 400));
  try {
    parse(text, meshes);
    ADD_FAILURE() << "accepted; expected line " << line << " and '" << parts.front() << "'";
  } catch (const ModelError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("test.urdf:" + std::to_string(line) + ": ", 0), 0u) << message;
    for (const std::string& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Urdf, SmallestRobot) {
  const RobotDescription r = parse(robot(link("a") + joint("j", "a", "b") + link("b")));
  EXPECT_EQ(r.name, "r");
  EXPECT_EQ(r.root, "a");
  ASSERT_EQ(r.links.size(), 2u);
  EXPECT_EQ(r.links[1].line, 4);
  EXPECT_EQ(r.joints[0].line, 3);
  EXPECT_EQ(r.joints[0].axis, Vector3::UnitX()) << "URDF's default axis";
  EXPECT_EQ(r.find_link("b"), &r.links[1]);
  EXPECT_EQ(r.find_link("c"), nullptr);
}

TEST(Urdf, ReadsNumbersFramesAndShapes) {
  const RobotDescription r = parse(robot(
      R"(<material name="blue"><color rgba="0 0 1 0.5"/></material>
<link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz=" 1e-1  +2 -3.5 "/><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
<visual><geometry><sphere radius="0.5"/></geometry><material name="x"><color rgba="1 0 0 1"/></material></visual>
<collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
<collision><geometry><capsule radius="0.2" length="3"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 -2"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><limit effort="1" velocity="1"/><mimic joint="j"/></joint>
<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
)"));
  const LinkDescription& a = *r.find_link("a");
  EXPECT_EQ(a.inertial.center_of_mass, Vector3(1, 2, 3));
  // A quarter turn about z swaps the first two principal moments.
  EXPECT_LE((a.inertial.inertia - Matrix3(Vector3(2, 1, 2.5).asDiagonal())).cwiseAbs().maxCoeff(),
            tolerance::kArithmetic);
  ASSERT_EQ(a.visuals.size(), 2u);
  ASSERT_EQ(a.collisions.size(), 2u);
  EXPECT_EQ(a.visuals[0].kind, ShapeKind::box);
  EXPECT_EQ(a.visuals[0].size, Vector3(1, 2, 3));
  EXPECT_EQ(a.visuals[0].X_LS.translation, Vector3(0.1, 2, -3.5));
  EXPECT_EQ(a.visuals[0].color, Eigen::Vector4d(0, 0, 1, 0.5));
  EXPECT_EQ(a.visuals[1].color, Eigen::Vector4d(1, 0, 0, 1));
  EXPECT_EQ(a.collisions[0].size, Vector3(0.1, 2, 0));
  EXPECT_EQ(a.collisions[1].kind, ShapeKind::capsule);
  EXPECT_EQ(r.joints[0].axis, -Vector3::UnitZ());
  EXPECT_EQ(r.joints[0].lower, -1);
  EXPECT_EQ(r.joints[0].upper, 2);
  EXPECT_EQ(r.joints[0].effort_limit, 3);
  EXPECT_EQ(r.joints[0].velocity_limit, 4);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(note_text(r.notes[0]).find("'k' mimics"), std::string::npos);
  EXPECT_EQ(r.joints[0].mimics, "");
  EXPECT_EQ(r.joints[1].mimics, "j");
}

/// rpy turns about the fixed axes x, then y, then z.
TEST(Urdf, RollPitchYawIsAboutFixedAxes) {
  const RobotDescription r = parse(robot(
      link("a") + joint("j", "a", "b", "continuous", "<origin xyz=\"0 0 0\" rpy=\"0.3 -0.5 1.1\"/>") + link("b")));
  const auto about = [](int axis, double angle) {
    Matrix3 R = Matrix3::Identity();
    const int i = (axis + 1) % 3, k = (axis + 2) % 3;
    R(i, i) = R(k, k) = std::cos(angle);
    R(k, i) = std::sin(angle);
    R(i, k) = -std::sin(angle);
    return R;
  };
  const Matrix3 by_hand = about(2, 1.1) * about(1, -0.5) * about(0, 0.3);
  EXPECT_LE((r.joints[0].X_PJ.rotation - by_hand).cwiseAbs().maxCoeff(), tolerance::kArithmetic);
}

TEST(Urdf, MovingLinkWithoutInertia) {
  const RobotDescription r =
      parse(robot(link("a") + joint("j", "a", "b") + link("b", "") + joint("k", "b", "c") + link("c")));
  EXPECT_EQ(note_texts(r.notes),
            std::vector<std::string>{"line 4: link 'b' has no mass and moves (joint 'j'): read as the file has it"});
  EXPECT_NO_THROW(parse(robot(link("a", "") + joint("j", "a", "b", "fixed") + link("b", ""))));
}

TEST(Urdf, ShapeWithoutMassIsNoted) {
  const RobotDescription r =
      parse(robot(link("a") + joint("j", "a", "b", "fixed") +
                  link("b", "<collision><geometry><sphere radius=\"1\"/></geometry></collision>")));
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(note_text(r.notes[0]).find("line 4: link 'b'"), std::string::npos) << note_text(r.notes[0]);
}

TEST(Urdf, BadInertia) {
  const auto with = [](const std::string& inside) { return robot(link("a", "\n" + inside + "\n")); };
  const std::string moments = R"(<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>)";
  expect_refused(with("<inertial><mass value=\"-1\"/>" + moments + "</inertial>"), 3, {"'a'", "negative mass"});
  expect_refused(with("<inertial>" + moments + "</inertial>"), 3, {"'a'", "without <mass>"});
  expect_refused(with("<inertial><mass value=\"1\"/></inertial>"), 3, {"'a'", "without <inertia>"});
  expect_refused(with(R"(<inertial><mass value="1"/><inertia ixx="1" iyy="1" ixy="0" ixz="0" iyz="0"/></inertial>)"), 3,
                 {"no 'izz'"});
}

/// Its frames are whole: who needs dynamics refuses it.
TEST(Urdf, AnInertiaThatNoBodyHasIsNoted) {
  for (const auto* const text :
       {R"(<mass value="1"/><inertia ixx="1" iyy="1" izz="-1" ixy="0" ixz="0" iyz="0"/>)",
        R"(<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="5" ixz="0" iyz="0"/>)",
        // Weightless, but not free to turn.
        R"(<mass value="1e-6"/><inertia ixx="1" iyy="1" izz="-1" ixy="0" ixz="0" iyz="0"/>)"}) {
    const RobotDescription r = parse(robot(link("a", std::string("\n<inertial>") + text + "</inertial>\n")));
    ASSERT_EQ(r.notes.size(), 1u);
    EXPECT_EQ(note_text(r.notes[0]),
              "line 3: link 'a': the inertia is not positive, no body has it; dynamics refuse it");
    try {
      detail::check_inertia(RobotModel(r));
      ADD_FAILURE() << text;
    } catch (const ModelError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("test.urdf:2: link 'a': the inertia is not positive; check signs", 0),
                0u)
          << error.what();
    }
  }
}

/// TIAGo's antennas: a milligram with an inertia that no body can have.
TEST(Urdf, WhatWeighsNothingIsReadAsAPoint) {
  const RobotDescription r = parse(robot(link(
      "a",
      "\n"
      R"(<inertial><mass value="1e-6"/><inertia ixx="2e-8" iyy="3e-8" izz="4e-8" ixy="6e-8" ixz="1e-8" iyz="0"/></inertial>)")));
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(note_text(r.notes[0]).find("link 'a': no body has such an inertia"), std::string::npos)
      << note_text(r.notes[0]);
  EXPECT_EQ(r.links.at(0).inertial.mass, 1e-6);
  EXPECT_TRUE(r.links.at(0).inertial.inertia.isZero(0.0));
}

/// 1 + 1 < 9: no distribution of mass has these moments. Published files hold such, and the dynamics stay defined.
TEST(Urdf, TriangleInequalityIsNoted) {
  const auto notes = [](const std::string& izz) {
    return parse(robot(link("a", "\n<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"" + izz +
                                     "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>")))
        .notes;
  };
  ASSERT_EQ(notes("9").size(), 1u);
  EXPECT_NE(note_text(notes("9")[0]).find("line 3: link 'a': the inertia breaks the triangle"), std::string::npos)
      << note_text(notes("9")[0]);
  EXPECT_TRUE(notes("2").empty());
}

TEST(Urdf, BadNumbers) {
  for (const std::string bad :
       {"nan", "inf", "-inf", "1e999", "one", "1 2", "1,5", "0x10", "1.0f", "--1", "+-1", "."}) {
    expect_refused(
        robot(link("a", "\n<inertial><mass\nvalue=\"" + bad + "\"/>" +
                            "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>")),
        3, {"value=\"" + bad + "\"", "finite number"});
  }
  for (const std::string bad : {"0 0", "0 0 0 0", "", "0 0 x", "nan 0 0"}) {
    const std::string text =
        robot(link("a") + joint("j", "a", "b", "continuous", "\n<origin xyz=\"" + bad + "\"/>") + link("b"));
    expect_refused(text, 4, {"xyz"});
  }
  expect_refused(robot(link("a", "\n<visual><geometry><box size=\"1 -2 3\"/></geometry></visual>")), 3,
                 {"negative size"});
  expect_refused(robot(link("a", "\n<visual><geometry><cone/></geometry></visual>")), 3, {"<cone>"});
  expect_refused(robot(link("a", "\n<visual/>")), 3, {"'a'", "no geometry"});
}

TEST(Urdf, BadJoints) {
  expect_refused(robot(link("a") + joint("j", "a", "b", "revolut") + link("b")), 3, {"revolut'", "'revolute'"});
  expect_refused(robot(link("a") + joint("j", "a", "b", "spherical") + link("b")), 3, {"spherical", "prismatic"});
  expect_refused(robot(link("a") + joint("j", "a", "b", "continuous", "\n<axis xyz=\"0 0 0\"/>") + link("b")), 4,
                 {"axis has no direction"});
  for (const char* axis : {"0 0 1e155", "1e308 1e308 0", "1e-7 0 0", "nan 0 0", "0 inf 0"}) {
    const std::string line = "\n<axis xyz=\"" + std::string(axis) + "\"/>";
    expect_refused(robot(link("a") + joint("j", "a", "b", "continuous", line) + link("b")), 4, {"axis"});
  }
  expect_refused(robot(link("a") + joint("j", "a", "b", "revolute") + link("b")), 3, {"'j'", "<limit>"});
  expect_refused(robot(link("a") + joint("j", "a", "b", "revolute", "\n<limit lower=\"2\" upper=\"1\"/>") + link("b")),
                 4, {"'j'", "lower limit above upper"});
  expect_refused(robot(link("a") + "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>\n" + link("b")), 3,
                 {"'j'", "no <child>"});
  expect_refused(robot(link("a") + "<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>\n" + link("b")), 3,
                 {"'j'", "no <parent>"});
  expect_refused(robot(link("a") + "<joint type=\"fixed\"/>\n" + link("b")), 3, {"<joint> has no 'name'"});
  expect_refused(robot(link("a") + "<joint name=\"j\"/>\n" + link("b")), 3, {"<joint> has no 'type'"});
  expect_refused(robot(link("arm") + joint("j", "arm", "hnd") + link("hand")), 3, {"'j'", "'hnd'", "'hand'"});
}

TEST(Urdf, BadTrees) {
  expect_refused(robot(link("a") + link("b") + link("c") + joint("j", "a", "c") + joint("k", "b", "c")), 6,
                 {"'c' has two parent joints"});
  expect_refused(robot(link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a")), 2, {"loop"});
  expect_refused(robot(link("a") + link("b") + link("c") + joint("j", "b", "c") + joint("k", "c", "b")), 3,
                 {"'b' is in a loop"});
  expect_refused(robot(link("a") + joint("j", "a", "a")), 2, {"loop"});
  expect_refused(robot(link("a") + link("b")), 3, {"two root links", "'a'", "'b'"});
  expect_refused(robot(link("a") + link("a")), 3, {"'a' is described twice", "line 2"});
  expect_refused(robot(link("a") + link("b") + link("c") + joint("j", "a", "b") + joint("j", "a", "c")), 6,
                 {"'j' is described twice"});
  expect_refused(robot(""), 1, {"no links"});
}

TEST(Urdf, NotARobotFile) {
  const std::string good = robot(link("a") + joint("j", "a", "b") + link("b"));
  expect_refused(good.substr(0, good.size() / 2), 3, {"not well-formed XML", "cut off"});
  expect_refused("<mujoco>\n</mujoco>", 1, {"<mujoco>, not <robot>"});
  expect_refused("\n\n<mujoco/>", 3, {"<mujoco>"});
  for (const std::string rootless :
       {"<!-- nothing -->", "<?xml version=\"1.0\"?>", "<!DOCTYPE robot>", "  \n ", "text"}) {
    SCOPED_TRACE(rootless);
    try {
      parse(rootless);
      ADD_FAILURE() << "accepted";
    } catch (const ModelError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("test.urdf:", 0), 0u) << error.what();
    }
  }
  try {
    parse("");
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "test.urdf: the file is empty; give a URDF file") << "an empty file has no line";
  }
  EXPECT_THROW(read_urdf("no/such/file.urdf"), Error);
}

TEST(Urdf, HugeNesting) {
  std::string deep, close;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  expect_refused("<robot>\n" + deep, 2, {"not well-formed XML"});
  // A chain as long as a tree may be is read; one longer is refused before anything recurses over it.
  const auto chain = [](int links) {
    std::string text;
    for (int i = 0; i < links; ++i) text += link("l" + std::to_string(i));
    for (int i = 1; i < links; ++i)
      text += joint("j" + std::to_string(i), "l" + std::to_string(i - 1), "l" + std::to_string(i));
    return robot(text);
  };
  EXPECT_EQ(RobotModel(parse(chain(2000))).motor_count(), 1999);
  expect_refused(chain(2001), 2002, {"more than 2000 links"});
}

/// A folder of its own that goes away with the test.
class MeshFolder : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(top_ / "some_robot" / "urdf");
    fs::create_directories(top_ / "some_robot" / "meshes");
    std::ofstream(top_ / "some_robot" / "meshes" / "arm.stl") << "solid";
  }

  static std::string text(const std::string& uri) {
    return robot(
        link("a", "\n<visual><geometry>\n<mesh filename=\"" + uri + "\" scale=\"1 2 3\"/></geometry></visual>"));
  }
  fs::path resolve(const std::string& uri) const {
    return parse(text(uri), MeshPolicy::required, top_ / "some_robot" / "urdf").links[0].visuals[0].mesh;
  }
  test::TemporaryFolder temporary_;
  const fs::path top_ = temporary_.path();
};

TEST_F(MeshFolder, ResolvesPackagesPathsAndFiles) {
  const fs::path arm = top_ / "some_robot" / "meshes" / "arm.stl";
  for (const std::string& uri : {std::string("package://some_robot/meshes/arm.stl"), std::string("../meshes/arm.stl"),
                                 std::string("file://../meshes/arm.stl"), "file://" + arm.string(), arm.string()}) {
    EXPECT_TRUE(fs::equivalent(resolve(uri), arm)) << uri;
  }
  const RobotDescription r = parse(text("../meshes/arm.stl"), MeshPolicy::required, top_ / "some_robot" / "urdf");
  EXPECT_EQ(r.links[0].visuals[0].scale, Vector3(1, 2, 3));
}

TEST_F(MeshFolder, MissingMeshIsRefusedWithItsLineOrIgnored) {
  for (const std::string uri :
       {"package://some_robot/meshes/leg.stl", "../meshes/leg.stl", "package://", "../meshes"}) {
    expect_refused(text(uri), 4, {uri, "does not exist"});
    EXPECT_NO_THROW(parse(text(uri), MeshPolicy::ignored)) << uri;
    EXPECT_NO_THROW(parse(text(uri), MeshPolicy::ignored, "")) << uri << ", a file named without a folder";
  }
}

TEST_F(MeshFolder, FileNamedWithoutAFolderLiesInTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(top_ / "some_robot" / "urdf");
  std::ofstream("robot.urdf") << text("package://some_robot/meshes/arm.stl");
  fs::path mesh;
  std::string refused;
  try {
    mesh = read_urdf("robot.urdf").links[0].visuals[0].mesh;
  } catch (const Error& error) {
    refused = error.what();
  }
  const bool found = fs::exists(mesh);
  fs::current_path(before);
  EXPECT_TRUE(found) << refused;
}

/// A text whose bytes change at random, from a printed seed: reading it gives a model or a ModelError, and nothing
/// else.
/// \return how many texts were accepted
int mutate_and_parse(const std::string& original, int count, unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  constexpr char kTelling[] = "<>\"'/=& \n\0-+.e09&#;!?[]";
  int accepted = 0;
  std::string text;
  for (int i = 0; i < count; ++i) {
    text = original;
    const unsigned changes = 1 + engine() % 4;
    for (unsigned change = 0; change < changes && !text.empty(); ++change) {
      const std::size_t at = engine() % text.size();
      switch (engine() % 6) {
        case 0: text[at] = static_cast<char>(engine()); break;
        case 1: text[at] = kTelling[engine() % (sizeof kTelling - 1)]; break;
        case 2: text.erase(at, 1 + engine() % 40); break;
        case 3: text.insert(at, text.substr(engine() % text.size(), engine() % 40)); break;
        case 4: text.insert(at, 1, kTelling[engine() % (sizeof kTelling - 1)]); break;
        case 5:
          if (engine() % 8 == 0) text.resize(at);
          break;
      }
    }
    try {
      const RobotDescription description = parse(text, MeshPolicy::ignored);
      ++accepted;
      if (accepted % 50 == 0) RobotModel{description};
    } catch (const ModelError&) {
    } catch (const std::exception& error) {
      ADD_FAILURE() << "mutation " << i << " threw something else: " << error.what();
    }
  }
  return accepted;
}

/// The text without its shapes, which are two thirds of it and one function of the reader.
std::string without_shapes(std::string text) {
  for (const std::string tag : {"visual", "collision"}) {
    for (std::size_t begin = text.find("<" + tag + ">"); begin != std::string::npos;
         begin = text.find("<" + tag + ">")) {
      const std::string end = "</" + tag + ">";
      text.erase(begin, text.find(end, begin) + end.size() - begin);
    }
  }
  return text;
}

/// Fifty thousand in `make soak`.
TEST(Urdf, SoakMutationsOfTheH1_2) {
  const std::string text = read_file(test::robots_folder() / "h1_2" / "h1_2.urdf");
  ASSERT_GT(text.size(), 10000u);
  const int count = test::in_soak(50000, 5000), whole = count / 25;
  const int accepted = mutate_and_parse(without_shapes(text), count - whole, 301) + mutate_and_parse(text, whole, 302);
  EXPECT_GT(accepted, count / 50) << "the mutations are so wild that only the XML parser is tried";
  EXPECT_LT(accepted, count / 10 * 9) << "the mutations are so tame that nothing is tried";
}

}  // namespace
}  // namespace antaeus
