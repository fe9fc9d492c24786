#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/identification/alarm_tests.hpp"
#include "antaeus/identification/held/held_pose.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "identification/humanoid_runs.hpp"
#include "identification/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/alarm_rate.hpp"
#include "support/shared.hpp"
#include "support/soak.hpp"

// The H1-2's runs without contact, each judged by noise that was identified on the others (leave one run out). There is
// no truth in them: nobody is known to have touched the robot in these stretches, which were chosen by eye
// (docs/measured/held_pose.md).

namespace antaeus {
namespace {

using test::kAfterPushes;
using test::kContactFree;
using test::kToTheEnd;
using test::kWithin95;
using test::kWrists;
using Span = test::RunSpan;

constexpr double kForcePrior = 20.0, kMomentPrior = 1.5;  // the H1-2's, docs/estimator.md

/// One arm's wrench, whitened by the whole covariance of its rows.
struct Solution {
  Vector3 force;
  Matrix3 spread;     ///< G R Gᵀ: what noise alone makes of the force, without contact
  Matrix3 posterior;  ///< P₀ − G A P₀
};

/// What the arm's own seven rows say: w on the robot, r = −Jᵀ w + mean + error.
Solution solve(const Matrix6X& J, const VectorX& r, const VectorX& mean, const MatrixX& R) {
  Matrix6 P0 = Matrix6::Zero();
  P0.diagonal().head<3>().setConstant(kForcePrior * kForcePrior);
  P0.diagonal().tail<3>().setConstant(kMomentPrior * kMomentPrior);
  const MatrixX A = -J.transpose();
  const MatrixX S = A * P0 * A.transpose() + R;
  const MatrixX G = S.llt().solve(A * P0).transpose();
  const Vector6 w = G * (r - mean);
  const Matrix6 spread = G * R * G.transpose(), posterior = P0 - G * A * P0;
  return {w.head<3>(), spread.topLeftCorner<3, 3>(), posterior.topLeftCorner<3, 3>()};
}

/// What no contact explains: the whitened residual outside of the directions in which a wrench of one prior sd makes
/// GaussianPosterior::kFelt noise sds or more. \param limits  of the χ² by its degrees of freedom, from 1 on
LinearTest misfit_test(const MatrixX& A, const MatrixX& R, const MatrixX& prior_factor, const VectorX& limits) {
  const Eigen::LLT<MatrixX> noise(R);
  const MatrixX B = noise.matrixL().solve(A * prior_factor);
  const Eigen::JacobiSVD<MatrixX> svd(B, Eigen::ComputeFullU);
  const Eigen::Index felt = (svd.singularValues().array() >= GaussianPosterior::kFelt).count();
  // Uᵀ L⁻¹ = (L⁻ᵀ U)ᵀ.
  const MatrixX outside = noise.matrixU().solve(svd.matrixU().rightCols(R.rows() - felt)).transpose();
  return {outside, R.rows() > felt ? limits[R.rows() - felt - 1] : 0.0};
}

/// Both wrists' twelve unknowns on all rows.
MatrixX both_arms(const Instant& now, const std::vector<int>& motors) {
  MatrixX A(std::ssize(motors), 12);
  for (int arm = 0; arm < 2; ++arm) A.middleCols(6 * arm, 6) = -now.jacobian(arm)(Eigen::all, motors).transpose();
  return A;
}

MatrixX both_priors() {
  VectorX sd(12);
  sd << VectorX::Constant(3, kForcePrior), VectorX::Constant(3, kMomentPrior), VectorX::Constant(3, kForcePrior),
      VectorX::Constant(3, kMomentPrior);
  return sd.asDiagonal();
}

/// Limits of χ² at a probability, by degrees of freedom.
VectorX chi_squared_limits(double p) {
  VectorX limits(15);
  for (int dof = 1; dof <= 15; ++dof) limits[dof - 1] = chi_squared_threshold(p, dof);
  return limits;
}

struct ArmStretch {
  double median = 0.0, largest = 0.0, covered = 0.0, nees = 0.0;
  Solution last;
};

class HeldPoseOnTheLogs : public test::HumanoidRuns {
 protected:
  /// Calls \p use(step, arm, solution, instant) at every tenth step of a span, and every step's speed is followed.
  /// Calls \p use(step, instant, r, mean, R, envelope).
  template <class Use>
  void predict(const Span& span, const HeldPoseNoise& noise, int every, Use use) {
    const Episode& log = episode(span.run);
    HeldPosePredictor predictor(robot_.model, noise);
    SpeedEnvelope envelope(envelope_motors(robot_, kWrists), noise.largest_speed);
    InstantReader reader(robot_, kWrists);
    Observation observation;
    const auto m = std::ssize(noise.motors);
    VectorX mean(m);
    MatrixX R(m, m);
    for (Eigen::Index step = 0; step < log.steps(); ++step) {
      log.observe(step, observation);
      ASSERT_EQ(envelope.step(observation.time, observation.v), Status::ok);
      const double time = log.time[step] - log.time[0];
      if (time < span.from || time > span.to || step % every != 0) continue;
      const Instant& now = reader.at(observation);
      const Vector3 free_fall = now.base_rotation().transpose() * robot_.model.gravity();
      ASSERT_EQ(predictor.predict(now.base_terms(), free_fall, envelope.share(), mean, R), Status::ok);
      use(step, now, VectorX(now.static_residual()), mean, R, envelope);
    }
  }

