#include "antaeus/identification/held/held_pose.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cstdio>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/instant.hpp"
#include "identification/held/like_joints.hpp"
#include "identification/held_stretches.hpp"
#include "identification/tolerances.hpp"

namespace antaeus {
namespace {

using test::kWrists;

std::vector<HeldStretch> drawn(const Robot& robot, int runs, double spread, unsigned seed) {
  test::Noise normal(seed);
  std::vector<HeldStretch> stretches;
  for (int run = 0; run < runs; ++run) stretches.push_back(test::drawn_stretch(robot, run, spread, normal));
  return stretches;
}

// The formula by hand, without ridge: means, spreads, and the prior of like joints.
TEST(HeldPose, FormulaOfOffsetAndSpread) {
  const Robot robot = test::own_robot("panda");
  const int n = robot.model.motor_count();
  const std::vector<HeldStretch> stretches = drawn(robot, 4, 0.7, 5);
  const HeldPoseNoise noise =
      fit_held_pose(robot, {}, stretches, {.ridge = false, .prior_runs = 2.0, .few_runs_factor = false});
  ASSERT_EQ(std::ssize(noise.motors), 7);
  VectorX mean = VectorX::Zero(n), square = VectorX::Zero(n);
  for (const HeldStretch& s : stretches) mean += 0.25 * s.residual;
  for (const HeldStretch& s : stretches) square += (s.residual - mean).cwiseAbs2();
  // Joints 1–4 have 87 N·m, 5–7 have 12.
  const double large = square.head(4).mean() / 3.0, small = square.segment(4, 3).mean() / 3.0;
  for (int j = 0; j < 7; ++j) {
    const double variance = (2.0 * (j < 4 ? large : small) + square[j]) / (2.0 + 3.0);
    EXPECT_NEAR(noise.offset[j], mean[j], tolerance::kSameQuantity);
    EXPECT_NEAR(noise.offset_sd[j], std::sqrt(variance), tolerance::kSameQuantity);
    EXPECT_NEAR(noise.offset_error[j], std::sqrt(variance / 4.0), tolerance::kHeldPoseTurns);
    EXPECT_NEAR(noise.white_sd[j], 0.1, tolerance::kSameQuantity);
    EXPECT_NEAR(noise.slow_sd[j], 0.2, tolerance::kSameQuantity);
    EXPECT_NEAR(noise.motion_sd[j], 2.0, tolerance::kSameQuantity);
  }
  EXPECT_DOUBLE_EQ(noise.largest_speed, 1.3);
  // R of a fifth run: σ_b² (n + 1)/n, and what is white and wanders.
  HeldPosePredictor predictor(robot.model, noise);
  Dynamics dynamics(robot.model);
  VectorX at(7);
  MatrixX R(7, 7);
  ASSERT_EQ(predictor.predict(dynamics.at(robot.model.neutral()), robot.model.gravity(), 0.5, at, R), Status::ok);
  EXPECT_NEAR(R(0, 0), noise.offset_sd[0] * noise.offset_sd[0] * 1.25 + 0.01 + 0.04 + 1.0, tolerance::kHeldPoseTurns);
  EXPECT_NEAR(R(0, 1), 0.0, tolerance::kSameQuantity);
}

TEST(HeldPose, TheRunsOfOneLogCountOnce) {
  const Robot robot = test::own_robot("panda");
  std::vector<HeldStretch> stretches = drawn(robot, 3, 0.7, 6);
  const HeldPoseNoise before = fit_held_pose(robot, {}, stretches);
  for (int again = 0; again < 9; ++again) stretches.push_back(stretches[0]);
  const HeldPoseNoise after = fit_held_pose(robot, {}, stretches);
  EXPECT_EQ(after.runs, 3);
  EXPECT_EQ(after.stretches, 12);
  for (int j = 0; j < 7; ++j) {
    EXPECT_NEAR(after.offset[j], before.offset[j], tolerance::kHeldPoseTurns);
    EXPECT_NEAR(after.offset_sd[j], before.offset_sd[j], tolerance::kHeldPoseTurns);
  }
}

// From two runs to eight, joints of one kind or unequal: σ_b and the mean's error hold a new run in 95 %.
TEST(HeldPose, ANewRunIsCoveredHoweverFew) {
  const Robot robot = test::own_robot("panda");
  for (const int runs : {2, 3, 5, 8}) {
    double inside = 0.0, count = 0.0;
    for (unsigned seed = 0; seed < 150; ++seed) {
      // One more is drawn with the others: the same offsets' mean, a run that was not fitted.
      std::vector<HeldStretch> stretches = drawn(robot, runs + 1, 0.7, 4000 + 31 * seed + static_cast<unsigned>(runs));
      const HeldStretch fresh = stretches.back();
      stretches.pop_back();
      const HeldPoseNoise noise = fit_held_pose(robot, {}, stretches, {.ridge = false});
      for (int j = 0; j < 7; ++j) {
        const double sd = std::hypot(noise.offset_sd[j], noise.offset_error[j]);
        inside += std::abs(fresh.residual[j] - noise.offset[j]) <= 1.959964 * sd;
        count += 1.0;
      }
    }
    std::printf("%d runs: a new one covered %.3f\n", runs, inside / count);
    EXPECT_GE(inside / count, 0.92) << runs << " runs";  // 1050 of seven joints of 150 draws: 0.95 less three sds
    EXPECT_LE(inside / count, 0.985) << runs << " runs";
  }
}

TEST(HeldPose, FewRunsWidenTheSpread) {
  const Robot robot = test::own_robot("panda");
  // t of 95 % over 1.96, of min(8 + runs − 1, joints of a kind · (runs − 1)) degrees of freedom: four joints of 87 N·m,
  // three of 12.
  const std::map<int, std::pair<double, double>> published = {
      {2, {2.7764, 3.1824}}, {3, {2.3060, 2.4469}}, {4, {2.2010, 2.2622}}};
  for (const auto& [runs, pair] : published) {
    const std::vector<HeldStretch> stretches = drawn(robot, runs, 0.7, 7);
    const HeldPoseNoise wide = fit_held_pose(robot, {}, stretches);
    const HeldPoseNoise plain = fit_held_pose(robot, {}, stretches, {.few_runs_factor = false});
    for (int j = 0; j < 7; ++j) {
      const double factor = (j < 4 ? pair.first : pair.second) / 1.959964;
      EXPECT_NEAR(wide.offset_sd[j] / plain.offset_sd[j], factor, 0.01 * factor) << runs << " runs, joint " << j;
      EXPECT_NEAR(wide.offset_error[j] / plain.offset_error[j], factor, 0.01 * factor);
    }
  }
}

// Residuals that are drawn from the model are covered by what was identified on others: χ² of 7 rows is 7 on average.
TEST(HeldPose, DrawnRunsAreCovered) {
  const Robot robot = test::own_robot("panda");
  Dynamics dynamics(robot.model);
  double nees = 0.0;
  constexpr int kTrials = 200;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    std::vector<HeldStretch> stretches = drawn(robot, 6, 0.7, 100 + trial);
    const HeldStretch other = stretches.back();
    stretches.pop_back();
    HeldPosePredictor predictor(robot.model, fit_held_pose(robot, {}, stretches));
    VectorX mean(7);
    MatrixX R(7, 7);
    ASSERT_EQ(predictor.predict(dynamics.at(robot.model.neutral()), robot.model.gravity(), 0.0, mean, R), Status::ok);
    const VectorX e = other.residual.head(7) - mean;
    nees += e.dot(R.llt().solve(e)) / kTrials;
  }
  RecordProperty("nees", std::to_string(nees));
  EXPECT_GT(nees, 4.0);              // a prior on masses and the shared spread make it cautious
  EXPECT_LT(nees, 7.0 * 6.0 / 4.0);  // Student's t with ν = runs + 1 = 6: ν/(ν − 2) times 7, were no joints alike
}

TEST(HeldPose, SimulatedNoiseHasTheSameCovariance) {
  const Robot robot = test::own_robot("h1_2");
  HeldPosePredictor predictor(robot.model, fit_held_pose(robot, kWrists, drawn(robot, 3, 0.7, 8)));
  Dynamics dynamics(robot.model);
  VectorX mean(15);
  MatrixX R(15, 15);
  ASSERT_EQ(predictor.predict(dynamics.at(robot.model.neutral()), robot.model.gravity(), 0.0, mean, R), Status::ok);
  const MatrixX S = predictor.simulated(dynamics.at(robot.model.neutral()), robot.model.gravity(), 1.0).covariance();
  EXPECT_LT((S - R).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
}

TEST(HeldPose, WhatCannotBeIdentifiedIsSaid) {
  const Robot robot = test::own_robot("h1_2");
  EXPECT_THROW(fit_held_pose(robot, kWrists, {}), EpisodeError);
  EXPECT_THROW(fit_held_pose(robot, kWrists, drawn(robot, 1, 1.0, 1)), EpisodeError);
  EXPECT_THROW(fit_held_pose(robot, {"no_such_link"}, drawn(robot, 3, 1.0, 1)), ModelError);
  // Another robot's stretches.
  EXPECT_THROW(fit_held_pose(test::own_robot("panda"), {}, drawn(robot, 3, 1.0, 1)), EpisodeError);
  EXPECT_THROW(fit_held_pose(robot, kWrists, drawn(robot, 3, 1.0, 1), {.ridge_share = 0.0}), OptionsError);

  std::vector<HeldStretch> still = drawn(robot, 3, 1.0, 1);
  for (HeldStretch& stretch : still) stretch.moving = 0;
  const HeldPoseNoise noise = fit_held_pose(robot, kWrists, still);
  ASSERT_EQ(noise.notes.size(), 1U);
  EXPECT_TRUE(std::isnan(noise.motion_sd[0]));
  HeldPosePredictor predictor(robot.model, noise);
  Dynamics dynamics(robot.model);
  const PositionTerms now = dynamics.at(robot.model.neutral());
  VectorX mean(15), wrong(14);
  MatrixX R(15, 15);
  EXPECT_EQ(predictor.predict(now, robot.model.gravity(), 0.0, mean, R), Status::ok);
  EXPECT_TRUE(R.allFinite());
  EXPECT_EQ(predictor.predict(now, robot.model.gravity(), 0.1, mean, R), Status::ok);
  EXPECT_EQ(R(0, 0), kInfinity);
  EXPECT_EQ(predictor.predict(now, robot.model.gravity(), kNaN, mean, R), Status::not_finite);
  EXPECT_TRUE(mean.array().isNaN().all());
  EXPECT_EQ(predictor.predict(now, robot.model.gravity(), 0.0, wrong, R), Status::wrong_size);
  EXPECT_TRUE(R.array().isNaN().all());
  EXPECT_EQ(predictor.predict(PositionTerms(), robot.model.gravity(), 0.0, mean, R), Status::not_computed);
  EXPECT_THROW(HeldPosePredictor(test::own_robot("panda").model, noise), OptionsError);
}

/// The robot stands for a second, moves its legs for one, and stands again.
Episode drawn_episode(const Robot& robot, double seconds = 3.0) {
  test::Noise normal(9);
  Episode log;
  log.name = "drawn";
  const auto n = static_cast<Eigen::Index>(seconds * 50), m = static_cast<Eigen::Index>(robot.model.motor_count());
  log.time = VectorX::LinSpaced(n, 7.0, 7.0 + 0.02 * static_cast<double>(n - 1));
  log.q = SampleMatrix::Zero(n, m);
  log.v = SampleMatrix::Zero(n, m);
  InstantReader reader(robot, robot.endpoint_frames(kWrists));
  Observation o;
  o.q = VectorX::Zero(m);
  o.tau = VectorX::Zero(m);
  log.tau = (-reader.at(o).static_residual()).transpose().replicate(n, 1);
  log.tau.array() += 0.5;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) log.tau(i, j) += 0.1 * normal();
  }
  const Eigen::Index moving = std::min<Eigen::Index>(50, n - 50);
  log.v.block(50, 0, moving, 13).setConstant(1.5);
  for (Eigen::Index i = 50; i < 50 + moving; ++i) log.tau(i, 12) += i % 2 == 0 ? 6.0 : -6.0;
  return log;
}

