#pragma once
/// \file
/// Tolerances of tests/numerics alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Inverses of 6 × 7 matrices with gains up to 60, by another route (LU of a Gram matrix): ε × κ² of up to 1e4 × gain.
inline constexpr Tolerance kInverseTier{1e-9};
/// Central differences with step 1e-6 of inverses with gains up to 60, relative: truncation (1e-6 · 60)² / 6.
inline constexpr Tolerance kInverseDifference{2e-6};
/// Singular values of entries of order 1, relative to σ₁: two backward stable algorithms of up to 33 × 24 differ by
/// some n·ε.
inline constexpr Tolerance kSingularValue{1e-13};
/// UᵀU − I, VᵀV − I and (A − U Σ Vᵀ)/σ₁ per entry: about 100 rotations of one column, each rounding by ε.
inline constexpr Tolerance kOrthogonality{5e-14};
/// Each singular value relative to itself, for well-conditioned matrices with badly scaled columns or rows: n²·ε, with
/// 100 to spare.
inline constexpr Tolerance kGradedSingularValue{1e-12};
/// Penrose conditions and other inverses, relative to κ: the error of an inverse is κ·n·ε.
inline constexpr Tolerance kInversePerCondition{1e-14};
/// Sums of some products of numbers up to 200 [N, N·m, m]; where numbers are larger, times their size.
inline constexpr Tolerance kMarginByHand{1e-12};
/// Margins' sds by central differences with step 1e-5 of functions of order 100: rounding 1e-14/1e-5, truncation 1e-10.
inline constexpr Tolerance kMarginSlope{1e-7};
/// Factor, solution and inverse of block matrices with entries of order 1 and eigenvalues above 1, against dense ones:
/// κ up to 100 times some 10 ε.
inline constexpr Tolerance kBlockTridiagonal{1e-13};
/// Unknowns and violations of quadratic programmes that are solved by hand [N]: products of slack and multiplier stop
/// below 1e-5, over multipliers of 1 and more.
inline constexpr Tolerance kElasticQpByHand{1.1e-5};
/// The optimum's conditions, each from dense algebra on the answer. Stationarity: the solver's own bar, 1e-9 of the
/// largest of g and Gᵀλ. Feasibility: its 1e-7 N. Products: its 1e-9 · price. A tenth more for sums in another order.
inline constexpr Tolerance kElasticQpStationarity{1.1e-9};
inline constexpr Tolerance kElasticQpPrimal{1.1e-7};
inline constexpr Tolerance kElasticQpProduct{1.1e-9};
/// One problem solved in two ways [N]: products of up to 1e-5 over multipliers from 0.01 where a limit is reached.
inline constexpr Tolerance kElasticQpTwoSolutions{1e-3};
/// Least squares between limits, relative to 1 and x: slopes and limits after up to 60 exchanges of 30 unknowns, each
/// rounding by some ε, through an inverse triangle of condition up to 1e4 (the damping).
inline constexpr Tolerance kBoundedStationarity{1e-9};
inline constexpr Tolerance kBoundedLimit{1e-11};
/// The same of two unknowns, but for the damping: 1e-8 of them.
inline constexpr Tolerance kBoundedByHand{4e-8};
/// An sd by Cholesky against singular values, relative: conditions up to 1e5 times ε.
inline constexpr Tolerance kForceDeviation{1e-10};

}  // namespace antaeus::tolerance
