#include "antaeus/pose/sweep.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/pose/preflight.hpp"
#include "pose/tolerances.hpp"
#include "support/cpu_time.hpp"
#include "support/shared.hpp"

namespace antaeus {
namespace {

constexpr const char* kWrist = "left_wrist_yaw_link";
constexpr double kDegree = M_PI / 180.0;

Robot robot_of(const std::string& name) { return load_robot((test::robots_folder() / name / "profile.toml").string()); }
LabelledPose posed(const Robot& robot, const std::string& name) { return {name, robot.pose(name)}; }

/// The incident report's planar example by its own formula: bars of 0.5, 0.4 and 0.3 m.
Eigen::Matrix<double, 2, 3> planar_jacobian(double t1, double t2, double t3) {
  const double l[3] = {0.5, 0.4, 0.3}, a[3] = {t1, t1 + t2, t1 + t2 + t3};
  Eigen::Matrix<double, 2, 3> J = Eigen::Matrix<double, 2, 3>::Zero();
  for (int j = 0; j < 3; ++j) {
    for (int k = j; k < 3; ++k) J.col(j) += l[k] * Eigen::Vector2d(-std::sin(a[k]), std::cos(a[k]));
  }
  return J;
}

TEST(PlanarLesson, HasTheReportsTwoForces) {
  const PlanarLesson lesson = planar_lesson(robot_of("planar_3r"));
  ASSERT_EQ(lesson.poses.size(), 2u);
  EXPECT_EQ(std::lround(lesson.poses[0].force.norm()), 10);
  EXPECT_EQ(std::lround(lesson.poses[1].force.norm()), 71);
}

TEST(PlanarLesson, AgreesWithTheFormulaAndEigensSvd) {
  const PlanarLesson lesson = planar_lesson(robot_of("planar_3r"));
  for (const auto& [pose, J] :
       {std::pair{lesson.poses[0], planar_jacobian(30 * kDegree, 90 * kDegree, -30 * kDegree)},
        std::pair{lesson.poses[1], planar_jacobian(30 * kDegree, 10 * kDegree, -5 * kDegree)}}) {
    EXPECT_LT((pose.J - J).cwiseAbs().maxCoeff(), tolerance::kRoundedPoseAngle);
    const Eigen::Vector2d force =
        MatrixX(J.transpose()).completeOrthogonalDecomposition().pseudoInverse() * Vector3(lesson.torque, 0, 0);
    EXPECT_LT((pose.force - force).norm(), tolerance::kRoundedPoseForce);
    EXPECT_NEAR(pose.sigma[1], Eigen::JacobiSVD<MatrixX>(J).singularValues()[1], tolerance::kRoundedPoseAngle);
  }
}

TEST(PlanarLesson, ForceFallsAsTheArmBends) {
  const PlanarLesson lesson = planar_lesson(robot_of("planar_3r"));
  ASSERT_EQ(lesson.bend.size(), kSweepPoints);
  for (Eigen::Index i = 1; i < lesson.bend.size() && lesson.bend[i] < 90 * kDegree; ++i) {
    EXPECT_LT(lesson.force[i], lesson.force[i - 1]);
    EXPECT_GT(lesson.sigma_min[i], lesson.sigma_min[i - 1]);
  }
}

/// The incident report's pre-flight limit is 3 N/(N·m); with the shoulder pitch at its commanded −0.3 rad an elbow of
/// about 0.5 rad would have passed, and the commanded 1.5 rad is five times over.
TEST(JointSweep, ElbowOfTheIncidentsPose) {
  const Robot robot = robot_of("h1_2");
  const LabelledPose pose = posed(robot, "arm_waist_target");
  const int elbow = robot.model.motor("left_elbow_joint");
  const JointSweep sweep = sweep_joint(robot, kWrist, pose, elbow);
  ASSERT_EQ(sweep.positions.size(), 91);
  EXPECT_EQ(sweep.positions[0], robot.model.lower_limits()[elbow]);
  EXPECT_EQ(sweep.positions[90], robot.model.upper_limits()[elbow]);
  int below = 0, above = 0;
  for (Eigen::Index i = 0; i < sweep.positions.size(); ++i) {
    if (sweep.positions[i] > 0.4 && sweep.positions[i] < 0.53) {
      EXPECT_LT(sweep.gain[i], 3.0);
      ++below;
    }
    if (sweep.positions[i] > 0.6 && sweep.positions[i] < 2.0) {
      EXPECT_GT(sweep.gain[i], 3.0);
      ++above;
    }
  }
  EXPECT_GE(below, 2);
  EXPECT_GE(above, 20);
  EXPECT_NEAR(sweep.at_pose.gain, 15.035, 0.0005) << "docs/validation.md#structure";
  EXPECT_NEAR(sweep.at_pose.kappa, 38.58, 0.005);
  EXPECT_EQ(sweep.gain_joint, "torso_joint");
  EXPECT_EQ(sweep.gain_row, "Fz");
}

/// The deployed estimator computes the same numbers on its own way.
TEST(JointSweep, AgreesWithPreflight) {
  const Robot robot = robot_of("h1_2");
  const LabelledPose pose = posed(robot, "re3_start");
  for (const char* joint : {"left_elbow_joint", "left_shoulder_pitch_joint"}) {
    const int motor = robot.model.motor(joint);
    const JointSweep sweep = sweep_joint(robot, kWrist, pose, motor, 7);
    VectorX q = pose.q;
    for (Eigen::Index i = 0; i < 7; ++i) {
      q[motor] = sweep.positions[i];
      const PoseConditioning there = preflight(robot, {kWrist}, q, VectorX()).endpoints.front();
      const double rounding = tolerance::kGainPerConditionSquared * there.kappa * there.kappa;
      EXPECT_NEAR(sweep.gain[i], std::abs(there.reference_gain[kFz]), rounding);
      EXPECT_NEAR(sweep.kappa[i], there.kappa, rounding * there.kappa);
      EXPECT_NEAR(sweep.sigma(5, i), there.sigma_min, tolerance::kSameKinematics);
      EXPECT_NEAR(sweep.height[i], there.position.z(), tolerance::kSameKinematics);
    }
  }
}

TEST(JointSweep, TheShoulderAndTheElbowMatterMost) {
  const Robot robot = robot_of("h1_2");
  for (const char* name : {"arm_waist_target", "re3_start", "zero"}) {
    std::vector<int> motors = influential_motors(robot, kWrist, posed(robot, name));
    ASSERT_GE(motors.size(), 2u);
    EXPECT_LE(motors.size(), 7u) << "the joints of the arm, and of them those that change the gain";
    motors.resize(2);
    std::sort(motors.begin(), motors.end());
    EXPECT_EQ(motors,
              (std::vector<int>{robot.model.motor("left_shoulder_pitch_joint"), robot.model.motor("left_elbow_joint")}))
        << name;
  }
}

TEST(JointSweep, RobotWithoutReferenceJointHasTheForceOfItsFirstJoint) {
  const Robot robot = robot_of("planar_3r");
  const JointSweep sweep = sweep_joint(robot, "tool", posed(robot, "bent"), 1);
  EXPECT_EQ(sweep.gain_joint, "joint_1");
  EXPECT_EQ(sweep.gain_row, "|F|");
  EXPECT_EQ(sweep.at_pose.sigma.head<2>().array().isFinite().count(), 2) << "the tool moves in a plane";
  EXPECT_EQ(sweep.at_pose.sigma.tail<4>().array().isNaN().count(), 4);
  EXPECT_EQ(sweep.at_pose.sigma_min, sweep.at_pose.sigma[1]);
  const std::vector<int> motors = influential_motors(robot, "tool", posed(robot, "bent"));
  EXPECT_EQ(std::count(motors.begin(), motors.end(), 0), 0) << "turning the whole arm changes no gain";
  EXPECT_TRUE(junction_lesson(robot, "tool", {posed(robot, "bent")}).poses.empty());
}

TEST(JointSweep, BadInputThrows) {
  const Robot robot = robot_of("h1_2");
  EXPECT_THROW(pose_spectrum(robot, "left_wrist", posed(robot, "zero")), ModelError);
  EXPECT_THROW(pose_spectrum(robot, kWrist, {"short", VectorX::Zero(3)}), OptionsError);
  LabelledPose nan = posed(robot, "zero");
  nan.q[5] = std::nan("");
  EXPECT_THROW(pose_spectrum(robot, kWrist, nan), OptionsError);
}

TEST(JunctionLesson, ColumnIsAxisTimesLever) {
  const Robot robot = robot_of("h1_2");
  const JunctionLesson lesson =
      junction_lesson(robot, kWrist, {posed(robot, "arm_waist_target"), posed(robot, "zero")});
  ASSERT_EQ(lesson.poses.size(), 2u);
  for (const JunctionLesson::Pose& pose : lesson.poses) {
    EXPECT_LT((pose.column - pose.axis.cross(pose.lever)).norm(), tolerance::kSameKinematics);
    EXPECT_NEAR(pose.axis.norm(), 1.0, tolerance::kSameKinematics);
    ASSERT_EQ(pose.chains.size(), 4u);
    for (const JunctionLesson::Chain& chain : pose.chains) {
      EXPECT_TRUE(chain.points.allFinite());
      EXPECT_EQ(chain.above < chain.points.cols(), chain.kind == EndpointKind::hand)
          << "legs hang below the torso joint";
    }
    EXPECT_LT((pose.chains[0].points.rightCols<1>() - pose.origin - pose.lever).norm(), tolerance::kSameKinematics);
  }
  // What docs/concepts/incident.md says: the lever arm is the shorter where the gain is ten times larger.
  EXPECT_LT(lesson.poses[0].column.norm(), lesson.poses[1].column.norm());
  EXPECT_GT(lesson.poses[0].spectrum.gain, 10 * lesson.poses[1].spectrum.gain);
}

TEST(JointSweep, CostsLittle) {
  const Robot robot = robot_of("h1_2");
  const LabelledPose pose = posed(robot, "re3_start");
  const double best = test::cheapest_cpu_seconds(5, [&] {
    const std::vector<int> motors = influential_motors(robot, kWrist, pose);
    for (int i = 0; i < 2; ++i) sweep_joint(robot, kWrist, pose, motors[static_cast<std::size_t>(i)]);
    junction_lesson(robot, kWrist, {pose, pose});
  });
  RecordProperty("milliseconds", std::to_string(best * 1e3));
  EXPECT_LT(best, 0.030) << "CPU: the audit's budget for it";
}

}  // namespace
}  // namespace antaeus
