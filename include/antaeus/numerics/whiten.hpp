#pragma once
/// \file
/// Whitening of rows whose errors are correlated, in memory that the caller has.

#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/core/types.hpp"

/// Before a loop whose columns do not overlap: the compiler need not ask before it takes several rows at once.
#ifdef __clang__
#define ANTAEUS_ROWS_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define ANTAEUS_ROWS_APART _Pragma("GCC ivdep")
#endif

namespace antaeus {

/// Replaces \p R by its lower Cholesky factor F, R = F Fᵀ; what stands above the diagonal is left as it was. A row with
/// infinity on the diagonal is no evidence: it becomes one of the identity, so that it touches no other.
/// \return false unless the rest of R is positive definite and finite. \realtime (conditioning_realtime_test)
template <class Matrix>
bool factor_noise(Matrix&& R) noexcept {
  const Eigen::Index m = R.rows();
  for (Eigen::Index i = 0; i < m; ++i) {
    if (R(i, i) != kInfinity) continue;
    R.row(i).setZero();
    R.col(i).setZero();
    R(i, i) = 1.0;
  }
  // By hand, in place and on bare columns: at 7 to 15 rows expressions cost more than their arithmetic. Two columns a
  // pass, or loads and stores take the time.
  double* const first = R.data();
  const Eigen::Index stride = R.outerStride();
  for (Eigen::Index j = 0; j < m; ++j) {
    double* const column = first + j * stride;
    Eigen::Index k = 0;
    for (; k + 1 < j; k += 2) {
      const double *const one = first + k * stride, *const two = one + stride;
      const double share = one[j], other_share = two[j];
      if (share == 0.0 && other_share == 0.0) continue;
      ANTAEUS_ROWS_APART
      for (Eigen::Index i = j; i < m; ++i) column[i] -= share * one[i] + other_share * two[i];
    }
    if (k < j) {
      const double* const one = first + k * stride;
      const double share = one[j];
      ANTAEUS_ROWS_APART
      for (Eigen::Index i = j; i < m; ++i) column[i] -= share * one[i];
    }
    const double pivot = column[j];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    const double scale = 1.0 / std::sqrt(pivot);
    for (Eigen::Index i = j; i < m; ++i) column[i] *= scale;
  }
  return true;
}

/// rows := F⁻¹ rows. \realtime
template <class Factor, class Rows>
void whiten(const Factor& F, Rows&& rows) noexcept {
  const Eigen::Index m = F.rows(), stride = F.outerStride();
  const double* const first = F.data();
  for (Eigen::Index c = 0; c < rows.cols(); ++c) {
    double* const column = rows.data() + c * rows.outerStride();
    for (Eigen::Index i = 0; i < m; ++i) {
      const double* const other = first + i * stride;
      const double value = column[i] /= other[i];
      if (value == 0.0) continue;
      for (Eigen::Index k = i + 1; k < m; ++k) column[k] -= value * other[k];
    }
  }
}

/// T := F⁻¹, lower triangular; what stands above the diagonal is left as it was. (F Fᵀ)⁻¹ has the columns' squares on
/// its diagonal. \realtime
template <class Factor, class Matrix>
void invert_factor(const Factor& F, Matrix&& T) noexcept {
  const Eigen::Index m = F.rows(), stride = F.outerStride();
  const double* const first = F.data();
  for (Eigen::Index i = 0; i < m; ++i) T(i, i) = 1.0 / F(i, i);
  for (Eigen::Index j = 0; j < m; ++j) {
    double* const column = T.data() + j * T.outerStride();
    for (Eigen::Index k = j + 1; k < m; ++k) column[k] = 0.0;
    // Two columns of F a pass, as above.
    for (Eigen::Index i = j; i < m; i += 2) {
      const double *const one = first + i * stride, *const two = one + stride;
      const double value = i == j ? column[i] : column[i] * T(i, i);
      column[i] = value;
      if (i + 1 == m) break;
      const double next = (column[i + 1] - value * one[i + 1]) * T(i + 1, i + 1);
      column[i + 1] = next;
      ANTAEUS_ROWS_APART
      for (Eigen::Index k = i + 2; k < m; ++k) column[k] -= value * one[k] + next * two[k];
    }
  }
}

}  // namespace antaeus
