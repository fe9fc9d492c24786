#include "antaeus/space/base_actuators.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "space/tolerances.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

const Vector3 kStill = Vector3::Zero();

TEST(BaseActuators, AnIdealBaseGivesWhatIsWanted) {
  BaseActuators base;
  EXPECT_EQ(base.last().status, Status::not_computed);
  const Vector3 force(1e3, -2.0, 0.1), torque(0.3, -70.0, 1e4);
  for (int i = 0; i < 5; ++i) {
    const BaseEffort& given = base.apply(force, torque, Vector3(0.3, -0.2, 0.9), 1e-2);
    EXPECT_EQ(given.status, Status::ok);
    EXPECT_EQ(given.force, force);
    EXPECT_EQ(given.torque, torque);
    EXPECT_EQ(given.by_thrusters, Vector3::Zero());
    EXPECT_FALSE(given.is_limited);
  }
}

TEST(BaseActuators, EachAxisOfTheForceHasItsBound) {
  BaseActuators base({.thruster_force = 10.0});
  EXPECT_EQ(base.force_within({3.0, -12.0, 10.5}), Vector3(3.0, -10.0, 10.0));
  EXPECT_TRUE(base.force_within({3.0, kInfinity, 0.0}).array().isNaN().all());
  const BaseEffort& given = base.apply({3.0, -12.0, 10.5}, kStill, kStill, 1e-3);
  EXPECT_EQ(given.force, Vector3(3.0, -10.0, 10.0));
  EXPECT_EQ(given.clipped_force, Vector3(0.0, -2.0, 0.5));
  EXPECT_TRUE(given.is_limited);
  base.apply({3.0, -9.0, 0.0}, kStill, kStill, 1e-3);
  EXPECT_FALSE(given.is_limited);
}

TEST(BaseActuators, WheelsServeFirstAndThrustersAddWhatIsMissing) {
  BaseActuators base({.wheel_torque = 0.5, .thruster_torque = 1.0});
  const BaseEffort& given = base.apply(kStill, {0.25, 1.25, -4.0}, kStill, 0.5);
  EXPECT_EQ(given.torque, Vector3(0.25, 1.25, -1.5));
  EXPECT_EQ(given.by_thrusters, Vector3(0.0, 0.75, -1.0));
  EXPECT_EQ(given.clipped_torque, Vector3(0.0, 0.0, -2.5));
  EXPECT_EQ(given.wheel_momentum, Vector3(-0.125, -0.25, 0.25));  // the opposite of 0.5 s of the wheels' share
}

TEST(BaseActuators, AFullWheelGivesNoMoreAndMayBeEmptied) {
  BaseActuators base({.wheel_momentum = 1.0});
  const Vector3 torque(0.75, 0.0, 0.0);
  const BaseEffort& given = base.apply(kStill, torque, kStill, 1.0);
  EXPECT_EQ(given.torque, torque);
  base.apply(kStill, torque, kStill, 1.0);  // a third of the torque is left to the wheel
  EXPECT_EQ(given.torque, Vector3(0.25, 0.0, 0.0));
  EXPECT_EQ(given.wheel_momentum, Vector3(-1.0, 0.0, 0.0));
  base.apply(kStill, torque, kStill, 1.0);
  EXPECT_EQ(given.torque, Vector3::Zero());
  EXPECT_EQ(given.clipped_torque, torque);
  base.apply(kStill, -torque, kStill, 1.0);
  EXPECT_EQ(given.torque, -torque);
  base.reset();
  EXPECT_EQ(base.last().status, Status::not_computed);
  EXPECT_EQ(base.apply(kStill, torque, kStill, 1.0).torque, torque);
}

