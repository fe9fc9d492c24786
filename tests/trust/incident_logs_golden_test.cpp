// The posterior, the whole-robot check and the hypotheses on the incident's logs. The logs hold no true force, but it
// is known that no one pushed in RE3, and that RE1 and RE2 went well.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "robot/test_robots.hpp"
#include "support/shared.hpp"

namespace antaeus {
namespace {
namespace incident_logs {

using test::kLimbs;
using test::kWrists;
constexpr int kWaist = 12, kLeftWristPitch = 18;

struct Step {
  WrenchEstimate left, right;
  EndpointReliability reliability;
  double deployed_Fz;
  ConsumerWrench guarded;
};

Episode load(const std::string& name, const Robot& robot) {
  return load_episode(test::shared_folder() / "episodes" / name, robot);
}

std::vector<Step> run(const Robot& robot, const std::string& name) {
  const Episode episode = load(name, robot);
  // The deployed sign, so that values compare with the deployed ones.
  GuardedEstimator guarded(robot, kWrists, {}, {}, {.sign = Sign::on_environment}, {});
  InstantReader reader(robot, kWrists);
  DeployedEstimator deployed(reader);
  std::vector<Step> steps;
  Observation observation;
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    episode.observe(i, observation);
    const auto& results = guarded.update(observation);
    steps.push_back({guarded.estimates()[0], guarded.estimates()[1], guarded.reliability()[0],
                     deployed.solve(reader.at(observation))[0].wrench.force.z(), results[0]});
  }
  return steps;
}

void check_step_8(const Robot& robot) {
  const std::vector<Step> steps = run(robot, "re3_real_encode_tr1");
  const WrenchEstimate& left = steps[8].left;
  ASSERT_EQ(left.status, Status::ok);
  EXPECT_LT(left.wrench.force.norm(), 6.0);  // deployed: 558 N
  EXPECT_GT(left.uncertainty.worst_sd(), 15.0);
  EXPECT_LT(left.uncertainty.worst_sd(), 25.0);
  // The weak direction is the line from shoulder to wrist, nearly vertical
  // (docs/validation.md#structure).
  EXPECT_GT(std::abs(left.uncertainty.worst_direction().z()), 0.9);
  EXPECT_EQ(left.uncertainty.observable, 2);
  EXPECT_EQ(left.residual_kind, ResidualKind::static_gravity);
  EXPECT_EQ(left.verdict, Verdict::degraded);
  EXPECT_TRUE(left.reasons.has(Reason::motion));
  EXPECT_TRUE(left.reasons.has(Reason::unobservable_direction));
  EXPECT_EQ(left.gain.col(kWaist).norm(), 0.0);  // the joint that made 533 N has no way in
}

void check_correlation_with_deployed(const Robot& robot) {
  const std::vector<Step> steps = run(robot, "re2_real_encode");
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  const double n = static_cast<double>(steps.size());
  for (const Step& step : steps) {
    const double x = step.left.wrench.force.z(), y = step.deployed_Fz;
    sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
  }
  const double correlation = (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
  testing::Test::RecordProperty("correlation", std::to_string(correlation));
  EXPECT_GT(correlation, 0.6);
}

void check_alarms(const Robot& robot) {
  const std::vector<Step> incident = run(robot, "re3_real_encode_tr1");
  int first = -1;
  for (int i = 0; i < static_cast<int>(incident.size()) && first < 0; ++i) {
    if (incident[static_cast<std::size_t>(i)].left.reasons.has_any(kTestAlarm)) first = i;
  }
  testing::Test::RecordProperty("first_alarm", first);
  EXPECT_GE(first, 0);
  EXPECT_LT(first, 8);
  EXPECT_EQ(incident[static_cast<std::size_t>(std::max(first, 0))].guarded.state, Verdict::refused);
  for (const char* name : {"re1_real_encode", "re2_real_encode"}) {
    const std::vector<Step> good = run(robot, name);
    double alarms = 0;
    for (const Step& step : good) {
      alarms += (step.left.reasons | step.right.reasons).has_any(kTestAlarm);
    }
    testing::Test::RecordProperty(std::string("alarms_") + name, std::to_string(alarms));
    EXPECT_LT(alarms / static_cast<double>(good.size()), 0.01) << name;
  }
}

void check_reliability(const Robot& robot) {
  const std::vector<Step> incident = run(robot, "re3_real_encode_tr1");
  const EndpointReliability& re3 = incident[8].reliability;
  EXPECT_LT(re3.prior_free_redundancy[kWaist], 1e-3);
  EXPECT_GT(re3.prior_free_bias[kWaist], 500.0);
  // With a prior of 20 N (10.4 N·m where nothing touches the other hand: docs/validation.md#the-incident).
  EXPECT_NEAR(re3.minimal_detectable_bias[kWaist], 15.2, 0.3);
  const std::vector<Step> good = run(robot, "re2_real_encode");
  const EndpointReliability& re2 = good[8].reliability;
  // docs/validation.md#the-incident: 0.69 and 10 N·m.
  EXPECT_NEAR(re2.prior_free_redundancy[kWaist], 0.69, 0.02);
  EXPECT_NEAR(re2.prior_free_bias[kWaist], 10.0, 0.3);
  EXPECT_LT(re2.prior_free_redundancy[kLeftWristPitch], kUndetectableRedundancy);
  // Ten times what the motor can do: no fault that it could have would be seen, if contacts could be of any size.
  EXPECT_GT(re2.prior_free_bias[kLeftWristPitch], 10.0 * robot.model.effort_limits()[kLeftWristPitch]);
  // docs/validation.md#the-incident: 6.8 N·m with the prior.
  EXPECT_NEAR(re2.minimal_detectable_bias[kLeftWristPitch], 6.8, 0.1);
  // 8 rows, 6 unknowns.
  EXPECT_EQ(re2.prior_free_total, 2.0);
}

const FeasibilityMargin& find_margin(const Feasibility& result, MarginKind kind, int endpoint) {
  for (const FeasibilityMargin& margin : result.margins) {
    if (margin.kind == kind && margin.endpoint == endpoint) return margin;
  }
  throw std::runtime_error("missing margin");
}

/// The whole-robot check finds what no rank and no condition number shows (docs/validation.md#the-incident).
void check_feasibility_of_stacked_feet(const Robot& robot) {
  InstantReader reader(robot, kLimbs);
  FeasibilityChecker checker(robot, kLimbs);
  StackedEstimator stacked(reader);
  Observation observation;
  const auto run = [&](const char* name, Eigen::Index first, Eigen::Index last, auto&& judge) {
    const Episode episode = load(name, robot);
    for (Eigen::Index i = first; i < std::min(last, episode.steps()); ++i) {
      episode.observe(i, observation);
      const WrenchEstimates& estimates = stacked.solve(reader.at(observation));
      ASSERT_TRUE(estimates.moving);
      judge(checker.check(estimates));
    }
  };
  run("re3_real_encode_tr1", 8, 9, [](const Feasibility& result) {
    EXPECT_FALSE(result.feasible());
    // The ground would have to pull both feet, with 2605 N and 1401 N.
    EXPECT_NEAR(find_margin(result, MarginKind::unilateral, 2).value, -2605.3, 0.05);
    EXPECT_NEAR(find_margin(result, MarginKind::unilateral, 3).value, -1401.1, 0.05);
    const FeasibilityMargin& total = find_margin(result, MarginKind::total_z, -1);
    EXPECT_FALSE(total.feasible);
    std::cout << "RE3 step 8: balance z " << total.value << " N, sd " << total.sd << " N\n";
    // −2605.3 − 1401.1 + 353.6 − 12.2 − 657.1
    EXPECT_NEAR(total.value, -4322.1, 0.5);
    EXPECT_NEAR(total.sd, 134.7, 0.5);
  });
  for (const char* name : {"re1_real_encode", "re2_real_encode"}) {
    int steps = 0, feasible = 0, pulls = 0, slides = 0, balance = 0;
    run(name, 0, 1 << 30, [&](const Feasibility& result) {
      ++steps;
      feasible += result.feasible();
      pulls += !find_margin(result, MarginKind::unilateral, 2).feasible ||
               !find_margin(result, MarginKind::unilateral, 3).feasible;
      slides += !find_margin(result, MarginKind::friction, 2).feasible ||
                !find_margin(result, MarginKind::friction, 3).feasible;
      balance += !find_margin(result, MarginKind::total_z, -1).feasible;
    });
    std::cout << name << ": " << steps << " steps, feasible " << feasible << ", a foot pulls in " << pulls
              << ", slides in " << slides << ", vertical balance broken in " << balance << "\n";
    // Measured: 33 of 2620 and 37 of 1357 steps fail, nearly all by sliding: the good runs pass in 97 % and more.
    EXPECT_GT(feasible, 0.95 * steps) << name;
    EXPECT_LT(feasible, steps) << name;
  }
}

/// The incident's log and the two good ones. There is no truth in them; what is found is printed and bounded.
void check_hypotheses(const Robot& robot) {
  for (const char* name : {"re3_real_encode_tr1", "re1_real_encode", "re2_real_encode"}) {
    const Episode episode = load(name, robot);
    InstantReader reader(robot, kLimbs);
    ResidualEstimator residuals(robot);
    PosteriorEstimator posterior(reader);
    HypothesisTest test(reader);
    SequentialHypothesis left, right;
    Observation o;
    int alarms = 0, single = 0, first = -1, first_single = -1, none = 0;
    int before = 0, after = 0;
    double nis_before = 0.0, nis_after = 0.0, scale = 0.0;
    std::map<std::string, int> best;
    const double start = episode.time[0];
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      episode.observe(i, o);
      const Residual& residual = residuals.form(reader.at(o));
      const auto& estimates = posterior.solve(residual);
      if (estimates[0].status != Status::ok) continue;
      const HypothesisResult& result = test.solve(residual);
      single += result.alarm;
      if (result.alarm && first_single < 0) first_single = static_cast<int>(i);
      none += result.best().kind == CauseKind::none;
      ++best[test.name(result.best())];
      if (result.best().kind == CauseKind::torque_scale) scale += result.best().size;
      const double nis = std::max(estimates[0].uncertainty.nis, estimates[1].uncertainty.nis);
      (first < 0 ? before : after) += 1;
      (first < 0 ? nis_before : nis_after) += nis;
      left.step(o.time, estimates[0].uncertainty.nis, estimates[0].uncertainty.nis_rows);
      right.step(o.time, estimates[1].uncertainty.nis, estimates[1].uncertainty.nis_rows);
      if (left.alarm() || right.alarm()) {
        if (first < 0) {
          first = static_cast<int>(i);
          std::cout << name << ": CUSUM alarms at step " << i << ", " << o.time - start << " s, left " << left.alarm()
                    << ", right " << right.alarm() << "\n";
        }
        ++alarms;
        left.reset();
        right.reset();
      }
      if (std::string(name) == "re3_real_encode_tr1" && i == 8) {
        std::cout << "RE3 step 8: χ² " << result.chi_squared << " (threshold " << result.threshold << ", rows "
                  << result.rows << "), alarm " << result.alarm << ", explained " << result.explained << "\n";
        for (std::size_t c = 0; c < 4; ++c) {
          const Cause& cause = result.causes[c];
          std::cout << "  " << test.name(cause) << ": ln evidence " << cause.log_evidence << ", BIC " << cause.bic
                    << ", size " << cause.size << " ± " << cause.size_sd << " " << cause.unit << ", misfit of best "
                    << cause.misfit_of_best << ", " << to_string(cause.separation) << "\n";
        }
        // The robot turned: more than the torso's row is wrong (the right shoulder shows it), and no single cause makes
        // all of it. The test must say so, and does; the torso is next to the best.
        EXPECT_TRUE(result.alarm);
        EXPECT_FALSE(result.explained);
        EXPECT_EQ(test.name(result.runner_up()), "offset of torso_joint");
        EXPECT_NEAR(result.runner_up().size, -34.45, 2 * result.runner_up().size_sd);
      }
    }
    const double minutes = (episode.time[episode.steps() - 1] - start) / 60.0;
    std::cout << name << ": " << minutes << " min, CUSUM alarms " << alarms << " (" << alarms / minutes
              << " a minute), single-sample alarms " << single << " (first at " << first_single << "), none is best in "
              << none << " of " << episode.steps() << "; best:";
    for (const auto& [cause, count] : best) std::cout << " " << cause << " " << count << ";";
    std::cout << "\n";
    std::cout << "  mean of the larger NIS before the first CUSUM alarm " << nis_before / std::max(before, 1)
              << ", after it " << nis_after / std::max(after, 1) << ", mean of the torque scale where it is best "
              << scale / std::max(best["torque scale"], 1) << "\n";
    // RE3: later than the threshold on single samples, which a jump is for. RE2: never. RE1: not for 37 s; from then on
    // one arm's torques contradict for as long as the log lasts, mildly, so that each reset alarms again.
    const std::string run = name;
    if (run == "re3_real_encode_tr1") {
      EXPECT_GE(first, 9);
      EXPECT_LT(first, 30);
    } else if (run == "re2_real_encode") {
      EXPECT_EQ(alarms, 0);
    } else {
      EXPECT_GT(first, 1800);
      EXPECT_LT(alarms / minutes, 20.0);
    }
  }
}

}  // namespace incident_logs

TEST(IncidentLogs, ReproduceTheirValues) {
  using namespace incident_logs;
  for (const char* name : {"re1_real_encode", "re2_real_encode", "re3_real_encode_tr1"}) {
    ANTAEUS_REQUIRE_SHARED(std::filesystem::path("episodes") / name);
  }
  const Robot robot = test::own_robot("h1_2");
  const std::pair<const char*, void (*)(const Robot&)> groups[] = {
      {"step 8 of RE3", check_step_8},
      {"correlation with the deployed estimator in RE2", check_correlation_with_deployed},
      {"alarms", check_alarms},
      {"reliability", check_reliability},
      {"feasibility of stacked feet", check_feasibility_of_stacked_feet},
      {"hypotheses", check_hypotheses},
  };
  for (const auto& [name, check] : groups) {
    SCOPED_TRACE(name);
    check(robot);
  }
}

}  // namespace
}  // namespace antaeus
