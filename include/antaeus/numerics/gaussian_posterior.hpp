#pragma once
/// \file
/// Gaussian posterior of a linear model: mean and covariance of unknowns with a prior, given noisy equations.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

/// Posterior of x ~ N(0, P₀) given y = A x + e, e ~ N(0, diag(variance)), with memory taken once.
///
/// Everything is solved whitened and unit-scaled: with P₀ = L Lᵀ, x = L z and B = diag(variance)^-½ A L = U Σ Vᵀ,
///
///     (I + BᵀB) z = Bᵀ ỹ,    z = V diag(σ/(1+σ²)) Uᵀ ỹ,    C = L (I + BᵀB)⁻¹ Lᵀ.
///
/// The matrix that is inverted has no unit and no eigenvalue below 1, whatever A is. So nothing is divided by a small
/// number, and a direction that A does not see keeps its prior. As P₀ → ∞ the mean tends to weighted least squares.
/// Source: Rasmussen & Williams, "Gaussian Processes for Machine Learning" (2006), eq. 2.8; Tarantola (2005), ch. 3.
///
/// \realtime after construction, conditioning_realtime_test. One object per thread.
class ANTAEUS_API GaussianPosterior {
 public:
  /// \param max_rows, max_unknowns  the largest A that compute() will take
  GaussianPosterior(int max_rows, int max_unknowns);

  /// \param A             m × n
  /// \param y             m
  /// \param variance      m, > 0; infinity: the row is no evidence and leaves every result as if it were not there
  /// \param prior_factor  L, n × n. Zero columns are allowed: what they would span is known to be zero
  /// \return `wrong_size`, or `not_finite` for NaN or a variance that is not positive; results are NaN then
  Status compute(const ConstMatrixRef& A, const ConstVectorRef& y, const ConstVectorRef& variance,
                 const ConstMatrixRef& prior_factor) noexcept;
  /// The same for noise that rows share: e ~ N(0, R), read where diag(variance) stands above and below. Rows are
  /// whitened by the Cholesky factor of R, so every number is that of the dense formula.
  /// \param R  m × m, symmetric, positive definite; infinity on its diagonal: the row is no evidence, and what stands
  ///           beside it is not read
  /// \return `not_finite` also for R that is not positive definite
  Status compute_correlated(const ConstMatrixRef& A, const ConstVectorRef& y, const ConstMatrixRef& R,
                            const ConstMatrixRef& prior_factor) noexcept;

  Status status() const noexcept { return status_; }
  /// n
  Eigen::Map<const VectorX> mean() const noexcept { return {mean_.data(), n_}; }
  /// C, n × n, symmetric.
  Eigen::Map<const MatrixX> covariance() const noexcept { return {covariance_.data(), n_, n_}; }
  /// K, n × m: mean = K y.
  Eigen::Map<const MatrixX> gain() const noexcept { return {gain_.data(), n_, m_}; }

  /// Normalised innovation squared yᵀ (diag(variance) + A P₀ Aᵀ)⁻¹ y: χ² with evidence_rows() degrees of freedom when
  /// prior and noise are as stated.
  double nis() const noexcept { return nis_; }
  /// yᵀ diag(variance)⁻¹ y: the same when x is known to be zero.
  double null_nis() const noexcept { return null_nis_; }
  /// The part of nis() that no x explains, whatever its size: with B = U Σ Vᵀ the whitened y outside the columns of U.
  /// A direction in which an x of one prior sd makes less than kFelt noise sds counts as outside. χ² with misfit_rows()
  /// degrees of freedom for any x of a few prior sds; the rest of nis() is χ² with the others when x is as its prior.
  double misfit() const noexcept { return misfit_; }
  int misfit_rows() const noexcept { return misfit_rows_; }
  /// What an x of one prior sd must make of the noise's sd to be felt: ten prior sds then shift one row by one sd.
  static constexpr double kFelt = 0.1;
  /// Rows with a finite variance.
  int evidence_rows() const noexcept { return evidence_; }
  /// log p(y): compares causes of y that are stated as priors; the largest explains y best.
  double log_evidence() const noexcept { return log_evidence_; }

 private:
  Status fail(Status status) noexcept;
  bool take(Eigen::Index rows, Eigen::Index unknowns, bool fits) noexcept;
  Status solve_whitened(const ConstMatrixRef& prior_factor, double log_variance) noexcept;

  int max_rows_, max_unknowns_;
  Eigen::Index m_ = 0, n_ = 0;
  Status status_ = Status::not_computed;
  int evidence_ = 0;
  int misfit_rows_ = 0;
  double nis_ = 0.0, null_nis_ = 0.0, misfit_ = 0.0, log_evidence_ = 0.0;
  SmallSvd svd_;
  // Column-major storage of the largest problem; compute() maps its top-left part densely.
  VectorX mean_, covariance_, gain_;
  VectorX weight_, whitened_, scaled_, turned_, left_;
  VectorX noise_factor_;  ///< of R
};

/// Standard deviations of a covariance along its own axes.
struct PrincipalDeviations {
  Vector3 deviation;  ///< ascending; NaN when the covariance is not finite
  Matrix3 direction;  ///< columns, orthonormal, entry of largest magnitude positive
  /// Largest of them.
  double worst() const noexcept { return deviation[2]; }
  Vector3 worst_direction() const noexcept { return direction.col(2); }
};
/// \param covariance  3 × 3, symmetric, e.g. the force block of a wrench's [N²]
/// \realtime conditioning_realtime_test
ANTAEUS_API PrincipalDeviations principal_deviations(const Matrix3& covariance) noexcept;

}  // namespace antaeus
