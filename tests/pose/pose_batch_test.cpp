// Many poses at a time against PoseQuality, pose by pose.
#include "pose/pose_batch.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "pose_tolerance.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

struct Subject {
  std::string robot;
  std::vector<std::string> endpoints;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.robot; }

std::vector<VectorX> random_poses(const Robot& robot, int count) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::vector<VectorX> poses;
  for (int i = 0; i < count; ++i) {
    VectorX q(robot.model.motor_count());
    for (Eigen::Index m = 0; m < q.size(); ++m) {
      const double low = std::max(robot.model.lower_limits()[m], -std::numbers::pi);
      const double high = std::min(robot.model.upper_limits()[m], std::numbers::pi);
      q[m] = low + share(engine) * (high - low);
    }
    poses.push_back(std::move(q));
  }
  return poses;
}

/// Samples of poses by one batch, pose after pose and endpoint after endpoint.
std::vector<PoseSample> batch_samples(PoseBatch& batch, const std::vector<VectorX>& poses) {
  const int endpoints = batch.endpoint_count();
  std::vector<double> q;
  for (const VectorX& pose : poses) q.insert(q.end(), pose.begin(), pose.end());
  std::vector<std::vector<PoseSample>> by_endpoint(static_cast<std::size_t>(endpoints),
                                                   std::vector<PoseSample>(poses.size()));
  std::vector<PoseSample*> into;
  for (std::vector<PoseSample>& each : by_endpoint) into.push_back(each.data());
  batch.evaluate(q.data(), static_cast<int>(poses.size()), into.data());
  std::vector<PoseSample> all;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    for (const std::vector<PoseSample>& each : by_endpoint) all.push_back(each[i]);
  }
  return all;
}

std::vector<std::uint64_t> bits_of(const PoseSample& s) {
  std::vector<std::uint64_t> bits = {static_cast<std::uint64_t>(s.status), static_cast<std::uint64_t>(s.observable)};
  const auto add = [&](double number) { bits.push_back(std::bit_cast<std::uint64_t>(number)); };
  for (const double number : {s.gain, s.force_gain, s.kappa, s.sd, s.sd_moving, s.error_force}) add(number);
  for (const Vector3& vector : {s.axis_sd, s.worst_direction, s.position}) {
    for (const double number : vector) add(number);
  }
  return bits;
}

void expect_near(double ours, double theirs, double tolerance, const char* what) {
  if (std::isfinite(theirs)) {
    EXPECT_LE(std::abs(ours - theirs), tolerance * std::max(1.0, std::abs(theirs))) << what;
  } else {
    EXPECT_EQ(std::isnan(ours), std::isnan(theirs)) << what;
    EXPECT_TRUE(ours == theirs || std::isnan(theirs)) << what;
  }
}

class PoseBatchOf : public testing::TestWithParam<Subject> {};

TEST_P(PoseBatchOf, SamplesAreThoseOfOnePoseAfterTheOther) {
  const Robot robot = test::own_robot(GetParam().robot);
  PoseBatch batch(robot, GetParam().endpoints, {.reliability = false});
  EXPECT_TRUE(batch.is_batched());
  PoseQuality quality(robot, GetParam().endpoints);
  std::vector<VectorX> poses = random_poses(robot, PoseBatch::kPoses - 1);
  poses.push_back(VectorX::Zero(robot.model.motor_count()));  // singular, for most robots
  const std::vector<PoseSample> samples = batch_samples(batch, poses);
  int others = 0;
  for (std::size_t i = 0, at = 0; i < poses.size(); ++i) {
    const std::vector<PoseConditioning>& one = quality.evaluate(poses[i]);
    for (std::size_t k = 0; k < one.size(); ++k, ++at) {
      SCOPED_TRACE("pose " + std::to_string(i) + ", " + one[k].endpoint);
      const PoseSample &ours = samples[at], theirs = sample_of(quality, one[k]);
      EXPECT_EQ(ours.status, theirs.status);
      EXPECT_EQ(ours.observable, theirs.observable);
      const double tolerance = test::tolerance_at(theirs.kappa < kInfinity ? theirs.kappa : 0.0);
      expect_near(ours.gain, theirs.gain, tolerance, "gain");
      expect_near(ours.force_gain, theirs.force_gain, tolerance, "force_gain");
      expect_near(ours.kappa, theirs.kappa, tolerance, "kappa");
      expect_near(ours.error_force, theirs.error_force, tolerance, "error_force");
      // The prior bounds the condition of what the posterior inverts.
      expect_near(ours.sd, theirs.sd, 1e-12, "sd");
      expect_near(ours.sd_moving, theirs.sd_moving, 1e-12, "sd_moving");
      for (int axis = 0; axis < 3; ++axis) {
        expect_near(ours.axis_sd[axis], theirs.axis_sd[axis], 1e-12, "axis_sd");
        expect_near(ours.position[axis], theirs.position[axis], 1e-12, "position");
        // Rounding of the covariance over the gap between its largest eigenvalues, which is at least 1e-3 here.
        expect_near(ours.worst_direction[axis], theirs.worst_direction[axis], 1e-10, "worst_direction");
      }
      others += bits_of(ours) != bits_of(theirs);
    }
  }
  EXPECT_GT(others, 0) << "the kernel rounds otherwise: else this compares PoseQuality with itself";
}

