#include "antaeus/sim/mujoco_flight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/space/free_flight.hpp"
#include "antaeus/space/free_flyer.hpp"
#include "sim/scenes.hpp"
#include "sim/tolerances.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::own_robot;
using test::RandomStates;

const char* const kRobots[] = {"spacecraft_ur3", "spacecraft_panda"};

struct Start {
  VectorX q, v, tau;
};

/// Turned anyhow, spinning at up to 0.3 rad/s, joints bent: torques that a controller of the arm would give.
Start start_of(const RobotModel& model, RandomStates& random, double base_force) {
  Start start{random.configuration(model, 1.0), random.vector(model.nv(), 0.3), random.vector(model.nv(), 0.05)};
  start.tau.segment<3>(0) = random.vector(3, base_force);
  start.tau.segment<3>(3) = random.vector(3, base_force);
  return start;
}

/// Largest distance of the two flights' states after \p seconds.
double distance(const RobotModel& model, const Start& start, double dt, double seconds) {
  FreeFlight ours(model);
  MujocoFlight theirs(model, dt);
  EXPECT_EQ(ours.reset(start.q, start.v), Status::ok);
  EXPECT_EQ(theirs.reset(start.q, start.v), Status::ok);
  for (int step = 0; step < std::lround(seconds / dt); ++step) {
    EXPECT_EQ(ours.step(start.tau, dt), Status::ok);
    EXPECT_EQ(theirs.step(start.tau, dt), Status::ok);
  }
  EXPECT_NEAR(theirs.time(), seconds, tolerance::kFlightTime);
  VectorX apart(model.nv());
  EXPECT_EQ(model.difference(ours.q(), theirs.q(), apart), Status::ok);
  return std::max(apart.cwiseAbs().maxCoeff(), (ours.v() - theirs.v()).cwiseAbs().maxCoeff());
}

TEST(MujocoFlight, FliesAsPinocchioDoes) {
  RandomStates random(6231);
  SCOPED_TRACE(random.text());
  for (const char* const name : kRobots) {
    const RobotModel model = own_robot(name).model;
    const Start joints_only = start_of(model, random, 0.0), pushed = start_of(model, random, 20.0);
    const double alone = distance(model, joints_only, 1e-3, 2.0), with_base = distance(model, pushed, 1e-3, 2.0);
    std::cout << name << ", 2 s: without base force " << alone << ", with it " << with_base << '\n';
    EXPECT_LE(alone, tolerance::kFlightApart);
    EXPECT_LE(with_base, tolerance::kPushedFlightApart);
    // A force in world axes as the step begins would leave an error of the first order, this one of the second.
    const double coarse = distance(model, pushed, 1e-2, 1.0), fine = distance(model, pushed, 5e-3, 1.0);
    std::cout << "  with base force, 1 s: " << coarse << " at 10 ms, " << fine << " at 5 ms\n";
    EXPECT_GT(coarse / fine, 3.0);
  }
}

TEST(MujocoFlight, MomentumIsKept) {
  RandomStates random(6232);
  SCOPED_TRACE(random.text());
  for (const char* const name : kRobots) {
    const RobotModel model = own_robot(name).model;
    FreeFlyer flying(model, std::string(name) == "spacecraft_ur3" ? "ee_link" : "panda_hand_tcp");
    MujocoFlight flight(model);
    const Start start = start_of(model, random, 0.0);
    ASSERT_EQ(flight.reset(start.q, start.v), Status::ok);
    const FreeFlyingTerms& terms = flying.at(flight.q(), flight.v());
    const Vector3 linear = terms.momentum_linear, angular = terms.momentum_angular;
    for (int step = 0; step < 2000; ++step) ASSERT_EQ(flight.step(start.tau, 1e-3), Status::ok);
    flying.at(flight.q(), flight.v());
    const double drift_linear = (terms.momentum_linear - linear).norm();
    const double drift_angular = (terms.momentum_angular - angular).norm();
    std::cout << name << ": momentum drift " << drift_linear << " of " << linear.norm() << " N·s, " << drift_angular
              << " of " << angular.norm() << " N·m·s\n";
    EXPECT_GT(linear.norm(), 1.0);
    EXPECT_LE(drift_linear, tolerance::kFlightMomentum);
    EXPECT_LE(drift_angular, tolerance::kFlightMomentum);
  }
}

