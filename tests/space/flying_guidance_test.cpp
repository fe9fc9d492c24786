#include "antaeus/space/flying_guidance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <iostream>

#include "robot/test_robots.hpp"
#include "space/tolerances.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

constexpr double kApart = 1e-5;  // of central differences [s]
constexpr double kPi = 3.14159265358979323846;

Matrix3 turn_of(RandomStates& random) {
  const VectorX four = random.vector(4);
  return Eigen::Quaterniond(four[0], four[1], four[2], four[3]).normalized().toRotationMatrix();
}

/// Passages that overlap in part, so that each stage moves while the one before it does, and while it does not.
FlyingPlan random_plan(RandomStates& random, EndEffectorGuidance tool, BaseGuidance base, ComGuidance com) {
  FlyingPlan plan;
  plan.end_effector = {.kind = tool,
                       .passage = {0.5, 4.0},
                       .start = {turn_of(random), random.vector(3)},
                       .goal = {turn_of(random), random.vector(3)},
                       .center = random.vector(3, 2.0),
                       .axis = random.vector(3),
                       .angle = 2.0};
  // The pivot stands back from where the tool moves, the direction is well away from opposite.
  plan.base = {.kind = base,
               .passage = {1.5, 5.0},
               .start = turn_of(random),
               .goal = turn_of(random),
               .pivot = Vector3(-6.0, 0.5, 0.2),
               .direction = Vector3(1.0, 0.3, -0.2)};
  plan.com = {.kind = com,
              .passage = {0.0, 3.0},
              .start = random.vector(3),
              .goal = random.vector(3),
              .p_CE_B = random.vector(3)};
  return plan;
}

Vector3 rate_of_turn(const Matrix3& before, const Matrix3& after, const Matrix3& now) {
  const Matrix3 S = (after - before) / (2.0 * kApart) * now.transpose();
  return 0.5 * Vector3(S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1));
}

double off_orthonormal(const Matrix3& R) {
  return std::max((R * R.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff(), std::abs(R.determinant() - 1.0));
}

struct Worst {
  double velocity = 0.0, acceleration = 0.0, omega = 0.0, omega_dot = 0.0, orthonormal = 0.0;
};
void keep(double& largest, double value) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;  // NaN is larger than all
}

/// Each stage's rates against differences of the whole chain.
Worst differences(const FlyingPlan& plan) {
  Worst worst;
  for (double t = 0.103; t < 5.5; t += 0.2) {
    const FlyingReference now = flying_reference(plan, t);
    const FlyingReference before = flying_reference(plan, t - kApart), after = flying_reference(plan, t + kApart);
    const auto vectors = [&](double& place, const Vector3& rate, const Vector3& from, const Vector3& to) {
      keep(place, (rate - (to - from) / (2.0 * kApart)).norm());
    };
    vectors(worst.velocity, now.end_effector.velocity, before.end_effector.X_WE.translation,
            after.end_effector.X_WE.translation);
    vectors(worst.acceleration, now.end_effector.acceleration, before.end_effector.velocity,
            after.end_effector.velocity);
    vectors(worst.velocity, now.com.velocity, before.com.position, after.com.position);
    vectors(worst.acceleration, now.com.acceleration, before.com.velocity, after.com.velocity);
    vectors(worst.omega_dot, now.end_effector.omega_dot, before.end_effector.omega, after.end_effector.omega);
    vectors(worst.omega_dot, now.base.omega_dot, before.base.omega, after.base.omega);
    keep(worst.omega,
         (now.end_effector.omega - rate_of_turn(before.end_effector.X_WE.rotation, after.end_effector.X_WE.rotation,
                                                now.end_effector.X_WE.rotation))
             .norm());
    keep(worst.omega, (now.base.omega - rate_of_turn(before.base.R_WB, after.base.R_WB, now.base.R_WB)).norm());
    keep(worst.orthonormal, off_orthonormal(now.end_effector.X_WE.rotation));
    keep(worst.orthonormal, off_orthonormal(now.base.R_WB));
  }
  return worst;
}