TEST(HeldPose, ReadsAStretch) {
  const Robot robot = test::own_robot("h1_2");
  const HeldStretch stretch = read_held_stretch(robot, kWrists, drawn_episode(robot), 0.0, 3.0);
  EXPECT_EQ(stretch.moving, 60);  // and the 0.2 s after
  EXPECT_EQ(stretch.still, 150 - 60);
  EXPECT_NEAR(stretch.largest_speed, 1.5, tolerance::kSameQuantity);
  // 90 samples of sd 0.1: medians within 0.013, sds within 8 %, five times of each.
  EXPECT_NEAR(stretch.residual[14], 0.5, 0.065);
  EXPECT_NEAR(std::sqrt(stretch.white_variance[14]), 0.1, 0.04);
  EXPECT_NEAR(std::sqrt(stretch.motion_square[12] / 60.0), std::sqrt(36.0 * 50.0 / 60.0), 0.3);
  EXPECT_NEAR(stretch.free_fall.z(), -9.81, tolerance::kSameQuantity);
}

TEST(HeldPose, LogsThatHoldNothingAreRefused) {
  const Robot robot = test::own_robot("h1_2");
  const Episode good = drawn_episode(robot);
  EXPECT_THROW(read_held_stretch(robot, kWrists, good, 1.1, 1.9), EpisodeError);      // moving all along
  EXPECT_THROW(read_held_stretch(robot, kWrists, good, 100.0, 200.0), EpisodeError);  // outside of the log
  Episode blind = good;
  blind.v.resize(0, 0);
  EXPECT_THROW(read_held_stretch(robot, kWrists, blind, 0.0, 3.0), EpisodeError);
  Episode timeless = good;
  timeless.time.setConstant(kNaN);
  EXPECT_THROW(read_held_stretch(robot, kWrists, timeless, 0.0, 3.0), EpisodeError);
}

