#include "antaeus/robot/instant.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/largest.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::largest;
using test::RandomStates;

/// A robot that stands still in a known attitude, held by its motors alone, with a perfect IMU on its own frame.
Observation at_rest(const Robot& robot, const VectorX& q_motor, const Eigen::Quaterniond& R_world_base) {
  Dynamics dynamics(robot.model);
  VectorX q(robot.model.nq()), g(robot.model.nv());
  EXPECT_EQ(robot.model.position_from_motors(q_motor, R_world_base.coeffs(), q), Status::ok);
  const PositionTerms terms = dynamics.at(q);
  EXPECT_EQ(terms.gravity_torque(g), Status::ok);
  Pose X_world_imu;
  EXPECT_EQ(terms.frame_pose(robot.model.frame(robot.profile.imu.frame), X_world_imu), Status::ok);
  Observation observation;
  observation.q = q_motor;
  observation.tau.resize(robot.model.motor_count());
  EXPECT_EQ(robot.model.select_motor_rows(g, observation.tau), Status::ok);
  observation.has_imu = true;
  observation.imu_quaternion_xyzw = Eigen::Quaterniond(X_world_imu.rotation).coeffs();
  return observation;
}

double rest_residual(const Robot& robot, const Observation& observation, ImuUse use) {
  InstantReader reader(robot, {"left_wrist_yaw_link"}, {use});
  const Instant& now = reader.at(observation);
  EXPECT_EQ(now.status(), Status::ok);
  EXPECT_EQ(now.used_imu(), observation.has_imu && use != ImuUse::none);
  return largest(now.static_residual());
}

TEST(InstantReader, OnlyTheMountedImuLeavesARobotAtRestWithoutResidual) {
  const Robot robot = test::own_robot("h1_2");
  VectorX q = robot.pose("arm_waist_target");
  q[12] = 0.3;
  const Eigen::Quaterniond tilted(Eigen::AngleAxisd(0.2, Vector3(1, 2, -0.5).normalized()));
  const Observation observation = at_rest(robot, q, tilted);
  EXPECT_LE(rest_residual(robot, observation, ImuUse::mounted), tolerance::kSameQuantity);
  EXPECT_GT(rest_residual(robot, observation, ImuUse::as_base),
            0.5);  // N·m: the torso angle taken for a turn of the base
  EXPECT_GT(rest_residual(robot, observation, ImuUse::none), 0.5);
}

TEST(InstantReader, WithTheTorsoStraightAsBaseIsRightToo) {
  const Robot robot = test::own_robot("h1_2");
  const Eigen::Quaterniond tilted(Eigen::AngleAxisd(0.2, Vector3(1, 2, -0.5).normalized()));
  const Observation observation = at_rest(robot, robot.pose("arm_waist_target"), tilted);
  EXPECT_LE(rest_residual(robot, observation, ImuUse::mounted), tolerance::kSameQuantity);
  EXPECT_LE(rest_residual(robot, observation, ImuUse::as_base), tolerance::kSameQuantity);
  EXPECT_GT(rest_residual(robot, observation, ImuUse::none), 0.5);
}

TEST(InstantReader, GravityKnowsNoHeading) {
  const Robot robot = test::own_robot("h1_2");
  VectorX q = robot.pose("zero");
  q[12] = 0.3;
  Observation observation = at_rest(robot, q, Eigen::Quaterniond(Eigen::AngleAxisd(1.0, Vector3::UnitZ())));
  for (const ImuUse use : {ImuUse::mounted, ImuUse::as_base, ImuUse::none}) {
    EXPECT_LE(rest_residual(robot, observation, use), tolerance::kSameQuantity);
  }
  observation.has_imu = false;
  EXPECT_LE(rest_residual(robot, observation, ImuUse::mounted), tolerance::kSameQuantity);
}

