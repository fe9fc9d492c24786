#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "antaeus/estimation/contact_space_filter.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "antaeus/trust/reliability.hpp"
#include "robot/test_robots.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

// A residual of one sample must not be solved with the Jacobians of another: what is of the past says so.

using test::kLimbs;
using test::RandomStates;

bool all_nan(const MatrixX& numbers) { return numbers.size() > 0 && numbers.array().isNaN().all(); }

Observation random_observation_with_imu(const Robot& robot, RandomStates& random) {
  const int motors = robot.model.motor_count();
  Observation observation;
  observation.time = 1.0;
  observation.q = random.vector(motors, 0.6);
  observation.v = VectorX::Zero(motors);
  observation.a = VectorX::Zero(motors);
  observation.tau = random.vector(motors, 5.0);
  observation.has_imu = true;
  observation.imu_quaternion_xyzw = Eigen::Vector4d(0.1, -0.05, 0.2, 1.0).normalized();
  return observation;
}

/// Every number of an instant, to compare with itself later.
struct Numbers {
  VectorX torque, gravity, residual, base_q, terms;
  Vector6 base_residual;
  std::vector<Matrix6X> jacobians;
  std::vector<Matrix6> base_jacobians;
  std::vector<Pose> poses;
  Observation observation;

  explicit Numbers(const Instant& now)
      : torque(now.torque()),
        gravity(now.gravity_torque()),
        residual(now.static_residual()),
        base_q(now.base_q()),
        terms(VectorX::Zero(33)),
        base_residual(now.base_residual()),
        observation(now.observation()) {
    now.base_terms().gravity_torque(terms);
    for (int k = 0; k < now.endpoint_count(); ++k) {
      jacobians.push_back(now.jacobian(k));
      base_jacobians.push_back(now.base_jacobian(k));
      poses.push_back(now.pose(k));
    }
  }
  bool finite() const {
    bool finite = torque.allFinite() && gravity.allFinite() && residual.allFinite() && base_q.allFinite() &&
                  terms.allFinite() && base_residual.allFinite() && observation.q.allFinite() &&
                  observation.tau.allFinite() && std::isfinite(observation.time);
    for (std::size_t k = 0; k < jacobians.size(); ++k) {
      finite = finite && jacobians[k].allFinite() && base_jacobians[k].allFinite() && poses[k].rotation.allFinite() &&
               poses[k].translation.allFinite();
    }
    return finite && !jacobians.empty();
  }
  void expect_nan() const {
    EXPECT_TRUE(all_nan(torque) && all_nan(gravity) && all_nan(residual));
    EXPECT_TRUE(all_nan(base_q) && all_nan(base_residual) && all_nan(terms));
    EXPECT_TRUE(all_nan(observation.q) && all_nan(observation.tau) && std::isnan(observation.time));
    ASSERT_FALSE(jacobians.empty());
    for (std::size_t k = 0; k < jacobians.size(); ++k) {
      EXPECT_TRUE(all_nan(jacobians[k]) && all_nan(base_jacobians[k])) << k;
      EXPECT_TRUE(all_nan(poses[k].rotation) && all_nan(poses[k].translation)) << k;
    }
  }
  void expect_same(const Numbers& other) const {
    EXPECT_EQ(torque, other.torque);
    EXPECT_EQ(gravity, other.gravity);
    EXPECT_EQ(residual, other.residual);
    EXPECT_EQ(base_q, other.base_q);
    EXPECT_EQ(terms, other.terms);
    EXPECT_EQ(base_residual, other.base_residual);
    EXPECT_EQ(observation.q, other.observation.q);
    EXPECT_EQ(observation.tau, other.observation.tau);
    ASSERT_EQ(jacobians.size(), other.jacobians.size());
    for (std::size_t k = 0; k < jacobians.size(); ++k) {
      EXPECT_EQ(jacobians[k], other.jacobians[k]);
      EXPECT_EQ(base_jacobians[k], other.base_jacobians[k]);
      EXPECT_EQ(poses[k].rotation, other.poses[k].rotation);
      EXPECT_EQ(poses[k].translation, other.poses[k].translation);
    }
  }
};

class StaleInstant : public test::StaticResidual {
 protected:
  StaleInstant() : StaticResidual(kLimbs) {}
  RandomStates random_{121};
};

