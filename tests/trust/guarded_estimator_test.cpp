#include "antaeus/trust/guarded_estimator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/limbs.hpp"
#include "support/soak.hpp"
#include "support/static_residual.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

using test::kWrists;

class Guarded : public testing::Test {
 protected:
  /// A robot at rest at motor zero, with both arms away from singular poses, and \p push on its left hand. Its torques
  /// are never twice the same to the last digit, or they were dead.
  Observation at(double time, const Vector3& push = Vector3::Zero()) {
    Observation observation;
    observation.time = time;
    observation.q = robot_.pose("zero");
    observation.v = VectorX::Zero(27);
    observation.tau = VectorX::Zero(27);
    const Instant& now = reader_.at(observation);
    Vector6 w = Vector6::Zero();
    w.head<3>() = push;
    observation.tau = now.gravity_torque() - now.jacobian(0).transpose() * w + breath_.vector(27, 1e-9);
    return observation;
  }
  GuardedEstimator make(ConsumerGuardOptions guarded = {}, PosteriorOptions posterior = {}) {
    return GuardedEstimator(robot_, kWrists, {}, {}, posterior, guarded);
  }

  Robot robot_ = test::own_robot("h1_2");
  InstantReader reader_{robot_, kWrists};
  RandomStates breath_{70};
};

TEST_F(Guarded, AGoodSampleInAGoodPosePasses) {
  GuardedEstimator estimator(robot_, kWrists);
  const Vector3 push(10.0, -4.0, 12.0);
  const auto& results = estimator.update(at(0.0, push));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].state, Verdict::ok) << results[0].reasons.text();
  EXPECT_EQ(results[0].action, ConsumerAction::posterior);
  EXPECT_EQ(results[0].sign, Sign::on_environment) << "the deployed sign of the profile";
  EXPECT_LT((results[0].wrench.force + push).norm(), 2.0);
  EXPECT_LT(results[1].wrench.force.norm(), 1e-6);
  EXPECT_EQ(estimator.last_refusal().endpoint, -1);
}

/// One sign in every state: a consumer that reads on through raw, posterior and held numbers never sees it turn.
TEST_F(Guarded, TheSignIsTheProfilesInEveryStateOfTheGuard) {
  const Vector3 push(10.0, -4.0, 12.0);
  const auto check = [&](Sign sign, ConsumerAction on_ok) {
    Settings settings = robot_.settings(kWrists);
    settings.set("consumer_guard.on_ok=" + std::string(to_string(on_ok)));
    GuardedEstimator estimator(robot_, kWrists, settings);
    EXPECT_EQ(estimator.update(at(0.0, push))[0].action, on_ok);
    const Vector3 first = estimator.results()[0].wrench.force;
    EXPECT_LT((first + sign_factor(sign) * push).norm(), 2.0) << to_string(sign);
    Observation bad = at(0.02, push);
    bad.tau[14] = std::nan("");
    EXPECT_EQ(estimator.update(bad)[0].action, ConsumerAction::hold);
    EXPECT_GT(estimator.results()[0].wrench.force.dot(first), 0.0);
    EXPECT_EQ(estimator.results()[0].sign, sign);
    estimator.reset();
    EXPECT_EQ(estimator.results()[0].sign, sign);
  };
  for (const ConsumerAction on_ok : {ConsumerAction::posterior, ConsumerAction::pass_raw}) {
    robot_ = test::own_robot("h1_2");
    check(Sign::on_environment, on_ok);
    robot_.profile.deployed_sign.reset();
    check(Sign::on_robot, on_ok);
    robot_.profile.settings.set("posterior.sign=on_environment");
    check(Sign::on_environment, on_ok);
  }
}

