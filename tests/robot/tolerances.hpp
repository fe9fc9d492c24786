#pragma once
/// \file
/// Tolerances of tests/robot alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Two descriptions of one robot: M, g, J, poses (SI units, entries up to ~700). Some hundred ε of the largest entry; a
/// gram at half a metre would be 5e-3 N·m.
inline constexpr Tolerance kModelParity{1e-9};
/// a − M⁻¹(M a) of accelerations up to 10: kSameQuantity × κ of the H1-2's mass matrix over its norm, about 10³.
inline constexpr Tolerance kForwardDynamics{1e-9};
/// Torque of a link whose parameter is changed by 1e-3, per unit of it: torques up to 100 with some ε of rounding in
/// two models' fixed transforms, over 1e-3.
inline constexpr Tolerance kRegressorSlope{1e-9};
/// A point of a stick below 1 m, through its rotation and back: some ε [m].
inline constexpr Tolerance kStick{4e-15};
/// Their central differences with step 1e-5: 1e-10/2e-5, and truncation where nearest points slide fast.
inline constexpr Tolerance kGjkSlope{5e-5};
/// A hull of corners that a mesh holds as floats [m]: 0.2 m × 6e-8.
inline constexpr Tolerance kHullDistance{1e-7};

}  // namespace antaeus::tolerance
