#include "antaeus/estimation/tare.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/noise.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

const std::vector<std::string> kHand = {"panda_hand_tcp"};

/// A Panda at rest whose torque channels have offsets and noise, and whose hand may be pushed.
class TareOfAnArm : public testing::Test {
 protected:
  TareOfAnArm() {
    offsets_ << 0.9, -1.5, 0.7, 1.1, -0.4, 0.3, 0.2;
    observation_.q = robot_.pose("ready");
    observation_.v = VectorX::Zero(7);
  }
  const Residual& step(const Vector3& push = Vector3::Zero()) {
    observation_.time += 0.01;
    observation_.tau = VectorX::Zero(7);
    const Instant& now = reader_.at(observation_);
    Vector6 w = Vector6::Zero();
    w.head<3>() = push;
    observation_.tau = now.gravity_torque() + offsets_ - now.jacobian(0).transpose() * w;
    for (double& torque : observation_.tau) torque += 0.02 * normal_();
    return estimator_.form(reader_.at(observation_));
  }
  void steps(int count, const Vector3& push = Vector3::Zero()) {
    for (int i = 0; i < count; ++i) step(push);
  }
  TareState tared() {
    estimator_.begin_tare();
    steps(150);
    return estimator_.tare().state();
  }

  Robot robot_ = test::own_robot("panda");
  InstantReader reader_{robot_, kHand};
  ResidualEstimator estimator_{robot_, {.kind = ResidualChoice::static_gravity}};
  Observation observation_;
  VectorX offsets_{7};
  test::Noise normal_{161};
};

TEST_F(TareOfAnArm, TakesOutWhatIsConstantAndNothingElse) {
  observation_.time = 0.0;
  steps(10);
  EXPECT_EQ(estimator_.tare().state(), TareState::none) << "never by itself";
  EXPECT_GT(estimator_.residual().value.norm(), 1.5);
  ASSERT_EQ(tared(), TareState::holding);
  EXPECT_LT((estimator_.tare().offset() - offsets_).cwiseAbs().maxCoeff(), 5.0 * 0.02 / std::sqrt(130.0));
  const Vector3 push(12.0, -5.0, 8.0);
  steps(50, push);
  Vector6 w = Vector6::Zero();
  w.head<3>() = push;
  const VectorX expected = -(reader_.instant().jacobian(0).transpose() * w);
  EXPECT_LT((estimator_.residual().value - expected).cwiseAbs().maxCoeff(), 5.0 * 0.02);
  ResidualEstimator untared(robot_, {.kind = ResidualChoice::static_gravity});
  EXPECT_EQ(untared.form(reader_.instant()).variance, estimator_.residual().variance) << "it is not made smaller";
  EXPECT_FALSE(estimator_.residual().reasons.has(Reason::not_tared));
  PosteriorEstimator posterior(reader_);
  EXPECT_LT((posterior.solve(estimator_.residual())[0].wrench.force - push).norm(), 3.0);
}

TEST_F(TareOfAnArm, WhatMovesOrChangesIsRefusedByName) {
  observation_.time = 0.0;
  const auto refused = [&](TareProblem problem, int motor, auto during) {
    estimator_.begin_tare();
    steps(60);
    during();
    steps(60);
    EXPECT_EQ(estimator_.tare().state(), TareState::refused) << to_string(problem);
    EXPECT_EQ(estimator_.tare().problem(), problem) << to_string(estimator_.tare().problem());
    if (motor >= 0) {
      EXPECT_EQ(estimator_.tare().motor(), motor);
    }
    EXPECT_TRUE(estimator_.residual().reasons.has(Reason::not_tared));
    EXPECT_TRUE(estimator_.tare().offset().isZero(0.0));
  };
  refused(TareProblem::drifted, -1, [&] { steps(80, Vector3(0.0, 0.0, -10.0)); });
  refused(TareProblem::moved, 3, [&] {
    observation_.v[3] = 0.2;
    step();
    observation_.v[3] = 0.0;
  });
  refused(TareProblem::gap, -1, [&] { observation_.time += 0.5; });
  refused(TareProblem::bad_sample, -1, [&] {
    observation_.q[2] = kNaN;
    step();
    observation_.q = robot_.pose("ready");
  });
  offsets_[1] = 30.0;  // a third of what the drive can
  refused(TareProblem::too_large, 1, [&] { steps(80); });
  offsets_[1] = 0.5;
  EXPECT_EQ(tared(), TareState::holding) << "asked for again";
  estimator_.drop_tare();
  EXPECT_FALSE(step().reasons.has(Reason::not_tared)) << "dropped is no loss";
}

TEST_F(TareOfAnArm, EndsWithTimeAndPoseAndAClockThatIsSetBack) {
  observation_.time = 0.0;
  ResidualOptions options{.kind = ResidualChoice::static_gravity};
  options.tare.expiry = 3.0;
  estimator_ = ResidualEstimator(robot_, options);
  ASSERT_EQ(tared(), TareState::holding);
  steps(250);
  EXPECT_EQ(estimator_.tare().state(), TareState::holding);
  steps(100);
  EXPECT_EQ(estimator_.tare().problem(), TareProblem::time_over);
  EXPECT_TRUE(estimator_.residual().reasons.has(Reason::not_tared));

  ASSERT_EQ(tared(), TareState::holding);
  observation_.q[5] += 0.51;
  steps(2);
  EXPECT_EQ(estimator_.tare().problem(), TareProblem::pose_left);
  EXPECT_EQ(estimator_.tare().motor(), 5);

  ASSERT_EQ(tared(), TareState::holding);
  observation_.time -= 100.0;
  steps(3);
  EXPECT_EQ(estimator_.tare().state(), TareState::expired);
}

TEST_F(TareOfAnArm, OfALogBeginsWhereItsOwnerSays) {
  ResidualOptions options{.kind = ResidualChoice::static_gravity};
  options.tare.at = 2.0;
  estimator_ = ResidualEstimator(robot_, options);
  observation_.time = 0.0;
  steps(190);
  EXPECT_EQ(estimator_.tare().state(), TareState::none);
  steps(20);
  EXPECT_EQ(estimator_.tare().state(), TareState::collecting);
  steps(140);
  EXPECT_EQ(estimator_.tare().state(), TareState::holding);
  EXPECT_NEAR(estimator_.tare().time(), 3.3, 0.03);
}

TEST_F(TareOfAnArm, OfTheGuardedLoopAllocatesNothing) {
  GuardedEstimator loop(robot_, kHand);
  observation_.time = 0.0;
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) {
      step();
      loop.update(observation_);
    }
  };
  run(30);
  loop.begin_tare();
  std::int64_t allocations = 0;
  for (int i = 0; i < 150; ++i) {
    step();
    const test::AllocationCounter counter;
    loop.update(observation_);
    allocations += counter.count();
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(loop.tare().state(), TareState::holding);
  EXPECT_LT(loop.estimates()[0].wrench.force.norm(), 2.0);
  loop.reset();
  EXPECT_EQ(loop.tare().state(), TareState::holding);
}

TEST(TareOptionsAreChecked, AtSetUp) {
  EXPECT_THROW(Tare(VectorX::Ones(3), {.duration = 0.0}), OptionsError);
  EXPECT_THROW(Tare(VectorX::Ones(3), {.expiry = -1.0}), OptionsError);
}

}  // namespace
}  // namespace antaeus
