#include "antaeus/pose/pose_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "pose_tolerance.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

using test::kWrists;

constexpr const char* kPitch = "left_shoulder_pitch_joint";
constexpr const char* kElbow = "left_elbow_joint";

TEST(PoseMap, EverySampleIsThePosesOwn) {
  const Robot robot = test::own_robot("h1_2");
  const LabelledPose held{"arm_waist_target", robot.pose("arm_waist_target")};
  double done = 0.0;
  const PoseMap map = map_poses(robot, kWrists, held, kPitch, kElbow, 7, [&](double share) { done = share; });
  EXPECT_EQ(done, 1.0);
  ASSERT_EQ(map.x.size(), 7);
  const int pitch = robot.model.motor(kPitch), elbow = robot.model.motor(kElbow);
  EXPECT_EQ(map.x[0], robot.model.lower_limits()[pitch]);
  EXPECT_EQ(map.x[6], robot.model.upper_limits()[pitch]);
  EXPECT_EQ(map.y[6], robot.model.upper_limits()[elbow]);
  EXPECT_EQ(map.labels[0], "left wrist");
  PoseQuality quality(robot, kWrists);
  for (Eigen::Index iy = 0; iy < 7; ++iy) {
    for (Eigen::Index ix = 0; ix < 7; ++ix) {
      VectorX q = held.q;
      q[pitch] = map.x[ix];
      q[elbow] = map.y[iy];
      const auto& poses = quality.evaluate(q);
      for (std::size_t k = 0; k < 2; ++k) {
        const PoseSample& sample = map.samples[k][static_cast<std::size_t>(iy * 7 + ix)];
        for (const PoseQuantity quantity : {PoseQuantity::sd, PoseQuantity::sd_moving, PoseQuantity::gain,
                                            PoseQuantity::force_gain, PoseQuantity::kappa}) {
          const double theirs = quality.value(poses[k], quantity);
          EXPECT_NEAR(sample.value(quantity), theirs, test::tolerance_at(poses[k].kappa) * std::max(1.0, theirs));
        }
        EXPECT_LE((sample.position - poses[k].position).norm(), 1e-12);
      }
    }
  }
}

TEST(PoseMap, MarksNamedPosesAndSaysWhichLieInThePlane) {
  const Robot robot = test::own_robot("h1_2");
  const LabelledPose held{"zero", robot.pose("zero")};
  const PoseMap left = map_poses(robot, {kWrists[0]}, held, kPitch, kElbow, 3);
  ASSERT_EQ(left.marks.size(), 3u);
  EXPECT_EQ(left.marks[0].name, "zero");
  EXPECT_TRUE(left.marks[0].in_plane);
  EXPECT_EQ(left.marks[1].name, "arm_waist_target");
  EXPECT_TRUE(left.marks[1].in_plane) << "the right arm has no part in the left wrist";
  EXPECT_EQ(left.marks[1].x, -0.3);
  EXPECT_EQ(left.marks[1].y, 1.5);
  EXPECT_FALSE(left.marks[2].in_plane) << "re3_start turns the shoulder a little";
  EXPECT_FALSE(map_poses(robot, kWrists, held, kPitch, kElbow, 3).marks[1].in_plane);
}

TEST(PoseMap, QuantitiesAndTheirLimits) {
  const std::vector<MappedQuantity> h1_2 = mapped_quantities(test::own_robot("h1_2"));
  ASSERT_EQ(h1_2.size(), 3u);
  EXPECT_EQ(h1_2[0].quantity, PoseQuantity::gain);
  EXPECT_EQ(h1_2[0].limit, 3.0);
  EXPECT_EQ(h1_2[1].quantity, PoseQuantity::kappa);
  EXPECT_EQ(h1_2[1].limit, 20.0);
  EXPECT_EQ(h1_2[2].quantity, PoseQuantity::sd);
  EXPECT_EQ(h1_2[2].limit, 5.0);
  EXPECT_EQ(mapped_quantities(test::own_robot("planar_3r")).size(), 2u);
}

TEST(PoseMap, TableOfAGrid) {
  const Robot robot = test::own_robot("h1_2");
  const PoseMap map = map_poses(robot, kWrists, {"zero", robot.pose("zero")}, kPitch, kElbow, 3);
  const Table table = pose_table(map);
  ASSERT_EQ(table.rows(), 18u);
  EXPECT_EQ(table.columns()[0].name, kPitch);
  EXPECT_EQ(table.columns()[1].name, kElbow);
  EXPECT_EQ(table.columns()[0].unit, "rad");
  for (const Column& column : table.columns()) EXPECT_FALSE(column.meaning.empty()) << column.name;
  EXPECT_EQ(table.numbers("sd")[2 * 4], map.samples[0][4].sd);
  EXPECT_EQ(table.numbers("kappa")[2 * 4 + 1], map.samples[1][4].kappa);
  EXPECT_EQ(table.numbers(kPitch)[2 * 5], map.x[2]);
}

TEST(PoseMap, ListOfPoses) {
  const Robot robot = test::own_robot("h1_2");
  const Table given =
      parse_csv("pose,left_shoulder_pitch_joint,left_elbow_joint,comment\nwork,-0.3,1.5,a\nrest,0,0,b\n", "poses.csv");
  const std::vector<LabelledPose> poses = poses_from_table(robot, given, "poses.csv");
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_EQ(poses[0].name, "work");
  const PoseList list = list_poses(robot, {kWrists[0]}, poses);
  const Table table = pose_table(list);
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.numbers("gain")[0], list.samples[0][0].gain);
  EXPECT_NEAR(std::abs(table.numbers("gain")[0]), 15.035, 0.0005) << "the incident's pose";
  EXPECT_EQ(table.numbers("left_elbow_joint")[0], 1.5);
  EXPECT_EQ(poses_from_table(robot, parse_csv("torso_joint\n0.1\n", "a"), "a")[0].name, "row 0");
}

TEST(PoseMap, RefusesWhatItCannotUse) {
  const Robot robot = test::own_robot("h1_2");
  const LabelledPose held{"zero", robot.pose("zero")};
  EXPECT_THROW(map_poses(robot, kWrists, held, kPitch, kPitch), OptionsError);
  EXPECT_THROW(map_poses(robot, kWrists, held, kPitch, "left_elbow_jont"), ModelError);
  EXPECT_THROW(map_poses(robot, kWrists, held, kPitch, "left_knee_joint"), OptionsError);
  EXPECT_THROW(map_poses(robot, kWrists, held, kPitch, kElbow, 1), OptionsError);
  EXPECT_THROW(map_poses(robot, kWrists, {"short", VectorX::Zero(3)}, kPitch, kElbow), OptionsError);
  EXPECT_THROW(list_poses(robot, kWrists, {}), OptionsError);
  EXPECT_THROW(poses_from_table(robot, parse_csv("a,b\n1,2\n", "a"), "a"), OptionsError);
  EXPECT_THROW(poses_from_table(robot, parse_csv("torso_joint,left_elbow_jont\n1,2\n", "a"), "a"), OptionsError);
  EXPECT_THROW(poses_from_table(robot, parse_csv("torso_joint,left_elbow_joint\n1,\n", "a"), "a"), OptionsError);
  EXPECT_THROW(poses_from_table(robot, parse_csv("torso_joint\n", "a"), "a"), OptionsError);
}

}  // namespace
}  // namespace antaeus
