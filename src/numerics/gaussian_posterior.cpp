#include "antaeus/numerics/gaussian_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/numerics/whiten.hpp"
#include "core/decompositions.hpp"

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
  turned_.setZero(n * n);
  left_.setZero(m);
  noise_factor_.setZero(m * m);
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

bool GaussianPosterior::take(Eigen::Index rows, Eigen::Index unknowns, bool fits) noexcept {
  m_ = n_ = 0;
  if (!fits || rows > max_rows_ || unknowns > max_unknowns_) return false;
  m_ = rows;
  n_ = unknowns;
  evidence_ = 0;
  return true;
}

Status GaussianPosterior::compute(const ConstMatrixRef& A, const ConstVectorRef& y, const ConstVectorRef& variance,
                                  const ConstMatrixRef& prior_factor) noexcept {
  const bool fits = y.size() == A.rows() && variance.size() == A.rows() && prior_factor.rows() == A.cols() &&
                    prior_factor.cols() == A.cols();
  if (!take(A.rows(), A.cols(), fits)) return fail(Status::wrong_size);
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
  Eigen::Map<MatrixX> B(scaled_.data(), m_, n_);
  // lazyProduct: at these sizes (7 × 6) the general product's blocking costs more than the product.
  B = A.lazyProduct(prior_factor);
  B.array().colwise() *= weight_.head(m_).array();
  if (const Status status = solve_whitened(prior_factor, log_variance); status != Status::ok) return fail(status);
  Eigen::Map<MatrixX>(gain_.data(), n_, m_).array().rowwise() *= weight_.head(m_).transpose().array();
  return status_;
}

Status GaussianPosterior::compute_correlated(const ConstMatrixRef& A, const ConstVectorRef& y, const ConstMatrixRef& R,
                                             const ConstMatrixRef& prior_factor) noexcept {
  const bool fits = y.size() == A.rows() && R.rows() == A.rows() && R.cols() == A.rows() &&
                    prior_factor.rows() == A.cols() && prior_factor.cols() == A.cols();
  if (!take(A.rows(), A.cols(), fits)) return fail(Status::wrong_size);
  Eigen::Map<MatrixX> B(scaled_.data(), m_, n_), factor(noise_factor_.data(), m_, m_), K(gain_.data(), n_, m_);
  auto whitened = whitened_.head(m_);
  factor = R;
  whitened = y;
  for (Eigen::Index i = 0; i < m_; ++i) {
    const bool evidence = R(i, i) != kInfinity;
    if (evidence && !std::isfinite(y[i])) return fail(Status::not_finite);
    weight_[i] = evidence ? 1.0 : 0.0;
    evidence_ += evidence;
  }
  if (!factor_noise(factor)) return fail(Status::not_finite);
  double log_variance = 0.0;
  for (Eigen::Index i = 0; i < m_; ++i) {
    if (weight_[i] == 0.0) whitened[i] = 0.0;
    log_variance += 2.0 * std::log(factor(i, i));
  }
  B = A.lazyProduct(prior_factor);
  B.array().colwise() *= weight_.head(m_).array();
  whiten(factor, B);
  whiten(factor, whitened);
  if (const Status status = solve_whitened(prior_factor, log_variance); status != Status::ok) return fail(status);
  // K of whitened rows times factor⁻¹, column by column from the last.
  for (Eigen::Index i = m_ - 1; i >= 0; --i) {
    for (Eigen::Index j = i + 1; j < m_; ++j) K.col(i) -= factor(j, i) * K.col(j);
    K.col(i) *= weight_[i] / factor(i, i);
  }
  return status_;
}

/// From B and the whitened y; leaves the gain on whitened rows.
Status GaussianPosterior::solve_whitened(const ConstMatrixRef& prior_factor, double log_variance) noexcept {
  const Eigen::Index k = std::min(m_, n_);
  Eigen::Map<MatrixX> B(scaled_.data(), m_, n_), T(turned_.data(), n_, k), K(gain_.data(), n_, m_),
      C(covariance_.data(), n_, n_);
  Eigen::Map<VectorX> mean(mean_.data(), n_);
  const auto whitened = whitened_.head(m_);
  if (const Status status = svd_.compute(B); status != Status::ok) return status;
  const auto sigma = svd_.sigma();
  const auto U = svd_.U(), V = svd_.V();

  // C = L (V diag(1/(1+σ²)) Vᵀ + I − VVᵀ) Lᵀ: what V does not span has kept its prior.
  T = prior_factor.lazyProduct(V);
  if (k < n_) {
    C = prior_factor.lazyProduct(prior_factor.transpose());
    C -= T.lazyProduct(T.transpose());
  } else {
    C.setZero();
  }
  double log_determinant = log_variance;
  mean.setZero();
  double explained = 0.0;
  misfit_ = 0.0;
  misfit_rows_ = evidence_;
  left_.head(m_) = whitened;
  for (Eigen::Index i = 0; i < k; ++i) {
    const double information = 1.0 + sigma[i] * sigma[i], along = U.col(i).dot(whitened);
    const auto direction = T.col(i);
    // A symmetric update by hand: rankUpdate allocates.
    for (Eigen::Index c = 0; c < n_; ++c) C.col(c) += (direction[c] / information) * direction;
    mean += (sigma[i] * along / information) * direction;
    left_.head(m_) -= along * U.col(i);
    log_determinant += std::log(information);
    const bool felt = sigma[i] >= kFelt;
    (felt ? explained : misfit_) += along * along / information;
    misfit_rows_ -= felt;
  }
  for (Eigen::Index i = 0; i < k; ++i) T.col(i) *= sigma[i] / (1.0 + sigma[i] * sigma[i]);
  K = T.lazyProduct(U.transpose());
  misfit_ += left_.head(m_).squaredNorm();
  nis_ = misfit_ + explained;
  null_nis_ = whitened.squaredNorm();
  log_evidence_ = -0.5 * (nis_ + log_determinant + evidence_ * std::log(2.0 * std::numbers::pi));
  // Finite numbers whose squares or products overflow.
  if (!mean.allFinite() || !C.allFinite() || !std::isfinite(nis_ + null_nis_)) return Status::not_finite;
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
