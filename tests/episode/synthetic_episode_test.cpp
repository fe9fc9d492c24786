#include "antaeus/episode/synthetic_episode.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "episode/tolerances.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"
#include "support/printed_digits.hpp"

namespace antaeus {
namespace {

constexpr TwinKind kKinds[] = {TwinKind::pushes, TwinKind::good, TwinKind::incident};
constexpr int kLeftHipYaw = 0, kLeftHipPitch = 1, kLeftHipRoll = 2, kLeftKnee = 3, kTorso = 12, kShoulder = 13;

const Robot& h1_2() {
  static const Robot robot = test::own_robot("h1_2");
  return robot;
}

const SyntheticEpisode& twin(TwinKind kind) {
  static const SyntheticEpisode pushes = make_twin(h1_2(), TwinKind::pushes), good = make_twin(h1_2(), TwinKind::good),
                                incident = make_twin(h1_2(), TwinKind::incident);
  return kind == TwinKind::pushes ? pushes : kind == TwinKind::good ? good : incident;
}

/// What the deployed estimator makes of every step, per hand.
std::vector<std::vector<WrenchEstimate>> deployed(const SyntheticEpisode& made) {
  InstantReader reader(h1_2(), {made.endpoints[0], made.endpoints[1]});
  DeployedEstimator estimator(reader);
  Observation observation;
  std::vector<std::vector<WrenchEstimate>> estimates;
  for (Eigen::Index i = 0; i < made.episode.steps(); ++i) {
    made.episode.observe(i, observation);
    estimates.push_back(estimator.solve(reader.at(observation)).endpoints);
  }
  return estimates;
}

double largest(const SampleMatrix& matrix) { return matrix.cwiseAbs().maxCoeff(); }

// Articulated bodies, not the recursion that made the torques: forces that are applied give back the motion.
TEST(SyntheticEpisode, TorquesAndWrenchesGiveTheMotion) {
  for (const TwinKind kind : kKinds) {
    const SyntheticEpisode& made = twin(kind);
    Dynamics dynamics(h1_2().model);
    const int nv = h1_2().model.nv();
    VectorX force(nv), a(nv);
    Matrix6X J(6, nv);
    for (Eigen::Index i = 0; i < made.episode.steps(); i += 3) {
      force.setZero();
      for (int motor = 0; motor < h1_2().model.motor_count(); ++motor) {
        force[h1_2().model.motor_rows()[static_cast<std::size_t>(motor)]] =
            made.episode.tau(i, motor) - made.motor_side_torque(i, motor);
      }
      const VectorX q = made.full_q.row(i).transpose(), v = made.full_v.row(i).transpose();
      const PositionTerms terms = dynamics.at(q);
      for (std::size_t k = 0; k < made.endpoints.size(); ++k) {
        ASSERT_EQ(terms.frame_jacobian(h1_2().model.frame(made.endpoints[k]), J), Status::ok);
        force += J.transpose() * made.wrenches[k].row(i).transpose();
      }
      ASSERT_EQ(dynamics.forward_dynamics(q, v, force, a), Status::ok);
      EXPECT_LT((a.transpose() - made.full_a.row(i)).cwiseAbs().maxCoeff(), tolerance::kTwinAcceleration)
          << made.episode.name << " step " << i;
    }
  }
}

TEST(SyntheticEpisode, BaseRowsBalance) {
  for (const TwinKind kind : kKinds) {
    const SyntheticEpisode& made = twin(kind);
    Dynamics dynamics(h1_2().model);
    VectorX rows(h1_2().model.nv());
    Matrix6X J(6, h1_2().model.nv());
    for (Eigen::Index i = 0; i < made.episode.steps(); ++i) {
      const VectorX q = made.full_q.row(i).transpose(), v = made.full_v.row(i).transpose();
      ASSERT_EQ(dynamics.inverse_dynamics(q, v, made.full_a.row(i).transpose(), rows), Status::ok);
      const PositionTerms terms = dynamics.at(q);
      for (std::size_t k = 0; k < made.endpoints.size(); ++k) {
        ASSERT_EQ(terms.frame_jacobian(h1_2().model.frame(made.endpoints[k]), J), Status::ok);
        rows -= J.transpose() * made.wrenches[k].row(i).transpose();
      }
      EXPECT_LT(rows.head<6>().cwiseAbs().maxCoeff(), tolerance::kBaseBalance) << made.episode.name << " step " << i;
    }
  }
}

TEST(SyntheticEpisode, VelocitiesAndAccelerationsAreDerivatives) {
  constexpr double kRate = 1e4;
  for (const TwinKind kind : kKinds) {
    const SyntheticEpisode made = make_twin(h1_2(), kind, {.rate = kRate, .duration = 1.5});
    const Eigen::Index inner = made.episode.steps() - 2;
    ASSERT_EQ(inner, 14999);
    const SampleMatrix v = (made.episode.q.bottomRows(inner) - made.episode.q.topRows(inner)) * (kRate / 2.0);
    EXPECT_LT(largest(v - made.episode.v.middleRows(1, inner)), tolerance::kTwinVelocityDifference);
    const SampleMatrix a = (made.full_v.bottomRows(inner) - made.full_v.topRows(inner)) * (kRate / 2.0);
    EXPECT_LT(largest(a - made.full_a.middleRows(1, inner)), tolerance::kTwinAccelerationDifference);
    // The base only turns about the vertical: half the angle's sine and cosine in q, its rate in v.
    const VectorX yaw =
        made.full_q.col(5).binaryExpr(made.full_q.col(6), [](double s, double c) { return 2.0 * std::atan2(s, c); });
    const VectorX rate = (yaw.tail(inner) - yaw.head(inner)) * (kRate / 2.0);
    EXPECT_LT((rate - made.full_v.col(5).segment(1, inner)).cwiseAbs().maxCoeff(), tolerance::kTwinVelocityDifference);
    EXPECT_EQ(largest(made.full_v.leftCols(5)), 0.0);
  }
}

// The incident report's table of steps 0 … 8 and its text.
TEST(SyntheticEpisode, IncidentMeetsTheReport) {
  const SyntheticEpisode& made = twin(TwinKind::incident);
  const Episode& episode = made.episode;
  ASSERT_EQ(episode.steps(), 77);
  const auto estimates = deployed(made);
  const char* kResidual[] = {"0.12", "0.00", "0.47", "4.22", "8.32", "14.24", "10.61", "-5.27", "-34.45"};
  const char* kForce[] = {"-15.2", "-16.7", "-8.9", "46.3", "100.2", "177.8", "131.5", "-98.6", "-532.9"};
  constexpr double kNorm[] = {15.3, 16.9, 9.0, 51.2, 107.1, 189.7, 140.4, 102.0, 558.2};
  const char* kStamp[] = {"22.465", "22.472", "22.490", "22.509", "22.529", "22.549", "22.570", "22.590", "22.609"};
  for (std::size_t i = 0; i < 9; ++i) {
    const WrenchEstimate& left = estimates[i][0];
    EXPECT_PRINTED(left.reference_residual, kResidual[i]);
    EXPECT_PRINTED(left.wrench.force.z(), kForce[i]);
    EXPECT_NEAR(left.wrench.force.norm(), kNorm[i], 0.05 * kNorm[i]);
    EXPECT_PRINTED(left.reference_gain[kFz], "15.62");
    EXPECT_NEAR(left.kappa, 39.9, 0.05);
    EXPECT_PRINTED(episode.time[static_cast<Eigen::Index>(i)], kStamp[i]);
  }
  EXPECT_PRINTED(episode.time[64], "23.74");
  EXPECT_PRINTED(episode.time[76], "23.978");

  // Start errors, position − target.
  const std::pair<int, const char*> kErrors[] = {{kLeftHipYaw, "0.048"},
                                                 {kLeftHipPitch, "0.111"},
                                                 {kLeftHipRoll, "-0.355"},
                                                 {4, "-0.224"},
                                                 {6, "0.049"},
                                                 {8, "0.351"},
                                                 {10, "-0.210"}};
  for (const auto& [motor, error] : kErrors) EXPECT_PRINTED(episode.q(0, motor) - episode.target(0, motor), error);
  EXPECT_PRINTED(episode.target(7, kLeftKnee), "1.19");
  EXPECT_PRINTED(episode.target(8, kLeftKnee), "2.41");
  EXPECT_PRINTED(episode.target(6, kLeftHipYaw), "0.43");
  EXPECT_PRINTED(episode.tau(2, kLeftHipRoll), "94");
  EXPECT_LT(episode.target.col(kLeftKnee).head(8).maxCoeff(), 2.41);

  // Who makes the force at step 8.
  const WrenchEstimate& last = estimates[8][0];
  EXPECT_PRINTED(last.gain(kFz, kTorso) * last.reference_residual, "-538");

  // Afterwards it escalates.
  Eigen::Index peak = 0;
  double force = 0.0;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (estimates[i][0].wrench.force.norm() > force) {
      force = estimates[i][0].wrench.force.norm();
      peak = static_cast<Eigen::Index>(i);
    }
  }
  EXPECT_EQ(peak, 46);
  EXPECT_NEAR(force, 2596.0, 1.0);
  Eigen::Index step = 0, motor = 0;
  EXPECT_NEAR(episode.tau.cwiseAbs().maxCoeff(&step, &motor), 428.0, 0.5);
  EXPECT_EQ(step, 64);
  EXPECT_EQ(motor, kLeftHipPitch);