/// The wheels' momentum in the world, and the torque's integral, are one constant, limits or not.
TEST(BaseActuators, WheelsTakeUpWhatTheyGiveWhileTheBaseTurns) {
  test::RandomStates random(6211);
  SCOPED_TRACE(random.text());
  for (const BaseActuatorOptions& options :
       {BaseActuatorOptions{}, BaseActuatorOptions{.wheel_torque = 0.3, .wheel_momentum = 0.5}}) {
    BaseActuators base(options);
    Eigen::Quaterniond R_WB = Eigen::Quaterniond::Identity();
    Vector3 given = Vector3::Zero();
    const double dt = 0.02;
    bool was_limited = false;
    for (int i = 0; i < 2000; ++i) {
      const Vector3 omega = random.vector(3, 2.0);
      const BaseEffort& effort = base.apply(kStill, random.vector(3), omega, dt);
      ASSERT_EQ(effort.status, Status::ok);
      R_WB = R_WB * Eigen::Quaterniond(Eigen::AngleAxisd(omega.norm() * dt, omega.normalized()));
      given += dt * (R_WB * effort.torque);
      was_limited |= effort.is_limited;
      if (options.wheel_momentum > 0.0) {
        EXPECT_LE(effort.wheel_momentum.cwiseAbs().maxCoeff(), options.wheel_momentum);
      }
    }
    EXPECT_EQ(was_limited, options.wheel_momentum > 0.0);
    EXPECT_GT(given.norm(), 0.1);  // and not nothing
    EXPECT_LE((R_WB * base.last().wheel_momentum + given).norm(), tolerance::kWheelMomentum);
  }
}

TEST(BaseActuators, ATurningBaseFeelsTheWheelsWhateverTheirMotorsCan) {
  BaseActuators base({.wheel_torque = 2.0, .wheel_momentum = 4.0});
  for (int i = 0; i < 4; ++i) base.apply(kStill, {-2.0, 0.0, 0.0}, kStill, 0.5);
  EXPECT_EQ(base.last().wheel_momentum, Vector3(4.0, 0.0, 0.0));
  // ω × h = 1.5 z × 4 x = 6 y: the motor about y gives 2 of the 6 that were needed to give the base no torque.
  const BaseEffort& given = base.apply(kStill, kStill, {0.0, 0.0, 1.5}, 1e-6);
  EXPECT_NEAR(given.torque.y(), -4.0, tolerance::kWheelStep);
  EXPECT_NEAR(given.clipped_torque.y(), 4.0, tolerance::kWheelStep);
  EXPECT_TRUE(given.is_limited);
}

TEST(BaseActuators, BadArgumentsGiveZeroAndLeaveTheWheels) {
  BaseActuators base;
  base.apply(kStill, {1.0, 2.0, 3.0}, kStill, 1.0);
  const Vector3 bad(0.0, kNaN, 0.0), good(1.0, 1.0, 1.0), huge = Vector3::Constant(1e308);
  const auto expect_refused = [&](const Vector3& force, const Vector3& torque, const Vector3& omega, double dt) {
    const BaseEffort& given = base.apply(force, torque, omega, dt);
    EXPECT_EQ(given.status, Status::not_finite);
    EXPECT_EQ(given.force, Vector3::Zero());
    EXPECT_EQ(given.torque, Vector3::Zero());
    EXPECT_EQ(given.by_thrusters, Vector3::Zero());
    EXPECT_EQ(given.wheel_momentum, Vector3(-1.0, -2.0, -3.0));
  };
  expect_refused(bad, good, good, 1.0);
  expect_refused(good, bad, good, 1.0);
  expect_refused(good, good, bad, 1.0);
  expect_refused(good, good, good, 0.0);
  expect_refused(good, good, good, -1.0);
  expect_refused(good, good, good, kNaN);
  expect_refused(good, good, good, kInfinity);
  expect_refused(good, huge, good, 1e3);
  expect_refused(good, good, huge, 1.0);
}

TEST(BaseActuators, OptionsAreChecked) {
  EXPECT_THROW(BaseActuators({.thruster_force = -1.0}), OptionsError);
  EXPECT_THROW(BaseActuators({.wheel_momentum = kNaN}), OptionsError);
  BaseActuatorOptions options;
  set_option(options, "actuators", "wheel_torque", "0.2");
  EXPECT_EQ(options.wheel_torque, 0.2);
}

TEST(BaseActuators, AllocatesNothing) {
  test::RandomStates random(6212);
  BaseActuators base({.thruster_force = 0.5, .wheel_torque = 0.3, .wheel_momentum = 0.1, .thruster_torque = 0.2});
  for (int i = 0; i < 50; ++i) {
    const Vector3 force = random.vector(3), torque = random.vector(3), omega = random.vector(3);
    const test::AllocationCounter counter;
    if (i == 40) base.reset();
    base.apply(force, torque, omega, i % 7 == 6 ? kNaN : 0.01);
    EXPECT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace antaeus
