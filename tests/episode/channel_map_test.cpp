// A log of other units, order, sign and time, read through the profile's [channels].
#include "antaeus/robot/channel_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "episode/tolerances.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

constexpr Eigen::Index kLogSteps = 200, kLogMotors = 3;  // of planar_3r
constexpr double kLogPeriod = 0.005;

/// Every channel in smooth motion, no two columns alike.
Episode right_motion() {
  Episode log;
  log.time.resize(kLogSteps);
  for (SampleMatrix* samples : {&log.q, &log.tau, &log.target, &log.v, &log.a}) samples->resize(kLogSteps, kLogMotors);
  log.imu_quaternion.resize(kLogSteps, 4);
  log.imu_angular_velocity.resize(kLogSteps, 3);
  log.imu_specific_force.resize(kLogSteps, 3);
  for (Eigen::Index i = 0; i < kLogSteps; ++i) {
    const double t = log.time[i] = kLogPeriod * static_cast<double>(i);
    for (Eigen::Index m = 0; m < kLogMotors; ++m) {
      const double phase = 3.0 * t + 1.1 * static_cast<double>(m);
      log.q(i, m) = std::sin(phase);
      log.target(i, m) = std::sin(phase) + 0.01;
      log.v(i, m) = 3.0 * std::cos(phase);
      log.a(i, m) = -9.0 * std::sin(phase);
      log.tau(i, m) = 20.0 * std::cos(phase) + static_cast<double>(m);
      log.imu_angular_velocity(i, m) = 0.3 * std::sin(phase);
      log.imu_specific_force(i, m) = m == 2 ? 9.81 : std::cos(phase);
    }
    log.imu_quaternion.row(i) << std::sin(0.2 * t), 0.0, 0.0, std::cos(0.2 * t);
  }
  return log;
}

class ChannelMaps : public testing::Test {
 protected:
  /// What load_episode makes of the log as a user recorded it, with what the profile then says.
  Episode mended(const Episode& recorded, const ChannelMap& map) {
    write_episode(recorded, folder_.path() / "log");
    robot_.profile.channels = map;
    return load_episode(folder_.path() / "log", robot_);
  }
  void expect_right(const Episode& episode) const {
    const auto same = [](const SampleMatrix& a, const SampleMatrix& b) { return (a - b).cwiseAbs().maxCoeff(); };
    EXPECT_LE((episode.time - right_.time).cwiseAbs().maxCoeff(), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.q, right_.q), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.target, right_.target), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.v, right_.v), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.a, right_.a), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.tau, right_.tau), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.imu_quaternion, right_.imu_quaternion), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.imu_angular_velocity, right_.imu_angular_velocity), tolerance::kMappedChannel);
    EXPECT_LE(same(episode.imu_specific_force, right_.imu_specific_force), tolerance::kMappedChannel);
  }

  test::TemporaryFolder folder_;
  Robot robot_ = test::own_robot("planar_3r");
  Episode right_ = right_motion();
};

TEST_F(ChannelMaps, NothingIsChangedByDefault) {
  const Episode episode = mended(right_, {});
  EXPECT_EQ(episode.q, right_.q);
  EXPECT_EQ(episode.tau, right_.tau);
  EXPECT_EQ(episode.time, right_.time);
  EXPECT_EQ(episode.imu_quaternion, right_.imu_quaternion);
}

TEST_F(ChannelMaps, Units) {
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  Episode log = right_;
  log.time *= 1000.0;
  log.q *= kDegrees;
  log.target *= kDegrees;
  log.v *= kDegrees;
  log.a *= kDegrees;
  log.imu_angular_velocity *= kDegrees;
  log.imu_specific_force /= 9.81;
  ChannelMap map;
  map.time_scale = 0.001;
  map.position_scale = map.velocity_scale = std::vector<double>(kLogMotors, 1.0 / kDegrees);
  map.gyro_scale.setConstant(1.0 / kDegrees);
  map.accelerometer_scale.setConstant(9.81);
  expect_right(mended(log, map));
}

