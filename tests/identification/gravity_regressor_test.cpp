#include "antaeus/identification/gravity_regressor.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "identification/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

std::vector<int> all_motors(const RobotModel& model) {
  std::vector<int> rows;
  for (int motor = 0; motor < model.motor_count(); ++motor) rows.push_back(motor);
  return rows;
}

VectorX gravity_of(const RobotModel& model, const VectorX& q) {
  Dynamics dynamics(model);
  VectorX full(model.nv()), motor(model.motor_count());
  EXPECT_EQ(dynamics.at(q).gravity_torque(full), Status::ok);
  EXPECT_EQ(model.select_motor_rows(full, motor), Status::ok);
  return motor;
}

// A payload at a joint's frame is what a change of its body's mass and first moment is.
TEST(GravityRegressor, IsWhatPayloadsDoToGravity) {
  for (const auto& [name, model] : test::all_models()) {
    test::RandomStates random(72);
    SCOPED_TRACE(name + " " + random.text());
    const std::vector<int> rows = all_motors(model);
    GravityRegressor regressor(model, rows);
    VectorX q = model.neutral();
    ASSERT_EQ(model.integrate(model.neutral(), random.vector(model.nv()), q), Status::ok);
    Dynamics dynamics(model);
    MatrixX Y(std::ssize(rows), regressor.parameters());
    ASSERT_EQ(regressor.compute(dynamics.at(q), model.gravity(), Y), Status::ok);
    const VectorX before = gravity_of(model, q);
    for (std::size_t body = 0; body < regressor.bodies().size(); ++body) {
      const Vector3 center = 0.3 * random.vector(3);
      Payload payload{model.motor_names()[regressor.bodies()[body]], {1.7, center, Matrix3::Identity() * 0.01}};
      ModelOptions options = model.options();
      options.payloads.push_back(payload);
      const VectorX change = gravity_of(RobotModel(model.description(), options), q) - before;
      Eigen::Vector4d theta;
      theta << 1.7, 1.7 * center;
      const VectorX predicted = Y.middleCols<4>(4 * static_cast<Eigen::Index>(body)) * theta;
      for (Eigen::Index j = 0; j < change.size(); ++j) {
        EXPECT_NEAR(predicted[j], change[j], tolerance::kGravityRegressor) << payload.frame << " " << j;
      }
    }
  }
}

TEST(GravityRegressor, KnowsOnlyBodiesThatARowCarries) {
  const Robot robot = test::own_robot("h1_2");
  std::vector<int> rows;
  for (int motor = 12; motor < 27; ++motor) rows.push_back(motor);
  const GravityRegressor arms(robot.model, rows);
  EXPECT_EQ(arms.bodies(), rows);
  EXPECT_EQ(arms.parameters(), 60);
  EXPECT_GE(arms.scale().minCoeff(), 0.02 - 1e-12);
  // A hand alone carries itself.
  EXPECT_EQ(GravityRegressor(robot.model, {26}).bodies(), std::vector<int>{26});
  EXPECT_THROW(GravityRegressor(robot.model, {27}), OptionsError);
  EXPECT_THROW(GravityRegressor(robot.model, {-1}), OptionsError);
}

TEST(GravityRegressor, BadInputGivesNan) {
  const Robot robot = test::own_robot("planar_3r");
  GravityRegressor regressor(robot.model, all_motors(robot.model));
  Dynamics dynamics(robot.model);
  MatrixX Y = MatrixX::Zero(3, regressor.parameters()), small = MatrixX::Zero(2, 4);
  const PositionTerms now = dynamics.at(robot.model.neutral());
  EXPECT_EQ(regressor.compute(now, Vector3(0, 0, kNaN), Y), Status::not_finite);
  EXPECT_TRUE(Y.array().isNaN().all());
  EXPECT_EQ(regressor.compute(now, robot.model.gravity(), small), Status::wrong_size);
  EXPECT_TRUE(small.array().isNaN().all());
  EXPECT_EQ(regressor.compute(PositionTerms(), robot.model.gravity(), Y), Status::not_computed);
  EXPECT_EQ(regressor.compute(now, robot.model.gravity(), Y), Status::ok);
  EXPECT_TRUE(Y.allFinite());
}

}  // namespace
}  // namespace antaeus
