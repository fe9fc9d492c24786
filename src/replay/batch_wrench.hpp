#pragma once
/// \file
/// The wrench of least norm that explains an endpoint's torques best, and the singular values of its Jacobian, over
/// lanes: Householder's QR of Jᵀ, then rotations of the columns of Rᵀ.

#include "replay/batch_jacobi.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Wrench and singular values from orthogonal columns. \p w  in the rows' order of the columns
template <class D, int N>
ANTAEUS_LANES_INLINE void read_columns(const WrenchColumns<D, N>& columns, const D* scale, double relative_tolerance,
                                       D* w, D* sigma, D& rank) {
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  const auto& x = columns.x;
  D size[N], largest = zero, trace = zero;
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
    size[i] = x[i][0] * x[i][0];
#pragma GCC unroll 5
    for (int k = 1; k < 6; ++k) size[i] = size[i] + x[i][k] * x[i][k];
    sigma[i] = square_root(D(size[i] * scale[i]));
    largest = larger(largest, sigma[i]);
    // 0, or NaN where a column is not finite: rotations by nothing make NaN of it only while other lanes turn.
    trace = trace + (size[i] - size[i]) + (x[i][6] - x[i][6]);
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) w[k] = trace;
  rank = trace;
  const D least = relative_tolerance * largest;
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
    const Mask<D> counts = sigma[i] > least;
    const D share = select(counts, D(x[i][6] / select(counts, size[i], one)), zero);
    rank = rank + select(counts, one, zero);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) w[k] = w[k] + share * x[i][k];
  }
  // Largest first.
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) sigma[i] = sigma[i] + trace;
#pragma GCC unroll 6
  for (int i = N; i < 6; ++i) sigma[i] = trace;
#pragma GCC unroll 6
  for (int end = N - 1; end > 0; --end) {
#pragma GCC unroll 6
    for (int i = 0; i < end; ++i) {
      const D a = sigma[i], b = sigma[i + 1];
      sigma[i] = larger(a, b);
      sigma[i + 1] = smaller(a, b);
    }
  }
}

/// R of A = QR, and Qᵀ r in place of r. A has S rows (0: \p rows of them) and 6 columns; entry (i, k) is A[6 i + k].
template <class D, int S>
ANTAEUS_LANES_INLINE void factorise(D* A, D* r, int rows) {
  const int n = S > 0 ? S : rows;
  const D zero = all_lanes<D>(0.0);
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    D below = zero;
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) below = below + A[6 * i + k] * A[6 * i + k];
    const D top = A[6 * k + k];
    const D norm = square_root(D(below + top * top));
    const D size = select(top < 0.0, D(-top), top);
    const D v = select(top < 0.0, D(top - norm), D(top + norm));
    const D denominator = norm * (norm + size);
    const Mask<D> some = denominator > 0.0;
    // A column that is zero stays; NaN is carried on by the sums.
    const D beta = select(some, D(1.0 / select(some, denominator, all_lanes<D>(1.0))), D(denominator - denominator));
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) {
      D s = v * A[6 * k + j];
#pragma GCC unroll 16
      for (int i = k + 1; i < n; ++i) s = s + A[6 * i + k] * A[6 * i + j];
      s = s * beta;
      A[6 * k + j] = A[6 * k + j] - s * v;
#pragma GCC unroll 16
      for (int i = k + 1; i < n; ++i) A[6 * i + j] = A[6 * i + j] - s * A[6 * i + k];
    }
    D s = v * r[k];
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) s = s + A[6 * i + k] * r[i];
    s = s * beta;
    r[k] = r[k] - s * v;
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) r[i] = r[i] - s * A[6 * i + k];
    A[6 * k + k] = select(top < 0.0, norm, D(-norm)) + D(below - below);
  }
}

/// Of fewer than six joints: their rows are the columns that turn. Overwrites nothing.
template <class D, int N>
void solve_few(const D* A, const D* r, double relative_tolerance, D* w, D* sigma, D& rank) {
  WrenchColumns<D, N> columns;
  D scale[N];
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) columns.x[i][k] = A[6 * i + k];
    columns.x[i][6] = r[i];
  }
  orthogonalise(columns, scale);
  read_columns<D, N>(columns, scale, relative_tolerance, w, sigma, rank);
}

/// Of six joints and more. Overwrites A and r.
template <class D, int S>
void solve_many(D* A, D* r, int rows, double relative_tolerance, D* w, D* sigma, D& rank) {
  factorise<D, S>(A, r, rows);
  WrenchColumns<D, 6> columns;
  D scale[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) columns.x[i][k] = k < i ? all_lanes<D>(0.0) : A[6 * i + k];
    columns.x[i][6] = r[i];
  }
  orthogonalise(columns, scale);
  read_columns<D, 6>(columns, scale, relative_tolerance, w, sigma, rank);
}

/// r = A w in the sense of least squares, w of least norm. \param A  rows × 6, row by row; overwritten, as r is
template <class D>
ANTAEUS_LANES_INLINE void solve_wrench(D* A, D* r, int rows, double relative_tolerance, D* w, D* sigma, D& rank) {
  switch (rows) {
    case 0: {
      const D zero = all_lanes<D>(0.0);
      for (int k = 0; k < 6; ++k) w[k] = sigma[k] = zero;
      rank = zero;
      return;
    }
    case 1: return solve_few<D, 1>(A, r, relative_tolerance, w, sigma, rank);
    case 2: return solve_few<D, 2>(A, r, relative_tolerance, w, sigma, rank);
    case 3: return solve_few<D, 3>(A, r, relative_tolerance, w, sigma, rank);
    case 4: return solve_few<D, 4>(A, r, relative_tolerance, w, sigma, rank);
    case 5: return solve_few<D, 5>(A, r, relative_tolerance, w, sigma, rank);
    case 6: return solve_many<D, 6>(A, r, rows, relative_tolerance, w, sigma, rank);
    case 7: return solve_many<D, 7>(A, r, rows, relative_tolerance, w, sigma, rank);
    case 8: return solve_many<D, 8>(A, r, rows, relative_tolerance, w, sigma, rank);
    default: return solve_many<D, 0>(A, r, rows, relative_tolerance, w, sigma, rank);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
