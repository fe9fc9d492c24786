// The residual of a robot whose noise was identified: mean taken out, R full. The truth is a robot with other masses,
// whose torques, base and inertial sensor are differenced numerically.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "estimation/humanoid.hpp"
#include "estimation/tolerances.hpp"
#include "support/allocation_counter.hpp"
#include "support/moving_robot.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::kLeftWrist;
using test::kPush;
using test::kTorso;
using test::MovingRobot;
using test::RandomStates;

/// The H1-2 with 1.5 kg more in its left hand and 4 kg more on its torso than its description says.
Robot loaded(const Robot& robot) {
  ModelOptions options = robot.profile.options;
  const auto add = [&](const std::string& frame, double mass, const Vector3& centre) {
    Payload payload{frame, {}};
    payload.inertial.mass = mass;
    payload.inertial.center_of_mass = centre;
    options.payloads.push_back(payload);
  };
  add(kLeftWrist, 1.5, Vector3(0.1, 0.02, -0.03));
  add("torso_link", 4.0, Vector3(0.05, 0.1, 0.2));
  return Robot{robot.profile, RobotModel(robot.model.description(), options)};
}

/// The bare robot with the load as its identified errors, and an error of ±20 % of it that is left.
Robot identified(Robot robot, const Robot& truth) {
  NoiseModel noise;
  const TorqueParameters at = torque_parameters(robot.model);
  noise.white_sd = VectorX::Constant(at.motors, 0.2);
  noise.parameters = VectorX::Zero(at.count());
  noise.parameters.head(10 * at.bodies) = truth.model.inertial_parameters() - robot.model.inertial_parameters();
  noise.factor = 0.2 * noise.parameters;
  robot.profile.noise = std::make_shared<NoiseModel>(std::move(noise));
  return robot;
}

double largest(const VectorX& values) { return values.cwiseAbs().maxCoeff(); }

class IdentifiedResidual : public testing::Test {
 protected:
  Robot bare_ = test::own_robot("h1_2"), truth_ = loaded(bare_), robot_ = identified(bare_, truth_);
};

TEST_F(IdentifiedResidual, HoldsTheContactAloneWhileALoadedRobotMoves) {
  for (const unsigned seed : {51u, 52u, 53u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MovingRobot moving(truth_, seed, 0.4, 0.1);
    InstantReader reader(robot_, {kLeftWrist});
    ResidualEstimator with(robot_, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0, .covariance_period = 0.0});
    ResidualEstimator without(bare_, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0});
    for (int i = 0; i < 3; ++i) {
      const Instant& now = reader.at(moving.observe(0.7 + 1e-4 * i, kLeftWrist, kPush));
      with.form(now);
      without.form(now);
    }
    ASSERT_EQ(with.residual().status, Status::ok);
    const VectorX expected = -(reader.instant().jacobian(0).transpose() * kPush);
    EXPECT_LT(largest(with.residual().value - expected), tolerance::kDifferencedResidual);
    EXPECT_GT(largest(without.residual().value - expected), 3.0);
    const Residual& residual = with.residual();
    ASSERT_TRUE(residual.correlated);
    EXPECT_EQ(residual.variance, VectorX(residual.covariance.diagonal()));
    // The load that is left in doubt makes a rank-one covariance of a fifth of what it makes of the residual.
    const VectorX load = with.residual().value - without.residual().value;
    MatrixX R = 0.04 * load * load.transpose();
    R.diagonal().array() += 0.04;
    EXPECT_LT((residual.covariance - R).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
  }
}

TEST_F(IdentifiedResidual, TheCovarianceIsComputedAnewAfterItsPeriod) {
  MovingRobot moving(truth_, 64, 0.4, 0.1);
  InstantReader reader(robot_, {kLeftWrist});
  const ResidualOptions options{.kind = ResidualChoice::inverse_dynamics, .cut_off = 0};
  ResidualOptions always = options;
  always.covariance_period = 0.0;
  ResidualEstimator paced(robot_, options), each(robot_, always);
  MatrixX last;
  int renewed = 0;
  for (int i = 0; i < 25; ++i) {
    const Instant& now = reader.at(moving.observe(0.5 + 0.002 * i, kLeftWrist, kPush));
    const Residual &a = paced.form(now), &b = each.form(now);
    EXPECT_EQ(a.value, b.value) << "the mean is of every sample";
    const bool anew = i == 0 || a.covariance != last;
    if (anew) {
      EXPECT_EQ(a.covariance, b.covariance) << i;
    }
    renewed += anew;
    last = a.covariance;
  }
  EXPECT_EQ(renewed, 3) << "0.05 s at one each 0.02 s";
}

