#pragma once
/// \file
/// The one source of all builds: reach_portable.cpp, reach_avx2.cpp and reach_avx512.cpp include it.

#include "ik/descents.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::MoreAttempts;
using detail::ReachBuild;

#if defined(__AVX512F__)
using Widest = Double8;
#elif defined(__AVX2__)
using Widest = Double4;
#else
using Widest = double;
#endif

/// Low-discrepancy attempts after those of the table, and all of them without one.
inline constexpr int kSequenceStarts = 400, kStartsWithoutTable = 300;

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
  constexpr int kEnd = kFirstStarts + kSequenceStarts;
  if (!has_table(task)) {
    if (which == MoreAttempts::sequence) run(kFirstStarts, kStartsWithoutTable, patient(kNever));
  } else if (which == MoreAttempts::sequence) {
    run(kFirstStarts, kEnd, patient(0.99));
  } else {
    AttemptTuning tuning = patient(kNever);
    tuning.most_iterations = kAroundIterations;
    run(kEnd, kEnd + kSequenceStarts, tuning);
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
      [](const ReachTask& task, const TargetNumbers& target, ClosestAnswer& answer) {
        with_shape(task, [&](auto s) { closest_of_all<s.kJoints, s.kPose>(task, target, answer); });
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
