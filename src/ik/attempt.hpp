#pragma once
/// \file
/// One attempt: error-scaled Levenberg–Marquardt from a start, with limits as an active set. Over lanes.
///
/// Cost E = |e_p|² + L²|e_r|², e_r the chordal rotation error, L a length a radian. Step: (J Jᵀ + λ I) y = e, dq = Jᵀ y
/// over the free joints, λ = 1e-6 + 1e-2 μ E: far from the target the step is short, near it that of Gauss and Newton.
/// A joint that stands on its limit and is pushed outwards is left out, and judged anew every iteration: this is its
/// release. A joint that the step would push over goes to its limit exactly, and the others make up for it.

#include "ik/forward.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// How attempts are made; tried on Panda, UR5e, G1 and H1-2 arms (docs/ik.md).
struct AttemptTuning {
  double length = 0.3;          ///< [m/rad] L: 0.15 … 0.6 are alike
  double damping_floor = 1e-6;  ///< [m²]
  double damping_scale = 1e-2;  ///< of μ E
  double trust_gain = 0.3;      ///< μ after an accepted step, times
  double trust_loss = 10.0;     ///< μ after a rejected one, times
  double trust_floor = 1e-3;    ///< least μ
  double most_rejections = 4;   ///< end of the attempt
  double most_iterations = 20;  ///< end of the attempt
  double patience = 2;          ///< iterations that may pass before slow progress ends the attempt
  double slow = 0.8;            ///< an accepted step that leaves more than this share of E is slow
};

/// The end of an attempt, as squares: |e_p|² and |e_r|² below them.
struct Goal {
  double position2 = 0.0, rotation2 = 0.0;
};

/// What an accepted configuration tells the next step.
template <class D, int N>
struct Linear {
  Vec3<D> column[kRoom<N>], axis[kRoom<N>];  ///< linear and angular velocity for a unit of each joint
  Vec3<D> ep, er;
  D E, position2, rotation2;  ///< rotation2: of the chordal error in radians
};

template <class D, int N, bool kRotation>
ANTAEUS_LANES_INLINE void linearise(const ChainNumbers& chain, const AttemptTuning& tuning, const D* q,
                                    const Target<D>& target, Linear<D, N>& out) {
  Forward<D, N> now;
  forward(chain, q, now);
  linear_columns(chain, now, out.column);
  const int n = count<N>(chain);
  const D zero = all_lanes<D>(0.0), L = all_lanes<D>(tuning.length);
  out.ep = target.p - now.p;
  out.position2 = dot(out.ep, out.ep);
  if constexpr (kRotation) {
    const Vec3<D> er = chordal_error(now, target);
    out.rotation2 = dot(er, er);
    out.er = L * er;
    for (int i = 0; i < n; ++i) {
      out.axis[i] = chain.prismatic[i] ? Vec3<D>{zero, zero, zero} : L * now.axis[i];
    }
    out.E = out.position2 + dot(out.er, out.er);
  } else {
    out.rotation2 = zero;
    out.E = out.position2;
  }
}

/// Lower triangle of a K × K matrix, row by row, that sums weighted outer products.
template <class D, int K>
struct Triangle {
  D m[K * (K + 1) / 2];
};

/// The inverse of a symmetric 3 × 3 matrix by its cofactors: lower triangle in, lower triangle out. One quotient, and
/// short chains of dependent operations: the step's time is latency.
template <class D>
ANTAEUS_LANES_INLINE void invert3(const D* m, D* inverse) {
  const D c00 = m[2] * m[5] - m[4] * m[4], c10 = m[3] * m[4] - m[1] * m[5], c20 = m[1] * m[4] - m[3] * m[2];
  const D share = 1.0 / (m[0] * c00 + m[1] * c10 + m[3] * c20);
  inverse[0] = share * c00;
  inverse[1] = share * c10;
  inverse[2] = share * (m[0] * m[5] - m[3] * m[3]);
  inverse[3] = share * c20;
  inverse[4] = share * (m[1] * m[3] - m[0] * m[4]);
  inverse[5] = share * (m[0] * m[2] - m[1] * m[1]);
}
template <class D>
ANTAEUS_LANES_INLINE void times3(const D* m, const D* x, D* y) {
  y[0] = m[0] * x[0] + m[1] * x[1] + m[3] * x[2];
  y[1] = m[1] * x[0] + m[2] * x[1] + m[4] * x[2];
  y[2] = m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
}

/// y of M y = e, M symmetric and positive definite, K = 3 or 6: by 3 × 3 blocks M = [A Bᵀ; B C] and C − B A⁻¹ Bᵀ.
template <class D, int K>
ANTAEUS_LANES_INLINE void solve_triangle(const Triangle<D, K>& M, const D* e, D* y) {
  static_assert(K == 3 || K == 6);
  D A[6];
  invert3(M.m, A);
  if constexpr (K == 3) {
    times3(A, e, y);
  } else {
    const D* B[3] = {M.m + 6, M.m + 10, M.m + 15};  // rows
    D G[3][3], S[6], rest[3], first[3];
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) times3(A, B[r], G[r]);
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) {
#pragma GCC unroll 3
      for (int c = 0; c <= r; ++c) {
        S[r * (r + 1) / 2 + c] =
            M.m[(r + 3) * (r + 4) / 2 + 3 + c] - (G[r][0] * B[c][0] + G[r][1] * B[c][1] + G[r][2] * B[c][2]);
      }
      rest[r] = e[3 + r] - (G[r][0] * e[0] + G[r][1] * e[1] + G[r][2] * e[2]);
    }
    D inverse[6];
    invert3(S, inverse);
    times3(inverse, rest, y + 3);
    times3(A, e, first);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) y[c] = first[c] - (G[0][c] * y[3] + G[1][c] * y[4] + G[2][c] * y[5]);
  }
}

