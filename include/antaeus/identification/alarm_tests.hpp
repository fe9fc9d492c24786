#pragma once
/// \file
/// The two tests of a robot's residuals, as linear maps of them: one row against all others, and what no contact can
/// explain. With ColouredNoise they say how often they alarm.
///
/// The row test of the reference joint is the only one with power where a pose hides a direction: there a wrench of a
/// few newtons explains whatever the misfit could have seen (docs/estimator_study.md).

#include "antaeus/core/api.hpp"
#include "antaeus/signal/coloured_noise.hpp"

namespace antaeus {

/// w = e_jᵀ S⁻¹ r / √(S⁻¹)_jj, N(0, 1) when r is N(0, S): row j against all others, contacts within their prior.
/// Source: Baarda (1968). \param S  covariance of r, R + A P₀ Aᵀ \param limit  of |w| [sd]
/// \throws OptionsError unless S is positive definite and has the row
ANTAEUS_API LinearTest row_test(const MatrixX& S, int row, double limit);

/// What no contact explains, as GaussianPosterior::misfit but for a full R: the whitened residual outside of the
/// directions in which a wrench of one prior sd makes kFelt noise sds or more.
/// \param A  rows × unknowns \param prior_factor  L, P₀ = L Lᵀ \param limits  of the χ² by its degrees of
///        freedom: limits[d − 1] for d = 1 … rows
/// \return no rows where contacts can explain everything
/// \throws OptionsError unless R is positive definite
ANTAEUS_API LinearTest misfit_test(const MatrixX& A, const MatrixX& R, const MatrixX& prior_factor,
                                   const VectorX& limits);

}  // namespace antaeus
