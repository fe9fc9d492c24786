#include "antaeus/trust/feasibility.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/static_residual.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

using test::kLimbs;
constexpr double kGravity = 9.81;

const FeasibilityMargin& find(const Feasibility& result, MarginKind kind, int endpoint) {
  for (const FeasibilityMargin& margin : result.margins) {
    if (margin.kind == kind && margin.endpoint == endpoint) return margin;
  }
  throw std::runtime_error("no such margin");
}

class FeasibilityTest : public testing::Test {
 protected:
  Robot robot_ = test::own_robot("h1_2");
  InstantReader reader_{robot_, kLimbs};

  void stand() {
    Observation observation;
    observation.q = VectorX::Zero(27);
    observation.tau = VectorX::Zero(27);
    ASSERT_EQ(reader_.at(observation).status(), Status::ok);
  }
  /// Wrenches that carry the robot on two feet, given with either sign.
  WrenchEstimates standing(Sign sign, bool moving = false) const {
    WrenchEstimates estimates{reader_.instant(), moving, std::vector<WrenchEstimate>(4)};
    for (std::size_t k = 0; k < 4; ++k) {
      WrenchEstimate& e = estimates[k];
      e.reset(27);
      e.status = Status::ok;
      e.sign = sign;
      e.wrench = {};
      if (k >= 2) e.wrench.force.z() = 0.5 * robot_.model.total_mass() * kGravity;
      if (sign == Sign::on_environment) e.wrench = -e.wrench;
    }
    return estimates;
  }
};

TEST_F(FeasibilityTest, AStandingRobotIsFeasibleInEitherSign) {
  stand();
  FeasibilityChecker checker(robot_, kLimbs);
  for (const Sign sign : {Sign::on_robot, Sign::on_environment}) {
    const Feasibility& result = checker.check(standing(sign));
    EXPECT_TRUE(result.feasible()) << to_string(sign);
    EXPECT_FALSE(result.sole_known);
    EXPECT_TRUE(result.balance_known);
    ASSERT_EQ(result.margins.size(), 2u * 2u + 3u);
    const double half = 0.5 * robot_.model.total_mass() * kGravity;
    EXPECT_NEAR(find(result, MarginKind::unilateral, 2).value, half, tolerance::kByHand);
    EXPECT_NEAR(find(result, MarginKind::friction, 3).value, 0.7 * half, tolerance::kByHand);
    EXPECT_NEAR(find(result, MarginKind::total_z, -1).value, 0.0, tolerance::kByHand);
    // sd of the weight: 2 % of the mass times g, and 0.1 m/s² times the mass.
    EXPECT_NEAR(find(result, MarginKind::total_z, -1).sd, robot_.model.total_mass() * std::hypot(0.02 * kGravity, 0.1),
                tolerance::kByHand);
    EXPECT_EQ(find(result, MarginKind::unilateral, 2).sd, 0.0) << "no covariance: taken for exact";
  }
}

TEST_F(FeasibilityTest, EachConditionIsFoundWhenItBreaks) {
  stand();
  FeasibilityChecker checker(robot_, kLimbs, {.half_length = 0.13, .half_width = 0.043});
  const auto only = [&](const WrenchEstimates& estimates, MarginKind kind, int endpoint) {
    const Feasibility& result = checker.check(estimates);
    EXPECT_FALSE(result.feasible());
    EXPECT_FALSE(find(result, kind, endpoint).feasible) << to_string(kind);
    EXPECT_EQ(result.violations(), 1) << to_string(kind);
  };
  WrenchEstimates e = standing(Sign::on_robot);
  EXPECT_TRUE(checker.check(e).feasible());
  // Opposite pushes: each foot would slide, the sum is right. Friction breaks on both.
  e[2].wrench.force.x() = 300, e[3].wrench.force.x() = -300;
  EXPECT_FALSE(checker.check(e).feasible());
  EXPECT_FALSE(find(checker.result(), MarginKind::friction, 2).feasible);
  e = standing(Sign::on_robot);
  e[2].wrench.torque.y() = 50;  // 328 N × 0.13 m = 43 N·m
  only(e, MarginKind::cop_x, 2);
  e = standing(Sign::on_robot);
  e[3].wrench.torque.x() = -15;  // 328 N × 0.043 m = 14 N·m
  EXPECT_FALSE(checker.check(e).feasible());
  EXPECT_FALSE(find(checker.result(), MarginKind::cop_y, 3).feasible);
  e = standing(Sign::on_robot);
  e[2].wrench.torque.z() = 60;  // 0.7 × 328 N × 0.173 m = 40 N·m
  only(e, MarginKind::yaw, 2);
  e = standing(Sign::on_robot);
  e[0].wrench.force.z() = 100;  // a hand that lifts 100 N while the feet carry all of the weight: 3 sd are 44 N
  only(e, MarginKind::total_z, -1);
  e.moving = true;
  EXPECT_TRUE(checker.check(e).feasible()) << "a moving robot may accelerate so";
}

