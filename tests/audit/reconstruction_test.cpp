#include "antaeus/audit/reconstruction.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "audit/reconstruct.hpp"
#include "audit/same_bits.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

using test::same_bits;

// A log computed again says what the loop would have said, sample by sample and to the bit: whatever the number of
// threads, the length of its parts and the estimators that are asked for.

const std::vector<std::string> kEndpoints = {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link"};
constexpr EstimatorName kEach[] = {EstimatorName::deployed, EstimatorName::stacked, EstimatorName::posterior};

/// What a log may hold, on end: NaN, a saturated torque, a repeated stamp, a gap, a clock that was set back.
void hurt(Episode& log) {
  log.tau(5, 3) = kNaN;
  log.q(20, 0) = kInfinity;
  log.tau(33, 15) = 1e4;
  log.tau.row(40) *= 1e155;
  log.time[50] = log.time[49];
  for (Eigen::Index i = 70; i < log.steps(); ++i) log.time[i] += 0.3;
  for (Eigen::Index i = 110; i < log.steps(); ++i) log.time[i] -= 1.0;
  log.invalid_steps = {5, 20};
}

/// At 500 Hz with an IMU: the residual is dynamic, and its filters and the guard's dwell go over many steps.
const Episode& fast_log() {
  static const Episode log = [] {
    TwinOptions options;
    options.rate = 500.0;
    options.inertial = true;
    options.torque_noise = 0.3;
    Episode made = make_twin(test::own_robot("h1_2"), TwinKind::incident, options).episode;
    hurt(made);
    return made;
  }();
  return log;
}
/// At 50 Hz: a static residual, under the noise that was identified.
const Episode& slow_log() {
  static const Episode log = [] {
    Episode made = make_twin(test::own_robot("h1_2"), TwinKind::incident).episode;
    hurt(made);
    made.simulated = false;
    return made;
  }();
  return log;
}

Robot robot_with(int threads, const Robot& robot) {
  Robot changed = robot;
  changed.profile.settings.set("replay.threads=" + std::to_string(threads));
  return changed;
}

std::string text(const Reconstruction& r) { return to_csv(steps_table(r)); }

/// What steps_table() leaves out.
void expect_same_traces(const Reconstruction& a, const Reconstruction& b) {
  EXPECT_TRUE(same_bits(a.residual, b.residual));
  EXPECT_TRUE(same_bits(a.gravity, b.gravity));
  EXPECT_EQ(a.identified, b.identified);
  EXPECT_EQ(a.outside_identified, b.outside_identified);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (std::size_t k = 0; k < a.series.size(); ++k) {
    const EstimateSeries &x = a.series[k], &y = b.series[k];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(same_bits(x.contribution[axis], y.contribution[axis]));
    }
    EXPECT_EQ(x.peak_step, y.peak_step);
    ASSERT_EQ(x.guards.size(), y.guards.size());
    for (std::size_t g = 0; g < x.guards.size(); ++g) {
      EXPECT_EQ(x.guards[g].action, y.guards[g].action);
      EXPECT_EQ(x.guards[g].first_act, y.guards[g].first_act);
      EXPECT_TRUE(same_bits(x.guards[g].force_read, y.guards[g].force_read));
    }
    if (!x.posterior) continue;
    EXPECT_EQ(x.posterior->alarms, y.posterior->alarms);
    EXPECT_EQ(x.posterior->because, y.posterior->because);
    EXPECT_TRUE(same_bits(x.posterior->external_force, y.posterior->external_force));
  }
}

}  // namespace

TEST(ReconstructionParts, AnyNumberOfThreadsGivesTheSameBits) {
  const Robot robot = test::shipped_robot("h1_2");
  const AuditOptions options = audit_options(robot, kEndpoints);
  for (const Episode* log : {&fast_log(), &slow_log()}) {
    const Reconstruction one = test::reconstruct(robot_with(1, robot), *log, kEndpoints, options);
    for (const int threads : {2, 5}) {
      const Reconstruction many = test::reconstruct(robot_with(threads, robot), *log, kEndpoints, options);
      EXPECT_EQ(text(many), text(one)) << threads;
      expect_same_traces(many, one);
    }
  }
}

