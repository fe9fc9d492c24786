// The arms of tests/support/arms.hpp are what their comments say.
#include "support/arms.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>

#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::Arm;

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

/// One row of a published table: Rx(alpha) and along x by a before the joint (Craig's order), or after it.
struct Row {
  double a, d, alpha;
};

Eigen::Isometry3d along(double x, double z) { return Eigen::Isometry3d(Eigen::Translation3d(x, 0, z)); }
Eigen::Isometry3d about(double angle, const Vector3& axis) { return Eigen::Isometry3d(Eigen::AngleAxisd(angle, axis)); }

/// The arm's tool at random positions within its limits, against the product of a table's matrices.
template <typename Product>
void expect_poses(const Arm& arm, const Product& product) {
  SCOPED_TRACE(arm.name);
  const RobotModel model(arm.description, test::fixed_base());
  Dynamics dynamics(model);
  test::RandomStates random(20261122);
  SCOPED_TRACE(random.text());
  for (int sample = 0; sample < 100; ++sample) {
    const VectorX q = model.lower_limits() + 0.5 * (random.vector(model.nv()).array() + 1.0)
                                                       .matrix()
                                                       .cwiseProduct(model.upper_limits() - model.lower_limits());
    Pose pose;
    ASSERT_EQ(dynamics.at(q).frame_pose(model.frame(arm.frame), pose), Status::ok);
    const Eigen::Isometry3d expected = product(q);
    EXPECT_LT((pose.translation - expected.translation()).norm(), tolerance::kSameKinematics);
    EXPECT_LT((pose.rotation - expected.rotation()).norm(), tolerance::kSameKinematics);
  }
}

/// Franka's own table (its control interface's documentation, Craig's order), the flange and the hand turned by −45°.
TEST(Arms, PandaIsFrankasDenavitHartenbergTable) {
  constexpr double kTurn = test::kQuarterTurn;
  const std::array<Row, 7> rows{{{0, 0.333, 0},
                                 {0, 0, -kTurn},
                                 {0, 0.316, kTurn},
                                 {0.0825, 0, kTurn},
                                 {-0.0825, 0.384, -kTurn},
                                 {0, 0, kTurn},
                                 {0.088, 0, kTurn}}};
  expect_poses(test::panda_arm(), [&](const VectorX& q) {
    Eigen::Isometry3d product = Eigen::Isometry3d::Identity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      product = product * about(rows[i].alpha, Vector3::UnitX()) * along(rows[i].a, 0) *
                about(q[static_cast<Eigen::Index>(i)], Vector3::UnitZ()) * along(0, rows[i].d);
    }
    return product * along(0, 0.107) * about(-kTurn / 2, Vector3::UnitZ());
  });
}

/// Universal Robots' own table, in the classical order.
TEST(Arms, Ur5eIsTheManufacturersDenavitHartenbergTable) {
  constexpr double kTurn = test::kQuarterTurn;
  const std::array<Row, 6> rows{
      {{0, 0.1625, kTurn}, {-0.425, 0, 0}, {-0.3922, 0, 0}, {0, 0.1333, kTurn}, {0, 0.0997, -kTurn}, {0, 0.0996, 0}}};
  expect_poses(test::ur5e_arm(), [&](const VectorX& q) {
    Eigen::Isometry3d product = Eigen::Isometry3d::Identity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      product = product * about(q[static_cast<Eigen::Index>(i)], Vector3::UnitZ()) * along(rows[i].a, rows[i].d) *
                about(rows[i].alpha, Vector3::UnitX());
    }
    return product;
  });
}

/// A frame that does not hang on the link is no chain, and nothing is read behind the end.
TEST(Arms, AFrameElsewhereHasNoJoints) {
  EXPECT_TRUE(
      test::chain_between("none", test::own_description("h1_2"), "torso_link", "left_knee_link").joints.empty());
}

}  // namespace
}  // namespace antaeus
