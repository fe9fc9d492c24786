#pragma once
/// \file
/// Whitening of rows whose errors are correlated, in memory that the caller has.

#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/core/types.hpp"

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
  // By hand and in place: Eigen's LLT works on its own copy.
  for (Eigen::Index j = 0; j < m; ++j) {
    auto column = R.col(j).tail(m - j);
    for (Eigen::Index k = 0; k < j; ++k) column -= R(j, k) * R.col(k).tail(m - j);
    const double pivot = R(j, j);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    column /= std::sqrt(pivot);
  }
  return true;
}

/// rows := F⁻¹ rows. \realtime
template <class Factor, class Rows>
void whiten(const Factor& F, Rows&& rows) noexcept {
  const Eigen::Index m = F.rows();
  for (Eigen::Index c = 0; c < rows.cols(); ++c) {
    auto column = rows.col(c);
    for (Eigen::Index i = 0; i < m; ++i) {
      column[i] /= F(i, i);
      column.tail(m - 1 - i) -= column[i] * F.col(i).tail(m - 1 - i);
    }
  }
}

}  // namespace antaeus
