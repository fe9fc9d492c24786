// What a loop says of its set-up: a UR5e in motion whose torques are right, or wrong in a way that was planted.
#include "antaeus/trust/set_up_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "antaeus/robot/dynamics.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

constexpr double kRate = 200.0;  // Hz

/// Torques of a sample as the driver gives them, of those that are right and of gravity's.
using Spoil = std::function<void(Observation&, const VectorX& gravity)>;

class SetUp : public testing::Test {
 protected:
  /// What the loop says of each sample of \p seconds. \param force  on the flange, by time
  struct Heard {
    Reasons all, last;
    double since = kNaN;  ///< [s] of the first reason of SetUpWatch
    double ok = 0.0;      ///< share of samples
  };
  Heard hear(double seconds, const std::function<Vector3(double)>& force, const Spoil& spoil = {},
             const std::function<void(GuardedEstimator&)>& before = {}) {
    Settings settings = robot_.settings(ends_);
    GuardedEstimator loop(robot_, ends_, settings);
    if (before) before(loop);
    RandomStates noise(70);
    Heard heard;
    const int samples = static_cast<int>(seconds * kRate);
    for (int i = 0; i < samples; ++i) {
      Observation o = at(i / kRate);
      const Instant& now = reader_.at(o);
      const VectorX gravity = now.gravity_torque();
      Vector6 w = Vector6::Zero();
      w.head<3>() = force(o.time);
      VectorX torque(6);
      EXPECT_EQ(dynamics_.inverse_dynamics(o.q, o.v, o.a, torque), Status::ok);
      o.tau = torque - now.jacobian(0).transpose() * w + noise.vector(6, 0.05);
      o.a.resize(0);
      if (spoil) spoil(o, gravity);
      AllocationCounter counter;
      const ConsumerWrench& read = loop.update(o)[0];
      EXPECT_EQ(counter.count(), 0);
      heard.all.add(read.reasons);
      heard.last = read.reasons;
      if (std::isnan(heard.since) && read.reasons.has_any(kSetUpSigns)) heard.since = o.time;
      heard.ok += (read.state == Verdict::ok) / static_cast<double>(samples);
    }
    return heard;
  }

  Observation at(double time) const {
    Observation o;
    o.time = time;
    o.q.resize(6), o.v.resize(6), o.a.resize(6);
    o.tau = VectorX::Zero(6);
    for (int j = 0; j < 6; ++j) {
      const double rate = 0.7 + 0.15 * j, angle = rate * time + j;
      o.q[j] = middle_[j] + 0.5 * std::sin(angle);
      o.v[j] = 0.5 * rate * std::cos(angle);
      o.a[j] = -0.5 * rate * rate * std::sin(angle);
    }
    return o;
  }

  Robot robot_ = test::own_robot("ur5e");
  std::vector<std::string> ends_{"tool0"};
  InstantReader reader_{robot_, ends_};
  Dynamics dynamics_{robot_.model};
  std::array<double, 6> middle_{0.2, -1.2, 1.2, -0.8, 1.2, 0.3};
};

Vector3 none(double) { return Vector3::Zero(); }

TEST_F(SetUp, ARightLoopHearsNothing) {
  EXPECT_FALSE(hear(20.0, none).all.has_any(kSetUpSigns));
  const auto pushes = [](double t) { return Vector3(0.0, t > 6.0 && t < 16.0 ? 40.0 : 0.0, 0.0); };
  EXPECT_FALSE(hear(20.0, pushes).all.has_any(kSetUpSigns)) << "a push that lasts, but not from the start";
}

TEST_F(SetUp, AForceFromTheStartIsDoubtedAfterItsTime) {
  const Heard heard = hear(12.0, [](double) { return Vector3(0.0, 50.0, 0.0); });
  EXPECT_TRUE(heard.last.has(Reason::contact_since_start)) << heard.last.text();
  EXPECT_GT(heard.since, 5.0);
  EXPECT_LT(heard.since, 6.0);
}

TEST_F(SetUp, TorquesWithoutGravityFollowIt) {
  const Heard heard = hear(12.0, none, [](Observation& o, const VectorX& gravity) { o.tau -= gravity; });
  EXPECT_TRUE(heard.last.has(Reason::residual_follows_gravity)) << heard.last.text();
  EXPECT_LT(heard.since, 6.0);
}

/// A load is gravity's positive multiple at most.
TEST_F(SetUp, ALoadDoesNotFollowGravity) {
  const Heard heard = hear(12.0, [](double t) { return Vector3(0.0, 0.0, t > 1.0 ? -30.0 : 0.0); });
  EXPECT_FALSE(heard.all.has(Reason::residual_follows_gravity)) << heard.all.text();
}

TEST_F(SetUp, FrictionThatNobodyStatedFollowsVelocity) {
  const Heard heard = hear(12.0, none, [](Observation& o, const VectorX&) { o.tau[1] += 60.0 * o.v[1]; });
  EXPECT_TRUE(heard.last.has(Reason::residual_follows_velocity)) << heard.last.text();
}

TEST_F(SetUp, AResetIsANewStart) {
  robot_.profile.settings.set("consumer_guard.set_up_time=0");
  const Heard off = hear(12.0, none, [](Observation& o, const VectorX& gravity) { o.tau -= gravity; });
  EXPECT_FALSE(off.all.has_any(kSetUpSigns)) << "0: never";
}

TEST_F(SetUp, WhatACheckFoundIsInEverySampleAlsoAfterAReset) {
  const auto told = [](GuardedEstimator& loop) {
    loop.suspect(Reason::set_up_suspect);
    loop.reset();
  };
  const Heard heard = hear(2.0, none, {}, told);
  EXPECT_TRUE(heard.last.has(Reason::set_up_suspect));
  EXPECT_EQ(heard.ok, 0.0);
}

/// What is known of one arm's torque does not speak against the other arm.
TEST(SetUpOfOneArm, LeavesTheOtherAlone) {
  const Robot robot = test::own_robot("h1_2");
  const std::vector<std::string>& wrists = test::kWrists;
  GuardedEstimator loop(robot, wrists);
  InstantReader reader(robot, wrists);
  const PosteriorEstimator posterior(reader);
  loop.suspect(Reason::set_up_suspect, {posterior.rows(0).back()});
  Observation o;
  o.q = robot.pose("zero");
  o.v = o.tau = VectorX::Zero(27);
  o.time = 0.0;
  o.tau = reader.at(o).gravity_torque();
  const auto& results = loop.update(o);
  EXPECT_TRUE(results[0].reasons.has(Reason::set_up_suspect));
  EXPECT_FALSE(results[1].reasons.has(Reason::set_up_suspect));
}

}  // namespace
}  // namespace antaeus
