#pragma once
/// \file
/// Standard deviations of three numbers along their covariance's own axes, over lanes, each stopped on its own.

#include "antaeus/core/lane_vectors.hpp"
#include "replay/batch_jacobi.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Ascending, and their directions, of unit length.
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

/// Of covariances (TᵀT)⁻¹ of P endpoints, T upper triangular 3 × 3 and nowhere near singular: the columns of Tᵀ, turned
/// until they are orthogonal, are the axes. \param T  of each 00 01 02 11 12 22
template <int P, class D>
void principal_deviations(const D* T, Principal<D>* results) {
  TurningColumns<D, 3, 3, 0> columns[P];
  D scale[3 * P];
  const D zero = all_lanes<D>(0.0);
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    const D* t = T + 6 * p;
    const D rows[9] = {t[0], t[1], t[2], zero, t[3], t[4], zero, zero, t[5]};
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i) columns[p].x[i / 3][i % 3] = rows[i];
  }
  orthogonalise_together<P>(columns, scale);
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    Vec3<D>* const v = results[p].direction;
    D* const deviation = results[p].deviation;
    // 0, or NaN where a number is not finite, whether or not other lanes turned.
    D trace = zero;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      const auto& x = columns[p].x[i];
      const D size = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], inverse = 1.0 / square_root(size);
      deviation[i] = 1.0 / square_root(D(size * scale[3 * p + i]));
      v[i] = {x[0] * inverse, x[1] * inverse, x[2] * inverse};
      trace = trace + (size - size);
    }
    put_smaller_first(deviation[0], deviation[1], v[0], v[1]);
    put_smaller_first(deviation[1], deviation[2], v[1], v[2]);
    put_smaller_first(deviation[0], deviation[1], v[0], v[1]);
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      deviation[i] = deviation[i] + trace;
      v[i].x = v[i].x + trace;
    }
  }
}

/// A direction of which nobody knows whether it points there or back, with its entry of largest magnitude positive.
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> pointed(const Vec3<D>& v) {
  const D x = size_of(v.x), y = size_of(v.y), z = size_of(v.z), zero = all_lanes<D>(0.0);
  const D largest = select((x >= y) & (x >= z), v.x, select(y >= z, v.y, v.z));
  return {with_sign_of(largest, v.x) + zero, with_sign_of(largest, v.y) + zero, with_sign_of(largest, v.z) + zero};
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
