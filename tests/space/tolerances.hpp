#pragma once
/// \file
/// Tolerances of tests/space alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Central differences with step 1e-5 s of guidance: truncation h²/6 of third derivatives up to 200 (turns of up to
/// half a turn and 60/T³ of passages of 3.5 s), rounding 1e-16 × 5 m / h.
inline constexpr Tolerance kGuidanceDifference{1e-8};
/// Places and rotations of guidance by another route [m, 1]: some ε of lengths up to 6 m, and of angles up to 3π.
inline constexpr Tolerance kGuidancePlace{2e-14};
/// Wheels' momentum over 2000 cycles [N·m·s]: the rounding of each, ε of up to 1, adds up as a random walk, 45 ε, with
/// ten to spare.
inline constexpr Tolerance kWheelMomentum{1e-13};
/// Mean of ω × h over a step of 1 µs [N·m]: ω² h dt/2 off, 5e-6, and ε h/dt of rounding.
inline constexpr Tolerance kWheelStep{1e-5};
/// ΓΓ⁻¹ − E with gains up to 50 of J⊕⁻¹: some ε × 50 × entries up to 2.
inline constexpr Tolerance kMapInverse{1e-13};
/// Velocities up to 10 by two routes: some ε of each of a dozen products.
inline constexpr Tolerance kMapVelocity{1e-13};
/// det Γ / det J⊕ − 1: ε times a condition of up to 100.
inline constexpr Tolerance kMapDeterminant{1e-12};
/// M̂'s blocks that are zero, and mE [kg, kg·m]: 160 kg × gains of 50 × some ε.
inline constexpr Tolerance kInertiaBlocks{1e-12};
/// C_c and Ĉ's first rows, relative to Ĉ.
inline constexpr Tolerance kCoupling{1e-12};
/// Γ̇ by central differences with step 1e-6: rounding 1e-16 × positions of 5 m / 1e-6, truncation 1e-12 × v³.
inline constexpr Tolerance kMapRate{1e-7};
/// Derivatives of inverses with gains up to 50, relative, by the same differences.
inline constexpr Tolerance kInverseRate{1e-6};
/// M̂̇ by the same differences against Ĉ + Ĉᵀ, relative to Ĉ.
inline constexpr Tolerance kInertiaRate{1e-6};
/// M̂̇ − Ĉ − Ĉᵀ with the derivatives that the terms hold, relative to Ĉ.
inline constexpr Tolerance kSkew{1e-12};
/// M̂ẏ + Ĉy − f against the articulated-body algorithm, relative to the largest of the three; m v̇_c − f_c [N].
inline constexpr Tolerance kMotionEquation{1e-11};
/// Rate of momentum by central differences with step 1e-6 [N, N·m]: 1e-16 × 800 kg m/s / 1e-6.
inline constexpr Tolerance kMomentumRate{1e-6};
/// Angular momentum [N·m·s] and twist of a motion that has none.
inline constexpr Tolerance kGeneralisedJacobian{1e-12};
/// Γk̂, 7e-16 is met (docs/validation.md), and z_aᵀk̂ − 1.
inline constexpr Tolerance kKernel{1e-14};
inline constexpr Tolerance kKernelDual{1e-13};
/// M-weighted inverse by its textbook formula: condition of ΓM⁻¹Γᵀ of up to 1e4 times ε.
inline constexpr Tolerance kWeightedInverse{1e-12};
/// Rates of n̂, k̂ and z_a by central differences with step 1e-6, relative to 1 and themselves.
inline constexpr Tolerance kKernelRate{1e-6};
/// A determinant of up to 0.02 with entries up to 0.5, by elimination against three factors: some ε.
inline constexpr Tolerance kBareDeterminant{1e-15};
/// Smallest singular value of a Jacobian that is singular but for the rounding of the pose's cosines.
inline constexpr Tolerance kSingular{1e-14};
/// Shares of the smallest singular value that an independent script measured on an arm 1.18 times as long.
inline constexpr Tolerance kSigmaShare{0.01};
/// A σ_min of 0.05 by the elbow law at 0.13 rad, on the side that it was not fitted on: its next term, 5 % of it.
inline constexpr Tolerance kElbowLaw{4e-3};
/// Slopes that were measured to four decimals.
inline constexpr Tolerance kElbowSlope{6e-5};
/// Extreme singular values by ΓΓᵀ against a decomposition of Γ, relative: ε × the square of a condition of 1e3.
inline constexpr Tolerance kExtremeSigma{1e-9};
/// The arm's π/2 in full against eleven digits: 5e-12 rad × some kg and m.
inline constexpr Tolerance kSpacecraftParity{2e-10};
/// Unit length after thousands of products, ε each, and clocks that add up as many steps.
inline constexpr Tolerance kUnitQuaternion{1e-11};
/// A 5 s flight in steps of 1 ms [N·s, N·m·s]: 2e-10 is met (docs/validation.md).
inline constexpr Tolerance kMomentumDrift{1e-8};
/// Power by differences of V over 4 µs against supply less dissipation, relative to both: V of up to 10 J rounds by
/// 1e-15/4e-6, and the torque is constant through 2 µs while velocities of 1 change by 1e-5.
inline constexpr Tolerance kPowerBalance{1e-4};
/// After 30 s: the slowest mode is the centre of mass's, (1 + 18) e⁻¹⁸ × 0.3 m = 9e-8 [m, rad].
inline constexpr Tolerance kRegulated{2e-7};
inline constexpr Tolerance kRegulatedByCascade{5e-7};
/// Rise of V in a cycle without supply [J]: V of up to 10 J rounds by 1e-15, and what a torque that is constant
/// through the cycle does where V̇ passes through zero.
inline constexpr Tolerance kEnergyRise{1e-12};
/// Then the centre of mass drifts by 1e-12 N/160 kg for seconds, and by the rounding of a place of 1 m a thousand
/// times.
inline constexpr Tolerance kComDrift{1e-12};
/// Impulse of a force whose base axes turn by 1e-3 rad a cycle, relative.
inline constexpr Tolerance kImpulse{2e-3};
/// A Panda's pose after 20 s: its slowest mode's 0.40 /s leave 4e-4 of 0.3 rad [m, rad].
inline constexpr Tolerance kSevenReached{2e-4};
/// Then the posture: both modes at 1 /s, 21 e⁻²⁰ of 0.4 rad, and what the pose's own remainder drags along [rad,
/// rad/s].
inline constexpr Tolerance kPosture{5e-5};
/// V − ∫supply on passages through singular poses [J].
inline constexpr Tolerance kSingularRise{1e-9};
/// The same with torques that are constant through 1 ms: on one path of 24 it was 1.8e-9, at 0.5 ms less than 1e-9.
inline constexpr Tolerance kSingularRiseOfCycle{4e-9};
/// Torques of two controls of which one met a number that cannot be, the other NaN [N·m, N]: the last inverse, which
/// one of them took a cycle earlier, differs in its rounding, 1e-13 of torques of 1e2, through thirty cycles.
inline constexpr Tolerance kForgottenOutlier{1e-9};
/// Inverses of 9 × 9 matrices with condition 1e4 by two routes, relative.
inline constexpr Tolerance kSchur{1e-9};

}  // namespace antaeus::tolerance
