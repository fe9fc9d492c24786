#pragma once
/// \file
/// f = ½(|e_p|² + θ²) of a configuration, its gradient and its exact Hessian. For joints i ≤ j, with Jp the linear
/// columns and z the axes:
///     H_ij = (Jp_i − e_p × z_i)·Jp_j + (A z_i − ½ e_r × z_i)·z_j,   e_r = θ u,  A = u uᵀ + (θ/2) cot(θ/2) (I − u uᵀ).

#include "ik/forward.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

template <int N>
struct Curvature {
  double f = 0.0, gradient[kRoom<N>], hessian[kRoom<N> * (kRoom<N> + 1) / 2];
};

template <int N, bool kRotation>
double closest_value(const ChainNumbers& chain, const Target<double>& target, const double* q, Forward<double, N>& now,
                     Vec3<double>& ep, Vec3<double>& er, double& angle) {
  forward(chain, q, now);
  ep = target.p - now.p;
  double f = dot(ep, ep);
  if constexpr (kRotation) {
    er = rotation_log(now, target, angle);
    f = f + angle * angle;
  }
  return 0.5 * f;
}

template <int N, bool kRotation>
void curvature(const ChainNumbers& chain, const Forward<double, N>& now, const Vec3<double>& ep, const Vec3<double>& er,
               double angle, Curvature<N>& out) {
  const int n = count<N>(chain);
  Vec3<double> column[kRoom<N>], bent[kRoom<N>], turn[kRoom<N>];
  linear_columns(chain, now, column);
  double along = 1.0, across = 0.0;  // A = along I + across u uᵀ
  Vec3<double> u{};
  if constexpr (kRotation) {
    // (θ/2) cot(θ/2) from sin and cos of the half angle; near zero 1 − θ²/12.
    if (angle > 1e-4) {
      double s, c;
      sine_cosine(0.5 * angle, s, c);
      along = 0.5 * angle * c / s;
      u = (1.0 / angle) * er;
    } else {
      along = 1.0 - angle * angle / 12.0;
      u = angle > 1e-30 ? (1.0 / angle) * er : er;
    }
    across = 1.0 - along;
  }
  for (int i = 0; i < n; ++i) {
    const Vec3<double>& z = now.axis[i];
    out.gradient[i] = -dot(ep, column[i]);
    bent[i] = chain.prismatic[i] ? column[i] : column[i] - cross(ep, z);
    if constexpr (kRotation) {
      if (chain.prismatic[i]) {
        turn[i] = {0.0, 0.0, 0.0};
      } else {
        out.gradient[i] = out.gradient[i] - dot(er, z);
        turn[i] = along * z + (across * dot(u, z)) * u - 0.5 * cross(er, z);
      }
    }
  }
  int at = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      double h = dot(bent[i], column[j]);
      if constexpr (kRotation) {
        if (!chain.prismatic[j]) h = h + dot(turn[i], now.axis[j]);
      }
      out.hessian[at++] = h;
    }
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
