#pragma once
/// \file
/// The one source of all builds: reach_portable.cpp, reach_avx2.cpp and reach_avx512.cpp include it.

#include "ik/attempt.hpp"
#include "ik/closest.hpp"
#include "ik/reach_build.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::AttemptAnswer;
using detail::ClosestAnswer;
using detail::MoreAttempts;
using detail::ReachBuild;
using detail::ReachTask;
using detail::TargetNumbers;

#if defined(__AVX512F__)
using Widest = Double8;
#elif defined(__AVX2__)
using Widest = Double4;
#else
using Widest = double;
#endif

/// Low-discrepancy attempts after those of the table, and all of them without one.
inline constexpr int kSequenceStarts = 400, kStartsWithoutTable = 300;
/// Starts of the closest pose: entries of the target's cell, entries of the position's cell, pulled targets.
inline constexpr int kClosestEntries = 4, kClosestPositions = 2, kClosestPulled = 16;
inline constexpr int kClosestEntriesPosition = 4, kClosestPulledPosition = 5;
/// Further starts, pulled targets and the sequence in turn, until a second descent confirms the first.
inline constexpr int kConfirmingStarts = 100;
/// A pulled target stands at 0.4 … 1 of the distance, turned by up to 0.8 rad.
inline constexpr double kPullLeast = 0.4, kPullTurn = 0.46;
/// Where the closest pose all but reaches the target, attempts from this far around it [rad] or [m] have their time.
inline constexpr double kAround = 0.4;
inline constexpr int kAroundStarts = 40, kAroundIterations = 60;
/// On a branch steps are short: a long one may end in the basin of another [rad] or [m].
inline constexpr double kBranchStep = 0.1;
inline constexpr int kBranchIterations = 200;
/// Two descents agree where their distances differ by less [√(m² + rad²)].
inline constexpr double kAgreement = 1e-6;

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

/// Attempts without a table begin far off, where progress is slow at first: none is abandoned.
ANTAEUS_LANES_INLINE AttemptTuning patient(double slow) {
  AttemptTuning tuning;
  tuning.slow = slow;
  return tuning;
}
inline constexpr double kNever = 1e300;

template <class D, int N, bool kRotation>
void first_attempts(const ReachTask& task, const TargetNumbers* targets, int count, AttemptAnswer* answers) {
  TargetFeed<kRotation, LaneTraits<D>::kLanes> feed{task, targets, answers, count, kFirstStarts};
  run_attempts<D, N, kRotation>(*task.chain, has_table(task) ? AttemptTuning{} : patient(kNever), goal_of(task), feed);
}

template <int N, bool kRotation>
void more_attempts(const ReachTask& task, const TargetNumbers& numbers, MoreAttempts which, AttemptAnswer& answer) {
  const Target<double> target = as_target(numbers);
  const auto run = [&](int first, int last, const AttemptTuning& tuning) {
    if (answer.reached) return;
    StartFeed<kRotation> feed{task, target, answer, first, last};
    run_attempts<double, N, kRotation>(*task.chain, tuning, goal_of(task), feed);
  };
  if (has_table(task)) {
    constexpr int kSequenceEnd = kTableStarts + kSequenceStarts;
    if (which != MoreAttempts::patient) run(kFirstStarts, kTableStarts, AttemptTuning{});
    if (which == MoreAttempts::all) run(kTableStarts, kSequenceEnd, patient(0.99));
    if (which == MoreAttempts::patient) {
      AttemptTuning tuning = patient(kNever);
      tuning.most_iterations = kAroundIterations;
      run(kSequenceEnd, kSequenceEnd + kSequenceStarts, tuning);
    }
  } else if (which != MoreAttempts::patient) {
    run(kFirstStarts, kStartsWithoutTable, patient(kNever));
  }
}

template <int N, bool kRotation>
void attempt_from(const ReachTask& task, const TargetNumbers& numbers, const double* q, AttemptAnswer& answer) {
  const Target<double> target = as_target(numbers);
  OneFeed feed{task, target, q, answer};
  run_attempts<double, N, kRotation>(*task.chain, patient(kNever), goal_of(task), feed);
}

template <int N, bool kRotation>
void attempts_around(const ReachTask& task, const TargetNumbers& numbers, const double* q, AttemptAnswer& answer) {
  const Target<double> target = as_target(numbers);
  AttemptTuning tuning = patient(kNever);
  tuning.most_iterations = kAroundIterations;
  AroundFeed feed{task, target, q, answer};
  run_attempts<double, N, kRotation>(*task.chain, tuning, goal_of(task), feed);
}

template <int N, bool kRotation>
void closest_on_branch(const ReachTask& task, const TargetNumbers& numbers, const double* q, ClosestAnswer& answer) {
  for (int i = 0; i < task.chain->joints; ++i) {
    answer.q[i] = clamped(q[i], task.chain->lower[i], task.chain->upper[i]);
  }
  ClosestTuning tuning;
  tuning.longest = kBranchStep;
  tuning.most_iterations = kBranchIterations;
  const Descent end = descend<N, kRotation>(*task.chain, tuning, as_target(numbers), __builtin_huge_val(), answer.q);
  answer.f = end.f;
  answer.gradient = end.gradient;
  answer.stationary = end.stationary;
  answer.starts = answer.agreeing = 1;
  answer.iterations = end.iterations;
}

