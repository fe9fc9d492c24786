// Blocks of states, some of which go wrong at random: a state that is none harms no other.
#include <gtest/gtest.h>

#include "replay/batch_states.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(ReplaySoak, BlocksWithStatesThatAreNone) {
  constexpr int kBlockOfStates = 16;  // in a block: a million states, not blocks, is what is asked for
  const Robot robot = test::own_robot("panda");
  test::RandomStates random(3621);
  const int n = robot.model.motor_count();
  BatchWorkspace workspace(BatchModel(robot, {robot.profile.endpoints[0].frame}));
  test::BatchStates clean(robot.model, kBlockOfStates, random, 1.0), states = clean;
  test::BatchAnswers answers(workspace.model(), kBlockOfStates);
  BatchInput in = states.moving(robot.model.base());
  const BatchOutput out = answers.all(true);
  std::array<bool, kBlockOfStates> none{};
  Status status = Status::ok;
  test::soak_faulty_cycles(
      "BatchWorkspace", {.seed = 3622, .sample = 3000},
      [&](Faults& faults) {
        // In place: the input's spans stay where they are.
        for (const auto channel :
             {&test::BatchStates::q, &test::BatchStates::tau, &test::BatchStates::v, &test::BatchStates::a}) {
          std::ranges::copy(clean.*channel, (states.*channel).begin());
          for (int s = 0; s < kBlockOfStates; ++s) {
            faults.spoil_entry(Eigen::Map<VectorX>((states.*channel).data() + s * n, n));
          }
        }
        for (int s = 0; s < kBlockOfStates; ++s) {
          none[static_cast<std::size_t>(s)] = false;
          for (const auto channel :
               {&test::BatchStates::q, &test::BatchStates::tau, &test::BatchStates::v, &test::BatchStates::a}) {
            none[static_cast<std::size_t>(s)] |= !test::BatchStates::row(states.*channel, s, n).allFinite();
          }
        }
        faults.pass_over();  // each state has its own status
      },
      [&] { status = workspace.replay(in, out); },
      [&] {
        Told told(status == Status::ok, true);
        for (int s = 0; s < kBlockOfStates; ++s) {
          const bool ok = answers.status[static_cast<std::size_t>(s)] == Status::ok;
          EXPECT_FALSE(ok && none[static_cast<std::size_t>(s)]) << "state " << s;
          told.add(ok, test::BatchStates::row(answers.residual, s, n).allFinite() &&
                           test::BatchStates::row(answers.wrench, s, 6).allFinite());
        }
        return told;
      });
}

}  // namespace
}  // namespace antaeus