TEST_F(FeasibilityTest, CovarianceExcusesWhatItCan) {
  stand();
  FeasibilityChecker checker(robot_, kLimbs);
  WrenchEstimates e = standing(Sign::on_robot);
  e[2].wrench.force.z() -= 340, e[3].wrench.force.z() += 340;  // the left foot pulls by 11 N
  EXPECT_FALSE(checker.check(e).feasible());
  e[2].has_covariance = e[3].has_covariance = true;
  e[2].uncertainty.covariance = e[3].uncertainty.covariance = 25.0 * Matrix6::Identity();
  const Feasibility& result = checker.check(e);
  EXPECT_TRUE(result.feasible());
  EXPECT_NEAR(find(result, MarginKind::unilateral, 2).sd, 5.0, tolerance::kByHand);
}

TEST_F(FeasibilityTest, TheSoleIsWhereTheOptionsPutIt) {
  stand();
  // 30 N forward at the sole is −30 N × 0.045 m about the ankle; weight at a sole 0.044 m ahead turns the ankle too.
  WrenchEstimates e = standing(Sign::on_robot);
  const double weight = e[2].wrench.force.z();
  for (std::size_t k : {2u, 3u}) {
    e[k].wrench.force.x() = k == 2 ? 30 : -30;
    e[k].wrench.torque = Vector3(0.044, 0, -0.045).cross(e[k].wrench.force);
  }
  FeasibilityChecker checker(robot_, kLimbs,
                             {.half_length = 0.13, .half_width = 0.043, .sole_forward = 0.044, .sole_depth = 0.045});
  const Feasibility& result = checker.check(e);
  EXPECT_TRUE(result.feasible());
  EXPECT_NEAR(find(result, MarginKind::cop_x, 2).value, 0.13 * weight, tolerance::kByHand);
}

TEST_F(FeasibilityTest, WhatTheProfileStatesOfAFootCountsInPlaceOfTheOptions) {
  stand();
  Robot robot = robot_;
  ContactSurface& surface =
      std::find_if(robot.profile.endpoints.begin(), robot.profile.endpoints.end(), [](const Endpoint& e) {
        return e.frame == kLimbs[2];
      })->surface;
  // 30 N forward at the sole, of both feet against each other.
  WrenchEstimates e = standing(Sign::on_robot);
  const double weight = e[2].wrench.force.z();
  e[2].wrench.force.x() = 30, e[3].wrench.force.x() = -30;
  for (std::size_t k : {2u, 3u}) e[k].wrench.torque = Vector3(0.03, 0.01, -0.06).cross(e[k].wrench.force);
  FeasibilityOptions options{.friction = 0.5, .half_length = 0.2, .half_width = 0.1};
  const auto margin = [&](MarginKind kind, int endpoint) {
    FeasibilityChecker checker(robot, kLimbs, options);
    return find(checker.check(e), kind, endpoint).value;
  };
  EXPECT_NEAR(margin(MarginKind::friction, 2), 0.5 * weight - 30, tolerance::kByHand);
  EXPECT_NEAR(margin(MarginKind::cop_x, 2), 0.2 * weight - std::abs(0.03 * weight + 0.06 * 30), tolerance::kByHand);

  surface.friction = 0.4;
  EXPECT_NEAR(margin(MarginKind::friction, 2), 0.4 * weight - 30, tolerance::kByHand);
  EXPECT_NEAR(margin(MarginKind::friction, 3), 0.5 * weight - 30, tolerance::kByHand)
      << "the other foot's is not stated";
  // Its middle is 0.03 m ahead and 0.01 m to the left, so the centre of pressure is there.
  surface.sole = {{-0.08, -0.04}, {0.14, -0.04}, {0.14, 0.06}, {-0.08, 0.06}};
  surface.sole_depth = 0.06;
  EXPECT_NEAR(margin(MarginKind::cop_x, 2), 0.11 * weight, tolerance::kByHand);
  EXPECT_NEAR(margin(MarginKind::cop_y, 2), 0.05 * weight, tolerance::kByHand);
  EXPECT_NEAR(margin(MarginKind::cop_x, 3), 0.2 * weight - std::abs(0.03 * weight - 0.06 * 30), tolerance::kByHand);
  surface.torsion = 0.01;
  EXPECT_NEAR(margin(MarginKind::yaw, 2), 0.01 * weight, tolerance::kByHand);
  // The foot whose sole the profile states has moments' margins without the options, the other has none.
  options.half_length = options.half_width = 0.0;
  FeasibilityChecker checker(robot, kLimbs, options);
  EXPECT_TRUE(checker.check(e).sole_known);
  EXPECT_EQ(checker.result().margins.size(), 5u + 2u + 3u);
  EXPECT_NEAR(find(checker.result(), MarginKind::cop_x, 2).value, 0.11 * weight, tolerance::kByHand);
}

