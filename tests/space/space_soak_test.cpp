// A free-flying robot's terms, control, plant and base, with states and references that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/space/base_actuators.hpp"
#include "antaeus/space/flying_guidance.hpp"
#include "space/flying_rig.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::soak_faulty_cycles;
using test::Told;

class SpaceSoak : public testing::TestWithParam<FlyingLaw> {};

TEST_P(SpaceSoak, FlyingControl) {
  for (const char* robot : {"spacecraft_ur3", "spacecraft_panda"}) {
    FlyingControlSetup setup;
    setup.control.law = GetParam();
    setup.joints.torque_rate = 100.0;
    setup.base.thruster_force = 1.0;
    setup.base.wheel_torque = 1.0;
    setup.base.wheel_momentum = 2.0;
    test::Rig rig(robot, setup);
    const RobotModel& model = rig.flight.model();
    const VectorX ready = test::ready(robot, model);
    const FlyingReference here = test::here(rig.flying, ready);
    FlyingReference reference = here;
    VectorX q = ready, v = VectorX::Zero(model.nv());
    double dt = 1e-3;
    soak_faulty_cycles(
        std::string(to_string(GetParam())) + " of the " + robot, {.seed = 3571, .sample = 3000},
        [&](Faults& faults) {
          q = ready;
          v.resize(model.nv());
          faults.fill(v, 0.01);
          q.tail(rig.flying.joints()) += v.tail(rig.flying.joints());
          reference = here;
          dt = 1e-3;
          if (faults.below(2) == 0) {
            faults.spoil_quaternion(q.segment<4>(3));
          } else {
            faults.spoil(q);
          }
          faults.spoil(v);
          faults.spoil_step(dt);
          faults.spoil_entry(reference.com.position);
          faults.spoil_entry(reference.end_effector.X_WE.translation);
          faults.spoil_entry(reference.base.R_WB.col(2));
        },
        [&] { rig.control.update(q, v, reference, dt); },
        [&] {
          const FlyingCommand& command = rig.control.last();
          const bool ok = command.status == Status::ok;
          EXPECT_TRUE(command.tau.allFinite()) << "not ok: the robot coasts";
          EXPECT_TRUE(ok || command.tau.isZero(0.0));
          const FlyingCommand& c = command;
          return Told(ok, c.wanted.allFinite() && c.x_c.allFinite() && c.x_b.allFinite() && c.x_p.allFinite() &&
                              c.x_o.allFinite() && std::isfinite(c.energy) && std::isfinite(c.gamma) &&
                              rig.control.base_effort().wheel_momentum.cwiseAbs().maxCoeff() <= 2.0 * (1.0 + 1e-12));
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, SpaceSoak,
                         testing::Values(FlyingLaw::regulator, FlyingLaw::tracker, FlyingLaw::carried));

/// The state never leaves the numbers: a bad torque or step leaves it as it was.
TEST(SpaceSoakParts, FreeFlightAndFreeFlyer) {
  const RobotModel model = test::own_robot("spacecraft_panda").model;
  FreeFlight flight(model);
  FreeFlyer flying = test::flyer("spacecraft_panda");
  const VectorX ready = test::ready("spacecraft_panda", model), still = VectorX::Zero(model.nv());
  ASSERT_EQ(flight.reset(ready, still), Status::ok);
  VectorX tau(model.nv());
  double dt = 1e-3;
  Status stepped = Status::ok;
  int cycle = 0;
  soak_faulty_cycles(
      "FreeFlight and FreeFlyer", {.seed = 3572, .sample = 3000},
      [&](Faults& faults) {
        tau.resize(model.nv());
        faults.fill(tau, 0.1);
        dt = 1e-3;
        faults.spoil(tau);
        faults.spoil_step(dt);
      },
      [&] {
        if (++cycle % 300 == 0) flight.reset(ready, still);
        stepped = flight.step(tau, dt);
        flying.at(flight.q(), flight.v());
      },
      [&] {
        Told told(stepped == Status::ok, flight.v_dot().allFinite());
        EXPECT_TRUE(flight.q().allFinite() && flight.v().allFinite()) << "cycle " << cycle;
        const FreeFlyingTerms& terms = flying.terms();
        EXPECT_TRUE(terms.status != Status::ok || test::is_finite(flying.motion().X_WE));
        // A torque that is a number and too large for any robot ends far away: the caller's reset is due.
        if (stepped == Status::ok && terms.status != Status::ok) flight.reset(ready, still);
        return told;
      });
}

TEST(SpaceSoakParts, BaseActuators) {
  BaseActuators base({.thruster_force = 1.0, .wheel_torque = 0.5, .wheel_momentum = 0.3, .thruster_torque = 0.1});
  Vector3 force, torque, omega;
  double dt = 1e-3;
  soak_faulty_cycles(
      "BaseActuators", {.seed = 3573},
      [&](Faults& faults) {
        for (Vector3* one : {&force, &torque, &omega}) {
          faults.fill(*one, 2.0);
          faults.spoil_entry(*one);
        }
        dt = 1e-3;
        faults.spoil_step(dt);
      },
      [&] { base.apply(force, torque, omega, dt); },
      [&] {
        const BaseEffort& effort = base.last();
        EXPECT_TRUE(effort.force.allFinite() && effort.torque.allFinite()) << "bad input: zero";
        EXPECT_TRUE(effort.wheel_momentum.allFinite()) << "wheels stay";
        return Told(effort.status == Status::ok, effort.force.cwiseAbs().maxCoeff() <= 1.0);
      });
}

TEST(SpaceSoakParts, Guidance) {
  FlyingPlan plan;
  double time = 0.0;
  FlyingReference reference;
  soak_faulty_cycles(
      "flying_reference", {.seed = 3574},
      [&](Faults& faults) {
        plan = {};
        plan.end_effector.passage = {0.0, 2.0};
        plan.end_effector.goal.translation.x() = 1.0;
        plan.com = {.kind = ComGuidance::carry, .p_CE_B = Vector3::UnitX()};
        time = 1.0 + faults.number(1.5);
        faults.spoil(time);
        faults.spoil_entry(plan.end_effector.goal.translation);
        faults.spoil_entry(plan.com.p_CE_B);
      },
      [&] { reference = flying_reference(plan, time); },
      [&] {
        const bool ok = reference.com.position.allFinite() && test::is_finite(reference.end_effector.X_WE);
        return Told(ok, true);
      });
}

}  // namespace
}  // namespace antaeus
