// What is found of robots that nobody has described: by their tree, by words, and said where it is a guess.
#include "antaeus/check/describe.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "io/io_support.hpp"

namespace antaeus {
namespace {

/// A URDF of links in a row or in a tree: "parent child type x y z [extra]" a joint.
struct Written {
  struct Joint {
    std::string name, parent, child, type = "revolute";
    Vector3 place{0.0, 0.0, 0.1};
    std::string extra = {};
  };
  std::vector<Joint> joints;
  bool limited = true;

  std::string urdf() const {
    std::string links, text;
    std::vector<std::string> known;
    const auto link = [&](const std::string& name) {
      if (std::ranges::find(known, name) != known.end()) return;
      known.push_back(name);
      links += "<link name=\"" + name +
               "\"><inertial><mass value=\"1\"/><inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" "
               "iyz=\"0\"/></inertial></link>";
    };
    for (const Joint& j : joints) {
      link(j.parent);
      link(j.child);
      const auto at = [&](int i) { return std::to_string(j.place[i]); };
      text += "<joint name=\"" + j.name + "\" type=\"" + j.type + "\"><parent link=\"" + j.parent +
              "\"/><child link=\"" + j.child + "\"/><origin xyz=\"" + at(0) + " " + at(1) + " " + at(2) +
              "\"/><axis xyz=\"0 1 0\"/>" +
              (j.type == "fixed" || !limited ? "" : "<limit lower=\"-2\" upper=\"2\" effort=\"40\" velocity=\"3\"/>") +
              j.extra + "</joint>";
    }
    return "<robot name=\"own\">" + links + text + "</robot>";
  }
};

class Describe : public testing::Test {
 protected:
  RobotFacts of(const Written& written) {
    file_ = (folder_.path() / "own.urdf").string();
    write_file(file_, written.urdf());
    return describe(load_robot(file_));
  }
  static std::vector<std::string> chosen(const RobotFacts& facts) {
    std::vector<std::string> frames;
    for (const EndpointFacts& e : facts.endpoints) {
      if (e.chosen) frames.push_back(e.endpoint.frame);
    }
    return frames;
  }
  static std::string all_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
  /// A chain of revolute joints from `parent`, in names that say nothing.
  static void chain(Written& written, const std::string& parent, const std::string& stem, int joints,
                    const Vector3& first, const Vector3& step) {
    std::string from = parent;
    for (int i = 0; i < joints; ++i) {
      const std::string link = stem + std::to_string(i);
      written.joints.push_back({"j_" + link, from, link, "revolute", i == 0 ? first : step});
      from = link;
    }
  }

