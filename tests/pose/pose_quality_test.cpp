#include "antaeus/pose/pose_quality.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "pose/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/printed_digits.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::kWrists;
using test::RandomStates;

/// Study §7: worst-direction sd at rest over the left elbow, shoulder pitch at −0.3. Its R was noise and friction
/// alone; the torque channel's own 2 % of gravity, which belongs to it, adds up to 0.13 N.
TEST(PoseQuality, ElbowSweepOfTheStudy) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists, {}, {.torque_share = 0.0}, {}), with_channel(robot, kWrists);
  VectorX q = VectorX::Zero(27);
  q[robot.model.motor("left_shoulder_pitch_joint")] = -0.3;
  struct Row {
    double elbow;
    const char* sd;
  };
  for (const Row& row : {Row{0.0, "1.8"}, Row{0.4, "2.3"}, Row{0.8, "3.4"}, Row{1.0, "4.7"}, Row{1.2, "7.4"},
                         Row{1.4, "15.4"}, Row{1.6, "15.4"}, Row{1.8, "7.4"}}) {
    SCOPED_TRACE(row.elbow);
    q[robot.model.motor("left_elbow_joint")] = row.elbow;
    const double sd = quality.evaluate(q)[0].rest.worst_sd(), whole = with_channel.evaluate(q)[0].rest.worst_sd();
    EXPECT_PRINTED(sd, row.sd);
    EXPECT_GT(whole, sd);
    EXPECT_LT(whole, sd + 0.2);
  }
}

/// The posterior's covariance from the formula itself, by dense inverses and a noise model that is written out here.
TEST(PoseQuality, CovarianceIsTheFormulas) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists);
  InstantReader reader(robot, kWrists);
  RandomStates random(511);
  SCOPED_TRACE(random.text());
  for (int trial = 0; trial < 20; ++trial) {
    Observation observation;
    observation.q = random.vector(27, 1.2);
    observation.tau = VectorX::Zero(27);
    const Instant& now = reader.at(observation);
    ASSERT_EQ(now.status(), Status::ok);
    const auto& poses = quality.evaluate(observation.q);
    for (int k = 0; k < 2; ++k) {
      for (const bool moving : {false, true}) {
        Matrix6 information = Matrix6::Zero();
        for (int i = 0; i < 3; ++i) {
          information(i, i) = 1.0 / (20.0 * 20.0);
          information(3 + i, 3 + i) = 1.0 / (1.5 * 1.5);
        }
        for (int m = 13 + 7 * k; m < 20 + 7 * k; ++m) {
          const JointFigures& f = robot.profile.figures[static_cast<std::size_t>(m)];
          double variance =
              f.torque_sd * f.torque_sd + std::pow(0.8 * f.coulomb, 2) + std::pow(0.02 * now.gravity_torque()[m], 2);
          if (moving) variance = std::max(variance, f.static_sd * f.static_sd);
          const Vector6 column = now.jacobian(k).col(m);
          information += column * column.transpose() / variance;
        }
        const Matrix6 covariance = information.inverse();
        const PoseConditioning& pose = poses[static_cast<std::size_t>(k)];
        const ForceKnowledge& known = moving ? pose.moving : pose.rest;
        EXPECT_NEAR((known.covariance - covariance).norm(), 0.0, tolerance::kSamePosterior * covariance.norm());
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(known.axis_sd[axis], std::sqrt(covariance(axis, axis)), tolerance::kPoseSd);
        }
        const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(covariance.topLeftCorner<3, 3>());
        EXPECT_NEAR(known.worst_sd(), std::sqrt(eigen.eigenvalues()[2]), tolerance::kPoseSd);
        EXPECT_EQ(known.observable, (known.force_sd.array() <= 12.0).count());
      }
      EXPECT_GE(poses[static_cast<std::size_t>(k)].moving.worst_sd(),
                poses[static_cast<std::size_t>(k)].rest.worst_sd());
    }
  }
}

/// A torque channel's scale, gear, offset and sign cancel out: a pose is judged by joint torques.
TEST(PoseQuality, DoesNotDependOnHowTheTorqueChannelReads) {
  const Robot robot = test::own_robot("h1_2");
  Robot geared = robot;
  geared.profile.torque_sign = -1.0;
  for (JointFigures& figures : geared.profile.figures) {
    figures.gear = 50.0;
    figures.scale = 1.1;
    figures.torque_offset = 0.02;
  }
  PoseQuality quality(robot, kWrists), of_geared(geared, kWrists);
  const VectorX q = robot.pose("arm_waist_target");
  const Matrix6 expected = quality.evaluate(q)[0].rest.covariance;
  const Matrix6 covariance = of_geared.evaluate(q)[0].rest.covariance;
  EXPECT_LE((covariance - expected).norm(), tolerance::kSamePosterior * expected.norm());
}

TEST(PoseQuality, TheIncidentsPoseKnowsNothingAlongTheArm) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists);
  const PoseConditioning& left = quality.evaluate(robot.pose("arm_waist_target"))[0];
  EXPECT_PRINTED(left.rest.worst_sd(), "20.0");  // study §7: the prior itself
  EXPECT_GT(std::abs(left.rest.worst_direction().z()), 0.9);
  EXPECT_EQ(left.rest.observable, 2);
  EXPECT_LT(left.reliability.prior_free_redundancy[12], kUndetectableRedundancy);
  EXPECT_GT(left.reliability.prior_free_bias[12], 100.0);
  EXPECT_TRUE(std::isnan(left.reliability.redundancy[0])) << "a leg does not speak for a wrist";
  EXPECT_PRINTED(quality.evaluate(robot.pose("zero"))[0].rest.worst_sd(), "1.8");
}

