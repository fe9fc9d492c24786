#include "antaeus/ik/reach_path.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "ik/path_attempts.hpp"
#include "ik/reach_model.hpp"
#include "ik/thread_time.hpp"

namespace antaeus {

namespace {

/// Solutions of the first target that are tried, and starts from which they are looked for.
constexpr int kBeginnings = 32, kStarts = 200;
/// Two solutions are one where no joint differs by more [rad] or [m].
constexpr double kSame = 0.3;

Pose between(const Pose& from, const Pose& to, double share) {
  const Eigen::Quaterniond a(from.rotation), b(to.rotation);
  return {a.slerp(share, b).toRotationMatrix(), (1.0 - share) * from.translation + share * to.translation};
}

double change(const ChainVector& from, const ChainVector& to) { return (to - from).cwiseAbs().maxCoeff(); }

/// A path that ends often is not subdivided for ever: long steps of one run that are looked into.
constexpr int kMostLongSteps = 200;

/// The path from one beginning.
struct Run {
  std::vector<ReachSolution> solutions;
  std::vector<double> seconds;
  std::vector<LongStep> long_steps;

  int jumps() const {
    return static_cast<int>(std::ranges::count_if(long_steps, [](const LongStep& step) { return !step.needed; }));
  }
  /// Targets that are reached, but not on this branch.
  int missed(const std::vector<bool>& reachable) const {
    int count = 0;
    for (std::size_t k = 0; k < solutions.size(); ++k) {
      count += reachable[k] && solutions[k].status != ReachStatus::reached;
    }
    return count;
  }
  double longest() const {
    double most = 0.0;
    for (const LongStep& step : long_steps) most = std::max(most, step.step);
    return most;
  }
};

Run run_from(ReachSolver& solver, std::span<const Pose> targets, const ChainVector& beginning, bool timed) {
  Run run;
  ChainVector at = beginning;
  for (const Pose& target : targets) {
    const double before = timed ? detail::thread_seconds() : 0.0;
    const ReachSolution& solution = solver.follow(target, at);
    if (timed) run.seconds.push_back(detail::thread_seconds() - before);
    if (solution.status != ReachStatus::bad_input) at = solution.q;
    run.solutions.push_back(solution);
  }
  ChainVector from;
  const Pose* last = nullptr;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const ReachSolution& solution = run.solutions[k];
    if (solution.status == ReachStatus::bad_input) continue;
    if (last) {
      LongStep step{static_cast<int>(k), change(from, solution.q), 0.0, true};
      if (step.step > kLongStep) {
        if (std::ssize(run.long_steps) < kMostLongSteps) {
          step.finest = detail::largest_part(solver, *last, targets[k], from);
        }
        step.needed = step.finest < kNeededPart && step.finest > 0.0;
        run.long_steps.push_back(step);
      }
    }
    from = solution.q;
    last = &targets[k];
  }
  return run;
}

/// Solutions of one target on different branches, the solver's own first.
std::vector<ChainVector> beginnings_of(const ReachModel& model, ReachSolver& solver, const Pose& target) {
  const ReachSolution& first = solver.solve(target);
  std::vector<ChainVector> found{first.q};
  if (first.status != ReachStatus::reached) return found;
  const detail::SeedTable& seeds = *model.impl().seeds;
  const detail::ChainNumbers& chain = *model.impl().task.chain;
  ChainVector start(chain.joints);
  for (int k = 1; k <= kStarts && found.size() < kBeginnings; ++k) {
    for (int i = 0; i < chain.joints; ++i) {
      const double share = 0.5 + k * seeds.steps[i];
      start[i] = seeds.from[i] + (share - std::floor(share)) * seeds.span[i];
    }
    const ReachSolution& other = solver.follow(target, start);
    if (other.status != ReachStatus::reached) continue;
    if (std::ranges::none_of(found, [&](const ChainVector& q) { return change(q, other.q) < kSame; })) {
      found.push_back(other.q);
    }
  }
  return found;
}

}  // namespace

double detail::largest_part(ReachSolver& solver, const Pose& from, const Pose& to, ChainVector at) {
  double largest = 0.0;
  for (int p = 1; p <= kPathParts && largest < kNeededPart; ++p) {
    const ChainVector next = solver.follow(between(from, to, p * (1.0 / kPathParts)), at).q;
    largest = std::max(largest, change(at, next));
    at = next;
  }
  return largest;
}

ReachPath follow_path(const ReachModel& model, std::span<const Pose> targets, const std::optional<VectorX>& start,
                      bool timed, const Progress& progress) {
  ReachPath path;
  if (targets.empty()) return path;
  ReachSolver solver(model);
  std::vector<ChainVector> beginnings;
  if (start) {
    beginnings.emplace_back(*start);
  } else {
    // Rows before the first usable target have no part in the choice.
    for (const Pose& target : targets) {
      beginnings = beginnings_of(model, solver, target);
      if (beginnings.front().allFinite()) break;
    }
  }
  // What solve() says of a target that some run did not reach; asked once.
  std::vector<std::optional<ReachSolution>> whole(targets.size());
  std::vector<bool> reachable(targets.size(), true);
  const auto ask = [&](const Run& run) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const ReachSolution& s = run.solutions[k];
      if (s.status == ReachStatus::reached) continue;
      if (!detail::open_question(s)) {
        reachable[k] = false;
      } else if (!whole[k]) {
        whole[k] = solver.solve(targets[k]);
        reachable[k] = whole[k]->status == ReachStatus::reached;
      }
    }
  };
  Run best;
  for (const ChainVector& beginning : beginnings) {
    Run run = run_from(solver, targets, beginning, timed);
    ++path.beginnings;
    ask(run);
    const auto key = [&](const Run& r) { return std::tuple(r.jumps(), r.missed(reachable), r.longest()); };
    if (path.beginnings == 1 || key(run) < key(best)) best = std::move(run);
    if (best.jumps() == 0 && best.missed(reachable) == 0) break;
    if (progress) progress(static_cast<double>(path.beginnings) / static_cast<double>(beginnings.size()));
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const ReachSolution& s = best.solutions[k];
    path.solutions.push_back(detail::open_question(s) ? detail::explained_by(s, *whole[k]) : s);
  }
  if (progress) progress(1.0);
  path.long_steps = std::move(best.long_steps);
  path.follow_seconds = std::move(best.seconds);
  return path;
}

}  // namespace antaeus