/// In the incident's pose the left hand's line to its shoulder is not observed: a torso torque that no rest noise knows
/// reads as a force along it, of about the sd and with a covariance that says so. The consumer is spared it.
TEST_F(Guarded, TheDegradedConsumerReadsTheObservablePart) {
  const auto in_pose = [&](double time, const Vector3& push) {
    Observation o = at(time);
    o.q = robot_.pose("arm_waist_target");
    const Instant& now = reader_.at(o);
    Vector6 w = Vector6::Zero();
    w.head<3>() = push;
    o.tau = now.gravity_torque() - now.jacobian(0).transpose() * w + breath_.vector(27, 1e-9);
    o.tau[14] += 0.3;  // of friction
    return o;
  };
  const Vector3 push(10.0, 6.0, -4.0);
  GuardedEstimator estimator(robot_, kWrists), whole = make({.on_degraded = ConsumerAction::posterior});
  for (int i = 0; i < 5; ++i) {
    estimator.update(in_pose(0.02 * i, push));
    whole.update(in_pose(0.02 * i, push));
  }
  const ConsumerWrench& read = estimator.results()[0];
  ASSERT_EQ(read.state, Verdict::degraded) << read.reasons.text();
  EXPECT_EQ(read.action, ConsumerAction::observable);
  const Uncertainty& u = estimator.estimates()[0].uncertainty;
  ASSERT_EQ(u.observable, 2);
  EXPECT_NEAR(read.wrench.force.dot(u.worst_direction()), 0.0, tolerance::kByHand);
  const Vector3 seen = estimator.estimates()[0].wrench.force;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR((read.wrench.force - seen).dot(u.directions.col(i)), 0.0, tolerance::kByHand);
  }
  EXPECT_EQ(read.wrench.torque, estimator.estimates()[0].wrench.torque);
  EXPECT_EQ(whole.results()[0].action, ConsumerAction::posterior);
  EXPECT_EQ(whole.results()[0].wrench.force, whole.estimates()[0].wrench.force);
}

struct SampleFault {
  const char* name;
  Reason reason;
  Verdict state;
  std::function<void(Observation&)> inject;
};

TEST_F(Guarded, EveryFaultGivesTheStateThatNamesIt) {
  const SampleFault faults[] = {
      {"NaN torque", Reason::invalid_input, Verdict::refused, [](Observation& o) { o.tau[14] = std::nan(""); }},
      {"infinite position", Reason::invalid_input, Verdict::refused, [](Observation& o) { o.q[0] = INFINITY; }},
      {"NaN velocity", Reason::invalid_input, Verdict::refused, [](Observation& o) { o.v[0] = std::nan(""); }},
      {"short vector", Reason::invalid_input, Verdict::refused, [](Observation& o) { o.q.conservativeResize(20); }},
      {"no clock", Reason::no_clock, Verdict::refused, [](Observation& o) { o.time = NAN; }},
      {"no clock, no velocity", Reason::motion_unknown, Verdict::refused,
       [](Observation& o) {
         o.time = NAN;
         o.v.resize(0);
       }},
      {"time back", Reason::time_back, Verdict::refused, [](Observation& o) { o.time -= 5.0; }},
      {"time repeated", Reason::time_back, Verdict::refused, [](Observation& o) { o.time = 10.0 + 0.02 * 2; }},
      {"gap", Reason::gap, Verdict::degraded, [](Observation& o) { o.time += 3.0; }},
      {"saturation", Reason::saturated, Verdict::degraded,
       [this](Observation& o) { o.tau[0] = robot_.model.effort_limits()[0]; }},
      {"moving", Reason::motion, Verdict::degraded, [](Observation& o) { o.v[2] = 0.5; }},
      {"torque jump", Reason::torque_rate, Verdict::refused, [](Observation& o) { o.tau[12] += 30.0; }},
      {"nobody can push so", Reason::inconsistent, Verdict::refused, [](Observation& o) { o.tau[12] += 9.0; }},
      {"force", Reason::force_limit, Verdict::refused, [this](Observation& o) { o = at(o.time, {0, 0, 40}); }},
  };
  for (const SampleFault& fault : faults) {
    SCOPED_TRACE(fault.name);
    GuardedEstimator estimator =
        make({.torque_rate = fault.reason == Reason::torque_rate ? 500.0 : 1e4, .force_limit = 30.0});
    for (int i = 0; i < 3; ++i) estimator.update(at(10.0 + 0.02 * i));
    ASSERT_EQ(estimator.results()[0].state, Verdict::ok) << estimator.results()[0].reasons.text();
    Observation bad = at(10.06);
    fault.inject(bad);
    const ConsumerWrench& result = estimator.update(bad)[0];
    EXPECT_EQ(result.state, fault.state) << result.reasons.text();
    EXPECT_TRUE(result.reasons.has(fault.reason)) << result.reasons.text();
    EXPECT_EQ(result.because, result.reasons);
    EXPECT_TRUE(result.wrench.is_finite());
    EXPECT_EQ(estimator.refusals(), fault.state == Verdict::refused);
    if (fault.state == Verdict::refused) {
      EXPECT_TRUE(estimator.last_refusal().reasons.has(fault.reason));
    }
  }
}

