#pragma once
/// \file
/// Tolerances of tests/control alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Λ and M⁻¹ Jᵀ against other routes to them: conditions of some 10³ of masses and mobilities times some ε; at a
/// singular pose relative to the floor's inverse.
inline constexpr Tolerance kToolMass{1e-12};
/// Growth of an impedance's storage in a step of 1 ms beyond the work put in [J]: Runge and Kutta's fifth order of
/// modes of 30 rad/s that hold up to 10 J, (0.5 ms · 30 rad/s)⁵/120 of them.
inline constexpr Tolerance kStoredEnergy{1e-10};
/// Damping of a mode by the eigenvalues of its linear system, which are apart (ratios of 0.7 and less): conditions of
/// some 10³ times some ε.
inline constexpr Tolerance kDampingRatio{1e-12};
/// A spring's rest after 5 s [m, rad]: what is left of a posture's slow motion, exp(−5 s · 2.5 rad/s) of it, and as
/// much of its torque as passes the projector.
inline constexpr Tolerance kSpringRest{1e-6};
/// Rotation vectors up to 179° by a quaternion of a product of matrices: some ε, over a cosine of half the angle of
/// 0.01 [rad].
inline constexpr Tolerance kTurnError{2e-14};
/// Steady states of an exact step: what exp(−t/τ) leaves after 40 τ, and some ε of thousands of steps.
inline constexpr Tolerance kAdmittanceRest{1e-13};
/// The mean of two twists against the difference of two poses 0.1 ms apart [m/s, rad/s]: h²/12 of third derivatives up
/// to 10³, and rounding of 1e-16/h. Also what counts as at rest.
inline constexpr Tolerance kTwistDifference{1e-6};
/// Exact steps against Runge and Kutta with a thousand substeps of 8 µs and less [m]: their rounding, 1e5 times ε of
/// 0.1 m at most; their truncation is (200 rad/s · 8 µs)⁵.
inline constexpr Tolerance kExactStep{1e-13};
/// Where a line of 20 mm ends: some ε of millimetres, over a thousand steps.
inline constexpr Tolerance kTaskPlace{1e-12};
/// A normal out of a circle of 3 mm whose places lie on the plane to 1e-17 m: a root of their scatter over 3 mm.
inline constexpr Tolerance kFoundNormal{1e-6};
/// The way back of a tool that stood up to the landing's lead, half a millimetre, below where it was wanted [m].
inline constexpr Tolerance kRetreatWay{1e-3};
/// How far 5 N move 5 kg in a first cycle of 2 ms, 2e-6 m, with room for what it came to rest short of [m].
inline constexpr Tolerance kFirstCycle{1e-4};
/// What the momentum observer finds of a push against the push itself, as late [N·m]: over a step of 1 ms torque and M
/// v̇ are taken for even, wrong by h²/24 of their second derivative, some 100 N·m · (6/s)² · 1e-6/24, and what the first
/// sample began with, e⁻¹² of it.
inline constexpr Tolerance kObservedTorque{1e-3};
/// A posterior of one joint by hand [N, relative]: a division and a root.
inline constexpr Tolerance kPosteriorByHand{1e-12};
/// Friction and bias of a straight line without noise [N·m]: the prior's pull, its variance over that of 4 s of samples
/// 32 ms apart at an sd of 0.02 N·m, times how far the prior was off.
inline constexpr Tolerance kTaredLine{2e-3};
/// Central differences with step 1e-5 s of motions whose third derivative is up to 100/s³ times their size 4e-3.
inline constexpr Tolerance kMotionDifference{1e-8};
/// A force that swings by sin over whole windows, averaged by equal weights [N]: what the observer's lag of 16 ms
/// leaves.
inline constexpr Tolerance kSwingingForce{1e-2};
/// Force on a springy table after 6 s of integral action with a time constant of 0.7 s; the rocking's ripple [N].
inline constexpr Tolerance kPressedForce{0.1};
/// Share of 2000 runs within an interval of 95 %: four standard errors, 4 √(0.95 · 0.05/2000).
inline constexpr Tolerance kCoverageOfRuns{0.0195};
/// Root mean square of the same runs' errors over their sd: four standard errors, 4/√4000.
inline constexpr Tolerance kScaleOfRuns{0.064};
/// Poses and velocities of a path by central differences with step 1e-5: rounding 1e-15/1e-5, truncation 1e-10 of
/// third derivatives, which within the offset's window reach some 1e2.
inline constexpr Tolerance kPathRate{3e-8};
/// Places of some metres and velocities below 1 by two routes: some ε of each of a dozen products.
inline constexpr Tolerance kPathState{2e-13};
/// Torques below 20 N·m by two algorithms, 160 kg × 5 m of lever × some ε.
inline constexpr Tolerance kPathTorque{1e-11};
/// Torques below 100 N·m and forces below 20 N of the published law by two routes: some ε of each of a dozen products.
inline constexpr Tolerance kPublishedLaw{1e-12};

}  // namespace antaeus::tolerance
