// The inertial regressor against inverse dynamics: whole, and by changing what one link weighs.
#include <gtest/gtest.h>

#include <algorithm>

#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"

namespace antaeus {
namespace {

using test::inverse_dynamics;
using test::NamedModel;
using test::RandomStates;

MatrixX regressor(Dynamics& dynamics, const VectorX& q, const VectorX& v, const VectorX& a) {
  MatrixX Y(dynamics.model().nv(), 10 * dynamics.model().body_count());
  EXPECT_EQ(dynamics.inverse_dynamics_regressor(q, v, a, Y), Status::ok);
  return Y;
}

VectorX rotor_torque(const RobotModel& model, const VectorX& a) {
  VectorX torque = VectorX::Zero(model.nv());
  for (int motor = 0; motor < model.motor_count(); ++motor) {
    const auto found = model.options().armature.find(model.motor_names()[motor]);
    const int row = model.motor_rows()[motor];
    if (found != model.options().armature.end()) torque[row] = found->second * a[row];
  }
  return torque;
}

TEST(Regressor, TimesTheParametersIsInverseDynamicsWithoutRotors) {
  for (const NamedModel& robot : test::all_models()) {
    Dynamics dynamics(robot.model);
    const int nv = robot.model.nv();
    for (const test::Regime& regime : test::kRegimes) {
      RandomStates random(411);
      SCOPED_TRACE(robot.name + ", " + regime.name + ", " + random.text());
      const VectorX q = random.configuration(robot.model, regime.spread), v = random.vector(nv), a = random.vector(nv);
      const VectorX expected = inverse_dynamics(dynamics, q, v, a) - rotor_torque(robot.model, a);
      const VectorX said = regressor(dynamics, q, v, a) * robot.model.inertial_parameters();
      EXPECT_LE((said - expected).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
    }
  }
}

/// Changes one link of the description: a heavier mass elsewhere, about other axes.
RobotDescription changed(RobotDescription description, const std::string& link, int part, double step) {
  const auto found = std::ranges::find(description.links, link, &LinkDescription::name);
  Inertial& body = found->inertial;
  // The parameters are about the link's origin: m, m c, I_C + m (c·c 1 − c cᵀ).
  double m = body.mass;
  Vector3 first = m * body.center_of_mass;
  const auto spread = [](const Vector3& c) { return Matrix3(c.dot(c) * Matrix3::Identity() - c * c.transpose()); };
  Matrix3 inertia = body.inertia + m * spread(body.center_of_mass);
  if (part == 0) m += step;
  if (part >= 1 && part <= 3) first[part - 1] += step;
  static constexpr int kRows[] = {0, 0, 1, 0, 1, 2}, kColumns[] = {0, 1, 1, 2, 2, 2};
  if (part >= 4) {
    inertia(kRows[part - 4], kColumns[part - 4]) += step;
    if (kRows[part - 4] != kColumns[part - 4]) inertia(kColumns[part - 4], kRows[part - 4]) += step;
  }
  body.mass = m;
  body.center_of_mass = first / m;
  body.inertia = inertia - m * spread(body.center_of_mass);
  return description;
}

/// The order of the ten parameters, one by one: torque is linear in them, so any step is exact up to rounding.
void expect_parameters_of(const RobotDescription& description, const ModelOptions& options, const std::string& link,
                          const std::string& joint) {
  const RobotModel before(description, options);
  Dynamics dynamics(before);
  RandomStates random(412);
  SCOPED_TRACE(link + ", " + random.text());
  int body = 0;
  while (body < before.body_count() && before.body_joint(body) != joint) ++body;
  ASSERT_LT(body, before.body_count());
  const VectorX q = random.configuration(before), v = random.vector(before.nv()), a = random.vector(before.nv());
  const VectorX tau = inverse_dynamics(dynamics, q, v, a);
  const MatrixX Y = regressor(dynamics, q, v, a);
  constexpr double kStep = 1e-3;
  for (int part = 0; part < 10; ++part) {
    Dynamics other(RobotModel(changed(description, link, part, kStep), options));
    const VectorX slope = (inverse_dynamics(other, q, v, a) - tau) / kStep;
    EXPECT_LE((slope - Y.col(10 * body + part)).cwiseAbs().maxCoeff(), tolerance::kRegressorSlope) << "part " << part;
  }
}

TEST(Regressor, EachColumnIsWhatItsParameterAdds) {
  const RobotDescription mixed = test::mixed_description();
  expect_parameters_of(mixed, test::fixed_base(), "carriage", "slide");
  expect_parameters_of(mixed, test::fixed_base(), "disc", "oblique_wheel");
  const Robot panda = test::own_robot("panda");
  expect_parameters_of(panda.model.description(), panda.model.options(), "panda_link4", "panda_joint4");
}

TEST(Regressor, TheFreeBaseIsTheFirstBody) {
  const RobotModel floating(test::mixed_description());
  EXPECT_EQ(floating.body_count(), floating.motor_count() + 1);
  expect_parameters_of(test::mixed_description(), {}, "root", floating.body_joint(0));
  const VectorX parameters = floating.inertial_parameters();
  double mass = 0.0;
  for (int body = 0; body < floating.body_count(); ++body) mass += parameters[10 * body];
  EXPECT_NEAR(mass, floating.total_mass(), tolerance::kSameQuantity);
}

TEST(Regressor, SaysWhatIsWrongWithItsInput) {
  const RobotModel model = test::own_robot("planar_3r").model;
  Dynamics dynamics(model);
  const VectorX zero = VectorX::Zero(model.nv());
  MatrixX Y(model.nv(), 10 * model.body_count()), narrow(model.nv(), 3);
  EXPECT_EQ(dynamics.inverse_dynamics_regressor(model.neutral(), zero, zero, narrow), Status::wrong_size);
  EXPECT_TRUE(narrow.array().isNaN().all());
  VectorX broken = zero;
  broken[0] = kNaN;
  EXPECT_EQ(dynamics.inverse_dynamics_regressor(model.neutral(), zero, broken, Y), Status::not_finite);
  EXPECT_TRUE(Y.array().isNaN().all());
  EXPECT_EQ(model.body_joint(-1), "");
  EXPECT_EQ(model.body_joint(model.body_count()), "");
}

}  // namespace
}  // namespace antaeus
