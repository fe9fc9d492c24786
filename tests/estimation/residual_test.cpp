#include "antaeus/estimation/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "estimation/humanoid.hpp"
#include "estimation/tolerances.hpp"
#include "support/moving_robot.hpp"

namespace antaeus {
namespace {

using test::kLeftWrist;
using test::kPush;
using test::MovingRobot;

const Vector6 kNothing = Vector6::Zero();

/// −Jᵀ w: what the residual must be.
VectorX expected(const Instant& now, const Vector6& wrench) { return -(now.jacobian(0).transpose() * wrench); }

double largest_error(const VectorX& a, const VectorX& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(Residual, InverseDynamicsHoldsTheContactAloneWhileEverythingMoves) {
  const Robot robot = test::own_robot("h1_2");
  for (const unsigned seed : {51u, 52u, 53u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MovingRobot moving(robot, seed, 0.4, 0.1);
    InstantReader reader(robot, {kLeftWrist});
    ResidualEstimator estimator(robot, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0});
    const double dt = 1e-4;
    for (int i = 0; i < 3; ++i) {
      const Observation observation = moving.observe(0.7 + i * dt, kLeftWrist, kPush);
      ASSERT_EQ(reader.at(observation).status(), Status::ok);
      estimator.form(reader.instant());
    }
    const Residual& residual = estimator.residual();
    ASSERT_EQ(residual.status, Status::ok);
    EXPECT_EQ(residual.kind, ResidualKind::inverse_dynamics);
    EXPECT_TRUE(residual.reasons.empty()) << residual.reasons.text();
    const VectorX truth = expected(reader.instant(), kPush);
    EXPECT_LT(largest_error(residual.value, truth), tolerance::kDifferencedResidual);
    // The static residual of the same instant is off by tens of N·m: the test is not about nothing.
    EXPECT_GT(largest_error(reader.instant().static_residual(), truth), 10.0);
  }
}

TEST(Residual, OrientationIsNotNeeded) {
  const Robot robot = test::own_robot("h1_2");
  MovingRobot moving(robot, 54, 0.4, 0.1);
  VectorX with, without;
  for (const bool known : {true, false}) {
    InstantReader reader(robot, {kLeftWrist});
    ResidualEstimator estimator(robot, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0});
    for (int i = 0; i < 2; ++i) {
      Observation observation = moving.observe(0.2 + 1e-4 * i, kLeftWrist, kPush);
      observation.has_imu = known;
      estimator.form(reader.at(observation));
    }
    (known ? with : without) = estimator.residual().value;
  }
  EXPECT_LT(largest_error(with, without), tolerance::kByHand);
}

TEST(Residual, StaticEqualsDynamicAtRest) {
  for (const char* name : {"h1_2", "planar_3r"}) {
    SCOPED_TRACE(name);
    const Robot robot = test::own_robot(name);
    const std::string frame = robot.profile.endpoints.front().frame;
    MovingRobot still(robot, 55, 0.0, 0.0);
    for (const ResidualChoice kind : {ResidualChoice::inverse_dynamics, ResidualChoice::momentum_observer}) {
      InstantReader reader(robot, {frame});
      ResidualEstimator estimator(robot, {.kind = kind});
      for (int i = 0; i < 400; ++i) {
        const Observation observation = still.observe(0.002 * i, frame, kPush);
        estimator.form(reader.at(observation));
      }
      const Residual& residual = estimator.residual();
      ASSERT_EQ(residual.status, Status::ok);
      EXPECT_NE(residual.kind, ResidualKind::static_gravity);
      EXPECT_FALSE(residual.moving);
      // The sensor's specific force is differenced from poses of 1 m: 1e-16/1e-8 m/s² times half the robot's mass.
      EXPECT_LT(largest_error(residual.value, reader.instant().static_residual()), tolerance::kDifferencedStill);
    }
  }
}

TEST(Residual, MomentumObserverFindsTheContactAtAnyStep) {
  const Robot robot = test::own_robot("h1_2");
  MovingRobot moving(robot, 56, 0.15, 0.03);
  for (const double dt : {0.001, 0.002, 0.02}) {
    SCOPED_TRACE(dt);
    InstantReader reader(robot, {kLeftWrist});
    ResidualEstimator estimator(robot, {.kind = ResidualChoice::momentum_observer});
    double worst = 0.0, worst_static = 0.0;
    for (int i = 0; i * dt < 0.5; ++i) {
      // Uneven clock: the exact discretisation has no nominal step.
      const double t = i * dt + 0.3 * dt * std::sin(7.0 * i);
      Observation observation = moving.observe(t, kLeftWrist, kPush);
      observation.a.resize(0);
      estimator.form(reader.at(observation));
      if (t < 0.2) continue;
      ASSERT_EQ(estimator.residual().kind, ResidualKind::momentum_observer);
      worst = std::max(worst, largest_error(estimator.residual().value, expected(reader.instant(), kPush)));
      worst_static =
          std::max(worst_static, largest_error(reader.instant().static_residual(), expected(reader.instant(), kPush)));
    }
    // A first-order observer of 60 1/s is 17 ms late; at 50 Hz the base's angular acceleration is a difference too.
    EXPECT_LT(worst, (dt < 0.01 ? 0.2 : 0.5) * worst_static);
    EXPECT_GT(worst_static, 3.0);
  }
}

TEST(Residual, MomentumObserverHoldsNothingOfTheInertialTorque) {
  // Constant acceleration, no contact, exact signals. Holding p over the step would leave 1 − x/(eˣ − 1) of the
  // inertial torque for ever, x = λ Δt: 3.0, 5.9, 14 and 48 % at these rates.
  const Robot robot = test::own_robot("planar_3r");
  const VectorX acceleration = (VectorX(3) << 2.0, -1.0, 3.0).finished();
  for (const double dt : {0.001, 0.002, 0.005, 0.02}) {
    SCOPED_TRACE(dt);
    InstantReader reader(robot, {"tool"});
    Dynamics dynamics(robot.model);
    ResidualEstimator observer(robot, {.kind = ResidualChoice::momentum_observer});
    Observation observation;
    observation.tau.setZero(3);
    double worst = 0.0, inertial = 0.0;
    for (int i = 0; i * dt < 0.6; ++i) {
      const double t = i * dt;
      observation.time = t;
      observation.q = 0.3 + 0.5 * t * t * acceleration.array();
      observation.v = t * acceleration;
      ASSERT_EQ(dynamics.inverse_dynamics(observation.q, observation.v, acceleration, observation.tau), Status::ok);
      const Residual& residual = observer.form(reader.at(observation));
      ASSERT_EQ(residual.kind, ResidualKind::momentum_observer);
      if (t < 0.2) continue;
      worst = std::max(worst, residual.value.cwiseAbs().maxCoeff());
      inertial = std::max(inertial, (observation.tau - reader.instant().gravity_torque()).cwiseAbs().maxCoeff());
    }
    // What is left is the change of the other terms over half a step.
    EXPECT_LT(worst, (dt < 0.01 ? 0.01 : 0.04) * inertial);
    EXPECT_GT(inertial, 1.0);
  }
}

TEST(Residual, ObserverStaysFiniteAtTwoHertz) {
  // Forward Euler has its pole at 1 − 60 · 0.5 = −29 here.
  const Robot robot = test::own_robot("planar_3r");
  MovingRobot moving(robot, 57, 0.3, 0.0);
  InstantReader reader(robot, {"tool"});
  ResidualEstimator estimator(robot, {.kind = ResidualChoice::momentum_observer, .maximum_gap = 1.0});
  for (int i = 0; i < 200; ++i) {
    const Observation observation = moving.observe(0.5 * i, "tool", kNothing);
    estimator.form(reader.at(observation));
    ASSERT_EQ(estimator.residual().status, Status::ok);
    ASSERT_LT(estimator.residual().value.cwiseAbs().maxCoeff(), 100.0);
  }
}

/// The observer needs C, which overwrites a Dynamics: the instant's own stays as it was, for whoever comes after.
TEST(Residual, MomentumObserverLeavesTheInstantAsItWas) {
  for (const char* name : {"h1_2", "planar_3r"}) {
    SCOPED_TRACE(name);
    const Robot robot = test::own_robot(name);
    const std::string frame = robot.profile.endpoints.front().frame;
    MovingRobot moving(robot, 59, 0.3, 0.05);
    InstantReader reader(robot, {frame});
    ResidualEstimator observer(robot, {.kind = ResidualChoice::momentum_observer});
    ResidualEstimator before(robot, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0});
    ResidualEstimator after(robot, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0});
    VectorX first(robot.model.nv()), second(robot.model.nv());
    Matrix6X J(6, robot.model.nv()), K(6, robot.model.nv());
    Vector3 c, d;
    const VectorX v = VectorX::LinSpaced(robot.model.nv(), -1.0, 2.0), a = 3.0 * v;
    for (int i = 0; i < 3; ++i) {
      const Instant& now = reader.at(moving.observe(0.3 + 0.002 * i, frame, kPush));
      ASSERT_EQ(before.form(now).kind, ResidualKind::inverse_dynamics);
      ASSERT_EQ(now.base_terms().inverse_dynamics(v, a, first), Status::ok);
      ASSERT_EQ(now.base_terms().frame_jacobian(reader.frame(0), J), Status::ok);
      ASSERT_EQ(now.base_terms().center_of_mass(c), Status::ok);
      ASSERT_EQ(observer.form(now).kind, ResidualKind::momentum_observer);
      ASSERT_EQ(observer.residual().status, Status::ok);
      EXPECT_EQ(observer.residual().current(), Status::ok);
      EXPECT_EQ(now.base_terms().inverse_dynamics(v, a, second), Status::ok);
      EXPECT_EQ(second, first);
      EXPECT_EQ(now.base_terms().frame_jacobian(reader.frame(0), K), Status::ok);
      EXPECT_EQ(K, J);
      EXPECT_EQ(now.base_terms().center_of_mass(d), Status::ok);
      EXPECT_EQ(d, c);
      EXPECT_EQ(now.base_terms().gravity_torque(second), Status::ok);
      EXPECT_EQ(after.form(now).status, Status::ok);
      EXPECT_EQ(after.residual().value, before.residual().value);
    }
  }
}

