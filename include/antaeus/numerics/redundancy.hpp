#pragma once
/// \file
/// Redundancy numbers of measurements: how large an error in one of them must be before a test detects it.
/// They come from Baarda's reliability theory in geodesy.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

/// √λ₀ at which a test with 0.1 % false alarms finds an error with a probability of 80 %: z(0.9995) + z(0.8).
inline constexpr double kBaardaNoncentrality = 3.2905267314919255 + 0.8416212335729143;

/// Redundancy of the rows of y = A x + e, e ~ N(0, diag(variance)), x unknown.
///
/// The diagonal of the hat matrix H = A (AᵀWA)⁻¹ AᵀW is the share of each measurement that the fit absorbs. The rest,
/// ρ_j = 1 − H_jj, is the share of an error in row j that shows in the residuals. ρ_j = 0: an error of any size there
/// is taken for a signal, and no test on the residuals can ever find it. Σ ρ_j = rows − rank.
/// Source: Baarda, "A testing procedure for use in geodetic networks" (1968); Teunissen, "Testing theory" (2006), §4.
///
/// \realtime after construction, conditioning_realtime_test. One object per thread.
class ANTAEUS_API Redundancy {
 public:
  Redundancy(int max_rows, int max_unknowns, double noncentrality = kBaardaNoncentrality);

  /// \param A         m × n
  /// \param variance  m, > 0; infinity: the row is no evidence, its numbers are NaN
  /// \param scale     n sizes that the unknowns may have, > 0: they make units comparable where rank is decided
  /// \return `wrong_size`, `not_finite`; all numbers NaN then
  Status compute(const ConstMatrixRef& A, const ConstVectorRef& variance, const ConstVectorRef& scale) noexcept;

  Status status() const noexcept { return status_; }
  /// ρ, m numbers 0 … 1.
  Eigen::Map<const VectorX> numbers() const noexcept { return {numbers_.data(), m_}; }
  /// σ_j √(λ₀/ρ_j) in the unit of y: the smallest error of row j that the test finds with its stated power. Infinity
  /// where ρ_j is zero to rounding (kUndetectable).
  Eigen::Map<const VectorX> minimal_detectable_bias() const noexcept { return {bias_.data(), m_}; }
  /// Rows with evidence less rank: Σ ρ_j.
  double total() const noexcept { return total_; }
  int rank() const noexcept { return rank_; }
  /// Of the whitened, unit-scaled A; unlike κ of a Jacobian it does not depend on metres or millimetres.
  double condition() const noexcept { return condition_; }
  double sigma_min() const noexcept { return sigma_min_; }

  /// ρ below which a row counts as undetectable: rounding of H, not a choice.
  static constexpr double kUndetectable = 1e-12;

 private:
  Status fail(Status status) noexcept;
  int max_rows_, max_unknowns_;
  double noncentrality_;
  Eigen::Index m_ = 0;
  Status status_ = Status::not_computed;
  int rank_ = 0;
  double total_ = 0.0, condition_ = 0.0, sigma_min_ = 0.0;
  VectorX numbers_, bias_;
  MatrixX whitened_;
  SmallSvd svd_;
};

}  // namespace antaeus
