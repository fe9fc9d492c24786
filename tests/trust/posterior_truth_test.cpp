#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>

#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

// Estimators against exact truth: twins at 500 Hz, with noise and with friction that the estimators do not know.
// docs/validation.md#against-exact-twins shows the table that this test prints.

constexpr std::size_t kHands = 2;
constexpr double kSettled = 0.5;     // [s] after the start
constexpr double kNoPush = 0.1;      // [N] below, nobody pushes
constexpr double kClearPush = 18.0;  // [N] study, §5
constexpr double kPhantom = 15.0;    // [N] study, §4
constexpr double kAlarmForce = 5.0;  // [N] study, §5
constexpr double kAlarmChance = 1e-3;
constexpr double kConfidence = 0.95;

enum Scenario { kPushes, kGood, kIncident, kIncidentMotorSide, kScenarios };
constexpr const char* kScenarioNames[kScenarios] = {"pushes", "good", "incident", "incident, motor side"};
enum Method { kDeployed, kStacked, kStatic, kInverseDynamics, kMomentum, kMethods };
constexpr const char* kMethodNames[kMethods] = {"deployed", "stacked 27 × 24", "posterior, static",
                                                "posterior, inverse dynamics", "posterior, momentum observer"};

/// Sums over steps and hands.
struct Score {
  Vector3 squared = Vector3::Zero();
  double worst = 0.0;  ///< largest |estimate| where nobody pushes [N]
  int count = 0;
  int quiet = 0, phantoms = 0, false_alarms = 0, inconsistent = 0;
  int clear = 0, detected = 0;
  std::array<int, kHands> samples{}, inside{};
  std::array<double, kHands> nees_sum{};

  Vector3 rmse() const { return (squared / count).cwiseSqrt(); }
  double total() const { return std::sqrt(squared.sum() / count); }
  double phantom_share() const { return static_cast<double>(phantoms) / quiet; }
  double false_alarm_share() const { return static_cast<double>(false_alarms) / quiet; }
  double inconsistent_share() const { return static_cast<double>(inconsistent) / count; }
  double detection() const { return static_cast<double>(detected) / clear; }
  double coverage(std::size_t hand) const { return static_cast<double>(inside[hand]) / samples[hand]; }
  double nees(std::size_t hand) const { return nees_sum[hand] / samples[hand]; }
};
using Scores = std::array<Score, kMethods>;

const Robot& robot() {
  static const Robot robot = test::own_robot("h1_2");
  return robot;
}

SyntheticEpisode twin(Scenario scenario, double friction = 1.0) {
  const TwinKind kind = scenario == kPushes ? TwinKind::pushes
                        : scenario == kGood ? TwinKind::good
                                            : TwinKind::incident;
  return make_twin(robot(), kind,
                   {.rate = 500.0,
                    .torque_noise = 0.2,
                    .seed = 11,
                    .motor_side_torque = scenario == kIncidentMotorSide,
                    .inertial = true,
                    .gyro_noise = 0.002,
                    .accelerometer_noise = 0.05,
                    .imu_tilt = 0.0122,  // 0.7°, study §4
                    .friction = friction});
}

void add(Score& score, std::size_t hand, const Vector3& truth, const WrenchEstimate& estimate) {
  static const double kInside = chi_squared_quantile(kConfidence, 3);
  static const double kAlarm = chi_squared_threshold(kAlarmChance, 3);
  const Vector3 force = estimate.wrench.force, error = force - truth;
  ASSERT_TRUE(force.allFinite());
  score.squared += error.cwiseAbs2();
  ++score.count;
  double alarm = 0.0;
  if (estimate.has_covariance) {
    const Eigen::LDLT<Matrix3> C(Matrix3(estimate.uncertainty.covariance.topLeftCorner<3, 3>()));
    const double nees = error.dot(C.solve(error));
    score.nees_sum[hand] += nees;
    score.inside[hand] += nees <= kInside;
    ++score.samples[hand];
    score.inconsistent += !estimate.uncertainty.consistent();
    alarm = force.dot(C.solve(force));
  }
  const bool alarmed = estimate.has_covariance && alarm > kAlarm && force.norm() > kAlarmForce;
  if (truth.norm() < kNoPush) {
    ++score.quiet;
    score.phantoms += force.norm() > kPhantom;
    score.false_alarms += alarmed;
    score.worst = std::max(score.worst, force.norm());
  } else if (truth.norm() > kClearPush) {
    ++score.clear;
    score.detected += alarmed;
  }
}