  // And nobody touched the hands; the feet only push.
  EXPECT_EQ(largest(made.wrenches[0]), 0.0);
  EXPECT_EQ(largest(made.wrenches[1]), 0.0);
  EXPECT_GT(made.wrenches[2].col(2).minCoeff(), 0.0);
  EXPECT_GT(made.wrenches[3].col(2).minCoeff(), 0.0);
  // What is not mechanics sits in the torso and the first shoulder alone, and at steps 0 … 8 not in the torso.
  EXPECT_EQ(largest(made.motor_side_torque.leftCols(kTorso)), 0.0);
  EXPECT_EQ(largest(made.motor_side_torque.rightCols(27 - kShoulder - 3)), 0.0);
  EXPECT_LT(largest(made.motor_side_torque.block(0, kTorso, 9, 1)), tolerance::kBaseBalance);
}

// docs/validation.md#study-behind-the-defaults, twins with rigid arms: 58, 114, 196 and −473 N at steps 3, 4, 5 and 8.
TEST(SyntheticEpisode, RigidIncidentMeetsTheStudy) {
  const SyntheticEpisode made = make_twin(h1_2(), TwinKind::incident, {.motor_side_torque = false});
  EXPECT_EQ(largest(made.motor_side_torque), 0.0);
  const auto estimates = deployed(made);
  EXPECT_PRINTED(estimates[3][0].wrench.force.z(), "58");
  EXPECT_PRINTED(estimates[4][0].wrench.force.z(), "114");
  EXPECT_PRINTED(estimates[5][0].wrench.force.z(), "196");
  EXPECT_PRINTED(estimates[8][0].wrench.force.z(), "-473");
}

TEST(SyntheticEpisode, GoodRunMeetsTheReport) {
  const SyntheticEpisode& made = twin(TwinKind::good);
  const Episode& episode = made.episode;
  ASSERT_EQ(episode.steps(), 1357);
  const auto estimates = deployed(made);
  const char* kResidual[] = {"0.82", "0.76", "2.11", "5.39", "5.22", "5.98", "7.44", "8.61", "10.31"};
  const char* kForce[] = {"6.2", "5.8", "10.4", "10.1", "5.9", "7.4", "9.3", "13.7", "16.5"};
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_PRINTED(estimates[i][0].reference_residual, kResidual[i]);
    EXPECT_PRINTED(estimates[i][0].wrench.force.z(), kForce[i]);
  }
  double worst = 0.0;
  for (const auto& hands : estimates) worst = std::max(worst, hands[0].wrench.force.norm());
  EXPECT_LT(worst, 34.0);
  EXPECT_PRINTED(episode.tau.col(kTorso).cwiseAbs().maxCoeff(), "10.5");
  EXPECT_PRINTED(episode.tau.col(kTorso).cwiseAbs().mean(), "1.2");
  EXPECT_PRINTED(episode.q(0, kLeftHipRoll) - episode.target(0, kLeftHipRoll), "-0.514");
  EXPECT_PRINTED(episode.q(0, 8) - episode.target(0, 8), "0.445");
  constexpr double kFiveDegrees = 0.0873;
  EXPECT_LT(largest(episode.q.rightCols(14)), kFiveDegrees);
  EXPECT_EQ(largest(made.wrenches[0]), 0.0);
}

