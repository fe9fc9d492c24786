#pragma once
/// \file
/// Who gets which start next: many targets side by side, or further starts of one.

#include "ik/attempt.hpp"
#include "ik/reach_build.hpp"
#include "ik/starts.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::AttemptAnswer;
using detail::ReachTask;
using detail::TargetNumbers;

/// Where the closest pose all but reaches the target, attempts from this far around it [rad] or [m] have their time.
inline constexpr double kAround = 0.4;
inline constexpr int kAroundStarts = 40, kAroundIterations = 60;

ANTAEUS_LANES_INLINE Target<double> as_target(const TargetNumbers& t) {
  return {{t.R[0], t.R[3], t.R[6]}, {t.R[1], t.R[4], t.R[7]}, {t.R[2], t.R[5], t.R[8]}, {t.p[0], t.p[1], t.p[2]}};
}
ANTAEUS_LANES_INLINE Goal goal_of(const ReachTask& task) {
  const double p = 0.5 * task.position_tolerance, r = 0.5 * task.rotation_tolerance;
  return {p * p, r * r};
}

ANTAEUS_LANES_INLINE bool has_table(const ReachTask& task) {
  return (task.rotation ? task.seeds->pose : task.seeds->position).dimensions > 0;
}

/// Adds one attempt to an answer; where none reached, the best is kept.
inline void add(const ChainNumbers& chain, const Outcome& outcome, AttemptAnswer& answer) {
  answer.iterations += outcome.iterations;
  if (outcome.reached || answer.attempts == 0 || outcome.E < answer.E) {
    for (int i = 0; i < chain.joints; ++i) answer.q[i] = outcome.q[i];
    answer.E = outcome.E;
    answer.position2 = outcome.position2;
    answer.rotation2 = outcome.rotation2;
  }
  answer.reached = outcome.reached;
  ++answer.attempts;
}

/// Hands out targets and their starts, one target a lane at a time.
template <bool kRotation, int kLanes>
struct TargetFeed {
  const ReachTask& task;
  const TargetNumbers* targets;
  AttemptAnswer* answers;
  int count, last;  ///< targets; number of the start at which there are no more
  int taken = 0;
  struct Slot {
    int index = -1;
    Starts starts;
    Target<double> target;
  } slots[kLanes] = {};

  bool begin(int k, Target<double>& target, double* q, double& budget) {
    while (taken < count) {
      Slot& slot = slots[k];
      slot.index = taken++;
      slot.target = target = as_target(targets[slot.index]);
      if (kLanes > 1 && taken < count && has_table(task)) prefetch(as_target(targets[taken]));
      slot.starts.given = 0;
      AttemptAnswer& answer = answers[slot.index];
      answer.reached = false;
      answer.iterations = answer.attempts = 0;
      budget = task.budget;
      if (budget > 0.0 && slot.starts.template next<kRotation>(*task.chain, *task.seeds, target, last, q)) return true;
    }
    return false;
  }
  /// The next target's cell comes into the cache while this one is worked on.
  void prefetch(const Target<double>& coming) const {
    const float* cell = radial_target<kRotation>(*task.chain, *task.seeds, coming).cell;
    const int floats = (kRotation ? task.seeds->pose : task.seeds->position).fields * kCellEntries;
    for (int f = 0; f < floats; f += 16) __builtin_prefetch(cell + f);
  }
  bool again(int k, const Outcome& outcome, double* q, double& budget) {
    Slot& slot = slots[k];
    AttemptAnswer& answer = answers[slot.index];
    add(*task.chain, outcome, answer);
    budget = task.budget - answer.iterations;
    return !outcome.reached && budget > 0.0 &&
           slot.starts.template next<kRotation>(*task.chain, *task.seeds, slot.target, last, q);
  }
};

/// Hands out further starts of one target.
template <bool kRotation>
struct StartFeed {
  const ReachTask& task;
  const Target<double>& aim;
  AttemptAnswer& answer;
  int first, last;
  Starts starts = {};
  bool begun = false;

  bool begin(int, Target<double>& target, double* q, double& budget) {
    if (begun) return false;
    begun = true;
    target = aim;
    starts.given = first;
    budget = task.budget - answer.iterations;
    return budget > 0.0 && starts.next<kRotation>(*task.chain, *task.seeds, aim, last, q);
  }
  bool again(int, const Outcome& outcome, double* q, double& budget) {
    add(*task.chain, outcome, answer);
    budget = task.budget - answer.iterations;
    return !outcome.reached && budget > 0.0 && starts.next<kRotation>(*task.chain, *task.seeds, aim, last, q);
  }
};

/// Attempts around a configuration that all but reaches the target.
struct AroundFeed {
  const ReachTask& task;
  const Target<double>& aim;
  const double* middle;
  AttemptAnswer& answer;
  int given = 0;

  bool next(double* q, double& budget) {
    const ChainNumbers& chain = *task.chain;
    for (int i = 0; i < chain.joints; ++i) {
      q[i] = clamped(middle[i] + kAround * symmetric(given, task.seeds->steps[i]), chain.lower[i], chain.upper[i]);
    }
    budget = task.budget - answer.iterations;
    return budget > 0.0 && given++ < kAroundStarts;
  }
  bool begin(int, Target<double>& target, double* q, double& budget) {
    if (given > 0) return false;
    target = aim;
    return next(q, budget);
  }
  bool again(int, const Outcome& outcome, double* q, double& budget) {
    add(*task.chain, outcome, answer);
    return !outcome.reached && next(q, budget);
  }
};

/// One attempt from a given start.
struct OneFeed {
  const ReachTask& task;
  const Target<double>& aim;
  const double* from;
  AttemptAnswer& answer;
  bool begun = false;

  bool begin(int, Target<double>& target, double* q, double& budget) {
    if (begun) return false;
    begun = true;
    target = aim;
    for (int i = 0; i < task.chain->joints; ++i) q[i] = clamped(from[i], task.chain->lower[i], task.chain->upper[i]);
    budget = task.budget - answer.iterations;
    return budget > 0.0;
  }
  bool again(int, const Outcome& outcome, double*, double&) {
    add(*task.chain, outcome, answer);
    return false;
  }
};

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