TEST(ReconstructionParts, OfAnyLengthAndOfOneEstimatorAreRowsOfTheWhole) {
  const Robot robot = robot_with(2, test::shipped_robot("h1_2"));
  AuditOptions options = audit_options(robot, kEndpoints);
  for (const bool smooth : {false, true}) {
    options.smooth.zero_phase = smooth;
    Episode log = fast_log();
    if (smooth) log.time = VectorX::LinSpaced(log.steps(), 0.0, 0.002 * static_cast<double>(log.steps() - 1));
    const Reconstruction all = test::reconstruct(robot, log, kEndpoints, options);
    const std::string whole = text(all);
    const std::string header = whole.substr(0, whole.find('\n') + 1);
    for (const Eigen::Index length : {1, 37, 400}) {
      Reconstructor parts(robot, log, kEndpoints, options);
      std::string joined = header;
      while (parts.done() < log.steps()) joined += text(parts.next(length)).substr(header.size());
      EXPECT_EQ(joined, whole) << length;
      EXPECT_EQ(parts.next(length).steps(), 0);
    }
    for (const EstimatorName estimator : kEach) {
      const ReconstructedEstimators only = {estimator == EstimatorName::deployed, estimator == EstimatorName::stacked,
                                            estimator == EstimatorName::posterior};
      Reconstruction of_one = all;
      std::erase_if(of_one.series, [&](const EstimateSeries& s) { return s.estimator != estimator; });
      EXPECT_EQ(text(Reconstructor(robot, log, kEndpoints, options, only).next(log.steps())), text(of_one))
          << to_string(estimator);
    }
  }
}

TEST(ReconstructionParts, AreWhatTheLoopSaysSampleBySample) {
  const Robot robot = robot_with(3, test::shipped_robot("h1_2"));
  const std::vector<std::string> hands = {kEndpoints[0], kEndpoints[1]};
  const AuditOptions options = audit_options(robot, hands);
  for (const Episode* log : {&fast_log(), &slow_log()}) {
    const Reconstruction again = test::reconstruct(robot, *log, hands, options);
    GuardedEstimator loop(robot, hands, options.equation, options.residual, options.posterior, options.guarded,
                          options.feasibility, options.input);
    InstantReader reader(robot, hands, options.equation);
    DeployedEstimator deployed(reader, options.estimator);
    GuardChain chain(GuardChain::default_order(), options.guard);
    Observation observation;
    int usable = 0, dynamic = 0, identified = 0;
    for (Eigen::Index i = 0; i < log->steps(); ++i) {
      log->observe(i, observation);
      const auto at = static_cast<std::size_t>(i);
      const std::vector<ConsumerWrench>& read = loop.update(observation);
      for (std::size_t k = 0; k < hands.size(); ++k) {
        const EstimateSeries& series = again.find(hands[k], EstimatorName::posterior);
        const WrenchEstimate& estimate = loop.estimates()[k];
        ASSERT_TRUE(same_bits(Vector6(series.wrench.row(i)), estimate.wrench.to_vector())) << i;
        ASSERT_TRUE(same_bits(Vector3(series.guarded_force.row(i)), read[k].wrench.force)) << i;
        ASSERT_EQ(series.reasons[at], read[k].reasons) << i;
        ASSERT_EQ(series.posterior->state[at], read[k].state) << i;
        ASSERT_EQ(series.posterior->action[at], read[k].action) << i;
        ASSERT_EQ(series.posterior->because[at], read[k].because) << i;
        if (estimate.status != Status::ok) continue;
        ++usable;
        dynamic += estimate.residual_kind == ResidualKind::inverse_dynamics;
        identified += loop.residual().correlated;
        ASSERT_EQ(series.posterior->nis[i], estimate.uncertainty.nis) << i;
        ASSERT_EQ(series.posterior->nis_threshold[i], estimate.uncertainty.nis_threshold) << i;
        ASSERT_EQ(series.kappa[i], loop.reliability()[k].condition) << i;
      }
      const ChainedWrench& chained = chain.apply(deployed.solve(reader.at(observation))[0]);
      const EstimateSeries& series = again.find(hands[0], EstimatorName::deployed);
      ASSERT_TRUE(same_bits(Vector6(series.wrench.row(i)), deployed.results()[0].wrench.to_vector())) << i;
      ASSERT_EQ(series.reasons[at], chained.reasons) << i;
      ASSERT_TRUE(same_bits(Vector3(series.guarded_force.row(i)), chained.wrench.force)) << i;
    }
    EXPECT_GT(usable, log->steps()) << "of two hands";
    if (log == &fast_log()) {
      EXPECT_GT(dynamic, usable / 2);
    } else {
      EXPECT_EQ(identified, usable);
    }
  }
}

}  // namespace antaeus
