#include "antaeus/control/damping_mode.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "control/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/controlled_arms.hpp"

namespace antaeus {
namespace {

std::vector<Robot> robots() {
  return {test::own_robot("h1_2"), test::own_robot("panda"), test::own_robot("planar_3r")};
}

double effort_of(const Robot& robot, Eigen::Index motor, const DampingModeOptions& options) {
  const double effort = robot.model.effort_limits()[motor];
  return std::isfinite(effort) ? effort : options.unlimited_effort;
}

TEST(DampingMode, IsItsLawWithinTheLimits) {
  for (const Robot& robot : robots()) {
    SCOPED_TRACE(robot.profile.name);
    test::RandomStates random(3101);
    const int n = robot.model.motor_count();
    const DampingModeOptions options{.damping = 0.3, .hold_stiffness = 1.5, .limit_share = 0.6};
    VectorX braked(n), held(n);
    int limited = 0;
    for (int i = 0; i < 200; ++i) {
      const VectorX v = random.vector(n, 3.0), q = random.vector(n), hold = random.vector(n);
      ASSERT_EQ(damping_mode(robot, v, options, braked), Status::ok);
      ASSERT_EQ(damping_mode(robot, v, q, hold, options, held), Status::ok);
      for (int m = 0; m < n; ++m) {
        const double effort = effort_of(robot, m, options), limit = 0.6 * effort;
        const double damping = -0.3 * effort * v[m], spring = 1.5 * effort * (hold[m] - q[m]);
        limited += std::abs(damping) > limit;
        EXPECT_NEAR(braked[m], std::clamp(damping, -limit, limit), effort * tolerance::kSameQuantity);
        EXPECT_NEAR(held[m], std::clamp(damping + spring, -limit, limit), effort * tolerance::kSameQuantity);
      }
    }
    EXPECT_GT(limited, 0);
  }
}

TEST(DampingMode, NeverPutsEnergyIn) {
  for (const Robot& robot : robots()) {
    SCOPED_TRACE(robot.profile.name);
    test::RandomStates random(3102);
    const int n = robot.model.motor_count();
    VectorX tau(n);
    for (int i = 0; i < 200; ++i) {
      const VectorX v = random.vector(n, i % 2 == 0 ? 0.01 : 30.0);
      ASSERT_EQ(damping_mode(robot, v, {}, tau), Status::ok);
      EXPECT_LE(tau.cwiseProduct(v).maxCoeff(), 0.0);
      EXPECT_LT(tau.dot(v), 0.0);
    }
    ASSERT_EQ(damping_mode(robot, VectorX::Zero(n), {}, tau), Status::ok);
    EXPECT_TRUE(tau.isZero(0.0));
  }
}

TEST(DampingMode, BadInputGivesNaN) {
  const Robot robot = test::own_robot("h1_2");
  const int n = robot.model.motor_count();
  const VectorX rest = VectorX::Zero(n);
  VectorX nan = rest, infinite = rest;
  nan[3] = kNaN;
  infinite[26] = kInfinity;
  VectorX tau = rest;
  const auto refused = [&](Status given, Status why) {
    EXPECT_EQ(given, why);
    EXPECT_TRUE(tau.array().isNaN().all());
    tau.setZero();
  };
  refused(damping_mode(robot, VectorX::Zero(n - 1), {}, tau), Status::wrong_size);
  refused(damping_mode(robot, nan, {}, tau), Status::not_finite);
  refused(damping_mode(robot, infinite, {}, tau), Status::not_finite);
  refused(damping_mode(robot, rest, VectorX::Zero(n + 1), rest, {}, tau), Status::wrong_size);
  refused(damping_mode(robot, rest, rest, VectorX(), {}, tau), Status::wrong_size);
  refused(damping_mode(robot, rest, nan, rest, {}, tau), Status::not_finite);
  refused(damping_mode(robot, rest, rest, nan, {}, tau), Status::not_finite);
  refused(damping_mode(robot, rest, {.damping = kNaN}, tau), Status::not_finite);
  refused(damping_mode(robot, rest, {.damping = -0.1}, tau), Status::not_finite);
  refused(damping_mode(robot, rest, {.limit_share = kNaN}, tau), Status::not_finite);
  VectorX one_short(n - 1);
  EXPECT_EQ(damping_mode(robot, rest, {}, one_short), Status::wrong_size);
  EXPECT_TRUE(one_short.array().isNaN().all());
  EXPECT_THROW(check_options(DampingModeOptions{.damping = -1.0}), OptionsError);
  EXPECT_THROW(check_options(DampingModeOptions{.limit_share = 1.5}), OptionsError);
}

TEST(DampingMode, AllocatesNothing) {
  for (const Robot& robot : robots()) {
    SCOPED_TRACE(robot.profile.name);
    test::RandomStates random(3103);
    const int n = robot.model.motor_count();
    VectorX tau(n);
    for (int i = 0; i < 20; ++i) {
      VectorX v = random.vector(n);
      const VectorX q = random.vector(n), short_one = random.vector(n - 1);
      if (i % 4 == 3) v[0] = kNaN;
      test::AllocationCounter counter;
      static_cast<void>(damping_mode(robot, v, {}, tau));
      static_cast<void>(damping_mode(robot, v, q, q, {}, tau));
      static_cast<void>(damping_mode(robot, v, short_one, q, {}, tau));
      ASSERT_EQ(counter.count(), 0);
    }
  }
}

}  // namespace
}  // namespace antaeus
