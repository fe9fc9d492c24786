#include "antaeus/space/free_flight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "antaeus/core/error.hpp"
#include "space/space_robots.hpp"
#include "space/tolerances.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

/// Changes of a tumbling robot's momentum while torques act between its joints alone.
struct Drift {
  double linear, angular, size;
  VectorX end;  // q and v
};

/// Joint torques vary as sines, constant through intervals of 10 ms whatever the step, so that all runs have the same
/// torques and the step alone makes the error.
Drift drift(const std::string& name, double dt, double duration) {
  FreeFlyer flying = test::flyer(name);
  const int n = flying.joints();
  FreeFlight flight(flying.model());
  VectorX q = flying.model().neutral(), v = VectorX::Zero(6 + n), tau = VectorX::Zero(6 + n);
  for (int k = 0; k < n; ++k) {
    q[7 + k] = name == "spacecraft_panda" && k == 3 ? -1.5 : 0.3 + 0.2 * k;
    v[6 + k] = 0.4 * std::cos(2.0 * k);
  }
  v.head<6>() << 0.05, -0.03, 0.02, 0.25, -0.2, 0.15;
  EXPECT_EQ(flight.reset(q, v), Status::ok);
  flying.at(q, v);
  const Vector3 p = flying.terms().momentum_linear, h = flying.terms().momentum_angular;
  const int intervals = static_cast<int>(std::lround(duration / 0.01)),
            inner = static_cast<int>(std::lround(0.01 / dt));
  for (int i = 0; i < intervals; ++i) {
    for (int k = 0; k < n; ++k) tau[6 + k] = 0.3 / (1.0 + k) * std::sin(0.02 * i + k);
    for (int j = 0; j < inner; ++j) EXPECT_EQ(flight.step(tau, dt), Status::ok);
  }
  flying.at(flight.q(), flight.v());
  EXPECT_NEAR(flight.q().segment<4>(3).norm(), 1.0, tolerance::kUnitQuaternion);
  EXPECT_NEAR(flight.time(), duration, tolerance::kUnitQuaternion * duration / dt);
  VectorX end(flight.q().size() + flight.v().size());
  end << flight.q(), flight.v();
  return {(flying.terms().momentum_linear - p).norm(), (flying.terms().momentum_angular - h).norm(), h.norm(), end};
}

TEST(FreeFlight, IsOfOrderFourInTheStepAndSoIsItsMomentum) {
  for (const char* name : {"spacecraft_ur3", "spacecraft_panda"}) {
    SCOPED_TRACE(name);
    const Drift coarse = drift(name, 0.01, 1.0), fine = drift(name, 0.005, 1.0);
    std::cout << name << ": h " << coarse.size << ", drift at 10 ms " << coarse.linear << " " << coarse.angular
              << ", at 5 ms " << fine.linear << " " << fine.angular << "\n";
    EXPECT_GT(coarse.linear / fine.linear, 10.0);
    EXPECT_LT(coarse.linear / fine.linear, 40.0);
    EXPECT_GT(coarse.angular / fine.angular, 10.0);
    EXPECT_LT(coarse.angular / fine.angular, 40.0);
    const VectorX finest = drift(name, 0.001, 1.0).end;
    EXPECT_GT(test::largest(coarse.end - finest) / test::largest(fine.end - finest), 12.0);
  }
}

TEST(FreeFlight, KeepsMomentumForFiveSecondsAtOneMillisecond) {
  const Drift fine = drift("spacecraft_ur3", 0.001, 5.0);
  std::cout << "h " << fine.size << ", drift " << fine.linear << " " << fine.angular << "\n";
  EXPECT_LT(fine.linear, tolerance::kMomentumDrift);
  EXPECT_LT(fine.angular, tolerance::kMomentumDrift);
}

/// A body that turns about a fixed axis: the pose after a second is known.
TEST(FreeFlight, MovesTheBaseAlongItsOwnAxes) {
  FreeFlight flight(test::own_robot("spacecraft_ur3").model);
  FreeFlyer flying = test::flyer("spacecraft_ur3");
  const VectorX q = flying.model().neutral();
  VectorX v = VectorX::Zero(12), tau = VectorX::Zero(12), a(12);
  v.head<3>() << 0.1, -0.2, 0.3;
  ASSERT_EQ(flight.reset(q, v), Status::ok);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(flight.step(tau, 0.01), Status::ok);
  EXPECT_LT((flight.q().head<3>() - v.head<3>()).norm(), tolerance::kMapVelocity) << "free motion is straight";
  Dynamics dynamics(flying.model());
  tau << 1.0, 2.0, -1.0, 0.5, 0.2, 0.1, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0;
  dynamics.forward_dynamics(flight.q(), flight.v(), tau, a);
  ASSERT_EQ(flight.step(tau, 0.01), Status::ok);
  EXPECT_EQ(flight.v_dot(), a) << "of the step's beginning";
}

TEST(FreeFlight, RefusesBadInputAndStaysWhereItWas) {
  FreeFlight flight(test::own_robot("spacecraft_ur3").model);
  const VectorX q = flight.model().neutral(), v = VectorX::Constant(12, 0.1), tau = VectorX::Zero(12);
  EXPECT_TRUE(flight.v_dot().array().isNaN().all());
  ASSERT_EQ(flight.reset(q, v), Status::ok);
  VectorX bad = v;
  bad[7] = kInfinity;
  EXPECT_EQ(flight.step(bad, 0.01), Status::not_finite);
  EXPECT_EQ(flight.step(tau, 0.0), Status::not_finite);
  EXPECT_EQ(flight.step(tau, kNaN), Status::not_finite);
  EXPECT_EQ(flight.step(VectorX::Zero(11), 0.01), Status::wrong_size);
  EXPECT_EQ(flight.reset(q, bad), Status::not_finite);
  VectorX turned = q;
  turned[6] = 2.0;
  EXPECT_EQ(flight.reset(turned, v), Status::bad_orientation);
  EXPECT_EQ(flight.reset(v, v), Status::wrong_size);
  EXPECT_EQ(flight.q(), q);
  EXPECT_EQ(flight.v(), v);
  EXPECT_EQ(flight.time(), 0.0);
  EXPECT_EQ(flight.step(VectorX::Constant(12, 1e308), 0.01), Status::not_finite) << "a motion that overflows";
  EXPECT_EQ(flight.q(), q);
  ModelOptions bolted;
  bolted.base = Base::fixed;
  EXPECT_THROW(FreeFlight(RobotModel(flight.model().description(), bolted)), ModelError);
}

TEST(FreeFlight, DoesNotAllocate) {
  for (const char* name : {"spacecraft_ur3", "spacecraft_panda"}) {
    FreeFlight flight(test::own_robot(name).model);
    test::RandomStates random(6151);
    const int nv = flight.model().nv();
    const VectorX q = random.configuration(flight.model()), v = random.vector(nv);
    for (int i = 0; i < 20; ++i) {
      VectorX tau = random.vector(nv);
      if (i % 7 == 6) tau[1] = kNaN;
      test::AllocationCounter counter;
      if (i % 10 == 0) flight.reset(q, v);
      flight.step(tau, 0.001);
      ASSERT_EQ(counter.count(), 0) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace antaeus
