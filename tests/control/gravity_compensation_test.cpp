#include "antaeus/control/gravity_compensation.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "support/controlled_arms.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::ControlledArm;

GravityCompensationOptions held(CarriedLoad carried, double integral = 0.0) {
  GravityCompensationOptions options;
  options.carried = carried;
  options.hold_stiffness = 400.0;
  options.hold_damping = 40.0;
  options.hold_integral = integral;
  return options;
}

TEST(GravityCompensation, IsGravitysTorque) {
  for (const ControlledArm& arm : test::controlled_arms()) {
    SCOPED_TRACE(arm.name);
    Dynamics dynamics(arm.model);
    GravityCompensation gravity(arm.model), all(arm.model, {.carried = CarriedLoad::nonlinear_effects}),
        nothing(arm.model, {.carried = CarriedLoad::nothing, .hold_damping = 2.0});
    VectorX g(arm.model.nv()), h(arm.model.nv());
    const VectorX v = VectorX::Constant(arm.model.nv(), 0.7);
    ASSERT_EQ(dynamics.at(arm.home).gravity_torque(g), Status::ok);
    ASSERT_EQ(dynamics.nonlinear_effects(arm.home, v, h), Status::ok);
    EXPECT_LE((gravity.update(arm.home, v).tau - g).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
    EXPECT_LE((all.update(arm.home, v).tau - h).cwiseAbs().maxCoeff(), tolerance::kSameQuantity);
    EXPECT_EQ(nothing.update(arm.home, v).tau, -2.0 * v);
    EXPECT_EQ(gravity.integral_state(), IntegralState::off);
  }
}

/// Rests where the spring carries gravity; the integral brings it back.
TEST(GravityCompensation, SagsWithoutGravityAndTheIntegralLiftsIt) {
  const ControlledArm arm = test::controlled_panda();
  const HoldTarget target{.q = arm.home};
  const auto rest = [&](GravityCompensation& control) {
    test::FreeArm free(arm.model, arm.home, VectorX::Zero(7));
    for (int i = 0; i < 4000; ++i) {
      const VectorX tau = control.update(free.q, free.v, target).tau;
      EXPECT_TRUE(free.step(1e-3, [&](const VectorX&, const VectorX&) { return tau; }));
    }
    return VectorX(free.q - arm.home);
  };
  GravityCompensation sagging(arm.model, held(CarriedLoad::nothing)), still(arm.model, held(CarriedLoad::gravity));
  GravityCompensationOptions lifting = held(CarriedLoad::nothing, 1600.0);
  lifting.integral_limit = 60.0;
  GravityCompensation lifted(arm.model, lifting);
  const VectorX sag = rest(sagging);
  Dynamics dynamics(arm.model);
  VectorX g(7);
  ASSERT_EQ(dynamics.at(arm.home + sag).gravity_torque(g), Status::ok);
  EXPECT_LE((400.0 * sag + g).cwiseAbs().maxCoeff(), 0.1);  // at rest the spring is g
  EXPECT_GT(sag.cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LE(rest(still).cwiseAbs().maxCoeff(), tolerance::kGravityHold);
  EXPECT_LE(rest(lifted).cwiseAbs().maxCoeff(), 0.01 * sag.cwiseAbs().maxCoeff());
  EXPECT_EQ(lifted.integral_state(), IntegralState::integrating);
}

TEST(GravityCompensation, TheIntegralStandsStillWhereItWouldFightAContact) {
  const ControlledArm arm = test::controlled_ur5e();
  GravityCompensation control(arm.model, held(CarriedLoad::gravity, 100.0));
  HoldTarget target{.q = arm.home + VectorX::Constant(6, 0.01)};
  const VectorX rest = VectorX::Zero(6);
  const auto state_after = [&](const Wrench& wrench, Verdict verdict) {
    target.wrench = wrench;
    target.verdict = verdict;
    const VectorX before = control.integral();
    EXPECT_EQ(control.update(arm.home, rest, target).status, Status::ok);
    const bool has_moved = control.integral() != before;
    EXPECT_EQ(has_moved, control.integral_state() == IntegralState::integrating);
    return control.integral_state();
  };
  EXPECT_EQ(state_after({}, Verdict::ok), IntegralState::integrating);
  EXPECT_EQ(state_after({Vector3(4.9, 0.0, 0.0), Vector3(0.0, 0.9, 0.0)}, Verdict::ok), IntegralState::integrating);
  EXPECT_EQ(state_after({Vector3(-4.0, 4.0, 0.0), Vector3::Zero()}, Verdict::ok), IntegralState::frozen_by_wrench);
  EXPECT_EQ(state_after({Vector3::Zero(), Vector3(0.0, -1.1, 0.0)}, Verdict::ok), IntegralState::frozen_by_wrench);
  EXPECT_EQ(state_after({Vector3(kNaN, 0.0, 0.0), Vector3::Zero()}, Verdict::ok), IntegralState::frozen_no_wrench);
  for (const Verdict verdict : {Verdict::degraded, Verdict::refused, Verdict::unobservable, Verdict::invalid_input}) {
    EXPECT_EQ(state_after({}, verdict), IntegralState::frozen_by_verdict);
  }
  EXPECT_EQ(state_after({}, Verdict::ok), IntegralState::integrating);
  EXPECT_LE((control.integral() - VectorX::Constant(6, 3 * 100.0 * 0.01 * 0.001)).norm(), tolerance::kArithmetic);
  control.reset();
  EXPECT_EQ(control.integral(), VectorX::Zero(6));
}

TEST(GravityCompensation, TheIntegralDoesNotWindUp) {
  const ControlledArm arm = test::controlled_ur5e();
  GravityCompensationOptions options = held(CarriedLoad::gravity, 1000.0);
  options.integral_limit = 2.0;
  GravityCompensation control(arm.model, options);
  const VectorX rest = VectorX::Zero(6);
  HoldTarget target{.q = arm.home + VectorX::Constant(6, 0.05)};
  for (int i = 0; i < 1000; ++i) control.update(arm.home, rest, target);
  EXPECT_EQ(control.integral(), VectorX::Constant(6, 2.0));
  EXPECT_EQ(control.integral_state(), IntegralState::at_limit);
  // A motor at its limit: the spring alone asks for more than it has, and the integral waits.
  options.integral_limit = 1000.0;
  GravityCompensation patient(arm.model, options);
  target.q = arm.home + VectorX::Constant(6, 3.0);
  EXPECT_TRUE(patient.update(arm.home, rest, target).is_limited);
  const VectorX before = patient.integral();
  for (int i = 0; i < 10; ++i) patient.update(arm.home, rest, target);
  EXPECT_EQ(patient.integral_state(), IntegralState::at_limit);
  EXPECT_EQ(patient.integral(), before);
  // The way back is free.
  target.q = arm.home - VectorX::Constant(6, 0.1);
  patient.update(arm.home, rest, target);
  EXPECT_TRUE((patient.integral().array() < before.array()).all());
}

TEST(GravityCompensation, BadInputGivesNaN) {
  const ControlledArm arm = test::controlled_ur5e();
  GravityCompensation control(arm.model, held(CarriedLoad::gravity, 100.0));
  const VectorX rest = VectorX::Zero(6), nan = VectorX::Constant(6, kNaN);
  const HoldTarget target{.q = arm.home};
  const auto refused = [&](const LimitedTorque& given, Status why) {
    EXPECT_EQ(given.status, why);
    EXPECT_TRUE(given.tau.array().isNaN().all());
    EXPECT_EQ(control.integral(), VectorX::Zero(6));
  };
  refused(control.update(nan, rest), Status::not_finite);
  refused(control.update(arm.home, nan, target), Status::not_finite);
  refused(control.update(arm.home.head(5), rest, target), Status::wrong_size);
  refused(control.update(arm.home, rest, {.q = nan}), Status::not_finite);
  refused(control.update(arm.home, rest, {.q = VectorX::Zero(7)}), Status::wrong_size);
  GravityCompensationOptions bad;
  bad.integral_force = 0.0;
  EXPECT_THROW(GravityCompensation(arm.model, bad), OptionsError);
  EXPECT_THROW(GravityCompensation(test::own_robot("panda").model), ModelError);
}

}  // namespace
}  // namespace antaeus
