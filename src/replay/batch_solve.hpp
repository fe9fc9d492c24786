#pragma once
/// \file
/// A block's rows divided by their noise and solved with their prior, over lanes.
///
/// A row whose variance is infinite is no evidence and becomes zero; a variance that is none makes all numbers of the
/// block NaN. As in antaeus::GaussianPosterior all is unit-scaled: with w = L z and B = R^-½ A L the rows of [1; B] z =
/// [0; y] are solved by Householder's QR (Golub & Van Loan, "Matrix Computations", §5.2 and §6.1). The triangle T has
/// no entry below 1 on its diagonal, C = L U Uᵀ Lᵀ with U = T⁻¹, and what is left of y, squared, is the NIS.

#include "replay/batch_kinematics.hpp"
#include "replay/batch_wrench.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Says which rows are evidence, by their variances, and clears the others. \return how many they are
template <class D>
ANTAEUS_LANES_INLINE D count_evidence(D* B, D* y, D* evidence, int rows) {
  const D zero = all_lanes<D>(0.0);
  D count = zero;
  for (int i = 0; i < rows; ++i) count = count + evidence[i];
  if (!any(count < static_cast<double>(rows))) return count;
  for (int i = 0; i < rows; ++i) {
    const Mask<D> none = evidence[i] == 0.0;
    for (int k = 0; k < 6; ++k) B[6 * i + k] = select(none, zero, B[6 * i + k]);
    y[i] = select(none, zero, y[i]);
  }
  return count;
}

/// 1 of a row that is evidence, 0 of one with an infinite variance.
template <class D>
ANTAEUS_LANES_INLINE D evidence_of(const D& variance) {
  return select(variance == __builtin_inf(), all_lanes<D>(0.0), all_lanes<D>(1.0));
}

/// Rows whose errors have nothing to do with each other; \p weight is one over their sd.
template <class D>
ANTAEUS_LANES_INLINE D weight_of(const D& variance) {
  return select(variance > 0.0, D(1.0 / square_root(variance)), all_lanes<D>(__builtin_nan("")));
}

/// Replaces R by its Cholesky factor F, lower triangles row by row, with one over its diagonal on the diagonal; a row
/// that is no evidence becomes one of the identity.
template <class D, int S>
ANTAEUS_LANES_INLINE void factor_noise(D* R, const D* evidence, bool whole, int given) {
  const int rows = S > 0 ? S : given;
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  for (int i = 0; i < rows && !whole; ++i) {
    const Mask<D> none = evidence[i] == 0.0;
    for (int j = 0; j < i; ++j) R[rows * i + j] = select(none, zero, R[rows * i + j]);
    R[rows * i + i] = select(none, one, R[rows * i + i]);
    for (int j = i + 1; j < rows; ++j) R[rows * j + i] = select(none, zero, R[rows * j + i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j <= i; ++j) {
      D sum = R[rows * i + j];
#pragma GCC unroll 8
      for (int k = 0; k < j; ++k) sum = sum - R[rows * i + k] * R[rows * j + k];
      R[rows * i + j] = j < i ? D(sum * R[rows * j + j]) : weight_of(sum);
    }
  }
}

/// B := F⁻¹ B and y := F⁻¹ y. \param F  as factor_noise() leaves it
template <class D, int S>
ANTAEUS_LANES_INLINE void whiten(const D* F, D* B, D* y, int given) {
  const int rows = S > 0 ? S : given;
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    D row[6], right = y[i];
#pragma GCC unroll 6
    for (int c = 0; c < 6; ++c) row[c] = B[6 * i + c];
#pragma GCC unroll 8
    for (int k = 0; k < i; ++k) {
      const D share = F[rows * i + k];
#pragma GCC unroll 6
      for (int c = 0; c < 6; ++c) row[c] = row[c] - share * B[6 * k + c];
      right = right - share * y[k];
    }
    const D weight = F[rows * i + i];
#pragma GCC unroll 6
    for (int c = 0; c < 6; ++c) B[6 * i + c] = row[c] * weight;
    y[i] = right * weight;
  }
}

template <class D, int S>
void whiten_together(D* R, D* B, D* y, const D* evidence, bool whole, int rows) {
  factor_noise<D, S>(R, evidence, whole, rows);
  whiten<D, S>(R, B, y, rows);
}

/// Rows whose errors are correlated. \param R  lower triangle row by row; overwritten \param whole  all are evidence
template <class D>
ANTAEUS_LANES_INLINE void whiten_together(D* R, D* B, D* y, const D* evidence, bool whole, int rows) {
  switch (rows) {
    case 6: return whiten_together<D, 6>(R, B, y, evidence, whole, rows);
    case 7: return whiten_together<D, 7>(R, B, y, evidence, whole, rows);
    default: return whiten_together<D, 0>(R, B, y, evidence, whole, rows);
  }
}

// With the prior ------------------------------------------------------------------------------------------------------

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
