#include <gtest/gtest.h>

#include "replay/batch_states.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::BatchAnswers;
using test::BatchStates;

TEST(BatchRealtime, ReplayAllocatesNothing) {
  for (const char* name : {"h1_2", "planar_3r"}) {
    const Robot robot = test::own_robot(name);
    test::RandomStates random(941);
    SCOPED_TRACE(std::string(name) + ", " + random.text());
    BatchStates states(robot.model, 43, random);
    states.q[5] = std::nan("");
    for (const InstructionSet set : all_values<InstructionSet>()) {
      if (set > instruction_set()) continue;
      BatchWorkspace workspace(BatchModel(robot, {robot.profile.endpoints[0].frame}), set);
      BatchAnswers answers(workspace.model(), 43);
      const BatchInput still = states.at_rest(), moving = states.moving(robot.model.base());
      BatchInput ragged = still;
      ragged.count = 44;
      const BatchOutput out = answers.all(false), out_moving = answers.all(true);
      const AllocationCounter counter;
      workspace.replay(still, out);
      workspace.replay(moving, out_moving);
      workspace.replay(ragged, out);
      EXPECT_EQ(counter.count(), 0);
    }
  }
}

}  // namespace
}  // namespace antaeus
