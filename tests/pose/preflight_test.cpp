#include "antaeus/pose/preflight.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/printed_digits.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};

/// The study's figures (knowledge, estimator_truth_study.md; they stand in the H1-2's profile too).
TEST(Preflight, MotorZeroIsWellConditioned) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport report = preflight(robot, kWrists, robot.pose("zero"), VectorX());
  ASSERT_EQ(report.endpoints.size(), 2u);
  EXPECT_PRINTED(std::abs(report.endpoints[0].reference_gain[kFz]), "1.472");
  EXPECT_PRINTED(report.endpoints[0].kappa, "12.73");
  EXPECT_EQ(report.endpoints[0].status, Status::ok);
  EXPECT_TRUE(report.passed);
  ASSERT_EQ(report.checks.size(), 2u) << "without targets there is nothing to say of start errors";
  EXPECT_EQ(report.checks[0].kind, PreflightCheckKind::gain);
  EXPECT_EQ(report.checks[0].subject, kWrists[0]);
  EXPECT_EQ(report.checks[0].limit, 3.0);
  EXPECT_TRUE(report.checks[0].passed && report.checks[1].passed);
}

TEST(Preflight, TheIncidentsPoseFails) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport report = preflight(robot, kWrists, robot.pose("arm_waist_target"), VectorX());
  const PoseConditioning& left = report.endpoints[0];
  EXPECT_PRINTED(std::abs(left.reference_gain[kFz]), "15.035");
  EXPECT_PRINTED(left.kappa, "38.58");
  EXPECT_PRINTED(left.position.x(), "0.171");
  EXPECT_PRINTED(left.position.y(), "0.202");
  EXPECT_PRINTED(left.position.z(), "-0.096");
  EXPECT_FALSE(report.passed);
  EXPECT_FALSE(report.checks[0].passed);
  EXPECT_PRINTED(report.checks[0].value, "15.035");
}

TEST(Preflight, TheCheckOfTheSdIsOfItsOwn) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport zero = preflight(robot, kWrists, robot.pose("zero"), VectorX());
  ASSERT_EQ(zero.sd_checks.size(), 2u);
  EXPECT_EQ(zero.sd_checks[0].kind, PreflightCheckKind::sd);
  EXPECT_EQ(zero.sd_checks[0].subject, kWrists[0]);
  EXPECT_EQ(zero.sd_checks[0].limit, 5.0);
  EXPECT_PRINTED(zero.sd_checks[0].value, "1.8");  // study, §7
  EXPECT_TRUE(zero.sd_checks[0].passed && zero.sd_checks[1].passed);
  const PreflightReport target = preflight(robot, kWrists, robot.pose("arm_waist_target"), VectorX());
  EXPECT_FALSE(target.checks[0].passed);
  EXPECT_FALSE(target.sd_checks[0].passed);
  EXPECT_PRINTED(target.sd_checks[0].value, "20.0");
  // Between the two sets of limits: the published checks refuse what the posterior can use, and it alone decides here.
  VectorX q = robot.pose("arm_waist_target");
  q[robot.model.motor("left_elbow_joint")] = 0.9;
  const PreflightReport between = preflight(robot, {kWrists[0]}, q, VectorX());
  EXPECT_FALSE(between.checks[0].passed);
  EXPECT_TRUE(between.sd_checks[0].passed);
  EXPECT_FALSE(between.passed);
  const PreflightReport strict = preflight(robot, {kWrists[0]}, robot.pose("zero"), VectorX(), {.sd_limit = 1.0});
  EXPECT_TRUE(strict.checks[0].passed);
  EXPECT_FALSE(strict.sd_checks[0].passed);
  EXPECT_FALSE(strict.passed) << "every check counts";
}

TEST(Preflight, ReStartOfTheIncident) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport report = preflight(robot, kWrists, robot.pose("re3_start"), VectorX());
  EXPECT_PRINTED(std::abs(report.endpoints[0].reference_gain[kFz]), "15.62");  // incident report, gain per step, step 0
  EXPECT_PRINTED(report.endpoints[0].kappa, "39.9");
}