  test::TemporaryFolder folder_;
  std::string file_;
};

TEST_F(Describe, AnArmWithOddNames) {
  Written arm;
  chain(arm, "foundation", "seg", 6, {0, 0, 0.2}, {0, 0, 0.2});
  arm.joints.push_back({"bolted", "seg5", "stylus", "fixed"});
  const RobotFacts facts = of(arm);
  EXPECT_EQ(facts.motors.size(), 6U);
  EXPECT_EQ(facts.base, Base::fixed);
  EXPECT_EQ(chosen(facts), std::vector<std::string>{"stylus"});
  EXPECT_EQ(facts.endpoints[0].endpoint.kind, EndpointKind::tool);
  EXPECT_NE(all_of(note_texts(facts.guesses)).find("endpoint stylus: unknown by name"), std::string::npos);
  EXPECT_EQ(described_profile(facts, ".").find("foot"), std::string::npos);
}

TEST_F(Describe, FourLegsWithoutWords) {
  Written legged;
  for (const double x : {0.3, -0.3}) {
    for (const double y : {0.2, -0.2}) {
      chain(legged, "hull", "m" + std::to_string(legged.joints.size()) + "_", 3, {x, y, -0.1}, {0, 0, -0.3});
    }
  }
  const RobotFacts facts = of(legged);
  EXPECT_EQ(facts.base, Base::free_flyer);
  std::vector<std::string> labels;
  for (const EndpointFacts& e : facts.endpoints) {
    if (!e.chosen) continue;
    EXPECT_EQ(e.endpoint.kind, EndpointKind::foot);
    labels.push_back(e.endpoint.label);
  }
  EXPECT_EQ(labels,
            (std::vector<std::string>{"front left foot", "front right foot", "rear left foot", "rear right foot"}));
  EXPECT_NE(all_of(note_texts(facts.guesses)).find("a leg: unknown by name"), std::string::npos);
  EXPECT_NE(all_of(facts.missing).find("no frame is named after an IMU"), std::string::npos);
}

TEST_F(Describe, AHandAtAWristIsOneEndpoint) {
  Written arm;
  chain(arm, "base", "a", 5, {0, 0, 0.2}, {0, 0, 0.2});
  arm.joints.push_back({"to_palm", "a4", "palm", "fixed"});
  for (const char* finger : {"x", "y", "z"}) {
    chain(arm, "palm", finger, 3, {0.05, 0, 0.05}, {0, 0, 0.03});
  }
  const RobotFacts facts = of(arm);
  EXPECT_EQ(chosen(facts), std::vector<std::string>{"palm"});
  EXPECT_EQ(facts.endpoints[0].endpoint.kind, EndpointKind::hand);
  ASSERT_EQ(facts.groups.size(), 2U);
  EXPECT_EQ(facts.groups[0].joints.size(), 5U);
  EXPECT_EQ(facts.groups[1].joints.size(), 9U);
}

TEST_F(Describe, AHandByItselfIsHeld) {
  Written hand;
  hand.joints.push_back({"turn", "forearm", "cuff"});
  hand.joints.push_back({"nod", "cuff", "palm"});
  for (const char* finger : {"ff", "mf", "rf", "th"}) chain(hand, "palm", finger, 4, {0.05, 0, 0.05}, {0, 0, 0.03});
  const RobotFacts facts = of(hand);
  EXPECT_EQ(facts.base, Base::fixed);
  EXPECT_EQ(chosen(facts), (std::vector<std::string>{"ff3", "mf3", "rf3", "th3"}));
  EXPECT_NE(all_of(note_texts(facts.guesses)).find("a hand by itself"), std::string::npos);
}

TEST_F(Describe, MimicWheelsAndCasters) {
  Written mobile;
  for (const char* side : {"left", "right"}) {
    const std::string name = std::string(side) + "_wheel";
    mobile.joints.push_back({name + "_joint", "chassis", name, "continuous", {0, 0.2, 0}});
  }
  mobile.joints.push_back({"caster_swivel", "chassis", "caster", "continuous"});
  chain(mobile, "chassis", "arm_link", 6, {0, 0, 0.4}, {0, 0, 0.2});
  mobile.joints.push_back({"grip_left_finger_joint", "arm_link5", "left_finger", "prismatic"});
  mobile.joints.push_back({"grip_right_finger_joint",
                           "arm_link5",
                           "right_finger",
                           "prismatic",
                           {0, 0, 0.1},
                           "<mimic joint=\"grip_left_finger_joint\"/>"});
  const RobotFacts facts = of(mobile);
  EXPECT_EQ(facts.base, Base::free_flyer);
  EXPECT_EQ(facts.motors.size(), 2U + 6U + 1U);
  EXPECT_EQ(chosen(facts), std::vector<std::string>{"arm_link5"});
  const auto use = [&](const std::string& joint) {
    return std::ranges::find_if(facts.joints, [&](const auto& j) { return j.joint.name == joint; })->use;
  };
  EXPECT_EQ(use("caster_swivel"), JointUse::passive);
  EXPECT_EQ(use("grip_right_finger_joint"), JointUse::mimic);
  EXPECT_EQ(use("left_wheel_joint"), JointUse::motor);
}

TEST_F(Describe, WhatIsNotStatedIsSaid) {
  Written bare;
  chain(bare, "base", "seg", 3, {0, 0, 0.2}, {0, 0, 0.2});
  bare.limited = false;
  for (Written::Joint& j : bare.joints) j.type = "continuous";
  const RobotFacts facts = of(bare);
  EXPECT_NE(all_of(facts.missing).find("no effort limit on 3 joints"), std::string::npos);
  EXPECT_NE(all_of(facts.missing).find("no velocity limit on any joint"), std::string::npos);
  EXPECT_NE(all_of(facts.missing).find("no shapes"), std::string::npos);
  EXPECT_NE(described_profile(facts, ".").find("They turn without end: j_seg0, j_seg1, j_seg2."), std::string::npos);
}

TEST_F(Describe, TheFileLoadsAsItWasDescribed) {
  Written arm;
  chain(arm, "base", "seg", 4, {0, 0, 0.2}, {0, 0, 0.2});
  const RobotFacts facts = of(arm);
  const std::filesystem::path file = folder_.path() / "there" / "profile.toml";
  write_described_profile(facts, file);
  const Robot robot = load_robot(file.string());
  EXPECT_EQ(robot.profile.options.motors, facts.motors);
  EXPECT_EQ(robot.profile.base_source, BaseSource::profile);
  EXPECT_EQ(robot.profile.figures[0].torque_sd_from, FigureSource::effort_limit);  // assumed, as without the file
  EXPECT_EQ(robot.pose("middle").size(), 4);
  for (int m = 0; m < 4; ++m) {
    EXPECT_GT(robot.pose("middle")[m], robot.model.lower_limits()[m]);
    EXPECT_LT(robot.pose("middle")[m], robot.model.upper_limits()[m]);
  }
  EXPECT_THROW(write_described_profile(facts, folder_.path() / "profile.txt"), OptionsError);
}

TEST_F(Describe, NothingThatMovesIsNoProfile) {
  Written block;
  block.joints.push_back({"glue", "base", "block", "fixed"});
  const RobotFacts facts = of(block);
  EXPECT_TRUE(facts.motors.empty());
  EXPECT_NE(all_of(facts.missing).find("nothing in it moves by a motor"), std::string::npos);
  EXPECT_THROW(write_described_profile(facts, folder_.path() / "profile.toml"), ModelError);
}

}  // namespace
}  // namespace antaeus
