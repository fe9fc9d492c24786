#pragma once
/// \file
/// Tolerances of tests/episode alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Difference of two time stamps since 1970 [s]: doubles at 1.7e9 are 2.4e-7 apart, and each of the two is rounded.
inline constexpr Tolerance kEpochClock{1e-6};
/// A channel in another unit and back: two roundings of numbers up to 600.
inline constexpr Tolerance kMappedChannel{1e-12};
/// Straight lines between samples of 20 N·m · cos(3 rad/s · t) at 200 Hz: (0.005 s)²/8 × 180 N·m/s².
inline constexpr Tolerance kInterpolatedTorque{6e-4};
// Twins (synthetic_episode_test, smooth_curve_test):
/// Piecewise cubics against SciPy's: a dozen roundings of numbers up to 35.
inline constexpr Tolerance kCurve{1e-12};
/// Central differences with step 1e-5 of functions of order 1 whose third derivatives are below 1e3: 1e-10/6 × 1e3 +
/// 1e-16/1e-5.
inline constexpr Tolerance kCurveDerivative{1e-7};
/// The six rows that no motor drives [N, N·m]: forces up to 1e3 and their moments cancel, 1e-12 of rounding; a wrong
/// lever would be 1 and more.
inline constexpr Tolerance kBaseBalance{1e-9};
/// Forward against inverse dynamics: torques up to 430 N·m hold 1e-13, over the smallest inertia of a wrist, 1e-4
/// kg·m².
inline constexpr Tolerance kTwinAcceleration{1e-8};
/// Central differences at 10 kHz: (1e-4)²/6 × jerk, which is below 6000 rad/s³.
inline constexpr Tolerance kTwinVelocityDifference{1e-5};
/// The same one derivative up: where a smooth step of the knees ends, the jerk jumps by 184 rad/s³, and 1e-4/4 of it
/// shows.
inline constexpr Tolerance kTwinAccelerationDifference{6e-3};
/// A quasi-static push recovered by the deployed estimator: the arms' own accelerations, below 0.1 rad/s², make the
/// error [N].
inline constexpr Tolerance kQuasiStaticForce{0.3};
/// Golden torques are written with nine digits after the point; the feet's wrenches solve a system of κ up to 1e4.
inline constexpr Tolerance kTwinGolden{1e-7};
/// Four standard errors of the mean of 36639 normal numbers of sd 0.3 N·m.
inline constexpr Tolerance kNoiseMoment{0.0063};
/// Rotations differenced over 2e-4 s: ε/2e-4 and 1e-8/6 of second derivatives of rates, below 500 rad/s³.
inline constexpr Tolerance kDifferencedGyro{2e-6};
/// Second differences with step 1e-4 of positions below 1 m: a few ε over 1e-8 (several 1e-8, of the reference's own
/// velocities and accelerations the same), truncation 1e-8/12 of fourth derivatives up to 2000 m/s⁴.
inline constexpr Tolerance kDifferencedAccelerometer{2e-5};
/// Second differences at 10 kHz: rounding as above; where a course's knots lie the jerk jumps, and 1e-4/6 of the jump
/// shows.
inline constexpr Tolerance kTwinSpecificForce{6e-3};
/// Cubics of numbers up to 55 through fits over 0.1 s; the second derivative divides their rounding by (0.02 s)².
inline constexpr Tolerance kSmoothCubic{1e-9};
inline constexpr Tolerance kSmoothCubicAcceleration{1e-8};

}  // namespace antaeus::tolerance