TEST_F(Guarded, OldSamplesAreStale) {
  GuardedEstimator estimator = make({.maximum_age = 0.1});
  EXPECT_EQ(estimator.update(at(0.0), 0.09)[0].state, Verdict::ok);
  const ConsumerWrench& result = estimator.update(at(0.02), 0.13)[0];
  EXPECT_EQ(result.state, Verdict::refused);
  EXPECT_TRUE(result.reasons.has(Reason::stale));
}

TEST_F(Guarded, StateFallsBackOnlyAfterItsDwell) {
  GuardedEstimator estimator = make({.fall_dwell = 0.2});
  estimator.update(at(0.0));
  Observation bad = at(0.02);
  bad.tau[14] = std::nan("");
  estimator.update(bad);
  ASSERT_EQ(estimator.results()[0].state, Verdict::refused);
  int held = 0;
  for (int i = 2; i < 40; ++i) {
    const ConsumerWrench& result = estimator.update(at(0.02 * i))[0];
    if (result.state == Verdict::ok) break;
    EXPECT_TRUE(result.reasons.has(Reason::held));
    EXPECT_TRUE(result.because.has(Reason::invalid_input));
    ++held;
  }
  EXPECT_GE(held, 9);
  EXPECT_LE(held, 11);
}

TEST_F(Guarded, ARefusedForceIsHeldAndDecays) {
  GuardedEstimator estimator = make({.decay_time = 0.05});
  const Vector3 push(10, 0, 0);
  for (int i = 0; i < 5; ++i) estimator.update(at(0.02 * i, push));
  const double before = estimator.results()[0].wrench.force.norm();
  Observation bad = at(0.1, push);
  bad.tau[14] = std::nan("");
  const ConsumerWrench& held = estimator.update(bad)[0];
  EXPECT_EQ(held.action, ConsumerAction::hold);
  EXPECT_NEAR(held.wrench.force.norm(), before * std::exp(-0.02 / 0.05), tolerance::kByHand * before);
}

TEST_F(Guarded, ActionsDoWhatTheyAreCalled) {
  Observation bad = at(0.02);
  bad.tau[14] = std::nan("");
  const auto refused_with = [&](ConsumerAction action) {
    GuardedEstimator estimator = make({.on_refused = action});
    estimator.update(at(0.0, {10, 0, 0}));
    return estimator.update(bad)[0];
  };
  EXPECT_EQ(refused_with(ConsumerAction::zero).wrench.force.norm(), 0.0);
  EXPECT_EQ(refused_with(ConsumerAction::zero).action, ConsumerAction::zero);
  EXPECT_FALSE(refused_with(ConsumerAction::zero).stop_requested);
  EXPECT_TRUE(refused_with(ConsumerAction::stop).stop_requested);
  // Raw: the deployed number, in the sign that was asked for.
  GuardedEstimator raw = make({.on_ok = ConsumerAction::pass_raw}, {.sign = Sign::on_environment});
  const Observation good = at(0.0, {10, 0, 0});
  const ConsumerWrench& passed = raw.update(good)[0];
  DeployedEstimator deployed(reader_);
  EXPECT_EQ(passed.action, ConsumerAction::pass_raw);
  EXPECT_EQ(passed.wrench.force, deployed.solve(reader_.at(good))[0].wrench.force);
}

