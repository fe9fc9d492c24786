#pragma once
/// \file
/// The covariance of a block's wrench in world axes, over lanes.

#include "robot/batch_kinematics.hpp"
#include "robot/batch_solve.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// C / (L L) in world axes: upper triangles of its force and moment blocks, and the block between row by row.
template <class D>
struct UnitCovariance {
  D force[6], moment[6], between[9];
};

template <class D>
ANTAEUS_LANES_INLINE void unit_covariance(const Turn<D>& R_WB, const Whitened<D>& solved, UnitCovariance<D>& C) {
  Vec3<D> m[6], f[6];
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    const D zero = all_lanes<D>(0.0);
    m[c] = turned(R_WB, Vec3<D>{solved.U[0][c], c > 0 ? solved.U[1][c] : zero, c > 1 ? solved.U[2][c] : zero});
    if (c > 2) {
      f[c] = turned(R_WB, Vec3<D>{solved.U[3][c], c > 3 ? solved.U[4][c] : zero, c > 4 ? solved.U[5][c] : zero});
    }
  }
  const auto sum = [](const Vec3<D>* x, const Vec3<D>* y, int from, auto one, auto other) {
    D total = one(x[from]) * other(y[from]);
#pragma GCC unroll 6
    for (int c = from + 1; c < 6; ++c) total = total + one(x[c]) * other(y[c]);
    return total;
  };
  const auto x = [](const Vec3<D>& v) { return v.x; };
  const auto y = [](const Vec3<D>& v) { return v.y; };
  const auto z = [](const Vec3<D>& v) { return v.z; };
  const auto upper = [&](const Vec3<D>* v, int from, D* out) {
    out[0] = sum(v, v, from, x, x);
    out[1] = sum(v, v, from, x, y);
    out[2] = sum(v, v, from, x, z);
    out[3] = sum(v, v, from, y, y);
    out[4] = sum(v, v, from, y, z);
    out[5] = sum(v, v, from, z, z);
  };
  upper(f, 3, C.force);
  upper(m, 0, C.moment);
  const auto row = [&](auto one, D* out) {
    out[0] = sum(f, m, 3, one, x);
    out[1] = sum(f, m, 3, one, y);
    out[2] = sum(f, m, 3, one, z);
  };
  row(x, C.between);
  row(y, C.between + 3);
  row(z, C.between + 6);
}

/// Whether every direction is felt for certain: Σ λ² of the unit-scaled covariance bounds its largest eigenvalue
/// 1/(1 + σ²).
template <class D>
ANTAEUS_LANES_INLINE Mask<D> surely_felt(const UnitCovariance<D>& C, double least) {
  D diagonal = C.force[0] * C.force[0], beside = C.force[1] * C.force[1];
  diagonal = diagonal + C.force[3] * C.force[3] + C.force[5] * C.force[5];
  diagonal = diagonal + C.moment[0] * C.moment[0] + C.moment[3] * C.moment[3] + C.moment[5] * C.moment[5];
  beside = beside + C.force[2] * C.force[2] + C.force[4] * C.force[4];
  beside = beside + C.moment[1] * C.moment[1] + C.moment[2] * C.moment[2] + C.moment[4] * C.moment[4];
  for (int i = 0; i < 9; ++i) beside = beside + C.between[i] * C.between[i];
  const double bound = 1.0 / (1.0 + least * least);
  return diagonal + 2.0 * beside < (1.0 - 1e-9) * bound * bound;  // less than rounding can decide
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
