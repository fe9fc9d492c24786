// A humanoid whose base sways and turns: the IMU stands for the base's motion, legs are no evidence, and what was
// identified is what the loop's residual holds. The motion's truth is differenced from poses
// (support/moving_robot.hpp).
#include <gtest/gtest.h>

#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/identification/moving/moving_fit.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "identification/tolerances.hpp"
#include "support/biped.hpp"
#include "support/moving_robot.hpp"
#include "support/noise.hpp"

namespace antaeus {
namespace {

Robot swaying_biped() {
  Robot robot = test::biped();
  robot.profile.imu.frame = "torso";
  robot.profile.endpoints = {{.frame = "left_hand", .label = "left hand", .kind = EndpointKind::hand, .group = ""},
                             {.frame = "left_sole", .label = "left foot", .kind = EndpointKind::foot, .group = ""},
                             {.frame = "right_sole", .label = "right foot", .kind = EndpointKind::foot, .group = ""}};
  return robot;
}

struct Truth {
  VectorX coulomb, offset;  ///< [N·m], motors
};

Truth drawn_truth(const Robot& robot) {
  const Eigen::Index motors = robot.model.motor_count();
  test::RandomStates random(41);
  Truth truth{VectorX(random.vector(motors, 0.3).array() + 0.6), random.vector(motors, 1.0)};
  return truth;
}

/// \param ground  a force at the left foot that no log states [N]
MovingLog log_of(const Robot& robot, unsigned seed, double duration, const Truth& truth, double white, double ground) {
  constexpr double kStep = 0.005;
  test::MovingRobot moving(robot, seed, 0.4, 0.08);
  test::Noise noise(seed);
  MovingLog log;
  Episode& episode = log.episode;
  episode.name = "swaying";
  const auto steps = static_cast<Eigen::Index>(duration / kStep);
  const Eigen::Index motors = robot.model.motor_count();
  episode.time = VectorX::LinSpaced(steps, 0.0, kStep * static_cast<double>(steps - 1));
  episode.q = episode.v = episode.tau = SampleMatrix::Zero(steps, motors);
  episode.imu_quaternion.resize(steps, 4);
  episode.imu_angular_velocity = episode.imu_specific_force = SampleMatrix::Zero(steps, 3);
  Vector6 push = Vector6::Zero();
  for (Eigen::Index i = 0; i < steps; ++i) {
    push[2] = ground * (1.0 + std::sin(3.0 * episode.time[i]));
    const Observation seen = moving.observe(episode.time[i], "left_sole", push);
    episode.q.row(i) = seen.q;
    episode.v.row(i) = seen.v;
    episode.tau.row(i) = seen.tau;
    for (Eigen::Index j = 0; j < motors; ++j) {
      episode.tau(i, j) += truth.coulomb[j] * std::tanh(seen.v[j] / kCoulombSpeed) + truth.offset[j] + white * noise();
    }
    episode.imu_quaternion.row(i) = seen.imu_quaternion_xyzw;
    episode.imu_angular_velocity.row(i) = seen.imu_angular_velocity;
    episode.imu_specific_force.row(i) = seen.imu_specific_force;
  }
  return log;
}

bool is_leg(const std::string& joint) {
  return joint.find("hip") != std::string::npos || joint.find("knee") != std::string::npos ||
         joint.find("ankle") != std::string::npos;
}

TEST(MovingFloating, TheImuStandsForTheBase) {
  const Robot robot = swaying_biped();
  const Eigen::Index motors = robot.model.motor_count();
  const Truth none{VectorX::Zero(motors), VectorX::Zero(motors)};
  const MovingLog log = log_of(robot, 7, 4.0, none, 0.0, 300.0);
  NoiseModel nothing;
  nothing.white_sd = VectorX::Ones(motors);
  MovingFitOptions options;
  options.window = 0.03;
  const HoldOut found = judge_moving(robot, nothing, {log}, options);
  MovingLog still = log;
  still.episode.imu_angular_velocity.setZero();
  still.episode.imu_specific_force.rowwise() = Eigen::RowVector3d(0.0, 0.0, 9.81);
  const HoldOut unmoved = judge_moving(robot, nothing, {still}, options);
  double largest = 0.0;
  for (int j = 0; j < robot.model.motor_count(); ++j) {
    const std::string& joint = robot.model.motor_names()[j];
    if (is_leg(joint)) {
      EXPECT_TRUE(std::isnan(found.rms[j])) << joint;  // 300 N at a foot are in it
      continue;
    }
    EXPECT_LT(found.rms[j], tolerance::kSmoothedTorque) << joint;
    EXPECT_GT(unmoved.rms[j], 2.0 * tolerance::kSmoothedTorque) << joint;  // the elbows carry least: 0.15 N·m
    largest = std::max(largest, unmoved.rms[j]);
  }
  EXPECT_GT(largest, 10.0 * tolerance::kSmoothedTorque);
}

TEST(MovingFloating, ArmsAreIdentifiedWhileTheBaseSwaysAndLegsAreNot) {
  const Robot robot = swaying_biped();
  const Truth truth = drawn_truth(robot);
  const MovingLog log = log_of(robot, 11, 30.0, truth, 0.1, 300.0);
  MovingFitOptions options;
  options.low_pass = 15.0;
  const MovingFit fit = fit_moving(robot, {log}, options);
  for (const std::string& text : fit.missing) std::cout << text << "\n";
  ASSERT_TRUE(fit.identified);
  const TorqueParameters at = torque_parameters(robot.model);
  for (int j = 0; j < at.motors; ++j) {
    const ChannelFinding& channel = fit.channels[j];
    if (is_leg(channel.joint)) {
      EXPECT_EQ(channel.use, ChannelUse::carries_foot) << channel.joint;
      EXPECT_TRUE(std::isnan(fit.noise.white_sd[j])) << channel.joint;
      EXPECT_FALSE(fit.parameters[at.coulomb(j)].identified()) << channel.joint;
      continue;
    }
    ASSERT_EQ(channel.use, ChannelUse::used) << channel.reason;
    EXPECT_LT(channel.white_sd, 0.1) << channel.joint;  // the low pass took most of the white noise
    const ParameterEstimate &dry = fit.parameters[at.coulomb(j)], &offset = fit.parameters[at.offset(j)];
    std::cout << channel.joint << ": coulomb " << dry.value << " ± " << dry.sd << " (" << truth.coulomb[j]
              << "), offset " << offset.value << " ± " << offset.sd << " (" << truth.offset[j] << "), sigma "
              << channel.white_sd << "\n";
    EXPECT_TRUE(dry.identified()) << channel.joint;
    EXPECT_LE(std::abs(dry.value - truth.coulomb[j]), 4.0 * dry.sd + tolerance::kRoundedFriction * truth.coulomb[j])
        << channel.joint;
    EXPECT_LE(std::abs(offset.value - truth.offset[j]), 4.0 * offset.sd) << channel.joint;
  }
  // What a leg weighs is not in an arm's doubt.
  EXPECT_LT(fit.noise.factor.cols(), at.count());
  EXPECT_TRUE(fit.noise.factor.middleRows(at.inertial(0), 10).isZero(0.0));

  // Another motion, in the loop: what is left lies within the doubt.
  Robot identified = robot;
  identified.profile.noise = std::make_shared<NoiseModel>(fit.noise);
  const MovingLog other = log_of(robot, 12, 6.0, truth, 0.1, 300.0);
  const std::vector<std::string> frames = {"left_hand"};
  InstantReader reader(identified, frames);
  ResidualOptions inverse;
  inverse.kind = ResidualChoice::inverse_dynamics;
  ResidualEstimator residual(identified, inverse);
  Observation sample;
  double z2 = 0.0, rows = 0.0, raw = 0.0;
  for (Eigen::Index i = 0; i < other.episode.steps(); ++i) {
    other.episode.observe(i, sample);
    const Residual& r = residual.form(reader.at(sample));
    ASSERT_EQ(r.status, Status::ok);
    if (other.episode.time[i] < 1.0) continue;
    for (int j = 0; j < at.motors; ++j) {
      if (is_leg(fit.channels[j].joint)) continue;
      z2 += r.value[j] * r.value[j] / r.variance[j];
      raw += truth.offset[j] * truth.offset[j] / r.variance[j];
      rows += 1.0;
    }
  }
  std::cout << "another motion: z² " << z2 / rows << ", with the offset alone left in " << raw / rows << "\n";
  EXPECT_LE(z2 / rows, 2.0);
  EXPECT_GE(z2 / rows, 0.2);
  EXPECT_GE(raw / rows, 10.0);
}

TEST(MovingFloating, NeedsAnImu) {
  Robot robot = swaying_biped();
  const Truth truth = drawn_truth(robot);
  const MovingLog log = log_of(robot, 13, 1.0, truth, 0.0, 0.0);
  MovingLog blind = log;
  blind.episode.imu_specific_force.resize(0, 0);
  EXPECT_THROW(fit_moving(robot, {blind}), EpisodeError);
  robot.profile.imu.frame.clear();
  EXPECT_THROW(fit_moving(robot, {log}), ModelError);
}

}  // namespace
}  // namespace antaeus