INSTANTIATE_TEST_SUITE_P(Robots, PoseBatchOf,
                         testing::Values(Subject{"h1_2", {"left_wrist_yaw_link", "right_wrist_yaw_link"}},
                                         Subject{"panda", {"panda_hand"}}, Subject{"ur5e", {"tool0"}}),
                         [](const auto& at) { return at.param.robot; });

TEST(PoseBatch, NeighboursAndNaNChangeNoBit) {
  const Robot robot = test::own_robot("h1_2");
  PoseBatch batch(robot, {"left_wrist_yaw_link"}, {.reliability = false});
  std::vector<VectorX> poses = random_poses(robot, 21);
  const std::vector<PoseSample> alone = batch_samples(batch, poses);
  for (const std::size_t bad : {0, 9, 10, 20}) poses[bad][static_cast<Eigen::Index>(bad)] = kNaN;
  poses[4].setConstant(kInfinity);
  poses[5].setConstant(1e300);
  const std::vector<PoseSample> mixed = batch_samples(batch, poses);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!poses[i].allFinite()) {
      EXPECT_EQ(mixed[i].status, Status::not_finite);
      EXPECT_TRUE(std::isnan(mixed[i].sd));
    } else if (i != 5) {
      EXPECT_EQ(bits_of(mixed[i]), bits_of(alone[i])) << "pose " << i;
    }
  }
  for (std::size_t i = 0; i < 21; i += 7) {
    if (!poses[i].allFinite()) continue;
    EXPECT_EQ(bits_of(batch_samples(batch, {poses[i]})[0]), bits_of(alone[i]));
  }
}

TEST(PoseBatch, WhatTheKernelDoesNotDoGoesPoseByPose) {
  EXPECT_FALSE(PoseBatch(test::own_robot("planar_3r"), {"tool"}, {.reliability = false}).is_batched());
  Robot robot = test::own_robot("h1_2");
  robot.profile.settings.set("posterior.rows=all");
  const std::vector<std::string> wrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  PoseBatch batch(robot, wrists, {.reliability = false});
  EXPECT_FALSE(batch.is_batched());
  PoseQuality quality(robot, wrists);
  const std::vector<VectorX> poses = random_poses(robot, 5);
  const std::vector<PoseSample> samples = batch_samples(batch, poses);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const std::vector<PoseConditioning>& one = quality.evaluate(poses[i]);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(bits_of(samples[2 * i + k]), bits_of(sample_of(quality, one[k])));
    }
  }
}

TEST(PoseBatch, AMapAtAnyNumberOfThreadsHasTheSameBits) {
  Robot robot = test::own_robot("panda");
  const LabelledPose held{"zero", VectorX::Zero(robot.model.motor_count())};
  std::vector<PoseMap> maps;
  for (const char* threads : {"1", "2", "5"}) {
    robot.profile.settings.set(std::string("replay.threads=") + threads);
    double done = 0.0;
    maps.push_back(map_poses(robot, {"panda_hand"}, held, "panda_joint2", "panda_joint4", 37,
                             [&](double share) { done = share; }));
    EXPECT_EQ(done, 1.0);
  }
  for (const PoseMap& map : maps) {
    ASSERT_EQ(map.samples[0].size(), 37U * 37U);
    for (std::size_t i = 0; i < map.samples[0].size(); ++i) {
      ASSERT_EQ(bits_of(map.samples[0][i]), bits_of(maps[0].samples[0][i])) << "point " << i;
    }
  }
}

}  // namespace
}  // namespace antaeus
