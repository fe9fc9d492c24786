#pragma once
/// \file
/// One attempt: error-scaled Levenberg–Marquardt from a start, with limits as an active set. Over lanes.
///
/// Cost E = |e_p|² + L²|e_r|², e_r the chordal rotation error, L a length a radian. Step: (J Jᵀ + λ I) y = e, dq = Jᵀ y
/// over the free joints, λ = 1e-6 + 1e-2 μ E: far from the target the step is short, near it that of Gauss and Newton.
/// A joint that stands on its limit and is pushed outwards is left out, and judged anew every iteration: this is its
/// release. A joint that the step would push over goes to its limit exactly, and the others make up for it.

#include "ik/attempt_step.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// What became of an attempt.
struct Outcome {
  bool reached = false;
  const double* q = nullptr;
  double E = 0.0, position2 = 0.0, rotation2 = 0.0;  ///< at q
  int iterations = 0;
};

/// Where \p accepted, what was tried is held from now on. Both pointers may change places.
template <class D, int N, bool kRotation>
inline void keep_accepted(const Mask<D>& accepted, int n, const D* trial, D* q, Linear<D, N>*& held,
                          Linear<D, N>*& tried) {
  if (all(accepted)) {
    Linear<D, N>* const other = held;
    held = tried;
    tried = other;
    for (int i = 0; i < n; ++i) q[i] = trial[i];
  } else if (any(accepted)) {
    for (int i = 0; i < n; ++i) {
      q[i] = select(accepted, trial[i], q[i]);
      held->column[i].x = select(accepted, tried->column[i].x, held->column[i].x);
      held->column[i].y = select(accepted, tried->column[i].y, held->column[i].y);
      held->column[i].z = select(accepted, tried->column[i].z, held->column[i].z);
      if constexpr (kRotation) {
        held->axis[i].x = select(accepted, tried->axis[i].x, held->axis[i].x);
        held->axis[i].y = select(accepted, tried->axis[i].y, held->axis[i].y);
        held->axis[i].z = select(accepted, tried->axis[i].z, held->axis[i].z);
      }
    }
    held->ep = {select(accepted, tried->ep.x, held->ep.x), select(accepted, tried->ep.y, held->ep.y),
                select(accepted, tried->ep.z, held->ep.z)};
    if constexpr (kRotation) {
      held->er = {select(accepted, tried->er.x, held->er.x), select(accepted, tried->er.y, held->er.y),
                  select(accepted, tried->er.z, held->er.z)};
    }
    held->E = select(accepted, tried->E, held->E);
    held->position2 = select(accepted, tried->position2, held->position2);
    held->rotation2 = select(accepted, tried->rotation2, held->rotation2);
  }
}