Scores measure(Scenario scenario) {
  const SyntheticEpisode made = twin(scenario);
  InstantReader wrists(robot(), {made.endpoints[0], made.endpoints[1]}), all(robot(), made.endpoints);
  DeployedEstimator deployed(wrists, {.sign = Sign::on_robot});
  StackedEstimator stacked(all, StackedRows::motors, {.sign = Sign::on_robot});
  ResidualEstimator residuals[] = {{robot(), {.kind = ResidualChoice::static_gravity}},
                                   {robot(), {.kind = ResidualChoice::inverse_dynamics}},
                                   {robot(), {.kind = ResidualChoice::momentum_observer}}};
  PosteriorEstimator posterior(wrists);
  Scores scores;
  Observation observation;
  for (Eigen::Index i = 0; i < made.episode.steps(); ++i) {
    made.episode.observe(i, observation);
    const Instant &of_wrists = wrists.at(observation), &of_all = all.at(observation);
    EXPECT_EQ(of_wrists.status(), Status::ok);
    EXPECT_EQ(of_all.status(), Status::ok);
    const bool settled = made.episode.time[i] - made.episode.time[0] > (scenario < kIncident ? kSettled : 0.05);
    const auto judge = [&](Method method, const WrenchEstimates& estimates) {
      for (std::size_t hand = 0; settled && hand < kHands; ++hand) {
        add(scores[method], hand, made.wrenches[hand].row(i).head<3>().transpose(), estimates[hand]);
      }
    };
    judge(kDeployed, deployed.solve(of_wrists));
    judge(kStacked, stacked.solve(of_all));
    for (int kind = 0; kind < 3; ++kind) {
      const Residual& residual = residuals[kind].form(of_wrists);
      EXPECT_EQ(static_cast<int>(residual.kind), kind);
      judge(static_cast<Method>(kStatic + kind), posterior.solve(residual));
    }
  }
  return scores;
}

const Scores& scores(Scenario scenario) {
  static std::map<Scenario, Scores> known;
  const auto found = known.find(scenario);
  return found != known.end() ? found->second : known.emplace(scenario, measure(scenario)).first->second;
}

TEST(PosteriorTruth, Table) {
  std::cout << "| twin | estimator | RMSE x/y/z [N] | worst phantom [N] | above 15 N | coverage L, R | NEES L, R "
               "| false alarms | inconsistent | found |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (int scenario = 0; scenario < kScenarios; ++scenario) {
    for (int method = 0; method < kMethods; ++method) {
      const Score& s = scores(static_cast<Scenario>(scenario))[static_cast<std::size_t>(method)];
      const Vector3 rmse = s.rmse();
      char line[256], doubt[96] = "– | – | – | –", detected[16] = "–";
      if (method >= kStatic) {
        std::snprintf(doubt, sizeof doubt, "%.3f, %.3f | %.2f, %.2f | %.4f | %.4f", s.coverage(0), s.coverage(1),
                      s.nees(0), s.nees(1), s.false_alarm_share(), s.inconsistent_share());
        if (s.clear > 0) std::snprintf(detected, sizeof detected, "%.3f", s.detection());
      }
      std::snprintf(line, sizeof line, "%.1f / %.1f / %.1f | %.1f | %.1f %% | %s | %s", rmse.x(), rmse.y(), rmse.z(),
                    s.worst, 100.0 * s.phantom_share(), doubt, detected);
      std::cout << "| " << kScenarioNames[scenario] << " | " << kMethodNames[method] << " | " << line << " |\n";
      RecordProperty(std::string("row_") + std::to_string(scenario) + "_" + std::to_string(method), line);
    }
  }
}

// A robot that stands and is pushed slowly: accelerations are small, friction is what is left. A residual that knows
// the motion filters the noise; more it cannot do.
TEST(PosteriorTruth, QuasiStaticPushes) {
  const Scores& s = scores(kPushes);
  EXPECT_LT(s[kInverseDynamics].total(), 0.65 * s[kDeployed].total());
  EXPECT_LT(s[kInverseDynamics].total(), s[kStatic].total());
  EXPECT_LT(s[kInverseDynamics].worst, 0.5 * s[kDeployed].worst);
  for (const Method method : {kInverseDynamics, kMomentum}) {
    EXPECT_LT(s[method].rmse().maxCoeff(), 2.5) << "study: 1.6 N";
    EXPECT_EQ(s[method].phantoms, 0);
  }
  for (const Method method : {kStatic, kInverseDynamics, kMomentum}) EXPECT_GT(s[method].detection(), 0.99);
  EXPECT_GT(s[kDeployed].phantom_share(), 0.01);
  EXPECT_GT(s[kStatic].clear, 1000) << "there were pushes";
}

// Where the pelvis turns and the legs thrash: the deployed number is inertia.
TEST(PosteriorTruth, TheIncident) {
  for (const Scenario scenario : {kIncident, kIncidentMotorSide}) {
    SCOPED_TRACE(kScenarioNames[scenario]);
    const Scores& s = scores(scenario);
    EXPECT_GT(s[kDeployed].worst, scenario == kIncident ? 400.0 : 2000.0);
    EXPECT_GT(s[kStacked].worst, scenario == kIncident ? 150.0 : 2000.0) << "stacking does not remove it";
    EXPECT_LT(s[kStatic].worst, 40.0);
    for (const Method method : {kInverseDynamics, kMomentum}) {
      EXPECT_LT(s[method].worst, scenario == kIncident ? 3.0 : 10.0);
      EXPECT_LT(s[method].total(), 0.05 * s[kDeployed].total());
      EXPECT_LT(s[method].total(), s[kStatic].total());
      EXPECT_EQ(s[method].phantoms, 0);
    }
  }
}