/// Descents of one target, the best of them kept.
template <int N, bool kRotation>
struct Descents {
  const ReachTask& task;
  const Target<double>& target;
  ClosestAnswer& answer;
  double q[kRoom<N>];
  double ends[kClosestEntries + kClosestPositions + kClosestPulled + kConfirmingStarts];

  bool hurried = true;  ///< a descent that cannot beat the best is given up

  /// From q. Nothing is left to do once the target is reached beyond doubt.
  void run() {
    constexpr double kReached = 0.5 * 1e-12;
    if (answer.f < kReached) return;
    const Descent end =
        descend<N, kRotation>(*task.chain, ClosestTuning{}, target, hurried ? answer.f : __builtin_huge_val(), q);
    answer.iterations += end.iterations;
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
    run();
  }
  void count_agreeing() {
    const double best = __builtin_sqrt(2.0 * answer.f);
    answer.agreeing = 0;
    for (int k = 0; k < answer.starts; ++k) answer.agreeing += ends[k] - best <= kAgreement;
  }
};

template <int N, bool kRotation>
void closest_of_all(const ReachTask& task, const TargetNumbers& numbers, bool confirm, ClosestAnswer& answer) {
  const Target<double> target = as_target(numbers);
  answer.f = __builtin_huge_val();
  answer.starts = answer.agreeing = answer.iterations = 0;
  answer.stationary = false;
  Descents<N, kRotation> descents{task, target, answer, {}, {}};
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
  for (int k = 0; confirm && k < kConfirmingStarts && answer.agreeing < 2; ++k) {
    table&& k % 2 == 0 ? descents.run_pulled(pulled + k / 2) : descents.run_sequence(k + 22);
    descents.count_agreeing();
  }
}

template <int N, bool kRotation>
void errors_at(const ReachTask& task, const TargetNumbers& numbers, const double* q, double& position,
               double& rotation) {
  Forward<double, N> now;
  Vec3<double> ep{}, er{};
  rotation = 0.0;
  closest_value<N, kRotation>(*task.chain, as_target(numbers), q, now, ep, er, rotation);
  position = __builtin_sqrt(dot(ep, ep));
}

/// What a function was compiled for: a chain of N joints (0: of any number), poses or positions.
template <int N, bool kRotation>
struct Shape {
  static constexpr int kJoints = N;
  static constexpr bool kPose = kRotation;
};
/// Calls \p function with the task's shape: chains of 6 and 7 joints have their own.
template <class Function>
ANTAEUS_LANES_INLINE void with_shape(const ReachTask& task, const Function& function) {
  const int n = task.chain->joints;
  if (task.rotation) {
    n == 7 ? function(Shape<7, true>{}) : n == 6 ? function(Shape<6, true>{}) : function(Shape<0, true>{});
  } else {
    n == 7 ? function(Shape<7, false>{}) : n == 6 ? function(Shape<6, false>{}) : function(Shape<0, false>{});
  }
}

template <class D>
void attempts_of(const ReachTask& task, const TargetNumbers* targets, int count, AttemptAnswer* answers) {
  with_shape(task, [&](auto s) { first_attempts<D, s.kJoints, s.kPose>(task, targets, count, answers); });
}

inline const ReachBuild& this_build() {
  static const ReachBuild build{
      LaneTraits<Widest>::kLanes,
      attempts_of<Widest>,
      [](const ReachTask& task, const TargetNumbers& target, AttemptAnswer& answer) {
        attempts_of<double>(task, &target, 1, &answer);
      },
      [](const ReachTask& task, const TargetNumbers& target, MoreAttempts which, AttemptAnswer& answer) {
        with_shape(task, [&](auto s) { more_attempts<s.kJoints, s.kPose>(task, target, which, answer); });
      },
      [](const ReachTask& task, const TargetNumbers& target, const double* q, AttemptAnswer& answer) {
        with_shape(task, [&](auto s) { attempt_from<s.kJoints, s.kPose>(task, target, q, answer); });
      },
      [](const ReachTask& task, const TargetNumbers& target, const double* q, AttemptAnswer& answer) {
        with_shape(task, [&](auto s) { attempts_around<s.kJoints, s.kPose>(task, target, q, answer); });
      },
      [](const ReachTask& task, const TargetNumbers& target, bool confirm, ClosestAnswer& answer) {
        with_shape(task, [&](auto s) { closest_of_all<s.kJoints, s.kPose>(task, target, confirm, answer); });
      },
      [](const ReachTask& task, const TargetNumbers& target, const double* q, ClosestAnswer& answer) {
        with_shape(task, [&](auto s) { closest_on_branch<s.kJoints, s.kPose>(task, target, q, answer); });
      },
      [](const ReachTask& task, const TargetNumbers& target, const double* q, double& position, double& rotation) {
        with_shape(task, [&](auto s) { errors_at<s.kJoints, s.kPose>(task, target, q, position, rotation); });
      },
  };
  return build;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