TEST(SyntheticEpisode, DeployedEstimatorRecoversPushes) {
  const SyntheticEpisode& made = twin(TwinKind::pushes);
  ASSERT_EQ(made.episode.steps(), 2620);
  const auto estimates = deployed(made);
  double strongest = 0.0, weakest_peak = 1e9, run = 0.0;
  std::size_t pushes = 0;
  for (Eigen::Index i = 0; i < made.episode.steps(); ++i) {
    for (std::size_t hand = 0; hand < 2; ++hand) {
      const Vector6 truth = made.wrenches[hand].row(i).transpose();
      const std::size_t other = 1 - hand;
      if (made.wrenches[other].row(i).norm() > 0.0) continue;  // the torso row would mix both
      const Vector6 found = estimates[static_cast<std::size_t>(i)][hand].wrench.to_vector();
      EXPECT_LT((found + truth).head<3>().norm(), tolerance::kQuasiStaticForce) << "step " << i << " hand " << hand;
    }
    const double force = std::max(made.wrenches[0].row(i).norm(), made.wrenches[1].row(i).norm());
    strongest = std::max(strongest, force);
    if (force > run) {
      run = force;
    } else if (force == 0.0 && run > 0.0) {
      weakest_peak = std::min(weakest_peak, run);
      run = 0.0;
      ++pushes;
    }
  }
  EXPECT_NEAR(strongest, 30.0, 1e-9);
  EXPECT_NEAR(weakest_peak, 10.0, 1e-9);
  EXPECT_GE(pushes, 14u);
}