class ResidualChannels : public testing::Test {
 protected:
  Residual after(std::vector<Observation> observations, ResidualOptions options = {}) {
    InstantReader reader(robot_, {kLeftWrist});
    ResidualEstimator estimator(robot_, options);
    for (const Observation& observation : observations) {
      estimator.form(reader.at(observation));
    }
    return estimator.residual();
  }
  Observation at(double t, double swing = 0.0) {
    MovingRobot robot(robot_, 58, swing, 0.0);
    return robot.observe(t, kLeftWrist, kNothing);
  }
  Robot robot_ = test::own_robot("h1_2");
};

TEST_F(ResidualChannels, AutomaticTakesTheBestThatTheChannelsAllow) {
  EXPECT_EQ(after({at(0.0), at(0.002)}).kind, ResidualKind::inverse_dynamics);
  Observation first = at(0.0), second = at(0.02);
  first.a.resize(0), second.a.resize(0);
  EXPECT_EQ(after({first, second}).kind, ResidualKind::static_gravity) << "50 Hz";
  second = at(0.002);
  second.a.resize(0);
  EXPECT_EQ(after({first, second}).kind, ResidualKind::inverse_dynamics) << "500 Hz, accelerations by differences";
  second.has_gyro = false;
  EXPECT_EQ(after({first, second}).kind, ResidualKind::static_gravity) << "no gyro";
}