TEST_F(FeasibilityTest, BadInputIsNeverFeasible) {
  FeasibilityChecker checker(robot_, kLimbs);
  EXPECT_FALSE(checker.check(standing(Sign::on_robot)).feasible());
  EXPECT_EQ(checker.result().status, Status::not_computed);
  stand();
  WrenchEstimates e = standing(Sign::on_robot);
  e[1].wrench.force.x() = std::nan("");
  EXPECT_EQ(checker.check(e).status, Status::not_finite);
  EXPECT_TRUE(std::isnan(checker.result().margins[0].value));
  e.endpoints.pop_back();
  EXPECT_EQ(checker.check(e).status, Status::wrong_size);
  EXPECT_EQ(checker.result().violations(), static_cast<int>(checker.result().margins.size()));
  EXPECT_THROW(FeasibilityChecker(robot_, {"left_wrst_yaw_link"}), ModelError);
  EXPECT_THROW(FeasibilityChecker(robot_, kLimbs, {.half_length = 0.1}), OptionsError);
  EXPECT_THROW(FeasibilityChecker(robot_, kLimbs, {.k = std::nan("")}), OptionsError);
}

TEST_F(FeasibilityTest, WithoutAllFeetThereIsNoBalance) {
  FeasibilityChecker hands(robot_, {kLimbs[0], kLimbs[1]}), one_foot(robot_, {kLimbs[2]});
  EXPECT_FALSE(hands.result().balance_known);
  EXPECT_TRUE(hands.result().margins.empty());
  EXPECT_FALSE(one_foot.result().balance_known);
  EXPECT_EQ(one_foot.result().margins.size(), 2u);
  EXPECT_FALSE(FeasibilityChecker(test::own_robot("planar_3r"), {"tool"}).result().balance_known);
}

TEST_F(FeasibilityTest, DoesNotAllocate) {
  RandomStates random(71);
  SCOPED_TRACE(random.text());
  FeasibilityChecker checker(robot_, kLimbs, {.half_length = 0.13, .half_width = 0.043});
  ResidualEstimator residual(robot_);
  PosteriorEstimator posterior(reader_);
  StackedEstimator stacked(reader_);
  WrenchEstimates still = stacked.results();
  for (int i = 0; i < 200; ++i) {
    Observation observation;
    observation.q = random.vector(27, 1.0);
    observation.tau = random.vector(27, 50.0);
    if (i % 2 == 1) observation.v = VectorX::Zero(27);
    if (i % 10 == 9) observation.tau[3] = std::nan("");
    AllocationCounter counter;
    reader_.at(observation);
    const PosteriorEstimates& known = posterior.solve(residual.form(reader_.instant()));
    checker.check(known);
    still = stacked.solve(reader_.instant());
    still.moving = false;
    checker.check(still);
    ASSERT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace antaeus