/// Gravity in base axes, of a base that leans, without and with the IMU.
TEST_F(IdentifiedResidual, HoldsTheContactAloneAtRestOnALeaningBase) {
  MovingRobot still(truth_, 61, 0.0, 0.0);
  Observation o = still.observe(1.0, kLeftWrist, kPush);
  const Eigen::Quaterniond lean(Eigen::AngleAxisd(0.4, Vector3(0.6, -0.8, 0.0)));
  o.imu_quaternion_xyzw = (lean * Eigen::Quaterniond(Eigen::Vector4d(o.imu_quaternion_xyzw))).coeffs();
  o.a.resize(0);
  InstantReader reader(robot_, {kLeftWrist}), loaded_reader(truth_, {kLeftWrist});
  o.tau = loaded_reader.at(o).gravity_torque();
  const Instant& now = reader.at(o);
  o.tau -= now.jacobian(0).transpose() * kPush;
  reader.at(o);
  ResidualEstimator estimator(robot_, {.kind = ResidualChoice::static_gravity});
  const Residual& residual = estimator.form(reader.instant());
  ASSERT_EQ(residual.status, Status::ok);
  const VectorX expected = -(reader.instant().jacobian(0).transpose() * kPush);
  EXPECT_LT(largest(residual.value - expected), tolerance::kByHand * 100);
}

/// The low pass and the observer: as the estimators of the loaded robot itself.
TEST_F(IdentifiedResidual, IsAsLateAsTheResidualOfTheTrueModel) {
  for (const ResidualChoice kind : {ResidualChoice::inverse_dynamics, ResidualChoice::momentum_observer}) {
    MovingRobot moving(truth_, 62, 0.4, 0.1);
    InstantReader reader(robot_, {kLeftWrist}), loaded_reader(truth_, {kLeftWrist}), bare_reader(bare_, {kLeftWrist});
    ResidualEstimator with(robot_, {.kind = kind}), true_model(truth_, {.kind = kind}), bare(bare_, {.kind = kind});
    double error = 0.0, load = 0.0;
    for (int i = 0; i < 150; ++i) {
      Observation o = moving.observe(0.5 + 0.002 * i, kLeftWrist, kPush);
      o.a.resize(0);
      const VectorX a = with.form(reader.at(o)).value, b = true_model.form(loaded_reader.at(o)).value;
      const VectorX c = bare.form(bare_reader.at(o)).value;
      if (i < 50) continue;
      error = std::max(error, largest(a - b));
      load = std::max(load, largest(c - b));
    }
    std::cout << to_string(kind) << ": " << error << " of " << load << " N·m\n";
    EXPECT_LT(error, 0.1 * load) << to_string(kind);
  }
}

TEST_F(IdentifiedResidual, ASaturatedRowIsNoEvidence) {
  Robot robot = robot_;
  robot.profile.figures[15].torque_limit = 10.0;
  MovingRobot still(truth_, 63, 0.0, 0.0);
  Observation o = still.observe(1.0, kLeftWrist, kPush);
  o.tau[15] = 10.0;
  InstantReader reader(robot, {kLeftWrist});
  ResidualEstimator estimator(robot, {.kind = ResidualChoice::static_gravity});
  const Residual& residual = estimator.form(reader.at(o));
  EXPECT_EQ(residual.saturated, 1);
  EXPECT_TRUE(residual.reasons.has(Reason::saturated));
  EXPECT_EQ(residual.variance[15], kInfinity);
  for (int j = 0; j < 27; ++j) {
    if (j != 15) {
      EXPECT_EQ(residual.covariance(15, j), 0.0);
    }
  }
  PosteriorEstimator posterior(reader);
  EXPECT_EQ(posterior.solve(residual)[0].uncertainty.nis_rows, 7);
}

