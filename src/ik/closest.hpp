#pragma once
/// \file
/// The pose nearest to a target that the limits allow: f = ½(|e_p|² + θ²) is made least in the box of the limits by
/// projected Newton steps (Bertsekas, "Projected Newton methods", SIAM J. Control Optim. 20, 1982) with the exact
/// Hessian, which costs what JᵀJ costs. One radian counts as one metre; for a position f = ½|e_p|².

#include "ik/curvature.hpp"
#include "ik/reach_build.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

struct ClosestTuning {
  double damping = 1e-3;  ///< at the start [m²]
  double damping_floor = 1e-9;
  double gain = 0.1, loss = 6.0;  ///< damping after an accepted step, after a rejected one, times
  double longest = 0.7;           ///< of a step, any joint [rad] or [m]
  double stationary = 1e-9;       ///< largest entry of the projected gradient at the end
  int most_iterations = 60;
  int patience = 4;       ///< iterations before a start may be given up against the best
  double optimism = 3.0;  ///< times the predicted decrease that is still believed in
};

/// What a descent came to.
struct Descent {
  double f = __builtin_huge_val();
  double gradient = __builtin_huge_val();  ///< largest entry of the projected gradient
  int iterations = 0;
  bool stationary = false;
  bool given_up = false;  ///< it cannot beat the best
};

/// Solves (H + damping I) x = b over the free joints by L D Lᵀ. \return false where it is not positive definite
template <int N>
bool solve_free(const double* H, double damping, const int* free, int size, const double* b, double* x) {
  double l[kRoom<N> * (kRoom<N> + 1) / 2], inverse[kRoom<N>], v[kRoom<N>];
  for (int r = 0; r < size; ++r) {
    const int row = r * (r + 1) / 2, from = free[r] * (free[r] + 1) / 2;
    double sum = b[r];
    for (int c = 0; c < r; ++c) {
      const int other = c * (c + 1) / 2;
      double value = H[from + free[c]];
      for (int k = 0; k < c; ++k) value -= v[k] * l[other + k];
      v[c] = value;
    }
    const double diagonal = H[from + free[r]] + damping;
    double pivot = diagonal;
    for (int c = 0; c < r; ++c) {
      l[row + c] = v[c] * inverse[c];
      pivot -= v[c] * l[row + c];
      sum -= l[row + c] * x[c];
    }
    if (!(pivot > 1e-12)) return false;
    inverse[r] = 1.0 / pivot;
    x[r] = sum;
  }
  for (int r = size - 1; r >= 0; --r) {
    double value = x[r] * inverse[r];
    for (int k = r + 1; k < size; ++k) value -= l[k * (k + 1) / 2 + r] * x[k];
    x[r] = value;
  }
  return true;
}

/// A Newton step over the free joints, no longer than it may be and cut at the limits: what joints that meet theirs
/// leave, the others make up for, in three rounds. \param trial  receives its end \return false where the damped
/// Hessian is not positive definite
template <int N>
bool bounded_step(const ChainNumbers& chain, const ClosestTuning& tuning, const Curvature<N>& at, double damping,
                  const int* free, int size, const double* q, double* trial) {
  const int n = count<N>(chain);
  double b[kRoom<N>] = {}, x[kRoom<N>];
  int open[kRoom<N>], opens = size;
  for (int k = 0; k < size; ++k) open[k] = free[k];
  for (int i = 0; i < n; ++i) trial[i] = q[i];
  double moved[kRoom<N>];
  for (int i = 0; i < n; ++i) moved[i] = 0.0;
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < opens; ++k) {
      double value = -at.gradient[open[k]];
      if (round > 0) {
        for (int i = 0; i < n; ++i) {
          if (moved[i] == 0.0) continue;
          const int a = i > open[k] ? i : open[k], c = i > open[k] ? open[k] : i;
          value -= at.hessian[a * (a + 1) / 2 + c] * moved[i];
        }
      }
      b[k] = value;
    }
    if (!solve_free<N>(at.hessian, damping, open, opens, b, x)) return false;
    double longest = 0.0;
    for (int k = 0; k < opens; ++k) {
      longest = larger(longest, x[k] < 0.0 ? -x[k] : x[k]);
    }
    const double share = longest > tuning.longest ? tuning.longest / longest : 1.0;
    int left = 0;
    bool over = false;
    for (int k = 0; k < opens; ++k) {
      const int i = open[k];
      const double wanted = q[i] + share * x[k];
      if (round < 2 && (wanted > chain.upper[i] || wanted < chain.lower[i])) {
        trial[i] = wanted > chain.upper[i] ? chain.upper[i] : chain.lower[i];
        moved[i] = trial[i] - q[i];
        over = true;
      } else {
        trial[i] = clamped(wanted, chain.lower[i], chain.upper[i]);
        open[left++] = i;
      }
    }
    opens = left;
    if (!over || opens == 0) break;
  }
  return true;
}

