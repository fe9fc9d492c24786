#pragma once
// What three-tier and smooth damping share: the damped inverse of a decomposed matrix and its derivative.
#include <limits>

#include "antaeus/numerics/small_svd.hpp"

namespace antaeus::detail {

/// Matrices that the computation needs, of the caller's memory.
struct DampedInverse {
  MatrixX& inverse;       // columns × rows
  MatrixX& rate;          // columns × rows
  MatrixX& gram_inverse;  // rows × rows: (JJᵀ + λ²E)⁻¹
  MatrixX& change;        // rows × rows
  MatrixX& scaled;        // columns × rows
};

/// J# = V diag(s/(s² + λ²)) Uᵀ. Exact for λ = 0 and full rank.
inline void write_inverse(const SmallSvd& svd, double lambda, const DampedInverse& out) noexcept {
  const auto sigma = svd.sigma();
  for (int i = 0; i < sigma.size(); ++i) {
    const double s = sigma[i];
    out.scaled.col(i) = svd.V().col(i) * (s > 0.0 ? 1.0 / (s + (lambda > 0.0 ? lambda * (lambda / s) : 0.0)) : 0.0);
  }
  out.inverse.noalias() = out.scaled.lazyProduct(svd.U().transpose());
}

/// d/dt Jᵀ(JJᵀ + λ²E)⁻¹ = J̇ᵀA⁻¹ − J#(J̇Jᵀ + JJ̇ᵀ + (λ²)˙E)A⁻¹, after write_inverse. For λ = 0 and full row rank it is
/// that of the (Moore-Penrose) inverse.
inline void write_rate(const SmallSvd& svd, const ConstMatrixRef& J, const ConstMatrixRef& J_dot, double lambda,
                       double lambda_squared_dot, const DampedInverse& out) noexcept {
  const auto sigma = svd.sigma();
  const auto U = svd.U();
  out.gram_inverse.setZero();
  for (int i = 0; i < sigma.size(); ++i) {
    const double weight = 1.0 / (sigma[i] * sigma[i] + lambda * lambda);
    for (Eigen::Index j = 0; j < U.rows(); ++j) out.gram_inverse.col(j) += (weight * U(j, i)) * U.col(i);
  }
  out.change.noalias() = J_dot.lazyProduct(J.transpose());
  for (int i = 0; i < out.change.rows(); ++i) {
    out.change(i, i) = 2.0 * out.change(i, i) + lambda_squared_dot;
    for (int j = 0; j < i; ++j) out.change(i, j) = out.change(j, i) = out.change(i, j) + out.change(j, i);
  }
  out.scaled = J_dot.transpose();
  out.scaled.noalias() -= out.inverse.lazyProduct(out.change);
  out.rate.noalias() = out.scaled.lazyProduct(out.gram_inverse);
}

/// dσ_min/dt = uᵀJ̇v.
inline double smallest_rate(const SmallSvd& svd, const ConstMatrixRef& J_dot) noexcept {
  const auto last = svd.sigma().size() - 1;
  double rate = 0.0;
  for (Eigen::Index j = 0; j < J_dot.cols(); ++j) rate += svd.U().col(last).dot(J_dot.col(j)) * svd.V()(j, last);
  return rate;
}

inline double condition_of(const SmallSvd& svd) noexcept {
  const auto sigma = svd.sigma();
  const double least = sigma[sigma.size() - 1];
  return least > 0.0 ? sigma[0] / least : std::numeric_limits<double>::infinity();
}

}  // namespace antaeus::detail