  template <class Use>
  void replay(const Span& span, const HeldPoseNoise& noise, int every, Use use,
              const std::function<VectorX(const Instant&)>& extra = {}) {
    predict(span, noise, every,
            [&](Eigen::Index step, const Instant& now, VectorX r, const VectorX& mean, const MatrixX& R,
                const SpeedEnvelope& envelope) {
              if (extra) r += extra(now);
              for (int arm = 0; arm < 2; ++arm) {
                std::vector<int> own(7), motors(7);
                for (int i = 0; i < 7; ++i) own[i] = 1 + 7 * arm + i, motors[i] = noise.motors[own[i]];
                use(step, arm, solve(now.jacobian(arm)(Eigen::all, motors), r(motors), mean(own), R(own, own)),
                    envelope);
              }
            });
  }

  std::array<ArmStretch, 2> judge(Span span, const HeldPoseNoise& noise) {
    // Engagement is judged apart: a run's first seconds are motion.
    if (span.from == 0.0) span.from = 2.5;
    std::array<std::vector<double>, 2> sizes;
    std::array<ArmStretch, 2> result;
    replay(span, noise, 5, [&](Eigen::Index, int arm, const Solution& s, const SpeedEnvelope&) {
      ArmStretch& mine = result[arm];
      sizes[arm].push_back(s.force.norm());
      const Vector3 sd = s.spread.diagonal().cwiseSqrt();
      mine.covered += (s.force.cwiseAbs().array() <= kWithin95 * sd.array()).cast<double>().mean();
      mine.nees += s.force.dot(s.spread.llt().solve(s.force));
      mine.last = s;
    });
    for (int arm = 0; arm < 2; ++arm) {
      const auto n = static_cast<double>(sizes[arm].size());
      std::ranges::sort(sizes[arm]);
      result[arm].median = sizes[arm][sizes[arm].size() / 2];
      result[arm].largest = sizes[arm].back();
      result[arm].covered /= n;
      result[arm].nees /= n;
    }
    return result;
  }

