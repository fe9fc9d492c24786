// No memory is taken while targets are solved: reached, out of reach, blocked and bad ones, chains of several sizes.
#include <gtest/gtest.h>

#include <bit>

#include "antaeus/ik/plain_methods.hpp"
#include "support/allocation_counter.hpp"
#include "support/reach_sets.hpp"

namespace antaeus {
namespace {

using test::Arm;
using test::ReachArm;
using test::ReachSets;

TEST(ReachRealtime, SolvingTakesNoMemory) {
  for (const Arm& each : {test::panda_arm(), test::ur5e_arm(), test::scara_arm(), test::on_rail(test::panda_arm())}) {
    ReachArm arm(each);
    ReachSolver solver{ReachModel(arm.chain)};
    PlainSolver pinv(arm.chain, {.method = PlainMethod::pinv}), dls(arm.chain, {.method = PlainMethod::dls});
    ReachSets sets(arm, 61);
    std::vector<Pose> targets = sets.reachable(50);
    for (const Pose& target : sets.at_distance(10, Vector3::Zero(), 1.2)) targets.push_back(target);
    for (const Pose& target : sets.at_distance(10, Vector3::Zero(), 0.9)) targets.push_back(target);
    targets[3].translation.x() = kNaN;
    const VectorX start = arm.chain.middle();
    int statuses = 0;
    const test::AllocationCounter counter;
    for (const Pose& target : targets) {
      const ReachSolution& s = solver.solve(target);
      statuses |= 1 << static_cast<int>(s.status);
      const ReachSolution& followed = solver.follow(target, start);
      const ReachSolution copy = followed;
      static_cast<void>(solver.explain(target, copy));
      static_cast<void>(pinv.solve(target, start));
      static_cast<void>(dls.solve(target, start));
      Pose X;
      static_cast<void>(arm.chain.pose(s.q, X));
    }
    EXPECT_EQ(counter.count(), 0) << arm.name;
    EXPECT_GE(std::popcount(static_cast<unsigned>(statuses)), 3) << arm.name << ": reached, bad and not reached";
  }
}

}  // namespace
}  // namespace antaeus
