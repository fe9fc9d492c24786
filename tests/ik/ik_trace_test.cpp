// The way of a solver: as many rows as the answer counts iterations, ending where the answer ends.
#include "antaeus/ik/ik_trace.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

const Robot& traced_panda() {
  static const Robot robot = load_robot("panda", MeshPolicy::ignored);
  return robot;
}

/// Reached, beyond reach, blocked by limits or turned so that nothing reaches, and no pose at all.
IkResult traced_result(IkMethod method, bool position_only, const VectorX& start = {}) {
  IkRequest request{.frame = "panda_hand", .targets = {}};
  request.method = method;
  request.start = start;
  const std::vector<std::string> texts = {"0.4,0.1,0.5,1,0,0,0", "1.5,0.2,0.4,1,0,0,0", "0.1,0.0,0.1,0,0,0,1",
                                          "nan,0,0,0,0,0,1"};
  request.targets = parse_ik_targets(texts);
  ReachOptions options;
  options.position_only = position_only;
  return solve_ik(traced_panda(), std::move(request), options);
}

TEST(IkTrace, HasARowForEveryIterationOfTheAnswer) {
  for (const bool position_only : {false, true}) {
    for (const IkMethod method : {IkMethod::reach, IkMethod::pinv, IkMethod::dls}) {
      const IkResult result = traced_result(method, position_only);
      const IkTrace trace = trace_ik(result);
      int checked = 0;
      for (const IkWay& way : trace.ways) {
        if (way.method != method) continue;
        const ReachSolution answer = result.solution(way.target);
        SCOPED_TRACE(std::string(to_string(method)) + ", target " + std::to_string(way.target));
        EXPECT_EQ(way.rows, answer.iterations);
        EXPECT_EQ(way.status, answer.status);
        EXPECT_EQ(way.position_error, answer.position_error);
        ++checked;
      }
      EXPECT_EQ(checked, 3) << "the target that is none has no way";
    }
  }
}

TEST(IkTrace, EndsWhereTheAnswerStands) {
  const IkResult result = traced_result(IkMethod::pinv, true);
  const IkTrace trace = trace_ik(result);
  for (const IkWay& way : trace.ways) {
    const auto last = static_cast<std::size_t>(way.first + way.rows - 1);
    if (way.method == IkMethod::pinv) {
      EXPECT_EQ(trace.q[last], VectorX(result.solution(way.target).q));
    }
    if (way.status == ReachStatus::reached) {
      EXPECT_LE(trace.position_error[last], result.model.options().position_tolerance);
      EXPECT_TRUE(trace.kept[last]);
    }
  }
}

TEST(IkTrace, PseudoInverseThrashesBeyondReachAndOursComesToRest) {
  const IkTrace trace = trace_ik(traced_result(IkMethod::reach, true));
  const auto way_of = [&](int target, IkMethod method) {
    for (const IkWay& way : trace.ways) {
      if (way.target == target && way.method == method) return way;
    }
    return IkWay{};
  };
  EXPECT_EQ(way_of(0, IkMethod::pinv).status, ReachStatus::reached);
  EXPECT_LT(way_of(0, IkMethod::pinv).last_steps, 0.1) << "it arrives with steps that halve";
  const IkWay beyond = way_of(1, IkMethod::pinv);
  EXPECT_EQ(beyond.status, ReachStatus::iteration_budget);
  EXPECT_GT(beyond.last_steps, 0.1) << "it thrashes";
  EXPECT_EQ(way_of(1, IkMethod::reach).status, ReachStatus::out_of_reach);
  EXPECT_LE(way_of(1, IkMethod::reach).position_error, beyond.position_error);
}

TEST(IkTrace, StartsWhereTheRunStarts) {
  VectorX start(7);
  start << 0.1, -0.5, 0.2, -2.0, 0.1, 1.8, 0.3;
  const IkResult result = traced_result(IkMethod::reach, false, start);
  const IkTrace trace = trace_ik(result);
  for (const IkWay& way : trace.ways) {
    EXPECT_EQ(way.rows > 0, true);
    if (way.target == 0) {
      EXPECT_EQ(trace.q[static_cast<std::size_t>(way.first)], start);
    }
    if (way.method == IkMethod::reach) {
      EXPECT_EQ(way.rows, result.solution(way.target).iterations);
    }
  }
}

TEST(IkTrace, TableHasOneRowAnIteration) {
  const IkResult result = traced_result(IkMethod::reach, false);
  const IkTrace trace = trace_ik(result);
  const Table table = trace_table(result, trace);
  EXPECT_EQ(table.rows(), trace.size());
  EXPECT_EQ(table.numbers("panda_joint4").size(), trace.q.size());
}

TEST(IkTrace, APathIsRefused) {
  IkRequest request{.frame = "panda_hand", .targets = parse_ik_targets(std::vector<std::string>{"0.4,0.1,0.5"})};
  request.path = true;
  EXPECT_THROW(trace_ik(solve_ik(traced_panda(), std::move(request))), OptionsError);
}

}  // namespace
}  // namespace antaeus
