#pragma once
/// \file
/// Standard deviations of a covariance of three numbers along its own axes, over lanes: Jacobi's rotations of a
/// symmetric matrix (Golub & Van Loan, "Matrix Computations", §8.5), each lane stopped on its own.

#include "antaeus/conditioning/lane_vectors.hpp"
#include "robot/batch_jacobi.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Ascending, and their directions: unit vectors whose entry of largest magnitude is positive.
template <class D>
struct Principal {
  D variance[3];
  Vec3<D> direction[3];
};

/// Turns entry (P, Q) of a symmetric matrix to zero. \return whether lanes had to, and must look again
template <int P, int Q, class D>
ANTAEUS_LANES_INLINE D turn_away(D (&a)[3][3], Vec3<D>* v, const D& floor, const D& limit) {
  constexpr int kOther = 3 - P - Q;
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  const D g = a[P][Q], g2 = g * g, size = a[P][P] * a[Q][Q], d = a[Q][Q] - a[P][P];
  const Mask<D> turn = g2 > limit * (size + floor);
  const D h = square_root(D(d * d + 4.0 * g2)), H = size_of(d) + h, inverse = 1.0 / (h * H);
  const D t = select(turn, D(with_sign_of(d, g) * (2.0 * h * inverse)), zero);
  const D c = select(turn, square_root(D(0.5 * H * H * inverse)), one), s = t * c;
  a[P][P] = a[P][P] - t * g;
  a[Q][Q] = a[Q][Q] + t * g;
  a[P][Q] = a[Q][P] = select(turn, zero, g);
  const D x = a[kOther][P], y = a[kOther][Q];
  a[kOther][P] = a[P][kOther] = c * x - s * y;
  a[kOther][Q] = a[Q][kOther] = s * x + c * y;
  const Vec3<D> p = v[P], q = v[Q];
  v[P] = c * p - s * q;
  v[Q] = s * p + c * q;
  // Smaller ones leave to a further sweep what rounding leaves.
  return select(turn, larger(D(g2 - 1e-18 * size), D(t * t - 1e-14)), zero);
}

template <class D>
ANTAEUS_LANES_INLINE void put_smaller_first(D& a, D& b, Vec3<D>& x, Vec3<D>& y) {
  const Mask<D> swap = b < a;
  const D first = select(swap, b, a), second = select(swap, a, b);
  const Vec3<D> u{select(swap, y.x, x.x), select(swap, y.y, x.y), select(swap, y.z, x.z)};
  const Vec3<D> w{select(swap, x.x, y.x), select(swap, x.y, y.y), select(swap, x.z, y.z)};
  a = first;
  b = second;
  x = u;
  y = w;
}

/// \param upper  xx xy xz yy yz zz, positive semidefinite
template <class D>
void principal_deviations(const D* upper, Principal<D>& result) {
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  D a[3][3] = {{upper[0], upper[1], upper[2]}, {upper[1], upper[3], upper[4]}, {upper[2], upper[4], upper[5]}};
  Vec3<D>* const v = result.direction;
  v[0] = {one, zero, zero};
  v[1] = {zero, one, zero};
  v[2] = {zero, zero, one};
  // 0, or NaN: a lane that has stopped is touched while others go on, and must not differ for it.
  D trace = zero;
  for (int i = 0; i < 6; ++i) trace = trace + (upper[i] - upper[i]);
  const D sum = a[0][0] + a[1][1] + a[2][2], floor = 1e-6 * (sum * sum);
  D limit = all_lanes<D>(1e-31);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    D worst = turn_away<0, 1>(a, v, floor, limit);
    worst = larger(worst, turn_away<0, 2>(a, v, floor, limit));
    worst = larger(worst, turn_away<1, 2>(a, v, floor, limit));
    const Mask<D> again = worst > 0.0;
    limit = select(again, limit, all_lanes<D>(__builtin_inf()));
    if (!any(again)) break;
  }
  for (int i = 0; i < 3; ++i) result.variance[i] = larger(a[i][i], zero) + trace;
  put_smaller_first(result.variance[0], result.variance[1], v[0], v[1]);
  put_smaller_first(result.variance[1], result.variance[2], v[1], v[2]);
  put_smaller_first(result.variance[0], result.variance[1], v[0], v[1]);
  for (int i = 0; i < 3; ++i) {
    const D x = size_of(v[i].x), y = size_of(v[i].y), z = size_of(v[i].z);
    const D largest = select((x >= y) & (x >= z), v[i].x, select(y >= z, v[i].y, v[i].z));
    v[i] = {with_sign_of(largest, v[i].x) + trace, with_sign_of(largest, v[i].y) + trace,
            with_sign_of(largest, v[i].z) + trace};
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