TEST_F(ChannelMaps, SignsAndZeros) {
  Episode log = right_;
  for (SampleMatrix* samples : {&log.q, &log.target}) {
    samples->col(1) *= -1.0;
    samples->col(2).array() += 0.4;
  }
  for (SampleMatrix* samples : {&log.v, &log.a}) samples->col(1) *= -1.0;
  log.imu_specific_force.col(0) *= -1.0;
  log.imu_angular_velocity.col(1) *= -1.0;
  log.imu_quaternion.leftCols(3) *= -1.0;
  ChannelMap map;
  map.position_scale = {1.0, -1.0, 1.0};
  map.position_offset = {0.0, 0.0, 0.4};
  map.velocity_scale = {1.0, -1.0, 1.0};
  map.accelerometer_scale = {-1.0, 1.0, 1.0};
  map.gyro_scale = {1.0, -1.0, 1.0};
  map.quaternion_inverse = true;
  expect_right(mended(log, map));
}

TEST_F(ChannelMaps, OrderOfColumns) {
  Episode log = right_;
  const std::vector<int> positions = {2, 0, 1}, torques = {0, 2, 1};  // log's column of each motor
  for (int m = 0; m < kLogMotors; ++m) {
    const int to = positions[static_cast<std::size_t>(m)];
    log.q.col(to) = right_.q.col(m);
    log.target.col(to) = right_.target.col(m);
    log.v.col(to) = right_.v.col(m);
    log.a.col(to) = right_.a.col(m);
    log.tau.col(torques[static_cast<std::size_t>(m)]) = right_.tau.col(m);
  }
  ChannelMap map;
  map.position_order = positions;
  map.torque_order = torques;
  expect_right(mended(log, map));
}

TEST_F(ChannelMaps, TheOrderOfAQuaternionGoesBeforeTheChannelsName) {
  Episode log = right_;
  log.imu_quaternion << right_.imu_quaternion.col(3), right_.imu_quaternion.leftCols(3);
  ChannelMap map;
  map.quaternion_order = QuaternionOrder::wxyz;
  expect_right(mended(log, map));
}

TEST_F(ChannelMaps, WhatComesLateIsMovedBackByWholeSamplesExactly) {
  constexpr Eigen::Index kLate = 3;
  Episode log = right_;
  for (SampleMatrix* samples : {&log.tau, &log.v, &log.a}) {
    const SampleMatrix now = *samples;
    samples->bottomRows(kLogSteps - kLate) = now.topRows(kLogSteps - kLate);
  }
  log.tau(50, 1) = kNaN;
  ChannelMap map;
  map.torque_delay = map.velocity_delay = kLate * kLogPeriod;
  const Episode episode = mended(log, map);
  const Eigen::Index whole = kLogSteps - kLate;
  EXPECT_EQ(episode.v.topRows(whole), right_.v.topRows(whole));
  EXPECT_EQ(episode.tau.topRows(50 - kLate), right_.tau.topRows(50 - kLate));
  EXPECT_TRUE(std::isnan(episode.tau(50 - kLate, 1)) && episode.tau.row(51 - kLate).allFinite() &&
              episode.tau.row(49 - kLate).allFinite())
      << "a hole stays one row";
  for (Eigen::Index i = whole; i < kLogSteps; ++i)
    EXPECT_EQ(episode.tau.row(i), log.tau.row(kLogSteps - 1)) << "ends held";
  EXPECT_EQ(episode.q, right_.q);
}

TEST_F(ChannelMaps, AndBetweenSamplesByInterpolation) {
  ChannelMap map;
  map.torque_delay = 0.0123;
  const Episode episode = mended(right_, map);
  for (Eigen::Index i = 0; i < kLogSteps - 3; ++i) {
    const double t = right_.time[i] + map.torque_delay;
    EXPECT_NEAR(episode.tau(i, 0), 20.0 * std::cos(3.0 * t), tolerance::kInterpolatedTorque);
  }
}