  /// Pools arm-stretches, each as one sample.
  struct Pooled {
    double mean_median = 0.0, worst_median = 0.0, largest = 0.0, covered = 0.0, nees = 0.0;
  };
  Pooled pool(const std::vector<Span>& spans, const HeldPoseOptions& options = {}) {
    Pooled all;
    for (const Span& span : spans) {
      const auto arms = judge(span, noise_without(span.run, options));
      for (const ArmStretch& arm : arms) {
        const double share = 0.5 / static_cast<double>(spans.size());
        all.mean_median += share * arm.median;
        all.worst_median = std::max(all.worst_median, arm.median);
        all.largest = std::max(all.largest, arm.largest);
        all.covered += share * arm.covered;
        all.nees += share * arm.nees;
      }
    }
    RecordProperty("figures", "median |F| " + std::to_string(all.mean_median) + " N, worst " +
                                  std::to_string(all.worst_median) + ", largest " + std::to_string(all.largest) +
                                  ", axes " + std::to_string(all.covered) + ", NEES " + std::to_string(all.nees));
    return all;
  }
};

// docs/measured/held_pose.md: median 2.4 N an arm, worst 4.9; with the assumed figures 5.1 and 8.9.
TEST_F(HeldPoseOnTheLogs, ContactFreeStretchesReadFewNewtons) {
  const Pooled free = pool(kContactFree);
  EXPECT_LE(free.mean_median, 3.5);
  EXPECT_LE(free.worst_median, 4.9);
}

TEST_F(HeldPoseOnTheLogs, AxesCoverZeroOverAllStretches) {
  std::vector<Span> all = kContactFree;
  all.insert(all.end(), kAfterPushes.begin(), kAfterPushes.end());
  const Pooled pooled = pool(all);
  EXPECT_GE(pooled.covered, 0.93);
  EXPECT_LE(pooled.covered, 0.99);
  EXPECT_LE(pooled.nees, 4.5);  // 3 degrees of freedom
}

// The prototype was another program, in another language (docs/measured/held_pose.md, with two digits).
TEST_F(HeldPoseOnTheLogs, FiguresAreThoseOfThePrototype) {
  const HeldPoseNoise noise = fit_held_pose(robot_, kWrists, stretches_, {.ridge = false});
  VectorX offset(15), error(15), spread(15), white(15), motion(15);
  offset << -1.24, .02, -1.46, .04, -.99, .07, -.11, -.09, -1.54, -2.16, -.28, -.41, -.13, -.15, -.23;
  error << .47, .44, .47, .19, .33, .07, .04, .03, .42, .45, .13, .20, .04, .07, .04;
  spread << 1.05, .97, 1.04, .43, .73, .16, .09, .07, .93, 1.00, .30, .45, .08, .16, .08;
  white << .16, .06, .04, .03, .03, .03, .02, .03, .06, .06, .03, .04, .02, .03, .02;
  motion << 9.3, 3.5, 1.2, .33, .38, 0, .05, .03, 2.8, 2.0, .52, .48, .02, .04, .01;
  for (int j = 0; j < 15; ++j) {
    EXPECT_NEAR(noise.offset[j], offset[j], tolerance::kIdentifiedOffset) << j;
    EXPECT_NEAR(noise.offset_error[j], error[j], tolerance::kIdentifiedOffset) << j;
    EXPECT_NEAR(noise.offset_sd[j], spread[j], tolerance::kIdentifiedOffset) << j;
    EXPECT_NEAR(noise.white_sd[j], white[j], tolerance::kIdentifiedOffset) << j;
    EXPECT_NEAR(noise.motion_sd[j], motion[j], tolerance::kIdentifiedMotion * std::max(1.0, motion[j])) << j;
  }
  EXPECT_NEAR(noise.largest_speed, 1.86, tolerance::kIdentifiedOffset);
}

// A linear estimate shrinks a push along an axis by that axis' share of the prior's variance that is left.
TEST_F(HeldPoseOnTheLogs, TwentyNewtonsKeepTheirSizeWhereTheyAreObservable) {
  int observable = 0, blind = 0;
  for (Span span : kContactFree) {
    const HeldPoseNoise noise = noise_without(span.run);
    span.from = 2.5;
    std::array<std::map<Eigen::Index, Vector3>, 2> before;
    replay(span, noise, 50,
           [&](Eigen::Index step, int arm, const Solution& s, const SpeedEnvelope&) { before[arm][step] = s.force; });
    for (int axis = 0; axis < 3; ++axis) {
      const auto push = [&](const Instant& now) -> VectorX {
        VectorX extra = VectorX::Zero(now.motor_count());
        for (int arm = 0; arm < 2; ++arm) extra -= 20.0 * now.jacobian(arm).row(axis).transpose();
        return extra;
      };
      replay(
          span, noise, 50,
          [&](Eigen::Index step, int arm, const Solution& s, const SpeedEnvelope&) {
            const double sd = std::sqrt(s.posterior(axis, axis));
            if (sd > 12.0) {  // PosteriorOptions::observable_sd
              ++blind;
              return;
            }
            ++observable;
            EXPECT_NEAR((s.force - before[arm][step])[axis], 20.0, 0.15 * 20.0)
                << span.run << " " << arm << " " << axis;
          },
          push);
    }
  }
  EXPECT_GT(observable, 100);
  EXPECT_GT(blind, 0);  // the left wrist's line to its shoulder, in the incident's pose
}

// The largest push of each kind, against the shipped estimator.
TEST_F(HeldPoseOnTheLogs, PushesSurvive) {
  struct Push {
    Span span;
    int arm;
  };
  for (const Push& push : {Push{{"re1_real_encode", 14.0, 28.5}, 1}, Push{{"re1_real_encode", 34.5, 46.0}, 0},
                           Push{{"re2_real_encode", 9.5, 21.0}, 1}}) {
    double largest = 0.0, shipped = 0.0;
    replay(push.span, noise_without(push.span.run), 1,
           [&](Eigen::Index, int arm, const Solution& s, const SpeedEnvelope&) {
             if (arm == push.arm) largest = std::max(largest, s.force.norm());
           });
    InstantReader reader(robot_, kWrists);
    ResidualEstimator residual(robot_);
    PosteriorEstimator posterior(reader);
    Observation observation;
    const Episode& log = episode(push.span.run);
    for (Eigen::Index step = 0; step < log.steps(); ++step) {
      log.observe(step, observation);
      const auto& estimates = posterior.solve(residual.form(reader.at(observation)));
      const double time = log.time[step] - log.time[0];
      if (time < push.span.from || time > push.span.to) continue;
      shipped = std::max(shipped, estimates[push.arm].wrench.force.norm());
    }
    RecordProperty(push.span.run + std::to_string(push.arm),
                   std::to_string(shipped) + " -> " + std::to_string(largest));
    EXPECT_GT(shipped, 20.0);
    EXPECT_NEAR(largest / shipped, 1.0, 0.2) << push.span.run;
  }
}

TEST_F(HeldPoseOnTheLogs, TheTorsosRowTestSeesTwelveNewtonMetres) {
  const MatrixX prior = both_priors(), P0 = prior * prior;
  const double p = 0.005, limit = -normal_quantile(0.5 * p);
  const VectorX limits = chi_squared_limits(p);
  for (const bool widened : {true, false}) {
    for (Span span : kContactFree) {
      std::array<double, 3> row{}, misfit{};
      double n = 0.0;
      span.from = 2.5;
      predict(span, noise_without(span.run, {.few_runs_factor = widened}), 10,
              [&](Eigen::Index, const Instant& now, const VectorX& r, const VectorX& mean, const MatrixX& R,
                  const SpeedEnvelope& e) {
                if (e.share() > 0.0) return;
                std::vector<int> motors(15);
                for (int i = 0; i < 15; ++i) motors[i] = 12 + i;
                const MatrixX A = both_arms(now, motors);
                const LinearTest torso = row_test(A * P0 * A.transpose() + R, 0, limit);
                const LinearTest all = misfit_test(A, R, prior, limits);
                ++n;
                for (int fault = 0; fault < 3; ++fault) {
                  VectorX e0 = r(motors) - mean;
                  e0[0] += 12.0 * (fault - 1);
                  row[fault] += (torso.weights * e0).squaredNorm() > torso.limit;
                  misfit[fault] += (all.weights * e0).squaredNorm() > all.limit;
                }
              });
      EXPECT_GE(row[0] / n, 0.95) << span.run << widened;
      EXPECT_GE(row[2] / n, 0.95) << span.run << widened;
      EXPECT_LE(row[1] / n, 0.005) << span.run << widened;
      const bool in_the_incidents_pose = span.run.starts_with("re3");
      EXPECT_EQ(misfit[0] + misfit[2] > 0.0, !in_the_incidents_pose) << span.run << widened;
    }
  }
}

// Limits of one false alarm an hour of both tests together, engagement included. The prototype's: none in the five
// runs, the incident at step 12 (here 13: wander counts too); by then the envelope has refused it.
TEST_F(HeldPoseOnTheLogs, AtOneAnHourTheTestsAlarmInTheIncidentAlone) {
  const MatrixX prior = both_priors(), P0 = prior * prior;
  const test::AlarmBudget budget{.per_hour = 1.0, .interval = 0.02, .tests = 2};
  const VectorX limits = chi_squared_limits(test::alarm_probability(budget));
  const auto first_alarm = [&](const Span& span, const HeldPoseNoise& noise, double fault, double& still_power) {
    Eigen::Index first = -1;
    double still = 0.0, seen = 0.0;
    predict(span, noise, 1,
            [&](Eigen::Index step, const Instant& now, const VectorX& r, const VectorX& mean, const MatrixX& R,
                const SpeedEnvelope& envelope) {
              const MatrixX A = both_arms(now, noise.motors);
              const LinearTest torso = row_test(A * P0 * A.transpose() + R, 0, test::normal_alarm_limit(budget));
              const LinearTest all = misfit_test(A, R, prior, limits);
              VectorX e = r(noise.motors) - mean;
              e[0] += fault;
              const bool row = (torso.weights * e).squaredNorm() > torso.limit;
              if (envelope.share() == 0.0) ++still, seen += row;
              if (first < 0 && (row || (all.weights * e).squaredNorm() > all.limit)) first = step;
            });
    still_power = seen / still;
    return first;
  };
  double power = 0.0;
  for (const Span& span : kContactFree) {
    const HeldPoseNoise noise = noise_without(span.run);
    EXPECT_EQ(first_alarm(span, noise, 0.0, power), -1) << span.run;
    for (const double fault : {-12.0, 12.0}) {
      first_alarm(span, noise, fault, power);
      RecordProperty(span.run + (fault > 0.0 ? "_plus" : "_minus"), std::to_string(power));
    }
  }
  const Eigen::Index first = first_alarm({"re3_real_encode_tr1", 0.0, kToTheEnd}, noise_without(""), 0.0, power);
  RecordProperty("incident", static_cast<int>(first));
  EXPECT_GE(first, 6);  // 13; never is −1
}

/// In `make soak` 100 hours of 1 an hour and 10 of the others; an hour of the others here: an hour without an alarm
/// says nothing of one an hour.
TEST_F(HeldPoseOnTheLogs, SoakAlarmsAnHourOfTheIdentifiedNoise) {
  const HeldPoseNoise noise = fit_held_pose(robot_, kWrists, stretches_);
  HeldPosePredictor predictor(robot_.model, noise);
  const MatrixX prior = both_priors(), P0 = prior * prior;
  InstantReader reader(robot_, kWrists);
  for (const char* pose : {"zero", "arm_waist_target"}) {
    Observation o;
    o.q = robot_.pose(pose);
    o.tau = VectorX::Zero(27);
    const Instant& now = reader.at(o);
    const MatrixX A = both_arms(now, noise.motors);
    for (const double rate : {1.0, 10.0, 60.0}) {
      for (const double time : {0.1, 2.0}) {
        // A hundred hours take five seconds: once a pose.
        if (rate == 1.0 && (!test::is_soak() || (time < 1.0) == (std::string(pose) == "zero"))) continue;
        const ColouredNoise simulated = predictor.simulated(now.base_terms(), robot_.model.gravity(), time);
        const MatrixX R = simulated.covariance();
        const test::AlarmBudget budget{.per_hour = rate, .interval = 0.02, .tests = 2};
        const std::vector<LinearTest> tests = {
            row_test(A * P0 * A.transpose() + R, 0, test::normal_alarm_limit(budget)),
            misfit_test(A, R, prior, chi_squared_limits(test::alarm_probability(budget)))};
        const double hours = !test::is_soak() ? 1.0 : rate == 1.0 ? 100.0 : 10.0;
        const test::AlarmCount count = test::count_alarms(simulated, tests, {.hours = hours, .run = 30.0, .seed = 16});
        RecordProperty(
            std::string(pose) + "_" + std::to_string(static_cast<int>(rate)) + (time < 1.0 ? "_fast" : "_slow"),
            std::to_string(static_cast<double>(count.events) / hours));
        EXPECT_LE(test::poisson_rate_below(static_cast<double>(count.events), hours), rate) << pose << " " << time;
      }
    }
  }
}

TEST_F(HeldPoseOnTheLogs, OnlyTheIncidentLeavesTheEnvelope) {
  for (const Span& span : kContactFree) {
    bool outside = false;
    Span whole = span;
    whole.to = kToTheEnd;
    replay(whole, noise_without(span.run), 1,
           [&](Eigen::Index, int, const Solution&, const SpeedEnvelope& e) { outside = outside || e.outside(); });
    EXPECT_FALSE(outside) << span.run;
  }
  Eigen::Index first = -1;
  double left = 0.0, right = 0.0;
  replay({"re3_real_encode_tr1", 0.0, kToTheEnd}, noise_without(""), 1,
         [&](Eigen::Index step, int arm, const Solution& s, const SpeedEnvelope& e) {
           if (e.outside() && first < 0) first = step;
           if (first < 0) (arm == 0 ? left : right) = std::max(arm == 0 ? left : right, s.force.norm());
         });
  RecordProperty("re3", "step " + std::to_string(first) + ", until then " + std::to_string(left) + " and " +
                            std::to_string(right) + " N");
  EXPECT_EQ(first, 6);
  EXPECT_LE(left, 6.0);
  EXPECT_LE(right, 9.0);
}

}  // namespace
}  // namespace antaeus
