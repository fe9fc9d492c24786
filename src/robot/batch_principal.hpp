#pragma once
/// \file
/// Standard deviations of three numbers along their covariance's own axes, over lanes, each stopped on its own.

#include "antaeus/conditioning/lane_vectors.hpp"
#include "robot/batch_jacobi.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Ascending, and their directions: unit vectors whose entry of largest magnitude is positive.
template <class D>
struct Principal {
  D deviation[3];
  Vec3<D> direction[3];
};

template <class D>
ANTAEUS_LANES_INLINE void put_smaller_first(D& a, D& b, Vec3<D>& x, Vec3<D>& y) {
  const Mask<D> swap = b < a;
  const D first = select(swap, b, a), second = select(swap, a, b);
  const Vec3<D> u{select(swap, y.x, x.x), select(swap, y.y, x.y), select(swap, y.z, x.z)};
  const Vec3<D> v{select(swap, x.x, y.x), select(swap, x.y, y.y), select(swap, x.z, y.z)};
  a = first;
  b = second;
  x = u;
  y = v;
}

/// Of the covariance f fᵀ with three columns f, of which no sum is zero: turned until they are orthogonal, they are its
/// axes.
template <class D>
void principal_deviations(const Vec3<D>* f, Principal<D>& result) {
  TurningColumns<D, 3, 3, 0> columns;
  D scale[3];
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    columns.x[i][0] = f[i].x;
    columns.x[i][1] = f[i].y;
    columns.x[i][2] = f[i].z;
  }
  orthogonalise(columns, scale);
  // 0, or NaN where a number is not finite, whether or not other lanes turned.
  D trace = all_lanes<D>(0.0);
  Vec3<D>* const v = result.direction;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    const auto& x = columns.x[i];
    const D size = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], inverse = 1.0 / square_root(size);
    result.deviation[i] = square_root(D(size * scale[i]));
    v[i] = {x[0] * inverse, x[1] * inverse, x[2] * inverse};
    trace = trace + (size - size);
  }
  put_smaller_first(result.deviation[0], result.deviation[1], v[0], v[1]);
  put_smaller_first(result.deviation[1], result.deviation[2], v[1], v[2]);
  put_smaller_first(result.deviation[0], result.deviation[1], v[0], v[1]);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    const D x = size_of(v[i].x), y = size_of(v[i].y), z = size_of(v[i].z);
    const D largest = select((x >= y) & (x >= z), v[i].x, select(y >= z, v[i].y, v[i].z));
    v[i] = {with_sign_of(largest, v[i].x) + trace, with_sign_of(largest, v[i].y) + trace,
            with_sign_of(largest, v[i].z) + trace};
    result.deviation[i] = result.deviation[i] + trace;
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