TEST(MujocoFlight, SeveralStepsInOneCallAreTheSameFlight) {
  const RobotModel model = own_robot("spacecraft_ur3").model;
  RandomStates random(6233);
  SCOPED_TRACE(random.text());
  const Start start = start_of(model, random, 5.0);
  MujocoFlight one(model), several(model);
  ASSERT_EQ(one.reset(start.q, start.v), Status::ok);
  ASSERT_EQ(several.reset(start.q, start.v), Status::ok);
  for (int step = 0; step < 20; ++step) ASSERT_EQ(one.step(start.tau, one.time_step()), Status::ok);
  for (int step = 0; step < 4; ++step) ASSERT_EQ(several.step(start.tau, 5e-3), Status::ok);
  EXPECT_EQ(one.q(), several.q());
  EXPECT_EQ(one.v(), several.v());
}

TEST(MujocoFlight, BadArgumentsLeaveTheState) {
  const RobotModel model = own_robot("spacecraft_ur3").model;
  RandomStates random(6234);
  SCOPED_TRACE(random.text());
  const Start start = start_of(model, random, 5.0);
  MujocoFlight flight(model), other(model);
  ASSERT_EQ(flight.reset(start.q, start.v), Status::ok);
  ASSERT_EQ(other.reset(start.q, start.v), Status::ok);
  ASSERT_EQ(flight.step(start.tau, 1e-3), Status::ok);
  ASSERT_EQ(other.step(start.tau, 1e-3), Status::ok);
  VectorX bad = start.tau;
  bad[7] = kNaN;
  EXPECT_EQ(flight.step(bad, 1e-3), Status::not_finite);
  bad[7] = 1e11;
  EXPECT_EQ(flight.step(bad, 1e-3), Status::not_finite);
  bad[7] = 9e9;  // 1e15 rad/s² in a wrist: past MuJoCo's bound within a second
  EXPECT_EQ(flight.step(bad, 1e-1), Status::not_finite);
  EXPECT_EQ(flight.step(VectorX::Zero(5), 1e-3), Status::wrong_size);
  EXPECT_EQ(flight.step(start.tau, kNaN), Status::not_finite);
  for (const double dt : {0.0, -1e-3, 1.5e-3, 5e-4, 2.0}) {
    EXPECT_EQ(flight.step(start.tau, dt), Status::wrong_size) << dt;
  }
  VectorX q = start.q;
  q.segment<4>(3) *= 1.01;
  EXPECT_EQ(flight.reset(q, start.v), Status::bad_orientation);
  q.setConstant(kNaN);
  EXPECT_EQ(flight.reset(q, start.v), Status::not_finite);
  EXPECT_EQ(flight.reset(start.q, VectorX::Zero(3)), Status::wrong_size);
  // All of it was as if it had not been.
  EXPECT_EQ(flight.time(), other.time());
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(flight.step(start.tau, 1e-3), Status::ok);
    EXPECT_EQ(other.step(start.tau, 1e-3), Status::ok);
    EXPECT_EQ(flight.q(), other.q());
    EXPECT_EQ(flight.v(), other.v());
  }
}

TEST(MujocoFlight, JointsHeldInTheModelAloneAreRefused) {
  const Robot robot = own_robot("spacecraft_ur3");
  ModelOptions options = robot.profile.options;
  options.locked_joints = {{"elbow_joint", 1.0}};
  options.motors.clear();
  const RobotModel held(robot.model.description(), options);
  EXPECT_NO_THROW(MujocoFlight{held});
  EXPECT_THROW(MujocoFlight(MujocoScene(flyer_scene(robot.model)), held), ModelError);
}

TEST(MujocoFlight, AllocatesNothing) {
  RandomStates random(6235);
  for (const char* const name : kRobots) {
    const RobotModel model = own_robot(name).model;
    const Start start = start_of(model, random, 5.0);
    MujocoFlight flight(model);
    const VectorX bad = VectorX::Constant(model.nv(), kNaN);
    ASSERT_EQ(flight.reset(start.q, start.v), Status::ok);
    const test::AllocationCounter counter;
    for (int step = 0; step < 50; ++step) {
      flight.step(step % 7 == 6 ? bad : start.tau, 1e-3);
      if (step == 30) flight.reset(start.q, start.v);
    }
    EXPECT_EQ(counter.count(), 0);
    EXPECT_NEAR(flight.time(), 16 * flight.time_step(), tolerance::kFlightTime);  // 19 since the reset, 3 of them bad
  }
}

}  // namespace
}  // namespace antaeus