TEST(Envelope, FollowsTheLargestSpeedOfTheWindow) {
  SpeedEnvelope envelope({0, 2}, 1.0);
  EXPECT_DOUBLE_EQ(envelope.limit(), 1.25);
  EXPECT_TRUE(std::isnan(envelope.speed()));
  EXPECT_DOUBLE_EQ(envelope.share(), 1.0);  // motion that is not excluded
  const auto at = [](double speed) { return VectorX(Vector3(speed, 99.0, speed)); };
  EXPECT_EQ(envelope.step(0.0, at(0.0)), Status::ok);
  EXPECT_DOUBLE_EQ(envelope.share(), 0.0);
  EXPECT_EQ(envelope.step(0.1, at(-1.3)), Status::ok);
  EXPECT_TRUE(envelope.outside());
  EXPECT_EQ(envelope.step(0.25, at(0.125)), Status::ok);
  EXPECT_DOUBLE_EQ(envelope.speed(), 1.3);
  EXPECT_EQ(envelope.step(0.31, at(0.1)), Status::ok);
  EXPECT_DOUBLE_EQ(envelope.speed(), 0.125);
  EXPECT_NEAR(envelope.share(), 0.5, tolerance::kSameQuantity);
  EXPECT_FALSE(envelope.outside());
  EXPECT_EQ(envelope.step(0.31, at(9.0)), Status::time_back);
  EXPECT_TRUE(std::isnan(envelope.speed()));
  EXPECT_EQ(envelope.step(0.33, at(kNaN)), Status::not_finite);
  EXPECT_EQ(envelope.step(kNaN, at(0.0)), Status::not_finite);
  EXPECT_EQ(envelope.step(0.35, VectorX::Zero(2)), Status::wrong_size);
  EXPECT_EQ(envelope.step(0.60, at(0.1)), Status::ok);
  EXPECT_NEAR(envelope.speed(), 0.1, tolerance::kSameQuantity);
  envelope.reset();
  EXPECT_EQ(envelope.step(0.0, at(0.2)), Status::ok);
}

