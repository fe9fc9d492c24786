#pragma once
/// \file
/// The test of one row of a robot's residuals against all others, as a linear map of them.
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

}  // namespace antaeus
