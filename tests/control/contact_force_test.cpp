#include "antaeus/control/contact_force.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "control/control_step.hpp"
#include "control/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/noise.hpp"

namespace antaeus {
namespace {

using test::kControlStep;

/// Two joints that slide along world z and x, each of 1 kg, without weight: J is what one writes down.
ToolState sliding_state(double v_z, double v_x) {
  ToolState state;
  state.status = Status::ok;
  state.q = VectorX::Zero(2);
  state.v = (VectorX(2) << v_z, v_x).finished();
  state.X_WT = {};
  state.J = Matrix6X::Zero(6, 2);
  state.J(2, 0) = state.J(0, 1) = 1.0;
  state.twist = state.J * state.v;
  state.drift.setZero();
  state.h = VectorX::Zero(2);
  state.M = MatrixX::Identity(2, 2);
  state.M_inv_Jt = state.J.transpose();
  state.Lambda.setIdentity();
  return state;
}

ContactForceOptions without_noise() {
  ContactForceOptions options;
  options.torque_sd = options.velocity_sd = options.bias_floor = options.coulomb_floor = 0.0;
  return options;
}

JointFriction friction_of(double b, double c, double b_sd, double c_sd) {
  const auto both = [](double value) { return VectorX::Constant(2, value); };
  return {both(b), both(c), both(b_sd * b_sd), both(c_sd * c_sd), both(0.0)};
}

TEST(ContactForce, TheObserverFindsAPushOnASwingingArm) {
  // Torques of a known motion by Pinocchio's recursion, less what pushes; the observer knows no acceleration.
  const RobotModel model = test::own_robot("ur5e").model;
  ToolDynamics tool(model, "tool0");
  Dynamics dynamics(model);
  test::RandomStates random(5301);
  SCOPED_TRACE(random.text());
  const VectorX middle = random.configuration(model, 1.0), phase = random.vector(6, 3.0), still = VectorX::Zero(6);
  Vector6 push;
  push << 5.0, -3.0, 8.0, 0.4, -0.2, 0.3;
  constexpr double w = 6.0, size = 0.3;  // up to 1.8 rad/s
  const auto swing = [&](double time, int derivative) {
    const double turn = 0.5 * 3.141592653589793 * derivative;
    return VectorX(size * std::pow(w, derivative) * (w * time + phase.array() + turn).sin());
  };
  ContactForceEstimator estimator(6, kControlStep);
  VectorX pushed(6), late(6), tau(6);
  double largest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double time = i * kControlStep, between = time - 0.5 * kControlStep;
    const VectorX q = middle + swing(between, 0), v = swing(between, 1);
    pushed = tool.at(q, still).J.transpose() * push;
    ASSERT_EQ(dynamics.inverse_dynamics(q, v, swing(between, 2), tau), Status::ok);
    largest = std::max(largest, (tau - pushed).norm());
    tau -= pushed;
    estimator.update(tool.at(middle + swing(time, 0), swing(time, 1)), tau, {});
    if (i == 0) late = pushed;
    late += (1.0 - std::exp(-62.8 * kControlStep)) * (pushed - late);  // the observer is that late
    if (i < 200) continue;
    for (int joint = 0; joint < 6; ++joint) {
      ASSERT_NEAR(estimator.residual()[joint], late[joint], tolerance::kObservedTorque) << time;
    }
  }
  EXPECT_GT(largest, 50.0);
}

TEST(ContactForce, PressingIsPositiveAlongTheNormal) {
  ContactForceEstimator estimator(2, kControlStep, without_noise());
  ASSERT_EQ(estimator.set_friction(friction_of(0.0, 0.0, 0.1, 0.0)), Status::ok);
  const ToolState still = sliding_state(0.0, 0.0);
  // The table carries 5 N of an arm that pushes down with 5 N.
  const VectorX tau = (VectorX(2) << -5.0, 0.0).finished();
  ContactForce felt;
  for (int i = 0; i < 200; ++i) felt = estimator.update(still, tau, {.press = 5.0});
  EXPECT_EQ(felt.status, Status::ok);
  EXPECT_EQ(felt.verdict, Verdict::ok) << felt.reasons.text();
  EXPECT_NEAR(felt.force, 5.0, tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.sd, 0.1, tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.moving, 1.0, tolerance::kPosteriorByHand);
}

TEST(ContactForce, FrictionAtRestIsAllOfTheDoubt) {
  ContactForceEstimator estimator(2, kControlStep, without_noise());
  ASSERT_EQ(estimator.set_friction(friction_of(0.2, 1.5, 0.3, 0.1)), Status::ok);
  const ToolState still = sliding_state(0.0, 0.0);
  const VectorX tau = (VectorX(2) << -5.0, 0.0).finished();
  ContactForce felt;
  for (int i = 0; i < 200; ++i) felt = estimator.update(still, tau, {.press = 5.0});
  EXPECT_NEAR(felt.force, 4.8, tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.sd, std::hypot(1.5, 0.3), tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.hidden, 1.5, tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.moving, 0.0, tolerance::kPosteriorByHand);
  EXPECT_NEAR(estimator.sd_at_rest(still, {.press = 5.0}), felt.sd, tolerance::kPosteriorByHand);
}

TEST(ContactForce, MotionTellsFriction) {
  ContactForceEstimator estimator(2, kControlStep, without_noise());
  ASSERT_EQ(estimator.set_friction(friction_of(0.0, 1.5, 0.1, 0.2)), Status::ok);
  const ToolState rising = sliding_state(0.02, 0.0);  // friction acts downward: the motor gives it beside
  const VectorX tau = (VectorX(2) << -5.0 + 1.5, 0.0).finished();
  ContactForce felt;
  for (int i = 0; i < 400; ++i) felt = estimator.update(rising, tau, {.press = 5.0});
  EXPECT_NEAR(felt.force, 5.0, tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.sd, std::hypot(0.1, 0.2), tolerance::kPosteriorByHand);
  EXPECT_NEAR(felt.moving, 1.0, tolerance::kPosteriorByHand);
}

TEST(ContactForce, CovarianceOfATareInOneDirectionCounts) {
  // b and c are both unknown to 0.5, but b − c is known to 0.1: so is a motion in that direction, and no other.
  ContactForceOptions options = without_noise();
  JointFriction friction = friction_of(0.0, 1.0, 0.5, 0.5);
  friction.covariance.setConstant(0.25 - 0.5 * 0.01);
  for (const double v : {0.02, -0.02}) {
    ContactForceEstimator estimator(2, kControlStep, options);
    ASSERT_EQ(estimator.set_friction(friction), Status::ok);
    for (int i = 0; i < 300; ++i) estimator.update(sliding_state(v, 0.0), VectorX::Zero(2), {.press = 5.0});
    EXPECT_NEAR(estimator.felt().sd, v > 0.0 ? 0.1 : std::sqrt(0.5 + 2.0 * 0.245), tolerance::kPosteriorByHand);
  }
}

TEST(ContactForce, StatedIntervalsHoldWhatTheyState) {
  // Bias, friction and the contact's friction drawn as they are stated, while everything slides: neither too narrow
  // nor too wide.
  test::Noise noise(5302);
  int covered = 0;
  double scaled = 0.0;
  constexpr int kRuns = 2000;
  ContactForceOptions options = without_noise();
  options.torque_sd = 0.02;
  for (int run = 0; run < kRuns; ++run) {
    ContactForceEstimator estimator(2, 0.01, options);
    ASSERT_EQ(estimator.set_friction(friction_of(0.0, 1.0, 0.3, 0.2)), Status::ok);
    const double v_z = run % 2 ? 0.02 : -0.02, sign = run % 2 ? 1.0 : -1.0;
    const double b = 0.3 * noise(), c = 1.0 + 0.2 * noise(), force = 5.0;
    VectorX tau(2);
    for (int i = 0; i < 60; ++i) {
      tau << -force - b + c * sign + options.torque_sd * noise(), 0.0;
      estimator.update(sliding_state(v_z, 0.0), tau, {.press = force});
    }
    const double off = (estimator.felt().force - force) / estimator.felt().sd;
    covered += std::abs(off) <= 1.96;
    scaled += off * off;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kRuns, 0.95, tolerance::kCoverageOfRuns);
  EXPECT_NEAR(std::sqrt(scaled / kRuns), 1.0, tolerance::kScaleOfRuns);
}

TEST(ContactForce, ScatterWithinTheWindowIsDoubt) {
  ContactForceEstimator estimator(2, kControlStep, without_noise());
  ASSERT_EQ(estimator.set_friction(friction_of(0.0, 0.0, 0.1, 0.0)), Status::ok);
  const ToolState still = sliding_state(0.0, 0.0);
  // A force of 5 ± 1 N that turns slowly against the observer.
  for (int i = 0; i < 4000; ++i) {
    const VectorX tau = (VectorX(2) << -5.0 - std::sin(0.002 * i * 3.14159265), 0.0).finished();
    estimator.update(still, tau, {.press = 5.0, .window = 1.0});
  }
  EXPECT_NEAR(estimator.felt().force, 5.0, tolerance::kSwingingForce);
  EXPECT_NEAR(estimator.felt().sd, std::sqrt(0.01 + 0.5), tolerance::kSwingingForce);
}

TEST(ContactForce, VerdictSaysWhatAnSdIsGoodFor) {
  const ToolState still = sliding_state(0.0, 0.0);
  const auto verdict_of = [&](double c) {
    ContactForceEstimator estimator(2, kControlStep, without_noise());
    EXPECT_EQ(estimator.set_friction(friction_of(0.0, c, 0.1, 0.1)), Status::ok);
    for (int i = 0; i < 200; ++i) estimator.update(still, VectorX::Zero(2), {.press = 5.0});
    return estimator.felt();
  };
  EXPECT_EQ(verdict_of(1.0).verdict, Verdict::ok);
  EXPECT_EQ(verdict_of(3.0).verdict, Verdict::degraded);
  EXPECT_TRUE(verdict_of(3.0).reasons.has(Reason::uncertain));
  EXPECT_EQ(verdict_of(6.0).verdict, Verdict::unobservable);
  EXPECT_TRUE(verdict_of(6.0).reasons.has(Reason::unobservable_direction));
}

TEST(ContactForce, ADirectionThatNoJointFeelsIsUnobservable) {
  ContactForceEstimator estimator(2, kControlStep);
  const ToolState still = sliding_state(0.0, 0.0);
  const ContactForce& felt = estimator.update(still, VectorX::Zero(2), {.normal = Vector3::UnitY(), .press = 5.0});
  EXPECT_EQ(felt.verdict, Verdict::unobservable);
  EXPECT_TRUE(std::isnan(felt.force));
  EXPECT_EQ(felt.sd, kInfinity);
  EXPECT_EQ(estimator.sd_at_rest(still, {.normal = Vector3::UnitY(), .press = 5.0}), kInfinity);
}

TEST(ContactForce, BadInputIsAStatusAndTheNextCycleStartsAnew) {
  ContactForceEstimator estimator(2, kControlStep);
  const ToolState still = sliding_state(0.0, 0.0);
  const VectorX tau = VectorX::Zero(2);
  for (int i = 0; i < 10; ++i) estimator.update(still, tau, {});
  const auto expect_refused = [&](const ToolState& state, const VectorX& torque, const ContactSituation& contact,
                                  Status why) {
    const ContactForce& felt = estimator.update(state, torque, contact);
    EXPECT_EQ(felt.status, why);
    EXPECT_EQ(felt.verdict, Verdict::invalid_input);
    for (const double number : {felt.force, felt.sd, felt.instant, felt.instant_sd, felt.moving, felt.hidden}) {
      EXPECT_TRUE(std::isnan(number));
    }
    EXPECT_TRUE(estimator.residual().hasNaN());
    EXPECT_EQ(estimator.update(still, tau, {}).status, Status::ok);
    EXPECT_TRUE(estimator.felt().reasons.has(Reason::settling));
  };
  expect_refused(still, (VectorX(2) << kNaN, 0.0).finished(), {}, Status::not_finite);
  expect_refused(still, VectorX::Zero(3), {}, Status::wrong_size);
  expect_refused(ToolState{}, tau, {}, Status::wrong_size);
  ToolState broken = still;
  broken.status = Status::not_finite;
  expect_refused(broken, tau, {}, Status::not_finite);
  expect_refused(still, tau, {.normal = Vector3(0.0, 0.0, 2.0)}, Status::not_finite);
  expect_refused(still, tau, {.press = -1.0}, Status::not_finite);
  expect_refused(still, tau, {.press = kNaN}, Status::not_finite);
  EXPECT_TRUE(std::isnan(estimator.sd_at_rest(broken, {})));
}

TEST(ContactForce, FrictionThatIsNoneIsRefused) {
  ContactForceEstimator estimator(2, kControlStep);
  JointFriction friction = friction_of(0.1, 0.2, 0.3, 0.4);
  ASSERT_EQ(estimator.set_friction(friction), Status::ok);
  friction.coulomb[1] = -0.1;
  EXPECT_EQ(estimator.set_friction(friction), Status::not_finite);
  friction.coulomb = VectorX::Zero(3);
  EXPECT_EQ(estimator.set_friction(friction), Status::wrong_size);
  EXPECT_EQ(estimator.friction().coulomb[1], 0.2);
  EXPECT_THROW(ContactForceEstimator(0, kControlStep), OptionsError);
  EXPECT_THROW(ContactForceEstimator(2, 0.0), OptionsError);
  EXPECT_THROW(ContactForceEstimator(2, kControlStep, {.observer_rate = -1.0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