TEST_F(ResidualChannels, WhatWasAskedForAndCannotBeIsNamed) {
  Observation bare = at(0.0);
  bare.v.resize(0);
  const Residual missing = after({bare}, {.kind = ResidualChoice::inverse_dynamics});
  EXPECT_EQ(missing.kind, ResidualKind::static_gravity);
  EXPECT_TRUE(missing.reasons.has(Reason::missing_channels));
  Observation first = at(0.0), second = at(0.02);
  first.a.resize(0), second.a.resize(0);
  EXPECT_TRUE(after({first, second}, {.kind = ResidualChoice::inverse_dynamics}).reasons.has(Reason::low_rate));
}

TEST_F(ResidualChannels, StaticWidensWhenItMovesOrCannotTell) {
  const ResidualOptions options{.kind = ResidualChoice::static_gravity};
  const Residual still = after({at(0.0), at(0.02)}, options);
  EXPECT_FALSE(still.moving);
  EXPECT_TRUE(still.reasons.empty()) << still.reasons.text();
  const Residual moving = after({at(0.0, 0.3), at(0.02, 0.3)}, options);
  EXPECT_TRUE(moving.moving);
  EXPECT_TRUE(moving.reasons.has(Reason::motion));
  Observation blind = at(0.0);
  blind.v.resize(0);
  const Residual unknown = after({blind}, options);
  EXPECT_TRUE(unknown.reasons.has(Reason::motion_unknown));
  const JointFigures& torso = robot_.profile.figures[12];
  EXPECT_GE(moving.variance[12], torso.static_sd * torso.static_sd);
  EXPECT_GE(unknown.variance[12], torso.static_sd * torso.static_sd);
  EXPECT_LT(still.variance[12], torso.static_sd * torso.static_sd);
  // sd² + (0.8 Coulomb)² + (0.02 τ)²
  const double tau = at(0.02).tau[12];
  EXPECT_NEAR(still.variance[12], 0.04 + 0.64 * 0.64 + 0.0004 * tau * tau, tolerance::kByHand);
}