TEST(SyntheticEpisode, QuaternionIsTheTorsos) {
  for (const TwinKind kind : kKinds) {
    const SyntheticEpisode& made = twin(kind);
    for (Eigen::Index i = 0; i < made.episode.steps(); i += 7) {
      // The pelvis turns by minus what the hip yaw has turned, and the torso joint adds its angle.
      const double yaw = made.episode.q(0, kLeftHipYaw) - made.episode.q(i, kLeftHipYaw) + made.episode.q(i, kTorso);
      const Eigen::Vector4d expected(0.0, 0.0, std::sin(yaw / 2.0), std::cos(yaw / 2.0));
      EXPECT_LT((made.episode.imu_quaternion.row(i).transpose() - expected).norm(), tolerance::kBaseBalance);
    }
  }
}

// Torques that Pinocchio's Python found on the manufacturer's description for this motion and these wrenches.
TEST(SyntheticEpisode, GoldenNumbers) {
  struct Golden {
    TwinKind kind;
    Eigen::Index step;
    double left_hip_pitch, left_ankle_pitch, right_knee, torso, left_shoulder_pitch, left_elbow, right_shoulder_pitch;
    double foot[3];
  };
  constexpr Golden kGolden[] = {
      {TwinKind::incident,
       8,
       -5.000000000,
       22.670482354,
       8.556164906,
       -34.450000000,
       -5.300909572,
       -2.489678684,
       -3.694631837,
       {-3.847750022, -64.803888002, 347.814291251}},
      {TwinKind::incident,
       64,
       428.000000000,
       34.739779592,
       -174.319715150,
       -12.000000000,
       -4.667217807,
       -0.450071856,
       -10.479542164,
       {129.254189593, -30.421498234, 193.719745604}},
      {TwinKind::good,
       100,
       6.695801218,
       14.321897633,
       -11.101571490,
       0.284375000,
       -3.486431956,
       -2.965431104,
       -3.207132319,
       {4.137745546, -44.971905908, 359.655602613}},
      {TwinKind::pushes,
       500,
       10.430916319,
       13.760074434,
       -10.029119326,
       -3.457883351,
       -3.938965397,
       -2.965843705,
       -3.045779266,
       {11.278116904, -8.197858445, 414.534494764}},
  };
  for (const Golden& golden : kGolden) {
    const SyntheticEpisode& made = twin(golden.kind);
    const auto tau = made.episode.tau.row(golden.step);
    EXPECT_NEAR(tau[kLeftHipPitch], golden.left_hip_pitch, tolerance::kTwinGolden);
    EXPECT_NEAR(tau[4], golden.left_ankle_pitch, tolerance::kTwinGolden);
    EXPECT_NEAR(tau[9], golden.right_knee, tolerance::kTwinGolden);
    EXPECT_NEAR(tau[kTorso], golden.torso, tolerance::kTwinGolden);
    EXPECT_NEAR(tau[kShoulder], golden.left_shoulder_pitch, tolerance::kTwinGolden);
    EXPECT_NEAR(tau[16], golden.left_elbow, tolerance::kTwinGolden);
    EXPECT_NEAR(tau[20], golden.right_shoulder_pitch, tolerance::kTwinGolden);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(made.wrenches[2](golden.step, axis), golden.foot[axis], tolerance::kTwinGolden);
    }
  }
}

