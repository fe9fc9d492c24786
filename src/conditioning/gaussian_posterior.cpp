#include "antaeus/conditioning/gaussian_posterior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

GaussianPosterior::GaussianPosterior(int max_rows, int max_unknowns)
    : max_rows_(max_rows), max_unknowns_(max_unknowns), svd_(std::max(max_rows, 0), std::max(max_unknowns, 0)) {
  if (max_rows < 0 || max_unknowns < 0) throw Error("GaussianPosterior", "negative size", "give zero or more");
  const Eigen::Index m = max_rows, n = max_unknowns;
  mean_.setConstant(n, kNaN);
  covariance_.setConstant(n * n, kNaN);
  gain_.setConstant(n * m, kNaN);
  weight_.setZero(m);
  whitened_.setZero(m);
  scaled_.setZero(m * n);
  information_.setZero(n * n);
  factor_.setZero(n * n);
  half_gain_.setZero(n * m);
  z_.setZero(n);
}

Status GaussianPosterior::fail(Status status) noexcept {
  status_ = status;
  mean_.setConstant(kNaN);
  covariance_.setConstant(kNaN);
  gain_.setConstant(kNaN);
  nis_ = null_nis_ = misfit_ = log_evidence_ = kNaN;
  evidence_ = misfit_rows_ = 0;
  return status;
}

Status GaussianPosterior::compute(const ConstMatrixRef& A, const ConstVectorRef& y, const ConstVectorRef& variance,
                                  const ConstMatrixRef& prior_factor) noexcept {
  m_ = n_ = 0;
  if (A.rows() > max_rows_ || A.cols() > max_unknowns_ || y.size() != A.rows() || variance.size() != A.rows() ||
      prior_factor.rows() != A.cols() || prior_factor.cols() != A.cols()) {
    return fail(Status::wrong_size);
  }
  m_ = A.rows();
  n_ = A.cols();
  evidence_ = 0;
  double log_variance = 0.0;
  for (Eigen::Index i = 0; i < m_; ++i) {
    if (!(variance[i] > 0)) return fail(Status::not_finite);
    const bool evidence = std::isfinite(variance[i]);
    if (evidence && !std::isfinite(y[i])) return fail(Status::not_finite);
    weight_[i] = evidence ? 1.0 / std::sqrt(variance[i]) : 0.0;
    whitened_[i] = evidence ? weight_[i] * y[i] : 0.0;
    if (evidence) log_variance += std::log(variance[i]);
    evidence_ += evidence;
  }
  Eigen::Map<MatrixX> B(scaled_.data(), m_, n_), G(information_.data(), n_, n_), X(factor_.data(), n_, n_),
      H(half_gain_.data(), n_, m_), K(gain_.data(), n_, m_), C(covariance_.data(), n_, n_);
  Eigen::Map<VectorX> z(z_.data(), n_), mean(mean_.data(), n_);
  const auto weight = weight_.head(m_);
  const auto whitened = whitened_.head(m_);
  // lazyProduct: at these sizes (7 × 6) the general product's blocking costs more than the product.
  B = A.lazyProduct(prior_factor);
  B.array().colwise() *= weight.array();
  if (!B.allFinite()) return fail(Status::not_finite);
  G = B.transpose().lazyProduct(B);
  G.diagonal().array() += 1.0;
  // G = R Rᵀ in place; no eigenvalue is below 1, so it cannot fail on finite numbers.
  if (Eigen::internal::llt_inplace<double, Eigen::Lower>::unblocked(G) >= 0) return fail(Status::not_finite);
  const auto R = G.triangularView<Eigen::Lower>();
  X = prior_factor.transpose();
  R.solveInPlace(X);  // X = R⁻¹ Lᵀ, C = XᵀX
  H = B.transpose();
  if (m_ > 0) R.solveInPlace(H);  // H = R⁻¹ Bᵀ, K = Xᵀ H diag(weight)
  C = X.transpose().lazyProduct(X);
  K = X.transpose().lazyProduct(H);
  K.array().rowwise() *= weight.transpose().array();
  z.noalias() = H.lazyProduct(whitened);
  mean.noalias() = X.transpose().lazyProduct(z);
  R.transpose().solveInPlace(z);
  // Residual and departure from the prior at the optimum: the same number as yᵀS⁻¹y, without its cancellation.
  double left_over = 0.0;
  for (Eigen::Index i = 0; i < m_; ++i) {
    const double left = whitened[i] - B.row(i).dot(z);
    left_over += left * left;
  }
  nis_ = left_over + z.squaredNorm();
  null_nis_ = whitened.squaredNorm();
  if (const Status status = svd_.compute(B); status != Status::ok) return fail(status);
  const auto sigma = svd_.sigma();
  const auto U = svd_.U();
  double explained = 0.0;
  misfit_rows_ = evidence_;
  for (Eigen::Index i = 0; i < sigma.size() && sigma[i] >= kFelt; ++i) {
    const double along = U.col(i).dot(whitened);
    explained += along * along / (1.0 + sigma[i] * sigma[i]);
    --misfit_rows_;
  }
  misfit_ = std::max(nis_ - explained, 0.0);
  const double log_determinant = log_variance + 2.0 * G.diagonal().array().log().sum();
  log_evidence_ = -0.5 * (nis_ + log_determinant + evidence_ * std::log(2.0 * std::numbers::pi));
  status_ = Status::ok;
  return status_;
}

PrincipalDeviations principal_deviations(const Matrix3& covariance) noexcept {
  PrincipalDeviations result;
  result.deviation.setConstant(kNaN);
  result.direction.setConstant(kNaN);
  if (!covariance.allFinite()) return result;
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(covariance);
  if (solver.info() != Eigen::Success) return result;
  result.deviation = solver.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  result.direction = solver.eigenvectors();
  for (int i = 0; i < 3; ++i) {
    Eigen::Index largest = 0;
    result.direction.col(i).cwiseAbs().maxCoeff(&largest);
    if (result.direction(largest, i) < 0) result.direction.col(i) *= -1.0;
  }
  return result;
}

}  // namespace antaeus
