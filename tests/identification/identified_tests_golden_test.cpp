#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/guard/guarded_estimator.hpp"
#include "antaeus/identification/held_pose.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "robot/test_robots.hpp"
#include "support/shared.hpp"

// What the estimator itself, from log to verdict, says of the H1-2's runs with noise that was identified on the others:
// its tests' alarms, their power, and the lies of knowledge/estimator_lies.md, with the profile's assumed figures beside.

namespace antaeus {
namespace {

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
constexpr double kToTheEnd = 1e9, kEngaged = 2.5;
constexpr int kTorso = 12;

struct Span {
  const char* run;
  double from, to;
};
constexpr Span kContactFree[] = {{"re1_real_encode", 0.0, 14.0},
                                 {"re2_real_encode", 0.0, 9.5},
                                 {"re1_real_no_encode", 0.0, 10.2},
                                 {"re3_real_no_encode_tr1", 0.0, kToTheEnd},
                                 {"re3_real_no_encode_tr2", 0.0, kToTheEnd}};
constexpr Span kAfterPushes[] = {
    {"re1_real_encode", 28.5, 34.5}, {"re1_real_encode", 46.0, kToTheEnd}, {"re2_real_encode", 21.0, kToTheEnd}};

/// Shares of a span's samples.
struct Alarms {
  double samples = 0.0, reference = 0.0, misfit = 0.0, contact = 0.0, nis = 0.0, refusing = 0.0;
  Eigen::Index first_reference = -1, first = -1, first_outside = -1;  ///< steps; first: kTestAlarm
};

class IdentifiedTests : public testing::Test {
 protected:
  void SetUp() override {
    ANTAEUS_REQUIRE_SHARED("episodes/re3_real_encode_tr1/tau.npy");
    const auto read = [&](const Span& span) {
      stretches_.push_back(read_held_stretch(robot_, kWrists, episode(span.run), span.from, span.to));
    };
    std::ranges::for_each(kContactFree, read);
    std::ranges::for_each(kAfterPushes, read);
  }

  const Episode& episode(const std::string& name) {
    const auto found = episodes_.find(name);
    if (found != episodes_.end()) return found->second;
    return episodes_.emplace(name, load_episode(test::shared_folder() / "episodes" / name, robot_)).first->second;
  }

  /// The robot with noise identified on all runs but one.
  Robot without(const std::string& run) const {
    std::vector<HeldStretch> others;
    std::ranges::copy_if(stretches_, std::back_inserter(others), [&](const auto& s) { return s.run != run; });
    Robot robot = robot_;
    robot.profile.noise = std::make_shared<const NoiseModel>(
        noise_model(robot.model, fit_held_pose(robot, kWrists, others)));
    return robot;
  }

  /// \param at_rest  counts only samples at which the legs and the torso stand still
  Alarms watch(const Robot& robot, const Span& span, const PosteriorOptions& options, double fault = 0.0,
               bool at_rest = false) {
    InstantReader reader(robot, kWrists);
    ResidualEstimator residual(robot);
    PosteriorEstimator posterior(reader, options);
    const Episode& log = episode(span.run);
    Observation observation;
    Alarms alarms;
    for (Eigen::Index step = 0; step < log.steps(); ++step) {
      log.observe(step, observation);
      observation.tau[kTorso] += fault;
      const PosteriorEstimates& estimates = posterior.solve(residual.form(reader.at(observation)));
      const double time = log.time[step] - log.time[0];
      if (time < span.from || time > span.to) continue;
      if (at_rest && residual.envelope()->share() > 0.0) continue;
      const auto any = [&](auto&& test) { return test(estimates[0]) || test(estimates[1]); };
      const bool reference = any([](const WrenchEstimate& e) { return !e.uncertainty.reference.passes(); });
      const bool refusing = any([](const WrenchEstimate& e) { return e.reasons.has_any(kTestAlarm); });
      ++alarms.samples;
      alarms.reference += reference;
      alarms.misfit += any([](const WrenchEstimate& e) { return !e.uncertainty.misfit.passes(); });
      alarms.contact += any([](const WrenchEstimate& e) { return !e.uncertainty.contact.passes(); });
      alarms.nis += any([](const WrenchEstimate& e) { return !(e.uncertainty.nis <= e.uncertainty.nis_threshold); });
      alarms.refusing += refusing;
      if (reference && alarms.first_reference < 0) alarms.first_reference = step;
      if (refusing && alarms.first < 0) alarms.first = step;
      if (estimates[0].reasons.has(Reason::outside_identified) && alarms.first_outside < 0) alarms.first_outside = step;
    }
    return alarms;
  }

