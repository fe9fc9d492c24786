#pragma once
/// \file
/// Tolerances of tests/tasks alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Central differences with step 1e-6 of errors up to 5: rounding 1e-15/1e-6, truncation 1e-12/6 of third derivatives,
/// which near a half turn and close to what is looked at reach 1e3.
inline constexpr Tolerance kTaskDifference{5e-8};
/// The same of logarithms of determinants and sds, relative to 1 and the gradient: conditions of 10³ to 10⁵ of what is
/// inverted, times ε/1e-6.
inline constexpr Tolerance kObjectiveDifference{2e-6};
/// Errors and Jacobians of one pose through another base 7 m away: some ten roundings of numbers up to 10.
inline constexpr Tolerance kTaskInvariance{5e-14};
/// A level counts as reached below 1e-9, by another forward kinematics: some ε more [m, rad].
inline constexpr Tolerance kTaskReached{1.5e-9};
/// What a lower priority may change of a higher one's error [m, rad; a step: m/s, rad/s].
inline constexpr Tolerance kTaskPriority{1e-9};
/// Place of a stationary point [m]: where an error of 0.1 stops to fall by 1e-10 of itself, √(1e-10) of it.
inline constexpr Tolerance kTaskStationary{1e-5};
/// A step's velocities against an interior point whose products of slack and multiplier stop at 1e-14 · 1e3: over
/// multipliers of 1e-5 and more, where a limit hardly counts [rad/s].
inline constexpr Tolerance kTaskOptimum{1e-6};
/// A planted foot [m, rad].
inline constexpr Tolerance kPlantedFoot{1e-6};

}  // namespace antaeus::tolerance