TEST_F(ChannelMaps, AClockThatGoesBackMovesNothing) {
  Episode log = right_;
  log.time[7] = 0.0;
  write_episode(log, folder_.path() / "log");
  robot_.profile.channels.torque_delay = 0.01;
  const Episode episode = read_episode(folder_.path() / "log", robot_);
  EXPECT_EQ(episode.tau, right_.tau);
  ASSERT_FALSE(episode.notes.empty());
  EXPECT_NE(note_text(episode.notes.front()).find("no clock that runs forward"), std::string::npos)
      << note_text(episode.notes.front());
}

TEST_F(ChannelMaps, ListsOfAnotherLengthAreRefused) {
  ChannelMap map;
  map.position_scale = {1.0, 2.0};
  EXPECT_THROW(mended(right_, map), OptionsError);
  map.position_scale = {};
  map.torque_order = {0, 1, 3};
  EXPECT_THROW(mended(right_, map), OptionsError);
}

// --- read_episode ----------------------------------------------------------------------------------------------------

class ReadEpisode : public ChannelMaps {
 protected:
  Episode read(const Episode& log) {
    write_episode(log, folder_.path() / "log");
    return read_episode(folder_.path() / "log", robot_);
  }
};

TEST_F(ReadEpisode, IsLoadEpisodeForAGoodLog) {
  const Episode read_log = read(right_), loaded = load_episode(folder_.path() / "log", robot_);
  EXPECT_EQ(read_log.sha256, loaded.sha256);
  EXPECT_EQ(read_log.q, loaded.q);
  EXPECT_EQ(read_log.tau, loaded.tau);
  EXPECT_EQ(read_log.missing, loaded.missing);
}

TEST_F(ReadEpisode, RefusesNoValue) {
  Episode log = right_;
  log.time[3] = -5.0;
  log.time[4] = kNaN;
  log.imu_specific_force /= 9.81;
  log.q.setConstant(kNaN);
  log.imu_quaternion.setZero();
  EXPECT_THROW(
      {
        write_episode(log, folder_.path() / "log");
        load_episode(folder_.path() / "log", robot_);
      },
      EpisodeError);
  const Episode episode = read(log);
  EXPECT_EQ(episode.time[3], -5.0);
  EXPECT_TRUE(std::isnan(episode.time[4]));
  EXPECT_EQ(episode.imu_specific_force, log.imu_specific_force);
  EXPECT_EQ(std::ssize(episode.invalid_steps), kLogSteps);
}

TEST_F(ReadEpisode, TorquesOrPositionsMayBeMissing) {
  Episode log = right_;
  log.tau.resize(0, 0);
  log.target.resize(0, 0);
  Episode episode = read(log);
  EXPECT_EQ(episode.missing.front(), "tau");
  EXPECT_EQ(episode.steps(), kLogSteps);
  Observation observation;
  episode.observe(3, observation);
  EXPECT_EQ(observation.tau.size(), 0);
  EXPECT_EQ(observation.q.size(), kLogMotors);

  log.q.resize(0, 0);
  write_episode(log, folder_.path() / "neither");
  EXPECT_THROW(read_episode(folder_.path() / "neither", robot_), EpisodeError);
}

TEST_F(ReadEpisode, OneRowAndNone) {
  for (SampleMatrix* samples : {&right_.q, &right_.tau, &right_.target, &right_.v, &right_.a, &right_.imu_quaternion,
                                &right_.imu_angular_velocity, &right_.imu_specific_force}) {
    *samples = SampleMatrix(samples->topRows(1));
  }
  right_.time = VectorX(right_.time.head(1));
  EXPECT_EQ(read(right_).steps(), 1);
  write_file(folder_.path() / "none" / "tau.npy", to_npy({0, kLogMotors}, {}));
  EXPECT_THROW(read_episode(folder_.path() / "none", robot_), EpisodeError);
}

}  // namespace
}  // namespace antaeus
