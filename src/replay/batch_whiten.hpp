#pragma once
/// \file
/// Rows divided by their noise, over lanes. Infinity: a row is no evidence and becomes zero; a variance that is none
/// makes all numbers of the block NaN.

#include "replay/batch_kinematics.hpp"

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

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