/// Attempts side by side, each lane its own. \p feed says where each begins, and takes what became of it:
///
///     bool begin(int lane, Target<double>& target, double* q, double& budget);   false: nothing left for this lane
///     bool again(int lane, const Outcome& outcome, double* q, double& budget);   another start for the same target
template <class D, int N, bool kRotation, class Feed>
void run_attempts(const ChainNumbers& chain, const AttemptTuning& tuning, const Goal& goal, Feed& feed) {
  constexpr int kLanes = LaneTraits<D>::kLanes;
  const int n = count<N>(chain);
  const D zero = all_lanes<D>(0.0), infinite = all_lanes<D>(__builtin_huge_val());
  Target<D> target;
  Linear<D, N> room[2];
  Linear<D, N>*held = &room[0], *tried = &room[1];
  D q[kRoom<N>], trial[kRoom<N>];
  D mu = all_lanes<D>(1.0), iterations = zero, rejections = zero, most = zero;
  Mask<D> active{};
  double start[kRoom<N>];
  held->E = infinite;
  held->position2 = held->rotation2 = infinite;
  for (int i = 0; i < n; ++i) q[i] = trial[i] = zero;

  const auto set_target = [&](int k, const Target<double>& t) {
    Vec3<D>* into[4] = {&target.x, &target.y, &target.z, &target.p};
    const Vec3<double>* from[4] = {&t.x, &t.y, &t.z, &t.p};
    for (int v = 0; v < 4; ++v) {
      set_lane(into[v]->x, k, from[v]->x);
      set_lane(into[v]->y, k, from[v]->y);
      set_lane(into[v]->z, k, from[v]->z);
    }
  };
  const D one = all_lanes<D>(1.0);
  target = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
  D active_lanes = zero;  // 1 where a lane works
  const auto restart = [&](int k, double budget) {
    for (int i = 0; i < n; ++i) set_lane(trial[i], k, start[i]);
    set_lane(held->E, k, __builtin_huge_val());
    set_lane(mu, k, 1.0);
    set_lane(iterations, k, 0.0);
    set_lane(rejections, k, 0.0);
    set_lane(most, k, budget < tuning.most_iterations ? budget : tuning.most_iterations);
  };
  const auto begin = [&](int k) {
    Target<double> t;
    double budget = 0.0;
    if (feed.begin(k, t, start, budget)) {
      set_target(k, t);
      restart(k, budget);
      set_lane(active_lanes, k, 1.0);
    } else {
      set_lane(active_lanes, k, 0.0);
      set_lane(held->E, k, __builtin_huge_val());
    }
  };
  for (int k = 0; k < kLanes; ++k) begin(k);
  active = active_lanes > zero;
  while (any(active)) {
    linearise<D, N, kRotation>(chain, tuning, trial, target, *tried);
    iterations = iterations + 1.0;
    const D before = held->E, now = tried->E;
    const Mask<D> accepted = now < before;
    const Mask<D> first = !(before < infinite);
    Mask<D> reached = tried->position2 <= goal.position2;
    if constexpr (kRotation) reached = reached & (tried->rotation2 <= goal.rotation2);
    if constexpr (kLanes == 1 && requires { feed.task.onlooker; }) {
      if (const auto* onlooker = feed.task.onlooker) {
        const bool kept = holds(accepted, 0);
        double seen[kRoom<N>];
        for (int i = 0; i < n; ++i) seen[i] = lane(trial[i], 0);
        onlooker->see(onlooker->who, {holds(first, 0), kept, false}, seen);
      }
    }
    keep_accepted<D, N, kRotation>(accepted, n, trial, q, held, tried);
    const D gained = larger(D(mu * tuning.trust_gain), all_lanes<D>(tuning.trust_floor));
    mu = select(first, mu, select(accepted, gained, D(mu * tuning.trust_loss)));
    rejections = rejections + select(accepted, zero, all_lanes<D>(1.0));
    reached = reached & accepted;
    const Mask<D> slow = accepted & (iterations > tuning.patience) & (now > tuning.slow * before);
    const Mask<D> ended = (reached | slow | (iterations >= most) | (rejections >= tuning.most_rejections)) & active;
    if (any(ended)) {
      for (int k = 0; k < kLanes; ++k) {
        if (!holds(ended, k)) continue;
        double position[kRoom<N>];
        for (int i = 0; i < n; ++i) position[i] = lane(q[i], k);
        const Outcome outcome{holds(reached, k),        position,
                              lane(held->E, k),         lane(held->position2, k),
                              lane(held->rotation2, k), static_cast<int>(lane(iterations, k))};
        double budget = 0.0;
        if (feed.again(k, outcome, start, budget)) {
          restart(k, budget);
        } else {
          begin(k);
        }
      }
      active = active_lanes > zero;
    }
    const Mask<D> fresh = !(held->E < infinite);
    if (all(fresh)) continue;
    D next[kRoom<N>];
    step<D, N, kRotation>(chain, tuning, *held, q, mu, next);
    for (int i = 0; i < n; ++i) trial[i] = select(fresh, trial[i], next[i]);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