/// A channel at its limit, of which it was identified what it then reads: evidence, corrected and with more doubt.
TEST_F(IdentifiedResidual, AChannelAtAnIdentifiedLimitIsCorrected) {
  constexpr int kElbow = 16;
  constexpr double kOffset = 0.4, kSd = 0.3;
  MovingRobot still(truth_, 63, 0.0, 0.0);
  Observation o = still.observe(1.0, kLeftWrist, kPush);
  NoiseModel noise = *robot_.profile.noise;
  noise.limit = noise.limit_sd = VectorX::Constant(27, kInfinity);
  noise.limit_offset = VectorX::Zero(27);
  const auto formed = [&](const NoiseModel& model, double reading) {
    Robot robot = robot_;
    robot.profile.noise = std::make_shared<const NoiseModel>(model);
    InstantReader reader(robot, {kLeftWrist});
    o.tau[kElbow] = reading;
    return ResidualEstimator(robot, {.kind = ResidualChoice::static_gravity}).form(reader.at(o));
  };
  for (const double sign : {1.0, -1.0}) {
    const double reading = 3.0 * sign;
    noise.limit[kElbow] = kInfinity;
    const Residual free = formed(noise, reading);
    noise.limit[kElbow] = 2.9;
    noise.limit_offset[kElbow] = kOffset;
    noise.limit_sd[kElbow] = kSd;
    const Residual corrected = formed(noise, reading);
    EXPECT_FALSE(free.reasons.has(Reason::saturated));
    EXPECT_TRUE(corrected.reasons.has(Reason::saturated));
    EXPECT_EQ(corrected.saturated, 0);
    EXPECT_NEAR(corrected.value[kElbow], free.value[kElbow] - sign * kOffset, tolerance::kArithmetic);
    EXPECT_NEAR(corrected.variance[kElbow], free.variance[kElbow] + kSd * kSd, tolerance::kArithmetic);
    EXPECT_EQ(formed(noise, 2.8 * sign).variance[kElbow], free.variance[kElbow]);
    noise.limit_sd[kElbow] = kInfinity;  // nobody knows what it reads there
    EXPECT_EQ(formed(noise, reading).variance[kElbow], kInfinity);
    EXPECT_EQ(formed(noise, reading).saturated, 1);
  }
}

TEST_F(IdentifiedResidual, TheMotionTermFollowsTheEnvelopeOrTheMotion) {
  Robot robot = robot_;
  NoiseModel noise = *robot_.profile.noise;
  noise.factor.resize(0, 0);
  noise.motion_sd = VectorX::Constant(27, 9.0);
  const auto formed = [](const Robot& any, double speed) {
    Observation o;
    o.time = 1.0;
    o.q = VectorX::Zero(27);
    o.v = VectorX::Constant(27, speed);
    o.tau = VectorX::Zero(27);
    InstantReader reader(any, {kLeftWrist});
    ResidualEstimator estimator(any, {.kind = ResidualChoice::static_gravity});
    const Residual& residual = estimator.form(reader.at(o));
    return std::pair(residual.variance[kTorso], residual.reasons);
  };
  const auto variance = [&](const Robot& any, double speed) { return formed(any, speed).first; };
  robot.profile.noise = std::make_shared<NoiseModel>(noise);
  EXPECT_NEAR(variance(robot, 0.0), 0.04, tolerance::kByHand);
  EXPECT_NEAR(variance(robot, 0.1), 81.04, tolerance::kByHand) << "no envelope: it moves";
  noise.origin = NoiseOrigin::held_pose;
  noise.envelope_motors = {0, 1, 2};
  noise.identified_speed = 1.0;
  robot.profile.noise = std::make_shared<NoiseModel>(noise);
  EXPECT_NEAR(variance(robot, 0.0), 0.04, tolerance::kByHand);
  EXPECT_NEAR(variance(robot, 0.125), 0.25 * 81.0 + 0.04, tolerance::kByHand) << "halfway from 0.05 to 0.2 rad/s";
  EXPECT_NEAR(variance(robot, 1.2), 81.04, tolerance::kByHand);
  EXPECT_FALSE(formed(robot, 1.2).second.has(Reason::outside_identified));
  EXPECT_TRUE(formed(robot, 1.3).second.has(Reason::outside_identified)) << "1.25 times what was seen";
  // Of motion that no stretch held nothing is known.
  noise.motion_sd.setConstant(kInfinity);
  robot.profile.noise = std::make_shared<NoiseModel>(noise);
  EXPECT_EQ(variance(robot, 0.3), kInfinity);
  EXPECT_NEAR(variance(robot, 0.0), 0.04, tolerance::kByHand);
  // Without such a term the profile says what motion does to a static residual.
  noise = *robot_.profile.noise;
  noise.factor.resize(0, 0);
  noise.motion_sd.resize(0);
  robot.profile.noise = std::make_shared<NoiseModel>(noise);
  EXPECT_NEAR(variance(robot, 0.1), std::pow(robot.profile.figures[kTorso].static_sd, 2), tolerance::kByHand);
  EXPECT_NEAR(variance(robot, 0.0), 0.04, tolerance::kByHand);
}

