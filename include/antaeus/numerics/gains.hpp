#pragma once
/// \file
/// Effect of joint torque errors on a wrench: gains, attribution and worst cases of an inverse B of Jᵀ.
///
/// B is any inverse of pseudo_inverse.hpp, 6 × n, with rows Fx Fy Fz Mx My Mz and one column a joint.
/// All functions are total and noexcept; NaN in, NaN out.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// B as an argument; a Matrix6X passes without a copy.
using ConstMatrix6XRef = Eigen::Ref<const Matrix6X>;

/// B(row, joint): the error in one wrench component that 1 N·m at one joint causes.
/// \return [N/(N·m)] in the force rows, [N·m/(N·m)] in the moment rows; NaN outside B
/// \realtime conditioning_realtime_test
ANTAEUS_API double gain(const ConstMatrix6XRef& B, int row, int joint) noexcept;

/// ‖B(Fx..Fz, joint)‖: the force error that 1 N·m at one joint causes, in whatever direction. Of the scalar indicators
/// it predicts the error of a humanoid's deployed estimator best. In simulated motion its rank correlation with the
/// error is 0.99, that of the vertical gain 0.87, that of the condition number 0.67
/// (docs/validation.md#guards).
/// \return [N/(N·m)]; NaN outside B
/// \realtime conditioning_realtime_test
ANTAEUS_API double force_gain(const ConstMatrix6XRef& B, int joint) noexcept;

/// Attribution of a wrench to joints: column j of `out` is B(:, j) residual(j), in N and N·m, and the columns sum to
/// the wrench B·residual.
/// \param residual  n joint torque residuals [N·m]
/// \param out       6 × n, fully overwritten, NaN unless `ok`
/// \return `wrong_size`, or `not_finite` when B or the residual is not finite
/// \realtime conditioning_realtime_test
/// Source: the incident report (docs/references.md), eq. 4.
ANTAEUS_API Status attribution(const ConstMatrix6XRef& B, const ConstVectorRef& residual, Matrix6XRef out) noexcept;

/// One joint's part in one wrench component.
struct Contributor {
  int joint = -1;     ///< −1 when there is none
  double amount = 0;  ///< signed contribution [N or N·m]; NaN when there is none
  /// |amount| / Σ|contributions| of that row, 0 … 1: parts that cancel still count; NaN when all are 0.
  double share = 0;
};

/// The joint that contributes most, in magnitude, to `row`; of equals the first. None
/// when the row holds NaN or does not exist.
/// \param contributions  6 × n from attribution()
/// \realtime conditioning_realtime_test
ANTAEUS_API Contributor largest_contributor(const ConstMatrix6XRef& contributions, int row) noexcept;

/// The largest error of each wrench component that residuals within ±budget can cause: |B| · budget. Each component has
/// a worst case of its own, at residual(j) = ±budget(j) with the sign of B(row, j): they do not happen together.
/// \param budget  n bounds ≥ 0 of |residual| [N·m]
/// \return [N] and [N·m]; NaN for a wrong size, a negative bound or NaN
/// \realtime conditioning_realtime_test
ANTAEUS_API Vector6 worst_case_wrench(const ConstMatrix6XRef& B, const ConstVectorRef& budget) noexcept;

/// The largest error of each wrench component that residuals of Euclidean norm ≤ budget
/// can cause: row norms of B times budget.
/// \param budget  ≥ 0 [N·m]
/// \return [N] and [N·m]; NaN for a negative budget or NaN
/// \realtime conditioning_realtime_test
ANTAEUS_API Vector6 worst_case_wrench(const ConstMatrix6XRef& B, double budget) noexcept;

}  // namespace antaeus
