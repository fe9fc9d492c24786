#pragma once
/// \file
/// Tolerances of tests/ik alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Poses of chains of up to 8 joints and 2 m, whose common normals may stand fifty times as far: some ε of 100 m,
/// thirty products.
inline constexpr Tolerance kChainPose{1e-12};
/// Distances by two forward kinematics [m].
inline constexpr Tolerance kReachError{1e-12};
/// Angles by the sine's arc against those of a quaternion: the root of rounding where the cosine is flat [rad].
inline constexpr Tolerance kReachAngle{3e-8};
/// Rotation vectors near half a turn: rounding over a sine of 1e-7 [rad].
inline constexpr Tolerance kRotationLog{1e-7};
/// Largest entry of the projected gradient at a closest pose: 1e-9 is where descents end, 1e-6 where rounding ends
/// them.
inline constexpr Tolerance kStationary{1e-6};
/// Closest poses of one target seen from two bases: other last digits, other roundings of the table's cells.
inline constexpr Tolerance kClosestMiss{1e-3};
/// Central differences with step 1e-5 of numbers up to 10: truncation 1e-10, rounding 1e-15 / 1e-5; near half a turn
/// the third derivative of θ² is a hundred times as large.
inline constexpr Tolerance kClosestGradient{1e-7};
inline constexpr Tolerance kClosestHessian{1e-6};
/// A pseudo-inverse step by two algorithms, relative to the largest entry, away from singular poses.
inline constexpr Tolerance kPlainStep{1e-10};

}  // namespace antaeus::tolerance