TEST_F(ResidualChannels, ATurningBaseUnderStillJointsIsMotion) {
  Observation turning = at(0.0);
  turning.imu_angular_velocity = Vector3(0.0, 0.0, 0.2);
  EXPECT_TRUE(after({turning}, {.kind = ResidualChoice::static_gravity}).reasons.has(Reason::motion));
}

TEST_F(ResidualChannels, AtTheTurningPointTheRobotStillMoves) {
  Observation fast = at(0.0, 0.3), turning = at(0.02);
  turning.v.setZero();
  EXPECT_TRUE(after({fast, turning}).moving);
  Observation much_later = at(0.09);
  much_later.time = 0.3;
  much_later.v.setZero();
  EXPECT_FALSE(after({fast, much_later}, {.maximum_gap = 1.0}).moving);
}

TEST_F(ResidualChannels, SaturatedTorqueIsNoEvidence) {
  Observation observation = at(0.0);
  observation.tau[15] = robot_.model.effort_limits()[15];
  const Residual residual = after({observation});
  EXPECT_EQ(residual.saturated, 1);
  EXPECT_TRUE(std::isinf(residual.variance[15]));
  EXPECT_TRUE(residual.reasons.has(Reason::saturated));
  EXPECT_TRUE(std::isfinite(residual.variance[14]));
}

TEST_F(ResidualChannels, TimeThatGoesBackAndGapsAreNamed) {
  EXPECT_EQ(after({at(1.0), at(0.5)}).status, Status::time_back);
  EXPECT_EQ(after({at(1.0), at(1.0)}).status, Status::time_back);
  // A clock that was set back is a new clock: the next sample counts.
  EXPECT_EQ(after({at(1.0), at(0.5), at(0.502)}).status, Status::ok);
  EXPECT_FALSE(after({at(1.0, 0.3), at(0.5), at(0.502)}).moving) << "the motion ended on the clock before";
  const Residual gap = after({at(0.0, 0.3), at(0.002, 0.3), at(0.5, 0.3)});
  EXPECT_EQ(gap.status, Status::ok);
  EXPECT_TRUE(gap.reasons.has(Reason::gap));
  EXPECT_TRUE(gap.reasons.has(Reason::settling));
  EXPECT_GE(gap.variance[12], 4.0);
}

TEST_F(ResidualChannels, BadNumbersGiveTheirStatus) {
  Observation bad = at(0.0);
  bad.v[3] = std::nan("");
  EXPECT_EQ(after({bad}).status, Status::not_finite);
  bad = at(0.0);
  bad.v.conservativeResize(5);
  EXPECT_EQ(after({bad}).status, Status::wrong_size);
  bad = at(0.0);
  bad.imu_specific_force.x() = kInfinity;
  EXPECT_EQ(after({bad}).status, Status::not_finite);
  EXPECT_TRUE(after({bad}).value.array().isNaN().all());
}

TEST_F(ResidualChannels, IdentifiedFrictionIsTakenOut) {
  robot_.profile.friction = FrictionUse::identified;
  robot_.profile.figures[12].viscous = 0.5;
  robot_.profile.figures[12].friction_offset = 0.1;
  Observation observation = at(0.0);
  observation.v.setZero();
  observation.v[12] = 1.0;
  const Residual residual = after({observation}, {.kind = ResidualChoice::static_gravity});
  InstantReader reader(robot_, {kLeftWrist});
  reader.at(observation);
  // Sliding at twenty times the Stribeck speed: Coulomb's 0.8 in full.
  EXPECT_NEAR(residual.value[12], reader.instant().static_residual()[12] - 0.5 - 0.1 - 0.8, tolerance::kByHand);
}

/// A robot at rest whose velocities are noisy, at 500 Hz; \p lost of the samples do not arrive.
class ResidualOverTime : public testing::Test {
 protected:
  template <class Visit>
  void run(const ResidualOptions& options, double seconds, double velocity_noise, double lost, Visit&& visit) {
    InstantReader reader(robot_, {kLeftWrist});
    ResidualEstimator estimator(robot_, options);
    Observation observation = MovingRobot(robot_, 60, 0.0, 0.0).observe(0.0, kLeftWrist, kNothing);
    observation.a.resize(0);
    for (int i = 0; 0.002 * i < seconds; ++i) {
      if (i > 5 && random_.vector(1)[0] < 2.0 * lost - 1.0) continue;
      observation.time = 0.002 * i;
      observation.v = random_.vector(27, std::sqrt(3.0) * velocity_noise);
      visit(i, estimator.form(reader.at(observation)));
    }
  }
  Robot robot_ = test::own_robot("h1_2");
  test::RandomStates random_{61};
};