/// A leg of two joints: its plane passes, and a consumer that needs what it cannot sense reads nothing.
TEST_F(Guarded, ALimbIsJudgedByWhatItCanSense) {
  const Robot leg = test::planar_leg();
  InstantReader reader(leg, {"tip"});
  const auto sample = [&](int i, const Vector3& push) {
    Observation o;
    o.time = 0.02 * i;
    o.q = Eigen::Vector2d(0.7, -1.4);
    o.v = o.tau = VectorX::Zero(2);
    const Instant& now = reader.at(o);
    o.tau = now.gravity_torque() - now.jacobian(0).topRows<3>().transpose() * push + breath_.vector(2, 1e-9);
    return o;
  };
  const auto guard = [&](ForceWant want, double refuse_sd = 0.0) {
    return GuardedEstimator(leg, {"tip"}, {}, {}, {.sign = Sign::on_robot, .contact = ContactKind::force, .want = want},
                            {.fall_dwell = 0.0, .refuse_sd = refuse_sd});
  };
  for (const ForceWant want : {ForceWant::sensed, ForceWant::xz, ForceWant::y}) {
    GuardedEstimator estimator = guard(want, 3.0);
    for (int i = 0; i < 5; ++i) estimator.update(sample(i, i == 0 ? Vector3::Zero() : Vector3(4.0, 0.0, 9.0)));
    const ConsumerWrench& read = estimator.results()[0];
    if (want == ForceWant::y) {
      EXPECT_EQ(read.state, Verdict::refused);
      EXPECT_TRUE(read.because.has(Reason::insensible_direction)) << read.because.text();
      EXPECT_EQ(read.wrench.force.norm(), 0.0);
    } else {
      EXPECT_EQ(read.state, Verdict::ok) << read.reasons.text();
      EXPECT_LT((read.wrench.force - Vector3(4.0, 0.0, 9.0)).norm(), 0.1);
    }
  }
}

TEST_F(Guarded, AStopStaysUntilReset) {
  GuardedEstimator estimator = make({.on_refused = ConsumerAction::stop, .fall_dwell = 0.0});
  estimator.update(at(0.0));
  Observation bad = at(0.02);
  bad.tau[14] = std::nan("");
  estimator.update(bad);
  for (int i = 2; i < 100; ++i) estimator.update(at(0.02 * i, {10, 0, 0}));
  EXPECT_EQ(estimator.results()[0].state, Verdict::ok);
  EXPECT_TRUE(estimator.results()[0].stop_requested);
  EXPECT_EQ(estimator.results()[0].wrench.force.norm(), 0.0);
  estimator.reset();
  estimator.update(at(0.0, {10, 0, 0}));
  EXPECT_FALSE(estimator.results()[0].stop_requested);
  EXPECT_GT(estimator.results()[0].wrench.force.norm(), 5.0);
}

TEST_F(Guarded, AResetForgetsTheHeldForce) {
  GuardedEstimator estimator = make({});
  EXPECT_GT(estimator.update(at(0.0, {10, 0, 0}))[0].wrench.force.norm(), 5.0);
  estimator.reset();
  Observation bad = at(0.02);
  bad.tau[14] = std::nan("");
  EXPECT_EQ(estimator.update(bad)[0].action, ConsumerAction::hold);
  EXPECT_EQ(estimator.results()[0].wrench.force.norm(), 0.0);
}

TEST_F(Guarded, TheFlightRecorderGoesWithTheRefusal) {
  GuardedEstimator estimator = make({.recorder_samples = 10});
  for (int i = 0; i < 25; ++i) estimator.update(at(0.02 * i, {static_cast<double>(i % 5), 0, 0}));
  Observation bad = at(0.5);
  bad.tau[3] = std::nan("");
  estimator.update(bad);
  for (int i = 26; i < 30; ++i) estimator.update(at(0.02 * i));
  const FlightRecord& record = estimator.last_refusal();
  ASSERT_EQ(record.samples.size(), 10);
  EXPECT_EQ(record.time, 0.5);
  EXPECT_EQ(record.samples.newest()->observation.time, 0.5);
  EXPECT_TRUE(std::isnan(record.samples.newest()->observation.tau[3]));
  EXPECT_EQ(record.samples.oldest()->observation.time, 0.02 * 16);
  EXPECT_EQ(record.samples.newest()->endpoints[0].guarded.state, Verdict::refused);
  EXPECT_TRUE(record.samples[5].residual.allFinite());
}

