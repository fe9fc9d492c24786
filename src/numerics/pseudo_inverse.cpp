#include "antaeus/numerics/pseudo_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

InverseReport failed(Status status, MatrixRef& out) noexcept {
  out.setConstant(kNaN);
  return {status, -1, -1, kNaN, kNaN};
}

/// out += f vᵢ uᵢᵀ. Zero entries of uᵢ and vᵢ are most of the work where limbs share no joints.
void add_pair(const Eigen::Map<const MatrixX>& U, const Eigen::Map<const MatrixX>& V, int i, double f, MatrixRef& out) {
  for (Eigen::Index joint = 0; joint < U.rows(); ++joint) {
    const double factor = f * U(joint, i);
    if (factor != 0.0) out.col(joint).noalias() += factor * V.col(i);
  }
}

/// For six columns (one endpoint) the sum over the pairs stays in registers.
void write_six(const Eigen::Map<const MatrixX>& U, const Matrix6& scaled_V, MatrixRef& out) {
  for (Eigen::Index joint = 0; joint < U.rows(); ++joint) {
    Vector6 sum = Vector6::Zero();
    if ((U.row(joint).array() != 0.0).any()) {
      for (int i = 0; i < 6; ++i) sum += U(joint, i) * scaled_V.col(i);
    }
    out.col(joint) = sum;
  }
}

/// V diag(f) Uᵀ. `factor` is called once a singular value and returns f, `kept` says whether it counts as kept.
template <typename Factor, typename Kept>
InverseReport write(const SmallSvd& svd, const Factor& factor, const Kept& kept, MatrixRef& out) noexcept {
  const auto sigma = svd.sigma();
  const auto U = svd.U();
  const auto V = svd.V();
  InverseReport report{Status::ok, 0, 0, kNaN, 0.0};
  const bool six = V.rows() == 6 && V.cols() == 6;
  Matrix6 scaled_V;
  if (!six) out.setZero();
  for (int i = 0; i < sigma.size(); ++i) {
    const double f = factor(sigma[i]);
    report.norm = std::max(report.norm, f);
    if (kept(sigma[i])) {
      ++report.rank;
      report.condition = sigma[0] / sigma[i];
    } else {
      ++report.lost;
    }
    if (six) {
      scaled_V.col(i) = f * V.col(i);
    } else if (f != 0.0) {
      add_pair(U, V, i, f, out);
    }
  }
  if (six) write_six(U, scaled_V, out);
  return report;
}

/// The status of a call with this parameter and this output.
Status check(const SmallSvd& svd, double parameter, const MatrixRef& out) noexcept {
  if (svd.status() != Status::ok) return Status::not_computed;
  if (out.rows() != svd.columns() || out.cols() != svd.rows()) return Status::wrong_size;
  return std::isfinite(parameter) && parameter >= 0.0 ? Status::ok : Status::not_finite;
}

}  // namespace

InverseReport moore_penrose(const SmallSvd& svd, double relative_tolerance, MatrixRef out) noexcept {
  if (const Status status = check(svd, relative_tolerance, out); status != Status::ok) return failed(status, out);
  const double cutoff = svd.sigma().size() > 0 ? relative_tolerance * svd.sigma()[0] : 0.0;
  const auto kept = [cutoff](double sigma) { return sigma > cutoff; };
  return write(svd, [&](double sigma) { return kept(sigma) ? 1.0 / sigma : 0.0; }, kept, out);
}

InverseReport truncated(const SmallSvd& svd, double sigma_min_absolute, MatrixRef out) noexcept {
  if (const Status status = check(svd, sigma_min_absolute, out); status != Status::ok) return failed(status, out);
  const auto kept = [sigma_min_absolute](double sigma) { return sigma >= sigma_min_absolute && sigma > 0.0; };
  return write(svd, [&](double sigma) { return kept(sigma) ? 1.0 / sigma : 0.0; }, kept, out);
}

InverseReport damped(const SmallSvd& svd, double lambda, MatrixRef out) noexcept {
  if (const Status status = check(svd, lambda, out); status != Status::ok) return failed(status, out);
  // 1/(σ + λ(λ/σ)) is σ/(σ² + λ²) without squares that over- or underflow.
  const auto factor = [lambda](double sigma) {
    return sigma > 0.0 ? 1.0 / (sigma + (lambda > 0.0 ? lambda * (lambda / sigma) : 0.0)) : 0.0;
  };
  return write(svd, factor, [lambda](double sigma) { return sigma > lambda; }, out);
}

}  // namespace antaeus
