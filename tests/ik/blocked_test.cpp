// Blocked by limits or not: against all configurations of a UR5e, by closed form.
#include <gtest/gtest.h>

#include <cstdio>

#include "ik/tolerances.hpp"
#include "support/reach_sets.hpp"
#include "support/soak.hpp"
#include "support/ur_closed_form.hpp"

namespace antaeus {
namespace {

using test::Arm;
using test::ReachArm;
using test::ReachSets;

/// A UR5e whose joints keep within so much of random middles.
Arm narrowed(double least, double most, unsigned seed) {
  Arm arm = test::ur5e_arm();
  arm.name = "narrowed ur5e " + std::to_string(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (JointDescription& joint : arm.description.joints) {
    if (joint.type == JointType::fixed) continue;
    const double half = 0.5 * (least + (most - least) * share(random));
    const double middle = (2.0 * share(random) - 1.0) * (M_PI - half);
    joint.lower = middle - half;
    joint.upper = middle + half;
  }
  return arm;
}

/// Whether a configuration fits, and by how much the nearest misses the limits (negative: is inside).
double overrun(const KinematicChain& chain, const std::vector<VectorX>& all) {
  double least = kInfinity;
  for (const VectorX& q : all) {
    double worst = -kInfinity;
    for (int i = 0; i < q.size(); ++i) {
      const ChainJoint& joint = chain.joints()[static_cast<std::size_t>(i)];
      double nearest = kInfinity;
      for (const double turn : {-2.0 * M_PI, 0.0, 2.0 * M_PI}) {
        nearest = std::min(nearest, std::max(joint.lower - (q[i] + turn), q[i] + turn - joint.upper));
      }
      worst = std::max(worst, nearest);
    }
    least = std::min(least, worst);
  }
  return least;
}

TEST(Blocked, TheClosedFormReachesWhatItSays) {
  ReachArm arm(test::ur5e_arm());
  ReachSets sets(arm, 67);
  int eight = 0;
  double worst = 0.0;
  for (const Pose& target : sets.reachable(200)) {
    const std::vector<VectorX> all = test::ur_configurations(target);
    eight += all.size() >= 2;
    for (const VectorX& q : all) {
      const ReachArm::Judgement j = arm.judge(target, q);
      worst = std::max({worst, j.position, j.rotation});
    }
  }
  EXPECT_GE(eight, 199);
  EXPECT_LE(worst, tolerance::kRotationLog);
}

/// 4000 targets in `make soak`, a sample here: ANTAEUS_SOAK.
TEST(Blocked, TheVerdictIsThatOfEnumeration) {
  const int arms = test::in_soak(20, 3), targets = 200;
  int right = 0, judged = 0, blocked = 0;
  for (int k = 0; k < arms; ++k) {
    ReachArm arm(narrowed(1.5, 4.0, static_cast<unsigned>(71 + k)));
    ReachArm wide(test::ur5e_arm());
    const ReachModel model(arm.chain);
    ReachSolver solver(model);
    ReachSets sets(wide, static_cast<unsigned>(73 + k));
    for (const Pose& target : sets.reachable(targets)) {
      const double over = overrun(arm.chain, test::ur_configurations(target));
      // Closer to a limit than the tolerances of "reached" can move a joint, either answer is right.
      if (std::abs(over) < 5e-3) continue;
      ++judged;
      blocked += over > 0.0;
      const ReachSolution s = solver.solve(target);
      const bool agrees = s.status == (over > 0.0 ? ReachStatus::blocked_by_limits : ReachStatus::reached);
      right += agrees;
      if (!agrees) ADD_FAILURE() << arm.name << ": overrun " << over << " but " << reason_text(model, s);
      if (s.status != ReachStatus::blocked_by_limits) continue;
      const ReachArm::Judgement rejected = arm.judge(target, s.rejected);
      EXPECT_LE(rejected.position, 1e-4);
      EXPECT_LE(rejected.rotation, 1e-3);
      EXPECT_FALSE(rejected.within_limits);
      EXPECT_NE(s.blocked_by, 0u);
      for (int i = 0; i < arm.chain.size(); ++i) {
        const ChainJoint& joint = arm.chain.joints()[static_cast<std::size_t>(i)];
        const bool outside = s.rejected[i] < joint.lower || s.rejected[i] > joint.upper;
        EXPECT_EQ((s.blocked_by >> i & 1u) != 0u, outside) << joint.name;
      }
      EXPECT_TRUE(arm.judge(target, s.q).within_limits);
    }
  }
  EXPECT_GE(right, 0.999 * judged);
  EXPECT_GT(blocked, judged / 4);
  RecordProperty("judged", judged);
  std::printf("blocked: %d of %d right, %d blocked\n", right, judged, blocked);
}

}  // namespace
}  // namespace antaeus
