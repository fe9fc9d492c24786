#include "antaeus/trust/torque_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/trust/guarded_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/static_residual.hpp"
#include "trust/tolerances.hpp"

namespace antaeus {
namespace {

constexpr double kLimit = 500.0;  // [N·m/s]
constexpr double kGap = 0.1;      // [s]

/// Largest share of the limit that a torque reaches over \p duration.
template <class Torque>
double largest_share(double rate, double duration, Torque&& torque) {
  TorqueRate guard(1, kLimit, kGap);
  double largest = 0.0;
  for (int i = 0; i / rate < duration; ++i) {
    guard.see(10.0 + i / rate, VectorX::Constant(1, torque(i / rate)));
    largest = std::max(largest, guard.share(0));
  }
  return largest;
}

TEST(TorqueRate, ARampIsAsFastAtAnyRate) {
  for (const double rate : {20.0, 50.0, 100.0, 333.0, 500.0, 1000.0, 10000.0}) {
    SCOPED_TRACE(rate);
    for (const double slope : {0.5, 0.99, 1.01, 2.0, 8.0}) {
      // Past 20 ms each comparison is over the time that it spans: the share is the slope, not the slope times a
      // window.
      EXPECT_NEAR(largest_share(rate, 0.2, [&](double t) { return -slope * kLimit * t; }), slope,
                  tolerance::kTorqueRateShare)
          << slope;
    }
  }
}

TEST(TorqueRate, AStepIsAsLargeAtAnyRate) {
  for (const double rate : {50.0, 500.0, 10000.0}) {
    EXPECT_NEAR(largest_share(rate, 0.2, [](double t) { return t > 0.1 ? 9.0 : 0.0; }), 0.9,
                tolerance::kTorqueRateShare)
        << rate;
    EXPECT_NEAR(largest_share(rate, 0.2, [](double t) { return t > 0.1 ? -11.0 : 0.0; }), 1.1,
                tolerance::kTorqueRateShare)
        << rate;
  }
}

/// Down by 8 within 18 ms, then up by 12 in one sample: 4 against 20 ms ago, but no contact grows by 12 in 2 ms.
TEST(TorqueRate, AJumpBackToWhereItWasIsAJump) {
  TorqueRate guard(1, kLimit, kGap);
  for (int i = 0; i < 10; ++i) guard.see(0.002 * i, VectorX::Constant(1, -8.0 * i / 9.0));
  EXPECT_FALSE(guard.too_fast(0));
  guard.see(0.02, VectorX::Constant(1, 4.0));
  EXPECT_TRUE(guard.too_fast(0));
}

TEST(TorqueRate, GapsClocksAndResetForget) {
  TorqueRate guard(2, kLimit, kGap);
  const auto jump_after = [&](double time) {
    guard.reset();
    for (int i = 0; i < 20; ++i) guard.see(1.0 + 0.002 * i, VectorX::Zero(2));
    guard.see(time, Eigen::Vector2d(0.0, 100.0));
    return guard.too_fast(1);
  };
  EXPECT_TRUE(jump_after(1.04));
  EXPECT_TRUE(jump_after(1.13)) << "100 N·m in 92 ms";
  EXPECT_FALSE(guard.too_fast(0));
  EXPECT_FALSE(jump_after(1.2)) << "a gap";
  EXPECT_FALSE(jump_after(0.5)) << "a new clock";
  EXPECT_FALSE(jump_after(kNaN));
  EXPECT_FALSE(jump_after(1.038)) << "the same time: compared with nothing";
  guard.see(1.04, Eigen::Vector2d(0.0, 100.0));
  EXPECT_TRUE(guard.too_fast(1)) << "but not taken for the past";
}

TEST(TorqueRate, DoesNotAllocate) {
  TorqueRate guard(27, kLimit, kGap);
  const VectorX torque = VectorX::Ones(27);
  test::AllocationCounter counter;
  for (int i = 0; i < 1000; ++i) guard.see(i % 97 == 96 ? 0.0 : 0.0003 * i, torque);
  EXPECT_EQ(counter.count(), 0);
}

/// The loop at the torso: 4000 N·m/s passed at 500 Hz while 1000 was refused at 50 Hz.
TEST(TorqueRate, TheLoopRefusesARampAtEveryRate) {
  const Robot robot = test::own_robot("h1_2");
  test::RandomStates random(97);
  SCOPED_TRACE(random.text());
  for (const double rate : {50.0, 500.0, 1000.0}) {
    for (const double slope : {400.0, 1000.0, 4000.0}) {
      SCOPED_TRACE(std::to_string(rate) + " Hz, " + std::to_string(slope) + " N·m/s");
      GuardedEstimator guarded(robot, test::kWrists);
      InstantReader reader(robot, test::kWrists);
      Observation o;
      o.q = robot.pose("zero");
      o.v = VectorX::Zero(27);
      o.tau = VectorX::Zero(27);
      const VectorX rest = reader.at(o).gravity_torque();
      bool seen = false;
      for (int i = 0; i / rate < 0.2; ++i) {
        o.time = i / rate;
        o.tau = rest + random.vector(27, 1e-3);
        if (o.time > 0.1) o.tau[12] += slope * (o.time - 0.1);
        seen = seen || guarded.update(o)[0].reasons.has(Reason::torque_rate);
      }
      EXPECT_EQ(seen, slope > kLimit);
    }
  }
}

}  // namespace
}  // namespace antaeus