TEST(PoseQuality, PhantomsAreTheBudgetThroughTheGain) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists, {.budget_sd = 2.0});
  EXPECT_EQ(quality.budget()[12], 4.0);
  EXPECT_EQ(quality.budget()[13], 3.0);
  const PoseConditioning& left = quality.evaluate(robot.pose("arm_waist_target"))[0];
  const Vector6 phantom = left.gain.cwiseAbs() * quality.budget();
  EXPECT_NEAR((left.phantom - phantom).norm(), 0.0, tolerance::kByHand * phantom.norm());
  EXPECT_GT(left.phantom[kFz], 4.0 * 15.0) << "the torso alone, 4 N·m at 15.0 N/(N·m)";
  // A posterior cannot be driven beyond what its prior lets it believe.
  EXPECT_LT(left.posterior_phantom.head<3>().maxCoeff(), 20.0);
}

TEST(PoseQuality, SaysWhatIsNoPose) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists);
  VectorX q = robot.pose("zero");
  EXPECT_EQ(quality.evaluate(VectorX::Zero(26))[0].status, Status::wrong_size);
  q[20] = std::nan("");
  const PoseConditioning& pose = quality.evaluate(q)[1];
  EXPECT_EQ(pose.status, Status::not_finite);
  EXPECT_TRUE(std::isnan(pose.kappa) && std::isnan(pose.rest.worst_sd()) && std::isnan(pose.phantom[0]));
  EXPECT_TRUE(std::isnan(quality.value(pose, PoseQuantity::sd)));
  EXPECT_TRUE(pose.reliability.redundancy.array().isNaN().all());
  EXPECT_EQ(quality.evaluate(robot.pose("zero"))[1].status, Status::ok);
  EXPECT_THROW(PoseQuality(robot, {"left_wrist_yaw_lnk"}), ModelError);
  EXPECT_THROW(PoseQuality(robot, {}), ModelError);
}

TEST(PoseQuality, ValuesByName) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists);
  const PoseConditioning& pose = quality.evaluate(robot.pose("arm_waist_target"))[0];
  EXPECT_EQ(quality.value(pose, PoseQuantity::sd), pose.rest.worst_sd());
  EXPECT_EQ(quality.value(pose, PoseQuantity::sd_moving), pose.moving.worst_sd());
  EXPECT_EQ(quality.value(pose, PoseQuantity::gain), std::abs(pose.reference_gain[kFz]));
  EXPECT_NEAR(quality.value(pose, PoseQuantity::force_gain), pose.gain.col(12).head<3>().norm(), tolerance::kByHand);
  EXPECT_EQ(quality.value(pose, PoseQuantity::kappa), pose.kappa);
}

/// A search asks for one number of many poses: it is the same to the last bit, and nothing of another pose is left
/// over.
TEST(PoseQuality, PartsAreTheWholesNumbersAndTheRestIsNaN) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, kWrists);
  RandomStates random(7);
  for (int i = 0; i < 20; ++i) {
    const VectorX q = random.vector(robot.model.motor_count(), 1.0);
    const std::vector<PoseConditioning> whole = quality.evaluate(q);
    for (const PoseQuantity quantity : all_values<PoseQuantity>()) {
      quality.evaluate(robot.pose("zero"));
      const std::vector<PoseConditioning>& part = quality.evaluate(q, PoseParts::needed_by(quantity));
      for (std::size_t k = 0; k < kWrists.size(); ++k) {
        EXPECT_EQ(quality.value(part[k], quantity), quality.value(whole[k], quantity)) << to_string(quantity);
        EXPECT_EQ(part[k].position, whole[k].position);
        EXPECT_EQ(std::isnan(part[k].kappa), !PoseParts::needed_by(quantity).deployed);
        EXPECT_EQ(std::isnan(part[k].rest.worst_sd()), !PoseParts::needed_by(quantity).rest);
        EXPECT_EQ(std::isnan(part[k].error_force), !PoseParts::needed_by(quantity).moving);
        EXPECT_TRUE(part[k].reliability.redundancy.array().isNaN().all());
      }
    }
  }
}

TEST(PoseQuality, RealtimeEvaluateDoesNotAllocate) {
  for (const auto& [name, endpoints] : {std::pair<const char*, std::vector<std::string>>("h1_2", kWrists),
                                        std::pair<const char*, std::vector<std::string>>("planar_3r", {"tool"})}) {
    const Robot robot = test::own_robot(name);
    PoseQuality quality(robot, endpoints);
    const int motors = robot.model.motor_count();
    RandomStates random(512);
    SCOPED_TRACE(std::string(name) + ", " + random.text());
    for (int i = 0; i < 200; ++i) {
      VectorX q = random.vector(motors + (i % 10 == 9), 1.5);
      if (i % 10 == 7) q.setZero();
      if (i % 10 == 8) q[0] = std::nan("");
      AllocationCounter counter;
      quality.evaluate(q);
      ASSERT_EQ(counter.count(), 0) << "pose " << i;
    }
  }
}

}  // namespace
}  // namespace antaeus
