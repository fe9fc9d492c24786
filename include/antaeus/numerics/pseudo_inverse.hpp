#pragma once
/// \file
/// Three inverses of a decomposed matrix A = U diag(σ) Vᵀ. Each is V diag(f(σ)) Uᵀ,
/// n × m, and reports what it left out.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

/// What became of the singular values.
struct InverseReport {
  /// `ok`; `not_computed` without a decomposition; `wrong_size` when the output is not n × m; `not_finite` for a
  /// parameter that is negative, infinite or NaN. Unless `ok`, the output is NaN and so are the numbers below.
  Status status = Status::not_computed;
  /// Singular values that were inverted; −1 unless `ok`. For damped(): those at which less than half was lost, σ > λ.
  int rank = -1;
  /// The others: directions in which the output is zero (damped(): attenuated to less than half).
  int lost = -1;
  /// σ₁/σ_rank, the condition number of what was kept; NaN when nothing was kept.
  double condition = 0.0;
  /// max f(σ), the 2-norm of the output: the worst amplification of an error in what it is applied to.
  double norm = 0.0;
};

/// Below this fraction of σ₁ a singular value is taken for zero: the default of numpy.linalg.pinv, which deployed
/// estimators use. NumPy 2 still means 1e-15 when neither rcond nor rtol is given;
/// only an explicit rtol=None selects max(m, n)·ε (6e-15 for 27 × 6), as MATLAB and Eigen do. It is below the rounding
/// error of σ itself: an exactly singular Jacobian may come out as full rank with gains of 1e15. It reproduces what was
/// deployed, and does not protect against a singular pose.
inline constexpr double kNumpyRelativeTolerance = 1e-15;

/// Moore-Penrose inverse: f(σ) = 1/σ where σ > relative_tolerance · σ₁, else 0.
/// \param out  n × m, fully overwritten
/// \realtime conditioning_realtime_test
ANTAEUS_API InverseReport moore_penrose(const SmallSvd& svd, double relative_tolerance, MatrixRef out) noexcept;

/// Truncated inverse: f(σ) = 1/σ where σ ≥ sigma_min_absolute and σ > 0, else 0. The threshold has the unit of A: for a
/// Jacobian a mixture of m and 1 (see scaled_condition_number() for rows of one unit).
/// \param out  n × m, fully overwritten
/// \realtime conditioning_realtime_test
ANTAEUS_API InverseReport truncated(const SmallSvd& svd, double sigma_min_absolute, MatrixRef out) noexcept;

/// Damped inverse: f(σ) = σ/(σ² + λ²), at most 1/(2λ); tends to Moore-Penrose as λ → 0 and equals it, with nothing cut
/// but exact zeros, at λ = 0. Good directions are damped too, by σ²/(σ² + λ²). Sources: Nakamura & Hanafusa, J. Dyn.
/// Syst. Meas. Control 108 (1986); Wampler, IEEE Trans. Syst. Man Cybern. 16 (1986).
/// \param lambda  unit of A, ≥ 0
/// \param out     n × m, fully overwritten
/// \realtime conditioning_realtime_test
ANTAEUS_API InverseReport damped(const SmallSvd& svd, double lambda, MatrixRef out) noexcept;

}  // namespace antaeus
