#pragma once
/// \file
/// One-sided Jacobi rotations on up to six columns, over lanes; standard deviations of three numbers along the axes of
/// their covariance.
///
/// Sources: Hestenes, J. SIAM 6 (1958); Brent & Luk, SIAM J. Sci. Stat. Comput. 6 (1985) for rounds of disjoint pairs;
/// Anda & Park, SIAM J. Matrix Anal. Appl. 15 (1994) for rotations that keep each column's scale apart.
///
/// Every lane stops on its own: where a lane has converged its rotations are the identity, exactly, so how many lanes
/// turn side by side changes no bit.

#include "antaeus/core/lane_vectors.hpp"
#include "antaeus/core/lanes.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

inline constexpr int kMostSweeps = 12;

/// Pairs of N columns in rounds of disjoint ones: N − 1 rounds, N of an odd N (where one column rests).
template <int N>
struct PairRounds {
  static constexpr int kPairs = N * (N - 1) / 2;
  int first[kPairs > 0 ? kPairs : 1] = {}, second[kPairs > 0 ? kPairs : 1] = {};
  constexpr PairRounds() {
    constexpr int kEven = N + N % 2;
    int at = 0;
    for (int round = 0; round < kEven - 1; ++round) {
      for (int k = 0; k < kEven / 2; ++k) {
        const int a = k == 0 ? kEven - 1 : (round + k) % (kEven - 1);
        const int b = (round + kEven - 1 - k) % (kEven - 1);
        if (a >= N || b >= N) continue;
        first[at] = a < b ? a : b;
        second[at++] = a < b ? b : a;
      }
    }
  }
};

/// Columns of L numbers, and below each C more that turn with it.
template <class D, int N, int L, int C>
struct TurningColumns {
  D x[N][L + C];
};
/// Columns of Rᵀ, or of J itself where fewer than six joints carry the endpoint; and below each its entry of Qᵀ r.
template <class D, int N>
using WrenchColumns = TurningColumns<D, N, 6, 1>;

template <class D>
ANTAEUS_LANES_INLINE D size_of(const D& x) {
  return from_bits(bits(x) & 0x7fffffffffffffff);
}
/// y with its sign turned where x is negative.
template <class D>
ANTAEUS_LANES_INLINE D with_sign_of(const D& x, const D& y) {
  return from_bits(bits(y) ^ (bits(x) & ~0x7fffffffffffffff));
}

/// Norms of the true columns, which are √scale times x, and of what a pair's squared cosine must exceed to be turned
/// the factors: never for a lane that is done, nor for what is smaller than rounding of the largest, which no rotation
/// makes orthogonal.
template <class D, int N, int L, int C>
ANTAEUS_LANES_INLINE void begin_sweep(const TurningColumns<D, N, L, C>& columns, const D* scale, const D& limit,
                                      D (&norm)[N], D (&least)[N]) {
  const auto& x = columns.x;
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
    norm[i] = x[i][0] * x[i][0];
#pragma GCC unroll 5
    for (int k = 1; k < L; ++k) norm[i] = norm[i] + x[i][k] * x[i][k];
    norm[i] = norm[i] * scale[i];
  }
  D noise = norm[0];
#pragma GCC unroll 6
  for (int i = 1; i < N; ++i) noise = larger(noise, norm[i]);
  noise = 1e-30 * noise;
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) least[i] = select(norm[i] > noise, limit, all_lanes<D>(__builtin_inf()));
}

