#pragma once
/// \file
/// Tolerances of tests/trust alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// A torque's change as a share of its limit, sampled at up to 10 kHz: stamps about 10 s round by 1e-15 s, which is
/// 1e-11 of a step of 0.1 ms; the guard's own slack for the end of its window is 1e-9.
inline constexpr Tolerance kTorqueRateShare{1e-6};
/// Sums of a window against one Cholesky of 40 rows, relative: what is added to the constant part, 1e-9 of the
/// variance, times the condition, about 1e2.
inline constexpr Tolerance kWindow{1e-6};
/// χ² of one sample with and without memory, relative: the same 1e-9 over a white share of 1e-2 in some direction.
inline constexpr Tolerance kWindowOfOne{1e-6};
/// Best fits from a Gram matrix against QR of the columns themselves, relative to χ²: κ² of the seen directions, up to
/// 1e9, times ε.
inline constexpr Tolerance kNormalEquations{1e-7};
/// Log evidences from the Gram matrix of a wrench at the endpoint, carried to another point, against dense covariances
/// of the rows: squares of columns of 20 N over 0.2 N·m, 1e4, times levers and ε, and the dense formula's own inverse.
inline constexpr Tolerance kDenseEvidence{1e-11};

}  // namespace antaeus::tolerance