TEST_F(StaleInstant, SaysNotComputedAndHasNoNumbers) {
  SCOPED_TRACE(random_.text());
  const Observation first = random_observation_with_imu(robot_, random_),
                    second = random_observation_with_imu(robot_, random_);
  const Instant old = reader_.at(first);
  ASSERT_EQ(old.status(), Status::ok);
  ASSERT_EQ(old.motion_status(), Status::ok);
  ASSERT_EQ(old.base_terms().status(), Status::ok);
  const Numbers before(old);
  ASSERT_TRUE(before.finite());

  Observation broken = second;
  broken.q[3] = kNaN;
  // Also the same observation once more is another instant, and so is one that cannot be used.
  for (const Observation& next : {second, first, broken}) {
    reader_.at(next);
    EXPECT_EQ(old.status(), Status::not_computed);
    EXPECT_EQ(old.motion_status(), Status::not_computed);
    EXPECT_EQ(old.base_terms().status(), Status::not_computed);
    EXPECT_FALSE(old.used_imu());
    ASSERT_EQ(old.endpoint_count(), 4);
    ASSERT_EQ(old.motor_count(), 27);
    EXPECT_EQ(old.reference_motor(), 12);
    Numbers(old).expect_nan();
  }
  // The reader's own handle goes with the time.
  const Instant& now = reader_.at(first);
  EXPECT_EQ(now.status(), Status::ok);
  Numbers(now).expect_same(before);
}

TEST_F(StaleInstant, NothingIsComputedFromIt) {
  SCOPED_TRACE(random_.text());
  const Observation first = random_observation_with_imu(robot_, random_),
                    second = random_observation_with_imu(robot_, random_);
  PosteriorEstimator posterior(reader_);
  ReliabilityEstimator reliability(reader_, posterior);
  FeasibilityChecker feasibility(robot_, kLimbs, {.half_length = 0.1, .half_width = 0.05});
  DeployedEstimator deployed(reader_);
  StackedEstimator stacked(reader_), with_base(reader_, StackedRows::motors_and_base);
  ContactSpaceFilter filter(reader_, posterior);
  HypothesisTest hypotheses(reader_);

  // In time, each of them has an answer.
  const Instant old = reader_.at(first);
  const Residual residual = residual_.form(old);
  ASSERT_EQ(residual.current(), Status::ok);
  const PosteriorEstimates estimates = posterior.solve(residual);
  const WrenchEstimates raw = deployed.solve(old);
  ASSERT_EQ(estimates.status(), Status::ok);
  for (const WrenchEstimate& estimate : estimates) ASSERT_TRUE(estimate.wrench.is_finite());
  for (const WrenchEstimate& estimate : raw) ASSERT_TRUE(estimate.wrench.is_finite());
  for (const WrenchEstimate& estimate : stacked.solve(old)) ASSERT_EQ(estimate.status, Status::ok);
  for (const WrenchEstimate& estimate : with_base.solve(old)) ASSERT_EQ(estimate.status, Status::ok);
  for (const EndpointReliability& result : reliability.judge(estimates)) {
    ASSERT_EQ(result.status, Status::ok);
    ASSERT_TRUE(std::isfinite(result.total_redundancy));
  }
  ASSERT_EQ(feasibility.check(estimates).status, Status::ok);
  for (const FeasibilityMargin& margin : feasibility.result().margins) ASSERT_TRUE(std::isfinite(margin.value));
  ASSERT_EQ(feasibility.check(raw).status, Status::ok);
  for (const WrenchEstimate& estimate : filter.step(residual, 0.002)) ASSERT_EQ(estimate.status, Status::ok);
  ASSERT_EQ(hypotheses.solve(residual).status, Status::ok);

  reader_.at(second);
  EXPECT_EQ(residual.status, Status::ok) << "what was formed is not changed behind anybody's back";
  EXPECT_EQ(residual.current(), Status::not_computed);
  EXPECT_EQ(residual_.residual().current(), Status::not_computed);
  EXPECT_EQ(estimates.status(), Status::not_computed);
  EXPECT_EQ(estimates.residual.current(), Status::not_computed);
  EXPECT_EQ(raw.status(), Status::not_computed);
  for (const EndpointReliability& result : reliability.judge(estimates)) {
    EXPECT_EQ(result.status, Status::not_computed);
    EXPECT_TRUE(all_nan(result.redundancy) && all_nan(result.minimal_detectable_bias));
    EXPECT_TRUE(all_nan(result.external_force));
    EXPECT_TRUE(std::isnan(result.total_redundancy) && std::isnan(result.condition) && std::isnan(result.sigma_min));
  }
  for (const WrenchEstimates* of_the_past : {static_cast<const WrenchEstimates*>(&estimates), &raw}) {
    const Feasibility& result = feasibility.check(*of_the_past);
    EXPECT_EQ(result.status, Status::not_computed);
    EXPECT_FALSE(result.feasible());
    ASSERT_FALSE(result.margins.empty());
    for (const FeasibilityMargin& margin : result.margins) {
      EXPECT_TRUE(std::isnan(margin.value) && std::isnan(margin.sd)) << to_string(margin.kind);
      EXPECT_FALSE(margin.feasible) << to_string(margin.kind);
    }
  }
  const auto expect_nothing = [](const std::vector<WrenchEstimate>& found) {
    ASSERT_EQ(found.size(), 4u);
    for (const WrenchEstimate& estimate : found) {
      EXPECT_EQ(estimate.status, Status::not_computed);
      EXPECT_EQ(estimate.verdict, Verdict::invalid_input);
      EXPECT_TRUE(estimate.reasons.has(Reason::invalid_input));
      EXPECT_TRUE(all_nan(estimate.wrench.to_vector()));
      EXPECT_TRUE(all_nan(estimate.gain) && all_nan(estimate.uncertainty.covariance));
      EXPECT_TRUE(std::isnan(estimate.kappa) && std::isnan(estimate.uncertainty.nis));
    }
  };
  expect_nothing(posterior.solve(residual).endpoints);
  EXPECT_EQ(posterior.results().status(), Status::not_computed);
  expect_nothing(deployed.solve(old).endpoints);
  expect_nothing(stacked.solve(old).endpoints);
  expect_nothing(with_base.solve(old).endpoints);
  expect_nothing(filter.step(residual, 0.002));
  EXPECT_EQ(hypotheses.add(residual), Status::not_computed);
  EXPECT_EQ(hypotheses.solve(residual).status, Status::not_computed);
  // Last: it overwrites what the estimator keeps.
  const Residual& formed = residual_.form(old);
  EXPECT_EQ(formed.status, Status::not_computed);
  EXPECT_TRUE(all_nan(formed.value) && all_nan(formed.variance));
}