/// Makes two columns orthogonal. \return above zero where a further sweep must look at them again
template <class D, int N, int L, int C>
ANTAEUS_LANES_INLINE D turn_columns(TurningColumns<D, N, L, C>& columns, D* scale, D (&norm)[N], const D (&least)[N],
                                    const int i, const int j) {
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  auto& x = columns.x;
  D g = x[i][0] * x[j][0];
#pragma GCC unroll 5
  for (int k = 1; k < L; ++k) g = g + x[i][k] * x[j][k];
  const D both = scale[i] * scale[j], size = norm[i] * norm[j];
  const D g2 = both * (g * g), d = norm[j] - norm[i];
  const Mask<D> turn = g2 > size * least[i] * least[j];
  const D h = square_root(D(d * d + 4.0 * g2));
  const D H = size_of(d) + h;
  const D inverse = 1.0 / (h * H);
  // Of the rotation: t = √both · tau, c² = 1/(1 + t²).
  const D tau = select(turn, D(with_sign_of(d, g) * (2.0 * h * inverse)), zero);
  const D c2 = select(turn, D(0.5 * H * H * inverse), one);
  const D ti = scale[j] * tau, tj = scale[i] * tau;
#pragma GCC unroll 7
  for (int k = 0; k < L + C; ++k) {
    const D a = x[i][k], b = x[j][k];
    x[i][k] = a - ti * b;
    x[j][k] = b + tj * a;
  }
  const D bt = both * tau, shift = bt * g;
  norm[i] = norm[i] - shift;
  norm[j] = norm[j] + shift;
  scale[i] = scale[i] * c2;
  scale[j] = scale[j] * c2;
  // Rotations of less than this leave nothing to a further sweep: its cosines would be their squares.
  return select(turn, larger(D(g2 - 1e-18 * size), D(bt * tau - 1e-14)), zero);
}

/// Turns the columns until they are orthogonal. \param scale  true columns are √scale times x
template <class D, int N, int L, int C>
ANTAEUS_LANES_INLINE void orthogonalise(TurningColumns<D, N, L, C>& columns, D* scale) {
  constexpr PairRounds<N> kRounds;
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) scale[i] = all_lanes<D>(1.0);
  if constexpr (N > 1) {
    D limit = all_lanes<D>(5e-15);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      D norm[N], least[N], worst = all_lanes<D>(0.0);
      begin_sweep(columns, scale, limit, norm, least);
#pragma GCC unroll 15
      for (int pair = 0; pair < PairRounds<N>::kPairs; ++pair) {
        worst = larger(worst, turn_columns(columns, scale, norm, least, kRounds.first[pair], kRounds.second[pair]));
      }
      const Mask<D> again = worst > 0.0;
      limit = select(again, limit, all_lanes<D>(__builtin_inf()));
      if (!any(again)) break;
    }
  }
}

/// Turns the columns of P problems until they are orthogonal; side by side, so that small ones need not wait for their
/// own roots. (With P = 1 it is 6 % slower than the other on six columns.)
/// \param scale  N of each: true columns are √scale times x
template <int P, class D, int N, int L, int C>
ANTAEUS_LANES_INLINE void orthogonalise_together(TurningColumns<D, N, L, C>* columns, D* scale) {
  constexpr PairRounds<N> kRounds;
#pragma GCC unroll 6
  for (int i = 0; i < N * P; ++i) scale[i] = all_lanes<D>(1.0);
  if constexpr (N > 1) {
    D limit[P];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) limit[p] = all_lanes<D>(5e-15);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      D norm[P][N], least[P][N], worst[P];
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) {
        begin_sweep(columns[p], scale + N * p, limit[p], norm[p], least[p]);
        worst[p] = all_lanes<D>(0.0);
      }
#pragma GCC unroll 15
      for (int pair = 0; pair < PairRounds<N>::kPairs; ++pair) {
#pragma GCC unroll 2
        for (int p = 0; p < P; ++p) {
          worst[p] = larger(worst[p], turn_columns(columns[p], scale + N * p, norm[p], least[p], kRounds.first[pair],
                                                   kRounds.second[pair]));
        }
      }
      bool go_on = false;
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) {
        const Mask<D> again = worst[p] > 0.0;
        limit[p] = select(again, limit[p], all_lanes<D>(__builtin_inf()));
        go_on = go_on || any(again);
      }
      if (!go_on) break;
    }
  }
}

// Three numbers along the axes of their covariance --------------------------------------------------------------------

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
