#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/instant.hpp"
#include "estimation/published/moved_directions.hpp"
#include "robot/check_inertia.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

constexpr const char* kBody =
    R"(<inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>)";

/// A chain of hinges from "base" through "l1", "l2", …, each link 0.3 m along x.
struct Hinge {
  const char* axis;
  bool has_mass = true;
  const char* offset = "0.3 0 0";
};
RobotDescription chain(const std::vector<Hinge>& hinges) {
  std::string text = "<robot name=\"chain\"><link name=\"base\"/>", parent = "base";
  for (std::size_t i = 0; i < hinges.size(); ++i) {
    const std::string number = std::to_string(i + 1), child = "l" + number;
    text += "<link name=\"" + child + "\">" + (hinges[i].has_mass ? kBody : "") + "</link><joint name=\"j" + number +
            "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child + "\"/><origin xyz=\"" +
            hinges[i].offset + "\"/><axis xyz=\"" + hinges[i].axis +
            "\"/><limit lower=\"-2\" upper=\"2\" effort=\"10\" velocity=\"1\"/></joint>";
    parent = child;
  }
  text += "<link name=\"tip\"/><joint name=\"end\" type=\"fixed\"><parent link=\"" + parent +
          "\"/><child link=\"tip\"/><origin xyz=\"0.3 0.05 0\"/></joint></robot>";
  return parse_urdf(text, "chain.urdf", ".", MeshPolicy::required);
}

std::string refusal(const RobotDescription& description) {
  try {
    detail::check_inertia(RobotModel(description));
    return {};
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(RegularPoses, AMasslessLinkBetweenJointsIsNoObstacle) {
  // A ball joint as URDF writes it: singular only where the first and the last axis meet.
  EXPECT_EQ(refusal(chain({{"1 0 0", false}, {"0 1 0", false, "0 0 0"}, {"0 0 1", true, "0 0 0"}})), "");
  EXPECT_EQ(refusal(chain({{"0 1 0"}, {"0 1 0", false}, {"0 0 1"}})), "");
}

TEST(RegularPoses, RefusesWhatMakesTheMassMatrixSingular) {
  const std::string leaf = refusal(chain({{"0 1 0"}, {"0 0 1", false}}));
  EXPECT_NE(leaf.find("joint 'j2'"), std::string::npos) << leaf;
  EXPECT_NE(leaf.find("link 'l2'"), std::string::npos) << leaf;
  EXPECT_EQ(leaf.find('\n'), std::string::npos);
  const std::string twice = refusal(chain({{"0 1 0", false}, {"0 1 0", true, "0 0 0"}}));
  EXPECT_NE(twice.find("joint 'j1'"), std::string::npos) << "two hinges on one axis: " << twice;
  const RobotDescription description = chain({{"0 1 0"}, {"0 0 1", false}});
  RobotProfile profile;
  profile.name = "chain";
  const Robot robot = make_robot(profile, description);
  EXPECT_THROW(InstantReader(robot, {"tip"}), ModelError);
}

TEST(RegularPoses, DirectionsAreThoseThatTheFramesOwnJointsMove) {
  const auto directions = [](const RobotDescription& description, const char* frame) {
    const RobotModel model(description);
    return detail::moved_directions(model, model.frame(frame)).count;
  };
  const std::vector<Hinge> leg = {{"1 0 0"}, {"0 1 0"}, {"0 1 0"}};
  EXPECT_EQ(directions(chain(leg), "tip"), 3);
  EXPECT_EQ(directions(chain(leg), "l1"), 1);
  EXPECT_EQ(directions(chain(leg), "base"), 0);
  EXPECT_EQ(directions(chain({{"0 1 0"}, {"0 1 0"}, {"0 1 0"}, {"0 1 0"}}), "tip"), 2) << "all in one plane";
  EXPECT_EQ(directions(chain({{"0 0 1"}, {"0 1 0"}, {"0 1 0"}, {"1 0 0"}, {"0 1 0"}, {"1 0 0"}}), "tip"), 6);
}

}  // namespace
}  // namespace antaeus