/// With the new instant the same objects go on as if nothing had been.
TEST_F(StaleInstant, IsForgottenByTheNextSample) {
  SCOPED_TRACE(random_.text());
  const Observation first = random_observation_with_imu(robot_, random_);
  Observation second = random_observation_with_imu(robot_, random_);
  second.time = 1.002;
  PosteriorEstimator posterior(reader_), fresh(reader_);
  const Residual old = residual_.form(reader_.at(first));
  const Instant& now = reader_.at(second);
  posterior.solve(old);
  const Residual residual = residual_.form(now);
  ASSERT_EQ(residual.current(), Status::ok);
  const PosteriorEstimates &a = posterior.solve(residual), &b = fresh.solve(residual);
  for (std::size_t k = 0; k < 4; ++k) {
    ASSERT_EQ(a[k].status, Status::ok);
    EXPECT_EQ(a[k].wrench.to_vector(), b[k].wrench.to_vector());
    EXPECT_EQ(a[k].uncertainty.covariance, b[k].uncertainty.covariance);
  }
}

TEST_F(StaleInstant, AnInstantOutlivesItsReader) {
  SCOPED_TRACE(random_.text());
  const Observation observation = random_observation_with_imu(robot_, random_);
  auto reader = std::make_unique<InstantReader>(robot_, kLimbs);
  ResidualEstimator residuals(robot_, {.kind = ResidualChoice::static_gravity});
  PosteriorEstimator posterior(*reader);
  const Instant kept = reader->at(observation);
  const Residual residual = residuals.form(kept);
  const Numbers before(kept);
  const Vector6 wrench = posterior.solve(residual)[0].wrench.to_vector();
  ASSERT_TRUE(before.finite() && wrench.allFinite());
  reader.reset();
  // Somebody else takes the memory that became free.
  InstantReader other(robot_, kLimbs);
  other.at(random_observation_with_imu(robot_, random_));
  EXPECT_EQ(kept.status(), Status::ok);
  EXPECT_EQ(kept.base_terms().status(), Status::ok);
  Numbers(kept).expect_same(before);
  EXPECT_EQ(residual.current(), Status::ok);
  EXPECT_EQ(posterior.solve(residual)[0].wrench.to_vector(), wrench);

  // A stale one too, and one that was read before its reader moved.
  std::optional<InstantReader> moved(std::in_place, robot_, kLimbs);
  const Instant old = moved->at(observation);
  InstantReader here = std::move(*moved);
  moved.reset();
  EXPECT_EQ(old.status(), Status::ok);
  EXPECT_EQ(here.instant().status(), Status::ok);
  Numbers(old).expect_same(before);
  here.at(random_observation_with_imu(robot_, random_));
  EXPECT_EQ(old.status(), Status::not_computed);
  here = InstantReader(robot_, kLimbs);
  EXPECT_EQ(old.status(), Status::not_computed);
  Numbers(old).expect_nan();
}

TEST(EmptyInstant, HasNothing) {
  const Instant empty;
  EXPECT_EQ(empty.status(), Status::not_computed);
  EXPECT_EQ(empty.motion_status(), Status::not_computed);
  EXPECT_EQ(empty.endpoint_count(), 0);
  EXPECT_EQ(empty.motor_count(), 0);
  EXPECT_EQ(empty.reference_motor(), -1);
  EXPECT_EQ(Residual{}.current(), Status::not_computed);
  Residual made_by_hand;
  made_by_hand.status = Status::ok;
  EXPECT_EQ(made_by_hand.current(), Status::not_computed) << "it is of no instant";
}

}  // namespace
}  // namespace antaeus