TEST(Preflight, FiguresAgreeWithOneAnother) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("re3_start");
  const PreflightReport report = preflight(robot, kWrists, q, VectorX(), {.quality = {.characteristic_length = 0.2}});
  EXPECT_EQ(report.characteristic_length, 0.2);
  InstantReader reader(robot, kWrists);
  Observation observation;
  observation.q = q;
  observation.tau = VectorX::Zero(27);
  const Instant& now = reader.at(observation);
  ASSERT_EQ(now.status(), Status::ok);
  for (int k = 0; k < 2; ++k) {
    const PoseConditioning& pose = report.endpoints[static_cast<std::size_t>(k)];
    MatrixX J = now.jacobian(k);
    EXPECT_EQ(pose.endpoint, kWrists[static_cast<std::size_t>(k)]);
    EXPECT_EQ(pose.position, now.pose(k).translation);
    EXPECT_EQ(pose.reference_gain, pose.gain.col(12));
    EXPECT_NEAR(pose.reference_force_gain, pose.gain.col(12).head<3>().norm(), tolerance::kByHand);
    const VectorX sigma = Eigen::JacobiSVD<MatrixX>(J).singularValues();
    EXPECT_NEAR(pose.kappa, sigma[0] / sigma[5], tolerance::kByHand);
    EXPECT_NEAR(pose.sigma_min, sigma[5], tolerance::kByHand);
    EXPECT_NEAR(pose.manipulability, sigma.prod(), tolerance::kByHand);
    J.topRows<3>() /= 0.2;
    const VectorX scaled = Eigen::JacobiSVD<MatrixX>(J).singularValues();
    EXPECT_NEAR(pose.kappa_scaled, scaled[0] / scaled[5], tolerance::kByHand);
  }
}

TEST(Preflight, StartErrorsOfTheHips) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("zero");
  VectorX target = q;
  target[2] = 0.355;   // the incident's left hip roll
  target[8] = -0.149;  // just below the limit
  target[3] = 2.0;     // a knee is not asked
  const PreflightReport report = preflight(robot, kWrists, q, target);
  ASSERT_EQ(report.checks.size(), 4u);
  EXPECT_EQ(report.checks[2].kind, PreflightCheckKind::start_error);
  EXPECT_EQ(report.checks[2].subject, "left_hip_roll_joint");
  EXPECT_NEAR(report.checks[2].value, 0.355, tolerance::kByHand);
  EXPECT_EQ(report.checks[2].limit, 0.15);
  EXPECT_FALSE(report.checks[2].passed);
  EXPECT_EQ(report.checks[3].subject, "right_hip_roll_joint");
  EXPECT_TRUE(report.checks[3].passed);
  EXPECT_FALSE(report.passed);
  target[2] = 0.0;
  EXPECT_TRUE(preflight(robot, kWrists, q, target).passed);
  target[2] = 0.15;
  EXPECT_FALSE(preflight(robot, kWrists, q, target).passed) << "the limit itself does not pass";
}

TEST(Preflight, RobotWithoutReferenceJoint) {
  const Robot robot = test::own_robot("planar_3r");
  for (const auto& [name, sigma_min] : {std::pair("bent", "0.299"), std::pair("straight", "0.035")}) {
    const PreflightReport report = preflight(robot, {"tool"}, robot.pose(name), VectorX());
    EXPECT_TRUE(report.checks.empty());
    EXPECT_TRUE(report.sd_checks.empty()) << "no pose of three joints could pass";
    EXPECT_GT(report.endpoints[0].rest.worst_sd(), 0.95 * robot.settings({"tool"}).get<PosteriorOptions>().prior.force);
    EXPECT_TRUE(report.passed);
    const PoseConditioning& pose = report.endpoints[0];
    EXPECT_TRUE(std::isnan(pose.reference_force_gain) && pose.reference_gain.array().isNaN().all());
    EXPECT_EQ(pose.gain.cols(), 3);
    // The profile's own figures, of the 2 × 3 Jacobian of x and y.
    InstantReader reader(robot, {"tool"});
    Observation observation;
    observation.q = robot.pose(name);
    observation.tau = VectorX::Zero(3);
    const Instant& now = reader.at(observation);
    ASSERT_EQ(now.status(), Status::ok);
    const VectorX sigma = Eigen::JacobiSVD<MatrixX>(now.jacobian(0)).singularValues();
    EXPECT_NEAR(pose.sigma_min, sigma[2], tolerance::kByHand);
    EXPECT_NEAR(pose.kappa, sigma[0] / sigma[2], tolerance::kByHand * pose.kappa);
    const MatrixX J = now.jacobian(0).topRows<2>();
    EXPECT_PRINTED(Eigen::JacobiSVD<MatrixX>(J).singularValues()[1], sigma_min);
  }
}

TEST(Preflight, RefusesWhatIsNoPose) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("zero");
  VectorX bad = q;
  bad[4] = std::nan("");
  EXPECT_THROW(preflight(robot, kWrists, VectorX::Zero(26), VectorX()), OptionsError);
  EXPECT_THROW(preflight(robot, kWrists, bad, VectorX()), OptionsError);
  EXPECT_THROW(preflight(robot, kWrists, q, VectorX::Zero(26)), OptionsError);
  EXPECT_THROW(preflight(robot, kWrists, q, bad), OptionsError);
  EXPECT_THROW(preflight(robot, {"left_wrist_yaw_lnk"}, q, VectorX()), ModelError);
  EXPECT_THROW(preflight(robot, {}, q, VectorX()), ModelError);
}

}  // namespace
}  // namespace antaeus