/// Descends from \p q, which receives the end. \param best  f that other starts have come to \param onlooker  or null
template <int N, bool kRotation>
Descent descend(const ChainNumbers& chain, const ClosestTuning& tuning, const Target<double>& target, double best,
                double* q, const detail::Onlooker* onlooker = nullptr) {
  const int n = count<N>(chain);
  Descent end;
  Forward<double, N> now;
  Vec3<double> ep{}, er{};
  double angle = 0.0, damping = tuning.damping;
  end.f = closest_value<N, kRotation>(chain, target, q, now, ep, er, angle);
  Curvature<N> at;
  while (true) {
    ++end.iterations;
    if (onlooker) onlooker->see(onlooker->who, {end.iterations == 1, true, true}, q);
    curvature<N, kRotation>(chain, now, ep, er, angle, at);
    int free[kRoom<N>], size = 0;
    end.gradient = 0.0;
    for (int i = 0; i < n; ++i) {
      const double g = at.gradient[i];
      const bool held = (q[i] >= chain.upper[i] && g < 0.0) || (q[i] <= chain.lower[i] && g > 0.0);
      if (held) continue;
      free[size++] = i;
      end.gradient = larger(end.gradient, g < 0.0 ? -g : g);
    }
    if (end.gradient <= tuning.stationary) {
      end.stationary = true;
      return end;
    }
    if (end.iterations >= tuning.most_iterations) return end;
    // Steps of growing damping until one is downhill.
    bool accepted = false;
    for (int tries = 0; tries < 24 && !accepted; ++tries) {
      double trial[kRoom<N>];
      if (!bounded_step<N>(chain, tuning, at, damping, free, size, q, trial)) {
        damping = larger(damping * tuning.loss, tuning.damping);
        continue;
      }
      // How much the model promises, by which a start is given up that cannot beat the best.
      double promised = 0.0;
      for (int i = 0; i < n; ++i) promised -= 0.5 * at.gradient[i] * (trial[i] - q[i]);
      if (end.iterations >= tuning.patience && end.f - tuning.optimism * promised > best) {
        end.given_up = true;
        return end;
      }
      Forward<double, N> there;
      Vec3<double> tp{}, tr{};
      double t_angle = 0.0;
      const double f = closest_value<N, kRotation>(chain, target, trial, there, tp, tr, t_angle);
      if (f < end.f || (f <= end.f && promised <= 1e-15)) {
        const bool rounding = !(f < end.f);
        for (int i = 0; i < n; ++i) q[i] = trial[i];
        end.f = f;
        now = there;
        ep = tp;
        er = tr;
        angle = t_angle;
        damping = larger(damping * tuning.gain, tuning.damping_floor);
        accepted = true;
        if (rounding) end.stationary = end.gradient <= 1e-6;
      } else {
        damping = damping * tuning.loss;
      }
    }
    if (!accepted) {  // no step is downhill any more: rounding, or a kink of θ at half a turn
      end.stationary = end.gradient <= 1e-6;
      return end;
    }
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
