#pragma once
/// \file
/// What an attempt knows of a configuration, and the step that it takes from there.

#include "ik/normal_system.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// How attempts are made; tried on Panda, UR5e, G1 and H1-2 arms (docs/validation.md#inverse-kinematics).
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

template <class D, int N, bool kRotation>
ANTAEUS_LANES_INLINE void step(const ChainNumbers& chain, const AttemptTuning& tuning, const Linear<D, N>& at,
                               const D* q, const D& mu, D* trial) {
  constexpr int kRows = kRotation ? 6 : 3;
  const int n = count<N>(chain);
  const D zero = all_lanes<D>(0.0);
  const D lambda = tuning.damping_floor + tuning.damping_scale * mu * at.E;
  D e[kRows] = {at.ep.x, at.ep.y, at.ep.z};
  if constexpr (kRotation) {
    e[3] = at.er.x;
    e[4] = at.er.y;
    e[5] = at.er.z;
  }
  D columns[kRoom<N>][kRows];
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
  Triangle<D, kRows> M;
#pragma GCC unroll 21
  for (int k = 0; k < kRows * (kRows + 1) / 2; ++k) M.m[k] = zero;
#pragma GCC unroll 6
  for (int k = 0; k < kRows; ++k) M.m[k * (k + 1) / 2 + k] = lambda;
  add_block<D, kRows, 0, 0>(columns, n, M);
  if constexpr (kRotation) {
    add_block<D, kRows, 3, 0>(columns, n, M);
    add_block<D, kRows, 3, 3>(columns, n, M);
  }
  D y[kRows];
  for (int round = 0;; ++round) {
    solve_triangle<D, kRows>(M, e, y);
    Mask<D> over_any{};
    Mask<D> over[kRoom<N>];
    D wanted[kRoom<N>];
    for (int i = 0; i < n; ++i) {
      D dq = zero;
#pragma GCC unroll 8
      for (int k = 0; k < kRows; ++k) dq = dq + columns[i][k] * y[k];
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
      D gone[kRows];
#pragma GCC unroll 8
      for (int k = 0; k < kRows; ++k) {
        gone[k] = select(over[i], columns[i][k], zero);
        e[k] = e[k] - gone[k] * move;
        columns[i][k] = columns[i][k] - gone[k];
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
        for (int c = 0; c <= r; ++c) M.m[r * (r + 1) / 2 + c] = M.m[r * (r + 1) / 2 + c] - gone[r] * gone[c];
      }
    }
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
