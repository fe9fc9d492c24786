#pragma once
/// \file
/// A block's whitened rows solved with their prior, over lanes.
///
/// As in antaeus::GaussianPosterior all is unit-scaled: with w = L z and B = R^-½ A L the rows of [1; B] z = [0; y] are
/// solved by Householder's QR (Golub & Van Loan, "Matrix Computations", §5.2 and §6.1). The triangle T has no entry
/// below 1 on its diagonal, C = L U Uᵀ Lᵀ with U = T⁻¹, and what is left of y, squared, is the NIS.

#include "replay/batch_wrench.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// A block's solution in whitened unknowns.
template <class D>
struct Whitened {
  D U[6][6];   ///< upper triangle
  D force[6];  ///< of T its last three rows and columns: 00 01 02 11 12 22
  D z[6];
  D remainder;  ///< squared: what is left of y without a prior, where there are more than six rows
  D nis;
};

/// QR of [1; B] with \p rows rows of B: an upper triangle, or dense ones. Overwrites B and y.
template <class D, bool kTriangle>
ANTAEUS_LANES_INLINE void add_prior(D* B, D* y, int rows, Whitened<D>& result) {
  const D zero = all_lanes<D>(0.0);
  D T[6][6], d[6], inverse[6];  // T without its diagonal
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const int n = kTriangle ? k + 1 : rows;
    D below = zero;
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) below = below + B[6 * i + k] * B[6 * i + k];
    const D square = 1.0 + below, norm = square_root(square);
    const D beta = 1.0 / (square + norm);
    inverse[k] = 1.0 / norm;
    if (k > 2) result.force[k == 3 ? 0 : k == 4 ? 3 : 5] = norm;
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) {
      D s = zero;
#pragma GCC unroll 6
      for (int i = 0; i < n; ++i) s = s + B[6 * i + k] * B[6 * i + j];
      T[k][j] = s * inverse[k];
      s = s * beta;
#pragma GCC unroll 6
      for (int i = 0; i < n; ++i) B[6 * i + j] = B[6 * i + j] - s * B[6 * i + k];
    }
    D s = zero;
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) s = s + B[6 * i + k] * y[i];
    d[k] = s * inverse[k];
    s = s * beta;
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) y[i] = y[i] - s * B[6 * i + k];
  }
  result.force[1] = T[3][4];
  result.force[2] = T[3][5];
  result.force[4] = T[4][5];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    result.U[j][j] = inverse[j];
#pragma GCC unroll 6
    for (int i = j - 1; i >= 0; --i) {
      D s = T[i][i + 1] * result.U[i + 1][j];
#pragma GCC unroll 6
      for (int k = i + 2; k <= j; ++k) s = s + T[i][k] * result.U[k][j];
      result.U[i][j] = -(s * inverse[i]);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    result.z[i] = result.U[i][i] * d[i];
#pragma GCC unroll 6
    for (int j = i + 1; j < 6; ++j) result.z[i] = result.z[i] + result.U[i][j] * d[j];
  }
}

/// Of six rows and more, which become a triangle: \p B and \p y are left as QR of B alone has them.
template <class D>
void solve_tall(D* B, D* y, int rows, Whitened<D>& result) {
  switch (rows) {
    case 6: factorise<D, 6>(B, y, rows); break;
    case 7: factorise<D, 7>(B, y, rows); break;
    default: factorise<D, 0>(B, y, rows);
  }
  result.remainder = all_lanes<D>(0.0);
  for (int i = 6; i < rows; ++i) result.remainder = result.remainder + y[i] * y[i];
  D triangle[36], right[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    right[i] = y[i];
#pragma GCC unroll 6
    for (int k = i; k < 6; ++k) triangle[6 * i + k] = B[6 * i + k];
  }
  add_prior<D, true>(triangle, right, 6, result);
  result.nis = result.remainder;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) result.nis = result.nis + right[i] * right[i];  // NOLINT(modernize-loop-convert): unroll
}

/// Of fewer rows. Leaves B and y as they are.
template <class D>
void solve_short(const D* B, const D* y, int rows, Whitened<D>& result) {
  D copy[30], right[5];
  for (int i = 0; i < 6 * rows; ++i) copy[i] = B[i];
  for (int i = 0; i < rows; ++i) right[i] = y[i];
  add_prior<D, false>(copy, right, rows, result);
  result.nis = result.remainder = all_lanes<D>(0.0);
  for (int i = 0; i < rows; ++i) result.nis = result.nis + right[i] * right[i];
}

/// What the whitened rows hold along directions that are not felt, and how many are: by singular values. \p B  of
/// N = 6 a triangle \p wanted  other lanes are not worked on
template <class D, int N>
void find_unfelt(const D* B, const D* y, const Mask<D>& wanted, double least, D& unfelt, D& felt) {
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  WrenchColumns<D, N> columns;
  D scale[N];
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < 6; ++k) columns.x[i][k] = N == 6 && k < i ? zero : select(wanted, B[6 * i + k], zero);
    columns.x[i][6] = select(wanted, y[i], zero);
  }
  orthogonalise(columns, scale);
  unfelt = felt = zero;
  for (int i = 0; i < N; ++i) {
    const auto& x = columns.x[i];
    D size = x[0] * x[0];
    for (int k = 1; k < 6; ++k) size = size + x[k] * x[k];
    const D square = size * scale[i];
    const Mask<D> strong = square_root(square) >= least;
    unfelt = unfelt + select(strong, zero, D(x[6] * x[6] * scale[i] / (1.0 + square)));
    // 0, or NaN where a number is not finite, whether or not other lanes turned.
    const D trace = (size - size) + (x[6] - x[6]);
    unfelt = unfelt + trace;
    felt = felt + select(strong, one, zero) + trace;
  }
}

template <class D>
void find_unfelt(const D* B, const D* y, int rows, const Mask<D>& wanted, double least, D& unfelt, D& felt) {
  switch (rows) {
    case 0: unfelt = felt = all_lanes<D>(0.0); return;
    case 1: return find_unfelt<D, 1>(B, y, wanted, least, unfelt, felt);
    case 2: return find_unfelt<D, 2>(B, y, wanted, least, unfelt, felt);
    case 3: return find_unfelt<D, 3>(B, y, wanted, least, unfelt, felt);
    case 4: return find_unfelt<D, 4>(B, y, wanted, least, unfelt, felt);
    case 5: return find_unfelt<D, 5>(B, y, wanted, least, unfelt, felt);
    default: return find_unfelt<D, 6>(B, y, wanted, least, unfelt, felt);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
