#pragma once
// The largest and the smallest singular value of a wide matrix of fixed size, without the others: Householder's
// tridiagonal form of ΓΓᵀ and Laguerre's iteration from outside its spectrum. A quarter of a decomposition's cost.
#include <cmath>

#include "antaeus/core/types.hpp"

namespace antaeus {

struct ExtremeSingularValues {
  double largest = kNaN, least = kNaN;
  /// `least` came out too small for ΓΓᵀ to hold it well: ask a decomposition of Γ itself.
  bool doubtful = true;
};

namespace detail {

/// Smallest eigenvalue of the symmetric tridiagonal matrix with this diagonal and these squared off-diagonals, which
/// has none below 0. Laguerre's iteration from there rises and converges cubically. Source: Parlett, "The Symmetric
/// Eigenvalue Problem" (1998); Laguerre (1880).
template <int Size>
double smallest_eigenvalue(const double* diagonal, const double* squares, double scale) noexcept {
  double x = 0.0;
  for (int round = 0; round < 30; ++round) {
    double first = 0.0, second = 0.0;                           // Σ 1/(λ − x), Σ 1/(λ − x)²
    double pivot_rate = 0.0, pivot_curve = 0.0, inverse = 0.0;  // of the last pivot of T − xE
    for (int i = 0; i < Size; ++i) {
      const double square = i > 0 ? squares[i - 1] : 0.0;
      const double ratio = square * inverse * inverse;
      const double pivot = diagonal[i] - x - square * inverse;
      if (!(pivot > 0.0)) return x;  // rounding took it past the eigenvalue
      pivot_curve = ratio * (pivot_curve - 2.0 * pivot_rate * pivot_rate * inverse);
      pivot_rate = ratio * pivot_rate - 1.0;
      inverse = 1.0 / pivot;
      const double slope = pivot_rate * inverse;
      first -= slope;
      second += slope * slope - pivot_curve * inverse;
    }
    const double spread = (Size - 1) * (Size * second - first * first);
    const double step = Size / (first + std::sqrt(spread > 0.0 ? spread : 0.0));
    if (!(step > 0.0)) return x;
    x += step;
    if (step < 1e-6 * x * 1e-3 || step < 1e-17 * scale) return x;  // the next one is cubed
  }
  return x;
}

}  // namespace detail

template <int Rows, int Columns>
ExtremeSingularValues extreme_singular_values(const Eigen::Matrix<double, Rows, Columns>& A) noexcept {
  using Square = Eigen::Matrix<double, Rows, Rows>;
  using Column = Eigen::Matrix<double, Rows, 1>;
  ExtremeSingularValues result;
  Square S;
  S.noalias() = A.lazyProduct(A.transpose());
  const double scale = S.trace();
  if (!std::isfinite(scale) || scale <= 0.0) return result;
  double diagonal[Rows], squares[Rows];
  for (int k = 0; k < Rows; ++k) {
    diagonal[k] = S(k, k);
    squares[k] = 0.0;
    if (k + 2 > Rows - 1) {
      if (k + 1 < Rows) squares[k] = S(k + 1, k) * S(k + 1, k);
      continue;
    }
    // Columns of full length with zeros on top: fixed sizes are faster than short ones.
    Column v = S.col(k);
    v.head(k + 1).setZero();
    const double square = v.squaredNorm();
    squares[k] = square;
    const double length = std::sqrt(square);
    if (length == 0.0) continue;
    v[k + 1] += std::copysign(length, v[k + 1]);
    const double beta = 1.0 / (length * std::abs(v[k + 1]));  // 2/vᵀv
    Column w = Column::Zero();
    for (int j = k + 1; j < Rows; ++j) w += (beta * v[j]) * S.col(j);
    w -= (0.5 * beta * w.dot(v)) * v;
    for (int j = k + 1; j < Rows; ++j) S.col(j) -= v[j] * w + w[j] * v;
  }
  const double least = detail::smallest_eigenvalue<Rows>(diagonal, squares, scale);
  double mirrored[Rows];
  for (int k = 0; k < Rows; ++k) mirrored[k] = scale - diagonal[k];
  const double largest = scale - detail::smallest_eigenvalue<Rows>(mirrored, squares, scale);
  result.largest = std::sqrt(largest);
  result.least = std::sqrt(least);
  result.doubtful = !(least > 1e-6 * largest);
  return result;
}

}  // namespace antaeus
