#pragma once
/// \file
/// Scalar indicators of how near a Jacobian is to a singularity. All are noexcept and do not allocate.

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

/// κ = σ₁/σₙ; sigma may come in any order. For a 6-row Jacobian it mixes m and rad and changes with the unit of
/// length: the same arm has another κ in millimetres. scaled_condition_number() does not.
/// \param sigma  singular values ≥ 0
/// \return ≥ 1; infinity when the smallest is 0 (one that rounding left at 1e-17 gives 1e17); NaN for an
///         empty, negative or NaN sigma
/// \realtime conditioning_realtime_test
ANTAEUS_API double condition_number(const ConstVectorRef& sigma) noexcept;

/// κ of the Jacobian with its three linear rows (vx, vy, vz, the first three) divided by a characteristic length.
/// Its three angular rows (wx, wy, wz) stay as they are. Every entry is then a number per radian, and κ no longer
/// depends on the unit of length; it does depend on the length chosen. To multiply the angular rows by the length
/// instead gives the same κ.
/// \param J                      6 × n, n revolute joints, linear rows first [m/rad, 1]
/// \param characteristic_length  > 0 [m]; usually a typical distance between joints and contact
/// \param svd                    workspace for n × 6, left with the decomposition of the scaled Jᵀ
/// \param directions             over so many singular values, the largest; 0: six, so that fewer columns give infinity
/// \return as condition_number(); NaN for a J without 6 rows, over the capacity, or not finite, and for an invalid
///         length
/// \realtime conditioning_realtime_test
/// Source: Angeles, "The design of isotropic manipulator architectures in the presence of redundancies", Int. J. Robot.
/// Res. 11 (1992).
ANTAEUS_API double scaled_condition_number(const ConstMatrixRef& J, double characteristic_length, SmallSvd& svd,
                                           int directions = 0) noexcept;

/// Π σ, which is √det(J Jᵀ) where J has no more rows than columns. It mixes units as κ does, and is small for a small
/// robot as well as for a singular one.
/// \param sigma  singular values ≥ 0
/// \return 0 when singular; NaN for an empty, negative or NaN sigma
/// \realtime conditioning_realtime_test
/// Source: Yoshikawa, "Manipulability of robotic mechanisms", Int. J. Robot. Res. 4 (1985).
ANTAEUS_API double manipulability(const ConstVectorRef& sigma) noexcept;

}  // namespace antaeus