  Robot robot_ = test::own_robot("h1_2");
  std::map<std::string, Episode> episodes_;
  std::vector<HeldStretch> stretches_;
};

PosteriorOptions limits(double per_hour) {
  PosteriorOptions options;
  options.false_alarms_per_hour = per_hour;
  return options;
}

// No test of the estimator alarms in a run in which nothing happened, engagement included, at any limit. With assumed
// figures they do.
TEST_F(IdentifiedTests, NoneAlarmsInTheUneventfulRuns) {
  for (const double rate : {0.0, 60.0, 10.0, 1.0}) {
    double assumed = 0.0, samples = 0.0;
    for (const Span& span : kContactFree) {
      const Alarms held_out = watch(without(span.run), span, limits(rate));
      const Alarms before = watch(robot_, span, limits(rate));
      std::printf("%-24s rate %4.0f: reference %.4f (%.4f) misfit %.4f (%.4f) contact %.4f (%.4f) nis %.4f (%.4f) test alarm "
                  "%.4f (%.4f) of %.0f\n",
                  span.run, rate, held_out.reference / held_out.samples, before.reference / before.samples,
                  held_out.misfit / held_out.samples, before.misfit / before.samples,
                  held_out.contact / held_out.samples, before.contact / before.samples, held_out.nis / held_out.samples,
                  before.nis / before.samples, held_out.refusing / held_out.samples, before.refusing / before.samples,
                  held_out.samples);
      EXPECT_EQ(held_out.reference, 0.0) << span.run << " " << rate;
      EXPECT_EQ(held_out.refusing, 0.0) << span.run << " " << rate;
      EXPECT_EQ(held_out.first_outside, -1) << span.run;
      assumed += before.refusing, samples += before.samples;
    }
    std::printf("rate %.0f, assumed figures: %.4f of samples in alarm\n", rate, assumed / samples);
  }
}

// Issue 16: ±12 N·m at the torso at rest are seen in 95 % of samples at 0.5 %, in each of the five runs.
TEST_F(IdentifiedTests, TheReferenceRowSeesTwelveNewtonMetres) {
  for (const double rate : {0.0, 60.0, 10.0, 1.0}) {
    for (Span span : kContactFree) {
      const Robot robot = without(span.run);
      span.from = kEngaged;
      for (const double fault : {-12.0, 12.0}) {
        const Alarms alarms = watch(robot, span, limits(rate), fault, true);
        const double power = alarms.reference / alarms.samples;
        std::printf("%-24s rate %4.0f %+.0f N·m: reference %.3f, any that refuses %.3f, misfit %.3f\n", span.run, rate, fault,
                    power, alarms.refusing / alarms.samples, alarms.misfit / alarms.samples);
        if (rate == 0.0) {
          EXPECT_GE(power, 0.95) << span.run << " " << fault;
        }
      }
    }
  }
}

TEST_F(IdentifiedTests, TheIncidentAlarms) {
  const Span incident{"re3_real_encode_tr1", 0.0, kToTheEnd};
  for (const double rate : {0.0, 60.0, 10.0, 1.0}) {
    const Alarms alarms = watch(without(""), incident, limits(rate));
    std::printf("RE3, rate %.0f: reference first at step %d, first refusing test %d, outside %d; reference %.3f of samples\n",
                rate, static_cast<int>(alarms.first_reference), static_cast<int>(alarms.first),
                static_cast<int>(alarms.first_outside), alarms.reference / alarms.samples);
    EXPECT_GE(alarms.first_reference, 0) << rate;
    EXPECT_EQ(alarms.first_outside, 6);
  }
}

// Lie 1: torque offsets of the good runs, read as forces. A lie: the verdict is no refusal, no test alarms, and zero is
// outside of the 95 % ellipsoid with more than 5 N in the directions called observable. Stretches in which nobody is
// known to have touched the robot.
TEST_F(IdentifiedTests, LieOneOffsetsOfTheGoodRuns) {
  static const double kInside = chi_squared_quantile(0.95, 3);
  for (const bool identified : {false, true}) {
    double lies_of_all = 0.0, all = 0.0;
    for (Span span : {kContactFree[0], kContactFree[1], kAfterPushes[0], kAfterPushes[1], kAfterPushes[2]}) {
      if (span.from == 0.0) span.from = kEngaged;
      const Robot robot = identified ? without(span.run) : robot_;
      GuardedEstimator guarded(robot, kWrists);
      const Episode& log = episode(span.run);
      Observation observation;
      std::array<std::vector<double>, 2> sizes, observable;
      std::array<double, 2> lies{}, used{}, ok{};
      double samples = 0.0;
      for (Eigen::Index step = 0; step < log.steps(); ++step) {
        log.observe(step, observation);
        const auto& results = guarded.update(observation);
        const double time = log.time[step] - log.time[0];
        if (time < span.from || time > span.to) continue;
        ++samples;
        for (std::size_t arm = 0; arm < 2; ++arm) {
          const WrenchEstimate& estimate = guarded.estimates()[arm];
          const Vector3 F = estimate.wrench.force;
          const Matrix3 C = estimate.uncertainty.covariance.topLeftCorner<3, 3>();
          sizes[arm].push_back(F.norm());
          observable[arm].push_back(estimate.uncertainty.observable_force.norm());
          const bool may_use = results[arm].state != Verdict::refused;
          used[arm] += may_use;
          ok[arm] += results[arm].state == Verdict::ok;
          lies[arm] += may_use && !estimate.reasons.has_any(kTestAlarm) && F.dot(C.llt().solve(F)) > kInside &&
                       estimate.uncertainty.observable_force.norm() > 5.0;
        }
      }
      for (std::size_t arm = 0; arm < 2; ++arm) {
        std::ranges::sort(sizes[arm]);
        std::ranges::sort(observable[arm]);
        std::printf("%s %-17s %4.1f s %s: median |F| %.1f N, observable %.1f, ok %.2f, ok or degraded %.2f, lies %.2f\n",
                    identified ? "identified" : "assumed   ", span.run, span.from, arm == 0 ? "left " : "right",
                    sizes[arm][sizes[arm].size() / 2], observable[arm][observable[arm].size() / 2], ok[arm] / samples,
                    used[arm] / samples, lies[arm] / samples);
        lies_of_all += lies[arm], all += samples;
      }
    }
    std::printf("%s: lies in %.3f of samples\n", identified ? "identified" : "assumed", lies_of_all / all);
    if (identified) {
      EXPECT_LE(lies_of_all / all, 0.05);
    } else {
      EXPECT_GE(lies_of_all / all, 0.20);
    }
  }
}

}  // namespace
}  // namespace antaeus
