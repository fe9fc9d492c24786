#include "antaeus/robot/limbs.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/shared.hpp"
#include "support/source_folder.hpp"

namespace antaeus {
namespace {

/// A tree written link by link, as a robot's own file has it.
class Tree {
 public:
  Tree() {
    robot_.root = "root";
    add("root");
  }
  /// A chain of joints from a link on; its last link's name.
  std::string chain(const std::string& from, int joints, JointType type = JointType::revolute) {
    std::string link = from;
    for (int i = 0; i < joints; ++i) {
      JointDescription joint;
      joint.name = "joint_" + std::to_string(++count_);
      joint.type = type;
      joint.parent = link;
      joint.child = link = "link_" + std::to_string(count_);
      joint.X_PJ.translation = {0.5, 0.0, 0.0};
      robot_.joints.push_back(joint);
      add(link);
    }
    return link;
  }
  /// A frame, or a rigid part: links that do not move.
  std::string part(const std::string& from) { return chain(from, 1, JointType::fixed); }
  int limbs() const { return limb_count(robot_); }
  const RobotDescription& robot() const { return robot_; }

 private:
  void add(const std::string& name) {
    LinkDescription link;
    link.name = name;
    robot_.links.push_back(link);
  }
  RobotDescription robot_;
  int count_ = 0;
};

TEST(Limbs, AnArmAndItsGripper) {
  Tree ur5e;
  ur5e.part(ur5e.chain(ur5e.part("root"), 6));
  EXPECT_EQ(ur5e.limbs(), 1);
  Tree panda;
  const std::string hand = panda.part(panda.chain("root", 7));
  panda.chain(hand, 1, JointType::prismatic);
  panda.chain(hand, 1, JointType::prismatic);
  EXPECT_EQ(panda.limbs(), 1) << "two jaws";
  Tree kinova;
  const std::string wrist = kinova.chain("root", 6);
  for (int finger = 0; finger < 3; ++finger) kinova.chain(wrist, 2);
  EXPECT_EQ(kinova.limbs(), 1) << "three fingers of two joints";
  Tree allegro;
  const std::string palm = allegro.chain("root", 7);
  for (int finger = 0; finger < 4; ++finger) allegro.chain(palm, 4);
  EXPECT_EQ(allegro.limbs(), 1) << "four fingers of four joints are a hand still";
}

TEST(Limbs, AHumanoid) {
  Tree g1;
  for (int leg = 0; leg < 2; ++leg) g1.chain("root", 6);
  const std::string torso = g1.part(g1.chain("root", 3));
  for (int arm = 0; arm < 2; ++arm) {
    const std::string hand = g1.chain(torso, 7);
    for (int finger = 0; finger < 3; ++finger) g1.chain(hand, 3);
  }
  g1.chain(torso, 2);
  EXPECT_EQ(g1.limbs(), 4) << "a waist of three joints forks the body, a neck of two is no limb";
}

TEST(Limbs, QuadrupedsOfThreeAndOfTwoJointsALeg) {
  for (const int joints : {3, 2}) {
    Tree quadruped;
    for (int leg = 0; leg < 4; ++leg) quadruped.chain(quadruped.part("root"), joints);
    EXPECT_EQ(quadruped.limbs(), 4) << joints;
  }
}

TEST(Limbs, AMobileArmOnWheelsAndATwoArmedTorso) {
  Tree tiago;
  for (int wheel = 0; wheel < 2; ++wheel) tiago.chain("root", 1, JointType::continuous);
  for (int caster = 0; caster < 4; ++caster) tiago.chain("root", 2, JointType::continuous);
  const std::string lift = tiago.chain("root", 1, JointType::prismatic);
  tiago.chain(lift, 2);  // head
  const std::string wrist = tiago.chain(lift, 7);
  tiago.chain(wrist, 1);
  tiago.chain(wrist, 1);
  EXPECT_EQ(tiago.limbs(), 1);
  tiago.chain(lift, 7);
  EXPECT_EQ(tiago.limbs(), 2) << "TIAGo dual";
}

TEST(Limbs, NothingThatMovesAndARootOfItsOwn) {
  Tree block;
  block.part("root");
  EXPECT_EQ(block.limbs(), 0);
  EXPECT_FALSE(frees_itself(block.robot()));
  Tree free;
  const std::string body = free.chain("root", 1, JointType::floating);
  for (int leg = 0; leg < 4; ++leg) free.chain(body, 3);
  EXPECT_EQ(free.limbs(), 4);
  EXPECT_TRUE(frees_itself(free.robot()));
}

TEST(Limbs, DepthCostsNoStack) {
  Tree chain;
  chain.chain("root", 20000);
  EXPECT_EQ(chain.limbs(), 1);
}

/// Each robot that is loaded asks for it: in one walk, or a long file would be read for hours.
TEST(Limbs, ReachIsTheLongestWayFromTheRoot) {
  Tree robot;
  robot.chain(robot.chain("root", 1), 20000);
  robot.chain("root", 3);
  EXPECT_EQ(longest_reach(robot.robot()), 0.5 * 20001);
  EXPECT_EQ(longest_reach(Tree().robot()), 0.0);
}

TEST(Limbs, PublishedRobots) {
  EXPECT_EQ(limb_count(test::own_robot("h1_2").model.description()), 4);
  EXPECT_EQ(limb_count(test::own_robot("planar_3r").model.description()), 1);
  const auto is_free = [](const std::filesystem::path& file) {
    return load_robot(file.string(), MeshPolicy::ignored).model.base() == Base::free_flyer;
  };
  EXPECT_TRUE(is_free(antaeus::test::source_folder() / "tests/support/quadruped.urdf"));
  // Others' where they are: a quadruped, and a slide, a hip and a knee in a row.
  const std::filesystem::path solo = test::shared_folder() / "golden/contact_inverse_dynamics/urdf/solo12.urdf";
  const std::filesystem::path hopper = test::shared_folder() / "measured/hopper/teststand.urdf";
  if (std::filesystem::exists(solo)) {
    EXPECT_TRUE(is_free(solo));
  }
  if (std::filesystem::exists(hopper)) {
    EXPECT_FALSE(is_free(hopper));
  }
}

}  // namespace
}  // namespace antaeus
