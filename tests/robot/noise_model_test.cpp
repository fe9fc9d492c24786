#include "antaeus/robot/noise_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

NoiseModel some_noise(const RobotModel& model, RandomStates& random) {
  const TorqueParameters at = torque_parameters(model);
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(at.motors, 0.5) + 0.4 * random.vector(at.motors);
  noise.parameters = 0.1 * random.vector(at.count());
  noise.factor = MatrixX::Zero(at.count(), 4);
  for (int column = 0; column < 4; ++column) noise.factor.col(column) = 0.1 * random.vector(at.count());
  noise.offset_sd = VectorX::Constant(at.motors, 0.3);
  noise.motion_sd = VectorX::Constant(at.motors, 2.0);
  noise.coulomb_sd = VectorX::Constant(at.motors, 0.2) + 0.1 * random.vector(at.motors);
  noise.viscous_sd = VectorX::Constant(at.motors, 0.3) + 0.1 * random.vector(at.motors);
  return noise;
}

/// X written out, by inverse dynamics of a body at a time being the regressor's own test.
MatrixX whole_regressor(const RobotModel& model, const VectorX& q, const VectorX& v, const VectorX& a) {
  const TorqueParameters at = torque_parameters(model);
  Dynamics dynamics(model);
  MatrixX Y(model.nv(), 10 * at.bodies);
  EXPECT_EQ(dynamics.inverse_dynamics_regressor(q, v, a, Y), Status::ok);
  MatrixX X = MatrixX::Zero(at.motors, at.count());
  for (int j = 0; j < at.motors; ++j) {
    const int row = model.motor_rows()[j];
    X.row(j).head(10 * at.bodies) = Y.row(row);
    X(j, at.rotor(j)) = a[row];
    X(j, at.coulomb(j)) = std::tanh(v[row] / 0.03);
    X(j, at.viscous(j)) = v[row];
    X(j, at.offset(j)) = 1.0;
  }
  return X;
}

/// Pinocchio's regressor times everything, against what is computed from the bodies that have parameters alone.
void expect_formula(const RobotModel& model, const NoiseModel& noise, RandomStates& random) {
  TorqueNoise torque_noise(model, noise), by_terms(model, noise);
  Dynamics dynamics(model);
  for (int i = 0; i < 3; ++i) {
    const VectorX q = random.configuration(model), v = random.vector(model.nv(), 2.0), a = random.vector(model.nv());
    ASSERT_EQ(torque_noise.evaluate(q, v, a, 0.5), Status::ok);
    const MatrixX X = whole_regressor(model, q, v, a);
    const VectorX mean = X * noise.parameters;
    MatrixX R = X * noise.factor * noise.factor.transpose() * X.transpose();
    R.diagonal() += noise.white_sd.cwiseAbs2() + noise.offset_sd.cwiseAbs2() + 0.25 * noise.motion_sd.cwiseAbs2();
    const TorqueParameters at = torque_parameters(model);
    for (int j = 0; j < at.motors; ++j) {
      // A joint that stands may be held by any part of its friction.
      const double slides = std::tanh(v[model.motor_rows()[j]] / 0.03);
      R(j, j) +=
          std::pow(noise.coulomb_sd[j] * slides, 2) + std::pow(noise.viscous_sd[j] * v[model.motor_rows()[j]], 2);
      const double dry = std::pow(noise.parameters[at.coulomb(j)], 2) + noise.factor.row(at.coulomb(j)).squaredNorm();
      R(j, j) += 0.64 * dry * (1.0 - slides * slides);
    }
    EXPECT_LE((torque_noise.mean() - mean).cwiseAbs().maxCoeff(),
              tolerance::kSameQuantity * std::max(1.0, mean.cwiseAbs().maxCoeff()));
    EXPECT_LE((torque_noise.covariance() - R).cwiseAbs().maxCoeff(),
              tolerance::kSameQuantity * std::max(1.0, R.cwiseAbs().maxCoeff()));
    ASSERT_EQ(by_terms.evaluate(dynamics.at(q), v, a, 0.5), Status::ok);
    EXPECT_EQ(by_terms.mean(), torque_noise.mean());
    EXPECT_EQ(by_terms.covariance(), torque_noise.covariance());
  }
}

TEST(NoiseModel, IsItsFormula) {
  for (const test::NamedModel& robot : test::all_models()) {
    RandomStates random(421);
    SCOPED_TRACE(robot.name + ", " + random.text());
    expect_formula(robot.model, some_noise(robot.model, random), random);
  }
}