TEST(FlyingGuidance, RatesOfEveryKindAreThoseOfTheMotion) {
  RandomStates random(6201);
  SCOPED_TRACE(random.text());
  for (const auto tool : {EndEffectorGuidance::move, EndEffectorGuidance::circle}) {
    for (const auto base : {BaseGuidance::move, BaseGuidance::face}) {
      for (const auto com : {ComGuidance::move, ComGuidance::carry}) {
        Worst worst;
        for (int plan = 0; plan < 20; ++plan) {
          const Worst one = differences(random_plan(random, tool, base, com));
          keep(worst.velocity, one.velocity);
          keep(worst.acceleration, one.acceleration);
          keep(worst.omega, one.omega);
          keep(worst.omega_dot, one.omega_dot);
          keep(worst.orthonormal, one.orthonormal);
        }
        SCOPED_TRACE(std::string(to_string(tool)) + ", " + std::string(to_string(base)) + ", " +
                     std::string(to_string(com)));
        std::cout << to_string(tool) << ", " << to_string(base) << ", " << to_string(com) << ": v " << worst.velocity
                  << ", a " << worst.acceleration << ", omega " << worst.omega << ", omega_dot " << worst.omega_dot
                  << ", R " << worst.orthonormal << '\n';
        EXPECT_LE(worst.velocity, tolerance::kGuidanceDifference);
        EXPECT_LE(worst.acceleration, tolerance::kGuidanceDifference);
        EXPECT_LE(worst.omega, tolerance::kGuidanceDifference);
        EXPECT_LE(worst.omega_dot, tolerance::kGuidanceDifference);
        EXPECT_LE(worst.orthonormal, tolerance::kGuidancePlace);
      }
    }
  }
}

TEST(FlyingGuidance, BeginsAndEndsAtRestWhereThePlanSays) {
  RandomStates random(6202);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 20; ++i) {
    const FlyingPlan plan = random_plan(random, EndEffectorGuidance::move, BaseGuidance::move, ComGuidance::move);
    for (const double t : {-3.0, 0.0, 5.0, 100.0}) {
      const FlyingReference at = flying_reference(plan, t);
      const bool begun = t > 1.0;
      const Pose& pose = begun ? plan.end_effector.goal : plan.end_effector.start;
      EXPECT_LE((at.end_effector.X_WE.rotation - pose.rotation).norm(), tolerance::kGuidancePlace);
      EXPECT_LE((at.end_effector.X_WE.translation - pose.translation).norm(), tolerance::kGuidancePlace);
      EXPECT_LE((at.base.R_WB - (begun ? plan.base.goal : plan.base.start)).norm(), tolerance::kGuidancePlace);
      EXPECT_LE((at.com.position - (begun ? plan.com.goal : plan.com.start)).norm(), tolerance::kGuidancePlace);
      for (const Vector3* const rate :
           {&at.end_effector.velocity, &at.end_effector.acceleration, &at.end_effector.omega,
            &at.end_effector.omega_dot, &at.base.omega, &at.base.omega_dot, &at.com.velocity, &at.com.acceleration}) {
        EXPECT_EQ(*rate, Vector3::Zero());
      }
    }
  }
}

PoseReference tool_at(const EndEffectorPlan& plan, double time) {
  return flying_reference({plan, {}, {}}, time).end_effector;
}
/// The base beside an end-effector that holds.
AttitudeReference base_at(const BasePlan& plan, const Vector3& place) {
  FlyingPlan whole{{}, plan, {}};
  whole.end_effector.start.translation = whole.end_effector.goal.translation = place;
  return flying_reference(whole, 0.0).base;
}

