#include "antaeus/numerics/redundancy.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/numerics/condition_number.hpp"

namespace antaeus {

namespace {

/// Singular values below this share of the largest are zero: rounding of a Jacobian, far below any noise.
constexpr double kRankTolerance = 1e-10;

}  // namespace

Redundancy::Redundancy(int max_rows, int max_unknowns, double noncentrality)
    : max_rows_(max_rows), max_unknowns_(max_unknowns), noncentrality_(noncentrality), svd_(max_rows, max_unknowns) {
  numbers_.setConstant(max_rows, kNaN);
  bias_.setConstant(max_rows, kNaN);
  whitened_.setZero(max_rows, max_unknowns);
}

Status Redundancy::fail(Status status) noexcept {
  status_ = status;
  numbers_.setConstant(kNaN);
  bias_.setConstant(kNaN);
  total_ = condition_ = sigma_min_ = kNaN;
  rank_ = 0;
  return status;
}

Status Redundancy::compute(const ConstMatrixRef& A, const ConstVectorRef& variance,
                           const ConstVectorRef& scale) noexcept {
  m_ = 0;
  const Eigen::Index n = A.cols();
  if (A.rows() > max_rows_ || n > max_unknowns_ || variance.size() != A.rows() || scale.size() != n) {
    return fail(Status::wrong_size);
  }
  m_ = A.rows();
  auto whitened = whitened_.topLeftCorner(m_, n);
  int evidence = 0;
  for (Eigen::Index i = 0; i < m_; ++i) {
    if (!(variance[i] > 0)) return fail(Status::not_finite);
    const bool known = std::isfinite(variance[i]);
    evidence += known;
    const double weight = known ? 1.0 / std::sqrt(variance[i]) : 0.0;
    for (Eigen::Index j = 0; j < n; ++j) whitened(i, j) = known ? weight * A(i, j) * scale[j] : 0.0;
  }
  if (const Status status = svd_.compute(whitened); status != Status::ok) return fail(status);
  const auto sigma = svd_.sigma();
  rank_ = std::max(0, svd_.rank(kRankTolerance));
  condition_ = condition_number(sigma);
  sigma_min_ = sigma.size() > 0 ? sigma[sigma.size() - 1] : kNaN;
  const auto U = svd_.U();
  for (Eigen::Index i = 0; i < m_; ++i) {
    if (!std::isfinite(variance[i])) {
      numbers_[i] = bias_[i] = kNaN;
      continue;
    }
    const double rho = std::clamp(1.0 - U.row(i).head(rank_).squaredNorm(), 0.0, 1.0);
    numbers_[i] = rho;
    bias_[i] = rho > kUndetectable ? std::sqrt(variance[i] / rho) * noncentrality_ : kInfinity;
  }
  total_ = evidence - rank_;
  status_ = Status::ok;
  return status_;
}

}  // namespace antaeus
