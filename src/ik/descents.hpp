#pragma once
/// \file
/// The closest pose: descents of one target from several starts, the best of them kept, or from one.

#include "ik/closest.hpp"
#include "ik/feeds.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::ClosestAnswer;

/// Starts of the closest pose: entries of the target's cell, entries of the position's cell, pulled targets.
inline constexpr int kClosestEntries = 4, kClosestPositions = 2, kClosestPulled = 16;
inline constexpr int kClosestEntriesPosition = 4, kClosestPulledPosition = 7;
/// Further starts, of the sequence, until two of them confirm the best: descents from the target's own cells, pulled or
/// not, end in one basin together and confirm nothing to each other. No proof: a basin of few starts stays unseen.
inline constexpr int kConfirmingStarts = 100;
/// A pulled target stands at 0.4 … 1 of the distance, turned by up to 0.8 rad.
inline constexpr double kPullLeast = 0.4, kPullTurn = 0.46;
/// On a branch steps are short: a long one may end in the basin of another [rad] or [m].
inline constexpr double kBranchStep = 0.1;
inline constexpr int kBranchIterations = 200;
/// Two descents agree where their distances differ by less [√(m² + rad²)].
inline constexpr double kAgreement = 1e-5;

/// Descents of one target, the best of them kept.
template <int N, bool kRotation>
struct Descents {
  const ReachTask& task;
  const Target<double>& target;
  ClosestAnswer& answer;
  double q[kRoom<N>];
  double ends[kClosestEntries + kClosestPositions + kClosestPulled + kConfirmingStarts];
  bool is_of_sequence[kClosestEntries + kClosestPositions + kClosestPulled + kConfirmingStarts];

  bool hurried = true;  ///< a descent that cannot beat the best is given up

  /// From q. Nothing is left to do once the target is reached beyond doubt.
  void run(bool of_sequence = false) {
    constexpr double kReached = 0.5 * 1e-12;
    if (answer.f < kReached) return;
    const Descent end = descend<N, kRotation>(*task.chain, ClosestTuning{}, target,
                                              hurried ? answer.f : __builtin_huge_val(), q, task.onlooker);
    answer.iterations += end.iterations;
    is_of_sequence[answer.starts] = of_sequence;
    ends[answer.starts++] = end.given_up ? __builtin_huge_val() : __builtin_sqrt(2.0 * end.f);
    if (end.f < answer.f && !end.given_up) {
      for (int i = 0; i < task.chain->joints; ++i) answer.q[i] = q[i];
      answer.f = end.f;
      answer.gradient = end.gradient;
      answer.stationary = end.stationary;
    }
  }
  void run_entries(const Target<double>& near, int most) {
    Ranking ranking;
    int entry;
    rank<kRotation>(*task.chain, *task.seeds, near, ranking);
    for (int k = 0; k < most && ranking.take(entry); ++k) {
      entry_start<kRotation>(*task.chain, *task.seeds, ranking, entry, q);
      run();
    }
  }
  /// From the entry for the target pulled towards the middle of the workspace and turned, number k.
  void run_pulled(int k) {
    const double *low = task.seeds->low, *high = task.seeds->high;
    const Vec3<double> middle = task.chain->prismatic[0]
                                    ? Vec3<double>{0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), target.p.z}
                                    : Vec3<double>{0.0, 0.0, 0.5 * (low[1] + high[1])};
    double four[4];
    for (int i = 0; i < 4; ++i) four[i] = symmetric(k, kSixSteps[i]);
    const double share = kPullLeast + (1.0 - kPullLeast) * 0.5 * (four[0] + 1.0);
    Ranking ranking;
    int entry;
    rank<kRotation>(*task.chain, *task.seeds,
                    displaced(target, (share - 1.0) * (target.p - middle),
                              {kPullTurn * four[1], kPullTurn * four[2], kPullTurn * four[3]}),
                    ranking);
    // Every other one with the second joint bent the other way than in the best so far: shoulders have two sides.
    const auto half = static_cast<float>(task.seeds->from[1] + 0.5 * task.seeds->span[1]);
    const bool found =
        k % 2 == 1 ? ranking.take_across(half, static_cast<float>(answer.q[1]), entry) : ranking.take(entry);
    if (!found) return;
    entry_start<kRotation>(*task.chain, *task.seeds, ranking, entry, q);
    run();
  }
  void run_sequence(int k) {
    Starts::sequence(*task.chain, *task.seeds, k, q);
    run(true);
  }
  void count_agreeing() {
    const double best = __builtin_sqrt(2.0 * answer.f);
    int of_sequence = 0;
    answer.agreeing = 0;
    for (int k = 0; k < answer.starts; ++k) {
      const bool agrees = ends[k] - best <= kAgreement;
      answer.agreeing += agrees;
      of_sequence += agrees && is_of_sequence[k];
    }
    answer.confirmed = of_sequence >= 2;
  }
};

template <int N, bool kRotation>
void closest_of_all(const ReachTask& task, const TargetNumbers& numbers, ClosestAnswer& answer) {
  const Target<double> target = as_target(numbers);
  answer.f = __builtin_huge_val();
  answer.starts = answer.agreeing = answer.iterations = 0;
  answer.stationary = false;
  Descents<N, kRotation> descents{task, target, answer, {}, {}, {}};
  const bool table = has_table(task);
  const int pulled = kRotation ? kClosestPulled : kClosestPulledPosition;
  if (table) {
    descents.run_entries(target, kRotation ? kClosestEntries : kClosestEntriesPosition);
    if constexpr (kRotation) {
      Ranking ranking;
      int entry;
      rank<false>(*task.chain, *task.seeds, target, ranking);
      for (int k = 0; k < kClosestPositions && ranking.take(entry); ++k) {
        entry_start<false>(*task.chain, *task.seeds, ranking, entry, descents.q);
        descents.run();
      }
    }
    for (int k = 0; k < pulled; ++k) descents.run_pulled(k);
  } else {
    for (int k = 0; k < kClosestEntries + kClosestPositions + kClosestPulled; ++k) descents.run_sequence(k);
  }
  descents.count_agreeing();
  descents.hurried = false;  // those that are given up confirm nothing
  for (int k = 0; k < kConfirmingStarts && !answer.confirmed; ++k) {
    descents.run_sequence(k + 22);
    descents.count_agreeing();
  }
}

template <int N, bool kRotation>
void closest_on_branch(const ReachTask& task, const TargetNumbers& numbers, const double* q, ClosestAnswer& answer) {
  for (int i = 0; i < task.chain->joints; ++i) {
    answer.q[i] = clamped(q[i], task.chain->lower[i], task.chain->upper[i]);
  }
  ClosestTuning tuning;
  tuning.longest = kBranchStep;
  tuning.most_iterations = kBranchIterations;
  const Descent end =
      descend<N, kRotation>(*task.chain, tuning, as_target(numbers), __builtin_huge_val(), answer.q, task.onlooker);
  answer.f = end.f;
  answer.gradient = end.gradient;
  answer.stationary = end.stationary;
  answer.starts = answer.agreeing = 1;
  answer.iterations = end.iterations;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