TEST(NoiseModel, IsItsFormulaForAnyPartOfTheParameters) {
  for (const test::NamedModel& robot : test::all_models()) {
    RandomStates random(427);
    SCOPED_TRACE(robot.name + ", " + random.text());
    const TorqueParameters at = torque_parameters(robot.model);
    // More columns than parameters in doubt, which are masses and offsets of the last bodies; and a mean of others.
    NoiseModel noise = some_noise(robot.model, random);
    noise.factor = MatrixX::Zero(at.count(), at.count() + 3);
    noise.parameters.setZero();
    for (int p = 0; p < at.count(); ++p) {
      const bool of_body = p < 10 * at.bodies, late = of_body && p / 10 >= at.bodies / 2;
      if ((late && p % 10 < 4) || p >= at.offset(0)) noise.factor.row(p) = 0.1 * random.vector(at.count() + 3);
      if (of_body && !late) noise.parameters[p] = 0.1 * random.vector(1)[0];
    }
    expect_formula(robot.model, noise, random);
  }
}

TEST(NoiseModel, RowsThatWereNotIdentifiedHaveNoPartInTheOthers) {
  const RobotModel model = test::own_robot("h1_2").model;
  RandomStates random(428);
  NoiseModel noise = some_noise(model, random);
  TorqueNoise all(model, noise);
  noise.white_sd.head(12).setConstant(kNaN);
  TorqueNoise some(model, noise);
  const VectorX q = random.configuration(model), v = random.vector(model.nv()), a = random.vector(model.nv());
  ASSERT_EQ(all.evaluate(q, v, a), Status::ok);
  ASSERT_EQ(some.evaluate(q, v, a), Status::ok);
  EXPECT_TRUE(some.mean().head(12).isZero(0.0));
  EXPECT_TRUE(some.covariance().topRightCorner(12, 15).isZero(0.0));
  EXPECT_TRUE(some.covariance().topLeftCorner(12, 12).diagonal().array().isNaN().all());
  EXPECT_LE((some.mean() - all.mean()).tail(15).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
  EXPECT_LE((some.covariance() - all.covariance()).bottomRightCorner(15, 15).cwiseAbs().maxCoeff(),
            tolerance::kSameQuantity);
}

TEST(NoiseModel, TakesNoTermsThatAreStaleOrOfAnotherRobot) {
  const RobotModel model = test::own_robot("planar_3r").model;
  RandomStates random(429);
  TorqueNoise torque_noise(model, some_noise(model, random));
  const VectorX zero = VectorX::Zero(3);
  Dynamics dynamics(model), other(test::own_robot("panda").model);
  const PositionTerms stale = dynamics.at(model.neutral());
  EXPECT_EQ(torque_noise.evaluate(stale, zero, zero), Status::ok);
  dynamics.at(model.neutral());
  EXPECT_EQ(torque_noise.evaluate(stale, zero, zero), Status::not_computed);
  EXPECT_TRUE(torque_noise.mean().array().isNaN().all());
  EXPECT_EQ(torque_noise.evaluate(other.at(other.model().neutral()), zero, zero), Status::wrong_size);
  EXPECT_EQ(torque_noise.evaluate_mean(PositionTerms(), zero, zero), Status::not_computed);
  EXPECT_TRUE(torque_noise.covariance().array().isNaN().all());
}

TEST(NoiseModel, TheMeanAloneLeavesWhatRowsShareAsItWas) {
  const RobotModel model = test::own_robot("h1_2").model;
  RandomStates random(426);
  SCOPED_TRACE(random.text());
  const NoiseModel noise = some_noise(model, random);
  TorqueNoise whole(model, noise), paced(model, noise);
  VectorX q = random.configuration(model), v = random.vector(model.nv()), a = random.vector(model.nv());
  ASSERT_EQ(paced.evaluate_mean(q, v, a, 0.0), Status::ok);
  ASSERT_EQ(whole.evaluate(q, v, a, 0.0), Status::ok);
  EXPECT_EQ(paced.covariance(), whole.covariance()) << "the first call has nothing to keep";
  const MatrixX before = paced.covariance();
  q = random.configuration(model);
  ASSERT_EQ(paced.evaluate_mean(q, v, a, 1.0), Status::ok);
  ASSERT_EQ(whole.evaluate(q, v, a, 1.0), Status::ok);
  EXPECT_EQ(paced.mean(), whole.mean());
  MatrixX expected = before;
  expected.diagonal() += noise.motion_sd.cwiseAbs2();
  EXPECT_LE((paced.covariance() - expected).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
  EXPECT_EQ(paced.evaluate_mean(q, v, VectorX::Constant(model.nv(), kNaN)), Status::not_finite);
  EXPECT_TRUE(paced.covariance().array().isNaN().all());
  ASSERT_EQ(paced.evaluate_mean(q, v, a, 1.0), Status::ok);
  EXPECT_EQ(paced.covariance(), whole.covariance()) << "nor has the first after an error";
}

TEST(NoiseModel, ARowThatIsNoEvidenceStandsAlone) {
  const RobotModel model = test::own_robot("planar_3r").model;
  RandomStates random(422);
  NoiseModel noise = some_noise(model, random);
  noise.white_sd[1] = kInfinity;
  TorqueNoise torque_noise(model, noise);
  ASSERT_EQ(torque_noise.evaluate(model.neutral(), random.vector(3), random.vector(3)), Status::ok);
  EXPECT_EQ(torque_noise.covariance()(1, 1), kInfinity);
  EXPECT_EQ(torque_noise.covariance()(0, 1), 0.0);
  EXPECT_EQ(torque_noise.covariance()(1, 2), 0.0);
  EXPECT_NE(torque_noise.covariance()(0, 2), 0.0);
}

TEST(NoiseModel, LeavesNoNumberBehindBadInput) {
  const RobotModel model = test::own_robot("planar_3r").model;
  RandomStates random(423);
  TorqueNoise torque_noise(model, some_noise(model, random));
  const VectorX zero = VectorX::Zero(3);
  EXPECT_TRUE(torque_noise.mean().array().isNaN().all());
  ASSERT_EQ(torque_noise.evaluate(model.neutral(), zero, zero), Status::ok);
  EXPECT_EQ(torque_noise.evaluate(model.neutral(), zero, VectorX::Zero(2)), Status::wrong_size);
  EXPECT_TRUE(torque_noise.mean().array().isNaN().all());
  EXPECT_TRUE(torque_noise.covariance().array().isNaN().all());
  EXPECT_EQ(torque_noise.evaluate(model.neutral(), zero, zero, 1.5), Status::not_finite);
  EXPECT_EQ(torque_noise.evaluate(model.neutral(), zero, zero, kNaN), Status::not_finite);
}

TEST(NoiseModel, RefusesImpossibleFigures) {
  const RobotModel model = test::own_robot("planar_3r").model;
  RandomStates random(424);
  const NoiseModel good = some_noise(model, random);
  const auto refused = [&model](NoiseModel noise) { EXPECT_THROW(TorqueNoise(model, std::move(noise)), OptionsError); };
  NoiseModel bad = good;
  bad.white_sd[0] = 0.0;
  refused(bad);
  bad = good;
  bad.white_sd.conservativeResize(2);
  refused(bad);
  bad = good;
  bad.parameters[3] = kNaN;
  refused(bad);
  bad = good;
  bad.factor.conservativeResize(5, 2);
  refused(bad);
  bad = good;
  bad.offset_sd[1] = -0.1;
  refused(bad);
  bad = good;
  bad.motion_sd[1] = kNaN;
  refused(bad);
}

TEST(NoiseModelRealtime, NoAllocation) {
  for (const char* name : {"planar_3r", "panda", "h1_2"}) {
    const RobotModel model = test::own_robot(name).model;
    RandomStates random(425);
    NoiseModel noise = some_noise(model, random);
    noise.motion_sd[0] = kInfinity;
    TorqueNoise torque_noise(model, std::move(noise));
    Dynamics dynamics(model);
    for (int i = 0; i < 20; ++i) {
      const VectorX q = random.configuration(model), v = random.vector(model.nv());
      VectorX a = random.vector(model.nv());
      if (i % 5 == 4) a[0] = kNaN;
      test::AllocationCounter counter;
      torque_noise.evaluate(q, v, a, 0.3);
      torque_noise.evaluate_mean(q, v, a, 0.0);
      torque_noise.evaluate_mean(dynamics.at(q), v, a, 0.3);
      ASSERT_EQ(counter.count(), 0) << name;
    }
  }
}

}  // namespace
}  // namespace antaeus