TEST(FlyingGuidance, AMoveTurnsTheShortWayAboutOneAxis) {
  EndEffectorPlan plan{.passage = {0.0, 2.0}};
  plan.goal.rotation = Eigen::AngleAxisd(-2.5, Vector3(0.6, 0.0, 0.8)).toRotationMatrix();
  const PoseReference half = tool_at(plan, 1.0);
  const Matrix3 expected = Eigen::AngleAxisd(-1.25, Vector3(0.6, 0.0, 0.8)).toRotationMatrix();
  EXPECT_LE((half.X_WE.rotation - expected).norm(), tolerance::kGuidancePlace);
  EXPECT_LE((half.omega - 1.875 / 2.0 * -2.5 * Vector3(0.6, 0.0, 0.8)).norm(), tolerance::kGuidancePlace);
  EXPECT_LE(half.omega_dot.norm(), tolerance::kGuidancePlace);
  // Half a turn has two short ways; one of them is taken.
  plan.goal.rotation = Eigen::AngleAxisd(kPi, Vector3::UnitY()).toRotationMatrix();
  EXPECT_NEAR(tool_at(plan, 1.0).omega.norm(), 1.875 / 2.0 * kPi, tolerance::kGuidancePlace);
  plan.goal = plan.start;
  EXPECT_EQ(tool_at(plan, 1.0).omega, Vector3::Zero());
}

TEST(FlyingGuidance, ACircleGoesOnSeeingItsCentre) {
  EndEffectorPlan plan{.kind = EndEffectorGuidance::circle, .passage = {0.0, 2.0}};
  plan.start.translation = Vector3(2.0, 0.0, 0.5);
  plan.center = Vector3(1.0, 0.0, 0.0);
  plan.axis = Vector3(0.0, 0.0, 3.0);
  plan.angle = 3.0 * kPi;
  const Vector3 seen = plan.center - plan.start.translation;
  for (double t = 0.0; t <= 2.0; t += 0.1) {
    const PoseReference at = tool_at(plan, t);
    EXPECT_LE((at.X_WE.rotation.transpose() * (plan.center - at.X_WE.translation) - seen).norm(),
              tolerance::kGuidancePlace);
  }
  EXPECT_LE((tool_at(plan, 2.0).X_WE.translation - Vector3(0.0, 0.0, 0.5)).norm(), tolerance::kGuidancePlace);
  plan.axis.setZero();
  EXPECT_TRUE(tool_at(plan, 1.0).X_WE.rotation.array().isNaN().all());
}

TEST(FlyingGuidance, ABaseFacesTheEndEffectorByTheShortestWay) {
  RandomStates random(6203);
  SCOPED_TRACE(random.text());
  BasePlan plan{.kind = BaseGuidance::face};
  for (int i = 0; i < 200; ++i) {
    plan.start = turn_of(random);
    plan.pivot = random.vector(3);
    plan.direction = random.vector(3);
    const Vector3 tool = random.vector(3, 2.0);
    const Vector3 d = plan.direction.normalized(), u = (tool - plan.pivot).normalized();
    if (d.dot(u) < -0.99) continue;
    const Matrix3 turn = base_at(plan, tool).R_WB * plan.start.transpose();
    EXPECT_LE((turn * d - u).norm(), tolerance::kGuidancePlace);
    EXPECT_NEAR(turn.trace(), 1.0 + 2.0 * d.dot(u), tolerance::kGuidancePlace);  // the angle between them, no more
  }
}

TEST(FlyingGuidance, CarryKeepsTheEndEffectorWhereItWasSeen) {
  RandomStates random(6204);
  SCOPED_TRACE(random.text());
  const FlyingPlan plan = random_plan(random, EndEffectorGuidance::circle, BaseGuidance::face, ComGuidance::carry);
  for (double t = 0.0; t <= 5.0; t += 0.1) {
    const FlyingReference at = flying_reference(plan, t);
    EXPECT_LE(
        (at.base.R_WB.transpose() * (at.end_effector.X_WE.translation - at.com.position) - plan.com.p_CE_B).norm(),
        tolerance::kGuidancePlace);
  }
}

TEST(FlyingGuidance, PassagesOfNoLengthAndBackwards) {
  EXPECT_EQ(passage_at({1.0, 1.0}, 0.999).s, 0.0);
  EXPECT_EQ(passage_at({1.0, 1.0}, 1.0).s, 1.0);
  EXPECT_EQ(passage_at({1.0, 1.0}, 1.0).s_dot, 0.0);
  for (const Passage& bad : {Passage{2.0, 1.0}, Passage{kNaN, 1.0}, Passage{0.0, kInfinity}}) {
    EXPECT_TRUE(std::isnan(passage_at(bad, 1.5).s));
    EXPECT_TRUE(std::isnan(passage_at(bad, 1.5).s_ddot));
  }
  EXPECT_TRUE(std::isnan(passage_at({0.0, 1.0}, kNaN).s));
  EXPECT_TRUE(std::isnan(passage_at({0.0, 1.0}, kInfinity).s));
}

