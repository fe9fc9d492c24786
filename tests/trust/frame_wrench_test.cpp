#include "antaeus/trust/frame_wrench.hpp"

#include <gtest/gtest.h>

#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

TEST(FrameWrench, AnswersTheDeployedCallInTheDeployedSign) {
  const Robot robot = test::own_robot("h1_2");
  FrameWrenchEstimator drop_in(robot);
  ASSERT_EQ(drop_in.frame_names().size(), 2u);  // the wrists, which the profile's deployed code reads
  InstantReader reader(robot, drop_in.frame_names());
  Observation observation;
  observation.q = robot.pose("zero");
  observation.tau = VectorX::Zero(27);
  const Instant& now = reader.at(observation);
  const Vector6 push = (Vector6() << 9, -3, 12, 0, 0, 0).finished();  // on the robot
  const VectorX tau = now.gravity_torque() - now.jacobian(0).transpose() * push;
  const WrenchEstimate& left = drop_in.get_frame_wrench("left_wrist_yaw_link", observation.q, tau);
  EXPECT_EQ(left.sign, Sign::on_environment);
  // In motion, or so it must be assumed, 20 N of prior shrink the answer; within two of its own sds it is right.
  EXPECT_LT((left.wrench.force + push.head<3>()).norm(), 2 * left.uncertainty.worst_sd());
  EXPECT_LT(left.wrench.force.z(), -6.0);
  EXPECT_EQ(left.verdict, Verdict::degraded);
  EXPECT_TRUE(left.reasons.has(Reason::motion_unknown));
  FrameWrenchEstimator deployed(robot, FrameWrenchMethod::deployed);
  const WrenchEstimate& raw = deployed.get_frame_wrench("left_wrist_yaw_link", observation.q, tau);
  EXPECT_LT((raw.wrench.to_vector() + push).norm(), tolerance::kRecoveredWrench);
  EXPECT_FALSE(raw.has_covariance);
}

/// The consumer was written for one sign: what a user sets for audits or loops must not turn it under the consumer.
TEST(FrameWrench, NoOptionTurnsTheSignThatTheConsumerReads) {
  Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("zero");
  VectorX tau = VectorX::Zero(27);
  tau[15] = 4.0;
  const auto read = [&](FrameWrenchMethod method) {
    FrameWrenchEstimator drop_in(robot, method);
    const WrenchEstimate& left = drop_in.get_frame_wrench("left_wrist_yaw_link", q, tau);
    EXPECT_EQ(left.sign, drop_in.get_frame_wrench("no_frame", q, tau).sign);
    return std::pair(left.sign, left.wrench.force);
  };
  for (const FrameWrenchMethod method : {FrameWrenchMethod::posterior, FrameWrenchMethod::deployed}) {
    robot = test::own_robot("h1_2");
    const auto stated = read(method);
    EXPECT_EQ(stated.first, Sign::on_environment);
    robot.profile.settings.set("posterior.sign=on_robot");
    robot.profile.settings.set("estimator.sign=on_robot");
    EXPECT_EQ(read(method), stated) << "the profile states the consumer's sign";

    robot = test::own_robot("h1_2");
    robot.profile.deployed_sign.reset();
    const auto unstated = read(method);
    EXPECT_EQ(unstated.first, Sign::on_robot);
    EXPECT_EQ(unstated.second, -stated.second);
    robot.profile.settings.set("posterior.sign=on_environment");
    EXPECT_EQ(read(method), stated) << "where no sign is stated, an option may";
  }
}

TEST(FrameWrench, QuaternionIsReadInTheProfilesOrder) {
  Robot robot = test::own_robot("h1_2");
  const Eigen::Vector4d xyzw = Eigen::Vector4d(0.1, -0.2, 0.3, 0.9).normalized();
  const Eigen::Vector4d wxyz(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  const VectorX q = robot.pose("zero"), tau = VectorX::Constant(27, 1.0);
  FrameWrenchEstimator one(robot);
  robot.profile.imu.order = QuaternionOrder::wxyz;
  FrameWrenchEstimator other(robot);
  const Wrench a = one.get_frame_wrench("left_wrist_yaw_link", q, tau, &xyzw).wrench;
  const Wrench b = other.get_frame_wrench("left_wrist_yaw_link", q, tau, &wxyz).wrench;
  EXPECT_EQ(a.force, b.force);
  EXPECT_NE(a.force, one.get_frame_wrench("left_wrist_yaw_link", q, tau).wrench.force);
}

TEST(FrameWrench, BadCallsGetAStatusAndNaN) {
  const Robot robot = test::own_robot("h1_2");
  FrameWrenchEstimator drop_in(robot);
  const VectorX q = robot.pose("zero"), tau = VectorX::Zero(27);
  EXPECT_EQ(drop_in.get_frame_wrench("left_wrist", q, tau).status, Status::unknown_frame);
  EXPECT_EQ(drop_in.get_frame_wrench("left_wrist_yaw_link", q.head(5), tau).status, Status::wrong_size);
  VectorX bad = tau;
  bad[7] = std::nan("");
  const WrenchEstimate& estimate = drop_in.get_frame_wrench("left_wrist_yaw_link", q, bad);
  EXPECT_EQ(estimate.verdict, Verdict::invalid_input);
  EXPECT_TRUE(estimate.wrench.to_vector().array().isNaN().all());
  EXPECT_EQ(drop_in.get_frame_wrench("left_wrist_yaw_link", q, tau).status, Status::ok);
  EXPECT_THROW(FrameWrenchEstimator(robot, FrameWrenchMethod::posterior, {"left_rist_yaw_link"}), ModelError);
}

TEST(FrameWrench, DoesNotAllocate) {
  const Robot robot = test::own_robot("h1_2");
  RandomStates random(72);
  SCOPED_TRACE(random.text());
  for (const FrameWrenchMethod method : {FrameWrenchMethod::posterior, FrameWrenchMethod::deployed}) {
    FrameWrenchEstimator drop_in(robot, method);
    const VectorX q = random.vector(27), first = random.vector(27, 20.0), second = random.vector(27, 20.0);
    test::AllocationCounter counter;
    for (int i = 0; i < 1000; ++i) {
      drop_in.get_frame_wrench("left_wrist_yaw_link", q, i % 2 ? first : second);
      drop_in.get_frame_wrench("right_wrist_yaw_link", q, i % 2 ? first : second);
    }
    EXPECT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace antaeus