TEST_F(ResidualOverTime, LostSamplesDoNotRestartFilters) {
  for (const ResidualChoice kind : {ResidualChoice::automatic, ResidualChoice::inverse_dynamics}) {
    for (const double lost : {0.2, 0.5}) {
      SCOPED_TRACE(std::string(to_string(kind)) + ", " + std::to_string(lost) + ", " + random_.text());
      run({.kind = kind}, 5.0, 0.001, lost, [&](int i, const Residual& residual) {
        ASSERT_EQ(residual.kind, ResidualKind::inverse_dynamics) << i;
        ASSERT_EQ(residual.reasons.has(Reason::settling), i < 23) << i << " " << residual.reasons.text();
        ASSERT_FALSE(residual.reasons.has_any(Reason::low_rate | Reason::gap)) << i;
      });
    }
  }
}

TEST_F(ResidualOverTime, ABridgedLossIsAMeanAcceleration) {
  // Motors that speed up evenly, two samples of three missing for a while: the differences are still the acceleration.
  InstantReader reader(robot_, {kLeftWrist});
  ResidualEstimator estimator(robot_, {.kind = ResidualChoice::inverse_dynamics, .cut_off = 0});
  Observation observation = MovingRobot(robot_, 60, 0.0, 0.0).observe(0.0, kLeftWrist, kNothing);
  const auto at = [&](int i) {
    observation.a.resize(0);
    observation.time = 0.002 * i;
    observation.v.setConstant(0.5 * observation.time);
    return estimator.form(reader.at(observation)).value;
  };
  for (int i = 0; i < 30; ++i) at(i);
  const VectorX dense = at(30), bridged = at(40);
  EXPECT_EQ(estimator.residual().kind, ResidualKind::inverse_dynamics);
  EXPECT_LT(largest_error(dense, bridged), 0.01) << "20 ms of speed, and no more";
  EXPECT_GT(largest_error(dense, reader.instant().static_residual()), 0.5);
}

TEST_F(ResidualOverTime, TheRateThatCountsIsTheMean) {
  InstantReader reader(robot_, {kLeftWrist});
  for (const double rate : {50.0, 150.0, 185.0, 195.0, 500.0}) {
    ResidualEstimator estimator(robot_);
    Observation observation = MovingRobot(robot_, 60, 0.0, 0.0).observe(0.0, kLeftWrist, kNothing);
    observation.a.resize(0);
    for (int i = 0; i < 100; ++i) {
      observation.time = i / rate;
      estimator.form(reader.at(observation));
      if (i == 0) continue;
      ASSERT_EQ(estimator.residual().kind, rate < 190.5 ? ResidualKind::static_gravity : ResidualKind::inverse_dynamics)
          << rate << " " << i;
    }
  }
}

/// Differenced velocities of 0.01 rad/s noise are 7 rad/s² of acceleration noise, which the estimate's filter takes
/// out. What is taken out of the estimate may not widen its covariance.
TEST_F(ResidualOverTime, InertialDoubtIsFilteredAsTheEstimateIs) {
  for (const ResidualChoice kind : {ResidualChoice::inverse_dynamics, ResidualChoice::momentum_observer}) {
    SCOPED_TRACE(std::string(to_string(kind)) + ", " + random_.text());
    double still = 0.0, largest = 0.0, sum = 0.0;
    int count = 0;
    run({.kind = kind}, 4.0, 0.0, 0.0, [&](int, const Residual& residual) { still = residual.variance[13]; });
    run({.kind = kind}, 4.0, 0.01, 0.0, [&](int i, const Residual& residual) {
      if (i < 100) return;
      const double added = residual.variance[13] - still;
      largest = std::max(largest, added);
      sum += added;
      ++count;
    });
    std::printf("%s: noise adds %.4f N²·m² to the variance of %.4f, at most %.4f\n",
                std::string(to_string(kind)).c_str(), sum / count, still, largest);
    EXPECT_LT(sum / count, 0.02 * still);
    EXPECT_LT(largest, 0.2 * still);
  }
}

TEST(ResidualOptionsCheck, RefusesWhatIsNoRate) {
  const Robot robot = test::own_robot("planar_3r");
  EXPECT_THROW(ResidualEstimator(robot, {.observer_rate = 0}), OptionsError);
  EXPECT_THROW(ResidualEstimator(robot, {.maximum_gap = 0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