bool is_all_nan(const AttitudeReference& base) {
  return base.R_WB.array().isNaN().all() && base.omega.array().isNaN().all() && base.omega_dot.array().isNaN().all();
}
bool is_all_nan(const PointReference& com) {
  return com.position.array().isNaN().all() && com.velocity.array().isNaN().all() &&
         com.acceleration.array().isNaN().all();
}
bool is_all_nan(const PoseReference& tool) {
  return tool.X_WE.rotation.array().isNaN().all() && tool.X_WE.translation.array().isNaN().all() &&
         tool.velocity.array().isNaN().all() && tool.acceleration.array().isNaN().all() &&
         tool.omega.array().isNaN().all() && tool.omega_dot.array().isNaN().all();
}

TEST(FlyingGuidance, WhatHasNoAnswerIsNaN) {
  const BasePlan face{.kind = BaseGuidance::face, .pivot = Vector3(1.0, 2.0, 3.0)};
  EXPECT_TRUE(is_all_nan(base_at(face, Vector3(1.0, 2.0, 3.0))));     // at the pivot
  EXPECT_TRUE(is_all_nan(base_at(face, Vector3(0.5, 2.0, 3.0))));     // opposite
  EXPECT_FALSE(is_all_nan(base_at(face, Vector3(0.5, 2.001, 3.0))));  // and not quite
  BasePlan blind = face;
  blind.direction.setZero();
  EXPECT_TRUE(is_all_nan(base_at(blind, Vector3::Zero())));

  // NaN anywhere goes through all later stages and leaves the earlier ones alone.
  RandomStates random(6205);
  SCOPED_TRACE(random.text());
  for (const auto kind : {EndEffectorGuidance::move, EndEffectorGuidance::circle}) {
    FlyingPlan plan = random_plan(random, kind, BaseGuidance::face, ComGuidance::carry);
    plan.end_effector.start.rotation(1, 2) = kNaN;
    FlyingReference at = flying_reference(plan, 1.0);
    EXPECT_TRUE(is_all_nan(at.end_effector) && is_all_nan(at.base) && is_all_nan(at.com));
    plan = random_plan(random, kind, BaseGuidance::move, ComGuidance::carry);
    plan.base.goal(0, 0) = kInfinity;
    at = flying_reference(plan, 1.0);
    EXPECT_TRUE(!is_all_nan(at.end_effector) && is_all_nan(at.base) && is_all_nan(at.com));
    plan = random_plan(random, kind, BaseGuidance::move, ComGuidance::carry);
    plan.com.p_CE_B.z() = kNaN;
    at = flying_reference(plan, 1.0);
    EXPECT_TRUE(!is_all_nan(at.end_effector) && !is_all_nan(at.base) && is_all_nan(at.com));
    plan.com.kind = ComGuidance::move;  // which does not read it
    EXPECT_FALSE(is_all_nan(flying_reference(plan, 1.0).com));
  }
}

TEST(FlyingGuidance, AllocatesNothing) {
  RandomStates random(6206);
  for (const auto tool : {EndEffectorGuidance::move, EndEffectorGuidance::circle}) {
    for (const auto base : {BaseGuidance::move, BaseGuidance::face}) {
      FlyingPlan plan = random_plan(random, tool, base, ComGuidance::carry);
      for (int i = 0; i < 20; ++i) {
        if (i == 10) plan.end_effector.passage.end = kNaN;
        const test::AllocationCounter counter;
        const FlyingReference at = flying_reference(plan, 0.3 * i);
        EXPECT_EQ(counter.count(), 0);
        EXPECT_EQ(is_all_nan(at.end_effector), i >= 10);
      }
    }
  }
}

}  // namespace
}  // namespace antaeus