TEST_F(Guarded, OptionsComeFromTheProfileAndAreRefusedByLine) {
  Settings& settings = robot_.profile.settings;
  settings.set({"consumer_guard", "force_limit", "15", "robot.toml:90"});
  settings.set({"posterior", "force_prior", "40", "robot.toml:91"});
  GuardedEstimator estimator(robot_, kWrists);
  EXPECT_TRUE(estimator.update(at(0.0, {20, 0, 0}))[0].reasons.has(Reason::force_limit));
  try {
    settings.set({"consumer_guard", "force_limt", "15", "robot.toml:90"});
    FAIL();
  } catch (const OptionsError& error) {
    EXPECT_NE(std::string(error.what()).find("robot.toml:90"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("force_limit"), std::string::npos) << error.what();
  }
  EXPECT_THROW(settings.set({"consumer_guard", "decay_time", "0", "robot.toml:92"}), OptionsError);
  EXPECT_THROW(make({.decay_time = 0.0}), OptionsError);
}

/// A million cycles in `make soak`.
TEST_F(Guarded, SoakCyclesWithFaultsNeitherAllocateNorLie) {
  const int cycles = test::in_soak(1'000'000, 20'000);
  RandomStates random(71);
  SCOPED_TRACE(random.text());
  GuardedEstimator estimator = make({.recorder_samples = 50});
  // Good samples in turns: at rest at motor zero with a push that is known.
  struct Known {
    Observation observation;
    Vector3 push;
  };
  std::vector<Known> good;
  for (int i = 0; i < 64; ++i) {
    // Nothing touches at first: a force from the start on is none.
    const Vector3 drawn = random.vector(3, 8.0), push = i < 8 ? Vector3::Zero().eval() : drawn;
    good.push_back({at(0.0, push), push});
  }
  Observation bad = good[0].observation, sample = good[0].observation;
  double clock = 0.0;
  long faults = 0, lies = 0, unnamed = 0, recovered = 0;
  const double saturated = robot_.model.effort_limits()[16];
  AllocationCounter counter;
  for (int i = 0; i < cycles; ++i) {
    const Known& known = good[static_cast<std::size_t>(i / 40) % good.size()];
    clock += 0.002;
    Reasons expected;
    sample = known.observation;
    sample.time = clock;
    sample.tau[26] += 1e-9 * (i % 5);  // a breath: torques that stay exactly as they were are dead
    // A fault every 977 cycles, of each kind in turn.
    if (i % 977 == 500) {
      ++faults;
      switch ((i / 977) % 6) {
        case 0: sample.tau[14] = std::nan(""), expected = Reason::invalid_input; break;
        case 1: sample.q[22] = -INFINITY, expected = Reason::invalid_input; break;
        case 2: clock += 0.7, sample.time = clock, expected = Reason::gap; break;
        case 3: sample.tau[16] = saturated, expected = Reason::saturated; break;
        case 4: sample.time = clock - 10.0, expected = Reason::time_back; break;
        case 5: sample.tau[12] += 100.0, expected = Reason::torque_rate; break;
      }
    }
    const std::vector<ConsumerWrench>& results = estimator.update(sample);
    if (!expected.empty()) {
      unnamed += !results[0].reasons.has_any(expected) || results[0].state == Verdict::ok;
    } else if (results[0].state == Verdict::ok) {
      ++recovered;
      // What is called ok must be the push that acts, within four of its own standard deviations and the 20 ms in
      // which pushes change.
      if (i % 40 > 30 && i % 977 < 400) {
        const Vector3 error = results[0].wrench.force - known.push;
        lies += error.norm() > 4.0 * estimator.estimates()[0].uncertainty.worst_sd();
      }
    }
    lies += !results[0].wrench.is_finite() || !results[1].wrench.is_finite();
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(unnamed, 0);
  EXPECT_EQ(lies, 0);
  EXPECT_GE(faults, cycles / 1000);  // one in 977, the first at cycle 500
  EXPECT_GT(recovered, cycles / 4);
}

}  // namespace
}  // namespace antaeus