TEST(InstantReader, TermsAreThoseOfTheDynamics) {
  const Robot robot = test::own_robot("h1_2");
  const RobotModel& model = robot.model;
  const std::vector<std::string> endpoints = {"left_wrist_yaw_link", "right_ankle_roll_link"};
  InstantReader reader(robot, endpoints);
  EXPECT_EQ(reader.endpoint_names(), endpoints);
  EXPECT_EQ(reader.reference_motor(), 12);
  const Instant& now = reader.instant();
  EXPECT_EQ(now.reference_motor(), 12);
  EXPECT_EQ(now.status(), Status::not_computed);
  EXPECT_TRUE(now.static_residual().array().isNaN().all());
  RandomStates random(701);
  SCOPED_TRACE(random.text());
  Observation observation;
  observation.q = random.vector(27);
  observation.tau = random.vector(27, 100.0);
  ASSERT_EQ(reader.at(observation).status(), Status::ok);
  VectorX q(34), g(33);
  ASSERT_EQ(model.position_from_motors(observation.q, {0, 0, 0, 1}, q), Status::ok);
  Dynamics dynamics(model);
  const PositionTerms terms = dynamics.at(q);
  ASSERT_EQ(terms.gravity_torque(g), Status::ok);
  const std::vector<int>& rows = model.motor_rows();
  EXPECT_EQ(now.gravity_torque(), VectorX(g(rows)));
  EXPECT_EQ(now.static_residual(), VectorX(observation.tau - g(rows)));
  EXPECT_EQ(now.base_residual(), -g.head<6>());
  for (int k = 0; k < 2; ++k) {
    Matrix6X J(6, 33);
    Pose X;
    const FrameId frame = model.frame(endpoints[static_cast<std::size_t>(k)]);
    ASSERT_EQ(terms.frame_jacobian(frame, J), Status::ok);
    ASSERT_EQ(terms.frame_pose(frame, X), Status::ok);
    EXPECT_EQ(now.jacobian(k), Matrix6X(J(Eigen::all, rows)));
    EXPECT_EQ(now.base_jacobian(k), J.leftCols<6>());
    EXPECT_EQ(now.pose(k).translation, X.translation);
    EXPECT_EQ(now.pose(k).rotation, X.rotation);
  }
}

TEST(InstantReader, FixedBaseHasNoBaseRowsAndNeedsNoImu) {
  const Robot robot = test::own_robot("planar_3r");
  InstantReader reader(robot, {"tool"});
  Observation observation;
  observation.q = robot.pose("bent");
  observation.tau = VectorX::Zero(3);
  observation.has_imu = true;
  observation.imu_quaternion_xyzw = {kNaN, 0, 0, 0};
  const Instant& now = reader.at(observation);
  EXPECT_EQ(now.status(), Status::ok);
  EXPECT_FALSE(now.used_imu());
  EXPECT_TRUE(now.base_residual().array().isNaN().all());
  EXPECT_TRUE(now.base_jacobian(0).array().isNaN().all());
  EXPECT_EQ(now.reference_motor(), -1);
}

TEST(InstantReader, BadObservationGivesItsStatusAndNaN) {
  const Robot robot = test::own_robot("h1_2");
  const Observation good = at_rest(robot, robot.pose("zero"), Eigen::Quaterniond::Identity());
  const auto expect = [&](auto spoil, Status status, ImuUse use = ImuUse::mounted) {
    InstantReader reader(robot, {"left_wrist_yaw_link", "pelvis"}, {use});
    const Instant& now = reader.at(good);
    ASSERT_EQ(now.status(), Status::ok);
    Observation bad = good;
    spoil(bad);
    EXPECT_EQ(reader.at(bad).status(), status);
    EXPECT_EQ(now.status(), status);
    EXPECT_TRUE(now.static_residual().array().isNaN().all());
    EXPECT_TRUE(now.gravity_torque().array().isNaN().all());
    EXPECT_TRUE(now.base_residual().array().isNaN().all());
    for (int k = 0; k < 2; ++k) {
      EXPECT_TRUE(now.jacobian(k).array().isNaN().all());
      EXPECT_TRUE(now.base_jacobian(k).array().isNaN().all());
      EXPECT_TRUE(now.pose(k).translation.array().isNaN().all());
      EXPECT_TRUE(now.pose(k).rotation.array().isNaN().all());
    }
    EXPECT_EQ(reader.at(good).status(), Status::ok) << "it recovers";
    EXPECT_TRUE(now.static_residual().allFinite() && now.jacobian(0).allFinite());
  };
  expect([](auto& o) { o.q[3] = kNaN; }, Status::not_finite);
  expect([](auto& o) { o.tau[26] = kInfinity; }, Status::not_finite);
  expect([](auto& o) { o.q.resize(26); }, Status::wrong_size);
  expect([](auto& o) { o.tau.resize(0); }, Status::wrong_size);
  for (const ImuUse use : {ImuUse::mounted, ImuUse::as_base}) {
    expect([](auto& o) { o.imu_quaternion_xyzw[1] = kNaN; }, Status::not_finite, use);
    expect([](auto& o) { o.imu_quaternion_xyzw *= 1.002; }, Status::bad_orientation, use);
    expect([](auto& o) { o.imu_quaternion_xyzw.setZero(); }, Status::bad_orientation, use);
  }
  InstantReader blind(robot, {"pelvis"}, {ImuUse::none});
  Observation odd = good;
  odd.imu_quaternion_xyzw.setConstant(kNaN);
  EXPECT_EQ(blind.at(odd).status(), Status::ok) << "what is not read cannot be wrong";
}

TEST(InstantReader, RefusesEndpointsThatAreNotThere) {
  const Robot robot = test::own_robot("h1_2");
  EXPECT_THROW(InstantReader(robot, {}), ModelError);
  try {
    InstantReader(robot, {"left_wrist_yaw_lnk"});
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'left_wrist_yaw_link'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace antaeus