// Against the largest of the last samples, by search.
TEST(Envelope, IsTheLargestBySearch) {
  test::RandomStates random(11);
  SCOPED_TRACE(random.text());
  SpeedEnvelope envelope({0}, kNaN);
  const VectorX v = random.vector(3000);
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    ASSERT_EQ(envelope.step(0.0051 * static_cast<double>(i), v.segment(i, 1)), Status::ok);
    const Eigen::Index first = std::max<Eigen::Index>(0, i - 39);
    ASSERT_NEAR(envelope.speed(), v.segment(first, i - first + 1).cwiseAbs().maxCoeff(), tolerance::kSameQuantity) << i;
    ASSERT_FALSE(envelope.outside());  // nothing was identified
  }
}

TEST(Envelope, MotorsAreThoseThatHoldNoEndpointsLimb) {
  const Robot h1_2 = test::own_robot("h1_2");
  std::vector<int> legs_and_torso;
  for (int motor = 0; motor < 13; ++motor) legs_and_torso.push_back(motor);
  EXPECT_EQ(envelope_motors(h1_2, kWrists), legs_and_torso);
  // A single arm has nothing else.
  EXPECT_EQ(std::ssize(envelope_motors(test::own_robot("planar_3r"), {})), 3);
  EXPECT_THROW(SpeedEnvelope({}, 1.0), OptionsError);
  EXPECT_THROW(SpeedEnvelope({0}, -1.0), OptionsError);
  EXPECT_THROW(SpeedEnvelope({0}, 1.0, {.still_speed = 0.3}), OptionsError);
}

TEST(HeldPose, LikeJointsHaveOneEffortLimit) {
  const Robot robot = test::own_robot("h1_2");
  std::vector<int> rows;
  for (int motor = 12; motor < 27; ++motor) rows.push_back(motor);
  // Torso; shoulder pitch, roll; yaw, elbow; wrists.
  EXPECT_EQ(detail::like_joints(robot.model, rows), (std::vector<int>{0, 1, 1, 2, 2, 3, 3, 3, 1, 1, 2, 2, 3, 3, 3}));
}

}  // namespace
}  // namespace antaeus