TEST(SyntheticEpisode, NoiseIsInTheTorquesAlone) {
  const SyntheticEpisode& clean = twin(TwinKind::good);
  const TwinOptions options{.torque_noise = 0.3, .seed = 7};
  const SyntheticEpisode noisy = make_twin(h1_2(), TwinKind::good, options);
  const SampleMatrix noise = noisy.episode.tau - clean.episode.tau;
  const double mean = noise.mean(), sd = std::sqrt((noise.array() - mean).square().mean());
  EXPECT_NEAR(mean, 0.0, tolerance::kNoiseMoment);
  EXPECT_NEAR(sd, 0.3, tolerance::kNoiseMoment);
  EXPECT_EQ(largest(noisy.episode.q - clean.episode.q), 0.0);
  EXPECT_EQ(largest(noisy.motor_side_torque - clean.motor_side_torque), 0.0);
  EXPECT_EQ(make_twin(h1_2(), TwinKind::good, options).episode.sha256, noisy.episode.sha256);
  EXPECT_NE(make_twin(h1_2(), TwinKind::good, {.torque_noise = 0.3, .seed = 8}).episode.sha256, noisy.episode.sha256);
}

TEST(SyntheticEpisode, IsACompleteEpisode) {
  for (const TwinKind kind : kKinds) {
    const SyntheticEpisode& made = twin(kind);
    const Episode& episode = made.episode;
    EXPECT_EQ(episode.name, "twin_" + std::string(to_string(kind)));
    EXPECT_TRUE(episode.missing.empty());
    EXPECT_TRUE(episode.invalid_steps.empty());
    EXPECT_EQ(episode.channels.size(), 6u);
    for (const EpisodeChannel& channel : episode.channels) EXPECT_EQ(channel.stored_type, "float64");
    EXPECT_TRUE(episode.tau.allFinite() && episode.target.allFinite() && episode.v.allFinite());
    for (Eigen::Index i = 1; i < episode.steps(); ++i) EXPECT_GT(episode.time[i], episode.time[i - 1]);
    for (int motor = 0; motor < h1_2().model.motor_count(); ++motor) {
      EXPECT_GE(episode.q.col(motor).minCoeff(), h1_2().model.lower_limits()[motor]);
      EXPECT_LE(episode.q.col(motor).maxCoeff(), h1_2().model.upper_limits()[motor]);
    }
  }
}

TEST(SyntheticEpisode, KeepsItsHashThroughFiles) {
  const Episode& episode = twin(TwinKind::incident).episode;
  const test::TemporaryFolder temporary;  // of its own: others may run these tests beside us
  const std::filesystem::path folder = temporary.path() / "twin";
  write_episode(episode, folder);
  const Episode loaded = load_episode(folder, h1_2());
  EXPECT_EQ(loaded.sha256, episode.sha256);
  EXPECT_EQ(largest(loaded.tau - episode.tau), 0.0);
  EXPECT_EQ(largest(loaded.imu_quaternion - episode.imu_quaternion), 0.0);
}

TEST(SyntheticEpisode, RateAndDuration) {
  const SyntheticEpisode fast = make_twin(h1_2(), TwinKind::pushes, {.rate = 200.0, .duration = 2.0});
  EXPECT_EQ(fast.episode.steps(), 401);
  EXPECT_NEAR(fast.episode.sample_time(), 0.005, 1e-12);
  const SyntheticEpisode longer = make_twin(h1_2(), TwinKind::good, {.duration = 60.0});
  EXPECT_GT(longer.episode.steps(), 2980);
  EXPECT_TRUE(longer.episode.tau.allFinite());
  EXPECT_EQ(make_twin(h1_2(), TwinKind::incident, {.duration = 0.15}).episode.steps(), 9);
}

TEST(SyntheticEpisode, RefusesWhatItCannotMake) {
  EXPECT_THROW(make_twin(test::own_robot("planar_3r"), TwinKind::good), ModelError);
  RobotProfile no_reference = h1_2().profile;
  no_reference.reference_joint.clear();
  EXPECT_THROW(make_twin(make_robot(no_reference), TwinKind::good), ModelError);
  RobotProfile one_foot = h1_2().profile;
  one_foot.endpoints.pop_back();
  EXPECT_THROW(make_twin(make_robot(one_foot), TwinKind::good), ModelError);
  RobotProfile no_pose = h1_2().profile;
  no_pose.poses.clear();
  EXPECT_THROW(make_twin(make_robot(no_pose), TwinKind::incident), ModelError);
  for (const TwinOptions& options :
       {TwinOptions{.rate = 0.0}, TwinOptions{.rate = NAN}, TwinOptions{.duration = -1.0},
        TwinOptions{.torque_noise = -1.0}, TwinOptions{.duration = 2.0}, TwinOptions{.rate = 1e12, .duration = 1.0}}) {
    EXPECT_THROW(make_twin(h1_2(), TwinKind::incident, options), OptionsError);
  }
}

}  // namespace
}  // namespace antaeus
