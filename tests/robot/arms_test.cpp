// The arms of tests/support/arms.hpp are what their comments say.
#include "support/arms.hpp"

#include <gtest/gtest.h>

#include <set>

#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::Arm;

Vector3 tool_at_zero(const Arm& arm) {
  const RobotModel model(arm.description, test::fixed_base());
  Dynamics dynamics(model);
  Pose pose;
  EXPECT_EQ(dynamics.at(model.neutral()).frame_pose(model.frame(arm.frame), pose), Status::ok);
  return pose.translation;
}

TEST(Arms, EachIsAChainWhoseEveryJointMovesItsFrame) {
  std::set<std::string> names;
  for (const Arm& arm : test::all_arms()) {
    SCOPED_TRACE(arm.name);
    EXPECT_TRUE(names.insert(arm.name).second);
    const RobotModel model(arm.description, test::fixed_base());
    ASSERT_FALSE(arm.joints.empty());
    EXPECT_EQ(model.motor_names(), arm.joints);
    EXPECT_EQ(model.nv(), static_cast<int>(arm.joints.size()));
    EXPECT_EQ(model.supporting_motors(model.frame(arm.frame)).size(), arm.joints.size());
  }
}

TEST(Arms, JointsAreOfTheKindsThatTheyAreThereFor) {
  const auto types = [](const Arm& arm) {
    std::string text;
    for (const JointDescription& joint : arm.description.joints) {
      if (joint.type != JointType::fixed) text += to_string(joint.type)[0];
    }
    return text;
  };
  EXPECT_EQ(types(test::panda_arm()), "rrrrrrr");
  EXPECT_EQ(types(test::ur5e_arm()), "rrrrrr");
  EXPECT_EQ(types(test::g1_arm()), "rrrrrrr");
  EXPECT_EQ(types(test::h1_2_arm()), "rrrrrrr");
  EXPECT_EQ(types(test::on_rail(test::offset_wrist_arm())), "prrrrrr");
  EXPECT_EQ(types(test::on_rail(test::panda_arm())), "prrrrrrr");
  EXPECT_EQ(types(test::scara_arm()), "rrrp");
  EXPECT_EQ(types(test::sliding_tool_arm()), "rrrrrrp");
  EXPECT_EQ(types(test::continuous_arm()), "crcrcrc");
}

/// Published figures: the Panda's flange at zero is 88 mm ahead and 333 + 316 + 384 − 107 mm up; the UR5e's sum of
/// Denavit-Hartenberg lengths.
TEST(Arms, ZeroPosesAreThePublishedLengths) {
  EXPECT_LT((tool_at_zero(test::panda_arm()) - Vector3(0.088, 0, 0.926)).norm(), tolerance::kSameKinematics);
  EXPECT_LT((tool_at_zero(test::ur5e_arm()) - Vector3(-0.8172, -0.2329, 0.0628)).norm(), tolerance::kSameKinematics);
}

/// A frame that does not hang on the link is no chain, and nothing is read behind the end.
TEST(Arms, AFrameElsewhereHasNoJoints) {
  EXPECT_TRUE(
      test::chain_between("none", test::own_description("h1_2"), "torso_link", "left_knee_link").joints.empty());
}

}  // namespace
}  // namespace antaeus
