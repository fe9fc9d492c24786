#pragma once
/// \file
/// Tolerances of tests/pose alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Entries and singular values of the planar arm's Jacobian: its profile's angles are rounded to 1e-6 rad, three of
/// them.
inline constexpr Tolerance kRoundedPoseAngle{3e-6};
/// A force of 5 N·m through that Jacobian's inverse: 1e-6 rad × 1/σ² (below 900) × 5.
inline constexpr Tolerance kRoundedPoseForce{4.5e-3};
/// Gains and κ near a singularity, relative to κ²: the rounding of J, a few ε, through the inverse twice.
inline constexpr Tolerance kGainPerConditionSquared{1e-14};
/// An sd up to 20 N: square root of a variance that two algorithms agree on to kSamePosterior of 400 N² [N].
inline constexpr Tolerance kPoseSd{1e-7};
/// A relative singular value and its direction, from an eigenvalue of the squared matrix: κ² of 10⁸ times rounding.
inline constexpr Tolerance kErrorForce{1e-6};

}  // namespace antaeus::tolerance