/// Sums the products of columns, rows R … R + 2 times rows C … C + 2, in registers.
template <class D, int K, int R, int C>
ANTAEUS_LANES_INLINE void add_block(const D (*columns)[K], int n, Triangle<D, K>& M) {
  D sum[9];
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) {
    const int r = R + k / 3, c = C + k % 3;
    if (c <= r) sum[k] = M.m[r * (r + 1) / 2 + c];
  }
  for (int i = 0; i < n; ++i) {
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
      const int r = R + k / 3, c = C + k % 3;
      if (c <= r) sum[k] = sum[k] + columns[i][r] * columns[i][c];
    }
  }
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) {
    const int r = R + k / 3, c = C + k % 3;
    if (c <= r) M.m[r * (r + 1) / 2 + c] = sum[k];
  }
}

template <class D, int N, bool kRotation>
ANTAEUS_LANES_INLINE void step(const ChainNumbers& chain, const AttemptTuning& tuning, const Linear<D, N>& at,
                               const D* q, const D& mu, D* trial) {
  constexpr int K = kRotation ? 6 : 3;
  const int n = count<N>(chain);
  const D zero = all_lanes<D>(0.0);
  const D lambda = tuning.damping_floor + tuning.damping_scale * mu * at.E;
  D e[K] = {at.ep.x, at.ep.y, at.ep.z};
  if constexpr (kRotation) {
    e[3] = at.er.x;
    e[4] = at.er.y;
    e[5] = at.er.z;
  }
  D columns[kRoom<N>][K];
  Mask<D> fixed[kRoom<N>];
  for (int i = 0; i < n; ++i) {
    const D lower = all_lanes<D>(chain.lower[i]), upper = all_lanes<D>(chain.upper[i]);
    D gain = dot(at.column[i], at.ep);
    if constexpr (kRotation) gain = gain + dot(at.axis[i], at.er);
    fixed[i] = ((q[i] >= upper) & (gain > zero)) | ((q[i] <= lower) & (gain < zero));
    columns[i][0] = select(fixed[i], zero, at.column[i].x);
    columns[i][1] = select(fixed[i], zero, at.column[i].y);
    columns[i][2] = select(fixed[i], zero, at.column[i].z);
    if constexpr (kRotation) {
      columns[i][3] = select(fixed[i], zero, at.axis[i].x);
      columns[i][4] = select(fixed[i], zero, at.axis[i].y);
      columns[i][5] = select(fixed[i], zero, at.axis[i].z);
    }
    trial[i] = q[i];
  }
  Triangle<D, K> M;
#pragma GCC unroll 21
  for (int k = 0; k < K * (K + 1) / 2; ++k) M.m[k] = zero;
#pragma GCC unroll 6
  for (int k = 0; k < K; ++k) M.m[k * (k + 1) / 2 + k] = lambda;
  add_block<D, K, 0, 0>(columns, n, M);
  if constexpr (kRotation) {
    add_block<D, K, 3, 0>(columns, n, M);
    add_block<D, K, 3, 3>(columns, n, M);
  }
  D y[K];
  for (int round = 0;; ++round) {
    solve_triangle<D, K>(M, e, y);
    Mask<D> over_any = zero < zero;
    Mask<D> over[kRoom<N>];
    D wanted[kRoom<N>];
    for (int i = 0; i < n; ++i) {
      D dq = zero;
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) dq = dq + columns[i][k] * y[k];
      wanted[i] = select(fixed[i], trial[i], D(q[i] + dq));
      over[i] = (wanted[i] > chain.upper[i]) | (wanted[i] < chain.lower[i]);
      over_any = over_any | over[i];
    }
    if (round == 2 || !any(over_any)) {
      for (int i = 0; i < n; ++i) {
        trial[i] = clamped(wanted[i], all_lanes<D>(chain.lower[i]), all_lanes<D>(chain.upper[i]));
      }
      return;
    }
    // Those that went over stand on their limits; the others solve for what is left.
    for (int i = 0; i < n; ++i) {
      if (!any(over[i])) continue;
      const D limit = select(wanted[i] > chain.upper[i], all_lanes<D>(chain.upper[i]), all_lanes<D>(chain.lower[i]));
      const D move = select(over[i], D(limit - q[i]), zero);
      trial[i] = select(over[i], limit, trial[i]);
      fixed[i] = fixed[i] | over[i];
      D gone[K];
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) {
        gone[k] = select(over[i], columns[i][k], zero);
        e[k] = e[k] - gone[k] * move;
        columns[i][k] = columns[i][k] - gone[k];
      }
#pragma GCC unroll 8
      for (int r = 0; r < K; ++r) {
#pragma GCC unroll 8
        for (int c = 0; c <= r; ++c) M.m[r * (r + 1) / 2 + c] = M.m[r * (r + 1) / 2 + c] - gone[r] * gone[c];
      }
    }
  }
}

/// Attempts side by side, each lane its own. \p feed says where each begins, and takes what became of it:
///
///     bool begin(int lane, Target<double>& target, double* q, double& budget);   false: nothing left for this lane
///     bool again(int lane, const Outcome& outcome, double* q, double& budget);   another start for the same target
struct Outcome {
  bool reached = false;
  const double* q = nullptr;
  double E = 0.0, position2 = 0.0, rotation2 = 0.0;  ///< at q
  int iterations = 0;
};

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
  Mask<D> active = zero < zero;
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