// Study, §5: coverage 0.93 to 1.00, NEES 1.9 to 2.6 for an ideal of 3. Friction that stands still over whole seconds is
// no noise, and in the incident's pose the posterior is the prior: both make it cautious, not wrong.
TEST(PosteriorTruth, WhatItSaysOfItsDoubtIsTrue) {
  for (const Scenario scenario : {kPushes, kGood, kIncident}) {
    SCOPED_TRACE(kScenarioNames[scenario]);
    for (const Method method : {kInverseDynamics, kMomentum}) {
      const Score& s = scores(scenario)[method];
      for (std::size_t hand = 0; hand < kHands; ++hand) {
        EXPECT_GE(s.coverage(hand), 0.93);
        EXPECT_LT(s.nees(hand), 3.0);
      }
      EXPECT_EQ(s.false_alarms, 0);
      EXPECT_LT(s.inconsistent_share(), 0.01);
    }
  }
  // A static residual of a moving robot cannot be calibrated by the covariance of noise (study, §5).
  EXPECT_LT(scores(kIncident)[kStatic].coverage(1), 0.85);
  EXPECT_GT(scores(kIncident)[kStatic].nees(1), 4.0);
}

// Torque in the arm's own motors that is neither contact nor inertia has no sign of its own: it is read as a force, and
// the stated doubt does not hold it. Its size stays that of the torque, without the reference joint's gain.
TEST(PosteriorTruth, MotorSideTorqueOfTheArmIsReadAsForce) {
  const Score& s = scores(kIncidentMotorSide)[kInverseDynamics];
  EXPECT_LT(s.coverage(0), 0.5);
  EXPECT_GT(s.inconsistent_share(), 0.8) << "but the tests say so";
  EXPECT_GT(s.coverage(1), 0.93) << "the other arm has none";
}

// In the twins two joints of an arm slide, the rest stand. Here every joint slides, each in a direction of its own,
// drawn anew 400 times.
TEST(PosteriorTruth, CoverageOverDrawsOfFriction) {
  constexpr int kDraws = 400;
  constexpr Eigen::Index kSamples = 60;  // 0.12 s: the low pass has settled after 0.045 s
  for (const Scenario scenario : {kPushes, kIncident}) {
    const SyntheticEpisode made = twin(scenario, 0.0);
    InstantReader wrists(robot(), {made.endpoints[0], made.endpoints[1]});
    PosteriorEstimator posterior(wrists);
    ResidualEstimator residual(robot(), {.kind = ResidualChoice::inverse_dynamics});
    std::array<Score, kHands> scores;
    test::RandomStates random(2024);
    SCOPED_TRACE(random.text());
    Observation observation;
    for (int draw = 0; draw < kDraws; ++draw) {
      const VectorX direction = random.vector(robot().model.motor_count());
      const Eigen::Index room = made.episode.steps() - kSamples - 1;
      const auto begin = static_cast<Eigen::Index>(0.5 * (random.vector(1)[0] + 1.0) * static_cast<double>(room));
      residual.reset();
      for (Eigen::Index i = begin; i < begin + kSamples; ++i) {
        made.episode.observe(i, observation);
        for (Eigen::Index m = 0; m < direction.size(); ++m) {
          observation.tau[m] +=
              std::copysign(robot().profile.figures[static_cast<std::size_t>(m)].coulomb, direction[m]);
        }
        const WrenchEstimates& estimates = posterior.solve(residual.form(wrists.at(observation)));
        if (i + 1 < begin + kSamples) continue;
        for (std::size_t hand = 0; hand < kHands; ++hand) {
          add(scores[hand], hand, made.wrenches[hand].row(i).head<3>().transpose(), estimates[hand]);
        }
      }
    }
    for (std::size_t hand = 0; hand < kHands; ++hand) {
      const Score& s = scores[hand];
      char line[128];
      std::snprintf(line, sizeof line, "%s, hand %zu: coverage %.3f, NEES %.2f, RMSE %.2f N, false alarms %d of %d",
                    kScenarioNames[scenario], hand, s.coverage(hand), s.nees(hand), s.total(), s.false_alarms, s.quiet);
      std::cout << line << "\n";
      RecordProperty("draws_" + std::to_string(scenario) + "_" + std::to_string(hand), line);
      // 0.93 (docs/validation.md#noise) less two standard errors of so many draws. Its NEES was 1.9
      // to 2.6; here no joint stands.
      EXPECT_GE(s.coverage(hand), 0.93 - 2.0 * std::sqrt(0.93 * 0.07 / kDraws));
      EXPECT_LT(s.nees(hand), 5.0);
      EXPECT_EQ(s.false_alarms, 0);
    }
  }
}

}  // namespace
}  // namespace antaeus
