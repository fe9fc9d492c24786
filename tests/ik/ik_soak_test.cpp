// Solvers of inverse kinematics as a servo loop asks them, with targets and starts that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/ik/plain_methods.hpp"
#include "support/faulty_cycles.hpp"
#include "support/reach_sets.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(IkSoak, FollowingATarget) {
  test::ReachArm arm(test::ur5e_arm());
  const int n = arm.chain.size();
  ReachSolver solver{ReachModel(arm.chain)};
  PlainSolver dls(arm.chain, {.method = PlainMethod::dls, .iterations = 5});
  VectorX home{{0.3, -1.4, 1.6, -1.7, -1.5, 0.2}}, start(n), error(6), dq(n);
  const Pose there = arm.pose(home);
  Pose target = there;
  const ReachSolution *followed = nullptr, *plain = nullptr;
  Status stepped = Status::ok;
  bool bad = false;
  test::soak_faulty_cycles(
      "ReachSolver::follow and PlainSolver", {.seed = 3591, .sample = 10000},
      [&](Faults& faults) {
        start.resize(n), error.resize(6);
        faults.fill(start, 0.02), faults.fill(error, 0.01);
        start += home;
        target = there;
        faults.spoil_entry(target.translation);
        faults.spoil_entry(target.rotation.col(2));
        faults.spoil(start);
        bad = faults.unusable();
        faults.spoil(error);
      },
      [&] {
        followed = &solver.follow(target, start);
        plain = &dls.solve(target, start);
        stepped = dls.step(start, error, dq);
      },
      [&] {
        for (const ReachSolution* one : {followed, plain}) {
          EXPECT_EQ(one->status == ReachStatus::bad_input, !VectorX(one->q).allFinite());
          EXPECT_TRUE(!bad || one->status == ReachStatus::bad_input);
          EXPECT_TRUE(one->status != ReachStatus::reached || one->position_error <= 1e-4);
        }
        Told told(stepped == Status::ok, dq.allFinite());
        const bool fine = followed->status == ReachStatus::reached;
        told.add(fine, std::isfinite(followed->position_error) && std::isfinite(followed->rotation_error));
        return told;
      });
}

}  // namespace
}  // namespace antaeus
