#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "antaeus/episode/episode.hpp"
#include "antaeus/identification/held_pose.hpp"
#include "antaeus/robot/instant.hpp"
#include "robot/test_robots.hpp"
#include "support/shared.hpp"
#include "support/tolerances.hpp"

// The H1-2's runs without contact, each judged by noise that was identified on the others (leave one run out). There is
// no truth in them: nobody is known to have touched the robot in these stretches, which were chosen by eye
// (knowledge/noise_identification.md §3). The bars are the issue's.

namespace antaeus {
namespace {

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
constexpr double kToTheEnd = 1e9;
constexpr double kForcePrior = 20.0, kMomentPrior = 1.5;  // the H1-2's, docs/estimator.md
constexpr double kWithin95 = 1.959963984540054;

struct Span {
  std::string run;
  double from, to;
};
const std::vector<Span> kContactFree = {{"re1_real_encode", 0.0, 14.0},
                                        {"re2_real_encode", 0.0, 9.5},
                                        {"re1_real_no_encode", 0.0, 10.2},
                                        {"re3_real_no_encode_tr1", 0.0, kToTheEnd},
                                        {"re3_real_no_encode_tr2", 0.0, kToTheEnd}};
const std::vector<Span> kAfterPushes = {
    {"re1_real_encode", 28.5, 34.5}, {"re1_real_encode", 46.0, kToTheEnd}, {"re2_real_encode", 21.0, kToTheEnd}};

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

struct ArmStretch {
  double median = 0.0, largest = 0.0, covered = 0.0, nees = 0.0;
  Solution last;
};

class HeldPoseOnTheLogs : public testing::Test {
 protected:
  void SetUp() override {
    ANTAEUS_REQUIRE_SHARED("episodes/re3_real_encode_tr1/tau.npy");
    for (const auto* spans : {&kContactFree, &kAfterPushes}) {
      for (const Span& span : *spans)
        stretches_.push_back(read_held_stretch(robot_, kWrists, episode(span.run), span.from, span.to));
    }
  }

  const Episode& episode(const std::string& name) {
    const auto found = episodes_.find(name);
    if (found != episodes_.end()) return found->second;
    return episodes_.emplace(name, load_episode(test::shared_folder() / "episodes" / name, robot_)).first->second;
  }

  HeldPoseNoise without(const std::string& run, const HeldPoseOptions& options = {}) const {
    std::vector<HeldStretch> others;
    std::ranges::copy_if(stretches_, std::back_inserter(others), [&](const auto& s) { return s.run != run; });
    return fit_held_pose(robot_, kWrists, others, options);
  }

  /// Calls \p use(step, arm, solution, instant) at every tenth step of a span, and every step's speed is followed.
  template <class Use>
  void replay(const Span& span, const HeldPoseNoise& noise, int every, Use use, const VectorX& extra = {}) {
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
      VectorX r = now.static_residual();
      if (extra.size() > 0) r += extra;
      for (int arm = 0; arm < 2; ++arm) {
        std::vector<int> own(7), motors(7);
        for (int i = 0; i < 7; ++i) own[i] = 1 + 7 * arm + i, motors[i] = noise.motors[own[i]];
        use(step, arm, solve(now.jacobian(arm)(Eigen::all, motors), r(motors), mean(own), R(own, own)), envelope);
      }
    }
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
      const auto arms = judge(span, without(span.run, options));
      for (const ArmStretch& arm : arms) {
        const double share = 0.5 / static_cast<double>(spans.size());
        all.mean_median += share * arm.median;
        all.worst_median = std::max(all.worst_median, arm.median);
        all.largest = std::max(all.largest, arm.largest);
        all.covered += share * arm.covered;
        all.nees += share * arm.nees;
        std::cout << "  " << span.run << " " << span.from << "  |F| " << arm.median << "  covered " << arm.covered
                  << "  NEES " << arm.nees << "\n";
      }
    }
    std::cout << "median |F| " << all.mean_median << " (" << all.worst_median << "), max " << all.largest << ", axes "
              << all.covered << ", NEES " << all.nees << "\n";
    return all;
  }

  Robot robot_ = test::own_robot("h1_2");
  std::map<std::string, Episode> episodes_;
  std::vector<HeldStretch> stretches_;
};

// Issue 16: median ≤ 3.5 N an arm (shipped 5.1, worst 8.9; prototype 2.4 and 4.9).
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

TEST_F(HeldPoseOnTheLogs, FiguresAreTheKnowledges) {
  const HeldPoseNoise noise = fit_held_pose(robot_, kWrists, stretches_, {.ridge = false});
  std::cout << "b " << noise.offset.transpose() << "\nse " << noise.offset_error.transpose() << "\nsb "
            << noise.offset_sd.transpose() << "\nwhite " << noise.white_sd.transpose() << "\nmotion "
            << noise.motion_sd.transpose() << "\nL " << noise.largest_speed << "\n";
  const HeldPoseNoise ridge = fit_held_pose(robot_, kWrists, stretches_);
  std::cout << "ridge b " << ridge.offset.transpose() << "\nsb " << ridge.offset_sd.transpose() << "\n";
}

TEST_F(HeldPoseOnTheLogs, OnlyTheIncidentLeavesTheEnvelope) {
  for (const Span& span : kContactFree) {
    bool outside = false;
    Span whole = span;
    whole.to = kToTheEnd;
    replay(whole, without(span.run), 1,
           [&](Eigen::Index, int, const Solution&, const SpeedEnvelope& e) { outside = outside || e.outside(); });
    EXPECT_FALSE(outside) << span.run;
  }
  Eigen::Index first = -1;
  double left = 0.0, right = 0.0;
  replay({"re3_real_encode_tr1", 0.0, kToTheEnd}, without(""), 1,
         [&](Eigen::Index step, int arm, const Solution& s, const SpeedEnvelope& e) {
           if (e.outside() && first < 0) first = step;
           if (first < 0) (arm == 0 ? left : right) = std::max(arm == 0 ? left : right, s.force.norm());
         });
  std::cout << "RE3 refused at step " << first << ", until then left " << left << " N, right " << right << " N\n";
  EXPECT_EQ(first, 6);
  EXPECT_LE(left, 6.0);
  EXPECT_LE(right, 9.0);
}

}  // namespace
}  // namespace antaeus
