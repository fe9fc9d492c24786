#include <gtest/gtest.h>

#include "antaeus/replay/batch_fields.hpp"
#include "antaeus/replay/replay.hpp"
#include "replay/batch_states.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::BatchAnswers;
using test::BatchStates;

/// Allocations of one call that replays the first states.
template <class Call>
std::int64_t allocations(const Call& call, int states) {
  const AllocationCounter counter;
  call(states);
  return counter.count();
}

TEST(ReplayRealtime, ABlockAllocatesNothing) {
  for (const char* name : {"h1_2", "planar_3r"}) {
    Robot robot = test::own_robot(name);
    robot.profile.torque_sign = -1.0;  // torques go through the map
    test::RandomStates random(1049);
    SCOPED_TRACE(std::string(name) + ", " + random.text());
    constexpr int kBlock = 8, kCounted = 200 * kBlock;
    const BatchStates states(robot.model, kCounted, random);
    BatchReplay replay(robot, {robot.profile.endpoints[0].frame}, {.threads = 1, .block = kBlock});
    const BatchSizes sizes(replay.model());
    BatchAnswers answers(replay.model(), kCounted);
    const BatchInput all = states.at_rest();
    const BatchOutput out = answers.all(false);

    const auto cut = [&](int count) { return allocations([&](int n) { block_of(all, sizes, 0, n); }, count); };
    EXPECT_EQ(cut(kCounted), 0);
    const auto run = [&](int count) { replay.run(block_of(all, sizes, 0, count), block_of(out, sizes, 0, count)); };
    run(kBlock);
    EXPECT_EQ(allocations(run, kCounted), allocations(run, 2 * kBlock)) << "200 blocks and 2";
    const std::vector<std::string> wanted = {"wrench", "residual"};
    double sum = 0.0;
    const ReplaySink sink = [&](const ReplayBlock& block) { sum += block.out.wrench.values[0]; };
    const auto stream = [&](int count) { replay.stream(block_of(all, sizes, 0, count), wanted, sink); };
    EXPECT_EQ(allocations(stream, kCounted), allocations(stream, 2 * kBlock)) << "200 blocks and 2";
    EXPECT_TRUE(std::isfinite(sum));

    BatchReplay judged =
        BatchReplay::with_posterior(robot, {robot.profile.endpoints[0].frame}, {.threads = 1, .block = kBlock});
    std::vector<Verdict> verdict(kCounted);
    std::vector<Reasons> reasons(kCounted);
    ReplayInput measured = all;
    measured.v = {states.v};
    const auto judge = [&](int count) {
      ReplayOutput said;
      said.verdict = {std::span(verdict).first(static_cast<std::size_t>(count))};
      said.reasons = {std::span(reasons).first(static_cast<std::size_t>(count))};
      judged.run(block_of(measured, sizes, 0, count), said);
    };
    judge(kBlock);
    EXPECT_EQ(allocations(judge, kCounted), allocations(judge, 2 * kBlock)) << "200 blocks and 2";
    EXPECT_NE(verdict[0], Verdict::invalid_input);
  }
}

}  // namespace
}  // namespace antaeus
