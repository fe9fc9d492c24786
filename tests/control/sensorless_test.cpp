#include "antaeus/control/sensorless.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "control/tolerances.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

TEST(Sensorless, GainFallsWithTheSd) {
  EXPECT_EQ(trusted_gain(0.0), 1.0);
  EXPECT_DOUBLE_EQ(trusted_gain(0.7), 0.5);
  EXPECT_LT(trusted_gain(2.0), 0.11);
  for (const double sd : {kNaN, kInfinity}) EXPECT_EQ(trusted_gain(sd), 0.0);
}

TEST(Sensorless, ElasticFrictionComesInOverItsRangeAndStays) {
  FrictionForward forward(1, 1e-3);
  const VectorX c = VectorX::Constant(1, 0.8);
  const auto go = [&](double v, int steps) {
    double torque = 0.0;
    for (int i = 0; i < steps; ++i) torque = forward.update(VectorX::Constant(1, v), c)[0];
    return torque;
  };
  EXPECT_NEAR(go(0.01, 5), 0.4, tolerance::kPosteriorByHand);  // 5 ms at 10 mrad/s: half of 0.1 mrad
  EXPECT_NEAR(go(0.01, 100), 0.8, tolerance::kPosteriorByHand);
  EXPECT_NEAR(go(0.0, 100), 0.8, tolerance::kPosteriorByHand);  // it keeps its torque at rest
  EXPECT_NEAR(go(-0.01, 10), 0.0, tolerance::kPosteriorByHand);
  EXPECT_NEAR(go(-0.01, 100), -0.8, tolerance::kPosteriorByHand);
  EXPECT_TRUE(forward.update(VectorX::Constant(1, kNaN), c).hasNaN());
  EXPECT_TRUE(forward.update(VectorX::Zero(2), c).hasNaN());
  FrictionForward sharp(1, 1e-3, {.friction_shape = FrictionShape::sign});
  EXPECT_NEAR(sharp.update(VectorX::Constant(1, -0.02), c)[0], -0.8, tolerance::kPosteriorByHand);
  EXPECT_EQ(sharp.update(VectorX::Zero(1), c)[0], 0.0);
  EXPECT_THROW(FrictionForward(1, 0.0), OptionsError);
}

TEST(Sensorless, RockingBeginsAtRest) {
  const RockOptions options;
  constexpr double h = 1e-5;
  EXPECT_EQ(rock(-1.0, options).rate, 0.0);
  for (const double time : {0.1, 0.5, 0.9, 1.5, 3.2}) {
    const Rock at = rock(time, options), before = rock(time - h, options), after = rock(time + h, options);
    EXPECT_NEAR(at.rate, (after.angle - before.angle) / (2.0 * h), tolerance::kMotionDifference);
    EXPECT_NEAR(at.acceleration, (after.rate - before.rate) / (2.0 * h), 100.0 * tolerance::kMotionDifference);
  }
  double most = 0.0;
  for (double time = 2.0; time < 3.0; time += 1e-3) most = std::max(most, std::abs(rock(time, options).angle));
  EXPECT_NEAR(most, options.rock_amplitude, 1e-3 * options.rock_amplitude);
}

TEST(Sensorless, TheRockingAxisMovesEveryJointThatFeelsTheNormal) {
  // At the UR5e's home the parallel joints carry the vertical: a turn about their axis, x, moves all of them.
  const RobotModel model = test::own_robot("ur5e").model;
  ToolDynamics dynamics(model, "tool0");
  constexpr double quarter = 1.5707963267948966;
  const VectorX home = (VectorX(6) << -quarter, -quarter, quarter, -quarter, -quarter, 0.0).finished();
  const ToolState& now = dynamics.at(home, VectorX::Zero(6));
  const Vector3 normal = Vector3::UnitZ();
  const RockAxis found = rock_axis(now, normal);
  ASSERT_EQ(found.status, Status::ok);
  EXPECT_NEAR(found.axis.dot(normal), 0.0, tolerance::kPosteriorByHand);
  const auto least_of = [&](const Vector3& axis) {
    Vector6 twist = Vector6::Zero();
    twist.tail<3>() = axis;
    const VectorX rates = now.M_inv_Jt * (now.Lambda * twist);
    double least = kInfinity;
    for (const int joint : {1, 2, 3}) least = std::min(least, std::abs(rates[joint]));  // lift, elbow, wrist 1
    return least;
  };
  EXPECT_GT(found.least, 0.2);
  for (int i = 0; i < 18; ++i) {
    const double angle = 2.0 * quarter * i / 18.0;
    EXPECT_LE(least_of(Vector3(std::cos(angle), std::sin(angle), 0.0)), 1.001 * least_of(found.axis)) << angle;
  }
  EXPECT_NE(rock_axis(ToolState{}, normal).status, Status::ok);
  EXPECT_NE(rock_axis(now, Vector3::Zero()).status, Status::ok);
}

}  // namespace
}  // namespace antaeus
