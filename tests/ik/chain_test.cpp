// Chains: poses against Pinocchio, what they refuse, and what they say of themselves.
#include "antaeus/ik/chain.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "ik/tolerances.hpp"
#include "support/reach_sets.hpp"

namespace antaeus {
namespace {

using test::Arm;
using test::ReachArm;
using test::ReachSets;

double difference(const Pose& a, const Pose& b) {
  return std::max((a.translation - b.translation).cwiseAbs().maxCoeff(),
                  (a.rotation - b.rotation).cwiseAbs().maxCoeff());
}

ModelOptions fixed() {
  ModelOptions options;
  options.base = Base::fixed;
  return options;
}

std::string text(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChainParity, PosesAreThoseOfPinocchio) {
  for (const Arm& each : test::all_arms()) {
    ReachArm arm(each);
    ReachSets sets(arm, 3);
    double worst = 0.0, farthest = 0.0;
    const Vector3 first = arm.pose(VectorX::Zero(arm.chain.size())).translation;
    for (int k = 0; k < 200; ++k) {
      const VectorX q = sets.positions();
      Pose X;
      ASSERT_EQ(arm.chain.pose(q, X), Status::ok);
      const Pose reference = arm.pose(q);
      worst = std::max(worst, difference(X, reference));
      farthest = std::max(farthest, (reference.translation - first).norm());
    }
    EXPECT_LE(worst, tolerance::kChainPose) << arm.name;
    EXPECT_GE(2.0 * arm.chain.reach(), farthest) << arm.name << ": two points of the workspace";
  }
}

/// Axes a few microradians and a few milliradians from parallel, as a calibrated robot has them: their common normals
/// stand metres away.
TEST(ChainParity, NearlyParallelAxesLoseNoDigits) {
  for (const double tilt : {0.0, 1e-16, 1e-12, 1e-6, 1e-3, 0.019, 0.1, 0.19, 0.21, 0.4}) {
    std::array<test::ArmJoint, 4> joints{{
        {"one", JointType::revolute, {0, 0, 0.3}, {0, 0, 0}, {0, 0, 1}, -3, 3},
        {"two", JointType::revolute, {0.4, 0.1, 0.05}, {tilt, -0.5 * tilt, 0.3}, {0, 0, 1}, -3, 3},
        {"three", JointType::revolute, {0.3, -0.2, 0.02}, {std::numbers::pi - tilt, tilt, 0}, {0, 0, 1}, -3, 3},
        {"four", JointType::revolute, {0, 0, 0.1}, {0, tilt, 0}, {0, 0, 1}, -3, 3},
    }};
    ReachArm arm(test::table_arm("nearly parallel", joints, {0.05, 0.02, 0.1}));
    ReachSets sets(arm, 5);
    double worst = 0.0;
    for (int k = 0; k < 100; ++k) {
      const VectorX q = sets.positions();
      Pose X;
      ASSERT_EQ(arm.chain.pose(q, X), Status::ok);
      worst = std::max(worst, difference(X, arm.pose(q)));
    }
    EXPECT_LE(worst, tolerance::kChainPose) << "tilt " << tilt;
  }
}

TEST(Chain, BadPositionsGiveNumbersThatAreNone) {
  const ReachArm arm(test::ur5e_arm());
  Pose X;
  EXPECT_EQ(arm.chain.pose(VectorX::Zero(5), X), Status::wrong_size);
  EXPECT_TRUE(X.translation.array().isNaN().all());
  VectorX q = VectorX::Zero(6);
  q[2] = kNaN;
  EXPECT_EQ(arm.chain.pose(q, X), Status::not_finite);
  EXPECT_TRUE(X.rotation.array().isNaN().all());
}

TEST(Chain, RefusesWhatItCannotSolveByName) {
  const Arm panda = test::panda_arm();
  const RobotModel model(panda.description, fixed());
  EXPECT_NE(text([&] { KinematicChain(model, "panda_hnad"); }).find("did you mean 'panda_hand'"), std::string::npos);
  EXPECT_NE(text([&] { KinematicChain(model, "panda_link0"); }).find("no joint with a motor"), std::string::npos);

  RobotDescription mimic = panda.description;
  mimic.joints[3].mimics = mimic.joints[1].name;
  EXPECT_NE(text([&] {
              KinematicChain(RobotModel(mimic, fixed()), "panda_hand");
            }).find("'" + mimic.joints[3].name + "' before it mimics '" + mimic.joints[1].name + "'"),
            std::string::npos);

  RobotDescription crossed = panda.description;
  std::swap(crossed.joints[2].lower, crossed.joints[2].upper);
  EXPECT_NE(text([&] {
              KinematicChain(RobotModel(crossed, fixed()), "panda_hand");
            }).find("joint '" + crossed.joints[2].name + "'"),
            std::string::npos);

  RobotDescription planar = panda.description;
  planar.joints[0].type = JointType::planar;
  EXPECT_NE(text([&] { KinematicChain(RobotModel(planar, fixed()), "panda_hand"); }).find("is planar"),
            std::string::npos);

  // 33 joints in a row.
  std::vector<std::string> names;
  for (int k = 0; k < 33; ++k) names.push_back("joint" + std::to_string(k));
  std::array<test::ArmJoint, 33> joints;
  for (std::size_t k = 0; k < 33; ++k) {
    joints[k] = {names[k].c_str(), JointType::revolute, {0, 0, 0.1}, {0.3, 0, 0}, {0, 0, 1}, -1, 1};
  }
  const Arm snake = test::table_arm("snake", joints, {0, 0, 0.1});
  EXPECT_NE(text([&] { KinematicChain(RobotModel(snake.description, fixed()), "tool"); }).find("33 joints"),
            std::string::npos);
}

TEST(Chain, LockedJointsStandWhereTheyAreLocked) {
  const Arm panda = test::panda_arm();
  ModelOptions options = fixed();
  options.locked_joints["panda_joint3"] = 0.4;
  const RobotModel model(panda.description, options);
  const KinematicChain chain(model, "panda_hand");
  ASSERT_EQ(chain.size(), 6);
  ReachArm whole(panda);
  VectorX q(7), six(6);
  q << 0.1, -0.3, 0.4, -1.5, 0.2, 1.0, 0.3;
  six << 0.1, -0.3, -1.5, 0.2, 1.0, 0.3;
  Pose X;
  ASSERT_EQ(chain.pose(six, X), Status::ok);
  EXPECT_LE(difference(X, whole.pose(q)), tolerance::kChainPose);
}

TEST(Chain, ReachCountsBothEndsOfASlidingJoint) {
  for (const auto& [lower, upper] : {std::pair(-0.8, 0.1), std::pair(-0.3, 0.6)}) {
    const std::array<test::ArmJoint, 2> joints = {
        {{"turn", JointType::revolute, {0, 0, 0.2}, {0, 0, 0}, {0, 0, 1}, -1, 1},
         {"slide", JointType::prismatic, {0.1, 0, 0}, {0, 0, 0}, {1, 0, 0}, lower, upper}}};
    const Arm slider = test::table_arm("slider", joints, {0, 0, 0});
    EXPECT_NEAR(KinematicChain(RobotModel(slider.description, fixed()), "tool").reach(), 0.7, tolerance::kChainPose);
  }
}

TEST(Chain, PullsPositionsIntoTheLimitsAndSaysWhich) {
  const ReachArm arm(test::panda_arm());
  VectorX q = arm.chain.middle();
  q[1] = 9.0;
  q[3] = 0.5;
  std::vector<std::string> moved;
  const VectorX inside = arm.chain.pulled_in(q, &moved);
  EXPECT_EQ(moved, (std::vector<std::string>{"panda_joint2", "panda_joint4"}));
  EXPECT_EQ(inside[1], arm.chain.joints()[1].upper);
  EXPECT_EQ(inside[3], arm.chain.joints()[3].upper);
  EXPECT_TRUE(arm.chain.limited());
  EXPECT_FALSE(arm.chain.without_limits().limited());
}

}  // namespace
}  // namespace antaeus
