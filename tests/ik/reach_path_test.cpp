// Paths out of the workspace and back: quiet but where the geometry itself is fast.
#include "antaeus/ik/reach_path.hpp"

#include <gtest/gtest.h>

#include "support/reach_sets.hpp"

namespace antaeus {
namespace {

using test::ReachArm;
using test::ReachSets;

TEST(ReachPath, OutAndBackNoStepIsLongWithoutNeed) {
  for (const auto& each : {test::panda_arm(), test::ur5e_arm()}) {
    ReachArm arm(each);
    for (const bool position_only : {true, false}) {
      ReachOptions options;
      options.position_only = position_only;
      const ReachModel model(arm.chain, options);
      for (unsigned seed = 101; seed < 105; ++seed) {
        ReachSets sets(arm, seed);
        VectorX start;
        const std::vector<Pose> targets = sets.path(300, {0, 0, 0.2}, start);
        const ReachPath path = follow_path(model, targets);
        ASSERT_EQ(path.solutions.size(), targets.size());
        for (const LongStep& step : path.long_steps) {
          EXPECT_TRUE(step.needed) << arm.name << " seed " << seed << ": step " << step.step << " at " << step.waypoint;
        }
        std::size_t listed = 0;
        for (std::size_t k = 0; k < targets.size(); ++k) {
          const ReachSolution& s = path.solutions[k];
          EXPECT_TRUE(arm.judge(targets[k], s.q).within_limits);
          EXPECT_EQ(s.status == ReachStatus::reached, arm.judge(targets[k], s.q).reaches(position_only));
          if (k > 0) listed += (s.q - path.solutions[k - 1].q).cwiseAbs().maxCoeff() > kLongStep;
        }
        EXPECT_EQ(listed, path.long_steps.size());
        EXPECT_EQ(path.solutions[150].status, ReachStatus::out_of_reach) << "in the middle the target is far away";
        EXPECT_TRUE(path.follow_seconds.empty());
      }
    }
  }
}

TEST(ReachPath, AGivenStartIsWhereItBegins) {
  ReachArm arm(test::panda_arm());
  const ReachModel model(arm.chain);
  ReachSets sets(arm, 107);
  VectorX start;
  const std::vector<Pose> targets = sets.path(100, {0, 0, 0.333}, start);
  const ReachPath path = follow_path(model, targets, start, true);
  EXPECT_EQ(path.beginnings, 1);
  EXPECT_LE((path.solutions[0].q - start).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_EQ(path.follow_seconds.size(), targets.size());
}

/// A row that is no pose is passed over, and the path goes on from the one before.
TEST(ReachPath, ABadWaypointBreaksNothing) {
  ReachArm arm(test::panda_arm());
  const ReachModel model(arm.chain);
  std::vector<Pose> targets(5, arm.pose(arm.chain.middle()));
  targets[0].translation.x() = kNaN;
  targets[2].translation.x() = kNaN;
  const ReachPath path = follow_path(model, targets);
  for (const std::size_t k : {0, 2}) EXPECT_EQ(path.solutions[k].status, ReachStatus::bad_input);
  for (const std::size_t k : {1, 3, 4}) EXPECT_EQ(path.solutions[k].status, ReachStatus::reached);
  EXPECT_TRUE(path.long_steps.empty());
  EXPECT_TRUE(follow_path(model, {}).solutions.empty());
}

}  // namespace
}  // namespace antaeus
