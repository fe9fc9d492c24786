#pragma once
/// \file
/// The covariance of a block's wrench in world axes, over lanes.

#include "replay/batch_kinematics.hpp"
#include "replay/batch_solve.hpp"

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

/// Whether every direction is felt for certain: an eigenvalue of the unit-scaled covariance is 1/(1 + σ²), so whether
/// all are below what the least σ makes of it is whether the difference has positive pivots.
template <class D>
ANTAEUS_LANES_INLINE Mask<D> surely_felt(const UnitCovariance<D>& C, double least) {
  const double bound = 1.0 / (1.0 + least * least);
  D M[6][6];  // lower triangle
  int force = 0, moment = 0;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int i = k; i < 3; ++i) {
      M[i][k] = -C.force[force++];
      M[3 + i][3 + k] = -C.moment[moment++];
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) M[3 + i][k] = -C.between[3 * k + i];
  }
  Mask<D> all = all_lanes<D>(0.0) == 0.0;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const D pivot = M[k][k] + bound;
    all = all & (pivot > 1e-9);  // what rounding could decide is not certain
    const D inverse = 1.0 / pivot;
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) {
      const D share = M[j][k] * inverse;
#pragma GCC unroll 6
      for (int i = j; i < 6; ++i) M[i][j] = M[i][j] - share * M[i][k];
    }
  }
  return all;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