TEST_F(IdentifiedResidual, RowsThatWereNotIdentifiedKeepTheProfilesFigures) {
  Robot robot = robot_;
  NoiseModel noise = *robot_.profile.noise;
  noise.white_sd[kTorso] = kNaN;
  noise.origin = NoiseOrigin::held_pose;
  noise.joint_speed = VectorX::Constant(27, 0.1);
  robot.profile.noise = std::make_shared<NoiseModel>(noise);
  Observation o;
  o.time = 1.0;
  o.q = VectorX::Zero(27);
  o.v = VectorX::Zero(27);
  o.tau = VectorX::Constant(27, 0.5);
  const auto formed = [&](const Robot& any, NoiseUse use) {
    InstantReader reader(any, {kLeftWrist});
    ResidualEstimator estimator(any, {.kind = ResidualChoice::static_gravity, .noise = use});
    return Residual(estimator.form(reader.at(o)));
  };
  Residual mixed = formed(robot, NoiseUse::identified), figures = formed(robot, NoiseUse::assumed);
  EXPECT_TRUE(mixed.correlated);
  EXPECT_FALSE(figures.correlated) << "residual.noise = figures leaves what was identified unread";
  EXPECT_EQ(mixed.variance[kTorso], figures.variance[kTorso]);
  EXPECT_EQ(mixed.value[kTorso], figures.value[kTorso]);
  EXPECT_FALSE(mixed.reasons.has(Reason::assumed_friction));
  // An elbow that was held and now moves has the friction that the profile assumes, at least.
  o.v[16] = 0.5;
  mixed = formed(robot, NoiseUse::identified);
  figures = formed(robot, NoiseUse::assumed);
  EXPECT_TRUE(mixed.reasons.has(Reason::assumed_friction));
  EXPECT_GE(mixed.variance[16], figures.variance[16]);
  o.v[16] = 0.12;
  EXPECT_FALSE(formed(robot, NoiseUse::identified).reasons.has(Reason::assumed_friction)) << "within 1.25 times";
}

TEST_F(IdentifiedResidual, WithoutItNothingIsCorrelatedAndOfAnotherRobotItIsRefused) {
  ResidualEstimator plain(bare_);
  EXPECT_FALSE(plain.residual().correlated);
  EXPECT_EQ(plain.residual().covariance.size(), 0);
  Robot arm = test::own_robot("planar_3r");
  arm.profile.noise = robot_.profile.noise;
  EXPECT_THROW(ResidualEstimator{arm}, OptionsError);
}

/// The whole guarded chain reads it, and allocates nothing for it.
TEST_F(IdentifiedResidual, TheGuardedChainReadsItWithoutAllocating) {
  const std::vector<std::string> wrists = {kLeftWrist, "right_wrist_yaw_link"};
  for (const ResidualChoice kind : {ResidualChoice::automatic, ResidualChoice::static_gravity,
                                    ResidualChoice::inverse_dynamics, ResidualChoice::momentum_observer}) {
    RandomStates random(741);
    SCOPED_TRACE(std::string(to_string(kind)) + ", " + random.text());
    GuardedEstimator estimator(robot_, wrists, {}, {.kind = kind}, {.rows = PosteriorRows::all}, {});
    double clock = 0.0;
    int correlated = 0;
    for (int i = 0; i < 300; ++i) {
      Observation o;
      clock += i % 37 == 36 ? 3.0 : 0.002;
      o.time = i % 29 == 28 ? clock - 1.0 : clock;
      o.q = random.vector(27, 1.2);
      o.v = random.vector(27, 2.0);
      if (i % 3 == 0) o.a = random.vector(27, 5.0);
      o.tau = random.vector(27, 40.0);
      o.has_imu = o.has_gyro = o.has_accelerometer = i % 11 != 10;
      o.imu_quaternion_xyzw = random.vector(4).normalized();
      o.imu_angular_velocity = random.vector(3);
      o.imu_specific_force = random.vector(3, 12.0);
      if (i % 13 == 12) o.tau[0] = std::nan("");
      if (i % 17 == 16) o.q.conservativeResize(26);
      if (i % 19 == 18) o.v.resize(0);
      if (i % 23 == 22) o.q.setZero();
      AllocationCounter counter;
      for (const ConsumerWrench& result : estimator.update(o)) ASSERT_TRUE(result.wrench.is_finite());
      if (i == 150) estimator.reset();
      ASSERT_EQ(counter.count(), 0) << "step " << i;
      correlated += estimator.estimates()[0].status == Status::ok && estimator.estimates().residual.correlated;
    }
    EXPECT_GT(correlated, 100);
  }
}

}  // namespace
}  // namespace antaeus
